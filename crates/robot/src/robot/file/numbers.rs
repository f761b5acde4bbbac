//! The numbers of a robot's table ([`crate::parameter`]) in its file: which keys there are, and what they say.

use super::FileError;
use super::document::Document;
use super::units::Dimension;
use crate::Angle;
use crate::parameter::{Field, Place, Slot, Visit};
use crate::spatial::roll_pitch_yaw;

/// A file, as a family's table reads it.
#[derive(Clone, Copy)]
pub(in crate::robot) struct Numbers<'f, 't> {
    pub file: &'f Document<'t>,
    /// The list of tables that describe the parts one by one; where there is none, a key has one value for all parts or a
    /// list with one for each.
    pub part_table: Option<&'static str>,
    /// The table of what the parts have in common, where there is one.
    pub common: Option<&'static str>,
    /// Whether the joint slides.
    pub slides: bool,
}

impl Numbers<'_, '_> {
    /// Its path in the file.
    pub fn path(&self, field: &Field, place: Place) -> String {
        if let (Some(table), Some(_)) = (self.common, place.part) {
            let path = self.own_path(field, place);
            let shared = format!("{table}.{}", field.key);
            return if !self.file.has(&path) && self.file.has(&shared) { shared } else { path };
        }
        self.own_path(field, place)
    }

    fn own_path(&self, field: &Field, place: Place) -> String {
        match (self.part_table, place.part) {
            (Some(table), Some(part)) => format!("{table}.{}.{}", part + 1, field.key),
            _ => field.key.to_owned(),
        }
    }

    /// What the file says of a number.
    pub fn value(&self, field: &Field, place: Place) -> Result<Option<f64>, FileError> {
        let arm = place.part.filter(|_| self.part_table.is_none());
        let dimension = Dimension::of(field.unit, self.slides);
        let values = self.file.numbers_of(&self.path(field, place), field, dimension, arm)?;
        Ok(values.and_then(|values| values.get(place.component.unwrap_or(0)).copied()))
    }

    /// Sets the visited numbers to what the file says of them; what it does not mention stays. Of several mistakes the first
    /// one in the text is told.
    pub fn read(&self, visit_all: impl FnOnce(&mut Visit<'_, f64>)) -> Result<(), FileError> {
        let mut first: Option<FileError> = None;
        let mut turn = [0.0; 3];
        visit_all(&mut |field, place, slot| match (self.value(field, place), slot) {
            (Ok(Some(value)), Slot::Number(number)) => *number = value,
            (Ok(Some(value)), Slot::Angle(angle)) => *angle = Angle::from_radians(value),
            // The angles of a rotation come one after the other.
            (Ok(Some(value)), Slot::Rotation(rotation)) => {
                turn[place.component.unwrap_or(0)] = value;
                *rotation = roll_pitch_yaw(turn.map(Angle::from_radians));
            }
            (Ok(_), _) => {}
            (Err(error), _) => {
                let start = |error: &FileError| error.location.span.start;
                if first.as_ref().is_none_or(|first| start(&error) < start(first)) {
                    first = Some(error);
                }
            }
        });
        first.map_or(Ok(()), Err)
    }

    /// Refuses the first number that is still missing: NaN. `hint` knows better what to write, where it does.
    pub fn refuse_missing(
        &self,
        hint: impl Fn(&Field) -> Option<&'static str>,
        visit_all: impl FnOnce(&mut Visit<'_, f64>),
    ) -> Result<(), FileError> {
        let mut missing: Vec<(String, &Field)> = Vec::new();
        visit_all(&mut |field, place, slot| {
            let is_missing = match slot {
                Slot::Number(number) => number.is_nan(),
                Slot::Angle(angle) => angle.cos.is_nan(),
                Slot::Rotation(_) => false,
            };
            let path = self.path(field, place);
            if is_missing && !missing.iter().any(|(known, _)| *known == path) {
                missing.push((path, field));
            }
        });
        let Some((path, field)) = missing.first() else { return Ok(()) };
        if let Some((table, _)) = path.rsplit_once('.').filter(|(table, _)| !self.file.has(table)) {
            let asked =
                missing.iter().filter(|(_, field)| !field.follows).filter_map(|(path, _)| path.rsplit_once('.'));
            let keys: Vec<&str> = asked.filter(|(other, _)| *other == table).map(|(_, key)| key).collect();
            return Err(self.file.missing_table(table, &keys));
        }
        let dimension = Dimension::of(field.unit, self.slides);
        let usual = || format!("it is {}, as in {}", dimension.name(), dimension.example());
        Err(self.file.missing(path, hint(field).map_or_else(usual, str::to_owned)))
    }
}

/// The keys of all visited numbers.
pub(in crate::robot) fn keys(visit_all: impl FnOnce(&mut Visit<'_, f64>)) -> Vec<&'static str> {
    let mut keys = Vec::new();
    visit_all(&mut |field, _, _| {
        if !keys.contains(&field.key) {
            keys.push(field.key);
        }
    });
    keys
}

/// The tables below `table` and their keys, from the paths of all keys: of `motor.friction.viscous` [motor] has the key
/// `friction`, and [motor.friction] the key `viscous`.
pub(in crate::robot) fn tables(table: &str, paths: &[&'static str]) -> Vec<(String, Vec<&'static str>)> {
    let mut tables: Vec<(String, Vec<&str>)> = vec![(table.to_owned(), Vec::new())];
    for path in paths {
        let mut table = table.to_owned();
        for key in path.split('.') {
            let index = tables.iter().position(|(known, _)| *known == table).unwrap_or_else(|| {
                tables.push((table.clone(), Vec::new()));
                tables.len() - 1
            });
            let keys = &mut tables[index].1;
            if !keys.contains(&key) {
                keys.push(key);
            }
            table = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
        }
    }
    tables
}
