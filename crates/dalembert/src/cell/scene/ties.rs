//! `[[constraint]]` and `[[push]]`.

use super::SceneReader;
use crate::cell::{BodyMotion, ConstantForce, MemberKind, Tie, TieKind};
use crate::mechanism::Swing;
use crate::robot::file::document::choice;
use crate::robot::file::{Dimension, Dimension::*, FileError};
use crate::robot::{Joint, JointKind};

pub(super) const KEYS: &[&str] = &[
    "name",
    "kind",
    "a",
    "b",
    "place",
    "length",
    "through",
    "normal",
    "of",
    "coordinate",
    "offset",
    "rate",
    "amplitude",
    "frequency",
    "phase",
    "points",
    "open",
];
pub(super) const PUSH: &[&str] = &["place", "force"];

#[derive(Clone, Copy)]
enum TieChoice {
    Coincident,
    Distance,
    Plane,
    Aligned,
    Prescribed,
    Path,
}

const KINDS: [(&str, TieChoice); 6] = [
    ("coincident", TieChoice::Coincident),
    ("distance", TieChoice::Distance),
    ("plane", TieChoice::Plane),
    ("aligned", TieChoice::Aligned),
    ("prescribed", TieChoice::Prescribed),
    ("path", TieChoice::Path),
];

impl TieChoice {
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Coincident | Self::Aligned => &["a", "b"],
            Self::Distance => &["a", "b", "length"],
            Self::Plane => &["place", "through", "normal"],
            Self::Prescribed => &["of", "coordinate", "offset", "rate", "amplitude", "frequency", "phase"],
            Self::Path => &["place", "points"],
        }
    }
}

impl SceneReader<'_, '_> {
    pub(super) fn ties(&mut self) -> Result<(), FileError> {
        for number in 1..=self.count("constraint")? {
            let path = format!("constraint.{number}");
            let name = self.name(&path, None)?;
            let kind_path = format!("{path}.kind");
            let Some(kind) = choice(self.file, &kind_path, &KINDS)? else {
                let names = KINDS.map(|(name, _)| name).join(", ");
                return Err(self.file.missing(&kind_path, format!("write one of {names}")));
            };
            let known = kind.keys();
            let stray = KEYS[2..KEYS.len() - 1]
                .iter()
                .find(|key| !known.contains(key) && self.file.has(&format!("{path}.{key}")));
            if let Some(key) = stray {
                let span = self.file.span(&format!("{path}.{key}"), None);
                let problem = format!("`{key}` does not go with this kind of constraint");
                return Err(self.file.error(span, problem, format!("its keys are {}", known.join(", "))));
            }
            let open = self.file.boolean(&format!("{path}.open"))?.unwrap_or(false);
            let kind = self.tie(&path, kind)?;
            self.cell.ties.push(Tie { name, kind, open });
        }
        Ok(())
    }

    fn tie(&self, path: &str, kind: TieChoice) -> Result<TieKind, FileError> {
        let at = |key: &str| format!("{path}.{key}");
        Ok(match kind {
            TieChoice::Coincident => TieKind::Coincident(self.spot(&at("a"))?, self.spot(&at("b"))?),
            TieChoice::Distance => {
                TieKind::Distance(self.spot(&at("a"))?, self.spot(&at("b"))?, self.positive(&at("length"), Length)?)
            }
            TieChoice::Plane => TieKind::Plane(
                self.spot(&at("place"))?,
                self.needed_vector(&at("through"), Length)?,
                self.direction(&at("normal"), None)?,
            ),
            TieChoice::Aligned => TieKind::Aligned(self.member(&at("a"))?, self.member(&at("b"))?),
            TieChoice::Prescribed => self.prescribed(path)?,
            TieChoice::Path => TieKind::Path(self.spot(&at("place"))?, self.points(&at("points"))?),
        })
    }

    fn prescribed(&self, path: &str) -> Result<TieKind, FileError> {
        let at = |key: &str| format!("{path}.{key}");
        let member = self.member(&at("of"))?;
        let coordinate = self.file.index(&at("coordinate"))?.unwrap_or(1);
        // What a coordinate measures, as far as somebody would prescribe it.
        let kinds: Vec<Dimension> = match &self.cell.members[member].item {
            MemberKind::Robot(robot) => {
                let turns = |joint: &Joint| joint.kind == JointKind::Revolute;
                robot.robot.joints().iter().map(|joint| if turns(joint) { Angle } else { Length }).collect()
            }
            MemberKind::Body(body) => match body.motion {
                BodyMotion::Pendulum(..) => vec![Angle],
                BodyMotion::Planar(..) => vec![Length, Length, Angle],
                BodyMotion::Point(..) | BodyMotion::Free(..) => vec![Length; 3],
            },
        };
        let Some(&dimension) = coordinate.checked_sub(1).and_then(|index| kinds.get(index)) else {
            let span = self.file.span(&at("coordinate"), None);
            let problem = format!("`coordinate` is {coordinate}");
            let hint = match kinds.len() {
                1 => String::from("there is one: 1"),
                count => format!("there are 1 to {count}"),
            };
            return Err(self.file.error(span, problem, hint));
        };
        let speed = if dimension == Angle { AngularSpeed } else { Speed };
        let value = |key: &str, dimension| Ok::<_, FileError>(self.file.scalar(&at(key), dimension)?.unwrap_or(0.0));
        let motion = Swing {
            offset: value("offset", dimension)?,
            rate: value("rate", speed)?,
            amplitude: value("amplitude", dimension)?,
            frequency: value("frequency", AngularSpeed)?,
            phase: value("phase", Angle)?,
        };
        Ok(TieKind::Prescribed { member, coordinate: coordinate - 1, motion })
    }

    /// `[["0 s", 0.1, 0, -0.8], …]`: time and place, in order.
    fn points(&self, path: &str) -> Result<Vec<(f64, [f64; 3])>, FileError> {
        let hint = "each point is [time, x, y, z]";
        let count = match self.file.entries(path) {
            Some(count) if count >= 2 => count,
            Some(_) => {
                return Err(self.file.error(self.file.span(path, None), "a path has two points or more", hint));
            }
            None => return Err(self.file.missing(path, hint)),
        };
        let mut points: Vec<(f64, [f64; 3])> = Vec::new();
        for number in 1..=count {
            let point = format!("{path}.{number}");
            if self.file.entries(&point) != Some(4) {
                return Err(self.file.error(self.file.span(&point, None), "a point of a path has four numbers", hint));
            }
            let time = self.needed(&format!("{point}.1"), Time)?;
            if points.last().is_some_and(|(before, _)| *before >= time) {
                let span = self.file.span(&format!("{point}.1"), None);
                return Err(self.file.error(span, format!("{time} s is not after the point before"), hint));
            }
            let mut place = [0.0; 3];
            for (i, x) in place.iter_mut().enumerate() {
                *x = self.needed(&format!("{point}.{}", i + 2), Length)?;
            }
            points.push((time, place));
        }
        Ok(points)
    }

    pub(super) fn pushes(&mut self) -> Result<(), FileError> {
        for number in 1..=self.count("push")? {
            let path = format!("push.{number}");
            let at = self.spot(&format!("{path}.place"))?;
            let force = self.needed_vector(&format!("{path}.force"), Force)?;
            self.cell.pushes.push(ConstantForce { at, force });
        }
        Ok(())
    }
}
