//! The sensors as they are: joint angles in counts with noise, and velocities made from them.

use super::ControlError;
use super::error::{NOT_NEGATIVE, check};
use dalembert_core::control::quantize;
use dalembert_core::random::Random;
use std::f64::consts::TAU;

/// How a joint is measured, the same for all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encoder {
    /// Counts per revolution of the joint, of one that slides per 2π m; zero for an ideal one.
    pub counts: f64,
    /// Standard deviation of normal noise, rad, before the counts.
    pub noise: f64,
    /// Where the noise begins: the same number, the same run.
    pub seed: u64,
    /// How velocities are made.
    pub velocity: VelocityFrom,
}

/// How velocities are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VelocityFrom {
    /// The true velocity: a tachometer without fault.
    Tachometer,
    /// (q_k − q_(k−1))/T; the reference is differenced in the same way, so that both lag by half a sample.
    Difference,
    /// An observer with both poles at exp(−bandwidth·T), rad/s, that is told the acceleration of the reference.
    Observer {
        /// rad/s.
        bandwidth: f64,
    },
}

impl Encoder {
    /// No fault at all.
    pub const IDEAL: Self = Self { counts: 0.0, noise: 0.0, seed: 1, velocity: VelocityFrom::Tachometer };

    /// What a good servo motor has: 20 bits, velocity by difference.
    pub const USUAL: Self = Self { counts: 1_048_576.0, velocity: VelocityFrom::Difference, ..Self::IDEAL };

    /// Counts per revolution of so many bits; 0 bits: ideal. None: no encoder has so many (a nanoradian is 33).
    pub fn counts_of(bits: usize) -> Option<f64> {
        match bits {
            0 => Some(0.0), // 2^0 is one count per turn, which measures nothing
            1..=40 => Some(2f64.powi(bits as i32)),
            _ => None,
        }
    }

    /// Refuses what no encoder can be.
    pub fn check(&self) -> Result<(), ControlError> {
        for (what, value) in [("counts per revolution", self.counts), ("encoder noise", self.noise)] {
            check(what, value, value >= 0.0 && value.is_finite(), NOT_NEGATIVE)?;
        }
        let VelocityFrom::Observer { bandwidth: width } = self.velocity else { return Ok(()) };
        check("bandwidth of the observer", width, width > 0.0 && width.is_finite(), "positive")
    }
}

/// What was measured at a sample.
#[derive(Clone, Copy, Debug)]
pub struct Reading<const N: usize> {
    /// Joints.
    pub q: [f64; N],
    /// Their velocities, measured or made.
    pub qd: [f64; N],
    /// Velocity of the reference minus the measured one, both made in the same way.
    pub rate: [f64; N],
}

/// The encoders of a robot with what they remember.
#[derive(Clone, Copy, Debug)]
pub struct Encoders<const N: usize> {
    kind: Encoder,
    period: f64,
    random: Random,
    /// How many joints there are.
    pub(super) count: usize,
    last: Option<Last<N>>,
}

#[derive(Clone, Copy, Debug)]
struct Last<const N: usize> {
    /// Measured, or estimated by the observer.
    q: [f64; N],
    reference: [f64; N],
    /// Estimated by the observer.
    qd: [f64; N],
    /// Acceleration of the reference.
    qdd: [f64; N],
}

impl<const N: usize> Encoders<N> {
    /// Encoders of a kind, read once a period, s.
    pub fn new(kind: Encoder, period: f64) -> Self {
        Self { kind, period, random: Random(kind.seed), count: N, last: None }
    }

    /// Reads the true joints `q`, `qd` while the reference is (q, q̇, q̈).
    #[inline]
    pub fn read(&mut self, q: [f64; N], qd: [f64; N], reference: [&[f64; N]; 3]) -> Reading<N> {
        let Encoder { counts, noise, .. } = self.kind;
        let step = if counts > 0.0 { TAU / counts } else { 0.0 };
        let measured: [f64; N] = crate::array::from_fn(|i| {
            let noise = if noise > 0.0 && i < self.count { noise * normal(&mut self.random) } else { 0.0 };
            quantize(q[i] + noise, step)
        });
        let last = self.last.unwrap_or(Last {
            q: crate::array::from_fn(|i| measured[i] - qd[i] * self.period),
            reference: crate::array::from_fn(|i| reference[0][i] - reference[1][i] * self.period),
            qd,
            qdd: *reference[2],
        });
        let (velocity, reference_velocity, kept): ([f64; N], [f64; N], [f64; N]) = match self.kind.velocity {
            VelocityFrom::Tachometer => (qd, *reference[1], measured),
            VelocityFrom::Difference => {
                let quotient = |now: &[f64; N], before: &[f64; N]| -> [f64; N] {
                    crate::array::from_fn(|i| (now[i] - before[i]) / self.period)
                };
                (quotient(&measured, &last.q), quotient(reference[0], &last.reference), measured)
            }
            VelocityFrom::Observer { bandwidth } => {
                let t = self.period;
                let pole = (-bandwidth * t).exp();
                let (alpha, beta) = (1.0 - pole * pole, (1.0 - pole) * (1.0 - pole));
                let mut angle = [0.0; N];
                let velocity = crate::array::from_fn(|i| {
                    // As if the acceleration changed evenly over the sample.
                    let (before, now) = (last.qdd[i], reference[2][i]);
                    let speed = last.qd[i] + 0.5 * (before + now) * t;
                    let predicted = last.q[i] + 0.5 * (last.qd[i] + speed) * t + (before - now) * t * t / 12.0;
                    let off = measured[i] - predicted;
                    angle[i] = predicted + alpha * off;
                    speed + beta * off / t
                });
                (velocity, *reference[1], angle)
            }
        };
        self.last = Some(Last { q: kept, reference: *reference[0], qd: velocity, qdd: *reference[2] });
        let rate = crate::array::from_fn(|i| reference_velocity[i] - velocity[i]);
        Reading { q: measured, qd: velocity, rate }
    }
}

/// Standard normal, by Box and Muller.
fn normal(random: &mut Random) -> f64 {
    // In (0, 1].
    let mut uniform = || ((random.bits() >> 11) as f64 + 1.0) / 9_007_199_254_740_992.0;
    let (radius, angle) = ((-2.0 * uniform().ln()).sqrt(), TAU * uniform());
    radius * angle.cos()
}
