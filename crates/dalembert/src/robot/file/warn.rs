//! What is possible, but odd: told, not refused. A measured value may be odd and yet all there is.

use super::Warning;
use super::document::Document;
use crate::Vec3;
use crate::friction::Friction;
use crate::report::text::human;

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
        self.found.push(Warning { problem: format!("`{path}`{which}{problem}"), location });
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
