//! Line charts as SVG: panels in a grid with common time axes, one legend.
//!
//! Written here and not drawn with a plotting crate: a chart of lines is two hundred lines of code, the file comes out
//! the same everywhere (no font is measured), and a browser, an editor and a paper take it as it is.

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

impl Series {
    /// The sign of the marks that it stands for, and the rest of its text.
    fn mark(&self) -> Option<(char, &str)> {
        let sign = self.name.chars().next().filter(|sign| ['×', '○'].contains(sign))?;
        Some((sign, self.name[sign.len_utf8()..].trim_start()))
    }
}

/// A chart.
#[derive(Clone, Debug)]
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

/// Colours that stay apart for colour-blind readers too (Okabe & Ito).
pub const COLORS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#7f7f7f"];

/// Width of a letter in pixels, at most: no font is measured.
const LETTER: f64 = 6.6;

/// About `wanted` round values in the range.
pub fn ticks((low, high): (f64, f64), wanted: usize) -> Vec<f64> {
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

/// A tick's text: as few digits as tell neighbours apart.
fn tick_text(value: f64, all: &[f64]) -> String {
    let step = if all.len() > 1 { (all[1] - all[0]).abs() } else { value.abs().max(1.0) };
    let decimals = (0..12).find(|&d| (step * 10f64.powi(d)).fract().min(1.0 - (step * 10f64.powi(d)).fract()) < 1e-6);
    let text = format!("{:.*}", decimals.unwrap_or(3) as usize, value + 0.0);
    if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') {
        "0".into()
    } else {
        text.replace('-', "−")
    }
}

/// Text that may stand in SVG or HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A text in rows of at most so many letters, where its words allow it.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match rows.last_mut() {
            Some(row) if row.chars().count() + 1 + word.chars().count() <= most => {
                row.push(' ');
                row.push_str(word);
            }
            _ => rows.push(word.to_owned()),
        }
    }
    rows
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

impl Chart {
    /// The chart as an SVG document.
    pub fn to_svg(&self) -> String {
        const PANEL: (f64, f64) = (500.0, 190.0);
        const LEFT: f64 = 74.0;
        const GAP: (f64, f64) = (84.0, 44.0);
        const SUBTITLE_ROW: f64 = 17.0;
        const LEGEND_ROW: f64 = 22.0;
        let columns = self.columns.max(1);
        let rows = self.panels.len().div_ceil(columns);
        let width = LEFT + columns as f64 * (PANEL.0 + GAP.0) - GAP.0 + 28.0;
        let subtitle = wrapped(&self.subtitle, ((width - LEFT - 28.0) / (LETTER * 13.0 / 12.0)) as usize);
        let top = 104.0 + SUBTITLE_ROW * subtitle.len().saturating_sub(1) as f64;
        let panels_bottom = top + rows as f64 * (PANEL.1 + GAP.1) - GAP.1;
        let legend_top = panels_bottom + 62.0;
        // Room for the longest name.
        let longest = self.series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
        let entry = 38.0 + LETTER * longest as f64 + 16.0;
        let per_row = (((width - LEFT) / entry) as usize).max(1);
        let notes_top = legend_top + self.series.len().div_ceil(per_row) as f64 * LEGEND_ROW + 6.0;
        let height = notes_top + self.notes.len() as f64 * 17.0 + 12.0;

        let mut svg = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"12\" fill=\"#222\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"34\" font-size=\"20\" font-weight=\"bold\">{}</text>",
            escape(&self.title)
        );
        for (k, row) in subtitle.iter().enumerate() {
            let y = 56.0 + SUBTITLE_ROW * k as f64;
            let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{y}\" font-size=\"13\" fill=\"#555\">{}</text>", escape(row));
        }
        for (index, panel) in self.panels.iter().enumerate() {
            let left = LEFT + (index % columns) as f64 * (PANEL.0 + GAP.0);
            let top = top + (index / columns) as f64 * (PANEL.1 + GAP.1);
            let last_row = index + columns >= self.panels.len();
            self.panel(&mut svg, panel, index, (left, top), PANEL, last_row);
        }
        for (k, series) in self.series.iter().enumerate() {
            let x = LEFT + (k % per_row) as f64 * entry;
            let y = legend_top + (k / per_row) as f64 * LEGEND_ROW;
            if let Some((sign, text)) = series.mark() {
                let _ = writeln!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"17\" fill=\"{}\">{sign}</text><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                    x + 15.0,
                    y + 5.5,
                    series.color,
                    x + 38.0,
                    y + 4.0,
                    escape(text)
                );
                continue;
            }
            let _ = writeln!(
                svg,
                "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x + 30.0,
                series.color,
                series.width,
                series.dash,
                x + 38.0,
                y + 4.0,
                escape(&series.name)
            );
        }
        for (k, note) in self.notes.iter().enumerate() {
            let y = notes_top + 10.0 + k as f64 * 17.0;
            let _ =
                writeln!(svg, "<text x=\"{LEFT}\" y=\"{y:.1}\" font-size=\"11\" fill=\"#555\">{}</text>", escape(note));
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Places on the horizontal axis and what is written there.
    fn x_ticks(&self) -> Vec<(f64, String)> {
        let (low, high) = self.x_range;
        if self.x_decades && high - low >= 1.0 {
            let decades = low.ceil() as i32..=high.floor() as i32;
            let lines = decades.flat_map(|k| {
                let between = (2..10).map(move |m| (f64::from(k) + f64::from(m).log10(), String::new()));
                std::iter::once((f64::from(k), super::human(10f64.powi(k), 4))).chain(between)
            });
            return lines.filter(|(x, _)| *x <= high).collect();
        }
        let places = ticks(self.x_range, 7);
        places.iter().map(|&x| (x, tick_text(x, &places))).collect()
    }

    fn panel(
        &self,
        svg: &mut String,
        panel: &Panel,
        index: usize,
        (left, top): (f64, f64),
        (width, height): (f64, f64),
        last_row: bool,
    ) {
        let ((x0, x1), (y0, y1)) = (self.x_range, panel.y_range);
        let px = |x: f64| left + (x - x0) / (x1 - x0) * width;
        let py = |y: f64| top + (y1 - y) / (y1 - y0) * height;
        let (right, bottom) = (left + width, top + height);
        let _ = writeln!(
            svg,
            "<text x=\"{left:.1}\" y=\"{:.1}\" font-size=\"13\" font-weight=\"bold\">{}</text>\n\
             <text transform=\"translate({:.1} {:.1}) rotate(-90)\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
            top - 9.0,
            escape(&panel.title),
            left - 52.0,
            0.5 * (top + bottom),
            escape(&panel.y_label)
        );
        let y_ticks = ticks((y0, y1), 5);
        for &y in &y_ticks {
            let at = py(y);
            let _ = writeln!(
                svg,
                "<line x1=\"{left:.1}\" x2=\"{right:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"{}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                if y == 0.0 { "#999" } else { "#e4e4e4" },
                left - 7.0,
                at + 4.0,
                tick_text(y, &y_ticks)
            );
        }
        for (x, text) in self.x_ticks() {
            let at = px(x);
            let _ = writeln!(
                svg,
                "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top:.1}\" y2=\"{bottom:.1}\" stroke=\"#efefef\"/>"
            );
            if last_row {
                let _ = writeln!(
                    svg,
                    "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                    bottom + 17.0
                );
            }
        }
        for (x, _) in &self.marks {
            let at = px(*x);
            let _ = writeln!(
                svg,
                "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top:.1}\" y2=\"{bottom:.1}\" stroke=\"#bbb\" stroke-dasharray=\"3 3\"/>"
            );
        }
        let _ = writeln!(
            svg,
            "<clipPath id=\"p{index}\"><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/></clipPath><g clip-path=\"url(#p{index})\" fill=\"none\" stroke-linejoin=\"round\">"
        );
        for line in &panel.lines {
            let series = &self.series[line.series];
            let mut path = String::new();
            let mut pen_down = false;
            for &(x, y) in &line.points {
                if y.is_finite() {
                    // Far outside the panel a coordinate only costs digits.
                    let at = py(y).clamp(top - 2.0 * height, bottom + 2.0 * height);
                    let _ = write!(path, "{}{:.2} {at:.2}", if pen_down { "L" } else { "M" }, px(x));
                }
                pen_down = y.is_finite();
            }
            let _ = writeln!(
                svg,
                "<path d=\"{path}\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\"/>",
                series.color, series.width, series.dash
            );
        }
        let _ = writeln!(
            svg,
            "</g><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" stroke=\"#888\"/>"
        );
        for (x, text) in &self.marks {
            let from = px(*x) + 5.0;
            let points = panel.lines.iter().flat_map(|line| &line.points);
            let near: Vec<f64> = points
                .filter(|(x, _)| (from - 5.0..from + LETTER * text.chars().count() as f64 + 5.0).contains(&px(*x)))
                .map(|(_, y)| py(*y))
                .collect();
            // Where no line runs, from the top downward; white around the letters if there is no such place.
            let free = |base: &f64| near.iter().all(|y| !(base - 14.0..base + 6.0).contains(y));
            let places = || (0..).map(|k| top + 14.0 + 4.0 * f64::from(k)).take_while(|&base| base < bottom - 4.0);
            let base = places().find(free).unwrap_or(top + 14.0);
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\" fill=\"#777\" paint-order=\"stroke\" stroke=\"white\" stroke-width=\"4\">{}</text>",
                from,
                base,
                escape(text)
            );
        }
        if last_row {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
                0.5 * (left + right),
                bottom + 36.0,
                escape(&self.x_label)
            );
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

    fn chart(points: Vec<(f64, f64)>) -> Chart {
        Chart {
            title: "a < b".into(),
            subtitle: String::new(),
            x_label: "t, s".into(),
            x_range: (0.0, 1.0),
            x_decades: false,
            columns: 1,
            panels: vec![Panel {
                title: "p".into(),
                y_label: "N m".into(),
                y_range: (-1.0, 1.0),
                lines: vec![Line { series: 0, points }],
            }],
            series: vec![Series { name: "s".into(), color: COLORS[0], width: 1.0, dash: "" }],
            marks: vec![(0.0, "mark".into())],
            notes: vec![],
        }
    }

    /// A mark stands at the top, or below the lines that run there.
    #[test]
    fn marks_keep_clear_of_the_lines() {
        let height = |y: f64| {
            let svg = chart((0..=100).map(|k| (f64::from(k) / 100.0, y)).collect()).to_svg();
            let line = svg.lines().find(|line| line.ends_with(">mark</text>")).unwrap();
            line.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse::<f64>().unwrap()
        };
        assert_eq!(height(-0.5), height(-0.9));
        assert!(height(0.95) > height(-0.5));
    }

    #[test]
    fn text_is_escaped_and_gaps_are_gaps() {
        let svg = chart(vec![(0.0, 0.0), (0.5, f64::NAN), (1.0, 0.5)]).to_svg();
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN"));
        assert_eq!(svg.matches("M").count(), 2, "two pen-down moves");
    }
}
