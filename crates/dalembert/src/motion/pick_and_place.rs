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

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: PickAndPlace = PickAndPlace {
        center: Vec3([0.0, 0.0, -0.85]),
        width: 0.3,
        height: 0.025,
        stroke: 1.0 / 6.0,
        direction: Direction::Y,
    };

    /// The derivatives are derivatives: central differences with step h are off by about h² times the third one.
    #[test]
    fn velocity_and_acceleration_are_derivatives() {
        let h = 1e-5;
        for k in 1..40 {
            let t = f64::from(k) * 0.0083 + 1e-4;
            let (before, now, after) = (USUAL.at(t - h), USUAL.at(t), USUAL.at(t + h));
            for i in 0..3 {
                let v = (after.position[i] - before.position[i]) / (2.0 * h);
                let a = (after.velocity[i] - before.velocity[i]) / (2.0 * h);
                assert!((v - now.velocity[i]).abs() < 1e-5, "v at {t}");
                assert!((a - now.acceleration[i]).abs() < 1e-2, "a at {t}: {a} {}", now.acceleration[i]);
            }
        }
    }

    #[test]
    fn it_starts_at_rest_on_the_ground_and_peaks_where_it_should() {
        for t in [0.0, USUAL.stroke, 2.0 * USUAL.stroke] {
            let state = USUAL.at(t);
            assert!(state.velocity.norm_squared() < 1e-20 && state.acceleration.norm_squared() < 1e-16);
            assert!((state.position[2] + 0.85).abs() < 1e-12);
        }
        let states: Vec<_> = (0..=4000).map(|k| USUAL.at(f64::from(k) / 4000.0 * 2.0 * USUAL.stroke)).collect();
        let largest = |f: fn(&PlatformState) -> f64| states.iter().map(f).fold(f64::MIN, f64::max);
        assert!((largest(|s| s.velocity.norm_squared().sqrt()) - 3.375).abs() < 1e-6);
        assert!((largest(|s| s.acceleration.norm_squared().sqrt()) - 66.584).abs() < 1e-3);
        assert!((largest(|s| s.position[2]) + 0.825).abs() < 1e-9);
    }
}
