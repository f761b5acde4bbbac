//! Tables out of files of arrays: MATLAB's `.mat` (version 5, which scipy and Octave write too), NumPy's `.npy` and `.npz`.
//!
//! Such a file has arrays with names. Its rows are along the longest side of all: an array `q` of n × 6 or 6 × n numbers
//! becomes the columns `q1` … `q6`, one of n numbers the column of its name; a field of a structure has its own name, or
//! with its structure's where two are alike. What has no side of n is left out and named.
//!
//! Both formats are read here and not by a crate: `matrw` 0.1.4 refuses the header of every file that scipy writes. `npyz` 0.9
//! with `.npz` brings 60 crates to build (a parser generator, encryption, C sources), and element types have to be told apart here
//! anyway. A file that is cut off or lies about its sizes ends in an error, without a panic or more memory than its numbers take.

mod mat;
mod numpy;

use std::io::{self, Read};

/// A table of numbers. What is no number is NaN.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArrayTable {
    /// Of the columns; `1`, `2` … where the array has no name.
    pub names: Vec<String>,
    /// One for each name.
    pub values: Vec<Vec<f64>>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
pub enum ArraysError {
    /// The file.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It is not what its name says, or cut off.
    #[error("not a {format} file, or a broken one: {problem}")]
    Broken {
        /// `.mat`, `.npy`, `.npz`.
        format: &'static str,
        /// Where it goes wrong.
        problem: String,
    },
    /// A kind of file that is not read.
    #[error("{problem}")]
    NotRead {
        /// What it is.
        problem: String,
        /// What to do.
        hint: &'static str,
    },
}

impl ArraysError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotRead { hint, .. } => Some(hint),
            _ => None,
        }
    }
}

/// Bytes that a file may have, and that it may become when it is unpacked, unless one says otherwise.
pub const MOST_BYTES: u64 = 2 << 30;
/// Columns that an array may become.
const MOST_COLUMNS: usize = 256;

/// An array with its name; numbers column by column.
#[derive(Debug)]
struct Array {
    /// Its structures and itself, outermost first; the last is empty where it has no name.
    path: Vec<String>,
    shape: Vec<usize>,
    values: Vec<f64>,
}

/// Whether the ending of a file's name says that it has arrays.
pub fn is_arrays(ending: &str) -> bool {
    matches!(ending, "mat" | "npy" | "npz")
}

/// Reads the table of a file with one of the endings of [`is_arrays`].
pub fn read(ending: &str, input: impl Read) -> Result<ArrayTable, ArraysError> {
    read_within(ending, input, MOST_BYTES)
}

/// The same of a file that has, and becomes when it is unpacked, at most so many bytes.
pub fn read_within(ending: &str, input: impl Read, most: u64) -> Result<ArrayTable, ArraysError> {
    let bytes = unpacked(input, most)?;
    let mut notes = Vec::new();
    let arrays = match ending {
        "mat" => mat::read(&bytes, most, &mut notes)?,
        "npz" => numpy::read_archive(&bytes, most, &mut notes)?,
        _ => numpy::read(&bytes, "")?,
    };
    table(arrays, notes)
}

fn too_large(most: u64) -> ArraysError {
    ArraysError::NotRead {
        problem: format!("the file has more than {most} bytes of numbers"),
        hint: "write it as Parquet, or in parts",
    }
}

/// Unpacks at most `most` bytes.
fn unpacked(from: impl Read, most: u64) -> Result<Vec<u8>, ArraysError> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

fn table(arrays: Vec<Array>, notes: Vec<String>) -> Result<ArrayTable, ArraysError> {
    let rows = arrays.iter().flat_map(|array| array.shape.iter().copied()).max().unwrap_or(0);
    let mut all = ArrayTable { notes, ..ArrayTable::default() };
    let leaf = |array: &Array| array.path.last().cloned().unwrap_or_default();
    let leaves: Vec<String> = arrays.iter().map(leaf).collect();
    for (array, own) in arrays.iter().zip(&leaves) {
        let alike = leaves.iter().filter(|other| *other == own).count() > 1;
        let name = if alike { array.path.join("_") } else { own.clone() };
        let sides: Vec<usize> = array.shape.iter().copied().filter(|side| *side != 1).collect();
        let said = || array.shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
        let (columns, stride) = match sides[..] {
            // Rows of one array below each other, or beside each other.
            [first] if first == rows => (1, 1),
            [first, columns] if first == rows => (columns, 1),
            [columns, last] if last == rows => (columns, columns),
            [] if rows == 1 => (1, 1),
            _ => {
                all.notes.push(format!("`{name}` ({}) is left out: it has no side of {rows}", said()));
                continue;
            }
        };
        if columns > MOST_COLUMNS {
            all.notes.push(format!("`{name}` ({}) is left out: it has more than {MOST_COLUMNS} columns", said()));
            continue;
        }
        for k in 0..columns {
            let start = if stride == 1 { k * rows } else { k };
            all.values.push((0..rows).map(|row| array.values[start + row * stride]).collect());
            all.names.push(match (columns, name.is_empty()) {
                (1, false) => name.clone(),
                _ => format!("{name}{}", k + 1),
            });
        }
    }
    if all.names.is_empty() {
        return Err(ArraysError::NotRead {
            problem: "there is no array of numbers in it".into(),
            hint: "save times, positions and torques as numeric arrays with a row, or a column, for each sample",
        });
    }
    Ok(all)
}

/// The same as lines of CSV, for whoever reads tables row by row.
#[derive(Debug)]
pub struct ArrayCsv {
    table: ArrayTable,
    row: usize,
    line: String,
    given: usize,
}

impl ArrayCsv {
    /// From the names on.
    pub fn new(table: ArrayTable) -> Self {
        let mut line = String::new();
        for (k, name) in table.names.iter().enumerate() {
            if k > 0 {
                line.push(',');
            }
            crate::table::push_field(&mut line, name);
        }
        line.push('\n');
        Self { table, row: 0, line, given: 0 }
    }
}

impl Read for ArrayCsv {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use std::fmt::Write as _;
        if self.given == self.line.len() {
            self.line.clear();
            self.given = 0;
            let rows = self.table.values.first().map_or(0, Vec::len);
            while self.row < rows && self.line.len() < buffer.len() {
                for (k, column) in self.table.values.iter().enumerate() {
                    let comma = if k > 0 { "," } else { "" };
                    // Writing to a string cannot fail.
                    let _ = write!(self.line, "{comma}{}", column[self.row]);
                }
                self.line.push('\n');
                self.row += 1;
            }
        }
        let count = buffer.len().min(self.line.len() - self.given);
        buffer[..count].copy_from_slice(&self.line.as_bytes()[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

/// A number of a kind, at the start of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberType {
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl NumberType {
    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// None where there are too few bytes.
    fn number(self, bytes: &[u8], big_endian: bool) -> Option<f64> {
        let own = bytes.get(..self.size())?;
        let mut little = [0; 8];
        for (k, byte) in own.iter().enumerate() {
            little[if big_endian { own.len() - 1 - k } else { k }] = *byte;
        }
        let whole = u64::from_le_bytes(little);
        Some(match self {
            Self::F32 => f64::from(f32::from_bits(whole as u32)),
            Self::F64 => f64::from_bits(whole),
            Self::I8 => f64::from(whole as u8 as i8),
            Self::I16 => f64::from(whole as u16 as i16),
            Self::I32 => f64::from(whole as u32 as i32),
            Self::I64 => whole as i64 as f64,
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => whole as f64,
        })
    }

    fn numbers(self, bytes: &[u8], big_endian: bool) -> Vec<f64> {
        bytes.chunks_exact(self.size()).filter_map(|own| self.number(own, big_endian)).collect()
    }
}
