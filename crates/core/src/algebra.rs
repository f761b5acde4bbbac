//! Vectors and matrices of three, over any [`Scalar`].

use crate::scalar::Scalar;
use core::ops::{Add, Index, IndexMut, Mul, Neg, Sub};

/// One value for each of 0, 1, 2: `core::array::from_fn` written out, which the compiler never fails to inline.
#[inline(always)]
pub fn three<T>(mut f: impl FnMut(usize) -> T) -> [T; 3] {
    [f(0), f(1), f(2)]
}

/// A vector of three: a point, a velocity, a force in the base frame, or one number per arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vec3<S>(pub [S; 3]);

impl<S: Scalar> Vec3<S> {
    /// The vector (x, y, z).
    #[inline(always)]
    pub fn new(x: S, y: S, z: S) -> Self {
        Self([x, y, z])
    }

    /// The zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([S::zero(); 3])
    }

    /// A vector of constants.
    #[inline(always)]
    pub fn from_f64(values: [f64; 3]) -> Self {
        Self(values.map(S::from_f64))
    }

    /// One number per index 0, 1, 2.
    #[inline(always)]
    pub fn from_fn(f: impl FnMut(usize) -> S) -> Self {
        Self(three(f))
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, other: Self) -> S {
        self[0] * other[0] + self[1] * other[1] + self[2] * other[2]
    }

    /// Vector product.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    /// Squared length.
    #[inline(always)]
    pub fn norm_squared(self) -> S {
        self.dot(self)
    }

    /// The same with every component a scalar of another kind.
    #[inline(always)]
    pub fn map<T>(self, mut f: impl FnMut(S) -> T) -> Vec3<T> {
        Vec3(three(|i| f(self[i])))
    }
}

impl<S> Index<usize> for Vec3<S> {
    type Output = S;
    #[inline(always)]
    fn index(&self, index: usize) -> &S {
        &self.0[index]
    }
}

impl<S> IndexMut<usize> for Vec3<S> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut S {
        &mut self.0[index]
    }
}

impl<S: Scalar> Add for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::from_fn(|i| self[i] + other[i])
    }
}

impl<S: Scalar> Sub for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::from_fn(|i| self[i] - other[i])
    }
}

impl<S: Scalar> Neg for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|x| -x)
    }
}

impl<S: Scalar> Mul<S> for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: S) -> Self {
        self.map(|x| x * factor)
    }
}

/// A 3 × 3 matrix, by rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mat3<S>(pub [Vec3<S>; 3]);

impl<S: Scalar> Mat3<S> {
    /// The zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([Vec3::zero(); 3])
    }

    /// `value` times the identity.
    #[inline(always)]
    pub fn diagonal(value: S) -> Self {
        Self::from_fn(|i, j| if i == j { value } else { S::zero() })
    }

    /// The matrix with the given entry at each (row, column).
    #[inline(always)]
    pub fn from_fn(mut f: impl FnMut(usize, usize) -> S) -> Self {
        Self(three(|i| Vec3::from_fn(|j| f(i, j))))
    }

    /// The matrix with the given columns.
    #[inline(always)]
    pub fn from_columns(columns: [Vec3<S>; 3]) -> Self {
        Self::from_fn(|i, j| columns[j][i])
    }

    /// `a bᵀ`.
    #[inline(always)]
    pub fn outer(a: Vec3<S>, b: Vec3<S>) -> Self {
        Self::from_fn(|i, j| a[i] * b[j])
    }

    /// The transposed matrix.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        Self::from_fn(|i, j| self[j][i])
    }

    /// The matrix product.
    #[inline(always)]
    pub fn product(self, other: Self) -> Self {
        Self::from_columns(other.transpose().0.map(|column| self * column))
    }

    /// Determinant: the triple product of the rows.
    #[inline(always)]
    pub fn determinant(self) -> S {
        self[0].dot(self[1].cross(self[2]))
    }

    /// The solution of `self · x = right` by Cramer's rule; its margin is [`Mat3::determinant`].
    #[inline(always)]
    pub fn solve(self, right: Vec3<S>) -> Vec3<S> {
        self.inverse() * right
    }

    /// The inverse, from the cross products of the rows.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        let [a, b, c] = self.0;
        let bc = b.cross(c);
        let scale = S::one() / a.dot(bc);
        Self::from_columns([bc * scale, c.cross(a) * scale, a.cross(b) * scale])
    }

    /// The same with every entry a scalar of another kind.
    #[inline(always)]
    pub fn map<T>(self, mut f: impl FnMut(S) -> T) -> Mat3<T> {
        Mat3(self.0.map(|row| row.map(&mut f)))
    }
}

impl<S> Index<usize> for Mat3<S> {
    type Output = Vec3<S>;
    #[inline(always)]
    fn index(&self, row: usize) -> &Vec3<S> {
        &self.0[row]
    }
}

impl<S: Scalar> Add for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(three(|i| self[i] + other[i]))
    }
}

impl<S: Scalar> Sub for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(three(|i| self[i] - other[i]))
    }
}

impl<S: Scalar> Mul<S> for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: S) -> Self {
        Self(three(|i| self[i] * factor))
    }
}

impl<S: Scalar> Mul<Vec3<S>> for Mat3<S> {
    type Output = Vec3<S>;
    #[inline(always)]
    fn mul(self, vector: Vec3<S>) -> Vec3<S> {
        Vec3(three(|i| self[i].dot(vector)))
    }
}
