//! Factoring of several polynomials together, so that evaluating all of them takes few operations.
//!
//! Greedy extraction (Rajski and Vasudevamurthy's fast extract, 1992, carried over from logic to sums with coefficients):
//! at each step the candidate that saves most operations over all polynomials becomes a new variable,
//!
//! * a sum of two terms up to a common factor, x + r y, wherever it occurs: m (x + r y) for m x + r m y;
//! * a product of two factors, or of a constant and a factor, wherever it occurs.
//!
//! until nothing saves anything. Ties decide a lot and cannot be foreseen, so the whole is done several times with random
//! ones, and the cheapest result counts.

mod search;

use dalembert_core::Scalar;
use search::FactorSearch;
use std::collections::HashMap;

/// A factor, by its number: first those that are given, then those that were made.
pub(crate) type Literal = u32;

/// coefficient × product of literals (sorted, with repetition).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Product {
    pub coefficient: f64,
    pub literals: Vec<Literal>,
}

impl Product {
    /// Multiplications that it takes.
    fn cost(&self) -> i32 {
        let factors = self.literals.len() as i32 + i32::from(!is_one(self.coefficient));
        if self.literals.is_empty() { 0 } else { factors - 1 }
    }
}

fn is_one(coefficient: f64) -> bool {
    coefficient.abs() == 1.0
}

/// How a new literal is made.
#[derive(Clone, Debug)]
enum Definition {
    Product(Literal, Literal),
    Scaled(f64, Literal),
    /// The polynomial with this number.
    Sum(usize),
}

/// Polynomials with common parts taken out.
#[derive(Clone, Debug)]
pub(crate) struct Factored {
    /// The given ones first.
    polynomials: Vec<Vec<Product>>,
    outputs: usize,
    given: usize,
    definitions: Vec<Definition>,
    /// Operations, as far as they can be seen here.
    pub cost: i32,
}

/// Above this many terms only nested factoring, which is linear in the size, is done.
const FACTORED: usize = 800;

/// Up to this many terms all attempts are made; the time of an attempt grows with their square, the number shrinks with it.
const SMALL: usize = 150;

/// The cheapest form that `attempts` attempts find; fewer where there are many terms.
pub(crate) fn factor(polynomials: Vec<Vec<Product>>, given: usize, attempts: u64) -> Factored {
    let polynomials = alike(polynomials);
    let terms: usize = polynomials.iter().map(Vec::len).sum();
    let start = Factored { outputs: polynomials.len(), polynomials, given, definitions: Vec::new(), cost: 0 };
    if terms > FACTORED {
        return nested(start);
    }
    let mut best: Option<Factored> = None;
    let larger = (terms / SMALL).max(1) as u64;
    for seed in 0..(attempts / (larger * larger)).max(1) {
        let mut search = FactorSearch::new(start.clone(), seed);
        search.run();
        let mut found = search.factored;
        found.cost = found.count();
        if best.as_ref().is_none_or(|best| found.cost < best.cost) {
            best = Some(found);
        }
    }
    best.unwrap_or(start)
}

/// Coefficients that differ by rounding only become the same number, so that they can be shared.
fn alike(mut polynomials: Vec<Vec<Product>>) -> Vec<Vec<Product>> {
    let mut all: Vec<f64> = polynomials.iter().flatten().map(|t| t.coefficient.abs()).collect();
    all.sort_unstable_by(f64::total_cmp);
    let mut kept: Vec<f64> = Vec::new();
    for value in all {
        if kept.last().is_none_or(|last| value > last * (1.0 + 1e-13)) {
            kept.push(value);
        }
    }
    for term in polynomials.iter_mut().flatten() {
        let size = term.coefficient.abs();
        let at = kept.partition_point(|&value| value <= size).max(1) - 1;
        term.coefficient = kept[at].copysign(term.coefficient);
    }
    polynomials
}

impl Factored {
    fn count(&self) -> i32 {
        let sums: i32 = self
            .polynomials
            .iter()
            .map(|p| p.iter().map(Product::cost).sum::<i32>() + (p.len() as i32 - 1).max(0))
            .sum();
        sums + self.definitions.iter().filter(|d| !matches!(d, Definition::Sum(_))).count() as i32
    }

    fn define(&mut self, definition: Definition) -> Literal {
        self.definitions.push(definition);
        (self.given + self.definitions.len() - 1) as Literal
    }

    /// The values of the polynomials where the given literals have these.
    pub fn evaluate<S: Scalar>(&self, given: &[S]) -> Vec<S> {
        let mut values: Vec<Option<S>> = given.iter().copied().map(Some).collect();
        values.resize(self.given + self.definitions.len(), None);
        (0..self.outputs).map(|p| self.polynomial(p, &mut values)).collect()
    }

    fn polynomial<S: Scalar>(&self, number: usize, values: &mut [Option<S>]) -> S {
        let mut sum: Option<S> = None;
        for term in &self.polynomials[number] {
            let product = term.literals.iter().map(|&l| self.literal(l, values)).reduce(|a, b| a * b);
            let value = match product {
                None => S::from_f64(term.coefficient),
                Some(product) if term.coefficient == 1.0 => product,
                Some(product) if term.coefficient == -1.0 => -product,
                Some(product) => product.times(term.coefficient),
            };
            sum = Some(sum.map_or(value, |sum| sum + value));
        }
        sum.unwrap_or(S::zero())
    }

    fn literal<S: Scalar>(&self, literal: Literal, values: &mut [Option<S>]) -> S {
        if let Some(value) = values[literal as usize] {
            return value;
        }
        let value = match self.definitions[literal as usize - self.given] {
            Definition::Product(a, b) => self.literal(a, values) * self.literal(b, values),
            Definition::Scaled(factor, a) => self.literal(a, values).times(factor),
            Definition::Sum(number) => self.polynomial(number, values),
        };
        values[literal as usize] = Some(value);
        value
    }
}

fn take(literals: &mut Vec<Literal>, literal: Literal) {
    if let Some(at) = literals.iter().position(|&l| l == literal) {
        literals.remove(at);
    }
}

/// Nested form: the factor that is in most terms is taken out, and so on in both parts.
fn nested(mut factored: Factored) -> Factored {
    for p in 0..factored.outputs {
        let terms = std::mem::take(&mut factored.polynomials[p]);
        factored.polynomials[p] = nest(terms, &mut factored);
    }
    factored.cost = factored.count();
    factored
}

fn nest(mut terms: Vec<Product>, factored: &mut Factored) -> Vec<Product> {
    let mut done = Vec::new();
    loop {
        let mut counts: HashMap<Literal, usize> = HashMap::new();
        for term in &terms {
            let mut last = None;
            for &literal in &term.literals {
                if last != Some(literal) {
                    *counts.entry(literal).or_default() += 1;
                }
                last = Some(literal);
            }
        }
        let most = counts.into_iter().filter(|&(_, n)| n > 1).max_by_key(|&(l, n)| (n, std::cmp::Reverse(l)));
        let Some((literal, _)) = most else { break };
        let (with, without): (Vec<Product>, Vec<Product>) =
            terms.into_iter().partition(|term| term.literals.contains(&literal));
        let inner = with.into_iter().map(|mut term| {
            take(&mut term.literals, literal);
            term
        });
        let inner = nest(inner.collect(), factored);
        let number = factored.polynomials.len();
        factored.polynomials.push(inner);
        let sum = factored.define(Definition::Sum(number));
        done.push(Product { coefficient: 1.0, literals: vec![literal, sum] });
        terms = without;
    }
    done.extend(terms);
    done
}
