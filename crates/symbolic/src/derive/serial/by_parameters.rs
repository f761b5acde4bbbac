//! Derivatives of torques and accelerations by parameters of a serial arm.

use super::formula::{ChainFormulas, conventions, numbers_of, quantities, rows, rows_of, solvable};
use super::near::NearNumber;
use super::{lifted, taken_for, variants};
use crate::derive::formulas::Formulas;
use crate::derive::parameters::{self, Parts};
use crate::derive::quantities::{Joints, inputs_of};
use crate::derive::verify::{STATES, Trial, verified};
use crate::derive::{DeriveError, Derived, Of, Request, candidates, finish, first_checked, symbols};
use crate::extract::Random;
use crate::graph::Graph;
use dalembert_core::chain::Chain;
use dalembert_core::serial::Joint;

/// The program, its columns named in the heading.
pub(super) fn by_parameters(arm: &Chain<f64>, taken: &[NearNumber], request: &Request) -> Result<Derived, DeriveError> {
    let (of, n) = (request.of, arm.joints());
    let links = &arm.parameters().links;
    let slides = |i: usize| links[i].link.joint == Joint::Prismatic;
    // The ratio counts where a rotor is counted.
    let idle = |field: &dalembert_core::parameter::Field, place: dalembert_core::parameter::Place| {
        field.key == "gear_ratio" && place.part.is_some_and(|link| links[link].link.armature.is_none())
    };
    let parts = Parts { word: "link", count: n, slides: &slides, shared: false, idle: &idle };
    let columns = parts.columns(of, &request.by, |visit| arm.parameters().clone().visit(visit))?;
    let graph = Graph::for_target(request.target);
    let (lifted, symbols) = lifted(arm, request.symbolic, &graph);
    let inputs = quantities(arm, &[of]).0;
    let point = inputs_of(&[of], &rows(arm, &mut Random::new(1)));
    let variables = symbols::inputs(&graph, &inputs, &point);
    let chain = ChainFormulas(arm);
    let formulas = Formulas::new(&chain);
    let found = formulas.results(&numbers_of(&lifted), of, &rows_of(&[of], n, &variables), &columns);
    let mut random = Random::new(7);
    let samples: Vec<Vec<f64>> = (0..parameters::SAMPLES)
        .map(|_| parameters::by_rows(&formulas.by_columns(&numbers_of(arm), &rows(arm, &mut random), &columns)))
        .collect();
    let (columns, results) = parameters::kept(columns, found, &samples);
    parameters::require_columns(of, &columns)?;
    let joints = Joints { count: n, sliding: (0..n).filter(|&i| slides(i)).count(), tool: 6 };
    let outputs = vec![joints.by_parameters(of, columns.len())];
    let signature = request.signature(&[of], [inputs, outputs], symbols.parameters());
    let variants = variants(arm, request.symbolic, &symbols);
    let mut random = Random::new(101);
    let mut trials = Vec::new();
    for k in 0..STATES {
        let variant = k % variants.len();
        let other = &variants[variant];
        let rows = rows(other, &mut random);
        if of == Of::AccelerationParameterDerivatives {
            solvable(other, &rows).map_err(|cause| DeriveError::Undetermined { of, cause })?;
        }
        // Those of accelerations are judged times the mass matrix: how well that is conditioned is the robot's affair.
        let by_torque = formulas.by_columns(&numbers_of(other), &rows, &columns);
        let sign = if of == Of::TorqueParameterDerivatives { 1.0 } else { -1.0 };
        let expected = parameters::by_rows(&by_torque).into_iter().map(|x| sign * x).collect();
        trials.push(Trial { variant, inputs: inputs_of(&[of], &rows), expected, ..Trial::default() });
    }
    let mut words = conventions(arm);
    words.extend(parameters::words(&columns));
    words.extend(taken_for(taken));
    let width = columns.len();
    let sizes = parameters::sized(&mut trials, width);
    let programs = candidates(&graph, signature, &results, &[], request.effort);
    first_checked(programs, of, &mut |program| {
        verified(finish(program, request, words.clone()), of, &symbols, &trials, &|trial, mut found| {
            if of == Of::AccelerationParameterDerivatives {
                let mass = variants[trial.variant].mass_matrix(&trial.inputs[..n]).unwrap_or_default();
                let entry = |k: usize| (0..n).map(|m| mass[k / width * n + m] * found[m * width + k % width]).sum();
                found = (0..n * width).map(entry).collect();
            }
            parameters::over(found, &sizes)
        })
    })
}
