//! Tables out of files of arrays: MATLAB's `.mat` (version 5, which scipy and Octave write too), NumPy's `.npy` and `.npz`.
//!
//! Such a file has arrays with names. Its rows are along the longest side of all: an array `q` of n × 6 or 6 × n numbers
//! becomes the columns `q1` … `q6`, one of n numbers the column of its name; a field of a structure has its own name, or
//! with its structure's where two are alike. What has no side of n is left out and named.
//!
//! Read here since `matrw` 0.1.4 refuses the header of every file that scipy writes, and `npyz` 0.9 brings 60 crates to build.
//! A file that is cut off or lies about its sizes ends in an error, without a panic or more memory than its numbers take.

mod mat;
mod numpy;

use crate::table::{Columns, CsvLines};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Read};

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // of the fields: the texts name them
pub enum ArraysError {
    /// The file.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It is not what its name says, or cut off.
    #[error("not a {format} file, or a broken one: {problem}")]
    Broken { format: &'static str, problem: String },
    /// A kind of file that is not read.
    #[error("{problem}")]
    NotRead { problem: String, hint: &'static str },
    /// More than is read, or than there is memory for.
    #[error("the file has more than {most} bytes of numbers")]
    TooLarge { most: u64 },
}

impl ArraysError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotRead { hint, .. } => Some(hint),
            Self::TooLarge { .. } => Some("write it as Parquet, or in parts"),
            _ => None,
        }
    }
}

/// Bytes that a file may have, that it may become when it is unpacked, and that its numbers may take as numbers of eight bytes,
/// unless one says otherwise.
pub const MAX_BYTES: u64 = 2 << 30;
/// Columns that an array may become.
const MAX_COLUMNS: usize = 256;

/// An array with its name.
#[derive(Debug)]
struct Array {
    /// Its structures and itself, outermost first; the last is empty where it has no name.
    path: Vec<String>,
    shape: Vec<usize>,
    values: Vec<f64>,
    /// Whether the last side runs fastest; else the first does.
    row_major: bool,
}

/// Whether the ending of a file's name says that it has arrays.
pub fn is_arrays(ending: &str) -> bool {
    matches!(ending, "mat" | "npy" | "npz")
}

/// Reads the table of a file with one of the endings of [`is_arrays`].
pub fn read(ending: &str, input: impl Read) -> Result<Columns, ArraysError> {
    read_within(ending, input, MAX_BYTES)
}

/// The same of a file that has, becomes when it is unpacked, and becomes as numbers at most so many bytes each.
pub fn read_within(ending: &str, input: impl Read, most: u64) -> Result<Columns, ArraysError> {
    let bytes = Budget::new(most).unpacked(input, ArraysError::Read)?;
    let mut budget = Budget::new(most);
    let mut notes = Vec::new();
    let arrays = match ending {
        "mat" => mat::read(&bytes, &mut budget, &mut notes)?,
        "npz" => numpy::read_archive(&bytes, &mut budget, &mut notes)?,
        _ => numpy::read(&bytes, "", &mut budget)?,
    };
    drop(bytes);
    table(arrays, notes)
}

fn broken(format: &'static str, problem: impl Into<String>) -> ArraysError {
    ArraysError::Broken { format, problem: problem.into() }
}

fn not_read(problem: impl Into<String>, hint: &'static str) -> ArraysError {
    ArraysError::NotRead { problem: problem.into(), hint }
}

/// What a file may still take: whatever it announces and however it is packed.
struct Budget {
    most: u64,
    /// Bytes that are unpacked.
    packed: u64,
    /// Bytes of numbers, names and notes.
    held: u64,
}

impl Budget {
    fn new(most: u64) -> Self {
        Self { most, packed: most, held: most }
    }

    fn exceeded(most: u64) -> ArraysError {
        ArraysError::TooLarge { most }
    }

    /// All bytes of an input.
    fn unpacked(&mut self, from: impl Read, failed: impl Fn(io::Error) -> ArraysError) -> Result<Vec<u8>, ArraysError> {
        let mut bytes = Vec::new();
        from.take(self.packed + 1).read_to_end(&mut bytes).map_err(failed)?;
        let left = self.packed.checked_sub(bytes.len() as u64);
        self.packed = left.ok_or_else(|| Self::exceeded(self.most))?;
        Ok(bytes)
    }

    /// Memory of the arrays themselves.
    fn hold(&mut self, bytes: usize) -> Result<(), ArraysError> {
        self.held = self.held.checked_sub(bytes as u64).ok_or_else(|| Self::exceeded(self.most))?;
        Ok(())
    }

    /// A field or array with its names: they are cloned for every one.
    fn hold_names(&mut self, path: &[String]) -> Result<(), ArraysError> {
        self.hold(path.iter().map(|name| 32 + name.len()).sum::<usize>() + 128)
    }

    /// So many numbers.
    fn numbers(&mut self, count: usize, all: impl Iterator<Item = f64>) -> Result<Vec<f64>, ArraysError> {
        self.hold(count.saturating_mul(size_of::<f64>()))?;
        collected(count, all)
    }
}

/// So many numbers; an error where there is no memory for them.
fn collected(count: usize, all: impl Iterator<Item = f64>) -> Result<Vec<f64>, ArraysError> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|_| Budget::exceeded(8 * count as u64))?;
    values.extend(all.take(count));
    Ok(values)
}

fn table(arrays: Vec<Array>, notes: Vec<String>) -> Result<Columns, ArraysError> {
    let rows = arrays.iter().flat_map(|array| array.shape.iter().copied()).max().unwrap_or(0);
    let mut all = Columns { notes, ..Columns::default() };
    let mut alike: HashMap<String, usize> = HashMap::new();
    for array in &arrays {
        *alike.entry(array.path.last().cloned().unwrap_or_default()).or_default() += 1;
    }
    for array in arrays {
        let own = array.path.last().map_or("", String::as_str);
        let name = if alike[own] > 1 { array.path.join("_") } else { own.to_owned() };
        let sides: Vec<usize> = array.shape.iter().copied().filter(|side| *side != 1).collect();
        let said = || array.shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
        // How many columns, and whether the numbers of a row are next to each other.
        let (columns, interleaved) = match sides[..] {
            [first] if first == rows => (1, false),
            [first, columns] if first == rows => (columns, array.row_major),
            [columns, last] if last == rows => (columns, !array.row_major),
            [] if rows == 1 => (1, false),
            _ => {
                all.notes.push(format!("`{name}` ({}) is left out: it has no side of {rows}", said()));
                continue;
            }
        };
        if columns > MAX_COLUMNS {
            all.notes.push(format!("`{name}` ({}) is left out: it has more than {MAX_COLUMNS} columns", said()));
            continue;
        }
        for k in 0..columns {
            let (start, step) = if interleaved { (k, columns) } else { (k * rows, 1) };
            all.values.push(collected(rows, array.values[start..].iter().step_by(step).copied())?);
            all.names.push(match (columns, name.is_empty()) {
                (1, false) => name.clone(),
                _ => format!("{name}{}", k + 1),
            });
        }
    }
    if all.names.is_empty() {
        let hint = "save times, positions and torques as numeric arrays with a row, or a column, for each sample";
        return Err(not_read("it contains no numeric array", hint));
    }
    Ok(all)
}

/// The same as lines of CSV, for readers of tables.
pub fn to_csv(table: Columns) -> impl Read + Send {
    let mut rows = 0..table.rows();
    let Columns { names, values, .. } = table;
    CsvLines::new(names.iter().map(String::as_str), move |lines| {
        for row in rows.by_ref().take(1024) {
            for (k, column) in values.iter().enumerate() {
                // Writing to a string does not fail.
                let _ = write!(lines, "{}{}", if k > 0 { "," } else { "" }, column[row]);
            }
            lines.push('\n');
        }
        Ok(())
    })
}

/// How a number is stored.
#[derive(Clone, Copy, Debug)]
struct NumberType {
    kind: NumberKind,
    /// Bytes: 1, 2, 4 or 8.
    size: usize,
}

#[derive(Clone, Copy, Debug)]
enum NumberKind {
    Float,
    Signed,
    Unsigned,
}

impl NumberType {
    const I32: Self = Self { kind: NumberKind::Signed, size: 4 };
    const U32: Self = Self { kind: NumberKind::Unsigned, size: 4 };

    /// The number at the start of some bytes; none where there are too few.
    fn number(self, bytes: &[u8], big_endian: bool) -> Option<f64> {
        let bits = whole(bytes.get(..self.size)?, big_endian);
        let unused = 64 - 8 * self.size;
        Some(match self.kind {
            NumberKind::Float if self.size == 4 => f64::from(f32::from_bits(bits as u32)),
            NumberKind::Float => f64::from_bits(bits),
            NumberKind::Signed => ((bits << unused) as i64 >> unused) as f64,
            NumberKind::Unsigned => bits as f64,
        })
    }

    fn numbers(self, bytes: &[u8], big_endian: bool) -> impl Iterator<Item = f64> {
        bytes.chunks_exact(self.size).filter_map(move |own| self.number(own, big_endian))
    }
}

/// The whole number that at most eight bytes are.
fn whole(bytes: &[u8], big_endian: bool) -> u64 {
    let append = |all: u64, byte: &u8| all << 8 | u64::from(*byte);
    if big_endian { bytes.iter().fold(0, append) } else { bytes.iter().rev().fold(0, append) }
}

/// How many numbers an array of these sides has.
fn product(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |all, side| all.checked_mul(*side))
}
