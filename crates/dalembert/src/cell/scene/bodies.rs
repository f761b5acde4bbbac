//! `[[body]]`: what is no robot.

use super::SceneReader;
use crate::cell::{BodyMotion, BodyShape, Member, MemberKind, SceneBody};
use crate::robot::file::document::choice;
use crate::robot::file::{Dimension::*, FileError};

pub(super) const KEYS: &[&str] = &[
    "name",
    "shape",
    "size",
    "radius",
    "mass",
    "inertia",
    "motion",
    "position",
    "rpy",
    "velocity",
    "angular_velocity",
    "angle",
    "rate",
    "pivot",
    "torque",
];

#[derive(Clone, Copy, PartialEq)]
enum BodyKind {
    Free,
    Planar,
    Pendulum,
}

/// Which keys go with which motion.
const ONLY: [(&str, &[BodyKind]); 8] = [
    ("position", &[BodyKind::Free, BodyKind::Planar]),
    ("rpy", &[BodyKind::Free]),
    ("velocity", &[BodyKind::Free, BodyKind::Planar]),
    ("angular_velocity", &[BodyKind::Free]),
    ("angle", &[BodyKind::Planar, BodyKind::Pendulum]),
    ("rate", &[BodyKind::Planar, BodyKind::Pendulum]),
    ("pivot", &[BodyKind::Pendulum]),
    ("torque", &[BodyKind::Pendulum]),
];

impl SceneReader<'_, '_> {
    pub(super) fn bodies(&mut self) -> Result<(), FileError> {
        for number in 1..=self.count("body")? {
            let path = format!("body.{number}");
            let name = self.name(&path, None)?;
            let body = self.body(&path)?;
            self.cell.members.push(Member { name, item: MemberKind::Body(body) });
        }
        Ok(())
    }

    fn body(&self, path: &str) -> Result<SceneBody, FileError> {
        let file = self.file;
        let at = |key: &str| format!("{path}.{key}");
        let choices = [("free", BodyKind::Free), ("planar", BodyKind::Planar), ("pendulum", BodyKind::Pendulum)];
        let kind = choice(file, &at("motion"), &choices)?.unwrap_or(BodyKind::Free);
        for (key, kinds) in ONLY {
            if file.has(&at(key)) && !kinds.contains(&kind) {
                let span = file.span(&at(key), None);
                let name = choices.iter().find(|(_, other)| *other == kind).map_or("", |(name, _)| name);
                return Err(file.error(span, format!("`{key}` does not go with motion = \"{name}\""), "leave it out"));
            }
        }
        let shape = self.shape(path)?;
        let mass = self.positive(&at("mass"), Mass)?;
        let inertia = match file.vector(&at("inertia"), Inertia)? {
            Some(inertia) => inertia,
            None => shape.inertia(mass),
        };
        let vector = |key: &str, dimension| Ok::<_, FileError>(file.vector(&at(key), dimension)?.unwrap_or([0.0; 3]));
        let scalar = |key: &str, dimension| Ok::<_, FileError>(file.scalar(&at(key), dimension)?.unwrap_or(0.0));
        let motion = match kind {
            BodyKind::Free if shape == BodyShape::Point => {
                for key in ["rpy", "angular_velocity", "inertia"] {
                    if file.has(&at(key)) {
                        let problem = format!("`{key}` of a point: it cannot turn");
                        return Err(file.error(file.span(&at(key), None), problem, "leave it out, or give it a shape"));
                    }
                }
                BodyMotion::Point(self.needed_vector(&at("position"), Length)?, vector("velocity", Speed)?)
            }
            BodyKind::Free => BodyMotion::Free(
                self.needed_vector(&at("position"), Length)?,
                quaternion(vector("rpy", Angle)?),
                vector("velocity", Speed)?,
                vector("angular_velocity", AngularSpeed)?,
            ),
            BodyKind::Planar => {
                let position = self.needed_vector(&at("position"), Length)?;
                let velocity = vector("velocity", Speed)?;
                for (key, across) in [("position", position[1]), ("velocity", velocity[1])] {
                    if across != 0.0 {
                        let problem = format!("`{key}` has y = {across}, but a planar body moves in the x–z plane");
                        return Err(file.error(file.span(&at(key), None), problem, "write 0 for y"));
                    }
                }
                BodyMotion::Planar(
                    [position[0], position[2], scalar("angle", Angle)?],
                    [velocity[0], velocity[2], scalar("rate", AngularSpeed)?],
                )
            }
            BodyKind::Pendulum => BodyMotion::Pendulum(
                self.needed_vector(&at("pivot"), Length)?,
                scalar("angle", Angle)?,
                scalar("rate", AngularSpeed)?,
                file.scalar(&at("torque"), Torque)?,
            ),
        };
        let needed: &[usize] = match kind {
            BodyKind::Free if shape == BodyShape::Point => &[],
            BodyKind::Free => &[0, 1, 2],
            BodyKind::Planar => &[1],
            BodyKind::Pendulum => &[],
        };
        if let Some(&axis) = needed.iter().find(|&&axis| inertia[axis].is_nan() || inertia[axis] <= 0.0) {
            let problem = format!("the inertia about axis {} is {}, but must be positive", axis + 1, inertia[axis]);
            let key = if file.has(&at("inertia")) { "inertia" } else { "shape" };
            return Err(file.error(file.span(&at(key), None), problem, "a body that turns needs a size or `inertia`"));
        }
        Ok(SceneBody { mass, inertia, shape, motion })
    }

    fn shape(&self, path: &str) -> Result<BodyShape, FileError> {
        let at = |key: &str| format!("{path}.{key}");
        match choice(self.file, &at("shape"), &[("box", 0), ("sphere", 1), ("point", 2)])? {
            Some(0) => {
                let size = self.needed_vector(&at("size"), Length)?;
                match size.iter().find(|&&edge| edge <= 0.0) {
                    None => Ok(BodyShape::Box(size)),
                    Some(edge) => Err(self.file.error(
                        self.file.span(&at("size"), None),
                        format!("an edge of {edge} m, but each must be positive"),
                        "the lengths along the body's x, y and z",
                    )),
                }
            }
            Some(1) => self.positive(&at("radius"), Length).map(BodyShape::Sphere),
            Some(_) => Ok(BodyShape::Point),
            None => Err(self.file.missing(&at("shape"), "write \"box\", \"sphere\" or \"point\"")),
        }
    }
}

/// Rz(yaw) Ry(pitch) Rx(roll) as a unit quaternion (w, x, y, z).
fn quaternion([roll, pitch, yaw]: [f64; 3]) -> [f64; 4] {
    let ((sr, cr), (sp, cp), (sy, cy)) = ((0.5 * roll).sin_cos(), (0.5 * pitch).sin_cos(), (0.5 * yaw).sin_cos());
    [cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy]
}
