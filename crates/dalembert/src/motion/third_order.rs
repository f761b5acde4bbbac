//! The fastest motion with a limited jerk: a third-order method.
//!
//! The way s over the time is a cubic spline with fixed knots τ = t/T: its jerk is constant between two knots, and speed and
//! acceleration are continuous. Rest at both ends fixes the first and the last three of its coefficients. What is limited are
//! smooth functions of (s, ṡ, s̈, s⃛) with ṡ = s′/T, s̈ = s″/T², s⃛ = s‴/T³, so that
//!
//! ```text
//! min T   with   y(s, ṡ, s̈, s⃛) ≤ 1   at some times of each piece                                            (1)
//! ```
//!
//! is a nonlinear program with few unknowns. It is solved by a sequence of linear programs: (1) is linearised about the last
//! spline, within a step that is widened where the linear program was right and narrowed where it was not. Every spline is
//! judged by the time that it needs once it is stretched until all limits hold, so no step makes the motion slower. At the
//! solution as many limits are active as there are coefficients, which makes the steps those of Newton's method.
//!
//! Four coefficients and T are all that a limit depends on, which makes the linear programs cheap ([`Program`]).

use super::linear_program::Program;
use super::spline::{Place, Spline};

/// What is limited, about a state: y + slope · (δs, δṡ, δs̈, δs⃛) ≤ 1.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    pub value: f64,
    pub slope: [f64; 4],
}

/// The limits along a path.
pub trait Bounds {
    type Error;
    /// Those at a state (s, ṡ, s̈, s⃛).
    fn about(&self, state: [f64; 4], bounds: &mut Vec<Bound>) -> Result<(), Self::Error>;
    /// How many times slower the motion has to go through a state, below 1 where it may be faster.
    fn demand(&self, state: [f64; 4]) -> Result<f64, Self::Error>;
}

/// Where (1) has to hold in a piece: a hair inside of its ends, and in the middle.
const PARTS: [f64; 3] = [1e-6, 0.5, 1.0 - 1e-6];

fn state([s, first, second, third]: [f64; 4], time: f64) -> [f64; 4] {
    [s, first / time, second / (time * time), third / time.powi(3)]
}

/// The time that a spline needs.
fn needed<B: Bounds>(bounds: &B, spline: &Spline, places: &[Place], time: f64) -> Result<f64, B::Error> {
    let mut factor = 0.0_f64;
    for place in places {
        factor = factor.max(bounds.demand(state(spline.at(place), time))?);
    }
    Ok(factor * time)
}

/// The fastest spline near `spline`, and its time, s. So many steps at most, and none more where one gains less than `worth` of the time.
pub fn fastest<B: Bounds>(
    bounds: &B,
    mut spline: Spline,
    mut time: f64,
    steps: usize,
    worth: f64,
) -> Result<(Spline, f64), B::Error> {
    let pieces = spline.knots.len() - 1;
    let places: Vec<Place> =
        (0..pieces).flat_map(|piece| PARTS.map(|part| (piece, part))).map(|(k, part)| spline.place(k, part)).collect();
    let distance = spline.c[spline.c.len() - 1];
    let free = spline.c.len() - 6;
    // Friction that is taken as it is at this time may change the time.
    for _ in 0..3 {
        time = needed(bounds, &spline, &places, time)?;
    }
    // Of the distance; of the time.
    let mut reach = 0.1;
    let mut list = Vec::new();
    // The first three coefficients are not free.
    let first = |place: &Place| place.first as isize - 3;
    for _ in 0..steps {
        let mut program = Program::new(free);
        for place in &places {
            let shape = spline.at(place);
            let now = state(shape, time);
            list.clear();
            bounds.about(now, &mut list)?;
            for bound in &list {
                // y = y(c, T): each derivative of s is that of the spline over a power of T.
                let (mut row, mut power) = ([0.0; 4], 1.0);
                let mut border = 0.0;
                for order in 0..4 {
                    (0..4).for_each(|i| row[i] += bound.slope[order] * place.basis[order][i] / power * distance);
                    border -= order as f64 * bound.slope[order] * now[order];
                    power *= time;
                }
                program.row(first(place), row, border, 1.0 - bound.value);
            }
            // Never backwards.
            program.row(first(place), place.basis[1].map(|x| -x), 0.0, shape[1] / distance);
        }
        for i in 0..free {
            for sign in [1.0, -1.0] {
                program.row(i as isize, [sign, 0.0, 0.0, 0.0], 0.0, reach);
            }
        }
        for sign in [1.0, -1.0] {
            program.row(0, [0.0; 4], sign, 3.0 * reach);
        }
        let Some(step) = program.solve() else { break };
        let mut next = spline.clone();
        (0..free).for_each(|i| next.c[3 + i] += distance * step[i]);
        let predicted = -step[free] * time;
        let found = needed(bounds, &next, &places, time * (1.0 + step[free]))?;
        let gain = time - found;
        if predicted < worth * time {
            break;
        }
        if gain > 0.0 {
            (spline, time) = (next, found);
        }
        if gain > 0.7 * predicted {
            reach = (2.0 * reach).min(0.5);
        } else if gain < 0.25 * predicted {
            reach *= 0.3;
            if reach < 1e-7 {
                break;
            }
        }
    }
    Ok((spline, time))
}
