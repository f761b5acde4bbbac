//! Serial arms: revolute and prismatic joints in a row, any number known at compile time.
//!
//! The stages of an evaluation are types, so that a stale value does not compile:
//!
//! ```
//! # use dalembert_core::serial::{Serial, SerialError};
//! # fn example(robot: &Serial<f64, 6>, q: [f64; 6], qd: [f64; 6], qdd: [f64; 6]) -> Result<(), SerialError> {
//! let pose = robot.at_joints(q)?;             // sines, cosines, offsets
//! let moving = pose.moving(qd);               // angular velocities
//! let torque = moving.torque(qdd);            // inverse dynamics
//! let back = moving.acceleration(torque);     // forward dynamics
//! # Ok(()) }
//! ```
//!
//! Inside there is one convention, Craig's. The standard one is the same with every frame moved back along its x axis to
//! its joint: Rz Tz Tx Rx = (Rz Tz)(Rx Tx), so α_i and a_i of link i become those before joint i+1, and the body of link i
//! is expressed in the moved frame once, at construction.

mod articulated;
mod check;
mod coriolis;
mod dynamics;
mod energy;
mod inverse_kinematics;
mod kinematics;
mod mass_matrix;
mod newton_euler;
mod parameters;
mod part;
pub mod puma;
mod steering;

pub(crate) use articulated::{Articulated, Freed};
pub use check::{SerialError, SerialParameterError};
pub(crate) use check::{check_body, check_link, check_numbers, check_rotation, finite};
pub use coriolis::Configuration;
pub use inverse_kinematics::{
    ClosedForm, Elbow, GeometryDoesNotApply, Inverse, InverseError, MAX_JOINTS, Method, NEARLY_REACHED, PumaBranch,
    PumaGeometry, PumaSolution, REACHED, Rates, Shoulder, Singularity, Solution, Solutions, Wrist,
};
pub(crate) use kinematics::{Attached, axis, cross_z, crossed, z};
pub use kinematics::{Jacobian, Moving, Pose, ToolMotion};
pub(crate) use newton_euler::Motion;
pub use parameters::{Armature, Body, DhConvention, DhRow, Joint, LinkParameters, SerialParameters};
pub(crate) use parameters::{PAYLOAD, TOOL};
pub(crate) use part::pass_on;
pub use part::{Accelerating, Part};
pub use steering::TOOL_SINGULAR;

use crate::algebra::{Angle, Mat3, Sym3, Vec3};
use crate::friction::Friction;
use crate::scalar::Scalar;
use crate::spatial::Frame;
use crate::spring::Spring;

/// A serial arm ready for evaluation: its parameters and the constants lumped from them once.
#[derive(Clone, Copy, Debug)]
pub struct Serial<S, const N: usize> {
    parameters: SerialParameters<S, N>,
    pub(crate) links: [Link<S>; N],
    /// The tool in the last joint's frame.
    pub(crate) tool: Frame<S>,
}

/// What the formulas need of one link, in the frame of its joint (Craig's, whatever the convention of the file).
#[derive(Clone, Copy, Debug)]
pub struct Link<S> {
    /// What its joint does.
    pub joint: Joint,
    /// Twist before the joint.
    pub alpha: Angle<S>,
    /// Length before the joint, m.
    pub a: S,
    /// Offset along the axis, m.
    pub d: S,
    /// Added to q; prismatic: the constant angle.
    pub theta: Angle<S>,
    /// Of the link, and of what is carried if it is the last one.
    pub inertia: Inertia<S>,
    /// Reflected inertia of motor and drive.
    pub motor: S,
    /// At the joint.
    pub friction: Option<Friction<S>>,
    /// Spin of the armature.
    pub spin: Option<Spin<S>>,
    /// What pulls at the joint by where it is.
    pub spring: Option<Spring<S>>,
}

/// The angular momentum of an armature per joint speed, in the joint frame of the link that carries it.
#[derive(Clone, Copy, Debug)]
pub struct Spin<S> {
    /// Index of the carrier; `None`: the base.
    pub carrier: Option<usize>,
    /// (I_m/G) u.
    pub momentum: Vec3<S>,
}

/// Mass, first moment and inertia about the origin of a frame: what a body adds up to.
#[derive(Clone, Copy, Debug)]
pub struct Inertia<S> {
    /// m.
    pub mass: S,
    /// h = m c.
    pub moment: Vec3<S>,
    /// I_o.
    pub inertia: Sym3<S>,
}

impl<S: Scalar> Inertia<S> {
    /// A body whose frame is `frame`, about the origin that `frame` is given in.
    pub(crate) fn new(body: &Body<S>, frame: &Frame<S>) -> Self {
        let center = frame.point(body.center_of_mass);
        Self {
            mass: body.mass,
            moment: center * body.mass,
            inertia: body.inertia.turned(frame.rotation) + Sym3::point_mass(center) * body.mass,
        }
    }

    pub(crate) fn map<T: Scalar>(self, mut f: impl FnMut(S) -> T) -> Inertia<T> {
        Inertia { mass: f(self.mass), moment: self.moment.map(&mut f), inertia: self.inertia.map(&mut f) }
    }

    /// So many of it, which need not be positive.
    #[inline(always)]
    pub fn times(self, count: S) -> Self {
        Self { mass: self.mass * count, moment: self.moment * count, inertia: self.inertia * count }
    }

    /// Both together.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self { mass: self.mass + other.mass, moment: self.moment + other.moment, inertia: self.inertia + other.inertia }
    }
}

/// Rx(α) Tx(a).
pub(crate) fn along_x<S: Scalar>(alpha: Angle<S>, a: S) -> Frame<S> {
    let (o, l) = (S::zero(), S::one());
    let rotation = Mat3([Vec3([l, o, o]), Vec3([o, alpha.cos, -alpha.sin]), Vec3([o, alpha.sin, alpha.cos])]);
    Frame { rotation, origin: Vec3([a, o, o]) }
}

impl<S: Scalar, const N: usize> Serial<S, N> {
    /// The arm with these parameters, without a check: for scalars that cannot be checked. For `f64` use
    /// [`Serial::try_new`].
    pub fn new(parameters: SerialParameters<S, N>) -> Self {
        let given = &parameters.links;
        let standard = parameters.convention == DhConvention::Standard;
        let none = Angle { cos: S::one(), sin: S::zero() };
        // From each link's frame, as it is given, to that of its joint.
        let moved = |i: usize| match standard {
            true => along_x(given[i].dh.alpha, given[i].dh.a),
            false => Frame::identity(),
        };
        let tool = if N == 0 { parameters.tool } else { moved(N - 1).then(&parameters.tool) };
        let links = core::array::from_fn(|i| {
            let link = &given[i];
            let (alpha, a) = match (standard, i) {
                (false, _) => (link.dh.alpha, link.dh.a),
                (true, 0) => (none, S::zero()),
                (true, _) => (given[i - 1].dh.alpha, given[i - 1].dh.a),
            };
            let own = Inertia::new(&link.body, &moved(i));
            Link {
                joint: link.joint,
                alpha,
                a,
                d: link.dh.d,
                theta: link.dh.theta_offset,
                inertia: if i + 1 == N { own.plus(Inertia::new(&parameters.payload, &tool)) } else { own },
                motor: link.motor_inertia,
                friction: link.friction,
                spring: link.spring,
                spin: link.armature.map(|armature| {
                    let carrier = armature.carrier.checked_sub(1).filter(|&k| k < N);
                    let axis = carrier.map_or(armature.axis, |k| moved(k).rotation * armature.axis);
                    Spin { carrier, momentum: axis * (link.motor_inertia / link.gear_ratio) }
                }),
            }
        });
        Self { parameters, links, tool }
    }

    /// What the arm was made from.
    pub fn parameters(&self) -> &SerialParameters<S, N> {
        &self.parameters
    }

    /// The same arm in another gravity, base frame.
    pub fn with_gravity(mut self, gravity: Vec3<S>) -> Self {
        self.parameters.gravity = gravity; // no lumped constant contains it
        self
    }

    /// The links in the frames of their joints: what an evaluation starts from.
    pub fn links(&self) -> &[Link<S>; N] {
        &self.links
    }

    /// The acceleration of gravity, base frame.
    pub fn gravity(&self) -> Vec3<S> {
        self.parameters.gravity
    }
}

impl<S: Scalar> Link<S> {
    fn map<T: Scalar>(&self, f: fn(S) -> T) -> Link<T> {
        Link {
            joint: self.joint,
            alpha: self.alpha.map(f),
            a: f(self.a),
            d: f(self.d),
            theta: self.theta.map(f),
            inertia: self.inertia.map(f),
            motor: f(self.motor),
            friction: self.friction.map(|friction| friction.map(f)),
            spin: self.spin.map(|spin| Spin { carrier: spin.carrier, momentum: spin.momentum.map(f) }),
            spring: self.spring.map(|spring| spring.map(f)),
        }
    }

    /// A link that carries nothing and slides, in the frame of the link before; its motor's inertia is one.
    fn nothing() -> Self {
        let none = Angle { cos: S::one(), sin: S::zero() };
        Self {
            joint: Joint::Prismatic,
            alpha: none,
            a: S::zero(),
            d: S::zero(),
            theta: none,
            inertia: Inertia::zero(),
            motor: S::one(),
            friction: None,
            spin: None,
            spring: None,
        }
    }
}

impl<S: Scalar, const N: usize> Serial<S, N> {
    /// The same arm with every number a scalar of another kind: what is lumped stays lumped.
    pub fn map<T: Scalar>(&self, f: fn(S) -> T) -> Serial<T, N> {
        Serial {
            parameters: self.parameters.map(f),
            links: core::array::from_fn(|i| self.links[i].map(f)),
            tool: self.tool.map(f),
        }
    }

    /// The same arm with `M` joints, or with its first `M`: those that it has not slide and carry nothing, each with a motor of inertia one. With
    /// zeros for their positions, velocities, accelerations and torques nothing changes for the others, and no operation is added but
    /// with zeros and ones: so a formula that is not hot need be built for one number of joints only.
    pub fn with_joints<const M: usize>(&self) -> Serial<S, M> {
        let SerialParameters { convention, gravity, tool, payload, .. } = self.parameters;
        let both = N.min(M);
        let (mut given, mut links) = ([LinkParameters::nothing(); M], [Link::nothing(); M]);
        given[..both].copy_from_slice(&self.parameters.links[..both]);
        links[..both].copy_from_slice(&self.links[..both]);
        Serial {
            parameters: SerialParameters { convention, gravity, links: given, tool, payload },
            links,
            tool: self.tool,
        }
    }
}

impl<const N: usize> Serial<f64, N> {
    /// The same arm for another scalar, its parameters constants: what is lumped stays lumped.
    pub fn lift<T: Scalar>(&self) -> Serial<T, N> {
        self.map(T::from_f64)
    }
}
