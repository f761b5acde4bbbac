//! Linear models about a point of operation, and what control engineers ask of them.
//!
//! δẋ = A δx + B δu, δy = C δx + D δu. The matrices come from exact derivatives ([`crate::Dual`]) of the same formulas
//! that simulate and control; nothing is differenced. A point is an equilibrium or any point of a motion.
//!
//! ```
//! use dalembert::analyze::linear::{Coordinates, Output, delta_at_rest};
//! use dalembert::{delta::Assembly, Vec3, robots};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = robots::d3_1200()?.delta;
//! let pose = robot.at_joints(Vec3([0.0; 3]), Assembly::Below)?;
//! let model = delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints])?.system;
//! // Arms horizontal: the platform falls away with a time constant of a third of a second (Bortoff 2018, IV-D).
//! assert!((model.poles()?[0].re - 2.95).abs() < 0.005);
//! # Ok(()) }
//! ```

mod along;
mod baumgarte;
mod control;
mod discrete;
mod export;
mod gramian;
mod mechanism;
mod models;
mod motion;
mod poles;
mod response;
mod riccati;
mod scaled;
mod schur;
mod singular;
mod structure;

pub use along::{MotionRegulator, lqr_along};
pub use baumgarte::delta_baumgarte;
pub use control::{Regulator, lqr, place};
pub use export::ExportFormat;
pub use gramian::{Balanced, Gramians, Sizes};
pub use mechanism::{Observed, mechanism};
pub use models::{Coordinates, Output, arm, delta, delta_at_rest};
pub use motion::LinearMotion;
pub use nalgebra::Complex;
pub(crate) use poles::eigenvalues;
pub use response::{decades, magnitude};
pub use structure::{Kalman, Mode, Split};

use crate::arm::ArmError;
use crate::delta::KinematicsError;
use crate::mechanism::MechanismError;

/// A real matrix of any size.
pub type Matrix = nalgebra::DMatrix<f64>;
pub(crate) type ComplexMatrix = nalgebra::DMatrix<Complex<f64>>;

/// Singular values below this share of the largest count as zero. The entries carry about 1e-14 of rounding; a mode that
/// an input reaches by less than 1e-9 of its norm is out of reach in practice too.
pub const RANK: f64 = 1e-9;

/// A component of the state, the input or the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// As in the columns of tables: `q1`, `vx`, `tau2`.
    pub name: String,
    /// SI.
    pub unit: &'static str,
}

impl Signal {
    pub(crate) fn new(name: impl Into<String>, unit: &'static str) -> Self {
        Self { name: name.into(), unit }
    }

    pub(crate) fn numbered(name: &str, count: usize, unit: &'static str) -> Vec<Self> {
        (1..=count).map(|i| Self::new(format!("{name}{i}"), unit)).collect()
    }
}

/// A linear model in state space.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpace {
    /// n × n.
    pub a: Matrix,
    /// n × m.
    pub b: Matrix,
    /// p × n.
    pub c: Matrix,
    /// p × m.
    pub d: Matrix,
    /// What the states are.
    pub states: Vec<Signal>,
    /// What the inputs are.
    pub inputs: Vec<Signal>,
    /// What the outputs are.
    pub outputs: Vec<Signal>,
    /// Of a discrete model, s: δx(t + step) = A δx + B δu with δu held over the step. `None`: continuous.
    pub step: Option<f64>,
}

/// A linear model with the point that it holds about.
#[derive(Clone, Debug, PartialEq)]
pub struct Linearized {
    /// The model.
    pub system: StateSpace,
    /// State at the point.
    pub state: Vec<f64>,
    /// Input at the point.
    pub input: Vec<f64>,
    /// Output at the point.
    pub output: Vec<f64>,
    /// ẋ at the point: zero at an equilibrium. Of a discrete model, by how much the state moves over a step.
    pub rate: Vec<f64>,
}

/// Why there is no such linear model, or no such answer from it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum LinearError {
    #[error(transparent)]
    Kinematics(#[from] KinematicsError),
    #[error(transparent)]
    Arm(#[from] ArmError),
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    #[error(
        "the elbows are on different branches here: platform coordinates need one branch, joint coordinates do not"
    )]
    MixedBranches,
    #[error("{what}: {found} where {expected} is needed")]
    Shape { what: &'static str, found: String, expected: String },
    #[error("{what} has an entry {value}, not a finite number")]
    NotFinite { what: &'static str, value: f64 },
    #[error("the eigenvalue iteration does not converge ({size} × {size}, {iterations} steps)")]
    NoConvergence { size: usize, iterations: usize },
    #[error(
        "there are no Gramians: the pole {} is not stable. Take the stable part ({} of {} states, `split`), or stabilise first",
        show(*pole), stable, states
    )]
    NotStable { pole: Complex<f64>, stable: usize, states: usize },
    #[error(
        "a model of order {wanted} cannot be cut out of one with {available} Hankel singular values above rounding"
    )]
    Order { wanted: usize, available: usize },
    #[error("the mode {} is not controllable from these inputs: no gain moves it", show(*pole))]
    NotControllable { pole: Complex<f64> },
    #[error("the mode {} does not die out by itself and costs nothing: give it a weight in Q", show(*pole))]
    NotWeighted { pole: Complex<f64> },
    #[error(
        "no stabilising gain was found to working precision, although every mode is reached and weighted: the weights are too far apart"
    )]
    NoRegulator,
    #[error(
        "a stabilising gain was found, but not the best one: the two sides of Riccati's equation differ by {residual:.0e} of its terms. The weights, or the fastest and the slowest pole, are too far apart"
    )]
    NotOptimal { residual: f64 },
    #[error("a weight is not {must} (least eigenvalue {least:.3e})")]
    Weight { must: &'static str, least: f64 },
    #[error("wanted poles: {problem}")]
    WantedPoles { problem: String },
    #[error("the gain puts the poles off by {off:.1e} of their size: they are too close together for {inputs} inputs")]
    Placement { off: f64, inputs: usize },
    #[error("{what} is {value}, but must be {must}")]
    BadValue { what: &'static str, value: f64, must: &'static str },
    #[error("a {found} model where a {expected} one is needed")]
    Time { found: &'static str, expected: &'static str },
    #[error("time {time} of state {row} does not follow {before}: times must grow")]
    Times { row: usize, time: f64, before: f64 },
    #[error("state {row} comes {found} s after the one before, but samples of {expected} s must follow each other")]
    Steps { row: usize, found: f64, expected: f64 },
    #[error("there is no best gain before t = {time} s: the cost has no bound, or the weights are too far apart")]
    NoGain { time: f64 },
    #[error(
        "at t = {time} s the fastest pole times the time to the next state is about {value:.1e}, but must be below 1e4: give states closer together"
    )]
    Fast { time: f64, value: f64 },
    #[error("state {row} has {found} states, inputs or outputs, the first one {expected}")]
    NotAlike { row: usize, found: usize, expected: usize },
    #[error("{bytes} bytes do not fit into one file of this format (4 GiB): take fewer states of the motion")]
    TooLarge { bytes: u64 },
    #[error("part `{part}` has coordinates that are not the integrals of its velocities: observe one of its points")]
    NotPlain { part: String },
}

fn show(pole: Complex<f64>) -> String {
    if pole.im == 0.0 { format!("{:.4}", pole.re) } else { format!("{:.4} ± {:.4}j", pole.re, pole.im.abs()) }
}

/// One of a pair.
fn show_one(pole: Complex<f64>) -> String {
    format!("{} {} {}j", pole.re, if pole.im < 0.0 { '-' } else { '+' }, pole.im.abs())
}

impl StateSpace {
    /// A continuous model; refuses shapes that do not fit and numbers that are none.
    pub fn new(
        [a, b, c, d]: [Matrix; 4],
        states: Vec<Signal>,
        inputs: Vec<Signal>,
        outputs: Vec<Signal>,
    ) -> Result<Self, LinearError> {
        let (n, m, p) = (states.len(), inputs.len(), outputs.len());
        for (what, matrix, shape) in [("A", &a, (n, n)), ("B", &b, (n, m)), ("C", &c, (p, n)), ("D", &d, (p, m))] {
            check_shape(what, matrix, shape)?;
        }
        Ok(Self { a, b, c, d, states, inputs, outputs, step: None })
    }

    /// How many states.
    pub fn order(&self) -> usize {
        self.a.nrows()
    }

    /// The same model with some of its inputs and outputs, by number.
    pub fn select(&self, inputs: &[usize], outputs: &[usize]) -> Result<Self, LinearError> {
        for (what, chosen, count) in [("input", inputs, self.inputs.len()), ("output", outputs, self.outputs.len())] {
            if let Some(&wrong) = chosen.iter().find(|&&i| i >= count) {
                let (found, expected) = (format!("number {wrong}"), format!("0 … {}", count.saturating_sub(1)));
                return Err(LinearError::Shape { what, found, expected });
            }
        }
        Ok(Self {
            a: self.a.clone(),
            b: self.b.select_columns(inputs),
            c: self.c.select_rows(outputs),
            d: self.d.select_columns(inputs).select_rows(outputs),
            states: self.states.clone(),
            inputs: inputs.iter().map(|&i| self.inputs[i].clone()).collect(),
            outputs: outputs.iter().map(|&i| self.outputs[i].clone()).collect(),
            step: self.step,
        })
    }

    /// The model in the coordinates z of x = T z, with left inverse L of T: L A T, L B, C T.
    pub(crate) fn projected(&self, left: &Matrix, right: &Matrix) -> Self {
        Self {
            a: left * &self.a * right,
            b: left * &self.b,
            c: &self.c * right,
            d: self.d.clone(),
            states: Signal::numbered("z", right.ncols(), ""),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            step: self.step,
        }
    }

    pub(crate) fn continuous(&self) -> Result<(), LinearError> {
        match self.step {
            None => Ok(()),
            Some(_) => Err(LinearError::Time { found: "discrete", expected: "continuous" }),
        }
    }
}

pub(crate) fn check_shape(what: &'static str, matrix: &Matrix, shape: (usize, usize)) -> Result<(), LinearError> {
    if matrix.shape() != shape {
        let text = |(rows, columns): (usize, usize)| format!("{rows} × {columns}");
        return Err(LinearError::Shape { what, found: text(matrix.shape()), expected: text(shape) });
    }
    match matrix.iter().find(|x| !x.is_finite()) {
        Some(&value) => Err(LinearError::NotFinite { what, value }),
        None => Ok(()),
    }
}
