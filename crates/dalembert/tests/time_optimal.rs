//! The fastest motion along a path.
//!
//! What must hold: no torque or speed passes its limit by more than 0.1 % anywhere, and at nearly every moment one of them is
//! at its limit, or the motion could be faster. Where the answer is known in closed form (a mass on a line, a limit on the
//! speed alone) it comes out. Every smooth law along the same path takes longer.

use dalembert::delta::{Branch, Delta, Limits};
use dalembert::motion::{
    Arc, ArmMachine, DeltaMachine, EXCESS, Impossible, Law, Load, Machine, Motion, Path, PlanError, Planning, Point,
    Polyline, Quantity, Reversed, SemiEllipse, State, Survey, Travel, shortest, time_optimal,
};
use dalembert::proptest::robots;
use dalembert::{SerialArm, Vec3, robots};
use proptest::prelude::*;

const X: Vec3<f64> = Vec3([1.0, 0.0, 0.0]);

fn d3_1200() -> DeltaMachine {
    DeltaMachine::new(&robots::d3_1200().unwrap(), Branch::Out)
}

fn door() -> Polyline<Vec3<f64>> {
    Polyline::door(Vec3::new(0.0, 0.0, -0.9), X, 0.305, 0.025, 0.02).unwrap()
}

/// The largest share of a limit and the share of time within 1 % of one, at times that the planner has not looked at.
fn seen<M: Machine>(machine: &M, motion: &impl Motion<Point = M::Point>) -> (f64, f64) {
    const SAMPLES: u32 = 20_011;
    let (mut largest, mut active) = (0.0_f64, 0);
    for k in 0..SAMPLES {
        let t = (f64::from(k) + 0.5) / f64::from(SAMPLES) * motion.duration();
        let (share, _) = machine.tightest(&machine.load(&motion.at(t)).unwrap());
        largest = largest.max(share);
        active += u32::from(share > 0.99);
    }
    (largest, f64::from(active) / f64::from(SAMPLES))
}

#[test]
fn torques_are_at_their_limits_and_never_beyond() {
    let machine = d3_1200();
    let center = Vec3::new(0.05, 0.02, -0.9);
    let paths: [Box<dyn Path<Point = Vec3<f64>>>; 5] = [
        Box::new(door()),
        Box::new(Reversed(door())),
        Box::new(SemiEllipse::new(center, Vec3::new(0.3, 1.0, 0.0), 0.25, 0.05).unwrap()),
        Box::new(Arc::circle(center, 0.125).unwrap()),
        Box::new(Polyline::line(Vec3::new(-0.3, 0.1, -0.8), Vec3::new(0.3, -0.2, -0.95)).unwrap()),
    ];
    for (i, path) in paths.iter().enumerate() {
        for payload in [0.0, 4.0] {
            let machine = machine.carrying(payload).unwrap();
            let best = time_optimal(path, &machine, &Planning::default()).unwrap();
            let travel = Travel::new(path, |_| Ok(best.law.clone())).unwrap();
            let (largest, active) = seen(&machine, &travel);
            println!(
                "path {i}, {payload} kg: {:.4} s, {} intervals, tightest {largest:.5}, active {active:.4}",
                best.law.duration(),
                best.intervals
            );
            assert!(largest < 1.0 + EXCESS, "path {i}: {largest}");
            assert!(active > 0.98 && best.active > 0.98, "path {i}: {active}");
            // Nothing else is as fast.
            for law in [
                Law::parabolic(path.length(), 0.3).unwrap(),
                Law::sine_on_ramp(path.length(), 0.3, 1.0).unwrap(),
                Law::polynomial345(path.length(), 0.3).unwrap(),
            ] {
                let law = shortest(path, &machine, &law).unwrap();
                let travel = Travel::new(path, |_| Ok(law.clone())).unwrap();
                let (largest, _) = seen(&machine, &travel);
                assert!(largest < 1.0 + EXCESS && largest > 0.99, "{largest}");
                assert!(
                    law.duration() > best.law.duration() * (1.0 - EXCESS),
                    "{} {}",
                    law.duration(),
                    best.law.duration()
                );
            }
        }
    }
}

/// With smoothing the acceleration goes on without a jump, and it costs time.
#[test]
fn smoothing_costs_time_and_keeps_the_limits() {
    let machine = d3_1200();
    let path = door();
    let mut before = 0.0_f64;
    for smoothing in [0.005, 0.01, 0.02] {
        let planning = Planning { smoothing: Some(smoothing), ..Planning::default() };
        let best = time_optimal(&path, &machine, &planning).unwrap();
        let travel = Travel::new(&path, |_| Ok(best.law.clone())).unwrap();
        println!("{smoothing}: {} from {}", best.law.duration(), best.unsmoothed);
        assert!(best.law.duration() > before.max(best.unsmoothed));
        before = best.law.duration();
        assert!(seen(&machine, &travel).0 < 1.0 + EXCESS);
        assert!(travel.at(0.0).acceleration.length() < 1e-6, "{:?}", travel.at(0.0));
        assert!(travel.at(travel.duration()).velocity.length() < 1e-9);
        assert!((best.law.at(travel.duration()).s - path.length()).abs() < 1e-9);
        // No jumps: over a step h the path acceleration changes by at most the range of s̈ times h over the window.
        let (h, mut largest, mut change) = (1e-5, 0.0_f64, 0.0_f64);
        for k in 0..(travel.duration() / h) as u32 {
            let (now, next) = (best.law.at(f64::from(k) * h), best.law.at(f64::from(k + 1) * h));
            largest = largest.max(now.acceleration.abs());
            change = change.max((next.acceleration - now.acceleration).abs());
        }
        assert!(change < 2.5 * largest * h / smoothing, "{change} {largest}");
    }
}

/// A mass that two forces move along a line, with friction where asked: all is known.
struct Cart {
    limits: [Limits; 1],
    mass: f64,
    friction: f64,
}

impl Machine for Cart {
    type Point = [f64; 1];
    fn limits(&self) -> &[Limits] {
        &self.limits
    }
    fn load(&self, state: &State<[f64; 1]>) -> Result<Load, Impossible> {
        let one = |x: f64| {
            let mut all = [0.0; 8];
            all[0] = x;
            all
        };
        let friction = self.friction * (state.velocity[0] / 1e-3).tanh();
        let torque = self.mass * state.acceleration[0] + friction;
        Ok(Load {
            q: one(state.position[0]),
            qd: one(state.velocity[0]),
            qdd: one(state.acceleration[0]),
            torque: one(torque),
            friction: one(friction),
            ball: [0.0; 8],
        })
    }
}

#[test]
fn a_cart_takes_the_time_of_a_parabola_or_a_trapezoid() {
    let path = Polyline::line([0.2], [1.7]).unwrap();
    for (force, speed, friction) in [(6.0, 100.0, 0.0), (6.0, 1.2, 0.0), (6.0, 100.0, 1.5)] {
        let limits = [Limits { max_torque: force, max_speed: speed, ..Limits::NONE }];
        let best = time_optimal(&path, &Cart { limits, mass: 2.0, friction }, &Planning::default()).unwrap();
        // It accelerates with (F − f)/m and brakes with (F + f)/m: v = √(2D/(1/a + 1/b)).
        let (up, down) = ((force - friction) / 2.0, (force + friction) / 2.0);
        let inverse = 1.0 / up + 1.0 / down;
        let peak = (2.0 * 1.5 / inverse).sqrt().min(speed);
        let known = peak * inverse + (1.5 - 0.5 * peak * peak * inverse) / peak;
        // A grid point is not where it switches: second order in an interval.
        let off = (best.law.duration() - known) / known;
        assert!((-1e-3..1e-3).contains(&off), "{known} {off:e}");
        assert!(best.active > 0.98, "{}", best.active);
    }
}

#[test]
fn joints_of_an_arm_too() {
    let robot = robots::puma560().unwrap();
    let SerialArm::Six(arm) = &robot.arm else { panic!("six joints") };
    let points = [[0.0, -0.5, 0.3, 0.0, 0.4, 0.0], [0.6, -0.2, 0.0, 0.3, 0.4, 0.2], [1.0, -0.8, 0.5, 0.3, 0.0, 0.2]];
    let path = Polyline::new(&points, 0.25).unwrap();
    let machine = ArmMachine::new(arm, &robot);
    assert!(machine.limits().iter().all(|l| l.max_torque.is_finite()));
    let best = time_optimal(&path, &machine, &Planning::default()).unwrap();
    let travel = Travel::new(&path, |_| Ok(best.law.clone())).unwrap();
    let (largest, active) = seen(&machine, &travel);
    assert!(largest < 1.0 + EXCESS && active > 0.98, "{largest} {active}");
}

#[test]
fn what_cannot_be_says_where_and_which() {
    let machine = d3_1200();
    let far = Polyline::line(Vec3::new(0.0, 0.0, -0.9), Vec3::new(0.9, 0.0, -0.9)).unwrap();
    let torque = DeltaMachine { limits: [Limits { max_torque: 80.0, ..Limits::NONE }; 3], ..machine };
    let PlanError::Impossible { s, .. } = time_optimal(&far, &torque, &Planning::default()).unwrap_err() else {
        panic!("out of reach")
    };
    assert!((0.3..0.9).contains(&s));
    let weak = DeltaMachine { limits: [Limits { max_torque: 1.0, ..Limits::NONE }; 3], ..machine };
    let error = time_optimal(&door(), &weak, &Planning::default()).unwrap_err();
    let PlanError::CannotHold { passed, .. } = error else { panic!("{error}") };
    assert_eq!((passed.quantity, passed.limit), (Quantity::Torque, 1.0));
    let narrow = DeltaMachine { limits: [Limits { range: [0.5, 1.0], ..machine.limits[0] }; 3], ..machine };
    assert!(matches!(time_optimal(&door(), &narrow, &Planning::default()), Err(PlanError::Range { .. })));
    let free = DeltaMachine { limits: [Limits::NONE; 3], ..machine };
    assert_eq!(time_optimal(&door(), &free, &Planning::default()), Err(PlanError::NoLimit));
    let bad = Planning { smoothing: Some(f64::NAN), ..Planning::default() };
    assert!(matches!(time_optimal(&door(), &machine, &bad), Err(PlanError::Smoothing(_))));
    // A motion that goes too fast says so, and when.
    let travel = Travel::new(door(), |d| Law::parabolic(d, 0.05)).unwrap();
    let survey = Survey::of(&machine, &travel, 1000).unwrap();
    assert!(survey.passed.iter().any(|(t, p)| p.quantity == Quantity::Torque && *t <= 0.05 && p.value.abs() > 80.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Random robots without symmetry, random lines in their reach, random torque limits above what holds them.
    #[test]
    fn random_robots_keep_their_limits(
        delta in robots(), ends in prop::array::uniform6(-0.3..0.3_f64), spare in 1.5..10.0_f64, speed in 2.0..40.0_f64,
    ) {
        let reach = dalembert::analyze::Reach::of(&delta);
        let size = reach.radius;
        prop_assume!(size > 1e-3);
        let end = |k: usize| reach.center + Vec3::new(ends[k], ends[k + 1], ends[k + 2]) * size;
        let path = Polyline::line(end(0), end(3));
        prop_assume!(path.is_ok());
        let path = path.unwrap();
        let free = DeltaMachine { delta, limits: [Limits::NONE; 3], branch: Branch::Out };
        let mut holding = 0.0_f64;
        for k in 0..=50 {
            let point = path.at(path.length() * f64::from(k) / 50.0).position;
            let Ok(pose) = Delta::at_position(&delta, point, Branch::Out) else { return Ok(()) };
            prop_assume!(pose.transmission_margins().0.iter().all(|m| m.abs() > 0.1) && pose.rod_determinant().abs() > 0.1);
            holding = pose.gravity_torque().0.iter().fold(holding, |most, tau| most.max(tau.abs()));
        }
        prop_assume!(holding > 1e-6);
        let limits = [Limits { max_torque: spare * holding, max_speed: speed, ..Limits::NONE }; 3];
        let machine = DeltaMachine { limits, ..free };
        let best = time_optimal(&path, &machine, &Planning::default()).unwrap();
        let travel = Travel::new(&path, |_| Ok(best.law.clone())).unwrap();
        let (largest, active) = seen(&machine, &travel);
        prop_assert!(largest < 1.0 + EXCESS, "{largest}");
        prop_assert!(active > 0.98, "{active}, {} intervals", best.intervals);
    }
}
