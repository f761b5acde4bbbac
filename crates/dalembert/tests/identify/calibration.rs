//! Lengths, radii, angles and zero offsets found back from measured places of the tool.

use dalembert::Vec3;
use dalembert::identify::calibrate::{Calibration, CalibrationPoint, CalibrationSetup, calibrate};
use dalembert::identify::firmware::Firmware;
use dalembert::robot::{JointState, JointVector, Pick, Robot, ToolState};
use dalembert::verbs::calibrate::CalibrateRequest;
use dalembert_proptest::Random;

/// Twelve even numbers make a normal one.
fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

fn place(robot: &Robot, q: &[f64]) -> Vec3<f64> {
    let [q, zero] = [q, &vec![0.0; q.len()]].map(|all| JointVector::from_fn(all.len(), |i| all[i]));
    let state = robot.at_joints(&JointState { q, qd: zero.clone(), qdd: zero }, &Pick::default()).unwrap();
    state.tool.pose.origin
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

/// Twenty places of a Delta, with noise.
fn measured(truth: &Robot, noise: f64) -> Vec<CalibrationPoint> {
    let mut random = Random(71);
    let mut at = |_| {
        let q: Vec<f64> = (0..3).map(|_| random.within(-0.3, 1.1)).collect();
        let seen = place(truth, &q).map(|x| x + noise * normal(&mut random));
        CalibrationPoint { q, place: seen.0.map(Some), distance: None }
    };
    (0..20).map(&mut at).collect()
}

/// Measured is the tool point of the file: it is not taken for the platform's centre, which would make a forearm 79 mm longer.
#[test]
fn places_are_those_of_the_tool_point() {
    let tool = "platform.tool=[0.03, -0.02, -0.06]";
    let (file, truth) = (changed("d3-1200", &[tool]), changed("d3-1200", &[tool, "forearm.length=0.9012"]));
    let readings = measured(&truth, 5e-5);
    let setup = CalibrationSetup { only: Some(vec!["forearm".into()]), without_offsets: true, ..Default::default() };
    let found = calibrate(&file, &readings, &setup).unwrap();
    for k in 1..=3 {
        assert!(off(&found, &format!("forearm.length.{k}"), 0.9012).abs() < 4.0);
    }
    assert!(found.after < 7e-5, "{}", found.after);
    // A controller's numbers are the same whether the bed is touched by a tool point or by the centre.
    let lines = |z: f64| {
        let robot = changed("d3-1200", &[&format!("platform.tool=[0.0, 0.0, {z}]")]);
        let mut random = Random(72);
        let mut touch = |_| {
            let [x, y] = [0, 1].map(|_| random.within(-0.3, 0.3));
            let tool = ToolState::translating(Vec3::new(x, y, -0.75 + z), Vec3::zero(), Vec3::zero());
            let q = robot.at_tool(&tool, &Pick::default()).unwrap().joints.q.to_vec();
            CalibrationPoint { q, place: [None; 3], distance: None }
        };
        let points = (0..40).map(&mut touch).collect();
        let setup = CalibrationSetup { plate: true, ..CalibrationSetup::default() };
        let request = CalibrateRequest {
            setup,
            controller: Some(Firmware::Klipper),
            endstops: Some([-0.5; 3]),
            ..CalibrateRequest::new(robot.clone(), points)
        };
        let outcome = dalembert::verbs::calibrate::calibrate(&request, &mut ()).unwrap();
        assert!((outcome.found.plate.unwrap() - (-0.75 + z)).abs() < 1e-6);
        let lines = outcome.configuration.unwrap();
        lines.lines().filter(|line| line.contains(':')).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(0.0), lines(-0.06));
}

/// What cannot be a calibration of this robot is refused with what it looks like; no message has a NaN.
#[test]
fn measurements_of_another_unit_or_of_one_place_are_refused() {
    let (file, truth) = (Robot::find("d3-1200").unwrap(), as_built());
    let readings = measured(&truth, 5e-5);
    let refused = |readings: &[CalibrationPoint], setup: &CalibrationSetup| {
        let text = calibrate(&file, readings, setup).unwrap_err().to_string();
        assert!(!text.contains("NaN"), "{text}");
        text
    };
    let setup = CalibrationSetup::default();
    for (scale, unit) in [(1e3, "in mm?"), (1e2, "in cm?"), (1.0 / 0.0254, "in in?")] {
        let mut other = readings.clone();
        other.iter_mut().for_each(|row| row.place = row.place.map(|x| Some(scale * x?)));
        let text = refused(&other, &setup);
        assert!(text.contains("times as far apart") && text.ends_with(unit), "{text}");
    }
    // One place ten times, with noise of readings and places: three numbers, however often they are measured.
    let mut random = Random(73);
    let one = |random: &mut Random, row: &CalibrationPoint| {
        let q = row.q.iter().map(|q| q + 1e-6 * normal(random)).collect();
        CalibrationPoint { q, place: row.place.map(|x| Some(x? + 5e-5 * normal(random))), distance: None }
    };
    let same: Vec<CalibrationPoint> = (0..10).map(|_| one(&mut random, &readings[0])).collect();
    let text = refused(&same, &setup);
    assert!(text.contains("distinct places: 3 where"), "{text}");
    // Distances of a place to itself determine nothing.
    let still: Vec<CalibrationPoint> =
        (0..10).map(|_| CalibrationPoint { place: [None; 3], distance: Some(0.0), ..readings[0].clone() }).collect();
    let text = refused(&still, &setup);
    assert!(text.ends_with("1 where at least 2 are needed"), "{text}");
    // Readings of another joint order.
    let mut turned = readings.clone();
    turned.iter_mut().for_each(|row| row.q.swap(0, 1));
    let text = refused(&turned, &setup);
    let known = ["not the robot of the file", "no parameters explain", "there is no such robot"];
    assert!(known.iter().any(|known| text.contains(known)), "{text}");
    let mut missing = readings.clone();
    missing[4].q[1] = f64::NAN;
    assert_eq!(refused(&missing, &setup), "row 5: the reading of joint 2 is no number");
    assert!(calibrate(&file, &[], &setup).is_err());
}

/// Distances alone determine lengths and zeros: places of a gauge, without any coordinate.
#[test]
fn distances_alone_converge() {
    let (file, truth) = (Robot::find("d3-1200").unwrap(), as_built());
    for noise in [0.0, 2e-5] {
        let mut readings = measured(&truth, 0.0);
        let mut random = Random(74);
        for k in 0..readings.len() {
            let at = |k: usize| Vec3(readings[k].place.map(Option::unwrap));
            let distance = (k > 0).then(|| (at(k) - at(k - 1)).norm_squared().sqrt() + noise * normal(&mut random));
            readings[k].distance = distance;
        }
        readings.iter_mut().for_each(|row| row.place = [None; 3]);
        let found = calibrate(&file, &readings, &CalibrationSetup::default()).unwrap();
        // Differences of fourth order over 1 mm are off by 1e-12.
        assert!(found.before > 5e-4 && found.after < noise.max(1e-11), "{}", found.after);
        for k in 0..3 {
            let number = found.numbers.iter().find(|n| n.name == format!("upper_arm.length.{}", k + 1)).unwrap();
            assert!((number.after - ARMS[k]).abs() < 4.0 * number.sigma.unwrap() + 1e-9, "{number:?}");
        }
    }
}
