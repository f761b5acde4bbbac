//! Events: what happens at an instant, found in time, and the simulation that goes on piece by piece.

use super::{ContactId, Integrator, SimulationError, SimulationResult, System, check_length};

/// When an action is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trigger {
    /// At this time, s.
    Time(f64),
    /// When a contact touches for the first time, from the first step on.
    Touch(ContactId),
}

/// What is done.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Closes constraints that were open, where the bodies are now; with the impulse that takes their relative
    /// velocity away. Refused where a body is farther off than `reach`, m or rad.
    Attach {
        /// Names of constraints.
        ties: Vec<String>,
        /// m or rad.
        reach: f64,
    },
    /// Opens constraints.
    Release {
        /// Names of constraints.
        ties: Vec<String>,
    },
    /// Other motor torques from now on, N m.
    Torque(Vec<f64>),
}

/// Something that is done once, at a time or at an event.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduledAction {
    /// When.
    pub when: Trigger,
    /// What.
    pub what: Action,
}

/// The discrete side of a system.
pub trait Events {
    /// Positive as long as nothing happens; an event is where it becomes zero.
    fn guard(&mut self, time: f64, state: &[f64]) -> SimulationResult<f64>;

    /// The next time at which something is to be done, after the last [`Events::happen`].
    fn appointment(&self) -> f64;

    /// Does what is due at this state.
    fn happen(&mut self, time: f64, state: &mut [f64]) -> SimulationResult<()>;

    /// A step without an event ended here.
    fn accept(&mut self, time: f64, state: &[f64]) -> SimulationResult<()>;
}

/// An event is found to this, s (and to rounding of the time, where that is more).
const INSTANT: f64 = 1e-13;
/// As many events within [`STORM_TIME`] are no motion any more.
const STORM: usize = 1000;
const STORM_TIME: f64 = 1e-6;

/// A simulation that is under way: a state that is carried from time to time, over events.
pub struct Simulation<'a> {
    system: &'a mut dyn System,
    integrator: &'a mut dyn Integrator,
    time: f64,
    state: Vec<f64>,
    before: Vec<f64>,
    storm: (f64, usize),
    /// The system may be another one than at the last step.
    touched: bool,
}

impl<'a> Simulation<'a> {
    /// At its start.
    pub fn new(
        system: &'a mut dyn System,
        integrator: &'a mut dyn Integrator,
        time: f64,
        start: &[f64],
    ) -> SimulationResult<Self> {
        check_length("state", start, system.size())?;
        let (state, before) = (start.to_vec(), start.to_vec());
        Ok(Self { system, integrator, time, state, before, storm: (f64::NEG_INFINITY, 0), touched: true })
    }

    /// The state there.
    pub fn state(&self) -> &[f64] {
        &self.state
    }

    /// The system, to change it: other torques, for one.
    pub fn system(&mut self) -> &mut dyn System {
        self.touched = true;
        self.system
    }

    /// The system, only to look at it.
    pub(crate) fn observed(&mut self) -> &mut dyn System {
        self.system
    }

    /// On to a time. Actions of exactly that time are done. After an error the state is the last good one.
    pub fn advance(&mut self, until: f64) -> SimulationResult<()> {
        if self.system.events().is_none() {
            if until == self.time {
                return Ok(());
            }
            self.before.copy_from_slice(&self.state);
            let done = self.integrator.advance(self.system, self.time, until, &mut self.state);
            match done {
                Ok(()) => self.time = until,
                Err(_) => self.state.copy_from_slice(&self.before),
            }
            return done;
        }
        if until < self.time {
            return Err(SimulationError::Backwards { time: self.time, until });
        }
        if std::mem::take(&mut self.touched) {
            self.integrator.restart();
        }
        self.keep_appointments()?;
        while self.time < until {
            let start = self.time;
            self.before.copy_from_slice(&self.state);
            if let Err(error) = self.step(until) {
                self.time = start;
                self.state.copy_from_slice(&self.before);
                return Err(error);
            }
            self.keep_appointments()?;
        }
        Ok(())
    }

    fn appointment(&mut self) -> f64 {
        self.system.events().map_or(f64::INFINITY, |events| events.appointment())
    }

    fn keep_appointments(&mut self) -> SimulationResult<()> {
        while self.appointment() <= self.time {
            self.happen()?;
        }
        Ok(())
    }

    /// One step, shortened to the first event in it.
    fn step(&mut self, until: f64) -> SimulationResult<()> {
        let start = self.time;
        let limit = until.min(self.appointment());
        if limit - start <= 64.0 * f64::EPSILON * start.abs().max(1e-3) {
            self.time = limit; // less than a step can be
            return Ok(());
        }
        let end = self.integrator.step(self.system, start, limit, &mut self.state)?;
        let after = self.guard(end)?;
        if after > 0.0 {
            self.time = end;
            let Self { system, state, .. } = self;
            return system.events().map_or(Ok(()), |events| events.accept(end, state));
        }
        self.locate(start, end, after)?;
        self.happen()
    }

    fn guard(&mut self, time: f64) -> SimulationResult<f64> {
        let Self { system, state, .. } = self;
        system.events().map_or(Ok(1.0), |events| events.guard(time, state))
    }

    fn happen(&mut self) -> SimulationResult<()> {
        let Self { system, state, time, storm, .. } = self;
        if *time - storm.0 > STORM_TIME {
            *storm = (*time, 0);
        }
        storm.1 += 1;
        if storm.1 > STORM {
            return Err(SimulationError::EventStorm { time: *time, events: STORM, within: STORM_TIME });
        }
        if let Some(events) = system.events() {
            events.happen(*time, state)?;
        }
        self.integrator.restart();
        Ok(())
    }

    /// The first time at which the guard is not positive any more, and the state there: each trial is a step of the
    /// integrator itself from the start of the step, so the state is as good as any other.
    fn locate(&mut self, start: f64, end: f64, after: f64) -> SimulationResult<()> {
        let (mut low, mut high) = (start, end);
        let mut values = [None, Some(after)];
        let mut at_high = true;
        let width = INSTANT.max(4.0 * f64::EPSILON * end.abs());
        for round in 0.. {
            if high - low <= width {
                break;
            }
            // False position with halved weights (Illinois); every third trial in the middle, for guards with jumps.
            let middle = 0.5 * (low + high);
            let trial = match values {
                [Some(a), Some(b)] if round % 3 != 2 => low + (high - low) * (a / (a - b)),
                _ => middle,
            };
            let inside = trial > low + 0.25 * width && trial < high - 0.25 * width;
            let trial = if inside { trial } else { middle };
            self.again(start, trial)?;
            let value = self.guard(trial)?;
            if value > 0.0 {
                low = trial;
                values = [Some(value), values[1].map(|b: f64| if at_high { b } else { 0.5 * b })];
                at_high = false;
            } else {
                high = trial;
                values = [values[0].map(|a: f64| if at_high { 0.5 * a } else { a }), Some(value)];
                at_high = true;
            }
        }
        self.again(start, high)?;
        self.time = high;
        Ok(())
    }

    /// From the start of the step to `end` once more.
    fn again(&mut self, start: f64, end: f64) -> SimulationResult<()> {
        self.state.copy_from_slice(&self.before);
        self.integrator.restart();
        let mut time = start;
        while end - time > 64.0 * f64::EPSILON * time.abs().max(1e-3) {
            time = self.integrator.step(self.system, time, end, &mut self.state)?;
        }
        Ok(())
    }
}
