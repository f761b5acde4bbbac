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

/// Reads the constraint whose table has this path for each key.
type ReadTie = fn(&SceneReader<'_, '_>, &dyn Fn(&str) -> String) -> Result<TieKind, FileError>;

/// The kinds of constraints and their keys.
const KINDS: [(&str, (&[&str], ReadTie)); 6] = [
    ("coincident", (&["a", "b"], |r, at| Ok(TieKind::Coincident(r.spot(&at("a"))?, r.spot(&at("b"))?)))),
    (
        "distance",
        (&["a", "b", "length"], |r, at| {
            Ok(TieKind::Distance(r.spot(&at("a"))?, r.spot(&at("b"))?, r.positive(&at("length"), Length)?))
        }),
    ),
    (
        "plane",
        (&["place", "through", "normal"], |r, at| {
            let (place, through) = (r.spot(&at("place"))?, r.needed_vector(&at("through"), Length)?);
            Ok(TieKind::Plane(place, through, r.direction(&at("normal"), None)?))
        }),
    ),
    ("aligned", (&["a", "b"], |r, at| Ok(TieKind::Aligned(r.member(&at("a"))?, r.member(&at("b"))?)))),
    (
        "prescribed",
        (&["of", "coordinate", "offset", "rate", "amplitude", "frequency", "phase"], |r, at| r.prescribed(at)),
    ),
    ("path", (&["place", "points"], |r, at| Ok(TieKind::Path(r.spot(&at("place"))?, r.points(&at("points"))?)))),
];

impl SceneReader<'_, '_> {
    pub(super) fn ties(&mut self) -> Result<(), FileError> {
        for number in 1..=self.count("constraint")? {
            let path = format!("constraint.{number}");
            let name = self.name(&path, None)?;
            let kind_path = format!("{path}.kind");
            let Some((known, read)) = choice(self.file, &kind_path, &KINDS)? else {
                let names = KINDS.map(|(name, _)| name).join(", ");
                return Err(self.file.missing(&kind_path, format!("write one of {names}")));
            };
            let at = |key: &str| format!("{path}.{key}");
            let mut others = KEYS[2..KEYS.len() - 1].iter().filter(|key| !known.contains(key));
            if let Some(key) = others.find(|key| self.file.has(&at(key))) {
                let problem = format!("`{key}` does not go with this kind of constraint");
                return Err(self.wrong(&at(key), problem, format!("its keys are {}", known.join(", "))));
            }
            let open = self.file.boolean(&at("open"))?.unwrap_or(false);
            let kind = read(self, &at)?;
            self.cell.ties.push(Tie { name, kind, open });
        }
        Ok(())
    }

    fn prescribed(&self, at: &dyn Fn(&str) -> String) -> Result<TieKind, FileError> {
        let member = self.member(&at("of"))?;
        let coordinate = self.file.index(&at("coordinate"))?.unwrap_or(1);
        // What a coordinate measures, as far as somebody would prescribe it.
        let kinds: Vec<Dimension> = match &self.cell.members[member].item {
            MemberKind::Robot(robot) => {
                let turns = |joint: &Joint| joint.kind == JointKind::Revolute;
                robot.robot.joints().iter().map(|joint| if turns(joint) { Angle } else { Length }).collect()
            }
            MemberKind::Body(body) => match body.motion {
                BodyMotion::Pendulum { .. } => vec![Angle],
                BodyMotion::Planar => vec![Length, Length, Angle],
                BodyMotion::Point | BodyMotion::Free => vec![Length; 3],
            },
        };
        let Some(&dimension) = coordinate.checked_sub(1).and_then(|index| kinds.get(index)) else {
            let hint = match kinds.len() {
                1 => String::from("there is one: 1"),
                count => format!("there are 1 to {count}"),
            };
            return Err(self.wrong(&at("coordinate"), format!("`coordinate` is {coordinate}"), hint));
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
            Some(_) => return Err(self.wrong(path, "a path has two points or more", hint)),
            None => return Err(self.file.missing(path, hint)),
        };
        let mut points: Vec<(f64, [f64; 3])> = Vec::new();
        for number in 1..=count {
            let point = format!("{path}.{number}");
            if self.file.entries(&point) != Some(4) {
                return Err(self.wrong(&point, "a point of a path has four numbers", hint));
            }
            let time = self.needed(&format!("{point}.1"), Time)?;
            if points.last().is_some_and(|(before, _)| *before >= time) {
                let problem = format!("{time} s is not after the point before");
                return Err(self.wrong(&format!("{point}.1"), problem, hint));
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
