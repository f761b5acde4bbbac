//! The toy assembly: a Delta picks a brick, carries it over and places it on another one.
//!
//! `cargo run --release -p dalembert --example assembly`
//!
//! The platform is led along a path; the grip is two constraints that are closed and opened on the way. Everything
//! else (lifting off the floor, touching the other brick, settling on it) comes from the contacts.

use dalembert::delta::Branch;
use dalembert::mechanism::{Aligned, Coincident, FreeBody, Guided, Mechanism, Waypoints, add_delta};
use dalembert::simulate::{
    Action, Constrained, ContactLaw, Contacts, DormandPrince, Happening, Stabilization, Surface, SurfaceShape, System,
    Trigger, Variables, WithContacts, run,
};
use dalembert::{Vec3, robots};

/// A brick of plastic, m and kg; the floor; the tip of the tool below the platform.
const SIZE: [f64; 3] = [0.032, 0.016, 0.0096];
const MASS: f64 = 0.0025;
const FLOOR: f64 = -0.9;
const TIP: [f64; 3] = [0.0, 0.0, -0.05];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The tip: time, x, z. The brick is put down half a stud aside, five micrometres above the other.
    let low = FLOOR + SIZE[2];
    let path = [
        (0.05, -0.1, low),
        (0.25, -0.1, low + 0.04),
        (0.65, 0.108, low + 0.04),
        (0.95, 0.108, low + SIZE[2] + 5e-6),
        (1.0, 0.108, low + SIZE[2] + 5e-6),
        (1.2, 0.108, low + 0.04),
    ];

    // The cell: robot, bricks, path, grip.
    let robot = robots::d3_1200()?.delta;
    let mut mechanism = Mechanism::new(robot.gravity());
    let delta = add_delta(&mut mechanism, "delta", &robot)?;
    let bodies = ["carried", "standing"].map(|name| mechanism.add(name, FreeBody::brick(SIZE, MASS)));
    let [carried, standing] = bodies.map(|body| Surface::of(body, SurfaceShape::brick(SIZE)));
    let x: Vec<(f64, f64)> = path.iter().map(|&(t, x, _)| (t, x)).collect();
    let z: Vec<(f64, f64)> = path.iter().map(|&(t, _, z)| (t, z - TIP[2])).collect();
    for (name, along, points) in [
        ("lead x", [1.0, 0.0, 0.0], &x[..]),
        ("lead y", [0.0, 1.0, 0.0], &[(0.0, 0.0)]),
        ("lead z", [0.0, 0.0, 1.0], &z),
    ] {
        let motion = Waypoints::new(points)?;
        mechanism.constrain(name, Guided { place: delta.platform(), along, motion })?;
    }
    let top = bodies[0].at([0.0, 0.0, 0.5 * SIZE[2]]);
    mechanism.tie("grip", Coincident::new(top, delta.arms[0].at(TIP)), true)?;
    mechanism.tie("grip turn", Aligned::new(delta.arms[0], bodies[0]), true)?;

    // Where everything is at the start.
    let pose = robot.at_position(Vec3([-0.1, 0.0, low - TIP[2]]), Branch::Out)?;
    let on_floor = |x: f64| [x, 0.0, FLOOR + 0.5 * SIZE[2], 1.0, 0.0, 0.0, 0.0];
    let q = [&delta.coordinates(&pose)[..], &on_floor(-0.1), &on_floor(0.1)].concat();
    let start = mechanism.assemble(0.0, &q, &[0.0; 21])?;

    // What may touch what, and what is done when.
    let mut contacts = Contacts::new(&mechanism);
    let (floor, law) = (Surface::fixed(SurfaceShape::floor(FLOOR)), ContactLaw::default());
    contacts.add("floor and carried", carried, floor, law)?;
    contacts.add("floor and standing", standing, floor, law)?;
    contacts.add("bricks", carried, standing, law)?;
    let mut inner = Constrained::new(&mechanism, Variables::Velocity, Stabilization::Projection, &[0.0; 3])?;
    let start = inner.state(&start.q, &start.v)?;
    let mut system = WithContacts::new(inner, contacts)?;
    let grip = || vec![String::from("grip"), String::from("grip turn")];
    system.act(Trigger::Time(0.04), Action::Attach { ties: grip(), reach: 1e-4 })?;
    system.act(Trigger::Time(1.0), Action::Release { ties: grip() })?;

    let start = system.start(0.0, &start)?;
    let mut integrator = DormandPrince::new(system.size(), 1e-8)?;
    let result = run(&mut system, &mut integrator, &start, (0..=15).map(|i| 0.1 * f64::from(i)));
    result.ended.clone()?;

    println!("{:>6} {:>10} {:>10} {:>10}   forces: floor-carried, floor-standing, bricks", "t", "x", "y", "z");
    for ((time, state), forces) in result.times.iter().zip(&result.states).zip(&result.contacts) {
        let forces: Vec<String> = forces.iter().map(|force| format!("{:.4}", force.normal)).collect();
        println!("{time:6.2} {:10.6} {:10.6} {:10.6}   {} N", state[9], state[10], state[11], forces.join(", "));
    }
    for happening in &system.happenings {
        match happening {
            Happening::Attached { time, .. } => println!("{time:.4} s: attached"),
            Happening::Released { time, .. } => println!("{time:.4} s: released"),
            _ => {}
        }
    }
    let touches = system.happenings.iter().filter(|h| matches!(h, Happening::Touch { .. })).count();
    println!(
        "{touches} touches, {} steps; energy balance {:.1e} J, closure of the robot {:.1e} m",
        integrator.pace.taken,
        result.energy_drift(),
        result.constraint_drift()
    );
    Ok(())
}
