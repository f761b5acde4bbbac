//! The one sine and cosine against 32-digit values: at most 1 ulp over the whole range, and the same bits in a lane.
//!
//! The true value comes as high + low, so the error is known to far below an ulp. A reduction with two instead of
//! three parts of π/2 would be off by thousands of ulps next to multiples of π/2, which the file contains.

use crate::ulps::{rows, worst, worst_of};
use dalembert_core::scalar::{Lanes, SIN_COS_RANGE, Scalar, sin_cos_fused};

#[test]
fn at_most_one_ulp_over_the_range_of_a_joint() {
    assert!(rows().iter().all(|row| row[0].abs() <= SIN_COS_RANGE));
    let (checked, worst) = worst();
    println!("{checked} angles, worst error {worst:.3} ulp");
    assert!(checked > 1000);
    assert!(worst <= 1.0, "{worst} ulp");
}

#[test]
fn fused_at_most_one_ulp() {
    let (_, worst) = worst_of(sin_cos_fused::<f64>);
    println!("worst error {worst:.3} ulp");
    assert!(worst <= 1.0, "{worst} ulp");
}

#[test]
fn lanes_have_the_same_bits_inside_and_outside_the_range() {
    let mut angles: Vec<f64> = rows().iter().map(|row| row[0]).collect();
    angles.extend([1e6, -3e9, 1e22, f64::INFINITY, f64::NAN, 0.0, -0.0, f64::MIN_POSITIVE]);
    for chunk in angles.chunks_exact(4) {
        let lanes = Lanes::<4>([chunk[0], chunk[1], chunk[2], chunk[3]]);
        let (sin, cos) = lanes.sin_cos();
        for (i, &x) in chunk.iter().enumerate() {
            let single = Scalar::sin_cos(x);
            assert_eq!(sin.0[i].to_bits(), single.0.to_bits(), "sin {x}");
            assert_eq!(cos.0[i].to_bits(), single.1.to_bits(), "cos {x}");
        }
    }
}
