//! Falezza et al. 2022.
//!
//! Source: the paper's (2), (6), (7), T₁ and Table 1. The print mixes z up and z down; the coherent reading (`crates/papers/errata.md`, §3)
//! is z **down**, θ = q positive with the elbow down, α_i = azimuth, τ the same. SI, radians.
//!
//! | paper | ours |
//! | --- | --- |
//! | `r_f`, `r_e` | base radius, platform radius |
//! | `α_i` | azimuth |
//! | `l_1`, `a_1`, `m_1`, `I_1` | upper arm: length, centre of mass, mass, inertia about its centre of mass (by T₁) |
//! | `l_2`, `m_2` | forearm (both rods): length, mass; homogeneous, so `a_2` = l₂/2 and I = m₂ l₂²/12 |
//! | `m_0` | platform mass |
//! | `I_3`, `k_r` | rotor inertia, gear ratio |

use super::{Convention, ConvertError, alike, bare, robot, uniform, uniform_rod};
use crate::delta::{ArmParameters, Azimuth, Motor, Parameters, UpperArm};

/// The paper's parameters, with its names.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the table above says what each is")]
pub struct FalezzaParameters {
    pub r_f: f64,
    pub r_e: f64,
    pub alpha: [f64; 3],
    pub l_1: f64,
    pub a_1: f64,
    pub m_1: f64,
    pub i_1: f64,
    pub l_2: f64,
    pub m_2: f64,
    pub m_0: f64,
    pub i_3: f64,
    pub k_r: f64,
    /// Along the coherent reading's +z.
    pub g: f64,
}

impl FalezzaParameters {
    /// In our terms.
    pub fn to_canonical(&self) -> Parameters<f64> {
        let azimuths = self.alpha.map(Azimuth::from_radians);
        let arm = ArmParameters {
            azimuth: azimuths[0],
            base_radius: self.r_f,
            platform_radius: self.r_e,
            upper_arm: UpperArm {
                length: self.l_1,
                mass: self.m_1,
                center_of_mass: self.a_1,
                inertia: self.i_1,
                elbow_mass: None,
            },
            forearm: uniform_rod(self.l_2, self.m_2),
            motor: Motor { rotor_inertia: self.i_3, gear_ratio: self.k_r, friction: None },
            passive_damping: None,
        };
        robot(arm, azimuths, self.m_0, self.g)
    }

    /// From ours, if the arms are alike and the rods uniform.
    pub fn from_canonical(p: &Parameters<f64>) -> Result<Self, ConvertError> {
        let convention = Convention::Falezza;
        let g = bare(convention, p)?;
        uniform(convention, p)?;
        let one = |field, value: fn(&ArmParameters<f64>) -> f64| alike(convention, field, p.arms.each_ref().map(value));
        Ok(Self {
            r_f: one("base.radius", |arm| arm.base_radius)?,
            r_e: one("platform.radius", |arm| arm.platform_radius)?,
            alpha: p.arms.map(|arm| arm.azimuth.radians()),
            l_1: one("upper_arm.length", |arm| arm.upper_arm.length)?,
            a_1: one("upper_arm.center_of_mass", |arm| arm.upper_arm.center_of_mass)?,
            m_1: one("upper_arm.mass", |arm| arm.upper_arm.mass)?,
            i_1: one("upper_arm.inertia", |arm| arm.upper_arm.inertia)?,
            l_2: one("forearm.length", |arm| arm.forearm.length)?,
            m_2: one("forearm.mass", |arm| arm.forearm.mass)?,
            m_0: p.platform_mass,
            i_3: one("motor.rotor_inertia", |arm| arm.motor.rotor_inertia)?,
            k_r: one("motor.gear_ratio", |arm| arm.motor.gear_ratio)?,
            g,
        })
    }
}
