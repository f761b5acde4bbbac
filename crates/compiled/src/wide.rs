//! Code that is compiled once for each width of vectors; which one runs is decided when the program runs.

/// Something to compute. `run` has to be inlined always, or it is compiled for the narrowest vectors only.
pub trait Kernel {
    /// Does it.
    fn run(self);
}

/// Does the work with the widest vectors that the processor has. Every choice gives the same bits: a compiler neither fuses nor
/// reorders what a formula says, and `f64::mul_add` is rounded once with and without an instruction for it.
pub fn widest(work: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    return widest_of_x86(work);
    #[cfg(not(target_arch = "x86_64"))]
    work.run();
}

#[cfg(target_arch = "x86_64")]
fn widest_of_x86(work: impl Kernel) {
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,fma")]
    fn wide_512(work: impl Kernel) {
        work.run();
    }
    #[target_feature(enable = "avx2,fma")]
    fn wide_256(work: impl Kernel) {
        work.run();
    }
    let fused = is_x86_feature_detected!("fma");
    if fused
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
    {
        // SAFETY: the processor has just said that it has these instructions.
        #[allow(unsafe_code)]
        unsafe {
            wide_512(work)
        }
    } else if fused && is_x86_feature_detected!("avx2") {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            wide_256(work)
        }
    } else {
        work.run();
    }
}
