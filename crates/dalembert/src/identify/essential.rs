//! Essential parameters: the few base parameters that the log tells well, and how well they alone predict.

use super::fit::{Fitted, RegressionData, Residuals, Score};
use dalembert_identify::IdentifyError;
use dalembert_identify::least_squares::{self, Compressed};
use nalgebra::DVector;

/// What is left of the base parameters when those are left out that the log tells badly.
#[derive(Clone, Debug, PartialEq)]
pub struct Essential {
    /// No deviation is a larger share of its value than this.
    pub share: f64,
    /// Places in the list of base parameters, with value and standard deviation.
    pub kept: Vec<(usize, [f64; 2])>,
    /// On what was seen.
    pub fit: Score,
    /// On what was not seen.
    pub held_out: Score,
}

/// Essential parameters of some rows by plain weighted least squares.
pub(super) struct Few {
    /// Columns with value and standard deviation.
    pub kept: Vec<(usize, [f64; 2])>,
    /// As a fit that predicts.
    pub fitted: Fitted,
}

/// The essential parameters of rows that were fitted before.
pub(super) fn essential(
    data: &RegressionData<'_>,
    fitted: &Fitted,
    rows: &[usize],
    share: f64,
) -> Result<Option<Few>, IdentifyError> {
    let Some(plain) = &fitted.plain else { return Ok(None) };
    let mut all = Compressed::empty(plain.columns.len());
    for (joint, deviation) in fitted.deviations.iter().enumerate() {
        let Residuals { y, left, .. } = data.residuals(fitted, joint, rows)?;
        let tau = left + &y * &fitted.parameters;
        let own = Compressed::new(&y.select_columns(&plain.columns), &tau)?;
        all.merge(&own, 1.0 / deviation.max(f64::MIN_POSITIVE));
    }
    let covariance = least_squares::solve(&all)?.covariance;
    let inflation: Vec<f64> =
        (0..plain.sigma.len()).map(|k| plain.sigma[k] / covariance[(k, k)].max(f64::MIN_POSITIVE).sqrt()).collect();
    let (kept, estimate) = least_squares::essential(&all, share, &inflation)?;
    let mut parameters = DVector::zeros(fitted.parameters.len());
    let of = |(k, &place): (usize, &usize)| {
        let sigma = estimate.covariance[(k, k)].max(0.0).sqrt() * inflation[place];
        (plain.columns[place], [estimate.parameters[k], sigma])
    };
    let kept: Vec<(usize, [f64; 2])> = kept.iter().enumerate().map(of).collect();
    kept.iter().for_each(|(column, [value, _])| parameters[*column] = *value);
    Ok(Some(Few { kept, fitted: Fitted { parameters, ..fitted.clone() } }))
}
