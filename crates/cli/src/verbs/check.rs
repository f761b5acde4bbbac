//! `check`: what a robot file says, and what follows from it.

use crate::arguments::{CarryingArguments, CheckArguments, computable, with_payload};
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, human};
use dalembert::parameter::{Field, Place, Unit};
use dalembert::report::chart::view;
use dalembert::robot::{Joint, JointKind, JointMatrix, JointVector, Number, Quantity, Robot, State, violations};
use dalembert::spatial::Frame;
use serde_json::{Value, json};

/// What follows from the parameters at the pose to look at.
struct AtHome {
    state: State,
    mass_matrix: JointMatrix,
    holding: JointVector,
}

fn at_home(robot: &Robot) -> Result<AtHome, Failure> {
    let name = &robot.name;
    let state =
        robot.home().map_err(|error| Failure::new(format!("{name}: its home pose cannot be used")).because(error))?;
    let exact = robot.model("exact").map_err(|error| Failure::new(error.to_string()).maybe_hint(error.hint))?;
    Ok(AtHome { mass_matrix: exact.mass_matrix(&state), holding: exact.gravity_torque(&state), state })
}

pub fn run(arguments: &CheckArguments, screen: &mut Screen) -> Result<(), Failure> {
    let CarryingArguments { robot, payload } = &arguments.with_payload;
    let robot = with_payload(robot.quietly()?, payload.as_deref())?;
    computable(&robot)?;
    let home = at_home(&robot)?;
    let warnings = warnings(&robot, &home);
    if let Some(mut sink) = arguments.plot.as_deref().map(Sink::for_picture).transpose()? {
        let mut drawing = robot.drawing(&Frame::identity());
        robot.draw(&home.state, &Frame::identity(), &mut drawing.tracks);
        drawing.down = robot.gravity().0;
        sink.picture(&view(&drawing, 0, &robot.name))?;
        sink.finish()?;
    }
    if arguments.json {
        let mut report = robot_json(&robot);
        report["home"] = json!({
            "joints": home.state.joints.q.to_vec(),
            "position": home.state.tool.pose.origin.0,
            "mass_matrix": home.mass_matrix.iter().map(|row| row.to_vec()).collect::<Vec<_>>(),
            "holding_torque": home.holding.to_vec(),
        });
        report["models"] = models(&robot)
            .into_iter()
            .map(|(name, summary, refusal)| {
                json!({ "name": name, "summary": summary, "applies": refusal.is_none(), "reason": refusal })
            })
            .collect();
        report["warnings"] = json!(warnings);
        screen.json(&report);
    } else {
        as_text(&robot, &home, &warnings, screen);
    }
    Ok(())
}

/// What is odd in the file, and where its numbers contradict each other.
fn warnings(robot: &Robot, home: &AtHome) -> Vec<String> {
    let joints = robot.joints();
    let mut all: Vec<String> = robot.warnings.iter().map(ToString::to_string).collect();
    for violation in violations(&joints, &home.state.joints.q, None, None, Some(&home.holding)) {
        all.push(match violation.quantity {
            Quantity::Torque => format!("at its home pose it cannot hold itself: {violation}"),
            _ => format!("its home pose is out of range: {violation}"),
        });
    }
    all
}

/// The models of a robot: name, what it is, and why it does not apply.
fn models(robot: &Robot) -> Vec<(&'static str, &'static str, Option<String>)> {
    let of = |spec: &dalembert::robot::ModelSpec| {
        // Which model of which robot stands beside it.
        let refused = format!("model `{}` does not apply to this robot: ", spec.name);
        let why = |message: String| message.strip_prefix(&refused).map(str::to_owned).unwrap_or(message);
        (spec.name, spec.summary, robot.model(spec.name).err().map(|error| why(error.message)))
    };
    robot.models().iter().map(of).collect()
}

/// The robot in SI and radians: the schema of `docs/json.md`, the same for every family. A limit that is not there is `null`.
pub fn robot_json(robot: &Robot) -> Value {
    let kind = robot.kind();
    let mut parameters = json!({});
    for (key, choice) in robot.choices() {
        parameters[key] = json!(choice);
    }
    for (field, rows) in by_field(&robot.numbers()) {
        let of_part = |row: &[Number]| match row {
            [one] if field.components.is_empty() => json!(one.value),
            several => json!(several.iter().map(|number| number.value).collect::<Vec<_>>()),
        };
        let value = match rows.as_slice() {
            [only] if only[0].place.part.is_none() => of_part(only),
            parts => {
                // One entry per arm or link; `null` where one has no such number.
                let count = robot.joints().len();
                let mut list = vec![Value::Null; count];
                for part in parts {
                    list[part[0].place.part.unwrap_or(0)] = of_part(part);
                }
                Value::from(list)
            }
        };
        *key(robot, field, &rows).split('.').fold(&mut parameters, |place, part| &mut place[part]) = value;
    }
    let workspace = robot.workspace().map(|workspace| {
        let [lowest, highest] = workspace.heights;
        json!({ "center": workspace.center.0, "radius": workspace.radius, "lowest": lowest, "highest": highest })
    });
    json!({
        "kind": kind.name,
        "name": robot.name,
        "source": robot.source,
        "joints": robot.joints().iter().map(joint_json).collect::<Vec<_>>(),
        "gravity": robot.gravity().0,
        "payload": { "mass": robot.payload() },
        "workspace": workspace,
        "parameters": parameters,
    })
}

fn joint_json(joint: &Joint) -> Value {
    let finite = |value: f64| value.is_finite().then_some(value);
    let limits = &joint.limits;
    json!({
        "kind": joint.kind.as_str(),
        "range": limits.range.map(finite),
        "max_speed": finite(limits.max_speed),
        "max_torque": finite(limits.max_torque),
        "max_ball_angle": finite(limits.max_ball_angle),
        "rotor_inertia": joint.rotor_inertia,
        "friction": joint.friction.map(|friction| json!({
            "viscous": friction.viscous,
            "coulomb": friction.coulomb,
            "static": friction.static_friction,
            "stribeck_velocity": friction.stribeck_velocity,
            "smoothing_velocity": friction.smoothing_velocity,
        })),
    })
}

/// The path of a number in the file, with the table of its arm or link where these have tables of their own.
fn key(robot: &Robot, field: &Field, rows: &[Vec<Number>]) -> String {
    let of_parts = rows.iter().flatten().any(|number| number.place.part.is_some());
    match robot.kind().part_table.filter(|_| of_parts) {
        Some(table) => format!("{table}.{}", field.key),
        None => field.key.to_owned(),
    }
}

/// The numbers of each field, arm by arm or link by link, each with its components; apart from them those of the whole robot, which may have the same
/// field: a payload at the end of a tree beside one at a branch.
fn by_field(numbers: &[Number]) -> Vec<(&'static Field, Vec<Vec<Number>>)> {
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

/// A value as people read it: angles in degrees.
fn shown(unit: Unit, value: f64) -> String {
    human(if unit == Unit::Angle { value.to_degrees() } else { value }, 7)
}

fn unit_shown(unit: Unit, slides: bool) -> String {
    match unit {
        Unit::Angle => "deg".to_owned(),
        unit => unit.si(slides).replace("^2", "²"),
    }
}

/// The unit of a number that every joint has: both, where some turn and others slide.
fn unit_of_parts(unit: Unit, joints: &[Joint]) -> String {
    let kinds = [(JointKind::Revolute, false), (JointKind::Prismatic, true)].into_iter();
    let has = |kind: JointKind| joints.iter().any(|joint| joint.kind == kind);
    let mut units: Vec<String> =
        kinds.filter(|(kind, _)| has(*kind)).map(|(_, slides)| unit_shown(unit, slides)).collect();
    units.dedup();
    units.join(" or ")
}

/// A row of the table: what, its value for each part (one: the same for all), and the unit.
fn row(table: &mut Table, name: &str, values: &[String], parts: usize, unit: &str) {
    let mut cells = vec![name.to_owned()];
    let alike = values.iter().all(|value| *value == values[0]);
    cells.extend(if alike { values[..1].to_vec() } else { values.to_vec() });
    cells.resize(1 + parts, String::new());
    cells.push(unit.to_owned());
    table.row(cells);
}

fn as_text(robot: &Robot, home: &AtHome, warnings: &[String], screen: &mut Screen) {
    let (kind, joints) = (robot.kind(), robot.joints());
    let parts = joints.len();
    let choices: String = robot.choices().iter().map(|(_, choice)| format!(", {choice}")).collect();
    screen.heading(format!("{}: a {} with {parts} {}{choices}", robot.name, kind.title, plural("joint", parts)));
    if let Some(source) = &robot.source {
        screen.line(format!("  {source}"));
    }
    screen.line("");
    screen.heading("As read, in SI");
    let mut table = Table::new(&format!("l{}l", "r".repeat(parts)));
    let heads = (1..=parts).map(|part| format!("{} {part}", kind.part));
    table.head(std::iter::once(String::new()).chain(heads).chain([String::new()]));
    let mut alike = false;
    for (field, rows) in by_field(&robot.numbers()) {
        let components = field.components.len().max(1);
        for k in 0..components {
            let of = |part: usize| {
                let place = Place { part: Some(part), component: (components > 1).then_some(k) };
                let number = rows.iter().flatten().find(|number| number.place == place);
                number.map_or("–".to_owned(), |number| shown(field.unit, number.value))
            };
            let whole = rows[0][0].place.part.is_none();
            if whole {
                // The components of one vector stand beside each other.
                let values: Vec<String> = rows[0].iter().map(|number| shown(field.unit, number.value)).collect();
                let name = if components > 1 {
                    format!("{} {}", field.name, field.components.join(", "))
                } else {
                    field.name.to_owned()
                };
                let fits = values.len() <= parts;
                let cells = if fits { values } else { vec![values.join(", ")] };
                let mut line = vec![name];
                line.extend(cells);
                line.resize(1 + parts, String::new());
                line.push(unit_shown(field.unit, false));
                table.row(line);
                break;
            }
            let values: Vec<String> = (0..parts).map(of).collect();
            alike |= values.iter().all(|value| *value == values[0]) && parts > 1;
            let name = match field.components.get(k) {
                Some(component) => format!("{} {component}", field.name),
                None => field.name.to_owned(),
            };
            row(&mut table, &name, &values, parts, &unit_of_parts(field.unit, &joints));
        }
    }
    limits(&mut table, &joints);
    screen.table(&table);
    if alike {
        screen.line(format!("  One value: the same for all {}.", plural(kind.part, 2)));
    }
    if let Some(workspace) = robot.workspace() {
        let [lowest, highest] = workspace.heights;
        screen.line("");
        screen.heading("Reach, by geometry alone");
        let mut table = Table::new("ll");
        table.row(["on the axis".to_owned(), format!("z = {} … {} m", human(lowest, 4), human(highest, 4))]);
        table.row(["centre pose".to_owned(), format!("z = {} m, halfway", human(workspace.center[2], 4))]);
        table.row(["disc at the centre's height".to_owned(), format!("radius {} m", human(workspace.radius, 4))]);
        screen.table(&table);
    }
    at_home_text(&joints, home, screen);
    screen.line("");
    screen.heading("Models");
    let mut table = Table::new("ll");
    for (name, summary, refusal) in models(robot) {
        table.row([name.to_owned(), refusal.map_or(summary.to_owned(), |why| format!("does not apply: {why}"))]);
    }
    screen.table(&table);
    screen.line("");
    if warnings.is_empty() {
        screen.line("No warnings.");
    } else {
        screen.heading("Warnings");
        for warning in warnings {
            screen.line(format!("  {warning}"));
        }
    }
}

/// What joints and drives may do, where it is limited.
fn limits(table: &mut Table, joints: &[Joint]) {
    let has = |kind: JointKind| joints.iter().any(|joint| joint.kind == kind);
    let (turn, slide) = (has(JointKind::Revolute), has(JointKind::Prismatic));
    let mut add = |name: &str, unit: [&str; 2], of: fn(&Joint) -> f64| {
        if joints.iter().all(|joint| !of(joint).is_finite()) {
            return;
        }
        let text = |joint: &Joint| {
            let own = unit[usize::from(joint.kind == JointKind::Prismatic)];
            let value = if own == "deg" { of(joint).to_degrees() } else { of(joint) };
            if value.is_finite() { human(value, 7) } else { "–".to_owned() }
        };
        let values: Vec<String> = joints.iter().map(text).collect();
        let unit = match (turn, slide) {
            (true, true) if unit[0] != unit[1] => format!("{} or {}", unit[0], unit[1]),
            (false, true) => unit[1].to_owned(),
            _ => unit[0].to_owned(),
        };
        row(table, name, &values, joints.len(), &unit);
    };
    add("joint range, from", ["deg", "m"], |joint| joint.limits.range[0]);
    add("joint range, to", ["deg", "m"], |joint| joint.limits.range[1]);
    add("greatest speed", ["rad/s", "m/s"], |joint| joint.limits.max_speed);
    add("greatest torque", ["N m", "N"], |joint| joint.limits.max_torque);
    add("greatest ball angle", ["deg", "deg"], |joint| joint.limits.max_ball_angle);
}

fn at_home_text(joints: &[Joint], home: &AtHome, screen: &mut Screen) {
    screen.line("");
    screen.heading("At its home pose");
    let position = home.state.tool.pose.origin.0.map(|x| human(x, 5)).join(", ");
    screen.line(format!("  at x, y, z = {position} m"));
    let mut table = Table::new(&format!("lrlrl{}", "r".repeat(joints.len())));
    let heads = ["joint", "position", "", "holding torque", ""].map(str::to_owned).into_iter();
    let matrix = (0..joints.len()).map(|k| if k == 0 { "mass matrix".to_owned() } else { String::new() });
    table.head(heads.chain(matrix));
    for (i, joint) in joints.iter().enumerate() {
        let units = joint.kind.units();
        let (q, unit) = match joint.kind {
            JointKind::Revolute => (home.state.joints.q[i].to_degrees(), "deg"),
            JointKind::Prismatic => (home.state.joints.q[i], "m"),
        };
        let head =
            [(i + 1).to_string(), human(q, 5), unit.to_owned(), human(home.holding[i], 5), units.torque.to_owned()];
        table.row(head.into_iter().chain(home.mass_matrix[i].iter().map(|&entry| human(entry, 5))));
    }
    screen.table(&table);
}

fn plural(noun: &str, count: usize) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}
