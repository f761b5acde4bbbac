//! Deltas that move freely, and in mechanisms.

use super::{DeltaRobot, elbows, moving, pose};
use crate::algebra::sum;
use crate::delta::Assembly;
use crate::mechanism::{BodyPoint, DeltaMotion, DeltaParts, Mechanism, MechanismResult, PartId, add_delta_at};
use crate::robot::own::padded;
use crate::robot::{
    EquationsOfMotion, Family, Form, FreeSwing, JointState, JointVector, MountedRobot, Pick, Reason, State, StateError,
    Target, ToolState,
};
use crate::simulate::{ExplicitDelta, SimulationError, Variables};
use crate::spatial::Frame;
use crate::{Mat3, Vec3};

/// Free swings begin beside 45° on all arms …
const HOME: f64 = std::f64::consts::FRAC_PI_4;
/// … by so much, rad.
const DISPLACEMENT: [f64; 3] = [0.1, -0.05, 0.03];

/// The state at a position of the tool point that was computed from joints, or the other way round.
fn state_of([q, qd]: [[f64; 3]; 2], position: Vec3<f64>, velocity: Vec3<f64>) -> State {
    let joints = JointState { q: q.into(), qd: qd.into(), qdd: JointVector::zero(3) };
    State::new(Form::Tool, Pick::default(), joints, ToolState::translating(position, velocity, Vec3::zero()))
}

impl DeltaRobot {
    /// With all elbows on one branch, which is what its equations follow.
    pub(super) fn start_at(&self, target: &Target) -> Result<State, StateError> {
        let joints = match target {
            Target::Tool(tool) => return self.at_tool(tool, &Pick::default()),
            Target::Joints(joints) => joints,
        };
        let state = self.at_joints(joints, &Pick::default())?;
        let branches @ [first, ..] = pose(&self.delta, &state).branches();
        if branches.iter().any(|&branch| branch != first) {
            let text = "some elbows point out and some in, which no simulation here follows";
            return Err(StateError::new(Reason::NotOffered, text));
        }
        self.at_tool(&state.tool, &Pick { elbows: Some(first), ..Pick::default() })
    }

    /// Held at 45° on all arms where the robot can do that, else in the middle of its workspace; it begins beside that.
    pub(super) fn swing(&self) -> Result<FreeSwing, StateError> {
        let home = match self.delta.at_joints([HOME; 3], Assembly::Below) {
            Ok(pose) => pose.joints(),
            Err(_) => padded(&self.home()?.joints.q),
        };
        let at = |q: [f64; 3]| self.start_at(&Target::Joints(JointState::at_rest(q)));
        Ok(FreeSwing { held: Some(at(home)?), start: at(sum(home, DISPLACEMENT))? })
    }

    pub(super) fn explicit(&self, start: &State) -> Result<(Box<dyn EquationsOfMotion>, Vec<f64>), StateError> {
        let system = ExplicitDelta::new(&self.delta, elbows(&start.pick), Variables::Velocity, [0.0; 3]);
        let state = system.state(self.delta.platform_of(start.tool.pose.origin), start.tool.velocity.linear)?;
        Ok((Box::new(system), state.to_vec()))
    }

    pub(super) fn parts(
        &self,
        mechanism: &mut Mechanism,
        name: &str,
        base: Frame<f64>,
    ) -> MechanismResult<Box<dyn MountedRobot>> {
        let parts = add_delta_at(mechanism, name, &self.delta, base)?;
        Ok(Box::new(PlacedDelta { robot: self.clone(), parts, base }))
    }
}

impl EquationsOfMotion for ExplicitDelta {
    fn robot_state(&self, time: f64, state: &[f64]) -> Result<State, SimulationError> {
        let moving = self.moving(time, state)?;
        Ok(state_of([moving.pose.joints(), moving.joint_velocity()], moving.pose.tool(), moving.velocity))
    }
}

/// A Delta inside a mechanism.
struct PlacedDelta {
    robot: DeltaRobot,
    parts: DeltaParts,
    base: Frame<f64>,
}

impl MountedRobot for PlacedDelta {
    /// From the platform's centre, along the axes of the mechanism: the platform does not turn.
    fn place(&self, offset: [f64; 3]) -> BodyPoint {
        let straight = self.base.rotation == Mat3::diagonal(1.0);
        let own = if straight { offset } else { (self.base.rotation.transpose() * Vec3(offset)).0 };
        self.parts.arms[0].at(own)
    }

    fn joint(&self, joint: usize) -> Option<(PartId, usize)> {
        self.parts.arms.get(joint).map(|&arm| (arm, 0))
    }

    fn coordinates(&self, state: &State) -> [Vec<f64>; 2] {
        let moving = moving(&self.robot.delta, state);
        [self.parts.coordinates(&moving.pose).to_vec(), self.parts.velocities(&moving).to_vec()]
    }

    fn state(&self, mechanism: &Mechanism, q: &[f64], v: &[f64]) -> MechanismResult<State> {
        let DeltaMotion { joints, platform: [position, velocity] } = self.parts.motion(mechanism, q, v)?;
        Ok(state_of(joints, position + self.robot.delta.parameters().tool, velocity))
    }

    fn multipliers(&self) -> Vec<(String, &'static str, String)> {
        let force = |other: usize, axis| {
            let meaning = format!("force that joins tip {other} to tip 1, on tip 1, {axis}");
            (format!("tips1{other}.f{axis}"), "N", meaning)
        };
        [2, 3].into_iter().flat_map(|other| ["x", "y", "z"].map(|axis| force(other, axis))).collect()
    }
}
