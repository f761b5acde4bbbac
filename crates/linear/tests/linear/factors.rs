//! The factorisations that everything else rests on: Schur's triangular form, singular values.

use dalembert_linear::{Complex, ComplexMatrix, LinearError, Matrix, Singular, Triangular, in_pairs};

/// Deterministic, between −1 and 1.
fn matrix(n: usize, seed: u64) -> Matrix {
    let mut state = seed;
    Matrix::from_fn(n, n, |_, _| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    })
}

#[test]
fn the_form_is_triangular_unitary_and_similar() -> Result<(), LinearError> {
    for n in [1, 2, 3, 6, 18] {
        for seed in 0..20 {
            let a = matrix(n, seed);
            let mut form = Triangular::of(&a)?;
            for ordered in [false, true] {
                if ordered {
                    let count = form.order(|s| s.re < 0.0);
                    assert!(form.eigenvalues().iter().enumerate().all(|(k, s)| (s.re < 0.0) == (k < count)));
                }
                let Triangular { q, t } = &form;
                let back = q * t * q.adjoint() - a.map(|x| Complex::new(x, 0.0));
                let unit = q.adjoint() * q - ComplexMatrix::identity(n, n);
                assert!(back.camax() < 1e-13 && unit.camax() < 1e-13, "{} {}", back.camax(), unit.camax());
                assert!((0..n).all(|i| (0..i).all(|j| t[(i, j)].norm() < 1e-13)));
            }
            let mine = in_pairs(form.eigenvalues());
            if let Some(other) = nalgebra::linalg::Schur::try_new(a, 1e-15, 10_000) {
                let other = in_pairs(other.complex_eigenvalues().iter().copied().collect());
                let off = mine.iter().zip(&other).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
                assert!(off < 1e-10, "{off}");
            }
        }
    }
    Ok(())
}

/// A cyclic shift is a fixed point of the unshifted iteration; its eigenvalues are roots of one.
#[test]
fn a_cycle_is_left() -> Result<(), LinearError> {
    let a = Matrix::from_fn(6, 6, |i, j| if (j + 1) % 6 == i { 1.0 } else { 0.0 });
    let poles = in_pairs(Triangular::of(&a)?.eigenvalues());
    assert!(poles.iter().all(|s| (s.norm() - 1.0).abs() < 1e-14));
    assert!((poles.iter().sum::<Complex<f64>>()).norm() < 1e-13);
    Ok(())
}

#[test]
fn factors_multiply_back_and_are_unitary() {
    // Sines and cosines of sums make factors of rank four at most.
    for (rows, columns, rank) in [(3, 5, 2), (6, 6, 4), (7, 3, 3), (24, 12, 4)] {
        let entry = |seed: f64| {
            move |i: usize, j: usize| {
                Complex::new((seed * (3.1 * i as f64 + 7.7 * j as f64)).sin(), (seed * (i + 2 * j) as f64).cos())
            }
        };
        let left = ComplexMatrix::from_fn(rows, rank, entry(1.3));
        let a = left * ComplexMatrix::from_fn(rank, columns, entry(0.7));
        let Singular { u, values, v } = Singular::of(&a);
        let mut scaled = u.clone();
        for (mut column, &value) in scaled.column_iter_mut().zip(&values) {
            column *= Complex::new(value, 0.0);
        }
        assert!((scaled * v.adjoint() - &a).camax() < 1e-13 * a.norm());
        assert!((v.adjoint() * &v - ComplexMatrix::identity(columns, columns)).camax() < 1e-14 * columns as f64);
        assert_eq!(values.iter().filter(|&&s| s > 1e-13 * values[0]).count(), rank);
    }
}
