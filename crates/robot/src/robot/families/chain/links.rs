//! The links of a serial arm as a file has them: how many is known only when it has been read.

use crate::chain::{BranchParameters, Chain, ChainError, ChainParameters, ToolOwner};
use crate::robot::MAX_JOINTS;
use crate::serial::{Body, LinkParameters, Serial, SerialParameters};
use crate::spatial::Frame;
use crate::suggest::closest;

/// Everything of an arm but its links.
pub type Surroundings = SerialParameters<f64, 0>;

/// Why there is no such arm.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NoArm {
    /// None, or too many.
    #[error("an arm has 1 to {MAX_JOINTS} joints, not {0}")]
    Joints(usize),
    /// Motors that turn with several joints leave one without.
    #[error("the couplings of the motors are not independent: some joint is driven by none of them")]
    Undriven,
    /// A parameter, or links that are not in order.
    #[error(transparent)]
    Chain(#[from] ChainError),
}

/// A serial arm with any number of joints, or a tree of links, validated.
#[derive(Clone, Debug, PartialEq)]
pub struct SerialLinks {
    parameters: ChainParameters<f64>,
    /// The name of each link's own tool.
    pub(super) tool_names: Vec<Option<String>>,
    /// The tool that positions and forces mean, where it is not the first.
    pub main_tool: Option<String>,
}

impl SerialLinks {
    /// The arm with these links, if there can be such an arm.
    pub fn try_new(links: &[LinkParameters<f64>], whole: Surroundings) -> Result<Self, NoArm> {
        let branch = |(i, link): (usize, &LinkParameters<f64>)| BranchParameters {
            link: *link,
            parent: i,
            mount: None,
            tip: None,
        };
        let branches = links.iter().enumerate().map(branch).collect();
        Self::try_tree(ChainParameters { links: branches, whole }, vec![None; links.len()])
    }

    /// The tree of these links, if there can be such a tree, with the name of each link's own tool.
    pub fn try_tree(parameters: ChainParameters<f64>, tool_names: Vec<Option<String>>) -> Result<Self, NoArm> {
        match parameters.links.len() {
            1..=MAX_JOINTS => {}
            joints => return Err(NoArm::Joints(joints)),
        }
        Chain::try_new(parameters.clone(), ToolOwner::Whole)?;
        Ok(Self { parameters, tool_names, main_tool: None })
    }

    /// The same with other numbers.
    pub fn with_parameters(&self, parameters: ChainParameters<f64>) -> Result<Self, NoArm> {
        Ok(Self { main_tool: self.main_tool.clone(), ..Self::try_tree(parameters, self.tool_names.clone())? })
    }

    /// What it is made of.
    pub fn parameters(&self) -> &ChainParameters<f64> {
        &self.parameters
    }

    /// What the links are made of.
    pub fn links(&self) -> Vec<LinkParameters<f64>> {
        self.parameters.links.iter().map(|branch| branch.link).collect()
    }

    /// Everything else it is made of.
    pub fn surroundings(&self) -> Surroundings {
        self.parameters.whole
    }

    /// The chain of these links, whose positions and forces mean the tool of `owner`.
    pub fn chain(&self, owner: ToolOwner) -> Result<Chain<f64>, NoArm> {
        Ok(Chain::new(self.parameters.clone(), owner)?)
    }

    /// The same as an arm whose number of joints is known at compile time, where it has so many, in a row.
    pub fn arm<const N: usize>(&self) -> Option<Serial<f64, N>> {
        self.chain(ToolOwner::Whole).ok()?.serial()
    }

    /// The tools in order: that of the file's table `[tool]`, unless only links have tools, then those of the links.
    pub fn tools(&self) -> Vec<(String, ToolOwner)> {
        let of_links = self.tool_names.iter().enumerate();
        let mut all: Vec<(String, ToolOwner)> =
            of_links.filter_map(|(i, name)| Some((name.clone()?, ToolOwner::Link(i)))).collect();
        let SerialParameters { tool, payload, .. } = self.parameters.whole;
        if all.is_empty() || tool != Frame::identity() || payload != Body::zero() {
            all.insert(0, ("tool".to_owned(), ToolOwner::Whole));
        }
        all
    }

    /// The tool of this name; without a name the first one.
    pub fn find_tool(&self, name: Option<&str>) -> Option<ToolOwner> {
        let mut all = self.tools().into_iter();
        all.find(|(own, _)| name.is_none_or(|name| name == own)).map(|(_, which)| which)
    }

    /// For hints about a tool that it has not.
    pub(super) fn known_tools(&self, wanted: &str) -> String {
        let all = self.tools();
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        match closest(wanted, names.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("there is {}", names.join(", ")),
        }
    }
}
