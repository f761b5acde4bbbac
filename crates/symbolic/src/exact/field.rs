//! A finite field in which every rational number, √2, √3 and a root of every real number has its place.
//!
//! Residues modulo the prime p = 2⁶¹ − 465, and these adjoined √−1: p ≡ 23 (mod 24), so that 2 and 3 have roots among the
//! residues, and −1 has none.

use std::ops::{Add, Mul, Neg};

const P: u64 = (1 << 61) - 465;
const MASK: u64 = (1 << 61) - 1;

/// re + √−1 im.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FieldElement {
    re: u64,
    im: u64,
}

fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= P { sum - P } else { sum }
}

fn negative(a: u64) -> u64 {
    if a == 0 { 0 } else { P - a }
}

fn mul(a: u64, b: u64) -> u64 {
    // 2⁶¹ ≡ 465, twice.
    let product = u128::from(a) * u128::from(b);
    let folded = u128::from(product as u64 & MASK) + (product >> 61) * 465;
    let low = (folded as u64 & MASK) + (folded >> 61) as u64 * 465;
    let low = if low >= P { low - P } else { low };
    if low >= P { low - P } else { low }
}

fn power(a: u64, mut exponent: u64) -> u64 {
    let (mut result, mut square) = (1, a);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul(result, square);
        }
        square = mul(square, square);
        exponent >>= 1;
    }
    result
}

/// A root, where there is one.
fn root(a: u64) -> Option<u64> {
    let root = power(a, P.div_ceil(4));
    (mul(root, root) == a).then_some(root)
}

/// Stirs bits (Steele, Lea and Flood's splitmix).
fn stir(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl FieldElement {
    pub const ZERO: Self = Self { re: 0, im: 0 };
    pub const ONE: Self = Self { re: 1, im: 0 };

    pub fn integer(n: u64) -> Self {
        Self { re: n % P, im: 0 }
    }

    /// A place that depends on all of these and on nothing else.
    pub fn scattered(seed: u64, of: &[Self]) -> Self {
        let all = of.iter().flat_map(|x| [x.re, x.im]);
        let mixed =
            all.fold(stir(seed ^ 0x9E37_79B9_7F4A_7C15), |hash, x| stir(hash.rotate_left(29) ^ stir(x ^ 0x5851)));
        Self { re: mixed % P, im: 0 }
    }

    pub fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    /// n to the power of `exponent`.
    pub fn power(n: u64, exponent: u32) -> Self {
        Self { re: power(n, u64::from(exponent)), im: 0 }
    }

    /// 1/x; `None` for zero.
    pub fn inverse(self) -> Option<Self> {
        if self.is_zero() {
            return None;
        }
        if self.im == 0 {
            return Some(Self { re: power(self.re, P - 2), im: 0 });
        }
        let norm = power(add(mul(self.re, self.re), mul(self.im, self.im)), P - 2);
        Some(Self { re: mul(self.re, norm), im: mul(negative(self.im), norm) })
    }

    /// A root, always the same one; `None` where there is none, which never happens to a residue.
    pub fn sqrt(self) -> Option<Self> {
        if self.im == 0 {
            return Some(match root(self.re) {
                Some(re) => Self { re, im: 0 },
                None => Self { re: 0, im: root(negative(self.re))? },
            });
        }
        let norm = root(add(mul(self.re, self.re), mul(self.im, self.im)))?;
        let half = P.div_ceil(2);
        let (plus, minus) = (mul(half, add(self.re, norm)), mul(half, add(self.re, negative(norm))));
        let re = root(plus).or_else(|| root(minus))?;
        Some(Self { re, im: mul(mul(half, self.im), power(re, P - 2)) })
    }

    /// The same for x and −x.
    pub fn without_sign(self) -> u64 {
        let least = self.min(-self);
        least.re ^ least.im.rotate_left(32)
    }
}

impl Add for FieldElement {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: add(self.re, other.re), im: add(self.im, other.im) }
    }
}

impl Neg for FieldElement {
    type Output = Self;
    fn neg(self) -> Self {
        Self { re: negative(self.re), im: negative(self.im) }
    }
}

impl Mul for FieldElement {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let re = mul(self.re, other.re);
        if self.im | other.im == 0 {
            return Self { re, im: 0 };
        }
        let im = add(mul(self.re, other.im), mul(self.im, other.re));
        Self { re: add(re, negative(mul(self.im, other.im))), im }
    }
}
