//! The parameters of a fit with their standard deviations: one by one, and as base parameters.

use super::columns::{ColumnQuantity, FrictionTerm, RegressorColumn};
use super::fit::{Fitted, FrictionSpeeds, Plain, RegressionData};
use super::friction::FrictionCurve;
use crate::report::text::human;
use nalgebra::DMatrix;
use serde::{Serialize, Serializer};

/// An estimated parameter.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ParameterEstimate {
    /// `Ixx2`.
    pub name: String,
    /// SI.
    pub value: f64,
    /// Its standard deviation; none: torques do not determine it, and the file states no tolerance.
    pub sigma: Option<f64>,
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
    /// Its standard deviation; none: this log does not determine it.
    pub sigma: Option<f64>,
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

/// The standard deviation of a combination that the data determine, by its place in plain least squares. A prior is a belief, no measurement:
/// it is that of least squares and the distance to its value. Least squares takes the speeds of friction for known; friction whose speed was
/// fitted has the deviation of its curve.
fn determined(
    data: &RegressionData<'_>,
    plain: &Plain,
    fitted: &Fitted,
    friction: &[FrictionCurve],
    place: usize,
) -> f64 {
    let value = (plain.combinations.row(place) * &fitted.parameters)[(0, 0)];
    let quantity = &data.layout.columns[plain.columns[place]].quantity;
    let of_curve = friction.iter().find_map(|curve| curve.deviation_of(quantity));
    plain.sigma[place].max(of_curve.unwrap_or(0.0)).hypot(value - plain.estimate.parameters[place])
}

/// Every fitted parameter. Torques determine combinations of parameters; how one is split between the parameters in it is known from the
/// robot file alone, as far as that states a tolerance. The weight of the file in the fit is no tolerance.
pub(crate) fn parameter_estimates(
    data: &RegressionData<'_>,
    fitted: &Fitted,
    friction: &[FrictionCurve],
) -> Vec<ParameterEstimate> {
    let sigma = |k: usize, column: &RegressorColumn| {
        let alone = fitted.plain.as_ref().and_then(|plain| {
            let place = plain.columns.iter().position(|&column| column == k)?;
            let row = plain.combinations.row(place);
            // The only parameter of its combination, up to rounding.
            let is_alone = row.iter().enumerate().all(|(other, factor)| other == k || factor.abs() < 1e-9);
            is_alone.then(|| determined(data, plain, fitted, friction, place))
        });
        // The file's value may be off by its tolerance, and the estimate is off from that.
        let of_file = || {
            let (share, prior) = (data.layout.tolerance(column)?, column.prior?);
            Some((share * prior).hypot(fitted.parameters[k] - prior))
        };
        alone.or_else(of_file)
    };
    let of = |(k, column): (usize, &RegressorColumn)| ParameterEstimate {
        name: column.name.clone(),
        unit: column.unit,
        meaning: column.meaning.clone(),
        prior: column.prior,
        value: fitted.parameters[k],
        sigma: sigma(k, column),
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
    friction: &[FrictionCurve],
    instrumental: &[ColumnEstimate],
) -> Vec<BaseEstimate> {
    let columns = &data.layout.columns;
    let base = &data.structure;
    let g = base.matrix(columns.len());
    let values = &g * &fitted.parameters;
    let of = |row: usize| {
        let first = base.independent[row];
        let plain = fitted.plain.as_ref().and_then(|plain| {
            let k = plain.columns.iter().position(|&k| k == first)?;
            Some((plain, k))
        });
        BaseEstimate {
            formula: formula(data, row),
            unit: columns[first].unit,
            least_squares: plain.map(|(plain, k)| [plain.estimate.parameters[k], plain.sigma[k]]),
            instrumental: instrumental.iter().find(|(column, _)| *column == first).map(|found| found.1),
            value: values[row],
            sigma: plain.map(|(plain, k)| determined(data, plain, fitted, friction, k)),
        }
    };
    (0..values.len()).filter(|&row| is_fitted(&columns[base.independent[row]], fitted)).map(of).collect()
}
