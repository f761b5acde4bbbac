//! What a serial arm is made of, as measured, before anything is lumped.

use super::{Coupling, along_x};
use crate::algebra::{Angle, Sym3, Vec3};
use crate::friction::{self, Friction};
use crate::parameter::Must::{Finite, NotNegative, NotZero};
use crate::parameter::Tolerance::{self, Amount, Known};
use crate::parameter::{AXES, ByFunction, ByVisit, Convert, EARTH, Field, Place, ROLL_PITCH_YAW, TENSOR, Unit, Visit};
use crate::scalar::Scalar;
use crate::spatial::Frame;
use crate::spring::Spring;

/// The parameters of a body; their keys are those of a link's table, or of the table `payload`.
static BODY: [Field; 3] = [
    Field::new("mass", "m", "mass", Unit::Mass, NotNegative, Amount),
    Field::new("center_of_mass", "c", "centre of mass", Unit::Length, Finite, Amount).with_components(&AXES),
    Field::new("inertia", "i", "inertia, own centre", Unit::Inertia, Finite, Amount).with_components(&TENSOR),
];

/// The parameters of a payload.
pub(crate) static PAYLOAD: [Field; 3] = [
    Field { key: "payload.mass", name: "payload mass", ..BODY[0] },
    Field { key: "payload.center_of_mass", name: "payload centre of mass", ..BODY[1] },
    Field { key: "payload.inertia", name: "payload inertia, own centre", ..BODY[2] },
];

/// The other parameters of a link but for friction, in the order in which they are visited.
static LINK: [Field; 7] = [
    Field::new("motor_inertia", "im", "motor inertia, joint side", Unit::MotorInertia, NotNegative, Amount),
    Field::new("gear_ratio", "n", "gear ratio", Unit::GearRatio, NotZero, Known),
    Field::new("armature.axis", "u", "axis of the armature", Unit::Ratio, Finite, Known).with_components(&AXES),
    Field::new("a", "a", "length along x", Unit::Length, Finite, Amount),
    Field::new("d", "d", "offset along z", Unit::Length, Finite, Amount),
    Field::new("alpha", "alpha", "twist about x", Unit::Angle, Finite, Tolerance::Angle),
    Field::new("theta_offset", "theta", "angle added to the joint", Unit::Angle, Finite, Tolerance::Angle),
];

/// The parameters of a tool.
pub(crate) static TOOL: [Field; 2] = [
    Field::new("tool.position", "e", "tool position", Unit::Length, Finite, Amount).with_components(&AXES),
    Field::new("tool.rpy", "e", "tool orientation", Unit::Angle, Finite, Tolerance::Angle)
        .with_components(&ROLL_PITCH_YAW),
];

/// Where the base frame of an arm stands in the world.
static BASE: [Field; 2] = [
    Field::new("base.position", "b", "base position", Unit::Length, Finite, Amount).with_components(&AXES),
    Field::new("base.rpy", "b", "base orientation", Unit::Angle, Finite, Tolerance::Angle)
        .with_components(&ROLL_PITCH_YAW),
];

static GRAVITY: Field = Field::new("gravity", "g", "gravity", Unit::Acceleration, Finite, Known).with_components(&AXES);

/// How the rows of Denavit and Hartenberg are to be read. Both turn by θ about z and shift by d along it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DhConvention {
    /// Craig's: frame i−1 → i is Rx(α_(i−1)) Tx(a_(i−1)) Rz(θ_i) Tz(d_i); joint i turns about z of its own frame.
    #[default]
    Modified,
    /// Denavit and Hartenberg's, Paul's: Rz(θ_i) Tz(d_i) Tx(a_i) Rx(α_i); joint i turns about z of the frame before.
    Standard,
}

/// What a joint does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joint {
    /// Turns by q about its axis.
    #[default]
    Revolute,
    /// Slides by q along its axis.
    Prismatic,
}

/// A row of the table of Denavit and Hartenberg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DhRow<S> {
    /// Twist about x; α_(i−1) if modified, α_i if standard.
    pub alpha: Angle<S>,
    /// Length along x, m; a_(i−1) if modified, a_i if standard.
    pub a: S,
    /// Offset along z, m; prismatic: added to q.
    pub d: S,
    /// Revolute: added to q; prismatic: the constant angle.
    pub theta_offset: Angle<S>,
}

/// A rigid body: mass, centre of mass and inertia, all in the frame it is given in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body<S> {
    /// kg.
    pub mass: S,
    /// m.
    pub center_of_mass: Vec3<S>,
    /// Tensor about the centre of mass, axes of the frame, kg m². Off the diagonal stand the entries of the tensor,
    /// −∫xy dm and so on.
    pub inertia: Sym3<S>,
}

/// The spinning rotor of a motor, where its gyroscopic forces are to be counted.
///
/// Its mass and its own inertia belong to the link that carries it. What is counted here is the angular momentum
/// (reflected inertia / gear ratio)·q̇ along its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Armature<S> {
    /// The link that carries the motor: 0 is the base, 1 the first link.
    pub carrier: usize,
    /// Unit vector of the spin for q̇ > 0, in the frame of the carrier.
    pub axis: Vec3<S>,
}

/// One link with the joint before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkParameters<S> {
    /// What its joint does.
    pub joint: Joint,
    /// Where it is.
    pub dh: DhRow<S>,
    /// What it weighs, in the link's frame.
    pub body: Body<S>,
    /// Inertia of motor and drive as the joint feels it: kg m² (prismatic: kg).
    pub motor_inertia: S,
    /// Motor speed over joint speed.
    pub gear_ratio: S,
    /// At the joint; `None` costs nothing.
    pub friction: Option<Friction<S>>,
    /// Gyroscopic forces of the motor; `None` costs nothing.
    pub armature: Option<Armature<S>>,
    /// What pulls at the joint by where it is; `None` costs nothing.
    pub spring: Option<Spring<S>>,
    /// Other joints that the motor turns with, so that its rotor and its friction couple them; `None` costs nothing.
    pub coupling: Option<Coupling<S>>,
}

/// A serial arm as it is described.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SerialParameters<S, const N: usize> {
    /// How the rows are meant.
    pub convention: DhConvention,
    /// Acceleration of gravity in the world, m/s².
    pub gravity: Vec3<S>,
    /// The base frame in the world, where it is not the world's own frame.
    pub base: Option<Frame<S>>,
    /// The links, from the base on.
    pub links: [LinkParameters<S>; N],
    /// The tool frame in the frame of the last link.
    pub tool: Frame<S>,
    /// What is carried, in the tool frame: additive and reversible.
    pub payload: Body<S>,
}

impl<S: Scalar> Body<S> {
    /// Nothing.
    pub fn zero() -> Self {
        Self { mass: S::zero(), center_of_mass: Vec3::zero(), inertia: Sym3::zero() }
    }

    /// Converts its numbers.
    pub(crate) fn convert<T: Scalar>(
        &self,
        [mass, center, inertia]: &'static [Field; 3],
        place: Place,
        each: &mut dyn Convert<S, T>,
    ) -> Body<T> {
        Body {
            mass: each.number(mass, place, self.mass),
            center_of_mass: each.vector(center, place, self.center_of_mass),
            inertia: each.tensor(inertia, place, self.inertia),
        }
    }
}

impl LinkParameters<f64> {
    /// What an empty table says: its defaults, every part but the armature, and NaN for what a file must say.
    pub fn of_empty_file(joint: Joint) -> Self {
        const ASKED: f64 = f64::NAN;
        let asked = Angle { cos: ASKED, sin: ASKED };
        Self {
            joint,
            dh: DhRow { alpha: asked, a: ASKED, d: ASKED, theta_offset: Angle::from_radians(0.0) },
            body: Body { mass: ASKED, ..Body::zero() },
            motor_inertia: 0.0,
            gear_ratio: 1.0,
            friction: Some(Friction::of_empty_file()),
            armature: None,
            spring: Some(Spring::NONE),
            coupling: None,
        }
    }
}

impl<S: Scalar, const N: usize> SerialParameters<S, N> {
    fn convert<T: Scalar>(&self, each: &mut dyn Convert<S, T>) -> SerialParameters<T, N> {
        SerialParameters {
            convention: self.convention,
            #[allow(clippy::disallowed_methods)] // once per robot; and a chain's surroundings have no links
            links: core::array::from_fn(|i| self.links[i].convert(Place::part(i), each)),
            payload: self.payload.convert(&PAYLOAD, Place::WHOLE, each),
            tool: each.frame(&TOOL, Place::WHOLE, self.tool),
            base: self.base.map(|base| each.frame(&BASE, Place::WHOLE, base)),
            gravity: each.vector(&GRAVITY, Place::WHOLE, self.gravity),
        }
    }

    /// The base frame in the world.
    pub fn base_frame(&self) -> Frame<S> {
        self.base.unwrap_or(Frame::identity())
    }

    /// Acceleration of gravity in the base frame, m/s².
    pub fn base_gravity(&self) -> Vec3<S> {
        self.base.map_or(self.gravity, |base| base.rotation.transpose() * self.gravity)
    }

    /// Visits every number that the arm has, link by link, then those of the whole arm.
    pub fn visit(&mut self, visit: &mut Visit<'_, S>) {
        *self = self.convert(&mut ByVisit(visit));
    }

    /// Every parameter as a scalar of another kind: to seed derivatives, to make symbols.
    pub fn map<T: Scalar>(self, f: impl FnMut(S) -> T) -> SerialParameters<T, N> {
        self.convert(&mut ByFunction(f))
    }
}

impl SerialParameters<f64, 0> {
    /// What an empty file says of everything but the links.
    pub fn of_empty_file(convention: DhConvention) -> Self {
        Self { convention, gravity: EARTH, base: None, links: [], tool: Frame::identity(), payload: Body::zero() }
    }
}

impl<S: Scalar> LinkParameters<S> {
    /// A link that carries nothing and slides, in the frame of the link before; its motor's inertia is one.
    pub(crate) fn nothing() -> Self {
        let none = Angle { cos: S::one(), sin: S::zero() };
        Self {
            joint: Joint::Prismatic,
            dh: DhRow { alpha: none, a: S::zero(), d: S::zero(), theta_offset: none },
            body: Body::zero(),
            motor_inertia: S::one(),
            gear_ratio: S::one(),
            friction: None,
            armature: None,
            spring: None,
            coupling: None,
        }
    }

    /// From the link's frame, as it is given, to that of its joint.
    pub(crate) fn moved(&self, convention: DhConvention) -> Frame<S> {
        match convention {
            DhConvention::Standard => along_x(self.dh.alpha, self.dh.a),
            DhConvention::Modified => Frame::identity(),
        }
    }

    // One function for each pair of scalars, not for each closure: a conversion is not hot, and there are many.
    pub(crate) fn convert<T: Scalar>(&self, place: Place, each: &mut dyn Convert<S, T>) -> LinkParameters<T> {
        let [motor_inertia, gear_ratio, axis, a, d, alpha, theta] = &LINK;
        LinkParameters {
            joint: self.joint,
            body: self.body.convert(&BODY, place, each),
            motor_inertia: each.number(motor_inertia, place, self.motor_inertia),
            gear_ratio: each.number(gear_ratio, place, self.gear_ratio),
            friction: self.friction.map(|own| own.convert(&friction::FIELDS, place, each)),
            spring: self.spring.map(|own| own.convert(place, each)),
            coupling: self.coupling.map(|own| own.convert(place, each)),
            armature: self
                .armature
                .map(|own| Armature { carrier: own.carrier, axis: each.vector(axis, place, own.axis) }),
            dh: DhRow {
                a: each.number(a, place, self.dh.a),
                d: each.number(d, place, self.dh.d),
                alpha: each.angle(alpha, place, self.dh.alpha),
                theta_offset: each.angle(theta, place, self.dh.theta_offset),
            },
        }
    }

    /// Visits every number of the link.
    pub fn visit(&mut self, place: Place, visit: &mut Visit<'_, S>) {
        *self = self.convert(place, &mut ByVisit(visit));
    }
}

impl<const N: usize> SerialParameters<f64, N> {
    /// The parameters as constants of the scalar `T`.
    pub fn lift<T: Scalar>(self) -> SerialParameters<T, N> {
        self.map(T::from_f64)
    }
}
