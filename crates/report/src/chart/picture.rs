//! A drawn chart: an SVG document, or a PNG file made of it.

use super::letters::{letter, width};
use crate::escape::xml;
use std::fmt::Write as _;

/// Ink for text and strong lines.
pub(super) const INK: &str = "#222";
/// For what explains.
pub(super) const GREY: &str = "#555";
/// Frames and ticks.
pub(super) const FRAME: &str = "#888";
/// Lines behind the data.
pub(super) const GRID: &str = "#e6e6e6";

/// How a line looks.
#[derive(Clone, Copy)]
pub(super) struct Pen {
    pub color: &'static str,
    pub width: f64,
    /// Dash pattern, empty for a full line.
    pub dash: &'static str,
}

impl Pen {
    /// One pixel wide.
    pub const fn thin(color: &'static str) -> Self {
        Self { color, width: 1.0, dash: "" }
    }

    pub fn attributes(self) -> String {
        let mut text = format!("stroke=\"{}\"", self.color);
        // Writing to a string does not fail.
        if self.width != 1.0 {
            let _ = write!(text, " stroke-width=\"{}\"", self.width);
        }
        if !self.dash.is_empty() {
            let _ = write!(text, " stroke-dasharray=\"{}\"", self.dash);
        }
        text
    }
}

/// Where a text stands on its point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy)]
pub(super) struct TextStyle {
    pub size: f64,
    pub color: &'static str,
    pub bold: bool,
    pub align: Align,
    /// Written from below upward.
    pub upward: bool,
    /// White around the letters, where lines may run behind them.
    pub halo: bool,
}

impl TextStyle {
    pub const PLAIN: Self =
        Self { size: 12.0, color: INK, bold: false, align: Align::Start, upward: false, halo: false };
    pub const NOTE: Self = Self { color: GREY, ..Self::PLAIN };

    pub const fn aligned(self, align: Align) -> Self {
        Self { align, ..self }
    }

    /// A text in rows of at most this width, where its words allow it.
    pub fn wrapped(&self, text: &str, most: f64) -> Vec<String> {
        let mut rows: Vec<String> = Vec::new();
        for word in text.split(' ') {
            match rows.last_mut() {
                Some(row) if self.width(row) + self.width(" ") + self.width(word) <= most => {
                    row.push(' ');
                    row.push_str(word);
                }
                _ => rows.push(word.to_owned()),
            }
        }
        rows
    }

    /// Width of a text in pixels, at most.
    pub fn width(&self, text: &str) -> f64 {
        self.size * (width(text) + if self.bold { BOLDER * text.chars().count() as f64 } else { 0.0 })
    }
}

/// How much wider a bold letter is, in parts of its size.
const BOLDER: f64 = 0.04;

enum PictureElement {
    Markup(String),
    Text { at: (f64, f64), style: TextStyle, text: String },
}

/// A drawn chart.
pub struct Picture {
    size: (f64, f64),
    pieces: Vec<PictureElement>,
    /// Every place in it is a number.
    finite: bool,
}

/// An SVG document as one of several on a page, where names of clips must be its own.
pub fn of_page(svg: &str, number: usize) -> String {
    svg.replace("id=\"p", &format!("id=\"f{number}p")).replace("url(#p", &format!("url(#f{number}p"))
}

impl Picture {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self { size: (width.ceil(), height.ceil()), pieces: Vec::new(), finite: (width + height).is_finite() }
    }

    /// Pictures side by side, row by row, each drawn so much larger. Only for charts that clip nothing: the names of clips are
    /// those of one chart.
    pub(super) fn tiled(pictures: Vec<Self>, columns: usize, scale: f64) -> Self {
        let columns = columns.max(1);
        let most = |size: fn(&Self) -> f64| pictures.iter().map(size).fold(0.0, f64::max) * scale;
        let (width, height) = (most(|picture| picture.size.0), most(|picture| picture.size.1));
        let rows = pictures.len().div_ceil(columns);
        let mut whole = Self::new(columns as f64 * width, rows as f64 * height);
        for (k, picture) in pictures.into_iter().enumerate() {
            let (x, y) = ((k % columns) as f64 * width, (k / columns) as f64 * height);
            whole.finite &= picture.finite;
            whole.markup(format!("<g transform=\"translate({x:.1} {y:.1}) scale({scale})\">"));
            whole.pieces.extend(picture.pieces);
            whole.markup(String::from("</g>"));
        }
        whole
    }

    /// Whether it can be drawn: a value that is too large for its axis has no place.
    pub fn is_finite(&self) -> bool {
        self.finite
    }

    /// SVG elements as they are.
    pub(super) fn markup(&mut self, markup: String) {
        self.finite &= !markup.contains("NaN") && !markup.contains("inf");
        self.pieces.push(PictureElement::Markup(markup));
    }

    pub(super) fn text(&mut self, at: (f64, f64), style: TextStyle, text: &str) {
        self.finite &= at.0.is_finite() && at.1.is_finite();
        self.pieces.push(PictureElement::Text { at, style, text: text.to_owned() });
    }

    pub(super) fn line(&mut self, (xa, ya): (f64, f64), (xb, yb): (f64, f64), pen: Pen) {
        self.markup(format!(
            "<line x1=\"{xa:.1}\" y1=\"{ya:.1}\" x2=\"{xb:.1}\" y2=\"{yb:.1}\" {}/>",
            pen.attributes()
        ));
    }

    pub(super) fn rectangle(&mut self, [x, y, width, height]: [f64; 4], fill: &str, stroke: &str) {
        self.markup(format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\" stroke=\"{stroke}\"/>"
        ));
    }

    /// The chart as an SVG document.
    pub fn to_svg(&self) -> String {
        self.document(as_text)
    }

    fn document(&self, written: fn((f64, f64), &TextStyle, &str) -> String) -> String {
        let (width, height) = self.size;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"{}\" fill=\"{INK}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
            TextStyle::PLAIN.size
        );
        for piece in &self.pieces {
            match piece {
                PictureElement::Markup(markup) => svg += markup,
                PictureElement::Text { at, style, text } => svg += &written(*at, style, text),
            }
            svg.push('\n');
        }
        svg + "</svg>\n"
    }

    /// The chart as a PNG file, twice the size in pixels: the SVG document, its letters as outlines.
    #[cfg(feature = "png")]
    pub fn to_png(&self) -> std::io::Result<Vec<u8>> {
        use resvg::{tiny_skia, usvg};
        use std::io::Error;
        const SCALE: f32 = 2.0;
        let svg = self.document(as_outlines);
        let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).map_err(Error::other)?;
        let (width, height) = self.size;
        let mut pixels = tiny_skia::Pixmap::new((width as f32 * SCALE) as u32, (height as f32 * SCALE) as u32)
            .ok_or_else(|| Error::other(format!("a picture of {width} × {height} is too large")))?;
        resvg::render(&tree, tiny_skia::Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
        pixels.encode_png().map_err(Error::other)
    }
}

fn as_text((x, y): (f64, f64), style: &TextStyle, text: &str) -> String {
    let mut svg = if style.upward {
        format!("<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\"")
    } else {
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\"")
    };
    svg += match style.align {
        Align::Start => "",
        Align::Middle => " text-anchor=\"middle\"",
        Align::End => " text-anchor=\"end\"",
    };
    // Writing to a string does not fail.
    if style.size != TextStyle::PLAIN.size {
        let _ = write!(svg, " font-size=\"{}\"", style.size);
    }
    if style.bold {
        svg += " font-weight=\"bold\"";
    }
    if style.color != INK {
        let _ = write!(svg, " fill=\"{}\"", style.color);
    }
    if style.halo {
        svg += " paint-order=\"stroke\" stroke=\"white\" stroke-width=\"4\" stroke-linejoin=\"round\"";
    }
    svg + ">" + &xml(text) + "</text>"
}

#[cfg_attr(not(feature = "png"), allow(dead_code))]
fn as_outlines((x, y): (f64, f64), style: &TextStyle, text: &str) -> String {
    let scale = style.size / 1000.0;
    let mut along = match style.align {
        Align::Start => 0.0,
        Align::Middle => -0.5 * style.width(text) / scale,
        Align::End => -style.width(text) / scale,
    };
    let turned = if style.upward { " rotate(-90)" } else { "" };
    let mut svg = format!("<g transform=\"translate({x:.1} {y:.1}){turned} scale({scale})\" fill=\"{}\"", style.color);
    let (stroke, thick) = match (style.halo, style.bold) {
        (true, _) => ("white", 4.0 / scale),
        (false, true) => (style.color, 2000.0 * BOLDER * 0.75),
        (false, false) => ("none", 0.0),
    };
    let _ = write!(
        svg,
        " paint-order=\"stroke\" stroke=\"{stroke}\" stroke-width=\"{thick:.1}\" stroke-linejoin=\"round\">"
    );
    for sign in text.chars() {
        let letter = letter(sign);
        if !letter.outline.is_empty() {
            let _ = write!(svg, "<path transform=\"translate({along:.1} 0)\" d=\"{}\"/>", letter.outline);
        }
        along += letter.advance + if style.bold { 1000.0 * BOLDER } else { 0.0 };
    }
    svg + "</g>"
}
