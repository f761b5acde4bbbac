//! Sound logs that are spoiled in one way: what is wrong is named, and what is only odd does no harm.

use super::Fourier;
use super::truth::{PUMA, SEVEN, log, seven, with_friction};
use dalembert::analyze::compare::{Timed, compare};
use dalembert::friction::Friction;
use dalembert::identify::{EstimatorOptions, Folds, Log, Parameterization, PreparedLog, Preprocessing, PriorWeight};
use dalembert::robot::{JointState, JointVector, Pick, Robot};
use dalembert::spatial::Wrench;
use dalembert::verbs::FindingValue;
use dalembert::verbs::identify::{Grade, IdentifyOutcome, IdentifyRequest, identify};
use dalembert_proptest::Random;

fn judged(robot: &Robot, log: &Log, options: &EstimatorOptions) -> IdentifyOutcome {
    let parameterization = Parameterization { stribeck: false, tanh: false, ..Parameterization::default() };
    let log = std::slice::from_ref(log);
    identify(
        &IdentifyRequest {
            parameterization: parameterization.clone(),
            estimator: *options,
            folds: Folds::Parts(1),
            ..IdentifyRequest::new(robot.clone(), log.to_vec())
        },
        &mut (),
    )
    .unwrap()
}

/// A given weight and no delay: fast.
fn quick() -> EstimatorOptions {
    EstimatorOptions { prior: PriorWeight::Given(1.0), delay: Some(0.0), ..EstimatorOptions::default() }
}

fn sound(robot: &Robot, middle: &[f64]) -> Log {
    log(robot, &Fourier::new(middle, 0.6, 0.3, 4), 6.0, 2e-3, &mut Random(31), 0.0)
}

fn told(found: &IdentifyOutcome, name: &str, text: &str) -> Option<Grade> {
    found.findings.iter().find(|finding| finding.name == name && finding.text.contains(text)).map(|f| f.grade)
}

/// The torque of one joint in mN m, before its gear, or its position in degrees: told with the joint, and bad. A robot file whose bodies
/// and rotors are twice what they are, or that has no rotors, is no such thing.
#[test]
fn one_joint_in_another_unit_is_named() {
    let truth = with_friction(&seven());
    let log = sound(&truth, &SEVEN);
    for (joint, factor) in [(0, 1e3), (3, 1e-3), (6, 1e3), (6, 0.01)] {
        let mut other = log.clone();
        other.torques[joint].iter_mut().for_each(|tau| *tau *= factor);
        let found = judged(&truth, &other, &quick());
        let of = format!("the torque of joint {} is", joint + 1);
        assert_eq!(told(&found, "other size", &of), Some(Grade::Bad), "{joint} × {factor}: {:?}", found.findings);
    }
    let mut degrees = log.clone();
    degrees.positions[6].iter_mut().for_each(|q| *q = q.to_degrees());
    let found = judged(&truth, &degrees, &quick());
    assert_eq!(told(&found, "other size", "the torque of joint 7 is"), Some(Grade::Bad), "{:?}", found.findings);
    let text = truth.to_toml().unwrap();
    let double = ["mass = 3.0", "mass = 2.5", "motor_inertia = 0.3"].iter().fold(text.clone(), |text, key| {
        let (name, value) = key.split_once(" = ").unwrap();
        text.replace(key, &format!("{name} = {}", 2.0 * value.parse::<f64>().unwrap()))
    });
    for file in [double, text.replace("motor_inertia = 0.3", "motor_inertia = 0.0")] {
        let found = judged(&Robot::parse(&file).unwrap(), &log, &quick());
        assert_eq!(told(&found, "other size", "the torque of joint"), None, "{:?}", found.findings);
        assert!(found.grade() < Grade::Bad, "{:?}", found.findings);
    }
}

/// The sign of the torque or the position of a joint in the middle, which bodies with negative inertia would explain.
#[test]
fn the_sign_of_a_middle_joint_is_bad() {
    let robot = with_friction(&seven());
    let log = sound(&robot, &SEVEN);
    for joint in [3, 4] {
        let mut turned = log.clone();
        turned.torques[joint].iter_mut().for_each(|tau| *tau *= -1.0);
        let found = judged(&robot, &turned, &quick());
        let of = format!("of joint {} inverted", joint + 1);
        assert_eq!(told(&found, "sign", &of), Some(Grade::Bad), "{joint}: {:?}", found.findings);
    }
}

/// Positions of one joint by a wrong gear ratio: told with the factor that would be right, and of a sound log nothing of it.
#[test]
fn positions_of_another_scale_are_told() {
    let robot = with_friction(&Robot::find("puma560").unwrap());
    let log = sound(&robot, &PUMA);
    let found = judged(&robot, &log, &quick());
    assert_eq!(told(&found, "scale", ""), None, "{:?}", found.findings);
    for (joint, factor) in [(1, 0.5), (2, 1.5)] {
        let mut scaled = log.clone();
        scaled.positions[joint].iter_mut().for_each(|q| *q *= factor);
        let found = judged(&robot, &scaled, &quick());
        let finding = found.findings.iter().find(|finding| finding.name == "scale");
        let finding = finding.unwrap_or_else(|| panic!("{joint}: {:?}", found.findings));
        let FindingValue::Number(right) = finding.values["factor"] else { panic!("{finding:?}") };
        assert!(finding.text.contains(&format!("joint {}", joint + 1)), "{finding:?}");
        assert!((right * factor - 1.0).abs() < 0.05, "{finding:?}");
    }
}

/// A robot that stands still, whose encoders tremble, and a torque that nobody measured, are refused.
#[test]
fn logs_without_motion_or_torque_are_refused() {
    let robot = with_friction(&Robot::find("puma560").unwrap());
    let log = sound(&robot, &PUMA);
    let joints = robot.joints();
    let mut random = Random(33);
    let mut still = log.clone();
    for positions in &mut still.positions {
        let at = positions[0];
        positions.iter_mut().for_each(|q| *q = at + 2e-3 * (random.unit() - 0.5));
    }
    let error = PreparedLog::new(&still, &joints, &Preprocessing::default()).unwrap_err().to_string();
    assert!(error.contains("nothing moves"), "{error}");
    let mut silent = log;
    silent.torques[5].fill(0.0);
    let error = PreparedLog::new(&silent, &joints, &Preprocessing::default()).unwrap_err().to_string();
    assert!(error.contains("the torque of joint 6 is zero"), "{error}");
}

/// Velocities and accelerations of a slow log are used where they belong to its positions, and only there.
#[test]
fn logged_rates_have_to_belong_to_the_positions() {
    use dalembert::identify::prepare::LoggedRates;
    let robot = with_friction(&Robot::find("puma560").unwrap());
    let motion = Fourier::new(&PUMA, 0.6, 0.3, 4);
    let mut slow = log(&robot, &motion, 20.0, 0.05, &mut Random(34), 0.0);
    let of = |pick: &dyn Fn(&JointState) -> JointVector| -> Vec<Vec<f64>> {
        (0..6).map(|i| slow.times.iter().map(|&t| pick(&motion.at(t))[i]).collect()).collect()
    };
    let rates = [of(&|state| state.qd.clone()), of(&|state| state.qdd.clone())];
    let joints = robot.joints();
    let became = |log: &Log| PreparedLog::new(log, &joints, &Preprocessing::default()).unwrap().health.rates;
    slow.rates = Some(rates.clone());
    assert_eq!(became(&slow), Some(LoggedRates::Used));
    // A joint that stands still trembles, an angle is wrapped, and some rows are missing.
    let mut odd = slow.clone();
    let mut random = Random(35);
    odd.positions[5].iter_mut().for_each(|q| *q = 0.2 + 1e-4 * random.unit());
    let [velocities, accelerations] = odd.rates.as_mut().unwrap();
    velocities[5].fill(0.0);
    accelerations[5].fill(0.0);
    let turn = std::f64::consts::TAU;
    odd.positions[0].iter_mut().for_each(|q| *q = (*q + 0.3).rem_euclid(turn) - 0.3);
    odd.times[200..].iter_mut().for_each(|t| *t += 3.0);
    assert_eq!(became(&odd), Some(LoggedRates::Used));
    for (order, joint, factor) in [(0, 2, 57.3), (0, 0, -1.0), (1, 4, 0.0)] {
        let mut other = rates.clone();
        other[order][joint].iter_mut().for_each(|x| *x *= factor);
        slow.rates = Some(other);
        let became = became(&slow);
        assert!(matches!(became, Some(LoggedRates::Apart { joint: found, .. }) if found == joint), "{became:?}");
    }
}

/// One joint whose torque is late by itself, and one whose torque is noise: the delay of the others is found, and the late joint is named.
#[test]
fn one_bad_joint_does_not_spoil_the_delay() {
    let robot = with_friction(&Robot::find("puma560").unwrap());
    let mut random = Random(32);
    let log = log(&robot, &Fourier::new(&PUMA, 0.6, 0.3, 4), 6.0, 2e-3, &mut random, 2e-3);
    let options = EstimatorOptions { delay: None, ..quick() };
    let mut late = log.clone();
    late.torques[1].rotate_right(15);
    let found = judged(&robot, &late, &options);
    assert!((found.delay - 2e-3).abs() < 3e-4, "{}", found.delay);
    assert!(told(&found, "delay", "the torque of joint 2 is").is_some(), "{:?}", found.findings);
    let mut noisy = log;
    let size = noisy.torques[2].iter().fold(0.0_f64, |most, tau| most.max(tau.abs()));
    noisy.torques[2].iter_mut().for_each(|tau| *tau = size * (random.unit() - 0.5));
    let found = judged(&robot, &noisy, &options);
    assert!((found.delay - 2e-3).abs() < 3e-4, "{}", found.delay);
}

/// Cells without numbers are counted, angles that jump by a turn are unwrapped and told; nothing else changes.
#[test]
fn missing_numbers_and_turns_are_told() {
    let robot = with_friction(&Robot::find("puma560").unwrap());
    let log = sound(&robot, &PUMA);
    let plain = judged(&robot, &log, &quick());
    let mut holes = log.clone();
    (0..log.times.len()).step_by(40).for_each(|k| holes.torques[1][k] = f64::NAN);
    holes.positions[3][100] = f64::NAN;
    let found = judged(&robot, &holes, &quick());
    assert!(
        found.scores.fit.percent() < 1.1 * plain.scores.fit.percent(),
        "{} {}",
        found.scores.fit.percent(),
        plain.scores.fit.percent()
    );
    let torques = format!("{} in the torques of joint 2", log.times.len().div_ceil(40));
    for text in ["1 in the positions of joint 4", &torques] {
        assert_eq!(told(&found, "missing numbers", text), Some(Grade::Note), "{:?}", found.findings);
    }
    let mut wrapped = log.clone();
    let turn = std::f64::consts::TAU;
    wrapped.positions[0].iter_mut().for_each(|q| *q = (*q + 0.3).rem_euclid(turn) - 0.3);
    assert!(wrapped.positions[0].windows(2).any(|pair| (pair[1] - pair[0]).abs() > 6.0));
    let found = judged(&robot, &wrapped, &quick());
    assert!(
        (found.scores.fit.percent() / plain.scores.fit.percent() - 1.0).abs() < 0.01,
        "{}",
        found.scores.fit.percent()
    );
    assert_eq!(told(&found, "wrapped", "joint 1 jump by a turn"), Some(Grade::Note), "{:?}", found.findings);
}

/// Friction that rises with the speed: its tanh is found, and static friction is not below Coulomb friction in the file.
#[test]
fn friction_that_rises_has_its_speed_in_the_file() {
    let own = |i: usize| Friction {
        viscous: 0.5,
        coulomb: 3.0 + 0.5 * i as f64,
        static_friction: 3.0 + 0.5 * i as f64,
        smoothing_velocity: 0.4,
        ..Friction::NONE
    };
    let file = Robot::find("puma560").unwrap();
    let family = file.with_frictions(&|joint| Some(own(joint))).unwrap();
    let truth = Robot::parse(&family.family().to_toml("puma560", None).unwrap()).unwrap();
    let log = sound(&truth, &PUMA);
    let preprocessing = Preprocessing::default();
    let found = identify(
        &IdentifyRequest {
            preprocessing: preprocessing.clone(),
            estimator: quick(),
            ..IdentifyRequest::new(file.clone(), vec![log.clone()])
        },
        &mut (),
    );
    let found = found.unwrap();
    assert!(found.scores.held_out.percent() < 1.5, "{}", found.scores.held_out.percent());
    let robot = found.robot.as_ref().unwrap();
    for (i, joint) in robot.joints().iter().enumerate() {
        let friction = joint.friction.unwrap();
        assert!(friction.static_friction >= friction.coulomb, "{friction:?}");
        assert!((friction.smoothing_velocity - 0.4).abs() < 0.06, "{i}: {friction:?}");
        assert!((friction.torque(1.0) - own(i).torque(1.0)).abs() < 0.1 * own(i).torque(1.0), "{i}: {friction:?}");
    }
    for curve in &found.friction {
        let truth = own(curve.joint).torque(0.3);
        let [value, sigma] = curve.at(0.3);
        assert!((value - truth).abs() < 4.0 * sigma + 0.02 * truth, "{value} ± {sigma} for {truth}");
    }
}

/// A parameter that stands for itself in both tables has one σ, which is no smaller than least squares say, however strong the belief.
#[test]
fn one_parameter_has_one_deviation() {
    let robot = with_friction(&Robot::find("puma560").unwrap());
    let log = sound(&robot, &PUMA);
    let options = EstimatorOptions { prior: PriorWeight::Given(1e4), ..quick() };
    let found = judged(&robot, &log, &options);
    let mut alone = 0;
    for base in &found.base {
        let Some(own) = found.parameters.iter().find(|own| own.name == base.formula) else { continue };
        alone += 1;
        let [own_sigma, sigma] = [own.sigma, base.sigma].map(Option::unwrap);
        assert!((own_sigma / sigma - 1.0).abs() < 1e-3, "{}: {own_sigma} {sigma}", own.name);
        let [_, plain] = base.least_squares.unwrap();
        assert!(sigma >= 0.999 * plain);
    }
    assert!(alone > 12, "{alone}");
}

/// What the file knows to a per cent is held to it, and without tolerances nothing is held that was not.
#[test]
fn tolerances_of_the_file_hold_its_bodies() {
    let mass = |tolerance: &str| {
        let truth = with_friction(&seven());
        let text = truth.to_toml().unwrap();
        // The file's last link is half as heavy again, and says that it knows that.
        let wrong = text.replacen("mass = 0.9", &format!("mass = 1.35\n{tolerance}"), 1);
        let file = Robot::parse(&wrong).unwrap();
        let found = judged(&file, &sound(&truth, &SEVEN), &quick());
        found.parameters.iter().find(|p| p.name == "m7").unwrap().value
    };
    let [free, loose, tight] =
        ["", "tolerance = { mass = \"60 %\" }", "tolerance = { mass = \"1 %\", inertia = \"1 %\" }"].map(mass);
    assert!((tight - 1.35).abs() < 0.7 * (free - 1.35).abs(), "{free} {loose} {tight}");
    assert!((loose - free).abs() < 0.2 * (free - 1.35).abs() + 0.02, "{free} {loose} {tight}");
}

/// Models go through the filter of the measured torques: of an exact log with dry friction nothing is left but what smoothing leaves.
#[test]
fn models_are_filtered_as_the_torques_are() {
    let robot = with_friction(&Robot::find("d3-1200").unwrap());
    let motion = Fourier::new(&[0.5; 3], 0.12, 0.5, 8);
    let log = log(&robot, &motion, 4.0, 2e-3, &mut Random(33), 0.0);
    let run = PreparedLog::new(&log, &robot.joints(), &Preprocessing::default()).unwrap();
    let of = |values: &[Vec<f64>], k: usize| JointVector::from_fn(3, |i| values[i][k]);
    let states: Vec<Timed> = (0..run.q[0].len())
        .map(|k| {
            let state = JointState { q: of(&run.q, k), qd: of(&run.qd, k), qdd: of(&run.qdd, k) };
            let state = robot.at_joints(&state, &Pick::default()).unwrap();
            let state = robot.at_tool(&state.tool, &Pick::default()).unwrap();
            Timed { t: run.time(k), state, wrench: Wrench::zero() }
        })
        .collect();
    let filter = run.filter().unwrap();
    let measured: Vec<Vec<f64>> = run.used.iter().map(|&k| (0..3).map(|i| run.tau[i][k]).collect()).collect();
    let used: Vec<Timed> = run.used.iter().map(|&k| states[k].clone()).collect();
    let left = |comparison: dalembert::analyze::compare::Comparison| comparison.against(&measured)[0].percent;
    let plain = left(compare(&robot, &used).unwrap());
    let filtered = left(compare(&robot, &states).unwrap().filtered(&|series| filter.filter(series), &run.used));
    assert!(filtered < 0.5 * plain && filtered < 2.0, "{filtered} {plain}");
}

/// A gap of a day, a stamp far ahead alone and one that jumps back: the even grid has at most four samples for each row, times after the
/// gap are those of the log, and nothing else changes.
#[test]
fn a_day_in_a_log_and_wrong_stamps_cost_nothing() {
    let robot = with_friction(&Robot::find("puma560").unwrap());
    let log = sound(&robot, &PUMA);
    let plain = judged(&robot, &log, &quick());
    let mut spoiled = log.clone();
    let day = 86_400.0;
    spoiled.times[1500..].iter_mut().for_each(|t| *t += day);
    spoiled.times[700] = 1e12;
    spoiled.times[900] = -3.0;
    let run = PreparedLog::new(&spoiled, &robot.joints(), &Preprocessing::default()).unwrap();
    let samples = run.q[0].len();
    assert!(samples <= 4 * spoiled.times.len(), "{samples}");
    assert_eq!((run.health.backward, run.health.first_backward, run.health.gaps), (2, Some(701), 1));
    assert!((run.time(samples - 1) - (day + log.times[log.times.len() - 1])).abs() < 2.0 * run.step);
    // Where the log is, its own times are.
    for &k in run.used.iter().step_by(50) {
        let t = run.time(k) - if run.time(k) > day { day } else { 0.0 };
        let truth = Fourier::new(&PUMA, 0.6, 0.3, 4).at(t).q[0];
        assert!((run.q[0][k] - truth).abs() < 2e-3, "{t}: {} {truth}", run.q[0][k]);
    }
    let found = judged(&robot, &spoiled, &quick());
    assert_eq!(told(&found, "stamps", "the first is row 701"), Some(Grade::Note), "{:?}", found.findings);
    assert!(found.scores.fit.percent() < 1.05 * plain.scores.fit.percent() + 0.05, "{}", found.scores.fit.percent());
    // The first stamp, and many gaps: bounded too.
    let mut first = log.clone();
    first.times[0] = 1e9;
    let prepared = |log: &Log| PreparedLog::new(log, &robot.joints(), &Preprocessing::default()).unwrap();
    assert_eq!(prepared(&first).health.first_backward, Some(1));
    let mut gaps = log.clone();
    (0..log.times.len()).for_each(|k| gaps.times[k] += 1e5 * (k / 300) as f64);
    assert!(prepared(&gaps).q[0].len() <= 4 * log.times.len());
}
