//! Programs of Delta robots.

use crate::robot::Derivations;
use crate::robot::families::DeltaRobot;
use crate::symbolic::derive::{self, DeriveError, Derived, Of, Request};

pub(super) const DERIVATIONS: Derivations = Derivations {
    all: &[
        Of::Torque,
        Of::TorqueCartesian,
        Of::Mass,
        Of::Gravity,
        Of::Coriolis,
        Of::Bias,
        Of::Acceleration,
        Of::TorqueDerivatives,
        Of::AccelerationDerivatives,
        Of::TorqueParameterDerivatives,
        Of::AccelerationParameterDerivatives,
        Of::Regressor,
        Of::Jacobian,
        Of::JacobianRate,
        Of::Fk,
        Of::Ik,
    ],
    interface: &[Of::Torque, Of::TorqueCartesian, Of::Mass, Of::Gravity, Of::Ik, Of::Fk],
};

pub(super) fn derive(robot: &DeltaRobot, request: &Request) -> Result<Derived, DeriveError> {
    match request.abbreviation {
        None if request.of == Of::Regressor => {
            derive::delta_regressor(&robot.delta, &robot.regressor_columns().programs(), request)
        }
        None => derive::delta(&robot.delta, request),
        Some(_) => Err(DeriveError::DoesNotApply {
            of: request.of,
            reason: "significance is for the explicit models of serial arms; a Delta's model is a closed formula"
                .into(),
        }),
    }
}
