//! A mechanism with all its coordinates: Lagrange (14)–(16) or Hamilton (17)–(19), kept together by Baumgarte's
//! method (23) or by projection.

use super::contact::{Switched, Touchable};
use super::events::Action;
use super::{Energies, Residual, SimulationError, SimulationResult, System, Variables, WithMomenta, check_length};
use crate::mechanism::observed::Linearizer;
use crate::mechanism::{Mechanism, MechanismDynamics, Poles};
use std::ops::Range;

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
    dynamics: MechanismDynamics<'m>,
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
    ) -> SimulationResult<Self> {
        check_length("torque", torque, mechanism.motors())?;
        Ok(Self {
            dynamics: MechanismDynamics::new(mechanism),
            variables,
            stabilization,
            torque: torque.to_vec(),
            velocity: vec![0.0; mechanism.velocities()],
            linearizer: None,
        })
    }

    /// The state with these coordinates and velocities.
    pub fn state(&mut self, q: &[f64], v: &[f64]) -> SimulationResult<Vec<f64>> {
        check_length("q", q, self.dynamics.mechanism.coordinates())?;
        check_length("v", v, self.velocity.len())?;
        let mut state = [q, v].concat();
        if self.variables == Variables::Momentum {
            self.dynamics.momentum(q, v, &mut state[q.len()..]);
        }
        Ok(state)
    }

    /// The constraint forces at a state, one after the other, each where [`Constrained::rows`] says.
    pub fn multipliers_at(&mut self, time: f64, state: &[f64]) -> SimulationResult<&[f64]> {
        self.solve(time, state)?;
        Ok(&self.dynamics.lambda)
    }

    /// Where the forces of a constraint are among all.
    pub fn rows(&self, name: &str) -> SimulationResult<Range<usize>> {
        Ok(self.dynamics.mechanism.ties[self.tie(name)?].rows.clone())
    }

    fn solve(&mut self, time: f64, state: &[f64]) -> SimulationResult<()> {
        let q = self.read_velocity(time, state)?;
        let (poles, momentum) = (self.poles(), self.variables == Variables::Momentum);
        let solved = self.dynamics.solve(time, q, &self.velocity, &self.torque, poles, momentum);
        solved.map_err(SimulationError::located(time))
    }

    /// Velocities into `self.velocity`; returns the coordinates.
    fn read_velocity<'s>(&mut self, time: f64, state: &'s [f64]) -> SimulationResult<&'s [f64]> {
        let (q, second) = state.split_at(self.split());
        self.velocity.copy_from_slice(second);
        if self.variables == Variables::Momentum {
            let found = self.dynamics.velocity_from_momentum(q, &mut self.velocity); // (17)
            found.map_err(SimulationError::located(time))?;
        }
        Ok(q)
    }

    fn poles(&self) -> Poles {
        match self.stabilization {
            Stabilization::Baumgarte(poles) => poles,
            Stabilization::Projection => Poles::NONE,
        }
    }

    /// The number of a constraint.
    fn tie(&self, name: &str) -> SimulationResult<usize> {
        let ties = &self.dynamics.mechanism.ties;
        ties.iter().position(|tie| tie.name == name).ok_or_else(|| SimulationError::UnknownTie {
            name: name.to_owned(),
            known: ties.iter().map(|tie| format!("`{}`", tie.name)).collect(),
        })
    }

    fn split(&self) -> usize {
        self.dynamics.mechanism.coordinates()
    }
}

impl System for Constrained<'_> {
    fn size(&self) -> usize {
        self.split() + self.velocity.len()
    }

    fn set_torques(&mut self, torque: &[f64]) -> SimulationResult<()> {
        check_length("torque", torque, self.torque.len())?;
        self.torque.copy_from_slice(torque);
        Ok(())
    }

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> SimulationResult<()> {
        self.solve(time, state)?;
        let nq = self.split();
        rate[..nq].copy_from_slice(self.dynamics.coordinate_rate());
        match self.variables {
            Variables::Velocity => rate[nq..].copy_from_slice(&self.dynamics.acceleration),
            Variables::Momentum => self.dynamics.momentum_rate(&mut rate[nq..]), // (18)
        }
        Ok(())
    }

    fn project(&mut self, time: f64, state: &mut [f64]) -> SimulationResult<bool> {
        let nq = self.split();
        if let Stabilization::Baumgarte(_) = self.stabilization {
            return Ok(self.dynamics.normalize(&mut state[..nq]));
        }
        self.read_velocity(time, state)?;
        let (q, second) = state.split_at_mut(nq);
        self.dynamics.project(time, q, &mut self.velocity).map_err(SimulationError::located(time))?;
        match self.variables {
            Variables::Velocity => second.copy_from_slice(&self.velocity),
            Variables::Momentum => self.dynamics.momentum(q, &self.velocity, second),
        }
        Ok(true)
    }

    /// With dual numbers, for velocities; momenta, and constraints that were opened or closed on the way, take differences.
    fn jacobian(&mut self, time: f64, state: &[f64], jacobian: &mut [f64]) -> SimulationResult<bool> {
        if self.variables == Variables::Momentum || self.dynamics.is_switched() {
            return Ok(false);
        }
        let (q, v) = state.split_at(self.split());
        let poles = self.poles();
        let mechanism = self.dynamics.mechanism;
        let linearizer = self.linearizer.get_or_insert_with(|| Box::new(Linearizer::new(mechanism)));
        linearizer
            .state_matrix(&mut self.dynamics, time, q, v, &self.torque, poles, jacobian)
            .map_err(SimulationError::located(time))?;
        Ok(true)
    }

    fn with_momenta(&mut self, run: &mut WithMomenta<'_>) -> SimulationResult<()> {
        let plain = self.dynamics.mechanism.not_plain().is_none();
        if self.variables != Variables::Momentum || !plain {
            return Err(SimulationError::NotHamiltonian);
        }
        run(&mut self.dynamics, &self.torque)
    }

    fn energies(&mut self, time: f64, state: &[f64]) -> SimulationResult<Energies> {
        let q = self.read_velocity(time, state)?;
        let (kinetic, potential) = self.dynamics.energies(q, &self.velocity);
        Ok(Energies { kinetic, potential, load: self.dynamics.load(q, &self.torque), dissipated: 0.0 })
    }

    fn residual(&mut self, time: f64, state: &[f64]) -> SimulationResult<Residual> {
        let q = self.read_velocity(time, state)?;
        let (position, velocity) = self.dynamics.residual(time, q, &self.velocity);
        Ok(Residual { position, velocity })
    }
}

impl Touchable for Constrained<'_> {
    fn sizes(&self) -> [usize; 2] {
        [self.split(), self.velocity.len()]
    }

    fn read(&mut self, time: f64, state: &[f64], q: &mut [f64], v: &mut [f64]) -> SimulationResult<()> {
        q.copy_from_slice(self.read_velocity(time, state)?);
        v.copy_from_slice(&self.velocity);
        Ok(())
    }

    fn push(&mut self, force: &[f64]) {
        self.dynamics.set_external(force);
    }

    fn powers(&mut self, _: f64, _: &[f64]) -> SimulationResult<(f64, f64)> {
        Ok(self.dynamics.powers(&self.velocity)) // `rate` has read it
    }

    fn prepare(&mut self, time: f64, state: &[f64]) -> SimulationResult<()> {
        let q = self.read_velocity(time, state)?;
        self.dynamics.prepare(time, q, &self.velocity).map_err(SimulationError::located(time))
    }

    fn respond(&mut self, impulse: &mut [f64]) {
        self.dynamics.respond(impulse);
    }

    fn kick(&mut self, _: f64, state: &mut [f64], change: &[f64]) -> SimulationResult<f64> {
        let (given, _) = self.dynamics.powers(&self.velocity); // impulses instead of forces: energy instead of power
        let (_, second) = state.split_at_mut(self.split());
        match self.variables {
            Variables::Velocity => second.iter_mut().zip(change).for_each(|(v, change)| *v += change),
            Variables::Momentum => {
                self.velocity.iter_mut().zip(change).for_each(|(v, change)| *v += change);
                self.dynamics.mass_times(&self.velocity, second);
            }
        }
        Ok(given)
    }

    fn check_action(&self, what: &Action) -> SimulationResult<()> {
        match what {
            Action::Torque(torque) => check_length("torque", torque, self.torque.len()),
            Action::Attach { ties, .. } | Action::Release { ties } => {
                ties.iter().try_for_each(|name| self.tie(name).map(|_| ()))
            }
        }
    }

    fn switch(&mut self, time: f64, state: &mut [f64], what: &Action) -> SimulationResult<Switched> {
        let mechanism = self.dynamics.mechanism;
        let (ties, reach) = match what {
            Action::Attach { ties, reach } => (ties, *reach),
            Action::Release { ties } => {
                for name in ties {
                    self.dynamics.set_open(self.tie(name)?, true);
                }
                return Ok(Switched::default());
            }
            Action::Torque(_) => return Ok(Switched::default()),
        };
        let mut closed = Vec::new();
        self.prepare(time, state)?;
        let nq = self.split();
        for name in ties {
            let tie = self.tie(name)?;
            if self.dynamics.is_open(tie) {
                let off = self.dynamics.close(tie, time, &state[..nq], &self.velocity);
                if off.is_nan() || off > reach {
                    self.dynamics.set_open(tie, true);
                    return Err(SimulationError::OutOfGrip { time, tie: name.clone(), off, reach });
                }
                closed.push(tie);
            }
        }
        self.dynamics.prepare(time, &state[..nq], &self.velocity).map_err(SimulationError::located(time))?;
        let mut change = vec![0.0; self.velocity.len()];
        self.dynamics.catch(&mut change);
        // An impulse works on the mean of the rates before and after, and after it they are zero.
        let lambda = &self.dynamics.lambda;
        let rates = &self.dynamics.equations.residual_rate;
        // ∂h/∂t = ḣ − Hv is what a prescribed motion asks for.
        let asked = lambda.iter().zip(rates).map(|(impulse, rate)| impulse * rate).sum::<f64>();
        let lost = -0.5 * asked;
        let impulse = |tie: &usize| {
            let tie = &mechanism.ties[*tie];
            (tie.name.clone(), lambda[tie.rows.clone()].to_vec())
        };
        let impulses = closed.iter().map(impulse).collect();
        let given = self.kick(time, state, &change)? - asked;
        Ok(Switched { impulses, lost, given })
    }
}
