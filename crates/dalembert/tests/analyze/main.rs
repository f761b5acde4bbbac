//! Analysis: linear models, regulators, stability, maps, sensitivities, what a model is worth.

#[path = "../common"]
mod common {
    pub mod complex_step;
}

mod arm_maps;
mod compare;
mod file_numbers;
mod linear;
mod linear_motion;
mod linear_right_angles;
mod linear_units;
mod linearize;
mod maps;
mod regulators;
mod regulators_along;
mod sensitivity;
mod stability;
mod worth;
