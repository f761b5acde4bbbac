//! Derived programs at full speed, for any robot and without a compiler on the user's machine.
//!
//! ```text
//! Program (dalembert-symbolic) ──► flow: instructions over values ──┬─► native: machine code for one state and for many
//!                                                                   └─► tape: tiles of 128 states, where there is none
//! ```
//!
//! A product whose only use is a sum is *fused* with it: a · b + c is rounded once. That is a part of what the program means, not
//! of how it is run: `f64::mul_add` gives the same bits with the processor's instruction and without. One state, many states,
//! whatever their layout, machine code and tiles give the same bits.
//!
//! Nothing is checked but what the program checks: a state that fails comes out as NaN.

mod flow;
#[cfg(target_arch = "x86_64")]
mod native;
#[cfg(not(target_arch = "x86_64"))]
#[path = "native_absent.rs"]
mod native;
mod run;
mod tape;
pub mod wide;

pub use tape::TooLarge;

use dalembert_symbolic::Program;
use flow::Flow;
use native::{Native, Width, Work};
use run::{Room, Run, Sink, Source};
use std::sync::atomic::{AtomicU64, Ordering};
use tape::Tape;

/// Values alive at once from which on one vector is faster than two, measured.
const CROWDED: usize = 90;

/// States per tile of machine code: what is read and written of a column is some lines of the cache one after the other, whatever the
/// layout, and all columns of a tile stay near.
const NATIVE_TILE: usize = 64;

/// States per tile: what finding the next instruction costs is shared by so many, and the slots of a six-joint arm stay near.
const TILE: usize = 128;

/// Numbers that do not fit a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Too few components, or too many.
    #[error("{found} {what} are given, but the program has {expected}")]
    Number {
        /// Inputs or outputs.
        what: &'static str,
        /// How many the program has.
        expected: usize,
        /// How many are given.
        found: usize,
    },
    /// Components of different numbers of states.
    #[error("components of different lengths: {expected} and {found} states")]
    Length {
        /// Of the first.
        expected: usize,
        /// Of another.
        found: usize,
    },
    /// Room that another program made.
    #[error("the scratch is of another program")]
    Scratch,
}

/// A program that is ready to run.
#[derive(Clone, Debug)]
pub struct Compiled {
    program: Program,
    tape: Tape,
    /// For one state and for many.
    native: Option<[Native; 2]>,
    /// Which program this is, for its scratch.
    number: u64,
}

/// Where the numbers of a program are while it runs: one for each thread, used for as many calls as one likes.
#[derive(Clone, Debug)]
pub struct Scratch {
    room: Place,
    /// Of the program that made it.
    number: u64,
}

#[derive(Clone, Debug)]
enum Place {
    Native { one: Work, many: Work, inputs: Vec<[f64; NATIVE_TILE]>, results: Vec<[f64; NATIVE_TILE]> },
    Tiles { one: Room<1>, many: Room<TILE> },
}

impl Compiled {
    /// Makes a program ready. Its parameters have the values of the robot.
    pub fn new(program: Program) -> Result<Self, TooLarge> {
        let flow = Flow::new(&program);
        let portable = Self::of_flow(program, &flow)?;
        // Two vectors side by side hide how long an instruction takes, but where many values are alive they push each other out of
        // the registers.
        let many = Width::Vectors(if portable.tape.slots <= CROWDED { 2 } else { 1 });
        let native = || Some([Native::new(&flow, Width::One)?, Native::new(&flow, many)?]);
        Ok(Self { native: native(), ..portable })
    }

    /// The same without machine code of its own, as on a processor or a system that has no way: the same bits, more slowly.
    pub fn portable(program: Program) -> Result<Self, TooLarge> {
        let flow = Flow::new(&program);
        Self::of_flow(program, &flow)
    }

    fn of_flow(program: Program, flow: &Flow) -> Result<Self, TooLarge> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        Ok(Self { tape: Tape::new(flow)?, program, native: None, number })
    }

    /// Whether it runs as machine code.
    pub fn is_native(&self) -> bool {
        self.native.is_some()
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Numbers of all inputs of a state, in order.
    pub fn inputs(&self) -> usize {
        self.tape.inputs.len()
    }

    /// Numbers of all outputs of a state, in order.
    pub fn outputs(&self) -> usize {
        self.tape.results.len()
    }

    /// How many instructions a state takes; a fused multiplication and addition is one.
    pub fn instructions(&self) -> usize {
        self.tape.instructions.len()
    }

    /// Columns that are kept at once while it runs.
    pub fn slots(&self) -> usize {
        self.tape.slots
    }

    /// Room to run in.
    pub fn scratch(&self) -> Scratch {
        let room = match &self.native {
            Some([one, many]) => Place::Native {
                one: one.work(),
                many: many.work(),
                inputs: vec![[0.0; NATIVE_TILE]; self.inputs()],
                results: vec![[0.0; NATIVE_TILE]; self.outputs()],
            },
            None => Place::Tiles { one: Room::new(&self.tape), many: Room::new(&self.tape) },
        };
        Scratch { room, number: self.number }
    }

    /// One state: all inputs in order, all outputs in order.
    pub fn one(&self, inputs: &[f64], outputs: &mut [f64], scratch: &mut Scratch) -> Result<(), LayoutError> {
        self.check(inputs.len(), outputs.len())?;
        scratch.check(self)?;
        match (&self.native, &mut scratch.room) {
            (Some([native, _]), Place::Native { one, .. }) => native.run(inputs, outputs, 1, one),
            (_, Place::Tiles { one, .. }) => {
                let (source, sink) = (FromRows(inputs, inputs.len()), ToRows(outputs, self.outputs()));
                wide::widest(Run { tape: &self.tape, room: one, source, states: 1, sink });
            }
            (None, Place::Native { .. }) => return Err(LayoutError::Scratch),
        }
        Ok(())
    }

    /// Many states as columns: one slice per component.
    pub fn columns(
        &self,
        inputs: &[&[f64]],
        outputs: &mut [&mut [f64]],
        scratch: &mut Scratch,
    ) -> Result<(), LayoutError> {
        self.check(inputs.len(), outputs.len())?;
        let states = outputs.first().map_or(0, |column| column.len());
        let lengths = inputs.iter().map(|column| column.len()).chain(outputs.iter().map(|column| column.len()));
        for found in lengths {
            if found != states {
                return Err(LayoutError::Length { expected: states, found });
            }
        }
        self.many(FromColumns(inputs), ToColumns(outputs), states, scratch)
    }

    /// Many states as rows: all inputs of a state in order, one state after the other, and so the outputs.
    pub fn rows(&self, inputs: &[f64], outputs: &mut [f64], scratch: &mut Scratch) -> Result<(), LayoutError> {
        let (width, results) = (self.inputs(), self.outputs());
        let states = inputs.len().checked_div(width).unwrap_or(0);
        for (what, found, expected) in
            [("inputs", inputs.len(), states * width), ("outputs", outputs.len(), states * results)]
        {
            if found != expected {
                return Err(LayoutError::Number { what, expected, found });
            }
        }
        self.many(FromRows(inputs, width), ToRows(outputs, results), states, scratch)
    }

    fn many(
        &self,
        source: impl Source,
        mut sink: impl Sink,
        states: usize,
        scratch: &mut Scratch,
    ) -> Result<(), LayoutError> {
        scratch.check(self)?;
        match (&self.native, &mut scratch.room) {
            (Some([_, native]), Place::Native { many, inputs, results, .. }) => {
                for start in (0..states).step_by(NATIVE_TILE) {
                    let count = NATIVE_TILE.min(states - start);
                    source.take_all(start, count, inputs);
                    native.run(inputs.as_flattened(), results.as_flattened_mut(), count, many);
                    sink.put_all(start, count, results);
                }
            }
            (_, Place::Tiles { many, .. }) => {
                wide::widest(Run { tape: &self.tape, room: many, source, states, sink });
            }
            (None, Place::Native { .. }) => return Err(LayoutError::Scratch),
        }
        Ok(())
    }

    fn check(&self, inputs: usize, outputs: usize) -> Result<(), LayoutError> {
        for (what, found, expected) in [("inputs", inputs, self.inputs()), ("outputs", outputs, self.outputs())] {
            if found != expected {
                return Err(LayoutError::Number { what, expected, found });
            }
        }
        Ok(())
    }
}

impl Scratch {
    fn check(&self, of: &Compiled) -> Result<(), LayoutError> {
        if self.number == of.number { Ok(()) } else { Err(LayoutError::Scratch) }
    }
}

struct FromColumns<'a>(&'a [&'a [f64]]);

impl Source for FromColumns<'_> {
    #[inline(always)]
    fn input(&self, input: usize) -> (&[f64], usize) {
        (self.0[input], 1)
    }
}

/// Rows, and how long they are.
struct FromRows<'a>(&'a [f64], usize);

impl Source for FromRows<'_> {
    #[inline(always)]
    fn input(&self, input: usize) -> (&[f64], usize) {
        (&self.0[input..], self.1)
    }

    /// Row by row: what is read lies side by side. States that are not there have what was there before.
    #[inline(always)]
    fn take_all<const N: usize>(&self, start: usize, count: usize, tile: &mut [[f64; N]]) {
        let rows = self.0[start * self.1..(start + count) * self.1].chunks_exact(self.1.max(1));
        for (state, row) in rows.enumerate().take(N) {
            for (column, number) in tile.iter_mut().zip(row) {
                column[state] = *number;
            }
        }
    }
}

struct ToColumns<'a, 'b>(&'a mut [&'b mut [f64]]);

impl Sink for ToColumns<'_, '_> {
    #[inline(always)]
    fn put<const N: usize>(&mut self, result: usize, start: usize, count: usize, numbers: &[f64; N]) {
        let column = &mut self.0[result][start..start + count];
        match column.first_chunk_mut::<N>() {
            // A length that the compiler knows needs no call.
            Some(whole) => *whole = *numbers,
            None => column.copy_from_slice(&numbers[..count]),
        }
    }
}

/// Rows, and how long they are.
struct ToRows<'a>(&'a mut [f64], usize);

impl Sink for ToRows<'_> {
    /// Row by row: what is written lies side by side.
    #[inline(always)]
    fn put_all<const N: usize>(&mut self, start: usize, count: usize, tile: &[[f64; N]]) {
        let width = self.1;
        let rows = self.0[start * width..(start + count) * width].chunks_exact_mut(width.max(1));
        for (state, row) in rows.enumerate().take(N) {
            for (place, column) in row.iter_mut().zip(tile) {
                *place = column[state];
            }
        }
    }

    #[inline(always)]
    fn put<const N: usize>(&mut self, result: usize, start: usize, count: usize, numbers: &[f64; N]) {
        let places = self.0[start * self.1 + result..].iter_mut().step_by(self.1);
        for (place, &number) in places.zip(&numbers[..count]) {
            *place = number;
        }
    }
}
