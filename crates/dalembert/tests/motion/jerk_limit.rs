//! A limit of the jerk along the path for the fastest motion.
//!
//! What must hold, seen from outside by the analytic motion: s̈ is continuous and changes over any time h by no more than
//! limit · h; torques and speeds stay within their limits; a larger limit never takes longer; without end it takes what the
//! motion takes without smoothing; and a single window with the same jerk is never faster. On a cart the answer is known.

use crate::cart::Cart;
use dalembert::Vec3;
use dalembert::limits::JointLimits;
use dalembert::motion::{
    EXCESS, Motion, MotionLimits, MotionOrder, Mover, Pace, Path, PlanError, Planning, Polyline, Profile,
    ProfileChoice, ProfileName, SemiEllipse, Smoothing, TimeOptimal, Travel, time_optimal,
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

fn planned<P: Path>(path: &P, machine: &Mover, smoothing: Smoothing) -> TimeOptimal {
    time_optimal(path, machine, &Planning { smoothing: Some(smoothing), ..Planning::default() }).unwrap()
}

/// The largest change of s̈ over a step, by its length: the mean jerk there, so never more than the largest.
fn seen_jerk(profile: &Profile) -> f64 {
    const STEPS: u32 = 40_009;
    let h = profile.duration() / f64::from(STEPS);
    let at = |k: u32| profile.at(f64::from(k) * h).acceleration;
    // From rest to rest: the ends count too.
    let inside = (0..STEPS).map(|k| (at(k + 1) - at(k)).abs() / h);
    inside.fold((at(0).abs() / h).max(at(STEPS).abs() / h), f64::max)
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
        for limit in [10.0, 300.0, 3e3, 1e4, 3e4, 1e5, 1e6, 1e9] {
            let best = planned(path, &machine, Smoothing::Jerk(limit));
            let (jerk, exact) = (seen_jerk(&best.profile), best.profile.peak_jerk());
            println!(
                "{limit:e}: {:.5} s from {:.5} s, jerk {jerk:e} {exact:e}",
                best.profile.duration(),
                best.unsmoothed
            );
            // Differences of s̈ lose digits by h: 1e-16 · 300 m/s² / 4e-6 s is nothing beside these limits.
            assert!(jerk <= limit * (1.0 + 1e-9) && exact <= limit * (1.0 + 1e-9), "{limit}: {jerk} {exact}");
            assert!(best.profile.duration() < before * (1.0 + 2e-5), "{limit}: {} {before}", best.profile.duration());
            before = best.profile.duration();
            let travel = Travel::new(path, |_| Ok(best.profile.clone())).unwrap();
            assert!(tightest(&machine, &travel) < 1.0 + EXCESS && best.tightest < 1.0 + EXCESS);
            assert!((best.profile.at(before).s - path.length()).abs() < 1e-9 * path.length());
        }
        // The unsmoothed one passes its limits by up to EXCESS, the smoothed one does not.
        let unsmoothed = time_optimal(path, &machine, &Planning::default()).unwrap().profile.duration();
        assert!(before > unsmoothed && before < unsmoothed * (1.0 + 2.0 * EXCESS), "{before} {unsmoothed}");
    }
}

/// Whatever window somebody chooses: with the jerk that comes out as the limit, it is not slower.
#[test]
fn no_window_is_faster() {
    let machine = d3_1200();
    for window in [1e-3, 4e-3, 0.011, 0.03] {
        let by_hand = planned(&cycle(), &machine, Smoothing::Window(window)).profile;
        let limited = planned(&cycle(), &machine, Smoothing::Jerk(by_hand.peak_jerk())).profile;
        println!("{window}: {} by hand, {} found", by_hand.duration(), limited.duration());
        // The grid of windows is 3 % wide, which is 1 % of the time where all of it is jerk.
        assert!(limited.duration() < 1.01 * by_hand.duration());
    }
}

/// With one force and one mass the fastest motion with a limited jerk is the double-S. Averaged bang-bang is one too, but its
/// jump in the middle, from +F to −F, is twice that at its ends and takes the same window, so the ends are only half as
/// steep as they may be.
#[test]
fn a_cart_is_never_faster_than_its_double_s() {
    let (force, length) = (3.0, 1.5);
    let path = Polyline::line(JointVector::from([0.0]), [length].into()).unwrap();
    let limits = JointLimits { max_torque: force, ..JointLimits::NONE };
    let cart = Cart { limits, mass: 1.0, friction: None, damping: 0.0 }.mover();
    for limit in [20.0, 100.0, 1e3, 1e5] {
        let best = planned(&path, &cart, Smoothing::Jerk(limit)).profile.duration();
        let limits = MotionLimits { speed: f64::INFINITY, acceleration: force, jerk: limit };
        let known = Profile::double_s(length, limits).unwrap().duration();
        println!("{limit}: {best} {known}");
        assert!(best > known * (1.0 - EXCESS), "{best} {known}");
        // The jump in the middle is twice as large, so the window is 2F/limit: F/limit longer than the double-S.
        assert!(best < (known + force / limit) * 1.01, "{best} {known}");
    }
}

#[test]
fn orders_say_it_as_double_s_does() {
    let machine = d3_1200();
    let order =
        MotionOrder { profile: ProfileName::TimeOptimal, jerk: Some(2e4), share: Some(0.9), ..MotionOrder::default() };
    let timed = order.timed_by(&machine, 1.0).unwrap();
    let (unsmoothed, _) = timed.optimal.unwrap();
    assert!(timed.jerk <= 2e4 * (1.0 + 1e-9) && unsmoothed < timed.strokes.iter().sum());
    let both = MotionOrder { smoothing: Some(0.01), ..order.clone() };
    assert_eq!(
        both.timed_by(&machine, 1.0).err().unwrap().to_string(),
        "a limit of the jerk finds the smoothing, so there is no room for another"
    );
    // A longer time has less jerk.
    let pace = Pace::Duration(1.0);
    let slow = ProfileChoice::TimeOptimal(Planning { smoothing: Some(Smoothing::Jerk(2e4)), ..Planning::default() });
    assert!(slow.along(&cycle(), &machine, pace).unwrap().profile.peak_jerk() < 2e3);
    for limit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let planning = Planning { smoothing: Some(Smoothing::Jerk(limit)), ..Planning::default() };
        assert!(matches!(time_optimal(&cycle(), &machine, &planning), Err(PlanError::Jerk(_))));
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
            let (seen, told) = (seen_jerk(&profile), profile.peak_jerk());
            // Means over 1/40000 of the time; the jerk itself changes by less than a thousandth there.
            prop_assert!(seen <= told * (1.0 + 1e-6) && seen >= told * (1.0 - 1e-3), "{seen} {told}");
        }
        for profile in [Profile::parabolic(distance, duration).unwrap(), Profile::trapezoidal(distance, 1.0, 2.0).unwrap()] {
            prop_assert!(profile.peak_jerk().is_infinite());
        }
    }
}
