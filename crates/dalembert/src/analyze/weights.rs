//! How much each state of a motion counts in a mean over it.

use crate::record::human;
use std::cmp::Ordering;

/// What a mean over the states of a motion is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighing {
    /// Every row counts alike: there are no times.
    Rows,
    /// A state counts for the time around it, by the trapezoidal rule: how a motion is sampled hardly matters.
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
    weighing: Weighing,
    shares: Vec<f64>,
}

/// Times over which there is no mean.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum TimesError {
    /// Times that go back, or that are none.
    #[error("time {} s of row {row} comes after {} s: a mean over time needs rows in order", human(*time, 6), human(*before, 6))]
    Backwards {
        /// From 1.
        row: usize,
        /// s.
        time: f64,
        /// Of the row before, s.
        before: f64,
    },
    /// No time passes.
    #[error("all {rows} rows have the time {} s: there is no mean over time", human(*time, 6))]
    Instant {
        /// How many.
        rows: usize,
        /// s.
        time: f64,
    },
}

impl Weights {
    /// All alike.
    pub fn rows(count: usize) -> Self {
        Self { weighing: Weighing::Rows, shares: vec![1.0 / count.max(1) as f64; count] }
    }

    /// By the trapezoidal rule. A time may come twice, as where an acceleration jumps.
    pub fn by_time(times: &[f64]) -> Result<Self, TimesError> {
        let back = |pair: &[f64]| pair[0].partial_cmp(&pair[1]).is_none_or(Ordering::is_gt);
        if let Some((k, pair)) = times.windows(2).enumerate().find(|(_, pair)| back(pair)) {
            return Err(TimesError::Backwards { row: k + 2, time: pair[1], before: pair[0] });
        }
        let (Some(&first), Some(&last)) = (times.first(), times.last()) else {
            return Ok(Self { weighing: Weighing::Time, shares: Vec::new() });
        };
        if times.len() == 1 {
            return Ok(Self { weighing: Weighing::Time, shares: vec![1.0] });
        }
        let whole = last - first;
        if !(whole > 0.0 && whole.is_finite()) {
            return Err(TimesError::Instant { rows: times.len(), time: first });
        }
        let at = |k: usize| times[k.min(times.len() - 1)];
        let share = |k: usize| 0.5 * (at(k + 1) - at(k.saturating_sub(1))) / whole;
        Ok(Self { weighing: Weighing::Time, shares: (0..times.len()).map(share).collect() })
    }

    /// By time where every state has one, else all alike.
    pub fn of(times: &[Option<f64>]) -> Result<Self, TimesError> {
        match times.iter().copied().collect::<Option<Vec<f64>>>() {
            Some(times) => Self::by_time(&times),
            None => Ok(Self::rows(times.len())),
        }
    }

    /// What the mean is over.
    pub fn weighing(&self) -> Weighing {
        self.weighing
    }

    /// One per state.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_trapezoidal_rule() {
        // Of f = 2t + 1 the rule is exact, however the time is cut: the mean over 0 … 3 is 4.
        let times = [0.0, 0.1, 0.1, 0.7, 2.5, 3.0];
        let weights = Weights::by_time(&times).unwrap();
        let mean: f64 = weights.shares().iter().zip(times).map(|(w, t)| w * (2.0 * t + 1.0)).sum();
        assert!((mean - 4.0).abs() < 1e-15 && weights.weighing() == Weighing::Time);
        assert!((weights.shares().iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert_eq!(Weights::of(&[Some(0.0), None]).unwrap(), Weights::rows(2));
        assert_eq!(Weights::of(&[Some(7.0)]).unwrap().shares(), [1.0]);
        assert_eq!(Weights::by_time(&[0.0, 2.0, 1.0]), Err(TimesError::Backwards { row: 3, time: 1.0, before: 2.0 }));
        assert!(matches!(Weights::by_time(&[0.0, f64::NAN]), Err(TimesError::Backwards { row: 2, .. })));
        assert_eq!(Weights::by_time(&[1.0; 4]), Err(TimesError::Instant { rows: 4, time: 1.0 }));
    }
}
