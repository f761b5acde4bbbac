//! How fast a cycle can be at each place of the workspace.

use super::named::{Placement, Task, TaskError};
use super::{Mover, Pace, ProfileChoice};
use crate::report::chart::{HeatAxis, HeatMap, HeatValues, Picture};
use crate::report::text::human;
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
        mover: &Mover,
        name: &str,
        at: &Placement,
        profile: &ProfileChoice,
        grid: &MapGrid,
        tick: &mut dyn FnMut(usize) -> bool,
    ) -> Self {
        let mut cells = Vec::new();
        for k in 0..grid.count * grid.count {
            let offset = Vec3::new(grid.offset(k % grid.count), grid.offset(k / grid.count), 0.0);
            let center = grid.center + offset;
            let mover = mover.clone().near(center);
            let timed = Task::of_tool(name, &mover, Placement { center, ..*at })
                .and_then(|task| task.timed(&mover, profile, Pace::Shortest));
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

    /// The map as a picture, as [maps over the workspace](crate::analyze::map) are drawn: cycles per minute, bright is
    /// fast, empty is out of reach. Of one place, of a map that was ended early, and where no cycle is possible, there is
    /// nothing to draw.
    pub fn picture(&self, title: &str, subtitle: &str) -> Option<Picture> {
        if self.cells.len() != self.count * self.count {
            return None;
        }
        let (first, last) = (self.cells.first()?.center, self.cells.last()?.center);
        let axis =
            |i: usize, name| HeatAxis { label: format!("{name}, m"), range: (first[i], last[i]), count: self.count };
        let per_minute = |cell: &MapCell| cell.duration.as_ref().map_or(f64::NAN, |duration| 60.0 / duration);
        let map = HeatMap {
            title: title.to_owned(),
            subtitle: format!("{subtitle}; z = {} m", human(first[2], 4)),
            axes: [axis(0, "x"), axis(1, "y")],
            values: HeatValues::Numbers(self.cells.iter().map(per_minute).collect()),
        };
        map.draw()
    }
}
