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

pub use breakdown::{ParallelBody, ParallelBreakdown};
pub use check::{AssembledPose, ParallelError, SINGULAR};
pub use dynamics::LegLoads;
pub use factors::QrFactors;
pub use kinematics::{AtLeg, LegPose, Moving, Pose, TwistAtLegs};
pub use parameters::{Chain, LegParameters, ParallelParameters, Rod, SlenderBody};
pub use state::{ParallelModel, ParallelState};

use crate::algebra::{Sym3, Vec3};
use crate::delta::Branch;
use crate::scalar::Scalar;
use crate::spatial::Frame;

/// A fully parallel robot ready for evaluation: its parameters and the constants lumped from them once. N is 3 or 6.
#[derive(Clone, Copy, Debug)]
pub struct Parallel<S, const N: usize> {
    parameters: ParallelParameters<S, N>,
    pub(crate) legs: [Leg<S>; N],
    /// What moves and weighs like the platform, in its frame.
    pub(crate) carried: PlatformLoad<S>,
    /// The type-2 margin at home, whose sign is that of all poses with the same assembly; zero where it was not asked for.
    home_margin: f64,
}

/// Platform, payload and the masses m_aa of (1) in [`dynamics`] at its joints: mass, first moment and inertia about the origin of its frame; and what
/// of it weighs, with first moment: a rod weighs less, or more, at its end than it resists there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlatformLoad<S> {
    pub mass: S,
    pub moment: Vec3<S>,
    pub inertia: Sym3<S>,
    pub weight: S,
    pub weight_moment: Vec3<S>,
}

impl<S: Scalar> PlatformLoad<S> {
    fn new<const N: usize>(parameters: &ParallelParameters<S, N>, legs: &[Leg<S>; N]) -> Self {
        let none = (S::zero(), Vec3::zero());
        let mut all =
            Self { mass: none.0, moment: none.1, inertia: Sym3::zero(), weight: none.0, weight_moment: none.1 };
        for body in [&parameters.platform, &parameters.payload] {
            all.add(body.center_of_mass, body.mass, body.mass);
            all.inertia = all.inertia + body.inertia;
        }
        for (leg, own) in legs.iter().zip(&parameters.legs) {
            all.add(own.platform, leg.m_aa, leg.far_weight);
        }
        all
    }

    fn add(&mut self, place: Vec3<S>, mass: S, weight: S) {
        self.mass = self.mass + mass;
        self.moment = self.moment + place * mass;
        self.inertia = self.inertia + Sym3::point_mass(place) * mass;
        self.weight = self.weight + weight;
        self.weight_moment = self.weight_moment + place * weight;
    }
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
    /// The rod's coupling m_ca and far end m_aa, kg; of a strut the piston.
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
    /// the own inertia of the piston, kg m², and the same with the piston at the base joint; first moments of the cylinder less that of
    /// the piston, and of the piston, kg m; mass, kg, and centre, m, of the piston.
    Strut { turning: S, whole: S, moment: S, coupling: S, piston: S, center: S },
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
            Chain::Strut { cylinder, piston } => {
                let turning = cylinder.inertia + cylinder.mass * cylinder.center_of_mass.square() + piston.inertia;
                let coupling = piston.mass * piston.center_of_mass;
                let guide = Guide::Strut {
                    turning,
                    whole: turning + coupling * piston.center_of_mass,
                    moment: cylinder.mass * cylinder.center_of_mass - coupling,
                    coupling,
                    piston: piston.mass,
                    center: piston.center_of_mass,
                };
                Self {
                    guide,
                    length: zero,
                    h_offset: zero,
                    inertia: rotor,
                    weight: zero,
                    m_ca: zero,
                    m_aa: piston.mass,
                    far_weight: piston.mass,
                }
            }
        }
    }

    /// The rod's energy through the velocities of its ends, Codourey (6)–(13) symmetrised (`crates/papers/errata.md`, §0), with the
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

impl<S: Scalar, const N: usize> Parallel<S, N> {
    /// Whether the platform turns.
    pub const TURNS: bool = N > 3;

    /// The robot with these parameters, without a check: for scalars that cannot be checked. For `f64` use
    /// [`Parallel::try_new`].
    pub fn new(parameters: ParallelParameters<S, N>) -> Self {
        let legs = crate::array::from_fn(|i| Leg::new(&parameters.legs[i]));
        Self { legs, carried: PlatformLoad::new(&parameters, &legs), parameters, home_margin: 0.0 }
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
        crate::array::from_fn(|i| self.parameters.legs[i].branch)
    }
}

impl<const N: usize> Parallel<f64, N> {
    /// The same robot for another scalar, its parameters constants.
    pub fn lift<T: Scalar>(&self) -> Parallel<T, N> {
        Parallel::new(self.parameters.lift())
    }
}
