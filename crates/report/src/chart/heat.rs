//! A slice as a heat map with contour lines: SVG for papers and browsers, PNG for everything else.

use super::raster::{Canvas, base64, encode};
use super::{Map, Reason};
use crate::record::plot::ticks;
use std::fmt::Write as _;

const PLOT: f64 = 520.0;
const LEFT: f64 = 78.0;
const TOP: f64 = 74.0;
const BAR: f64 = 18.0;
const RIGHT: f64 = 150.0;
const BOTTOM: f64 = 62.0;
/// Distinct and safe for colour-blind readers: reached, then the reasons.
const CATEGORIES: [u32; Reason::COUNT] = [
    0xf4f4f4, 0x0072b2, 0x4a9bd1, 0x9ac8e8, 0xd55e00, 0xe98a45, 0xf7bd92, 0x000000, 0x444444, 0x888888, 0xcc79a7,
    0x009e73, 0x4cc3a0, 0xa5e3d0, 0xe69f00, 0xf0c04c, 0xf8e0a6, 0x0072b2, 0xd55e00, 0x009e73, 0x4cc3a0, 0xa5e3d0,
    0xe69f00, 0xf0c04c, 0xf8e0a6,
];

type Color = [u8; 3];

/// A picture of one channel of a slice.
pub struct HeatMap<'m> {
    map: &'m Map,
    channel: usize,
    axes: [usize; 2],
    title: String,
    subtitle: String,
    /// Colours run from here to there; values beyond are clipped.
    range: (f64, f64),
    clipped: [bool; 2],
    categories: bool,
}

impl Map {
    /// A picture of one channel; none of a volume, or where nothing is reached.
    pub fn heat_map(&self, channel: usize, title: &str) -> Option<HeatMap<'_>> {
        let axes = self.plane()?;
        let what = self.channels.get(channel)?;
        let mut values: Vec<f64> =
            (0..self.grid.len()).map(|k| self.value(k, channel)).filter(|value| value.is_finite()).collect();
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
        let across = (0..3).find(|axis| !axes.contains(axis)).unwrap_or(2);
        let at = format!("{} = {} m", ["x", "y", "z"][across], crate::record::human(self.grid.axes[across].from, 4));
        let unit = if what.unit.is_empty() { String::new() } else { format!(", {}", what.unit) };
        let subtitle = format!("{}: {}{unit}; {at}", what.name, what.meaning);
        let (title, categories) = (title.to_owned(), what.reasons);
        Some(HeatMap { map: self, channel, axes, title, subtitle, range, clipped, categories })
    }
}

/// Up to this many positions along an axis, the values are written into the field.
const WRITTEN: usize = 15;

impl HeatMap<'_> {
    /// The same with another text below the title.
    #[must_use]
    pub fn subtitled(self, subtitle: &str) -> Self {
        Self { subtitle: subtitle.to_owned(), ..self }
    }

    fn counts(&self) -> [usize; 2] {
        self.axes.map(|axis| self.map.grid.axes[axis].count)
    }

    fn value(&self, u: usize, v: usize) -> f64 {
        // The axis across has one value, so the number of a position is that of the plane.
        self.map.value(v * self.counts()[0] + u, self.channel)
    }

    /// Plot size in pixels, with the aspect of the slice.
    fn size(&self) -> (f64, f64) {
        let span = self.axes.map(|axis| (self.map.grid.axes[axis].to - self.map.grid.axes[axis].from).abs());
        let aspect = (span[1] / span[0]).clamp(0.3, 1.5);
        (PLOT, (PLOT * aspect).round())
    }

    fn color(&self, value: f64) -> Color {
        if self.categories {
            let [_, r, g, b] = CATEGORIES[(value as usize).min(CATEGORIES.len() - 1)].to_be_bytes();
            return [r, g, b];
        }
        let (low, high) = self.range;
        if low < 0.0 && high > 0.0 {
            // Zero is white: red below, blue above.
            let side = if value < 0.0 { (value / low).min(1.0) } else { (value / high).min(1.0) };
            let end: [f64; 3] = if value < 0.0 { [178.0, 24.0, 43.0] } else { [33.0, 102.0, 172.0] };
            return end.map(|e| (255.0 + (e - 255.0) * side) as u8);
        }
        viridis(((value - low) / (high - low)).clamp(0.0, 1.0))
    }

    /// One pixel per position, the second axis upward.
    fn pixels(&self) -> Vec<u8> {
        let [nu, nv] = self.counts();
        let mut pixels = Vec::with_capacity(4 * nu * nv);
        for v in (0..nv).rev() {
            for u in 0..nu {
                let value = self.value(u, v);
                let [r, g, b] = if value.is_finite() { self.color(value) } else { [255; 3] };
                pixels.extend([r, g, b, if value.is_finite() { 255 } else { 0 }]);
            }
        }
        pixels
    }

    /// Contour lines at the ticks of the colour bar, as segments in grid coordinates.
    fn contours(&self) -> Vec<[(f64, f64); 2]> {
        let [nu, nv] = self.counts();
        if self.categories || self.written() {
            return Vec::new();
        }
        let mut segments = Vec::new();
        for level in ticks(self.range, 8) {
            for v in 0..nv.saturating_sub(1) {
                for u in 0..nu.saturating_sub(1) {
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
                            hits.push((mix(ua, ub), mix(va, vb)));
                        }
                    }
                    for pair in hits.chunks_exact(2) {
                        segments.push([pair[0], pair[1]]);
                    }
                }
            }
        }
        segments
    }

    /// Whether there is room for numbers in the field.
    fn written(&self) -> bool {
        !self.categories && self.counts().into_iter().all(|count| count <= WRITTEN)
    }

    fn legend(&self) -> Vec<(Color, String)> {
        let mut codes: Vec<usize> =
            (0..self.map.grid.len()).map(|k| self.map.value(k, self.channel) as usize).collect();
        codes.sort_unstable();
        codes.dedup();
        codes.into_iter().map(|code| (self.color(code as f64), Reason::text(code))).collect()
    }

    fn tick_label(&self, value: f64) -> String {
        let clipped = (self.clipped[0] && value <= self.range.0, self.clipped[1] && value >= self.range.1);
        let text = crate::record::human(value, 4);
        if clipped.0 || clipped.1 { format!("{text} …") } else { text }
    }

    /// As an SVG document; the field itself is an image in it.
    pub fn to_svg(&self) -> String {
        let (width, height) = self.size();
        let legend_room = if self.categories { 210.0 } else { RIGHT };
        let (all_width, all_height) = (LEFT + width + legend_room, TOP + height + BOTTOM);
        let [nu, nv] = self.counts();
        let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
        let mut svg = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 0 {all_width:.0} {all_height:.0}\" width=\"{all_width:.0}\" height=\"{all_height:.0}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"12\" fill=\"#222\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"30\" font-size=\"18\" font-weight=\"bold\">{}</text>\n\
             <text x=\"{LEFT}\" y=\"52\" font-size=\"13\" fill=\"#555\">{}</text>",
            escape(&self.title),
            escape(&self.subtitle)
        );
        // A few large cells are rectangles: not every program draws the pixels of an image with sharp edges.
        if !self.written() {
            let image = base64(&encode(nu as u32, nv as u32, &self.pixels(), true));
            let _ = writeln!(
                svg,
                "<image x=\"{LEFT}\" y=\"{TOP}\" width=\"{width:.0}\" height=\"{height:.0}\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" xlink:href=\"data:image/png;base64,{image}\"/>"
            );
        }
        let mut path = String::new();
        let place =
            |(u, v): (f64, f64)| (LEFT + (u + 0.5) / nu as f64 * width, TOP + height - (v + 0.5) / nv as f64 * height);
        for [a, b] in self.contours() {
            let ((xa, ya), (xb, yb)) = (place(a), place(b));
            let _ = write!(path, "M{xa:.1} {ya:.1}L{xb:.1} {yb:.1}");
        }
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" stroke=\"#222\" stroke-width=\"0.7\" stroke-opacity=\"0.55\" fill=\"none\"/>"
        );
        self.marks(|mark| {
            let _ = match mark {
                Mark::Line([x1, y1, x2, y2]) => {
                    writeln!(svg, "<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" stroke=\"#444\"/>")
                }
                Mark::Text { x, y, anchor, text } => writeln!(
                    svg,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{}\">{}</text>",
                    ["start", "middle", "end"][anchor],
                    escape(&text)
                ),
                Mark::Inside { x, y, text, dark } => writeln!(
                    svg,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"{}\">{}</text>",
                    if dark { "white" } else { "#222" },
                    escape(&text)
                ),
                Mark::Upward { x, y, text } => writeln!(
                    svg,
                    "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
                    escape(&text)
                ),
                Mark::Fill([x, y, w, h], [r, g, b]) => writeln!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.2}\" fill=\"#{r:02x}{g:02x}{b:02x}\"/>"
                ),
            };
        });
        svg.push_str("</svg>\n");
        svg
    }

    /// As a PNG file, twice the size in pixels, with a plain letter of its own.
    pub fn to_png(&self) -> Vec<u8> {
        const SCALE: f64 = 2.0;
        let (width, height) = self.size();
        let legend_room = if self.categories { 240.0 } else { RIGHT };
        let mut canvas = Canvas::new(LEFT + width + legend_room, TOP + height + BOTTOM, SCALE);
        let [nu, nv] = self.counts();
        let pixels = self.pixels();
        canvas.image([LEFT, TOP, width, height], (nu, nv), &pixels);
        let place =
            |(u, v): (f64, f64)| (LEFT + (u + 0.5) / nu as f64 * width, TOP + height - (v + 0.5) / nv as f64 * height);
        for [a, b] in self.contours() {
            canvas.line(place(a), place(b), [40; 3], 0.5);
        }
        canvas.text(LEFT, 30.0, 0, 2.0, &self.title);
        canvas.text(LEFT, 54.0, 0, 1.25, &self.subtitle);
        self.marks(|mark| match mark {
            Mark::Line([x1, y1, x2, y2]) => canvas.line((x1, y1), (x2, y2), [70; 3], 1.0),
            Mark::Text { x, y, anchor, text } => canvas.text(x, y, anchor, 1.25, &text),
            Mark::Inside { x, y, text, dark } => {
                canvas.text_in(if dark { [255; 3] } else { [30; 3] }, (x, y), 1, 1.25, &text);
            }
            Mark::Upward { x, y, text } => canvas.text_upward(x, y, 1.25, &text),
            Mark::Fill(place, color) => canvas.fill(place, color),
        });
        canvas.encode()
    }

    /// Frame, ticks, labels and colour bar, the same for both formats.
    fn marks(&self, mut draw: impl FnMut(Mark)) {
        let (width, height) = self.size();
        let (right, bottom) = (LEFT + width, TOP + height);
        let grid = self.axes.map(|axis| self.map.grid.axes[axis]);
        for (axis, range) in grid.iter().enumerate() {
            let limits = (range.from.min(range.to), range.from.max(range.to));
            for tick in ticks(limits, 6) {
                // A position is the middle of its pixel.
                let (count, along) = (range.count as f64, (tick - range.from) / (range.to - range.from));
                let share = (along * (count - 1.0) + 0.5) / count;
                let text = crate::record::human(tick, 3);
                if axis == 0 {
                    let x = LEFT + share * width;
                    draw(Mark::Line([x, bottom, x, bottom + 5.0]));
                    draw(Mark::Text { x, y: bottom + 20.0, anchor: 1, text });
                } else {
                    let y = bottom - share * height;
                    draw(Mark::Line([LEFT - 5.0, y, LEFT, y]));
                    draw(Mark::Text { x: LEFT - 9.0, y: y + 4.0, anchor: 2, text });
                }
            }
        }
        if self.written() {
            self.values_inside(&mut draw);
        }
        let label = |axis: usize| format!("{}, m", ["x", "y", "z"][self.axes[axis]]);
        draw(Mark::Text { x: LEFT + 0.5 * width, y: bottom + 42.0, anchor: 1, text: label(0) });
        draw(Mark::Upward { x: LEFT - 56.0, y: TOP + 0.5 * height, text: label(1) });
        for [x1, y1, x2, y2] in [
            [LEFT, TOP, right, TOP],
            [LEFT, bottom, right, bottom],
            [LEFT, TOP, LEFT, bottom],
            [right, TOP, right, bottom],
        ] {
            draw(Mark::Line([x1, y1, x2, y2]));
        }
        let bar = right + 24.0;
        if self.categories {
            for (k, (color, text)) in self.legend().into_iter().enumerate() {
                let y = TOP + 24.0 * k as f64;
                draw(Mark::Fill([bar, y, 14.0, 14.0], color));
                for [x1, y1, x2, y2] in
                    [[0.0, 0.0, 14.0, 0.0], [0.0, 14.0, 14.0, 14.0], [0.0, 0.0, 0.0, 14.0], [14.0, 0.0, 14.0, 14.0]]
                {
                    draw(Mark::Line([bar + x1, y + y1, bar + x2, y + y2]));
                }
                draw(Mark::Text { x: bar + 21.0, y: y + 11.5, anchor: 0, text });
            }
            return;
        }
        const STRIPES: usize = 128;
        let (low, high) = self.range;
        for k in 0..STRIPES {
            let value = low + (high - low) * (k as f64 + 0.5) / STRIPES as f64;
            let y = bottom - height * (k + 1) as f64 / STRIPES as f64;
            draw(Mark::Fill([bar, y, BAR, height / STRIPES as f64 + 0.5], self.color(value)));
        }
        for tick in ticks(self.range, 8) {
            let y = bottom - (tick - low) / (high - low) * height;
            draw(Mark::Line([bar + BAR, y, bar + BAR + 4.0, y]));
            draw(Mark::Text { x: bar + BAR + 8.0, y: y + 4.0, anchor: 0, text: self.tick_label(tick) });
        }
        for (clipped, y, text) in
            [(self.clipped[1], TOP - 6.0, "and above"), (self.clipped[0], bottom + 14.0, "and below")]
        {
            if clipped {
                draw(Mark::Text { x: bar, y, anchor: 0, text: String::from(text) });
            }
        }
    }
}

impl HeatMap<'_> {
    fn values_inside(&self, draw: &mut impl FnMut(Mark)) {
        let ((width, height), [nu, nv]) = (self.size(), self.counts());
        let (wide, high) = (width / nu as f64, height / nv as f64);
        for v in 0..nv {
            for u in 0..nu {
                let value = self.value(u, v);
                if value.is_finite() {
                    let corner = [LEFT + u as f64 * wide, TOP + height - (v + 1) as f64 * high];
                    draw(Mark::Fill([corner[0], corner[1], wide, high], self.color(value)));
                }
                let x = LEFT + (u as f64 + 0.5) / nu as f64 * width;
                let y = TOP + height - (v as f64 + 0.5) / nv as f64 * height + 4.0;
                let [r, g, b] = self.color(value).map(f64::from);
                // Luminance, as the eye weighs the colours (ITU-R BT.601).
                let dark = value.is_finite() && 0.299 * r + 0.587 * g + 0.114 * b < 128.0;
                let text = if value.is_finite() { crate::record::human(value, 3) } else { String::from("–") };
                draw(Mark::Inside { x, y, text, dark });
            }
        }
    }
}

enum Mark {
    Line([f64; 4]),
    /// Anchor 0 start, 1 middle, 2 end.
    Text {
        x: f64,
        y: f64,
        anchor: usize,
        text: String,
    },
    /// A value in the field, which is dark or light there.
    Inside {
        x: f64,
        y: f64,
        text: String,
        dark: bool,
    },
    Upward {
        x: f64,
        y: f64,
        text: String,
    },
    Fill([f64; 4], Color),
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
    std::array::from_fn(|i| {
        let value = C.iter().rev().fold(0.0, |sum, c| sum * t + c[i]);
        (value.clamp(0.0, 1.0) * 255.0).round() as u8
    })
}
