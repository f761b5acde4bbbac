//! Small dense algebra in place, row by row in slices: what a simulation step needs without allocating.
//!
//! Own code and not nalgebra's. Its factorisations own their matrices, and LU allocates its permutation, while these work
//! in the slices of a system that lives as long as its simulation. Its QR with column pivoting takes the largest entry,
//! not the longest column, and so is no judge of which rows are dependent.

/// A pivot below this share of its diagonal entry counts as zero: twelve of sixteen digits would be gone.
const LEAST_PIVOT: f64 = 1e-13;

/// Calls a kernel with its size as a constant where it is a usual one, so that the compiler unrolls it.
macro_rules! unrolled {
    ($n:expr, $kernel:expr) => {
        match $n {
            1 => $kernel(1),
            2 => $kernel(2),
            3 => $kernel(3),
            6 => $kernel(6),
            n => $kernel(n),
        }
    };
}

/// A = L Lᵀ into the lower triangle of `a`, with 1/L_ii on the diagonal: solutions then have no divisions. The row at
/// which `a` is not positive definite is the error.
pub(super) fn cholesky(a: &mut [f64], n: usize) -> Result<(), usize> {
    unrolled!(n, |n| cholesky_of(a, n))
}

#[inline(always)]
fn cholesky_of(a: &mut [f64], n: usize) -> Result<(), usize> {
    let a = &mut a[..n * n];
    for i in 0..n {
        for j in 0..i {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = sum * a[j * n + j];
        }
        let given = a[i * n + i];
        let mut left = given;
        for k in 0..i {
            left -= a[i * n + k] * a[i * n + k];
        }
        // NaN is refused too: it cannot be compared.
        if left.is_nan() || left <= LEAST_PIVOT * given.abs() {
            return Err(i);
        }
        a[i * n + i] = 1.0 / left.sqrt();
    }
    Ok(())
}

/// y of L y = b after [`cholesky`], in place.
pub(super) fn forward(l: &[f64], n: usize, b: &mut [f64]) {
    unrolled!(n, |n| forward_of(l, n, b));
}

#[inline(always)]
fn forward_of(l: &[f64], n: usize, b: &mut [f64]) {
    let (l, b) = (&l[..n * n], &mut b[..n]);
    for i in 0..n {
        for k in 0..i {
            b[i] -= l[i * n + k] * b[k];
        }
        b[i] *= l[i * n + i];
    }
}

/// x of Lᵀ x = y after [`cholesky`], in place.
pub(super) fn backward(l: &[f64], n: usize, b: &mut [f64]) {
    unrolled!(n, |n| backward_of(l, n, b));
}

#[inline(always)]
fn backward_of(l: &[f64], n: usize, b: &mut [f64]) {
    let (l, b) = (&l[..n * n], &mut b[..n]);
    for i in (0..n).rev() {
        for k in i + 1..n {
            b[i] -= l[k * n + i] * b[k];
        }
        b[i] *= l[i * n + i];
    }
}

/// P A = L U in place with row exchanges; returns the least pivot over the largest, zero where singular.
pub fn lu(a: &mut [f64], n: usize, exchanges: &mut [usize]) -> f64 {
    let (mut least, mut largest) = (f64::INFINITY, 0.0_f64);
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())).unwrap_or(k);
        exchanges[k] = pivot;
        for j in 0..n {
            a.swap(k * n + j, pivot * n + j);
        }
        let size = a[k * n + k].abs();
        if size.is_nan() || size == 0.0 {
            return 0.0;
        }
        least = least.min(size);
        largest = largest.max(size);
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            a[i * n + k] = factor;
            for j in k + 1..n {
                a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
    if n == 0 { 1.0 } else { least / largest }
}

/// x of A x = b after [`lu`], in place.
pub fn lu_solve(a: &[f64], n: usize, exchanges: &[usize], b: &mut [f64]) {
    for k in 0..n {
        b.swap(k, exchanges[k]);
    }
    for i in 0..n {
        for k in 0..i {
            b[i] -= a[i * n + k] * b[k];
        }
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            b[i] -= a[i * n + k] * b[k];
        }
        b[i] /= a[i * n + i];
    }
}

/// An orthonormal basis of the space that some rows span. Allocates: for starts and reports, not for steps.
pub(crate) struct RowSpace {
    /// Orthonormal; a row is a combination of the directions up to its own.
    pub basis: Vec<Vec<f64>>,
    /// The rows in the order in which they were taken, one for each direction.
    pub taken: Vec<usize>,
    /// The rows that add nothing.
    pub dependent: Vec<usize>,
}

impl RowSpace {
    /// A row is dependent where, scaled to unit length, less than `tolerance` of it is left beside the others.
    pub fn new(rows: &[Vec<f64>], tolerance: f64) -> Self {
        let unit = |row: &Vec<f64>| -> Vec<f64> {
            let size = norm(row);
            row.iter().map(|x| if size > 0.0 { x / size } else { 0.0 }).collect()
        };
        let (basis, taken) = farthest(&[], rows.iter().map(unit).collect(), rows.len(), tolerance);
        let dependent = (0..rows.len()).filter(|row| !taken.contains(row)).collect();
        Self { basis, taken, dependent }
    }

    /// An orthonormal basis of everything orthogonal to the rows.
    pub fn complement(&self, n: usize) -> Vec<Vec<f64>> {
        // The projected unit vectors span the complement; scaling them to unit length would lift rounding out of the
        // short ones.
        let projected = |i: usize| {
            let mut unit: Vec<f64> = (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect();
            (0..2).for_each(|_| remove(&self.basis, &mut unit));
            unit
        };
        farthest(&self.basis, (0..n).map(projected).collect(), n - self.basis.len(), 0.0).0
    }
}

/// Takes the row that is farthest from the space so far, again and again: `most` rows, or until no more than `tolerance`
/// is left of any. Directions orthogonal to each other and to those `before`, and the rows that gave them.
fn farthest(before: &[Vec<f64>], rows: Vec<Vec<f64>>, most: usize, tolerance: f64) -> (Vec<Vec<f64>>, Vec<usize>) {
    let (mut basis, mut taken) = (Vec::new(), Vec::new());
    let mut left: Vec<(usize, Vec<f64>)> = rows.into_iter().enumerate().collect();
    while basis.len() < most {
        let longest = (0..left.len()).max_by(|&i, &j| norm(&left[i].1).total_cmp(&norm(&left[j].1)));
        let Some(longest) = longest.filter(|&k| norm(&left[k].1) > tolerance) else { break };
        let (index, mut row) = left.swap_remove(longest);
        remove(before, &mut row); // once more: orthogonal to rounding
        remove(&basis, &mut row);
        let size = norm(&row);
        row.iter_mut().for_each(|x| *x /= size);
        for (_, other) in &mut left {
            subtract(other, &row);
        }
        basis.push(row);
        taken.push(index);
    }
    (basis, taken)
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Removes from `row` its part in the span of orthonormal directions.
fn remove(basis: &[Vec<f64>], row: &mut [f64]) {
    basis.iter().for_each(|direction| subtract(row, direction));
}

/// Removes from `row` its part along a unit vector.
fn subtract(row: &mut [f64], direction: &[f64]) {
    let along = dot(row, direction);
    for (x, d) in row.iter_mut().zip(direction) {
        *x -= along * d;
    }
}
