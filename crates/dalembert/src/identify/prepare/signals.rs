//! The signals of one joint: resampled to even times, smoothed and filtered.

use super::health::{Health, LoggedRates, StampedRows};
use super::{ORDER, Preprocessing, Smoothing, Unusable};
use crate::identify::log::Log;
use dalembert_identify::butterworth::{LowPass, derivative};
use dalembert_identify::{IdentifyError, signal, smoother};

/// A log is worked on with at most about this rate, Hz.
const FASTEST: f64 = 500.0;
/// No position is filtered below this, Hz.
const LEAST_CUTOFF: f64 = 2.0;

/// Even samples: what is common to all joints.
pub(super) struct EvenSampling<'a> {
    log: &'a Log,
    preprocessing: &'a Preprocessing,
    rows: StampedRows,
    has_gaps: bool,
    /// Velocities and accelerations of the log, where they are used.
    pub rates: Option<&'a [Vec<Vec<f64>>; 2]>,
    /// Time of the first sample, s.
    pub start: f64,
    /// Samples before every so many of them are taken.
    samples: usize,
    every: usize,
    /// s, between the samples that are taken.
    pub step: f64,
    /// Of torques, Hz.
    pub cutoff: f64,
    filter: LowPass,
    /// Before samples are left out.
    coarse: Option<LowPass>,
}

/// What is made of one joint's columns.
pub(super) struct Signals {
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    pub qdd: Vec<f64>,
    pub measured: Vec<f64>,
    pub tau: Vec<f64>,
    /// Samples at which something is missing.
    pub holes: Vec<usize>,
    pub cutoff: f64,
    pub missing: [usize; 2],
    pub wrapped: usize,
    pub outliers: [usize; 2],
    pub saturated: f64,
    pub noise: f64,
    pub speed: f64,
}

/// Outliers become NaN.
fn without_outliers(mut values: Vec<f64>) -> (Vec<f64>, usize) {
    /// In robust deviations: a real motion stays far below.
    const FAR: f64 = 12.0;
    let found = signal::outliers(&values, FAR);
    // More than a hundredth are no outliers but the signal.
    if found.is_empty() || found.len() * 100 > values.len() {
        return (values, 0);
    }
    found.iter().for_each(|&k| values[k] = f64::NAN);
    (values, found.len())
}

/// Before the first and after the last number: that number.
fn filled(mut values: Vec<f64>) -> Vec<f64> {
    let mut last = values.iter().copied().find(|value| !value.is_nan()).unwrap_or(0.0);
    for value in &mut values {
        if value.is_nan() {
            *value = last;
        }
        last = *value;
    }
    values
}

impl<'a> EvenSampling<'a> {
    pub fn new(
        log: &'a Log,
        rows: StampedRows,
        health: &Health,
        preprocessing: &'a Preprocessing,
    ) -> Result<Self, IdentifyError> {
        let (raw, start, end) = (rows.step, rows.times[0], rows.times[rows.times.len() - 1]);
        let samples = ((end - start) / raw + 1e-6).floor() as usize + 1;
        let rates = log.rates.as_ref().filter(|_| health.rates == Some(LoggedRates::Used));
        let share = if rates.is_some() { 0.45 } else { 0.2 };
        let cutoff = preprocessing.cutoff.unwrap_or((share / raw).min(50.0));
        // Far above the cut-off a lower rate loses nothing: an anti-aliasing filter first, then every k-th sample.
        let every = ((1.0 / raw / FASTEST + 1e-6).floor() as usize).max(1);
        let step = raw * every as f64;
        let filter = LowPass::new(ORDER, cutoff, step)?;
        let coarse = if every > 1 { Some(LowPass::new(ORDER, 0.4 / step, raw)?) } else { None };
        let has_gaps = health.gaps > 0;
        Ok(Self { log, preprocessing, rows, has_gaps, rates, start, samples, every, step, cutoff, filter, coarse })
    }

    /// Whether nothing is missing at or next to each sample: next to a hole that is long for the filter it rings with the corner of what
    /// bridges it; a short one has hardly an effect.
    pub fn sound(&self, holes: &mut Vec<usize>, slowest: f64) -> Vec<bool> {
        /// Oscillations of the cut-off that are left out next to a long hole.
        const RINGS: f64 = 3.0;
        let near = ((0.5 / self.cutoff) / self.step).ceil() as usize;
        let count = self.samples.div_ceil(self.every);
        let mut sound = vec![true; count];
        holes.sort_unstable();
        holes.dedup();
        for hole in holes.chunk_by(|a, b| b - a == 1) {
            let long = hole.len() as f64 * self.rows.step > 0.25 / slowest;
            let reach = if long { (RINGS / slowest / self.step).ceil() as usize } else { near };
            let (first, last) = (hole[0] / self.every, hole[hole.len() - 1] / self.every);
            let end = (last + reach + 1).min(count);
            sound[first.saturating_sub(reach).min(end)..end].fill(false);
        }
        sound
    }

    /// At even times; NaN where there is no number nearer than this, s.
    fn even(&self, values: &[f64], nearest: f64) -> Result<Vec<f64>, IdentifyError> {
        signal::resample(&self.rows.times, values, self.start, self.rows.step, self.samples, nearest)
    }

    /// Every so many samples, behind the anti-aliasing filter.
    fn down(&self, values: &[f64]) -> Vec<f64> {
        match &self.coarse {
            Some(filter) => filter.filter(values).into_iter().step_by(self.every).collect(),
            None => values.to_vec(),
        }
    }

    /// Smoothed position, velocity and acceleration, and the cut-off frequency of the positions.
    fn motion(&self, i: usize, position: &[f64], q_even: &[f64]) -> Result<([Vec<f64>; 3], f64), IdentifyError> {
        let (raw, times) = (self.rows.step, &self.rows.times);
        if let Some([velocities, accelerations]) = self.rates {
            let of = |values: &[f64]| self.even(&self.rows.pick(values), f64::INFINITY).map(filled);
            return Ok(([q_even.to_vec(), of(&velocities[i])?, of(&accelerations[i])?], self.cutoff));
        }
        Ok(match self.preprocessing.smoothing {
            Smoothing::Butterworth => {
                // Noise that passes the filter makes accelerations larger than they are, and inertias smaller.
                let own = match self.preprocessing.cutoff {
                    Some(_) => self.cutoff,
                    None => {
                        let likely = smoother::variances(times, position)?.cutoff(raw);
                        likely.clamp(LEAST_CUTOFF.min(self.cutoff), self.cutoff)
                    }
                };
                let q = LowPass::new(ORDER, own, self.step)?.filter(&self.down(q_even));
                let qd = derivative(&q, self.step);
                let qdd = derivative(&qd, self.step);
                ([q, qd, qdd], own)
            }
            Smoothing::Kalman => {
                let even_times: Vec<f64> = (0..self.samples).map(|k| self.start + raw * k as f64).collect();
                let variances = smoother::variances(times, position)?;
                let smoothed = smoother::smooth(&even_times, q_even, variances)?;
                let thin = |values: Vec<f64>| values.into_iter().step_by(self.every).collect::<Vec<f64>>();
                ([smoothed.q, smoothed.qd, smoothed.qdd].map(thin), self.cutoff)
            }
        })
    }

    /// The signals of a joint.
    pub fn joint(&self, i: usize, is_revolute: bool) -> Result<Signals, Unusable> {
        let (position, torque, rows) = (&self.log.positions[i], &self.log.torques[i], self.log.times.len());
        let missing = |what, values: &[f64]| {
            let missing = values.iter().filter(|value| value.is_nan()).count();
            match missing * 2 > rows {
                true => Err(Unusable::Missing { what, joint: i + 1, missing, rows }),
                false => Ok(missing),
            }
        };
        let missing = [missing("position", position)?, missing("torque", torque)?];
        let mut position = self.rows.pick(position);
        let wrapped = if is_revolute { signal::unwrap(&self.rows.times, &mut position) } else { 0 };
        let (position, off) = without_outliers(position);
        let (torque, off_torque) = without_outliers(self.rows.pick(torque));
        let saturated = signal::saturated(&torque, 5);
        // Small holes are bridged; what lies in longer ones does not count.
        let mut holes = Vec::new();
        for values in [&position, &torque] {
            if self.has_gaps || values.iter().any(|value| value.is_nan()) {
                let there = self.even(values, 4.0 * self.rows.step)?;
                holes.extend((0..self.samples).filter(|&k| there[k].is_nan()));
            }
        }
        let q_even = filled(self.even(&position, f64::INFINITY)?);
        let ([q, qd, qdd], cutoff) = self.motion(i, &position, &q_even)?;
        let sound = self.sound(&mut holes, cutoff);
        let off_by = |k: usize| (q[k] - q_even[k * self.every]).powi(2);
        let among = || (0..q.len()).filter(|&k| sound[k]);
        let noise = (among().map(off_by).sum::<f64>() / among().count().max(1) as f64).sqrt();
        let speed = among().fold(0.0_f64, |most, k| most.max(qd[k].abs()));
        let measured = self.down(&filled(self.even(&torque, f64::INFINITY)?));
        let tau = self.filter.filter(&measured);
        let outliers = [off, off_torque];
        Ok(Signals { q, qd, qdd, measured, tau, holes, cutoff, missing, wrapped, outliers, saturated, noise, speed })
    }
}
