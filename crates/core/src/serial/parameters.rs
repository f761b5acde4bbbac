//! What a serial arm is made of, as measured, before anything is lumped.

use crate::algebra::{Angle, Sym3, Vec3};
use crate::friction::Friction;
use crate::scalar::Scalar;
use crate::spatial::Frame;

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

impl<S: Scalar> LinkParameters<S> {
    fn map<T: Scalar>(self, f: &mut impl FnMut(S) -> T) -> LinkParameters<T> {
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
