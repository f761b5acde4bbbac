//! Evaluation does not allocate: counted by the allocator itself.
#![allow(unsafe_code)] // a global allocator is unsafe by nature

use dalembert::delta::{Assembly, Branch, ModelName};
use dalembert::robot::{JointState, JointVector, Pick, Robot};
use dalembert::spatial::Wrench;
use dalembert::{Vec3, robots};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counting the calls of each thread.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.with(|calls| calls.set(calls.get() + 1));
        // SAFETY: as required of the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as required of the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(f: impl FnOnce()) -> usize {
    let before = CALLS.with(Cell::get);
    f();
    CALLS.with(Cell::get) - before
}

#[test]
fn evaluation_does_not_allocate() {
    let robot = robots::d3_1200().expect("built in").delta;
    let exact = Robot::find("d3-1200").expect("built in").build_model("exact").expect("it always applies");
    let column = vec![0.1; 100];
    let depth = vec![-0.85; 100];
    let mut out: [Vec<f64>; 3] = std::array::from_fn(|_| vec![0.0; 100]);
    let golden = |name| format!("{}/../../golden/robots/serial-{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let golden = ["a", "b", "c", "d", "e", "f", "g", "h"].map(golden);
    let arms: Vec<_> = std::iter::once("puma560")
        .chain(golden.iter().map(String::as_str))
        .map(|name| {
            let arm = Robot::find(name).expect("an arm");
            let (exact, joints) = (arm.build_model("exact").expect("it always applies"), arm.joints().len());
            (arm, exact, JointVector::from_fn(joints, |_| 0.3))
        })
        .collect();
    let counted = allocations(|| {
        for (arm, exact, joints) in &arms {
            let state = JointState { q: joints.clone(), qd: joints.clone(), qdd: joints.clone() };
            let state = arm.at_joints(&state, &Pick::default()).expect("any joints");
            let torques = exact.torque(&state, Wrench::zero());
            assert!(exact.accelerated(&state, &torques, Wrench::zero()).is_ok());
            std::hint::black_box((exact.mass_matrix(&state), exact.gravity_torque(&state)));
        }
        let pose = robot.at_position(Vec3([0.1, 0.1, -0.85]), Branch::Out).expect("in reach");
        let moving = pose.moving(Vec3([1.0, 0.0, 0.0]));
        let torque = moving.torque(Vec3([0.0, 10.0, 0.0]));
        std::hint::black_box(moving.acceleration(torque));
        std::hint::black_box(robot.at_joints(pose.joints(), Assembly::Below).is_ok());
        std::hint::black_box(robot.at_position(Vec3([9.0, 0.0, 0.0]), Branch::Out).is_err());
        for name in ModelName::ALL {
            let model = name.build(robot.parameters());
            std::hint::black_box(model.as_model().acceleration(&moving, torque, Vec3::zero()));
        }
        let columns = [column.as_slice(), column.as_slice(), depth.as_slice()];
        assert!(exact.torques([&columns; 3], &mut out.each_mut().map(Vec::as_mut_slice)).is_ok());
    });
    assert_eq!(counted, 0);
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1, "the counter counts");
    assert!(out[0][99].is_finite());
}

/// Steps of every formulation after their start; a million each of the explicit Delta, of the Delta with nine coordinates
/// and Baumgarte's method, and of a spherical pendulum.
#[test]
fn steps_do_not_allocate() -> Result<(), Box<dyn std::error::Error>> {
    use dalembert::mechanism::{BodyPoint, Distance, Mechanism, PointMass, Poles, add_delta};
    use dalembert::simulate::{
        Constrained, DormandPrince, ExplicitDelta, ImplicitMidpoint, Integrator, Minimal, Radau, Rattle, Rk4,
        Stabilization, System, Variables,
    };
    const MILLION: f64 = 1e6;
    fn run(
        system: &mut dyn System,
        integrator: &mut dyn Integrator,
        end: f64,
        start: &[f64],
    ) -> Result<(), Box<dyn std::error::Error>> {
        let mut state = start.to_vec();
        let mut ended = Ok(());
        assert_eq!(allocations(|| ended = integrator.advance(system, 0.0, end, &mut state)), 0);
        ended?;
        Ok(())
    }
    let robot = robots::d3_1200()?.delta;
    let pose = robot.at_joints([0.75; 3], Assembly::Below)?;
    let torque = pose.gravity_torque();
    let mut explicit = ExplicitDelta::new(&robot, Branch::Out, Variables::Velocity, torque);
    let state = explicit.state(pose.position, Vec3([0.1, 0.05, 0.0]))?;
    run(&mut explicit, &mut Rk4::new(6, 1e-4)?, 1e-4 * MILLION, &state)?;

    let mut mechanism = Mechanism::new(robot.gravity());
    let parts = add_delta(&mut mechanism, "delta", &robot)?;
    let start = mechanism.assemble(0.0, &parts.coordinates(&pose), &[0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])?;
    let baumgarte = Stabilization::Baumgarte(Poles::real(-4.0, -6.0)?);
    let mut system = Constrained::new(&mechanism, Variables::Velocity, baumgarte, &torque)?;
    let state = system.state(&start.q, &start.v)?;
    run(&mut system, &mut Rk4::new(18, 1e-5)?, 1e-5 * MILLION, &state)?;

    let mut pendulum = Mechanism::new(robot.gravity());
    let mass = pendulum.add("mass", PointMass { mass: 1.0 });
    pendulum.constrain("rod", Distance { a: mass.origin(), b: BodyPoint::Fixed([0.0; 3]), length: 1.0 })?;
    let at = pendulum.assemble(0.0, &[0.6, 0.0, -0.8], &[0.0, 1.0, 0.0])?;
    let mut system = Constrained::new(&pendulum, Variables::Velocity, baumgarte, &[])?;
    let state = system.state(&at.q, &at.v)?;
    run(&mut system, &mut Rk4::new(6, 1e-4)?, 1e-4 * MILLION, &state)?;

    for (variables, stabilization) in [
        (Variables::Velocity, baumgarte),
        (Variables::Velocity, Stabilization::Projection),
        (Variables::Momentum, baumgarte),
        (Variables::Momentum, Stabilization::Projection),
    ] {
        let mut system = Constrained::new(&mechanism, variables, stabilization, &torque)?;
        let state = system.state(&start.q, &start.v)?;
        check(&mut system, &state)?;
        if variables == Variables::Momentum {
            let mut rattle = Rattle::new(&mut system, 1e-3)?;
            run(&mut system, &mut rattle, 0.2, &state)?;
        }
    }
    let (mut minimal, state) = Minimal::new(&mechanism, 0.0, &start.q, &start.v, &torque)?;
    check(&mut minimal, &state)?;

    fn check(system: &mut dyn System, start: &[f64]) -> Result<(), Box<dyn std::error::Error>> {
        let n = start.len();
        // The first Jacobian makes room for itself.
        system.jacobian(0.0, start, &mut vec![0.0; n * n])?;
        let integrators: [Box<dyn Integrator>; 4] = [
            Box::new(Rk4::new(n, 1e-3)?),
            Box::new(ImplicitMidpoint::new(n, 1e-3)?),
            Box::new(DormandPrince::new(n, 1e-10)?),
            Box::new(Radau::new(n, 1e-8)?),
        ];
        for mut integrator in integrators {
            run(system, integrator.as_mut(), 0.2, start)?;
        }
        Ok(())
    }
    Ok(())
}

/// Bricks at rest on each other, after their start: contact forces, guards and steps.
#[test]
fn steps_with_contacts_do_not_allocate() -> Result<(), Box<dyn std::error::Error>> {
    use dalembert::mechanism::{FreeBody, Mechanism};
    use dalembert::simulate::{
        Constrained, ContactLaw, Contacts, DormandPrince, Integrator, Rk4, Simulation, Stabilization, Surface,
        SurfaceShape, System, Variables, WithContacts,
    };
    let size = [0.032, 0.016, 0.0096];
    let mut mechanism = Mechanism::new(Vec3([0.0, 0.0, -9.81]));
    let bodies = ["lower", "upper"].map(|name| mechanism.add(name, FreeBody::brick(size, 0.0025)));
    let bricks = bodies.map(|body| Surface::of(body, SurfaceShape::brick(size)));
    let mut contacts = Contacts::new(&mechanism);
    contacts.add("floor", bricks[0], Surface::fixed(SurfaceShape::floor(0.0)), ContactLaw::default())?;
    contacts.add("bricks", bricks[1], bricks[0], ContactLaw::default())?;
    let inner = Constrained::new(&mechanism, Variables::Velocity, Stabilization::Projection, &[])?;
    let mut system = WithContacts::new(inner, contacts)?;
    let place = |x: f64, z: f64| [x, 0.0, z, 1.0, 0.0, 0.0, 0.0];
    let start = system.start(0.0, &[&place(0.0, 0.0048)[..], &place(0.004, 0.0144), &[0.0; 12]].concat())?;
    let integrators: [Box<dyn Integrator>; 2] =
        [Box::new(Rk4::new(system.size(), 5e-5)?), Box::new(DormandPrince::new(system.size(), 1e-8)?)];
    for mut integrator in integrators {
        let mut simulation = Simulation::new(&mut system, integrator.as_mut(), 0.0, &start)?;
        let mut ended = Ok(());
        assert_eq!(allocations(|| ended = simulation.advance(0.1)), 0);
        ended?;
    }
    Ok(())
}

/// The closed loop from sample to sample, with every law and all that drives and sensors do.
#[test]
fn control_does_not_allocate() -> Result<(), Box<dyn std::error::Error>> {
    use dalembert::control::{Backlash, Encoder, Experiment, Law, LoopScratch, VelocityFrom};
    use dalembert::motion::{MotionOrder, Time};
    use dalembert::robot::Robot;
    fn check(experiment: &Experiment, samples: usize) -> Result<(), Box<dyn std::error::Error>> {
        for law in Law::ALL {
            let tuning = experiment.tuning(law);
            let room = LoopScratch::default();
            let mut closed = experiment.closed_loop(&tuning, &room)?;
            let mut ended = Ok(());
            let counted = allocations(|| {
                for _ in 0..samples {
                    if let Err(error) = closed.step() {
                        ended = Err(error);
                    }
                }
            });
            assert_eq!(counted, 0, "{}, {}", experiment.robot.name, law.as_str());
            ended?;
        }
        Ok(())
    }
    let robot = robots::d3_1200()?.changed(|parameters| {
        parameters.arms.iter_mut().for_each(|arm| arm.motor.rotor_inertia = 0.01);
    })?;
    let order = MotionOrder { time: Some(Time::Cycle(0.5)), cycles: 3, ..MotionOrder::default() };
    let mut experiment = Experiment::ordered(Robot::from(robot), &order)?;
    experiment.encoder =
        Encoder { noise: 1e-5, velocity: VelocityFrom::Observer { bandwidth: 600.0 }, ..Encoder::USUAL };
    for backlash in [None, Some(Backlash { gap: 1e-4, stiffness: 2e4, damping: 2.0 })] {
        experiment.drive.backlash = backlash;
        check(&experiment, 1000)?;
    }
    let order = MotionOrder { path: String::from("swing"), ..MotionOrder::default() };
    let mut experiment = Experiment::ordered(Robot::find("puma560")?, &order)?;
    experiment.encoder = Encoder { noise: 1e-6, ..Encoder::USUAL };
    check(&experiment, 500)
}

/// Two Deltas with one object from sample to sample, with all that drives and sensors do.
#[test]
fn carrying_does_not_allocate() -> Result<(), Box<dyn std::error::Error>> {
    use dalembert::control::{Encoder, ExperimentFile, Law, LoopScratch, VelocityFrom};
    let text = include_str!("../../../experiments/two-deltas-carry.toml");
    let mut both = ExperimentFile::parse(text, None)?.experiment;
    both.encoder = Encoder { noise: 1e-6, velocity: VelocityFrom::Observer { bandwidth: 600.0 }, ..Encoder::USUAL };
    let (tuning, room) = (both.tuning(Law::Cartesian), LoopScratch::default());
    let mut closed = both.closed_loop(&tuning, &room)?;
    let mut ended = Ok(());
    let counted = allocations(|| {
        for _ in 0..500 {
            if let Err(error) = closed.step() {
                ended = Err(error);
            }
        }
    });
    assert_eq!(counted, 0);
    Ok(ended?)
}
