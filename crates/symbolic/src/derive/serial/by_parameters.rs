//! Derivatives of torques and accelerations by parameters of a serial arm.

use super::formula::{Rows, conventions, long, mass_matrix, quantities, rows, rows_of, solvable};
use super::{LONGEST, lifted, taken_for};
use crate::derive::combined::{Elimination, solve};
use crate::derive::near::NearNumber;
use crate::derive::parameters::{self, Column, Parts};
use crate::derive::quantities::{Joints, inputs_of};
use crate::derive::verify::{STATES, Trial, verified};
use crate::derive::{DeriveError, Derived, Of, Request, candidates, finish, first_checked, program_name, symbols};
use crate::extract::{Random, Signature};
use crate::graph::Graph;
use dalembert_core::serial::{Joint, Serial};
use dalembert_core::{Dual, Scalar};

/// The program, its columns named in the heading.
pub(super) fn by_parameters<const N: usize>(
    arm: &Serial<f64, N>,
    taken: &[NearNumber],
    request: &Request,
) -> Result<Derived, DeriveError> {
    let of = request.of;
    let links = &arm.parameters().links;
    let slides = |i: usize| links[i].joint == Joint::Prismatic;
    // The ratio counts where a rotor is counted.
    let idle = |field: &dalembert_core::parameter::Field, place: dalembert_core::parameter::Place| {
        field.key == "gear_ratio" && place.part.is_some_and(|link| links[link].armature.is_none())
    };
    let parts = Parts { word: "link", count: N, slides: &slides, shared: false, idle: &idle };
    let columns = parts.columns(of, &request.by, |visit| { *arm.parameters() }.visit(visit))?;
    let graph = Graph::for_target(request.target);
    let (lifted, symbols) = lifted(arm, request.symbolic, &graph);
    let inputs = quantities(arm, &[of]).0;
    let point = inputs_of(&[of], &rows(arm, &mut Random::new(1)));
    let variables = symbols::inputs(&graph, &inputs, &point);
    let found = results(&lifted, &columns, of, &rows_of::<_, N>(&[of], &variables));
    let mut random = Random::new(7);
    let samples: Vec<Vec<f64>> = (0..parameters::SAMPLES)
        .map(|_| parameters::by_rows(&results_of_torque(arm, &columns, &rows(arm, &mut random))))
        .collect();
    let (columns, results) = parameters::kept(columns, found, &samples);
    parameters::require_columns(of, &columns)?;
    let joints = Joints { count: N, sliding: (0..N).filter(|&i| slides(i)).count(), tool: 6 };
    let signature = Signature {
        name: program_name(request),
        title: symbols::title(of),
        inputs,
        outputs: vec![joints.by_parameters(of, columns.len())],
        parameters: symbols.parameters(),
    };
    // At the robot's own parameters, and at others where they are symbols.
    let points: &[Option<usize>] = if request.symbolic { &[None, Some(0), Some(1)] } else { &[None] };
    let value = |point: Option<usize>, name: &str, value| point.map_or(value, |k| symbols.sample(name, value, k));
    let mut random = Random::new(101);
    let mut states = Vec::new();
    for k in 0..STATES {
        let point = points[k % points.len()];
        let other = match point {
            Some(_) => Serial::new(symbols::serial(arm.parameters(), &mut |s, x| value(point, &s.name, x))),
            None => *arm,
        };
        let rows = rows(&other, &mut random);
        if of == Of::AccelerationParameterDerivatives {
            let [q, qd, _, tau] = rows;
            solvable(&other.with_joints(), [q, qd, tau].map(long))
                .map_err(|cause| DeriveError::Undetermined { of, cause })?;
        }
        // Those of accelerations are judged times the mass matrix: how well that is conditioned is the robot's affair.
        let by_torque = results_of_torque(&other, &columns, &rows);
        let sign = if of == Of::TorqueParameterDerivatives { 1.0 } else { -1.0 };
        let expected: Vec<f64> = parameters::by_rows(&by_torque).into_iter().map(|x| sign * x).collect();
        states.push((point, mass_matrix(&other, rows[0]), inputs_of(&[of], &rows), expected));
    }
    let mut words = conventions(arm);
    words.extend(parameters::words(&columns));
    words.extend(taken_for(taken));
    let programs = candidates(&graph, signature, &results, &[], request.effort);
    first_checked(programs, of, |program| {
        let program = finish(program, request, words.clone());
        let mut trials: Vec<Trial> = states
            .iter()
            .enumerate()
            .map(|(variant, (point, _, inputs, expected))| Trial {
                variant,
                parameters: program.parameters.iter().map(|p| value(*point, &p.name, p.value)).collect(),
                inputs: inputs.clone(),
                expected: expected.clone(),
                sizes: Vec::new(),
            })
            .collect();
        let width = columns.len();
        let sizes = parameters::sized(&mut trials, width);
        verified(program, of, &trials, &|trial, mut found| {
            if of == Of::AccelerationParameterDerivatives {
                let mass = &states[trial.variant].1;
                let entry = |k: usize| (0..N).map(|m| mass[k / width * N + m] * found[m * width + k % width]).sum();
                found = (0..N * width).map(entry).collect();
            }
            parameters::over(found, &sizes)
        })
    })
}

/// Row by row.
fn results<S: Scalar, const N: usize>(arm: &Serial<S, N>, columns: &[Column], of: Of, rows: &Rows<S, N>) -> Vec<S> {
    if of == Of::TorqueParameterDerivatives {
        return parameters::by_rows(&results_of_torque(arm, columns, rows));
    }
    let [q, qd, _, tau] = *rows;
    let (mass, bias) = free(&arm.with_joints(), [q, qd].map(long));
    let mass: Vec<S> = (0..N * N).map(|k| mass[k / N][k % N]).collect();
    let left: Vec<S> = (0..N).map(|i| tau[i] - bias[i]).collect();
    let qdd = solve(&mass, &left, Elimination::FromLast);
    let by_torque = results_of_torque(arm, columns, &[q, qd, std::array::from_fn(|i| qdd[i]), tau]);
    parameters::by_rows(&parameters::of_accelerations(&mass, by_torque))
}

/// One column of the torques' derivatives for each.
fn results_of_torque<S: Scalar, const N: usize>(
    arm: &Serial<S, N>,
    columns: &[Column],
    [q, qd, qdd, _]: &Rows<S, N>,
) -> Vec<Vec<S>> {
    let column = |column: &Column| {
        let mut changing = arm.parameters().map(Dual::<S, 1>::constant);
        column.seed(|visit| changing.visit(visit));
        let rows = [q, qd, qdd].map(|row| long(row.map(Dual::constant)));
        torque(&Serial::new(changing).with_joints(), &rows)[..N].iter().map(|x| x.derivative[0]).collect()
    };
    columns.iter().map(column).collect()
}

fn torque<S: Scalar>(arm: &Serial<S, LONGEST>, [q, qd, qdd]: &[[S; LONGEST]; 3]) -> [S; LONGEST] {
    arm.pose_unchecked(*q).moving(*qd).torque(*qdd)
}

/// Mass matrix and torques without acceleration.
fn free<S: Scalar>(arm: &Serial<S, LONGEST>, [q, qd]: [[S; LONGEST]; 2]) -> ([[S; LONGEST]; LONGEST], [S; LONGEST]) {
    let pose = arm.pose_unchecked(q);
    (pose.mass_matrix(), pose.moving(qd).torque([S::zero(); LONGEST]))
}
