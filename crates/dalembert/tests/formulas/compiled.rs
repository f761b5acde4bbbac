//! `Robot::compile`: robots of all families from their files, against the exact model of one state.

use dalembert::Robot;
use dalembert::report::table::Reader;
use dalembert::robot::rows::{Cell, Evaluation, Task};
use dalembert::robot::{Form, JointState, JointVector, Pick};
use dalembert::spatial::Wrench;
use dalembert::symbolic::derive::Of;
use std::error::Error;

/// Torques of joint states. Tolerance: a thousand roundings of the largest torque.
#[test]
fn compiled_robots_equal_their_exact_model() -> Result<(), Box<dyn Error>> {
    let golden = |name: &str| format!("{}/../../golden/robots/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let files = ["ur5e", "panda", "stanford", "friction", "serial-b"].map(golden);
    let names = files.iter().map(String::as_str).chain(["puma560", "d3-1200", "asadi"]);
    for name in names {
        let robot = Robot::find(name)?;
        let (compiled, model, joints) = (robot.compile(Of::Torque)?, robot.model("exact")?, robot.joints().len());
        let mut scratch = compiled.scratch();
        let (mut seen, mut torque) = (0, vec![0.0; joints]);
        for k in 0..40 {
            let wave = |i: usize, by: f64| (f64::from(k) * by + 1.7 * i as f64).sin();
            let part = |by: f64, size: f64| JointVector::from_fn(joints, |i| 0.4 + size * wave(i, by));
            let state = JointState { q: part(0.9, 0.5), qd: part(1.3, 2.0), qdd: part(0.7, 5.0) };
            let Ok(found) = robot.at_joints(&state, &Pick::default()) else { continue };
            let inputs = [state.q, state.qd, state.qdd].map(|part| part.to_vec()).concat();
            compiled.one(&inputs, &mut torque, &mut scratch)?;
            let expected = model.torque(&found, Wrench::zero());
            let size = expected.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
            for (a, b) in torque.iter().zip(expected.iter()) {
                assert!((a - b).abs() < 1e-12 * size, "{name}, state {k}: {a} and {b} N m");
            }
            seen += 1;
        }
        assert!(seen > 20, "{name}: {seen} states");
    }
    Ok(())
}

/// A table of joint states goes through the compiled program: its torques are those of the model.
#[test]
fn tables_have_the_torques_of_the_model() -> Result<(), Box<dyn Error>> {
    let golden = |name: &str| format!("{}/../../golden/robots/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    for name in [golden("ur5e"), golden("friction"), golden("serial-h"), String::from("puma560")] {
        let robot = Robot::find(&name)?;
        let (model, joints) = (robot.model("exact")?, robot.joints().len());
        if robot.kind().form != Form::Joints {
            continue;
        }
        let names = ["q", "qd", "qdd"].map(|stem| (1..=joints).map(|i| format!("{stem}{i}")).collect::<Vec<_>>());
        let mut table = names.concat().join(",") + "\n";
        let state = |k: usize, row: usize, i: usize| ((k * 31 + row * 7 + i) as f64).sin() * (1.0 + row as f64);
        for k in 0..20 {
            let numbers = (0..3 * joints).map(|c| format!("{:e}", state(k, c / joints, c % joints)));
            table += &(numbers.collect::<Vec<_>>().join(",") + "\n");
        }
        let mut reader = Reader::new(table.as_bytes())?;
        let torque = Evaluation::new(Task::Torque).bind(&robot, reader.header())?;
        let mut k = 0;
        while let Some(row) = reader.next_row()? {
            let cells = torque.evaluate(&row)?.cells;
            let part = |row: usize| JointVector::from_fn(joints, |i| state(k, row, i));
            let found = robot.at_joints(&JointState { q: part(0), qd: part(1), qdd: part(2) }, &Pick::default())?;
            let expected = model.torque(&found, Wrench::zero());
            let size = expected.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
            for (i, expected) in expected.iter().enumerate() {
                let Cell::Number(found) = cells[3 * joints + i] else { return Err("a number".into()) };
                assert!((found - expected).abs() < 1e-12 * size, "{name}, row {k}: {found} and {expected}");
            }
            k += 1;
        }
        assert_eq!(k, 20);
    }
    Ok(())
}

/// Parallel robots with friction at their motors and without: a program that is handed out has been compared with the formula.
#[test]
fn parallel_robots_have_programs() -> Result<(), Box<dyn Error>> {
    for name in ["hexa", "hexaglide", "stewart", "linear-delta"] {
        let robot = Robot::find(name)?;
        for of in [Of::Torque, Of::Bias, Of::Coriolis, Of::Acceleration, Of::TorqueCartesian] {
            robot.compile(of).map_err(|error| format!("{name}: {error}"))?;
        }
    }
    Ok(())
}

/// What has no program says so.
#[test]
fn what_cannot_be_derived_is_refused() -> Result<(), Box<dyn Error>> {
    let error = Robot::find("puma560")?.compile(Of::TorqueCartesian).err().ok_or("refused")?;
    assert!(error.to_string().contains("torque"), "{error}");
    Ok(())
}
