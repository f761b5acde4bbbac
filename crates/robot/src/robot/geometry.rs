//! Whose a state is: robots with the same geometry share states.

use super::{Description, JointKind, Number};
use crate::parameter::Unit;

/// A digest of all numbers that kinematics depend on; zero: of no robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Geometry(u64);

impl Geometry {
    /// That of a robot. Families that list no numbers differ by what their description says.
    pub fn of(description: &Description, numbers: &[Number]) -> Self {
        let Description { kind, joints, choices, tools, .. } = description;
        let mut digest = Digest(0xcbf2_9ce4_8422_2325);
        digest.text(kind.name);
        joints.iter().for_each(|joint| digest.number(u64::from(joint.kind == JointKind::Prismatic)));
        choices.iter().for_each(|(key, choice)| [key, choice].into_iter().for_each(|text| digest.text(text)));
        tools.first().into_iter().for_each(|tool| digest.text(tool));
        for number in numbers.iter().filter(|number| is_geometric(number)) {
            digest.text(number.field.key);
            // Zeros have a sign.
            digest.number((number.value + 0.0).to_bits());
        }
        Self(digest.0.max(1))
    }

    /// Whether a state with this mark is one of a robot with that geometry; what no robot has marked may be.
    pub fn fits(self, robot: Self) -> bool {
        self.0 == 0 || self == robot
    }
}

/// Whether kinematics depend on it.
fn is_geometric(number: &Number) -> bool {
    let key = number.field.key;
    match number.field.unit {
        Unit::Length | Unit::Angle => !key.ends_with("center_of_mass") && !key.ends_with("spacing"),
        Unit::Ratio => !key.ends_with("gear_ratio") && !key.starts_with("armature"),
        _ => false,
    }
}

/// Fowler, Noll and Vo's hash, 64 bits (FNV-1a).
struct Digest(u64);

impl Digest {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0]);
    }

    fn number(&mut self, bits: u64) {
        self.bytes(&bits.to_le_bytes());
    }
}
