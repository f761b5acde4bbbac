//! The largest contributions as bars, joint by joint: a picture for a paper.

use super::OverMotion;
use crate::record::human;
use crate::record::plot::{escape, ticks};
use std::fmt::Write as _;

/// A bar chart of what tolerances do to the torques.
#[derive(Clone, Debug)]
pub struct Bars<'a> {
    /// At the top.
    pub title: &'a str,
    /// Below it.
    pub subtitle: &'a str,
    /// What is drawn.
    pub result: &'a OverMotion,
    /// Units of the torques, one per joint.
    pub units: &'a [&'a str],
    /// Whether the states are a motion: a bar is then the root mean square, and a thin line ends at the largest value.
    pub motion: bool,
}

/// A bar.
struct Bar {
    name: String,
    rms: f64,
    maximum: f64,
    /// The sum of all.
    total: bool,
}

/// Bars of one joint, at most.
const MOST: usize = 9;
const ROW: f64 = 21.0;
const LABEL: f64 = 268.0;
const LENGTH: f64 = 236.0;
const GAP: f64 = 34.0;
const HEAD: f64 = 46.0;
const FOOT: f64 = 56.0;
const TOP: f64 = 76.0;

impl Bars<'_> {
    fn of_joint(&self, joint: usize) -> Vec<Bar> {
        let mut bars: Vec<Bar> = self
            .result
            .contributions
            .iter()
            .map(|contribution| {
                let change = contribution.change();
                let p = &contribution.parameter;
                let name = format!("{} ± {} {}", p.name, human(contribution.half_width, 2), p.unit.replace("^2", "²"));
                Bar { name, rms: change.rms[joint], maximum: change.maximum[joint], total: false }
            })
            // What is only rounding is nothing.
            .filter(|bar| bar.maximum > 1e-12 * self.result.torque.maximum[joint])
            .collect();
        bars.sort_by(|a, b| b.rms.total_cmp(&a.rms));
        let left_out = bars.len().saturating_sub(MOST);
        bars.truncate(MOST);
        let all = &self.result.combined;
        let name = if left_out > 0 { format!("all, with {left_out} smaller ones") } else { String::from("all") };
        bars.insert(0, Bar { name, rms: all.rms[joint], maximum: all.maximum[joint], total: true });
        bars
    }

    /// The chart as an SVG document.
    pub fn to_svg(&self) -> String {
        let joints: Vec<Vec<Bar>> = (0..self.units.len()).map(|i| self.of_joint(i)).collect();
        let columns = if joints.len() > 1 { 2 } else { 1 };
        let rows = joints.iter().map(Vec::len).max().unwrap_or(0);
        let panel = (LABEL + LENGTH + GAP, HEAD + rows as f64 * ROW + FOOT);
        let width = 24.0 + columns as f64 * panel.0;
        let height = TOP + joints.len().div_ceil(columns) as f64 * panel.1 + 22.0;
        let mut svg = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"12\" fill=\"#222\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"24\" y=\"34\" font-size=\"20\" font-weight=\"bold\">{}</text>\n\
             <text x=\"24\" y=\"56\" font-size=\"13\" fill=\"#555\">{}</text>",
            escape(self.title),
            escape(self.subtitle)
        );
        for (i, bars) in joints.iter().enumerate() {
            let corner = (24.0 + (i % columns) as f64 * panel.0, TOP + (i / columns) as f64 * panel.1);
            self.panel(&mut svg, i, bars, corner);
        }
        let legend = if self.motion {
            "Bar: root mean square over the motion; thin line: to the largest value. “all”: combined by root of squares."
        } else {
            "“all”: combined by root of squares."
        };
        let _ = writeln!(svg, "<text x=\"24\" y=\"{:.0}\" fill=\"#555\">{legend}</text>\n</svg>", height - 14.0);
        svg
    }

    fn panel(&self, svg: &mut String, joint: usize, bars: &[Bar], (left, top): (f64, f64)) {
        let unit = self.units[joint];
        let torque = &self.result.torque;
        let size = if self.motion {
            format!("RMS {}, at most {} {unit}", human(torque.rms[joint], 3), human(torque.maximum[joint], 3))
        } else {
            format!("{} {unit}", human(torque.rms[joint], 3))
        };
        let _ = writeln!(
            svg,
            "<text x=\"{left:.1}\" y=\"{:.1}\" font-weight=\"bold\">Joint {}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#555\">torque: {size}</text>",
            top + 20.0,
            joint + 1,
            left + 56.0,
            top + 20.0
        );
        let most = bars.iter().fold(0.0_f64, |m, bar| m.max(bar.maximum)).max(f64::MIN_POSITIVE);
        let (zero, scale) = (left + LABEL, LENGTH / most);
        let (first, last) = (top + HEAD - 12.0, top + HEAD + bars.len() as f64 * ROW);
        let all = ticks((0.0, most), 4);
        for tick in &all {
            let x = zero + tick * scale;
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {first:.1}V{last:.1}\" stroke=\"#ddd\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
                last + 15.0,
                human(*tick, 3)
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">change of the torque, {unit}</text>",
            zero + 0.5 * LENGTH,
            last + 32.0
        );
        for (k, bar) in bars.iter().enumerate() {
            let y = top + HEAD + k as f64 * ROW;
            let color = if bar.total { "#444" } else { "#0072b2" };
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\"{}>{}</text>\
                 <rect x=\"{zero:.1}\" y=\"{:.1}\" width=\"{:.2}\" height=\"12\" fill=\"{color}\"/>",
                zero - 7.0,
                y + 4.0,
                if bar.total { " font-weight=\"bold\"" } else { "" },
                escape(&bar.name),
                y - 6.0,
                bar.rms * scale
            );
            if self.motion {
                let (from, to) = (zero + bar.rms * scale, zero + bar.maximum * scale);
                let _ = writeln!(
                    svg,
                    "<path d=\"M{from:.2} {y:.1}H{to:.2}M{to:.2} {:.1}V{:.1}\" stroke=\"{color}\" fill=\"none\"/>",
                    y - 4.0,
                    y + 4.0
                );
            }
        }
    }
}
