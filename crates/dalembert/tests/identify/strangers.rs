//! Logs and robot files as strangers have them: files that are wrong by a third, payloads, torques that are cut or of another size.

use super::Fourier;
use super::truth::{PUMA, SEVEN, friction, log, seven, with_friction};
use dalembert::friction::Friction;
use dalembert::identify::columns::ColumnLayout;
use dalembert::identify::numerics::base::BaseParameters;
use dalembert::identify::{EstimatorOptions, FitMode, Folds, Log, Parameterization, Preprocessing, PriorWeight};
use dalembert::robot::{JointState, JointVector, Pick, Robot};
use dalembert::spatial::Wrench;
use dalembert::verbs::identify::{Grade, IdentifyOutcome, IdentifyRequest, identify};
use dalembert_proptest::Random;

fn found(
    robot: &Robot,
    logs: &[Log],
    parameterization: &Parameterization,
    options: &EstimatorOptions,
    parts: usize,
) -> IdentifyOutcome {
    identify(
        &IdentifyRequest {
            parameterization: parameterization.clone(),
            estimator: *options,
            folds: Folds::Parts(parts),
            ..IdentifyRequest::new(robot.clone(), logs.to_vec())
        },
        &mut (),
    )
    .unwrap()
}

/// A given weight and no delay: the tests of findings need no more, and are fast.
fn quick() -> EstimatorOptions {
    EstimatorOptions { prior: PriorWeight::Given(10.0), delay: Some(0.0), ..EstimatorOptions::default() }
}

/// The PUMA's file with bodies that are a third too heavy or too light.
fn wrong_puma() -> Robot {
    let changes = ["link.2.mass=22.5", "link.3.mass=3.4", "link.4.mass=1.1", "link.5.mass=0.22", "link.6.mass=0.12"];
    Robot::find_with("puma560", &changes.map(str::to_owned)).unwrap()
}

/// A log without and one with a payload: the payload is what makes the difference, however wrong the robot file is.
#[test]
fn a_payload_is_the_difference_of_two_logs() {
    let changes = ["payload.mass=2.0", "payload.center_of_mass=[0.0, 0.02, 0.08]"].map(str::to_owned);
    let loaded = with_friction(&Robot::find_with("puma560", &changes).unwrap());
    let empty = with_friction(&Robot::find("puma560").unwrap());
    let mut random = Random(21);
    let logs = [
        log(&empty, &Fourier::new(&PUMA, 0.6, 0.3, 4), 8.0, 2e-3, &mut random, 0.0),
        log(&loaded, &Fourier::new(&PUMA, 0.6, 0.3, 5), 8.0, 2e-3, &mut random, 0.0),
    ];
    let parameterization =
        Parameterization { loaded: vec![1], stribeck: false, tanh: false, ..Parameterization::default() };
    let result = found(&wrong_puma(), &logs, &parameterization, &quick(), 2);
    assert!(result.scores.held_out.percent() < 2.0, "{}", result.scores.held_out.percent());
    let value =
        |name: &str| result.parameters.iter().find(|p| p.name == name).map(|p| (p.value, p.sigma.unwrap())).unwrap();
    let (mass, sigma) = value("m_payload");
    assert!((mass - 2.0).abs() < 0.07 * 2.0 && (mass - 2.0).abs() < 3.0 * sigma.max(0.02), "{mass} ± {sigma}");
    let (moment, _) = value("mz_payload");
    assert!((moment - 0.16).abs() < 0.07 * 0.16, "{moment}");
    // The robot that comes out carries it.
    let carried = result.robot.unwrap();
    let q = JointVector::from_fn(6, |i| PUMA[i]);
    let rest = JointVector::from_fn(6, |_| 0.0);
    let torque = |robot: &Robot| {
        let state = robot
            .at_joints(&JointState { q: q.clone(), qd: rest.clone(), qdd: rest.clone() }, &Pick::default())
            .unwrap();
        robot.build_model("exact").unwrap().torque(&state, Wrench::zero())[1]
    };
    assert!((torque(&carried) / torque(&loaded) - 1.0).abs() < 0.05, "{} {}", torque(&carried), torque(&loaded));
}

/// A gray box whose file has the payload with another mass finds its mass.
#[test]
fn a_gray_box_finds_the_mass_of_a_payload() {
    let with = |mass: f64| {
        let changes = [format!("payload.mass={mass}"), "payload.center_of_mass=[0.0, 0.02, 0.1]".to_owned()];
        with_friction(&Robot::find_with("puma560", &changes).unwrap())
    };
    let mut random = Random(22);
    let log = log(&with(3.0), &Fourier::new(&PUMA, 0.6, 0.3, 6), 8.0, 2e-3, &mut random, 0.0);
    let parameterization =
        Parameterization { mode: FitMode::Gray, stribeck: false, tanh: false, ..Parameterization::default() };
    let result = found(&with(2.0), &[log], &parameterization, &quick(), 2);
    let mass = result.parameters.iter().find(|p| p.name == "m_payload").unwrap();
    assert!((mass.value - 3.0).abs() < 0.02 * 3.0, "{} ± {:?}", mass.value, mass.sigma);
}

/// Factors of bodies find what the file has too much or too little of.
#[test]
fn factors_find_the_bodies_that_are_too_heavy() {
    let truth = with_friction(&seven());
    let text = truth.to_toml().unwrap().replacen("mass = 3.0", "mass = 4.5", 1);
    let file = Robot::parse(&text).unwrap();
    let mut random = Random(23);
    let log = log(&truth, &Fourier::new(&SEVEN, 0.6, 0.3, 6), 6.0, 2e-3, &mut random, 0.0);
    let parameterization =
        Parameterization { mode: FitMode::Factors, stribeck: false, tanh: false, ..Parameterization::default() };
    let result = found(&file, std::slice::from_ref(&log), &parameterization, &quick(), 2);
    let fixed =
        found(&file, &[log], &Parameterization { mode: FitMode::Gray, ..parameterization.clone() }, &quick(), 2);
    assert!(result.scores.held_out.percent() < fixed.scores.held_out.percent(), "{}", fixed.scores.held_out.percent());
    assert!(result.parameters.iter().filter(|p| p.name.starts_with("x_link")).count() >= 6);
}

/// Torques that a sensor cuts, with noise behind the cut, and torques that are half of what they are.
#[test]
fn torques_that_are_cut_or_halved_are_told() {
    let robot = with_friction(&Robot::find("puma560").unwrap());
    let mut random = Random(24);
    let sound = log(&robot, &Fourier::new(&PUMA, 0.6, 0.3, 4), 6.0, 2e-3, &mut random, 0.0);
    let judged = |log: &Log| found(&robot, std::slice::from_ref(log), &Parameterization::default(), &quick(), 1);
    assert_eq!(judged(&sound).grade().as_str(), "good", "{:?}", judged(&sound).findings);
    let mut cut = sound.clone();
    let tau = &mut cut.torques[1];
    let mut sizes: Vec<f64> = tau.iter().map(|x| x.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let limit = sizes[sizes.len() * 4 / 5];
    tau.iter_mut().for_each(|x| *x = x.clamp(-limit, limit) + 0.003 * limit * (random.unit() - 0.5));
    let told = judged(&cut);
    let finding = told.findings.iter().find(|f| f.name == "saturated").expect("a finding");
    assert!(finding.text.contains("joint 2") && told.grade() > Grade::Note, "{finding:?}");
    let mut half = sound.clone();
    half.torques.iter_mut().flatten().for_each(|x| *x *= 0.5);
    let told = judged(&half);
    let finding = told.findings.iter().find(|f| f.name == "other size").expect("a finding");
    assert!(finding.grade.as_str() == "weak" && finding.text.contains("0.5"), "{finding:?}");
}

/// Runs at constant speeds up and down (Asadi et al.): Stribeck's curve comes back to 2 %, with its covariance. (Beside a reversal the filtered
/// curve is not that of the filtered speed: some of these per cent are no noise.)
#[test]
fn friction_of_constant_speeds_comes_back() {
    let own = |i: usize| Friction { static_friction: friction(i).coulomb + 0.8, stribeck_velocity: 0.3, ..friction(i) };
    let file = Robot::find("d3-1200").unwrap();
    let family = file.with_frictions(&|joint| Some(own(joint))).unwrap();
    let robot = Robot::parse(&family.family().to_toml("d3-1200", None).unwrap()).unwrap();
    let mut random = Random(25);
    // Every speed up and down, all arms together: the platform goes straight up and down. A tenth of a second from one to the next.
    let (step, ramp) = (1e-3, 0.1);
    let (mut times, mut q, mut torques) = (Vec::new(), Vec::new(), vec![Vec::new(); 3]);
    let (mut at, mut now) = (0.3, 0.0);
    let exact = robot.build_model("exact").unwrap();
    for speed in [0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0] {
        for next in [speed, -speed] {
            let (before, seconds) = (now, (0.4_f64 / speed).min(2.0) + ramp);
            for k in 0..(seconds / step) as usize {
                let x = (k as f64 * step / ramp).min(1.0);
                now = before + (next - before) * x * x * (3.0 - 2.0 * x);
                at += now * step;
                times.push(times.len() as f64 * step);
                q.push(at);
                let all = |x: f64| JointVector::from_fn(3, |_| x);
                let change = (next - before) * 6.0 * x * (1.0 - x) / ramp;
                let state = JointState { q: all(at), qd: all(now), qdd: all(change) };
                let tau = exact.torque(&robot.at_joints(&state, &Pick::default()).unwrap(), Wrench::zero());
                let mut noise = || 0.05 * (random.unit() + random.unit() + random.unit() - 1.5);
                (0..3).for_each(|i| torques[i].push(tau[i] + noise()));
            }
        }
    }
    let (notes, warnings) = (vec![], vec![]);
    let log = Log { name: "speeds".into(), positions: vec![q; 3], times, torques, rates: None, notes, warnings };
    let parameterization = Parameterization { mode: FitMode::Friction, ..Parameterization::default() };
    let options = EstimatorOptions { delay: Some(0.0), ..EstimatorOptions::default() };
    let result = found(&file, &[log], &parameterization, &options, 2);
    for curve in &result.friction {
        assert!(curve.stribeck().is_some(), "{curve:?}");
        for speed in [0.05, 0.2, 0.7] {
            let truth = own(curve.joint).torque(speed);
            let [value, sigma] = curve.at(speed);
            assert!(
                (value - truth).abs() < 4.0 * sigma + 0.02 * truth && sigma < 0.1 * truth,
                "{speed}: {value} ± {sigma} for {truth}"
            );
        }
    }
}

/// The essential parameters of a Delta's log are fewer than its base parameters, and predict as well.
#[test]
fn essential_parameters_predict_what_was_not_seen() {
    let robot = with_friction(&Robot::find("d3-1200").unwrap());
    let mut random = Random(26);
    let log = log(&robot, &Fourier::new(&[0.5; 3], 0.12, 0.5, 8), 8.0, 2e-3, &mut random, 0.0);
    let options = EstimatorOptions { essential: Some(0.1), ..quick() };
    let result = found(
        &robot,
        &[log],
        &Parameterization { stribeck: false, tanh: false, ..Parameterization::default() },
        &options,
        2,
    );
    let few = result.essential.as_ref().unwrap();
    assert!(few.kept.len() < result.base.len() && few.kept.len() > 6, "{} of {}", few.kept.len(), result.base.len());
    assert!(few.kept.iter().all(|kept| kept.sigma <= 0.1 * kept.value.abs()));
    assert!(few.held_out.percent() < result.scores.held_out.percent() + 0.5, "{}", few.held_out.percent());
}

/// White noise on the positions that the filter lets through: least squares takes it for motion, and finds inertias that are too
/// small; instruments from the samples in between do not, and the verdict tells.
#[test]
fn instruments_are_not_biased_by_noise_of_the_positions() {
    let robot = with_friction(&seven());
    let mut random = Random(27);
    let mut log = log(&robot, &Fourier::new(&SEVEN, 0.6, 0.2, 6), 10.0, 1e-3, &mut random, 0.0);
    for q in log.positions.iter_mut().flatten() {
        *q += 2e-4 * ((0..12).map(|_| random.unit()).sum::<f64>() - 6.0);
    }
    let preprocessing = Preprocessing { cutoff: Some(30.0), ..Preprocessing::default() };
    let options = EstimatorOptions { instruments: true, ..quick() };
    let parameterization = Parameterization { stribeck: false, tanh: false, ..Parameterization::default() };
    let result = identify(
        &IdentifyRequest {
            preprocessing: preprocessing.clone(),
            parameterization: parameterization.clone(),
            estimator: options,
            folds: Folds::Parts(1),
            ..IdentifyRequest::new(robot.clone(), vec![log])
        },
        &mut (),
    )
    .unwrap();
    assert!(result.findings.iter().any(|finding| finding.name == "bias"), "{:?}", result.findings);
    let layout = ColumnLayout::new(&robot, &parameterization).unwrap();
    let truth = nalgebra::DVector::from_iterator(
        layout.columns.len(),
        layout.columns.iter().map(|column| column.prior.unwrap_or(0.0)),
    );
    let expected = BaseParameters::of(&layout.random_rows(&robot)).values(&truth);
    let (mut off, mut count) = ([0.0, 0.0], 0.0);
    for (base, truth) in result.base.iter().zip(expected.iter()) {
        let (Some(plain), Some(instrumental)) = (base.least_squares, base.instrumental) else { continue };
        for (sum, [value, sigma]) in off.iter_mut().zip([plain, instrumental]) {
            *sum += ((value - truth) / sigma).powi(2);
        }
        count += 1.0;
    }
    let [plain, instrumental] = off.map(|sum| f64::sqrt(sum / count));
    assert!(instrumental < 1.5 && plain > 2.0 * instrumental, "{plain} {instrumental}");
}

/// A gap of more than a second, and rows that only repeat the ones before, cost what they hide and no more.
#[test]
fn gaps_and_repeated_rows_spoil_nothing_else() {
    let robot = with_friction(&Robot::find("puma560").unwrap());
    let mut random = Random(28);
    let sound = log(&robot, &Fourier::new(&PUMA, 0.6, 0.3, 4), 8.0, 1e-3, &mut random, 0.0);
    let parameterization = Parameterization { stribeck: false, tanh: false, ..Parameterization::default() };
    let of = |log: &Log| found(&robot, std::slice::from_ref(log), &parameterization, &quick(), 1);
    let whole = of(&sound).scores.fit.percent();
    let kept = |keep: &dyn Fn(usize) -> Option<usize>| -> Log {
        let rows: Vec<(usize, usize)> = (0..sound.times.len()).filter_map(|k| Some((k, keep(k)?))).collect();
        let pick = |all: &Vec<Vec<f64>>| all.iter().map(|x| rows.iter().map(|(_, from)| x[*from]).collect()).collect();
        Log {
            times: rows.iter().map(|(k, _)| sound.times[*k]).collect(),
            positions: pick(&sound.positions),
            torques: pick(&sound.torques),
            ..sound.clone()
        }
    };
    let gap = of(&kept(&|k| (!(3000..4300).contains(&k)).then_some(k)));
    assert!(gap.scores.fit.percent() < 1.3 * whole + 0.1, "{} {whole}", gap.scores.fit.percent());
    assert!(gap.findings.iter().any(|finding| finding.name == "gaps"), "{:?}", gap.findings);
    // Every fourth row is new: less noise is averaged away.
    let repeated = of(&kept(&|k| Some(k / 4 * 4)));
    assert_eq!(repeated.logs[0].health.repeats, 4);
    assert!(repeated.scores.fit.percent() < 2.5 * whole + 0.1, "{} {whole}", repeated.scores.fit.percent());
}

/// An arm on a wall: gravity is that of the world in the frame of its base, which the identified file keeps; without the base the verdict
/// names gravity.
#[test]
fn an_arm_on_a_wall_is_identified() {
    let on_a_wall = |robot: &Robot| {
        let text = robot.to_toml().unwrap();
        let place = text.find("[[link]]").unwrap();
        let base = "[base]\nposition = [0.3, 0.0, 1.1]\nrpy = [\"90 deg\", 0, 0]\n\n";
        Robot::parse(&format!("{}{base}{}", &text[..place], &text[place..])).unwrap()
    };
    let plain = with_friction(&Robot::find("puma560").unwrap());
    let log = log(&on_a_wall(&plain), &Fourier::new(&PUMA, 0.6, 0.3, 4), 6.0, 2e-3, &mut Random(26), 0.0);
    let parameterization = Parameterization { stribeck: false, tanh: false, ..Parameterization::default() };
    let judged = |file: &Robot| found(file, std::slice::from_ref(&log), &parameterization, &quick(), 1);
    let result = judged(&on_a_wall(&wrong_puma()));
    assert!(result.scores.fit.percent() < 1.5, "{}", result.scores.fit.percent());
    assert!(result.scores.written.as_ref().unwrap().percent() < 2.0, "{:?}", result.scores.written);
    let text = result.robot.unwrap().to_toml().unwrap();
    assert!(text.contains("[base]") && text.contains("rpy = [\"90 deg\", \"0 deg\", \"0 deg\"]"), "{text}");
    let without = judged(&plain);
    let gravity = without.findings.iter().find(|finding| finding.code == "gravity").map(|finding| finding.grade);
    assert_eq!(gravity, Some(Grade::Bad), "{:?}", without.findings);
}
