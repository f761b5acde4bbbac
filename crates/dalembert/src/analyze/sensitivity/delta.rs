//! Torques of a Delta as a function of its parameters.

use super::{Parameter, TorqueOfParameters};
use crate::delta::{ArmParameters, Branch, Delta, Moving, Parameters};
use crate::{Scalar, Vec3};

/// A number that each arm has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArmField {
    BaseRadius,
    Azimuth,
    ArmLength,
    ArmMass,
    ArmCenter,
    ArmInertia,
    ElbowMass,
    RodLength,
    RodMass,
    RodCenter,
    RodInertia,
    PlatformRadius,
    RotorInertia,
    GearRatio,
    Viscous,
    Coulomb,
    PassiveDamping,
}

const ARM_FIELDS: [(ArmField, &str, &str); 17] = [
    (ArmField::BaseRadius, "base.radius", "m"),
    (ArmField::Azimuth, "base.azimuths", "rad"),
    (ArmField::ArmLength, "upper_arm.length", "m"),
    (ArmField::ArmMass, "upper_arm.mass", "kg"),
    (ArmField::ArmCenter, "upper_arm.center_of_mass", "m"),
    (ArmField::ArmInertia, "upper_arm.inertia", "kg m^2"),
    (ArmField::ElbowMass, "upper_arm.elbow_mass", "kg"),
    (ArmField::RodLength, "forearm.length", "m"),
    (ArmField::RodMass, "forearm.mass", "kg"),
    (ArmField::RodCenter, "forearm.center_of_mass", "m"),
    (ArmField::RodInertia, "forearm.inertia", "kg m^2"),
    (ArmField::PlatformRadius, "platform.radius", "m"),
    (ArmField::RotorInertia, "motor.rotor_inertia", "kg m^2"),
    (ArmField::GearRatio, "motor.gear_ratio", ""),
    (ArmField::Viscous, "motor.friction.viscous", "N m s/rad"),
    (ArmField::Coulomb, "motor.friction.coulomb", "N m"),
    (ArmField::PassiveDamping, "joints.passive_damping", "N m s/rad"),
];

/// Where a change goes.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// One arm (0, 1, 2), or all alike.
    Arm(ArmField, Option<usize>),
    PlatformMass,
    PayloadMass,
    Gravity(usize),
}

/// The torques of a Delta at a state of its platform.
pub struct DeltaTorque {
    robot: Delta<f64>,
    position: Vec3<f64>,
    velocity: Vec3<f64>,
    acceleration: Vec3<f64>,
    force: Vec3<f64>,
    branch: Branch,
    targets: Vec<Target>,
    parameters: Vec<Parameter>,
}

impl DeltaTorque {
    /// At a moving pose. `per_arm`: every arm's numbers for themselves; otherwise one change goes to all three, as one
    /// value in a robot file does, and the value is that of arm 1.
    pub fn new(moving: &Moving<'_, f64>, acceleration: Vec3<f64>, force: Vec3<f64>, per_arm: bool) -> Self {
        let pose = &moving.pose;
        let p = pose.robot.parameters();
        let (mut targets, mut parameters) = (Vec::new(), Vec::new());
        let mut add = |target, name: String, unit, value| {
            targets.push(target);
            parameters.push(Parameter { name, unit, value });
        };
        for (field, name, unit) in ARM_FIELDS {
            let arms: &[Option<usize>] = if per_arm { &[Some(0), Some(1), Some(2)] } else { &[None] };
            for &arm in arms {
                let mut given = p.arms[arm.unwrap_or(0)];
                let value = match field {
                    ArmField::Azimuth => Some(given.azimuth.radians()),
                    _ => slot(&mut given, field).copied(),
                };
                let label = arm.map_or(name.to_owned(), |arm| format!("{name} of arm {}", arm + 1));
                if let Some(value) = value {
                    add(Target::Arm(field, arm), label, unit, value);
                }
            }
        }
        add(Target::PlatformMass, String::from("platform.mass"), "kg", p.platform_mass);
        add(Target::PayloadMass, String::from("payload.mass"), "kg", p.payload_mass);
        for (axis, name) in ["gravity x", "gravity y", "gravity z"].into_iter().enumerate() {
            add(Target::Gravity(axis), name.to_owned(), "m/s^2", p.gravity[axis]);
        }
        let branch = pose.branches()[0];
        let (robot, position, velocity) = (*pose.robot, pose.position, moving.velocity);
        Self { robot, position, velocity, acceleration, force, branch, targets, parameters }
    }
}

/// The place of a number; none where the robot does not have it.
fn slot<S>(arm: &mut ArmParameters<S>, field: ArmField) -> Option<&mut S> {
    Some(match field {
        ArmField::BaseRadius => &mut arm.base_radius,
        ArmField::Azimuth => return None, // two numbers, see `change`
        ArmField::ArmLength => &mut arm.upper_arm.length,
        ArmField::ArmMass => &mut arm.upper_arm.mass,
        ArmField::ArmCenter => &mut arm.upper_arm.center_of_mass,
        ArmField::ArmInertia => &mut arm.upper_arm.inertia,
        ArmField::ElbowMass => return arm.upper_arm.elbow_mass.as_mut(),
        ArmField::RodLength => &mut arm.forearm.length,
        ArmField::RodMass => &mut arm.forearm.mass,
        ArmField::RodCenter => &mut arm.forearm.center_of_mass,
        ArmField::RodInertia => &mut arm.forearm.inertia,
        ArmField::PlatformRadius => &mut arm.platform_radius,
        ArmField::RotorInertia => &mut arm.motor.rotor_inertia,
        ArmField::GearRatio => &mut arm.motor.gear_ratio,
        ArmField::Viscous => return arm.motor.friction.as_mut().map(|friction| &mut friction.viscous),
        ArmField::Coulomb => return arm.motor.friction.as_mut().map(|friction| &mut friction.coulomb),
        ArmField::PassiveDamping => return arm.passive_damping.as_mut(),
    })
}

fn change<S: Scalar>(parameters: &mut Parameters<S>, target: Target, by: S) {
    let add = |place: Option<&mut S>| {
        if let Some(place) = place {
            *place = *place + by;
        }
    };
    match target {
        Target::Arm(field, which) => {
            for (i, arm) in parameters.arms.iter_mut().enumerate() {
                if which.is_some_and(|which| which != i) {
                    continue;
                }
                if field == ArmField::Azimuth {
                    let (sin, cos) = arm.azimuth.added_to(by.sin_cos());
                    (arm.azimuth.sin, arm.azimuth.cos) = (sin, cos);
                } else {
                    add(slot(arm, field));
                }
            }
        }
        Target::PlatformMass => add(Some(&mut parameters.platform_mass)),
        Target::PayloadMass => add(Some(&mut parameters.payload_mass)),
        Target::Gravity(axis) => add(Some(&mut parameters.gravity[axis])),
    }
}

impl TorqueOfParameters for DeltaTorque {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn torque<S: Scalar>(&self, changes: &[S]) -> Vec<S> {
        let mut parameters = self.robot.parameters().lift();
        for (&target, &by) in self.targets.iter().zip(changes) {
            change(&mut parameters, target, by);
        }
        let robot = Delta::new(parameters);
        let vector = |v: Vec3<f64>| v.map(S::from_f64);
        let moving = robot.pose_unchecked(vector(self.position), self.branch).moving(vector(self.velocity));
        moving.torque_under(vector(self.acceleration), vector(self.force)).0.to_vec()
    }
}
