//! What nearly every verb uses: arguments, failures, files and tables, and the library's robots and units.

pub use crate::arguments::*;
pub use crate::failure::{Failure, say};
pub use crate::output::{Files, Names, Screen, Sink, Table, ending, fixed, human};
pub use crate::progress::Progress;
pub use clap::Args;
pub use clap::builder::TypedValueParser;
pub use dalembert::Vec3;
pub use dalembert::delta::{Assembly, Branch};
pub use dalembert::robot::file::Dimension;
pub use dalembert::robot::{Pick, Robot};
pub use dalembert::verbs::{Outcome, VerbError};
