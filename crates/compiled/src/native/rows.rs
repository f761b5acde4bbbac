//! States as rows: what code for a vector of states needs is transposed in registers on its way into the work area and out of it. So one state's
//! transposition overlaps another's arithmetic.

use super::encode::{Assembler, BaseArray, From, Memory, Register, RegisterWidth};

/// Bytes of a number: rows are `f64`.
const NUMBER: i32 = 8;

/// Where columns of a vector of states are in the work area, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnBlock {
    /// Bytes in front of the first.
    pub start: i32,
    /// How many.
    pub count: usize,
    /// States in each: 4 or 8.
    pub states: usize,
}

impl ColumnBlock {
    /// So many states behind the beginning of a column.
    pub fn at(&self, column: usize, state: usize) -> Memory {
        Memory::At(BaseArray::Work, self.start + NUMBER * (column * self.states + state) as i32)
    }

    /// Bytes of all.
    pub fn bytes(&self) -> i32 {
        NUMBER * (self.count * self.states) as i32
    }
}

/// The first components of blocks of N; the last may overlap the one before: it is read or written twice.
fn starts<const N: usize>(width: usize) -> impl Iterator<Item = usize> {
    (0..width).step_by(N).map(move |c| c.min(width - N))
}

fn in_row(base: BaseArray, row: usize, component: usize) -> Memory {
    Memory::InRow(base, row as u8, NUMBER * component as i32)
}

/// Two numbers of one place and two of another: four in a register.
fn pairs(code: &mut Assembler, d: Register, low: Memory, high: Memory) -> Register {
    code.load(d, low, RegisterWidth::Xmm);
    code.join(RegisterWidth::Ymm, d, d, From::Memory(high));
    d
}

/// Rows of inputs, at least two in each, into columns.
pub(crate) fn gather(code: &mut Assembler, columns: ColumnBlock) {
    code.rows_of(BaseArray::Inputs);
    for (block, c) in starts::<2>(columns.count).enumerate() {
        let row = |row| in_row(BaseArray::Inputs, row, c);
        // Registers by turns, so that no block waits for another.
        let [a, b, x, y] = [0, 1, 2, 3].map(|k| (4 * (block % 4) + k) as Register);
        pairs(code, a, row(0), row(2));
        pairs(code, b, row(1), row(3));
        let shape = if columns.states == 8 {
            pairs(code, x, row(4), row(6));
            pairs(code, y, row(5), row(7));
            code.join(RegisterWidth::Zmm, a, a, From::Register(x));
            code.join(RegisterWidth::Zmm, b, b, From::Register(y));
            RegisterWidth::Zmm
        } else {
            RegisterWidth::Ymm
        };
        for (high, d) in [(false, x), (true, y)] {
            code.unpack(high, shape, d, a, b);
            code.store(columns.at(c + usize::from(high), 0), d, shape);
        }
    }
    code.next_rows(BaseArray::Inputs, columns.states);
}

/// Columns into rows of results, at least two in each.
pub(crate) fn scatter(code: &mut Assembler, columns: ColumnBlock) {
    code.rows_of(BaseArray::Results);
    if columns.count < 4 {
        scatter_blocks::<2>(code, columns)
    } else {
        scatter_blocks::<4>(code, columns)
    }
    code.next_rows(BaseArray::Results, columns.states);
}

/// By 2 or by 4 components.
fn scatter_blocks<const SIZE: usize>(code: &mut Assembler, columns: ColumnBlock) {
    for (block, c) in starts::<SIZE>(columns.count).enumerate() {
        for state in (0..columns.states).step_by(2) {
            let [a, b, x, y] = [0, 1, 2, 3].map(|k| (4 * ((block + state / 2) % 4) + k) as Register);
            let column = |k: usize| columns.at(c + k, state);
            let shape = if SIZE == 4 {
                pairs(code, a, column(0), column(2));
                pairs(code, b, column(1), column(3));
                RegisterWidth::Ymm
            } else {
                code.load(a, column(0), RegisterWidth::Xmm);
                code.load(b, column(1), RegisterWidth::Xmm);
                RegisterWidth::Xmm
            };
            for (high, d) in [(false, x), (true, y)] {
                code.unpack(high, shape, d, a, b);
                code.store(in_row(BaseArray::Results, state + usize::from(high), c), d, shape);
            }
        }
    }
}
