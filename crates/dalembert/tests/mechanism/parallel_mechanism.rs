//! Parallel robots as parts of mechanisms: their energies, differentiated, and the lengths of their rods as constraints say the same
//! as virtual work.

use dalembert::mechanism::Mechanism;
use dalembert::robot::orientation::rotation;
use dalembert::robot::{JointVector, Pick, Robot, State, ToolState};
use dalembert::spatial::{Frame, Twist, Wrench};
use dalembert::{Mat3, Vec3};
use std::error::Error;

/// The four that are built in, and the seven random ones of the golden data: every kind of leg, and mixed.
fn robots_of_all_kinds() -> Result<Vec<Robot>, Box<dyn Error>> {
    let file = |name| format!("{}/../../golden/robots/parallel-{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let golden = ["a", "b", "c", "d", "e", "f", "g"].map(file);
    let built_in = ["linear-delta", "hexa", "hexaglide", "stewart"];
    built_in.into_iter().chain(golden.iter().map(String::as_str)).map(|name| Ok(Robot::find(name)?)).collect()
}

/// Beside home, in motion, without symmetry.
fn state_of(robot: &Robot) -> Result<State, Box<dyn Error>> {
    let home = robot.home()?.tool.pose;
    let wave = |phase: f64, size: f64| Vec3::from_fn(|i| size * (1.9 * i as f64 + phase).sin());
    let turns = robot.joints().len() > 3;
    let size = robot.workspace().map_or(0.1, |workspace| workspace.radius);
    let turned = if turns { rotation(wave(0.4, 0.05).0) } else { Mat3::diagonal(1.0) };
    let spin = |phase| if turns { wave(phase, 0.7) } else { Vec3::zero() };
    let tool = ToolState {
        pose: Frame { rotation: turned.product(home.rotation), origin: home.origin + wave(0.3, 0.1 * size) },
        velocity: Twist { linear: wave(1.3, size), angular: spin(2.0) },
        acceleration: Twist::zero(),
        turn: 0.0,
    };
    Ok(robot.at_tool(&tool, &Pick::default())?)
}

#[test]
fn rods_as_constraints_accelerate_as_virtual_work_says() -> Result<(), Box<dyn Error>> {
    for robot in robots_of_all_kinds()? {
        let state = state_of(&robot)?;
        let model = robot.build_model("exact")?;
        let n = robot.joints().len();
        let held = model.gravity_torque(&state);
        let torque = JointVector::from_fn(n, |i| 1.2 * held[i] + (1.0 + i as f64).sin());
        let expected = model.accelerated(&state, &torque, Wrench::zero())?;
        // Straight, and on a base that is turned and shifted in the gravity that its base then sees.
        let base = Frame { rotation: rotation([0.3, -0.8, 2.0]), origin: Vec3::new(0.4, -1.0, 0.2) };
        for base in [Frame::identity(), base] {
            let mut mechanism = Mechanism::new(base.rotation * robot.gravity());
            let placed = robot.add_to(&mut mechanism, "robot", base)?;
            let [q, v] = placed.coordinates(&state);
            let back = placed.state(&mechanism, &q, &v)?;
            let (found, forces) = mechanism.acceleration(0.0, &q, &v, &torque)?;
            assert_eq!(forces.len(), placed.multipliers().len());
            let Twist { linear, angular } = expected.tool.acceleration;
            let spin = state.tool.pose.rotation.transpose() * angular;
            let all = [&expected.joints.qdd[..], &linear.0, if n > 3 { &spin.0 } else { &[] }].concat();
            let scale = all.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let off = found.iter().zip(&all).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            println!("{}: {:.1e} of {scale:.1e}", robot.name, off);
            // Found: 1.5e-14; apart by the condition of the equations with the constraints.
            assert!(found.len() == all.len() && off < 1e-12 * scale, "{}: {off} of {scale}", robot.name);
            for (a, b) in back.joints.qd.iter().zip(state.joints.qd.iter()) {
                assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{}", robot.name);
            }
            // And back: the torques of these accelerations.
            let required = mechanism.inverse_dynamics(0.0, &q, &v, &found)?;
            let scale = torque.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            for (a, b) in required.torque.iter().zip(torque.iter()) {
                assert!((a - b).abs() < 1e-10 * scale, "{}: {a} {b}", robot.name);
            }
        }
    }
    Ok(())
}
