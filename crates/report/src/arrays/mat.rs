//! MATLAB's files of version 5 (and 7, whose elements are packed): MathWorks, "MAT-File Format", R2024b, chapter 1.
//!
//! An element is a tag (kind, bytes) and its data. A matrix is an element of elements: flags, dimensions, name, and numbers, or
//! the fields of a structure, which are matrices again. Numbers may be stored in a smaller kind than the matrix has.

use super::numpy::number_type;
use super::{Array, ArraysError, Budget, NumberType, product};

const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;
/// Structures in structures.
const DEEPEST: usize = 16;

fn broken(problem: impl Into<String>) -> ArraysError {
    super::broken(".mat", problem)
}

/// A part of a file, read from its front.
struct MatBytes<'a> {
    bytes: &'a [u8],
    big_endian: bool,
}

impl<'a> MatBytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ArraysError> {
        let short = || broken(format!("{count} bytes are declared, but {} remain", self.bytes.len()));
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or_else(short)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u32, ArraysError> {
        Ok(super::whole(self.take(4)?, self.big_endian) as u32)
    }

    /// Kind and data of the next element.
    fn element(&mut self) -> Result<(u32, &'a [u8]), ArraysError> {
        let first = self.word()?;
        // Up to four bytes fit into their tag.
        if first >> 16 != 0 {
            let (kind, size) = (first & 0xffff, (first >> 16) as usize);
            let data = self.take(4)?;
            return Ok((kind, data.get(..size).ok_or_else(|| broken("a small element has more than 4 bytes"))?));
        }
        let size = self.word()? as usize;
        let data = self.take(size)?;
        if first != COMPRESSED {
            let padding = size.next_multiple_of(8) - size;
            self.take(padding.min(self.bytes.len()))?;
        }
        Ok((first, data))
    }
}

/// The number types by their kinds, as NumPy writes them.
const CODES: [&str; 14] = ["", "i1", "u1", "i2", "u2", "i4", "u4", "f4", "", "f8", "", "", "i8", "u8"];

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

/// The arrays of a file.
pub fn read(bytes: &[u8], budget: &mut Budget, notes: &mut Vec<String>) -> Result<Vec<Array>, ArraysError> {
    if bytes.starts_with(b"\x89HDF") || bytes.starts_with(b"MATLAB 7.3") {
        let hint = "save it by `save(name, '-v7')` in MATLAB, or by scipy.io.savemat";
        return Err(super::not_read("it is a MAT-file of version 7.3, which is HDF5", hint));
    }
    let big_endian = match bytes.get(124..128) {
        Some([_, 1, b'I', b'M']) => false,
        Some([1, _, b'M', b'I']) => true,
        _ => return Err(broken("its header has no version 5 mark")),
    };
    let mut file = MatBytes { bytes: bytes.get(128..).unwrap_or_default(), big_endian };
    let mut found = Vec::new();
    while !file.bytes.is_empty() {
        let (mut code, mut data) = file.element()?;
        let plain;
        if code == COMPRESSED {
            let failed = |error| broken(format!("a compressed element: {error}"));
            plain = budget.unpacked(flate2::read::ZlibDecoder::new(data), failed)?;
            (code, data) = MatBytes { bytes: &plain, big_endian }.element()?;
        }
        element(code, data, big_endian, &[], budget, notes, &mut found)?;
    }
    Ok(found)
}

/// One element: matrices count, the rest is passed over.
fn element(
    code: u32,
    data: &[u8],
    big_endian: bool,
    path: &[String],
    budget: &mut Budget,
    notes: &mut Vec<String>,
    found: &mut Vec<Array>,
) -> Result<(), ArraysError> {
    // A field that was never set has no bytes at all.
    if code != MATRIX || data.is_empty() {
        return Ok(());
    }
    if path.len() > DEEPEST {
        return Err(broken(format!("structures nested deeper than {DEEPEST}")));
    }
    let mut part = MatBytes { bytes: data, big_endian };
    let (_, flags) = part.element()?;
    let flags = NumberType::U32.number(flags, big_endian).ok_or_else(|| broken("an array has no flags"))? as u32;
    let class = flags & 0xff;
    // Tables, time series and strings of MATLAB's own are not laid out as arrays.
    let (shape, name) = if class == 17 {
        (Vec::new(), "an object of MATLAB".to_owned())
    } else {
        let (_, sides) = part.element()?;
        let sides = budget.numbers(sides.len() / 4, NumberType::I32.numbers(sides, big_endian))?;
        if sides.iter().any(|side| *side < 0.0) {
            return Err(broken("an array dimension is negative"));
        }
        let (_, name) = part.element()?;
        (sides.iter().map(|side| *side as usize).collect::<Vec<_>>(), text(name))
    };
    // A field has the name that its structure gives it, which is in the path already.
    let mut own: Vec<String> = path.to_vec();
    if path.is_empty() || !name.is_empty() {
        own.push(name.clone());
    }
    // Its names, and the note that it is left out.
    budget.hold_names(&own)?;
    budget.hold_names(&own)?;
    let count = product(&shape).unwrap_or(usize::MAX);
    let mut leave = |why: &str| notes.push(format!("`{}` is left out: {why}", own.join(".")));
    match class {
        2 | 3 if count == 1 => {
            if class == 3 {
                part.element()?;
            }
            let (_, width) = part.element()?;
            let width = NumberType::I32.number(width, big_endian).unwrap_or(0.0) as usize;
            let (_, names) = part.element()?;
            if width == 0 || width > 4096 {
                return Err(broken(format!("the field names of a structure have {width} bytes")));
            }
            for name in names.chunks_exact(width).map(text).collect::<Vec<_>>() {
                let (code, data) = part.element()?;
                let inner: Vec<String> = own.iter().cloned().chain([name]).collect();
                budget.hold_names(&inner)?;
                element(code, data, big_endian, &inner, budget, notes, found)?;
            }
        }
        2 | 3 => leave("it is an array of structures"),
        6..=15 => {
            let (code, data) = part.element()?;
            let stored = CODES.get(code as usize).and_then(|code| number_type(code).ok());
            let (stored, _) = stored.ok_or_else(|| broken(format!("unknown number type {code}")))?;
            let (name, numbers) = (own.join("."), data.len() / stored.size);
            if numbers != count {
                return Err(broken(format!("`{name}` has {numbers} numbers, but its dimensions make {count}")));
            }
            if flags & 0x800 != 0 {
                leave("its numbers are complex");
            } else if count > 0 {
                let values = budget.numbers(count, stored.numbers(data, big_endian))?;
                found.push(Array { path: own, shape, values, row_major: false });
            }
        }
        1 => leave("it is a cell array"),
        4 => {}
        5 => leave("it is sparse"),
        17 => leave("a table, time series or string; save its numbers as arrays"),
        other => leave(&format!("its class is {other}")),
    }
    Ok(())
}
