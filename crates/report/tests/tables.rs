//! Tables: rows, lines, quotes, whatever pieces the input comes in; recordings and Parquet files read back to the same bits.

use dalembert_report::parquet::{ParquetTable, to_csv};
use dalembert_report::recording::{Recording, RecordingError};
use dalembert_report::table::{Block, Header, Reader, Row, TableError, push_field};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::{Value, json};
use std::io;

/// Rows of a group of a Parquet file.
const GROUP: usize = 1 << 16;

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

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.next() as usize % texts.len()]
    }
}

/// What another reader makes of a table: the same fields, wherever it has no misplaced quote, which only ours refuses.
#[test]
fn rows_are_those_of_another_reader() {
    let mut random = Random(7);
    let mut compared = 0;
    for _ in 0..20_000 {
        let mut text = String::from("x,y\n");
        for _ in 0..12 {
            text.push_str(random.of(&[
                "1",
                "2.5",
                ",",
                ",",
                "1,2\n",
                "\n",
                "\r\n",
                "\r",
                "\"a\"",
                ",\"b\"\"\r\nc\"",
                "é",
                " ",
            ]));
        }
        let mut other = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(text.as_bytes());
        let expected: Vec<Vec<String>> =
            other.records().skip(1).map(|row| row.unwrap().iter().map(String::from).collect()).collect();
        let mut reader = Reader::new(text.as_bytes()).unwrap();
        let mut row = Row::default();
        let mut found: Vec<Vec<String>> = Vec::new();
        let whole = loop {
            match reader.read(&mut row) {
                Ok(false) => break true,
                Ok(true) | Err(TableError::Ragged { .. }) => found.push(row.texts().map(String::from).collect()),
                Err(error) => {
                    assert!(matches!(error, TableError::AfterQuote { .. } | TableError::OpenQuote { .. }), "{error}");
                    break false;
                }
            }
        };
        compared += found.len();
        assert_eq!(found, expected[..if whole { expected.len() } else { found.len() }], "{text:?}");
    }
    assert!(compared > 20_000, "{compared}");
}

/// Blocks have the same rows, in whatever pieces the input comes and however large they are; and what is passed on of a row is what
/// was there.
#[test]
fn blocks_have_the_same_rows() {
    let mut random = Random(11);
    for _ in 0..500 {
        let mut text = String::from("\u{feff}x,y\n");
        for _ in 0..200 {
            text.push_str(random.of(&["1,2\n", "1,2\n", "3.5,-1e3\r\n", "\n", "\"a,\"\"b\",c\n", "é,2\r", "1\n"]));
        }
        let mut reader = Reader::new(text.as_bytes()).unwrap();
        let mut expected = Vec::new();
        while let Some(row) = reader.next_row().transpose() {
            expected.push(
                row.map(|row| (row.line, row.texts().map(String::from).collect::<Vec<_>>())).map_err(|e| e.to_string()),
            );
        }
        for piece in [1, 7, usize::MAX] {
            for least in [1, 50, 1 << 20] {
                let mut reader = Reader::new(Pieces(text.as_bytes(), piece)).unwrap();
                let (mut block, mut row, mut found) = (Block::default(), Row::default(), Vec::new());
                while reader.block(&mut block, least).unwrap() {
                    loop {
                        match block.read(&mut row) {
                            Ok(false) => break,
                            Ok(true) => {
                                let mut line = Vec::new();
                                row.push_fields(&mut line, 0..2);
                                let line = String::from_utf8(line).unwrap();
                                let again = rows(&format!("x,y\n{line}\n")).remove(0).unwrap();
                                assert!(again.texts().eq(row.texts()), "{line:?}");
                                found.push(Ok((row.line, row.texts().map(String::from).collect::<Vec<_>>())));
                            }
                            Err(error) => found.push(Err(error.to_string())),
                        }
                    }
                }
                assert_eq!(found, expected, "{text:?} in pieces of {piece}, blocks of {least}");
            }
        }
    }
}

/// Against the standard library, to the bit: numbers as programs and people write them, every size, ties and their neighbours.
#[test]
fn numbers_are_those_of_the_standard_library() {
    let mut texts: Vec<String> = [
        "0",
        "-0",
        "-0.0",
        "+1",
        "1.",
        ".5",
        "-.5e1",
        "1e5",
        "1E+05",
        "1e-5",
        " 2 ",
        "007",
        "0.1e1",
        "9007199254740993",
        "1e0005",
        "9007199254740992.9999",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "1e22",
        "1e23",
        "8.5e-1",
        "0.00000000000000000000000012345678901234567",
        "1.7976931348623157e308",
        "4.9e-324",
        "123456789012345678e-27",
        "1e-27",
    ]
    .map(String::from)
    .into();
    let mut random = Random(3);
    for _ in 0..300_000 {
        let bits = random.next() << 33 | random.next();
        let size = 10_f64.powi((random.next() % 60) as i32 - 30);
        let value = (bits as f64 / 2_f64.powi(63) - 0.5) * size;
        texts.push(format!("{value:?}"));
        texts.push(format!("{value:.16e}"));
        texts.push(format!("{value:.*}", random.next() as usize % 20));
        let number = (bits >> (random.next() % 60)) * 2 + 1;
        // Halfway between two numbers of 53 bits, where there are such, and what is next to it.
        let half = f64::from_bits(((number as f64).to_bits()) & !0xf) as u64 | 1;
        texts.extend([half, half.wrapping_add(1), half.wrapping_sub(1)].map(|half| half.to_string()));
        texts.push(format!("{}e{}", number, (random.next() % 60) as i32 - 30));
    }
    for half in [9007199254740993_u64, 18014398509481986, 9007199254740995] {
        for places in 0..5 {
            texts.push(format!("{}{}", half, "0".repeat(places)));
            texts.push(format!("{}e-{places}", half * 10_u64.pow(places as u32 % 4)));
        }
    }
    let mut reader = Reader::new(io::Cursor::new(format!("x\n{}\n", texts.join("\n")))).unwrap();
    for text in &texts {
        let row = reader.next_row().unwrap().unwrap();
        let value = row.number(0, "x").unwrap();
        assert_eq!(value.to_bits(), text.trim().parse::<f64>().unwrap().to_bits(), "{text}");
    }
    for text in [
        "",
        "-",
        ".",
        "e5",
        "1e",
        "1e+",
        "1,5",
        "0x10",
        "1 2",
        "--1",
        "1.2.3",
        "1e5.0",
        "12345678a",
        "/1234567",
        ":1234567",
    ] {
        let row = rows(&format!("x,n\n\"{text}\",1\n")).remove(0).unwrap();
        assert!(matches!(row.number(0, "x"), Err(TableError::NotANumber { .. })), "{text}");
    }
    for text in ["nan", "inf", "-Infinity", "1e999"] {
        let row = rows(&format!("x\n{text}\n")).remove(0).unwrap();
        assert!(matches!(row.number(0, "x"), Err(TableError::NotFinite { .. })), "{text}");
    }
}

/// A row that does not end is refused at the line where it begins, and no more memory is taken than that needs.
#[test]
fn an_endless_row_is_refused() {
    let text = format!("x,y\n1,2\n\n\"{}", "a".repeat(17 << 20));
    let all = rows(&text);
    assert_eq!(all.len(), 2);
    assert!(matches!(all[1], Err(TableError::TooLong { line: 4 })));
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
                ["1", "1", "2.5", ",", ",", "1,2\n", "\n", "\n", "\r\n", "\r", "\"", "é"][(seed >> 33) as usize % 12],
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

#[test]
fn csv_reads_back_to_the_same_bits() -> Result<(), Box<dyn std::error::Error>> {
    let mut recording = Recording::new(["t", "a b", "c,d"].map(|name| (name.to_owned(), "m", String::new())))?;
    let rows = [[0.0, 1.0 / 3.0, -1e-300], [0.1, f64::MAX, 5e-324]];
    for row in &rows {
        recording.push(row)?;
    }
    let mut bytes = Vec::new();
    recording.write_csv(&mut bytes)?;
    let mut reader = Reader::new(bytes.as_slice())?;
    assert_eq!(reader.header().names(), ["t", "a b", "c,d"]);
    for row in rows {
        let read = reader.next_row()?.ok_or("a row is missing")?;
        for (i, value) in row.into_iter().enumerate() {
            assert_eq!(read.number(i, "")?.to_bits(), value.to_bits());
        }
    }
    Ok(())
}

#[test]
fn a_name_means_one_column_and_rows_are_whole() -> Result<(), RecordingError> {
    let columns = |names: [&str; 2]| names.map(|name| (name.to_owned(), "", String::new()));
    assert_eq!(Recording::new(columns(["t", "t"])), Err(RecordingError::Duplicate { name: "t".into() }));
    let mut recording = Recording::new(columns(["t", "x"]))?;
    assert_eq!(recording.push(&[1.0]), Err(RecordingError::Width { given: 1, expected: 2 }));
    Ok(())
}

/// More rows than a group has; what is read is what was written, to the bit, with its metadata.
#[test]
fn parquet_reads_back_to_the_same_bits() -> Result<(), Box<dyn std::error::Error>> {
    let names = ["t", "left.x"];
    let mut recording = Recording::new(names.map(|name| (name.to_owned(), "m", format!("the {name}"))))?;
    for row in 0..GROUP + 10 {
        recording.push(&[row as f64 * 1e-3, (row as f64).sin()])?;
    }
    let mut bytes = Vec::new();
    recording.write_parquet(&mut bytes)?;
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes))?;
    let metadata = reader.metadata().file_metadata();
    let read: Vec<&str> = metadata.schema_descr().columns().iter().map(|column| column.name()).collect();
    assert_eq!(read, names);
    let about = &metadata.key_value_metadata().ok_or("no metadata")?[0];
    let about: Value = serde_json::from_str(about.value.as_deref().ok_or("no value")?)?;
    assert_eq!(about["left.x"], json!({ "unit": "m", "meaning": "the left.x" }));
    let mut count = 0;
    for row in reader.get_row_iter(None)? {
        let row = row?;
        for (i, column) in recording.columns().iter().enumerate() {
            assert_eq!(row.get_double(i)?.to_bits(), column.values[count].to_bits());
        }
        count += 1;
    }
    assert_eq!(count, recording.rows());
    Ok(())
}

/// There and back through the reader of CSV: more rows than a group has, the same bits.
#[test]
fn a_table_reads_back_as_csv() -> Result<(), Box<dyn std::error::Error>> {
    let rows: Vec<[f64; 2]> = (0..GROUP + 3).map(|row| [row as f64, (row as f64).sin() * 1e-30]).collect();
    let mut file = tempfile::tempfile()?;
    let mut table = ParquetTable::new(["t", "a,b"].into_iter(), &mut file)?;
    rows.iter().try_for_each(|row| table.push(row))?;
    table.finish()?;
    let mut reader = Reader::new(to_csv(file)?)?;
    assert_eq!(reader.header().names(), ["t", "a,b"]);
    for (k, row) in rows.iter().enumerate() {
        let read = reader.next_row()?.ok_or("a row is missing")?;
        assert_eq!(read.line, k as u64 + 2);
        assert_eq!([read.number(0, "t")?, read.number(1, "a,b")?].map(f64::to_bits), row.map(f64::to_bits));
    }
    assert!(reader.next_row()?.is_none());
    Ok(())
}
