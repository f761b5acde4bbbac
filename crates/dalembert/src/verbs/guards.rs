//! Checks that verbs share: numbers too large to compute with, states out of reach, angles in the wrong unit.

use super::prelude::*;
use crate::robot::violations;
use std::f64::consts::TAU;

/// Why a result is none.
pub const TOO_LARGE: &str = "a number is too large to compute with, or its square too small";

/// What to do about a number that is too large.
pub const TOO_LARGE_HINT: &str = "are the units right? All numbers are in SI unless they have a unit";

/// Refuses results that are not numbers: a formula does not notice when a square is too large. `whose` and `what` name the result.
pub fn require_finite(whose: &str, what: &str, values: impl IntoIterator<Item = f64>) -> Result<(), VerbError> {
    match values.into_iter().find(|value| !value.is_finite()) {
        None => Ok(()),
        Some(value) => {
            let value = if value.is_nan() { "no number" } else { "not finite" };
            let message = format!("{whose}: {what} is {value}: {TOO_LARGE}");
            Err(VerbError::new("not-finite", message).hint(TOO_LARGE_HINT))
        }
    }
}

/// Refuses a robot with numbers so large that its torques overflow in squares, determinants or sums.
pub fn require_computable(robot: &Robot) -> Result<(), VerbError> {
    const MAX_MAGNITUDE: f64 = 1e100;
    // A robot without a home pose says so itself, where it is asked for one.
    let (Ok(home), Ok(exact)) = (robot.home(), robot.build_model("exact")) else { return Ok(()) };
    let ones = JointVector::from_fn(robot.joints().len(), |_| 1.0);
    let moving = JointState { q: home.joints.q.clone(), qd: ones.clone(), qdd: ones };
    let moving = robot.at_joints(&moving, &Pick::default()).unwrap_or_else(|_| home.clone());
    let matrix = exact.mass_matrix(&home);
    let numbers = matrix.iter().flat_map(|row| row.to_vec()).chain(exact.gravity_torque(&home).to_vec());
    let mut numbers = numbers.chain(exact.torque(&moving, Wrench::zero()).to_vec());
    if numbers.any(|value| !value.is_finite() || value.abs() > MAX_MAGNITUDE) {
        let problem = format!("{}: mass matrix or torque at its home pose is not finite, or beyond 1e100", robot.name);
        let hint =
            "a length, a mass, an inertia, friction or gravity is too large to compute with; are the units right?";
        return Err(VerbError::new("not-finite", problem).hint(hint));
    }
    Ok(())
}

/// A pose beyond the ranges of the joints, or many turns away: degrees without their unit, or another robot's.
pub fn out_of_range(robot: &Robot, q: &[f64]) -> Option<Finding> {
    const UNIT: &str = "angles are in rad unless they have a unit, as in `45 deg`";
    let joints = robot.joints();
    let turns = |(i, joint): &(usize, &Joint)| joint.kind == JointKind::Revolute && q[*i].abs() > 2.0 * TAU;
    if let Some(violation) = violations(&joints, q, None, None, None).first() {
        let found = Finding::new("joint-range-exceeded", Severity::Warning, format!("{violation}; {UNIT}"));
        let found = found.with("joint", violation.joint).with("value", violation.value);
        return Some(found.with("limit", violation.limit));
    }
    let (i, _) = joints.iter().enumerate().take(q.len()).find(turns)?;
    let (joint, count) = (i + 1, human(q[i].abs() / TAU, 3));
    let text = format!("joint {joint} is at {count} turns; {UNIT}");
    Some(Finding::new("many-turns", Severity::Warning, text).with("joint", joint).with("value", q[i]))
}

/// A state that the robot cannot be in, with where it can be.
pub fn refused(robot: &Robot, error: StateError) -> VerbError {
    let axis = robot.workspace().map(|workspace| {
        let [low, high] = workspace.heights.map(|z| human(z, 4));
        format!("on its axis this robot reaches z = {low} … {high} m; positions in m, angles in rad or with unit (\"45 deg\")")
    });
    let hint = axis.or(error.hint.map(str::to_owned));
    VerbError { hint, ..failed("state-refused", &robot.name)(error) }
}
