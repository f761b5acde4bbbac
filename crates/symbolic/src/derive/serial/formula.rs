//! The formulas of serial arms as they are written, with numbers of any kind; their inputs and outputs.

use crate::derive::Of;
use crate::derive::formulas::{self, Formulas, RobotFormulas, Rows};
use crate::derive::quantities::Joints;
use crate::extract::Random;
use crate::program::{Program, Quantity};
use crate::recorded::{self, FormulaTape, RecordedScalar};
use dalembert_core::Scalar;
use dalembert_core::chain::{Chain, ChainError};
use dalembert_core::parameter::Visit;
use dalembert_core::serial::{DhConvention, Joint, Link};
use dalembert_core::spatial::Twist;
use std::f64::consts::PI;

/// The rows of n joints that inputs have; zero where they have none.
pub(in crate::derive) fn rows_of<S: Scalar>(all: &[Of], n: usize, inputs: &[S]) -> Rows<S> {
    formulas::rows(all, inputs, n, n)
}

/// The formulas of a chain, whose numbers may be others.
pub(super) struct ChainFormulas<'a>(pub &'a Chain<f64>);

/// The numbers of a chain.
pub(super) fn numbers_of<S: Scalar>(arm: &Chain<S>) -> Vec<S> {
    recorded::numbers(|visit| arm.parameters().clone().visit(visit))
}

impl RobotFormulas for ChainFormulas<'_> {
    fn count(&self) -> usize {
        self.0.joints()
    }

    fn visit(&self, visit: &mut Visit<'_, f64>) {
        self.0.parameters().clone().visit(visit);
    }

    fn record(&self, of: Of) -> Program {
        let (n, tape) = (self.count(), FormulaTape::default());
        let mut parameters = self.0.parameters().map(RecordedScalar::from_f64);
        tape.parameters(|visit| parameters.visit(visit));
        let arm = self.0.with_numbers(parameters);
        let rows = rows_of(&[Of::Torque, Of::Acceleration], n, &tape.inputs(4 * n));
        tape.program(&formula(&arm, of, &rows).unwrap_or_default())
    }

    fn solves_mass_matrix(&self) -> bool {
        true
    }
}

impl Formulas<'_> {
    /// The formula itself, with numbers of any kind, as programs of arms are judged by it.
    pub(super) fn judged<S: Scalar>(&self, arm: &[S], of: Of, rows: &Rows<S>) -> Vec<S> {
        let n = rows[0].len();
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
}

fn formula<S: Scalar>(arm: &Chain<S>, of: Of, [q, qd, qdd, tau]: &Rows<S>) -> Result<Vec<S>, ChainError> {
    let pose = arm.at_joints(q)?;
    Ok(match of {
        Of::Torque => pose.moving(qd)?.torque(qdd)?,
        Of::Bias => pose.moving(qd)?.torque(&vec![S::zero(); q.len()])?,
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
pub(super) fn torque(arm: &Chain<f64>, motion: [&[f64]; 3]) -> Vec<f64> {
    arm.torque(motion, None).unwrap_or_default()
}

/// Whether torques determine accelerations.
pub(super) fn solvable(arm: &Chain<f64>, [q, qd, _, tau]: &Rows<f64>) -> Result<(), ChainError> {
    arm.at_joints(q)?.moving(qd)?.try_acceleration(tau).map(|_| ())
}
