//! The numbers behind a chart, as CSV.

use super::{BarChart, Chart, HeatAxis, HeatMap, HeatValues};
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

impl BarChart {
    /// Bar by bar: `panel`, `bar`, `value`, `most`.
    pub fn to_csv(&self) -> String {
        let mut csv = String::from("panel,bar,value,most\n");
        for panel in &self.panels {
            for bar in &panel.bars {
                push_row(&mut csv, &[&panel.title, &bar.name], &[bar.value, bar.most]);
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
            let values: Vec<f64> = match &map.values {
                HeatValues::Numbers(values) => values.clone(),
                HeatValues::Kinds(kinds, _) => kinds.iter().map(|&kind| kind as f64).collect(),
            };
            for (k, value) in values.into_iter().enumerate() {
                let (u, v) = (k % map.axes[0].count.max(1), k / map.axes[0].count.max(1));
                push_row(&mut csv, &[&map.title], &[map.axes[0].place(u), map.axes[1].place(v), value]);
            }
        }
        csv
    }
}
