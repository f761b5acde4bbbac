//! The links of a serial arm as a file has them: how many is known only when it has been read.

use crate::Vec3;
use crate::chain::{BranchParameters, Chain, ChainError, ChainParameters, TipParameters, ToolOwner};
use crate::robot::MAX_JOINTS;
use crate::serial::{Body, DhConvention, LinkParameters, Serial, SerialParameters};
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

/// How a link hangs on another one, and the tool that it carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// The link that it hangs on: 0 is the base, 1 the first link.
    pub parent: usize,
    /// Where its row starts, in the frame of that link.
    pub mount: Option<Frame<f64>>,
    /// A tool of its own, with its name.
    pub tool: Option<(String, TipParameters<f64>)>,
}

impl Attachment {
    /// Of link `i` (from 0) in a row of links: on the one before, without a tool.
    pub fn in_a_row(i: usize) -> Self {
        Self { parent: i, mount: None, tool: None }
    }
}

/// Why there is no such arm.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NoArm {
    /// None, or too many.
    #[error("an arm has 1 to {MAX_JOINTS} joints, not {0}")]
    Joints(usize),
    /// A parameter, or links that are not in order.
    #[error(transparent)]
    Chain(#[from] ChainError),
}

/// A serial arm with any number of joints, or a tree of links, validated.
#[derive(Clone, Debug, PartialEq)]
pub struct SerialLinks {
    links: Vec<LinkParameters<f64>>,
    /// One for each link.
    attachments: Vec<Attachment>,
    rest: Surroundings,
    main_tool: Option<String>,
}

impl SerialLinks {
    /// The arm with these links, if there can be such an arm.
    pub fn try_new(links: &[LinkParameters<f64>], rest: Surroundings) -> Result<Self, NoArm> {
        Self::try_tree(links, (0..links.len()).map(Attachment::in_a_row).collect(), rest)
    }

    /// The tree of these links, if there can be such a tree; an attachment for each.
    pub fn try_tree(
        links: &[LinkParameters<f64>],
        attachments: Vec<Attachment>,
        rest: Surroundings,
    ) -> Result<Self, NoArm> {
        if !(1..=MAX_JOINTS).contains(&links.len()) {
            return Err(NoArm::Joints(links.len()));
        }
        if attachments.len() != links.len() {
            return Err(
                ChainError::Length { what: "the attachments", links: links.len(), given: attachments.len() }.into()
            );
        }
        let all = Self { links: links.to_vec(), attachments, rest, main_tool: None };
        let (branches, whole) = (all.branches(), all.whole());
        let mut parents = (1..).zip(all.attachments.iter().map(|attachment| attachment.parent));
        if let Some((link, parent)) = parents.find(|(link, parent)| parent >= link) {
            return Err(ChainError::Parent { link, parent }.into());
        }
        Chain::try_new(ChainParameters { links: branches, whole }, ToolOwner::Whole)?;
        Ok(all)
    }

    /// The same with other links, as many of them, or other surroundings.
    pub fn changed(&self, links: &[LinkParameters<f64>], rest: Surroundings) -> Result<Self, NoArm> {
        Ok(Self::try_tree(links, self.attachments.clone(), rest)?.with_main_tool(self.main_tool.clone()))
    }

    /// The same with the tool that positions and forces mean, by its name; without one the first tool.
    #[must_use]
    pub fn with_main_tool(self, main_tool: Option<String>) -> Self {
        Self { main_tool, ..self }
    }

    /// The tool that positions and forces mean, where it is not the first.
    pub fn main_tool(&self) -> Option<&str> {
        self.main_tool.as_deref()
    }

    /// How the links hang on each other.
    pub fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }

    /// Whether each link hangs on the one before as its row says, and only the last one carries a tool.
    pub fn is_in_a_row(&self) -> bool {
        self.attachments.iter().enumerate().all(|(i, attachment)| *attachment == Attachment::in_a_row(i))
    }

    /// The links as those of a tree.
    pub fn branches(&self) -> Vec<BranchParameters<f64>> {
        let branch = |(link, attachment): (&LinkParameters<f64>, &Attachment)| BranchParameters {
            link: *link,
            parent: attachment.parent,
            mount: attachment.mount,
            tip: attachment.tool.as_ref().map(|(_, tip)| *tip),
        };
        self.links.iter().zip(&self.attachments).map(branch).collect()
    }

    /// Everything but the links as parameters.
    pub fn whole(&self) -> SerialParameters<f64, 0> {
        let Surroundings { convention, gravity, tool, payload } = self.rest;
        SerialParameters { convention, gravity, links: [], tool, payload }
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

    /// The chain of these links, whose positions and forces mean the tool of `owner`.
    pub fn chain(&self, owner: ToolOwner) -> Result<Chain<f64>, NoArm> {
        Ok(Chain::new(ChainParameters { links: self.branches(), whole: self.whole() }, owner)?)
    }

    /// The same as an arm whose number of joints is known at compile time, where it has so many, in a row.
    pub fn arm<const N: usize>(&self) -> Option<Serial<f64, N>> {
        self.chain(ToolOwner::Whole).ok()?.serial()
    }
}
