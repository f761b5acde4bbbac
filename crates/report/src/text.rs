//! Numbers and text for people and for files; aligned columns.

use crate::decimal;
use unicode_width::UnicodeWidthStr;

/// A number for people: this many significant digits, never more than the value needs; a power of ten outside of
/// 1e-4 … 1e7.
pub fn human(value: f64, digits: usize) -> String {
    let text = match value {
        0.0 => return "0".into(),
        value if value.is_nan() => return "NaN".into(),
        value if value.is_infinite() => if value > 0.0 { "∞" } else { "-∞" }.into(),
        value => {
            let exponent = value.abs().log10().floor() as i32;
            let decimals = digits as i32 - 1 - exponent;
            if !(-4..7).contains(&exponent) {
                format!("{value:.*e}", digits.saturating_sub(1))
            } else if decimals > 0 {
                format!("{value:.*}", decimals as usize).trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                format!("{value:.0}")
            }
        }
    };
    minus(&text)
}

/// A number for people with fixed decimals; what is only rounding shows as such.
pub fn fixed(value: f64, decimals: usize) -> String {
    let half = 0.5 * 10f64.powi(-(decimals as i32));
    if value != 0.0 && value.abs() < half {
        minus(&format!("{value:.0e}"))
    } else {
        minus(&format!("{value:.decimals$}"))
    }
}

/// A proper minus sign in front; the exponent keeps its hyphen.
fn minus(text: &str) -> String {
    match text.strip_prefix('-') {
        Some(rest) => format!("−{rest}"),
        None => text.to_owned(),
    }
}

/// Significant digits of a number in files: enough to read the same bits back.
pub const DIGITS: usize = decimal::MAX_DIGITS;

/// A number as it is written to files, with [`DIGITS`].
pub fn number(value: f64) -> String {
    let mut text = String::new();
    push_number(&mut text, value, DIGITS);
    text
}

/// Appends a line of CSV with numbers; the field of one that is not there is empty.
pub fn push_numbers(text: &mut String, values: impl IntoIterator<Item = Option<f64>>) {
    for (k, value) in values.into_iter().enumerate() {
        if k > 0 {
            text.push(',');
        }
        if let Some(value) = value {
            push_number(text, value, DIGITS);
        }
    }
    text.push('\n');
}

/// Appends a number with so many significant digits, 1 to [`DIGITS`]: `-1.25e-3`. This is what `{:e}` writes, some ten times
/// as fast; files are mostly numbers.
pub fn push_number(text: &mut String, value: f64, digits: usize) {
    let digits = digits.clamp(1, DIGITS);
    match decimal::write(value.abs(), digits) {
        Some((all, length)) => {
            text.push_str(if value < 0.0 { "-" } else { "" });
            text.push_str(str::from_utf8(&all[..length]).unwrap_or_default());
        }
        None => text.push_str(&format!("{:.*e}", digits - 1, value + 0.0)),
    }
}

/// The same to the bytes of a text.
#[inline]
pub fn push_number_bytes(text: &mut Vec<u8>, value: f64, digits: usize) {
    let digits = digits.clamp(1, DIGITS);
    match decimal::write(value.abs(), digits) {
        Some((all, length)) => {
            // Signs and lengths come in no order: all that there may be is written, and what is too much taken away.
            let start = text.len();
            text.extend_from_slice(b"-");
            text.truncate(start + usize::from(value < 0.0));
            let start = text.len();
            text.extend_from_slice(&all);
            text.truncate(start + length);
        }
        None => text.extend_from_slice(format!("{:.*e}", digits - 1, value + 0.0).as_bytes()),
    }
}

/// A unit for people: `kg m^2` as kg m².
pub fn unit(unit: &str) -> String {
    unit.replace("^2", "²").replace("^3", "³")
}

/// Text in columns.
pub struct Table {
    right: Vec<bool>,
    rows: Vec<(bool, Vec<String>)>,
}

impl Table {
    /// A table; `l` and `r` in `columns` say how each is aligned: left for text, right for numbers.
    pub fn new(columns: &str) -> Self {
        Self { right: columns.chars().map(|c| c != 'l').collect(), rows: Vec::new() }
    }

    /// A table with a line above its rows.
    pub fn of<H: Into<String>, R: IntoIterator<Item: Into<String>>>(
        columns: &str,
        head: impl IntoIterator<Item = H>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let mut table = Self::new(columns);
        table.head(head);
        rows.into_iter().for_each(|row| table.row(row));
        table
    }

    /// Names and values, without a line above.
    pub fn list<N: Into<String>, T: Into<String>>(rows: impl IntoIterator<Item = (N, T)>) -> Self {
        let mut table = Self::new("ll");
        rows.into_iter().for_each(|(name, value)| table.row([name.into(), value.into()]));
        table
    }

    /// The line above.
    pub fn head<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push((true, cells.into_iter().map(Into::into).collect()));
    }

    /// A row; missing cells are empty.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push((false, cells.into_iter().map(Into::into).collect()));
    }

    /// The cells of the rows, without the heads.
    pub fn rows(&self) -> impl Iterator<Item = &[String]> {
        self.rows.iter().filter(|(is_head, _)| !is_head).map(|(_, row)| row.as_slice())
    }

    /// The lines in order, and whether each is a head.
    pub fn lines(&self) -> impl Iterator<Item = (bool, String)> + '_ {
        let cell = |row: &[String], k: usize| crate::escape::line(row.get(k).map_or("", String::as_str)).into_owned();
        let widths: Vec<usize> = (0..self.right.len())
            .map(|k| self.rows.iter().map(|(_, row)| cell(row, k).width()).max().unwrap_or(0))
            .collect();
        self.rows.iter().map(move |(is_head, row)| {
            let cells = widths.iter().zip(&self.right).enumerate().map(|(k, (&width, &right))| {
                let text = cell(row, k);
                let blanks = " ".repeat(width.saturating_sub(text.width()));
                if right { blanks + &text } else { text + &blanks }
            });
            (*is_head, cells.collect::<Vec<_>>().join("  "))
        })
    }
}
