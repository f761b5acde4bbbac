//! Integrators. Each allocates its room once; a step does not allocate.

use super::{SimulationError, System};

/// Carries a state from one time to another.
pub trait Integrator {
    /// From `time` to `until`, in place.
    fn advance(
        &mut self,
        system: &mut dyn System,
        time: f64,
        until: f64,
        state: &mut [f64],
    ) -> Result<(), SimulationError>;

    /// One step of its own length from `time`, not beyond `until`, in place; returns where it ended.
    fn step(
        &mut self,
        system: &mut dyn System,
        time: f64,
        until: f64,
        state: &mut [f64],
    ) -> Result<f64, SimulationError>;

    /// Forgets what it knows of earlier steps: the system or the state has changed.
    fn restart(&mut self) {}
}

fn positive(value: f64) -> Result<f64, SimulationError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(SimulationError::BadStep { value }) }
}

fn check(time: f64, state: &[f64]) -> Result<(), SimulationError> {
    match state.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(SimulationError::Diverged { time, index, value: state[index] }),
        None => Ok(()),
    }
}

/// Equal steps, none longer than `step`; the number of them and their length.
fn equal_steps(time: f64, until: f64, step: f64) -> (usize, f64) {
    let span = until - time;
    // A span that is a whole number of steps up to rounding is that number.
    let count = (span.abs() / step - 1e-6).ceil().max(0.0);
    (count as usize, if count > 0.0 { span / count } else { 0.0 })
}

/// The classical Runge–Kutta method with a fixed step.
#[derive(Clone, Debug)]
pub struct Rk4 {
    step: f64,
    k: [Vec<f64>; 4],
    trial: Vec<f64>,
}

impl Rk4 {
    /// For states of `size` numbers, with steps of `step` seconds.
    pub fn new(size: usize, step: f64) -> Result<Self, SimulationError> {
        let zeros = || vec![0.0; size];
        Ok(Self { step: positive(step)?, k: [zeros(), zeros(), zeros(), zeros()], trial: zeros() })
    }

    fn one(&mut self, system: &mut dyn System, t: f64, h: f64, state: &mut [f64]) -> Result<(), SimulationError> {
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
        check(t + h, state)?;
        system.project(t + h, state)?;
        Ok(())
    }
}

impl Integrator for Rk4 {
    fn advance(
        &mut self,
        system: &mut dyn System,
        time: f64,
        until: f64,
        state: &mut [f64],
    ) -> Result<(), SimulationError> {
        super::check_length("state", state, self.trial.len())?;
        let (count, h) = equal_steps(time, until, self.step);
        for number in 0..count {
            self.one(system, time + number as f64 * h, h, state)?;
        }
        Ok(())
    }

    fn step(
        &mut self,
        system: &mut dyn System,
        time: f64,
        until: f64,
        state: &mut [f64],
    ) -> Result<f64, SimulationError> {
        super::check_length("state", state, self.trial.len())?;
        let (count, h) = equal_steps(time, until, self.step);
        self.one(system, time, h, state)?;
        Ok(if count <= 1 { until } else { time + h })
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
    pub fn new(size: usize, step: f64) -> Result<Self, SimulationError> {
        let zeros = || vec![0.0; size];
        Ok(Self { step: positive(step)?, rate: zeros(), middle: zeros(), change: zeros(), carry: zeros() })
    }

    fn one(&mut self, system: &mut dyn System, t: f64, h: f64, state: &mut [f64]) -> Result<(), SimulationError> {
        system.rate(t, state, &mut self.rate)?;
        for i in 0..state.len() {
            self.change[i] = h * self.rate[i];
        }
        let mut before = f64::INFINITY;
        let mut iterations = 0;
        loop {
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
            iterations += 1;
            // Rounding is reached when a step no longer helps.
            if moved <= 1e-16 * size || (moved <= 1e-12 * size && moved >= before) {
                break;
            }
            if iterations == MAX_ITERATIONS {
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
        if system.project(t + h, state)? {
            self.carry.fill(0.0);
        }
        Ok(())
    }
}

impl Integrator for ImplicitMidpoint {
    fn advance(
        &mut self,
        system: &mut dyn System,
        time: f64,
        until: f64,
        state: &mut [f64],
    ) -> Result<(), SimulationError> {
        super::check_length("state", state, self.rate.len())?;
        let (count, h) = equal_steps(time, until, self.step);
        for number in 0..count {
            self.one(system, time + number as f64 * h, h, state)?;
        }
        Ok(())
    }

    fn step(
        &mut self,
        system: &mut dyn System,
        time: f64,
        until: f64,
        state: &mut [f64],
    ) -> Result<f64, SimulationError> {
        super::check_length("state", state, self.rate.len())?;
        let (count, h) = equal_steps(time, until, self.step);
        self.one(system, time, h, state)?;
        Ok(if count <= 1 { until } else { time + h })
    }

    fn restart(&mut self) {
        self.carry.fill(0.0);
    }
}

/// The method of Dormand and Prince, orders 5(4), with the interpolation of Hairer, Nørsett and Wanner, *Solving
/// Ordinary Differential Equations I*, II.6: requested times do not shorten the steps.
#[derive(Clone, Debug)]
pub struct DormandPrince {
    tolerance: f64,
    /// Interpolate at requested times. Off: steps end there; needed where torques change between calls.
    pub dense: bool,
    k: [Vec<f64>; 7],
    trial: Vec<f64>,
    from: Vec<f64>,
    to: Vec<f64>,
    reported: Vec<f64>,
    /// The last step, from and to, and where the last report was made.
    span: Option<[f64; 3]>,
    next_step: Option<f64>,
    /// `k[0]` is the rate at the end of the last step.
    fresh: bool,
    /// Steps taken.
    pub steps: usize,
    /// Steps tried in vain.
    pub rejected: usize,
}

const NODES: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
const STAGES: [[f64; 6]; 7] = [
    [0.0; 6],
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
const ERROR: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];
const DENSE: [f64; 7] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];

impl DormandPrince {
    /// The tolerance that a run has unless it says otherwise, absolute and relative.
    pub const TOLERANCE: f64 = 1e-13;

    /// For states of `size` numbers; local error per step at most `tolerance`·(1 + |x|).
    pub fn new(size: usize, tolerance: f64) -> Result<Self, SimulationError> {
        let zeros = || vec![0.0; size];
        Ok(Self {
            tolerance: positive(tolerance)?,
            dense: true,
            k: std::array::from_fn(|_| zeros()),
            trial: zeros(),
            from: zeros(),
            to: zeros(),
            reported: zeros(),
            span: None,
            next_step: None,
            fresh: false,
            steps: 0,
            rejected: 0,
        })
    }

    /// One accepted step from (`time`, `self.to`); returns its end.
    fn one(&mut self, system: &mut dyn System, time: f64, until: f64, dense: bool) -> Result<f64, SimulationError> {
        let n = self.to.len();
        self.from.copy_from_slice(&self.to);
        if !self.fresh {
            system.rate(time, &self.from, &mut self.k[0])?;
        }
        let direction = (until - time).signum();
        let mut h = self.next_step.unwrap_or(1e-3).abs() * direction;
        loop {
            let left = until - time;
            let clipped = !dense && h.abs() >= left.abs();
            if clipped {
                h = left;
            }
            if h.abs() <= 16.0 * f64::EPSILON * time.abs().max(1e-3) {
                return Err(SimulationError::StepTooSmall { time, step: h.abs() });
            }
            let error = match self.try_stages(system, time, h) {
                Ok(()) => {
                    let sum: f64 = (0..n)
                        .map(|i| {
                            let error: f64 = (0..7).map(|s| ERROR[s] * self.k[s][i]).sum::<f64>() * h;
                            let scale = self.tolerance * (1.0 + self.from[i].abs().max(self.trial[i].abs()));
                            (error / scale).powi(2)
                        })
                        .sum();
                    (sum / n.max(1) as f64).sqrt()
                }
                // The step may have reached over the edge: shorten it until it is certain that the edge is here.
                Err(cause) if h.abs() <= 1e-9 => return Err(cause),
                Err(_) => f64::INFINITY,
            };
            let factor = if error.is_finite() { (0.9 * error.max(1e-10).powf(-0.2)).clamp(0.2, 5.0) } else { 0.2 };
            if error <= 1.0 {
                self.steps += 1;
                self.to.copy_from_slice(&self.trial);
                let end = if clipped { until } else { time + h };
                if !clipped {
                    self.next_step = Some(h * factor);
                }
                self.fresh = !system.project(end, &mut self.to)?;
                return Ok(end);
            }
            self.rejected += 1;
            h *= factor.min(0.9);
        }
    }

    fn try_stages(&mut self, system: &mut dyn System, time: f64, h: f64) -> Result<(), SimulationError> {
        for stage in 1..7 {
            for i in 0..self.trial.len() {
                let sum: f64 = (0..stage).map(|s| STAGES[stage][s] * self.k[s][i]).sum();
                self.trial[i] = self.from[i] + h * sum;
            }
            system.rate(time + NODES[stage] * h, &self.trial, &mut self.k[stage])?;
        }
        check(time + h, &self.trial)
    }

    fn interpolate(&self, start: f64, end: f64, at: f64, state: &mut [f64]) {
        if at == end {
            state.copy_from_slice(&self.to);
            return;
        }
        let h = end - start;
        let theta = (at - start) / h;
        let rest = 1.0 - theta;
        for i in 0..state.len() {
            let difference = self.to[i] - self.from[i];
            let bend = h * self.k[0][i] - difference;
            let twist = difference - h * self.k[6][i] - bend;
            let last: f64 = h * (0..7).map(|s| DENSE[s] * self.k[s][i]).sum::<f64>();
            state[i] = self.from[i] + theta * (difference + rest * (bend + theta * (twist + rest * last)));
        }
    }
}

impl Integrator for DormandPrince {
    fn advance(
        &mut self,
        system: &mut dyn System,
        time: f64,
        until: f64,
        state: &mut [f64],
    ) -> Result<(), SimulationError> {
        super::check_length("state", state, self.to.len())?;
        check(time, state)?;
        if until == time {
            return Ok(());
        }
        let dense = self.dense && system.interpolates();
        // Go on from the last step only where the caller goes on from the last report.
        let goes_on = dense && self.span.is_some_and(|[_, _, at]| at == time) && self.reported == state;
        let [mut start, mut end] = match self.span {
            Some([start, end, _]) if goes_on => [start, end],
            _ => {
                self.to.copy_from_slice(state);
                self.fresh = false;
                [time, time]
            }
        };
        while (until - end) * (until - time).signum() > 0.0 {
            if self.fresh {
                self.k.swap(0, 6);
            }
            start = end;
            end = self.one(system, start, until, dense)?;
        }
        self.interpolate(start, end, until, state);
        if until != end {
            system.project(until, state)?; // what lies between two good states is good only to the tolerance
        }
        self.reported.copy_from_slice(state);
        self.span = Some([start, end, until]);
        Ok(())
    }

    fn step(
        &mut self,
        system: &mut dyn System,
        time: f64,
        until: f64,
        state: &mut [f64],
    ) -> Result<f64, SimulationError> {
        super::check_length("state", state, self.to.len())?;
        if self.fresh && self.to == state {
            self.k.swap(0, 6);
        } else {
            check(time, state)?;
            self.to.copy_from_slice(state);
            self.fresh = false;
        }
        self.span = None;
        let end = self.one(system, time, until, false)?;
        state.copy_from_slice(&self.to);
        Ok(end)
    }

    fn restart(&mut self) {
        self.fresh = false;
        self.span = None;
    }
}
