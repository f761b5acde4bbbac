//! Butterworth's low-pass filter without phase: once forward, once backward.
//!
//! Second-order sections by the bilinear transform with the cut-off prewarped. Passing twice, the filter has the square of
//! the printed gain: half the power at the cut-off becomes a quarter. At both ends the signal is continued by its mirror
//! image about the end point, and every section starts in its steady state, so that a straight line stays one.

use crate::{IdentifyError, positive, require};

/// A low-pass filter.
#[derive(Clone, Debug, PartialEq)]
pub struct LowPass {
    /// Second-order sections: b and a, a0 = 1.
    sections: Vec<([f64; 3], [f64; 2])>,
    /// Samples that an end's continuation needs until the start is forgotten.
    reach: usize,
}

impl LowPass {
    /// Of even order, `cutoff` in Hz, `step` in s.
    pub fn new(order: usize, cutoff: f64, step: f64) -> Result<Self, IdentifyError> {
        positive("the cut-off frequency", cutoff)?;
        positive("the step of time", step)?;
        require((2..=12).contains(&order) && order.is_multiple_of(2), "the order", order as f64, "even, 2 to 12")?;
        require(cutoff * step < 0.5, "the cut-off frequency", cutoff, "below half the sampling rate")?;
        let w = (std::f64::consts::PI * cutoff * step).tan();
        let section = |k: usize| {
            // Poles of the analogue filter at angle π/2 + (2k+1)π/(2n): s² + 2ζs + 1.
            let angle = std::f64::consts::PI * (2 * k + 1) as f64 / (2 * order) as f64;
            let damping = 2.0 * angle.sin() * w;
            let scale = 1.0 / (1.0 + damping + w * w);
            let b = w * w * scale;
            ([b, 2.0 * b, b], [2.0 * (w * w - 1.0) * scale, (1.0 - damping + w * w) * scale])
        };
        let reach = (3.0 * order as f64 / (cutoff * step)).ceil() as usize;
        Ok(Self { sections: (0..order / 2).map(section).collect(), reach })
    }

    fn run(&self, signal: &mut [f64]) {
        for (b, a) in &self.sections {
            let Some(&first) = signal.first() else { return };
            let mut z2 = (b[2] - a[1]) * first;
            let mut z1 = (b[1] - a[0]) * first + z2;
            for value in signal.iter_mut() {
                let x = *value;
                let y = b[0] * x + z1;
                z1 = b[1] * x - a[0] * y + z2;
                z2 = b[2] * x - a[1] * y;
                *value = y;
            }
        }
    }

    /// The signal without what is above the cut-off.
    pub fn filter(&self, signal: &[f64]) -> Vec<f64> {
        let n = signal.len();
        if n < 2 {
            return signal.to_vec();
        }
        let reach = self.reach.min(n - 1);
        let (first, last) = (signal[0], signal[n - 1]);
        let before = (1..=reach).rev().map(|k| 2.0 * first - signal[k]);
        let after = (1..=reach).map(|k| 2.0 * last - signal[n - 1 - k]);
        let mut all: Vec<f64> = before.chain(signal.iter().copied()).chain(after).collect();
        self.run(&mut all);
        all.reverse();
        self.run(&mut all);
        all.reverse();
        all[reach..reach + n].to_vec()
    }
}

/// Central differences of sixth order, off by less than 0.3 % at a tenth of the sampling rate; of second order at the three
/// outermost places of either end.
pub fn derivative(signal: &[f64], step: f64) -> Vec<f64> {
    let n = signal.len();
    if n < 3 {
        return vec![0.0; n];
    }
    let s = |k: usize| signal[k];
    let apart = |k: usize, by: usize| s(k + by) - s(k - by);
    (0..n)
        .map(|k| match k {
            0 => (-3.0 * s(0) + 4.0 * s(1) - s(2)) / (2.0 * step),
            k if k == n - 1 => (3.0 * s(k) - 4.0 * s(k - 1) + s(k - 2)) / (2.0 * step),
            k if (3..n - 3).contains(&k) => (45.0 * apart(k, 1) - 9.0 * apart(k, 2) + apart(k, 3)) / (60.0 * step),
            k => (s(k + 1) - s(k - 1)) / (2.0 * step),
        })
        .collect()
}
