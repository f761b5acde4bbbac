//! The delta robot tutorial of the Trossen Robotics forum (mzavatsky, 2009), whose code is in countless hobby robots.
//!
//! Source: its `delta_calcForward` and `delta_calcAngleYZ`, as copied in many public repositories: z up, origin in the plane of
//! the motor axes, θ₁ in the YZ plane with the elbow at −y, θ₂ at 30°, θ₃ at 150°; degrees, positive with the elbow
//! down.
//!
//! | tutorial | ours |
//! | --- | --- |
//! | `f` | side of the base triangle: base radius = f/(2√3), the distance from its centre to a side |
//! | `e` | side of the platform's triangle: platform radius = e/(2√3) |
//! | `rf`, `re` | upper arm, forearm |
//! | `theta1`, `theta2`, `theta3` | q1, q2, q3 |
//!
//! Assumed: lengths in mm; the tutorial's code works in any unit. Some copies write tan 30° as `0.57735`, which is off by 5e-7.

use super::{Convention, ConvertError, alike, turn};

/// The four parameters, mm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrossenGeometry {
    /// Side of the base triangle.
    pub f: f64,
    /// Side of the platform's triangle.
    pub e: f64,
    /// Upper arm.
    pub rf: f64,
    /// Forearm.
    pub re: f64,
}

/// 2√3: the side of an equilateral triangle over the distance from its centre to a side.
const SIDE_PER_RADIUS: f64 = 3.464_101_615_137_754_6;

impl TrossenGeometry {
    /// In our terms.
    pub fn to_canonical(&self) -> super::Geometry {
        super::Geometry::symmetric(
            Convention::Trossen,
            self.f / SIDE_PER_RADIUS / 1000.0,
            self.e / SIDE_PER_RADIUS / 1000.0,
            self.rf / 1000.0,
            self.re / 1000.0,
        )
    }

    /// From ours, if the arms are alike and 120° apart, counted counter-clockwise.
    pub fn from_canonical(geometry: &super::Geometry) -> Result<Self, ConvertError> {
        let convention = Convention::Trossen;
        turn(convention, geometry.azimuths)?;
        Ok(Self {
            f: alike(convention, "base.radius", geometry.base_radius)? * SIDE_PER_RADIUS * 1000.0,
            e: alike(convention, "platform.radius", geometry.platform_radius)? * SIDE_PER_RADIUS * 1000.0,
            rf: alike(convention, "upper_arm.length", geometry.upper_arm)? * 1000.0,
            re: alike(convention, "forearm.length", geometry.forearm)? * 1000.0,
        })
    }
}
