//! Programs of Delta robots.

use crate::delta::Delta;
use crate::robot::Derivations;
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
        Of::Fk,
        Of::Ik,
    ],
    interface: &[Of::Torque, Of::TorqueCartesian, Of::Mass, Of::Gravity, Of::Ik, Of::Fk],
};

pub(super) fn derive(robot: &Delta<f64>, request: &Request) -> Result<Derived, DeriveError> {
    match request.abbreviation {
        None => derive::delta(robot, request),
        Some(_) => Err(DeriveError::DoesNotApply {
            of: request.of,
            reason: "significance is for the explicit models of serial arms; a Delta's model is a closed formula"
                .into(),
        }),
    }
}
