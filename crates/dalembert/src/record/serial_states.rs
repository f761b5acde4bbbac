//! Names of the models of serial arms, and roll, pitch and yaw.

use crate::serial::puma::PumaModelName;
use crate::spatial::roll_pitch_yaw;
use crate::{Angle, Mat3};

/// The model of a serial arm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SerialModelName {
    /// Recursive Newton–Euler: exact.
    #[default]
    NewtonEuler,
    /// One of Armstrong, Khatib and Burdick's.
    Puma(PumaModelName),
    /// The program that `derive` has found for the built-in PUMA 560: exact.
    Derived,
}

impl SerialModelName {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::NewtonEuler,
        Self::Puma(PumaModelName::Explicit),
        Self::Puma(PumaModelName::ExplicitA3),
        Self::Puma(PumaModelName::Abbreviated),
        Self::Derived,
    ];

    /// As the command knows it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NewtonEuler => "newton-euler",
            Self::Puma(name) => name.as_str(),
            Self::Derived => "derived",
        }
    }

    /// The model with this name; `exact` is Newton–Euler.
    pub fn parse(name: &str) -> Option<Self> {
        if name == "exact" {
            return Some(Self::NewtonEuler);
        }
        Self::ALL.into_iter().find(|model| model.as_str() == name)
    }
}

/// Rz(yaw) Ry(pitch) Rx(roll).
pub fn rotation([roll, pitch, yaw]: [f64; 3]) -> Mat3<f64> {
    roll_pitch_yaw([roll, pitch, yaw].map(|angle: f64| Angle { cos: angle.cos(), sin: angle.sin() }))
}

/// Roll, pitch and yaw of a rotation; where pitch is ±90° and only roll ∓ yaw is determined, yaw is zero.
pub fn attitude(r: Mat3<f64>) -> [f64; 3] {
    let cos = r[0][0].hypot(r[1][0]);
    let pitch = (-r[2][0]).atan2(cos);
    if cos < 1e-9 {
        // Yaw zero: R = Ry(±90°) Rx(roll).
        return [(-r[1][2]).atan2(r[1][1]), pitch, 0.0];
    }
    [r[2][1].atan2(r[2][2]), pitch, r[1][0].atan2(r[0][0])]
}
