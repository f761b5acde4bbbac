//! `ops`: what an evaluation costs, beside what the papers say of theirs.

use crate::arguments::OpsPlan;
use crate::failure::Failure;
use crate::output::{Screen, Table, fixed, human};
use crate::progress::Progress;
use dalembert::analyze::operations::{Report, report};
use dalembert::robot::operations::{Cell, Cost, PaperTable, Task, cost, programs};
use serde_json::{Value, json};

pub fn run(plan: &OpsPlan, screen: &mut Screen) -> Result<(), Failure> {
    let name = &plan.robot.name;
    let progress = Progress::start("counting and measuring");
    let report = report(&plan.robot, plan.budget, plan.quick)
        .map_err(|error| Failure::new(format!("{name}: {error}")).maybe_hint(error.hint))?;
    progress.end();
    if plan.json {
        screen.json(&as_json(name, &report));
        return Ok(());
    }
    let costs = &report.costs;
    let timed = costs.iter().any(|cost| cost.seconds.is_some());
    screen.heading(format!("{name}: what an evaluation costs"));
    if timed && cfg!(debug_assertions) {
        screen.line("  This is a debug build: its times mean nothing. Use `cargo run --release -- ops …`.");
    }
    torque(costs, screen);
    let total = |cost: &Cost| cost.operations.arithmetic().to_string();
    by_task("Operations by task, all but functions", costs, &total, screen);
    if timed {
        let time = |show: &'static dyn Fn(f64) -> String| move |cost: &Cost| cost.seconds.map_or("–".into(), show);
        by_task("Time per call on this machine, ns", costs, &time(&|seconds| fixed(seconds * 1e9, 1)), screen);
        by_task("Rate on this machine, million per second", costs, &time(&|seconds| human(1e-6 / seconds, 3)), screen);
    }
    for reason in &report.inapplicable {
        screen.line(format!("  {reason}"));
    }
    report.published.iter().for_each(|table| papers(table, screen));
    Ok(())
}

/// What the torques of each program are made of.
fn torque(costs: &[Cost], screen: &mut Screen) {
    screen.line("");
    screen.heading("Operations: torques of a motion, kinematics included");
    let mut table = Table::new("lrrrrrrr");
    table.head(["", "+ −", "×", "÷", "√", "total", "sin/cos", "other"]);
    let shown = costs.iter().filter(|cost| [Task::Kinematics, Task::Torque].contains(&cost.task));
    for Cost { program, operations: o, .. } in shown {
        let sums = o.additions + o.subtractions;
        let counts = [sums, o.multiplications, o.divisions, o.square_roots, o.arithmetic(), o.sin_cos, o.other];
        table.row([(*program).to_owned()].into_iter().chain(counts.map(|count| count.to_string())));
    }
    screen.table(&table);
}

/// One row per program, one column per task that any of them does.
fn by_task(title: &str, costs: &[Cost], cell: &dyn Fn(&Cost) -> String, screen: &mut Screen) {
    screen.line("");
    screen.heading(title);
    let tasks = Task::OF_MODELS.into_iter().filter(|&task| costs.iter().any(|cost| cost.task == task));
    let tasks: Vec<Task> = tasks.collect();
    let mut table = Table::new(&format!("l{}", "r".repeat(tasks.len())));
    table.head(std::iter::once(String::new()).chain(tasks.iter().map(|task| task.as_str().replace('-', " "))));
    for program in programs(costs) {
        let cells = tasks.iter().map(|&task| cost(costs, program, task).map_or("–".into(), cell));
        table.row(std::iter::once(program.to_owned()).chain(cells));
    }
    screen.table(&table);
}

fn papers(paper: &PaperTable, screen: &mut Screen) {
    screen.line("");
    screen.heading(paper.title);
    let is_text = |column: usize| paper.rows.iter().any(|row| matches!(row.get(column), Some(Cell::Text(_))));
    let alignment = (0..paper.columns.len()).map(|column| if is_text(column) { 'l' } else { 'r' });
    let mut table = Table::new(&alignment.collect::<String>());
    table.head(paper.columns.iter().copied());
    for row in &paper.rows {
        table.row(row.iter().map(|cell| match cell {
            Cell::None => "–".to_owned(),
            Cell::Text(text) => text.clone(),
            Cell::Number(value, decimals) => fixed(*value, *decimals),
        }));
    }
    screen.table(&table);
    paper.notes.iter().for_each(|note| screen.line(format!("  {note}")));
}

fn as_json(name: &str, report: &Report) -> Value {
    let cost = |cost: &Cost| {
        let o = &cost.operations;
        json!({
            "program": cost.program,
            "task": cost.task.as_str(),
            "additions": o.additions + o.subtractions,
            "multiplications": o.multiplications,
            "divisions": o.divisions,
            "square_roots": o.square_roots,
            "total": o.arithmetic(),
            "sin_cos_pairs": o.sin_cos,
            "other": o.other,
            "seconds": cost.seconds,
        })
    };
    let cell = |cell: &Cell| match cell {
        Cell::None => Value::Null,
        Cell::Text(text) => json!(text),
        Cell::Number(value, 0) => json!(value.round() as i64),
        Cell::Number(value, _) => json!(value),
    };
    let published = report.published.iter().map(|table| {
        let rows: Vec<Vec<Value>> = table.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        json!({ "title": table.title, "columns": table.columns, "rows": rows })
    });
    let (motion, costs): (Vec<&Cost>, Vec<&Cost>) = report.costs.iter().partition(|cost| cost.task == Task::Motion);
    json!({
        "robot": name,
        "debug_build": cfg!(debug_assertions),
        "costs": costs.into_iter().map(cost).collect::<Vec<_>>(),
        "motion_seconds": motion.first().and_then(|cost| cost.seconds),
        "do_not_apply": report.inapplicable.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "published": published.collect::<Vec<_>>(),
    })
}
