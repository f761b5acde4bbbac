//! Linear systems: their factors, models in closed form, files.

mod export;
mod factors;
mod gramians;
mod systems;
