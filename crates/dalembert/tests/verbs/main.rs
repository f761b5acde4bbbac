//! The verbs as functions of the library, without the command.

mod bench;
mod calibrate;
mod check;
mod derive;
mod excite;
mod identify;
mod rows;
mod simulate;
mod smooth;
