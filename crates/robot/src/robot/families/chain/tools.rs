//! The tools of a chain: their names, and which of them positions and forces mean.

use super::links::{SerialLinks, Surroundings};
use crate::chain::ToolOwner;
use crate::robot::file::{Document, FileError};
use crate::serial::Body;
use crate::spatial::Frame;
use crate::suggest::closest;

/// What [tool] is called.
pub const WHOLE: &str = "tool";

/// The tools in order: that of the file's table [tool], unless only links have tools, then those of the links.
pub fn tools(arm: &SerialLinks) -> Vec<(String, ToolOwner)> {
    let of_links = arm.tool_names().iter().enumerate();
    let mut all: Vec<(String, ToolOwner)> =
        of_links.filter_map(|(i, name)| Some((name.clone()?, ToolOwner::Link(i)))).collect();
    let Surroundings { tool, payload, .. } = arm.surroundings();
    if all.is_empty() || tool != Frame::identity() || payload != Body::zero() {
        all.insert(0, (WHOLE.to_owned(), ToolOwner::Whole));
    }
    all
}

/// The tool of this name; without a name the first one.
pub fn find(arm: &SerialLinks, name: Option<&str>) -> Option<ToolOwner> {
    let mut all = tools(arm).into_iter();
    all.find(|(own, _)| name.is_none_or(|name| name == own)).map(|(_, which)| which)
}

/// Refuses names that two tools have, or none.
pub fn check(file: &Document<'_>, arm: &SerialLinks, main: Option<&str>) -> Result<(), FileError> {
    let all = tools(arm);
    for (k, (name, which)) in all.iter().enumerate() {
        if all[..k].iter().any(|(other, _)| other == name)
            && let ToolOwner::Link(link) = which
        {
            let path = format!("link.{}.tool.name", link + 1);
            let hint = "give each tool a name of its own; the one of the table [tool] is called \"tool\"";
            return Err(file.error(file.span(&path, None), format!("two tools are called \"{name}\""), hint));
        }
    }
    match main {
        Some(main) if find(arm, Some(main)).is_none() => {
            Err(file.error(file.span("main_tool", None), format!("there is no tool \"{main}\""), known(&all, main)))
        }
        _ => Ok(()),
    }
}

/// For hints: what there is.
pub fn known(all: &[(String, ToolOwner)], wanted: &str) -> String {
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    match closest(wanted, names.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("there is {}", names.join(", ")),
    }
}
