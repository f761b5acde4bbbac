//! The verbs as functions of the library, without the command.

mod bench;
mod calibrate;
mod check;
mod excite;
mod identify;
mod models;
mod rows;
mod smooth;
