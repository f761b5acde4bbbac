//! Derivatives by parameters against differences of the library's own torques and accelerations, the robot's numbers changed one by one
//! and the joints kept: of arms, Deltas and parallel robots, with friction, slides and payloads.

use crate::families::{robots, run, states};
use dalembert::robot::{JointVector, Number, Pick, Robot, State};
use dalembert::spatial::Wrench;
use dalembert_symbolic::derive::{DeriveError, Of, Request};
use dalembert_symbolic::{Effort, Program};

const PLAIN: Effort = Effort { rounds: 0, ..Effort::QUICK };

fn derived(robot: &Robot, of: Of, by: &[&str]) -> Result<Program, DeriveError> {
    let by = by.iter().map(|word| (*word).to_owned()).collect();
    let request = Request { effort: PLAIN, by, ..Request::new(&robot.name, of) };
    robot.derive(&request, &mut |_| ()).map(|derived| derived.program)
}

/// The symbols of the columns, as the heading has them.
fn columns(program: &Program) -> Vec<String> {
    let name = |line: &String| Some(line.strip_prefix("Column ")?.split_once(": ")?.1.split_once(" (")?.0.to_owned());
    program.conventions.iter().filter_map(name).collect()
}

/// Whether a number is among those that a symbol names: one part's own, or that of all parts.
fn is_named(number: &Number, symbol: &str, arm: bool) -> bool {
    let component = number.place.component.and_then(|k| number.field.components.get(k)).unwrap_or(&"");
    let stem = format!("{}{component}", number.field.symbol);
    match number.place.part {
        Some(part) => symbol == format!("{stem}{}", part + 1) || symbol == stem,
        None => symbol == if arm && number.field.key.starts_with("payload.") { format!("{stem}p") } else { stem },
    }
}

/// What torques or accelerations are where the joints are, of a robot with these numbers moved by so much; none where that cannot be, as
/// a mass below zero.
fn changed(
    robot: &Robot,
    state: &State,
    tau: &JointVector,
    of: Of,
    moves: &dyn Fn(&Number) -> f64,
) -> Option<Vec<f64>> {
    let family = robot.moved(moves).ok()?;
    let model = family.build_model(family.models()[0].name).expect("a model");
    let moved = family.at_joints(&state.joints, &Pick::default()).expect("near home");
    Some(match of {
        Of::TorqueParameterDerivatives => model.torque(&moved, Wrench::zero()).to_vec(),
        _ => model.accelerated(&moved, tau, Wrench::zero()).expect("determined").joints.qdd.to_vec(),
    })
}

#[test]
fn derivatives_by_parameters_are_those_of_changed_robots() {
    for robot in robots() {
        let arm = robot.kind().title.contains("serial");
        for of in [Of::TorqueParameterDerivatives, Of::AccelerationParameterDerivatives] {
            // Accelerations of six joints take two minutes; three and four joints have the same formulas.
            if of == Of::AccelerationParameterDerivatives && robot.joints().len() > 4 {
                continue;
            }
            let program = derived(&robot, of, &[]).unwrap_or_else(|error| panic!("{}, {of}: {error}", robot.name));
            let symbols = columns(&program);
            assert_eq!(program.outputs[0].length, symbols.len() * robot.joints().len(), "{}", robot.name);
            let state = &states(&robot)[0];
            let tau = robot.build_model("exact").expect("a model").torque(state, Wrench::zero());
            let found = run(&program, state, &tau).remove(0);
            let overall = found.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let mut compared = 0;
            for (k, symbol) in symbols.iter().enumerate() {
                let column: Vec<f64> = found.iter().skip(k).step_by(symbols.len()).copied().collect();
                let size = robot.numbers().iter().find(|number| is_named(number, symbol, arm)).map(|n| n.value.abs());
                let step = 1e-5 * size.unwrap_or_else(|| panic!("{symbol}")).max(1e-2);
                let at = |by: f64| {
                    changed(&robot, state, &tau, of, &|number| if is_named(number, symbol, arm) { by } else { 0.0 })
                };
                // A mass of zero has one side only: then three places on it, with an error of the second order too. A product of inertia of
                // a body without inertia has none.
                let expected: Vec<f64> = match (at(step), at(-step)) {
                    (Some(above), Some(below)) => {
                        above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * step)).collect()
                    }
                    (None, None) => continue,
                    (above, _) => {
                        let side = if above.is_some() { step } else { -step };
                        let [here, near, far] = [0.0, side, 2.0 * side].map(|by| {
                            at(by).unwrap_or_else(|| panic!("{}, {symbol}: it cannot be {by} off", robot.name))
                        });
                        (0..here.len()).map(|i| (4.0 * near[i] - far[i] - 3.0 * here[i]) / (2.0 * side)).collect()
                    }
                };
                compared += 1;
                let largest = column.iter().fold(1e-5 * overall, |most, x| most.max(x.abs()));
                for i in 0..column.len() {
                    let expected = expected[i];
                    // Differences of numbers some 1e3 times as large as what they are changed by, over 1e-5: 1e-16 · 1e3 / 1e-5 and more.
                    let what = format!("{}, {of}, {symbol}, joint {}", robot.name, i + 1);
                    assert!((column[i] - expected).abs() <= 1e-5 * largest, "{what}: {} {expected}", column[i]);
                }
            }
            assert!(compared * 10 >= symbols.len() * 8, "{}: {compared} of {}", robot.name, symbols.len());
        }
    }
}

/// Torques are linear in the parameters of a body that does not have its centre of mass or lengths in them.
#[test]
fn parameters_are_chosen_by_symbol_key_and_kind() {
    let of = Of::TorqueParameterDerivatives;
    let puma = Robot::find("puma560").expect("built in");
    let by = |words: &[&str]| columns(&derived(&puma, of, words).expect("derivable"));
    assert_eq!(by(&["m3", "a3"]), ["m3", "a3"]);
    assert_eq!(by(&["link2.center_of_mass"]), ["cx2", "cy2", "cz2"]);
    assert_eq!(by(&["motor_inertia"]), ["im1", "im2", "im3", "im4", "im5", "im6"]);
    // Nothing depends on the mass of link 1; by its own name it has a column all the same.
    assert!(!by(&["mass"]).contains(&"m1".to_owned()));
    assert_eq!(by(&["m1"]), ["m1"]);
    let (all, kinds) = (by(&[]), ["bodies", "geometry", "gravity"].map(|kind| by(&[kind]).len()));
    assert_eq!(kinds.iter().sum::<usize>(), all.len());
    let error = derived(&puma, of, &["m9"]).expect_err("there are six links");
    assert!(error.to_string().contains("no parameter `m9`"), "{error}");
    // What all arms share is one column; an arm's own is another.
    let delta = Robot::find("d3-1200").expect("built in");
    let program = derived(&delta, of, &["la", "la1", "la2", "la3"]).expect("derivable");
    assert_eq!(columns(&program), ["la", "la1", "la2", "la3"]);
    let state = &states(&delta)[0];
    for row in run(&program, state, &[]).remove(0).chunks(4) {
        assert!((row[0] - (row[1] + row[2] + row[3])).abs() <= 1e-12 * row[0].abs().max(1.0), "{row:?}");
    }
}
