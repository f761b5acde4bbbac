//! The symplectic method for constrained mechanisms.

use super::{FixedStep, check, positive};
use crate::simulate::{SimulationError, System};

/// What [`Rattle`] needs of a mechanism with momenta; given by [`System::hamiltonian`].
pub trait Hamiltonian {
    /// How many coordinates there are (momenta: as many) and how many constraint equations.
    fn sizes(&self) -> (usize, usize);

    /// v = ∂H/∂p = M(q)⁻¹p.
    fn velocity(&mut self, time: f64, q: &[f64], p: &[f64], v: &mut [f64]) -> Result<(), SimulationError>;

    /// −∂H/∂q at p = M v, with the motors and all given forces but without those of the constraints.
    fn force(&mut self, time: f64, q: &[f64], v: &[f64], force: &mut [f64]) -> Result<(), SimulationError>;

    /// h and ḣ at a state, and the factors that [`Hamiltonian::multipliers`] uses, if they are to be `renewed`.
    fn constraints(
        &mut self,
        time: f64,
        q: &[f64],
        v: &[f64],
        renewed: bool,
    ) -> Result<(&[f64], &[f64]), SimulationError>;

    /// G = ∂h/∂q at the last state of [`Hamiltonian::constraints`], row by row.
    fn jacobian(&self) -> &[f64];

    /// λ of G M⁻¹Gᵀ λ = λ where the factors were renewed last, in place.
    fn multipliers(&mut self, lambda: &mut [f64]);
}

/// RATTLE for a mass matrix that depends on the coordinates: Hairer, Lubich, Wanner, *Geometric Numerical Integration*,
/// VII.1.4, (1.26). Second order, symmetric and symplectic; the constraints hold at the end of each step in position and
/// velocity, to rounding, without a projection. The energy error has no trend.
///
/// ```text
/// p½ = p₀ + h/2 (F(q₀, p½) + G(q₀)ᵀλ)                                                                       (1)
/// q₁ = q₀ + h/2 (M(q₀)⁻¹ + M(q₁)⁻¹) p½,   h(q₁) = 0                                                         (2)
/// p₁ = p½ + h/2 (F(q₁, p½) + G(q₁)ᵀμ),    G(q₁) M(q₁)⁻¹ p₁ = 0                                               (3)
/// ```
///
/// (1) and (2) are solved together by iteration to rounding.
#[derive(Clone, Debug)]
pub struct Rattle {
    step: f64,
    /// λ of the last step, the start of the next search.
    lambda: Vec<f64>,
    correction: Vec<f64>,
    jacobian: Vec<f64>,
    half: Vec<f64>,
    v: Vec<f64>,
    v_end: Vec<f64>,
    force: Vec<f64>,
    q: Vec<f64>,
}

/// The search contracts by about h times the fastest frequency.
const MAX_ITERATIONS: usize = 100;

impl Rattle {
    /// For the states of a system that has a Hamiltonian form, with steps of `step` seconds.
    pub fn new(system: &mut dyn System, step: f64) -> Result<Self, SimulationError> {
        let (n, m) = hamiltonian(system)?.sizes();
        let zeros = || vec![0.0; n];
        Ok(Self {
            step: positive(step)?,
            lambda: vec![0.0; m],
            correction: vec![0.0; m],
            jacobian: vec![0.0; m * n],
            half: zeros(),
            v: zeros(),
            v_end: zeros(),
            force: zeros(),
            q: zeros(),
        })
    }
}

fn hamiltonian(system: &mut dyn System) -> Result<&mut dyn Hamiltonian, SimulationError> {
    system.hamiltonian().ok_or(SimulationError::NotHamiltonian)
}

/// `x` ← `x` + `scale`·Gᵀλ.
fn add_reaction(jacobian: &[f64], lambda: &[f64], scale: f64, x: &mut [f64]) {
    let n = x.len();
    for (row, lambda) in lambda.iter().enumerate() {
        for (x, g) in x.iter_mut().zip(&jacobian[row * n..(row + 1) * n]) {
            *x += scale * g * lambda;
        }
    }
}

impl FixedStep for Rattle {
    fn size_and_step(&self) -> (usize, f64) {
        (2 * self.q.len(), self.step)
    }

    fn one(&mut self, system: &mut dyn System, t: f64, h: f64, state: &mut [f64]) -> Result<(), SimulationError> {
        let system = hamiltonian(system)?;
        let n = self.q.len();
        let (q0, p0) = state.split_at_mut(n);
        system.velocity(t, q0, p0, &mut self.v)?;
        system.constraints(t, q0, &self.v, true)?;
        self.jacobian.copy_from_slice(system.jacobian());
        system.force(t, q0, &self.v, &mut self.force)?;
        // A first guess of p½ and q₁.
        for i in 0..n {
            self.half[i] = p0[i] + 0.5 * h * self.force[i];
            self.q[i] = q0[i] + h * self.v[i];
        }
        add_reaction(&self.jacobian, &self.lambda, 0.5 * h, &mut self.half);
        let mut before = f64::INFINITY;
        for iteration in 1.. {
            // (2), then what is left of h(q₁), then (1).
            system.velocity(t, q0, &self.half, &mut self.v)?;
            system.velocity(t + h, &self.q, &self.half, &mut self.v_end)?;
            let (mut moved, mut size) = (0.0_f64, 0.0_f64);
            for i in 0..n {
                let change = 0.5 * h * (self.v[i] + self.v_end[i]);
                moved = moved.max((q0[i] + change - self.q[i]).abs());
                size = size.max(q0[i].abs() + change.abs());
                self.q[i] = q0[i] + change;
            }
            check(t + h, &self.q)?;
            let (residual, _) = system.constraints(t + h, &self.q, &self.v_end, false)?;
            // δh = h²/2 G M⁻¹Gᵀ δλ, nearly.
            for (correction, residual) in self.correction.iter_mut().zip(residual) {
                *correction = -2.0 / (h * h) * residual;
                moved = moved.max(residual.abs());
            }
            system.multipliers(&mut self.correction);
            for (lambda, correction) in self.lambda.iter_mut().zip(&self.correction) {
                *lambda += correction;
            }
            system.force(t, q0, &self.v, &mut self.force)?;
            for i in 0..n {
                self.half[i] = p0[i] + 0.5 * h * self.force[i];
            }
            add_reaction(&self.jacobian, &self.lambda, 0.5 * h, &mut self.half);
            // Rounding is reached when a step no longer helps.
            if moved <= 1e-16 * size || (moved <= 1e-12 * size && moved >= 0.5 * before) {
                break;
            }
            if iteration == MAX_ITERATIONS {
                return Err(SimulationError::NoConvergence { time: t, step: h });
            }
            before = moved;
        }
        // (3)
        system.velocity(t + h, &self.q, &self.half, &mut self.v_end)?;
        system.force(t + h, &self.q, &self.v_end, &mut self.force)?;
        for i in 0..n {
            p0[i] = self.half[i] + 0.5 * h * self.force[i];
        }
        system.velocity(t + h, &self.q, p0, &mut self.v_end)?;
        let (_, rate) = system.constraints(t + h, &self.q, &self.v_end, true)?;
        for (correction, rate) in self.correction.iter_mut().zip(rate) {
            *correction = -rate;
        }
        self.jacobian.copy_from_slice(system.jacobian());
        system.multipliers(&mut self.correction);
        add_reaction(&self.jacobian, &self.correction, 1.0, p0);
        q0.copy_from_slice(&self.q);
        Ok(())
    }
}
