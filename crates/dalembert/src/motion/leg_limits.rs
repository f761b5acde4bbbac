//! What limits a motion along the legs of a path at a state (s, ṡ, s̈, s⃛), and how these limits depend on it.

use super::fit::{Course, PlaceDynamics};
use super::{Local, Mover, Path, PathProgress, PlanError, Point};

/// What is limited, about a state: y + slope · (δs, δṡ, δs̈, δs⃛) ≤ 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub value: f64,
    pub slope: [f64; 4],
}

/// A path in its legs. Where one ends, its third derivative jumps.
pub(super) struct PathLegs<'a, P> {
    course: &'a Course<'a, P>,
    /// Where the legs end, but for the last one.
    pub ends: Vec<f64>,
}

/// A place and its neighbours in the same piece, and how far they are from each other.
struct Around<P> {
    here: [PlaceDynamics<P>; 3],
    step: f64,
}

impl<'a, P: Path> PathLegs<'a, P> {
    pub fn new(course: &'a Course<'a, P>) -> Self {
        Self { course, ends: course.path.breaks() }
    }

    /// On a leg.
    fn around(&self, s: f64, leg: usize) -> Result<Around<P::Point>, PlanError> {
        let start = leg.checked_sub(1).map_or(0.0, |before| self.ends[before]);
        let end = self.ends.get(leg).copied().unwrap_or(self.course.path.length());
        let step = (1e-5 * self.course.path.length()).min(0.1 * (end - start));
        let s = s.clamp(start + 1.001 * step, end - 1.001 * step);
        let here = |s: f64| self.course.here(s, &self.course.load(s, 0.0, 0.0)?);
        Ok(Around { here: [here(s - step)?, here(s)?, here(s + step)?], step })
    }
}

impl<P: Point> Around<P> {
    /// A number and its slope along the path.
    fn along(&self, f: impl Fn(&PlaceDynamics<P>) -> f64) -> (f64, f64) {
        let [before, here, after] = &self.here;
        (f(here), (f(after) - f(before)) / (2.0 * self.step))
    }

    /// The limits of jerks.
    fn jerks(&self, mover: &Mover, now: &PathProgress, limits: &mut Vec<LegLimit>) {
        let (moved, each) = (mover.moved, mover.each);
        let local = &self.here[1].local;
        if moved.jerk.is_finite() {
            let [_, _, jolt] = local.moved(now);
            for u in directions(local, jolt) {
                limits.push(LegLimit::new(
                    3,
                    [
                        self.along(|here| u.dot(&here.local.first) / moved.jerk),
                        self.along(|here| u.dot(&here.local.second) / moved.jerk),
                        self.along(|here| u.dot(&here.local.third) / moved.jerk),
                    ],
                ));
            }
        }
        if each.jerk.is_finite() {
            for (i, sign) in (0..mover.joints.len()).flat_map(|i| [(i, 1.0), (i, -1.0)]) {
                let a = self.along(|here| sign * here.slope[i] / each.jerk);
                // q‴ is the slope of q″.
                let (b, db) = self.along(|here| sign * here.bend[i] / each.jerk);
                let [before, at, after] = self.here.each_ref().map(|here| sign * here.bend[i] / each.jerk);
                let dc = (before - 2.0 * at + after) / (self.step * self.step);
                limits.push(LegLimit::new(3, [a, (b, db), (db, dc)]));
            }
        }
    }
}

/// What is limited at a place, by its coefficients and their slopes along the path: a ṡ (of the first order), a s̈ + b ṡ² + c (of
/// the second) or a s⃛ + 3 b ṡ s̈ + c ṡ³ (of the third) is at most 1.
struct LegLimit {
    order: usize,
    at: [f64; 3],
    slope: [f64; 3],
}

impl LegLimit {
    fn new(order: usize, parts: [(f64, f64); 3]) -> Self {
        Self { order, at: parts.map(|part| part.0), slope: parts.map(|part| part.1) }
    }

    fn value(&self, [a, b, c]: [f64; 3], now: &PathProgress) -> f64 {
        let PathProgress { rate: v, acceleration: w, jerk, .. } = *now;
        match self.order {
            1 => a * v,
            2 => a * w + b * v * v + c,
            _ => a * jerk + 3.0 * b * v * w + c * v * v * v,
        }
    }

    fn about(&self, now: &PathProgress) -> Bound {
        let PathProgress { rate: v, acceleration: w, .. } = *now;
        let ([a, b, c], along) = (self.at, self.value(self.slope, now));
        let slope = match self.order {
            1 => [along, a, 0.0, 0.0],
            2 => [along, 2.0 * b * v, a, 0.0],
            _ => [along, 3.0 * b * w + 3.0 * c * v * v, 3.0 * b * v, a],
        };
        Bound { value: self.value(self.at, now), slope }
    }

    /// How many times slower the motion has to go: what moves it has what holding leaves of the limit.
    fn demand(&self, now: &PathProgress) -> f64 {
        let [a, b, c] = self.at;
        let held = if self.order == 2 { c } else { 0.0 };
        let share = (self.value([a, b, c - held], now) / (1.0 - held).max(1e-3)).max(0.0);
        match self.order {
            1 => share,
            2 => share.sqrt(),
            _ => share.cbrt(),
        }
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

impl<P: Path> PathLegs<'_, P> {
    fn limits(&self, leg: usize, now: &PathProgress) -> Result<Vec<LegLimit>, PlanError> {
        let mover = self.course.mover;
        let (moved, each) = (mover.moved, mover.each);
        let around = self.around(now.s, leg)?;
        let (here, none, mut limits) = (&around.here[1], (0.0, 0.0), Vec::new());
        around.jerks(mover, now, &mut limits);
        if moved.speed.is_finite() {
            limits.push(LegLimit::new(1, [(here.local.first.length() / moved.speed, 0.0), none, none]));
        }
        if moved.acceleration.is_finite() {
            let [_, push, _] = here.local.moved(now);
            for u in directions(&here.local, push) {
                let a = around.along(|here| u.dot(&here.local.first) / moved.acceleration);
                let b = around.along(|here| u.dot(&here.local.second) / moved.acceleration);
                limits.push(LegLimit::new(2, [a, b, none]));
            }
        }
        for (i, joint) in mover.joints.iter().enumerate() {
            let (speed, torque) = (joint.limits.max_speed, joint.limits.max_torque);
            for sign in [1.0, -1.0] {
                if speed.is_finite() {
                    limits.push(LegLimit::new(1, [around.along(|here| sign * here.slope[i] / speed), none, none]));
                }
                if torque.is_finite() {
                    let friction = self.course.friction.torque(i, here.slope[i] * now.rate);
                    let mut all = [0, 1, 2].map(|k| around.along(|here| sign * here.torque[k][i] / torque));
                    all[2].0 += sign * (friction + here.damping[i] * now.rate) / torque;
                    limits.push(LegLimit::new(2, all));
                }
                if each.acceleration.is_finite() {
                    let a = around.along(|here| sign * here.slope[i] / each.acceleration);
                    let b = around.along(|here| sign * here.bend[i] / each.acceleration);
                    limits.push(LegLimit::new(2, [a, b, none]));
                }
            }
        }
        Ok(limits)
    }

    /// The limits at a state (s, ṡ, s̈, s⃛) on a leg.
    pub fn about(&self, leg: usize, [s, rate, acceleration, jerk]: [f64; 4]) -> Result<Vec<Bound>, PlanError> {
        let now = PathProgress { s, rate, acceleration, jerk };
        Ok(self.limits(leg, &now)?.iter().map(|limit| limit.about(&now)).collect())
    }

    /// How many times slower the motion has to go through a state, below 1 where it may be faster.
    pub fn demand(&self, leg: usize, [s, rate, acceleration, jerk]: [f64; 4]) -> Result<f64, PlanError> {
        let now = PathProgress { s, rate, acceleration, jerk };
        Ok(self.limits(leg, &now)?.iter().map(|limit| limit.demand(&now)).fold(0.0, f64::max))
    }
}
