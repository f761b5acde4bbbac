//! Robots under control.

#[path = "../common"]
mod common {
    pub mod pushed;
}

mod control;
mod control_arms;
mod control_motions;
mod drive;
mod motion_files;
mod rest;
mod trees;

#[path = "../../examples/own_friction.rs"]
mod own_friction;

/// A friction law from outside acts in torques, accelerations, linear models and loops.
#[test]
fn a_friction_law_of_ones_own_acts_everywhere() -> Result<(), Box<dyn std::error::Error>> {
    own_friction::main()
}
