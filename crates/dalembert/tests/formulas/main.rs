//! The formulas themselves: against reference data, identities, other derivations, and what they cost.

#[path = "../common"]
mod common {
    pub mod golden;
    pub mod independent;
    pub mod straightforward;
    pub mod straightforward_serial;
    pub mod swing;
}

mod arm_breakdown;
mod arm_inverse;
mod columns;
mod compiled;
mod coupled_motors;
mod derived;
mod edges;
mod explain;
mod golden;
mod identities;
mod kernels;
mod model_parameters;
mod offset_centers;
mod operations;
mod parallel;
mod placed_arms;
mod puma;
mod serial_golden;
mod serial_identities;
mod serial_kernels;
mod short_paths;
mod springs;
mod strategies;
mod swing;
mod trees;
mod two_arms;
mod zero_offsets;
