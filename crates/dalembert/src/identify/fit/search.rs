//! Nonlinear parameters: velocities of friction, and the delay of the torque.

use super::{EXACT, Fitted, FrictionSpeeds, LONGEST_DELAY, RegressionData, SEARCHED, thinned};
use crate::identify::columns::FrictionTerm;
use crate::threads;
use dalembert_identify::IdentifyError;
use dalembert_identify::friction::{self, orthonormal};
use dalembert_identify::search::least;
use nalgebra::{DMatrix, DVector};

/// The most likely delay of measured torques, s, within [`LONGEST_DELAY`]; `left` maps a joint and a delay to the share of the torque's square
/// in the residual. Where every joint has noise of its own, the sum of logarithms is least: a joint that is not explained hardly counts.
pub(crate) fn likely_delay(joints: usize, left: impl Fn(usize, f64) -> f64) -> f64 {
    let unlikely = |delay: f64| (0..joints).map(|joint| (left(joint, delay) + EXACT).ln()).sum::<f64>();
    let best = least(-LONGEST_DELAY, LONGEST_DELAY, 51, unlikely);
    // Nothing gained is nothing found.
    let gained = unlikely(0.0) - best.value > 0.002 * joints as f64;
    if gained { best.at } else { 0.0 }
}

impl RegressionData<'_> {
    /// How the torque of a joint at some rows changes with the speed of a part, for a factor of 1.
    pub(crate) fn speed_slope(
        &self,
        joint: usize,
        rows: &[usize],
        part: FrictionTerm,
        speed: f64,
    ) -> Result<DVector<f64>, IdentifyError> {
        // A hundredth of the speed either way: the column goes through the filter as it is.
        let [low, high] = [0.99 * speed, 1.01 * speed];
        let [a, b] = [high, low].map(|speed| self.friction_column(joint, rows, part, speed));
        Ok((a? - b?) / (high - low))
    }

    /// The speeds of friction of each joint from some rows: of the two shapes the one with the smaller residual, where it explains anything.
    pub(super) fn speeds(&self, rows: &[usize], delay: f64) -> Result<FrictionSpeeds, IdentifyError> {
        let one = |joint: usize| -> Result<[Option<f64>; 2], IdentifyError> {
            let falls = self.layout.friction_of(FrictionTerm::Stribeck, joint);
            let rises =
                self.layout.friction_of(FrictionTerm::Sign, joint).filter(|_| self.layout.parameterization.tanh);
            if falls.is_none() && rises.is_none() {
                return Ok([None; 2]);
            }
            let (mut y, known) = self.columns(joint, rows, &FrictionSpeeds::default())?;
            let tau = self.measured(joint, rows, delay) - known;
            let speeds = self.speeds_of(joint, rows);
            let fastest = speeds.amax();
            let resting = self.runs.iter().map(|run| run.resting[joint]).fold(0.0, f64::max);
            if fastest < 20.0 * resting || rows.len() < y.ncols() + 10 {
                return Ok([None; 2]);
            }
            // One parameter more lowers the error by about its share of the rows; ten times that is no accident.
            let explains = |without: f64, left: f64| (without - left) / left > 10.0 / rows.len() as f64;
            let between = [4.0 * resting, 0.7 * fastest];
            let sign = self.layout.friction_of(FrictionTerm::Sign, joint).map(|k| (k, y.column(k).into_owned()));
            sign.iter().for_each(|(k, _)| y.column_mut(*k).fill(0.0));
            let rest = friction::FrictionResidual::new(&y, &tau)?;
            let dry = sign.as_ref().map_or_else(|| rest.clone(), |(_, column)| rest.and(column));
            let (mut best, mut least) = ([None; 2], dry.left());
            if falls.is_some() {
                let part = |at: f64| speeds.map(|v| friction::stribeck(v, 0.5 * resting, at));
                let found = dry.speed(part, between)?;
                if explains(dry.left(), found.value) {
                    (best, least) = ([Some(found.at), None], found.value);
                }
            }
            if rises.is_some() {
                let found = rest.speed(|at: f64| speeds.map(|v| friction::sign(v, at)), between)?;
                // Judged by the column as it is fitted, which goes through the filter.
                let [left, factor] = rest.with(&self.friction_column(joint, rows, FrictionTerm::Sign, found.at)?);
                if factor > 0.0 && left < least && explains(dry.left(), left) {
                    best = [None, Some(found.at)];
                }
            }
            Ok(best)
        };
        let all = threads::each(self.joints(), one).into_iter().collect::<Result<Vec<_>, _>>()?;
        let of = |k: usize| all.iter().map(|found| found[k]).collect();
        Ok(FrictionSpeeds { stribeck: of(0), smoothing: of(1) })
    }

    /// Squared residual of plain least squares over the torque of each joint, as a function of the delay.
    pub(super) fn left_when_late<'s>(
        &'s self,
        rows: &'s [usize],
        speeds: &FrictionSpeeds,
    ) -> Result<impl Fn(usize, f64) -> f64 + 's, IdentifyError> {
        let bases = threads::each(self.joints(), |joint| {
            self.columns(joint, rows, speeds).map(|(y, known)| (orthonormal(&y), known))
        });
        let bases = bases.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(move |joint: usize, delay: f64| {
            let (basis, known): &(DMatrix<f64>, DVector<f64>) = &bases[joint];
            let tau = self.measured(joint, rows, delay) - known;
            let along = basis.tr_mul(&tau);
            let energy = tau.norm_squared();
            if energy > 0.0 { (energy - along.norm_squared()).max(0.0) / energy } else { 0.0 }
        })
    }

    /// Joints whose own torque is later than those of the others by more than a few samples, s, where that explains it far better.
    pub(crate) fn late_joints(&self, fitted: &Fitted) -> Result<Vec<(usize, f64)>, IdentifyError> {
        /// By so much, s; the squared residual is then at most this share.
        const APART: f64 = 4e-3;
        const FALLS: f64 = 0.5;
        let rows = thinned(&self.all(), SEARCHED);
        let left = self.left_when_late(&rows, &fitted.speeds)?;
        let own = |joint: usize| {
            let best = least(-LONGEST_DELAY, LONGEST_DELAY, 51, |delay| left(joint, delay));
            let apart = best.at - fitted.delay;
            let explains = best.value + EXACT < FALLS * (left(joint, fitted.delay) + EXACT);
            (apart.abs() > APART && explains).then_some((joint, apart))
        };
        Ok((0..self.joints()).filter_map(own).collect())
    }
}
