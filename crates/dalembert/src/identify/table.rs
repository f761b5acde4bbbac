//! Tables as other tools write them: other separators, decimal commas, comments, units below the names, no names at all.

use crate::report::table::{Columns, Reader, TableError};
use std::io::{self, BufRead, BufReader, Read};

/// Bytes that are looked at to learn how a table is written.
const LOOKED_AT: u64 = 1 << 16;

/// Turns separators into commas on the way; blanks side by side are one, and none at the ends of a line.
struct Separated<R> {
    input: R,
    separator: u8,
    decimal_comma: bool,
    /// Where blanks separate the fields: the rest of the last line that was read.
    line: io::Cursor<Vec<u8>>,
}

impl<R: BufRead> Read for Separated<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        /// A longer line stays as it is, and is refused.
        const LONGEST: u64 = 1 << 26;
        if self.separator != b' ' {
            let count = self.input.read(buffer)?;
            for byte in &mut buffer[..count] {
                match *byte {
                    b',' if self.decimal_comma => *byte = b'.',
                    own if own == self.separator => *byte = b',',
                    _ => {}
                }
            }
            return Ok(count);
        }
        let count = self.line.read(buffer)?;
        if count > 0 || buffer.is_empty() {
            return Ok(count);
        }
        let mut line = Vec::new();
        if self.input.by_ref().take(LONGEST).read_until(b'\n', &mut line)? < LONGEST as usize {
            let ends = line.split_off(line.trim_ascii_end().len());
            let fields = line.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
            line = fields.collect::<Vec<_>>().join(&b',');
            line.extend(ends.into_iter().filter(|byte| matches!(byte, b'\r' | b'\n')));
        }
        self.line = io::Cursor::new(line);
        self.line.read(buffer)
    }
}

/// The comments before the names, and the text of the last of them: `# t q1 q2` is how some tools write names.
fn comments(head: &mut Vec<u8>) -> Option<String> {
    let mut names = None;
    while let Some(end) = head.iter().position(|byte| *byte == b'\n') {
        if !matches!(head[..end].trim_ascii_start().first(), Some(b'#' | b'%') | None) {
            break;
        }
        let text = String::from_utf8_lossy(&head[..end]).trim().trim_start_matches(['#', '%']).trim().to_owned();
        names = Some(text).filter(|text| !text.is_empty());
        head.drain(..=end);
    }
    names
}

/// Numbers of a table that is held in memory, as of files of arrays: 2 GiB.
const MOST_NUMBERS: usize = 1 << 28;

/// A number, or NaN.
fn number(text: &str) -> f64 {
    text.trim().parse().ok().filter(|value: &f64| value.is_finite()).unwrap_or(f64::NAN)
}

/// Reads a table with any of the usual separators.
pub fn read(mut input: impl Read) -> Result<Columns, TableError> {
    let mut head = Vec::new();
    input.by_ref().take(LOOKED_AT).read_to_end(&mut head).map_err(TableError::Read)?;
    if head.starts_with(&[0xef, 0xbb, 0xbf]) {
        head.drain(..3);
    }
    let mut notes = Vec::new();
    let names_only = comments(&mut head);
    let first: Vec<u8> = head.iter().copied().take_while(|byte| *byte != b'\n').collect();
    let has = |byte: u8| first.contains(&byte);
    let blanks = !has(b',') && first.trim_ascii().contains(&b' ');
    let likely = [(has(b';'), b';'), (has(b'\t'), b'\t'), (blanks, b' ')];
    let separator = likely.into_iter().find(|(is_it, _)| *is_it).map_or(b',', |(_, separator)| separator);
    let decimal_comma = matches!(separator, b';' | b'\t') && head.contains(&b',');
    if decimal_comma {
        notes.push("commas are taken for decimal points".to_owned());
    }
    let text = String::from_utf8_lossy(&first);
    let fields: Vec<String> = match separator {
        b' ' => text.split_ascii_whitespace().map(clean).collect(),
        _ => text.split(char::from(separator)).map(clean).collect(),
    };
    let numbers = fields.iter().all(|field| field.replace(',', ".").parse::<f64>().is_ok());
    let mut front = Vec::new();
    if numbers && !fields.is_empty() {
        let given = names_only.unwrap_or_default();
        let given = given.split([char::from(separator), ' ', '\t']).map(clean).filter(|name| !name.is_empty());
        let mut names: Vec<String> = given.collect();
        if names.len() != fields.len() {
            notes.push("the first line has numbers, not names: the columns are called 1, 2, …".to_owned());
            names = (1..=fields.len()).map(|k| k.to_string()).collect();
        }
        front = (names.join(&char::from(separator).to_string()) + "\n").into_bytes();
    }
    let input = BufReader::new(front.chain(head.as_slice()).chain(input));
    let mut reader = Reader::new(Separated { input, separator, decimal_comma, line: io::Cursor::default() })?;
    let names: Vec<String> = reader.header().names().iter().map(|name| clean(name)).collect();
    let mut values = vec![Vec::new(); names.len()];
    let mut row = crate::report::table::Row::default();
    let (mut count, mut has_units) = (0_usize, false);
    loop {
        match reader.read(&mut row) {
            Ok(true) => {}
            Ok(false) => break,
            // A line that ends too early may be the last one of a log that was cut off.
            Err(error @ TableError::Ragged { found, expected, .. }) if found < expected && count > 0 => {
                if !matches!(reader.read(&mut row), Ok(false)) {
                    return Err(error);
                }
                notes.push("the last line is cut off: it is left out".to_owned());
                break;
            }
            Err(error) => return Err(error),
        }
        // A second line of units.
        if count == 0 && !has_units && row.texts().all(|text| number(text).is_nan()) {
            has_units = true;
            continue;
        }
        count += 1;
        if count.saturating_mul(names.len()) > MOST_NUMBERS {
            return Err(TableError::TooMany { line: row.line, most: MOST_NUMBERS });
        }
        values.iter_mut().enumerate().for_each(|(field, column)| column.push(number(row.text(field))));
    }
    if count == 0 {
        return Err(TableError::NoRows);
    }
    if has_units {
        notes.push("the line below the names has no numbers: it is left out".to_owned());
    }
    Ok(Columns { names, values, notes })
}

fn clean(text: &str) -> String {
    text.trim().trim_matches('"').trim().to_owned()
}
