//! The built-in PUMA 560 by the programs that `derive` has found for it (`dalembert-generated`): the model `derived`.
//!
//! The same torques, mass matrix and gravity as the recursions give for this arm, to rounding, with a fraction of their
//! operations; for one state, or for columns of states with vector instructions.
//!
//! ```
//! use dalembert::{derived::Puma560, robots};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = robots::puma560()?;
//! let arm = robot.arm.six().ok_or("six joints")?;
//! let fast = Puma560::new(arm)?; // refuses every other arm: the numbers are in the program
//! let (q, qd, qdd) = ([0.1; 6], [0.2; 6], [0.3; 6]);
//! let exact = arm.at_joints(q)?.moving(qd).torque(qdd);
//! assert!((fast.torque(&q, &qd, &qdd)[1] - exact[1]).abs() < 1e-12);
//! # Ok(()) }
//! ```

use crate::batch::{LengthMismatch, Work, widest};
use crate::robots;
use crate::scalar::{Lanes, SIN_COS_RANGE, Scalar, sin_cos_reduced};
use crate::serial::Serial;
use crate::serial::puma::{DoesNotApply, Matrices};
use dalembert_generated::puma560::{Math, puma560_gravity, puma560_mass, puma560_torque};
use std::array::from_fn;
use std::marker::PhantomData;

/// One state: `f64` with the library's own sine and cosine.
struct One;

impl Math for One {
    type Number = f64;
    #[inline(always)]
    fn number(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn sin_cos(x: f64) -> (f64, f64) {
        Scalar::sin_cos(x)
    }
    #[inline(always)]
    fn sin_cos_4(angles: [f64; 4]) -> [(f64, f64); 4] {
        together(angles)
    }
    #[inline(always)]
    fn sin_cos_5(angles: [f64; 5]) -> [(f64, f64); 5] {
        together(angles)
    }
}

/// Sines and cosines of several angles as vectors: the same bits, faster than one after the other.
#[inline(always)]
fn together<const K: usize>(angles: [f64; K]) -> [(f64, f64); K] {
    if angles.iter().any(|x| x.abs() > SIN_COS_RANGE || x.is_nan()) {
        return angles.map(Scalar::sin_cos);
    }
    let (mut sin, mut cos) = ([0.0; K], [0.0; K]);
    for i in 0..K {
        (sin[i], cos[i]) = sin_cos_reduced(angles[i]);
    }
    from_fn(|i| (sin[i], cos[i]))
}

/// States side by side.
const SIDE: usize = 8;
type Side = Lanes<SIDE>;

struct Several;

impl Math for Several {
    type Number = Side;
    #[inline(always)]
    fn number(value: f64) -> Side {
        Side::from_f64(value)
    }
    #[inline(always)]
    fn sin_cos(x: Side) -> (Side, Side) {
        x.sin_cos()
    }
}

/// Six columns of numbers, one per joint.
pub type Columns<'a> = [&'a [f64]; 6];

/// The built-in PUMA 560.
#[derive(Clone, Copy, Debug)]
pub struct Puma560(());

impl Puma560 {
    /// The fast path of an arm, if it is the built-in PUMA 560 to the last digit.
    pub fn new(arm: &Serial<f64, 6>) -> Result<Self, DoesNotApply> {
        let built_in = robots::puma560().ok();
        let same = built_in.is_some_and(|robot| robot.arm.six().is_some_and(|it| it.parameters() == arm.parameters()));
        match same {
            true => Ok(Self(())),
            false => Err(DoesNotApply {
                field: "link",
                link: None,
                assumed: "exactly those of the built-in puma560, for which `derived` was derived",
            }),
        }
    }

    /// Torques of a motion, N m.
    pub fn torque(&self, q: &[f64; 6], qd: &[f64; 6], qdd: &[f64; 6]) -> [f64; 6] {
        puma560_torque::<One>(q, qd, qdd)
    }

    /// The mass matrix, kg m².
    pub fn mass_matrix(&self, q: &[f64; 6]) -> [[f64; 6]; 6] {
        let rows = puma560_mass::<One>(q);
        from_fn(|i| from_fn(|j| rows[6 * i + j]))
    }

    /// Torques that hold the arm, N m.
    pub fn gravity_torque(&self, q: &[f64; 6]) -> [f64; 6] {
        puma560_gravity::<One>(q)
    }

    /// Accelerations under joint torques, rad/s².
    pub fn acceleration(&self, q: &[f64; 6], qd: &[f64; 6], tau: &[f64; 6]) -> [f64; 6] {
        acceleration::<One>(q, qd, tau)
    }

    /// Torques of many states. Nothing is checked per state: what is not finite comes out as NaN.
    pub fn torques(&self, state: [Columns<'_>; 3], tau: [&mut [f64]; 6]) -> Result<(), LengthMismatch> {
        each::<Torque, 18, 6>(state.as_flattened(), tau)
    }

    /// Accelerations of many states q, q̇ and torques.
    pub fn accelerations(&self, state: [Columns<'_>; 3], qdd: [&mut [f64]; 6]) -> Result<(), LengthMismatch> {
        each::<Acceleration, 18, 6>(state.as_flattened(), qdd)
    }

    /// Mass matrices of many poses, one column per entry, row by row.
    pub fn mass_matrices(&self, q: Columns<'_>, mass: [&mut [f64]; 36]) -> Result<(), LengthMismatch> {
        each::<Mass, 6, 36>(&q, mass)
    }
}

#[inline(always)]
fn three(row: &[Side; 18]) -> [[Side; 6]; 3] {
    from_fn(|k| from_fn(|i| row[6 * k + i]))
}

/// M q̈ = τ − what the velocity and gravity ask for.
#[inline(always)]
fn acceleration<M: Math<Number: Scalar>>(
    q: &[M::Number; 6],
    qd: &[M::Number; 6],
    tau: &[M::Number; 6],
) -> [M::Number; 6] {
    let zero = M::Number::zero();
    let bias = puma560_torque::<M>(q, qd, &[zero; 6]);
    let rows = puma560_mass::<M>(q);
    let a = from_fn(|i| from_fn(|j| rows[6 * i + j]));
    Matrices { a, b: [[zero; 15]; 6], c: [[zero; 6]; 6], g: [zero; 6] }.solve(from_fn(|i| tau[i] - bias[i]))
}

/// A formula for rows of `I` numbers. A trait and no closure, because it has to be inlined into the code for each width of
/// vectors.
trait Formula<const I: usize, const O: usize> {
    fn evaluate(row: &[Side; I]) -> [Side; O];
}

struct Torque;
struct Acceleration;
struct Mass;

impl Formula<18, 6> for Torque {
    #[inline(always)]
    fn evaluate(row: &[Side; 18]) -> [Side; 6] {
        let [q, qd, qdd] = three(row);
        puma560_torque::<Several>(&q, &qd, &qdd)
    }
}

impl Formula<18, 6> for Acceleration {
    #[inline(always)]
    fn evaluate(row: &[Side; 18]) -> [Side; 6] {
        let [q, qd, tau] = three(row);
        acceleration::<Several>(&q, &qd, &tau)
    }
}

impl Formula<6, 36> for Mass {
    #[inline(always)]
    fn evaluate(q: &[Side; 6]) -> [Side; 36] {
        puma560_mass::<Several>(q)
    }
}

/// All rows, `SIDE` at a time.
struct Rows<'a, F, const I: usize, const O: usize> {
    input: [&'a [f64]; I],
    output: [&'a mut [f64]; O],
    formula: PhantomData<F>,
}

impl<F: Formula<I, O>, const I: usize, const O: usize> Work for Rows<'_, F, I, O> {
    #[inline(always)]
    fn run(self) {
        let Self { input, output, .. } = self;
        let rows = output[0].len();
        for start in (0..rows).step_by(SIDE) {
            let count = SIDE.min(rows - start);
            let mut row = [Side::zero(); I];
            for k in 0..I {
                let column = &input[k][start..];
                match column.first_chunk() {
                    Some(chunk) => row[k] = Lanes(*chunk),
                    // What is left over is padded with its last row.
                    None => (0..SIDE).for_each(|i| row[k].0[i] = column[i.min(count - 1)]),
                }
            }
            let result = F::evaluate(&row);
            for k in 0..O {
                output[k][start..start + count].copy_from_slice(&result[k].0[..count]);
            }
        }
    }
}

fn each<F: Formula<I, O>, const I: usize, const O: usize>(
    input: &[&[f64]],
    output: [&mut [f64]; O],
) -> Result<(), LengthMismatch> {
    let rows = output[0].len();
    let lengths = input.iter().map(|column| column.len()).chain(output.iter().map(|column| column.len()));
    if let Some(found) = lengths.into_iter().find(|&length| length != rows) {
        return Err(LengthMismatch { expected: rows, found });
    }
    let input = from_fn(|k| input[k]);
    widest(Rows::<F, I, O> { input, output, formula: PhantomData });
    Ok(())
}
