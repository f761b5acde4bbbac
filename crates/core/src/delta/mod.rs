//! The Delta robot: three driven arms, three pairs of rods, one platform that only translates.
//!
//! The stages of an evaluation are types, so that a stale value does not compile:
//!
//! ```
//! # use dalembert_core::{Vec3, delta::{Delta, Branch}};
//! # fn example(robot: &Delta<f64>, position: Vec3<f64>, velocity: Vec3<f64>, acceleration: Vec3<f64>)
//! # -> Result<(), dalembert_core::delta::KinematicsError> {
//! let pose = robot.at_position(position, Branch::Out)?;   // reach, elbows, rods, Jacobian
//! let moving = pose.moving(velocity);                     // rates, derivative of the Jacobian
//! let torque = moving.torque(acceleration);               // inverse dynamics
//! let back = moving.acceleration(torque);                 // forward dynamics
//! # Ok(()) }
//! ```

mod breakdown;
mod check;
mod dynamics;
pub mod exact;
pub mod kinematics;
pub mod model;
pub mod models;
mod parameters;
pub mod symmetric;

pub use crate::parameter::ParameterError;
pub use breakdown::{Body, Breakdown, ForearmForce, Term};
pub use check::{KinematicsError, NEARLY_SINGULAR, SINGULAR};
pub use dynamics::{DeltaModel, DeltaState};
pub use kinematics::{ArmMotion, ArmPose, Assembly, Branch, Moving, Pose};
pub use model::{Model, ModelDoesNotApply};
pub use models::{AnyModel, ModelName};
pub use parameters::{ArmParameters, Azimuth, Forearm, Motor, Parameters, UpperArm};

use crate::algebra::Vec3;
use crate::array::map;
use crate::scalar::Scalar;

/// A Delta robot ready for evaluation: its parameters and the constants lumped from them once.
#[derive(Clone, Copy, Debug)]
pub struct Delta<S> {
    parameters: Parameters<S>,
    pub(crate) arms: [Arm<S>; 3],
    /// Mass that moves like the platform: platform, payload and the rods' share, kg.
    pub(crate) platform_inertia: S,
    /// The same for gravity: the rods weigh there by their centre of mass, kg.
    pub(crate) platform_weight: S,
}

/// What the formulas need of one arm: the constants lumped from its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Arm<S> {
    /// cos φ.
    pub cos: S,
    /// sin φ.
    pub sin: S,
    /// R = base radius − platform radius, m.
    pub radius: S,
    /// `L_A`, m.
    pub la: S,
    /// `L_B`, m.
    pub lb: S,
    /// `L_A²`, m².
    pub la_squared: S,
    /// (R² + `L_A²` − `L_B²`)/2, m².
    pub h_offset: S,
    /// The rod as two end masses and a coupling, T = ½(m_cc v_C² + 2 m_ca v_C·v_A + m_aa v_A²), kg: at the elbow.
    pub m_cc: S,
    /// The coupling.
    pub m_ca: S,
    /// At the platform.
    pub m_aa: S,
    /// Inertia about the motor axis: arm, elbow, reflected rotor and the rod's m_cc at the elbow, kg m².
    pub inertia: S,
    /// First moment about the motor axis of what gravity pulls at: arm, elbow and the rod's share, kg m.
    pub moment: S,
    /// First moment of the arm beside the line motor axis–elbow, along e′, kg m; `None` costs nothing.
    pub offset_moment: Option<S>,
    /// The arm's angle where the joint reads zero.
    pub zero_offset: Option<S>,
}

impl<S: Scalar> Delta<S> {
    /// The robot with these parameters, without a check: for scalars that cannot be checked. For `f64` use
    /// [`Delta::try_new`].
    pub fn new(parameters: Parameters<S>) -> Self {
        let arms = map(parameters.arms, |arm| Arm::new(&arm));
        let moving = parameters.platform_mass + parameters.payload_mass;
        let rods = |share: fn(&ArmParameters<S>, &Arm<S>) -> S| {
            let [a, b, c] = map([0, 1, 2], |i| share(&parameters.arms[i], &arms[i]));
            a + b + c
        };
        Self {
            platform_inertia: moving + rods(|_, arm| arm.m_aa),
            platform_weight: moving + rods(|p, _| p.forearm.mass * p.rod_ratio()),
            parameters,
            arms,
        }
    }

    /// What the robot was made from.
    pub fn parameters(&self) -> &Parameters<S> {
        &self.parameters
    }

    /// The constants lumped from each arm's parameters.
    pub fn lumped_arms(&self) -> &[Arm<S>; 3] {
        &self.arms
    }

    /// Mass that moves like the platform: platform, payload and the rods' share Σ m_aa, kg.
    pub fn platform_inertia(&self) -> S {
        self.platform_inertia
    }

    /// Mass that weighs like the platform: platform, payload and the rods' share by centre of mass, kg.
    pub fn platform_weight(&self) -> S {
        self.platform_weight
    }

    /// The acceleration of gravity, base frame.
    pub fn gravity(&self) -> Vec3<S> {
        self.parameters.gravity
    }
}

impl Delta<f64> {
    /// The same robot for another scalar, its parameters constants.
    pub fn lift<T: Scalar>(&self) -> Delta<T> {
        Delta::new(self.parameters.lift())
    }
}

impl<S: Scalar> Arm<S> {
    /// The arm's angle below the horizontal where the joint reads `q`.
    #[inline(always)]
    pub fn angle_of(&self, q: S) -> S {
        self.zero_offset.map_or(q, |offset| q + offset)
    }

    /// What the joint reads at an angle of the arm.
    #[inline(always)]
    pub fn reading_of(&self, angle: S) -> S {
        self.zero_offset.map_or(angle, |offset| angle - offset)
    }

    fn new(arm: &ArmParameters<S>) -> Self {
        let rod = &arm.forearm;
        let (la, lb) = (arm.upper_arm.length, rod.length);
        let radius = arm.radius();
        // Rod energy through its end velocities (crates/papers/errata.md, §0), ρ = centre of mass / length:
        // m_cc = m(1−ρ)² + I/L², m_aa = mρ² + I/L², m_ca = mρ(1−ρ) − I/L².
        let rho = arm.rod_ratio();
        let rest = S::one() - rho;
        let spin = rod.inertia / (lb * lb);
        let m_cc = rod.mass * rest * rest + spin;
        let m_aa = rod.mass * rho * rho + spin;
        let m_ca = rod.mass * rho * rest - spin;
        Self {
            cos: arm.azimuth.cos,
            sin: arm.azimuth.sin,
            radius,
            la,
            lb,
            la_squared: la * la,
            h_offset: (radius * radius + la * la - lb * lb).times(0.5),
            m_cc,
            m_ca,
            m_aa,
            inertia: arm.arm_axis_inertia() + arm.reflected_rotor_inertia() + m_cc * la * la,
            moment: arm.arm_moment() + rod.mass * rest * la,
            offset_moment: arm.arm_offset_moment(),
            zero_offset: arm.zero_offset,
        }
    }
}

impl<S: Scalar> ArmParameters<S> {
    /// Rotor inertia as the joint feels it: gear ratio squared times the motor-side value.
    pub fn reflected_rotor_inertia(&self) -> S {
        self.motor.rotor_inertia * self.motor.gear_ratio.square()
    }
}
