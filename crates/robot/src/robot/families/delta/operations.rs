//! What an evaluation of a Delta costs: counted operations and measured time, task by task and model by model, with the
//! figures that the papers give for theirs.

use super::{batch, elbows};
use crate::batch::ManyOf;
use crate::delta::symmetric::Symmetric;
use crate::delta::{Branch, Delta, Model, ModelName, Moving};
use crate::report::text::fixed;
use crate::robot::State;
use crate::robot::operations::{Bench, Cell, Cost, PaperTable, Task, cost, programs};
use crate::{Count, Operations, Scalar, Tally, Vec3};
use published::{ASADI_RATIO, CODOUREY, FALEZZA};
use std::hint::black_box;

/// The fast path for symmetric robots.
pub const SYMMETRIC: &str = "exact, symmetric";

/// The same for many states at once.
pub const BATCH: &str = "exact, batched";

/// What a model of a Delta computes.
const OF_MODELS: [Task; 5] = [Task::Torque, Task::TorqueAlone, Task::Acceleration, Task::MassMatrix, Task::Gravity];

/// Counts and measures every model that applies, and what is beside the models.
pub(super) fn costs(robot: &Delta<f64>, bench: &Bench) -> Vec<Cost> {
    let Some(first) = bench.states.first() else { return Vec::new() };
    let motion = |State { tool, .. }: &State| {
        [robot.platform_of(tool.pose.origin), tool.velocity.linear, tool.acceleration.linear]
    };
    let motions = bench.states.iter().map(motion).collect();
    let counter = Counter { robot, branch: elbows(&first.pick), bench, motions };
    let mut costs = vec![counter.model(Task::Kinematics.as_str(), ModelName::Exact, Task::Kinematics)];
    for name in ModelName::ALL.into_iter().filter(|name| name.applies_to(robot.parameters()).is_ok()) {
        costs.extend(OF_MODELS.map(|task| counter.model(name.as_str(), name, task)));
    }
    costs.extend(counter.symmetric());
    costs.extend(counter.batch());
    costs
}

/// Position, velocity and acceleration of the platform.
type Motion<S> = [Vec3<S>; 3];

/// A motion with sine and cosine of its joints, their velocities and accelerations.
type Given<S> = (Motion<S>, [(S, S); 3], [S; 3], [S; 3]);

#[inline(always)]
fn kinematics<'r, S: Scalar>(robot: &'r Delta<S>, branch: Branch, motion: &Motion<S>) -> Moving<'r, S> {
    robot.pose_unchecked(motion[0], branch).moving(motion[1])
}

/// A task of a model in a motion. The torques of the forward dynamics are any: their values do not matter for the cost.
#[inline(always)]
fn run<S: Scalar>(robot: &Delta<S>, model: &dyn Model<S>, task: Task, branch: Branch, motion: &Motion<S>) {
    let (pose, moving) = (|| robot.pose_unchecked(motion[0], branch), || kinematics(robot, branch, motion));
    match task {
        Task::Torque => run_alone(model, &moving(), motion),
        Task::Acceleration => _ = black_box(model.acceleration(&moving(), motion[2].0, Vec3::zero())),
        Task::MassMatrix => _ = black_box(model.mass_matrix(&pose())),
        Task::Gravity => _ = black_box(model.gravity_torque(&pose())),
        _ => _ = black_box(moving()),
    }
}

/// The torques when the kinematics are solved.
#[inline(always)]
fn run_alone<S: Scalar>(model: &dyn Model<S>, moving: &Moving<'_, S>, motion: &Motion<S>) {
    _ = black_box(model.torque(moving, motion[2], Vec3::zero()));
}

/// A task of the fast path. `TorqueAlone` has everything given, sine and cosine of the joints and their accelerations too, as Falezza's Table 6
/// assumes.
#[inline(always)]
fn run_fast<S: Scalar>(fast: &Symmetric<S>, task: Task, &([x, v, a], sin_cos, qd, qdd): &Given<S>) {
    match task {
        Task::Torque => _ = black_box(fast.torque(x, v, a)),
        Task::TorqueAlone => _ = black_box(fast.torque_given(x, a, sin_cos, qd, qdd)),
        Task::Acceleration => _ = black_box(fast.acceleration(x, v, a.0)),
        Task::MassMatrix => _ = black_box(fast.mass_matrix(x)),
        _ => _ = black_box(fast.gravity_torque(x)),
    }
}

/// The operations of one task of one model, with a robot of constants and a motion of variables.
fn count_model(robot: &Delta<f64>, name: ModelName, task: Task, branch: Branch, motion: &Motion<f64>) -> Operations {
    let whole = |task| {
        let tally = Tally::new();
        {
            let robot = robot.lift::<Count<'_>>();
            let motion = motion.map(|vector| vector.map(|value| tally.variable(value)));
            run(&robot, name.build(robot.parameters()).as_model(), task, branch, &motion);
        }
        tally.operations()
    };
    match task {
        Task::TorqueAlone => whole(Task::Torque) - whole(Task::Kinematics),
        _ => whole(task),
    }
}

/// Motions to count and measure with.
struct Counter<'r> {
    robot: &'r Delta<f64>,
    branch: Branch,
    bench: &'r Bench,
    motions: Vec<Motion<f64>>,
}

impl Counter<'_> {
    fn model(&self, program: &'static str, name: ModelName, task: Task) -> Cost {
        let (robot, branch) = (self.robot, self.branch);
        let any = name.build(robot.parameters());
        let model = any.as_model();
        let seconds = match task {
            Task::TorqueAlone => {
                let solved = self.motions.iter().map(|motion| (kinematics(robot, branch, motion), *motion));
                self.bench.time(&solved.collect::<Vec<_>>(), |(moving, motion)| run_alone(model, moving, motion))
            }
            _ => self.bench.time(&self.motions, |motion| run(robot, model, task, branch, motion)),
        };
        let operations = count_model(robot, name, task, branch, &self.motions[0]);
        Cost { program, task, operations, seconds }
    }

    /// The fast path of `exact` for symmetric robots without friction, on the usual branch.
    fn symmetric(&self) -> Vec<Cost> {
        let (Some(fast), Branch::Out) = (batch::fast_path(self.robot), self.branch) else { return Vec::new() };
        let given: Vec<Given<f64>> = self.motions.iter().map(|motion| self.given(motion)).collect();
        let cost = |task| Cost {
            program: SYMMETRIC,
            task,
            operations: self.count_symmetric(task),
            seconds: self.bench.time(&given, |given| run_fast(&fast, task, given)),
        };
        OF_MODELS.map(cost).into()
    }

    /// A motion with its joints and all rates.
    fn given(&self, motion: &Motion<f64>) -> Given<f64> {
        let moving = kinematics(self.robot, self.branch, motion);
        let sin_cos = moving.pose.arms.map(|arm| (arm.sin_q, arm.cos_q));
        (*motion, sin_cos, moving.joint_velocity(), moving.joint_acceleration(motion[2]))
    }

    fn count_symmetric(&self, task: Task) -> Operations {
        let (motion, sin_cos, qd, qdd) = self.given(&self.motions[0]);
        let tally = Tally::new();
        let variable = |value: f64| tally.variable(value);
        if let Some(fast) = self.robot.symmetric_lifted::<Count<'_>>() {
            let sin_cos = sin_cos.map(|(sin, cos)| (variable(sin), variable(cos)));
            let motion = motion.map(|vector| vector.map(variable));
            run_fast(&fast, task, &(motion, sin_cos, qd.map(variable), qdd.map(variable)));
        }
        tally.operations()
    }

    /// Many states at once ([`crate::batch`]): time per state. It runs the fast path where there is one.
    fn batch(&self) -> [Cost; 2] {
        const STATES: usize = 1024;
        let number = |order: usize, i: usize, k: usize| self.motions[k % self.motions.len()][order][i];
        let columns =
            [0, 1, 2].map(|order| [0, 1, 2].map(|i| (0..STATES).map(|k| number(order, i, k)).collect::<Vec<f64>>()));
        let groups = columns.each_ref().map(|columns| columns.each_ref().map(Vec::as_slice));
        let mut results = [0, 1, 2].map(|_| vec![0.0; STATES]);
        [(Task::Torque, ManyOf::Torques), (Task::Acceleration, ManyOf::Accelerations)].map(|(task, of)| {
            let seconds = self.bench.time(&[()], |()| {
                let mut results = results.each_mut().map(Vec::as_mut_slice);
                batch::many(self.robot, of, groups.each_ref().map(<[&[f64]; 3]>::as_slice), &mut results)
            });
            let operations = match batch::fast_path(self.robot) {
                Some(_) => self.count_symmetric(task),
                None => count_model(self.robot, ModelName::Exact, task, Branch::Out, &self.motions[0]),
            };
            Cost { program: BATCH, task, operations, seconds: seconds.map(|time| time / STATES as f64) }
        })
    }
}

/// Falezza's cost of n-digit arithmetic: sums n, products n², functions n^(5/2).
fn complexity(o: &Operations) -> String {
    let functions = 2 * o.sin_cos + o.other;
    let last = if functions == 0 { String::new() } else { format!(" + {functions} n^2.5") };
    format!("O({} n + {} n²{last})", o.additions + o.subtractions, o.multiplications + o.divisions + o.square_roots)
}

/// The papers' figures beside ours.
pub(super) fn beside_papers(costs: &[Cost]) -> Vec<PaperTable> {
    let timed = costs.iter().any(|cost| cost.seconds.is_some());
    let mut tables = vec![falezza(costs)];
    tables.extend(timed.then(|| ratios(costs)));
    tables
}

fn falezza(costs: &[Cost]) -> PaperTable {
    let published = FALEZZA.iter().map(|row| {
        let [a, s, m, d, sin, cos] = row.operations;
        let [n, n2, n52] = row.complexity;
        vec![
            Cell::Text(format!("{} ({}) as published", row.symbol, row.model)),
            Cell::count(Some(a + s + m + d)),
            Cell::count(Some(sin + cos)),
            Cell::Text(format!("O({n} n + {n2} n² + {n52} n^2.5)")),
            Cell::Number(row.frequency[0] / 1e3, 2),
        ]
    });
    let ours = programs(costs).into_iter().filter_map(|name| {
        let cost = cost(costs, name, Task::TorqueAlone)?;
        Some(vec![
            Cell::Text(name.to_owned()),
            Cell::count(Some(cost.operations.arithmetic())),
            Cell::count(Some(2 * cost.operations.sin_cos)),
            Cell::Text(complexity(&cost.operations)),
            cost.seconds.map_or(Cell::None, |time| Cell::Number(1e-3 / time, 0)),
        ])
    });
    PaperTable {
        title: "Falezza et al. 2022, Tables 6 and 7, beside ours: position, joints and their rates given",
        columns: vec!["", "arithmetic", "trig", "n-digit complexity", "kHz"],
        rows: published.chain(ours).collect(),
        notes: &[
            "Sums cost n; products, quotients and roots n²; functions n^2.5. The published 1176 n of M_f",
            "contradicts its own table: 669 + 477 = 1146. The published rates are of a 2.5 GHz core.",
        ],
    }
}

/// What the papers say in times of a machine long gone, as ratios.
fn ratios(costs: &[Cost]) -> PaperTable {
    let time = |name: &str, task| cost(costs, name, task).and_then(|cost| cost.seconds);
    let whole = |name: &str| time(name, Task::Torque);
    let row = |title: String, published: Cell, [a, b]: [Option<f64>; 2], note: String| {
        let here = a.zip(b).map_or(Cell::None, |(a, b)| Cell::Number(a / b, 2));
        vec![Cell::Text(title), published, here, Cell::Text(note)]
    };
    let simplified = whole("falezza-simplified");
    let mut rows = vec![
        row(
            "complete / simplified, time".into(),
            Cell::Number(FALEZZA[0].frequency[0] / FALEZZA[1].frequency[0], 2),
            [whole("falezza-complete"), simplified],
            "Falezza Table 7".into(),
        ),
        row("exact / simplified, time".into(), Cell::None, [whole("exact"), simplified], "falezza-simplified".into()),
    ];
    rows.extend(["falezza-simplified", "codourey-simplified"].map(|simplified| {
        row(
            "explicit / simplified implicit, time".into(),
            Cell::Number(ASADI_RATIO, 2),
            [whole("asadi"), whole(simplified)],
            format!("Asadi, \"105 % longer\"; here asadi / {simplified}"),
        )
    }));
    let dynamics = time("codourey-simplified", Task::TorqueAlone);
    let of = |task: Task| costs.iter().find(|cost| cost.task == task).and_then(|cost| cost.seconds);
    let ours = [of(Task::Motion), of(Task::Kinematics), dynamics, time("codourey-simplified", Task::MassMatrix)];
    rows.extend(CODOUREY.into_iter().zip(ours).map(|((name, published), ours)| {
        let here = ours.map_or("–".into(), |time| fixed(time * 1e9, 1));
        row(
            format!("{name} / dynamics"),
            Cell::Number(published / CODOUREY[2].1, 2),
            [ours, dynamics],
            format!("Codourey Table 1, {:.0} µs on a T800; here {here} ns", published * 1e6),
        )
    }));
    PaperTable {
        title: "The papers' ratios, beside ours",
        columns: vec!["", "published", "here", "where"],
        rows,
        notes: &[
            "Codourey's blocks here: a pick-and-place cycle, pose and rates, (58) with kinematics given,",
            "and the mass matrix (50) with its pose.",
        ],
    }
}

/// The papers' own figures.
pub mod published {
    /// A row of Falezza et al. 2022, Table 6, and of their Table 7.
    #[derive(Clone, Copy, Debug)]
    pub struct Falezza {
        /// Our name of the model.
        pub model: &'static str,
        /// Their symbol.
        pub symbol: &'static str,
        /// Additions, subtractions, multiplications, divisions, sines, cosines.
        pub operations: [u32; 6],
        /// Their O(n): factors of n, n² and n^(5/2).
        pub complexity: [u32; 3],
        /// Average and maximum frequency on a 2.5 GHz core, Hz.
        pub frequency: [f64; 2],
    }

    /// Tables 6 and 7. The printed factor 1176 of the complete model contradicts its own table: 669 + 477 = 1146.
    pub const FALEZZA: [Falezza; 2] = [
        Falezza {
            model: "falezza-simplified",
            symbol: "M_s",
            operations: [50, 27, 79, 6, 7, 9],
            complexity: [77, 85, 16],
            frequency: [32.10e3, 35.97e3],
        },
        Falezza {
            model: "falezza-complete",
            symbol: "M_f",
            operations: [669, 477, 2029, 2016, 12, 15],
            complexity: [1176, 4045, 27],
            frequency: [4.65e3, 5.02e3],
        },
    ];

    /// Asadi & Heydari 2020: "on average, the proposed method takes 105 % longer" than simplified implicit dynamics.
    pub const ASADI_RATIO: f64 = 2.05;

    /// Codourey 1998, Table 1, on a T800 transputer, s: trajectory, coordinate transformation, dynamics, mass matrix.
    pub const CODOUREY: [(&str, f64); 4] =
        [("trajectory", 149e-6), ("coordinate transformation", 244e-6), ("dynamics", 704e-6), ("mass matrix", 233e-6)];
}
