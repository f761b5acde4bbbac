//! Springs and counterbalances from a log into the robot file.

use super::{Fourier, torques};
use dalembert::identify::columns::ColumnLayout;
use dalembert::identify::{CoupledMotor, EstimatorOptions, FitMode, Log, Parameterization};
use dalembert::robot::{Pick, Robot};
use dalembert::spatial::Wrench;
use dalembert::verbs::identify::{IdentifyRequest, identify};

const PUMA: [f64; 6] = [0.0, -0.8, 0.6, 0.0, 0.5, 0.0];

fn changed(changes: &[&str]) -> Robot {
    Robot::find_with("puma560", &changes.iter().map(|&change| change.to_owned()).collect::<Vec<_>>()).unwrap()
}

fn log(robot: &Robot) -> Log {
    log_of(robot, &Fourier::new(&PUMA, 0.6, 0.3, 4))
}

fn log_of(robot: &Robot, motion: &Fourier) -> Log {
    let times: Vec<f64> = (0..4000).map(|k| 2e-3 * f64::from(k)).collect();
    let joints = robot.joints().len();
    let positions = (0..joints).map(|i| times.iter().map(|&t| motion.at(t).q[i]).collect()).collect();
    let torques = torques(robot, motion, &times);
    Log { name: "log".into(), times, positions, torques, rates: None, notes: Vec::new(), warnings: Vec::new() }
}

/// A counterbalance and a constant pull that the file does not know come into the file, and its torques are then those measured.
#[test]
fn what_was_fitted_is_in_the_file() {
    let friction = "link.2.friction.viscous=3.0";
    let truth = changed(&[friction, "link.2.spring.sine=18", "link.2.spring.cosine=-25", "link.3.spring.constant=2.5"]);
    let file = changed(&[]);
    let parameterization =
        Parameterization { mode: FitMode::Friction, counterbalances: vec![1], ..Parameterization::default() };
    let options = EstimatorOptions { delay: Some(0.0), ..EstimatorOptions::default() };
    let log = log(&truth);
    let found = identify(
        &IdentifyRequest {
            parameterization: parameterization.clone(),
            estimator: options,
            ..IdentifyRequest::new(file.clone(), vec![log])
        },
        &mut (),
    )
    .unwrap();
    assert!(found.scores.held_out.percent() < 0.5, "{}", found.scores.held_out.percent());
    // The robot by its own formula leaves what the columns of the fit leave.
    let written = found.scores.written.as_ref().unwrap().percent();
    assert!((written - found.scores.fit.percent()).abs() < 0.1, "{written} and {}", found.scores.fit.percent());
    assert!(found.findings.iter().all(|finding| finding.name != "robot file"));
    // The page has several charts, each with clips of its own.
    let page = found.page();
    let clips: Vec<&str> = page.split("<clipPath id=\"").skip(1).filter_map(|part| part.split('"').next()).collect();
    let different: std::collections::HashSet<&&str> = clips.iter().collect();
    assert!(clips.len() == 30 && different.len() == 30, "{clips:?}");
    let robot = Robot::parse(&found.robot.unwrap().to_toml().unwrap()).unwrap();
    let motion = Fourier::new(&PUMA, 0.5, 0.4, 9);
    let mut most = 0.0_f64;
    for k in 0..200 {
        let state = motion.at(0.05 * f64::from(k));
        let of = |robot: &Robot| {
            let state = robot.at_joints(&state, &Pick::default()).unwrap();
            robot.build_model("exact").unwrap().torque(&state, Wrench::zero())
        };
        let (own, right) = (of(&robot), of(&truth));
        most = (0..6).map(|i| (own[i] - right[i]).abs()).fold(most, f64::max);
    }
    // Without the springs it would be off by 30 N m.
    assert!(most < 1.0, "{most}");
}

/// What a robot file cannot hold is told with what that costs: a motor that turns with two joints, a spring of a Delta.
#[test]
fn what_the_file_cannot_hold_is_told() {
    let file = changed(&[]);
    let mut coupled = log(&file);
    let speed =
        |k: usize| (0..2).map(|i| coupled.positions[4 + i][k + 1] - coupled.positions[4 + i][k - 1]).sum::<f64>();
    let rate = 1.0 / (coupled.times[2] - coupled.times[0]);
    let friction: Vec<f64> = (1..coupled.times.len() - 1).map(|k| 3.0 * rate * speed(k)).collect();
    for torque in &mut coupled.torques[4..6] {
        torque.iter_mut().skip(1).zip(&friction).for_each(|(torque, friction)| *torque += friction);
    }
    let motors = vec![CoupledMotor { number: 6, turns: vec![(4, 1.0), (5, 1.0)] }];
    let parameterization = Parameterization { mode: FitMode::Friction, motors, ..Parameterization::default() };
    let options = EstimatorOptions { delay: Some(0.0), ..EstimatorOptions::default() };
    let found = identify(
        &IdentifyRequest {
            parameterization: parameterization.clone(),
            estimator: options,
            ..IdentifyRequest::new(file.clone(), vec![coupled])
        },
        &mut (),
    )
    .unwrap();
    assert!(found.scores.fit.percent() < 1.0, "{}", found.scores.fit.percent());
    let finding = found.findings.iter().find(|finding| finding.name == "robot file").unwrap();
    assert!(finding.text.contains("motor 6"), "{}", finding.text);
    assert!(found.scores.written.unwrap().joints()[5] > 20.0);

    let delta = Robot::find("d3-1200").unwrap();
    let mut sprung = log_of(&delta, &Fourier::new(&[0.6; 3], 0.25, 0.5, 4));
    for (positions, torques) in sprung.positions.iter().zip(&mut sprung.torques) {
        positions.iter().zip(torques).for_each(|(q, torque)| *torque += 20.0 * q);
    }
    let parameterization =
        Parameterization { mode: FitMode::Friction, springs: vec![0, 1, 2], ..Parameterization::default() };
    let found = identify(
        &IdentifyRequest {
            parameterization: parameterization.clone(),
            estimator: options,
            ..IdentifyRequest::new(delta.clone(), vec![sprung])
        },
        &mut (),
    )
    .unwrap();
    assert!(found.scores.fit.percent() < 1.0, "{}", found.scores.fit.percent());
    let finding = found.findings.iter().find(|finding| finding.name == "robot file").unwrap();
    assert!(finding.text.contains("the spring of joint 1, 2, 3"), "{}", finding.text);
}

/// Springs that the file has are known: they are held, and what is fitted is what they leave.
#[test]
fn springs_of_the_file_are_held() {
    let robot = changed(&["link.2.spring.stiffness=40", "link.2.spring.rest=0.3", "link.5.spring.sine=0.7"]);
    let parameterization = Parameterization { stribeck: false, tanh: false, ..Parameterization::default() };
    let layout = ColumnLayout::new(&robot, &parameterization).unwrap();
    assert!(layout.columns.iter().all(|column| !column.name.starts_with("spring")));
    let log = log(&robot);
    let options = EstimatorOptions { delay: Some(0.0), ..EstimatorOptions::default() };
    let friction = Parameterization { mode: FitMode::Friction, ..parameterization };
    let found = identify(
        &IdentifyRequest {
            parameterization: friction.clone(),
            estimator: options,
            ..IdentifyRequest::new(robot.clone(), vec![log])
        },
        &mut (),
    )
    .unwrap();
    assert!(
        found.scores.file.percent() < 0.5 && found.scores.held_out.percent() < 0.5,
        "{}",
        found.scores.file.percent()
    );
}

/// What is held is all of the file's, its friction too: from a robot file that is right only the payload is missing.
#[test]
fn friction_of_the_file_is_held_where_only_the_payload_is_found() {
    let rubbing: Vec<String> = (1..=6)
        .flat_map(|i| [format!("link.{i}.friction.viscous=2.0"), format!("link.{i}.friction.coulomb=3.0")])
        .collect();
    let file = Robot::find_with("puma560", &rubbing).unwrap();
    let truth = file.with_payload(2.0).unwrap();
    let log = log(&truth);
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
    assert!(found.scores.held_out.percent() < 0.5, "{}", found.scores.held_out.percent());
    let mass = found.parameters.iter().find(|parameter| parameter.name == "m_payload").unwrap().value;
    assert!((mass - 2.0).abs() < 0.02, "{mass}");
}
