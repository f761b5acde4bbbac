//! The adaptive explicit method.

use super::{Integrator, StepControl, check, positive, relative_error};
use crate::simulate::{SimulationResult, System, check_length};

/// The method of Dormand and Prince, orders 5(4), with the interpolation of Hairer, Nørsett and Wanner, *Solving
/// Ordinary Differential Equations I*, II.6: requested times do not shorten the steps.
#[derive(Clone, Debug)]
pub struct DormandPrince {
    tolerance: f64,
    /// Interpolate at requested times. Off: steps end there.
    pub dense: bool,
    k: [Vec<f64>; 7],
    trial: Vec<f64>,
    from: Vec<f64>,
    to: Vec<f64>,
    reported: Vec<f64>,
    /// The last step, from and to, and where the last report was made.
    span: Option<[f64; 3]>,
    /// The length of its steps, and how many there were.
    pub pace: StepControl,
    /// `k[0]` is the rate at the end of the last step.
    fresh: bool,
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
    pub fn new(size: usize, tolerance: f64) -> SimulationResult<Self> {
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
            pace: StepControl::new(1e-3, 5.0),
            fresh: false,
        })
    }

    /// One accepted step from (`time`, `self.to`); returns its end.
    fn one(&mut self, system: &mut dyn System, time: f64, until: f64, dense: bool) -> SimulationResult<f64> {
        self.from.copy_from_slice(&self.to);
        // Whatever goes wrong below, `k` and `span` are not trusted after it.
        if !std::mem::take(&mut self.fresh) {
            system.rate(time, &self.from, &mut self.k[0])?;
        }
        let mut pace = self.pace;
        let end = pace.go(time, until, dense, |h| {
            self.try_stages(system, time, h)?;
            Ok(relative_error(self.tolerance, &self.from, &self.trial, |i| {
                h * (0..7).map(|s| ERROR[s] * self.k[s][i]).sum::<f64>()
            }))
        });
        self.pace = pace;
        let end = end?;
        self.to.copy_from_slice(&self.trial);
        self.fresh = !system.project(end, &mut self.to)?;
        Ok(end)
    }

    fn try_stages(&mut self, system: &mut dyn System, time: f64, h: f64) -> SimulationResult<()> {
        for stage in 1..7 {
            for i in 0..self.trial.len() {
                let sum: f64 = (0..stage).map(|s| STAGES[stage][s] * self.k[s][i]).sum();
                self.trial[i] = self.from[i] + h * sum;
            }
            system.rate(time + NODES[stage] * h, &self.trial, &mut self.k[stage])?;
        }
        check(time + h, &self.trial)
    }

    /// Whether the system still moves as it did when the last step began: torques or forces may have changed since.
    fn is_unchanged(&mut self, system: &mut dyn System, start: f64) -> bool {
        system.rate(start, &self.from, &mut self.trial).is_ok() && self.trial == self.k[0]
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
    fn advance(&mut self, system: &mut dyn System, time: f64, until: f64, state: &mut [f64]) -> SimulationResult<()> {
        check_length("state", state, self.to.len())?;
        check(time, state)?;
        if until == time {
            return Ok(());
        }
        let dense = self.dense && system.interpolates();
        // Go on from the last step only where the caller goes on from the last report, with the same system.
        let last = self.span.take().filter(|[_, _, at]| dense && *at == time && self.reported == state);
        let [mut start, mut end] = match last {
            Some([start, end, _]) if self.is_unchanged(system, start) => [start, end],
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

    fn step(&mut self, system: &mut dyn System, time: f64, until: f64, state: &mut [f64]) -> SimulationResult<f64> {
        check_length("state", state, self.to.len())?;
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

    fn pace(&self) -> Option<StepControl> {
        Some(self.pace)
    }
}
