//! A conveyor that moves while the robot picks.
//!
//! The motion is a travel to the part and back, plus an offset c(t) along the belt. On the way there c goes from rest to
//! the belt's velocity v_b and meets the part where it is then (c = 0); while the robot picks, c = v_b t; on the way back c
//! goes to rest at 0 again. Each way is the quintic with these ends and no acceleration there, so the sum is C² wherever
//! the travel is.
//!
//! The belt's own acceleration comes on top of what the profile of the path asks for: [`ConveyorPick::within`] looks at each whole
//! way and stretches its profile until the limits hold.

use super::friction_range::JointFriction;
use super::mover::place;
use super::{ACTIVE, CannotDo, Dwell, Motion, MotionState, Mover, Path, Point, Profile, ProfileError, Travel};
use crate::Vec3;
use crate::robot::{Load, Violation};

/// To a part on a moving belt, with it while it is picked, and back.
#[derive(Clone, Debug)]
pub struct ConveyorPick<There, Back> {
    /// From the place to where the part is when it is met.
    pub there: There,
    /// s, with the belt.
    pub picking: f64,
    /// From there back to the place.
    pub back: Back,
    /// Velocity of the belt, m/s.
    pub belt: Vec3<f64>,
}

/// One of the ways: a travel and the offset along the belt, from (c₀, ċ₀) to (c₁, ċ₁) with c in seconds of the belt.
struct BeltWay<'m, M> {
    travel: &'m M,
    from: (f64, f64),
    to: (f64, f64),
    belt: Vec3<f64>,
}

impl<M: Motion<Point = Vec3<f64>>> BeltWay<'_, M> {
    fn at(&self, t: f64) -> MotionState<Vec3<f64>> {
        shifted(self.travel.at(t), quintic(t, self.travel.duration(), self.from, self.to), self.belt)
    }
}

/// A state, moved along the belt by c, ċ, c̈.
fn shifted(state: MotionState<Vec3<f64>>, [c, v, a]: [f64; 3], belt: Vec3<f64>) -> MotionState<Vec3<f64>> {
    MotionState {
        position: state.position.plus(c, &belt),
        velocity: state.velocity.plus(v, &belt),
        acceleration: state.acceleration.plus(a, &belt),
    }
}

/// c, ċ, c̈ of the quintic over `duration` from (c₀, v₀) to (c₁, v₁) without acceleration at both ends.
fn quintic(t: f64, duration: f64, from: (f64, f64), to: (f64, f64)) -> [f64; 3] {
    let (h, u) = (to.0 - from.0 - from.1 * duration, (to.1 - from.1) * duration);
    let x = t / duration;
    // h and u are what is left to go and to speed up when the start goes on as a straight line.
    let (a, b, c) = (10.0 * h - 4.0 * u, -15.0 * h + 7.0 * u, 6.0 * h - 3.0 * u);
    [
        from.0 + from.1 * t + x * x * x * (a + x * (b + x * c)),
        from.1 + x * x * (3.0 * a + x * (4.0 * b + x * 5.0 * c)) / duration,
        x * (6.0 * a + x * (12.0 * b + x * 20.0 * c)) / (duration * duration),
    ]
}

impl<There, Back> ConveyorPick<There, Back> {
    fn way_there(&self) -> BeltWay<'_, There> {
        BeltWay { travel: &self.there, from: (0.0, 0.0), to: (0.0, 1.0), belt: self.belt }
    }

    fn way_back(&self) -> BeltWay<'_, Back> {
        BeltWay { travel: &self.back, from: (self.picking, 1.0), to: (0.0, 0.0), belt: self.belt }
    }
}

impl<There, Back> Motion for ConveyorPick<There, Back>
where
    There: Motion<Point = Vec3<f64>>,
    Back: Motion<Point = Vec3<f64>>,
{
    type Point = Vec3<f64>;

    fn duration(&self) -> f64 {
        self.there.duration() + self.picking + self.back.duration()
    }

    fn at(&self, t: f64) -> MotionState<Vec3<f64>> {
        let (met, left) = (self.there.duration(), self.there.duration() + self.picking);
        if t < 0.0 {
            self.there.at(t)
        } else if t > self.duration() {
            self.back.at(t - left)
        } else if t < met {
            self.way_there().at(t)
        } else if t < left {
            let rest = Dwell { position: self.there.at(met).position, duration: self.picking };
            shifted(rest.at(t - met), [t - met, 1.0, 0.0], self.belt)
        } else {
            self.way_back().at(t - left)
        }
    }

    fn breaks(&self) -> Vec<f64> {
        let (met, left) = (self.there.duration(), self.there.duration() + self.picking);
        let mut times = self.there.breaks();
        times.push(met);
        times.push(left);
        times.extend(self.back.breaks().into_iter().map(|t| left + t));
        times
    }
}

/// Why a way to or from a belt cannot be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BeltError {
    /// Out of reach.
    #[error("on the way {way} with the belt, {cause}")]
    CannotDo {
        /// There or back.
        way: &'static str,
        /// Where and why.
        cause: CannotDo,
    },
    /// A limit is exceeded, however long the way takes.
    #[error("on the way {way} with the belt, at t = {time:.4} s, at {}: {violation}", place(.position))]
    Limit {
        /// There or back.
        way: &'static str,
        /// From the beginning of the way, s.
        time: f64,
        /// m.
        position: Vec<f64>,
        /// Which.
        violation: Violation,
    },
    /// A limit of a [`Mover::within`] is exceeded.
    #[error("on the way {way} with the belt, at t = {time:.4} s: {what} is {:.1} % of its limit", 100.0 * share)]
    Moved {
        /// There or back.
        way: &'static str,
        /// From the beginning of the way, s.
        time: f64,
        /// Speed, acceleration or jerk, with its article.
        what: &'static str,
        /// Of the limit.
        share: f64,
    },
    /// The profile of a way.
    #[error(transparent)]
    Profile(#[from] ProfileError),
}

/// A way as the model sees it.
struct WayLoad {
    /// Of the tightest limit of speed or torque, with its place.
    share: f64,
    worst: Option<BeltError>,
    /// The same of a limit of a [`Mover::within`].
    moved: (f64, Option<BeltError>),
    /// How much of the time a limit is active.
    active: f64,
}

fn look<T: Motion<Point = Vec3<f64>>>(
    mover: &Mover,
    way: &BeltWay<'_, T>,
    name: &'static str,
) -> Result<WayLoad, BeltError> {
    const SAMPLES: usize = 4000;
    let mut seen = WayLoad { share: 0.0, worst: None, moved: (0.0, None), active: 0.0 };
    let duration = way.travel.duration();
    let step = duration / SAMPLES as f64;
    // Evenly, and on both sides of where the acceleration may jump.
    let mut times: Vec<f64> = (0..=SAMPLES).map(|k| step * k as f64).collect();
    times.extend(way.travel.breaks().into_iter().flat_map(|t| [t - 1e-9 * duration, t + 1e-9 * duration]));
    times.sort_by(f64::total_cmp);
    let friction = JointFriction::of(mover);
    let mut before: Option<Load> = None;
    for (k, &time) in times.iter().enumerate() {
        let state = way.at(time);
        let position = || state.position.components().to_vec();
        let load = mover
            .load(&state)
            .map_err(|cause| BeltError::CannotDo { way: name, cause: CannotDo::new(time, &position(), cause) })?;
        let told = |violation| BeltError::Limit { way: name, time, position: position(), violation };
        if let Some(violation) = mover.out_of_range(&load) {
            return Err(told(violation));
        }
        let (share, tightest) = mover.tightest(&load);
        let between = |before: &Load| friction.share_between(mover, [before, &load]).max(share);
        let most = before.as_ref().map_or(share, between);
        for (what, share) in moved_shares(mover, way, time, 1e-3 * step, &load) {
            if share > seen.moved.0 {
                seen.moved = (share, Some(BeltError::Moved { way: name, time, what, share }));
            }
        }
        before = Some(load);
        if most > seen.share {
            (seen.share, seen.worst) = (most, tightest.map(told));
        }
        if share >= 1.0 - ACTIVE {
            let [first, last] = [times[k.saturating_sub(1)], times[(k + 1).min(times.len() - 1)]];
            seen.active += 0.5 * (last - first) / duration;
        }
    }
    Ok(seen)
}

/// Speed, acceleration and jerk at a time, as shares of the limits of a [`Mover::within`]; jerks by differences over ±h.
fn moved_shares<T: Motion<Point = Vec3<f64>>>(
    mover: &Mover,
    way: &BeltWay<'_, T>,
    time: f64,
    h: f64,
    load: &Load,
) -> [(&'static str, f64); 5] {
    let (moved, each) = (mover.moved(), mover.each());
    let state = way.at(time);
    let around = [time - h, time + h].map(|t| way.at(t.clamp(h, way.travel.duration() - h)));
    let jerk = (around[1].acceleration - around[0].acceleration).length() / (2.0 * h);
    let largest = |f: &dyn Fn(usize) -> f64| (0..load.joints.qdd.len()).map(f).fold(0.0, f64::max);
    let joints = largest(&|i| load.joints.qdd[i].abs());
    let changes = match around.map(|state| mover.load(&state)) {
        [Ok(before), Ok(after)] if each.jerk.is_finite() => {
            largest(&|i| (after.joints.qdd[i] - before.joints.qdd[i]).abs() / (2.0 * h))
        }
        _ => 0.0,
    };
    [
        ("the speed", state.velocity.length() / moved.speed),
        ("the acceleration", state.acceleration.length() / moved.acceleration),
        ("the jerk", jerk / moved.jerk),
        ("the acceleration of a joint", joints / each.acceleration),
        ("the jerk of a joint", changes / each.jerk),
    ]
}

/// The profile stretched until the limits hold with the belt, and how much of its time one of them is active.
fn stretched<P: Path<Point = Vec3<f64>>>(
    mover: &Mover,
    way: &BeltWay<'_, Travel<P>>,
    name: &'static str,
) -> Result<(Profile, f64), BeltError> {
    // A longer way swings farther along the belt, so there may be none that is long enough.
    const LONGEST: f64 = 4.0;
    let (path, profile) = (way.travel.path(), way.travel.profile());
    let at = |factor: f64| {
        let travel = Travel::new(path, |_| Ok(profile.stretched(factor)))?;
        look(mover, &BeltWay { travel: &travel, from: way.from, to: way.to, belt: way.belt }, name)
    };
    let fits = |seen: &WayLoad| seen.share <= 1.0 && seen.moved.0 <= 1.0;
    let first = at(1.0)?;
    if fits(&first) {
        return Ok((profile.clone(), first.active));
    }
    let (mut fast, mut slow) = (1.0, 1.05);
    while !fits(&at(slow)?) {
        (fast, slow) = (slow, 1.05 * slow);
        if slow > LONGEST
            && let Some(worst) = if first.share > 1.0 { &first.worst } else { &first.moved.1 }
        {
            return Err(worst.clone());
        }
    }
    while slow - fast > 1e-4 {
        let middle = 0.5 * (slow + fast);
        if fits(&at(middle)?) {
            slow = middle;
        } else {
            fast = middle;
        }
    }
    Ok((profile.stretched(slow), at(slow)?.active))
}

impl<P: Path<Point = Vec3<f64>>> ConveyorPick<Travel<P>, Travel<P>> {
    /// Refuses ways that exceed a limit of a [`Mover::within`], as they are.
    pub fn check(&self, mover: &Mover) -> Result<(), BeltError> {
        let seen = [look(mover, &self.way_there(), "there")?, look(mover, &self.way_back(), "back")?];
        // What rounding takes away is not asked for.
        match seen.into_iter().find(|seen| seen.moved.0 > 1.0 + 1e-9) {
            Some(WayLoad { moved: (_, Some(error)), .. }) => Err(error),
            _ => Ok(()),
        }
    }

    /// The same with ways as long as the limits of `mover` demand, and how much of the time on them a limit is active.
    pub fn within(self, mover: &Mover) -> Result<(Self, f64), BeltError> {
        let (there, first) = stretched(mover, &self.way_there(), "there")?;
        let (back, second) = stretched(mover, &self.way_back(), "back")?;
        let (a, b) = (there.duration(), back.duration());
        let active = (first * a + second * b) / (a + b);
        Ok((Self { there: self.there.with_profile(there)?, back: self.back.with_profile(back)?, ..self }, active))
    }
}
