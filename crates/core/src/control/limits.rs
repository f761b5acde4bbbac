//! What stands between a law and a drive: torque and rate limits, resolution, and an integral that does not wind up.

/// Limits of torque and of its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limiter<const N: usize> {
    /// N m; infinite for none.
    pub max_torque: [f64; N],
    /// N m/s; infinite for none.
    pub max_rate: [f64; N],
    last: [f64; N],
}

impl<const N: usize> Limiter<N> {
    /// Limits; the torque before the first one is `start`.
    pub fn new(max_torque: [f64; N], max_rate: [f64; N], start: [f64; N]) -> Self {
        Self { max_torque, max_rate, last: start }
    }

    /// The torque that is given, `period` seconds after the last one. What is no number becomes zero.
    pub fn limit(&mut self, asked: [f64; N], period: f64) -> [f64; N] {
        let given = crate::array::from_fn(|i| {
            let step = self.max_rate[i] * period;
            // max and min instead of clamp, which would panic on limits that are no numbers.
            let near = asked[i].max(self.last[i] - step).min(self.last[i] + step);
            let given = near.max(-self.max_torque[i]).min(self.max_torque[i]);
            if asked[i].is_nan() || !given.is_finite() { 0.0 } else { given }
        });
        self.last = given;
        given
    }
}

/// The nearest multiple of `step`; the value itself for a step of zero.
pub fn quantize(value: f64, step: f64) -> f64 {
    if step > 0.0 { libm::round(value / step) * step } else { value }
}

/// ∫e of each joint, rad s, with anti-windup: a joint whose torque is cut does not integrate what would cut it more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integral<const N: usize>(pub [f64; N]);

impl<const N: usize> Integral<N> {
    /// Adds `period` seconds of the error, given the commanded and the applied torque.
    pub fn advance(&mut self, error: [f64; N], asked: [f64; N], given: [f64; N], period: f64) {
        for i in 0..N {
            let cut = asked[i] - given[i];
            if cut * error[i] <= 0.0 {
                self.0[i] += error[i] * period;
            }
        }
    }
}
