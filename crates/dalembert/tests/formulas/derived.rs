//! The derived programs of the PUMA 560 against the recursions and a straightforward Newton–Euler: torque, mass matrix,
//! gravity and acceleration, one state and many, and bit for bit the same either way.

use crate::common::straightforward_serial;
use dalembert::batch::ManyOf;
use dalembert::robot::families::chain::derived::Puma560;
use dalembert::robot::{Form, JointState, JointVector, Pick, Robot, State, ToolState};
use dalembert::spatial::Wrench;
use dalembert::{Vec3, robots};

/// A number of states that leaves a rest in every batch.
const ROWS: usize = 43;

fn state(row: usize) -> [[f64; 6]; 3] {
    let value = |scale: f64, k: usize| scale * (row as f64 * (0.3 + 0.17 * k as f64) + k as f64).sin();
    [
        std::array::from_fn(|i| value(3.0, i)),
        std::array::from_fn(|i| value(2.0, i + 6)),
        std::array::from_fn(|i| value(9.0, i + 12)),
    ]
}

fn close(found: &[f64], expected: &[f64], limit: f64) {
    let scale = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= limit * scale, "{found:?} {expected:?}");
    }
}

#[test]
fn derived_is_newton_and_euler() {
    let arm = robots::puma560().expect("built in").arm.arm::<6>().expect("six joints");
    let fast = Puma560::new(&arm).expect("the built-in arm");
    let naive = straightforward_serial::Arm::new(arm.parameters());
    for row in 0..ROWS {
        let [q, qd, qdd] = state(row);
        let moving = arm.at_joints(q).expect("finite").moving(qd);
        let torque = moving.torque(qdd);
        // A few hundred roundings.
        close(&fast.torque(&q, &qd, &qdd), &torque, 1e-13);
        close(&naive.torque(&q, &qd, &qdd), &torque, 1e-13);
        close(fast.mass_matrix(&q).as_flattened(), moving.pose.mass_matrix().as_flattened(), 1e-13);
        close(&fast.gravity_torque(&q), &moving.pose.gravity_torque(), 1e-13);
        // The mass matrix of the PUMA has a condition of some 1e3.
        close(&fast.acceleration(&q, &qd, &torque), &qdd, 1e-10);
    }
}

#[test]
fn many_states_have_the_bits_of_one() {
    let arm = robots::puma560().expect("built in").arm.arm::<6>().expect("six joints");
    let fast = Puma560::new(&arm).expect("the built-in arm");
    let mut columns: [[Vec<f64>; 6]; 3] = Default::default();
    for row in 0..ROWS {
        for (group, values) in columns.iter_mut().zip(state(row)) {
            group.iter_mut().zip(values).for_each(|(column, x)| column.push(x));
        }
    }
    // Beyond the range of the fast sine.
    columns[0][1][7] = 1e9;
    let slices = columns.each_ref().map(|group| group.each_ref().map(Vec::as_slice));
    let groups = slices.each_ref().map(|group| &group[..]);
    let mut out: [Vec<f64>; 6] = std::array::from_fn(|_| vec![0.0; ROWS]);
    let row = |row: usize| columns.each_ref().map(|group| group.each_ref().map(|column| column[row]));

    fast.many(ManyOf::Torques, groups, &mut out.each_mut().map(Vec::as_mut_slice)).expect("equal lengths");
    for k in 0..ROWS {
        let [q, qd, qdd] = row(k);
        assert_eq!(fast.torque(&q, &qd, &qdd), std::array::from_fn(|i| out[i][k]));
    }
    fast.many(ManyOf::Accelerations, groups, &mut out.each_mut().map(Vec::as_mut_slice)).expect("equal lengths");
    for k in 0..ROWS {
        let [q, qd, tau] = row(k);
        assert_eq!(fast.acceleration(&q, &qd, &tau), std::array::from_fn(|i| out[i][k]));
    }
    let short = [&columns[0][0][1..]; 6];
    let error = fast.many(ManyOf::Torques, [groups[0], groups[1], &short], &mut out.each_mut().map(Vec::as_mut_slice));
    assert!(error.is_err());
}

#[test]
fn another_arm_is_refused() {
    let arm = robots::puma560().expect("built in").arm.arm::<6>().expect("six joints");
    let mut parameters = *arm.parameters();
    parameters.links[5].body.mass += 0.1;
    let heavier = dalembert::serial::Serial::try_new(parameters).expect("an arm that can be");
    let error = Puma560::new(&heavier).expect_err("another arm").to_string();
    assert!(error.contains("built-in puma560"), "{error}");
}

/// Columns give what states give one by one, for every model that applies: with friction, without, and with a tile that is not
/// full. A symmetric Delta takes another formula for columns, hence the rounding.
#[test]
fn columns_are_states() {
    for name in ["d3-1200", "asadi", "../../golden/robots/friction.toml", "puma560"] {
        let robot = Robot::find(name).expect("a robot");
        let home = robot.home().expect("a pose");
        let states: Vec<State> = (0..77)
            .map(|k| {
                let swing = |i: usize, scale: f64| scale * ((1 + k * (i + 2)) as f64).sin();
                let vector = |scale: f64| Vec3::from_fn(|i| swing(i, scale));
                match robot.kind().form {
                    Form::Tool => {
                        let position = home.tool.pose.origin + vector(0.03);
                        let tool = ToolState::translating(position, vector(1.0), vector(10.0));
                        robot.at_tool(&tool, &Pick::default())
                    }
                    Form::Joints => {
                        let joints = |scale| JointVector::from_fn(robot.joints().len(), |i| swing(i, scale));
                        let state = JointState { q: joints(1.0), qd: joints(2.0), qdd: joints(5.0) };
                        robot.at_joints(&state, &Pick::default())
                    }
                }
                .expect("a state")
            })
            .collect();
        let numbers = |state: &State| match robot.kind().form {
            Form::Tool => {
                let tool = &state.tool;
                [tool.pose.origin, tool.velocity.linear, tool.acceleration.linear].map(|v| v.0.to_vec())
            }
            Form::Joints => [&state.joints.q, &state.joints.qd, &state.joints.qdd].map(|v| v.to_vec()),
        };
        let joints = robot.joints().len();
        let columns: Vec<Vec<Vec<f64>>> = (0..3)
            .map(|group| (0..joints).map(|i| states.iter().map(|state| numbers(state)[group][i]).collect()).collect())
            .collect();
        let slices: Vec<Vec<&[f64]>> = columns.iter().map(|group| group.iter().map(Vec::as_slice).collect()).collect();
        for model in robot.models().iter().filter_map(|spec| robot.build_model(spec.name).ok()) {
            let mut found = vec![vec![0.0; states.len()]; joints];
            let mut out: Vec<&mut [f64]> = found.iter_mut().map(Vec::as_mut_slice).collect();
            model.torques([&slices[0], &slices[1], &slices[2]], &mut out).expect("equal lengths");
            for (k, state) in states.iter().enumerate() {
                let torque = model.torque(state, Wrench::zero());
                let same = |i: usize| (found[i][k] - torque[i]).abs() <= 1e-12 * (1.0 + torque[i].abs());
                assert!((0..joints).all(same), "{name} {model:?} {k}");
            }
            let mut out: Vec<&mut [f64]> = found.iter_mut().map(Vec::as_mut_slice).collect();
            assert!(model.torques([&slices[0], &slices[1], &slices[2]], &mut out[1..]).is_err());
        }
    }
}
