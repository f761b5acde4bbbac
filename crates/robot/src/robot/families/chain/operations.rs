//! What an evaluation of a serial arm costs, counted, with the figures that Armstrong, Khatib and Burdick give (Tables 1–3).

use super::models::MODELS;
use super::{ChainRobot, three};
use crate::chain::ChainError;
use crate::robot::State;
use crate::robot::operations::{Bench, Cell, Cost, PaperTable, Task, cost, programs};
use crate::serial::SerialParameters;
use crate::serial::puma::{Constants, Matrices, PumaModel};
use crate::symbolic::derive::{Of, numbers};
use crate::symbolic::explicit::{ATTEMPTS, Explicit, FormulaOutput, Significance};
use crate::symbolic::{self, Effort, Program, Quantity, Target, cheapest_serial};
use crate::{Count, Operations, Scalar, Tally};
use published::{TABLE_1, TABLE_2, TABLE_3};

/// The paper's threshold.
const SIGNIFICANCE: f64 = 0.01;

/// Above this many terms an explicit model is no rival of the recursion.
const MOST_TERMS: usize = 500;

/// Rounds of polishing.
const ROUNDS: usize = 12;

/// An explicit model with more terms than this is no rival of the recursion for torques.
const FEW_TERMS: usize = 150;

/// Inputs whose operations are counted: q, q̇ and q̈ (or τ).
fn variables(tally: &Tally, n: usize) -> [Vec<Count<'_>>; 3] {
    [0, 1, 2].map(|k| (0..n).map(|i| tally.variable(0.3 + 0.1 * (k * n + i) as f64)).collect())
}

/// What is done beyond the pose, and with it.
fn beyond<'t>(
    tally: &'t Tally,
    posed: Operations,
    run: &dyn Fn() -> Result<Vec<Count<'t>>, ChainError>,
) -> Result<Operations, ChainError> {
    let before = tally.operations();
    run()?;
    Ok(posed + (tally.operations() - before))
}

fn counted(program: &'static str, task: Task, operations: Operations) -> Cost {
    Cost { program, task, operations, seconds: None }
}

/// Torques at once, and in two parts at two rates.
fn two_parts(program: &'static str, configuration: Operations, both: Operations) -> [Cost; 3] {
    [
        counted(program, Task::Torque, both),
        counted(program, Task::Configuration, configuration),
        counted(program, Task::TorqueOfConfiguration, both - configuration),
    ]
}

impl ChainRobot {
    /// The counts of all algorithms that apply; of chains that are not in a row the recursions are measured too.
    pub(super) fn costs(&self, bench: &Bench) -> Vec<Cost> {
        let mut costs = self.recursive().unwrap_or_default();
        if !self.is_arm() {
            for cost in &mut costs {
                cost.seconds = self.measured(bench, cost.task);
            }
            return costs;
        }
        if let Some(six) = self.chain.serial::<6>()
            && Constants::applies_to(six.parameters()).is_ok()
        {
            costs.extend(tables(six.parameters()));
        }
        costs.extend(self.derived(bench.quick));
        costs
    }

    fn measured(&self, bench: &Bench, task: Task) -> Option<f64> {
        bench.time(&bench.states, |state: &State| {
            let all @ [q, ..] = three(&state.joints);
            match task {
                Task::Torque => self.chain.torque(all, None),
                Task::Acceleration => self.chain.acceleration(all, None),
                Task::MassMatrix => self.chain.mass_matrix(q),
                _ => self.chain.gravity_torque(q),
            }
        })
    }

    /// The recursions, which every chain has: one pose, and what each of them does beyond it.
    fn recursive(&self) -> Result<Vec<Cost>, ChainError> {
        let (tally, n) = (Tally::new(), self.chain.joints());
        let [q, qd, qdd] = variables(&tally, n);
        // The parameters are constants, which cost nothing.
        let chain = self.chain.lift();
        let pose = chain.at_joints(&q)?;
        let posed = tally.operations();
        let torque = beyond(&tally, posed, &|| pose.clone().moving(&qd)?.torque(&qdd))?;
        let acceleration = beyond(&tally, posed, &|| pose.clone().moving(&qd)?.acceleration(&qdd))?;
        let (composite, gravity) =
            (beyond(&tally, posed, &|| Ok(pose.mass_matrix()))?, beyond(&tally, posed, &|| Ok(pose.gravity_torque()))?);
        if !self.is_arm() {
            let tasks = [Task::Torque, Task::Acceleration, Task::MassMatrix, Task::Gravity].into_iter();
            let all = tasks.zip([torque, acceleration, composite, gravity]);
            return Ok(all.map(|(task, operations)| counted(MODELS[0].name, task, operations)).collect());
        }
        let walker_orin = beyond(&tally, posed, &|| Ok(pose.mass_matrix_walker_orin()))?;
        let start = tally.operations();
        let (mass, christoffel, still) = (pose.mass_matrix(), pose.christoffel(), pose.gravity_torque());
        let configuration = posed + (tally.operations() - start);
        for i in 0..n {
            let mut sum = still[i];
            for j in 0..n {
                sum = sum + mass[i * n + j] * qdd[j] + christoffel[i][j * n + j] * (qd[j] * qd[j]);
                for k in j + 1..n {
                    sum = sum + christoffel[i][j * n + k].times(2.0) * (qd[j] * qd[k]);
                }
            }
        }
        let both = posed + (tally.operations() - start);

        let mut costs = vec![
            counted("Newton–Euler", Task::Torque, torque),
            counted("Walker–Orin", Task::MassMatrix, walker_orin),
            counted("composite bodies", Task::MassMatrix, composite),
            counted("first moments", Task::Gravity, gravity),
            counted("articulated bodies", Task::Acceleration, acceleration),
        ];
        costs.extend(two_parts("Christoffel symbols", configuration, both));
        Ok(costs)
    }

    /// What the search for the fewest operations finds.
    fn derived(&self, quick: bool) -> Vec<Cost> {
        let (arm, n) = (&self.chain, self.chain.joints());
        let signature = |moving: bool, outputs: usize| {
            let names: &[&str] = if moving { &["q", "qd", "qdd"] } else { &["q"] };
            Program {
                inputs: names.iter().map(|name| Quantity::new(name, n, "", "")).collect(),
                outputs: vec![Quantity::new("out", outputs, "", "")],
                ..Program::default()
            }
        };
        let (effort, attempts, rounds) = match quick {
            true => (Effort::QUICK, 4, 1),
            false => (Effort::default(), ATTEMPTS, ROUNDS),
        };
        let recursive = |of: Of| {
            let moving = of == Of::Torque;
            let outputs = if of == Of::Mass { n * n } else { n };
            let programs =
                cheapest_serial(&|_| numbers(arm), of, &signature(moving, outputs), Target::Count, effort, &mut |_| {});
            programs.first().map(|program| operations(&program.operations()))
        };
        let explicit = Explicit::of(arm).ok().filter(|model| model.terms() <= MOST_TERMS);
        let of_model = |model: &Explicit, output: FormulaOutput| {
            let (moving, outputs) = match output {
                FormulaOutput::Torque => (true, n),
                FormulaOutput::Mass => (false, n * n),
                FormulaOutput::Elements => (false, model.element_names().len()),
                _ => (false, n),
            };
            operations(&model.program(output, signature(moving, outputs), Target::Count, attempts, rounds).operations())
        };
        let tasks = [
            (Task::Torque, Of::Torque, FormulaOutput::Torque),
            (Task::MassMatrix, Of::Mass, FormulaOutput::Mass),
            (Task::Gravity, Of::Gravity, FormulaOutput::Gravity),
        ];
        let mut costs = Vec::new();
        for (task, quantity, output) in tasks {
            // The torques of a large arm are cheaper by recursion, and take long to be factored.
            let rival = |model: &&Explicit| task != Task::Torque || model.terms() <= FEW_TERMS;
            let both = [recursive(quantity), explicit.as_ref().filter(rival).map(|model| of_model(model, output))];
            let best = both.into_iter().flatten().min_by_key(Operations::arithmetic);
            costs.extend(best.map(|best| counted("derived", task, best)));
        }
        let Some(full) = explicit else { return costs };
        let short = full.abbreviated(Significance::at(SIGNIFICANCE)).kept;
        costs.extend(tasks.map(|(task, _, output)| counted("derived, abbreviated", task, of_model(&short, output))));
        for (program, model) in [("derived, explicit", &full), ("derived, abbreviated", &short)] {
            costs.push(counted(program, Task::Configuration, of_model(model, FormulaOutput::Elements)));
            costs.push(counted(program, Task::TorqueOfConfiguration, fast_part(model)));
        }
        costs
    }
}

/// The operations of a derived program, which has additions and subtractions together.
fn operations(cost: &symbolic::program::OperationCounts) -> Operations {
    let [additions, multiplications, divisions, square_roots, sin_cos, other] =
        [cost.additions, cost.multiplications, cost.divisions, cost.square_roots, cost.sin_cos, cost.other]
            .map(|count| count as u32);
    Operations { additions, subtractions: 0, multiplications, divisions, square_roots, sin_cos, other }
}

/// Operations of A q̈ + B [q̇q̇] + C [q̇²] + g with the elements that are not zero.
fn fast_part(model: &Explicit) -> Operations {
    let n = model.count();
    let some = |empty: bool| u32::from(!empty);
    let mut all = Operations::default();
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|j| (j..n).map(move |k| (j, k))).collect();
    for &(j, k) in &pairs {
        all.multiplications += some((0..n).all(|i| model.velocity(i, j, k).terms.is_empty()));
    }
    for i in 0..n {
        let mass: u32 = (0..n).map(|j| some(model.mass(i, j).terms.is_empty())).sum();
        let velocity: u32 = model.velocity[i].iter().map(|sum| some(sum.terms.is_empty())).sum();
        let summands = mass + velocity + some(model.gravity[i].terms.is_empty());
        all.multiplications += mass + velocity;
        all.additions += summands.saturating_sub(1);
    }
    all
}

/// The paper's own tables, for arms that they are exact for.
fn tables(p: &SerialParameters<f64, 6>) -> impl Iterator<Item = Cost> {
    fn matrices<S: Scalar>(p: &SerialParameters<f64, 6>, full: bool, q: [S; 6]) -> Matrices<S> {
        if full { PumaModel::explicit(&p.lift()).matrices(q) } else { PumaModel::Abbreviated.matrices(q) }
    }
    [("explicit", true), ("abbreviated", false)].into_iter().flat_map(|(program, full)| {
        let tally = Tally::new();
        let [q, qd, qdd] = variables(&tally, 6).map(|all| std::array::from_fn(|i| all[i]));
        let matrices = matrices(p, full, q);
        let configuration = tally.operations();
        matrices.torque(qd, qdd);
        let both = tally.operations();
        two_parts(program, configuration, both)
    })
}

/// The paper's figures beside ours. Only an arm like theirs has something to compare with.
pub(super) fn beside_papers(costs: &[Cost]) -> Vec<PaperTable> {
    let like_theirs = cost(costs, "explicit", Task::Torque).is_some();
    let mut tables = Vec::new();
    if like_theirs {
        tables.push(counts_beside(costs));
    }
    tables.push(rates(costs, like_theirs));
    tables
}

fn counts_beside(costs: &[Cost]) -> PaperTable {
    let as_published = |name: &str, counts: [Option<u32>; 2]| {
        let mut row = vec![Cell::Text(format!("{name}, as published"))];
        row.extend(counts.map(Cell::count));
        row
    };
    let torque = TABLE_1.iter().map(|(name, count)| as_published(name, [Some(*count), None]));
    let mass = TABLE_3.iter().map(|(name, count)| as_published(name, [None, Some(*count)]));
    let ours = programs(costs).into_iter().filter_map(|program| {
        let counts = [Task::Torque, Task::MassMatrix]
            .map(|task| cost(costs, program, task).map(|cost| cost.operations.arithmetic()));
        let mut row = vec![Cell::Text(program.to_owned())];
        row.extend(counts.map(Cell::count));
        counts.iter().any(Option::is_some).then_some(row)
    });
    PaperTable {
        title: "Armstrong, Khatib and Burdick 1986, Tables 1 and 3, beside ours: operations without sines and cosines",
        columns: vec!["", "torque", "mass matrix"],
        rows: torque.chain(mass).chain(ours).collect(),
        notes: &[
            "Negation and × 0, × ±1 are free; sums of angles, × 2 and products of sines count; sines and cosines",
            "stand apart. `derived`: found by search. `derived, abbreviated`: without what is below 1 % of an element",
            "and 0.1 % of a joint (docs/derivation.md). `abbreviated`: the paper's own abbreviated tables.",
        ],
    }
}

fn rates(costs: &[Cost], like_theirs: bool) -> PaperTable {
    let (speed, published) = TABLE_2;
    let show = |[slow, fast]: [f64; 2]| Cell::Text(format!("{slow:.0} / {fast:.0}"));
    let mut rows = Vec::new();
    if like_theirs {
        let [one, four] = published.map(show);
        rows.push(vec![Cell::Text("full explicit model, as published".into()), Cell::None, Cell::None, one, four]);
    }
    rows.extend(programs(costs).into_iter().filter_map(|program| {
        let part = |task| cost(costs, program, task).map(|cost| cost.operations.arithmetic());
        let (slow, fast) = (part(Task::Configuration)?, part(Task::TorqueOfConfiguration)?);
        let [one, four] = [1, 4].map(|torques| show(two_rates(slow, fast, torques, speed)));
        Some(vec![Cell::Text(program.to_owned()), Cell::count(Some(slow)), Cell::count(Some(fast)), one, four])
    }));
    PaperTable {
        title: "Two rates at 100,000 operations per second (Table 2): A, B, C, g / torque, Hz",
        columns: vec!["", "slow part", "fast part", "1 : 1", "1 : 4"],
        rows,
        notes: &[],
    }
}

/// The rates of the paper's Table 2, 1/s: of configuration and torque, at `speed` operations per second, when the
/// configuration is evaluated once for every `torques` torques.
const fn two_rates(configuration: u32, torque: u32, torques: u32, speed: f64) -> [f64; 2] {
    let slow = speed / (configuration + torques * torque) as f64;
    [slow, slow * torques as f64]
}

// The first row of Table 2 is 85.8 Hz for 1165 operations; with four torques per configuration the torque is faster
// and the configuration slower, whatever the share of the two is.
const _: () = {
    let [slow, fast] = two_rates(900, 265, 1, 1e5);
    assert!(slow == fast);
    assert!((slow - 85.8).abs() < 0.05);
    let [slow, fast] = two_rates(900, 265, 4, 1e5);
    assert!((fast / slow - 4.0).abs() < 1e-12 && slow < 52.0);
};

/// The figures of the paper. Its counts leave out sines and cosines, as ours do.
mod published {
    /// Table 1: calculations for the torques.
    pub(super) const TABLE_1: [(&str, u32); 3] = [
        ("recursive Newton–Euler", 1560),
        ("full explicit model (739 × and 426 +)", 1165),
        ("abbreviated explicit model, 1 %", 305),
    ];

    /// Table 3: calculations for the mass matrix.
    pub(super) const TABLE_3: [(&str, u32); 4] = [
        ("Walker and Orin", 2737),
        ("full explicit model", 278),
        ("Izaguirre and Paul 1985, simplified", 58),
        ("abbreviated explicit model, 1 %", 25),
    ];

    /// Table 2: operations per second, and the rates of configuration and torque, 1/s, for one and for four torques per
    /// configuration. (100,000 / 1165 is 85.8, not 78.)
    pub(super) const TABLE_2: (f64, [[f64; 2]; 2]) = (1e5, [[78.0, 78.0], [50.0, 200.0]]);
}
