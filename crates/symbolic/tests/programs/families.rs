//! Every family of robots alike: derivatives against the library's linear models, the Jacobian and its rate against the tool, and the
//! regressor against the library's, of arms, Deltas and parallel robots with three and six legs.

use crate::common::Random;
use dalembert::robot::linear_model::Coordinates;
use dalembert::robot::{JointState, JointVector, Pick, Robot, State};
use dalembert::spatial::Wrench;
use dalembert_symbolic::derive::{Of, Request};
use dalembert_symbolic::{Effort, Program};

const PLAIN: Effort = Effort { rounds: 0, ..Effort::QUICK };

pub fn robots() -> Vec<Robot> {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden/robots/");
    let files = ["serial-b", "stanford", "friction", "parallel-a", "parallel-b", "parallel-e"];
    let read = |name: &str| Robot::load(format!("{golden}{name}.toml")).expect("a robot");
    let mut all: Vec<Robot> = files.into_iter().map(read).collect();
    all.extend(["puma560", "d3-1200"].map(|name| Robot::find(name).expect("built in")));
    all
}

fn derived(robot: &Robot, of: Of) -> Program {
    let request = Request { effort: PLAIN, ..Request::new(&robot.name, of) };
    robot.derive(&request, &mut |_| ()).unwrap_or_else(|error| panic!("{}, {of}: {error}", robot.name)).program
}

/// What a program gives in a state, quantity by quantity.
pub fn run(program: &Program, state: &State, torque: &[f64]) -> Vec<Vec<f64>> {
    let inputs: Vec<f64> = program
        .inputs
        .iter()
        .flat_map(|quantity| match quantity.name.as_str() {
            "q" => state.joints.q.to_vec(),
            "x" => state.tool.pose.origin.0.to_vec(),
            "rotation" => state.tool.pose.rotation.0.iter().flat_map(|row| row.0).collect(),
            "qd" => state.joints.qd.to_vec(),
            "qdd" => state.joints.qdd.to_vec(),
            "tau" => torque.to_vec(),
            other => panic!("{other}"),
        })
        .collect();
    let mut results = program.run(&inputs).expect("a pose that can be");
    program.outputs.iter().map(|quantity| results.drain(..quantity.length).collect()).collect()
}

/// A few states about home.
pub fn states(robot: &Robot) -> Vec<State> {
    let home = robot.home().expect("a home");
    let mut random = Random(5);
    let mut row = |size: f64| -> Vec<f64> { home.joints.q.iter().map(|_| size * random.signed()).collect() };
    let mut all = Vec::new();
    for _ in 0..3 {
        let (moved, qd, qdd) = (row(0.05), row(1.0), row(5.0));
        let q: Vec<f64> = home.joints.q.iter().zip(moved).map(|(q, by)| q + by).collect();
        let joints = JointState { q: JointVector::new(&q), qd: JointVector::new(&qd), qdd: JointVector::new(&qdd) };
        all.push(robot.at_joints(&joints, &Pick::default()).expect("near home"));
    }
    all
}

/// Within 1e-9 of the largest: the joints of six legs lead to the platform by iteration.
fn same(found: &[f64], expected: &[f64], what: &str) {
    let scale = expected.iter().fold(1e-3_f64, |most, x| most.max(x.abs()));
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-9 * scale, "{what}: {a} {b}");
    }
}

fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    matrix.chunks(vector.len()).map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
}

#[test]
fn derivatives_are_those_of_linear_models() {
    for robot in robots() {
        let model = robot.build_model("exact").expect("a model");
        let [torque, acceleration] = [Of::TorqueDerivatives, Of::AccelerationDerivatives].map(|of| derived(&robot, of));
        let mass = derived(&robot, Of::Mass);
        for state in states(&robot) {
            let tau = model.torque(&state, Wrench::zero());
            let linear =
                robot.linearize(&state, &tau, Wrench::zero(), Coordinates::Joint, &[]).expect("a linear model");
            let n = tau.len();
            let block = |matrix: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
                (0..n * n).map(|k| matrix(n + k / n, k % n)).collect()
            };
            let by_q = block(&|i, j| linear.system.a[(i, j)]);
            let by_qd = block(&|i, j| linear.system.a[(i, n + j)]);
            let by_tau = block(&|i, j| linear.system.b[(i, j)]);
            let found = run(&acceleration, &state, &tau);
            for (found, expected) in found.iter().zip([&by_q, &by_qd, &by_tau]) {
                same(found, expected, &format!("{}, accelerations", robot.name));
            }
            // M ∂q̈ = −∂τ.
            let m = run(&mass, &state, &tau).remove(0);
            let product = |a: &[f64]| -> Vec<f64> {
                let entry = |k: usize| (0..n).map(|l| -m[k / n * n + l] * a[l * n + k % n]).sum();
                (0..n * n).map(entry).collect()
            };
            let found = run(&torque, &state, &tau);
            for (found, expected) in found.iter().zip([product(&by_q), product(&by_qd), m.clone()]) {
                same(found, &expected, &format!("{}, torques", robot.name));
            }
        }
    }
}

#[test]
fn the_jacobian_and_its_rate_move_the_tool() {
    for robot in robots() {
        let [jacobian, rate] = [Of::Jacobian, Of::JacobianRate].map(|of| derived(&robot, of));
        for state in states(&robot) {
            let [j, jd] = [&jacobian, &rate].map(|program| run(program, &state, &[]).remove(0));
            let (qd, qdd) = (&state.joints.qd, &state.joints.qdd);
            let rows = j.len() / qd.len();
            let tool =
                |twist: dalembert::spatial::Twist<f64>| [twist.linear.0, twist.angular.0].concat()[..rows].to_vec();
            same(&times(&j, qd), &tool(state.tool.velocity), &format!("{}, velocity", robot.name));
            let both: Vec<f64> = times(&j, qdd).iter().zip(times(&jd, qd)).map(|(a, b)| a + b).collect();
            same(&both, &tool(state.tool.acceleration), &format!("{}, acceleration", robot.name));
        }
    }
}

/// Every column is the library's with its name, and the columns times the base parameters are the torques.
#[test]
fn the_regressor_is_the_library_s() {
    for robot in robots() {
        let program = derived(&robot, Of::Regressor);
        let regressor = robot.regressor().expect("a regressor");
        let names: Vec<&str> = regressor.terms().iter().map(|term| term.name.as_str()).collect();
        let values: Vec<f64> = regressor.terms().iter().map(|term| term.value).collect();
        let columns: Vec<(usize, f64)> = program
            .conventions
            .iter()
            .filter_map(|line| line.strip_prefix("Column ")?.split_once(": "))
            .map(|(_, text)| {
                let name = text.split(' ').next().expect("a name");
                let value = text.rsplit("= ").next().and_then(|value| value.parse().ok()).expect("a value");
                (names.iter().position(|known| *known == name).unwrap_or_else(|| panic!("{name}")), value)
            })
            .collect();
        for state in states(&robot) {
            let n = state.joints.q.len();
            let mut y = vec![0.0; n * names.len()];
            regressor.fill(&state, &mut y);
            let found = run(&program, &state, &[]).remove(0);
            let expected: Vec<f64> = (0..n)
                .flat_map(|i| columns.iter().map(move |(k, _)| (i, *k)))
                .map(|(i, k)| y[i * names.len() + k])
                .collect();
            same(&found, &expected, &format!("{}, Y", robot.name));
            let base: Vec<f64> = columns.iter().map(|(_, value)| *value).collect();
            // The heading has nine digits behind the point.
            let [ours, theirs] = [times(&found, &base), times(&y, &values)];
            let sizes = times(&found.iter().map(|x| x.abs()).collect::<Vec<_>>(), &vec![1e-9; base.len()]);
            for i in 0..n {
                let allowed = sizes[i] + 1e-9 * theirs.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                assert!((ours[i] - theirs[i]).abs() <= allowed, "{}: {} {}", robot.name, ours[i], theirs[i]);
            }
        }
    }
}

/// Rounding to 24 bits, 6e-8, in a few hundred operations: more than nothing, and far below a wrong term.
#[test]
fn what_single_precision_loses_is_measured() {
    for (name, of) in [("puma560", Of::Torque), ("d3-1200", Of::Torque), ("stewart", Of::TorqueCartesian)] {
        let robot = Robot::find(name).expect("built in");
        let lost = robot.single_precision(&derived(&robot, of)).expect("states within the ranges");
        assert_eq!(lost.states, 1000, "{name}");
        assert!(lost.rms > 1e-9 && lost.rms < lost.most && lost.most < 1e-4, "{name}: {lost:?}");
    }
}
