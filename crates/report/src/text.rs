//! Numbers and text for people and for files; aligned columns.

use crate::decimal;
use std::fmt::Write;
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
pub const DIGITS: usize = 17;

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
    match formatted(value, digits) {
        Some((all, length)) => {
            text.push_str(if value < 0.0 { "-" } else { "" });
            text.push_str(str::from_utf8(&all[..length]).unwrap_or_default());
        }
        // A string takes everything that is written to it.
        None => drop(write!(text, "{:.*e}", digits.clamp(1, DIGITS) - 1, value + 0.0)),
    }
}

/// The same to the bytes of a text.
#[inline]
pub fn push_number_bytes(text: &mut Vec<u8>, value: f64, digits: usize) {
    match formatted(value, digits) {
        Some((all, length)) => {
            // Signs and lengths come in no order: all that there may be is written, and what is too much taken away.
            let start = text.len();
            text.extend_from_slice(b"-");
            text.truncate(start + usize::from(value < 0.0));
            let start = text.len();
            text.extend_from_slice(&all);
            text.truncate(start + length);
        }
        None => {
            let mut rare = String::new();
            push_number(&mut rare, value, digits);
            text.extend_from_slice(rare.as_bytes());
        }
    }
}

/// A number of a usual size without its sign, and how many of these bytes it is.
#[inline]
fn formatted(value: f64, digits: usize) -> Option<([u8; 24], usize)> {
    let digits = digits.clamp(1, DIGITS);
    let (number, power) = decimal::write(value.abs(), digits)?;
    let (first, [middle, last]) = decimal::seventeen(number * decimal::ten(DIGITS - digits));
    // A digit, a point, sixteen digits, `e-27`.
    let mut all = [0; 24];
    all[0] = first;
    all[1] = b'.';
    let (places, _) = all[2..].as_chunks_mut::<8>();
    (places[0], places[1]) = (middle, last);
    let end = if digits == 1 { 1 } else { digits + 1 };
    let (exponent, length) = decimal::exponent(power);
    *all[end..].first_chunk_mut()? = exponent;
    Some((all, end + length))
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
        let cell = |row: &[String], k: usize| row.get(k).cloned().unwrap_or_default();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(human(0.000123456, 4), "0.0001235");
        assert_eq!(human(-57.7, 4), "−57.7");
        assert_eq!(human(1234567.0, 4), "1234567");
        assert_eq!(human(3.6e-14, 3), "3.60e-14");
        assert_eq!(human(-1e300, 3), "−1.00e300");
        assert_eq!(human(f64::NEG_INFINITY, 3), "−∞");
        assert_eq!(fixed(-3.6e-14, 3), "−4e-14");
        assert_eq!(fixed(0.0, 3), "0.000");
    }

    #[test]
    fn numbers_survive_the_round_trip() {
        for value in [0.1, -1.0 / 3.0, 5e-324, f64::MAX, 0.0, -0.0] {
            assert_eq!(number(value).parse::<f64>().unwrap(), value);
        }
        assert!(!number(-0.0).starts_with('-'));
    }

    /// Against the standard library: every size, ties, neighbours of powers of ten, every number of digits.
    #[test]
    fn digits_are_those_of_the_standard_library() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut values = vec![0.0, -0.0, 5e-324, f64::MIN_POSITIVE, f64::MAX, f64::NAN, f64::INFINITY, -f64::INFINITY];
        for power in -40..40 {
            let ten = 10_f64.powi(power);
            values.extend([
                ten,
                ten.next_up(),
                ten.next_down(),
                9.5 * ten,
                0.5 * ten,
                2.5 * ten,
                2_f64.powi(3 * power),
            ]);
        }
        for _ in 0..20_000 {
            values.push((random() - 0.5) * 10_f64.powf(60.0 * random() - 30.0));
            // Quarters of integers: with 17 digits and less these are ties.
            values.push((random() * 2_f64.powf(53.0 * random())).floor() / 4.0);
            values.push(f64::from_bits((random() * u64::MAX as f64) as u64));
        }
        for digits in 1..=DIGITS {
            for &value in &values {
                let mut text = String::new();
                push_number(&mut text, value, digits);
                assert_eq!(text, format!("{:.*e}", digits - 1, value + 0.0), "{value:?} with {digits} digits");
            }
        }
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
