//! What a serial arm is made of, as measured, before anything is lumped.

use super::along_x;
use crate::algebra::{Angle, Sym3, Vec3};
use crate::friction::{self, Friction};
use crate::parameter::Must::{Finite, NotNegative, NotZero};
use crate::parameter::Tolerance::{self, Amount, Known};
use crate::parameter::{AXES, EARTH, Field, Place, ROLL_PITCH_YAW, Slot, TENSOR, Unit, Visit};
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
    Field::new("gear_ratio", "n", "gear ratio", Unit::Ratio, NotZero, Known),
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
}

/// A serial arm as it is described.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SerialParameters<S, const N: usize> {
    /// How the rows are meant.
    pub convention: DhConvention,
    /// Acceleration of gravity in the base frame, m/s².
    pub gravity: Vec3<S>,
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

    /// The same with scalars of another kind.
    pub fn map<T: Scalar>(self, mut f: impl FnMut(S) -> T) -> Body<T> {
        Body { mass: f(self.mass), center_of_mass: self.center_of_mass.map(&mut f), inertia: self.inertia.map(&mut f) }
    }
}

impl<S> Body<S> {
    pub(crate) fn visit(&mut self, fields: &'static [Field; 3], place: Place, visit: &mut Visit<'_, S>) {
        let [mass, center, inertia] = fields;
        visit(mass, place, Slot::Number(&mut self.mass));
        for (k, slot) in self.center_of_mass.0.iter_mut().enumerate() {
            visit(center, place.component(k), Slot::Number(slot));
        }
        let Sym3 { xx, yy, zz, xy, yz, xz } = &mut self.inertia;
        for (k, slot) in [xx, yy, zz, xy, yz, xz].into_iter().enumerate() {
            visit(inertia, place.component(k), Slot::Number(slot));
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
        }
    }
}

impl<S> LinkParameters<S> {
    /// Visits every number of the link.
    pub fn visit(&mut self, place: Place, visit: &mut Visit<'_, S>) {
        self.body.visit(&BODY, place, visit);
        let [motor_inertia, gear_ratio, axis, a, d, alpha, theta] = &LINK;
        visit(motor_inertia, place, Slot::Number(&mut self.motor_inertia));
        visit(gear_ratio, place, Slot::Number(&mut self.gear_ratio));
        if let Some(own) = &mut self.friction {
            own.visit(&friction::FIELDS, place, visit);
        }
        if let Some(own) = &mut self.spring {
            own.visit(place, visit);
        }
        if let Some(armature) = &mut self.armature {
            for (k, slot) in armature.axis.0.iter_mut().enumerate() {
                visit(axis, place.component(k), Slot::Number(slot));
            }
        }
        visit(a, place, Slot::Number(&mut self.dh.a));
        visit(d, place, Slot::Number(&mut self.dh.d));
        visit(alpha, place, Slot::Angle(&mut self.dh.alpha));
        visit(theta, place, Slot::Angle(&mut self.dh.theta_offset));
    }
}

impl<S, const N: usize> SerialParameters<S, N> {
    /// Visits every number that the arm has, link by link, then those of the whole arm.
    pub fn visit(&mut self, visit: &mut Visit<'_, S>) {
        for (i, link) in self.links.iter_mut().enumerate() {
            link.visit(Place::part(i), visit);
        }
        self.payload.visit(&PAYLOAD, Place::WHOLE, visit);
        let [position, rpy] = &TOOL;
        for (k, slot) in self.tool.origin.0.iter_mut().enumerate() {
            visit(position, Place::WHOLE.component(k), Slot::Number(slot));
        }
        for k in 0..3 {
            visit(rpy, Place::WHOLE.component(k), Slot::Rotation(&mut self.tool.rotation));
        }
        for (k, slot) in self.gravity.0.iter_mut().enumerate() {
            visit(&GRAVITY, Place::WHOLE.component(k), Slot::Number(slot));
        }
    }
}

impl SerialParameters<f64, 0> {
    /// What an empty file says of everything but the links.
    pub fn of_empty_file(convention: DhConvention) -> Self {
        Self { convention, gravity: EARTH, links: [], tool: Frame::identity(), payload: Body::zero() }
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
    pub(crate) fn map<T: Scalar>(self, f: &mut dyn FnMut(S) -> T) -> LinkParameters<T> {
        LinkParameters {
            joint: self.joint,
            dh: DhRow {
                alpha: self.dh.alpha.map(&mut *f),
                a: f(self.dh.a),
                d: f(self.dh.d),
                theta_offset: self.dh.theta_offset.map(&mut *f),
            },
            body: self.body.map(&mut *f),
            motor_inertia: f(self.motor_inertia),
            gear_ratio: f(self.gear_ratio),
            friction: self.friction.map(|friction| friction.map(&mut *f)),
            armature: self
                .armature
                .map(|armature| Armature { carrier: armature.carrier, axis: armature.axis.map(&mut *f) }),
            spring: self.spring.map(|spring| spring.map(&mut *f)),
        }
    }
}

impl<S: Scalar, const N: usize> SerialParameters<S, N> {
    /// Every parameter as a scalar of another kind: to seed derivatives, to make symbols.
    pub fn map<T: Scalar>(self, mut f: impl FnMut(S) -> T) -> SerialParameters<T, N> {
        SerialParameters {
            convention: self.convention,
            gravity: self.gravity.map(&mut f),
            links: self.links.map(|link| link.map(&mut f)),
            tool: self.tool.map(&mut f),
            payload: self.payload.map(&mut f),
        }
    }
}

impl<const N: usize> SerialParameters<f64, N> {
    /// The parameters as constants of the scalar `T`.
    pub fn lift<T: Scalar>(self) -> SerialParameters<T, N> {
        self.map(T::from_f64)
    }
}
