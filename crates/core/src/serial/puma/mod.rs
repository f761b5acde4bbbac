//! The explicit models of the PUMA 560: B. Armstrong, O. Khatib, J. Burdick, "The Explicit Dynamic Model and Inertial
//! Parameters of the PUMA 560 Arm", 1986, Tables A2–A7.
//!
//! | name | constants | expressions |
//! | --- | --- | --- |
//! | `explicit` | Table A2 from the robot's parameters | Tables A4–A7 in full |
//! | `explicit-a3` | Table A3 as printed | Tables A4–A7 in full |
//! | `abbreviated` | numbers in the expressions | Tables A4–A7 after the 1 % criterion |
//!
//! All are corrected where the tables are misprinted; `docs/papers/armstrong.md` lists what and how it is known.
//! Joint angles, torques and frames are the paper's own: those of `robots/puma560.toml`.

mod abbreviated;
mod constants;
mod tables;

pub use constants::{Constants, DoesNotApply};

use super::SerialParameters;
use crate::array::map;
use crate::scalar::Scalar;

/// A, B, C and g of (1) as the paper's tables give them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrices<S> {
    /// Kinetic energy matrix A, Table A4, both triangles, kg m².
    pub a: [[S; 6]; 6],
    /// Coriolis matrix B, Table A5, 6 × 15: the columns belong to the products q̇_1q̇_2, q̇_1q̇_3 … q̇_5q̇_6, kg m².
    pub b: [[S; 15]; 6],
    /// Centrifugal matrix C, Table A6, kg m².
    pub c: [[S; 6]; 6],
    /// Gravity, Table A7, N m.
    pub g: [S; 6],
}

/// The column of B for the product q̇_j q̇_k, j < k, from 0.
pub const fn column(j: usize, k: usize) -> usize {
    j * (11 - j) / 2 + k - j - 1
}

impl<S: Scalar> Matrices<S> {
    /// Equation (1): torques without friction, N m.
    #[inline(always)]
    pub fn torque(&self, qd: [S; 6], qdd: [S; 6]) -> [S; 6] {
        let mut products = [S::zero(); 15];
        for j in 0..6 {
            for k in j + 1..6 {
                products[column(j, k)] = qd[j] * qd[k];
            }
        }
        let squares = map(qd, |x| x * x);
        crate::array::from_fn(|i| {
            let mut sum = self.g[i];
            for j in 0..6 {
                sum = sum + self.a[i][j] * qdd[j] + self.c[i][j] * squares[j];
            }
            for (b, product) in self.b[i].iter().zip(products) {
                sum = sum + *b * product;
            }
            sum
        })
    }

    /// The solution q̈ of A q̈ = `right`, rad/s².
    #[inline(always)]
    pub fn solve(&self, right: [S; 6]) -> [S; 6] {
        crate::algebra::solve(self.a, right).0
    }
}

/// A model of the paper, ready for evaluation.
#[derive(Clone, Copy, Debug)]
pub enum PumaModel<S> {
    /// `explicit` and `explicit-a3`.
    Full(Constants<S>),
    /// `abbreviated`: the paper's PUMA, whatever another arm's numbers are.
    Abbreviated,
}

impl<S: Scalar> PumaModel<S> {
    /// The model `explicit` with Table A2 evaluated for these parameters. Whether they are within its assumptions is
    /// for [`Constants::applies_to`] to say.
    pub fn explicit(parameters: &SerialParameters<S, 6>) -> Self {
        Self::Full(Constants::new(parameters))
    }

    /// The model `explicit-a3`: the paper's PUMA, whatever another arm's numbers are.
    pub fn explicit_a3() -> Self {
        Self::Full(Constants::printed())
    }

    /// The matrices at a configuration: the slow part of the paper's Table 2.
    #[inline(always)]
    pub fn matrices(&self, q: [S; 6]) -> Matrices<S> {
        match self {
            Self::Full(constants) => constants.matrices(q),
            Self::Abbreviated => abbreviated::matrices(q),
        }
    }
}
