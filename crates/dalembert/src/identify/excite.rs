//! Motions that tell most of a robot's parameters.
//!
//! Every joint moves as a Fourier series of a common period (Swevers et al. 1997, IEEE Trans. Robotics and Automation 13(5)),
//! q̇ = Σ a_h cos hωt + b_h sin hωt with Σ a_h = 0 and Σ h b_h = 0, so that it starts and ends at rest and without acceleration.
//! The best is the one whose information YᵀΣ⁻¹Y of the base parameters has the largest determinant (D-optimal): random motions
//! first, each as large as the limits allow, then from the best of them uphill by the gradient
//! ∂ ln det(YᵀΣ⁻¹Y) = 2 tr((YᵀΣ⁻¹Y)⁻¹ YᵀΣ⁻¹ ∂Y), while limits that are exceeded cost more and more. Y is linear in q̈ and quadratic in q̇,
//! so that symmetric differences are its derivatives to rounding there, and to 1e-8 in q.

use super::columns::{Contents, Layout, Random};
use crate::Vec3;
use crate::motion::{self, Motion, MotionOrder, RobotMotion};
use crate::robot::{Family, JointState, JointVector, Model, Pick, Refused, Robot, State, ToolTurns, Workspace};
use crate::spatial::Wrench;
use crate::threads;
use dalembert_identify::base::Base;
use dalembert_identify::quasi_newton::descend;
use nalgebra::{Cholesky, DMatrix, DVector};

/// What is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct ExciteOptions {
    /// Harmonics of each joint, at least 3.
    pub harmonics: usize,
    /// How long it goes on, s: a whole number of periods.
    pub duration: f64,
    /// Of the Fourier series, s; none: the whole time, or the half, fourth or eighth of it by which random motions tell most.
    pub period: Option<f64>,
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
    /// Random motions that are tried first and compared with.
    pub random: usize,
    /// Steps uphill from the best of them.
    pub steps: usize,
    /// The same numbers again.
    pub seed: u64,
}

impl Default for ExciteOptions {
    fn default() -> Self {
        Self {
            harmonics: 5,
            duration: 10.0,
            period: None,
            share: 0.95,
            speed: 2.0,
            reach: 1.0,
            noise: 0.01,
            rate: 100.0,
            random: 1000,
            steps: 120,
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

    /// The same motion, smaller about a place.
    fn shrunk(&self, about: &[f64], factor: f64) -> Self {
        let mut all = self.clone();
        for (start, about) in all.start.iter_mut().zip(about) {
            *start = about + factor * (*start - about);
        }
        all.coefficients.iter_mut().flatten().flatten().for_each(|x| *x *= factor);
        all
    }
}

/// The tool of a robot that moves its joints so.
struct OfTool {
    family: Box<dyn Family>,
    joints: FourierMotion,
}

impl Motion for OfTool {
    type Point = Vec3<f64>;

    fn duration(&self) -> f64 {
        self.joints.period
    }

    fn at(&self, t: f64) -> motion::State<Vec3<f64>> {
        match self.family.at_joints(&self.joints.at(t), &Pick::default()) {
            Ok(State { tool, .. }) => motion::State {
                position: tool.pose.origin,
                velocity: tool.velocity.linear,
                acceleration: tool.acceleration.linear,
            },
            Err(_) => motion::State::still(Vec3::from_fn(|_| f64::NAN)),
        }
    }
}

impl FourierMotion {
    /// The motion of the tool, where the tool does not turn and the robot can be everywhere on it.
    pub fn of_tool(&self, robot: &Robot) -> Option<RobotMotion> {
        let joints = self.clone();
        (robot.kind().tool_turns == ToolTurns::No)
            .then(|| RobotMotion::translating(OfTool { family: robot.family().clone_box(), joints }))
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
    /// Expected standard deviation after the whole time.
    pub sigma: f64,
}

/// Another motion of the same length under the same noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// What it is.
    pub name: String,
    /// det(YᵀΣ⁻¹Y)^(1/p) of the motion that was found over that of this one; infinite where this one leaves something open.
    pub gain: f64,
    /// Condition number of its base regressor, the columns of length 1.
    pub condition: f64,
    /// Base parameters that it tells.
    pub told: usize,
    /// σ of each base parameter; none where it is not told.
    pub sigma: Vec<Option<f64>>,
}

/// A motion, and what it tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Excitation {
    /// The motion.
    pub motion: FourierMotion,
    /// How often it is repeated.
    pub repeated: usize,
    /// The best of the random motions.
    pub best_random: Compared,
    /// How many there were.
    pub random: usize,
    /// What the robot does every day, where it can: its pick-and-place cycle, over and over.
    pub usual: Option<Compared>,
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

/// What a joint may do: the share of its limits that is used.
#[derive(Clone, Copy)]
struct Allowed {
    middle: f64,
    half: f64,
    speed: f64,
    torque: f64,
    ball: f64,
}

/// What does not change from try to try.
struct Task<'a> {
    robot: &'a Robot,
    exact: Box<dyn Model>,
    layout: &'a Layout,
    columns: Vec<usize>,
    options: &'a ExciteOptions,
    period: f64,
    joints: Vec<Allowed>,
    /// About which motions shrink: within all limits.
    home: Vec<f64>,
    /// Where a tool has its workspace.
    room: Option<Workspace>,
    /// Speeds below which the sign of a speed is smoothed.
    smoothing: Vec<f64>,
}

/// Times at which limits are looked at on the way, at the end, and at which rows are taken.
const LOOKED: usize = 240;
const LOOKED_AT_LAST: usize = 4000;
const ROWS: usize = 100;
/// What a limit that is exceeded costs, stage by stage: times the mean square of the excess.
const PRICES: [f64; 3] = [30.0, 300.0, 3000.0];
/// Motions from which it goes uphill.
const STARTS: usize = 2;

/// How much a motion tells.
struct Information {
    /// Of the columns of its regressor.
    lengths: Vec<f64>,
    /// Rows that were looked at over rows that are fitted.
    share: f64,
    /// ln det(YᵀΣ⁻¹Y)/p.
    log: f64,
}

/// The rows of a motion: those of each joint over the largest torque that counts.
struct Rows {
    y: DMatrix<f64>,
    /// Cost of the limits that are exceeded.
    beyond: f64,
}

impl Task<'_> {
    /// Numbers of each joint: its place, and a_h and b_h for h from 2 on.
    fn width(&self) -> usize {
        2 * self.options.harmonics - 1
    }

    /// A motion of one joint for each of its numbers, as large as the joint may move.
    fn units(&self, joint: &Allowed) -> Vec<FourierMotion> {
        let (h, period) = (self.options.harmonics, self.period);
        let one = |m: usize| {
            let mut motion = FourierMotion { start: vec![0.0], coefficients: vec![vec![[0.0; 2]; h]], period };
            if m == 0 {
                motion.start[0] = joint.half;
                return motion;
            }
            let (harmonic, part) = ((m - 1) / 2 + 1, (m - 1) % 2);
            motion.coefficients[0][harmonic][part] = 1.0;
            motion.coefficients[0][0][part] = -if part == 0 { 1.0 } else { (harmonic + 1) as f64 };
            let (mut far, mut fast) = (0.0_f64, 0.0_f64);
            for k in 0..LOOKED {
                let state = motion.at(period * k as f64 / LOOKED as f64);
                (far, fast) = (far.max(state.q[0].abs()), fast.max(state.qd[0].abs()));
            }
            motion.shrunk(&[0.0], (joint.half / far).min(joint.speed / fast))
        };
        (0..self.width()).map(one).collect()
    }

    /// The motion of the numbers of all joints.
    fn motion(&self, units: &[Vec<FourierMotion>], numbers: &DVector<f64>) -> FourierMotion {
        let (h, period, width) = (self.options.harmonics, self.period, self.width());
        let n = self.joints.len();
        let mut all = FourierMotion { start: vec![0.0; n], coefficients: vec![vec![[0.0; 2]; h]; n], period };
        for i in 0..n {
            all.start[i] = self.joints[i].middle;
            for (m, unit) in units[i].iter().enumerate() {
                let x = numbers[i * width + m];
                all.start[i] += x * unit.start[0];
                for (sum, own) in all.coefficients[i].iter_mut().zip(&unit.coefficients[0]) {
                    *sum = [sum[0] + x * own[0], sum[1] + x * own[1]];
                }
            }
        }
        all
    }

    /// The numbers of a motion.
    fn numbers(&self, units: &[Vec<FourierMotion>], motion: &FourierMotion) -> DVector<f64> {
        let width = self.width();
        DVector::from_fn(self.joints.len() * width, |place, _| {
            let (i, m) = (place / width, place % width);
            let unit = &units[i][m];
            match m {
                0 => (motion.start[i] - self.joints[i].middle) / unit.start[0],
                m => {
                    let (harmonic, part) = ((m - 1) / 2 + 1, (m - 1) % 2);
                    motion.coefficients[i][harmonic][part] / unit.coefficients[0][harmonic][part]
                }
            }
        })
    }

    /// A random motion: as far or as fast as each joint may, times a share, somewhere in its range; all together as large as
    /// the other limits allow.
    fn random(&self, units: &[Vec<FourierMotion>], seed: u64) -> Option<FourierMotion> {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            random.within(1.0);
        }
        let width = self.width();
        let genes =
            DVector::from_fn(units.len() * width, |place, _| if place % width == 0 { 0.0 } else { random.within(1.0) });
        let mut motion = self.motion(units, &genes);
        for (i, joint) in self.joints.iter().enumerate() {
            let single = FourierMotion {
                start: vec![0.0],
                coefficients: vec![motion.coefficients[i].clone()],
                period: motion.period,
            };
            let (mut low, mut high, mut fast) = (0.0_f64, 0.0_f64, 1e-12_f64);
            for k in 0..LOOKED {
                let state = single.at(motion.period * k as f64 / LOOKED as f64);
                (low, high, fast) = (low.min(state.q[0]), high.max(state.q[0]), fast.max(state.qd[0].abs()));
            }
            let part = 0.25 + 0.75 * random.within(1.0).abs();
            let scale = part * (2.0 * joint.half / (high - low).max(1e-12)).min(joint.speed / fast);
            motion.coefficients[i].iter_mut().flatten().for_each(|x| *x *= scale);
            let room = 2.0 * joint.half - scale * (high - low);
            motion.start[i] = joint.middle - joint.half + room * (0.5 + 0.5 * random.within(1.0)) - scale * low;
        }
        self.fitted(motion, LOOKED)
    }

    /// The shares of all limits that a state uses.
    fn used(&self, state: &State, mut tell: impl FnMut(f64)) {
        let torque = self.exact.torque(state, Wrench::zero());
        let balls = self.robot.ball_angles(state);
        for (i, joint) in self.joints.iter().enumerate() {
            tell((state.joints.q[i] - joint.middle).abs() / joint.half);
            tell(state.joints.qd[i].abs() / joint.speed);
            tell(torque[i].abs() / joint.torque);
            if let Some(balls) = &balls {
                tell(balls[i].abs() / joint.ball);
            }
        }
        if let Some(room) = &self.room {
            let away = (state.tool.pose.origin - room.center).norm_squared().sqrt();
            tell(away / (self.options.share * room.radius));
        }
    }

    fn state(&self, joints: &JointState) -> Option<State> {
        self.robot.at_joints(joints, &Pick::default()).ok()
    }

    /// Whether all limits are kept.
    fn keeps(&self, motion: &FourierMotion, looked: usize) -> bool {
        (0..looked).all(|k| {
            let mut most = 0.0_f64;
            let there = self.state(&motion.at(motion.period * k as f64 / looked as f64));
            there.is_some_and(|state| {
                self.used(&state, |share| most = most.max(share));
                most <= 1.0 + 1e-9
            })
        })
    }

    /// The motion, smaller about home where limits ask for it.
    fn fitted(&self, motion: FourierMotion, looked: usize) -> Option<FourierMotion> {
        if self.keeps(&motion, looked) {
            return Some(motion);
        }
        let (mut low, mut high) = (0.0, 1.0);
        while high - low > 2e-3 {
            let middle = 0.5 * (low + high);
            if self.keeps(&motion.shrunk(&self.home, middle), looked) { low = middle } else { high = middle }
        }
        let smaller = motion.shrunk(&self.home, low);
        (low > 0.0 && self.keeps(&smaller, looked)).then_some(smaller)
    }

    /// Rows of states, those of each joint times its weight; and what limits that are exceeded cost.
    fn rows(&self, states: &[State], weights: &[f64]) -> Rows {
        let (n, p, all) = (self.joints.len(), self.columns.len(), self.layout.columns.len() + 1);
        let mut y = DMatrix::zeros(states.len() * n, p);
        let mut beyond = 0.0;
        for (s, state) in states.iter().enumerate() {
            let full = self.layout.row(state, &self.smoothing, true);
            for i in 0..n {
                for (k, &column) in self.columns.iter().enumerate() {
                    y[(s * n + i, k)] = full[i * all + column] * weights[i];
                }
            }
            self.used(state, |share| beyond += (share - 1.0).max(0.0).powi(2));
        }
        Rows { y, beyond: beyond / states.len() as f64 }
    }

    fn states(&self, motion: &FourierMotion) -> Option<Vec<State>> {
        (0..ROWS).map(|k| self.state(&motion.at(motion.period * k as f64 / ROWS as f64))).collect()
    }

    /// −ln det(YᵀΣ⁻¹Y)/p and what limits cost; none where the robot cannot be.
    fn value(&self, motion: &FourierMotion, weights: &[f64], price: f64) -> Option<f64> {
        let rows = self.rows(&self.states(motion)?, weights);
        let factor = Cholesky::new(rows.y.tr_mul(&rows.y))?;
        Some(-log_det(&factor) / self.columns.len() as f64 + price * rows.beyond).filter(|value| value.is_finite())
    }

    /// Its derivatives by the numbers of the joints.
    fn gradient(
        &self,
        units: &[Vec<FourierMotion>],
        motion: &FourierMotion,
        weights: &[f64],
        price: f64,
    ) -> Option<DVector<f64>> {
        /// Of what a joint may do.
        const STEP: f64 = 1e-4;
        let (n, p, width) = (self.joints.len(), self.columns.len() as f64, self.width());
        let states = self.states(motion)?;
        let rows = self.rows(&states, weights);
        let inverse = Cholesky::new(rows.y.tr_mul(&rows.y))?.inverse();
        let fastest = std::f64::consts::TAU * self.options.harmonics as f64 / self.period;
        let parts = threads::each(states.len(), |k| -> Option<Vec<f64>> {
            let time = motion.period * k as f64 / states.len() as f64;
            let weight = rows.y.rows(k * n, n) * &inverse;
            let here = &states[k].joints;
            let mut sum = vec![0.0; n * width];
            for (i, joint) in self.joints.iter().enumerate() {
                let unit: Vec<JointState> = units[i].iter().map(|unit| unit.at(time)).collect();
                let steps = [joint.half, joint.speed, joint.speed * fastest].map(|scale| STEP * scale);
                for (order, step) in steps.into_iter().enumerate() {
                    let aside = |by: f64| {
                        let mut joints = here.clone();
                        match order {
                            0 => joints.q[i] += by,
                            1 => joints.qd[i] += by,
                            _ => joints.qdd[i] += by,
                        }
                        Some(self.rows(&[self.state(&joints)?], weights))
                    };
                    let (ahead, behind) = (aside(step)?, aside(-step)?);
                    let told = weight.dot(&(ahead.y - behind.y)) / step;
                    let cost = (ahead.beyond - behind.beyond) / (2.0 * step * states.len() as f64);
                    let slope = -told / p + price * cost;
                    for (m, unit) in unit.iter().enumerate() {
                        sum[i * width + m] += slope * [unit.q[0], unit.qd[0], unit.qdd[0]][order];
                    }
                }
            }
            Some(sum)
        });
        let mut all = DVector::zeros(n * width);
        for part in parts {
            all += DVector::from_vec(part?);
        }
        Some(all)
    }

    /// Uphill from a motion; all limits are kept at the end.
    fn climbed(&self, units: &[Vec<FourierMotion>], from: &FourierMotion, weights: &[f64]) -> Option<FourierMotion> {
        let mut numbers = self.numbers(units, from);
        for price in PRICES {
            let value = |at: &DVector<f64>| self.value(&self.motion(units, at), weights, price);
            let gradient = |at: &DVector<f64>| self.gradient(units, &self.motion(units, at), weights, price);
            numbers = descend(&value, &gradient, &numbers, 0.1, self.options.steps / PRICES.len())?.at;
        }
        self.fitted(self.motion(units, &numbers), LOOKED_AT_LAST)
    }

    /// The largest torque of each joint along a motion, times the share that is noise: the noise's inverse.
    fn weights(&self, motion: &FourierMotion) -> Option<Vec<f64>> {
        let mut most = vec![0.0_f64; self.joints.len()];
        for state in self.states(motion)? {
            let torque = self.exact.torque(&state, Wrench::zero());
            most.iter_mut().enumerate().for_each(|(i, most)| *most = most.max(torque[i].abs()));
        }
        Some(most.iter().map(|most| 1.0 / (self.options.noise * most).max(1e-9)).collect())
    }

    /// What a motion tells, when it goes on for the whole time; `other` are the lengths of the columns and the logarithm of the
    /// information of the motion that it is compared with.
    fn told(
        &self,
        name: &str,
        states: &[State],
        weights: &[f64],
        other: Option<&Information>,
    ) -> (Compared, Information) {
        let y = self.rows(states, weights).y;
        let p = y.ncols();
        let share = states.len() as f64 / (self.options.rate * self.options.duration);
        let own: Vec<f64> = y.column_iter().map(|column| column.norm().max(f64::MIN_POSITIVE)).collect();
        let scaled = |lengths: &[f64]| DMatrix::from_fn(y.nrows(), p, |i, j| y[(i, j)] / lengths[j]);
        let values = scaled(&own).singular_values();
        // What moves a joint by rounding alone tells nothing of it: columns are as long as those of the other motion.
        let lengths = other
            .map_or(own.clone(), |other| other.lengths.iter().map(|l| l / other.share.sqrt() * share.sqrt()).collect());
        let svd = scaled(&lengths).svd(false, true);
        /// Below this share of the largest singular value a direction is not told.
        const NOTHING: f64 = 1e-6;
        let most = svd.singular_values.max();
        let is_told = |value: f64| value > NOTHING * most;
        let told = svd.singular_values.iter().filter(|value| is_told(**value)).count();
        let directions = svd.v_t.unwrap_or_else(|| DMatrix::identity(p, p));
        let sigma = |k: usize| {
            let (mut square, mut open) = (0.0, 0.0);
            for (value, direction) in svd.singular_values.iter().zip(directions.row_iter()) {
                let part = direction[k].powi(2);
                if is_told(*value) { square += part / value.powi(2) } else { open += part }
            }
            (open < 1e-6).then(|| (square * share).sqrt() / lengths[k])
        };
        let log: f64 = svd.singular_values.iter().zip(&lengths).map(|(value, length)| (value * length).ln()).sum();
        let log = if told < p { f64::NEG_INFINITY } else { 2.0 * log / p as f64 - share.ln() };
        let gain = other.map_or(1.0, |other| (other.log - log).exp());
        let condition = values.max() / values.min();
        let sigma = (0..p).map(sigma).collect();
        (Compared { name: name.to_owned(), gain, condition, told, sigma }, Information { lengths: own, share, log })
    }

    /// Into how many periods the whole time is cut: as random motions tell most.
    fn best_repeated(&mut self, seed: &(dyn Fn(usize) -> u64 + Sync)) -> Option<usize> {
        const TRIED: usize = 40;
        let mut best: Option<(f64, usize)> = None;
        let mut weights: Option<Vec<f64>> = None;
        for repeated in [1, 2, 4, 8] {
            self.period = self.options.duration / repeated as f64;
            let units: Vec<Vec<FourierMotion>> = self.joints.iter().map(|joint| self.units(joint)).collect();
            let motions: Vec<FourierMotion> =
                threads::each(TRIED, |k| self.random(&units, seed(k))).into_iter().flatten().collect();
            let Some(first) = motions.first() else { continue };
            // All under one noise, which does not matter.
            let weights = match &weights {
                Some(weights) => weights,
                None => weights.insert(self.weights(first)?),
            };
            let values = threads::each(motions.len(), |k| self.value(&motions[k], weights, 0.0));
            let value = values.into_iter().flatten().fold(f64::INFINITY, f64::min);
            if best.is_none_or(|(least, _)| value < least) {
                best = Some((value, repeated));
            }
        }
        best.map(|(_, repeated)| repeated)
    }

    /// The states of what the robot does every day.
    fn usual(&self) -> Option<(String, Vec<State>)> {
        let orders = [MotionOrder::default(), MotionOrder::usual(&self.robot.kind())];
        orders.iter().find_map(|order| {
            let timed = order.timed(self.robot, &Pick::default(), self.options.share).ok()?;
            let step = timed.motion.duration() / (2 * ROWS) as f64;
            let state = |k: usize| self.robot.at(&RobotMotion::at(&timed.motion, (k as f64 + 0.5) * step), &timed.pick);
            let states: Result<Vec<State>, Refused> = (0..2 * ROWS).map(state).collect();
            Some((order.name(), states.ok()?))
        })
    }
}

fn log_det(factor: &Cholesky<f64, nalgebra::Dyn>) -> f64 {
    2.0 * factor.l_dirty().diagonal().iter().map(|x| x.ln()).sum::<f64>()
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
    let options =
        &ExciteOptions { harmonics: options.harmonics.max(3), random: options.random.max(4), ..options.clone() };
    let finite = |limit: f64, otherwise: f64| if limit.is_finite() { limit } else { otherwise };
    let allowed = |(i, joint): (usize, &crate::robot::Joint)| {
        let (q, limits) = (home.joints.q[i], &joint.limits);
        let [low, high] = limits.range;
        let [low, high] = match low.is_finite() && high.is_finite() {
            true => [low, high],
            false => [low.max(q - options.reach), high.min(q + options.reach)],
        };
        Allowed {
            middle: 0.5 * (low + high),
            half: 0.5 * options.share * (high - low),
            speed: options.share * finite(limits.max_speed, options.speed),
            torque: options.share * limits.max_torque,
            ball: options.share * limits.max_ball_angle,
        }
    };
    let joints: Vec<Allowed> = robot.joints().iter().enumerate().map(allowed).collect();
    let home = joints.iter().enumerate().map(|(i, joint)| {
        let q = home.joints.q[i];
        if (q - joint.middle).abs() < joint.half { q } else { joint.middle }
    });
    let none = || NoExcitation::None { tries: options.random };
    let seed = |k: usize| options.seed.wrapping_mul(1_000_003).wrapping_add(k as u64 + 1);
    let mut task = Task {
        robot,
        exact: robot.model("exact").map_err(|_| none())?,
        layout: &layout,
        columns: base.independent.clone(),
        options,
        period: options.duration,
        home: home.collect(),
        room: robot.workspace(),
        smoothing: joints.iter().map(|joint| 0.01 * joint.speed).collect(),
        joints,
    };
    let repeated = match options.period {
        Some(period) => (options.duration / period).round().max(1.0) as usize,
        None => task.best_repeated(&seed).ok_or_else(none)?,
    };
    let repeats = repeated as f64;
    task.period = options.period.unwrap_or(options.duration / repeats);
    let options = &ExciteOptions { duration: repeats * task.period, ..options.clone() };
    let task = Task { options, ..task };
    let units: Vec<Vec<FourierMotion>> = task.joints.iter().map(|joint| task.units(joint)).collect();
    let random: Vec<FourierMotion> = threads::each(options.random, |k| {
        progress(0.2 * k as f64 / options.random as f64);
        task.random(&units, seed(k))
    })
    .into_iter()
    .flatten()
    .collect();
    // The best of the random motions under a noise.
    let ranked = |weights: &[f64]| {
        let values = threads::each(random.len(), |k| task.value(&random[k], weights, 0.0));
        let mut order: Vec<(f64, usize)> =
            values.into_iter().enumerate().filter_map(|(k, value)| value.map(|value| (value, k))).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        order
    };
    let weights = task.weights(random.first().ok_or_else(none)?).ok_or_else(none)?;
    let order = ranked(&weights);
    progress(0.3);
    let starts: Vec<&FourierMotion> = order.iter().take(STARTS).map(|(_, k)| &random[*k]).collect();
    let grown = threads::each(starts.len(), |k| {
        let climbed = task.climbed(&units, starts[k], &weights);
        progress(0.9);
        // Few steps and the way back within all limits may end lower than they began.
        let both = [climbed, Some(starts[k].clone())].into_iter().flatten();
        let valued = both.filter_map(|motion| task.value(&motion, &weights, 0.0).map(|value| (value, motion)));
        valued.min_by(|a, b| a.0.total_cmp(&b.0))
    });
    let (_, motion) = grown.into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0)).ok_or_else(none)?;
    // What is told of it, and of the others, is under the noise that its own torques have.
    let weights = task.weights(&motion).ok_or_else(none)?;
    let (own, information) = task.told("", &task.states(&motion).ok_or_else(none)?, &weights, None);
    let (_, best) = *ranked(&weights).first().ok_or_else(none)?;
    let states = task.states(&random[best]).ok_or_else(none)?;
    let prior =
        DVector::from_iterator(layout.columns.len(), layout.columns.iter().map(|column| column.prior.unwrap_or(0.0)));
    let values = base.values(&prior);
    let expected = base.independent.iter().enumerate().map(|(k, &column)| Expected {
        name: layout.columns[column].name.clone(),
        unit: layout.columns[column].unit,
        value: values[k],
        sigma: own.sigma[k].unwrap_or(f64::NAN),
    });
    Ok(Excitation {
        expected: expected.collect(),
        best_random: task.told("best random motion", &states, &weights, Some(&information)).0,
        random: random.len(),
        usual: task.usual().map(|(name, states)| task.told(&name, &states, &weights, Some(&information)).0),
        condition: own.condition,
        repeated,
        motion,
    })
}
