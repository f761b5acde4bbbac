//! Motions and their planning.

#[path = "../common"]
mod common {
    pub mod limits;
}

mod arm_motion;
mod cart;
mod jerk_limit;
mod motion;
mod motion_tasks;
mod pick_and_place;
mod time_optimal;
