//! Limits of a drive, and the integral that keeps to them.

use dalembert_core::control::{Integral, Limiter, quantize};

#[test]
fn torque_and_rate_are_limited_and_nan_is_zero() {
    let mut limiter = Limiter::new([10.0, 10.0], [1000.0, f64::INFINITY], [0.0; 2]);
    assert_eq!(limiter.limit([100.0, 100.0], 1e-3), [1.0, 10.0]);
    assert_eq!(limiter.limit([-100.0, -4.0], 1e-3), [0.0, -4.0]);
    assert_eq!(limiter.limit([f64::NAN, f64::INFINITY], 1e-3), [0.0, 10.0]);
}

#[test]
fn the_integral_unwinds_but_does_not_wind_up() {
    let mut integral = Integral([0.0]);
    integral.advance([1.0], [5.0], [5.0], 0.1);
    integral.advance([1.0], [9.0], [5.0], 0.1);
    assert_eq!(integral.0, [0.1]);
    integral.advance([-1.0], [9.0], [5.0], 0.1);
    assert_eq!(integral.0, [0.0]);
}

#[test]
fn the_resolution_rounds_to_the_nearest() {
    assert_eq!(quantize(0.74, 0.5), 0.5);
    assert_eq!(quantize(-0.76, 0.5), -1.0);
    assert_eq!(quantize(0.74, 0.0), 0.74);
}
