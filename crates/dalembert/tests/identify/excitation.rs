//! Motions that are searched for to identify robots.
//!
//! A motion is worth its search if it tells more than what one gets by chance: more than twice the information per parameter
//! of the best of 1,000 random motions of the same kind. It is good for nothing if it breaks something: every limit is looked at
//! in rows as a controller would get them, by differences of what is written, not by what the search believes.

use dalembert::identify::Parameterization;
use dalembert::identify::excite::{Excitation, ExciteCriterion, ExciteOptions, MotionBasis, NoExcitation, excite};
use dalembert::report::drawing::{Anchor, Shape as Drawn, Track};
use dalembert::robot::{JointState, JointVector, Pick, Robot, State, violations};
use dalembert::spatial::{Frame, Wrench};
use nalgebra::DMatrix;

fn found(robot: &Robot, options: &ExciteOptions) -> Result<Excitation, NoExcitation> {
    let parameterization = Parameterization { stribeck: false, ..Parameterization::default() };
    excite(robot, &parameterization, options, &mut |_| true)
}

/// As rows of 2 kHz: positions alone, everything else by differences. Gives back the states.
fn keeps_all_limits(name: &str, robot: &Robot, found: &Excitation) -> Vec<State> {
    let step = 5e-4;
    let rows = (found.motion.period / step).round() as usize;
    let q: Vec<JointVector> = (0..=rows).map(|k| found.motion.at(k as f64 * step).q).collect();
    let (exact, joints, n) = (robot.build_model("exact").unwrap(), robot.joints(), robot.joints().len());
    let room = robot.workspace();
    let mut states = Vec::new();
    for k in 1..rows {
        let of = |f: &dyn Fn(usize) -> f64| JointVector::from_fn(n, f);
        let qd = of(&|i| (q[k + 1][i] - q[k - 1][i]) / (2.0 * step));
        let qdd = of(&|i| (q[k + 1][i] - 2.0 * q[k][i] + q[k - 1][i]) / (step * step));
        let state = robot.at_joints(&JointState { q: q[k].clone(), qd: qd.clone(), qdd }, &Pick::default()).unwrap();
        let tau = exact.torque(&state, Wrench::zero());
        let balls = robot.ball_angles(&state).unwrap();
        let beyond = violations(&joints, &q[k], balls.as_deref(), Some(&qd), Some(&tau));
        assert!(beyond.is_empty(), "{name} at {}: {}", k as f64 * step, beyond[0]);
        if let Some(room) = &room {
            assert!((state.tool.pose.origin - room.center).norm_squared().sqrt() < room.radius, "{name}: {k}");
        }
        states.push(state);
    }
    // At rest and without acceleration at both ends; a difference over 0.5 ms is off by jerk times the step.
    for edge in [found.motion.at(0.0), found.motion.at(found.motion.period)] {
        assert!((0..n).all(|i| edge.qd[i].abs() < 1e-12 && edge.qdd[i].abs() < 1e-10), "{name}");
    }
    assert!((0..n).all(|i| (q[rows][i] - q[0][i]).abs() < 1e-12), "{name}: it ends where it starts");
    states
}

#[test]
fn found_motions_tell_twice_as_much_as_random_ones_and_keep_all_limits() {
    for (name, shape) in
        [("d3-1200", MotionBasis::Fourier), ("d3-1200", MotionBasis::Spline), ("puma560", MotionBasis::Fourier)]
    {
        let robot = Robot::find(name).unwrap();
        // The command's own options for the Delta; the PUMA's, which take longer, are measured in docs/identification.md.
        let fewer = ExciteOptions { random: 300, steps: 60, ..ExciteOptions::default() };
        let options = if name == "puma560" { fewer } else { ExciteOptions { shape, ..ExciteOptions::default() } };
        let found = found(&robot, &options).unwrap();
        assert!(found.best_random.gain > 2.0, "{name}, {shape:?}: {}", found.best_random.gain);
        assert!(found.condition < 60.0, "{name}, {shape:?}: {}", found.condition);
        // What the robot does every day tells less, or leaves something open.
        let usual = found.usual.as_ref().unwrap();
        assert!(usual.told < found.expected.len() || usual.gain > 2.0, "{name}, {shape:?}: {}", usual.gain);
        assert!(found.expected.iter().all(|e| e.sigma.is_finite() && e.sigma > 0.0), "{name}, {shape:?}");
        let better = found.expected.iter().zip(&found.best_random.sigma).filter(|(e, s)| s.is_none_or(|s| e.sigma < s));
        assert!(better.count() * 2 > found.expected.len(), "{name}, {shape:?}: most parameters are told better");
        keeps_all_limits(name, &robot, &found);
    }
}

/// Whatever the shape, velocities and accelerations are the derivatives of positions; of a spline the jerk is continuous too.
#[test]
fn motions_are_smooth_and_their_derivatives_are_right() {
    let robot = Robot::find("d3-1200").unwrap();
    for shape in [MotionBasis::Fourier, MotionBasis::Spline] {
        let few = ExciteOptions { shape, random: 4, steps: 4, period: Some(2.0), duration: 2.0, ..Default::default() };
        let motion = found(&robot, &few).unwrap().motion;
        let mut last_jerk: Option<f64> = None;
        for k in 1..1000 {
            let (t, h) = (0.002 * f64::from(k), 1e-5);
            let [behind, here, ahead] = [t - h, t, t + h].map(|t| motion.at(t));
            for i in 0..3 {
                // Differences are off by h² times the third derivative, and by rounding over h.
                assert!(((ahead.q[i] - behind.q[i]) / (2.0 * h) - here.qd[i]).abs() < 1e-6, "{shape:?} at {t}");
                assert!(((ahead.qd[i] - behind.qd[i]) / (2.0 * h) - here.qdd[i]).abs() < 1e-4, "{shape:?} at {t}");
            }
            let jerk = (ahead.qdd[0] - behind.qdd[0]) / (2.0 * h);
            let jump = last_jerk.map_or(0.0, |last| (jerk - last).abs());
            let size = 1.0 + jerk.abs().max(last_jerk.map_or(0.0, f64::abs));
            assert!(jump < 0.2 * size + 30.0, "{shape:?} at {t}: the jerk jumps by {jump} from {jerk}");
            last_jerk = Some(jerk);
        }
        // One period is as another.
        assert!((0..3).all(|i| (motion.at(0.7).q[i] - motion.at(2.7).q[i]).abs() < 1e-12), "{shape:?}");
    }
}

/// The condition number as the aim: it is smaller than that of random motions and of the motion with the largest determinant, which in
/// turn gains more on them.
#[test]
fn each_criterion_is_best_at_what_it_is_for() {
    let robot = Robot::find("d3-1200").unwrap();
    let by = |criterion: ExciteCriterion| {
        let options = ExciteOptions { criterion, period: Some(2.5), random: 100, ..ExciteOptions::default() };
        found(&robot, &options).unwrap()
    };
    let [determinant, condition] = [ExciteCriterion::Determinant, ExciteCriterion::Condition].map(by);
    keeps_all_limits("d3-1200", &robot, &condition);
    assert!(condition.condition < 0.8 * condition.best_random.condition, "{}", condition.condition);
    assert!(condition.condition < determinant.condition, "{} {}", condition.condition, determinant.condition);
    assert!(determinant.best_random.gain > condition.best_random.gain, "{}", determinant.best_random.gain);
}

/// The derivatives of both criteria against differences, for an information whose columns are of very different size; and what they are.
#[test]
fn slopes_of_criteria_are_their_derivatives() {
    let mut random = dalembert_proptest::Random(3);
    let size = |k: usize| 10_f64.powi(k as i32 - 2);
    let y = DMatrix::from_fn(40, 6, |_, k| size(k) * random.within(-1.0, 1.0));
    let m = y.transpose() * &y;
    for criterion in [ExciteCriterion::Determinant, ExciteCriterion::Condition] {
        let slope = criterion.slope(&m).unwrap();
        for (i, j) in (0..6).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let step = 1e-5 * (m[(i, i)] * m[(j, j)]).sqrt();
            let [ahead, behind] = [step, -step].map(|by| {
                let mut m = m.clone();
                (m[(i, j)], m[(j, i)]) = (m[(i, j)] + by, m[(i, j)] + by);
                criterion.value(&m).unwrap()
            });
            let own = if i == j { slope[(i, i)] } else { 2.0 * slope[(i, j)] };
            let off = ((ahead - behind) / 2.0 - own * step).abs();
            // Differences are off by the square of the step and by rounding.
            assert!(off < 1e-5 * 1e-6, "{criterion:?} {i} {j}: {off:e}");
        }
    }
    let lengths: Vec<f64> = y.column_iter().map(|column| column.norm()).collect();
    let values = DMatrix::from_fn(40, 6, |i, k| y[(i, k)] / lengths[k]).singular_values();
    let (exact, smooth) = ((values.max() / values.min()).ln(), ExciteCriterion::Condition.value(&m).unwrap());
    assert!((exact..exact + 6_f64.ln() / 16.0).contains(&smooth), "{exact} {smooth}");
    let determinant = ExciteCriterion::Determinant.value(&m).unwrap();
    assert!((determinant + m.determinant().ln() / 6.0).abs() < 1e-9);
    // What is not told has neither.
    let open = DMatrix::from_fn(6, 6, |i, j| m[(i.min(4), j.min(4))]);
    assert_eq!(
        (
            ExciteCriterion::Determinant.value(&DMatrix::zeros(6, 6)),
            ExciteCriterion::Condition.value(&DMatrix::zeros(6, 6))
        ),
        (None, None)
    );
    assert!(ExciteCriterion::Condition.value(&open).is_none_or(|value| value > 15.0));
}

/// Lines of a drawing in a state, from end to end.
fn lines(robot: &Robot, state: &State) -> Vec<[[f64; 3]; 2]> {
    let drawing = robot.drawing(&Frame::identity());
    let mut tracks = vec![Track::default(); drawing.tracks.len()];
    robot.draw(state, &Frame::identity(), &mut tracks);
    // A Delta's tracks do not turn.
    let point = |anchor: &Anchor| {
        let at = anchor.track.map_or([0.0; 3], |track| *tracks[track].position.last().unwrap());
        std::array::from_fn(|k| at[k] + anchor.offset[k])
    };
    let mut all = Vec::new();
    for shape in &drawing.shapes {
        let (points, closed) = match shape {
            Drawn::Line(_, points) => (points.clone(), false),
            Drawn::Polygon(_, points) => (points.clone(), true),
            _ => continue,
        };
        let count = points.len();
        let until = if closed { count } else { count - 1 };
        all.extend((0..until).map(|k| [point(&points[k]), point(&points[(k + 1) % count])]));
    }
    all
}

/// The smallest distance of places along two lines.
fn sampled([a, b]: &[[f64; 3]; 2], [c, d]: &[[f64; 3]; 2]) -> f64 {
    const PLACES: usize = 60;
    let at = |from: &[f64; 3], to: &[f64; 3], k: usize| -> [f64; 3] {
        std::array::from_fn(|i| from[i] + (to[i] - from[i]) * k as f64 / PLACES as f64)
    };
    let distance = |p: [f64; 3], q: [f64; 3]| p.iter().zip(q).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let all = (0..=PLACES).flat_map(|j| (0..=PLACES).map(move |k| (j, k)));
    all.map(|(j, k)| distance(at(a, b, j), at(c, d, k))).fold(f64::INFINITY, f64::min)
}

/// Parts of the robot stay apart, by distances that are sampled along the lines of the drawing; without a clearance they come nearer.
#[test]
fn the_robots_own_parts_stay_apart() {
    let robot = Robot::find("d3-1200").unwrap();
    let least = 0.3;
    let few = ExciteOptions { random: 100, steps: 30, period: Some(2.5), ..ExciteOptions::default() };
    let free = found(&robot, &few).unwrap();
    assert_eq!(free.nearest, None);
    let kept = found(&robot, &ExciteOptions { clearance: Some(least), ..few }).unwrap();
    let nearest = kept.nearest.clone().unwrap();
    assert!(nearest.distance >= least * (1.0 - 1e-9) && nearest.pairs > 0 && nearest.neighbours > 0, "{nearest:?}");
    let at_home = lines(&robot, &robot.home().unwrap());
    let count = at_home.len();
    let pairs: Vec<(usize, usize)> = (0..count).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    // Sampled distances are too large by at most half the way between two places.
    let apart: Vec<&(usize, usize)> =
        pairs.iter().filter(|(a, b)| sampled(&at_home[*a], &at_home[*b]) > least + 0.01).collect();
    let closest = |found: &Excitation| {
        let states = keeps_all_limits("d3-1200", &robot, found);
        let every = states.iter().step_by(100);
        every.fold(f64::INFINITY, |least: f64, state| {
            let lines = lines(&robot, state);
            apart.iter().map(|(a, b)| sampled(&lines[*a], &lines[*b])).fold(least, f64::min)
        })
    };
    let (with, without) = (closest(&kept), closest(&free));
    let all = found(&robot, &ExciteOptions { clearance: Some(5.0), ..ExciteOptions::default() });
    assert!(matches!(all, Err(NoExcitation::AllNear { pairs, .. }) if pairs > 50), "a clearance that nothing keeps");
    assert!(with > least - 1e-6, "{with}");
    assert!(without < least, "a clearance that costs nothing tests nothing: {without}");
}

/// Robots of every family, with few tries: what is found keeps all limits.
#[test]
fn every_family_is_excited() {
    for name in ["stewart", "linear-delta", "d3-1200-fourth-axis-assumed"] {
        let robot = Robot::find(name).or_else(|_| Robot::load(format!("../../robots/{name}.toml"))).unwrap();
        // The Fourier series of the others are above.
        let few = ExciteOptions {
            shape: MotionBasis::Spline,
            clearance: Some(0.02),
            random: 8,
            steps: 4,
            period: Some(4.0),
            duration: 4.0,
            ..ExciteOptions::default()
        };
        let found = found(&robot, &few).unwrap_or_else(|error| panic!("{name}: {error}"));
        keeps_all_limits(name, &robot, &found);
        assert!(found.nearest.unwrap().distance >= 0.02 * (1.0 - 1e-9), "{name}");
    }
}
