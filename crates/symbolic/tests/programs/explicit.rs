//! The explicit model is the arm: for random arms with one to seven joints, revolute and prismatic, both conventions, any
//! twists, and for the PUMA 560, each element equals what the recursive formulas of the core give, and so do the factored
//! formulas.
//!
//! Tolerance: 1e-11 of the largest element of the same quantity. A dense entry of a seven-joint arm is a sum of thousands
//! of terms, and each has a rounding error of 1e-16 of the largest.

use crate::arms::puma;
use dalembert::serial::{DhConvention, Serial};
use dalembert_core::dynamics::State as _;
use dalembert_proptest::{ArmKind, Random, RandomArm};
use dalembert_symbolic::explicit::{
    ATTEMPTS, Explicit, FormulaOutput, Polynomials, Significance, Velocities, full_matrix,
};

fn close(what: &str, ours: &[f64], theirs: &[f64]) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    let scale = theirs.iter().fold(1e-3f64, |most, x| most.max(x.abs()));
    for (a, b) in ours.iter().zip(theirs) {
        assert!((a - b).abs() <= 1e-11 * scale, "{what}: {a} for {b}, scale {scale}");
    }
}

fn is_the_arm<const N: usize>(arm: &Serial<f64, N>, random: &mut Random, states: usize) {
    let model = Explicit::of(arm).expect("derivable");
    let formulas = (N != 4 && N < 6).then(|| {
        [FormulaOutput::Torque, FormulaOutput::Mass, FormulaOutput::Gravity, FormulaOutput::Coriolis]
            .map(|output| model.formulas(output, 1))
    });
    for _ in 0..states {
        let (q, qd, qdd) = (random.state::<N>(3.0), random.state::<N>(3.0), random.state::<N>(10.0));
        let elements = model.at(&q);
        let pose = arm.at_joints(q).expect("finite");
        let configuration = pose.configuration();
        close("gravity", &elements.gravity, &configuration.gravity);
        let mass = full_matrix(N, &elements.mass);
        close("mass", &mass, configuration.mass_matrix.as_flattened());
        for i in 0..N {
            let pairs = (0..N).flat_map(|j| (j..N).map(move |k| (j, k)));
            let symbols = pairs.map(|(j, k)| match j == k {
                true => configuration.c(i, j),
                false => configuration.b(i, j, k),
            });
            close("velocity", &elements.velocity[i], &symbols.collect::<Vec<f64>>());
        }
        let moving = pose.moving(qd);
        let torque = moving.rigid_torque(qdd);
        close("torque", &elements.torque(&qd, &qdd), &torque);
        if let Some([of_torque, of_mass, of_gravity, of_coriolis]) = &formulas {
            close("factored torque", &of_torque.evaluate(&q, &qd, &qdd), &torque);
            close("factored mass", &full_matrix(N, &of_mass.evaluate(&q, &[], &[])), &mass);
            close("factored gravity", &of_gravity.evaluate(&q, &[], &[]), &configuration.gravity);
            close("factored Coriolis", &of_coriolis.evaluate(&q, &qd, &[]), &moving.coriolis());
        }
    }
}

#[test]
fn random_arms() {
    let mut random = Random(1);
    for convention in [DhConvention::Modified, DhConvention::Standard] {
        for kind in [ArmKind::ANYTHING, ArmKind::SQUARE] {
            for _ in 0..6 {
                is_the_arm(&random.arm::<1>(kind, convention), &mut random, 3);
                is_the_arm(&random.arm::<2>(kind, convention), &mut random, 3);
                is_the_arm(&random.arm::<3>(kind, convention), &mut random, 3);
                is_the_arm(&random.arm::<4>(kind, convention), &mut random, 3);
            }
            is_the_arm(&random.arm::<5>(kind, convention), &mut random, 3);
            is_the_arm(&random.arm::<6>(kind, convention), &mut random, 3);
            is_the_arm(&random.arm::<7>(kind, convention), &mut random, 2);
        }
    }
}

#[test]
fn the_puma() {
    let (arm, _) = puma();
    is_the_arm(&arm, &mut Random(2), 20);
    let model = Explicit::of(&arm).expect("derivable");
    let formulas = model.formulas(FormulaOutput::Torque, ATTEMPTS);
    let mut random = Random(3);
    for _ in 0..20 {
        let (q, qd, qdd) = (random.state(3.0), random.state(3.0), random.state(10.0));
        let torque = arm.at_joints(q).expect("finite").moving(qd).rigid_torque(qdd);
        close("torque", &formulas.evaluate(&q, &qd, &qdd), &torque);
    }
}

/// Ṁ − 2C is skew if and only if ∂a_ij/∂q_k = β^(i,jk) + β^(j,ik) for all i, j, k: an identity of polynomials, decided by
/// their normal form.
#[test]
fn skew_symmetry_is_an_identity() {
    fn check<const N: usize>(arm: &Serial<f64, N>) {
        let p = Polynomials::numeric(arm).expect("derivable");
        for (i, j, k) in (0..N).flat_map(|i| (0..N).flat_map(move |j| (0..N).map(move |k| (i, j, k)))) {
            let rate = p.derivative(i, j, k);
            let rest = p.christoffel(i, j, k).plus(&p.christoffel(j, i, k), 1.0).plus(&rate, -1.0);
            let scale = p.mass(i, j).largest().max(p.mass(i, k).largest()).max(p.mass(j, k).largest());
            assert!(rest.largest() <= 1e-12 * scale, "{i} {j} {k}: {rest:?}");
        }
    }
    let mut random = Random(4);
    check(&random.arm::<3>(ArmKind::ANYTHING, DhConvention::Modified));
    check(&random.arm::<4>(ArmKind::ANYTHING, DhConvention::Standard));
    check(&puma().0);
}

/// An abbreviated model whose velocity terms come from its mass matrix is a mechanical system: q̇·(Ṁ − 2C) q̇ = 0, with Ṁ by
/// differences along q̇ (step 1e-5 s: truncation 1e-10, rounding 1e-11 of M).
#[test]
fn an_abbreviated_model_keeps_its_energy() {
    let (arm, _) = puma();
    let short = Explicit::of(&arm).expect("derivable").abbreviated(Significance::at(0.03)).kept;
    let by_element = Significance { velocities: Velocities::ByElement, ..Significance::at(0.03) };
    let printed_way = Explicit::of(&arm).expect("derivable").abbreviated(by_element).kept;
    let mut random = Random(5);
    let mut worst = [0.0f64; 2];
    for _ in 0..20 {
        let (q, qd) = (random.state::<6>(3.0), random.state::<6>(2.0));
        for (model, worst) in [&short, &printed_way].into_iter().zip(&mut worst) {
            let energy = |t: f64| {
                let q: [f64; 6] = std::array::from_fn(|i| q[i] + t * qd[i]);
                let mass = full_matrix(6, &model.at(&q).mass);
                (0..36).map(|e| 0.5 * mass[e] * qd[e / 6] * qd[e % 6]).sum::<f64>()
            };
            let rate = (energy(1e-5) - energy(-1e-5)) / 2e-5;
            let elements = model.at(&q);
            let power: f64 = elements
                .torque(&qd, &[0.0; 6])
                .iter()
                .zip(&elements.gravity)
                .zip(&qd)
                .map(|((t, g), v)| (t - g) * v)
                .sum();
            *worst = worst.max((power - rate).abs());
        }
    }
    assert!(worst[0] < 1e-8, "{worst:?}");
    // The other way is not: that is what is said about it.
    assert!(worst[1] > 1e-3, "{worst:?}");
}
