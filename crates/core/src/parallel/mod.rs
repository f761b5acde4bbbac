//! Fully parallel robots: as many legs as the platform has freedoms, each a motor, a rod or strut, and a joint on the platform.
//!
//! Codourey 1998, Section 3: with the velocities of a rod's two ends its Jacobian, its inertia and its share of the virtual work
//! are known, (1)–(23). What he works out for the Delta holds for the HEXA, the linear Delta, the Hexaglide and the platform
//! of Gough and Stewart: only how a motor moves the near end of its rod differs ([`Chain`]). A platform with three legs
//! translates, one with six moves freely; its pose is a [`Frame`], its motion a [`Twist`](crate::spatial::Twist) in the base
//! frame, so that no orientation is singular.
//!
//! ```
//! # use dalembert_core::{parallel::Parallel, spatial::{Frame, Twist, Wrench}};
//! # fn example(robot: &Parallel<f64, 6>, tool: Frame<f64>, velocity: Twist<f64>, acceleration: Twist<f64>)
//! # -> Result<(), dalembert_core::parallel::ParallelError> {
//! let pose = robot.at_tool(tool)?;                                    // reach, rods, Jacobian
//! let moving = pose.moving(velocity);                                 // rates
//! let torque = moving.torque(acceleration, Wrench::zero());           // inverse dynamics
//! let back = moving.acceleration(torque, Wrench::zero());             // forward dynamics
//! # Ok(()) }
//! ```

mod breakdown;
mod check;
mod dynamics;
mod factors;
mod forward;
mod kinematics;
mod parameters;
mod state;

pub use breakdown::{Body as BodyOf, Breakdown};
pub use check::{Assembled, ParallelError, ParallelParameterError, SINGULAR};
pub use dynamics::Loads;
pub use factors::Factors;
pub use kinematics::{Along, LegMotion, LegPose, Moving, Pose};
pub use parameters::{Bar, Chain, LegParameters, ParallelParameters, Rod};
pub use state::{ParallelModel, ParallelState};

use crate::algebra::{Sym3, Vec3};
use crate::delta::Branch;
use crate::scalar::Scalar;
use crate::serial::Body;
use crate::spatial::Frame;

/// A fully parallel robot ready for evaluation: its parameters and the constants lumped from them once. N is 3 or 6.
#[derive(Clone, Copy, Debug)]
pub struct Parallel<S, const N: usize> {
    parameters: ParallelParameters<S, N>,
    pub(crate) legs: [Leg<S>; N],
    /// Platform and payload as one body, in the platform frame.
    pub(crate) platform: Body<S>,
}

/// What the formulas need of one leg.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg<S> {
    pub guide: Guide<S>,
    /// L, m: of a strut not used.
    pub length: S,
    /// (a² − L²)/2 of an arm with length a; of a slider −L²/2.
    pub h_offset: S,
    /// Of what turns or slides with the motor and of the rod's near end, about the motor's axis: kg m² (kg). Of a strut the
    /// piston and the reflected rotor.
    pub inertia: S,
    /// What the motor moves, times this, weighs: first moment over the arm's length; mass, kg.
    pub weight: S,
    /// The rod's coupling m_ca and far end m_aa, kg.
    pub m_ca: S,
    pub m_aa: S,
    /// The rod's share of weight at the platform, kg.
    pub far_weight: S,
}

/// How the near end of a rod moves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Guide<S> {
    /// C = base + u cos q + v sin q, |u| = |v| = a.
    Circle { u: Vec3<S>, v: Vec3<S>, length: S, square: S },
    /// C = base + q d.
    Line { d: Vec3<S> },
    /// C = base; q is the distance from there. What turns with the leg: the inertia about the base joint of the cylinder and
    /// the own inertia of the piston, kg m²; first moment of the cylinder, kg m; mass, kg, and centre, m, of the piston.
    Strut { turning: S, moment: S, piston: S, center: S },
}

impl<S: Scalar> Leg<S> {
    fn new(leg: &LegParameters<S>) -> Self {
        let zero = S::zero();
        let rotor = leg.reflected_rotor_inertia();
        match leg.chain {
            Chain::Rotary { axis, zero: e, length: a, arm, rod } => {
                let rest = S::one() - rod.center_of_mass / rod.length;
                let about_axis = arm.inertia + arm.mass * arm.center_of_mass.square() + rotor;
                let moment = arm.mass * arm.center_of_mass + rod.mass * rest * a;
                let guide = Guide::Circle { u: e * a, v: axis.cross(e) * a, length: a, square: a.square() };
                Self::with_rod(guide, rod, a.square(), about_axis, moment / a)
            }
            Chain::Slider { direction, carriage, rod } => {
                let rest = S::one() - rod.center_of_mass / rod.length;
                let guide = Guide::Line { d: direction };
                Self::with_rod(guide, rod, zero, carriage + rotor, carriage + rod.mass * rest)
            }
            Chain::Strut { cylinder, piston } => Self {
                guide: Guide::Strut {
                    turning: cylinder.inertia + cylinder.mass * cylinder.center_of_mass.square() + piston.inertia,
                    moment: cylinder.mass * cylinder.center_of_mass,
                    piston: piston.mass,
                    center: piston.center_of_mass,
                },
                length: zero,
                h_offset: zero,
                inertia: rotor,
                weight: zero,
                m_ca: zero,
                m_aa: zero,
                far_weight: zero,
            },
        }
    }

    /// The rod's energy through the velocities of its ends, Codourey (6)–(13) symmetrised (`docs/errata.md`, §0), with the
    /// ratio ρ of centre of mass and length:
    /// m_cc = m(1−ρ)² + I/L², m_aa = mρ² + I/L², m_ca = mρ(1−ρ) − I/L².
    fn with_rod(guide: Guide<S>, rod: Rod<S>, arm_square: S, inertia: S, weight: S) -> Self {
        let rho = rod.center_of_mass / rod.length;
        let rest = S::one() - rho;
        let spin = rod.inertia / rod.length.square();
        let m_cc = rod.mass * rest.square() + spin;
        let lever = match guide {
            Guide::Circle { square, .. } => square,
            _ => S::one(),
        };
        Self {
            guide,
            length: rod.length,
            h_offset: (arm_square - rod.length.square()).times(0.5),
            inertia: inertia + m_cc * lever,
            weight,
            m_ca: rod.mass * rho * rest - spin,
            m_aa: rod.mass * rho.square() + spin,
            far_weight: rod.mass * rho,
        }
    }
}

/// Two bodies of one frame as one.
fn together<S: Scalar>(a: Body<S>, b: Body<S>) -> Body<S> {
    let mass = a.mass + b.mass;
    // A massless platform carries nothing: its centre does not matter, but must be a number.
    let none = S::zero().select_lt(mass, S::zero(), S::one());
    let center_of_mass = (a.center_of_mass * a.mass + b.center_of_mass * b.mass) * (S::one() / (mass + none));
    let about = |body: Body<S>| body.inertia + Sym3::point_mass(body.center_of_mass - center_of_mass) * body.mass;
    Body { mass, center_of_mass, inertia: about(a) + about(b) }
}

impl<S: Scalar, const N: usize> Parallel<S, N> {
    /// Whether the platform turns.
    pub const TURNS: bool = N > 3;

    /// The robot with these parameters, without a check: for scalars that cannot be checked. For `f64` use
    /// [`Parallel::try_new`].
    pub fn new(parameters: ParallelParameters<S, N>) -> Self {
        Self {
            legs: core::array::from_fn(|i| Leg::new(&parameters.legs[i])),
            platform: together(parameters.platform, parameters.payload),
            parameters,
        }
    }

    /// What the robot was made from.
    pub fn parameters(&self) -> &ParallelParameters<S, N> {
        &self.parameters
    }

    /// The acceleration of gravity, base frame.
    pub fn gravity(&self) -> Vec3<S> {
        self.parameters.gravity
    }

    /// The same robot in another gravity.
    pub fn with_gravity(mut self, gravity: Vec3<S>) -> Self {
        self.parameters.gravity = gravity;
        self
    }

    /// The pose of the assembly that is meant.
    pub fn home(&self) -> Frame<S> {
        self.parameters.home
    }

    /// The usual branch of each leg.
    pub fn branches(&self) -> [Branch; N] {
        core::array::from_fn(|i| self.parameters.legs[i].branch)
    }
}

impl<const N: usize> Parallel<f64, N> {
    /// The same robot for another scalar, its parameters constants.
    pub fn lift<T: Scalar>(&self) -> Parallel<T, N> {
        Parallel::new(self.parameters.lift())
    }
}
