//! The derived programs of the PUMA 560 against the recursions and a straightforward Newton–Euler: torque, mass matrix,
//! gravity and acceleration, one state and many, and bit for bit the same either way.

use crate::common::straightforward_serial;
use dalembert::derived::Puma560;
use dalembert::robots;

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
    let robot = robots::puma560().expect("built in");
    let arm = robot.arm.six().expect("six joints");
    let fast = Puma560::new(arm).expect("the built-in arm");
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
    let robot = robots::puma560().expect("built in");
    let arm = robot.arm.six().expect("six joints");
    let fast = Puma560::new(arm).expect("the built-in arm");
    let mut columns: [[Vec<f64>; 6]; 3] = Default::default();
    for row in 0..ROWS {
        for (group, values) in columns.iter_mut().zip(state(row)) {
            group.iter_mut().zip(values).for_each(|(column, x)| column.push(x));
        }
    }
    // Beyond the range of the fast sine.
    columns[0][1][7] = 1e9;
    let groups = columns.each_ref().map(|group| group.each_ref().map(Vec::as_slice));
    let mut out: [Vec<f64>; 36] = std::array::from_fn(|_| vec![0.0; ROWS]);
    let row = |row: usize| columns.each_ref().map(|group| group.each_ref().map(|column| column[row]));

    let [a, b, c, d, e, f, ..] = &mut out;
    fast.torques(groups, [a, b, c, d, e, f]).expect("equal lengths");
    for k in 0..ROWS {
        let [q, qd, qdd] = row(k);
        assert_eq!(fast.torque(&q, &qd, &qdd), std::array::from_fn(|i| out[i][k]));
    }
    let [a, b, c, d, e, f, ..] = &mut out;
    fast.accelerations(groups, [a, b, c, d, e, f]).expect("equal lengths");
    for k in 0..ROWS {
        let [q, qd, tau] = row(k);
        assert_eq!(fast.acceleration(&q, &qd, &tau), std::array::from_fn(|i| out[i][k]));
    }
    fast.mass_matrices(groups[0], out.each_mut().map(Vec::as_mut_slice)).expect("equal lengths");
    for k in 0..ROWS {
        let mass = fast.mass_matrix(&row(k)[0]);
        assert_eq!(mass.as_flattened(), std::array::from_fn::<f64, 36, _>(|i| out[i][k]));
    }
    let short = [&columns[0][0][1..]; 6];
    let error = fast.torques(
        [groups[0], groups[1], short],
        out.each_mut()
            .map(Vec::as_mut_slice)
            .first_chunk_mut::<6>()
            .map(|chunk| chunk.each_mut().map(|column| &mut **column))
            .expect("six"),
    );
    assert!(error.is_err());
}

#[test]
fn another_arm_is_refused() {
    let robot = robots::puma560().expect("built in");
    let arm = robot.arm.six().expect("six joints");
    let mut parameters = *arm.parameters();
    parameters.links[5].body.mass += 0.1;
    let heavier = dalembert::serial::Serial::try_new(parameters).expect("an arm that can be");
    let error = Puma560::new(&heavier).expect_err("another arm").to_string();
    assert!(error.contains("built-in puma560"), "{error}");
}
