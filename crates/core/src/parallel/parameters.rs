//! What a fully parallel robot is made of, as measured, before anything is lumped.

use crate::algebra::{Sym3, Vec3};
use crate::delta::{Branch, Forearm, Motor};
use crate::friction::{self, Friction};
use crate::parameter::Must::{Finite, NotNegative, NotZero, Positive};
use crate::parameter::Tolerance::{self, Amount, Known};
use crate::parameter::{AXES, EARTH, Field, Place, ROLL_PITCH_YAW, Slot, TENSOR, Unit, Visit};
use crate::scalar::Scalar;
use crate::serial::Body;
use crate::spatial::Frame;

/// The two joints of a leg.
static ENDS: [Field; 2] = [
    Field::new("base", "b", "place on the base", Unit::Length, Finite, Amount).with_components(&AXES),
    Field::new("platform", "p", "joint on the platform", Unit::Length, Finite, Amount).with_components(&AXES),
];

static ROTARY: [Field; 6] = [
    Field::new("axis", "u", "motor axis", Unit::Ratio, Finite, Known).with_components(&AXES),
    Field::new("zero", "e", "arm's direction at zero", Unit::Ratio, Finite, Known).with_components(&AXES),
    Field::new("arm.length", "la", "arm length", Unit::Length, Positive, Amount),
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

static MOTOR: [Field; 2] = [
    Field::new("motor.rotor_inertia", "ir", "rotor inertia, motor side", Unit::Inertia, NotNegative, Amount),
    Field::new("motor.gear_ratio", "n", "gear ratio", Unit::Ratio, NotZero, Known),
];

static FRICTION: [Field; 5] = [
    Field { key: "motor.friction.viscous", ..friction::FIELDS[0] },
    Field { key: "motor.friction.coulomb", ..friction::FIELDS[1] },
    Field { key: "motor.friction.static", ..friction::FIELDS[2] },
    Field { key: "motor.friction.stribeck_velocity", ..friction::FIELDS[3] },
    Field { key: "motor.friction.smoothing_velocity", ..friction::FIELDS[4] },
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
pub struct Bar<S> {
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
        arm: Bar<S>,
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
        cylinder: Bar<S>,
        /// Measured from the joint on the platform, towards the base.
        piston: Bar<S>,
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

fn vector<'v, S>(field: &'static Field, place: Place, vector: &mut Vec3<S>, visit: &mut Visit<'v, S>) {
    for (k, slot) in vector.0.iter_mut().enumerate() {
        visit(field, place.component(k), Slot::Number(slot));
    }
}

impl<S> Bar<S> {
    fn visit(&mut self, fields: &'static [Field], place: Place, visit: &mut Visit<'_, S>) {
        let slots = [&mut self.mass, &mut self.center_of_mass, &mut self.inertia];
        for (field, slot) in fields.iter().zip(slots) {
            visit(field, place, Slot::Number(slot));
        }
    }
}

fn visit_rod<S>(rod: &mut Rod<S>, place: Place, visit: &mut Visit<'_, S>) {
    let slots = [&mut rod.length, &mut rod.mass, &mut rod.center_of_mass, &mut rod.inertia];
    for (field, slot) in ROD.iter().zip(slots) {
        visit(field, place, Slot::Number(slot));
    }
}

impl<S> LegParameters<S> {
    /// Visits every number of the leg.
    pub fn visit(&mut self, place: Place, visit: &mut Visit<'_, S>) {
        let [base, platform] = &ENDS;
        vector(base, place, &mut self.base, visit);
        vector(platform, place, &mut self.platform, visit);
        match &mut self.chain {
            Chain::Rotary { axis, zero, length, arm, rod } => {
                let [about, towards, long, bar @ ..] = &ROTARY;
                vector(about, place, axis, visit);
                vector(towards, place, zero, visit);
                visit(long, place, Slot::Number(length));
                arm.visit(bar, place, visit);
                visit_rod(rod, place, visit);
            }
            Chain::Slider { direction, carriage, rod } => {
                let [along, mass] = &SLIDER;
                vector(along, place, direction, visit);
                visit(mass, place, Slot::Number(carriage));
                visit_rod(rod, place, visit);
            }
            Chain::Strut { cylinder, piston } => {
                cylinder.visit(&CYLINDER, place, visit);
                piston.visit(&PISTON, place, visit);
            }
        }
        let [inertia, ratio] = &MOTOR;
        visit(inertia, place, Slot::Number(&mut self.motor.rotor_inertia));
        visit(ratio, place, Slot::Number(&mut self.motor.gear_ratio));
        if let Some(own) = &mut self.motor.friction {
            own.visit(&FRICTION, place, visit);
        }
    }

    /// Whether its joint slides.
    pub fn slides(&self) -> bool {
        !matches!(self.chain, Chain::Rotary { .. })
    }
}

impl<S, const N: usize> ParallelParameters<S, N> {
    /// Whether the platform turns.
    pub const TURNS: bool = N > 3;

    /// Visits every number that the robot has, leg by leg, then those of the whole robot.
    pub fn visit(&mut self, visit: &mut Visit<'_, S>) {
        for (i, leg) in self.legs.iter_mut().enumerate() {
            leg.visit(Place::part(i), visit);
        }
        self.visit_whole(visit);
    }

    /// Visits the numbers of the whole robot.
    pub fn visit_whole(&mut self, visit: &mut Visit<'_, S>) {
        for (body, fields) in [(&mut self.platform, &PLATFORM), (&mut self.payload, &PAYLOAD)] {
            if Self::TURNS {
                body.visit(fields, Place::WHOLE, visit);
            } else {
                visit(&fields[0], Place::WHOLE, Slot::Number(&mut body.mass));
            }
        }
        let [gravity, position, rpy] = &WHOLE;
        vector(gravity, Place::WHOLE, &mut self.gravity, visit);
        vector(position, Place::WHOLE, &mut self.home.origin, visit);
        if Self::TURNS {
            for k in 0..3 {
                visit(rpy, Place::WHOLE.component(k), Slot::Rotation(&mut self.home.rotation));
            }
        }
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
        let bar = Bar { mass: ASKED, center_of_mass: ASKED, inertia: ASKED };
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

impl<S: Scalar> Bar<S> {
    fn map<T>(self, f: &mut dyn FnMut(S) -> T) -> Bar<T> {
        Bar { mass: f(self.mass), center_of_mass: f(self.center_of_mass), inertia: f(self.inertia) }
    }
}

fn map_rod<S: Scalar, T>(rod: Rod<S>, f: &mut dyn FnMut(S) -> T) -> Rod<T> {
    Rod { length: f(rod.length), mass: f(rod.mass), center_of_mass: f(rod.center_of_mass), inertia: f(rod.inertia) }
}

impl<S: Scalar> LegParameters<S> {
    // One function for each pair of scalars, not for each closure: a conversion is not hot, and there are many.
    fn map<T: Scalar>(self, f: &mut dyn FnMut(S) -> T) -> LegParameters<T> {
        LegParameters {
            base: self.base.map(&mut *f),
            platform: self.platform.map(&mut *f),
            chain: match self.chain {
                Chain::Rotary { axis, zero, length, arm, rod } => Chain::Rotary {
                    axis: axis.map(&mut *f),
                    zero: zero.map(&mut *f),
                    length: f(length),
                    arm: arm.map(&mut *f),
                    rod: map_rod(rod, f),
                },
                Chain::Slider { direction, carriage, rod } => {
                    Chain::Slider { direction: direction.map(&mut *f), carriage: f(carriage), rod: map_rod(rod, f) }
                }
                Chain::Strut { cylinder, piston } => {
                    Chain::Strut { cylinder: cylinder.map(&mut *f), piston: piston.map(&mut *f) }
                }
            },
            motor: Motor {
                rotor_inertia: f(self.motor.rotor_inertia),
                gear_ratio: f(self.motor.gear_ratio),
                friction: self.motor.friction.map(|friction| friction.map(&mut *f)),
            },
            branch: self.branch,
        }
    }

    /// Rotor inertia as the joint feels it: gear ratio squared times the motor-side value, kg m² (kg).
    pub fn reflected_rotor_inertia(&self) -> S {
        self.motor.rotor_inertia * self.motor.gear_ratio.square()
    }
}

impl<S: Scalar, const N: usize> ParallelParameters<S, N> {
    /// Every parameter as a scalar of another kind: to seed derivatives, to make symbols.
    pub fn map<T: Scalar>(self, mut f: impl FnMut(S) -> T) -> ParallelParameters<T, N> {
        ParallelParameters {
            gravity: self.gravity.map(&mut f),
            legs: self.legs.map(|leg| leg.map(&mut f)),
            platform: self.platform.map(&mut f),
            payload: self.payload.map(&mut f),
            home: self.home.map(&mut f),
        }
    }

    /// The same robot without inertia and weight.
    pub fn massless(mut self) -> Self {
        let none = S::zero();
        let bar = Bar { mass: none, center_of_mass: none, inertia: none };
        let light = |rod: Rod<S>| Rod { mass: none, inertia: none, ..rod };
        for leg in &mut self.legs {
            leg.motor.rotor_inertia = none;
            leg.chain = match leg.chain {
                Chain::Rotary { axis, zero, length, rod, .. } => {
                    Chain::Rotary { axis, zero, length, arm: bar, rod: light(rod) }
                }
                Chain::Slider { direction, rod, .. } => Chain::Slider { direction, carriage: none, rod: light(rod) },
                Chain::Strut { .. } => Chain::Strut { cylinder: bar, piston: bar },
            };
        }
        let nothing = Body { mass: none, center_of_mass: Vec3::zero(), inertia: Sym3::zero() };
        (self.platform, self.payload) = (nothing, nothing);
        self
    }
}
