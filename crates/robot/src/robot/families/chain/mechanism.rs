//! Chains that move freely, and in mechanisms.

use super::NO_TWIST;
use crate::chain::{Chain, ChainMoving};
use crate::mechanism::{BodyPoint, Mechanism, MechanismError, PartId};
use crate::robot::{EquationsOfMotion, Form, JointState, JointVector, MountedRobot, Pick, State, ToolState};
use crate::simulate::{ExplicitChain, SimulationError};
use crate::spatial::Frame;

/// A chain that moves with accelerations that do not matter.
fn state_of(moving: &ChainMoving<'_, f64>) -> State {
    let qdd = JointVector::zero(moving.qd.len());
    let motion = moving.tool_motion(&qdd); // fits
    let (pose, velocity, acceleration) = motion.unwrap_or((Frame::at(NO_TWIST.linear), NO_TWIST, NO_TWIST));
    let [q, qd] = [moving.pose.q, moving.qd].map(JointVector::new);
    let tool = ToolState { pose, velocity, acceleration, turn: 0.0 };
    State::new(Form::Joints, Pick::default(), JointState { q, qd, qdd }, tool)
}

impl EquationsOfMotion for ExplicitChain {
    fn robot_state(&self, time: f64, state: &[f64]) -> Result<State, SimulationError> {
        Ok(state_of(&self.moving(time, state)?))
    }
}

/// A chain inside a mechanism: its joints are the coordinates of one part.
pub(super) struct MountedChain {
    pub chain: Chain<f64>,
    pub part: PartId,
}

impl MountedRobot for MountedChain {
    /// In the frame of the tool.
    fn place(&self, offset: [f64; 3]) -> BodyPoint {
        self.part.at(offset)
    }

    fn joint(&self, joint: usize) -> Option<(PartId, usize)> {
        (joint < self.chain.joints()).then_some((self.part, joint))
    }

    fn coordinates(&self, state: &State) -> [Vec<f64>; 2] {
        [state.joints.q.to_vec(), state.joints.qd.to_vec()]
    }

    fn state(&self, mechanism: &Mechanism, q: &[f64], v: &[f64]) -> Result<State, MechanismError> {
        let (at, rate) = mechanism.ranges(self.part)?;
        let (q, qd) = (&q[at], &v[rate]);
        let moving = self.chain.at_joints(q).and_then(|pose| pose.moving(qd));
        let must = "as many as the robot has joints";
        let wrong = |_| MechanismError::BadValue { what: "coordinates", value: q.len() as f64, must };
        Ok(state_of(&moving.map_err(wrong)?))
    }
}
