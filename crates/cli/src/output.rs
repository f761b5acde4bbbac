//! Where results go: the screen, files that appear only when complete, aligned tables.

use crate::failure::Failure;
use std::fs;
use std::io::{self, BufWriter, IsTerminal, Seek, Write};
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthStr;

/// Standard output for reports, buffered until the end; headings stand out on a terminal.
pub struct Screen {
    text: String,
    styled: bool,
}

impl Screen {
    /// Standard output.
    pub fn stdout() -> Self {
        let styled = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Self { text: String::new(), styled }
    }

    /// A line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref().trim_end());
        self.text.push('\n');
    }

    /// Text as it is.
    pub fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A heading.
    pub fn heading(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        if self.styled {
            self.line(format!("\x1b[1m{text}\x1b[0m"));
        } else {
            self.line(text);
        }
    }

    /// A table, indented by two.
    pub fn table(&mut self, table: &Table) {
        for (is_head, line) in table.lines() {
            let line = format!("  {line}");
            if is_head && self.styled {
                self.line(format!("\x1b[2m{line}\x1b[0m"));
            } else {
                self.line(line);
            }
        }
    }

    /// A JSON document.
    pub fn json(&mut self, value: &serde_json::Value) {
        self.line(format!("{value:#}"));
    }

    /// Writes what has been collected.
    pub fn finish(self) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        stdout
            .write_all(self.text.as_bytes())
            .and_then(|()| stdout.flush())
            .map_err(|error| Failure::io("cannot write to standard output", error))
    }
}

/// How a column is aligned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Text in columns.
pub struct Table {
    align: Vec<Align>,
    rows: Vec<(bool, Vec<String>)>,
}

impl Table {
    /// A table; `l` and `r` in `columns` say how each is aligned.
    pub fn new(columns: &str) -> Self {
        let align = columns.chars().map(|c| if c == 'l' { Align::Left } else { Align::Right }).collect();
        Self { align, rows: Vec::new() }
    }

    /// The line above.
    pub fn head<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push((true, cells.into_iter().map(Into::into).collect()));
    }

    /// A row; missing cells are empty.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push((false, cells.into_iter().map(Into::into).collect()));
    }

    fn lines(&self) -> impl Iterator<Item = (bool, String)> + '_ {
        let cell = |row: &[String], k: usize| row.get(k).cloned().unwrap_or_default();
        let widths: Vec<usize> = (0..self.align.len())
            .map(|k| self.rows.iter().map(|(_, row)| cell(row, k).width()).max().unwrap_or(0))
            .collect();
        self.rows.iter().map(move |(is_head, row)| {
            let cells = widths.iter().zip(&self.align).enumerate().map(|(k, (&width, &align))| {
                let text = cell(row, k);
                let blanks = " ".repeat(width.saturating_sub(text.width()));
                if align == Align::Left { text + &blanks } else { blanks + &text }
            });
            (*is_head, cells.collect::<Vec<_>>().join("  "))
        })
    }
}

/// A number for people: this many significant digits, never more than the value needs.
pub fn human(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return if value.is_nan() {
            "NaN".into()
        } else if value > 0.0 {
            "∞".into()
        } else {
            "−∞".into()
        };
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-4..7).contains(&exponent) {
        return minus(&format!("{value:.*e}", digits.saturating_sub(1)));
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    minus(text)
}

/// A number with fixed decimals; what is only rounding shows as such.
pub fn fixed(value: f64, decimals: usize) -> String {
    let half = 0.5 * 10f64.powi(-(decimals as i32));
    if value != 0.0 && value.abs() < half {
        minus(&format!("{value:.0e}"))
    } else {
        minus(&format!("{value:.decimals$}"))
    }
}

/// A proper minus sign, outside of the exponent too wide a hyphen.
fn minus(text: &str) -> String {
    match text.strip_prefix('-') {
        Some(rest) => format!("−{rest}"),
        None => text.to_owned(),
    }
}

/// The result of a verb that writes rows: nothing appears before it is complete.
///
/// A file is written under another name in the same directory and renamed at the end. Standard output gets everything
/// at the end, held in memory up to 64 MiB and in a temporary file beyond.
pub struct Sink(BufWriter<Target>);

enum Target {
    Held { file: tempfile::SpooledTempFile, path: Option<PathBuf> },
    Renamed { file: tempfile::NamedTempFile, path: PathBuf },
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Held { file, .. } => file.write(bytes),
            Self::Renamed { file, .. } => file.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Held { file, .. } => file.flush(),
            Self::Renamed { file, .. } => file.flush(),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn cannot_write(path: &Path, error: io::Error) -> Failure {
    Failure::io(&format!("cannot write {}", path.display()), error)
}

impl Sink {
    /// A file, or standard output for `-`.
    pub fn new(name: &str) -> Result<Self, Failure> {
        const HELD: usize = 64 << 20;
        let held = |path| Target::Held { file: tempfile::spooled_tempfile(HELD), path };
        if name == "-" {
            return Ok(Self(BufWriter::new(held(None))));
        }
        // Through a symbolic link to its target; a device or pipe cannot be renamed over.
        let path = fs::canonicalize(name).unwrap_or_else(|_| PathBuf::from(name));
        match fs::metadata(&path) {
            Ok(data) if data.is_dir() => return Err(Failure::new(format!("cannot write {name}: it is a directory"))),
            Ok(data) if !data.is_file() => return Ok(Self(BufWriter::new(held(Some(path))))),
            _ => {}
        }
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".dalembert-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Like any new file (the umask applies), or like the one that is replaced.
            let mode = fs::metadata(&path).map_or(0o666, |data| data.permissions().mode());
            builder.permissions(fs::Permissions::from_mode(mode));
        }
        let file = builder.tempfile_in(directory).map_err(|error| cannot_write(&path, error))?;
        Ok(Self(BufWriter::new(Target::Renamed { file, path })))
    }

    /// Makes the result appear.
    pub fn finish(self) -> Result<(), Failure> {
        let target = self.0.into_inner().map_err(|error| Failure::io("cannot write the output", error.into_error()))?;
        match target {
            Target::Renamed { file, path } => {
                file.persist(&path).map(drop).map_err(|error| cannot_write(&path, error.error))
            }
            Target::Held { mut file, path } => {
                file.rewind().map_err(|error| Failure::io("cannot read the held output back", error))?;
                match path {
                    Some(path) => fs::OpenOptions::new()
                        .write(true)
                        .open(&path)
                        .and_then(|mut device| io::copy(&mut file, &mut device))
                        .map(drop)
                        .map_err(|error| cannot_write(&path, error)),
                    None => {
                        let mut stdout = io::stdout().lock();
                        io::copy(&mut file, &mut stdout)
                            .and_then(|_| stdout.flush())
                            .map_err(|error| Failure::io("cannot write to standard output", error))
                    }
                }
            }
        }
    }
}

/// Writes a complete text to a file, or to standard output for `-`.
pub fn write_file(name: &str, text: &str) -> Result<(), Failure> {
    let mut sink = Sink::new(name)?;
    sink.write_all(text.as_bytes()).map_err(|error| cannot_write(Path::new(name), error))?;
    sink.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(human(0.000123456, 4), "0.0001235");
        assert_eq!(human(-57.7, 4), "−57.7");
        assert_eq!(human(1234567.0, 4), "1234567");
        assert_eq!(human(3.6e-14, 3), "3.60e-14");
        assert_eq!(human(f64::INFINITY, 3), "∞");
        assert_eq!(fixed(-3.6e-14, 3), "−4e-14");
        assert_eq!(fixed(0.0, 3), "0.000");
    }

    #[test]
    fn tables_align_by_width_not_by_bytes() {
        let mut table = Table::new("lr");
        table.row(["q̇", "1"]);
        table.row(["ab", "−10"]);
        let lines: Vec<_> = table.lines().map(|(_, line)| line).collect();
        assert_eq!(lines, ["q̇     1", "ab  −10"]);
    }
}
