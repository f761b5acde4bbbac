//! Eigenvalues of symmetric matrices.

use crate::Matrix;

/// Eigenvalues of a symmetric matrix, least first: Jacobi's method. It keeps digits of the least one that nalgebra's
/// iteration on the tridiagonal form loses.
pub fn symmetric_eigenvalues(mut m: Matrix) -> Vec<f64> {
    let n = m.nrows();
    for _ in 0..30 {
        let upper =
            |m: &Matrix| (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q))).map(|at| m[at].abs()).sum::<f64>();
        if upper(&m) <= 1e-17 * m.diagonal().iter().map(|x| x.abs()).sum::<f64>() {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut m, p, q);
            }
        }
    }
    let mut values: Vec<f64> = m.diagonal().iter().copied().collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Rotates the axes p and q so that the entry between them vanishes.
fn rotate(m: &mut Matrix, p: usize, q: usize) {
    let between = m[(p, q)];
    if between == 0.0 {
        return;
    }
    let theta = (m[(q, q)] - m[(p, p)]) / (2.0 * between);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for r in (0..m.nrows()).filter(|&r| r != p && r != q) {
        let (rp, rq) = (m[(r, p)], m[(r, q)]);
        let (new_p, new_q) = (c * rp - s * rq, s * rp + c * rq);
        (m[(r, p)], m[(p, r)]) = (new_p, new_p);
        (m[(r, q)], m[(q, r)]) = (new_q, new_q);
    }
    (m[(p, q)], m[(q, p)]) = (0.0, 0.0);
    m[(p, p)] -= t * between;
    m[(q, q)] += t * between;
}
