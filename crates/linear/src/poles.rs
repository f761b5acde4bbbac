//! Poles and transmission zeros.

use crate::scaled::{Scaled, balance, in_units, units};
use crate::schur::{Triangular, in_pairs};
use crate::singular::left_basis;
use crate::{Complex, LinearError, Matrix, RANK, StateSpace, beside};

impl StateSpace {
    /// The poles: the eigenvalues of A, largest real part first, complex ones in exact conjugate pairs.
    pub fn poles(&self) -> Result<Vec<Complex<f64>>, LinearError> {
        let a = self.rates();
        let values = known(&in_units(&a, &units(&a)))?;
        Ok(match self.step {
            None => values,
            Some(step) => values.into_iter().map(|s| s * step + 1.0).collect(),
        })
    }

    /// The transmission zeros: the s where the pencil [A − s1, B; C, D] of the minimal model loses rank. That of a model that
    /// is not minimal also loses rank at uncontrollable or unobservable poles, which are no zeros of the transfer function.
    /// The pencil is reduced to one without infinite or arbitrary parts (A. Emami-Naeini & P. Van Dooren,
    /// Automatica 18, 1982). Ranks are decided by [`RANK`], after scaling.
    pub fn zeros(&self) -> Result<Vec<Complex<f64>>, LinearError> {
        let minimal = self.kalman()?.minimal;
        if minimal.order() < self.order() { minimal.invariant_zeros() } else { self.invariant_zeros() }
    }

    fn invariant_zeros(&self) -> Result<Vec<Complex<f64>>, LinearError> {
        let Scaled { a, b, c, d, unit, .. } = self.scaled()?;
        let reduced = Pencil { a, b, c, d }.reduced();
        let square = reduced.transposed().reduced();
        if square.a.is_empty() {
            return Ok(Vec::new());
        }
        // D is square and regular now: s = eigenvalues of A − B D⁻¹ C.
        let inner = match square.d.is_empty() {
            true => square.a,
            false => {
                let size = square.d.nrows();
                let Some(solved) = square.d.lu().solve(&square.c) else {
                    return Err(LinearError::NoConvergence { size, iterations: 0 });
                };
                square.a - square.b * solved
            }
        };
        let back = |s: Complex<f64>| match self.step {
            None => s * unit,
            Some(step) => s * unit * step + 1.0,
        };
        Ok(known(&inner)?.into_iter().map(back).collect())
    }
}

/// The eigenvalues of a real matrix, largest real part first, complex ones in exact conjugate pairs. The matrix is balanced
/// first (Parlett & Reinsch), so that the units of its coordinates do not matter.
pub fn eigenvalues(a: &Matrix) -> Result<Vec<Complex<f64>>, LinearError> {
    crate::check_shape("A", a, (a.nrows(), a.nrows()))?;
    let t = balance(a);
    let mut values = in_pairs(Triangular::of(&in_units(a, &t))?.eigenvalues());
    // A part that is rounding of the largest eigenvalue is none: −4 ± 3e-15j are two real poles.
    let size = values.iter().map(|s| s.norm()).fold(0.0, f64::max);
    let rounding = rounding(a.nrows(), size);
    let clean = |x: f64| if x.abs() <= rounding { 0.0 } else { x };
    values.iter_mut().for_each(|s| *s = Complex::new(clean(s.re), clean(s.im)));
    Ok(values)
}

/// The rounding error of an eigenvalue of an n × n matrix whose largest one has this size.
fn rounding(n: usize, size: f64) -> f64 {
    8.0 * n as f64 * f64::EPSILON * size
}

/// The eigenvalues of a matrix whose entries carry rounding errors. Those at zero are removed first by orthogonal steps: a
/// free mass has two there, which a QR iteration alone finds only to the square root of rounding.
fn known(a: &Matrix) -> Result<Vec<Complex<f64>>, LinearError> {
    let all = eigenvalues(a)?;
    let n = a.nrows();
    let mut rest = a.clone();
    loop {
        let free = rest.nrows();
        let (basis, rank) = left_basis(&rest, rounding(n, a.norm()));
        if rank == free {
            break;
        }
        // The rows of the last ones are zero: [A₁ A₁₂; 0 0].
        rest = (basis.transpose() * &rest * &basis).view((0, 0), (rank, rank)).into_owned();
    }
    let at_zero = n - rest.nrows();
    // A matrix of extreme entries may be singular to rounding without an eigenvalue near zero.
    let size = all.iter().map(|s| s.norm()).fold(0.0, f64::max);
    let near = all.iter().filter(|s| s.norm() <= 1e-2 * size).count();
    if at_zero == 0 || near < at_zero && at_zero < n {
        return Ok(all);
    }
    let mut values = eigenvalues(&rest)?;
    values.resize(n, Complex::new(0.0, 0.0));
    Ok(in_pairs(values))
}

struct Pencil {
    a: Matrix,
    b: Matrix,
    c: Matrix,
    d: Matrix,
}

impl Pencil {
    fn transposed(self) -> Self {
        Self { a: self.a.transpose(), b: self.c.transpose(), c: self.b.transpose(), d: self.d.transpose() }
    }

    /// Removes the states that the outputs force to zero and makes their equations outputs, until D has full row rank.
    fn reduced(mut self) -> Self {
        let size = [&self.a, &self.b, &self.c, &self.d].iter().map(|m| m.norm()).fold(0.0, f64::max);
        let tolerance = RANK * size.max(f64::MIN_POSITIVE);
        loop {
            let (turn, rank) = row_compression(&self.d, tolerance);
            let (c, d) = (&turn * &self.c, &turn * &self.d);
            let rest = c.rows(rank, c.nrows() - rank).into_owned();
            let (first_c, first_d) = (c.rows(0, rank).into_owned(), d.rows(0, rank).into_owned());
            let (columns, kept) = row_compression(&rest.transpose(), tolerance);
            if kept == 0 {
                return Self { c: first_c, d: first_d, ..self };
            }
            // Coordinates: first the forced ones, then the free ones.
            let n = self.a.nrows();
            let (a, b) = (&columns * &self.a * columns.transpose(), &columns * &self.b);
            let c = first_c * columns.transpose();
            let free = n - kept;
            let stack = |top: Matrix, bottom: Matrix| beside(&top.transpose(), &bottom.transpose()).transpose();
            self = Self {
                a: a.view((kept, kept), (free, free)).into_owned(),
                b: b.rows(kept, free).into_owned(),
                c: stack(c.columns(kept, free).into_owned(), a.view((0, kept), (kept, free)).into_owned()),
                d: stack(first_d, b.rows(0, kept).into_owned()),
            };
        }
    }
}

/// An orthogonal matrix that turns all rows of `m` but the first `rank` to zero.
fn row_compression(m: &Matrix, tolerance: f64) -> (Matrix, usize) {
    let (basis, rank) = left_basis(m, tolerance);
    (basis.transpose(), rank)
}
