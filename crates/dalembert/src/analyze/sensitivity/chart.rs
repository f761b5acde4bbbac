//! The largest contributions as bars, joint by joint: a picture for a paper.

use super::OverMotion;
use crate::report::chart::{BarChart, BarPanel, ChartBar};
use crate::report::text::{self, human};

/// Bars of one joint, at most.
const MAX_BARS: usize = 9;

impl OverMotion {
    /// What tolerances do to the torques, with one unit per joint. Of the states of a `motion` a bar is the root mean
    /// square, and a thin line ends at the largest value.
    pub fn to_chart(&self, title: String, subtitle: String, units: &[&str], motion: bool) -> BarChart {
        let note = if motion {
            "Bar: root mean square over the motion; thin line: to the largest value. “all”: combined by root of squares."
        } else {
            "“all”: combined by root of squares."
        };
        let panel = |(joint, unit): (usize, &&str)| {
            let (rms, maximum) = (human(self.torque.rms[joint], 3), human(self.torque.maximum[joint], 3));
            BarPanel {
                title: format!("Joint {}", joint + 1),
                about: if motion {
                    format!("torque: RMS {rms}, at most {maximum} {unit}")
                } else {
                    format!("torque: {rms} {unit}")
                },
                x_label: format!("change of the torque, {unit}"),
                bars: self.bars(joint),
            }
        };
        BarChart { title, subtitle, panels: units.iter().enumerate().map(panel).collect(), note: note.to_owned() }
    }

    fn bars(&self, joint: usize) -> Vec<ChartBar> {
        let mut bars: Vec<ChartBar> = self
            .contributions
            .iter()
            .map(|contribution| {
                let change = contribution.change();
                let p = &contribution.parameter;
                let name = format!("{} ± {} {}", p.name, human(contribution.half_width, 2), text::unit(p.unit));
                ChartBar { name, value: change.rms[joint], most: change.maximum[joint], strong: false }
            })
            // What is only rounding is nothing.
            .filter(|bar| bar.most > 1e-12 * self.torque.maximum[joint])
            .collect();
        bars.sort_by(|a, b| b.value.total_cmp(&a.value));
        let left_out = bars.len().saturating_sub(MAX_BARS);
        bars.truncate(MAX_BARS);
        let all = &self.combined;
        let name = if left_out > 0 { format!("all, with {left_out} smaller ones") } else { String::from("all") };
        bars.insert(0, ChartBar { name, value: all.rms[joint], most: all.maximum[joint], strong: true });
        bars
    }
}
