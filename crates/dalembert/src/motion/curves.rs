//! Curves by their arc length: arcs, half an ellipse, straight legs with blended corners.
//!
//! A curve X(θ) with the speed g = |X_θ| has the arc length s = ∫ g dθ. It is summed over panels once. θ(s) begins as the cubic
//! with the right values and slopes at both ends of its panel, and Newton's method on the integral makes it right to the
//! last digits. With θ_s = 1/g, θ_ss = −g′/g³ and θ_sss = (3g′² − g g″)/g⁵ the derivatives by s are
//!
//! ```text
//! X_s = X_θ/g,   X_ss = X_θθ θ_s² + X_θ θ_ss,   X_sss = X_θθθ θ_s³ + 3 X_θθ θ_s θ_ss + X_θ θ_sss              (1)
//! ```

use super::path::{horizontal, positive, unit};
use super::{Local, Path, PathError, Point};
use dalembert_core::{Scalar, Vec3};
use std::f64::consts::{PI, TAU};

/// Gauss–Legendre with eight points: abscissae on (−1, 1) and weights.
const NODES: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_3),
];

/// θ(s) for 0 ≤ θ ≤ `end`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ArcLength {
    end: f64,
    /// s and g at the beginning of each panel, and at the end.
    panels: Vec<[f64; 2]>,
}

impl ArcLength {
    /// Of the speed g(θ).
    pub fn new(end: f64, panels: usize, speed: impl Fn(f64) -> f64) -> Self {
        let mut curve = Self { end, panels: vec![[0.0, speed(0.0)]] };
        let (mut sum, start) = (0.0, |k: usize| end * k as f64 / panels as f64);
        for k in 0..panels {
            sum += integral(&speed, start(k), start(k + 1));
            curve.panels.push([sum, speed(start(k + 1))]);
        }
        curve
    }

    /// Of the whole curve.
    pub fn length(&self) -> f64 {
        self.panels.last().map_or(0.0, |last| last[0])
    }

    /// θ(s).
    pub fn parameter(&self, s: f64, speed: impl Fn(f64) -> f64) -> f64 {
        let count = self.panels.len() - 1;
        let panel = self.panels.partition_point(|panel| panel[0] <= s).clamp(1, count) - 1;
        let ([s0, g0], [s1, g1]) = (self.panels[panel], self.panels[panel + 1]);
        let (width, start) = (self.end / count as f64, self.end * panel as f64 / count as f64);
        let (part, slopes) = ((s - s0) / (s1 - s0), [(s1 - s0) / g0 / width, (s1 - s0) / g1 / width]);
        // Hermite's cubic for (θ − start)/width.
        let rest = 1.0 - part;
        let guess = part * (rest * (rest * slopes[0] - part * slopes[1]) + part * (3.0 - 2.0 * part));
        let mut theta = start + width * guess;
        // The cubic is right to a panel to the fourth, so one step is enough for smooth curves, and two for sharp corners.
        for _ in 0..4 {
            let step = (s0 + integral(&speed, start, theta) - s) / speed(theta);
            theta -= step;
            if step.abs() < 1e-9 * width {
                break;
            }
        }
        theta
    }
}

fn integral(speed: &impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let pair = |(x, weight): (f64, f64)| weight * (speed(middle - half * x) + speed(middle + half * x));
    half * NODES.into_iter().map(pair).sum::<f64>()
}

impl<P: Point> Local<P> {
    /// (1) from X, X_θ, X_θθ and X_θθθ.
    pub(super) fn by_arc_length([position, first, second, third]: [P; 4]) -> Self {
        let g = first.length();
        let g1 = first.dot(&second) / g;
        let g2 = (second.dot(&second) + first.dot(&third) - g1 * g1) / g;
        let [t1, t2, t3] = [1.0 / g, -g1 / (g * g * g), (3.0 * g1 * g1 - g * g2) / g.powi(5)];
        Self {
            position,
            first: first.times(t1),
            second: second.times(t1 * t1).plus(t2, &first),
            third: third.times(t1 * t1 * t1).plus(3.0 * t1 * t2, &second).plus(t3, &first),
        }
    }
}

/// X(s) = C + r (e₁ cos(s/r) + e₂ sin(s/r)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    center: Vec3<f64>,
    radius: f64,
    /// Unit vectors: to the start, and along the path at the start.
    outward: Vec3<f64>,
    along: Vec3<f64>,
    length: f64,
}

impl Arc {
    /// Part of a circle about `center`, from `start` on by `angle` (rad) about `axis`, to the right-hand side.
    pub fn new(center: Vec3<f64>, start: Vec3<f64>, axis: Vec3<f64>, angle: f64) -> Result<Self, PathError> {
        let (axis, _) = unit("axis", axis)?;
        let spoke = start - center;
        // Across the axis; what lies along it moves the centre.
        let lift = spoke.dot(axis);
        let (outward, radius) = unit("radius", spoke.plus(-lift, &axis))?;
        let along = axis.cross(outward);
        let length = positive("angle", angle)? * radius;
        Ok(Self { center: center.plus(lift, &axis), radius, outward, along, length })
    }

    /// The horizontal circle about `center`, counterclockwise from its point in the direction of x.
    pub fn circle(center: Vec3<f64>, radius: f64) -> Result<Self, PathError> {
        let start = center + Vec3::new(positive("radius", radius)?, 0.0, 0.0);
        Self::new(center, start, Vec3::new(0.0, 0.0, 1.0), TAU)
    }

    /// The arc through three points.
    pub fn through(from: Vec3<f64>, via: Vec3<f64>, to: Vec3<f64>) -> Result<Self, PathError> {
        let (a, b) = (via - from, to - from);
        let normal = a.cross(b);
        let area = normal.norm_squared();
        // The sine of the angle at the first point: below this, the radius passes a million times the distance.
        if area.is_nan() || area <= 1e-12 * a.norm_squared() * b.norm_squared() {
            return Err(PathError::PointsInLine);
        }
        // Circumcentre of the triangle.
        let toward = (b.cross(normal) * a.norm_squared() + normal.cross(a) * b.norm_squared()) * (-0.5 / area);
        let center = from.plus(-1.0, &toward);
        let spoke = |p: Vec3<f64>| p - center;
        let (first, last) = (spoke(from), spoke(to));
        let axis = normal.times(1.0 / area.sqrt());
        let angle = axis.dot(first.cross(last)).atan2(first.dot(last));
        Self::new(center, from, axis, if angle > 0.0 { angle } else { angle + TAU })
    }
}

impl Path for Arc {
    type Point = Vec3<f64>;

    fn length(&self) -> f64 {
        self.length
    }

    fn at(&self, s: f64) -> Local<Vec3<f64>> {
        let (sin, cos) = Scalar::sin_cos(s.clamp(0.0, self.length) / self.radius);
        let spoke = (self.outward * cos) + (self.along * sin);
        let tangent = (self.along * cos) - (self.outward * sin);
        Local {
            position: self.center.plus(self.radius, &spoke),
            first: tangent,
            second: spoke.times(-1.0 / self.radius),
            third: tangent.times(-1.0 / (self.radius * self.radius)),
        }
    }
}

/// Panels of an ellipse's arc length: with eight points each it is right to rounding for b/a > 1/50.
const ELLIPSE_PANELS: usize = 256;

/// Up, across and down along half an ellipse (Codourey 1998, section 5.2). With half the width a, the height b and θ = 0…π,
///
/// ```text
/// X = C − a e cos θ + b z sin θ,   ds/dθ = g(θ) = √(a² sin²θ + b² cos²θ)                                     (5)
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SemiEllipse {
    center: Vec3<f64>,
    /// a e.
    across: Vec3<f64>,
    /// b z.
    up: Vec3<f64>,
    curve: ArcLength,
}

impl SemiEllipse {
    /// Over the ground at `center`, `width` wide along the horizontal `direction`, `height` high.
    pub fn new(center: Vec3<f64>, direction: Vec3<f64>, width: f64, height: f64) -> Result<Self, PathError> {
        let direction = horizontal(direction)?;
        let across = direction.times(0.5 * positive("width", width)?);
        let up = Vec3::new(0.0, 0.0, positive("height", height)?);
        let curve = ArcLength::new(PI, ELLIPSE_PANELS, |theta| slope(across, up, theta).length());
        Ok(Self { center, across, up, curve })
    }
}

/// X_θ.
fn slope(across: Vec3<f64>, up: Vec3<f64>, theta: f64) -> Vec3<f64> {
    let (sin, cos) = Scalar::sin_cos(theta);
    across * sin + up * cos
}

impl Path for SemiEllipse {
    type Point = Vec3<f64>;

    fn length(&self) -> f64 {
        self.curve.length()
    }

    fn at(&self, s: f64) -> Local<Vec3<f64>> {
        let Self { center, across, up, ref curve } = *self;
        let theta = curve.parameter(s.clamp(0.0, curve.length()), |theta| slope(across, up, theta).length());
        let (sin, cos) = Scalar::sin_cos(theta);
        let (first, second) = (across * sin + up * cos, across * cos - up * sin);
        Local::by_arc_length([center - across * cos + up * sin, first, second, first.times(-1.0)])
    }
}

/// Straight legs through points, with blended corners.
///
/// A corner P between the unit directions e₁ and e₂ is left out from the distance d before it to the distance d behind
/// it. There, with σ = 0…1,
///
/// ```text
/// X_σ/2d = e₁ + (e₂ − e₁) h,   h = 3σ² − 2σ³                                                                 (2)
/// X = P − d e₁ + 2d [e₁ σ + (e₂ − e₁)(σ³ − σ⁴/2)]                                                            (3)
/// |X_σ|/2d = √(1 − |e₂ − e₁|² h (1 − h))                                                                     (4)
/// ```
///
/// X_σσ vanishes at both ends of the blend, so the curvature is continuous everywhere. The corner is passed at the distance
/// 3/16 · d |e₂ − e₁|.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyline<P> {
    pieces: Vec<PolylinePiece<P>>,
    length: f64,
}

#[derive(Clone, Debug, PartialEq)]
struct PolylinePiece<P> {
    /// Arc length at its beginning.
    start: f64,
    origin: P,
    /// e₁.
    direction: P,
    blend: Option<Blend<P>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Blend<P> {
    /// 2d.
    size: f64,
    /// e₂ − e₁.
    turn: P,
    curve: ArcLength,
}

/// Panels of a blend's arc length: even where a path nearly turns back, eight points in each are right to rounding.
const BLEND_PANELS: usize = 64;

/// h.
fn turned(sigma: f64) -> f64 {
    sigma * sigma * (3.0 - 2.0 * sigma)
}

/// (4), with |e₂ − e₁|².
fn speed(square: f64) -> impl Fn(f64) -> f64 {
    move |sigma| {
        let h = turned(sigma);
        (1.0 - square * h * (1.0 - h)).sqrt()
    }
}

impl<P: Point> Blend<P> {
    fn new(size: f64, turn: P) -> Self {
        Self { size, curve: ArcLength::new(1.0, BLEND_PANELS, speed(turn.dot(&turn))), turn }
    }

    fn length(&self) -> f64 {
        self.size * self.curve.length()
    }

    /// At the arc length `s` of the blend that begins at a point in a direction.
    fn at(&self, s: f64, origin: &P, direction: &P) -> Local<P> {
        let Self { size, ref turn, ref curve } = *self;
        let sigma = curve.parameter((s / size).min(curve.length()), speed(turn.dot(turn)));
        let cube = sigma * sigma * sigma;
        Local::by_arc_length([
            origin.plus(size * sigma, direction).plus(size * cube * (1.0 - 0.5 * sigma), turn), // (3)
            direction.plus(turned(sigma), turn).times(size),                                    // (2)
            turn.times(6.0 * size * sigma * (1.0 - sigma)),
            turn.times(6.0 * size * (1.0 - 2.0 * sigma)),
        ])
    }
}

impl<P: Point> Polyline<P> {
    /// The straight line between two points.
    pub fn line(from: P, to: P) -> Result<Self, PathError> {
        Self::new(&[from, to], 0.0)
    }

    /// Legs through the points; each corner is cut at the distance `blend` before and behind it, m.
    pub fn new(points: &[P], blend: f64) -> Result<Self, PathError> {
        if points.len() < 2 {
            return Err(PathError::TooFewPoints { found: points.len() });
        }
        if let Some(point) = points.iter().position(|point| !point.is_finite()) {
            return Err(PathError::NotFinite { point: point + 1 });
        }
        if points.len() > 2 {
            positive("blend", blend)?;
        }
        let legs = points.windows(2).enumerate().map(|(i, pair)| {
            unit("leg", pair[1].plus(-1.0, &pair[0])).map_err(|_| PathError::SamePoints { point: i + 1 })
        });
        let legs = legs.collect::<Result<Vec<(P, f64)>, _>>()?;
        let last = legs.len() - 1;
        let mut path = Self { pieces: Vec::new(), length: 0.0 };
        for (i, &(ref direction, length)) in legs.iter().enumerate() {
            let before = if i > 0 { blend } else { 0.0 };
            let after = if i < last { blend } else { 0.0 };
            let straight = length - before - after;
            // A leg that is used up by its blends is fine; what is missing by rounding is none.
            if straight < -1e-12 * length {
                return Err(PathError::BlendTooLong { point: i + 1, length, needed: before + after });
            }
            let origin = points[i].plus(before, direction);
            path.push(origin, straight.max(0.0), direction.clone(), None);
            if i < last {
                let turn = legs[i + 1].0.plus(-1.0, direction);
                // |e₂ − e₁| = 2: backwards. |X′| would fall below 1 % in the middle of the blend.
                if turn.length() > 1.9999 {
                    return Err(PathError::TurnsBack { point: i + 2 });
                }
                let curve = Blend::new(2.0 * blend, turn);
                path.push(points[i + 1].plus(-blend, direction), curve.length(), direction.clone(), Some(curve));
            }
        }
        Ok(path)
    }

    /// How far it passes from its farthest corner, m (rad).
    pub fn cut(&self) -> f64 {
        let cut = |piece: &PolylinePiece<P>| {
            piece.blend.as_ref().map_or(0.0, |blend| 3.0 / 32.0 * blend.size * blend.turn.length())
        };
        self.pieces.iter().map(cut).fold(0.0, f64::max)
    }

    fn push(&mut self, origin: P, length: f64, direction: P, blend: Option<Blend<P>>) {
        if length > 0.0 {
            self.pieces.push(PolylinePiece { start: self.length, origin, direction, blend });
            self.length += length;
        }
    }
}

impl Polyline<Vec3<f64>> {
    /// A pick-and-place cycle's stroke: up by `height`, across by `width` along `direction`, down again, both corners cut by `blend`.
    ///
    /// `center` is the middle of the stroke on the ground, `direction` is horizontal and need not be a unit vector.
    pub fn pick_and_place(
        center: Vec3<f64>,
        direction: Vec3<f64>,
        width: f64,
        height: f64,
        blend: f64,
    ) -> Result<Self, PathError> {
        positive("width", width)?;
        positive("height", height)?;
        let across = horizontal(direction)?;
        let up = Vec3::new(0.0, 0.0, height);
        let (from, to) = (center.plus(-0.5 * width, &across), center.plus(0.5 * width, &across));
        Self::new(&[from, from + up, to + up, to], blend)
    }
}

impl<P: Point> Path for Polyline<P> {
    type Point = P;

    fn length(&self) -> f64 {
        self.length
    }

    fn at(&self, s: f64) -> Local<P> {
        let s = s.clamp(0.0, self.length);
        let index = self.pieces.partition_point(|piece| piece.start <= s).saturating_sub(1);
        let PolylinePiece { start, ref origin, ref direction, ref blend } = self.pieces[index];
        match blend {
            None => Local {
                position: origin.plus(s - start, direction),
                first: direction.clone(),
                second: direction.zero(),
                third: direction.zero(),
            },
            Some(blend) => blend.at(s - start, origin, direction),
        }
    }

    fn breaks(&self) -> Vec<f64> {
        self.pieces.iter().skip(1).map(|piece| piece.start).collect()
    }
}
