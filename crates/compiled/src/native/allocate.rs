//! Registers for values: in straight-line code every next use is known, so what leaves a register is what is needed last (Belady
//! 1966).

use super::encode::{Base, Binary, Code, Form, From, Fused, Memory, Register};

const REGISTERS: usize = 16;

/// A value, by its number.
pub(crate) type Value = usize;

/// One step over values.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Two(Binary, Value, [Value; 2]),
    /// ±x y ± z.
    Fused(Fused, Value, [Value; 3]),
    Root(Value, Value),
    Negated(Value, Value),
    /// The third where the first is less than the second, else the fourth.
    Select(Value, [Value; 4]),
    Store {
        value: Value,
        negated: bool,
        to: Memory,
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

impl Step {
    fn reads(&self) -> Vec<Value> {
        match self {
            Self::Two(_, _, reads) => reads.to_vec(),
            Self::Fused(_, _, reads) => reads.to_vec(),
            Self::Root(_, a) | Self::Negated(_, a) | Self::Store { value: a, .. } => vec![*a],
            Self::Select(_, reads) => reads.to_vec(),
            Self::Call { arguments, .. } => arguments.iter().map(|(value, _)| *value).collect(),
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Place {
    register: Option<Register>,
    memory: Option<Memory>,
    /// Whether that memory is lent and comes back when nobody reads the value any more.
    lent: bool,
    /// The lines that read it, the next one last.
    uses: Vec<usize>,
}

/// Writes the code of lines.
#[derive(Debug)]
pub(crate) struct Allocator {
    code: Code,
    places: Vec<Place>,
    held: [Option<Value>; REGISTERS],
    /// The line under way.
    now: usize,
    /// Offsets in the work area that were lent and are free again, and those that are free after this line: it reads them.
    free: Vec<i32>,
    ending: Vec<i32>,
    /// Bytes of the work area.
    work: i32,
    /// Bytes of a value.
    size: i32,
    /// The sign of a number, for a whole register.
    sign: Memory,
}

impl Allocator {
    /// `known`: the values that are in memory from the beginning. `work`: the bytes of the work area that are taken.
    pub fn new(wide: bool, lines: &[Step], known: &[(Value, Memory)], values: usize, work: i32, sign: Memory) -> Self {
        let mut places = vec![Place::default(); values];
        for (k, line) in lines.iter().enumerate().rev() {
            for value in line.reads() {
                places[value].uses.push(k);
            }
        }
        for &(value, memory) in known {
            places[value].memory = Some(memory);
        }
        let size = if wide { 32 } else { 8 };
        Self {
            code: Code::new(wide),
            places,
            held: [None; REGISTERS],
            now: 0,
            free: Vec::new(),
            ending: Vec::new(),
            work,
            size,
            sign,
        }
    }

    /// The code, and how many bytes of work area it needs.
    pub fn write(mut self, lines: &[Step]) -> (Vec<u8>, i32) {
        for (k, line) in lines.iter().enumerate() {
            self.now = k;
            self.line(line);
            self.free.append(&mut self.ending);
        }
        (self.code.finish(), self.work)
    }

    fn line(&mut self, line: &Step) {
        match line {
            &Step::Two(op, w, [a, b]) => {
                // Of a sum and a product either may be in memory.
                let swap = matches!(op, Binary::Add | Binary::Mul) && self.places[a].register.is_none();
                let (a, b) = if swap { (b, a) } else { (a, b) };
                let first = self.register(a, &[]);
                let second = self.operand(b, &[first]);
                self.release(line);
                let d = self.take(&[]);
                self.code.binary(op, d, first, second);
                self.hold(d, w);
            }
            &Step::Fused(op, w, xyz) => self.fused(line, op, w, xyz),
            &Step::Root(w, a) => {
                let a = self.operand(a, &[]);
                self.release(line);
                let d = self.take(&[]);
                self.code.sqrt(d, a);
                self.hold(d, w);
            }
            &Step::Negated(w, a) => {
                let a = self.register(a, &[]);
                self.release(line);
                let d = self.take(&[]);
                self.code.turn(d, a, self.sign);
                self.hold(d, w);
            }
            &Step::Select(w, [a, b, c, d]) => {
                let mut locked = Vec::with_capacity(4);
                for value in [a, b, c, d] {
                    let register = self.register(value, &locked);
                    locked.push(register);
                }
                let mask = self.take(&locked);
                self.code.less(mask, locked[0], From::Register(locked[1]));
                self.release(line);
                // Not where the mask is: that register is free, and may be given again.
                self.code.choose(mask, locked[3], locked[2], mask);
                self.hold(mask, w);
            }
            &Step::Store { value, negated, to } => {
                let mut register = self.register(value, &[]);
                if negated {
                    let d = self.take(&[register]);
                    self.code.turn(d, register, self.sign);
                    register = d;
                }
                self.code.store(to, register);
                self.release(line);
            }
            Step::Call { function, block, count, arguments, results } => {
                for &(value, to) in arguments {
                    let register = self.register(value, &[]);
                    self.code.store(to, register);
                }
                self.release(line);
                for register in 0..REGISTERS {
                    self.evict(register);
                }
                self.code.call(*function, *block, *count);
                for &(value, from) in results {
                    self.places[value].memory = Some(from);
                }
            }
        }
    }

    fn fused(&mut self, line: &Step, op: Fused, w: Value, [x, y, z]: [Value; 3]) {
        let dies = |this: &Self, value: Value| {
            this.places[value].register.is_some() && this.places[value].uses.iter().all(|&k| k == this.now)
        };
        // The factor that is in a register comes first, and before it the one that is free to be overwritten.
        let rank = |this: &Self, value: Value| (dies(this, value), this.places[value].register.is_some());
        let (x, y) = if rank(self, y) > rank(self, x) { (y, x) } else { (x, y) };
        let d = if dies(self, z) {
            let d = self.register(z, &[]);
            let b = self.register(x, &[d]);
            let c = self.operand(y, &[d, b]);
            self.code.fused(op, Form::Term, d, b, c);
            d
        } else if dies(self, x) {
            let d = self.register(x, &[]);
            if self.places[z].register.is_some() {
                let b = self.register(z, &[d]);
                let c = self.operand(y, &[d, b]);
                self.code.fused(op, Form::Factor, d, b, c);
            } else {
                let b = self.register(y, &[d]);
                let c = self.operand(z, &[d, b]);
                self.code.fused(op, Form::FactorOf, d, b, c);
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
                (Some(z), _) => self.code.copy(d, z),
                (None, Some(memory)) => self.code.load(d, memory),
                (None, None) => unreachable!("a value is somewhere until nobody reads it"),
            }
            self.code.fused(op, Form::Term, d, b, c);
            d
        };
        self.release(line);
        self.hold(d, w);
    }

    /// The value is in this register now. What nobody reads takes no place.
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
            self.code.load(register, memory);
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
        if let Some(free) = (0..REGISTERS).filter(usable).find(|&register| self.held[register].is_none()) {
            return free as Register;
        }
        let next = |register: &usize| self.held[*register].and_then(|value| self.places[value].uses.last().copied());
        let farthest = (0..REGISTERS).filter(usable).max_by_key(next).unwrap_or(0);
        self.evict(farthest);
        farthest as Register
    }

    /// What is in a register goes to memory, unless it is there.
    fn evict(&mut self, register: usize) {
        let Some(value) = self.held[register].take() else { return };
        self.places[value].register = None;
        if self.places[value].memory.is_none() {
            let offset = self.free.pop().unwrap_or_else(|| {
                self.work += self.size;
                self.work - self.size
            });
            let memory = Memory { base: Base::Work, offset };
            self.code.store(memory, register as Register);
            self.places[value].memory = Some(memory);
            self.places[value].lent = true;
        }
    }

    /// The line has read what it reads: what nobody reads any more gives its places back.
    fn release(&mut self, line: &Step) {
        for value in line.reads() {
            let place = &mut self.places[value];
            while place.uses.last().is_some_and(|&k| k == self.now) {
                place.uses.pop();
            }
            if place.uses.is_empty() {
                if let Some(register) = place.register.take() {
                    self.held[usize::from(register)] = None;
                }
                if std::mem::take(&mut place.lent)
                    && let Some(memory) = place.memory.take()
                {
                    self.ending.push(memory.offset);
                }
            }
        }
    }
}
