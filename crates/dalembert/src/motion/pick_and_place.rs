//! A fast pick-and-place: forth and back over an arch, at rest at both ends.
//!
//! With the quintic u(s) = 10 s³ − 15 s⁴ + 6 s⁵ of the time s = t/T of one stroke,
//!
//! ```text
//! across = width (u − ½),   up = 16 height u²(1 − u)²                                                        (1)
//! ```
//!
//! so velocity and acceleration vanish at both ends and the arch touches the ground along the ground. For the usual
//! 300 × 25 mm in 1/6 s: at most 3.375 m/s and 66.6 m/s².

use super::{Motion, PlatformState};
use dalembert_core::Vec3;

/// The horizontal axis of a stroke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Along x.
    X,
    /// Along y.
    Y,
}

impl Direction {
    /// `x` or `y`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
        }
    }
}

/// One pick-and-place cycle: a stroke forth and the same back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickAndPlace {
    /// Middle of the stroke, on the ground, m.
    pub center: Vec3<f64>,
    /// Length of the stroke, m.
    pub width: f64,
    /// Height of the arch, m.
    pub height: f64,
    /// Time of one stroke, half a cycle, s.
    pub stroke: f64,
    /// Axis of the stroke.
    pub direction: Direction,
}

impl PickAndPlace {
    /// The state at time `t`, s. The cycle is two strokes, and repeats.
    pub fn at(&self, t: f64) -> PlatformState {
        let cycles = t / (2.0 * self.stroke);
        let phase = 2.0 * (cycles - cycles.floor()); // 0…1 forth, 1…2 back
        let (s, sign) = if phase < 1.0 { (phase, 1.0) } else { (phase - 1.0, -1.0) };
        let rate = 1.0 / self.stroke;
        let u = s * s * s * (10.0 + s * (6.0 * s - 15.0));
        let ud = 30.0 * s * s * (1.0 - s) * (1.0 - s) * rate;
        let udd = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) * rate * rate;
        // b = 16 u²(1 − u)², b′ = 32 u(1 − u)(1 − 2u), b″ = 32 (1 − 6u + 6u²)
        let rest = u * (1.0 - u);
        let (b, b1, b2) = (16.0 * rest * rest, 32.0 * rest * (1.0 - 2.0 * u), 32.0 * (1.0 - 6.0 * rest));
        let place = |across: f64, up: f64| match self.direction {
            Direction::X => Vec3::new(across, 0.0, up),
            Direction::Y => Vec3::new(0.0, across, up),
        };
        PlatformState {
            position: self.center + place(sign * self.width * (u - 0.5), self.height * b),
            velocity: place(sign * self.width * ud, self.height * b1 * ud),
            acceleration: place(sign * self.width * udd, self.height * (b2 * ud * ud + b1 * udd)),
        }
    }
}

/// One cycle; [`PickAndPlace::at`] of the type itself repeats it.
impl Motion for PickAndPlace {
    type Point = Vec3<f64>;
    fn duration(&self) -> f64 {
        2.0 * self.stroke
    }
    fn at(&self, t: f64) -> PlatformState {
        if t < 0.0 || t > 2.0 * self.stroke { Self::at(self, 0.0) } else { Self::at(self, t) }
    }
    fn breaks(&self) -> Vec<f64> {
        vec![self.stroke]
    }
}
