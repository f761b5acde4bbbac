//! A program is handed out only if it does what its formula does.

use super::symbols::Symbols;
use super::{DeriveError, Derived, Of};
use crate::program::Program;
use std::ops::Range;

/// How many random states a program is tried at.
pub const STATES: usize = 60;

/// The largest difference from the formula, over the largest component of the result: a few hundred operations round to
/// about 1e-14, a wrong term is many orders above.
pub const LIMIT: f64 = 1e-11;

/// Below this a result is rounding of something that cancels (N m, kg m², rad).
const NOTHING: f64 = 1e-13;

/// So is what is below this share of the terms that cancel.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// One state: inputs, and what the formula says.
#[derive(Default)]
pub(super) struct Trial {
    /// The robot itself, 0, or as it is at a sample point of its symbols, from 1.
    pub variant: usize,
    pub inputs: Vec<f64>,
    pub expected: Vec<f64>,
    /// How large the terms are that these are the sums of; empty where that is not known.
    pub sizes: Vec<f64>,
}

/// The program with its error over all trials. Its outputs are compared one by one, each with its own scale; `through` is
/// applied to what the program gives before that.
pub(super) fn verified(
    program: Program,
    of: Of,
    symbols: &Symbols<'_>,
    trials: &[Trial],
    through: &dyn Fn(&Trial, Vec<f64>) -> Vec<f64>,
) -> Result<Derived, DeriveError> {
    let given = |name: &str| program.inputs.iter().any(|input| input.name == name);
    if let Some(both) = program.outputs.iter().find(|output| given(&output.name)) {
        let reason = format!("`{}` goes in and comes out of what stands together: derive them apart", both.name);
        return Err(DeriveError::refused(of, reason));
    }
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let parameters = |trial: &Trial| symbols.values(&program, trial.variant.checked_sub(1));
    let found = trials.iter().map(|trial| program.evaluate_with(&parameters(trial), &trial.inputs));
    let found: Vec<Vec<f64>> = found.zip(trials).map(|(found, trial)| through(trial, found)).collect();
    let mut worst = 0.0_f64;
    for part in parts(&program) {
        let overall = trials.iter().map(|trial| largest(&trial.expected[part.clone()])).fold(0.0, f64::max);
        for (trial, found) in trials.iter().zip(&found) {
            let (found, expected) = (&found[part.clone()], &trial.expected[part.clone()]);
            let sizes = trial.sizes.get(part.clone()).unwrap_or(&[]);
            // A state where everything happens to be small is judged by the others' scale.
            let scale = largest(expected).max(1e-3 * overall);
            for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
                let difference = (found - expected).abs();
                let error = if difference == 0.0 { 0.0 } else { difference / scale };
                let nothing = sizes.get(k).map_or(NOTHING, |size| NOTHING.max(ROUNDING * size));
                let error = if error > LIMIT && difference <= nothing { 0.0 } else { error };
                // NaN must not pass for small.
                worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
            }
        }
    }
    let single_error = single_error(&program, trials, &parameters);
    match worst <= LIMIT {
        true => {
            let states = trials.len();
            Ok(Derived { program, error: worst, states, single_error, near: Vec::new(), left_out: None })
        }
        false => Err(DeriveError::Mismatch { of, error: worst }),
    }
}

/// Where each output is among the results.
fn parts(program: &Program) -> impl Iterator<Item = Range<usize>> {
    program.outputs.iter().scan(0, |end, quantity| {
        *end += quantity.length;
        Some(*end - quantity.length..*end)
    })
}

/// How far the program in single precision is from itself in double precision.
fn single_error(program: &Program, trials: &[Trial], parameters: &dyn Fn(&Trial) -> Vec<f64>) -> f64 {
    let mut worst = 0.0_f64;
    for trial in trials {
        let single = |values: &[f64]| values.iter().map(|&x| x as f32).collect::<Vec<f32>>();
        let parameters = parameters(trial);
        let double = program.evaluate_with(&parameters, &trial.inputs);
        let single = program.evaluate_with(&single(&parameters), &single(&trial.inputs));
        for part in parts(program) {
            let scale = double[part.clone()].iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
            for k in part {
                worst = worst.max((f64::from(single[k]) - double[k]).abs() / scale);
            }
        }
    }
    worst
}
