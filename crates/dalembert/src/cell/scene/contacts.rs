//! `[[surface]]`, `[[contact]]` and `[[event]]`.

use super::SceneReader;
use crate::cell::{Against, Contact, MemberKind, Spot};
use crate::robot::file::document::choice;
use crate::robot::file::{Dimension, Dimension::*, FileError};
use crate::simulate::{Action, ContactId, ContactLaw, Response, ScheduledAction, SurfaceShape, Trigger};

pub(super) const SURFACE: &[&str] = &["name", "shape", "through", "normal", "center", "size", "radius"];
const KEYS: [&str; 5] = ["name", "of", "on", "at", "response"];
/// The numbers of a law.
const LAW: [(&str, Dimension); 6] = [
    ("stiffness", Ratio),
    ("exponent", Ratio),
    ("restitution", Ratio),
    ("friction", Ratio),
    ("resting_speed", Speed),
    ("creep_speed", Speed),
];
pub(super) const EVENT: &[&str] = &["time", "touch", "grip", "release", "within"];

/// How far a grip reaches unless it says otherwise, m or rad.
const WITHIN: f64 = 1e-3;

/// All keys of a contact.
pub(super) fn keys() -> Vec<&'static str> {
    KEYS.into_iter().chain(LAW.map(|(key, _)| key)).collect()
}

impl SceneReader<'_, '_> {
    fn surfaces(&mut self) -> Result<Vec<(String, SurfaceShape)>, FileError> {
        let mut surfaces = Vec::new();
        for number in 1..=self.count("surface")? {
            let path = format!("surface.{number}");
            let name = self.name(&path, None)?;
            let at = |key: &str| format!("{path}.{key}");
            let vector = |key: &str| Ok::<_, FileError>(self.file.vector(&at(key), Length)?.unwrap_or([0.0; 3]));
            let shape = match choice(self.file, &at("shape"), &[("plane", 0), ("box", 1), ("sphere", 2)])? {
                Some(0) => SurfaceShape::Plane {
                    through: vector("through")?,
                    normal: self.direction(&at("normal"), Some([0.0, 0.0, 1.0]))?,
                },
                Some(1) => {
                    let half = self.edges(&at("size"), "x, y, z in m")?.map(|edge| 0.5 * edge);
                    SurfaceShape::Box { center: vector("center")?, half }
                }
                Some(_) => {
                    SurfaceShape::Sphere { center: vector("center")?, radius: self.positive(&at("radius"), Length)? }
                }
                None => return Err(self.file.missing(&at("shape"), "write \"plane\", \"box\" or \"sphere\"")),
            };
            surfaces.push((name, shape));
        }
        Ok(surfaces)
    }

    pub(super) fn contacts(&mut self) -> Result<(), FileError> {
        let surfaces = self.surfaces()?;
        let mut touched_surfaces = vec![false; surfaces.len()];
        for number in 1..=self.count("contact")? {
            let path = format!("contact.{number}");
            let at = |key: &str| format!("{path}.{key}");
            let member = self.member(&at("of"))?;
            let offset = self.file.vector(&at("at"), Length)?;
            if offset.is_some() && matches!(self.cell.members[member].item, MemberKind::Body(_)) {
                let problem = "`at` is for robots: a body touches with its shape";
                return Err(self.wrong(&at("at"), problem, "leave it out"));
            }
            let members = self.cell.members.iter().map(|member| member.name.as_str());
            let known = surfaces.iter().map(|(name, _)| name.as_str()).chain(members);
            let touched = self.find(&at("on"), "surface, robot or body", known.clone())?;
            let default =
                format!("{} on {}", self.cell.members[member].name, known.clone().nth(touched).unwrap_or("?"));
            let against = match surfaces.get(touched) {
                Some(&(_, shape)) => {
                    touched_surfaces[touched] = true;
                    Against::Surface(shape)
                }
                None => Against::Member(touched - surfaces.len()),
            };
            if against == Against::Member(member) {
                return Err(self.wrong(&at("on"), "a body cannot touch itself", "name another one"));
            }
            let law = self.law(&path)?;
            let name = self.name(&path, Some(default))?;
            let spot = Spot::On { member, offset: offset.unwrap_or([0.0; 3]) };
            self.cell.contacts.push(Contact { name, spot, against, law });
        }
        if let Some(unused) = touched_surfaces.iter().position(|touched| !touched) {
            let name = &surfaces[unused].0;
            let problem = format!("nothing touches the surface `{name}`: bodies pass through it");
            let hint = format!("add a [[contact]] with on = \"{name}\", or leave the surface out");
            return Err(self.wrong(&format!("surface.{}.name", unused + 1), problem, hint));
        }
        Ok(())
    }

    fn law(&self, path: &str) -> Result<ContactLaw, FileError> {
        let at = |key: &str| format!("{path}.{key}");
        let mut law = ContactLaw::default();
        let responses = Response::ALL.map(|response| (response.as_str(), response));
        law.response = choice(self.file, &at("response"), &responses)?.unwrap_or(law.response);
        let ContactLaw { stiffness, exponent, restitution, friction, resting_speed, creep_speed, .. } = &mut law;
        let numbers = [stiffness, exponent, restitution, friction, resting_speed, creep_speed];
        for ((key, dimension), value) in LAW.into_iter().zip(numbers) {
            *value = self.file.scalar(&at(key), dimension)?.unwrap_or(*value);
        }
        law.check().map_err(|error| {
            // The error names the key, with a blank for the underscore.
            let text = error.to_string();
            let named = |(key, _): &(&str, Dimension)| text.contains(&key.replace('_', " "));
            let key = LAW.into_iter().find(named).map_or(path.to_owned(), |(key, _)| at(key));
            self.wrong(&key, text, "docs/contact.md says what each number does")
        })?;
        Ok(law)
    }

    pub(super) fn events(&mut self) -> Result<(), FileError> {
        for number in 1..=self.count("event")? {
            let path = format!("event.{number}");
            let at = |key: &str| format!("{path}.{key}");
            let one_of = |a: &str, b: &str| {
                self.wrong(&path, format!("an event has either `{a}` or `{b}`"), "keep one of the two")
            };
            let when = match (self.file.has(&at("time")), self.file.has(&at("touch"))) {
                (true, false) => match self.needed(&at("time"), Time)? {
                    time if time >= 0.0 => Trigger::Time(time),
                    time => {
                        let problem = format!("`time` is {time} s, but a run begins at 0");
                        return Err(self.wrong(&at("time"), problem, "as in \"0.5 s\""));
                    }
                },
                (false, true) => {
                    let known = self.cell.contacts.iter().map(|contact| contact.name.as_str());
                    Trigger::Touch(ContactId(self.find(&at("touch"), "contact", known)?))
                }
                _ => return Err(one_of("time", "touch")),
            };
            let (key, closes) = match (self.file.has(&at("grip")), self.file.has(&at("release"))) {
                (true, false) => ("grip", true),
                (false, true) => ("release", false),
                _ => return Err(one_of("grip", "release")),
            };
            let mut ties = Vec::new();
            for (span, name) in self.file.words(&at(key)) {
                let known = self.cell.ties.iter().map(|tie| tie.name.as_str());
                ties.extend(self.cell.ties[self.number(span, &name, "constraint", known)?].equations());
            }
            let what = match (self.file.scalar(&at("within"), Length)?, closes) {
                (within, true) => Action::Attach { ties, reach: within.unwrap_or(WITHIN) },
                (None, false) => Action::Release { ties },
                (Some(_), false) => return Err(self.wrong(&at("within"), "`within` goes with `grip`", "leave it out")),
            };
            self.cell.switches.push(ScheduledAction { when, what });
        }
        Ok(())
    }
}
