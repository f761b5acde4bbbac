//! Verbs of the library, without the command.

mod bench;
mod calibrate;
mod excite;
mod identify;
mod smooth;
