//! Parameters that residuals are not linear in, and which of them the measurements tell.
//!
//! Gauss and Newton's iteration: J δ = −r by least squares over the columns that are independent of those before them at the
//! start ([`BaseParameters`]: two parallel axes that noise makes skew tell nothing of where they are nearest); a step that makes the
//! residuals larger is halved. J comes from central differences of fourth order, whose
//! errors (h⁴, and rounding over h) are far below what tells columns apart.

use crate::base::BaseParameters;
use crate::least_squares::{Compressed, solve as solve_linear};
use crate::{IdentifyError, same_length};
use nalgebra::{DMatrix, DVector};

/// What was found.
#[derive(Clone, Debug)]
pub struct NonlinearFit {
    /// One for each parameter; those that are told only together with others stay where they started.
    pub parameters: DVector<f64>,
    /// Their standard deviations; none of those that stayed.
    pub sigma: Vec<Option<f64>>,
    /// Which parameters the measurements tell, which only together with others, which not at all.
    pub base: BaseParameters,
    /// Standard deviation of a residual, from what is left.
    pub deviation: f64,
    /// RMS of the residuals before.
    pub before: f64,
    /// RMS of the residuals after.
    pub after: f64,
    /// Largest over least singular value of J with columns of length 1.
    pub condition: f64,
}

/// A column of which less than this share is new is not told: its parameter would be known ten thousand times worse than it
/// is measured.
const NEW: f64 = 1e-4;

/// J at a place; `steps` are the sizes h of the differences.
fn jacobian(
    residuals: &dyn Fn(&DVector<f64>) -> Option<DVector<f64>>,
    at: &DVector<f64>,
    steps: &[f64],
    rows: usize,
) -> Option<DMatrix<f64>> {
    let mut all = DMatrix::zeros(rows, at.len());
    for (k, &h) in steps.iter().enumerate() {
        let off = |by: f64| {
            let mut moved = at.clone();
            moved[k] += by * h;
            residuals(&moved)
        };
        let column = ((off(1.0)? - off(-1.0)?) * 8.0 - (off(2.0)? - off(-2.0)?)) / (12.0 * h);
        all.set_column(k, &column);
    }
    Some(all)
}

/// The parameters at which the sum of squared residuals is least. `residuals` answers none where it cannot be computed.
pub fn solve(
    residuals: &dyn Fn(&DVector<f64>) -> Option<DVector<f64>>,
    start: &DVector<f64>,
    steps: &[f64],
) -> Result<NonlinearFit, IdentifyError> {
    const MOST: usize = 100;
    same_length("steps", steps.len(), start.len())?;
    let nowhere = || IdentifyError::Value { what: "a residual", value: f64::NAN, must: "finite" };
    let mut left = residuals(start).ok_or_else(nowhere)?;
    let rows = left.len();
    let rms = |left: &DVector<f64>| (left.norm_squared() / rows.max(1) as f64).sqrt();
    let before = rms(&left);
    let mut at = start.clone();
    let mut all = jacobian(residuals, &at, steps, rows).ok_or_else(nowhere)?;
    let base = BaseParameters::told(&all, NEW);
    let told = &base.independent;
    // With as many numbers as parameters nothing is left over that would tell how good they are.
    if rows <= told.len() || told.is_empty() {
        return Err(IdentifyError::TooFew { what: "measured numbers", found: rows, least: told.len() + 1 });
    }
    for _ in 0..MOST {
        let linear = solve_linear(&Compressed::new(&all.select_columns(told), &(-&left))?)?;
        let mut step = DVector::zeros(at.len());
        told.iter().zip(linear.parameters.iter()).for_each(|(&k, value)| step[k] = *value);
        let now = left.norm_squared();
        let mut share = 1.0;
        let moved = loop {
            let next = &at + &step * share;
            match residuals(&next).filter(|left| left.norm_squared() <= now) {
                Some(found) => break Some((next, found)),
                None if share < 1e-6 => break None,
                None => share *= 0.5,
            }
        };
        let small = told.iter().all(|&k| step[k].abs() < 1e-9 * steps[k]);
        let done = match moved {
            Some((next, found)) => {
                let done = small || now - found.norm_squared() <= 1e-13 * now;
                (at, left) = (next, found);
                done
            }
            None => true,
        };
        all = jacobian(residuals, &at, steps, rows).ok_or_else(nowhere)?;
        if done {
            let linear = solve_linear(&Compressed::new(&all.select_columns(told), &(-&left))?)?;
            let deviation = (left.norm_squared() / (rows - told.len()) as f64).sqrt();
            let mut sigma = vec![None; at.len()];
            told.iter().enumerate().for_each(|(i, &k)| sigma[k] = Some(deviation * linear.covariance[(i, i)].sqrt()));
            let after = rms(&left);
            return Ok(NonlinearFit {
                parameters: at,
                sigma,
                base,
                deviation,
                before,
                after,
                condition: linear.condition,
            });
        }
    }
    Err(IdentifyError::NoConvergence { what: "the calibration", iterations: MOST })
}
