//! Torques of a serial arm as a function of its parameters.

use super::{Parameter, TorqueOfParameters};
use crate::arm::{ArmError, ArmVisitor, SerialArm};
use crate::describe::SerialRobot;
use crate::serial::{LinkParameters, Serial, SerialParameters};
use crate::{Scalar, Sym3};

/// A number that each link has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkField {
    Mass,
    Center(usize),
    Inertia(usize),
    MotorInertia,
    A,
    D,
    Alpha,
    ThetaOffset,
}

const LINK_FIELDS: [(LinkField, &str, &str); 15] = [
    (LinkField::Mass, "mass", "kg"),
    (LinkField::Center(0), "center_of_mass x", "m"),
    (LinkField::Center(1), "center_of_mass y", "m"),
    (LinkField::Center(2), "center_of_mass z", "m"),
    (LinkField::Inertia(0), "inertia xx", "kg m^2"),
    (LinkField::Inertia(1), "inertia yy", "kg m^2"),
    (LinkField::Inertia(2), "inertia zz", "kg m^2"),
    (LinkField::Inertia(3), "inertia xy", "kg m^2"),
    (LinkField::Inertia(4), "inertia yz", "kg m^2"),
    (LinkField::Inertia(5), "inertia xz", "kg m^2"),
    (LinkField::MotorInertia, "motor_inertia", "kg m^2"),
    (LinkField::A, "a", "m"),
    (LinkField::D, "d", "m"),
    (LinkField::Alpha, "alpha", "rad"),
    (LinkField::ThetaOffset, "theta_offset", "rad"),
];

/// The torques of a serial arm at a state of its joints.
pub struct ArmTorque {
    arm: SerialArm,
    q: Vec<f64>,
    qd: Vec<f64>,
    qdd: Vec<f64>,
    targets: Vec<(usize, LinkField)>,
    parameters: Vec<Parameter>,
    tolerances: Vec<f64>,
}

impl ArmTorque {
    /// At a state of the joints, which is checked.
    pub fn new(robot: &SerialRobot, q: &[f64], qd: &[f64], qdd: &[f64]) -> Result<Self, ArmError> {
        robot.arm.torque(q, qd, qdd, &mut vec![0.0; robot.arm.joints()])?;
        let (mut targets, mut parameters, mut tolerances) = (Vec::new(), Vec::new(), Vec::new());
        for (k, link) in robot.arm.links().iter().enumerate() {
            let known = robot.tolerances.get(k).copied().unwrap_or_default();
            for (field, name, unit) in LINK_FIELDS {
                let value = value(link, field);
                let tolerance = match field {
                    LinkField::Mass => known.mass,
                    LinkField::Center(axis) => known.center_of_mass[axis],
                    LinkField::Inertia(entry) => known.inertia[entry],
                    LinkField::MotorInertia => known.motor_inertia,
                    _ => Default::default(),
                };
                targets.push((k, field));
                parameters.push(Parameter { name: format!("link{}.{name}", k + 1), unit, value });
                tolerances.push(tolerance.of(value));
            }
        }
        let [q, qd, qdd] = [q, qd, qdd].map(<[f64]>::to_vec);
        Ok(Self { arm: robot.arm.clone(), q, qd, qdd, targets, parameters, tolerances })
    }

    /// Half widths of the tolerances that the robot's file gives, one per parameter; zero where it gives none.
    pub fn tolerances(&self) -> &[f64] {
        &self.tolerances
    }
}

fn value(link: &LinkParameters<f64>, field: LinkField) -> f64 {
    match field {
        LinkField::Mass => link.body.mass,
        LinkField::Center(axis) => link.body.center_of_mass[axis],
        LinkField::Inertia(entry) => link.body.inertia.entries()[entry],
        LinkField::MotorInertia => link.motor_inertia,
        LinkField::A => link.dh.a,
        LinkField::D => link.dh.d,
        LinkField::Alpha => link.dh.alpha.radians(),
        LinkField::ThetaOffset => link.dh.theta_offset.radians(),
    }
}

fn change<S: Scalar>(link: &mut LinkParameters<S>, field: LinkField, by: S) {
    match field {
        LinkField::Mass => link.body.mass = link.body.mass + by,
        LinkField::Center(axis) => link.body.center_of_mass[axis] = link.body.center_of_mass[axis] + by,
        LinkField::Inertia(entry) => {
            let mut entries = link.body.inertia.entries();
            entries[entry] = entries[entry] + by;
            link.body.inertia = Sym3::new(entries);
        }
        LinkField::MotorInertia => link.motor_inertia = link.motor_inertia + by,
        LinkField::A => link.dh.a = link.dh.a + by,
        LinkField::D => link.dh.d = link.dh.d + by,
        LinkField::Alpha | LinkField::ThetaOffset => {
            let angle = if field == LinkField::Alpha { &mut link.dh.alpha } else { &mut link.dh.theta_offset };
            let (sin, cos) = angle.added_to(by.sin_cos());
            (angle.sin, angle.cos) = (sin, cos);
        }
    }
}

struct Evaluate<'a, S>(&'a ArmTorque, &'a [S]);

impl<S: Scalar> ArmVisitor for Evaluate<'_, S> {
    type Output = Vec<S>;

    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Vec<S> {
        let Self(given, changes) = self;
        let mut parameters: SerialParameters<S, N> = arm.parameters().lift();
        for (&(link, field), &by) in given.targets.iter().zip(changes) {
            change(&mut parameters.links[link], field, by);
        }
        let robot = Serial::new(parameters);
        let array = |values: &[f64]| -> [S; N] { std::array::from_fn(|i| S::from_f64(values[i])) };
        robot.pose_unchecked(array(&given.q)).moving(array(&given.qd)).torque(array(&given.qdd)).to_vec()
    }
}

impl TorqueOfParameters for ArmTorque {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn torque<S: Scalar>(&self, changes: &[S]) -> Vec<S> {
        self.arm.visit(Evaluate(self, changes))
    }
}
