//! Programs of serial arms.

mod abbreviated;
mod by_parameters;
mod check;
mod formula;
mod near;
mod regressor;

pub use abbreviated::{Abbreviation, Domain, abbreviated, equations};
pub use near::NearNumber;

use super::combined::{Elimination, derivatives, of_acceleration, solve};
use super::formulas::Formulas;
use super::friction::refuse_own_laws;
use super::quantities::inputs_of;
use super::symbols::{self, Symbol, Symbols};
use super::{DeriveError, Derived, LikelyMistake, Of, Request, first_checked, parameters};
use crate::explicit::{ATTEMPTS, Explicit};
use crate::expr::Expr;
use crate::extract::Random;
use crate::graph::Graph;
use crate::program::Program;
use crate::search::{Effort, cheapest_serial};
use check::checked;
use dalembert_core::Scalar;
use dalembert_core::chain::{Chain, ChainParameters};
use dalembert_core::friction::Friction;
use dalembert_core::serial::{Coupling, Link};
use formula::{ChainFormulas, numbers_of, quantities, rows, rows_of};
use near::{least_snap, near, snapped};

/// The program of an open chain. `progress` is told the share that is done, from 0 to 1.
pub fn serial(
    arm: impl Into<Chain<f64>>,
    request: &Request,
    progress: &mut dyn FnMut(f64),
) -> Result<Derived, DeriveError> {
    of_chain(&arm.into(), request, progress)
}

fn of_chain(arm: &Chain<f64>, request: &Request, progress: &mut dyn FnMut(f64)) -> Result<Derived, DeriveError> {
    let all = request.all();
    for &of in &all {
        let reason = match of {
            Of::TorqueCartesian => "it is for robots whose platform is given; a serial arm has `torque`",
            Of::Ik => "the inverse kinematics of a serial arm chooses among its solutions: no formula without branches",
            _ => continue,
        };
        return Err(DeriveError::refused(of, reason));
    }
    refuse_own_laws(request.of, &frictions(arm))?;
    refuse_coupled(arm, request)?;
    if all.contains(&Of::Regressor) {
        return regressor::regressor(arm, request);
    }
    let (arm, taken) = match request.snap {
        Some(within) => snapped(arm, within),
        None => (arm.clone(), Vec::new()),
    };
    parameters::refuse_others(&all)?;
    if parameters::by_parameters(request.of) {
        return by_parameters::by_parameters(&arm, &taken, request);
    }
    let programs = |arm: &Chain<f64>, request: &Request, progress: &mut dyn FnMut(f64)| {
        let job = Job { rigid: rigid_part(arm), request, as_written: false };
        match all[..] {
            [of] => job.programs(of, progress),
            _ => job.combined(&all, progress),
        }
    };
    let found = programs(&arm, request, progress);
    // Should none be as exact as it may be, those without a search, and the formula as it is written.
    let quick = Request { effort: Effort::QUICK, ..request.clone() };
    let plain = std::iter::once_with(|| {
        let written = Job { rigid: rigid_part(&arm), request, as_written: true };
        let formula = std::iter::once_with(move || written.combined(&request.all(), &mut |_| ())).flatten();
        programs(&arm, &quick, &mut |_| ()).into_iter().chain(formula)
    });
    let mut derived = first_checked(found.into_iter().chain(plain.flatten()), request.of, &mut |program| {
        checked(&arm, request, program)
    })?;
    derived.program.conventions.extend(taken_for(&taken));
    let numbers = near(&arm);
    if !numbers.is_empty() {
        let quick = Request { effort: Effort::QUICK, symbolic: false, ..request.clone() };
        let count = |arm: &Chain<f64>| {
            programs(arm, &quick, &mut |_| ()).first().map_or(0, |program| program.operations().arithmetic())
        };
        let snap = least_snap(&numbers);
        let (operations, instead) = (count(&arm), count(&snapped(&arm, snap).0));
        derived.near.push(LikelyMistake { numbers, operations, instead, snap });
    }
    Ok(derived)
}

/// What was taken for what, for a heading.
fn taken_for(taken: &[NearNumber]) -> Option<String> {
    let all: Vec<String> =
        taken.iter().map(|near| format!("{} = {} as {}", near.name, near.value, near.meant)).collect();
    (!all.is_empty()).then(|| format!("Taken for what they are near to: {}.", all.join(", ")))
}

/// What is derived of an arm without friction.
struct Job<'r> {
    rigid: Chain<f64>,
    request: &'r Request,
    /// The formulas of the library as they are written: dearer, and no parameters are grouped that cancel.
    as_written: bool,
}

impl Job<'_> {
    fn signature(&self, all: &[Of]) -> Program {
        let graph = Graph::new();
        signature(&self.rigid, all, self.request, &lifted(&self.rigid, self.request.symbolic, &graph).1)
    }

    /// Programs for one thing, the cheapest first.
    fn programs(&self, of: Of, progress: &mut dyn FnMut(f64)) -> Vec<Program> {
        let Request { symbolic, target, effort, .. } = *self.request;
        if self.as_written {
            return vec![self.formula(of, 0)];
        }
        let signature = self.signature(&[of]);
        let mut programs = Vec::new();
        // The search knows a motor for each joint.
        if self.rigid.is_in_a_row() && couplings(&self.rigid).iter().all(Option::is_none) {
            programs = cheapest_serial(
                &|graph| lifted(&self.rigid, symbolic, graph).0,
                of,
                &signature,
                target,
                effort,
                progress,
            );
        }
        let searched = !programs.is_empty();
        programs.extend(explicit_program(&self.rigid, self.request, of, &signature));
        if matches!(of, Of::Acceleration | Of::TorqueDerivatives | Of::AccelerationDerivatives) {
            programs.extend(self.combined(&[of], progress));
        }
        if !searched && !matches!(of, Of::TorqueDerivatives | Of::AccelerationDerivatives) {
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
        let rows = rows_of(&[of], self.rigid.joints(), &variables);
        let results = Formulas::new(&ChainFormulas(&self.rigid)).judged(&numbers_of(&lifted), of, &rows);
        match rounds {
            0 => graph.program(signature, &results, &[]),
            _ => graph.cheapest(signature, &results, &[], rounds),
        }
    }

    /// A program from the cheapest programs of its parts: M q̈ = τ − h for accelerations, mass matrix and derivatives.
    fn combined(&self, all: &[Of], progress: &mut dyn FnMut(f64)) -> Vec<Program> {
        let Request { symbolic, target, effort, .. } = *self.request;
        let n = self.rigid.joints();
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
            let [q, qd, qdd, tau] = rows_of(all, n, &variables);
            let of = |wanted: Of| -> Vec<Expr<'_>> {
                let inputs = inputs_of(&[wanted], &[&q, &qd, &qdd, &tau]);
                let found = parts.iter().find(|(of, _)| *of == wanted);
                found.map_or(Vec::new(), |(_, program)| program.evaluate_with(&parameters, &inputs))
            };
            let accelerations = || {
                let free: Vec<Expr<'_>> = tau.iter().zip(of(Of::Bias)).map(|(&tau, h)| tau - h).collect();
                solve(&of(Of::Mass), &free, elimination)
            };
            let of_torque = |qdd: &[_]| {
                let inputs = inputs_of(&[Of::Torque], &[&q[..], &qd, qdd, &tau]);
                let torque = parts.iter().find(|(of, _)| *of == Of::Torque);
                let by =
                    |rows| torque.map_or(Vec::new(), |(_, torque)| derivatives(torque, &parameters, &inputs, rows));
                [by(0..n), by(n..2 * n)]
            };
            let mut results = Vec::new();
            for &wanted in all {
                match wanted {
                    Of::Acceleration => results.extend(accelerations()),
                    Of::TorqueDerivatives => {
                        results.extend(of_torque(&qdd).concat());
                        results.extend(of(Of::Mass));
                    }
                    Of::AccelerationDerivatives => {
                        let [by_q, by_qd] = of_torque(&accelerations());
                        results.extend(of_acceleration(&of(Of::Mass), &by_q, &by_qd, elimination));
                    }
                    other => results.extend(of(other)),
                }
            }
            programs.push(match self.as_written {
                true => graph.program(signature.clone(), &results, &[]),
                false => graph.cheapest(signature.clone(), &results, &[], effort.rounds),
            });
        }
        programs.sort_by_key(|program| target.score(&program.operations()));
        programs
    }
}

/// The program of the explicit model, where there is one and it may be a rival of the recursion.
fn explicit_program(rigid: &Chain<f64>, request: &Request, of: Of, signature: &Program) -> Option<Program> {
    /// Above these the recursion is far cheaper, and the explicit model takes long.
    const MAX_JOINTS: usize = 6;
    const MOST_TERMS: usize = 3000;
    const MOST_MOVING: usize = 150;
    let output = abbreviated::output(of)?;
    if request.symbolic || request.effort.plans == 0 || rigid.joints() > MAX_JOINTS {
        return None;
    }
    let most = if matches!(of, Of::Mass | Of::Gravity) { MOST_TERMS } else { MOST_MOVING };
    let model = Explicit::of(rigid).ok().filter(|model| model.terms() <= most)?;
    Some(model.program(output, signature.clone(), request.target, ATTEMPTS, request.effort.rounds))
}

/// The arm without friction.
fn rigid_part(arm: &Chain<f64>) -> Chain<f64> {
    changed(arm, |parameters| parameters.links.iter_mut().for_each(|branch| branch.link.friction = None))
}

/// The arm with other numbers.
fn changed(arm: &Chain<f64>, change: impl FnOnce(&mut ChainParameters<f64>)) -> Chain<f64> {
    let mut parameters = arm.parameters().clone();
    change(&mut parameters);
    arm.with_numbers(parameters)
}

/// Friction at each joint.
fn frictions(arm: &Chain<f64>) -> Vec<Option<Friction<f64>>> {
    arm.links().iter().map(|link| link.friction).collect()
}

/// What each motor turns with beyond its own joint.
fn couplings(arm: &Chain<f64>) -> Vec<Option<Coupling<f64>>> {
    arm.links().iter().map(|link| link.coupling).collect()
}

/// Refuses what is not derived where motors turn with several joints.
fn refuse_coupled(arm: &Chain<f64>, request: &Request) -> Result<(), DeriveError> {
    let coupled = |link: &Link<f64>| link.coupling.is_some();
    let why = match request.all()[..] {
        _ if !arm.links().iter().any(coupled) => return Ok(()),
        _ if request.symbolic => "a motor turns with several joints, for which there are no symbols",
        ref all if all.iter().any(|of| matches!(of, Of::TorqueDerivatives | Of::AccelerationDerivatives)) => {
            "a motor turns with several joints: derivatives are those of `torque-parameter-derivatives` and `linearize` only"
        }
        _ => return Ok(()),
    };
    Err(DeriveError::refused(request.of, why))
}

/// The arm with every number made from its symbol.
fn made<T: Scalar>(arm: &Chain<f64>, make: &mut symbols::Make<'_, T>) -> Chain<T> {
    arm.with_numbers(symbols::serial(arm.parameters(), make))
}

/// The arm as its file says and, where it has symbols, at their sample points.
fn variants(arm: &Chain<f64>, symbolic: bool, symbols: &Symbols<'_>) -> Vec<Chain<f64>> {
    let at = |k| made(arm, &mut |symbol, value| symbols.sample(&symbol.name, value, k));
    std::iter::once(arm.clone()).chain((0..2).filter(|_| symbolic).map(at)).collect()
}

/// The arm with the numbers of its file as expressions.
pub fn numbers(arm: impl Into<Chain<f64>>) -> Chain<Expr<'static>> {
    let arm = arm.into();
    let mut parameters = arm.parameters().map(Expr::from_f64);
    symbols::on_circle(|visit| parameters.visit(visit));
    arm.with_numbers(parameters)
}

/// The arm in a graph, always the same, and its symbols.
fn lifted<'g>(arm: &Chain<f64>, symbolic: bool, graph: &'g Graph) -> (Chain<Expr<'g>>, Symbols<'g>) {
    let mut symbols = Symbols::new(graph);
    if !symbolic {
        return (numbers(arm), symbols);
    }
    let mut random = Random::new(11);
    let mut make = |symbol: Symbol, value| symbols.expr(symbol, value, &mut random);
    let mut parameters = symbols::serial(arm.parameters(), &mut make);
    symbols::on_circle(|visit| parameters.visit(visit));
    (arm.with_numbers(parameters), symbols)
}

fn signature(arm: &Chain<f64>, all: &[Of], request: &Request, symbols: &Symbols<'_>) -> Program {
    let (inputs, outputs) = quantities(arm, all);
    request.signature(all, [inputs, outputs], symbols.parameters())
}
