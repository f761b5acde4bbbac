//! The laws of the table in [`super`], each one line.

use super::{Gains, Impedance};
use crate::algebra::{Vec3, sum};
use crate::array::map;
use crate::dynamics::{Dynamics, Reference, State};
use crate::scalar::Scalar;
use crate::spatial::{Twist, Wrench};

/// The name of a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Each joint for itself.
    Pd,
    /// With integral.
    Pid,
    /// With the acceleration of the reference.
    PdAcceleration,
    /// With the torques that the model predicts for the reference.
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

    /// Whether it asks the model about the reference, so that a look ahead makes sense.
    pub fn looks_ahead(self) -> bool {
        matches!(self, Self::Feedforward | Self::FeedforwardMass)
    }

    /// Whether it evaluates the model at [`Feedback::configuration`]; the others evaluate it at the reference or the tool, or not at all.
    pub fn asks_at_configuration(self) -> bool {
        matches!(self, Self::FeedforwardMass | Self::GravityPd | Self::GravityPid | Self::ComputedTorque)
    }
}

/// What a control law sees at a sample.
#[derive(Clone, Copy, Debug)]
pub struct Feedback<'a, S, const N: usize> {
    /// Measured joints.
    pub q: [S; N],
    /// Measured joint velocities.
    pub qd: [S; N],
    /// The joints at which the law evaluates its model: the measured ones, or those of an earlier sample where the configuration is
    /// looked at less often than the rest (Armstrong, Khatib & Burdick 1986, Table 2: two rates).
    pub configuration: [S; N],
    /// ė, the difference of the reference's and the measured velocity *measured in the same way*: a difference quotient lags by half
    /// a sample, and so must what it is compared with.
    pub rate: [S; N],
    /// ∫e.
    pub integral: [S; N],
    /// What the robot should do now.
    pub reference: &'a Reference<S, N>,
    /// What it should do T_m from now.
    pub ahead: &'a Reference<S, N>,
    /// Î, one constant per joint.
    pub inertia: [S; N],
    /// Of the regulator.
    pub gains: Gains<S>,
    /// Of the law `impedance`.
    pub impedance: Impedance<S>,
}

/// A control law: motor torques from what is measured and what should be. The built-in ones are [`Law`]; a law of one's own
/// runs in the same loop.
pub trait ControlLaw<S: Scalar, const N: usize, M: Dynamics<S, N>> {
    /// Motor torques; not yet limited. NaN where the law has no answer.
    fn torque(&self, now: &Feedback<'_, S, N>, model: &M) -> [S; N];

    /// Whether it asks the model about the reference, so that a look ahead makes sense.
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Whether it needs [`State::joint_acceleration`], which has no answer at a singular pose.
    fn controls_tool(&self) -> bool {
        false
    }
}

impl<S: Scalar, const N: usize, M: Dynamics<S, N>> ControlLaw<S, N, M> for Law {
    #[inline(always)]
    fn torque(&self, now: &Feedback<'_, S, N>, model: &M) -> [S; N] {
        let Feedback { q, qd, configuration, reference, ahead, inertia, .. } = *now;
        let gains = if self.integrates() { now.gains } else { now.gains.without_integral() };
        let u: [S; N] = crate::array::from_fn(|i| {
            gains.acceleration(reference.q[i] - q[i], now.rate[i], now.integral[i]) // (1)
        });
        let times_inertia = |x: [S; N]| -> [S; N] { crate::array::from_fn(|i| inertia[i] * x[i]) };
        let friction = || model.friction(reference.q, reference.qd);
        let predicted = || model.predicted(ahead);
        // The model as measured, and what the tool lacks. Its velocity is compared as those of the joints are, so that a
        // lag of the measurement is no error.
        let tool = || {
            let state = model.at_joints(q, crate::array::from_fn(|i| reference.qd[i] - now.rate[i]));
            (state.tool_error(reference), state)
        };
        match self {
            Self::Pd | Self::Pid => times_inertia(u),
            Self::PdAcceleration => times_inertia(sum(reference.qdd, u)),
            Self::Feedforward => sum(predicted(), times_inertia(u)),
            Self::FeedforwardMass => sum(predicted(), model.at_joints(configuration, qd).mass_times(u)),
            Self::GravityPd | Self::GravityPid => sum(model.at_joints(configuration, qd).gravity(), times_inertia(u)),
            Self::ComputedTorque => {
                sum(model.at_joints(configuration, qd).rigid_torque(sum(reference.qdd, u)), friction())
            }
            Self::Cartesian => {
                let (error, state) = tool();
                let along = |a: Vec3<S>, e: Vec3<S>, v: Vec3<S>| a + e * gains.proportional + v * gains.derivative;
                let acceleration = Twist {
                    linear: along(error.acceleration.linear, error.pose.linear, error.velocity.linear),
                    angular: along(error.acceleration.angular, error.pose.angular, error.velocity.angular),
                };
                let qdd = state.joint_acceleration(acceleration, sum(reference.qdd, u));
                sum(state.rigid_torque(qdd), friction())
            }
            Self::Impedance => {
                let (error, state) = tool();
                let Impedance { stiffness, damping, turning_stiffness, turning_damping, joint_damping } = now.impedance;
                let (way, speed) = (error.pose, error.velocity);
                let force = Vec3::from_fn(|i| stiffness[i] * way.linear[i] + damping[i] * speed.linear[i]);
                let moment = way.angular * turning_stiffness + speed.angular * turning_damping;
                let pressed =
                    sum(state.torque_of_wrench(Wrench { force, moment }), state.null_space_torque(times_inertia(u)));
                let damped = state.damping_torque(map(now.rate, |rate| rate * joint_damping));
                let followed = state.rigid_torque(state.reference_acceleration(reference));
                sum(sum(sum(followed, pressed), damped), friction())
            }
        }
    }

    fn looks_ahead(&self) -> bool {
        Law::looks_ahead(*self)
    }

    fn controls_tool(&self) -> bool {
        *self == Self::Cartesian
    }
}
