//! Charts of runs.

use dalembert::Vec3;
use dalembert::control::ControlRun;
use dalembert::report::chart::{Line, Panel, Series, color};

/// Points of a line: more than a screen has pixels only make the file large.
const MAX_POINTS: usize = 700;

/// An entry of the legend.
pub(crate) fn series(name: &str, number: usize) -> Series {
    Series::new(name, color(number), 1.6)
}

/// Position, velocity and acceleration along a Lissajous figure: amplitude, frequency and phase of each axis.
pub(crate) fn lissajous(t: f64, axes: [(f64, f64, f64); 3]) -> [Vec3<f64>; 3] {
    let waves = axes.map(|(a, w, phase)| {
        let (sin, cos) = (w * t + phase).sin_cos();
        [a * sin, a * w * cos, -a * w * w * sin]
    });
    [0, 1, 2].map(|rate| Vec3(waves.map(|wave| wave[rate])))
}

/// A column of a run over time, scaled.
pub fn line(run: &ControlRun, column: &str, scale: f64, series: usize) -> Line {
    let values = |name: &str| run.recording.column(name).unwrap_or(&[]);
    let every = values("t").len().div_ceil(4 * MAX_POINTS).max(1);
    let points = values("t").iter().zip(values(column)).step_by(every).map(|(t, y)| (*t, scale * y)).collect();
    Line { series, points }
}

/// Torques of one motor over time by each of the series, thinned out to what a chart can show.
pub fn torque_panel(title: &str, times: &[f64], series: &[&[Vec3<f64>]], motor: usize) -> Panel {
    let every = times.len().div_ceil(MAX_POINTS).max(1);
    let line = |(series, torques): (usize, &&[Vec3<f64>])| {
        let points = times.iter().zip(*torques).step_by(every);
        Line { series, points: points.map(|(t, torque)| (*t, torque[motor])).collect() }
    };
    Panel::new(title, "N m", series.iter().enumerate().map(line).collect())
}
