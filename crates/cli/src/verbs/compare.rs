//! `compare`: the published models against the exact one over a motion.

use crate::arguments::numbers::positive;
use crate::arguments::{ComparePlan, MeasuredPlan};
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, human, require_finite};
use crate::progress::Progress;
use dalembert::Vec3;
use dalembert::analyze::compare::{Comparison, Difference, Measured, Summary, Timed, compare, pick_and_place};
use dalembert::analyze::cost::{Cost, Verdict, costs};
use dalembert::analyze::map::{Plane, PositionGrid, map};
use dalembert::analyze::report::{CostReport, Figure};
use dalembert::delta::Branch;
use dalembert::identify::Run;
use dalembert::identify::numerics::search::least;
use dalembert::motion::{Direction, Motion, Mover, PickAndPlace, Polyline, Profile, Travel, named};
use dalembert::robot::file::Dimension;
use dalembert::robot::map::{Kind, MapOptions};
use dalembert::robot::{Form, JointState, JointVector, Pick, Robot, State, Workspace};
use dalembert::spatial::Wrench;
use dalembert::verbs::states::{MAX_STATES, MotionStates, state_times};
use serde_json::{Value, json};

/// A robot that has been through its motion.
struct Subject {
    robot: Robot,
    /// The motion in words.
    what: String,
    motion: Value,
    marks: Vec<(f64, String)>,
    comparison: Comparison,
    /// Torques that were measured, where the states have them.
    measured: Option<Vec<Vec<f64>>>,
    /// The height at which the maps are: that at which the tool is most.
    height: f64,
}

pub fn run(plan: &ComparePlan, screen: &mut Screen) -> Result<(), Failure> {
    // All files can be written, or nothing is computed.
    let open = |name: &Option<String>| name.as_deref().map(Sink::new).transpose();
    let (mut csv, mut report) = (open(&plan.csv)?, open(&plan.report)?);
    let mut plot = plan.plot.as_deref().map(Sink::for_picture).transpose()?;
    let progress = Progress::start("running the models over the motion");
    let subject = subject(plan)?;
    let Subject { robot, what, comparison, .. } = &subject;
    let name = &robot.name;
    let omega = plan.bandwidth * std::f64::consts::TAU;
    let costs = costs(comparison, omega).map_err(|error| Failure::new(format!("{name}: {error}")))?;
    let sizes = |d: &Difference| [d.mean, d.standard_deviation, d.maximum, d.rms];
    let all = [&comparison.exact.all, &comparison.rigid.all];
    require_finite(name, "the torque of the exact model", all.into_iter().flat_map(sizes))?;
    for cost in &costs {
        let errors = sizes(&cost.torque).into_iter().chain([cost.share]).chain(cost.tracking.into_iter().flatten());
        require_finite(name, &format!("the error of the model `{}`", cost.name), errors)?;
    }
    if let Some(sink) = &mut csv {
        sink.text(&comparison.to_csv())?;
    }
    if let Some(sink) = &mut plot {
        let title = format!("{name}: the published models over {}", kind_of(plan));
        sink.picture(&comparison.to_chart(&title, what, subject.marks.clone()).draw())?;
    }
    if let (Some(sink), Some(file)) = (&mut report, &plan.report) {
        let markdown = file.to_ascii_lowercase().ends_with(".md");
        let figures = if markdown { Vec::new() } else { maps(plan, &subject, &costs) };
        let point = robot.kind().moved;
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
    if plan.robot.workspace().is_some() && !plan.is_given() { "a pick-and-place" } else { "a motion" }
}

/// An option that the motion has no use for is a mistake.
fn refuse_stroke_options(plan: &ComparePlan, why: &str) -> Result<(), Failure> {
    let given = [
        (plan.width.is_some(), "--width"),
        (plan.height.is_some(), "--height"),
        (plan.z.is_some(), "--z"),
        (plan.samples.is_some(), "--samples"),
        ((plan.states.is_some() || plan.log.is_some()) && plan.duration.is_some(), "--duration"),
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

/// What is compared, and in words.
struct ComparisonInput {
    robot: Robot,
    what: String,
    motion: Value,
    marks: Vec<(f64, String)>,
    states: Vec<Timed>,
    /// Torques that were measured, one row for each state.
    measured: Option<Vec<Vec<f64>>>,
    /// The log that the states are of.
    log: Option<Logged>,
}

fn subject(plan: &ComparePlan) -> Result<Subject, Failure> {
    let ComparisonInput { robot, mut what, mut motion, marks, states, mut measured, log } = way(plan)?;
    let mut comparison =
        compare(&robot, &states).map_err(|error| Failure::new(format!("{}, {what}: {error}", robot.name)))?;
    if let Some(log) = &log {
        comparison = log.filtered(comparison)?;
        let delay = log.delay.unwrap_or_else(|| log.likely_delay(&comparison));
        what = log.what(delay);
        (motion["what"], motion["delay"]) = (json!(what), json!(delay));
        measured = Some(log.torques(delay));
    }
    // All models may be of another robot; then one reason tells.
    if let Some((_, Err(reason))) = comparison.models.first()
        && measured.is_none()
        && comparison.models.iter().all(|(_, result)| result.is_err())
    {
        return Err(Failure::new(format!("{}: no published model is for this robot: {reason}", robot.name))
            .hint("Armstrong's models are for arms like the PUMA 560; `derive` writes an exact program of any arm"));
    }
    let height = states.iter().map(|timed| timed.state.tool.pose.origin[2]).sum::<f64>() / states.len() as f64;
    // The ends of the strokes, not their mean.
    let height = if plan.is_given() { height } else { motion["z"].as_f64().unwrap_or(height) };
    Ok(Subject { robot, what, motion, marks, comparison, measured, height })
}

fn way(plan: &ComparePlan) -> Result<ComparisonInput, Failure> {
    let (robot, pick) = (&plan.robot, &plan.pick);
    let duration = plan.duration.as_deref();
    if plan.is_given() {
        refuse_stroke_options(plan, "--motion, --states or a log")?;
    }
    if let Some(log) = &plan.log {
        return measured(robot, pick, log);
    }
    if let Some(MotionStates { robot, caption: what, rows }) =
        plan.source.states(robot, plan.states.as_deref(), duration, plan.payload.as_deref(), pick.clone())?
    {
        let timed = |row: super::analysis::given::TimedState| {
            let t = time(row.time)?;
            Ok(Timed { t, state: usual_form(&robot, pick, t, row.state)?, wrench: row.wrench })
        };
        let measured = rows.iter().map(|row| row.measured.as_ref().map(|torque| torque.to_vec())).collect();
        let states = rows.into_iter().map(timed).collect::<Result<Vec<_>, Failure>>()?;
        let motion = json!({ "what": what, "states": states.len(), "payload": robot.payload() });
        return Ok(ComparisonInput { robot, what, motion, marks: Vec::new(), states, measured, log: None });
    }
    let Some(workspace) = robot.workspace() else {
        refuse_stroke_options(plan, &format!("a {}", robot.kind().title))?;
        return through_joints(
            robot,
            pick,
            duration.map_or(Ok(1.0), |text| positive("duration", text, Dimension::Time))?,
        );
    };
    strokes(plan, workspace)
}

/// A log: smoothed states of all its samples.
fn measured(robot: &Robot, pick: &Pick, plan: &MeasuredPlan) -> Result<ComparisonInput, Failure> {
    let joints = robot.joints();
    let log = plan.mapping.read(&plan.name, &joints)?;
    let run = Run::new(&log, &joints, &plan.preprocessing)
        .map_err(|error| Failure::new(format!("bad log: {}: {error}", plan.name)))?;
    let samples = run.q[0].len();
    if samples > MAX_STATES {
        return Err(Failure::new(format!("{}: {samples} states are too many", plan.name))
            .hint("compare a part of it: --from, --to"));
    }
    let of = |values: &[Vec<f64>], k: usize| JointVector::from_fn(joints.len(), |i| values[i][k]);
    let timed = |k: usize| {
        let t = run.time(k);
        let state = JointState { q: of(&run.q, k), qd: of(&run.qd, k), qdd: of(&run.qdd, k) };
        let state = robot
            .at_joints(&state, pick)
            .map_err(|error| Failure::new(format!("{}, t = {} s: {error}", plan.name, human(t, 5))))?;
        Ok(Timed { t, state: usual_form(robot, pick, t, state)?, wrench: Wrench::zero() })
    };
    let mut states: Vec<Timed> = Vec::with_capacity(samples);
    for k in 0..samples {
        match timed(k) {
            Ok(state) => states.push(state),
            Err(error) if run.used.binary_search(&k).is_ok() => return Err(error),
            // What does not count, a hole that was bridged say, need not be a state of the robot.
            Err(_) => {
                let near = match states.last() {
                    Some(before) => before.clone(),
                    None => timed(run.used[0])?,
                };
                states.push(Timed { t: run.time(k), ..near });
            }
        }
    }
    let motion = json!({ "states": run.used.len(), "payload": robot.payload() });
    let log = Some(Logged { run, name: plan.name.clone(), delay: plan.delay });
    Ok(ComparisonInput {
        robot: robot.clone(),
        what: plan.name.clone(),
        motion,
        marks: Vec::new(),
        states,
        measured: None,
        log,
    })
}

/// A log whose states are compared.
struct Logged {
    run: Run,
    name: String,
    /// s, where it is given.
    delay: Option<f64>,
}

impl Logged {
    /// The models through the low-pass filter that the measured torques went through, at the samples that count.
    fn filtered(&self, comparison: Comparison) -> Result<Comparison, Failure> {
        let filter = self.run.filter().map_err(|error| Failure::new(format!("{}: {error}", self.name)))?;
        Ok(comparison.filtered(&|series| filter.filter(series), &self.run.used))
    }

    /// The delay of the torque with which the exact model leaves least, s.
    fn likely_delay(&self, comparison: &Comparison) -> f64 {
        /// As far as `identify` looks, s, and states that are enough for it.
        const FARTHEST: f64 = 0.06;
        const LOOKED_AT: usize = 3000;
        let exact = &comparison.samples.exact;
        let every = self.run.used.len().div_ceil(LOOKED_AT).max(1);
        let left = |delay: f64| -> f64 {
            let of = |row: usize| -> f64 {
                let torque = exact.row(row).iter().enumerate();
                torque.map(|(i, tau)| (tau - self.run.torque(i, self.run.used[row], delay)).powi(2)).sum()
            };
            (0..self.run.used.len()).step_by(every).map(of).sum()
        };
        let best = least(-FARTHEST, FARTHEST, 61, left);
        // Nothing gained is nothing found.
        if best.value < 0.998 * left(0.0) { best.at } else { 0.0 }
    }

    /// The torques that were measured, one row for each sample that counts, with a delay taken back.
    fn torques(&self, delay: f64) -> Vec<Vec<f64>> {
        let joints = self.run.tau.len();
        self.run.used.iter().map(|&k| (0..joints).map(|i| self.run.torque(i, k, delay)).collect()).collect()
    }

    /// In words.
    fn what(&self, delay: f64) -> String {
        format!(
            "{}: {} states of {} s in which it moves, models and torques low-pass filtered at {} Hz, torque {} ms later than the motion",
            self.name,
            self.run.used.len(),
            human(self.run.seconds(), 4),
            human(self.run.cutoff, 3),
            human(1e3 * delay, 3)
        )
    }
}

/// A state as the robot usually takes it, with the joints that it has.
fn usual_form(robot: &Robot, pick: &Pick, t: f64, state: State) -> Result<State, Failure> {
    if state.given == robot.kind().form || robot.kind().form == Form::Joints {
        return Ok(state);
    }
    let failed = |error: &str| Failure::new(format!("t = {} s: {error}", human(t, 4)));
    let found = robot.at_tool(&state.tool, pick).map_err(|error| failed(&error.to_string()))?;
    // Angles are the same a turn apart.
    let far = |(a, b): (&f64, &f64)| 1.0 - (a - b).cos() > 1e-6;
    if found.joints.q.iter().zip(state.joints.q.iter()).any(far) {
        let elbows = pick.elbows.unwrap_or_default();
        return Err(failed(&format!("the elbows are not all on the branch `{}`", name_of(elbows)))
            .hint("`--branch in` if they all point inward; the published models know no mixed elbows"));
    }
    Ok(found)
}

/// Without a motion, of a robot that knows its workspace: forth and back in the middle of it.
fn strokes(plan: &ComparePlan, workspace: Workspace) -> Result<ComparisonInput, Failure> {
    let robot = &plan.robot;
    let z = plan.z.unwrap_or(workspace.center[2]);
    let axes = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
    let size = Mover::of_tool(robot, None, &plan.pick)
        .map_or(1.0, |mover| named::size_within("pick-and-place", &mover, &axes));
    let (width, height) = (plan.width.unwrap_or(0.3 * size), plan.height.unwrap_or(0.025 * size));
    let duration =
        plan.duration.as_deref().map_or(Ok(1.0 / 6.0), |text| positive("duration", text, Dimension::Time))?;
    let samples = plan.samples.unwrap_or(500);
    let motions = [Direction::X, Direction::Y].map(|direction| PickAndPlace {
        center: Vec3::new(0.0, 0.0, z),
        width,
        height,
        stroke: duration,
        direction,
    });
    let states = pick_and_place(robot, &plan.pick, &motions, samples).map_err(|error| {
        let direction = if error.t < 2.0 * duration { "x" } else { "y" };
        Failure::new(format!("{}, stroke along {direction}: {error}", robot.name)).hint(format!(
            "on its axis this robot reaches z = {} … {} m, and {} m around z = {} m: change --z, --width or --height",
            human(workspace.heights[0], 4),
            human(workspace.heights[1], 4),
            human(workspace.radius, 4),
            human(workspace.center[2], 4)
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
    Ok(ComparisonInput { robot: robot.clone(), what, motion, marks, states, measured: None, log: None })
}

fn name_of(branch: Branch) -> &'static str {
    match branch {
        Branch::Out => "out",
        Branch::In => "in",
    }
}

/// Without a motion, of other robots: once through the middle half of the joint ranges, at most 2 rad; ± 0.5 where there is no
/// range.
fn through_joints(robot: &Robot, pick: &Pick, duration: f64) -> Result<ComparisonInput, Failure> {
    let joints = robot.joints();
    let end = |sign: f64| {
        JointVector::from_fn(joints.len(), |i| match joints.get(i).map(|joint| joint.limits.range) {
            Some([low, high]) if low.is_finite() && high.is_finite() => {
                0.5 * (low + high) + sign * (0.25 * (high - low)).min(1.0)
            }
            Some(_) => 0.5 * sign,
            None => 0.0,
        })
    };
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", robot.name));
    let path = Polyline::line(end(-1.0), end(1.0)).map_err(|error| failed(&error))?;
    let profile = |length| Profile::polynomial345(length, duration);
    let travel = Travel::new(path, profile).map_err(|error| failed(&error))?;
    let timed = |t: f64| {
        let state = travel.at(t);
        let joints = JointState { q: state.position, qd: state.velocity, qdd: state.acceleration };
        let state = robot.at_joints(&joints, pick).map_err(|error| failed(&error))?;
        Ok(Timed { t, state, wrench: Wrench::zero() })
    };
    let states =
        state_times(duration, duration / 1000.0)?.into_iter().map(timed).collect::<Result<Vec<_>, Failure>>()?;
    let what =
        format!("once through the middle half of the joint ranges in {} s (3-4-5 polynomial)", human(duration, 4));
    let motion = json!({ "what": what, "states": states.len(), "payload": robot.payload() });
    Ok(ComparisonInput { robot: robot.clone(), what, motion, marks: Vec::new(), states, measured: None, log: None })
}

/// What a builder wants to see besides the torques: where the robot gets, what it can do there, what its motors feel, and
/// where the approximating models are off. Models that are exact, and those printed wrong, have nothing to show.
fn maps(plan: &ComparePlan, subject: &Subject, costs: &[Cost]) -> Vec<Figure> {
    let Subject { robot, comparison, height, .. } = subject;
    if robot.workspace().is_none() {
        return Vec::new();
    }
    let square = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>();
    let samples = &comparison.samples;
    let squares = (0..samples.count()).map(|k| samples.state.row(k).get(6..9).map_or(0.0, square));
    let acceleration = squares.fold(0.0, f64::max).sqrt();
    let wrong = |cost: &&Cost| cost.share > 1e-9 && !cost.name.ends_with("-printed");
    let errors = costs.iter().filter(wrong).map(|cost| {
        let model = cost.name;
        let title = format!("Torque error of {}", cost.name);
        let caption = format!(
            "What the model is off by at rest and at {} m/s² in any direction, the most of this motion.",
            human(acceleration, 3)
        );
        (Kind::TorqueError { model, reference: "exact", acceleration }, Plane::Xy, title, caption)
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
        let field = robot.field(kind, &MapOptions { pick: plan.pick.clone(), ..MapOptions::default() }).ok()?;
        let across = (plane == Plane::Xy).then_some(*height);
        let found = map(&*field, &PositionGrid::slice(&*field, plane, across, 120), &|_| true)?;
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
    match robot.usable_region(&plan.pick, 0.1) {
        None => String::new(),
        Some(Err(reason)) => format!("Usable regions: {reason}."),
        Some(Ok(w)) => format!(
            "Usable throughout with the elbows {}, within the limits and with margins of 0.1 from singularities: a cylinder of {} m radius, \
             z = {} … {} m; a box of {} × {} m, z = {} … {} m.",
            name_of(plan.pick.elbows.unwrap_or_default()),
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
    let Subject { robot: Robot { name, .. }, what, comparison, .. } = subject;
    screen.heading(match subject.measured {
        Some(_) => format!("{name}: the models against measured torques"),
        None => format!("{name}: the published models over {}", kind_of(plan)),
    });
    screen.line(format!("  {what}"));
    let (exact, unit) = (&comparison.exact, &comparison.unit);
    screen.line(format!(
        "  torque of `{}`: RMS {} {unit}, at most {} {unit}",
        comparison.reference,
        human(exact.all.rms, 4),
        human(exact.all.maximum, 4)
    ));
    screen.line(format!("  {}", comparison.weights.weighing().text()));
    screen.line("");
    if let Some(measured) = &subject.measured {
        screen.heading("Against the measured torque");
        let mut table = Table::new("lrrrrr");
        table.head(["", "100·‖τ̂ − τ‖/‖τ‖", "mean", "std. dev.", "max. abs.", &format!("RMS, {unit}")]);
        for (name, against) in comparison.against(measured) {
            let Difference { mean, standard_deviation, maximum, rms } = against.difference.all;
            let [a, b, c, d] = [mean, standard_deviation, maximum, rms].map(|v| human(v, 3));
            table.row([name, &format!("{} %", human(against.percent, 3)), &a, &b, &c, &d]);
        }
        screen.table(&table);
        screen.line("");
        let joints = comparison.joints();
        let mut table = Table::new(&format!("l{}", "r".repeat(joints)));
        let heads = (1..=joints).map(|i| format!("joint {i}"));
        table.head(std::iter::once(format!("RMS, {unit} (share)")).chain(heads));
        for (name, against) in comparison.against(measured) {
            let cells = against.difference.joints.iter().zip(&against.joints);
            let cells = cells.map(|(d, percent)| format!("{} ({} %)", human(d.rms, 3), human(*percent, 3)));
            table.row(std::iter::once(name.to_owned()).chain(cells));
        }
        screen.table(&table);
        screen.line("");
    }
    if comparison.models.is_empty() {
        let kind = subject.robot.kind().title;
        screen.line(format!("  there is no published model of a {kind}: `{}` is the only one", comparison.reference));
        return told(plan, screen);
    }
    if comparison.models.iter().all(|(_, result)| result.is_err()) {
        let names: Vec<&str> = comparison.models.iter().map(|(name, _)| *name).collect();
        screen.line(format!("  of the published models none is for this robot: {}", names.join(", ")));
        return told(plan, screen);
    }
    screen.heading(format!("Difference model − {}, {unit}", comparison.reference));
    let mut table = Table::new("llrrrr");
    table.head(["", "joint", "mean", "std. dev.", "max. abs.", "RMS"]);
    let row = |name: &str, joint: &str, d: &Difference, table: &mut Table| {
        let [a, b, c, e] = [d.mean, d.standard_deviation, d.maximum, d.rms].map(|v| human(v, 3));
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
    told(plan, screen);
}

/// Which files were written.
fn told(plan: &ComparePlan, screen: &mut Screen) {
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
    let against = subject.measured.as_ref().map(|measured| {
        let model = |(name, against): (&str, Measured)| {
            let mut all = summary(&against.difference);
            all["name"] = json!(name);
            all["percent"] = json!(against.percent);
            all["percent_by_joint"] = json!(against.joints);
            all
        };
        comparison.against(measured).into_iter().map(model).collect::<Vec<_>>()
    });
    let mut all = json!({
        "robot": subject.robot.name,
        "motion": subject.motion,
        "reference": comparison.reference,
        "means_over": comparison.weights.weighing().as_str(),
        "exact_torque": summary(&comparison.exact),
        "exact_torque_without_dissipation": summary(&comparison.rigid),
        "difference_to_exact": models,
        "bandwidth": plan.bandwidth,
        "costs": costs,
    });
    if let Some(against) = against {
        all["against_measured"] = json!(against);
    }
    all
}
