//! Motions of closed loops against those of Pinocchio and MuJoCo, stored in `golden/`.
//!
//! A wrong mass, sign or constraint force moves a platform by centimetres within the first swing. What is left is the
//! libraries' own: the error of their steps of 1 ms, and MuJoCo's loops, which are stiff springs.

use crate::common::motions;

#[test]
fn closed_loops_move_as_in_other_libraries() -> Result<(), Box<dyn std::error::Error>> {
    for (motion, library, tolerance) in [
        ("swing", "pinocchio", 2e-12),
        ("swing", "mujoco", 2e-9),
        // The crank has reached 13 rad/s: a fourth-order step of 1 ms leaves 1e-8 rad after a second.
        ("slider-crank", "pinocchio", 3e-8),
        ("slider-crank", "mujoco", 1e-5),
        ("cell", "pinocchio", 1e-12),
        ("cell", "mujoco", 2e-8),
    ] {
        let apart = motions::compare(motion, library)?;
        println!("{motion}, {library}: {apart:?}");
        assert!(apart.largest < tolerance, "{motion}, {library}: {apart:?}");
        assert!(apart.closure < 1e-13, "{motion}: {apart:?}");
    }
    Ok(())
}

/// A file that no test reads would be a promise that nobody keeps.
#[test]
fn every_file_is_used() -> Result<(), Box<dyn std::error::Error>> {
    for entry in std::fs::read_dir(format!("{}/../../golden", env!("CARGO_MANIFEST_DIR")))? {
        let name = entry?.file_name().into_string().map_err(|_| "a name in Unicode")?;
        let Some(stem) = name.strip_prefix("motion-").and_then(|name| name.strip_suffix(".csv")) else { continue };
        let known = |motion: &str| motions::LIBRARIES.iter().any(|library| stem == format!("{motion}-{library}"));
        assert!(motions::MOTIONS.iter().any(|motion| known(motion)), "{name}");
    }
    Ok(())
}
