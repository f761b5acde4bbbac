//! What would explain the torques better than the log and the robot file as they were given: another zero or another scale of a
//! joint's positions, a turned sign, another order of the joints, another direction of gravity. Each is tried on some rows, and plain least squares judges.

use super::columns::{ColumnLayout, ColumnQuantity, FitMode, FrictionTerm, Parameterization};
use super::fit::{Fitted, RegressionData, Residuals};
use crate::robot::regressor::{Owner, Term};
use crate::robot::{JointState, JointVector, Pick, Robot};
use crate::{Vec3, threads};
use dalembert_identify::consistent;
use dalembert_identify::friction::{orthonormal, sign, stribeck};
use dalembert_identify::least_squares::Compressed;
use dalembert_identify::signal::median;
use nalgebra::{DMatrix, DVector};

/// States that are tried.
const STATES: usize = 240;
/// What is left, squared, has to fall to this share of itself for a zero of a joint, and to this one for everything else.
const TELLS: [f64; 2] = [0.4, 0.25];
/// Below this share of the torque, as an RMS over the joints, signs and order have to explain more than usual, and below the second
/// they are right.
const EXPLAINED: [f64; 2] = [0.12, 0.02];
const TELLS_OF_LITTLE: f64 = 0.1;
/// Bodies that can be: torques are known to this share of them, and this is the weight of the robot file's bodies.
const KNOWN: f64 = 0.01;
const LIGHT: f64 = 0.1;
/// Zero offsets below this are nothing to speak of, rad (m); factors of positions by their logarithm.
const LEAST_OFFSET: f64 = 0.01;
const LEAST_SCALE: f64 = 0.03;
/// By the robot file's bodies, which are not known so well: this far off, rad (m), at most so much left with the cure, and what is left,
/// squared, at most this share of what it was.
const FILE_OFFSET: f64 = 0.15;
const FILE_GOOD: f64 = 0.25;
const FILE_TELLS: f64 = 0.4;
/// With the cure the file's bodies leave at most this many times what free ones leave, and this share of the torques more.
const FILE_NEAR: f64 = 3.0;
const FILE_REST: f64 = 0.01;
/// Faults that are looked for, one after the other.
const FAULTS: usize = 3;
/// With more joints only neighbours are exchanged.
const FEW: usize = 8;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// What has to be added to the positions of a joint.
    Zero(usize, f64),
    /// The same, by the bodies of the robot file: others explain the torques without it.
    FileZero(usize, f64),
    /// What the positions of a joint have to be multiplied by, as a logarithm.
    Scale(usize, f64),
    /// The sign of the positions, of the torques, of a joint.
    Sign(usize, [bool; 2]),
    /// Two joints are exchanged: their positions, their torques.
    Order([usize; 2], [bool; 2]),
    /// Gravity has this direction.
    Gravity(Vec3<f64>),
}

/// A fault, and the share of the torques that is left without and with its cure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Diagnosis {
    pub fault: Fault,
    pub before: f64,
    pub after: f64,
}

/// The log as it might have been meant: joint i is `sign · value[order] + offset`, where the sign may have a size.
#[derive(Clone)]
struct LogHypothesis {
    sign: [Vec<f64>; 2],
    order: [Vec<usize>; 2],
    offset: Vec<f64>,
    gravity: Option<Vec3<f64>>,
}

impl LogHypothesis {
    fn with(&self, fault: Fault) -> Self {
        let mut all = self.clone();
        match fault {
            Fault::Zero(joint, by) | Fault::FileZero(joint, by) => all.offset[joint] += by,
            Fault::Scale(joint, by) => all.sign[0][joint] *= by.exp(),
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
struct DiagnosticTrial<'a> {
    data: &'a RegressionData<'a>,
    layout: &'a ColumnLayout,
    fitted: &'a Fitted,
    /// For each state q, q̇, q̈ and τ of each joint, and whether its row counts: 1 or, beside a reversal, where the filtered torque of
    /// dry friction is on its way from one side to the other, 0.
    states: Vec<[Vec<f64>; 5]>,
    /// Whether the robot carries a payload in each state.
    carries: Vec<bool>,
    /// One over the size of each joint's torque.
    weights: Vec<f64>,
    columns: Vec<usize>,
}

/// Rows [Y τ] of a reading.
struct TrialRows {
    y: DMatrix<f64>,
    tau: DVector<f64>,
}

impl<'a> DiagnosticTrial<'a> {
    fn new(data: &'a RegressionData<'a>, layout: &'a ColumnLayout, columns: Vec<usize>, fitted: &'a Fitted) -> Self {
        let n = data.joints();
        let every = data.len().div_ceil(STATES).max(1);
        let carries =
            (0..data.len()).step_by(every).map(|row| layout.parameterization.carries(data.rows[row].0)).collect();
        let states = (0..data.len()).step_by(every).map(|row| {
            let (run, sample) = data.rows[row];
            let run = &data.runs[run];
            let of = |values: &[Vec<f64>]| values.iter().map(|joint| joint[sample]).collect();
            let torque = (0..n).map(|i| run.torque(i, sample, fitted.delay)).collect();
            let reach = (0.6 / (run.cutoff * run.step)).ceil() as usize;
            let counts = |speeds: &Vec<f64>| {
                let beside = &speeds[sample.saturating_sub(reach)..(sample + reach + 1).min(speeds.len())];
                let turns = beside.iter().any(|v| v * speeds[sample] <= 0.0);
                if turns { 0.0 } else { 1.0 }
            };
            [of(&run.q), of(&run.qd), of(&run.qdd), torque, run.qd.iter().map(counts).collect()]
        });
        let states: Vec<[Vec<f64>; 5]> = states.collect();
        let size = |i: usize| states.iter().map(|state| (state[3][i] * state[4][i]).powi(2)).sum::<f64>().sqrt();
        let weights = (0..n).map(|i| 1.0 / size(i).max(f64::MIN_POSITIVE)).collect();
        Self { data, layout, fitted, states, carries, weights, columns }
    }

    /// The rows of a reading; none where the robot cannot be in such states.
    fn rows(&self, robot: &Robot, layout: &ColumnLayout, reading: &LogHypothesis) -> Option<TrialRows> {
        let (n, p) = (self.data.joints(), layout.columns.len());
        let smoothing: Vec<f64> =
            (0..n).map(|i| 0.5 * self.data.runs.iter().map(|run| run.resting[i]).fold(0.0, f64::max)).collect();
        let one = |k: usize| -> Option<(Vec<f64>, [Vec<f64>; 2])> {
            let state = &self.states[k];
            let moved = |of: usize, i: usize| reading.sign[0][i] * state[of][reading.order[0][i]];
            let at = JointState {
                q: JointVector::from_fn(n, |i| moved(0, i) + reading.offset[i]),
                qd: JointVector::from_fn(n, |i| moved(1, i)),
                qdd: JointVector::from_fn(n, |i| moved(2, i)),
            };
            let there = robot.at_joints(&at, &Pick::default()).ok()?;
            let mut y = layout.row(&there, &smoothing, self.carries[k]);
            for i in 0..n {
                for part in [FrictionTerm::Stribeck, FrictionTerm::Sign] {
                    let Some(speed) = self.fitted.speeds.of(part, i) else { continue };
                    let Some(column) = layout.friction_of(part, i) else { continue };
                    y[i * (p + 1) + column] = match part {
                        FrictionTerm::Stribeck => stribeck(at.qd[i], smoothing[i], speed),
                        FrictionTerm::Sign => sign(at.qd[i], speed),
                    };
                }
            }
            let tau = |i: usize| reading.sign[1][i] * state[3][reading.order[1][i]];
            let counts = |i: usize| self.weights[reading.order[1][i]] * state[4][reading.order[0][i]];
            Some((y, [(0..n).map(tau).collect(), (0..n).map(counts).collect()]))
        };
        let all: Vec<_> = threads::each(self.states.len(), one).into_iter().flatten().collect();
        if all.len() * 50 < self.states.len() * 49 {
            return None;
        }
        let weight = |row: usize| all[row / n].1[1][row % n];
        let entry = |row: usize, column: usize| all[row / n].0[(row % n) * (p + 1) + column] * weight(row);
        let y = DMatrix::from_fn(all.len() * n, self.columns.len(), |row, k| entry(row, self.columns[k]));
        let tau = |row: usize| all[row / n].1[0][row % n] * weight(row) - entry(row, p);
        Some(TrialRows { y, tau: DVector::from_fn(all.len() * n, |row, _| tau(row)) })
    }

    fn rows_of(&self, reading: &LogHypothesis) -> Option<TrialRows> {
        match reading.gravity {
            None => self.rows(self.data.robot, self.layout, reading),
            Some(gravity) => {
                let robot = self.data.robot.with_gravity(gravity).ok()?;
                let layout = ColumnLayout::new(&robot, &self.layout.parameterization).ok()?;
                self.rows(&robot, &layout, reading)
            }
        }
    }

    /// What plain least squares leaves, squared, as a share of the torques.
    fn left(&self, reading: &LogHypothesis) -> Option<f64> {
        let rows = self.rows_of(reading)?;
        Some(left(&rows.y, &rows.tau) / self.weights.len() as f64)
    }

    /// The zero (or scale) of a joint at which least is left, from the reading's on, by Gauss and Newton: what is to be added, and what
    /// is left there. Rows with it are Y π and δ ∂(Y π)/∂q.
    fn number(&self, reading: &LogHypothesis, fault: impl Fn(f64) -> Fault, before: f64) -> Option<(f64, f64)> {
        const STEP: f64 = 1e-4;
        const LARGEST: f64 = 0.4;
        let (mut by, mut best) = (0.0, (0.0, before));
        for round in 0..8 {
            let at = |more: f64| self.rows_of(&reading.with(fault(by + more)));
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

impl DiagnosticTrial<'_> {
    /// The fault whose cure leaves least, if it leaves little enough (a zero this share of what it was), and what it leaves; signs, order
    /// and gravity only where asked for.
    fn best(&self, reading: &LogHypothesis, before: f64, all: bool, tells: f64) -> Option<(Fault, f64)> {
        let n = self.weights.len();
        let number = |fault: fn(usize, f64) -> Fault, joint: usize| {
            let found = self.number(reading, |by| fault(joint, by), before);
            found.map(|(by, left)| (fault(joint, by), left))
        };
        let zeros = (0..n).filter_map(|joint| number(Fault::Zero, joint)).filter(|(fault, left)| {
            matches!(fault, Fault::Zero(_, by) if by.abs() > LEAST_OFFSET) && *left < tells * before
        });
        let scales = (0..n).filter(|_| all).filter_map(|joint| number(Fault::Scale, joint)).filter(|(fault, left)| {
            matches!(fault, Fault::Scale(_, by) if by.abs() > LEAST_SCALE) && *left < tells * before
        });
        let mut best: Option<(Fault, f64)> = zeros.chain(scales).min_by(|a, b| a.1.total_cmp(&b.1));
        let enough = before * if before.sqrt() > EXPLAINED[0] { TELLS[1] } else { TELLS_OF_LITTLE };
        for fault in if all { suspects(self.data.robot, n) } else { Vec::new() } {
            let left = self.left(&reading.with(fault)).unwrap_or(f64::INFINITY);
            // A zero that is not right yet leaves more than it has to.
            let refined = match fault {
                Fault::Zero(joint, by) if left < before => self
                    .number(&reading.with(fault), |by| Fault::Zero(joint, by), left)
                    .map_or((fault, left), |(more, left)| (Fault::Zero(joint, by + more), left)),
                Fault::Scale(joint, by) if left < before => self
                    .number(&reading.with(fault), |by| Fault::Scale(joint, by), left)
                    .map_or((fault, left), |(more, left)| (Fault::Scale(joint, by + more), left)),
                _ => (fault, left),
            };
            // Of two that explain alike the first.
            if refined.1 < enough && best.is_none_or(|(_, least)| refined.1 < 0.9 * least) {
                best = Some(refined);
            }
        }
        best
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
    all.extend((0..n).flat_map(|i| [2.0_f64, 0.5].map(|by| Fault::Scale(i, by.ln()))));
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
/// `explained` says whether bodies that can be explain the torques at every joint, `impossible` whether others explain them far better.
pub(crate) fn diagnostics(
    data: &RegressionData<'_>,
    fitted: &Fitted,
    explained: bool,
    impossible: bool,
) -> Vec<Diagnosis> {
    let n = data.joints();
    let trial = DiagnosticTrial::new(data, data.layout, data.structure.independent.clone(), fitted);
    let mut reading = LogHypothesis {
        sign: [vec![1.0; n], vec![1.0; n]],
        order: [(0..n).collect(), (0..n).collect()],
        offset: vec![0.0; n],
        gravity: None,
    };
    let mut found = Vec::new();
    let Some(mut before) = trial.left(&reading) else { return found };
    // A counterbalance of which nothing is known, or the wrong bodies of a gray box, are no fault of signs.
    let has_bodies = data.layout.columns.iter().any(|column| matches!(column.quantity, ColumnQuantity::Terms(_)));
    for _ in 0..FAULTS {
        let best = trial.best(&reading, before, before.sqrt() > EXPLAINED[1] && has_bodies, TELLS[0]);
        let Some((fault, after)) = best else { break };
        found.push(Diagnosis { fault, before: before.sqrt(), after: after.sqrt() });
        (reading, before) = (reading.with(fault), after);
    }
    if found.is_empty() && data.layout.parameterization.mode == FitMode::Full {
        found.extend(against_the_file(data, fitted, &reading, explained, before));
    }
    if found.is_empty() && impossible {
        found.extend(turned(data, fitted, &reading));
    }
    found
}

/// The sign with which bodies that can be explain the torques, where as they are only bodies with negative masses and friction do.
fn turned(data: &RegressionData<'_>, fitted: &Fitted, reading: &LogHypothesis) -> Option<Diagnosis> {
    let trial = DiagnosticTrial::new(data, data.layout, (0..data.layout.columns.len()).collect(), fitted);
    let left = |reading: &LogHypothesis| -> Option<f64> {
        let TrialRows { y, tau } = trial.rows_of(reading)?;
        let rows = Compressed::new(&(y / KNOWN), &(tau / KNOWN)).ok()?;
        let found = consistent::solve(&rows, &data.prior(&rows, LIGHT), LIGHT).ok()?;
        Some(rows.error(&found.parameters) * KNOWN * KNOWN / trial.weights.len() as f64)
    };
    let before = left(reading)?;
    let signs = suspects(data.robot, data.joints()).into_iter().filter(|fault| matches!(fault, Fault::Sign(..)));
    let tried = signs.filter_map(|fault| Some((fault, left(&reading.with(fault))?)));
    let (fault, after) = tried.min_by(|a, b| a.1.total_cmp(&b.1))?;
    (after < TELLS[1] * before).then(|| Diagnosis { fault, before: before.sqrt(), after: after.sqrt() })
}

/// What the bodies of the robot file would do with, while without it only turned ones do (a link that turns with its wrong zero moves
/// the same), or, where not even bodies that can be explain the torques, only negative ones. `free` is what free bodies leave, squared.
fn against_the_file(
    data: &RegressionData<'_>,
    fitted: &Fitted,
    reading: &LogHypothesis,
    explained: bool,
    free: f64,
) -> Option<Diagnosis> {
    let parameterization = Parameterization { mode: FitMode::Factors, ..data.layout.parameterization.clone() };
    let layout = ColumnLayout::new(data.robot, &parameterization).ok()?;
    let columns =
        (0..layout.columns.len()).filter(|&k| !matches!(layout.columns[k].quantity, ColumnQuantity::Stribeck(_)));
    let trial = DiagnosticTrial::new(data, &layout, columns.collect(), fitted);
    let before = trial.left(reading)?;
    let (fault, after) = trial.best(reading, before, !explained, FILE_TELLS)?;
    let fault = match fault {
        Fault::Zero(joint, by) => Fault::FileZero(joint, by),
        other => other,
    };
    let tells = match fault {
        // What the file does not know, a payload say, looks like a wrong zero too, but leaves more than free bodies do.
        Fault::FileZero(_, by) => by.abs() > FILE_OFFSET && after.sqrt() < FILE_NEAR * free.sqrt() + FILE_REST,
        _ => true,
    };
    let tells = tells && after.sqrt() < FILE_GOOD;
    tells.then(|| Diagnosis { fault, before: before.sqrt(), after: after.sqrt() })
}

/// How many times those of the robot file's bodies the torques of a joint are, without what friction, the joint's own rotor, a
/// counterbalance and a constant torque would explain; none where little of the torque goes with the file's.
pub(crate) fn sizes(data: &RegressionData<'_>, of_file: &Fitted) -> Vec<Option<f64>> {
    const ROWS: usize = 3000;
    const GOES_WITH: f64 = 0.5;
    // What is carried is not the file's.
    let parameterization = &data.layout.parameterization;
    let of_file_rows: Vec<usize> = (0..data.len())
        .filter(|&row| parameterization.loaded.is_empty() || !parameterization.carries(data.rows[row].0))
        .collect();
    let rows: Vec<usize> = of_file_rows.iter().copied().step_by(of_file_rows.len().div_ceil(ROWS).max(1)).collect();
    let rigid = |k: usize| matches!(data.layout.columns[k].quantity, ColumnQuantity::Terms(_));
    let parameters =
        DVector::from_fn(of_file.parameters.len(), |k, _| if rigid(k) { of_file.parameters[k] } else { 0.0 });
    let bodies = Fitted { parameters, ..of_file.clone() };
    let one = |joint: usize| {
        let (predicted, measured) = data.predict(&bodies, joint, &rows).ok()?;
        let speeds = DVector::from_vec(data.speeds_of(joint, &rows));
        let accelerations = rows.iter().map(|&row| data.runs[data.rows[row].0].qdd[joint][data.rows[row].1]);
        let accelerations = DVector::from_iterator(rows.len(), accelerations);
        let one = DVector::from_element(rows.len(), 1.0);
        let signs = speeds.map(f64::signum);
        let mut known = vec![speeds, signs, accelerations, one];
        if parameterization.counterbalances.contains(&joint) || parameterization.springs.contains(&joint) {
            let at = rows.iter().map(|&row| data.runs[data.rows[row].0].q[joint][data.rows[row].1]);
            let at = DVector::from_iterator(rows.len(), at);
            known.extend([at.map(f64::sin), at.map(f64::cos), at]);
        }
        let basis = orthonormal(&DMatrix::from_columns(&known));
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

/// How many times that of the robot file the inertia about each joint is as it was found; none where the file has no rotor there,
/// which may have any inertia.
pub(crate) fn inertias(data: &RegressionData<'_>, fitted: &Fitted, of_file: &Fitted) -> Vec<Option<f64>> {
    const STATES: usize = 30;
    let (n, p) = (data.joints(), data.layout.columns.len());
    let smoothing = vec![1.0; n];
    let every = data.len().div_ceil(STATES).max(1);
    let has_rotor = |joint: usize| {
        let own = |term: &Term| term.owner == Owner::Rotor(joint) && term.value > 0.0;
        data.layout.regressor.terms().iter().any(own)
    };
    let one = |joint: usize| {
        let at = |row: usize| {
            let (run, sample) = data.rows[row];
            let q = JointVector::from_fn(n, |i| data.runs[run].q[i][sample]);
            // Torque of this joint at rest, accelerating by one and by none: the difference is its inertia.
            let rows = [1.0, 0.0].map(|by| {
                let qdd = JointVector::from_fn(n, |i| if i == joint { by } else { 0.0 });
                let state = JointState { q: q.clone(), qd: JointVector::from_fn(n, |_| 0.0), qdd };
                let there = data.robot.at_joints(&state, &Pick::default()).ok()?;
                let y = data.layout.row(&there, &smoothing, data.layout.parameterization.carries(run));
                Some(y[joint * (p + 1)..(joint + 1) * (p + 1)].to_vec())
            });
            let [Some(moving), Some(still)] = rows else { return f64::NAN };
            let inertia = |parameters: &DVector<f64>| {
                let of = |k: usize| if k < p { parameters[k] } else { 1.0 };
                (0..=p).map(|k| (moving[k] - still[k]) * of(k)).sum::<f64>()
            };
            inertia(&fitted.parameters) / inertia(&of_file.parameters)
        };
        has_rotor(joint).then(|| median((0..data.len()).step_by(every).map(at))).filter(|ratio| ratio.is_finite())
    };
    threads::each(n, one)
}

/// A torque that stays at a limit where the others say that it would be larger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clipped {
    /// N m (N).
    pub limit: f64,
    /// What it would be there, on average.
    pub wanted: f64,
    /// Share of the rows.
    pub share: f64,
}

/// Whether the largest torques of each joint are cut: what the other rows predict there is larger by more than a twentieth, and
/// varies five times as much. (A limit that the drive itself keeps is no harm: the motion obeys it too.)
pub(crate) fn clipped(data: &RegressionData<'_>, fitted: &Fitted) -> Vec<Option<Clipped>> {
    const ROWS: usize = 3000;
    const SHARES: [f64; 5] = [0.02, 0.05, 0.1, 0.2, 0.35];
    const MORE: f64 = 0.05;
    const FLAT: f64 = 0.2;
    /// Of the squared length of a column: what the rest does not tell stays as it was fitted.
    const RIDGE: f64 = 1e-4;
    let rows: Vec<usize> = (0..data.len()).step_by(data.len().div_ceil(ROWS).max(1)).collect();
    let one = |joint: usize| {
        let Residuals { y, measured, left } = data.residuals(fitted, joint, &rows).ok()?;
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|a, b| measured[*b].abs().total_cmp(&measured[*a].abs()));
        let lengths: Vec<f64> = y.column_iter().map(|column| column.norm()).collect();
        let there: Vec<usize> = (0..y.ncols()).filter(|&k| lengths[k] > 0.0).collect();
        let scaled = DMatrix::from_fn(rows.len(), there.len(), |i, j| y[(i, there[j])] / lengths[there[j]]);
        let mut best: Option<Clipped> = None;
        for share in SHARES {
            let (top, rest) = order.split_at((share * rows.len() as f64) as usize);
            if top.len() < 20 {
                continue;
            }
            let (a, b) = (scaled.select_rows(rest), left.select_rows(rest));
            let square = a.tr_mul(&a) + DMatrix::identity(there.len(), there.len()) * RIDGE;
            let change = nalgebra::Cholesky::new(square)?.solve(&a.tr_mul(&b));
            let more = &scaled * change;
            // In the direction in which it was measured.
            let own: Vec<f64> = top.iter().map(|&k| measured[k].abs()).collect();
            let wanted =
                top.iter().map(|&k| (measured[k] - left[k] + more[k]) * measured[k].signum()).collect::<Vec<f64>>();
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let varies = |values: &[f64]| {
                let middle = mean(values);
                (values.iter().map(|x| (x - middle) * (x - middle)).sum::<f64>() / values.len() as f64).sqrt()
            };
            let (limit, wants) = (mean(&own), mean(&wanted));
            if wants > (1.0 + MORE) * limit && varies(&own) < FLAT * varies(&wanted) {
                best = Some(Clipped { limit, wanted: wants, share });
            }
        }
        best
    };
    threads::each(data.joints(), one).into_iter().collect()
}
