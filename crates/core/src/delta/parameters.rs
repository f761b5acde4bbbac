//! What a Delta robot is made of, as measured, before anything is lumped.

use crate::algebra::Vec3;
use crate::friction::{self, Friction};
use crate::parameter::Must::{Finite, NotNegative, NotZero, Positive};
use crate::parameter::Tolerance::{self, Amount, Known};
use crate::parameter::{AXES, EARTH, Field, Place, Slot, Unit, Visit};
use crate::scalar::Scalar;

/// The parameters of one arm but for friction, in the order in which they are visited.
static ARM: [Field; 15] = [
    Field::new("base.radius", "rb", "base radius", Unit::Length, NotNegative, Amount),
    Field::new("base.azimuths", "phi", "azimuth", Unit::Angle, Finite, Tolerance::Angle),
    Field::new("upper_arm.length", "la", "upper arm length", Unit::Length, Positive, Amount),
    Field::new("upper_arm.mass", "ma", "upper arm mass", Unit::Mass, NotNegative, Amount),
    Field::new("upper_arm.center_of_mass", "ca", "upper arm centre of mass", Unit::Length, Finite, Amount),
    Field::new("upper_arm.inertia", "ia", "upper arm inertia, own centre", Unit::Inertia, NotNegative, Amount),
    Field::new("upper_arm.elbow_mass", "me", "elbow mass", Unit::Mass, NotNegative, Amount),
    Field::new("forearm.length", "lb", "forearm length", Unit::Length, Positive, Amount),
    Field::new("forearm.mass", "mb", "forearm mass, of the pair", Unit::Mass, NotNegative, Amount),
    Field::new("forearm.center_of_mass", "cb", "forearm centre of mass", Unit::Length, Finite, Amount).that_follows(),
    Field::new("forearm.inertia", "ib", "forearm inertia, own centre", Unit::Inertia, NotNegative, Amount)
        .that_follows(),
    Field::new("platform.radius", "rp", "platform radius", Unit::Length, NotNegative, Amount),
    Field::new("motor.rotor_inertia", "ir", "rotor inertia, motor side", Unit::Inertia, NotNegative, Amount),
    Field::new("motor.gear_ratio", "n", "gear ratio", Unit::Ratio, NotZero, Known),
    Field::new("joints.passive_damping", "dp", "passive damping", Unit::Damping, NotNegative, Amount),
];

/// Friction at a motor.
static FRICTION: [Field; 5] = [
    Field { key: "motor.friction.viscous", ..friction::FIELDS[0] },
    Field { key: "motor.friction.coulomb", ..friction::FIELDS[1] },
    Field { key: "motor.friction.static", ..friction::FIELDS[2] },
    Field { key: "motor.friction.stribeck_velocity", ..friction::FIELDS[3] },
    Field { key: "motor.friction.smoothing_velocity", ..friction::FIELDS[4] },
];

/// The parameters of the robot as a whole.
static WHOLE: [Field; 4] = [
    Field::new("platform.mass", "mp", "platform mass", Unit::Mass, NotNegative, Amount),
    Field::new("payload.mass", "ml", "payload mass", Unit::Mass, NotNegative, Amount),
    Field::new("gravity", "g", "gravity", Unit::Acceleration, Finite, Known).with_components(&AXES),
    Field::new("platform.tool", "e", "tool", Unit::Length, Finite, Tolerance::None).with_components(&AXES),
];

/// The direction of an arm about the vertical axis.
pub use crate::algebra::Angle as Azimuth;

/// The driven link of one arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UpperArm<S> {
    /// `L_A`, from the motor axis to the elbow, m.
    pub length: S,
    /// kg, without the elbow.
    pub mass: S,
    /// From the motor axis along the arm, m.
    pub center_of_mass: S,
    /// About the arm's own centre of mass, parallel to the motor axis, kg m².
    pub inertia: S,
    /// Codourey's `m_c`: a point mass at the elbow, kg. A robot that has one is described as he does, and his models
    /// then take his uniform arm.
    pub elbow_mass: Option<S>,
}

/// The forearm: the pair of rods, as one rod with the mass of the pair.
///
/// This is exact (`crates/papers/errata.md`, §0): the two rods only translate relative to each other, so there is no
/// Steiner term with their distance, and on frictionless ball joints their spin stays zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forearm<S> {
    /// `L_B`, between the joint centres, m.
    pub length: S,
    /// Of the pair, kg.
    pub mass: S,
    /// From the elbow, m.
    pub center_of_mass: S,
    /// Transverse, about the centre of mass, of the pair, kg m².
    pub inertia: S,
}

/// The drive of one arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor<S> {
    /// At the motor side of the gear, kg m².
    pub rotor_inertia: S,
    /// Motor speed over joint speed.
    pub gear_ratio: S,
    /// At the joint side; `None` costs nothing.
    pub friction: Option<Friction<S>>,
}

/// One of the three kinematic chains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmParameters<S> {
    /// Direction of the arm's vertical plane.
    pub azimuth: Azimuth<S>,
    /// From the base centre to the motor axis, m.
    pub base_radius: S,
    /// From the platform centre to the forearm joint, m.
    pub platform_radius: S,
    /// The driven link.
    pub upper_arm: UpperArm<S>,
    /// The rod pair.
    pub forearm: Forearm<S>,
    /// The drive.
    pub motor: Motor<S>,
    /// Bortoff's damping of the two passive coordinates φ₂, φ₃ of the forearm, N m s/rad; `None` costs nothing.
    pub passive_damping: Option<S>,
}

/// A Delta robot as it is described: everything a model may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters<S> {
    /// Acceleration of gravity in the base frame, m/s²: mounting is data.
    pub gravity: Vec3<S>,
    /// The three arms.
    pub arms: [ArmParameters<S>; 3],
    /// kg.
    pub platform_mass: S,
    /// Carried at the platform centre, kg.
    pub payload_mass: S,
    /// Tool point in the platform frame, m.
    pub tool: Vec3<S>,
}

impl<S> ArmParameters<S> {
    fn visit(&mut self, place: Place, visit: &mut Visit<'_, S>) {
        let Self { azimuth, base_radius, platform_radius, upper_arm, forearm, motor, passive_damping } = self;
        let Motor { rotor_inertia, gear_ratio, friction } = motor;
        let slots = [
            Some(Slot::Number(base_radius)),
            Some(Slot::Angle(azimuth)),
            Some(Slot::Number(&mut upper_arm.length)),
            Some(Slot::Number(&mut upper_arm.mass)),
            Some(Slot::Number(&mut upper_arm.center_of_mass)),
            Some(Slot::Number(&mut upper_arm.inertia)),
            upper_arm.elbow_mass.as_mut().map(Slot::Number),
            Some(Slot::Number(&mut forearm.length)),
            Some(Slot::Number(&mut forearm.mass)),
            Some(Slot::Number(&mut forearm.center_of_mass)),
            Some(Slot::Number(&mut forearm.inertia)),
            Some(Slot::Number(platform_radius)),
            Some(Slot::Number(rotor_inertia)),
            Some(Slot::Number(gear_ratio)),
        ];
        let [.., damping] = &ARM;
        for (field, slot) in ARM.iter().zip(slots) {
            if let Some(slot) = slot {
                visit(field, place, slot);
            }
        }
        if let Some(own) = friction {
            own.visit(&FRICTION, place, visit);
        }
        if let Some(slot) = passive_damping {
            visit(damping, place, Slot::Number(slot));
        }
    }
}

impl<S> Parameters<S> {
    /// Visits every number that the robot has, arm by arm, then those of the whole robot.
    pub fn visit(&mut self, visit: &mut Visit<'_, S>) {
        for (i, arm) in self.arms.iter_mut().enumerate() {
            arm.visit(Place::part(i), visit);
        }
        let [platform, payload, gravity, tool] = &WHOLE;
        visit(platform, Place::WHOLE, Slot::Number(&mut self.platform_mass));
        visit(payload, Place::WHOLE, Slot::Number(&mut self.payload_mass));
        for (field, vector) in [(gravity, &mut self.gravity), (tool, &mut self.tool)] {
            for (k, slot) in vector.0.iter_mut().enumerate() {
                visit(field, Place::WHOLE.component(k), Slot::Number(slot));
            }
        }
    }
}

impl Parameters<f64> {
    /// What an empty file says: its defaults, every part that a Delta can have, and NaN for what a file must say or what
    /// follows from that.
    pub fn of_empty_file() -> Self {
        const ASKED: f64 = f64::NAN;
        let arm = |degrees: f64| ArmParameters {
            azimuth: Azimuth::from_radians(degrees.to_radians()),
            base_radius: ASKED,
            platform_radius: ASKED,
            upper_arm: UpperArm {
                length: ASKED,
                mass: ASKED,
                center_of_mass: ASKED,
                inertia: ASKED,
                elbow_mass: Some(0.0),
            },
            forearm: Forearm { length: ASKED, mass: ASKED, center_of_mass: ASKED, inertia: ASKED },
            motor: Motor { rotor_inertia: 0.0, gear_ratio: 1.0, friction: Some(Friction::of_empty_file()) },
            passive_damping: Some(0.0),
        };
        Self {
            gravity: EARTH,
            arms: [arm(0.0), arm(120.0), arm(240.0)],
            platform_mass: ASKED,
            payload_mass: 0.0,
            tool: Vec3::zero(),
        }
    }
}

impl<S: Scalar> ArmParameters<S> {
    // One function for each pair of scalars, not for each closure: a conversion is not hot, and there are many.
    fn map<T>(self, f: &mut dyn FnMut(S) -> T) -> ArmParameters<T> {
        ArmParameters {
            azimuth: self.azimuth.map(&mut *f),
            base_radius: f(self.base_radius),
            platform_radius: f(self.platform_radius),
            upper_arm: UpperArm {
                length: f(self.upper_arm.length),
                mass: f(self.upper_arm.mass),
                center_of_mass: f(self.upper_arm.center_of_mass),
                inertia: f(self.upper_arm.inertia),
                elbow_mass: self.upper_arm.elbow_mass.map(&mut *f),
            },
            forearm: Forearm {
                length: f(self.forearm.length),
                mass: f(self.forearm.mass),
                center_of_mass: f(self.forearm.center_of_mass),
                inertia: f(self.forearm.inertia),
            },
            motor: Motor {
                rotor_inertia: f(self.motor.rotor_inertia),
                gear_ratio: f(self.motor.gear_ratio),
                friction: self.motor.friction.map(|friction| friction.map(&mut *f)),
            },
            passive_damping: self.passive_damping.map(&mut *f),
        }
    }
}

impl<S: Scalar> UpperArm<S> {
    /// The mass at the elbow, zero where none is given, kg.
    pub fn mass_at_elbow(&self) -> S {
        self.elbow_mass.unwrap_or(S::zero())
    }
}

impl<S: Scalar> Parameters<S> {
    /// Every parameter as a scalar of another kind: to seed derivatives, to make symbols.
    pub fn map<T: Scalar>(self, mut f: impl FnMut(S) -> T) -> Parameters<T> {
        Parameters {
            gravity: self.gravity.map(&mut f),
            arms: self.arms.map(|arm| arm.map(&mut f)),
            platform_mass: f(self.platform_mass),
            payload_mass: f(self.payload_mass),
            tool: self.tool.map(&mut f),
        }
    }
}

impl Parameters<f64> {
    /// The parameters as constants of the scalar `T`.
    pub fn lift<T: Scalar>(self) -> Parameters<T> {
        self.map(T::from_f64)
    }
}
