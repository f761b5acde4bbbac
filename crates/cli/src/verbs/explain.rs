//! `explain`: one state, step by step.

use super::analysis::given::refused;
use crate::arguments::{ExplainPlan, StateGiven, tell_ranges};
use crate::failure::Failure;
use crate::output::{Screen, Table, human, require_finite};
use dalembert::Vec3;
use dalembert::robot::explanation::{Quantity, Section, Values};
use dalembert::robot::{JointState, Pick, ToolState};
use serde_json::{Value, json};

pub fn run(plan: &ExplainPlan, screen: &mut Screen) -> Result<(), Failure> {
    let robot = &plan.robot;
    let bad = |error| refused(robot, error);
    // What a robot does not offer is said before its state is looked at.
    let home = robot.home().map_err(bad)?;
    robot.explain(&home, plan.wrench).map_err(bad)?;
    let state = match &plan.state {
        StateGiven::Tool { position, velocity, acceleration, branch } => {
            let tool = if plan.tool { robot.kind().tool_offset } else { Vec3::zero() };
            let position = position.map_or(home.tool.pose.origin, |position| position - tool);
            let pick = Pick { elbows: *branch, ..Pick::default() };
            robot.at_tool(&ToolState::translating(position, *velocity, *acceleration), &pick)
        }
        StateGiven::Joints { q, qd, qdd, assembly } => {
            tell_ranges(robot, &q.0);
            let [q, qd, qdd] = [q, qd, qdd].map(|vector| vector.0.into());
            robot.at_joints(&JointState { q, qd, qdd }, &Pick { assembly: *assembly, ..Pick::default() })
        }
    };
    let explanation = state.and_then(|state| robot.explain(&state, plan.wrench)).map_err(bad)?;
    let all = explanation.sections.iter().flat_map(|section| &section.quantities);
    for Quantity { symbol, values, .. } in all {
        require_finite(&robot.name, &format!("`{symbol}`"), values.to_vec())?;
    }
    if plan.json {
        let sections: Vec<Value> = explanation.sections.iter().map(section_json).collect();
        let torque = &explanation.torque[..];
        screen.json(&json!({ "robot": robot.name, "sections": sections, "torque": torque }));
        return Ok(());
    }
    screen.heading(format!("{}: one state, step by step", robot.name));
    explanation.sources.iter().for_each(|line| screen.line(format!("  {line}")));
    for section in &explanation.sections {
        screen.line("");
        screen.heading(section.title);
        screen.table(&section_table(section, robot.joints().len()));
    }
    Ok(())
}

fn section_table(section: &Section, joints: usize) -> Table {
    // A vector has three components side by side.
    let numbers = joints.max(3);
    let mut table = Table::new(&format!("ll{}lll", "r".repeat(numbers)));
    if section.quantities.iter().any(|quantity| !matches!(quantity.values, Values::One(_))) {
        let mut head = vec![String::new(); 2];
        head.extend((1..=numbers).map(|joint| joint.to_string()));
        head.extend(vec![String::new(); 3]);
        table.head(head);
    }
    for quantity in &section.quantities {
        let Quantity { symbol, meaning, formula, equation, unit, values } = quantity;
        let unit = if *unit == "1" { "" } else { unit };
        let text = match (meaning.is_empty(), formula.is_empty()) {
            (false, false) => format!("{meaning}: {formula}"),
            _ => format!("{meaning}{formula}"),
        };
        let mut row = |first: bool, axis: &str, values: &[f64]| {
            let mut cells = vec![if first { symbol } else { "" }.to_owned(), axis.to_owned()];
            cells.extend((0..numbers).map(|k| values.get(k).map_or(String::new(), |&v| human(v, 6))));
            if first {
                cells.extend([unit, equation, &text].map(str::to_owned));
            }
            table.row(cells);
        };
        match values {
            Values::One(value) => row(true, "", &[*value]),
            Values::PerJoint(values) => row(true, "", values),
            Values::Vector(values) => row(true, "xyz", values),
            Values::VectorPerJoint(vectors) => {
                for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
                    row(k == 0, axis, &vectors.iter().map(|vector| vector[k]).collect::<Vec<_>>());
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
    let quantity = |quantity: &Quantity| {
        let value = match &quantity.values {
            Values::One(value) => json!(value),
            Values::PerJoint(values) => json!(&values[..]),
            Values::Vector(values) => json!(values),
            Values::VectorPerJoint(vectors) => json!(vectors),
            Values::Matrix(rows) => json!(rows),
        };
        json!({
            "symbol": quantity.symbol,
            "meaning": quantity.meaning,
            "formula": quantity.formula,
            "equation": quantity.equation,
            "unit": quantity.unit,
            "shape": quantity.values.shape(),
            "value": value,
        })
    };
    json!({ "title": section.title, "quantities": section.quantities.iter().map(quantity).collect::<Vec<_>>() })
}
