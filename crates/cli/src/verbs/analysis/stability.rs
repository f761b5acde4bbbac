//! `stability`: does a robot stay where constant torques hold it?

use super::{ChangeArguments, list, sticking_json, tell_sticking};
use crate::arguments::RobotArguments;
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, human, require_finite};
use clap::Args;
use dalembert::Vec3;
use dalembert::report::chart::{COLORS, Chart, Line, Panel, Series, range_of};
use dalembert::robot::file::Dimension;
use dalembert::robot::stability::{AtRest, Crossing, Crossings, Equilibrium, Held, Stability, Verdict};
use dalembert::robot::{JointUnits, JointVector, Robot, State, sticking, units_of};
use serde_json::{Value, json};

#[derive(Args)]
#[command(after_help = "\
Held by a constant torque, a Delta is unstable in a large part of its workspace (Bortoff 2018). Only the stiffness decides; \
damping slows a fall and does not prevent it. Dry friction is left out: with it the robot sticks. Maps: `dalembert map stability`. \
Of other robots poses at all heights in the middle of the workspace are told, or the home pose.

JSON: symmetric_crossing_rad is the angle of all arms at which the heave mode changes (null where there is none; of \
several, the one next to the arms hanging down; symmetric_crossings has all), symmetric_crossing_closed_form_rad the same \
from the closed form.

Examples:
  dalembert stability d3-1200
  dalembert stability d3-1200 --payload 2 --json
  dalembert stability asadi --upside-down --plot stability.svg
  dalembert stability stewart
  dalembert stability asadi --torque=-0.8,-0.8,-0.8        the equilibria under this torque")]
pub struct StabilityArguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// List the equilibria under this constant torque, N m
    #[arg(long, value_name = "T1,T2,T3", allow_hyphen_values = true)]
    torque: Option<String>,
    /// Draw stiffness and growth over the angle of all arms, SVG or PNG by its ending
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    #[command(flatten)]
    changes: ChangeArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &StabilityArguments, screen: &mut Screen) -> Result<(), Failure> {
    let robot = arguments.changes.find(&arguments.robot)?;
    let Some(stability) = robot.stability() else { return in_general(arguments, &robot, screen) };
    let plot = arguments.plot.as_deref().map(Sink::for_picture).transpose()?;
    let (crossings, not_symmetric) = match stability.crossings() {
        Ok(crossings) => (crossings, None),
        Err(reason) => (Crossings { closed_form: Vec::new(), numerical: Vec::new() }, Some(reason.to_string())),
    };
    let Crossings { closed_form: closed, numerical } = crossings;
    let joints = robot.joints();
    let sticks = sticking(&joints, &vec![0.0; joints.len()]);
    let is_symmetric = not_symmetric.is_none();
    let rows: Vec<(f64, AtRest)> = (-3..=8)
        .filter_map(|k| {
            let degrees = 10.0 * f64::from(k);
            stability.with_arms_at(degrees.to_radians()).map(|rest| (degrees, rest))
        })
        .collect();
    for (_, rest) in &rows {
        let numbers = rest.stiffnesses().into_iter().chain([rest.growth(), rest.least_gain()]);
        require_finite(&robot.name, "stiffness or growth", numbers)?;
    }
    if let Some(mut sink) = plot {
        sink.picture(&chart(&robot.name, stability, is_symmetric, &numerical).draw())?;
        sink.finish()?;
    }
    let found = match &arguments.torque {
        Some(text) => {
            let torque = list("torque", text, Dimension::Torque, robot.joints().len())?;
            Some(stability.equilibria(&JointVector::new(&torque)))
        }
        None => None,
    };
    if arguments.json {
        let angle = |crossings: &[Crossing]| crossings.first().map(|c| c.angle);
        let one = |c: &Crossing| json!({ "angle_rad": c.angle, "stable_above": c.stable_above });
        let pose = |(degrees, rest): &(f64, AtRest)| {
            let mut row = row_json(rest);
            row["angle_rad"] = json!(degrees.to_radians());
            row
        };
        let mut json = json!({
            "robot": robot.name,
            "symmetric_crossing_rad": angle(&numerical),
            "symmetric_crossing_closed_form_rad": angle(&closed),
            "stable_above": numerical.first().map(|c| c.stable_above),
            "symmetric_crossings": numerical.iter().map(one).collect::<Vec<_>>(),
            "not_symmetric": not_symmetric,
            "dry_friction": sticking_json(&sticks),
            "symmetric_poses": rows.iter().map(pose).collect::<Vec<_>>(),
        });
        if let Some(found) = &found {
            json["equilibria"] = equilibria_json(&robot, found);
        }
        screen.json(&json);
        return Ok(());
    }
    screen.heading(format!("{}: stability under a constant torque, all arms at one angle", robot.name));
    match &not_symmetric {
        Some(reason) => screen.line(format!("  no symmetric pose: {reason}")),
        None if numerical.is_empty() => screen.line("  the heave mode does not change anywhere"),
        None => {
            for (i, crossing) in numerical.iter().enumerate() {
                let closed = closed.get(i).map_or(String::from("none"), |c| format!("{:.4}°", c.angle.to_degrees()));
                let words = if crossing.stable_above { ["falls", "oscillates"] } else { ["oscillates", "falls"] };
                screen.line(format!(
                    "  heave: {} below {:.4}° (closed form {closed}), {} above it",
                    words[0],
                    crossing.angle.to_degrees(),
                    words[1]
                ));
            }
        }
    }
    tell_sticking(screen, &robot, &sticks, false);
    screen.line("");
    let mut table = Table::new("rrrrrl");
    table.head(["angle", "least stiffness", "heave", "growth", "least gain", ""]);
    table.head(["deg", "N m/rad", "N m/rad", "1/s", "N m/rad", ""]);
    for (degrees, rest) in &rows {
        let heave = if is_symmetric { human(rest.heave(), 4) } else { String::new() };
        let [least, growth, gain] = rest.told().map(|x| human(x, 4));
        table.row([human(*degrees, 3), least, heave, growth, gain, rest.verdict().as_str().to_owned()]);
    }
    screen.table(&table);
    if let Some((_, rest)) = rows.first() {
        screen.line("");
        screen.line(format!(
            "  With gravity compensation alone the stiffness is zero everywhere: {} of 6 poles are zero; the robot {}.",
            rest.gravity_compensated().zero_poles(),
            if rest.gravity_compensated().zero_poles() > 3 {
                "drifts on when pushed"
            } else {
                "stays where it is pushed"
            }
        ));
    }
    if let Some(found) = &found {
        screen.line("");
        screen.heading("Equilibria found under this torque (elbows out, platform below)");
        tell_equilibria(&robot, found, screen);
    }
    if let Some(name) = &arguments.plot {
        screen.line("");
        screen.line(format!("plot: {name}"));
    }
    Ok(())
}

/// Poses straight below and above each other in the middle of the workspace, lowest first; home alone where nothing says how far it is.
fn heights(robot: &Robot, count: u32) -> Result<Vec<State>, Failure> {
    let home = robot.home().map_err(|error| Failure::new(format!("{}: {error}", robot.name)))?;
    let Some(workspace) = robot.workspace() else { return Ok(vec![home]) };
    let [low, high] = workspace.heights;
    let at = |k: u32| {
        // Not at the very ends, which are singular.
        let share = (f64::from(k) + 0.5) / f64::from(count);
        let mut tool = home.tool;
        tool.pose.origin = Vec3::new(workspace.center[0], workspace.center[1], low + share * (high - low));
        robot.at_tool(&tool, &home.pick).ok()
    };
    let states: Vec<State> = (0..count).filter_map(at).collect();
    Ok(if states.is_empty() { vec![home] } else { states })
}

/// Any robot that has linear models, at poses in the middle of its workspace.
fn in_general(arguments: &StabilityArguments, robot: &Robot, screen: &mut Screen) -> Result<(), Failure> {
    let failed = |error: String| Failure::new(format!("{}: {error}", robot.name));
    let held = Held::of(robot.family()).map_err(|error| failed(error.to_string()))?;
    let plot = arguments.plot.as_deref().map(Sink::for_picture).transpose()?;
    let at = |state: &State| held.at(state).map_err(|error| failed(error.to_string()));
    let states = heights(robot, 12)?;
    let rows = states.iter().map(|state| Ok((state, at(state)?))).collect::<Result<Vec<_>, Failure>>()?;
    for (_, rest) in &rows {
        require_finite(&robot.name, "stiffness or growth", rest.told())?;
    }
    let joints = robot.joints();
    let sticks = sticking(&joints, &vec![0.0; joints.len()]);
    if let Some(mut sink) = plot {
        let fine = heights(robot, 200)?;
        let poses = fine.iter().map(|state| Ok((state.tool.pose.origin[2], at(state)?)));
        sink.picture(&general_chart(&robot.name, &poses.collect::<Result<Vec<_>, Failure>>()?).draw())?;
        sink.finish()?;
    }
    let found = match &arguments.torque {
        Some(text) => {
            let torque = list("torque", text, Dimension::Torque, joints.len())?;
            let starts = heights(robot, 24)?;
            Some(held.equilibria(&JointVector::new(&torque), &starts))
        }
        None => None,
    };
    if arguments.json {
        let pose = |(state, rest): &(&State, AtRest)| {
            let mut row = row_json(rest);
            row["position"] = json!(state.tool.pose.origin.0);
            row["joints"] = json!(state.joints.q.to_vec());
            row
        };
        let mut json = json!({
            "robot": robot.name,
            "dry_friction": sticking_json(&sticks),
            "poses": rows.iter().map(pose).collect::<Vec<_>>(),
        });
        if let Some(found) = &found {
            json["equilibria"] = equilibria_json(robot, found);
        }
        screen.json(&json);
        return Ok(());
    }
    let units = |of: fn(JointUnits) -> &'static str| units_of(&joints, of);
    let stiffness = format!("{} per {}", units(|of| of.torque), units(|of| of.position));
    screen.heading(format!("{}: stability under a constant torque, in the middle of its workspace", robot.name));
    tell_sticking(screen, robot, &sticks, false);
    let mut table = Table::new("rrrrl");
    table.head(["z", "least stiffness", "growth", "least gain", ""]);
    table.head(["m", &stiffness, "1/s", &stiffness, ""]);
    for (state, rest) in &rows {
        let [least, growth, gain] = rest.told().map(|x| human(x, 4));
        table.row([human(state.tool.pose.origin[2], 4), least, growth, gain, rest.verdict().as_str().to_owned()]);
    }
    screen.table(&table);
    if let Some(found) = &found {
        screen.line("");
        screen.heading("Equilibria found under this torque from these poses");
        tell_equilibria(robot, found, screen);
    }
    if let Some(name) = &arguments.plot {
        screen.line("");
        screen.line(format!("plot: {name}"));
    }
    Ok(())
}

fn within(robot: &Robot, equilibrium: &Equilibrium) -> bool {
    let inside = |([low, high], &q): ([f64; 2], &f64)| (low..=high).contains(&q);
    robot.joints().iter().map(|joint| joint.limits.range).zip(equilibrium.joints.iter()).all(inside)
}

fn equilibria_json(robot: &Robot, found: &[Equilibrium]) -> Value {
    let one = |e: &Equilibrium| {
        json!({
            "joints": e.joints.to_vec(), "position": e.position.0, "stiffness": e.stiffness, "growth": e.growth,
            "stable": e.verdict == Verdict::Stable, "verdict": e.verdict.as_str(),
            "within_joint_ranges": within(robot, e),
        })
    };
    found.iter().map(one).collect()
}

fn tell_equilibria(robot: &Robot, found: &[Equilibrium], screen: &mut Screen) {
    let count = robot.joints().len();
    let mut table = Table::new(&format!("{}rrrll", "r".repeat(count)));
    let head = ["z, m", "stiffness", "growth, 1/s", "", ""].map(str::to_owned);
    table.head((1..=count).map(|i| format!("q{i}")).chain(head));
    for e in found {
        let range = if within(robot, e) { "" } else { "beyond the joint ranges" };
        let rest = [
            human(e.position[2], 5),
            human(e.stiffness, 4),
            human(e.growth, 4),
            e.verdict.as_str().to_owned(),
            range.to_owned(),
        ];
        table.row(e.joints.iter().map(|q| human(*q, 5)).chain(rest));
    }
    screen.table(&table);
    if found.is_empty() {
        screen.line("  none");
    }
}

fn row_json(rest: &AtRest) -> Value {
    json!({
        "stiffnesses": rest.stiffnesses(),
        "growth": rest.growth(),
        "least_gain": rest.least_gain(),
        "stable": rest.verdict() == Verdict::Stable,
        "verdict": rest.verdict().as_str(),
        "zero_poles_with_gravity_compensation": rest.gravity_compensated().zero_poles(),
    })
}

fn panel(title: &str, y_label: &str, lines: Vec<Line>) -> Panel {
    let y_range = range_of(lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)));
    Panel { title: title.into(), y_label: y_label.into(), y_range, lines }
}

fn series(name: &str, color: &'static str, width: f64) -> Series {
    Series { name: name.into(), color, width, dash: "" }
}

fn general_chart(name: &str, poses: &[(f64, AtRest)]) -> Chart {
    let line = |series: usize, value: &dyn Fn(&AtRest) -> f64| Line {
        series,
        points: poses.iter().map(|(z, rest)| (*z, value(rest))).collect(),
    };
    let least = vec![line(0, &|rest| rest.stiffnesses()[0]), line(2, &|_| 0.0)];
    let growth = vec![line(1, &AtRest::growth)];
    Chart {
        title: format!("{name}: stability under a constant torque"),
        subtitle: String::from("in the middle of the workspace; unstable where a stiffness is negative"),
        x_label: String::from("height, m"),
        x_decades: false,
        x_range: (poses.first().map_or(0.0, |p| p.0), poses.last().map_or(1.0, |p| p.0)),
        columns: 1,
        panels: vec![panel("Least stiffness", "SI", least), panel("Fastest growth", "1/s", growth)],
        series: vec![
            series("least stiffness", COLORS[0], 1.8),
            series("growth", COLORS[2], 1.8),
            series("zero", "#999", 0.8),
        ],
        marks: Vec::new(),
        notes: Vec::new(),
    }
}

fn chart(name: &str, stability: &dyn Stability, is_symmetric: bool, crossings: &[Crossing]) -> Chart {
    let poses: Vec<(f64, AtRest)> = (-120..=340)
        .filter_map(|k| {
            let degrees = 0.25 * f64::from(k);
            stability.with_arms_at(degrees.to_radians()).map(|rest| (degrees, rest))
        })
        .collect();
    let line = |series: usize, value: &dyn Fn(&AtRest) -> f64| Line {
        series,
        points: poses.iter().map(|(degrees, rest)| (*degrees, value(rest))).collect(),
    };
    // Of a symmetric robot two eigenvalues of K are equal and have names.
    let lateral = |rest: &AtRest| (0..3).map(|i| rest.stiffness[(i, i)]).sum::<f64>() / 2.0 - rest.heave() / 2.0;
    let mut stiffness = if is_symmetric {
        vec![line(0, &AtRest::heave), line(1, &lateral)]
    } else {
        (0..3).map(|k| line([0, 1, 4][k], &move |rest: &AtRest| rest.stiffnesses()[k])).collect()
    };
    stiffness.push(line(3, &|_| 0.0));
    let names = if is_symmetric {
        ["heave: all arms together", "lateral: arms against each other"]
    } else {
        ["least stiffness", "middle stiffness"]
    };
    let growth = vec![line(2, &AtRest::growth)];
    let (first, last) = (poses.first().map_or(0.0, |p| p.0), poses.last().map_or(1.0, |p| p.0));
    Chart {
        title: format!("{name}: stability under a constant torque"),
        subtitle: String::from("all arms at one angle; unstable where a stiffness is negative"),
        x_label: String::from("angle of the arms, deg (0 horizontal, 90 straight down)"),
        x_decades: false,
        x_range: (first, last),
        columns: 1,
        panels: vec![panel("Stiffness", "N m/rad", stiffness), panel("Fastest growth", "1/s", growth)],
        series: vec![
            series(names[0], COLORS[0], 1.8),
            series(names[1], COLORS[1], 1.8),
            series("growth", COLORS[2], 1.8),
            series("zero", "#999", 0.8),
        ]
        .into_iter()
        .chain((!is_symmetric).then(|| series("largest stiffness", COLORS[3], 1.8)))
        .collect(),
        marks: crossings.iter().map(|c| (c.angle.to_degrees(), format!("{:.2}°", c.angle.to_degrees()))).collect(),
        notes: Vec::new(),
    }
}
