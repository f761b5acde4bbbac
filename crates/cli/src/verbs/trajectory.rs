//! `trajectory`: a motion as a table, as G-code, as a picture.

use super::motion::{MotionArguments, MotionPlan, positive};
use super::motion_arm::{ArmPlan, JointsPlan};
use crate::failure::{Failure, say};
use crate::output::{Screen, Sink, Table, fixed, human, resolve};
use clap::Args;
use dalembert::AnyRobot;
use dalembert::delta::Limits;
use dalembert::describe::{Described, Dimension};
use dalembert::motion::{LawName, Machine, Motion, Point, Quantity, Survey, Workspace, to_gcode};
use dalembert::report::chart::{COLORS, Chart, Line, Panel, Series, range_of};
use dalembert::report::recording::Recording;
use serde_json::{Value, json};

#[derive(Args)]
#[command(mut_arg("profile", |profile| profile.alias("law")))]
#[command(after_help = "\
Motions by name: door (25/305/25 mm, forth and back), door-0.1kg, door-1kg, door-3kg, door-700, semi-ellipse, line, \
circle, conveyor, falezza-conveyor, falezza-center, falezza-limits: docs/motion.md.

Columns of --out: t, x,y,z, vx,vy,vz, ax,ay,az, q1.., qd1.., qdd1.., tau1... The G-code is LinuxCNC's, in mm, with \
inverse-time feed (G93), so that it keeps the timing. A passed limit is a warning; out of reach is an error.

A serial arm moves in its joints: swing, line:Q/Q or polyline:Q/Q/Q with Q = q1,q2,..; columns t, q1.., qd1.., qdd1.., \
tau1... An arm like the PUMA 560 also moves its tool, kept turned as --orientation says, along the names above and \
line:P/P, polyline:P/P/P, arc:P/P/P with P = x,y,z.

Examples:
  dalembert trajectory d3-1200                           the door, as fast as it goes smoothly
  dalembert trajectory d3-1200 --profile time-optimal --plot fastest.svg
  dalembert trajectory d3-1200 --profile time-optimal --jerk 20000 --out motion.csv
  dalembert trajectory d3-1200 --path semi-ellipse --ratio 2 --duration 0.15 --gcode motion.ngc
  dalembert trajectory d3-1200 --path polyline:0,0,-0.9/0.1,0,-0.9/0.1,0.1,-0.8 --blend '30 mm' \\
      --profile double-s --speed 2 --acceleration 50 --jerk 3000 --out -
  dalembert trajectory puma560 --path line:0,0,0,0,0,0/1,-0.5,0.5,0,0.5,0 --profile time-optimal
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
    /// Treat a passed limit as an error
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
    subject: Subject,
    outputs: Outputs,
    enforce_limits: bool,
    json: bool,
}

enum Subject {
    Delta(Box<MotionPlan>),
    Arm(Box<ArmPlan>),
}

/// Where the motion goes.
pub struct Outputs {
    every: f64,
    out: Option<String>,
    gcode: Option<String>,
    plot: Option<String>,
}

impl TrajectoryArguments {
    pub fn plan(self) -> Result<TrajectoryPlan, Failure> {
        let names: Vec<&String> = [&self.out, &self.gcode, &self.plot].into_iter().flatten().collect();
        for (i, name) in names.iter().enumerate() {
            let same =
                |other: &&String| other == name || (*name != "-" && *other != "-" && resolve(other) == resolve(name));
            if names[..i].iter().any(same) {
                return Err(Failure::new(format!("two outputs cannot both go to {name}")));
            }
        }
        if self.json && names.iter().any(|name| *name == "-") {
            return Err(Failure::new(crate::output::TWICE));
        }
        let robot = AnyRobot::find(&self.motion.robot)?;
        crate::arguments::tell_warnings(&self.motion.robot, robot.warnings());
        let subject = match robot {
            AnyRobot::Delta(robot) => Subject::Delta(Box::new(self.motion.plan_for(*robot, LawName::SineOnRamp)?)),
            AnyRobot::Serial(robot) => {
                let plan = ArmPlan::new(&self.motion, *robot, LawName::SineOnRamp)?;
                if self.gcode.is_some() && matches!(plan, ArmPlan::Joints(_)) {
                    return Err(Failure::new("G-code moves a point, and this is a motion of joints")
                        .hint("a path of the tool, as in --path door or line:P/P with points x,y,z"));
                }
                Subject::Arm(Box::new(plan))
            }
        };
        let every = positive("every", &self.every, Dimension::Time)?;
        let outputs = Outputs { every, out: self.out, gcode: self.gcode, plot: self.plot };
        Ok(TrajectoryPlan { subject, outputs, enforce_limits: self.enforce_limits, json: self.json })
    }
}

/// A motion with everything that is to be told of it.
pub struct Done {
    /// Robot, path, law.
    pub head: serde_json::Map<String, Value>,
    pub robot: String,
    pub what: String,
    pub strokes: Vec<f64>,
    pub optimal: Option<(f64, f64)>,
    /// Along the path; infinite where the acceleration jumps.
    pub jerk: f64,
    pub survey: Survey,
    pub limits: Vec<Limits>,
    recording: Option<Recording>,
    gcode: Option<String>,
    chart: Option<Chart>,
    /// Unit of the point that moves.
    unit: &'static str,
}

/// What is known of a motion before it is surveyed.
pub struct About {
    pub head: serde_json::Map<String, Value>,
    pub robot: String,
    pub path: String,
    pub what: String,
    pub strokes: Vec<f64>,
    pub optimal: Option<(f64, f64)>,
    pub jerk: f64,
}

/// More rows than anybody reads.
const MOST_ROWS: f64 = 1e7;

impl Outputs {
    /// Refuses what nobody could wait for.
    pub fn check_rows(&self, duration: f64) -> Result<(), Failure> {
        let rows = duration / self.every;
        if rows > MOST_ROWS {
            return Err(Failure::new(format!("{rows:.0} rows are too many")).hint("give a larger --every"));
        }
        if rows < 1.0 {
            return Err(Failure::new(format!("--every is {} s, but the motion takes {duration:.4} s", self.every)));
        }
        Ok(())
    }

    /// Surveys a motion and makes what is asked for of it.
    pub fn make<M: Machine>(
        &self,
        machine: &M,
        motion: &(impl Motion<Point = M::Point> + ?Sized),
        about: About,
        unit: &'static str,
    ) -> Result<Done, Failure> {
        let About { head, robot, path, what, strokes, optimal, jerk } = about;
        let survey = Survey::of(machine, motion, 4000).map_err(|e| Failure::new(format!("{robot}, {path}: {e}")))?;
        let recording = self.out.as_ref().map(|_| record(machine, motion, self.every, unit == "m")).transpose()?;
        let chart = self.plot.as_ref().map(|_| chart(machine, motion, unit, format!("{robot}: {path}"), &what));
        let limits = machine.limits().to_vec();
        Ok(Done { head, robot, what, strokes, optimal, jerk, survey, limits, recording, gcode: None, chart, unit })
    }
}

/// A motion of a point: of a platform, or of a tool.
fn of_point<R: Described, W: Workspace>(
    plan: &MotionPlan<R, W>,
    outputs: &Outputs,
    point: &str,
) -> Result<Done, Failure> {
    let timed = plan.timed()?;
    outputs.check_rows(timed.motion.duration())?;
    let name = plan.robot.name().to_owned();
    let mut head = json!({
        "robot": name,
        "path": plan.order.path,
        "profile": plan.order.law.as_str(),
        "payload": plan.payload,
        "center": plan.order.placement(&plan.machine).center.0,
    });
    if let Some(held) = &plan.held {
        head["held"] = json!(held);
    }
    let comment = format!("{name}: {}", plan.what());
    let about = About {
        head: head.as_object().cloned().unwrap_or_default(),
        robot: name,
        path: plan.order.path.clone(),
        what: plan.what(),
        strokes: timed.strokes,
        optimal: timed.optimal,
        jerk: timed.jerk,
    };
    let gcode = outputs.gcode.as_ref().map(|_| to_gcode(&timed.motion, outputs.every, &comment, point));
    let done = outputs.make(&plan.machine, &timed.motion, about, "m")?;
    Ok(Done { gcode, ..done })
}

/// A motion of joints.
fn of_joints(plan: &JointsPlan, outputs: &Outputs) -> Result<Done, Failure> {
    let timed = plan.timed()?;
    outputs.check_rows(timed.motion.duration())?;
    let head = json!({
        "robot": plan.robot.name,
        "path": plan.order.path,
        "profile": plan.order.law.as_str(),
        "payload": plan.payload,
        "length": timed.length,
    });
    let about = About {
        head: head.as_object().cloned().unwrap_or_default(),
        robot: plan.robot.name.clone(),
        path: plan.order.path.clone(),
        what: plan.what(&timed),
        strokes: timed.strokes,
        optimal: timed.optimal,
        jerk: timed.jerk,
    };
    outputs.make(&plan.machine, &timed.motion, about, "rad")
}

pub fn run(plan: &TrajectoryPlan, screen: &mut Screen) -> Result<(), Failure> {
    let Outputs { out, gcode, plot, .. } = &plan.outputs;
    let open = |name: &Option<String>| name.as_deref().map(Sink::new).transpose();
    let mut plot_sink = plot.as_deref().map(Sink::for_picture).transpose()?;
    let (mut out_sink, mut gcode_sink) = (open(out)?, open(gcode)?);
    let done = match &plan.subject {
        Subject::Delta(motion) => of_point(motion, &plan.outputs, "platform centre")?,
        Subject::Arm(motion) => match &**motion {
            ArmPlan::Joints(motion) => of_joints(motion, &plan.outputs)?,
            ArmPlan::Tool(motion) => of_point(motion, &plan.outputs, "tool, kept turned as it is")?,
        },
    };
    for (time, passed) in &done.survey.passed {
        // What the planner leaves between the points of its grid is its tolerance, not a mistake.
        if passed.is_tolerated() {
            continue;
        }
        let text = format!("{}, {}, at t = {time:.4} s: {passed}", done.robot, done.what);
        if plan.enforce_limits {
            return Err(Failure::new(text).hint(match passed.quantity {
                Quantity::Speed | Quantity::Torque => "give more time, or none for the shortest",
                Quantity::JointAngle | Quantity::BallAngle => "give another --center, --direction or path",
            }));
        }
        say(&format!("warning: {text}"));
    }
    if let (Some(sink), Some(recording)) = (&mut out_sink, &done.recording) {
        recording.write_csv(sink).map_err(|error| Failure::io("cannot write the motion", error))?;
    }
    if let (Some(sink), Some(gcode)) = (&mut gcode_sink, &done.gcode) {
        sink.text(gcode)?;
    }
    if let (Some(sink), Some(chart)) = (&mut plot_sink, &done.chart) {
        sink.picture(&chart.draw())?;
    }
    for sink in [out_sink, gcode_sink, plot_sink].into_iter().flatten() {
        sink.finish()?;
    }
    // To standard output goes one thing: the summary, or the file that was asked for there.
    if [out, gcode, plot].into_iter().flatten().any(|name| name == "-") {
        return Ok(());
    }
    if plan.json {
        screen.json(&as_json(&done));
    } else {
        as_text(&done, screen);
        for (name, what) in [(out, "motion"), (gcode, "G-code"), (plot, "plot")] {
            if let Some(name) = name {
                screen.line(format!("  {what}: {name}"));
            }
        }
    }
    Ok(())
}

fn record<M: Machine>(
    machine: &M,
    motion: &(impl Motion<Point = M::Point> + ?Sized),
    every: f64,
    cartesian: bool,
) -> Result<Recording, Failure> {
    let joints = machine.limits().len();
    let mut columns = vec![("t".to_owned(), "s", "time".to_owned())];
    if cartesian {
        for (prefix, unit, what) in [("", "m", "position"), ("v", "m/s", "velocity"), ("a", "m/s^2", "acceleration")] {
            columns.extend(["x", "y", "z"].map(|axis| (format!("{prefix}{axis}"), unit, what.to_owned())));
        }
    }
    for (prefix, unit, what) in [
        ("q", "rad", "joint angle"),
        ("qd", "rad/s", "joint velocity"),
        ("qdd", "rad/s^2", "joint acceleration"),
        ("tau", "N m", "torque"),
    ] {
        columns.extend((1..=joints).map(|i| (format!("{prefix}{i}"), unit, what.to_owned())));
    }
    let mut recording = Recording::new(columns).map_err(|error| Failure::new(error.to_string()))?;
    let steps = (motion.duration() / every - 1e-9).ceil().max(1.0) as usize;
    for k in 0..=steps {
        let t = (k as f64 * every).min(motion.duration());
        let state = motion.at(t);
        let load = machine.load(&state).map_err(|error| Failure::new(format!("at t = {t:.4} s: {error}")))?;
        let mut row = vec![t];
        if cartesian {
            row.extend(
                [state.position, state.velocity, state.acceleration].iter().flat_map(|v| v.components().to_vec()),
            );
        }
        row.extend([load.q, load.qd, load.qdd, load.torque].iter().flat_map(|v| v[..joints].to_vec()));
        recording.push(&row).map_err(|error| Failure::new(error.to_string()))?;
    }
    Ok(recording)
}

fn chart<M: Machine>(
    machine: &M,
    motion: &(impl Motion<Point = M::Point> + ?Sized),
    unit: &str,
    title: String,
    subtitle: &str,
) -> Chart {
    const POINTS: usize = 1500;
    let joints = machine.limits().len();
    let mut lines = vec![Vec::new(); 2 + joints];
    for k in 0..=POINTS {
        let t = motion.duration() * k as f64 / POINTS as f64;
        let state = motion.at(t);
        lines[0].push((t, state.velocity.length()));
        lines[1].push((t, state.acceleration.length()));
        if let Ok(load) = machine.load(&state) {
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
            panel("Motor torques", "N m".to_owned(), 2..2 + joints),
        ],
        series: legend,
        marks: Vec::new(),
        notes: Vec::new(),
    }
}

fn as_text(done: &Done, screen: &mut Screen) {
    let Done { survey, unit, .. } = done;
    screen.heading(format!("{}: {}", done.robot, done.what));
    let mut table = Table::new("ll");
    let strokes: Vec<String> = done.strokes.iter().map(|&d| fixed(d, 4)).collect();
    table.row(["duration".to_owned(), format!("{} s", fixed(survey.duration, 4))]);
    if strokes.len() > 1 {
        table.row(["strokes".to_owned(), format!("{} s", strokes.join(", "))]);
        table.row(["per minute".to_owned(), fixed(60.0 / survey.duration, 1)]);
    }
    table.row(["speed".to_owned(), format!("at most {} {unit}/s", fixed(survey.peak_speed, 3))]);
    table.row(["acceleration".to_owned(), format!("at most {} {unit}/s²", fixed(survey.peak_acceleration, 1))]);
    if let Some((unsmoothed, active)) = done.optimal {
        table.row(["limit active".to_owned(), format!("{} % of the time", fixed(100.0 * active, 1))]);
        if done.jerk.is_finite() {
            table.row(["jerk".to_owned(), format!("at most {} {unit}/s³ along the path", human(done.jerk, 5))]);
        }
        let cost = done.strokes.iter().sum::<f64>() - unsmoothed;
        if cost > 1e-9 * unsmoothed {
            let percent = fixed(100.0 * cost / unsmoothed, 1);
            table.row(["beyond the optimum".to_owned(), format!("{} s ({percent} %)", fixed(cost, 4))]);
        }
    }
    screen.table(&table);
    screen.line("");
    let mut table = Table::new("lrrrrrr");
    table.head(["joint", "range, °", "speed, rad/s", "torque, N m", "RMS, N m", "power, W", "of limit"]);
    for (i, (joint, limits)) in survey.joints.iter().zip(&done.limits).enumerate() {
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
}

fn as_json(done: &Done) -> Value {
    let Done { survey, .. } = done;
    let mut all = done.head.clone();
    let rest = json!({
        "duration": survey.duration,
        "strokes": done.strokes,
        "unsmoothed": done.optimal.map(|o| o.0),
        "limit_active": done.optimal.map(|o| o.1),
        "peak_jerk": done.jerk.is_finite().then_some(done.jerk),
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
            "quantity": passed.quantity.as_str(),
            "joint": passed.joint,
            "value": passed.value,
            "limit": passed.limit,
        })).collect::<Vec<_>>(),
    });
    all.extend(rest.as_object().cloned().unwrap_or_default());
    Value::Object(all)
}
