//! Linear models for other tools: MATLAB (`.mat`), NumPy (`.npz`), JSON.
//!
//! The variables have the same names in all three: `A, B, C, D`, the sample time `Ts` (0: continuous), the names `states,
//! inputs, outputs` and the operating point `x0, u0, y0, dx0`. A motion adds one index and the times `t`; a regulator adds
//! `K` and `P`. JSON has the `units` of the signals too. The two binary formats are written here, without a library: a
//! MAT-file of level 5 is a header and tagged arrays, an `.npz` is a ZIP archive of uncompressed arrays.

use crate::{LinearError, LinearMotion, Linearized, Matrix, MotionRegulator, Signal, StateSpace};
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

/// A variable of a binary file. The index of the time of a motion is the last one in MATLAB and the first one in NumPy, as is
/// usual there.
struct FileVariable<'a> {
    name: &'a str,
    /// There is one value for each time of a motion.
    several: bool,
    value: FileValue<'a>,
}

enum FileValue<'a> {
    Matrices(Vec<&'a Matrix>),
    /// A single one is a column in MATLAB.
    Vectors(Vec<&'a [f64]>),
    Scalar(f64),
    Names(Vec<&'a str>),
}

impl FileVariable<'_> {
    /// How many numbers it has.
    fn numbers(&self) -> usize {
        match &self.value {
            FileValue::Matrices(all) => all.iter().map(|matrix| matrix.len()).sum(),
            FileValue::Vectors(all) => all.iter().map(|vector| vector.len()).sum(),
            FileValue::Scalar(_) | FileValue::Names(_) => 0,
        }
    }
}

/// The variables of one model, or of the models along a motion with its times and its regulator.
fn variables<'a>(
    points: &'a [Linearized],
    times: Option<&'a [f64]>,
    regulator: Option<&'a MotionRegulator>,
) -> Vec<FileVariable<'a>> {
    let several = times.is_some();
    let matrices = |name, all: Vec<&'a Matrix>| FileVariable { name, several, value: FileValue::Matrices(all) };
    let of_system =
        |name, of: fn(&StateSpace) -> &Matrix| matrices(name, points.iter().map(|p| of(&p.system)).collect());
    let vectors = |name, of: fn(&Linearized) -> &[f64]| {
        let value = FileValue::Vectors(points.iter().map(of).collect());
        FileVariable { name, several, value }
    };
    let alone = |name, value| FileVariable { name, several: false, value };
    let mut all: Vec<_> = times.map(|times| alone("t", FileValue::Vectors(vec![times]))).into_iter().collect();
    all.extend([
        of_system("A", |s| &s.a),
        of_system("B", |s| &s.b),
        of_system("C", |s| &s.c),
        of_system("D", |s| &s.d),
        vectors("x0", |p| &p.state),
        vectors("u0", |p| &p.input),
        vectors("y0", |p| &p.output),
        vectors("dx0", |p| &p.rate),
    ]);
    if let Some(MotionRegulator { gains, costs }) = regulator {
        all.extend([matrices("K", gains.iter().collect()), matrices("P", costs.iter().collect())]);
    }
    // What is the same at all times.
    let s = &points[0].system;
    all.extend([
        alone("Ts", FileValue::Scalar(s.step.unwrap_or(0.0))),
        alone("states", FileValue::Names(names_of(&s.states))),
        alone("inputs", FileValue::Names(names_of(&s.inputs))),
        alone("outputs", FileValue::Names(names_of(&s.outputs))),
    ]);
    all
}

fn bytes_of<'a>(values: impl IntoIterator<Item = &'a f64>) -> Vec<u8> {
    values.into_iter().flat_map(|x| x.to_le_bytes()).collect()
}

impl Linearized {
    /// The model as the content of a file.
    pub fn export(&self, format: ExportFormat) -> Vec<u8> {
        let all = || variables(std::slice::from_ref(self), None, None);
        match format {
            ExportFormat::Mat => mat(&all()),
            ExportFormat::Npz => npz(&all()),
            ExportFormat::Json => format!("{:#}\n", self.to_json()).into_bytes(),
        }
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

fn rows(matrix: &Matrix) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}

impl LinearMotion {
    /// The motion as the content of a file: the times `t`, the models `A, B, C, D` and the points `x0, u0, y0, dx0`, with
    /// `K` and `P` where a regulator is given. The index of the time is the last one in MATLAB (`A(:,:,k)`, `x0(:,k)`) and
    /// the first one in NumPy and JSON (`A[k]`, `x0[k]`).
    pub fn export(&self, regulator: Option<&MotionRegulator>, format: ExportFormat) -> Result<Vec<u8>, LinearError> {
        let all = variables(self.points(), Some(self.times()), regulator);
        // Names and headers take less than the rest of the four gigabytes.
        let bytes = 8 * all.iter().map(|variable| variable.numbers() as u64).sum::<u64>();
        match format {
            ExportFormat::Json => Ok(format!("{:#}\n", self.to_json(regulator)).into_bytes()),
            _ if bytes > u64::from(u32::MAX) - (1 << 20) => Err(LinearError::TooLarge { bytes }),
            ExportFormat::Mat => Ok(mat(&all)),
            ExportFormat::Npz => Ok(npz(&all)),
        }
    }

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
    for FileVariable { name, several, value } in variables {
        file.extend(match value {
            FileValue::Matrices(pages) => {
                let (rows, columns) = pages[0].shape();
                let size = [rows, columns, pages.len()];
                let bytes = bytes_of(pages.iter().flat_map(|page| page.iter()));
                array(6, if *several { &size } else { &size[..2] }, name, &tagged(DOUBLE, &bytes))
            }
            FileValue::Vectors(vectors) => {
                let bytes = bytes_of(vectors.iter().copied().flatten());
                array(6, &[vectors[0].len(), vectors.len()], name, &tagged(DOUBLE, &bytes))
            }
            FileValue::Scalar(value) => array(6, &[1, 1], name, &tagged(DOUBLE, &value.to_le_bytes())),
            FileValue::Names(names) => {
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
    for FileVariable { name, several, value } in variables {
        let data = match value {
            FileValue::Matrices(pages) => {
                let (rows, columns) = pages[0].shape();
                match several {
                    false => npy("<f8", true, &format!("({rows}, {columns})"), &bytes_of(pages[0].iter())),
                    true => {
                        // NumPy's own order: rows of a page one after the other.
                        let turned: Vec<Matrix> = pages.iter().map(|page| page.transpose()).collect();
                        let bytes = bytes_of(turned.iter().flat_map(|page| page.iter()));
                        npy("<f8", false, &format!("({}, {rows}, {columns})", pages.len()), &bytes)
                    }
                }
            }
            FileValue::Vectors(vectors) => {
                let (count, length) = (vectors.len(), vectors[0].len());
                let shape = if *several { format!("({count}, {length})") } else { format!("({length},)") };
                npy("<f8", false, &shape, &bytes_of(vectors.iter().copied().flatten()))
            }
            FileValue::Scalar(value) => npy("<f8", false, "()", &value.to_le_bytes()),
            FileValue::Names(names) => {
                let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(1);
                let letters = names.iter().flat_map(|name| {
                    name.chars().map(u32::from).chain(std::iter::repeat(0)).take(width).flat_map(u32::to_le_bytes)
                });
                npy(&format!("<U{width}"), false, &format!("({},)", names.len()), &letters.collect::<Vec<u8>>())
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
