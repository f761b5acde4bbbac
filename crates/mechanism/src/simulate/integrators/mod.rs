//! Integrators. Each allocates its room once; a step does not allocate.

mod dormand_prince;
mod fixed;
mod radau;
mod rattle;

pub use dormand_prince::DormandPrince;
pub use fixed::{ImplicitMidpoint, Rk4};
pub use radau::Radau;
pub use rattle::Rattle;

use super::{SimulationError, SimulationResult, System, check_length};

/// Carries a state from one time to another.
///
/// One's own integrator is one method, as `crates/dalembert/examples/own_integrator.rs` has it, and works with
/// [`run`](super::run), [`Simulation`](super::Simulation), contacts and events like those of the library.
pub trait Integrator {
    /// One step of its own length from `time`, not beyond `until`, in place; returns where it ended. It ends with
    /// [`System::project`]. Who has changed the system since the last step calls [`Integrator::restart`] first.
    fn step(&mut self, system: &mut dyn System, time: f64, until: f64, state: &mut [f64]) -> SimulationResult<f64>;

    /// From `time` to `until`, in place. The system may have changed since the last call.
    fn advance(&mut self, system: &mut dyn System, time: f64, until: f64, state: &mut [f64]) -> SimulationResult<()> {
        self.restart();
        let (mut reached, direction) = (time, (until - time).signum());
        while (until - reached) * direction > 0.0 {
            reached = self.step(system, reached, until, state)?;
        }
        Ok(())
    }

    /// Forgets what it knows of earlier steps: the system or the state has changed.
    fn restart(&mut self) {}

    /// The steps of an adaptive method.
    fn pace(&self) -> Option<StepControl> {
        None
    }
}

/// A method whose steps are as long as it is told.
trait FixedStep {
    /// How many numbers a state has, and the longest step, s.
    fn size_and_step(&self) -> (usize, f64);

    /// One step of `h` seconds from `time`, in place. The projection comes after it.
    fn one(&mut self, system: &mut dyn System, time: f64, h: f64, state: &mut [f64]) -> SimulationResult<()>;

    /// Something else has changed the state.
    fn forget(&mut self) {}

    /// Equal steps, none longer than the longest: their number and length.
    fn equal_steps(&self, time: f64, until: f64, state: &[f64]) -> SimulationResult<(usize, f64)> {
        let (size, longest) = self.size_and_step();
        check_length("state", state, size)?;
        let span = until - time;
        // A span that is a whole number of steps up to rounding is that number.
        let count = (span.abs() / longest - 1e-6).ceil().max(0.0);
        Ok((count as usize, if count > 0.0 { span / count } else { 0.0 }))
    }

    /// A step with its check and projection.
    fn whole_step(&mut self, system: &mut dyn System, t: f64, h: f64, state: &mut [f64]) -> SimulationResult<()> {
        self.one(system, t, h, state)?;
        check(t + h, state)?;
        if system.project(t + h, state)? {
            self.forget();
        }
        Ok(())
    }
}

impl<M: FixedStep> Integrator for M {
    fn advance(&mut self, system: &mut dyn System, time: f64, until: f64, state: &mut [f64]) -> SimulationResult<()> {
        let (count, h) = self.equal_steps(time, until, state)?;
        (0..count).try_for_each(|number| self.whole_step(system, time + number as f64 * h, h, state))
    }

    fn step(&mut self, system: &mut dyn System, time: f64, until: f64, state: &mut [f64]) -> SimulationResult<f64> {
        let (count, h) = self.equal_steps(time, until, state)?;
        self.whole_step(system, time, h, state)?;
        Ok(if count <= 1 { until } else { time + h })
    }

    fn restart(&mut self) {
        self.forget();
    }
}

fn positive(value: f64) -> SimulationResult<f64> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(SimulationError::BadStep { value }) }
}

fn check(time: f64, state: &[f64]) -> SimulationResult<()> {
    match state.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(SimulationError::Diverged { time, index, value: state[index] }),
        None => Ok(()),
    }
}

/// The steps of an adaptive method: as long as their error allows.
#[derive(Clone, Copy, Debug)]
pub struct StepControl {
    /// What the last step recommends for the next one, or the first one of all, s.
    next: f64,
    /// Of the local error.
    order: f64,
    /// Steps taken.
    pub taken: usize,
    /// Steps tried in vain.
    pub rejected: usize,
}

impl StepControl {
    fn new(first: f64, order: f64) -> Self {
        Self { next: first, order, taken: 0, rejected: 0 }
    }

    /// Tries steps from `time` towards `until` until one is good enough, and returns where it ends: at `until` at the
    /// latest, unless it `may_pass`. `attempt` has the error of a step against what is allowed.
    fn go(
        &mut self,
        time: f64,
        until: f64,
        may_pass: bool,
        mut attempt: impl FnMut(f64) -> SimulationResult<f64>,
    ) -> SimulationResult<f64> {
        let left = until - time;
        let mut h = self.next.abs() * left.signum();
        loop {
            // No remainder is left that is too small for a step of its own.
            let clipped = !may_pass && h.abs() >= left.abs() - least_step(time);
            if clipped {
                h = left;
            }
            if h.abs() <= least_step(time) && !clipped {
                return Err(SimulationError::StepTooSmall { time, step: h.abs() });
            }
            let error = match attempt(h) {
                Ok(error) => error,
                // The step may have reached over the edge.
                Err(cause) if h.abs() <= EDGE => return Err(cause),
                Err(_) => f64::INFINITY,
            };
            let factor = step_factor(error, self.order);
            if error <= 1.0 {
                self.taken += 1;
                if clipped {
                    return Ok(until);
                }
                self.next = h * factor;
                return Ok(time + h);
            }
            self.rejected += 1;
            h *= factor.min(0.9);
        }
    }
}

/// The step that follows one of `h` seconds whose error was `error` of what is allowed (NaN counts as infinite), over
/// `h`, for an error of order `order`.
fn step_factor(error: f64, order: f64) -> f64 {
    if error.is_finite() { (0.9 * error.max(1e-10).powf(-1.0 / order)).clamp(0.2, 5.0) } else { 0.2 }
}

/// The error of a step against what is allowed, `tolerance`·(1 + |x|): the root of its mean square.
fn relative_error(tolerance: f64, from: &[f64], to: &[f64], error: impl Fn(usize) -> f64) -> f64 {
    let sum: f64 =
        (0..to.len()).map(|i| (error(i) / (tolerance * (1.0 + from[i].abs().max(to[i].abs())))).powi(2)).sum();
    (sum / to.len().max(1) as f64).sqrt()
}

/// Below this a step is too small to be told from none, s.
fn least_step(time: f64) -> f64 {
    16.0 * f64::EPSILON * time.abs().max(1e-3)
}

/// A step that failed is tried again shorter, until it is this short, s: then the edge that it reaches over is here.
const EDGE: f64 = 1e-9;
