//! Control laws: `no_std`, without allocation, generic over the number like every other formula, for every robot that
//! [`Dynamics`](crate::dynamics::Dynamics) describes. A law of one's own implements [`ControlLaw`].
//!
//! With q the measured joints and q_d those of the reference, e = q_d − q, and the regulator's acceleration
//!
//! ```text
//! u = k_p e + k_d ė + k_i ∫e                                                                                 (1)
//! ```
//!
//! the joint laws are, Î the constant inertia of each joint and τ̂, Â, ĝ the controller's model,
//!
//! | law | torque | source |
//! | --- | --- | --- |
//! | `pd`, `pid` | Î u | Codourey 1998, §5.2, regulator 1 |
//! | `pd+acc` | Î (q̈_d + u) | regulator 2 |
//! | `feedforward` | τ̂(q_d, q̇_d, q̈_d)(t + T_m) + Î u | regulators 3 (T_m = 0) and 4 |
//! | `feedforward+mass` | τ̂(q_d, q̇_d, q̈_d)(t + T_m) + Â(q) u | his Figure 6 |
//! | `gravity+pd`, `gravity+pid` | ĝ(q) + Î u | Bortoff 2018, IV C |
//! | `computed-torque` | τ̂(q, q̇, q̈_d + u) | the usual one |
//! | `cartesian` | τ̂(q, q̇, q̈) with q̈ such that Ẍ = Ẍ_d + k_p E + k_d Ė, E the error of platform or tool | Bortoff 2018, IV D; arms: Luh, Walker & Paul 1980 |
//! | `impedance` | τ̂(q, q̇, q̈_d) + τ_F(S E + D Ė): the platform or tool as spring S and damper D | |
//!
//! The platform of a Delta has three coordinates, and q̈ = J Ẍ + J̇ Ẋ. The tool of a serial arm has six where it has six joints
//! or more: E is then the way to go and the rotation to make, a vector along its axis (Luh, Walker & Paul take its sine,
//! which is the same for small ones). With three to five joints it is the tool's point. Joints that the tool leaves free
//! follow q̈_d + u, under `impedance` the part of Î u that does not press at the tool: `joint_acceleration` and
//! `null_space_torque` of [`State`](crate::dynamics::State).
//! The masses that a tool feels like in its directions differ by a hundred and more, and no damper at the tool suits all;
//! so an arm's springs are damped by d Â ė as well, or instead.
//! `impedance` inverts nothing where no joint is free; `cartesian` gives NaN near a pose in which the tool cannot go in
//! every direction.
//!
//! Codourey delays the trajectory of the regulator by T_m; here the model looks ahead by T_m, which is the same and leaves
//! the motion where it was asked for. All gains are accelerations per error, so one bandwidth means the same for every law
//! through the mass matrix; with Î the gain of a mode is multiplied by an eigenvalue of Â⁻¹ diag Â.
//! Friction that the controller knows of is added at the velocity of the *reference*: at the measured one it would chatter around
//! standstill.

mod gains;
mod laws;
mod limits;
mod pair;

pub use gains::{Gains, Impedance};
pub use laws::{ControlLaw, Feedback, Law};
pub use limits::{Integral, Limiter, quantize};
pub use pair::{CarriedObject, carry_together};
