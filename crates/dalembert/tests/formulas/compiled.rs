//! `Robot::compile`: robots of all families from their files, against the exact model of one state.

use dalembert::Robot;
use dalembert::compiled::Compiled;
use dalembert::friction::Friction;
use dalembert::linear::Linearized;
use dalembert::report::table::Reader;
use dalembert::robot::linear_model::{Coordinates, LinearModels, Output};
use dalembert::robot::rows::{Evaluation, Space, Task};
use dalembert::robot::{CONFIRMED, Cache, CompileError, JointState, JointVector, Origin, Pick};
use dalembert::spatial::Wrench;
use dalembert::symbolic::derive::Of;
use std::error::Error;

/// At every joint, so that programs have it too.
const FRICTION: Friction<f64> = Friction { viscous: 0.3, coulomb: 0.5, smoothing_velocity: 0.05, ..Friction::NONE };

/// Torques of joint states. Tolerance: a thousand roundings of the largest torque.
#[test]
fn compiled_robots_equal_their_exact_model() -> Result<(), Box<dyn Error>> {
    let golden = |name: &str| format!("{}/../../golden/robots/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let files = ["ur5e", "panda", "stanford", "friction", "serial-b"].map(golden);
    let names = files.iter().map(String::as_str).chain(["puma560", "d3-1200", "asadi"]);
    for name in names {
        let robot = Robot::find(name)?;
        let (compiled, model, joints) = (robot.compile(Of::Torque)?, robot.build_model("exact")?, robot.joints().len());
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

/// A table of joint states goes through compiled programs where they are asked for: the same columns, limits and refusals as by the formulas.
#[test]
fn tables_by_programs_are_those_by_formulas() -> Result<(), Box<dyn Error>> {
    let golden = |name: &str| format!("{}/../../golden/robots/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    for name in [golden("ur5e"), golden("serial-e"), golden("serial-h"), String::from("puma560")] {
        let robot = Robot::find(&name)?.with_payload(1.5)?.with_friction(Some(FRICTION))?;
        let joints = robot.joints().len();
        let names =
            ["q", "qd", "qdd", "tau"].map(|stem| (1..=joints).map(|i| format!("{stem}{i}")).collect::<Vec<_>>());
        let mut table = String::from("note,") + &names.concat().join(",") + "\n";
        let state = |k: usize, row: usize, i: usize| ((k * 31 + row * 7 + i) as f64).sin() * (1.0 + row as f64);
        for k in 0..150 {
            let numbers = (0..4 * joints).map(|c| format!("{:e}", state(k, c / joints, c % joints)));
            table += &(format!("\"row {k}\",") + &numbers.collect::<Vec<_>>().join(",") + "\n");
        }
        // What is no number, what is too large, and what exceeds limits.
        for q in ["", "nan", "1e200", "40"] {
            table += &(format!("bad,{q},") + &vec!["0.5"; 4 * joints - 1].join(",") + "\n");
        }
        for (task, last) in
            [(Task::Torque, "tau"), (Task::Acceleration, "qdd"), (Task::Mass(Space::Joint), "M11"), (Task::Torque, "")]
        {
            let mut reader = Reader::new(table.as_bytes())?;
            let evaluation = Evaluation { enforce_limits: last.is_empty(), ..Evaluation::new(task) };
            let mut evaluator = evaluation.bind(&robot, reader.header())?;
            let rows: Vec<_> = std::iter::from_fn(|| reader.next_row().transpose()).collect::<Result<_, _>>()?;
            let expected: Vec<_> = rows.iter().map(|row| evaluator.evaluate(row)).collect();
            evaluator.derive_programs(None)?;
            let mut found = Vec::new();
            evaluator.evaluate_rows(&rows, &mut |row, output| found.push((row.line, output)));
            assert_eq!(found.len(), expected.len());
            let mut good = 0;
            for (row, ((line, found), expected)) in rows.iter().zip(found.iter().zip(&expected)) {
                assert_eq!(*line, row.line);
                match (found, expected) {
                    (Ok(found), Ok(expected)) => {
                        good += 1;
                        let size = expected.values.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
                        // Accelerations through a mass matrix whose condition is some thousands.
                        let tolerance = if task == Task::Acceleration { 1e-10 } else { 1e-12 };
                        for (a, b) in found.values.iter().zip(&expected.values) {
                            assert!((a - b).abs() <= tolerance * size, "{name}, {task:?}, line {line}: {a} and {b}");
                        }
                        assert_eq!(found.limits(), expected.limits(), "{name}, {task:?}, line {line}");
                        assert_eq!(found.likely_mistake, expected.likely_mistake);
                    }
                    (Err(found), Err(expected)) => assert_eq!(found.to_string(), expected.to_string()),
                    (found, expected) => return Err(format!("{name}, line {line}: {found:?} and {expected:?}").into()),
                }
            }
            assert!(good > 100 || last.is_empty(), "{name}, {task:?}: {good}");
        }
    }
    Ok(())
}

/// Where more is asked for than programs give, the formulas do it.
#[test]
fn what_programs_do_not_give_is_told() -> Result<(), Box<dyn Error>> {
    let bound = |robot: &str, header: &str, evaluation: Evaluation| -> Result<String, Box<dyn Error>> {
        let robot = Robot::find(robot)?;
        let reader = Reader::new(header.as_bytes())?;
        let mut bound = evaluation.bind(&robot, reader.header())?;
        Ok(bound.derive_programs(None).err().unwrap_or_default())
    };
    let joints = |stems: &[&str]| {
        let names = stems.iter().flat_map(|stem| (1..=6).map(move |i| format!("{stem}{i}")));
        names.collect::<Vec<_>>().join(",")
    };
    let motion = joints(&["q", "qd", "qdd"]);
    let torque = || Evaluation::new(Task::Torque);
    assert_eq!(bound("puma560", &format!("{motion}\n"), torque())?, "");
    let more = "there is no program for this robot, model or output";
    assert_eq!(bound("puma560", &format!("{motion},fx,fy,fz\n"), torque())?, more);
    assert_eq!(bound("puma560", &format!("{motion}\n"), Evaluation { model: "newton-euler".into(), ..torque() })?, "");
    assert_eq!(bound("puma560", &format!("{motion}\n"), Evaluation { model: "abbreviated".into(), ..torque() })?, more);
    assert_eq!(bound("d3-1200", "x,y,z,vx,vy,vz,ax,ay,az\n", torque())?, more);
    Ok(())
}

/// What is kept in a cache is found there again for every built-in robot, closed chains whose platforms are found by iteration too; what no
/// formula confirms is refused by name.
#[test]
fn kept_programs_of_every_robot_are_used_again() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let cache = Cache::at(folder.path().join("kept"));
    for name in dalembert::robot::built_in::names() {
        let robot = Robot::find(name)?;
        // Derivatives, which take longer, are compared below.
        let long = [Of::TorqueDerivatives, Of::AccelerationDerivatives];
        for of in Of::ALL.into_iter().filter(|of| robot.derivations().all.contains(of) && !long.contains(of)) {
            let made = robot.compile_from(Some(&cache), of);
            if !CONFIRMED.contains(&of) {
                assert!(matches!(made, Err(CompileError::Unconfirmed(_))), "{name}, {of}: {made:?}");
                continue;
            }
            let (compiled, origin) = made.map_err(|error| format!("{name}: {error}"))?;
            assert!(matches!(origin, Origin::Quick(None)), "{name}, {of}: {origin:?}");
            cache.store(&robot, of, compiled.program())?;
            let origin = robot.compile_from(Some(&cache), of)?.1;
            assert!(matches!(origin, Origin::Cached), "{name}, {of}: {origin:?}");
        }
    }
    Ok(())
}

/// Quantities and their derivatives of all families, against the exact model and its differences; another robot's program is told apart.
#[test]
fn every_family_has_its_derivatives() -> Result<(), Box<dyn Error>> {
    let ur5e = format!("{}/../../golden/robots/ur5e.toml", env!("CARGO_MANIFEST_DIR"));
    for name in ["puma560", &ur5e, "d3-1200", "linear-delta", "stewart"] {
        let robot = Robot::find(name)?;
        let heavier = robot.with_payload(robot.payload() + 1.0)?;
        for of in [Of::Torque, Of::Mass, Of::Bias, Of::TorqueDerivatives, Of::AccelerationDerivatives] {
            let compiled = robot.compile(of).map_err(|error| format!("{name}: {error}"))?;
            assert!(robot.agrees_with_exact(of, &compiled), "{name}: {of}");
            assert!(!heavier.agrees_with_exact(of, &compiled), "{name}: {of} of a heavier robot");
        }
    }
    Ok(())
}

/// A program that is wrong only far from home, as one that was edited may be, is told apart: states are tried over the ranges of the joints.
#[test]
fn a_program_that_is_right_at_home_only_is_told_apart() -> Result<(), Box<dyn Error>> {
    use dalembert::symbolic::program::{Operation, Step, Value, ValueSource};
    let robot = Robot::find("puma560")?;
    let mut program = robot.compile(Of::Torque)?.program().clone();
    let of = |place| Value { negated: false, place };
    // 1000 N m in the place of the first torque, where the second joint is more than 0.4 rad from home.
    let home = robot.home()?.joints.q[1];
    let far = Operation::SelectLt([
        of(ValueSource::Number(home + 0.4)),
        of(ValueSource::Input(1)),
        of(ValueSource::Number(1000.0)),
        program.results[0],
    ]);
    program.steps.push(Step { name: String::from("far"), operation: far, constant: false });
    program.results[0] = of(ValueSource::Step(program.steps.len() - 1));
    let edited = Compiled::new(program.clone())?;
    assert!(!robot.agrees_with_exact(Of::Torque, &edited));
    // As it was it is right.
    program.results[0] = robot.compile(Of::Torque)?.program().results[0];
    program.steps.pop();
    assert!(robot.agrees_with_exact(Of::Torque, &Compiled::new(program)?));
    Ok(())
}

/// Linear models of many states by the compiled derivatives are those of the formulas. Tolerance: the derivatives go through a mass matrix whose condition
/// is some thousands.
#[test]
fn linear_models_by_programs_are_those_by_formulas() -> Result<(), Box<dyn Error>> {
    let golden = |name: &str| format!("{}/../../golden/robots/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    for name in [golden("ur5e"), golden("serial-e"), String::from("puma560")] {
        let robot = Robot::find(&name)?;
        let (model, n) = (robot.build_model("exact")?, robot.joints().len());
        let outputs = [Output::JointRates, Output::Joints];
        let mut models = LinearModels::new(&robot, Coordinates::Joint, &outputs);
        models.prepare(1, None).err().ok_or("one state is not worth a program")?;
        assert!(models.prepare(10_000, None)?.contains("acceleration-derivatives by "));
        for k in 0..10 {
            let part = |by: f64| JointVector::from_fn(n, |i| by * (f64::from(3 * k) + 1.7 * i as f64 + by).sin());
            let state =
                robot.at_joints(&JointState { q: part(1.0), qd: part(2.0), qdd: part(5.0) }, &Pick::default())?;
            let torque = model.torque(&state, Wrench::zero());
            let found = models.at(&state, &torque, Wrench::zero())?;
            let expected = robot.linearize(&state, &torque, Wrench::zero(), Coordinates::Joint, &outputs)?;
            let pairs = [
                (&found.system.a, &expected.system.a),
                (&found.system.b, &expected.system.b),
                (&found.system.c, &expected.system.c),
                (&found.system.d, &expected.system.d),
            ];
            for (found, expected) in pairs {
                assert!((found - expected).amax() <= 1e-9 * expected.amax().max(1.0), "{name}, state {k}");
            }
            let points =
                |model: &Linearized| [&model.state, &model.input, &model.output, &model.rate].map(Vec::clone).concat();
            for (a, b) in points(&found).iter().zip(points(&expected)) {
                assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{name}, state {k}: {a} and {b}");
            }
            assert_eq!(found.system.outputs, expected.system.outputs);
        }
        // More than the program gives goes to the formulas.
        let mut models = LinearModels::new(&robot, Coordinates::Joint, &[Output::Position]);
        assert!(models.prepare(10_000, None).is_err());
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
