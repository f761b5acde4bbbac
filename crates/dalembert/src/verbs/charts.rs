//! Charts of outcomes: panels one below the other over one axis.

use crate::report::chart::{COLORS, Chart, Line, Panel, Series, range_of};

/// A panel that shows all of its lines.
pub(super) fn panel(title: &str, y_label: &str, lines: Vec<Line>) -> Panel {
    let y_range = range_of(lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)));
    Panel { title: title.into(), y_label: y_label.into(), y_range, lines }
}

/// A full line of the legend.
pub(super) fn series(name: impl Into<String>, color: &'static str, width: f64) -> Series {
    Series { name: name.into(), color, width, dash: "" }
}

/// The colour of a line by its number.
pub(super) fn color(number: usize) -> &'static str {
    COLORS[number % COLORS.len()]
}

/// Panels in one column, without marks and notes.
pub(super) fn chart(title: String, subtitle: impl Into<String>, x_label: &str, x_range: (f64, f64)) -> Chart {
    Chart {
        title,
        subtitle: subtitle.into(),
        x_label: x_label.to_owned(),
        x_range,
        x_decades: false,
        columns: 1,
        panels: Vec::new(),
        series: Vec::new(),
        marks: Vec::new(),
        notes: Vec::new(),
    }
}
