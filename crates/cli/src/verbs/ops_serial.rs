//! `ops` for serial arms: our counts beside Tables 1–3 of Armstrong, Khatib and Burdick.

use crate::output::{Screen, Table};
use crate::progress::Progress;
use dalembert::Operations;
use dalembert::analyze::serial_operations::published::{TABLE_1, TABLE_2, TABLE_3};
use dalembert::analyze::serial_operations::{SerialCost, SerialKernel, serial_operations, two_rates};
use dalembert::arm::ArmVisitor;
use dalembert::describe::SerialRobot;
use dalembert::serial::Serial;
use dalembert_symbolic::explicit::{ATTEMPTS, Explicit, Output, Significance};
use dalembert_symbolic::program::Cost;
use dalembert_symbolic::{Effort, Quantity, SerialQuantity, Signature, cheapest_serial};
use serde_json::{Value, json};

/// Methods and their calculations in a table of the paper.
type Published = &'static [(&'static str, u32)];

/// The paper's threshold.
const SIGNIFICANCE: f64 = 0.01;

/// Above this many terms an explicit model is no rival of the recursion.
const MOST_TERMS: usize = 500;

/// Rounds of polishing.
const ROUNDS: usize = 12;

pub fn run(robot: &SerialRobot, quick: bool, as_json: bool, screen: &mut Screen) {
    let progress = Progress::start("deriving and counting");
    let costs = serial_operations(&robot.arm);
    let derived = robot.arm.visit(Derive { quick });
    progress.end();
    if as_json {
        screen.json(&json(robot, &costs, &derived));
        return;
    }
    screen.heading(format!("{}: what an evaluation costs", robot.name));
    // Only an arm like theirs has something to compare with.
    let like_theirs = costs.iter().any(|cost| cost.program == "explicit");
    let tables: [(&str, SerialKernel, Published); 3] = [
        ("torque", SerialKernel::Torque, &TABLE_1),
        ("mass matrix", SerialKernel::MassMatrix, &TABLE_3),
        ("gravity", SerialKernel::Gravity, &[]),
    ];
    for (title, kernel, published) in tables {
        screen.line("");
        screen.heading(format!("Operations: {title}"));
        let mut table = Table::new("lrrrr");
        table.head(["", "×", "+ −", "sum", "sin/cos"]);
        for (name, calculations) in published.iter().filter(|_| like_theirs) {
            table.row([
                format!("{name}, as published"),
                String::new(),
                String::new(),
                calculations.to_string(),
                String::new(),
            ]);
        }
        for cost in costs.iter().filter(|cost| cost.kernel == kernel) {
            let o = &cost.operations;
            let sums = o.additions + o.subtractions;
            table.row([
                cost.program.to_owned(),
                (o.multiplications + o.divisions + o.square_roots).to_string(),
                sums.to_string(),
                o.arithmetic().to_string(),
                o.sin_cos.to_string(),
            ]);
        }
        for program in derived.iter().filter(|program| program.kernel == kernel) {
            let c = &program.cost;
            table.row([
                program.name.to_owned(),
                (c.multiplications + c.divisions + c.square_roots).to_string(),
                c.additions.to_string(),
                c.arithmetic().to_string(),
                c.sin_cos.to_string(),
            ]);
        }
        screen.table(&table);
    }
    rates(&costs, &derived, like_theirs, screen);
    screen.line("");
    screen
        .line("  Negation and × 0, × ±1 are free; sums of angles, × 2 and products of sines count; sines and cosines");
    screen.line("  stand apart. `derived`: found by search. `abbreviated`: 1 % of an element, 0.1 % of a joint (see");
    screen.line("  docs/derivation.md; the paper's own abbreviated tables are `abbreviated` above).");
}

fn rates(costs: &[SerialCost], derived: &[Derived], like_theirs: bool, screen: &mut Screen) {
    let (speed, published) = TABLE_2;
    screen.line("");
    screen.heading("Two rates at 100,000 operations per second (Table 2): A, B, C, g / torque, Hz");
    let mut table = Table::new("lrrrr");
    table.head(["", "slow part", "fast part", "1 : 1", "1 : 4"]);
    let show = |[slow, fast]: [f64; 2]| format!("{slow:.0} / {fast:.0}");
    if like_theirs {
        let [one, four] = published.map(show);
        table.row(["full explicit model, as published".into(), String::new(), String::new(), one, four]);
    }
    let mut row = |name: &str, slow: u32, fast: u32| {
        let [one, four] = [1, 4].map(|torques| show(two_rates(slow, fast, torques, speed)));
        table.row([name.to_owned(), slow.to_string(), fast.to_string(), one, four]);
    };
    let of = |program: &str, kernel: SerialKernel| {
        let found = costs.iter().find(|cost| cost.program == program && cost.kernel == kernel);
        found.map(|cost| cost.operations.arithmetic())
    };
    for program in ["Christoffel symbols", "explicit", "abbreviated"] {
        let parts =
            [SerialKernel::Configuration, SerialKernel::TorqueOfConfiguration].map(|kernel| of(program, kernel));
        if let [Some(slow), Some(fast)] = parts {
            row(program, slow, fast);
        }
    }
    for program in derived.iter().filter(|program| program.kernel == SerialKernel::Configuration) {
        row(program.name, program.cost.arithmetic() as u32, program.fast);
    }
    screen.table(&table);
}

/// A program that was derived.
struct Derived {
    name: &'static str,
    kernel: SerialKernel,
    cost: Cost,
    /// Of A, B, C and g: what a torque costs when they are known.
    fast: u32,
}

struct Derive {
    quick: bool,
}

impl ArmVisitor for Derive {
    type Output = Vec<Derived>;

    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Vec<Derived> {
        let inputs = |moving: bool| {
            let names: &[&str] = if moving { &["q", "qd", "qdd"] } else { &["q"] };
            names.iter().map(|name| Quantity::new(name, N, "", "")).collect()
        };
        let signature = |moving: bool, outputs: usize| Signature {
            inputs: inputs(moving),
            outputs: vec![Quantity::new("out", outputs, "", "")],
            ..Signature::default()
        };
        let (effort, attempts, rounds) = match self.quick {
            true => (Effort::QUICK, 4, 1),
            false => (Effort::default(), ATTEMPTS, ROUNDS),
        };
        let recursive = |of: SerialQuantity| {
            let moving = of == SerialQuantity::Torque;
            let outputs = if of == SerialQuantity::Mass { N * N } else { N };
            let programs = cheapest_serial(&|_| arm.lift(), of, &signature(moving, outputs), effort, &mut |_| {});
            programs.first().map(|program| program.operations())
        };
        let explicit = Explicit::of(arm).ok().filter(|model| model.terms() <= MOST_TERMS);
        let of_model = |model: &Explicit, output: Output| {
            let (moving, outputs) = match output {
                Output::Torque => (true, N),
                Output::Mass => (false, N * N),
                Output::Elements => (false, model.element_names().len()),
                _ => (false, N),
            };
            model.program(output, signature(moving, outputs), attempts, rounds).operations()
        };
        let mut all = Vec::new();
        let mut note = |name, kernel, cost: Option<Cost>, fast| {
            all.extend(cost.map(|cost| Derived { name, kernel, cost, fast }));
        };
        note("derived", SerialKernel::Torque, recursive(SerialQuantity::Torque), 0);
        let kernels = [
            (SerialKernel::MassMatrix, SerialQuantity::Mass, Output::Mass),
            (SerialKernel::Gravity, SerialQuantity::Gravity, Output::Gravity),
        ];
        for (kernel, quantity, output) in kernels {
            let both = [recursive(quantity), explicit.as_ref().map(|model| of_model(model, output))];
            note("derived", kernel, both.into_iter().flatten().min_by_key(Cost::arithmetic), 0);
        }
        if let Some(full) = explicit {
            let short = full.abbreviated(Significance::at(SIGNIFICANCE)).kept;
            note("derived, abbreviated", SerialKernel::Torque, Some(of_model(&short, Output::Torque)), 0);
            note("derived, abbreviated", SerialKernel::MassMatrix, Some(of_model(&short, Output::Mass)), 0);
            note("derived, abbreviated", SerialKernel::Gravity, Some(of_model(&short, Output::Gravity)), 0);
            for (name, model) in [("derived, explicit", &full), ("derived, abbreviated", &short)] {
                note(name, SerialKernel::Configuration, Some(of_model(model, Output::Elements)), fast_part(model));
            }
        }
        all
    }
}

/// Operations of A q̈ + B [q̇q̇] + C [q̇²] + g with the elements that are not zero.
fn fast_part(model: &Explicit) -> u32 {
    let n = model.len();
    let some = |empty: bool| u32::from(!empty);
    let mut products = 0;
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|j| (j..n).map(move |k| (j, k))).collect();
    for &(j, k) in &pairs {
        products += some((0..n).all(|i| model.velocity(i, j, k).terms.is_empty()));
    }
    let rows = (0..n).map(|i| {
        let mass: u32 = (0..n).map(|j| some(model.mass(i, j).terms.is_empty())).sum();
        let velocity: u32 = model.velocity[i].iter().map(|sum| some(sum.terms.is_empty())).sum();
        let summands = mass + velocity + some(model.gravity[i].terms.is_empty());
        mass + velocity + summands.saturating_sub(1)
    });
    products + rows.sum::<u32>()
}

fn json(robot: &SerialRobot, costs: &[SerialCost], derived: &[Derived]) -> Value {
    let counted = |program: &str, kernel: SerialKernel, o: [u32; 6]| {
        let [additions, multiplications, divisions, square_roots, sin_cos, other] = o;
        json!({
            "program": program,
            "kernel": kernel.as_str(),
            "additions": additions,
            "multiplications": multiplications,
            "divisions": divisions,
            "square_roots": square_roots,
            "arithmetic": additions + multiplications + divisions + square_roots,
            "sin_cos_pairs": sin_cos,
            "other": other,
        })
    };
    let ours = costs.iter().map(|cost| {
        let Operations { additions, subtractions, multiplications, divisions, square_roots, sin_cos, other } =
            cost.operations;
        let all = [additions + subtractions, multiplications, divisions, square_roots, sin_cos, other];
        counted(cost.program, cost.kernel, all)
    });
    let found = derived.iter().map(|program| {
        let c = &program.cost;
        let all = [c.additions, c.multiplications, c.divisions, c.square_roots, c.sin_cos, c.other];
        counted(program.name, program.kernel, all.map(|count| count as u32))
    });
    let published = |table: &[(&str, u32)]| -> Value {
        table.iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect::<serde_json::Map<_, _>>().into()
    };
    json!({
        "robot": robot.name,
        "costs": ours.chain(found).collect::<Vec<_>>(),
        "published": { "torque": published(&TABLE_1), "mass-matrix": published(&TABLE_3) },
    })
}
