//! Registers for values: in straight-line code every next use is known, so what leaves a register is what is needed last (Belady
//! 1966).

use super::encode::{Assembler, BaseArray, Binary, EncodingTarget, From, FusedForm, Memory, Register, RegisterWidth};
use super::rows::{self, ColumnBlock};
use crate::flow::FusedOperation;

/// A value, by its number.
pub(crate) type Value = usize;

/// One instruction over values, before registers are allocated.
#[derive(Clone, Debug)]
pub(crate) enum VirtualInstruction {
    Two(Binary, Value, [Value; 2]),
    /// ±x y ± z.
    Fused(FusedOperation, Value, [Value; 3]),
    Root(Value, Value),
    /// The bits, so many places to the left.
    Shift(Value, Value, u8),
    /// The second and the third, swapped where the first is negative.
    Swap([Value; 2], [Value; 3]),
    /// The second with its sign turned where the first is negative; the third is the sign.
    Turn(Value, [Value; 3]),
    /// The third where the first is less than the second, else the fourth.
    Select(Value, [Value; 4]),
    Store {
        value: Value,
        to: Memory,
    },
    /// Single numbers side by side. Where there is none it does not matter what is there.
    Join(Value, Vec<Option<Value>>),
    /// The other way round, through so many bytes of the work area.
    Split {
        value: Value,
        block: i32,
        numbers: Vec<Option<Value>>,
    },
    Call {
        function: u64,
        /// Where its numbers are in the work area: arguments, then results.
        block: i32,
        count: u32,
        arguments: Vec<(Value, Memory)>,
        results: Vec<(Value, Memory)>,
    },
}

impl VirtualInstruction {
    pub fn reads(&self) -> Vec<Value> {
        match self {
            Self::Two(_, _, reads) => reads.to_vec(),
            Self::Fused(_, _, reads) | Self::Swap(_, reads) | Self::Turn(_, reads) => reads.to_vec(),
            Self::Root(_, a) | Self::Shift(_, a, _) => vec![*a],
            Self::Store { value: a, .. } | Self::Split { value: a, .. } => vec![*a],
            Self::Select(_, reads) => reads.to_vec(),
            Self::Join(_, reads) => reads.iter().copied().flatten().collect(),
            Self::Call { arguments, .. } => arguments.iter().map(|(value, _)| *value).collect(),
        }
    }

    pub fn writes(&self) -> Vec<Value> {
        match self {
            Self::Two(_, w, _) | Self::Fused(_, w, _) | Self::Root(w, _) | Self::Shift(w, ..) => vec![*w],
            Self::Turn(w, _) | Self::Select(w, _) | Self::Join(w, _) => vec![*w],
            Self::Swap(written, _) => written.to_vec(),
            Self::Store { .. } => Vec::new(),
            Self::Split { numbers, .. } => numbers.iter().copied().flatten().collect(),
            Self::Call { results, .. } => results.iter().map(|(value, _)| *value).collect(),
        }
    }
}

/// The values of virtual instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueTable {
    /// Whether a value fills a register.
    pub wide: Vec<bool>,
    /// Those that are in memory from the beginning.
    pub known: Vec<(Value, Memory)>,
}

#[derive(Clone, Debug, Default)]
struct ValueLocation {
    register: Option<Register>,
    memory: Option<Memory>,
    /// Whether that memory is freed after the last use of the value.
    lent: Option<i32>,
    /// The lines that read it, the next one last.
    uses: Vec<usize>,
}

/// Writes the code of lines.
#[derive(Debug)]
pub(crate) struct Allocator<'a> {
    code: Assembler,
    target: EncodingTarget,
    wide: &'a [bool],
    places: Vec<ValueLocation>,
    held: Vec<Option<Value>>,
    /// The line under way.
    now: usize,
    /// Offsets in the work area that were lent and are free again, of single numbers and of whole registers, and those that are free
    /// after this line: it reads them.
    free: [Vec<i32>; 2],
    ending: Vec<(bool, i32)>,
    /// Bytes of the work area.
    work: i32,
}

impl<'a> Allocator<'a> {
    /// `work`: the bytes of the work area that are taken.
    pub fn new(target: EncodingTarget, lines: &[VirtualInstruction], values: &'a ValueTable, work: i32) -> Self {
        let mut places = vec![ValueLocation::default(); values.wide.len()];
        for (k, line) in lines.iter().enumerate().rev() {
            for value in line.reads() {
                places[value].uses.push(k);
            }
        }
        for &(value, memory) in &values.known {
            places[value].memory = Some(memory);
        }
        Self {
            code: Assembler::new(target),
            target,
            wide: &values.wide,
            places,
            held: vec![None; target.registers()],
            now: 0,
            free: Default::default(),
            ending: Vec::new(),
            work,
        }
    }

    /// The code, and how many bytes of work area it needs. A loop goes on by so many bytes of a column.
    /// Of states in rows: their columns in the work area.
    pub fn write(
        mut self,
        lines: &[VirtualInstruction],
        step: i32,
        transposed: Option<[ColumnBlock; 2]>,
    ) -> (Vec<u8>, i32) {
        if let Some([inputs, _]) = transposed {
            rows::gather(&mut self.code, inputs);
        }
        for (k, line) in lines.iter().enumerate() {
            self.now = k;
            self.line(line);
            for (wide, offset) in std::mem::take(&mut self.ending) {
                self.free[usize::from(wide)].push(offset);
            }
        }
        if let Some([_, results]) = transposed {
            rows::scatter(&mut self.code, results);
        }
        (self.code.finish(step), self.work)
    }

    fn shape(&self, value: Value) -> RegisterWidth {
        if self.wide[value] { self.target.vector } else { RegisterWidth::One }
    }

    fn line(&mut self, line: &VirtualInstruction) {
        match line {
            &VirtualInstruction::Two(op, w, [a, b]) => {
                // Of a sum and a product either may be in memory.
                let symmetric = matches!(op, Binary::Add | Binary::Mul | Binary::And | Binary::Xor);
                let swap = symmetric && self.places[a].register.is_none();
                let (a, b) = if swap { (b, a) } else { (a, b) };
                let first = self.register(a, &[]);
                let second = self.operand(b, &[first]);
                self.release(line);
                let d = self.take(&[]);
                self.code.binary(op, self.shape(w), d, first, second);
                self.hold(d, w);
            }
            &VirtualInstruction::Fused(op, w, xyz) => self.fused(line, op, w, xyz),
            &VirtualInstruction::Root(w, a) => {
                let a = self.operand(a, &[]);
                self.release(line);
                let d = self.take(&[]);
                self.code.sqrt(self.shape(w), d, a);
                self.hold(d, w);
            }
            &VirtualInstruction::Shift(w, a, places) => {
                let a = self.register(a, &[]);
                self.release(line);
                let d = self.take(&[]);
                self.code.shift(self.shape(w), d, a, places);
                self.hold(d, w);
            }
            &VirtualInstruction::Swap(written, [mask, a, b]) => self.swap(line, written, mask, a, b),
            &VirtualInstruction::Turn(w, reads) => self.turn(line, w, reads),
            &VirtualInstruction::Select(w, reads) => {
                let mut locked = Vec::with_capacity(4);
                for value in reads {
                    let register = self.register(value, &locked);
                    locked.push(register);
                }
                let shape = self.shape(w);
                let d = self.take(&locked);
                self.code.less(shape, d, locked[0], locked[1]);
                self.code.choose(shape, d, [locked[3], locked[2]], d);
                self.release(line);
                self.hold(d, w);
            }
            &VirtualInstruction::Store { value, to } => {
                let register = self.register(value, &[]);
                self.code.store(to, register, self.shape(value));
                self.release(line);
            }
            VirtualInstruction::Join(w, numbers) => {
                let mut d = self.joined(numbers, &mut Vec::new());
                self.release(line);
                if self.held[usize::from(d)].is_some() {
                    // A number by itself, which is read again.
                    let from = d;
                    d = self.take(&[from]);
                    self.code.copy(d, from, RegisterWidth::Xmm);
                }
                self.hold(d, *w);
            }
            VirtualInstruction::Split { value, block, numbers } => {
                let register = self.register(*value, &[]);
                self.code.store(Memory::At(BaseArray::Work, *block), register, self.shape(*value));
                self.release(line);
                for (k, number) in numbers.iter().enumerate() {
                    if let Some(number) = number {
                        let offset = block + self.target.number() * k as i32;
                        self.places[*number].memory = Some(Memory::At(BaseArray::Work, offset));
                    }
                }
            }
            VirtualInstruction::Call { function, block, count, arguments, results } => {
                for &(value, to) in arguments {
                    let register = self.register(value, &[]);
                    self.code.store(to, register, self.shape(value));
                }
                self.release(line);
                for register in 0..self.held.len() {
                    self.evict(register);
                }
                self.code.call(*function, *block, *count);
                for &(value, from) in results {
                    self.places[value].memory = Some(from);
                }
            }
        }
    }

    /// Whether this line is the last that reads a value, and it is in a register.
    fn dies(&self, value: Value) -> bool {
        self.places[value].register.is_some() && self.places[value].uses.iter().all(|&k| k == self.now)
    }

    fn fused(&mut self, line: &VirtualInstruction, op: FusedOperation, w: Value, [x, y, z]: [Value; 3]) {
        let shape = self.shape(w);
        // The factor that is in a register comes first, and before it the one that is free to be overwritten.
        let rank = |this: &Self, value: Value| (this.dies(value), this.places[value].register.is_some());
        let (x, y) = if rank(self, y) > rank(self, x) { (y, x) } else { (x, y) };
        let d = if self.dies(z) {
            let d = self.register(z, &[]);
            let b = self.register(x, &[d]);
            let c = self.operand(y, &[d, b]);
            self.code.fused(op, FusedForm::Term, shape, d, b, c);
            d
        } else if self.dies(x) {
            let d = self.register(x, &[]);
            if self.places[z].register.is_some() {
                let b = self.register(z, &[d]);
                let c = self.operand(y, &[d, b]);
                self.code.fused(op, FusedForm::Factor, shape, d, b, c);
            } else {
                let b = self.register(y, &[d]);
                let c = self.operand(z, &[d, b]);
                self.code.fused(op, FusedForm::FactorOf, shape, d, b, c);
            }
            d
        } else {
            let b = self.register(x, &[]);
            let c = self.operand(y, &[b]);
            let mut locked = vec![b];
            locked.extend(if let From::Register(c) = c { Some(c) } else { None });
            locked.extend(self.places[z].register);
            let d = self.take(&locked);
            match (self.places[z].register, self.places[z].memory) {
                (Some(z), _) => self.code.copy(d, z, shape),
                (None, Some(memory)) => self.code.load(d, memory, shape),
                (None, None) => unreachable!("a live value has a location"),
            }
            self.code.fused(op, FusedForm::Term, shape, d, b, c);
            d
        };
        self.release(line);
        self.hold(d, w);
    }

    fn swap(&mut self, line: &VirtualInstruction, [first, second]: [Value; 2], mask: Value, a: Value, b: Value) {
        let shape = self.shape(first);
        let mask = self.register(mask, &[]);
        let a = self.register(a, &[mask]);
        let b = self.register(b, &[mask, a]);
        let d = self.take(&[mask, a, b]);
        if self.target.evex {
            self.code.mask_of_signs(shape, mask);
        }
        self.code.choose(shape, d, [a, b], mask);
        self.release(line);
        self.hold(d, first);
        let e = self.take(&[d]);
        self.code.choose(shape, e, [b, a], mask);
        self.hold(e, second);
    }

    fn turn(&mut self, line: &VirtualInstruction, w: Value, [s, a, sign]: [Value; 3]) {
        let shape = self.shape(w);
        let from = self.register(s, &[]);
        let a = self.register(a, &[from]);
        let sign = self.operand(sign, &[from, a]);
        let mut locked = vec![from, a];
        locked.extend(if let From::Register(sign) = sign { Some(sign) } else { None });
        let d = if self.dies(s) && from != a { from } else { self.take(&locked) };
        if self.target.evex {
            if d != from {
                self.code.copy(d, from, shape);
            }
            self.code.turn(shape, d, a, sign);
        } else {
            self.code.binary(Binary::And, shape, d, from, sign);
            self.code.binary(Binary::Xor, shape, d, d, From::Register(a));
        }
        self.release(line);
        self.hold(d, w);
    }

    /// A register of these numbers, of which there are 1, 2, 4 or 8.
    fn joined(&mut self, numbers: &[Option<Value>], locked: &mut Vec<Register>) -> Register {
        if let (Some(memory), shape) = (self.side_by_side(numbers), shape_of(numbers.len()))
            && shape != RegisterWidth::One
        {
            let d = self.take(locked);
            self.code.load(d, memory, shape);
            locked.push(d);
            return d;
        }
        let (low, high) = numbers.split_at(numbers.len() / 2);
        if let [Some(number)] = numbers {
            let register = self.register(*number, locked);
            locked.push(register);
            return register;
        }
        let a = self.joined(low, locked);
        if high.iter().all(Option::is_none) {
            return a;
        }
        let b = match self.side_by_side(high) {
            Some(memory) => From::Memory(memory),
            None => From::Register(self.joined(high, locked)),
        };
        let d = self.take(locked);
        self.code.join(shape_of(numbers.len()), d, a, b);
        locked.push(d);
        d
    }

    /// Where all of these numbers are, one after the other, if none is in a register.
    fn side_by_side(&self, numbers: &[Option<Value>]) -> Option<Memory> {
        let at = |number: &Option<Value>| match (*number).map(|value| &self.places[value]) {
            Some(ValueLocation { register: None, memory: Some(Memory::At(base, offset)), .. }) => {
                Some((*base, *offset))
            }
            _ => None,
        };
        let (base, offset) = at(numbers.first()?)?;
        let in_order = |(k, number): (usize, &Option<Value>)| at(number) == Some((base, offset + 8 * k as i32));
        numbers.iter().enumerate().all(in_order).then_some(Memory::At(base, offset))
    }

    /// The value is in this register now. A dead value takes no register.
    fn hold(&mut self, register: Register, value: Value) {
        if !self.places[value].uses.is_empty() {
            self.held[usize::from(register)] = Some(value);
            self.places[value].register = Some(register);
        }
    }

    /// A register for a value that is read now.
    fn register(&mut self, value: Value, locked: &[Register]) -> Register {
        if let Some(register) = self.places[value].register {
            return register;
        }
        let register = self.take(locked);
        if let Some(memory) = self.places[value].memory {
            self.code.load(register, memory, self.shape(value));
        }
        self.hold(register, value);
        register
    }

    /// As the last operand, which may be in memory: it is loaded if it is read again and there is room.
    fn operand(&mut self, value: Value, locked: &[Register]) -> From {
        let place = &self.places[value];
        match (place.register, place.memory) {
            (Some(register), _) => From::Register(register),
            (None, Some(memory)) => {
                let again = place.uses.iter().any(|&k| k > self.now);
                if again && self.held.contains(&None) {
                    From::Register(self.register(value, locked))
                } else {
                    From::Memory(memory)
                }
            }
            (None, None) => From::Register(self.register(value, locked)),
        }
    }

    /// A register that holds nothing any more and is none of those that are locked.
    fn take(&mut self, locked: &[Register]) -> Register {
        let usable = |register: &usize| !locked.contains(&(*register as Register));
        if let Some(free) = (0..self.held.len()).filter(usable).find(|&register| self.held[register].is_none()) {
            return free as Register;
        }
        let next = |register: &usize| self.held[*register].and_then(|value| self.places[value].uses.last().copied());
        let farthest = (0..self.held.len()).filter(usable).max_by_key(next).unwrap_or(0);
        self.evict(farthest);
        farthest as Register
    }

    /// What is in a register goes to memory, unless it is there.
    fn evict(&mut self, register: usize) {
        let Some(value) = self.held[register].take() else { return };
        self.places[value].register = None;
        if self.places[value].memory.is_none() {
            let wide = self.wide[value];
            let size = self.shape(value).bytes(self.target.number());
            let offset = self.free[usize::from(wide)].pop().unwrap_or_else(|| {
                let offset = (self.work + size - 1) / size * size;
                self.work = offset + size;
                offset
            });
            let memory = Memory::At(BaseArray::Work, offset);
            self.code.store(memory, register as Register, self.shape(value));
            self.places[value].memory = Some(memory);
            self.places[value].lent = Some(offset);
        }
    }

    /// Frees the registers and memory of values after their last use.
    fn release(&mut self, line: &VirtualInstruction) {
        for value in line.reads() {
            let place = &mut self.places[value];
            while place.uses.last().is_some_and(|&k| k == self.now) {
                place.uses.pop();
            }
            if place.uses.is_empty() {
                if let Some(register) = place.register.take() {
                    self.held[usize::from(register)] = None;
                }
                if let Some(offset) = place.lent.take() {
                    place.memory = None;
                    self.ending.push((self.wide[value], offset));
                }
            }
        }
    }
}

/// Of so many `f64`.
fn shape_of(numbers: usize) -> RegisterWidth {
    match numbers {
        1 => RegisterWidth::One,
        2 => RegisterWidth::Xmm,
        4 => RegisterWidth::Ymm,
        _ => RegisterWidth::Zmm,
    }
}
