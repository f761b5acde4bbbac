//! Serial arms that move freely, and in mechanisms.

use super::{SerialArm, array};
use crate::Vec3;
use crate::chain::ChainMoving;
use crate::mechanism::{Mechanism, MechanismError, PartId, Place, add_arm};
use crate::robot::{
    EquationsOfMotion, Form, JointState, JointVector, MountedRobot, Pick, State, StateError, ToolState,
};
use crate::serial::{Moving, Serial};
use crate::simulate::{ExplicitChain, SimulationError};
use crate::spatial::{Frame, Twist};

/// An arm that moves with accelerations that do not matter.
fn state_of<const N: usize>(moving: &Moving<'_, f64, N>) -> State {
    let (pose, velocity, acceleration) = moving.tool_motion([0.0; N]);
    State {
        given: Form::Joints,
        pick: Pick::default(),
        joints: JointState { q: moving.pose.q.into(), qd: moving.qd.into(), qdd: JointVector::zero(N) },
        tool: ToolState { pose, velocity, acceleration, turn: 0.0 },
    }
}

/// The same of a chain.
fn state_of_chain(moving: &ChainMoving<'_, f64>) -> State {
    let still = JointVector::zero(moving.qd.len());
    let none = Twist { linear: Vec3([f64::NAN; 3]), angular: Vec3([f64::NAN; 3]) };
    let motion = moving.tool_motion(&still);
    let (pose, velocity, acceleration) = motion.unwrap_or((Frame::at(none.linear), none, none));
    let [q, qd] = [moving.pose.q, moving.qd].map(JointVector::new);
    State {
        given: Form::Joints,
        pick: Pick::default(),
        joints: JointState { q, qd, qdd: still },
        tool: ToolState { pose, velocity, acceleration, turn: 0.0 },
    }
}

impl<const N: usize> SerialArm<N> {
    pub(super) fn explicit(&self, start: &State) -> Result<(Box<dyn EquationsOfMotion>, Vec<f64>), StateError> {
        let state = [&start.joints.q[..], &start.joints.qd[..]].concat();
        Ok((Box::new(ExplicitChain::new(&self.arm, vec![0.0; N])), state))
    }

    pub(super) fn part(
        &self,
        mechanism: &mut Mechanism,
        name: &str,
        base: Frame<f64>,
    ) -> Result<Box<dyn MountedRobot>, MechanismError> {
        let part = add_arm(mechanism, name, &self.arm, base)?;
        Ok(Box::new(PlacedArm { arm: self.arm, part }))
    }
}

impl EquationsOfMotion for ExplicitChain {
    fn robot_state(&self, time: f64, state: &[f64]) -> Result<State, SimulationError> {
        Ok(state_of_chain(&self.moving(time, state)?))
    }
}

/// A serial arm inside a mechanism: its joints are the coordinates of one part.
struct PlacedArm<const N: usize> {
    arm: Serial<f64, N>,
    part: PartId,
}

impl<const N: usize> MountedRobot for PlacedArm<N> {
    /// In the frame of the tool.
    fn place(&self, offset: [f64; 3]) -> Place {
        self.part.at(offset)
    }

    fn joint(&self, joint: usize) -> Option<(PartId, usize)> {
        (joint < N).then_some((self.part, joint))
    }

    fn coordinates(&self, state: &State) -> [Vec<f64>; 2] {
        [state.joints.q.to_vec(), state.joints.qd.to_vec()]
    }

    fn state(&self, mechanism: &Mechanism, q: &[f64], v: &[f64]) -> Result<State, MechanismError> {
        let (at, rate) = mechanism.ranges(self.part)?;
        let [q, qd] = [&q[at], &v[rate]].map(|values| array(&JointVector::new(values)));
        Ok(state_of(&self.arm.pose_unchecked(q).moving(qd)))
    }
}
