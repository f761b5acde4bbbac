//! A Delta as a part of mechanisms: three arms, their tips joined.

use super::parts::MechanismPart;
use super::parts::vec3;
use super::{BodyPoint, Coincident, Mechanism, MechanismError, PartId};
use crate::array::map;
use crate::delta::models::bortoff::SingleArm;
use crate::delta::{ArmParameters, Delta, Moving, Pose};
use crate::spatial::Frame;
use crate::{Dual, Mat3, Scalar, Vec3};

/// One arm of a Delta, Bortoff (1)–(8): motor angle φ₁, forearm angles φ₂ and φ₃; the platform's share sits at its
/// tip. Body 0 is the platform (it only translates), body 1 the elbow.
#[derive(Clone, Copy, Debug)]
pub struct DeltaArm {
    arm: SingleArm<f64>,
    origin: [f64; 3],
    /// How the base is turned; most stand straight, and save the product.
    rotation: Option<Mat3<f64>>,
}

impl DeltaArm {
    /// The arm with its rotor, carrying `share` kg of platform and payload.
    pub fn new(parameters: &ArmParameters<f64>, share: f64) -> Self {
        let mut with_rotor = *parameters;
        with_rotor.upper_arm.inertia += parameters.reflected_rotor_inertia();
        Self { arm: SingleArm::new(&with_rotor, share), origin: [0.0; 3], rotation: None }
    }

    /// The same arm of a robot on a base. (Potential energy stays against the motor axis.)
    pub fn on_base(self, base: Frame<f64>) -> Self {
        let straight = base.rotation == Mat3::diagonal(1.0);
        Self { origin: base.origin.0, rotation: (!straight).then_some(base.rotation), ..self }
    }

    /// A vector of the robot's own frame in that of the mechanism.
    fn up<S: Scalar>(&self, own: Vec3<S>) -> Vec3<S> {
        self.rotation.map_or(own, |rotation| rotation.map(S::from_f64) * own)
    }

    /// A vector of the mechanism's frame in the robot's own.
    fn down<S: Scalar>(&self, vector: Vec3<S>) -> Vec3<S> {
        self.rotation.map_or(vector, |rotation| rotation.transpose().map(S::from_f64) * vector)
    }

    /// Its coordinates with the platform at `position` (in the robot's own frame) and the motor at `q`.
    pub fn angles(&self, position: Vec3<f64>, q: f64) -> [f64; 3] {
        self.arm.angles(position, q).0
    }

    /// Position and velocity of the platform at coordinates and their rates, in the robot's own frame.
    pub fn platform(&self, q: &[f64], v: &[f64]) -> [Vec3<f64>; 2] {
        let tip = self.arm.lift().tip(Vec3::from_fn(|i| Dual::<f64, 1> { value: q[i], derivative: [v[i]] }));
        [tip.map(|x| x.value), tip.map(|x| x.derivative[0])]
    }

    /// The rates of these coordinates while the platform moves with `velocity` and the motor with `qd`.
    pub fn rates(&self, (position, velocity): (Vec3<f64>, Vec3<f64>), (q, qd): (f64, f64)) -> [f64; 3] {
        let moved = |value, rate| Dual::<f64, 1> { value, derivative: [rate] };
        let position = Vec3::from_fn(|i| moved(position[i], velocity[i]));
        map(self.arm.lift().angles(position, moved(q, qd)).0, |angle| angle.derivative[0])
    }
}

impl MechanismPart for DeltaArm {
    fn coordinates(&self) -> usize {
        3
    }
    fn bodies(&self) -> usize {
        2
    }
    fn kinetic_energy<S: Scalar>(&self, q: &[S], rate: &[S]) -> S {
        self.arm.lift().kinetic_energy(vec3(q), vec3(rate))
    }
    fn potential_energy<S: Scalar>(&self, q: &[S], gravity: Vec3<S>) -> S {
        self.arm.lift().potential_energy(vec3(q), self.down(gravity))
    }
    fn point<S: Scalar>(&self, q: &[S], body: usize, offset: Vec3<S>) -> Vec3<S> {
        let arm = self.arm.lift();
        let own = if body == 0 { arm.tip(vec3(q)) } else { arm.elbow(vec3(q)) };
        self.up(offset) + Vec3::from_f64(self.origin) + self.up(own)
    }
    fn closed_form<S: Scalar>(&self, q: &[S], v: &[S], gravity: Vec3<S>, mass: &mut [S], bias: &mut [S]) -> bool {
        let (m, b) = self.arm.lift().mass_and_bias(vec3(q), vec3(v), self.down(gravity));
        for i in 0..3 {
            mass[3 * i..3 * i + 3].copy_from_slice(&m[i].0);
        }
        bias.copy_from_slice(&b.0);
        true
    }
}

/// A Delta inside a mechanism.
#[derive(Clone, Debug)]
pub struct DeltaParts {
    /// Its arms.
    pub arms: [PartId; 3],
    models: [DeltaArm; 3],
}

/// What a Delta inside a mechanism does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaMotion {
    /// Angles and speeds of the motors, rad and rad/s.
    pub joints: [[f64; 3]; 2],
    /// Position and velocity of the platform, m and m/s.
    pub platform: [Vec3<f64>; 2],
}

impl DeltaParts {
    /// The platform's centre.
    pub fn platform(&self) -> BodyPoint {
        self.arms[0].origin()
    }

    /// Angles and speeds of the motors, and position and velocity of the platform in the robot's own frame, at coordinates
    /// and velocities of the mechanism.
    pub fn motion(&self, mechanism: &Mechanism, q: &[f64], v: &[f64]) -> Result<DeltaMotion, MechanismError> {
        mechanism.check_state(q, v)?;
        let (mut joints, mut speeds) = ([0.0; 3], [0.0; 3]);
        let mut platform = [Vec3::zero(); 2];
        for (i, (part, arm)) in self.arms.into_iter().zip(&self.models).enumerate() {
            let (at, rate) = mechanism.ranges(part)?;
            (joints[i], speeds[i]) = (q[at.start], v[rate.start]);
            if i == 0 {
                platform = arm.platform(&q[at], &v[rate]);
            }
        }
        Ok(DeltaMotion { joints: [joints, speeds], platform })
    }

    /// The nine coordinates at a pose.
    pub fn coordinates(&self, pose: &Pose<'_, f64>) -> [f64; 9] {
        let q = pose.joints();
        let angles: [[f64; 3]; 3] = crate::array::from_fn(|i| self.models[i].angles(pose.position, q[i]));
        crate::array::from_fn(|i| angles[i / 3][i % 3])
    }

    /// The nine velocities of a moving pose.
    pub fn velocities(&self, moving: &Moving<'_, f64>) -> [f64; 9] {
        let (pose, qd) = (&moving.pose, moving.joint_velocity());
        let platform = (pose.position, moving.velocity);
        let rates: [[f64; 3]; 3] = crate::array::from_fn(|i| self.models[i].rates(platform, (pose.joints()[i], qd[i])));
        crate::array::from_fn(|i| rates[i / 3][i % 3])
    }
}

/// Adds a Delta as Bortoff composes it: three arms, their tips joined (10), a motor on each; friction, damping, rotor
/// and payload as the robot has them.
pub fn add_delta(mechanism: &mut Mechanism, name: &str, robot: &Delta<f64>) -> Result<DeltaParts, MechanismError> {
    add_delta_at(mechanism, name, robot, Frame::identity())
}

/// The same on a base.
pub fn add_delta_at(
    mechanism: &mut Mechanism,
    name: &str,
    robot: &Delta<f64>,
    base: Frame<f64>,
) -> Result<DeltaParts, MechanismError> {
    let p = robot.parameters();
    if let Some(value) = p.arms.iter().find_map(|arm| arm.zero_offset) {
        let (what, must) = ("the zero offset of an arm", "zero in a mechanism, whose coordinates are the arms' angles");
        return Err(MechanismError::BadValue { what, value, must });
    }
    let share = (p.platform_mass + p.payload_mass) / 3.0;
    let models = map(p.arms, |arm| DeltaArm::new(&arm, share).on_base(base));
    let arms = map([0, 1, 2], |i| mechanism.add(format!("{name} arm {}", i + 1), models[i]));
    for (part, arm) in arms.into_iter().zip(&p.arms) {
        mechanism.drive_with(part, 0, arm.motor.friction)?;
        if let Some(damping) = arm.passive_damping {
            mechanism.damp(part, 1, damping)?;
            mechanism.damp(part, 2, damping)?;
        }
    }
    for other in [1, 2] {
        let joint = Coincident::new(arms[0].origin(), arms[other].origin());
        mechanism.constrain(format!("{name} tips 1 and {}", other + 1), joint)?;
    }
    Ok(DeltaParts { arms, models })
}
