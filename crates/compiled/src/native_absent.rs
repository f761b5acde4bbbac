//! No machine code on this architecture: tiles are run.

use crate::Machine;
use crate::flow::Flow;
use crate::layout::Component;
use std::marker::PhantomData;

pub(crate) fn is_here(machine: Machine) -> bool {
    machine == Machine::Tiles
}

pub(crate) enum Width {
    One,
    Vector,
    Rows,
}

/// There is none.
#[derive(Clone, Debug)]
pub(crate) struct Native<T>(Never, PhantomData<T>);

#[derive(Clone, Debug)]
enum Never {}

#[derive(Clone, Debug)]
pub(crate) struct Work(Never);

impl<T> Native<T> {
    pub fn new(_: &Flow, _: Machine, _: Width) -> Option<Self> {
        None
    }

    pub fn work(&self) -> Work {
        match self.0 {}
    }

    pub fn states(&self) -> usize {
        match self.0 {}
    }

    pub fn one(&self, _: &[T], _: &mut [T], _: &mut Work) -> bool {
        match self.0 {}
    }

    /// # Safety
    /// None is needed.
    #[allow(unsafe_code)]
    pub unsafe fn rows(&self, _: Component<*const T>, _: Component<*mut T>, _: usize, _: &mut Work) -> bool {
        match self.0 {}
    }

    /// # Safety
    /// None is needed.
    #[allow(unsafe_code)]
    pub unsafe fn tile(&self, _: *const *const T, _: *const *mut T, _: usize, _: &mut Work) -> bool {
        match self.0 {}
    }
}
