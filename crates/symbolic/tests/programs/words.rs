//! The words in which explicit models are written.

use crate::arms::puma;
use dalembert_symbolic::explicit::{Explicit, Polynomials, Word};

/// Whatever the writing, it is the same polynomial: there and back. Rounding: a few halvings and doublings of
/// coefficients, and sums of at most four of them.
#[test]
fn written_and_read_back() {
    let (arm, _) = puma();
    let polynomials = Polynomials::numeric(&arm).expect("derivable");
    let model = Explicit::from_polynomials(&polynomials);
    let sums = model.mass.iter().chain(&model.gravity);
    for (sum, original) in sums.zip(polynomials.mass.iter().chain(&polynomials.gravity)) {
        let difference = sum.polynomial(&model.joints, &model.vocabulary).plus(original, -1.0);
        assert!(difference.largest() <= 1e-15 * original.largest(), "{difference:?}");
    }
}

#[test]
fn names() {
    let angle = [0, 2, 1, 0, 0, 0, 0, 0];
    assert_eq!(Word::Sin(angle).to_string(), "S223");
    assert_eq!(Word::Cos([0, 1, -1, 0, 0, 0, 0, 0]).to_string(), "C2m3");
    assert_eq!(Word::Slide(3).to_string(), "q4");
}
