//! Linear models for other tools: MATLAB (`.mat`), NumPy (`.npz`), JSON.
//!
//! The variables have the same names in all three: `A, B, C, D`, the sample time `Ts` (0: continuous), the names `states,
//! inputs, outputs` and the operating point `x0, u0, y0, dx0`. A motion adds one index and the times `t`; a regulator adds
//! `K` and `P`. JSON has the `units` of the signals too. The two binary formats are written here, without a library: a
//! MAT-file of level 5 is a header and tagged arrays, an `.npz` is a ZIP archive of uncompressed arrays.

use crate::{LinearMotion, Linearized, Matrix, MotionRegulator, Signal, StateSpace};
use serde_json::{Value, json};

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// MATLAB, level 5.
    Mat,
    /// NumPy.
    Npz,
    /// JSON, matrices row by row.
    Json,
}

impl ExportFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Mat, Self::Npz, Self::Json];

    /// The extension of file names, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Mat => "mat",
            Self::Npz => "npz",
            Self::Json => "json",
        }
    }

    /// The format that the extension of a file name says.
    pub fn of_name(name: &str) -> Option<Self> {
        let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.extension() == extension)
    }
}

fn names_of(signals: &[Signal]) -> Vec<&str> {
    signals.iter().map(|signal| signal.name.as_str()).collect()
}

/// What goes into a binary file. The additional index of a motion is the last one in MATLAB and the first one in NumPy, as
/// is usual there.
enum FileVariable<'a> {
    /// A matrix.
    Numbers(&'a str, Matrix),
    /// A vector: a column in MATLAB.
    Vector(&'a str, &'a [f64]),
    Scalar(&'a str, f64),
    /// One matrix per time of a motion.
    Pages(&'a str, Vec<&'a Matrix>),
    /// One vector per time of a motion.
    Vectors(&'a str, Vec<&'a [f64]>),
    Names(&'a str, Vec<&'a str>),
}

fn bytes_of<'a>(values: impl IntoIterator<Item = &'a f64>) -> Vec<u8> {
    values.into_iter().flat_map(|x| x.to_le_bytes()).collect()
}

impl Linearized {
    /// The model as the content of a file.
    pub fn export(&self, format: ExportFormat) -> Vec<u8> {
        match format {
            ExportFormat::Mat => mat(&self.variables()),
            ExportFormat::Npz => npz(&self.variables()),
            ExportFormat::Json => format!("{:#}\n", self.to_json()).into_bytes(),
        }
    }

    fn variables(&self) -> Vec<FileVariable<'_>> {
        let s = &self.system;
        let mut all = vec![
            FileVariable::Numbers("A", s.a.clone()),
            FileVariable::Numbers("B", s.b.clone()),
            FileVariable::Numbers("C", s.c.clone()),
            FileVariable::Numbers("D", s.d.clone()),
            FileVariable::Vector("x0", &self.state),
            FileVariable::Vector("u0", &self.input),
            FileVariable::Vector("y0", &self.output),
            FileVariable::Vector("dx0", &self.rate),
        ];
        all.extend(self.described());
        all
    }

    /// What is the same at all times of a motion.
    fn described(&self) -> [FileVariable<'_>; 4] {
        let s = &self.system;
        [
            FileVariable::Scalar("Ts", s.step.unwrap_or(0.0)),
            FileVariable::Names("states", names_of(&s.states)),
            FileVariable::Names("inputs", names_of(&s.inputs)),
            FileVariable::Names("outputs", names_of(&s.outputs)),
        ]
    }

    /// The model as JSON, with the units of its signals.
    pub fn to_json(&self) -> Value {
        let s = &self.system;
        let units = |signals: &[Signal]| -> Vec<&str> { signals.iter().map(|signal| signal.unit).collect() };
        json!({
            "A": rows(&s.a), "B": rows(&s.b), "C": rows(&s.c), "D": rows(&s.d),
            "Ts": s.step.unwrap_or(0.0),
            "states": names_of(&s.states), "inputs": names_of(&s.inputs), "outputs": names_of(&s.outputs),
            "units": { "states": units(&s.states), "inputs": units(&s.inputs), "outputs": units(&s.outputs) },
            "x0": self.state, "u0": self.input, "y0": self.output, "dx0": self.rate,
        })
    }
}

/// A motion as a file, see [`LinearMotion::export`].
pub(crate) fn motion_file(motion: &LinearMotion, regulator: Option<&MotionRegulator>, format: ExportFormat) -> Vec<u8> {
    let points = motion.points();
    let pages = |name, of: fn(&StateSpace) -> &Matrix| {
        FileVariable::Pages(name, points.iter().map(|p| of(&p.system)).collect())
    };
    let vectors = |name, of: fn(&Linearized) -> &[f64]| FileVariable::Vectors(name, points.iter().map(of).collect());
    let mut all = vec![
        FileVariable::Vector("t", motion.times()),
        pages("A", |s| &s.a),
        pages("B", |s| &s.b),
        pages("C", |s| &s.c),
        pages("D", |s| &s.d),
        vectors("x0", |p| &p.state),
        vectors("u0", |p| &p.input),
        vectors("y0", |p| &p.output),
        vectors("dx0", |p| &p.rate),
    ];
    if let Some(MotionRegulator { gains, costs }) = regulator {
        all.push(FileVariable::Pages("K", gains.iter().collect()));
        all.push(FileVariable::Pages("P", costs.iter().collect()));
    }
    all.extend(points[0].described());
    match format {
        ExportFormat::Mat => mat(&all),
        ExportFormat::Npz => npz(&all),
        ExportFormat::Json => format!("{:#}\n", motion.to_json(regulator)).into_bytes(),
    }
}

fn rows(matrix: &Matrix) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}

impl LinearMotion {
    /// The motion as JSON: the keys of [`Linearized::to_json`] with lists of matrices and points, one per time, and `K` and
    /// `P` where a regulator is given.
    pub fn to_json(&self, regulator: Option<&MotionRegulator>) -> Value {
        let points: Vec<Value> = self.points().iter().map(Linearized::to_json).collect();
        let mut json = points[0].clone();
        for key in ["A", "B", "C", "D", "x0", "u0", "y0", "dx0"] {
            json[key] = points.iter().map(|point| point[key].clone()).collect();
        }
        if let Some(MotionRegulator { gains, costs }) = regulator {
            json["K"] = gains.iter().map(rows).collect();
            json["P"] = costs.iter().map(rows).collect();
        }
        json["t"] = json!(self.times());
        json
    }
}

/// A MAT-file of level 5 (The MathWorks, *MAT-File Format*), little-endian.
fn mat(variables: &[FileVariable<'_>]) -> Vec<u8> {
    const INT8: u32 = 1;
    const UINT16: u32 = 4;
    const INT32: u32 = 5;
    const UINT32: u32 = 6;
    const DOUBLE: u32 = 9;
    const MATRIX: u32 = 14;
    fn tagged(kind: u32, data: &[u8]) -> Vec<u8> {
        let mut bytes = [kind.to_le_bytes(), (data.len() as u32).to_le_bytes()].concat();
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }
    fn array(class: u32, size: &[usize], name: &str, content: &[u8]) -> Vec<u8> {
        let words = |values: &[u32]| -> Vec<u8> { values.iter().flat_map(|word| word.to_le_bytes()).collect() };
        let size: Vec<u32> = size.iter().map(|&count| count as u32).collect();
        let parts = [
            tagged(UINT32, &words(&[class, 0])),
            tagged(INT32, &words(&size)),
            tagged(INT8, name.as_bytes()),
            content.to_vec(),
        ];
        tagged(MATRIX, &parts.concat())
    }
    let text = |text: &str| {
        let letters: Vec<u16> = text.encode_utf16().collect();
        let bytes: Vec<u8> = letters.iter().flat_map(|letter| letter.to_le_bytes()).collect();
        array(4, &[1, letters.len()], "", &tagged(UINT16, &bytes))
    };
    let mut file = format!("{:<116}", "MATLAB 5.0 MAT-file, a linear model written by Dalembert").into_bytes();
    file.extend([0; 8]);
    file.extend([0x00, 0x01, b'I', b'M']);
    for variable in variables {
        file.extend(match variable {
            FileVariable::Numbers(name, matrix) => {
                array(6, &[matrix.nrows(), matrix.ncols()], name, &tagged(DOUBLE, &bytes_of(matrix.iter())))
            }
            FileVariable::Vector(name, values) => {
                array(6, &[values.len(), 1], name, &tagged(DOUBLE, &bytes_of(values.iter())))
            }
            FileVariable::Scalar(name, value) => array(6, &[1, 1], name, &tagged(DOUBLE, &value.to_le_bytes())),
            FileVariable::Pages(name, pages) => {
                let (rows, columns) = pages[0].shape();
                let bytes = bytes_of(pages.iter().flat_map(|page| page.iter()));
                array(6, &[rows, columns, pages.len()], name, &tagged(DOUBLE, &bytes))
            }
            FileVariable::Vectors(name, vectors) => {
                let bytes = bytes_of(vectors.iter().copied().flatten());
                array(6, &[vectors[0].len(), vectors.len()], name, &tagged(DOUBLE, &bytes))
            }
            FileVariable::Names(name, names) => {
                let cells: Vec<u8> = names.iter().flat_map(|name| text(name)).collect();
                array(1, &[names.len(), 1], name, &cells)
            }
        });
    }
    file
}

/// A ZIP archive of `.npy` files (NumPy's format 1.0), stored.
fn npz(variables: &[FileVariable<'_>]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for variable in variables {
        let (name, data) = match variable {
            FileVariable::Numbers(name, matrix) => {
                let (rows, columns) = matrix.shape();
                (name, npy("<f8", true, &format!("({rows}, {columns})"), &bytes_of(matrix.iter())))
            }
            FileVariable::Vector(name, values) => {
                (name, npy("<f8", false, &format!("({},)", values.len()), &bytes_of(values.iter())))
            }
            FileVariable::Scalar(name, value) => (name, npy("<f8", false, "()", &value.to_le_bytes())),
            FileVariable::Pages(name, pages) => {
                let (rows, columns) = pages[0].shape();
                // NumPy's own order: rows of a page one after the other.
                let turned: Vec<Matrix> = pages.iter().map(|page| page.transpose()).collect();
                let bytes = bytes_of(turned.iter().flat_map(|page| page.iter()));
                (name, npy("<f8", false, &format!("({}, {rows}, {columns})", pages.len()), &bytes))
            }
            FileVariable::Vectors(name, vectors) => {
                let bytes = bytes_of(vectors.iter().copied().flatten());
                (name, npy("<f8", false, &format!("({}, {})", vectors.len(), vectors[0].len()), &bytes))
            }
            FileVariable::Names(name, names) => {
                let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(1);
                let letters = names.iter().flat_map(|name| {
                    name.chars().map(u32::from).chain(std::iter::repeat(0)).take(width).flat_map(u32::to_le_bytes)
                });
                (name, npy(&format!("<U{width}"), false, &format!("({},)", names.len()), &letters.collect::<Vec<u8>>()))
            }
        };
        let name = format!("{name}.npy");
        let (size, start) = (data.len() as u32, file.len() as u32);
        // Version, flags, method, time and date (1 January 1980), checksum, sizes, length of the name, no extra field.
        let mut common = Vec::new();
        [20u16, 0, 0, 0, 0x21].iter().for_each(|word| common.extend(word.to_le_bytes()));
        [checksum(&data), size, size].iter().for_each(|word| common.extend(word.to_le_bytes()));
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        file.extend(b"PK\x03\x04");
        file.extend(&common);
        file.extend(name.as_bytes());
        file.extend(&data);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, size, count) = (file.len() as u32, directory.len() as u32, variables.len() as u16);
    file.extend(&directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend([count, count].map(u16::to_le_bytes).concat());
    file.extend([size, start].map(u32::to_le_bytes).concat());
    file.extend([0, 0]);
    file
}

fn npy(kind: &str, columns_first: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if columns_first { "True" } else { "False" };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}");
    // Magic, version and length are 10 bytes; the data starts at a multiple of 64.
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
    header.extend(std::iter::repeat_n(' ', padded - header.len() - 1));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// The CRC-32 of ZIP archives.
const fn checksum(data: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    let mut bit = 0;
    while bit < 8 * data.len() {
        if bit.is_multiple_of(8) {
            crc ^= data[bit / 8] as u32;
        }
        crc = (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
        bit += 1;
    }
    !crc
}

// The check value of the standard.
const _: () = assert!(checksum(b"123456789") == 0xcbf4_3926);
