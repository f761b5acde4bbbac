//! The numbers behind a chart, as CSV.

use super::{Chart, HeatAxis, HeatMap};
use crate::table::push_field;
use crate::text::push_numbers;

/// A row: texts, then numbers.
fn push_row(csv: &mut String, texts: &[&str], numbers: &[f64]) {
    for text in texts {
        push_field(csv, text);
        csv.push(',');
    }
    push_numbers(csv, numbers.iter().map(|&value| value.is_finite().then_some(value)));
}

impl Chart {
    /// Point by point: `panel`, `series`, `x`, `y`.
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
}

impl HeatAxis {
    fn place(&self, k: usize) -> f64 {
        let (from, to) = self.range;
        from + (to - from) * k as f64 / (self.count.max(2) - 1) as f64
    }
}

impl HeatMap {
    /// Several maps, place by place: `map`, `x`, `y`, `value` (a kind by its number).
    pub fn to_csv(maps: &[Self]) -> String {
        let mut csv = String::from("map,x,y,value\n");
        for map in maps {
            for (u, v) in map.positions() {
                let place = [map.axes[0].place(u), map.axes[1].place(v), map.value(u, v)];
                push_row(&mut csv, &[&map.title], &place);
            }
        }
        csv
    }
}
