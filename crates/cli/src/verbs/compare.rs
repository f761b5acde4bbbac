//! `compare`: the published models against the exact one over a motion.

use super::motion::positive;
use super::source::DeltaRow;
use crate::arguments::ComparePlan;
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, fixed, human};
use crate::progress::Progress;
use dalembert::analyze::Reach;
use dalembert::analyze::compare::{Comparison, Difference, Summary, Timed, compare, compare_arm, pick_and_place};
use dalembert::analyze::cost::{Cost, Verdict, costs};
use dalembert::analyze::map::{Grid, Plane, map};
use dalembert::analyze::report::{CostReport, Figure};
use dalembert::analyze::sensitivity::ArmState;
use dalembert::delta::{Branch, ModelName};
use dalembert::describe::Dimension;
use dalembert::motion::{Direction, Law, Motion, PickAndPlace, Polyline, Travel};
use dalembert::robot::map::{Kind, MapOptions};
use dalembert::robot::{Family, Pick};
use dalembert::{AnyRobot, Robot, SerialRobot, Vec3};
use serde_json::{Value, json};

/// A robot that has been through its motion.
struct Subject {
    name: String,
    /// The motion in words.
    what: String,
    motion: Value,
    marks: Vec<(f64, String)>,
    comparison: Comparison,
    /// Where the maps are, of a Delta.
    delta: Option<(Box<Robot>, f64)>,
}

pub fn run(plan: &ComparePlan, screen: &mut Screen) -> Result<(), Failure> {
    // All files can be written, or nothing is computed.
    let open = |name: &Option<String>| name.as_deref().map(Sink::new).transpose();
    let (mut csv, mut report) = (open(&plan.csv)?, open(&plan.report)?);
    let mut plot = plan.plot.as_deref().map(Sink::for_picture).transpose()?;
    let progress = Progress::start("running the models over the motion");
    let subject = match &plan.robot {
        AnyRobot::Delta(robot) => delta(plan, robot.clone())?,
        AnyRobot::Serial(robot) => arm(plan, robot)?,
    };
    let Subject { name, what, comparison, .. } = &subject;
    let omega = plan.bandwidth * std::f64::consts::TAU;
    let costs = costs(comparison, omega).map_err(|error| Failure::new(format!("{name}: {error}")))?;
    if let Some(sink) = &mut csv {
        sink.text(&comparison.to_csv())?;
    }
    if let Some(sink) = &mut plot {
        let title = format!("{name}: the published models over {}", kind_of(plan));
        sink.picture(&comparison.to_chart(&title, what, subject.marks.clone()).draw())?;
    }
    if let (Some(sink), Some(file)) = (&mut report, &plan.report) {
        let markdown = file.to_ascii_lowercase().ends_with(".md");
        let (figures, point) = match &subject.delta {
            Some((robot, z)) if !markdown => (maps(plan, robot, *z, comparison, &costs), "platform"),
            Some(_) => (Vec::new(), "platform"),
            None => (Vec::new(), "tool"),
        };
        let text = CostReport { robot: name, motion: what, point, omega, comparison, costs: &costs, figures };
        sink.text(&if markdown { text.to_markdown() } else { text.to_html(subject.marks.clone()) })?;
    }
    progress.end();
    for sink in [csv, plot, report].into_iter().flatten() {
        sink.finish()?;
    }
    // To standard output goes one thing: the report, or the file that was asked for there.
    let report = [&plan.csv, &plan.plot].into_iter().flatten().all(|name| name != "-");
    if report && plan.json {
        screen.json(&as_json(plan, &subject, &costs));
    } else if report {
        as_text(plan, &subject, &costs, screen);
    }
    Ok(())
}

fn kind_of(plan: &ComparePlan) -> &'static str {
    match plan.robot {
        AnyRobot::Delta(_) if !plan.is_given() => "a pick-and-place",
        _ => "a motion",
    }
}

/// An option that the motion has no use for is a mistake.
fn refuse_stroke_options(plan: &ComparePlan, why: &str) -> Result<(), Failure> {
    let given = [
        (plan.width.is_some(), "--width"),
        (plan.height.is_some(), "--height"),
        (plan.z.is_some(), "--z"),
        (plan.samples.is_some(), "--samples"),
        (plan.states.is_some() && plan.duration.is_some(), "--duration"),
        (plan.branch_is_given && matches!(plan.robot, AnyRobot::Serial(_)), "--branch"),
    ];
    match given.iter().find(|(given, _)| *given) {
        Some((_, option)) => Err(Failure::new(format!("{option} does not go with {why}"))),
        None => Ok(()),
    }
}

/// The time of a row, which a tracking error needs.
fn time(t: Option<f64>) -> Result<f64, Failure> {
    t.ok_or_else(|| {
        Failure::new("the table has no column `t`").hint("tracking errors need times; `trajectory --out` writes them")
    })
}

fn delta(plan: &ComparePlan, robot: Box<Robot>) -> Result<Subject, Failure> {
    if plan.is_given() {
        refuse_stroke_options(plan, "--motion or --states")?;
        return delta_along(plan, robot);
    }
    let branch: Branch = plan.branch.into();
    let reach = Reach::of(&robot.delta);
    let z = plan.z.unwrap_or(reach.center[2]);
    let (width, height) = (plan.width.unwrap_or(0.3), plan.height.unwrap_or(0.025));
    let duration =
        plan.duration.as_deref().map_or(Ok(1.0 / 6.0), |text| positive("duration", text, Dimension::Time))?;
    let samples = plan.samples.unwrap_or(500);
    let motions = [Direction::X, Direction::Y].map(|direction| PickAndPlace {
        center: Vec3::new(0.0, 0.0, z),
        width,
        height,
        duration,
        direction,
    });
    let comparison = compare(&robot.delta, branch, &pick_and_place(&motions, samples)).map_err(|error| {
        let direction = if error.t < 2.0 * duration { "x" } else { "y" };
        Failure::new(format!("{}, stroke along {direction}: {error}", robot.name)).hint(format!(
            "on its axis this robot reaches z = {} … {} m, and {} m around z = {} m: change --z, --width or --height",
            human(reach.lowest, 4),
            human(reach.highest, 4),
            human(reach.radius, 4),
            human(reach.center[2], 4)
        ))
    })?;
    let what = format!(
        "{} × {} mm in {} s, forth and back along x, then y, at z = {} m",
        human(width * 1e3, 4),
        human(height * 1e3, 4),
        human(duration, 4),
        human(z, 4)
    );
    let motion =
        json!({ "width": width, "height": height, "duration": duration, "z": z, "samples_per_stroke": samples });
    let marks = vec![(0.0, "along x".to_owned()), (2.0 * duration, "along y".to_owned())];
    Ok(Subject { name: robot.name.clone(), what, motion, marks, comparison, delta: Some((robot, z)) })
}

/// Along a motion by name or from a file.
fn delta_along(plan: &ComparePlan, mut robot: Box<Robot>) -> Result<Subject, Failure> {
    let branch: Branch = plan.branch.into();
    let found = plan.source.delta(plan.states.as_deref(), &mut robot, plan.duration.as_deref(), None, plan.branch)?;
    let Some(motion) = found else { return Err(Failure::new("no motion")) };
    let timed = |row: DeltaRow| {
        if row.branches != [branch; 3] {
            let when = row.t.map_or(String::new(), |t| format!("t = {} s: ", human(t, 4)));
            return Err(Failure::new(format!("{when}the elbows are not all on the branch `{}`", name_of(branch)))
                .hint("`--branch in` if they all point inward; the published models know no mixed elbows"));
        }
        Ok(Timed { t: time(row.t)?, state: row.state, force: row.force })
    };
    let states = motion.rows.into_iter().map(timed).collect::<Result<Vec<_>, Failure>>()?;
    let comparison = compare(&robot.delta, branch, &states)
        .map_err(|error| Failure::new(format!("{}, {}: {error}", robot.name, motion.what)))?;
    // The maps show the height at which the robot is most.
    let z = states.iter().map(|timed| timed.state.position[2]).sum::<f64>() / states.len() as f64;
    let json = json!({ "what": motion.what, "states": states.len(), "payload": robot.delta.parameters().payload_mass });
    let name = robot.name.clone();
    Ok(Subject { name, what: motion.what, motion: json, marks: Vec::new(), comparison, delta: Some((robot, z)) })
}

fn name_of(branch: Branch) -> &'static str {
    match branch {
        Branch::Out => "out",
        Branch::In => "in",
    }
}

fn arm(plan: &ComparePlan, robot: &SerialRobot) -> Result<Subject, Failure> {
    refuse_stroke_options(plan, "a serial arm")?;
    let (what, rows) = match plan.source.arm(plan.states.as_deref(), robot, plan.duration.as_deref())? {
        Some(motion) => {
            let rows = motion.rows.into_iter().map(|(t, state)| Ok((time(t)?, state)));
            (motion.what, rows.collect::<Result<Vec<_>, Failure>>()?)
        }
        None => usual(plan, robot)?,
    };
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}, {what}: {error}", robot.name));
    let comparison = compare_arm(robot, &rows).map_err(|error| failed(&error))?;
    if comparison.models.iter().all(|(_, result)| result.is_err()) {
        // All are of the same arm, so one reason tells.
        let reason =
            comparison.models.iter().find_map(|(_, result)| result.as_ref().err()).cloned().unwrap_or_default();
        return Err(Failure::new(format!("{}: no published model is for this arm: {reason}", robot.name))
            .hint("Armstrong's models are for arms like the PUMA 560; `derive` writes an exact program of any arm"));
    }
    let motion = json!({ "what": what, "states": rows.len() });
    Ok(Subject { name: robot.name.clone(), what, motion, marks: Vec::new(), comparison, delta: None })
}

/// Without a motion: once through the middle half of the joint ranges, at most 2 rad; ± 0.5 where there is no range.
fn usual(plan: &ComparePlan, robot: &SerialRobot) -> Result<(String, Vec<(f64, ArmState)>), Failure> {
    let duration = plan.duration.as_deref().map_or(Ok(1.0), |text| positive("duration", text, Dimension::Time))?;
    let end = |sign: f64| -> [f64; dalembert::arm::MOST_JOINTS] {
        std::array::from_fn(|i| match robot.limits.get(i).map(|limits| limits.range) {
            Some([low, high]) if low.is_finite() && high.is_finite() => {
                0.5 * (low + high) + sign * (0.25 * (high - low)).min(1.0)
            }
            Some(_) => 0.5 * sign,
            None => 0.0,
        })
    };
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", robot.name));
    let path = Polyline::line(end(-1.0), end(1.0)).map_err(|error| failed(&error))?;
    let law = |length| Law::polynomial345(length, duration);
    let travel = Travel::new(path, law).map_err(|error| failed(&error))?;
    let joints = robot.arm.joints();
    let rows = super::source::times(duration, duration / 1000.0)?.into_iter().map(|t| {
        let state = travel.at(t);
        (t, ArmState::new(&state.position[..joints], &state.velocity[..joints], &state.acceleration[..joints]))
    });
    let what =
        format!("once through the middle half of the joint ranges in {} s (3-4-5 polynomial)", human(duration, 4));
    Ok((what, rows.collect()))
}

/// What a builder wants to see besides the torques: where the robot gets, what it can do there, what its motors feel, and
/// where the approximating models are off. Models that are exact, and those printed wrong, have nothing to show.
fn maps(plan: &ComparePlan, robot: &Robot, z: f64, comparison: &Comparison, costs: &[Cost]) -> Vec<Figure> {
    let square = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>();
    let acceleration = comparison.samples.iter().map(|s| square(&s.state[6..9])).fold(0.0, f64::max).sqrt();
    let wrong = |cost: &&Cost| cost.share > 1e-9 && !cost.name.ends_with("-printed");
    let errors = costs.iter().filter(wrong).filter_map(|cost| {
        let model = ModelName::ALL.into_iter().find(|name| name.as_str() == cost.name)?.as_str();
        let title = format!("Torque error of {}", cost.name);
        let caption = format!(
            "What the model is off by at rest and at {} m/s² in any direction, the most of this motion.",
            human(acceleration, 3)
        );
        Some((Kind::TorqueError { model, reference: "exact", acceleration }, Plane::Xy, title, caption))
    });
    let shown = |kind, plane, title: &str, caption: &str| (kind, plane, title.to_owned(), caption.to_owned());
    let resolution = Kind::Resolution { step: 1e-4 };
    let kinds = [
        shown(
            Kind::Reach,
            Plane::Xy,
            "Reach, from above",
            "Joint ranges and ball angles count, where the file has them.",
        ),
        shown(Kind::Reach, Plane::Xz, "Reach, from the side", &usable_text(plan, robot)),
        shown(
            Kind::Force,
            Plane::Xy,
            "Force",
            "What the motors hold in every direction, after the weight of the robot.",
        ),
        shown(Kind::Acceleration, Plane::Xy, "Acceleration", "What the motors give from rest in every direction."),
        shown(
            resolution,
            Plane::Xy,
            "Resolution",
            "How far one encoder step of 0.1 mrad at the joints moves the platform, at most.",
        ),
        shown(Kind::Mass, Plane::Xy, "What motor 1 feels", "Inertia at its joint."),
        shown(Kind::Stability, Plane::Xy, "Stability under a constant torque", "Negative: it falls away."),
    ];
    let figure = |(kind, plane, title, caption): (Kind, Plane, String, String)| {
        // Of force and acceleration there is none without a torque limit.
        let pick = Pick { elbows: Some(plan.branch.into()), ..Pick::default() };
        let field = robot.field(kind, &MapOptions { pick, ..MapOptions::default() }).ok()?;
        let across = (plane == Plane::Xy).then_some(z);
        let found = map(&*field, &Grid::slice(&*field, plane, across, 120), &|_| true)?;
        let svg = found.heat_map(kind.main_channel(found.channels.len()), &title)?.to_svg();
        // Without limits it shows what the robot would do beyond them.
        let beyond = if kind == Kind::Reach {
            ""
        } else {
            " Shown wherever the rods reach, also beyond joint ranges and ball angles."
        };
        Some(Figure { svg, caption: caption + beyond })
    };
    kinds.into_iter().chain(errors).filter_map(figure).collect()
}

/// The largest cylinder and box.
fn usable_text(plan: &ComparePlan, robot: &Robot) -> String {
    let branch: Branch = plan.branch.into();
    match robot.usable_region(&Pick { elbows: Some(branch), ..Pick::default() }, 0.1) {
        None => String::new(),
        Some(Err(reason)) => format!("Usable regions: {reason}."),
        Some(Ok(w)) => format!(
            "Usable throughout with the elbows {}, within the limits and with margins of 0.1 from singularities: a cylinder of {} m radius, \
             z = {} … {} m; a box of {} × {} m, z = {} … {} m.",
            name_of(branch),
            human(w.cylinder_radius, 3),
            human(w.cylinder[0], 3),
            human(w.cylinder[1], 3),
            human(2.0 * w.box_half_side, 3),
            human(2.0 * w.box_half_side, 3),
            human(w.box_heights[0], 3),
            human(w.box_heights[1], 3)
        ),
    }
}

fn as_text(plan: &ComparePlan, subject: &Subject, costs: &[Cost], screen: &mut Screen) {
    let Subject { name, what, comparison, .. } = subject;
    screen.heading(format!("{name}: the published models over {}", kind_of(plan)));
    screen.line(format!("  {what}"));
    let exact = &comparison.exact;
    screen.line(format!(
        "  torque of `{}`: RMS {} N m, at most {} N m",
        comparison.reference,
        fixed(exact.all.rms, 2),
        fixed(exact.all.maximum, 2)
    ));
    screen.line(format!("  {}", comparison.weights.weighing().text()));
    screen.line("");
    screen.heading(format!("Difference model − {}, N m", comparison.reference));
    let mut table = Table::new("llrrrr");
    table.head(["", "joint", "mean", "std. dev.", "max. abs.", "RMS"]);
    let row = |name: &str, joint: &str, d: &Difference, table: &mut Table| {
        let [a, b, c, e] = [d.mean, d.standard_deviation, d.maximum, d.rms].map(|v| fixed(v, 3));
        table.row([name, joint, &a, &b, &c, &e]);
    };
    let mut inapplicable = Vec::new();
    for (name, result) in &comparison.models {
        match result {
            Ok(compared) => {
                for (i, difference) in compared.difference.joints.iter().enumerate() {
                    row(if i == 0 { name } else { "" }, &format!("{}", i + 1), difference, &mut table);
                }
                row("", "all", &compared.difference.all, &mut table);
            }
            Err(reason) => inapplicable.push(reason),
        }
    }
    screen.table(&table);
    screen.line("");
    screen.heading(format!("What it costs, with feedback of {} Hz", human(plan.bandwidth, 4)));
    let mut table = Table::new("lrrl");
    table.head(["", "of the torque", "tracking, at most", ""]);
    for cost in costs {
        // What is only rounding is nothing.
        let shown = |x: f64| if cost.verdict == Verdict::Equal { "0".to_owned() } else { human(x, 3) };
        let share = format!("{} %", shown(100.0 * cost.share));
        let tracking = cost.tracking.map_or(String::from("–"), |[largest, _]| format!("{} mm", shown(1e3 * largest)));
        table.row([cost.name, &share, &tracking, cost.verdict.text()]);
    }
    screen.table(&table);
    if !inapplicable.is_empty() {
        screen.line("");
        screen.heading("Do not apply to this robot");
        for reason in inapplicable {
            screen.line(format!("  {reason}"));
        }
    }
    for (name, what) in [(&plan.csv, "motion and torques"), (&plan.plot, "plot"), (&plan.report, "report")] {
        if let Some(name) = name {
            screen.line("");
            screen.line(format!("{what}: {name}"));
        }
    }
}

fn as_json(plan: &ComparePlan, subject: &Subject, costs: &[Cost]) -> Value {
    let comparison = &subject.comparison;
    let difference = |d: &Difference| json!({ "mean": d.mean, "standard_deviation": d.standard_deviation, "maximum": d.maximum, "rms": d.rms });
    let summary = |s: &Summary| json!({ "joints": s.joints.iter().map(difference).collect::<Vec<_>>(), "all": difference(&s.all) });
    let models: Vec<Value> = comparison
        .models
        .iter()
        .map(|(name, result)| match result {
            Ok(compared) => {
                let mut all = summary(&compared.difference);
                all["name"] = json!(name);
                all
            }
            Err(reason) => json!({ "name": name, "does_not_apply": reason }),
        })
        .collect();
    let costs: Vec<Value> = costs
        .iter()
        .map(|cost| {
            json!({
                "name": cost.name, "torque_rms": cost.torque.rms, "torque_max": cost.torque.maximum,
                "share": cost.share, "tracking_max": cost.tracking.map(|t| t[0]), "tracking_rms": cost.tracking.map(|t| t[1]),
                "verdict": cost.verdict.as_str(),
            })
        })
        .collect();
    json!({
        "robot": subject.name,
        "motion": subject.motion,
        "reference": comparison.reference,
        "means_over": comparison.weights.weighing().as_str(),
        "exact_torque": summary(&comparison.exact),
        "exact_torque_without_dissipation": summary(&comparison.rigid),
        "difference_to_exact": models,
        "bandwidth": plan.bandwidth,
        "costs": costs,
    })
}
