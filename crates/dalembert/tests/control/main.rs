//! Robots under control.

#[path = "../common"]
mod common {
    pub mod pushed;
}

mod carrying;
mod control;
mod control_arms;
mod control_motions;
mod drive;
mod motion_files;
mod rest;
