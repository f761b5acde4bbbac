//! What can be derived.

use std::fmt;

/// What is derived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // the titles say it
pub enum Of {
    #[default]
    Torque,
    TorqueCartesian,
    Mass,
    Gravity,
    Coriolis,
    Bias,
    Acceleration,
    TorqueDerivatives,
    AccelerationDerivatives,
    TorqueParameterDerivatives,
    AccelerationParameterDerivatives,
    Regressor,
    Jacobian,
    JacobianRate,
    Fk,
    Ik,
}

/// Each with its name and its title, in order.
const ALL: [(Of, &str, &str); 16] = [
    (Of::Torque, "torque", "joint torques for joint positions, velocities and accelerations"),
    (Of::TorqueCartesian, "torque-cartesian", "joint torques for position, velocity and acceleration of the platform"),
    (Of::Mass, "mass", "mass matrix in joint coordinates"),
    (Of::Gravity, "gravity", "torques that hold the robot still"),
    (Of::Coriolis, "coriolis", "Coriolis and centrifugal torques"),
    (Of::Bias, "bias", "torques without acceleration: gravity, velocity and friction"),
    (Of::Acceleration, "acceleration", "joint accelerations under joint torques"),
    (
        Of::TorqueDerivatives,
        "torque-derivatives",
        "derivatives of the torques by positions, velocities and accelerations",
    ),
    (
        Of::AccelerationDerivatives,
        "acceleration-derivatives",
        "derivatives of the accelerations by positions, velocities and torques",
    ),
    (
        Of::TorqueParameterDerivatives,
        "torque-parameter-derivatives",
        "derivatives of the torques by parameters of the robot",
    ),
    (
        Of::AccelerationParameterDerivatives,
        "acceleration-parameter-derivatives",
        "derivatives of the accelerations by parameters of the robot",
    ),
    (Of::Regressor, "regressor", "torques per base parameter"),
    (Of::Jacobian, "jacobian", "velocity of the tool per joint velocity"),
    (Of::JacobianRate, "jacobian-rate", "time derivative of the Jacobian"),
    (Of::Fk, "fk", "forward kinematics"),
    (Of::Ik, "ik", "inverse kinematics"),
];

impl Of {
    /// All of them.
    pub const ALL: [Self; 16] = {
        let (mut all, mut k) = ([Self::Torque; 16], 0);
        while k < all.len() {
            all[k] = ALL[k].0;
            k += 1;
        }
        all
    };

    /// As the command knows it.
    pub fn as_str(self) -> &'static str {
        ALL[self as usize].1
    }

    /// For a heading.
    pub(crate) fn title(self) -> &'static str {
        ALL[self as usize].2
    }

    /// The one with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.as_str() == name)
    }
}

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
