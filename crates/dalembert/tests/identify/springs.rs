//! Springs and counterbalances from a log into the robot file.

use super::{Fourier, torques};
use dalembert::identify::columns::Layout;
use dalembert::identify::{Contents, Cuts, Delay, Log, Manner, Mode, Treatment, identify};
use dalembert::robot::{Pick, Robot};
use dalembert::spatial::Wrench;

const PUMA: [f64; 6] = [0.0, -0.8, 0.6, 0.0, 0.5, 0.0];

fn changed(changes: &[&str]) -> Robot {
    Robot::find_with("puma560", &changes.iter().map(|&change| change.to_owned()).collect::<Vec<_>>()).unwrap()
}

fn log(robot: &Robot) -> Log {
    let motion = Fourier::new(&PUMA, 0.6, 0.3, 4);
    let times: Vec<f64> = (0..4000).map(|k| 2e-3 * f64::from(k)).collect();
    let positions = (0..6).map(|i| times.iter().map(|&t| motion.at(t).q[i]).collect()).collect();
    let torques = torques(robot, &motion, &times);
    Log { name: "log".into(), times, positions, torques, rates: None, notes: Vec::new(), warnings: Vec::new() }
}

/// A counterbalance and a constant pull that the file does not know come into the file, and its torques are then those measured.
#[test]
fn what_was_fitted_is_in_the_file() {
    let friction = "link.2.friction.viscous=3.0";
    let truth = changed(&[friction, "link.2.spring.sine=18", "link.2.spring.cosine=-25", "link.3.spring.constant=2.5"]);
    let file = changed(&[]);
    let contents = Contents { mode: Mode::Friction, counterbalances: vec![1], ..Contents::default() };
    let manner = Manner { delay: Delay::Given(0.0), ..Manner::default() };
    let log = log(&truth);
    let mut nothing = |_: &str| {};
    let found =
        identify(&file, &[log], &Treatment::default(), &contents, &manner, &Cuts::Parts(2), &mut nothing).unwrap();
    assert!(found.held_out.percent() < 0.5, "{}", found.held_out.percent());
    let robot = Robot::parse(&found.robot.unwrap().to_toml().unwrap()).unwrap();
    let motion = Fourier::new(&PUMA, 0.5, 0.4, 9);
    let mut most = 0.0_f64;
    for k in 0..200 {
        let state = motion.at(0.05 * f64::from(k));
        let of = |robot: &Robot| {
            let state = robot.at_joints(&state, &Pick::default()).unwrap();
            robot.model("exact").unwrap().torque(&state, Wrench::zero())
        };
        let (own, right) = (of(&robot), of(&truth));
        most = (0..6).map(|i| (own[i] - right[i]).abs()).fold(most, f64::max);
    }
    // Without the springs it would be off by 30 N m.
    assert!(most < 1.0, "{most}");
}

/// Springs that the file has are known: they are held, and what is fitted is what they leave.
#[test]
fn springs_of_the_file_are_held() {
    let robot = changed(&["link.2.spring.stiffness=40", "link.2.spring.rest=0.3", "link.5.spring.sine=0.7"]);
    let contents = Contents { stribeck: false, tanh: false, ..Contents::default() };
    let layout = Layout::new(&robot, &contents).unwrap();
    assert!(layout.columns.iter().all(|column| !column.name.starts_with("spring")));
    let log = log(&robot);
    let manner = Manner { delay: Delay::Given(0.0), ..Manner::default() };
    let friction = Contents { mode: Mode::Friction, ..contents };
    let mut nothing = |_: &str| {};
    let found =
        identify(&robot, &[log], &Treatment::default(), &friction, &manner, &Cuts::Parts(2), &mut nothing).unwrap();
    assert!(found.file.percent() < 0.5 && found.held_out.percent() < 0.5, "{}", found.file.percent());
}

/// What is held is all of the file's, its friction too: from a robot file that is right only the payload is missing.
#[test]
fn friction_of_the_file_is_held_where_only_the_payload_is_found() {
    let rubbing: Vec<String> = (1..=6)
        .flat_map(|i| [format!("link.{i}.friction.viscous=2.0"), format!("link.{i}.friction.coulomb=3.0")])
        .collect();
    let file = Robot::find_with("puma560", &rubbing).unwrap();
    let truth = file.carrying(2.0).unwrap();
    let log = log(&truth);
    let contents = Contents { mode: Mode::Payload, ..Contents::default() };
    let mut nothing = |_: &str| {};
    let manner = Manner { delay: Delay::Given(0.0), ..Manner::default() };
    let found =
        identify(&file, &[log], &Treatment::default(), &contents, &manner, &Cuts::Parts(2), &mut nothing).unwrap();
    assert!(found.held_out.percent() < 0.5, "{}", found.held_out.percent());
    let mass = found.parameters.iter().find(|parameter| parameter.name == "m_payload").unwrap().value;
    assert!((mass - 2.0).abs() < 0.02, "{mass}");
}
