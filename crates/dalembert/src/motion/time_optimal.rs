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
//! all of them, are halved until the excess is below [`EXCESS`]; a motion that is so much slower has none.

use super::fit::{ACTIVE, Checked, Course, EXCESS, PlaceDynamics, windows};
use super::leg_limits::PathLegs;
use super::third_order::LegMotion;
use super::{Local, MotionLimits, Mover, Path, PathProgress, PlanError, Point, Profile, third_order};
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
    /// Largest share of a limit, at most 1.
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
            for (i, limits) in self.mover.joints.iter().map(|joint| joint.limits).enumerate() {
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
        let (moved, each) = (self.mover.moved, self.mover.each);
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
                for i in 0..self.mover.joints.len() {
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
    watched(path, mover, smoothing, &mut |_| {})
}

/// Is told the share of the planning that is done, from 0 to 1.
pub(super) type Tick<'t> = &'t mut dyn FnMut(f64);

/// The same with word of how far it is: nobody knows how many rounds there will be, so each does a part of what is left.
pub(super) fn watched<P: Path>(
    path: &P,
    mover: &Mover,
    smoothing: Option<f64>,
    tick: Tick<'_>,
) -> Result<TimeOptimal, PlanError> {
    /// Of the time that a motion with a limited jerk takes.
    const FIRST: f64 = 0.2;
    let first = if smoothing.is_none() && is_given(mover) { FIRST } else { 1.0 };
    if let Some(window) = smoothing.filter(|window| !(*window > 0.0 && window.is_finite())) {
        return Err(PlanError::Smoothing(window));
    }
    let course = Course::new(path, mover);
    let unlimited = Course { jerk: false, ..Course::new(path, mover) };
    let best = second_order(&unlimited, &mut |share| tick(first * share))?;
    let profile = match smoothing {
        Some(window) => course.smoothed(&best.profile, window)?,
        None if is_given(mover) => {
            smooth_fastest(&course, &best.profile, &mut |share| tick(first + (1.0 - first) * share))?
        }
        None => match unlimited.demand(&best.profile)? {
            factor if factor > 1.0 => best.profile.stretched(factor),
            _ => return Ok(best),
        },
    };
    let checked = course.checked(&profile)?;
    Ok(TimeOptimal { profile, tightest: checked.share(), active: checked.active, ..best })
}

/// The fastest profile whose acceleration may jump.
fn second_order<P: Path>(course: &Course<'_, P>, tick: Tick<'_>) -> Result<TimeOptimal, PlanError> {
    /// That a round leaves.
    const LEFT: f64 = 0.75;
    const ROUNDS: usize = 16;
    const MOST_INTERVALS: usize = 20_000;
    let mut grid = grid(course.path);
    let mut before = Before { grid: Vec::new(), x: Vec::new() };
    let mut known = Vec::new();
    for round in 1..=ROUNDS {
        tick(1.0 - LEFT.powi(round as i32 - 1));
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
            // What the grid leaves, and switches that friction moves to and fro, cost a little time.
            let (profile, checked) = within_limits(course, profile, checked)?;
            let (unsmoothed, intervals) = (profile.duration(), grid.len() - 1);
            let (tightest, active) = (checked.share(), checked.active);
            return Ok(TimeOptimal { profile, unsmoothed, tightest, active, intervals });
        }
        before = Before { grid: grid.clone(), x };
        if grid.len() <= MOST_INTERVALS {
            grid.extend(halves);
            grid.sort_by(f64::total_cmp);
        }
    }
    Err(course.stuck(0.0))
}

/// The profile slowed down until it exceeds no limit, with what is known of it.
fn within_limits<P: Path>(
    course: &Course<'_, P>,
    mut profile: Profile,
    mut checked: Checked,
) -> Result<(Profile, Checked), PlanError> {
    const ROUNDS: usize = 3;
    for _ in 0..ROUNDS {
        let share = checked.share();
        if share <= 1.0 || share > 1.0 + EXCESS {
            break;
        }
        profile = profile.stretched(share);
        checked = Checked::of(course, &profile, &profile.ends(), |_| true)?;
    }
    if checked.share() > 1.0 {
        profile = course.fitted(&profile, false)?;
        checked = course.checked(&profile)?;
    }
    Ok((profile, checked))
}

/// Whether any jerk is limited.
fn is_given(mover: &Mover) -> bool {
    mover.moved.jerk.is_finite() || mover.each.jerk.is_finite()
}

/// Neighbouring windows: one that is so much too long costs some per cent, which the third-order method takes back.
const STEP: f64 = 1.3;

/// What is not worth another candidate or another step, of the time.
const WORTH: f64 = 1e-4;

/// More legs than these would take long; such paths keep the fastest of the candidates.
const LEGS: usize = 60;

/// The fastest profile with a limited jerk, given the fastest whose acceleration jumps.
///
/// Candidates are the profiles that are known by name and the time-optimal one whose acceleration jumps, averaged over windows
/// of time. Each is stretched until all limits hold. From the fastest of them [`third_order`] goes on, so the answer is never
/// slower than any of them.
fn smooth_fastest<P: Path>(course: &Course<'_, P>, unlimited: &Profile, tick: Tick<'_>) -> Result<Profile, PlanError> {
    let length = course.path.length();
    let along = PathLegs::new(course);
    // Those with a name may be as fast as they can, averaged ones would lose their smoothness.
    let averaged = fastest_of(course, averaged(unlimited), 1.0)?;
    let named = fastest_of(course, named(length, course.mover.moved, unlimited).collect(), 0.0)?;
    let starts = averaged.into_iter().chain(named);
    let Some(mut found) = starts.min_by(|a, b| a.duration().total_cmp(&b.duration())) else {
        return Err(PlanError::NoLimit);
    };
    if along.ends.len() >= LEGS {
        return Ok(found);
    }
    let Some(mut way) = near(&along, &found) else { return Ok(found) };
    for round in 0..3 {
        tick(0.25 * f64::from(round + 1));
        let next = if round > 0 { way.refined(&along)? } else { way };
        let next = third_order::fastest(&along, next, 30, WORTH).and_then(|next| {
            let profile = course.fitted(&Profile::from_pieces(length, next.spline.pieces()), true)?;
            Ok((next, profile))
        });
        // Between knots that are too close to compute with nothing is gained: what was found keeps all limits.
        let profile = match next {
            Ok((next, profile)) => {
                way = next;
                profile
            }
            Err(PlanError::NotFinite) => break,
            Err(error) => return Err(error),
        };
        let gain = found.duration() - profile.duration();
        if gain > 0.0 {
            found = profile;
        }
        // Between the places that were looked at there is more in the first round.
        if round > 0 && gain < WORTH * found.duration() {
            break;
        }
    }
    Ok(found)
}

/// A profile averaged over windows of all sizes.
fn averaged(profile: &Profile) -> Vec<Profile> {
    let [least, most] = windows(profile.duration());
    let count = ((most / least).ln() / STEP.ln()).ceil() as i32;
    (0..count).map(|k| profile.averaged(most * STEP.powi(-k))).collect()
}

/// The fastest of some profiles, each stretched by `least` and as much as all limits demand.
fn fastest_of<P: Path>(
    course: &Course<'_, P>,
    profiles: Vec<Profile>,
    least: f64,
) -> Result<Option<Profile>, PlanError> {
    // A hair more than the limits demand, for the rounding of the pieces.
    let stretched = |profile: Profile| -> Result<Profile, PlanError> {
        Ok(profile.stretched(course.demand(&profile)?.max(least) * (1.0 + 1e-12)))
    };
    let mut candidates = profiles.into_iter().map(stretched).collect::<Result<Vec<Profile>, _>>()?;
    candidates.sort_by(|a, b| a.duration().total_cmp(&b.duration()));
    let mut best: Option<Profile> = None;
    for candidate in candidates {
        if let Some(best) = &best {
            let wanted = best.duration() * (1.0 - WORTH);
            if candidate.duration() >= wanted {
                break;
            }
            // What is not possible in that time is not in less.
            if course.checked(&candidate.stretched(wanted / candidate.duration()))?.tightest > 1.0 {
                continue;
            }
        }
        best = Some(course.fitted(&candidate, false)?);
    }
    Ok(best)
}

/// The shapes with a name whose jerk is finite, of any duration; the last has the speed and acceleration of the fastest one whose
/// acceleration jumps.
fn named(length: f64, limits: MotionLimits, unlimited: &Profile) -> impl Iterator<Item = Profile> {
    const SAMPLES: usize = 200;
    let at = |k: usize| unlimited.at(unlimited.duration() * k as f64 / SAMPLES as f64);
    let most = |value: fn(&PathProgress) -> f64| (0..=SAMPLES).map(|k| value(&at(k)).abs()).fold(0.0, f64::max);
    let reached = MotionLimits { speed: most(|now| now.rate), acceleration: most(|now| now.acceleration), ..limits };
    [
        Profile::polynomial345(length, 1.0),
        Profile::polynomial4567(length, 1.0),
        Profile::sine_on_ramp(length, 1.0, 1.0),
        Profile::double_s(length, MotionLimits::usual(length)),
        Profile::double_s(length, limits),
        Profile::double_s(length, limits.and(reached)),
    ]
    .into_iter()
    .flatten()
    .filter(|profile| profile.peak_jerk().is_finite())
}

/// The motion near a profile, with knots that are evenly spaced on each leg.
fn near<P: Path>(legs: &PathLegs<'_, P>, profile: &Profile) -> Option<LegMotion> {
    /// In all, and on each leg.
    const LEAST: [f64; 2] = [40.0, 5.0];
    let duration = profile.duration();
    let mut times: Vec<f64> = legs.ends.iter().map(|&s| profile.time_of(s)).collect();
    times.push(duration);
    let (mut knots, mut turns) = (vec![0.0], Vec::new());
    for end in times {
        let start = knots[knots.len() - 1];
        let count = (LEAST[0] * (end - start) / duration).max(LEAST[1]).ceil();
        knots.extend((1..=count as usize).map(|k| start + (end - start) * k as f64 / count));
        turns.push(knots.len() - 1);
    }
    turns.pop();
    LegMotion::near(legs, knots, turns, |t| profile.at(t).s)
}
