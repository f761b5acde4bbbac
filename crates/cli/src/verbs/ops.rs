//! `ops`: what an evaluation costs, beside what the papers say of theirs.

use crate::arguments::OpsPlan;
use crate::failure::Failure;
use crate::output::{Screen, Table, fixed, human};
use crate::progress::Progress;
use dalembert::analyze::operations::published::{ASADI_RATIO, CODOUREY, FALEZZA};
use dalembert::analyze::operations::{BATCH, Cost, Kernel, Report, report};
use dalembert::delta::Branch;
use dalembert::{AnyRobot, Operations};
use serde_json::{Value, json};

pub fn run(plan: &OpsPlan, screen: &mut Screen) -> Result<(), Failure> {
    let robot = match &plan.robot {
        AnyRobot::Delta(robot) => robot,
        AnyRobot::Serial(robot) => {
            super::ops_serial::run(robot, plan.quick, plan.json, screen);
            return Ok(());
        }
    };
    let progress = Progress::start("counting and measuring");
    let report = report(&robot.delta, Branch::Out, plan.budget);
    progress.end();
    if plan.json {
        screen.json(&as_json(&robot.name, &report));
        return Ok(());
    }
    let timed = !plan.budget.is_zero();
    screen.heading(format!("{}: what an evaluation costs", robot.name));
    if timed && cfg!(debug_assertions) {
        screen.line("  This is a debug build: its times mean nothing. Use `cargo run --release -- ops …`.");
    }
    counts(&report, screen);
    kernels(&report, timed, screen);
    for reason in &report.inapplicable {
        screen.line(format!("  {reason}"));
    }
    table_6(&report, screen);
    if timed {
        ratios(&report, screen);
    }
    Ok(())
}

/// The programs in order: kinematics is no program of its own here.
fn programs(report: &Report) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for cost in report.costs.iter().filter(|cost| cost.kernel != Kernel::Kinematics) {
        if !names.contains(&cost.program) {
            names.push(cost.program);
        }
    }
    names
}

fn counts(report: &Report, screen: &mut Screen) {
    screen.line("");
    screen.heading("Operations: torques from the Cartesian state, inverse kinematics inside");
    let mut table = Table::new("lrrrrrrrr");
    table.head(["", "+", "−", "×", "÷", "√", "sum", "sin/cos", "other"]);
    let row = |name: &str, o: &Operations, table: &mut Table| {
        let numbers = [
            o.additions,
            o.subtractions,
            o.multiplications,
            o.divisions,
            o.square_roots,
            o.arithmetic(),
            o.sin_cos,
            o.other,
        ];
        let mut cells = vec![name.to_owned()];
        cells.extend(numbers.map(|n| n.to_string()));
        table.row(cells);
    };
    for name in programs(report).into_iter().filter(|&name| name != BATCH) {
        if let Some(cost) = report.cost(name, Kernel::Torque) {
            row(name, &cost.operations, &mut table);
        }
    }
    if let Some(cost) = report.costs.iter().find(|cost| cost.kernel == Kernel::Kinematics) {
        row("kinematics, inside each", &cost.operations, &mut table);
    }
    screen.table(&table);
}

fn kernels(report: &Report, timed: bool, screen: &mut Screen) {
    let head = ["", "torque", "torque alone", "acceleration", "mass matrix", "gravity"];
    let mut grid = |title: &str, cell: &dyn Fn(&Cost) -> String| {
        screen.line("");
        screen.heading(title);
        let mut table = Table::new("lrrrrr");
        table.head(head);
        for name in programs(report) {
            let mut cells = vec![name.to_owned()];
            cells.extend(Kernel::OF_MODELS.map(|kernel| report.cost(name, kernel).map_or("–".into(), cell)));
            table.row(cells);
        }
        screen.table(&table);
    };
    grid("Operations by kernel (`torque alone`: kinematics given; the rest from the Cartesian state)", &|cost| {
        cost.operations.arithmetic().to_string()
    });
    if timed {
        grid("Time per call on this machine, ns", &|cost| fixed(cost.time * 1e9, 1));
        grid("Rate on this machine, million per second", &|cost| human(1e-6 / cost.time, 3));
    }
}

/// Falezza's cost of n-digit arithmetic: sums n, products n², functions n^(5/2).
fn complexity(o: &Operations) -> String {
    let functions = 2 * o.sin_cos + o.other;
    let last = if functions == 0 { String::new() } else { format!(" + {functions} n^2.5") };
    format!("O({} n + {} n²{last})", o.additions + o.subtractions, o.multiplications + o.divisions + o.square_roots)
}

fn table_6(report: &Report, screen: &mut Screen) {
    screen.line("");
    screen.heading("Falezza et al. 2022, Tables 6 and 7, beside ours: position, joints and their rates given");
    let mut table = Table::new("lrrlr");
    table.head(["", "arithmetic", "trig", "n-digit complexity", "kHz"]);
    for row in FALEZZA {
        let [a, s, m, d, sin, cos] = row.operations;
        let [n, n2, n52] = row.complexity;
        table.row([
            format!("{} ({}) as published", row.symbol, row.model),
            (a + s + m + d).to_string(),
            (sin + cos).to_string(),
            format!("O({n} n + {n2} n² + {n52} n^2.5)"),
            format!("{:.2}", row.frequency[0] / 1e3),
        ]);
    }
    for name in programs(report) {
        let Some(cost) = report.cost(name, Kernel::TorqueAlone) else { continue };
        table.row([
            name.to_owned(),
            cost.operations.arithmetic().to_string(),
            (2 * cost.operations.sin_cos).to_string(),
            complexity(&cost.operations),
            if cost.time > 0.0 { format!("{:.0}", 1e-3 / cost.time) } else { String::new() },
        ]);
    }
    screen.table(&table);
    screen.line("  Sums cost n; products, quotients and roots n²; functions n^2.5. The published 1176 n of M_f");
    screen.line("  contradicts its own table: 669 + 477 = 1146. The published rates are of a 2.5 GHz core.");
}

/// What the papers say in times of a machine long gone, as ratios.
fn ratios(report: &Report, screen: &mut Screen) {
    let time = |name: &str, kernel| report.cost(name, kernel).map(|cost| cost.time).filter(|time| *time > 0.0);
    let ratio = |a: Option<f64>, b: Option<f64>| a.zip(b).map_or("–".into(), |(a, b)| format!("{:.2}", a / b));
    screen.line("");
    screen.heading("The papers' ratios, beside ours");
    let mut table = Table::new("lrrl");
    table.head(["", "published", "here", ""]);
    let whole = |name| time(name, Kernel::Torque);
    let alone = |name| time(name, Kernel::TorqueAlone);
    table.row([
        "complete / simplified, time".to_owned(),
        format!("{:.2}", FALEZZA[0].frequency[0] / FALEZZA[1].frequency[0]),
        ratio(whole("falezza-complete"), whole("falezza-simplified")),
        "Falezza Table 7".into(),
    ]);
    table.row([
        "exact / simplified, time".to_owned(),
        "–".into(),
        ratio(whole("exact"), whole("falezza-simplified")),
        "falezza-simplified".into(),
    ]);
    for simplified in ["falezza-simplified", "codourey-simplified"] {
        table.row([
            "explicit / simplified implicit, time".to_owned(),
            format!("{ASADI_RATIO:.2}"),
            ratio(whole("asadi"), whole(simplified)),
            format!("Asadi, \"105 % longer\"; here asadi / {simplified}"),
        ]);
    }
    let dynamics = alone("codourey-simplified");
    let kinematics = report.costs.iter().find(|cost| cost.kernel == Kernel::Kinematics).map(|cost| cost.time);
    let ours = [Some(report.trajectory), kinematics, dynamics, time("codourey-simplified", Kernel::MassMatrix)];
    for ((name, published), ours) in CODOUREY.into_iter().zip(ours) {
        table.row([
            format!("{name} / dynamics"),
            format!("{:.2}", published / CODOUREY[2].1),
            ratio(ours, dynamics),
            format!(
                "Codourey Table 1, {:.0} µs on a T800; here {} ns",
                published * 1e6,
                ours.map_or("–".into(), |t| fixed(t * 1e9, 1))
            ),
        ]);
    }
    screen.table(&table);
    screen
        .line("  Codourey's blocks here: the pick-and-place of `compare`, pose and rates, (58) with kinematics given,");
    screen.line("  and the mass matrix (50) with its pose.");
}

fn as_json(name: &str, report: &Report) -> Value {
    let cost = |cost: &Cost| {
        let o = &cost.operations;
        json!({
            "program": cost.program,
            "kernel": cost.kernel.as_str(),
            "additions": o.additions,
            "subtractions": o.subtractions,
            "multiplications": o.multiplications,
            "divisions": o.divisions,
            "square_roots": o.square_roots,
            "arithmetic": o.arithmetic(),
            "sin_cos_pairs": o.sin_cos,
            "other": o.other,
            "seconds": if cost.time > 0.0 { json!(cost.time) } else { Value::Null },
        })
    };
    let falezza: Vec<Value> = FALEZZA
        .iter()
        .map(|row| {
            json!({
                "model": row.model,
                "additions_subtractions_multiplications_divisions_sines_cosines": row.operations,
                "n_n2_n52": row.complexity,
                "average_and_maximum_frequency": row.frequency,
            })
        })
        .collect();
    let codourey: serde_json::Map<String, Value> =
        CODOUREY.iter().map(|(name, time)| ((*name).to_owned(), json!(time))).collect();
    json!({
        "robot": name,
        "debug_build": cfg!(debug_assertions),
        "costs": report.costs.iter().map(cost).collect::<Vec<_>>(),
        "trajectory_seconds": if report.trajectory > 0.0 { json!(report.trajectory) } else { Value::Null },
        "do_not_apply": report.inapplicable.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "published": { "falezza": falezza, "asadi_time_ratio": ASADI_RATIO, "codourey_seconds": codourey },
    })
}
