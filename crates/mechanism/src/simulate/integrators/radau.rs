//! The adaptive stiff method.

use super::{Integrator, StepControl, check, positive, relative_error};
use crate::mechanism::dense::{lu, lu_solve};
use crate::simulate::{SimulationError, SimulationResult, System, check_length};

/// Radau IIA with three stages, RADAU5 of Hairer and Wanner, *Solving Ordinary Differential Equations II*, IV.8: fifth
/// order, L-stable. For stiff springs, contacts and fast poles: its steps follow the accuracy, not the fastest decay.
/// Steps end at the requested times.
///
/// ∂f/∂x is the system's own where it has one ([`System::jacobian`]: dual numbers), elsewhere central differences. A step
/// solves its 3n stage equations by Newton's method with one Jacobian and one factorisation (of a real 3n × 3n matrix:
/// without the original's change to complex variables, since n is small).
#[derive(Clone, Debug)]
pub struct Radau {
    tolerance: f64,
    /// The length of its steps, and how many there were.
    pub pace: StepControl,
    jacobian: Vec<f64>,
    stage_matrix: Vec<f64>,
    stage_pivots: Vec<usize>,
    error_matrix: Vec<f64>,
    error_pivots: Vec<usize>,
    /// Z: the stages less the state at the start, one after the other.
    stages: Vec<f64>,
    change: Vec<f64>,
    slopes: [Vec<f64>; 3],
    start_slope: Vec<f64>,
    from: Vec<f64>,
    trial: Vec<f64>,
    error: Vec<f64>,
}

const ROOT_6: f64 = 2.449_489_742_783_178;
const NODES: [f64; 3] = [(4.0 - ROOT_6) / 10.0, (4.0 + ROOT_6) / 10.0, 1.0];
const A: [[f64; 3]; 3] = [
    [(88.0 - 7.0 * ROOT_6) / 360.0, (296.0 - 169.0 * ROOT_6) / 1800.0, (-2.0 + 3.0 * ROOT_6) / 225.0],
    [(296.0 + 169.0 * ROOT_6) / 1800.0, (88.0 + 7.0 * ROOT_6) / 360.0, (-2.0 - 3.0 * ROOT_6) / 225.0],
    [(16.0 - ROOT_6) / 36.0, (16.0 + ROOT_6) / 36.0, 1.0 / 9.0],
];
/// The real eigenvalue of A⁻¹, (8.11), and the error estimate (8.19).
const REAL: f64 = 3.637_834_252_744_496;
const ERROR: [f64; 3] = [-(13.0 + 7.0 * ROOT_6) / 3.0, (-13.0 + 7.0 * ROOT_6) / 3.0, -1.0 / 3.0];
/// Relative step of a central difference: the cube root of the rounding unit.
const DIFFERENCE: f64 = 6e-6;
/// Newton's method is content with this share of the tolerance, and gives up after so many steps.
const NEWTON_SHARE: f64 = 0.01;
const NEWTON_STEPS: usize = 10;

impl Radau {
    /// The tolerance that a run has unless it says otherwise.
    pub const TOLERANCE: f64 = 1e-8;

    /// For states of `size` numbers; local error per step at most `tolerance`·(1 + |x|).
    pub fn new(size: usize, tolerance: f64) -> SimulationResult<Self> {
        let zeros = || vec![0.0; size];
        Ok(Self {
            tolerance: positive(tolerance)?,
            pace: StepControl::new(1e-4, 4.0),
            jacobian: vec![0.0; size * size],
            stage_matrix: vec![0.0; 9 * size * size],
            stage_pivots: vec![0; 3 * size],
            error_matrix: vec![0.0; size * size],
            error_pivots: vec![0; size],
            stages: vec![0.0; 3 * size],
            change: vec![0.0; 3 * size],
            slopes: std::array::from_fn(|_| zeros()),
            start_slope: zeros(),
            from: zeros(),
            trial: zeros(),
            error: zeros(),
        })
    }

    /// f and ∂f/∂x at (`time`, `from`).
    fn differentiate(&mut self, system: &mut dyn System, time: f64) -> SimulationResult<()> {
        let n = self.from.len();
        system.rate(time, &self.from, &mut self.start_slope)?;
        let exact = system.jacobian(time, &self.from, &mut self.jacobian)?;
        self.trial.copy_from_slice(&self.from);
        for j in (0..n).filter(|_| !exact) {
            let step = DIFFERENCE * self.from[j].abs().max(1.0);
            self.trial[j] = self.from[j] + step;
            system.rate(time, &self.trial, &mut self.slopes[0])?;
            self.trial[j] = self.from[j] - step;
            system.rate(time, &self.trial, &mut self.slopes[1])?;
            self.trial[j] = self.from[j];
            for i in 0..n {
                self.jacobian[i * n + j] = (self.slopes[0][i] - self.slopes[1][i]) / (2.0 * step);
            }
        }
        Ok(())
    }

    /// I − hA⊗J and γ/h − J.
    fn factor(&mut self, time: f64, h: f64) -> SimulationResult<()> {
        let n = self.from.len();
        for (a, row) in (0..3).flat_map(|a| (0..n).map(move |row| (a, row))) {
            let target = &mut self.stage_matrix[(a * n + row) * 3 * n..][..3 * n];
            for b in 0..3 {
                for j in 0..n {
                    target[b * n + j] = -h * A[a][b] * self.jacobian[row * n + j];
                }
            }
            target[a * n + row] += 1.0;
        }
        for (entry, slope) in self.error_matrix.iter_mut().zip(&self.jacobian) {
            *entry = -slope;
        }
        for i in 0..n {
            self.error_matrix[i * n + i] += REAL / h;
        }
        let regular = lu(&mut self.stage_matrix, 3 * n, &mut self.stage_pivots) > 0.0
            && lu(&mut self.error_matrix, n, &mut self.error_pivots) > 0.0;
        if regular { Ok(()) } else { Err(SimulationError::NoConvergence { time, step: h }) }
    }

    /// The stages of a step: Z = hA⊗f(x + Z). The result is in `trial`, its error estimate in `error`.
    fn try_step(&mut self, system: &mut dyn System, time: f64, h: f64) -> SimulationResult<()> {
        let n = self.from.len();
        self.factor(time, h)?;
        for stage in 0..3 {
            for i in 0..n {
                self.stages[stage * n + i] = NODES[stage] * h * self.start_slope[i];
            }
        }
        let (mut before, mut contraction) = (f64::INFINITY, 1.0_f64);
        for iteration in 0.. {
            for stage in 0..3 {
                for i in 0..n {
                    self.trial[i] = self.from[i] + self.stages[stage * n + i];
                }
                system.rate(time + NODES[stage] * h, &self.trial, &mut self.slopes[stage])?;
            }
            for (stage, i) in (0..3).flat_map(|stage| (0..n).map(move |i| (stage, i))) {
                let sum: f64 = (0..3).map(|s| A[stage][s] * self.slopes[s][i]).sum();
                self.change[stage * n + i] = h * sum - self.stages[stage * n + i];
            }
            lu_solve(&self.stage_matrix, 3 * n, &self.stage_pivots, &mut self.change);
            for (stage, change) in self.stages.iter_mut().zip(&self.change) {
                *stage += change;
            }
            let change = &self.change;
            let size = (0..3)
                .map(|s| relative_error(self.tolerance, &self.from, &self.from, |i| change[s * n + i]))
                .fold(0.0, f64::max);
            if iteration > 0 {
                contraction = (size / before).max(contraction.powi(2).min(0.5));
            }
            if size.is_nan() || contraction >= 1.0 && iteration > 0 || iteration == NEWTON_STEPS {
                return Err(SimulationError::NoConvergence { time, step: h });
            }
            let left = if iteration == 0 { size } else { size * contraction / (1.0 - contraction) };
            if left <= NEWTON_SHARE {
                break;
            }
            before = size;
        }
        for i in 0..n {
            let sum: f64 = (0..3).map(|s| ERROR[s] * self.stages[s * n + i]).sum();
            self.error[i] = self.start_slope[i] + sum / h;
            self.trial[i] = self.from[i] + self.stages[2 * n + i];
        }
        lu_solve(&self.error_matrix, n, &self.error_pivots, &mut self.error);
        check(time + h, &self.trial)
    }
}

impl Integrator for Radau {
    fn step(&mut self, system: &mut dyn System, time: f64, until: f64, state: &mut [f64]) -> SimulationResult<f64> {
        check_length("state", state, self.from.len())?;
        check(time, state)?;
        self.from.copy_from_slice(state);
        let (mut pace, mut differentiated) = (self.pace, false);
        let end = pace.go(time, until, false, |h| {
            if !differentiated {
                self.differentiate(system, time)?;
                differentiated = true;
            }
            self.try_step(system, time, h)?;
            Ok(relative_error(self.tolerance, &self.from, &self.trial, |i| self.error[i]))
        });
        self.pace = pace;
        let end = end?;
        state.copy_from_slice(&self.trial);
        system.project(end, state)?;
        Ok(end)
    }

    fn pace(&self) -> Option<StepControl> {
        Some(self.pace)
    }
}
