//! Control laws: `no_std`, without allocation, generic over the number like every other formula.
//!
//! With q the measured and q_d the wanted joints, e = q_d − q, and the regulator's acceleration
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
//! | `cartesian` | τ̂(q, q̇, J(Ẍ_d + k_p E + k_d Ė) + J̇Ẋ), E the platform's error | Bortoff 2018, IV D |
//! | `impedance` | τ̂(q, q̇, J Ẍ_d + J̇Ẋ) + Kᵀ(S E + D Ė): the tool as spring S and damper D | |
//!
//! Codourey delays the trajectory of the regulator by T_m; here the model looks ahead by T_m, which is the same and leaves
//! the motion where it was asked for. All gains are accelerations per error, so one bandwidth means the same for every law.
//! Friction that the controller knows of is added at the *wanted* velocity: at the measured one it would chatter around
//! standstill.

mod gains;
mod laws;
mod limits;
mod model;
mod pair;

pub use gains::{Gains, Impedance};
pub use laws::{Law, Reference, Situation};
pub use limits::{Integral, Limiter, quantize};
pub use model::{DeltaModel, DeltaState, JointModel, JointState};
pub use pair::{Carried, carry_together};
