//! Letters as outlines, so that a picture needs no font: their widths lay out every chart, their shapes draw PNG files.
//!
//! `letters.txt` is made by `tools/letters.py` from DejaVu Sans, the widest of the fonts that an SVG document asks for:
//! what fits here fits everywhere. The licence of the shapes is in `letters-license.txt`.

use std::collections::HashMap;
use std::sync::OnceLock;

/// A letter in thousandths of the font size.
#[derive(Clone, Copy)]
pub(super) struct Letter {
    pub advance: f64,
    /// SVG path data, y downward from the base line.
    #[cfg_attr(not(feature = "png"), allow(dead_code))]
    pub outline: &'static str,
}

/// What stands for a letter that is not among them.
const MISSING: Letter = Letter { advance: 600.0, outline: "M50 0v-700h500v700zM120-70h360v-560h-360z" };

pub(super) fn letter(sign: char) -> Letter {
    static ALL: OnceLock<HashMap<char, Letter>> = OnceLock::new();
    let all = ALL.get_or_init(|| include_str!("letters.txt").lines().filter_map(parsed).collect());
    all.get(&sign).copied().unwrap_or(MISSING)
}

fn parsed(line: &'static str) -> Option<(char, Letter)> {
    let sign = line.chars().next()?;
    let rest = &line[sign.len_utf8()..];
    let (advance, outline) = rest.split_once(' ').unwrap_or((rest, ""));
    Some((sign, Letter { advance: advance.parse().ok()?, outline }))
}

/// Width of a text of size 1.
pub(super) fn width(text: &str) -> f64 {
    text.chars().map(|sign| letter(sign).advance).sum::<f64>() / 1000.0
}
