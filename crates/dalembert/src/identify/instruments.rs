//! Instrumental variables: least squares takes the noise of positions, which is in the columns, for motion, and a controller passes it on to
//! the torques. Every other sample has a noise of its own: the columns of the one half are correlated with the motion in the
//! columns of the other half, and not with their noise. Σ Zᵀ(τ − Y π) = 0, Y from one half, Z from the other, and the other way
//! round (Söderström and Stoica 1983, Instrumental Variable Methods for System Identification).

use super::columns::ColumnLayout;
use super::estimates::ColumnEstimate;
use super::fit::{Fitted, RegressionData, Residuals};
use super::log::Log;
use super::prepare::{PreparedLog, Preprocessing, Unusable};
use crate::robot::Robot;
use dalembert_identify::least_squares::newey_west;
use dalembert_identify::{IdentifyError, signal};
use nalgebra::{DMatrix, DVector};

/// A log with every other position: the even rows, or the odd ones.
fn half(log: &Log, odd: usize) -> Log {
    // Velocities that were logged would have the noise of both.
    let mut half = Log { rates: None, ..log.clone() };
    let last = half.times.len().saturating_sub(1);
    for position in &mut half.positions {
        for (k, value) in position.iter_mut().enumerate() {
            // Both have the last one: neither half misses more than half.
            if k % 2 != odd && k != last {
                *value = f64::NAN;
            }
        }
    }
    half
}

/// The runs of both halves, of which the same samples count.
pub(crate) fn halves(
    robot: &Robot,
    logs: &[Log],
    preprocessing: &Preprocessing,
) -> Result<[Vec<PreparedLog>; 2], (String, Unusable)> {
    let joints = robot.joints();
    let mut all = [Vec::new(), Vec::new()];
    for log in logs {
        let of = |odd: usize| {
            PreparedLog::new(&half(log, odd), &joints, preprocessing).map_err(|error| (log.name.clone(), error))
        };
        let [mut even, mut odd] = [of(0)?, of(1)?];
        even.used.retain(|k| odd.used.binary_search(k).is_ok());
        odd.used.clone_from(&even.used);
        all[0].push(even);
        all[1].push(odd);
    }
    Ok(all)
}

/// Base parameters by instrumental variables with their standard deviation, for the columns of a plain fit.
pub(crate) fn instrumental(
    robot: &Robot,
    layout: &ColumnLayout,
    runs: &[Vec<PreparedLog>; 2],
    fitted: &Fitted,
) -> Result<Vec<ColumnEstimate>, IdentifyError> {
    const LAGS: usize = 30;
    let Some(plain) = &fitted.plain else { return Ok(Vec::new()) };
    let [even, odd] = [RegressionData::new(robot, layout, &runs[0])?, RegressionData::new(robot, layout, &runs[1])?];
    let (p, rows) = (plain.columns.len(), even.len());
    let all: Vec<usize> = (0..rows).collect();
    let (mut square, mut right) = (DMatrix::zeros(p, p), DVector::zeros(p));
    let mut joints = Vec::new();
    for (joint, deviation) in fitted.deviations.iter().enumerate() {
        let scale = 1.0 / deviation.max(f64::MIN_POSITIVE);
        let of = |data: &RegressionData<'_>| -> Result<_, IdentifyError> {
            let Residuals { y, left, .. } = data.residuals(fitted, joint, &all)?;
            let tau = (left + &y * &fitted.parameters) * scale;
            Ok((y.select_columns(&plain.columns) * scale, tau))
        };
        let [(a, tau), (b, other)] = [of(&even)?, of(&odd)?];
        let tau = (tau + other) * 0.5;
        square += (a.tr_mul(&b) + b.tr_mul(&a)) * 0.5;
        let middle = (a + b) * 0.5;
        right += middle.tr_mul(&tau);
        joints.push((middle, tau));
    }
    // Columns of like size.
    let lengths = DVector::from_fn(p, |k, _| square[(k, k)].abs().sqrt().max(f64::MIN_POSITIVE));
    let scaled = DMatrix::from_fn(p, p, |i, j| square[(i, j)] / (lengths[i] * lengths[j]));
    let dependent = || IdentifyError::Dependent { rank: p.saturating_sub(1), columns: p };
    let inverse = scaled.try_inverse().ok_or_else(dependent)?;
    let inverse = DMatrix::from_fn(p, p, |i, j| inverse[(i, j)] / (lengths[i] * lengths[j]));
    let parameters = &inverse * right;
    // The residual may be correlated from row to row.
    let mut moments = DMatrix::zeros(rows, p);
    let mut lags = 0;
    for (mut middle, tau) in joints {
        let left = tau - &middle * &parameters;
        lags = lags.max(signal::autocorrelation(left.as_slice(), LAGS.min(rows / 10)).len() - 1);
        middle.column_iter_mut().for_each(|mut column| column.component_mul_assign(&left));
        moments += middle;
    }
    let covariance = &inverse * newey_west(&moments, lags, rows) * inverse.transpose();
    let of = |(k, &column): (usize, &usize)| (column, [parameters[k], covariance[(k, k)].max(0.0).sqrt()]);
    Ok(plain.columns.iter().enumerate().map(of).collect())
}
