//! Small systems with answers in closed form, and what is refused.

use dalembert_linear::{LinearError, LinearMotion, Linearized, Matrix, Signal, StateSpace, lqr, lqr_along};

/// A continuous model with all of its states as outputs; matrices row by row.
fn model(a: &[f64], b: &[f64]) -> StateSpace {
    let n = (a.len() as f64).sqrt() as usize;
    let m = b.len() / n;
    let names = |prefix: &str, count: usize| Signal::numbered(prefix, count, "");
    let matrices =
        [Matrix::from_row_slice(n, n, a), Matrix::from_row_slice(n, m, b), Matrix::identity(n, n), Matrix::zeros(n, m)];
    StateSpace::new(matrices, names("x", n), names("u", m), names("y", n)).expect("shapes fit")
}

/// x⁺ = a x + b u in closed form: p from a quadratic.
#[test]
fn one_state_in_closed_form() -> Result<(), LinearError> {
    for (a, b, q, r) in [(1.0_f64, 0.1_f64, 1.0, 1.0), (1.2, 0.5, 2.0, 0.3), (0.3, 1.0, 1.0, 10.0)] {
        let system = StateSpace { step: Some(0.01), ..model(&[a], &[b]) };
        let found = lqr(&system, &Matrix::from_element(1, 1, q), &Matrix::from_element(1, 1, r))?;
        // b² p² + (r − r a² − q b²) p − q r = 0.
        let half = 0.5 * (r * (1.0 - a * a) - q * b * b);
        let p = ((half * half + b * b * q * r).sqrt() - half) / (b * b);
        assert!((found.cost[(0, 0)] / p - 1.0).abs() < 1e-13);
        assert!((found.gain[(0, 0)] / (a * b * p / (r + b * b * p)) - 1.0).abs() < 1e-13);
    }
    Ok(())
}

/// An unstable mode that costs nothing: the best gain that stabilises mirrors the pole at the unit circle. One on the
/// circle has no best gain, and one that no input reaches none at all.
#[test]
fn modes_without_weight_or_input() -> Result<(), LinearError> {
    let (nothing, one) = (Matrix::zeros(1, 1), Matrix::identity(1, 1));
    let falling = StateSpace { step: Some(0.01), ..model(&[2.0], &[1.0]) };
    let found = lqr(&falling, &nothing, &one)?;
    assert!((found.poles[0].re - 0.5).abs() < 1e-12 && (found.gain[(0, 0)] - 1.5).abs() < 1e-12);
    let staying = StateSpace { step: Some(0.01), ..model(&[1.0], &[1.0]) };
    assert!(matches!(lqr(&staying, &nothing, &one), Err(LinearError::NotWeighted { .. })));
    let alone = StateSpace { step: Some(0.01), ..model(&[1.1, 0.0, 0.0, 0.5], &[0.0, 1.0]) };
    let two = Matrix::identity(2, 2);
    let error = lqr(&alone, &two, &one).expect_err("not reached");
    assert!(matches!(error, LinearError::NotControllable { pole } if (pole.re - 1.1).abs() < 1e-12), "{error}");
    // The same of continuous models.
    assert!(matches!(lqr(&model(&[0.0], &[1.0]), &nothing, &one), Err(LinearError::NotWeighted { .. })));
    let alone = model(&[0.1, 0.0, 0.0, -0.5], &[0.0, 1.0]);
    assert!(matches!(lqr(&alone, &two, &one), Err(LinearError::NotControllable { .. })));
    let bad = lqr(&falling, &one, &nothing);
    assert!(matches!(bad, Err(LinearError::Weight { .. })));
    Ok(())
}

/// ẋ = a x + b u with nothing at the end: p(s) = q sinh(ws) / (w cosh(ws) − a sinh(ws)) for the time s that is left,
/// w = √(a² + b² q/r).
#[test]
fn a_scalar_in_closed_form() -> Result<(), LinearError> {
    for (a, b, q, r) in [(1.5, 2.0, 3.0, 0.5), (-2.0, 1.0, 10.0, 1e-3), (0.0, 0.1, 1.0, 1.0)] {
        let system = model(&[a], &[b]);
        let point = Linearized { system, state: vec![0.0], input: vec![0.0], output: vec![0.0], rate: vec![0.0] };
        let times = vec![0.0, 0.3, 0.35, 0.9, 1.0];
        let motion = LinearMotion::new(times.clone(), vec![point; 5])?;
        let one = |x: f64| Matrix::from_element(1, 1, x);
        let found = lqr_along(&motion, &one(q), &one(r), Some(&one(0.0)))?;
        let w = (a * a + b * b * q / r).sqrt();
        for (t, p) in times.iter().zip(&found.costs) {
            let (sinh, cosh) = ((w * (1.0 - t)).sinh(), (w * (1.0 - t)).cosh());
            let expected = q * sinh / (w * cosh - a * sinh);
            assert!((p[(0, 0)] - expected).abs() < 1e-12 * (1.0 + expected), "{t}: {} {expected}", p[(0, 0)]);
        }
    }
    Ok(())
}

/// A step that is long for the poles is refused.
#[test]
fn long_samples_of_fast_poles_are_refused() -> Result<(), LinearError> {
    let stiff = |omega: f64| model(&[0.0, 1.0, -omega * omega, -2.0 * omega], &[0.0, 1.0]).discrete(1.0 / 3000.0);
    // Critically damped: e^{−ωh}(1 + ωh) in the corner.
    for omega in [6283.0_f64, 60.0] {
        let w = omega / 3000.0;
        let expected = (-w).exp() * (1.0 + w);
        assert!((stiff(omega)?.a[(0, 0)] - expected).abs() < 1e-13);
    }
    assert!(matches!(stiff(1e9), Err(LinearError::BadValue { .. })));
    Ok(())
}

/// Numbers whose squares are none: refused with the limit, and never an iteration without end.
#[test]
fn huge_and_tiny_entries_end() -> Result<(), LinearError> {
    let parts = |a: &[f64]| {
        let names = |prefix: &str, count: usize| Signal::numbered(prefix, count, "");
        let a = Matrix::from_row_slice(2, 2, a);
        let matrices = [a, Matrix::from_element(2, 1, 1.0), Matrix::identity(2, 2), Matrix::zeros(2, 1)];
        StateSpace::new(matrices, names("x", 2), names("u", 1), names("y", 2))
    };
    for value in [1.1e150, 1e155, -1e200, f64::MAX] {
        assert!(matches!(parts(&[0.0, 1.0, -1.0, value]), Err(LinearError::Huge { what: "A", .. })), "{value:e}");
    }
    for value in [f64::NAN, f64::INFINITY] {
        assert!(matches!(parts(&[0.0, 1.0, -1.0, value]), Err(LinearError::NotFinite { .. })));
    }
    // A damper of any size that is taken: the fast pole is its damping.
    for value in [-1e149, -1e100, -1e30, -1e-30, -1e-149, -1e-300, 0.0] {
        let poles = parts(&[0.0, 1.0, -1.0, value])?.poles()?;
        let sum: f64 = poles.iter().map(|pole| pole.re).sum();
        assert!((sum - value).abs() <= 1e-12 * value.abs().max(1.0), "{value:e}: {poles:?}");
    }
    // Weights far apart end with an answer or an error.
    for weight in [1e-300, 1e-200, 1e200, 1e300] {
        let system = parts(&[0.0, 1.0, -1.0, -0.1])?;
        let _ = lqr(&system, &(Matrix::identity(2, 2) * weight), &Matrix::from_element(1, 1, 1.0 / weight));
    }
    Ok(())
}
