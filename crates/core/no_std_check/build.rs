//! `main` is C's: link C's start-up code and library, nothing of Rust's standard library.

fn main() {
    println!("cargo:rustc-link-arg-bins=-lc");
    println!("cargo:rerun-if-changed=build.rs");
}
