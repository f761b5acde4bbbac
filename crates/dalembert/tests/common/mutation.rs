//! Texts that are nearly right: shipped files with mistakes in them, always the same ones.

/// SplitMix64 (G. Steele, D. Lea & C. Flood, OOPSLA 2014): small, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`, which is not zero.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub fn one<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Numbers that hurt.
pub const NUMBERS: [&str; 32] = [
    "0",
    "-0.0",
    "1",
    "-1",
    "1e-300",
    "5e-324",
    "1e-20",
    "-1e-9",
    "1e9",
    "1e20",
    "1e154",
    "1e155",
    "-1e200",
    "1.7e308",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "0x10",
    "1_000",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "3.141592653589793",
    "120",
    "350",
    "\"1 mm\"",
    "\"90 deg\"",
    "\"1e300 km\"",
    "\"1 kg m^2\"",
    "\"-5 rpm\"",
    "\"\"",
];

/// Texts that hurt.
pub const TEXTS: [&str; 24] = [
    "[[link]]",
    "[base]",
    "[",
    "]",
    "{",
    "}",
    "=",
    "\"",
    "'''",
    "\u{0}",
    "\u{1b}[31m",
    "\r",
    "\u{202e}",
    "\u{feff}",
    "é",
    "𝔻",
    ",",
    "[1, 2]",
    "[[1, 2], 3]",
    "true",
    "1979-05-27",
    "name = \"a\\u001bb\"",
    "kind = \"scene\"",
    "../../../etc/passwd",
];

/// The text with one to six mistakes. `others` lends lines.
pub fn mutated(text: &str, others: &[&str], random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(6) {
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        if lines.is_empty() {
            return text;
        }
        let (i, j) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(12) {
            0..=3 => {
                // Another number.
                let line = &mut lines[i];
                let digits = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
                if let Some(at) = line.find(|c: char| c.is_ascii_digit()) {
                    let length = line[at..].find(|c: char| !digits(c)).unwrap_or(line.len() - at);
                    line.replace_range(at..at + length, random.one(&NUMBERS));
                }
            }
            4 => drop(lines.remove(i)),
            5 => lines.insert(i, lines[j].clone()),
            6 => lines.swap(i, j),
            7 => {
                let other: Vec<&str> = random.one(others).lines().collect();
                lines.insert(i, format!("{}\n", other[random.below(other.len())]));
            }
            8 => lines.insert(i, format!("{}\n", random.one(&TEXTS))),
            9 => {
                // Another text in the middle of a line, or instead of a value.
                let line = &mut lines[i];
                let from = line.find('=').map_or(0, |at| at + 1);
                let text = if random.below(2) == 0 { random.one(&TEXTS) } else { random.one(&NUMBERS) };
                *line = format!("{} {text}\n", &line[..from]);
            }
            10 => {
                // A character less or other.
                let line = &mut lines[i];
                let places: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
                let at = places[random.below(places.len())];
                line.remove(at);
                if random.below(2) == 0 {
                    line.insert(at, char::from(32 + random.below(95) as u8));
                }
            }
            _ => lines.truncate(i),
        }
        text = lines.concat();
    }
    text
}

/// How many cases: `usual`, or as `DALEMBERT_FUZZ` says for a long search.
pub fn cases(usual: usize) -> usize {
    std::env::var("DALEMBERT_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// Where a search starts: `DALEMBERT_FUZZ_SEED`, or always the same.
pub fn seed() -> u64 {
    std::env::var("DALEMBERT_FUZZ_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}
