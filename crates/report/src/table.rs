//! CSV: reading it row by row, and writing its fields.
//!
//! A table is a header line and rows of the same width. Names are compared without surrounding blanks. A number is
//! decimal or scientific with a point; NaN and infinity are refused, since no formula here has a use for them. What is
//! not read as a number keeps its text.

use std::collections::{HashMap, VecDeque};
use std::io;

/// What can be wrong with a table. Lines are those of the file, the header is line 1.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// Not even a header.
    #[error("the input is empty: there is not even a header line")]
    Empty,
    /// A header and nothing else.
    #[error("the input has a header but no rows")]
    NoRows,
    /// Two columns with one name.
    #[error("column `{name}` appears twice in the header (fields {first} and {second})")]
    Duplicate {
        /// The name.
        name: String,
        /// Position of the first, from 1.
        first: usize,
        /// Position of the second, from 1.
        second: usize,
    },
    /// A column without a name.
    #[error("field {field} of the header is empty: every column needs a name")]
    Unnamed {
        /// Its position, from 1.
        field: usize,
    },
    /// A row with more or fewer fields than the header.
    #[error("line {line}: {found} fields where the header has {expected}")]
    Ragged {
        /// Line of the file.
        line: u64,
        /// Fields of the row.
        found: usize,
        /// Fields of the header.
        expected: usize,
    },
    /// A field that should be a number and is not.
    #[error("line {line}, column `{column}`: {}", if text.trim().is_empty() { "the field is empty".into() } else { format!("`{text}` is not a number") })]
    NotANumber {
        /// Line of the file.
        line: u64,
        /// Name of the column.
        column: String,
        /// What is there.
        text: String,
    },
    /// NaN or infinity.
    #[error("line {line}, column `{column}`: `{text}` is not a finite number")]
    NotFinite {
        /// Line of the file.
        line: u64,
        /// Name of the column.
        column: String,
        /// What is there.
        text: String,
    },
    /// Bytes that are no text.
    #[error("line {line}: not valid UTF-8 text")]
    NotText {
        /// Line of the file.
        line: u64,
    },
    /// A quote that takes the rest of the input into its field.
    #[error("line {line}: a double quote is opened and never closed")]
    OpenQuote {
        /// Line of the quote.
        line: u64,
    },
    /// `"a"b`: most likely the quote was not meant to be closed there.
    #[error("line {line}: text after the closing double quote of a field that was opened in line {opened}")]
    AfterQuote {
        /// Line of the text.
        line: u64,
        /// Line of the opening quote.
        opened: u64,
    },
    /// A row without an end, or input that is no table.
    #[error("line {line}: the row that begins here is longer than 16 MiB, which no row of a table is")]
    TooLong {
        /// Line where it begins.
        line: u64,
    },
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

/// One row with the line it stands in.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Line of the file, from 1.
    pub line: u64,
    fields: csv::StringRecord,
}

impl Row {
    /// The text of a field.
    pub fn text(&self, field: usize) -> &str {
        self.fields.get(field).unwrap_or("")
    }

    /// The texts in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.fields.iter()
    }

    /// How many bytes of text.
    pub fn size(&self) -> usize {
        self.fields.as_slice().len()
    }

    /// A field as a number; `column` is its name, for the error.
    pub fn number(&self, field: usize, column: &str) -> Result<f64, TableError> {
        let text = self.text(field);
        let about = || (self.line, column.to_owned(), text.to_owned());
        match text.trim().parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => {
                let (line, column, text) = about();
                Err(TableError::NotFinite { line, column, text })
            }
            Err(_) => {
                let (line, column, text) = about();
                Err(TableError::NotANumber { line, column, text })
            }
        }
    }
}

/// Where in a field the input stands, by the rules of the parser.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    FieldStart,
    Bare,
    Quoted,
    /// After a quote in a quoted field: its end, or the first of a doubled one.
    Closed,
}

/// Watches the input on its way to the parser, which does not tell two things: the lines of the file (its own numbers
/// are off by one after `\r\n` and do not count blank lines), and misplaced quotes, which it takes as they come.
struct Watch<R> {
    input: R,
    /// Bytes seen.
    offset: u64,
    line: u64,
    last: u8,
    at_start: bool,
    /// First byte and number of every line that is not blank and not yet asked for.
    starts: VecDeque<(u64, u64)>,
    place: Place,
    /// Byte and line of the last opening quote.
    quote: (u64, u64),
    /// The first text behind a closing quote: its byte, its line and that of the quote.
    stray: Option<(u64, u64, u64)>,
    ended: bool,
    /// Where the row begins that is read now.
    row: u64,
}

/// No row of a table has more bytes.
const LONGEST: u64 = 16 << 20;

impl<R> Watch<R> {
    fn new(input: R) -> Self {
        Self {
            input,
            offset: 0,
            line: 1,
            last: b' ',
            at_start: true,
            starts: VecDeque::new(),
            place: Place::FieldStart,
            quote: (0, 0),
            stray: None,
            ended: false,
            row: 0,
        }
    }

    fn is_too_long(&self) -> bool {
        self.offset - self.row.min(self.offset) > LONGEST
    }

    /// The line of a record that starts at this byte or, where that is a line break, after it.
    fn line_of(&mut self, byte: u64) -> u64 {
        while self.starts.front().is_some_and(|&(start, _)| start < byte) {
            self.starts.pop_front();
        }
        self.starts.front().map_or(self.line, |&(_, line)| line)
    }

    /// A line starts here, unless it is blank or the next bytes will tell.
    fn note_start(&mut self, bytes: &[u8], start: usize) {
        self.at_start = bytes.get(start).is_none_or(|&byte| byte == b'\n');
        if !self.at_start {
            self.starts.push_back((self.offset + start as u64, self.line));
        }
    }

    /// Refuses a misplaced quote before this byte, the end of a record.
    fn check_quotes(&self, end: u64) -> Result<(), TableError> {
        if let Some((byte, line, opened)) = self.stray
            && byte < end
        {
            return Err(TableError::AfterQuote { line, opened });
        }
        if self.ended && self.place == Place::Quoted && self.quote.0 < end {
            return Err(TableError::OpenQuote { line: self.quote.1 });
        }
        Ok(())
    }

    fn next_place(&mut self, byte: u8) -> Place {
        match (self.place, byte) {
            (Place::Quoted, b'"') => Place::Closed,
            (Place::Quoted, _) | (Place::Closed, b'"') => Place::Quoted,
            (_, b',' | b'\n' | b'\r') => Place::FieldStart,
            // A byte-order mark is not part of the first field.
            (Place::FieldStart, 0xef | 0xbb | 0xbf) if self.offset < 3 => Place::FieldStart,
            (Place::FieldStart, b'"') => {
                self.quote = (self.offset, self.line);
                Place::Quoted
            }
            (Place::Closed, _) => {
                self.stray.get_or_insert((self.offset, self.line, self.quote.1));
                Place::Bare
            }
            (Place::FieldStart | Place::Bare, _) => Place::Bare,
        }
    }
}

impl<R: io::Read> io::Read for Watch<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_too_long() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let count = self.input.read(buffer)?;
        self.ended |= count == 0 && !buffer.is_empty();
        let bytes = &buffer[..count];
        let Some(&last) = bytes.last() else { return Ok(count) };
        // Most inputs have no quote and no `\r`: then only the starts of lines are to be found.
        let plain = self.offset > 0 && self.last != b'\r' && matches!(self.place, Place::FieldStart | Place::Bare);
        if plain && memchr::memchr2(b'"', b'\r', bytes).is_none() {
            if self.at_start {
                self.note_start(bytes, 0);
            }
            for end in memchr::memchr_iter(b'\n', bytes) {
                self.line += 1;
                self.note_start(bytes, end + 1);
            }
            self.place = if matches!(last, b',' | b'\n') { Place::FieldStart } else { Place::Bare };
            self.last = last;
            self.offset += count as u64;
            return Ok(count);
        }
        for &byte in bytes {
            if byte == b'\n' || self.last == b'\r' {
                self.line += 1;
                self.at_start = true;
            }
            if self.at_start && byte != b'\n' && byte != b'\r' {
                self.starts.push_back((self.offset, self.line));
                self.at_start = false;
            }
            self.place = self.next_place(byte);
            self.last = byte;
            self.offset += 1;
        }
        Ok(count)
    }
}

/// Reads a table row by row, in constant memory.
pub struct Reader<R> {
    inner: csv::Reader<Watch<R>>,
    header: Header,
}

impl<R: io::Read> Reader<R> {
    /// Reads the header.
    pub fn new(input: R) -> Result<Self, TableError> {
        let mut builder = csv::ReaderBuilder::new();
        let inner = builder.has_headers(false).flexible(true).buffer_capacity(1 << 16).from_reader(Watch::new(input));
        let mut reader = Self { inner, header: Header(Vec::new()) };
        let mut names = Row::default();
        if !reader.record(&mut names)? {
            return Err(TableError::Empty);
        }
        reader.header = Header::new(names.texts().map(String::from).collect())?;
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
        if !self.record(row)? {
            return Ok(false);
        }
        let (found, expected) = (row.fields.len(), self.header.names().len());
        if found == expected { Ok(true) } else { Err(TableError::Ragged { line: row.line, found, expected }) }
    }

    /// The next record, of whatever width.
    fn record(&mut self, row: &mut Row) -> Result<bool, TableError> {
        let (is_text, start) = match self.inner.read_record(&mut row.fields) {
            Ok(false) => return Ok(false),
            // A zero byte is valid UTF-8, but only UTF-16 has it.
            Ok(true) => (memchr::memchr(0, row.fields.as_slice().as_bytes()).is_none(), row.fields.position().cloned()),
            Err(error) => match error.kind() {
                csv::ErrorKind::Utf8 { pos, .. } => (false, pos.clone()),
                _ => {
                    let watch = self.inner.get_mut();
                    let line = watch.line_of(watch.row);
                    let too_long = watch.is_too_long();
                    return Err(if too_long { TableError::TooLong { line } } else { TableError::Read(error.into()) });
                }
            },
        };
        let end = self.inner.position().byte();
        let watch = self.inner.get_mut();
        watch.row = end;
        watch.check_quotes(end)?;
        row.line = watch.line_of(start.map_or(0, |start| start.byte()));
        if is_text { Ok(true) } else { Err(TableError::NotText { line: row.line }) }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Result<Row, TableError>> {
        let mut reader = Reader::new(text.as_bytes()).unwrap();
        core::iter::from_fn(|| reader.next_row().transpose()).collect()
    }

    /// Blank lines, CRLF, quoted line breaks and a byte-order mark must not shift the line numbers of the messages.
    #[test]
    fn line_numbers_are_those_of_the_file() {
        let lines = |text| rows(text).into_iter().map(|row| row.unwrap().line).collect::<Vec<_>>();
        assert_eq!(lines("x,y\n1,2\n3,4\n"), [2, 3]);
        assert_eq!(lines("x,y\r\n1,2\r\n3,4\r\n"), [2, 3]);
        assert_eq!(lines("x,note\n1,\"a\nb\"\n3,4"), [2, 4]);
        assert_eq!(lines("x,y\n1,2\n\n\n3,4\n"), [2, 5]);
        assert_eq!(lines("\r\n\r\nx,y\r\n1,2\r\n\r\n3,4"), [4, 6]);
        assert_eq!(lines("x,y\r1,2\r3,4"), [2, 3]);
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_first_name() {
        let reader = Reader::new("\u{feff}x,y\n1,2\n".as_bytes()).unwrap();
        assert_eq!(reader.header().position("x"), Some(0));
    }

    /// The parser takes misplaced quotes as they come and swallows rows; they are refused with their line.
    #[test]
    fn misplaced_quotes_are_refused() {
        let last = |text: &str| rows(text).pop().unwrap().map_err(|error| error.to_string());
        let long = "0,0\n".repeat(10_000);
        for (text, problem) in [
            ("x,n\n1,\"abc\n2,q\n".to_owned(), "line 2: a double quote is opened and never closed"),
            (format!("x,n\n{long}1,\"abc\n{long}"), "line 10002: a double quote is opened and never closed"),
            ("x,n\r\n\r\n1,\"".to_owned(), "line 3: a double quote is opened and never closed"),
            ("x,n\n1,\"a\"\"".to_owned(), "line 2: a double quote is opened and never closed"),
            (
                "x,n\n1,\"abc\n2,\"q\"\n".to_owned(),
                "line 3: text after the closing double quote of a field that was opened in line 2",
            ),
            ("x,n\n1,\"a\" \n".to_owned(), "line 2: text after the closing double quote"),
        ] {
            let error = last(&text).unwrap_err();
            assert!(error.starts_with(problem), "{error}");
        }
        assert!(matches!(Reader::new("\u{feff}\"x,y\n1,2\n".as_bytes()), Err(TableError::OpenQuote { line: 1 })));
        // What is right stays right.
        for text in ["x,n\n1,\"a\"\"b\"\n", "x,n\n1,5\" pipe\n", "\u{feff}\"x\",n\n\"1\",\"\"", "x,n\n1,\"a\nb\"\r\n"] {
            last(text).unwrap();
        }
    }

    /// Gives its text in pieces.
    struct Pieces<'t>(&'t [u8], usize);

    impl io::Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(buffer.len());
            io::Read::read(&mut self.0, &mut buffer[..count])
        }
    }

    /// Lines, fields and refusals do not depend on where the input is cut, so that what is looked at byte by byte and what is
    /// skipped over are read alike.
    #[test]
    fn a_table_is_the_same_in_pieces() {
        let read = |text: &str, piece: usize| -> Vec<Result<(u64, Vec<String>), String>> {
            let told = |error: TableError| error.to_string();
            let mut reader = match Reader::new(Pieces(text.as_bytes(), piece)) {
                Ok(reader) => reader,
                Err(error) => return vec![Err(told(error))],
            };
            let next = || reader.next_row().map_err(told).transpose();
            core::iter::from_fn(next)
                .map(|row| row.map(|row| (row.line, row.texts().map(str::to_owned).collect())))
                .take(40)
                .collect()
        };
        let mut seed = 1_u64;
        for _ in 0..2000 {
            let mut text = String::from("x,y\n");
            for _ in 0..30 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                text.push_str(
                    ["1", "1", "2.5", ",", ",", "1,2\n", "\n", "\n", "\r\n", "\r", "\"", "é"]
                        [(seed >> 33) as usize % 12],
                );
            }
            let whole = read(&text, usize::MAX);
            for piece in [1, 2, 5, 11] {
                assert_eq!(read(&text, piece), whole, "{text:?} in pieces of {piece}");
            }
        }
    }

    /// The time grows with the number of columns, not with its square: 36 s once.
    #[test]
    fn a_wide_header_is_quick() {
        let begun = std::time::Instant::now();
        let mut names: Vec<String> = (0..200_000).map(|i| format!("c{i}")).collect();
        assert!(Header::new(names.clone()).is_ok());
        names[199_999] = String::from(" c7 ");
        let twice = Header::new(names).unwrap_err().to_string();
        assert_eq!(twice, "column `c7` appears twice in the header (fields 8 and 200000)");
        assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    }

    /// What is written is read back, whatever the text; numbers stand as they are.
    #[test]
    fn fields_are_quoted_where_a_reader_needs_it() {
        let texts = ["a", "", "a,b", "5\" pipe", "two\nlines", "one\rline", " blank ", "é"];
        let mut line = String::from("a,b,c,d,e,f,g,h\n");
        for (k, text) in texts.into_iter().enumerate() {
            line.push_str(if k == 0 { "" } else { "," });
            push_field(&mut line, text);
        }
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(texts).unwrap();
        let standard = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        assert_eq!(line.split_once('\n').unwrap().1.to_owned() + "\n", standard);
        let row = rows(&line).remove(0).unwrap();
        assert_eq!(row.texts().collect::<Vec<_>>(), texts);
    }

    #[test]
    fn a_bad_row_does_not_hide_the_next() {
        let all = rows("x,y\n1\n3,4\n");
        assert!(matches!(all[0], Err(TableError::Ragged { line: 2, found: 1, expected: 2 })));
        assert_eq!(all[1].as_ref().unwrap().number(1, "y").unwrap(), 4.0);
    }
}
