//! `no_std`, no allocation, no panic: proved by building and running a program that has none of them.

use std::process::Command;

#[test]
fn every_kernel_runs_without_the_standard_library() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/no_std_check/Cargo.toml");
    let target = concat!(env!("CARGO_TARGET_TMPDIR"), "/no_std_check");
    let build = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "--manifest-path", manifest, "--target-dir", target])
        .status()
        .expect("cargo starts");
    assert!(build.success(), "the program links without the standard library");
    let status = Command::new(format!("{target}/release/no-std-check")).status().expect("the program starts");
    assert_eq!(status.code(), Some(0), "101: a panic; 1: a result that is not finite");
}
