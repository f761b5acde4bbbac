//! Charts: lines in panels, bars, heat maps. They share axes, number labels, colours and headings, and all become a
//! [`Picture`].
//!
//! Written here and not drawn with a plotting crate: the file comes out the same everywhere, and a browser, an editor and
//! a paper take it as it is.

mod axis;
mod bars;
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

use crate::table::push_field;
use crate::text::push_numbers;
use picture::{Align, TextStyle};

/// Colours that stay apart for colour-blind readers too (Okabe & Ito).
pub const COLORS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#7f7f7f"];

/// The colour of a line by its number.
pub fn color(number: usize) -> &'static str {
    COLORS[number % COLORS.len()]
}

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

/// A row of CSV: texts, then numbers.
fn push_row(csv: &mut String, texts: &[&str], numbers: &[f64]) {
    for text in texts {
        push_field(csv, text);
        csv.push(',');
    }
    push_numbers(csv, numbers.iter().map(|&value| value.is_finite().then_some(value)));
}

/// Width of the widest text of some ticks.
fn widest(ticks: &[(f64, f64, String)]) -> f64 {
    ticks.iter().map(|(_, _, text)| TextStyle::PLAIN.width(text)).fold(0.0, f64::max)
}

/// Room for the texts of the ticks of a vertical axis and its label, which is written upward.
fn y_margin(ticks: &[(f64, f64, String)]) -> f64 {
    widest(ticks) + 10.0 + TextStyle::NOTE.size + 3.0
}

/// The label of a vertical axis, left of the texts of its ticks, which end at `x`.
fn y_label(picture: &mut Picture, label: &str, (x, y): (f64, f64), ticks: &[(f64, f64, String)]) {
    let style = TextStyle { upward: true, ..TextStyle::NOTE.aligned(Align::Middle) };
    picture.text((x - widest(ticks) - 10.0, y), style, label);
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
