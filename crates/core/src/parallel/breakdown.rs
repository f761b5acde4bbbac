//! Torques by body and by term. They are linear in what the bodies weigh (Codourey 1998, (19)–(23): a sum over bodies), so that
//! the share of one body is the torque of the robot in which nothing else has mass.

use super::{Chain, Moving, Parallel, ParallelParameters, SlenderBody};
use crate::algebra::difference;
use crate::array::map;
use crate::scalar::Scalar;
use crate::serial::Body;
use crate::spatial::{Twist, Wrench};

/// The bodies of a robot, those of all legs together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParallelBody {
    /// The motors' rotors and gears.
    Rotors,
    /// Arms, carriages or cylinders.
    Driven,
    /// Rods or pistons.
    Rods,
    /// The platform.
    Platform,
    /// What it carries.
    Payload,
}

impl ParallelBody {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Rotors, Self::Driven, Self::Rods, Self::Platform, Self::Payload];

    /// In columns: `driven`.
    pub fn as_str(self) -> &'static str {
        ["rotors", "driven", "rods", "platform", "payload"][self as usize]
    }
}

/// Torques by term, and by body; friction and wrench belong to none.
#[derive(Clone, Copy, Debug)]
pub struct ParallelBreakdown<S, const N: usize> {
    /// Of the accelerations.
    pub inertia: [S; N],
    /// Of the velocities.
    pub coriolis: [S; N],
    /// Of weight.
    pub gravity: [S; N],
    /// Of friction.
    pub friction: [S; N],
    /// Against the wrench.
    pub wrench: [S; N],
    /// Of each of [`ParallelBody::ALL`]: inertia, Coriolis and gravity together.
    pub bodies: [[S; N]; 5],
}

impl<S: Scalar, const N: usize> ParallelParameters<S, N> {
    /// The robot in which only one kind of body has mass, or none.
    pub fn only(mut self, body: Option<ParallelBody>) -> Self {
        let (none, keeps) = (S::zero(), |kind| body == Some(kind));
        let bar = SlenderBody { mass: none, center_of_mass: none, inertia: none };
        for leg in &mut self.legs {
            if !keeps(ParallelBody::Rotors) {
                leg.motor.rotor_inertia = none;
            }
            if !keeps(ParallelBody::Driven) {
                match &mut leg.chain {
                    Chain::Rotary { arm, .. } => *arm = bar,
                    Chain::Slider { carriage, .. } => *carriage = none,
                    Chain::Strut { cylinder, .. } => *cylinder = bar,
                }
            }
            if !keeps(ParallelBody::Rods) {
                match &mut leg.chain {
                    Chain::Rotary { rod, .. } | Chain::Slider { rod, .. } => (rod.mass, rod.inertia) = (none, none),
                    Chain::Strut { piston, .. } => *piston = bar,
                }
            }
        }
        for (kind, body) in [(ParallelBody::Platform, &mut self.platform), (ParallelBody::Payload, &mut self.payload)] {
            if !keeps(kind) {
                *body = Body::zero();
            }
        }
        self
    }
}

impl<S: Scalar, const N: usize> Moving<'_, S, N> {
    /// The same motion of a robot with the same geometry.
    fn of<'a>(&self, robot: &'a Parallel<S, N>) -> Moving<'a, S, N> {
        let pose = super::Pose { robot, tool: self.pose.tool, legs: self.pose.legs };
        Moving { pose, velocity: self.velocity }
    }

    /// Torques for an acceleration of the platform under a wrench, in parts.
    pub fn breakdown(&self, acceleration: Twist<S>, wrench: Wrench<S>) -> ParallelBreakdown<S, N> {
        let factors = self.pose.factors();
        let total = self.rigid_torque(&factors, acceleration, Wrench::zero());
        let unaccelerated = self.rigid_torque(&factors, Twist::zero(), Wrench::zero());
        let gravity = self.pose.gravity_torque(&factors);
        let bodies = map(ParallelBody::ALL, |body| {
            let robot = Parallel::new(self.pose.robot.parameters().only(Some(body)));
            self.of(&robot).rigid_torque(&factors, acceleration, Wrench::zero())
        });
        ParallelBreakdown {
            inertia: difference(total, unaccelerated),
            coriolis: difference(unaccelerated, gravity),
            gravity,
            friction: self.friction_torque(),
            wrench: map(self.pose.torque_of_wrench(&factors, wrench), |x| -x),
            bodies,
        }
    }
}
