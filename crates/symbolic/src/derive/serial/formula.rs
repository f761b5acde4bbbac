//! The formulas of serial arms as they are written, with numbers of any kind; their inputs and outputs.

use crate::derive::Of;
use crate::derive::combined::{Elimination, solve};
use crate::derive::formulas::{self, RobotFormulas, Rows};
use crate::derive::parameters::Column;
use crate::derive::quantities::Joints;
use crate::extract::Random;
use crate::program::Quantity;
use dalembert_core::chain::{Chain, ChainError};
use dalembert_core::serial::{DhConvention, Joint, Link};
use dalembert_core::spatial::Twist;
use dalembert_core::{Dual, Scalar};
use std::f64::consts::PI;

/// The rows of n joints that inputs have; zero where they have none.
pub(in crate::derive) fn rows_of<S: Scalar>(all: &[Of], n: usize, inputs: &[S]) -> Rows<S> {
    formulas::rows(all, inputs, n, n)
}

/// The formulas of a chain of so many joints.
pub(super) struct ChainFormulas(pub usize);

impl RobotFormulas for ChainFormulas {
    type Robot<S: Scalar> = Chain<S>;

    fn count(&self) -> usize {
        self.0
    }

    fn plain<S: Scalar>(&self, arm: &Chain<S>, of: Of, rows: &Rows<S>) -> Vec<S> {
        self.formula(arm, of, rows).unwrap_or_default()
    }

    fn changing<S: Scalar>(&self, arm: &Chain<S>, column: Option<&Column>) -> Chain<Dual<S, 1>> {
        let Some(column) = column else { return arm.map(Dual::constant) };
        let mut changing = arm.parameters().map(Dual::<S, 1>::constant);
        column.seed(|visit| changing.visit(visit));
        arm.with_numbers(changing)
    }

    /// M q̈ = τ − h: the recursion divides more often.
    fn accelerations<S: Scalar>(&self, arm: &Chain<S>, rows: &Rows<S>) -> Vec<S> {
        let (mass, bias) = (self.plain(arm, Of::Mass, rows), self.plain(arm, Of::Bias, rows));
        let left: Vec<S> = rows[3].iter().zip(bias).map(|(&tau, bias)| tau - bias).collect();
        solve(&mass, &left, Elimination::FromLast)
    }
}

impl ChainFormulas {
    /// The formula itself, with numbers of any kind, as programs are judged by it.
    pub fn judged<S: Scalar>(&self, arm: &Chain<S>, of: Of, rows: &Rows<S>) -> Vec<S> {
        let n = self.0;
        let of_torque = |row: usize| self.of_torque(arm, rows, row);
        match of {
            Of::TorqueDerivatives => [of_torque(0), of_torque(1), of_torque(2)].concat(),
            // Times the mass matrix, at the accelerations of these torques.
            Of::AccelerationDerivatives => {
                let unit = (0..n * n).map(|k| if k / n == k % n { S::one() } else { S::zero() });
                [of_torque(0), of_torque(1)].concat().into_iter().map(|x| -x).chain(unit).collect()
            }
            _ => self.results(arm, of, rows, &[]),
        }
    }

    fn formula<S: Scalar>(&self, arm: &Chain<S>, of: Of, rows: &Rows<S>) -> Result<Vec<S>, ChainError> {
        let [q, qd, qdd, tau] = rows;
        let pose = arm.at_joints(q)?;
        Ok(match of {
            Of::Torque => pose.moving(qd)?.torque(qdd)?,
            Of::Bias => pose.moving(qd)?.torque(&vec![S::zero(); self.0])?,
            Of::Acceleration => pose.moving(qd)?.acceleration(tau)?,
            Of::Coriolis => pose.moving(qd)?.coriolis(),
            Of::Mass => pose.mass_matrix(),
            Of::Gravity => pose.gravity_torque(),
            Of::Jacobian => by_rows(&pose.jacobian()),
            Of::Fk => {
                let tool = pose.tool();
                tool.origin.0.into_iter().chain(tool.rotation.0.into_iter().flat_map(|row| row.0)).collect()
            }
            // What follows from these, or was refused before.
            _ => Vec::new(),
        })
    }
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
