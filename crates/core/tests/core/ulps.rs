//! How far the library's sine and cosine are from 32-digit values: for the test and for the validation page.
#![allow(dead_code)] // each program uses its part

use dalembert_core::scalar::Scalar;

/// Angle, sine as high + low, cosine as high + low.
pub fn rows() -> Vec<[f64; 5]> {
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
pub fn ulps(computed: f64, high: f64, low: f64) -> f64 {
    let ulp = (high.abs().next_up() - high.abs()).max(f64::MIN_POSITIVE);
    ((computed - high) - low).abs() / ulp
}

/// How many angles there are, and the worst error of sine and cosine, ulp.
pub fn worst() -> (usize, f64) {
    worst_of(Scalar::sin_cos)
}

/// The same of another function.
pub fn worst_of(sin_cos: impl Fn(f64) -> (f64, f64)) -> (usize, f64) {
    let rows = rows();
    let errors = rows.iter().map(|&[x, sin_high, sin_low, cos_high, cos_low]| {
        let (sin, cos) = sin_cos(x);
        ulps(sin, sin_high, sin_low).max(ulps(cos, cos_high, cos_low))
    });
    (rows.len(), errors.fold(0.0, f64::max))
}
