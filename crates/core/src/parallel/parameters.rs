//! What a fully parallel robot is made of, as measured, before anything is lumped.

use crate::algebra::Vec3;
use crate::array::map;
use crate::delta::{Branch, Forearm, Motor};
use crate::friction::Friction;
use crate::parameter::Must::{Finite, NotNegative, Positive};
use crate::parameter::Tolerance::{self, Amount, Known};
use crate::parameter::{
    AXES, ByFunction, ByVisit, Convert, EARTH, Field, Place, ROLL_PITCH_YAW, TENSOR, Unit, Visit, numbers,
};
use crate::scalar::Scalar;
use crate::serial::Body;
use crate::spatial::Frame;

/// The two joints of a leg.
static ENDS: [Field; 2] = [
    Field::new("base", "b", "place on the base", Unit::Length, Finite, Amount).with_components(&AXES),
    Field::new("platform", "p", "joint on the platform", Unit::Length, Finite, Amount).with_components(&AXES),
];

static ROTARY: [Field; 3] = [
    Field::new("axis", "u", "motor axis", Unit::Ratio, Finite, Known).with_components(&AXES),
    Field::new("zero", "e", "arm's direction at zero", Unit::Ratio, Finite, Known).with_components(&AXES),
    Field::new("arm.length", "la", "arm length", Unit::Length, Positive, Amount),
];

static ARM: [Field; 3] = [
    Field::new("arm.mass", "ma", "arm mass", Unit::Mass, NotNegative, Amount),
    Field::new("arm.center_of_mass", "ca", "arm centre of mass", Unit::Length, Finite, Amount),
    Field::new("arm.inertia", "ia", "arm inertia, own centre", Unit::Inertia, NotNegative, Amount),
];

static SLIDER: [Field; 2] = [
    Field::new("direction", "u", "direction of the rail", Unit::Ratio, Finite, Known).with_components(&AXES),
    Field::new("carriage.mass", "ma", "carriage mass", Unit::Mass, NotNegative, Amount),
];

static ROD: [Field; 4] = [
    Field::new("rod.length", "lb", "rod length", Unit::Length, Positive, Amount),
    Field::new("rod.mass", "mb", "rod mass, of a pair together", Unit::Mass, NotNegative, Amount),
    Field::new("rod.center_of_mass", "cb", "rod centre of mass", Unit::Length, Finite, Amount).that_follows(),
    Field::new("rod.inertia", "ib", "rod inertia, own centre", Unit::Inertia, NotNegative, Amount).that_follows(),
];

static CYLINDER: [Field; 3] = [
    Field::new("cylinder.mass", "ma", "cylinder mass", Unit::Mass, NotNegative, Amount),
    Field::new("cylinder.center_of_mass", "ca", "cylinder centre of mass", Unit::Length, Finite, Amount),
    Field::new("cylinder.inertia", "ia", "cylinder inertia, own centre", Unit::Inertia, NotNegative, Amount),
];

static PISTON: [Field; 3] = [
    Field::new("piston.mass", "mb", "piston mass", Unit::Mass, NotNegative, Amount),
    Field::new("piston.center_of_mass", "cb", "piston centre of mass", Unit::Length, Finite, Amount),
    Field::new("piston.inertia", "ib", "piston inertia, own centre", Unit::Inertia, NotNegative, Amount),
];

const fn body(keys: [&'static str; 3], symbols: [&'static str; 3], names: [&'static str; 3]) -> [Field; 3] {
    [
        Field::new(keys[0], symbols[0], names[0], Unit::Mass, NotNegative, Amount),
        Field::new(keys[1], symbols[1], names[1], Unit::Length, Finite, Amount).with_components(&AXES),
        Field::new(keys[2], symbols[2], names[2], Unit::Inertia, Finite, Amount).with_components(&TENSOR),
    ]
}

static PLATFORM: [Field; 3] = body(
    ["platform.mass", "platform.center_of_mass", "platform.inertia"],
    ["mp", "cp", "ip"],
    ["platform mass", "platform centre of mass", "platform inertia, own centre"],
);

static PAYLOAD: [Field; 3] = body(
    ["payload.mass", "payload.center_of_mass", "payload.inertia"],
    ["ml", "cl", "il"],
    ["payload mass", "payload centre of mass", "payload inertia, own centre"],
);

static WHOLE: [Field; 3] = [
    Field::new("gravity", "g", "gravity", Unit::Acceleration, Finite, Known).with_components(&AXES),
    Field::new("home.position", "", "home position", Unit::Length, Finite, Tolerance::None).with_components(&AXES),
    Field::new("home.rpy", "", "home orientation", Unit::Angle, Finite, Tolerance::None)
        .with_components(&ROLL_PITCH_YAW),
];

/// The rod of a leg, or the pair of rods as one rod with the mass of the pair (`crates/papers/errata.md`, §0). Its centre of mass is
/// measured from the end that the motor moves.
pub use crate::delta::Forearm as Rod;

/// A body that is long and thin: its mass, its centre of mass along it, its inertia across it about that centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlenderBody<S> {
    /// kg.
    pub mass: S,
    /// From its joint, along the leg, m.
    pub center_of_mass: S,
    /// About the centre of mass, kg m².
    pub inertia: S,
}

/// What a motor moves, and what that moves the platform with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Chain<S> {
    /// An arm on a motor that turns, then a rod: Delta, HEXA.
    Rotary {
        /// Unit vector; the arm turns about it by q.
        axis: Vec3<S>,
        /// Unit vector across the axis: where the arm points to at q = 0.
        zero: Vec3<S>,
        /// From the axis to the rod, m.
        length: S,
        /// The arm, along it from the axis; its inertia is about an axis parallel to the motor's.
        arm: SlenderBody<S>,
        /// From the arm's end to the platform.
        rod: Rod<S>,
    },
    /// A carriage on a straight rail, then a rod: linear Delta, Hexaglide.
    Slider {
        /// Unit vector; the carriage is at `base` + q `direction`.
        direction: Vec3<S>,
        /// kg.
        carriage: S,
        /// From the carriage to the platform.
        rod: Rod<S>,
    },
    /// A leg that changes its length, between two ball or universal joints: Gough and Stewart. q is the distance of these.
    /// Neither body spins about the leg's line.
    Strut {
        /// Measured from the joint on the base.
        cylinder: SlenderBody<S>,
        /// Measured from the joint on the platform, towards the base.
        piston: SlenderBody<S>,
    },
}

/// One leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegParameters<S> {
    /// On the motor's axis in the plane of the arm; on the rail at q = 0; the strut's joint. Base frame, m.
    pub base: Vec3<S>,
    /// The joint on the platform, platform frame, m.
    pub platform: Vec3<S>,
    /// What is between.
    pub chain: Chain<S>,
    /// The drive. Where the joint slides, its gear ratio is rad/m.
    pub motor: Motor<S>,
    /// Which of the two joints that reach a platform is usual: out is the one with w > 0. A strut has one only.
    pub branch: Branch,
}

/// A fully parallel robot as it is described: as many legs as its platform has freedoms, three that translate it or six.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParallelParameters<S, const N: usize> {
    /// Acceleration of gravity in the base frame, m/s².
    pub gravity: Vec3<S>,
    /// The legs.
    pub legs: [LegParameters<S>; N],
    /// In the platform frame. A platform that does not turn is its mass alone.
    pub platform: Body<S>,
    /// What is carried, in the platform frame.
    pub payload: Body<S>,
    /// A pose of the assembly that is meant: where the legs of given joints could hold the platform in several poses, it is
    /// the one that is reached from here.
    pub home: Frame<S>,
}

impl<S: Scalar> SlenderBody<S> {
    fn convert<T: Scalar>(
        &self,
        fields: &'static [Field; 3],
        place: Place,
        each: &mut dyn Convert<S, T>,
    ) -> SlenderBody<T> {
        let given = [self.mass, self.center_of_mass, self.inertia];
        let [mass, center_of_mass, inertia] = numbers(each, fields, place, given);
        SlenderBody { mass, center_of_mass, inertia }
    }
}

impl<S: Scalar> LegParameters<S> {
    // One function for each pair of scalars, not for each closure: a conversion is not hot, and there are many.
    fn convert<T: Scalar>(&self, place: Place, each: &mut dyn Convert<S, T>) -> LegParameters<T> {
        let [base, platform] = &ENDS;
        LegParameters {
            base: each.vector(base, place, self.base),
            platform: each.vector(platform, place, self.platform),
            chain: match &self.chain {
                Chain::Rotary { axis, zero, length, arm, rod } => {
                    let [about, towards, long] = &ROTARY;
                    Chain::Rotary {
                        axis: each.vector(about, place, *axis),
                        zero: each.vector(towards, place, *zero),
                        length: each.number(long, place, *length),
                        arm: arm.convert(&ARM, place, each),
                        rod: rod.convert(&ROD, place, each),
                    }
                }
                Chain::Slider { direction, carriage, rod } => {
                    let [along, mass] = &SLIDER;
                    Chain::Slider {
                        direction: each.vector(along, place, *direction),
                        carriage: each.number(mass, place, *carriage),
                        rod: rod.convert(&ROD, place, each),
                    }
                }
                Chain::Strut { cylinder, piston } => Chain::Strut {
                    cylinder: cylinder.convert(&CYLINDER, place, each),
                    piston: piston.convert(&PISTON, place, each),
                },
            },
            motor: self.motor.convert(place, each),
            branch: self.branch,
        }
    }

    /// Visits every number of the leg.
    pub fn visit(&mut self, place: Place, visit: &mut Visit<'_, S>) {
        *self = self.convert(place, &mut ByVisit(visit));
    }

    /// Rotor inertia as the joint feels it: gear ratio squared times the motor-side value, kg m² (kg).
    pub fn reflected_rotor_inertia(&self) -> S {
        self.motor.rotor_inertia * self.motor.gear_ratio.square()
    }

    /// Whether its joint slides.
    pub fn slides(&self) -> bool {
        !matches!(self.chain, Chain::Rotary { .. })
    }
}

impl<S: Scalar, const N: usize> ParallelParameters<S, N> {
    /// Whether the platform turns.
    pub const TURNS: bool = N > 3;

    fn convert<T: Scalar>(
        &self,
        legs: [LegParameters<T>; N],
        each: &mut dyn Convert<S, T>,
    ) -> ParallelParameters<T, N> {
        let [gravity, home @ ..] = &WHOLE;
        let (whole, turns) = (Place::WHOLE, Self::TURNS);
        let [platform, payload] =
            map([(&self.platform, &PLATFORM), (&self.payload, &PAYLOAD)], |(body, fields)| match turns {
                true => body.convert(fields, whole, each),
                // Of a platform that only translates files have the mass.
                false => Body {
                    mass: each.number(&fields[0], whole, body.mass),
                    center_of_mass: body.center_of_mass.map(|x| each.unlisted(x)),
                    inertia: body.inertia.map(|x| each.unlisted(x)),
                },
            });
        ParallelParameters {
            legs,
            platform,
            payload,
            gravity: each.vector(gravity, whole, self.gravity),
            home: match turns {
                true => each.frame(home, whole, self.home),
                false => Frame {
                    origin: each.vector(&home[0], whole, self.home.origin),
                    rotation: self.home.rotation.map(|x| each.unlisted(x)),
                },
            },
        }
    }

    fn convert_legs<T: Scalar>(&self, each: &mut dyn Convert<S, T>) -> [LegParameters<T>; N] {
        crate::array::from_fn(|i| self.legs[i].convert(Place::part(i), each))
    }

    /// Visits every number that the robot has, leg by leg, then those of the whole robot.
    pub fn visit(&mut self, visit: &mut Visit<'_, S>) {
        self.legs = self.convert_legs(&mut ByVisit(visit));
        self.visit_whole(visit);
    }

    /// Visits the numbers of the whole robot.
    pub fn visit_whole(&mut self, visit: &mut Visit<'_, S>) {
        *self = self.convert(self.legs, &mut ByVisit(visit));
    }

    /// Every parameter as a scalar of another kind: to seed derivatives, to make symbols.
    pub fn map<T: Scalar>(self, f: impl FnMut(S) -> T) -> ParallelParameters<T, N> {
        let mut each = ByFunction(f);
        self.convert(self.convert_legs(&mut each), &mut each)
    }
}

const ASKED: f64 = f64::NAN;

impl LegParameters<f64> {
    /// What an empty table says: its defaults, and NaN for what a file must say.
    pub fn of_empty_file(chain: Chain<f64>) -> Self {
        Self {
            base: Vec3([ASKED; 3]),
            platform: Vec3([ASKED; 3]),
            chain,
            motor: Motor { rotor_inertia: 0.0, gear_ratio: 1.0, friction: Some(Friction::of_empty_file()) },
            branch: Branch::Out,
        }
    }
}

impl Chain<f64> {
    /// The three kinds with nothing said of them, in the order rotary, slider, strut.
    pub fn of_empty_file() -> [Self; 3] {
        let direction = Vec3([ASKED; 3]);
        let bar = SlenderBody { mass: ASKED, center_of_mass: ASKED, inertia: ASKED };
        let rod = Forearm { length: ASKED, mass: ASKED, center_of_mass: ASKED, inertia: ASKED };
        [
            Self::Rotary { axis: direction, zero: direction, length: ASKED, arm: bar, rod },
            Self::Slider { direction, carriage: ASKED, rod },
            Self::Strut { cylinder: bar, piston: bar },
        ]
    }
}

impl<const N: usize> ParallelParameters<f64, N> {
    /// What a file with these legs says that says nothing else.
    pub fn of_empty_file(legs: [LegParameters<f64>; N]) -> Self {
        Self {
            gravity: EARTH,
            legs,
            platform: Body { mass: ASKED, ..Body::zero() },
            payload: Body::zero(),
            home: Frame::at(Vec3([ASKED; 3])),
        }
    }

    /// The parameters as constants of the scalar `T`.
    pub fn lift<T: Scalar>(self) -> ParallelParameters<T, N> {
        self.map(T::from_f64)
    }
}
