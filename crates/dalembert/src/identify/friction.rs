//! The curve of friction that was found, and how sure it is.

use super::columns::{ColumnQuantity, FrictionTerm};
use super::fit::{Fitted, RegressionData, Residuals, thinned};
use crate::threads;
use dalembert_identify::IdentifyError;
use dalembert_identify::friction::{covariance_with_speed, sign, sign_slope, stribeck, stribeck_slope};
use dalembert_identify::search::least;
use nalgebra::DMatrix;
use serde::{Serialize, Serializer};

/// Friction of a joint: viscous v + [coulomb + more exp(−(v/v_s)²)] sign v, or viscous v + coulomb tanh(v/v_0).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrictionCurve {
    /// From 0; in JSON from 1.
    #[serde(serialize_with = "from_one")]
    pub joint: usize,
    /// N m s/rad (N s/m).
    pub viscous: f64,
    /// N m (N).
    pub coulomb: f64,
    /// Of Stribeck's part, N m (N).
    pub static_minus_coulomb: Option<f64>,
    /// v_s, rad/s (m/s).
    pub stribeck_velocity: Option<f64>,
    /// v_0 of a fitted tanh, rad/s (m/s).
    pub smoothing_velocity: Option<f64>,
    /// Of those of these that were fitted, in this order.
    #[serde(serialize_with = "by_rows")]
    pub covariance: DMatrix<f64>,
}

fn from_one<S: Serializer>(joint: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    (joint + 1).serialize(serializer)
}

fn by_rows<S: Serializer>(matrix: &DMatrix<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(matrix.row_iter().map(|row| row.iter().copied().collect::<Vec<f64>>()))
}

impl FrictionCurve {
    /// Static minus Coulomb friction and v_s, where the curve has Stribeck's part.
    pub fn stribeck(&self) -> Option<[f64; 2]> {
        Some([self.static_minus_coulomb?, self.stribeck_velocity?])
    }

    /// The standard deviation of the speed that was fitted, v_s or v_0, which is the last of the values.
    pub fn speed_deviation(&self) -> f64 {
        self.covariance.diagonal().iter().next_back().map_or(f64::NAN, |variance| variance.max(0.0).sqrt())
    }

    /// The standard deviation of a value of a curve whose speed was fitted too.
    pub(crate) fn deviation_of(&self, quantity: &ColumnQuantity) -> Option<f64> {
        let place = match *quantity {
            ColumnQuantity::Viscous(joint) if joint == self.joint => 0,
            ColumnQuantity::Coulomb(joint) if joint == self.joint => 1,
            ColumnQuantity::Stribeck(joint) if joint == self.joint => 2,
            _ => return None,
        };
        self.stribeck_velocity.or(self.smoothing_velocity)?;
        Some(self.covariance[(place, place)].max(0.0).sqrt())
    }

    /// Friction at a speed above zero, and its standard deviation.
    pub fn at(&self, speed: f64) -> [f64; 2] {
        // A sign that was not fitted is smoothed far below any speed that is asked for.
        let dry = self.smoothing_velocity.map_or(1.0, |at| sign(speed, at));
        let mut slope = vec![speed, dry];
        let mut value = self.viscous * speed + self.coulomb * dry;
        if let Some([more, at]) = self.stribeck() {
            let part = stribeck(speed, f64::MIN_POSITIVE, at);
            slope.extend([part, more * stribeck_slope(speed, f64::MIN_POSITIVE, at)]);
            value += more * part;
        }
        slope.extend(self.smoothing_velocity.map(|at| self.coulomb * sign_slope(speed, at)));
        let slope = nalgebra::DVector::from_vec(slope);
        [value, (slope.transpose() * &self.covariance * &slope)[(0, 0)].max(0.0).sqrt()]
    }
}

/// Friction that rises with the speed, coulomb + more e^(−(v/v_s)²) with a negative `more`, as coulomb tanh(v/v_0), which is never below
/// Coulomb friction at rest: v_0 of the nearest one up to a speed, and how far off it is there at most.
pub(crate) fn nearest_tanh(coulomb: f64, [more, at]: [f64; 2], fastest: f64) -> [f64; 2] {
    const POINTS: usize = 200;
    let off = |smoothing: f64, k: usize| {
        let v = fastest * (k as f64 + 0.5) / POINTS as f64;
        coulomb * (1.0 - sign(v, smoothing)) + more * stribeck(v, f64::MIN_POSITIVE, at)
    };
    let squares = |log: f64| (0..POINTS).map(|k| off(log.exp(), k).powi(2)).sum::<f64>();
    let best = least((1e-3 * fastest).ln(), fastest.ln(), 40, squares).at.exp();
    [best, (0..POINTS).fold(0.0_f64, |most, k| most.max(off(best, k).abs()))]
}

/// The curves of all joints whose friction was fitted.
pub(crate) fn curves(data: &RegressionData<'_>, fitted: &Fitted) -> Result<Vec<FrictionCurve>, IdentifyError> {
    const ROWS: usize = 6000;
    let rows = thinned(&data.all(), ROWS);
    let one = |joint: usize| -> Result<Option<FrictionCurve>, IdentifyError> {
        let of = |quantity: ColumnQuantity| data.layout.place(quantity);
        let (Some(viscous), Some(coulomb)) = (of(ColumnQuantity::Viscous(joint)), of(ColumnQuantity::Coulomb(joint)))
        else {
            return Ok(None);
        };
        let mut columns = vec![viscous, coulomb];
        let speed =
            |part: FrictionTerm| Some((part, data.layout.friction_of(part, joint)?, fitted.speeds.of(part, joint)?));
        let fitted_part = speed(FrictionTerm::Stribeck).or_else(|| speed(FrictionTerm::Sign));
        columns.extend(fitted_part.and_then(|(part, column, _)| (part == FrictionTerm::Stribeck).then_some(column)));
        let mut covariance = fitted.covariance.select_columns(&columns).select_rows(&columns);
        if let Some((part, column, speed)) = fitted_part {
            let Residuals { y, left, .. } = data.residuals(fitted, joint, &rows)?;
            let slope = data.speed_slope(joint, &rows, part, speed)? * fitted.parameters[column];
            covariance = covariance_with_speed(&y, &slope, &left, &columns)?;
        }
        let fitted_speed = |own: FrictionTerm| fitted_part.filter(|(part, ..)| *part == own).map(|(_, _, speed)| speed);
        Ok(Some(FrictionCurve {
            joint,
            viscous: fitted.parameters[viscous],
            coulomb: fitted.parameters[coulomb],
            static_minus_coulomb: columns.get(2).map(|&k| fitted.parameters[k]),
            stribeck_velocity: fitted_speed(FrictionTerm::Stribeck),
            smoothing_velocity: fitted_speed(FrictionTerm::Sign),
            covariance,
        }))
    };
    let all = threads::each(data.joints(), one).into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(all.into_iter().flatten().collect())
}
