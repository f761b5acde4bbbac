//! Tables A4–A7 after the 1 % significance criterion: the paper's model with 305 calculations.
//!
//! Corrected: a13 has −3.79e-3 S23 (printed −3.97e-3, two digits exchanged; compare I13 and b123). The criterion is not
//! applied everywhere as stated (docs/papers/armstrong.md); the expressions are kept as printed.

use super::Matrices;
use super::tables::centrifugal;
use crate::array::map;
use crate::scalar::Scalar;

/// The abbreviated expressions at the joint angles `q`.
#[inline(always)]
pub(super) fn matrices<S: Scalar>(q: [S; 6]) -> Matrices<S> {
    let k = S::from_f64;
    let o = S::zero();
    let [(s2, c2), (s3, c3), (s4, c4), (s5, c5)] = map([q[1], q[2], q[3], q[4]], S::sin_cos);
    let q23 = q[1] + q[2];
    let (s23, c23) = q23.sin_cos();
    let (_, c223) = (q[1] + q23).sin_cos();
    let (cc2, sc2) = (c2 * c2, s2 * c2);
    let (ss23, sc23) = (s23 * s23, s23 * c23);
    let double23 = S::one() - ss23.times(2.0);
    let double4 = S::one() - (s4 * s4).times(2.0);

    // Table A4.
    let a11 = k(2.57) + cc2 * k(1.38) + ss23 * k(0.30) + c2 * s23 * k(7.44e-1);
    let a12 = s2 * k(6.90e-1) - c23 * k(1.34e-1) + c2 * k(2.38e-2);
    let a13 = -(c23 * k(1.34e-1)) - s23 * k(3.79e-3);
    let a22 = k(6.79) + s3 * k(7.44e-1);
    let a23 = k(0.333) + s3 * k(3.72e-1) - c3 * k(1.10e-2);
    let a34 = -(s4 * s5 * k(1.25e-3));
    let a35 = c4 * c5 * k(1.25e-3);
    let (a33, a44, a55, a66) = (k(1.16), k(0.20), k(0.18), k(0.19));
    let a = [
        [a11, a12, a13, o, o, o],
        [a12, a22, a23, o, o, o],
        [a13, a23, a33, a34, a35, o],
        [o, o, a34, a44, o, o],
        [o, o, a35, o, a55, o],
        [o, o, o, o, o, a66],
    ];

    // Table A5.
    let fold = ss23 * s5 - sc23 * c4 * c5;
    let out = c2 * (s23 * s5 - c23 * c4 * c5);
    let b123 = s23 * k(2.67e-1) - c23 * k(7.58e-3);
    let b223 = s3 * k(2.20e-2) + c3 * k(7.44e-1);
    let b314 = s23 * k(1.64e-3) - c23 * c4 * s5 * k(2.50e-3) + s23 * double4 * k(0.30e-3);
    let b315 = -(c23 * s4 * c5 * k(2.50e-3)) - c23 * s4 * k(6.42e-4);
    let b325 = -(s5 * k(2.50e-3));
    let b112 = c223 * k(7.44e-1) - sc2 * k(2.76) + sc23 * k(0.60) - double23 * k(2.13e-2);
    let b113 = c2 * c23 * k(7.44e-1) + sc23 * k(0.60) + c2 * s23 * k(2.20e-2) - double23 * k(2.13e-2);
    let b114 = c4 * s5 * k(8.60e-4) - sc23 * s4 * s5 * k(2.50e-3) - c2 * c23 * s4 * s5 * k(2.48e-3);
    let b115 = s4 * c5 * k(8.60e-4) - fold * k(2.50e-3) - out * k(2.48e-3);
    let b214 = b314 + s2 * c4 * s5 * k(2.48e-3);
    let b215 = b315 + s2 * s4 * c5 * k(2.48e-3);
    let b224 = -(c3 * s4 * s5 * k(2.48e-3));
    let b225 = b325 + (c3 * c4 * c5 - s3 * s5) * k(2.48e-3);
    let b345 = -(s4 * c5 * k(2.50e-3));
    let b415 = -(s23 * c4 * k(6.42e-4));
    let b425 = s4 * k(6.42e-4);
    let b = [
        [b112, b113, b114, b115, o, b123, o, o, o, o, o, o, o, o, o],
        [o, o, b214, b215, o, b223, b224, b225, o, b224, b225, o, o, o, o],
        [o, o, b314, b315, o, o, o, b325, o, o, b325, o, b345, o, o],
        [-b214, -b314, o, b415, o, o, o, b425, o, o, b425, o, o, o, o],
        [-b215, -b315, -b415, o, o, -b325, -b425, o, o, -b425, o, o, o, o, o],
        [o; 15],
    ];

    // Table A6.
    let c12 = c2 * k(6.90e-1) + s23 * k(1.34e-1) - s2 * k(2.38e-2);
    let c34 = -(c4 * s5 * k(1.25e-3));
    let c = centrifugal(&b, [c12, o, o, o, o, c34, c34]);

    // Table A7.
    let hang = -(s23 * k(8.4));
    let g = [
        o,
        hang - c2 * k(37.2) + s2 * k(1.02),
        hang + c23 * k(0.25),
        s23 * s4 * s5 * k(2.8e-2),
        -((c23 * s5 + s23 * c4 * c5) * k(2.8e-2)),
        o,
    ];
    Matrices { a, b, c, g }
}
