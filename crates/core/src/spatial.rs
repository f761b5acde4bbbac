//! Poses, velocities and forces of a rigid body: the tool, whatever moves it. All vectors in the base frame.

use crate::algebra::{Angle, Mat3, Vec3};
use crate::scalar::Scalar;
use core::fmt;
use core::ops::{Add, Sub};

/// A frame: its axes as the columns of `rotation`, and its origin, m. The pose of a tool is the frame fixed to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame<S> {
    /// From this frame's coordinates to those of the frame it is given in.
    pub rotation: Mat3<S>,
    /// Its origin there, m.
    pub origin: Vec3<S>,
}

impl<S: Scalar> Frame<S> {
    /// The frame itself.
    #[inline(always)]
    pub fn identity() -> Self {
        Self::at(Vec3::zero())
    }

    /// A frame that is moved, not turned.
    #[inline(always)]
    pub fn at(origin: Vec3<S>) -> Self {
        Self { rotation: Mat3::diagonal(S::one()), origin }
    }

    /// A point of this frame in the frame it is given in.
    #[inline(always)]
    pub fn point(&self, point: Vec3<S>) -> Vec3<S> {
        self.rotation * point + self.origin
    }

    /// `other`, given in this frame, in the frame that this one is given in.
    #[inline(always)]
    pub fn then(&self, other: &Self) -> Self {
        Self { rotation: self.rotation.product(other.rotation), origin: self.point(other.origin) }
    }

    /// The frame it is given in, seen from here.
    #[inline(always)]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, origin: -(rotation * self.origin) }
    }

    /// The same with scalars of another kind.
    pub fn map<T: Scalar>(self, mut f: impl FnMut(S) -> T) -> Frame<T> {
        Frame { rotation: self.rotation.map(&mut f), origin: self.origin.map(&mut f) }
    }
}

/// A velocity and an angular velocity; also what changes like them: accelerations, and the small way and rotation from one
/// frame to another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist<S> {
    /// Of the tool point: m/s.
    pub linear: Vec3<S>,
    /// rad/s.
    pub angular: Vec3<S>,
}

impl<S: Scalar> Twist<S> {
    /// At rest.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::translation(Vec3::zero())
    }

    /// Without rotation.
    #[inline(always)]
    pub fn translation(linear: Vec3<S>) -> Self {
        Self { linear, angular: Vec3::zero() }
    }

    /// First the linear, then the angular components.
    #[inline(always)]
    pub fn components(self) -> [S; 6] {
        let ([a, b, c], [d, e, f]) = (self.linear.0, self.angular.0);
        [a, b, c, d, e, f]
    }
}

impl<S: Scalar> Add for Twist<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

impl<S: Scalar> Sub for Twist<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { linear: self.linear - other.linear, angular: self.angular - other.angular }
    }
}

/// A force and a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench<S> {
    /// N.
    pub force: Vec3<S>,
    /// About the point it acts at, N m.
    pub moment: Vec3<S>,
}

impl<S: Scalar> Wrench<S> {
    /// No force.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::force(Vec3::zero())
    }

    /// A force without a moment.
    #[inline(always)]
    pub fn force(force: Vec3<S>) -> Self {
        Self { force, moment: Vec3::zero() }
    }

    /// Every number as one of another kind.
    #[inline(always)]
    pub fn map<T>(self, f: impl Fn(S) -> T) -> Wrench<T> {
        Wrench { force: self.force.map(&f), moment: self.moment.map(&f) }
    }
}

/// The rotation Rz(yaw) Ry(pitch) Rx(roll). From [`Angle`]s, so that right angles are exact.
#[inline(always)]
pub fn roll_pitch_yaw<S: Scalar>([r, p, y]: [Angle<S>; 3]) -> Mat3<S> {
    Mat3([
        Vec3([y.cos * p.cos, y.cos * p.sin * r.sin - y.sin * r.cos, y.cos * p.sin * r.cos + y.sin * r.sin]),
        Vec3([y.sin * p.cos, y.sin * p.sin * r.sin + y.cos * r.cos, y.sin * p.sin * r.cos - y.cos * r.sin]),
        Vec3([-p.sin, p.cos * r.sin, p.cos * r.cos]),
    ])
}

/// The rotation that takes the axes of `from` to those of `to`, as a vector along its axis whose length is its angle,
/// rad. Both are given in the same frame, and so is the vector.
///
/// Half the sum of the columns' cross products is n sin θ, half their dot products' sum minus one cos θ. What is added to
/// the square keeps the quotient θ/sin θ at one where both are zero, and is lost in rounding everywhere else.
#[inline(always)]
pub fn rotation_vector<S: Scalar>(from: Mat3<S>, to: Mat3<S>) -> Vec3<S> {
    let (from, to) = (from.transpose(), to.transpose());
    let (mut sine, mut cosine) = (Vec3::zero(), -S::one());
    for i in 0..3 {
        sine = sine + from[i].cross(to[i]);
        cosine = cosine + from[i].dot(to[i]);
    }
    let length = (sine.norm_squared() + S::from_f64(1e-30)).sqrt();
    sine * (length.atan2(cosine) / length)
}

/// A distance in a message, m: down to a micrometre as such; a miss by rounding or by light years as a power of ten.
pub(crate) struct Metres(pub f64);

impl fmt::Display for Metres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if (1e-6..1e6).contains(&self.0) { write!(f, "{:.6}", self.0) } else { write!(f, "{:.1e}", self.0) }
    }
}

/// How a rod has to change that is too long, or else too short.
pub(crate) fn shorter(too_long: bool) -> &'static str {
    if too_long { "shorter" } else { "longer" }
}
