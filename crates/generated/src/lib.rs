//! Programs that `dalembert derive` has written for the built-in robots, checked in because they serve as the fast path.
//!
//! No file here is written by hand. A test of `dalembert-symbolic` derives them again and compares; where the derivation has
//! become better, it writes them anew:
//!
//! ```sh
//! UPDATE_GENERATED=1 cargo test --release -p dalembert-symbolic --test programs generated::
//! ```
#![no_std]

#[rustfmt::skip]
pub mod puma560;
