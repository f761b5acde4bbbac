//! Instructions over tiles of states: each runs over a whole tile before the next, so that finding out what to do next costs little.

use crate::flow::{Instruction, Operand};
use crate::tape::{Slot, Tape};
use crate::wide::Work;
use dalembert_core::Scalar;
use dalembert_core::scalar::{SIN_COS_RANGE, sin_cos_fused};

/// A column of a tile.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Lane<const N: usize>([f64; N]);

/// Where the numbers of a tape are while it runs: made once, used for as many states as one likes.
#[derive(Clone, Debug)]
pub(crate) struct Room<const N: usize> {
    slots: Vec<Box<Lane<N>>>,
    /// What is written to, beside the slots: it changes places with the slot that is meant, so nothing is copied.
    spare: Box<Lane<N>>,
}

impl<const N: usize> Room<N> {
    pub fn new(tape: &Tape) -> Self {
        let mut slots: Vec<Box<Lane<N>>> = (0..tape.slots).map(|_| Box::new(Lane([0.0; N]))).collect();
        for &(slot, number) in &tape.numbers {
            slots[usize::from(slot)].0 = [number; N];
        }
        Self { slots, spare: Box::new(Lane([0.0; N])) }
    }

    /// Computes a slot from others. No closure over arrays: what the compiler leaves as a function of its own is not compiled for
    /// wide vectors.
    #[inline(always)]
    fn write(&mut self, slot: Slot, f: impl Fn(&[Box<Lane<N>>], &mut [f64; N])) {
        std::mem::swap(&mut self.spare, &mut self.slots[usize::from(slot)]);
        f(&self.slots, &mut self.spare.0);
        std::mem::swap(&mut self.spare, &mut self.slots[usize::from(slot)]);
    }
}

/// Where states come from.
pub(crate) trait Source {
    /// The numbers of an input, and how far apart those of two states are.
    fn input(&self, input: usize) -> (&[f64], usize);

    /// All inputs of so many states, into a tile.
    #[inline(always)]
    fn take_all<const N: usize>(&self, start: usize, count: usize, tile: &mut [[f64; N]]) {
        for (input, lane) in tile.iter_mut().enumerate() {
            fill(self, input, start, count, lane);
        }
    }
}

/// Where results go.
pub(crate) trait Sink {
    /// The first `count` of these numbers of one result, of the states from `start` on.
    fn put<const N: usize>(&mut self, result: usize, start: usize, count: usize, numbers: &[f64; N]);

    /// All results of so many states, from a tile.
    #[inline(always)]
    fn put_all<const N: usize>(&mut self, start: usize, count: usize, tile: &[[f64; N]]) {
        for (result, numbers) in tile.iter().enumerate() {
            self.put(result, start, count, numbers);
        }
    }
}

/// The numbers of an input of so many states. A tile that is not full goes on with its last state.
#[inline(always)]
pub(crate) fn fill<const N: usize>(
    source: &(impl Source + ?Sized),
    input: usize,
    start: usize,
    count: usize,
    lane: &mut [f64; N],
) {
    let (numbers, stride) = source.input(input);
    match numbers[start * stride..].first_chunk::<N>() {
        Some(chunk) if stride == 1 => *lane = *chunk,
        _ if count == N => {
            for (x, from) in lane.iter_mut().zip(numbers[start * stride..].iter().step_by(stride)) {
                *x = *from;
            }
        }
        _ => {
            for (i, x) in lane.iter_mut().enumerate() {
                *x = numbers[(start + i.min(count - 1)) * stride];
            }
        }
    }
}

/// A tape over many states.
pub(crate) struct Run<'a, I, O, const N: usize> {
    pub tape: &'a Tape,
    pub room: &'a mut Room<N>,
    pub source: I,
    pub states: usize,
    pub sink: O,
}

impl<I: Source, O: Sink, const N: usize> Work for Run<'_, I, O, N> {
    #[inline(always)]
    fn run(mut self) {
        for start in (0..self.states).step_by(N) {
            let count = N.min(self.states - start);
            self.read(start, count);
            for instruction in &self.tape.instructions {
                step(self.room, instruction);
            }
            let failed = self.failed();
            for (k, &taken) in self.tape.results.iter().enumerate() {
                take(self.room, taken);
                if let Some(failed) = &failed {
                    let lane = self.room.spare.0.iter_mut().zip(failed);
                    lane.filter(|(_, failed)| **failed).for_each(|(x, _)| *x = f64::NAN);
                }
                self.sink.put(k, start, count, &self.room.spare.0);
            }
        }
    }
}

impl<I: Source, O: Sink, const N: usize> Run<'_, I, O, N> {
    #[inline(always)]
    fn read(&mut self, start: usize, count: usize) {
        for (input, slot) in self.tape.inputs.iter().enumerate() {
            if let Some(slot) = slot {
                fill(&self.source, input, start, count, &mut self.room.slots[usize::from(*slot)].0);
            }
        }
    }

    /// The states that fail a check of the program, if there are any.
    #[inline(always)]
    fn failed(&mut self) -> Option<[bool; N]> {
        let mut failed = [false; N];
        for guard in &self.tape.guards {
            take(self.room, guard.margin);
            for (failed, x) in failed.iter_mut().zip(&self.room.spare.0) {
                *failed |= !guard.holds(*x);
            }
        }
        failed.contains(&true).then_some(failed)
    }
}

/// Puts a value into the spare column.
#[inline(always)]
fn take<const N: usize>(room: &mut Room<N>, taken: Operand<Slot>) {
    match taken {
        Operand::Number(x) => room.spare.0 = [x; N],
        Operand::Of { value: slot, negated } => {
            let from = &room.slots[usize::from(slot)].0;
            for i in 0..N {
                room.spare.0[i] = if negated { -from[i] } else { from[i] };
            }
        }
    }
}

/// One instruction over a tile.
#[inline(always)]
fn step<const N: usize>(room: &mut Room<N>, instruction: &Instruction<Slot>) {
    use Instruction::*;
    match *instruction {
        Add(w, a, b) => two(room, w, [a, b], |a, b| a + b),
        Sub(w, a, b) => two(room, w, [a, b], |a, b| a - b),
        Mul(w, a, b) => two(room, w, [a, b], |a, b| a * b),
        Div(w, a, b) => two(room, w, [a, b], |a, b| a / b),
        AddNumber(w, a, k) => one(room, w, a, |a| a + k),
        FromNumber(w, a, k) => one(room, w, a, |a| k - a),
        Scale(w, a, k) => one(room, w, a, |a| k * a),
        Line(w, a, [k, l]) => one(room, w, a, |a| k.mul_add(a, l)),
        MulAddNumber(w, r, k) => two(room, w, r, |a, b| a.mul_add(b, k)),
        NumberLessMul(w, r, k) => two(room, w, r, |a, b| (-a).mul_add(b, k)),
        ScaleAdd(w, r, k) => two(room, w, r, |a, c| k.mul_add(a, c)),
        ScaleSub(w, r, k) => two(room, w, r, |a, c| k.mul_add(a, -c)),
        MulAdd(w, r) => three(room, w, r, |a, b, c| a.mul_add(b, c)),
        MulSub(w, r) => three(room, w, r, |a, b, c| a.mul_add(b, -c)),
        LessMul(w, r) => three(room, w, r, |a, b, c| (-a).mul_add(b, c)),
        Neg(w, a) => one(room, w, a, |a| -a),
        Sqrt(w, a) => one(room, w, a, f64::sqrt),
        Tanh(w, a) => one(room, w, a, Scalar::tanh),
        Exp(w, a) => one(room, w, a, Scalar::exp),
        Atan2(w, a, b) => two(room, w, [a, b], Scalar::atan2),
        SelectLt(w, [a, b, c, d]) => room.write(w, |slots, out| {
            let (a, b, c, d) = (lane(slots, a), lane(slots, b), lane(slots, c), lane(slots, d));
            for i in 0..N {
                out[i] = if a[i] < b[i] { c[i] } else { d[i] };
            }
        }),
        SinCos([sine, cosine], a) => {
            let (sin, cos) = sines(&room.slots[usize::from(a)].0);
            room.slots[usize::from(sine)].0 = sin;
            room.slots[usize::from(cosine)].0 = cos;
        }
    }
}

/// Sines and cosines, with fused products. Into two arrays and by a plain loop: pairs would not become vector instructions.
#[inline(always)]
pub(crate) fn sines<const N: usize>(angles: &[f64; N]) -> ([f64; N], [f64; N]) {
    let (mut sin, mut cos) = ([0.0; N], [0.0; N]);
    // One state out of range is as rare as a joint that has turned thirty thousand times.
    let near = |x: &f64| x.abs() <= SIN_COS_RANGE;
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

#[inline(always)]
fn lane<const N: usize>(slots: &[Box<Lane<N>>], slot: Slot) -> &[f64; N] {
    &slots[usize::from(slot)].0
}

#[inline(always)]
fn one<const N: usize>(room: &mut Room<N>, written: Slot, a: Slot, f: impl Fn(f64) -> f64) {
    room.write(written, |slots, out| {
        let a = lane(slots, a);
        for i in 0..N {
            out[i] = f(a[i]);
        }
    });
}

#[inline(always)]
fn two<const N: usize>(room: &mut Room<N>, written: Slot, [a, b]: [Slot; 2], f: impl Fn(f64, f64) -> f64) {
    room.write(written, |slots, out| {
        let (a, b) = (lane(slots, a), lane(slots, b));
        for i in 0..N {
            out[i] = f(a[i], b[i]);
        }
    });
}

#[inline(always)]
fn three<const N: usize>(room: &mut Room<N>, written: Slot, [a, b, c]: [Slot; 3], f: impl Fn(f64, f64, f64) -> f64) {
    room.write(written, |slots, out| {
        let (a, b, c) = (lane(slots, a), lane(slots, b), lane(slots, c));
        for i in 0..N {
            out[i] = f(a[i], b[i], c[i]);
        }
    });
}
