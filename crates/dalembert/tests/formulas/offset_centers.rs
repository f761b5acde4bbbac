//! Upper arms whose centre of mass is beside the line motor axis–elbow: a bracket below the arm, a counterweight at an angle.
//!
//! What it adds is a pendulum on each motor axis, in closed form: m o² to the inertia, and the weight m g o a quarter turn
//! ahead of that along the arm, so that holding takes m g o sin q more. A wrong sign or a sine for a cosine is off by all of it.
//! The random robots of `identities.rs` have such arms too: there the derivations that share no code with the library agree.

use dalembert::convert::{Convention, ConventionParameters};
use dalembert::robot::{Number, Pick, State, ToolState};
use dalembert::spatial::Wrench;
use dalembert::symbolic::Effort;
use dalembert::symbolic::derive::{Of, Request};
use dalembert::{DeltaRobot, Robot, Vec3};

const OFFSETS: [f64; 3] = [0.03, -0.02, 0.05];
const MASS: f64 = 1.4;
const GRAVITY: f64 = 9.81;

fn find(changes: &[&str]) -> Robot {
    let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
    Robot::find_with("d3-1200", &changes).unwrap()
}

/// The d3-1200 as it is, and with offsets: in mm and m.
fn robots() -> [Robot; 2] {
    [find(&[]), find(&["upper_arm.center_of_mass_offset=[30 mm, -0.02, 5 cm]"])]
}

fn in_motion(robot: &Robot) -> State {
    let tool =
        ToolState::translating(Vec3::new(0.1, -0.2, -0.85), Vec3::new(1.0, 0.5, -0.7), Vec3::new(-9.0, 20.0, 5.0));
    robot.at_tool(&tool, &Pick::default()).unwrap()
}

fn near(what: &str, a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{what}: {a} instead of {b}");
    }
}

#[test]
fn an_offset_is_a_pendulum_on_the_motor_axis() {
    let [plain, offset] = robots();
    let [a, b] = [&plain, &offset].map(in_motion);
    near("kinematics", &b.joints.q, &a.joints.q, 0.0);
    let weight = |i: usize| MASS * GRAVITY * OFFSETS[i] * a.joints.q[i].sin();
    let inertia = |i: usize| MASS * OFFSETS[i] * OFFSETS[i];
    let exact = plain.build_model("exact").unwrap();
    for name in ["exact", "asadi", "bortoff"] {
        let model = offset.build_model(name).unwrap();
        let [torque, held] = [exact.torque(&a, Wrench::zero()), exact.gravity_torque(&a)];
        let [mass, more] = [exact.mass_matrix(&a), model.mass_matrix(&b)];
        let expected = [0, 1, 2].map(|i| torque[i] + inertia(i) * a.joints.qdd[i] + weight(i));
        near(name, &model.torque(&b, Wrench::zero()), &expected, 1e-13);
        near(name, &model.gravity_torque(&b), &[0, 1, 2].map(|i| held[i] + weight(i)), 1e-13);
        near(name, &more[1], &[mass[1][0], mass[1][1] + inertia(1), mass[1][2]], 1e-13);
        let back = model.accelerated(&b, &model.torque(&b, Wrench::zero()), Wrench::zero()).unwrap();
        near(name, &back.joints.qdd, &a.joints.qdd, 1e-10);
    }
    // Columns of states take another path, and so do slopes and energies.
    let row = [b.tool.pose.origin, b.tool.velocity.linear, b.tool.acceleration.linear].map(|v| v.0.map(|x| [x; 5]));
    let groups = row.each_ref().map(|group| group.each_ref().map(<[f64; 5]>::as_slice));
    let mut out = [[0.0; 5]; 3];
    let model = offset.build_model("exact").unwrap();
    model
        .torques(groups.each_ref().map(|group| &group[..]), &mut out.each_mut().map(<[f64; 5]>::as_mut_slice))
        .unwrap();
    near("columns", &out.map(|column| column[3]), &model.torque(&b, Wrench::zero()), 1e-13);
    let slope = [&plain, &offset].map(|robot| robot.torque_derivatives(&in_motion(robot)).unwrap().dq);
    for i in 0..3 {
        for k in 0..3 {
            let more = if i == k { MASS * GRAVITY * OFFSETS[i] * a.joints.q[i].cos() } else { 0.0 };
            near("slope", &[slope[1][i][k]], &[slope[0][i][k] + more], 1e-10);
        }
    }
}

#[test]
fn programs_and_regressors_have_the_offset() {
    let [_, offset] = robots();
    let state = in_motion(&offset);
    let model = offset.build_model("exact").unwrap();
    let torque = model.torque(&state, Wrench::zero());
    let inputs = [&state.joints.q, &state.joints.qd, &state.joints.qdd].map(|all| all.to_vec());
    for (of, count, expected) in [
        (Of::Torque, 3, torque.to_vec()),
        (Of::Gravity, 1, model.gravity_torque(&state).to_vec()),
        (Of::TorqueCartesian, 0, torque.to_vec()),
    ] {
        let request = Request { effort: Effort::QUICK, ..Request::new("delta", of) };
        let program = offset.derive(&request, &mut |_| ()).unwrap().program;
        let tool = [state.tool.pose.origin, state.tool.velocity.linear, state.tool.acceleration.linear];
        let given = if count == 0 { tool.map(|v| v.0.to_vec()).concat() } else { inputs[..count].concat() };
        near(of.as_str(), &program.evaluate(&given)[..3], &expected, 1e-12);
    }
    // An offset of 0 that is written is a parameter to identify, one that is not is none.
    let regressor = |robot: &Robot| robot.regressor().unwrap();
    let names = |robot: &Robot| regressor(robot).terms().iter().map(|term| term.name.clone()).collect::<Vec<_>>();
    assert!(!names(&find(&[])).contains(&"my_arm1".to_owned()));
    let written = find(&["upper_arm.center_of_mass_offset=0"]);
    let all = regressor(&written);
    let at = all.terms().iter().position(|term| term.name == "my_arm2").expect("a term");
    let mut values: Vec<f64> = all.terms().iter().map(|term| term.value).collect();
    values[at] = MASS * OFFSETS[1];
    let identified = written.with_family(all.robot(&values).unwrap()).numbers();
    let is_offset = |number: &&Number| number.field.key == "upper_arm.center_of_mass_offset";
    let found: Vec<f64> = identified.iter().filter(is_offset).map(|number| number.value).collect();
    near("identified", &found, &[0.0, OFFSETS[1], 0.0], 1e-15);
}

#[test]
fn files_say_it_and_what_cannot_have_it_says_why() {
    let [plain, offset] = robots();
    let text = offset.to_toml().unwrap();
    assert!(text.contains("center_of_mass_offset = [0.03, -0.02, 0.05]"), "{text}");
    let state = in_motion(&offset);
    let torque = |robot: &Robot| robot.build_model("exact").unwrap().torque(&in_motion(robot), Wrench::zero()).to_vec();
    assert_eq!(torque(&Robot::parse(&text).unwrap()), torque(&offset));
    // About the motor axis the offset is counted, and a smaller inertia is refused with both distances.
    let about = |inertia: f64| {
        let own = "[upper_arm]\nlength = 0.375\nmass = 1.4\ncenter_of_mass = 0.122\ncenter_of_mass_offset = 0.05\n";
        let rest =
            "[base]\nradius = 0.25\n[forearm]\nlength = 0.9\nmass = 0.39\n[platform]\nradius = 0.1\nmass = 0.94\n";
        DeltaRobot::parse(&format!("kind = \"delta\"\nname = \"about\"\n{own}inertia_about_axis = {inertia}\n{rest}"))
    };
    let least = MASS * (0.122 * 0.122 + 0.05 * 0.05);
    let arm = about(least + 0.01).unwrap().delta.parameters().arms[0];
    near("own", &[arm.upper_arm.inertia, arm.arm_axis_inertia()], &[0.01, least + 0.01], 1e-15);
    let error = about(least - 0.001).unwrap_err().to_string();
    assert!(error.contains("less than mass · center_of_mass² + mass · center_of_mass_offset² = 0.0243376"), "{error}");
    // Half of the papers have arms on their lines only.
    for spec in plain.models() {
        match (offset.build_model(spec.name), spec.name) {
            (Ok(model), "exact" | "asadi" | "bortoff") => {
                near(spec.name, &model.torque(&state, Wrench::zero()), &torque(&offset), 1e-12);
            }
            (Ok(_), name) => panic!("{name} takes no notice of the offset"),
            (Err(error), _) => assert!(error.message.contains("upper_arm.center_of_mass_offset is not 0"), "{error:?}"),
        }
    }
    let crossings = offset.stability().unwrap().crossings().unwrap_err().to_string();
    assert!(crossings.contains("centre of mass of upper arm 1 is beside the line"), "{crossings}");
    let delta = DeltaRobot::find_with("d3-1200", &["upper_arm.center_of_mass_offset=0.03".to_owned()]).unwrap();
    let refused = ConventionParameters::of(Convention::Falezza, delta.delta.parameters()).unwrap_err().to_string();
    assert!(refused.contains("upper_arm.center_of_mass_offset"), "{refused}");
    // What rods do not have says why.
    for (table, key, why) in [
        ("forearm", "center_of_mass_offset", "beside its line"),
        ("forearm", "axial_inertia", "no effect between ball joints"),
        ("upper_arm", "axial_inertia", "turns about the motor axis alone"),
    ] {
        let text = plain.to_toml().unwrap().replace(&format!("[{table}]"), &format!("[{table}]\n{key} = 0.01"));
        let error = format!("{:?}", Robot::parse(&text).unwrap_err());
        assert!(error.contains(why), "{error}");
    }
}
