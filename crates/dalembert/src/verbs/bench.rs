//! Bench measurements: inertia from two wires, drives from a torsional spring, static friction from break-away torques.

use super::prelude::*;
use crate::identify::numerics::bench::{BreakAway, Swung, Toleranced, Torsion, TwoWires};
use crate::identify::numerics::bench::{break_away, stiffness_step, torsion};

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BenchRequest {
    /// The period of a body that swings on two wires.
    TwoWires(TwoWires),
    /// The period of a joint whose controller acts as a spring.
    Torsion {
        /// One stiffness, or the two of a step, N m/rad.
        stiffness: Vec<Toleranced>,
        /// One period for each stiffness, s.
        period: Vec<Toleranced>,
        /// Inertia of the arm about the joint in that pose, kg m².
        arm: Toleranced,
        /// One peak over the next on the same side; with one stiffness only.
        decay: Option<Toleranced>,
    },
    /// The torques at which a resting joint begins to move, N m.
    BreakAway {
        /// Forward.
        forward: Vec<f64>,
        /// Backward; usually negative.
        backward: Vec<f64>,
    },
}

/// What follows from it, with tolerances.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BenchOutcome {
    /// Inertia.
    TwoWires(Swung),
    /// Inertia and damping of a drive.
    Torsion(Torsion),
    /// Static friction.
    BreakAway(BreakAway),
}

/// A result with its name as a metric, in words, and its unit.
pub type BenchResult = (&'static str, &'static str, Toleranced, &'static str);

impl BenchOutcome {
    /// Every result.
    pub fn results(&self) -> Vec<BenchResult> {
        match self {
            Self::TwoWires(found) => vec![
                ("inertia", "inertia for small angles, m g r²/(ω² l)", found.inertia, "kg m²"),
                ("inertia.with_amplitude", "inertia with the angle of the swing", found.corrected, "kg m²"),
            ],
            Self::Torsion(found) => {
                let all = [
                    ("inertia.total", "total inertia", found.total, "kg m²"),
                    ("inertia.drive", "motor and drive", found.drive, "kg m²"),
                ];
                let damping = found.damping.map(|damping| ("damping", "damping", damping, "N m s/rad"));
                all.into_iter().chain(damping).collect()
            }
            Self::BreakAway(found) => vec![
                ("friction.static", "static friction", found.friction, "N m"),
                ("torque.holding", "holding torque (gravity, offset)", found.holding, "N m"),
            ],
        }
    }
}

impl Outcome for BenchOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let of = |(name, _, found, unit): BenchResult| {
            metrics(name, [("", found.value, unit), (".tolerance", found.tolerance, unit)])
        };
        self.results().into_iter().flat_map(of).collect()
    }
}

/// Computes what bench measurements say.
pub fn bench(request: &BenchRequest, _: &mut dyn Observer) -> Result<BenchOutcome, VerbError> {
    let outcome = match request {
        BenchRequest::TwoWires(wires) => BenchOutcome::TwoWires(wires.inertia()?),
        BenchRequest::Torsion { stiffness, period, arm, decay } => match (&stiffness[..], &period[..]) {
            ([stiffness], [period]) => BenchOutcome::Torsion(torsion(*stiffness, *period, *arm, *decay)?),
            (&[a, b], &[s, t]) => {
                let total = stiffness_step([a, b], [s, t])?;
                let drive = Toleranced::new(total.value - arm.value, total.tolerance.hypot(arm.tolerance));
                BenchOutcome::Torsion(Torsion { total, drive, damping: None })
            }
            (k, t) => {
                let message = format!("{} stiffnesses and {} periods are given", k.len(), t.len());
                return Err(VerbError::new("count", message)
                    .hint("give one of each, or two of each for a step of the stiffness"));
            }
        },
        BenchRequest::BreakAway { forward, backward } => BenchOutcome::BreakAway(break_away(forward, backward)?),
    };
    let mut results = outcome.results().into_iter();
    results.try_for_each(|(_, what, found, _)| require_finite("bench", what, [found.value, found.tolerance]))?;
    Ok(outcome)
}
