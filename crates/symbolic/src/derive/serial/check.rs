//! Programs of serial arms, judged by the formulas.

use super::formula::{ChainFormulas, conventions, numbers_of, rows, rows_of, solvable, torque};
use super::{couplings, frictions, lifted, variants};
use crate::derive::combined::{Elimination, of_acceleration};
use crate::derive::formulas::{Formulas, Rows};
use crate::derive::friction::{offset, with_friction};
use crate::derive::quantities::inputs_of;
use crate::derive::size::Sized;
use crate::derive::verify::{STATES, Trial, verified};
use crate::derive::{DeriveError, Derived, Of, Request, finish};
use crate::extract::Random;
use crate::graph::Graph;
use crate::program::Program;
use dalembert_core::Scalar;
use dalembert_core::chain::Chain;
use dalembert_core::serial::Joint;

/// The rigid program with friction, if it does what the formula does.
pub(super) fn checked(arm: &Chain<f64>, request: &Request, mut program: Program) -> Result<Derived, DeriveError> {
    let (all, n) = (request.all(), arm.joints());
    let slides = |i: usize| arm.links()[i].joint == Joint::Prismatic;
    program = with_friction(program, &all, (&frictions(arm), &couplings(arm)), &slides, request.symbolic);
    let program = finish(program, request, conventions(arm));

    let graph = Graph::new();
    let (_, symbols) = lifted(arm, request.symbolic, &graph);
    let variants = variants(arm, request.symbolic, &symbols);
    let chain = ChainFormulas(arm);
    let formulas = Formulas::new(&chain);
    let mut random = Random::new(101);
    let mut trials = Vec::new();
    for k in 0..STATES {
        let variant = k % variants.len();
        let other = &variants[variant];
        let rows = rows(other, &mut random);
        let (mut expected, mut sizes) = (Vec::new(), Vec::new());
        let sized = sized(&numbers_of(other));
        for &of in &all {
            let as_torque = if of == Of::Acceleration { Of::Torque } else { of };
            let found = formulas.judged(&sized, as_torque, &rows.each_ref().map(|row| self::sized(row)));
            sizes.extend(found.iter().map(|x| x.size));
            if of == Of::AccelerationDerivatives {
                solvable(other, &rows).map_err(|cause| DeriveError::Undetermined { of, cause })?;
                let at = sizes.len() - found.len();
                derivative_sizes(&formulas, &sized, &rows, &found, &mut sizes[at..]);
            }
            if of == Of::Acceleration {
                solvable(other, &rows).map_err(|cause| DeriveError::Undetermined { of, cause })?;
                expected.extend(&rows[3]);
            } else {
                expected.extend(found.iter().map(|x| x.value));
            }
        }
        trials.push(Trial { variant, expected, sizes, inputs: inputs_of(&all, &rows) });
    }
    let accelerations = offset(&program.outputs, "qdd");
    let of_accelerations = offset(&program.outputs, "dqdd_dq");
    verified(program, request.of, &symbols, &trials, &|trial, mut found| {
        // So are their derivatives.
        if let Some(from) = of_accelerations {
            let [q, ..] = rows_of::<f64>(&all, n, &trial.inputs);
            let mass = variants[trial.variant].mass_matrix(&q).unwrap_or_default();
            let entry = |found: &[f64], k: usize| -> f64 {
                let (block, i, j) = (from + k / (n * n) * n * n, k / n % n, k % n);
                (0..n).map(|m| mass[i * n + m] * found[block + m * n + j]).sum()
            };
            let all: Vec<f64> = (0..3 * n * n).map(|k| entry(&found, k)).collect();
            found.splice(from..from + 3 * n * n, all);
        }
        // Accelerations are judged by the torques that they ask for: how well the mass matrix is conditioned is the
        // robot's affair, not the program's.
        if let Some(from) = accelerations {
            let [q, qd, ..] = rows_of::<f64>(&all, n, &trial.inputs);
            let asked = torque(&variants[trial.variant], [&q, &qd, &found[from..from + n]]);
            found.splice(from..from + n, asked);
        }
        found
    })
}

/// Numbers with their sizes.
fn sized(numbers: &[f64]) -> Vec<Sized> {
    numbers.iter().map(|&x| Sized::from_f64(x)).collect()
}

/// How large the terms are by which derivatives of accelerations are judged: n × n each by q, q̇ and τ, times the mass matrix.
///
/// A factorisation without pivots solves a system whose matrix is off by (M_ii M_kk)^½ roundings (Demmel; Higham,
/// *Accuracy and Stability of Numerical Algorithms*, 2nd ed., Theorem 10.5). So the accelerations at which the derivatives are taken
/// are off by |M⁻¹| times what that does to the torques, and the solutions likewise; M⁻¹ is symmetric, and the same value for
/// entries that face each other has the error of the worse one, which |M| |M⁻¹|, the condition number, bounds.
fn derivative_sizes(formulas: &Formulas<'_>, arm: &[Sized], rows: &Rows<f64>, found: &[Sized], sizes: &mut [f64]) {
    let n = rows[0].len();
    let of_rows = |of: Of, rows: &Rows<f64>| formulas.judged(arm, of, &rows.each_ref().map(|row| sized(row)));
    let mass = of_rows(Of::Mass, rows);
    let entry =
        |i: usize, k: usize| mass[i * n + k].size.max((mass[i * n + i].value * mass[k * n + k].value).abs().sqrt());
    let values: Vec<f64> = mass.iter().map(|x| x.value).collect();
    let block = |b: usize| (0..n * n).map(|k| -found[b * n * n + k].value).collect::<Vec<f64>>();
    let all = of_acceleration(&values, &block(0), &block(1), Elimination::FromLast);
    let inverse = |m: usize, k: usize| all[(2 * n + m) * n + k].abs();
    let torque = of_rows(Of::Torque, rows);
    let lost: Vec<f64> =
        (0..n).map(|i| torque[i].size + (0..n).map(|m| entry(i, m) * rows[2][m].abs()).sum::<f64>()).collect();
    let off: Vec<f64> = (0..n).map(|m| (0..n).map(|k| inverse(m, k) * lost[k]).sum()).collect();
    for (k, size) in sizes.iter_mut().enumerate() {
        let (b, i, j) = (k / (n * n), k / n % n, k % n);
        let terms = (0..n).map(|m| (entry(i, m) * all[b * n * n + m * n + j]).abs());
        *size = size.max(terms.sum());
    }
    // Torques are linear in accelerations: ∂M_im/∂q_j is what one more does.
    for m in 0..n {
        let mut apart = rows.clone();
        apart[2][m] += 1.0;
        let apart = of_rows(Of::AccelerationDerivatives, &apart);
        for k in 0..n * n {
            sizes[k] += (apart[k].value - found[k].value).abs() * off[m];
        }
    }
    let condition: Vec<f64> = (0..n * n).map(|k| (0..n).map(|m| entry(k / n, m) * inverse(m, k % n)).sum()).collect();
    for block in sizes.chunks_mut(n * n) {
        let direct = block.to_vec();
        for (k, size) in block.iter_mut().enumerate() {
            *size += (0..n).map(|m| condition[k / n * n + m] * direct[m * n + k % n]).sum::<f64>();
        }
    }
}
