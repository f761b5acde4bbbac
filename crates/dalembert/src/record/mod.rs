//! Logs and reports: CSV tables whose column names are the interface, and plots.

pub mod plot;
pub mod serial_states;
pub mod states;
pub mod table;

pub use states::{Evaluator, Form, Space, StateError, Task};
pub use table::{Header, Reader, Row, TableError, human, minus, number};
