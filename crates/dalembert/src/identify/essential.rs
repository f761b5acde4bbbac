//! Essential parameters: the few base parameters that the log determines well, and how well they alone predict.

use super::estimates::{BaseEstimate, base_estimates, base_rows};
use super::fit::{Fitted, RegressionData, Residuals, Score};
use dalembert_identify::IdentifyError;
use dalembert_identify::least_squares::{self, Compressed};
use nalgebra::DVector;
use serde::Serialize;

/// A base parameter that the log determines well.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EssentialParameter {
    /// With its grouping.
    pub formula: String,
    /// SI.
    pub value: f64,
    /// Its standard deviation.
    pub sigma: f64,
    /// SI.
    pub unit: &'static str,
}

/// The base parameters without those that the log determines badly.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Essential {
    /// No standard deviation is a larger share of its value than this.
    pub share: f64,
    /// Those that are left.
    pub kept: Vec<EssentialParameter>,
    /// On the fitted data.
    pub fit: Score,
    /// On held-out data.
    #[serde(rename = "unseen")]
    pub held_out: Score,
}

/// Essential parameters of some rows by plain weighted least squares.
pub(crate) struct Few {
    /// Columns with value and standard deviation.
    pub kept: Vec<(usize, [f64; 2])>,
    /// As a fit that predicts.
    pub fitted: Fitted,
    share: f64,
}

impl Few {
    /// With names and scores.
    pub fn outcome(
        self,
        data: &RegressionData<'_>,
        fitted: &Fitted,
        held_out: Score,
    ) -> Result<Essential, IdentifyError> {
        let all: Vec<usize> = (0..data.len()).collect();
        let base = base_estimates(data, fitted, &[]);
        let rows = base_rows(data, fitted);
        let kept = self.kept.iter().filter_map(|(column, [value, sigma])| {
            let place = rows.iter().position(|&row| data.structure.independent[row] == *column)?;
            let BaseEstimate { formula, unit, .. } = &base[place];
            Some(EssentialParameter { formula: formula.clone(), value: *value, sigma: *sigma, unit })
        });
        let kept = kept.collect();
        Ok(Essential { share: self.share, kept, fit: data.score(&self.fitted, &all)?, held_out })
    }
}

/// The essential parameters of rows that were fitted before.
pub(crate) fn essential(
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
    Ok(Some(Few { kept, fitted: Fitted { parameters, ..fitted.clone() }, share }))
}
