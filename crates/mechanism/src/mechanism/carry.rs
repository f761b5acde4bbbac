//! Carrying things about: bodies that keep their orientation to each other, places that are led along a path.

use super::constraint::{Constraint, MechanismConfiguration, MechanismScalar, TimeFunction, unit_length};
use super::{AXES, BodyPoint, Mechanism, MechanismError, PartId, frame_of, length};
use crate::Vec3;

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
