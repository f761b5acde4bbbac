//! The parameters of a fit with their standard deviations: one by one, and as base parameters.

use super::columns::{ColumnQuantity, FrictionTerm, RegressorColumn};
use super::fit::{Fitted, FrictionSpeeds, RegressionData};
use crate::report::text::human;
use nalgebra::{DMatrix, DVector};
use serde::{Serialize, Serializer};

/// An estimated parameter.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ParameterEstimate {
    /// `Ixx2`.
    pub name: String,
    /// SI.
    pub value: f64,
    /// Its standard deviation.
    pub sigma: f64,
    /// The robot file's value.
    pub prior: Option<f64>,
    /// SI.
    pub unit: &'static str,
    /// In words.
    pub meaning: String,
}

/// An estimated base parameter.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct BaseEstimate {
    /// With its grouping: `Izz1 + Ia1 + Iyy2 + 0.0518 m3`.
    pub formula: String,
    /// Of the estimated parameters.
    pub value: f64,
    /// Its standard deviation.
    pub sigma: f64,
    /// Value and standard deviation by plain weighted least squares; none where the data do not determine it.
    #[serde(serialize_with = "value_and_sigma")]
    #[schemars(with = "Option<std::collections::BTreeMap<String, f64>>")]
    pub least_squares: Option<[f64; 2]>,
    /// The same by instrumental variables, where they were asked for.
    #[serde(serialize_with = "value_and_sigma")]
    #[schemars(with = "Option<std::collections::BTreeMap<String, f64>>")]
    pub instrumental: Option<[f64; 2]>,
    /// SI.
    pub unit: &'static str,
}

fn value_and_sigma<S: Serializer>(pair: &Option<[f64; 2]>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct ValueAndSigma {
        value: f64,
        sigma: f64,
    }
    pair.map(|[value, sigma]| ValueAndSigma { value, sigma }).serialize(serializer)
}

/// A base parameter with its grouping: `Izz1 + Ia1 + Iyy2 + 0.0518 m3`.
pub(super) fn formula(data: &RegressionData<'_>, row: usize) -> String {
    let name = |k: usize| &data.layout.columns[k].name;
    let mut text = name(data.structure.independent[row]).clone();
    for (column, factor) in data.structure.terms(row) {
        text += if factor < 0.0 { " − " } else { " + " };
        if (factor.abs() - 1.0).abs() > 1e-9 {
            text += &format!("{} ", human(factor.abs(), 5));
        }
        text += name(column);
    }
    text
}

/// The robot file as if it had been fitted.
pub(crate) fn file_as_fit(data: &RegressionData<'_>) -> Fitted {
    let (p, joints) = (data.layout.columns.len(), data.robot.joints());
    Fitted {
        parameters: data.layout.prior(),
        covariance: DMatrix::zeros(p, p),
        // Its columns have the smoothing of the file as they are.
        speeds: FrictionSpeeds {
            stribeck: joints.iter().map(|joint| joint.friction.map(|friction| friction.stribeck_velocity)).collect(),
            smoothing: Vec::new(),
        },
        delay: 0.0,
        deviations: Vec::new(),
        weight: None,
        plain: None,
    }
}

/// Whether a column was fitted: Stribeck's part of a joint only where it explains anything.
fn is_fitted(column: &RegressorColumn, fitted: &Fitted) -> bool {
    !matches!(column.quantity, ColumnQuantity::Stribeck(joint) if fitted.speeds.of(FrictionTerm::Stribeck, joint).is_none())
}

/// The covariance of all parameters. Torques determine the base parameters β = G π, whose covariance is that of [`base_estimates`]. How a
/// base parameter is split between the parameters in it is known from the robot file alone. Near to the file the covariance of the fit is C; K = C Gᵀ (G C Gᵀ)⁻¹ is how parameters follow β, and with E that of β it is C − K G C + K E Kᵀ.
fn covariance(data: &RegressionData<'_>, fitted: &Fitted) -> DMatrix<f64> {
    let (c, g) = (&fitted.covariance, data.structure.matrix(data.layout.columns.len()));
    let (Some(plain), Some(_)) = (&fitted.plain, fitted.weight) else { return c.clone() };
    let along = &g * c;
    let own = &along * g.transpose();
    let b = own.nrows();
    let lengths = DVector::from_fn(b, |k, _| own[(k, k)].max(f64::MIN_POSITIVE).sqrt());
    let scaled = DMatrix::from_fn(b, b, |i, j| own[(i, j)] / (lengths[i] * lengths[j]));
    let Ok(inverse) = scaled.pseudo_inverse(1e-12) else { return c.clone() };
    let inverse = DMatrix::from_fn(b, b, |i, j| inverse[(i, j)] / (lengths[i] * lengths[j]));
    let k = along.tr_mul(&inverse);
    // Base parameters that the log does not determine stay as the file has them.
    let mut e = own.clone();
    let values = &g * &fitted.parameters;
    let place = |row: usize| plain.columns.iter().position(|&column| column == data.structure.independent[row]);
    let places: Vec<Option<usize>> = (0..b).map(place).collect();
    for (i, a) in places.iter().enumerate() {
        for (j, b) in places.iter().enumerate() {
            let moved = |row: usize, at: usize| values[row] - plain.estimate.parameters[at];
            match (a, b) {
                (Some(a), Some(b)) => e[(i, j)] = plain.covariance[(*a, *b)] + moved(i, *a) * moved(j, *b),
                (None, None) => {}
                _ => e[(i, j)] = 0.0,
            }
        }
    }
    c - &k * &along + &k * e * k.transpose()
}

/// Every fitted parameter.
pub(crate) fn parameter_estimates(data: &RegressionData<'_>, fitted: &Fitted) -> Vec<ParameterEstimate> {
    let covariance = covariance(data, fitted);
    let of = |(k, column): (usize, &RegressorColumn)| ParameterEstimate {
        name: column.name.clone(),
        unit: column.unit,
        meaning: column.meaning.clone(),
        prior: column.prior,
        value: fitted.parameters[k],
        sigma: covariance[(k, k)].max(0.0).sqrt(),
    };
    let all = data.layout.columns.iter().enumerate();
    all.filter(|(_, column)| is_fitted(column, fitted)).map(of).collect()
}

/// A column with its value and standard deviation.
pub(crate) type ColumnEstimate = (usize, [f64; 2]);

/// Every fitted base parameter.
pub(crate) fn base_estimates(
    data: &RegressionData<'_>,
    fitted: &Fitted,
    instrumental: &[ColumnEstimate],
) -> Vec<BaseEstimate> {
    let columns = &data.layout.columns;
    let base = &data.structure;
    let g = base.matrix(columns.len());
    let values = &g * &fitted.parameters;
    let covariance = &g * &fitted.covariance * g.transpose();
    let of = |row: usize| {
        let first = base.independent[row];
        let plain = fitted.plain.as_ref().and_then(|plain| {
            let k = plain.columns.iter().position(|&k| k == first)?;
            Some([plain.estimate.parameters[k], plain.covariance[(k, k)].max(0.0).sqrt()])
        });
        let own = covariance[(row, row)].max(0.0).sqrt();
        BaseEstimate {
            formula: formula(data, row),
            unit: columns[first].unit,
            least_squares: plain,
            instrumental: instrumental.iter().find(|(column, _)| *column == first).map(|found| found.1),
            value: values[row],
            // A prior is a belief, no measurement: σ is that of least squares and the distance to its value.
            sigma: plain.map_or(own, |[value, sigma]| sigma.hypot(values[row] - value)),
        }
    };
    (0..values.len()).filter(|&row| is_fitted(&columns[base.independent[row]], fitted)).map(of).collect()
}
