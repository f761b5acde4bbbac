//! Serial arms whose number of joints is known only when a file has been read.

use crate::serial::{LinkParameters, Serial, SerialError, SerialParameterError, SerialParameters};

use crate::spatial::Frame;
use dalembert_core::Vec3;
use dalembert_core::serial::{Body, DhConvention};

/// The most joints that a file may have.
pub const MOST_JOINTS: usize = 8;

/// A computation on an arm, whatever its number of joints.
pub trait ArmVisitor {
    /// What comes out.
    type Output;
    /// The computation.
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output;
}

/// A serial arm with one to eight joints. Every evaluation goes to the code made for that number of joints and does
/// not allocate.
#[derive(Clone, Debug)]
pub enum SerialArm {
    /// One joint.
    One(Box<Serial<f64, 1>>),
    /// Two joints.
    Two(Box<Serial<f64, 2>>),
    /// Three joints.
    Three(Box<Serial<f64, 3>>),
    /// Four joints.
    Four(Box<Serial<f64, 4>>),
    /// Five joints.
    Five(Box<Serial<f64, 5>>),
    /// Six joints.
    Six(Box<Serial<f64, 6>>),
    /// Seven joints.
    Seven(Box<Serial<f64, 7>>),
    /// Eight joints.
    Eight(Box<Serial<f64, 8>>),
}

/// Everything of an arm but its links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surroundings {
    /// How the rows are meant.
    pub convention: DhConvention,
    /// m/s², base frame.
    pub gravity: Vec3<f64>,
    /// In the last link's frame.
    pub tool: Frame<f64>,
    /// In the tool's frame.
    pub payload: Body<f64>,
}

/// Why an evaluation was refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ArmError {
    /// A slice that is not as long as the arm has joints.
    #[error("`{what}` has {found} entries, but the arm has {joints} joints")]
    Length {
        /// Which one.
        what: &'static str,
        /// Its length.
        found: usize,
        /// What it should be.
        joints: usize,
    },
    /// The state itself.
    #[error(transparent)]
    State(#[from] SerialError),
}

/// Why there is no such arm.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NoArm {
    /// Not 1 to 8.
    #[error("an arm has 1 to {MOST_JOINTS} joints, not {0}")]
    Joints(usize),
    /// A parameter.
    #[error(transparent)]
    Parameter(#[from] SerialParameterError),
}

impl SerialArm {
    /// The arm with these links, if there can be such an arm.
    pub fn try_new(links: &[LinkParameters<f64>], rest: Surroundings) -> Result<Self, NoArm> {
        fn build<const N: usize>(
            links: &[LinkParameters<f64>],
            rest: Surroundings,
        ) -> Result<Box<Serial<f64, N>>, NoArm> {
            let links = links.try_into().map_err(|_| NoArm::Joints(links.len()))?;
            let Surroundings { convention, gravity, tool, payload } = rest;
            Ok(Box::new(Serial::try_new(SerialParameters { convention, gravity, links, tool, payload })?))
        }
        Ok(match links.len() {
            1 => Self::One(build(links, rest)?),
            2 => Self::Two(build(links, rest)?),
            3 => Self::Three(build(links, rest)?),
            4 => Self::Four(build(links, rest)?),
            5 => Self::Five(build(links, rest)?),
            6 => Self::Six(build(links, rest)?),
            7 => Self::Seven(build(links, rest)?),
            8 => Self::Eight(build(links, rest)?),
            other => return Err(NoArm::Joints(other)),
        })
    }

    /// Runs a computation with the number of joints as a constant.
    pub fn visit<V: ArmVisitor>(&self, visitor: V) -> V::Output {
        match self {
            Self::One(arm) => visitor.visit(arm),
            Self::Two(arm) => visitor.visit(arm),
            Self::Three(arm) => visitor.visit(arm),
            Self::Four(arm) => visitor.visit(arm),
            Self::Five(arm) => visitor.visit(arm),
            Self::Six(arm) => visitor.visit(arm),
            Self::Seven(arm) => visitor.visit(arm),
            Self::Eight(arm) => visitor.visit(arm),
        }
    }

    /// The number of joints.
    pub fn joints(&self) -> usize {
        self.links().len()
    }

    /// What the links are made of.
    pub fn links(&self) -> &[LinkParameters<f64>] {
        match self {
            Self::One(arm) => &arm.parameters().links,
            Self::Two(arm) => &arm.parameters().links,
            Self::Three(arm) => &arm.parameters().links,
            Self::Four(arm) => &arm.parameters().links,
            Self::Five(arm) => &arm.parameters().links,
            Self::Six(arm) => &arm.parameters().links,
            Self::Seven(arm) => &arm.parameters().links,
            Self::Eight(arm) => &arm.parameters().links,
        }
    }

    /// Everything else it is made of.
    pub fn surroundings(&self) -> Surroundings {
        struct Rest;
        impl ArmVisitor for Rest {
            type Output = Surroundings;
            fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Surroundings {
                let SerialParameters { convention, gravity, tool, payload, .. } = *arm.parameters();
                Surroundings { convention, gravity, tool, payload }
            }
        }
        self.visit(Rest)
    }

    /// The same arm in another gravity, base frame.
    #[must_use]
    pub fn with_gravity(&self, gravity: Vec3<f64>) -> Self {
        match self {
            Self::One(arm) => Self::One(Box::new(arm.with_gravity(gravity))),
            Self::Two(arm) => Self::Two(Box::new(arm.with_gravity(gravity))),
            Self::Three(arm) => Self::Three(Box::new(arm.with_gravity(gravity))),
            Self::Four(arm) => Self::Four(Box::new(arm.with_gravity(gravity))),
            Self::Five(arm) => Self::Five(Box::new(arm.with_gravity(gravity))),
            Self::Six(arm) => Self::Six(Box::new(arm.with_gravity(gravity))),
            Self::Seven(arm) => Self::Seven(Box::new(arm.with_gravity(gravity))),
            Self::Eight(arm) => Self::Eight(Box::new(arm.with_gravity(gravity))),
        }
    }

    /// The arm itself, where it has so many joints.
    pub fn with_joints<const N: usize>(&self) -> Option<Serial<f64, N>> {
        let links = self.links().try_into().ok()?;
        let Surroundings { convention, gravity, tool, payload } = self.surroundings();
        Some(Serial::new(SerialParameters { convention, gravity, links, tool, payload }))
    }

    /// The arm with six joints, where it is one.
    pub fn six(&self) -> Option<&Serial<f64, 6>> {
        match self {
            Self::Six(arm) => Some(arm),
            _ => None,
        }
    }

    /// Inverse dynamics with friction: torques into `tau`.
    pub fn torque(&self, q: &[f64], qd: &[f64], qdd: &[f64], tau: &mut [f64]) -> Result<(), ArmError> {
        struct Torque<'a>([&'a [f64]; 3], &'a mut [f64]);
        impl ArmVisitor for Torque<'_> {
            type Output = Result<(), ArmError>;
            fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
                let [q, qd, qdd] = self.0;
                let moving = arm.at_joints(array("q", q)?)?.try_moving(array("qd", qd)?)?;
                put("tau", self.1, &moving.try_torque(array("qdd", qdd)?)?)
            }
        }
        self.visit(Torque([q, qd, qdd], tau))
    }

    /// Forward dynamics with friction: accelerations into `qdd`.
    pub fn acceleration(&self, q: &[f64], qd: &[f64], tau: &[f64], qdd: &mut [f64]) -> Result<(), ArmError> {
        struct Acceleration<'a>([&'a [f64]; 3], &'a mut [f64]);
        impl ArmVisitor for Acceleration<'_> {
            type Output = Result<(), ArmError>;
            fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
                let [q, qd, tau] = self.0;
                let moving = arm.at_joints(array("q", q)?)?.try_moving(array("qd", qd)?)?;
                put("qdd", self.1, &moving.try_acceleration(array("tau", tau)?)?)
            }
        }
        self.visit(Acceleration([q, qd, tau], qdd))
    }

    /// Mass matrix, row by row, into `mass` (n² entries), and holding torques into `gravity`.
    pub fn mass_and_gravity(&self, q: &[f64], mass: &mut [f64], gravity: &mut [f64]) -> Result<(), ArmError> {
        struct Mass<'a>(&'a [f64], [&'a mut [f64]; 2]);
        impl ArmVisitor for Mass<'_> {
            type Output = Result<(), ArmError>;
            fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
                let pose = arm.at_joints(array("q", self.0)?)?;
                let [mass, gravity] = self.1;
                put("gravity", gravity, &pose.gravity_torque())?;
                put("mass", mass, pose.mass_matrix().as_flattened())
            }
        }
        self.visit(Mass(q, [mass, gravity]))
    }

    /// The tool frame, base frame.
    pub fn tool(&self, q: &[f64]) -> Result<Frame<f64>, ArmError> {
        struct Tool<'a>(&'a [f64]);
        impl ArmVisitor for Tool<'_> {
            type Output = Result<Frame<f64>, ArmError>;
            fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
                Ok(arm.at_joints(array("q", self.0)?)?.tool())
            }
        }
        self.visit(Tool(q))
    }
}

/// A slice of the right length.
fn array<const N: usize>(what: &'static str, values: &[f64]) -> Result<[f64; N], ArmError> {
    values.try_into().map_err(|_| ArmError::Length { what, found: values.len(), joints: N })
}

fn put(what: &'static str, target: &mut [f64], values: &[f64]) -> Result<(), ArmError> {
    if target.len() != values.len() {
        return Err(ArmError::Length { what, found: target.len(), joints: values.len() });
    }
    target.copy_from_slice(values);
    Ok(())
}
