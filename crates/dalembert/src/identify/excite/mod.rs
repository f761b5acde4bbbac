//! Optimal excitation trajectories.
//!
//! Every joint moves by the functions of a [`MotionBasis`], which start and end at rest. The best motion is the one whose information YᵀΣ⁻¹Y of
//! the base parameters is best by a [`ExciteCriterion`]: random motions first, each as large as the limits allow, then from the best of them
//! uphill by the gradient, while limits that are exceeded cost more and more.

mod clearance;
mod criterion;
mod search;
mod shape;

pub use clearance::Nearest;
pub use criterion::ExciteCriterion;
pub use shape::{ExcitingMotion, MotionBasis};

use self::clearance::Clearance;
use self::search::{Allowed, ExcitationProblem, ExcitationSearch, PRICES};
use super::columns::{ColumnLayout, Parameterization};
use crate::robot::{Joint, JointState, JointVector, Pick, Robot, State, StateError};
use crate::threads;
use dalembert_identify::base::BaseParameters;
use serde::Serialize;

/// Duration, limits and search.
#[derive(Clone, Debug, PartialEq)]
pub struct ExciteOptions {
    /// The functions that joints move by.
    pub shape: MotionBasis,
    /// What is optimised.
    pub criterion: ExciteCriterion,
    /// Harmonics of each joint, at least 3; splines have as many coefficients.
    pub harmonics: usize,
    /// How long it goes on, s: a whole number of periods.
    pub duration: f64,
    /// After which the motion is repeated, s; none: it is not, and of four paces it has the one that is best for random motions.
    pub period: Option<f64>,
    /// Fraction of the limits used for planning.
    pub share: f64,
    /// How near parts of the robot may come to each other, m; none: as near as the limits of the joints allow.
    pub clearance: Option<f64>,
    /// For joints whose file has no limit, rad/s (m/s).
    pub speed: f64,
    /// For joints whose file has no range, to either side of the home position, rad (m).
    pub reach: f64,
    /// Noise of the torques, as a share of each joint's largest torque along the motion.
    pub noise: f64,
    /// Samples per second that are fitted.
    pub rate: f64,
    /// Random motions that are tried first and compared with.
    pub random: usize,
    /// Gradient steps from the best of them.
    pub steps: usize,
    /// Seed of the search.
    pub seed: u64,
}

impl Default for ExciteOptions {
    fn default() -> Self {
        Self {
            shape: MotionBasis::default(),
            criterion: ExciteCriterion::default(),
            harmonics: 5,
            duration: 10.0,
            period: None,
            share: 0.95,
            clearance: None,
            speed: 2.0,
            reach: 1.0,
            noise: 0.01,
            rate: 100.0,
            random: 1000,
            steps: 160,
            seed: 1,
        }
    }
}

/// A base parameter with its expected σ.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Expected {
    /// Its first parameter.
    pub name: String,
    /// SI.
    pub unit: &'static str,
    /// By the robot file.
    pub value: f64,
    /// Expected standard deviation after the whole time.
    pub sigma: f64,
}

/// Another motion of the same length under the same noise.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ComparedMotion {
    /// What it is.
    pub name: String,
    /// det(YᵀΣ⁻¹Y)^(1/p) of the motion that was found over that of this one; infinite where this one leaves something open.
    pub gain: f64,
    /// Condition number of its base regressor, the columns of length 1.
    pub condition: f64,
    /// Base parameters that it identifies.
    pub told: usize,
    /// σ of each base parameter; none where it is not identifiable.
    pub sigma: Vec<Option<f64>>,
}

/// An excitation trajectory, and how well it identifies parameters.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Excitation {
    /// Its functions.
    pub shape: MotionBasis,
    /// What was optimised.
    pub criterion: ExciteCriterion,
    /// s.
    pub period: f64,
    /// How often it is repeated.
    pub repeated: usize,
    /// Its pace: of a Fourier series the first harmonic, the others being 2 and more times that plus 1; how many times as many splines.
    pub pace: usize,
    /// Random motions that were tried first.
    pub random_motions: usize,
    /// Condition number of the base regressor, its columns of length 1.
    pub condition: f64,
    /// det(YᵀΣ⁻¹Y)^(1/p) over that of the best random motion.
    pub gain: f64,
    /// The best of the random motions.
    pub best_random: ComparedMotion,
    /// The robot's pick-and-place cycle, over and over, where it has one.
    pub usual: Option<ComparedMotion>,
    /// Every base parameter, with its expected standard deviation.
    pub expected: Vec<Expected>,
    /// Where each joint starts and ends, rad (m).
    pub start: Vec<f64>,
    /// Coefficients of each joint, rad (m).
    pub coefficients: Vec<Vec<f64>>,
    /// Smallest distance between parts of the robot, where a clearance was asked for.
    pub nearest: Option<Nearest>,
    /// The motion.
    #[serde(skip)]
    pub motion: ExcitingMotion,
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // of the fields: the texts name them
pub enum NoExcitation {
    /// The robot.
    #[error(transparent)]
    StateError(#[from] StateError),
    /// The clearance leaves nothing to look at.
    #[error(
        "all {pairs} pairs of the robot's parts are nearer to each other than the clearance of {clearance} m where it is at home; \
         give a smaller one"
    )]
    AllNear { clearance: f64, pairs: usize },
    /// The caller stopped it.
    #[error("the search was stopped")]
    Stopped,
    /// No motion within the limits determines all parameters.
    #[error("none of {tries} motions stays within the limits and determines all parameters")]
    None { tries: usize },
}

/// Motions from which it goes uphill.
const STARTS: usize = 2;
/// Paces that are tried: how many times as fast as the harmonics in one period.
const PACES: [usize; 4] = [1, 2, 4, 8];
/// Blocks of random motions, after each of which progress is reported.
const BLOCKS: usize = 20;

/// What each joint may do, and a place within all limits.
fn allowed(robot: &Robot, options: &ExciteOptions) -> Result<(Vec<Allowed>, Vec<f64>), NoExcitation> {
    let home = robot.home()?.joints.q;
    let finite = |limit: f64, otherwise: f64| if limit.is_finite() { limit } else { otherwise };
    let allowed = |(i, joint): (usize, &Joint)| {
        let (q, limits) = (home[i], &joint.limits);
        let mut range = limits.range;
        if !range.iter().all(|end| end.is_finite()) {
            range = [range[0].max(q - options.reach), range[1].min(q + options.reach)];
        }
        let [low, high] = range;
        Allowed {
            middle: 0.5 * (low + high),
            // A joint that cannot move has a range all the same.
            half: (0.5 * options.share * (high - low)).max(f64::MIN_POSITIVE.sqrt()),
            speed: options.share * finite(limits.max_speed, options.speed),
            torque: options.share * limits.max_torque,
            ball: options.share * limits.max_ball_angle,
        }
    };
    let joints: Vec<Allowed> = robot.joints().iter().enumerate().map(allowed).collect();
    let inside = |(i, joint): (usize, &Allowed)| {
        if (home[i] - joint.middle).abs() < joint.half { home[i] } else { joint.middle }
    };
    let home = joints.iter().enumerate().map(inside).collect();
    Ok((joints, home))
}

/// Searches an optimal excitation trajectory. `progress` gets the share that is done, and says whether to go on.
pub fn excite(
    robot: &Robot,
    parameterization: &Parameterization,
    options: &ExciteOptions,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<Excitation, NoExcitation> {
    let layout = ColumnLayout::new(robot, parameterization)?;
    let base = BaseParameters::of(&layout.random_rows(robot));
    let options =
        &ExciteOptions { harmonics: options.harmonics.max(3), random: options.random.max(4), ..options.clone() };
    let (joints, home) = allowed(robot, options)?;
    let clearance = options.clearance.map(|least| {
        let at_home = robot.at_joints(&JointState::at_rest(JointVector::new(&home)), &Pick::default())?;
        Clearance::new(robot, &at_home, least)
    });
    let none = || NoExcitation::None { tries: options.random };
    let seed = |k: usize| options.seed.wrapping_mul(1_000_003).wrapping_add(k as u64 + 1);
    let problem = ExcitationProblem {
        robot,
        exact: robot.build_model("exact").map_err(|_| none())?,
        layout: &layout,
        columns: base.independent.clone(),
        options,
        home,
        room: robot.workspace(),
        clearance: clearance.transpose()?,
        smoothing: joints.iter().map(|joint| 0.01 * joint.speed).collect(),
        joints,
    };
    let mut go_on = |share: f64| if progress(share) { Ok(()) } else { Err(NoExcitation::Stopped) };
    let (mut pace, mut best, mut weights) = (1, f64::INFINITY, None);
    for (k, tried) in PACES.into_iter().enumerate().filter(|_| options.period.is_none()) {
        go_on(0.1 * k as f64 / PACES.len() as f64)?;
        let value = problem.best_of_pace(tried, &seed, &mut weights).unwrap_or(f64::INFINITY);
        if value < best {
            (pace, best) = (tried, value);
        }
    }
    let repeated = options.period.map_or(1, |period| (options.duration / period).round().max(1.0) as usize);
    let period = options.period.unwrap_or(options.duration);
    let options = &ExciteOptions { duration: repeated as f64 * period, ..options.clone() };
    let problem = ExcitationProblem { options, ..problem };
    let search = ExcitationSearch::new(&problem, period, pace);
    let mut random: Vec<ExcitingMotion> = Vec::new();
    let block = options.random.div_ceil(BLOCKS);
    for first in (0..options.random).step_by(block) {
        go_on(0.1 + 0.2 * first as f64 / options.random as f64)?;
        let count = block.min(options.random - first);
        random.extend(threads::each(count, |k| search.random(seed(first + k))).into_iter().flatten());
    }
    go_on(0.3)?;
    let weights = search.weights(random.first().ok_or_else(none)?).ok_or_else(none)?;
    let order = search.ranked(&random, &weights);
    go_on(0.4)?;
    let starts: Vec<&ExcitingMotion> = order.iter().take(STARTS).map(|(_, k)| &random[*k]).collect();
    let mut climbed: Vec<_> = starts.iter().map(|start| Some(search.numbers(start))).collect();
    let climbs = PRICES.len() * starts.len();
    for (k, price) in PRICES.into_iter().enumerate() {
        for (start, numbers) in climbed.iter_mut().enumerate() {
            let done = k * starts.len() + start;
            let mut step = |share: f64| go_on(0.4 + 0.5 * (done as f64 + share) / climbs as f64);
            let from = numbers.take();
            *numbers = from.map_or(Ok(None), |from| search.climbed(&from, &weights, price, &mut step))?;
        }
    }
    go_on(0.9)?;
    let grown = threads::each(starts.len(), |k| {
        let climbed = climbed[k].as_ref().and_then(|numbers| search.finished(&search.motion(numbers), &weights));
        // Few steps and the way back within all limits may end lower than they began.
        search.best([climbed, search.finished(starts[k], &weights)], &weights)
    });
    let (_, motion) = grown.into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0)).ok_or_else(none)?;
    // It and the others are compared under the noise that its own torques have.
    let weights = search.weights(&motion).ok_or_else(none)?;
    let (own, information) = problem.compared("", &search.states(&motion).ok_or_else(none)?, &weights, None);
    let (_, best) = *search.ranked(&random, &weights).first().ok_or_else(none)?;
    let states = search.states(&random[best]).ok_or_else(none)?;
    let values = base.values(&layout.prior());
    let expected = base.independent.iter().enumerate().map(|(k, &column)| Expected {
        name: layout.columns[column].name.clone(),
        unit: layout.columns[column].unit,
        value: values[k],
        sigma: own.sigma[k].unwrap_or(f64::NAN),
    });
    let compared = |name: &str, states: &[State]| problem.compared(name, states, &weights, Some(&information)).0;
    let best_random = compared("best random motion", &states);
    let usual = problem.usual().map(|(name, states)| compared(&name, &states));
    let nearest = problem.clearance.as_ref().map(|clearance| clearance.nearest(robot, search.finely(&motion)));
    go_on(1.0)?;
    Ok(Excitation {
        shape: motion.shape,
        criterion: options.criterion,
        period,
        repeated,
        pace: motion.pace,
        random_motions: random.len(),
        condition: own.condition,
        gain: best_random.gain,
        best_random,
        usual,
        expected: expected.collect(),
        start: motion.start.clone(),
        coefficients: motion.coefficients.clone(),
        nearest,
        motion,
    })
}
