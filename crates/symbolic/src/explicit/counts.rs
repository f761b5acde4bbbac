//! Step 3 counted: how many Christoffel symbols and derivatives a model has.

use super::derivation::Polynomials;
use super::model::pairs;
use super::polynomial::Polynomial;

/// Of the n·n(n+1)/2 Christoffel symbols β^(i,jk), j ≤ k, and of as many derivatives ∂a_ij/∂q_k, i ≤ j.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChristoffelCounts {
    /// All there can be.
    pub possible: usize,
    /// Christoffel symbols that do not vanish.
    pub nonzero: usize,
    /// Of these, different ones; a symbol and its negative are one.
    pub distinct: usize,
    /// The same where a symbol and its negative are two.
    pub distinct_with_sign: usize,
    /// Derivatives that do not vanish.
    pub derivatives: usize,
    /// Of these, different ones; a derivative and its negative are one.
    pub distinct_derivatives: usize,
}

/// Counts by equality of normal forms.
pub fn counts(polynomials: &Polynomials) -> ChristoffelCounts {
    let n = polynomials.count();
    let (mut symbols, mut derivatives) = (Vec::new(), Vec::new());
    for m in 0..n {
        for (j, k) in pairs(n) {
            symbols.push(polynomials.christoffel(m, j, k));
            derivatives.push(polynomials.derivative(j, k, m));
        }
    }
    let possible = symbols.len();
    symbols.retain(|p| !p.is_zero());
    derivatives.retain(|p| !p.is_zero());
    ChristoffelCounts {
        possible,
        nonzero: symbols.len(),
        distinct: distinct(&symbols, true),
        distinct_with_sign: distinct(&symbols, false),
        derivatives: derivatives.len(),
        distinct_derivatives: distinct(&derivatives, true),
    }
}

fn distinct(all: &[Polynomial], up_to_sign: bool) -> usize {
    let mut different: Vec<&Polynomial> = Vec::new();
    for p in all {
        let same = |q: &&Polynomial| equal(p, q, 1.0) || (up_to_sign && equal(p, q, -1.0));
        if !different.iter().any(same) {
            different.push(p);
        }
    }
    different.len()
}

/// Equal to rounding: the monomials are the same, and so are the coefficients to 1e-12.
fn equal(p: &Polynomial, q: &Polynomial, sign: f64) -> bool {
    p.terms().len() == q.terms().len()
        && p.terms().iter().zip(q.terms()).all(|(a, b)| {
            let difference = a.coefficient - sign * b.coefficient;
            (a.monomial, a.symbols) == (b.monomial, b.symbols) && difference.abs() <= 1e-12 * a.coefficient.abs()
        })
}
