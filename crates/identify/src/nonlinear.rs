//! Parameters that residuals are not linear in, and which of them are identifiable.
//!
//! Gauss and Newton's iteration: J δ = −r by least squares over the columns that are independent of those before them at the
//! start ([`BaseParameters`]: two parallel axes that noise makes skew do not determine where they are nearest); a step that makes the
//! residuals larger is halved. J comes from central differences of fourth order, whose
//! errors (h⁴, and rounding over h) are far below what separates columns.

use crate::IdentifyError;
use crate::base::BaseParameters;
use crate::least_squares::{Compressed, solve as solve_linear};
use nalgebra::{DMatrix, DVector};

/// What was found.
#[derive(Clone, Debug)]
pub struct NonlinearFit {
    /// One for each parameter; those that are identifiable only together with others stay where they started.
    pub parameters: DVector<f64>,
    /// Their standard deviations; none of those that stayed.
    pub sigma: Vec<Option<f64>>,
    /// Which parameters are identifiable, which only together with others, which not at all.
    pub base: BaseParameters,
    /// Standard deviation of a residual, from the residuals.
    pub deviation: f64,
    /// RMS of the residuals before.
    pub before: f64,
    /// RMS of the residuals after.
    pub after: f64,
    /// Largest over least singular value of J with columns of length 1.
    pub condition: f64,
}

/// A column of which less than this share is new is not identifiable: its parameter would be known ten thousand times worse than it
/// is measured.
const NEW: f64 = 1e-4;

type ResidualFunction<'a, E> = &'a dyn Fn(&DVector<f64>) -> Result<DVector<f64>, E>;

/// J at a place; `h` is the size of the differences.
fn jacobian<E>(residuals: ResidualFunction<'_, E>, at: &DVector<f64>, h: f64, rows: usize) -> Result<DMatrix<f64>, E> {
    let mut all = DMatrix::zeros(rows, at.len());
    for k in 0..at.len() {
        let column = |h: f64| -> Result<DVector<f64>, E> {
            let off = |by: f64| {
                let mut moved = at.clone();
                moved[k] += by * h;
                residuals(&moved)
            };
            Ok(((off(1.0)? - off(-1.0)?) * 8.0 - (off(2.0)? - off(-2.0)?)) / (12.0 * h))
        };
        // Next to a place that cannot be computed smaller differences may do.
        let found = column(h).or_else(|_| column(0.1 * h)).or_else(|_| column(0.01 * h));
        all.set_column(k, &found?);
    }
    Ok(all)
}

/// The parameters at which the sum of squared residuals is least, with differences of size `h`. At the start and next to every place of the
/// iteration the residuals have to be computable. Of the residuals `distinct` are no repetitions of others: only they determine parameters.
pub fn solve<E: From<IdentifyError>>(
    residuals: ResidualFunction<'_, E>,
    start: &DVector<f64>,
    h: f64,
    distinct: usize,
) -> Result<NonlinearFit, E> {
    const MOST: usize = 100;
    let mut left = residuals(start)?;
    let rows = left.len();
    let rms = |left: &DVector<f64>| (left.norm_squared() / rows.max(1) as f64).sqrt();
    let before = rms(&left);
    let mut at = start.clone();
    let mut all = jacobian(residuals, &at, h, rows)?;
    let base = BaseParameters::with_share(&all, NEW);
    let identifiable = &base.independent;
    // With as many numbers as parameters their accuracy is unknown.
    let found = rows.min(distinct);
    if found <= identifiable.len() || identifiable.is_empty() {
        let what = "measured numbers at distinct places";
        return Err(IdentifyError::TooFew { what, found, least: identifiable.len().max(found) + 1 }.into());
    }
    let linear = |all: &DMatrix<f64>, left: &DVector<f64>| {
        solve_linear(&Compressed::new(&all.select_columns(identifiable), &-left)?)
    };
    for _ in 0..MOST {
        let found = linear(&all, &left)?.parameters;
        let mut step = DVector::zeros(at.len());
        identifiable.iter().zip(&found).for_each(|(&k, value)| step[k] = *value);
        let now = left.norm_squared();
        // Halved as long as the residuals are larger, down to a millionth.
        let moved = (0..=20).find_map(|halvings| {
            let next = &at + &step * 0.5_f64.powi(halvings);
            let found = residuals(&next).ok().filter(|left| left.norm_squared() <= now)?;
            Some((next, found))
        });
        let mut done = moved.is_none() || step.amax() < 1e-9 * h;
        if let Some(moved) = moved {
            (at, left) = moved;
            done |= now - left.norm_squared() <= 1e-13 * now;
        }
        all = jacobian(residuals, &at, h, rows)?;
        if done {
            let linear = linear(&all, &left)?;
            let deviation = (left.norm_squared() / (rows - identifiable.len()) as f64).sqrt();
            let mut sigma = vec![None; at.len()];
            let deviations = linear.covariance.diagonal().map(|variance| deviation * variance.sqrt());
            identifiable.iter().zip(&deviations).for_each(|(&k, own)| sigma[k] = Some(*own));
            let (after, condition) = (rms(&left), linear.condition);
            return Ok(NonlinearFit { parameters: at, sigma, base, deviation, before, after, condition });
        }
    }
    Err(IdentifyError::NoConvergence { what: "the calibration", iterations: MOST }.into())
}
