//! The links of a serial arm as a file has them: how many is known only when it has been read.

use crate::Vec3;
use crate::robot::MOST_JOINTS;
use crate::serial::{Body, DhConvention, LinkParameters, Serial, SerialParameterError, SerialParameters};
use crate::spatial::Frame;

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

/// A serial arm with any number of joints, validated.
#[derive(Clone, Debug, PartialEq)]
pub struct SerialLinks {
    links: Vec<LinkParameters<f64>>,
    rest: Surroundings,
}

/// Calls `$with` with the number of joints as a constant; `$otherwise` where there are not so many arms.
macro_rules! with_joints {
    ($n:expr, $with:ident ( $($argument:expr),* ), $otherwise:expr) => {
        match $n {
            1 => $with::<1>($($argument),*),
            2 => $with::<2>($($argument),*),
            3 => $with::<3>($($argument),*),
            4 => $with::<4>($($argument),*),
            5 => $with::<5>($($argument),*),
            6 => $with::<6>($($argument),*),
            7 => $with::<7>($($argument),*),
            8 => $with::<8>($($argument),*),
            _ => $otherwise,
        }
    };
}
pub(in crate::robot) use with_joints;

impl SerialLinks {
    /// The arm with these links, if there can be such an arm.
    pub fn try_new(links: &[LinkParameters<f64>], rest: Surroundings) -> Result<Self, NoArm> {
        fn check<const N: usize>(all: &SerialLinks) -> Result<(), NoArm> {
            let parameters = all.parameters::<N>().ok_or(NoArm::Joints(all.joints()))?;
            Ok(Serial::try_new(parameters).map(|_| ())?)
        }
        let all = Self { links: links.to_vec(), rest };
        with_joints!(links.len(), check(&all), Err(NoArm::Joints(links.len())))?;
        Ok(all)
    }

    /// The number of joints.
    pub fn joints(&self) -> usize {
        self.links.len()
    }

    /// What the links are made of.
    pub fn links(&self) -> &[LinkParameters<f64>] {
        &self.links
    }

    /// Everything else it is made of.
    pub fn surroundings(&self) -> Surroundings {
        self.rest
    }

    fn parameters<const N: usize>(&self) -> Option<SerialParameters<f64, N>> {
        let links = self.links.as_slice().try_into().ok()?;
        let Surroundings { convention, gravity, tool, payload } = self.rest;
        Some(SerialParameters { convention, gravity, links, tool, payload })
    }

    /// The arm itself, where it has so many joints.
    pub fn arm<const N: usize>(&self) -> Option<Serial<f64, N>> {
        self.parameters().map(Serial::new)
    }
}
