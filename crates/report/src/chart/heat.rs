//! Heat maps: numbers or kinds on a grid, with contour lines and a colour bar or a legend.

use super::axis::{Scale, ticks};
use super::picture::{Align, FRAME, INK, Pen, Picture, TextStyle};
use super::{Heading, push_row, widest, y_label, y_margin};
use crate::text::human;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Evenly spaced places along an axis.
#[derive(Clone, Debug)]
pub struct HeatAxis {
    /// With its unit.
    pub label: String,
    /// First and last place.
    pub range: (f64, f64),
    /// How many places, at least two.
    pub count: usize,
}

/// What is drawn on the grid: row by row, the horizontal axis runs fastest.
#[derive(Clone, Debug)]
pub enum HeatValues {
    /// Numbers; a gap where one is not finite.
    Numbers(Vec<f64>),
    /// Indices of kinds, and for each kind its colour (0xrrggbb) and name. Only kinds that occur are in the legend.
    Kinds(Vec<usize>, Vec<(u32, String)>),
}

/// A heat map.
#[derive(Clone, Debug)]
pub struct HeatMap {
    /// At the top.
    pub title: String,
    /// Below it.
    pub subtitle: String,
    /// Horizontal and vertical axis.
    pub axes: [HeatAxis; 2],
    /// One per place.
    pub values: HeatValues,
}

/// Width of the field in pixels.
const FIELD: f64 = 520.0;
/// Room for texts left of the field, at least.
const LEFT: f64 = 78.0;
/// From the field to the texts of its ticks, and to its legend.
const TO_TICKS: f64 = 9.0;
const TO_LEGEND: f64 = 24.0;
const BAR: f64 = 18.0;
const BOTTOM: f64 = 58.0;
/// Colours of a field of numbers: neighbours look alike.
const LEVELS: usize = 64;
/// Up to this many places along an axis, the values are written into the field.
const WRITTEN: usize = 15;

const TICKS: usize = 6;
const BAR_TICKS: usize = 8;

/// 0xrrggbb.
type Color = u32;

const WHITE: Color = 0xff_ff_ff;

fn hex(color: Color) -> String {
    format!("#{color:06x}")
}

/// What the colours mean, right of the field.
enum Legend {
    /// Colours run from low to high; values beyond are clipped where it says so.
    Bar {
        range: (f64, f64),
        clipped: [bool; 2],
    },
    Kinds(Vec<(Color, String)>),
}

impl HeatMap {
    /// The picture; none where no value is a number.
    pub fn draw(&self) -> Option<Picture> {
        let legend = self.legend()?;
        let legend_width = match &legend {
            Legend::Bar { range, .. } => {
                let ticks = Scale { values: *range, pixels: (0.0, 1.0) }.ticks(BAR_TICKS);
                (TO_LEGEND + BAR + 8.0 + widest(&ticks) + 4.0).max(110.0)
            }
            Legend::Kinds(kinds) => {
                let names = kinds.iter().map(|(_, name)| TextStyle::PLAIN.width(name));
                TO_LEGEND + 21.0 + names.fold(0.0, f64::max) + 14.0
            }
        };
        let up = Scale { values: self.axes[1].range, pixels: (0.0, 1.0) }.ticks(TICKS);
        let left = (TO_TICKS + y_margin(&up)).max(LEFT);
        let height = self.height();
        let heading = Heading::new(&self.title, &self.subtitle, FIELD + legend_width - 14.0);
        let top = heading.bottom + 28.0;
        let mut picture = Picture::new(left + FIELD + legend_width, top + height + BOTTOM);
        heading.draw(&mut picture, left);
        let field = [left, top, FIELD, height];
        self.cells(&mut picture, field, &legend);
        match &legend {
            Legend::Bar { range, .. } if !self.written() => self.contours(&mut picture, field, *range),
            Legend::Bar { .. } => self.numbers(&mut picture, field, &legend),
            Legend::Kinds(_) => {}
        }
        self.frame(&mut picture, field);
        legend.draw(&mut picture, field);
        Some(picture)
    }

    /// Several maps in one picture, three in a row; none where no value of one is a number.
    pub fn draw_all(maps: &[Self]) -> Option<Picture> {
        let pictures: Option<Vec<Picture>> = maps.iter().map(Self::draw).collect();
        Some(Picture::tiled(pictures?, 3, 0.6))
    }

    /// Several maps as CSV, place by place: `map`, `x`, `y`, `value` (a kind by its number).
    pub fn to_csv(maps: &[Self]) -> String {
        let mut csv = String::from("map,x,y,value\n");
        for map in maps {
            for (u, v) in map.positions() {
                let place = |k: usize, at: usize| {
                    let HeatAxis { range: (from, to), count, .. } = map.axes[k];
                    from + (to - from) * at as f64 / (count.max(2) - 1) as f64
                };
                push_row(&mut csv, &[&map.title], &[place(0, u), place(1, v), map.value(u, v)]);
            }
        }
        csv
    }

    fn counts(&self) -> [usize; 2] {
        [self.axes[0].count, self.axes[1].count]
    }

    /// The field has the aspect of its axes, within reason.
    fn height(&self) -> f64 {
        let [across, up] = [0, 1].map(|i| (self.axes[i].range.1 - self.axes[i].range.0).abs());
        (FIELD * (up / across).clamp(0.3, 1.5)).round()
    }

    /// A number; that of a kind, its index.
    fn value(&self, u: usize, v: usize) -> f64 {
        let k = v * self.counts()[0] + u;
        match &self.values {
            HeatValues::Numbers(values) => values.get(k).copied().unwrap_or(f64::NAN),
            HeatValues::Kinds(kinds, _) => kinds.get(k).map_or(f64::NAN, |&kind| kind as f64),
        }
    }

    /// The middle of a cell, counted from the corner below left.
    fn place(&self, [left, top, width, height]: [f64; 4], u: f64, v: f64) -> (f64, f64) {
        let [nu, nv] = self.counts().map(|count| count as f64);
        (left + (u + 0.5) / nu * width, top + height - (v + 0.5) / nv * height)
    }

    /// All cells, row by row.
    fn positions(&self) -> impl Iterator<Item = (usize, usize)> {
        let [nu, nv] = self.counts();
        (0..nv).flat_map(move |v| (0..nu).map(move |u| (u, v)))
    }

    /// Whether there is room for numbers in the field: each in its cell, since two that overlap read as a third.
    fn written(&self) -> bool {
        let [nu, nv] = self.counts();
        let fits = |(u, v): (usize, usize)| TextStyle::PLAIN.width(&cell_text(self.value(u, v))) < FIELD / nu as f64;
        nu.max(nv) <= WRITTEN && self.positions().all(fits)
    }

    fn legend(&self) -> Option<Legend> {
        match &self.values {
            HeatValues::Numbers(values) => Legend::bar(values),
            HeatValues::Kinds(kinds, known) => {
                let used = known.iter().enumerate().filter(|(k, _)| kinds.contains(k));
                let used: Vec<_> = used.map(|(_, kind)| kind.clone()).collect();
                (!used.is_empty()).then_some(Legend::Kinds(used))
            }
        }
    }

    fn color(&self, value: f64, legend: &Legend) -> Color {
        match (&self.values, legend) {
            (HeatValues::Kinds(_, known), _) => known.get(value as usize).map_or(WHITE, |(color, _)| *color),
            (HeatValues::Numbers(_), Legend::Bar { range, .. }) => color_of(value, *range),
            (HeatValues::Numbers(_), Legend::Kinds(_)) => WHITE,
        }
    }

    /// The field: neighbours of one colour in a row are one stroke, and all strokes of a colour one element.
    fn cells(&self, picture: &mut Picture, [left, top, width, height]: [f64; 4], legend: &Legend) {
        let [nu, nv] = self.counts();
        let mut strokes: BTreeMap<Color, String> = BTreeMap::new();
        for v in 0..nv {
            let color = |u: usize| Some(self.value(u, v)).filter(|x| x.is_finite()).map(|x| self.color(x, legend));
            let mut u = 0;
            while u < nu {
                let here = color(u);
                let end = (u..nu).find(|&k| color(k) != here).unwrap_or(nu);
                if let Some(here) = here {
                    // Writing to a string does not fail.
                    let _ = write!(strokes.entry(here).or_default(), "M{u} {}h{}", nv - 1 - v, end - u);
                }
                u = end;
            }
        }
        // The middle of a row is half a row below its edge; crisp, so that neighbours leave no seam.
        let scale = (width / nu as f64, height / nv as f64);
        picture.markup(format!(
            "<g transform=\"translate({left} {:.3}) scale({:.5} {:.5})\" shape-rendering=\"crispEdges\">",
            top + 0.5 * scale.1,
            scale.0,
            scale.1
        ));
        for (color, path) in strokes {
            picture.markup(format!("<path d=\"{path}\" stroke=\"{}\"/>", hex(color)));
        }
        picture.markup(String::from("</g>"));
    }

    /// Contour lines at the ticks of the colour bar.
    fn contours(&self, picture: &mut Picture, field: [f64; 4], range: (f64, f64)) {
        let [nu, nv] = self.counts();
        let mut path = String::new();
        for level in ticks(range, BAR_TICKS) {
            for (u, v) in self.positions().filter(|&(u, v)| u + 1 < nu && v + 1 < nv) {
                let corners = [(u, v), (u + 1, v), (u + 1, v + 1), (u, v + 1)];
                let values = corners.map(|(u, v)| self.value(u, v) - level);
                if values.iter().any(|x| !x.is_finite()) {
                    continue;
                }
                let mut hits = Vec::new();
                for k in 0..4 {
                    let (a, b) = (values[k], values[(k + 1) % 4]);
                    if (a < 0.0) != (b < 0.0) {
                        let s = a / (a - b);
                        let ((ua, va), (ub, vb)) = (corners[k], corners[(k + 1) % 4]);
                        let mix = |a: usize, b: usize| a as f64 + s * (b as f64 - a as f64);
                        hits.push(self.place(field, mix(ua, ub), mix(va, vb)));
                    }
                }
                for pair in hits.chunks_exact(2) {
                    let ((xa, ya), (xb, yb)) = (pair[0], pair[1]);
                    let _ = write!(path, "M{xa:.1} {ya:.1}l{:.1} {:.1}", xb - xa, yb - ya);
                }
            }
        }
        picture.markup(format!(
            "<path d=\"{path}\" stroke=\"{INK}\" stroke-width=\"0.7\" stroke-opacity=\"0.55\" fill=\"none\"/>"
        ));
    }

    /// The values, written into their cells.
    fn numbers(&self, picture: &mut Picture, field: [f64; 4], legend: &Legend) {
        for (u, v) in self.positions() {
            let value = self.value(u, v);
            let (x, y) = self.place(field, u as f64, v as f64);
            let [_, r, g, b] = self.color(value, legend).to_be_bytes().map(f64::from);
            // Luminance, as the eye weighs the colours (ITU-R BT.601).
            let dark = value.is_finite() && 0.299 * r + 0.587 * g + 0.114 * b < 128.0;
            let color = if dark { "white" } else { INK };
            let style = TextStyle { color, ..TextStyle::PLAIN.aligned(Align::Middle) };
            picture.text((x, y + 4.0), style, &cell_text(value));
        }
    }

    fn frame(&self, picture: &mut Picture, [left, top, width, height]: [f64; 4]) {
        let bottom = top + height;
        let scale = |axis: &HeatAxis, (from, to): (f64, f64)| {
            // A place is the middle of its cell.
            let half = 0.5 * (to - from) / axis.count as f64;
            Scale { values: axis.range, pixels: (from + half, to - half) }
        };
        let (across, up) = (scale(&self.axes[0], (left, left + width)), scale(&self.axes[1], (bottom, top)));
        for (_, at, text) in across.ticks(TICKS) {
            picture.line((at, bottom), (at, bottom + 5.0), Pen::thin(FRAME));
            picture.text((at, bottom + 19.0), TextStyle::PLAIN.aligned(Align::Middle), &text);
        }
        for (_, at, text) in up.ticks(TICKS) {
            picture.line((left - 5.0, at), (left, at), Pen::thin(FRAME));
            picture.text((left - TO_TICKS, at + 4.0), TextStyle::PLAIN.aligned(Align::End), &text);
        }
        let middle = TextStyle::NOTE.aligned(Align::Middle);
        picture.text((left + 0.5 * width, bottom + 40.0), middle, &self.axes[0].label);
        y_label(picture, &self.axes[1].label, (left - TO_TICKS, top + 0.5 * height), &up.ticks(TICKS));
        picture.rectangle([left, top, width, height], "none", FRAME);
    }
}

/// What is written into a cell.
fn cell_text(value: f64) -> String {
    if value.is_finite() { human(value, 3) } else { String::from("–") }
}

impl Legend {
    /// The colour bar of some numbers.
    fn bar(values: &[f64]) -> Option<Self> {
        let mut values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let (&least, &largest) = (values.first()?, values.last()?);
        // Near a singularity a few positions would take all the colours.
        let share = |s: f64| values[((values.len() - 1) as f64 * s) as usize];
        let (low, high) = (share(0.01), share(0.99));
        let middle = high - low;
        let mut range = (least, largest);
        let clipped = [least < low - middle, largest > high + middle];
        if clipped[0] {
            range.0 = low;
        }
        if clipped[1] {
            range.1 = high;
        }
        if range.1 - range.0 <= 1e-9 * range.1.abs().max(range.0.abs()) {
            let air = 1e-3 * range.1.abs().max(1e-9);
            range = (range.0 - air, range.1 + air);
        }
        Some(Self::Bar { range, clipped })
    }

    fn draw(&self, picture: &mut Picture, [left, top, width, height]: [f64; 4]) {
        let (from, bottom) = (left + width + TO_LEGEND, top + height);
        match self {
            Self::Kinds(kinds) => {
                for (k, (color, name)) in kinds.iter().enumerate() {
                    let y = top + 24.0 * k as f64;
                    picture.rectangle([from, y, 14.0, 14.0], &hex(*color), FRAME);
                    picture.text((from + 21.0, y + 11.5), TextStyle::PLAIN, name);
                }
            }
            Self::Bar { range, clipped } => {
                let scale = Scale { values: *range, pixels: (bottom, top) };
                let step = height / LEVELS as f64;
                for k in 0..LEVELS {
                    let share = (k as f64 + 0.5) / LEVELS as f64;
                    let color = hex(color_of(range.0 + (range.1 - range.0) * share, *range));
                    // A little longer than a step, so that no white shows between two.
                    let y = (bottom - (k + 1) as f64 * step).max(top);
                    picture.rectangle([from, y, BAR, step + if k > 0 { 0.6 } else { 0.0 }], &color, "none");
                }
                picture.rectangle([from, top, BAR, height], "none", FRAME);
                for (_, at, text) in scale.ticks(BAR_TICKS) {
                    picture.line((from + BAR, at), (from + BAR + 4.0, at), Pen::thin(FRAME));
                    picture.text((from + BAR + 8.0, at + 4.0), TextStyle::PLAIN, &text);
                }
                for (clipped, y, text) in
                    [(clipped[1], top - 7.0, "and above"), (clipped[0], bottom + 16.0, "and below")]
                {
                    if clipped {
                        picture.text((from, y), TextStyle::NOTE, text);
                    }
                }
            }
        }
    }
}

/// The colour of a number, one of [`LEVELS`].
fn color_of(value: f64, (low, high): (f64, f64)) -> Color {
    let steps = (LEVELS - 1) as f64;
    let share = (((value - low) / (high - low)).clamp(0.0, 1.0) * steps).round() / steps;
    if low < 0.0 && high > 0.0 {
        // Zero is white: red below, blue above.
        let value = low + share * (high - low);
        let side = if value < 0.0 { value / low } else { value / high };
        let end: [f64; 3] = if value < 0.0 { [178.0, 24.0, 43.0] } else { [33.0, 102.0, 172.0] };
        return color_from(end.map(|e| 255.0 + (e - 255.0) * side));
    }
    viridis(share)
}

/// The colour of red, green and blue from 0 to 255.
fn color_from(channels: [f64; 3]) -> Color {
    channels.into_iter().fold(0, |all, channel| all << 8 | Color::from(channel as u8))
}

/// Viridis (S. van der Walt & N. Smith, 2015), as a polynomial fitted by M. Zucker: even steps look even, in grey too.
fn viridis(t: f64) -> Color {
    const C: [[f64; 3]; 7] = [
        [0.277_727_327_2, 0.005_407_344_5, 0.334_099_805_3],
        [0.105_093_043_1, 1.404_613_529_9, 1.384_590_162_6],
        [-0.330_861_828_7, 0.214_847_559_5, 0.095_095_163_0],
        [-4.634_230_499_0, -5.799_100_973_4, -19.332_440_956_3],
        [6.228_269_936_3, 14.179_933_366_8, 56.690_552_600_7],
        [4.776_384_998_2, -13.745_145_377_7, -65.353_032_633_4],
        [-5.435_455_855_9, 4.645_852_612_2, 26.312_435_249_5],
    ];
    color_from([0, 1, 2].map(|i: usize| {
        let value = C.iter().rev().fold(0.0, |sum, c| sum * t + c[i]);
        (value.clamp(0.0, 1.0) * 255.0).round()
    }))
}
