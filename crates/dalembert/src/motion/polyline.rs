//! Straight legs with blended corners.
//!
//! A corner P between the unit directions e₁ and e₂ is left out from the distance d before it to the distance d behind
//! it. There, with σ = 0…1,
//!
//! ```text
//! X_σ/2d = e₁ + (e₂ − e₁) h,   h = 3σ² − 2σ³                                                                 (1)
//! X = P − d e₁ + 2d [e₁ σ + (e₂ − e₁)(σ³ − σ⁴/2)]                                                            (2)
//! |X_σ|/2d = √(1 − |e₂ − e₁|² h (1 − h))                                                                     (3)
//! ```
//!
//! X_σσ vanishes at both ends of the blend, so the curvature is continuous everywhere. The corner is passed at the distance
//! 3/16 · d |e₂ − e₁|. The parameter of the path is its arc length, in blends too ([`ArcLength`]).

use super::arc_length::ArcLength;
use super::path::unit;
use super::{Local, Path, PathError, Point};
use dalembert_core::Vec3;

/// Legs through points, with blends.
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
const PANELS: usize = 64;

/// h.
fn turned(sigma: f64) -> f64 {
    sigma * sigma * (3.0 - 2.0 * sigma)
}

/// (3), with |e₂ − e₁|².
fn speed(square: f64) -> impl Fn(f64) -> f64 {
    move |sigma| {
        let h = turned(sigma);
        (1.0 - square * h * (1.0 - h)).sqrt()
    }
}

impl<P: Point> Blend<P> {
    fn new(size: f64, turn: P) -> Self {
        Self { size, curve: ArcLength::new(1.0, PANELS, speed(turn.dot(&turn))), turn }
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
            origin.plus(size * sigma, direction).plus(size * cube * (1.0 - 0.5 * sigma), turn), // (2)
            direction.plus(turned(sigma), turn).times(size),                                    // (1)
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
            super::path::positive("blend", blend)?;
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
        super::path::positive("width", width)?;
        super::path::positive("height", height)?;
        let across = super::path::horizontal(direction)?;
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
