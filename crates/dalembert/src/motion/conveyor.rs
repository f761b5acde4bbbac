//! A conveyor that moves while the robot picks.
//!
//! The motion is a travel to the part and back, plus an offset c(t) along the belt. On the way there c goes from rest to
//! the belt's velocity v_b and meets the part where it is then (c = 0); while the robot picks, c = v_b t; on the way back c
//! goes to rest at 0 again. Each way is the quintic with these ends and no acceleration there, so the sum is C² wherever
//! the travel is.
//!
//! The belt's own acceleration comes on top of what the profile of the path asks for: [`ConveyorPick::within`] looks at each whole
//! way and stretches its profile until the limits hold.

use super::mover::{JointFriction, place};
use super::{
    ACTIVE, CannotDo, Dwell, Motion, MotionState, Mover, Path, Point, Profile, ProfileError, Sequence, SequenceError,
    Travel,
};
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

/// A motion and the offset along the belt, from (c₀, ċ₀) to (c₁, ċ₁) with c in seconds of the belt.
struct BeltWay<M> {
    travel: M,
    from: (f64, f64),
    to: (f64, f64),
    belt: Vec3<f64>,
}

impl<M: Motion<Point = Vec3<f64>>> Motion for BeltWay<M> {
    type Point = Vec3<f64>;
    fn duration(&self) -> f64 {
        self.travel.duration()
    }
    fn at(&self, t: f64) -> MotionState<Vec3<f64>> {
        let (state, [c, v, a]) = (self.travel.at(t), quintic(t, self.travel.duration(), self.from, self.to));
        MotionState {
            position: state.position.plus(c, &self.belt),
            velocity: state.velocity.plus(v, &self.belt),
            acceleration: state.acceleration.plus(a, &self.belt),
        }
    }
    fn breaks(&self) -> Vec<f64> {
        self.travel.breaks()
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

fn way_there<M>(travel: M, belt: Vec3<f64>) -> BeltWay<M> {
    BeltWay { travel, from: (0.0, 0.0), to: (0.0, 1.0), belt }
}

fn way_back<M>(travel: M, picking: f64, belt: Vec3<f64>) -> BeltWay<M> {
    BeltWay { travel, from: (picking, 1.0), to: (0.0, 0.0), belt }
}

impl<There, Back> ConveyorPick<There, Back>
where
    There: Motion<Point = Vec3<f64>> + Send + Sync + 'static,
    Back: Motion<Point = Vec3<f64>> + Send + Sync + 'static,
{
    /// There, along with the belt, and back.
    pub fn motion(self) -> Result<Sequence<Vec3<f64>>, SequenceError> {
        let Self { there, picking, back, belt } = self;
        let rest = Dwell { position: there.at(there.duration()).position, duration: picking };
        let ride = BeltWay { travel: rest, from: (0.0, 1.0), to: (picking, 1.0), belt };
        let (there, back) = (way_there(there, belt), way_back(back, picking, belt));
        Sequence::new(vec![Box::new(there), Box::new(ride), Box::new(back)])
    }
}

/// Why a way to or from a belt (there or back) cannot be done; times are from its beginning, s, positions in m.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum BeltError {
    #[error("on the way {way} with the belt, {cause}")]
    CannotDo { way: &'static str, cause: CannotDo },
    /// A limit is exceeded, however long the way takes.
    #[error("on the way {way} with the belt, at t = {time:.4} s, at {}: {violation}", place(.position))]
    Limit { way: &'static str, time: f64, position: Vec<f64>, violation: Violation },
    /// A limit of a [`Mover::within`] is exceeded.
    #[error("on the way {way} with the belt, at t = {time:.4} s: {what} is {:.1} % of its limit", 100.0 * share)]
    Moved { way: &'static str, time: f64, what: &'static str, share: f64 },
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
    way: &BeltWay<T>,
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
    way: &BeltWay<T>,
    time: f64,
    h: f64,
    load: &Load,
) -> [(&'static str, f64); 5] {
    let (moved, each) = (mover.moved, mover.each);
    let state = way.at(time);
    let around = [time - h, time + h].map(|t| way.at(t.clamp(h, way.travel.duration() - h)));
    let jerk = (around[1].acceleration - around[0].acceleration).length() / (2.0 * h);
    let largest = |f: &dyn Fn(usize) -> f64| (0..load.joints.qdd.len()).map(f).fold(0.0, f64::max);
    let joints = largest(&|i| load.joints.qdd[i].abs());
    let changes = match around.map(|state| each.jerk.is_finite().then(|| mover.load(&state).ok()).flatten()) {
        [Some(before), Some(after)] => largest(&|i| (after.joints.qdd[i] - before.joints.qdd[i]).abs() / (2.0 * h)),
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
    way: &BeltWay<&Travel<P>>,
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
        let (there, back) = (way_there(&self.there, self.belt), way_back(&self.back, self.picking, self.belt));
        let seen = [look(mover, &there, "there")?, look(mover, &back, "back")?];
        // What rounding takes away is not asked for.
        match seen.into_iter().find(|seen| seen.moved.0 > 1.0 + 1e-9) {
            Some(WayLoad { moved: (_, Some(error)), .. }) => Err(error),
            _ => Ok(()),
        }
    }

    /// The same with ways as long as the limits of `mover` demand, and how much of the time on them a limit is active.
    pub fn within(self, mover: &Mover) -> Result<(Self, f64), BeltError> {
        let (there, first) = stretched(mover, &way_there(&self.there, self.belt), "there")?;
        let (back, second) = stretched(mover, &way_back(&self.back, self.picking, self.belt), "back")?;
        let (a, b) = (there.duration(), back.duration());
        let active = (first * a + second * b) / (a + b);
        Ok((Self { there: self.there.with_profile(there)?, back: self.back.with_profile(back)?, ..self }, active))
    }
}
