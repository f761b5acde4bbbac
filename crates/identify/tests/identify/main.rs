//! Numerics of identification against closed forms and known truth.

mod bench;
mod descent;
mod estimates;
mod signals;
mod smoothing;

/// Numbers that are the same everywhere (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    /// Of a seed.
    fn new(seed: u64) -> Self {
        Self(0x9E37_79B9_7F4A_7C15 ^ seed.wrapping_mul(0xD134_2543_DE82_EF95) | 1)
    }

    /// Between 0 and 1.
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Of a normal distribution with variance 1 (Box and Muller).
    fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform().max(1e-300), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}
