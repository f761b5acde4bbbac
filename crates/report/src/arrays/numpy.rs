//! NumPy's files: an array with a head in Python's words (`.npy`, NEP 1), and archives of them (`.npz`, which is ZIP).

use super::{Array, ArraysError, NumberType, unpacked};

/// Dimensions of an array; fields of a record.
const MOST: usize = 1024;

fn broken(format: &'static str, problem: impl Into<String>) -> ArraysError {
    ArraysError::Broken { format, problem: problem.into() }
}

/// What Python's literals can be, as far as heads have them.
#[derive(Debug)]
enum Literal {
    Text(String),
    Number(usize),
    Truth(bool),
    /// A tuple, a list, or the keys and values of a dictionary one after the other.
    List(Vec<Literal>),
}

impl Literal {
    fn read(text: &mut &str, depth: usize) -> Option<Self> {
        *text = text.trim_start();
        let first = text.chars().next()?;
        match first {
            '\'' | '"' => {
                let end = text[1..].find(first)? + 1;
                let inside = text[1..end].to_owned();
                *text = &text[end + 1..];
                Some(Self::Text(inside))
            }
            '(' | '[' | '{' if depth < 8 => {
                let close = match first {
                    '(' => ')',
                    '[' => ']',
                    _ => '}',
                };
                *text = &text[1..];
                let mut all = Vec::new();
                loop {
                    *text = text.trim_start();
                    if let Some(rest) = text.strip_prefix(close) {
                        *text = rest;
                        return (all.len() <= MOST).then_some(Self::List(all));
                    }
                    all.push(Self::read(text, depth + 1)?);
                    *text = text.trim_start().trim_start_matches([',', ':']);
                }
            }
            '0'..='9' => {
                let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
                let number = text[..end].parse().ok()?;
                *text = text[end..].trim_start_matches('L');
                Some(Self::Number(number))
            }
            _ => {
                let (word, truth) = if text.starts_with("True") { ("True", true) } else { ("False", false) };
                *text = text.strip_prefix(word)?;
                Some(Self::Truth(truth))
            }
        }
    }

    fn sides(&self) -> Option<Vec<usize>> {
        let one = |side: &Self| if let Self::Number(side) = side { Some(*side) } else { None };
        match self {
            Self::List(all) => all.iter().map(one).collect(),
            one_side => one(one_side).map(|side| vec![side]),
        }
    }
}

/// Numbers of a record: where they start in it, and how many there are.
struct RecordField {
    name: String,
    kind: NumberType,
    big_endian: bool,
    start: usize,
    shape: Vec<usize>,
}

fn product(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |all, side| all.checked_mul(*side))
}

/// The kind of `<f8`; none: text or objects, whose bytes are told too where they have any.
fn kind(code: &str) -> Result<(NumberType, bool), Option<usize>> {
    let big_endian = code.starts_with('>');
    let plain = code.trim_start_matches(['<', '>', '|', '=']);
    let kind = match plain {
        "f4" => NumberType::F32,
        "f8" => NumberType::F64,
        "i1" => NumberType::I8,
        "i2" => NumberType::I16,
        "i4" => NumberType::I32,
        "i8" => NumberType::I64,
        "u1" | "b1" => NumberType::U8,
        "u2" => NumberType::U16,
        "u4" => NumberType::U32,
        "u8" => NumberType::U64,
        _ => {
            let bytes = plain.get(1..).and_then(|size| size.parse::<usize>().ok());
            let each = if plain.starts_with('U') { 4 } else { 1 };
            return Err(bytes.and_then(|size| size.checked_mul(each)));
        }
    };
    Ok((kind, big_endian))
}

/// The fields of a type, and the bytes of a record.
fn fields(of: &Literal, format: &'static str) -> Result<(Vec<RecordField>, usize), ArraysError> {
    let not_read = |code: &str| ArraysError::NotRead {
        problem: format!("its numbers are of the kind `{code}`"),
        hint: "save it with real numbers: array.astype(float)",
    };
    let list = match of {
        Literal::Text(code) => {
            let (kind, big_endian) = kind(code).map_err(|_| not_read(code))?;
            let field = RecordField { name: String::new(), kind, big_endian, start: 0, shape: Vec::new() };
            return Ok((vec![field], kind.size()));
        }
        Literal::List(list) => list,
        _ => return Err(broken(format, "its head has no type")),
    };
    let (mut all, mut start) = (Vec::new(), 0_usize);
    for one in list {
        let Literal::List(parts) = one else { return Err(broken(format, "a field of its type has no name")) };
        let (Some(Literal::Text(name)), Some(Literal::Text(code))) = (parts.first(), parts.get(1)) else {
            return Err(ArraysError::NotRead {
                problem: "a field of its records is a record".into(),
                hint: "save its fields one by one: numpy.savez(name, t=t, q=q, tau=tau)",
            });
        };
        let shape = parts.get(2).map_or(Some(Vec::new()), Literal::sides);
        let shape = shape.ok_or_else(|| broken(format, "a field of its type has no sides"))?;
        let count = product(&shape).ok_or_else(|| broken(format, "a field of its type is too large"))?;
        // Text beside the numbers is passed over.
        let size = match kind(code) {
            Ok((kind, big_endian)) => {
                all.push(RecordField { name: name.clone(), kind, big_endian, start, shape });
                kind.size()
            }
            Err(Some(size)) => size,
            Err(None) => return Err(not_read(code)),
        };
        let next = size.checked_mul(count).and_then(|size| start.checked_add(size));
        start = next.ok_or_else(|| broken(format, "a record is too large"))?;
    }
    Ok((all, start))
}

/// The arrays of a file: one, or one for each field of its records.
pub fn read(bytes: &[u8], name: &str) -> Result<Vec<Array>, ArraysError> {
    const FORMAT: &str = ".npy";
    let cut = |what: &str| broken(FORMAT, format!("{what} is cut off"));
    let Some(rest) = bytes.strip_prefix(b"\x93NUMPY") else {
        return Err(broken(FORMAT, "it does not begin with \\x93NUMPY"));
    };
    let major = *rest.first().ok_or_else(|| cut("its version"))?;
    let wide = if major == 1 { 2 } else { 4 };
    let length = rest.get(2..2 + wide).ok_or_else(|| cut("its head"))?;
    let length = length.iter().rev().fold(0_usize, |all, byte| all << 8 | usize::from(*byte));
    let head = rest.get(2 + wide..).and_then(|rest| rest.get(..length)).ok_or_else(|| cut("its head"))?;
    let data = &rest[2 + wide + length..];
    let head = String::from_utf8_lossy(head);
    let Some(Literal::List(entries)) = Literal::read(&mut &*head, 0) else {
        return Err(broken(FORMAT, "its head is no dictionary"));
    };
    let entry = |key: &str| {
        let pairs = entries.chunks_exact(2);
        let mut own = pairs.filter(|pair| matches!(&pair[0], Literal::Text(own) if own == key));
        own.next().map(|pair| &pair[1]).ok_or_else(|| broken(FORMAT, format!("its head has no `{key}`")))
    };
    let shape = entry("shape")?.sides().ok_or_else(|| broken(FORMAT, "its sides are no numbers"))?;
    let fortran = matches!(entry("fortran_order")?, Literal::Truth(true));
    let (fields, record) = fields(entry("descr")?, FORMAT)?;
    if fortran && shape.len() > 1 && fields.iter().any(|field| !field.shape.is_empty()) {
        return Err(ArraysError::NotRead {
            problem: "its records lie column by column and have arrays in them".into(),
            hint: "save it row by row: numpy.ascontiguousarray(array)",
        });
    }
    let count = product(&shape).ok_or_else(|| broken(FORMAT, "it is too large"))?;
    let needed = count.checked_mul(record).ok_or_else(|| broken(FORMAT, "it is too large"))?;
    if data.len() < needed {
        return Err(broken(FORMAT, format!("{needed} bytes are announced where {} are left", data.len())));
    }
    let one = |field: RecordField| {
        let each = product(&field.shape).unwrap_or(0);
        let size = field.kind.size();
        let full: Vec<usize> = shape.iter().chain(&field.shape).copied().collect();
        let number = |k: usize, part: usize| {
            let at = k * record + field.start + part * size;
            field.kind.number(&data[at..], field.big_endian).unwrap_or(f64::NAN)
        };
        let total = count * each;
        let values = match fortran {
            true => (0..total).map(|k| number(k / each, k % each)).collect(),
            false => column_by_column(&full, |k| number(k / each, k % each)),
        };
        let path = [name.to_owned(), field.name].into_iter().filter(|part| !part.is_empty()).collect();
        Array { path, shape: full, values }
    };
    Ok(fields.into_iter().filter(|field| product(&field.shape) != Some(0) && count > 0).map(one).collect())
}

/// Numbers that lie row by row, column by column.
fn column_by_column(shape: &[usize], number: impl Fn(usize) -> f64) -> Vec<f64> {
    let total: usize = shape.iter().product();
    let mut steps = vec![1; shape.len()];
    for k in (0..shape.len().saturating_sub(1)).rev() {
        steps[k] = steps[k + 1] * shape[k + 1];
    }
    let place = |mut k: usize| {
        let mut at = 0;
        for (side, step) in shape.iter().zip(&steps) {
            at += k % side * step;
            k /= side;
        }
        at
    };
    (0..total).map(|k| number(place(k))).collect()
}

/// The arrays of an archive.
pub fn read_archive(bytes: &[u8], most: u64, notes: &mut Vec<String>) -> Result<Vec<Array>, ArraysError> {
    const FORMAT: &str = ".npz";
    let number = |at: usize, size: usize| -> Result<usize, ArraysError> {
        let own = at.checked_add(size).and_then(|end| bytes.get(at..end));
        let own = own.ok_or_else(|| broken(FORMAT, "its list of files is cut off"))?;
        usize::try_from(own.iter().rev().fold(0_u64, |all, byte| all << 8 | u64::from(*byte)))
            .map_err(|_| broken(FORMAT, "a file in it is too large"))
    };
    // The list of files is announced at the end, behind which there may be a comment.
    let from = bytes.len().saturating_sub(65_557);
    let end = bytes[from..].windows(4).rposition(|own| own == b"PK\x05\x06").map(|at| at + from);
    let end = end.ok_or_else(|| broken(FORMAT, "it has no list of files"))?;
    let (files, mut at) = (number(end + 10, 2)?, number(end + 16, 4)?);
    let (mut found, mut left) = (Vec::new(), most);
    for _ in 0..files {
        if bytes.get(at..).is_none_or(|rest| !rest.starts_with(b"PK\x01\x02")) {
            return Err(broken(FORMAT, "its list of files ends too early"));
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
            notes.push(format!("`{name}` is left out: it is no array"));
            continue;
        };
        let start = place.checked_add(30).ok_or_else(|| broken(FORMAT, "a file in it is nowhere"))?;
        let start = start + number(place.saturating_add(26), 2)? + number(place.saturating_add(28), 2)?;
        let data = start.checked_add(packed).and_then(|end| bytes.get(start..end));
        let data = data.ok_or_else(|| broken(FORMAT, format!("`{name}` is cut off")))?;
        let unpack = || -> Result<Vec<u8>, ArraysError> {
            match method {
                0 => Ok(data.to_vec()),
                8 => unpacked(flate2::read::DeflateDecoder::new(data), left),
                other => Err(broken(FORMAT, format!("`{name}` is packed by the method {other}"))),
            }
        };
        let plain = unpack().map_err(|error| match error {
            ArraysError::Read(error) => broken(FORMAT, format!("`{name}`: {error}")),
            other => other,
        })?;
        left = left.saturating_sub(plain.len() as u64);
        match read(&plain, stem) {
            Ok(arrays) => found.extend(arrays),
            // One array that is text does not spoil the others.
            Err(ArraysError::NotRead { problem, .. }) => notes.push(format!("`{stem}` is left out: {problem}")),
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}
