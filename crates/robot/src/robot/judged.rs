//! Programs against the robot's exact model: the formulas of the family, which share nothing with how a program is searched, kept and run.

use super::linear_model::{Coordinates, Output};
use super::{JointKind, JointMatrix, JointState, JointVector, Model, Pick, Robot, State, TorqueDerivatives};
use crate::spatial::{Twist, Wrench};
use crate::symbolic::Program;
use crate::symbolic::derive::Of;
use dalembert_compiled::Compiled;
use dalembert_core::random::Random;

/// How many states are tried.
const STATES: usize = 5;

/// Of the largest component of a quantity: a program rounds to some 1e-13, what is wrong is far above.
const DIRECT: f64 = 1e-9;

/// The same of derivatives, which go through the inverse of the mass matrix.
const DERIVATIVES: f64 = 1e-7;

/// A quantity that is smaller than this share of the others beside it may be nothing but their rounding.
const SMALL: f64 = 1e-3;

/// So is what is below this, where all of them vanish.
const NOTHING: f64 = 1e-13;

impl Robot {
    /// Whether a program gives what the exact model gives, at random states near the robot's home. What no model gives (kinematics, regressors,
    /// Jacobians) is never confirmed.
    pub fn agrees_with_exact(&self, of: Of, compiled: &Compiled) -> bool {
        judge(self, of, compiled).is_some()
    }
}

fn judge(robot: &Robot, of: Of, compiled: &Compiled) -> Option<()> {
    /// Some poses may be out of reach.
    const TRIES: usize = 20 * STATES;
    let model = robot.model(robot.models().first()?.name).ok()?;
    let home = robot.home().ok()?.joints.q;
    let joints = robot.joints();
    let mut random = Random(1);
    let mut scratch = compiled.scratch();
    let mut judged = 0;
    for _ in 0..TRIES {
        let mut around = |center: &JointVector, size: f64| {
            JointVector::from_fn(joints.len(), |i| {
                let size = if joints[i].kind == JointKind::Revolute { size } else { 0.1 * size };
                center[i] + random.within(-size, size)
            })
        };
        let zero = JointVector::zero(joints.len());
        let state = JointState { q: around(&home, 0.3), qd: around(&zero, 1.0), qdd: around(&zero, 3.0) };
        let Ok(state) = robot.at_joints(&state, &Pick::default()) else { continue };
        let torque = model.torque(&state, Wrench::zero());
        let inputs = inputs(compiled.program(), &state, &torque)?;
        let mut found = vec![0.0; compiled.outputs()];
        compiled.one(&inputs, &mut found, &mut scratch).ok()?;
        let expected = expected(robot, &*model, of, &state, &torque)?;
        let derived = matches!(of, Of::TorqueDerivatives | Of::AccelerationDerivatives);
        let tolerance = if derived { DERIVATIVES } else { DIRECT };
        if found.len() != expected.len() {
            return None;
        }
        let largest = |values: &[f64]| values.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        let least = SMALL * largest(&expected);
        let mut from = 0;
        for quantity in &compiled.program().outputs {
            let part = from..from + quantity.length;
            from = part.end;
            let (found, expected) = (found.get(part.clone())?, expected.get(part)?);
            let allowed = tolerance * largest(expected).max(least) + NOTHING;
            // Written so that NaN fails.
            if !found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= allowed) {
                return None;
            }
        }
        judged += 1;
        if judged == STATES {
            return Some(());
        }
    }
    None
}

/// What a program takes in a state; none where it takes something else.
pub(super) fn inputs(program: &Program, state: &State, torque: &JointVector) -> Option<Vec<f64>> {
    let twist = |twist: &Twist<f64>| [twist.linear.0, twist.angular.0].concat();
    let State { joints, tool, .. } = state;
    let mut all = Vec::new();
    for quantity in &program.inputs {
        let numbers = match quantity.name.as_str() {
            "q" => joints.q.to_vec(),
            "qd" => joints.qd.to_vec(),
            "qdd" => joints.qdd.to_vec(),
            "tau" => torque.to_vec(),
            "x" => tool.pose.origin.0.to_vec(),
            "rotation" => tool.pose.rotation.0.iter().flat_map(|row| row.0).collect(),
            "v" => twist(&tool.velocity),
            "a" => twist(&tool.acceleration),
            _ => return None,
        };
        // A platform that does not turn has no angular velocity.
        all.extend_from_slice(numbers.get(..quantity.length)?);
    }
    Some(all)
}

/// All outputs of a program, in order; none where the exact model has no such quantity.
fn expected(robot: &Robot, model: &dyn Model, of: Of, state: &State, torque: &JointVector) -> Option<Vec<f64>> {
    let rows = |matrix: JointMatrix| matrix.iter().flat_map(|row| row.to_vec()).collect::<Vec<f64>>();
    let bias = || {
        let joints = JointState { qdd: JointVector::zero(state.joints.q.len()), ..state.joints.clone() };
        Some(model.torque(&robot.at_joints(&joints, &Pick::default()).ok()?, Wrench::zero()))
    };
    Some(match of {
        Of::Torque | Of::TorqueCartesian => torque.to_vec(),
        Of::Mass => rows(model.mass_matrix(state)),
        Of::Gravity => model.gravity_torque(state).to_vec(),
        Of::Bias => bias()?.to_vec(),
        Of::Coriolis => {
            let (bias, gravity, friction) = (bias()?, model.gravity_torque(state), model.friction(state));
            (0..bias.len()).map(|i| bias[i] - gravity[i] - friction[i]).collect()
        }
        Of::Acceleration => state.joints.qdd.to_vec(),
        Of::TorqueDerivatives => {
            let TorqueDerivatives { dq, dqd, dqdd } = robot.torque_derivatives(state).ok()?;
            [dq, dqd, dqdd].map(rows).concat()
        }
        Of::AccelerationDerivatives => {
            let outputs = [Output::Joints];
            let model = robot.linearize(state, torque, Wrench::zero(), Coordinates::Joint, &outputs).ok()?.system;
            let n = torque.len();
            // By positions, velocities and torques, each a matrix row by row.
            let number = |at: usize| match (at / (n * n), n + at / n % n, at % n) {
                (2, i, j) => model.b[(i, j)],
                (by, i, j) => model.a[(i, by * n + j)],
            };
            (0..3 * n * n).map(number).collect()
        }
        Of::Fk
        | Of::Ik
        | Of::Regressor
        | Of::Jacobian
        | Of::JacobianRate
        | Of::TorqueParameterDerivatives
        | Of::AccelerationParameterDerivatives => return None,
    })
}
