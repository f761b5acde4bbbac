//! Machine code of a program, written where it runs: for one state, or for as many as a register holds. On processors with AVX-512
//! (F, DQ, VL) or with AVX2 and FMA; elsewhere, and where a system lets nobody write code, tiles are run ([`crate::run`]), with the same bits.

mod allocate;
mod encode;
mod order;
mod rows;
mod schedule;
mod write;

use crate::Width;
use crate::flow::{Flow, MarginCheck, ValueId};
use crate::layout::Component as Row;
use crate::real::Float;
use crate::{Machine, NATIVE_TILE as TILE};
use dalembert_core::Scalar;
use dalembert_core::scalar::SIN_COS_RANGE;
use encode::{EncodingTarget, RegisterWidth};
use memmap2::{Mmap, MmapOptions};
use order::MathFunction;
use std::marker::PhantomData;
use std::sync::Arc;
use write::{CodeWriter, GeneratedCode};

/// `f64` of the widest register.
const LANES: usize = 8;

impl Width {
    fn states(self, evex: bool, single: bool) -> usize {
        match self {
            Self::One => 1,
            Self::Vector | Self::Rows => LANES * (1 + usize::from(single)) / (1 + usize::from(!evex)),
        }
    }
}

/// Whether the processor has a machine's instructions.
pub(crate) fn is_available(machine: Machine) -> bool {
    let avx2 = || is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    match machine {
        Machine::Tiles => true,
        Machine::Avx2 => avx2(),
        Machine::Avx512 => {
            let more = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq");
            avx2() && more && is_x86_feature_detected!("avx512vl")
        }
    }
}

/// A line of the cache, in which registers are kept whole.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct CacheLine([u8; 64]);

/// A program as machine code.
#[derive(Clone, Debug)]
pub(crate) struct MachineCode<T> {
    /// The address of the code, which stays as long as this is there.
    entry: usize,
    _code: Arc<Mmap>,
    numbers: Arc<[CacheLine]>,
    guards: Arc<[MarginCheck<ValueId>]>,
    states: usize,
    width: Width,
    sines: bool,
    inputs: usize,
    results: usize,
    /// Lines of the work area.
    work: usize,
    of: PhantomData<T>,
}

/// Where code of a program keeps its numbers.
#[derive(Clone, Debug)]
pub(crate) struct CodeScratch(Vec<CacheLine>);

impl CodeScratch {
    fn numbers<T: Float>(&self) -> &[T] {
        // SAFETY: the work area holds plain numbers.
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() * size_of::<CacheLine>() / size_of::<T>())
        }
    }
}

/// Inputs, results, work area, numbers.
type One<T> = unsafe extern "sysv64" fn(*const T, *mut T, *mut CacheLine, *const CacheLine);

/// Addresses of columns of inputs and of results, work area, numbers, bytes of the states of a column.
type Many<T> = unsafe extern "sysv64" fn(*const *mut T, *const *mut T, *mut CacheLine, *const CacheLine, usize);

/// Rows of inputs and of results, work area, numbers; bytes of the states of a column, from a row of inputs to the next, and of results.
type Rows<T> = unsafe extern "sysv64" fn(*const T, *mut T, *mut CacheLine, *const CacheLine, &[isize; 3]);

impl<T: Float> MachineCode<T> {
    /// None where the processor or the system has no way.
    pub fn new(flow: &Flow, machine: Machine, width: Width) -> Option<Self> {
        if machine == Machine::Tiles || !is_available(machine) {
            return None;
        }
        let evex = machine == Machine::Avx512;
        // Registers of 512 bits take a port away from single numbers.
        let vector = if evex && width != Width::One { RegisterWidth::Zmm } else { RegisterWidth::Ymm };
        if width == Width::Rows && (T::SINGLE || flow.inputs < 2 || flow.results.len() < 2 || order::calls(flow)) {
            return None;
        }
        let target = EncodingTarget { evex, single: T::SINGLE, width, calls: false, vector };
        let GeneratedCode { code, work, numbers, sines } = CodeWriter::new(target, called).write(flow);
        let mut room = MmapOptions::new().len(code.len()).map_anon().ok()?;
        room.copy_from_slice(&code);
        let code = room.make_exec().ok()?;
        let in_line = |numbers: &[u8]| {
            let mut line = CacheLine([0; 64]);
            line.0[..numbers.len()].copy_from_slice(numbers);
            line
        };
        Some(Self {
            entry: code.as_ptr() as usize,
            _code: Arc::new(code),
            numbers: numbers.chunks(64).map(in_line).collect(),
            guards: flow.guards.clone().into(),
            states: width.states(evex, T::SINGLE),
            width,
            sines,
            inputs: flow.inputs,
            results: flow.results.len(),
            work: (work as usize).div_ceil(64),
            of: PhantomData,
        })
    }

    /// A work area.
    pub fn work(&self) -> CodeScratch {
        CodeScratch(vec![CacheLine([0; 64]); self.work])
    }

    /// How many states it takes at once.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Computes one state; where it fails a check it is NaN. No if an angle is out of the range of fast sines: then the results are wrong;
    /// and no if the numbers do not fit the program: then nothing is done.
    #[inline]
    pub fn one(&self, inputs: &[T], results: &mut [T], work: &mut CodeScratch) -> bool {
        let fits = inputs.len() == self.inputs && results.len() == self.results;
        if !fits || self.width != Width::One || work.0.len() != self.work {
            return false;
        }
        // SAFETY: the code was written for arrays of these lengths and touches nothing else; the processor was asked for its
        // instructions; the code stays while `self` does.
        #[allow(unsafe_code)]
        unsafe {
            let entry = std::mem::transmute::<usize, One<T>>(self.entry);
            entry(inputs.as_ptr(), results.as_mut_ptr(), work.0.as_mut_ptr(), self.numbers.as_ptr());
        }
        let (angles, margins) = work.numbers::<T>().split_at(if self.sines { LANES / 2 } else { 0 });
        if !self.guards.iter().zip(margins).all(|(guard, margin)| guard.holds(*margin)) {
            results.fill(T::NAN);
        }
        near(angles)
    }

    /// Computes the states of a tile, at least so many; as [`Self::one`] with columns of inputs and results.
    ///
    /// # Safety
    /// There are as many addresses as the program has inputs and results, of columns of at least `count` numbers, rounded up to
    /// [`Self::states`], and nobody else uses those of the results.
    ///
    /// # Panics
    /// Where there are more than fit a tile, or where the work area is of another program.
    #[allow(unsafe_code)]
    pub unsafe fn tile(
        &self,
        inputs: *const *mut T,
        results: *const *mut T,
        count: usize,
        work: &mut CodeScratch,
    ) -> bool {
        assert!(count <= TILE && self.width == Width::Vector && work.0.len() == self.work, "a tile of another program");
        let done = count.next_multiple_of(self.states);
        // SAFETY: as the caller promises, and as above; a tile has a whole number of vectors.
        unsafe {
            let entry = std::mem::transmute::<usize, Many<T>>(self.entry);
            entry(inputs, results, work.0.as_mut_ptr(), self.numbers.as_ptr(), done * size_of::<T>());
        }
        // SAFETY: as the caller promises.
        self.mask_failed(work.numbers(), count, |state, k| unsafe { (*results.add(k)).add(state) })
    }

    /// The same with rows of inputs and results, whose distances are numbers. There are whole vectors of them.
    ///
    /// # Safety
    /// All rows are there, and nobody else uses those of the results.
    ///
    /// # Panics
    /// As above.
    #[allow(unsafe_code)]
    pub unsafe fn rows(&self, inputs: Row<T>, results: Row<T>, count: usize, work: &mut CodeScratch) -> bool {
        assert!(
            count <= TILE
                && count.is_multiple_of(self.states)
                && self.width == Width::Rows
                && work.0.len() == self.work,
            "rows of another program"
        );
        let bytes = |stride: isize| stride * size_of::<T>() as isize;
        let numbers = [(count * size_of::<T>()) as isize, bytes(inputs.stride), bytes(results.stride)];
        // SAFETY: as the caller promises, and as above.
        unsafe {
            let entry = std::mem::transmute::<usize, Rows<T>>(self.entry);
            entry(inputs.first, results.first, work.0.as_mut_ptr(), self.numbers.as_ptr(), &numbers);
        }
        self.mask_failed(work.numbers(), count, |state, k| results.from(state).first.wrapping_add(k))
    }

    /// Results that fail a check become NaN. No if an angle is out of the range of fast sines.
    #[allow(unsafe_code)]
    fn mask_failed(&self, front: &[T], count: usize, place: impl Fn(usize, usize) -> *mut T) -> bool {
        let (angles, margins) = front.split_at(if self.sines { TILE } else { 0 });
        for (guard, margins) in self.guards.iter().zip(margins.chunks(TILE)) {
            let margins = &margins[..count];
            if margins.iter().fold(true, |all, margin| all & guard.holds(*margin)) {
                continue;
            }
            for (state, _) in margins.iter().enumerate().filter(|(_, margin)| !guard.holds(**margin)) {
                for k in 0..self.results {
                    // SAFETY: a place of a result of the states that were just written.
                    unsafe { place(state, k).write(T::NAN) };
                }
            }
        }
        near(if self.sines { &angles[..count.next_multiple_of(self.states)] } else { &[] })
    }
}

/// Whether all angles are in the range of fast sines, or no numbers, whose sines are none either.
fn near<T: Float>(angles: &[T]) -> bool {
    !angles.iter().fold(false, |far, x| far | (*x > T::from_f64(SIN_COS_RANGE)))
}

/// A function over a block: so many numbers of each argument, then of each result.
type Called = unsafe extern "sysv64" fn(*mut u8, usize);

fn called(function: MathFunction, single: bool) -> Called {
    match (function, single) {
        (MathFunction::Atan2, false) => angles::<f64>,
        (MathFunction::Tanh, false) => of_one::<f64, true>,
        (_, false) => of_one::<f64, false>,
        (MathFunction::Atan2, true) => angles::<f32>,
        (MathFunction::Tanh, true) => of_one::<f32, true>,
        (_, true) => of_one::<f32, false>,
    }
}

/// Angles of points.
#[allow(unsafe_code)]
unsafe extern "sysv64" fn angles<T: Float>(numbers: *mut u8, count: usize) {
    // SAFETY: code that is written here calls it with a block of three columns, which nobody else uses.
    let numbers: &mut [T] = unsafe { std::slice::from_raw_parts_mut(numbers.cast(), 3 * count) };
    for i in 0..count {
        numbers[2 * count + i] = Scalar::atan2(numbers[i], numbers[count + i]);
    }
}

/// Hyperbolic tangents, or exponentials.
#[allow(unsafe_code)]
unsafe extern "sysv64" fn of_one<T: Float, const TANH: bool>(numbers: *mut u8, count: usize) {
    // SAFETY: code that is written here calls it with a block of two columns, which nobody else uses.
    let numbers: &mut [T] = unsafe { std::slice::from_raw_parts_mut(numbers.cast(), 2 * count) };
    for i in 0..count {
        numbers[count + i] = if TANH { Scalar::tanh(numbers[i]) } else { Scalar::exp(numbers[i]) };
    }
}
