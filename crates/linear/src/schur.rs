//! Schur's triangular form of a square matrix in complex numbers, and its eigenvalues in any order.
//!
//! QR with single shifts (Golub & Van Loan, *Matrix Computations*, 7.5–7.6). Own code and not nalgebra's: mechanical
//! systems have spectra symmetric about both axes and many poles in one place, where a QR iteration needs exceptional
//! shifts, and the solvers of this crate need a triangular matrix, not a real quasi-triangular one. A test compares it with
//! nalgebra's.

use crate::singular::left_basis;
use crate::{Complex, ComplexMatrix, LinearError, Matrix, beside, check_shape};

const STEPS_PER_EIGENVALUE: usize = 100;

/// A = Q T Q*, T upper triangular.
#[derive(Clone, Debug)]
pub struct Triangular {
    /// Unitary.
    pub q: ComplexMatrix,
    /// Upper triangular, the eigenvalues on its diagonal.
    pub t: ComplexMatrix,
}

/// c real, s complex with [c s; −s̄ c] (f, g) = (r, 0).
fn rotation(f: Complex<f64>, g: Complex<f64>) -> (f64, Complex<f64>) {
    let (size_f, size_g) = (f.norm(), g.norm());
    let norm = size_f.hypot(size_g);
    if size_g == 0.0 {
        (1.0, Complex::new(0.0, 0.0))
    } else if size_f == 0.0 {
        (0.0, g.conj() / size_g)
    } else {
        (size_f / norm, (f / size_f) * (g.conj() / norm))
    }
}

fn rotate_rows(m: &mut ComplexMatrix, k: usize, columns: std::ops::Range<usize>, (c, s): (f64, Complex<f64>)) {
    for j in columns {
        let (x, y) = (m[(k, j)], m[(k + 1, j)]);
        m[(k, j)] = x * c + s * y;
        m[(k + 1, j)] = y * c - s.conj() * x;
    }
}

fn rotate_columns(m: &mut ComplexMatrix, k: usize, rows: std::ops::Range<usize>, (c, s): (f64, Complex<f64>)) {
    for i in rows {
        let (x, y) = (m[(i, k)], m[(i, k + 1)]);
        m[(i, k)] = x * c + s.conj() * y;
        m[(i, k + 1)] = y * c - s * x;
    }
}

impl Triangular {
    /// The form of a square real matrix.
    pub fn of(a: &Matrix) -> Result<Self, LinearError> {
        check_shape("matrix", a, (a.nrows(), a.nrows()))?;
        let n = a.nrows();
        let complex = a.map(|x| Complex::new(x, 0.0));
        if n < 2 {
            return Ok(Self { q: ComplexMatrix::identity(n, n), t: complex });
        }
        let (q, t) = nalgebra::linalg::Hessenberg::new(complex).unpack();
        let mut form = Self { q, t };
        form.iterate()?;
        Ok(form)
    }

    fn iterate(&mut self) -> Result<(), LinearError> {
        let n = self.t.nrows();
        let scale = self.t.camax();
        let (mut high, mut steps) = (n - 1, 0);
        while high > 0 {
            let mut low = high;
            while low > 0 {
                let beside = self.t[(low - 1, low - 1)].norm() + self.t[(low, low)].norm();
                let size = if beside == 0.0 { scale } else { beside };
                if self.t[(low, low - 1)].norm() <= f64::EPSILON * size {
                    self.t[(low, low - 1)] = Complex::new(0.0, 0.0);
                    break;
                }
                low -= 1;
            }
            if low == high {
                (high, steps) = (high - 1, 0);
                continue;
            }
            steps += 1;
            if steps > STEPS_PER_EIGENVALUE {
                return Err(LinearError::NoConvergence { size: n, iterations: STEPS_PER_EIGENVALUE });
            }
            let shift = self.shift(high, steps);
            self.step(low, high, shift);
        }
        Ok(())
    }

    /// Wilkinson's: the eigenvalue of the last 2 × 2 block that is nearest to its last entry; every tenth step another,
    /// so that a cycle is left.
    fn shift(&self, high: usize, steps: usize) -> Complex<f64> {
        let t = &self.t;
        let (a, b) = (t[(high - 1, high - 1)], t[(high - 1, high)]);
        let (c, d) = (t[(high, high - 1)], t[(high, high)]);
        if steps.is_multiple_of(10) {
            return d + Complex::new(c.norm(), 0.5 * c.norm());
        }
        let half = (a - d) * 0.5;
        let root = (half * half + b * c).sqrt();
        let root = if (half.conj() * root).re < 0.0 { -root } else { root };
        // d − bc/(half ± root): the smaller change of d.
        let far = half + root;
        if far.norm() == 0.0 { d } else { d - b * c / far }
    }

    fn step(&mut self, low: usize, high: usize, shift: Complex<f64>) {
        let n = self.t.nrows();
        for k in low..high {
            let turn = if k == low {
                rotation(self.t[(low, low)] - shift, self.t[(low + 1, low)])
            } else {
                rotation(self.t[(k, k - 1)], self.t[(k + 1, k - 1)])
            };
            rotate_rows(&mut self.t, k, k.saturating_sub(1).max(low)..n, turn);
            if k > low {
                self.t[(k + 1, k - 1)] = Complex::new(0.0, 0.0);
            }
            rotate_columns(&mut self.t, k, 0..(k + 3).min(high + 1), turn);
            rotate_columns(&mut self.q, k, 0..n, turn);
        }
    }

    /// The eigenvalues, in the order of the diagonal.
    pub fn eigenvalues(&self) -> Vec<Complex<f64>> {
        self.t.diagonal().iter().copied().collect()
    }

    /// Brings the wanted eigenvalues to the front and returns their number.
    pub fn order(&mut self, wanted: impl Fn(Complex<f64>) -> bool) -> usize {
        let n = self.t.nrows();
        let mut front = 0;
        for k in 0..n {
            if !wanted(self.t[(k, k)]) {
                continue;
            }
            for at in (front..k).rev() {
                self.exchange(at);
            }
            front += 1;
        }
        front
    }

    /// Exchanges the eigenvalues k and k + 1.
    fn exchange(&mut self, k: usize) {
        let n = self.t.nrows();
        let (first, second) = (self.t[(k, k)], self.t[(k + 1, k + 1)]);
        let turn = rotation(self.t[(k, k + 1)], second - first);
        rotate_rows(&mut self.t, k, k..n, turn);
        rotate_columns(&mut self.t, k, 0..k + 2, turn);
        rotate_columns(&mut self.q, k, 0..n, turn);
        self.t[(k, k)] = second;
        self.t[(k + 1, k + 1)] = first;
        self.t[(k + 1, k)] = Complex::new(0.0, 0.0);
    }
}

/// A real orthonormal basis of the invariant subspace that belongs to the wanted eigenvalues of a real matrix. `wanted`
/// must treat a complex pair alike.
pub(crate) fn invariant_subspace(a: &Matrix, wanted: impl Fn(Complex<f64>) -> bool) -> Result<Matrix, LinearError> {
    let mut form = Triangular::of(a)?;
    let count = form.order(wanted);
    let basis = form.q.columns(0, count);
    let both = beside(&basis.map(|z| z.re), &basis.map(|z| z.im));
    Ok(left_basis(&both, 0.0).0.columns(0, count).into_owned())
}

/// The eigenvalues of a real matrix in exact conjugate pairs, which rounding had set apart; largest real part first.
pub fn in_pairs(mut values: Vec<Complex<f64>>) -> Vec<Complex<f64>> {
    let mut result = Vec::with_capacity(values.len());
    while let Some(value) = values.pop() {
        let off = |other: &Complex<f64>| (other.conj() - value).norm();
        let near = (0..values.len()).min_by(|&i, &j| off(&values[i]).total_cmp(&off(&values[j])));
        match near {
            Some(k) if off(&values[k]) < 2.0 * value.im.abs() && values[k].im * value.im < 0.0 => {
                let other = values.swap_remove(k);
                let mean = (value + other.conj()) * 0.5;
                let mean = Complex::new(mean.re, mean.im.abs());
                result.extend([mean, mean.conj()]);
            }
            _ => result.push(Complex::new(value.re, 0.0)),
        }
    }
    result.sort_by(|a, b| b.re.total_cmp(&a.re).then(b.im.abs().total_cmp(&a.im.abs())).then(b.im.total_cmp(&a.im)));
    result
}
