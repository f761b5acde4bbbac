//! The robot files inside the library.

/// A robot file inside the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name for [`Robot::find`](crate::robot::Robot::find) and the command.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

/// All of them.
pub const BUILT_IN: [BuiltIn; 7] = [ASADI, D3_1200, PUMA560, LINEAR_DELTA, HEXA, HEXAGLIDE, STEWART];

pub(in crate::robot) const ASADI: BuiltIn = BuiltIn { name: "asadi", text: include_str!("../../../robots/asadi.toml") };
pub(in crate::robot) const D3_1200: BuiltIn =
    BuiltIn { name: "d3-1200", text: include_str!("../../../robots/d3-1200.toml") };
pub(in crate::robot) const PUMA560: BuiltIn =
    BuiltIn { name: "puma560", text: include_str!("../../../robots/puma560.toml") };
const LINEAR_DELTA: BuiltIn = BuiltIn { name: "linear-delta", text: include_str!("../../../robots/linear-delta.toml") };
const HEXA: BuiltIn = BuiltIn { name: "hexa", text: include_str!("../../../robots/hexa.toml") };
const HEXAGLIDE: BuiltIn = BuiltIn { name: "hexaglide", text: include_str!("../../../robots/hexaglide.toml") };
const STEWART: BuiltIn = BuiltIn { name: "stewart", text: include_str!("../../../robots/stewart.toml") };

/// The names of the built-in robots.
pub fn names() -> [&'static str; BUILT_IN.len()] {
    BUILT_IN.map(|robot| robot.name)
}
