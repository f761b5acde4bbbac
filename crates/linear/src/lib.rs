//! Linear systems in state space: analysis, reduction and control.
//!
//! δẋ = A δx + B δu, δy = C δx + D δu: a [`StateSpace`]. The model may come from anywhere. Where it is that of a nonlinear
//! plant about an operating point, [`Linearized`] keeps the point with it; where the plant moves along a reference motion,
//! [`LinearMotion`] has one model per time.
//!
//! | question | answer |
//! | --- | --- |
//! | poles, transmission zeros | [`StateSpace::poles`], [`StateSpace::zeros`] |
//! | controllability and observability, mode by mode and as Kalman's decomposition | [`StateSpace::modes`], [`StateSpace::kalman`] |
//! | Gramians, Hankel singular values, balanced truncation | [`StateSpace::gramians`], [`StateSpace::balanced`] |
//! | frequency response | [`StateSpace::at_frequency`] |
//! | sampling with zero-order hold | [`StateSpace::discrete`] |
//! | linear-quadratic regulator, pole placement | [`lqr`], [`place`] |
//! | linear-quadratic regulator of a time-varying system | [`lqr_along`] |
//! | files for MATLAB, NumPy and others | [`Linearized::export`], [`LinearMotion::export`] |
//!
//! ```
//! use dalembert_linear::{Matrix, Signal, StateSpace, lqr};
//!
//! # fn main() -> Result<(), dalembert_linear::LinearError> {
//! // An inverted pendulum: θ̈ = 9 θ + u.
//! let pendulum = StateSpace::new(
//!     [
//!         Matrix::from_row_slice(2, 2, &[0.0, 1.0, 9.0, 0.0]),
//!         Matrix::from_row_slice(2, 1, &[0.0, 1.0]),
//!         Matrix::from_row_slice(1, 2, &[1.0, 0.0]),
//!         Matrix::zeros(1, 1),
//!     ],
//!     vec![Signal::new("theta", "rad"), Signal::new("omega", "rad/s")],
//!     vec![Signal::new("u", "rad/s^2")],
//!     vec![Signal::new("theta", "rad")],
//! )?;
//! assert!((pendulum.poles()?[0].re - 3.0).abs() < 1e-12); // it falls
//! let regulator = lqr(&pendulum, &Matrix::identity(2, 2), &Matrix::identity(1, 1))?;
//! assert!(regulator.poles.iter().all(|pole| pole.re < 0.0)); // u = −K x holds it
//! # Ok(()) }
//! ```

mod along;
mod control;
mod discrete;
mod error;
mod export;
mod gramian;
mod motion;
mod poles;
mod response;
mod riccati;
mod scaled;
mod schur;
mod singular;
mod structure;
mod symmetric;

pub use along::{MotionRegulator, lqr_along};
pub use control::{Regulator, lqr, place};
pub use error::LinearError;
pub use export::ExportFormat;
pub use gramian::{Balanced, Gramians, Sizes, lyapunov};
pub use motion::LinearMotion;
pub use nalgebra::Complex;
pub use poles::eigenvalues;
pub use response::{decades, magnitude};
pub use schur::{Triangular, in_pairs};
pub use singular::Singular;
pub use structure::{Kalman, Split, SystemMode};
pub use symmetric::symmetric_eigenvalues;

/// A real matrix of any size.
pub type Matrix = nalgebra::DMatrix<f64>;
/// A complex matrix of any size.
pub type ComplexMatrix = nalgebra::DMatrix<Complex<f64>>;

/// Singular values below this share of the largest count as zero. The entries of a model carry a rounding error of about
/// 1e-14; a mode that an input reaches by less than 1e-9 of its norm is out of reach in practice too.
pub const RANK: f64 = 1e-9;

/// A component of the state, the input or the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Its name, as columns of tables have it: `q1`, `vx`, `tau2`.
    pub name: String,
    /// Its unit, for people who read it; empty where it has none.
    pub unit: &'static str,
}

impl Signal {
    /// A signal by name and unit.
    pub fn new(name: impl Into<String>, unit: &'static str) -> Self {
        Self { name: name.into(), unit }
    }

    /// `count` signals of one kind: `q1`, `q2` …
    pub fn numbered(name: &str, count: usize, unit: &'static str) -> Vec<Self> {
        (1..=count).map(|i| Self::new(format!("{name}{i}"), unit)).collect()
    }

    /// The components of a vector: `vx, vy, vz`.
    pub fn axes(prefix: &str, unit: &'static str) -> [Self; 3] {
        ["x", "y", "z"].map(|axis| Self::new(format!("{prefix}{axis}"), unit))
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
    /// The sample time of a discrete model, s: δx(t + step) = A δx(t) + B δu(t), with δu held over the step. `None`: the
    /// model is continuous.
    pub step: Option<f64>,
}

/// A linear model together with the operating point about which it holds.
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
    /// ẋ at the point, zero at an equilibrium. For a discrete model: the change of the state over a step.
    pub rate: Vec<f64>,
}

impl StateSpace {
    /// A continuous model from [A, B, C, D]. Refuses shapes that do not fit the signals, and entries that are
    /// not finite or beyond 1e150, whose squares are no numbers.
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

    /// The number of states.
    pub fn order(&self) -> usize {
        self.a.nrows()
    }

    /// The same model with some of its inputs and outputs, chosen by number (from 0).
    pub fn select(&self, inputs: &[usize], outputs: &[usize]) -> Result<Self, LinearError> {
        for (what, chosen, count) in [("input", inputs, self.inputs.len()), ("output", outputs, self.outputs.len())] {
            if let Some(&wrong) = chosen.iter().find(|&&i| i >= count) {
                let (found, expected) = (format!("number {wrong}"), format!("0 … {}", count.saturating_sub(1)));
                return Err(LinearError::Shape { what, found, expected });
            }
        }
        Ok(Self {
            b: self.b.select_columns(inputs),
            c: self.c.select_rows(outputs),
            d: self.d.select_columns(inputs).select_rows(outputs),
            inputs: inputs.iter().map(|&i| self.inputs[i].clone()).collect(),
            outputs: outputs.iter().map(|&i| self.outputs[i].clone()).collect(),
            ..self.clone()
        })
    }

    /// The model in the coordinates z of x = T z, with left inverse L of T: L A T, L B, C T.
    pub(crate) fn projected(&self, left: &Matrix, right: &Matrix) -> Self {
        Self {
            a: left * &self.a * right,
            b: left * &self.b,
            c: &self.c * right,
            states: Signal::numbered("z", right.ncols(), ""),
            ..self.clone()
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
    match matrix.iter().find(|x| !x.is_finite() || x.abs() > MAX_ENTRY) {
        Some(&value) if value.is_finite() => Err(LinearError::Huge { what, value }),
        Some(&value) => Err(LinearError::NotFinite { what, value }),
        None => Ok(()),
    }
}

pub(crate) fn beside(a: &Matrix, b: &Matrix) -> Matrix {
    let mut both = Matrix::zeros(a.nrows(), a.ncols() + b.ncols());
    both.columns_mut(0, a.ncols()).copy_from(a);
    both.columns_mut(a.ncols(), b.ncols()).copy_from(b);
    both
}

/// The largest entry whose square is still a number, with room for sums.
const MAX_ENTRY: f64 = 1e150;
