//! From a robot back to its file: how numbers, texts and tables are written.

use crate::Angle;
use crate::parameter::{Field, Must, Slot, Unit, Visit};
use crate::robot::orientation::attitude;
use std::f64::consts::{PI, TAU};
use std::fmt::Write;

/// The visited numbers, a key and its value each: those of the parts before those of the whole robot. A limit that is not
/// there is not written.
pub(in crate::robot) fn entries(
    slides: bool,
    known_angle: impl Fn(Angle<f64>) -> String,
    visit_all: impl FnOnce(&mut Visit<'_, f64>),
) -> Vec<(&'static str, String)> {
    struct Entry {
        field: &'static Field,
        /// One for each part, or one for the whole robot.
        parts: Vec<(Option<usize>, Vec<String>)>,
        limited: bool,
    }
    let mut entries: Vec<Entry> = Vec::new();
    visit_all(&mut |field, place, slot| {
        let turns = field.unit == Unit::Angle || (field.unit == Unit::Position && !slides);
        let (value, text) = match slot {
            Slot::Number(value) => (*value, if turns { angle(*value) } else { number(*value) }),
            Slot::Angle(pair) => (pair.radians(), known_angle(*pair)),
            Slot::Rotation(matrix) => (0.0, angle(attitude(*matrix)[place.component.unwrap_or(0)])),
        };
        let index = entries.iter().position(|entry| entry.field.key == field.key).unwrap_or_else(|| {
            entries.push(Entry { field, parts: Vec::new(), limited: false });
            entries.len() - 1
        });
        let entry = &mut entries[index];
        entry.limited |= value.is_finite();
        match entry.parts.last_mut().filter(|(part, _)| *part == place.part) {
            Some((_, components)) => components.push(text),
            None => entry.parts.push((place.part, vec![text])),
        }
    });
    entries.retain(|entry| entry.limited || entry.field.must != Must::Limit);
    entries.sort_by_key(|entry| entry.parts[0].0.is_none());
    let all = |Entry { field, parts, .. }: Entry| {
        let each: Vec<String> = parts.into_iter().map(|(_, components)| one(field, components)).collect();
        // One value where the arms are alike.
        let alike = each.iter().all(|text| *text == each[0]);
        (field.key, if alike { each[0].clone() } else { list(&each) })
    };
    entries.into_iter().map(all).collect()
}

/// A number, or a list of components; a tensor without entries off its diagonal is that diagonal.
fn one(field: &Field, components: Vec<String>) -> String {
    match (field.components.len(), &components[..]) {
        (0, [only]) => only.clone(),
        (6, [diagonal @ .., a, b, c]) if [a, b, c].iter().all(|text| text.trim_start_matches('-') == "0.0") => {
            list(diagonal)
        }
        (_, all) => list(all),
    }
}

pub(in crate::robot) fn list(values: &[String]) -> String {
    format!("[{}]", values.join(", "))
}

/// The table of a key, and its name there.
fn in_table(key: &str) -> (&str, &str) {
    key.rsplit_once('.').unwrap_or(("", key))
}

/// The tables that entries belong to, in the order of their first keys.
pub(in crate::robot) fn tables_of<'e, T>(entries: &'e [(&'static str, T)]) -> Vec<&'e str> {
    let mut tables = Vec::new();
    for (key, _) in entries {
        if !tables.contains(&in_table(key).0) {
            tables.push(in_table(key).0);
        }
    }
    tables
}

/// A table in one line.
pub(in crate::robot) fn inline<'a>(entries: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let entries: Vec<String> = entries.into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", entries.join(", "))
}

/// The text so far; a table's head is written with its first line, so that there are no empty tables.
pub(in crate::robot) struct TomlText {
    text: String,
    pending: Option<String>,
}

impl TomlText {
    /// A file begins with what the robot is.
    pub fn new(kind: &str, name: &str, source: Option<&str>) -> Self {
        let mut file = Self { text: String::new(), pending: None };
        file.line("kind", &text(kind));
        file.line("name", &text(name));
        if let Some(source) = source {
            file.line("source", &text(source));
        }
        file
    }

    /// More of a file that has begun.
    pub fn more() -> Self {
        Self { text: String::new(), pending: None }
    }

    /// The entries of these tables, a line each; the lines of a part's own table have none.
    pub fn tables<'n>(&mut self, names: impl IntoIterator<Item = &'n str>, entries: &[(&'static str, String)]) {
        for name in names {
            self.table(name);
            for (key, value) in entries.iter().filter(|(key, _)| in_table(key).0 == name) {
                self.line(in_table(key).1, value);
            }
        }
    }

    /// The entries of these tables, a line for each table that has any.
    pub fn inline_tables<'n>(&mut self, names: impl IntoIterator<Item = &'n str>, entries: &[(&'static str, String)]) {
        for name in names {
            let own = entries.iter().filter(|(key, _)| in_table(key).0 == name);
            let own: Vec<(&str, String)> = own.map(|(key, value)| (in_table(key).1, value.clone())).collect();
            if !own.is_empty() {
                self.line(name, &inline(own));
            }
        }
    }

    /// The lines that follow belong to this table; those of the top have none.
    pub fn table(&mut self, name: &str) {
        self.pending = Some(name.to_owned()).filter(|name| !name.is_empty());
    }

    pub fn line(&mut self, key: &str, value: &str) {
        // Writing to a string cannot fail.
        if let Some(table) = self.pending.take() {
            let _ = writeln!(self.text, "\n[{table}]");
        }
        let _ = writeln!(self.text, "{key} = {value}");
    }

    pub fn finish(self) -> String {
        self.text
    }
}

/// The shortest decimal that reads back as the same double; TOML wants a point or an exponent in it, as `Debug` gives.
pub(in crate::robot) fn number(value: f64) -> String {
    format!("{value:?}")
}

/// In degrees, if a short number of degrees reads back as the same double; else in radians.
fn angle(radians: f64) -> String {
    degrees(radians, |angle| angle == radians).unwrap_or_else(|| number(radians))
}

/// An angle that is kept as a pair.
pub(in crate::robot) fn known_angle(angle: Angle<f64>) -> String {
    let radians = angle.radians();
    degrees(radians, |radians| Angle::from_radians(radians) == angle).unwrap_or_else(|| number(radians))
}

/// An angle about the vertical, from 0 to 360°.
pub(in crate::robot) fn azimuth(azimuth: Angle<f64>) -> String {
    let radians = azimuth.radians();
    let turned = if radians < 0.0 { radians + TAU } else { radians };
    let is_it = |angle| Angle::from_radians(angle) == azimuth;
    degrees(turned, is_it).or_else(|| degrees(radians, is_it)).unwrap_or_else(|| number(radians))
}

fn degrees(radians: f64, is_it: impl Fn(f64) -> bool) -> Option<String> {
    if !radians.is_finite() {
        return None;
    }
    (0..=12).find_map(|digits| {
        let text = format!("{:.digits$}", radians.to_degrees());
        let value: f64 = text.parse().ok()?;
        is_it(value * (PI / 180.0)).then(|| format!("\"{text} deg\""))
    })
}

/// A quoted text on one line.
pub(in crate::robot) fn text(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
