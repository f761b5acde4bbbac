//! Machine code of a program, written where it runs: for one state, or for four or eight states side by side. On processors with AVX2 and
//! FMA; elsewhere, and where a system lets nobody write code, tiles are run ([`crate::run`]), with the same bits.

mod allocate;
mod encode;
mod order;

use crate::NATIVE_TILE as TILE;
use crate::flow::{Column, Flow, Guard, Instruction, Operand};
use crate::run::sines as of_angles;
use allocate::{Allocator, Step, Value};
use dalembert_core::Scalar;
use encode::{Base, Binary, Fused, Memory};
use memmap2::{Mmap, MmapOptions};
use order::{Function, Part, ordered};
use std::collections::HashMap;
use std::sync::Arc;

/// How many states a piece of code takes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    One,
    /// So many vectors of four, side by side: while one waits for a result the other goes on.
    Vectors(usize),
}

impl Width {
    pub fn states(self) -> usize {
        match self {
            Self::One => 1,
            Self::Vectors(count) => 4 * count,
        }
    }

    /// How far apart two inputs of a state are, and two results.
    fn stride(self) -> usize {
        match self {
            Self::One => 1,
            Self::Vectors(_) => TILE,
        }
    }
}

/// Inputs, results, work area, numbers.
type Entry = unsafe extern "sysv64" fn(*const f64, *mut f64, *mut f64, *const f64);

/// A program as machine code.
#[derive(Clone, Debug)]
pub(crate) struct Native {
    code: Arc<Mmap>,
    numbers: Arc<[f64]>,
    guards: Arc<[Guard<Column>]>,
    width: Width,
    inputs: usize,
    results: usize,
    /// Numbers of the work area.
    work: usize,
}

/// Where code of a program keeps its numbers.
#[derive(Clone, Debug)]
pub(crate) struct Work(Vec<f64>);

impl Native {
    /// None where the processor or the system has no way.
    pub fn new(flow: &Flow, width: Width) -> Option<Self> {
        if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")) {
            return None;
        }
        let mut writer = Writer::new(width);
        writer.program(flow);
        let (bytes, work) = writer.allocated().write(&writer.lines);
        let mut room = MmapOptions::new().len(bytes.len()).map_anon().ok()?;
        room.copy_from_slice(&bytes);
        let code = room.make_exec().ok()?;
        Some(Self {
            code: Arc::new(code),
            numbers: writer.numbers.into(),
            guards: flow.guards.clone().into(),
            width,
            inputs: flow.inputs,
            results: flow.results.len(),
            work: work as usize / size_of::<f64>(),
        })
    }

    /// A work area.
    pub fn work(&self) -> Work {
        Work(vec![0.0; self.work])
    }

    /// Computes one state, or the first of a tile, at least so many: of each input the numbers of all its states, then those of the next. A state that
    /// fails a check is NaN.
    ///
    /// # Panics
    /// Where the numbers do not fit the program.
    #[inline]
    pub fn run(&self, inputs: &[f64], results: &mut [f64], count: usize, work: &mut Work) {
        let (states, stride) = (self.width.states(), self.width.stride());
        let fits = inputs.len() == self.inputs * stride && results.len() == self.results * stride;
        assert!(fits && work.0.len() == self.work, "numbers of another program");
        for start in (0..count.min(stride)).step_by(states) {
            // SAFETY: the code was written for arrays of these lengths and touches nothing else: of every column the numbers of its
            // states from where it is told; the processor was asked for its instructions; the code stays while `self` does.
            #[allow(unsafe_code)]
            unsafe {
                let entry = std::mem::transmute::<*const u8, Entry>(self.code.as_ptr());
                let (inputs, results) = (inputs.as_ptr().add(start), results.as_mut_ptr().add(start));
                entry(inputs, results, work.0.as_mut_ptr(), self.numbers.as_ptr());
            }
            for (guard, margins) in self.guards.iter().zip(work.0.chunks(states)) {
                for (state, margin) in margins.iter().enumerate() {
                    if !guard.holds(*margin) {
                        results[start + state..].iter_mut().step_by(stride).for_each(|x| *x = f64::NAN);
                    }
                }
            }
        }
    }
}

/// Lines over values, from instructions over columns.
struct Writer {
    width: Width,
    lines: Vec<Step>,
    /// The values of a column, one for each vector.
    values: HashMap<(Column, usize), Value>,
    count: usize,
    known: Vec<(Value, Memory)>,
    numbers: Vec<f64>,
    work: i32,
}

/// Numbers of a vector.
fn lanes(width: Width) -> usize {
    if width == Width::One { 1 } else { 4 }
}

impl Writer {
    fn new(width: Width) -> Self {
        // First of all the sign, for a whole register.
        let numbers = vec![-0.0; 4];
        Self { width, lines: Vec::new(), values: HashMap::new(), count: 0, known: Vec::new(), numbers, work: 0 }
    }

    fn allocated(&self) -> Allocator {
        let sign = Memory { base: Base::Numbers, offset: 0 };
        Allocator::new(self.width != Width::One, &self.lines, &self.known, self.count, self.work, sign)
    }

    fn vectors(&self) -> usize {
        self.width.states() / lanes(self.width)
    }

    /// The place of a vector in an array of columns.
    fn place(&self, base: Base, column: usize, vector: usize) -> Memory {
        let stride = if base == Base::Work { self.width.states() } else { self.width.stride() };
        let numbers = column * stride + vector * lanes(self.width);
        Memory { base, offset: (numbers * size_of::<f64>()) as i32 }
    }

    fn value(&mut self, column: Column, vector: usize) -> Value {
        // A number is the same in all of them.
        let key = (column, if matches!(column, Column::Number(_)) { 0 } else { vector });
        if let Some(&value) = self.values.get(&key) {
            return value;
        }
        let value = self.count;
        self.count += 1;
        self.values.insert(key, value);
        match column {
            Column::Input(i) => self.known.push((value, self.place(Base::Inputs, i, vector))),
            Column::Number(bits) => {
                let offset = (self.numbers.len() * size_of::<f64>()) as i32;
                self.numbers.extend(std::iter::repeat_n(f64::from_bits(bits), lanes(self.width)));
                self.known.push((value, Memory { base: Base::Numbers, offset }));
            }
            _ => {}
        }
        value
    }

    fn number(&mut self, x: f64) -> Value {
        self.value(Column::Number(x.to_bits()), 0)
    }

    fn program(&mut self, flow: &Flow) {
        let mut wanted: HashMap<Column, Vec<(bool, Base, usize)>> = HashMap::new();
        let mut numbers: Vec<(f64, Base, usize)> = Vec::new();
        let results = flow.results.iter().enumerate().map(|(k, result)| (*result, Base::Results, k));
        let margins = flow.guards.iter().enumerate().map(|(k, guard)| (guard.margin, Base::Work, k));
        for (operand, base, k) in results.chain(margins) {
            match operand {
                Operand::Of { value, negated } => wanted.entry(value).or_default().push((negated, base, k)),
                Operand::Number(x) => numbers.push((x, base, k)),
            }
        }
        // Margins are in front of the work area.
        self.work = (flow.guards.len() * self.width.states() * size_of::<f64>()) as i32;
        for part in ordered(flow) {
            match part {
                Part::Arithmetic(instructions) => {
                    for instruction in instructions {
                        for vector in 0..self.vectors() {
                            let line = self.line(instruction, vector);
                            self.lines.push(line);
                        }
                        // What is wanted is written as soon as it is there.
                        for column in instruction.writes() {
                            self.stores(column, wanted.remove(&column).unwrap_or_default());
                        }
                    }
                }
                Part::Calls(function, instructions) => {
                    self.calls(function, &instructions);
                    for column in instructions.iter().flat_map(|instruction| instruction.writes()) {
                        self.stores(column, wanted.remove(&column).unwrap_or_default());
                    }
                }
            }
        }
        // Inputs that are results too.
        let mut rest: Vec<_> = wanted.into_iter().collect();
        rest.sort_by_key(|(column, _)| *column);
        for (column, places) in rest {
            self.stores(column, places);
        }
        for (x, base, k) in numbers {
            self.stores(Column::Number(x.to_bits()), vec![(false, base, k)]);
        }
    }

    fn stores(&mut self, column: Column, places: Vec<(bool, Base, usize)>) {
        for (negated, base, k) in places {
            for vector in 0..self.vectors() {
                let (value, to) = (self.value(column, vector), self.place(base, k, vector));
                self.lines.push(Step::Store { value, negated, to });
            }
        }
    }

    fn line(&mut self, instruction: Instruction<Column>, vector: usize) -> Step {
        use Instruction::*;
        let mut v = |column| self.value(column, vector);
        match instruction {
            Add(w, a, b) => Step::Two(Binary::Add, v(w), [v(a), v(b)]),
            Sub(w, a, b) => Step::Two(Binary::Sub, v(w), [v(a), v(b)]),
            Mul(w, a, b) => Step::Two(Binary::Mul, v(w), [v(a), v(b)]),
            Div(w, a, b) => Step::Two(Binary::Div, v(w), [v(a), v(b)]),
            AddNumber(w, a, k) => Step::Two(Binary::Add, v(w), [v(a), self.number(k)]),
            FromNumber(w, a, k) => Step::Two(Binary::Sub, v(w), [self.number(k), self.value(a, vector)]),
            Scale(w, a, k) => Step::Two(Binary::Mul, v(w), [v(a), self.number(k)]),
            MulAdd(w, abc) => Step::Fused(Fused::Add, v(w), abc.map(v)),
            MulSub(w, abc) => Step::Fused(Fused::Sub, v(w), abc.map(v)),
            LessMul(w, abc) => Step::Fused(Fused::Less, v(w), abc.map(v)),
            MulAddNumber(w, [a, b], k) => Step::Fused(Fused::Add, v(w), [v(a), v(b), self.number(k)]),
            NumberLessMul(w, [a, b], k) => Step::Fused(Fused::Less, v(w), [v(a), v(b), self.number(k)]),
            ScaleAdd(w, [a, c], k) => Step::Fused(Fused::Add, v(w), [v(a), self.number(k), self.value(c, vector)]),
            ScaleSub(w, [a, c], k) => Step::Fused(Fused::Sub, v(w), [v(a), self.number(k), self.value(c, vector)]),
            Line(w, a, [k, l]) => Step::Fused(Fused::Add, v(w), [v(a), self.number(k), self.number(l)]),
            Neg(w, a) => Step::Negated(v(w), v(a)),
            Sqrt(w, a) => Step::Root(v(w), v(a)),
            SelectLt(w, all) => Step::Select(v(w), all.map(v)),
            SinCos(..) | Atan2(..) | Tanh(..) | Exp(..) => unreachable!("functions are called"),
        }
    }

    /// One call for all: columns of arguments, then of results, with a whole number of vectors in each.
    fn calls(&mut self, function: Function, instructions: &[Instruction<Column>]) {
        let count = (instructions.len() * self.width.states()).next_multiple_of(8);
        let block = self.work;
        let at = |column: usize, k: usize, vector: usize, width: Width| {
            let numbers = column * count + k * width.states() + vector * lanes(width);
            Memory { base: Base::Work, offset: block + (numbers * size_of::<f64>()) as i32 }
        };
        let (mut arguments, mut results, mut columns) = (Vec::new(), Vec::new(), 0);
        for (k, instruction) in instructions.iter().enumerate() {
            let (reads, writes) = (instruction.reads(), instruction.writes());
            columns = reads.len() + writes.len();
            for vector in 0..self.vectors() {
                for (column, &read) in reads.iter().enumerate() {
                    arguments.push((self.value(read, vector), at(column, k, vector, self.width)));
                }
                for (column, &written) in writes.iter().enumerate() {
                    results.push((self.value(written, vector), at(reads.len() + column, k, vector, self.width)));
                }
            }
        }
        self.work += (columns * count * size_of::<f64>()) as i32;
        let function: Called = match function {
            Function::SinCos => sines,
            Function::Atan2 => angles,
            Function::Tanh => tanh,
            Function::Exp => exp,
        };
        let function = function as usize as u64;
        self.lines.push(Step::Call { function, block, count: count as u32, arguments, results });
    }
}

/// A function over a block: so many numbers of each argument, then of each result.
type Called = unsafe extern "sysv64" fn(*mut f64, usize);

/// The block of a call.
///
/// # Safety
/// There are `columns · count` numbers, and nobody else uses them.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn block<'a>(numbers: *mut f64, columns: usize, count: usize) -> &'a mut [f64] {
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts_mut(numbers, columns * count) }
}

/// Sines and cosines.
#[allow(unsafe_code)]
#[target_feature(enable = "avx2,fma")]
unsafe extern "sysv64" fn sines(numbers: *mut f64, count: usize) {
    // SAFETY: code that is written here calls it with a block of three columns.
    let numbers = unsafe { block(numbers, 3, count) };
    let (angles, results) = numbers.split_at_mut(count);
    let (sin, cos) = results.split_at_mut(count);
    let (angles, _) = angles.as_chunks::<8>();
    let (sin, _) = sin.as_chunks_mut::<8>();
    let (cos, _) = cos.as_chunks_mut::<8>();
    for ((angle, sin), cos) in angles.iter().zip(sin).zip(cos) {
        (*sin, *cos) = of_angles(angle);
    }
}

/// Angles of points.
#[allow(unsafe_code)]
unsafe extern "sysv64" fn angles(numbers: *mut f64, count: usize) {
    // SAFETY: as above.
    let numbers = unsafe { block(numbers, 3, count) };
    for i in 0..count {
        numbers[2 * count + i] = Scalar::atan2(numbers[i], numbers[count + i]);
    }
}

#[allow(unsafe_code)]
unsafe extern "sysv64" fn tanh(numbers: *mut f64, count: usize) {
    // SAFETY: as above.
    let numbers = unsafe { block(numbers, 2, count) };
    for i in 0..count {
        numbers[count + i] = Scalar::tanh(numbers[i]);
    }
}

#[allow(unsafe_code)]
unsafe extern "sysv64" fn exp(numbers: *mut f64, count: usize) {
    // SAFETY: as above.
    let numbers = unsafe { block(numbers, 2, count) };
    for i in 0..count {
        numbers[count + i] = Scalar::exp(numbers[i]);
    }
}
