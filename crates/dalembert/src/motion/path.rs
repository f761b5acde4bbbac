//! Paths, and motions along them.

use super::{Motion, MotionState, Point, Profile, ProfileError};
use dalembert_core::Vec3;
use std::ops::Deref;

/// A path at one value of its parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Local<P> {
    /// X(s).
    pub position: P,
    /// X′(s).
    pub first: P,
    /// X″(s).
    pub second: P,
    /// X‴(s); where it jumps, the one that follows.
    pub third: P,
}

impl<P: Point> Local<P> {
    /// What moves there with ṡ and s̈.
    pub(super) fn state(self, rate: f64, acceleration: f64) -> MotionState<P> {
        MotionState {
            velocity: self.first.times(rate),
            acceleration: self.second.times(rate * rate).plus(acceleration, &self.first),
            position: self.position,
        }
    }
}

/// A curve X(s), 0 ≤ s ≤ `length`, with continuous first and second derivatives.
///
/// The parameter of every path here is the arc length.
pub trait Path {
    /// The space it runs through.
    type Point: Point;
    /// The last value of the parameter, m (rad for joints).
    fn length(&self) -> f64;
    /// The path at `s`; beyond its ends, its end.
    fn at(&self, s: f64) -> Local<Self::Point>;
    /// Parameters strictly inside at which the third derivative jumps, in order.
    fn breaks(&self) -> Vec<f64> {
        Vec::new()
    }
}

impl<D: Deref<Target: Path>> Path for D {
    type Point = <D::Target as Path>::Point;
    fn length(&self) -> f64 {
        (**self).length()
    }
    fn at(&self, s: f64) -> Local<Self::Point> {
        (**self).at(s)
    }
    fn breaks(&self) -> Vec<f64> {
        (**self).breaks()
    }
}

/// Why there is no such path; its points are counted from 1, lengths are in m.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum PathError {
    #[error("{what} is {value}, but must be positive and finite")]
    NotPositive { what: &'static str, value: f64 },
    #[error("point {point} of the path is not finite")]
    NotFinite { point: usize },
    #[error("a path needs at least two points, here are {found}")]
    TooFewPoints { found: usize },
    #[error("points {point} and {} of the path are the same", point + 1)]
    SamePoints { point: usize },
    /// The blends of the leg that begins at a point are longer than the leg.
    #[error("the blends need {needed:.6} m of the leg from point {point} to {}, which has {length:.6} m", point + 1)]
    BlendTooLong { point: usize, length: f64, needed: f64 },
    /// The path turns back on itself: no blend leads round.
    #[error("the path turns back at point {point}: stop there instead (two paths in a sequence)")]
    TurnsBack { point: usize },
    #[error("the three points of the arc lie on one line")]
    PointsInLine,
    /// With the sine of the angle to the ground.
    #[error("the direction of a stroke must be horizontal, but rises by {rise} per metre")]
    NotHorizontal { rise: f64 },
}

pub(super) fn positive(what: &'static str, value: f64) -> Result<f64, PathError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(PathError::NotPositive { what, value }) }
}

/// The unit vector and the length.
pub(super) fn unit<P: Point>(what: &'static str, v: P) -> Result<(P, f64), PathError> {
    let length = positive(what, v.length())?;
    Ok((v.times(1.0 / length), length))
}

/// The unit vector of a horizontal direction.
pub(super) fn horizontal(direction: Vec3<f64>) -> Result<Vec3<f64>, PathError> {
    let (direction, _) = unit("direction", direction)?;
    // More than a rounded sine or cosine.
    if direction[2].abs() > 1e-12 {
        return Err(PathError::NotHorizontal { rise: direction[2] });
    }
    Ok(direction)
}

/// The same path from its end to its beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reversed<P>(pub P);

impl<P: Path> Path for Reversed<P> {
    type Point = P::Point;
    fn length(&self) -> f64 {
        self.0.length()
    }
    fn at(&self, s: f64) -> Local<P::Point> {
        let local = self.0.at(self.0.length() - s);
        Local { first: local.first.times(-1.0), third: local.third.times(-1.0), ..local }
    }
    fn breaks(&self) -> Vec<f64> {
        let length = self.0.length();
        self.0.breaks().into_iter().rev().map(|s| length - s).collect()
    }
}

/// A motion along a path by a motion profile:
///
/// ```text
/// x = X(s),   ẋ = X′ ṡ,   ẍ = X″ ṡ² + X′ s̈                                                                   (1)
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Travel<P> {
    path: P,
    profile: Profile,
}

impl<P: Path> Travel<P> {
    /// The motion along `path` by the profile that `profile` makes for its length.
    pub fn new(path: P, profile: impl FnOnce(f64) -> Result<Profile, ProfileError>) -> Result<Self, ProfileError> {
        let profile = profile(path.length())?;
        let (found, length) = (profile.distance(), path.length());
        // A profile that was built for this length differs from it by no more than the rounding of its sums.
        if (found - length).abs() > 1e-9 * length {
            return Err(ProfileError::OtherLength { found, length });
        }
        Ok(Self { path, profile })
    }

    /// The same way by another profile.
    pub fn with_profile(self, profile: Profile) -> Result<Self, ProfileError> {
        Self::new(self.path, |_| Ok(profile))
    }

    /// Where it goes.
    pub fn path(&self) -> &P {
        &self.path
    }

    /// When.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }
}

impl<P: Path> Motion for Travel<P> {
    type Point = P::Point;
    fn duration(&self) -> f64 {
        self.profile.duration()
    }
    fn at(&self, t: f64) -> MotionState<P::Point> {
        let now = self.profile.at(t);
        self.path.at(now.s).state(now.rate, now.acceleration) // (1)
    }
    fn breaks(&self) -> Vec<f64> {
        let mut times = self.profile.breaks();
        times.extend(self.path.breaks().into_iter().map(|s| self.profile.time_of(s)));
        times.retain(|&t| t > 0.0 && t < self.profile.duration());
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }
}
