//! Torques of two robots by the formulas of `dalembert-core`, with C's calling convention, for a processor without an operating system.
//! The numbers are those of `robots/d3-1200.toml` and `robots/puma560.toml`.
#![no_std]

use core::panic::PanicInfo;
use dalembert_core::delta::{
    ArmParameters, Assembly, Azimuth, Delta, Forearm, Motor, Parameters, UpperArm,
};
use dalembert_core::serial::{Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};
use dalembert_core::spatial::Frame;
use dalembert_core::{Angle, Scalar, Sym3, Vec3};

/// The prebuilt `core` refers to it; with `panic = "abort"` nobody calls it.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}

fn delta() -> Delta<f64> {
    let arm = |degrees: f64| ArmParameters {
        azimuth: Azimuth::from_radians(degrees * core::f64::consts::PI / 180.0),
        base_radius: 0.25,
        platform_radius: 0.1,
        upper_arm: UpperArm { length: 0.375, mass: 1.4, center_of_mass: 0.122, center_of_mass_offset: None, inertia: 0.035, elbow_mass: None },
        forearm: Forearm { length: 0.9, mass: 0.39, center_of_mass: 0.45, inertia: 0.026325 },
        motor: Motor { rotor_inertia: 0.0, gear_ratio: 1.0, friction: None },
        passive_damping: None,
        zero_offset: None,
    };
    Delta::new(Parameters {
        gravity: Vec3([0.0, 0.0, -9.81]),
        arms: [arm(0.0), arm(120.0), arm(240.0)],
        platform_mass: 0.94,
        payload_mass: 0.0,
        tool: Vec3([0.0; 3]),
    })
}

fn puma() -> Serial<f64, 6> {
    let link = |degrees: f64, [a, d]: [f64; 2], mass, center: [f64; 3], [xx, yy, zz]: [f64; 3], motor_inertia| {
        LinkParameters { coupling: None,
            joint: Joint::Revolute,
            dh: DhRow {
                alpha: Angle::from_radians(degrees * core::f64::consts::PI / 180.0),
                a,
                d,
                theta_offset: Angle::from_radians(0.0),
            },
            body: Body { mass, center_of_mass: Vec3(center), inertia: Sym3::new([xx, yy, zz, 0.0, 0.0, 0.0]) },
            motor_inertia,
            gear_ratio: 1.0,
            friction: None,
            armature: None,
            spring: None,
        }
    };
    Serial::new(SerialParameters {
        convention: DhConvention::Modified,
        base: None, gravity: Vec3([0.0, 0.0, -9.81]),
        links: [
            link(0.0, [0.0, 0.0], 0.0, [0.0; 3], [0.0, 0.0, 0.35], 1.14),
            link(-90.0, [0.0, 0.2435], 17.40, [0.068, 0.006, -0.016], [0.130, 0.524, 0.539], 4.71),
            link(0.0, [0.4318, -0.0934], 4.80, [0.0, -0.070, 0.014], [0.066, 0.0125, 0.086], 0.83),
            link(90.0, [-0.0203, 0.4331], 0.82, [0.0, 0.0, -0.019], [1.80e-3, 1.80e-3, 1.30e-3], 0.2),
            link(-90.0, [0.0, 0.0], 0.34, [0.0; 3], [0.30e-3, 0.30e-3, 0.40e-3], 0.179),
            link(90.0, [0.0, 0.0], 0.09, [0.0, 0.0, 0.032], [0.15e-3, 0.15e-3, 0.04e-3], 0.193),
        ],
        tool: Frame::identity(),
        payload: Body::zero(),
    })
}

fn delta_torque<S: Scalar>(robot: &Delta<S>, [q, qd, qdd]: [[S; 3]; 3]) -> [S; 3] {
    let moving = robot.pose_from_joints_unchecked(q, Assembly::Below).0.moving_joints(qd);
    moving.torque(moving.platform_acceleration(qdd))
}

/// A robot that is made in the first call and kept, as a controller does it; the three rows and what comes out are `N` numbers each.
macro_rules! torque {
    ($name:ident, $number:ty, $joints:literal, $robot:ty, $make:expr, $torque:expr) => {
        /// # Safety
        /// The pointers are those of arrays with as many numbers as the robot has joints; one call at a time.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            q: *const [$number; $joints],
            qd: *const [$number; $joints],
            qdd: *const [$number; $joints],
            tau: *mut [$number; $joints],
        ) {
            static mut ROBOT: Option<$robot> = None;
            // SAFETY: the caller's promise.
            unsafe {
                let robot = (*(&raw mut ROBOT)).get_or_insert_with(|| $make);
                *tau = $torque(robot, [*q, *qd, *qdd]);
            }
        }
    };
}

torque!(core_d3_1200, f64, 3, Delta<f64>, delta(), delta_torque);
torque!(core_d3_1200_float, f32, 3, Delta<f32>, Delta::new(delta().parameters().lift()), delta_torque);
torque!(core_puma560, f64, 6, Serial<f64, 6>, puma(), |arm: &Serial<f64, 6>, [q, qd, qdd]: [[f64; 6]; 3]| arm
    .pose_unchecked(q)
    .moving(qd)
    .torque(qdd));
torque!(core_puma560_float, f32, 6, Serial<f32, 6>, Serial::new(puma().parameters().lift()), |arm: &Serial<f32, 6>, [q, qd, qdd]: [[f32; 6]; 3]| arm
    .pose_unchecked(q)
    .moving(qd)
    .torque(qdd));
