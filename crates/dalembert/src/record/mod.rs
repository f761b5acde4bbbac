//! Logs and reports: tables whose column names are the interface, plots, recordings of runs and their reports.

pub mod drawing;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
pub mod plot;
pub mod recording;
pub mod report;
pub mod serial_states;
mod state_errors;
pub mod states;
pub mod table;

pub use recording::{Column, Recording, RecordingError};
pub use states::{Evaluator, Form, Space, StateError, Task};
pub use table::{Header, Reader, Row, TableError, human, minus, number};
