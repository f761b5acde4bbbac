//! The one sine and cosine of the library.
//!
//! Cody–Waite reduction by π/2 in three exact steps, then the minimax polynomials of Sun's fdlibm
//! (`k_sin.c`, `k_cos.c`, 1993) on [−π/4, π/4] with the tail of the reduced argument carried along. The quadrant is
//! chosen by selection, not by branching, so the same code serves one number and a lane of a vector and both give the
//! same bits. At most 1 ulp for |x| ≤ [`SIN_COS_RANGE`], checked in high precision by a test; beyond that libm answers.

/// Up to this angle (rad) the fast reduction holds: 2¹⁷·π/2, some 32,000 turns.
pub const SIN_COS_RANGE: f64 = 205_887.0;

/// Adding this rounds a `f64` below 2⁵¹ to the nearest integer, which then stands in its lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²

// π/2 as a sum of three numbers, the first two with 33 bits so that their products with an integer of at most
// 20 bits are exact (fdlibm, e_rem_pio2.c: pio2_1, pio2_2, pio2_2t).
const PIO2_1: f64 = f64::from_bits(0x3FF9_21FB_5440_0000);
const PIO2_2: f64 = f64::from_bits(0x3DD0_B461_1A60_0000);
const PIO2_3: f64 = f64::from_bits(0x3BA3_198A_2E03_7073);
// What a f64 holds of π/2 less a f64, and of what is left of it then.
#[cfg(feature = "std")]
const PIO2_LOW: f64 = 6.123_233_995_736_766e-17;
#[cfg(feature = "std")]
const PIO2_LOWEST: f64 = -1.497_384_904_859_169_8e-33;

const S: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];
const C: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// Sine and cosine of `x`.
#[inline(always)]
pub(super) fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() <= SIN_COS_RANGE { sin_cos_reduced(x) } else { libm::sincos(x) }
}

/// Sine and cosine of `x`, for `|x| ≤` [`SIN_COS_RANGE`] the bits of [`Scalar::sin_cos`](super::Scalar::sin_cos), without a
/// branch: for loops over many angles, whose range was looked at before. Beyond that range it is wrong.
#[inline(always)]
pub fn sin_cos_reduced(x: f64) -> (f64, f64) {
    // n = round(x · 2/π); its two lowest bits are the quadrant.
    let shifted = x * core::f64::consts::FRAC_2_PI + ROUND;
    let n = shifted - ROUND;
    let quadrant = shifted.to_bits();

    // x − n π/2 = y + tail, to well below an ulp of y.
    let first = x - n * PIO2_1;
    let second = n * PIO2_2;
    let r = first - second;
    let lost = (first - r) - second; // exact (Dekker)
    let w = n * PIO2_3 - lost;
    let y = r - w;
    let tail = (r - y) - w;

    let z = y * y;
    // sin y: y + y³(S₁ + …) with the tail to first order.
    let sin_high = S[1] + z * (S[2] + z * (S[3] + z * (S[4] + z * S[5])));
    let cube = z * y;
    let sin = y - ((z * (0.5 * tail - cube * sin_high) - tail) - cube * S[0]);
    // cos y: 1 − z/2 + z²(C₁ + …), the rounding of 1 − z/2 recovered.
    let cos_high = z * (C[0] + z * (C[1] + z * (C[2] + z * (C[3] + z * (C[4] + z * C[5])))));
    let half = 0.5 * z;
    let one = 1.0 - half;
    let cos = one + (((1.0 - one) - half) + (z * cos_high - y * tail));

    in_quadrant(quadrant, sin, cos)
}

/// The same for code that runs where a b + c with one rounding is one instruction: the reduction then needs no tail, and a third of
/// the operations is saved. At most 1 ulp too; the last bit may differ from [`sin_cos_reduced`].
#[cfg(feature = "std")]
#[inline(always)]
pub fn sin_cos_fused(x: f64) -> (f64, f64) {
    let shifted = x.mul_add(core::f64::consts::FRAC_2_PI, ROUND);
    let n = shifted - ROUND;
    // Each product is exact inside its sum, and so is the first sum; the third counts next to multiples of π/2 only.
    let y = (-n).mul_add(core::f64::consts::FRAC_PI_2, x);
    let y = (-n).mul_add(PIO2_LOWEST, (-n).mul_add(PIO2_LOW, y));
    let z = y * y;
    let cube = z * y;
    let sin_high = polynomial(z, &S);
    let sin = cube.mul_add(sin_high, y);
    let cos_high = z * polynomial(z, &C);
    let one = (-0.5_f64).mul_add(z, 1.0);
    let cos = one + z.mul_add(cos_high, (-0.5_f64).mul_add(z, 1.0 - one));
    in_quadrant(shifted.to_bits(), sin, cos)
}

/// c₀ + z (c₁ + z (…)).
#[cfg(feature = "std")]
#[inline(always)]
fn polynomial(z: f64, c: &[f64; 6]) -> f64 {
    c[..5].iter().rev().fold(c[5], |sum, &c| z.mul_add(sum, c))
}

/// Sine and cosine of an angle from those of what is left of it, with π/2 taken off so many times.
#[inline(always)]
fn in_quadrant(quadrant: u64, sin: f64, cos: f64) -> (f64, f64) {
    // Odd quadrants swap the two; the upper two quadrants change the sign of the sine, the middle two of the cosine.
    let odd = quadrant & 1 != 0;
    let (a, b) = if odd { (cos, sin) } else { (sin, cos) };
    let sign_sin = (quadrant & 2) << 62;
    let sign_cos = ((quadrant + 1) & 2) << 62;
    (f64::from_bits(a.to_bits() ^ sign_sin), f64::from_bits(b.to_bits() ^ sign_cos))
}
