//! The built-in robots, and what a robot file describes.

use super::prelude::*;
use crate::friction::Friction;
use crate::limits::JointLimits;
use crate::parameter::{Field, Unit};
use crate::robot::Number;
use crate::robots::BUILT_IN;
use serde_json::Value;

/// A robot in SI units and radians, the same for every family. A limit that the robot does not have is infinite, and `null` in JSON.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RobotDescription {
    /// The family, as robot files write it.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// Its driven joints, in order.
    pub joints: Vec<JointDescription>,
    /// Acceleration of gravity, base frame.
    pub gravity: [f64; 3],
    /// What it carries.
    pub payload: PayloadDescription,
    /// Where its tool can go, for robots that can say it.
    pub workspace: Option<WorkspaceDescription>,
    /// The numbers and choices of its file, nested by their keys. One entry per arm or link, `null` where one has no such number.
    pub parameters: Value,
    /// The family, for people.
    #[serde(skip)]
    pub title: String,
    /// All masses of its file together, kg.
    #[serde(skip)]
    pub moving_mass: f64,
}

/// A driven joint; of a prismatic one m, m/s, N and kg.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct JointDescription {
    /// `revolute` or `prismatic`.
    pub kind: &'static str,
    /// Least and largest position, rad.
    pub range: [f64; 2],
    /// rad/s.
    pub max_speed: f64,
    /// N m.
    pub max_torque: f64,
    /// Of the passive ball joints of its arm, rad.
    pub max_ball_angle: f64,
    /// Of rotor and drive at the joint side, kg m².
    pub rotor_inertia: f64,
    /// At the joint side of the gear.
    pub friction: Option<FrictionDescription>,
}

/// Friction of a joint, N m and rad/s (prismatic: N and m/s).
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[allow(missing_docs)] // the names say it
pub struct FrictionDescription {
    pub viscous: f64,
    pub coulomb: f64,
    #[serde(rename = "static")]
    pub static_friction: f64,
    pub stribeck_velocity: f64,
    pub smoothing_velocity: f64,
}

/// What a robot carries.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PayloadDescription {
    /// kg; 0 without a payload.
    pub mass: f64,
}

/// Where a tool can go, about a vertical axis, m.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WorkspaceDescription {
    /// Its middle.
    pub center: [f64; 3],
    /// How far around the middle every place is reached.
    pub radius: f64,
    /// On the axis.
    pub lowest: f64,
    /// On the axis.
    pub highest: f64,
}

impl RobotDescription {
    /// Describes a robot.
    pub fn new(robot: &Robot) -> Self {
        let numbers = robot.numbers();
        let masses = numbers.iter().filter(|number| number.field.unit == Unit::Mass);
        Self {
            kind: robot.kind().name.to_owned(),
            name: robot.name.clone(),
            source: robot.source.clone(),
            joints: robot.joints().iter().map(JointDescription::new).collect(),
            gravity: robot.gravity().0,
            payload: PayloadDescription { mass: robot.payload() },
            workspace: robot.workspace().map(|workspace| {
                let [lowest, highest] = workspace.heights;
                WorkspaceDescription { center: workspace.center.0, radius: workspace.radius, lowest, highest }
            }),
            parameters: parameters(robot, &numbers),
            title: robot.kind().title.to_owned(),
            moving_mass: masses.map(|number| number.value).sum(),
        }
    }
}

impl JointDescription {
    fn new(joint: &Joint) -> Self {
        let JointLimits { range, max_speed, max_torque, max_ball_angle, .. } = joint.limits;
        let (kind, rotor_inertia) = (joint.kind.as_str(), joint.rotor_inertia);
        let friction = joint.friction.map(|friction| {
            let Friction { viscous, coulomb, static_friction, stribeck_velocity, smoothing_velocity, .. } = friction;
            FrictionDescription { viscous, coulomb, static_friction, stribeck_velocity, smoothing_velocity }
        });
        Self { kind, range, max_speed, max_torque, max_ball_angle, rotor_inertia, friction }
    }
}

impl Outcome for RobotDescription {
    fn metrics(&self) -> Vec<Metric> {
        let masses = [("moving_mass", self.moving_mass, "kg"), ("payload.mass", self.payload.mass, "kg")];
        let workspace = self.workspace.iter().flat_map(|workspace| {
            let WorkspaceDescription { radius, lowest, highest, .. } = *workspace;
            metrics("workspace.", [("radius", radius, "m"), ("lowest", lowest, "m"), ("highest", highest, "m")])
        });
        metrics("", masses).chain(workspace).collect()
    }
}

/// The numbers and choices of a robot file, nested by their keys.
fn parameters(robot: &Robot, numbers: &[Number]) -> Value {
    let choices = robot.choices().iter().map(|(key, choice)| ((*key).to_owned(), Value::from(*choice)));
    let mut all = Value::Object(choices.collect());
    for (field, rows) in by_field(numbers) {
        let of_part = |row: &[Number]| match row {
            [one] if field.components.is_empty() => Value::from(one.value),
            several => several.iter().map(|number| number.value).collect(),
        };
        let of_parts = rows[0][0].place.part.is_some();
        let value = if of_parts {
            let mut list = vec![Value::Null; robot.joints().len()];
            for part in &rows {
                list[part[0].place.part.unwrap_or(0)] = of_part(part);
            }
            Value::from(list)
        } else {
            of_part(&rows[0])
        };
        // Within the table of its arm or link, where these have tables of their own.
        let table = robot.kind().part_table.filter(|_| of_parts);
        *table.into_iter().chain(field.key.split('.')).fold(&mut all, |place, key| &mut place[key]) = value;
    }
    all
}

/// The numbers of each field, arm by arm or link by link, each with its components. Those of the whole robot are apart: a tree may have
/// a payload at its end and one at a branch.
pub(super) fn by_field(numbers: &[Number]) -> Vec<(&'static Field, Vec<Vec<Number>>)> {
    let mut all: Vec<(&'static Field, Vec<Vec<Number>>)> = Vec::new();
    for &number in numbers {
        let is_whole = number.place.part.is_none();
        let same = |(field, parts): &(&'static Field, Vec<Vec<Number>>)| {
            *field == number.field && parts[0][0].place.part.is_none() == is_whole
        };
        let index = all.iter().position(same).unwrap_or_else(|| {
            all.push((number.field, Vec::new()));
            all.len() - 1
        });
        let parts = &mut all[index].1;
        match parts.last_mut().filter(|part| part[0].place.part == number.place.part) {
            Some(part) => part.push(number),
            None => parts.push(vec![number]),
        }
    }
    all
}

/// The built-in robots.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct RobotsOutcome {
    /// In the order of [`BUILT_IN`].
    pub robots: Vec<RobotDescription>,
}

impl Outcome for RobotsOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let of = |robot: &RobotDescription| {
            let of = |metric: Metric| (format!(".{}", metric.name), metric.value, metric.unit);
            metrics(&robot.name, robot.metrics().into_iter().map(of)).collect::<Vec<_>>()
        };
        self.robots.iter().flat_map(of).collect()
    }
}

impl RobotsOutcome {
    /// A line for each robot.
    pub fn table(&self) -> Table {
        let row = |robot: &RobotDescription| {
            let [heights, radius] = robot.workspace.as_ref().map_or([String::new(), String::new()], |workspace| {
                let heights = format!("{} … {} m", human(workspace.lowest, 3), human(workspace.highest, 3));
                [heights, format!("{} m", human(workspace.radius, 3))]
            });
            let (joints, mass) = (robot.joints.len().to_string(), format!("{} kg", human(robot.moving_mass, 4)));
            let source = robot.source.clone().unwrap_or_default();
            [robot.name.clone(), robot.title.clone(), joints, mass, heights, radius, source]
        };
        let head = ["name", "kind", "joints", "moving mass", "heights", "radius", "source"];
        Table::of("llrrrrl", head, self.robots.iter().map(row))
    }
}

/// Describes all built-in robots.
pub fn robots() -> Result<RobotsOutcome, VerbError> {
    let describe = |name: &str| Robot::find(name).map(|robot| RobotDescription::new(&robot));
    let robots = BUILT_IN.iter().map(|built_in| describe(built_in.name)).collect::<Result<_, _>>();
    Ok(RobotsOutcome { robots: robots.map_err(|error| VerbError::new("no-robot", error))? })
}
