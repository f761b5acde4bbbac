//! How joints move over a period: a sum of functions, each of which starts and ends at zero, at rest and without acceleration.
//!
//! Whatever the shape, positions, velocities and accelerations at any times are linear in the coefficients: [`MotionBasis::table`] has
//! the factors, and the search needs nothing else.

use crate::Vec3;
use crate::motion::{self, Motion, RobotMotion};
use crate::robot::{JointState, JointVector, Pick, Robot, State, ToolTurns};
use serde::Serialize;

/// What functions of time joints move by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MotionBasis {
    /// Harmonics of the period (Swevers et al. 1997, IEEE Trans. Robotics and Automation 13(5)): with θ = 2πt/period and h = 2, 3, …
    /// sin hθ/h − sin θ and (1 − cos hθ)/h − h (1 − cos θ). At a pace p > 1 they are those of p times as fast a motion that
    /// does not repeat: h = 2 p + 1, 3 p + 1, …, sin hθ/h − sin pθ/p and (1 − cos hθ)/h − h (1 − cos pθ)/p².
    #[default]
    Fourier,
    /// B-splines of degree five on even knots, all but the first and the last three: their jerk is continuous but where they start and end.
    /// At a pace p there are p times as many.
    Spline,
}

/// Degree of the splines.
const DEGREE: usize = 5;
/// Functions at either end that are not zero there, or not at rest, or not without acceleration.
const ENDS: usize = 3;

impl MotionBasis {
    /// The number of functions for so many harmonics.
    pub(super) fn count(self, harmonics: usize, pace: usize) -> usize {
        (2 * harmonics - 2) * if self == Self::Spline { pace } else { 1 }
    }

    /// The first `count` functions with their first two derivatives at a time, which may be in any period.
    fn functions(self, count: usize, pace: usize, period: f64, t: f64) -> Vec<[f64; 3]> {
        match self {
            Self::Fourier => (0..count).map(|m| harmonic(m, pace, period, t)).collect(),
            Self::Spline => splines(count, period, t),
        }
    }

    /// The functions at even times of a period: for each time, for each function.
    pub(super) fn table(self, functions: usize, pace: usize, period: f64, times: usize) -> Vec<Vec<[f64; 3]>> {
        (0..times).map(|k| self.functions(functions, pace, period, period * k as f64 / times as f64)).collect()
    }
}

fn harmonic(m: usize, pace: usize, period: f64, t: f64) -> [f64; 3] {
    let w = std::f64::consts::TAU / period;
    // Harmonics that have no divisor in common with the pace: the whole period is one motion.
    let (p, h) = (pace as f64, (pace * (m / 2 + 2) + usize::from(pace > 1)) as f64);
    let ((sin, cos), (sin_h, cos_h)) = ((p * w * t).sin_cos(), (h * w * t).sin_cos());
    match m % 2 {
        0 => [sin_h / h - sin / p, w * (cos_h - cos), w * w * (p * sin - h * sin_h)],
        _ => [(1.0 - cos_h) / h - h * (1.0 - cos) / (p * p), w * (sin_h - h / p * sin), w * w * h * (cos_h - cos)],
    }
}

/// B-splines and their derivatives by de Boor's recursion, on knots that are repeated at both ends.
fn splines(count: usize, period: f64, t: f64) -> Vec<[f64; 3]> {
    let pieces = count + 2 * ENDS - DEGREE;
    let per_second = pieces as f64 / period;
    // The last moment of a period is the first of the next one.
    let u = (t / period).rem_euclid(1.0) * pieces as f64;
    let knots: Vec<f64> = (0..=pieces + 2 * DEGREE).map(|k| k.saturating_sub(DEGREE).min(pieces) as f64).collect();
    let over = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
    // Of degree 0 up to that of the splines; each has one function less than the one before.
    let inside = |k: usize| if knots[k] <= u && u < knots[k + 1] { 1.0 } else { 0.0 };
    let mut degrees: Vec<Vec<f64>> = vec![(0..knots.len() - 1).map(inside).collect()];
    for d in 1..=DEGREE {
        let last = &degrees[d - 1];
        let next = (0..last.len() - 1).map(|k| {
            over(u - knots[k], knots[k + d] - knots[k]) * last[k]
                + over(knots[k + d + 1] - u, knots[k + d + 1] - knots[k + 1]) * last[k + 1]
        });
        degrees.push(next.collect());
    }
    // d/du of functions of degree d, from those of degree d − 1.
    let slopes = |d: usize, lower: &[f64]| -> Vec<f64> {
        let slope = |k: usize| {
            let (own, next) = (knots[k + d] - knots[k], knots[k + d + 1] - knots[k + 1]);
            d as f64 * (over(lower[k], own) - over(lower[k + 1], next))
        };
        (0..lower.len() - 1).map(slope).collect()
    };
    let first = slopes(DEGREE, &degrees[DEGREE - 1]);
    let second = slopes(DEGREE, &slopes(DEGREE - 1, &degrees[DEGREE - 2]));
    let scaled = |k: usize| [degrees[DEGREE][k], per_second * first[k], per_second * per_second * second[k]];
    (ENDS..ENDS + count).map(scaled).collect()
}

/// A motion of all joints that starts and ends at rest, at the same place.
#[derive(Clone, Debug, PartialEq)]
pub struct ExcitingMotion {
    /// Its functions.
    pub shape: MotionBasis,
    /// Where each joint starts and ends.
    pub start: Vec<f64>,
    /// Factors of the functions, for each joint, rad (m).
    pub coefficients: Vec<Vec<f64>>,
    /// s.
    pub period: f64,
    /// How many times as fast as a motion of its harmonics in one period.
    pub pace: usize,
}

impl ExcitingMotion {
    /// The joints at a time.
    pub fn at(&self, t: f64) -> JointState {
        let count = self.coefficients.first().map_or(0, Vec::len);
        self.sum(&self.shape.functions(count, self.pace, self.period, t))
    }

    /// The joints where the functions with their derivatives have these values.
    pub(super) fn sum(&self, functions: &[[f64; 3]]) -> JointState {
        let of = |order: usize, i: usize| -> f64 {
            self.coefficients[i].iter().zip(functions).map(|(factor, function)| factor * function[order]).sum()
        };
        let n = self.start.len();
        JointState {
            q: JointVector::from_fn(n, |i| self.start[i] + of(0, i)),
            qd: JointVector::from_fn(n, |i| of(1, i)),
            qdd: JointVector::from_fn(n, |i| of(2, i)),
        }
    }

    /// The same motion, smaller about a place.
    pub(super) fn shrunk(&self, about: &[f64], factor: f64) -> Self {
        let mut all = self.clone();
        for (start, about) in all.start.iter_mut().zip(about) {
            *start = about + factor * (*start - about);
        }
        all.coefficients.iter_mut().flatten().for_each(|x| *x *= factor);
        all
    }

    /// The motion of the tool, where the tool does not turn and the robot can be everywhere on it.
    pub fn of_tool(&self, robot: &Robot) -> Option<RobotMotion> {
        let joints = self.clone();
        (robot.kind().tool_turns == ToolTurns::No)
            .then(|| RobotMotion::translating(OfTool { robot: robot.clone(), joints }))
    }
}

/// The tool of a robot that moves its joints so.
struct OfTool {
    robot: Robot,
    joints: ExcitingMotion,
}

impl Motion for OfTool {
    type Point = Vec3<f64>;

    fn duration(&self) -> f64 {
        self.joints.period
    }

    fn at(&self, t: f64) -> motion::MotionState<Vec3<f64>> {
        match self.robot.at_joints(&self.joints.at(t), &Pick::default()) {
            Ok(State { tool, .. }) => motion::MotionState {
                position: tool.pose.origin,
                velocity: tool.velocity.linear,
                acceleration: tool.acceleration.linear,
            },
            Err(_) => motion::MotionState::still(Vec3::from_fn(|_| f64::NAN)),
        }
    }
}
