//! `explain`: one state, step by step.

use crate::arguments::{ExplainPlan, StateGiven};
use crate::failure::Failure;
use crate::output::{Screen, Table, human};
use dalembert::Vec3;
use dalembert::analyze::Reach;
use dalembert::analyze::explain::{Quantity, Section, Values, explain};
use dalembert::delta::KinematicsError;
use serde_json::{Value, json};

pub fn run(plan: &ExplainPlan, screen: &mut Screen) -> Result<(), Failure> {
    let robot = &plan.robot.delta;
    let bad = |error: KinematicsError| {
        let reach = Reach::of(robot);
        Failure::new(format!("{}: {error}", plan.robot.name)).hint(format!(
            "on its axis this robot reaches z = {} … {} m; positions in m, angles in rad",
            human(reach.lowest, 4),
            human(reach.highest, 4)
        ))
    };
    let (moving, acceleration) = match &plan.state {
        StateGiven::Cartesian { position, velocity, acceleration, branch } => {
            let tool = if plan.tool { robot.parameters().tool } else { Vec3::zero() };
            let position = position.map_or_else(|| Reach::of(robot).center, |position| position - tool);
            let pose = robot.at_position(position, *branch).map_err(bad)?;
            (pose.try_moving(*velocity).map_err(bad)?, *acceleration)
        }
        StateGiven::Joints { q, qd, qdd, assembly } => {
            let pose = robot.at_joints(q.0, *assembly).map_err(bad)?;
            let moving = pose.try_moving_joints(qd.0).map_err(bad)?;
            (moving, moving.platform_acceleration(qdd.0))
        }
    };
    let explanation = explain(&moving, acceleration, plan.force);
    if plan.json {
        let sections: Vec<Value> = explanation.sections.iter().map(section_json).collect();
        screen.json(&json!({ "robot": plan.robot.name, "sections": sections, "torque": explanation.torque }));
        return Ok(());
    }
    screen.heading(format!("{}: one state, step by step", plan.robot.name));
    screen.line("  Equations: `exact` and `kinematics` are the heads of those files in crates/core/src/delta,");
    screen.line("  the others are in the papers (docs). Vectors are in the base frame, rows x, y, z.");
    for section in &explanation.sections {
        screen.line("");
        screen.heading(section.title);
        screen.table(&section_table(section));
    }
    Ok(())
}

fn section_table(section: &Section) -> Table {
    let mut table = Table::new("llrrrlll");
    if section.quantities.iter().any(|quantity| !matches!(quantity.values, Values::One(_))) {
        table.head(["", "", "1", "2", "3", "", "", ""]);
    }
    for quantity in &section.quantities {
        let Quantity { symbol, meaning, formula, equation, unit, values } = quantity;
        let unit = if *unit == "1" { "" } else { unit };
        let text = match (meaning.is_empty(), formula.is_empty()) {
            (false, false) => format!("{meaning}: {formula}"),
            _ => format!("{meaning}{formula}"),
        };
        let mut row = |first: bool, axis: &str, numbers: &[f64]| {
            let mut cells = vec![if first { symbol } else { "" }.to_owned(), axis.to_owned()];
            cells.extend((0..3).map(|k| numbers.get(k).map_or(String::new(), |&v| human(v, 6))));
            if first {
                cells.extend([unit, equation, &text].map(str::to_owned));
            }
            table.row(cells);
        };
        match values {
            Values::One(value) => row(true, "", &[*value]),
            Values::PerArm(values) => row(true, "", values),
            // A vector of the platform: its components side by side.
            Values::Vector(values) => row(true, "xyz", values),
            Values::VectorPerArm(vectors) => {
                for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
                    row(k == 0, axis, &[vectors[0][k], vectors[1][k], vectors[2][k]]);
                }
            }
            Values::Matrix(rows) => {
                for (k, numbers) in rows.iter().enumerate() {
                    row(k == 0, "", numbers);
                }
            }
        }
    }
    table
}

fn section_json(section: &Section) -> Value {
    let quantities: Vec<Value> = section
        .quantities
        .iter()
        .map(|quantity| {
            let values = match &quantity.values {
                Values::One(value) => json!(value),
                Values::PerArm(values) | Values::Vector(values) => json!(values),
                Values::VectorPerArm(rows) | Values::Matrix(rows) => json!(rows),
            };
            let shape = match &quantity.values {
                Values::One(_) => "number",
                Values::PerArm(_) => "per arm",
                Values::Vector(_) => "vector",
                Values::VectorPerArm(_) => "vector per arm",
                Values::Matrix(_) => "matrix by rows",
            };
            json!({
                "symbol": quantity.symbol,
                "meaning": quantity.meaning,
                "formula": quantity.formula,
                "equation": quantity.equation,
                "unit": quantity.unit,
                "shape": shape,
                "value": values,
            })
        })
        .collect();
    json!({ "title": section.title, "quantities": quantities })
}
