//! Parallel robots in mechanisms.

use super::{ParallelRobot, moving};
use crate::mechanism::{BodyPoint, Mechanism, MechanismResult, ParallelPart, PartId, add_parallel};
use crate::robot::orientation::quaternion_near;
use crate::robot::{Form, JointState, JointVector, MountedRobot, Pick, State, ToolState};
use crate::spatial::{Frame, Twist};
use crate::{Mat3, Vec3};

/// A parallel robot inside a mechanism: its joints and its platform are the coordinates of one part.
struct PlacedLegs<const N: usize> {
    robot: ParallelRobot<N>,
    model: ParallelPart<N>,
    part: PartId,
    base: Frame<f64>,
}

impl<const N: usize> ParallelRobot<N> {
    pub(super) fn part(
        &self,
        mechanism: &mut Mechanism,
        name: &str,
        base: Frame<f64>,
    ) -> MechanismResult<Box<dyn MountedRobot>> {
        let part = add_parallel(mechanism, name, &self.robot, base)?;
        Ok(Box::new(PlacedLegs { robot: self.clone(), model: ParallelPart::new(&self.robot, base), part, base }))
    }
}

impl<const N: usize> MountedRobot for PlacedLegs<N> {
    /// In the frame of a platform that turns; else along the axes of the mechanism.
    fn place(&self, offset: [f64; 3]) -> BodyPoint {
        let straight = N > 3 || self.base.rotation == Mat3::diagonal(1.0);
        self.part.at(if straight { offset } else { (self.base.rotation.transpose() * Vec3(offset)).0 })
    }

    fn joint(&self, joint: usize) -> Option<(PartId, usize)> {
        (joint < N).then_some((self.part, joint))
    }

    fn coordinates(&self, state: &State) -> [Vec<f64>; 2] {
        let moving = moving(&self.robot.robot, state);
        let (tool, twist) = (moving.pose.tool, moving.velocity.twist);
        let mut q = [&state.joints.q[..], &tool.origin.0].concat();
        let mut v = [&moving.joint_velocity()[..], &twist.linear.0].concat();
        if N > 3 {
            q.extend(quaternion_near(tool.rotation, None));
            v.extend((tool.rotation.transpose() * twist.angular).0);
        }
        [q, v]
    }

    fn state(&self, mechanism: &Mechanism, q: &[f64], v: &[f64]) -> MechanismResult<State> {
        let (at, rate) = mechanism.ranges(self.part)?;
        let (q, v) = (&q[at], &v[rate]);
        let pose: Frame<f64> = self.model.platform(q);
        let three = |from: usize| Vec3::from_fn(|i| v[from + i]);
        let angular = if N > 3 { pose.rotation * three(N + 3) } else { Vec3::zero() };
        let velocity = Twist { linear: three(N), angular };
        let joints =
            JointState { q: JointVector::new(&q[..N]), qd: JointVector::new(&v[..N]), qdd: JointVector::zero(N) };
        let tool = ToolState { pose, velocity, acceleration: Twist::zero(), turn: 0.0 };
        Ok(State::new(Form::Joints, Pick::default(), joints, tool))
    }

    fn multipliers(&self) -> Vec<(String, &'static str, String)> {
        let force = |leg: usize| {
            let meaning = format!("force with which the rod or strut of leg {leg} pushes its ends apart");
            (format!("leg{leg}.f"), "N", meaning)
        };
        (1..=N).map(force).collect()
    }
}
