//! The robots that come with the library: three from the literature, and four parallel ones.
//! Their files say where each number is from, and which are assumed.
//!
//! The files are embedded and parsed like any other, so that there is one place for each number. Parsing cannot be
//! proved at compile time, hence the `Result`; a test keeps it `Ok`.

use super::Robot;
pub use super::families::models;
use super::families::{DeltaRobot, SerialRobot};
pub use super::file::built_in::{BUILT_IN, BuiltIn, names};
use super::file::{FileError, built_in};

/// The built-in robot with this name.
pub fn by_name(name: &str) -> Option<Result<Robot, FileError>> {
    BUILT_IN.iter().find(|robot| robot.name == name).map(|robot| Robot::parse(robot.text))
}

/// The robot of Asadi & Heydari 2020.
pub fn asadi() -> Result<DeltaRobot, FileError> {
    DeltaRobot::parse(built_in::ASADI.text)
}

/// The SIPRO D3-1200 of Falezza et al. 2022.
pub fn d3_1200() -> Result<DeltaRobot, FileError> {
    DeltaRobot::parse(built_in::D3_1200.text)
}

/// The PUMA 560 of Armstrong, Khatib and Burdick 1986.
pub fn puma560() -> Result<SerialRobot, FileError> {
    SerialRobot::parse(built_in::PUMA560.text)
}
