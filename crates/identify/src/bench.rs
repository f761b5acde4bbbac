//! Armstrong's bench: inertia from two wires, drives from a torsional spring, friction from break-away torques, each with
//! the tolerance that follows from those of the readings by root of squares.
//!
//! Armstrong, Khatib, Burdick, The explicit dynamic model and inertial parameters of the PUMA 560 arm, ICRA 1986, p. 514,
//! (11) and "Measurement of the Motor and Drive Inertia". (11) holds for small angles of wires without mass and stiffness.

use crate::{IdentifyError, enough, finite, positive, require};
use serde::{Deserialize, Serialize};

/// A reading with its tolerance, in the same unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Toleranced {
    /// What was read.
    pub value: f64,
    /// ±.
    pub tolerance: f64,
}

impl Toleranced {
    /// A reading.
    pub fn new(value: f64, tolerance: f64) -> Self {
        Self { value, tolerance }
    }

    /// The tolerance as a share of the value.
    pub fn share(&self) -> f64 {
        self.tolerance / self.value.abs()
    }

    fn positive(&self, what: &'static str) -> Result<(), IdentifyError> {
        positive(what, self.value)?;
        let fine = self.tolerance >= 0.0 && self.tolerance.is_finite();
        require(fine, "a tolerance", self.tolerance, "zero or positive, and finite")
    }
}

/// A result of readings by root of squares of what each changes; derivatives by central differences of a thousandth of the
/// tolerance.
fn combined<const N: usize>(readings: [Toleranced; N], f: impl Fn([f64; N]) -> f64) -> Toleranced {
    let values = readings.map(|reading| reading.value);
    let change = |k: usize| {
        let step = 1e-3 * readings[k].tolerance;
        if step == 0.0 {
            return 0.0;
        }
        let moved = |by: f64| {
            let mut values = values;
            values[k] += by;
            f(values)
        };
        (moved(step) - moved(-step)) / (2.0 * step) * readings[k].tolerance
    };
    Toleranced { value: f(values), tolerance: (0..N).map(|k| change(k).powi(2)).sum::<f64>().sqrt() }
}

/// A body that swings about the axis halfway between two parallel wires.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TwoWires {
    /// kg.
    pub mass: Toleranced,
    /// From each wire to the axis, m.
    pub radius: Toleranced,
    /// Of the wires, m.
    pub length: Toleranced,
    /// Of one oscillation, s.
    pub period: Toleranced,
    /// Largest angle of the swing, rad; 0: small.
    pub amplitude: f64,
    /// m/s².
    pub gravity: f64,
}

/// The result of two wires.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Swung {
    /// About the axis, kg m², by (11).
    pub inertia: Toleranced,
    /// The same for the angle of the swing: wires that lean lift the body.
    #[serde(rename = "with_amplitude")]
    pub corrected: Toleranced,
}

impl TwoWires {
    /// The inertia.
    pub fn inertia(&self) -> Result<Swung, IdentifyError> {
        self.mass.positive("the mass")?;
        self.radius.positive("the distance of the wires")?;
        self.length.positive("the length of the wires")?;
        self.period.positive("the period")?;
        positive("gravity", self.gravity)?;
        let readings = [self.mass, self.radius, self.length, self.period];
        let g = self.gravity;
        let small = |[m, r, l, t]: [f64; 4]| m * g * r * r / ((std::f64::consts::TAU / t).powi(2) * l); // (11)
        let [r, l] = [self.radius.value, self.length.value];
        let lean = 2.0 * r * (0.5 * self.amplitude).sin();
        let reach = self.amplitude >= 0.0 && lean < l && self.amplitude <= std::f64::consts::PI;
        require(reach, "the amplitude", self.amplitude, "such that the wires reach")?;
        let swung = |values: [f64; 4]| self.with_amplitude(values, small(values));
        Ok(Swung { inertia: combined(readings, small), corrected: combined(readings, swung) })
    }

    /// The inertia whose period at this amplitude is the measured one. Energy: ½(I + m h′²)θ̇² + m g h with the height
    /// h = l − √(l² − 4 r² sin²(θ/2)); a quarter of the period is ∫ dθ/θ̇ with θ = a sin φ, by Gauss's midpoint rule, which is
    /// exact to rounding for a periodic integrand.
    fn with_amplitude(&self, [m, r, l, t]: [f64; 4], small: f64) -> f64 {
        let (a, g) = (self.amplitude, self.gravity);
        if a == 0.0 {
            return small;
        }
        let root = |theta: f64| (l * l - 4.0 * r * r * (0.5 * theta).sin().powi(2)).sqrt();
        let period = |inertia: f64| -> f64 {
            const POINTS: usize = 64;
            let sum: f64 = (0..POINTS)
                .map(|k| {
                    let phi = std::f64::consts::FRAC_PI_2 * (k as f64 + 0.5) / POINTS as f64;
                    let theta = a * phi.sin();
                    let slope = r * r * theta.sin() / root(theta); // dh/dθ
                    // h(a) − h(θ) without cancelling: a difference of roots by the difference of their squares.
                    let squares = 4.0 * r * r * (0.5 * (a - theta)).sin() * (0.5 * (a + theta)).sin();
                    let fall = squares / (root(a) + root(theta));
                    let speed = (2.0 * m * g * fall / (inertia + m * slope * slope)).sqrt();
                    a * phi.cos() / speed
                })
                .sum();
            4.0 * sum * std::f64::consts::FRAC_PI_2 / POINTS as f64
        };
        // The period grows with the inertia.
        let (mut low, mut high) = (0.0, 4.0 * small);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if period(middle) < t { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }
}

/// The result of a joint on a torsional spring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Torsion {
    /// Everything that turns, kg m².
    pub total: Toleranced,
    /// Without the arm: rotor and drive, kg m².
    pub drive: Toleranced,
    /// Viscous damping, N m s/rad; none without a decay.
    pub damping: Option<Toleranced>,
}

/// A joint whose controller acts as a spring of this stiffness (N m/rad) swings with this period (s). `arm` is the inertia
/// that the arm has about the joint in that pose, kg m²; `decay` the ratio of one peak to the next of the same side.
pub fn torsion(
    stiffness: Toleranced,
    period: Toleranced,
    arm: Toleranced,
    decay: Option<Toleranced>,
) -> Result<Torsion, IdentifyError> {
    stiffness.positive("the stiffness")?;
    period.positive("the period")?;
    let ratio = decay.unwrap_or(Toleranced::new(1.0, 0.0));
    let fine = ratio.value >= 1.0 && ratio.value.is_finite();
    require(fine, "the decay", ratio.value, "the larger peak over the next, at least 1")?;
    let tau = std::f64::consts::TAU;
    // With ζ from the decay δ = ln(ratio): ω_d² = (k/I)(1 − ζ²), ζ² = δ²/(4π² + δ²).
    let share = |ratio: f64| tau * tau / (tau * tau + ratio.ln().powi(2));
    let inertia = |k: f64, t: f64, ratio: f64| k * (t / tau).powi(2) * share(ratio);
    let total = combined([stiffness, period, ratio], |[k, t, ratio]| inertia(k, t, ratio));
    let drive = combined([stiffness, period, ratio, arm], |[k, t, ratio, arm]| inertia(k, t, ratio) - arm);
    // b = 2 I δ/T.
    let damping = |[k, t, ratio]: [f64; 3]| 2.0 * inertia(k, t, ratio) * ratio.ln() / t;
    let damping = decay.map(|_| combined([stiffness, period, ratio], damping));
    Ok(Torsion { total, drive, damping })
}

/// The same joint with two stiffnesses: what turns, without knowing the rest of the stiffness (gravity, cables):
/// I = (k₂ − k₁)/(ω₂² − ω₁²).
pub fn stiffness_step(stiffness: [Toleranced; 2], period: [Toleranced; 2]) -> Result<Toleranced, IdentifyError> {
    stiffness.iter().try_for_each(|reading| reading.positive("a stiffness"))?;
    period.iter().try_for_each(|reading| reading.positive("a period"))?;
    let square = |t: f64| (std::f64::consts::TAU / t).powi(2);
    let found =
        combined([stiffness[0], stiffness[1], period[0], period[1]], |[a, b, s, t]| (b - a) / (square(t) - square(s)));
    positive("the inertia from the two", found.value)?;
    Ok(found)
}

/// The result of break-away torques.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BreakAway {
    /// Half the difference of the two directions: static friction, N m. The tolerance is the standard error of the means.
    pub friction: Toleranced,
    /// Half their sum: what holds the joint, gravity or an offset, N m.
    pub holding: Toleranced,
    /// Standard deviation of a single reading, N m.
    pub scatter: f64,
}

/// Torques at which a resting joint begins to move, in either direction; those backward are negative unless gravity helps.
pub fn break_away(forward: &[f64], backward: &[f64]) -> Result<BreakAway, IdentifyError> {
    for side in [forward, backward] {
        enough("torques of a direction", side.len(), 2)?;
        finite("a torque", side)?;
    }
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let variance = |of: &[f64]| of.iter().map(|x| (x - mean(of)).powi(2)).sum::<f64>() / (of.len() - 1) as f64;
    let error = |of: &[f64]| variance(of) / of.len() as f64;
    let tolerance = 0.5 * (error(forward) + error(backward)).sqrt();
    let friction = Toleranced { value: 0.5 * (mean(forward) - mean(backward)), tolerance };
    let holding = Toleranced { value: 0.5 * (mean(forward) + mean(backward)), tolerance };
    Ok(BreakAway { friction, holding, scatter: (0.5 * (variance(forward) + variance(backward))).sqrt() })
}
