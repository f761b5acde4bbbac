//! The robots that come with the library: two from the literature. Their files say where each number is from.
//!
//! The files are embedded and parsed like any other, so that there is one place for each number. Parsing cannot be
//! proved at compile time, hence the `Result`; a test keeps it `Ok`.

use crate::describe::{FileError, Robot};

/// A robot file inside the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// How [`Robot::find`] and the command know it.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

/// All of them.
pub const BUILT_IN: [BuiltIn; 2] = [ASADI, D3_1200];

const ASADI: BuiltIn = BuiltIn { name: "asadi", text: include_str!("../../../robots/asadi.toml") };
const D3_1200: BuiltIn = BuiltIn { name: "d3-1200", text: include_str!("../../../robots/d3-1200.toml") };

/// The names of the built-in robots.
pub fn names() -> [&'static str; BUILT_IN.len()] {
    BUILT_IN.map(|robot| robot.name)
}

/// The built-in robot with this name.
pub fn by_name(name: &str) -> Option<Result<Robot, FileError>> {
    BUILT_IN.iter().find(|robot| robot.name == name).map(|robot| Robot::parse(robot.text))
}

/// The robot of Asadi & Heydari 2020.
pub fn asadi() -> Result<Robot, FileError> {
    Robot::parse(ASADI.text)
}

/// The SIPRO D3-1200 of Falezza et al. 2022.
pub fn d3_1200() -> Result<Robot, FileError> {
    Robot::parse(D3_1200.text)
}
