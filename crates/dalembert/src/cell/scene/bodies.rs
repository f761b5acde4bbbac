//! `[[body]]`: what is no robot.

use super::SceneReader;
use crate::cell::{BodyMotion, BodyShape, Member, MemberKind, SceneBody};
use crate::robot::file::document::choice;
use crate::robot::file::{Dimension::*, FileError};

/// The keys of every body.
const KEYS: [&str; 7] = ["name", "shape", "size", "radius", "mass", "inertia", "motion"];

/// All keys.
pub(super) fn keys() -> Vec<&'static str> {
    KEYS.into_iter().chain(ONLY.map(|(key, _)| key)).collect()
}

const MOTIONS: [(&str, &str); 3] = [("free", "free"), ("planar", "planar"), ("pendulum", "pendulum")];

/// Which keys go with which motion.
const ONLY: [(&str, &[&str]); 8] = [
    ("position", &["free", "planar"]),
    ("rpy", &["free"]),
    ("velocity", &["free", "planar"]),
    ("angular_velocity", &["free"]),
    ("angle", &["planar", "pendulum"]),
    ("rate", &["planar", "pendulum"]),
    ("pivot", &["pendulum"]),
    ("torque", &["pendulum"]),
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
        let kind = choice(file, &at("motion"), &MOTIONS)?.unwrap_or("free");
        for (key, kinds) in ONLY {
            if file.has(&at(key)) && !kinds.contains(&kind) {
                let problem = format!("`{key}` does not go with motion = \"{kind}\"");
                return Err(self.wrong(&at(key), problem, "leave it out"));
            }
        }
        let shape = self.shape(path)?;
        let mass = self.positive(&at("mass"), Mass)?;
        let inertia = file.vector(&at("inertia"), Inertia)?.unwrap_or(shape.inertia(mass));
        let vector = |key: &str, dimension| Ok::<_, FileError>(file.vector(&at(key), dimension)?.unwrap_or([0.0; 3]));
        let scalar = |key: &str, dimension| Ok::<_, FileError>(file.scalar(&at(key), dimension)?.unwrap_or(0.0));
        // With the axes that it turns about.
        let (motion, q, v, axes): (_, _, _, &[usize]) = match kind {
            "free" if shape == BodyShape::Point => {
                for key in ["rpy", "angular_velocity", "inertia"] {
                    if file.has(&at(key)) {
                        let problem = format!("`{key}` of a point: it cannot turn");
                        return Err(self.wrong(&at(key), problem, "leave it out, or give it a shape"));
                    }
                }
                let position = self.needed_vector(&at("position"), Length)?;
                (BodyMotion::Point, position.to_vec(), vector("velocity", Speed)?.to_vec(), &[])
            }
            "free" => {
                let position = self.needed_vector(&at("position"), Length)?;
                let q = [&position[..], &quaternion(vector("rpy", Angle)?)].concat();
                let v = [vector("velocity", Speed)?, vector("angular_velocity", AngularSpeed)?].concat();
                (BodyMotion::Free, q, v, &[0, 1, 2])
            }
            "planar" => {
                let position = self.needed_vector(&at("position"), Length)?;
                let velocity = vector("velocity", Speed)?;
                for (key, across) in [("position", position[1]), ("velocity", velocity[1])] {
                    if across != 0.0 {
                        let problem = format!("`{key}` has y = {across}, but a planar body moves in the x–z plane");
                        return Err(self.wrong(&at(key), problem, "write 0 for y"));
                    }
                }
                let q = vec![position[0], position[2], scalar("angle", Angle)?];
                (BodyMotion::Planar, q, vec![velocity[0], velocity[2], scalar("rate", AngularSpeed)?], &[1])
            }
            _ => {
                let pivot = self.needed_vector(&at("pivot"), Length)?;
                let (q, v) = (vec![scalar("angle", Angle)?], vec![scalar("rate", AngularSpeed)?]);
                (BodyMotion::Pendulum { pivot, torque: file.scalar(&at("torque"), Torque)? }, q, v, &[])
            }
        };
        if let Some(&axis) = axes.iter().find(|&&axis| inertia[axis].is_nan() || inertia[axis] <= 0.0) {
            let problem = format!("the inertia about axis {} is {}, but must be positive", axis + 1, inertia[axis]);
            let key = if file.has(&at("inertia")) { "inertia" } else { "shape" };
            return Err(self.wrong(&at(key), problem, "a body that turns needs a size or `inertia`"));
        }
        Ok(SceneBody { mass, inertia, shape, motion, q, v })
    }

    fn shape(&self, path: &str) -> Result<BodyShape, FileError> {
        let at = |key: &str| format!("{path}.{key}");
        match choice(self.file, &at("shape"), &[("box", 0), ("sphere", 1), ("point", 2)])? {
            Some(0) => self.edges(&at("size"), "the lengths along the body's x, y and z").map(BodyShape::Box),
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
