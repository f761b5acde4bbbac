//! A fourth axis that turns the tool of a platform that translates.
//!
//! The axis is vertical (z of the base frame) and goes through the centre of the platform. Its motor stands on the base and
//! drives the tool by a telescopic shaft with two universal joints, or it sits on the platform. [`Turning`] composes it with
//! the formulas of any robot of three joints whose tool translates: the load of shaft and tool on the platform goes to the other
//! motors by that robot's own Jᵀ, so that nothing of it is written twice.
//!
//! | symbol | what |
//! | --- | --- |
//! | X, c | position of the platform's centre, m; angle of the tool about z, rad, positive by the right hand |
//! | B, P | centres of the upper joint, fixed to the base, and of the lower joint, P = X + h z |
//! | u, L | direction of the shaft from B to P, u = (P − B)/L, and its length L |
//! | a | pin of both joints that turns with the motor and with the tool: (cos c, sin c, 0) |
//! | ω | angular velocity of both parts of the shaft, u × u̇ + ω_u u |
//!
//! The axes of motor and tool stay parallel and the two forks of the shaft lie in one plane, so the second joint undoes what the
//! first does: the tool's angle is the motor's over the gear ratio, exactly. The shaft between them turns unevenly. Its own pin
//! is perpendicular to u and to a, along n = u × a; with s = u · a the spin about its axis is
//!
//! ```text
//! ω_u = ṅ · (u × n)/n² = (s (a × u) · u̇ + ċ u_z)/(1 − s²)                                              (1)
//! ```
//!
//! which has no value where the shaft is horizontal. Virtual work over upper tube and lower rod, both with the inertias I about
//! their axis and J across it, their momentum H = J u × u̇ + I ω_u u:
//!
//! ```text
//! Ḣ · u = I ω̇_u,   Ḣ × u = J (ü − u (u · ü)) + I ω_u u̇ × u                                            (2)
//! at the platform: (Ḣ × u)/L + ∂ω_u/∂Ẋ (Ḣ · u),   at the axis: ∂ω_u/∂ċ (Ḣ · u)                          (3)
//! ```
//!
//! and the forces m (v̇ − g) of their centres, at B + d u and P − d u.

mod dynamics;
mod parameters;
mod shaft;

pub use dynamics::{Turning, TurningState};
pub use parameters::{AxisMotor, FourthAxis, Shaft, ShaftBody, TurningLoad};
pub use shaft::{Asked, AxisState};
