//! A Delta that touches, presses, picks, places and drops.
//!
//! *Pressing*: at rest the torques, the weight and the force of the table must balance: the static equations of the
//! exact model, which know nothing of contacts, give back the torques from the contact's force. Both formulations,
//! platform coordinates and nine angles with constraints, must agree. *Assembly*: the toy task of Bortoff's library: a
//! brick is picked, carried over and placed on another. *Dropping*: what is released in motion flies on as a free body.

use dalembert::delta::{Assembly, Branch, Delta};
use dalembert::mechanism::{Aligned, Coincident, FreeBody, Guided, Mechanism, Poles, Waypoints, add_delta};
use dalembert::simulate::{
    Action, Ball, Constrained, ContactId, ContactLaw, Contacts, DormandPrince, ExplicitDelta, Happening, Response,
    SimulationError, SimulationRun, Stabilization, Surface, SurfaceShape, System, Touchable, Trigger, Variables,
    WithContacts, run,
};
use dalembert::{Vec3, robots};
use std::error::Error;

type Tested = Result<(), Box<dyn Error>>;

fn times(end: f64, count: usize) -> impl Iterator<Item = f64> {
    (0..=count).map(move |i| end * i as f64 / count as f64)
}

fn stabilizations() -> Result<[Stabilization; 2], Box<dyn Error>> {
    Ok([Stabilization::Projection, Stabilization::Baumgarte(Poles::real(-50.0, -60.0)?)])
}

/// The same pushes by the explicit Delta and by the constrained ones; last state, platform and force of each.
struct Pressed {
    position: Vec3<f64>,
    velocity: Vec3<f64>,
    force: Vec3<f64>,
    run: SimulationRun,
}

/// A run, and coordinates and velocities at its end.
type Ended = (SimulationRun, Vec<f64>, Vec<f64>);

fn simulate<S: Touchable>(mut system: WithContacts<'_, S>, start: &[f64], end: f64) -> Result<Ended, Box<dyn Error>> {
    let start = system.start(0.0, start)?;
    let mut integrator = DormandPrince::new(system.size(), 1e-11)?;
    let result = run(&mut system, &mut integrator, &start, times(end, 20));
    result.ended.clone()?;
    let inner = system.inner();
    let [mut q, mut v] = inner.sizes().map(|count| vec![0.0; count]);
    let size = inner.size();
    inner.read(end, &result.states[20][..size], &mut q, &mut v)?;
    Ok((result, q, v))
}

fn press(
    robot: &Delta<f64>,
    surface: Surface,
    law: ContactLaw,
    torque: Vec3<f64>,
    velocity: Vec3<f64>,
    end: f64,
) -> Result<Vec<Pressed>, Box<dyn Error>> {
    let pose = robot.at_joints([45_f64.to_radians(); 3], Assembly::Below)?;
    let mut found = Vec::new();
    let explicit = ExplicitDelta::new(robot, Branch::Out, Variables::Velocity, torque.0);
    let start = explicit.state(pose.position, velocity)?;
    let (geometry, platform) = explicit.platform();
    let mut contacts = Contacts::new(&geometry);
    contacts.add("table", &[Ball::point(platform.origin())], surface, law)?;
    let (run, q, v) = simulate(WithContacts::new(explicit, contacts)?, &start, end)?;
    let vec3 = |x: &[f64]| Vec3([x[0], x[1], x[2]]);
    found.push(Pressed { position: vec3(&q), velocity: vec3(&v), force: run.contacts[20][0].force, run });
    let mut mechanism = Mechanism::new(robot.gravity());
    let parts = add_delta(&mut mechanism, "delta", robot)?;
    let [projection, baumgarte] = stabilizations()?;
    for (variables, stabilization) in
        [(Variables::Velocity, projection), (Variables::Velocity, baumgarte), (Variables::Momentum, projection)]
    {
        let mut inner = Constrained::new(&mechanism, variables, stabilization, &torque.0)?;
        let q = mechanism.assemble(0.0, &parts.coordinates(&pose), &[0.0; 9])?.q;
        let v = parts.velocities(&pose.moving(velocity));
        let start = inner.state(&q, &v)?;
        let mut contacts = Contacts::new(&mechanism);
        contacts.add("table", &[Ball::point(parts.platform())], surface, law)?;
        let (run, q, v) = simulate(WithContacts::new(inner, contacts)?, &start, end)?;
        let position = mechanism.point(&q, &parts.platform())?;
        let velocity = parts.motion(&mechanism, &q, &v)?.platform[1];
        let force = run.contacts[20][0].force;
        found.push(Pressed { position, velocity, force, run });
    }
    Ok(found)
}

#[test]
fn pressing_balances_the_static_equations() -> Tested {
    let robot = robots::d3_1200()?.delta;
    let pose = robot.at_joints([45_f64.to_radians(); 3], Assembly::Below)?;
    let through = pose.position.0;
    for (name, normal, push) in [("table", [0.0, 0.0, 1.0], 20.0), ("wall", [-1.0, 0.0, 0.0], 15.0)] {
        let force = Vec3(normal) * push;
        let torque = pose.moving(Vec3::zero()).torque_under(Vec3::zero(), force);
        let surface = Surface::fixed(SurfaceShape::Plane { through, normal });
        let found = press(&robot, surface, ContactLaw::default(), Vec3(torque), Vec3::zero(), 2.0)?;
        for pressed in &found {
            let at = robot.at_position(pressed.position, Branch::Out)?.moving(pressed.velocity);
            let needed = at.torque_under(Vec3::zero(), pressed.force);
            let off = (0..3).fold(0.0, |m: f64, i| m.max((needed[i] - torque[i]).abs()));
            println!(
                "{name}: force {:?} N, torque off {off:.1e} N m, energy {:.1e} J",
                pressed.force.0,
                pressed.run.energy_drift()
            );
            // What is left of the approach to rest after two seconds.
            assert!(off < 1e-6, "{name}: {off}");
            assert!((pressed.force.dot(Vec3(normal)) / push - 1.0).abs() < 0.01);
            assert!(pressed.run.energy_drift() < 1e-10);
            for i in 0..3 {
                assert!((pressed.position[i] - found[0].position[i]).abs() < 1e-8);
                assert!((pressed.force[i] - found[0].force[i]).abs() < 1e-7 * push);
            }
        }
    }
    Ok(())
}

/// A Delta that hits a wall: the impulse through the mass matrix of the explicit model, and through nine angles and
/// six constraints.
#[test]
fn an_impact_of_the_platform_is_the_same_in_both_formulations() -> Tested {
    let robot = robots::d3_1200()?.delta;
    let pose = robot.at_joints([45_f64.to_radians(); 3], Assembly::Below)?;
    let through = (pose.position + Vec3([0.01, 0.0, 0.0])).0;
    let surface = Surface::fixed(SurfaceShape::Plane { through, normal: [-0.8, 0.0, 0.6] });
    let law = ContactLaw { response: Response::Impulsive, friction: 0.3, ..ContactLaw::default() };
    let found = press(&robot, surface, law, Vec3(pose.gravity_torque()), Vec3([1.0, 0.3, -0.2]), 0.05)?;
    for pressed in &found[1..] {
        for i in 0..3 {
            assert!((pressed.position[i] - found[0].position[i]).abs() < 1e-8, "{i}");
            assert!((pressed.velocity[i] - found[0].velocity[i]).abs() < 1e-6, "{i}");
        }
        assert!(pressed.run.energy_drift() < 1e-8, "{}", pressed.run.energy_drift());
    }
    assert!(found[0].velocity[0] < 0.5, "it did bounce: {:?}", found[0].velocity);
    Ok(())
}

const SIZE: [f64; 3] = [0.032, 0.016, 0.0096];
const MASS: f64 = 0.0025;
const FLOOR: f64 = -0.9;
const TOOL: [f64; 3] = [0.0, 0.0, -0.05];

/// A Delta whose platform is led, and two bricks, the first of which it can hold.
struct Cell {
    mechanism: Mechanism,
    bricks: [Surface; 2],
    q: Vec<f64>,
}

/// `path` is (time, x, z) of the tool's tip.
fn cell(path: &[(f64, f64, f64)]) -> Result<Cell, Box<dyn Error>> {
    let robot = robots::d3_1200()?.delta;
    let mut mechanism = Mechanism::new(robot.gravity());
    let parts = add_delta(&mut mechanism, "delta", &robot)?;
    let bodies = ["carried", "standing"].map(|name| mechanism.add(name, FreeBody::brick(SIZE, MASS)));
    let bricks = bodies.map(|body| Surface::of(body, SurfaceShape::brick(SIZE)));
    let (_, x, z) = path[0];
    let motions = [
        path.iter().map(|&(t, x, _)| (t, x)).collect::<Vec<_>>(),
        vec![(0.0, 0.0)],
        path.iter().map(|&(t, _, z)| (t, z - TOOL[2])).collect(),
    ];
    for (axis, points) in motions.iter().enumerate() {
        let along = std::array::from_fn(|i| if i == axis { 1.0 } else { 0.0 });
        let guided = Guided { place: parts.platform(), along, motion: Waypoints::new(points)? };
        mechanism.constrain(["lead x", "lead y", "lead z"][axis], guided)?;
    }
    let top = [0.0, 0.0, 0.5 * SIZE[2]];
    mechanism.tie("grip", Coincident::new(bodies[0].at(top), parts.arms[0].at(TOOL)), true)?;
    mechanism.tie("grip turn", Aligned::new(parts.arms[0], bodies[0]), true)?;
    let pose = robot.at_position(Vec3([x, 0.0, z - TOOL[2]]), Branch::Out)?;
    let standing = |x: f64| [x, 0.0, FLOOR + 0.5 * SIZE[2], 1.0, 0.0, 0.0, 0.0];
    let q = [&parts.coordinates(&pose)[..], &standing(-0.1), &standing(0.1)].concat();
    let q = mechanism.assemble(0.0, &q, &[0.0; 21])?.q;
    Ok(Cell { mechanism, bricks, q })
}

impl Cell {
    fn system(
        &self,
        stabilization: Stabilization,
        law: ContactLaw,
    ) -> Result<(WithContacts<'_, Constrained<'_>>, Vec<f64>, ContactId), SimulationError> {
        let mut inner = Constrained::new(&self.mechanism, Variables::Velocity, stabilization, &[0.0; 3])?;
        let start = inner.state(&self.q, &[0.0; 21])?;
        let mut contacts = Contacts::new(&self.mechanism);
        let floor = Surface::fixed(SurfaceShape::floor(FLOOR));
        contacts.add("floor and carried", self.bricks[0], floor, law)?;
        contacts.add("floor and standing", self.bricks[1], floor, law)?;
        let bricks = contacts.add("bricks", self.bricks[0], self.bricks[1], law)?;
        let mut system = WithContacts::new(inner, contacts)?;
        let start = system.start(0.0, &start)?;
        Ok((system, start, bricks))
    }
}

fn grip() -> Vec<String> {
    vec![String::from("grip"), String::from("grip turn")]
}

#[test]
fn a_brick_is_picked_carried_and_placed_on_another() -> Tested {
    let low = FLOOR + SIZE[2];
    let [projection, baumgarte] = stabilizations()?;
    // Put down five micrometres above the other brick, or pressed on it and released by the touch itself.
    for (response, stabilization, above) in
        [(Response::Compliant, projection, 5e-6), (Response::Impulsive, baumgarte, -2e-5)]
    {
        let cell = cell(&[
            (0.05, -0.1, low),
            (0.25, -0.1, low + 0.04),
            (0.65, 0.108, low + 0.04),
            (0.95, 0.108, low + SIZE[2] + above),
            (1.0, 0.108, low + SIZE[2] + above),
            (1.2, 0.108, low + 0.04),
        ])?;
        let (mut system, start, bricks) =
            cell.system(stabilization, ContactLaw { response, ..ContactLaw::default() })?;
        system.act(Trigger::Time(0.04), Action::Attach { ties: grip(), reach: 1e-4 })?;
        let when = if above > 0.0 { Trigger::Time(1.0) } else { Trigger::Touch(bricks) };
        system.act(when, Action::Release { ties: grip() })?;
        let mut integrator = DormandPrince::new(system.size(), 1e-8)?;
        let result = run(&mut system, &mut integrator, &start, times(1.5, 30));
        result.ended.clone()?;
        let last = &result.states[30];
        let (carried, before) = (&last[9..16], &result.states[29][9..16]);
        let sunk = FLOOR + 1.5 * SIZE[2] - carried[2];
        let creep = (0..7).fold(0.0, |m: f64, i| m.max((carried[i] - before[i]).abs()));
        println!(
            "{response:?}: x {:.3e}, y {:.1e}, sunk {sunk:.2e} m, creep {creep:.1e}, energy {:.1e} J, closure {:.1e} m, {} steps",
            carried[0] - 0.108,
            carried[1],
            result.energy_drift(),
            result.constraint_drift(),
            integrator.pace.taken
        );
        assert!((carried[0] - 0.108).abs() < 2e-5 && carried[1].abs() < 1e-6, "{carried:?}");
        assert!((0.0..1e-5).contains(&sunk), "{sunk}");
        assert!(creep < 1e-7, "{creep}");
        let forces = &result.contacts[30];
        assert!((forces[1].normal / (2.0 * MASS * 9.81) - 1.0).abs() < 1e-4, "{forces:?}");
        assert!((forces[2].normal / (MASS * 9.81) - 1.0).abs() < 1e-4, "{forces:?}");
        assert!(result.energy_drift() < 1e-9, "{}", result.energy_drift());
    }
    Ok(())
}

#[test]
fn a_dropped_payload_falls_as_a_free_body() -> Tested {
    let low = FLOOR + SIZE[2];
    let cell = cell(&[(0.05, -0.1, low), (0.25, -0.1, low + 0.2), (0.65, 0.2, low + 0.2)])?;
    let (mut system, start, _) = cell.system(Stabilization::Projection, ContactLaw::default())?;
    system.act(Trigger::Time(0.0), Action::Attach { ties: grip(), reach: 1e-4 })?;
    system.act(Trigger::Time(0.45), Action::Release { ties: grip() })?;
    let mut integrator = DormandPrince::new(system.size(), 1e-11)?;
    let result = run(&mut system, &mut integrator, &start, [0.0, 0.45, 0.5, 0.55]);
    result.ended.clone()?;
    assert!(matches!(system.happenings.last(), Some(Happening::Released { time, .. }) if *time == 0.45));
    let free = &result.states[1];
    let speed = free[32];
    assert!(speed > 1.0, "{speed}");
    for k in [2, 3] {
        let (state, t) = (&result.states[k], result.times[k] - 0.45);
        let expected = [free[9] + speed * t, 0.0, free[11] + free[34] * t - 0.5 * 9.81 * t * t];
        for i in 0..3 {
            assert!((state[9 + i] - expected[i]).abs() < 1e-10, "{i}: {} {}", state[9 + i], expected[i]);
        }
    }
    assert!(result.energy_drift() < 1e-7, "{}", result.energy_drift());
    Ok(())
}

/// Torques that no robot stands: the run ends where the robot does, with what there was.
#[test]
fn a_run_that_breaks_down_says_why_and_keeps_its_data() -> Tested {
    let robot = robots::d3_1200()?.delta;
    let pose = robot.at_joints([45_f64.to_radians(); 3], Assembly::Below)?;
    let explicit = ExplicitDelta::new(&robot, Branch::Out, Variables::Velocity, pose.gravity_torque());
    let start = explicit.state(pose.position, Vec3::zero())?;
    let (geometry, platform) = explicit.platform();
    let mut contacts = Contacts::new(&geometry);
    let table = Surface::fixed(SurfaceShape::floor(pose.position[2] - 0.1));
    contacts.add("table", &[Ball::point(platform.origin())], table, ContactLaw::default())?;
    let mut system = WithContacts::new(explicit, contacts)?;
    system.act(Trigger::Time(0.5), Action::Torque(vec![-1e6, 2e6, 3e6]))?;
    assert!(system.act(Trigger::Time(0.5), Action::Release { ties: grip() }).is_err());
    let start = system.start(0.0, &start)?;
    let mut integrator = DormandPrince::new(system.size(), 1e-9)?;
    let result = run(&mut system, &mut integrator, &start, times(1.0, 10));
    assert_eq!(result.times.len(), 6);
    // The rods stretch within a millisecond: either the pose is singular or no step is short enough before it.
    match result.ended {
        Err(SimulationError::StateError { time, .. } | SimulationError::StepTooSmall { time, .. }) => {
            assert!(time > 0.5 && time < 0.51, "{time}");
        }
        other => return Err(format!("{other:?}").into()),
    }
    Ok(())
}
