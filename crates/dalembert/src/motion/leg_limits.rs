//! What limits a motion along the legs of a path at a state (s, ṡ, s̈, s⃛), and how these limits depend on it.

use super::fit::{Course, PlaceDynamics};
use super::{Local, Mover, Path, PathProgress, PlanError, Point};
use crate::robot::JointVector;

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

impl<P: Path> PathLegs<'_, P> {
    /// The limits at a state (s, ṡ, s̈, s⃛) on a leg.
    pub fn about(
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

    /// How many times slower the motion has to go through a state, below 1 where it may be faster.
    pub fn demand(&self, leg: usize, [s, rate, acceleration, jerk]: [f64; 4]) -> Result<f64, PlanError> {
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
