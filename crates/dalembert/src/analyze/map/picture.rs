//! A slice as a picture.

use super::{Map, Reason};
use crate::report::chart::{self, HeatMap, HeatValues, Picture};
use crate::report::text::{self, human};

/// Distinct and safe for colour-blind readers: reached, then the reasons.
const COLORS: [u32; Reason::COUNT] = [
    0xf4f4f4, 0x0072b2, 0x4a9bd1, 0x9ac8e8, 0xd55e00, 0xe98a45, 0xf7bd92, 0x000000, 0x444444, 0x888888, 0xcc79a7,
    0x009e73, 0x4cc3a0, 0xa5e3d0, 0xe69f00, 0xf0c04c, 0xf8e0a6, 0x0072b2, 0xd55e00, 0x009e73, 0x4cc3a0, 0xa5e3d0,
    0xe69f00, 0xf0c04c, 0xf8e0a6, 0xcc79a7, 0x888888, 0xe69f00, 0xf0c04c, 0xf8e0a6, 0xcc79a7, 0x888888,
];

impl Map {
    /// A picture of one channel; none of a volume, or where nothing is reached.
    pub fn heat_map(&self, channel: usize, title: &str) -> Option<Picture> {
        self.chart(channel, title)?.draw()
    }

    /// All channels of a slice in one picture, three in a row.
    pub fn heat_maps(&self, title: &str) -> Option<Picture> {
        let maps: Option<Vec<HeatMap>> = (0..self.channels.len()).map(|channel| self.chart(channel, title)).collect();
        HeatMap::draw_all(&maps?)
    }

    fn chart(&self, channel: usize, title: &str) -> Option<HeatMap> {
        let axes = self.plane()?;
        let what = self.channels.get(channel)?;
        let across = (0..3).find(|axis| !axes.contains(axis)).unwrap_or(2);
        let (name, of) = self.axes[across];
        let at = format!("{name} = {} {of}", human(self.grid.axes[across].from, 4));
        let unit = if what.unit.is_empty() { String::new() } else { format!(", {}", text::unit(what.unit)) };
        // The axis across has one value, so the number of a position is that of the plane.
        let values = (0..self.grid.len()).map(|k| self.value(k, channel));
        Some(HeatMap {
            title: title.to_owned(),
            subtitle: format!("{}: {}{unit}; {at}", what.name, what.meaning),
            axes: axes.map(|axis| {
                let super::GridAxis { from, to, count } = self.grid.axes[axis];
                let (name, unit) = self.axes[axis];
                chart::HeatAxis { label: format!("{name}, {unit}"), range: (from, to), count }
            }),
            values: if what.reasons {
                let kinds = COLORS.iter().enumerate().map(|(code, &color)| (color, Reason::text(code)));
                HeatValues::Kinds(values.map(|code| code as usize).collect(), kinds.collect())
            } else {
                HeatValues::Numbers(values.collect())
            },
        })
    }
}
