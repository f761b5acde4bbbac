//! From measured signals to parameters, without knowing what was measured.
//!
//! | module | question |
//! | --- | --- |
//! | [`signal`] | are the stamps even, are there gaps, outliers, limits that cut, times of rest? |
//! | [`smoother`], [`butterworth`] | position, velocity and acceleration of a noisy signal |
//! | [`least_squares`] | parameters of τ = Y π, and how sure they are |
//! | [`base`] | which combinations of parameters are identifiable from Y |
//! | [`consistent`] | physically consistent parameters, near to a prior |
//! | [`nonlinear`] | parameters that residuals are not linear in, and which of them are identifiable |
//! | [`friction`] | the speed of Stribeck's curve, by separable least squares |
//! | [`folds`] | parts of the time, to score on held-out data |
//! | [`mod@bench`] | inertia from two wires, drives from a spring, break-away friction, with tolerances |
//! | [`quasi_newton`] | the least of a smooth function of many numbers, by its gradient |
//! | [`search`] | the least of a function of one number: delays, weights, speeds |

pub mod base;
pub mod bench;
pub mod butterworth;
pub mod consistent;
pub mod folds;
pub mod friction;
pub mod least_squares;
pub mod nonlinear;
pub mod quasi_newton;
pub mod search;
pub mod signal;
pub mod smoother;

/// What cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // of the fields: the texts name them
pub enum IdentifyError {
    /// Too little to work with.
    #[error("{what}: {found} where at least {least} are needed")]
    TooFew { what: &'static str, found: usize, least: usize },
    /// Lengths or widths that do not fit.
    #[error("{what}: {found} where {expected} are expected")]
    Size { what: &'static str, found: usize, expected: usize },
    /// NaN, infinity, or a number outside of its range.
    #[error("{what} is {value}, but must be {must}")]
    Value { what: &'static str, value: f64, must: &'static str },
    /// Dependent columns.
    #[error("the columns are dependent: rank {rank} of {columns}")]
    Dependent { rank: usize, columns: usize },
    /// An iteration that does not end.
    #[error("{what} does not converge within {iterations} iterations")]
    NoConvergence { what: &'static str, iterations: usize },
}

pub(crate) fn same_length(what: &'static str, found: usize, expected: usize) -> Result<(), IdentifyError> {
    if found == expected { Ok(()) } else { Err(IdentifyError::Size { what, found, expected }) }
}

pub(crate) fn enough(what: &'static str, found: usize, least: usize) -> Result<(), IdentifyError> {
    if found >= least { Ok(()) } else { Err(IdentifyError::TooFew { what, found, least }) }
}

pub(crate) fn require(fine: bool, what: &'static str, value: f64, must: &'static str) -> Result<(), IdentifyError> {
    if fine { Ok(()) } else { Err(IdentifyError::Value { what, value, must }) }
}

pub(crate) fn positive(what: &'static str, value: f64) -> Result<(), IdentifyError> {
    require(value > 0.0 && value.is_finite(), what, value, "positive and finite")
}

pub(crate) fn finite<'v>(what: &'static str, values: impl IntoIterator<Item = &'v f64>) -> Result<(), IdentifyError> {
    values.into_iter().try_for_each(|value| require(value.is_finite(), what, *value, "finite"))
}
