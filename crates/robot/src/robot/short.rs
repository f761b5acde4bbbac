//! Short paths for common wishes: all of them follow from what a [`Family`](super::Family) is.

use super::linear_model::{Coordinates, LinearizeError, Output};
use super::orientation::attitude;
use super::{Form, JointMatrix, JointVector, Robot, State, StateError, ToolState, ToolTurns};
use crate::spatial::Wrench;
use crate::symbolic::Effort;
use crate::symbolic::derive::{DeriveError, Of, Request};
use crate::symbolic::print::{self, Precision};
use crate::{Mat3, Vec3};

/// Derivatives of the motor torques.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TorqueDerivatives {
    /// By the joints.
    pub dq: JointMatrix,
    /// By their velocities.
    pub dqd: JointMatrix,
    /// By their accelerations: the mass matrix.
    pub dqdd: JointMatrix,
}

/// The energy of a moving robot.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Energy {
    /// J.
    pub kinetic: f64,
    /// J, from the base frame's origin; none where the family's own equations do not tell it.
    pub potential: Option<f64>,
}

/// The orientation of a platform that its legs turn, and its angular velocity: name, unit and meaning, as tables have them.
pub const TURN_COLUMNS: [(&str, &str, &str); 6] = [
    ("roll", "rad", "roll of R = Rz(yaw) Ry(pitch) Rx(roll)"),
    ("pitch", "rad", "pitch"),
    ("yaw", "rad", "yaw"),
    ("wx", "rad/s", "angular velocity, x"),
    ("wy", "rad/s", "angular velocity, y"),
    ("wz", "rad/s", "angular velocity, z"),
];

/// The numbers of [`TURN_COLUMNS`], in a frame in which the robot's base is turned.
pub fn turn_row(base: Mat3<f64>, tool: &ToolState) -> [f64; 6] {
    let [roll, pitch, yaw] = attitude(base.product(tool.pose.rotation));
    let [x, y, z] = (base * tool.velocity.angular).0;
    [roll, pitch, yaw, x, y, z]
}

impl Robot {
    /// Whether its legs turn its platform, which has columns of [`TURN_COLUMNS`].
    pub fn turns_by_legs(&self) -> bool {
        let kind = self.kind();
        kind.tool_turns == ToolTurns::Freely && kind.form == Form::Tool
    }

    /// The Jacobian of the tool, a row of six numbers per joint: what its rate adds to the tool's velocity (m/s, base frame)
    /// and angular velocity (rad/s).
    pub fn jacobian(&self, state: &State) -> Result<Vec<[f64; 6]>, StateError> {
        let exact = self.exact_in(state)?;
        let unit = |k: usize, first: usize| Vec3::from_fn(|i| f64::from(u8::from(first + i == k)));
        let rows: [JointVector; 6] =
            std::array::from_fn(|k| exact.torque_of_wrench(state, Wrench { force: unit(k, 0), moment: unit(k, 3) }));
        Ok((0..rows[0].len()).map(|joint| std::array::from_fn(|k| rows[k][joint])).collect())
    }

    /// The energy of a state.
    pub fn energy(&self, state: &State) -> Result<Energy, StateError> {
        let exact = self.exact_in(state)?;
        let (mass, qd) = (exact.mass_matrix(state), &state.joints.qd);
        let row = |row: &JointVector| row.iter().zip(&qd[..]).map(|(a, b)| a * b).sum::<f64>();
        let kinetic = 0.5 * mass.iter().zip(&qd[..]).map(|(line, speed)| speed * row(line)).sum::<f64>();
        let potential = match self.family().equations_of_motion(state)? {
            Some((mut system, at)) => system.energies(0.0, &at).ok().map(|energies| energies.potential),
            None => None,
        };
        Ok(Energy { kinetic, potential })
    }

    /// All states with this tool on the solutions of the inverse kinematics that have names.
    pub fn solutions(&self, tool: &ToolState) -> Vec<State> {
        self.description().solutions.iter().filter_map(|pick| self.at_tool(tool, pick).ok()).collect()
    }

    /// The derivatives of the torques of a state by its joints, their velocities and accelerations, exact.
    pub fn torque_derivatives(&self, state: &State) -> Result<TorqueDerivatives, LinearizeError> {
        let exact = self.exact_in(state)?;
        let torque = exact.torque(state, Wrench::zero());
        let model = self.linearize(state, &torque, Wrench::zero(), Coordinates::Joint, &[Output::Joints])?;
        let (a, dqdd) = (model.system.a, exact.mass_matrix(state));
        let n = dqdd.len();
        // τ(q, q̇, q̈(q, q̇, τ)) = τ, so that ∂τ/∂q = −M ∂q̈/∂q.
        let block = |from: usize| {
            let entry = |i: usize, j: usize| -(0..n).map(|k| dqdd[i][k] * a[(n + k, from + j)]).sum::<f64>();
            let entries: Vec<f64> = (0..n * n).map(|at| entry(at / n, at % n)).collect();
            JointMatrix::of_rows(n, &entries)
        };
        Ok(TorqueDerivatives { dq: block(0), dqd: block(n), dqdd })
    }

    /// A quantity of this robot as a program in C, derived without a search.
    pub fn c_source(&self, of: Of) -> Result<String, DeriveError> {
        let request = Request { effort: Effort::QUICK, ..Request::new(&self.name, of) };
        let program = self.derive(&request, &mut |_| {})?.program;
        let stem = print::identifier(&self.name);
        Ok(print::c::print(&[program], &stem, Precision::Double).joined())
    }
}
