//! The one sine and cosine against 32-digit values: at most 1 ulp over the whole range, and the same bits in a lane.
//!
//! The true value comes as high + low, so the error is known to far below an ulp. A reduction with two instead of
//! three parts of π/2 would be off by thousands of ulps next to multiples of π/2, which the file contains.

use dalembert_core::scalar::{Lanes, SIN_COS_RANGE, Scalar};

fn rows() -> Vec<[f64; 5]> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden/sin-cos.csv");
    let text = std::fs::read_to_string(path).expect("golden/sin-cos.csv");
    let number = |field: &str| field.parse().expect("a number");
    text.lines()
        .skip(1)
        .map(|line| {
            let numbers: Vec<f64> = line.split(',').map(number).collect();
            numbers.try_into().expect("five columns")
        })
        .collect()
}

/// |computed − (high + low)| in units of the last place of `high`.
fn ulps(computed: f64, high: f64, low: f64) -> f64 {
    let ulp = (high.abs().next_up() - high.abs()).max(f64::MIN_POSITIVE);
    ((computed - high) - low).abs() / ulp
}

#[test]
fn at_most_one_ulp_over_the_range_of_a_joint() {
    let (mut worst, mut checked) = (0.0_f64, 0);
    for [x, sin_high, sin_low, cos_high, cos_low] in rows() {
        assert!(x.abs() <= SIN_COS_RANGE);
        let (sin, cos) = Scalar::sin_cos(x);
        worst = worst.max(ulps(sin, sin_high, sin_low)).max(ulps(cos, cos_high, cos_low));
        checked += 1;
    }
    println!("{checked} angles, worst error {worst:.3} ulp");
    assert!(checked > 1000);
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
