//! Tables as other tools write them: other separators, decimal commas, comments, units below the names, no names at all.

use crate::report::table::{Reader, TableError};
use std::io::{self, Read};

/// Bytes that are looked at to learn how a table is written.
const LOOKED_AT: usize = 1 << 16;

/// A table of numbers, whole columns of it. What is no number is NaN.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogTable {
    /// As the first line has them; `1`, `2` … where it has numbers.
    pub names: Vec<String>,
    /// One for each name.
    pub values: Vec<Vec<f64>>,
    /// How the table was read, where that is not plain: for the report.
    pub notes: Vec<String>,
}

/// Turns separators into commas on the way; blanks side by side are one, and none at the ends of a line.
struct Separated<R> {
    input: R,
    separator: u8,
    decimal_comma: bool,
    /// Where blanks separate: whether the line has begun, and whether blanks were read after that.
    begun: bool,
    waiting: bool,
}

impl<R: Read> Separated<R> {
    /// One comma for all blanks between two fields.
    fn blanks(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // A comma that waits needs room.
            let room = buffer.len() - usize::from(self.waiting);
            let mut bytes = vec![0; room];
            let count = self.input.read(&mut bytes)?;
            let mut written = 0;
            for &byte in &bytes[..count] {
                match byte {
                    b' ' => {
                        self.waiting = self.begun;
                        continue;
                    }
                    b'\n' | b'\r' => (self.begun, self.waiting) = (false, false),
                    _ => {
                        if std::mem::take(&mut self.waiting) {
                            buffer[written] = b',';
                            written += 1;
                        }
                        self.begun = true;
                    }
                }
                buffer[written] = byte;
                written += 1;
            }
            // Nothing but blanks is not the end.
            if written > 0 || count == 0 {
                return Ok(written);
            }
        }
    }
}

impl<R: Read> Read for Separated<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.separator == b' ' && buffer.len() > 1 {
            return self.blanks(buffer);
        }
        let count = self.input.read(buffer)?;
        for byte in &mut buffer[..count] {
            if *byte == b',' && self.decimal_comma {
                *byte = b'.';
            } else if *byte == self.separator {
                *byte = b',';
            }
        }
        Ok(count)
    }
}

/// Reads a table with any of the usual separators.
pub fn read(mut input: impl Read) -> Result<LogTable, TableError> {
    let mut head = vec![0; LOOKED_AT];
    let mut filled = 0;
    while filled < head.len() {
        match input.read(&mut head[filled..]).map_err(TableError::Read)? {
            0 => break,
            count => filled += count,
        }
    }
    head.truncate(filled);
    if head.starts_with(&[0xef, 0xbb, 0xbf]) {
        head.drain(..3);
    }
    let mut notes = Vec::new();
    // Comments before the names.
    let comment = |line: &[u8]| matches!(line.trim_ascii_start().first(), Some(b'#' | b'%') | None);
    let mut names_only = None;
    while let Some(end) = head.iter().position(|byte| *byte == b'\n') {
        if !comment(&head[..end]) {
            break;
        }
        // `# t q1 q2` is how some tools write names.
        let text = String::from_utf8_lossy(&head[..end]).trim().trim_start_matches(['#', '%']).trim().to_owned();
        names_only = Some(text).filter(|text| !text.is_empty());
        head.drain(..=end);
    }
    let first: Vec<u8> = head.iter().copied().take_while(|byte| *byte != b'\n').collect();
    let has = |byte: u8| first.contains(&byte);
    let separator = if has(b';') {
        b';'
    } else if has(b'\t') {
        b'\t'
    } else if !has(b',') && first.trim_ascii().contains(&b' ') {
        b' '
    } else {
        b','
    };
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
        let given: Vec<String> = names_only
            .map(|text| text.split([char::from(separator), ' ', '\t']).map(clean).filter(|n| !n.is_empty()).collect())
            .unwrap_or_default();
        let names: Vec<String> = match given.len() == fields.len() {
            true => given,
            false => {
                notes.push("the first line has numbers, not names: the columns are called 1, 2, …".to_owned());
                (1..=fields.len()).map(|k| k.to_string()).collect()
            }
        };
        front = (names.join(&char::from(separator).to_string()) + "\n").into_bytes();
    }
    let all = front.chain(head.as_slice()).chain(input);
    let mut reader = Reader::new(Separated { input: all, separator, decimal_comma, begun: false, waiting: false })?;
    let names: Vec<String> = reader.header().names().iter().map(|name| clean(name)).collect();
    let mut values = vec![Vec::new(); names.len()];
    let mut row = crate::report::table::Row::default();
    let mut count = 0_usize;
    let mut units = 0;
    loop {
        match reader.read(&mut row) {
            Ok(true) => {}
            Ok(false) => break,
            // A line that ends too early may be the last one of a log that was cut off.
            Err(error @ TableError::Ragged { found, expected, .. }) if found < expected && count > 0 => {
                match reader.read(&mut row) {
                    Ok(false) => {
                        notes.push("the last line is cut off: it is left out".to_owned());
                        break;
                    }
                    _ => return Err(error),
                }
            }
            Err(error) => return Err(error),
        }
        count += 1;
        let numbers = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        // A second line of units.
        if count == 1 && row.texts().all(|text| numbers(text).is_none()) && units == 0 {
            units = 1;
            count = 0;
            continue;
        }
        for (field, column) in values.iter_mut().enumerate() {
            column.push(numbers(row.text(field)).unwrap_or(f64::NAN));
        }
    }
    if count == 0 {
        return Err(TableError::NoRows);
    }
    if units == 1 {
        notes.push("the line below the names has no numbers: it is left out".to_owned());
    }
    Ok(LogTable { names, values, notes })
}

fn clean(text: &str) -> String {
    text.trim().trim_matches('"').trim().to_owned()
}

impl LogTable {
    /// The values of a column.
    pub fn get(&self, name: &str) -> Option<&[f64]> {
        let k = self.names.iter().position(|other| other == name)?;
        Some(&self.values[k])
    }

    /// Its rows.
    pub fn rows(&self) -> usize {
        self.values.first().map_or(0, Vec::len)
    }
}
