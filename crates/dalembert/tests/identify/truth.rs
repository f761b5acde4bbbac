//! Robots whose truth is known: found back without noise to rounding, with noise within what σ says.

use super::{Fourier, exact_run, torques};
use dalembert::friction::Friction;
use dalembert::identify::columns::ColumnLayout;
use dalembert::identify::fit::RegressionData;
use dalembert::identify::{
    EstimatorOptions, FitMode, Folds, Log, Parameterization, PreparedLog, Preprocessing, PriorWeight,
};
use dalembert::robot::{JointKind, Robot};
use dalembert::verbs::identify::{Grade, IdentifyOutcome, IdentifyRequest, identify};
use dalembert_proptest::Random;
use std::collections::HashSet;

pub(super) const PUMA: [f64; 6] = [0.0, -0.8, 0.6, 0.0, 0.5, 0.0];

pub(super) fn friction(joint: usize) -> Friction<f64> {
    let coulomb = 1.0 + joint as f64 * 0.3;
    Friction { viscous: 0.5 + 0.1 * joint as f64, coulomb, static_friction: coulomb, ..Friction::NONE }
}

pub(super) fn with_friction(robot: &Robot) -> Robot {
    let family = robot.with_frictions(&|joint| Some(friction(joint))).unwrap();
    Robot::parse(&family.family().to_toml(&robot.name, None).unwrap()).unwrap()
}

fn plain() -> EstimatorOptions {
    EstimatorOptions { prior: PriorWeight::None, delay: Some(0.0), ..EstimatorOptions::default() }
}

/// Exact states, exact torques: base parameters come back to nine digits, for arms of six and seven joints, a Delta and a hexapod.
#[test]
fn without_noise_base_parameters_come_back_to_nine_digits() {
    let find = |name: &str| Robot::find(name).unwrap();
    let stewart = find("stewart").home().unwrap().joints.q.to_vec();
    for (robot, middle, reach) in [
        (find("puma560"), &PUMA[..], 0.6),
        (find("d3-1200"), &[0.5, 0.5, 0.5][..], 0.12),
        (seven(), &SEVEN[..], 0.6),
        (find("stewart"), &stewart[..], 0.1),
    ] {
        let robot = with_friction(&robot);
        let name = &robot.name;
        let runs = [exact_run(&robot, &Fourier::new(middle, reach, 0.3, 3), 12.0, 2e-3)];
        let parameterization = Parameterization { stribeck: false, tanh: false, ..Parameterization::default() };
        let layout = ColumnLayout::new(&robot, &parameterization).unwrap();
        let data = RegressionData::new(&robot, &layout, &runs).unwrap();
        let rows = data.all();
        let found = data.fit(&rows, &plain()).unwrap();
        let structure = data.structure.matrix(layout.columns.len());
        let truth = nalgebra::DVector::from_iterator(
            layout.columns.len(),
            layout.columns.iter().map(|column| column.prior.unwrap_or(0.0)),
        );
        let (base, expected) = (&structure * &found.parameters, &structure * truth);
        let size = expected.amax();
        for k in 0..base.len() {
            let off = (base[k] - expected[k]).abs() / expected[k].abs().max(1e-2 * size);
            assert!(off < 1e-9, "{name}: base parameter {k}: {} instead of {}", base[k], expected[k]);
        }
        assert!(data.score(&found, &rows).unwrap().percent() < 1e-7);
    }
}

/// A log with encoders of 17 bits and 1 % torque noise, as Falezza et al. 2022 have them.
pub(super) fn log(robot: &Robot, motion: &Fourier, seconds: f64, step: f64, random: &mut Random, delay: f64) -> Log {
    let times: Vec<f64> = (0..(seconds / step) as usize).map(|k| k as f64 * step).collect();
    let late: Vec<f64> = times.iter().map(|t| t - delay).collect();
    let joints = robot.joints();
    let n = joints.len();
    // A slide has a screw with 20 mm for each turn.
    let turn = |i: usize| if joints[i].kind == JointKind::Revolute { std::f64::consts::TAU } else { 0.02 };
    let mut torques = torques(robot, motion, &late);
    for tau in &mut torques {
        let rms = (tau.iter().map(|x| x * x).sum::<f64>() / tau.len() as f64).sqrt();
        for value in tau.iter_mut() {
            // Twelve even numbers make a normal one.
            let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
            *value += 0.01 * rms * normal;
        }
    }
    // Where within a count the zero of an encoder is, is chance.
    let zeros: Vec<f64> = (0..n).map(|_| random.unit()).collect();
    let counted = |i: usize, t: f64| {
        let count = turn(i) / f64::from(1 << 17);
        ((motion.at(t).q[i] / count + zeros[i]).round() - zeros[i]) * count
    };
    let positions = (0..n).map(|i| times.iter().map(|&t| counted(i, t)).collect()).collect();
    Log { name: "simulated".into(), positions, times, torques, rates: None, notes: vec![], warnings: vec![] }
}

/// How many base parameters are within 3 σ, how many there are, and the mean square of their distance in σ.
fn monte_carlo(robot: &Robot, middle: &[f64], reach: f64, runs: usize) -> (usize, usize, f64) {
    let robot = with_friction(robot);
    let joints = robot.joints();
    let layout =
        ColumnLayout::new(&robot, &Parameterization { stribeck: false, tanh: false, ..Parameterization::default() })
            .unwrap();
    let truth: Vec<f64> = layout.columns.iter().map(|column| column.prior.unwrap_or(0.0)).collect();
    let (mut within, mut all, mut squares) = (0, 0, 0.0);
    for run in 0..runs {
        let mut random = Random(1000 + run as u64);
        let log = log(&robot, &Fourier::new(middle, reach, 0.3, 3), 6.6, 2e-3, &mut random, 0.0);
        let ready = [PreparedLog::new(&log, &joints, &Preprocessing::default()).unwrap()];
        let data = RegressionData::new(&robot, &layout, &ready).unwrap();
        let rows = data.all();
        let found = data.fit(&rows, &plain()).unwrap();
        let plain = found.plain.unwrap();
        let structure = data.structure.matrix(layout.columns.len());
        let expected = structure * nalgebra::DVector::from_column_slice(&truth);
        for (k, &column) in plain.columns.iter().enumerate() {
            let row = data.structure.independent.iter().position(|&c| c == column).unwrap();
            let off = (plain.estimate.parameters[k] - expected[row]).abs() / plain.sigma[k];
            within += usize::from(off < 3.0);
            all += 1;
            squares += off * off;
        }
    }
    (within, all, squares / all as f64)
}

/// An arm of seven joints as collaborative robots have them.
pub(super) fn seven() -> Robot {
    let rows = [
        ("0 deg", 0.0, 0.333, 5.0, [0.0, -0.03, -0.1], [0.06, 0.05, 0.02]),
        ("-90 deg", 0.0, 0.0, 3.0, [0.0, -0.07, 0.02], [0.03, 0.02, 0.03]),
        ("90 deg", 0.0, 0.316, 3.2, [0.03, 0.02, -0.07], [0.03, 0.03, 0.02]),
        ("90 deg", 0.0825, 0.0, 3.0, [-0.05, 0.08, 0.02], [0.03, 0.02, 0.03]),
        ("-90 deg", -0.0825, 0.384, 2.5, [0.0, 0.04, -0.12], [0.04, 0.035, 0.02]),
        ("90 deg", 0.0, 0.0, 1.6, [0.05, 0.01, 0.0], [0.005, 0.007, 0.008]),
        ("90 deg", 0.088, 0.107, 0.9, [0.01, 0.01, 0.06], [0.004, 0.004, 0.003]),
    ];
    let mut text =
        "kind = \"serial\"\nname = \"seven\"\nconvention = \"modified-dh\"\ngravity = [0.0, 0.0, -9.81]\n".to_owned();
    for (alpha, a, d, mass, center, inertia) in rows {
        text += &format!(
            "[[link]]\njoint = \"revolute\"\nalpha = \"{alpha}\"\na = {a:?}\nd = {d:?}\nmass = {mass:?}\ncenter_of_mass = {center:?}\n\
             inertia = {inertia:?}\nmotor_inertia = 0.3\n"
        );
    }
    Robot::parse(&text).unwrap()
}

pub(super) const SEVEN: [f64; 7] = [0.0, 0.3, 0.0, -1.6, 0.0, 1.8, 0.5];

/// 99 % within 3 σ, and σ neither 20 % too large nor too small, of an arm, a Delta, an arm of seven joints and a hexapod.
/// `DALEMBERT_MONTE_CARLO=500` runs as many.
#[test]
fn with_noise_ninety_nine_of_a_hundred_are_within_three_deviations() {
    let runs = std::env::var("DALEMBERT_MONTE_CARLO").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let find = |name: &str| Robot::find(name).unwrap();
    let stewart = find("stewart");
    let home = stewart.home().unwrap().joints.q.to_vec();
    for (robot, middle, reach) in [
        (find("puma560"), &PUMA[..], 0.6),
        (find("d3-1200"), &[0.5; 3][..], 0.12),
        (seven(), &SEVEN[..], 0.6),
        (stewart, &home[..], 0.1),
    ] {
        let (within, all, square) = monte_carlo(&robot, middle, reach, runs);
        let (name, share) = (&robot.name, within as f64 / all as f64);
        println!("{name}: {runs} runs, {:.2} % within 3 σ, RMS {:.3} σ", 100.0 * share, square.sqrt());
        assert!(share > 0.98, "{name}: {share}");
        assert!((0.8..1.2).contains(&square.sqrt()), "{name}: {}", square.sqrt());
    }
}

/// The whole way from a log with noise and a delay, a robot file with wrong masses and no friction: the delay is found, what
/// was not seen is predicted, all bodies can be, the robot that comes out has the friction.
#[test]
fn from_a_noisy_log_to_a_better_robot() {
    let truth = with_friction(&Robot::find("d3-1200").unwrap());
    let file = Robot::find_with("d3-1200", &["platform.mass=1.2".into(), "upper_arm.mass=1.2".into()]).unwrap();
    let mut random = Random(7);
    let log = log(&truth, &Fourier::new(&[0.5, 0.5, 0.5], 0.12, 0.5, 8), 8.0, 2e-3, &mut random, 2e-3);
    let found = identify(&IdentifyRequest::new(file.clone(), vec![log.clone()]), &mut ()).unwrap();
    assert!((found.delay - 2e-3).abs() < 3e-4, "{}", found.delay);
    assert!(found.scores.held_out.percent() < 2.0, "{}", found.scores.held_out.percent());
    assert!(found.scores.file.percent() > 10.0);
    assert!(found.bodies.iter().all(|body| body.possible));
    let robot = found.robot.unwrap();
    for (i, joint) in robot.joints().iter().enumerate() {
        let own = joint.friction.unwrap();
        assert!((own.viscous - friction(i).viscous).abs() < 0.05, "{own:?}");
        assert!((own.coulomb - friction(i).coulomb).abs() < 0.1, "{own:?}");
    }
    // Friction alone and the gray box predict as well, where the file is right.
    for mode in [FitMode::Friction, FitMode::Gray] {
        let parameterization = Parameterization { mode, ..Parameterization::default() };
        let right = Robot::find("d3-1200").unwrap();
        let found = identify(
            &IdentifyRequest {
                parameterization: parameterization.clone(),
                ..IdentifyRequest::new(right.clone(), vec![log.clone()])
            },
            &mut (),
        )
        .unwrap();
        assert!(found.scores.held_out.percent() < 2.0, "{mode:?}: {}", found.scores.held_out.percent());
    }
}

/// A payload that the file does not know, found with its centre.
#[test]
fn a_payload_is_found() {
    let file = with_friction(&Robot::find("puma560").unwrap());
    // A point mass is on the border of what a body can be.
    let changes = ["payload.mass=2.0", "payload.center_of_mass=[0.0, 0.02, 0.08]"].map(str::to_owned);
    let loaded = with_friction(&Robot::find_with("puma560", &changes).unwrap());
    let mut random = Random(9);
    let log = log(&loaded, &Fourier::new(&PUMA, 0.6, 0.3, 4), 10.0, 2e-3, &mut random, 0.0);
    let parameterization = Parameterization { mode: FitMode::Payload, ..Parameterization::default() };
    let options = EstimatorOptions { delay: Some(0.0), ..EstimatorOptions::default() };
    let found = identify(
        &IdentifyRequest {
            parameterization: parameterization.clone(),
            estimator: options,
            ..IdentifyRequest::new(file.clone(), vec![log])
        },
        &mut (),
    )
    .unwrap();
    assert!(found.prior_weight.is_some() && found.bodies.iter().all(|body| body.possible));
    let value =
        |name: &str| found.parameters.iter().find(|p| p.name == name).map(|p| (p.value, p.sigma.unwrap())).unwrap();
    let (mass, sigma) = value("m_payload");
    assert!((mass - 2.0).abs() < 3.0 * sigma.max(0.02), "{mass} ± {sigma}");
    let (moment, sigma) = value("mz_payload");
    assert!((moment - 0.16).abs() < 3.0 * sigma.max(3e-3), "{moment} ± {sigma}");
}

/// The gray box finds a payload of which the file knows nothing whole, and one that the file has by its mass.
#[test]
fn a_gray_box_has_the_payload_that_the_file_lacks() {
    let parameterization = Parameterization { mode: FitMode::Gray, ..Parameterization::default() };
    let names = |robot: &Robot| -> Vec<String> {
        let layout = ColumnLayout::new(robot, &parameterization).unwrap();
        layout.columns.iter().map(|c| c.name.clone()).filter(|name| name.ends_with("_payload")).collect()
    };
    assert_eq!(names(&Robot::find("puma560").unwrap()).len(), 10);
    let loaded = Robot::find_with("puma560", &["payload.mass=2.0".to_owned()]).unwrap();
    assert_eq!(names(&loaded), ["m_payload"]);
}

/// Torques that belong to another motion are called bad.
#[test]
fn a_bad_log_is_called_bad() {
    let robot = with_friction(&Robot::find("puma560").unwrap());
    let mut random = Random(3);
    let mut log = log(&robot, &Fourier::new(&PUMA, 0.6, 0.3, 4), 6.0, 2e-3, &mut random, 0.0);
    let half = log.times.len() / 2;
    let judged = |log: &Log| {
        // A given weight and one part: the verdict needs no more, and it is fast.
        let (preprocessing, parameterization) = (Preprocessing::default(), Parameterization::default());
        let options = EstimatorOptions { prior: PriorWeight::Given(10.0), ..EstimatorOptions::default() };
        identify(
            &IdentifyRequest {
                preprocessing: preprocessing.clone(),
                parameterization: parameterization.clone(),
                estimator: options,
                folds: Folds::Parts(1),
                ..IdentifyRequest::new(robot.clone(), vec![log.clone()])
            },
            &mut (),
        )
    };
    // In mN m a motion explains its torques as well as in N m: only the robot file tells.
    let mut thousand = log.clone();
    thousand.torques.iter_mut().flatten().for_each(|tau| *tau *= 1e3);
    let found = judged(&thousand).unwrap();
    let size = found.findings.iter().find(|finding| finding.name == "other size").expect("a finding");
    assert!(found.grade().as_str() == "bad" && size.text.contains("1000 times"), "{:?}", found.findings);
    // A tenth, at all joints alike; a zero that is 0.3 rad off; a sign; two torques exchanged.
    type Change = fn(&mut Log);
    let changes: [(Change, &str, &str); 4] = [
        (|log| log.torques.iter_mut().flatten().for_each(|tau| *tau *= 0.1), "other size", "0.1 times"),
        (|log| log.positions[2].iter_mut().for_each(|q| *q += 0.3), "zero offset", "added to the positions of joint 3"),
        (
            |log| log.torques[2].iter_mut().for_each(|tau| *tau *= -1.0),
            "unexplained",
            "of the torque of joint 3 is explained",
        ),
        (|log| log.torques.swap(1, 2), "order", "torque of joints 2 and 3 exchanged"),
    ];
    let wrong = changes.iter().filter_map(|(change, name, text)| {
        let mut other = log.clone();
        change(&mut other);
        let found = judged(&other).unwrap();
        let told = found.findings.iter().any(|f| f.grade.as_str() == "bad" && f.name == *name && f.text.contains(text));
        (!told).then(|| format!("{name}: {:?}", found.findings))
    });
    assert_eq!(wrong.collect::<Vec<String>>(), [""; 0]);
    log.torques.iter_mut().for_each(|tau| tau.rotate_left(half / 3));
    let found = judged(&log).unwrap();
    assert_eq!(found.grade().as_str(), "bad", "{:?}", found.findings);
    log.positions.iter_mut().for_each(|q| q.fill(0.3));
    let error = judged(&log);
    assert!(error.unwrap_err().to_string().contains("nothing moves"));
}

/// The file with all masses and inertias of its bodies times a factor.
fn heavier(robot: &Robot, keys: &[&str], factor: f64) -> Robot {
    let text = robot.to_toml().unwrap();
    let scaled = |line: &str| {
        let number = line.split_once(" = ").filter(|(key, _)| keys.contains(&key.trim()));
        number.and_then(|(key, value)| Some(format!("{key} = {:?}", factor * value.parse::<f64>().ok()?)))
    };
    let lines: Vec<String> = text.lines().map(|line| scaled(line).unwrap_or_else(|| line.to_owned())).collect();
    Robot::parse(&lines.join("\n")).unwrap()
}

/// The residual of a robot by itself on a motion, in per cent of the true torque.
fn residual_on(robot: &Robot, truth: &Robot, motion: &Fourier, seconds: f64) -> f64 {
    let times: Vec<f64> = (0..(seconds / 0.01) as usize).map(|k| k as f64 * 0.01).collect();
    let [found, expected] = [robot, truth].map(|robot| torques(robot, motion, &times).concat());
    let norm = |all: &mut dyn Iterator<Item = f64>| all.map(|x| x * x).sum::<f64>().sqrt();
    let off = norm(&mut found.iter().zip(&expected).map(|(a, b)| a - b));
    100.0 * off / norm(&mut expected.iter().copied())
}

/// A short motion that repeats: what is held out is another part of one period, and the claimed residual is that of other motions, not of
/// the motion that was fitted.
#[test]
fn a_repeated_motion_is_not_held_out_against_itself() {
    let delta = with_friction(&Robot::find("d3-1200").unwrap());
    let arm = with_friction(&seven());
    for (truth, middle, reach) in [(delta, &[0.5; 3][..], 0.06), (arm, &SEVEN[..], 0.15)] {
        let name = truth.name.clone();
        let file = heavier(&truth, &["mass", "inertia"], 1.2);
        let short = Fourier::new(middle, reach, 0.8, 5);
        let log = log(&truth, &short, 10.0, 2e-3, &mut Random(81), 0.0);
        let options = EstimatorOptions { delay: Some(0.0), ..EstimatorOptions::default() };
        let request = IdentifyRequest { estimator: options, ..IdentifyRequest::new(file, vec![log]) };
        let found = identify(&request, &mut ()).unwrap();
        let claimed = found.scores.held_out.percent();
        let robot = found.robot.as_ref().unwrap();
        let real: Vec<f64> =
            (0..4).map(|k| residual_on(robot, &truth, &Fourier::new(middle, 2.0 * reach, 0.3, 90 + k), 6.0)).collect();
        println!(
            "{name}: claimed {claimed}, fit {}, other motions {real:?}, weight {:?}",
            found.scores.fit.percent(),
            found.prior_weight
        );
        let told = found.findings.iter().find(|finding| finding.code == "repeated-motion");
        assert!(told.is_some_and(|finding| finding.text.contains("1.25 s")), "{:?}", found.findings);
        let worst = real.iter().copied().fold(0.0, f64::max);
        assert!(worst < 1.5 * claimed, "{name}: {claimed} % claimed, {worst} % of another motion");
    }
}

/// Two logs of one motion are no held-out data of each other.
#[test]
fn logs_that_repeat_each_other_are_one_motion() {
    let truth = with_friction(&Robot::find("d3-1200").unwrap());
    let motion = Fourier::new(&[0.5; 3], 0.12, 0.1, 8);
    let mut random = Random(82);
    let logs: Vec<Log> = (0..2).map(|_| log(&truth, &motion, 8.0, 2e-3, &mut random, 0.0)).collect();
    let options = EstimatorOptions { prior: PriorWeight::Given(1.0), delay: Some(0.0), ..EstimatorOptions::default() };
    let judged = |logs: Vec<Log>| {
        identify(&IdentifyRequest { estimator: options, ..IdentifyRequest::new(truth.clone(), logs) }, &mut ()).unwrap()
    };
    let found = judged(logs.clone());
    let names: Vec<&str> = found.scores.folds.iter().map(|fold| fold.name.as_str()).collect();
    assert_eq!(names, ["part 1 of the repeated motion", "part 2 of the repeated motion"]);
    assert!(found.findings.iter().any(|finding| finding.code == "repeated-motion"), "{:?}", found.findings);
    let other = log(&truth, &Fourier::new(&[0.5; 3], 0.12, 0.1, 9), 8.0, 2e-3, &mut random, 0.0);
    let found = judged(vec![logs[0].clone(), Log { name: "other".into(), ..other }]);
    let names: Vec<&str> = found.scores.folds.iter().map(|fold| fold.name.as_str()).collect();
    assert_eq!(names, ["simulated", "other"]);
    assert!(found.findings.iter().all(|finding| finding.code != "repeated-motion"), "{:?}", found.findings);
}

/// A file whose masses are wrong, and a log without noise: what torques do not determine has no standard deviation, or that of the
/// file's tolerance, and no truth is absurdly far off.
#[test]
fn what_torques_do_not_determine_has_no_deviation() {
    let truth = with_friction(&seven());
    let motion = Fourier::new(&SEVEN, 0.6, 0.3, 4);
    let times: Vec<f64> = (0..3500).map(|k| f64::from(k) * 2e-3).collect();
    let positions = (0..7).map(|i| times.iter().map(|&t| motion.at(t).q[i]).collect()).collect();
    let torques = torques(&truth, &motion, &times);
    let exact = Log { name: "exact".into(), times, positions, torques, rates: None, notes: vec![], warnings: vec![] };
    let wrong = heavier(&truth, &["mass"], 2.25);
    let tolerant = Robot::parse(
        &wrong.to_toml().unwrap().replace("mass = 6.75\n", "mass = 6.75\ntolerance = { mass = \"60 %\" }\n"),
    );
    for (file, stated) in [(&wrong, false), (&tolerant.unwrap(), true)] {
        let options =
            EstimatorOptions { prior: PriorWeight::Given(1.0), delay: Some(0.0), ..EstimatorOptions::default() };
        let parameterization = Parameterization { stribeck: false, tanh: false, ..Parameterization::default() };
        let layout = ColumnLayout::new(&truth, &parameterization).unwrap();
        let request = IdentifyRequest {
            parameterization,
            estimator: options,
            folds: Folds::Parts(1),
            ..IdentifyRequest::new(file.clone(), vec![exact.clone()])
        };
        let found = identify(&request, &mut ()).unwrap();
        let sigma = |name: &str| found.parameters.iter().find(|p| p.name == name).unwrap().sigma;
        assert_eq!(sigma("m1"), None, "no torque depends on it");
        // Links 2 and 4 have 3 kg in truth, 6.75 in the file.
        assert_eq!(sigma("m2").is_some(), stated);
        let blank = found.parameters.iter().filter(|p| p.sigma.is_none()).count();
        assert!(blank > 20 && found.parameters.len() > blank + 20, "{blank} of {}", found.parameters.len());
        let mut worst = (0.0, String::new());
        for own in &found.parameters {
            let expected = layout.columns.iter().find(|column| column.name == own.name).unwrap().prior.unwrap_or(0.0);
            let Some(sigma) = own.sigma else { continue };
            let off = (own.value - expected).abs() / sigma;
            if off > worst.0 {
                worst = (off, format!("{}: {} ± {sigma} for {expected}", own.name, own.value));
            }
        }
        println!("{worst:?}");
        assert!(worst.0 < 6.0, "{worst:?}");
        let json = serde_json::to_value(&found).unwrap();
        let first = json["parameters"].as_array().unwrap().iter().find(|p| p["name"] == "m1").unwrap().clone();
        assert!(first["sigma"].is_null(), "{first}");
    }
}

/// A fast log does not determine how friction changes its sign: where the file has no friction, the identified file has that of the default,
/// and predicts a slow motion too.
#[test]
fn a_fast_log_has_no_soft_friction() {
    let file = Robot::find("d3-1200").unwrap();
    let truth = with_friction(&file);
    let log = log(&truth, &Fourier::new(&[0.3; 3], 0.5, 0.8, 7), 6.0, 2e-3, &mut Random(83), 0.0);
    let options = EstimatorOptions { prior: PriorWeight::Given(1e3), delay: Some(0.0), ..EstimatorOptions::default() };
    let parameterization = Parameterization { stribeck: false, tanh: false, ..Parameterization::default() };
    let request = IdentifyRequest {
        parameterization,
        estimator: options,
        folds: Folds::Parts(1),
        ..IdentifyRequest::new(file, vec![log])
    };
    let found = identify(&request, &mut ()).unwrap();
    let robot = found.robot.as_ref().unwrap();
    for joint in robot.joints() {
        assert!(joint.friction.unwrap().smoothing_velocity <= 1e-3, "{:?}", joint.friction);
    }
    let slow = residual_on(robot, &truth, &Fourier::new(&[0.3; 3], 0.3, 0.05, 91), 6.0);
    assert!(slow < 1.5, "{slow} % of a slow motion, {} % of the fast one", found.scores.fit.percent());
}

/// Stribeck's part and its speed are fitted together: the deviation of the table is that of the curve, not that of least squares with the
/// speed for known, by which friction without such a part would have one of seven deviations.
#[test]
fn deviations_of_friction_include_its_speed() {
    let file = Robot::find("d3-1200").unwrap();
    let truth = with_friction(&file);
    let log = log(&truth, &Fourier::new(&[0.4; 3], 0.3, 0.25, 4), 8.0, 2e-3, &mut Random(84), 0.0);
    let options = EstimatorOptions { prior: PriorWeight::Given(10.0), delay: Some(0.0), ..EstimatorOptions::default() };
    let request =
        IdentifyRequest { estimator: options, folds: Folds::Parts(1), ..IdentifyRequest::new(file, vec![log]) };
    let found = identify(&request, &mut ()).unwrap();
    let mut curves = 0;
    for curve in found.friction.iter().filter(|curve| curve.stribeck().is_some()) {
        for (k, name) in ["fv", "fc", "fs"].into_iter().enumerate() {
            let name = format!("{name}{}", curve.joint + 1);
            let own = found.parameters.iter().find(|own| own.name == name).unwrap();
            let [sigma, of_curve] = [own.sigma.unwrap(), curve.covariance[(k, k)].sqrt()];
            assert!(sigma >= 0.999 * of_curve, "{name}: {sigma} {of_curve}");
            assert!(k < 2 || own.value.abs() < 4.0 * sigma, "{name}: {} ± {sigma} where there is none", own.value);
        }
        curves += 1;
    }
    assert!(curves > 0, "{:?}", found.speeds);
}

/// Logs without and with a payload whose motion repeats: each is held out by parts of one period, not against its own repetitions.
#[test]
fn repeated_logs_with_a_payload_are_held_out_by_parts_of_a_period() {
    let empty = with_friction(&Robot::find("d3-1200").unwrap());
    let loaded = with_friction(&Robot::find_with("d3-1200", &["payload.mass=0.8".to_owned()]).unwrap());
    let short = Fourier::new(&[0.5; 3], 0.06, 0.8, 5);
    let mut random = Random(85);
    let logs = [&empty, &loaded].map(|truth| log(truth, &short, 10.0, 2e-3, &mut random, 0.0));
    let options = EstimatorOptions { prior: PriorWeight::Given(1.0), delay: Some(0.0), ..EstimatorOptions::default() };
    let parameterization =
        Parameterization { loaded: vec![1], stribeck: false, tanh: false, ..Parameterization::default() };
    let judged = |folds: Folds| {
        let request = IdentifyRequest {
            parameterization: parameterization.clone(),
            estimator: options,
            folds,
            ..IdentifyRequest::new(empty.clone(), logs.to_vec())
        };
        identify(&request, &mut ()).unwrap()
    };
    let found = judged(Folds::Parts(2));
    let graded = |found: &IdentifyOutcome, grade: Grade| {
        found.findings.iter().any(|finding| finding.code == "repeated-motion" && finding.grade == grade)
    };
    assert!(graded(&found, Grade::Note) && !graded(&found, Grade::Weak), "{:?}", found.findings);
    // The folds follow each other; each is in the order of time.
    let times = &found.predictions[0].times;
    let second = times.windows(2).position(|pair| pair[1] < pair[0]).unwrap() + 1;
    assert!(times[0] < 1.0 && times[second - 1] > 18.0, "the first fold has all of both logs");
    let places = |times: &[f64]| -> HashSet<u64> { times.iter().map(|t| (16.0 * (t / 1.25).fract()) as u64).collect() };
    let [first, other] = [&times[..second], &times[second..]].map(places);
    assert!(first.intersection(&other).count() <= 8, "{first:?} {other:?}");
    assert!(graded(&judged(Folds::At(vec![5.0])), Grade::Weak));
}
