//! Programs of explicit models from which the insignificant is left out, with the error that this costs.

use super::serial::{rigid_part, signature, state};
use super::symbols::Symbols;
use super::verify::{STATES, Trial, verified};
use super::{DeriveError, Derived, Friction, Of, Request, finish, join, with_friction};
use crate::explicit::{
    ATTEMPTS, Abbreviated, Budget, Explicit, Limits, Output, Significance, TorqueError, full_matrix,
};
use crate::extract::Random;
use crate::graph::Graph;
use dalembert_core::limits::JointLimits;
use dalembert_core::serial::Serial;

/// What may be left out.
#[derive(Clone, Debug, PartialEq)]
pub enum Abbreviation {
    /// Terms below this share of the greatest one of their equation, and a tenth of it of the joint's largest constant.
    Significance(f64),
    /// As much as keeps the torque of every joint within this, N m (N).
    MaxError(f64),
}

/// The program of an abbreviated model of a serial arm; its own error is the difference from that model. `limits` are those
/// of the robot file, one for each joint.
pub fn abbreviated<const N: usize>(
    arm: &Serial<f64, N>,
    limits: &[JointLimits],
    request: &Request,
    wanted: &Abbreviation,
    progress: &mut dyn FnMut(f64),
) -> Result<Derived, DeriveError> {
    let refuse = |reason: String| Err(DeriveError::DoesNotApply { of: request.of, reason });
    let Some(output) = output(request.of) else {
        return refuse("only torque, mass, gravity and coriolis have an explicit model to be abbreviated".into());
    };
    if request.symbolic {
        return refuse("what is significant depends on the values of the parameters, which are symbols here".into());
    }
    join::refuse_own_laws(request.of, &arm.parameters().links.map(|link| link.friction))?;
    let rigid = rigid_part(arm);
    let model = match Explicit::of(&rigid) {
        Ok(model) => model,
        Err(error) => return refuse(error.to_string()),
    };
    progress(0.2);
    let limits = Limits::of(limits, &model.joints);
    let (Abbreviated { kept, dropped }, error) = match *wanted {
        Abbreviation::Significance(threshold) => {
            let model = model.abbreviated(Significance::at(threshold));
            let error = model.dropped.torque_range(&limits, Budget::default());
            (model, error)
        }
        Abbreviation::MaxError(most) => match model.cheapest_within(&[most; N], &limits, Budget::default()) {
            Ok(cheapest) => (cheapest.model, cheapest.error),
            Err(error) => return refuse(error.to_string()),
        },
    };
    progress(0.5);
    let graph = Graph::new();
    let signature = signature(arm, request, &Symbols::new(&graph));
    let program = kept.program(output, signature, ATTEMPTS, request.effort.rounds);
    progress(0.9);
    let mut random = Random::new(1);
    // The model term by term, without the factoring: another way to the same.
    let expected = |inputs: &[f64]| -> Vec<f64> {
        let part = |k: usize| inputs.get(k * N..(k + 1) * N).unwrap_or(&[]);
        let elements = kept.at(part(0));
        match request.of {
            Of::Torque => {
                let mut torque = elements.torque(part(1), part(2));
                for (i, link) in arm.parameters().links.iter().enumerate() {
                    torque[i] += link.friction.map_or(0.0, |friction| friction.torque(part(1)[i]));
                }
                torque
            }
            Of::Mass => full_matrix(N, &elements.mass),
            Of::Gravity => elements.gravity,
            _ => {
                let (moving, still) = (elements.torque(part(1), &[0.0; N]), elements.gravity);
                moving.iter().zip(still).map(|(all, gravity)| all - gravity).collect()
            }
        }
    };
    let trials: Vec<Trial> = (0..STATES)
        .map(|_| {
            let inputs = state(arm, request.of, &mut random);
            Trial { variant: 0, parameters: Vec::new(), expected: expected(&inputs), inputs }
        })
        .collect();
    let mut conventions = super::serial::conventions(arm);
    conventions.push(said(wanted, &error, dropped.terms()));
    let frictions = arm.parameters().links.map(|link| link.friction);
    let program = match (request.of, join::friction(&frictions, |_| false, false, 1)) {
        (Of::Torque, Some(loss)) => with_friction(program, &loss, Friction::AddedToTorque),
        _ => program,
    };
    let derived = verified(finish(program, request, conventions), request.of, &trials, |_, found| found)?;
    Ok(Derived { left_out: Some(error), ..derived })
}

/// What an explicit model can compute.
pub(super) fn output(of: Of) -> Option<Output> {
    match of {
        Of::Torque => Some(Output::Torque),
        Of::Mass => Some(Output::Mass),
        Of::Gravity => Some(Output::Gravity),
        Of::Coriolis => Some(Output::Coriolis),
        _ => None,
    }
}

/// What was left out, for the heading of the program.
fn said(wanted: &Abbreviation, error: &TorqueError, terms: usize) -> String {
    let bound: Vec<String> = error.bound.iter().map(|bound| format!("{bound:.3}")).collect();
    let rule = match wanted {
        Abbreviation::Significance(threshold) => format!("below {threshold} of the greatest term of their equation"),
        Abbreviation::MaxError(most) => format!("for an error of at most {most} N m (N)"),
    };
    format!(
        "Abbreviated: {terms} terms left out, {rule}. Torque error within the limits of the robot file at most {} (joint by \
         joint, N m or N).",
        bound.join(", ")
    )
}
