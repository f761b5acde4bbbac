//! The symplectic method for constrained mechanisms.

use super::{FixedStep, check, positive};
use crate::mechanism::MechanismDynamics;
use crate::simulate::{SimulationError, SimulationResult, System};

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
    pub fn new(system: &mut dyn System, step: f64) -> SimulationResult<Self> {
        let (mut n, mut m) = (0, 0);
        system.with_momenta(&mut |dynamics, _| {
            (n, m) = (dynamics.mechanism.coordinates(), dynamics.lambda.len());
            Ok(())
        })?;
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

    fn one(&mut self, system: &mut dyn System, t: f64, h: f64, state: &mut [f64]) -> SimulationResult<()> {
        system.with_momenta(&mut |dynamics, torque| self.one_of(dynamics, torque, [t, h], state))
    }
}

/// v = ∂H/∂p = M(q)⁻¹p.
fn velocity(dynamics: &mut MechanismDynamics<'_>, t: f64, q: &[f64], p: &[f64], v: &mut [f64]) -> SimulationResult<()> {
    v.copy_from_slice(p);
    dynamics.velocity_from_momentum(q, v).map_err(SimulationError::located(t))
}

impl Rattle {
    fn one_of(
        &mut self,
        dynamics: &mut MechanismDynamics<'_>,
        torque: &[f64],
        [t, h]: [f64; 2],
        state: &mut [f64],
    ) -> SimulationResult<()> {
        let n = self.q.len();
        let (q0, p0) = state.split_at_mut(n);
        velocity(dynamics, t, q0, p0, &mut self.v)?;
        dynamics.prepare(t, q0, &self.v).map_err(SimulationError::located(t))?;
        self.jacobian.copy_from_slice(&dynamics.equations.jacobian);
        dynamics.free_momentum_rate(t, q0, &self.v, torque, &mut self.force);
        // A first guess of p½ and q₁.
        for i in 0..n {
            self.half[i] = p0[i] + 0.5 * h * self.force[i];
            self.q[i] = q0[i] + h * self.v[i];
        }
        add_reaction(&self.jacobian, &self.lambda, 0.5 * h, &mut self.half);
        let mut before = f64::INFINITY;
        for iteration in 1.. {
            // (2), then what is left of h(q₁), then (1).
            velocity(dynamics, t, q0, &self.half, &mut self.v)?;
            velocity(dynamics, t + h, &self.q, &self.half, &mut self.v_end)?;
            let (mut moved, mut size) = (0.0_f64, 0.0_f64);
            for i in 0..n {
                let change = 0.5 * h * (self.v[i] + self.v_end[i]);
                moved = moved.max((q0[i] + change - self.q[i]).abs());
                size = size.max(q0[i].abs() + change.abs());
                self.q[i] = q0[i] + change;
            }
            check(t + h, &self.q)?;
            dynamics.residual(t + h, &self.q, &self.v_end);
            // δh = h²/2 G M⁻¹Gᵀ δλ, nearly: with the factors of the start.
            for (correction, residual) in self.correction.iter_mut().zip(&dynamics.equations.residual) {
                *correction = -2.0 / (h * h) * residual;
                moved = moved.max(residual.abs());
            }
            dynamics.solve_multipliers(&mut self.correction);
            for (lambda, correction) in self.lambda.iter_mut().zip(&self.correction) {
                *lambda += correction;
            }
            dynamics.free_momentum_rate(t, q0, &self.v, torque, &mut self.force);
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
        velocity(dynamics, t + h, &self.q, &self.half, &mut self.v_end)?;
        dynamics.free_momentum_rate(t + h, &self.q, &self.v_end, torque, &mut self.force);
        for i in 0..n {
            p0[i] = self.half[i] + 0.5 * h * self.force[i];
        }
        velocity(dynamics, t + h, &self.q, p0, &mut self.v_end)?;
        dynamics.prepare(t + h, &self.q, &self.v_end).map_err(SimulationError::located(t + h))?;
        for (correction, rate) in self.correction.iter_mut().zip(&dynamics.equations.residual_rate) {
            *correction = -rate;
        }
        self.jacobian.copy_from_slice(&dynamics.equations.jacobian);
        dynamics.solve_multipliers(&mut self.correction);
        add_reaction(&self.jacobian, &self.correction, 1.0, p0);
        q0.copy_from_slice(&self.q);
        Ok(())
    }
}
