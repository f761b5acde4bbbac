//! The rows of a log that are used, its quality, and whether its velocities and accelerations can be used.

use super::Preprocessing;
use crate::identify::log::Log;
use dalembert_identify::{IdentifyError, signal};
use serde::Serialize;

/// Below this rate, Hz, the velocities and accelerations of a log say more than differences of its positions.
const SLOWEST: f64 = 40.0;
/// By so much, as a share, the velocities of a log may be off from its positions and the accelerations from the velocities; sound logs
/// of 10 and 50 rows a second have up to 0.01 and, because an acceleration may change within a step, up to 0.5.
const BELONG: [f64; 2] = [0.1, 0.8];
/// Joints that go less than this share of the way of the joint that goes farthest are not asked.
const STANDS: f64 = 0.05;
/// Data next to the times asked for help the filter at their ends, s.
const MARGIN: f64 = 0.5;

/// The quality of a log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Health {
    /// Rows of the table.
    pub rows: usize,
    /// The usual step of its stamps, s.
    pub step: f64,
    /// Largest deviation of a step from the usual one, as a share of it, gaps aside.
    pub jitter: f64,
    /// Rows whose time is not after that of the row before, or far ahead of those of the next rows.
    pub backward: usize,
    /// The first of them, from 1.
    pub first_backward: Option<usize>,
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

impl LoggedRates {
    /// Whether the velocities and accelerations of a slow log belong to its positions.
    fn of(log: &Log, rows: &StampedRows) -> Option<Self> {
        let [velocities, accelerations] = log.rates.as_ref().filter(|_| 1.0 / rows.step < SLOWEST)?;
        let joints = log.positions.len().min(velocities.len()).min(accelerations.len());
        let off = |i: usize| {
            let [q, qd, qdd] = [&log.positions[i], &velocities[i], &accelerations[i]].map(|values| rows.pick(values));
            apart(&rows.times, rows.step, [&q, &qd, &qdd])
        };
        let all: Vec<([f64; 2], f64)> = (0..joints).map(off).collect();
        // What a joint that stands still does is noise.
        let farthest = all.iter().map(|(_, way)| *way).fold(0.0, f64::max);
        let wrong =
            |(off, way): &([f64; 2], f64)| *way > STANDS * farthest && (off[0] > BELONG[0] || off[1] > BELONG[1]);
        Some(all.iter().position(wrong).map_or(Self::Used, |joint| Self::Apart { joint, off: all[joint].0 }))
    }
}

/// Rows of a log whose stamps rise.
pub(super) struct StampedRows {
    kept: Vec<usize>,
    /// Without the time that is cut out of long gaps, s.
    pub times: Vec<f64>,
    /// From which of these times on how much is cut out before, s.
    pub cuts: Vec<(f64, f64)>,
    /// The usual step, s.
    pub step: f64,
}

/// Cuts time out of gaps, so that the even grid over all of it has at most four samples for each row: half of the steps are not longer than
/// the usual one, other steps than gaps not longer than four, and all gaps together than the rows. From which time on how much is cut out.
fn without_long_gaps(times: &mut [f64], step: f64, gaps: usize) -> Vec<(f64, f64)> {
    let longest = (times.len() / gaps.max(1)).max(4) as f64;
    let (mut cuts, mut cut, mut last) = (Vec::new(), 0.0, f64::INFINITY);
    for time in times {
        // A whole number of steps, so that the grid is where it was.
        let more = ((*time - last) / step - longest).floor();
        last = *time;
        if more > 0.0 {
            cut += more * step;
            cuts.push((*time - cut, cut));
        }
        *time -= cut;
    }
    cuts
}

impl StampedRows {
    /// Without rows outside the times asked for, without repeated rows, and without those whose stamps do not rise; and the quality of
    /// the stamps.
    pub fn new(log: &Log, preprocessing: &Preprocessing) -> Result<(Self, Health), IdentifyError> {
        let rows = log.times.len();
        let mut kept: Vec<usize> = (0..rows).filter(|&k| log.times[k].is_finite()).collect();
        let unstamped = rows - kept.len();
        if let Some([from, to]) = preprocessing.between {
            kept.retain(|&k| (from - MARGIN..=to + MARGIN).contains(&log.times[k]));
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
        let stamps = signal::stamps(&kept.iter().map(|&k| log.times[k]).collect::<Vec<f64>>())?;
        let first_backward = stamps.wrong.first().map(|&k| kept[k] + 1);
        let mut place = 0..;
        kept.retain(|_| place.next().is_some_and(|place: usize| stamps.wrong.binary_search(&place).is_err()));
        let health = Health {
            rows,
            step: stamps.step,
            jitter: stamps.jitter,
            repeats,
            backward: stamps.wrong.len(),
            first_backward,
            unstamped,
            gaps: stamps.gaps.len(),
            longest_gap: stamps.gaps.iter().map(|gap| gap.1).fold(0.0, f64::max),
            ..Health::default()
        };
        let mut times: Vec<f64> = kept.iter().map(|&k| log.times[k]).collect();
        let cuts = without_long_gaps(&mut times, stamps.step, stamps.gaps.len());
        let stamped = Self { kept, times, cuts, step: stamps.step };
        let rates = LoggedRates::of(log, &stamped);
        Ok((stamped, Health { rates, ..health }))
    }

    /// The values of these rows.
    pub fn pick(&self, values: &[f64]) -> Vec<f64> {
        self.kept.iter().map(|&k| values[k]).collect()
    }
}
