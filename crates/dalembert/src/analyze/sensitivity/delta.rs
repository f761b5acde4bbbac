//! Torques of a Delta as a function of its parameters.

use super::{Kind, Parameter, TorqueOfParameters};
use crate::delta::{ArmParameters, Branch, Delta, Moving, Parameters, Pose};
use crate::describe::Follows;
use crate::friction::Friction;
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
    Static,
    StribeckVelocity,
    SmoothingVelocity,
    PassiveDamping,
}

const ARM_FIELDS: [(ArmField, &str, &str, Kind); 20] = [
    (ArmField::BaseRadius, "base.radius", "m", Kind::Amount),
    (ArmField::Azimuth, "base.azimuths", "rad", Kind::Angle),
    (ArmField::ArmLength, "upper_arm.length", "m", Kind::Amount),
    (ArmField::ArmMass, "upper_arm.mass", "kg", Kind::Amount),
    (ArmField::ArmCenter, "upper_arm.center_of_mass", "m", Kind::Amount),
    (ArmField::ArmInertia, "upper_arm.inertia", "kg m^2", Kind::Amount),
    (ArmField::ElbowMass, "upper_arm.elbow_mass", "kg", Kind::Amount),
    (ArmField::RodLength, "forearm.length", "m", Kind::Amount),
    (ArmField::RodMass, "forearm.mass", "kg", Kind::Amount),
    (ArmField::RodCenter, "forearm.center_of_mass", "m", Kind::Amount),
    (ArmField::RodInertia, "forearm.inertia", "kg m^2", Kind::Amount),
    (ArmField::PlatformRadius, "platform.radius", "m", Kind::Amount),
    (ArmField::RotorInertia, "motor.rotor_inertia", "kg m^2", Kind::Amount),
    (ArmField::GearRatio, "motor.gear_ratio", "", Kind::Known),
    (ArmField::Viscous, "motor.friction.viscous", "N m s/rad", Kind::Amount),
    (ArmField::Coulomb, "motor.friction.coulomb", "N m", Kind::Amount),
    (ArmField::Static, "motor.friction.static", "N m", Kind::Amount),
    (ArmField::StribeckVelocity, "motor.friction.stribeck_velocity", "rad/s", Kind::Amount),
    (ArmField::SmoothingVelocity, "motor.friction.smoothing_velocity", "rad/s", Kind::Known),
    (ArmField::PassiveDamping, "joints.passive_damping", "N m s/rad", Kind::Amount),
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

/// A state of the platform, kept while parameters change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaState {
    /// m.
    pub position: Vec3<f64>,
    /// m/s.
    pub velocity: Vec3<f64>,
    /// m/s².
    pub acceleration: Vec3<f64>,
    /// Of the environment on the platform, N.
    pub force: Vec3<f64>,
    /// The elbow of each arm.
    pub branches: [Branch; 3],
}

impl DeltaState {
    /// That of a moving pose.
    pub fn of(moving: &Moving<'_, f64>, acceleration: Vec3<f64>, force: Vec3<f64>) -> Self {
        let pose = &moving.pose;
        Self { position: pose.position, velocity: moving.velocity, acceleration, force, branches: pose.branches() }
    }
}

/// The torques of a Delta at one or more states of its platform.
pub struct DeltaTorque {
    robot: Delta<f64>,
    follows: Follows,
    states: Vec<DeltaState>,
    targets: Vec<Target>,
    parameters: Vec<Parameter>,
}

impl DeltaTorque {
    /// At states. `per_arm`: every arm's numbers for themselves; otherwise one change goes to all three arms where they
    /// have the same value, as one value in a robot file does. Where they differ, they are three numbers, and a share of
    /// each is its own. What `follows` goes with the numbers it follows.
    pub fn new(robot: &Delta<f64>, follows: Follows, states: Vec<DeltaState>, per_arm: bool) -> Self {
        let p = robot.parameters();
        let (mut targets, mut parameters) = (Vec::new(), Vec::new());
        let mut add = |target, name: String, unit, kind, value| {
            targets.push(target);
            parameters.push(Parameter { name, unit, kind, value });
        };
        for (field, name, unit, kind) in ARM_FIELDS {
            let about_axis = field == ArmField::ArmInertia && follows.upper_arm_inertia;
            let name = if about_axis { "upper_arm.inertia_about_axis" } else { name };
            let kind = if followed(field, follows) { Kind::Known } else { kind };
            let values = p.arms.map(|mut given| match field {
                ArmField::Azimuth => Some(given.azimuth.radians()),
                ArmField::ArmInertia if about_axis => Some(given.upper_arm.inertia + steiner(&given)),
                _ => slot(&mut given, field).copied(),
            });
            // Azimuths differ by design: all together, the robot turns.
            let alike = field == ArmField::Azimuth || values.iter().all(|value| *value == values[0]);
            let apart = per_arm || !alike;
            let arms: &[Option<usize>] = if apart { &[Some(0), Some(1), Some(2)] } else { &[None] };
            for &arm in arms {
                let value = values[arm.unwrap_or(0)];
                let label = arm.map_or(name.to_owned(), |arm| format!("{name} of arm {}", arm + 1));
                if let Some(value) = value {
                    add(Target::Arm(field, arm), label, unit, kind, value);
                }
            }
        }
        add(Target::PlatformMass, String::from("platform.mass"), "kg", Kind::Amount, p.platform_mass);
        add(Target::PayloadMass, String::from("payload.mass"), "kg", Kind::Amount, p.payload_mass);
        for (axis, name) in ["gravity x", "gravity y", "gravity z"].into_iter().enumerate() {
            add(Target::Gravity(axis), name.to_owned(), "m/s^2", Kind::Known, p.gravity[axis]);
        }
        Self { robot: *robot, follows, states, targets, parameters }
    }
}

/// Whether a number stands in no file but follows from others.
fn followed(field: ArmField, follows: Follows) -> bool {
    match field {
        ArmField::Static => follows.static_friction,
        ArmField::RodCenter => follows.forearm_center,
        ArmField::RodInertia => follows.forearm_inertia,
        _ => false,
    }
}

/// Mass · center_of_mass² of the upper arm, kg m².
fn steiner<S: Scalar>(arm: &ArmParameters<S>) -> S {
    arm.upper_arm.mass * arm.upper_arm.center_of_mass.square()
}

/// The inertia of a uniform rod, m L²/12.
fn uniform<S: Scalar>(arm: &ArmParameters<S>) -> S {
    (arm.forearm.mass * arm.forearm.length.square()).times(1.0 / 12.0)
}

/// The place of a number; none where the robot does not have it.
fn slot<S>(arm: &mut ArmParameters<S>, field: ArmField) -> Option<&mut S> {
    let friction: Option<&mut Friction<S>> = arm.motor.friction.as_mut();
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
        ArmField::Viscous => &mut friction?.viscous,
        ArmField::Coulomb => &mut friction?.coulomb,
        ArmField::Static => &mut friction?.static_friction,
        ArmField::StribeckVelocity => &mut friction?.stribeck_velocity,
        ArmField::SmoothingVelocity => &mut friction?.smoothing_velocity,
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

/// Moves what follows from other numbers by as much as those have changed since `before`; by exactly nothing where they
/// have not.
fn follow<S: Scalar>(arm: &mut ArmParameters<S>, before: &ArmParameters<S>, follows: Follows) {
    if follows.upper_arm_inertia {
        arm.upper_arm.inertia = arm.upper_arm.inertia - (steiner(arm) - steiner(before));
    }
    if follows.forearm_inertia {
        arm.forearm.inertia = arm.forearm.inertia + (uniform(arm) - uniform(before));
    }
    if follows.forearm_center {
        let longer = arm.forearm.length - before.forearm.length;
        arm.forearm.center_of_mass = arm.forearm.center_of_mass + longer.times(0.5);
    }
    if follows.static_friction
        && let (Some(friction), Some(before)) = (&mut arm.motor.friction, &before.motor.friction)
    {
        friction.static_friction = friction.static_friction + (friction.coulomb - before.coulomb);
    }
}

/// The pose with an elbow branch for each arm.
fn pose<S: Scalar>(robot: &Delta<S>, position: Vec3<S>, branches: [Branch; 3]) -> Pose<'_, S> {
    let mut pose = robot.pose_unchecked(position, branches[0]);
    if branches.iter().any(|&branch| branch != branches[0]) {
        for (i, &branch) in branches.iter().enumerate() {
            pose.arms[i] = robot.pose_unchecked(position, branch).arms[i];
        }
    }
    pose
}

impl TorqueOfParameters for DeltaTorque {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn units(&self) -> Vec<&'static str> {
        vec!["N m"; 3]
    }

    fn torque<S: Scalar>(&self, changes: &[S]) -> Vec<S> {
        let given: Parameters<S> = self.robot.parameters().lift();
        let mut parameters = given;
        for (&target, &by) in self.targets.iter().zip(changes) {
            change(&mut parameters, target, by);
        }
        for (arm, before) in parameters.arms.iter_mut().zip(&given.arms) {
            follow(arm, before, self.follows);
        }
        let robot = Delta::new(parameters);
        let vector = |v: Vec3<f64>| v.map(S::from_f64);
        let mut torques = Vec::with_capacity(3 * self.states.len());
        for state in &self.states {
            let moving = pose(&robot, vector(state.position), state.branches).moving(vector(state.velocity));
            torques.extend(moving.torque_under(vector(state.acceleration), vector(state.force)));
        }
        torques
    }
}
