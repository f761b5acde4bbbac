//! Charts: lines in panels, bars, heat maps. They share axes, number labels, colours and headings, and all become a
//! [`Picture`].
//!
//! Written here and not drawn with a plotting crate: the file comes out the same everywhere, and a browser, an editor and
//! a paper take it as it is.

mod bars;
mod data;
mod heat;
mod letters;
mod lines;
mod picture;
mod view;

pub use bars::{BarChart, BarPanel, ChartBar};
pub use heat::{HeatAxis, HeatMap, HeatValues};
pub use lines::{Chart, Line, Panel, Series};
pub use picture::{Picture, of_page};
pub use view::view;

use picture::{Align, TextStyle};

/// Colours that stay apart for colour-blind readers too (Okabe & Ito).
pub const COLORS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#7f7f7f"];

/// A range around some values with a little air, never empty.
pub fn range_of(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return (-1.0, 1.0);
    }
    let air = ((high - low) * 0.06).max(1e-12 + 0.01 * high.abs().max(low.abs()));
    (low - air, high + air)
}

/// Values and the pixels where they stand.
#[derive(Clone, Copy)]
struct Scale {
    values: (f64, f64),
    pixels: (f64, f64),
}

impl Scale {
    fn at(&self, value: f64) -> f64 {
        let ((low, high), (from, to)) = (self.values, self.pixels);
        from + (value - low) / (high - low) * (to - from)
    }

    /// About `wanted` round values, where they stand, and what is written there.
    fn ticks(&self, wanted: usize) -> Vec<(f64, f64, String)> {
        let (from, to) = self.values;
        let values = ticks((from.min(to), from.max(to)), wanted);
        values.iter().map(|&value| (value, self.at(value), tick_text(value, &values))).collect()
    }
}

/// Width of the widest text of some ticks.
fn widest(ticks: &[(f64, f64, String)]) -> f64 {
    ticks.iter().map(|(_, _, text)| TextStyle::PLAIN.width(text)).fold(0.0, f64::max)
}

/// Room for the texts of the ticks of a vertical axis and its label, which is written upward.
fn y_room(ticks: &[(f64, f64, String)]) -> f64 {
    widest(ticks) + 10.0 + TextStyle::NOTE.size + 3.0
}

/// The label of a vertical axis, left of the texts of its ticks, which end at `x`.
fn y_label(picture: &mut Picture, label: &str, (x, y): (f64, f64), ticks: &[(f64, f64, String)]) {
    let style = TextStyle { upward: true, ..TextStyle::NOTE.aligned(Align::Middle) };
    picture.text((x - widest(ticks) - 10.0, y), style, label);
}

/// About `wanted` round values in the range.
fn ticks((low, high): (f64, f64), wanted: usize) -> Vec<f64> {
    let span = high - low;
    if !(span > 0.0 && span.is_finite()) {
        return vec![low];
    }
    let rough = span / wanted.max(1) as f64;
    let magnitude = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|f| f * magnitude >= rough * 0.999).unwrap_or(10.0);
    let step = factor * magnitude;
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

/// A tick's text: as few digits as tell neighbours apart; powers of ten where there would be many.
fn tick_text(value: f64, all: &[f64]) -> String {
    let step = if all.len() > 1 { (all[1] - all[0]).abs() } else { value.abs().max(1.0) };
    let largest = all.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let text = if value.abs() < 1e-6 * step {
        String::from("0")
    } else if largest >= 1e7 || step < 1e-5 {
        // A step has two digits at most.
        let digits = (value.abs() / step).log10().floor().clamp(0.0, 14.0) as usize + 2;
        let text = format!("{value:.digits$e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
    } else {
        let off = |d: &i32| (step * 10f64.powi(*d) - (step * 10f64.powi(*d)).round()).abs();
        let decimals = (0..12).find(|d| off(d) < 1e-6).unwrap_or(3);
        format!("{value:.*}", decimals as usize)
    };
    text.replace('-', "−")
}

/// Title and subtitle of a chart, in as many rows as they need.
struct Heading {
    rows: Vec<(f64, TextStyle, String)>,
    /// Where the chart below it may begin.
    bottom: f64,
}

impl Heading {
    fn new(title: &str, subtitle: &str, width: f64) -> Self {
        let (mut rows, mut bottom) = (Vec::new(), 12.0);
        let title_style = TextStyle { size: 18.0, bold: true, ..TextStyle::PLAIN };
        for (above, text, style) in
            [(0.0, title, title_style), (3.0, subtitle, TextStyle { size: 13.0, ..TextStyle::NOTE })]
        {
            bottom += above;
            for line in style.wrapped(text, width).into_iter().filter(|line| !line.is_empty()) {
                bottom += (1.25 * style.size).round() + 2.0;
                rows.push((bottom, style, line));
            }
        }
        Self { rows, bottom }
    }

    fn draw(&self, picture: &mut Picture, left: f64) {
        for (y, style, text) in &self.rows {
            picture.text((left, *y), *style, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks((0.0, 1.0), 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks((-7.0, 12.0), 4), [-5.0, 0.0, 5.0, 10.0]);
        let all = ticks((-7.0, 12.0), 4);
        assert_eq!(tick_text(-5.0, &all), "−5");
        assert_eq!(tick_text(0.6000000000000001, &ticks((0.0, 1.0), 5)), "0.6");
    }

    /// Very small and very large ranges have readable ticks too.
    #[test]
    fn tick_texts_stay_short() {
        let texts = |range| {
            let all = ticks(range, 4);
            all.iter().map(|&x| tick_text(x, &all)).collect::<Vec<_>>()
        };
        assert_eq!(texts((-1e-15, 1e-15)), ["−1e−15", "−5e−16", "0", "5e−16", "1e−15"]);
        assert_eq!(texts((0.0, 4e9)), ["0", "1e9", "2e9", "3e9", "4e9"]);
        assert_eq!(texts((-8e-11, 0.0)), ["−8e−11", "−6e−11", "−4e−11", "−2e−11", "0"]);
        assert_eq!(texts((1.0, 1.000004)), ["1e0", "1.000001e0", "1.000002e0", "1.000003e0", "1.000004e0"]);
    }

    /// Every text reads back as the value of its tick, to a small share of a step.
    #[test]
    fn tick_texts_are_their_numbers() {
        for exponent in -20..20 {
            for (low, high) in [(-8.0, 3.0), (-1.0, 1.0), (0.99, 1.01), (-1.00001, -0.99999), (123.456, 123.457)] {
                let size = 10f64.powi(exponent);
                let all = ticks((low * size, high * size), 5);
                let step = all[1] - all[0];
                for &value in &all {
                    let text = tick_text(value, &all);
                    let read: f64 = text.replace('−', "-").parse().unwrap();
                    assert!((read - value).abs() < 1e-3 * step, "{value:e} is written {text}");
                }
            }
        }
    }
}
