//! Numbers and text for people and for files; aligned columns.

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

/// A number as it is written to files: 17 significant digits, enough to read the same bits back.
pub fn number(value: f64) -> String {
    format!("{:.16e}", value + 0.0) // + 0.0: no minus before a zero
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

    #[test]
    fn tables_align_by_width_not_by_bytes() {
        let mut table = Table::new("lr");
        table.row(["q̇", "1"]);
        table.row(["ab", "−10"]);
        let lines: Vec<_> = table.lines().map(|(_, line)| line).collect();
        assert_eq!(lines, ["q̇     1", "ab  −10"]);
    }
}
