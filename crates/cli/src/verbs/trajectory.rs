//! `trajectory`: a motion as a table, as G-code, as a picture.

use super::motion::{MotionArguments, MotionPlan};
use crate::arguments::numbers::positive;
use crate::failure::{Failure, say};
use crate::output::{Screen, Sink, Table, fixed, human};
use clap::Args;
use dalembert::Vec3;
use dalembert::motion::{Mover, ProfileName, RobotMotion, Survey, Timed, is_tolerated, length, to_gcode};
use dalembert::report::chart::{COLORS, Chart, Line, Panel, Series, range_of};
use dalembert::report::recording::Recording;
use dalembert::robot::file::Dimension;
use dalembert::robot::{
    Form, Joint, JointKind, JointState, JointUnits, Target, ToolState, ToolTurns, Violation, units_of,
};
use dalembert::spatial::Twist;
use serde_json::{Value, json};

#[derive(Args)]
#[command(after_help = "\
Motions of the tool by name: pick-and-place (25/305/25 mm, forth and back), pick-and-place-0.1kg, -1kg, -3kg, \
pick-and-place-700, semi-ellipse, line, circle, conveyor, falezza-conveyor, falezza-center, falezza-limits; or line:P/P, \
polyline:P/P/P, arc:P/P/P with points P = x,y,z. An arm like the PUMA 560 keeps its tool turned as --orientation says. Motions \
of the joints, of every robot: swing, or joints:Q/Q/.. with poses Q = q1,q2,... docs/motion.md has the details.

Columns of --out: t, for a motion of the tool x,y,z, vx,vy,vz, ax,ay,az (with c, cd, cdd of a fourth axis), then q1.., qd1.., qdd1.., tau1... Rows are --every apart; \
a motion that ends between two of them rests in the last one. The G-code is \
LinuxCNC's, in mm, with inverse-time feed (G93), so that it keeps the timing. A limit that is exceeded is a warning; out of \
reach is an error.

Examples:
  dalembert trajectory d3-1200                           a pick-and-place cycle, as fast as it goes smoothly
  dalembert trajectory d3-1200 --profile time-optimal --plot fastest.svg
  dalembert trajectory d3-1200 --profile time-optimal --jerk 20000 --out motion.csv
  dalembert trajectory d3-1200 --path semi-ellipse --ratio 2 --duration 0.15 --gcode motion.ngc
  dalembert trajectory d3-1200 --path polyline:0,0,-0.9/0.1,0,-0.9/0.1,0.1,-0.8 --blend '30 mm' \\
      --profile double-s --speed 2 --acceleration 50 --jerk 3000 --out -
  dalembert trajectory puma560 --path joints:0,0,0,0,0,0/1,-0.5,0.5,0,0.5,0 --profile time-optimal
  dalembert trajectory puma560 --path circle --width 0.2 --orientation '180 deg,0,0' --out motion.csv")]
pub struct TrajectoryArguments {
    /// Time from row to row, s
    #[arg(long, value_name = "TIME", default_value = "1 ms", allow_hyphen_values = true)]
    every: String,
    /// Write the motion as CSV, - for standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Write the motion as G-code
    #[arg(long, value_name = "FILE")]
    gcode: Option<String>,
    /// Write a plot, SVG or PNG by its ending
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Treat a limit that is exceeded as an error
    #[arg(long)]
    enforce_limits: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    // Last, since its heading is for everything that follows.
    #[command(flatten)]
    motion: MotionArguments,
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
    pub fn plan(mut self) -> Result<TrajectoryPlan, Failure> {
        let names: Vec<&String> = [&self.out, &self.gcode, &self.plot].into_iter().flatten().collect();
        if self.json && names.iter().any(|name| *name == "-") {
            return Err(Failure::new(crate::output::TWICE));
        }
        let robot = self.motion.robot.find()?;
        self.motion.order.read_points(&robot)?;
        let motion = self.motion.plan(&robot, ProfileName::SineOnRamp)?;
        if self.gcode.is_some() && motion.form() == Form::Joints {
            return Err(Failure::new("G-code moves a point, and this is a motion of joints")
                .hint("a path of the tool, as in --path pick-and-place or line:P/P with points x,y,z"));
        }
        let every = positive("every", &self.every, Dimension::Time)?;
        let Self { out, gcode, plot, enforce_limits, json, .. } = self;
        Ok(TrajectoryPlan { motion, every, out, gcode, plot, enforce_limits, json })
    }
}

/// More rows than anybody reads.
const MOST_ROWS: f64 = 1e7;

/// Refuses what nobody could wait for.
fn check_rows(duration: f64, every: f64) -> Result<(), Failure> {
    let rows = duration / every;
    if rows > MOST_ROWS {
        return Err(Failure::new(format!("{rows:.0} rows are too many")).hint("give a larger --every"));
    }
    if rows < 1.0 {
        return Err(Failure::new(format!("--every is {every} s, but the motion takes {duration:.4} s")));
    }
    Ok(())
}

pub fn run(plan: &TrajectoryPlan, screen: &mut Screen) -> Result<(), Failure> {
    let TrajectoryPlan { motion: MotionPlan { robot, order, mover, .. }, every, out, gcode, plot, .. } = plan;
    let open = |name: &Option<String>| name.as_deref().map(Sink::new).transpose();
    let mut plot_sink = plot.as_deref().map(Sink::for_picture).transpose()?;
    let (mut out_sink, mut gcode_sink) = (open(out)?, open(gcode)?);
    let timed = plan.motion.timed()?;
    let what = plan.motion.what();
    check_rows(timed.motion.duration(), *every)?;
    let named = format!("{}, {}", robot.name, order.path_name());
    let survey = Survey::of(mover, &timed.motion, 4000).map_err(|error| Failure::new(format!("{named}: {error}")))?;
    for (time, violation) in &survey.violations {
        // What the planner leaves between the points of its grid is its tolerance, not a mistake.
        if is_tolerated(violation) {
            continue;
        }
        let text = format!("{}, {what}, at t = {time:.4} s: {violation}", robot.name);
        if plan.enforce_limits {
            return Err(Failure::new(text).hint(match violation.quantity.is_driven() {
                true => "give more time, or none for the shortest",
                false => "give another --center, --direction or path",
            }));
        }
        say(&format!("warning: {text}"));
    }
    if let Some(sink) = &mut out_sink {
        let recording = record(mover, &timed.motion, *every)?;
        recording.write_csv(sink).map_err(|error| Failure::io("cannot write the motion", error))?;
    }
    if let Some(sink) = &mut gcode_sink {
        let kept = match (robot.kind().tool_turns, &timed.motion) {
            (_, RobotMotion::Turning(_)) => " centre, C in degrees",
            (ToolTurns::Freely, _) => ", kept turned as it is",
            _ => " centre",
        };
        let point = format!("{}{kept}", robot.kind().moved);
        sink.text(&to_gcode(&timed.motion, *every, &format!("{}: {what}", robot.name), &point))?;
    }
    if let Some(sink) = &mut plot_sink {
        sink.picture(&chart(mover, &timed.motion, format!("{}: {}", robot.name, order.path_name()), &what).draw())?;
    }
    for sink in [out_sink, gcode_sink, plot_sink].into_iter().flatten() {
        sink.finish()?;
    }
    // To standard output goes one thing: the summary, or the file that was asked for there.
    if [out, gcode, plot].into_iter().flatten().any(|name| name == "-") {
        return Ok(());
    }
    if plan.json {
        screen.json(&as_json(&plan.motion, &timed, &survey));
    } else {
        as_text(&plan.motion, &timed, &survey, screen);
        for (name, what) in [(out, "motion"), (gcode, "G-code"), (plot, "plot")] {
            if let Some(name) = name {
                screen.line(format!("  {what}: {name}"));
            }
        }
    }
    Ok(())
}

/// What moves less than this at its end rests there, m/s or rad/s.
const AT_REST: f64 = 1e-9;

/// The same place, at rest.
fn resting(target: &Target) -> Target {
    match target {
        Target::Tool(tool) => Target::Tool(ToolState { velocity: Twist::zero(), acceleration: Twist::zero(), ..*tool }),
        Target::Joints(joints) => Target::Joints(JointState::at_rest(joints.q.clone())),
    }
}

fn record(mover: &Mover, motion: &RobotMotion, every: f64) -> Result<Recording, Failure> {
    let units: Vec<_> = mover.joints().iter().map(|joint| joint.kind.units()).collect();
    let of_tool = motion.form() == Form::Tool;
    let turns = of_tool && mover.robot().kind().tool_turns == ToolTurns::AboutZ;
    let mut columns = vec![("t".to_owned(), "s", "time".to_owned())];
    if of_tool {
        for (prefix, unit, what, turn) in [
            ("", "m", "position", ("c", "rad", "angle of the tool")),
            ("v", "m/s", "velocity", ("cd", "rad/s", "its rate")),
            ("a", "m/s^2", "acceleration", ("cdd", "rad/s^2", "its acceleration")),
        ] {
            columns.extend(["x", "y", "z"].map(|axis| (format!("{prefix}{axis}"), unit, what.to_owned())));
            let (name, unit, what) = turn;
            columns.extend(turns.then(|| (name.to_owned(), unit, what.to_owned())));
        }
    }
    let mut each = |prefix: &str, what: &str, unit: fn(&JointUnits) -> &'static str| {
        let column = |(i, units): (usize, &JointUnits)| (format!("{prefix}{}", i + 1), unit(units), what.to_owned());
        columns.extend(units.iter().enumerate().map(column));
    };
    each("q", "joint position", |units| units.position);
    each("qd", "joint velocity", |units| units.speed);
    each("qdd", "joint acceleration", |units| units.acceleration);
    each("tau", "torque", |units| units.torque);
    let mut recording = Recording::new(columns).map_err(|error| Failure::new(error.to_string()))?;
    let steps = (motion.duration() / every - 1e-9).ceil().max(1.0) as usize;
    let end = motion.at(motion.duration());
    let turning = if let Target::Tool(tool) = &end { tool.velocity.angular } else { Vec3::zero() };
    let ends_at_rest = end.moved()[1].iter().chain(&turning.0).all(|speed| speed.abs() < AT_REST);
    for k in 0..=steps {
        // All steps are equal: a motion that ends between two rows rests in the last.
        let t = k as f64 * every;
        let (t, target) = match t > motion.duration() * (1.0 + 1e-9) {
            false => (t, motion.at(t.min(motion.duration()))),
            true if ends_at_rest => (t, resting(&end)),
            true => (motion.duration(), end.clone()),
        };
        let load = mover.load_of(&target).map_err(|error| Failure::new(format!("at t = {t:.4} s: {error}")))?;
        let mut row = vec![t];
        if let Target::Tool(_) = &target {
            // A joint of a fourth axis is the angle of the tool.
            let turn = [&load.joints.q, &load.joints.qd, &load.joints.qdd].map(|joints| joints.last().copied());
            for (moved, turn) in target.moved().into_iter().zip(turn) {
                row.extend_from_slice(moved);
                row.extend(turn.filter(|_| turns));
            }
        }
        row.extend([load.joints.q, load.joints.qd, load.joints.qdd, load.torque].iter().flat_map(|v| v.to_vec()));
        recording.push(&row).map_err(|error| Failure::new(error.to_string()))?;
    }
    Ok(recording)
}

/// The unit of what moves.
fn unit(form: Form, joints: &[Joint]) -> String {
    match form {
        Form::Tool => "m".to_owned(),
        Form::Joints => match units_of(joints, |units| units.position) {
            unit if unit.contains(' ') => format!("({unit})"),
            unit => unit,
        },
    }
}

fn chart(mover: &Mover, motion: &RobotMotion, title: String, subtitle: &str) -> Chart {
    const POINTS: usize = 1500;
    let (joints, unit) = (mover.joints().len(), unit(motion.form(), mover.joints()));
    let mut lines = vec![Vec::new(); 2 + joints];
    for (t, target) in motion.samples(POINTS) {
        let [_, velocity, acceleration] = target.moved();
        lines[0].push((t, length(velocity)));
        lines[1].push((t, length(acceleration)));
        if let Ok(load) = mover.load_of(&target) {
            for i in 0..joints {
                lines[2 + i].push((t, load.torque[i]));
            }
        }
    }
    let series =
        |name: &str, i: usize| Series { name: name.to_owned(), color: COLORS[i % COLORS.len()], width: 1.6, dash: "" };
    let panel = |title: &str, unit: String, which: std::ops::Range<usize>| Panel {
        title: title.to_owned(),
        y_label: unit,
        y_range: range_of(which.clone().flat_map(|i| lines[i].iter().map(|p: &(f64, f64)| p.1))),
        lines: which.map(|i| Line { series: i, points: lines[i].clone() }).collect(),
    };
    let mut legend = vec![series("speed", 0), series("acceleration", 1)];
    legend.extend((0..joints).map(|i| series(&format!("tau{}", i + 1), 2 + i)));
    Chart {
        title,
        subtitle: subtitle.to_owned(),
        x_label: "time, s".to_owned(),
        x_decades: false,
        x_range: (0.0, motion.duration()),
        columns: 1,
        panels: vec![
            panel("Speed", format!("{unit}/s"), 0..1),
            panel("Acceleration", format!("{unit}/s²"), 1..2),
            panel("Motor torques", units_of(mover.joints(), |units| units.torque), 2..2 + joints),
        ],
        series: legend,
        marks: Vec::new(),
        notes: Vec::new(),
    }
}

fn as_text(plan: &MotionPlan, timed: &Timed, survey: &Survey, screen: &mut Screen) {
    let unit = unit(plan.form(), plan.mover.joints());
    screen.heading(format!("{}: {}", plan.robot.name, plan.what()));
    let mut table = Table::new("ll");
    let strokes: Vec<String> = timed.strokes.iter().map(|&d| human(d, 4)).collect();
    table.row(["duration".to_owned(), format!("{} s", human(survey.duration, 4))]);
    if strokes.len() > 1 {
        table.row(["strokes".to_owned(), format!("{} s", strokes.join(", "))]);
        table.row(["per minute".to_owned(), human(60.0 / survey.duration, 4)]);
    }
    table.row(["length of a stroke".to_owned(), format!("{} {unit}", human(timed.length, 4))]);
    table.row(["speed".to_owned(), format!("at most {} {unit}/s", human(survey.peak_speed, 4))]);
    table.row(["acceleration".to_owned(), format!("at most {} {unit}/s²", human(survey.peak_acceleration, 4))]);
    let jerk = timed.motion.peak_jerk();
    if jerk.is_finite() {
        table.row(["jerk".to_owned(), format!("at most {} {unit}/s³", human(jerk, 5))]);
    }
    if let Some((unsmoothed, active)) = timed.optimal {
        table.row(["limit active".to_owned(), format!("{} % of the time", fixed(100.0 * active, 1))]);
        let cost = timed.strokes.iter().sum::<f64>() - unsmoothed;
        if cost > 1e-9 * unsmoothed {
            let percent = fixed(100.0 * cost / unsmoothed, 1);
            table.row(["beyond the optimum".to_owned(), format!("{} s ({percent} %)", human(cost, 3))]);
        }
    }
    screen.table(&table);
    screen.line("");
    let mut table = Table::new("lrrrrrr");
    let joints = plan.mover.joints();
    let unit = |of: fn(JointUnits) -> &'static str| units_of(joints, of);
    let (range, speed, torque) = (unit(|units| units.position), unit(|units| units.speed), unit(|units| units.torque));
    let range = format!("range, {}", range.replace("rad", "°"));
    let heads = [format!("speed, {speed}"), format!("torque, {torque}"), format!("RMS, {torque}")];
    let heads = [String::from("joint"), range].into_iter().chain(heads);
    table.head(heads.chain(["power, W", "of limit"].map(String::from)));
    for (i, (joint, Joint { kind, limits, .. })) in survey.joints.iter().zip(plan.mover.joints()).enumerate() {
        let share = (joint.peak_speed / limits.max_speed).max(joint.peak_torque / limits.max_torque);
        let [least, most] = joint.range;
        table.row([
            format!("{}", i + 1),
            match kind {
                JointKind::Revolute => format!("{} … {}", fixed(least.to_degrees(), 1), fixed(most.to_degrees(), 1)),
                JointKind::Prismatic => format!("{} … {} m", human(least, 4), human(most, 4)),
            },
            human(joint.peak_speed, 4),
            human(joint.peak_torque, 4),
            human(joint.rms_torque, 4),
            human(joint.peak_power, 4),
            // A robot file may have no limit.
            if share > 0.0 || limits.max_speed.min(limits.max_torque).is_finite() {
                format!("{} %", fixed(100.0 * share, 1))
            } else {
                String::from("no limit")
            },
        ]);
    }
    screen.table(&table);
}

fn as_json(plan: &MotionPlan, timed: &Timed, survey: &Survey) -> Value {
    json!({
        "robot": plan.robot.name,
        "path": plan.order.path,
        "profile": plan.order.profile.as_str(),
        "payload": plan.payload,
        "center": plan.center().map(|center| center.0),
        "held": plan.held,
        "length": timed.length,
        "duration": survey.duration,
        "strokes": timed.strokes,
        "unsmoothed": timed.optimal.map(|o| o.0),
        "limit_active": timed.optimal.map(|o| o.1),
        "peak_jerk": Some(timed.motion.peak_jerk()).filter(|jerk| jerk.is_finite()),
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
        "violations": violations_json(&survey.violations),
    })
}

/// The limits that a motion exceeds, and when.
pub fn violations_json<'v>(violations: impl IntoIterator<Item = &'v (f64, Violation)>) -> Value {
    let one = |(time, violation): &(f64, Violation)| {
        json!({
            "quantity": violation.quantity.as_str(),
            "joint": violation.joint,
            "value": violation.value,
            "limit": violation.limit,
            "time": time,
        })
    };
    violations.into_iter().map(one).collect()
}
