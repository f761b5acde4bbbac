//! Programs of serial arms, judged by the formulas.

use super::formula::{Rows, conventions, long, mass_matrix, rows, rows_of, sized_formula, solvable, torque};
use super::{LONGEST, lifted};
use crate::derive::combined::{Elimination, of_acceleration};
use crate::derive::quantities::inputs_of;
use crate::derive::size::Sized;
use crate::derive::verify::{STATES, Trial, verified};
use crate::derive::with_friction::{offset, with_friction};
use crate::derive::{DeriveError, Derived, Of, Request, finish, symbols};
use crate::extract::Random;
use crate::graph::Graph;
use crate::program::Program;
use dalembert_core::Scalar;
use dalembert_core::serial::{Joint, Serial};

/// The rigid program with friction, if it does what the formula does.
pub(super) fn checked<const N: usize>(
    arm: &Serial<f64, N>,
    request: &Request,
    mut program: Program,
) -> Result<Derived, DeriveError> {
    let all = request.all();
    let frictions = arm.parameters().links.map(|link| link.friction);
    let slides = |i: usize| arm.parameters().links[i].joint == Joint::Prismatic;
    program = with_friction(program, &all, &frictions, &slides, request.symbolic);
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
                let at = sizes.len() - found.len();
                derivative_sizes(&sized, &rows, &found, &mut sizes[at..]);
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
    let accelerations = offset(&program.outputs, "qdd");
    let of_accelerations = offset(&program.outputs, "dqdd_dq");
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

/// How large the terms are by which derivatives of accelerations are judged: N × N each by q, q̇ and τ, times the mass matrix.
///
/// A factorisation without pivots solves a system whose matrix is off by (M_ii M_kk)^½ roundings (Demmel; Higham,
/// *Accuracy and Stability of Numerical Algorithms*, 2nd ed., Theorem 10.5). So the accelerations at which the derivatives are taken
/// are off by |M⁻¹| times what that does to the torques, and the solutions likewise; M⁻¹ is symmetric, and the same value for
/// entries that face each other has the error of the worse one, which |M| |M⁻¹|, the condition number, bounds.
fn derivative_sizes<const N: usize>(
    arm: &Serial<Sized, LONGEST>,
    rows: &Rows<f64, N>,
    found: &[Sized],
    sizes: &mut [f64],
) {
    let of_rows =
        |of: Of, rows: &Rows<f64, N>| sized_formula(arm, N, of, &rows.map(|row| long(row.map(Sized::from_f64))));
    let mass = of_rows(Of::Mass, rows);
    let entry =
        |i: usize, k: usize| mass[i * N + k].size.max((mass[i * N + i].value * mass[k * N + k].value).abs().sqrt());
    let values: Vec<f64> = mass.iter().map(|x| x.value).collect();
    let block = |b: usize| (0..N * N).map(|k| -found[b * N * N + k].value).collect::<Vec<f64>>();
    let all = of_acceleration(&values, &block(0), &block(1), Elimination::FromLast);
    let inverse = |m: usize, k: usize| all[(2 * N + m) * N + k].abs();
    let torque = of_rows(Of::Torque, rows);
    let lost: [f64; N] =
        std::array::from_fn(|i| torque[i].size + (0..N).map(|m| entry(i, m) * rows[2][m].abs()).sum::<f64>());
    let off: [f64; N] = std::array::from_fn(|m| (0..N).map(|k| inverse(m, k) * lost[k]).sum());
    for (k, size) in sizes.iter_mut().enumerate() {
        let (b, i, j) = (k / (N * N), k / N % N, k % N);
        let terms = (0..N).map(|m| (entry(i, m) * all[b * N * N + m * N + j]).abs());
        *size = size.max(terms.sum());
    }
    // Torques are linear in accelerations: ∂M_im/∂q_j is what one more does.
    for m in 0..N {
        let mut apart = *rows;
        apart[2][m] += 1.0;
        let apart = of_rows(Of::AccelerationDerivatives, &apart);
        for k in 0..N * N {
            sizes[k] += (apart[k].value - found[k].value).abs() * off[m];
        }
    }
    let condition: Vec<f64> = (0..N * N).map(|k| (0..N).map(|m| entry(k / N, m) * inverse(m, k % N)).sum()).collect();
    for block in sizes.chunks_mut(N * N) {
        let direct = block.to_vec();
        for (k, size) in block.iter_mut().enumerate() {
            *size += (0..N).map(|m| condition[k / N * N + m] * direct[m * N + k % N]).sum::<f64>();
        }
    }
}
