//! Paths and motion profiles.
//!
//! What must hold: position, velocity and acceleration are each other's integrals, for every profile on every path; profiles keep
//! their limits and reach one of them; the double-S takes as long as an independent implementation (rsruckig) says. A
//! wrong factor in a derivative shows as an error of the order of the quantity itself, a wrong piece as a jump.

use dalembert::Vec3;
use dalembert::motion::{
    Arc, ConveyorPick, Dwell, Motion, MotionLimits, MotionState, Path, PathError, PickAndPlace, Point, Polyline,
    Profile, Reversed, SemiEllipse, Sequence, SequenceError, Travel,
};
use dalembert::robot::JointVector;
use proptest::prelude::*;
use rsruckig::prelude::{InputParameter, Ruckig, ThrowErrorHandler, Trajectory};

/// ∫ over one panel by Gauss–Legendre with five points, and the panel's end values.
const GAUSS: [(f64, f64); 5] = [
    (0.0, 0.568_888_888_888_888_9),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];

/// The largest misfit of v = ∫a and x = ∫v, relative to the largest v and x.
fn misfit<M: Motion>(motion: &M) -> f64 {
    let mut times = motion.breaks();
    assert!(times.windows(2).all(|pair| pair[0] <= pair[1]), "{times:?}");
    times.insert(0, 0.0);
    times.push(motion.duration());
    let (mut worst, mut speed, mut size) = ([0.0_f64; 2], 0.0_f64, 0.0_f64);
    for pair in times.windows(2) {
        const PANELS: usize = 40;
        for k in 0..PANELS {
            let at = |k: usize| pair[0] + (pair[1] - pair[0]) * k as f64 / PANELS as f64;
            let (from, to) = (at(k), at(k + 1));
            // States just inside: at a break the acceleration is that of the next piece, position and velocity go on.
            let (start, end) = (motion.at(from), motion.at(to));
            let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
            let mut gain = [start.position, start.velocity];
            for (x, weight) in GAUSS {
                let state = motion.at(middle + half * x);
                gain[0] = gain[0].plus(half * weight, &state.velocity);
                gain[1] = gain[1].plus(half * weight, &state.acceleration);
            }
            worst[0] = worst[0].max(gain[0].plus(-1.0, &end.position).length());
            worst[1] = worst[1].max(gain[1].plus(-1.0, &end.velocity).length());
            speed = speed.max(end.velocity.length());
            size = size.max(end.position.plus(-1.0, &motion.at(0.0).position).length());
        }
    }
    assert!(speed > 0.0 && size > 0.0);
    (worst[0] / size).max(worst[1] / speed)
}

fn profiles(length: f64) -> Vec<Profile> {
    let limits = MotionLimits { speed: 4.0, acceleration: 80.0, jerk: 9e3 };
    vec![
        Profile::parabolic(length, 0.25).unwrap(),
        Profile::trapezoidal(length, 2.0, 50.0).unwrap(),
        Profile::polynomial345(length, 0.25).unwrap(),
        Profile::polynomial4567(length, 0.25).unwrap(),
        Profile::sine_on_ramp(length, 0.25, 1.0).unwrap(),
        Profile::sine_on_ramp(length, 0.25, 2.0).unwrap(),
        Profile::double_s(length, limits).unwrap(),
        Profile::double_s(length, limits).unwrap().stretched(1.7),
    ]
}

const X: Vec3<f64> = Vec3([1.0, 0.0, 0.0]);
const CENTER: Vec3<f64> = Vec3([0.02, -0.03, -0.9]);

fn paths() -> Vec<Box<dyn Path<Point = Vec3<f64>>>> {
    let p = |x, y, z| Vec3::new(x, y, z);
    let corners = [p(0.0, 0.0, -0.9), p(0.1, 0.0, -0.9), p(0.1, 0.2, -0.8), p(-0.1, 0.1, -0.8)];
    vec![
        Box::new(Polyline::line(p(0.0, 0.0, -0.9), p(0.1, 0.2, -0.7)).unwrap()),
        Box::new(Polyline::new(&corners, 0.04).unwrap()),
        Box::new(Polyline::pick_and_place(CENTER, X, 0.305, 0.025, 0.02).unwrap()),
        Box::new(Reversed(Polyline::pick_and_place(CENTER, X, 0.305, 0.025, 0.02).unwrap())),
        Box::new(Arc::circle(CENTER, 0.125).unwrap()),
        Box::new(Arc::through(p(0.0, 0.0, -0.9), p(0.1, 0.0, -0.8), p(0.2, 0.1, -0.9)).unwrap()),
        Box::new(SemiEllipse::new(CENTER, X, 0.25, 0.05).unwrap()),
    ]
}

/// Gauss–Legendre over forty panels per piece is exact to rounding for the polynomial pieces and to 1e-11 for the
/// ellipse, whose curvature changes fastest.
#[test]
fn position_velocity_and_acceleration_are_each_others_integrals() {
    for (i, path) in paths().iter().enumerate() {
        for (k, profile) in profiles(path.length()).into_iter().enumerate() {
            let travel = Travel::new(path, |_| Ok(profile)).unwrap();
            let off = misfit(&travel);
            assert!(off < 1e-10, "path {i}, profile {k}: {off:e}");
            for (t, s) in [(0.0, 0.0), (travel.duration(), path.length())] {
                let state = travel.at(t);
                assert!(state.velocity.length() < 1e-11, "path {i}, profile {k}");
                assert!(state.position.plus(-1.0, &path.at(s).position).length() < 1e-11);
            }
        }
    }
}

/// Arc length: |X′| = 1 on all paths, in the blends of polylines too; and each derivative is that of the one before.
#[test]
fn parameters_are_arc_lengths() {
    for (i, path) in paths().iter().enumerate() {
        let breaks = path.breaks();
        for k in 0..=1000 {
            let s = path.length() * f64::from(k) / 1000.0;
            let here = path.at(s);
            assert!((here.first.length() - 1.0).abs() < 1e-13, "path {i}: {}", here.first.length());
            // Central differences with h = 1e-5 of the length are off by h² of two derivatives more, and by rounding over h.
            let h = 1e-5 * path.length();
            if s < 2.0 * h || s > path.length() - 2.0 * h || breaks.iter().any(|at| (at - s).abs() < 2.0 * h) {
                continue;
            }
            let (before, after) = (path.at(s - h), path.at(s + h));
            let slope = |a: Vec3<f64>, b: Vec3<f64>| (b - a) * (0.5 / h);
            let misfits = [
                (slope(before.position, after.position) - here.first).length(),
                (slope(before.first, after.first) - here.second).length() / (1.0 + here.second.length()),
                (slope(before.second, after.second) - here.third).length() / (1.0 + here.third.length()),
            ];
            assert!(misfits.iter().all(|misfit| *misfit < 1e-5), "path {i} at {s}: {misfits:?}");
        }
    }
    // Perimeter of an ellipse by the arithmetic-geometric mean (DLMF 19.8.6): L = 2π/M(a,b) (a² − Σ 2ⁿ⁻¹ cₙ²).
    let (a, b) = (0.125_f64, 0.05_f64);
    let (mut x, mut y, mut factor) = (a, b, 1.0);
    let mut sum = 0.5 * (a * a - b * b);
    while (x - y).abs() > 1e-16 {
        let c = 0.5 * (x - y);
        (x, y) = (0.5 * (x + y), (x * y).sqrt());
        sum += factor * c * c;
        factor *= 2.0;
    }
    let half = std::f64::consts::PI / x * (a * a - sum);
    assert!((SemiEllipse::new(CENTER, X, 2.0 * a, b).unwrap().length() - half).abs() < 1e-15);
}

#[test]
fn the_cycle_passes_its_corners_where_the_page_says() {
    let cycle = Polyline::pick_and_place(CENTER, X, 0.305, 0.025, 0.02).unwrap();
    let ends = [cycle.at(0.0), cycle.at(cycle.length())];
    for (end, x) in ends.iter().zip([-0.1525, 0.1525]) {
        assert!(end.position.plus(-1.0, &(CENTER + Vec3::new(x, 0.0, 0.0))).length() < 1e-15);
        assert!(end.second.length() == 0.0);
    }
    // Straight legs 5, 265 and 5 mm, and two blends: 40 mm · ∫ √(1 − 2h(1 − h)) dσ with h = 3σ² − 2σ³, by Simpson's rule.
    let speed = |k: u32| {
        let x = f64::from(k) / 1000.0;
        let h = x * x * (3.0 - 2.0 * x);
        (1.0 - 2.0 * h * (1.0 - h)).sqrt()
    };
    let sum: f64 = (0..1000).step_by(2).map(|k| speed(k) + 4.0 * speed(k + 1) + speed(k + 2)).sum();
    let blend = 0.04 * sum / 3000.0;
    assert!((cycle.length() - 0.275 - 2.0 * blend).abs() < 1e-13);
    let corner = CENTER + Vec3::new(-0.1525, 0.0, 0.025);
    let near = cycle.at(0.005 + 0.5 * blend).position - corner;
    assert!((near.length() - 3.0 / 16.0 * 0.02 * 2f64.sqrt()).abs() < 1e-14);
}

/// A motion in the joints of an arm is the same thing in another space.
#[test]
fn joints_travel_too() {
    let points = [[0.0, 0.1, 0.2, 0.3, 0.4, 0.5], [0.5, 0.1, -0.2, 0.3, 0.0, 0.5], [0.5, 0.7, -0.2, -0.3, 0.0, 0.1]]
        .map(JointVector::from);
    let travel = Travel::new(Polyline::new(&points, 0.2).unwrap(), |d| Profile::sine_on_ramp(d, 1.2, 1.5)).unwrap();
    assert!(misfit(&travel) < 1e-12);
    assert_eq!(travel.at(travel.duration() + 1.0), MotionState::still(travel.at(travel.duration()).position));
}

#[test]
fn a_part_on_a_belt_is_met_with_its_velocity() {
    let stroke = Polyline::pick_and_place(CENTER, X, 0.305, 0.025, 0.02).unwrap();
    let there = Travel::new(stroke.clone(), |d| Profile::sine_on_ramp(d, 0.3, 1.0)).unwrap();
    let back = Travel::new(Reversed(stroke), |d| Profile::polynomial345(d, 0.35)).unwrap();
    let belt = Vec3::new(0.0, 0.4, 0.0);
    let pick = ConveyorPick { there, picking: 0.1, back, belt }.motion().unwrap();
    assert!(misfit(&pick) < 1e-11);
    let part = |t: f64| CENTER + Vec3::new(0.1525, 0.0, 0.0) + belt * (t - 0.3);
    for t in [0.3, 0.35, 0.399] {
        let state = pick.at(t);
        assert!((state.position - part(t)).length() < 1e-13 && (state.velocity - belt).length() < 1e-12, "{t}");
    }
    assert!((pick.at(0.75).position - pick.at(0.0).position).length() < 1e-13);
}

#[test]
fn a_sequence_goes_on_where_it_has_ended() {
    let cycle = Polyline::pick_and_place(CENTER, X, 0.305, 0.025, 0.02).unwrap();
    let there = || Box::new(Travel::new(cycle.clone(), |d| Profile::polynomial4567(d, 0.2)).unwrap());
    let back = Travel::new(Reversed(cycle.clone()), |d| Profile::parabolic(d, 0.25)).unwrap();
    let pause = Dwell { position: cycle.at(cycle.length()).position, duration: 0.05 };
    let cycle = Sequence::new(vec![there(), Box::new(pause), Box::new(back)]).unwrap();
    assert!((cycle.duration() - 0.5).abs() < 1e-15);
    assert!(misfit(&cycle) < 1e-11);
    assert_eq!(cycle.at(0.22), MotionState::still(pause.position));
    let error = Sequence::new(vec![there(), there()]).err().unwrap();
    assert!(
        matches!(error, SequenceError::Jump { what: "the position", part: 1, jump } if (jump - 0.305).abs() < 1e-12)
    );
}

#[test]
fn the_arch_of_compare_is_a_motion() {
    let direction = dalembert::motion::Direction::Y;
    let arch = PickAndPlace { center: CENTER, width: 0.3, height: 0.025, stroke: 1.0 / 6.0, direction };
    assert!(misfit(&arch) < 1e-12);
    assert!(Motion::at(&arch, 7.0).velocity.length() < 1e-15);
}

#[test]
fn impossible_paths_and_laws_say_why() {
    let p = |x: f64| Vec3::new(x, 0.0, -0.8);
    assert_eq!(Polyline::new(&[p(0.0)], 0.1), Err(PathError::TooFewPoints { found: 1 }));
    assert_eq!(Polyline::line(p(0.0), p(0.0)), Err(PathError::SamePoints { point: 1 }));
    assert_eq!(Polyline::line(p(0.0), p(f64::NAN)), Err(PathError::NotFinite { point: 2 }));
    assert_eq!(Polyline::new(&[p(0.0), p(0.2), p(0.1)], 0.01), Err(PathError::TurnsBack { point: 2 }));
    assert_eq!(Arc::through(p(0.0), p(0.1), p(0.2)), Err(PathError::PointsInLine));
    let cycle = Polyline::pick_and_place(CENTER, X, 0.3, 0.025, 0.03);
    assert!(matches!(cycle, Err(PathError::BlendTooLong { point: 1, .. })), "{cycle:?}");
    let none = MotionLimits { speed: 1.0, acceleration: f64::INFINITY, jerk: f64::INFINITY };
    assert!(Profile::double_s(1.0, none).is_err() && Profile::double_s(0.0, none).is_err());
    assert!(Profile::parabolic(1.0, f64::NAN).is_err() && Profile::trapezoidal(1.0, 0.0, 1.0).is_err());
    let other = Travel::new(Polyline::line(p(0.0), p(0.3)).unwrap(), |d| Profile::parabolic(2.0 * d, 1.0));
    assert_eq!(other.err().unwrap().to_string(), "the profile covers 0.6 m, but the path has 0.3 m");
}

/// The peaks of Codourey's Figure 8, m/s², all over the same distance in the same time.
#[test]
fn the_profiles_of_figure_8_have_its_peaks() {
    let peaks = |profile: &Profile| {
        (0..=4000).fold((0.0_f64, 0.0_f64), |(up, down), k| {
            let a = profile.at(profile.duration() * f64::from(k) / 4000.0).acceleration;
            (up.max(a), down.max(-a))
        })
    };
    let (distance, duration) = (0.25, (2.0 * std::f64::consts::PI * 0.25 / 80.0_f64).sqrt());
    for (profile, (up, down)) in [
        (Profile::parabolic(distance, duration), (51.0, 51.0)),
        (Profile::sine_on_ramp(distance, duration, 1.0), (80.0, 80.0)),
        (Profile::sine_on_ramp(distance, duration, 2.0), (120.0, 60.0)),
    ] {
        let found = peaks(&profile.unwrap());
        // The paper prints whole numbers.
        assert!((found.0 - up).abs() < 0.5 && (found.1 - down).abs() < 0.5, "{found:?}");
    }
}

proptest! {
    /// rsruckig finds its profile by solving polynomials; ours is closed. It states its own precision as 1e-8.
    #[test]
    fn double_s_takes_as_long_as_rsruckig_says(
        distance in (-4.0..2.0_f64).prop_map(|e| 10f64.powf(e)),
        speed in (-2.0..2.0_f64).prop_map(|e| 10f64.powf(e)),
        acceleration in (-1.0..3.0_f64).prop_map(|e| 10f64.powf(e)),
        jerk in (0.0..5.0_f64).prop_map(|e| 10f64.powf(e)),
    ) {
        let profile = Profile::double_s(distance, MotionLimits { speed, acceleration, jerk }).unwrap();
        let mut ruckig = Ruckig::<1, ThrowErrorHandler>::new(None, 0.001);
        let mut input = InputParameter::new(None);
        input.target_position[0] = distance;
        input.max_velocity[0] = speed;
        input.max_acceleration[0] = acceleration;
        input.max_jerk[0] = jerk;
        let mut trajectory = Trajectory::new(None);
        ruckig.calculate(&input, &mut trajectory).unwrap();
        let theirs = trajectory.get_duration();
        prop_assert!((profile.duration() - theirs).abs() < 1e-6 * theirs.max(1.0), "{} {theirs}", profile.duration());

        // It ends where it should, at rest, and keeps its limits.
        let end = profile.at(profile.duration());
        // A time is known to its last digit only, and so is the speed where the acceleration is large and the time long.
        let rounding = 1e-11 * speed + 4.0 * f64::EPSILON * profile.duration() * acceleration;
        prop_assert!((end.s - distance).abs() < 1e-12 * distance && end.rate.abs() < rounding);
        let step = profile.duration() / 1000.0;
        for k in 0..1000 {
            let now = profile.at(f64::from(k) * step);
            let next = profile.at(f64::from(k + 1) * step);
            prop_assert!((-rounding..=speed + rounding).contains(&now.rate));
            prop_assert!(now.acceleration.abs() <= acceleration * (1.0 + 1e-11));
            prop_assert!((next.acceleration - now.acceleration).abs() <= jerk * step * (1.0 + 1e-9) + 1e-12 * acceleration);
            prop_assert!(next.s >= now.s - 1e-14 * distance);
        }
    }

    /// Without a jerk limit it is the trapezoid, without a speed limit the parabola.
    #[test]
    fn degenerate_double_s_are_the_simple_laws(
        distance in 1e-3..1.0_f64, speed in 0.1..10.0_f64, acceleration in 1.0..200.0_f64,
    ) {
        let full = speed * speed / acceleration;
        let closed = if distance > full {
            distance / speed + speed / acceleration
        } else {
            2.0 * (distance / acceleration).sqrt()
        };
        let profile = Profile::trapezoidal(distance, speed, acceleration).unwrap();
        prop_assert!((profile.duration() - closed).abs() < 1e-13 * closed);
        let free = Profile::trapezoidal(distance, f64::INFINITY, acceleration).unwrap();
        let parabola = Profile::parabolic(distance, 2.0 * (distance / acceleration).sqrt()).unwrap();
        prop_assert!((free.duration() - parabola.duration()).abs() < 1e-13);
        prop_assert!((free.at(0.3 * closed).s - parabola.at(0.3 * closed).s).abs() < 1e-12);
        // Jerk alone: D = 2 j T_j³.
        let only = MotionLimits { speed: f64::INFINITY, acceleration: f64::INFINITY, jerk: acceleration };
        let profile = Profile::double_s(distance, only).unwrap();
        prop_assert!((profile.duration() - 4.0 * (distance / (2.0 * acceleration)).cbrt()).abs() < 1e-13);
    }
}
