//! The motion of the paper that compares models.

use dalembert::Vec3;
use dalembert::motion::{Direction, PickAndPlace, PlatformState};

const USUAL: PickAndPlace = PickAndPlace {
    center: Vec3([0.0, 0.0, -0.85]),
    width: 0.3,
    height: 0.025,
    stroke: 1.0 / 6.0,
    direction: Direction::Y,
};

/// The derivatives are derivatives: central differences with step h are off by about h² times the third one.
#[test]
fn velocity_and_acceleration_are_derivatives() {
    let h = 1e-5;
    for k in 1..40 {
        let t = f64::from(k) * 0.0083 + 1e-4;
        let (before, now, after) = (USUAL.at(t - h), USUAL.at(t), USUAL.at(t + h));
        for i in 0..3 {
            let v = (after.position[i] - before.position[i]) / (2.0 * h);
            let a = (after.velocity[i] - before.velocity[i]) / (2.0 * h);
            assert!((v - now.velocity[i]).abs() < 1e-5, "v at {t}");
            assert!((a - now.acceleration[i]).abs() < 1e-2, "a at {t}: {a} {}", now.acceleration[i]);
        }
    }
}

#[test]
fn it_starts_at_rest_on_the_ground_and_peaks_where_it_should() {
    for t in [0.0, USUAL.stroke, 2.0 * USUAL.stroke] {
        let state = USUAL.at(t);
        assert!(state.velocity.norm_squared() < 1e-20 && state.acceleration.norm_squared() < 1e-16);
        assert!((state.position[2] + 0.85).abs() < 1e-12);
    }
    let states: Vec<_> = (0..=4000).map(|k| USUAL.at(f64::from(k) / 4000.0 * 2.0 * USUAL.stroke)).collect();
    let largest = |f: fn(&PlatformState) -> f64| states.iter().map(f).fold(f64::MIN, f64::max);
    assert!((largest(|s| s.velocity.norm_squared().sqrt()) - 3.375).abs() < 1e-6);
    assert!((largest(|s| s.acceleration.norm_squared().sqrt()) - 66.584).abs() < 1e-3);
    assert!((largest(|s| s.position[2]) + 0.825).abs() < 1e-9);
}
