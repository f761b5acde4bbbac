//! The fastest motion with a limited jerk: a third-order method.
//!
//! The way s over the time is a cubic spline: its jerk is constant between two knots, and speed and acceleration are
//! continuous. Rest at both ends fixes the first and the last three of its coefficients; the others and the times of the knots
//! are free. Where one leg of the path ends and the next begins, the third derivative of the path jumps, and with it the jerk;
//! so there is always a knot there. What is limited are smooth functions of (s, ṡ, s̈, s⃛) on each leg, so that
//!
//! ```text
//! min T   with   y(s, ṡ, s̈, s⃛) ≤ 1   at some times of each piece                                            (1)
//! ```
//!
//! is a nonlinear program with few unknowns. It is solved by a sequence of linear programs: (1) is linearised about the last
//! spline, within a step that is widened where the linear program was right and narrowed where it was not. Every spline is
//! judged by the time that it needs once it is stretched until all limits hold, so no step makes the motion slower. At the
//! solution as many limits are active as there are unknowns, which makes the steps those of Newton's method.
//!
//! A limit depends on four coefficients and six knots, all neighbours, which makes the linear programs cheap ([`LinearProgram`]).

use super::leg_limits::PathLegs;
use super::linear_program::{LinearProgram, WIDTH};
use super::{Path, PlanError};

/// Where (1) has to hold in a piece: a hair inside of its ends, and in the middle; for the last steps between these too.
const PARTS: [&[f64]; 2] = [&[1e-6, 0.5, 1.0 - 1e-6], &[1e-6, 0.25, 0.5, 0.75, 1.0 - 1e-6]];

/// No piece is shorter, of the time.
const SHORTEST: f64 = 2e-4;

/// A motion along the legs of a path.
#[derive(Clone)]
pub struct LegMotion {
    pub spline: Spline,
    /// The knots at which a leg ends and the next begins.
    turns: Vec<usize>,
    /// Where (1) has to hold in a piece.
    parts: &'static [f64],
}

impl LegMotion {
    /// Near s(t), with knots at these times; where a leg ends, the knot that is nearest in time moves there.
    pub fn near(
        bounds: &PathLegs<'_, impl Path>,
        knots: Vec<f64>,
        turns: Vec<usize>,
        s: impl Fn(f64) -> f64,
    ) -> Option<Self> {
        let mut way = Self { spline: Spline::near(knots, s), turns, parts: PARTS[0] };
        way.settle(bounds).then_some(way)
    }

    fn time(&self) -> f64 {
        self.spline.knots[self.spline.knots.len() - 1]
    }

    fn leg(&self, piece: usize) -> usize {
        self.turns.partition_point(|turn| *turn <= piece)
    }

    /// Moves knots to where legs end, as Newton's method does.
    fn settle(&mut self, bounds: &PathLegs<'_, impl Path>) -> bool {
        let small = 1e-14 * self.spline.c[self.spline.c.len() - 1];
        for _ in 0..30 {
            let mut worst = 0.0_f64;
            for (&turn, &end) in self.turns.iter().zip(&bounds.ends) {
                let [before, at, after] = [0, 1, 2].map(|k| self.spline.knots[turn + k - 1]);
                let off = |way: &Self| way.spline.state(turn, 0.0)[0] - end;
                let far = off(self);
                worst = worst.max(far.abs());
                let step = 1e-5 * (after - before);
                self.spline.knots[turn] = at + step;
                let slope = (off(self) - far) / step;
                let [low, high] = [0.9 * before + 0.1 * at, 0.1 * at + 0.9 * after];
                let next = at - far / slope;
                self.spline.knots[turn] = if next.is_finite() { next.clamp(low, high) } else { at };
            }
            if worst <= small {
                return true;
            }
        }
        false
    }

    /// How much slower each piece has to be, at least and at most.
    fn demands<P: Path>(&self, bounds: &PathLegs<'_, P>, piece: usize) -> Result<[f64; 2], PlanError> {
        let mut range = [f64::INFINITY, 0.0_f64];
        for &part in self.parts {
            let factor = bounds.demand(self.leg(piece), self.spline.state(piece, part))?;
            range = [range[0].min(factor), range[1].max(factor)];
        }
        Ok(range)
    }

    /// The same in the time that the limits demand.
    fn stretched<P: Path>(mut self, bounds: &PathLegs<'_, P>) -> Result<Self, PlanError> {
        let mut factor = 0.0_f64;
        for piece in 0..self.spline.knots.len() - 1 {
            factor = factor.max(self.demands(bounds, piece)?[1]);
        }
        self.spline.knots.iter_mut().for_each(|knot| *knot *= factor);
        Ok(self)
    }

    /// The same with more knots in pieces that no limit fills.
    pub fn refined<P: Path>(mut self, bounds: &PathLegs<'_, P>) -> Result<Self, PlanError> {
        /// What fills a piece, of a limit.
        const FULL: f64 = 0.998;
        let time = self.time();
        self.parts = PARTS[1];
        for piece in (0..self.spline.knots.len() - 1).rev() {
            let [start, end] = [self.spline.knots[piece], self.spline.knots[piece + 1]];
            if end - start > 4.0 * SHORTEST * time && self.demands(bounds, piece)?[0] < FULL {
                self.spline.insert(0.5 * (start + end));
                self.turns.iter_mut().filter(|turn| **turn > piece).for_each(|turn| *turn += 1);
            }
        }
        Ok(self)
    }

    /// Number of an unknown, c_i or t_k, so that a piece k knows those from 2k on. Some numbers are of none.
    fn number_of_c(i: usize) -> usize {
        2 * i + 1
    }
    fn number_of_knot(k: usize) -> usize {
        2 * k + 4
    }

    /// How the state at a place depends on the unknowns of its piece, by the distance and the time.
    fn slopes(&mut self, piece: usize, part: f64) -> [[f64; WIDTH]; 4] {
        let Self { spline, .. } = self;
        let (count, last) = (spline.c.len(), spline.knots.len() - 1);
        let (distance, time) = (spline.c[count - 1], spline.knots[last]);
        let mut slopes = [[0.0; WIDTH]; 4];
        let basis = spline.basis(piece, part);
        for i in (0..4).filter(|i| (3..count - 3).contains(&(piece + i))) {
            (0..4).for_each(|order| slopes[order][2 * i + 1] = basis[order][i] * distance);
        }
        let width = spline.knots[piece + 1] - spline.knots[piece];
        for k in 0..6 {
            let Some(knot) = (piece + k).checked_sub(2).filter(|knot| (1..=last).contains(knot)) else { continue };
            let (own, step) = (spline.knots[knot], 1e-6 * width);
            let [before, after] = [own - step, own + step].map(|moved| {
                spline.knots[knot] = moved;
                spline.state(piece, part)
            });
            spline.knots[knot] = own;
            (0..4).for_each(|order| slopes[order][2 * k] = (after[order] - before[order]) / (2.0 * step) * time);
        }
        slopes
    }

    /// (1) about this motion.
    fn program<P: Path>(&mut self, bounds: &PathLegs<'_, P>, reach: f64) -> Result<LinearProgram, PlanError> {
        /// What is far below its limit does not count.
        const FAR: f64 = 0.3;
        let pieces = self.spline.knots.len() - 1;
        let (distance, time) = (self.spline.c[self.spline.c.len() - 1], self.time());
        let jerks: Vec<f64> = (0..pieces).map(|piece| self.spline.state(piece, 0.5)[3]).collect();
        let most = jerks.iter().fold(0.0_f64, |most, jerk| most.max(jerk.abs()));
        let goal = Self::number_of_knot(pieces);
        let mut program = LinearProgram::new(goal + WIDTH, goal);
        for piece in 0..pieces {
            let (first, leg) = (2 * piece, self.leg(piece));
            for &part in self.parts {
                let (state, slopes) = (self.spline.state(piece, part), self.slopes(piece, part));
                let row = |weights: [f64; 4]| -> [f64; WIDTH] {
                    std::array::from_fn(|i| (0..4).map(|order| weights[order] * slopes[order][i]).sum())
                };
                for bound in bounds.about(leg, state)?.iter().filter(|bound| bound.value > FAR) {
                    program.row(first, row(bound.slope), 1.0 - bound.value);
                }
                // Never backwards.
                program.row(first, row([0.0, -1.0, 0.0, 0.0]), state[1]);
                // How far a step may lead: one place of each piece tells its jerk.
                if part == self.parts[0] {
                    for sign in [1.0, -1.0] {
                        program.row(first, row([0.0, 0.0, 0.0, sign]), 2.0 * reach * most);
                        // Legs end where they end.
                        if self.turns.binary_search(&piece).is_ok() {
                            program.row(first, row([sign, 0.0, 0.0, 0.0]), 1e-6 * distance);
                        }
                    }
                }
            }
            let width = self.spline.knots[piece + 1] - self.spline.knots[piece];
            let step = (0.4 * reach.min(1.0) * width).min((width - SHORTEST * time).max(0.0));
            for (sign, step) in [(1.0, 0.4 * reach.min(1.0) * width), (-1.0, step)] {
                let mut row = [0.0; WIDTH];
                // t_k and t_(k + 1).
                (row[4], row[6]) = (if piece > 0 { -sign } else { 0.0 }, sign);
                program.row(first, row, step / time);
            }
        }
        for i in 3..self.spline.c.len() - 3 {
            for sign in [1.0, -1.0] {
                let mut row = [0.0; WIDTH];
                row[0] = sign;
                program.row(Self::number_of_c(i), row, 0.1 * reach);
            }
        }
        Ok(program)
    }

    /// After a step of the unknowns.
    fn moved<P: Path>(&self, bounds: &PathLegs<'_, P>, step: &[f64]) -> Result<Option<Self>, PlanError> {
        let mut next = self.clone();
        let (count, distance, time) = (next.spline.c.len(), next.spline.c[next.spline.c.len() - 1], self.time());
        (3..count - 3).for_each(|i| next.spline.c[i] += distance * step[Self::number_of_c(i)]);
        (1..next.spline.knots.len()).for_each(|k| next.spline.knots[k] += time * step[Self::number_of_knot(k)]);
        let rises = next.spline.knots.windows(2).all(|pair| pair[1] > pair[0]);
        if rises && next.settle(bounds) { next.stretched(bounds).map(Some) } else { Ok(None) }
    }
}

/// The fastest motion near `way`. So many steps at most, and none more where one gains less than `worth` of the time.
pub fn fastest<P: Path>(
    bounds: &PathLegs<'_, P>,
    mut way: LegMotion,
    steps: usize,
    worth: f64,
) -> Result<LegMotion, PlanError> {
    // Friction that is taken as it is at this time may change the time.
    for _ in 0..3 {
        way = way.stretched(bounds)?;
    }
    let mut reach = 1.0;
    for _ in 0..steps {
        let time = way.time();
        let step = way.program(bounds, reach)?.solve();
        let predicted = step
            .as_ref()
            .map_or(f64::INFINITY, |step| -step[LegMotion::number_of_knot(way.spline.knots.len() - 1)] * time);
        if predicted < worth * time {
            break;
        }
        let next = step.map_or(Ok(None), |step| way.moved(bounds, &step))?;
        let gain = next.as_ref().map_or(f64::NEG_INFINITY, |next| time - next.time());
        if let Some(next) = next.filter(|_| gain > 0.0) {
            way = next;
        }
        if gain > 0.7 * predicted {
            reach = (2.0 * reach).min(4.0);
        } else if gain < 0.25 * predicted {
            reach *= 0.3;
            if reach < 1e-5 {
                break;
            }
        }
    }
    Ok(way)
}

/// A cubic spline s(τ) from rest to rest by its coefficients, in the basis of B-splines with ends that count four times: rest at
/// an end means that three coefficients there are the same.
#[derive(Clone)]
pub(super) struct Spline {
    /// Strictly increasing.
    pub knots: Vec<f64>,
    /// Two more than there are knots.
    pub c: Vec<f64>,
}

impl Spline {
    /// The knot `i` of the clamped sequence: the ends count four times.
    fn knot(&self, i: usize) -> f64 {
        self.knots[i.saturating_sub(3).min(self.knots.len() - 1)]
    }

    /// The spline near a function of τ.
    pub fn near(knots: Vec<f64>, s: impl Fn(f64) -> f64) -> Self {
        let count = knots.len() + 2;
        let end = knots.last().copied().unwrap_or(0.0);
        let mut spline = Self { knots, c: vec![0.0; count] };
        // Second order: s at the mean of its knots, less a part of the second derivative there.
        for i in 0..count {
            let [a, b, c] = [1, 2, 3].map(|k| spline.knot(i + k));
            let mean = (a + b + c) / 3.0;
            let spread = ((a - mean).powi(2) + (b - mean).powi(2) + (c - mean).powi(2)) / 12.0;
            let h = 1e-4 * end;
            let bend =
                if mean > h && mean < end - h { (s(mean + h) - 2.0 * s(mean) + s(mean - h)) / (h * h) } else { 0.0 };
            spline.c[i] = s(mean) - spread * bend;
        }
        let distance = s(end);
        for k in 0..3 {
            spline.c[k] = 0.0;
            spline.c[count - 1 - k] = distance;
        }
        spline
    }

    /// s, s′, s″, s‴ of the four basis functions that are not zero in a piece, at a part of its width.
    pub fn basis(&self, piece: usize, part: f64) -> [[f64; 4]; 4] {
        let mut basis = [[0.0; 4]; 4];
        for own in 0..4 {
            let unit = std::array::from_fn(|i| if i == own { 1.0 } else { 0.0 });
            let values = self.values(piece, part, unit);
            (0..4).for_each(|order| basis[order][own] = values[order]);
        }
        basis
    }

    /// (s, s′, s″, s‴) in a piece, at a part of its width.
    pub fn state(&self, piece: usize, part: f64) -> [f64; 4] {
        self.values(piece, part, std::array::from_fn(|i| self.c[piece + i]))
    }

    /// The same with the coefficients `d` (de Boor's algorithm: the derivatives of a spline are splines).
    fn values(&self, piece: usize, part: f64, mut d: [f64; 4]) -> [f64; 4] {
        let tau = self.knots[piece] + part * (self.knots[piece + 1] - self.knots[piece]);
        let mut values = [0.0; 4];
        for order in 0..4 {
            let degree = 3 - order;
            let mut e = d;
            for level in 1..=degree {
                for i in (level..=degree).rev() {
                    let low = self.knot(piece + order + i);
                    let high = self.knot(piece + order + i + 1 + degree - level);
                    let x = (tau - low) / (high - low);
                    e[i] = e[i - 1] * (1.0 - x) + e[i] * x;
                }
            }
            values[order] = e[degree];
            for i in 0..degree {
                let [low, high] = [self.knot(piece + order + i + 1), self.knot(piece + order + i + 1 + degree)];
                d[i] = degree as f64 * (d[i + 1] - d[i]) / (high - low);
            }
        }
        values
    }

    /// The same spline with one more knot (Boehm's algorithm), inside of a piece.
    pub fn insert(&mut self, tau: f64) {
        let piece = self.piece(tau);
        let mut c = self.c.clone();
        c.insert(piece + 3, 0.0);
        for i in piece + 1..=piece + 3 {
            let [low, high] = [self.knot(i), self.knot(i + 3)];
            let x = (tau - low) / (high - low);
            c[i] = self.c[i] * x + self.c[i - 1] * (1.0 - x);
        }
        self.c = c;
        self.knots.insert(piece + 1, tau);
    }

    /// Pieces: duration, s̈ at the beginning, s⃛.
    pub fn pieces(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        (0..self.knots.len() - 1).map(|k| {
            let [_, _, bend, jerk] = self.state(k, 0.0);
            (self.knots[k + 1] - self.knots[k], bend, jerk)
        })
    }

    /// The piece in which τ is.
    pub fn piece(&self, tau: f64) -> usize {
        self.knots.partition_point(|knot| *knot <= tau).clamp(1, self.knots.len() - 1) - 1
    }
}
