//! What would explain the torques better than the log and the robot file as they were given: another zero of a joint, a turned sign,
//! another order of the joints, another direction of gravity. Each is tried on some rows, and plain least squares judges.

use super::columns::{Layout, What};
use super::fit::{Data, Fitted};
use crate::robot::{JointState, JointVector, Pick, Robot};
use crate::{Vec3, threads};
use dalembert_identify::friction::{orthonormal, stribeck};
use dalembert_identify::least_squares::Compressed;
use nalgebra::{DMatrix, DVector};

/// States that are tried.
const STATES: usize = 240;
/// What is left, squared, has to fall to this share of itself for a zero of a joint, and to this one for everything else.
const TELLS: [f64; 2] = [0.4, 0.25];
/// Below this share of the torque, as an RMS over the joints, signs and order are right.
const EXPLAINED: f64 = 0.12;
/// Zero offsets below this are nothing to speak of, rad (m).
const LEAST_OFFSET: f64 = 0.01;
/// Faults that are looked for, one after the other.
const FAULTS: usize = 3;
/// With more joints only neighbours are exchanged.
const FEW: usize = 8;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    /// What has to be added to the positions of a joint.
    Zero(usize, f64),
    /// The sign of the positions, of the torques, of a joint.
    Sign(usize, [bool; 2]),
    /// Two joints are exchanged: their positions, their torques.
    Order([usize; 2], [bool; 2]),
    /// Gravity has this direction.
    Gravity(Vec3<f64>),
}

/// A fault, and the share of the torques that is left without and with its cure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Doubt {
    pub fault: Fault,
    pub before: f64,
    pub after: f64,
}

/// The log as it might have been meant: joint i is `sign · value[order] + offset`.
#[derive(Clone)]
struct Reading {
    sign: [Vec<f64>; 2],
    order: [Vec<usize>; 2],
    offset: Vec<f64>,
    gravity: Option<Vec3<f64>>,
}

impl Reading {
    fn with(&self, fault: Fault) -> Self {
        let mut all = self.clone();
        match fault {
            Fault::Zero(joint, by) => all.offset[joint] += by,
            Fault::Sign(joint, of) => {
                for k in (0..2).filter(|&k| of[k]) {
                    all.sign[k][joint] *= -1.0;
                }
                if of[0] {
                    all.offset[joint] *= -1.0;
                }
            }
            Fault::Order([a, b], of) => (0..2).filter(|&k| of[k]).for_each(|k| all.order[k].swap(a, b)),
            Fault::Gravity(gravity) => all.gravity = Some(gravity),
        }
        all
    }
}

/// Rows that are tried.
struct Trial<'a> {
    data: &'a Data<'a>,
    fitted: &'a Fitted,
    /// For each state q, q̇, q̈ and τ of each joint.
    states: Vec<[Vec<f64>; 4]>,
    /// One over the size of each joint's torque.
    weights: Vec<f64>,
    columns: Vec<usize>,
}

/// Rows [Y τ] of a reading.
struct Rows {
    y: DMatrix<f64>,
    tau: DVector<f64>,
}

impl<'a> Trial<'a> {
    fn new(data: &'a Data<'a>, fitted: &'a Fitted) -> Self {
        let n = data.joints();
        let every = data.len().div_ceil(STATES).max(1);
        let states = (0..data.len()).step_by(every).map(|row| {
            let (run, sample) = data.rows[row];
            let run = &data.runs[run];
            let of = |values: &[Vec<f64>]| values.iter().map(|joint| joint[sample]).collect();
            let torque = (0..n).map(|i| run.torque(i, sample, fitted.delay)).collect();
            [of(&run.q), of(&run.qd), of(&run.qdd), torque]
        });
        let states: Vec<[Vec<f64>; 4]> = states.collect();
        let size = |i: usize| states.iter().map(|state| state[3][i].powi(2)).sum::<f64>().sqrt();
        let weights = (0..n).map(|i| 1.0 / size(i).max(f64::MIN_POSITIVE)).collect();
        Self { data, fitted, states, weights, columns: data.structure.independent.clone() }
    }

    /// The rows of a reading; none where the robot cannot be in such states.
    fn rows(&self, robot: &Robot, layout: &Layout, reading: &Reading) -> Option<Rows> {
        let (n, p) = (self.data.joints(), layout.columns.len());
        let smoothing: Vec<f64> =
            (0..n).map(|i| 0.5 * self.data.runs.iter().map(|run| run.resting[i]).fold(0.0, f64::max)).collect();
        let one = |k: usize| -> Option<(Vec<f64>, Vec<f64>)> {
            let state = &self.states[k];
            let moved = |of: usize, i: usize| reading.sign[0][i] * state[of][reading.order[0][i]];
            let at = JointState {
                q: JointVector::from_fn(n, |i| moved(0, i) + reading.offset[i]),
                qd: JointVector::from_fn(n, |i| moved(1, i)),
                qdd: JointVector::from_fn(n, |i| moved(2, i)),
            };
            let there = robot.at_joints(&at, &Pick::default()).ok()?;
            let mut y = layout.row(&there, &smoothing);
            for (i, speed) in self.fitted.stribeck.iter().enumerate() {
                if let (Some(speed), Some(column)) = (speed, layout.stribeck_of(i)) {
                    y[i * (p + 1) + column] = stribeck(at.qd[i], smoothing[i], *speed);
                }
            }
            let tau = |i: usize| reading.sign[1][i] * state[3][reading.order[1][i]];
            Some((y, (0..n).map(tau).collect()))
        };
        let all: Vec<_> = threads::each(self.states.len(), one).into_iter().flatten().collect();
        if all.len() * 50 < self.states.len() * 49 {
            return None;
        }
        let weight = |i: usize| self.weights[reading.order[1][i]];
        let entry = |row: usize, column: usize| all[row / n].0[(row % n) * (p + 1) + column] * weight(row % n);
        let y = DMatrix::from_fn(all.len() * n, self.columns.len(), |row, k| entry(row, self.columns[k]));
        let tau = |row: usize| all[row / n].1[row % n] * weight(row % n) - entry(row, p);
        Some(Rows { y, tau: DVector::from_fn(all.len() * n, |row, _| tau(row)) })
    }

    fn rows_of(&self, reading: &Reading) -> Option<Rows> {
        match reading.gravity {
            None => self.rows(self.data.robot, self.data.layout, reading),
            Some(gravity) => {
                let robot = self.data.robot.with_gravity(gravity).ok()?;
                let layout = Layout::new(&robot, &self.data.layout.contents).ok()?;
                self.rows(&robot, &layout, reading)
            }
        }
    }

    /// What plain least squares leaves, squared, as a share of the torques.
    fn left(&self, reading: &Reading) -> Option<f64> {
        let rows = self.rows_of(reading)?;
        Some(left(&rows.y, &rows.tau) / self.weights.len() as f64)
    }

    /// The zero of a joint at which least is left, from the reading's on, by Gauss and Newton: what is to be added, and what is
    /// left there. Rows with it are Y π and δ ∂(Y π)/∂q.
    fn zero(&self, reading: &Reading, joint: usize, before: f64) -> Option<(f64, f64)> {
        const STEP: f64 = 1e-4;
        const LARGEST: f64 = 0.4;
        let (mut by, mut best) = (0.0, (0.0, before));
        for round in 0..8 {
            let at = |more: f64| self.rows_of(&reading.with(Fault::Zero(joint, by + more)));
            let [middle, low, high] = [at(0.0)?, at(-STEP)?, at(STEP)?];
            let known = orthonormal(&middle.y);
            let residual = |v: &DVector<f64>| v - &known * known.tr_mul(v);
            let off = residual(&middle.tau);
            let now = off.norm_squared() / self.weights.len() as f64;
            if now < best.1 {
                best = (by, now);
            }
            // A fit of few numbers: the smallest of all that leave as little.
            let parameters = middle.y.clone().svd(true, true).solve(&middle.tau, 1e-9).ok()?;
            let change = (&high.y - &low.y) * &parameters - (&high.tau - &low.tau);
            let direction = residual(&(change / (2.0 * STEP)));
            let size = direction.norm_squared();
            if size <= 1e-12 {
                break;
            }
            let step = direction.dot(&off) / size;
            // Too little to be gained: not this joint.
            if round == 0 && (step * step * size) / self.weights.len() as f64 <= 0.2 * now {
                break;
            }
            by += step.clamp(-LARGEST, LARGEST);
            if step.abs() < 1e-4 || by.abs() > std::f64::consts::PI {
                break;
            }
        }
        (best.0 != 0.0).then_some(best)
    }
}

fn left(y: &DMatrix<f64>, tau: &DVector<f64>) -> f64 {
    Compressed::new(y, tau).map_or(f64::INFINITY, |rows| rows.rest)
}

/// All that may be wrong with signs, order and gravity.
fn suspects(robot: &Robot, n: usize) -> Vec<Fault> {
    const EITHER: [[bool; 2]; 3] = [[true, false], [false, true], [true, true]];
    let mut all: Vec<Fault> = (0..n).flat_map(|i| EITHER.map(|of| Fault::Sign(i, of))).collect();
    for a in 0..n {
        let last = if n > FEW { (a + 2).min(n) } else { n };
        all.extend((a + 1..last).flat_map(|b| EITHER.map(|of| Fault::Order([a, b], of))));
    }
    let turn = std::f64::consts::FRAC_PI_2;
    all.extend((0..n).flat_map(|i| [turn, -turn, 2.0 * turn].map(|by| Fault::Zero(i, by))));
    let own = robot.gravity();
    let size = own.norm_squared().sqrt();
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            let other = Vec3::from_fn(|k| if k == axis { sign * size } else { 0.0 });
            if size > 0.0 && (other - own).norm_squared().sqrt() > 0.1 * size {
                all.push(Fault::Gravity(other));
            }
        }
    }
    all
}

/// What would explain the torques better, the gravest first; one after the other, each with the cure of those before.
pub(super) fn doubts(data: &Data<'_>, fitted: &Fitted) -> Vec<Doubt> {
    let n = data.joints();
    let trial = Trial::new(data, fitted);
    let mut reading = Reading {
        sign: [vec![1.0; n], vec![1.0; n]],
        order: [(0..n).collect(), (0..n).collect()],
        offset: vec![0.0; n],
        gravity: None,
    };
    let mut found = Vec::new();
    let Some(mut before) = trial.left(&reading) else { return found };
    // A counterbalance of which nothing is known, or the wrong bodies of a gray box, are no fault of signs.
    let has_bodies = data.layout.columns.iter().any(|column| matches!(column.what, What::Terms(_)));
    for _ in 0..FAULTS {
        let zero = |joint: usize| trial.zero(&reading, joint, before).map(|(by, left)| (Fault::Zero(joint, by), left));
        let zeros = (0..n).filter_map(zero).filter(|(fault, left)| {
            matches!(fault, Fault::Zero(_, by) if by.abs() > LEAST_OFFSET) && *left < TELLS[0] * before
        });
        let mut best: Option<(Fault, f64)> = zeros.min_by(|a, b| a.1.total_cmp(&b.1));
        if before.sqrt() > EXPLAINED && has_bodies {
            for fault in suspects(data.robot, n) {
                let left = trial.left(&reading.with(fault)).unwrap_or(f64::INFINITY);
                // A zero that is not right yet leaves more than it has to.
                let refined = match fault {
                    Fault::Zero(joint, by) if left < before => trial
                        .zero(&reading.with(fault), joint, left)
                        .map_or((fault, left), |(more, left)| (Fault::Zero(joint, by + more), left)),
                    _ => (fault, left),
                };
                // Of two that explain alike the first.
                if refined.1 < TELLS[1] * before && best.is_none_or(|(_, least)| refined.1 < 0.9 * least) {
                    best = Some(refined);
                }
            }
        }
        let Some((fault, after)) = best else { break };
        found.push(Doubt { fault, before: before.sqrt(), after: after.sqrt() });
        (reading, before) = (reading.with(fault), after);
    }
    found
}

/// How many times those of the robot file's bodies the torques of a joint are, without what friction, the joint's own rotor and a
/// constant torque would explain; none where little of the torque goes with the file's.
pub(super) fn sizes(data: &Data<'_>, of_file: &Fitted) -> Vec<Option<f64>> {
    const ROWS: usize = 3000;
    const GOES_WITH: f64 = 0.5;
    let rows: Vec<usize> = (0..data.len()).step_by(data.len().div_ceil(ROWS).max(1)).collect();
    let rigid = |k: usize| matches!(data.layout.columns[k].what, What::Terms(_));
    let parameters =
        DVector::from_fn(of_file.parameters.len(), |k, _| if rigid(k) { of_file.parameters[k] } else { 0.0 });
    let bodies = Fitted { parameters, ..of_file.clone() };
    let one = |joint: usize| {
        let (predicted, measured) = data.predict(&bodies, joint, &rows).ok()?;
        let speeds = DVector::from_vec(data.speeds(joint, &rows));
        let accelerations = rows.iter().map(|&row| data.runs[data.rows[row].0].qdd[joint][data.rows[row].1]);
        let accelerations = DVector::from_iterator(rows.len(), accelerations);
        let one = DVector::from_element(rows.len(), 1.0);
        let signs = speeds.map(f64::signum);
        let basis = orthonormal(&DMatrix::from_columns(&[speeds, signs, accelerations, one]));
        let rest = |v: DVector<f64>| {
            let along = basis.tr_mul(&v);
            v - &basis * along
        };
        let (file, tau) = (rest(predicted), rest(measured));
        let (own, all, both) = (file.norm_squared(), tau.norm_squared(), file.dot(&tau));
        let tells = own > 0.0 && both * both > GOES_WITH * own * all;
        tells.then(|| both / own)
    };
    threads::each(data.joints(), one)
}
