//! Klipper, `kinematics: rotary_delta`.
//!
//! Source: `docs/Config_Reference.md` ("Rotary delta Kinematics"), `klippy/kinematics/rotary_delta.py` (`elbow_coord`) and
//! `klippy/chelper/kin_rotary_delta.c` of the Klipper repository (K. O'Connor, 2019–2021): z up from the *bed*, lengths in mm,
//! arms at `angle` (30°, 150°, 270° by default), stepper positions in *radians*, zero horizontal outward and positive with the elbow **up**.
//!
//! | Klipper | ours |
//! | --- | --- |
//! | `shoulder_radius` | R = base radius − platform radius: only the difference is known |
//! | `shoulder_height` | height of our base plane above its origin ([`Converter::with_height`](super::Converter::with_height)) |
//! | `upper_arm_length`, `lower_arm_length`, `angle` | upper arm, forearm, azimuth, per arm |
//! | steppers a, b, c | −q1, −q2, −q3 |
//!
//! Torques are not part of Klipper; a converted one is positive as its angle is.

use super::{Convention, ConvertError, alike};
use crate::delta::Azimuth;
use std::array::from_fn;

/// The parameters, mm and degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KlipperGeometry {
    /// Radius of the shoulder joints less that of the effector joints; Klipper wants it positive.
    pub shoulder_radius: f64,
    /// Of the shoulder joints above the bed, less the toolhead's height.
    pub shoulder_height: f64,
    /// Of the steppers a, b, c.
    pub upper_arm_length: [f64; 3],
    /// Of the steppers a, b, c.
    pub lower_arm_length: [f64; 3],
    /// Of the steppers a, b, c.
    pub angle: [f64; 3],
}

impl KlipperGeometry {
    /// In our terms, with the platform shrunk to a point. `shoulder_height` goes into the converter.
    pub fn to_canonical(&self) -> super::Geometry {
        super::Geometry {
            azimuths: self.angle.map(|degrees| Azimuth::from_radians(degrees.to_radians())),
            base_radius: [self.shoulder_radius / 1000.0; 3],
            platform_radius: [0.0; 3],
            upper_arm: self.upper_arm_length.map(|length| length / 1000.0),
            forearm: self.lower_arm_length.map(|length| length / 1000.0),
        }
    }

    /// From ours, with the base plane `shoulder_height` (m) above the bed.
    pub fn from_canonical(geometry: &super::Geometry, shoulder_height: f64) -> Result<Self, ConvertError> {
        let convention = Convention::Klipper;
        let radius = from_fn(|i| geometry.base_radius[i] - geometry.platform_radius[i]);
        let shoulder_radius = alike(convention, "base.radius − platform.radius", radius)?;
        if shoulder_radius <= 0.0 {
            return Err(ConvertError::CannotSay {
                convention: convention.name(),
                field: "platform.radius",
                reason: "it must be smaller than base.radius: Klipper wants a positive shoulder_radius",
            });
        }
        Ok(Self {
            shoulder_radius: shoulder_radius * 1000.0,
            shoulder_height: shoulder_height * 1000.0,
            upper_arm_length: geometry.upper_arm.map(|length| length * 1000.0),
            lower_arm_length: geometry.forearm.map(|length| length * 1000.0),
            angle: geometry.azimuths.map(|azimuth| azimuth.radians().to_degrees().rem_euclid(360.0)),
        })
    }
}
