//! State feedback of sampled loops: Riccati's equation, the poles, costs that are in fact those of the loop.

use crate::linearize;
use dalembert::delta::Assembly;
use dalembert::linear::{Complex, LinearError, Matrix, Regulator, StateSpace, lqr, place};
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::robots as built_in;
use dalembert_proptest::{robots, states};
use proptest::prelude::*;
use std::error::Error;

/// Residual of Aᵀ P A − P − Aᵀ P B K + Q with K of the regulator, over the largest term.
fn residual(system: &StateSpace, q: &Matrix, found: &Regulator) -> f64 {
    let (a, b, p) = (&system.a, &system.b, &found.cost);
    let left = a.transpose() * p * a - p - a.transpose() * p * b * &found.gain + q;
    left.amax() / (a.transpose() * p * a).amax()
}

/// The cost is that of the loop: summed over its samples until nothing is left. Short steps give the continuous gain.
#[test]
fn costs_are_those_of_the_loop() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    let pose = robot.at_joints([0.0, 0.1, -0.1], Assembly::Below)?;
    let continuous = linearize::delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints])?.system;
    let system = continuous.discrete(0.005)?;
    let q = Matrix::from_diagonal(&nalgebra::DVector::from_column_slice(&[100.0, 80.0, 60.0, 1.0, 2.0, 3.0]));
    let r = Matrix::identity(3, 3) * 0.02;
    let best = lqr(&system, &q, &r)?;
    assert!(residual(&system, &q, &best) < 1e-12);
    let mut x = Matrix::from_column_slice(6, 1, &[0.1, -0.05, 0.02, 0.3, 0.0, -0.2]);
    let expected = (x.transpose() * &best.cost * &x)[(0, 0)];
    let cost = |gain: &Matrix, mut x: Matrix| {
        let mut sum = 0.0;
        for _ in 0..20_000 {
            let u = -gain * &x;
            sum += (x.transpose() * &q * &x + u.transpose() * &r * &u)[(0, 0)];
            x = &system.a * x + &system.b * u;
        }
        sum
    };
    assert!((cost(&best.gain, x.clone()) / expected - 1.0).abs() < 1e-10);
    // Any other gain costs more.
    for k in 0..18 {
        let mut other = best.gain.clone();
        other[k] *= 1.05;
        assert!(cost(&other, x.clone()) > expected);
    }
    x *= 2.0;
    assert!((cost(&best.gain, x) / expected - 4.0).abs() < 1e-9);
    // The sum times the step is nearly the integral; first order in the step.
    let limit = lqr(&continuous, &q, &r)?;
    let off = |step: f64| -> Result<f64, LinearError> {
        let sampled = lqr(&continuous.discrete(step)?, &(&q * step), &(&r * step))?;
        Ok((&sampled.gain - &limit.gain).norm() / limit.gain.norm())
    };
    let (long, short) = (off(1e-3)?, off(1e-4)?);
    assert!(short < 0.02 && (long / short - 10.0).abs() < 2.0, "{long} {short}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Random robots at random poses, sample times from 0.1 to 10 ms: the equation holds, the loop is stable, the poles
    /// are where they are wanted.
    #[test]
    fn sampled_regulators_of_random_robots(robot in robots(), seed in states(), exponent in -4.0..-2.0_f64) {
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let pose = robot.at_position(state.position, state.branch).unwrap();
        let step = 10f64.powf(exponent);
        let system = linearize::delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints]).unwrap().system;
        // Friction at standstill sticks: its pole is far below one sample.
        let Ok(system) = system.discrete(step) else { return Ok(()) };
        let q = Matrix::from_fn(6, 6, |i, j| if i != j { 0.0 } else if i < 3 { 100.0 } else { 1.0 });
        let best = lqr(&system, &q, &(Matrix::identity(3, 3) * 0.01)).unwrap();
        prop_assert!(best.poles.iter().all(|z| z.norm() < 1.0));
        prop_assert!(residual(&system, &q, &best) < 1e-10, "{}", residual(&system, &q, &best));
        let s = [(-20.0, 0.0), (-25.0, 0.0), (-30.0, 10.0), (-30.0, -10.0), (-40.0, 15.0), (-40.0, -15.0)];
        let wanted = s.map(|(re, im)| (Complex::new(re, im) * step).exp());
        let stuck = system.poles().unwrap().iter().any(|z| z.norm() < 0.5);
        let Ok(placed) = place(&system, &wanted) else { prop_assert!(stuck); return Ok(()) };
        for z in wanted {
            let nearest = placed.poles.iter().map(|found| (found - z).norm()).fold(f64::INFINITY, f64::min);
            // As fractions of the distance from 1, which is what decides how fast they are.
            prop_assert!(nearest < 1e-6 * (z - 1.0).norm().max(1e-3), "{z}: {nearest}");
        }
    }
}

#[test]
fn wanted_poles_of_samples_are_checked() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    let pose = robot.at_joints([0.0; 3], Assembly::Below)?;
    let system = linearize::delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints])?.system.discrete(1e-3)?;
    let triple = [0.99, 0.99, 0.99, 0.995, 0.995, 0.995].map(|z| Complex::new(z, 0.0));
    let placed = place(&system, &triple)?;
    assert!(placed.poles.iter().all(|z| (z.re - 0.99).abs().min((z.re - 0.995).abs()) < 1e-8));
    assert!(matches!(place(&system, &[Complex::new(0.99, 0.0); 6]), Err(LinearError::WantedPoles { .. })));
    Ok(())
}
