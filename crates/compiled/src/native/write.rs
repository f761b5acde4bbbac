//! From instructions over columns to lines over values: sines as arithmetic, what is read and what is written.

use super::allocate::{Allocator, Value, ValueTable, VirtualInstruction};
use super::encode::{BaseArray, Binary, EncodingTarget, Memory};
use super::order::{self, InstructionGroup, MathFunction, ordered};
use super::rows::ColumnBlock;
use super::schedule::scheduled;
use super::{Called, LANES};
use crate::NATIVE_TILE as TILE;
use crate::Width;
use crate::flow::{Flow, FusedOperation, Instruction, SignedOperand, ValueId};
use dalembert_core::scalar::fused::{self, SineNumbers, sin_cos_fused};
use std::cell::RefCell;
use std::collections::HashMap;

/// Sines under way at once: while one waits for a result another goes on, but each takes some registers.
const ABREAST: usize = 4;

/// Lines up to which another order helps, measured; with more of them what it keeps in registers is pushed out again.
const SCHEDULED: usize = 2000;

/// Code and its data.
pub(crate) struct GeneratedCode {
    pub code: Vec<u8>,
    /// Bytes of the work area.
    pub work: i32,
    /// The table of numbers.
    pub numbers: Vec<u8>,
    /// Whether the largest angle is in front of the margins.
    pub sines: bool,
}

/// Writes virtual instructions.
pub(crate) struct CodeWriter {
    target: EncodingTarget,
    lines: Vec<VirtualInstruction>,
    values: ValueTable,
    columns: HashMap<ValueId, Value>,
    /// The values of numbers: their bits, and whether they fill a register.
    known: HashMap<(u64, bool), Value>,
    numbers: Vec<u8>,
    /// The largest angle so far.
    largest: Option<Value>,
    /// Inputs and results of a vector of rows.
    transposed: Option<[ColumnBlock; 2]>,
    /// Bytes of the work area.
    work: i32,
    called: fn(MathFunction, bool) -> Called,
}

impl CodeWriter {
    pub fn new(target: EncodingTarget, called: fn(MathFunction, bool) -> Called) -> Self {
        Self {
            target,
            lines: Vec::new(),
            values: ValueTable::default(),
            columns: HashMap::new(),
            known: HashMap::new(),
            numbers: Vec::new(),
            largest: None,
            transposed: None,
            work: 0,
            called,
        }
    }

    pub fn write(mut self, flow: &Flow) -> GeneratedCode {
        let parts = ordered(flow);
        self.target.calls = order::calls(flow);
        let sines = parts.iter().any(|part| matches!(part, InstructionGroup::Calls(MathFunction::SinCos, _)));
        // In front of the work area: the largest angles, and margins.
        let margins = flow.guards.len() as i32 * self.margin();
        self.work = (if sines { self.angles() } else { 0 } + margins + 63) / 64 * 64;
        if self.target.width == Width::Rows {
            let states = self.states();
            let inputs = ColumnBlock { start: self.work, count: flow.inputs, states };
            let results = ColumnBlock { start: self.work + inputs.bytes(), count: flow.results.len(), states };
            self.transposed = Some([inputs, results]);
            self.work = results.start + results.bytes();
        }
        self.program(flow, &parts, if sines { self.angles() } else { 0 });
        self.prune();
        if self.lines.len() <= SCHEDULED {
            let registers = if self.target.evex { 20 } else { 14 };
            self.lines = scheduled(std::mem::take(&mut self.lines), &self.values, registers);
        }
        let step = self.states() as i32 * self.target.number();
        let allocator = Allocator::new(self.target, &self.lines, &self.values, self.work);
        let (code, work) = allocator.write(&self.lines, step, self.transposed);
        GeneratedCode { code, work, numbers: self.numbers, sines }
    }

    /// How many it takes at once.
    fn states(&self) -> usize {
        self.target.width.states(self.target.evex, self.target.single)
    }

    /// Bytes of the largest angles: of a tile, or of one register of 256 bits.
    fn angles(&self) -> i32 {
        if self.target.width == Width::One { 32 } else { self.margin() }
    }

    /// Bytes of a margin: of a tile, or of one state.
    fn margin(&self) -> i32 {
        self.target.number() * if self.target.width == Width::One { 1 } else { TILE as i32 }
    }

    fn fresh(&mut self, wide: bool) -> Value {
        self.values.wide.push(wide);
        self.values.wide.len() - 1
    }

    fn many(&self) -> bool {
        self.target.width != Width::One
    }

    fn value(&mut self, column: ValueId) -> Value {
        if let ValueId::Number(bits) = column {
            return self.number(f64::from_bits(bits), self.many());
        }
        if let Some(&value) = self.columns.get(&column) {
            return value;
        }
        let value = self.fresh(self.many());
        self.columns.insert(column, value);
        if let ValueId::Input(i) = column {
            self.values.known.push((value, self.place(BaseArray::Inputs, i)));
        }
        value
    }

    /// The place of an input or a result.
    fn place(&self, base: BaseArray, k: usize) -> Memory {
        match (self.transposed, base) {
            (Some([inputs, _]), BaseArray::Inputs) => inputs.at(k, 0),
            (Some([_, results]), _) => results.at(k, 0),
            _ if self.many() => Memory::InColumn(base, (k * size_of::<usize>()) as i32),
            _ => Memory::At(base, k as i32 * self.target.number()),
        }
    }

    fn number(&mut self, x: f64, wide: bool) -> Value {
        let bits = if self.target.single { u64::from((x as f32).to_bits()) } else { x.to_bits() };
        self.bits(bits, wide)
    }

    /// A number by its bits. AVX-512 spreads a number over a register as it reads it.
    fn bits(&mut self, bits: u64, wide: bool) -> Value {
        if let Some(&value) = self.known.get(&(bits, wide)) {
            return value;
        }
        let value = self.fresh(wide);
        self.known.insert((bits, wide), value);
        let size = self.target.number() as usize;
        let copies = if wide && !self.target.evex { 32 / size } else { 1 };
        // Registers are read from places that are multiples of their size.
        let start = self.numbers.len().next_multiple_of(copies * size);
        self.numbers.resize(start, 0);
        for _ in 0..copies {
            self.numbers.extend_from_slice(&bits.to_le_bytes()[..size]);
        }
        self.values.known.push((value, Memory::At(BaseArray::Numbers, start as i32)));
        value
    }

    /// The sign of a number, and all bits but that.
    fn sign(&mut self) -> Value {
        self.bits(if self.target.single { 1 << 31 } else { 1 << 63 }, true)
    }

    fn without_sign(&mut self) -> Value {
        self.bits(if self.target.single { (1 << 31) - 1 } else { (1 << 63) - 1 }, true)
    }

    fn program(&mut self, flow: &Flow, parts: &[InstructionGroup], margins: i32) {
        let mut wanted: HashMap<ValueId, Vec<(bool, Wanted)>> = HashMap::new();
        let mut numbers: Vec<(f64, Wanted)> = Vec::new();
        let results = flow.results.iter().enumerate().map(|(k, result)| (*result, Wanted::Result(k)));
        let guards = flow.guards.iter().enumerate();
        let guards = guards.map(|(k, guard)| (guard.margin, Wanted::Margin(margins + k as i32 * self.margin())));
        for (operand, to) in results.chain(guards).collect::<Vec<_>>() {
            match operand {
                SignedOperand::Of { value, negated } => wanted.entry(value).or_default().push((negated, to)),
                SignedOperand::Number(x) => numbers.push((x, to)),
            }
        }
        for part in parts {
            match part {
                InstructionGroup::Arithmetic(instructions) => {
                    for &instruction in instructions {
                        self.line(instruction);
                        // What is wanted is written as soon as it is there.
                        for column in instruction.writes() {
                            self.stores(column, wanted.remove(&column).unwrap_or_default());
                        }
                    }
                }
                InstructionGroup::Calls(function, instructions) => {
                    match function {
                        MathFunction::SinCos if self.many() => self.sines_of_many(instructions),
                        MathFunction::SinCos => self.sines_of_one(instructions),
                        _ => self.calls(*function, instructions),
                    }
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
        for (x, to) in numbers {
            self.stores(ValueId::Number(x.to_bits()), vec![(false, to)]);
        }
        if let Some(value) = self.largest {
            let to = if self.many() { Memory::AtState(BaseArray::Work, 0) } else { Memory::At(BaseArray::Work, 0) };
            self.lines.push(VirtualInstruction::Store { value, to });
        }
    }

    fn stores(&mut self, column: ValueId, places: Vec<(bool, Wanted)>) {
        for (negated, wanted) in places {
            let mut value = self.value(column);
            if negated {
                value = self.negated(value);
            }
            let to = match wanted {
                Wanted::Result(k) => self.place(BaseArray::Results, k),
                Wanted::Margin(offset) if self.many() => Memory::AtState(BaseArray::Work, offset),
                Wanted::Margin(offset) => Memory::At(BaseArray::Work, offset),
            };
            self.lines.push(VirtualInstruction::Store { value, to });
        }
    }

    fn negated(&mut self, value: Value) -> Value {
        let (written, sign) = (self.fresh(self.values.wide[value]), self.sign());
        self.lines.push(VirtualInstruction::Two(Binary::Xor, written, [value, sign]));
        written
    }

    fn line(&mut self, instruction: Instruction<ValueId>) {
        use Instruction::*;
        let mut v = |column| self.value(column);
        let line = match instruction {
            Two(op, w, reads) => VirtualInstruction::Two(op.into(), v(w), reads.map(v)),
            Fused(op, w, reads) => VirtualInstruction::Fused(op, v(w), reads.map(v)),
            Sqrt(w, a) => VirtualInstruction::Root(v(w), v(a)),
            SelectLt(w, all) => VirtualInstruction::Select(v(w), all.map(v)),
            Neg(w, a) => {
                let (w, a) = (v(w), v(a));
                VirtualInstruction::Two(Binary::Xor, w, [a, self.sign()])
            }
            SinCos(..) | Atan2(..) | Tanh(..) | Exp(..) => unreachable!("functions have parts of their own"),
        };
        self.lines.push(line);
    }

    fn sines_of_many(&mut self, instructions: &[Instruction<ValueId>]) {
        let mut all = Vec::new();
        for instruction in instructions {
            let (reads, writes) = (instruction.reads(), instruction.writes());
            let angle = self.value(reads[0]);
            let (written, lines) = self.sines(angle);
            for (column, value) in writes.iter().zip(written) {
                self.columns.insert(*column, value);
            }
            all.push(lines);
        }
        self.abreast(all);
    }

    /// All angles of a state side by side in registers.
    fn sines_of_one(&mut self, instructions: &[Instruction<ValueId>]) {
        let lanes = LANES / 2;
        let mut instructions = instructions.to_vec();
        // Inputs in their order: they lie side by side.
        instructions.sort_by_key(|instruction| instruction.reads()[0]);
        let (mut all, mut splits) = (Vec::new(), Vec::new());
        for group in instructions.chunks(lanes) {
            let mut angles: Vec<Option<Value>> =
                group.iter().map(|instruction| Some(self.value(instruction.reads()[0]))).collect();
            angles.resize(lanes, None);
            let angle = self.fresh(true);
            self.lines.push(VirtualInstruction::Join(angle, angles));
            let (written, lines) = self.sines(angle);
            all.push(lines);
            for (which, value) in written.into_iter().enumerate() {
                let numbers = group.iter().map(|instruction| Some(self.value(instruction.writes()[which])));
                let numbers = numbers.collect();
                splits.push(VirtualInstruction::Split { value, block: self.work, numbers });
                self.work += 64;
            }
        }
        self.abreast(all);
        self.lines.append(&mut splits);
    }

    /// Lines of sine and cosine of what fills a register.
    fn sines(&mut self, angle: Value) -> ([Value; 2], Vec<VirtualInstruction>) {
        let before = std::mem::take(&mut self.lines);
        let (without_sign, size) = (self.without_sign(), self.fresh(true));
        self.lines.push(VirtualInstruction::Two(Binary::And, size, [angle, without_sign]));
        // Of a NaN and a number the instruction gives the second: what is no number is passed over, and hides no other angle.
        let (largest, larger) = (self.largest.unwrap_or_else(|| self.number(0.0, true)), self.fresh(true));
        self.lines.push(VirtualInstruction::Two(Binary::Max, larger, [size, largest]));
        self.largest = Some(larger);
        let writer = RefCell::new(&mut *self);
        let (sin, cos) = sin_cos_fused(Recorded { term: RecordedValue::Value(angle), writer: &writer });
        let written = [sin.value(), cos.value()];
        (written, std::mem::replace(&mut self.lines, before))
    }

    /// Some of them side by side.
    fn abreast(&mut self, all: Vec<Vec<VirtualInstruction>>) {
        for group in all.chunks(ABREAST) {
            let longest = group.iter().map(Vec::len).max().unwrap_or(0);
            for k in 0..longest {
                self.lines.extend(group.iter().filter_map(|lines| lines.get(k).cloned()));
            }
        }
    }

    /// One call for all: columns of arguments, then of results, with a whole number of vectors in each.
    fn calls(&mut self, function: MathFunction, instructions: &[Instruction<ValueId>]) {
        let states = self.states();
        let count = (instructions.len() * states).next_multiple_of(2 * LANES) as i32;
        let (block, number) = (self.work, self.target.number());
        let at = |column: usize, k: usize| {
            Memory::At(BaseArray::Work, block + (column as i32 * count + (k * states) as i32) * number)
        };
        let (mut arguments, mut results, mut columns) = (Vec::new(), Vec::new(), 0);
        for (k, instruction) in instructions.iter().enumerate() {
            let (reads, writes) = (instruction.reads(), instruction.writes());
            columns = reads.len() + writes.len();
            for (column, &read) in reads.iter().enumerate() {
                arguments.push((self.value(read), at(column, k)));
            }
            for (column, &written) in writes.iter().enumerate() {
                results.push((self.value(written), at(reads.len() + column, k)));
            }
        }
        self.work += columns as i32 * count * number;
        let function = (self.called)(function, self.target.single) as usize as u64;
        self.lines.push(VirtualInstruction::Call { function, block, count: count as u32, arguments, results });
    }

    /// Removes dead code: an unused sine of a sine–cosine pair.
    fn prune(&mut self) {
        let mut read = vec![false; self.values.wide.len()];
        let mut kept = vec![false; self.lines.len()];
        for (k, line) in self.lines.iter().enumerate().rev() {
            let needed = matches!(line, VirtualInstruction::Store { .. } | VirtualInstruction::Call { .. });
            if needed || line.writes().iter().any(|&value| read[value]) {
                kept[k] = true;
                line.reads().into_iter().for_each(|value| read[value] = true);
            }
        }
        let mut kept = kept.into_iter();
        self.lines.retain(|_| kept.next().unwrap_or(true));
    }
}

/// What is written in the end.
#[derive(Clone, Copy)]
enum Wanted {
    Result(usize),
    /// At an offset in the work area.
    Margin(i32),
}

/// A value of the formula of sines, whose operations become lines. Constants become values where they are used.
#[derive(Clone, Copy)]
struct Recorded<'a, 'b> {
    term: RecordedValue,
    writer: &'a RefCell<&'b mut CodeWriter>,
}

#[derive(Clone, Copy)]
enum RecordedValue {
    Value(Value),
    Number(f64),
}

impl Recorded<'_, '_> {
    fn value(self) -> Value {
        match self.term {
            RecordedValue::Value(value) => value,
            RecordedValue::Number(x) => self.writer.borrow_mut().number(x, true),
        }
    }

    fn push(self, line: impl FnOnce(Value) -> VirtualInstruction) -> Self {
        let mut writer = self.writer.borrow_mut();
        let written = writer.fresh(true);
        writer.lines.push(line(written));
        Self { term: RecordedValue::Value(written), ..self }
    }

    fn two(self, op: Binary, b: Self) -> Self {
        let reads = [self.value(), b.value()];
        self.push(|written| VirtualInstruction::Two(op, written, reads))
    }

    fn fused(self, op: FusedOperation, reads: [Self; 3]) -> Self {
        let reads = reads.map(Self::value);
        self.push(|written| VirtualInstruction::Fused(op, written, reads))
    }
}

impl fused::Fused for Recorded<'_, '_> {
    fn numbers(self) -> &'static SineNumbers {
        if self.writer.borrow().target.single { &fused::SINGLE } else { &fused::DOUBLE }
    }

    fn number(self, x: f64) -> Self {
        Self { term: RecordedValue::Number(x), ..self }
    }

    fn plus(self, b: Self) -> Self {
        self.two(Binary::Add, b)
    }

    fn less(self, b: Self) -> Self {
        self.two(Binary::Sub, b)
    }

    fn times(self, b: Self) -> Self {
        self.two(Binary::Mul, b)
    }

    fn times_plus(self, b: Self, c: Self) -> Self {
        self.fused(FusedOperation::Add, [self, b, c])
    }

    fn less_times(self, b: Self, c: Self) -> Self {
        self.fused(FusedOperation::Less, [b, c, self])
    }

    fn in_quadrant(self, sin: Self, cos: Self) -> (Self, Self) {
        let (shifted, sin, cos) = (self.value(), sin.value(), cos.value());
        let sign = self.writer.borrow_mut().sign();
        let sign = Self { term: RecordedValue::Value(sign), ..self }.value();
        let bits = if self.writer.borrow().target.single { 32 } else { 64 };
        // The lowest bit and the one above it, as signs.
        let odd = self.push(|written| VirtualInstruction::Shift(written, shifted, bits - 1));
        let upper = self.push(|written| VirtualInstruction::Shift(written, shifted, bits - 2));
        let swapped = self.writer.borrow_mut().fresh(true);
        let (odd_value, upper_value) = (odd.value(), upper.value());
        let first = self.push(|written| VirtualInstruction::Swap([written, swapped], [odd_value, sin, cos]));
        let middle = upper.two(Binary::Xor, odd).value();
        let first = first.value();
        let sine = self.push(|written| VirtualInstruction::Turn(written, [upper_value, first, sign]));
        let cosine = self.push(|written| VirtualInstruction::Turn(written, [middle, swapped, sign]));
        (sine, cosine)
    }
}
