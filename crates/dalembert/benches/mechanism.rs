//! Speed of composed mechanisms: one evaluation of the equations, and ten milliseconds of simulation by each formulation.
//!
//! Baseline: `explicit`, the Delta in platform coordinates through the exact model, in the same run.
//!
//! `cargo bench -p dalembert --bench mechanism`

use criterion::{Criterion, criterion_group, criterion_main};
use dalembert::delta::{Assembly, Branch};
use dalembert::mechanism::{Mechanism, MechanismDynamics, Poles, add_delta};
use dalembert::simulate::{Constrained, ExplicitDelta, Integrator, Minimal, Rk4, Stabilization, System, Variables};
use dalembert::{Vec3, robots};
use std::hint::black_box;

fn mechanisms(c: &mut Criterion) {
    let robot = robots::d3_1200().expect("built in").delta;
    let level = 45_f64.to_radians();
    let torque = robot.at_joints([level; 3], Assembly::Below).expect("reachable").gravity_torque();
    let pose = robot.at_joints([level + 0.1, level - 0.05, level + 0.03], Assembly::Below).expect("reachable");
    let mut mechanism = Mechanism::new(robot.gravity());
    let parts = add_delta(&mut mechanism, "delta", &robot).expect("a Delta");
    let start = mechanism.assemble(0.0, &parts.coordinates(&pose), &[0.0; 9]).expect("closed");
    let baumgarte = Stabilization::Baumgarte(Poles::real(-5.0, -5.0).expect("negative"));

    let mut group = c.benchmark_group("one evaluation");
    let explicit = ExplicitDelta::new(&robot, Branch::Out, Variables::Velocity, torque);
    let at = explicit.state(pose.position, Vec3::new(0.3, -0.2, 0.1)).expect("reachable");
    group.bench_function("explicit", |b| {
        let (mut system, mut rate) = (explicit, [0.0; 6]);
        b.iter(|| system.rate(0.0, black_box(&at), &mut rate));
    });
    group.bench_function("nine coordinates", |b| {
        let mut dynamics = MechanismDynamics::new(&mechanism);
        b.iter(|| dynamics.solve(0.0, black_box(&start.q), &[0.1; 9], &torque, Poles::NONE, false));
    });
    group.finish();

    let mut group = c.benchmark_group("ten milliseconds, rk4, 1 ms");
    let mut bench = |name: &str, system: &mut dyn System, state: &[f64]| {
        let mut rk4 = Rk4::new(state.len(), 1e-3).expect("a step");
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut state = state.to_vec();
                rk4.advance(system, 0.0, 0.01, &mut state).expect("it swings");
                state
            });
        });
    };
    let state = explicit.state(pose.position, Vec3::zero()).expect("reachable");
    bench("explicit", &mut explicit.clone(), &state);
    for (name, variables, stabilization) in [
        ("baumgarte", Variables::Velocity, baumgarte),
        ("projected", Variables::Velocity, Stabilization::Projection),
        ("hamiltonian, projected", Variables::Momentum, Stabilization::Projection),
    ] {
        let mut system = Constrained::new(&mechanism, variables, stabilization, &torque).expect("three motors");
        let state = system.state(&start.q, &start.v).expect("nine coordinates");
        bench(name, &mut system, &state);
    }
    let (mut system, state) = Minimal::new(&mechanism, 0.0, &start.q, &start.v, &torque).expect("regular");
    bench("minimal", &mut system, &state);
    group.finish();
}

criterion_group!(benches, mechanisms);
criterion_main!(benches);
