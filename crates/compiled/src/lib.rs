//! Derived programs at full speed, for any robot and without a compiler on the user's machine.
//!
//! ```text
//! Program (dalembert-symbolic) ──► tape: instructions over slots ──► tiles of 128 states with vector instructions, or one state
//! ```
//!
//! A product whose only use is a sum is *fused* with it: a · b + c is rounded once. That is a part of what the program means, not
//! of how it is run: `f64::mul_add` gives the same bits with the processor's instruction and without. One state, many states,
//! whatever their layout, give the same bits.
//!
//! Nothing is checked but what the program checks: a state that fails comes out as NaN.

mod flow;
mod run;
mod tape;
pub mod wide;

pub use tape::TooLarge;

use dalembert_symbolic::Program;
use flow::Flow;
use run::{Room, Run, Sink, Source};
use tape::Tape;

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
}

/// A program that is ready to run.
#[derive(Clone, Debug)]
pub struct Compiled {
    program: Program,
    tape: Tape,
}

/// Where the numbers of a program are while it runs: one for each thread, used for as many calls as one likes.
#[derive(Clone, Debug)]
pub struct Scratch {
    one: Room<1>,
    many: Room<TILE>,
}

impl Compiled {
    /// Makes a program ready. Its parameters have the values of the robot.
    pub fn new(program: Program) -> Result<Self, TooLarge> {
        let tape = Tape::new(&Flow::new(&program))?;
        Ok(Self { program, tape })
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
        Scratch { one: Room::new(&self.tape), many: Room::new(&self.tape) }
    }

    /// One state: all inputs in order, all outputs in order.
    pub fn one(&self, inputs: &[f64], outputs: &mut [f64], scratch: &mut Scratch) -> Result<(), LayoutError> {
        self.check(inputs.len(), outputs.len())?;
        let (source, sink) = (FromRows(inputs, inputs.len()), ToRows(outputs, self.outputs()));
        wide::widest(Run { tape: &self.tape, room: &mut scratch.one, source, states: 1, sink });
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
        let (source, sink) = (FromColumns(inputs), ToColumns(outputs));
        wide::widest(Run { tape: &self.tape, room: &mut scratch.many, source, states, sink });
        Ok(())
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
        let (source, sink) = (FromRows(inputs, width), ToRows(outputs, results));
        wide::widest(Run { tape: &self.tape, room: &mut scratch.many, source, states, sink });
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
}

struct ToColumns<'a, 'b>(&'a mut [&'b mut [f64]]);

impl Sink for ToColumns<'_, '_> {
    #[inline(always)]
    fn put(&mut self, result: usize, start: usize, numbers: &[f64]) {
        self.0[result][start..start + numbers.len()].copy_from_slice(numbers);
    }
}

/// Rows, and how long they are.
struct ToRows<'a>(&'a mut [f64], usize);

impl Sink for ToRows<'_> {
    #[inline(always)]
    fn put(&mut self, result: usize, start: usize, numbers: &[f64]) {
        for (i, &number) in numbers.iter().enumerate() {
            self.0[(start + i) * self.1 + result] = number;
        }
    }
}
