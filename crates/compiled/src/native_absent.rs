//! No machine code on this architecture: tiles are run.

use crate::flow::Flow;
use crate::layout::Component;
use crate::{Machine, Width};
use std::marker::PhantomData;

pub(crate) fn is_available(machine: Machine) -> bool {
    machine == Machine::Tiles
}

/// No value: nothing is ever computed by machine code here.
#[derive(Clone, Debug)]
pub(crate) enum Never {}

#[derive(Clone, Debug)]
pub(crate) struct NoMachineCode<T>(Never, PhantomData<T>);

pub(crate) use {Never as CodeScratch, NoMachineCode as MachineCode};

impl<T> NoMachineCode<T> {
    pub fn new(_: &Flow, _: Machine, _: Width) -> Option<Self> {
        None
    }

    pub fn work(&self) -> CodeScratch {
        match self.0 {}
    }

    pub fn states(&self) -> usize {
        match self.0 {}
    }

    pub fn one(&self, _: &[T], _: &mut [T], _: &mut CodeScratch) -> bool {
        match self.0 {}
    }

    /// # Safety
    /// None is needed.
    #[allow(unsafe_code)]
    pub unsafe fn rows(&self, _: Component<T>, _: Component<T>, _: usize, _: &mut CodeScratch) -> bool {
        match self.0 {}
    }

    /// # Safety
    /// None is needed.
    #[allow(unsafe_code)]
    pub unsafe fn tile(&self, _: *const *mut T, _: *const *mut T, _: usize, _: &mut CodeScratch) -> bool {
        match self.0 {}
    }
}
