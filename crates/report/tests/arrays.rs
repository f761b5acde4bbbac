//! Tables out of MATLAB's and NumPy's files. `arrays/make.py` writes the files: the same log in all of them.

use dalembert_report::arrays::{ArraysError, read, read_within, to_csv};
use dalembert_report::table::Columns;
use std::io::Read;

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
