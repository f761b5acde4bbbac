//! LinuxCNC, `rotarydeltakins`.
//!
//! Source: `src/emc/kinematics/rotarydeltakins-common.h` of the LinuxCNC repository (C. Radek, 2013), its head comment and
//! its equations: z up, origin in the plane of the hips; a thigh is at 0° when horizontal outward and turns positive with the
//! knee down; degrees; joint 0 swings in the YZ plane with its knee at −y; joint 1 is at 30°, joint 2 at 150°.
//!
//! | LinuxCNC | ours |
//! | --- | --- |
//! | `platformradius` (pfr), `footradius` (fr) | base radius, platform radius (their "platform" is the fixed one, on top) |
//! | `thighlength` (tl), `shinlength` (sl) | upper arm, forearm |
//! | joints 0, 1, 2 | q1, q2, q3 |
//!
//! Assumed: lengths in mm; LinuxCNC has machine units, mm or inch. Of two revisions that were read, one (`0e94dfbc`) computes
//! with z *down* and joints 1 and 2 exchanged although its comment says the same as the other (`5983acda`); this is the
//! other, whose comment and code agree. Torques and dynamics are not part of LinuxCNC.

use super::{Convention, ConvertError, alike, turn};

/// The four parameters, mm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinuxcncGeometry {
    /// `platformradius`: origin to hip joint.
    pub platform_radius: f64,
    /// `thighlength`: hip to knee.
    pub thigh_length: f64,
    /// `shinlength`: knee to ankle.
    pub shin_length: f64,
    /// `footradius`: foot centre to ankle.
    pub foot_radius: f64,
}

impl LinuxcncGeometry {
    /// In our terms.
    pub fn to_canonical(&self) -> super::Geometry {
        super::Geometry::symmetric(
            Convention::LinuxCnc,
            self.platform_radius / 1000.0,
            self.foot_radius / 1000.0,
            self.thigh_length / 1000.0,
            self.shin_length / 1000.0,
        )
    }

    /// From ours, if the arms are alike and 120° apart, counted counter-clockwise.
    pub fn from_canonical(geometry: &super::Geometry) -> Result<Self, ConvertError> {
        let convention = Convention::LinuxCnc;
        turn(convention, geometry.azimuths)?;
        Ok(Self {
            platform_radius: alike(convention, "base.radius", geometry.base_radius)? * 1000.0,
            thigh_length: alike(convention, "upper_arm.length", geometry.upper_arm)? * 1000.0,
            shin_length: alike(convention, "forearm.length", geometry.forearm)? * 1000.0,
            foot_radius: alike(convention, "platform.radius", geometry.platform_radius)? * 1000.0,
        })
    }
}
