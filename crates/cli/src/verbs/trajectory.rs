//! `trajectory`: a motion as a table, as G-code, as a picture.

use super::motion::{LawName, MotionArguments, MotionPlan, positive};
use crate::failure::{Failure, say};
use crate::output::{Screen, Sink, Table, fixed, human, resolve};
use clap::Args;
use dalembert::describe::Dimension;
use dalembert::motion::named::Timed;
use dalembert::motion::{Machine, Motion, Point, Survey, to_gcode};
use dalembert::record::plot::{COLORS, Chart, Line, Panel, Series, range_of};
use dalembert::record::recording::Recording;
use serde_json::{Value, json};

#[derive(Args)]
#[command(after_help = "\
Motions by name: door (25/305/25 mm, forth and back), door-0.1kg, door-1kg, door-3kg, door-700, semi-ellipse, circle, \
conveyor, falezza-conveyor, falezza-center, falezza-limits: docs/motion.md.

Columns of --out: t, x,y,z, vx,vy,vz, ax,ay,az, q1.., qd1.., qdd1.., tau1... The G-code is LinuxCNC's, in mm, with \
inverse-time feed (G93), so that it keeps the timing. A passed limit is a warning; out of reach is an error.

Examples:
  dalembert trajectory d3-1200                                             the door, as fast as it goes smoothly
  dalembert trajectory d3-1200 --law time-optimal --plot fastest.svg
  dalembert trajectory d3-1200 --law time-optimal --smoothing 10ms --out motion.csv
  dalembert trajectory d3-1200 --path semi-ellipse --ratio 2 --duration 0.15 --gcode motion.ngc
  dalembert trajectory d3-1200 --path polyline:0,0,-0.9/0.1,0,-0.9/0.1,0.1,-0.8 --blend '30 mm' --law double-s \\
      --speed 2 --acceleration 50 --jerk 3000 --out -")]
pub struct TrajectoryArguments {
    #[command(flatten)]
    motion: MotionArguments,
    /// Time from row to row, s
    #[arg(long, value_name = "TIME", default_value = "1 ms", allow_hyphen_values = true)]
    every: String,
    /// Write the motion as CSV, - for standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Write the motion as G-code
    #[arg(long, value_name = "FILE")]
    gcode: Option<String>,
    /// Write a plot as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Treat a passed limit as an error
    #[arg(long)]
    enforce_limits: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// `trajectory`, ready to run.
pub struct TrajectoryPlan {
    motion: MotionPlan,
    every: f64,
    out: Option<String>,
    gcode: Option<String>,
    plot: Option<String>,
    enforce_limits: bool,
    json: bool,
}

impl TrajectoryArguments {
    pub fn plan(self) -> Result<TrajectoryPlan, Failure> {
        let names: Vec<&String> = [&self.out, &self.gcode, &self.plot].into_iter().flatten().collect();
        for (i, name) in names.iter().enumerate() {
            if names[..i]
                .iter()
                .any(|other| other == name || (*name != "-" && *other != "-" && resolve(other) == resolve(name)))
            {
                return Err(Failure::new(format!("two outputs cannot both go to {name}")));
            }
        }
        Ok(TrajectoryPlan {
            motion: self.motion.plan(LawName::SineOnRamp)?,
            every: positive("every", &self.every, Dimension::Time)?,
            out: self.out,
            gcode: self.gcode,
            plot: self.plot,
            enforce_limits: self.enforce_limits,
            json: self.json,
        })
    }
}

/// More rows than anybody reads.
const MOST_ROWS: f64 = 1e7;

pub fn run(plan: &TrajectoryPlan, screen: &mut Screen) -> Result<(), Failure> {
    let open = |name: &Option<String>| name.as_deref().map(Sink::new).transpose();
    let (mut out, mut gcode, mut plot) = (open(&plan.out)?, open(&plan.gcode)?, open(&plan.plot)?);
    let timed = plan.motion.timed()?;
    let motion = &timed.motion;
    if motion.duration() / plan.every > MOST_ROWS {
        return Err(Failure::new(format!("{:.0} rows are too many", motion.duration() / plan.every))
            .hint("give a larger --every"));
    }
    let name = &plan.motion.robot.name;
    let survey = Survey::of(&plan.motion.machine, motion, 4000)
        .map_err(|error| Failure::new(format!("{name}, {}: {error}", plan.motion.path)))?;
    for (time, passed) in &survey.passed {
        let text = format!("{name}, {}, at t = {time:.4} s: {passed}", plan.motion.path);
        // What the planner leaves between the points of its grid is its tolerance, not a mistake.
        if (passed.value / passed.limit).abs() <= 1.0 + dalembert::motion::EXCESS {
            continue;
        }
        if plan.enforce_limits {
            return Err(Failure::new(text).hint("give a longer --duration, or leave it out for the shortest"));
        }
        say(&format!("warning: {text}"));
    }
    if let Some(sink) = &mut out {
        let recording = record(plan, motion)?;
        recording.write_csv(sink).map_err(|error| Failure::io("cannot write the motion", error))?;
    }
    if let Some(sink) = &mut gcode {
        sink.text(&to_gcode(motion, plan.every, &format!("{name}: {}", plan.motion.what())))?;
    }
    if let Some(sink) = &mut plot {
        sink.text(&chart(plan, motion).to_svg())?;
    }
    for sink in [out, gcode, plot].into_iter().flatten() {
        sink.finish()?;
    }
    let taken = [&plan.out, &plan.gcode, &plan.plot].into_iter().flatten().any(|name| name == "-");
    if !taken && plan.json {
        screen.json(&as_json(plan, &timed, &survey));
    } else if !taken {
        as_text(plan, &timed, &survey, screen);
    }
    Ok(())
}

fn record(plan: &TrajectoryPlan, motion: &impl Motion<Point = dalembert::Vec3<f64>>) -> Result<Recording, Failure> {
    let mut columns = vec![("t".to_owned(), "s", "time".to_owned())];
    for (prefix, unit, what) in [("", "m", "position"), ("v", "m/s", "velocity"), ("a", "m/s^2", "acceleration")] {
        columns.extend(["x", "y", "z"].map(|axis| (format!("{prefix}{axis}"), unit, what.to_owned())));
    }
    for (prefix, unit, what) in [
        ("q", "rad", "joint angle"),
        ("qd", "rad/s", "joint velocity"),
        ("qdd", "rad/s^2", "joint acceleration"),
        ("tau", "N m", "torque"),
    ] {
        columns.extend([1, 2, 3].map(|i| (format!("{prefix}{i}"), unit, what.to_owned())));
    }
    let mut recording = Recording::new(columns).map_err(|error| Failure::new(error.to_string()))?;
    let steps = (motion.duration() / plan.every - 1e-9).ceil().max(1.0) as usize;
    for k in 0..=steps {
        let t = (k as f64 * plan.every).min(motion.duration());
        let state = motion.at(t);
        let load =
            plan.motion.machine.load(&state).map_err(|error| Failure::new(format!("at t = {t:.4} s: {error}")))?;
        let mut row = vec![t];
        row.extend([state.position, state.velocity, state.acceleration].iter().flat_map(|v| v.components().to_vec()));
        row.extend([load.q, load.qd, load.qdd, load.torque].iter().flat_map(|v| v[..3].to_vec()));
        recording.push(&row).map_err(|error| Failure::new(error.to_string()))?;
    }
    Ok(recording)
}

fn chart(plan: &TrajectoryPlan, motion: &impl Motion<Point = dalembert::Vec3<f64>>) -> Chart {
    const POINTS: usize = 1500;
    let mut lines: [Vec<(f64, f64)>; 5] = Default::default();
    for k in 0..=POINTS {
        let t = motion.duration() * k as f64 / POINTS as f64;
        let state = motion.at(t);
        lines[0].push((t, state.velocity.length()));
        lines[1].push((t, state.acceleration.length()));
        if let Ok(load) = plan.motion.machine.load(&state) {
            for i in 0..3 {
                lines[2 + i].push((t, load.torque[i]));
            }
        }
    }
    let series = |name: &str, i: usize| Series { name: name.to_owned(), color: COLORS[i], width: 1.6, dash: "" };
    let panel = |title: &str, unit: &str, which: &[usize]| Panel {
        title: title.to_owned(),
        y_label: unit.to_owned(),
        y_range: range_of(which.iter().flat_map(|&i| lines[i].iter().map(|p| p.1))),
        lines: which.iter().map(|&i| Line { series: i, points: lines[i].clone() }).collect(),
    };
    Chart {
        title: format!("{}: {}", plan.motion.robot.name, plan.motion.path),
        subtitle: plan.motion.what(),
        x_label: "time, s".to_owned(),
        x_range: (0.0, motion.duration()),
        columns: 1,
        panels: vec![
            panel("Speed of the platform", "m/s", &[0]),
            panel("Acceleration of the platform", "m/s²", &[1]),
            panel("Motor torques", "N m", &[2, 3, 4]),
        ],
        series: vec![
            series("speed", 0),
            series("acceleration", 1),
            series("tau1", 2),
            series("tau2", 3),
            series("tau3", 4),
        ],
        marks: Vec::new(),
        notes: Vec::new(),
    }
}

fn as_text(plan: &TrajectoryPlan, timed: &Timed, survey: &Survey, screen: &mut Screen) {
    screen.heading(format!("{}: {}", plan.motion.robot.name, plan.motion.what()));
    let mut table = Table::new("ll");
    let strokes: Vec<String> = timed.strokes.iter().map(|&d| fixed(d, 4)).collect();
    table.row(["duration".to_owned(), format!("{} s", fixed(survey.duration, 4))]);
    if strokes.len() > 1 {
        table.row(["strokes".to_owned(), format!("{} s", strokes.join(", "))]);
        table.row(["per minute".to_owned(), fixed(60.0 / survey.duration, 1)]);
    }
    table.row(["speed".to_owned(), format!("at most {} m/s", fixed(survey.peak_speed, 3))]);
    table.row(["acceleration".to_owned(), format!("at most {} m/s²", fixed(survey.peak_acceleration, 1))]);
    if let Some((unsmoothed, active)) = timed.optimal {
        table.row(["limit active".to_owned(), format!("{} % of the time", fixed(100.0 * active, 1))]);
        let moving: f64 = timed.strokes.iter().sum();
        if moving > unsmoothed * (1.0 + 1e-9) {
            let cost = moving - unsmoothed;
            table.row([
                "beyond the optimum".to_owned(),
                format!("{} s ({} %)", fixed(cost, 4), fixed(100.0 * cost / unsmoothed, 1)),
            ]);
        }
    }
    screen.table(&table);
    screen.line("");
    let mut table = Table::new("lrrrrrr");
    table.head(["joint", "range, °", "speed, rad/s", "torque, N m", "RMS, N m", "power, W", "of limit"]);
    for (i, (joint, limits)) in survey.joints.iter().zip(plan.motion.machine.limits()).enumerate() {
        let share = (joint.peak_speed / limits.max_speed).max(joint.peak_torque / limits.max_torque);
        table.row([
            format!("{}", i + 1),
            format!("{} … {}", fixed(joint.range[0].to_degrees(), 1), fixed(joint.range[1].to_degrees(), 1)),
            fixed(joint.peak_speed, 2),
            fixed(joint.peak_torque, 2),
            fixed(joint.rms_torque, 2),
            human(joint.peak_power, 4),
            format!("{} %", fixed(100.0 * share, 1)),
        ]);
    }
    screen.table(&table);
    for (name, what) in [(&plan.out, "motion"), (&plan.gcode, "G-code"), (&plan.plot, "plot")] {
        if let Some(name) = name {
            screen.line(format!("  {what}: {name}"));
        }
    }
}

fn as_json(plan: &TrajectoryPlan, timed: &Timed, survey: &Survey) -> Value {
    json!({
        "robot": plan.motion.robot.name,
        "path": plan.motion.path,
        "law": plan.motion.law_name.as_str(),
        "payload": plan.motion.payload,
        "center": plan.motion.placement.center.0,
        "duration": survey.duration,
        "strokes": timed.strokes,
        "unsmoothed": timed.optimal.map(|o| o.0),
        "limit_active": timed.optimal.map(|o| o.1),
        "peak_speed": survey.peak_speed,
        "peak_acceleration": survey.peak_acceleration,
        "joints": survey.joints.iter().map(|joint| json!({
            "range": joint.range,
            "peak_speed": joint.peak_speed,
            "rms_speed": joint.rms_speed,
            "peak_torque": joint.peak_torque,
            "rms_torque": joint.rms_torque,
            "peak_power": joint.peak_power,
            "peak_braking": joint.peak_braking,
            "mean_power": joint.mean_power,
        })).collect::<Vec<_>>(),
        "passed": survey.passed.iter().map(|(time, passed)| json!({
            "time": time,
            "quantity": format!("{:?}", passed.quantity),
            "joint": passed.joint,
            "value": passed.value,
            "limit": passed.limit,
        })).collect::<Vec<_>>(),
    })
}
