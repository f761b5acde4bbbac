//! `poles`: poles, zeros, and how controllable and observable each mode is.

use super::chart::{over_time, plane};
use super::{
    ComplexPair, DryFriction, LinearModel, LinearModelRequest, PointModel, complex_pairs, is_moving, linear_model,
    motion_poles, of_model,
};
use crate::linear::{Complex, SystemMode};
use crate::verbs::prelude::*;

/// Poles about a state, or along a motion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant)]
pub enum PolesOutcome {
    /// About a state.
    Point(PointPoles),
    /// At each state of a motion.
    Motion(MotionPoles),
}

/// Poles and zeros about a state.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PointPoles {
    /// Name of the robot.
    pub robot: String,
    /// States of the model.
    pub states: usize,
    /// Whether the state is a point of a motion: then the poles do not decide stability.
    pub frozen_in_motion: bool,
    /// The modes.
    pub modes: Vec<PoleMode>,
    /// Transmission zeros.
    pub zeros: Vec<ComplexPair>,
    /// Joints that dry friction holds.
    pub dry_friction: Option<DryFriction>,
    /// Poles of the model without dry friction, where there is some.
    pub poles_without_dry_friction: Option<Vec<ComplexPair>>,
    /// Sizes of Kalman's decomposition.
    pub kalman: KalmanSizes,
    #[serde(skip)]
    findings: Vec<Finding>,
}

/// A mode of a linear model.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct PoleMode {
    /// Real and imaginary part, 1/s.
    pub pole: ComplexPair,
    /// Whether it is controllable.
    pub reached: bool,
    /// Whether it is observable.
    pub seen: bool,
    /// Least singular value of [A − s, B], scaled to size one.
    pub controllability: f64,
    /// Least singular value of [A − s; C], scaled to size one.
    pub observability: f64,
}

/// Sizes of Kalman's decomposition.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[allow(missing_docs)] // the names say it
pub struct KalmanSizes {
    pub controllable_observable: usize,
    pub controllable_only: usize,
    pub observable_only: usize,
    pub neither: usize,
}

/// The poles at each state of a motion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MotionPoles {
    /// Name of the robot.
    pub robot: String,
    /// States of each model.
    pub states: usize,
    /// Times, s.
    pub t: Vec<f64>,
    /// Poles at each time.
    pub poles: Vec<Vec<ComplexPair>>,
}

/// Poles, zeros and modes of the linear model about a state, or the poles along a motion.
pub fn poles(request: &LinearModelRequest, observer: &mut dyn Observer) -> Result<PolesOutcome, VerbError> {
    let robot = &request.robot;
    let model = linear_model(request, observer)?;
    let point = match model {
        LinearModel::Point(point) => *point,
        LinearModel::Motion(motion) => {
            let poles = motion_poles(robot, &motion)?;
            let states = motion.points()[0].system.order();
            let outcome = MotionPoles { robot: robot.name.clone(), states, t: motion.times().to_vec(), poles };
            return Ok(PolesOutcome::Motion(outcome));
        }
    };
    let PointModel { model, dry_friction, smooth, .. } = point;
    let system = &model.system;
    let bad = &of_model(robot);
    let smooth = smooth.map(|model| model.system.poles()).transpose().map_err(bad)?;
    let kalman = system.kalman().map_err(bad)?;
    let [controllable_observable, controllable_only, observable_only, neither] = kalman.dimensions;
    let mode = |&SystemMode { pole, reached, seen, controllability, observability }: &SystemMode| PoleMode {
        pole: [pole.re, pole.im],
        reached,
        seen,
        controllability,
        observability,
    };
    let outcome = PointPoles {
        robot: robot.name.clone(),
        states: system.order(),
        frozen_in_motion: is_moving(&model),
        modes: system.modes().map_err(bad)?.iter().map(mode).collect(),
        zeros: complex_pairs(&system.zeros().map_err(bad)?),
        findings: dry_friction.iter().map(|friction| friction.finding(true)).collect(),
        dry_friction,
        poles_without_dry_friction: smooth.as_deref().map(complex_pairs),
        kalman: KalmanSizes { controllable_observable, controllable_only, observable_only, neither },
    };
    Ok(PolesOutcome::Point(outcome))
}

impl Outcome for PolesOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let growth = |poles: &mut dyn Iterator<Item = f64>| poles.fold(f64::NEG_INFINITY, f64::max);
        let largest = match self {
            Self::Point(point) => growth(&mut point.modes.iter().map(|mode| mode.pole[0])),
            Self::Motion(motion) => growth(&mut motion.poles.iter().flatten().map(|pole| pole[0])),
        };
        metrics("", [("largest_real_part", largest, "1/s")]).collect()
    }

    fn findings(&self) -> &[Finding] {
        match self {
            Self::Point(point) => &point.findings,
            Self::Motion(_) => &[],
        }
    }
}

impl PolesOutcome {
    /// Poles and zeros in the complex plane, or the poles over the time of a motion.
    pub fn chart(&self) -> Chart {
        let complex = |&[re, im]: &ComplexPair| Complex::new(re, im);
        match self {
            Self::Point(PointPoles { robot, modes, zeros, .. }) => {
                let poles: Vec<_> = modes.iter().map(|mode| complex(&mode.pole)).collect();
                plane(robot, &poles, &zeros.iter().map(complex).collect::<Vec<_>>())
            }
            Self::Motion(motion) => over_time(&motion.robot, &motion.t, &motion.poles),
        }
    }
}

/// Modes with poles in one place, those of the other half plane included.
#[derive(Clone, Debug)]
pub struct ModeGroup {
    /// Mean real part, 1/s.
    pub re: f64,
    /// Mean magnitude of the imaginary parts, rad/s; zero where it is only rounding.
    pub im: f64,
    /// |pole|, rad/s.
    pub size: f64,
    /// What a deviation does; empty about a point of a motion.
    pub behaviour: &'static str,
    /// The modes.
    pub modes: Vec<PoleMode>,
}

impl PointPoles {
    /// The modes, poles in one place together.
    pub fn groups(&self) -> Vec<ModeGroup> {
        let largest = self.modes.iter().map(|mode| mode.pole[0].hypot(mode.pole[1])).fold(0.0, f64::max);
        let mut groups: Vec<Vec<PoleMode>> = Vec::new();
        for mode in &self.modes {
            let same = |group: &Vec<PoleMode>| {
                let ([re, im], [a, b]) = (group[0].pole, mode.pole);
                (re - a).hypot(im.abs() - b.abs()) <= 1e-6 * largest
            };
            match groups.iter_mut().find(|group| same(group)) {
                Some(group) => group.push(*mode),
                None => groups.push(vec![*mode]),
            }
        }
        let group = |modes: Vec<PoleMode>| {
            let mean = |part: fn(&PoleMode) -> f64| modes.iter().map(part).sum::<f64>() / modes.len() as f64;
            let (re, im) = (mean(|mode| mode.pole[0]), mean(|mode| mode.pole[1].abs()));
            let size = re.hypot(im);
            // A double pole at zero is known to half the digits only.
            let oscillates = im > 1e-7 * largest;
            let behaviour = match re {
                _ if self.frozen_in_motion => "",
                re if re.abs() <= 1e-7 * largest && oscillates => "oscillates",
                re if re.abs() <= 1e-7 * largest => "stays",
                re if re > 0.0 => "grows",
                _ if oscillates => "oscillates, decays",
                _ => "decays",
            };
            ModeGroup { re, im: if oscillates { im } else { 0.0 }, size, behaviour, modes }
        };
        groups.into_iter().map(group).collect()
    }
}
