//! Beckhoff TwinCAT 3, TF5112, "3D-Delta Type 1 (P_3C)".
//!
//! Source: the page of that name in Beckhoff's Information System (TF5110–TF5113 Kinematic Transformation): the parameters below
//! with their units and meanings, motor axes in degrees, mm.
//!
//! | TwinCAT | ours |
//! | --- | --- |
//! | Inner arm length, Outer arm length | upper arm, forearm |
//! | Displacement, TCP displacement | base radius, platform radius |
//! | Inner arm mass; moment of inertia in relation to P1 (motor), kg mm² | upper arm's mass; its inertia about the motor axis |
//! | Outer arm mass, of both bars | forearm's mass |
//! | Link mass | elbow mass |
//! | TCP mass | platform mass |
//!
//! **Assumed**, because the page shows it only in a diagram that could not be seen: the zero and sense of the motor angles (taken
//! as ours), the axes of the machine coordinate system (z up) and the place of M1 (along +x), M2, M3 (120° and 240°). Check these
//! three on the machine before trusting a converted state; the parameters above do not depend on them.
//!
//! The page asks for no centre of mass of the inner arm and no inertia of the outer one: the first stands beside the parameters,
//! there and back, and the rods are uniform. The rotor is a matter of TwinCAT's drive settings.

use super::{Convention, ConvertError, alike, bare, robot, turn, uniform, uniform_rod};
use crate::delta::{ArmParameters, Motor, Parameters, UpperArm};

/// The parameters: mm, kg, kg mm².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwincatParameters {
    /// Motor axis to elbow, mm.
    pub inner_arm_length: f64,
    /// Elbow to gripper plate, mm.
    pub outer_arm_length: f64,
    /// Base centre to motor axis, mm.
    pub displacement: f64,
    /// Gripper plate's centre to the outer arm's joint, mm.
    pub tcp_displacement: f64,
    /// kg.
    pub inner_arm_mass: f64,
    /// About the motor axis, kg mm².
    pub inner_arm_inertia: f64,
    /// Of both bars, kg.
    pub outer_arm_mass: f64,
    /// At the elbow, kg.
    pub link_mass: f64,
    /// Gripper plate and gripper, kg.
    pub tcp_mass: f64,
}

impl TwincatParameters {
    /// In our terms, with the inner arm's centre of mass this far from the motor axis, m. Negative inertia is not caught
    /// here but by [`Delta::try_new`](crate::delta::Delta::try_new).
    pub fn to_canonical(&self, center_of_mass: f64) -> Parameters<f64> {
        let geometry = super::Geometry::symmetric(
            Convention::TwinCat,
            self.displacement / 1000.0,
            self.tcp_displacement / 1000.0,
            self.inner_arm_length / 1000.0,
            self.outer_arm_length / 1000.0,
        );
        let azimuths = geometry.azimuths;
        let arm = ArmParameters {
            azimuth: azimuths[0],
            base_radius: geometry.base_radius[0],
            platform_radius: geometry.platform_radius[0],
            upper_arm: UpperArm {
                length: geometry.upper_arm[0],
                mass: self.inner_arm_mass,
                center_of_mass,
                inertia: self.inner_arm_inertia / 1e6 - self.inner_arm_mass * center_of_mass * center_of_mass,
                elbow_mass: (self.link_mass != 0.0).then_some(self.link_mass),
            },
            forearm: uniform_rod(geometry.forearm[0], self.outer_arm_mass),
            motor: Motor { rotor_inertia: 0.0, gear_ratio: 1.0, friction: None },
            passive_damping: None,
        };
        robot(arm, azimuths, self.tcp_mass, 9.81)
    }

    /// From ours, if the arms are alike, the rods uniform and the rotors without inertia; and the centre of mass of the
    /// inner arm, m, which TwinCAT has no word for.
    pub fn from_canonical(p: &Parameters<f64>) -> Result<(Self, f64), ConvertError> {
        let convention = Convention::TwinCat;
        bare(convention, p)?;
        uniform(convention, p)?;
        if p.arms.iter().any(|arm| arm.motor.rotor_inertia != 0.0) {
            return Err(ConvertError::CannotSay {
                convention: convention.name(),
                field: "motor.rotor_inertia",
                reason: "it belongs to the drive's settings; make it zero here",
            });
        }
        turn(convention, p.arms.map(|arm| arm.azimuth))?;
        let one = |field, value: fn(&ArmParameters<f64>) -> f64| alike(convention, field, p.arms.each_ref().map(value));
        let center_of_mass = one("upper_arm.center_of_mass", |arm| arm.upper_arm.center_of_mass)?;
        let mechanism = Self {
            inner_arm_length: one("upper_arm.length", |arm| arm.upper_arm.length)? * 1000.0,
            outer_arm_length: one("forearm.length", |arm| arm.forearm.length)? * 1000.0,
            displacement: one("base.radius", |arm| arm.base_radius)? * 1000.0,
            tcp_displacement: one("platform.radius", |arm| arm.platform_radius)? * 1000.0,
            inner_arm_mass: one("upper_arm.mass", |arm| arm.upper_arm.mass)?,
            inner_arm_inertia: one("upper_arm.inertia", |arm| {
                let arm = &arm.upper_arm;
                arm.inertia + arm.mass * arm.center_of_mass * arm.center_of_mass
            })? * 1e6,
            outer_arm_mass: one("forearm.mass", |arm| arm.forearm.mass)?,
            link_mass: one("upper_arm.elbow_mass", |arm| arm.upper_arm.mass_at_elbow())?,
            tcp_mass: p.platform_mass,
        };
        Ok((mechanism, center_of_mass))
    }
}
