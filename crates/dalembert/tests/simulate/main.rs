//! Simulation: integrators, contacts, cells, and the report of a run.

#[path = "../common"]
mod common {
    pub mod linkages;
    pub mod swinging;
}

mod by_model;
mod cell;
mod contact;
mod contact_delta;
mod integrators;
mod pairs;
mod report;
mod simulate;
mod touching;
