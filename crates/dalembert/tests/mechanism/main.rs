//! Mechanisms made of parts.

#[path = "../common"]
mod common {
    pub mod linkages;
    pub mod motions;
    pub mod underived;
}

#[path = "../../examples/four_arms.rs"]
#[allow(dead_code)] // its own main prints
mod four_arms;
mod linkages;
mod mechanism;
mod motions;
mod parallel_mechanism;
mod serial_mechanism;
