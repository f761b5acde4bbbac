//! CSV: reading it row by row, and writing its fields.
//!
//! A table is a header line and rows of the same width. Names are compared without surrounding blanks. A number is
//! decimal or scientific with a point; NaN and infinity are refused, since no formula here has a use for them. What is
//! not read as a number keeps its text.

use crate::decimal;
use std::collections::HashMap;
use std::io::{self, Read};
use std::ops::Range;

/// What can be wrong with a table. Lines are those of the file, the header is line 1.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // of the fields: the texts name them
pub enum TableError {
    /// Not even a header.
    #[error("the input is empty: there is not even a header line")]
    Empty,
    /// A header and nothing else.
    #[error("the input has a header but no rows")]
    NoRows,
    /// Two columns with one name.
    #[error("column `{name}` appears twice in the header (fields {first} and {second})")]
    Duplicate { name: String, first: usize, second: usize },
    /// A column without a name.
    #[error("field {field} of the header is empty: every column needs a name")]
    Unnamed { field: usize },
    /// A row with more or fewer fields than the header.
    #[error("line {line}: {found} fields where the header has {expected}")]
    Ragged { line: u64, found: usize, expected: usize },
    /// A field that should be a number and is not.
    #[error("line {line}, column `{column}`: {}", if text.trim().is_empty() { "the field is empty".into() } else { format!("`{text}` is not a number") })]
    NotANumber { line: u64, column: String, text: String },
    /// NaN or infinity.
    #[error("line {line}, column `{column}`: `{text}` is not a finite number")]
    NotFinite { line: u64, column: String, text: String },
    /// Bytes that are no text.
    #[error("line {line}: not valid UTF-8 text")]
    NotText { line: u64 },
    /// A quote that takes the rest of the input into its field.
    #[error("line {line}: a double quote is opened and never closed")]
    OpenQuote { line: u64 },
    /// `"a"b`: most likely the quote was not meant to be closed there.
    #[error("line {line}: text after the closing double quote of a field that was opened in line {opened}")]
    AfterQuote { line: u64, opened: u64 },
    /// A row without an end, or input that is no table.
    #[error("line {line}: the row that begins here is longer than 16 MiB, which no row of a table is")]
    TooLong { line: u64 },
    /// A table that is held in memory has no more numbers.
    #[error("line {line}: the table has more than {most} numbers")]
    TooMany { line: u64, most: usize },
    /// The input cannot be read.
    #[error("the input cannot be read: {0}")]
    Read(#[source] io::Error),
}

impl TableError {
    /// Whether only this row is bad, so that a reader may go on with the next. A misplaced quote may have swallowed
    /// rows, so it is not.
    pub fn is_about_one_row(&self) -> bool {
        matches!(self, Self::Ragged { .. } | Self::NotANumber { .. } | Self::NotFinite { .. } | Self::NotText { .. })
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Empty | Self::NoRows => {
                Some("the first line names the columns, e.g. `x,y,z`; every further line is one state")
            }
            Self::Duplicate { name, .. } if name.parse::<f64>().is_ok() => {
                Some("the first line names the columns, e.g. `x,y,z`; here it has numbers")
            }
            Self::Duplicate { .. } => Some("rename or remove one of the two: a name must mean one column"),
            Self::Ragged { .. } => Some(
                "fields are separated by commas, the decimal sign is a point, and there are no comments; a text with a \
                 comma in it needs double quotes",
            ),
            Self::NotANumber { .. } => Some("a number is written with a decimal point, e.g. `-0.85` or `8.5e-1`"),
            Self::NotFinite { .. } => Some("leave such rows out of the table"),
            Self::NotText { .. } => Some(
                "save the table as UTF-8 text with commas between the fields, not as UTF-16, Latin-1 or a spreadsheet",
            ),
            Self::OpenQuote { .. } | Self::AfterQuote { .. } => {
                Some("a field in double quotes ends with one, before the comma; a quote inside it is written twice")
            }
            Self::TooLong { .. } => Some("is this a table? A row ends with a line break, and a quote is closed"),
            Self::TooMany { .. } => Some("leave out columns and rows that are not needed, or take every second row"),
            Self::Unnamed { .. } => Some("is there a comma too many in the first line?"),
            Self::Read(_) => None,
        }
    }
}

/// The names of the columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header(Vec<String>);

impl Header {
    /// A header with these names, if they are distinct and not empty.
    pub fn new(names: Vec<String>) -> Result<Self, TableError> {
        let mut seen = HashMap::new();
        for (field, name) in (1..).zip(names.iter().map(|name| name.trim())) {
            if name.is_empty() {
                return Err(TableError::Unnamed { field });
            }
            if let Some(first) = seen.insert(name, field) {
                return Err(TableError::Duplicate { name: name.into(), first, second: field });
            }
        }
        Ok(Self(names))
    }

    /// The names in order.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Where the column is.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|other| other.trim() == name)
    }
}

/// A table of numbers in memory. What is no number is NaN.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// Of the columns; `1`, `2` … where the file has no names.
    pub names: Vec<String>,
    /// One column for each name, all of one length.
    pub values: Vec<Vec<f64>>,
    /// How it was read, where that is not plain, and what was left out.
    pub notes: Vec<String>,
}

impl Columns {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.values.first().map_or(0, Vec::len)
    }
}

/// One row with the line it stands in.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Line of the file, from 1.
    pub line: u64,
    /// The fields, a comma after each, and [`PADDING`]; this is text.
    text: Vec<u8>,
    /// Where each field ends.
    ends: Vec<u32>,
    /// Whether no field has a double quote: the text is then what a line of CSV is.
    plain: bool,
    /// The fields, where they are numbers in memory and have no text.
    numbers: Vec<f64>,
}

/// What follows the fields of a row, so that eight bytes of each can be looked at together.
const PADDING: &[u8] = b",,,,,,,,";

impl Row {
    /// The text of a field.
    pub fn text(&self, field: usize) -> &str {
        str::from_utf8(self.text.get(self.place(field)).unwrap_or_default()).unwrap_or_default()
    }

    /// Where a field is.
    #[inline]
    fn place(&self, field: usize) -> Range<usize> {
        let Some(&end) = self.ends.get(field) else { return 0..0 };
        let start = field.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| end + 1);
        start as usize..end as usize
    }

    /// The texts in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|field| self.text(field))
    }

    /// Appends some fields as a line of CSV has them.
    pub fn push_fields(&self, line: &mut Vec<u8>, fields: Range<usize>) {
        if let (true, Some(last)) = (self.plain, fields.end.checked_sub(1)) {
            let all = self.place(fields.start).start..self.place(last).end;
            return line.extend_from_slice(self.text.get(all).unwrap_or_default());
        }
        let mut text = String::new();
        for (k, field) in fields.enumerate() {
            text.push_str(if k > 0 { "," } else { "" });
            push_field(&mut text, self.text(field));
        }
        line.extend_from_slice(text.as_bytes());
    }

    /// A field as a number; `column` is its name, for the error.
    #[inline]
    pub fn number(&self, field: usize, column: &str) -> Result<f64, TableError> {
        let place = self.place(field);
        let from_here = self.text.get(place.start..).unwrap_or_default();
        if let Some(value) = decimal::read(from_here, place.len()) {
            return Ok(value);
        }
        let number = self.numbers.get(field).copied();
        let parsed = number.map_or_else(|| self.text(field).trim().parse::<f64>(), Ok);
        if let Some(value) = parsed.as_ref().ok().filter(|value| value.is_finite()) {
            return Ok(*value);
        }
        let text = number.map_or_else(|| self.text(field).to_owned(), |number| number.to_string());
        let (line, column) = (self.line, column.to_owned());
        Err(match parsed {
            Ok(_) => TableError::NotFinite { line, column, text },
            Err(_) => TableError::NotANumber { line, column, text },
        })
    }

    /// Makes it a row of numbers without text.
    pub fn set_numbers(&mut self, line: u64, numbers: impl Iterator<Item = f64>) {
        self.line = line;
        self.text.clear();
        self.ends.clear();
        self.numbers.clear();
        self.numbers.extend(numbers);
    }
}

/// Whole rows as they stand in the input. Blocks can be taken apart on different threads.
#[derive(Debug, Default)]
pub struct Block {
    /// Room for bytes; the rows are in those from `start` to `end`.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// The line at `start`.
    line: u64,
    /// Line breaks in all.
    lines: u64,
    /// Whether there are neither quotes nor `\r` nor zeros.
    plain: bool,
    /// Fields of the header.
    width: usize,
    /// Where the fields of a plain block end, once they have been looked for; how many of them have been read; whether it is ASCII.
    marks: Vec<u32>,
    taken: usize,
    ascii: bool,
}

impl Block {
    /// How many line breaks there are in all: no fewer than rows that end.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// How many bytes are left.
    pub fn size(&self) -> usize {
        self.end - self.start
    }

    /// The next row, in place of what was in `row`; `false` at the end. After an error about one row, the one after it can be read; after any
    /// other this is the end.
    pub fn read(&mut self, row: &mut Row) -> Result<bool, TableError> {
        let found = self.record(row);
        if found.as_ref().is_err_and(|error| !error.is_about_one_row()) {
            self.start = self.end;
        }
        if !found? {
            return Ok(false);
        }
        let (found, expected) = (row.ends.len(), self.width);
        if found == expected { Ok(true) } else { Err(TableError::Ragged { line: row.line, found, expected }) }
    }

    /// The next record, of whatever width.
    fn record(&mut self, row: &mut Row) -> Result<bool, TableError> {
        row.ends.clear();
        row.text.clear();
        row.plain = true;
        if self.plain {
            return self.plain_record(row);
        }
        while let size @ 1.. = break_size(&self.bytes[self.start..self.end]) {
            self.start += size;
            self.line += 1;
        }
        row.line = self.line;
        if self.start == self.end {
            return Ok(false);
        }
        self.quoted_record(row).map(|()| true)
    }

    /// The next record where there are no quotes.
    fn plain_record(&mut self, row: &mut Row) -> Result<bool, TableError> {
        let bytes = &self.bytes[..self.end];
        if self.marks.is_empty() {
            find_marks(bytes, &mut self.marks);
            self.ascii = bytes.is_ascii();
        }
        loop {
            let start = self.start;
            let end = loop {
                let Some(&mark) = self.marks.get(self.taken) else { return Ok(false) };
                self.taken += 1;
                row.ends.push(mark - start as u32);
                if bytes.get(mark as usize) != Some(&b',') {
                    break mark as usize;
                }
            };
            row.line = self.line;
            self.line += 1;
            self.start = self.end.min(end + 1);
            let text = &bytes[start..end];
            if text.is_empty() {
                row.ends.clear();
                continue;
            }
            if !self.ascii && str::from_utf8(text).is_err() {
                row.ends.clear();
                return Err(TableError::NotText { line: row.line });
            }
            row.text.extend_from_slice(text);
            row.text.extend_from_slice(PADDING);
            return Ok(true);
        }
    }

    /// The next record where there may be quotes.
    fn quoted_record(&mut self, row: &mut Row) -> Result<(), TableError> {
        let mut fields = std::mem::take(&mut row.text);
        loop {
            let rest = &self.bytes[self.start..self.end];
            let taken = if rest.first() == Some(&b'"') {
                row.plain = false;
                self.quoted_field(&mut fields)?
            } else {
                let end = memchr::memchr3(b',', b'\n', b'\r', rest).unwrap_or(rest.len());
                row.plain &= memchr::memchr(b'"', &rest[..end]).is_none();
                fields.extend_from_slice(&rest[..end]);
                end
            };
            row.ends.push(fields.len() as u32);
            fields.push(b',');
            self.start += taken;
            let rest = &self.bytes[self.start..self.end];
            if rest.first() == Some(&b',') {
                self.start += 1;
                continue;
            }
            self.start += break_size(rest);
            self.line += 1;
            row.text = fields;
            // A zero byte is valid UTF-8, but only UTF-16 has it.
            if str::from_utf8(&row.text).is_err() || memchr::memchr(0, &row.text).is_some() {
                row.text.clear();
                return Err(TableError::NotText { line: row.line });
            }
            row.text.extend_from_slice(PADDING);
            return Ok(());
        }
    }

    /// Appends what is between quotes; how many bytes of the block that is, quotes included.
    fn quoted_field(&mut self, fields: &mut Vec<u8>) -> Result<usize, TableError> {
        let opened = self.line;
        let rest = &self.bytes[self.start..self.end];
        let mut at = 1;
        loop {
            let Some(length) = memchr::memchr(b'"', &rest[at..]) else {
                return Err(TableError::OpenQuote { line: opened });
            };
            let piece = &rest[at..at + length];
            self.line += breaks(piece);
            fields.extend_from_slice(piece);
            at += length + 1;
            match rest.get(at) {
                Some(b'"') => {
                    fields.push(b'"');
                    at += 1;
                }
                None | Some(b',' | b'\n' | b'\r') => return Ok(at),
                Some(_) => return Err(TableError::AfterQuote { line: self.line, opened }),
            }
        }
    }
}

/// Where the fields of a text without quotes end. Plain loops over 64 bytes, which become vector instructions:
/// fields are short and of any length, so that a search for one comma after the other would guess wrong at each.
fn find_marks(bytes: &[u8], marks: &mut Vec<u32>) {
    for (place, chunk) in (0..).step_by(64).zip(bytes.chunks(64)) {
        let mut flags = [0; 64];
        for (flag, &byte) in flags.iter_mut().zip(chunk) {
            *flag = u8::from((byte == b',') | (byte == b'\n'));
        }
        // A bit for each byte, from eight of them at once.
        let eights = flags.as_chunks().0.iter().enumerate();
        let mut bits = eights.fold(0, |bits, (k, eight)| {
            bits | (u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * k)
        });
        while bits != 0 {
            marks.push(place + bits.trailing_zeros());
            bits &= bits - 1;
        }
    }
    // A last row without `\n`.
    if bytes.last().is_some_and(|last| *last != b'\n') {
        marks.push(bytes.len() as u32);
    }
}

/// How many bytes the line break has that these begin with; 0: they do not.
fn break_size(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

/// Whether there are neither quotes nor `\r` nor zeros, as in most tables.
fn is_plain(bytes: &[u8]) -> bool {
    memchr::memchr3(b'"', b'\r', 0, bytes).is_none()
}

/// How many line breaks there are.
fn breaks(bytes: &[u8]) -> u64 {
    let returns = memchr::memchr_iter(b'\r', bytes).filter(|&at| bytes.get(at + 1) != Some(&b'\n')).count();
    (memchr::memchr_iter(b'\n', bytes).count() + returns) as u64
}

/// Where the last whole row ends in bytes that begin with a row and may be plain.
fn end_of_rows(bytes: &[u8], plain: bool) -> usize {
    if plain {
        return memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
    }
    let (mut whole, mut at) = (0, 0);
    loop {
        // From a quote to the next one; a doubled one opens another such piece.
        while bytes.get(at) == Some(&b'"') {
            let Some(length) = memchr::memchr(b'"', &bytes[at + 1..]) else { return whole };
            at += length + 2;
        }
        let Some(length) = memchr::memchr3(b',', b'\n', b'\r', &bytes[at..]) else { return whole };
        at += length;
        match &bytes[at..] {
            // What follows may be the second half of the line break.
            b"\r" => return whole,
            [b',', ..] => at += 1,
            rest => {
                at += break_size(rest);
                whole = at;
            }
        }
    }
}

/// No row of a table has more bytes.
const LONGEST: usize = 16 << 20;

/// What is asked of the input at a time.
const PIECE: usize = 1 << 16;

/// Reads a table, row by row or in blocks of rows, in constant memory.
pub struct Reader<R> {
    input: io::Chain<io::Cursor<Vec<u8>>, R>,
    header: Header,
    /// Rows that were read and not yet returned.
    current: Block,
    /// What follows them and is no whole row yet.
    rest: Vec<u8>,
    /// The line at its start.
    line: u64,
    /// How the input ended.
    ended: Option<Result<(), TableError>>,
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    pub fn new(mut input: R) -> Result<Self, TableError> {
        let mut first = Vec::new();
        input.by_ref().take(3).read_to_end(&mut first).map_err(TableError::Read)?;
        // A byte-order mark is no part of the table.
        first.drain(..if first == [0xef, 0xbb, 0xbf] { 3 } else { 0 });
        let mut reader = Self {
            input: io::Cursor::new(first).chain(input),
            header: Header(Vec::new()),
            current: Block::default(),
            rest: Vec::new(),
            line: 1,
            ended: None,
        };
        let mut names = Row::default();
        let mut block = Block::default();
        while !block.record(&mut names)? {
            if !reader.fill(&mut block, 1)? {
                return Err(TableError::Empty);
            }
        }
        reader.header = Header::new(names.texts().map(String::from).collect())?;
        block.width = reader.header.names().len();
        reader.current = block;
        Ok(reader)
    }

    /// The names of the columns.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The next row, `None` at the end. After an error about one row, the one after it can be read.
    pub fn next_row(&mut self) -> Result<Option<Row>, TableError> {
        let mut row = Row::default();
        Ok(self.read(&mut row)?.then_some(row))
    }

    /// The next row, in place of what was in `row`; `false` at the end.
    pub fn read(&mut self, row: &mut Row) -> Result<bool, TableError> {
        loop {
            let found = self.current.read(row);
            if found.as_ref().is_err_and(|error| !error.is_about_one_row()) {
                self.end();
            }
            if found? {
                return Ok(true);
            }
            let mut block = std::mem::take(&mut self.current);
            let more = self.fill(&mut block, 1);
            self.current = block;
            if !more? {
                return Ok(false);
            }
        }
    }

    /// The next rows, in place of what was in `block`: as soon as so many bytes of them are there. `false` at the end.
    pub fn block(&mut self, block: &mut Block, least: usize) -> Result<bool, TableError> {
        if self.current.size() > 0 {
            std::mem::swap(block, &mut self.current);
            (self.current.start, self.current.end) = (0, 0);
            return Ok(true);
        }
        self.fill(block, least)
    }

    /// Nothing more is read.
    fn end(&mut self) {
        self.ended = Some(Ok(()));
        self.rest.clear();
    }

    fn fill(&mut self, block: &mut Block, least: usize) -> Result<bool, TableError> {
        (block.start, block.end, block.taken) = (0, self.rest.len(), 0);
        block.marks.clear();
        let room = block.end + least.max(PIECE);
        if block.bytes.len() < room {
            block.bytes.resize(room, 0);
        }
        block.bytes[..block.end].copy_from_slice(&self.rest);
        block.plain = is_plain(&self.rest);
        self.rest.clear();
        let whole = loop {
            let whole = match self.ended {
                Some(Ok(())) => block.end,
                None if block.end < least.min(LONGEST) => 0,
                _ => end_of_rows(&block.bytes[..block.end], block.plain),
            };
            if whole > 0 || self.ended.is_some() {
                break whole;
            }
            if block.end > LONGEST {
                let blank = block.bytes.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
                let line = self.line + breaks(&block.bytes[..blank]);
                self.end();
                block.end = 0;
                return Err(TableError::TooLong { line });
            }
            if block.end == block.bytes.len() {
                block.bytes.resize(2 * block.end, 0);
            }
            match self.input.read(&mut block.bytes[block.end..]) {
                Ok(0) => self.ended = Some(Ok(())),
                Ok(count) => {
                    block.plain &= is_plain(&block.bytes[block.end..block.end + count]);
                    block.end += count;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.ended = Some(Err(TableError::Read(error))),
            }
        };
        if whole == 0 {
            block.end = 0;
            return self.ended.replace(Ok(())).unwrap_or(Ok(())).map(|()| false);
        }
        self.rest.extend_from_slice(&block.bytes[whole..block.end]);
        block.end = whole;
        block.line = self.line;
        block.width = self.header.names().len();
        let bytes = &block.bytes[..block.end];
        block.lines = if block.plain { memchr::memchr_iter(b'\n', bytes).count() as u64 } else { breaks(bytes) };
        self.line += block.lines;
        Ok(true)
    }
}

/// Appends a field of a line of CSV: in double quotes where a reader needs them.
pub fn push_field(line: &mut String, text: &str) {
    // Fields are short: looking at each byte is quicker than setting a search up.
    if text.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
}

/// The first line of CSV.
pub fn header_line<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut line = String::new();
    for (k, name) in names.into_iter().enumerate() {
        line.push_str(if k > 0 { "," } else { "" });
        push_field(&mut line, name);
    }
    line + "\n"
}

/// Lines of CSV that are written while they are read: other files as tables.
#[cfg(any(feature = "arrays", feature = "parquet"))]
pub(crate) struct CsvLines<F> {
    text: String,
    /// How much of the text has been read.
    start: usize,
    /// Appends the next lines, or nothing at the end.
    next: F,
}

#[cfg(any(feature = "arrays", feature = "parquet"))]
impl<F: FnMut(&mut String) -> io::Result<()>> CsvLines<F> {
    pub(crate) fn new<'n>(names: impl IntoIterator<Item = &'n str>, next: F) -> Self {
        Self { text: header_line(names), start: 0, next }
    }
}

#[cfg(any(feature = "arrays", feature = "parquet"))]
impl<F: FnMut(&mut String) -> io::Result<()>> Read for CsvLines<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.start == self.text.len() {
            self.text.clear();
            self.start = 0;
            (self.next)(&mut self.text)?;
        }
        let count = self.text.as_bytes()[self.start..].as_ref().read(buffer)?;
        self.start += count;
        Ok(count)
    }
}
