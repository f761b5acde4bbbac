//! Linear models of fully actuated arms at right angles.
//!
//! Many entries of A are zero there in exact numbers and 1e-60 to 1e-13 in doubles. They must not choose the units that
//! equations are solved in: with units 1e8 apart a three-joint arm with three motors came out as not controllable, and a
//! regulator with gains 1e5 times the best ones. A fully actuated arm is controllable at every pose, whatever its masses.

use crate::linearize;
use dalembert::linear::{Complex, LinearError, Matrix, StateSpace, lqr, place};
use dalembert::robot::families::{SerialLinks, Surroundings};
use dalembert::robot::linear_model::Output;
use dalembert::robot::{JointState, JointVector, Pick};
use dalembert::serial::{Body, DhConvention, DhRow, Joint, LinkParameters};
use dalembert::spatial::{Frame, Wrench};
use dalembert::{Angle, Sym3, Vec3, robots as built_in};
use proptest::prelude::*;
use std::error::Error;
use std::f64::consts::{FRAC_PI_2, PI};

const G: f64 = 9.81;

fn link() -> impl Strategy<Value = LinkParameters<f64>> {
    let place = || prop::sample::select(vec![0.0, 0.1, -0.2]);
    (
        prop::sample::select(vec![0.0, FRAC_PI_2, -FRAC_PI_2, PI]),
        prop::sample::select(vec![0.0, 0.3, 0.4]),
        prop::sample::select(vec![0.0, 0.1, 0.15]),
        0.5..8.0_f64,
        [place(), place(), place()],
        prop::sample::select(vec![0.005, 0.05, 0.2, 1.0]),
    )
        .prop_map(|(alpha, a, d, mass, center, motor_inertia)| LinkParameters {
            coupling: None,
            joint: Joint::Revolute,
            dh: DhRow { alpha: Angle::from_radians(alpha), a, d, theta_offset: Angle::from_radians(0.0) },
            body: Body { mass, center_of_mass: Vec3(center), inertia: Sym3::new([0.02, 0.03, 0.025, 0.0, 0.0, 0.0]) },
            motor_inertia,
            gear_ratio: 1.0,
            friction: None,
            armature: None,
            spring: None,
        })
}

fn links_and_angles() -> impl Strategy<Value = (Vec<LinkParameters<f64>>, Vec<f64>)> {
    let angle = || prop::sample::select(vec![0.0, FRAC_PI_2, -FRAC_PI_2, PI / 6.0, PI]);
    (2..=7_usize)
        .prop_flat_map(move |joints| (prop::collection::vec(link(), joints), prop::collection::vec(angle(), joints)))
}

fn arm(links: &[LinkParameters<f64>], gravity: f64) -> SerialLinks {
    let rest = Surroundings {
        base: None,
        links: [],
        convention: DhConvention::Modified,
        gravity: Vec3::new(0.0, 0.0, -gravity),
        tool: Frame::identity(),
        payload: Body::zero(),
    };
    SerialLinks::try_new(links, rest).expect("an arm")
}

fn at_rest(arm: &SerialLinks, q: &[f64]) -> StateSpace {
    let robot = linearize::described(arm);
    let state = robot.at_joints(&JointState::at_rest(JointVector::new(q)), &Pick::default()).expect("lengths");
    let torque = robot.build_model("exact").expect("it always applies").torque(&state, Wrench::zero());
    linearize::arm(arm, q, &state.joints.qd, &torque, &[Output::Joints]).expect("regular").system
}

fn weights(joints: usize) -> (Matrix, Matrix) {
    let q = Matrix::from_fn(2 * joints, 2 * joints, |i, j| match (i == j, i < joints) {
        (false, _) => 0.0,
        (true, true) => 100.0,
        (true, false) => 1.0,
    });
    (q, Matrix::identity(joints, joints) * 0.01)
}

/// The mass matrix, from B = [0; M⁻¹].
fn mass(system: &StateSpace) -> Matrix {
    let joints = system.inputs.len();
    system.b.rows(joints, joints).into_owned().try_inverse().expect("regular")
}

/// The sides of Riccati's equation, as in a textbook and in SI: their difference over the size of the terms.
fn residual(system: &StateSpace, p: &Matrix) -> f64 {
    let (q, r) = weights(system.inputs.len());
    let (a, b) = (&system.a, &system.b);
    let (at, bt) = (a.transpose(), b.transpose());
    let (terms, cost) = match system.step {
        None => (&at * p + p * a, p * b * r.try_inverse().expect("regular") * bt * p),
        Some(_) => {
            let inner = (r + &bt * p * b).try_inverse().expect("regular");
            (&at * p * a - p, &at * p * b * inner * bt * p * a)
        }
    };
    let size = match system.step {
        None => 2.0 * (&at * p).norm() + cost.norm() + q.norm(),
        Some(_) => 2.0 * p.norm() + cost.norm() + q.norm(),
    };
    (terms - cost + q).norm() / size
}

/// Everything is reached and seen, the regulator is the best one, poles go where they are wanted with gains as large as
/// the masses ask for.
fn is_sound(system: &StateSpace) -> Result<(), LinearError> {
    let joints = system.inputs.len();
    let modes = system.modes()?;
    assert!(modes.iter().all(|mode| mode.reached && mode.seen), "{modes:?}");
    assert_eq!(system.kalman()?.dimensions, [2 * joints, 0, 0, 0]);
    let (q, r) = weights(joints);
    let inertia = mass(system);
    let wanted: Vec<f64> = (0..2 * joints).map(|k| -5.0 - 0.3 * k as f64).collect();
    for model in [system.clone(), system.discrete(1e-3)?] {
        let best = lqr(&model, &q, &r)?;
        // The equation is solved to 1e-14 in the units of the solver; those here are 100 and more apart.
        assert!(residual(&model, &best.cost) < 1e-12, "{:?}: {}", model.step, residual(&model, &best.cost));
        let inside = |s: &Complex<f64>| if model.step.is_some() { s.norm() < 1.0 } else { s.re < 0.0 };
        assert!(best.poles.iter().all(inside));
        let place_of = |s: f64| Complex::new(model.step.map_or(s, |step| (s * step).exp()), 0.0);
        let placed = place(&model, &wanted.iter().map(|&s| place_of(s)).collect::<Vec<_>>())?;
        for &s in &wanted {
            let near = placed.poles.iter().map(|pole| (pole - place_of(s)).norm()).fold(f64::INFINITY, f64::min);
            assert!(near < 1e-6 * model.step.unwrap_or(1.0), "{s}: {near}");
        }
        // Joint by joint K = [M s₁s₂ − M A₂₁, −M (s₁ + s₂)] does it; the one with the best eigenvectors may be larger, and
        // nothing bounds by how much. Of thousands of arms one was 7 times as large; those of wrong units were 1e13 times.
        let fastest = wanted[2 * joints - 1].abs();
        let stiffness = &inertia * system.a.view((joints, 0), (joints, joints));
        let enough = inertia.norm() * fastest * fastest + stiffness.norm();
        assert!(placed.gain.norm() < 100.0 * enough, "{} {}", placed.gain.norm(), enough);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn arms_at_right_angles((links, q) in links_and_angles()) {
        let system = at_rest(&arm(&links, G), &q);
        if let Err(error) = is_sound(&system) {
            prop_assert!(false, "{} at {:?}", error, q);
        }
    }

    /// Without gravity M q̈ = τ, and the best gain for p q² + v q̇² + r τ² is known: all matrices commute with M, and
    /// K = [√(p/r), √(v/r + 2 √(p/r) M)]. A little gravity changes it by as little.
    #[test]
    fn without_gravity_the_regulator_is_known((links, q) in links_and_angles(), gravity in prop::sample::select(vec![0.0, 1e-12, 1e-9])) {
        let system = at_rest(&arm(&links, gravity), &q);
        let joints = q.len();
        let (weight, price) = weights(joints);
        let best = lqr(&system, &weight, &price).unwrap();
        let inertia = mass(&system);
        let inertia = (&inertia + inertia.transpose()) * 0.5;
        let eigen = inertia.symmetric_eigen();
        let roots = eigen.eigenvalues.map(|m| (1.0 / 0.01 + 2.0 * 100.0 * m).sqrt());
        let rates = &eigen.eigenvectors * Matrix::from_diagonal(&roots) * eigen.eigenvectors.transpose();
        let mut expected = Matrix::zeros(joints, 2 * joints);
        expected.columns_mut(0, joints).copy_from(&(Matrix::identity(joints, joints) * 100.0));
        expected.columns_mut(joints, joints).copy_from(&rates);
        let off = (&best.gain - &expected).amax() / expected.amax();
        // Torques of gravity are below 1e2 · gravity against gains of 1e2.
        prop_assert!(off < 1e-11 + 10.0 * gravity, "{}", off);
    }
}

#[test]
fn the_puma_at_its_right_angles() -> Result<(), Box<dyn Error>> {
    let puma = built_in::puma560()?.arm;
    let right = [0.0, FRAC_PI_2, -FRAC_PI_2, PI, PI / 4.0];
    for k in 0..12_usize {
        let q: [f64; 6] = std::array::from_fn(|i| right[(k * (i + 2) + i * i * (k % 3)) % 5]);
        let system = at_rest(&puma, &q);
        is_sound(&system).map_err(|error| format!("{q:?}: {error}"))?;
        // Gravity does not turn joint 1: two poles at zero, exactly.
        let poles = system.poles()?;
        assert!(poles.iter().filter(|s| s.norm() == 0.0).count() >= 2, "{q:?}: {poles:?}");
    }
    let system = at_rest(&puma, &[0.0; 6]);
    let wanted: Vec<_> = (0..12).map(|k| -if k < 6 { 1.0 } else { 1.4 } - 0.1 * f64::from(k)).collect();
    let placed = place(&system, &wanted.iter().map(|&s| Complex::new(s, 0.0)).collect::<Vec<_>>())?;
    assert!(placed.gain.amax() < 100.0, "{}", placed.gain.amax());
    Ok(())
}
