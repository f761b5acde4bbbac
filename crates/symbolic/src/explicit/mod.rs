//! Explicit models of serial arms: the four steps of B. Armstrong, O. Khatib, J. Burdick, "The Explicit Dynamic Model and
//! Inertial Parameters of the PUMA 560 Arm", 1986, made automatic for any arm.
//!
//! | step of the paper | here |
//! | --- | --- |
//! | 1. kinetic-energy matrix and gravity, symbolically | [`Polynomials`]: the formulas of `dalembert-core` run with trigonometric polynomials |
//! | 2. inertial constants that multiply common expressions are combined | [`constants()`] |
//! | 3. Christoffel symbols from derivatives, relations among them | [`Polynomials::christoffel`], [`counts()`] |
//! | 4. combined again | [`Explicit`] |

mod bound;
mod cheapest;
mod counts;
mod derivation;
mod factor;
mod formulas;
mod lump;
mod model;
mod polynomial;
mod scalar;
mod significance;
mod words;

pub use bound::{Budget, DEFAULT_ACCELERATION, DEFAULT_SPEED, Limits, TorqueError};
pub use cheapest::{Cheapest, NoSuchError};
pub use counts::{Counts, counts};
pub use derivation::{NotDerivable, Polynomials};
pub use formulas::{ATTEMPTS, Formulas, Output, full_matrix};
pub use lump::{LumpedConstant, LumpedConstants, constants};
pub use model::{Elements, Explicit};
pub use polynomial::{Joints, MOST_JOINTS, Monomial, Polynomial, PolynomialTerm};
pub use scalar::{Symbol, Symbols};
pub use significance::{Abbreviated, Place, Significance, Velocities};
pub use words::{AngleSum, Sum, Term, Vocabulary, Word, Words};
