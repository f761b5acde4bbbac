//! A mechanism with all its coordinates: Lagrange (14)–(16) or Hamilton (17)–(19), kept together by Baumgarte's
//! method (23) or by projection.

use super::{Energies, Hamiltonian, Residual, SimulationError, System, Variables, check_length};
use crate::mechanism::linearize::Linearizer;
use crate::mechanism::{ConstraintForce, Dynamics, Mechanism, MechanismError, Poles};

/// How the constraints are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stabilization {
    /// (23): a violation decays with these poles.
    Baumgarte(Poles),
    /// After each step position and velocity go back by the shortest way, as the masses measure it.
    Projection,
}

/// A mechanism in its own coordinates; a state is (q, v) or (q, p).
pub struct Constrained<'m> {
    dynamics: Dynamics<'m>,
    variables: Variables,
    stabilization: Stabilization,
    torque: Vec<f64>,
    velocity: Vec<f64>,
    /// Made when a stiff integrator first asks.
    linearizer: Option<Box<Linearizer>>,
}

impl<'m> Constrained<'m> {
    /// The mechanism with constant motor torques.
    pub fn new(
        mechanism: &'m Mechanism,
        variables: Variables,
        stabilization: Stabilization,
        torque: &[f64],
    ) -> Result<Self, SimulationError> {
        check_length("torque", torque, mechanism.motors())?;
        Ok(Self {
            dynamics: Dynamics::new(mechanism),
            variables,
            stabilization,
            torque: torque.to_vec(),
            velocity: vec![0.0; mechanism.velocities()],
            linearizer: None,
        })
    }

    /// Other torques from now on.
    pub fn set_torque(&mut self, torque: &[f64]) -> Result<(), SimulationError> {
        check_length("torque", torque, self.torque.len())?;
        self.torque.copy_from_slice(torque);
        Ok(())
    }

    /// The state with these coordinates and velocities.
    pub fn state(&mut self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, SimulationError> {
        check_length("q", q, self.dynamics.mechanism().coordinates())?;
        check_length("v", v, self.velocity.len())?;
        let mut state = [q, v].concat();
        if self.variables == Variables::Momentum {
            self.dynamics.momentum(q, v, &mut state[q.len()..]);
        }
        Ok(state)
    }

    /// The constraint forces at a state.
    pub fn forces(&mut self, time: f64, state: &[f64]) -> Result<Vec<ConstraintForce>, SimulationError> {
        let mut rate = vec![0.0; self.size()];
        self.rate(time, state, &mut rate)?;
        Ok(self.dynamics.forces())
    }

    /// Velocities into `self.velocity`.
    fn read_velocity(&mut self, q: &[f64], second: &[f64]) -> Result<(), MechanismError> {
        self.velocity.copy_from_slice(second);
        match self.variables {
            Variables::Velocity => Ok(()),
            Variables::Momentum => self.dynamics.velocity_from_momentum(q, &mut self.velocity), // (17)
        }
    }

    fn poles(&self) -> Poles {
        match self.stabilization {
            Stabilization::Baumgarte(poles) => poles,
            Stabilization::Projection => Poles::NONE,
        }
    }

    fn split(&self) -> usize {
        self.dynamics.mechanism().coordinates()
    }
}

impl System for Constrained<'_> {
    fn size(&self) -> usize {
        self.split() + self.velocity.len()
    }

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> Result<(), SimulationError> {
        let located = |cause| SimulationError::Mechanism { time, cause };
        let nq = self.split();
        let (q, second) = state.split_at(nq);
        self.read_velocity(q, second).map_err(located)?;
        let poles = self.poles();
        let momentum = self.variables == Variables::Momentum;
        self.dynamics.solve(time, q, &self.velocity, &self.torque, poles, momentum).map_err(located)?;
        rate[..nq].copy_from_slice(self.dynamics.coordinate_rate());
        match self.variables {
            Variables::Velocity => rate[nq..].copy_from_slice(self.dynamics.acceleration()),
            Variables::Momentum => self.dynamics.momentum_rate(&mut rate[nq..]), // (18)
        }
        Ok(())
    }

    fn project(&mut self, time: f64, state: &mut [f64]) -> Result<bool, SimulationError> {
        let located = |cause| SimulationError::Mechanism { time, cause };
        let nq = self.split();
        let (q, second) = state.split_at_mut(nq);
        if let Stabilization::Baumgarte(_) = self.stabilization {
            return Ok(self.dynamics.normalize(q));
        }
        self.read_velocity(q, second).map_err(located)?;
        let mut velocity = std::mem::take(&mut self.velocity);
        let done = self.dynamics.project(time, q, &mut velocity);
        self.velocity = velocity;
        done.map_err(located)?;
        match self.variables {
            Variables::Velocity => second.copy_from_slice(&self.velocity),
            Variables::Momentum => self.dynamics.momentum(q, &self.velocity, second),
        }
        Ok(true)
    }

    /// With dual numbers, for velocities; momenta take differences.
    fn jacobian(&mut self, time: f64, state: &[f64], jacobian: &mut [f64]) -> Result<bool, SimulationError> {
        if self.variables == Variables::Momentum {
            return Ok(false);
        }
        let (q, v) = state.split_at(self.split());
        let poles = self.poles();
        let mechanism = self.dynamics.mechanism();
        let linearizer = self.linearizer.get_or_insert_with(|| Box::new(Linearizer::new(mechanism)));
        linearizer
            .state_matrix(&mut self.dynamics, time, q, v, &self.torque, poles, jacobian)
            .map_err(|cause| SimulationError::Mechanism { time, cause })?;
        Ok(true)
    }

    fn hamiltonian(&mut self) -> Option<&mut dyn Hamiltonian> {
        let plain = self.dynamics.mechanism().slots.iter().all(|slot| slot.q.len() == slot.v.len());
        (self.variables == Variables::Momentum && plain).then_some(self)
    }

    fn energies(&mut self, time: f64, state: &[f64]) -> Result<Energies, SimulationError> {
        let (q, second) = state.split_at(self.split());
        self.read_velocity(q, second).map_err(|cause| SimulationError::Mechanism { time, cause })?;
        let (kinetic, potential) = self.dynamics.energies(q, &self.velocity);
        Ok(Energies { kinetic, potential, load: self.dynamics.load(q, &self.torque) })
    }

    fn residual(&mut self, time: f64, state: &[f64]) -> Result<Residual, SimulationError> {
        let (q, second) = state.split_at(self.split());
        self.read_velocity(q, second).map_err(|cause| SimulationError::Mechanism { time, cause })?;
        let (position, velocity) = self.dynamics.residual(time, q, &self.velocity);
        Ok(Residual { position, velocity })
    }
}

impl Hamiltonian for Constrained<'_> {
    fn sizes(&self) -> (usize, usize) {
        (self.split(), self.dynamics.multipliers().len())
    }

    fn velocity(&mut self, time: f64, q: &[f64], p: &[f64], v: &mut [f64]) -> Result<(), SimulationError> {
        v.copy_from_slice(p);
        self.dynamics.velocity_from_momentum(q, v).map_err(|cause| SimulationError::Mechanism { time, cause })
    }

    fn force(&mut self, time: f64, q: &[f64], v: &[f64], force: &mut [f64]) -> Result<(), SimulationError> {
        self.dynamics.free_momentum_rate(time, q, v, &self.torque, force);
        Ok(())
    }

    fn constraints(
        &mut self,
        time: f64,
        q: &[f64],
        v: &[f64],
        renewed: bool,
    ) -> Result<(&[f64], &[f64]), SimulationError> {
        self.dynamics.residual(time, q, v);
        if renewed {
            self.dynamics.refactor(q).map_err(|cause| SimulationError::Mechanism { time, cause })?;
        }
        Ok((&self.dynamics.equations.residual, &self.dynamics.equations.residual_rate))
    }

    fn jacobian(&self) -> &[f64] {
        &self.dynamics.equations.jacobian
    }

    fn multipliers(&mut self, lambda: &mut [f64]) {
        self.dynamics.solve_multipliers(lambda);
    }
}
