//! What can go wrong, with the numbers.

use crate::Complex;

/// Why there is no such linear model, or no answer to a question about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum LinearError {
    #[error("{what}: {found} where {expected} is needed")]
    Shape { what: &'static str, found: String, expected: String },
    #[error("{what} has an entry {value}, not a finite number")]
    NotFinite { what: &'static str, value: f64 },
    #[error("{what} has an entry {value:.1e}, too large to compute with: the limit is 1e150")]
    Huge { what: &'static str, value: f64 },
    #[error("the eigenvalue iteration does not converge ({size} × {size}, {iterations} steps)")]
    NoConvergence { size: usize, iterations: usize },
    #[error(
        "there are no Gramians: the pole {} is not stable. Take the stable part ({} of {} states, `split`), or stabilise first",
        show(*pole), stable, states
    )]
    NotStable { pole: Complex<f64>, stable: usize, states: usize },
    #[error(
        "a model of order {wanted} cannot be cut out of one with {available} Hankel singular values above rounding"
    )]
    Order { wanted: usize, available: usize },
    #[error("the mode {} is not controllable from these inputs: no gain moves it", show(*pole))]
    NotControllable { pole: Complex<f64> },
    #[error("the mode {} does not die out by itself and costs nothing: give it a weight in Q", show(*pole))]
    NotWeighted { pole: Complex<f64> },
    #[error(
        "no stabilising gain was found to working precision, although every mode is reached and weighted: the weights are too far apart"
    )]
    NoRegulator,
    #[error(
        "a stabilising gain was found, but not the best one: the two sides of Riccati's equation differ by {residual:.0e} of its terms. The weights, or the fastest and the slowest pole, are too far apart"
    )]
    NotOptimal { residual: f64 },
    #[error("a weight is not {must} (least eigenvalue {least:.3e})")]
    Weight { must: &'static str, least: f64 },
    #[error("wanted poles: {problem}")]
    WantedPoles { problem: String },
    #[error("the gain puts the poles off by {off:.1e} of their size: they are too close together for {inputs} inputs")]
    Placement { off: f64, inputs: usize },
    #[error("{what} is {value}, but must be {must}")]
    BadValue { what: &'static str, value: f64, must: &'static str },
    #[error("the model is {found}, but a {expected} one is needed")]
    Time { found: &'static str, expected: &'static str },
    #[error("time {time} of state {row} does not follow {before}: times must grow")]
    Times { row: usize, time: f64, before: f64 },
    #[error("state {row} comes {found} s after the one before, but samples of {expected} s must follow each other")]
    Steps { row: usize, found: f64, expected: f64 },
    #[error("there is no best gain before t = {time} s: the cost has no bound, or the weights are too far apart")]
    NoGain { time: f64 },
    #[error(
        "at t = {time} s the fastest pole times the time to the next state is about {value:.1e}, but must be below 1e4: give states closer together"
    )]
    Fast { time: f64, value: f64 },
    #[error("the model at state {row} has {found} states, inputs or outputs, but the first one has {expected}")]
    NotAlike { row: usize, found: usize, expected: usize },
    #[error("{bytes} bytes do not fit into one file of this format (4 GiB): take fewer states of the motion")]
    TooLarge { bytes: u64 },
}

/// A pole, a complex one with its partner.
pub(crate) fn show(pole: Complex<f64>) -> String {
    if pole.im == 0.0 { format!("{:.4}", pole.re) } else { format!("{:.4} ± {:.4}j", pole.re, pole.im.abs()) }
}

/// One pole of a pair, with the sign of its imaginary part.
pub(crate) fn show_one(pole: Complex<f64>) -> String {
    format!("{} {} {}j", pole.re, if pole.im < 0.0 { '-' } else { '+' }, pole.im.abs())
}
