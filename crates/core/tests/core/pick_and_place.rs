//! The pick-and-place motion of the errata's torque table, and the two robots it is run on.
//!
//! 300 mm across and 25 mm up and down again in 1/6 s, there and back three times a second. With the quintic time law
//! s(t) = 10t³ − 15t⁴ + 6t⁵ the platform goes along x (or y) by 300 mm·s, centred, and up by 25 mm·16 s²(1 − s)². This is
//! the reading that has the table's largest speed and acceleration, 3.38 m/s and 66.6 m/s² (a parabola 4s(1 − s) has
//! 63.8, sin²(πs) 65.9).

use dalembert_core::Vec3;
use dalembert_core::delta::{
    ArmParameters, Azimuth, Branch, Delta, Forearm, ModelName, Motor, Moving, Parameters, UpperArm,
};

/// Position, velocity, acceleration.
pub type State = [Vec3<f64>; 3];

/// The motion at heights from `z0` on, both directions, in `steps` equal steps of time each.
pub fn pick_and_place(z0: f64, steps: usize) -> impl Iterator<Item = State> {
    const PERIOD: f64 = 1.0 / 6.0;
    const LENGTH: f64 = 0.3;
    const LIFT: f64 = 0.025;
    (0..2).flat_map(move |axis| {
        (0..=steps).map(move |step| {
            let t = step as f64 / steps as f64;
            let s = t * t * t * (10.0 + t * (6.0 * t - 15.0));
            let sd = 30.0 * (t * (1.0 - t)).powi(2) / PERIOD;
            let sdd = 60.0 * t * (1.0 - t) * (1.0 - 2.0 * t) / PERIOD.powi(2);
            // Lift over s and its first two derivatives.
            let lift = LIFT * 16.0 * (s * (1.0 - s)).powi(2);
            let lift_1 = LIFT * 32.0 * s * (1.0 - s) * (1.0 - 2.0 * s);
            let lift_2 = LIFT * 32.0 * (1.0 - 6.0 * s + 6.0 * s * s);
            let along = |value: f64, up: f64| {
                let mut v = Vec3::new(0.0, 0.0, up);
                v[axis] = value;
                v
            };
            [
                along(LENGTH * (s - 0.5), z0 + lift),
                along(LENGTH * sd, lift_1 * sd),
                along(LENGTH * sdd, lift_1 * sdd + lift_2 * sd * sd),
            ]
        })
    })
}

/// Three equal arms.
fn symmetric(degrees: [f64; 3], arm: ArmParameters<f64>, platform_mass: f64) -> Parameters<f64> {
    Parameters {
        gravity: Vec3::new(0.0, 0.0, -9.81),
        arms: degrees.map(|phi| ArmParameters { azimuth: Azimuth::from_radians(phi.to_radians()), ..arm }),
        platform_mass,
        payload_mass: 0.0,
        tool: Vec3::zero(),
    }
}

/// Falezza et al. 2022, Table 1; the azimuths are ours, the rods uniform.
pub fn d3_1200() -> Parameters<f64> {
    let arm = ArmParameters {
        azimuth: Azimuth::from_radians(0.0),
        base_radius: 0.25,
        platform_radius: 0.1,
        upper_arm: UpperArm {
            length: 0.375,
            mass: 1.4,
            center_of_mass: 0.122,
            center_of_mass_offset: None,
            inertia: 0.035,
            elbow_mass: None,
        },
        forearm: Forearm { length: 0.9, mass: 0.39, center_of_mass: 0.45, inertia: 0.39 * 0.81 / 12.0 },
        motor: Motor { rotor_inertia: 0.0, gear_ratio: 1.0, friction: None },
        passive_damping: None,
        zero_offset: None,
    };
    symmetric([0.0, 120.0, 240.0], arm, 0.94)
}

/// Asadi & Heydari 2020, Appendix.
pub fn asadi() -> Parameters<f64> {
    let arm = ArmParameters {
        azimuth: Azimuth::from_radians(0.0),
        base_radius: 0.2,
        platform_radius: 0.2,
        upper_arm: UpperArm {
            length: 0.2,
            mass: 0.116,
            center_of_mass: 0.07866,
            center_of_mass_offset: None,
            inertia: 6.4345319e-4,
            elbow_mass: None,
        },
        forearm: Forearm { length: 0.52, mass: 0.11576, center_of_mass: 0.26, inertia: 5.74769459e-3 },
        motor: Motor { rotor_inertia: 0.0465475, gear_ratio: 1.0, friction: None },
        passive_damping: None,
        zero_offset: None,
    };
    symmetric([270.0, 30.0, 150.0], arm, 1.055)
}

/// Largest magnitude and root mean square over all states and arms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// N m.
    pub max: f64,
    /// N m.
    pub rms: f64,
}

impl Figures {
    /// Of a list of torque vectors.
    pub fn of(torques: impl Iterator<Item = Vec3<f64>>) -> Self {
        let (mut max, mut sum, mut count) = (0.0_f64, 0.0, 0);
        for value in torques.flat_map(|v| v.0) {
            max = max.max(value.abs());
            sum += value * value;
            count += 1;
        }
        Self { max, rms: (sum / f64::from(count)).sqrt() }
    }
}

/// The kinematics of each state of a motion.
pub fn along<'r>(
    robot: &'r Delta<f64>,
    states: impl Iterator<Item = State> + 'r,
) -> impl Iterator<Item = (Moving<'r, f64>, Vec3<f64>)> {
    states.map(|[position, velocity, acceleration]| {
        let pose = robot.at_position(position, Branch::Out).expect("the motion is inside the workspace");
        (pose.moving(velocity), acceleration)
    })
}

/// How far a model's torques are from the exact ones over a motion.
pub fn error(parameters: Parameters<f64>, name: ModelName, states: impl Iterator<Item = State>) -> Figures {
    let robot = Delta::try_new(parameters).expect("a valid robot");
    let model = name.build(&parameters);
    let states: Vec<State> = states.collect();
    Figures::of(along(&robot, states.into_iter()).map(|(moving, acceleration)| {
        Vec3(model.as_model().torque(&moving, acceleration, Vec3::zero())) - Vec3(moving.torque(acceleration))
    }))
}
