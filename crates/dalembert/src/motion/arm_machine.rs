//! Serial arms that are moved in their joints.

use super::State;
use super::machine::{Impossible, Load, Machine, PerJoint, per_joint, spared};
use crate::arm::{ArmVisitor, MOST_JOINTS, SerialArm};
use crate::delta::Limits;
use crate::describe::SerialRobot;
use crate::serial::Serial;
use dalembert_core::friction::Friction;

/// A serial arm with its limits, moved in its joints.
#[derive(Clone, Debug)]
pub struct ArmMachine<'a, const N: usize> {
    arm: &'a Serial<f64, N>,
    limits: [Limits; N],
}

impl<'a, const N: usize> ArmMachine<'a, N> {
    /// An arm with the limits of its file; joints beyond those are not limited.
    pub fn new(arm: &'a Serial<f64, N>, robot: &SerialRobot) -> Self {
        let given = robot.motion_limits();
        Self { arm, limits: std::array::from_fn(|i| given.get(i).copied().unwrap_or(Limits::NONE)) }
    }
}

impl<const N: usize> ArmMachine<'_, N> {
    /// The same with only a part of its limits of torque and speed.
    #[must_use]
    pub fn spared(self, share: f64) -> Self {
        Self { limits: self.limits.map(|own| spared(own, share)), ..self }
    }
}

impl<const N: usize> Machine for ArmMachine<'_, N> {
    type Point = [f64; N];
    fn limits(&self) -> &[Limits] {
        &self.limits
    }
    fn load(&self, state: &State<[f64; N]>) -> Result<Load, Impossible> {
        let moving = self.arm.at_joints(state.position)?.try_moving(state.velocity)?;
        Ok(Load {
            q: per_joint(&state.position),
            qd: per_joint(&state.velocity),
            qdd: per_joint(&state.acceleration),
            torque: per_joint(&moving.try_torque(state.acceleration)?),
            friction: per_joint(&moving.friction()),
            ball: [0.0; MOST_JOINTS],
        })
    }
    fn friction(&self, joint: usize) -> Option<Friction<f64>> {
        self.arm.links().get(joint)?.friction
    }
}

/// The same, whatever its number of joints.
#[derive(Clone, Debug)]
pub struct JointsMachine {
    arm: SerialArm,
    limits: Vec<Limits>,
}

impl JointsMachine {
    /// An arm with the limits of its file.
    pub fn new(robot: &SerialRobot) -> Self {
        Self { arm: robot.arm.clone(), limits: robot.motion_limits() }
    }
}

/// The load of an arm without limits in a state.
struct LoadOf<'s>(&'s State<PerJoint>);

impl ArmVisitor for LoadOf<'_> {
    type Output = Result<Load, Impossible>;
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
        let first = |all: &PerJoint| -> [f64; N] { std::array::from_fn(|i| all[i]) };
        let State { position, velocity, acceleration } = self.0;
        let state = State { position: first(position), velocity: first(velocity), acceleration: first(acceleration) };
        ArmMachine { arm, limits: [Limits::NONE; N] }.load(&state)
    }
}

impl Machine for JointsMachine {
    type Point = PerJoint;
    fn limits(&self) -> &[Limits] {
        &self.limits
    }
    fn load(&self, state: &State<PerJoint>) -> Result<Load, Impossible> {
        self.arm.visit(LoadOf(state))
    }
    fn friction(&self, joint: usize) -> Option<Friction<f64>> {
        self.arm.links().get(joint)?.friction
    }
}
