//! The papers' pages and control experiments.

mod carrying;
mod control;
mod pages;

#[path = "../../examples/control/main.rs"]
#[allow(dead_code)] // its `main`
mod example;
