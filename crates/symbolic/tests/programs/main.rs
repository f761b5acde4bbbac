//! Programs derived from the formulas.

mod arms;
mod by_parameters;
mod cheapest;
mod common;
mod derive;
mod explicit;
mod families;
mod generated;
mod graph;
mod law;
mod named_arms;
mod printed;
mod puma_counts;
mod random_arms;
mod significance;
mod st_interpreter;
mod targets;
mod words;
