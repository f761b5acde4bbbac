//! Tables out of MATLAB's and NumPy's files. `arrays/make.py` writes the files: the same log in all of them.

#[path = "../../dalembert/tests/common/mutation.rs"]
#[allow(dead_code)] // mistakes of texts
mod mutation;

use dalembert_report::arrays::{ArraysError, read, read_within, to_csv};
use dalembert_report::table::Columns;
use mutation::{Random, cases, seed};
use parquet::basic::{Compression, GzipLevel};
use parquet::data_type::DoubleType;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use std::io::{self, Read, Seek, Write};
use std::sync::Arc;

const FILES: [(&str, &str, &[u8]); 7] = [
    ("plain.mat", "mat", include_bytes!("arrays/plain.mat")),
    ("packed.mat", "mat", include_bytes!("arrays/packed.mat")),
    ("nested.mat", "mat", include_bytes!("arrays/nested.mat")),
    ("plain.npz", "npz", include_bytes!("arrays/plain.npz")),
    ("packed.npz", "npz", include_bytes!("arrays/packed.npz")),
    ("matrix.npy", "npy", include_bytes!("arrays/matrix.npy")),
    ("records.npy", "npy", include_bytes!("arrays/records.npy")),
];

fn of(name: &str) -> Columns {
    let (_, ending, bytes) = FILES.iter().find(|file| file.0 == name).unwrap();
    read(ending, *bytes).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Times, positions and torques are the same numbers in every file, to the digits that it stores.
#[test]
fn the_same_log_comes_out_of_every_file() {
    for (name, columns, digits) in [
        ("plain.mat", ["t", "q1", "q3", "tau2"], 1e-15),
        ("packed.mat", ["t", "q1", "q3", "tau2"], 1e-15),
        ("nested.mat", ["time", "log_joint_q1", "log_joint_q3", "tau2"], 1e-7),
        ("plain.npz", ["t", "q1", "q3", "tau2"], 1e-15),
        ("packed.npz", ["t", "q1", "q3", "tau2"], 1e-15),
        ("matrix.npy", ["1", "2", "4", "6"], 1e-6),
        ("records.npy", ["t", "q1", "q3", "tau2"], 1e-6),
    ] {
        let table = of(name);
        let expected = |k: usize| [0.01 * k as f64, k as f64 + 0.1, k as f64 + 0.3, -(k as f64) - 0.2];
        for (which, column) in columns.iter().enumerate() {
            let place = table.names.iter().position(|own| own == column);
            let values = &table.values[place.unwrap_or_else(|| panic!("{name}: {column} in {:?}", table.names))];
            assert_eq!(values.len(), 20, "{name}: {column}");
            for (k, value) in values.iter().enumerate() {
                let right = expected(k)[which];
                assert!((value - right).abs() <= digits * right.abs().max(1.0), "{name}: {column} {k}: {value}");
            }
        }
    }
    let nested = of("nested.mat");
    let motor = nested.names.iter().position(|name| name == "log_motor_q2").unwrap();
    assert_eq!(nested.values[motor][3], 3200.0, "whole numbers of 16 bits");
}

/// What is no column is told by name.
#[test]
fn what_is_left_out_is_named() {
    let notes = of("plain.mat").notes.join("\n");
    for part in [
        "`rate` (1 × 1) is left out",
        "`parts` is left out: it is a cell array",
        "`z` is left out: its numbers are complex",
    ] {
        assert!(notes.contains(part), "{part}: {notes}");
    }
    let notes = of("plain.npz").notes.join("\n");
    assert!(notes.contains("`names` is left out") && notes.contains("`rate`"), "{notes}");
}

#[test]
fn lines_of_csv_have_the_same_numbers() {
    let table = of("plain.npz");
    let mut text = String::new();
    to_csv(table.clone()).read_to_string(&mut text).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("t,q1,q2,q3,tau1,tau2,tau3"));
    for (k, line) in lines.enumerate() {
        let values: Vec<f64> = line.split(',').map(|value| value.parse().unwrap()).collect();
        assert!(values.iter().zip(&table.values).all(|(a, b)| *a == b[k]), "{line}");
    }
}

/// Every file cut off at every byte, and with every byte changed in several ways: an error or a table, never a panic, and
/// never more memory than the file announces by its own size.
#[test]
fn broken_files_end_in_errors() {
    for (name, ending, bytes) in FILES {
        for end in 0..bytes.len() {
            if let Ok(table) = read(ending, &bytes[..end]) {
                assert!(table.values.iter().all(|column| column.len() <= bytes.len()), "{name} cut at {end}");
            }
        }
        for place in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff, bytes[place].wrapping_add(1), bytes[place] ^ 0x80] {
                let mut other = bytes.to_vec();
                other[place] = value;
                let _ = read(ending, &other[..]);
            }
        }
    }
    for (_, ending, _) in FILES {
        assert!(matches!(read(ending, &b"t,q1\n0,1\n"[..]), Err(ArraysError::Broken { .. })), "{ending}");
    }
    let error = read("mat", &b"MATLAB 7.3 MAT-file, Platform: GLNXA64"[..]).unwrap_err();
    assert!(error.to_string().contains("7.3") && error.hint().unwrap().contains("-v7"), "{error}");
}

/// An archive of one stored member that the directory names many times, by one name or by names of their own.
fn archive(member: &[u8], entries: usize, one_name: bool) -> Vec<u8> {
    let mut file = vec![0; 30];
    file.extend(member);
    let start = file.len() as u32;
    for number in 0..entries {
        let name = if one_name { "a.npy".to_owned() } else { format!("{number}.npy") };
        let mut entry = vec![0; 46];
        entry[..4].copy_from_slice(b"PK\x01\x02");
        entry[20..24].copy_from_slice(&(member.len() as u32).to_le_bytes());
        entry[28..30].copy_from_slice(&(name.len() as u16).to_le_bytes());
        file.extend(entry);
        file.extend(name.bytes());
    }
    file.extend(b"PK\x05\x06");
    file.extend([0; 6]);
    file.extend((entries as u16).to_le_bytes());
    file.extend([0; 4]);
    file.extend(start.to_le_bytes());
    file.extend([0; 2]);
    file
}

fn bytes_of(count: usize) -> Vec<u8> {
    let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({count},), }}");
    let mut member = b"\x93NUMPY\x01\x00".to_vec();
    member.extend((header.len() as u16).to_le_bytes());
    member.extend(header.bytes());
    member.extend(vec![7; count]);
    member
}

/// What counts is what numbers take, however small they are stored and however often one member is named.
#[test]
fn numbers_count_as_they_are_decoded() {
    // A byte becomes a number of eight: 64 KiB of bytes are 512 KiB of numbers.
    let member = bytes_of(1 << 16);
    assert!(read_within("npy", &member[..], 1 << 20).is_ok());
    let error = read_within("npy", &member[..], 1 << 18).unwrap_err();
    assert!(matches!(error, ArraysError::TooLarge { .. }) && error.hint().is_some(), "{error}");
    assert!(matches!(read_within("npz", &archive(&member, 1, true)[..], 1 << 18), Err(ArraysError::TooLarge { .. })));
    // Four million numbers at each entry.
    let file = archive(&bytes_of(1 << 12), 60_000, true);
    assert!(file.len() < 4 << 20);
    assert!(matches!(read_within("npz", &file[..], 64 << 20), Err(ArraysError::TooLarge { .. })));
}

/// Names are compared once each: 60,000 names took minutes.
#[test]
fn many_names_take_no_time() {
    let start = std::time::Instant::now();
    let table = read("npz", &archive(&bytes_of(2), 60_000, false)[..]).unwrap();
    assert_eq!((table.names.len(), table.rows()), (60_000, 2));
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

/// Small elements of a small file become names and notes: they count too.
#[test]
fn names_and_notes_of_small_elements_count() {
    // Empty character arrays in a structure of fields with long names, at a depth of several structures.
    let element = |kind: u32, data: &[u8]| {
        let mut all = [kind.to_le_bytes(), (data.len() as u32).to_le_bytes()].concat();
        all.extend(data);
        all.resize(all.len().next_multiple_of(8), 0);
        all
    };
    let mut matrix = Vec::new();
    for depth in 0..8 {
        let class: u32 = if depth == 0 { 1 } else { 2 };
        let mut content = element(6, &[class.to_le_bytes(), [0; 4]].concat());
        content.extend(element(5, &[1_i32.to_le_bytes(), 1_i32.to_le_bytes()].concat()));
        content.extend(element(1, b""));
        if depth > 0 {
            let fields = if depth == 1 { 2000 } else { 1 };
            content.extend(element(5, &4000_i32.to_le_bytes()));
            content.extend(element(1, &vec![b'x'; 4000 * fields]));
            (0..fields).for_each(|_| content.extend(&matrix));
        }
        matrix = element(14, &content);
    }
    let mut file = vec![b' '; 124];
    file.extend([0, 1, b'I', b'M']);
    file.extend(matrix);
    // 2000 cells, each with a path of eight names of 4000 bytes: 64 MB of notes from 8 MB of names and 100 kB of cells.
    let error = read_within("mat", &file[..], 16 << 20).unwrap_err();
    assert!(matches!(error, ArraysError::TooLarge { .. }), "{error}");
}

/// A small file that unpacks to more than any log is refused before it does.
#[test]
fn files_that_unpack_to_too_much_are_refused() {
    // Zeros pack to a thousandth; what the element announces does not matter.
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &vec![0; 2 << 20]).unwrap();
    let packed = packed.finish().unwrap();
    let mut file = vec![b' '; 124];
    file.extend([0, 1, b'I', b'M']);
    file.extend(15_u32.to_le_bytes());
    file.extend((packed.len() as u32).to_le_bytes());
    file.extend(packed);
    assert!(file.len() < 1 << 16);
    let error = read_within("mat", &file[..], 1 << 20).unwrap_err();
    assert!(error.to_string().contains("bytes of numbers"), "{error}");
}

type Tested = Result<(), Box<dyn std::error::Error>>;

/// A Parquet file of two columns and four rows, by another hand than ours.
fn parquet_file(codec: Compression) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let schema = "message log { required double time; optional double speed; }";
    let schema = Arc::new(parquet::schema::parser::parse_message_type(schema)?);
    let properties = Arc::new(WriterProperties::builder().set_compression(codec).build());
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, properties)?;
    let mut group = file.next_row_group()?;
    for levels in [None, Some(&[1, 0, 1, 1][..])] {
        let mut column = group.next_column()?.ok_or("a column")?;
        let values = [0.0, 0.25, 0.5, 0.75];
        let count = levels.map_or(4, |_| 3);
        column.typed::<DoubleType>().write_batch(&values[..count], levels, None)?;
        column.close()?;
    }
    group.close()?;
    file.close()?;
    Ok(bytes)
}

/// Its text, or why it has none; a broken file may announce any number of rows.
fn parquet_text(bytes: &[u8]) -> io::Result<String> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.rewind()?;
    let mut text = String::new();
    dalembert_report::parquet::to_csv(file)?.take(1 << 20).read_to_string(&mut text)?;
    Ok(text)
}

/// Files by snappy and gzip are read; another packing is refused with what to do, before any row.
#[test]
fn packed_parquet_is_read_or_refused_by_name() -> Tested {
    for codec in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::GZIP(GzipLevel::default())] {
        assert_eq!(parquet_text(&parquet_file(codec)?)?, "time,speed\n0.0,0.0\n0.25,\n0.5,0.25\n0.75,0.5\n", "{codec}");
    }
    // The packing follows the name in the metadata of a column: 6 is that of Zstandard, in zigzag.
    let mut bytes = parquet_file(Compression::UNCOMPRESSED)?;
    let name = b"speed\x15";
    let place = bytes.windows(name.len()).rposition(|own| own == name).ok_or("the metadata")? + name.len();
    bytes[place] = 12;
    let error = parquet_text(&bytes).expect_err("it is not read").to_string();
    assert!(error.contains("compressed by zstd") && error.contains("snappy or gzip"), "{error}");
    Ok(())
}

/// Every byte of a Parquet file changed: its reader panics for some, which is an error of the file.
#[test]
fn a_parquet_file_with_a_changed_byte_ends_in_an_error() -> Tested {
    let good = parquet_file(Compression::SNAPPY)?;
    let mut panics = 0;
    for place in 0..good.len() {
        for value in [0, 0x7f, 0xff, good[place].wrapping_add(1), good[place] ^ 0x80] {
            let mut bytes = good.clone();
            bytes[place] = value;
            if let Err(error) = parquet_text(&bytes) {
                panics += usize::from(error.to_string().starts_with("not a Parquet file, or a broken one"));
            }
        }
    }
    println!("{panics} panics were contained");
    Ok(())
}

/// A file with bytes changed, cut out, doubled, or with a number that hurts in its place.
fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let (at, other) = (random.below(bytes.len()), random.below(bytes.len()));
        let (from, to) = (at.min(other), at.max(other));
        match random.below(8) {
            0..=2 => bytes[at] = random.next() as u8,
            3 => bytes[at] ^= 1 << random.below(8),
            4 => {
                let word: u32 = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 20][random.below(6)];
                for (byte, new) in bytes[at..].iter_mut().zip(word.to_le_bytes()) {
                    *byte = new;
                }
            }
            5 => drop(bytes.drain(from..to)),
            6 => {
                let piece = bytes[from..to].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => bytes.truncate(at.max(1)),
        }
        if bytes.is_empty() {
            return bytes;
        }
    }
    bytes
}

/// None makes a reader panic, or takes long.
#[test]
fn damaged_files_end_in_errors() -> Tested {
    let gzip = Compression::GZIP(GzipLevel::default());
    let packed = [Compression::UNCOMPRESSED, Compression::SNAPPY, gzip];
    let packed = packed.map(parquet_file).into_iter().collect::<Result<Vec<_>, _>>()?;
    let all: Vec<(&str, &[u8])> =
        FILES.iter().map(|file| (file.1, file.2)).chain(packed.iter().map(|own| ("parquet", &own[..]))).collect();
    let mut random = Random(seed());
    let (count, mut accepted, mut contained) = (cases(3000), 0, 0);
    let mut slowest = std::time::Duration::ZERO;
    for case in 0..count {
        let (ending, good) = all[random.below(all.len())];
        let bytes = damaged(good, &mut random);
        let start = std::time::Instant::now();
        let outcome = std::panic::catch_unwind(|| match ending {
            "parquet" => parquet_text(&bytes).map(drop).map_err(|error| error.to_string()),
            ending => read_within(ending, &bytes[..], 64 << 20).map(drop).map_err(|error| error.to_string()),
        });
        let Ok(outcome) = outcome else { panic!("case {case}, {ending}: the reader panics on {bytes:?}") };
        accepted += usize::from(outcome.is_ok());
        contained += usize::from(
            ending == "parquet" && outcome.is_err_and(|error| error.starts_with("not a Parquet file, or a broken one")),
        );
        slowest = slowest.max(start.elapsed());
    }
    assert!(slowest.as_secs() < 20, "a case takes {slowest:?}");
    println!("{count} cases, {accepted} accepted, {contained} panics contained, the slowest took {slowest:?}");
    Ok(())
}
