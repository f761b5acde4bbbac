//! Motions and their planning.

#[path = "../common"]
mod common {
    pub mod limits;
}

mod arm_motion;
mod cart;
mod jerk_limit;
mod limits;
mod motion;
mod motion_tasks;
mod oracle;
mod pick_and_place;
mod time_optimal;
