//! What a mistyped name is taken for.

#[path = "../../../robot/src/suggest.rs"]
mod source;
use source::{closest, distance};

#[test]
fn counts_edits() {
    assert_eq!(distance("", "abc"), 3);
    assert_eq!(distance("kitten", "sitting"), 3);
    assert_eq!(distance("azimuth", "azimuths"), 1);
    assert_eq!(distance("mass", "msas"), 1);
}

#[test]
fn suggests_only_what_is_near() {
    assert_eq!(closest("centre_of_mass", ["mass", "center_of_mass"]), Some("center_of_mass"));
    assert_eq!(closest("asdai", ["asadi", "d3-1200"]), Some("asadi"));
    assert_eq!(closest("colour", ["mass", "length"]), None);
    assert_eq!(closest("theta", ["alpha", "theta_offset"]), Some("theta_offset"));
    assert_eq!(closest("a", ["a_b"]), None);
}
