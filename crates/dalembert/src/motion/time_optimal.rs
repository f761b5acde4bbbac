//! The fastest motion along a path that torques and speeds allow, with the exact dynamics.
//!
//! Along a path X(s) the torques without friction are affine in s̈ and in x = ṡ²:
//!
//! ```text
//! τ = a(s) s̈ + b(s) x + c(s)                                                                                 (1)
//! ```
//!
//! Three evaluations of the model at a point give a, b and c exactly: c at rest, a + c with s̈ = 1, b + c with ṡ = 1.
//! Friction is added to c: its least and largest value over all speeds that a joint has in the interval, which are those that
//! the round before has found, and a little more.
//!
//! The path is cut into intervals with constant s̈, so x is linear in s and the profile is exact: s(t) is quadratic in each.
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
//! Between the ends the torque is checked with the model itself, and intervals where it exceeds a limit, or keeps away from
//! all of them, are halved until the excess is below [`EXCESS`].

use super::fit::{ACTIVE, Checked, Course, EXCESS, PlaceDynamics};
use super::{Local, Mover, Path, PlanError, Point, Profile, jerk_limit};
use crate::robot::JointVector;

/// How far the speeds of two rounds may differ in the end, as a part of them; the friction of a round is that of all speeds
/// which are so near to those of the round before.
const MOVED: f64 = 1e-3;

/// Intervals to begin with.
const INTERVALS: usize = 200;

/// The fastest motion profile, and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeOptimal {
    /// The profile.
    pub profile: Profile,
    /// Its duration before the smoothing, s.
    pub unsmoothed: f64,
    /// Largest share of a limit, at most 1 + [`EXCESS`].
    pub tightest: f64,
    /// Share of the time in which a torque or a speed is at its limit, to [`ACTIVE`]; of the profile as it is.
    pub active: f64,
    /// Intervals in the end.
    pub intervals: usize,
}

/// p s̈ + q x ≤ r.
#[derive(Clone, Copy)]
struct LimitRow {
    p: f64,
    q: f64,
    r: f64,
}

/// One interval of the grid with what its two ends demand.
struct Interval<P> {
    s: f64,
    width: f64,
    ends: [PlaceDynamics<P>; 2],
    /// Least and largest friction in it.
    friction: [JointVector; 2],
    /// Least and largest ṡ in it, as the round before has found them.
    rates: [f64; 2],
}

impl<P: Path> Course<'_, P> {
    /// The intervals of a grid. The ends are taken a hair inside, so that a jump of X‴ belongs to one side. What is known of an
    /// interval from the round before is not asked again.
    fn intervals(
        &self,
        grid: &[f64],
        before: &Before,
        known: Vec<Interval<P::Point>>,
    ) -> Result<Vec<Interval<P::Point>>, PlanError> {
        let here = |s: f64| self.here(s, &self.still(s)?);
        let mut known = known.into_iter().peekable();
        let each = grid.windows(2).map(|pair| {
            let (s, width) = (pair[0], pair[1] - pair[0]);
            let inside = 1e-9 * width;
            while known.next_if(|known| known.s < s).is_some() {}
            let ends = match known.peek() {
                Some(known) if known.s == s && known.width == width => known.ends.clone(),
                _ => [here(s + inside)?, here(s + width - inside)?],
            };
            // x is linear in s, so the extremes of ṡ are at the ends.
            let [first, last] = [before.rate(s), before.rate(s + width)];
            let rates = [first.min(last) * (1.0 - MOVED), first.max(last) * (1.0 + MOVED)];
            let friction = self.friction_within(s + 0.5 * width, &ends, rates)?;
            Ok(Interval { s, width, ends, friction, rates })
        });
        each.collect()
    }

    /// Least and largest friction of each joint where ṡ is within `rates` and q′ within its values at the ends and in the
    /// middle of an interval.
    fn friction_within(
        &self,
        middle: f64,
        ends: &[PlaceDynamics<P::Point>; 2],
        rates: [f64; 2],
    ) -> Result<[JointVector; 2], PlanError> {
        let mut range = [0; 2].map(|_| JointVector::zero(ends[0].slope.len()));
        if self.friction.joints().next().is_none() {
            return Ok(range);
        }
        let middle = self.load(middle, 1.0, 0.0)?;
        for (i, friction) in self.friction.joints() {
            let slopes = [ends[0].slope[i], middle.joints.qd[i], ends[1].slope[i]];
            let speeds = slopes.into_iter().flat_map(|slope| rates.map(|rate| slope * rate));
            let [low, high] =
                speeds.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], speed| [low.min(speed), high.max(speed)]);
            [range[0][i], range[1][i]] = friction.over(low, high);
        }
        Ok(range)
    }

    /// What has to hold in an interval for (s̈, x), x at its beginning; `goal` is where x may be at its end.
    fn rows(&self, interval: &Interval<P::Point>, goal: (f64, f64), rows: &mut Vec<LimitRow>) {
        rows.clear();
        let step = 2.0 * interval.width;
        let [slow, fast] = interval.rates;
        for (end, far) in interval.ends.iter().zip([0.0, step]) {
            for (i, limits) in self.mover.joints().iter().map(|joint| joint.limits).enumerate() {
                if limits.max_torque.is_finite() {
                    let [a, b, c] = end.torque.each_ref().map(|torque| torque[i]);
                    let (p, q) = (a + far * b, b);
                    let damping = [end.damping[i] * slow, end.damping[i] * fast];
                    let least = c + interval.friction[0][i] + damping[0].min(damping[1]);
                    let most = c + interval.friction[1][i] + damping[0].max(damping[1]);
                    rows.push(LimitRow { p, q, r: limits.max_torque - most });
                    rows.push(LimitRow { p: -p, q: -q, r: limits.max_torque + least });
                }
                if limits.max_speed.is_finite() {
                    let square = end.slope[i] * end.slope[i];
                    rows.push(LimitRow { p: far * square, q: square, r: limits.max_speed * limits.max_speed });
                }
            }
        }
        self.moved_rows(interval, rows);
        rows.push(LimitRow { p: 0.0, q: -1.0, r: 0.0 });
        rows.push(LimitRow { p: step, q: 1.0, r: goal.1 });
        rows.push(LimitRow { p: -step, q: -1.0, r: -goal.0 });
    }

    /// The limits of a [`Mover::within`]. The vector of the acceleration stays in a polygon inside of its circle.
    fn moved_rows(&self, interval: &Interval<P::Point>, rows: &mut Vec<LimitRow>) {
        /// Of half of the circle: its corners are on it, and it leaves out 0.1 % of the radius.
        const SIDES: u32 = 32;
        let (moved, each) = (self.mover.moved(), self.mover.each());
        for (end, far) in interval.ends.iter().zip([0.0, 2.0 * interval.width]) {
            let mut push = |p: f64, q: f64, r: f64| rows.push(LimitRow { p: p + far * q, q, r });
            let [first, along, across] = bends(&end.local);
            if moved.speed.is_finite() {
                push(0.0, first * first, moved.speed * moved.speed);
            }
            if moved.acceleration.is_finite() {
                let half = 0.5 * std::f64::consts::PI / f64::from(SIDES);
                for side in 0..SIDES {
                    let (sin, cos) = (half * f64::from(2 * side + 1)).sin_cos();
                    push(cos * first, cos * along + sin * across, moved.acceleration * half.cos());
                }
            }
            if each.acceleration.is_finite() {
                for i in 0..self.mover.joints().len() {
                    push(end.slope[i], end.bend[i], each.acceleration);
                    push(-end.slope[i], -end.bend[i], each.acceleration);
                }
            }
        }
    }

    fn stuck(&self, s: f64) -> PlanError {
        PlanError::Stuck { at: self.at(s) }
    }

    /// Both passes; x at each point of the grid.
    fn pass(&self, intervals: &[Interval<P::Point>]) -> Result<Vec<f64>, PlanError> {
        let mut rows = Vec::new();
        let mut reach = vec![(0.0, 0.0); intervals.len() + 1];
        for (i, interval) in intervals.iter().enumerate().rev() {
            self.rows(interval, reach[i + 1], &mut rows);
            reach[i] = squares(&rows).ok_or_else(|| self.stuck(interval.s))?;
            if reach[i].1.is_infinite() {
                return Err(PlanError::NoLimit);
            }
        }
        let mut x = vec![0.0; intervals.len() + 1];
        if reach[0].0 > 0.0 {
            return Err(self.stuck(0.0));
        }
        for (i, interval) in intervals.iter().enumerate() {
            self.rows(interval, reach[i + 1], &mut rows);
            let (least, most) = accelerations(&rows, x[i]);
            // By rounding the two may change places where there is only one choice.
            let acceleration = if most < least { 0.5 * (least + most) } else { most };
            x[i + 1] = (x[i] + 2.0 * interval.width * acceleration).clamp(reach[i + 1].0, reach[i + 1].1);
            if x[i] + x[i + 1] <= 0.0 {
                return Err(self.stuck(interval.s));
            }
        }
        Ok(x)
    }
}

/// |X′|, and the parts of X″ along X′ and across.
fn bends<P: Point>(local: &Local<P>) -> [f64; 3] {
    let first = local.first.length();
    let along = local.first.dot(&local.second) / first;
    let across = local.second.plus(-along / first, &local.first).length();
    [first, along, across]
}

/// The x for which some s̈ satisfies all rows: Fourier–Motzkin elimination of s̈.
fn squares(rows: &[LimitRow]) -> Option<(f64, f64)> {
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
fn accelerations(rows: &[LimitRow], x: f64) -> (f64, f64) {
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

/// The speeds of the round before.
struct Before {
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
fn grid(path: &impl Path) -> Vec<f64> {
    let (n, length) = (INTERVALS, path.length());
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

/// The fastest profile along `path` that the limits of `mover` allow. With `smoothing`, jumps of the acceleration are spread over
/// this time, s, at most half of the motion's; without it they jump, unless a jerk is limited ([`Mover::within`]).
pub fn time_optimal<P: Path>(path: &P, mover: &Mover, smoothing: Option<f64>) -> Result<TimeOptimal, PlanError> {
    if let Some(window) = smoothing.filter(|window| !(*window > 0.0 && window.is_finite())) {
        return Err(PlanError::Smoothing(window));
    }
    let course = Course::new(path, mover);
    let unlimited = Course { jerk: false, ..Course::new(path, mover) };
    let best = second_order(&unlimited)?;
    let profile = match smoothing {
        Some(window) => course.smoothed(&best.profile, window)?,
        None if jerk_limit::is_given(mover) => jerk_limit::fastest(&course, &best.profile)?,
        // Within the tolerance already, but what is asked for in numbers holds as it is.
        None => match unlimited.demand(&best.profile)? {
            factor if factor > 1.0 => best.profile.stretched(factor),
            _ => return Ok(best),
        },
    };
    let checked = course.checked(&profile)?;
    Ok(TimeOptimal { profile, tightest: checked.share(), active: checked.active, ..best })
}

/// The fastest profile whose acceleration may jump.
fn second_order<P: Path>(course: &Course<'_, P>) -> Result<TimeOptimal, PlanError> {
    const ROUNDS: usize = 16;
    const MOST_INTERVALS: usize = 20_000;
    let mut grid = grid(course.path);
    let mut before = Before { grid: Vec::new(), x: Vec::new() };
    let mut known = Vec::new();
    for round in 1..=ROUNDS {
        known = course.intervals(&grid, &before, known)?;
        let x = course.pass(&known)?;
        let profile = Profile::through(&grid, &x);
        let checked = Checked::of(course, &profile, &profile.ends(), |_| true)?;
        let share = checked.share();
        let moved = before.grid.is_empty()
            || (0..grid.len()).any(|i| (before.rate(grid[i]) - x[i].sqrt()).abs() > MOVED * x[i].sqrt());
        let settled = !checked.friction || !moved;
        let fine = share <= 1.0 + EXCESS && settled;
        // Halve what exceeds a limit or keeps away from all; the second only while it pays.
        let coarse = |i: usize| {
            let [low, high] = checked.pieces[i];
            let idle = low < 1.0 - ACTIVE && checked.widths[i] > 1e-4 * profile.duration();
            high > 1.0 + 0.7 * EXCESS || idle
        };
        let halves: Vec<f64> =
            (0..grid.len() - 1).filter(|&i| coarse(i)).map(|i| 0.5 * (grid[i] + grid[i + 1])).collect();
        let enough = checked.active >= 0.995 || halves.is_empty() || grid.len() > MOST_INTERVALS;
        if (fine && enough) || round == ROUNDS {
            // Switches that friction moves to and fro cost a little time; where they still exceed a limit, a little more.
            let profile = if share <= 1.0 + EXCESS { profile } else { course.fitted(&profile, false)? };
            let (unsmoothed, intervals) = (profile.duration(), grid.len() - 1);
            return Ok(TimeOptimal { profile, unsmoothed, tightest: share, active: checked.active, intervals });
        }
        before = Before { grid: grid.clone(), x };
        if grid.len() <= MOST_INTERVALS {
            grid.extend(halves);
            grid.sort_by(f64::total_cmp);
        }
    }
    Err(course.stuck(0.0))
}
