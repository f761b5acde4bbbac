//! `check`: what a robot file says, and what follows from it.

use crate::arguments::{CheckArguments, model_help};
use crate::failure::Failure;
use crate::output::{Screen, Table, human};
use dalembert::analyze::Reach;
use dalembert::delta::{ArmParameters, Branch, Limits, ModelName};
use dalembert::{Mat3, Mechanism, Robot, Vec3};
use serde_json::{Value, json};

/// A row of parameters: name, unit, and one value per arm (`None`: not given).
type ArmRow = (&'static str, &'static str, [Option<f64>; 3]);

fn arm_rows(robot: &Robot) -> Vec<ArmRow> {
    let arms = &robot.delta.parameters().arms;
    let always = |f: fn(&ArmParameters<f64>) -> f64| [0, 1, 2].map(|i| Some(f(&arms[i])));
    let limit = |f: fn(&Limits) -> f64| robot.limits.each_ref().map(|l| Some(f(l)).filter(|v| v.is_finite()));
    let friction =
        |f: fn(&dalembert::friction::Friction<f64>) -> f64| [0, 1, 2].map(|i| arms[i].motor.friction.map(|x| f(&x)));
    vec![
        ("azimuth", "deg", always(|a| a.azimuth.radians().to_degrees().rem_euclid(360.0))),
        ("base radius", "m", always(|a| a.base_radius)),
        ("platform radius", "m", always(|a| a.platform_radius)),
        ("upper arm length", "m", always(|a| a.upper_arm.length)),
        ("upper arm mass", "kg", always(|a| a.upper_arm.mass)),
        ("upper arm centre of mass", "m", always(|a| a.upper_arm.center_of_mass)),
        ("upper arm inertia, own centre", "kg m²", always(|a| a.upper_arm.inertia)),
        ("elbow mass", "kg", [0, 1, 2].map(|i| arms[i].upper_arm.elbow_mass)),
        ("forearm length", "m", always(|a| a.forearm.length)),
        ("forearm mass, of the pair", "kg", always(|a| a.forearm.mass)),
        ("forearm centre of mass", "m", always(|a| a.forearm.center_of_mass)),
        ("forearm inertia, own centre", "kg m²", always(|a| a.forearm.inertia)),
        ("forearm spacing", "m", robot.spacing),
        ("rotor inertia, motor side", "kg m²", always(|a| a.motor.rotor_inertia)),
        ("gear ratio", "1", always(|a| a.motor.gear_ratio)),
        ("viscous friction", "N m s/rad", friction(|f| f.viscous)),
        ("Coulomb friction", "N m", friction(|f| f.coulomb)),
        ("static friction", "N m", friction(|f| f.static_friction)),
        ("Stribeck velocity", "rad/s", friction(|f| f.stribeck_velocity)),
        ("smoothing velocity", "rad/s", friction(|f| f.smoothing_velocity)),
        ("passive damping", "N m s/rad", [0, 1, 2].map(|i| arms[i].passive_damping)),
        ("joint range, from", "deg", limit(|l| l.range[0].to_degrees())),
        ("joint range, to", "deg", limit(|l| l.range[1].to_degrees())),
        ("greatest speed", "rad/s", limit(|l| l.max_speed)),
        ("greatest torque", "N m", limit(|l| l.max_torque)),
        ("greatest ball angle", "deg", limit(|l| l.max_ball_angle.to_degrees())),
    ]
}

/// The robot's parameters in SI (angles in degrees), as read.
pub fn parameters_json(robot: &Robot) -> Value {
    let parameters = robot.delta.parameters();
    let mut arms = serde_json::Map::new();
    for (name, unit, values) in arm_rows(robot) {
        if values.iter().any(Option::is_some) {
            arms.insert(name.into(), json!({ "unit": unit, "arms": values }));
        }
    }
    json!({
        "name": robot.name,
        "source": robot.source,
        "gravity": parameters.gravity.0,
        "platform_mass": parameters.platform_mass,
        "payload_mass": parameters.payload_mass,
        "tool": parameters.tool.0,
        "arms": arms,
    })
}

/// What follows from the parameters.
struct Derived {
    reach: Reach,
    joints: Vec3<f64>,
    mass_matrix: Mat3<f64>,
    holding: Vec3<f64>,
}

fn derive(robot: &Robot) -> Result<Derived, Failure> {
    let reach = Reach::of(&robot.delta);
    let pose = robot.delta.at_position(reach.center, Branch::Out).map_err(|error| {
        Failure::new(format!("{}: the centre pose at z = {:.4} m cannot be used", robot.name, reach.center[2]))
            .because(error)
    })?;
    Ok(Derived { reach, joints: pose.joints(), mass_matrix: pose.mass_matrix(), holding: pose.gravity_torque() })
}

pub fn run(arguments: &CheckArguments, screen: &mut Screen) -> Result<(), Failure> {
    let robot = match Mechanism::find(&arguments.robot)? {
        Mechanism::Delta(robot) => *robot,
        Mechanism::Serial(robot) => return super::check_serial::run(&robot, arguments.json, screen),
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
    report["reach"] = json!({ "lowest": reach.lowest, "highest": reach.highest, "radius": reach.radius });
    report["center"] = json!({
        "position": reach.center.0,
        "joints": joints.0,
        "mass_matrix": mass_matrix.0.map(|row| row.0),
        "holding_torque": holding.0,
    });
    report["models"] = Value::from(models);
    report["warnings"] = robot.warnings.iter().map(|w| Value::from(w.to_string())).collect();
    report
}

fn triple(v: Vec3<f64>, unit: &str) -> String {
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
    let rows: Vec<ArmRow> = arm_rows(robot).into_iter().filter(|row| row.2.iter().any(Option::is_some)).collect();
    let mut table = Table::new("lrrrl");
    let text = |value: Option<f64>| value.map_or("–".to_owned(), |v| human(v, 7));
    table.head(["", "arm 1", "arm 2", "arm 3", ""]);
    for (name, unit, values) in rows {
        let unit = if unit == "1" { "" } else { unit };
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
        table.row([name.to_owned(), triple(mass_matrix[i], if i == 0 { "kg m²" } else { "" })]);
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
