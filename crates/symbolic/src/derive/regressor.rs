//! Torques as a matrix that knows the state times the base parameters: τ = Y(q, q̇, q̈) β, friction apart.
//!
//! A torque is linear in inertia about the origin, first moments and mass of every body and in the inertia of every motor. A
//! column of Y is the torque of a robot whose parameters are zero but for a one. Columns that are sums of others are left
//! out, and their parameters are grouped with those (Gautier and Khalil 1990; Gautier 1991, by number).

use super::formulas::RobotFormulas;
use super::symbols::Symbols;
use super::verify::{STATES, Trial, verified};
use super::{DeriveError, Derived, Of, Request, candidates, finish, first_checked};
use crate::expr::Expr;
use crate::graph::Graph;
use crate::program::{Check, Program, Quantity};
use dalembert_core::Scalar;

/// A parameter that torques are linear in: its column is the torque of this robot, less an earlier column.
#[derive(Clone, Debug)]
pub struct ParameterColumn<R> {
    /// As the robot's `regressor` calls it.
    pub name: String,
    /// Whose parameters are zero but for a one.
    pub robot: R,
    /// The column that this one is to be without.
    pub less: Option<usize>,
}

/// States that separate the columns of eight joints, and states that verify the program.
pub(super) const ENOUGH: usize = 68 + STATES;

/// The column of a parameter: the torque of its robot, less an earlier column.
pub(super) struct ColumnTorque<'g> {
    name: String,
    less: Option<usize>,
    torque: Program,
    numbers: Vec<f64>,
    /// The same as expressions.
    lifted: Vec<Expr<'g>>,
}

impl<'g> ColumnTorque<'g> {
    pub fn new(robot: &dyn RobotFormulas, lifted: Vec<Expr<'g>>, name: &str, less: Option<usize>) -> Self {
        let (torque, numbers) = (robot.record(Of::Torque), robot.numbers());
        Self { name: name.into(), less, torque, numbers, lifted }
    }

    fn torque(&self, state: &[f64]) -> Vec<f64> {
        self.torque.evaluate_with(&self.numbers, state)
    }
}

/// A regressor that is wanted.
pub(super) struct Regressed<'r, 'g> {
    pub graph: &'g Graph,
    pub request: &'r Request,
    pub joints: usize,
    pub inputs: Vec<Quantity>,
    /// The whole robot.
    pub rigid: ColumnTorque<'g>,
    /// In the order in which they are kept as long as they are no sums of those before.
    pub columns: Vec<ColumnTorque<'g>>,
    /// [`ENOUGH`] of them.
    pub states: Vec<Vec<f64>>,
    /// The inputs as expressions.
    pub variables: Vec<Expr<'g>>,
    pub checks: Vec<(Expr<'g>, Check)>,
    pub conventions: Vec<String>,
}

impl<'g> Regressed<'_, 'g> {
    /// A column from the torques of robots.
    fn column<S: Scalar>(&self, k: usize, torque: impl Fn(&ColumnTorque<'g>) -> Vec<S>) -> Vec<S> {
        let own = torque(&self.columns[k]);
        match self.columns[k].less {
            Some(less) => own.into_iter().zip(torque(&self.columns[less])).map(|(a, b)| a - b).collect(),
            None => own,
        }
    }
}

/// A base parameter.
struct BaseParameter {
    /// Whose column is kept.
    term: usize,
    /// The parameters that are grouped with it, and how.
    others: Vec<(usize, f64)>,
    /// Its value: with it and the others the columns add up to the torque, payload included.
    value: f64,
}

/// The columns that are no sums of others, by numbers: what is left of a column beside those that are kept is nothing.
fn base(wanted: &Regressed<'_, '_>) -> Vec<BaseParameter> {
    /// Of a column of size 1.
    const NOTHING: f64 = 1e-9;
    let mut kept: Vec<BaseParameter> = Vec::new();
    // Orthonormal, and what each of them is made of.
    let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // What the kept columns have of one, and what is left; twice, since once is not enough (Kahan and Parlett).
    let split = |mut rest: Vec<f64>, basis: &[(Vec<f64>, Vec<f64>)]| {
        let mut made = vec![0.0; basis.len()];
        for _ in 0..2 {
            for (unit, of) in basis {
                let part = dot(unit, &rest);
                rest.iter_mut().zip(unit).for_each(|(x, u)| *x -= part * u);
                made.iter_mut().zip(of).for_each(|(m, o)| *m += part * o);
            }
        }
        (made, rest)
    };
    for term in 0..wanted.columns.len() {
        let at = |state: &Vec<f64>| wanted.column(term, |column| column.torque(state));
        let whole: Vec<f64> = wanted.states.iter().flat_map(at).collect();
        let size = dot(&whole, &whole).sqrt();
        if size == 0.0 {
            continue;
        }
        let (made, rest) = split(whole, &basis);
        let left = dot(&rest, &rest).sqrt();
        if left > NOTHING * size {
            let mut of: Vec<f64> = made.iter().map(|x| -x / left).collect();
            of.push(1.0 / left);
            basis.iter_mut().for_each(|(_, of)| of.push(0.0));
            basis.push((rest.iter().map(|x| x / left).collect(), of));
            kept.push(BaseParameter { term, others: Vec::new(), value: 0.0 });
            continue;
        }
        for (base, factor) in kept.iter_mut().zip(made) {
            // 0.5 and 1 as such.
            let tidy = (factor * 1e9).round() / 1e9;
            if tidy != 0.0 {
                base.others.push((term, if (tidy - factor).abs() < 1e-10 { tidy } else { factor }));
            }
        }
    }
    let whole = wanted.states.iter().flat_map(|state| wanted.rigid.torque(state)).collect();
    for (base, value) in kept.iter_mut().zip(split(whole, &basis).0) {
        base.value = value;
    }
    kept
}

/// The program of Y, its columns named in the heading.
pub(super) fn program<'g>(wanted: Regressed<'_, 'g>) -> Result<Derived, DeriveError> {
    let (of, request, n) = (Of::Regressor, wanted.request, wanted.joints);
    let refuse = |reason: &str| Err(DeriveError::refused(of, reason));
    if request.symbolic {
        return refuse(
            "base parameters are grouped numerically with the lengths of the robot file, so parameters cannot stay symbolic",
        );
    }
    if !request.also.is_empty() {
        return refuse("it stands alone");
    }
    let base = base(&wanted);
    if base.is_empty() {
        return refuse("no parameter of this robot affects the torque");
    }
    let expression = |column: &ColumnTorque<'g>| column.torque.evaluate_with(&column.lifted, &wanted.variables);
    let columns: Vec<Vec<Expr<'_>>> = base.iter().map(|base| wanted.column(base.term, expression)).collect();
    let results: Vec<Expr<'_>> = (0..n).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
    let meaning = "torque per base parameter; the columns are above";
    let outputs = vec![Quantity::matrix("y", n, base.len(), meaning, "SI")];
    let signature = request.signature(&[of], [wanted.inputs.clone(), outputs], Vec::new());
    let mut trials = Vec::new();
    for state in wanted.states.iter().rev().take(STATES) {
        let columns: Vec<Vec<f64>> =
            base.iter().map(|base| wanted.column(base.term, |column| column.torque(state))).collect();
        let expected: Vec<f64> = (0..n).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
        // The columns times the base parameters are the torques.
        let whole = wanted.rigid.torque(state);
        let scale = whole.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
        for i in 0..n {
            let terms = base.iter().zip(&columns).map(|(base, column)| base.value * column[i]);
            let (sum, size) = terms.fold((0.0, scale), |(sum, size), x| (sum + x, f64::max(size, x.abs())));
            let error = (sum - whole[i]).abs() / size;
            if error.is_nan() || error > 1e-8 {
                return Err(DeriveError::Mismatch { of, error });
            }
        }
        trials.push(Trial { inputs: state.clone(), expected, ..Trial::default() });
    }
    let mut words = wanted.conventions;
    words.push(
        "Torque without friction and springs = y times the base parameters; inertias are about the origins of the frames.".into(),
    );
    for (k, base) in base.iter().enumerate() {
        let mut sum = wanted.columns[base.term].name.clone();
        for (term, factor) in &base.others {
            let sign = if *factor < 0.0 { '-' } else { '+' };
            let size = factor.abs();
            let times = if size == 1.0 { String::new() } else { format!("{size} ") };
            sum.push_str(&format!(" {sign} {times}{}", wanted.columns[*term].name));
        }
        words.push(format!("Column {}: {sum} = {:.9}", k + 1, base.value));
    }
    let symbols = Symbols::new(wanted.graph);
    let programs = candidates(wanted.graph, signature, &results, &wanted.checks, request.effort);
    first_checked(programs, of, &mut |program| {
        verified(finish(program, request, words.clone()), of, &symbols, &trials, &|_, found| found)
    })
}
