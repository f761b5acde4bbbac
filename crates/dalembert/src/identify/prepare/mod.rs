//! A log becomes states with torques: even times, smoothed motion, filtered torque.

mod health;
mod signals;

pub use health::{Health, LoggedRates};

use self::health::StampedRows;
use self::signals::EvenSampling;
use super::log::Log;
use crate::robot::{Joint, JointKind, JointState, JointVector};
use crate::threads;
use dalembert_identify::butterworth::LowPass;
use dalembert_identify::{IdentifyError, signal};

/// How positions become velocities and accelerations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Smoothing {
    /// Butterworth's low-pass forward and backward, then central differences.
    #[default]
    Butterworth,
    /// Rauch, Tung and Striebel's smoother, its variances by likelihood.
    Kalman,
}

/// How a log is smoothed and filtered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preprocessing {
    /// How positions are smoothed.
    pub smoothing: Smoothing,
    /// Cut-off frequency for positions, torques and regressors, Hz; none: 50 Hz, or a fifth of the sampling rate, and for
    /// positions less where their noise begins below.
    pub cutoff: Option<f64>,
    /// Only what was measured between these times counts, s.
    pub between: Option<[f64; 2]>,
}

/// The order of the low-pass filter; it passes twice.
pub(crate) const ORDER: usize = 4;
/// A joint whose smoothed positions stay within so many deviations of their noise stands still.
const TREMBLES: f64 = 12.0;

/// A prepared log: even times, states, torques.
#[derive(Clone, Debug, Default)]
pub struct PreparedLog {
    /// Of the log.
    pub name: String,
    /// s, between samples.
    pub step: f64,
    /// Time of the first sample, s.
    pub start: f64,
    /// Time that is cut out of long gaps: from which time on the grid, and how much in all before it, s.
    pub cuts: Vec<(f64, f64)>,
    /// Positions of each joint.
    pub q: Vec<Vec<f64>>,
    /// Velocities.
    pub qd: Vec<Vec<f64>>,
    /// Accelerations.
    pub qdd: Vec<Vec<f64>>,
    /// Torques as they were measured, of each joint.
    pub measured: Vec<Vec<f64>>,
    /// Torques behind the low-pass filter.
    pub tau: Vec<Vec<f64>>,
    /// The filter's cut-off, Hz.
    pub cutoff: f64,
    /// Whether nothing is missing at or next to each sample; where it is, the filter rings.
    pub sound: Vec<bool>,
    /// Samples that count: something moves there, and nothing is missing nearby.
    pub used: Vec<usize>,
    /// Speeds below which a joint rests, rad/s (m/s).
    pub resting: Vec<f64>,
    /// Its quality.
    pub health: Health,
}

/// A log that cannot be used. Joints are numbered from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // of the fields: the texts name them
pub enum Unusable {
    /// Its stamps or numbers.
    #[error("{0}")]
    Numbers(#[from] IdentifyError),
    /// A column without numbers.
    #[error("the {what} of joint {joint} has no numbers in {missing} of {rows} rows")]
    Missing { what: &'static str, joint: usize, missing: usize, rows: usize },
    /// Nothing moves.
    #[error("nothing moves in this log beyond the noise of its positions: the largest speed is {speed:.2e} rad/s")]
    AtRest { speed: f64 },
    /// No torque.
    #[error("all torques of this log are zero")]
    NoTorque,
    /// No torque of one joint.
    #[error("the torque of joint {joint} is zero in all rows: is it measured, and is this its column?")]
    NoTorqueOf { joint: usize },
    /// Not one second of motion.
    #[error("only {seconds:.3} s of motion are left after filtering, too little to fit anything")]
    TooShort { seconds: f64 },
}

impl PreparedLog {
    /// Resamples, smooths and filters a log.
    pub fn new(log: &Log, joints: &[Joint], preprocessing: &Preprocessing) -> Result<Self, Unusable> {
        let (rows, mut health) = StampedRows::new(log, preprocessing)?;
        let cuts = rows.cuts.clone();
        let sampling = EvenSampling::new(log, rows, &health, preprocessing)?;
        let EvenSampling { step, start, cutoff, .. } = sampling;
        let mut all = Self { name: log.name.clone(), step, start, cuts, cutoff, ..Self::default() };
        let is_revolute = |i: usize| joints.get(i).is_some_and(|joint| joint.kind == JointKind::Revolute);
        let (mut holes, mut slowest) = (Vec::new(), cutoff);
        // Joints are independent of each other.
        let count = log.positions.len().min(log.torques.len());
        for signals in threads::each(count, |i| sampling.joint(i, is_revolute(i))) {
            let signals = signals?;
            holes.extend(signals.holes);
            slowest = slowest.min(signals.cutoff);
            health.missing.push(signals.missing);
            health.wrapped.push(signals.wrapped);
            health.outliers.push(signals.outliers);
            health.saturated.push(signals.saturated);
            health.noise.push(signals.noise);
            health.speeds.push(signals.speed);
            all.q.push(signals.q);
            all.qd.push(signals.qd);
            all.qdd.push(signals.qdd);
            all.tau.push(signals.tau);
            all.measured.push(signals.measured);
        }
        all.sound = sampling.sound(&mut holes, slowest);
        let mut usable = all.sound.clone();
        if all.measured.iter().flatten().all(|tau| *tau == 0.0) {
            return Err(Unusable::NoTorque);
        }
        if let Some(joint) = all.measured.iter().position(|tau| tau.iter().all(|tau| *tau == 0.0)) {
            return Err(Unusable::NoTorqueOf { joint: joint + 1 });
        }
        // At the ends a filter has to guess how the motion goes on.
        let ends = ((1.0 / slowest) / step).ceil() as usize;
        let last = usable.len();
        if sampling.rates.is_none() && ends < last / 10 {
            usable[..ends].fill(false);
            usable[last - ends..].fill(false);
        }
        if let Some([from, to]) = preprocessing.between {
            let inside = |k: usize| (from..=to).contains(&all.time(k));
            usable.iter_mut().enumerate().for_each(|(k, usable)| *usable &= inside(k));
        }
        all.find_motion(joints, &usable, &mut health)?;
        all.health = health;
        Ok(all)
    }

    fn find_motion(&mut self, joints: &[Joint], usable: &[bool], health: &mut Health) -> Result<(), Unusable> {
        let samples = self.q[0].len();
        // A joint rests below a two-hundredth of its largest speed, and below what its noise looks like.
        let slowest = |i: usize| match joints[i].kind {
            JointKind::Revolute => 1e-3,
            JointKind::Prismatic => 1e-4,
        };
        self.resting = (0..joints.len()).map(|i| (0.005 * health.speeds[i]).max(slowest(i))).collect();
        let speeds: Vec<&[f64]> = self.qd.iter().map(Vec::as_slice).collect();
        let reach = (0.05 / self.step).ceil() as usize;
        // Motion of the liveliest joints: a joint that only trembles does not make the robot move. Smoothed noise stays within a few of
        // its deviations.
        let trembles = |i: usize| {
            let [low, high] = signal::extremes(&self.q[i]);
            high - low < TREMBLES * health.noise[i]
        };
        let moves = |i: usize| health.speeds[i] > 5.0 * slowest(i) && !trembles(i);
        let thresholds: Vec<f64> =
            (0..joints.len()).map(|i| if moves(i) { 2.0 * self.resting[i] } else { f64::INFINITY }).collect();
        let moving = signal::moving(&speeds, &thresholds, reach);
        health.rest = moving.iter().filter(|moves| !**moves).count() as f64 / samples.max(1) as f64;
        let counts = |&k: &usize| moving[k] && usable[k.min(usable.len() - 1)];
        self.used = (0..samples).step_by(self.every()).filter(counts).collect();
        let seconds = self.seconds();
        if moving.iter().all(|moves| !moves) {
            return Err(Unusable::AtRest { speed: health.speeds.iter().copied().fold(0.0, f64::max) });
        }
        if seconds < 0.2 || self.used.len() < 20 {
            return Err(Unusable::TooShort { seconds });
        }
        Ok(())
    }

    /// Every so many samples count: two for each oscillation that the filter lets through.
    pub(crate) fn every(&self) -> usize {
        ((0.5 / (self.cutoff * self.step) + 1e-6).floor() as usize).max(1)
    }

    /// How long it moves, as far as it counts, s.
    pub fn seconds(&self) -> f64 {
        (self.used.len() * self.every()) as f64 * self.step
    }

    /// The filter that torques and regressors go through.
    pub fn filter(&self) -> Result<LowPass, IdentifyError> {
        LowPass::new(ORDER, self.cutoff, self.step)
    }

    /// The joints at a sample.
    pub fn state(&self, sample: usize) -> JointState {
        let [q, qd, qdd] = [&self.q, &self.qd, &self.qdd].map(|of| JointVector::from_fn(of.len(), |i| of[i][sample]));
        JointState { q, qd, qdd }
    }

    /// Time of a sample, s.
    pub fn time(&self, sample: usize) -> f64 {
        let time = self.start + self.step * sample as f64;
        let cuts = self.cuts.partition_point(|(from, _)| *from <= time + 0.5 * self.step);
        time + cuts.checked_sub(1).map_or(0.0, |last| self.cuts[last].1)
    }

    /// The filtered torque of a joint at a sample and a delay later, between samples by Catmull and Rom's cubic.
    pub fn torque(&self, joint: usize, sample: usize, delay: f64) -> f64 {
        let tau = &self.tau[joint];
        let at = (sample as f64 + delay / self.step).clamp(0.0, (tau.len() - 1) as f64);
        let k = at.floor() as usize;
        let s = at - k as f64;
        let of = |k: usize| tau[k.min(tau.len() - 1)];
        let (a, b, c, d) = (of(k.saturating_sub(1)), of(k), of(k + 1), of(k + 2));
        b + 0.5 * s * (c - a + s * (2.0 * a - 5.0 * b + 4.0 * c - d + s * (3.0 * (b - c) + d - a)))
    }
}
