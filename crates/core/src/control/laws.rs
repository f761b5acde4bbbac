//! The laws of the table in [`super`], each one line.

use super::{Gains, Impedance, JointModel, JointState};
use crate::algebra::Vec3;
use crate::scalar::Scalar;

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
    /// The same in platform coordinates.
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

    /// Whether a serial arm can be controlled so: not where the tool's acceleration does not determine the joints'.
    pub fn is_for_serial_arms(self) -> bool {
        !matches!(self, Self::Cartesian | Self::Impedance)
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
    /// Position, velocity and acceleration of the platform or tool; only the Cartesian laws read them.
    pub point: [Vec3<S>; 3],
}

/// What a law sees at a sample.
#[derive(Clone, Copy, Debug)]
pub struct Situation<S, const N: usize> {
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
    pub wanted: Reference<S, N>,
    /// What will be wanted T_m from now.
    pub ahead: Reference<S, N>,
    /// Î, one constant per joint.
    pub inertia: [S; N],
    /// Of the regulator.
    pub gains: Gains<S>,
    /// Of the law `impedance`.
    pub impedance: Impedance<S>,
}

#[inline(always)]
fn sum<S: Scalar, const N: usize>(a: [S; N], b: [S; N]) -> [S; N] {
    core::array::from_fn(|i| a[i] + b[i])
}

impl Law {
    /// Motor torques; not yet limited.
    #[inline(always)]
    pub fn torque<S: Scalar, const N: usize, M: JointModel<S, N>>(self, now: &Situation<S, N>, model: &M) -> [S; N] {
        let Situation { q, qd, wanted, ahead, inertia, .. } = *now;
        let gains = if self.integrates() { now.gains } else { now.gains.without_integral() };
        let u: [S; N] = core::array::from_fn(|i| {
            gains.acceleration(wanted.q[i] - q[i], now.rate[i], now.integral[i]) // (1)
        });
        let times_inertia = |x: [S; N]| -> [S; N] { core::array::from_fn(|i| inertia[i] * x[i]) };
        let friction = || model.friction(wanted.q, wanted.qd);
        let predicted = || {
            let state = model.at(ahead.q, ahead.qd);
            sum(state.torque(ahead.qdd), state.friction())
        };
        // The controlled point's error, its rate, and the model at the measured state.
        let point = || {
            let state = model.at(q, qd);
            let [position, velocity] = state.point();
            (wanted.point[0] - position, wanted.point[1] - velocity, state)
        };
        match self {
            Self::Pd | Self::Pid => times_inertia(u),
            Self::PdAcceleration => times_inertia(sum(wanted.qdd, u)),
            Self::Feedforward => sum(predicted(), times_inertia(u)),
            Self::FeedforwardMass => sum(predicted(), model.at(q, qd).inertia_times(u)),
            Self::GravityPd | Self::GravityPid => sum(model.at(q, qd).gravity(), times_inertia(u)),
            Self::ComputedTorque => sum(model.at(q, qd).torque(sum(wanted.qdd, u)), friction()),
            Self::Cartesian => {
                let (error, rate, state) = point();
                let acceleration = wanted.point[2] + error * gains.proportional + rate * gains.derivative;
                let qdd = state.joint_acceleration(acceleration).unwrap_or(wanted.qdd);
                sum(state.torque(qdd), friction())
            }
            Self::Impedance => {
                let (error, rate, state) = point();
                let Impedance { stiffness, damping } = now.impedance;
                let force = Vec3::from_fn(|i| stiffness[i] * error[i] + damping[i] * rate[i]);
                let qdd = state.joint_acceleration(wanted.point[2]).unwrap_or(wanted.qdd);
                sum(sum(state.torque(qdd), state.press(force)), friction())
            }
        }
    }
}
