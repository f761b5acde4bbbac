//! The fastest motion along a path that torques and speeds allow, with the exact dynamics.
//!
//! Along a path X(s) the torques without friction are affine in s̈ and in x = ṡ²:
//!
//! ```text
//! τ = a(s) s̈ + b(s) x + c(s)                                                                                 (1)
//! ```
//!
//! Three evaluations of the model at a point give a, b and c exactly: c at rest, a + c with s̈ = 1, b + c with ṡ = 1.
//! Friction is added to c: its least and largest value at the speeds that the round before has found in the interval.
//!
//! The path is cut into intervals with constant s̈, so x is linear in s and the law is exact: s(t) is quadratic in each.
//! (1) has to hold at both ends of an interval; at its far end x is x + 2Δ s̈, which leaves it linear in (s̈, x). Then, as in
//! reachability analysis (Pham & Pham 2018, "A new approach to time-optimal path parameterization based on reachability
//! analysis"):
//!
//! 1. from the end backwards, the interval of those x from which the end can be reached;
//! 2. from the start forwards, always the largest s̈ that stays in it.
//!
//! Both are linear programs in two variables. They are solved by eliminating s̈ (Fourier–Motzkin), which needs no special
//! case where an entry of a(s) vanishes, the places where integrating methods break down.
//!
//! Between the ends the torque is checked with the model itself, and intervals where it passes a limit, or keeps away from
//! all of them, are halved until the excess is below [`EXCESS`].

use super::machine::{Load, Machine, Passed, PerJoint, place};
use super::{Impossible, Law, Local, Path, Point, State};
use crate::arm::MOST_JOINTS;

/// By how much of itself a limit may be passed between the points of the grid.
pub const EXCESS: f64 = 1e-3;

/// A limit counts as active where less than this share of it is left.
pub const ACTIVE: f64 = 1e-2;

/// A law that is not made for a grid is checked at five places in each of at least so many stretches of time.
const STRETCHES: usize = 400;

/// How a motion is planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planning {
    /// Intervals to begin with.
    pub intervals: usize,
    /// Time over which jumps of the acceleration are spread, s; none: the torques jump.
    pub smoothing: Option<f64>,
}

impl Default for Planning {
    fn default() -> Self {
        Self { intervals: 200, smoothing: None }
    }
}

/// The fastest law of time, and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeOptimal {
    /// The law.
    pub law: Law,
    /// Its duration before the smoothing, s.
    pub unsmoothed: f64,
    /// Largest share of a limit, at most 1 + [`EXCESS`].
    pub tightest: f64,
    /// Share of the time in which a torque or a speed is at its limit, to [`ACTIVE`]; of the law as it is.
    pub active: f64,
    /// Intervals in the end.
    pub intervals: usize,
}

/// Why there is no such motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Out of reach.
    #[error("the path at s = {s:.4} m, {}: {cause}", place(.position))]
    Impossible {
        /// m.
        s: f64,
        /// m, or rad per joint.
        position: Vec<f64>,
        /// Why.
        cause: Impossible,
    },
    /// Geometry alone passes a limit.
    #[error("the path at s = {s:.4} m, {}: {passed}", place(.position))]
    Range {
        /// m.
        s: f64,
        /// m, or rad per joint.
        position: Vec<f64>,
        /// Which.
        passed: Passed,
    },
    /// Not even standing still.
    #[error("the robot cannot hold itself on the path at s = {s:.4} m, {}: {passed}", place(.position))]
    CannotHold {
        /// m.
        s: f64,
        /// m, or rad per joint.
        position: Vec<f64>,
        /// Which.
        passed: Passed,
    },
    /// The limits leave no motion over an interval.
    #[error("the limits let the robot not get over s = {s:.4} m")]
    Stuck {
        /// m.
        s: f64,
    },
    /// No limit is finite.
    #[error("without a limit on torque or speed the motion would take no time")]
    NoLimit,
    /// A number that cannot be.
    #[error("smoothing is {0} s, but must be positive and finite")]
    Smoothing(f64),
    /// The limits are still passed.
    #[error("after {rounds} rounds a limit is still passed by {:.3} %", 100.0 * (share - 1.0))]
    NotConverged {
        /// How many.
        rounds: usize,
        /// Of the limit.
        share: f64,
    },
}

/// The dynamics at one point of the path, (1), and the speeds q′.
#[derive(Clone, Copy)]
struct Coefficients {
    a: PerJoint,
    b: PerJoint,
    /// c with the least and with the largest friction.
    c: [PerJoint; 2],
    speed: PerJoint,
}

/// p s̈ + q x ≤ r.
#[derive(Clone, Copy)]
struct Row {
    p: f64,
    q: f64,
    r: f64,
}

/// One interval of the grid with what its two ends demand.
struct Interval {
    s: f64,
    width: f64,
    ends: [Coefficients; 2],
}

struct Planner<'a, P: Path, M> {
    path: &'a P,
    machine: &'a M,
}

/// A law along a path on a machine, as a list of states to be checked.
fn state<P: Path>(path: &P, s: f64, rate: f64, acceleration: f64) -> State<P::Point> {
    let Local { position, first, second } = path.at(s);
    State { position, velocity: first.times(rate), acceleration: second.times(rate * rate).plus(acceleration, first) }
}

impl<P: Path, M: Machine<Point = P::Point>> Planner<'_, P, M> {
    fn load(&self, s: f64, rate: f64, acceleration: f64) -> Result<Load, PlanError> {
        let state = state(self.path, s, rate, acceleration);
        self.machine.load(&state).map_err(|cause| PlanError::Impossible {
            s,
            position: state.position.components().to_vec(),
            cause,
        })
    }

    /// Three evaluations, and one more for the friction at each of `rates`.
    fn coefficients(&self, s: f64, rates: &[f64]) -> Result<Coefficients, PlanError> {
        let [still, pushed, moving] = [self.load(s, 0.0, 0.0)?, self.load(s, 0.0, 1.0)?, self.load(s, 1.0, 0.0)?];
        let position = || self.path.at(s).position.components().to_vec();
        if let Some(passed) = self.machine.passed_range(&still) {
            return Err(PlanError::Range { s, position: position(), passed });
        }
        if let (share, Some(passed)) = self.machine.tightest(&still)
            && share > 1.0
        {
            return Err(PlanError::CannotHold { s, position: position(), passed });
        }
        let mut friction = [[0.0; MOST_JOINTS]; 2];
        for (k, &rate) in rates.iter().enumerate() {
            let now = self.load(s, rate, 0.0)?.friction;
            for (i, &value) in now.iter().enumerate() {
                friction[0][i] = if k == 0 { value } else { value.min(friction[0][i]) };
                friction[1][i] = if k == 0 { value } else { value.max(friction[1][i]) };
            }
        }
        let rigid = |load: &Load, i: usize| load.torque[i] - load.friction[i];
        let each = |f: &dyn Fn(usize) -> f64| std::array::from_fn(f);
        Ok(Coefficients {
            a: each(&|i| rigid(&pushed, i) - rigid(&still, i)),
            b: each(&|i| rigid(&moving, i) - rigid(&still, i)),
            c: friction.map(|friction| each(&|i| rigid(&still, i) + friction[i])),
            speed: each(&|i| moving.qd[i]),
        })
    }

    /// The intervals of a grid. The ends are taken a hair inside, so that a jump of X‴ belongs to one side.
    fn intervals(&self, grid: &[f64], before: &Before) -> Result<Vec<Interval>, PlanError> {
        let each = grid.windows(2).map(|pair| {
            let (s, width) = (pair[0], pair[1] - pair[0]);
            let rates = [0.0, 0.5, 1.0].map(|part| before.rate(s + part * width));
            let rates = if before.friction { &rates[..] } else { &[] };
            let inside = 1e-9 * width;
            Ok(Interval {
                s,
                width,
                ends: [self.coefficients(s + inside, rates)?, self.coefficients(s + width - inside, rates)?],
            })
        });
        each.collect()
    }

    /// What has to hold in an interval for (s̈, x), x at its beginning; `goal` is where x may be at its end.
    fn rows(&self, interval: &Interval, goal: (f64, f64), rows: &mut Vec<Row>) {
        rows.clear();
        let step = 2.0 * interval.width;
        for (end, far) in interval.ends.iter().zip([0.0, step]) {
            for (i, limits) in self.machine.limits().iter().enumerate() {
                if limits.max_torque.is_finite() {
                    let (p, q) = (end.a[i] + far * end.b[i], end.b[i]);
                    rows.push(Row { p, q, r: limits.max_torque - end.c[1][i] });
                    rows.push(Row { p: -p, q: -q, r: limits.max_torque + end.c[0][i] });
                }
                if limits.max_speed.is_finite() {
                    let square = end.speed[i] * end.speed[i];
                    rows.push(Row { p: far * square, q: square, r: limits.max_speed * limits.max_speed });
                }
            }
        }
        rows.push(Row { p: 0.0, q: -1.0, r: 0.0 });
        rows.push(Row { p: step, q: 1.0, r: goal.1 });
        rows.push(Row { p: -step, q: -1.0, r: -goal.0 });
    }

    /// Both passes; x at each point of the grid.
    fn pass(&self, intervals: &[Interval]) -> Result<Vec<f64>, PlanError> {
        let mut rows = Vec::new();
        let mut reach = vec![(0.0, 0.0); intervals.len() + 1];
        for (i, interval) in intervals.iter().enumerate().rev() {
            self.rows(interval, reach[i + 1], &mut rows);
            reach[i] = squares(&rows).ok_or(PlanError::Stuck { s: interval.s })?;
            if reach[i].1.is_infinite() {
                return Err(PlanError::NoLimit);
            }
        }
        let mut x = vec![0.0; intervals.len() + 1];
        if reach[0].0 > 0.0 {
            return Err(PlanError::Stuck { s: 0.0 });
        }
        for (i, interval) in intervals.iter().enumerate() {
            self.rows(interval, reach[i + 1], &mut rows);
            let (least, most) = accelerations(&rows, x[i]);
            // By rounding the two may change places where there is only one choice.
            let acceleration = if most < least { 0.5 * (least + most) } else { most };
            x[i + 1] = (x[i] + 2.0 * interval.width * acceleration).clamp(reach[i + 1].0, reach[i + 1].1);
            if x[i] + x[i + 1] <= 0.0 {
                return Err(PlanError::Stuck { s: interval.s });
            }
        }
        Ok(x)
    }
}

/// The x for which some s̈ satisfies all rows: Fourier–Motzkin elimination of s̈.
fn squares(rows: &[Row]) -> Option<(f64, f64)> {
    let (mut least, mut most) = (0.0_f64, f64::INFINITY);
    let mut bound = |factor: f64, right: f64| {
        if factor > 0.0 {
            most = most.min(right / factor);
        } else if factor < 0.0 {
            least = least.max(right / factor);
        }
    };
    for (i, upper) in rows.iter().enumerate() {
        if upper.p == 0.0 {
            bound(upper.q, upper.r);
        }
        for lower in &rows[i + 1..] {
            let (upper, lower) = if upper.p > 0.0 { (upper, lower) } else { (lower, upper) };
            if upper.p > 0.0 && lower.p < 0.0 {
                bound(lower.q * upper.p - upper.q * lower.p, lower.r * upper.p - upper.r * lower.p);
            }
        }
    }
    // An interval that is a point may be empty by rounding.
    (least <= most * (1.0 + 1e-9) + 1e-12).then(|| (least.min(most), most))
}

/// The s̈ that satisfy all rows for a given x.
fn accelerations(rows: &[Row], x: f64) -> (f64, f64) {
    let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
    for row in rows {
        let bound = (row.r - row.q * x) / row.p;
        if row.p > 0.0 {
            most = most.min(bound);
        } else if row.p < 0.0 {
            least = least.max(bound);
        }
    }
    (least, most)
}

/// The speeds of the round before, and whether there is friction.
struct Before {
    friction: bool,
    grid: Vec<f64>,
    x: Vec<f64>,
}

impl Before {
    fn rate(&self, s: f64) -> f64 {
        let Some(last) = self.grid.len().checked_sub(2) else { return 0.0 };
        let i = self.grid.partition_point(|&node| node <= s).saturating_sub(1).min(last);
        let part = (s - self.grid[i]) / (self.grid[i + 1] - self.grid[i]);
        (self.x[i] + part * (self.x[i + 1] - self.x[i])).max(0.0).sqrt()
    }
}

/// Points that are as dense in time as they are at rest: by a cosine; and all breaks of the path.
fn grid(path: &impl Path, intervals: usize) -> Vec<f64> {
    let (n, length) = (intervals.max(4), path.length());
    let mut grid: Vec<f64> =
        (0..=n).map(|k| 0.5 * length * (1.0 - (std::f64::consts::PI * k as f64 / n as f64).cos())).collect();
    grid[n] = length;
    grid.extend(path.breaks().into_iter().filter(|&s| s > 0.0 && s < length));
    grid.sort_by(f64::total_cmp);
    grid.dedup_by(|b, a| *b - *a < 1e-7 * length);
    grid[0] = 0.0;
    if let Some(last) = grid.last_mut() {
        *last = length;
    }
    grid
}

/// The fastest law along `path` that the limits of `machine` allow.
pub fn time_optimal<P: Path, M: Machine<Point = P::Point>>(
    path: &P,
    machine: &M,
    planning: &Planning,
) -> Result<TimeOptimal, PlanError> {
    const ROUNDS: usize = 16;
    const MOST_INTERVALS: usize = 20_000;
    if let Some(window) = planning.smoothing
        && !(window > 0.0 && window.is_finite())
    {
        return Err(PlanError::Smoothing(window));
    }
    let planner = Planner { path, machine };
    let mut grid = grid(path, planning.intervals);
    let mut before = Before { friction: false, grid: Vec::new(), x: Vec::new() };
    let mut share = f64::INFINITY;
    for _ in 0..ROUNDS {
        let x = planner.pass(&planner.intervals(&grid, &before)?)?;
        let law = Law::through(&grid, &x);
        let checked = Checked::of(path, machine, &law, &law.stretches(1))?;
        share = checked.tightest;
        let moved = before.grid.is_empty()
            || (0..grid.len()).any(|i| (before.rate(grid[i]) - x[i].sqrt()).abs() > 1e-3 * x[i].sqrt());
        let settled = !checked.friction || !moved;
        let fine = share <= 1.0 + EXCESS && settled;
        // Halve what passes a limit or keeps away from all; the second only while it pays.
        let coarse = |i: usize| {
            let [low, high] = checked.pieces[i];
            high > 1.0 + 0.7 * EXCESS || (low < 1.0 - ACTIVE && checked.widths[i] > 1e-4 * law.duration())
        };
        let halves: Vec<f64> =
            (0..grid.len() - 1).filter(|&i| coarse(i)).map(|i| 0.5 * (grid[i] + grid[i + 1])).collect();
        let enough = checked.active >= 0.995 || halves.is_empty() || grid.len() > MOST_INTERVALS;
        if fine && enough {
            let unsmoothed = law.duration();
            let intervals = grid.len() - 1;
            let Some(window) = planning.smoothing else {
                return Ok(TimeOptimal { law, unsmoothed, tightest: share, active: checked.active, intervals });
            };
            let law = shortest(path, machine, &law.averaged(window))?;
            let Checked { tightest, active, .. } = Checked::of(path, machine, &law, &law.stretches(STRETCHES))?;
            return Ok(TimeOptimal { law, unsmoothed, tightest, active, intervals });
        }
        before = Before { friction: checked.friction, grid: grid.clone(), x };
        if grid.len() <= MOST_INTERVALS {
            grid.extend(halves);
            grid.sort_by(f64::total_cmp);
        }
    }
    Err(PlanError::NotConverged { rounds: ROUNDS, share })
}

/// A law as the model sees it.
struct Checked {
    /// Least and largest share of the tightest limit in each piece of the law.
    pieces: Vec<[f64; 2]>,
    /// Duration of each piece, s.
    widths: Vec<f64>,
    tightest: f64,
    active: f64,
    /// Whether there is any.
    friction: bool,
}

impl Checked {
    fn of<P: Path, M: Machine<Point = P::Point>>(
        path: &P,
        machine: &M,
        law: &Law,
        times: &[f64],
    ) -> Result<Self, PlanError> {
        /// Places in a stretch, a hair inside of its ends, with their weights in time.
        const PLACES: [(f64, f64); 5] = [(1e-9, 0.125), (0.25, 0.25), (0.5, 0.25), (0.75, 0.25), (1.0 - 1e-9, 0.125)];
        let planner = Planner { path, machine };
        let mut checked = Self { pieces: Vec::new(), widths: Vec::new(), tightest: 0.0, active: 0.0, friction: false };
        for pair in times.windows(2) {
            let width = pair[1] - pair[0];
            let [mut low, mut high] = [f64::INFINITY, 0.0_f64];
            for (part, weight) in PLACES {
                let now = law.at(pair[0] + part * width);
                let load = planner.load(now.s, now.rate, now.acceleration)?;
                let (share, _) = machine.tightest(&load);
                [low, high] = [low.min(share), high.max(share)];
                if share >= 1.0 - ACTIVE {
                    checked.active += weight * width;
                }
                checked.friction |= load.friction.iter().any(|&friction| friction != 0.0);
            }
            checked.tightest = checked.tightest.max(high);
            checked.pieces.push([low, high]);
            checked.widths.push(width);
        }
        checked.active /= law.duration();
        Ok(checked)
    }
}

/// The law stretched (or compressed) in time until it is as fast as the limits of `machine` allow.
///
/// Stretched by k, what moves needs 1/k² of the torque and gravity what it needs, so beyond the least k every k is allowed;
/// it is found by bisection to 1e-6.
pub fn shortest<P: Path, M: Machine<Point = P::Point>>(path: &P, machine: &M, law: &Law) -> Result<Law, PlanError> {
    let planner = Planner { path, machine };
    for k in 0..=100 {
        planner.coefficients(path.length() * f64::from(k) / 100.0, &[])?;
    }
    let fits = |factor: f64| -> Result<bool, PlanError> {
        let law = law.stretched(factor);
        Ok(Checked::of(path, machine, &law, &law.stretches(STRETCHES))?.tightest <= 1.0)
    };
    let (mut slow, mut fast) = (1.0, 1.0);
    let mut doublings = 0;
    while !fits(slow)? {
        fast = slow;
        slow *= 2.0;
        doublings += 1;
        if doublings > 40 {
            return Err(PlanError::Stuck { s: 0.0 });
        }
    }
    while fits(fast)? {
        slow = fast;
        fast *= 0.5;
        doublings += 1;
        if doublings > 80 {
            return Err(PlanError::NoLimit);
        }
    }
    while slow - fast > 1e-6 * slow {
        let middle = 0.5 * (slow + fast);
        if fits(middle)? {
            slow = middle;
        } else {
            fast = middle;
        }
    }
    Ok(law.stretched(slow))
}
