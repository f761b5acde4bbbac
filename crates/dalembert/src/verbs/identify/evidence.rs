//! What the rules of the verdict look at, computed once.

use super::IdentifyOutcome;
use super::verdict::{Case, case};
use crate::identify::columns::{ColumnQuantity, FitMode, FrictionTerm};
use crate::identify::diagnostics::{inertias, sizes};
use crate::identify::fit::{Fitted, RegressionData};
use crate::identify::friction::nearest_tanh;
use crate::identify::identified::fastest;
use dalembert_identify::friction::orthonormal;
use nalgebra::{DMatrix, DVector};

/// Residual on the fitted data: above the first the torques are not explained well, above the second not at all.
pub(super) const UNEXPLAINED: [f64; 2] = [20.0, 35.0];
/// The same of one joint.
pub(super) const LOST: [f64; 2] = [45.0, 70.0];
/// Measured torques over those of the robot file's bodies, either way, of the joint that is least off where joints differ.
pub(super) const OTHER_SIZES: [f64; 2] = [8.0, 50.0];
/// The same of one joint.
pub(super) const ONE_SIZE: [f64; 2] = [5.0, 20.0];

/// How far from one a factor is, either way.
pub(super) fn off(factor: f64) -> f64 {
    factor.abs().max(1.0 / factor.abs().max(f64::MIN_POSITIVE))
}

/// A fit and what is known about it.
pub(super) struct Evidence<'a> {
    pub outcome: &'a IdentifyOutcome,
    pub data: &'a RegressionData<'a>,
    pub fitted: &'a Fitted,
    /// Measured torques over those of the robot file.
    pub scale: TorqueScale,
    /// Residual of physically consistent parameters over that of plain least squares, where it is much larger.
    pub inconsistent: Option<f64>,
    /// What the residuals go with.
    pub causes: Vec<ResidualCause>,
}

/// Measured torques over those of the robot file's bodies, where they are far from 1.
#[derive(Default)]
pub(super) struct TorqueScale {
    /// At all joints alike.
    pub alike: Option<f64>,
    /// At the joint that is least off, where the joints differ.
    pub least: Option<f64>,
    /// Of single joints.
    pub joints: Vec<(usize, f64)>,
    /// The least and the largest, which may be those of a payload.
    pub payload: Option<[f64; 2]>,
}

/// What the residual of a joint goes with, and the share of it.
pub(super) struct ResidualCause {
    pub joint: usize,
    pub with: ResidualSignal,
    pub share: f64,
}

/// A signal that a residual goes with.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ResidualSignal {
    Position,
    Speed,
    SpeedOf(usize),
}

impl<'a> Evidence<'a> {
    pub fn new(
        outcome: &'a IdentifyOutcome,
        data: &'a RegressionData<'a>,
        fitted: &'a Fitted,
        of_file: &Fitted,
    ) -> Self {
        /// Physically consistent parameters leave more than this many times what others leave.
        const INCONSISTENT: f64 = 1.6;
        /// In per cent: a payload that is fitted, and explains the torques, may be why they are larger than the file's.
        const CARRIES: f64 = 10.0;
        let fit = &outcome.scores.fit;
        let carries = outcome.mode != FitMode::Full && fit.percent() <= CARRIES;
        let scale = match carries {
            true => TorqueScale::default(),
            false => TorqueScale::new(&sizes(data, of_file), &inertias(data, fitted, of_file)),
        };
        let plain = fitted.plain.as_ref().filter(|_| fitted.weight.is_some() && outcome.mode == FitMode::Full);
        let ratio = plain.map(|plain| {
            let weighted = fit.errors.iter().zip(&fitted.deviations);
            let energy: f64 = weighted.map(|(error, sigma)| error / sigma.powi(2).max(f64::MIN_POSITIVE)).sum();
            (energy / plain.estimate.error.max(f64::MIN_POSITIVE)).sqrt()
        });
        let inconsistent = ratio.filter(|ratio| *ratio > INCONSISTENT);
        let rows = data.all();
        let causes = (0..data.joints()).filter_map(|joint| residual_cause(outcome, data, fitted, joint, &rows));
        Self { scale, inconsistent, causes: causes.collect(), outcome, data, fitted }
    }

    /// Residual on the fitted data, in per cent.
    pub fn fit(&self) -> f64 {
        self.outcome.scores.fit.percent()
    }

    /// Whether the torque of a joint counts among the others.
    pub fn is_large(&self, joint: usize) -> bool {
        let torques = &self.outcome.scores.fit.torques;
        torques[joint] > 0.01 * torques.iter().sum::<f64>()
    }
}

impl TorqueScale {
    fn new(sizes: &[Option<f64>], inertias: &[Option<f64>]) -> Self {
        /// Factors that differ by less than this agree.
        const ALIKE: f64 = 1.5;
        /// At all joints alike, which is more than a guess of the file is off.
        const OTHER_SIZE: f64 = 1.6;
        let joints = odd_joints(sizes, inertias);
        let mut known: Vec<f64> = sizes.iter().flatten().map(|size| size.abs()).collect();
        known.sort_by(f64::total_cmp);
        let Some(&middle) = known.get(known.len() / 2).filter(|middle| **middle > 0.0) else {
            return Self { joints, ..Self::default() };
        };
        let alike = known.iter().filter(|size| (**size / middle).max(middle / **size) < ALIKE).count();
        let same = known.len() > 1 && alike * 4 >= known.len() * 3;
        // A payload is large at the tool and small at the base; a unit is wrong everywhere.
        let nearest = known.iter().copied().min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(1.0);
        let least = if same { middle } else { nearest };
        let most = known.last().copied().unwrap_or(1.0);
        match same {
            true if off(least) > OTHER_SIZE => Self { alike: Some(least), ..Self::default() },
            false if off(least) > OTHER_SIZES[0] => Self { least: Some(least), ..Self::default() },
            _ if !joints.is_empty() => Self { joints, ..Self::default() },
            _ => Self { payload: Some([least, most]), ..Self::default() },
        }
    }
}

/// Joints whose torque is not as large as the robot file's, with the factor: by what goes with that of its bodies, and by the inertia
/// about the joint where the file has a rotor there.
fn odd_joints(sizes: &[Option<f64>], inertias: &[Option<f64>]) -> Vec<(usize, f64)> {
    /// A payload that the file does not have makes no more of the torque of the last joints.
    const NO_PAYLOAD: f64 = 200.0;
    let odd = |size: f64| off(size) > ONE_SIZE[0];
    let factor = |joint: usize| match (sizes[joint].map(f64::abs), inertias[joint]) {
        (Some(size), _) if !odd(size) => None,
        (Some(size), inertia) => {
            // A payload makes torques larger, more so at the joints behind, but hardly an inertia with a rotor.
            let as_the_file = |other: &Option<f64>| other.is_some_and(|size| off(size) < 0.5 * ONE_SIZE[0]);
            let alone = sizes[joint + 1..].iter().any(as_the_file);
            let heavy = inertia.is_some_and(|inertia| odd(inertia) && inertia > 1.0);
            (size < 1.0 || heavy || alone || size > NO_PAYLOAD).then_some(size)
        }
        (None, inertia) => inertia.filter(|inertia| odd(*inertia)),
    };
    (0..sizes.len()).filter_map(|joint| Some((joint, factor(joint)?))).collect()
}

/// What the residual of a joint goes with: the speed of another joint, its own position, or its own speed.
fn residual_cause(
    outcome: &IdentifyOutcome,
    data: &RegressionData<'_>,
    fitted: &Fitted,
    joint: usize,
    rows: &[usize],
) -> Option<ResidualCause> {
    const BINS: usize = 15;
    if data.layout.friction_of(FrictionTerm::Sign, joint).is_none() || outcome.scores.fit.joints()[joint] < 3.0 {
        return None;
    }
    let (predicted, measured) = data.predict(fitted, joint, rows).ok()?;
    let residual = measured - predicted;
    let energy = residual.norm_squared().max(f64::MIN_POSITIVE);
    let share = |columns: &[DVector<f64>]| {
        orthonormal(&DMatrix::from_columns(columns)).tr_mul(&residual).norm_squared() / energy
    };
    let of_other = |other: usize| {
        let speeds = data.speeds_of(other, rows);
        let signs = speeds.map(f64::signum);
        (other, share(&[speeds, signs]))
    };
    let others = (0..data.joints()).filter(|&other| other != joint).map(of_other);
    if let Some((other, share)) = others.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share > 0.3) {
        return Some(ResidualCause { joint, with: ResidualSignal::SpeedOf(other), share });
    }
    let parameterization = &data.layout.parameterization;
    if !parameterization.counterbalances.contains(&joint) && !parameterization.springs.contains(&joint) {
        let q = data.signal(|run| &run.q, joint, rows);
        let share = share(&[q.map(f64::sin), q.map(f64::cos)]);
        if share > 0.5 {
            return Some(ResidualCause { joint, with: ResidualSignal::Position, share });
        }
    }
    let speeds = data.speeds_of(joint, rows);
    let fastest = speeds.amax();
    let mut bins = vec![(0.0, 0.0); BINS];
    for (speed, residual) in speeds.iter().zip(&residual) {
        let place = ((speed / fastest + 1.0) * 0.5 * BINS as f64) as usize;
        let bin = &mut bins[place.min(BINS - 1)];
        (bin.0, bin.1) = (bin.0 + residual, bin.1 + 1.0);
    }
    let explained: f64 = bins.iter().filter(|bin| bin.1 > 0.0).map(|bin| bin.0 * bin.0 / bin.1).sum();
    // Fifteen means take about fifteen rows' worth of anything.
    let share = (explained / energy - BINS as f64 / rows.len() as f64).max(0.0);
    (share > 0.15).then_some(ResidualCause { joint, with: ResidualSignal::Speed, share })
}

/// Identifiable combinations that this log does not determine.
pub(super) fn undetermined(e: &Evidence<'_>) -> Vec<Case> {
    let determined = e.fitted.plain.as_ref().map_or(0, |plain| plain.columns.len());
    let all = e.data.structure.independent.len();
    let without = e.fitted.speeds.stribeck.iter().filter(|speed| speed.is_none()).count();
    let columns = e.data.layout.columns.iter();
    let stribeck = columns.filter(|column| matches!(column.quantity, ColumnQuantity::Stribeck(_))).count();
    let thin = e.outcome.mode == FitMode::Full && determined + stribeck.min(without) < all;
    let one = || case(1.0).count("determined", determined).count("all", all);
    thin.then(one).into_iter().collect()
}

/// Whether noise of the positions matters: least squares and instrumental variables differ (Durbin, Wu, Hausman). Where it does not, both
/// have the same noise, and differ by far less than σ.
pub(super) fn biased(e: &Evidence<'_>) -> Vec<Case> {
    let pairs: Vec<[[f64; 2]; 2]> = e
        .outcome
        .base
        .iter()
        .filter_map(|base| Some([base.least_squares.unwrap_or([f64::NAN; 2]), base.instrumental?]))
        .collect();
    let count = pairs.iter().filter(|[[value, _], [other, sigma]]| (value - other).abs() > *sigma).count();
    let one = || case(1.0).count("count", count).count("all", pairs.len());
    (count * 5 > pairs.len()).then(one).into_iter().collect()
}

/// Friction that rises with the speed, which robot files hold as a tanh.
pub(super) fn rising_friction(e: &Evidence<'_>) -> Vec<Case> {
    // Joint by joint, and how far off the file is at most.
    let rising = e.outcome.friction.iter().filter_map(|curve| {
        let [more, at] = curve.stribeck().filter(|[more, _]| *more < 0.0)?;
        let [_, off] = nearest_tanh(curve.coulomb, [more, at], fastest(e.data, curve.joint));
        Some((curve.joint, off))
    });
    let rising: Vec<(usize, f64)> = rising.collect();
    let worst = rising.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((worst, most)) = worst else { return Vec::new() };
    let numbers: Vec<String> = rising.iter().map(|(joint, _)| (joint + 1).to_string()).collect();
    let several = rising.len() > 1;
    let that = if several { format!(" (joint {})", worst + 1) } else { String::new() };
    let one = case(1.0).text("of", if several { "joints" } else { "joint" }).text("list", numbers.join(", "));
    let unit = e.data.robot.joints()[worst].kind.units().torque;
    vec![one.number("off", most, 2).text("unit", unit).text("that", that)]
}

/// A file has motors in place of those of its joints, not additional ones.
const COUPLING: &str = "all parameters are in the report and in the JSON; where the motor of a link itself turns with several joints, the file holds \
                        it as the `coupling` of that link";

/// What the robot file cannot hold, where that counts.
pub(super) fn not_in_the_file(e: &Evidence<'_>) -> Vec<Case> {
    /// The robot file leaves more than this many times what the fit leaves.
    const WRITTEN: f64 = 1.1;
    let written = e.outcome.scores.written.as_ref().map_or(f64::NAN, |score| score.percent());
    if !written.is_finite() || written < WRITTEN * e.fit() + 0.3 {
        return Vec::new();
    }
    let parameterization = &e.data.layout.parameterization;
    let motors = parameterization.motors.iter();
    let mut lost: Vec<String> =
        motors.map(|motor| format!("motor {}, which turns with several joints", motor.number)).collect();
    let holds_springs = e.data.robot.with_springs(&|_, spring| spring).is_ok();
    if !holds_springs {
        let at = |joints: &[usize]| joints.iter().map(|i| (i + 1).to_string()).collect::<Vec<_>>().join(", ");
        let parts = [("counterbalance", &parameterization.counterbalances), ("spring", &parameterization.springs)];
        let parts = parts.into_iter().filter(|(_, joints)| !joints.is_empty());
        lost.extend(parts.map(|(what, joints)| format!("the {what} of joint {}", at(joints))));
        lost.push("constant torques".to_owned());
    }
    let why = match lost.is_empty() {
        true => "its friction has another shape".to_owned(),
        false => format!("it cannot hold {}", lost.join(", ")),
    };
    let one = case(1.0).number("written", written, 3).number("fit", e.fit(), 3).text("why", why);
    vec![if parameterization.motors.is_empty() { one } else { one.advice(COUPLING) }]
}
