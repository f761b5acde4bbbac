//! Motions that repeat themselves, within a log or from log to log: what is held out has to be another motion than what is fitted.

use super::prepare::PreparedLog;
use dalembert_identify::{folds, signal};
use std::collections::HashSet;

/// Of logs with more samples only the rows are compared.
const COMPARED: usize = 40_000;
/// A joint that moves less than this share of the joint that moves most, or than this many deviations of its noise, is not looked at.
const LIVELY: f64 = 0.02;
const NOISY: f64 = 50.0;
/// Parts of a repeated motion that count as the same.
const BINS: usize = 20;

/// Where each row is in the motion that it belongs to.
#[derive(Debug, Default)]
pub(crate) struct Repetition {
    /// The motion of each log: logs that repeat each other have one.
    pub motion_of: Vec<usize>,
    /// After how long each log repeats itself, s.
    pub periods: Vec<Option<f64>>,
    /// For each row its motion and its place in it, samples.
    places: Vec<(usize, usize)>,
    /// Places of each motion that count as the same.
    widths: Vec<usize>,
}

/// The samples of a log between which nothing rests, one after the other, and the place of each used row among them. What is left out for a moment
/// only, as outliers are, takes its time.
struct MovingSamples {
    samples: Vec<usize>,
    places: Vec<usize>,
}

impl MovingSamples {
    fn of(run: &PreparedLog) -> Self {
        /// A moment, s.
        const MOMENT: f64 = 0.1;
        let most = ((MOMENT / run.step) as usize).max(run.every());
        let (mut samples, mut places) = (Vec::new(), Vec::new());
        for (n, &k) in run.used.iter().enumerate() {
            places.push(samples.len());
            let next = run.used.get(n + 1).copied().filter(|next| next - k <= most);
            samples.extend(k..next.unwrap_or(k + run.every()));
        }
        Self { samples, places }
    }

    fn sequence(&self, run: &PreparedLog, joints: &[usize], every: usize) -> Vec<Vec<f64>> {
        let of = |series: &[f64]| -> Vec<f64> {
            self.samples.iter().step_by(every).map(|&k| series[k.min(series.len() - 1)]).collect()
        };
        joints.iter().flat_map(|&i| [of(&run.q[i]), of(&run.qd[i])]).collect()
    }
}

fn lively(run: &PreparedLog) -> Vec<usize> {
    let ranges: Vec<f64> = run.q.iter().map(|q| signal::extremes(q)).map(|[low, high]| high - low).collect();
    let most = ranges.iter().copied().fold(0.0, f64::max);
    let noise = |i: usize| run.health.noise.get(i).copied().unwrap_or(0.0);
    (0..ranges.len()).filter(|&i| ranges[i] > (LIVELY * most).max(NOISY * noise(i))).collect()
}

impl Repetition {
    /// Looks at the logs, whose rows are these: log and sample.
    pub fn new(runs: &[PreparedLog], rows: &[(usize, usize)]) -> Self {
        let mut all = Self::default();
        let moving: Vec<MovingSamples> = runs.iter().map(MovingSamples::of).collect();
        // The longest log of a motion, and where the others begin in it.
        let mut longest: Vec<(usize, Option<usize>)> = Vec::new();
        let mut starts = vec![0_isize; runs.len()];
        all.motion_of = vec![0; runs.len()];
        all.periods = vec![None; runs.len()];
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.sort_by_key(|&r| std::cmp::Reverse(runs[r].used.len()));
        for r in order {
            let run = &runs[r];
            let every = if moving[r].samples.len() > COMPARED { run.every() } else { 1 };
            let joints = lively(run);
            let same = longest.iter().position(|&(other, _)| {
                let steps = [&runs[other], run].map(|run| run.step * run.every() as f64);
                let comparable = (steps[0] / steps[1] - 1.0).abs() < 1e-3
                    && (runs[other].step / run.step - 1.0).abs() < 1e-3
                    && lively(&runs[other]) == joints;
                let sequence = |r: usize| moving[r].sequence(&runs[r], &joints, every);
                let found = comparable.then(|| folds::shift(&sequence(other), &sequence(r)));
                found.flatten().is_some_and(|shift| {
                    starts[r] = shift * every as isize;
                    true
                })
            });
            let period = folds::period(&moving[r].sequence(run, &joints, every)).map(|period| period * every);
            all.periods[r] = period.map(|period| period as f64 * run.step);
            all.motion_of[r] = same.unwrap_or_else(|| {
                longest.push((r, period));
                all.widths.push(period.map_or(1, |period| (period / BINS).max(1)));
                longest.len() - 1
            });
            if let Some(motion) = same {
                let whole = longest[motion].1.unwrap_or(moving[longest[motion].0].samples.len());
                all.widths[motion] = (whole / BINS).max(1);
            }
        }
        let mut count = vec![0; runs.len()];
        for &(r, _) in rows {
            let motion = all.motion_of[r];
            let place = starts[r] + moving[r].places[count[r]] as isize;
            // A log may begin before the longest one.
            let place = match longest[motion].1 {
                Some(period) => place.rem_euclid(period as isize),
                None => place + moving[longest[motion].0].samples.len() as isize,
            };
            count[r] += 1;
            all.places.push((motion, place.max(0) as usize));
        }
        // Motions in the order of the logs.
        let mut order: Vec<usize> = Vec::new();
        all.motion_of.iter().for_each(|motion| {
            if !order.contains(motion) {
                order.push(*motion)
            }
        });
        let label = |motion: &mut usize| *motion = order.iter().position(|old| old == motion).unwrap_or(0);
        all.motion_of.iter_mut().chain(all.places.iter_mut().map(|place| &mut place.0)).for_each(label);
        all.widths = order.iter().map(|&motion| all.widths[motion]).collect();
        all
    }

    /// The part of each of some rows: every motion is cut into `parts` stretches; one that repeats, into twice as many, which take turns: a
    /// period is short, and half of it leaves more open than all of it.
    pub fn parts(&self, rows: &[usize], parts: usize) -> Vec<usize> {
        let mut all = vec![0; rows.len()];
        for motion in 0..self.widths.len() {
            let own: Vec<usize> = (0..rows.len()).filter(|&k| self.places[rows[k]].0 == motion).collect();
            let places: Vec<usize> = own.iter().map(|&k| self.places[rows[k]].1).collect();
            let turns = if self.widths[motion] > 1 { 2 } else { 1 };
            own.iter().zip(folds::in_places(&places, parts, turns)).for_each(|(&k, part)| all[k] = part);
        }
        all
    }

    /// How many motions there are.
    pub fn motions(&self) -> usize {
        self.widths.len()
    }

    /// The motion of a row.
    pub fn motion(&self, row: usize) -> usize {
        self.places[row].0
    }

    /// The share of some rows whose motion others have too.
    pub fn seen(&self, rows: &[usize], others: &[usize]) -> f64 {
        let bin = |&row: &usize| {
            let (motion, place) = self.places[row];
            (motion, place / self.widths[motion])
        };
        let known: HashSet<(usize, usize)> = others.iter().map(bin).collect();
        rows.iter().filter(|row| known.contains(&bin(row))).count() as f64 / rows.len().max(1) as f64
    }
}
