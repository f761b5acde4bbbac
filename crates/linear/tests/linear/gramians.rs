//! Gramians and what is cut off by them.

use dalembert_linear::{LinearError, Matrix, Signal, StateSpace, lyapunov, magnitude};

fn system(n: usize) -> StateSpace {
    let a = Matrix::from_fn(n, n, |i, j| ((i * 7 + j * 3) % 5) as f64 * 0.3 - if i == j { 4.0 } else { 0.4 });
    let b = Matrix::from_fn(n, 2, |i, j| ((i + 2 * j) % 3) as f64 - 0.5);
    let c = Matrix::from_fn(3, n, |i, j| ((2 * i + j) % 4) as f64 - 1.0);
    let names = |count| Signal::numbered("s", count, "");
    StateSpace::new([a, b, c, Matrix::zeros(3, 2)], names(n), names(2), names(3)).expect("shapes")
}

/// The factors solve Lyapunov's equation, and agree with the other solver of it.
#[test]
fn factors_solve_their_equation() -> Result<(), LinearError> {
    let system = system(7);
    let gramians = system.gramians()?;
    let w = &gramians.controllability * gramians.controllability.transpose();
    let bb = &system.b * system.b.transpose();
    let off = &system.a * &w + &w * system.a.transpose() + &bb;
    assert!(off.amax() < 1e-13, "{}", off.amax());
    assert!((lyapunov(&system.a, &bb)? - w).amax() < 1e-13);
    Ok(())
}

/// All states: the same transfer function. Fewer: within twice the sum of what was cut off.
#[test]
fn truncation_keeps_its_promise() -> Result<(), LinearError> {
    let system = system(7);
    let full = system.balanced(None)?;
    for order in 1..=full.system.order() {
        let cut = system.balanced(Some(order))?;
        let bound = 2.0 * cut.hankel[order..].iter().sum::<f64>();
        for omega in [0.0, 0.1, 1.0, 5.0, 100.0] {
            let off = system.at_frequency(omega)? - cut.system.at_frequency(omega)?;
            let off = magnitude(&off);
            assert!(off <= bound + 1e-11, "{order} {omega}: {off} {bound}");
        }
    }
    Ok(())
}
