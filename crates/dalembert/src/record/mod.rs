//! The columns of a robot's tables: states in, torques and whatever else is asked out.

pub mod serial_states;
mod state_errors;
pub mod states;

pub use states::{Evaluator, Form, Space, StateError, Task};
