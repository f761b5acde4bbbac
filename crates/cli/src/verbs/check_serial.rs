//! `check` and `robots show` for serial arms.

use crate::failure::Failure;
use crate::output::{Screen, Table, human};
use dalembert::describe::SerialRobot;
use dalembert::serial::{DhConvention, Joint};
use serde_json::{Value, json};

/// The parameters as JSON, in SI.
pub fn parameters_json(robot: &SerialRobot) -> Value {
    let rest = robot.arm.surroundings();
    let links: Vec<Value> = robot
        .arm
        .links()
        .iter()
        .zip(&robot.limits)
        .map(|(link, limits)| {
            let finite = |x: f64| x.is_finite().then_some(x);
            json!({
                "joint": joint(link.joint),
                "alpha": link.dh.alpha.radians(),
                "a": link.dh.a,
                "d": link.dh.d,
                "theta_offset": link.dh.theta_offset.radians(),
                "mass": link.body.mass,
                "center_of_mass": link.body.center_of_mass.0,
                "inertia": link.body.inertia.entries(),
                "motor_inertia": link.motor_inertia,
                "gear_ratio": link.gear_ratio,
                "range": limits.range.map(finite),
                "max_speed": finite(limits.max_speed),
                "max_torque": finite(limits.max_torque),
                "breakaway": limits.breakaway,
            })
        })
        .collect();
    json!({
        "name": robot.name,
        "source": robot.source,
        "kind": "serial",
        "convention": convention(rest.convention),
        "gravity": rest.gravity.0,
        "tool": rest.tool.origin.0,
        "payload_mass": rest.payload.mass,
        "links": links,
    })
}

fn joint(joint: Joint) -> &'static str {
    match joint {
        Joint::Revolute => "revolute",
        Joint::Prismatic => "prismatic",
    }
}

fn convention(convention: DhConvention) -> &'static str {
    match convention {
        DhConvention::Modified => "modified-dh",
        DhConvention::Standard => "standard-dh",
    }
}

/// What follows from the parameters at all joints zero.
struct AtZero {
    tool: [f64; 3],
    mass: Vec<f64>,
    holding: Vec<f64>,
}

fn at_zero(robot: &SerialRobot) -> Result<AtZero, Failure> {
    let n = robot.arm.joints();
    let (q, mut mass, mut holding) = (vec![0.0; n], vec![0.0; n * n], vec![0.0; n]);
    let refused = |error| Failure::new(format!("{}: the zero pose cannot be used", robot.name)).because(error);
    robot.arm.mass_and_gravity(&q, &mut mass, &mut holding).map_err(refused)?;
    Ok(AtZero { tool: robot.arm.tool(&q).map_err(refused)?.origin.0, mass, holding })
}

pub fn run(robot: &SerialRobot, as_json: bool, screen: &mut Screen) -> Result<(), Failure> {
    let zero = at_zero(robot)?;
    let n = robot.arm.joints();
    if as_json {
        let mut report = parameters_json(robot);
        report["zero"] = json!({
            "tool": zero.tool,
            "mass_matrix": zero.mass.chunks(n).collect::<Vec<_>>(),
            "holding_torque": zero.holding,
        });
        report["warnings"] = robot.warnings.iter().map(|w| Value::from(w.to_string())).collect();
        screen.json(&report);
        return Ok(());
    }
    let rest = robot.arm.surroundings();
    screen.heading(format!("{}: a serial arm with {n} joints, {}", robot.name, convention(rest.convention)));
    if let Some(source) = &robot.source {
        screen.line(format!("  {source}"));
    }
    screen.line("");
    screen.heading("As read, in SI");
    let mut table = Table::new("llrrrrlr");
    table.head(["link", "joint", "alpha", "a", "d", "mass", "centre of mass", "motor inertia"]);
    for (i, link) in robot.arm.links().iter().enumerate() {
        table.row([
            (i + 1).to_string(),
            joint(link.joint).to_owned(),
            format!("{}°", human(link.dh.alpha.radians().to_degrees(), 6)),
            human(link.dh.a, 6),
            human(link.dh.d, 6),
            human(link.body.mass, 6),
            link.body.center_of_mass.0.map(|x| human(x, 5)).join(", "),
            human(link.motor_inertia, 6),
        ]);
    }
    screen.table(&table);
    screen.line("");
    screen.heading("With all joints at zero");
    screen.line(format!("  tool at {} m", zero.tool.map(|x| human(x, 5)).join(", ")));
    let mut table = Table::new("lrr");
    table.head(["joint", "inertia", "holding torque"]);
    for i in 0..n {
        table.row([(i + 1).to_string(), human(zero.mass[i * n + i], 6), human(zero.holding[i], 6)]);
    }
    screen.table(&table);
    if !robot.warnings.is_empty() {
        screen.line("");
        screen.heading("Warnings");
        for warning in &robot.warnings {
            screen.line(format!("  {warning}"));
        }
    }
    Ok(())
}
