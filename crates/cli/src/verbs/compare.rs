//! `compare`: the published models against `exact` over a pick-and-place.

use crate::arguments::ComparePlan;
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, fixed, human};
use crate::progress::Progress;
use dalembert::Vec3;
use dalembert::analyze::Reach;
use dalembert::analyze::compare::{Comparison, Difference, compare};
use dalembert::analyze::cost::{Cost, CostReport, costs};
use dalembert::analyze::map::{Grid, Kind, Mapper, Plane, map};
use dalembert::delta::ModelName;
use dalembert::motion::{Direction, PickAndPlace};
use serde_json::{Value, json};

pub fn run(plan: &ComparePlan, screen: &mut Screen) -> Result<(), Failure> {
    let robot = &plan.robot.delta;
    let reach = Reach::of(robot);
    let z = plan.z.unwrap_or(reach.center[2]);
    let motions = [Direction::X, Direction::Y].map(|direction| PickAndPlace {
        center: Vec3::new(0.0, 0.0, z),
        width: plan.width,
        height: plan.height,
        duration: plan.duration,
        direction,
    });
    // Both files can be written, or nothing is computed.
    let open = |name: &Option<String>| name.as_deref().map(Sink::new).transpose();
    let (mut csv, mut plot, mut report) = (open(&plan.csv)?, open(&plan.plot)?, open(&plan.report)?);
    let progress = Progress::start("running the models over the motion");
    let comparison = compare(robot, plan.branch, &motions, plan.samples).map_err(|error| {
        let direction = motions[error.motion].direction.as_str();
        Failure::new(format!("{}, stroke along {direction}: {error}", plan.robot.name)).hint(format!(
            "on its axis this robot reaches z = {} … {} m, and {} m around z = {} m: change --z, --width or --height",
            human(reach.lowest, 4),
            human(reach.highest, 4),
            human(reach.radius, 4),
            human(reach.center[2], 4)
        ))
    })?;

    let what = format!(
        "{} × {} mm in {} s, forth and back along x, then y, at z = {} m",
        human(plan.width * 1e3, 4),
        human(plan.height * 1e3, 4),
        human(plan.duration, 4),
        human(z, 4)
    );
    let marks = || vec![(0.0, "along x".to_owned()), (2.0 * plan.duration, "along y".to_owned())];
    if let Some(sink) = &mut csv {
        sink.text(&comparison.to_csv())?;
    }
    if let Some(sink) = &mut plot {
        let title = format!("{}: the published models over a pick-and-place", plan.robot.name);
        sink.text(&comparison.to_chart(&title, &what, marks()).to_svg())?;
    }
    if let (Some(sink), Some(name)) = (&mut report, &plan.report) {
        let omega = plan.bandwidth * std::f64::consts::TAU;
        let costs = costs(robot, plan.branch, &comparison, omega).map_err(|error| Failure::new(error.to_string()))?;
        let markdown = name.to_ascii_lowercase().ends_with(".md");
        let figures = if markdown { Vec::new() } else { maps(plan, z, &comparison, &costs) };
        let robot = &plan.robot.name;
        let text = CostReport { robot, motion: &what, omega, comparison: &comparison, costs: &costs, figures };
        sink.text(&if markdown { text.to_markdown() } else { text.to_html(marks()) })?;
    }
    progress.end();
    for sink in [csv, plot, report].into_iter().flatten() {
        sink.finish()?;
    }
    // To standard output goes one thing: the report, or the file that was asked for there.
    let report = [&plan.csv, &plan.plot].into_iter().flatten().all(|name| name != "-");
    if report && plan.json {
        screen.json(&as_json(plan, z, &comparison));
    } else if report {
        as_text(plan, &what, &comparison, screen);
    }
    Ok(())
}

/// The torque error of the approximating models over the plane of the motion, at its largest acceleration, and where the
/// robot is stable. Models that are exact, and those printed wrong, have nothing to show.
fn maps(plan: &ComparePlan, z: f64, comparison: &Comparison, costs: &[Cost]) -> Vec<String> {
    let sizes = comparison.samples.iter().map(|sample| sample.state.acceleration.norm_squared().sqrt());
    let acceleration = sizes.fold(0.0, f64::max);
    let reference = ModelName::Exact;
    let approximate = costs.iter().filter(|cost| cost.share > 1e-9 && !cost.name.as_str().ends_with("-printed"));
    let errors = approximate.map(|cost| Kind::TorqueError { model: cost.name, reference, acceleration });
    let kinds = errors.chain([Kind::Mass, Kind::Stability]);
    kinds
        .filter_map(|kind| {
            let mut mapper = Mapper::new(&plan.robot, kind).ok()?;
            mapper.least_margin = 0.1;
            let title = match kind {
                Kind::TorqueError { model, .. } => format!("Torque error of {}", model.as_str()),
                Kind::Mass => String::from("What motor 1 feels"),
                _ => String::from("Stability under a constant torque"),
            };
            let found = map(&mapper, &Grid::slice(&plan.robot.delta, Plane::Xy, Some(z), 120), &|_| true)?;
            Some(found.heat_map(kind.main_channel(found.channels.len()), &title)?.to_svg())
        })
        .collect()
}

fn as_text(plan: &ComparePlan, what: &str, comparison: &Comparison, screen: &mut Screen) {
    screen.heading(format!("{}: the published models over a pick-and-place", plan.robot.name));
    screen.line(format!("  {what}"));
    let exact = &comparison.exact;
    screen.line(format!(
        "  torque of `exact`: RMS {} N m, at most {} N m",
        fixed(exact.1.rms, 2),
        fixed(exact.1.maximum, 2)
    ));
    screen.line("");
    screen.heading("Difference model − exact, N m");
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
                for (i, difference) in compared.joints.iter().enumerate() {
                    row(if i == 0 { name.as_str() } else { "" }, &format!("{}", i + 1), difference, &mut table);
                }
                row("", "all", &compared.all, &mut table);
            }
            Err(reason) => inapplicable.push(reason),
        }
    }
    screen.table(&table);
    if !inapplicable.is_empty() {
        screen.line("");
        screen.heading("Do not apply to this robot");
        for reason in inapplicable {
            screen.line(format!("  {}: {} {}", reason.model, reason.field, reason.reason));
        }
    }
    for (name, what) in [(&plan.csv, "motion and torques"), (&plan.plot, "plot"), (&plan.report, "report")] {
        if let Some(name) = name {
            screen.line("");
            screen.line(format!("{what}: {name}"));
        }
    }
}

fn as_json(plan: &ComparePlan, z: f64, comparison: &Comparison) -> Value {
    let difference = |d: &Difference| json!({ "mean": d.mean, "standard_deviation": d.standard_deviation, "maximum": d.maximum, "rms": d.rms });
    let models: Vec<Value> = comparison
        .models
        .iter()
        .map(|(name, result)| match result {
            Ok(compared) => json!({
                "name": name.as_str(),
                "joints": compared.joints.iter().map(difference).collect::<Vec<_>>(),
                "all": difference(&compared.all),
            }),
            Err(reason) => json!({ "name": name.as_str(), "does_not_apply": reason.to_string() }),
        })
        .collect();
    json!({
        "robot": plan.robot.name,
        "motion": { "width": plan.width, "height": plan.height, "duration": plan.duration, "z": z, "samples_per_stroke": plan.samples },
        "exact_torque": {
            "joints": comparison.exact.0.iter().map(difference).collect::<Vec<_>>(),
            "all": difference(&comparison.exact.1),
        },
        "difference_to_exact": models,
    })
}
