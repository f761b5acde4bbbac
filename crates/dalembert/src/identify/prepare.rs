//! From a log to states with torques: even times, smoothed motion, filtered torque, and what was wrong with it.

use super::log::Log;
use crate::robot::{Joint, JointKind};
use crate::threads;
use dalembert_identify::butterworth::{LowPass, derivative};
use dalembert_identify::{IdentifyError, signal, smoother};
use serde::Serialize;

/// How positions become velocities and accelerations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Smoothing {
    /// Butterworth's low-pass forward and backward, then central differences.
    #[default]
    Butterworth,
    /// Rauch, Tung and Striebel's smoother, its variances by likelihood.
    Kalman,
}

/// What is done to a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preprocessing {
    /// How positions are smoothed.
    pub smoothing: Smoothing,
    /// Of the low-pass filter for positions, torques and regressors, Hz; none: 50 Hz, or a fifth of the sampling rate, and for
    /// positions less where their noise begins below.
    pub cutoff: Option<f64>,
    /// Only what was measured between these times counts, s.
    pub between: Option<[f64; 2]>,
}

/// The order of the low-pass filter; it passes twice.
pub(crate) const ORDER: usize = 4;
/// A log is worked on with at most about this rate, Hz.
const FASTEST: f64 = 500.0;
/// Below this rate, Hz, the velocities and accelerations of a log say more than differences of its positions.
const SLOWEST: f64 = 40.0;
/// By so much, as a share, the velocities of a log may be off from its positions and the accelerations from the velocities; sound logs
/// of 10 and 50 rows a second have up to 0.01 and, because an acceleration may change within a step, up to 0.5.
const BELONG: [f64; 2] = [0.1, 0.8];
/// Joints that go less than this share of the way of the joint that goes farthest are not asked.
const STANDS: f64 = 0.05;
/// A joint whose smoothed positions stay within so many deviations of their noise stands still.
const TREMBLES: f64 = 12.0;
/// No position is filtered below this, Hz.
const LEAST_CUTOFF: f64 = 2.0;
/// Oscillations of the cut-off that are left out beside a long hole.
const RINGS: f64 = 3.0;
/// What is beside the times that are asked for helps the filter at their ends, s.
const BESIDE: f64 = 0.5;

/// The quality of a log.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Health {
    /// Rows of the table.
    pub rows: usize,
    /// The usual step of its stamps, s.
    pub step: f64,
    /// Largest deviation of a step from the usual one, as a share of it, gaps aside.
    pub jitter: f64,
    /// Rows whose time is not after that of the row before.
    pub backward: usize,
    /// Steps longer than four usual ones.
    pub gaps: usize,
    /// The longest of them, s.
    pub longest_gap: f64,
    /// Rows without a time.
    pub unstamped: usize,
    /// Rows without a number, of each joint: of its position, of its torque.
    pub missing: Vec<[usize; 2]>,
    /// Jumps of each joint's position by whole turns, which were unwrapped.
    pub wrapped: Vec<usize>,
    /// Outliers of each joint: of its position, of its torque.
    pub outliers: Vec<[usize; 2]>,
    /// Share of the torque samples at a limit, of each joint.
    pub saturated: Vec<f64>,
    /// Share of the time at rest.
    pub rest: f64,
    /// Largest speed of each joint, rad/s (m/s).
    pub speeds: Vec<f64>,
    /// Noise of each joint's position: what smoothing removed, RMS, rad (m), away from gaps.
    pub noise: Vec<f64>,
    /// Rows at a time that have the same positions while the robot moves; one: every row is new.
    #[serde(skip)]
    pub repeats: usize,
    /// What became of the velocities and accelerations of a slow log.
    #[serde(skip)]
    pub rates: Option<LoggedRates>,
}

/// What became of the velocities and accelerations that a slow log has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoggedRates {
    /// They were used.
    Used,
    /// They do not belong to the positions, and were computed from these.
    Apart {
        /// The first such joint, from 0.
        joint: usize,
        /// How far the velocities are off from the positions, and the accelerations from the velocities, as shares.
        off: [f64; 2],
    },
}

/// How far velocities are off from positions, and accelerations from velocities, as shares of what changes from row to row, and the way
/// that the joint goes: by the trapezoidal rule, that of the positions with its correction h²/12 (q̈ − q̈′). Gaps, and turns by which
/// angles are wrapped, do not count.
fn apart(times: &[f64], step: f64, [q, qd, qdd]: [&[f64]; 3]) -> ([f64; 2], f64) {
    let (mut off, mut size) = ([0.0; 2], [0.0; 2]);
    for k in 1..times.len() {
        let h = times[k] - times[k - 1];
        let change = |of: &[f64]| of[k] - of[k - 1];
        let area = |of: &[f64]| 0.5 * h * (of[k] + of[k - 1]);
        let apart = [change(q) - area(qd) + h * h / 12.0 * change(qdd), change(qd) - area(qdd)];
        let changes = [change(q), change(qd)];
        let counts = h < 1.5 * step && changes[0].abs() < std::f64::consts::PI;
        if counts && apart.iter().all(|x| x.is_finite()) {
            (0..2).for_each(|i| (off[i], size[i]) = (off[i] + apart[i].abs(), size[i] + changes[i].abs()));
        }
    }
    ([0, 1].map(|i| off[i] / size[i].max(f64::MIN_POSITIVE)), size[0])
}

/// A run that is ready: even times, states, torques.
#[derive(Clone, Debug)]
pub struct PreparedLog {
    /// Of the log.
    pub name: String,
    /// s, between samples.
    pub step: f64,
    /// Time of the first sample, s.
    pub start: f64,
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
    /// Whether nothing is missing at or beside each sample; where it is, a bridge rings.
    pub sound: Vec<bool>,
    /// Samples that count: something moves there, and nothing is missing nearby.
    pub used: Vec<usize>,
    /// Speeds below which a joint rests, rad/s (m/s).
    pub resting: Vec<f64>,
    /// What was wrong with it.
    pub health: Health,
}

/// A log that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unusable {
    /// Its stamps or numbers.
    #[error("{0}")]
    Numbers(#[from] IdentifyError),
    /// A column without numbers.
    #[error("the {what} of joint {joint} has no numbers in {missing} of {rows} rows")]
    Missing {
        /// Position or torque.
        what: &'static str,
        /// From 1.
        joint: usize,
        /// Rows without.
        missing: usize,
        /// All rows.
        rows: usize,
    },
    /// Nothing moves.
    #[error("nothing moves in this log beyond the noise of its positions: the largest speed is {speed:.2e} rad/s")]
    AtRest {
        /// Of any joint.
        speed: f64,
    },
    /// No torque.
    #[error("all torques of this log are zero")]
    NoTorque,
    /// No torque of one joint.
    #[error("the torque of joint {joint} is zero in all rows: is it measured, and is this its column (--torque)?")]
    NoTorqueOf {
        /// From 1.
        joint: usize,
    },
    /// Not one second of motion.
    #[error("only {seconds:.3} s of motion are left after filtering, too little to fit anything")]
    TooShort {
        /// What is left.
        seconds: f64,
    },
}

/// Outliers are replaced by what is between their neighbours.
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

/// Samples of a signal and of what is missing in it.
struct SampleGrid {
    /// Every so many samples of the log count.
    every: usize,
    /// s, between samples of the log.
    raw: f64,
    /// How many count.
    count: usize,
}

impl SampleGrid {
    /// Whether nothing is missing at or beside each sample: beside a hole that is long for the filter it rings with the corner of what
    /// bridges it; a short one is hardly felt.
    fn sound(&self, holes: &mut Vec<usize>, slowest: f64, reach: usize) -> Vec<bool> {
        let mut sound = vec![true; self.count];
        holes.sort_unstable();
        holes.dedup();
        for hole in holes.chunk_by(|a, b| b - a == 1) {
            let long = hole.len() as f64 * self.raw > 0.25 / slowest;
            let step = self.raw * self.every as f64;
            let reach = if long { (RINGS / slowest / step).ceil() as usize } else { reach };
            let (first, last) = (hole[0] / self.every, hole[hole.len() - 1] / self.every);
            let end = (last + reach + 1).min(self.count);
            sound[first.saturating_sub(reach).min(end)..end].fill(false);
        }
        sound
    }
}

/// What is made of one joint's columns.
struct Signals {
    q: Vec<f64>,
    qd: Vec<f64>,
    qdd: Vec<f64>,
    measured: Vec<f64>,
    tau: Vec<f64>,
    /// Samples at which something is missing.
    holes: Vec<usize>,
    cutoff: f64,
    missing: [usize; 2],
    wrapped: usize,
    outliers: [usize; 2],
    saturated: f64,
    noise: f64,
    speed: f64,
}

impl PreparedLog {
    /// Makes a log ready.
    pub fn new(log: &Log, joints: &[Joint], preprocessing: &Preprocessing) -> Result<Self, Unusable> {
        let rows = log.times.len();
        let unstamped = log.times.iter().filter(|time| !time.is_finite()).count();
        let mut kept: Vec<usize> = (0..rows).filter(|&k| log.times[k].is_finite()).collect();
        if let Some([from, to]) = preprocessing.between {
            kept.retain(|&k| (from - BESIDE..=to + BESIDE).contains(&log.times[k]));
        }
        // Rows that only repeat what was measured before would look like steps.
        let repeats = signal::repeats(&log.positions).min(signal::repeats(&log.torques));
        if repeats > 1 {
            let mut last = None;
            kept.retain(|&k| {
                let new = k == 0 || log.positions.iter().any(|q| q[k] != q[k - 1]);
                let keep = new || last.is_none_or(|last| k >= last + repeats);
                last = if keep { Some(k) } else { last };
                keep
            });
        }
        let times: Vec<f64> = kept.iter().map(|&k| log.times[k]).collect();
        let stamps = signal::stamps(&times)?;
        let mut last = f64::NEG_INFINITY;
        kept.retain(|&k| {
            let rises = log.times[k] > last;
            last = if rises { log.times[k] } else { last };
            rises
        });
        let times: Vec<f64> = kept.iter().map(|&k| log.times[k]).collect();
        let pick = |values: &[f64]| -> Vec<f64> { kept.iter().map(|&k| values[k]).collect() };
        let (start, end) = (times[0], times[times.len() - 1]);
        let raw = stamps.step;
        let samples = ((end - start) / raw + 1e-6).floor() as usize + 1;
        let mut health = Health {
            rows,
            step: raw,
            jitter: stamps.jitter,
            repeats,
            backward: stamps.backward.len(),
            unstamped,
            gaps: stamps.gaps.len(),
            longest_gap: stamps.gaps.iter().map(|gap| gap.1).fold(0.0, f64::max),
            ..Health::default()
        };
        let rates = log.rates.as_ref().filter(|_| 1.0 / raw < SLOWEST);
        let belongs = |[velocities, accelerations]: &[Vec<Vec<f64>>; 2]| {
            let joints = log.positions.len().min(velocities.len()).min(accelerations.len());
            let off = |i: usize| {
                apart(&times, raw, [&pick(&log.positions[i]), &pick(&velocities[i]), &pick(&accelerations[i])])
            };
            let all: Vec<([f64; 2], f64)> = (0..joints).map(off).collect();
            // What a joint that stands still does is noise.
            let farthest = all.iter().map(|(_, way)| *way).fold(0.0, f64::max);
            let wrong =
                |(off, way): &([f64; 2], f64)| *way > STANDS * farthest && (off[0] > BELONG[0] || off[1] > BELONG[1]);
            all.iter()
                .position(wrong)
                .map_or(LoggedRates::Used, |joint| LoggedRates::Apart { joint, off: all[joint].0 })
        };
        health.rates = rates.map(belongs);
        let rates = rates.filter(|_| health.rates == Some(LoggedRates::Used));
        let share = if rates.is_some() { 0.45 } else { 0.2 };
        let cutoff = preprocessing.cutoff.unwrap_or((share / raw).min(50.0));
        // Far above the cut-off a lower rate loses nothing: an anti-aliasing filter first, then every k-th sample.
        let every = ((1.0 / raw / FASTEST + 1e-6).floor() as usize).max(1);
        let step = raw * every as f64;
        let filter = LowPass::new(ORDER, cutoff, step)?;
        let coarse = if every > 1 { Some(LowPass::new(ORDER, 0.4 / step, raw)?) } else { None };
        let reach = ((0.5 / cutoff) / step).ceil() as usize;
        let mut slowest = cutoff;
        let grid = SampleGrid { every, raw, count: samples.div_ceil(every) };
        let mut all = Self {
            name: log.name.clone(),
            step,
            start,
            q: Vec::new(),
            qd: Vec::new(),
            qdd: Vec::new(),
            measured: Vec::new(),
            tau: Vec::new(),
            cutoff,
            sound: Vec::new(),
            used: Vec::new(),
            resting: Vec::new(),
            health: Health::default(),
        };
        // Joints are independent of each other.
        let one = |i: usize| -> Result<Signals, Unusable> {
            let (position, torque) = (&log.positions[i], &log.torques[i]);
            let missing = |what, values: &[f64]| {
                let missing = values.iter().filter(|value| value.is_nan()).count();
                match missing * 2 > rows {
                    true => Err(Unusable::Missing { what, joint: i + 1, missing, rows }),
                    false => Ok(missing),
                }
            };
            let missing = [missing("position", position)?, missing("torque", torque)?];
            let mut position = pick(position);
            let turns = joints.get(i).is_some_and(|joint| joint.kind == JointKind::Revolute);
            let wrapped = if turns { signal::unwrap(&times, &mut position) } else { 0 };
            let (position, off) = without_outliers(position);
            let (torque, off_torque) = without_outliers(pick(torque));
            let saturated = signal::saturated(&torque, 5);
            // Small holes are bridged; what lies in longer ones does not count.
            let even = |values: &[f64]| signal::resample(&times, values, start, raw, samples, f64::INFINITY);
            let mut holes = Vec::new();
            for values in [&position, &torque] {
                if stamps.gaps.is_empty() && !values.iter().any(|value| value.is_nan()) {
                    continue;
                }
                let there = signal::resample(&times, values, start, raw, samples, 4.0 * raw)?;
                holes.extend((0..samples).filter(|&k| there[k].is_nan()));
            }
            let down = |values: Vec<f64>| -> Vec<f64> {
                match &coarse {
                    Some(filter) => filter.filter(&values).into_iter().step_by(every).collect(),
                    None => values,
                }
            };
            let fill = |mut values: Vec<f64>| {
                // Before the first and after the last number: that number.
                let mut last = values.iter().copied().find(|value| !value.is_nan()).unwrap_or(0.0);
                for value in &mut values {
                    if value.is_nan() {
                        *value = last;
                    }
                    last = *value;
                }
                values
            };
            let q_even = fill(even(&position)?);
            let mut own = cutoff;
            let (q, qd, qdd) = match preprocessing.smoothing {
                _ if let Some([velocities, accelerations]) = rates => {
                    let of = |values: &[f64]| even(&pick(values)).map(fill);
                    (q_even.clone(), of(&velocities[i])?, of(&accelerations[i])?)
                }
                Smoothing::Butterworth => {
                    // Noise that the filter lets through makes accelerations larger than they are, and inertias smaller.
                    if preprocessing.cutoff.is_none() {
                        let likely = smoother::variances(&times, &position)?.cutoff(raw);
                        own = likely.clamp(LEAST_CUTOFF.min(cutoff), cutoff);
                    }
                    let q = LowPass::new(ORDER, own, step)?.filter(&down(q_even.clone()));
                    let qd = derivative(&q, step);
                    let qdd = derivative(&qd, step);
                    (q, qd, qdd)
                }
                Smoothing::Kalman => {
                    let even_times: Vec<f64> = (0..samples).map(|k| start + raw * k as f64).collect();
                    let variances = smoother::variances(&times, &position)?;
                    let smoothed = smoother::smooth(&even_times, &q_even, variances)?;
                    let thin = |values: Vec<f64>| values.into_iter().step_by(every).collect::<Vec<f64>>();
                    (thin(smoothed.q), thin(smoothed.qd), thin(smoothed.qdd))
                }
            };
            let sound = grid.sound(&mut holes, own, reach);
            let off_by = |k: usize| (q[k] - q_even[k * every]).powi(2);
            let among = || (0..q.len()).filter(|&k| sound[k]);
            let noise = among().map(off_by).sum::<f64>() / among().count().max(1) as f64;
            let speed = among().fold(0.0_f64, |most, k| most.max(qd[k].abs()));
            let measured = down(fill(even(&torque)?));
            let tau = filter.filter(&measured);
            let (noise, outliers) = (noise.sqrt(), [off, off_torque]);
            Ok(Signals {
                q,
                qd,
                qdd,
                measured,
                tau,
                holes,
                cutoff: own,
                missing,
                wrapped,
                outliers,
                saturated,
                noise,
                speed,
            })
        };
        let mut holes = Vec::new();
        for signals in threads::each(log.positions.len().min(log.torques.len()), one) {
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
        all.sound = grid.sound(&mut holes, slowest, reach);
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
        if rates.is_none() && ends < last / 10 {
            usable[..ends].fill(false);
            usable[last - ends..].fill(false);
        }
        if let Some([from, to]) = preprocessing.between {
            let inside = |k: usize| (from..=to).contains(&(start + step * k as f64));
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
            let (low, high) =
                self.q[i].iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), q| (a.min(*q), b.max(*q)));
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
    fn every(&self) -> usize {
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

    /// Time of a sample, s.
    pub fn time(&self, sample: usize) -> f64 {
        self.start + self.step * sample as f64
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
