//! The fastest profile with a limited jerk.
//!
//! Candidates are the profiles that are known by name and the time-optimal one whose acceleration jumps, averaged over windows
//! of time. Each is stretched until all limits hold. From the fastest of them [`third_order`](super::third_order) goes on, so the
//! answer is never slower than any of them.

use super::fit::Course;
use super::smoothing::windows;
use super::third_order::{self, Bound, Bounds, LegMotion};
use super::{Local, MotionLimits, Mover, Path, PathProgress, PlanError, Point, Profile};
use crate::robot::JointVector;

/// Whether any jerk is limited.
pub(super) fn is_given(mover: &Mover) -> bool {
    mover.moved().jerk.is_finite() || mover.each().jerk.is_finite()
}

/// Neighbouring windows: one that is so much too long costs some per cent, which the third-order method takes back.
const STEP: f64 = 1.3;

/// What is not worth another candidate or another step, of the time.
const WORTH: f64 = 1e-4;

/// More legs than these would take long; such paths keep the fastest of the candidates.
const LEGS: usize = 60;

/// The fastest profile, given the fastest whose acceleration jumps.
pub(super) fn fastest<P: Path>(course: &Course<'_, P>, unlimited: &Profile) -> Result<Profile, PlanError> {
    let length = course.path.length();
    let along = PathLegs::new(course);
    // Those with a name may be as fast as they can, averaged ones would lose their smoothness.
    let averaged = fastest_of(course, averaged(unlimited), 1.0)?;
    let named = fastest_of(course, named(length, course.mover.moved(), unlimited).collect(), 0.0)?;
    let starts = averaged.into_iter().chain(named);
    let Some(mut found) = starts.min_by(|a, b| a.duration().total_cmp(&b.duration())) else {
        return Err(PlanError::NoLimit);
    };
    if along.ends.len() >= LEGS {
        return Ok(found);
    }
    let Some(mut way) = along.near(&found) else { return Ok(found) };
    for round in 0..3 {
        if round > 0 {
            way = way.refined(&along)?;
        }
        way = third_order::fastest(&along, way, 30, WORTH)?;
        let profile = course.fitted(&Profile::from_pieces(length, way.spline.pieces()), true)?;
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

/// What the limits are about at one place of the path.
struct Here<P> {
    local: Local<P>,
    /// q′, q″, and a, b, c of the torques: a s̈ + b ṡ² + c, friction aside; damping per ṡ.
    slope: JointVector,
    bend: JointVector,
    torque: [JointVector; 3],
    damping: JointVector,
}

/// A path in its legs. Where one ends, its third derivative jumps.
struct PathLegs<'a, P> {
    course: &'a Course<'a, P>,
    /// Where the legs end, but for the last one.
    ends: Vec<f64>,
}

/// A place and its neighbours in the same piece, and how far they are from each other.
struct Around<P> {
    here: [Here<P>; 3],
    step: f64,
}

impl<'a, P: Path> PathLegs<'a, P> {
    fn new(course: &'a Course<'a, P>) -> Self {
        Self { course, ends: course.path.breaks() }
    }

    /// The motion near a profile, with knots that are evenly spaced on each leg.
    fn near(&self, profile: &Profile) -> Option<LegMotion> {
        /// In all, and on each leg.
        const LEAST: [f64; 2] = [40.0, 5.0];
        let duration = profile.duration();
        let mut times: Vec<f64> = self.ends.iter().map(|&s| profile.time_of(s)).collect();
        times.push(duration);
        let (mut knots, mut turns) = (vec![0.0], Vec::new());
        for end in times {
            let start = knots[knots.len() - 1];
            let count = (LEAST[0] * (end - start) / duration).max(LEAST[1]).ceil();
            knots.extend((1..=count as usize).map(|k| start + (end - start) * k as f64 / count));
            turns.push(knots.len() - 1);
        }
        turns.pop();
        LegMotion::near(self, knots, turns, |t| profile.at(t).s)
    }

    fn here(&self, s: f64) -> Result<Here<P::Point>, PlanError> {
        let course = self.course;
        let [still, pushed, moving] = [course.load(s, 0.0, 0.0)?, course.load(s, 0.0, 1.0)?, course.load(s, 1.0, 0.0)?];
        let joints = course.mover.joints().len();
        let each = |f: &dyn Fn(usize) -> f64| JointVector::from_fn(joints, f);
        let [held, pushed, swept] = [&still, &pushed, &moving].map(|load| each(&|i| load.torque[i] - load.friction[i]));
        Ok(Here {
            local: course.path.at(s),
            torque: [pushed.plus(-1.0, &held), swept.plus(-1.0, &held), held],
            damping: each(&|i| moving.friction[i] - course.friction.torque(i, moving.joints.qd[i])),
            slope: moving.joints.qd,
            bend: moving.joints.qdd,
        })
    }

    /// On a leg.
    fn around(&self, s: f64, leg: usize) -> Result<Around<P::Point>, PlanError> {
        let start = leg.checked_sub(1).map_or(0.0, |before| self.ends[before]);
        let end = self.ends.get(leg).copied().unwrap_or(self.course.path.length());
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
        self.here[2].bend.plus(-1.0, &self.here[0].bend).times(0.5 / self.step)
    }

    /// The limits of jerks.
    fn jerks(&self, mover: &Mover, adding: &mut Adding<'_>) {
        let (moved, each) = (mover.moved(), mover.each());
        let local = &self.here[1].local;
        if moved.jerk.is_finite() {
            let [_, _, jolt] = local.moved(&adding.now);
            for u in directions(local, jolt) {
                let parts = [
                    self.along(|here| u.dot(&here.local.first) / moved.jerk),
                    self.along(|here| u.dot(&here.local.second) / moved.jerk),
                    self.along(|here| u.dot(&here.local.third) / moved.jerk),
                ];
                adding.third(parts.map(|part| part.0), parts.map(|part| part.1));
            }
        }
        if each.jerk.is_finite() {
            for i in 0..mover.joints().len() {
                for sign in [1.0, -1.0] {
                    let (a, da) = self.along(|here| sign * here.slope[i] / each.jerk);
                    // q‴ is the slope of q″.
                    let (b, db) = self.along(|here| sign * here.bend[i] / each.jerk);
                    let [before, at, after] = self.here.each_ref().map(|here| sign * here.bend[i] / each.jerk);
                    let dc = (before - 2.0 * at + after) / (self.step * self.step);
                    adding.third([a, b, db], [da, db, dc]);
                }
            }
        }
    }
}

/// Adds a limit of the second order, a s̈ + b ṡ² + c ≤ 1, or of the third, a s⃛ + 3 b ṡ s̈ + c ṡ³ ≤ 1, from its
/// coefficients and their slopes along the path.
struct Adding<'b> {
    now: PathProgress,
    bounds: &'b mut Vec<Bound>,
}

impl Adding<'_> {
    fn first(&mut self, a: f64, slope: f64) {
        let v = self.now.rate;
        self.bounds.push(Bound { value: a * v, slope: [slope * v, a, 0.0, 0.0] });
    }

    fn second(&mut self, [a, b, c]: [f64; 3], slopes: [f64; 3]) {
        let PathProgress { rate: v, acceleration: w, .. } = self.now;
        let value = |[a, b, c]: [f64; 3]| a * w + b * v * v + c;
        self.bounds.push(Bound { value: value([a, b, c]), slope: [value(slopes), 2.0 * b * v, a, 0.0] });
    }

    fn third(&mut self, [a, b, c]: [f64; 3], slopes: [f64; 3]) {
        let PathProgress { rate: v, acceleration: w, jerk, .. } = self.now;
        let value = |[a, b, c]: [f64; 3]| a * jerk + 3.0 * b * v * w + c * v * v * v;
        let slope = [value(slopes), 3.0 * b * w + 3.0 * c * v * v, 3.0 * b * v, a];
        self.bounds.push(Bound { value: value([a, b, c]), slope });
    }
}

/// Directions in which the length of a vector is looked at: its own, and around the half of the circle from along the path to
/// against it on which the vector is.
fn directions<P: Point>(local: &Local<P>, vector: P) -> impl Iterator<Item = P> {
    /// Of the half circle: what is between two of them is off by at most 1 %.
    const SIDES: u32 = 12;
    let unit = |vector: &P| (vector.length() > 1e-12).then(|| vector.times(1.0 / vector.length()));
    let along = local.first.times(1.0 / local.first.length());
    let side = |vector: &P| vector.plus(-along.dot(vector), &along);
    // Where the vector is along the path, towards the bend.
    let own = side(&vector);
    let across = if own.length() > 1e-9 * vector.length() { own } else { side(&local.second) };
    let across = unit(&across).unwrap_or(along.zero());
    let around = (0..=SIDES).map(move |k| {
        let (sin, cos) = (std::f64::consts::PI * f64::from(k) / f64::from(SIDES)).sin_cos();
        along.times(cos).plus(sin, &across)
    });
    around.chain(unit(&vector))
}

impl<P: Path> Bounds for PathLegs<'_, P> {
    type Error = PlanError;

    fn ends(&self) -> &[f64] {
        &self.ends
    }

    fn about(
        &self,
        leg: usize,
        [s, rate, acceleration, jerk]: [f64; 4],
        bounds: &mut Vec<Bound>,
    ) -> Result<(), PlanError> {
        let mover = self.course.mover;
        let (moved, each) = (mover.moved(), mover.each());
        let now = PathProgress { s, rate, acceleration, jerk };
        let mut adding = Adding { now, bounds };
        let around = self.around(s, leg)?;
        let here = &around.here[1];
        around.jerks(mover, &mut adding);
        if moved.speed.is_finite() {
            adding.first(here.local.first.length() / moved.speed, 0.0);
        }
        if moved.acceleration.is_finite() {
            let [_, push, _] = here.local.moved(&now);
            for u in directions(&here.local, push) {
                let (a, da) = around.along(|here| u.dot(&here.local.first) / moved.acceleration);
                let (b, db) = around.along(|here| u.dot(&here.local.second) / moved.acceleration);
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

    fn demand(&self, leg: usize, [s, rate, acceleration, jerk]: [f64; 4]) -> Result<f64, PlanError> {
        let now = PathProgress { s, rate, acceleration, jerk };
        let Course { mover, friction, .. } = self.course;
        let (moved, each) = (mover.moved(), mover.each());
        let around = self.around(s, leg)?;
        let (here, third) = (&around.here[1], around.third());
        let [velocity, push, jolt] = here.local.moved(&now).map(|vector| vector.length());
        let mut factor =
            (velocity / moved.speed).max((push / moved.acceleration).sqrt()).max((jolt / moved.jerk).cbrt());
        for (i, joint) in mover.joints().iter().enumerate() {
            let (slope, bend) = (here.slope[i], here.bend[i]);
            let speed = slope * rate;
            let qdd = slope * acceleration + bend * rate * rate;
            let jerk = slope * jerk + 3.0 * bend * rate * acceleration + third[i] * rate.powi(3);
            let [a, b, c] = here.torque.each_ref().map(|torque| torque[i]);
            let limit = joint.limits.max_torque;
            let moving = a * acceleration + b * rate * rate;
            let holding = c + friction.torque(i, speed) + here.damping[i] * rate;
            // What is left of the limit for moving.
            let left = (limit - moving.signum() * holding).max(1e-3 * limit);
            factor = factor
                .max(speed.abs() / joint.limits.max_speed)
                .max((moving.abs() / left).sqrt())
                .max((qdd.abs() / each.acceleration).sqrt())
                .max((jerk.abs() / each.jerk).cbrt());
        }
        Ok(factor)
    }
}
