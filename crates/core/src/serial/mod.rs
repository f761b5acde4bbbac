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
pub(crate) mod check;
mod coriolis;
mod coupling;
mod dynamics;
mod energy;
mod inverse_kinematics;
pub(crate) mod kinematics;
mod mass_matrix;
pub(crate) mod newton_euler;
pub(crate) mod parameters;
pub mod puma;
pub(crate) mod steering;

pub use check::SerialError;
pub use coriolis::Configuration;
pub use coupling::{COUPLED, Coupling, add_friction};
pub use inverse_kinematics::{
    ClosedForm, Elbow, GeometryDoesNotApply, Inverse, InverseError, MAX_JOINTS, Method, NEARLY_REACHED, PumaBranch,
    PumaGeometry, PumaSolution, REACHED, Rates, Shoulder, Solution, Solutions, Wrist,
};
pub use kinematics::{Links, Moving, MovingOf, Pose, PoseOf, ToolMotion, times};
pub use parameters::{Armature, Body, DhConvention, DhRow, Joint, LinkParameters, SerialParameters};
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
    /// Gravity in the base frame.
    gravity: Vec3<S>,
}

/// What the formulas need of one link, in the frame of its joint (Craig's, whatever the convention of the file).
#[derive(Clone, Copy, Debug)]
pub struct Link<S> {
    /// What its joint does.
    pub joint: Joint,
    /// The link that it hangs on; `None`: the base.
    pub parent: Option<usize>,
    /// The joint's frame at q = 0 in that of the parent's joint, where a mount stands before the row; then the row's numbers do not count.
    pub mount: Option<Frame<S>>,
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
    /// Other joints that the motor turns with.
    pub coupling: Option<Coupling<S>>,
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

    /// The same with scalars of another kind.
    pub fn map<T: Scalar>(self, mut f: impl FnMut(S) -> T) -> Inertia<T> {
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

/// Rz(θ) Tz(d).
fn along_z<S: Scalar>(theta: Angle<S>, d: S) -> Frame<S> {
    let (o, l, Angle { cos, sin }) = (S::zero(), S::one(), theta);
    let rotation = Mat3([Vec3([cos, -sin, o]), Vec3([sin, cos, o]), Vec3([o, o, l])]);
    Frame { rotation, origin: Vec3([o, o, d]) }
}

impl<S: Scalar, const N: usize> Serial<S, N> {
    /// The arm with these parameters, without a check: for scalars that cannot be checked. For `f64` use
    /// [`Serial::try_new`].
    pub fn new(parameters: SerialParameters<S, N>) -> Self {
        let given = &parameters.links;
        let convention = parameters.convention;
        let tool = given.last().map_or(parameters.tool, |last| last.moved(convention).then(&parameters.tool));
        let links = crate::array::from_fn(|i| {
            let tip = (i + 1 == N).then_some((&parameters.tool, &parameters.payload));
            Link::new(|k| given.get(k), i, i.checked_sub(1), None, convention, tip.into_iter())
        });
        Self { links, tool, gravity: parameters.base_gravity(), parameters }
    }

    /// What the arm was made from.
    pub fn parameters(&self) -> &SerialParameters<S, N> {
        &self.parameters
    }

    /// The links in the frames of their joints: what an evaluation starts from.
    pub fn links(&self) -> &[Link<S>; N] {
        &self.links
    }

    /// The acceleration of gravity, world frame.
    pub fn gravity(&self) -> Vec3<S> {
        self.parameters.gravity
    }
}

impl<S: Scalar> Link<S> {
    /// The same with scalars of another kind.
    pub fn map<T: Scalar>(&self, f: fn(S) -> T) -> Link<T> {
        Link {
            joint: self.joint,
            parent: self.parent,
            mount: self.mount.map(|mount| mount.map(f)),
            alpha: self.alpha.map(f),
            a: f(self.a),
            d: f(self.d),
            theta: self.theta.map(f),
            inertia: self.inertia.map(f),
            motor: f(self.motor),
            friction: self.friction.map(|friction| friction.map(f)),
            coupling: self.coupling.map(|coupling| coupling.map(f)),
            spin: self.spin.map(|spin| Spin { carrier: spin.carrier, momentum: spin.momentum.map(f) }),
            spring: self.spring.map(|spring| spring.map(f)),
        }
    }

    /// Link `i` of those that `given` has, in the frame of its joint, with what its tools carry: their frames and bodies in the link's frame.
    pub(crate) fn new<'p>(
        given: impl Fn(usize) -> Option<&'p LinkParameters<S>>,
        i: usize,
        parent: Option<usize>,
        mount: Option<&Frame<S>>,
        convention: DhConvention,
        tips: impl Iterator<Item = (&'p Frame<S>, &'p Body<S>)>,
    ) -> Self
    where
        S: 'p,
    {
        let nothing = LinkParameters::nothing();
        let link = given(i).unwrap_or(&nothing);
        let moved = link.moved(convention);
        let none = Angle { cos: S::one(), sin: S::zero() };
        // Of the standard convention the twist and the length of the link before.
        let (alpha, a) = match convention {
            DhConvention::Modified => (link.dh.alpha, link.dh.a),
            DhConvention::Standard => {
                parent.and_then(&given).map_or((none, S::zero()), |before| (before.dh.alpha, before.dh.a))
            }
        };
        let DhRow { d, theta_offset, .. } = link.dh;
        let mount = mount.map(|mount| {
            let placed = match convention {
                DhConvention::Modified => mount.then(&along_x(alpha, a)),
                DhConvention::Standard => along_x(alpha, a).then(mount),
            };
            placed.then(&along_z(theta_offset, d))
        });
        let mut inertia = Inertia::new(&link.body, &moved);
        for (frame, body) in tips {
            inertia = inertia.plus(Inertia::new(body, &moved.then(frame)));
        }
        Self {
            joint: link.joint,
            parent,
            mount,
            alpha,
            a,
            d,
            theta: theta_offset,
            inertia,
            motor: link.motor_inertia,
            friction: link.friction,
            coupling: link.coupling,
            spring: link.spring,
            spin: link.armature.map(|armature| {
                let carrier = armature.carrier.checked_sub(1).and_then(|k| Some((k, given(k)?)));
                let axis = carrier.map_or(armature.axis, |(_, link)| link.moved(convention).rotation * armature.axis);
                let momentum = axis * (link.motor_inertia / link.gear_ratio);
                Spin { carrier: carrier.map(|(k, _)| k), momentum }
            }),
        }
    }
}
