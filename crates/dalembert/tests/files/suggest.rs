//! What a mistyped name is taken for.

use dalembert::suggest::closest;

/// Letters that are inserted, removed, replaced or swapped with their neighbour count one each.
#[test]
fn counts_edits() {
    assert_eq!(closest("", ["abc"]), None);
    assert_eq!(closest("kitten", ["sitting"]), None, "three edits of six letters are too many");
    assert_eq!(closest("azimuth", ["azimuths"]), Some("azimuths"));
    assert_eq!(closest("msas", ["mass"]), Some("mass"));
}

#[test]
fn suggests_only_what_is_near() {
    assert_eq!(closest("centre_of_mass", ["mass", "center_of_mass"]), Some("center_of_mass"));
    assert_eq!(closest("asdai", ["asadi", "d3-1200"]), Some("asadi"));
    assert_eq!(closest("colour", ["mass", "length"]), None);
    assert_eq!(closest("theta", ["alpha", "theta_offset"]), Some("theta_offset"));
    assert_eq!(closest("a", ["a_b"]), None);
}
