//! The explicit model is the arm: for random arms with one to seven joints, revolute and prismatic, both conventions, any
//! twists, and for the PUMA 560, each element equals what the recursive formulas of the core give.
//!
//! Tolerance: 1e-11 of the largest element of the same quantity. A dense entry of a seven-joint arm is a sum of thousands
//! of terms, and each has a rounding error of 1e-16 of the largest.

mod common;

use common::{Kind, Random, puma};
use dalembert::serial::{DhConvention, Serial};
use dalembert_symbolic::explicit::{Explicit, Polynomials};

fn close(what: &str, ours: &[f64], theirs: &[f64]) {
    let scale = theirs.iter().fold(1e-3f64, |most, x| most.max(x.abs()));
    for (a, b) in ours.iter().zip(theirs) {
        assert!((a - b).abs() <= 1e-11 * scale, "{what}: {a} for {b}, scale {scale}");
    }
}

fn is_the_arm<const N: usize>(arm: &Serial<f64, N>, random: &mut Random, states: usize) {
    let model = Explicit::of(arm).expect("derivable");
    for _ in 0..states {
        let (q, qd, qdd) = (random.state::<N>(3.0), random.state::<N>(3.0), random.state::<N>(10.0));
        let elements = model.at(&q);
        let configuration = arm.at_joints(q).expect("finite").configuration();
        close("gravity", &elements.gravity, &configuration.gravity);
        let upper = |i: usize| (i..N).map(move |j| (i, j));
        let mass: Vec<f64> = (0..N).flat_map(upper).map(|(i, j)| configuration.mass_matrix[i][j]).collect();
        close("mass", &elements.mass, &mass);
        for i in 0..N {
            let symbols = (0..N)
                .flat_map(upper)
                .map(|(j, k)| if j == k { configuration.c(i, j) } else { configuration.b(i, j, k) });
            close("velocity", &elements.velocity[i], &symbols.collect::<Vec<f64>>());
        }
        let torque = arm.at_joints(q).expect("finite").moving(qd).rigid_torque(qdd);
        close("torque", &elements.torque(&qd, &qdd), &torque);
    }
}

#[test]
fn random_arms() {
    let mut random = Random(1);
    for convention in [DhConvention::Modified, DhConvention::Standard] {
        for kind in [Kind::Anything, Kind::Square] {
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
    for i in 0..6 {
        for j in i..6 {
            let text: Vec<String> = model
                .mass(i, j)
                .terms
                .iter()
                .map(|t| {
                    format!(
                        "{:.3e} {}",
                        t.coefficient,
                        t.words
                            .as_slice()
                            .iter()
                            .map(|&w| model.vocabulary.words()[w as usize].to_string())
                            .collect::<Vec<_>>()
                            .join(" ")
                    )
                })
                .collect();
            println!("a{}{} = {}", i + 1, j + 1, text.join(" + "));
        }
    }
    println!("{} terms", model.terms());
    let _ = Polynomials::symbolic(&arm).expect("derivable");
}
