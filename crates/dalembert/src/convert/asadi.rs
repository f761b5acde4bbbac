//! Asadi & Heydari 2020.
//!
//! Source: the paper's (1)–(4), (22), (26) and its Appendix; the map is tested in `crates/papers/errata.md`, §1. Its z points **down**,
//! its arms along y′ of the frame turned by φ_i, so our azimuth is φ_i + 90°; q and τ are the same. SI, radians.
//!
//! | paper | ours |
//! | --- | --- |
//! | `r_b`, `r_a` | base radius, platform radius |
//! | `φ_i` | azimuth − 90° |
//! | `l_L`, `r_L`, `m_L`, `I_L` | upper arm: length, centre of mass / length, mass, inertia about its centre of mass |
//! | `l_K`, `r_K`, `M_K`, `I_K` | forearm (the pair): length, centre of mass / length, mass, transverse inertia |
//! | `I_mo` | rotor inertia, already at the joint |
//! | `m_P` | platform mass |

use super::{Convention, ConvertError, alike, bare, robot};
use crate::delta::{ArmParameters, Azimuth, Forearm, Motor, Parameters, UpperArm};
use std::f64::consts::FRAC_PI_2;

/// The paper's parameters, with its names.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the table above says what each is")]
pub struct AsadiParameters {
    pub r_b: f64,
    pub r_a: f64,
    pub phi: [f64; 3],
    pub l_l: f64,
    pub r_l: f64,
    pub m_l: f64,
    pub i_l: f64,
    pub l_k: f64,
    pub r_k: f64,
    /// The pair's mass; the Appendix calls it `m_K`, which elsewhere is another mass.
    pub m_k: f64,
    pub i_k: f64,
    pub i_mo: f64,
    pub m_p: f64,
    /// Along the paper's +z.
    pub g: f64,
}

impl AsadiParameters {
    /// In our terms.
    pub fn to_canonical(&self) -> Parameters<f64> {
        let azimuths = self.phi.map(|phi| Azimuth::from_radians(phi + FRAC_PI_2));
        let arm = ArmParameters {
            azimuth: azimuths[0],
            base_radius: self.r_b,
            platform_radius: self.r_a,
            upper_arm: UpperArm {
                length: self.l_l,
                mass: self.m_l,
                center_of_mass: self.r_l * self.l_l,
                inertia: self.i_l,
                elbow_mass: None,
            },
            forearm: Forearm {
                length: self.l_k,
                mass: self.m_k,
                center_of_mass: self.r_k * self.l_k,
                inertia: self.i_k,
            },
            motor: Motor { rotor_inertia: self.i_mo, gear_ratio: 1.0, friction: None },
            passive_damping: None,
        };
        robot(arm, azimuths, self.m_p, self.g)
    }

    /// From ours, if the arms are alike. The gear goes into `i_mo`.
    pub fn from_canonical(p: &Parameters<f64>) -> Result<Self, ConvertError> {
        let convention = Convention::Asadi;
        let g = bare(convention, p)?;
        let one = |field, value: fn(&ArmParameters<f64>) -> f64| alike(convention, field, p.arms.each_ref().map(value));
        Ok(Self {
            r_b: one("base.radius", |arm| arm.base_radius)?,
            r_a: one("platform.radius", |arm| arm.platform_radius)?,
            phi: p.arms.map(|arm| arm.azimuth.radians() - FRAC_PI_2),
            l_l: one("upper_arm.length", |arm| arm.upper_arm.length)?,
            r_l: one("upper_arm.center_of_mass", |arm| arm.upper_arm.center_of_mass / arm.upper_arm.length)?,
            m_l: one("upper_arm.mass", |arm| arm.upper_arm.mass)?,
            i_l: one("upper_arm.inertia", |arm| arm.upper_arm.inertia)?,
            l_k: one("forearm.length", |arm| arm.forearm.length)?,
            r_k: one("forearm.center_of_mass", |arm| arm.rod_ratio())?,
            m_k: one("forearm.mass", |arm| arm.forearm.mass)?,
            i_k: one("forearm.inertia", |arm| arm.forearm.inertia)?,
            i_mo: one("motor.rotor_inertia", |arm| arm.reflected_rotor_inertia())?,
            m_p: p.platform_mass,
            g,
        })
    }
}
