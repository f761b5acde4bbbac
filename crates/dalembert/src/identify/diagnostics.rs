//! Likely mistakes in the log or the robot file: another zero or scale of a joint's positions, an inverted sign, another order of the
//! joints, another direction of gravity. Each is tried on some rows, and judged by the residual of plain least squares.

use super::columns::{ColumnLayout, ColumnQuantity, FitMode, FrictionTerm, Parameterization};
use super::fit::{Fitted, RegressionData, Residuals, thinned};
use crate::robot::regressor::Owner;
use crate::robot::{JointState, JointVector, Pick, Robot};
use crate::{Vec3, threads};
use dalembert_identify::consistent;
use dalembert_identify::friction::{orthonormal, sign, stribeck};
use dalembert_identify::least_squares::Compressed;
use dalembert_identify::signal::median;
use nalgebra::{DMatrix, DVector};

/// States that are tried.
const STATES: usize = 240;
/// The squared residual has to fall to this share of itself for a zero of a joint, and to this one for everything else.
const FALLS: [f64; 2] = [0.4, 0.25];
/// Residuals over torques, as an RMS over the joints: below the first, signs and order have to explain more than usual; below the second
/// they are right.
const EXPLAINED: [f64; 2] = [0.12, 0.02];
const FALLS_OF_LITTLE: f64 = 0.1;
/// Physically consistent fits: torques are known to this share of them, and this is the weight of the robot file's bodies.
const KNOWN: f64 = 0.01;
const LIGHT: f64 = 0.1;
/// Zero offsets below this are nothing to speak of, rad (m); factors of positions by their logarithm.
const LEAST_OFFSET: f64 = 0.01;
const LEAST_SCALE: f64 = 0.03;
/// By the robot file's bodies, which are not known so well: this far off, rad (m), at most this residual with the correction, and its
/// square at most this share of what it was.
const FILE_OFFSET: f64 = 0.15;
const FILE_GOOD: f64 = 0.25;
const FILE_FALLS: f64 = 0.4;
/// With the correction the residual of the file's bodies is at most this many times that of free ones, and this share of the torques more.
const FILE_NEAR: f64 = 3.0;
const FILE_REST: f64 = 0.01;
/// Faults that are looked for, one after the other.
const FAULTS: usize = 3;
/// With more joints only neighbours are exchanged.
const FEW: usize = 8;

/// A likely mistake.
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

/// A fault, and the residual over the torques without and with its correction.
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
    /// For each state q, q̇, q̈ and τ of each joint, and whether its row counts: 1 or, next to a reversal, where the filtered dry friction
    /// changes its sign, 0.
    states: Vec<[Vec<f64>; 5]>,
    /// Whether the robot carries a payload in each state.
    carries: Vec<bool>,
    /// One over the size of each joint's torque.
    weights: Vec<f64>,
    columns: Vec<usize>,
}

/// Rows Y and τ of a hypothesis.
type TrialRows = (DMatrix<f64>, DVector<f64>);

impl<'a> DiagnosticTrial<'a> {
    fn new(data: &'a RegressionData<'a>, layout: &'a ColumnLayout, columns: Vec<usize>, fitted: &'a Fitted) -> Self {
        let n = data.joints();
        let every = data.len().div_ceil(STATES).max(1);
        let rows = || data.rows.iter().step_by(every);
        let carries = rows().map(|(run, _)| layout.parameterization.carries(*run)).collect();
        let states = rows().map(|&(run, sample)| {
            let run = &data.runs[run];
            let of = |values: &[Vec<f64>]| values.iter().map(|joint| joint[sample]).collect();
            let torque = (0..n).map(|i| run.torque(i, sample, fitted.delay)).collect();
            let reach = (0.6 / (run.cutoff * run.step)).ceil() as usize;
            let counts = |speeds: &Vec<f64>| {
                let around = &speeds[sample.saturating_sub(reach)..(sample + reach + 1).min(speeds.len())];
                let turns = around.iter().any(|v| v * speeds[sample] <= 0.0);
                if turns { 0.0 } else { 1.0 }
            };
            [of(&run.q), of(&run.qd), of(&run.qdd), torque, run.qd.iter().map(counts).collect()]
        });
        let states: Vec<[Vec<f64>; 5]> = states.collect();
        let size = |i: usize| states.iter().map(|state| (state[3][i] * state[4][i]).powi(2)).sum::<f64>().sqrt();
        let weights = (0..n).map(|i| 1.0 / size(i).max(f64::MIN_POSITIVE)).collect();
        Self { data, layout, fitted, states, carries, weights, columns }
    }

    /// The rows of a hypothesis; none where the robot cannot be in such states.
    fn rows(&self, robot: &Robot, layout: &ColumnLayout, hypothesis: &LogHypothesis) -> Option<TrialRows> {
        let (n, p) = (self.data.joints(), layout.columns.len());
        let smoothing: Vec<f64> =
            (0..n).map(|i| 0.5 * self.data.runs.iter().map(|run| run.resting[i]).fold(0.0, f64::max)).collect();
        let one = |k: usize| -> Option<(Vec<f64>, [Vec<f64>; 2])> {
            let state = &self.states[k];
            let moved = |of: usize, i: usize| hypothesis.sign[0][i] * state[of][hypothesis.order[0][i]];
            let at = JointState {
                q: JointVector::from_fn(n, |i| moved(0, i) + hypothesis.offset[i]),
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
            let tau = |i: usize| hypothesis.sign[1][i] * state[3][hypothesis.order[1][i]];
            let counts = |i: usize| self.weights[hypothesis.order[1][i]] * state[4][hypothesis.order[0][i]];
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
        Some((y, DVector::from_fn(all.len() * n, |row, _| tau(row))))
    }

    fn rows_of(&self, hypothesis: &LogHypothesis) -> Option<TrialRows> {
        match hypothesis.gravity {
            None => self.rows(self.data.robot, self.layout, hypothesis),
            Some(gravity) => {
                let robot = self.data.robot.with_gravity(gravity).ok()?;
                let layout = ColumnLayout::new(&robot, &self.layout.parameterization).ok()?;
                self.rows(&robot, &layout, hypothesis)
            }
        }
    }

    /// Squared residual of plain least squares, as a share of the torques.
    fn left(&self, hypothesis: &LogHypothesis) -> Option<f64> {
        let (y, tau) = self.rows_of(hypothesis)?;
        let left = Compressed::new(&y, &tau).map_or(f64::INFINITY, |rows| rows.rest);
        Some(left / self.weights.len() as f64)
    }

    /// The zero (or scale) of a joint with the smallest residual, from the hypothesis on, by Gauss and Newton: what is to be added, and the
    /// squared residual there. Rows with it are Y π and δ ∂(Y π)/∂q.
    fn number(&self, hypothesis: &LogHypothesis, fault: impl Fn(f64) -> Fault, before: f64) -> Option<(f64, f64)> {
        const STEP: f64 = 1e-4;
        const LARGEST: f64 = 0.4;
        let (mut by, mut best) = (0.0, (0.0, before));
        for round in 0..8 {
            let at = |more: f64| self.rows_of(&hypothesis.with(fault(by + more)));
            let [(y, tau), low, high] = [at(0.0)?, at(-STEP)?, at(STEP)?];
            let known = orthonormal(&y);
            let residual = |v: &DVector<f64>| v - &known * known.tr_mul(v);
            let off = residual(&tau);
            let now = off.norm_squared() / self.weights.len() as f64;
            if now < best.1 {
                best = (by, now);
            }
            // A fit of few numbers: the smallest of all that leave as little.
            let parameters = y.svd(true, true).solve(&tau, 1e-9).ok()?;
            let change = (high.0 - low.0) * &parameters - (high.1 - low.1);
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

    /// The fault whose correction has the smallest residual, if that is small enough (for a zero this share of what it was); signs, order
    /// and gravity only where asked for.
    fn best(&self, hypothesis: &LogHypothesis, before: f64, all: bool, falls: f64) -> Option<(Fault, f64)> {
        let n = self.weights.len();
        let number = |fault: fn(usize, f64) -> Fault, least: f64, joint: usize| {
            let found = self.number(hypothesis, |by| fault(joint, by), before);
            let found = found.filter(|(by, left)| by.abs() > least && *left < falls * before);
            found.map(|(by, left)| (fault(joint, by), left))
        };
        let zeros = (0..n).filter_map(|joint| number(Fault::Zero, LEAST_OFFSET, joint));
        let scales = (0..n).filter(|_| all).filter_map(|joint| number(Fault::Scale, LEAST_SCALE, joint));
        let mut best: Option<(Fault, f64)> = zeros.chain(scales).min_by(|a, b| a.1.total_cmp(&b.1));
        let enough = before * if before.sqrt() > EXPLAINED[0] { FALLS[1] } else { FALLS_OF_LITTLE };
        for fault in if all { suspects(self.data.robot, n) } else { Vec::new() } {
            let left = self.left(&hypothesis.with(fault)).unwrap_or(f64::INFINITY);
            // A zero that is not right yet has a larger residual than it has to.
            let refine = |make: fn(usize, f64) -> Fault, joint: usize, by: f64| {
                let found = self.number(&hypothesis.with(fault), |by| make(joint, by), left);
                found.map_or((fault, left), |(more, left)| (make(joint, by + more), left))
            };
            let refined = match fault {
                Fault::Zero(joint, by) if left < before => refine(Fault::Zero, joint, by),
                Fault::Scale(joint, by) if left < before => refine(Fault::Scale, joint, by),
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
    let along = |axis: usize, size: f64| Vec3::from_fn(|k| if k == axis { size } else { 0.0 });
    let others = (0..3).flat_map(|axis| [size, -size].map(|size| along(axis, size)));
    let differs = |other: &Vec3<f64>| size > 0.0 && (*other - own).norm_squared().sqrt() > 0.1 * size;
    all.extend(others.filter(differs).map(Fault::Gravity));
    all
}

/// Likely mistakes, the gravest first, each with the correction of those before. `explained` says whether physically consistent parameters
/// explain the torques at every joint, `inconsistent` whether others explain them far better.
pub(crate) fn diagnostics(
    data: &RegressionData<'_>,
    fitted: &Fitted,
    explained: bool,
    inconsistent: bool,
) -> Vec<Diagnosis> {
    let n = data.joints();
    let trial = DiagnosticTrial::new(data, data.layout, data.structure.independent.clone(), fitted);
    let (sign, order) = ([vec![1.0; n], vec![1.0; n]], [(0..n).collect(), (0..n).collect()]);
    let mut hypothesis = LogHypothesis { sign, order, offset: vec![0.0; n], gravity: None };
    let mut found = Vec::new();
    let Some(mut before) = trial.left(&hypothesis) else { return found };
    // A counterbalance of which nothing is known, or the wrong bodies of a gray box, are no fault of signs.
    let has_bodies = data.layout.columns.iter().any(|column| matches!(column.quantity, ColumnQuantity::Terms(_)));
    for _ in 0..FAULTS {
        let best = trial.best(&hypothesis, before, before.sqrt() > EXPLAINED[1] && has_bodies, FALLS[0]);
        let Some((fault, after)) = best else { break };
        found.push(Diagnosis { fault, before: before.sqrt(), after: after.sqrt() });
        (hypothesis, before) = (hypothesis.with(fault), after);
    }
    if found.is_empty() && data.layout.parameterization.mode == FitMode::Full {
        found.extend(against_the_file(data, fitted, &hypothesis, explained, before));
    }
    if found.is_empty() && inconsistent {
        found.extend(turned(data, fitted, &hypothesis));
    }
    found
}

/// The sign with which physically consistent parameters explain the torques, where otherwise only negative masses and friction do.
fn turned(data: &RegressionData<'_>, fitted: &Fitted, hypothesis: &LogHypothesis) -> Option<Diagnosis> {
    let trial = DiagnosticTrial::new(data, data.layout, (0..data.layout.columns.len()).collect(), fitted);
    let left = |hypothesis: &LogHypothesis| -> Option<f64> {
        let (y, tau) = trial.rows_of(hypothesis)?;
        let rows = Compressed::new(&(y / KNOWN), &(tau / KNOWN)).ok()?;
        let found = consistent::solve(&rows, &data.prior(&rows, LIGHT), LIGHT).ok()?;
        Some(rows.error(&found.parameters) * KNOWN * KNOWN / trial.weights.len() as f64)
    };
    let before = left(hypothesis)?;
    let signs = suspects(data.robot, data.joints()).into_iter().filter(|fault| matches!(fault, Fault::Sign(..)));
    let tried = signs.filter_map(|fault| Some((fault, left(&hypothesis.with(fault))?)));
    let (fault, after) = tried.min_by(|a, b| a.1.total_cmp(&b.1))?;
    (after < FALLS[1] * before).then(|| Diagnosis { fault, before: before.sqrt(), after: after.sqrt() })
}

/// The correction with which the bodies of the robot file explain the torques, while without it only rotated ones do (a link that turns
/// with its wrong zero moves the same), or only physically inconsistent ones. `free` is the squared residual of free bodies.
fn against_the_file(
    data: &RegressionData<'_>,
    fitted: &Fitted,
    hypothesis: &LogHypothesis,
    explained: bool,
    free: f64,
) -> Option<Diagnosis> {
    let parameterization = Parameterization { mode: FitMode::Factors, ..data.layout.parameterization.clone() };
    let layout = ColumnLayout::new(data.robot, &parameterization).ok()?;
    let columns =
        (0..layout.columns.len()).filter(|&k| !matches!(layout.columns[k].quantity, ColumnQuantity::Stribeck(_)));
    let trial = DiagnosticTrial::new(data, &layout, columns.collect(), fitted);
    let before = trial.left(hypothesis)?;
    let (fault, after) = trial.best(hypothesis, before, !explained, FILE_FALLS)?;
    let fault = match fault {
        Fault::Zero(joint, by) => Fault::FileZero(joint, by),
        other => other,
    };
    let explains = match fault {
        // A payload that the file does not have looks like a wrong zero too, but has a larger residual than free bodies.
        Fault::FileZero(_, by) => by.abs() > FILE_OFFSET && after.sqrt() < FILE_NEAR * free.sqrt() + FILE_REST,
        _ => true,
    };
    let explains = explains && after.sqrt() < FILE_GOOD;
    explains.then(|| Diagnosis { fault, before: before.sqrt(), after: after.sqrt() })
}

/// How many times those of the robot file's bodies the torques of a joint are, without what friction, the joint's own rotor, a
/// counterbalance and a constant torque would explain; none where little of the torque goes with the file's.
pub(crate) fn sizes(data: &RegressionData<'_>, of_file: &Fitted) -> Vec<Option<f64>> {
    const ROWS: usize = 3000;
    const GOES_WITH: f64 = 0.5;
    // What is carried is not the file's.
    let parameterization = &data.layout.parameterization;
    let mut rows = data.all();
    rows.retain(|&row| parameterization.loaded.is_empty() || !parameterization.carries(data.rows[row].0));
    let rows = thinned(&rows, ROWS);
    let rigid = |k: usize| matches!(data.layout.columns[k].quantity, ColumnQuantity::Terms(_));
    let parameters =
        DVector::from_fn(of_file.parameters.len(), |k, _| if rigid(k) { of_file.parameters[k] } else { 0.0 });
    let bodies = Fitted { parameters, ..of_file.clone() };
    let one = |joint: usize| {
        let (predicted, measured) = data.predict(&bodies, joint, &rows).ok()?;
        let (speeds, accelerations) = (data.speeds_of(joint, &rows), data.signal(|run| &run.qdd, joint, &rows));
        let signs = speeds.map(f64::signum);
        let mut known = vec![speeds, signs, accelerations, DVector::from_element(rows.len(), 1.0)];
        if parameterization.counterbalances.contains(&joint) || parameterization.springs.contains(&joint) {
            let at = data.signal(|run| &run.q, joint, &rows);
            known.extend([at.map(f64::sin), at.map(f64::cos), at]);
        }
        let basis = orthonormal(&DMatrix::from_columns(&known));
        let rest = |v: DVector<f64>| {
            let along = basis.tr_mul(&v);
            v - &basis * along
        };
        let (file, tau) = (rest(predicted), rest(measured));
        let (own, all, both) = (file.norm_squared(), tau.norm_squared(), file.dot(&tau));
        let follows = own > 0.0 && both * both > GOES_WITH * own * all;
        follows.then(|| both / own)
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
    let terms = data.layout.regressor.terms();
    let has_rotor = |joint: usize| terms.iter().any(|term| term.owner == Owner::Rotor(joint) && term.value > 0.0);
    let one = |joint: usize| {
        let at = |row: usize| {
            let (run, sample) = data.rows[row];
            let q = data.runs[run].state(sample).q;
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
    /// Of the squared length of a column: what the other rows do not determine stays as it was fitted.
    const RIDGE: f64 = 1e-4;
    let rows = thinned(&data.all(), ROWS);
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
            let wants: Vec<f64> =
                top.iter().map(|&k| (measured[k] - left[k] + more[k]) * measured[k].signum()).collect();
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let varies = |values: &[f64], middle: f64| {
                (values.iter().map(|x| (x - middle) * (x - middle)).sum::<f64>() / values.len() as f64).sqrt()
            };
            let (limit, wanted) = (mean(&own), mean(&wants));
            if wanted > (1.0 + MORE) * limit && varies(&own, limit) < FLAT * varies(&wants, wanted) {
                best = Some(Clipped { limit, wanted, share });
            }
        }
        best
    };
    threads::each(data.joints(), one)
}
