//! Independent coordinates, chosen and exchanged automatically: the "dummy derivatives" of Bortoff's section II-D.
//!
//! The constraints make as many coordinates dependent as there are equations. The dependent ones are those whose
//! columns of H are farthest from singular; they follow from the others by Newton's method. Where the choice becomes
//! bad, a new one is made after the step.

use super::{Energies, Residual, SimulationError, SimulationResult, System, check_length};
use crate::mechanism::dense::{RowSpace, lu, lu_solve};
use crate::mechanism::{Mechanism, MechanismDynamics, MechanismError, Poles};

/// Exchange when the pivots have become this much worse than when they were chosen.
const WORSE: f64 = 0.2;
const MAX_ITERATIONS: usize = 30;

/// A mechanism in independent coordinates; a state is (independent q, independent v).
pub struct Minimal<'m> {
    dynamics: MechanismDynamics<'m>,
    torque: Vec<f64>,
    independent: Vec<usize>,
    dependent: Vec<usize>,
    margin: f64,
    /// How often the choice was changed.
    pub exchanges: usize,
    q: Vec<f64>,
    v: Vec<f64>,
    block: Vec<f64>,
    pivots: Vec<usize>,
    right: Vec<f64>,
}

impl<'m> Minimal<'m> {
    /// From a start that meets the constraints ([`Mechanism::assemble`]); with its state.
    pub fn new(
        mechanism: &'m Mechanism,
        time: f64,
        q: &[f64],
        v: &[f64],
        torque: &[f64],
    ) -> SimulationResult<(Self, Vec<f64>)> {
        check_length("q", q, mechanism.coordinates())?;
        check_length("v", v, mechanism.velocities())?;
        check_length("torque", torque, mechanism.motors())?;
        if let Some(slot) = mechanism.not_plain() {
            return Err(SimulationError::NotPlain { part: slot.name.clone() });
        }
        let m = mechanism.constraint_rows();
        let mut system = Self {
            dynamics: MechanismDynamics::new(mechanism),
            torque: torque.to_vec(),
            independent: Vec::new(),
            dependent: Vec::new(),
            margin: 0.0,
            exchanges: 0,
            q: q.to_vec(),
            v: v.to_vec(),
            block: vec![0.0; m * m],
            pivots: vec![0; m],
            right: vec![0.0; m],
        };
        system.dynamics.residual(time, q, v);
        system.choose(time)?;
        let state = system.state();
        Ok((system, state))
    }

    /// All coordinates and velocities of a state, and the multipliers of the constraints there.
    pub fn full(&mut self, time: f64, state: &[f64]) -> SimulationResult<[&[f64]; 3]> {
        check_length("state", state, self.size())?;
        self.solve(time, state)?;
        Ok([&self.q, &self.v, &self.dynamics.lambda])
    }

    fn solve(&mut self, time: f64, state: &[f64]) -> SimulationResult<()> {
        self.expand(time, state)?;
        let solved = self.dynamics.solve(time, &self.q, &self.v, &self.torque, Poles::NONE, false);
        solved.map_err(SimulationError::located(time))
    }

    fn state(&self) -> Vec<f64> {
        let pick = |values: &[f64]| self.independent.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        [pick(&self.q), pick(&self.v)].concat()
    }

    /// Chooses at the configuration whose equations were evaluated last.
    fn choose(&mut self, time: f64) -> SimulationResult<()> {
        let (n, m) = (self.q.len(), self.right.len());
        let jacobian = &self.dynamics.equations.jacobian;
        let columns: Vec<Vec<f64>> = (0..n).map(|j| (0..m).map(|i| jacobian[i * n + j]).collect()).collect();
        let space = RowSpace::new(&columns, 1e-9);
        if space.taken.len() < m {
            let (constraint, row) = (String::from("all together"), space.taken.len() + 1);
            return Err(SimulationError::Mechanism { time, cause: MechanismError::SingularPose { constraint, row } });
        }
        self.dependent = space.taken;
        self.independent = (0..n).filter(|i| !self.dependent.contains(i)).collect();
        self.margin = self.factor();
        Ok(())
    }

    /// Factors the dependent columns of the last evaluated H; the least pivot over the largest.
    fn factor(&mut self) -> f64 {
        let (n, m) = (self.q.len(), self.right.len());
        for i in 0..m {
            for (j, &column) in self.dependent.iter().enumerate() {
                self.block[i * m + j] = self.dynamics.equations.jacobian[i * n + column];
            }
        }
        lu(&mut self.block, m, &mut self.pivots)
    }

    /// Dependent coordinates and velocities into `q`, `v`.
    fn expand(&mut self, time: f64, state: &[f64]) -> SimulationResult<()> {
        let free = self.independent.len();
        for (k, &i) in self.independent.iter().enumerate() {
            self.q[i] = state[k];
            self.v[i] = state[free + k];
        }
        for &i in &self.dependent {
            self.v[i] = 0.0;
        }
        let m = self.right.len();
        let mut before = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            self.dynamics.residual(time, &self.q, &self.v);
            if m > 0 && self.factor() < 1e-12 {
                break;
            }
            self.right.copy_from_slice(&self.dynamics.equations.residual);
            lu_solve(&self.block, m, &self.pivots, &mut self.right);
            let step = self.right.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
            if step < 1e-15 || (step < 1e-12 && step >= 0.5 * before) {
                // H is that of the solution; ḣ with the dependent velocities zero is what they have to cancel.
                self.right.copy_from_slice(&self.dynamics.equations.residual_rate);
                lu_solve(&self.block, m, &self.pivots, &mut self.right);
                for (k, &i) in self.dependent.iter().enumerate() {
                    self.v[i] = -self.right[k];
                }
                return Ok(());
            }
            before = step;
            for (k, &i) in self.dependent.iter().enumerate() {
                self.q[i] -= self.right[k];
            }
        }
        let cause = MechanismError::CannotClose {
            constraint: String::from("dependent coordinates"),
            residual: before,
            iterations: MAX_ITERATIONS,
        };
        Err(SimulationError::Mechanism { time, cause })
    }
}

impl System for Minimal<'_> {
    fn size(&self) -> usize {
        2 * self.independent.len()
    }

    fn set_torques(&mut self, torque: &[f64]) -> SimulationResult<()> {
        check_length("torque", torque, self.torque.len())?;
        self.torque.copy_from_slice(torque);
        Ok(())
    }

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> SimulationResult<()> {
        self.solve(time, state)?;
        let free = self.independent.len();
        for (k, &i) in self.independent.iter().enumerate() {
            rate[k] = self.v[i];
            rate[free + k] = self.dynamics.acceleration[i];
        }
        Ok(())
    }

    /// A new choice where the old one has become bad; the state then has another meaning.
    fn project(&mut self, time: f64, state: &mut [f64]) -> SimulationResult<bool> {
        self.expand(time, state)?;
        if self.factor() >= WORSE * self.margin {
            return Ok(false);
        }
        self.choose(time)?;
        self.exchanges += 1;
        state.copy_from_slice(&self.state());
        Ok(true)
    }

    fn interpolates(&self) -> bool {
        false
    }

    fn energies(&mut self, time: f64, state: &[f64]) -> SimulationResult<Energies> {
        self.expand(time, state)?;
        let (kinetic, potential) = self.dynamics.energies(&self.q, &self.v);
        Ok(Energies { kinetic, potential, load: self.dynamics.load(&self.q, &self.torque), dissipated: 0.0 })
    }

    fn residual(&mut self, time: f64, state: &[f64]) -> SimulationResult<Residual> {
        self.expand(time, state)?;
        let (position, velocity) = self.dynamics.residual(time, &self.q, &self.v);
        Ok(Residual { position, velocity })
    }
}
