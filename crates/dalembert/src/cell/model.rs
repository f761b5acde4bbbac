//! The formulations and integrators of a run, and who watches over their steps.

use super::IntegrationMethod;
use crate::robot::EquationsOfMotion;
use crate::simulate::{
    Constrained, ContactForce, DormandPrince, Energies, Events, ImplicitMidpoint, Integrator, Minimal, Radau, Rattle,
    Residual, Rk4, SimulationError, SimulationResult, System, WithContacts, WithMomenta,
};

/// A formulation, ready to integrate.
pub(super) enum CellModel<'m> {
    Robot(Box<dyn EquationsOfMotion>),
    Constrained(Box<Constrained<'m>>),
    Touching(Box<WithContacts<'m, Constrained<'m>>>),
    Minimal(Box<Minimal<'m>>),
}

impl CellModel<'_> {
    pub fn system(&mut self) -> &mut dyn System {
        match self {
            Self::Robot(system) => system.as_mut(),
            Self::Constrained(system) => system.as_mut(),
            Self::Touching(system) => system.as_mut(),
            Self::Minimal(system) => system.as_mut(),
        }
    }
}

/// More steps than this within [`STALL_TIME`] are no progress: the motion runs into an edge that no step gets over.
const STALL_STEPS: usize = 5000;
const STALL_TIME: f64 = 1e-8;

/// Calls the watcher after each step, counts the steps, and ends a run that makes no progress.
pub(super) struct Watched<'a> {
    pub system: &'a mut dyn System,
    pub keep_going: &'a mut dyn FnMut(f64) -> bool,
    pub steps: usize,
    /// A time, and the steps up to it.
    pub mark: (f64, usize),
}

impl Watched<'_> {
    /// Why there is no progress here.
    fn stalled(&mut self, time: f64, state: &[f64]) -> SimulationError {
        let too_small = SimulationError::StepTooSmall { time, step: STALL_TIME / STALL_STEPS as f64 };
        self.system.edge(time, state).unwrap_or(too_small)
    }
}

impl System for Watched<'_> {
    fn size(&self) -> usize {
        self.system.size()
    }
    fn set_torques(&mut self, torque: &[f64]) -> SimulationResult<()> {
        self.system.set_torques(torque)
    }
    fn edge(&mut self, time: f64, state: &[f64]) -> Option<SimulationError> {
        self.system.edge(time, state)
    }
    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> SimulationResult<()> {
        self.system.rate(time, state, rate)
    }
    fn project(&mut self, time: f64, state: &mut [f64]) -> SimulationResult<bool> {
        self.steps += 1;
        if !(self.keep_going)(time) {
            return Err(SimulationError::Interrupted { time });
        }
        if (time - self.mark.0).abs() > STALL_TIME {
            self.mark = (time, self.steps);
        } else if self.steps - self.mark.1 > STALL_STEPS {
            return Err(self.stalled(time, state));
        }
        self.system.project(time, state)
    }
    fn interpolates(&self) -> bool {
        self.system.interpolates()
    }
    fn jacobian(&mut self, time: f64, state: &[f64], jacobian: &mut [f64]) -> SimulationResult<bool> {
        self.system.jacobian(time, state, jacobian)
    }
    fn with_momenta(&mut self, run: &mut WithMomenta<'_>) -> SimulationResult<()> {
        self.system.with_momenta(run)
    }
    fn events(&mut self) -> Option<&mut dyn Events> {
        self.system.events()
    }
    fn contact_forces(&mut self, time: f64, state: &[f64]) -> SimulationResult<Vec<ContactForce>> {
        self.system.contact_forces(time, state)
    }
    fn energies(&mut self, time: f64, state: &[f64]) -> SimulationResult<Energies> {
        self.system.energies(time, state)
    }
    fn residual(&mut self, time: f64, state: &[f64]) -> SimulationResult<Residual> {
        self.system.residual(time, state)
    }
}

/// The integrator of a method.
pub(super) fn integrator(method: IntegrationMethod, system: &mut dyn System) -> SimulationResult<Box<dyn Integrator>> {
    let size = system.size();
    Ok(match method {
        IntegrationMethod::Rk4(step) => Box::new(Rk4::new(size, step)?),
        IntegrationMethod::Midpoint(step) => Box::new(ImplicitMidpoint::new(size, step)?),
        IntegrationMethod::Rattle(step) => Box::new(Rattle::new(system, step)?),
        IntegrationMethod::DormandPrince(tolerance) => Box::new(DormandPrince::new(size, tolerance)?),
        IntegrationMethod::Radau(tolerance) => Box::new(Radau::new(size, tolerance)?),
    })
}
