//! Mechanisms made of parts.

#[path = "../common"]
mod common {
    pub mod linkages;
    pub mod motions;
    pub mod underived;
}

mod linkages;
mod mechanism;
mod motions;
mod parallel_mechanism;
mod serial_mechanism;
