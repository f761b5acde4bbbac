//! Torques of a serial arm as a function of its parameters.

use super::{Kind, Parameter, TorqueOfParameters};
use crate::arm::{ArmError, ArmVisitor, SerialArm};
use crate::describe::SerialRobot;
use crate::record::serial_states::attitude;
use crate::serial::{Body, Joint, LinkParameters, Serial, SerialParameters};
use crate::spatial::Wrench;
use crate::{Mat3, Scalar, Sym3, Vec3};

/// A number that each link has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkField {
    Body(BodyField),
    MotorInertia,
    GearRatio,
    Viscous,
    Coulomb,
    Static,
    StribeckVelocity,
    SmoothingVelocity,
    ArmatureAxis(usize),
    A,
    D,
    Alpha,
    ThetaOffset,
}

/// A number of a link's body or of the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyField {
    Mass,
    Center(usize),
    Inertia(usize),
}

const BODY_FIELDS: [(BodyField, &str, &str); 10] = [
    (BodyField::Mass, "mass", "kg"),
    (BodyField::Center(0), "center_of_mass x", "m"),
    (BodyField::Center(1), "center_of_mass y", "m"),
    (BodyField::Center(2), "center_of_mass z", "m"),
    (BodyField::Inertia(0), "inertia xx", "kg m^2"),
    (BodyField::Inertia(1), "inertia yy", "kg m^2"),
    (BodyField::Inertia(2), "inertia zz", "kg m^2"),
    (BodyField::Inertia(3), "inertia xy", "kg m^2"),
    (BodyField::Inertia(4), "inertia yz", "kg m^2"),
    (BodyField::Inertia(5), "inertia xz", "kg m^2"),
];

/// Name, unit at a revolute and at a prismatic joint.
const LINK_FIELDS: [(LinkField, &str, [&str; 2], Kind); 14] = [
    (LinkField::MotorInertia, "motor_inertia", ["kg m^2", "kg"], Kind::Amount),
    (LinkField::GearRatio, "gear_ratio", ["", ""], Kind::Known),
    (LinkField::Viscous, "friction.viscous", ["N m s/rad", "N s/m"], Kind::Amount),
    (LinkField::Coulomb, "friction.coulomb", ["N m", "N"], Kind::Amount),
    (LinkField::Static, "friction.static", ["N m", "N"], Kind::Amount),
    (LinkField::StribeckVelocity, "friction.stribeck_velocity", ["rad/s", "m/s"], Kind::Amount),
    (LinkField::SmoothingVelocity, "friction.smoothing_velocity", ["rad/s", "m/s"], Kind::Known),
    (LinkField::ArmatureAxis(0), "armature.axis x", ["", ""], Kind::Known),
    (LinkField::ArmatureAxis(1), "armature.axis y", ["", ""], Kind::Known),
    (LinkField::ArmatureAxis(2), "armature.axis z", ["", ""], Kind::Known),
    (LinkField::A, "a", ["m", "m"], Kind::Amount),
    (LinkField::D, "d", ["m", "m"], Kind::Amount),
    (LinkField::Alpha, "alpha", ["rad", "rad"], Kind::Angle),
    (LinkField::ThetaOffset, "theta_offset", ["rad", "rad"], Kind::Angle),
];

/// Where a change goes.
#[derive(Clone, Copy, Debug)]
enum Target {
    Link(usize, LinkField),
    Payload(BodyField),
    ToolPosition(usize),
    /// Roll, pitch, yaw.
    ToolAngle(usize),
    Gravity(usize),
}

/// A state of the joints, kept while parameters change.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmState {
    /// rad, or m.
    pub q: Vec<f64>,
    /// rad/s, or m/s.
    pub qd: Vec<f64>,
    /// rad/s², or m/s².
    pub qdd: Vec<f64>,
    /// Of the environment on the tool point, base frame, N.
    pub force: Vec3<f64>,
}

impl ArmState {
    /// Without a force at the tool.
    pub fn new(q: &[f64], qd: &[f64], qdd: &[f64]) -> Self {
        let [q, qd, qdd] = [q, qd, qdd].map(<[f64]>::to_vec);
        Self { q, qd, qdd, force: Vec3::zero() }
    }
}

/// The torques of a serial arm at one or more states of its joints.
pub struct ArmTorque {
    arm: SerialArm,
    static_follows: Vec<bool>,
    /// Roll, pitch and yaw of the tool.
    tool: [f64; 3],
    states: Vec<ArmState>,
    targets: Vec<Target>,
    parameters: Vec<Parameter>,
    tolerances: Vec<f64>,
}

impl ArmTorque {
    /// At states of the joints, which are checked.
    pub fn new(robot: &SerialRobot, states: Vec<ArmState>) -> Result<Self, ArmError> {
        let mut torque = vec![0.0; robot.arm.joints()];
        for state in &states {
            robot.arm.torque(&state.q, &state.qd, &state.qdd, &mut torque)?;
        }
        let rest = robot.arm.surroundings();
        let mut this = Self {
            arm: robot.arm.clone(),
            static_follows: robot.static_follows.clone(),
            tool: attitude(rest.tool.rotation),
            states,
            targets: Vec::new(),
            parameters: Vec::new(),
            tolerances: Vec::new(),
        };
        for (k, link) in robot.arm.links().iter().enumerate() {
            let known = robot.tolerances.get(k).copied().unwrap_or_default();
            let name = |name: &str| format!("link{}.{name}", k + 1);
            for (field, label, unit) in BODY_FIELDS {
                let tolerance = match field {
                    BodyField::Mass => known.mass,
                    BodyField::Center(axis) => known.center_of_mass[axis],
                    BodyField::Inertia(entry) => known.inertia[entry],
                };
                let (value, target) = (of_body(&link.body, field), Target::Link(k, LinkField::Body(field)));
                this.add(target, name(label), unit, Kind::Amount, value, tolerance.of(value));
            }
            let prismatic = usize::from(link.joint == Joint::Prismatic);
            for (field, label, units, kind) in LINK_FIELDS {
                let Some(value) = value(link, field) else { continue };
                let follows = field == LinkField::Static && this.follows(k);
                let kind = if follows { Kind::Known } else { kind };
                let tolerance = if field == LinkField::MotorInertia { known.motor_inertia.of(value) } else { 0.0 };
                this.add(Target::Link(k, field), name(label), units[prismatic], kind, value, tolerance);
            }
        }
        for (field, label, unit) in BODY_FIELDS {
            let value = of_body(&rest.payload, field);
            this.add(Target::Payload(field), format!("payload.{label}"), unit, Kind::Amount, value, 0.0);
        }
        for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
            let (name, value) = (format!("tool.position {axis}"), rest.tool.origin[i]);
            this.add(Target::ToolPosition(i), name, "m", Kind::Amount, value, 0.0);
        }
        for (i, angle) in ["roll", "pitch", "yaw"].into_iter().enumerate() {
            this.add(Target::ToolAngle(i), format!("tool.rpy {angle}"), "rad", Kind::Angle, this.tool[i], 0.0);
        }
        for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
            this.add(Target::Gravity(i), format!("gravity {axis}"), "m/s^2", Kind::Known, rest.gravity[i], 0.0);
        }
        Ok(this)
    }

    fn add(&mut self, target: Target, name: String, unit: &'static str, kind: Kind, value: f64, tolerance: f64) {
        self.targets.push(target);
        self.parameters.push(Parameter { name, unit, kind, value });
        self.tolerances.push(tolerance);
    }

    fn follows(&self, link: usize) -> bool {
        self.static_follows.get(link).copied().unwrap_or(false)
    }

    /// Half widths of the tolerances that the robot's file gives, one per parameter; zero where it gives none.
    pub fn tolerances(&self) -> &[f64] {
        &self.tolerances
    }
}

fn of_body(body: &Body<f64>, field: BodyField) -> f64 {
    match field {
        BodyField::Mass => body.mass,
        BodyField::Center(axis) => body.center_of_mass[axis],
        BodyField::Inertia(entry) => body.inertia.entries()[entry],
    }
}

/// None where the link does not have it.
fn value(link: &LinkParameters<f64>, field: LinkField) -> Option<f64> {
    Some(match field {
        LinkField::Body(field) => of_body(&link.body, field),
        LinkField::Alpha => link.dh.alpha.radians(),
        LinkField::ThetaOffset => link.dh.theta_offset.radians(),
        _ => *slot(&mut { *link }, field)?,
    })
}

/// The place of a number that is a number by itself.
fn slot<S>(link: &mut LinkParameters<S>, field: LinkField) -> Option<&mut S> {
    let friction = link.friction.as_mut();
    Some(match field {
        LinkField::MotorInertia => &mut link.motor_inertia,
        LinkField::GearRatio => &mut link.gear_ratio,
        LinkField::Viscous => &mut friction?.viscous,
        LinkField::Coulomb => &mut friction?.coulomb,
        LinkField::Static => &mut friction?.static_friction,
        LinkField::StribeckVelocity => &mut friction?.stribeck_velocity,
        LinkField::SmoothingVelocity => &mut friction?.smoothing_velocity,
        LinkField::ArmatureAxis(axis) => &mut link.armature.as_mut()?.axis.0[axis],
        LinkField::A => &mut link.dh.a,
        LinkField::D => &mut link.dh.d,
        LinkField::Body(_) | LinkField::Alpha | LinkField::ThetaOffset => return None,
    })
}

fn change_body<S: Scalar>(body: &mut Body<S>, field: BodyField, by: S) {
    match field {
        BodyField::Mass => body.mass = body.mass + by,
        BodyField::Center(axis) => body.center_of_mass[axis] = body.center_of_mass[axis] + by,
        BodyField::Inertia(entry) => {
            let mut entries = body.inertia.entries();
            entries[entry] = entries[entry] + by;
            body.inertia = Sym3::new(entries);
        }
    }
}

fn change_link<S: Scalar>(link: &mut LinkParameters<S>, field: LinkField, by: S) {
    match field {
        LinkField::Body(field) => change_body(&mut link.body, field, by),
        LinkField::Alpha | LinkField::ThetaOffset => {
            let angle = if field == LinkField::Alpha { &mut link.dh.alpha } else { &mut link.dh.theta_offset };
            let (sin, cos) = angle.added_to(by.sin_cos());
            (angle.sin, angle.cos) = (sin, cos);
        }
        _ => {
            if let Some(place) = slot(link, field) {
                *place = *place + by;
            }
        }
    }
}

/// Rotation by an angle about a unit vector, exactly none for the angle zero: 1 + sin φ [n]× + (1 − cos φ) [n]×².
fn about<S: Scalar>(axis: [f64; 3], angle: S) -> Mat3<S> {
    let (sin, cos) = angle.sin_cos();
    let n = Mat3::skew(Vec3::from_f64(axis));
    Mat3::diagonal(S::one()) + n * sin + n.product(n) * (S::one() - cos)
}

struct Evaluate<'a, S>(&'a ArmTorque, &'a [S]);

impl<S: Scalar> ArmVisitor for Evaluate<'_, S> {
    type Output = Vec<S>;

    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Vec<S> {
        let Self(given, changes) = self;
        let before: SerialParameters<S, N> = arm.parameters().lift();
        let mut parameters = before;
        let mut turn = [S::zero(); 3];
        for (&target, &by) in given.targets.iter().zip(changes) {
            match target {
                Target::Link(link, field) => change_link(&mut parameters.links[link], field, by),
                Target::Payload(field) => change_body(&mut parameters.payload, field, by),
                Target::ToolPosition(axis) => parameters.tool.origin[axis] = parameters.tool.origin[axis] + by,
                Target::ToolAngle(k) => turn[k] = by,
                Target::Gravity(axis) => parameters.gravity[axis] = parameters.gravity[axis] + by,
            }
        }
        // Rz(yaw + δ₃) Ry(pitch + δ₂) Rx(roll + δ₁) = Rz(δ₃) [Rz(yaw) Ry(δ₂) Rz(−yaw)] R Rx(δ₁).
        let (sin, cos) = given.tool[2].sin_cos();
        let [roll, pitch, yaw] = turn;
        parameters.tool.rotation = about([0.0, 0.0, 1.0], yaw)
            .product(about([-sin, cos, 0.0], pitch))
            .product(before.tool.rotation)
            .product(about([1.0, 0.0, 0.0], roll));
        for (k, (link, before)) in parameters.links.iter_mut().zip(&before.links).enumerate() {
            if given.follows(k)
                && let (Some(friction), Some(before)) = (&mut link.friction, &before.friction)
            {
                friction.static_friction = friction.static_friction + (friction.coulomb - before.coulomb);
            }
            if let Some(armature) = &mut link.armature {
                // A file gives a direction: of any length.
                armature.axis = armature.axis * (S::one() / armature.axis.norm_squared().sqrt());
            }
        }
        let robot = Serial::new(parameters);
        let array = |values: &[f64]| -> [S; N] { std::array::from_fn(|i| S::from_f64(values[i])) };
        let mut torques = Vec::with_capacity(N * given.states.len());
        for state in &given.states {
            let moving = robot.pose_unchecked(array(&state.q)).moving(array(&state.qd));
            let mut torque = moving.torque(array(&state.qdd));
            if state.force != Vec3::zero() {
                let wrench = Wrench { force: state.force.map(S::from_f64), moment: Vec3::zero() };
                let carried = moving.pose.jacobian().transpose_times(wrench);
                torque = std::array::from_fn(|i| torque[i] - carried[i]);
            }
            torques.extend(torque);
        }
        torques
    }
}

impl TorqueOfParameters for ArmTorque {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn units(&self) -> Vec<&'static str> {
        let unit = |link: &LinkParameters<f64>| if link.joint == Joint::Prismatic { "N" } else { "N m" };
        self.arm.links().iter().map(unit).collect()
    }

    fn torque<S: Scalar>(&self, changes: &[S]) -> Vec<S> {
        self.arm.visit(Evaluate(self, changes))
    }
}
