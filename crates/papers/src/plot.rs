//! Charts of runs.

use dalembert::Vec3;
use dalembert::control::ControlRun;
use dalembert::report::chart::{COLORS, Chart, Line, Panel, Series, range_of};

/// Points of a line: more than a screen has pixels only make the file large.
const MOST: usize = 700;

/// A chart with the colours of the project; what is not said is empty.
pub fn chart(title: &str, subtitle: &str, x_range: (f64, f64), columns: usize) -> Chart {
    Chart {
        title: title.into(),
        subtitle: subtitle.into(),
        x_label: "time, s".into(),
        x_decades: false,
        x_range,
        columns,
        panels: Vec::new(),
        series: Vec::new(),
        marks: Vec::new(),
        notes: Vec::new(),
    }
}

/// An entry of the legend.
pub fn series(name: &str, number: usize) -> Series {
    Series { name: name.into(), color: COLORS[number % COLORS.len()], width: 1.6, dash: "" }
}

/// A panel around its lines.
pub fn panel(title: &str, y_label: &str, lines: Vec<Line>) -> Panel {
    let y_range = range_of(lines.iter().flat_map(|line| line.points.iter().map(|(_, y)| *y)));
    Panel { title: title.into(), y_label: y_label.into(), y_range, lines }
}

/// A column of a run over time, scaled.
pub fn line(run: &ControlRun, column: &str, scale: f64, series: usize) -> Line {
    let values = |name: &str| run.recording.column(name).unwrap_or(&[]);
    let every = values("t").len().div_ceil(4 * MOST).max(1);
    let points = values("t").iter().zip(values(column)).step_by(every).map(|(t, y)| (*t, scale * y)).collect();
    Line { series, points }
}

/// Torques, or other vectors, of one motor over time, thinned out to what a chart can show.
pub fn vector_line(times: &[f64], vectors: &[Vec3<f64>], component: usize, series: usize) -> Line {
    let points = times.iter().zip(vectors).step_by(times.len().div_ceil(MOST).max(1));
    Line { series, points: points.map(|(t, vector)| (*t, vector[component])).collect() }
}
