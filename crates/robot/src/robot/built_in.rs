//! The robots that come with the library: three from the literature, and four parallel ones.
//! Their files say where each number is from, and which are assumed.
//!
//! The files are embedded and parsed like any other, so that there is one place for each number. Parsing cannot be
//! proved at compile time, hence the `Result`; a test keeps it `Ok`.

use super::families::{DeltaRobot, SerialRobot};
use super::file::FileError;
use super::{ModelSpec, Robot, families};

/// A robot file inside the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name for [`Robot::find`] and the command.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

/// All of them.
pub const BUILT_IN: [BuiltIn; 7] = [ASADI, D3_1200, PUMA560, LINEAR_DELTA, HEXA, HEXAGLIDE, STEWART];

const ASADI: BuiltIn = BuiltIn { name: "asadi", text: include_str!("../../robots/asadi.toml") };
const D3_1200: BuiltIn = BuiltIn { name: "d3-1200", text: include_str!("../../robots/d3-1200.toml") };
const PUMA560: BuiltIn = BuiltIn { name: "puma560", text: include_str!("../../robots/puma560.toml") };
const LINEAR_DELTA: BuiltIn = BuiltIn { name: "linear-delta", text: include_str!("../../robots/linear-delta.toml") };
const HEXA: BuiltIn = BuiltIn { name: "hexa", text: include_str!("../../robots/hexa.toml") };
const HEXAGLIDE: BuiltIn = BuiltIn { name: "hexaglide", text: include_str!("../../robots/hexaglide.toml") };
const STEWART: BuiltIn = BuiltIn { name: "stewart", text: include_str!("../../robots/stewart.toml") };

/// The names of the built-in robots.
pub fn names() -> [&'static str; BUILT_IN.len()] {
    BUILT_IN.map(|robot| robot.name)
}

/// The built-in robot with this name.
pub fn by_name(name: &str) -> Option<Result<Robot, FileError>> {
    BUILT_IN.iter().find(|robot| robot.name == name).map(|robot| Robot::parse(robot.text))
}

/// The robot of Asadi & Heydari 2020.
pub fn asadi() -> Result<DeltaRobot, FileError> {
    DeltaRobot::parse(ASADI.text)
}

/// The SIPRO D3-1200 of Falezza et al. 2022.
pub fn d3_1200() -> Result<DeltaRobot, FileError> {
    DeltaRobot::parse(D3_1200.text)
}

/// The PUMA 560 of Armstrong, Khatib and Burdick 1986.
pub fn puma560() -> Result<SerialRobot, FileError> {
    SerialRobot::parse(PUMA560.text)
}

/// The dynamic models of every family, each name once.
pub fn models() -> Vec<ModelSpec> {
    families::models()
}
