//! Random motions within all limits, and the way uphill from one.

use super::clearance::Clearance;
use super::shape::ExcitingMotion;
use super::{ComparedMotion, ExciteOptions, NoExcitation};
use crate::identify::columns::ColumnLayout;
use crate::motion::{MotionOrder, RobotMotion};
use crate::robot::{JointState, Model, Pick, Robot, State, StateError, Workspace};
use crate::spatial::Wrench;
use crate::threads;
use dalembert_core::random::Xorshift;
use dalembert_identify::quasi_newton::descend;
use nalgebra::{DMatrix, DVector};
use std::cell::RefCell;

/// What a joint may do: the share of its limits that is used.
#[derive(Clone, Copy)]
pub(super) struct Allowed {
    pub middle: f64,
    pub half: f64,
    pub speed: f64,
    pub torque: f64,
    pub ball: f64,
}

/// What does not change from try to try.
pub(super) struct ExcitationProblem<'a> {
    pub robot: &'a Robot,
    pub exact: Box<dyn Model>,
    pub layout: &'a ColumnLayout,
    pub columns: Vec<usize>,
    pub options: &'a ExciteOptions,
    pub joints: Vec<Allowed>,
    /// About which motions shrink: within all limits.
    pub home: Vec<f64>,
    /// Where a tool has its workspace.
    pub room: Option<Workspace>,
    /// Which parts of the robot must not come near to each other.
    pub clearance: Option<Clearance>,
    /// Speeds below which the sign of a speed is smoothed.
    pub smoothing: Vec<f64>,
}

/// Times at which limits are looked at on the way, at the end, and at which rows are taken.
const LOOKED: usize = 240;
const LOOKED_AT_LAST: usize = 4000;
const ROWS: usize = 100;
/// What a limit that is exceeded costs, stage by stage: times the mean square of the excess.
pub(super) const PRICES: [f64; 4] = [30.0, 300.0, 3000.0, 30000.0];

/// YᵀΣ⁻¹Y.
fn information(y: &DMatrix<f64>) -> DMatrix<f64> {
    // A product of matrices is several times as fast as one with a transposed view.
    y.transpose() * y
}

/// The information of a motion.
pub(super) struct Information {
    /// Of the columns of its regressor.
    lengths: Vec<f64>,
    /// Rows that were looked at over rows that are fitted.
    share: f64,
    /// ln det(YᵀΣ⁻¹Y)/p.
    log: f64,
}

/// A task with a period: the motions of joints are linear in their numbers.
pub(super) struct ExcitationSearch<'t, 'a> {
    task: &'t ExcitationProblem<'a>,
    period: f64,
    pace: usize,
    functions: usize,
    /// Where limits are looked at on the way, and where rows are taken.
    looked: Vec<Vec<[f64; 3]>>,
    rows: Vec<Vec<[f64; 3]>>,
    /// The coefficient of each joint and function with which it moves as far or as fast as it may.
    units: Vec<Vec<f64>>,
}

impl<'t, 'a> ExcitationSearch<'t, 'a> {
    pub fn new(task: &'t ExcitationProblem<'a>, period: f64, pace: usize) -> Self {
        let functions = task.options.shape.count(task.options.harmonics, pace);
        let table = |times: usize| task.options.shape.table(functions, pace, period, times);
        // A faster motion is looked at more often, but not as often as it is faster: that would take as much longer.
        let [looked_at, rows] = [LOOKED * pace.div_ceil(2), ROWS * pace.min(2)];
        let looked = table(looked_at);
        let most = |m: usize, order: usize| (0..looked_at).fold(0.0_f64, |most, k| most.max(looked[k][m][order].abs()));
        let unit = |joint: &Allowed, m: usize| (joint.half / most(m, 0)).min(joint.speed / most(m, 1));
        let units = task.joints.iter().map(|joint| (0..functions).map(|m| unit(joint, m)).collect()).collect();
        Self { units, rows: table(rows), looked, task, period, pace, functions }
    }

    /// Numbers of each joint: its place, and a factor of each function.
    fn width(&self) -> usize {
        self.functions + 1
    }

    fn motion_of(&self, start: Vec<f64>, coefficients: Vec<Vec<f64>>) -> ExcitingMotion {
        ExcitingMotion { shape: self.task.options.shape, start, coefficients, period: self.period, pace: self.pace }
    }

    /// The motion of the numbers of all joints.
    pub fn motion(&self, numbers: &DVector<f64>) -> ExcitingMotion {
        let width = self.width();
        let joints = self.task.joints.iter().enumerate();
        let start = joints.map(|(i, joint)| joint.middle + numbers[i * width] * joint.half);
        let of = |(i, units): (usize, &Vec<f64>)| {
            units.iter().enumerate().map(|(m, unit)| numbers[i * width + 1 + m] * unit).collect()
        };
        self.motion_of(start.collect(), self.units.iter().enumerate().map(of).collect())
    }

    /// The numbers of a motion.
    pub fn numbers(&self, motion: &ExcitingMotion) -> DVector<f64> {
        let width = self.width();
        DVector::from_fn(self.units.len() * width, |place, _| {
            let (i, joint) = (place / width, &self.task.joints[place / width]);
            match place % width {
                0 => (motion.start[i] - joint.middle) / joint.half,
                m => motion.coefficients[i][m - 1] / self.units[i][m - 1],
            }
        })
    }

    /// A random motion: as far or as fast as each joint may, times a share, somewhere in its range; all together as large as
    /// the other limits allow.
    pub fn random(&self, seed: u64) -> Option<ExcitingMotion> {
        let mut random = Xorshift::new(seed);
        for _ in 0..8 {
            random.signed();
        }
        let mut start = Vec::new();
        let mut draw = |units: &Vec<f64>| units.iter().map(|unit| unit * random.signed()).collect();
        let mut coefficients: Vec<Vec<f64>> = self.units.iter().map(&mut draw).collect();
        for (own, joint) in coefficients.iter_mut().zip(&self.task.joints) {
            let sum = |k: usize, order: usize| -> f64 {
                own.iter().zip(&self.looked[k]).map(|(factor, function)| factor * function[order]).sum()
            };
            let (mut low, mut high, mut fast) = (0.0_f64, 0.0_f64, 1e-12_f64);
            for k in 0..self.looked.len() {
                let (q, qd) = (sum(k, 0), sum(k, 1));
                (low, high, fast) = (low.min(q), high.max(q), fast.max(qd.abs()));
            }
            let part = 0.25 + 0.75 * random.signed().abs();
            let scale = part * (2.0 * joint.half / (high - low).max(1e-12)).min(joint.speed / fast);
            own.iter_mut().for_each(|x| *x *= scale);
            let room = 2.0 * joint.half - scale * (high - low);
            start.push(joint.middle - joint.half + room * (0.5 + 0.5 * random.signed()) - scale * low);
        }
        self.fitted(&self.motion_of(start, coefficients), &self.task.home, &self.looked)
    }

    /// Motions by their value under a noise, the best first.
    pub fn ranked(&self, motions: &[ExcitingMotion], weights: &[f64]) -> Vec<(f64, usize)> {
        let values = threads::each(motions.len(), |k| self.value(&motions[k], weights));
        let valued = values.into_iter().enumerate().filter_map(|(k, value)| value.map(|value| (value, k)));
        let mut order: Vec<(f64, usize)> = valued.collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        order
    }

    /// A time at which a limit is not kept; `first` is looked at first.
    fn exceeds(&self, motion: &ExcitingMotion, looked: &[Vec<[f64; 3]>], first: usize) -> Option<usize> {
        let keeps = |k: usize| {
            self.task.state(&motion.sum(&looked[k])).is_some_and(|state| {
                let mut most = 0.0_f64;
                self.task.used(&state, |share| most = most.max(share));
                most <= 1.0 + 1e-9
            })
        };
        std::iter::once(first).chain(0..looked.len()).find(|&k| !keeps(k))
    }

    /// The motion, smaller about a place where limits ask for it.
    fn fitted(&self, motion: &ExcitingMotion, about: &[f64], looked: &[Vec<[f64; 3]>]) -> Option<ExcitingMotion> {
        let Some(mut worst) = self.exceeds(motion, looked, 0) else { return Some(motion.clone()) };
        let (mut low, mut high) = (0.0, 1.0);
        while high - low > 2e-3 {
            let middle = 0.5 * (low + high);
            match self.exceeds(&motion.shrunk(about, middle), looked, worst) {
                None => low = middle,
                // Mostly it is there that a smaller motion exceeds something too.
                Some(k) => (high, worst) = (middle, k),
            }
        }
        (low > 0.0).then(|| motion.shrunk(about, low))
    }

    /// The motion with all limits kept throughout: smaller about its own middle or about home, whichever is better.
    pub fn finished(&self, motion: &ExcitingMotion, weights: &[f64]) -> Option<ExcitingMotion> {
        let all = self.task.options.shape.table(self.functions, self.pace, self.period, LOOKED_AT_LAST);
        let states: Vec<JointState> = self.rows.iter().map(|functions| motion.sum(functions)).collect();
        let mean = |i: usize| states.iter().map(|state| state.q[i]).sum::<f64>() / states.len() as f64;
        let middle: Vec<f64> = (0..motion.start.len()).map(mean).collect();
        let smaller = [&middle, &self.task.home].map(|about| self.fitted(motion, about, &all));
        self.best(smaller, weights).map(|(_, motion)| motion)
    }

    /// The better of two motions, where there are any, with its value.
    pub fn best(&self, motions: [Option<ExcitingMotion>; 2], weights: &[f64]) -> Option<(f64, ExcitingMotion)> {
        let valued = motions.into_iter().flatten().filter_map(|motion| Some((self.value(&motion, weights)?, motion)));
        valued.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    pub fn states(&self, motion: &ExcitingMotion) -> Option<Vec<State>> {
        self.rows.iter().map(|functions| self.task.state(&motion.sum(functions))).collect()
    }

    /// The criterion; none where the robot cannot be or a parameter is not identifiable.
    pub fn value(&self, motion: &ExcitingMotion, weights: &[f64]) -> Option<f64> {
        let y = self.task.rows(&self.states(motion)?, weights);
        self.task.options.criterion.value(&information(&y))
    }

    /// The criterion, and what limits that are exceeded cost.
    fn cost(&self, motion: &ExcitingMotion, weights: &[f64], price: f64) -> Option<f64> {
        let states = self.states(motion)?;
        let y = self.task.rows(&states, weights);
        let beyond: f64 = states.iter().map(|state| self.task.beyond(state)).sum();
        Some(self.task.options.criterion.value(&information(&y))? + price * beyond / states.len() as f64)
    }

    /// Its derivatives by the numbers of the joints: with the criterion's G = ∂/∂M they are Σ 2⟨Y_k G, ∂Y_k⟩ over the states.
    fn gradient(&self, motion: &ExcitingMotion, weights: &[f64], price: f64) -> Option<DVector<f64>> {
        let (task, width) = (self.task, self.width());
        let (n, all) = (task.joints.len(), task.layout.columns.len() + 1);
        let states = self.states(motion)?;
        let y = task.rows(&states, weights);
        let slope = task.options.criterion.slope(&information(&y))?;
        let price = price / states.len() as f64;
        let parts = threads::each(states.len(), |k| -> Option<Vec<f64>> {
            // What each number of the full rows counts.
            let mut counts = vec![0.0; n * all];
            let weighed = y.rows(k * n, n) * &slope;
            for (i, weight) in weights.iter().enumerate() {
                for (place, &column) in task.columns.iter().enumerate() {
                    counts[i * all + column] = 2.0 * weighed[(i, place)] * weight;
                }
            }
            let slopes = task.slopes(&states[k], &counts, price, self.period / self.pace as f64)?;
            let mut sum = vec![0.0; n * width];
            for i in 0..n {
                let [q, qd, qdd] = [0, 1, 2].map(|order| slopes[order * n + i]);
                sum[i * width] = q * task.joints[i].half;
                for (m, function) in self.rows[k].iter().enumerate() {
                    let along = q * function[0] + qd * function[1] + qdd * function[2];
                    sum[i * width + 1 + m] = along * self.units[i][m];
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

    /// Uphill from the numbers of a motion, at one price of limits that are exceeded. `progress` gets the share that is done at every step.
    pub fn climbed(
        &self,
        from: &DVector<f64>,
        weights: &[f64],
        price: f64,
        progress: &mut dyn FnMut(f64) -> Result<(), NoExcitation>,
    ) -> Result<Option<DVector<f64>>, NoExcitation> {
        let steps = self.task.options.steps / PRICES.len();
        let watch = RefCell::new((progress, 0, Ok(())));
        let value = |at: &DVector<f64>| self.cost(&self.motion(at), weights, price);
        let gradient = |at: &DVector<f64>| {
            let (progress, taken, stopped) = &mut *watch.borrow_mut();
            *stopped = progress((f64::from(*taken) / steps.max(1) as f64).min(1.0));
            *taken += 1;
            if stopped.is_ok() { self.gradient(&self.motion(at), weights, price) } else { None }
        };
        let found = descend(&value, &gradient, from, 0.1, steps).map(|found| found.at);
        watch.into_inner().2.map(|()| found)
    }

    /// The largest torque of each joint along a motion, times the share that is noise: the noise's inverse.
    pub fn weights(&self, motion: &ExcitingMotion) -> Option<Vec<f64>> {
        let mut most = vec![0.0_f64; self.task.joints.len()];
        for state in self.states(motion)? {
            let torque = self.task.exact.torque(&state, Wrench::zero());
            most.iter_mut().enumerate().for_each(|(i, most)| *most = most.max(torque[i].abs()));
        }
        Some(most.iter().map(|most| 1.0 / (self.task.options.noise * most).max(1e-9)).collect())
    }

    /// States with their times over the period, as fine as limits are looked at in the end.
    pub fn finely<'m>(&'m self, motion: &'m ExcitingMotion) -> impl Iterator<Item = (f64, State)> + 'm {
        let time = |k: usize| self.period * k as f64 / LOOKED_AT_LAST as f64;
        (0..LOOKED_AT_LAST).filter_map(move |k| Some((time(k), self.task.state(&motion.at(time(k)))?)))
    }
}

impl ExcitationProblem<'_> {
    fn state(&self, joints: &JointState) -> Option<State> {
        self.robot.at_joints(joints, &Pick::default()).ok()
    }

    /// The shares of all limits that a state uses.
    fn used(&self, state: &State, mut visit: impl FnMut(f64)) {
        let torque = self.exact.torque(state, Wrench::zero());
        let balls = self.exact.ball_angles(state);
        for (i, joint) in self.joints.iter().enumerate() {
            visit((state.joints.q[i] - joint.middle).abs() / joint.half);
            visit(state.joints.qd[i].abs() / joint.speed);
            visit(torque[i].abs() / joint.torque);
            if let Some(balls) = &balls {
                visit(balls[i].abs() / joint.ball);
            }
        }
        if let Some(room) = &self.room {
            let away = (state.tool.pose.origin - room.center).norm_squared().sqrt();
            visit(away / (self.options.share * room.radius));
        }
        if let Some(clearance) = &self.clearance {
            clearance.each(self.robot, state, |_, distance| visit(2.0 - distance / clearance.least));
        }
    }

    /// Squares of what is used beyond the limits.
    fn beyond(&self, state: &State) -> f64 {
        let mut beyond = 0.0;
        self.used(state, |share| beyond += (share - 1.0).max(0.0).powi(2));
        beyond
    }

    /// Rows of states, those of each joint times its weight.
    fn rows(&self, states: &[State], weights: &[f64]) -> DMatrix<f64> {
        let (n, p, all) = (self.joints.len(), self.columns.len(), self.layout.columns.len() + 1);
        let mut y = DMatrix::zeros(states.len() * n, p);
        for (s, state) in states.iter().enumerate() {
            let full = self.layout.row(state, &self.smoothing, true);
            for (k, &column) in self.columns.iter().enumerate() {
                for i in 0..n {
                    y[(s * n + i, k)] = full[i * all + column] * weights[i];
                }
            }
        }
        y
    }

    /// Derivatives of Σ counts · Y + price · (squares beyond the limits) by q, q̇ and q̈ of all joints, one after the other. Y is linear in q̈
    /// and quadratic in q̇, so that differences are its derivatives to rounding there, and to 1e-8 in q.
    fn slopes(&self, state: &State, counts: &[f64], price: f64, period: f64) -> Option<Vec<f64>> {
        /// Of what a joint may do.
        const STEP: f64 = 1e-4;
        let n = self.joints.len();
        let fastest = std::f64::consts::TAU * self.options.harmonics as f64 / period;
        let counted = self.layout.weighed(counts, &self.smoothing);
        let (here, exceeds) = (counted(state), self.beyond(state) > 0.0);
        let slope = |place: usize| {
            let (order, i) = (place / n, place % n);
            let joint = &self.joints[i];
            let step = STEP * [joint.half, joint.speed, joint.speed * fastest][order];
            let aside = |by: f64| {
                let mut joints = state.joints.clone();
                match order {
                    0 => joints.q[i] += by,
                    1 => joints.qd[i] += by,
                    _ => joints.qdd[i] += by,
                }
                self.state(&joints)
            };
            let ahead = aside(step)?;
            // One side is enough for what is linear, and limits that are kept cost nothing.
            if order == 2 && !exceeds {
                return Some((counted(&ahead) - here) / step);
            }
            let behind = aside(-step)?;
            let cost = if exceeds { price * (self.beyond(&ahead) - self.beyond(&behind)) } else { 0.0 };
            Some((counted(&ahead) - counted(&behind) + cost) / (2.0 * step))
        };
        (0..3 * n).map(slope).collect()
    }

    /// How well a motion identifies parameters, when it goes on for the whole time; `other` are the lengths of the columns and the logarithm of the
    /// information of the motion that it is compared with.
    pub fn compared(
        &self,
        name: &str,
        states: &[State],
        weights: &[f64],
        other: Option<&Information>,
    ) -> (ComparedMotion, Information) {
        // R of Y = QR has its singular values and the lengths of its columns, and is much smaller.
        let y = self.rows(states, weights).qr().r();
        let p = y.ncols();
        let share = states.len() as f64 / (self.options.rate * self.options.duration);
        let own: Vec<f64> = y.column_iter().map(|column| column.norm().max(f64::MIN_POSITIVE)).collect();
        let scaled = |lengths: &[f64]| DMatrix::from_fn(y.nrows(), p, |i, j| y[(i, j)] / lengths[j]);
        let values = scaled(&own).singular_values();
        // A motion by rounding alone excites nothing: columns are as long as those of the other motion.
        let lengths = other
            .map_or(own.clone(), |other| other.lengths.iter().map(|l| l / other.share.sqrt() * share.sqrt()).collect());
        let svd = scaled(&lengths).svd(false, true);
        /// Below this share of the largest singular value a direction is not identifiable.
        const NOTHING: f64 = 1e-6;
        let most = svd.singular_values.max();
        let is_identifiable = |value: f64| value > NOTHING * most;
        let identified = svd.singular_values.iter().filter(|value| is_identifiable(**value)).count();
        let directions = svd.v_t.unwrap_or_else(|| DMatrix::identity(p, p));
        let sigma = |k: usize| {
            let (mut square, mut open) = (0.0, 0.0);
            for (value, direction) in svd.singular_values.iter().zip(directions.row_iter()) {
                let part = direction[k].powi(2);
                if is_identifiable(*value) { square += part / value.powi(2) } else { open += part }
            }
            (open < 1e-6).then(|| (square * share).sqrt() / lengths[k])
        };
        let log: f64 = svd.singular_values.iter().zip(&lengths).map(|(value, length)| (value * length).ln()).sum();
        let log = if identified < p { f64::NEG_INFINITY } else { 2.0 * log / p as f64 - share.ln() };
        let gain = other.map_or(1.0, |other| (other.log - log).exp());
        let condition = values.max() / values.min();
        let sigma = (0..p).map(sigma).collect();
        (
            ComparedMotion { name: name.to_owned(), gain, condition, told: identified, sigma },
            Information { lengths: own, share, log },
        )
    }

    /// The pace that is best for random motions, a try at a time: the value of the best with each.
    pub fn best_of_pace(
        &self,
        pace: usize,
        seed: &(dyn Fn(usize) -> u64 + Sync),
        weights: &mut Option<Vec<f64>>,
    ) -> Option<f64> {
        const TRIED: usize = 40;
        let search = ExcitationSearch::new(self, self.options.duration, pace);
        let motions: Vec<ExcitingMotion> =
            threads::each(TRIED, |k| search.random(seed(k))).into_iter().flatten().collect();
        // All under one noise, which does not matter.
        let weights = match weights {
            Some(weights) => weights,
            None => weights.insert(search.weights(motions.first()?)?),
        };
        // Of as many rows.
        let weights: Vec<f64> = weights.iter().map(|weight| weight / (search.rows.len() as f64).sqrt()).collect();
        let values = threads::each(motions.len(), |k| search.value(&motions[k], &weights));
        values.into_iter().flatten().min_by(f64::total_cmp)
    }

    /// The states of what the robot does every day.
    pub fn usual(&self) -> Option<(String, Vec<State>)> {
        let orders = [MotionOrder::default(), MotionOrder::usual(&self.robot.kind())];
        orders.iter().find_map(|order| {
            let timed = order.timed(self.robot, &Pick::default(), self.options.share).ok()?;
            let step = timed.motion.duration() / (2 * ROWS) as f64;
            let state = |k: usize| self.robot.at(&RobotMotion::at(&timed.motion, (k as f64 + 0.5) * step), &timed.pick);
            let states: Result<Vec<State>, StateError> = (0..2 * ROWS).map(state).collect();
            Some((order.name(), states.ok()?))
        })
    }
}
