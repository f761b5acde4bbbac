//! A small canvas for pictures without a font or a graphics library, and PNG.

/// Letters of 5 × 8 dots for the characters 32 to 126: five columns from left to right, the lowest bit on top.
#[rustfmt::skip]
const LETTERS: [u64; 95] = [
    0x00_0000_0000, 0x00_005f_0000, 0x00_0700_0700, 0x14_7f14_7f14, 0x24_2a7f_2a12, 0x23_1308_6462, 0x36_4956_2050,
    0x00_0807_0300, 0x00_1c22_4100, 0x00_4122_1c00, 0x2a_1c7f_1c2a, 0x08_083e_0808, 0x00_8070_3000, 0x08_0808_0808,
    0x00_0060_6000, 0x20_1008_0402, 0x3e_5149_453e, 0x00_427f_4000, 0x72_4949_4946, 0x21_4149_4d33, 0x18_1412_7f10,
    0x27_4545_4539, 0x3c_4a49_4931, 0x41_2111_0907, 0x36_4949_4936, 0x46_4949_291e, 0x00_0014_0000, 0x00_4034_0000,
    0x00_0814_2241, 0x14_1414_1414, 0x00_4122_1408, 0x02_0159_0906, 0x3e_415d_594e, 0x7c_1211_127c, 0x7f_4949_4936,
    0x3e_4141_4122, 0x7f_4141_413e, 0x7f_4949_4941, 0x7f_0909_0901, 0x3e_4141_5173, 0x7f_0808_087f, 0x00_417f_4100,
    0x20_4041_3f01, 0x7f_0814_2241, 0x7f_4040_4040, 0x7f_021c_027f, 0x7f_0408_107f, 0x3e_4141_413e, 0x7f_0909_0906,
    0x3e_4151_215e, 0x7f_0919_2946, 0x26_4949_4932, 0x03_017f_0103, 0x3f_4040_403f, 0x1f_2040_201f, 0x3f_4038_403f,
    0x63_1408_1463, 0x03_0478_0403, 0x61_5949_4d43, 0x00_7f41_4141, 0x02_0408_1020, 0x00_4141_417f, 0x04_0201_0204,
    0x40_4040_4040, 0x00_0307_0800, 0x20_5454_7840, 0x7f_2844_4438, 0x38_4444_4428, 0x38_4444_287f, 0x38_5454_5418,
    0x00_087e_0902, 0x18_a4a4_9c78, 0x7f_0804_0478, 0x00_447d_4000, 0x20_4040_3d00, 0x7f_1028_4400, 0x00_417f_4000,
    0x7c_0478_0478, 0x7c_0804_0478, 0x38_4444_4438, 0xfc_1824_2418, 0x18_2424_18fc, 0x7c_0804_0408, 0x48_5454_5424,
    0x04_043f_4424, 0x3c_4040_207c, 0x1c_2040_201c, 0x3c_4030_403c, 0x44_2810_2844, 0x4c_9090_907c, 0x44_6454_4c44,
    0x00_0836_4100, 0x00_0077_0000, 0x00_4136_0800, 0x02_0102_0402,
];

pub(super) struct Canvas {
    width: usize,
    height: usize,
    scale: f64,
    pixels: Vec<u8>,
}

impl Canvas {
    /// White, `scale` pixels per unit.
    pub fn new(width: f64, height: f64, scale: f64) -> Self {
        let (width, height) = ((width * scale) as usize, (height * scale) as usize);
        Self { width, height, scale, pixels: vec![255; 4 * width * height] }
    }

    fn blend(&mut self, x: i64, y: i64, color: [u8; 3], cover: f64) {
        if !(0..self.width as i64).contains(&x) || !(0..self.height as i64).contains(&y) {
            return;
        }
        let start = 4 * (y as usize * self.width + x as usize);
        for (pixel, &wanted) in self.pixels[start..start + 3].iter_mut().zip(&color) {
            *pixel = (f64::from(*pixel) + (f64::from(wanted) - f64::from(*pixel)) * cover).round() as u8;
        }
    }

    pub fn fill(&mut self, [x, y, width, height]: [f64; 4], color: [u8; 3]) {
        let at = |value: f64| (value * self.scale).round() as i64;
        let (columns, rows) = (at(x)..at(x + width), at(y)..at(y + height));
        for row in rows {
            for column in columns.clone() {
                self.blend(column, row, color, 1.0);
            }
        }
    }

    /// A picture with four bytes per pixel, stretched without smoothing; what is transparent stays white.
    pub fn image(&mut self, [x, y, width, height]: [f64; 4], (columns, rows): (usize, usize), pixels: &[u8]) {
        let at = |value: f64| (value * self.scale).round() as i64;
        let (left, top, right, bottom) = (at(x), at(y), at(x + width), at(y + height));
        for row in top..bottom {
            let v = ((row - top) as usize * rows / (bottom - top).max(1) as usize).min(rows - 1);
            for column in left..right {
                let u = ((column - left) as usize * columns / (right - left).max(1) as usize).min(columns - 1);
                let pixel = &pixels[4 * (v * columns + u)..][..4];
                self.blend(column, row, [pixel[0], pixel[1], pixel[2]], f64::from(pixel[3]) / 255.0);
            }
        }
    }

    /// A line one unit wide.
    pub fn line(&mut self, a: (f64, f64), b: (f64, f64), color: [u8; 3], cover: f64) {
        let ((xa, ya), (xb, yb)) = ((a.0 * self.scale, a.1 * self.scale), (b.0 * self.scale, b.1 * self.scale));
        let steps = (xb - xa).abs().max((yb - ya).abs()).ceil().max(1.0);
        for k in 0..=steps as usize {
            let s = k as f64 / steps;
            self.blend((xa + s * (xb - xa)).round() as i64, (ya + s * (yb - ya)).round() as i64, color, cover);
        }
    }

    /// A text with its base line at y; anchor 0 start, 1 middle, 2 end.
    pub fn text(&mut self, x: f64, y: f64, anchor: usize, size: f64, text: &str) {
        self.text_in([30; 3], (x, y), anchor, size, text);
    }

    /// The same in another colour.
    pub fn text_in(&mut self, ink: [u8; 3], (x, y): (f64, f64), anchor: usize, size: f64, text: &str) {
        let left = x - 6.0 * size * letters(text).count() as f64 * 0.5 * anchor as f64;
        self.write(ink, text, size, |along, up| (left + along, y - up));
    }

    /// The same upward, its middle at y.
    pub fn text_upward(&mut self, x: f64, y: f64, size: f64, text: &str) {
        let start = y + 3.0 * size * letters(text).count() as f64;
        self.write([30; 3], text, size, |along, up| (x - up, start - along));
    }

    fn write(&mut self, ink: [u8; 3], text: &str, size: f64, place: impl Fn(f64, f64) -> (f64, f64)) {
        for (k, letter) in letters(text).enumerate() {
            for column in 0..5 {
                let dots = (letter >> (8 * (4 - column))) & 0xff;
                for row in (0..8).filter(|row| dots >> row & 1 == 1) {
                    let (along, up) = ((6 * k + column) as f64 * size, (6.0 - f64::from(row)) * size);
                    let ((xa, ya), (xb, yb)) = (place(along, up), place(along + size, up + size));
                    self.fill([xa.min(xb), ya.min(yb), (xb - xa).abs(), (yb - ya).abs()], ink);
                }
            }
        }
    }

    pub fn encode(&self) -> Vec<u8> {
        let opaque: Vec<u8> = self.pixels.chunks(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        encode(self.width as u32, self.height as u32, &opaque, false)
    }
}

/// The letters of a text; what is not among them is replaced by its nearest relative.
fn letters(text: &str) -> impl Iterator<Item = u64> {
    text.chars()
        .flat_map(|c| match c {
            '−' | '–' => vec!['-'],
            '…' => vec!['.', '.'],
            '²' => vec!['^', '2'],
            '×' => vec!['x'],
            '°' => vec!['d', 'e', 'g'],
            ' '..='~' => vec![c],
            _ => vec!['?'],
        })
        .map(|c| LETTERS[c as usize - 32])
}

/// A PNG file of eight bits per sample, with or without transparency.
pub(super) fn encode(width: u32, height: u32, pixels: &[u8], transparent: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width.max(1), height.max(1));
    encoder.set_color(if transparent { png::ColorType::Rgba } else { png::ColorType::Rgb });
    encoder.set_depth(png::BitDepth::Eight);
    // Into memory, with the size it was made for: it does not fail.
    if let Ok(mut writer) = encoder.write_header() {
        let _ = writer.write_image_data(pixels);
    }
    bytes
}

pub(super) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for k in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * k) & 63) as usize] as char;
            text.push(if k <= group.len() { digit } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_as_in_the_standard() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(super::base64(plain.as_bytes()), coded);
        }
    }
}
