//! Holonomic constraints h(q, t) = 0. Their derivatives are never written: they come from dual numbers.

use super::parts::{AnyPart, D1, D2, D3, PartOver, WIDTH};
use super::{AXES, BodyPoint, Mechanism, MechanismError, PartId, frame_of, length};
use crate::{Dual, Scalar, Vec3};
use std::fmt;

/// The scalars that places and constraints are evaluated with: `f64` and derivatives above it, one or [`WIDTH`] at once.
pub trait MechanismScalar: Scalar + 'static {
    /// The part for this scalar.
    fn part(part: &dyn AnyPart) -> &dyn PartOver<Self>;
    /// The constraint for this scalar.
    fn constraint(constraint: &dyn AnyConstraint) -> &dyn ConstraintOver<Self>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl MechanismScalar for $number {
            #[inline]
            fn part(part: &dyn AnyPart) -> &dyn PartOver<Self> {
                part
            }
            #[inline]
            fn constraint(
                constraint: &dyn AnyConstraint,
            ) -> &dyn ConstraintOver<Self> {
                constraint
            }
        }
    )*};
}

numbers!(f64, D1, D2, D3, Dual<f64, WIDTH>, Dual<D1, WIDTH>);

/// Where everything is, for a scalar.
pub struct MechanismConfiguration<'a, S> {
    pub(super) mechanism: &'a Mechanism,
    pub(super) q: &'a [S],
    /// Which of the mechanism's places belong to the constraint, and where all of them are.
    pub(super) known: &'a [usize],
    pub(super) points: &'a [Vec3<S>],
    /// Time, s.
    pub time: S,
}

impl<S: MechanismScalar> MechanismConfiguration<'_, S> {
    /// A place in the base frame, m.
    pub fn point(&self, place: &BodyPoint) -> Vec3<S> {
        match self.known.iter().find(|&&index| self.mechanism.places[index] == *place) {
            Some(&index) => self.points[index],
            None => self.mechanism.point_over(self.q, place),
        }
    }

    /// A coordinate of a part; zero where there is none.
    pub fn coordinate(&self, part: PartId, index: usize) -> S {
        self.mechanism
            .slots
            .get(part.0)
            .and_then(|slot| self.q[slot.q.clone()].get(index))
            .copied()
            .unwrap_or(S::zero())
    }
}

/// A condition on the coordinates and time.
pub trait Constraint: Send + Sync + 'static {
    /// How many equations; one unless said otherwise.
    fn rows(&self) -> usize {
        1
    }

    /// The places that [`Constraint::residual`] asks for. They are evaluated once for all constraints; one that is
    /// not listed is evaluated whenever it is asked for.
    fn places(&self) -> Vec<BodyPoint> {
        Vec::new()
    }

    /// The parts that take part: those of the places, and those whose coordinates count.
    fn parts(&self) -> Vec<PartId> {
        self.places().iter().filter_map(BodyPoint::part).collect()
    }

    /// h, zero where the constraint holds.
    fn residual<S: MechanismScalar>(&self, at: &MechanismConfiguration<'_, S>, h: &mut [S]);

    /// Unit of the multipliers. Where h is a distance they are forces in newtons, base frame.
    fn unit(&self) -> &'static str {
        "N"
    }

    /// The same constraint, fitted so that it holds at a configuration: what is closed while it moves is held where it
    /// is, not where it should be. None: it cannot be fitted, and is drawn together.
    fn fitted(&self, mechanism: &Mechanism, q: &[f64]) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = (mechanism, q);
        None
    }

    /// Refuses what does not fit the mechanism; the places and parts are checked already.
    fn check(&self, mechanism: &Mechanism) -> Result<(), MechanismError> {
        let _ = mechanism;
        Ok(())
    }
}

/// A [`Constraint`] for one kind of scalar. Implemented for every constraint.
#[allow(missing_docs)] // as in `Constraint`
pub trait ConstraintOver<S> {
    fn residual(&self, at: &MechanismConfiguration<'_, S>, h: &mut [S]);
}

impl<C: Constraint, S: MechanismScalar> ConstraintOver<S> for C {
    fn residual(&self, at: &MechanismConfiguration<'_, S>, h: &mut [S]) {
        Constraint::residual(self, at, h);
    }
}

/// A [`Constraint`] for all the scalars of [`MechanismScalar`].
#[allow(missing_docs)] // as in `Constraint`
pub trait AnyConstraint:
    ConstraintOver<f64>
    + ConstraintOver<D1>
    + ConstraintOver<D2>
    + ConstraintOver<D3>
    + ConstraintOver<Dual<f64, WIDTH>>
    + ConstraintOver<Dual<D1, WIDTH>>
    + Send
    + Sync
{
    fn unit(&self) -> &'static str;
    fn fitted(&self, mechanism: &Mechanism, q: &[f64]) -> Option<Box<dyn AnyConstraint>>;
}

impl<C: Constraint> AnyConstraint for C {
    fn fitted(&self, mechanism: &Mechanism, q: &[f64]) -> Option<Box<dyn AnyConstraint>> {
        Constraint::fitted(self, mechanism, q).map(|fitted| Box::new(fitted) as Box<dyn AnyConstraint>)
    }
    fn unit(&self) -> &'static str {
        Constraint::unit(self)
    }
}

/// Refuses a direction that is not of unit length.
pub(super) fn unit_length(what: &'static str, direction: [f64; 3]) -> Result<(), MechanismError> {
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    let off = (length - 1.0).abs() > 1e-9 || length.is_nan();
    if off { Err(MechanismError::BadValue { what, value: length, must: "1" }) } else { Ok(()) }
}

/// `v` along a constant direction.
fn along<S: MechanismScalar>(v: Vec3<S>, direction: [f64; 3]) -> S {
    v[0].times(direction[0]) + v[1].times(direction[1]) + v[2].times(direction[2])
}

/// Two places are one: `a` − `b` = 0, seen along the given directions. A multiplier is the force on `a`; `b` feels
/// the opposite.
#[derive(Clone, Debug)]
pub struct Coincident {
    a: BodyPoint,
    b: BodyPoint,
    directions: Vec<[f64; 3]>,
}

impl Coincident {
    /// In space: three equations.
    pub fn new(a: BodyPoint, b: BodyPoint) -> Self {
        Self { a, b, directions: AXES.to_vec() }
    }

    /// In the x–z plane of planar parts: two equations.
    pub fn planar(a: BodyPoint, b: BodyPoint) -> Self {
        Self { a, b, directions: vec![[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]] }
    }
}

impl Constraint for Coincident {
    fn rows(&self) -> usize {
        self.directions.len()
    }
    fn places(&self) -> Vec<BodyPoint> {
        vec![self.a, self.b]
    }
    fn residual<S: MechanismScalar>(&self, at: &MechanismConfiguration<'_, S>, h: &mut [S]) {
        let gap = at.point(&self.a) - at.point(&self.b);
        for (h, &direction) in h.iter_mut().zip(&self.directions) {
            *h = along(gap, direction);
        }
    }
    /// `a` is where `b` is, as a point of its own body.
    fn fitted(&self, mechanism: &Mechanism, q: &[f64]) -> Option<Self> {
        let there = mechanism.point(q, &self.b).ok()?;
        let a = match self.a {
            BodyPoint::Fixed(_) => BodyPoint::Fixed(there.0),
            BodyPoint::On { part, body, .. } => {
                let (origin, axes) = frame_of(|offset| mechanism.point_over(q, &part.on_body(body, offset)));
                part.on_body(body, axes.map(|axis| axis.dot(there - origin)))
            }
        };
        Some(Self { a, ..self.clone() })
    }
}

/// A massless rod between two places. The multiplier is the force with which it pushes them apart.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// One end.
    pub a: BodyPoint,
    /// The other.
    pub b: BodyPoint,
    /// m.
    pub length: f64,
}

impl Constraint for Distance {
    fn places(&self) -> Vec<BodyPoint> {
        vec![self.a, self.b]
    }
    fn residual<S: MechanismScalar>(&self, at: &MechanismConfiguration<'_, S>, h: &mut [S]) {
        // (d² − L²)/2L: a length, smooth everywhere, with unit slope where it holds.
        let gap = (at.point(&self.a) - at.point(&self.b)).norm_squared();
        h[0] = (gap - S::from_f64(self.length * self.length)).times(0.5 / self.length);
    }
    fn check(&self, _: &Mechanism) -> Result<(), MechanismError> {
        if !(self.length > 0.0 && self.length.is_finite()) {
            return Err(MechanismError::BadValue { what: "length of a rod", value: self.length, must: "positive" });
        }
        Ok(())
    }
}

/// A place stays on a plane: normal·(place − through) = 0. The multiplier is the force along the normal.
#[derive(Clone, Copy, Debug)]
pub struct OnPlane {
    /// What stays.
    pub place: BodyPoint,
    /// A point of the plane, base frame, m.
    pub through: [f64; 3],
    /// Of unit length.
    pub normal: [f64; 3],
}

impl Constraint for OnPlane {
    fn places(&self) -> Vec<BodyPoint> {
        vec![self.place]
    }
    fn residual<S: MechanismScalar>(&self, at: &MechanismConfiguration<'_, S>, h: &mut [S]) {
        let gap = at.point(&self.place) - Vec3::from_f64(self.through);
        h[0] = along(gap, self.normal);
    }
    fn check(&self, _: &Mechanism) -> Result<(), MechanismError> {
        unit_length("length of a normal", self.normal)
    }
}

/// A motion in time, for any scalar.
pub trait TimeFunction: Send + Sync + fmt::Debug + 'static {
    /// The value at `time`.
    fn at<S: MechanismScalar>(&self, time: S) -> S;
}

/// offset + rate·t + amplitude·sin(frequency·t + phase).
#[derive(Clone, Copy, Debug, Default)]
pub struct Swing {
    /// At rest.
    pub offset: f64,
    /// Per second.
    pub rate: f64,
    /// Of the sine.
    pub amplitude: f64,
    /// rad/s.
    pub frequency: f64,
    /// rad.
    pub phase: f64,
}

impl TimeFunction for Swing {
    fn at<S: MechanismScalar>(&self, time: S) -> S {
        let (sin, _) = (time.times(self.frequency) + S::from_f64(self.phase)).sin_cos();
        S::from_f64(self.offset) + time.times(self.rate) + sin.times(self.amplitude)
    }
}

/// A coordinate follows a motion. The multiplier is the torque (or force) that makes it.
#[derive(Clone, Copy, Debug)]
pub struct Prescribed<M> {
    /// The part.
    pub part: PartId,
    /// Its coordinate.
    pub coordinate: usize,
    /// What it does.
    pub motion: M,
}

impl<M: TimeFunction> Constraint for Prescribed<M> {
    fn parts(&self) -> Vec<PartId> {
        vec![self.part]
    }
    fn residual<S: MechanismScalar>(&self, at: &MechanismConfiguration<'_, S>, h: &mut [S]) {
        h[0] = at.coordinate(self.part, self.coordinate) - self.motion.at(at.time);
    }
    fn unit(&self) -> &'static str {
        "N or N m"
    }
    fn check(&self, mechanism: &Mechanism) -> Result<(), MechanismError> {
        mechanism.coordinate(self.part, self.coordinate).map(|_| ())
    }
}

/// Two bodies keep their orientation to each other: with [`super::Coincident`] a rigid hold. The three multipliers are
/// the torque on `b` about the axes of `a` (turned), N m; `a` feels the opposite.
#[derive(Clone, Copy, Debug)]
pub struct Aligned {
    a: (PartId, usize),
    b: (PartId, usize),
    /// Axes of `b` in the frame of `a`, as columns: orthonormal.
    turn: [[f64; 3]; 3],
}

impl Aligned {
    /// The axes of the first bodies of two parts are parallel.
    pub fn new(a: PartId, b: PartId) -> Self {
        Self { a: (a, 0), b: (b, 0), turn: AXES }
    }

    /// As the bodies stand to each other at a configuration.
    pub fn as_at(
        mechanism: &Mechanism,
        q: &[f64],
        a: (PartId, usize),
        b: (PartId, usize),
    ) -> Result<Self, MechanismError> {
        length("q", q, mechanism.coordinates())?;
        let axes = |(part, body): (PartId, usize)| {
            mechanism.check_place(&part.on_body(body, [0.0; 3]))?;
            Ok::<_, MechanismError>(frame_of(|offset| mechanism.point_over(q, &part.on_body(body, offset))).1)
        };
        let (of_a, of_b) = (axes(a)?, axes(b)?);
        Ok(Self { a, b, turn: std::array::from_fn(|i| std::array::from_fn(|j| of_a[i].dot(of_b[j]))) })
    }
}

fn axes<S: MechanismScalar>(at: &MechanismConfiguration<'_, S>, (part, body): (PartId, usize)) -> [Vec3<S>; 3] {
    frame_of(|offset| at.point(&part.on_body(body, offset))).1
}

impl Constraint for Aligned {
    fn rows(&self) -> usize {
        3
    }
    fn parts(&self) -> Vec<PartId> {
        vec![self.a.0, self.b.0]
    }
    /// With b_j = a'_j + θ × a'_j, a' the turned axes: ½(a'_k·b_j − a'_j·b_k) = θ·a'_i for i, j, k in a circle.
    fn residual<S: MechanismScalar>(&self, at: &MechanismConfiguration<'_, S>, h: &mut [S]) {
        let (a, b) = (axes(at, self.a), axes(at, self.b));
        let turned = |j: usize| (0..3).fold(Vec3::zero(), |sum, i| sum + a[i] * S::from_f64(self.turn[i][j]));
        let turned = [turned(0), turned(1), turned(2)];
        for (i, h) in h.iter_mut().enumerate() {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            *h = (turned[k].dot(b[j]) - turned[j].dot(b[k])).times(0.5);
        }
    }
    fn unit(&self) -> &'static str {
        "N m"
    }
    fn fitted(&self, mechanism: &Mechanism, q: &[f64]) -> Option<Self> {
        Self::as_at(mechanism, q, self.a, self.b).ok()
    }
    fn check(&self, mechanism: &Mechanism) -> Result<(), MechanismError> {
        for (part, body) in [self.a, self.b] {
            mechanism.check_place(&part.on_body(body, [0.0; 3]))?;
        }
        Ok(())
    }
}

/// A place is led along a direction: direction·place = motion(t). The multiplier is the force that does it.
#[derive(Clone, Debug)]
pub struct Guided<M> {
    /// What is led.
    pub place: BodyPoint,
    /// Of unit length, base frame.
    pub along: [f64; 3],
    /// Distance from the origin along the direction, m.
    pub motion: M,
}

impl<M: TimeFunction> Constraint for Guided<M> {
    fn places(&self) -> Vec<BodyPoint> {
        vec![self.place]
    }
    fn residual<S: MechanismScalar>(&self, at: &MechanismConfiguration<'_, S>, h: &mut [S]) {
        h[0] = at.point(&self.place).dot(Vec3::from_f64(self.along)) - self.motion.at(at.time);
    }
    fn check(&self, _: &Mechanism) -> Result<(), MechanismError> {
        unit_length("length of a direction", self.along)
    }
}

/// From value to value with polynomials of fifth degree: at rest, without acceleration, at each end of each way.
#[derive(Clone, Debug)]
pub struct Waypoints {
    start: f64,
    ways: Vec<WaypointLeg>,
}

#[derive(Clone, Copy, Debug)]
struct WaypointLeg {
    from: f64,
    duration: f64,
    change: f64,
}

impl Waypoints {
    /// `points` are (time, value), in the order of time; two equal values in a row are a rest. The motion stands still
    /// before the first and after the last.
    pub fn new(points: &[(f64, f64)]) -> Result<Self, MechanismError> {
        let mut ways = Vec::new();
        for pair in points.windows(2) {
            let [(from, a), (to, b)] = [pair[0], pair[1]];
            let duration = to - from;
            if !(duration > 0.0 && duration.is_finite() && a.is_finite() && b.is_finite()) {
                let what = "time between waypoints";
                return Err(MechanismError::BadValue { what, value: duration, must: "positive" });
            }
            ways.push(WaypointLeg { from, duration, change: b - a });
        }
        let start = points.first().map_or(f64::NAN, |point| point.1);
        if !start.is_finite() {
            return Err(MechanismError::BadValue { what: "first waypoint", value: start, must: "finite" });
        }
        Ok(Self { start, ways })
    }
}

impl TimeFunction for Waypoints {
    fn at<S: MechanismScalar>(&self, time: S) -> S {
        let mut sum = S::from_f64(self.start);
        for way in &self.ways {
            let share = (time - S::from_f64(way.from)).times(1.0 / way.duration);
            let share = share.select_lt(S::zero(), S::zero(), share);
            let share = share.select_lt(S::one(), share, S::one());
            // 10u³ − 15u⁴ + 6u⁵
            let cube = share * share.square();
            let smooth = cube * (share * (share.times(6.0) - S::from_f64(15.0)) + S::from_f64(10.0));
            sum = sum + smooth.times(way.change);
        }
        sum
    }
}
