//! Encoders that read zero where the robot does not stand at its zero.
//!
//! Everything is as of the robot without offsets whose joints read as much more: where the tool is, what the torques are, in every model and the
//! way back. A place where a reading is taken for an angle breaks one of these.

use dalembert::identify::calibrate::{CalibrationPoint, CalibrationSetup, calibrate};
use dalembert::robot::{Change, JointState, JointVector, Pick, ToolState};
use dalembert::spatial::Wrench;
use dalembert::symbolic::Effort;
use dalembert::symbolic::derive::{Of, Request};
use dalembert::{Robot, Vec3};

const OFFSETS: [f64; 6] = [0.1, -0.07, 0.03, 0.02, -0.04, 0.05];

fn find(name: &str, changes: &[&str]) -> Robot {
    let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
    Robot::find_with(name, &changes).unwrap()
}

fn offset_delta() -> [Robot; 2] {
    let more = ["motor.friction.viscous=0.2", "joints.passive_damping=0.01"];
    let offset = format!("joints.zero_offset=[{}, \"{} deg\", {}]", OFFSETS[0], OFFSETS[1].to_degrees(), OFFSETS[2]);
    [find("d3-1200", &more), find("d3-1200", &[&more[..], &[&*offset]].concat())]
}

fn near(what: &str, a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{what}: {a} instead of {b}");
    }
}

fn moved(q: &[f64], by: f64) -> JointVector {
    JointVector::from_fn(q.len(), |i| q[i] + by * OFFSETS[i])
}

#[test]
fn a_delta_reads_less_by_its_offsets() {
    let [plain, shifted] = offset_delta();
    let tool =
        ToolState::translating(Vec3::new(0.1, -0.2, -0.85), Vec3::new(1.0, 0.5, -0.7), Vec3::new(-9.0, 20.0, 5.0));
    let [a, b] = [&plain, &shifted].map(|robot| robot.at_tool(&tool, &Pick::default()).unwrap());
    near("q", &b.joints.q, &moved(&a.joints.q, -1.0), 1e-15);
    near("q̇", &b.joints.qd, &a.joints.qd, 0.0);
    let again = shifted.at_joints(&b.joints, &Pick::default()).unwrap();
    near("there", &again.tool.pose.origin.0, &tool.pose.origin.0, 1e-14);
    near("acceleration", &again.tool.acceleration.linear.0, &tool.acceleration.linear.0, 1e-11);
    for model in plain.models() {
        let [one, other] = [&plain, &shifted].map(|robot| robot.build_model(model.name).unwrap());
        near(model.name, &other.torque(&b, Wrench::zero()), &one.torque(&a, Wrench::zero()), 1e-12);
        let [mass, of_other] = [one.mass_matrix(&a), other.mass_matrix(&b)];
        mass.iter().zip(&of_other[..]).for_each(|(row, other)| near(model.name, other, row, 1e-13));
        let tau = JointVector::new(&[3.0, -2.0, 5.0]);
        let accelerated = [(&one, &a), (&other, &b)]
            .map(|(model, at)| model.accelerated(at, &tau, Wrench::zero()).unwrap().joints.qdd);
        near(model.name, &accelerated[1], &accelerated[0], 1e-9);
    }
    let slopes = [(&plain, &a), (&shifted, &b)].map(|(robot, at)| robot.torque_derivatives(at).unwrap().dq);
    slopes[0].iter().zip(&slopes[1][..]).for_each(|(row, other)| near("slope", other, row, 1e-10));
    // Both ways as programs, each checked against the formulas where it is made.
    for of in [Of::Ik, Of::Fk] {
        let request = Request { effort: Effort::QUICK, ..Request::new("delta", of) };
        let program = shifted.derive(&request, &mut |_| ()).unwrap().program;
        let [from, to] = [tool.pose.origin.0, b.joints.q.array().unwrap()];
        let [given, expected] = if of == Of::Ik { [from, to] } else { [to, from] };
        near(of.as_str(), &program.evaluate(&given)[..3], &expected, 1e-13);
    }
}

#[test]
fn files_have_the_offsets_and_a_mechanism_refuses_them() {
    let [plain, shifted] = offset_delta();
    let again = Robot::parse(&shifted.to_toml().unwrap()).unwrap();
    let q = JointState::at_rest(JointVector::new(&[0.3, 0.2, 0.5]));
    let at = |robot: &Robot| robot.at_joints(&q, &Pick::default()).unwrap().tool.pose.origin.0;
    assert_eq!(at(&again), at(&shifted));
    assert_ne!(at(&plain), at(&shifted));
    let none = find("d3-1200", &["joints.zero_offset=0"]);
    assert_eq!(none.to_toml(), find("d3-1200", &[]).to_toml());
    let mut mechanism = dalembert::mechanism::Mechanism::new(shifted.gravity());
    let refused = shifted.add_to(&mut mechanism, "delta", dalembert::spatial::Frame::identity()).map(drop).unwrap_err();
    assert!(refused.to_string().contains("zero offset"), "{refused}");
    assert!(shifted.stability().unwrap().crossings().unwrap_err().to_string().contains("zero offsets"));
    let error =
        Robot::parse(&plain.to_toml().unwrap().replace("azimuths = [", "azimuths = [\"45 deg\", ")).unwrap_err();
    assert!(error.to_string().contains("has 4 entries"), "{error}");
    assert!(format!("{error:?}").contains("built in Rust"), "{error:?}");
    let platform = plain.to_toml().unwrap().replace("[platform]", "[platform]\ncenter_of_mass = [0, 0, 0.1]");
    assert!(format!("{:?}", Robot::parse(&platform).unwrap_err()).contains("without turning it"));
}

/// Arms, rails and rows of Denavit and Hartenberg say it in their own keys; the reading of a strut is a length.
#[test]
fn every_kind_of_robot_takes_offsets_or_refuses_them() {
    for name in ["d3-1200", "linear-delta", "hexa", "hexaglide", "puma560"] {
        let plain = Robot::find(name).unwrap();
        let small = |i: usize| 0.1 * OFFSETS[i];
        let shifted = plain.changed(&Change::ZeroOffsets(&small)).unwrap();
        let home = plain.home().unwrap().joints.q;
        let less = JointVector::from_fn(home.len(), |i| home[i] - small(i));
        let there = |robot: &Robot, q: &JointVector| {
            let state = robot.at_joints(&JointState::at_rest(q.clone()), &Pick::default()).unwrap();
            [state.tool.pose.rotation.0.map(|row| row.0).concat(), state.tool.pose.origin.0.to_vec()].concat()
        };
        near(name, &there(&shifted, &less), &there(&plain, &home), 1e-12);
        let written = Robot::parse(&shifted.to_toml().unwrap()).unwrap();
        near(name, &there(&written, &less), &there(&plain, &home), 1e-12);
    }
    let struts = Robot::find("stewart").unwrap();
    assert!(struts.changed(&Change::ZeroOffsets(&|_| 0.0)).is_ok());
    let error = struts.changed(&Change::ZeroOffsets(&|i| OFFSETS[i])).map(drop).unwrap_err();
    assert!(error.to_string().contains("zero offsets"), "{error}");
}

/// What `calibrate` finds it writes: the robot takes the readings as they are.
#[test]
fn calibrated_robots_take_the_readings() {
    let plain = Robot::find("d3-1200").unwrap();
    let places = (0..24).map(|k| {
        let t = f64::from(k);
        Vec3::new(0.3 * (2.1 * t).sin(), 0.3 * (1.3 * t).cos(), -0.85 + 0.1 * (0.7 * t).sin())
    });
    let points: Vec<CalibrationPoint> = places
        .map(|place| {
            let tool = ToolState::translating(place, Vec3::zero(), Vec3::zero());
            let q = moved(&plain.at_tool(&tool, &Pick::default()).unwrap().joints.q, -1.0);
            CalibrationPoint { q: q.to_vec(), place: place.0.map(Some), distance: None }
        })
        .collect();
    let setup = CalibrationSetup { only: Some(vec!["forearm.length".to_owned()]), ..CalibrationSetup::default() };
    let found = calibrate(&plain, &points, &setup).unwrap();
    near("offsets", &found.offsets, &OFFSETS[..3], 1e-9);
    let written = Robot::parse(&found.with_offsets().unwrap().to_toml().unwrap()).unwrap();
    for point in &points {
        let state = written.at_joints(&JointState::at_rest(JointVector::new(&point.q)), &Pick::default()).unwrap();
        near("place", &state.tool.pose.origin.0, &point.place.map(Option::unwrap), 1e-9);
    }
}
