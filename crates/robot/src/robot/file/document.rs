//! A TOML text whose values know where they stand.

use super::units::{self, Dimension};
use super::{FileError, LoadError, Location, write};
use crate::parameter::{Field, Must};
use crate::suggest::closest;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Node<'t> = Spanned<DeValue<'t>>;

/// The pose that only arms have.
const NO_BASE: &str = "Deltas and other parallel robots have no pose of their base: their coordinates are those of the base. Another mounting is another \
                       `gravity`, or a place in a scene";

/// Keys that some expect, with the table in which they do not exist, or in none, and why, or what to write.
const LEFT_OUT: [(&str, Option<&str>, &str); 7] = [
    ("base", Some(""), NO_BASE),
    ("position", Some("base"), NO_BASE),
    ("rpy", Some("base"), NO_BASE),
    (
        "zero_offset",
        None,
        "of a link it is `theta_offset`, or a part of `d` where the joint slides; of a leg it turns `zero`, or moves `base` along the rail",
    ),
    (
        "axial_inertia",
        Some("upper_arm"),
        "an upper arm turns about the motor axis alone: its inertia about its own line has no part in the motion",
    ),
    (
        "axial_inertia",
        None,
        "it has no effect between ball joints: they transmit no torque about the line of a rod or leg, which then does not spin about it. \
         Universal joints do turn it; this is left out, since its energy is at most (axial_inertia/inertia)·tan² (ball angle) of the rod's \
         other rotational energy (docs/conventions.md, docs/parallel.md)",
    ),
    (
        "center_of_mass_offset",
        Some("forearm"),
        "a rod between ball joints whose mass is beside its line hangs and turns about this line as a pendulum, which no joint angle describes: \
         give the place along the rod as `center_of_mass` (docs/conventions.md)",
    ),
];

/// The table at the end of a text whose keys count instead of those above it.
const CHANGES: &str = "for this run";

/// A text with changes such as `forearm.mass=0.5`, `link.2.mass=500 g` or, as tables of results name it, `link2.mass=500 g`.
/// A value, or an entry of a list, is TOML, or else a text that needs no quotes.
pub(super) fn with_changes(text: &str, changes: &[String]) -> Result<String, LoadError> {
    if changes.is_empty() {
        return Ok(text.to_owned());
    }
    let mut all = format!("{}\n\n[\"{CHANGES}\"]\n", text.trim_end());
    for change in changes {
        let in_key = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let (key, value) = match change.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
            Some((key, value)) if !key.is_empty() && key.chars().all(in_key) && !value.is_empty() => (key, value),
            _ => {
                let problem = String::from("it does not say which number is which");
                let location = Location::of(change, 0..change.len());
                let hint = Some("write KEY=VALUE, as in forearm.mass=0.5 or \"link.2.mass=500 g\"".to_owned());
                let error = Box::new(FileError { problem, location, hint });
                return Err(LoadError::Change { change: change.clone(), error });
            }
        };
        let (first, rest) = key.split_at(key.find('.').unwrap_or(key.len()));
        let name = first.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = &first[name.len()..];
        let dot = if name.is_empty() || number.is_empty() { "" } else { "." };
        all += &format!("{name}{dot}{number}{rest} = {}\n", quoted(value));
    }
    Ok(all)
}

/// A value as TOML: what is not gets its quotation marks, in a list each entry.
fn quoted(value: &str) -> String {
    if !value.contains('\n') && DeTable::parse(&format!("value = {value}")).is_ok() {
        return value.to_owned();
    }
    let Some(list) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else { return write::text(value) };
    let mut depth = 0;
    let between_entries = |letter| {
        depth += i32::from(letter == '[') - i32::from(letter == ']');
        letter == ',' && depth == 0
    };
    let entries: Vec<String> = list.split(between_entries).map(|entry| quoted(entry.trim())).collect();
    format!("[{}]", entries.join(", "))
}

/// The parsed text. Values are addressed by paths such as `motor.friction.viscous`.
pub struct Document<'t> {
    text: &'t str,
    root: DeTable<'t>,
}

impl<'t> Document<'t> {
    /// Parses the text of a file.
    pub fn parse(text: &'t str) -> Result<Self, FileError> {
        match DeTable::parse(text) {
            Ok(root) => {
                let mut root = root.into_inner();
                let changed = match root.remove(CHANGES).map(Spanned::into_inner) {
                    Some(DeValue::Table(changes)) => merge(&mut root, changes),
                    _ => Ok(()),
                };
                let file = Self { text, root };
                changed.map_err(|(span, problem)| file.error(span, problem, "they are numbered from 1"))?;
                Ok(file)
            }
            Err(error) => Err(FileError {
                problem: format!("not TOML: {}", error.message().trim_end()),
                location: Location::of(text, error.span().unwrap_or(0..0)),
                hint: Some(syntax_hint(text, error.span().map_or(0, |span| span.start), error.message())),
            }),
        }
    }

    /// Line and column of a place.
    pub fn location(&self, span: Range<usize>) -> Location {
        Location::of(self.text, span)
    }

    /// An error at a place of the text.
    pub fn error(&self, span: Range<usize>, problem: impl Into<String>, hint: impl Into<String>) -> FileError {
        FileError { problem: problem.into(), location: self.location(span), hint: Some(hint.into()) }
    }

    /// The value at a path; an entry of a list is its number, from 1: `link.2.mass`.
    fn find(&self, path: &str) -> Option<&Node<'t>> {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let mut node = self.root.get(first)?;
        for part in rest.split('.').filter(|part| !part.is_empty()) {
            node = match node.get_ref() {
                DeValue::Table(table) => table.get(part)?,
                DeValue::Array(entries) => entries.get(part.parse::<usize>().ok()?.checked_sub(1)?)?,
                _ => return None,
            };
        }
        Some(node)
    }

    /// The number of tables of a list of tables, written `[[path]]`.
    pub fn tables(&self, path: &str) -> Result<usize, FileError> {
        let Some(node) = self.find(path) else {
            return Err(self.missing(path, format!("begin each one with [[{path}]]")));
        };
        match node.get_ref().as_array() {
            Some(entries) if entries.iter().all(|entry| entry.get_ref().is_table()) => Ok(entries.len()),
            _ => Err(self.error(
                node.span(),
                format!("`{path}` must be a list of tables, found {}", kind(node.get_ref())),
                format!("begin each one with [[{path}]]"),
            )),
        }
    }

    /// A value of one kind, where there is one; `must` and `hint` say what it has to be.
    fn value<'d, T>(
        &'d self,
        path: &str,
        read: impl FnOnce(&'d DeValue<'t>) -> Option<T>,
        must: impl FnOnce(&'static str) -> String,
        hint: &str,
    ) -> Result<Option<T>, FileError> {
        let Some(node) = self.find(path) else { return Ok(None) };
        let wrong = || self.error(node.span(), format!("`{path}` must be {}", must(kind(node.get_ref()))), hint);
        read(node.get_ref()).map_or_else(|| Err(wrong()), |value| Ok(Some(value)))
    }

    /// A whole number.
    pub fn index(&self, path: &str) -> Result<Option<usize>, FileError> {
        let read = |value: &DeValue<'_>| match value {
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
            _ => None,
        };
        self.value(path, read, |_| "a whole number".to_owned(), "as in 2")
    }

    /// What a field's key says: as many numbers as the field has components. `arm` (from 0) where a list may have an entry for
    /// each arm.
    pub fn numbers_of(
        &self,
        path: &str,
        field: &Field,
        dimension: Dimension,
        arm: Option<usize>,
    ) -> Result<Option<Vec<f64>>, FileError> {
        let Some(mut node) = self.find(path) else { return Ok(None) };
        if let (Some(arm), Some(entries)) = (arm, node.get_ref().as_array()) {
            // A list of numbers has one for each arm; one of pairs, where there are pairs in it.
            let per_arm = field.components.is_empty() || entries.iter().any(|entry| entry.get_ref().is_array());
            node = match entries.get(arm) {
                _ if !per_arm => node,
                Some(entry) if entries.len() == 3 => entry,
                _ => {
                    return Err(self.error(
                        node.span(),
                        format!("`{path}` has {} entries, but there are three arms", entries.len()),
                        "write one value for all arms, or a list of three",
                    ));
                }
            };
        }
        let values = match field.components.len() {
            0 if field.must == Must::Limit => vec![self.limit(node, path, dimension)?],
            0 => vec![self.number(node, path, dimension)?],
            2 => self.least_and_most(node, path, dimension)?.to_vec(),
            6 => self.tensor(node, path, dimension)?,
            _ => self.three(node, path, dimension)?.to_vec(),
        };
        Ok(Some(values))
    }

    /// The six entries of a tensor; three are its diagonal.
    fn tensor(&self, node: &Node<'t>, path: &str, dimension: Dimension) -> Result<Vec<f64>, FileError> {
        match node.get_ref().as_array() {
            Some(entries) if matches!(entries.len(), 3 | 6) => {
                let mut all: Vec<f64> =
                    entries.iter().map(|entry| self.number(entry, path, dimension)).collect::<Result<_, _>>()?;
                all.resize(6, 0.0);
                Ok(all)
            }
            _ => Err(self.error(
                node.span(),
                format!("`{path}` must be a list of three or six, found {}", kind(node.get_ref())),
                "the diagonal xx, yy, zz, or the tensor xx, yy, zz, xy, yz, xz",
            )),
        }
    }

    /// A limit that is not negative, or infinity.
    fn limit(&self, node: &Node<'t>, path: &str, dimension: Dimension) -> Result<f64, FileError> {
        match self.number_or_infinity(node, path, dimension)? {
            value if value >= 0.0 => Ok(value),
            value => Err(self.error(
                node.span(),
                format!("`{path}` is {value}, but must not be negative"),
                "a limit holds in both directions; leave it out for no limit",
            )),
        }
    }

    /// The texts or numbers of a value, or of the entries of a list, as they are written, with their places.
    pub fn words(&self, path: &str) -> Vec<(Range<usize>, String)> {
        let word = |node: &Node<'t>| {
            let text = match node.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Float(float) => float.as_str().to_owned(),
                DeValue::Integer(integer) => integer.as_str().to_owned(),
                other => kind(other).to_owned(),
            };
            (node.span(), text)
        };
        match self.find(path) {
            None => Vec::new(),
            Some(node) => match node.get_ref().as_array() {
                Some(entries) => entries.iter().map(word).collect(),
                None => vec![word(node)],
            },
        }
    }

    /// A list of numbers of any length.
    pub fn numbers(&self, path: &str, dimension: Dimension) -> Result<Option<Vec<f64>>, FileError> {
        let Some(node) = self.find(path) else { return Ok(None) };
        match node.get_ref().as_array() {
            Some(entries) => {
                entries.iter().map(|entry| self.number(entry, path, dimension)).collect::<Result<_, _>>().map(Some)
            }
            None => Err(self.error(
                node.span(),
                format!("`{path}` must be a list of numbers, found {}", kind(node.get_ref())),
                format!("each is {} in {}", dimension.name(), dimension.si()),
            )),
        }
    }

    /// Yes or no.
    pub fn boolean(&self, path: &str) -> Result<Option<bool>, FileError> {
        self.value(path, DeValue::as_bool, |_| "true or false".to_owned(), "without quotes")
    }

    /// How many entries a list has.
    pub fn entries(&self, path: &str) -> Option<usize> {
        self.find(path)?.get_ref().as_array().map(|entries| entries.iter().count())
    }

    /// Whether a key is a table.
    pub fn is_table(&self, path: &str) -> bool {
        self.find(path).is_some_and(|node| node.get_ref().is_table())
    }

    /// Whether a key exists.
    pub fn has(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    /// Whether a value is written as a list, one entry per arm.
    pub fn is_list(&self, path: &str) -> bool {
        self.find(path).is_some_and(|node| node.get_ref().is_array())
    }

    /// Where a value stands: its entry for one arm (1, 2, 3), if it is a list; the table it would be in, if it is missing.
    pub fn span(&self, path: &str, arm: Option<usize>) -> Range<usize> {
        if let Some(node) = self.find(path) {
            let entries = node.get_ref().as_array().filter(|entries| entries.len() == 3);
            return match (entries, arm) {
                (Some(entries), Some(arm)) => entries.get(arm.wrapping_sub(1)).unwrap_or(node).span(),
                _ => node.span(),
            };
        }
        match path.rsplit_once('.') {
            Some((parent, _)) => self.span(parent, None),
            None => 0..0,
        }
    }

    /// Refuses tables and keys that are not in `known` (pairs of a table's path and its keys), the first one in the text.
    pub fn check_keys(&self, known: &[(impl AsRef<str>, impl AsRef<[&'static str]>)]) -> Result<(), FileError> {
        let known: Vec<(&str, &[&str])> = known.iter().map(|(path, keys)| (path.as_ref(), keys.as_ref())).collect();
        let mut strangers = Vec::new();
        for &(path, keys) in &known {
            let table = if path.is_empty() {
                &self.root
            } else {
                match self.find(path) {
                    None => continue,
                    Some(node) => node.get_ref().as_table().ok_or_else(|| {
                        let found = kind(node.get_ref());
                        self.error(
                            node.span(),
                            format!("`{path}` must be a table, found {found}"),
                            format!("its keys are {}", list(keys)),
                        )
                    })?,
                }
            };
            let unknown = table.keys().filter(|key| !keys.contains(&key.get_ref().as_ref()));
            strangers.extend(unknown.map(|key| (key.span(), key.get_ref().to_string(), path, keys)));
        }
        let Some((span, key, path, keys)) = strangers.into_iter().min_by_key(|(span, ..)| span.start) else {
            return Ok(());
        };
        let place = if path.is_empty() { "at the top".to_owned() } else { format!("in [{path}]") };
        let elsewhere = known.iter().find(|(_, keys)| keys.contains(&key.as_str()));
        let left_out = LEFT_OUT.iter().find(|(own, table, _)| *own == key && table.is_none_or(|table| table == path));
        if let Some((.., why)) = left_out {
            return Err(self.error(span, format!("unknown key `{key}` {place}"), *why));
        }
        let hint = match (closest(&key, keys.iter().copied()), elsewhere) {
            (Some(meant), _) => format!("did you mean `{meant}`?"),
            (None, Some(("", _))) => format!("`{key}` belongs to the top of the file, before the first [table]"),
            (None, Some((other, _))) => format!("`{key}` belongs to [{other}]"),
            (None, None) => format!("known {place}: {}", list(keys)),
        };
        Err(self.error(span, format!("unknown key `{key}` {place}"), hint))
    }

    /// The error for a missing key.
    pub fn missing(&self, path: &str, hint: impl Into<String>) -> FileError {
        let problem = match path.rsplit_once('.') {
            Some((table, key)) if self.has(table) => format!("[{table}] has no `{key}`"),
            Some((table, _)) => return self.missing_table(table, &["its keys"]),
            None => format!("missing key `{path}`"),
        };
        self.error(self.span(path, None), problem, hint)
    }

    /// `keys` are what the table cannot do without.
    pub fn missing_table(&self, table: &str, keys: &[&str]) -> FileError {
        let keys = match keys {
            [several @ .., last] if !several.is_empty() => format!("{} and {last}", several.join(", ")),
            _ => keys.concat(),
        };
        // It belongs at the end, if anywhere.
        let end = self.text.trim_end().len();
        self.error(end..end, format!("missing table [{table}]"), format!("add [{table}] with {keys}"))
    }

    /// The name that every file has.
    pub fn name(&self) -> Result<String, FileError> {
        match self.string("name")? {
            Some(name) if !name.trim().is_empty() => Ok(name.to_owned()),
            Some(_) => Err(self.error(self.span("name", None), "`name` is empty", "call the robot something")),
            None => Err(self.missing("name", "call the robot something: name = \"…\"")),
        }
    }

    /// A text.
    pub fn string(&self, path: &str) -> Result<Option<&str>, FileError> {
        let text = self.value(path, DeValue::as_str, |found| format!("a text, found {found}"), "put it in quotes")?;
        // Names stand in lines of tables, messages and programs.
        let key = path.rsplit('.').next();
        match text.filter(|text| key == Some("name") && text.contains(char::is_control)) {
            Some(_) => {
                let problem = format!("`{path}` has a line break or another control character");
                Err(self.error(self.span(path, None), problem, "a name stands in one line"))
            }
            None => Ok(text),
        }
    }

    /// One value.
    pub fn scalar(&self, path: &str, dimension: Dimension) -> Result<Option<f64>, FileError> {
        self.find(path).map(|node| self.number(node, path, dimension)).transpose()
    }

    /// Three components x, y, z.
    pub fn vector(&self, path: &str, dimension: Dimension) -> Result<Option<[f64; 3]>, FileError> {
        self.find(path).map(|node| self.three(node, path, dimension)).transpose()
    }

    fn three(&self, node: &Node<'t>, path: &str, dimension: Dimension) -> Result<[f64; 3], FileError> {
        match entries_of(node)[..] {
            [x, y, z] => {
                let number = |node| self.number(node, path, dimension);
                Ok([number(x)?, number(y)?, number(z)?])
            }
            _ => Err(self.error(
                node.span(),
                format!("`{path}` must be a list of three: x, y, z; found {}", kind(node.get_ref())),
                format!("each is {} in {}", dimension.name(), dimension.si()),
            )),
        }
    }

    /// A pair [least, most]. Infinity says "no limit".
    fn least_and_most(&self, node: &Node<'t>, path: &str, dimension: Dimension) -> Result<[f64; 2], FileError> {
        let [least, most] = entries_of(node)[..] else {
            return Err(self.error(
                node.span(),
                format!("`{path}` must be a pair [least, most], or a list of three pairs"),
                "as in [\"-60 deg\", \"95 deg\"]",
            ));
        };
        let [least, most] = [least, most].map(|node| self.number_or_infinity(node, path, dimension));
        let pair @ [least, most] = [least?, most?];
        if least < most {
            return Ok(pair);
        }
        let problem = format!("`{path}` is reversed or empty: {least} is not below {most}");
        Err(self.error(node.span(), problem, "write [least, most]"))
    }

    fn number(&self, node: &Node<'t>, path: &str, dimension: Dimension) -> Result<f64, FileError> {
        let value = self.number_or_infinity(node, path, dimension)?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(self.error(node.span(), format!("`{path}` is {value}, not a finite number"), dimension.example()))
        }
    }

    fn number_or_infinity(&self, node: &Node<'t>, path: &str, dimension: Dimension) -> Result<f64, FileError> {
        let value = match node.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
            DeValue::Integer(integer) => {
                i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|value| value as f64)
            }
            DeValue::String(text) => Some(
                units::parse(text, dimension)
                    .map_err(|error| self.error(node.span(), format!("`{path}`: {}", error.problem), error.hint))?,
            ),
            _ => None,
        };
        match value {
            Some(value) if !f64::is_nan(value) => Ok(value),
            _ => Err(self.error(
                node.span(),
                match value {
                    Some(value) => format!("`{path}` is {value}, not a number"),
                    None => format!("`{path}` must be {}, found {}", dimension.name(), kind(node.get_ref())),
                },
                format!("write {}", dimension.example()),
            )),
        }
    }
}

/// The entries of a list; of anything else none.
fn entries_of<'n, 't>(node: &'n Node<'t>) -> Vec<&'n Node<'t>> {
    node.get_ref().as_array().map_or_else(Vec::new, |entries| entries.iter().collect())
}

/// What a table says counts instead of what another says; the rest stays.
fn merge<'t>(table: &mut DeTable<'t>, changes: DeTable<'t>) -> Result<(), (Range<usize>, String)> {
    for (key, change) in changes {
        let name: &str = key.get_ref();
        match table.get_mut(name) {
            Some(node) => replace(node, change)?,
            None => drop(table.insert(key, change)),
        }
    }
    Ok(())
}

fn replace<'t>(node: &mut Node<'t>, change: Node<'t>) -> Result<(), (Range<usize>, String)> {
    let span = change.span();
    match (node.get_mut(), change.into_inner()) {
        (DeValue::Table(table), DeValue::Table(changes)) => merge(table, changes)?,
        (DeValue::Array(entries), DeValue::Table(changes)) => {
            let count = entries.len();
            for (key, change) in changes {
                let index = key.get_ref().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                match index.and_then(|index| entries.get_mut(index)) {
                    Some(entry) => replace(entry, change)?,
                    None => {
                        return Err((key.span(), format!("there is no entry {}: there are {count}", key.get_ref())));
                    }
                }
            }
        }
        (_, value) => *node = Spanned::new(span, value),
    }
    Ok(())
}

/// One of several words; `None` where the key is missing.
pub fn choice<T: Copy>(file: &Document<'_>, path: &str, choices: &[(&str, T)]) -> Result<Option<T>, FileError> {
    let Some(text) = file.string(path)? else { return Ok(None) };
    if let Some(&(_, value)) = choices.iter().find(|(name, _)| *name == text) {
        return Ok(Some(value));
    }
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    let hint = match closest(text, names.iter().copied()) {
        Some(meant) => format!("did you mean \"{meant}\"?"),
        None => format!("write one of {}", names.join(", ")),
    };
    Err(file.error(file.span(path, None), format!("`{path}` is \"{text}\""), hint))
}

/// The type of a value, with its article.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn list(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
}

/// What the line with a syntax error most likely wants to say.
fn syntax_hint(text: &str, at: usize, message: &str) -> String {
    if message.contains("duplicate") {
        return "a key or table may be given once: keep one of the two".to_owned();
    }
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or("");
    let line = line.split(" #").next().unwrap_or(line).trim();
    let example = || "compare it with the file of a built-in robot, such as d3-1200".to_owned();
    let Some((key, value)) = line.split_once('=') else {
        return if line.starts_with('[') {
            "a table begins with its name in brackets, alone on a line: [upper_arm]".to_owned()
        } else if line.contains(':') {
            "write key = value, not key: value".to_owned()
        } else {
            example()
        };
    };
    let (key, value) = (key.trim(), value.trim());
    let number = value.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let unit = value.trim_start_matches(|c: char| c.is_ascii_digit() || "+-.eE".contains(c)).trim();
    if value.is_empty() {
        format!("give `{key}` a value, or remove the line")
    } else if number && unit.starts_with(',') {
        "the decimal sign is a point".to_owned()
    } else if number && unit.starts_with(|c: char| c.is_alphabetic() || c == '°') {
        format!("put number and unit in quotes: {key} = \"{value}\"")
    } else if value.starts_with(char::is_alphabetic) {
        format!("put text in quotes: {key} = \"{value}\"")
    } else if value.starts_with('[') && value.contains(char::is_alphabetic) && !value.contains('"') {
        "put each number with its unit in quotes: [\"0 deg\", \"120 deg\", \"240 deg\"]".to_owned()
    } else if value.starts_with('"') && !value[1..].contains('"') {
        format!("the quote is not closed: {key} = {value}\"")
    } else {
        example()
    }
}
