//! Motion profiles checked against the limits of a robot, and stretched until they hold.

use super::friction_range::JointFriction;
use super::plan_error::{OnPath, PlanError};
use super::{Local, Mover, Path, Point, Profile, State};
use crate::robot::Load;

/// By how much of itself a limit may be exceeded between the points of the grid.
pub const EXCESS: f64 = 1e-3;

/// A limit counts as active where less than this share of it is left.
pub const ACTIVE: f64 = 1e-2;

/// A profile that is not made for a grid is checked at five places in each of at least so many stretches of time.
const STRETCHES: usize = 400;

/// A path and the robot that is to follow it.
pub(super) struct Course<'a, P> {
    pub path: &'a P,
    pub mover: &'a Mover,
    pub friction: JointFriction,
}

impl<'a, P: Path> Course<'a, P> {
    pub fn new(path: &'a P, mover: &'a Mover) -> Self {
        Self { path, mover, friction: JointFriction::of(mover) }
    }

    pub fn at(&self, s: f64) -> OnPath {
        OnPath::of(self.path, s)
    }

    pub fn load(&self, s: f64, rate: f64, acceleration: f64) -> Result<Load, PlanError> {
        let Local { position, first, second } = self.path.at(s);
        let state = State {
            position,
            velocity: first.times(rate),
            acceleration: second.times(rate * rate).plus(acceleration, first),
        };
        self.mover.load(&state).map_err(|cause| PlanError::Impossible { at: self.at(s), cause: Box::new(cause) })
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
        Checked::of(self, profile, &profile.stretches(STRETCHES))
    }

    /// The profile stretched until the limits hold; compressed too, where they leave something and `compress` says so.
    pub fn fitted(&self, profile: &Profile, compress: bool) -> Result<Profile, PlanError> {
        for k in 0..=100 {
            self.still(self.path.length() * f64::from(k) / 100.0)?;
        }
        let check = |factor: f64| self.checked(&profile.stretched(factor));
        let fits = |factor: f64| check(factor).map(|checked| checked.tightest <= 1.0);
        let (mut slow, mut fast) = (1.0, 1.0);
        let mut doublings = 0;
        loop {
            let checked = check(slow)?;
            if checked.tightest <= 1.0 {
                break;
            }
            (fast, slow) = (slow, 2.0 * slow);
            doublings += 1;
            if doublings > 40 {
                return Err(PlanError::Stuck { at: self.at(checked.worst) });
            }
        }
        if slow == 1.0 && !compress {
            return Ok(profile.clone());
        }
        while fits(fast)? {
            (slow, fast) = (fast, 0.5 * fast);
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
        Ok(profile.stretched(slow))
    }
}

/// A profile as the model sees it.
pub(super) struct Checked {
    /// Least and largest share of the tightest limit in each piece of the profile.
    pub pieces: Vec<[f64; 2]>,
    /// Duration of each piece, s.
    pub widths: Vec<f64>,
    pub tightest: f64,
    /// Where that is.
    pub worst: f64,
    pub active: f64,
    /// Whether there is any.
    pub friction: bool,
}

impl Checked {
    pub fn of<P: Path>(course: &Course<'_, P>, profile: &Profile, times: &[f64]) -> Result<Self, PlanError> {
        /// Places in a stretch, a hair inside of its ends, with their weights in time.
        const PLACES: [(f64, f64); 5] = [(1e-9, 0.125), (0.25, 0.25), (0.5, 0.25), (0.75, 0.25), (1.0 - 1e-9, 0.125)];
        let mut checked =
            Self { pieces: Vec::new(), widths: Vec::new(), tightest: 0.0, worst: 0.0, active: 0.0, friction: false };
        for pair in times.windows(2) {
            let width = pair[1] - pair[0];
            let [mut low, mut high] = [f64::INFINITY, 0.0_f64];
            let mut before: Option<Load> = None;
            for (part, weight) in PLACES {
                let now = profile.at(pair[0] + part * width);
                let load = course.load(now.s, now.rate, now.acceleration)?;
                let (share, _) = course.mover.tightest(&load);
                let between = |before: Load| course.friction.share_between(course.mover, [&before, &load]);
                let most = before.map_or(share, |before| between(before).max(share));
                [low, high] = [low.min(share), high.max(most)];
                if share >= 1.0 - ACTIVE {
                    checked.active += weight * width;
                }
                if most > checked.tightest {
                    (checked.tightest, checked.worst) = (most, now.s);
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
