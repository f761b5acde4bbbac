//! The verbs as functions of the library, without the command.

mod derive;
mod simulate;
