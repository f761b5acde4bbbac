//! The fastest profile with a limited jerk.
//!
//! Candidates are the profiles that are known by name and the time-optimal one without a limit of the jerk, averaged over
//! windows of time. Each is stretched until all limits hold. The fastest of them is where [`third_order`](super::third_order)
//! begins, so that the answer is never slower than any of them.

use super::fit::Course;
use super::smoothing::windows;
use super::spline::Spline;
use super::third_order::{self, Bound, Bounds};
use super::{Local, MotionLimits, Mover, Path, PlanError, Point, Profile, Progress};
use crate::robot::JointVector;

/// Whether any jerk is limited.
pub(super) fn is_given(mover: &Mover) -> bool {
    mover.moved().jerk.is_finite() || mover.each().jerk.is_finite()
}

/// Neighbouring windows: one that is so much too long costs a few per cent, which the third-order method takes back.
const STEP: f64 = 1.15;

/// What is not worth another candidate or another step, of the time.
const WORTH: f64 = 1e-4;

/// The fastest profile, given the fastest without a limit of the jerk.
pub(super) fn fastest<P: Path>(course: &Course<'_, P>, unlimited: &Profile) -> Result<Profile, PlanError> {
    let best = fastest_candidate(course, unlimited)?;
    let length = course.path.length();
    let duration = best.duration();
    let mut spline = Spline::near(knots(course, &best), |tau| best.at(tau * duration).s);
    let (mut time, mut found) = (duration, best);
    for (steps, near) in [(40, 0.3), (20, 0.1), (10, 0.03)] {
        (spline, time) = third_order::fastest(&Along::new(course, near), spline, time, steps, WORTH)?;
        let profile = course.fitted(&Profile::from_pieces(length, spline.pieces(time)), true)?;
        let gain = 1.0 - profile.duration() / found.duration();
        if gain > 0.0 {
            found = profile;
        }
        spline = spline.halved();
    }
    Ok(found)
}

fn fastest_candidate<P: Path>(course: &Course<'_, P>, unlimited: &Profile) -> Result<Profile, PlanError> {
    let [least, most] = windows(unlimited.duration());
    let count = ((most / least).ln() / STEP.ln()).ceil() as i32;
    let averaged = (0..count).map(|k| unlimited.averaged(most * STEP.powi(-k)));
    let named = named(course.path.length(), course.mover.moved());
    // A hair more than the limits demand, for the rounding of the pieces.
    let stretched = |profile: Profile, least: f64| -> Result<Profile, PlanError> {
        Ok(profile.stretched(course.demand(&profile, true)?.max(least) * (1.0 + 1e-12)))
    };
    // Those with a name may be as fast as they can, averaged ones lose their smoothness.
    let candidates =
        averaged.map(|profile| stretched(profile, 1.0)).chain(named.map(|profile| stretched(profile, 0.0)));
    let mut candidates = candidates.collect::<Result<Vec<Profile>, _>>()?;
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
    best.ok_or(PlanError::NoLimit)
}

/// The shapes with a name whose jerk is finite, of any duration.
fn named(length: f64, limits: MotionLimits) -> impl Iterator<Item = Profile> {
    [
        Profile::polynomial345(length, 1.0),
        Profile::polynomial4567(length, 1.0),
        Profile::sine_on_ramp(length, 1.0, 1.0),
        Profile::double_s(length, MotionLimits::usual(length)),
        Profile::double_s(length, limits),
    ]
    .into_iter()
    .flatten()
    .filter(|profile| profile.peak_jerk().is_finite())
}

/// Times for a spline, as parts of the duration: evenly, and four in each piece of the path at least.
fn knots<P: Path>(course: &Course<'_, P>, profile: &Profile) -> Vec<f64> {
    const EVENLY: u32 = 48;
    const LEAST: u32 = 6;
    let mut knots: Vec<f64> = (0..=EVENLY).map(|k| f64::from(k) / f64::from(EVENLY)).collect();
    let mut ends: Vec<f64> =
        course.path.breaks().into_iter().map(|s| profile.time_of(s) / profile.duration()).collect();
    ends.insert(0, 0.0);
    ends.push(1.0);
    for pair in ends.windows(2) {
        if (pair[1] - pair[0]) * f64::from(EVENLY) < f64::from(LEAST) {
            knots.extend((0..=LEAST).map(|k| pair[0] + (pair[1] - pair[0]) * f64::from(k) / f64::from(LEAST)));
        }
    }
    knots.sort_by(f64::total_cmp);
    // Very short pieces would only make the spline stiff.
    let mut kept = vec![0.0];
    for knot in knots {
        if knot - kept[kept.len() - 1] > 2e-3 && (knot < 1.0 - 2e-3 || knot == 1.0) {
            kept.push(knot);
        }
    }
    kept
}

/// What the limits are about at one place of the path.
struct Here<P> {
    local: Local<P>,
    /// q′, q″, and a, b, c of the torques: a s̈ + b ṡ² + c, friction aside; damping per ṡ.
    slope: JointVector,
    bend: JointVector,
    torque: [JointVector; 3],
    damping: JointVector,
}

/// A path in its pieces. Where one ends, the third derivative jumps, and with it the jerk. A sequence of linear programs cannot
/// see a jump, so near an end the jerk has to stay within its limits with a third derivative between those of both
/// pieces too, the more so the nearer.
struct Along<'a, P> {
    course: &'a Course<'a, P>,
    /// What is near, as a part of the shorter piece.
    near: f64,
    /// Where the pieces end, 0 first.
    ends: Vec<f64>,
}

/// What a neighbouring piece adds to the third derivatives of path and joints, and how that changes along the path.
struct Between<P> {
    third: P,
    slope: P,
    joints: JointVector,
    bends: JointVector,
}

/// A place and its neighbours in the same piece, and how far they are from each other.
struct Around<P> {
    here: [Here<P>; 3],
    step: f64,
}

impl<'a, P: Path> Along<'a, P> {
    fn new(course: &'a Course<'a, P>, near: f64) -> Self {
        let mut ends = course.path.breaks();
        ends.insert(0, 0.0);
        ends.push(course.path.length());
        Self { course, near, ends }
    }

    /// The piece in which `s` is.
    fn piece(&self, s: f64) -> usize {
        self.ends.partition_point(|end| *end <= s).clamp(1, self.ends.len() - 1) - 1
    }

    fn here(&self, s: f64) -> Result<Here<P::Point>, PlanError> {
        let course = self.course;
        let [still, pushed, moving] = [course.load(s, 0.0, 0.0)?, course.load(s, 0.0, 1.0)?, course.load(s, 1.0, 0.0)?];
        let joints = course.mover.joints().len();
        let each = |f: &dyn Fn(usize) -> f64| JointVector::from_fn(joints, f);
        let rigid = [&still, &pushed, &moving].map(|load| each(&|i| load.torque[i] - load.friction[i]));
        Ok(Here {
            local: course.path.at(s),
            slope: moving.joints.qd,
            bend: moving.joints.qdd,
            torque: [rigid[1].plus(-1.0, rigid[0]), rigid[2].plus(-1.0, rigid[0]), rigid[0]],
            damping: each(&|i| moving.friction[i] - course.friction.torque(i, moving.joints.qd[i])),
        })
    }

    /// The neighbouring piece that is near, and how near: 1 where they meet, 0 where it is no longer near.
    fn beside(&self, s: f64, piece: usize) -> Option<(usize, f64)> {
        let width = |piece: usize| self.ends[piece + 1] - self.ends[piece];
        let share = |other: usize, distance: f64| {
            let near = self.near * width(piece).min(width(other));
            (distance < near).then(|| (other, 1.0 - distance / near))
        };
        let before = piece.checked_sub(1).and_then(|other| share(other, s - self.ends[piece]));
        let after = || (piece + 2 < self.ends.len()).then(|| share(piece + 1, self.ends[piece + 1] - s)).flatten();
        before.or_else(after)
    }

    /// The third derivatives of path and joints near a neighbouring piece: between those of the two, and how they change.
    fn between(&self, s: f64, piece: usize, around: &Around<P::Point>) -> Result<Option<Between<P::Point>>, PlanError> {
        let Some((other, share)) = self.beside(s, piece) else { return Ok(None) };
        let (end, sign) = if other > piece { (self.ends[other], 1.0) } else { (self.ends[piece], -1.0) };
        let beyond = self.around(end, other)?;
        let width = |piece: usize| self.ends[piece + 1] - self.ends[piece];
        let slope = sign / (self.near * width(piece).min(width(other)));
        let gap = beyond.here[1].local.third.plus(-1.0, around.here[1].local.third);
        let joints = beyond.third().plus(-1.0, around.third());
        Ok(Some(Between {
            third: gap.times(share),
            slope: gap.times(slope),
            joints: joints.times(share),
            bends: joints.times(slope),
        }))
    }

    fn around(&self, s: f64, piece: usize) -> Result<Around<P::Point>, PlanError> {
        let (start, end) = (self.ends[piece], self.ends[piece + 1]);
        let step = (1e-5 * self.course.path.length()).min(0.1 * (end - start));
        let s = s.clamp(start + 1.001 * step, end - 1.001 * step);
        Ok(Around { here: [self.here(s - step)?, self.here(s)?, self.here(s + step)?], step })
    }
}

impl<P: Point> Around<P> {
    /// A number and its slope along the path.
    fn along(&self, f: impl Fn(&Here<P>) -> f64) -> (f64, f64) {
        let [before, here, after] = &self.here;
        (f(here), (f(after) - f(before)) / (2.0 * self.step))
    }

    /// q‴, the slope of q″.
    fn third(&self) -> JointVector {
        self.here[2].bend.plus(-1.0, self.here[0].bend).times(0.5 / self.step)
    }

    /// The limits of jerks; `between` two pieces those of another third derivative.
    fn jerks(&self, mover: &Mover, between: Option<&Between<P>>, adding: &mut Adding<'_>) {
        let (moved, each) = (mover.moved(), mover.each());
        let local = &self.here[1].local;
        if moved.jerk.is_finite() {
            let (more, slope) = between.map_or((local.third.zero(), local.third.zero()), |b| (b.third, b.slope));
            let [_, _, jolt] = Local { third: local.third.plus(1.0, more), ..*local }.moved(&adding.now);
            for u in directions(local, jolt) {
                let mut parts = [
                    self.along(|here| u.dot(here.local.first) / moved.jerk),
                    self.along(|here| u.dot(here.local.second) / moved.jerk),
                    self.along(|here| u.dot(here.local.third) / moved.jerk),
                ];
                parts[2].0 += u.dot(more) / moved.jerk;
                parts[2].1 += u.dot(slope) / moved.jerk;
                adding.third(parts.map(|part| part.0), parts.map(|part| part.1));
            }
        }
        if each.jerk.is_finite() {
            for i in 0..mover.joints().len() {
                for sign in [1.0, -1.0] {
                    let (a, da) = self.along(|here| sign * here.slope[i] / each.jerk);
                    let (b, db) = self.along(|here| sign * here.bend[i] / each.jerk);
                    // q‴ is the slope of q″.
                    let [before, at, after] = self.here.each_ref().map(|here| sign * here.bend[i] / each.jerk);
                    let dc = (before - 2.0 * at + after) / (self.step * self.step);
                    let (more, bends) = between.map_or((0.0, 0.0), |b| (b.joints[i], b.bends[i]));
                    let scale = sign / each.jerk;
                    adding.third([a, b, db + scale * more], [da, db, dc + scale * bends]);
                }
            }
        }
    }
}

/// Adds a limit of the second order, a s̈ + b ṡ² + c ≤ 1, or of the third, a s⃛ + 3 b ṡ s̈ + c ṡ³ ≤ 1, from its
/// coefficients and their slopes along the path.
struct Adding<'b> {
    now: Progress,
    bounds: &'b mut Vec<Bound>,
}

impl Adding<'_> {
    fn first(&mut self, a: f64, slope: f64) {
        let v = self.now.rate;
        self.bounds.push(Bound { value: a * v, slope: [slope * v, a, 0.0, 0.0] });
    }

    fn second(&mut self, [a, b, c]: [f64; 3], slopes: [f64; 3]) {
        let Progress { rate: v, acceleration: w, .. } = self.now;
        let value = |[a, b, c]: [f64; 3]| a * w + b * v * v + c;
        self.bounds.push(Bound { value: value([a, b, c]), slope: [value(slopes), 2.0 * b * v, a, 0.0] });
    }

    fn third(&mut self, [a, b, c]: [f64; 3], slopes: [f64; 3]) {
        let Progress { rate: v, acceleration: w, jerk, .. } = self.now;
        let value = |[a, b, c]: [f64; 3]| a * jerk + 3.0 * b * v * w + c * v * v * v;
        let slope = [value(slopes), 3.0 * b * w + 3.0 * c * v * v, 3.0 * b * v, a];
        self.bounds.push(Bound { value: value([a, b, c]), slope });
    }
}

/// Directions in which the length of a vector is looked at: its own, and both ways along and across the path.
fn directions<P: Point>(local: &Local<P>, vector: P) -> impl Iterator<Item = P> {
    let along = local.first;
    let across = local.second.plus(-along.dot(local.second) / along.dot(along), along);
    let unit = |vector: P| (vector.length() > 1e-12).then(|| vector.times(1.0 / vector.length()));
    [vector, along, along.times(-1.0), across, across.times(-1.0)].into_iter().filter_map(unit)
}

impl<P: Path> Bounds for Along<'_, P> {
    type Error = PlanError;

    fn about(&self, [s, rate, acceleration, jerk]: [f64; 4], bounds: &mut Vec<Bound>) -> Result<(), PlanError> {
        let mover = self.course.mover;
        let (moved, each) = (mover.moved(), mover.each());
        let now = Progress { s, rate, acceleration, jerk };
        let mut adding = Adding { now, bounds };
        let piece = self.piece(s);
        let around = self.around(s, piece)?;
        let here = &around.here[1];
        around.jerks(mover, None, &mut adding);
        if let Some(between) = self.between(s, piece, &around)? {
            around.jerks(mover, Some(&between), &mut adding);
        }
        if moved.speed.is_finite() {
            adding.first(here.local.first.length() / moved.speed, 0.0);
        }
        if moved.acceleration.is_finite() {
            let [_, push, _] = here.local.moved(&now);
            for u in directions(&here.local, push) {
                let (a, da) = around.along(|here| u.dot(here.local.first) / moved.acceleration);
                let (b, db) = around.along(|here| u.dot(here.local.second) / moved.acceleration);
                adding.second([a, b, 0.0], [da, db, 0.0]);
            }
        }
        for (i, joint) in mover.joints().iter().enumerate() {
            let (speed, torque) = (joint.limits.max_speed, joint.limits.max_torque);
            for sign in [1.0, -1.0] {
                if speed.is_finite() {
                    let (at, slope) = around.along(|here| sign * here.slope[i] / speed);
                    adding.first(at, slope);
                }
                if torque.is_finite() {
                    let friction = self.course.friction.torque(i, here.slope[i] * rate);
                    let all = [0, 1, 2].map(|k| around.along(|here| sign * here.torque[k][i] / torque));
                    let mut at = all.map(|(at, _)| at);
                    at[2] += sign * (friction + here.damping[i] * rate) / torque;
                    adding.second(at, all.map(|(_, slope)| slope));
                }
                if each.acceleration.is_finite() {
                    let (a, da) = around.along(|here| sign * here.slope[i] / each.acceleration);
                    let (b, db) = around.along(|here| sign * here.bend[i] / each.acceleration);
                    adding.second([a, b, 0.0], [da, db, 0.0]);
                }
            }
        }
        Ok(())
    }

    fn demand(&self, [s, rate, acceleration, jerk]: [f64; 4]) -> Result<f64, PlanError> {
        let now = Progress { s, rate, acceleration, jerk };
        let Course { mover, friction, .. } = self.course;
        let (moved, each) = (mover.moved(), mover.each());
        let piece = self.piece(s);
        let near = self.beside(s, piece).is_some();
        let (here, third, between) = if near || each.jerk.is_finite() {
            let around = self.around(s, piece)?;
            let (third, between) = (around.third(), self.between(s, piece, &around)?);
            let Around { here: [_, here, _], .. } = around;
            (here, third, between)
        } else {
            let here = self.here(s)?;
            let none = here.bend.zero();
            (here, none, None)
        };
        let [velocity, push, jolt] = here.local.moved(&now).map(|vector| vector.length());
        let mut factor =
            (velocity / moved.speed).max((push / moved.acceleration).sqrt()).max((jolt / moved.jerk).cbrt());
        if let Some(between) = &between {
            let local = Local { third: here.local.third.plus(1.0, between.third), ..here.local };
            factor = factor.max((local.moved(&now)[2].length() / moved.jerk).cbrt());
        }
        for (i, joint) in mover.joints().iter().enumerate() {
            let (slope, bend) = (here.slope[i], here.bend[i]);
            let speed = slope * rate;
            let qdd = slope * acceleration + bend * rate * rate;
            let jerk = slope * jerk + 3.0 * bend * rate * acceleration + third[i] * rate.powi(3);
            let other = jerk + between.as_ref().map_or(0.0, |between| between.joints[i]) * rate.powi(3);
            let [a, b, c] = here.torque.map(|torque| torque[i]);
            let limit = joint.limits.max_torque;
            let moving = a * acceleration + b * rate * rate;
            let holding = c + friction.torque(i, speed) + here.damping[i] * rate;
            // What is left of the limit for moving.
            let left = (limit - moving.signum() * holding).max(1e-3 * limit);
            factor = factor
                .max(speed.abs() / joint.limits.max_speed)
                .max((moving.abs() / left).sqrt())
                .max((qdd.abs() / each.acceleration).sqrt())
                .max((jerk.abs().max(other.abs()) / each.jerk).cbrt());
        }
        Ok(factor)
    }
}
