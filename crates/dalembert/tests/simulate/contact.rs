//! Contact: bodies that fall, bounce, slide, rest and are carried do what closed formulas say.
//!
//! *Bounce*: without gravity a compliant bounce keeps its restitution exactly, whatever mass, stiffness and speed: the
//! approximation d ≈ 3(1 − e)/2u would miss it by up to a factor. Gravity adds its own impulse during the contact,
//! g·(contact time), which a stiff contact keeps below 1 %. *Rest*: a stack on a level floor has no reason to move
//! sideways or down once its contacts carry it; creeping would mean a friction or compliance that works at rest.
//! *Sliding*: a block on an incline accelerates with g (sin α − μ cos α), a sliding ball rolls after 2u/(7μg) with 5u/7.
//! *Impacts*: impulses are internal, so linear and angular momentum stay to rounding. Every run balances its energy:
//! motion, height, compressed contacts and what was dissipated.

use dalembert::Vec3;
use dalembert::mechanism::{Aligned, Coincident, FreeBody, Guided, Mechanism, Waypoints};
use dalembert::simulate::{
    Action, Ball, Constrained, ContactLaw, Contacts, DormandPrince, Happening, ImplicitMidpoint, Integrator, Radau,
    Response, Rk4, SimulationError, SimulationRun, Stabilization, Surface, SurfaceShape, System, Trigger, Variables,
    WithContacts, impact_damping, run,
};
use std::error::Error;

type Tested = Result<(), Box<dyn Error>>;
const GRAVITY: f64 = 9.81;
/// A toy brick of plastic, m and kg.
const SIZE: [f64; 3] = [0.032, 0.016, 0.0096];
const MASS: f64 = 0.0025;
const LAWS: [Response; 2] = [Response::Compliant, Response::Impulsive];

fn times(end: f64, count: usize) -> impl Iterator<Item = f64> {
    (0..=count).map(move |i| end * i as f64 / count as f64)
}

fn free(mechanism: &Mechanism) -> Result<Constrained<'_>, SimulationError> {
    Constrained::new(mechanism, Variables::Velocity, Stabilization::Projection, &[])
}

fn floor() -> Surface {
    Surface::fixed(SurfaceShape::floor(0.0))
}

/// Coordinates of a body that is turned by `angle` about `axis`.
fn turned(center: [f64; 3], axis: [f64; 3], angle: f64) -> [f64; 7] {
    let (sin, cos) = (0.5 * angle).sin_cos();
    [center[0], center[1], center[2], cos, sin * axis[0], sin * axis[1], sin * axis[2]]
}

fn level(center: [f64; 3]) -> [f64; 7] {
    turned(center, [0.0, 0.0, 1.0], 0.0)
}

/// (2) of the law, and that a series near e = 1 and the asymptote 1/e near 0 are met.
#[test]
fn the_damping_solves_its_equation() {
    for i in 50..=1000 {
        let e = f64::from(i) / 1000.0;
        let a = impact_damping(e);
        let (left, right) = (a * (1.0 + e), ((1.0 + a) / (1.0 - e * a)).ln());
        // 1 − e a is known to ε, its logarithm to ε/(1 − e a).
        let rounding = 4.0 * f64::EPSILON * (1.0 + left + 1.0 / (1.0 - e * a).max(f64::EPSILON));
        assert!((left - right).abs() <= rounding, "{e}: {left} {right}");
    }
    for gap in [1e-2, 1e-4, 1e-6, 1e-9] {
        let (e, a) = (1.0 - gap, impact_damping(1.0 - gap));
        // a = 3(1 − e)/2 (1 + O(1 − e))
        assert!((a / (1.5 * (1.0 - e)) - 1.0).abs() < 2.0 * gap + 1e-6, "{e}: {a}");
    }
    // What the usual 3(1 − e)/2 would give for 0.5 and for 0.1.
    for (asked, got) in [(0.5, 0.663), (0.1, 0.516)] {
        assert!((impact_damping(got) - 1.5 * (1.0 - asked)).abs() < 2e-3, "{asked}: {}", impact_damping(got));
    }
    assert!((impact_damping(0.02) * 0.02 - 1.0).abs() < 1e-15);
    assert_eq!(impact_damping(1.0), 0.0);
}

/// Speed after the first bounce over the speed before, taken where the body leaves, and the run.
fn bounce(flat: bool, law: ContactLaw, speed: f64, gravity: f64) -> Result<(f64, SimulationRun), Box<dyn Error>> {
    let mut mechanism = Mechanism::new(Vec3([0.0, 0.0, -gravity]));
    let part = mechanism.add("body", FreeBody::brick(SIZE, MASS));
    let mut contacts = Contacts::new(&mechanism);
    let rest = if flat {
        contacts.add("floor", Surface::of(part, SurfaceShape::brick(SIZE)), floor(), law)?;
        0.5 * SIZE[2]
    } else {
        contacts.add("floor", &[Ball { center: part.origin(), radius: 0.01 }], floor(), law)?;
        0.01
    };
    let mut system = WithContacts::new(free(&mechanism)?, contacts)?;
    let gap = 1e-4;
    let before = (speed * speed - 2.0 * gravity * gap).sqrt();
    let velocity = [0.0, 0.0, -before, 0.0, 0.0, 0.0];
    let start = system.start(0.0, &[&level([0.0, 0.0, rest + gap])[..], &velocity].concat())?;
    let mut integrator = DormandPrince::new(system.size(), 1e-12)?;
    // Until it has come back up over its rest: the contact's own time is about 3 (m²/k²u)^(1/5), Hertz.
    let contact = 3.0 * (MASS * MASS / (law.stiffness * law.stiffness * speed)).powf(0.2);
    let end = 2.0 * gap / speed + (gap / speed + contact) / law.restitution;
    let result = run(&mut system, &mut integrator, &start, times(end, 200));
    result.ended.clone()?;
    let up = result.states.iter().find(|state| state[9] > 0.0 && state[2] > rest).ok_or("it does not come back")?;
    Ok(((up[9] * up[9] + 2.0 * gravity * (up[2] - rest)).sqrt() / speed, result))
}

#[test]
fn a_bounce_follows_its_restitution() -> Tested {
    let mut worst = [0.0_f64; 3];
    for response in LAWS {
        for flat in [false, true] {
            for restitution in [0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95] {
                for speed in [0.05, 0.2, 1.0, 5.0] {
                    let law = ContactLaw { response, restitution, stiffness: 1e7, ..ContactLaw::default() };
                    let (ratio, run) = bounce(flat, law, speed, 0.0)?;
                    let off = (ratio / restitution - 1.0).abs();
                    let drift = run.energy_drift() / (0.5 * MASS * speed * speed);
                    assert!(off < 1e-7, "{response:?}, flat {flat}, {restitution}, {speed} m/s: {ratio}");
                    // The integrator's tolerance, absolute on quantities as small as the energy.
                    assert!(drift < 1e-6, "{drift}");
                    (worst[0], worst[2]) = (worst[0].max(off), worst[2].max(drift));
                }
                for speed in [0.5, 2.0, 5.0] {
                    let law = ContactLaw { response, restitution, stiffness: 1e11, ..ContactLaw::default() };
                    let (ratio, _) = bounce(flat, law, speed, GRAVITY)?;
                    let off = (ratio / restitution - 1.0).abs();
                    assert!(off < 0.01, "{response:?}, flat {flat}, {restitution}, {speed} m/s: {ratio}");
                    worst[1] = worst[1].max(off);
                }
            }
        }
    }
    println!("restitution off by {:.1e} without gravity, {:.1e} with; energy {:.1e}", worst[0], worst[1], worst[2]);
    Ok(())
}

/// A brick on the floor and one on it, displaced and turned by `angle` about z.
struct Stack {
    mechanism: Mechanism,
    bricks: [Surface; 2],
    shift: [f64; 2],
    angle: f64,
}

impl Stack {
    fn new(shift: [f64; 2], angle: f64) -> Self {
        let mut mechanism = Mechanism::new(Vec3([0.0, 0.0, -GRAVITY]));
        let bodies = ["lower", "upper"].map(|name| mechanism.add(name, FreeBody::brick(SIZE, MASS)));
        let bricks = bodies.map(|body| Surface::of(body, SurfaceShape::brick(SIZE)));
        Self { mechanism, bricks, shift, angle }
    }

    fn system(&self, law: ContactLaw) -> Result<WithContacts<'_, Constrained<'_>>, SimulationError> {
        let mut contacts = Contacts::new(&self.mechanism);
        for (name, brick) in ["floor and lower", "floor and upper"].into_iter().zip(self.bricks) {
            contacts.add(name, brick, floor(), law)?;
        }
        contacts.add("bricks", self.bricks[1], self.bricks[0], law)?;
        WithContacts::new(free(&self.mechanism)?, contacts)
    }

    /// Both fall a little.
    fn state(&self, drop: f64) -> Vec<f64> {
        let lower = level([0.0, 0.0, 0.5 * SIZE[2] + drop]);
        let [x, y] = self.shift;
        let upper = turned([x, y, 1.5 * SIZE[2] + 3.0 * drop], [0.0, 0.0, 1.0], self.angle);
        [&lower[..], &upper[..], &[0.0; 12]].concat()
    }
}

#[test]
fn a_stack_rests_without_creeping() -> Tested {
    rests(Response::Compliant)
}

#[test]
fn a_stack_that_met_with_impulses_rests_without_creeping() -> Tested {
    rests(Response::Impulsive)
}

fn rests(response: Response) -> Tested {
    let cases = [
        ("exactly on top", [0.0, 0.0], 0.0, 10.0),
        ("offset along", [0.012, 0.0], 0.0, 1.0),
        ("offset both ways", [0.008, -0.004], 0.0, 10.0),
        ("across", [0.0, 0.0], std::f64::consts::FRAC_PI_2, 1.0),
        ("turned", [0.003, 0.001], 0.5, 1.0),
    ];
    for (name, shift, angle, rest) in cases {
        let stack = Stack::new(shift, angle);
        // Ten seconds of each law, once.
        let rest = if response == Response::Impulsive && shift[1] != 0.0 { 1.0 } else { rest };
        let law = ContactLaw { response, ..ContactLaw::default() };
        let mut system = stack.system(law)?;
        let start = system.start(0.0, &stack.state(1e-3))?;
        // A part in 1e6 of the weight is 1e-12 m of the contact.
        let mut integrator = DormandPrince::new(system.size(), 1e-12)?;
        // One second to settle, then the rest.
        let result = run(&mut system, &mut integrator, &start, times(1.0 + rest, 10 + 10 * rest as usize));
        result.ended.clone()?;
        let settled = &result.states[10];
        let last = result.states.last().ok_or("no states")?;
        let mut creep = 0.0_f64;
        for state in &result.states[10..] {
            creep = (0..14).fold(creep, |m, i| m.max((state[i] - settled[i]).abs()));
        }
        let sunk = [0.5 * SIZE[2] - last[2], 1.5 * SIZE[2] - last[9]];
        let shifted = [last[7] - shift[0], last[8] - shift[1]];
        let weight = result.contacts.last().ok_or("no contacts")?[0].normal;
        println!(
            "{name}, {response:?}: creep {creep:.1e}, sunk {:.2e} {:.2e} m, shifted {:.1e} {:.1e} m, energy {:.1e} J, {} events",
            sunk[0],
            sunk[1],
            shifted[0],
            shifted[1],
            result.energy_drift(),
            system.happenings.len()
        );
        assert!(creep < 1e-6, "{name}, {response:?}: {creep}");
        assert!(result.energy_drift() < 1e-9, "{}", result.energy_drift());
        assert!(sunk.iter().all(|&x| (0.0..2e-5).contains(&x)), "{name}: {sunk:?}");
        assert!((weight / (2.0 * MASS * GRAVITY) - 1.0).abs() < 1e-6, "{weight}");
    }
    Ok(())
}

/// On an incline of 0.3 rad: sliding down faster and faster, or to a stop and then creeping with the speed at which
/// the smoothed friction carries the weight, v₀ artanh(tan α/μ).
#[test]
fn a_block_on_an_incline_follows_coulomb() -> Tested {
    let (alpha, start_speed) = (0.3_f64, 0.5);
    let (sin, cos) = alpha.sin_cos();
    let plane = Surface::fixed(SurfaceShape::Plane { through: [0.0; 3], normal: [sin, 0.0, cos] });
    for friction in [0.2, 0.5] {
        let law = ContactLaw { friction, ..ContactLaw::default() };
        let mut mechanism = Mechanism::new(Vec3([0.0, 0.0, -GRAVITY]));
        let brick = Surface::of(mechanism.add("block", FreeBody::brick(SIZE, MASS)), SurfaceShape::brick(SIZE));
        let mut contacts = Contacts::new(&mechanism);
        contacts.add("incline", brick, plane, law)?;
        let mut system = WithContacts::new(free(&mechanism)?, contacts)?;
        let half = 0.5 * SIZE[2];
        let place = turned([sin * half, 0.0, cos * half], [0.0, 1.0, 0.0], alpha);
        let velocity = [cos * start_speed, 0.0, -sin * start_speed, 0.0, 0.0, 0.0];
        let start = system.start(0.0, &[&place[..], &velocity].concat())?;
        let mut integrator = DormandPrince::new(system.size(), 1e-11)?;
        let result = run(&mut system, &mut integrator, &start, [0.0, 0.1, 2.0]);
        result.ended.clone()?;
        let along = |state: &[f64]| state[7] * cos - state[9] * sin;
        let expected = start_speed + GRAVITY * (sin - friction * cos) * 0.1;
        let off = (along(&result.states[1]) - expected).abs();
        println!("incline, friction {friction}: {expected} m/s, off {off:.1e}, energy {:.1e} J", result.energy_drift());
        // The impulse of the normal force is that of the weight, up to what still swings about its depth.
        assert!(off < 1e-5, "{friction}: {off}");
        if friction == 0.5 {
            let creep = law.creep_speed * (sin / cos / friction).atanh();
            assert!((along(&result.states[2]) / creep - 1.0).abs() < 1e-6, "{} {creep}", along(&result.states[2]));
        }
    }
    Ok(())
}

#[test]
fn a_sliding_ball_comes_to_roll() -> Tested {
    let (radius, mass, speed, friction) = (0.02, 0.1, 1.0, 0.2);
    let law = ContactLaw { friction, ..ContactLaw::default() };
    let mut mechanism = Mechanism::new(Vec3([0.0, 0.0, -GRAVITY]));
    let ball = mechanism.add("ball", FreeBody { mass, inertia: [0.4 * mass * radius * radius; 3] });
    let mut contacts = Contacts::new(&mechanism);
    contacts.add("floor", &[Ball { center: ball.origin(), radius }], floor(), law)?;
    let mut system = WithContacts::new(free(&mechanism)?, contacts)?;
    let height = radius - law.depth(mass * GRAVITY);
    let start = system.start(0.0, &[&level([0.0, 0.0, height])[..], &[speed, 0.0, 0.0, 0.0, 0.0, 0.0]].concat())?;
    let mut integrator = DormandPrince::new(system.size(), 1e-12)?;
    let rolls = 2.0 * speed / (7.0 * friction * GRAVITY);
    let result = run(&mut system, &mut integrator, &start, [0.0, 0.1, 1.1 * rolls, 1.0]);
    result.ended.clone()?;
    let sliding = &result.states[1];
    assert!((sliding[7] - (speed - friction * GRAVITY * 0.1)).abs() < 1e-9, "{}", sliding[7]);
    // ω = (5/2) μ g t/r while it slides; the body turns about y only, so its own y axis stays.
    let arm = height; // the force acts at the surface of the floor's side, a depth above the ball's own
    assert!((sliding[11] / (2.5 * friction * GRAVITY * 0.1 / radius) - 1.0).abs() < 2.0 * (radius - arm) / radius);
    let rolling = &result.states[3];
    println!("rolls with {} of 5/7, slip {:.1e}", rolling[7] / speed * 1.4, rolling[7] - rolling[11] * radius);
    assert!((rolling[7] / speed - 5.0 / 7.0).abs() < 1e-3 && (rolling[7] - rolling[11] * radius).abs() < 1e-6);
    assert!(result.energy_drift() < 1e-9);
    Ok(())
}

/// Momentum and angular momentum about the origin of free bodies in a state.
fn momenta(state: &[f64], bodies: &[FreeBody]) -> ([f64; 3], [f64; 3]) {
    let (mut p, mut l) = (Vec3::zero(), Vec3::zero());
    for (k, body) in bodies.iter().enumerate() {
        let q = &state[7 * k..7 * k + 7];
        let v = &state[7 * bodies.len() + 6 * k..][..6];
        let (r, linear) = (Vec3([q[0], q[1], q[2]]), Vec3([v[0], v[1], v[2]]) * body.mass);
        let spin = Vec3::from_fn(|i| body.inertia[i] * v[3 + i]);
        let turn = [0.0, 0.0, 0.0, q[3], q[4], q[5], q[6]];
        let turned = dalembert::mechanism::MechanismPart::point(body, &turn, 0, spin);
        p = p + linear;
        l = l + r.cross(linear) + turned;
    }
    (p.0, l.0)
}

fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).fold(0.0, |m: f64, i| m.max((a[i] - b[i]).abs()))
}

/// An oblique, spinning impact of a ball on a brick that floats: momenta to rounding, Newton's rule, Coulomb's cone,
/// and the energy that the impulses say they took.
#[test]
fn an_impulse_keeps_momentum_to_rounding() -> Tested {
    let bodies = [FreeBody::brick(SIZE, MASS), FreeBody { mass: 0.004, inertia: [3e-7, 4e-7, 5e-7] }];
    for (friction, restitution) in [(0.0, 0.8), (0.3, 0.5), (5.0, 0.1)] {
        let mut mechanism = Mechanism::new(Vec3::zero());
        let brick = Surface::of(mechanism.add("brick", bodies[0]), SurfaceShape::brick(SIZE));
        let ball = mechanism.add("ball", bodies[1]);
        let law = ContactLaw { response: Response::Impulsive, friction, restitution, ..ContactLaw::default() };
        let mut contacts = Contacts::new(&mechanism);
        contacts.add("hit", &[Ball { center: ball.origin(), radius: 0.006 }], brick, law)?;
        let mut system = WithContacts::new(free(&mechanism)?, contacts)?;
        let height = 0.5 * SIZE[2] + 0.006;
        let mut state = system.start(
            0.0,
            &[
                &level([0.0; 3])[..],
                &turned([0.009, 0.004, height + 1e-3], [0.6, 0.0, 0.8], 1.1),
                &[0.1, -0.2, 0.3, 4.0, -3.0, 2.0],
                &[0.5, 0.3, -2.0, 10.0, 20.0, -30.0],
            ]
            .concat(),
        )?;
        system.events().ok_or("events")?.guard(0.0, &state)?;
        system.events().ok_or("events")?.accept(0.0, &state)?;
        state[9] = height; // there it is, at once
        let before = (momenta(&state, &bodies), system.energies(0.0, &state)?);
        system.events().ok_or("events")?.happen(0.0, &mut state)?;
        let after = (momenta(&state, &bodies), system.energies(0.0, &state)?);
        let [Happening::Impact { impulse, speed, .. }] = system.happenings[..] else { return Err("one impact".into()) };
        let size = impulse.norm_squared().sqrt();
        // Sums of some ten terms, none larger than the impulse and its moment beside the momenta themselves.
        let rounding = 16.0 * f64::EPSILON;
        assert!(apart(before.0.0, after.0.0) <= rounding * size, "momentum");
        let turning = size * 0.02 + apart(before.0.1, [0.0; 3]);
        assert!(
            apart(before.0.1, after.0.1) <= rounding * turning,
            "angular momentum {:?} {:?}",
            before.0.1,
            after.0.1
        );
        let change = (after.1.total() - before.1.total()).abs();
        assert!(change <= 1e-14 * before.1.kinetic, "energy {change}");
        assert!(after.1.dissipated > 0.0);
        // The ball's own momentum changed by the impulse, and the speed along the normal turned round.
        assert!((state[22] + 2.0 - impulse[2] / 0.004).abs() < 1e-13 * speed);
        let contact = Vec3([0.009, 0.004, 0.5 * SIZE[2]]);
        let omega = Vec3([state[17], state[18], state[19]]);
        let lower = Vec3([state[14], state[15], state[16]]) + omega.cross(contact);
        // The ball's contact point is below its centre: its spin does not move it along the normal.
        let leaving = state[22] - lower[2];
        assert!((leaving / speed - restitution).abs() < 1e-12, "{leaving} {speed}");
        assert!(impulse[0].hypot(impulse[1]) <= friction * impulse[2] * (1.0 + 1e-12));
    }
    Ok(())
}

/// Four corners at once: equal impulses, m (1 + e) u together.
#[test]
fn corners_that_meet_together_share_the_impulse() -> Tested {
    let mut mechanism = Mechanism::new(Vec3([0.0, 0.0, -GRAVITY]));
    let brick = Surface::of(mechanism.add("brick", FreeBody::brick(SIZE, MASS)), SurfaceShape::brick(SIZE));
    let law = ContactLaw { response: Response::Impulsive, ..ContactLaw::default() };
    let mut contacts = Contacts::new(&mechanism);
    contacts.add("floor", brick, floor(), law)?;
    let mut system = WithContacts::new(free(&mechanism)?, contacts)?;
    let fall = 0.01;
    let start = system.start(0.0, &[&level([0.0, 0.0, 0.5 * SIZE[2] + fall])[..], &[0.0; 6]].concat())?;
    let mut integrator = Rk4::new(system.size(), 1e-3)?;
    let time = (2.0 * fall / GRAVITY).sqrt();
    run(&mut system, &mut integrator, &start, [0.0, time + 1e-3]).ended?;
    let mut sum = 0.0;
    assert_eq!(system.happenings.len(), 4);
    for happening in &system.happenings {
        let Happening::Impact { time: at, impulse, speed, .. } = happening else { return Err("an impact".into()) };
        assert!((at - time).abs() < 1e-12, "found at {at}, not {time}");
        assert!((speed - GRAVITY * time).abs() < 1e-11);
        let share = MASS * (1.0 + law.restitution) * GRAVITY * time / 4.0;
        assert!((impulse[2] / share - 1.0).abs() < 1e-11, "{impulse:?}");
        sum += impulse[2];
    }
    assert!(sum > 0.0);
    Ok(())
}

/// Attaching two bodies that move: the impulse is stated, momentum stays, energy is lost to the rule.
#[test]
fn attaching_keeps_momentum_and_states_its_impulse() -> Tested {
    let bodies = [FreeBody::brick(SIZE, MASS), FreeBody { mass: 0.004, inertia: [3e-7, 4e-7, 5e-7] }];
    for variables in [Variables::Velocity, Variables::Momentum] {
        let mut mechanism = Mechanism::new(Vec3::zero());
        let [a, b] = [mechanism.add("a", bodies[0]), mechanism.add("b", bodies[1])];
        mechanism.tie("hold", Coincident::new(b.origin(), a.at([0.0, 0.0, 0.01])), true)?;
        mechanism.tie("turn", Aligned::new(a, b), true)?;
        let mut inner = Constrained::new(&mechanism, variables, Stabilization::Projection, &[])?;
        let velocity = [1.0, 0.5, 0.0, 1.0, 2.0, 3.0, -0.2, 0.0, 0.0, 0.0, 0.0, 5.0];
        let q = [level([0.0; 3]), level([1e-4, 0.0, 0.0102])].concat();
        let start = inner.state(&q, &velocity)?;
        let mut system = WithContacts::new(inner, Contacts::new(&mechanism))?;
        let ties = vec![String::from("hold"), String::from("turn")];
        system.act(Trigger::Time(0.0), Action::Attach { ties, reach: 1e-3 })?;
        let start = system.start(0.0, &start)?;
        let mut integrator = DormandPrince::new(system.size(), 1e-12)?;
        let result = run(&mut system, &mut integrator, &start, [0.0, 0.5]);
        result.ended.clone()?;
        assert!(result.energy_drift() < 1e-10, "{}", result.energy_drift());
        let Some(Happening::Attached { switched, .. }) = system.happenings.first() else {
            return Err("attached".into());
        };
        assert!(switched.lost > 0.0 && switched.given.abs() < 1e-15);
        if variables == Variables::Velocity {
            let before = momenta(&[&q[..], &velocity].concat(), &bodies);
            let after = momenta(&result.states[0], &bodies);
            let later = momenta(&result.states[1], &bodies);
            assert!(apart(before.0, after.0) < 1e-17 && apart(before.1, after.1) < 1e-19, "{before:?} {after:?}");
            assert!(apart(before.0, later.0) < 1e-12 && apart(before.1, later.1) < 1e-12, "{before:?} {later:?}");
            let change = (0..3).map(|i| bodies[1].mass * (result.states[0][20 + i] - velocity[6 + i]));
            for (stated, change) in switched.impulses[0].1.iter().zip(change) {
                assert!((stated - change).abs() < 1e-16, "{stated} {change}");
            }
        }
    }
    Ok(())
}

/// Every integrator finds the same events.
#[test]
fn integrators_agree_on_when_a_ball_bounces() -> Tested {
    let law = ContactLaw { response: Response::Impulsive, restitution: 0.8, ..ContactLaw::default() };
    let mut mechanism = Mechanism::new(Vec3([0.0, 0.0, -GRAVITY]));
    let part = mechanism.add("ball", dalembert::mechanism::PointMass { mass: 1.0 });
    let first = (2.0 * 0.5 / GRAVITY).sqrt();
    let integrators: [Box<dyn Integrator>; 4] = [
        Box::new(Radau::new(8, 1e-10)?),
        Box::new(Rk4::new(8, 7e-3)?),
        Box::new(ImplicitMidpoint::new(8, 7e-3)?),
        Box::new(DormandPrince::new(8, 1e-12)?),
    ];
    for mut integrator in integrators {
        let mut contacts = Contacts::new(&mechanism);
        contacts.add("floor", &[Ball { center: part.origin(), radius: 0.01 }], floor(), law)?;
        let mut system = WithContacts::new(free(&mechanism)?, contacts)?;
        let start = system.start(0.0, &[0.0, 0.0, 0.51, 0.0, 0.0, 0.0])?;
        run(&mut system, integrator.as_mut(), &start, times(2.0, 13)).ended?;
        let mut expected = first;
        for (number, happening) in system.happenings.iter().enumerate() {
            let Happening::Impact { time, .. } = happening else { return Err("an impact".into()) };
            assert!((time - expected).abs() < 1e-11, "{number}: {time} {expected}");
            expected += 2.0 * first * law.restitution.powi(number as i32 + 1);
        }
        assert_eq!(system.happenings.len(), 5);
    }
    Ok(())
}

/// A start that touches and moves into the surface is an impact, by both laws.
#[test]
fn a_start_in_touch_bounces() -> Tested {
    for response in LAWS {
        let law = ContactLaw { response, restitution: 0.6, ..ContactLaw::default() };
        let mut mechanism = Mechanism::new(Vec3::zero());
        let part = mechanism.add("ball", dalembert::mechanism::PointMass { mass: 0.01 });
        let mut contacts = Contacts::new(&mechanism);
        contacts.add("floor", &[Ball { center: part.origin(), radius: 0.01 }], floor(), law)?;
        let mut system = WithContacts::new(free(&mechanism)?, contacts)?;
        let start = system.start(0.0, &[0.0, 0.0, 0.01, 0.3, 0.0, -1.0])?;
        let mut integrator = DormandPrince::new(system.size(), 1e-12)?;
        let result = run(&mut system, &mut integrator, &start, [0.0, 0.05]);
        result.ended.clone()?;
        assert!((result.states[1][5] - 0.6).abs() < 1e-8, "{response:?}: {:?}", result.states[1]);
    }
    Ok(())
}

/// What is led into a surface gives no way to an impulse: the compliance takes it, by both laws, and the energy that
/// the leading gives is counted.
#[test]
fn a_prescribed_motion_presses_as_deep_as_it_says() -> Tested {
    let mass = 0.1;
    for response in LAWS {
        let law = ContactLaw { response, ..ContactLaw::default() };
        let mut mechanism = Mechanism::new(Vec3([0.0, 0.0, -GRAVITY]));
        let part = mechanism.add("point", dalembert::mechanism::PointMass { mass });
        let motion = Waypoints::new(&[(0.0, 0.05), (0.2, -1e-4)])?;
        mechanism.constrain("lead", Guided { place: part.origin(), along: [0.0, 0.0, 1.0], motion })?;
        let mut contacts = Contacts::new(&mechanism);
        contacts.add("floor", &[Ball::point(part.origin())], floor(), law)?;
        let mut system = WithContacts::new(free(&mechanism)?, contacts)?;
        let start = system.start(0.0, &[0.0, 0.0, 0.05, 0.0, 0.0, 0.0])?;
        let mut integrator = DormandPrince::new(system.size(), 1e-11)?;
        let result = run(&mut system, &mut integrator, &start, [0.0, 0.1, 0.2, 0.3]);
        result.ended.clone()?;
        // k δ^(3/2) = 10 N at 0.1 mm.
        let force = result.contacts[3][0].force;
        assert!((force[2] - 10.0).abs() < 1e-6, "{response:?}: {force:?}");
        assert!(result.energy_drift() < 1e-9, "{response:?}: {}", result.energy_drift());
    }
    Ok(())
}

proptest::proptest! {
    /// Going back along the normal by the distance leads to the surface, from outside and from inside.
    #[test]
    fn a_distance_leads_to_the_surface(x in -2.0..2.0, y in -2.0..2.0, z in -2.0..2.0) {
        let (point, center) = (Vec3([x, y, z]), [0.1, -0.2, 0.05]);
        for shape in [
            SurfaceShape::Plane { through: center, normal: [0.6, 0.0, 0.8] },
            SurfaceShape::Box { center, half: [0.5, 0.8, 1.1] },
            SurfaceShape::Sphere { center, radius: 0.9 },
        ] {
            let (distance, normal) = shape.distance(point);
            proptest::prop_assert!((normal.norm_squared() - 1.0).abs() < 1e-14);
            // Sums of numbers of size two.
            proptest::prop_assert!(shape.distance(point - normal * distance).0.abs() < 4e-15);
        }
    }
}

#[test]
fn what_cannot_be_ends_with_a_reason() -> Tested {
    let stack = Stack::new([0.0; 2], 0.0);
    let mut system = stack.system(ContactLaw::default())?;
    let deep = system.start(0.0, &stack.state(-2e-3));
    assert!(
        matches!(deep, Err(SimulationError::Inside { ref contact, .. }) if contact == "floor and lower"),
        "{deep:?}"
    );
    let unknown = system.act(Trigger::Time(0.0), Action::Release { ties: vec![String::from("glue")] });
    assert!(matches!(unknown, Err(SimulationError::UnknownTie { .. })));
    for law in [
        ContactLaw { restitution: 0.0, ..ContactLaw::default() },
        ContactLaw { restitution: 1.1, ..ContactLaw::default() },
        ContactLaw { stiffness: -1.0, ..ContactLaw::default() },
        ContactLaw { friction: f64::NAN, ..ContactLaw::default() },
    ] {
        assert!(matches!(stack.system(law), Err(SimulationError::BadContact { .. })), "{law:?}");
    }
    // Nothing there to hold: the run ends, with what there was.
    let mut mechanism = Mechanism::new(Vec3([0.0, 0.0, -GRAVITY]));
    let part = mechanism.add("brick", FreeBody::brick(SIZE, MASS));
    let hold = Coincident::new(part.origin(), dalembert::mechanism::BodyPoint::Fixed([0.0; 3]));
    mechanism.tie("hold", hold, true)?;
    let mut system = WithContacts::new(free(&mechanism)?, Contacts::new(&mechanism))?;
    system.act(Trigger::Time(0.5), Action::Attach { ties: vec![String::from("hold")], reach: 1e-3 })?;
    let start = system.start(0.0, &[&level([0.0; 3])[..], &[0.0; 6]].concat())?;
    let mut integrator = Rk4::new(system.size(), 1e-2)?;
    let result = run(&mut system, &mut integrator, &start, times(1.0, 10));
    assert_eq!(result.times.len(), 5);
    assert!(matches!(result.ended, Err(SimulationError::OutOfGrip { time, .. }) if time == 0.5), "{:?}", result.ended);
    Ok(())
}
