//! Arrays made element by element, inlined always.
//!
//! `core::array::from_fn` and `[T; N]::map` go through functions of the standard library that are not marked for inlining. Where a program is built
//! without link-time optimisation every element then costs a call, and a loop around a formula does not become vector instructions: a batch of Delta
//! torques took 130 ns per state instead of 9. The speed of a formula must not depend on the profile of the program that calls it, so formulas use
//! these; the lint `disallowed_methods` (`clippy.toml`) finds the others.

/// The array with `f(i)` at place `i`.
#[inline(always)]
pub fn from_fn<T: Copy, const N: usize>(mut f: impl FnMut(usize) -> T) -> [T; N] {
    const { assert!(N > 0, "an array of no elements has no first one") };
    let mut all = [f(0); N];
    for i in 1..N {
        all[i] = f(i);
    }
    all
}

/// `f` of every element, in order.
#[inline(always)]
pub fn map<T: Copy, U: Copy, const N: usize>(array: [T; N], mut f: impl FnMut(T) -> U) -> [U; N] {
    from_fn(|i| f(array[i]))
}
