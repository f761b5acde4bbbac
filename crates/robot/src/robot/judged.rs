//! Programs against the robot's exact model: the formulas of the family, which share nothing with how a program is searched, kept and run.

use super::orientation::rotation;
use super::{JointKind, JointState, JointVector, Model, Pick, Robot, State, ToolState, ToolTurns};
use crate::spatial::{Frame, Twist, Wrench};
use crate::symbolic::Program;
use crate::symbolic::derive::Of;
use dalembert_compiled::Compiled;
use dalembert_core::random::Xorshift;

/// What the exact model gives as well, so that a program can be confirmed.
pub const CONFIRMED: [Of; 9] = [
    Of::Torque,
    Of::TorqueCartesian,
    Of::Mass,
    Of::Gravity,
    Of::Bias,
    Of::Coriolis,
    Of::Acceleration,
    Of::TorqueDerivatives,
    Of::AccelerationDerivatives,
];

/// How many states are tried.
const STATES: usize = 32;

/// Of the largest component of a quantity: some thousand roundings, as programs of six joints and their formulas have them.
const DIRECT: f64 = 1e-12;

/// The same of derivatives, which are compared with differences.
const DIFFERENCED: f64 = 1e-5;

/// Near a singularity rounding grows: a state is moved so far, and such a share of what that changes is rounding too. The share of the move is
/// some ten roundings of the joints, or what the iteration to a platform leaves, 1e-12 m; of differences it is all of their own step.
const DIRECT_MOVE: [f64; 2] = [1e-9, 1e-5];
const PLATFORM_MOVE: [f64; 2] = [1e-9, 1e-3];
const DIFFERENCED_MOVE: [f64; 2] = [STEP, 1.0];

/// A quantity that is smaller than this share of the others beside it may be nothing but their rounding.
const SMALL: f64 = 1e-3;

/// So is what is below this, where all of them vanish.
const NOTHING: f64 = 1e-13;

/// How far apart differences are taken, rad or m.
const STEP: f64 = 1e-5;

impl Robot {
    /// Whether a program gives what the exact model gives, at random states over the ranges and speeds of the joints. Only [`CONFIRMED`]
    /// quantities are.
    pub fn agrees_with_exact(&self, of: Of, compiled: &Compiled) -> bool {
        judge(self, of, compiled).is_some()
    }

    /// A random state of the joints within their limits, of which it is as far from home as a share of them. Joints of a closed chain cannot
    /// go far by themselves, but farther together: what all have in common is as a root of the share.
    pub(super) fn anywhere(&self, random: &mut Xorshift, home: Option<&JointVector>, reach: f64) -> JointState {
        let mut rows = [Vec::new(), Vec::new(), Vec::new()];
        let together = if reach < 1.0 { (reach.sqrt() - reach) * random.signed() } else { 0.0 };
        for (i, joint) in self.joints().iter().enumerate() {
            let middle = home.map_or(0.0, |home| home[i]);
            let free = if joint.kind == JointKind::Prismatic { 1.0 } else { std::f64::consts::PI };
            let [least, most] = joint.limits.range;
            let least = if least.is_finite() { least } else { middle - free };
            let most = if most.is_finite() { most } else { middle + free };
            let speed = if joint.limits.max_speed.is_finite() { joint.limits.max_speed } else { 2.0 };
            let there = least + 0.5 * (1.0 + random.signed()) * (most - least);
            let farther = together * if together < 0.0 { middle - least } else { most - middle };
            rows[0].push(middle + reach * (there - middle) + farther);
            rows[1].push(speed * random.signed());
            rows[2].push(10.0 * random.signed());
        }
        let [q, qd, qdd] = rows.map(|row| JointVector::new(&row));
        JointState { q, qd, qdd }
    }
}

fn judge(robot: &Robot, of: Of, compiled: &Compiled) -> Option<()> {
    /// Some poses may be out of reach.
    const TRIES: usize = 40 * STATES;
    let model = robot.build_model(robot.models().first()?.name).ok()?;
    let home = robot.home().ok()?.joints.q;
    let by_platform = compiled.program().inputs.iter().any(|input| input.name == "x");
    let about = Judged { robot, model: &*model, by_platform };
    let differenced = matches!(of, Of::TorqueDerivatives | Of::AccelerationDerivatives);
    let (tolerance, [step, share]) = match by_platform {
        _ if differenced => (DIFFERENCED, DIFFERENCED_MOVE),
        true => (DIRECT, PLATFORM_MOVE),
        false => (DIRECT, DIRECT_MOVE),
    };
    let mut random = Xorshift(0x9E37_79B9_7F4A_7C15);
    let (mut scratch, mut found) = (compiled.scratch(), vec![0.0; compiled.outputs()]);
    let (mut judged, mut reach) = (0, 1.0_f64);
    for _ in 0..TRIES {
        let joints = robot.anywhere(&mut random, Some(&home), reach);
        let state = about.at(&joints);
        let (Some(near), Some(state)) = (state.as_ref().and_then(|state| about.near(state, step)), state) else {
            reach = (0.8 * reach).max(0.01);
            continue;
        };
        reach = (1.1 * reach).min(1.0);
        let torque = model.torque(&state, Wrench::zero());
        let inputs = inputs(compiled.program(), &state, &torque)?;
        compiled.one(&inputs, &mut found, &mut scratch).ok()?;
        let (Some(expected), Some(beside)) =
            (about.expected(of, &state, &torque)?, about.expected(of, &near, &torque)?)
        else {
            continue;
        };
        if found.len() != expected.len() {
            return None;
        }
        let largest = |values: &[f64]| values.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        let least = SMALL * largest(&expected);
        let mut from = 0;
        for quantity in &compiled.program().outputs {
            let part = from..from + quantity.length;
            from = part.end;
            let (found, expected) = (found.get(part.clone())?, expected.get(part.clone())?);
            let changed = expected.iter().zip(beside.get(part)?).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            let allowed = tolerance * largest(expected).max(least) + share * changed + NOTHING;
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

struct Judged<'r> {
    robot: &'r Robot,
    model: &'r dyn Model,
    /// Whether the program takes the platform, and its legs as they usually are there.
    by_platform: bool,
}

impl Judged<'_> {
    /// The state of joints. Where the program takes the platform, joints of another assembly have a platform that has other joints
    /// usually, and the platform is found to the tolerance of an iteration: the state is that of the platform.
    fn at(&self, joints: &JointState) -> Option<State> {
        let state = self.robot.at_joints(joints, &Pick::default()).ok()?;
        if self.by_platform { self.robot.at_tool(&state.tool, &Pick::default()).ok() } else { Some(state) }
    }

    /// A state a step away, in what the program takes.
    fn near(&self, state: &State, step: f64) -> Option<State> {
        let by = |x: f64| x + step * x.abs().max(1.0);
        let moved = |values: &JointVector| JointVector::from_fn(values.len(), |i| by(values[i]));
        let State { joints: JointState { q, qd, qdd }, tool, .. } = state;
        if !self.by_platform {
            return self.at(&JointState { q: moved(q), qd: moved(qd), qdd: moved(qdd) });
        }
        let turns = self.robot.kind().tool_turns != ToolTurns::No;
        let twist = |Twist { linear, angular }: Twist<f64>| Twist {
            linear: linear.map(by),
            angular: if turns { angular.map(by) } else { angular },
        };
        let turn = rotation([if turns { step } else { 0.0 }; 3]);
        let pose = Frame { rotation: turn.product(tool.pose.rotation), origin: tool.pose.origin.map(by) };
        let (velocity, acceleration) = (twist(tool.velocity), twist(tool.acceleration));
        self.robot.at_tool(&ToolState { pose, velocity, acceleration, ..*tool }, &Pick::default()).ok()
    }

    fn torque(&self, joints: JointState) -> Option<JointVector> {
        Some(self.model.torque(&self.at(&joints)?, Wrench::zero()))
    }

    fn acceleration(&self, joints: JointState, torque: &JointVector) -> Option<JointVector> {
        Some(self.model.accelerated(&self.at(&joints)?, torque, Wrench::zero()).ok()?.joints.qdd)
    }

    /// All outputs of a program, in order: `None` where the model has no such quantity, none inside where a neighbour of the state is out of reach.
    #[allow(clippy::option_option)] // two different reasons
    fn expected(&self, of: Of, state: &State, torque: &JointVector) -> Option<Option<Vec<f64>>> {
        let Self { model, .. } = self;
        let joints = state.joints.clone();
        let zero = JointVector::zero(joints.q.len());
        Some(match of {
            Of::Torque | Of::TorqueCartesian => Some(model.torque(state, Wrench::zero()).to_vec()),
            Of::Mass => Some(model.mass_matrix(state).iter().flat_map(|row| row.to_vec()).collect()),
            Of::Gravity => Some(model.gravity_torque(state).to_vec()),
            Of::Bias => self.torque(JointState { qdd: zero, ..joints }).map(|torque| torque.to_vec()),
            Of::Coriolis => self.torque(JointState { qdd: zero, ..joints }).map(|bias| {
                let (gravity, friction) = (model.gravity_torque(state), model.friction(state));
                (0..bias.len()).map(|i| bias[i] - gravity[i] - friction[i]).collect()
            }),
            Of::Acceleration => self.acceleration(joints, torque).map(|qdd| qdd.to_vec()),
            Of::TorqueDerivatives => self.differenced(|joints, _| self.torque(joints), joints, torque, false),
            Of::AccelerationDerivatives => {
                self.differenced(|joints, torque| self.acceleration(joints, &torque), joints, torque, true)
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

    /// Derivatives by positions, velocities and accelerations or torques, each a matrix row by row.
    fn differenced(
        &self,
        f: impl Fn(JointState, JointVector) -> Option<JointVector>,
        joints: JointState,
        torque: &JointVector,
        by_torque: bool,
    ) -> Option<Vec<f64>> {
        let count = joints.q.len();
        let mut all = vec![0.0; 3 * count * count];
        for group in 0..3 {
            for k in 0..count {
                let at = |step: f64| {
                    let (mut joints, mut torque) = (joints.clone(), torque.clone());
                    match group {
                        0 => joints.q[k] += step,
                        1 => joints.qd[k] += step,
                        _ if by_torque => torque[k] += step,
                        _ => joints.qdd[k] += step,
                    }
                    f(joints, torque)
                };
                let (after, before) = (at(STEP)?, at(-STEP)?);
                for i in 0..count {
                    all[(group * count + i) * count + k] = (after[i] - before[i]) / (2.0 * STEP);
                }
            }
        }
        Some(all)
    }
}
