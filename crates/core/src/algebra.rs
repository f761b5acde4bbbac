//! Vectors and matrices of three, over any [`Scalar`].

use crate::scalar::Scalar;
use core::ops::{Add, Index, IndexMut, Mul, Neg, Sub};

/// One value for each of 0, 1, 2: `crate::array::from_fn` written out, which the compiler never fails to inline.
#[inline(always)]
pub fn three<T>(mut f: impl FnMut(usize) -> T) -> [T; 3] {
    [f(0), f(1), f(2)]
}

/// a + b of joint vectors. Joint positions, velocities, accelerations and torques are plain arrays, one number per joint;
/// points, velocities and forces of the base frame are [`Vec3`]: so nobody adds one to the other.
#[inline(always)]
pub fn sum<S: Scalar, const N: usize>(mut a: [S; N], b: [S; N]) -> [S; N] {
    for i in 0..N {
        a[i] = a[i] + b[i];
    }
    a
}

/// a − b of joint vectors.
#[inline(always)]
pub fn difference<S: Scalar, const N: usize>(mut a: [S; N], b: [S; N]) -> [S; N] {
    for i in 0..N {
        a[i] = a[i] - b[i];
    }
    a
}

/// a · b of joint vectors: a power, where these are torques and velocities.
#[inline(always)]
pub fn dot<S: Scalar, const N: usize>(a: [S; N], b: [S; N]) -> S {
    a.into_iter().zip(b).map(|(a, b)| a * b).reduce(|sum, product| sum + product).unwrap_or(S::zero())
}

/// The solution of `matrix · x = right` by L D Lᵀ of a symmetric positive matrix, and D.
#[inline(always)]
pub fn solve<S: Scalar, const N: usize>(mut matrix: [[S; N]; N], mut right: [S; N]) -> ([S; N], [S; N]) {
    solve_in_place(matrix.as_flattened_mut(), &mut right);
    (right, crate::array::from_fn(|k| matrix[k][k]))
}

/// The same for a matrix of any size, row by row: the solution replaces the right side, and the pivots are left on the diagonal. What the
/// matrix has too little of is not looked at.
#[inline(always)]
pub fn solve_in_place<S: Scalar>(matrix: &mut [S], right: &mut [S]) {
    let n = right.len();
    let Some(matrix) = matrix.get_mut(..n * n) else { return };
    for k in 0..n {
        let pivot = matrix[k * n + k];
        for i in k + 1..n {
            let factor = matrix[i * n + k] / pivot;
            for j in k + 1..=i {
                matrix[i * n + j] = matrix[i * n + j] - factor * matrix[j * n + k];
            }
            right[i] = right[i] - factor * right[k];
        }
    }
    for k in (0..n).rev() {
        let mut sum = right[k];
        for i in k + 1..n {
            sum = sum - matrix[i * n + k] * right[i];
        }
        right[k] = sum / matrix[k * n + k];
    }
}

/// A vector of three in the base frame: a point, a velocity, a force.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
        Self::from_fn(|i| S::from_f64(values[i]))
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

/// An angle that is known beforehand, as a pair and not as a number: multiples of 30° are exact to the last bit, so that
/// what is symmetric stays so and zeros and ones fold away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angle<S> {
    /// Cosine.
    pub cos: S,
    /// Sine.
    pub sin: S,
}

impl Angle<f64> {
    /// The angle of 0.
    pub const ZERO: Self = Self { cos: 1.0, sin: 0.0 };

    /// The angle of `angle` radians. A multiple of 30° that was rounded is that multiple: one within four units of rounding, 9e-16 rad or
    /// as much of a larger angle. What is farther off was meant so: π with ten digits is no half turn.
    pub fn from_radians(angle: f64) -> Self {
        const HALF_ROOT_3: f64 = 0.866_025_403_784_438_6;
        const SINES: [f64; 12] =
            [0.0, 0.5, HALF_ROOT_3, 1.0, HALF_ROOT_3, 0.5, 0.0, -0.5, -HALF_ROOT_3, -1.0, -HALF_ROOT_3, -0.5];
        let steps = angle * (6.0 / core::f64::consts::PI);
        let nearest = libm::round(steps);
        let off = (angle - nearest * (core::f64::consts::PI / 6.0)).abs();
        if off <= 4.0 * f64::EPSILON * angle.abs().max(1.0) {
            let index = ((nearest % 12.0) as i64).rem_euclid(12) as usize;
            Self { sin: SINES[index % 12], cos: SINES[(index + 3) % 12] }
        } else {
            // The library's own, the same on every platform; a method call would find that of `std`.
            let (sin, cos) = Scalar::sin_cos(angle);
            Self { cos, sin }
        }
    }

    /// The angle in (−π, π].
    pub fn radians(self) -> f64 {
        libm::atan2(self.sin, self.cos)
    }
}

impl<S: Scalar> Angle<S> {
    /// The same with scalars of another kind.
    #[inline(always)]
    pub fn map<T>(self, mut f: impl FnMut(S) -> T) -> Angle<T> {
        Angle { cos: f(self.cos), sin: f(self.sin) }
    }

    /// Sine and cosine of `angle` + `self`.
    #[inline(always)]
    pub fn added_to(self, (sin, cos): (S, S)) -> (S, S) {
        (sin * self.cos + cos * self.sin, cos * self.cos - sin * self.sin)
    }
}

/// A symmetric 3 × 3 matrix: a tensor of inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sym3<S> {
    /// Entry (0, 0).
    pub xx: S,
    /// Entry (1, 1).
    pub yy: S,
    /// Entry (2, 2).
    pub zz: S,
    /// Entries (0, 1) and (1, 0).
    pub xy: S,
    /// Entries (1, 2) and (2, 1).
    pub yz: S,
    /// Entries (0, 2) and (2, 0).
    pub xz: S,
}

impl<S: Scalar> Sym3<S> {
    /// The entries in the order xx, yy, zz, xy, yz, xz.
    #[inline(always)]
    pub fn new([xx, yy, zz, xy, yz, xz]: [S; 6]) -> Self {
        Self { xx, yy, zz, xy, yz, xz }
    }

    /// The entries in the order xx, yy, zz, xy, yz, xz.
    #[inline(always)]
    pub fn entries(self) -> [S; 6] {
        [self.xx, self.yy, self.zz, self.xy, self.yz, self.xz]
    }

    /// The zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new([S::zero(); 6])
    }

    /// `value` times the identity.
    #[inline(always)]
    pub fn diagonal(value: S) -> Self {
        Self::new([value, value, value, S::zero(), S::zero(), S::zero()])
    }

    /// `a bᵀ + b aᵀ`.
    #[inline(always)]
    pub fn symmetric_outer(a: Vec3<S>, b: Vec3<S>) -> Self {
        let twice = |i: usize| (a[i] * b[i]).times(2.0);
        let mixed = |i: usize, j: usize| a[i] * b[j] + a[j] * b[i];
        Self::new([twice(0), twice(1), twice(2), mixed(0, 1), mixed(1, 2), mixed(0, 2)])
    }

    /// `a aᵀ`.
    #[inline(always)]
    pub fn square(a: Vec3<S>) -> Self {
        Self::new([a[0] * a[0], a[1] * a[1], a[2] * a[2], a[0] * a[1], a[1] * a[2], a[0] * a[2]])
    }

    /// The inertia about the origin of a unit point mass at `r`: r² 1 − r rᵀ.
    #[inline(always)]
    pub fn point_mass(r: Vec3<S>) -> Self {
        let [x, y, z] = r.0;
        let (xx, yy, zz) = (x * x, y * y, z * z);
        Self::new([yy + zz, xx + zz, xx + yy, -(x * y), -(y * z), -(x * z)])
    }

    /// R · self · Rᵀ with R a rotation about z.
    #[inline(always)]
    pub fn turned_about_z(self, (sin, cos): (S, S)) -> Self {
        let (cc, ss, sc) = (cos * cos, sin * sin, sin * cos);
        let mixed = (sc * self.xy).times(2.0);
        Self {
            xx: cc * self.xx + ss * self.yy - mixed,
            yy: ss * self.xx + cc * self.yy + mixed,
            zz: self.zz,
            xy: sc * (self.xx - self.yy) + (cc - ss) * self.xy,
            yz: sin * self.xz + cos * self.yz,
            xz: cos * self.xz - sin * self.yz,
        }
    }

    /// R · self · Rᵀ with R a rotation about x.
    #[inline(always)]
    pub fn turned_about_x(self, (sin, cos): (S, S)) -> Self {
        let (cc, ss, sc) = (cos * cos, sin * sin, sin * cos);
        let mixed = (sc * self.yz).times(2.0);
        Self {
            xx: self.xx,
            yy: cc * self.yy + ss * self.zz - mixed,
            zz: ss * self.yy + cc * self.zz + mixed,
            xy: cos * self.xy - sin * self.xz,
            yz: sc * (self.yy - self.zz) + (cc - ss) * self.yz,
            xz: sin * self.xy + cos * self.xz,
        }
    }

    /// R · self · Rᵀ.
    #[inline(always)]
    pub fn turned(self, rotation: Mat3<S>) -> Self {
        let half = rotation.product(self.full());
        let entry = |i: usize, j: usize| half[i].dot(rotation[j]);
        Self::new([entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(1, 2), entry(0, 2)])
    }

    /// All nine entries.
    #[inline(always)]
    pub fn full(self) -> Mat3<S> {
        let Self { xx, yy, zz, xy, yz, xz } = self;
        Mat3([Vec3([xx, xy, xz]), Vec3([xy, yy, yz]), Vec3([xz, yz, zz])])
    }

    /// The same with scalars of another kind.
    #[inline(always)]
    pub fn map<T: Scalar>(self, mut f: impl FnMut(S) -> T) -> Sym3<T> {
        let [xx, yy, zz, xy, yz, xz] = self.entries();
        Sym3::new([f(xx), f(yy), f(zz), f(xy), f(yz), f(xz)])
    }
}

impl<S: Scalar> Add for Sym3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (a, b) = (self.entries(), other.entries());
        Self::new([a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]])
    }
}

impl<S: Scalar> Sub for Sym3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let (a, b) = (self.entries(), other.entries());
        Self::new([a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]])
    }
}

impl<S: Scalar> Mul<S> for Sym3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: S) -> Self {
        self.map(|x| x * factor)
    }
}

impl<S: Scalar> Mul<Vec3<S>> for Sym3<S> {
    type Output = Vec3<S>;
    #[inline(always)]
    fn mul(self, v: Vec3<S>) -> Vec3<S> {
        self.full() * v
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

    /// The matrix of the vector product: skew(v) u = v × u.
    #[inline(always)]
    pub fn skew(v: Vec3<S>) -> Self {
        let ([x, y, z], o) = (v.0, S::zero());
        Self([Vec3([o, -z, y]), Vec3([z, o, -x]), Vec3([-y, x, o])])
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
        let columns = other.transpose();
        Self::from_columns(three(|j| self * columns[j]))
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
        Mat3(three(|i| self[i].map(&mut f)))
    }
}

impl Mat3<f64> {
    /// How far the rows are from perpendicular unit vectors: the largest entry of R Rᵀ − 1, NaN where one is.
    pub(crate) fn off_orthonormal(self) -> f64 {
        let gram = self.product(self.transpose()) - Self::diagonal(1.0);
        gram.0.iter().flat_map(|row| row.0).fold(0.0, |most, x| if x.abs() <= most { most } else { x.abs() })
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
