//! `check`: what a robot file says, and what follows from it.

use crate::arguments::{CheckArguments, model_help};
use crate::failure::Failure;
use crate::output::{Screen, Table, human};
use dalembert::analyze::Reach;
use dalembert::delta::{ArmParameters, Branch, Limits, ModelName};
use dalembert::{AnyRobot, Mat3, Robot, Vec3};
use serde_json::{Value, json};
use std::f64::consts::TAU;

/// A parameter: its key in robot files, its name and unit for people, and its value for each arm in SI and radians
/// (`None`: not given).
type ArmRow = (&'static str, &'static str, &'static str, [Option<f64>; 3]);

fn arm_rows(robot: &Robot) -> Vec<ArmRow> {
    let arms = &robot.delta.parameters().arms;
    let always = |f: fn(&ArmParameters<f64>) -> f64| [0, 1, 2].map(|i| Some(f(&arms[i])));
    let limit = |f: fn(&Limits) -> f64| robot.limits.each_ref().map(|l| Some(f(l)).filter(|v| v.is_finite()));
    let friction =
        |f: fn(&dalembert::friction::Friction<f64>) -> f64| [0, 1, 2].map(|i| arms[i].motor.friction.map(|x| f(&x)));
    let azimuth = |a: &ArmParameters<f64>| a.azimuth.radians().rem_euclid(TAU);
    vec![
        ("base.azimuths", "azimuth", "deg", always(azimuth)),
        ("base.radius", "base radius", "m", always(|a| a.base_radius)),
        ("platform.radius", "platform radius", "m", always(|a| a.platform_radius)),
        ("upper_arm.length", "upper arm length", "m", always(|a| a.upper_arm.length)),
        ("upper_arm.mass", "upper arm mass", "kg", always(|a| a.upper_arm.mass)),
        ("upper_arm.center_of_mass", "upper arm centre of mass", "m", always(|a| a.upper_arm.center_of_mass)),
        ("upper_arm.inertia", "upper arm inertia, own centre", "kg m²", always(|a| a.upper_arm.inertia)),
        ("upper_arm.elbow_mass", "elbow mass", "kg", [0, 1, 2].map(|i| arms[i].upper_arm.elbow_mass)),
        ("forearm.length", "forearm length", "m", always(|a| a.forearm.length)),
        ("forearm.mass", "forearm mass, of the pair", "kg", always(|a| a.forearm.mass)),
        ("forearm.center_of_mass", "forearm centre of mass", "m", always(|a| a.forearm.center_of_mass)),
        ("forearm.inertia", "forearm inertia, own centre", "kg m²", always(|a| a.forearm.inertia)),
        ("forearm.spacing", "forearm spacing", "m", robot.spacing),
        ("motor.rotor_inertia", "rotor inertia, motor side", "kg m²", always(|a| a.motor.rotor_inertia)),
        ("motor.gear_ratio", "gear ratio", "", always(|a| a.motor.gear_ratio)),
        ("motor.friction.viscous", "viscous friction", "N m s/rad", friction(|f| f.viscous)),
        ("motor.friction.coulomb", "Coulomb friction", "N m", friction(|f| f.coulomb)),
        ("motor.friction.static", "static friction", "N m", friction(|f| f.static_friction)),
        ("motor.friction.stribeck_velocity", "Stribeck velocity", "rad/s", friction(|f| f.stribeck_velocity)),
        ("motor.friction.smoothing_velocity", "smoothing velocity", "rad/s", friction(|f| f.smoothing_velocity)),
        ("joints.passive_damping", "passive damping", "N m s/rad", [0, 1, 2].map(|i| arms[i].passive_damping)),
        ("joints.range", "joint range, from", "deg", limit(|l| l.range[0])),
        ("joints.range", "joint range, to", "deg", limit(|l| l.range[1])),
        ("motor.max_speed", "greatest speed", "rad/s", limit(|l| l.max_speed)),
        ("motor.max_torque", "greatest torque", "N m", limit(|l| l.max_torque)),
        ("joints.max_ball_angle", "greatest ball angle", "deg", limit(|l| l.max_ball_angle)),
    ]
}

/// The robot in SI and radians, with the keys of robot files; what may differ between the arms as a list of three.
/// What is not given is not there, and a limit that is not there is `null`.
pub fn parameters_json(robot: &Robot) -> Value {
    let p = robot.delta.parameters();
    let mut report = json!({ "kind": "delta", "name": robot.name, "source": robot.source, "gravity": p.gravity.0 });
    let mut set = |key: &str, value: Value| {
        let place = key.split('.').fold(&mut report, |place, part| &mut place[part]);
        *place = value;
    };
    for (key, _, _, values) in arm_rows(robot) {
        if values.iter().any(Option::is_some) {
            set(key, json!(values));
        }
    }
    let ranges = robot.limits.map(|limits| limits.range.map(|end| Some(end).filter(|end| end.is_finite())));
    if ranges.as_flattened().iter().any(Option::is_some) {
        set("joints.range", json!(ranges));
    }
    set("platform.mass", json!(p.platform_mass));
    set("platform.tool", json!(p.tool.0));
    set("payload.mass", json!(p.payload_mass));
    report
}

/// A reach, in m.
pub fn reach_json(reach: &Reach) -> Value {
    json!({ "lowest": reach.lowest, "highest": reach.highest, "radius": reach.radius })
}

/// What follows from the parameters.
struct Derived {
    reach: Reach,
    joints: [f64; 3],
    mass_matrix: Mat3<f64>,
    holding: [f64; 3],
}

fn derive(robot: &Robot) -> Result<Derived, Failure> {
    let reach = Reach::of(&robot.delta);
    let pose = robot.delta.at_position(reach.center, Branch::Out).map_err(|error| {
        Failure::new(format!("{}: the centre pose at z = {} m cannot be used", robot.name, human(reach.center[2], 4)))
            .because(error)
    })?;
    let derived =
        Derived { reach, joints: pose.joints(), mass_matrix: pose.mass_matrix(), holding: pose.gravity_torque() };
    let numbers = derived.mass_matrix.0.iter().flat_map(|row| row.0).chain(derived.holding);
    if numbers.into_iter().any(|value| !value.is_finite()) {
        return Err(Failure::new(format!(
            "{}: mass matrix or holding torque at the centre pose is not finite",
            robot.name
        ))
        .hint("a mass, an inertia or gravity is too large to compute with; are the units right?"));
    }
    Ok(derived)
}

pub fn run(arguments: &CheckArguments, screen: &mut Screen) -> Result<(), Failure> {
    let robot = match AnyRobot::find(&arguments.robot)? {
        AnyRobot::Delta(robot) => *robot,
        AnyRobot::Serial(robot) => return super::check_serial::run(&robot, arguments.json, screen),
    };
    let derived = derive(&robot)?;
    if arguments.json {
        screen.json(&as_json(&robot, &derived));
    } else {
        as_text(&robot, &derived, screen);
    }
    Ok(())
}

fn as_json(robot: &Robot, derived: &Derived) -> Value {
    let Derived { reach, joints, mass_matrix, holding } = derived;
    let models: Vec<Value> = ModelName::ALL
        .into_iter()
        .map(|name| match name.applies_to(robot.delta.parameters()) {
            Ok(()) => json!({ "name": name.as_str(), "applies": true }),
            Err(error) => json!({ "name": name.as_str(), "applies": false, "reason": error.to_string() }),
        })
        .collect();
    let mut report = parameters_json(robot);
    report["reach"] = reach_json(reach);
    report["center"] = json!({
        "position": reach.center.0,
        "joints": joints,
        "mass_matrix": mass_matrix.0.map(|row| row.0),
        "holding_torque": holding,
    });
    report["models"] = Value::from(models);
    report["warnings"] = robot.warnings.iter().map(|w| Value::from(w.to_string())).collect();
    report
}

fn triple(v: [f64; 3], unit: &str) -> String {
    format!("{}, {}, {} {unit}", human(v[0], 5), human(v[1], 5), human(v[2], 5))
}

fn as_text(robot: &Robot, derived: &Derived, screen: &mut Screen) {
    let parameters = robot.delta.parameters();
    screen.heading(format!("{}: a Delta robot", robot.name));
    if let Some(source) = &robot.source {
        screen.line(format!("  {source}"));
    }
    screen.line("");
    screen.heading("As read, in SI");
    let rows: Vec<ArmRow> = arm_rows(robot).into_iter().filter(|row| row.3.iter().any(Option::is_some)).collect();
    let mut table = Table::new("lrrrl");
    let text = |value: Option<f64>| value.map_or("–".to_owned(), |v| human(v, 7));
    table.head(["", "arm 1", "arm 2", "arm 3", ""]);
    for (_, name, unit, values) in rows {
        let values = if unit == "deg" { values.map(|value| value.map(f64::to_degrees)) } else { values };
        if values.iter().all(|value| *value == values[0]) {
            table.row([name, &text(values[0]), "", "", unit]);
        } else {
            let [a, b, c] = values.map(text);
            table.row([name, &a, &b, &c, unit]);
        }
    }
    table.row(["platform mass", &human(parameters.platform_mass, 7), "", "", "kg"]);
    table.row(["payload mass", &human(parameters.payload_mass, 7), "", "", "kg"]);
    let xyz = |name: &str, v: Vec3<f64>, unit: &str, table: &mut Table| {
        let [a, b, c] = v.0.map(|x| human(x, 7));
        table.row([name, &a, &b, &c, unit]);
    };
    xyz("gravity x, y, z", parameters.gravity, "m/s²", &mut table);
    xyz("tool x, y, z", parameters.tool, "m", &mut table);
    screen.table(&table);
    screen.line("  One value: the same for all arms.");

    let Derived { reach, joints, mass_matrix, holding } = derived;
    screen.line("");
    screen.heading("Reach, by geometry alone");
    let mut table = Table::new("ll");
    table.row(["on the axis".to_owned(), format!("z = {} … {} m", human(reach.lowest, 4), human(reach.highest, 4))]);
    table.row(["centre pose".to_owned(), format!("z = {} m, halfway", human(reach.center[2], 4))]);
    table.row(["disc at the centre's height".to_owned(), format!("radius {} m", human(reach.radius, 4))]);
    screen.table(&table);

    screen.line("");
    screen.heading("At the centre pose");
    let mut table = Table::new("ll");
    table.row(["joint angles".to_owned(), triple(joints.map(f64::to_degrees), "deg")]);
    table.row(["holding torque".to_owned(), triple(*holding, "N m")]);
    for i in 0..3 {
        let name = if i == 0 { "mass matrix, joint space" } else { "" };
        table.row([name.to_owned(), triple(mass_matrix[i].0, if i == 0 { "kg m²" } else { "" })]);
    }
    screen.table(&table);

    screen.line("");
    screen.heading("Models");
    let mut table = Table::new("ll");
    for name in ModelName::ALL {
        let says = match name.applies_to(parameters) {
            Ok(()) => model_help(name).to_owned(),
            Err(error) => format!("does not apply: {} {}", error.field, error.reason),
        };
        table.row([name.as_str(), &says]);
    }
    screen.table(&table);

    screen.line("");
    if robot.warnings.is_empty() {
        screen.line("No warnings.");
    } else {
        screen.heading("Warnings");
        for warning in &robot.warnings {
            screen.line(format!("  {warning}"));
        }
    }
}
