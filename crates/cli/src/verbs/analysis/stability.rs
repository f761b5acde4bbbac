//! `stability`: does a robot stay where constant torques hold it?

use super::{ChangeArguments, list, say_sticking};
use crate::prelude::*;
use dalembert::verbs::stability::{
    EquilibriumPose, GeneralStability, PoseStability, StabilityOutcome, StabilityRequest, SymmetricStability, stability,
};

#[derive(Args)]
#[command(after_help = "\
Held by a constant torque, a Delta is unstable in a large part of its workspace (Bortoff 2018). Only the stiffness decides; \
damping slows a fall and does not prevent it. Dry friction is left out: with it the robot sticks. Maps: `dalembert map ROBOT stability`. \
For other robots, poses on the axis of the workspace are reported, or the home pose.

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
    /// Draw stiffness and growth over the angle of all arms: .svg or .png
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
    let mut files = Files::open("plot", &arguments.plot)?;
    let joints = robot.joints().len();
    let torque = arguments.torque.as_deref().map(|text| list("torque", text, Dimension::Torque, joints)).transpose()?;
    let outcome = stability(&StabilityRequest { robot, torque }, &mut ())?;
    files.write("plot", |sink| sink.picture(&outcome.chart()?.draw()))?;
    files.show(screen, &outcome, arguments.json, Names::Apart, |screen| {
        let (found, heading) = match &outcome {
            StabilityOutcome::Symmetric(own) => {
                symmetric(own, screen);
                (&own.equilibria, "Equilibria found under this torque (elbows out, platform below)")
            }
            StabilityOutcome::General(own) => {
                general(own, screen);
                (&own.equilibria, "Equilibria found under this torque from these poses")
            }
        };
        if let Some(found) = found {
            screen.section(heading, &equilibria(joints, found));
            if found.is_empty() {
                screen.line("  none");
            }
        }
    })
}

/// Least stiffness, growth, least gain.
fn numbers(pose: &PoseStability) -> [String; 3] {
    [pose.stiffnesses[0], pose.growth, pose.least_gain].map(|x| human(x, 4))
}

fn symmetric(own: &SymmetricStability, screen: &mut Screen) {
    screen.heading(format!("{}: stability under a constant torque, all arms at one angle", own.name));
    match &own.not_symmetric {
        Some(reason) => screen.line(format!("  no symmetric pose: {reason}")),
        None if own.symmetric_crossings.is_empty() => screen.line("  the heave mode does not change anywhere"),
        None => {
            for (i, crossing) in own.symmetric_crossings.iter().enumerate() {
                let closed = own.closed_form.get(i).map_or(String::from("none"), |c| format!("{:.4}°", c.to_degrees()));
                let words = if crossing.stable_above { ["falls", "oscillates"] } else { ["oscillates", "falls"] };
                let angle = crossing.angle.to_degrees();
                screen.line(format!(
                    "  heave: {} below {angle:.4}° (closed form {closed}), {} above it",
                    words[0], words[1]
                ));
            }
        }
    }
    say_sticking(screen, own.dry_friction.as_ref(), false);
    screen.line("");
    let mut table = Table::new("rrrrrl");
    table.head(["angle", "least stiffness", "heave", "growth", "least gain", ""]);
    table.head(["deg", "N m/rad", "N m/rad", "1/s", "N m/rad", ""]);
    for pose in &own.symmetric_poses {
        let heave = if own.not_symmetric.is_none() { human(pose.stability.heave, 4) } else { String::new() };
        let [least, growth, gain] = numbers(&pose.stability);
        table.row([human(pose.degrees, 3), least, heave, growth, gain, pose.stability.verdict.to_owned()]);
    }
    screen.table(&table);
    if let Some(pose) = own.symmetric_poses.first() {
        let zero = pose.stability.zero_poles_with_gravity_compensation;
        let what = if zero > 3 { "drifts on when pushed" } else { "stays where it is pushed" };
        screen.line("");
        screen.line(format!(
            "  With gravity compensation alone the stiffness is zero everywhere: {zero} of 6 poles are zero; the robot {what}."
        ));
    }
}

fn general(own: &GeneralStability, screen: &mut Screen) {
    screen.heading(format!("{}: stability under a constant torque, in the middle of its workspace", own.name));
    say_sticking(screen, own.dry_friction.as_ref(), false);
    let mut table = Table::new("rrrrl");
    table.head(["z", "least stiffness", "growth", "least gain", ""]);
    table.head(["m", &own.unit, "1/s", &own.unit, ""]);
    for pose in &own.poses {
        let [least, growth, gain] = numbers(&pose.stability);
        table.row([human(pose.position[2], 4), least, growth, gain, pose.stability.verdict.to_owned()]);
    }
    screen.table(&table);
}

fn equilibria(count: usize, found: &[EquilibriumPose]) -> Table {
    let row = |e: &EquilibriumPose| {
        let range = if e.within_joint_ranges { "" } else { "beyond the joint ranges" };
        let rest = [human(e.position[2], 5), human(e.stiffness, 4), human(e.growth, 4)];
        let rest = rest.into_iter().chain([e.verdict.to_owned(), range.to_owned()]);
        e.joints.iter().map(|q| human(*q, 5)).chain(rest).collect::<Vec<_>>()
    };
    let head = ["z, m", "stiffness", "growth, 1/s", "", ""].map(str::to_owned);
    let head = (1..=count).map(|i| format!("q{i}")).chain(head);
    Table::of(&format!("{}rrrll", "r".repeat(count)), head, found.iter().map(row))
}
