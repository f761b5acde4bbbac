//! Sine and cosine where a b + c with one rounding is one instruction: the reduction then needs no tail, and a third of the operations is
//! saved. One formula for `f64`, for `f32` and for code generators ([`Fused`]).

/// Adding this rounds a `f64` below 2⁵¹, or a `f32` below 2²², to the nearest integer, which then stands in its lowest bits.
const ROUND_DOUBLE: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²
const ROUND_SINGLE: f64 = 12_582_912.0; // 1.5 · 2²³

/// The numbers of the formula in one precision.
#[derive(Debug)]
pub struct SineNumbers {
    round: f64,
    /// π/2 as the sum of three numbers.
    half_pi: [f64; 3],
    sin: &'static [f64],
    cos: &'static [f64],
}

/// For `f64`: the minimax polynomials of Sun's fdlibm (`k_sin.c`, `k_cos.c`, 1993) on [−π/4, π/4].
pub const DOUBLE: SineNumbers = SineNumbers {
    round: ROUND_DOUBLE,
    half_pi: [core::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33],
    sin: &super::trig::S,
    cos: &super::trig::C,
};

/// For `f32`: minimax by reweighted least squares; with the coefficients rounded to `f32` 6.2e-9 (sine, relative) and 6e-10 (cosine) off.
pub const SINGLE: SineNumbers = SineNumbers {
    round: ROUND_SINGLE,
    half_pi: [1.570_796_370_506_286_6, -4.371_138_828_673_793e-8, -1.715_124_510_005_881_9e-15],
    sin: &[-0.166_666_537_523_269_65, 0.008_332_083_001_732_826, -0.000_195_043_001_440_353_7],
    cos: &[0.041_666_645_556_688_31, -0.001_388_724_311_254_918_6, 2.442_388_904_455_583_5e-5],
};

/// A number with a fused multiplication and addition.
pub trait Fused: Copy {
    /// The numbers of the formula.
    fn numbers(self) -> &'static SineNumbers;
    /// A constant.
    fn number(self, x: f64) -> Self;
    /// a + b.
    fn plus(self, b: Self) -> Self;
    /// a − b.
    fn less(self, b: Self) -> Self;
    /// a b.
    fn times(self, b: Self) -> Self;
    /// a b + c, rounded once.
    fn times_plus(self, b: Self, c: Self) -> Self;
    /// a − b c, rounded once.
    fn less_times(self, b: Self, c: Self) -> Self;
    /// Sine and cosine of an angle from those of what is left of it, with π/2 taken off as often as the lowest bits of `self` say: odd
    /// quadrants swap the two, the upper two quadrants change the sign of the sine, the middle two of the cosine.
    fn in_quadrant(self, sin: Self, cos: Self) -> (Self, Self);
}

/// Sine and cosine for `|x| ≤` [`SIN_COS_RANGE`](super::SIN_COS_RANGE), at most 1 ulp off (`f64`); beyond it is wrong. The last bit may differ
/// from [`Scalar::sin_cos`](super::Scalar::sin_cos).
#[inline(always)]
pub fn sin_cos_fused<T: Fused>(x: T) -> (T, T) {
    let SineNumbers { round, half_pi, sin, cos } = x.numbers();
    let round = x.number(*round);
    let shifted = x.times_plus(x.number(core::f64::consts::FRAC_2_PI), round);
    let n = shifted.less(round);
    // Each product is exact inside its sum, and so is the first sum; the third counts next to multiples of π/2 only.
    let y = x.less_times(n, x.number(half_pi[0]));
    let y = y.less_times(n, x.number(half_pi[1])).less_times(n, x.number(half_pi[2]));
    let z = y.times(y);
    let sine = z.times(y).times_plus(polynomial(z, sin), y);
    let high = z.times(polynomial(z, cos));
    let (half, whole) = (x.number(-0.5), x.number(1.0));
    let one = half.times_plus(z, whole);
    let cosine = one.plus(z.times_plus(high, half.times_plus(z, whole.less(one))));
    shifted.in_quadrant(sine, cosine)
}

/// c₀ + z (c₁ + z (…)).
#[inline(always)]
fn polynomial<T: Fused>(z: T, c: &[f64]) -> T {
    match c {
        [rest @ .., last] => rest.iter().rev().fold(z.number(*last), |sum, &c| z.times_plus(sum, z.number(c))),
        [] => z.number(0.0),
    }
}

macro_rules! fused {
    ($real:ty, $numbers:expr, $bits:expr) => {
        impl Fused for $real {
            #[inline(always)]
            fn numbers(self) -> &'static SineNumbers {
                &$numbers
            }
            #[inline(always)]
            fn number(self, x: f64) -> Self {
                x as $real
            }
            #[inline(always)]
            fn plus(self, b: Self) -> Self {
                self + b
            }
            #[inline(always)]
            fn less(self, b: Self) -> Self {
                self - b
            }
            #[inline(always)]
            fn times(self, b: Self) -> Self {
                self * b
            }
            #[inline(always)]
            fn times_plus(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }
            #[inline(always)]
            fn less_times(self, b: Self, c: Self) -> Self {
                (-b).mul_add(c, self)
            }
            #[inline(always)]
            fn in_quadrant(self, sin: Self, cos: Self) -> (Self, Self) {
                let quadrant = self.to_bits();
                let (a, b) = if quadrant & 1 != 0 { (cos, sin) } else { (sin, cos) };
                let sign_sin = (quadrant & 2) << ($bits - 2);
                let sign_cos = (quadrant.wrapping_add(1) & 2) << ($bits - 2);
                (<$real>::from_bits(a.to_bits() ^ sign_sin), <$real>::from_bits(b.to_bits() ^ sign_cos))
            }
        }
    };
}

fused!(f64, DOUBLE, 64);
fused!(f32, SINGLE, 32);
