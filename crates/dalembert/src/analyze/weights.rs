//! How much each state of a motion counts in a mean over it.

use crate::report::text::human;
use std::cmp::Ordering;

/// What a mean over the states of a motion is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighing {
    /// Every row counts alike: there are no times.
    Rows,
    /// A state counts for the time that it is the nearest: how a motion is sampled hardly matters.
    Time,
}

impl Weighing {
    /// In a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Time => "time",
        }
    }

    /// In a sentence.
    pub fn text(self) -> &'static str {
        match self {
            Self::Rows => "means count all rows alike: the table has no column `t`",
            Self::Time => "means are over time",
        }
    }
}

/// The share of each state in a mean; they add up to one.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// What the mean is over.
    pub weighing: Weighing,
    /// One per state.
    pub shares: Vec<f64>,
}

/// Times, s, over which there is no mean; rows are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum TimesError {
    /// Times that go back, or that are none.
    #[error("time {} s of row {row} comes after {} s: a mean over time needs rows in order", human(*time, 6), human(*before, 6))]
    Backwards { row: usize, time: f64, before: f64 },
    #[error("all {rows} rows have the time {} s: there is no mean over time", human(*time, 6))]
    Instant { rows: usize, time: f64 },
}

impl Weights {
    /// All alike.
    pub fn rows(count: usize) -> Self {
        Self { weighing: Weighing::Rows, shares: vec![1.0 / count.max(1) as f64; count] }
    }

    /// Half the time to the state before and half that to the next, at both ends as if the motion went on with the same step: so
    /// rows that are evenly sampled count alike. A time may come twice, as where an acceleration jumps.
    pub fn by_time(times: &[f64]) -> Result<Self, TimesError> {
        let back = |pair: &[f64]| pair[0].partial_cmp(&pair[1]).is_none_or(Ordering::is_gt);
        if let Some((k, pair)) = times.windows(2).enumerate().find(|(_, pair)| back(pair)) {
            return Err(TimesError::Backwards { row: k + 2, time: pair[1], before: pair[0] });
        }
        let (Some(&first), Some(&last), true) = (times.first(), times.last(), times.len() > 1) else {
            return Ok(Self { weighing: Weighing::Time, shares: vec![1.0; times.len()] });
        };
        let whole = last - first;
        if !(whole > 0.0 && whole.is_finite()) {
            return Err(TimesError::Instant { rows: times.len(), time: first });
        }
        let steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let last = steps.len() - 1;
        let around = |k: usize| 0.5 * (steps[k.saturating_sub(1)] + steps[k.min(last)]);
        let total = whole + 0.5 * (steps[0] + steps[last]);
        Ok(Self { weighing: Weighing::Time, shares: (0..times.len()).map(|k| around(k) / total).collect() })
    }

    /// By time where every state has one, else all alike.
    pub fn of(times: &[Option<f64>]) -> Result<Self, TimesError> {
        match times.iter().copied().collect::<Option<Vec<f64>>>() {
            Some(times) => Self::by_time(&times),
            None => Ok(Self::rows(times.len())),
        }
    }
}
