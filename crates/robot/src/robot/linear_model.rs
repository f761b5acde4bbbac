//! Linear models of robots about a state: an equilibrium, or any point of a motion.
//!
//! The matrices come from exact derivatives ([`Dual`]) of the same formulas that simulate and control; nothing is
//! differenced. What can be asked of a linear model is in [`crate::linear`].
//!
//! ```
//! use dalembert::robot::linear_model::{Coordinates, Output};
//! use dalembert::robot::{JointState, Pick, Robot};
//! use dalembert::spatial::Wrench;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = Robot::find("d3-1200")?;
//! let pose = robot.at_joints(&JointState::at_rest([0.0; 3]), &Pick::default())?;
//! let holding = robot.model("exact")?.gravity_torque(&pose)?;
//! let model = robot.linearize(&pose, &holding, Wrench::zero(), Coordinates::Joint, &[Output::Joints])?.system;
//! // Arms horizontal: the platform falls away with a time constant of a third of a second (Bortoff 2018, IV-D).
//! assert!((model.poles()?[0].re - 2.95).abs() < 0.005);
//! # Ok(()) }
//! ```

use super::{
    Cache, Form, Joint, JointState, JointUnits, JointVector, Robot, State as RobotState, StateError, ToolState,
};
use crate::dynamics::{Dynamics, State};
use crate::linear::{LinearError, Linearized, Matrix, Signal, StateSpace};
use crate::mechanism::{LinearModelError, Poles};
use crate::spatial::Wrench;
use crate::symbolic::derive::Of;
use crate::{Dual, Vec3};
use dalembert_compiled::{Compiled, Scratch};

/// What the state of a linear model is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Coordinates {
    /// Joints and their velocities, (q, q̇).
    #[default]
    Joint,
    /// Position and velocity of the tool, (X, Ẋ), for robots with as many joints as these.
    Cartesian,
    /// The coordinates of a mechanism with closed loops, its constraints held by these poles (Baumgarte).
    Constrained(Poles),
}

/// What is measured of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Joint positions, `q1 …`.
    Joints,
    /// Joint velocities, `qd1 …`.
    JointRates,
    /// Position of the tool, of a Delta of its platform, `x, y, z`.
    Position,
    /// Its velocity, `vx, vy, vz`.
    Velocity,
    /// Its acceleration, `ax, ay, az`: an accelerometer (without gravity). The only output with a D.
    Acceleration,
}

impl Output {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Joints, Self::JointRates, Self::Position, Self::Velocity, Self::Acceleration];

    /// Its name on a command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Joints => "joints",
            Self::JointRates => "joint-rates",
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Acceleration => "acceleration",
        }
    }

    /// The signals that it has with these joints.
    pub fn signals(self, joints: &[Joint]) -> Vec<Signal> {
        match self {
            Self::Joints => joint_signals("q", joints, |units| units.position),
            Self::JointRates => joint_signals("qd", joints, |units| units.speed),
            Self::Position => Signal::axes("", "m").to_vec(),
            Self::Velocity => Signal::axes("v", "m/s").to_vec(),
            Self::Acceleration => Signal::axes("a", "m/s^2").to_vec(),
        }
    }
}

fn joint_signals(stem: &str, joints: &[Joint], unit: impl Fn(JointUnits) -> &'static str) -> Vec<Signal> {
    (1..).zip(joints).map(|(i, joint)| Signal::new(format!("{stem}{i}"), unit(joint.kind.units()))).collect()
}

/// Why there is no linear model about this state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum LinearizeError {
    #[error(transparent)]
    StateError(#[from] StateError),
    #[error(transparent)]
    Mechanism(#[from] LinearModelError),
    #[error(transparent)]
    Linear(#[from] LinearError),
}

/// What a linear model is made of: a state with motor torques while the environment pushes on the tool.
#[derive(Clone, Copy, Debug)]
pub struct LinearTask<'a> {
    /// Where the robot is, and how it moves.
    pub state: &'a RobotState,
    /// N m (N).
    pub torque: &'a JointVector,
    /// Of the environment on the tool.
    pub wrench: Wrench<f64>,
    /// What the state of the model is made of.
    pub coordinates: Coordinates,
    /// What is measured.
    pub outputs: &'a [Output],
}

/// A robot in a state, as a linear model asks it.
#[derive(Clone, Debug)]
pub(crate) struct Evaluated<S> {
    pub q: Vec<S>,
    pub qd: Vec<S>,
    /// Position, velocity and acceleration of the tool.
    pub tool: [Vec3<S>; 3],
    /// Second derivatives of the coordinates.
    pub rate: Vec<S>,
}

/// As many numbers as there are joints.
pub(crate) fn array<S: Copy, const N: usize>(values: &[S]) -> [S; N] {
    std::array::from_fn(|i| values[i])
}

/// The linear model in joint coordinates of whatever has dynamics. With it a family of one's own has linear models.
pub fn in_joints<const N: usize, const K: usize>(
    robot: &impl Dynamics<Dual<f64, K>, N>,
    joints: &[Joint],
    task: &LinearTask<'_>,
) -> Result<Linearized, LinearizeError> {
    let wrench = task.wrench.map(Dual::constant);
    let JointState { q, qd, .. } = &task.state.joints;
    let (signals, point) = ([Output::Joints, Output::JointRates], [&q[..], qd, task.torque]);
    linear_model(joints, signals, point, task.outputs, |q: &[_], qd: &[_], torque: &[_]| {
        let state = robot.at_joints(array(q), array(qd));
        let rate = state.acceleration(array(torque), wrench);
        let tool = [state.tool().origin, state.tool_velocity().linear, state.tool_acceleration(rate).linear];
        Evaluated { q: q.to_vec(), qd: qd.to_vec(), tool, rate: rate.to_vec() }
    })
}

/// The same in coordinates of a tool that translates; `at` is the robot with its tool at a position and a velocity.
pub(crate) fn in_tool<const N: usize, const K: usize, T: State<Dual<f64, K>, N>>(
    joints: &[Joint],
    task: &LinearTask<'_>,
    at: impl Fn(Vec3<Dual<f64, K>>, Vec3<Dual<f64, K>>) -> T,
) -> Result<Linearized, LinearizeError> {
    let wrench = task.wrench.map(Dual::constant);
    let ToolState { pose, velocity, .. } = &task.state.tool;
    let signals = [Output::Position, Output::Velocity];
    let point = [&pose.origin.0[..], &velocity.linear.0, task.torque];
    linear_model(joints, signals, point, task.outputs, |x, v, torque| {
        let state = at(Vec3(array(x)), Vec3(array(v)));
        let ((q, qd), qdd) = (state.joints(), state.acceleration(array(torque), wrench));
        let acceleration = state.tool_acceleration(qdd).linear;
        let tool = [state.tool().origin, state.tool_velocity().linear, acceleration];
        Evaluated { q: q.to_vec(), qd: qd.to_vec(), tool, rate: acceleration.0.to_vec() }
    })
}

/// The linear model in coordinates whose signals `[x, v]` are named, about the values x, v and τ, from what the robot does
/// there: `evaluate(x, v, τ)`. It is asked for the derivatives by K of these 3 N variables at a time: few make small programs,
/// many make fast ones.
pub(crate) fn linear_model<const K: usize>(
    joints: &[Joint],
    signals: [Output; 2],
    [x, v, torque]: [&[f64]; 3],
    outputs: &[Output],
    evaluate: impl Fn(&[Dual<f64, K>], &[Dual<f64, K>], &[Dual<f64, K>]) -> Evaluated<Dual<f64, K>>,
) -> Result<Linearized, LinearizeError> {
    type Numbers<const K: usize> = Vec<Dual<f64, K>>;
    let n = x.len();
    let pass = |first: usize| -> (Numbers<K>, Numbers<K>) {
        let seed = |values: &[f64], part: usize| -> Numbers<K> {
            let seeded = |(i, &value): (usize, &f64)| match (part * n + i).checked_sub(first) {
                Some(k) if k < K => Dual::variable(value, k),
                _ => Dual::constant(value),
            };
            values.iter().enumerate().map(seeded).collect()
        };
        let v = seed(v, 1);
        let Evaluated { q, qd, tool: [position, velocity, acceleration], rate } =
            evaluate(&seed(x, 0), &v, &seed(torque, 2));
        let outputs = outputs.iter().flat_map(|output| match output {
            Output::Joints => q.clone(),
            Output::JointRates => qd.clone(),
            Output::Position => position.0.to_vec(),
            Output::Velocity => velocity.0.to_vec(),
            Output::Acceleration => acceleration.0.to_vec(),
        });
        (v.iter().copied().chain(rate).collect(), outputs.collect())
    };
    let (rates, values): (Vec<_>, Vec<_>) = (0..3 * n).step_by(K).map(pass).unzip();
    let block = |passes: &[Numbers<K>], from: usize, count: usize| {
        let derivative = |i: usize, variable: usize| passes[variable / K][i].derivative[variable % K];
        Matrix::from_fn(passes[0].len(), count * n, |i, j| derivative(i, from * n + j))
    };
    let matrices = [block(&rates, 0, 2), block(&rates, 2, 1), block(&values, 0, 2), block(&values, 2, 1)];
    let plain = |of: &Numbers<K>| of.iter().map(|x| x.value).collect();
    Ok(Linearized {
        system: system(matrices, joints, signals, outputs)?,
        state: [x, v].concat(),
        input: torque.to_vec(),
        output: plain(&values[0]),
        rate: plain(&rates[0]),
    })
}

/// The system with these matrices, its signals named.
fn system(
    matrices: [Matrix; 4],
    joints: &[Joint],
    states: [Output; 2],
    outputs: &[Output],
) -> Result<StateSpace, LinearError> {
    let states = states.map(|signal| signal.signals(joints)).concat();
    let inputs = joint_signals("tau", joints, |units| units.torque);
    StateSpace::new(matrices, states, inputs, outputs.iter().flat_map(|output| output.signals(joints)).collect())
}

/// Linear models about many states of one robot. Where it pays they come from its derivatives as a compiled program, which are those of the formulas to
/// rounding; else from [`Family::linearize`](super::Family::linearize).
#[derive(Debug)]
pub struct LinearModels<'r> {
    robot: &'r Robot,
    coordinates: Coordinates,
    outputs: Vec<Output>,
    program: Option<(Compiled, Scratch)>,
}

/// From so many states on the derivation of a program is shorter than what it saves (`docs/performance.md`); and so many where it is kept in a cache.
const MANY: usize = 2_000;
const KEPT: usize = 20;

impl<'r> LinearModels<'r> {
    /// Models by the formulas.
    pub fn new(robot: &'r Robot, coordinates: Coordinates, outputs: &[Output]) -> Self {
        Self { robot, coordinates, outputs: outputs.to_vec(), program: None }
    }

    /// Gets ready for so many states: derives a program if they are many and the robot has one that gives all that is asked for. What it is in words, or
    /// why there is none.
    pub fn prepare(&mut self, states: usize, cache: Option<&Cache>) -> Result<String, String> {
        let of = Of::AccelerationDerivatives;
        let joints_only = self.outputs.iter().all(|output| matches!(output, Output::Joints | Output::JointRates));
        let offered = self.robot.derivations().all.contains(&of) && self.robot.kind().form == Form::Joints;
        if self.coordinates != Coordinates::Joint || !joints_only || !offered {
            return Err(String::from("what is asked for is more than a program gives"));
        }
        let many = if cache.is_some_and(|cache| cache.holds(self.robot, of)) { KEPT } else { MANY };
        if states < many {
            return Err(format!("a program is faster from {many} states on"));
        }
        let (compiled, origin) = self.robot.compile_from(cache, of).map_err(|error| error.to_string())?;
        let told = origin.told(of, &compiled);
        self.program = Some((compiled.clone(), compiled.scratch()));
        Ok(told)
    }

    /// The model about a state under these torques, while the environment pushes on the tool.
    pub fn at(
        &mut self,
        state: &RobotState,
        torque: &JointVector,
        wrench: Wrench<f64>,
    ) -> Result<Linearized, LinearizeError> {
        if wrench == Wrench::zero()
            && let Some(model) = self.by_program(state, torque)
        {
            return model;
        }
        self.robot.linearize(state, torque, wrench, self.coordinates, &self.outputs)
    }

    /// None where there is no program, or where it gives no numbers: the formulas say why.
    fn by_program(&mut self, state: &RobotState, torque: &JointVector) -> Option<Result<Linearized, LinearizeError>> {
        let (compiled, scratch) = self.program.as_mut()?;
        let (q, qd) = (&state.joints.q, &state.joints.qd);
        let n = q.len();
        let model = self.robot.build_model(self.robot.models().first()?.name).ok()?;
        let qdd = model.accelerated(state, torque, Wrench::zero()).ok()?.joints.qdd;
        let mut numbers = vec![0.0; compiled.outputs()];
        compiled.one(&[&q[..], qd, torque].concat(), &mut numbers, scratch).ok()?;
        if numbers.len() != 3 * n * n || !numbers.iter().all(|number| number.is_finite()) {
            return None;
        }
        // ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ, one matrix after the other, row by row.
        let derivative = |by: usize, i: usize, j: usize| numbers[(by * n + i) * n + j];
        let unit = |i: usize, j: usize| f64::from(u8::from(i == j));
        let a = Matrix::from_fn(2 * n, 2 * n, |i, j| match i.checked_sub(n) {
            None => unit(i + n, j),
            Some(i) => derivative(j / n, i, j % n),
        });
        let b = Matrix::from_fn(2 * n, n, |i, j| i.checked_sub(n).map_or(0.0, |i| derivative(2, i, j)));
        // Where in the state an output is.
        let places: Vec<usize> = self
            .outputs
            .iter()
            .flat_map(|output| (0..n).map(move |i| if *output == Output::Joints { i } else { n + i }))
            .collect();
        let c = Matrix::from_fn(places.len(), 2 * n, |i, j| unit(places[i], j));
        let d = Matrix::zeros(places.len(), n);
        let point = [&q[..], qd].concat();
        let signals = [Output::Joints, Output::JointRates];
        let system = system([a, b, c, d], &self.robot.description().joints, signals, &self.outputs);
        Some(system.map_err(Into::into).map(|system| Linearized {
            system,
            input: torque.to_vec(),
            output: places.iter().map(|&place| point[place]).collect(),
            state: point,
            rate: [&qd[..], &qdd].concat(),
        }))
    }
}
