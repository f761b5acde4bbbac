//! Straight legs with blended corners.
//!
//! A corner P between the unit directions e₁ and e₂ is left out from the distance d before it to the distance d behind
//! it. There the parameter runs over 2d, σ = 0…1, and the derivative turns from one direction to the other:
//!
//! ```text
//! X′ = e₁ + (e₂ − e₁)(3σ² − 2σ³)                                                                             (1)
//! X  = P − d e₁ + 2d [e₁ σ + (e₂ − e₁)(σ³ − σ⁴/2)]                                                           (2)
//! X″ = 3σ(1 − σ)(e₂ − e₁)/d                                                                                  (3)
//! ```
//!
//! X″ vanishes at both ends of the blend, so the path is C² everywhere. On a leg the parameter is the arc length; in a
//! blend |X′| dips to |e₁ + e₂|/2 in the middle (0.71 in a right angle). The corner is passed at the distance
//! 3/16 · d |e₂ − e₁|.

use super::path::unit;
use super::{Local, Path, PathError, Point};
use dalembert_core::Vec3;

/// Legs through points, with blends.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyline<P> {
    pieces: Vec<Piece<P>>,
    length: f64,
}

/// A leg, or a blend where `turn` is not zero.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece<P> {
    /// Parameter at its beginning.
    start: f64,
    length: f64,
    origin: P,
    /// e₁.
    direction: P,
    /// e₂ − e₁.
    turn: P,
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
            unit("leg", pair[1].plus(-1.0, pair[0])).map_err(|_| PathError::SamePoints { point: i + 1 })
        });
        let legs = legs.collect::<Result<Vec<(P, f64)>, _>>()?;
        let last = legs.len() - 1;
        let mut path = Self { pieces: Vec::new(), length: 0.0 };
        for (i, &(direction, length)) in legs.iter().enumerate() {
            let before = if i > 0 { blend } else { 0.0 };
            let after = if i < last { blend } else { 0.0 };
            let straight = length - before - after;
            // A leg that is used up by its blends is fine; what is missing by rounding is none.
            if straight < -1e-12 * length {
                return Err(PathError::BlendTooLong { point: i + 1, length, needed: before + after });
            }
            let origin = points[i].plus(before, direction);
            path.push(origin, straight.max(0.0), direction, direction.zero());
            if i < last {
                let turn = legs[i + 1].0.plus(-1.0, direction);
                // |e₂ − e₁| = 2: backwards. |X′| would fall below 1 % in the middle of the blend.
                if turn.length() > 1.9999 {
                    return Err(PathError::TurnsBack { point: i + 2 });
                }
                path.push(points[i + 1].plus(-blend, direction), 2.0 * blend, direction, turn);
            }
        }
        Ok(path)
    }

    fn push(&mut self, origin: P, length: f64, direction: P, turn: P) {
        if length > 0.0 {
            self.pieces.push(Piece { start: self.length, length, origin, direction, turn });
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
        let (from, to) = (center.plus(-0.5 * width, across), center.plus(0.5 * width, across));
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
        let Piece { start, length, origin, direction, turn } = self.pieces[index];
        let sigma = ((s - start) / length).min(1.0);
        let cube = sigma * sigma * sigma;
        Local {
            position: origin.plus(length * sigma, direction).plus(length * cube * (1.0 - 0.5 * sigma), turn), // (2)
            first: direction.plus(sigma * sigma * (3.0 - 2.0 * sigma), turn),                                 // (1)
            second: turn.times(6.0 * sigma * (1.0 - sigma) / length),                                         // (3)
        }
    }

    fn breaks(&self) -> Vec<f64> {
        self.pieces.iter().skip(1).map(|piece| piece.start).collect()
    }
}
