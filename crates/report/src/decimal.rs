//! Decimal numbers to binary ones and back, exactly rounded and fast; what is rare goes to the standard library.
//!
//! Reading is the method of Eisel and Lemire (D. Lemire, “Number parsing at a gigabyte per second”, Software: Practice and Experience 51,
//! 2021, algorithm 1): the product of the digits and 128 bits of the power of five decides the rounding. For powers of ten from −27 to 27 it always
//! does (section 5 there), and these are the ones that are taken here.
//!
//! Writing: mantissa · 2^e · 10^k is the product mantissa · 5^k, which 128 bits hold, shifted.

/// The largest power of ten, either way.
const MAX_POWER: usize = 27;

/// Digits that tell any two numbers apart.
pub(crate) const MAX_DIGITS: usize = 17;

/// base⁰, base¹ …
const fn powers<const N: usize>(base: u64) -> [u64; N] {
    let mut powers = [1; N];
    let mut k = 1;
    while k < N {
        powers[k] = base * powers[k - 1];
        k += 1;
    }
    powers
}

/// 5⁰ … 5²⁷, as far as 64 bits hold them.
const FIVES: [u64; MAX_POWER + 1] = powers(5);

/// 10⁰ … 10¹⁷.
const TENS: [u64; MAX_DIGITS + 1] = powers(10);

/// The first 128 bits of 5^−27 … 5^27; of negative powers rounded up.
const SCALES: [u128; 2 * MAX_POWER + 1] = {
    let mut scales = [0; 2 * MAX_POWER + 1];
    let mut k = 0;
    while k <= MAX_POWER {
        let five = FIVES[k] as u128;
        scales[MAX_POWER + k] = five << five.leading_zeros();
        if k > 0 {
            // ⌊2^(127 + z) / 5^k⌋ + 1 with 2^(z − 1) < 5^k, in two steps of 64 bits.
            let z = 128 - five.leading_zeros();
            let first = (1_u128 << (z - 1)) << 64;
            let second = (first % five) << 64;
            scales[MAX_POWER - k] = (((first / five) << 64) | (second / five)) + 1;
        }
        k += 1;
    }
    scales
};

/// The number that the first `length` bytes are, if it is of a usual kind: at most 19 digits that count, no blanks, of a usual size. What follows
/// them must begin with no digit.
#[inline]
pub(crate) fn read(text: &[u8], length: usize) -> Option<f64> {
    // Numbers of either sign come in no order, so none of this is a branch that could be guessed wrong.
    let negative = text.first() == Some(&b'-');
    let signed = negative || text.first() == Some(&b'+');
    let start = usize::from(signed);
    let mut number = 0;
    let mut at = match text.get(start..) {
        // One digit before the point, as most numbers have it.
        Some([digit @ b'0'..=b'9', b'.', ..]) => {
            number = u64::from(digit - b'0');
            start + 1
        }
        _ => take_digits(&mut number, text, start),
    };
    let mut digits = at - start;
    let mut power = 0;
    if text.get(at) == Some(&b'.') {
        let places = at + 1;
        at = take_digits(&mut number, text, places);
        digits += at - places;
        power = -i32::try_from(at - places).ok()?;
    }
    if digits > 19 {
        let unsigned = text.get(start..at)?;
        let zeros = unsigned.iter().take_while(|byte| matches!(byte, b'0' | b'.')).count();
        let point = unsigned[..zeros].contains(&b'.');
        digits -= zeros - usize::from(point);
    }
    if digits == 0 || digits > 19 {
        return None;
    }
    if at != length {
        let (exponent, after) = read_exponent(text, at)?;
        power += exponent;
        at = after;
    }
    if at != length {
        return None;
    }
    let size = scaled(number, power)?;
    Some(f64::from_bits(size.to_bits() | u64::from(negative) << 63))
}

/// The exponent that begins here, of at most three digits, and where it ends.
#[inline]
fn read_exponent(text: &[u8], at: usize) -> Option<(i32, usize)> {
    if !matches!(text.get(at), Some(b'e' | b'E')) {
        return None;
    }
    let negative = text.get(at + 1) == Some(&b'-');
    let start = at + 1 + usize::from(negative || text.get(at + 1) == Some(&b'+'));
    let mut size = 0;
    let end = take_digits(&mut size, text, start);
    if end == start || end > start + 3 {
        return None;
    }
    let size = size as i32;
    Some((if negative { -size } else { size }, end))
}

/// Adds the digits from here on to the right of a number; where they end.
#[inline]
fn take_digits(number: &mut u64, text: &[u8], mut at: usize) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let mut rest = text.get(at..).unwrap_or_default();
    while let Some((eight, after)) = rest.split_first_chunk() {
        let bytes = u64::from_le_bytes(*eight);
        let digits = bytes.wrapping_sub(u64::from(b'0') * EACH);
        // A byte below `0` borrows, one above `9` has its highest bit set by the sum; those after the first of them do not matter.
        let others = (bytes.wrapping_add(0x46 * EACH) | digits) & (0x80 * EACH);
        if others == 0 {
            *number = number.wrapping_mul(100_000_000).wrapping_add(eight_digits(digits));
            at += 8;
            rest = after;
            continue;
        }
        // So many digits are taken as eight with zeros in front, which is the same for any number of them.
        let count = others.trailing_zeros() / 8;
        let last = eight_digits((digits << 8) << (56 - 8 * count));
        *number = number.wrapping_mul(TENS[count as usize % 8]).wrapping_add(last);
        return at + count as usize;
    }
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        *number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        rest = after;
        at += 1;
    }
    at
}

/// Eight digits at once, in a register: the first is in the lowest byte.
#[inline]
fn eight_digits(digits: u64) -> u64 {
    // Pairs, then fours and eights.
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    const MASK: u64 = 0x0000_00ff_0000_00ff;
    let first = (pairs & MASK).wrapping_mul(100 + (1_000_000 << 32));
    let second = ((pairs >> 16) & MASK).wrapping_mul(1 + (10_000 << 32));
    first.wrapping_add(second) >> 32
}

/// number · 10^power, rounded to the nearest, a tie to even; `None` where it is not of a usual size.
#[inline]
fn scaled(number: u64, power: i32) -> Option<f64> {
    if number == 0 {
        return Some(0.0);
    }
    let scale = *SCALES.get(usize::try_from(power + MAX_POWER as i32).ok()?)?;
    let zeros = number.leading_zeros();
    let digits = u128::from(number << zeros);
    let product = digits * (scale >> 64);
    let (mut high, mut low) = ((product >> 64) as u64, product as u64);
    // The upper half of the power decides, unless all bits below those that are kept are set.
    if high & 0x1ff == 0x1ff {
        let more = ((digits * (scale & u128::from(u64::MAX))) >> 64) as u64;
        let carried;
        (low, carried) = low.overflowing_add(more);
        high += u64::from(carried);
    }
    let top = (high >> 63) as u32;
    let mut mantissa = high >> (top + 9);
    // ⌊log2 5^power⌋ + power, and where the first bit is.
    let mut exponent = ((power * 217_706) >> 16) + 63 + top as i32 - zeros as i32 + 1023;
    // Halfway between two numbers, exactly: down to the even one.
    if low <= 1 && (-4..=23).contains(&power) && mantissa & 3 == 1 && mantissa << (top + 9) == high {
        mantissa &= !1;
    }
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if mantissa >> 53 == 1 {
        mantissa >>= 1;
        exponent += 1;
    }
    Some(f64::from_bits((exponent as u64) << 52 | mantissa & ((1 << 52) - 1)))
}

/// A number that is not negative with so many digits, 1 to 17, as `{:e}` writes it, and how many of these bytes it is. `None` where it is
/// not of a usual size.
#[inline]
pub(crate) fn write(value: f64, digits: usize) -> Option<([u8; 24], usize)> {
    let (number, power) = decimal(value, digits)?;
    let number = number * TENS[MAX_DIGITS - digits];
    let (high, low) = (number / 100_000_000, number % 100_000_000);
    // A digit, a point, sixteen digits, `e-27`.
    let mut all = [0; 24];
    all[0] = b'0' + (high / 100_000_000) as u8;
    all[1] = b'.';
    let (places, _) = all[2..].as_chunks_mut::<8>();
    (places[0], places[1]) = (write_eight(high % 100_000_000), write_eight(low));
    let end = if digits == 1 { 1 } else { digits + 1 };
    let (exponent, length) = EXPONENTS[usize::try_from(power + MAX_POWER as i32).ok()?];
    *all[end..].first_chunk_mut()? = exponent;
    Some((all, end + length))
}

/// The digits of a number as one, and the power of ten of the first of them: rounded to the nearest, a tie to even. `None` where the power
/// of five is not from 0 to 27 (with 17 digits: below 1e-11 and from 1e17 on), and for NaN.
#[inline]
fn decimal(value: f64, digits: usize) -> Option<(u64, i32)> {
    if value == 0.0 {
        return Some((0, 0));
    }
    let bits = value.to_bits();
    let (mantissa, exponent) = (bits & ((1 << 52) - 1) | 1 << 52, (bits >> 52) as i32 - 1075);
    // ⌊log10 2^n⌋ where 2^n ≤ value: the power of the first digit, or one less.
    let least = ((exponent + 52) * 78913) >> 18;
    let end = TENS[digits];
    for power in [least, least + 1] {
        let scale = digits as i32 - 1 - power;
        let product = u128::from(mantissa) * u128::from(*FIVES.get(usize::try_from(scale).ok()?)?);
        let shift = -(exponent + scale);
        let (whole, up) = match u32::try_from(shift) {
            Ok(0) | Err(_) => (product << -shift, false),
            Ok(shift) => {
                // With one bit more than is kept, and whether there is anything below it.
                let twice = product >> (shift - 1);
                let more = product & ((1 << (shift - 1)) - 1) != 0;
                (twice >> 1, twice & 1 == 1 && (more || twice & 2 == 2))
            }
        };
        if whole < u128::from(end) && whole >= u128::from(end / 10) {
            let number = whole as u64 + u64::from(up);
            return Some(if number == end { (number / 10, power + 1) } else { (number, power) });
        }
    }
    None
}

/// `e-27` … `e28`, and how long each is.
const EXPONENTS: [([u8; 4], usize); 2 * MAX_POWER + 2] = {
    let mut all = [([0; 4], 0); 2 * MAX_POWER + 2];
    let mut k = 0;
    while k < all.len() {
        let power = k as i32 - MAX_POWER as i32;
        let size = power.unsigned_abs() as u8;
        let (tens, ones) = (b'0' + size / 10, b'0' + size % 10);
        all[k] = match (power < 0, size >= 10) {
            (false, false) => ([b'e', ones, 0, 0], 2),
            (false, true) => ([b'e', tens, ones, 0], 3),
            (true, false) => ([b'e', b'-', ones, 0], 3),
            (true, true) => ([b'e', b'-', tens, ones], 4),
        };
        k += 1;
    }
    all
};

/// Eight digits at once, in a register.
#[inline]
fn write_eight(number: u64) -> [u8; 8] {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = hundreds | (fours - 100 * hundreds) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    let digits = tens | (pairs - 10 * tens) << 8;
    (digits | 0x3030_3030_3030_3030).to_le_bytes()
}
