//! How fast a cycle can be at each place of the workspace.

use super::machine::DeltaMachine;
use super::named::{Placement, Task, TaskError};
use super::{LawChoice, Motion, Pace};
use dalembert_core::Vec3;
use std::fmt::Write as _;

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapGrid {
    /// Middle of the map, m; all cycles are at its height.
    pub center: Vec3<f64>,
    /// From the middle to the edge, m.
    pub half_width: f64,
    /// Places per row and column.
    pub count: usize,
}

/// One place of the map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapCell {
    /// Middle of the cycle, m.
    pub center: Vec3<f64>,
    /// Its duration, s, or why there is none.
    pub duration: Result<f64, TaskError>,
}

/// Cycle times over a horizontal square.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleMap {
    /// Places per row.
    pub count: usize,
    /// Row by row from the lowest y, each from the lowest x.
    pub cells: Vec<MapCell>,
}

impl MapGrid {
    fn offset(&self, k: usize) -> f64 {
        if self.count < 2 { 0.0 } else { self.half_width * (2.0 * k as f64 / (self.count - 1) as f64 - 1.0) }
    }
}

impl CycleMap {
    /// The shortest cycle of a named motion at each place, with the direction and measures of `at`; `tick` is called after each, and ends the map with `false`.
    pub fn of(
        machine: &DeltaMachine,
        name: &str,
        at: &Placement,
        law: &LawChoice,
        grid: &MapGrid,
        tick: &mut dyn FnMut(usize) -> bool,
    ) -> Self {
        let mut cells = Vec::new();
        for k in 0..grid.count * grid.count {
            let offset = Vec3::new(grid.offset(k % grid.count), grid.offset(k / grid.count), 0.0);
            let center = grid.center + offset;
            let timed = Task::new(name, machine, Placement { center, ..*at })
                .and_then(|task| task.timed(machine, law, Pace::Shortest));
            cells.push(MapCell { center, duration: timed.map(|timed| timed.motion.duration()) });
            if !tick(k + 1) {
                break;
            }
        }
        Self { count: grid.count, cells }
    }

    /// The place with the shortest cycle.
    pub fn best(&self) -> Option<(&MapCell, f64)> {
        let done = self.cells.iter().filter_map(|cell| cell.duration.as_ref().ok().map(|&duration| (cell, duration)));
        done.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Columns x, y, z, duration (s), cycles_per_minute and, where there is none, why.
    pub fn to_csv(&self) -> String {
        let mut text = String::from("x,y,z,duration,cycles_per_minute,impossible\n");
        for MapCell { center, duration } in &self.cells {
            let [x, y, z] = center.0.map(|v| v + 0.0);
            // Writing to a string cannot fail.
            let _ = match duration {
                Ok(duration) => writeln!(text, "{x},{y},{z},{duration},{},", 60.0 / duration),
                Err(error) => writeln!(text, "{x},{y},{z},,,\"{}\"", error.to_string().replace('"', "'")),
            };
        }
        text
    }

    /// The map as a picture: cycles per minute, bright is fast, empty is out of reach.
    pub fn to_svg(&self, title: &str, subtitle: &str) -> String {
        const CELL: f64 = 44.0;
        let n = self.count.max(1);
        let (left, top) = (70.0, 70.0);
        let (width, height) = (left + CELL * n as f64 + 30.0, top + CELL * n as f64 + 50.0);
        let rates: Vec<Option<f64>> = self.cells.iter().map(|c| c.duration.as_ref().ok().map(|d| 60.0 / d)).collect();
        let known = || rates.iter().flatten().copied();
        let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0, f64::max));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             font-size=\"11\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{left}\" y=\"26\" font-size=\"15\" font-weight=\"bold\">{}</text>\n\
             <text x=\"{left}\" y=\"46\" fill=\"#555\">{}</text>\n",
            escape(title),
            escape(subtitle)
        );
        for (k, (cell, rate)) in self.cells.iter().zip(&rates).enumerate() {
            let (x, y) = (left + CELL * (k % n) as f64, top + CELL * (n - 1 - k / n) as f64);
            let (fill, text, ink) = match rate {
                Some(rate) => {
                    let share = if high > low { (rate - low) / (high - low) } else { 1.0 };
                    (color(share), format!("{rate:.0}"), if share > 0.55 { "black" } else { "white" })
                }
                None => ("#eeeeee".to_owned(), "–".to_owned(), "#999"),
            };
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\" stroke=\"white\"/>\
                 <text x=\"{}\" y=\"{}\" fill=\"{ink}\" text-anchor=\"middle\">{text}</text>",
                x + 0.5 * CELL,
                y + 0.5 * CELL + 4.0
            );
            let [cx, cy, _] = cell.center.0;
            if k / n == 0 {
                let _ = writeln!(
                    svg,
                    "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{:.0}</text>",
                    x + 0.5 * CELL,
                    y + CELL + 16.0,
                    cx * 1e3 + 0.0
                );
            }
            if k % n == 0 {
                let _ = writeln!(
                    svg,
                    "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:.0}</text>",
                    left - 8.0,
                    y + 0.5 * CELL + 4.0,
                    cy * 1e3 + 0.0
                );
            }
        }
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">x, mm</text>\
             <text x=\"16\" y=\"{}\">y, mm</text></svg>",
            left + 0.5 * CELL * n as f64,
            height - 10.0,
            top - 8.0
        );
        svg
    }
}

/// From dark blue over green to yellow, brighter all the way, so that it prints in grey too.
fn color(share: f64) -> String {
    const STOPS: [[f64; 3]; 4] = [[68.0, 1.0, 84.0], [49.0, 104.0, 142.0], [53.0, 183.0, 121.0], [253.0, 231.0, 37.0]];
    let place = share.clamp(0.0, 1.0) * 3.0;
    let i = (place as usize).min(2);
    let part = place - i as f64;
    let [r, g, b] = [0, 1, 2].map(|c| (STOPS[i][c] + part * (STOPS[i + 1][c] - STOPS[i][c])).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
