//! How a cell runs: formulation, integrator, times.

use crate::mechanism::Poles;
use crate::simulate::{DormandPrince, Radau};

/// The step of the fixed-step methods unless said otherwise, s.
const STEP: f64 = 1e-3;

/// How the equations of motion are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulation {
    /// Minimal coordinates in closed form: one robot alone.
    Explicit,
    /// All coordinates; violated constraints decay with the poles.
    Baumgarte,
    /// All coordinates; projected onto the constraints after each step.
    Projected,
    /// As `Projected`, with momenta instead of velocities.
    Hamiltonian,
    /// As `Baumgarte`, with momenta: Bortoff's (17), (18) and (23).
    HamiltonianBaumgarte,
    /// Independent coordinates that are chosen and exchanged as the mechanism moves.
    Minimal,
}

impl Formulation {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Explicit,
        Self::Baumgarte,
        Self::Projected,
        Self::Hamiltonian,
        Self::HamiltonianBaumgarte,
        Self::Minimal,
    ];

    /// Whether violated constraints decay with the poles.
    pub fn has_poles(self) -> bool {
        matches!(self, Self::Baumgarte | Self::HamiltonianBaumgarte)
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Baumgarte => "baumgarte",
            Self::Projected => "projected",
            Self::Hamiltonian => "hamiltonian",
            Self::HamiltonianBaumgarte => "hamiltonian-baumgarte",
            Self::Minimal => "minimal",
        }
    }
}

/// How time goes on: a method and its step, s, or its tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IntegrationMethod {
    /// Runge–Kutta of fourth order with this step, s.
    Rk4(f64),
    /// The implicit midpoint rule with this step, s.
    Midpoint(f64),
    /// RATTLE with this step, s: symplectic with constraints, for [`Formulation::Hamiltonian`].
    Rattle(f64),
    /// Dormand and Prince with this tolerance.
    DormandPrince(f64),
    /// Radau IIA with this tolerance: for stiff systems.
    Radau(f64),
}

impl IntegrationMethod {
    /// All of them, with the step or tolerance that they have unless somebody says otherwise.
    pub const ALL: [Self; 5] = [
        Self::Rk4(STEP),
        Self::Midpoint(STEP),
        Self::Rattle(STEP),
        Self::DormandPrince(DormandPrince::TOLERANCE),
        Self::Radau(Radau::TOLERANCE),
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rk4(_) => "rk4",
            Self::Midpoint(_) => "midpoint",
            Self::Rattle(_) => "rattle",
            Self::DormandPrince(_) => "dormand-prince",
            Self::Radau(_) => "radau",
        }
    }

    /// Whether it chooses its steps by a tolerance.
    pub fn is_adaptive(self) -> bool {
        matches!(self, Self::DormandPrince(_) | Self::Radau(_))
    }

    /// Its step, s, or its tolerance.
    pub fn fineness(mut self) -> f64 {
        *self.fineness_mut()
    }

    fn fineness_mut(&mut self) -> &mut f64 {
        match self {
            Self::Rk4(x) | Self::Midpoint(x) | Self::Rattle(x) | Self::DormandPrince(x) | Self::Radau(x) => x,
        }
    }

    /// The same method with another step, or tolerance.
    pub fn with_fineness(mut self, fineness: f64) -> Self {
        *self.fineness_mut() = fineness;
        self
    }

    /// Name and step or tolerance.
    pub fn describe(self) -> String {
        match self.is_adaptive() {
            true => format!("{}, tolerance {:.0e}", self.as_str(), self.fineness()),
            false => format!("{}, step {} s", self.as_str(), self.fineness()),
        }
    }
}

/// How to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellSettings {
    /// `None`: hamiltonian for [`IntegrationMethod::Rattle`], else explicit for one robot alone, else projected.
    pub formulation: Option<Formulation>,
    /// How time goes on.
    pub method: IntegrationMethod,
    /// s.
    pub duration: f64,
    /// From row to row, s.
    pub every: f64,
    /// For [`Formulation::Baumgarte`].
    pub poles: Poles,
    /// Steps at most; at a time, a tenth of them and the part of the rest that the time is of the duration.
    pub most_steps: usize,
}

impl Default for CellSettings {
    /// Two seconds, a row every millisecond, adaptive; the poles are both at −20/s.
    fn default() -> Self {
        Self {
            formulation: None,
            method: IntegrationMethod::DormandPrince(DormandPrince::TOLERANCE),
            duration: 2.0,
            every: 1e-3,
            poles: Poles { velocity: 40.0, position: 400.0 },
            most_steps: 20_000_000,
        }
    }
}
