//! The few instructions of x86-64 that straight-line arithmetic needs, as bytes: AVX and FMA (the prefix VEX, 16 registers of four
//! numbers) and AVX-512 (the prefix EVEX, 32 registers of eight). After Intel 64 and IA-32 Architectures Software Developer's Manual,
//! volume 2, 2.3 (VEX), 2.7 (EVEX) and the pages of the instructions.

use crate::Width;
use crate::flow::{Arithmetic, FusedOperation};

/// A vector register, 0 to 31.
pub(crate) type Register = u8;

/// An array argument of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BaseArray {
    Inputs,
    Results,
    Work,
    Numbers,
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// So many bytes behind a base.
    At(BaseArray, i32),
    /// The same, and behind that the bytes of the states that are done.
    AtState(BaseArray, i32),
    /// In the column whose address is so many bytes behind a base, behind the states that are done.
    InColumn(BaseArray, i32),
    /// In row 0 to 7 from where a base is now, so many bytes behind its beginning. [`Assembler::rows_of`] comes before.
    InRow(BaseArray, u8, i32),
}

/// The last operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    Register(Register),
    Memory(Memory),
}

/// The part of a register that an instruction uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegisterWidth {
    /// One number.
    One,
    /// 128 bits.
    Xmm,
    /// 256 bits.
    Ymm,
    /// 512 bits.
    Zmm,
}

impl RegisterWidth {
    pub fn bytes(self, number: i32) -> i32 {
        match self {
            Self::One => number,
            Self::Xmm => 16,
            Self::Ymm => 32,
            Self::Zmm => 64,
        }
    }

    /// As prefixes say it.
    fn length(self) -> u8 {
        match self {
            Self::One | Self::Xmm => 0,
            Self::Ymm => 1,
            Self::Zmm => 2,
        }
    }

    /// Bits of one number in a register have no instructions of their own: those next to it are turned too.
    fn whole(self) -> Self {
        if self == Self::One { Self::Xmm } else { self }
    }
}

/// a ∘ b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    And = 0x54,
    Xor = 0x57,
    Add = 0x58,
    Mul = 0x59,
    Sub = 0x5c,
    Div = 0x5e,
    /// The greater; b where one is no number.
    Max = 0x5f,
}

impl core::convert::From<Arithmetic> for Binary {
    fn from(op: Arithmetic) -> Self {
        match op {
            Arithmetic::Add => Self::Add,
            Arithmetic::Sub => Self::Sub,
            Arithmetic::Mul => Self::Mul,
            Arithmetic::Div => Self::Div,
        }
    }
}

/// Which of the three operands of a fused instruction is overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FusedForm {
    /// d := d · c ± b.
    Factor = 0x00,
    /// d := b · d ± c.
    FactorOf = 0x10,
    /// d := b · c ± d.
    Term = 0x20,
}

/// What a prefix says of an opcode: its table, its mandatory prefix, its W bit (of VEX).
#[derive(Clone, Copy)]
struct Opcode {
    table: u8,
    prefix: u8,
    w: u8,
    byte: u8,
    /// Whether a number in memory can stand for a whole register of it.
    spreads: bool,
    /// Bytes that it reads or writes of memory.
    bytes: i32,
    /// The mask register that it uses, or 0.
    mask: u8,
}

const OF_0F: u8 = 1;
const OF_0F38: u8 = 2;
const OF_0F3A: u8 = 3;
const NONE: u8 = 0;
const OF_66: u8 = 1;
const OF_F3: u8 = 2;
const OF_F2: u8 = 3;

/// rax, for the address of a column, or of the second row.
const ADDRESS: u8 = 0;

/// rbx, for the address of row 6.
const SIXTH: u8 = 3;

/// r10 or r11: the distance of a row from the next.
fn stride(base: BaseArray) -> u8 {
    if base == BaseArray::Inputs { 10 } else { 11 }
}

/// A scale of 1, 2 or 4 as an address says it.
fn scale_bits(scale: u8) -> u8 {
    (scale.trailing_zeros() as u8) << 6
}

/// Properties of the code to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EncodingTarget {
    /// AVX-512, or AVX2.
    pub evex: bool,
    /// `f32`, or `f64`.
    pub single: bool,
    /// Many states are columns with addresses, or rows with a distance from one to the next; of rows nothing is called.
    pub width: Width,
    /// Whether it calls functions: then addresses are in registers that these keep.
    pub calls: bool,
    /// The widest registers that it uses, of which the upper halves are cleared at the end.
    pub vector: RegisterWidth,
}

impl EncodingTarget {
    pub fn registers(self) -> usize {
        if self.evex { 32 } else { 16 }
    }

    /// Bytes of a number.
    pub fn number(self) -> i32 {
        if self.single { 4 } else { 8 }
    }

    /// The general register of a base.
    fn register(self, base: BaseArray) -> u8 {
        match (base, self.calls) {
            // rdi, rsi, rdx, rcx: where they were given.
            (BaseArray::Inputs, false) => 7,
            (BaseArray::Results, false) => 6,
            (BaseArray::Work, false) => 2,
            (BaseArray::Numbers, false) => 1,
            // rbx, rbp, r14, r15.
            (BaseArray::Inputs, true) => 3,
            (BaseArray::Results, true) => 5,
            (BaseArray::Work, true) => 14,
            (BaseArray::Numbers, true) => 15,
        }
    }

    /// The bytes of the states that are done: r8 or r12.
    fn state(self) -> u8 {
        if self.calls { 12 } else { 8 }
    }
}

/// Machine code being assembled.
#[derive(Debug)]
pub(crate) struct Assembler {
    bytes: Vec<u8>,
    target: EncodingTarget,
    /// Where the loop begins.
    top: usize,
}

impl Assembler {
    pub fn new(target: EncodingTarget) -> Self {
        let mut code = Self { bytes: Vec::new(), target, top: 0 };
        if target.calls {
            // Keep what the caller keeps; the stack is then at a multiple of 16, as a call wants it.
            code.raw(&[0x53, 0x55, 0x41, 0x56, 0x41, 0x57]); // push rbx; push rbp; push r14; push r15
            code.raw(&[0x41, 0x54, 0x41, 0x55]); // push r12; push r13
            code.raw(&[0x48, 0x83, 0xec, 0x08]); // sub rsp, 8
            code.raw(&[0x48, 0x89, 0xfb]); // mov rbx, rdi
            code.raw(&[0x48, 0x89, 0xf5]); // mov rbp, rsi
            code.raw(&[0x49, 0x89, 0xd6]); // mov r14, rdx
            code.raw(&[0x49, 0x89, 0xcf]); // mov r15, rcx
            code.raw(&[0x4d, 0x89, 0xc5]); // mov r13, r8
            code.raw(&[0x45, 0x31, 0xe4]); // xor r12d, r12d
        } else if target.width == Width::Rows {
            code.raw(&[0x53]); // push rbx
            code.raw(&[0x4d, 0x8b, 0x08]); // mov r9, [r8]
            code.raw(&[0x4d, 0x8b, 0x50, 0x08]); // mov r10, [r8 + 8]
            code.raw(&[0x4d, 0x8b, 0x58, 0x10]); // mov r11, [r8 + 16]
            code.raw(&[0x45, 0x31, 0xc0]); // xor r8d, r8d
        } else if target.width == Width::Vector {
            code.raw(&[0x4d, 0x89, 0xc1]); // mov r9, r8
            code.raw(&[0x45, 0x31, 0xc0]); // xor r8d, r8d
        }
        code.top = code.bytes.len();
        code
    }

    /// The whole; a loop goes on by so many bytes of a column.
    pub fn finish(mut self, step: i32) -> Vec<u8> {
        if self.target.width != Width::One {
            let calls = self.target.calls;
            self.raw(if calls { &[0x49, 0x81, 0xc4] } else { &[0x49, 0x81, 0xc0] }); // add r12 | r8, step
            self.raw(&step.to_le_bytes());
            self.raw(if calls { &[0x4d, 0x39, 0xec] } else { &[0x4d, 0x39, 0xc8] }); // cmp r12, r13 | r8, r9
            self.raw(&[0x0f, 0x82]); // jb top
            let back = self.top as i32 - (self.bytes.len() as i32 + 4);
            self.raw(&back.to_le_bytes());
        }
        if self.target.vector != RegisterWidth::One {
            self.raw(&[0xc5, 0xf8, 0x77]); // vzeroupper
        }
        if self.target.calls {
            self.raw(&[0x48, 0x83, 0xc4, 0x08]); // add rsp, 8
            self.raw(&[0x41, 0x5d, 0x41, 0x5c]); // pop r13; pop r12
            self.raw(&[0x41, 0x5f, 0x41, 0x5e, 0x5d, 0x5b]); // pop r15; pop r14; pop rbp; pop rbx
        } else if self.target.width == Width::Rows {
            self.raw(&[0x5b]); // pop rbx
        }
        self.raw(&[0xc3]); // ret
        self.bytes
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// An instruction: `reg` is its first operand (or what a store writes), `other` its second, `last` its third.
    fn emit(&mut self, op: Opcode, shape: RegisterWidth, reg: Register, other: Register, last: From) {
        if let From::Memory(Memory::InColumn(base, column)) = last {
            let base = self.target.register(base);
            // mov rax, [base + column]; none of the bases is r12 or rsp.
            self.raw(&[0x48 | base >> 3, 0x8b, 0b10 << 6 | base & 7]);
            self.raw(&column.to_le_bytes());
        }
        let numbers = matches!(last, From::Memory(Memory::At(BaseArray::Numbers, _)));
        let spread = self.target.evex && numbers && op.spreads && shape != RegisterWidth::One;
        let high = matches!(last, From::Register(16..)) || reg >= 16 || other >= 16;
        let evex = self.target.evex && (spread || high || shape == RegisterWidth::Zmm);
        if evex {
            self.evex(op, shape, reg, other, last, spread);
        } else {
            self.vex(op, shape, reg, other, last);
        }
    }

    /// General registers of an operand: base, index and its scale (1, 2, 4) where there is one, and the offset.
    fn addressed(&self, memory: Memory) -> (u8, Option<(u8, u8)>, i32) {
        match memory {
            Memory::At(base, offset) => (self.target.register(base), None, offset),
            Memory::AtState(base, offset) => (self.target.register(base), Some((self.target.state(), 1)), offset),
            Memory::InColumn(..) => (ADDRESS, Some((self.target.state(), 1)), 0),
            Memory::InRow(base, row, offset) => {
                let (first, stride) = (self.target.register(base), stride(base));
                let (from, rows) = match row {
                    0 | 1 | 2 | 4 => (first, row),
                    3 | 5 => (ADDRESS, row - 1),
                    _ => (SIXTH, row - 6),
                };
                (from, (rows > 0).then_some((stride, rows)), offset)
            }
        }
    }

    /// The addresses of rows 1 and 6, from which and from that of row 0 all of eight are reached.
    pub fn rows_of(&mut self, base: BaseArray) {
        let (first, stride) = (self.target.register(base), stride(base));
        self.address(ADDRESS, first, stride, 1);
        self.address(SIXTH, first, stride, 4);
        self.address(SIXTH, SIXTH, stride, 2);
    }

    /// So many rows on: 4 or 8.
    pub fn next_rows(&mut self, base: BaseArray, rows: usize) {
        let (first, stride) = (self.target.register(base), stride(base));
        for _ in 0..rows / 4 {
            self.address(first, first, stride, 4);
        }
    }

    /// d := base + scale · index, of which only the index is one of r8 to r15.
    fn address(&mut self, d: u8, base: u8, index: u8, scale: u8) {
        // lea d, [base + scale * index]
        self.raw(&[0x4a, 0x8d, d << 3 | 0b100, scale_bits(scale) | (index & 7) << 3 | base]);
    }

    fn vex(&mut self, op: Opcode, shape: RegisterWidth, reg: Register, other: Register, last: From) {
        // The highest bits of the operands and the whole of the second are written inverted.
        let inverted = |bit: u8| (bit ^ 1) & 1;
        let (x, b) = self.extended(last);
        let first = inverted(reg >> 3) << 7 | inverted(x) << 6 | inverted(b) << 5 | op.table;
        let second = op.w << 7 | (!other & 15) << 3 | shape.length() << 2 | op.prefix;
        self.raw(&[0xc4, first, second, op.byte]);
        self.operand(reg, last, 1);
    }

    fn evex(&mut self, op: Opcode, shape: RegisterWidth, reg: Register, other: Register, last: From, spread: bool) {
        let inverted = |bit: u8| (bit ^ 1) & 1;
        let (x, b) = self.extended(last);
        let first = inverted(reg >> 3) << 7 | inverted(x) << 6 | inverted(b) << 5 | inverted(reg >> 4) << 4 | op.table;
        // W says how long a number is, in every instruction.
        let second = u8::from(!self.target.single) << 7 | (!other & 15) << 3 | 1 << 2 | op.prefix;
        let third = shape.length() << 5 | u8::from(spread) << 4 | inverted(other >> 4) << 3 | op.mask;
        self.raw(&[0x62, first, second, third, op.byte]);
        // A short offset counts in what the instruction reads.
        let unit = if spread { self.target.number() } else { op.bytes };
        self.operand(reg, last, unit);
    }

    /// The bits X and B of a prefix.
    fn extended(&self, last: From) -> (u8, u8) {
        match last {
            From::Register(register) => (register >> 4 & 1, register >> 3 & 1),
            From::Memory(memory) => {
                let (base, index, _) = self.addressed(memory);
                (index.map_or(0, |(index, _)| index >> 3), base >> 3)
            }
        }
    }

    /// What follows the opcode.
    fn operand(&mut self, reg: Register, last: From, unit: i32) {
        let reg = (reg & 7) << 3;
        match last {
            From::Register(register) => self.raw(&[0b11 << 6 | reg | register & 7]),
            From::Memory(memory) => {
                let (base, index, offset) = self.addressed(memory);
                let short = (offset % unit == 0).then(|| i8::try_from(offset / unit).ok()).flatten();
                let mode: u8 = if short.is_some() { 0b01 } else { 0b10 };
                match index {
                    Some((index, scale)) => {
                        self.raw(&[mode << 6 | reg | 0b100, scale_bits(scale) | (index & 7) << 3 | base & 7]);
                    }
                    None => self.raw(&[mode << 6 | reg | base & 7]),
                }
                match short {
                    Some(short) => self.raw(&short.to_le_bytes()),
                    None => self.raw(&offset.to_le_bytes()),
                }
            }
        }
    }

    /// Arithmetic: the prefix says how long numbers are and whether there is one.
    fn arithmetic(&self, byte: u8, shape: RegisterWidth) -> Opcode {
        let prefix = match (shape == RegisterWidth::One, self.target.single) {
            (true, false) => OF_F2,
            (true, true) => OF_F3,
            (false, false) => OF_66,
            (false, true) => NONE,
        };
        let bytes = shape.bytes(self.target.number());
        Opcode { table: OF_0F, prefix, w: 0, byte, spreads: true, bytes, mask: 0 }
    }

    /// On whole registers.
    fn packed(&self, table: u8, byte: u8, w: u8, shape: RegisterWidth) -> Opcode {
        Opcode { table, prefix: OF_66, w, byte, spreads: true, bytes: shape.bytes(self.target.number()), mask: 0 }
    }

    pub fn binary(&mut self, op: Binary, shape: RegisterWidth, d: Register, a: Register, b: From) {
        let shape = if matches!(op, Binary::And | Binary::Xor) { shape.whole() } else { shape };
        self.emit(self.arithmetic(op as u8, shape), shape, d, a, b);
    }

    pub fn sqrt(&mut self, shape: RegisterWidth, d: Register, a: From) {
        // Of one number the second operand fills the rest of the register; else there is none.
        let other = if shape == RegisterWidth::One { d } else { 0 };
        self.emit(self.arithmetic(0x51, shape), shape, d, other, a);
    }

    pub fn fused(
        &mut self,
        op: FusedOperation,
        form: FusedForm,
        shape: RegisterWidth,
        d: Register,
        b: Register,
        c: From,
    ) {
        // The form 132.
        let first = match op {
            FusedOperation::Add => 0x98,
            FusedOperation::Sub => 0x9a,
            FusedOperation::Less => 0x9c,
        };
        let byte = first + form as u8 + u8::from(shape == RegisterWidth::One);
        let w = u8::from(!self.target.single);
        self.emit(self.packed(OF_0F38, byte, w, shape), shape, d, b, c);
    }

    /// d := the bits of a, so many places to the left in every number.
    pub fn shift(&mut self, shape: RegisterWidth, d: Register, a: Register, places: u8) {
        let byte = if self.target.single { 0x72 } else { 0x73 };
        // The opcode goes on in the place of a register; what is written is the second operand.
        self.emit(self.packed(OF_0F, byte, 0, shape), shape, 6, d, From::Register(a));
        self.raw(&[places]);
    }

    /// d := b where a number of `mask` is negative, else a. With EVEX the mask is that in k1.
    pub fn choose(&mut self, shape: RegisterWidth, d: Register, [a, b]: [Register; 2], mask: Register) {
        let shape = shape.whole();
        if self.target.evex {
            let op = Opcode { mask: 1, ..self.packed(OF_0F38, 0x65, u8::from(!self.target.single), shape) };
            self.evex(op, shape, d, a, From::Register(b), false);
        } else {
            let byte = if self.target.single { 0x4a } else { 0x4b };
            self.emit(self.packed(OF_0F3A, byte, 0, shape), shape, d, a, From::Register(b));
            self.raw(&[mask << 4]);
        }
    }

    /// k1 := the signs of a register. Only with EVEX.
    pub fn mask_of_signs(&mut self, shape: RegisterWidth, a: Register) {
        let w = u8::from(!self.target.single);
        let op = Opcode { table: OF_0F38, prefix: OF_F3, w, byte: 0x39, spreads: false, bytes: 0, mask: 0 };
        self.evex(op, shape, 1, 0, From::Register(a), false);
    }

    /// A mask of a < b: in k1 with EVEX, else in `d`, whose signs are set where it holds.
    pub fn less(&mut self, shape: RegisterWidth, d: Register, a: Register, b: Register) {
        let op = self.arithmetic(0xc2, shape);
        if self.target.evex {
            self.evex(op, shape, 1, a, From::Register(b), false);
        } else {
            self.emit(op, shape, d, a, From::Register(b));
        }
        self.raw(&[0x11]); // ordered, quiet
    }

    /// s := a, with its sign turned where s is negative; `sign` has the sign's bit only. Only with EVEX.
    pub fn turn(&mut self, shape: RegisterWidth, s: Register, a: Register, sign: From) {
        let op = self.packed(OF_0F3A, 0x25, u8::from(!self.target.single), shape);
        let spread = matches!(sign, From::Memory(_));
        self.evex(op, shape, s, a, sign, spread);
        self.raw(&[0x6c]); // a xor (s and sign): bits 2, 3, 5 and 6 of its table
    }

    pub fn copy(&mut self, d: Register, a: Register, shape: RegisterWidth) {
        let shape = shape.whole();
        self.emit(self.arithmetic(0x28, shape), shape, d, 0, From::Register(a));
    }

    pub fn load(&mut self, d: Register, a: Memory, shape: RegisterWidth) {
        if self.target.evex && shape != RegisterWidth::One && matches!(a, Memory::At(BaseArray::Numbers, _)) {
            // One number for the whole register.
            let byte = if self.target.single { 0x18 } else { 0x19 };
            let op = Opcode { spreads: false, bytes: self.target.number(), ..self.packed(OF_0F38, byte, 0, shape) };
            self.evex(op, shape, d, 0, From::Memory(a), false);
        } else {
            let op = Opcode { spreads: false, ..self.arithmetic(0x10, shape) };
            self.emit(op, shape, d, 0, From::Memory(a));
        }
    }

    pub fn store(&mut self, d: Memory, a: Register, shape: RegisterWidth) {
        let op = Opcode { spreads: false, ..self.arithmetic(0x11, shape) };
        self.emit(op, shape, a, 0, From::Memory(d));
    }

    /// d := the numbers of a and then those of b, which fill a half of `shape` each. Of two single numbers: `f64` only.
    pub fn join(&mut self, shape: RegisterWidth, d: Register, a: Register, b: From) {
        let op = |table, byte, w, bytes| Opcode { table, prefix: OF_66, w, byte, spreads: false, bytes, mask: 0 };
        match (shape, b) {
            (RegisterWidth::One, _) => {}
            // vunpcklpd, vmovhpd.
            (RegisterWidth::Xmm, From::Register(_)) => self.emit(op(OF_0F, 0x14, 0, 8), shape, d, a, b),
            (RegisterWidth::Xmm, From::Memory(_)) => self.emit(op(OF_0F, 0x16, 0, 8), shape, d, a, b),
            // vinsertf128 or vinsertf64x2, vinsertf64x4.
            (RegisterWidth::Ymm, _) => self.emit(op(OF_0F3A, 0x18, 0, 16), shape, d, a, b),
            (RegisterWidth::Zmm, _) => self.emit(op(OF_0F3A, 0x1a, 0, 32), shape, d, a, b),
        }
        if matches!(shape, RegisterWidth::Ymm | RegisterWidth::Zmm) {
            self.raw(&[1]);
        }
    }

    /// d := the lower or the higher numbers of each pair of a and of b, by turns.
    pub fn unpack(&mut self, high: bool, shape: RegisterWidth, d: Register, a: Register, b: Register) {
        self.emit(self.packed(OF_0F, 0x14 + u8::from(high), 1, shape), shape, d, a, From::Register(b));
    }

    /// Calls a function with an address in the work area and a count. It may change every vector register.
    pub fn call(&mut self, function: u64, offset: i32, count: u32) {
        self.raw(&[0x49, 0x8d, 0xbe]); // lea rdi, [r14 + offset]
        self.raw(&offset.to_le_bytes());
        self.raw(&[0xbe]); // mov esi, count
        self.raw(&count.to_le_bytes());
        if self.target.vector != RegisterWidth::One {
            self.raw(&[0xc5, 0xf8, 0x77]); // vzeroupper
        }
        self.raw(&[0x48, 0xb8]); // mov rax, function
        self.raw(&function.to_le_bytes());
        self.raw(&[0xff, 0xd0]); // call rax
    }
}
