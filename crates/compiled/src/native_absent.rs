//! No machine code on this architecture: tiles are run.

use crate::flow::Flow;

pub(crate) enum Width {
    One,
    Vectors(#[allow(dead_code)] usize),
}

/// There is none.
#[derive(Clone, Debug)]
pub(crate) enum Native {}

#[derive(Clone, Debug)]
pub(crate) enum Work {}

impl Native {
    pub fn new(_: &Flow, _: Width) -> Option<Self> {
        None
    }

    pub fn work(&self) -> Work {
        match *self {}
    }

    pub fn run(&self, _: &[f64], _: &mut [f64], _: usize, _: &mut Work) {
        match *self {}
    }
}
