//! A limit of the jerk for the fastest motion.
//!
//! What must hold, seen from outside by the analytic motion: the acceleration of what moves is continuous and changes over any
//! time h by no more than limit · h, as a vector; torques and speeds stay within their limits; a larger limit never takes
//! longer; without end it takes what the motion takes without it; and no smoothing with the same jerk is faster. On a cart
//! the answer is known.

use crate::cart::Cart;
use dalembert::Vec3;
use dalembert::limits::JointLimits;
use dalembert::motion::{
    EXCESS, Motion, MotionLimits, MotionOrder, MotionPace, Mover, Path, Point, Polyline, Profile, ProfileChoice,
    SemiEllipse, TimeOptimal, Travel, time_optimal,
};
use dalembert::robot::{JointVector, Pick, Robot};
use proptest::prelude::*;

const X: Vec3<f64> = Vec3([1.0, 0.0, 0.0]);

fn d3_1200() -> Mover {
    Mover::of_tool(&Robot::find("d3-1200").unwrap(), None, &Pick::default()).unwrap()
}

fn cycle() -> Polyline<Vec3<f64>> {
    Polyline::pick_and_place(Vec3::new(0.0, 0.0, -0.9), X, 0.305, 0.025, 0.02).unwrap()
}

/// The robot with a limit of the jerk of what it moves.
fn within(machine: &Mover, jerk: f64) -> Mover {
    machine.clone().within(MotionLimits { jerk, ..MotionLimits::NONE }, MotionLimits::NONE)
}

fn planned<P: Path>(path: &P, machine: &Mover) -> TimeOptimal {
    time_optimal(path, machine, None).unwrap()
}

fn smoothed<P: Path>(path: &P, machine: &Mover, window: f64) -> TimeOptimal {
    time_optimal(path, machine, Some(window)).unwrap()
}

/// The largest change of the acceleration over a step, by its length: the mean jerk there, so never more than the largest.
fn seen_jerk(motion: &impl Motion) -> f64 {
    const STEPS: u32 = 40_009;
    let h = motion.duration() / f64::from(STEPS);
    let at = |k: u32| motion.at(f64::from(k) * h).acceleration;
    // From rest to rest: the ends count too.
    let inside = (0..STEPS).map(|k| at(k + 1).plus(-1.0, &at(k)).length() / h);
    inside.fold((at(0).length() / h).max(at(STEPS).length() / h), f64::max)
}

/// A profile along a straight line of its length.
fn straight(profile: &Profile) -> impl Motion {
    let line = Polyline::line(JointVector::from([0.0]), [profile.distance()].into()).unwrap();
    Travel::new(line, |_| Ok(profile.clone())).unwrap()
}

/// The largest share of a limit at times that the planner has not looked at.
fn tightest(machine: &Mover, motion: &impl Motion) -> f64 {
    const SAMPLES: u32 = 20_011;
    let share = |k: u32| {
        let t = (f64::from(k) + 0.5) / f64::from(SAMPLES) * motion.duration();
        machine.tightest(&machine.load(&motion.at(t)).unwrap()).0
    };
    (0..SAMPLES).map(share).fold(0.0, f64::max)
}

#[test]
fn the_limit_holds_and_a_larger_one_never_takes_longer() {
    let machine = d3_1200();
    let ellipse = SemiEllipse::new(Vec3::new(0.05, 0.02, -0.9), Vec3::new(0.3, 1.0, 0.0), 0.25, 0.05).unwrap();
    let paths: [Box<dyn Path<Point = Vec3<f64>>>; 2] = [Box::new(cycle()), Box::new(ellipse)];
    for path in &paths {
        let mut before = f64::INFINITY;
        for limit in [300.0, 1e4, 1e5, 1e9] {
            let best = planned(path, &within(&machine, limit));
            let travel = Travel::new(path, |_| Ok(best.profile.clone())).unwrap();
            let jerk = seen_jerk(&travel);
            println!("{limit:e}: {:.5} s from {:.5} s, jerk {jerk:e}", best.profile.duration(), best.unsmoothed);
            // Peaks between the places that are looked at are those of parabolas, right to a few 1e-5.
            assert!(jerk <= limit * (1.0 + 1e-4), "{limit}: {jerk}");
            assert!(best.profile.duration() < before * (1.0 + 2e-5), "{limit}: {} {before}", best.profile.duration());
            before = best.profile.duration();
            assert!(tightest(&machine, &travel) < 1.0 + EXCESS && best.tightest < 1.0 + EXCESS);
            assert!((best.profile.at(before).s - path.length()).abs() < 1e-9 * path.length());
        }
        // The unsmoothed one passes its limits by up to EXCESS, the smoothed one does not.
        let unsmoothed = time_optimal(path, &machine, None).unwrap().profile.duration();
        assert!(before > unsmoothed && before < unsmoothed * (1.0 + 2.0 * EXCESS), "{before} {unsmoothed}");
    }
}

/// Whatever window somebody chooses: with the jerk that comes out as the limit, it is not slower.
#[test]
fn no_window_is_faster() {
    let machine = d3_1200();
    for window in [1e-3, 4e-3, 0.011, 0.03] {
        let by_hand = smoothed(&cycle(), &machine, window).profile;
        let jerk = seen_jerk(&Travel::new(cycle(), |_| Ok(by_hand.clone())).unwrap());
        let limited = planned(&cycle(), &within(&machine, jerk)).profile;
        println!("{window}: {} by hand, {} found", by_hand.duration(), limited.duration());
        assert!(limited.duration() < by_hand.duration());
    }
}

/// With one force and one mass the fastest motion with a limited jerk is the double-S.
#[test]
fn a_cart_takes_the_time_of_its_double_s() {
    let (force, length) = (3.0, 1.5);
    let path = Polyline::line(JointVector::from([0.0]), [length].into()).unwrap();
    let limits = JointLimits { max_torque: force, ..JointLimits::NONE };
    let cart = Cart { limits, mass: 1.0, friction: None, damping: 0.0 }.mover();
    for limit in [20.0, 100.0, 1e3, 1e5] {
        let best = planned(&path, &within(&cart, limit)).profile.duration();
        let limits = MotionLimits { speed: f64::INFINITY, acceleration: force, jerk: limit };
        let known = Profile::double_s(length, limits).unwrap().duration();
        println!("{limit}: {best} {known}");
        assert!(best > known * (1.0 - EXCESS) && best < known * (1.0 + 2.0 * EXCESS), "{best} {known}");
    }
}

#[test]
fn orders_say_it_as_double_s_does() {
    let machine = d3_1200();
    let order = MotionOrder {
        profile: ProfileChoice::TimeOptimal(None),
        jerk: Some(2e4),
        share: Some(0.9),
        ..MotionOrder::default()
    };
    let timed = order.timed_by(&machine, 1.0).unwrap();
    let (unsmoothed, _) = timed.optimal.unwrap();
    assert!(timed.motion.peak_jerk() <= 2e4 * (1.0 + 1e-4) && unsmoothed < timed.strokes.iter().sum());
    let both = MotionOrder { smoothing: Some(0.01), ..order.clone() };
    assert_eq!(
        both.timed_by(&machine, 1.0).err().unwrap().to_string(),
        "a limit of the jerk finds the smoothing, so there is no room for another"
    );
    // A longer time has less jerk.
    let pace = MotionPace::Duration(1.0);
    let slow = ProfileChoice::TimeOptimal(None);
    let profile = slow.along(&cycle(), &within(&machine, 2e4), pace).unwrap().profile;
    assert!(seen_jerk(&Travel::new(cycle(), |_| Ok(profile)).unwrap()) < 2e3);
    for limit in [0.0, -1.0, f64::NAN] {
        let order = MotionOrder { jerk: Some(limit), ..order.clone() };
        let error = order.timed_by(&machine, 1.0).err().unwrap().to_string();
        assert_eq!(error, format!("the limit `jerk` is {limit}, but must be positive"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What a profile says of its jerk is what its accelerations do.
    #[test]
    fn laws_know_their_jerk(distance in 0.1..3.0_f64, duration in 0.1..3.0_f64, ratio in 0.2..5.0_f64, jerk in 1.0..3.0_f64) {
        let limits = MotionLimits { speed: 1.0, acceleration: 10.0, jerk: 10_f64.powf(jerk) };
        for profile in [
            Profile::polynomial345(distance, duration).unwrap(),
            Profile::polynomial4567(distance, duration).unwrap(),
            Profile::sine_on_ramp(distance, duration, ratio).unwrap(),
            Profile::double_s(distance, limits).unwrap(),
        ] {
            let (seen, told) = (seen_jerk(&straight(&profile)), profile.peak_jerk());
            // Means over 1/40000 of the time; the jerk itself changes by less than a thousandth there.
            prop_assert!(seen <= told * (1.0 + 1e-6) && seen >= told * (1.0 - 1e-3), "{seen} {told}");
        }
        for profile in [Profile::parabolic(distance, duration).unwrap(), Profile::trapezoidal(distance, 1.0, 2.0).unwrap()] {
            prop_assert!(profile.peak_jerk().is_infinite());
        }
    }
}
