//! What is possible, but odd: told, not refused. A measured value may be odd and yet all there is.

use super::Warning;
use super::document::Document;
use super::numbers::Numbers;
use crate::Vec3;
use crate::friction::Friction;
use crate::parameter::{Slot, Unit, Visit};
use crate::report::text::human;
use std::f64::consts::TAU;

/// The density of steel, kg/m³: a robot's parts are lighter than a block of it.
pub(in crate::robot) const STEEL: f64 = 7850.0;

/// The warnings of a file, in the order of its lines.
pub(in crate::robot) struct Warnings<'f, 't> {
    pub file: &'f Document<'t>,
    found: Vec<Warning>,
}

impl<'f, 't> Warnings<'f, 't> {
    pub fn new(file: &'f Document<'t>) -> Self {
        Self { file, found: Vec::new() }
    }

    pub fn sorted(mut self) -> Vec<Warning> {
        self.found.sort_by_key(|warning| warning.location.span.start);
        self.found
    }

    /// Tells of the number at a path; `problem` goes on after its name. `arm` (from 1) where a list has one for each: one
    /// value for all arms is odd once.
    pub fn add(&mut self, path: &str, arm: Option<usize>, problem: &str) {
        let listed = arm.filter(|_| self.file.is_list(path));
        if listed.is_none() && arm.is_some_and(|arm| arm > 1) {
            return;
        }
        let which = listed.map_or(String::new(), |arm| format!(" of arm {arm}"));
        let location = self.file.location(self.file.span(path, listed));
        self.found.push(Warning { problem: format!("`{path}`{which}{problem}"), location, hint: None });
    }

    /// Tells of numbers that no robot has in SI and that are likely in another unit: degrees, millimetres, turns per minute. Of
    /// several at one key the first.
    pub fn units(&mut self, numbers: &Numbers<'_, '_>, visit_all: impl FnOnce(&mut Visit<'_, f64>)) {
        let mut ratios: Vec<(Option<usize>, f64)> = Vec::new();
        visit_all(&mut |field, place, slot| {
            if let (Unit::GearRatio, Slot::Number(ratio)) = (field.unit, slot) {
                ratios.push((place.part, ratio.abs()));
            }
            let Ok(Some(value)) = numbers.value(field, place) else { return };
            let Some((odd, likely)) = likely_unit(field.unit, numbers.slides, value) else { return };
            let path = numbers.path(field, place);
            if !self.has(&path) {
                let arm = place.part.filter(|_| numbers.part_table.is_none()).map(|part| part + 1);
                // The list of a vector or a range is no list of arms.
                let arm = arm.filter(|_| field.components.is_empty() && self.file.is_list(&path));
                let words = self.file.words(&path);
                // What has a unit is not asked for another one.
                let bare = words.iter().any(|(_, word)| word.parse().is_ok_and(|word: f64| word == value));
                let ratio = ratios.iter().find(|(part, _)| *part == place.part).map_or(1.0, |(_, ratio)| *ratio);
                let at_joint = value.abs() / ratio;
                // As it can be typed.
                let value = human(value, 6).replace('−', "-");
                let question = match field.unit {
                    Unit::Speed if ratio > 1.0 && likely_unit(field.unit, numbers.slides, at_joint).is_none() => {
                        let [ratio, at_joint] = [ratio, at_joint].map(|x| human(x, 6));
                        let unit = field.unit.si(numbers.slides);
                        format!("is it the motor's? With a gear ratio of {ratio} the joint's is {at_joint} {unit}")
                    }
                    Unit::Speed if !bare => "is it the motor's, before a gear?".to_owned(),
                    _ if !bare => "is it in the right unit?".to_owned(),
                    _ => format!("should it be \"{value} {likely}\"?"),
                };
                self.add(&path, arm, &format!(" is {value} {odd}: {question}"));
            }
        });
    }

    /// Whether a path has been told of.
    pub fn has(&self, path: &str) -> bool {
        self.found.iter().any(|warning| warning.problem.starts_with(&format!("`{path}`")))
    }

    /// A mass that not even a block of steel has.
    pub fn mass(&mut self, path: &str, arm: Option<usize>, mass: f64, block: f64, what: &str) {
        if mass > STEEL * block {
            let mass = human(mass, 6);
            self.add(path, arm, &format!(" is {mass} kg, more than {what} of steel: should it be \"{mass} g\"?"));
        }
    }

    pub fn gravity(&mut self, gravity: Vec3<f64>) {
        let size = gravity.norm_squared().sqrt();
        if !(9.5..=10.1).contains(&size) {
            self.add("gravity", None, &format!(" is {} m/s², not the Earth's", human(size, 6)));
        }
    }

    /// The friction in the table at a path.
    pub fn friction(&mut self, path: &str, arm: Option<usize>, friction: Option<Friction<f64>>, unit: &str) {
        if let Some(Friction { static_friction, coulomb, .. }) = friction.filter(|f| f.static_friction < f.coulomb) {
            let [less, more] = [static_friction, coulomb].map(|value| human(value, 6));
            self.add(&format!("{path}.static"), arm, &format!(" is {less} {unit}, below coulomb = {more} {unit}"));
        }
    }
}

/// In which unit a number probably is that is out of all proportion in SI: what it would be, and the unit.
fn likely_unit(unit: Unit, slides: bool, value: f64) -> Option<(String, &'static str)> {
    if value.is_infinite() {
        return None; // no limit
    }
    let size = value.abs();
    let si = |text: &str| text.to_owned();
    let turns = |unit: &str| format!("{unit}, {} turns", human(size / TAU, 3));
    match (unit, slides) {
        // A full turn may be rounded.
        (Unit::Angle, _) if size > TAU + 0.01 => Some((turns("rad"), "deg")),
        // A range may be more than a turn to either side, but then it is no whole number of radians.
        (Unit::Position, false) if size > 2.0 * TAU || (size > TAU && size.fract() == 0.0) => {
            Some((turns("rad"), "deg"))
        }
        (Unit::Length, _) if size > 10.0 => Some((si("m"), "mm")),
        (Unit::Position, true) if size > 30.0 => Some((si("m"), "mm")),
        (Unit::Speed, false) if size > 200.0 => Some((format!("{} a second", turns("rad/s")), "rpm")),
        (Unit::Speed, true) if size > 50.0 => Some((si("m/s"), "mm/s")),
        // A lead in metres, or in whole millimetres; a ratio of one is a linear motor's.
        (Unit::GearRatio, true) if size < 0.1 || (size < TAU && size.fract() == 0.0 && size != 1.0) => {
            let lead = human(TAU / size, 3);
            Some((format!("rad/m, {lead} m for each turn"), if size < 0.1 { "m" } else { "mm" }))
        }
        _ => None,
    }
}
