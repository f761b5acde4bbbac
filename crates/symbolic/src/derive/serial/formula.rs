//! The formulas of serial arms as they are written, with numbers of any kind; their inputs and outputs.

use crate::derive::Of;
use crate::derive::quantities::{Joints, needs};
use crate::derive::size::Sized;
use crate::expr::Expr;
use crate::extract::Random;
use crate::program::Quantity;
use dalembert_core::serial::{DhConvention, Joint, Serial, SerialError};
use dalembert_core::{Dual, Scalar};
use std::f64::consts::PI;

/// What a formula may depend on: q, q̇, q̈, τ.
pub(in crate::derive) type Rows<S, const N: usize> = [[S; N]; 4];

/// The rows that inputs have; zero where they have none.
pub(in crate::derive) fn rows_of<S: Scalar, const N: usize>(all: &[Of], inputs: &[S]) -> Rows<S, N> {
    let needed = needs(all);
    let mut from = 0;
    [0, 1, 2, 3].map(|k| {
        if !needed[k] {
            return [S::zero(); N];
        }
        from += N;
        std::array::from_fn(|i| inputs[from - N + i])
    })
}

/// Every arm is evaluated with so many joints: the formulas are built once, and not for every number of joints.
pub(in crate::derive) const LONGEST: usize = 8;

/// Zeros for the joints that are not there.
pub(in crate::derive) fn long<S: Scalar, const N: usize>(row: [S; N]) -> [S; LONGEST] {
    const { assert!(N <= LONGEST, "arms have eight joints at most") };
    std::array::from_fn(|i| row.get(i).copied().unwrap_or(S::zero()))
}

pub(super) fn expression<'g>(
    arm: &Serial<Expr<'g>, LONGEST>,
    n: usize,
    of: Of,
    rows: &Rows<Expr<'g>, LONGEST>,
) -> Vec<Expr<'g>> {
    formula(arm, n, of, rows)
}

pub(super) fn sized_formula(arm: &Serial<Sized, LONGEST>, n: usize, of: Of, rows: &Rows<Sized, LONGEST>) -> Vec<Sized> {
    formula(arm, n, of, rows)
}

/// The formula itself, with numbers of any kind, for the first n joints.
fn formula<S: Scalar>(arm: &Serial<S, LONGEST>, n: usize, of: Of, rows: &Rows<S, LONGEST>) -> Vec<S> {
    let [q, qd, qdd, tau] = *rows;
    let pose = arm.pose_unchecked(q);
    match of {
        Of::Torque => pose.moving(qd).torque(qdd)[..n].to_vec(),
        Of::Bias => pose.moving(qd).torque([S::zero(); LONGEST])[..n].to_vec(),
        Of::Acceleration => pose.moving(qd).acceleration(tau)[..n].to_vec(),
        Of::Coriolis => pose.moving(qd).coriolis()[..n].to_vec(),
        Of::Mass => pose.mass_matrix()[..n].iter().flat_map(|row| row[..n].to_vec()).collect(),
        Of::Gravity => pose.gravity_torque()[..n].to_vec(),
        Of::TorqueDerivatives => {
            let arm = arm.map(Dual::<S, 1>::constant);
            let column = |row: usize, joint: usize| {
                let mut all = rows.map(|row| row.map(Dual::constant));
                all[row][joint].derivative = [S::one()];
                let [q, qd, qdd, _] = all;
                arm.pose_unchecked(q).moving(qd).torque(qdd).map(|torque| torque.derivative[0])
            };
            let matrix = |row: usize| {
                let columns: Vec<[S; LONGEST]> = (0..n).map(|joint| column(row, joint)).collect();
                (0..n * n).map(|k| columns[k % n][k / n]).collect::<Vec<S>>()
            };
            [matrix(0), matrix(1), matrix(2)].concat()
        }
        // As they are judged: times the mass matrix, at the accelerations of these torques.
        Of::AccelerationDerivatives => {
            let mut all = formula(arm, n, Of::TorqueDerivatives, rows);
            all.iter_mut().for_each(|x| *x = -*x);
            let unit = |k: usize| if k / n == k % n { S::one() } else { S::zero() };
            all.splice(2 * n * n.., (0..n * n).map(unit));
            all
        }
        Of::Jacobian => {
            let jacobian = pose.jacobian();
            let row =
                |k: usize| (0..n).map(move |j| if k < 3 { jacobian.linear[j][k] } else { jacobian.angular[j][k - 3] });
            (0..6).flat_map(row).collect()
        }
        Of::JacobianRate => {
            let along = |k: usize| Dual { value: q[k], derivative: [qd[k]] };
            let rate = arm.map(Dual::<S, 1>::constant).pose_unchecked(std::array::from_fn(along)).jacobian();
            let row = |k: usize| {
                (0..n).map(move |j| if k < 3 { rate.linear[j][k] } else { rate.angular[j][k - 3] }.derivative[0])
            };
            (0..6).flat_map(row).collect()
        }
        Of::Fk => {
            let tool = pose.tool();
            tool.origin.0.into_iter().chain(tool.rotation.0.into_iter().flat_map(|row| row.0)).collect()
        }
        // Apart, or refused before.
        Of::TorqueParameterDerivatives | Of::AccelerationParameterDerivatives => Vec::new(),
        Of::Regressor | Of::TorqueCartesian | Of::Ik => Vec::new(),
    }
}

/// Inputs and outputs of programs for these things.
pub(in crate::derive) fn quantities<const N: usize>(
    arm: &Serial<f64, N>,
    all: &[Of],
) -> (Vec<Quantity>, Vec<Quantity>) {
    let sliding = arm.parameters().links.iter().filter(|link| link.joint == Joint::Prismatic).count();
    let joints = Joints { count: N, sliding, tool: 6 };
    let outputs = all.iter().flat_map(|&of| match of {
        Of::Fk => vec![
            Quantity::new("position", 3, "tool point, base frame", "m"),
            Quantity::matrix("rotation", 3, 3, "tool axes as columns, base frame", "1"),
        ],
        _ => joints.outputs(of),
    });
    (joints.inputs(all, vec![joints.positions()]), outputs.collect())
}

pub(in crate::derive) fn conventions<const N: usize>(arm: &Serial<f64, N>) -> Vec<String> {
    let rows = match arm.parameters().convention {
        DhConvention::Modified => "modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d)",
        DhConvention::Standard => "standard: Rz(theta) Tz(d) Tx(a) Rx(alpha)",
    };
    vec![
        "SI units and radians; torques at the joint side of the gear.".into(),
        format!("Denavit-Hartenberg rows, {rows}; q as in the robot file."),
    ]
}

/// A random state: torques are those of the accelerations.
pub(in crate::derive) fn rows<const N: usize>(arm: &Serial<f64, N>, random: &mut Random) -> Rows<f64, N> {
    let links = &arm.parameters().links;
    let q: [f64; N] =
        std::array::from_fn(|i| random.signed() * if links[i].joint == Joint::Revolute { PI } else { 1.0 });
    // Now and then near standstill, where friction changes its sign.
    let slow = random.signed() > 0.5;
    let qd: [f64; N] = std::array::from_fn(|i| {
        random.signed() * links[i].friction.filter(|_| slow).map_or(2.0, |friction| 3.0 * friction.smoothing_velocity)
    });
    let qdd: [f64; N] = std::array::from_fn(|_| 5.0 * random.signed());
    [q, qd, qdd, torque(arm, [q, qd, qdd])]
}

/// Torques of a motion.
pub(super) fn torque<const N: usize>(arm: &Serial<f64, N>, motion: [[f64; N]; 3]) -> [f64; N] {
    let torque = long_torque(&arm.with_joints(), motion.map(long));
    std::array::from_fn(|i| torque[i])
}

fn long_torque(arm: &Serial<f64, LONGEST>, [q, qd, qdd]: [[f64; LONGEST]; 3]) -> [f64; LONGEST] {
    arm.pose_unchecked(q).moving(qd).torque(qdd)
}

/// The mass matrix, row by row.
pub(super) fn mass_matrix<const N: usize>(arm: &Serial<f64, N>, q: [f64; N]) -> Vec<f64> {
    let mass = arm.with_joints::<LONGEST>().pose_unchecked(long(q)).mass_matrix();
    (0..N * N).map(|k| mass[k / N][k % N]).collect()
}

/// Whether torques determine accelerations.
pub(super) fn solvable(arm: &Serial<f64, LONGEST>, [q, qd, tau]: [[f64; LONGEST]; 3]) -> Result<(), SerialError> {
    arm.pose_unchecked(q).moving(qd).try_acceleration(tau).map(|_| ())
}
