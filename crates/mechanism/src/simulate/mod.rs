//! Simulation: one interface for all formulations, one for all integrators, and errors that are measured in every run.
//!
//! Formulations are [`ExplicitDelta`], [`ExplicitChain`], [`Constrained`] and [`Minimal`]; integrators with a fixed step [`Rk4`],
//! [`ImplicitMidpoint`] and [`Rattle`], with an adaptive one [`DormandPrince`] and [`Radau`]. `docs/simulation.md` compares them.
//!
//! [`WithContacts`] adds contacts, impacts and actions (attach, release, other torques) to [`ExplicitDelta`] and
//! [`Constrained`]; [`run`] and [`Simulation`] find the events in time and go on piece by piece.

mod constrained;
mod contact;
mod events;
mod explicit;
mod integrators;
mod minimal;

pub use constrained::{Constrained, Stabilization};
pub use contact::{
    Ball, ContactForce, ContactGeometry, ContactLaw, Contacts, Happening, Response, Surface, SurfaceShape, Switched,
    Touchable, WithContacts, impact_damping,
};
pub use events::{Action, Events, ScheduledAction, Simulation, Trigger};
pub use explicit::{ElbowWatch, ExplicitChain, ExplicitDelta};
pub use integrators::{DormandPrince, ImplicitMidpoint, Integrator, Radau, Rattle, Rk4, StepControl};
pub use minimal::Minimal;

use crate::mechanism::{MechanismDynamics, MechanismError};
use crate::state_error::StateError;

/// A named contact: one or several points under one law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactId(pub usize);

/// Which numbers stand beside the coordinates in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variables {
    /// Velocities: Lagrange.
    #[default]
    Velocity,
    /// Momenta p = M v: Hamilton.
    Momentum,
}

/// Energies of a state, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Of motion.
    pub kinetic: f64,
    /// Of gravity, given forces and compressed contacts.
    pub potential: f64,
    /// −τ·q: what motors with constant torque have in store. With contacts also what prescribed motions have given,
    /// negative.
    pub load: f64,
    /// What contacts, impacts and friction have taken since the start; counted by [`WithContacts`] only.
    pub dissipated: f64,
}

impl Energies {
    /// What is conserved: with contacts always, else without friction and while the torques stay constant.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential + self.load + self.dissipated
    }
}

/// How far a state is off its constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// Largest |h|, m or rad.
    pub position: f64,
    /// Largest |ḣ|.
    pub velocity: f64,
}

/// Why a simulation ended early.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum SimulationError {
    #[error("at {time:.6} s: {cause}")]
    StateError { time: f64, cause: StateError },
    #[error("at {time:.6} s: {cause}")]
    Mechanism { time: f64, cause: MechanismError },
    #[error("interrupted at {time:.6} s")]
    Interrupted { time: f64 },
    #[error("at {time:.6} s the motion diverges: number {index} of the state is {value}")]
    Diverged { time: f64, index: usize, value: f64 },
    #[error("at {time:.6} s the step would have to be smaller than {step:.1e} s")]
    StepTooSmall { time: f64, step: f64 },
    #[error("at {time:.6} s the implicit step of {step:.1e} s does not converge: take a smaller one")]
    NoConvergence { time: f64, step: f64 },
    #[error("{what}: {given} numbers where {expected} are needed")]
    WrongLength { what: &'static str, given: usize, expected: usize },
    #[error("step or tolerance {value} must be positive and finite")]
    BadStep { value: f64 },
    #[error("part `{part}` has fewer velocities than coordinates: independent coordinates need as many")]
    NotPlain { part: String },
    #[error("this integrator needs a mechanism with momenta, of parts that have as many velocities as coordinates")]
    NotHamiltonian,
    #[error("contact: {what} is {value}, but must be {must}")]
    BadContact { what: &'static str, value: f64, must: &'static str },
    #[error("contact `{contact}` is between a body and itself")]
    SameBody { contact: String },
    #[error("contact `{contact}`: {why}")]
    CannotTouch { contact: String, why: &'static str },
    #[error(
        "at {time:.6} s contact `{contact}` is {depth:.3e} m deep, more than the {allowed:.1e} m that are allowed at the start"
    )]
    Inside { time: f64, contact: String, depth: f64, allowed: f64 },
    #[error(
        "at {time:.6} s contact `{contact}` is {depth:.3e} m deep at ({:.4}, {:.4}, {:.4}) m, half of the thinner side's \
         {thickness:.3e} m or more: it passes through", .at[0], .at[1], .at[2]
    )]
    PassesThrough { time: f64, contact: String, depth: f64, at: [f64; 3], thickness: f64 },
    #[error(
        "the energy drifts by {drift:.1e} J where the kinetic energy has a range of {range:.1e} J: the motion is not a solution"
    )]
    EnergyDrift { drift: f64, range: f64 },
    #[error("{steps} steps led to {time:.6} s of {end:.6} s: at this pace the run would take {:.0e}", *steps as f64 * end / time)]
    TooManySteps { time: f64, end: f64, steps: usize },
    #[error("there is no constraint `{name}` that can be attached or released; there are {}", .known.join(", "))]
    UnknownTie { name: String, known: Vec<String> },
    #[error("at {time:.6} s `{tie}` is off by {off:.3e}, out of its reach of {reach:.1e}: nothing to attach there")]
    OutOfGrip { time: f64, tie: String, off: f64, reach: f64 },
    #[error("at {time:.6} s: more than {events} events within {within:.0e} s: the contacts do not come to rest")]
    EventStorm { time: f64, events: usize, within: f64 },
    #[error("a simulation with events cannot go back from {time:.6} s to {until:.6} s")]
    Backwards { time: f64, until: f64 },
}

/// What a simulation gives, or why it ended early.
pub type SimulationResult<T> = Result<T, SimulationError>;

impl SimulationError {
    /// The robot cannot be in the state of this time.
    pub fn refused(time: f64, cause: impl Into<StateError>) -> Self {
        Self::StateError { time, cause: cause.into() }
    }

    /// An error of the mechanism, at this time.
    pub fn located(time: f64) -> impl Fn(MechanismError) -> Self {
        move |cause| Self::Mechanism { time, cause }
    }
}

/// What is run on the equations of a mechanism and the torques of its motors.
pub type WithMomenta<'a> = dyn FnMut(&mut MechanismDynamics<'_>, &[f64]) -> SimulationResult<()> + 'a;

/// Something that moves: ẋ = f(t, x), with its promises. Implement it to simulate equations of your own.
pub trait System {
    /// How many numbers a state has.
    fn size(&self) -> usize;

    /// Other motor torques from now on, N m (N); a system without motors takes none.
    fn set_torques(&mut self, torque: &[f64]) -> SimulationResult<()> {
        check_length("torque", torque, 0)
    }

    /// ẋ.
    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> SimulationResult<()>;

    /// Called after each step: puts the state back to where it belongs. `true` if it was changed.
    fn project(&mut self, time: f64, state: &mut [f64]) -> SimulationResult<bool> {
        let _ = (time, state);
        Ok(false)
    }

    /// Whether states between the ends of a step may be interpolated: not where [`System::project`] can change what
    /// the numbers mean.
    fn interpolates(&self) -> bool {
        true
    }

    /// ∂ẋ/∂x, row by row, where it can be had exactly; `false` where it cannot and differences must do.
    fn jacobian(&mut self, time: f64, state: &[f64], jacobian: &mut [f64]) -> SimulationResult<bool> {
        let _ = (time, state, jacobian);
        Ok(false)
    }

    /// Runs something on the equations and motor torques of a mechanism whose state is (q, p): for [`Rattle`].
    fn with_momenta(&mut self, run: &mut WithMomenta<'_>) -> SimulationResult<()> {
        let _ = run;
        Err(SimulationError::NotHamiltonian)
    }

    /// Why no step leads on from a state, where the system knows: an edge of what its equations describe.
    fn edge(&mut self, time: f64, state: &[f64]) -> Option<SimulationError> {
        let _ = (time, state);
        None
    }

    /// Energies.
    fn energies(&mut self, time: f64, state: &[f64]) -> SimulationResult<Energies>;

    /// The forces of the contacts at a state, as they stand (closed or open) now; empty where there are none.
    fn contact_forces(&mut self, time: f64, state: &[f64]) -> SimulationResult<Vec<ContactForce>> {
        let _ = (time, state);
        Ok(Vec::new())
    }

    /// What can happen at an instant; none where nothing can.
    fn events(&mut self) -> Option<&mut dyn Events> {
        None
    }

    /// How far the state is off the constraints; without constraints not at all.
    fn residual(&mut self, time: f64, state: &[f64]) -> SimulationResult<Residual> {
        let _ = (time, state);
        Ok(Residual::default())
    }
}

/// What came out, also of a run that ended early.
#[derive(Clone, Debug)]
pub struct SimulationRun {
    /// Requested times that were reached, s.
    pub times: Vec<f64>,
    /// States there.
    pub states: Vec<Vec<f64>>,
    /// Energies there.
    pub energies: Vec<Energies>,
    /// Constraint residuals there.
    pub residuals: Vec<Residual>,
    /// Forces of the contacts there; empty lists without contacts.
    pub contacts: Vec<Vec<ContactForce>>,
    /// Why it ended before the last requested time.
    pub ended: SimulationResult<()>,
}

impl SimulationRun {
    /// Largest change of the conserved quantity, J.
    pub fn energy_drift(&self) -> f64 {
        let first = self.energies.first().map_or(0.0, Energies::total);
        self.energies.iter().fold(0.0, |m: f64, e| m.max((e.total() - first).abs()))
    }

    /// Largest minus least kinetic energy, J.
    pub fn kinetic_range(&self) -> f64 {
        let kinetic = || self.energies.iter().map(|e| e.kinetic);
        (kinetic().fold(f64::NEG_INFINITY, f64::max) - kinetic().fold(f64::INFINITY, f64::min)).max(0.0)
    }

    /// Largest constraint residual, m or rad.
    pub fn constraint_drift(&self) -> f64 {
        self.residuals.iter().fold(0.0, |m: f64, r| m.max(r.position))
    }
}

/// Simulates from `start` at the first of `times` and reports at each of them. An error ends the run and is in it,
/// beside what there was before.
pub fn run(
    system: &mut dyn System,
    integrator: &mut dyn Integrator,
    start: &[f64],
    times: impl IntoIterator<Item = f64>,
) -> SimulationRun {
    let mut run = SimulationRun {
        times: Vec::new(),
        states: Vec::new(),
        energies: Vec::new(),
        residuals: Vec::new(),
        contacts: Vec::new(),
        ended: Ok(()),
    };
    run.ended = follow(system, integrator, start, times, &mut run);
    run
}

fn follow(
    system: &mut dyn System,
    integrator: &mut dyn Integrator,
    start: &[f64],
    times: impl IntoIterator<Item = f64>,
    run: &mut SimulationRun,
) -> SimulationResult<()> {
    let mut times = times.into_iter();
    let Some(first) = times.next() else { return check_length("state", start, system.size()) };
    let mut simulation = Simulation::new(system, integrator, first, start)?;
    let mut next = Some(first);
    while let Some(until) = next {
        simulation.advance(until)?;
        let state = simulation.state().to_vec();
        run.energies.push(simulation.observed().energies(until, &state)?);
        run.residuals.push(simulation.observed().residual(until, &state)?);
        run.contacts.push(simulation.observed().contact_forces(until, &state)?);
        run.times.push(until);
        run.states.push(state);
        next = times.next();
    }
    Ok(())
}

/// Refuses a vector of another length.
pub fn check_length(what: &'static str, values: &[f64], expected: usize) -> SimulationResult<()> {
    if values.len() == expected {
        Ok(())
    } else {
        Err(SimulationError::WrongLength { what, given: values.len(), expected })
    }
}
