//! Motions that tell most of a robot's parameters.
//!
//! Every joint moves as a Fourier series of a common period (Swevers et al. 1997, IEEE Trans. Robotics and Automation 13(5)),
//! q̇ = Σ a_h cos hωt + b_h sin hωt with Σ a_h = 0 and Σ h b_h = 0, so that it starts and ends at rest and without acceleration.
//! The series is scaled to the joint's range and speed, all together to the torques, and the coefficients are searched for
//! that make det(YᵀΣ⁻¹Y) of the base parameters large (D-optimal): a random start, then an evolution strategy with one parent
//! (Rechenberg's rule of one success in five).

use super::columns::{Contents, Layout, Random};
use crate::robot::{JointState, JointVector, Pick, Refused, Robot, State, Workspace};
use crate::spatial::Wrench;
use crate::threads;
use dalembert_identify::base::Base;
use nalgebra::{Cholesky, DMatrix};

/// What is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct ExciteOptions {
    /// Harmonics of each joint, at least 3.
    pub harmonics: usize,
    /// s.
    pub period: f64,
    /// Share of every limit that is used.
    pub share: f64,
    /// For joints whose file has no limit, rad/s (m/s).
    pub speed: f64,
    /// For joints whose file has no range, to either side of the home position, rad (m).
    pub reach: f64,
    /// Noise of the torques, as a share of each joint's largest torque along the motion.
    pub noise: f64,
    /// Samples per second that are fitted.
    pub rate: f64,
    /// Motions that are tried.
    pub tries: usize,
    /// The same numbers again.
    pub seed: u64,
}

impl Default for ExciteOptions {
    fn default() -> Self {
        Self {
            harmonics: 5,
            period: 10.0,
            share: 0.95,
            speed: 2.0,
            reach: 1.0,
            noise: 0.01,
            rate: 100.0,
            tries: 3000,
            seed: 1,
        }
    }
}

/// A periodic motion.
#[derive(Clone, Debug, PartialEq)]
pub struct FourierMotion {
    /// Where each joint starts and ends.
    pub start: Vec<f64>,
    /// a_h and b_h of each joint, rad/s (m/s).
    pub coefficients: Vec<Vec<[f64; 2]>>,
    /// s.
    pub period: f64,
}

impl FourierMotion {
    /// The joints at a time.
    pub fn at(&self, t: f64) -> JointState {
        let n = self.start.len();
        let w = std::f64::consts::TAU / self.period;
        let mut state = JointState::at_rest(JointVector::new(&self.start));
        for i in 0..n {
            for (k, [a, b]) in self.coefficients[i].iter().enumerate() {
                let wh = w * (k + 1) as f64;
                let (sin, cos) = (wh * t).sin_cos();
                state.q[i] += (a * sin + b * (1.0 - cos)) / wh;
                state.qd[i] += a * cos + b * sin;
                state.qdd[i] += wh * (b * cos - a * sin);
            }
        }
        state
    }
}

/// A base parameter with the σ that is to be expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Its first parameter.
    pub name: String,
    /// SI.
    pub unit: &'static str,
    /// By the robot file.
    pub value: f64,
    /// Expected standard deviation after one period.
    pub sigma: f64,
}

/// A motion, and what it tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Excitation {
    /// The motion.
    pub motion: FourierMotion,
    /// det(YᵀΣ⁻¹Y)^(1/p) over that of the best random motion among `random`: how much more it tells of a parameter's square.
    pub gain: f64,
    /// Random motions it is compared with.
    pub random: usize,
    /// Condition number of the base regressor, its columns of length 1.
    pub condition: f64,
    /// Every base parameter.
    pub expected: Vec<Expected>,
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
pub enum NoExcitation {
    /// The robot.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// No motion within the limits tells all parameters.
    #[error("none of {tries} motions stays within the limits and tells all parameters apart")]
    None {
        /// How many were tried.
        tries: usize,
    },
}

/// What does not change from try to try.
struct Task<'a> {
    robot: &'a Robot,
    layout: &'a Layout,
    columns: Vec<usize>,
    options: &'a ExciteOptions,
    /// Range and largest speed and torque of each joint.
    limits: Vec<([f64; 2], f64, f64)>,
    /// Where a tool that does not turn has its workspace.
    room: Option<Workspace>,
}

/// Points at which limits are looked at, and rows are taken.
const LOOKED: usize = 400;
const ROWS: usize = 100;

impl Task<'_> {
    /// The motion of a genome: 2 (H − 1) + 2 numbers for each joint.
    fn motion(&self, genome: &[f64]) -> FourierMotion {
        let (n, h, period) = (self.limits.len(), self.options.harmonics, self.options.period);
        let width = 2 * (h - 1) + 2;
        let mut motion = FourierMotion { start: vec![0.0; n], coefficients: vec![vec![[0.0; 2]; h]; n], period };
        for i in 0..n {
            let own = &genome[i * width..(i + 1) * width];
            for k in 1..h {
                let [a, b] = [own[2 * (k - 1)], own[2 * (k - 1) + 1]];
                motion.coefficients[i][k] = [a, b];
                motion.coefficients[i][0][0] -= a;
                motion.coefficients[i][0][1] -= b * (k + 1) as f64;
            }
            // As far and as fast as the joint may, times a share; in the range where the genome says.
            let single = FourierMotion { start: vec![0.0], coefficients: vec![motion.coefficients[i].clone()], period };
            let (mut low, mut high, mut fast) = (0.0_f64, 0.0_f64, 1e-12_f64);
            for k in 0..LOOKED {
                let state = single.at(period * k as f64 / LOOKED as f64);
                (low, high, fast) = (low.min(state.q[0]), high.max(state.q[0]), fast.max(state.qd[0].abs()));
            }
            let ([least, most], speed, _) = self.limits[i];
            let use_share = self.options.share * (0.25 + 0.75 * own[width - 2].abs().min(1.0));
            let scale = use_share * ((most - least) / (high - low).max(1e-12)).min(speed / fast);
            motion.coefficients[i].iter_mut().flatten().for_each(|x| *x *= scale);
            let room = (most - least) - scale * (high - low);
            let place = 0.5 + 0.5 * self.options.share * own[width - 1].clamp(-1.0, 1.0);
            motion.start[i] = least + room * place - scale * low;
        }
        motion
    }

    /// Its states where all limits are kept; smaller where torques or the workspace ask for it.
    fn states(&self, motion: &mut FourierMotion) -> Option<Vec<State>> {
        let exact = self.robot.model("exact").ok()?;
        let middle: Vec<f64> = self.limits.iter().map(|([low, high], ..)| 0.5 * (low + high)).collect();
        for _ in 0..24 {
            let mut worst = 0.0_f64;
            let states: Option<Vec<State>> = (0..LOOKED)
                .map(|k| {
                    let joints = motion.at(motion.period * k as f64 / LOOKED as f64);
                    let state = self.robot.at_joints(&joints, &Pick::default()).ok()?;
                    if let Some(room) = &self.room {
                        let away = (state.tool.pose.origin - room.center).norm_squared().sqrt();
                        worst = worst.max(away / (self.options.share * room.radius));
                    }
                    let torque = exact.torque(&state, Wrench::zero());
                    for (i, (.., most)) in self.limits.iter().enumerate() {
                        worst = worst.max(torque[i].abs() / (self.options.share * most));
                    }
                    // What breaks one limit need not be looked at further.
                    (worst <= 1.0).then_some(state)
                })
                .collect();
            match states {
                Some(states) => return Some(states),
                None => {
                    for i in 0..middle.len() {
                        motion.coefficients[i].iter_mut().flatten().for_each(|x| *x *= 0.85);
                        motion.start[i] = middle[i] + 0.85 * (motion.start[i] - middle[i]);
                    }
                }
            }
        }
        None
    }

    /// Rows of the base regressor, each divided by its joint's noise.
    fn rows(&self, states: &[State]) -> Option<DMatrix<f64>> {
        let exact = self.robot.model("exact").ok()?;
        let n = self.limits.len();
        let mut most = vec![0.0_f64; n];
        for state in states {
            let torque = exact.torque(state, Wrench::zero());
            (0..n).for_each(|i| most[i] = most[i].max(torque[i].abs()));
        }
        let weights: Vec<f64> = most.iter().map(|most| 1.0 / (self.options.noise * most).max(1e-9)).collect();
        let every = (states.len() / ROWS).max(1);
        let rows: Vec<&State> = states.iter().step_by(every).collect();
        Some(self.layout.state_rows(&rows, &weights).select_columns(&self.columns))
    }

    /// log det(YᵀΣ⁻¹Y)/p; none where it cannot be moved so.
    fn value(&self, genome: &[f64]) -> Option<f64> {
        let states = self.states(&mut self.motion(genome))?;
        let y = self.rows(&states)?;
        let factor = Cholesky::new(y.tr_mul(&y))?;
        let sum: f64 = factor.l_dirty().diagonal().iter().map(|x| x.ln()).sum();
        Some(2.0 * sum / self.columns.len() as f64).filter(|value| value.is_finite())
    }
}

/// Searches a motion. `progress` is told the share that is done.
pub fn excite(
    robot: &Robot,
    contents: &Contents,
    options: &ExciteOptions,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Excitation, NoExcitation> {
    let layout = Layout::new(robot, contents)?;
    let base = Base::of(&layout.random_rows(robot));
    let home = robot.home()?;
    let joint = |(i, joint): (usize, &crate::robot::Joint)| {
        let q = home.joints.q[i];
        let [low, high] = joint.limits.range;
        let range = [low.max(q - options.reach), high.min(q + options.reach)];
        let range = if low.is_finite() && high.is_finite() { [low, high] } else { range };
        let finite = |limit: f64, otherwise: f64| if limit.is_finite() { limit } else { otherwise };
        (range, finite(joint.limits.max_speed, options.speed), finite(joint.limits.max_torque, f64::INFINITY))
    };
    let limits: Vec<_> = robot.joints().iter().enumerate().map(joint).collect();
    let task =
        Task { robot, layout: &layout, columns: base.independent.clone(), options, limits, room: robot.workspace() };
    let size = task.limits.len() * (2 * (options.harmonics.max(3) - 1) + 2);
    let options_checked = ExciteOptions { harmonics: options.harmonics.max(3), ..options.clone() };
    let task = Task { options: &options_checked, ..task };
    let genome = |seed: u64| -> Vec<f64> {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            random.within(1.0);
        }
        (0..size).map(|_| random.within(1.0)).collect()
    };
    let random = (options.tries / 3).max(4);
    let tried = threads::each(random, |k| {
        let genome = genome(options.seed.wrapping_mul(1_000_003).wrapping_add(k as u64 + 1));
        progress(0.0);
        task.value(&genome).map(|value| (value, genome))
    });
    let mut tried: Vec<(f64, Vec<f64>)> = tried.into_iter().flatten().collect();
    tried.sort_by(|a, b| b.0.total_cmp(&a.0));
    let Some((best_random, _)) = tried.first().cloned() else { return Err(NoExcitation::None { tries: random }) };
    // Two parents, each on its own.
    let each = options.tries.saturating_sub(random) / 2;
    let grown = threads::each(tried.len().min(2), |k| {
        let (mut value, mut parent) = tried[k].clone();
        let mut generator = Random(options.seed.wrapping_add(77 + k as u64).wrapping_mul(0xD134_2543_DE82_EF95) | 1);
        let mut width = 0.3;
        for step in 0..each {
            progress(step as f64 / each.max(1) as f64);
            // A few genes at a time.
            let child: Vec<f64> = parent
                .iter()
                .map(|x| if generator.within(1.0).abs() < 0.3 { x + width * generator.within(1.0) } else { *x })
                .collect();
            match task.value(&child) {
                Some(found) if found > value => (value, parent, width) = (found, child, (width * 1.4).min(1.0)),
                _ => width = (width * 0.92).max(0.01),
            }
        }
        (value, parent)
    });
    let best = grown.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((value, genome)) = best else { return Err(NoExcitation::None { tries: options.tries }) };
    let mut motion = task.motion(&genome);
    let states = task.states(&mut motion).ok_or(NoExcitation::None { tries: options.tries })?;
    let y = task.rows(&states).ok_or(NoExcitation::None { tries: options.tries })?;
    let lengths: Vec<f64> = y.column_iter().map(|column| column.norm()).collect();
    let scaled = DMatrix::from_fn(y.nrows(), y.ncols(), |i, j| y[(i, j)] / lengths[j]);
    let singular = scaled.singular_values();
    let rows = y.nrows() as f64 / task.limits.len() as f64;
    let more = rows / (options.rate * options.period);
    let covariance = Cholesky::new(y.tr_mul(&y)).map(|factor| factor.inverse());
    let prior = nalgebra::DVector::from_iterator(
        layout.columns.len(),
        layout.columns.iter().map(|column| column.prior.unwrap_or(0.0)),
    );
    let values = base.values(&prior);
    let expected = base.independent.iter().enumerate().map(|(k, &column)| Expected {
        name: layout.columns[column].name.clone(),
        unit: layout.columns[column].unit,
        value: values[k],
        sigma: covariance.as_ref().map_or(f64::NAN, |c| (c[(k, k)] * more).sqrt()),
    });
    Ok(Excitation {
        expected: expected.collect(),
        gain: (value - best_random).exp(),
        random: tried.len(),
        condition: singular.max() / singular.min(),
        motion,
    })
}
