//! Programs of serial arms.

use super::combined::{Elimination, derivatives, of_acceleration, solve};
use super::near::{near, snapped};
use super::size::Sized;
use super::symbols::{self, Symbol, Symbols};
use super::verify::{STATES, Trial, verified};
use super::{
    DeriveError, Derived, Of, Request, Rubbing, Suspicion, abbreviated, finish, first_checked, join, program_name,
    regressor, with_friction,
};
use crate::explicit::{ATTEMPTS, Explicit};
use crate::expr::Expr;
use crate::extract::{Random, Signature};
use crate::graph::Graph;
use crate::program::{Program, Quantity};
use crate::search::{Effort, SerialQuantity, cheapest_serial};
use dalembert_core::serial::{DhConvention, Joint, LinkParameters, Serial, SerialError, SerialParameters};
use dalembert_core::{Dual, Scalar};
use std::f64::consts::PI;

/// The program of a serial arm. `progress` is told the share that is done, from 0 to 1.
pub fn serial<const N: usize>(
    arm: &Serial<f64, N>,
    request: &Request,
    progress: &mut dyn FnMut(f64),
) -> Result<Derived, DeriveError> {
    let all = request.all();
    for &of in &all {
        let reason = match of {
            Of::TorqueCartesian => "it is for robots whose platform is given; a serial arm has `torque`",
            Of::Ik => {
                "the inverse kinematics of a serial arm chooses among its solutions, it is no formula without \
                 branches; the verb `ik` has it"
            }
            _ => continue,
        };
        return Err(DeriveError::DoesNotApply { of, reason: reason.into() });
    }
    join::refuse_own_laws(request.of, &arm.parameters().links.map(|link| link.friction))?;
    if all.contains(&Of::Regressor) {
        return regressor::regressor(arm, request);
    }
    let (arm, taken) = match request.snap {
        Some(within) => snapped(arm, within),
        None => (*arm, Vec::new()),
    };
    let programs = |arm: &Serial<f64, N>, request: &Request, progress: &mut dyn FnMut(f64)| {
        let job = Job { rigid: rigid_part(arm), request };
        match all[..] {
            [of] => job.programs(of, progress),
            _ => job.combined(&all, progress),
        }
    };
    let found = programs(&arm, request, progress);
    // Should none be as exact as it may be, those without a search, and the formula as it is written.
    let quick = Request { effort: Effort::QUICK, ..request.clone() };
    let plain = std::iter::once_with(|| {
        let formula = || Job { rigid: rigid_part(&arm), request }.formula(request.of, 0);
        let has_one = request.also.is_empty() && request.of != Of::AccelerationDerivatives;
        programs(&arm, &quick, &mut |_| ()).into_iter().chain(has_one.then(formula))
    });
    let mut derived =
        first_checked(found.into_iter().chain(plain.flatten()), request.of, |program| checked(&arm, request, program))?;
    if !taken.is_empty() {
        let all: Vec<String> =
            taken.iter().map(|near| format!("{} = {} as {}", near.name, near.value, near.meant)).collect();
        derived.program.conventions.push(format!("Taken for what they are near to: {}.", all.join(", ")));
    }
    let numbers = near(&arm);
    if !numbers.is_empty() {
        let quick = Request { effort: Effort::QUICK, symbolic: false, ..request.clone() };
        let count = |arm: &Serial<f64, N>| {
            programs(arm, &quick, &mut |_| ()).first().map_or(0, |program| program.operations().arithmetic())
        };
        let suspicion = Suspicion { numbers, operations: 0, instead: 0 };
        let (operations, instead) = (count(&arm), count(&snapped(&arm, suspicion.snap()).0));
        if instead < operations {
            derived.near.push(Suspicion { operations, instead, ..suspicion });
        }
    }
    Ok(derived)
}

/// What is derived of an arm without friction.
struct Job<'r, const N: usize> {
    rigid: Serial<f64, N>,
    request: &'r Request,
}

impl<const N: usize> Job<'_, N> {
    fn signature(&self, all: &[Of]) -> Signature {
        let graph = Graph::new();
        signature(&self.rigid, all, self.request, &lifted(&self.rigid, self.request.symbolic, &graph).1)
    }

    /// Programs for one thing, the cheapest first.
    fn programs(&self, of: Of, progress: &mut dyn FnMut(f64)) -> Vec<Program> {
        let Request { symbolic, target, effort, .. } = *self.request;
        let signature = self.signature(&[of]);
        let quantity = match of {
            Of::Torque => Some(SerialQuantity::Torque),
            Of::Bias => Some(SerialQuantity::Bias),
            Of::Coriolis => Some(SerialQuantity::Coriolis),
            Of::Mass => Some(SerialQuantity::Mass),
            Of::Gravity => Some(SerialQuantity::Gravity),
            _ => None,
        };
        let mut programs = Vec::new();
        if let Some(quantity) = quantity {
            let plain = numbers(&self.rigid);
            programs = cheapest_serial(
                &|graph| if symbolic { lifted(&self.rigid, true, graph).0 } else { plain },
                quantity,
                &signature,
                target,
                effort,
                progress,
            );
        }
        programs.extend(explicit_program(&self.rigid, self.request, of, &signature));
        if matches!(of, Of::Acceleration | Of::TorqueDerivatives | Of::AccelerationDerivatives) {
            programs.extend(self.combined(&[of], progress));
        }
        if quantity.is_none() && !matches!(of, Of::TorqueDerivatives | Of::AccelerationDerivatives) {
            programs.push(self.formula(of, effort.rounds));
        }
        programs.sort_by_key(|program| target.score(&program.operations()));
        programs
    }

    /// The formula as it is written, and so many rounds of polishing.
    fn formula(&self, of: Of, rounds: usize) -> Program {
        let Request { symbolic, target, .. } = *self.request;
        let graph = Graph::for_target(target);
        let (lifted, _) = lifted(&self.rigid, symbolic, &graph);
        let signature = self.signature(&[of]);
        let point = inputs_of(&[of], &rows(&self.rigid, &mut Random::new(1)));
        let variables = symbols::inputs(&graph, &signature.inputs, &point);
        let results = expression(&lifted.with_joints(), N, of, &rows_of::<_, N>(&[of], &variables).map(long));
        match rounds {
            0 => graph.program(signature, &results, &[]),
            _ => graph.cheapest(signature, &results, &[], rounds),
        }
    }

    /// A program from the cheapest programs of its parts: M q̈ = τ − h for accelerations, mass matrix and derivatives.
    fn combined(&self, all: &[Of], progress: &mut dyn FnMut(f64)) -> Vec<Program> {
        let Request { symbolic, target, effort, .. } = *self.request;
        let mut needed: Vec<Of> = Vec::new();
        for &of in all {
            let parts: &[Of] = match of {
                Of::Acceleration => &[Of::Mass, Of::Bias],
                Of::TorqueDerivatives => &[Of::Mass, Of::Torque],
                Of::AccelerationDerivatives => &[Of::Mass, Of::Bias, Of::Torque],
                _ => &[of],
            };
            needed.extend(parts.iter().filter(|part| !needed.contains(part)).copied().collect::<Vec<_>>());
        }
        let mut parts: Vec<(Of, Program)> = Vec::new();
        for (k, &of) in needed.iter().enumerate() {
            let mut part = |share: f64| progress(0.8 * (k as f64 + share) / needed.len() as f64);
            let Some(program) = self.programs(of, &mut part).into_iter().next() else { return Vec::new() };
            parts.push((of, program));
        }
        let signature = self.signature(all);
        let eliminations: &[Elimination] = match all.contains(&Of::Acceleration) {
            _ if all.contains(&Of::AccelerationDerivatives) => &[Elimination::FromLast],
            true => &[Elimination::FromLast, Elimination::FromFirst],
            false => &[Elimination::FromLast],
        };
        let mut programs = Vec::new();
        for (k, &elimination) in eliminations.iter().enumerate() {
            progress(0.8 + 0.2 * k as f64 / eliminations.len() as f64);
            let graph = Graph::for_target(target);
            let (_, symbols) = lifted(&self.rigid, symbolic, &graph);
            let parameters = symbols.expressions();
            let point = inputs_of(all, &rows(&self.rigid, &mut Random::new(1)));
            let variables = symbols::inputs(&graph, &signature.inputs, &point);
            let [q, qd, qdd, tau] = rows_of::<_, N>(all, &variables).map(|row| row.to_vec());
            let of = |wanted: Of| -> Vec<Expr<'_>> {
                let inputs = inputs_of(&[wanted], &[&q, &qd, &qdd, &tau]);
                let found = parts.iter().find(|(of, _)| *of == wanted);
                found.map_or(Vec::new(), |(_, program)| program.evaluate_with(&parameters, &inputs))
            };
            let mut results = Vec::new();
            for &wanted in all {
                match wanted {
                    Of::Acceleration => {
                        let free: Vec<Expr<'_>> = tau.iter().zip(of(Of::Bias)).map(|(&tau, h)| tau - h).collect();
                        results.extend(solve(&of(Of::Mass), &free, elimination));
                    }
                    Of::TorqueDerivatives => {
                        let inputs = inputs_of(&[Of::Torque], &[&q, &qd, &qdd, &tau]);
                        if let Some((_, torque)) = parts.iter().find(|(of, _)| *of == Of::Torque) {
                            results.extend(derivatives(torque, &parameters, &inputs, 0..N));
                            results.extend(derivatives(torque, &parameters, &inputs, N..2 * N));
                            results.extend(of(Of::Mass));
                        }
                    }
                    Of::AccelerationDerivatives => {
                        let free: Vec<Expr<'_>> = tau.iter().zip(of(Of::Bias)).map(|(&tau, h)| tau - h).collect();
                        let mass = of(Of::Mass);
                        let qdd = solve(&mass, &free, elimination);
                        let inputs = inputs_of(&[Of::Torque], &[&q, &qd, &qdd, &tau]);
                        if let Some((_, torque)) = parts.iter().find(|(of, _)| *of == Of::Torque) {
                            let by = |rows| derivatives(torque, &parameters, &inputs, rows);
                            results.extend(of_acceleration(&mass, &by(0..N), &by(N..2 * N), elimination));
                        }
                    }
                    other => results.extend(of(other)),
                }
            }
            programs.push(graph.cheapest(signature.clone(), &results, &[], effort.rounds));
        }
        programs.sort_by_key(|program| target.score(&program.operations()));
        programs
    }
}

/// The program of the explicit model, where there is one and it may be a rival of the recursion.
fn explicit_program<const N: usize>(
    rigid: &Serial<f64, N>,
    request: &Request,
    of: Of,
    signature: &Signature,
) -> Option<Program> {
    /// Above these the recursion is far cheaper, and the explicit model takes long.
    const MOST_JOINTS: usize = 6;
    const MOST_TERMS: usize = 3000;
    const MOST_MOVING: usize = 150;
    let output = abbreviated::output(of)?;
    if request.symbolic || request.effort.plans == 0 || N > MOST_JOINTS {
        return None;
    }
    let most = if matches!(of, Of::Mass | Of::Gravity) { MOST_TERMS } else { MOST_MOVING };
    let model = Explicit::of(rigid).ok().filter(|model| model.terms() <= most)?;
    Some(model.program(output, signature.clone(), request.target, ATTEMPTS, request.effort.rounds))
}

/// The arm without friction.
pub(super) fn rigid_part<const N: usize>(arm: &Serial<f64, N>) -> Serial<f64, N> {
    Serial::new(SerialParameters {
        links: arm.parameters().links.map(|link| LinkParameters { friction: None, ..link }),
        ..*arm.parameters()
    })
}

/// The arm with the numbers of its file as expressions.
pub fn numbers<const N: usize>(arm: &Serial<f64, N>) -> Serial<Expr<'static>, N> {
    let mut parameters = arm.parameters().lift();
    symbols::on_circle(|visit| parameters.visit(visit));
    Serial::new(parameters)
}

/// The arm in a graph, always the same, and its symbols.
fn lifted<'g, const N: usize>(
    arm: &Serial<f64, N>,
    symbolic: bool,
    graph: &'g Graph,
) -> (Serial<Expr<'g>, N>, Symbols<'g>) {
    let mut symbols = Symbols::new(graph);
    if !symbolic {
        return (numbers(arm), symbols);
    }
    let mut random = Random::new(11);
    let mut make = |symbol: Symbol, value| symbols.expr(symbol, value, &mut random);
    let mut parameters = symbols::serial(arm.parameters(), &mut make);
    symbols::on_circle(|visit| parameters.visit(visit));
    (Serial::new(parameters), symbols)
}

pub(super) fn signature<const N: usize>(
    arm: &Serial<f64, N>,
    all: &[Of],
    request: &Request,
    symbols: &Symbols<'_>,
) -> Signature {
    let (inputs, outputs) = quantities(arm, all);
    let titles: Vec<String> = all.iter().map(|&of| symbols::title(of)).collect();
    Signature {
        name: program_name(request),
        title: titles.join("; "),
        inputs,
        outputs,
        parameters: symbols.parameters(),
    }
}

/// The rigid program with friction, if it does what the formula does.
fn checked<const N: usize>(
    arm: &Serial<f64, N>,
    request: &Request,
    mut program: Program,
) -> Result<Derived, DeriveError> {
    let all = request.all();
    for slope in [false, true] {
        let frictions = arm.parameters().links.map(|link| link.friction);
        let slides = |i: usize| arm.parameters().links[i].joint == Joint::Prismatic;
        let rubbing = rubbing::<N>(&program, &all, slope);
        let Some(loss) = join::friction(&frictions, &slides, request.symbolic, slope) else { continue };
        if slope
            && let (Some(velocities), Some(a), Some(b)) = (
                rubbing.velocities,
                offset::<N>(&program.outputs, "dqdd_dqd"),
                offset::<N>(&program.outputs, "dqdd_dtau"),
            )
        {
            program = join::damped(program, &loss, velocities, [a, b]);
        }
        if rubbing.taken.is_some() || !rubbing.added.is_empty() {
            program = match slope {
                false => with_friction(program, &loss, &rubbing),
                true => with_friction(program, &on_diagonal(loss), &rubbing),
            };
        }
    }
    let program = finish(program, request, conventions(arm));

    // At the robot's own parameters, and at others where they are symbols.
    let graph = Graph::new();
    let (_, symbols) = lifted(arm, request.symbolic, &graph);
    let points: &[Option<usize>] = if request.symbolic { &[None, Some(0), Some(1)] } else { &[None] };
    let value = |point: Option<usize>, name: &str, value| point.map_or(value, |k| symbols.sample(name, value, k));
    let variants: Vec<Serial<f64, N>> = points
        .iter()
        .map(|&point| match point {
            Some(_) => Serial::new(symbols::serial(arm.parameters(), &mut |s, x| value(point, &s.name, x))),
            None => *arm,
        })
        .collect();
    let mut random = Random::new(101);
    let mut trials = Vec::new();
    for k in 0..STATES {
        let variant = k % variants.len();
        let other = &variants[variant];
        let rows = rows(other, &mut random);
        let [q, qd, _, tau] = rows;
        let (mut expected, mut sizes) = (Vec::new(), Vec::new());
        let sized = Serial::<Sized, N>::new(other.parameters().lift()).with_joints();
        for &of in &all {
            let as_torque = if of == Of::Acceleration { Of::Torque } else { of };
            let found = sized_formula(&sized, N, as_torque, &rows.map(|row| long(row.map(Sized::from_f64))));
            sizes.extend(found.iter().map(|x| x.size));
            if of == Of::AccelerationDerivatives {
                solvable(&other.with_joints(), [q, qd, tau].map(long))
                    .map_err(|cause| DeriveError::Undetermined { of, cause })?;
                // As large as what is added up where they are judged.
                let of_rows = |of: Of, rows: &Rows<f64, N>| {
                    sized_formula(&sized, N, of, &rows.map(|row| long(row.map(Sized::from_f64))))
                };
                let mass = of_rows(Of::Mass, &rows);
                let value = |k: usize| found[k].value;
                let block = |b: usize| (0..N * N).map(|k| -value(b * N * N + k)).collect::<Vec<f64>>();
                let values: Vec<f64> = mass.iter().map(|x| x.value).collect();
                let all = of_acceleration(&values, &block(0), &block(1), Elimination::FromLast);
                // They are those at the accelerations, which are as exact as the torques and the mass matrix allow.
                let torque = of_rows(Of::Torque, &rows);
                let inverse = |m: usize, k: usize| all[(2 * N + m) * N + k].abs();
                let mut apart = rows;
                for m in 0..N {
                    apart[2][m] += (0..N).map(|k| inverse(m, k) * torque[k].size).sum::<f64>();
                }
                let apart = of_rows(of, &apart);
                let at = sizes.len() - found.len();
                for (k, size) in sizes[at..].iter_mut().enumerate() {
                    let (b, i, j) = (k / (N * N), k / N % N, k % N);
                    let terms = (0..N).map(|m| (mass[i * N + m].size * all[b * N * N + m * N + j]).abs());
                    *size = size.max(terms.sum()) + (apart[k].value - value(k)).abs();
                }
            }
            if of == Of::Acceleration {
                solvable(&other.with_joints(), [q, qd, tau].map(long))
                    .map_err(|cause| DeriveError::Undetermined { of, cause })?;
                expected.extend(tau);
            } else {
                expected.extend(found.iter().map(|x| x.value));
            }
        }
        let parameters = program.parameters.iter().map(|p| value(points[variant], &p.name, p.value)).collect();
        trials.push(Trial { variant, parameters, expected, sizes, inputs: inputs_of(&all, &rows) });
    }
    let accelerations = offset::<N>(&program.outputs, "qdd");
    let of_accelerations = offset::<N>(&program.outputs, "dqdd_dq");
    verified(program, request.of, &trials, &|trial, mut found| {
        // So are their derivatives.
        if let Some(from) = of_accelerations {
            let [q, ..] = rows_of::<f64, N>(&all, &trial.inputs);
            let mass = mass_matrix(&variants[trial.variant], q);
            let entry = |found: &[f64], k: usize| -> f64 {
                let (block, i, j) = (from + k / (N * N) * N * N, k / N % N, k % N);
                (0..N).map(|m| mass[i * N + m] * found[block + m * N + j]).sum()
            };
            let all: Vec<f64> = (0..3 * N * N).map(|k| entry(&found, k)).collect();
            found.splice(from..from + 3 * N * N, all);
        }
        // Accelerations are judged by the torques that they ask for: how well the mass matrix is conditioned is the
        // robot's affair, not the program's.
        if let Some(from) = accelerations {
            let [q, qd, ..] = rows_of::<f64, N>(&all, &trial.inputs);
            let qdd = std::array::from_fn(|i| found[from + i]);
            found.splice(from..from + N, torque(&variants[trial.variant], [q, qd, qdd]));
        }
        found
    })
}

/// Where a quantity begins among others.
fn offset<const N: usize>(quantities: &[Quantity], name: &str) -> Option<usize> {
    let at = quantities.iter().position(|quantity| quantity.name == name)?;
    Some(quantities[..at].iter().map(|quantity| quantity.length).sum())
}

/// Where friction, or its slope, joins a program.
fn rubbing<const N: usize>(program: &Program, all: &[Of], slope: bool) -> Rubbing {
    let velocities = offset::<N>(&program.inputs, "qd");
    if slope {
        return Rubbing {
            added: offset::<N>(&program.outputs, "dtau_dqd").into_iter().collect(),
            taken: None,
            velocities,
        };
    }
    let added = ["tau", "h"].iter().filter_map(|name| offset::<N>(&program.outputs, name)).collect();
    let moved = |of: &Of| matches!(of, Of::Acceleration | Of::AccelerationDerivatives);
    let taken = offset::<N>(&program.inputs, "tau").filter(|_| all.iter().any(moved));
    Rubbing { added, taken, velocities }
}

/// Values as the diagonal of a matrix, row by row.
fn on_diagonal(mut program: Program) -> Program {
    use crate::program::Value;
    let n = program.results.len();
    let entry = |k: usize| if k / n == k % n { program.results[k / n] } else { Value::number(0.0) };
    program.results = (0..n * n).map(entry).collect();
    program
}

/// What a formula may depend on: q, q̇, q̈, τ.
pub(super) type Rows<S, const N: usize> = [[S; N]; 4];

/// Which of the rows these things depend on.
fn needs(all: &[Of]) -> [bool; 4] {
    let any = |which: &[Of]| all.iter().any(|of| which.contains(of));
    let free = [Of::Acceleration, Of::AccelerationDerivatives];
    let moving = [Of::Torque, Of::Bias, Of::Coriolis, Of::TorqueDerivatives];
    [true, any(&moving) || any(&free), any(&[Of::Torque, Of::TorqueDerivatives]), any(&free)]
}

/// The inputs of a program for these things.
pub(super) fn inputs_of<S: Copy, R: AsRef<[S]>>(all: &[Of], rows: &[R; 4]) -> Vec<S> {
    let needed = needs(all);
    (0..4).filter(|&k| needed[k]).flat_map(|k| rows[k].as_ref().iter().copied()).collect()
}

/// The rows that inputs have; zero where they have none.
pub(super) fn rows_of<S: Scalar, const N: usize>(all: &[Of], inputs: &[S]) -> Rows<S, N> {
    let needed = needs(all);
    let mut from = 0;
    [0, 1, 2, 3].map(|k| {
        if !needed[k] {
            return [S::zero(); N];
        }
        from += N;
        std::array::from_fn(|i| inputs[from - N + i])
    })
}

/// Every arm is evaluated with so many joints: the formulas are built once, and not for every number of joints.
pub(super) const LONGEST: usize = 8;

/// Zeros for the joints that are not there.
pub(super) fn long<S: Scalar, const N: usize>(row: [S; N]) -> [S; LONGEST] {
    const { assert!(N <= LONGEST, "arms have eight joints at most") };
    std::array::from_fn(|i| row.get(i).copied().unwrap_or(S::zero()))
}

fn expression<'g>(arm: &Serial<Expr<'g>, LONGEST>, n: usize, of: Of, rows: &Rows<Expr<'g>, LONGEST>) -> Vec<Expr<'g>> {
    formula(arm, n, of, rows)
}

fn sized_formula(arm: &Serial<Sized, LONGEST>, n: usize, of: Of, rows: &Rows<Sized, LONGEST>) -> Vec<Sized> {
    formula(arm, n, of, rows)
}

/// The formula itself, with numbers of any kind, for the first n joints.
fn formula<S: Scalar>(arm: &Serial<S, LONGEST>, n: usize, of: Of, rows: &Rows<S, LONGEST>) -> Vec<S> {
    let [q, qd, qdd, tau] = *rows;
    let pose = arm.pose_unchecked(q);
    match of {
        Of::Torque => pose.moving(qd).torque(qdd)[..n].to_vec(),
        Of::Bias => pose.moving(qd).torque([S::zero(); LONGEST])[..n].to_vec(),
        Of::Acceleration => pose.moving(qd).acceleration(tau)[..n].to_vec(),
        Of::Coriolis => pose.moving(qd).coriolis()[..n].to_vec(),
        Of::Mass => pose.mass_matrix()[..n].iter().flat_map(|row| row[..n].to_vec()).collect(),
        Of::Gravity => pose.gravity_torque()[..n].to_vec(),
        Of::TorqueDerivatives => {
            let arm = arm.map(Dual::<S, 1>::constant);
            let column = |row: usize, joint: usize| {
                let mut all = rows.map(|row| row.map(Dual::constant));
                all[row][joint].derivative = [S::one()];
                let [q, qd, qdd, _] = all;
                arm.pose_unchecked(q).moving(qd).torque(qdd).map(|torque| torque.derivative[0])
            };
            let matrix = |row: usize| {
                let columns: Vec<[S; LONGEST]> = (0..n).map(|joint| column(row, joint)).collect();
                (0..n * n).map(|k| columns[k % n][k / n]).collect::<Vec<S>>()
            };
            [matrix(0), matrix(1), matrix(2)].concat()
        }
        // As they are judged: times the mass matrix, at the accelerations of these torques.
        Of::AccelerationDerivatives => {
            let mut all = formula(arm, n, Of::TorqueDerivatives, rows);
            all.iter_mut().for_each(|x| *x = -*x);
            let unit = |k: usize| if k / n == k % n { S::one() } else { S::zero() };
            all.splice(2 * n * n.., (0..n * n).map(unit));
            all
        }
        Of::Jacobian => {
            let jacobian = pose.jacobian();
            let row =
                |k: usize| (0..n).map(move |j| if k < 3 { jacobian.linear[j][k] } else { jacobian.angular[j][k - 3] });
            (0..6).flat_map(row).collect()
        }
        Of::Fk => {
            let tool = pose.tool();
            tool.origin.0.into_iter().chain(tool.rotation.0.into_iter().flat_map(|row| row.0)).collect()
        }
        Of::Regressor | Of::TorqueCartesian | Of::Ik => Vec::new(), // apart, or refused before
    }
}

pub(super) fn quantities<const N: usize>(arm: &Serial<f64, N>, all: &[Of]) -> (Vec<Quantity>, Vec<Quantity>) {
    let sliding = arm.parameters().links.iter().filter(|link| link.joint == Joint::Prismatic).count();
    let unit = |turning: &str, other: &str| match sliding {
        0 => turning.to_owned(),
        n if n == N => other.to_owned(),
        _ => format!("{turning} ({other} where a joint slides)"),
    };
    let q = Quantity::new("q", N, "joint positions", &unit("rad", "m"));
    let qd = Quantity::new("qd", N, "joint velocities", &unit("rad/s", "m/s"));
    let qdd = Quantity::new("qdd", N, "joint accelerations", &unit("rad/s^2", "m/s^2"));
    let tau = Quantity::new("tau", N, "joint torques", &unit("N m", "N"));
    let derivative = |by: &str, meaning: &str, turning: &str, other: &str| {
        Quantity::matrix(
            &format!("dtau_d{by}"),
            N,
            N,
            &format!("derivatives of the torques by {meaning}"),
            &unit(turning, other),
        )
    };
    let of_acceleration = |by: &str, meaning: &str, turning: &str, other: &str| {
        let meaning = format!("derivatives of the accelerations by {meaning}");
        Quantity::matrix(&format!("dqdd_d{by}"), N, N, &meaning, &unit(turning, other))
    };
    let outputs = all.iter().flat_map(|of| match of {
        Of::Acceleration => vec![qdd.clone()],
        Of::Bias => vec![Quantity::new("h", N, "torques without acceleration", &unit("N m", "N"))],
        Of::Coriolis => vec![Quantity::new("c", N, "velocity torques", &unit("N m", "N"))],
        Of::Mass => vec![Quantity::matrix("m", N, N, "mass matrix", &unit("kg m^2", "kg"))],
        Of::Gravity => vec![Quantity::new("g", N, "holding torques", &unit("N m", "N"))],
        Of::TorqueDerivatives => vec![
            derivative("q", "positions", "N m/rad", "N/m"),
            derivative("qd", "velocities", "N m s/rad", "N s/m"),
            derivative("qdd", "accelerations", "kg m^2", "kg"),
        ],
        Of::AccelerationDerivatives => vec![
            of_acceleration("q", "positions", "1/s^2", "1/s^2"),
            of_acceleration("qd", "velocities", "1/s", "1/s"),
            of_acceleration("tau", "torques", "1/(kg m^2)", "1/kg"),
        ],
        Of::Jacobian => {
            let meaning = "velocity of the tool point, then its angular velocity, per joint velocity";
            vec![Quantity::matrix("j", 6, N, meaning, "m/rad, 1")]
        }
        Of::Fk => vec![
            Quantity::new("position", 3, "tool point, base frame", "m"),
            Quantity::matrix("rotation", 3, 3, "tool axes as columns, base frame", "1"),
        ],
        Of::Torque | Of::Regressor | Of::TorqueCartesian | Of::Ik => vec![tau.clone()],
    });
    let outputs = outputs.collect();
    let needed = needs(all);
    let inputs = [q, qd, qdd, tau].into_iter().enumerate().filter(|(k, _)| needed[*k]).map(|(_, row)| row);
    (inputs.collect(), outputs)
}

pub(super) fn conventions<const N: usize>(arm: &Serial<f64, N>) -> Vec<String> {
    let rows = match arm.parameters().convention {
        DhConvention::Modified => "modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d)",
        DhConvention::Standard => "standard: Rz(theta) Tz(d) Tx(a) Rx(alpha)",
    };
    vec![
        "SI units and radians; torques at the joint side of the gear.".into(),
        format!("Denavit-Hartenberg rows, {rows}; q as in the robot file."),
    ]
}

/// A random state: torques are those of the accelerations.
pub(super) fn rows<const N: usize>(arm: &Serial<f64, N>, random: &mut Random) -> Rows<f64, N> {
    let links = &arm.parameters().links;
    let q: [f64; N] =
        std::array::from_fn(|i| random.signed() * if links[i].joint == Joint::Revolute { PI } else { 1.0 });
    // Now and then near standstill, where friction changes its sign.
    let slow = random.signed() > 0.5;
    let qd: [f64; N] = std::array::from_fn(|i| {
        random.signed() * links[i].friction.filter(|_| slow).map_or(2.0, |friction| 3.0 * friction.smoothing_velocity)
    });
    let qdd: [f64; N] = std::array::from_fn(|_| 5.0 * random.signed());
    [q, qd, qdd, torque(arm, [q, qd, qdd])]
}

/// Torques of a motion.
fn torque<const N: usize>(arm: &Serial<f64, N>, motion: [[f64; N]; 3]) -> [f64; N] {
    let torque = long_torque(&arm.with_joints(), motion.map(long));
    std::array::from_fn(|i| torque[i])
}

fn long_torque(arm: &Serial<f64, LONGEST>, [q, qd, qdd]: [[f64; LONGEST]; 3]) -> [f64; LONGEST] {
    arm.pose_unchecked(q).moving(qd).torque(qdd)
}

/// The mass matrix, row by row.
fn mass_matrix<const N: usize>(arm: &Serial<f64, N>, q: [f64; N]) -> Vec<f64> {
    let mass = arm.with_joints::<LONGEST>().pose_unchecked(long(q)).mass_matrix();
    (0..N * N).map(|k| mass[k / N][k % N]).collect()
}

/// Whether torques determine accelerations.
fn solvable(arm: &Serial<f64, LONGEST>, [q, qd, tau]: [[f64; LONGEST]; 3]) -> Result<(), SerialError> {
    arm.pose_unchecked(q).moving(qd).try_acceleration(tau).map(|_| ())
}
