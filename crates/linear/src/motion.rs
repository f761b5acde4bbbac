//! Time-varying linear systems: the linear models of a plant along a reference motion, one per time.

use crate::{LinearError, Linearized, StateSpace};

/// A time-varying linear system δẋ = A(t) δx + B(t) δu, known at some times: the linear models about the states of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearMotion {
    times: Vec<f64>,
    points: Vec<Linearized>,
}

impl LinearMotion {
    /// The models of one plant at increasing times. Refuses an empty list, times that do not increase, and models of
    /// different sizes.
    pub fn new(times: Vec<f64>, points: Vec<Linearized>) -> Result<Self, LinearError> {
        let Some(first) = points.first() else {
            let (found, expected) = (String::from("none"), String::from("one or more"));
            return Err(LinearError::Shape { what: "states of the motion", found, expected });
        };
        if times.len() != points.len() {
            let (found, expected) = (times.len().to_string(), points.len().to_string());
            return Err(LinearError::Shape { what: "times", found, expected });
        }
        if let Some(&value) = times.iter().find(|t| !t.is_finite()) {
            return Err(LinearError::NotFinite { what: "t", value });
        }
        if let Some(k) = (1..times.len()).find(|&k| times[k] <= times[k - 1]) {
            return Err(LinearError::Times { row: k + 1, time: times[k], before: times[k - 1] });
        }
        let shape = |s: &StateSpace| [s.a.nrows(), s.b.ncols(), s.c.nrows()];
        let expected = shape(&first.system);
        for (row, point) in points.iter().enumerate() {
            let found = shape(&point.system);
            if let Some(i) = (0..3).find(|&i| found[i] != expected[i]) {
                return Err(LinearError::NotAlike { row: row + 1, found: found[i], expected: expected[i] });
            }
        }
        Ok(Self { times, points })
    }

    /// The times, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The model at each time.
    pub fn points(&self) -> &[Linearized] {
        &self.points
    }

    /// The same motion with every model sampled: inputs held for `step` seconds, A and B frozen over each step.
    pub fn discrete(&self, step: f64) -> Result<Self, LinearError> {
        let points = self.points.iter().map(|point| point.discrete(step)).collect::<Result<_, _>>()?;
        Ok(Self { times: self.times.clone(), points })
    }
}
