//! Motion profiles checked against the limits of a robot, and stretched until they hold.

use super::mover::{JointFriction, place};
use super::{Local, MotionLimits, Mover, Path, PathProgress, Point, Profile, ProfileError};
use crate::robot::{Joint, JointVector, Load, StateError, Violation, by_kind};
use std::fmt;

/// By how much of itself a limit may be exceeded between the points of the grid.
pub const EXCESS: f64 = 1e-3;

/// A limit counts as active where less than this share of it is left.
pub const ACTIVE: f64 = 1e-2;

/// A profile that is not made for a grid is checked at five places in each of at least so many stretches of time.
const STRETCHES: usize = 400;

/// How right the peaks of speeds, accelerations and jerks are.
const SHARP: f64 = 2e-4;

/// The windows over which a profile of this duration, s, can be averaged. Shorter, rounding would show; longer, the ramps would
/// be as long as the motion and no smoother.
pub(super) fn windows(duration: f64) -> [f64; 2] {
    [1e-6 * duration, 0.5 * duration]
}

/// A path and the robot that is to follow it.
pub(super) struct Course<'a, P> {
    pub path: &'a P,
    pub mover: &'a Mover,
    pub friction: JointFriction,
    /// Whether limits of the jerk hold.
    pub jerk: bool,
}

impl<'a, P: Path> Course<'a, P> {
    pub fn new(path: &'a P, mover: &'a Mover) -> Self {
        Self { path, mover, friction: JointFriction::of(mover), jerk: true }
    }

    pub fn at(&self, s: f64) -> OnPath {
        OnPath::of(self.path, s, &self.mover.joints)
    }

    pub fn load(&self, s: f64, rate: f64, acceleration: f64) -> Result<Load, PlanError> {
        if ![s, rate, acceleration].into_iter().all(f64::is_finite) {
            return Err(PlanError::NotFinite);
        }
        let state = self.path.at(s).state(rate, acceleration);
        self.mover.load(&state).map_err(|cause| PlanError::InvalidParameters { at: self.at(s), cause: Box::new(cause) })
    }

    /// The dynamics at a place, from the load at rest there and two more evaluations.
    pub fn here(&self, s: f64, still: &Load) -> Result<PlaceDynamics<P::Point>, PlanError> {
        let [pushed, moving] = [self.load(s, 0.0, 1.0)?, self.load(s, 1.0, 0.0)?];
        let each = |f: &dyn Fn(usize) -> f64| JointVector::from_fn(still.torque.len(), f);
        let [held, pushed, swept] = [still, &pushed, &moving].map(|load| each(&|i| load.torque[i] - load.friction[i]));
        Ok(PlaceDynamics {
            local: self.path.at(s),
            torque: [pushed.plus(-1.0, &held), swept.plus(-1.0, &held), held],
            damping: each(&|i| moving.friction[i] - self.friction.torque(i, moving.joints.qd[i])),
            slope: moving.joints.qd,
            bend: moving.joints.qdd,
        })
    }

    /// The load at rest, if the robot can be there.
    pub fn still(&self, s: f64) -> Result<Load, PlanError> {
        let still = self.load(s, 0.0, 0.0)?;
        if let Some(violation) = self.mover.out_of_range(&still) {
            return Err(PlanError::Range { at: self.at(s), violation });
        }
        match self.mover.tightest(&still) {
            (share, Some(violation)) if share > 1.0 => Err(PlanError::CannotHold { at: self.at(s), violation }),
            _ => Ok(still),
        }
    }

    /// A profile that is not made for a grid.
    pub fn checked(&self, profile: &Profile) -> Result<Checked, PlanError> {
        Checked::of(self, profile, &self.times(profile), |_| true)
    }

    /// Times that cut a profile into at least [`STRETCHES`], and those at which it is at the [`Course::stations`] of the path.
    /// Breaks of the profile are among them.
    fn times(&self, profile: &Profile) -> Vec<f64> {
        let duration = profile.duration();
        let mut breaks = profile.breaks();
        breaks.extend(self.stations().into_iter().map(|s| profile.time_of(s)));
        breaks.push(duration);
        breaks.sort_by(f64::total_cmp);
        let mut times = vec![0.0];
        for end in breaks {
            let start = times.last().copied().unwrap_or(0.0);
            // What rounding leaves between two breaks is none.
            if end - start > 1e-12 * duration {
                let parts = (STRETCHES as f64 / duration * (end - start) * (1.0 - 1e-9)).ceil().max(1.0);
                times.extend((1..=parts as usize).map(|k| start + (end - start) * k as f64 / parts));
            }
        }
        times
    }

    /// Places on the path between which it hardly turns, so that no narrow corner is passed unseen: at least some in each piece, and
    /// the ends of all pieces.
    fn stations(&self) -> Vec<f64> {
        const LEAST: usize = 8;
        /// Between two stations, rad.
        const TURN: f64 = 0.1;
        let length = self.path.length();
        let mut ends = self.path.breaks();
        ends.push(length);
        let direction = |s: f64| {
            let first = self.path.at(s).first;
            first.times(1.0 / first.length().max(f64::MIN_POSITIVE))
        };
        let (mut all, mut start) = (Vec::new(), 0.0);
        for end in ends {
            let place = |k: usize| start + (end - start) * k as f64 / LEAST as f64;
            let mut open: Vec<[f64; 2]> = (0..LEAST).rev().map(|k| [place(k), place(k + 1)]).collect();
            while let Some([a, b]) = open.pop() {
                let turned = direction(b).plus(-1.0, &direction(a)).length();
                if turned > TURN && b - a > 1e-7 * length {
                    let middle = 0.5 * (a + b);
                    open.extend([[middle, b], [a, middle]]);
                } else {
                    all.push(b);
                }
            }
            start = end;
        }
        all
    }

    /// Speed and acceleration of what moves and of the joints, as shares of the limits of a [`Mover::within`].
    fn share(&self, now: &PathProgress, load: &Load) -> f64 {
        let (moved, each) = (self.mover.moved, self.mover.each);
        let mut share = 0.0_f64;
        if moved.speed.is_finite() || moved.acceleration.is_finite() {
            let [speed, acceleration, _] = self.path.at(now.s).moved(now).map(|vector| vector.length());
            share = (speed / moved.speed).max(acceleration / moved.acceleration);
        }
        load.joints.qdd.iter().fold(share, |most, qdd| most.max(qdd.abs() / each.acceleration))
    }

    /// How many times as long a profile has to take for the limits of a [`Mover::within`], below 1 where it could take less; 0
    /// without any. Speeds go by one over the time, accelerations by its square, jerks by its cube, so this is exact
    /// but for the peaks between the places that are looked at; those are taken from parabolas, and stretches of time in which
    /// these would not be right to [`SHARP`] are halved.
    pub fn demand(&self, profile: &Profile) -> Result<f64, PlanError> {
        let without = |limits: MotionLimits| MotionLimits { jerk: f64::INFINITY, ..limits };
        let [moved, each] =
            [self.mover.moved, self.mover.each].map(|limits| if self.jerk { limits } else { without(limits) });
        if moved == MotionLimits::NONE && each == MotionLimits::NONE {
            return Ok(0.0);
        }
        if (moved.jerk.is_finite() || each.jerk.is_finite()) && profile.peak_jerk().is_infinite() {
            return Err(PlanError::Jumps);
        }
        let joints = self.mover.joints.len();
        let mut factor = 0.0_f64;
        let mut stretches: Vec<[f64; 2]> =
            self.times(profile).windows(2).rev().map(|pair| [pair[0], pair[1]]).collect();
        while let Some([start, end]) = stretches.pop() {
            let rows = self.shares(profile, [start, end], [moved, each])?;
            let mut sharp = false;
            for i in 0..3 + 3 * joints {
                let power = if i < 3 { i + 1 } else { (i - 3) / joints + 1 } as i32;
                let (peak, error) = peak(rows.each_ref().map(|row| row[i]));
                sharp |= error > SHARP * peak && peak + error > factor.powi(power);
                if peak > factor.powi(power) {
                    factor = peak.powf(1.0 / f64::from(power));
                }
            }
            if sharp && end - start > 1e-6 * profile.duration() {
                let middle = 0.5 * (start + end);
                stretches.extend([[middle, end], [start, middle]]);
            }
        }
        Ok(factor)
    }

    /// Shares of limits at five places of a stretch of time: of speed, acceleration and jerk of what moves, and of
    /// speeds, accelerations and jerks of the joints.
    fn shares(
        &self,
        profile: &Profile,
        [start, end]: [f64; 2],
        [moved, each]: [MotionLimits; 2],
    ) -> Result<[Vec<f64>; 5], PlanError> {
        const PLACES: [f64; 5] = [1e-3, 0.25, 0.5, 0.75, 1.0 - 1e-3];
        let (width, joints) = (end - start, self.mover.joints.len());
        let joints_at = |t: f64| {
            let now = profile.at(t);
            self.load(now.s, now.rate, now.acceleration).map(|load| load.joints)
        };
        let mut rows = PLACES.map(|_| vec![0.0; 3 + 3 * joints]);
        for (row, part) in rows.iter_mut().zip(PLACES) {
            let t = start + part * width;
            let now = profile.at(t);
            let [speed, acceleration, jerk] = self.path.at(now.s).moved(&now).map(|vector| vector.length());
            row[..3].copy_from_slice(&[speed / moved.speed, acceleration / moved.acceleration, jerk / moved.jerk]);
            if each.speed.is_finite() || each.acceleration.is_finite() {
                let at = joints_at(t)?;
                for i in 0..joints {
                    row[3 + i] = at.qd[i].abs() / each.speed;
                    row[3 + joints + i] = at.qdd[i].abs() / each.acceleration;
                }
            }
            if each.jerk.is_finite() {
                let h = 5e-4 * width;
                let (before, after) = (joints_at(t - h)?, joints_at(t + h)?);
                for i in 0..joints {
                    row[3 + 2 * joints + i] = (after.qdd[i] - before.qdd[i]).abs() / (2.0 * h * each.jerk);
                }
            }
        }
        Ok(rows)
    }

    /// The profile averaged over a window, s, within the limits. Never compressed: that would sharpen what has been smoothed.
    pub fn smoothed(&self, profile: &Profile, window: f64) -> Result<Profile, PlanError> {
        let [least, most] = windows(profile.duration());
        if !(least..=most).contains(&window) {
            return Err(PlanError::SmoothingOfThis { window, least, most });
        }
        self.fitted(&profile.averaged(window), false)
    }

    /// The profile stretched until the limits hold; compressed too, where they leave something and `compress` says so.
    pub fn fitted(&self, profile: &Profile, compress: bool) -> Result<Profile, PlanError> {
        self.fitted_by(profile, compress, true)
    }

    /// The same; a stretch of time that is within the limits stays so however much slower the motion is, so `less` leaves those
    /// out that exceeded none when it was faster.
    fn fitted_by(&self, profile: &Profile, compress: bool, less: bool) -> Result<Profile, PlanError> {
        for k in 0..=100 {
            self.still(self.path.length() * f64::from(k) / 100.0)?;
        }
        let least = self.demand(profile)?;
        let mut exceeds: Option<Vec<bool>> = None;
        let mut check = |factor: f64| -> Result<Checked, PlanError> {
            let profile = profile.stretched(factor);
            let times = self.times(&profile);
            let known = exceeds.as_ref().filter(|known| known.len() + 1 == times.len());
            let checked = Checked::of(self, &profile, &times, |k| known.is_none_or(|known| known[k]))?;
            if less && checked.tightest > 1.0 {
                exceeds = Some(checked.pieces.iter().map(|piece| piece[1] > 1.0).collect());
            }
            Ok(checked)
        };
        let (mut fast, mut slow) = (None, least.max(1.0));
        let mut doublings = 0;
        loop {
            let checked = check(slow)?;
            if checked.tightest <= 1.0 {
                break;
            }
            (fast, slow) = (Some(slow), 2.0 * slow);
            doublings += 1;
            if doublings > 40 {
                return Err(PlanError::Stuck { at: self.at(checked.worst) });
            }
        }
        while fast.is_none() {
            let next = (0.5 * slow).max(least);
            if !compress || next >= slow {
                return Ok(profile.stretched(slow));
            }
            if check(next)?.tightest <= 1.0 {
                slow = next;
            } else {
                fast = Some(next);
            }
            doublings += 1;
            if doublings > 80 {
                return Err(PlanError::NoLimit);
            }
        }
        let mut fast = fast.unwrap_or(slow);
        while slow - fast > 1e-6 * slow {
            let middle = 0.5 * (slow + fast);
            if check(middle)?.tightest <= 1.0 {
                slow = middle;
            } else {
                fast = middle;
            }
        }
        let fitted = profile.stretched(slow);
        // But for friction, which may be larger where it is slower.
        if less && self.checked(&fitted)?.tightest > 1.0 {
            return self.fitted_by(profile, compress, false);
        }
        Ok(fitted)
    }
}

/// The dynamics at one place of a path.
#[derive(Clone)]
pub(super) struct PlaceDynamics<P> {
    pub local: Local<P>,
    /// q′.
    pub slope: JointVector,
    /// q″.
    pub bend: JointVector,
    /// a, b, c of the torques without friction, a s̈ + b ṡ² + c: c at rest, a + c with s̈ = 1, b + c with ṡ = 1.
    pub torque: [JointVector; 3],
    /// Of friction that is proportional to ṡ: damping of passive joints.
    pub damping: JointVector,
}

impl<P: Point> Local<P> {
    /// Velocity, acceleration and jerk: X′ ṡ, X″ ṡ² + X′ s̈ and X‴ ṡ³ + 3 X″ ṡ s̈ + X′ s⃛.
    pub(super) fn moved(&self, now: &PathProgress) -> [P; 3] {
        let PathProgress { rate, acceleration, jerk, .. } = *now;
        let square = rate * rate;
        [
            self.first.times(rate),
            self.second.times(square).plus(acceleration, &self.first),
            self.third.times(square * rate).plus(3.0 * rate * acceleration, &self.second).plus(jerk, &self.first),
        ]
    }
}

/// The largest of values at places that follow each other, and of the parabolas through each three of them; and by how much
/// more it may be, since no parabola has a third difference.
fn peak(x: [f64; 5]) -> (f64, f64) {
    let top = |x: &[f64]| {
        let bend = 2.0 * x[1] - x[0] - x[2];
        let inside = (x[0] - x[2]).abs() < 2.0 * bend;
        if inside { x[1] + (x[0] - x[2]) * (x[0] - x[2]) / (8.0 * bend) } else { x[1] }
    };
    let third = |x: &[f64]| (x[3] - 3.0 * x[2] + 3.0 * x[1] - x[0]).abs() / 16.0;
    (x.windows(3).map(top).chain(x).fold(0.0, f64::max), x.windows(4).map(third).fold(0.0, f64::max))
}

/// A profile as the model sees it.
#[derive(Default)]
pub(super) struct Checked {
    /// Least and largest share of the tightest limit in each piece of the profile.
    pub pieces: Vec<[f64; 2]>,
    /// Duration of each piece, s.
    pub widths: Vec<f64>,
    /// Largest share of a limit of the robot.
    pub tightest: f64,
    /// Largest share of a limit of a [`Mover::within`], jerks aside.
    pub moved: f64,
    /// Where that is.
    pub worst: f64,
    pub active: f64,
    /// Whether there is any.
    pub friction: bool,
}

impl Checked {
    /// Largest share of any limit, jerks aside.
    pub fn share(&self) -> f64 {
        self.tightest.max(self.moved)
    }

    /// At places between the times, in those stretches that are asked for.
    pub fn of<P: Path>(
        course: &Course<'_, P>,
        profile: &Profile,
        times: &[f64],
        asked: impl Fn(usize) -> bool,
    ) -> Result<Self, PlanError> {
        /// Places in a stretch, a hair inside of its ends, with their weights in time.
        const PLACES: [(f64, f64); 5] = [(1e-9, 0.125), (0.25, 0.25), (0.5, 0.25), (0.75, 0.25), (1.0 - 1e-9, 0.125)];
        let mut checked = Self::default();
        for (k, pair) in times.windows(2).enumerate() {
            let width = pair[1] - pair[0];
            let [mut low, mut high] = [f64::INFINITY, 0.0_f64];
            let mut before: Option<Load> = None;
            for (part, weight) in PLACES.into_iter().filter(|_| asked(k)) {
                let now = profile.at(pair[0] + part * width);
                let load = course.load(now.s, now.rate, now.acceleration)?;
                let (share, _) = course.mover.tightest(&load);
                let between = |before: Load| course.friction.share_between(course.mover, [&before, &load]);
                let most = before.map_or(share, |before| between(before).max(share));
                if most > checked.tightest {
                    (checked.tightest, checked.worst) = (most, now.s);
                }
                let moved = course.share(&now, &load);
                checked.moved = checked.moved.max(moved);
                let (share, most) = (share.max(moved), most.max(moved));
                [low, high] = [low.min(share), high.max(most)];
                if share >= 1.0 - ACTIVE {
                    checked.active += weight * width;
                }
                checked.friction |= load.friction.iter().any(|&friction| friction != 0.0);
                before = Some(load);
            }
            checked.pieces.push([low, high]);
            checked.widths.push(width);
        }
        checked.active /= profile.duration();
        Ok(checked)
    }
}

/// The profile stretched (or compressed) in time until it is as fast as the limits of `mover` allow.
///
/// Stretched by k, what moves needs 1/k² of the torque and gravity what it needs, so beyond the least k every k is allowed;
/// it is found by bisection to 1e-6.
pub fn shortest<P: Path>(path: &P, mover: &Mover, profile: &Profile) -> Result<Profile, PlanError> {
    Course::new(path, mover).fitted(profile, true)
}

/// The profile as it is where the limits of `mover` allow it, or else stretched until they do.
pub fn slowed<P: Path>(path: &P, mover: &Mover, profile: &Profile) -> Result<Profile, PlanError> {
    Course::new(path, mover).fitted(profile, false)
}

/// A place on a path.
#[derive(Clone, Debug, PartialEq)]
pub struct OnPath {
    /// The path's parameter, in `unit`.
    pub s: f64,
    /// In `unit`.
    pub position: Vec<f64>,
    /// m, or that of joints.
    pub unit: &'static str,
}

impl OnPath {
    pub(super) fn of<P: Path>(path: &P, s: f64, joints: &[Joint]) -> Self {
        let position = path.at(s).position.components().to_vec();
        Self { s, position, unit: by_kind(joints, P::Point::UNITS) }
    }
}

impl fmt::Display for OnPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { s, position, unit } = self;
        write!(f, "s = {s:.4} {unit}, {} {unit}", place(position))
    }
}

/// Why a path has no motion profile; times are in s.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum PlanError {
    /// A number of the profile.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error("the path at {at}: {cause}")]
    InvalidParameters { at: OnPath, cause: Box<StateError> },
    #[error(
        "the profile along this path is not finite: a blend or a segment is too short, or a limit too large or too small, \
         to compute with"
    )]
    NotFinite,
    /// Geometry alone exceeds a limit.
    #[error("the path at {at}: {violation}")]
    Range { at: OnPath, violation: Violation },
    /// Not even standing still.
    #[error("the robot cannot hold itself on the path at {at}: {violation}")]
    CannotHold { at: OnPath, violation: Violation },
    #[error("the limits do not let the robot get over {at}")]
    Stuck { at: OnPath },
    #[error("without a limit on torque or speed the motion would take no time")]
    NoLimit,
    /// A time-optimal motion cannot be hurried, and limits in numbers hold whatever the time.
    #[error("{wanted:.4} s is less than the shortest time along this path, {shortest:.4} s")]
    TooShort { wanted: f64, shortest: f64 },
    #[error("the minimum-torque profile is the one for a given duration, and none is given")]
    NoDuration,
    #[error("smoothing is {0} s, but must be positive and finite")]
    Smoothing(f64),
    #[error("the acceleration of this profile jumps, so no limit of the jerk holds, however long it takes")]
    Jumps,
    #[error(
        "smoothing is {window} s, but must be between {least:.1e} s and {most:.4} s: a millionth and one half of what the \
         motion takes without it"
    )]
    SmoothingOfThis { window: f64, least: f64, most: f64 },
}
