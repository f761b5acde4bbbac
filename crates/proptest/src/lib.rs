//! Strategies for property tests: random robots that can exist, and states that they can be in.
//!
//! Serial arms come from a seed ([`Random`]).
//!
//! ```
//! use dalembert_proptest::{robots, states};
//! use proptest::prelude::*;
//!
//! proptest!(|(robot in robots(), seed in states())| {
//!     let Some(state) = seed.of(&robot) else { return Ok(()) };
//!     let moving = robot.at_position(state.position, state.branch).unwrap().moving(state.velocity);
//!     let back = moving.acceleration(moving.torque(state.acceleration));
//!     prop_assert!((back[0] - state.acceleration[0]).abs() < 1e-9);
//! });
//! ```

mod arms;

pub use arms::{ArmKind, RandomArm};
pub use dalembert_core::random::Random;

use dalembert_core::delta::{
    ArmParameters, Assembly, Azimuth, Branch, Delta, Forearm, Motor, Parameters, Pose, UpperArm,
};
use dalembert_core::{Scalar, Vec3};
use proptest::prelude::*;
use std::f64::consts::{PI, TAU};

/// Least type-1 and type-2 margin of a state ([`Pose::transmission_margins`], [`Pose::rod_determinant`]): far enough
/// from a singularity that an identity holds to about 1e-12.
pub const LEAST_MARGIN: f64 = 0.1;

/// Robots without any symmetry: every arm has its own measures, gravity is tilted, and elbow mass, rotor, gear and
/// payload are there or not.
pub fn robots() -> impl Strategy<Value = Delta<f64>> {
    (scale(), azimuths(), [arm(), arm(), arm()], body())
        .prop_filter_map("no common pose", |(scale, azimuths, arms, body)| robot(scale, azimuths, arms, body))
}

/// Robots with three equal arms, 120° apart, the first anywhere, upright; the arms' centres of mass on their lines.
pub fn symmetric_robots() -> impl Strategy<Value = Delta<f64>> {
    (scale(), 0..12, arm(), body()).prop_filter_map("no common pose", |(scale, twelfth, arm, body)| {
        let first = f64::from(twelfth) * PI / 6.0;
        let azimuths = [0.0, 1.0, 2.0].map(|i| first + i * TAU / 3.0);
        robot(scale, azimuths, [ArmShape { arm_offset: None, ..arm }; 3], SharedParameters { tilt: [0.0; 3], ..body })
    })
}

/// A state of a robot, away from its singularities, elbows out and platform below: the defaults of
/// [`Delta::at_position`] and [`Delta::at_joints`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampledState {
    /// Of the platform, m.
    pub position: Vec3<f64>,
    /// Of the platform, m/s.
    pub velocity: Vec3<f64>,
    /// Of the platform, m/s².
    pub acceleration: Vec3<f64>,
    /// Force of the environment on the platform, N.
    pub force: Vec3<f64>,
    /// The elbows.
    pub branch: Branch,
}

/// A state without a size, to be fitted to a robot: see [`states`].
#[derive(Clone, Copy, Debug)]
pub struct StateSeed {
    radius: f64,
    direction: f64,
    depth: f64,
    velocity: [f64; 3],
    acceleration: [f64; 3],
    force: [f64; 3],
}

/// States that fit any robot by [`StateSeed::of`]. A state depends on the robot's reach; keeping it apart lets proptest
/// shrink robot and state independently.
pub fn states() -> impl Strategy<Value = StateSeed> {
    let vector = || prop::array::uniform3(-1.0..1.0);
    (0.0..0.8_f64, 0.0..TAU, 0.0..1.0_f64, vector(), vector(), vector()).prop_map(
        |(radius, direction, depth, velocity, acceleration, force)| StateSeed {
            radius,
            direction,
            depth,
            velocity,
            acceleration,
            force,
        },
    )
}

impl StateSeed {
    /// The state of this robot; `None` where it would be out of reach, within [`LEAST_MARGIN`] of a singularity, or
    /// have the platform above the elbows.
    pub fn of(&self, robot: &Delta<f64>) -> Option<SampledState> {
        let arms = &robot.parameters().arms;
        let reach = arms.iter().map(|arm| arm.upper_arm.length).fold(f64::INFINITY, f64::min);
        // Heights on the axis between arms stretched down and arms horizontal outward, as far as all arms agree.
        let depth = |outward: f64| {
            let least = |arm: &ArmParameters<f64>| {
                let run = arm.radius() + outward * arm.upper_arm.length;
                (arm.forearm.length * arm.forearm.length - run * run).max(0.0).sqrt()
                    + (1.0 - outward) * arm.upper_arm.length
            };
            arms.iter().map(least).fold(f64::INFINITY, f64::min)
        };
        let (high, low) = (depth(1.0), depth(0.4));
        let r = self.radius * reach;
        // The library's own sine and cosine: the same states on every platform.
        let (sin, cos) = Scalar::sin_cos(self.direction);
        let position = Vec3::new(r * cos, r * sin, -(high + self.depth * (low - high)));
        let state = SampledState {
            position,
            velocity: Vec3(self.velocity.map(|v| v * 10.0 * reach)),
            acceleration: Vec3(self.acceleration.map(|a| a * 100.0 * reach)),
            force: Vec3(self.force.map(|f| f * 50.0)),
            branch: Branch::Out,
        };
        let pose = robot.at_position(position, Branch::Out).ok()?;
        is_clear(&pose).then_some(state)
    }
}

fn is_clear(pose: &Pose<'_, f64>) -> bool {
    let type_1 = pose.transmission_margins().iter().all(|margin| margin.abs() > LEAST_MARGIN);
    // A lopsided robot may lift its platform through the plane of its elbows.
    type_1 && pose.rod_determinant().abs() > LEAST_MARGIN && pose.assembly() == Assembly::Below
}

/// One arm in multiples of the robot's size.
#[derive(Clone, Copy, Debug)]
struct ArmShape {
    base_radius: f64,
    platform_radius: f64,
    forearm_length: f64,
    arm_mass: f64,
    arm_center: f64,
    arm_offset: Option<f64>,
    arm_inertia: f64,
    elbow_mass: Option<f64>,
    rod_mass: f64,
    rod_center: f64,
    rod_inertia: f64,
    motor: Option<(f64, f64)>,
}

/// What the arms share.
#[derive(Clone, Copy, Debug)]
struct SharedParameters {
    platform_mass: f64,
    payload_mass: Option<f64>,
    tilt: [f64; 3],
}

/// Length of the upper arms, m.
fn scale() -> impl Strategy<Value = f64> {
    0.05..0.8_f64
}

/// Three directions at least 60° apart.
fn azimuths() -> impl Strategy<Value = [f64; 3]> {
    const LEAST: f64 = PI / 3.0;
    // What the least gaps leave of the turn is shared out between the three.
    (0.0..TAU, prop::array::uniform3(0.01..1.0_f64)).prop_map(|(first, shares)| {
        let free = (TAU - 3.0 * LEAST) / shares.iter().sum::<f64>();
        let second = first + LEAST + free * shares[0];
        [first, second, second + LEAST + free * shares[1]]
    })
}

fn arm() -> impl Strategy<Value = ArmShape> {
    let geometry = (0.2..1.0_f64, 0.1..0.5_f64, 1.8..2.8_f64);
    let offset = prop::option::of(-0.3..0.3_f64);
    let upper_arm = (0.0..2.0_f64, 0.1..0.9_f64, 0.0..0.3_f64, prop::option::of(0.0..0.3_f64), offset);
    let forearm = (0.05..0.8_f64, 0.1..0.9_f64, 0.0..1.0_f64);
    let motor = prop::option::of((1e-5..1e-3_f64, 1.0..30.0_f64));
    (geometry, upper_arm, forearm, motor).prop_map(|(geometry, upper_arm, forearm, motor)| ArmShape {
        base_radius: geometry.0,
        platform_radius: geometry.1,
        forearm_length: geometry.2,
        arm_mass: upper_arm.0,
        arm_center: upper_arm.1,
        arm_inertia: upper_arm.2,
        elbow_mass: upper_arm.3,
        arm_offset: upper_arm.4,
        rod_mass: forearm.0,
        rod_center: forearm.1,
        rod_inertia: forearm.2,
        motor,
    })
}

fn body() -> impl Strategy<Value = SharedParameters> {
    (0.2..3.0_f64, prop::option::of(0.0..3.0_f64), prop::array::uniform3(-5.0..5.0_f64))
        .prop_map(|(platform_mass, payload_mass, tilt)| SharedParameters { platform_mass, payload_mass, tilt })
}

fn robot(scale: f64, azimuths: [f64; 3], arms: [ArmShape; 3], body: SharedParameters) -> Option<Delta<f64>> {
    let arms = std::array::from_fn(|i| {
        let arm = arms[i];
        let length = arm.forearm_length * scale;
        let center_of_mass = arm.rod_center * length;
        let (rotor_inertia, gear_ratio) = arm.motor.unwrap_or((0.0, 1.0));
        ArmParameters {
            azimuth: Azimuth::from_radians(azimuths[i]),
            base_radius: arm.base_radius * scale,
            platform_radius: arm.platform_radius * scale,
            upper_arm: UpperArm {
                length: scale,
                mass: arm.arm_mass,
                center_of_mass: arm.arm_center * scale,
                center_of_mass_offset: arm.arm_offset.map(|offset| offset * scale),
                inertia: arm.arm_inertia * arm.arm_mass * scale * scale,
                elbow_mass: arm.elbow_mass,
            },
            forearm: Forearm {
                length,
                mass: arm.rod_mass,
                center_of_mass,
                // Up to all the mass at the two ends.
                inertia: arm.rod_inertia * arm.rod_mass * center_of_mass * (length - center_of_mass),
            },
            motor: Motor { rotor_inertia, gear_ratio, friction: None },
            passive_damping: None,
            zero_offset: None,
        }
    });
    let [x, y, z] = body.tilt;
    Delta::try_new(Parameters {
        gravity: Vec3::new(x, y, z - 9.81),
        arms,
        platform_mass: body.platform_mass,
        payload_mass: body.payload_mass.unwrap_or(0.0),
        tool: Vec3::zero(),
    })
    .ok()
}
