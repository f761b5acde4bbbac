//! Methods with a fixed step.

use super::{FixedStep, check, positive};
use crate::simulate::{SimulationError, SimulationResult, System};

/// The classical Runge–Kutta method with a fixed step.
#[derive(Clone, Debug)]
pub struct Rk4 {
    step: f64,
    k: [Vec<f64>; 4],
    trial: Vec<f64>,
}

impl Rk4 {
    /// For states of `size` numbers, with steps of `step` seconds.
    pub fn new(size: usize, step: f64) -> SimulationResult<Self> {
        let zeros = || vec![0.0; size];
        Ok(Self { step: positive(step)?, k: [zeros(), zeros(), zeros(), zeros()], trial: zeros() })
    }
}

impl FixedStep for Rk4 {
    fn size_and_step(&self) -> (usize, f64) {
        (self.trial.len(), self.step)
    }

    fn one(&mut self, system: &mut dyn System, t: f64, h: f64, state: &mut [f64]) -> SimulationResult<()> {
        system.rate(t, state, &mut self.k[0])?;
        for (stage, share) in [(1, 0.5), (2, 0.5), (3, 1.0)] {
            for i in 0..state.len() {
                self.trial[i] = state[i] + share * h * self.k[stage - 1][i];
            }
            system.rate(t + share * h, &self.trial, &mut self.k[stage])?;
        }
        let [a, b, c, d] = &self.k;
        for i in 0..state.len() {
            state[i] += h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]);
        }
        Ok(())
    }
}

/// x₁ = x₀ + h f((x₀ + x₁)/2), solved by iteration to rounding. Symplectic where the state is (q, p).
#[derive(Clone, Debug)]
pub struct ImplicitMidpoint {
    step: f64,
    rate: Vec<f64>,
    middle: Vec<f64>,
    change: Vec<f64>,
    /// What rounding has left over of earlier steps: without it the energy takes a random walk.
    carry: Vec<f64>,
}

/// The iteration contracts by about h/2 times the fastest frequency; this many steps are not needed by any sane h.
const MAX_ITERATIONS: usize = 100;

impl ImplicitMidpoint {
    /// For states of `size` numbers, with steps of `step` seconds.
    pub fn new(size: usize, step: f64) -> SimulationResult<Self> {
        let zeros = || vec![0.0; size];
        Ok(Self { step: positive(step)?, rate: zeros(), middle: zeros(), change: zeros(), carry: zeros() })
    }
}

impl FixedStep for ImplicitMidpoint {
    fn size_and_step(&self) -> (usize, f64) {
        (self.rate.len(), self.step)
    }

    fn one(&mut self, system: &mut dyn System, t: f64, h: f64, state: &mut [f64]) -> SimulationResult<()> {
        system.rate(t, state, &mut self.rate)?;
        for i in 0..state.len() {
            self.change[i] = h * self.rate[i];
        }
        let mut before = f64::INFINITY;
        for iteration in 1.. {
            for i in 0..state.len() {
                self.middle[i] = state[i] + 0.5 * self.change[i];
            }
            system.rate(t + 0.5 * h, &self.middle, &mut self.rate)?;
            let (mut moved, mut size) = (0.0_f64, 0.0_f64);
            for i in 0..state.len() {
                let change = h * self.rate[i];
                moved = moved.max((change - self.change[i]).abs());
                size = size.max(change.abs());
                self.change[i] = change;
            }
            check(t + h, &self.change)?;
            // Rounding is reached when a step no longer helps.
            if moved <= 1e-16 * size || (moved <= 1e-12 * size && moved >= before) {
                break;
            }
            if iteration == MAX_ITERATIONS {
                return Err(SimulationError::NoConvergence { time: t, step: h });
            }
            before = moved;
        }
        for i in 0..state.len() {
            let change = self.change[i] + self.carry[i];
            let next = state[i] + change;
            self.carry[i] = change - (next - state[i]);
            state[i] = next;
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.carry.fill(0.0);
    }
}
