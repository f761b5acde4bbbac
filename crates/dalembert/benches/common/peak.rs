//! The most that this core can compute.

/// Multiply–adds in independent chains, 2 flops each, as many as the core can start: ten vectors of four are enough
/// to hide the latency and few enough for sixteen registers.
pub fn peak() -> f64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("fma") && is_x86_feature_detected!("avx2") {
        use std::arch::x86_64::{_mm256_cvtsd_f64, _mm256_fmadd_pd, _mm256_set1_pd};
        #[target_feature(enable = "avx2,fma")]
        fn fused() -> f64 {
            let (factor, term) = (_mm256_set1_pd(0.999_999), _mm256_set1_pd(1e-9));
            let mut chains = [_mm256_set1_pd(1.0); CHAINS];
            for _ in 0..PEAK_STEPS {
                for chain in &mut chains {
                    *chain = _mm256_fmadd_pd(*chain, factor, term);
                }
            }
            chains.iter().map(|&chain| _mm256_cvtsd_f64(chain)).sum()
        }
        // SAFETY: the processor has just said that it has these instructions.
        return unsafe { fused() };
    }
    let mut chains = [[1.0_f64; 4]; CHAINS];
    for _ in 0..PEAK_STEPS {
        for chain in &mut chains {
            *chain = chain.map(|x| x * 0.999_999 + 1e-9);
        }
    }
    chains.iter().flatten().sum()
}
const CHAINS: usize = 10;
const PEAK_STEPS: usize = 10_000;

/// Floating-point operations of one call of [`peak`].
pub const FLOPS: u64 = (CHAINS * 4 * 2 * PEAK_STEPS) as u64;
