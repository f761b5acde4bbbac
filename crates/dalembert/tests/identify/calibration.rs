//! Lengths, radii, angles and zero offsets found back from measured places of the tool.

use dalembert::Vec3;
use dalembert::identify::calibrate::{Calibration, CalibrationPoint, CalibrationSetup, calibrate};
use dalembert::robot::{JointState, JointVector, Pick, Robot, ToolState};
use dalembert_proptest::Random;

/// Twelve even numbers make a normal one.
fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

fn place(robot: &Robot, q: &[f64]) -> Vec3<f64> {
    let [q, zero] = [q, &vec![0.0; q.len()]].map(|all| JointVector::from_fn(all.len(), |i| all[i]));
    robot.at_joints(&JointState { q, qd: zero.clone(), qdd: zero }, &Pick::default()).unwrap().tool.pose.origin
}

fn changed(name: &str, changes: &[&str]) -> Robot {
    Robot::find_with(name, &changes.iter().map(|&change| change.to_owned()).collect::<Vec<_>>()).unwrap()
}

/// The distance of what was found from the truth, in σ.
fn off(found: &Calibration, name: &str, truth: f64) -> f64 {
    let number = found.numbers.iter().find(|number| number.name == name).unwrap_or_else(|| panic!("{name} is told"));
    (number.after - truth) / number.sigma.unwrap()
}

const ARMS: [f64; 3] = [0.3756, 0.3744, 0.3752];
const RODS: [f64; 3] = [0.9008, 0.8995, 0.9002];
const ZEROS: [f64; 3] = [0.004, -0.003, 0.002];

fn as_built() -> Robot {
    let lists = [format!("upper_arm.length={ARMS:?}"), format!("forearm.length={RODS:?}")];
    changed("d3-1200", &[&lists[0], &lists[1], "base.radius=0.2507"])
}

/// Twenty poses with 0.05 mm of noise: over many runs what is found is off by its σ. The platform's radius is told only as a
/// difference to the base's, and that is said.
#[test]
fn twenty_poses_give_a_delta_back_within_its_deviations() {
    let (file, truth) = (Robot::find("d3-1200").unwrap(), as_built());
    let (mut squares, mut count) = (0.0, 0.0);
    for run in 0..20 {
        let mut random = Random(50 + run);
        let readings: Vec<CalibrationPoint> = (0..20)
            .map(|_| {
                let q: Vec<f64> = (0..3).map(|_| random.within(-0.3, 1.1)).collect();
                let moved: Vec<f64> = q.iter().zip(ZEROS).map(|(q, zero)| q + zero).collect();
                let seen = place(&truth, &moved).map(|x| x + 5e-5 * normal(&mut random));
                CalibrationPoint { q, place: seen.0.map(Some), distance: None }
            })
            .collect();
        let found = calibrate(&file, &readings, &CalibrationSetup::default()).unwrap();
        assert!(found.before > 1e-3 && found.after < 6e-5, "{} → {}", found.before, found.after);
        let mut all = Vec::new();
        for k in 0..3 {
            let number = k + 1;
            all.push(off(&found, &format!("upper_arm.length.{number}"), ARMS[k]));
            all.push(off(&found, &format!("forearm.length.{number}"), RODS[k]));
            all.push(off(&found, &format!("base.radius.{number}"), 0.2507));
            all.push(off(&found, &format!("zero offset of joint {number}"), ZEROS[k]));
        }
        assert!(all.iter().all(|off| off.abs() < 5.0), "{all:?}");
        squares += all.iter().map(|off| off * off).sum::<f64>();
        count += all.len() as f64;
        assert!(
            found.together.iter().any(|text| text == "platform.radius.1: the same as −1 base.radius.1"),
            "{:?}",
            found.together
        );
        // What was found is a robot file.
        let again = Robot::parse(&found.robot.to_toml().unwrap()).unwrap();
        let q = [0.2, 0.5, 0.7];
        let moved: Vec<f64> = q.iter().zip(&found.offsets).map(|(q, zero)| q + zero).collect();
        let true_q: Vec<f64> = q.iter().zip(ZEROS).map(|(q, zero)| q + zero).collect();
        let error = (place(&again, &moved) - place(&truth, &true_q)).norm_squared().sqrt();
        assert!(error < 2e-4, "{error}");
    }
    let rms: f64 = (squares / count).sqrt();
    assert!((0.8..1.2).contains(&rms), "off by {rms} σ");
}

/// A plate that is touched tells the arms' lengths to scale with nothing but joint readings, as far as gravity is not asked.
#[test]
fn a_plate_and_distances_tell_lengths_without_an_instrument() {
    let (file, truth) = (Robot::find("d3-1200").unwrap(), as_built());
    let mut random = Random(3);
    let touch = |random: &mut Random| {
        let [x, y] = [0, 1].map(|_| random.within(-0.3, 0.3));
        let z = -0.75 + 0.01 * x - 0.02 * y + 1e-5 * normal(random);
        let tool = ToolState::translating(Vec3::new(x, y, z), Vec3::zero(), Vec3::zero());
        truth.at_tool(&tool, &Pick::default()).unwrap().joints.q.to_vec()
    };
    let touches: Vec<Vec<f64>> = (0..60).map(|_| touch(&mut random)).collect();
    let reading = |q: &Vec<f64>| CalibrationPoint { q: q.clone(), place: [None; 3], distance: None };
    let readings: Vec<CalibrationPoint> = touches.iter().map(reading).collect();
    let found = calibrate(&file, &readings, &CalibrationSetup { plate: true, ..CalibrationSetup::default() }).unwrap();
    for k in 0..3 {
        let off = off(&found, &format!("upper_arm.length.{}", k + 1), ARMS[k]);
        assert!(off.abs() < 4.0, "arm {}: {off} σ", k + 1);
    }
    let far = |k: usize| (place(&truth, &touches[k]) - place(&truth, &touches[k - 1])).norm_squared().sqrt();
    let with = |(k, q): (usize, &Vec<f64>)| {
        let distance = (k > 0).then(|| far(k) + 2e-5 * normal(&mut random));
        CalibrationPoint { q: q.clone(), place: [None; 3], distance }
    };
    let readings: Vec<CalibrationPoint> = touches.iter().enumerate().map(with).collect();
    let setup = CalibrationSetup {
        only: Some(vec!["upper_arm".into(), "forearm".into()]),
        without_offsets: true,
        ..CalibrationSetup::default()
    };
    let truth_but_radius = changed("d3-1200", &["base.radius=0.2507"]);
    let found = calibrate(&truth_but_radius, &readings, &setup).unwrap();
    for k in 0..3 {
        let off = off(&found, &format!("forearm.length.{}", k + 1), RODS[k]);
        assert!(off.abs() < 4.0, "forearm {}: {off} σ", k + 1);
    }
}

/// An arm seen by a tracker that stands anywhere: lengths come back; of parallel axes and of the base only what can be told is
/// fitted.
#[test]
fn an_arm_is_found_from_a_tracker_anywhere() {
    let tool = "tool.position=[0.03, 0.0, 0.1]";
    let file = changed("puma560", &[tool]);
    let truth = changed("puma560", &[tool, "link.3.a=0.4325", "link.4.d=0.4327"]);
    let mut random = Random(8);
    let (sin, cos) = 0.3_f64.sin_cos();
    let readings: Vec<CalibrationPoint> = (0..40)
        .map(|_| {
            let q: Vec<f64> = (0..6).map(|_| random.within(-1.0, 1.0)).collect();
            let [x, y, z] = place(&truth, &q).0;
            let seen =
                [cos * x - sin * y + 1.0, sin * x + cos * y + 0.5, z - 0.2].map(|x| x + 3e-5 * normal(&mut random));
            CalibrationPoint { q, place: seen.map(Some), distance: None }
        })
        .collect();
    let found =
        calibrate(&file, &readings, &CalibrationSetup { free_frame: true, ..CalibrationSetup::default() }).unwrap();
    assert!(found.after < 4e-5 && found.condition < 1e4, "{} {}", found.after, found.condition);
    assert!(off(&found, "link.3.a", 0.4325).abs() < 4.0 && off(&found, "link.4.d", 0.4327).abs() < 4.0);
    assert!(
        found.together.iter().any(|text| text.starts_with("link.3.d: the same as 1 link.2.d")),
        "{:?}",
        found.together
    );
}

/// Too few numbers are refused with how many it takes, not computed.
#[test]
fn too_few_readings_are_refused() {
    let file = Robot::find("d3-1200").unwrap();
    let reading = CalibrationPoint { q: vec![0.5; 3], place: [Some(0.0), Some(0.0), Some(-0.9)], distance: None };
    let error = calibrate(&file, &[reading], &CalibrationSetup::default()).unwrap_err();
    assert!(error.to_string().contains("measured numbers"), "{error}");
}
