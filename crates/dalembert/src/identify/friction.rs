//! The curve of friction that was found, and how sure it is.

use super::columns::What;
use super::fit::{Data, Fitted, Residuals};
use crate::threads;
use dalembert_identify::IdentifyError;
use dalembert_identify::friction::{covariance_with_speed, stribeck, stribeck_slope};
use nalgebra::DMatrix;

/// Friction of a joint: viscous v + [coulomb + more exp(−(v/speed)²)] sign v.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionCurve {
    /// From 0.
    pub joint: usize,
    /// N m s/rad (N s/m), N m (N), N m (N), rad/s (m/s): viscous, Coulomb, static minus Coulomb, Stribeck's speed. Without
    /// Stribeck's part the last two are not there.
    pub values: Vec<f64>,
    /// Of these.
    pub covariance: DMatrix<f64>,
}

impl FrictionCurve {
    /// Friction at a speed above zero, and its standard deviation.
    pub fn at(&self, speed: f64) -> [f64; 2] {
        let mut slope = vec![speed, 1.0];
        let mut value = self.values[0] * speed + self.values[1];
        if let [_, _, more, at] = self.values[..] {
            // Far above the speed at which a sign is smoothed.
            let part = stribeck(speed, f64::MIN_POSITIVE, at);
            slope.extend([part, more * stribeck_slope(speed, f64::MIN_POSITIVE, at)]);
            value += more * part;
        }
        let slope = nalgebra::DVector::from_vec(slope);
        [value, (slope.transpose() * &self.covariance * &slope)[(0, 0)].max(0.0).sqrt()]
    }
}

/// The curves of all joints whose friction was fitted.
pub(super) fn curves(data: &Data<'_>, fitted: &Fitted) -> Result<Vec<FrictionCurve>, IdentifyError> {
    const ROWS: usize = 6000;
    let rows: Vec<usize> = (0..data.len()).step_by(data.len().div_ceil(ROWS).max(1)).collect();
    let one = |joint: usize| -> Result<Option<FrictionCurve>, IdentifyError> {
        let of = |what: What| data.layout.columns.iter().position(|column| column.what == what);
        let (Some(viscous), Some(coulomb)) = (of(What::Viscous(joint)), of(What::Coulomb(joint))) else {
            return Ok(None);
        };
        let speed = fitted.stribeck.get(joint).copied().flatten();
        let mut columns = vec![viscous, coulomb];
        columns.extend(speed.and(of(What::Stribeck(joint))));
        let mut values: Vec<f64> = columns.iter().map(|&k| fitted.parameters[k]).collect();
        let mut covariance = fitted.covariance.select_columns(&columns).select_rows(&columns);
        if let (Some(speed), &[_, _, more]) = (speed, &columns[..]) {
            let Residuals { y, left, .. } = data.residuals(fitted, joint, &rows)?;
            let slope = data.stribeck_slope(joint, &rows, speed)? * fitted.parameters[more];
            covariance = covariance_with_speed(&y, &slope, &left, &columns)?;
            values.push(speed);
        }
        Ok(Some(FrictionCurve { joint, values, covariance }))
    };
    let all = threads::each(data.joints(), one).into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(all.into_iter().flatten().collect())
}
