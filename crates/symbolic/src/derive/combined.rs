//! Programs made of other programs in one graph: what they share, sines above all, is computed once, and the whole is
//! polished together.

use crate::expr::Expr;
use crate::program::Program;
use dalembert_core::Scalar;
use dalembert_core::scalar::Dual;

type E<'g> = Expr<'g>;

/// Which end of a symmetric matrix is eliminated first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elimination {
    /// M = Lᵀ D L: from the last joint, which moves least.
    FromLast,
    /// M = L D Lᵀ: from the first one.
    FromFirst,
}

/// x of M x = b, M symmetric by rows. Entries that are zero cost nothing (Featherstone 2008, §6.5: Lᵀ D L).
pub(super) fn solve<'g>(matrix: &[E<'g>], b: &[E<'g>], elimination: Elimination) -> Vec<E<'g>> {
    let n = b.len();
    let at = |k: usize| if elimination == Elimination::FromLast { n - 1 - k } else { k };
    // In the order of elimination.
    let mut m: Vec<Vec<E<'g>>> = (0..n).map(|i| (0..n).map(|j| matrix[at(i) * n + at(j)]).collect()).collect();
    let mut x: Vec<E<'g>> = (0..n).map(|i| b[at(i)]).collect();
    let mut inverse = Vec::with_capacity(n);
    for k in 0..n {
        let pivot = E::one() / m[k][k];
        inverse.push(pivot);
        for i in k + 1..n {
            let factor = m[i][k] * pivot;
            for j in k + 1..=i {
                m[i][j] = m[i][j] - factor * m[j][k];
            }
            x[i] = x[i] - factor * x[k];
        }
    }
    // m[i][k], i > k, is the factor times the pivot still: what is left is D Lᵀ.
    for k in (0..n).rev() {
        let rest = (k + 1..n).fold(x[k], |sum, i| sum - m[i][k] * x[i]);
        x[k] = rest * inverse[k];
    }
    (0..n).map(|i| x[at(i)]).collect()
}

/// The derivatives of a program's results by some of its inputs, result by result.
pub(super) fn derivatives<'g>(
    program: &Program,
    parameters: &[E<'g>],
    inputs: &[E<'g>],
    by: std::ops::Range<usize>,
) -> Vec<E<'g>> {
    let constant = |e: &E<'g>| Dual { value: *e, derivative: [E::zero()] };
    let parameters: Vec<Dual<E<'g>, 1>> = parameters.iter().map(constant).collect();
    let columns: Vec<Vec<E<'g>>> = by
        .map(|direction| {
            let mut inputs: Vec<Dual<E<'g>, 1>> = inputs.iter().map(constant).collect();
            inputs[direction].derivative = [E::one()];
            program.evaluate_with(&parameters, &inputs).iter().map(|result| result.derivative[0]).collect()
        })
        .collect();
    let rows = program.results.len();
    (0..rows).flat_map(|i| columns.iter().map(move |column| column[i])).collect()
}
