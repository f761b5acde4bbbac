//! How well a fit predicts: residuals on the data that it was fitted to, and on held-out data.

use super::essential::essential;
pub use super::fit::Score;
use super::fit::{EstimatorOptions, RegressionData};
use super::prepare::PreparedLog;
use dalembert_identify::{IdentifyError, folds};
use serde::Serialize;

/// How time is cut into folds: each is held out and predicted by a fit to the others.
#[derive(Clone, Debug, PartialEq)]
pub enum Folds {
    /// So many folds of equal length; of several logs each is a fold.
    Parts(usize),
    /// At these times, s.
    At(Vec<f64>),
}

impl Default for Folds {
    fn default() -> Self {
        Self::Parts(2)
    }
}

/// The score of a fold that was held out.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct FoldScore {
    /// The log, or the times.
    pub name: String,
    /// Of its rows.
    pub score: Score,
}

/// A joint's torque on held-out data, measured and predicted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// s; of several logs one after the other.
    pub times: Vec<f64>,
    /// N m (N).
    pub measured: Vec<f64>,
    /// N m (N).
    pub predicted: Vec<f64>,
    /// rad/s (m/s).
    pub speeds: Vec<f64>,
}

impl Prediction {
    /// Measured less predicted torque.
    pub fn residuals(&self) -> Vec<f64> {
        self.measured.iter().zip(&self.predicted).map(|(a, b)| a - b).collect()
    }
}

/// Every fold predicted by a fit to the others.
#[derive(Clone, Debug)]
pub struct HeldOut {
    /// Over all folds; NaN where nothing was held out.
    pub score: Score,
    /// The same of the essential parameters alone, where they were asked for.
    pub essential: Score,
    /// Of each fold.
    pub folds: Vec<FoldScore>,
    /// For each joint.
    pub predictions: Vec<Prediction>,
    /// The share of the rows of a fold whose motion the fitted rows have too, at most.
    pub(crate) seen: f64,
}

impl HeldOut {
    /// Fits to all folds but one, for each. `each` is called before every fit and may stop the work.
    pub(crate) fn new<E: From<IdentifyError>>(
        data: &RegressionData<'_>,
        folds: &Folds,
        options: &EstimatorOptions,
        each: &mut dyn FnMut(f64) -> Result<(), E>,
    ) -> Result<Self, E> {
        let joints = data.joints();
        let (fold_of, names) = fold_of_rows(data, folds);
        let mut all = Self {
            score: Score::zero(joints),
            essential: Score::zero(joints),
            folds: Vec::new(),
            predictions: vec![Prediction::default(); joints],
            seen: 0.0,
        };
        for (k, name) in names.iter().enumerate().filter(|_| names.len() > 1) {
            each(k as f64 / names.len() as f64)?;
            let (test, train): (Vec<usize>, Vec<usize>) = (0..data.len()).partition(|&row| fold_of[row] == k);
            if train.is_empty() || test.is_empty() {
                continue;
            }
            all.seen = data.repetition.seen(&test, &train).max(all.seen);
            let fitted = data.fit(&train, options)?;
            let score = data.score(&fitted, &test)?;
            all.score.add(&score);
            all.folds.push(FoldScore { name: name.clone(), score });
            if let Some(share) = options.essential
                && let Some((_, few)) = essential(data, &fitted, &train, share)?
            {
                all.essential.add(&data.score(&few, &test)?);
            }
            for (joint, prediction) in all.predictions.iter_mut().enumerate() {
                let (predicted, measured) = data.predict(&fitted, joint, &test)?;
                prediction.times.extend(test.iter().map(|&row| time(data, row)));
                prediction.measured.extend(measured.iter());
                prediction.predicted.extend(predicted.iter());
                prediction.speeds.extend(data.speeds_of(joint, &test).iter());
            }
        }
        Ok(all)
    }
}

/// Time of a row; logs follow each other.
pub(crate) fn time(data: &RegressionData<'_>, row: usize) -> f64 {
    let (run, sample) = data.rows[row];
    let long = |run: &PreparedLog| run.step * run.q[0].len() as f64 + run.cuts.last().map_or(0.0, |(_, cut)| *cut);
    let before: f64 = data.runs[..run].iter().map(long).sum();
    before + data.runs[run].time(sample)
}

/// The fold of each row, and the names of the folds.
fn fold_of_rows(data: &RegressionData<'_>, folds: &Folds) -> (Vec<usize>, Vec<String>) {
    match folds {
        // Where the logs are compared, each is needed, and most of its motion: a part of the motion of each.
        Folds::Parts(count) if !data.layout.parameterization.loaded.is_empty() => {
            let own = |run: usize| -> Vec<usize> { (0..data.len()).filter(|&row| data.rows[row].0 == run).collect() };
            let parts = (0..data.runs.len()).flat_map(|run| data.repetition.parts(&own(run), *count));
            (parts.collect(), (1..=*count).map(|k| format!("part {k} of each log")).collect())
        }
        Folds::Parts(_) if data.repetition.motions() > 1 => {
            let parts = (0..data.len()).map(|row| data.repetition.motion(row)).collect();
            let own = |motion: usize| (0..data.runs.len()).filter(move |&run| data.repetition.motion_of[run] == motion);
            let name = |motion| own(motion).map(|run| data.runs[run].name.as_str()).collect::<Vec<_>>().join(", ");
            (parts, (0..data.repetition.motions()).map(name).collect())
        }
        Folds::Parts(count) => {
            let parts = data.repetition.parts(&data.all(), *count);
            let span = |k: usize| {
                let of = || (0..data.len()).filter(|&row| parts[row] == k).map(|row| time(data, row));
                let (low, high) = (of().fold(f64::INFINITY, f64::min), of().fold(0.0, f64::max));
                format!("{low:.3} … {high:.3} s")
            };
            let repeats = data.runs.len() > 1 || data.repetition.periods[0].is_some();
            let name = |k: usize| if repeats { format!("part {} of the repeated motion", k + 1) } else { span(k) };
            let names = (0..*count).map(name).collect();
            (parts, names)
        }
        Folds::At(instants) => {
            let times: Vec<f64> = (0..data.len()).map(|row| time(data, row)).collect();
            let parts = folds::at_instants(&times, instants);
            let name = |k: usize| match (k.checked_sub(1).and_then(|k| instants.get(k)), instants.get(k)) {
                (None, Some(to)) => format!("before {to} s"),
                (Some(from), Some(to)) => format!("{from} … {to} s"),
                (Some(from), None) => format!("from {from} s on"),
                (None, None) => "all".to_owned(),
            };
            (parts, (0..=instants.len()).map(name).collect())
        }
    }
}
