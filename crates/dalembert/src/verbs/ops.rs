//! What an evaluation costs: counted operations and measured times of all models, next to the figures of papers.

use super::prelude::*;
use crate::analyze::operations::report;
use crate::robot::operations::{Cell, Cost, PaperTable, Task, cost, programs};
use std::time::Duration;

/// What to count.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OpsRequest {
    /// With its payload.
    #[serde(with = "super::source")]
    pub robot: Robot,
    /// Time spent on each measurement; zero: count only.
    #[serde(default)]
    pub budget: Duration,
    /// Do not search for the fewest operations of a serial arm.
    #[serde(default)]
    pub quick: bool,
}

impl OpsRequest {
    /// Counts without measuring.
    pub fn new(robot: Robot) -> Self {
        Self { robot, budget: Duration::ZERO, quick: false }
    }
}

/// What an evaluation costs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OpsOutcome {
    /// Name of the robot.
    pub robot: String,
    /// In a debug build times mean nothing.
    pub debug_build: bool,
    /// One entry per program and task.
    pub costs: Vec<OpsCost>,
    /// Time to evaluate one state of the motion that is used for measuring, s.
    pub motion_seconds: Option<f64>,
    /// Models that cannot represent this robot, with the reason.
    pub do_not_apply: Vec<String>,
    /// Tables of papers next to ours.
    pub published: Vec<PaperTable>,
    #[serde(skip)]
    all_costs: Vec<Cost>,
}

/// The cost of a task.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OpsCost {
    /// A model, or another way to compute the same.
    pub program: &'static str,
    /// What is computed.
    pub task: &'static str,
    /// With subtractions.
    pub additions: u32,
    /// Operations.
    pub multiplications: u32,
    /// Operations.
    pub divisions: u32,
    /// Operations.
    pub square_roots: u32,
    /// Their sum.
    pub total: u32,
    /// Pairs of sine and cosine.
    pub sin_cos_pairs: u32,
    /// Other functions.
    pub other: u32,
    /// Of one call on this machine, where it was measured.
    pub seconds: Option<f64>,
}

impl From<&Cost> for OpsCost {
    fn from(cost: &Cost) -> Self {
        let o = &cost.operations;
        Self {
            program: cost.program,
            task: cost.task.as_str(),
            additions: o.additions + o.subtractions,
            multiplications: o.multiplications,
            divisions: o.divisions,
            square_roots: o.square_roots,
            total: o.arithmetic(),
            sin_cos_pairs: o.sin_cos,
            other: o.other,
            seconds: cost.seconds,
        }
    }
}

impl Outcome for OpsOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let of = |cost: &OpsCost| {
            let count = [("operations", f64::from(cost.total), "")].into_iter();
            let name = format!("{}.{}.", cost.program, cost.task).replace('-', "_");
            metrics(&name, count.chain(cost.seconds.map(|time| ("time", time, "s")))).collect::<Vec<_>>()
        };
        self.costs.iter().flat_map(of).collect()
    }
}

/// Counts and measures all models of a robot.
pub fn ops(request: &OpsRequest, observer: &mut dyn Observer) -> Result<OpsOutcome, VerbError> {
    stage(observer, 0.0, "counting and measuring")?;
    let name = &request.robot.name;
    let report = report(&request.robot, request.budget, request.quick).map_err(|error| {
        let hint = error.hint.map(str::to_owned);
        VerbError { hint, ..VerbError::new("state-refused", format!("{name}: {error}")) }
    })?;
    let (motion, costs): (Vec<&Cost>, Vec<&Cost>) = report.costs.iter().partition(|cost| cost.task == Task::Motion);
    Ok(OpsOutcome {
        robot: name.clone(),
        debug_build: cfg!(debug_assertions),
        costs: costs.into_iter().map(Into::into).collect(),
        motion_seconds: motion.first().and_then(|cost| cost.seconds),
        do_not_apply: report.inapplicable.iter().map(ToString::to_string).collect(),
        published: report.published,
        all_costs: report.costs,
    })
}

impl OpsOutcome {
    /// Whether times were measured.
    pub fn is_timed(&self) -> bool {
        self.all_costs.iter().any(|cost| cost.seconds.is_some())
    }

    /// The tables for people, with their titles.
    pub fn tables(&self) -> Vec<(&'static str, Table)> {
        let costs = &self.all_costs;
        let total = |cost: &Cost| cost.operations.arithmetic().to_string();
        let mut all = vec![
            ("Operations: torques of a motion, kinematics included", torque_table(costs)),
            ("Operations by task, all but functions", by_task(costs, &total)),
        ];
        if self.is_timed() {
            let time = |show: &'static dyn Fn(f64) -> String| move |cost: &Cost| cost.seconds.map_or("–".into(), show);
            let nanoseconds = by_task(costs, &time(&|seconds| fixed(seconds * 1e9, 1)));
            let rates = by_task(costs, &time(&|seconds| human(1e-6 / seconds, 3)));
            all.push(("Time per call on this machine, ns", nanoseconds));
            all.push(("Rate on this machine, million per second", rates));
        }
        all
    }

    /// The tables of papers.
    pub fn paper_tables(&self) -> impl Iterator<Item = (&PaperTable, Table)> {
        self.published.iter().map(|table| (table, paper_table(table)))
    }
}

/// What the torques of each program are made of.
fn torque_table(costs: &[Cost]) -> Table {
    let shown = costs.iter().filter(|cost| [Task::Kinematics, Task::Torque].contains(&cost.task));
    let row = |Cost { program, operations: o, .. }: &Cost| {
        let sums = o.additions + o.subtractions;
        let counts = [sums, o.multiplications, o.divisions, o.square_roots, o.arithmetic(), o.sin_cos, o.other];
        [(*program).to_owned()].into_iter().chain(counts.map(|count| count.to_string()))
    };
    Table::of("lrrrrrrr", ["", "+ −", "×", "÷", "√", "total", "sin/cos", "other"], shown.map(row))
}

/// One row per program, one column per task that any of them does.
fn by_task(costs: &[Cost], cell: &dyn Fn(&Cost) -> String) -> Table {
    let tasks = Task::OF_MODELS.into_iter().filter(|&task| costs.iter().any(|cost| cost.task == task));
    let tasks: Vec<Task> = tasks.collect();
    let rows = programs(costs).into_iter().map(|program| {
        let cells = tasks.iter().map(move |&task| cost(costs, program, task).map_or("–".into(), cell));
        [program.to_owned()].into_iter().chain(cells)
    });
    let head = [String::new()].into_iter().chain(tasks.iter().map(|task| task.as_str().replace('-', " ")));
    Table::of(&format!("l{}", "r".repeat(tasks.len())), head, rows)
}

fn paper_table(paper: &PaperTable) -> Table {
    let is_text = |column: usize| paper.rows.iter().any(|row| matches!(row.get(column), Some(Cell::Text(_))));
    let alignment = (0..paper.columns.len()).map(|column| if is_text(column) { 'l' } else { 'r' });
    let cell = |cell: &Cell| match cell {
        Cell::None => "–".to_owned(),
        Cell::Text(text) => text.clone(),
        Cell::Number(value, decimals) => fixed(*value, *decimals),
    };
    let rows = paper.rows.iter().map(|row| row.iter().map(cell));
    Table::of(&alignment.collect::<String>(), paper.columns.iter().copied(), rows)
}
