//! From an explicit model to something that is evaluated: factored formulas over any scalar. With `f64` they give values,
//! with `Expr` a program.

use super::derivation::entry;
use super::factor::{Factored, Literal, Product, factor};
use super::model::{Explicit, pairs};
use super::polynomial::JointAngles;
use super::words::{Sum, Vocabulary};
use crate::extract::Random;
use crate::target::Target;
use crate::{Expr, Graph, Group, Program};
use dalembert_core::Scalar;

/// What formulas compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormulaOutput {
    /// τ without friction, n values.
    Torque,
    /// The mass matrix: the upper triangle by rows.
    Mass,
    /// g, n values.
    Gravity,
    /// Coriolis and centrifugal torques C q̇: n values.
    Coriolis,
    /// A, B, C and g at the slow rate: the upper triangle of A, then for each joint b_ijk and c_ij in the order of an
    /// upper triangle, then g.
    Elements,
}

/// Factored formulas.
#[derive(Clone, Debug)]
pub struct FactoredFormulas {
    joints: JointAngles,
    vocabulary: Vocabulary,
    /// Which of the words occur.
    needed: Vec<bool>,
    factored: Factored,
}

/// How often the factoring of a small model is tried where nothing else is said.
pub const ATTEMPTS: u64 = 64;

impl Explicit {
    /// The formulas for an output. `attempts` is how often the factoring is tried; see [`ATTEMPTS`].
    pub fn formulas(&self, output: FormulaOutput, attempts: u64) -> FactoredFormulas {
        let n = self.count();
        let words = self.vocabulary.words().len();
        let (qd, qdd) = (|j: usize| (words + j) as Literal, |j: usize| (words + n + j) as Literal);
        let mut polynomials: Vec<Vec<Product>> = Vec::new();
        match output {
            FormulaOutput::Torque | FormulaOutput::Coriolis => {
                for i in 0..n {
                    let (mut all, whole) = (Vec::new(), output == FormulaOutput::Torque);
                    (0..n).filter(|_| whole).for_each(|j| add(&mut all, self.mass(i, j), &[qdd(j)]));
                    for (sum, (j, k)) in self.velocity[i].iter().zip(pairs(n)) {
                        add(&mut all, sum, &[qd(j), qd(k)]);
                    }
                    if whole {
                        add(&mut all, &self.gravity[i], &[]);
                    }
                    polynomials.push(all);
                }
            }
            FormulaOutput::Mass => polynomials.extend(self.mass.iter().map(plain)),
            FormulaOutput::Gravity => polynomials.extend(self.gravity.iter().map(plain)),
            FormulaOutput::Elements => {
                let all = self.mass.iter().chain(self.velocity.iter().flatten()).chain(&self.gravity);
                polynomials.extend(all.map(plain));
            }
        }
        let mut needed = vec![false; words];
        let used = polynomials.iter().flatten().flat_map(|product| &product.literals);
        used.filter(|&&literal| (literal as usize) < words).for_each(|&literal| needed[literal as usize] = true);
        FactoredFormulas {
            joints: self.joints.clone(),
            vocabulary: self.vocabulary.clone(),
            needed,
            factored: factor(polynomials, words + 2 * n, attempts),
        }
    }

    /// The cheapest program found for an output after `rounds` rounds of polishing. Its inputs are `q`,
    /// then `qd` and `qdd` as far as the output depends on them; a mass matrix comes with all n² entries.
    pub fn program(
        &self,
        output: FormulaOutput,
        signature: Program,
        target: Target,
        attempts: u64,
        rounds: usize,
    ) -> Program {
        let n = self.count();
        let formulas = self.formulas(output, attempts);
        let graph = Graph::of_rounded(target);
        let mut random = Random::new(1);
        let mut input = |name: &str, group: Group, needed: bool| -> Vec<Expr<'_>> {
            let mut sample = || 3.0 * random.signed();
            let joints = if needed { 0..n } else { 0..0 };
            joints.map(|j| graph.input(&format!("{name}{}", j + 1), group, sample())).collect()
        };
        let moving = matches!(output, FormulaOutput::Torque | FormulaOutput::Coriolis);
        let q = input("q", Group::Position, true);
        let qd = input("qd", Group::Velocity, moving);
        let qdd = input("qdd", Group::Acceleration, output == FormulaOutput::Torque);
        let mut results = formulas.evaluate(&q, &qd, &qdd);
        if output == FormulaOutput::Mass {
            results = full_matrix(n, &results);
        }
        graph.cheapest(signature, &results, &[], rounds)
    }

    /// A, B, C and g of (1) by their places in [`FormulaOutput::Elements`].
    pub fn element_names(&self) -> Vec<String> {
        let n = self.count();
        let mass = pairs(n).map(|(i, j)| format!("a{}{}", i + 1, j + 1));
        let velocity = (0..n).flat_map(|i| {
            pairs(n).map(move |(j, k)| match j == k {
                true => format!("c{}{}", i + 1, j + 1),
                false => format!("b{}{}{}", i + 1, j + 1, k + 1),
            })
        });
        let gravity = (0..n).map(|i| format!("g{}", i + 1));
        mass.chain(velocity).chain(gravity).collect()
    }
}

fn plain(sum: &Sum) -> Vec<Product> {
    let mut all = Vec::new();
    add(&mut all, sum, &[]);
    all
}

fn add(all: &mut Vec<Product>, sum: &Sum, more: &[Literal]) {
    for term in &sum.terms {
        let mut literals: Vec<Literal> = term.words.as_slice().iter().map(|&w| Literal::from(w)).collect();
        literals.extend_from_slice(more);
        all.push(Product { coefficient: term.coefficient, literals });
    }
}

impl FactoredFormulas {
    /// The outputs. What an output does not depend on (`qd`, `qdd`) may be empty.
    pub fn evaluate<S: Scalar>(&self, q: &[S], qd: &[S], qdd: &[S]) -> Vec<S> {
        let n = self.joints.count();
        let mut given = self.vocabulary.evaluate(&self.joints, q, |word| self.needed[word]);
        for rates in [qd, qdd] {
            given.extend((0..n).map(|j| rates.get(j).copied().unwrap_or(S::zero())));
        }
        self.factored.evaluate(&given)
    }

    /// Sums and products of the factored form, without sums of angles and double angles.
    pub fn cost(&self) -> usize {
        self.factored.cost.max(0) as usize
    }
}

/// The full symmetric matrix, row by row, from an upper triangle.
pub fn full_matrix<T: Copy>(n: usize, upper: &[T]) -> Vec<T> {
    (0..n * n).map(|at| upper[entry(n, at / n, at % n)]).collect()
}
