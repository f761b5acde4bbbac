//! The few instructions of x86-64 that straight-line arithmetic needs, as bytes: AVX and FMA on one number (`sd`) or on four
//! (`pd`, 256 bits), and what a call takes. After Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, 2.3
//! (the VEX prefix) and the pages of the instructions.

/// A vector register, 0 to 15.
pub(crate) type Register = u8;

/// A general register that points to an array, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// rbx.
    Inputs = 3,
    /// rbp.
    Results = 5,
    /// r14.
    Work = 14,
    /// r15.
    Numbers = 15,
}

/// A place in memory: so many bytes behind a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    pub base: Base,
    pub offset: i32,
}

/// The last operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    Register(Register),
    Memory(Memory),
}

/// a ∘ b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add = 0x58,
    Mul = 0x59,
    Sub = 0x5c,
    Div = 0x5e,
}

/// ±x y ± z in one rounding, by its first opcode (the form 132).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fused {
    /// x y + z.
    Add = 0x98,
    /// x y − z.
    Sub = 0x9a,
    /// z − x y.
    Less = 0x9c,
}

/// Which of the three operands of a fused instruction is overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// d := d · c ± b.
    Factor = 0x00,
    /// d := b · d ± c.
    FactorOf = 0x10,
    /// d := b · c ± d.
    Term = 0x20,
}

/// What a VEX prefix says of an opcode: its table, its mandatory prefix, its W bit.
#[derive(Clone, Copy)]
struct Opcode {
    table: u8,
    prefix: u8,
    w: u8,
    byte: u8,
}

const OF_66: u8 = 1;
const OF_F2: u8 = 3;

/// Code under way.
#[derive(Debug)]
pub(crate) struct Code {
    pub bytes: Vec<u8>,
    /// Four numbers at a time, or one.
    wide: bool,
}

impl Code {
    pub fn new(wide: bool) -> Self {
        let mut code = Self { bytes: Vec::new(), wide };
        // Keep what the caller keeps, and eight bytes more: a call wants the stack at a multiple of 16.
        code.raw(&[0x53, 0x55, 0x41, 0x56, 0x41, 0x57]); // push rbx; push rbp; push r14; push r15
        code.raw(&[0x48, 0x83, 0xec, 0x08]); // sub rsp, 8
        code.raw(&[0x48, 0x89, 0xfb]); // mov rbx, rdi
        code.raw(&[0x48, 0x89, 0xf5]); // mov rbp, rsi
        code.raw(&[0x49, 0x89, 0xd6]); // mov r14, rdx
        code.raw(&[0x49, 0x89, 0xcf]); // mov r15, rcx
        code
    }

    pub fn finish(mut self) -> Vec<u8> {
        if self.wide {
            self.raw(&[0xc5, 0xf8, 0x77]); // vzeroupper
        }
        self.raw(&[0x48, 0x83, 0xc4, 0x08]); // add rsp, 8
        self.raw(&[0x41, 0x5f, 0x41, 0x5e, 0x5d, 0x5b, 0xc3]); // pop r15; pop r14; pop rbp; pop rbx; ret
        self.bytes
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// A VEX instruction: `reg` is its first operand (or what a store writes), `other` its second, `last` its third.
    fn vex(&mut self, op: Opcode, wide: bool, reg: Register, other: Register, last: From) {
        let number = match last {
            From::Register(register) => register,
            From::Memory(memory) => memory.base as u8,
        };
        // The highest bits of the operands and the whole of the second are written inverted.
        let inverted = |bit: u8| (bit ^ 1) & 1;
        let high = inverted(reg >> 3) << 7 | 1 << 6 | inverted(number >> 3) << 5 | op.table;
        let low = op.w << 7 | (!other & 15) << 3 | u8::from(wide) << 2 | op.prefix;
        let mode = if matches!(last, From::Register(_)) { 0b11 } else { 0b10 };
        self.raw(&[0xc4, high, low, op.byte, mode << 6 | (reg & 7) << 3 | number & 7]);
        if let From::Memory(memory) = last {
            self.raw(&memory.offset.to_le_bytes());
        }
    }

    /// One number has the prefix F2, four have 66.
    fn arithmetic(&self, byte: u8) -> Opcode {
        Opcode { table: 1, prefix: if self.wide { OF_66 } else { OF_F2 }, w: 0, byte }
    }

    pub fn binary(&mut self, op: Binary, d: Register, a: Register, b: From) {
        self.vex(self.arithmetic(op as u8), self.wide, d, a, b);
    }

    pub fn sqrt(&mut self, d: Register, a: From) {
        // Of one number the second operand fills the rest of the register; of four there is none.
        let other = if self.wide { 0 } else { d };
        self.vex(self.arithmetic(0x51), self.wide, d, other, a);
    }

    pub fn fused(&mut self, op: Fused, form: Form, d: Register, b: Register, c: From) {
        let byte = op as u8 + form as u8 + u8::from(!self.wide);
        self.vex(Opcode { table: 2, prefix: OF_66, w: 1, byte }, self.wide, d, b, c);
    }

    /// d := a with the bits of b turned over, over a whole register (of one number: two).
    pub fn turn(&mut self, d: Register, a: Register, b: Memory) {
        self.vex(Opcode { table: 1, prefix: OF_66, w: 0, byte: 0x57 }, self.wide, d, a, From::Memory(b));
    }

    /// d := all bits where a < b.
    pub fn less(&mut self, d: Register, a: Register, b: From) {
        self.vex(self.arithmetic(0xc2), self.wide, d, a, b);
        self.raw(&[0x11]); // ordered, quiet
    }

    /// d := b where the mask has bits, else a. All are registers: of one number a whole register is read.
    pub fn choose(&mut self, d: Register, a: Register, b: Register, mask: Register) {
        self.vex(Opcode { table: 3, prefix: OF_66, w: 0, byte: 0x4b }, self.wide, d, a, From::Register(b));
        self.raw(&[mask << 4]);
    }

    pub fn copy(&mut self, d: Register, a: Register) {
        self.vex(Opcode { table: 1, prefix: OF_66, w: 0, byte: 0x28 }, self.wide, d, 0, From::Register(a));
    }

    pub fn load(&mut self, d: Register, a: Memory) {
        self.vex(self.arithmetic(0x10), self.wide, d, 0, From::Memory(a));
    }

    pub fn store(&mut self, d: Memory, a: Register) {
        self.vex(self.arithmetic(0x11), self.wide, a, 0, From::Memory(d));
    }

    /// Calls a function with an address in the work area and a count. It may change every vector register.
    pub fn call(&mut self, function: u64, offset: i32, count: u32) {
        self.raw(&[0x49, 0x8d, 0xbe]); // lea rdi, [r14 + offset]
        self.raw(&offset.to_le_bytes());
        self.raw(&[0xbe]); // mov esi, count
        self.raw(&count.to_le_bytes());
        if self.wide {
            self.raw(&[0xc5, 0xf8, 0x77]); // vzeroupper
        }
        self.raw(&[0x48, 0xb8]); // mov rax, function
        self.raw(&function.to_le_bytes());
        self.raw(&[0xff, 0xd0]); // call rax
    }
}
