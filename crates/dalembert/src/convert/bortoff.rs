//! Bortoff 2018.
//!
//! Source: the paper's (1)–(5), (10), (11) and Table I; the map is tested in `crates/papers/errata.md`, §4. Its x₃ points **down**,
//! x₁ = x, x₂ = y; arm 1 is in the x₂–x₃ plane, arms 2 and 3 follow by ±120°, so ours are at 90°, 210°, 330°; the motor angle
//! φ₁ is q and u is τ. SI, radians.
//!
//! | Table I | ours |
//! | --- | --- |
//! | `l0`, `l3` | base radius, platform radius ("width of end effector") |
//! | `l1`, `lc1`, `m1`, `J1` | upper arm: length, centre of mass, mass; J₁ is its inertia about its centre of mass *and* the rotor's |
//! | `l2`, `lc2`, `m2`, `J2` | forearm: length, centre of mass, mass, transverse inertia |
//! | `m3` | **a third** of the platform mass |
//! | `a` | gravity |
//!
//! Table I prints N m/s² for the inertias; they are in kg m².

use super::{Convention, ConvertError, alike, bare, robot, turn};
use crate::delta::{ArmParameters, Forearm, Motor, Parameters, UpperArm};

/// The paper's Table I, with its names.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the table above says what each is")]
pub struct BortoffParameters {
    pub l0: f64,
    pub l1: f64,
    pub l2: f64,
    pub l3: f64,
    pub lc1: f64,
    pub lc2: f64,
    pub m1: f64,
    pub m2: f64,
    pub m3: f64,
    pub j1: f64,
    pub j2: f64,
    pub a: f64,
}

impl BortoffParameters {
    /// In our terms. The rotor stays in the arm's inertia: the paper does not tell them apart, and nothing depends on it.
    pub fn to_canonical(&self) -> Parameters<f64> {
        let geometry = super::Geometry::symmetric(Convention::Bortoff, self.l0, self.l3, self.l1, self.l2);
        let azimuths = geometry.azimuths;
        let arm = ArmParameters {
            azimuth: azimuths[0],
            base_radius: self.l0,
            platform_radius: self.l3,
            upper_arm: UpperArm {
                length: self.l1,
                mass: self.m1,
                center_of_mass: self.lc1,
                inertia: self.j1,
                elbow_mass: None,
            },
            forearm: Forearm { length: self.l2, mass: self.m2, center_of_mass: self.lc2, inertia: self.j2 },
            motor: Motor { rotor_inertia: 0.0, gear_ratio: 1.0, friction: None },
            passive_damping: None,
        };
        robot(arm, azimuths, 3.0 * self.m3, self.a)
    }

    /// From ours, if the arms are alike and 120° apart, counted counter-clockwise.
    pub fn from_canonical(p: &Parameters<f64>) -> Result<Self, ConvertError> {
        let convention = Convention::Bortoff;
        let a = bare(convention, p)?;
        turn(convention, p.arms.map(|arm| arm.azimuth))?;
        let one = |field, value: fn(&ArmParameters<f64>) -> f64| alike(convention, field, p.arms.each_ref().map(value));
        Ok(Self {
            l0: one("base.radius", |arm| arm.base_radius)?,
            l1: one("upper_arm.length", |arm| arm.upper_arm.length)?,
            l2: one("forearm.length", |arm| arm.forearm.length)?,
            l3: one("platform.radius", |arm| arm.platform_radius)?,
            lc1: one("upper_arm.center_of_mass", |arm| arm.upper_arm.center_of_mass)?,
            lc2: one("forearm.center_of_mass", |arm| arm.forearm.center_of_mass)?,
            m1: one("upper_arm.mass", |arm| arm.upper_arm.mass)?,
            m2: one("forearm.mass", |arm| arm.forearm.mass)?,
            m3: p.platform_mass / 3.0,
            j1: one("upper_arm.inertia", |arm| arm.upper_arm.inertia + arm.reflected_rotor_inertia())?,
            j2: one("forearm.inertia", |arm| arm.forearm.inertia)?,
            a,
        })
    }
}
