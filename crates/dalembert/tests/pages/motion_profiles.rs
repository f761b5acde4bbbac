//! The chart of `docs/motion.md` is what the library computes today.
//!
//! After a wanted change: `cargo run --release -p dalembert --example motion_profiles > docs/images/motion-profiles.svg`.

use std::error::Error;
use std::path::Path;

#[path = "../../examples/motion_profiles.rs"]
#[allow(dead_code)] // its `main`
mod example;

#[test]
fn motion_profiles_are_drawn_as_they_are() -> Result<(), Box<dyn Error>> {
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images/motion-profiles.svg");
    assert!(
        example::chart()?.draw().to_svg() == std::fs::read_to_string(stored)?,
        "docs/images/motion-profiles.svg is stale"
    );
    Ok(())
}
