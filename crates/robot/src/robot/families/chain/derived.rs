//! The built-in PUMA 560 by the programs that `derive` has found for it (`dalembert-generated`): the model `derived`.
//!
//! The same torques, mass matrix and gravity as the recursions give for this arm, to rounding, with a fraction of their
//! operations; for one state, or for columns of states with vector instructions.
//!
//! ```
//! use dalembert::{robot::families::chain::derived::Puma560, robots};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let arm = robots::puma560()?.arm.arm::<6>().ok_or("six joints")?;
//! let fast = Puma560::new(&arm)?; // refuses every other arm: the numbers are in the program
//! let (q, qd, qdd) = ([0.1; 6], [0.2; 6], [0.3; 6]);
//! let exact = arm.at_joints(q)?.moving(qd).torque(qdd);
//! assert!((fast.torque(&q, &qd, &qdd)[1] - exact[1]).abs() < 1e-12);
//! # Ok(()) }
//! ```

use super::ChainRobot;
use crate::array::from_fn;
use crate::batch::{ColumnsError, Formula, Groups, Lane, ManyOf, TILE, tiles};
use crate::report::text::human;
use crate::robot::orientation::attitude;
use crate::robot::parameters::{label, visited};
use crate::robot::{DoesNotApply, Robot};
use crate::scalar::{Lanes, Scalar};
use crate::serial::puma::Matrices;
use crate::serial::{Serial, SerialParameters};
use dalembert_generated::puma560::{Math, puma560_gravity, puma560_mass, puma560_torque};

/// A model that this arm cannot have.
pub(super) fn refused(name: &str, why: impl std::fmt::Display) -> DoesNotApply {
    DoesNotApply {
        model: name.to_owned(),
        message: format!("model `{name}` does not apply to this robot: {why}"),
        hint: Some(String::from("`newton-euler` always applies")),
    }
}

/// The numbers that are in the printed tables and in the derived programs: those of the built-in PUMA 560.
fn built_in() -> Result<SerialParameters<f64, 6>, String> {
    let robot = Robot::find("puma560").map_err(|error| error.to_string())?;
    let arm = robot.of_type::<ChainRobot>().and_then(|robot| robot.chain.serial::<6>());
    Ok(*arm.ok_or("the built-in puma560 has not six joints")?.parameters())
}

/// How an arm differs from the one whose numbers are in a model: three of the differences at most, of another arm their number.
fn differences(arm: &SerialParameters<f64, 6>, known: &SerialParameters<f64, 6>) -> String {
    let numbers = |p: &SerialParameters<f64, 6>| visited(|visit| { *p }.visit(visit), |rotation| attitude(*rotation));
    let known = numbers(known);
    let mut told = Vec::new();
    for own in numbers(arm) {
        let other = known.iter().find(|other| other.field.key == own.field.key && other.place == own.place);
        let link = own.place.part.map_or(String::new(), |link| format!("link {}: ", link + 1));
        let (name, unit) = (label(own.field, own.place), own.field.unit.si(false));
        let value = |value: f64| format!("{} {unit}", human(value, 6)).trim_end().to_owned();
        match other {
            Some(other) if other.value == own.value => {}
            Some(other) => told.push(format!("{link}{name} {} instead of {}", value(own.value), value(other.value))),
            None => told.push(format!("{link}{name} {}, which that has not", value(own.value))),
        }
    }
    match told.len() {
        0..=3 => told.join("; "),
        more @ 4..=8 => format!("{}; and {} more", told[..3].join("; "), more - 3),
        many => format!("{many} other numbers"),
    }
}

/// Refuses a model with numbers of its own to an arm that is not, as `same` sees it, the one that they belong to.
pub(super) fn must_be_built_in(
    name: &str,
    arm: &SerialParameters<f64, 6>,
    same: impl Fn(&SerialParameters<f64, 6>) -> bool,
) -> Result<(), DoesNotApply> {
    let known = built_in().map_err(|error| refused(name, error))?;
    if same(&known) {
        return Ok(());
    }
    let found = differences(arm, &known);
    let why = format!("its numbers are those of the built-in puma560, and this arm has {found}");
    let hint = "`explicit` takes the numbers of an arm like the PUMA 560, `newton-euler` those of any arm";
    Err(DoesNotApply { hint: Some(hint.into()), ..refused(name, why) })
}

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
        Scalar::sin_cos_each(angles)
    }
    #[inline(always)]
    fn sin_cos_5(angles: [f64; 5]) -> [(f64, f64); 5] {
        Scalar::sin_cos_each(angles)
    }
}

/// States side by side.
const SIDE: usize = 8;
type Side = Lanes<SIDE>;

/// Several states: the angles one after the other, since each is a vector already.
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

/// The built-in PUMA 560.
#[derive(Clone, Copy, Debug)]
pub struct Puma560(());

impl Puma560 {
    /// The fast path of an arm, if it is the built-in PUMA 560 to the last digit.
    pub fn new(arm: &Serial<f64, 6>) -> Result<Self, DoesNotApply> {
        must_be_built_in("derived", arm.parameters(), |known| known == arm.parameters()).map(|()| Self(()))
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

    /// Torques of many states q, q̇, q̈, or accelerations of many states q, q̇, τ. Nothing is checked per state: what is not finite comes
    /// out as NaN.
    pub fn many(&self, of: ManyOf, states: Groups<'_, 3>, results: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        match of {
            ManyOf::Torques => tiles(&Sides::<false>, states, results),
            ManyOf::Accelerations => tiles(&Sides::<true>, states, results),
        }
    }
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

/// Torques or accelerations, `SIDE` states of a tile at a time.
struct Sides<const FORWARD: bool>;

impl<const FORWARD: bool> Formula<3, 6, 6> for Sides<FORWARD> {
    type Scratch = ();

    #[inline(always)]
    fn scratch(&self) {}

    #[inline(always)]
    fn tile(&self, input: &[[&Lane; 6]; 3], output: &mut [Lane; 6], (): &mut ()) {
        for start in (0..TILE).step_by(SIDE) {
            let mut states = [[Side::zero(); 6]; 3];
            for g in 0..3 {
                for k in 0..6 {
                    states[g][k].0.copy_from_slice(&input[g][k][start..start + SIDE]);
                }
            }
            let [q, qd, third] = &states;
            let result = match FORWARD {
                true => acceleration::<Several>(q, qd, third),
                false => puma560_torque::<Several>(q, qd, third),
            };
            for k in 0..6 {
                output[k][start..start + SIDE].copy_from_slice(&result[k].0);
            }
        }
    }
}
