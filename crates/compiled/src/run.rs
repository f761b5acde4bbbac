//! Instructions over tiles of states: each runs over a whole tile before the next, so that finding out what to do next costs little.

use crate::flow::{Arithmetic, FusedOperation, Instruction, SignedOperand};
use crate::layout::BatchComponents;
use crate::real::Float;
use crate::tape::{Slot, Tape, TapeOperand};
use crate::wide::Kernel;
use dalembert_core::Scalar;
use dalembert_core::scalar::{SIN_COS_RANGE, sin_cos_fused};

/// A column of a tile.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Lane<T, const N: usize>([T; N]);

/// Where the numbers of a tape are while it runs: made once, used for as many states as one likes.
#[derive(Clone, Debug)]
pub(crate) struct TapeScratch<T, const N: usize> {
    slots: Vec<Box<Lane<T, N>>>,
    /// What is written to, beside the slots: it changes places with the slot that is meant, so nothing is copied.
    spare: Box<Lane<T, N>>,
}

impl<T: Float, const N: usize> TapeScratch<T, N> {
    pub fn new(tape: &Tape) -> Self {
        let mut slots: Vec<Box<Lane<T, N>>> = (0..tape.slots).map(|_| Box::new(Lane([T::default(); N]))).collect();
        for &(slot, number) in &tape.numbers {
            slots[usize::from(slot)].0 = [T::from_f64(number); N];
        }
        Self { slots, spare: Box::new(Lane([T::default(); N])) }
    }

    /// Computes a slot from others. No closure over arrays: what the compiler leaves as a function of its own is not compiled for
    /// wide vectors.
    #[inline(always)]
    fn write(&mut self, place: TapeOperand, f: impl Fn(&[Box<Lane<T, N>>], &mut [T; N])) {
        std::mem::swap(&mut self.spare, &mut self.slots[slot(place)]);
        f(&self.slots, &mut self.spare.0);
        std::mem::swap(&mut self.spare, &mut self.slots[slot(place)]);
    }
}

/// A tape over some states of a batch.
pub(crate) struct TapeRun<'a, T, const N: usize> {
    pub tape: &'a Tape,
    pub scratch: &'a mut TapeScratch<T, N>,
    pub ends: BatchComponents<'a, T>,
    pub start: usize,
    pub end: usize,
}

impl<T: Float, const N: usize> Kernel for TapeRun<'_, T, N> {
    #[inline(always)]
    fn run(mut self) {
        for start in (self.start..self.end).step_by(N) {
            let count = N.min(self.end - start);
            for (input, slot) in self.tape.inputs.iter().enumerate() {
                if let Some(slot) = slot {
                    self.ends.read(input, start, count, &mut self.scratch.slots[usize::from(*slot)].0);
                }
            }
            for instruction in &self.tape.instructions {
                step(self.scratch, instruction);
            }
            let failed = self.failed();
            for (k, &taken) in self.tape.results.iter().enumerate() {
                take(self.scratch, taken);
                if let Some(failed) = &failed {
                    let lane = self.scratch.spare.0.iter_mut().zip(failed);
                    lane.filter(|(_, failed)| **failed).for_each(|(x, _)| *x = T::NAN);
                }
                self.ends.write(k, start, &self.scratch.spare.0[..count]);
            }
        }
    }
}

impl<T: Float, const N: usize> TapeRun<'_, T, N> {
    /// The states that fail a check of the program, if there are any.
    #[inline(always)]
    fn failed(&mut self) -> Option<[bool; N]> {
        let mut failed = [false; N];
        for guard in &self.tape.guards {
            take(self.scratch, guard.margin);
            for (failed, x) in failed.iter_mut().zip(&self.scratch.spare.0) {
                *failed |= !guard.holds(*x);
            }
        }
        failed.contains(&true).then_some(failed)
    }
}

/// Puts a value into the spare column.
#[inline(always)]
fn take<T: Float, const N: usize>(scratch: &mut TapeScratch<T, N>, taken: SignedOperand<Slot>) {
    match taken {
        SignedOperand::Number(x) => scratch.spare.0 = [T::from_f64(x); N],
        SignedOperand::Of { value: slot, negated } => {
            let from = &scratch.slots[usize::from(slot)].0;
            for i in 0..N {
                scratch.spare.0[i] = if negated { -from[i] } else { from[i] };
            }
        }
    }
}

/// One instruction over a tile.
#[inline(always)]
fn step<T: Float, const N: usize>(scratch: &mut TapeScratch<T, N>, instruction: &Instruction<TapeOperand>) {
    use Instruction::*;
    match *instruction {
        Two(Arithmetic::Add, w, reads) => two(scratch, w, reads, |a, b| a + b),
        Two(Arithmetic::Sub, w, reads) => two(scratch, w, reads, |a, b| a - b),
        Two(Arithmetic::Mul, w, reads) => two(scratch, w, reads, |a, b| a * b),
        Two(Arithmetic::Div, w, reads) => two(scratch, w, reads, |a, b| a / b),
        Fused(FusedOperation::Add, w, reads) => three(scratch, w, reads, |a, b, c| a.times_plus(b, c)),
        Fused(FusedOperation::Sub, w, reads) => three(scratch, w, reads, |a, b, c| a.times_plus(b, -c)),
        Fused(FusedOperation::Less, w, reads) => three(scratch, w, reads, |a, b, c| c.less_times(a, b)),
        Neg(w, a) => one(scratch, w, a, |a| -a),
        Sqrt(w, a) => one(scratch, w, a, Float::root),
        Tanh(w, a) => one(scratch, w, a, Scalar::tanh),
        Exp(w, a) => one(scratch, w, a, Scalar::exp),
        Atan2(w, reads) => two(scratch, w, reads, Scalar::atan2),
        SelectLt(w, reads) => scratch.write(w, |slots, out| {
            let [a, b, c, d] = reads.map(|place| lane(slots, place));
            for i in 0..N {
                out[i] = if a[i] < b[i] { c[i] } else { d[i] };
            }
        }),
        SinCos([sine, cosine], a) => {
            let (sin, cos) = sines(lane(&scratch.slots, a));
            scratch.slots[slot(sine)].0 = sin;
            scratch.slots[slot(cosine)].0 = cos;
        }
    }
}

/// Sines and cosines, with fused products. Into two arrays and by a plain loop: pairs would not become vector instructions.
#[inline(always)]
fn sines<T: Float, const N: usize>(angles: &[T; N]) -> ([T; N], [T; N]) {
    let (mut sin, mut cos) = ([T::default(); N], [T::default(); N]);
    // One state out of range is as rare as a joint that has turned thirty thousand times.
    let near = |x: &T| x.size() <= T::from_f64(SIN_COS_RANGE);
    if angles.iter().fold(true, |all, x| all & near(x)) {
        for i in 0..N {
            (sin[i], cos[i]) = sin_cos_fused(angles[i]);
        }
    } else {
        for i in 0..N {
            (sin[i], cos[i]) = if near(&angles[i]) { sin_cos_fused(angles[i]) } else { Scalar::sin_cos(angles[i]) };
        }
    }
    (sin, cos)
}

/// The slot of what is written, or read as a column.
#[inline(always)]
fn slot(place: TapeOperand) -> usize {
    match place {
        TapeOperand::Slot(slot) => usize::from(slot),
        TapeOperand::Number(_) => unreachable!("functions read numbers from columns"),
    }
}

#[inline(always)]
fn lane<T, const N: usize>(slots: &[Box<Lane<T, N>>], place: TapeOperand) -> &[T; N] {
    &slots[slot(place)].0
}

#[inline(always)]
fn one<T: Float, const N: usize>(
    scratch: &mut TapeScratch<T, N>,
    written: TapeOperand,
    a: TapeOperand,
    f: impl Fn(T) -> T,
) {
    scratch.write(written, |slots, out| {
        let a = lane(slots, a);
        for i in 0..N {
            out[i] = f(a[i]);
        }
    });
}

#[inline(always)]
fn two<T: Float, const N: usize>(
    scratch: &mut TapeScratch<T, N>,
    written: TapeOperand,
    [a, b]: [TapeOperand; 2],
    f: impl Fn(T, T) -> T,
) {
    match (a, b) {
        (_, TapeOperand::Number(b)) => one(scratch, written, a, |a| f(a, T::from_f64(b))),
        (TapeOperand::Number(a), _) => one(scratch, written, b, |b| f(T::from_f64(a), b)),
        _ => scratch.write(written, |slots, out| {
            let (a, b) = (lane(slots, a), lane(slots, b));
            for i in 0..N {
                out[i] = f(a[i], b[i]);
            }
        }),
    }
}

#[inline(always)]
fn three<T: Float, const N: usize>(
    scratch: &mut TapeScratch<T, N>,
    written: TapeOperand,
    [a, b, c]: [TapeOperand; 3],
    f: impl Fn(T, T, T) -> T,
) {
    match (b, c) {
        (TapeOperand::Number(b), _) => two(scratch, written, [a, c], |a, c| f(a, T::from_f64(b), c)),
        (_, TapeOperand::Number(c)) => two(scratch, written, [a, b], |a, b| f(a, b, T::from_f64(c))),
        _ => scratch.write(written, |slots, out| {
            let (a, b, c) = (lane(slots, a), lane(slots, b), lane(slots, c));
            for i in 0..N {
                out[i] = f(a[i], b[i], c[i]);
            }
        }),
    }
}
