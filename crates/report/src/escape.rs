//! Text of others, such as names in files, in what is written here: one rule per format. It stands there as text and does
//! nothing: it ends no line, no comment and no element, moves no cursor and turns no direction of writing.

use std::borrow::Cow;

/// Whether a character does something instead of standing there: control characters, line separators, and those that turn
/// the direction of writing (Unicode Standard Annex 9, tables 3 and 4).
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Replaces what acts, apart from characters that may.
fn replaced<'t>(text: &'t str, may: &[char], with: impl Fn(char) -> String) -> Cow<'t, str> {
    let strange = |c: char| acts(c) && !may.contains(&c);
    if !text.contains(strange) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if strange(c) { with(c) } else { c.to_string() }).collect())
}

/// Text in one line, such as a comment of a program: what acts is shown by its number, `\u{1b}`.
pub fn line(text: &str) -> Cow<'_, str> {
    replaced(text, &[], |c| c.escape_default().to_string())
}

/// Text on a terminal. It may have lines and tabs.
pub fn terminal(text: &str) -> Cow<'_, str> {
    replaced(text, &['\n', '\t'], |c| c.escape_default().to_string())
}

/// As [`terminal`], with as many characters as before: places in a line are counted in characters, and stay where they are.
pub fn terminal_in_place(text: &str) -> Cow<'_, str> {
    replaced(text, &['\n', '\t'], |c| if c == '\r' { " ".into() } else { "?".into() })
}

/// A JSON document on a terminal: the same document, what acts in its strings by its number.
pub fn json(document: &str) -> Cow<'_, str> {
    replaced(document, &['\n', '\t'], |c| {
        let mut units = [0; 2];
        c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
    })
}

/// Text in SVG or HTML, in quotes too. Characters that XML 1.0 does not have become U+FFFD.
pub fn xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(c),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c if acts(c) => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// Text in a line of Markdown, which has no HTML then and starts no element but `code`.
pub fn markdown(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in line(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\\' | '*' | '_' | '[' | ']' | '|' | '#' | '!' => safe.extend(['\\', c]),
            c => safe.push(c),
        }
    }
    safe
}

/// Text in a comment of G-code, `(…)`. The caller puts a word of its own before it: controllers take some first words, such
/// as `MSG,` and `LOGOPEN,`, for commands.
pub fn gcode(text: &str) -> String {
    replaced(text, &[], |_| " ".into()).replace(['(', ')'], " ")
}
