//! The swing of `tests/simulate/simulate.rs` by every formulation and integrator: drift and time per simulated second; then a
//! hundred seconds of it by those that are meant for it. The tables of `docs/simulation.md`.
//!
//! `cargo run --release --example formulations [ROBOT]`

use dalembert::delta::{Assembly, Branch};
use dalembert::mechanism::{Mechanism, Poles, add_delta};
use dalembert::simulate::{
    Constrained, DormandPrince, ExplicitDelta, ImplicitMidpoint, Integrator, Minimal, Radau, Rattle, Rk4,
    Stabilization, System, Variables, run,
};
use dalembert::{DeltaRobot, Vec3};
use std::error::Error;
use std::time::Instant;

const SECONDS: f64 = 2.0;
/// A row is repeated until it has taken this long, s.
const MEASURED: f64 = 0.2;

/// Seconds that this thread has been at work: on Linux the processor's, so that a busy machine does not count.
fn work_time(since: Instant) -> f64 {
    let scheduled = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = scheduled.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| since.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

fn row(
    formulation: &str,
    integrator_name: &str,
    system: &mut dyn System,
    integrator: &mut dyn Integrator,
    start: &[f64],
) {
    // Ten reports a second: the drift is measured, the measuring does not cost.
    let times = || (0..=20).map(|i| SECONDS * f64::from(i) / 20.0);
    let run = run(system, integrator, start, times());
    let start_of_all = Instant::now();
    let (mut repeats, begin) = (0.0, work_time(start_of_all));
    while work_time(start_of_all) - begin < MEASURED {
        dalembert::simulate::run(system, integrator, start, times());
        repeats += 1.0;
    }
    let time = (work_time(start_of_all) - begin) / (repeats * SECONDS);
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
    row(formulation, "radau 1e-9", system, &mut Radau::new(n, 1e-9)?, start);
    if system.with_momenta(&mut |_, _| Ok(())).is_ok() {
        let mut rattle = Rattle::new(system, 1e-3)?;
        row(formulation, "rattle, 1 ms", system, &mut rattle, start);
    }
    Ok(())
}

/// A hundred seconds: bound and trend of the energy error, over the range of T.
fn long(name: &str, system: &mut dyn System, integrator: &mut dyn Integrator, start: &[f64]) {
    let run = run(system, integrator, start, (0..=20_000).map(|i| f64::from(i) * 5e-3));
    let error: Vec<f64> =
        run.energies.iter().map(|e| (e.total() - run.energies[0].total()) / run.kinetic_range()).collect();
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let tenth = error.len() / 10;
    let trend = mean(&error[error.len() - tenth..]) - mean(&error[..tenth]);
    let bound = error.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
    let ended = run.ended.as_ref().err().map_or(String::new(), |error| format!(" {error}"));
    println!("| {name} | {bound:.1e} | {:.1e} | {:.1e} m |{ended}", trend.abs(), run.constraint_drift());
}

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| String::from("d3-1200"));
    let robot = DeltaRobot::find(&name)?.delta;
    let torque = robot.at_joints([45_f64.to_radians(); 3], Assembly::Below)?.gravity_torque();
    let q = Vec3::from_fn(|i| 45_f64.to_radians() + [0.1, -0.05, 0.03][i]);
    let pose = robot.at_joints(q.0, Assembly::Below)?;
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
        let mut system = Constrained::new(&mechanism, variables, stabilization, &torque)?;
        let state = system.state(&start.q, &start.v)?;
        rows(formulation, &mut system, &state)?;
    }
    let (mut system, state) = Minimal::new(&mechanism, 0.0, &start.q, &start.v, &torque)?;
    rows("minimal", &mut system, &state)?;

    println!("\n100 s: largest energy error, its mean over the last tenth less that over the first, largest |h|\n");
    println!("| | energy | trend | constraint |\n| --- | --- | --- | --- |");
    let mut system = ExplicitDelta::new(&robot, Branch::Out, Variables::Velocity, torque);
    let state = system.state(pose.position, Vec3::zero())?;
    let mut adaptive = DormandPrince::new(6, DormandPrince::TOLERANCE)?;
    long("explicit, dormand-prince 1e-13", &mut system, &mut adaptive, &state);
    long("explicit, rk4, 1 ms", &mut system, &mut Rk4::new(6, 1e-3)?, &state);
    let mut system = ExplicitDelta::new(&robot, Branch::Out, Variables::Momentum, torque);
    let state = system.state(pose.position, Vec3::zero())?;
    long("explicit, momentum, implicit midpoint, 1 ms", &mut system, &mut ImplicitMidpoint::new(6, 1e-3)?, &state);
    let mut system = Constrained::new(&mechanism, Variables::Momentum, baumgarte, &torque)?;
    let state = system.state(&start.q, &start.v)?;
    let mut rattle = Rattle::new(&mut system, 1e-3)?;
    long("nine angles, rattle, 1 ms", &mut system, &mut rattle, &state);
    Ok(())
}
