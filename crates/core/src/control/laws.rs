//! The laws of the table in [`super`], each one line.

use super::{Gains, Impedance, JointModel, JointState};
use crate::algebra::{Vec3, sum};
use crate::scalar::Scalar;
use crate::serial::Wrench;

/// The name of a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Each joint for itself.
    Pd,
    /// With integral.
    Pid,
    /// With the wanted acceleration.
    PdAcceleration,
    /// With the torques that the model predicts for the wanted motion.
    Feedforward,
    /// The same, the regulator's output through the mass matrix.
    FeedforwardMass,
    /// With the torques that hold the robot where it is.
    GravityPd,
    /// The same with integral.
    GravityPid,
    /// The model at the measured state: decoupled and linear in the joints.
    ComputedTorque,
    /// The same in coordinates of the platform or tool.
    Cartesian,
    /// A spring and a damper at the tool.
    Impedance,
}

impl Law {
    /// All of them, from the simplest.
    pub const ALL: [Self; 10] = [
        Self::Pd,
        Self::Pid,
        Self::PdAcceleration,
        Self::Feedforward,
        Self::FeedforwardMass,
        Self::GravityPd,
        Self::GravityPid,
        Self::ComputedTorque,
        Self::Cartesian,
        Self::Impedance,
    ];

    /// As it is typed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pd => "pd",
            Self::Pid => "pid",
            Self::PdAcceleration => "pd+acc",
            Self::Feedforward => "feedforward",
            Self::FeedforwardMass => "feedforward+mass",
            Self::GravityPd => "gravity+pd",
            Self::GravityPid => "gravity+pid",
            Self::ComputedTorque => "computed-torque",
            Self::Cartesian => "cartesian",
            Self::Impedance => "impedance",
        }
    }

    /// The law with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|law| law.as_str() == name)
    }

    /// Whether it integrates the error.
    pub fn integrates(self) -> bool {
        matches!(self, Self::Pid | Self::GravityPid)
    }

    /// Whether it asks the model about the wanted motion, so that a look ahead makes sense.
    pub fn looks_ahead(self) -> bool {
        matches!(self, Self::Feedforward | Self::FeedforwardMass)
    }

    /// The fewest joints that it can control: as many as a point has coordinates where it steers one.
    pub fn least_joints(self) -> usize {
        if self == Self::Cartesian { 3 } else { 1 }
    }
}

/// What the robot should do at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference<S, const N: usize> {
    /// Joints.
    pub q: [S; N],
    /// Their velocities.
    pub qd: [S; N],
    /// Their accelerations.
    pub qdd: [S; N],
    /// Position, velocity and acceleration of the platform or tool. The Cartesian laws and the feed-forward of a Delta read
    /// those of the platform; a tool's frame has more to say, which they ask the arm's kinematics for.
    pub point: [Vec3<S>; 3],
}

/// What a law sees at a sample.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a, S, const N: usize> {
    /// Measured joints.
    pub q: [S; N],
    /// Measured joint velocities.
    pub qd: [S; N],
    /// ė, the difference of wanted and measured velocity *measured in the same way*: a difference quotient lags by half
    /// a sample, and so must what it is compared with.
    pub rate: [S; N],
    /// ∫e.
    pub integral: [S; N],
    /// What is wanted now.
    pub wanted: &'a Reference<S, N>,
    /// What will be wanted T_m from now.
    pub ahead: &'a Reference<S, N>,
    /// Î, one constant per joint.
    pub inertia: [S; N],
    /// Of the regulator.
    pub gains: Gains<S>,
    /// Of the law `impedance`.
    pub impedance: Impedance<S>,
}

impl Law {
    /// Motor torques; not yet limited.
    #[inline(always)]
    pub fn torque<S: Scalar, const N: usize, M: JointModel<S, N>>(
        self,
        now: &Situation<'_, S, N>,
        model: &M,
    ) -> [S; N] {
        let Situation { q, qd, wanted, ahead, inertia, .. } = *now;
        let gains = if self.integrates() { now.gains } else { now.gains.without_integral() };
        let u: [S; N] = core::array::from_fn(|i| {
            gains.acceleration(wanted.q[i] - q[i], now.rate[i], now.integral[i]) // (1)
        });
        let times_inertia = |x: [S; N]| -> [S; N] { core::array::from_fn(|i| inertia[i] * x[i]) };
        let friction = || model.friction(wanted.q, wanted.qd);
        let predicted = || model.predicted(ahead);
        // The model as measured, and what the tool lacks. Its velocity is compared as those of the joints are, so that a
        // lag of the measurement is no error.
        let tool = || {
            let state = model.at(q, core::array::from_fn(|i| wanted.qd[i] - now.rate[i]));
            (state.aim(wanted), state)
        };
        match self {
            Self::Pd | Self::Pid => times_inertia(u),
            Self::PdAcceleration => times_inertia(sum(wanted.qdd, u)),
            Self::Feedforward => sum(predicted(), times_inertia(u)),
            Self::FeedforwardMass => sum(predicted(), model.at(q, qd).inertia_times(u)),
            Self::GravityPd | Self::GravityPid => sum(model.at(q, qd).gravity(), times_inertia(u)),
            Self::ComputedTorque => sum(model.at(q, qd).torque(sum(wanted.qdd, u)), friction()),
            Self::Cartesian => {
                let (aim, state) = tool();
                let acceleration = [0, 1]
                    .map(|k| aim.acceleration[k] + aim.error[k] * gains.proportional + aim.rate[k] * gains.derivative);
                sum(state.torque(state.steer(acceleration, sum(wanted.qdd, u))), friction())
            }
            Self::Impedance => {
                let (aim, state) = tool();
                let Impedance { stiffness, damping, turning_stiffness, turning_damping, joint_damping } = now.impedance;
                let force = Vec3::from_fn(|i| stiffness[i] * aim.error[0][i] + damping[i] * aim.rate[0][i]);
                let moment = aim.error[1] * turning_stiffness + aim.rate[1] * turning_damping;
                let pressed = sum(state.press(Wrench { force, moment }), state.idle(times_inertia(u)));
                let damped = state.damp(now.rate.map(|rate| rate * joint_damping));
                sum(sum(sum(state.torque(state.follow(wanted)), pressed), damped), friction())
            }
        }
    }
}
