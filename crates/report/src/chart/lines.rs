//! Lines: panels in a grid with one horizontal axis, one legend.

use super::axis::Scale;
use super::picture::{Align, FRAME, GRID, Pen, Picture, TextStyle};
use super::{Heading, push_row, range_of, y_label, y_margin};
use crate::text::human;
use std::fmt::Write as _;

/// One line of a panel.
#[derive(Clone, Debug)]
pub struct Line {
    /// Which entry of the legend it belongs to.
    pub series: usize,
    /// Points (x, y); a gap where y is not finite.
    pub points: Vec<(f64, f64)>,
}

/// One pair of axes.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Above it.
    pub title: String,
    /// Label of the vertical axis, with its unit.
    pub y_label: String,
    /// Range of the vertical axis; lines are clipped to it.
    pub y_range: (f64, f64),
    /// The lines, drawn in order.
    pub lines: Vec<Line>,
}

/// An entry of the legend.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its text. One that starts with × or ○ stands for marks of that shape: the legend shows the sign and no line.
    pub name: String,
    /// CSS colour.
    pub color: &'static str,
    /// Stroke width in pixels.
    pub width: f64,
    /// Dash pattern, empty for a full line.
    pub dash: &'static str,
}

impl Panel {
    /// A panel that shows all of its lines.
    pub fn new(title: &str, y_label: &str, lines: Vec<Line>) -> Self {
        let y_range = range_of(lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)));
        Self { title: title.into(), y_label: y_label.into(), y_range, lines }
    }
}

impl Series {
    /// A full line of the legend.
    pub fn new(name: impl Into<String>, color: &'static str, width: f64) -> Self {
        Self { name: name.into(), color, width, dash: "" }
    }

    /// The sign of the marks that it stands for, and the rest of its text.
    fn mark(&self) -> Option<(char, &str)> {
        let sign = self.name.chars().next().filter(|sign| ['×', '○'].contains(sign))?;
        Some((sign, self.name[sign.len_utf8()..].trim_start()))
    }

    fn pen(&self) -> Pen {
        Pen { color: self.color, width: self.width, dash: self.dash }
    }

    fn legend(&self, picture: &mut Picture, (x, y): (f64, f64)) {
        let name = match self.mark() {
            Some((sign, name)) => {
                let style = TextStyle { size: 17.0, color: self.color, ..TextStyle::PLAIN.aligned(Align::Middle) };
                picture.text((x + 15.0, y + 5.5), style, &sign.to_string());
                name
            }
            None => {
                picture.line((x, y), (x + 30.0, y), self.pen());
                &self.name
            }
        };
        picture.text((x + SAMPLE, y + 4.0), TextStyle::PLAIN, name);
    }
}

/// A chart of lines.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// At the top.
    pub title: String,
    /// Below the title, smaller.
    pub subtitle: String,
    /// Label of the horizontal axis, with its unit.
    pub x_label: String,
    /// Range of the horizontal axis.
    pub x_range: (f64, f64),
    /// Whether the horizontal axis is a decimal logarithm: its ticks are then the powers of ten.
    pub x_decades: bool,
    /// Panels per row.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// The legend.
    pub series: Vec<Series>,
    /// Vertical marks with a text, in all panels.
    pub marks: Vec<(f64, String)>,
    /// Small print at the bottom.
    pub notes: Vec<String>,
}

const PANEL: (f64, f64) = (500.0, 190.0);
/// Room for texts left and right of the panels, at least.
const LEFT: f64 = 74.0;
const RIGHT: f64 = 28.0;
/// Between panels.
const AIR: f64 = 10.0;
const GAP: f64 = 46.0;
/// From a panel to the texts of its ticks.
const TO_TICKS: f64 = 7.0;
const LEGEND_ROW: f64 = 22.0;
const Y_TICKS: usize = 5;
/// Length of a line in the legend, with the gap to its name.
const SAMPLE: f64 = 38.0;

impl Chart {
    /// A chart in one column, without panels yet.
    pub fn new(title: impl Into<String>, subtitle: impl Into<String>, x_label: &str, x_range: (f64, f64)) -> Self {
        let (title, subtitle, x_label) = (title.into(), subtitle.into(), x_label.into());
        Self { title, subtitle, x_label, x_range, columns: 1, ..Self::default() }
    }

    /// The picture.
    pub fn draw(&self) -> Picture {
        let columns = self.columns.max(1);
        let rows = self.panels.len().div_ceil(columns);
        let ticks = |panel: &Panel| Scale { values: panel.y_range, pixels: (0.0, 1.0) }.ticks(Y_TICKS);
        let margin = self.panels.iter().map(|panel| y_margin(&ticks(panel)) + TO_TICKS).fold(LEFT, f64::max);
        let gap = margin + AIR;
        let inner = columns as f64 * (PANEL.0 + gap) - gap;
        let across = self.x_ticks(Scale { values: self.x_range, pixels: (0.0, 1.0) });
        let right = across.iter().map(|(_, text)| 0.5 * TextStyle::PLAIN.width(text) + 2.0).fold(RIGHT, f64::max);
        let heading = Heading::new(&self.title, &self.subtitle, inner);
        let top = heading.bottom + 40.0;
        let legend_top = top + rows as f64 * (PANEL.1 + GAP) - GAP + 62.0;
        let longest = self.series.iter().map(|series| TextStyle::PLAIN.width(&series.name)).fold(0.0, f64::max);
        let entry = SAMPLE + longest + 24.0;
        let per_row = ((inner / entry) as usize).max(1);
        let notes_top = legend_top + self.series.len().div_ceil(per_row) as f64 * LEGEND_ROW + 16.0;
        let height = notes_top + self.notes.len() as f64 * 17.0 + 2.0;

        let mut picture = Picture::new(margin + inner.max(entry) + right, height);
        heading.draw(&mut picture, margin);
        for (index, panel) in self.panels.iter().enumerate() {
            let left = margin + (index % columns) as f64 * (PANEL.0 + gap);
            let top = top + (index / columns) as f64 * (PANEL.1 + GAP);
            let x = Scale { values: self.x_range, pixels: (left, left + PANEL.0) };
            let y = Scale { values: panel.y_range, pixels: (top + PANEL.1, top) };
            self.panel(&mut picture, panel, index, (x, y));
        }
        for (k, series) in self.series.iter().enumerate() {
            let x = margin + (k % per_row) as f64 * entry;
            series.legend(&mut picture, (x, legend_top + (k / per_row) as f64 * LEGEND_ROW));
        }
        for (k, note) in self.notes.iter().enumerate() {
            picture.text((margin, notes_top + k as f64 * 17.0), TextStyle { size: 11.0, ..TextStyle::NOTE }, note);
        }
        picture
    }

    /// The numbers as CSV, point by point: `panel`, `series`, `x`, `y`.
    pub fn to_csv(&self) -> String {
        let mut csv = String::from("panel,series,x,y\n");
        for panel in &self.panels {
            for line in &panel.lines {
                let series = self.series.get(line.series).map_or("", |series| &series.name);
                for &(x, y) in &line.points {
                    push_row(&mut csv, &[&panel.title, series], &[x, y]);
                }
            }
        }
        csv
    }

    /// Places on the horizontal axis and what is written there.
    fn x_ticks(&self, scale: Scale) -> Vec<(f64, String)> {
        let (low, high) = self.x_range;
        if self.x_decades && high - low >= 1.0 {
            let decades = low.ceil() as i32..=high.floor() as i32;
            let lines = decades.flat_map(|k| {
                let between = (2..10).map(move |m| (f64::from(k) + f64::from(m).log10(), String::new()));
                std::iter::once((f64::from(k), human(10f64.powi(k), 4))).chain(between)
            });
            return lines.filter(|(x, _)| *x <= high).map(|(x, text)| (scale.at(x), text)).collect();
        }
        scale.ticks(7).into_iter().map(|(_, at, text)| (at, text)).collect()
    }

    fn panel(&self, picture: &mut Picture, panel: &Panel, index: usize, (x, y): (Scale, Scale)) {
        let ((left, right), (bottom, top)) = (x.pixels, y.pixels);
        let last_row = index + self.columns.max(1) >= self.panels.len();
        picture.text((left, top - 9.0), TextStyle { size: 13.0, bold: true, ..TextStyle::PLAIN }, &panel.title);
        for (at, text) in self.x_ticks(x) {
            picture.line((at, top), (at, bottom), Pen::thin(GRID));
            if last_row {
                picture.text((at, bottom + 17.0), TextStyle::PLAIN.aligned(Align::Middle), &text);
            }
        }
        y_label(picture, &panel.y_label, (left - TO_TICKS, 0.5 * (top + bottom)), &y.ticks(Y_TICKS));
        for (value, at, text) in y.ticks(Y_TICKS) {
            picture.line((left, at), (right, at), Pen::thin(if value == 0.0 { "#999" } else { GRID }));
            picture.text((left - TO_TICKS, at + 4.0), TextStyle::PLAIN.aligned(Align::End), &text);
        }
        for (mark, _) in &self.marks {
            let at = x.at(*mark);
            picture.line((at, top), (at, bottom), Pen { dash: "3 3", ..Pen::thin("#bbb") });
        }
        let (width, height) = (right - left, bottom - top);
        picture.markup(format!(
            "<clipPath id=\"p{index}\"><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/></clipPath><g clip-path=\"url(#p{index})\" fill=\"none\" stroke-linejoin=\"round\">"
        ));
        for line in &panel.lines {
            let series = &self.series[line.series];
            let mut path = String::new();
            let mut pen_down = false;
            for point in &line.points {
                if point.1.is_finite() {
                    // Far outside the panel a coordinate only costs digits.
                    let at = y.at(point.1).clamp(top - 2.0 * height, bottom + 2.0 * height);
                    // Writing to a string does not fail.
                    let _ = write!(path, "{}{:.2} {at:.2}", if pen_down { "L" } else { "M" }, x.at(point.0));
                }
                pen_down = point.1.is_finite();
            }
            picture.markup(format!("<path d=\"{path}\" {}/>", series.pen().attributes()));
        }
        picture.markup(String::from("</g>"));
        picture.rectangle([left, top, width, height], "none", FRAME);
        for (mark, text) in &self.marks {
            let style = TextStyle { size: 11.0, color: "#777", halo: true, ..TextStyle::PLAIN };
            let from = x.at(*mark) + 5.0;
            let points = panel.lines.iter().flat_map(|line| &line.points);
            let near: Vec<f64> = points
                .filter(|point| (from - 5.0..from + style.width(text) + 5.0).contains(&x.at(point.0)))
                .map(|point| y.at(point.1))
                .collect();
            // Where no line runs, from the top downward; white around the letters if there is no such place.
            let free = |base: &f64| near.iter().all(|y| !(base - 14.0..base + 6.0).contains(y));
            let places = || (0..).map(|k| top + 14.0 + 4.0 * f64::from(k)).take_while(|&base| base < bottom - 4.0);
            picture.text((from, places().find(free).unwrap_or(top + 14.0)), style, text);
        }
        if last_row {
            let middle = 0.5 * (left + right);
            picture.text((middle, bottom + 36.0), TextStyle::NOTE.aligned(Align::Middle), &self.x_label);
        }
    }
}
