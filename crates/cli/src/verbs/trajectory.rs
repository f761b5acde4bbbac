//! `trajectory`: a motion as a table, as G-code, as a picture.

use super::motion::{MotionArguments, say_notes};
use crate::prelude::*;
use dalembert::motion::{JointSurvey, ProfileChoice};
use dalembert::robot::{Joint, JointKind, JointUnits, units_of};
use dalembert::verbs::Severity;
use dalembert::verbs::trajectory::{TrajectoryOutcome, TrajectoryRequest, trajectory};

#[derive(Args)]
#[command(after_help = "\
Motions of the tool by name: pick-and-place (25/305/25 mm, forth and back), pick-and-place-0.1kg, -1kg, -3kg, \
pick-and-place-700, semi-ellipse, line, circle, conveyor, falezza-conveyor, falezza-center, falezza-limits; or line:P/P, \
polyline:P/P/P, arc:P/P/P with points P = x,y,z. The tool of a serial arm keeps its --orientation. Joint \
motions, for every robot: swing, or joints:Q/Q/.. with poses Q = q1,q2,... docs/motion.md has the details.

Columns of --out: t, for a motion of the tool x,y,z, vx,vy,vz, ax,ay,az (with c, cd, cdd of a fourth axis), then q1.., qd1.., qdd1.., tau1... Rows are --every apart; \
without --every there is one more just before and one just after each jump of the acceleration; \
a motion that ends between two rows is at rest in the last one. The G-code is for \
LinuxCNC, in mm, with inverse-time feed (G93), which keeps the timing. An exceeded limit is a warning; an unreachable \
point is an error.

Examples:
  dalembert trajectory d3-1200                           a smooth pick-and-place cycle within the limits
  dalembert trajectory d3-1200 --profile time-optimal --plot fastest.svg
  dalembert trajectory d3-1200 --profile time-optimal --jerk 20000 --out motion.csv
  dalembert trajectory d3-1200 --path semi-ellipse --ratio 2 --duration 0.15 --gcode motion.ngc
  dalembert trajectory d3-1200 --path polyline:0,0,-0.9/0.1,0,-0.9/0.1,0.1,-0.8 --blend '30 mm' \\
      --profile double-s --speed 2 --acceleration 50 --jerk 3000 --out -
  dalembert trajectory puma560 --path joints:0,0,0,0,0,0/1,-0.5,0.5,0,0.5,0 --profile time-optimal
  dalembert trajectory puma560 --path circle --width 0.2 --orientation '180 deg,0,0' --out motion.csv")]
pub struct TrajectoryArguments {
    /// Time between rows, s  [default: 1 ms, and rows at each jump of the acceleration]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    every: Option<String>,
    /// Write the motion as CSV; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Write the motion as G-code
    #[arg(long, value_name = "FILE")]
    gcode: Option<String>,
    /// Write a plot: .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Treat an exceeded limit as an error
    #[arg(long)]
    enforce_limits: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    // Last, since its heading is for everything that follows.
    #[command(flatten)]
    motion: MotionArguments,
}

pub fn run(mut arguments: TrajectoryArguments, screen: &mut Screen) -> Result<(), Failure> {
    let robot = arguments.motion.robot.find()?;
    arguments.motion.order.read_points(&robot)?;
    let request = TrajectoryRequest {
        motion: arguments.motion.request(robot, ProfileChoice::SineOnRamp { ratio: 1.0 })?,
        every: arguments.every.as_deref().map(|every| positive("every", every, Dimension::Time)).transpose()?,
        enforce_limits: arguments.enforce_limits,
    };
    let files = Files::open("motion", &arguments.out)?.and("G-code", &arguments.gcode)?;
    let mut files = files.and("plot", &arguments.plot)?;
    files.refuse_json(arguments.json)?;
    let outcome = trajectory(&request, &mut Progress::start("planning the motion"))?;
    say_notes(&outcome);
    let caption = outcome.plan.setup.caption();
    for finding in outcome.findings().iter().filter(|finding| finding.severity == Severity::Warning) {
        say(&format!("warning: {}, {caption}, {}", outcome.robot, finding.message));
    }
    files.write("motion", |sink| sink.csv(&outcome.recording()?))?;
    files.write("G-code", |sink| sink.text(&outcome.gcode()?))?;
    files.write("plot", |sink| sink.picture(&outcome.chart().draw()))?;
    files.show(screen, &outcome, arguments.json, Names::Listed, |screen| as_text(&outcome, screen))
}

fn as_text(outcome: &TrajectoryOutcome, screen: &mut Screen) {
    let unit = outcome.unit();
    screen.heading(format!("{}: {}", outcome.robot, outcome.plan.setup.caption()));
    let strokes: Vec<String> = outcome.strokes.iter().map(|&d| human(d, 4)).collect();
    let mut figures = vec![("duration", format!("{} s", human(outcome.duration, 4)))];
    if strokes.len() > 1 {
        figures.push(("strokes", format!("{} s", strokes.join(", "))));
        figures.push(("per minute", human(60.0 / outcome.duration, 4)));
    }
    figures.push(("length of a stroke", format!("{} {unit}", human(outcome.length, 4))));
    figures.push(("speed", format!("at most {} {unit}/s", human(outcome.peak_speed, 4))));
    figures.push(("acceleration", format!("at most {} {unit}/s²", human(outcome.peak_acceleration, 4))));
    figures.extend(outcome.peak_jerk.map(|jerk| ("jerk", format!("at most {} {unit}/s³", human(jerk, 5)))));
    if let (Some(unsmoothed), Some(active)) = (outcome.unsmoothed, outcome.limit_active) {
        figures.push(("limit active", format!("{} % of the time", fixed(100.0 * active, 1))));
        let cost = outcome.strokes.iter().sum::<f64>() - unsmoothed;
        if cost > 1e-9 * unsmoothed {
            let percent = fixed(100.0 * cost / unsmoothed, 1);
            figures.push(("beyond the optimum", format!("{} s ({percent} %)", human(cost, 3))));
        }
    }
    screen.table(&Table::list(figures));
    screen.line("");
    let joints = &outcome.plan.setup.mover.joints;
    let unit = |of: fn(JointUnits) -> &'static str| units_of(joints, of);
    let (range, speed, torque) = (unit(|units| units.position), unit(|units| units.speed), unit(|units| units.torque));
    let row = |(i, (joint, Joint { kind, limits, .. })): (usize, (&JointSurvey, &Joint))| {
        let [least, most] = joint.range;
        let range = match kind {
            JointKind::Revolute => format!("{} … {}", fixed(least.to_degrees(), 1), fixed(most.to_degrees(), 1)),
            JointKind::Prismatic => format!("{} … {} m", human(least, 4), human(most, 4)),
        };
        let peaks =
            [joint.peak_speed, joint.peak_torque, joint.rms_torque, joint.peak_power].map(|peak| human(peak, 4));
        // A robot file may have no limit.
        let has_limit = limits.max_speed.min(limits.max_torque).is_finite();
        let share = match (joint.peak_speed / limits.max_speed).max(joint.peak_torque / limits.max_torque) {
            share if share > 0.0 || has_limit => format!("{} %", fixed(100.0 * share, 1)),
            _ => String::from("no limit"),
        };
        [(i + 1).to_string(), range].into_iter().chain(peaks).chain([share])
    };
    let range = format!("range, {}", range.replace("rad", "°"));
    let [torque, rms] = ["torque", "RMS"].map(|of| format!("{of}, {torque}"));
    let head = ["joint", &range, &format!("speed, {speed}"), &torque, &rms, "power, W", "of limit"];
    screen.table(&Table::of("lrrrrrr", head, outcome.joints.iter().zip(joints).enumerate().map(row)));
}
