//! Derived programs at full speed, for any robot and without a compiler on the user's machine.
//!
//! ```text
//! Program (dalembert-symbolic) ──► flow: instructions over values ──┬─► native: machine code for one state and for many
//!                                                                   └─► tape: tiles of 128 states, where there is none
//! ```
//!
//! A product whose only use is a sum is *fused* with it: a · b + c is rounded once. That is a part of what the program means, not
//! of how it is run: `f64::mul_add` gives the same bits with the processor's instruction and without. One state, many states,
//! whatever their layout, any number of threads, machine code and tiles give the same bits.
//!
//! Nothing is checked but what the program checks: a state that fails comes out as NaN.

mod flow;
mod layout;
#[cfg(target_arch = "x86_64")]
mod native;
#[cfg(not(target_arch = "x86_64"))]
#[path = "native_absent.rs"]
mod native;
mod real;
mod run;
mod tape;
pub mod wide;

pub use real::Float;
pub use tape::TooLarge;

use dalembert_symbolic::Program;
use flow::Flow;
use layout::{BatchComponents, Component, TileBuffers};
use native::{CodeScratch, MachineCode};
use run::{TapeRun, TapeScratch};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tape::Tape;

/// States per tile of machine code: what is read and written of a column is some lines of the cache one after the other, whatever the
/// layout, and all columns of a tile stay near.
const NATIVE_TILE: usize = 64;

/// States per tile: what finding the next instruction costs is shared by so many, and the slots of a six-joint arm stay near.
const TILE: usize = 128;

/// Instructions times states that are worth a thread of their own: starting it takes tens of microseconds.
const WORTH_A_THREAD: usize = 1 << 20;

/// Numbers that do not fit a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages name the fields
pub enum LayoutError {
    /// Too few components, or too many.
    #[error("{found} {what} are given, but the program has {expected}")]
    Number { what: &'static str, expected: usize, found: usize },
    /// Components of different numbers of states.
    #[error("components of different lengths: {expected} and {found} states")]
    Length { expected: usize, found: usize },
    /// Results that would be written where something else is.
    #[error("output {output} overlaps {what} {other} in memory")]
    Overlap { output: usize, what: &'static str, other: usize },
    /// Scratch memory of another program.
    #[error("the scratch memory belongs to another program")]
    Scratch,
}

/// How many states machine code takes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    One,
    /// As many as a register holds, in columns.
    Vector,
    /// The same in rows: inputs side by side, results side by side.
    Rows,
}

/// What runs a program. All give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// Machine code with AVX-512 (F, DQ, VL): eight states at a time, 32 registers.
    Avx512,
    /// Machine code with AVX2 and FMA: four states at a time, 16 registers.
    Avx2,
    /// No machine code of its own: each instruction over a tile of states before the next.
    Tiles,
}

impl Machine {
    /// All, the fastest first.
    pub const ALL: [Self; 3] = [Self::Avx512, Self::Avx2, Self::Tiles];

    /// Whether the processor has it.
    pub fn is_available(self) -> bool {
        native::is_available(self)
    }

    /// Its name: `avx512`, `avx2`, `tiles`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Tiles => "tiles",
        }
    }
}

/// A program that is ready to run, in `f64` or in `f32`.
#[derive(Clone, Debug)]
pub struct Compiled<T = f64> {
    program: Program,
    flow: Arc<Flow>,
    tape: Tape,
    machine: Machine,
    native: Option<CodeVersions<T>>,
    /// Which program this is, for its scratch.
    number: u64,
}

/// For one state, if that has code of its own, for many in columns, and for many in rows, if that has.
#[derive(Clone, Debug)]
struct CodeVersions<T> {
    one: Option<MachineCode<T>>,
    many: MachineCode<T>,
    rows: Option<MachineCode<T>>,
}

/// Where the numbers of a program are while it runs: one for each thread, used for as many calls as one likes.
#[derive(Clone, Debug)]
pub struct Scratch<T = f64> {
    native: Option<NativeScratch<T>>,
    tiles: TapeScratch<T, TILE>,
    one: TapeScratch<T, 1>,
    /// Where the numbers of a batch are, while it runs.
    inputs: Vec<Component<T>>,
    outputs: Vec<Component<T>>,
    /// Of the program that made it.
    number: u64,
}

#[derive(Clone, Debug)]
struct NativeScratch<T> {
    one: Option<CodeScratch>,
    many: CodeScratch,
    rows: Option<CodeScratch>,
    tiles: TileBuffers<T, NATIVE_TILE>,
}

impl Compiled {
    /// Makes a program ready. Its parameters have the values of the robot.
    pub fn new(program: Program) -> Result<Self, TooLarge> {
        let flow = Flow::new(&program);
        Self::of_flow(program, Arc::new(flow), &Machine::ALL)
    }

    /// The same program in `f32`: twice as many states at a time, in half the memory, with some seven digits. Constants are
    /// rounded to `f32`, products and sums are fused as in `f64`, sines are at most 1 ulp of `f32` off and a little more.
    pub fn single(&self) -> Result<Compiled<f32>, TooLarge> {
        Compiled::of_flow(self.program.clone(), self.flow.clone(), &Machine::ALL)
    }
}

impl<T: Float> Compiled<T> {
    /// The first of these machines that there is.
    fn of_flow(program: Program, flow: Arc<Flow>, machines: &[Machine]) -> Result<Self, TooLarge> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let tape = Tape::new(&flow)?;
        let code = |machine: Machine| {
            let one = if T::SINGLE { None } else { Some(MachineCode::new(&flow, machine, Width::One)?) };
            let rows = MachineCode::new(&flow, machine, Width::Rows);
            Some((machine, CodeVersions { one, many: MachineCode::new(&flow, machine, Width::Vector)?, rows }))
        };
        let made = machines.iter().find_map(|&machine| code(machine));
        let machine = made.as_ref().map_or(Machine::Tiles, |(machine, _)| *machine);
        Ok(Self { program, flow, tape, machine, native: made.map(|(_, code)| code), number })
    }

    /// The same program on another machine; none if the processor does not have it.
    pub fn on(&self, machine: Machine) -> Option<Self> {
        let other = Self::of_flow(self.program.clone(), self.flow.clone(), &[machine]).ok()?;
        (other.machine == machine).then_some(other)
    }

    /// What runs it.
    pub fn machine(&self) -> Machine {
        self.machine
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

    /// Scratch memory to run in.
    pub fn scratch(&self) -> Scratch<T> {
        let native = self.native.as_ref().map(|code| NativeScratch {
            one: code.one.as_ref().map(MachineCode::work),
            many: code.many.work(),
            rows: code.rows.as_ref().map(MachineCode::work),
            tiles: TileBuffers::new(self.inputs(), self.outputs()),
        });
        Scratch {
            native,
            tiles: TapeScratch::new(&self.tape),
            one: TapeScratch::new(&self.tape),
            inputs: Vec::with_capacity(self.inputs()),
            outputs: Vec::with_capacity(self.outputs()),
            number: self.number,
        }
    }

    /// Scratch memory for so many threads: batches that are given it are shared among them.
    pub fn scratches(&self, threads: usize) -> Vec<Scratch<T>> {
        (0..threads.max(1)).map(|_| self.scratch()).collect()
    }

    /// One state: all inputs in order, all outputs in order.
    #[inline]
    pub fn one(&self, inputs: &[T], outputs: &mut [T], scratch: &mut Scratch<T>) -> Result<(), LayoutError> {
        if self.one_at_once(inputs, outputs, scratch) { Ok(()) } else { self.one_otherwise(inputs, outputs, scratch) }
    }

    /// The usual way of [`Self::one`], which never panics. No where it is not to be had: then `one` does it, or says what does not fit.
    #[inline]
    pub fn one_at_once(&self, inputs: &[T], outputs: &mut [T], scratch: &mut Scratch<T>) -> bool {
        let (Some(CodeVersions { one: Some(native), .. }), Some(NativeScratch { one: Some(work), .. })) =
            (&self.native, &mut scratch.native)
        else {
            return false;
        };
        scratch.number == self.number && native.one(inputs, outputs, work)
    }

    /// The same where there is no machine code, or where an angle is out of its range, or where something does not fit.
    #[cold]
    #[allow(unsafe_code)]
    fn one_otherwise(&self, inputs: &[T], outputs: &mut [T], scratch: &mut Scratch<T>) -> Result<(), LayoutError> {
        self.check(inputs.len(), outputs.len())?;
        scratch.check(self)?;
        scratch.inputs.clear();
        scratch.inputs.extend(Component::row(inputs.as_ptr().cast_mut(), inputs.len()));
        scratch.outputs.clear();
        scratch.outputs.extend(Component::row(outputs.as_mut_ptr(), outputs.len()));
        // SAFETY: the arrays have as many numbers as one state, and are ours for the call.
        let ends = unsafe { BatchComponents::new(&scratch.inputs, &scratch.outputs) };
        match (&self.native, &mut scratch.native) {
            (Some(code @ CodeVersions { one: None, .. }), Some(work)) => {
                self.native_states(code, work, &mut scratch.tiles, ends, 0, 1);
            }
            _ => wide::widest(TapeRun { tape: &self.tape, scratch: &mut scratch.one, ends, start: 0, end: 1 }),
        }
        Ok(())
    }

    /// Many states as columns: one slice per component. With several [scratches](Self::scratches) by as many threads.
    pub fn columns(
        &self,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
        scratch: &mut (impl AsMut<[Scratch<T>]> + ?Sized),
    ) -> Result<(), LayoutError> {
        self.check(inputs.len(), outputs.len())?;
        let states = outputs.first().map_or(0, |column| column.len());
        let lengths = inputs.iter().map(|column| column.len()).chain(outputs.iter().map(|column| column.len()));
        for found in lengths {
            if found != states {
                return Err(LayoutError::Length { expected: states, found });
            }
        }
        let inputs = inputs.iter().map(|column| Component { first: column.as_ptr().cast_mut(), stride: 1 });
        let outputs = outputs.iter_mut().map(|column| Component { first: column.as_mut_ptr(), stride: 1 });
        // SAFETY: every column has as many numbers as there are states, and those of the outputs are ours for the call.
        #[allow(unsafe_code)]
        unsafe {
            self.many(inputs, outputs, states, scratch.as_mut())
        }
    }

    /// Many states as rows: all inputs of a state in order, one state after the other, and so the outputs.
    pub fn rows(
        &self,
        inputs: &[T],
        outputs: &mut [T],
        scratch: &mut (impl AsMut<[Scratch<T>]> + ?Sized),
    ) -> Result<(), LayoutError> {
        let (width, results) = (self.inputs(), self.outputs());
        let states = inputs.len().checked_div(width).unwrap_or(0);
        for (what, found, expected) in
            [("inputs", inputs.len(), states * width), ("outputs", outputs.len(), states * results)]
        {
            if found != expected {
                return Err(LayoutError::Number { what, expected, found });
            }
        }
        let inputs = Component::row(inputs.as_ptr().cast_mut(), width);
        let outputs = Component::row(outputs.as_mut_ptr(), results);
        // SAFETY: there are as many rows as states, and those of the outputs are ours for the call.
        #[allow(unsafe_code)]
        unsafe {
            self.many(inputs, outputs, states, scratch.as_mut())
        }
    }

    /// So many states wherever they are: for every component the address of the first state's, and how many numbers farther on that of the
    /// next state is. That is what views of NumPy are, transposed, sliced, backwards or broadcast.
    ///
    /// # Safety
    /// All components of all states are there, aligned, and during the call nobody else uses those of the outputs. Outputs that overlap
    /// one another, themselves or inputs are refused: results would depend on the order of states, and threads would race.
    #[allow(unsafe_code)]
    pub unsafe fn addresses(
        &self,
        states: usize,
        inputs: &[(*const T, isize)],
        outputs: &[(*mut T, isize)],
        scratch: &mut (impl AsMut<[Scratch<T>]> + ?Sized),
    ) -> Result<(), LayoutError> {
        self.check(inputs.len(), outputs.len())?;
        layout::overlap::<T>(states, inputs, outputs)?;
        let inputs = inputs.iter().map(|&(first, stride)| Component { first: first.cast_mut(), stride });
        let outputs = outputs.iter().map(|&(first, stride)| Component { first, stride });
        // SAFETY: as the caller promises.
        unsafe { self.many(inputs, outputs, states, scratch.as_mut()) }
    }

    /// Many states, shared among as many threads as there are scratches and are worth starting.
    ///
    /// # Safety
    /// Every component of every state is there, and nobody else uses the outputs during the call.
    #[allow(unsafe_code)]
    unsafe fn many(
        &self,
        inputs: impl Iterator<Item = Component<T>>,
        outputs: impl Iterator<Item = Component<T>>,
        states: usize,
        scratches: &mut [Scratch<T>],
    ) -> Result<(), LayoutError> {
        for scratch in scratches.iter() {
            scratch.check(self)?;
        }
        let Some((first, others)) = scratches.split_first_mut() else { return Err(LayoutError::Scratch) };
        let (mut to, mut from) = (std::mem::take(&mut first.outputs), std::mem::take(&mut first.inputs));
        from.clear();
        from.extend(inputs);
        to.clear();
        to.extend(outputs);
        // SAFETY: as the caller promises.
        let ends = unsafe { BatchComponents::new(&from, &to) };
        let worth = (self.instructions().saturating_mul(states) / WORTH_A_THREAD).max(1);
        let threads = (1 + others.len()).min(worth);
        // Whole tiles, so that threads do not write to the same lines of the cache but at the borders.
        let share = states.div_ceil(threads).next_multiple_of(TILE.max(NATIVE_TILE));
        if threads == 1 {
            self.states(first, ends, 0, states);
        } else {
            std::thread::scope(|scope| {
                for (k, scratch) in others.iter_mut().enumerate().take(threads - 1) {
                    let (start, end) = ((k + 1) * share, ((k + 2) * share).min(states));
                    scope.spawn(move || self.states(scratch, ends, start, end));
                }
                self.states(first, ends, 0, share.min(states));
            });
        }
        first.inputs = from;
        first.outputs = to;
        Ok(())
    }

    fn states(&self, scratch: &mut Scratch<T>, ends: BatchComponents<'_, T>, start: usize, end: usize) {
        match (&self.native, &mut scratch.native) {
            (Some(code), Some(work)) => {
                self.native_states(code, work, &mut scratch.tiles, ends, start, end);
            }
            _ => wide::widest(TapeRun { tape: &self.tape, scratch: &mut scratch.tiles, ends, start, end }),
        }
    }

    fn native_states(
        &self,
        code: &CodeVersions<T>,
        scratch: &mut NativeScratch<T>,
        tiles: &mut TapeScratch<T, TILE>,
        ends: BatchComponents<'_, T>,
        start: usize,
        end: usize,
    ) {
        let NativeScratch { many, rows, tiles: columns, .. } = scratch;
        columns.look_at(&ends);
        let mut by_rows = code.rows.as_ref().zip(rows.as_mut()).zip(ends.rows());
        for start in (start..end).step_by(NATIVE_TILE) {
            let count = NATIVE_TILE.min(end - start);
            // Vectors that are full, and what is left.
            let full = count / code.many.states() * code.many.states();
            for (start, count, whole) in [(start, full, true), (start + full, count - full, false)] {
                if count == 0 {
                    continue;
                }
                let mut near = true;
                // SAFETY: there is machine code, so there is AVX2. Rows are whole vectors of the batch. Columns of a tile have room for the
                // states that are rounded up to, and where they are those of the batch nothing is rounded.
                #[allow(unsafe_code)]
                unsafe {
                    match &mut by_rows {
                        Some(((native, work), [inputs, results])) if whole => {
                            near = native.rows(inputs.from(start), results.from(start), count, work);
                        }
                        _ => columns.through(&ends, start, count, whole, |inputs, results| {
                            near = code.many.tile(inputs, results, count, many);
                        }),
                    }
                }
                if !near {
                    wide::widest(TapeRun { tape: &self.tape, scratch: &mut *tiles, ends, start, end: start + count });
                }
            }
        }
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

impl<T> Scratch<T> {
    fn check(&self, of: &Compiled<T>) -> Result<(), LayoutError> {
        if self.number == of.number { Ok(()) } else { Err(LayoutError::Scratch) }
    }
}

/// One thread.
impl<T> AsMut<[Scratch<T>]> for Scratch<T> {
    fn as_mut(&mut self) -> &mut [Scratch<T>] {
        std::slice::from_mut(self)
    }
}
