//! What a Delta robot is made of, as measured, before anything is lumped.

use crate::algebra::{Vec3, three};
use crate::friction::{self, Friction};
use crate::parameter::Must::{Finite, NotNegative, NotZero, Positive};
use crate::parameter::Tolerance::{self, Amount, Known};
use crate::parameter::{AXES, ByFunction, ByVisit, Convert, EARTH, Field, Place, Unit, Visit, numbers};
use crate::scalar::Scalar;

/// The parameters of one arm but for its forearm and motor.
static ARM: [Field; 11] = [
    Field::new("base.radius", "rb", "base radius", Unit::Length, NotNegative, Amount),
    Field::new("base.azimuths", "phi", "azimuth", Unit::Angle, Finite, Tolerance::Angle),
    Field::new("upper_arm.length", "la", "upper arm length", Unit::Length, Positive, Amount),
    Field::new("upper_arm.mass", "ma", "upper arm mass", Unit::Mass, NotNegative, Amount),
    Field::new("upper_arm.center_of_mass", "ca", "upper arm centre of mass", Unit::Length, Finite, Amount),
    Field::new(
        "upper_arm.center_of_mass_offset",
        "oa",
        "upper arm centre of mass, offset",
        Unit::Length,
        Finite,
        Amount,
    ),
    Field::new("upper_arm.inertia", "ia", "upper arm inertia, own centre", Unit::Inertia, NotNegative, Amount),
    Field::new("upper_arm.elbow_mass", "me", "elbow mass", Unit::Mass, NotNegative, Amount),
    Field::new("platform.radius", "rp", "platform radius", Unit::Length, NotNegative, Amount),
    Field::new("joints.passive_damping", "dp", "passive damping", Unit::Damping, NotNegative, Amount),
    Field::new("joints.zero_offset", "q0", "zero offset", Unit::Position, Finite, Tolerance::None),
];

static FOREARM: [Field; 4] = [
    Field::new("forearm.length", "lb", "forearm length", Unit::Length, Positive, Amount),
    Field::new("forearm.mass", "mb", "forearm mass, of the pair", Unit::Mass, NotNegative, Amount),
    Field::new("forearm.center_of_mass", "cb", "forearm centre of mass", Unit::Length, Finite, Amount).that_follows(),
    Field::new("forearm.inertia", "ib", "forearm inertia, own centre", Unit::Inertia, NotNegative, Amount)
        .that_follows(),
];

static MOTOR: [Field; 2] = [
    Field::new("motor.rotor_inertia", "ir", "rotor inertia, motor side", Unit::RotorInertia, NotNegative, Amount),
    Field::new("motor.gear_ratio", "n", "gear ratio", Unit::GearRatio, NotZero, Known),
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
    /// Distance of the centre of mass from the line motor axis–elbow, in the arm's plane, m: positive towards e′, the side to
    /// which the elbow moves as q grows (below a horizontal arm). `None` costs nothing.
    pub center_of_mass_offset: Option<S>,
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
    /// The arm's angle below the horizontal where the joint reads zero, rad; `None` costs nothing.
    pub zero_offset: Option<S>,
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

impl<S: Scalar> Forearm<S> {
    /// Converts its numbers.
    pub(crate) fn convert<T: Scalar>(
        &self,
        fields: &'static [Field; 4],
        place: Place,
        each: &mut dyn Convert<S, T>,
    ) -> Forearm<T> {
        let given = [self.length, self.mass, self.center_of_mass, self.inertia];
        let [length, mass, center_of_mass, inertia] = numbers(each, fields, place, given);
        Forearm { length, mass, center_of_mass, inertia }
    }
}

impl<S: Scalar> Motor<S> {
    /// Converts its numbers.
    pub(crate) fn convert<T: Scalar>(&self, place: Place, each: &mut dyn Convert<S, T>) -> Motor<T> {
        let [rotor_inertia, gear_ratio] = numbers(each, &MOTOR, place, [self.rotor_inertia, self.gear_ratio]);
        let friction = self.friction.map(|own| own.convert(&friction::MOTOR_FIELDS, place, each));
        Motor { rotor_inertia, gear_ratio, friction }
    }
}

impl<S: Scalar> ArmParameters<S> {
    // One function for each pair of scalars, not for each closure: a conversion is not hot, and there are many.
    fn convert<T: Scalar>(&self, place: Place, each: &mut dyn Convert<S, T>) -> ArmParameters<T> {
        let [rb, phi, la, ma, ca, oa, ia, me, rp, dp, zero] = &ARM;
        let arm = &self.upper_arm;
        ArmParameters {
            base_radius: each.number(rb, place, self.base_radius),
            azimuth: each.angle(phi, place, self.azimuth),
            upper_arm: UpperArm {
                length: each.number(la, place, arm.length),
                mass: each.number(ma, place, arm.mass),
                center_of_mass: each.number(ca, place, arm.center_of_mass),
                center_of_mass_offset: arm.center_of_mass_offset.map(|offset| each.number(oa, place, offset)),
                inertia: each.number(ia, place, arm.inertia),
                elbow_mass: arm.elbow_mass.map(|mass| each.number(me, place, mass)),
            },
            forearm: self.forearm.convert(&FOREARM, place, each),
            platform_radius: each.number(rp, place, self.platform_radius),
            motor: self.motor.convert(place, each),
            passive_damping: self.passive_damping.map(|damping| each.number(dp, place, damping)),
            zero_offset: self.zero_offset.map(|offset| each.number(zero, place, offset)),
        }
    }
}

impl<S: Scalar> Parameters<S> {
    fn convert<T: Scalar>(&self, each: &mut dyn Convert<S, T>) -> Parameters<T> {
        let [platform, payload, gravity, tool] = &WHOLE;
        let whole = Place::WHOLE;
        Parameters {
            arms: three(|i| self.arms[i].convert(Place::part(i), each)),
            platform_mass: each.number(platform, whole, self.platform_mass),
            payload_mass: each.number(payload, whole, self.payload_mass),
            gravity: each.vector(gravity, whole, self.gravity),
            tool: each.vector(tool, whole, self.tool),
        }
    }

    /// Visits every number that the robot has, arm by arm, then those of the whole robot.
    pub fn visit(&mut self, visit: &mut Visit<'_, S>) {
        *self = self.convert(&mut ByVisit(visit));
    }

    /// Every parameter as a scalar of another kind: to seed derivatives, to make symbols.
    pub fn map<T: Scalar>(self, f: impl FnMut(S) -> T) -> Parameters<T> {
        self.convert(&mut ByFunction(f))
    }
}

impl UpperArm<f64> {
    /// Whether its centre of mass is beside the line motor axis–elbow.
    pub fn is_off_line(&self) -> bool {
        self.center_of_mass_offset.is_some_and(|offset| offset != 0.0)
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
                center_of_mass_offset: Some(0.0),
                inertia: ASKED,
                elbow_mass: Some(0.0),
            },
            forearm: Forearm { length: ASKED, mass: ASKED, center_of_mass: ASKED, inertia: ASKED },
            motor: Motor { rotor_inertia: 0.0, gear_ratio: 1.0, friction: Some(Friction::of_empty_file()) },
            passive_damping: Some(0.0),
            zero_offset: Some(0.0),
        };
        Self {
            gravity: EARTH,
            arms: [arm(0.0), arm(120.0), arm(240.0)],
            platform_mass: ASKED,
            payload_mass: 0.0,
            tool: Vec3::zero(),
        }
    }

    /// The parameters as constants of the scalar `T`.
    pub fn lift<T: Scalar>(self) -> Parameters<T> {
        self.map(T::from_f64)
    }
}

impl<S: Scalar> UpperArm<S> {
    /// The mass at the elbow, zero where none is given, kg.
    pub fn mass_at_elbow(&self) -> S {
        self.elbow_mass.unwrap_or(S::zero())
    }

    /// Mass times the squared distance of the centre of mass from the motor axis, kg m²: inertia about the axis less `inertia`.
    pub fn steiner(&self) -> S {
        let along = self.center_of_mass.square();
        self.mass * self.center_of_mass_offset.map_or(along, |offset| along + offset.square())
    }
}
