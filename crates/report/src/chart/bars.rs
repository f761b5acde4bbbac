//! Bars with names, the longest first: panels of them in two columns.

use super::axis::Scale;
use super::picture::{Align, GRID, INK, Pen, Picture, TextStyle};
use super::{COLORS, Heading};

/// A chart of bars.
#[derive(Clone, Debug)]
pub struct BarChart {
    /// At the top.
    pub title: String,
    /// Below it.
    pub subtitle: String,
    /// The panels, row by row.
    pub panels: Vec<BarPanel>,
    /// Small print at the bottom.
    pub note: String,
}

/// Bars with a common axis, which begins at zero.
#[derive(Clone, Debug)]
pub struct BarPanel {
    /// Above it.
    pub title: String,
    /// Right of the title.
    pub about: String,
    /// Label of the axis, with its unit.
    pub x_label: String,
    /// From above downward.
    pub bars: Vec<ChartBar>,
}

/// A bar.
#[derive(Clone, Debug)]
pub struct ChartBar {
    /// Left of it.
    pub name: String,
    /// Its length.
    pub value: f64,
    /// Where a thin line from its end ends; the value itself: there is none.
    pub most: f64,
    /// Whether it stands out, as a sum among its parts does.
    pub strong: bool,
}

const ROW: f64 = 21.0;
const LEFT: f64 = 24.0;
const LENGTH: f64 = 250.0;
const GAP: f64 = 40.0;
/// Space above and below the bars of a panel.
const HEAD: f64 = 46.0;
const FOOT: f64 = 52.0;
const NOTE_ROW: f64 = 17.0;

impl BarChart {
    /// The picture.
    pub fn draw(&self) -> Picture {
        let columns = self.panels.len().clamp(1, 2);
        let rows = self.panels.iter().map(|panel| panel.bars.len()).max().unwrap_or(0);
        let names = self.panels.iter().flat_map(|panel| &panel.bars).map(|bar| bar.style().width(&bar.name));
        let label = names.fold(0.0, f64::max) + 8.0;
        let panel_size = (label + LENGTH + GAP, HEAD + rows as f64 * ROW + FOOT);
        let inner = columns as f64 * panel_size.0 - GAP;
        let heading = Heading::new(&self.title, &self.subtitle, inner);
        let top = heading.bottom + 14.0;
        let bottom = top + self.panels.len().div_ceil(columns) as f64 * panel_size.1;
        let note = TextStyle::NOTE.wrapped(&self.note, inner);
        let mut picture = Picture::new(LEFT + inner + LEFT, bottom + NOTE_ROW * note.len() as f64 + 12.0);
        heading.draw(&mut picture, LEFT);
        for (k, panel) in self.panels.iter().enumerate() {
            let corner = (LEFT + (k % columns) as f64 * panel_size.0, top + (k / columns) as f64 * panel_size.1);
            panel.draw(&mut picture, corner, label);
        }
        for (k, row) in note.iter().enumerate() {
            picture.text((LEFT, bottom + NOTE_ROW * (k as f64 + 0.7)), TextStyle::NOTE, row);
        }
        picture
    }
}

impl BarPanel {
    fn draw(&self, picture: &mut Picture, (left, top): (f64, f64), label: f64) {
        let title = TextStyle { size: 13.0, bold: true, ..TextStyle::PLAIN };
        picture.text((left, top + 20.0), title, &self.title);
        picture.text((left + title.width(&self.title) + 10.0, top + 20.0), TextStyle::NOTE, &self.about);
        let most = self.bars.iter().fold(0.0_f64, |m, bar| m.max(bar.most)).max(f64::MIN_POSITIVE);
        let zero = left + label;
        let scale = Scale { values: (0.0, most), pixels: (zero, zero + LENGTH) };
        let (first, last) = (top + HEAD - 13.0, top + HEAD + self.bars.len() as f64 * ROW - 9.0);
        for (_, x, text) in scale.ticks(4) {
            picture.line((x, first), (x, last), Pen::thin(GRID));
            picture.text((x, last + 15.0), TextStyle::NOTE.aligned(Align::Middle), &text);
        }
        picture.text((zero + 0.5 * LENGTH, last + 33.0), TextStyle::NOTE.aligned(Align::Middle), &self.x_label);
        for (k, bar) in self.bars.iter().enumerate() {
            bar.draw(picture, top + HEAD + k as f64 * ROW, scale);
        }
        picture.line((zero, first), (zero, last), Pen::thin("#999"));
    }
}

impl ChartBar {
    fn style(&self) -> TextStyle {
        TextStyle { bold: self.strong, ..TextStyle::PLAIN.aligned(Align::End) }
    }

    fn draw(&self, picture: &mut Picture, y: f64, scale: Scale) {
        let color = if self.strong { INK } else { COLORS[0] };
        let (zero, end, most) = (scale.pixels.0, scale.at(self.value), scale.at(self.most));
        picture.text((zero - 8.0, y + 4.0), self.style(), &self.name);
        picture.rectangle([zero, y - 6.0, end - zero, 12.0], color, "none");
        if self.most > self.value {
            picture.markup(format!(
                "<path d=\"M{end:.1} {y:.1}H{most:.1}M{most:.1} {:.1}v8\" stroke=\"{color}\" fill=\"none\"/>",
                y - 4.0
            ));
        }
    }
}
