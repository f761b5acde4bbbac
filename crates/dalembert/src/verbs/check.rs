//! What a robot file describes, and what follows from it: home pose, mass matrix, models that apply, warnings.

use super::RobotDescription;
use super::prelude::*;
use super::robots::by_field;
use crate::parameter::{Place, Unit};
use crate::report::chart::view;
use crate::report::text::unit;
use crate::robot::{Number, Quantity, violations};

/// Which robot to check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckRequest {
    /// With its payload.
    #[serde(with = "super::source")]
    pub robot: Robot,
}

/// What a robot file describes, and what follows from it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckOutcome {
    /// The robot.
    #[serde(flatten)]
    pub description: RobotDescription,
    /// What follows at its home pose.
    pub home: CheckHome,
    /// Every model of its family.
    pub models: Vec<CheckModel>,
    /// The messages of all findings.
    pub warnings: Vec<String>,
    /// What looks wrong in the file, and where its limits contradict its home pose.
    #[serde(skip)]
    pub findings: Vec<Finding>,
    /// The robot that was checked.
    #[serde(skip)]
    pub robot: Robot,
    /// Its home pose.
    #[serde(skip)]
    pub state: State,
}

/// A robot at its home pose.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckHome {
    /// rad (prismatic: m).
    pub joints: Vec<f64>,
    /// Platform centre or tool point, m.
    pub position: [f64; 3],
    /// In joint space, by rows.
    pub mass_matrix: Vec<Vec<f64>>,
    /// Torques that hold the robot at rest, N m (N).
    pub holding_torque: Vec<f64>,
}

/// A model, and whether it can represent the robot.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckModel {
    /// Its name.
    pub name: String,
    /// What it is.
    pub summary: String,
    /// Whether it applies.
    pub applies: bool,
    /// Why it does not apply.
    pub reason: Option<String>,
}

impl Outcome for CheckOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let of = |(i, joint): (usize, &Joint)| {
            let (k, units) = (i + 1, joint.kind.units());
            let holding = (format!("holding_torque.{k}"), self.home.holding_torque[i], units.torque);
            metrics("", [holding, (format!("inertia.{k}"), self.home.mass_matrix[i][i], units.inertia)])
        };
        self.description.metrics().into_iter().chain(self.robot.joints().iter().enumerate().flat_map(of)).collect()
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// Checks a robot.
pub fn check(request: &CheckRequest, _: &mut dyn Observer) -> Result<CheckOutcome, VerbError> {
    let robot = &request.robot;
    require_computable(robot)?;
    let state = robot.home().map_err(|error| VerbError {
        source: Some(Box::new(error)),
        ..VerbError::new("no-home-pose", format!("{}: its home pose cannot be used", robot.name))
    })?;
    let exact = robot.build_model("exact")?;
    let holding = exact.gravity_torque(&state);
    let home = CheckHome {
        joints: state.joints.q.to_vec(),
        position: state.tool.pose.origin.0,
        mass_matrix: exact.mass_matrix(&state).iter().map(|row| row.to_vec()).collect(),
        holding_torque: holding.to_vec(),
    };
    let findings = findings(robot, &home);
    Ok(CheckOutcome {
        description: RobotDescription::new(robot),
        home,
        models: models(robot),
        warnings: findings.iter().map(|finding| finding.message.clone()).collect(),
        findings,
        robot: robot.clone(),
        state,
    })
}

fn findings(robot: &Robot, home: &CheckHome) -> Vec<Finding> {
    let odd = robot.warnings.iter().map(|warning| {
        let found = Finding::new("robot-file", Severity::Warning, warning.to_string());
        found.with("line", warning.location.line).with("column", warning.location.column)
    });
    let beyond = violations(&robot.joints(), &home.joints, None, None, Some(&home.holding_torque));
    let beyond = beyond.into_iter().map(|violation| {
        let (code, text) = match violation.quantity {
            Quantity::Torque => ("cannot-hold-home", format!("at its home pose it cannot hold itself: {violation}")),
            _ => ("home-out-of-range", format!("its home pose is out of range: {violation}")),
        };
        let found = Finding::new(code, Severity::Warning, text).with("joint", violation.joint);
        found.with("value", violation.value).with("limit", violation.limit)
    });
    odd.chain(beyond).collect()
}

fn models(robot: &Robot) -> Vec<CheckModel> {
    let of = |spec: &crate::robot::ModelSpec| {
        // Which model of which robot is clear here.
        let prefix = format!("model `{}` does not apply to this robot: ", spec.name);
        let why = |message: String| message.strip_prefix(&prefix).map(str::to_owned).unwrap_or(message);
        let reason = robot.build_model(spec.name).err().map(|error| why(error.message));
        CheckModel { name: spec.name.into(), summary: spec.summary.into(), applies: reason.is_none(), reason }
    };
    robot.models().iter().map(of).collect()
}

impl CheckOutcome {
    /// The robot at its home pose.
    pub fn picture(&self) -> Picture {
        let mut drawing = self.robot.drawing(&Frame::identity());
        self.robot.draw(&self.state, &Frame::identity(), &mut drawing.tracks);
        drawing.down = self.robot.gravity().0;
        view(&drawing, 0, &self.robot.name)
    }

    /// Which place the middle of the reach is: halfway between its ends on the axis, or that of the home pose.
    pub fn center_is(&self) -> &'static str {
        let halfway = self.description.workspace.as_ref().is_some_and(|space| {
            let middle = 0.5 * (space.lowest + space.highest);
            (space.center[2] - middle).abs() < 1e-9 * (space.highest - space.lowest)
        });
        if halfway { "halfway" } else { "that of the home pose" }
    }

    /// The parameters and limits, with one column per arm or link, angles in degrees; and whether one value stands for several.
    pub fn parameters(&self) -> (Table, bool) {
        let (kind, joints) = (self.robot.kind(), self.robot.joints());
        let parts = joints.len();
        let mut table = Table::new(&format!("l{}l", "r".repeat(parts)));
        let heads = (1..=parts).map(|part| format!("{} {part}", kind.part));
        table.head(std::iter::once(String::new()).chain(heads).chain([String::new()]));
        let mut alike = false;
        let all = self.robot.numbers();
        // Of a linear motor the ratio is one, and its mass moves with the joint.
        let geared = |number: &Number| number.field.unit == Unit::GearRatio && number.value != 1.0;
        let are_linear = joints.iter().all(|joint| joint.kind == JointKind::Prismatic) && !all.iter().any(geared);
        for (field, rows) in by_field(&all) {
            let numbers = || rows.iter().flatten();
            let units = match field.unit {
                Unit::RotorInertia if are_linear => "kg".to_owned(),
                Unit::GearRatio if are_linear => String::new(),
                unit => unit_of_parts(unit, &joints),
            };
            if rows[0][0].place.part.is_none() {
                // The components of one vector are next to each other.
                let values: Vec<String> = numbers().map(|number| shown(field.unit, number.value)).collect();
                let values = if values.len() <= parts { values } else { vec![values.join(", ")] };
                let name = format!("{} {}", field.name, field.components.join(", "));
                row(&mut table, name.trim_end(), &values, parts, &unit_shown(field.unit, false));
                continue;
            }
            for k in 0..field.components.len().max(1) {
                let component = field.components.get(k);
                let of = |part: usize| {
                    let place = Place { part: Some(part), component: (field.components.len() > 1).then_some(k) };
                    let number = numbers().find(|number| number.place == place);
                    number.map_or("–".to_owned(), |number| shown(field.unit, number.value))
                };
                let name = format!("{} {}", field.name, component.unwrap_or(&""));
                let (values, same) = merged((0..parts).map(of).collect());
                alike |= same;
                row(&mut table, name.trim_end(), &values, parts, &units);
            }
        }
        limits(&mut table, &joints);
        (table, alike)
    }

    /// Position, holding torque and row of the mass matrix of each joint at the home pose.
    pub fn home_table(&self) -> Table {
        let joints = self.robot.joints();
        let rows = joints.iter().enumerate().map(|(i, joint)| {
            let units = joint.kind.units();
            let (q, unit) = match joint.kind {
                JointKind::Revolute => (self.home.joints[i].to_degrees(), "deg"),
                JointKind::Prismatic => (self.home.joints[i], "m"),
            };
            let holding = human(self.home.holding_torque[i], 5);
            let head = [(i + 1).to_string(), human(q, 5), unit.to_owned(), holding, units.torque.to_owned()];
            head.into_iter().chain(self.home.mass_matrix[i].iter().map(|&entry| human(entry, 5)))
        });
        let head = ["joint", "position", "", "holding torque", "", "mass matrix"];
        Table::of(&format!("lrlrl{}", "r".repeat(joints.len())), head, rows)
    }

    /// What each model is that applies.
    pub fn models_table(&self) -> Table {
        Table::list(self.models.iter().filter(|model| model.applies).map(|model| (&model.name, &model.summary)))
    }

    /// The models that do not apply, a sentence for each reason.
    pub fn other_models(&self) -> Vec<String> {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for model in &self.models {
            let Some(reason) = model.reason.as_deref() else { continue };
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, names)) => names.push(&model.name),
                None => reasons.push((reason, vec![&model.name])),
            }
        }
        reasons.iter().map(|(reason, names)| format!("not for this robot: {}: {reason}", names.join(", "))).collect()
    }
}

/// A value for people: angles in degrees.
fn shown(unit: Unit, value: f64) -> String {
    human(if unit == Unit::Angle { value.to_degrees() } else { value }, 7)
}

fn unit_shown(of: Unit, slides: bool) -> String {
    if of == Unit::Angle { "deg".to_owned() } else { unit(of.si(slides)) }
}

/// The unit of a number that every joint has: both, where some turn and others slide.
fn unit_of_parts(unit: Unit, joints: &[Joint]) -> String {
    let has = |kind: JointKind| joints.iter().any(|joint| joint.kind == kind);
    let kinds = [(JointKind::Revolute, false), (JointKind::Prismatic, true)].into_iter();
    let mut units: Vec<String> =
        kinds.filter(|(kind, _)| has(*kind)).map(|(_, slides)| unit_shown(unit, slides)).collect();
    units.dedup();
    units.join(" or ")
}

/// One value where all are the same, and whether that is so for several.
fn merged(mut values: Vec<String>) -> (Vec<String>, bool) {
    let several = values.len() > 1;
    let same = values.iter().all(|value| *value == values[0]);
    values.truncate(if same { 1 } else { values.len() });
    (values, same && several)
}

/// A row of the table: a name, one value or one for each part, and the unit.
fn row(table: &mut Table, name: &str, values: &[String], parts: usize, unit: &str) {
    let mut cells = vec![name.to_owned()];
    cells.extend_from_slice(values);
    cells.resize(1 + parts, String::new());
    cells.push(unit.to_owned());
    table.row(cells);
}

/// The limits of joints and drives.
fn limits(table: &mut Table, joints: &[Joint]) {
    let mut add = |name: &str, units: [&'static str; 2], of: fn(&Joint) -> f64| {
        if joints.iter().all(|joint| !of(joint).is_finite()) {
            return;
        }
        let unit = |kind: JointKind| units[usize::from(kind == JointKind::Prismatic)];
        let text = |joint: &Joint| {
            let value = if unit(joint.kind) == "deg" { of(joint).to_degrees() } else { of(joint) };
            if value.is_finite() { human(value, 7) } else { "–".to_owned() }
        };
        let (values, _) = merged(joints.iter().map(text).collect());
        let mut all: Vec<&str> = joints.iter().map(|joint| unit(joint.kind)).collect();
        all.sort_by_key(|unit| *unit != units[0]);
        all.dedup();
        row(table, name, &values, joints.len(), &all.join(" or "));
    };
    add("joint range, from", ["deg", "m"], |joint| joint.limits.range[0]);
    add("joint range, to", ["deg", "m"], |joint| joint.limits.range[1]);
    add("greatest speed", ["rad/s", "m/s"], |joint| joint.limits.max_speed);
    add("greatest torque", ["N m", "N"], |joint| joint.limits.max_torque);
    add("greatest ball angle", ["deg", "deg"], |joint| joint.limits.max_ball_angle);
}
