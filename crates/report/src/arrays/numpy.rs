//! NumPy's files: an array with a head in Python's words (`.npy`, NEP 1), and archives of them (`.npz`, which is ZIP).

use super::{Array, ArraysError, Budget, NumberKind, NumberType, broken, not_read, product, whole};
use serde_json::Value;
use std::borrow::Cow;

/// Dimensions of an array; fields of a record.
const MAX_ENTRIES: usize = 1024;

/// A header as JSON: a Python literal has other brackets and quotes, and commas after the last entry.
fn parse_header(header: &str) -> Option<Value> {
    let plain = |part: &str| {
        let dense: String = part.chars().filter(|c| !c.is_whitespace() && *c != 'L').collect();
        let brackets = dense.replace('(', "[").replace(')', "]").replace(",]", "]").replace(",}", "}");
        brackets.replace("True", "true").replace("False", "false")
    };
    let (mut json, mut rest) = (String::new(), header);
    while let Some(at) = rest.find(['\'', '"']) {
        let (text, after) = rest[at + 1..].split_once(&rest[at..=at])?;
        json += &(plain(&rest[..at]) + &Value::from(text).to_string());
        rest = after;
    }
    serde_json::from_str(&(json + &plain(rest))).ok().filter(Value::is_object)
}

/// The sides of an array; one number is one side.
fn sides(shape: &Value) -> Option<Vec<usize>> {
    let side = |value: &Value| usize::try_from(value.as_u64()?).ok();
    match shape.as_array() {
        Some(all) if all.len() > MAX_ENTRIES => None,
        Some(all) => all.iter().map(side).collect(),
        None => Some(vec![side(shape)?]),
    }
}

/// Numbers of a record: where they start in it, and how many there are.
struct RecordField {
    name: String,
    stored: NumberType,
    big_endian: bool,
    start: usize,
    shape: Vec<usize>,
}

/// The type of `<f8`, and whether it is big-endian; none: text or objects, with their size in bytes if known.
pub(super) fn number_type(code: &str) -> Result<(NumberType, bool), Option<usize>> {
    let plain = code.trim_start_matches(['<', '>', '|', '=']);
    let size = plain.get(1..).and_then(|size| size.parse::<usize>().ok());
    let kind = match (plain.chars().next(), size) {
        (Some('f'), Some(4 | 8)) => NumberKind::Float,
        (Some('i'), Some(1 | 2 | 4 | 8)) => NumberKind::Signed,
        (Some('u'), Some(1 | 2 | 4 | 8)) | (Some('b'), Some(1)) => NumberKind::Unsigned,
        (letter, size) => return Err(size.and_then(|size| size.checked_mul(if letter == Some('U') { 4 } else { 1 }))),
    };
    Ok((NumberType { kind, size: size.unwrap_or(1) }, code.starts_with('>')))
}

/// The fields of a type, and the bytes of a record.
fn fields(of: &Value) -> Result<(Vec<RecordField>, usize), ArraysError> {
    let wrong = |problem: &str| broken(NPY, problem);
    let no_number = |code: &str| {
        not_read(format!("its element type is `{code}`"), "save it with real numbers: array.astype(float)")
    };
    if let Some(code) = of.as_str() {
        let (stored, big_endian) = number_type(code).map_err(|_| no_number(code))?;
        let field = RecordField { name: String::new(), stored, big_endian, start: 0, shape: Vec::new() };
        return Ok((vec![field], stored.size));
    }
    let list = of.as_array().filter(|list| list.len() <= MAX_ENTRIES).ok_or_else(|| wrong("its head has no type"))?;
    let (mut all, mut start) = (Vec::new(), 0_usize);
    for one in list {
        let parts = one.as_array().ok_or_else(|| wrong("a field of its type has no name"))?;
        let text = |k: usize| parts.get(k).and_then(Value::as_str);
        let (Some(name), Some(code)) = (text(0), text(1)) else {
            let hint = "save its fields one by one: numpy.savez(name, t=t, q=q, tau=tau)";
            return Err(not_read("a field of its records is a record", hint));
        };
        let shape = parts.get(2).map_or(Some(Vec::new()), sides);
        let shape = shape.ok_or_else(|| wrong("a field of its type has no sides"))?;
        let count = product(&shape).ok_or_else(|| wrong("a field of its type is too large"))?;
        // Text between the numbers is skipped.
        let size = match number_type(code) {
            Ok((stored, big_endian)) => {
                all.push(RecordField { name: name.to_owned(), stored, big_endian, start, shape });
                stored.size
            }
            Err(Some(size)) => size,
            Err(None) => return Err(no_number(code)),
        };
        let next = size.checked_mul(count).and_then(|size| start.checked_add(size));
        start = next.ok_or_else(|| wrong("a record is too large"))?;
    }
    Ok((all, start))
}

const NPY: &str = ".npy";

/// The arrays of a file: one, or one for each field of its records.
pub fn read(bytes: &[u8], name: &str, budget: &mut Budget) -> Result<Vec<Array>, ArraysError> {
    let wrong = |problem: &str| broken(NPY, problem);
    let Some(rest) = bytes.strip_prefix(b"\x93NUMPY") else {
        return Err(wrong("it does not begin with \\x93NUMPY"));
    };
    let major = *rest.first().ok_or_else(|| wrong("its version is cut off"))?;
    let wide = if major == 1 { 2 } else { 4 };
    let length = rest.get(2..2 + wide).map(|length| whole(length, false) as usize);
    let parts = length.and_then(|length| rest[2 + wide..].split_at_checked(length));
    let (header, data) = parts.ok_or_else(|| wrong("its head is cut off"))?;
    let header =
        parse_header(&String::from_utf8_lossy(header)).ok_or_else(|| wrong("its header is not a dictionary"))?;
    let entry = |key: &str| header.get(key).ok_or_else(|| wrong(&format!("its head has no `{key}`")));
    let shape = sides(entry("shape")?).ok_or_else(|| wrong("its shape is not a tuple of numbers"))?;
    let fortran = entry("fortran_order")?.as_bool() == Some(true) && shape.len() > 1;
    let (fields, record) = fields(entry("descr")?)?;
    if fortran && fields.iter().any(|field| !field.shape.is_empty()) {
        let hint = "save it row by row: numpy.ascontiguousarray(array)";
        return Err(not_read("its records are in Fortran order and contain arrays", hint));
    }
    let count = product(&shape).ok_or_else(|| wrong("it is too large"))?;
    let needed = count.checked_mul(record).ok_or_else(|| wrong("it is too large"))?;
    if data.len() < needed {
        return Err(wrong(&format!("{needed} bytes are declared, but {} remain", data.len())));
    }
    let one = |field: RecordField| {
        let each = product(&field.shape).unwrap_or(0);
        let full: Vec<usize> = shape.iter().chain(&field.shape).copied().collect();
        let number = |k: usize| {
            let at = k / each * record + field.start + k % each * field.stored.size;
            field.stored.number(&data[at..], field.big_endian).unwrap_or(f64::NAN)
        };
        let values = budget.numbers(count * each, (0..count * each).map(number))?;
        let path: Vec<String> = [name.to_owned(), field.name].into_iter().filter(|part| !part.is_empty()).collect();
        budget.hold_names(&path)?;
        Ok(Array { path, shape: full, values, row_major: !fortran })
    };
    fields.into_iter().filter(|field| product(&field.shape) != Some(0) && count > 0).map(one).collect()
}

/// The arrays of an archive.
pub fn read_archive(bytes: &[u8], budget: &mut Budget, notes: &mut Vec<String>) -> Result<Vec<Array>, ArraysError> {
    const FORMAT: &str = ".npz";
    let number = |at: usize, size: usize| -> Result<usize, ArraysError> {
        let own = at.checked_add(size).and_then(|end| bytes.get(at..end));
        let own = own.ok_or_else(|| broken(FORMAT, "its directory is truncated"))?;
        usize::try_from(whole(own, false)).map_err(|_| broken(FORMAT, "a member is too large"))
    };
    // The list of files is announced at the end, behind which there may be a comment.
    let from = bytes.len().saturating_sub(65_557);
    let end = bytes[from..].windows(4).rposition(|own| own == b"PK\x05\x06").map(|at| at + from);
    let end = end.ok_or_else(|| broken(FORMAT, "it has no directory"))?;
    let (files, mut at) = (number(end + 10, 2)?, number(end + 16, 4)?);
    let mut found = Vec::new();
    for _ in 0..files {
        if bytes.get(at..).is_none_or(|rest| !rest.starts_with(b"PK\x01\x02")) {
            return Err(broken(FORMAT, "its directory is truncated"));
        }
        let (method, mut packed, mut place) = (number(at + 10, 2)?, number(at + 20, 4)?, number(at + 42, 4)?);
        let plain = number(at + 24, 4)?;
        let [name_length, extra, comment] = [number(at + 28, 2)?, number(at + 30, 2)?, number(at + 32, 2)?];
        let name = bytes.get(at + 46..at + 46 + name_length).ok_or_else(|| broken(FORMAT, "a name is cut off"))?;
        let name = String::from_utf8_lossy(name).into_owned();
        // Numbers that do not fit into four bytes stand in a field of their own, in this order.
        let mut long = at + 46 + name_length;
        let extras = long + extra;
        while long + 4 <= extras {
            let (id, size) = (number(long, 2)?, number(long + 2, 2)?);
            if id == 1 {
                let mut next = long + 4 + if plain == 0xffff_ffff { 8 } else { 0 };
                for value in [&mut packed, &mut place] {
                    if *value == 0xffff_ffff {
                        *value = number(next, 8)?;
                        next += 8;
                    }
                }
            }
            long += 4 + size;
        }
        at = extras + comment;
        let Some(stem) = name.strip_suffix(".npy") else {
            notes.push(format!("`{name}` is left out: it is not an array"));
            continue;
        };
        let start = place.checked_add(30).ok_or_else(|| broken(FORMAT, "the offset of a member is invalid"))?;
        let start = start + number(place.saturating_add(26), 2)? + number(place.saturating_add(28), 2)?;
        let data = start.checked_add(packed).and_then(|end| bytes.get(start..end));
        let data = data.ok_or_else(|| broken(FORMAT, format!("`{name}` is cut off")))?;
        let failed = |error| broken(FORMAT, format!("`{name}`: {error}"));
        let plain = match method {
            0 => Cow::Borrowed(data),
            8 => Cow::Owned(budget.unpacked(flate2::read::DeflateDecoder::new(data), failed)?),
            other => return Err(broken(FORMAT, format!("`{name}` uses compression method {other}"))),
        };
        match read(&plain, stem, budget) {
            Ok(arrays) => found.extend(arrays),
            // One array that is text does not spoil the others.
            Err(ArraysError::NotRead { problem, .. }) => notes.push(format!("`{stem}` is left out: {problem}")),
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}
