//! Essential parameters: the few base parameters that the log determines well, and how well they alone predict.

use super::estimates::{ColumnEstimate, formula};
use super::fit::{Fitted, RegressionData, Residuals, Score};
use dalembert_identify::IdentifyError;
use dalembert_identify::least_squares::{self, Compressed};
use nalgebra::DVector;
use serde::Serialize;

/// A base parameter that the log determines well.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
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

impl Essential {
    /// The essential parameters of a fit to all data; none where it has no plain least squares.
    pub(crate) fn new(
        data: &RegressionData<'_>,
        fitted: &Fitted,
        share: f64,
        held_out: Score,
    ) -> Result<Option<Self>, IdentifyError> {
        let all = data.all();
        let Some((kept, few)) = essential(data, fitted, &all, share)? else { return Ok(None) };
        let kept = kept.into_iter().filter_map(|(column, [value, sigma])| {
            let row = data.structure.independent.iter().position(|&own| own == column)?;
            let unit = data.layout.columns[column].unit;
            Some(EssentialParameter { formula: formula(data, row), value, sigma, unit })
        });
        Ok(Some(Self { share, kept: kept.collect(), fit: data.score(&few, &all)?, held_out }))
    }
}

/// Essential parameters of rows that were fitted before, by plain weighted least squares, and a fit that predicts with them alone.
pub(crate) fn essential(
    data: &RegressionData<'_>,
    fitted: &Fitted,
    rows: &[usize],
    share: f64,
) -> Result<Option<(Vec<ColumnEstimate>, Fitted)>, IdentifyError> {
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
    let of = |(k, &place): (usize, &usize)| {
        let sigma = estimate.covariance[(k, k)].max(0.0).sqrt() * inflation[place];
        (plain.columns[place], [estimate.parameters[k], sigma])
    };
    let kept: Vec<ColumnEstimate> = kept.iter().enumerate().map(of).collect();
    let mut parameters = DVector::zeros(fitted.parameters.len());
    kept.iter().for_each(|(column, [value, _])| parameters[*column] = *value);
    Ok(Some((kept, Fitted { parameters, ..fitted.clone() })))
}
