//! Planar linkages that several tests use.
#![allow(dead_code)] // each program uses its part

use dalembert::Vec3;
use dalembert::mechanism::{FiveBar, LinkageBar, SliderCrank};

pub const GRAVITY: Vec3<f64> = Vec3([0.0, 0.0, -9.81]);

/// A bar with its centre of mass in the middle.
const fn bar(length: f64, mass: f64, inertia: f64) -> LinkageBar {
    LinkageBar { length, mass, center_of_mass: length / 2.0, inertia }
}

/// That of `tools/oracle/motions.py`.
pub const SLIDER_CRANK: SliderCrank =
    SliderCrank { crank: bar(0.1, 1.0, 0.002), rod: bar(0.3, 0.8, 0.006), slider: 2.0 };

pub const FIVE_BAR: FiveBar = FiveBar {
    pivots: [-0.15, 0.15],
    cranks: [bar(0.2, 0.5, 0.002), bar(0.2, 0.6, 0.003)],
    rods: [bar(0.3, 0.3, 0.004), bar(0.3, 0.35, 0.005)],
};
