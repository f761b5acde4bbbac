//! What there is in a text, and where its fields and rows end: 64 bytes at a time.
//!
//! Fields are short and of any length: what looks for one comma after the other guesses wrong at each.

use std::array::from_fn;

/// The text 64 bytes at a time, the last ones filled up with blanks.
#[inline(always)]
fn each_chunk(text: &[u8], mut each: impl FnMut(&[u8; 64])) {
    let (chunks, rest) = text.as_chunks();
    chunks.iter().for_each(&mut each);
    if !rest.is_empty() {
        each(&from_fn(|k| rest.get(k).copied().unwrap_or(b' ')));
    }
}

/// A bit for each byte of which this is so. A plain loop and its results as bytes, which become vector instructions; then eight of them side by side.
#[inline(always)]
fn bits(chunk: &[u8; 64], is_so: impl Fn(u8) -> bool) -> u64 {
    let mut flags = [0; 64];
    for k in 0..64 {
        flags[k] = u8::from(is_so(chunk[k]));
    }
    let (eights, _) = flags.as_chunks();
    let mut bits = 0;
    for k in 0..8 {
        bits |= (u64::from_le_bytes(eights[k]).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * k);
    }
    bits
}

/// What there is in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteSummary {
    /// How many `\n`.
    pub lines: u64,
    /// Neither quotes nor `\r` nor zeros.
    pub plain: bool,
    /// Nothing but ASCII.
    pub ascii: bool,
}

impl ByteSummary {
    pub(crate) fn of(text: &[u8]) -> Self {
        let (mut lines, mut odd, mut all) = (0, 0, 0);
        each_chunk(text, |chunk| {
            let mut breaks = 0;
            for &byte in chunk {
                breaks += u8::from(byte == b'\n');
                odd |= u8::from((byte == b'"') | (byte == b'\r') | (byte == 0));
                all |= byte;
            }
            lines += u64::from(breaks);
        });
        Self { lines, plain: odd == 0, ascii: all < 0x80 }
    }

    /// What there is in more of it.
    pub(crate) fn add(&mut self, more: &Self) {
        self.lines += more.lines;
        self.plain &= more.plain;
        self.ascii &= more.ascii;
    }
}

/// Where the fields of a text without quotes end, row after row.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// Where each field ends.
    fields: Vec<u32>,
    /// Which of them are the last of their rows.
    rows: Vec<u32>,
    /// How many fields, and how many rows, have been taken.
    taken: (usize, usize),
}

impl Marks {
    /// Finds them all. Places are told from the start of the bytes on, of which the text is the part from `start` on.
    pub(crate) fn find(&mut self, bytes: &[u8], start: usize) {
        self.fields.clear();
        self.rows.clear();
        self.taken = (0, 0);
        let (fields, rows) = (&mut self.fields, &mut self.rows);
        let mut place = start as u32;
        each_chunk(&bytes[start..], |chunk| {
            let mut breaks = bits(chunk, |byte| byte == b'\n');
            let mut marks = bits(chunk, |byte| (byte == b',') | (byte == b'\n'));
            let known = fields.len() as u32;
            while breaks != 0 {
                let before = marks & (breaks & breaks.wrapping_neg()).wrapping_sub(1);
                rows.push(known + before.count_ones());
                breaks &= breaks - 1;
            }
            let end = fields.len() + marks.count_ones() as usize;
            // Eight at once, whether there are so many or not: what does not depend on the text is not guessed wrong.
            while fields.len() < end {
                let mut eight = [0; 8];
                for mark in &mut eight {
                    *mark = place + marks.trailing_zeros();
                    marks &= marks.wrapping_sub(1);
                }
                fields.extend_from_slice(&eight);
            }
            fields.truncate(end);
            place += 64;
        });
        // A last row without `\n`.
        if bytes.len() > start && bytes.last() != Some(&b'\n') {
            rows.push(fields.len() as u32);
            fields.push(bytes.len() as u32);
        }
    }

    /// Where the fields of the next row end.
    pub(crate) fn next_row(&mut self) -> Option<&[u32]> {
        let (field, row) = self.taken;
        let end = *self.rows.get(row)? as usize + 1;
        self.taken = (end, row + 1);
        self.fields.get(field..end)
    }
}
