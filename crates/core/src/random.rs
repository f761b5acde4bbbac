//! Random numbers that are the same everywhere, for ever: a seed is a sequence. Not for secrets.
//!
//! [`Random`] (SplitMix64: Steele, Lea and Flood 2014) is the one to use. [`Xorshift`] (Marsaglia 2003) is what the checked-in programs
//! and the documented excitation trajectories were found with; it stays so that they can be found again.

use crate::Vec3;

/// SplitMix64, from any seed.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Even in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Even between two numbers.
    pub fn within(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.unit()
    }

    /// N numbers of at most this size.
    pub fn state<const N: usize>(&mut self, size: f64) -> [f64; N] {
        crate::array::from_fn(|_| self.within(-size, size))
    }

    /// Three numbers of at most this size.
    pub fn vector(&mut self, size: f64) -> Vec3<f64> {
        Vec3(self.state(size))
    }
}

/// Marsaglia's xorshift, from a state that is not zero.
#[derive(Clone, Copy, Debug)]
pub struct Xorshift(pub u64);

impl Xorshift {
    /// From any seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() >> 11) as usize % limit.max(1)
    }

    /// Even in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
