//! The formulas of serial arms as they are written, with numbers of any kind; their inputs and outputs.

use crate::derive::Of;
use crate::derive::quantities::{Joints, needs};
use crate::derive::size::Sized;
use crate::expr::Expr;
use crate::extract::Random;
use crate::program::Quantity;
use dalembert_core::chain::{Chain, ChainError};
use dalembert_core::serial::{DhConvention, Joint, Link};
use dalembert_core::spatial::Twist;
use dalembert_core::{Dual, Scalar};
use std::f64::consts::PI;

/// What a formula may depend on: q, q̇, q̈, τ.
pub(in crate::derive) type Rows<S> = [Vec<S>; 4];

/// The rows of n joints that inputs have; zero where they have none.
pub(in crate::derive) fn rows_of<S: Scalar>(all: &[Of], n: usize, inputs: &[S]) -> Rows<S> {
    let needed = needs(all);
    let mut from = 0;
    [0, 1, 2, 3].map(|k| {
        if !needed[k] {
            return vec![S::zero(); n];
        }
        from += n;
        inputs[from - n..from].to_vec()
    })
}

pub(super) fn expression<'g>(arm: &Chain<Expr<'g>>, of: Of, rows: &Rows<Expr<'g>>) -> Vec<Expr<'g>> {
    formula(arm, of, rows).unwrap_or_default()
}

pub(super) fn sized_formula(arm: &Chain<Sized>, of: Of, rows: &Rows<Sized>) -> Vec<Sized> {
    formula(arm, of, rows).unwrap_or_default()
}

/// The formula itself, with numbers of any kind.
fn formula<S: Scalar>(arm: &Chain<S>, of: Of, rows: &Rows<S>) -> Result<Vec<S>, ChainError> {
    let ([q, qd, qdd, tau], n) = (rows, arm.joints());
    let pose = arm.at_joints(q)?;
    Ok(match of {
        Of::Torque => pose.moving(qd)?.torque(qdd)?,
        Of::Bias => pose.moving(qd)?.torque(&vec![S::zero(); n])?,
        Of::Acceleration => pose.moving(qd)?.acceleration(tau)?,
        Of::Coriolis => pose.moving(qd)?.coriolis()?,
        Of::Mass => pose.mass_matrix(),
        Of::Gravity => pose.gravity_torque(),
        Of::TorqueDerivatives => {
            let arm = arm.map(Dual::<S, 1>::constant);
            let column = |row: usize, joint: usize| -> Result<Vec<S>, ChainError> {
                let mut all = rows.each_ref().map(|row| row.iter().map(|&x| Dual::constant(x)).collect::<Vec<_>>());
                all[row][joint].derivative = [S::one()];
                let torque = arm.torque([&all[0], &all[1], &all[2]], None)?;
                Ok(torque.iter().map(|torque| torque.derivative[0]).collect())
            };
            let matrix = |row: usize| -> Result<Vec<S>, ChainError> {
                let columns = (0..n).map(|joint| column(row, joint)).collect::<Result<Vec<_>, _>>()?;
                Ok((0..n * n).map(|k| columns[k % n][k / n]).collect())
            };
            [matrix(0)?, matrix(1)?, matrix(2)?].concat()
        }
        // As they are judged: times the mass matrix, at the accelerations of these torques.
        Of::AccelerationDerivatives => {
            let mut all = formula(arm, Of::TorqueDerivatives, rows)?;
            all.iter_mut().for_each(|x| *x = -*x);
            let unit = |k: usize| if k / n == k % n { S::one() } else { S::zero() };
            all.splice(2 * n * n.., (0..n * n).map(unit));
            all
        }
        Of::Jacobian => by_rows(&pose.jacobian()),
        Of::JacobianRate => {
            let along: Vec<_> = q.iter().zip(qd).map(|(&value, &rate)| Dual { value, derivative: [rate] }).collect();
            let lifted = arm.map(Dual::<S, 1>::constant);
            let rates = by_rows(&lifted.at_joints(&along)?.jacobian());
            rates.into_iter().map(|x| x.derivative[0]).collect()
        }
        Of::Fk => {
            let tool = pose.tool();
            tool.origin.0.into_iter().chain(tool.rotation.0.into_iter().flat_map(|row| row.0)).collect()
        }
        // Apart, or refused before.
        Of::TorqueParameterDerivatives | Of::AccelerationParameterDerivatives => Vec::new(),
        Of::Regressor | Of::TorqueCartesian | Of::Ik => Vec::new(),
    })
}

/// The components of the columns of a Jacobian, row by row.
fn by_rows<S: Scalar>(columns: &[Twist<S>]) -> Vec<S> {
    (0..6).flat_map(|k| columns.iter().map(move |column| column.components()[k])).collect()
}

/// Inputs and outputs of programs for these things.
pub(in crate::derive) fn quantities(arm: &Chain<f64>, all: &[Of]) -> (Vec<Quantity>, Vec<Quantity>) {
    let sliding = arm.links().iter().filter(|link| link.joint == Joint::Prismatic).count();
    let joints = Joints { count: arm.joints(), sliding, tool: 6 };
    let outputs = all.iter().flat_map(|&of| match of {
        Of::Fk => vec![
            Quantity::new("position", 3, "tool point, base frame", "m"),
            Quantity::matrix("rotation", 3, 3, "tool axes as columns, base frame", "1"),
        ],
        _ => joints.outputs(of),
    });
    (joints.inputs(all, vec![joints.positions()]), outputs.collect())
}

pub(in crate::derive) fn conventions(arm: &Chain<f64>) -> Vec<String> {
    let rows = match arm.parameters().whole.convention {
        DhConvention::Modified => "modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d)",
        DhConvention::Standard => "standard: Rz(theta) Tz(d) Tx(a) Rx(alpha)",
    };
    vec![
        "SI units and radians; torques at the joint side of the gear.".into(),
        format!("Denavit-Hartenberg rows, {rows}; q as in the robot file."),
    ]
}

/// A random state: torques are those of the accelerations.
pub(in crate::derive) fn rows(arm: &Chain<f64>, random: &mut Random) -> Rows<f64> {
    let links = arm.links();
    let q: Vec<f64> =
        links.iter().map(|link| random.signed() * if link.joint == Joint::Revolute { PI } else { 1.0 }).collect();
    // Now and then near standstill, where friction changes its sign.
    let slow = random.signed() > 0.5;
    let fast = |link: &Link<f64>| link.friction.filter(|_| slow).map_or(2.0, |own| 3.0 * own.smoothing_velocity);
    let qd: Vec<f64> = links.iter().map(|link| random.signed() * fast(link)).collect();
    let qdd: Vec<f64> = links.iter().map(|_| 5.0 * random.signed()).collect();
    let tau = torque(arm, [&q, &qd, &qdd]);
    [q, qd, qdd, tau]
}

/// Torques of a motion, which has as many joints as the arm.
pub(super) fn torque<S: Scalar>(arm: &Chain<S>, motion: [&[S]; 3]) -> Vec<S> {
    arm.torque(motion, None).unwrap_or_default()
}

/// Whether torques determine accelerations.
pub(super) fn solvable(arm: &Chain<f64>, [q, qd, _, tau]: &Rows<f64>) -> Result<(), ChainError> {
    arm.at_joints(q)?.moving(qd)?.try_acceleration(tau).map(|_| ())
}
