//! Torques of a Delta as a function of its parameters.

use crate::delta::{ArmParameters, Branch, Delta, Moving, Parameters, Pose};
use crate::parameter::Tolerance;
use crate::robot::families::Follows;
use crate::robot::parameters::{Number, add, label, visited};
use crate::robot::{Parameter, TorqueOfParameters};
use crate::{Scalar, Vec3};

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
    parameters: Vec<Parameter>,
    /// For every number of the visit the parameter that it belongs to.
    owners: Vec<Option<usize>>,
}

impl DeltaTorque {
    /// At states. `per_arm`: every arm's numbers for themselves; otherwise one change goes to all three arms where they
    /// have the same value, as one value in a robot file does. Where they differ, they are three numbers, and a share of
    /// each is its own. What `follows` goes with the numbers it follows.
    pub fn new(robot: &Delta<f64>, follows: Follows, states: Vec<DeltaState>, per_arm: bool) -> Self {
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut numbers = visited(|visit| { *robot.parameters() }.visit(visit), |_| [0.0; 3]);
        if follows.upper_arm_inertia {
            for number in numbers.iter_mut().filter(|number| number.field.key == "upper_arm.inertia") {
                let arm = number.place.part.unwrap_or(0);
                number.value += robot.parameters().arms[arm].upper_arm.steiner();
            }
        }
        let mut owners = vec![None; numbers.len()];
        for first in 0..numbers.len() {
            let Number { field, place, value } = numbers[first];
            if owners[first].is_some() || field.tolerance == Tolerance::None {
                continue;
            }
            let same = |number: &Number| number.field.key == field.key && number.place.component == place.component;
            let siblings: Vec<usize> = (first..numbers.len()).filter(|&k| same(&numbers[k])).collect();
            // Azimuths differ by design: all together, the robot turns.
            let alike = field.tolerance == Tolerance::Angle || siblings.iter().all(|&k| numbers[k].value == value);
            let together = place.part.is_none() || (!per_arm && alike && siblings.len() == 3);
            let about_axis = field.key == "upper_arm.inertia" && follows.upper_arm_inertia;
            let name = if about_axis { "upper_arm.inertia_about_axis".to_owned() } else { label(field, place) };
            let tolerance = if followed(field.key, follows) { Tolerance::Known } else { field.tolerance };
            let unit = field.unit.si(false);
            let mut add = |name: String, value: f64, of: &[usize]| {
                of.iter().for_each(|&k| owners[k] = Some(parameters.len()));
                parameters.push(Parameter { name, unit, tolerance, value, half_width: 0.0 });
            };
            if together {
                add(name, value, &siblings);
            } else {
                for &k in &siblings {
                    let arm = numbers[k].place.part.unwrap_or(0) + 1;
                    add(format!("{name} of arm {arm}"), numbers[k].value, &[k]);
                }
            }
        }
        Self { robot: *robot, follows, states, parameters, owners }
    }
}

/// Whether a number stands in no file but follows from others.
fn followed(key: &str, follows: Follows) -> bool {
    match key {
        "motor.friction.static" => follows.static_friction,
        "forearm.center_of_mass" => follows.forearm_center,
        "forearm.inertia" => follows.forearm_inertia,
        _ => false,
    }
}

/// The inertia of a uniform rod, m L²/12.
fn uniform<S: Scalar>(arm: &ArmParameters<S>) -> S {
    (arm.forearm.mass * arm.forearm.length.square()).times(1.0 / 12.0)
}

/// Moves what follows from other numbers by as much as those have changed since `before`; by exactly nothing where they
/// have not.
fn follow<S: Scalar>(arm: &mut ArmParameters<S>, before: &ArmParameters<S>, follows: Follows) {
    if follows.upper_arm_inertia {
        arm.upper_arm.inertia = arm.upper_arm.inertia - (arm.upper_arm.steiner() - before.upper_arm.steiner());
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
        let mut owners = self.owners.iter();
        parameters.visit(&mut |_, _, slot| {
            if let Some(Some(owner)) = owners.next() {
                add(slot, changes[*owner]);
            }
        });
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
