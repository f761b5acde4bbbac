//! The stiff and the symplectic integrator.

use crate::common::linkages;
use crate::common::swinging;
use dalembert::delta::Branch;
use dalembert::mechanism::{FreeBody, Mechanism, Poles};
use dalembert::simulate::{
    Constrained, DormandPrince, Energies, ExplicitDelta, Integrator, Radau, Rattle, Residual, SimulationError,
    Stabilization, System, Variables, run,
};
use dalembert::{Vec3, robots};
use std::error::Error;

use crate::common::swinging::Swing;

/// The swing of `tests/simulate/simulate.rs`.
fn swing() -> Result<Swing, Box<dyn Error>> {
    swinging::swing(&robots::d3_1200()?)
}

/// Where the platform is after `end` seconds, to rounding.
fn reference(swing: &Swing, end: f64) -> Result<Vec3<f64>, Box<dyn Error>> {
    let (mut system, mut state) = swing.explicit(Variables::Velocity)?;
    DormandPrince::new(6, 1e-13)?.advance(&mut system, 0.0, end, &mut state)?;
    Ok(Vec3([state[0], state[1], state[2]]))
}

fn off(swing: &Swing, q: &[f64], reference: Vec3<f64>) -> Result<f64, Box<dyn Error>> {
    Ok((swing.platform(q)? - reference).norm_squared().sqrt())
}

/// Steps and errors at two tolerances tell the order.
#[test]
fn the_stiff_method_has_its_order() -> Result<(), Box<dyn Error>> {
    let swing = swing()?;
    let reference = reference(&swing, 4.0)?;
    let (mut steps, mut errors) = (Vec::new(), Vec::new());
    for tolerance in [1e-6, 1e-8] {
        let (mut system, mut state) = swing.explicit(Variables::Velocity)?;
        let mut radau = Radau::new(6, tolerance)?;
        radau.advance(&mut system, 0.0, 4.0, &mut state)?;
        let error = (Vec3([state[0], state[1], state[2]]) - reference).norm_squared().sqrt();
        println!("tolerance {tolerance:.0e}: {} steps, off by {error:.1e} m", radau.pace.taken);
        steps.push(radau.pace.taken as f64);
        errors.push(error);
        assert!(error < 100.0 * tolerance);
    }
    let order = (errors[0] / errors[1]).ln() / (steps[1] / steps[0]).ln();
    println!("observed order {order:.2}");
    assert!((order - 5.0).abs() < 0.5, "{order}");
    Ok(())
}

/// A mass on a damped spring as stiff as a contact, pressed down by a force that swings: m ẍ + d ẋ + k x = F cos ωt.
struct Spring {
    stiffness: f64,
    damping: f64,
}

const OMEGA: f64 = 3.0;

impl System for Spring {
    fn size(&self) -> usize {
        2
    }
    fn rate(&mut self, time: f64, x: &[f64], rate: &mut [f64]) -> Result<(), SimulationError> {
        rate[0] = x[1];
        rate[1] = 10.0 * (OMEGA * time).cos() - self.damping * x[1] - self.stiffness * x[0];
        Ok(())
    }
    fn energies(&mut self, _: f64, _: &[f64]) -> Result<Energies, SimulationError> {
        Ok(Energies::default())
    }
    fn residual(&mut self, _: f64, _: &[f64]) -> Result<Residual, SimulationError> {
        Ok(Residual::default())
    }
}

#[test]
fn a_stiff_spring_costs_no_small_steps() -> Result<(), Box<dyn Error>> {
    // Rates of decay: some 1e3 and 1e6 per second.
    let mut spring = Spring { stiffness: 1e9, damping: 1e6 };
    let mut radau = Radau::new(2, 1e-8)?;
    let mut state = [0.0, 0.0];
    radau.advance(&mut spring, 0.0, 2.0, &mut state)?;
    // Forced motion: x = Re(10 e^(iωt)/(k − ω² + iωd)).
    let (real, imaginary) = (1e9 - OMEGA * OMEGA, OMEGA * 1e6);
    let (sin, cos) = (OMEGA * 2.0).sin_cos();
    let expected = 10.0 * (real * cos + imaginary * sin) / (real * real + imaginary * imaginary);
    println!(
        "{} steps, {} rejected, off by {:.1e} of {:.1e} m",
        radau.pace.taken,
        radau.pace.rejected,
        state[0] - expected,
        expected
    );
    assert!((state[0] - expected).abs() < 1e-10);
    // An explicit method needs 2 s·1e6/s/3.3 = 600,000.
    assert!(radau.pace.taken + radau.pace.rejected < 200, "{}", radau.pace.taken);
    Ok(())
}

/// Baumgarte's poles far to the left make the equations stiff: the steps hardly notice.
#[test]
fn fast_poles_cost_no_small_steps() -> Result<(), Box<dyn Error>> {
    let swing = swing()?;
    let reference = reference(&swing, 0.5)?;
    let mut steps = Vec::new();
    for pole in [-5.0, -1e4] {
        let baumgarte = Stabilization::Baumgarte(Poles::real(pole, 1.2 * pole)?);
        let mut system = Constrained::new(&swing.mechanism, Variables::Velocity, baumgarte, &swing.torque)?;
        let start = system.state(&swing.q, &[0.0; 9])?;
        let mut radau = Radau::new(18, 1e-8)?;
        let run = run(&mut system, &mut radau, &start, [0.0, 0.5]);
        run.ended.clone()?;
        let off = off(&swing, &run.states[1], reference)?;
        println!(
            "poles {pole}: {} steps, off by {off:.1e} m, constraint {:.1e} m",
            radau.pace.taken,
            run.constraint_drift()
        );
        assert!(off < 1e-9, "{off}");
        assert!(run.constraint_drift() < 1e-10);
        steps.push(radau.pace.taken);
    }
    // Dormand and Prince's method takes some 4,000.
    assert!(steps[1] < 3 * steps[0], "{steps:?}");
    Ok(())
}

#[test]
fn rattle_keeps_constraints_and_has_second_order() -> Result<(), Box<dyn Error>> {
    let swing = swing()?;
    let reference = reference(&swing, 0.5)?;
    let mut errors = Vec::new();
    for step in [5e-3, 2.5e-3] {
        let none = Stabilization::Baumgarte(Poles::NONE);
        let mut system = Constrained::new(&swing.mechanism, Variables::Momentum, none, &swing.torque)?;
        let start = system.state(&swing.q, &[0.0; 9])?;
        let mut rattle = Rattle::new(&mut system, step)?;
        let run = run(&mut system, &mut rattle, &start, (0..=10).map(|i| 0.05 * f64::from(i)));
        run.ended.clone()?;
        errors.push(off(&swing, &run.states[10], reference)?);
        let velocity = run.residuals.iter().fold(0.0_f64, |m, r| m.max(r.velocity));
        println!(
            "step {step}: off by {:.1e} m, h {:.1e} m, ḣ {velocity:.1e} m/s",
            errors[errors.len() - 1],
            run.constraint_drift()
        );
        assert!(run.constraint_drift() < 1e-14 && velocity < 1e-13);
    }
    let order = (errors[0] / errors[1]).log2();
    println!("observed order {order:.2}");
    assert!((order - 2.0).abs() < 0.1, "{order}");
    Ok(())
}

/// The energy error of twenty seconds swings but has no trend, unlike that of a method of the same order and step that
/// is not symplectic. (A hundred seconds: `examples/formulations.rs`.)
#[test]
fn rattle_has_no_trend_in_the_energy() -> Result<(), Box<dyn Error>> {
    let swing = swing()?;
    let none = Stabilization::Baumgarte(Poles::NONE);
    let mut system = Constrained::new(&swing.mechanism, Variables::Momentum, none, &swing.torque)?;
    let start = system.state(&swing.q, &[0.0; 9])?;
    let mut rattle = Rattle::new(&mut system, 2e-3)?;
    let run = run(&mut system, &mut rattle, &start, (0..=4000).map(|i| 0.005 * f64::from(i)));
    run.ended.clone()?;
    let error: Vec<f64> =
        run.energies.iter().map(|e| (e.total() - run.energies[0].total()) / run.kinetic_range()).collect();
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let bound = error.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
    let trend = (mean(&error[3000..]) - mean(&error[..1000])).abs();
    println!("within {bound:.1e}, trend {trend:.1e} of the range of T; constraint {:.1e} m", run.constraint_drift());
    assert!(bound < 1e-3, "{bound}");
    assert!(trend < 0.05 * bound, "{trend} of {bound}");
    assert!(run.constraint_drift() < 1e-14);
    Ok(())
}

#[test]
fn what_rattle_cannot_do_is_refused() -> Result<(), Box<dyn Error>> {
    let swing = swing()?;
    let mut velocities =
        Constrained::new(&swing.mechanism, Variables::Velocity, Stabilization::Projection, &swing.torque)?;
    assert!(matches!(Rattle::new(&mut velocities, 1e-3), Err(SimulationError::NotHamiltonian)));
    let (mut explicit, _) = swing.explicit(Variables::Velocity)?;
    assert!(matches!(Rattle::new(&mut explicit, 1e-3), Err(SimulationError::NotHamiltonian)));
    let mut free = Mechanism::new(linkages::GRAVITY);
    free.add("body", FreeBody { mass: 1.0, inertia: [1.0; 3] });
    let mut body = Constrained::new(&free, Variables::Momentum, Stabilization::Projection, &[])?;
    assert!(matches!(Rattle::new(&mut body, 1e-3), Err(SimulationError::NotHamiltonian)));
    assert!(matches!(Radau::new(6, 0.0), Err(SimulationError::BadStep { .. })));
    // A fall into a singularity ends with its name.
    let mut falling = ExplicitDelta::new(&swing.robot, Branch::Out, Variables::Velocity, [0.0; 3]);
    let start = falling.state(swing.position, Vec3::zero())?;
    let run = run(&mut falling, &mut Radau::new(6, 1e-8)?, &start, [0.0, 0.1, 1.0]);
    println!("{:?}", run.ended);
    assert!(matches!(run.ended, Err(SimulationError::StateError { .. })) && run.times.len() == 2);
    Ok(())
}
