//! Arms that many have: what is derived of them is right and as cheap as docs/derivation.md says.
//!
//! UR5e: lengths, masses and centres of mass by Universal Robots, "DH parameters for calculations of kinematics and dynamics";
//! inertias, which that page does not have, are estimates. Panda: Gaz, Cognetti, Oliva,
//! Robuffo Giordano and De Luca, IEEE Robotics and Automation Letters 4(4), 2019 (identified parameters, as quoted in the
//! programs that came with it); the payload is plausible, not published.

use dalembert_core::serial::{Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};
use dalembert_core::spatial::Frame;
use dalembert_core::{Angle, Sym3, Vec3};
use std::f64::consts::FRAC_PI_2;

fn link(alpha: f64, a: f64, d: f64, mass: f64, center: [f64; 3], inertia: [f64; 6]) -> LinkParameters<f64> {
    LinkParameters {
        coupling: None,
        joint: Joint::Revolute,
        dh: DhRow { alpha: Angle::from_radians(alpha), a, d, theta_offset: Angle::from_radians(0.0) },
        body: Body { mass, center_of_mass: Vec3(center), inertia: Sym3::new(inertia) },
        motor_inertia: 0.0,
        gear_ratio: 1.0,
        friction: None,
        armature: None,
        spring: None,
    }
}

fn arm<const N: usize>(
    convention: DhConvention,
    links: [LinkParameters<f64>; N],
    payload: Body<f64>,
) -> Serial<f64, N> {
    let gravity = Vec3([0.0, 0.0, -9.81]);
    Serial::new(SerialParameters { convention, base: None, gravity, links, tool: Frame::identity(), payload })
}

/// `quarter` is what its file has for a quarter turn.
pub fn ur5e(quarter: f64, payload: bool) -> Serial<f64, 6> {
    let link =
        |alpha, a, d, mass, center, [x, y, z]: [f64; 3]| link(alpha, a, d, mass, center, [x, y, z, 0.0, 0.0, 0.0]);
    let links = [
        link(quarter, 0.0, 0.1625, 3.761, [0.0, -0.02561, 0.00193], [0.0084, 0.0064, 0.0084]),
        link(0.0, -0.425, 0.0, 8.058, [0.2125, 0.0, 0.11336], [0.0078, 0.21, 0.21]),
        link(0.0, -0.3922, 0.0, 2.846, [0.15, 0.0, 0.0265], [0.0016, 0.0462, 0.0462]),
        link(quarter, 0.0, 0.1333, 1.37, [0.0, -0.0018, 0.01634], [0.0016, 0.0016, 0.0009]),
        link(-quarter, 0.0, 0.0997, 1.3, [0.0, 0.0018, 0.01634], [0.0016, 0.0016, 0.0009]),
        link(0.0, 0.0, 0.0996, 0.365, [0.0, 0.0, -0.001159], [0.0001, 0.0001, 0.0001]),
    ];
    let inertia = Sym3::new([0.004, 0.005, 0.003, 0.0003, -0.0002, 0.0001]);
    let carried = Body { mass: 2.0, center_of_mass: Vec3([0.02, -0.03, 0.07]), inertia };
    arm(DhConvention::Standard, links, if payload { carried } else { Body::zero() })
}

pub fn panda() -> Serial<f64, 7> {
    const Q: f64 = FRAC_PI_2;
    let link = |alpha, a, d, mass, center, [xx, xy, xz, yy, yz, zz]: [f64; 6]| {
        link(alpha, a, d, mass, center, [xx, yy, zz, xy, yz, xz])
    };
    let links = [
        link(
            0.0,
            0.0,
            0.333,
            4.970684,
            [3.875e-3, 2.081e-3, -0.175],
            [7.0337e-1, -1.39e-4, 6.772e-3, 7.0661e-1, 1.9169e-2, 9.117e-3],
        ),
        link(
            -Q,
            0.0,
            0.0,
            0.646926,
            [-3.141e-3, -2.872e-2, 3.495e-3],
            [7.962e-3, -3.925e-3, 1.0254e-2, 2.811e-2, 7.04e-4, 2.5995e-2],
        ),
        link(
            Q,
            0.0,
            0.316,
            3.228604,
            [2.7518e-2, 3.9252e-2, -6.6502e-2],
            [3.7242e-2, -4.761e-3, -1.1396e-2, 3.6155e-2, -1.2805e-2, 1.083e-2],
        ),
        link(
            Q,
            0.0825,
            0.0,
            3.587895,
            [-5.317e-2, 1.04419e-1, 2.7454e-2],
            [2.5853e-2, 7.796e-3, -1.332e-3, 1.9552e-2, 8.641e-3, 2.8323e-2],
        ),
        link(
            -Q,
            -0.0825,
            0.384,
            1.225946,
            [-1.1953e-2, 4.1065e-2, -3.8437e-2],
            [3.5549e-2, -2.117e-3, -4.037e-3, 2.9474e-2, 2.29e-4, 8.627e-3],
        ),
        link(
            Q,
            0.0,
            0.0,
            1.666555,
            [6.0149e-2, -1.4117e-2, -1.0517e-2],
            [1.964e-3, 1.09e-4, -1.158e-3, 4.354e-3, 3.41e-4, 5.433e-3],
        ),
        link(
            Q,
            0.088,
            0.0,
            0.735522,
            [1.0517e-2, -4.252e-3, 6.1597e-2],
            [1.2516e-2, -4.28e-4, -1.196e-3, 1.0027e-2, -7.41e-4, 4.815e-3],
        ),
    ];
    arm(DhConvention::Modified, links, Body::zero())
}
