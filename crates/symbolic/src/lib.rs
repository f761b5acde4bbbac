//! This crate derives explicit models. The formulas of `dalembert-core`, run with the scalar [`Expr`], give a graph of operations; a
//! search finds the program with the fewest of them; and the program is printed in the language of the controller.
//!
//! ```text
//! formula over Expr ──► Graph ──► cheapest ──► Program ──► Rust, C, Structured Text, LaTeX, JSON
//! ```
//!
//! The graph treats two expressions as equal if they have the same value at two random points of a large finite field. That
//! finds every identity (sin² + cos² = 1, sums of angles, terms that cancel) without a rule for it, and never takes one number for
//! another that is near it. Every derived program is compared with the formula it came from before it is returned.

pub mod derive;
mod exact;
mod exchange;
pub mod explicit;
mod expr;
mod extract;
mod graph;
pub mod law;
mod of;
pub mod print;
pub mod program;
mod recorded;
mod rewrite;
mod search;
mod target;

pub use expr::Expr;
pub use graph::{Graph, Group};
pub use program::{Program, Quantity};
pub use search::{Effort, cheapest_serial};
pub use target::Target;
