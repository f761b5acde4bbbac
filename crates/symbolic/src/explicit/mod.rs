//! Explicit models of serial arms: the four steps of B. Armstrong, O. Khatib, J. Burdick, "The Explicit Dynamic Model and
//! Inertial Parameters of the PUMA 560 Arm", 1986, made automatic for any arm.
//!
//! | step of the paper | here |
//! | --- | --- |
//! | 1. kinetic-energy matrix and gravity, symbolically | [`Polynomials`]: the formulas of `dalembert-core` run with trigonometric polynomials |
//! | 2. inertial constants that multiply common expressions are combined | [`constants`] |
//! | 3. Christoffel symbols from derivatives, relations among them | [`Polynomials::christoffel`], [`counts()`] |
//! | 4. combined again | [`Explicit`] |
//!
//! and what the paper does with the result: [`Explicit::abbreviated`] leaves out what is insignificant,
//! [`Explicit::torque_range`] says how wrong that is, [`Explicit::cheapest_within`] goes the other way, and
//! [`Explicit::formulas`] makes something that is evaluated with any scalar, [`Expr`](crate::Expr) included.
//!
//! ```
//! use dalembert_symbolic::explicit::{ATTEMPTS, Budget, Explicit, FormulaOutput, Limits, Significance};
//! # fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = dalembert::robots::puma560()?;
//! let arm = robot.arm.arm::<6>().ok_or("six joints")?;
//! let model = Explicit::of(&arm)?;                                      // A, B, C and g, term by term
//! let limits = Limits::of(&robot.limits, &model.joints);
//! let short = model.abbreviated(Significance::default());               // 1 % and 0.1 %
//! let error = short.dropped.torque_range(&limits, Budget::default());   // N m per joint: bound, found, RMS
//! let torque = short.kept.formulas(FormulaOutput::Torque, ATTEMPTS);
//! let tau = torque.evaluate(&[0.1; 6], &[0.2; 6], &[0.3; 6]);           // or with Expr, for a program
//! # assert!(error.bound[1] < 1.0 && tau.len() == 6);
//! # Ok(()) }
//! # example().unwrap();
//! ```

mod bound;
mod cheapest;
mod counts;
mod derivation;
mod factor;
mod formulas;
mod lump;
mod model;
mod polynomial;
mod significance;
mod symbols;
mod words;

pub use bound::{Budget, DEFAULT_ACCELERATION, DEFAULT_SPEED, Limits, TorqueError};
pub use cheapest::NoSuchError;
pub use counts::{ChristoffelCounts, counts};
pub use derivation::{NotDerivable, Polynomials};
pub use formulas::{ATTEMPTS, FactoredFormulas, FormulaOutput, full_matrix};
pub use lump::{Equation, LumpedConstants, NamedConstant, constants};
pub use model::{ElementValues, Explicit};
pub use polynomial::{JointAngles, MAX_JOINTS, Monomial, Polynomial, PolynomialTerm};
pub use significance::{Abbreviated, ElementIndex, Significance, Velocities};
pub use symbols::{SymbolTable, SymbolValue};
pub use words::{AngleSum, Sum, TrigTerm, Vocabulary, Word, Words};
