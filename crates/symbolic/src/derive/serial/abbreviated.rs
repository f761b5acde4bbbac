//! Programs of explicit models from which the insignificant is left out, with the error that this costs.

use super::formula::{conventions, rows};
use super::{couplings, frictions, of_chain, rigid_part, signature};
use crate::derive::formulas::Rows;
use crate::derive::friction::{refuse_own_laws, with_friction};
use crate::derive::quantities::inputs_of;
use crate::derive::symbols::Symbols;
use crate::derive::verify::{STATES, Trial, verified};
use crate::derive::{DeriveError, Derived, Of, Request, finish};
use crate::explicit::{
    ATTEMPTS, Abbreviated, Budget, Explicit, FormulaOutput, Limits, LumpedConstants, Polynomials, Significance,
    TorqueError, constants, full_matrix,
};
use crate::extract::Random;
use crate::graph::Graph;
use dalembert_core::chain::Chain;
use dalembert_core::limits::JointLimits;

/// What may be left out.
#[derive(Clone, Debug, PartialEq)]
pub enum Abbreviation {
    /// Terms below this share of the greatest one of their equation, and a tenth of it of the joint's largest constant.
    Significance(f64),
    /// As much as keeps the torque of every joint within this, N m (N).
    MaxError(f64),
}

/// What the joints are taken to do, where that is not as the robot file says: empty, one number for all joints, or one for each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Domain {
    /// Greatest speeds, rad/s (m/s).
    pub speed: Vec<f64>,
    /// Greatest accelerations, rad/s² (m/s²).
    pub acceleration: Vec<f64>,
    /// Least and greatest positions, rad (m): empty, or one pair for each joint.
    pub position: Vec<[f64; 2]>,
    /// What does this: the name of a motion.
    pub motion: Option<String>,
}

impl Domain {
    fn apply(&self, limits: &mut Limits) -> Result<(), String> {
        for (given, limit, what) in [
            (&self.speed, &mut limits.velocity, "speeds"),
            (&self.acceleration, &mut limits.acceleration, "accelerations"),
        ] {
            match given.len() {
                0 => {}
                1 => limit.fill(given[0]),
                n if n == limit.len() => limit.copy_from_slice(given),
                n => {
                    return Err(format!(
                        "{n} {what} are given for {} joints: one for all, or one for each",
                        limit.len()
                    ));
                }
            }
        }
        match self.position.len() {
            0 => {}
            n if n == limits.position.len() => limits.position.clone_from(&self.position),
            n => return Err(format!("{n} ranges of positions are given for {} joints", limits.position.len())),
        }
        Ok(())
    }
}

/// The program of an abbreviated model of a serial arm, or the exact one where that costs no more; its own error is the
/// difference from that model. `limits` are those of the robot file, one for each joint.
pub fn abbreviated(
    arm: impl Into<Chain<f64>>,
    limits: &[JointLimits],
    request: &Request,
    wanted: &Abbreviation,
    progress: &mut dyn FnMut(f64),
) -> Result<Derived, DeriveError> {
    let arm = &arm.into();
    let refused = |reason: String| DeriveError::refused(request.of, reason);
    let output = match output(request.of) {
        Some(output) if request.also.is_empty() => output,
        _ => return Err(refused("only torque, mass, gravity and coriolis can be abbreviated".into())),
    };
    if request.symbolic {
        return Err(refused("significance depends on parameter values, but the parameters are symbolic here".into()));
    }
    if couplings(arm).iter().any(Option::is_some) {
        return Err(refused("a motor turns with several joints: such robots are not abbreviated".into()));
    }
    let frictions = frictions(arm);
    refuse_own_laws(request.of, &frictions)?;
    let rigid = rigid_part(arm);
    let model = Explicit::of(&rigid).map_err(|error| refused(error.to_string()))?;
    let mut limits = Limits::of(limits, &model.joints);
    request.domain.apply(&mut limits).map_err(refused)?;
    let exact = of_chain(arm, request, &mut |share| progress(0.5 * share))?;
    let most = request.target.score(&exact.program.operations());
    let nothing = || {
        let none = vec![0.0; arm.joints()];
        let mut exact = exact.clone();
        let why = "Nothing is left out: no abbreviated program is cheaper than the exact one.";
        exact.program.conventions.push(why.into());
        Ok(Derived { left_out: Some(TorqueError { bound: none.clone(), found: none.clone(), rms: none }), ..exact })
    };
    let mut candidates = Vec::new();
    let tries: Vec<f64> = match *wanted {
        Abbreviation::Significance(threshold) => vec![threshold],
        Abbreviation::MaxError(most) => steps_to(most),
    };
    let graph = Graph::new();
    let symbols = Symbols::new(&graph);
    let signature = signature(arm, &[request.of], request, &symbols);
    for (k, &value) in tries.iter().enumerate() {
        let part = &mut |share: f64| progress(0.5 + 0.45 * (k as f64 + share) / tries.len() as f64);
        let found = match wanted {
            Abbreviation::Significance(_) => model.abbreviated(Significance::at(value)),
            Abbreviation::MaxError(_) => {
                let (wanted, found) = (vec![value; arm.joints()], &mut |share| part(0.8 * share));
                let cheapest = model.cheapest_within(&wanted, &limits, Budget::default(), found);
                cheapest.map_err(|error| refused(error.to_string()))?
            }
        };
        part(0.8);
        // What is polished loses a third at most.
        if found.kept.formulas(output, 2).cost() <= 2 * exact.program.operations().arithmetic() {
            let program =
                found.kept.program(output, signature.clone(), request.target, ATTEMPTS, request.effort.rounds);
            let program = with_friction(program, &[request.of], (&frictions, &[]), &|_| false, false);
            candidates.push((request.target.score(&program.operations()), found, program));
        }
    }
    let cheapest = candidates.into_iter().min_by_key(|(score, ..)| *score).filter(|(score, ..)| *score < most);
    let Some((_, Abbreviated { kept, dropped }, program)) = cheapest else { return nothing() };
    let error = dropped.torque_range(&limits, Budget::default());
    progress(0.95);
    let mut random = Random::new(1);
    // The model term by term, without the factoring: another way to the same.
    let expected = |[q, qd, qdd, _]: &Rows<f64>| -> Vec<f64> {
        let elements = kept.at(q);
        match request.of {
            Of::Torque => {
                let mut torque = elements.torque(qd, qdd);
                for (i, friction) in frictions.iter().enumerate() {
                    torque[i] += friction.map_or(0.0, |friction| friction.torque(qd[i]));
                }
                torque
            }
            Of::Mass => full_matrix(arm.joints(), &elements.mass),
            Of::Gravity => elements.gravity,
            _ => {
                let (moving, still) = (elements.torque(qd, &vec![0.0; arm.joints()]), elements.gravity);
                moving.iter().zip(still).map(|(all, gravity)| all - gravity).collect()
            }
        }
    };
    let trials: Vec<Trial> = (0..STATES)
        .map(|_| {
            let rows = rows(arm, &mut random);
            let inputs = inputs_of(&[request.of], &rows);
            Trial { inputs, expected: expected(&rows), ..Trial::default() }
        })
        .collect();
    let mut conventions = conventions(arm);
    conventions.extend(abbreviation_note(wanted, &error, dropped.terms(), &limits, request.domain.motion.as_deref()));
    let derived = verified(finish(program, request, conventions), request.of, &symbols, &trials, &|_, found| found)?;
    Ok(Derived { left_out: Some(error), ..derived })
}

/// The wanted errors that are tried for one: the last two of these steps that are not above it. Every error of a step is tried for the next one
/// too, so that a larger bound never costs more by chance.
fn steps_to(most: f64) -> Vec<f64> {
    const STEPS: [f64; 10] = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0];
    if !(most > 0.0 && most.is_finite()) {
        return vec![most]; // refused by name
    }
    let decade = most.log10().floor() as i32;
    let steps = (decade - 1..=decade + 1).flat_map(|k| STEPS.map(|step| step * 10.0_f64.powi(k)));
    let below: Vec<f64> = steps.filter(|step| *step <= most * (1.0 + 1e-12)).map(|step| step.min(most)).collect();
    below[below.len().saturating_sub(2)..].to_vec()
}

/// The explicit model of an arm in lumped constants.
pub fn equations(arm: impl Into<Chain<f64>>) -> Result<LumpedConstants, DeriveError> {
    let arm = &arm.into();
    /// Nobody reads more.
    const MAX_PRINTED_TERMS: usize = 20_000;
    let refused = |reason: String| DeriveError::refused(Of::Torque, reason);
    let terms = Explicit::of(rigid_part(arm)).map_err(|error| refused(error.to_string()))?.terms();
    if terms > MAX_PRINTED_TERMS {
        return Err(refused(format!(
            "its equations have {terms} terms, too many to read; derive a program, which shares common subexpressions"
        )));
    }
    let polynomials = Polynomials::symbolic(arm).map_err(|error| refused(error.to_string()))?;
    Ok(constants(&polynomials))
}

/// What an explicit model can compute.
pub(super) fn output(of: Of) -> Option<FormulaOutput> {
    match of {
        Of::Torque => Some(FormulaOutput::Torque),
        Of::Mass => Some(FormulaOutput::Mass),
        Of::Gravity => Some(FormulaOutput::Gravity),
        Of::Coriolis => Some(FormulaOutput::Coriolis),
        _ => None,
    }
}

/// What was left out and what its bound takes for granted, for the heading of the program.
fn abbreviation_note(
    wanted: &Abbreviation,
    error: &TorqueError,
    terms: usize,
    limits: &Limits,
    motion: Option<&str>,
) -> Vec<String> {
    // None of them is negative; rounding may be.
    let row = |values: &[f64]| values.iter().map(|x| format!("{:.3}", x.abs())).collect::<Vec<_>>().join(", ");
    let rule = match wanted {
        Abbreviation::Significance(threshold) => format!("below {threshold} of the greatest term of their equation"),
        Abbreviation::MaxError(most) => format!("for an error of at most {most} N m (N)"),
    };
    let ranges: Vec<String> = limits.position.iter().map(|[a, b]| format!("{a:.3} to {b:.3}")).collect();
    let mut lines = vec![format!("Abbreviated: {terms} terms left out, {rule}.")];
    lines.extend(motion.map(|motion| format!("For the motion {motion}:")));
    lines.extend([
        format!("The torque is wrong by at most {} (joint by joint, N m or N), as long as", row(&error.bound)),
        format!("  positions are {} (rad or m),", ranges.join(", ")),
        format!("  speeds up to {} (rad/s or m/s),", row(&limits.velocity)),
        format!("  accelerations up to {} (rad/s^2 or m/s^2).", row(&limits.acceleration)),
    ]);
    lines
}
