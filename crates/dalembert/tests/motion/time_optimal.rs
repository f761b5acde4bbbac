//! The fastest motion along a path.
//!
//! What must hold: no torque or speed passes its limit by more than 0.1 % anywhere, and at nearly every moment one of them is
//! at its limit, or the motion could be faster. Where the answer is known in closed form (a mass on a line, a limit on the
//! speed alone) it comes out. Every smooth profile along the same path takes longer.

use crate::cart::Cart;
use crate::common::limits;
use dalembert::Vec3;
use dalembert::delta::{Branch, Delta};
use dalembert::friction::Friction;
use dalembert::limits::JointLimits;
use dalembert::motion::{
    Arc, EXCESS, FrictionRange, Motion, MotionLimits, MotionPace, MotionSurvey, Mover, Path, PlanError, Point,
    Polyline, Profile, ProfileChoice, Reversed, RobotMotion, SemiEllipse, Travel, is_tolerated, shortest, slowed,
    time_optimal,
};
use dalembert::robot::{JointVector, Pick, Quantity, Robot};
use dalembert_proptest::robots;
use proptest::prelude::*;

const X: Vec3<f64> = Vec3([1.0, 0.0, 0.0]);

fn d3_1200() -> Mover {
    Mover::of_tool(&Robot::find("d3-1200").unwrap(), None, &Pick::default()).unwrap()
}

/// A Delta that moves its platform.
fn of_delta(robot: dalembert::DeltaRobot) -> Mover {
    Mover::of_tool(&robot.into(), None, &Pick::default()).unwrap()
}

fn cycle() -> Polyline<Vec3<f64>> {
    Polyline::pick_and_place(Vec3::new(0.0, 0.0, -0.9), X, 0.305, 0.025, 0.02).unwrap()
}

fn seen(machine: &Mover, motion: &impl Motion) -> (f64, f64) {
    limits::seen(machine, motion, 20_011)
}

#[test]
fn torques_are_at_their_limits_and_never_beyond() {
    let machine = d3_1200();
    let center = Vec3::new(0.05, 0.02, -0.9);
    let paths: [Box<dyn Path<Point = Vec3<f64>>>; 5] = [
        Box::new(cycle()),
        Box::new(Reversed(cycle())),
        Box::new(SemiEllipse::new(center, Vec3::new(0.3, 1.0, 0.0), 0.25, 0.05).unwrap()),
        Box::new(Arc::circle(center, 0.125).unwrap()),
        Box::new(Polyline::line(Vec3::new(-0.3, 0.1, -0.8), Vec3::new(0.3, -0.2, -0.95)).unwrap()),
    ];
    for (i, path) in paths.iter().enumerate() {
        for payload in [0.0, 4.0] {
            let loaded = machine.robot.with_payload(payload).unwrap();
            let machine = Mover::of_tool(&loaded, None, &Pick::default()).unwrap();
            let best = time_optimal(path, &machine, None).unwrap();
            let travel = Travel::new(path, |_| Ok(best.profile.clone())).unwrap();
            let (largest, active) = seen(&machine, &travel);
            println!(
                "path {i}, {payload} kg: {:.4} s, {} intervals, tightest {largest:.5}, active {active:.4}",
                best.profile.duration(),
                best.intervals
            );
            assert!(largest < 1.0 + EXCESS, "path {i}: {largest}");
            assert!(active > 0.98 && best.active > 0.98, "path {i}: {active}");
            // Nothing else is as fast.
            for profile in [
                Profile::parabolic(path.length(), 0.3).unwrap(),
                Profile::sine_on_ramp(path.length(), 0.3, 1.0).unwrap(),
                Profile::polynomial345(path.length(), 0.3).unwrap(),
            ] {
                let profile = shortest(path, &machine, &profile).unwrap();
                let travel = Travel::new(path, |_| Ok(profile.clone())).unwrap();
                let (largest, _) = seen(&machine, &travel);
                assert!(largest < 1.0 + EXCESS && largest > 0.99, "{largest}");
                assert!(
                    profile.duration() > best.profile.duration() * (1.0 - EXCESS),
                    "{} {}",
                    profile.duration(),
                    best.profile.duration()
                );
            }
        }
    }
}

/// With smoothing the acceleration goes on without a jump, and it costs time.
#[test]
fn smoothing_costs_time_and_keeps_the_limits() {
    let machine = d3_1200();
    let path = cycle();
    let mut before = 0.0_f64;
    for smoothing in [0.005, 0.01, 0.02] {
        let planning = Some(smoothing);
        let best = time_optimal(&path, &machine, planning).unwrap();
        let travel = Travel::new(&path, |_| Ok(best.profile.clone())).unwrap();
        println!("{smoothing}: {} from {}", best.profile.duration(), best.unsmoothed);
        assert!(best.profile.duration() > before.max(best.unsmoothed));
        before = best.profile.duration();
        assert!(seen(&machine, &travel).0 < 1.0 + EXCESS);
        assert!(travel.at(0.0).acceleration.length() < 1e-6, "{:?}", travel.at(0.0));
        assert!(travel.at(travel.duration()).velocity.length() < 1e-9);
        assert!((best.profile.at(travel.duration()).s - path.length()).abs() < 1e-9);
        // No jumps: over a step h the path acceleration changes by at most the range of s̈ times h over the window.
        let (h, mut largest, mut change) = (1e-5, 0.0_f64, 0.0_f64);
        for k in 0..(travel.duration() / h) as u32 {
            let (now, next) = (best.profile.at(f64::from(k) * h), best.profile.at(f64::from(k + 1) * h));
            largest = largest.max(now.acceleration.abs());
            change = change.max((next.acceleration - now.acceleration).abs());
        }
        assert!(change < 2.5 * largest * h / smoothing, "{change} {largest}");
    }
}

/// The more it is smoothed, the longer it takes and the less it jerks, as far as it can be smoothed at all.
#[test]
fn smoothing_never_makes_it_jerkier() {
    let machine = d3_1200();
    let path = Polyline::line(Vec3::new(-0.15, 0.0, -0.9), Vec3::new(0.15, 0.0, -0.9)).unwrap();
    let smoothed = |window| time_optimal(&path, &machine, Some(window)).map(|best| best.profile);
    let (mut duration, mut jerk) = (0.0, f64::INFINITY);
    for window in [1e-6, 1e-3, 5e-3, 0.02, 0.05] {
        let profile = smoothed(window).unwrap();
        let h = 1e-7_f64.min(0.1 * window);
        let steps = 20_000;
        let most = (0..steps).map(|k| {
            let t = (profile.duration() - h) * f64::from(k) / f64::from(steps);
            (profile.at(t + h).acceleration - profile.at(t).acceleration).abs() / h
        });
        let most = most.fold(0.0, f64::max);
        assert!((profile.at(profile.duration()).s - path.length()).abs() < 1e-9 * path.length());
        assert!(profile.duration() > duration && (window < 1e-3 || most < jerk), "{window}: {most} {jerk}");
        (duration, jerk) = (profile.duration(), if window < 1e-3 { f64::INFINITY } else { most });
    }
    for window in [1e-12, 0.5, 100.0] {
        let error = smoothed(window).unwrap_err();
        assert!(matches!(error, PlanError::SmoothingOfThis { .. }), "{error}");
    }
}

#[test]
fn a_cart_takes_the_time_of_a_parabola_or_a_trapezoid() {
    let path = Polyline::line(JointVector::from([0.2]), [1.7].into()).unwrap();
    for (force, speed, friction) in [(6.0, 100.0, 0.0), (6.0, 1.2, 0.0), (6.0, 100.0, 1.5)] {
        let limits = JointLimits { max_torque: force, max_speed: speed, ..JointLimits::NONE };
        let dry = Friction { coulomb: friction, static_friction: friction, ..Friction::NONE };
        let cart = Cart { limits, mass: 2.0, friction: Some(dry), damping: 0.0 }.mover();
        let best = time_optimal(&path, &cart, None).unwrap();
        // It accelerates with (F − f)/m and brakes with (F + f)/m: v = √(2D/(1/a + 1/b)).
        let (up, down) = ((force - friction) / 2.0, (force + friction) / 2.0);
        let inverse = 1.0 / up + 1.0 / down;
        let peak = (2.0 * 1.5 / inverse).sqrt().min(speed);
        let known = peak * inverse + (1.5 - 0.5 * peak * peak * inverse) / peak;
        // A grid point is not where it switches: second order in an interval.
        let off = (best.profile.duration() - known) / known;
        assert!((-1e-3..1e-3).contains(&off), "{known} {off:e}");
        assert!(best.active > 0.98, "{}", best.active);
    }
}

/// With damping alone, m v̇ = ±F − d v: v grows as F/d (1 − e^(−d t/m)) and falls as the same backwards from −F.
#[test]
fn a_damped_cart_takes_the_time_of_its_exponentials() {
    let (force, mass, damping, length) = (6.0, 2.0, 3.0, 1.5);
    let limits = JointLimits { max_torque: force, ..JointLimits::NONE };
    let cart = Cart { limits, mass, friction: Some(Friction::NONE), damping }.mover();
    let path = Polyline::line(JointVector::from([0.0]), [length].into()).unwrap();
    let best = time_optimal(&path, &cart, None).unwrap();
    // Distance and time to speed up to v, and to come to rest from it.
    let (fastest, rate) = (force / damping, damping / mass);
    let up = |v: f64| [-(v / rate) - fastest / rate * (1.0 - v / fastest).ln(), -(1.0 - v / fastest).ln() / rate];
    let down = |v: f64| [v / rate - fastest / rate * (1.0 + v / fastest).ln(), (1.0 + v / fastest).ln() / rate];
    let (mut low, mut high) = (0.0, fastest * (1.0 - 1e-12));
    for _ in 0..100 {
        let v = 0.5 * (low + high);
        if up(v)[0] + down(v)[0] < length { low = v } else { high = v }
    }
    let known = up(low)[1] + down(low)[1];
    let off = best.profile.duration() / known - 1.0;
    assert!((-1e-3..2e-3).contains(&off), "{known} {off:e}");
}

/// Joints that reverse, and starts from rest, go through the peak of the friction within microseconds: none of the planner's
/// places need be there, and yet it has to hold. The assumed direct-drive robot has 0.4 N m of 60; then up to a twelfth.
#[test]
fn dry_friction_is_within_the_limits_too() {
    let robot = dalembert::DeltaRobot::parse(include_str!("../../../../robots/direct-drive-assumed.toml")).unwrap();
    let center = dalembert::robot::families::delta::Reach::of(&robot.delta).center;
    let paths: [Box<dyn Path<Point = Vec3<f64>>>; 4] = [
        Box::new(Polyline::pick_and_place(center, X, 0.305, 0.025, 0.02).unwrap()),
        Box::new(Arc::circle(center, 0.1).unwrap()),
        Box::new(SemiEllipse::new(center, Vec3::new(0.3, 1.0, 0.0), 0.25, 0.05).unwrap()),
        Box::new(Polyline::line(center - Vec3::new(0.1, 0.05, 0.0), center + Vec3::new(0.1, 0.0, 0.05)).unwrap()),
    ];
    for [coulomb, most] in [[0.3, 0.4], [3.0, 5.0]] {
        let changed = robot.changed(|parameters| {
            for arm in &mut parameters.arms {
                let friction = arm.motor.friction.unwrap();
                arm.motor.friction = Some(Friction { coulomb, static_friction: most, ..friction });
            }
        });
        let machine = of_delta(changed.unwrap());
        for (i, path) in paths.iter().enumerate() {
            let best = time_optimal(path, &machine, None).unwrap();
            let travel = Travel::new(path, |_| Ok(best.profile.clone())).unwrap();
            let (largest, active) = seen_closely(&machine, &travel);
            println!(
                "path {i}, {most} N m: {:.4} s, {} intervals, tightest {largest:.5} ({:.5}), active {active:.4}",
                best.profile.duration(),
                best.intervals,
                best.tightest
            );
            assert!(largest < 1.0 + EXCESS && best.tightest <= 1.0 + EXCESS, "path {i}: {largest}");
            // A bound that is kept for a while is not far from what there is.
            assert!(active > 0.98, "path {i}: {active}");
            let profile = shortest(path, &machine, &Profile::parabolic(path.length(), 0.3).unwrap()).unwrap();
            let travel = Travel::new(path, |_| Ok(profile.clone())).unwrap();
            let (largest, _) = seen_closely(&machine, &travel);
            assert!(largest < 1.0 + EXCESS && largest > 0.98, "path {i}: {largest}");
        }
    }
}

/// As [`seen`], and a hundred times as dense over the first and the last thousandth.
fn seen_closely(machine: &Mover, motion: &impl Motion) -> (f64, f64) {
    const SAMPLES: u32 = 200_011;
    let share = |t: f64| machine.tightest(&machine.load(&motion.at(t)).unwrap()).0;
    let (mut largest, mut active) = (0.0_f64, 0);
    for k in 0..SAMPLES {
        let part = (f64::from(k) + 0.5) / f64::from(SAMPLES);
        let now = share(part * motion.duration());
        largest = largest.max(now);
        active += u32::from(now > 0.99);
        if k % 10 == 0 {
            let near = 1e-3 * part * motion.duration();
            largest = largest.max(share(near)).max(share(motion.duration() - near));
        }
    }
    (largest, f64::from(active) / f64::from(SAMPLES))
}

/// Limits of the path hold beside those of the robot, and where the robot does not get there is no motion at all.
#[test]
fn limits_of_the_path_do_not_replace_those_of_the_robot() {
    let machine = d3_1200();
    let wild = MotionLimits { speed: 50.0, acceleration: 5000.0, jerk: 1e7 };
    let calm = MotionLimits { speed: 1.0, acceleration: 20.0, jerk: 1e3 };
    for choice in [ProfileChoice::DoubleS as fn(_) -> _, ProfileChoice::Trapezoidal] {
        let profile = |limits| choice(Some(limits)).along(&cycle(), &machine, MotionPace::Shortest).unwrap().profile;
        let travel = Travel::new(cycle(), |_| Ok(profile(wild))).unwrap();
        let (largest, _) = seen(&machine, &travel);
        assert!(largest < 1.0 + EXCESS && largest > 0.99, "{largest}");
        // What the robot can do without effort is left as it is, where the path is straight: the corners take an acceleration too.
        let line = Polyline::line(Vec3::new(-0.15, 0.0, -0.9), Vec3::new(0.15, 0.0, -0.9)).unwrap();
        let jerk = if choice(Some(calm)) == ProfileChoice::DoubleS(Some(calm)) { calm.jerk } else { f64::INFINITY };
        let plain = Profile::double_s(line.length(), MotionLimits { jerk, ..calm }).unwrap();
        let found = choice(Some(calm)).along(&line, &machine, MotionPace::Shortest).unwrap().profile;
        // Where a limit is reached exactly, rounding may stretch it by a few digits.
        assert!((found.duration() - plain.duration()).abs() < 1e-12);
        assert_eq!(slowed(&line, &machine, &plain).unwrap(), plain);
        assert!(profile(calm).duration() > Profile::double_s(cycle().length(), calm).unwrap().duration());
        let far = Polyline::line(Vec3::new(0.0, 0.0, -0.9), Vec3::new(2.0, 0.0, -0.9)).unwrap();
        assert!(choice(Some(wild)).along(&far, &machine, MotionPace::Shortest).is_err());
    }
}

/// A stretched profile is judged as it is, not as it was.
#[test]
fn a_slower_law_has_no_limit_active() {
    let optimal = ProfileChoice::TimeOptimal(None);
    let active = |pace| optimal.along(&cycle(), &d3_1200(), pace).unwrap().optimal.unwrap().1;
    assert!(active(MotionPace::Shortest) > 0.98);
    assert_eq!(active(MotionPace::Duration(1.0)), 0.0);
    assert_eq!(active(MotionPace::Slower(3.0)), 0.0);
}

#[test]
fn joints_of_an_arm_too() {
    let robot = Robot::find("puma560").unwrap();
    let points = [[0.0, -0.5, 0.3, 0.0, 0.4, 0.0], [0.6, -0.2, 0.0, 0.3, 0.4, 0.2], [1.0, -0.8, 0.5, 0.3, 0.0, 0.2]];
    let path = Polyline::new(&points.map(JointVector::from), 0.25).unwrap();
    let machine = Mover::of_joints(&robot, &Pick::default());
    assert!(machine.joints.iter().all(|joint| joint.limits.max_torque.is_finite()));
    let best = time_optimal(&path, &machine, None).unwrap();
    let travel = Travel::new(&path, |_| Ok(best.profile.clone())).unwrap();
    let (largest, active) = seen(&machine, &travel);
    assert!(largest < 1.0 + EXCESS && active > 0.98, "{largest} {active}");
}

#[test]
fn what_cannot_be_says_where_and_which() {
    let machine = d3_1200();
    let far = Polyline::line(Vec3::new(0.0, 0.0, -0.9), Vec3::new(0.9, 0.0, -0.9)).unwrap();
    let torque = machine.clone().limited(|_, _| JointLimits { max_torque: 80.0, ..JointLimits::NONE });
    let error = time_optimal(&far, &torque, None).unwrap_err();
    assert!(error.to_string().starts_with("the path at s = 0."), "{error}");
    let PlanError::InvalidParameters { at, .. } = error else { panic!("out of reach") };
    assert!((0.3..0.9).contains(&at.s) && at.unit == "m" && at.position[0] == at.s);
    let weak = machine.clone().limited(|_, _| JointLimits { max_torque: 1.0, ..JointLimits::NONE });
    let error = time_optimal(&cycle(), &weak, None).unwrap_err();
    let PlanError::CannotHold { violation, .. } = error else { panic!("{error}") };
    assert_eq!((violation.quantity, violation.limit.abs()), (Quantity::Torque, 1.0));
    let narrow = machine.clone().limited(|_, own| JointLimits { range: [0.5, 1.0], ..own });
    assert!(matches!(time_optimal(&cycle(), &narrow, None), Err(PlanError::Range { .. })));
    let free = machine.clone().limited(|_, _| JointLimits::NONE);
    assert_eq!(time_optimal(&cycle(), &free, None), Err(PlanError::NoLimit));
    let bad = Some(f64::NAN);
    assert!(matches!(time_optimal(&cycle(), &machine, bad), Err(PlanError::Smoothing(_))));
    // A motion that goes too fast says so, and when.
    let travel = Travel::new(cycle(), |d| Profile::parabolic(d, 0.05)).unwrap();
    let survey = MotionSurvey::of(&machine, &RobotMotion::translating(travel), 1000).unwrap();
    assert!(
        survey.violations.iter().any(|(t, p)| p.quantity == Quantity::Torque && *t <= 0.05 && p.value.abs() > 80.0)
    );
}

/// Each kind of limit has its worst place, whatever else is passed there; an angle may be below a positive end.
#[test]
fn a_survey_hides_no_limit_behind_another() {
    let machine = d3_1200();
    let travel = RobotMotion::translating(Travel::new(cycle(), |d| Profile::sine_on_ramp(d, 0.3, 1.0)).unwrap());
    let free = MotionSurvey::of(&machine.clone().limited(|_, _| JointLimits::NONE), &travel, 1000).unwrap();
    assert!(free.violations.is_empty());
    let most =
        |f: fn(&dalembert::motion::JointSurvey) -> f64| free.joints.iter().map(f).fold(f64::NEG_INFINITY, f64::max);
    let (lowest, speed, torque) = (-most(|j| -j.range[0]), most(|j| j.peak_speed), most(|j| j.peak_torque));
    let range = [lowest + 0.5, 3.0];
    assert!(range[0] > 0.0);
    // Torque is passed by far, speed by little.
    let limits = JointLimits {
        max_torque: 0.1 * torque,
        max_speed: 0.9 * speed,
        range,
        max_ball_angle: 1e-3,
        ..JointLimits::NONE
    };
    let survey = MotionSurvey::of(&machine.limited(|_, _| limits), &travel, 1000).unwrap();
    assert_eq!(survey.violations.len(), 4, "{:?}", survey.violations);
    for (_, passed) in &survey.violations {
        let (value, limit) = match passed.quantity {
            Quantity::Torque => (torque, limits.max_torque),
            Quantity::Speed => (speed, limits.max_speed),
            Quantity::Position => (lowest, range[0]),
            Quantity::BallAngle => (passed.value, 1e-3),
        };
        assert_eq!((passed.value.abs(), passed.limit.abs()), (value.abs(), limit), "{passed}");
        assert!(!is_tolerated(passed) && (passed.beyond() - (value - limit).abs()).abs() < 1e-12);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// No speed of an interval has less or more friction; and both are reached, to what the samples miss.
    #[test]
    fn the_range_of_friction_misses_nothing(
        viscous in 0.0..1.0_f64, coulomb in 0.0..5.0_f64, more in -2.0..5.0_f64, stribeck in -3.0..0.5_f64,
        smoothing in -5.0..0.0_f64, ends in prop::array::uniform2(-6.0..1.0_f64), signs in 0..3_usize,
    ) {
        let friction = Friction {
            viscous,
            coulomb,
            static_friction: (coulomb + more).max(0.0),
            stribeck_velocity: 10_f64.powf(stribeck),
            smoothing_velocity: 10_f64.powf(smoothing),
            own: None,
        };
        let [a, b] = ends.map(|end| 10_f64.powf(end));
        let (low, high) = [(a.min(b), a.max(b)), (-a, b), (-a.max(b), -a.min(b))][signs];
        let [least, most] = FrictionRange::new(friction).over(low, high);
        let [mut seen_least, mut seen_most] = [f64::INFINITY, f64::NEG_INFINITY];
        // Dense where the speeds are small.
        for k in 0..=8000 {
            let part = f64::from(k) / 8000.0;
            let speed = match signs {
                1 if part < 0.5 => low * 1e-8_f64.powf(2.0 * part),
                1 => high * 1e-8_f64.powf(2.0 - 2.0 * part),
                _ => low * (high / low).powf(part),
            };
            let torque = friction.torque(speed);
            [seen_least, seen_most] = [seen_least.min(torque), seen_most.max(torque)];
        }
        let all = 10.0 * viscous + coulomb + more.abs();
        let rounding = 1e-12 * (1.0 + all);
        prop_assert!(least <= seen_least + rounding && seen_most <= most + rounding);
        // Neighbours are half a percent of a speed apart, over which nothing changes by more than one percent of all.
        prop_assert!(seen_least - least <= 0.01 * all + rounding && most - seen_most <= 0.01 * all + rounding);
    }

    /// Random robots without symmetry, random lines in their reach, random torque limits above what holds them.
    #[test]
    fn random_robots_keep_their_limits(
        delta in robots(), ends in prop::array::uniform6(-0.3..0.3_f64), spare in 1.5..10.0_f64, speed in 2.0..40.0_f64,
        rubs in any::<bool>(), dry in prop::array::uniform2(0.0..0.1_f64), stribeck in -2.0..0.0_f64, smoothing in -3.0..-1.0_f64,
    ) {
        let reach = dalembert::robot::families::delta::Reach::of(&delta);
        let size = reach.radius;
        prop_assume!(size > 1e-3);
        let end = |k: usize| reach.center + Vec3::new(ends[k], ends[k + 1], ends[k + 2]) * size;
        let path = Polyline::line(end(0), end(3));
        prop_assume!(path.is_ok());
        let path = path.unwrap();
        let mut holding = 0.0_f64;
        for k in 0..=50 {
            let point = path.at(path.length() * f64::from(k) / 50.0).position;
            let Ok(pose) = Delta::at_position(&delta, point, Branch::Out) else { return Ok(()) };
            prop_assume!(pose.transmission_margins().iter().all(|m| m.abs() > 0.1) && pose.rod_determinant().abs() > 0.1);
            holding = pose.gravity_torque().iter().fold(holding, |most, tau| most.max(tau.abs()));
        }
        prop_assume!(holding > 1e-6);
        let limits = JointLimits { max_torque: spare * holding, max_speed: speed, ..JointLimits::NONE };
        // Friction of up to a fifth of what the motors have left.
        let mut parameters = *delta.parameters();
        let torque = (spare - 1.0) * holding;
        for arm in &mut parameters.arms {
            arm.motor.friction = rubs.then_some(Friction {
                viscous: 0.0,
                coulomb: dry[0] * torque,
                static_friction: (dry[0] + dry[1]) * torque,
                stribeck_velocity: 10_f64.powf(stribeck),
                smoothing_velocity: 10_f64.powf(smoothing),
                own: None,
            });
        }
        let robot = dalembert::DeltaRobot { delta: Delta::new(parameters), ..dalembert::robots::d3_1200().unwrap() };
        let machine = of_delta(robot).limited(|_, _| limits);
        let best = time_optimal(&path, &machine, None).unwrap();
        let travel = Travel::new(&path, |_| Ok(best.profile.clone())).unwrap();
        let (largest, active) = seen(&machine, &travel);
        prop_assert!(largest < 1.0 + EXCESS, "{largest}");
        prop_assert!(active > 0.98, "{active}, {} intervals", best.intervals);
    }
}
