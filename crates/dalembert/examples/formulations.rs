//! The swing of `tests/simulate.rs` by every formulation and integrator: drift and time per simulated second.
//!
//! `cargo run --release --example formulations [ROBOT]`

use dalembert::delta::{Assembly, Branch};
use dalembert::mechanism::{Mechanism, Poles, add_delta};
use dalembert::simulate::{
    Constrained, DormandPrince, ExplicitDelta, ImplicitMidpoint, Integrator, Minimal, Rk4, Stabilization, System,
    Variables, run,
};
use dalembert::{Robot, Vec3};
use std::error::Error;
use std::time::Instant;

const SECONDS: f64 = 2.0;

fn row(
    formulation: &str,
    integrator_name: &str,
    system: &mut dyn System,
    integrator: &mut dyn Integrator,
    start: &[f64],
) {
    // Ten reports a second: the drift is measured, the measuring does not cost.
    let times = (0..=20).map(|i| SECONDS * f64::from(i) / 20.0);
    let clock = Instant::now();
    let run = run(system, integrator, start, times);
    let time = clock.elapsed().as_secs_f64() / SECONDS;
    let energy = run.energy_drift() / run.kinetic_range();
    println!(
        "| {formulation:<24} | {integrator_name:<22} | {energy:>9.1e} | {:>10.1e} m | {:>9.3} ms |{}",
        run.constraint_drift(),
        time * 1e3,
        run.ended.err().map_or(String::new(), |error| format!(" {error}"))
    );
}

fn rows(formulation: &str, system: &mut dyn System, start: &[f64]) -> Result<(), Box<dyn Error>> {
    let n = start.len();
    row(formulation, "rk4, 1 ms", system, &mut Rk4::new(n, 1e-3)?, start);
    row(formulation, "implicit midpoint, 1 ms", system, &mut ImplicitMidpoint::new(n, 1e-3)?, start);
    for tolerance in [1e-6, 1e-9, DormandPrince::TOLERANCE] {
        let mut integrator = DormandPrince::new(n, tolerance)?;
        row(formulation, &format!("dormand-prince {tolerance:.0e}"), system, &mut integrator, start);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| String::from("d3-1200"));
    let robot = Robot::find(&name)?.delta;
    let torque = robot.at_joints(Vec3([45_f64.to_radians(); 3]), Assembly::Below)?.gravity_torque();
    let q = Vec3::from_fn(|i| 45_f64.to_radians() + [0.1, -0.05, 0.03][i]);
    let pose = robot.at_joints(q, Assembly::Below)?;
    let mut mechanism = Mechanism::new(robot.gravity());
    let parts = add_delta(&mut mechanism, "delta", &robot)?;
    let start = mechanism.assemble(0.0, &parts.coordinates(&pose), &[0.0; 9])?;

    println!("{name}: drift of T + V − τ·q over the range of T, largest |h|, time per simulated second\n");
    println!("| formulation | integrator | energy | constraint | time |\n| --- | --- | --- | --- | --- |");
    for (formulation, variables) in [("explicit", Variables::Velocity), ("explicit, momentum", Variables::Momentum)] {
        let mut system = ExplicitDelta::new(&robot, Branch::Out, variables, torque);
        let state = system.state(pose.position, Vec3::zero())?;
        rows(formulation, &mut system, &state)?;
    }
    let baumgarte = Stabilization::Baumgarte(Poles::real(-5.0, -5.0)?);
    for (formulation, variables, stabilization) in [
        ("baumgarte", Variables::Velocity, baumgarte),
        ("projected", Variables::Velocity, Stabilization::Projection),
        ("hamiltonian, baumgarte", Variables::Momentum, baumgarte),
        ("hamiltonian, projected", Variables::Momentum, Stabilization::Projection),
    ] {
        let mut system = Constrained::new(&mechanism, variables, stabilization, &torque.0)?;
        let state = system.state(&start.q, &start.v)?;
        rows(formulation, &mut system, &state)?;
    }
    let (mut system, state) = Minimal::new(&mechanism, 0.0, &start.q, &start.v, &torque.0)?;
    rows("minimal", &mut system, &state)
}
