//! Tables A4–A7 in full.
//!
//! Corrected against the print: a12 and a13 have I13 S23 (not I15 S23); b112 and b113 close the brace before I10; b114 has
//! I20 SS23 (not S23); b314 has CC5 CC4 (not C5 C4); c12 has I20 S4 C23 C4 CC5 (not C5).

use super::{Constants, Matrices, column};
use crate::array::map;
use crate::scalar::Scalar;

impl<S: Scalar> Constants<S> {
    /// Tables A4–A7 at the joint angles `q`.
    #[inline(always)]
    pub fn matrices(&self, q: [S; 6]) -> Matrices<S> {
        let [i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15, i16, i17, i18, i19, i20, i21, i22, i23] =
            self.inertial;
        let m = self.motor;
        let [g1, g2, g3, g4, g5] = self.gravitational;
        let one = S::one();
        let two = |x: S| x.times(2.0);
        let half = |x: S| x.times(0.5);

        let [(s2, c2), (s3, c3), (s4, c4), (s5, c5)] = map([q[1], q[2], q[3], q[4]], S::sin_cos);
        let q23 = q[1] + q[2];
        let (s23, c23) = q23.sin_cos();
        let (s223, c223) = (q[1] + q23).sin_cos();
        let (ss2, cc2, sc2) = (s2 * s2, c2 * c2, s2 * c2);
        let (ss23, cc23, sc23) = (s23 * s23, c23 * c23, s23 * c23);
        let (ss4, cc4, sc4) = (s4 * s4, c4 * c4, s4 * c4);
        let (ss5, cc5, sc5) = (s5 * s5, c5 * c5, s5 * c5);
        // 1 − 2 SS: the cosine of the double angle.
        let double2 = one - two(ss2);
        let double23 = one - two(ss23);
        let double4 = one - two(ss4);
        let double5 = one - two(ss5);

        // Table A4.
        let a11 = m[0]
            + i1
            + i3 * cc2
            + i7 * ss23
            + i10 * sc23
            + i11 * sc2
            + i20 * (ss5 * (ss23 * (one + cc4) - one) - two(sc23 * c4 * sc5))
            + i21 * ss23 * cc4
            + two(i5 * c2 * s23
                + i12 * c2 * c23
                + i15 * (ss23 * c5 + sc23 * c4 * s5)
                + i16 * c2 * (s23 * c5 + c23 * c4 * s5)
                + i18 * s4 * s5
                + i22 * (sc23 * c5 + cc23 * c4 * s5));
        let a13 = i8 * c23 + i13 * s23 - i15 * c23 * s4 * s5
            + i19 * s23 * sc4
            + i18 * (s23 * c4 * s5 - c23 * c5)
            + i22 * s23 * s4 * s5
            + i20 * s4 * (s23 * c4 * cc5 + c23 * sc5);
        let a12 = i4 * s2 + i9 * c2 + i16 * s2 * s4 * s5 + a13;
        let a14 = i14 * c23 + i15 * s23 * c4 * s5 + i16 * c2 * c4 * s5 + i18 * c23 * s4 * s5
            - i20 * (s23 * c4 * sc5 + c23 * ss5)
            + i22 * c23 * c4 * s5;
        let a15 = i15 * s23 * s4 * c5
            + i16 * c2 * s4 * c5
            + i17 * s23 * s4
            + i18 * (s23 * s5 - c23 * c4 * c5)
            + i22 * c23 * s4 * c5;
        let a16 = i23 * (c23 * c5 - s23 * c4 * s5);
        let wrist = i20 * ss4 * ss5 + i21 * ss4;
        let swing = i16 * (s3 * c5 + c3 * c4 * s5);
        let reach = two(i15 * c5 + i22 * c4 * s5);
        let a22 = m[1] + i2 + i6 + wrist + two(i5 * s3 + i12 * c3 + swing) + reach;
        let a23 = i5 * s3 + i6 + i12 * c3 + swing + wrist + reach;
        let a34 = i20 * s4 * sc5 - i15 * s4 * s5;
        let a24 = a34 - i16 * s3 * s4 * s5;
        let a35 = i15 * c4 * c5 + i17 * c4 + i22 * s5;
        let a25 = a35 + i16 * (c3 * s5 + s3 * c4 * c5);
        let a26 = i23 * s4 * s5;
        let a33 = m[2] + i6 + wrist + reach;
        let a36 = a26;
        let a44 = m[3] + i14 - i20 * ss5;
        let a46 = i23 * c5;
        let a55 = m[4] + i17;
        let a66 = m[5] + i23;
        let o = S::zero();
        let a = [
            [a11, a12, a13, a14, a15, a16],
            [a12, a22, a23, a24, a25, a26],
            [a13, a23, a33, a34, a35, a36],
            [a14, a24, a34, a44, o, a46],
            [a15, a25, a35, o, a55, o],
            [a16, a26, a36, a46, o, a66],
        ];

        // Table A5.
        let turned = i15 * (two(sc23 * c5) + double23 * c4 * s5)
            + i21 * sc23 * cc4
            + i20 * ((one + cc4) * sc23 * ss5 - double23 * c4 * sc5)
            + i22 * (double23 * c5 - two(sc23 * c4 * s5));
        let b112 = two(i5 * c223 - i3 * sc2 + i7 * sc23 - i12 * s223 + i16 * (c223 * c5 - s223 * c4 * s5) + turned)
            + i10 * double23
            + i11 * double2;
        let b113 = two(i5 * c2 * c23 + i7 * sc23 - i12 * c2 * s23 + i16 * c2 * (c23 * c5 - s23 * c4 * s5) + turned)
            + i10 * double23;
        let b114 = two(i18 * c4 * s5
            - i15 * sc23 * s4 * s5
            - i16 * c2 * c23 * s4 * s5
            - i20 * (ss23 * ss5 * sc4 - sc23 * s4 * sc5)
            - i22 * cc23 * s4 * s5
            - i21 * ss23 * sc4);
        let b115 = two(i20 * (sc5 * (cc4 * (one - cc23) - cc23) - sc23 * c4 * double5)
            - i15 * (ss23 * s5 - sc23 * c4 * c5)
            - i16 * c2 * (s23 * s5 - c23 * c4 * c5)
            + i18 * s4 * c5
            + i22 * (cc23 * c4 * c5 - sc23 * s5));
        let b123 = two(i13 * c23 - i8 * s23
            + i15 * s23 * s4 * s5
            + i18 * (c23 * c4 * s5 + s23 * c5)
            + i19 * c23 * sc4
            + i20 * s4 * (c23 * c4 * cc5 - s23 * sc5)
            + i22 * c23 * s4 * s5);
        let b124 = i19 * s23 * double4 + i20 * s23 * (one - two(ss4 * cc5)) - two(i18 * s23 * s4 * s5) - i14 * s23;
        let b125 =
            i17 * c23 * s4 + two(i18 * (s23 * c4 * c5 + c23 * s5)) + i20 * s4 * (c23 * double5 - two(s23 * c4 * sc5));
        let b126 = -(i23 * (s23 * c5 + c23 * c4 * s5));
        let spread = i20 * (s23 * c4 * double5 + two(c23 * sc5));
        let b145 = two(i15 * s23 * c4 * c5 + i16 * c2 * c4 * c5 + i18 * c23 * s4 * c5 + i22 * c23 * c4 * c5)
            + i17 * s23 * c4
            - spread;
        let b146 = i23 * s23 * s4 * s5;
        let b156 = -(i23 * (c23 * s5 + s23 * c4 * c5));
        let b314 =
            two(i22 * s23 * c4 * s5 - i15 * c23 * c4 * s5
                + i20 * (s23 * (cc5 * cc4 - S::from_f64(0.5)) + c23 * c4 * sc5))
                + i14 * s23
                + i19 * s23 * double4;
        let b214 = b314 + two(i16 * s2 * c4 * s5);
        let b315 = two(i22 * s23 * s4 * c5 - i15 * c23 * s4 * c5) - i17 * c23 * s4
            + i20 * s4 * (c23 * double5 - two(s23 * c4 * sc5));
        let b215 = b315 + two(i16 * s2 * s4 * c5);
        let b223 = two(i5 * c3 - i12 * s3 + i16 * (c3 * c5 - s3 * c4 * s5));
        let b324 = two(i20 * sc4 * ss5 + i21 * sc4 - i22 * s4 * s5);
        let b224 = b324 - two(i16 * c3 * s4 * s5);
        let b325 = two(i20 * ss4 * sc5 - i15 * s5 + i22 * c4 * c5);
        let b225 = b325 + two(i16 * (c3 * c4 * c5 - s3 * s5));
        let b345 = i20 * s4 * double5 - two(i15 * s4 * c5) - i17 * s4;
        let b245 = b345 - two(i16 * s3 * s4 * c5);
        let b246 = i23 * c4 * s5;
        let b256 = i23 * s4 * c5;
        let b415 = -spread - i17 * s23 * c4;
        let b425 = i17 * s4 + i20 * s4 * double5;
        let b445 = -two(i20 * sc5);
        let b456 = -(i23 * s5);

        // Table A6.
        let c12 = i4 * c2 - i9 * s2 + i16 * c2 * s4 * s5 + half(b123);
        let lift = -(i15 * s23 * s4 * s5) - i16 * c2 * s4 * s5 - i22 * c23 * s4 * s5;
        let c14 = lift + i18 * c23 * c4 * s5 + i20 * s23 * s4 * sc5;
        let c15 = lift + i18 * (s23 * c5 + c23 * c4 * s5);
        let c34 = i20 * c4 * sc5 - i15 * c4 * s5;
        let c24 = c34 - i16 * s3 * c4 * s5;
        let c35 = i22 * c5 - i15 * c4 * s5;
        let c25 = c35 + i16 * (c3 * c5 - s3 * c4 * s5);

        // Table A7.
        let hang = g2 * s23 + g4 * c23 + g5 * (s23 * c5 + c23 * c4 * s5);
        let g = [o, g1 * c2 + g3 * s2 + hang, hang, -(g5 * s23 * s4 * s5), g5 * (c23 * s5 + s23 * c4 * c5), o];

        // Table A5: the products q̇_1q̇_2 … q̇_1q̇_6, q̇_2q̇_3 …, q̇_3q̇_4 …, q̇_4q̇_5, q̇_4q̇_6, q̇_5q̇_6.
        let b = [
            [b112, b113, b114, b115, o, b123, b124, b125, b126, b124, b125, b126, b145, b146, b156],
            [o, o, b214, b215, -b126, b223, b224, b225, o, b224, b225, o, b245, b246, b256],
            [o, o, b314, b315, -b126, o, b324, b325, o, b324, b325, o, b345, b246, b256],
            [-b214, -b314, o, b415, -b146, -b324, o, b425, -b246, o, b425, -b246, b445, o, b456],
            [-b215, -b315, -b415, o, -b156, -b325, -b425, o, -b256, -b425, o, -b256, o, -b456, o],
            [b126, b126, b146, b156, o, o, b246, b256, o, b246, b256, o, b456, o, o],
        ];
        let c = centrifugal(&b, [c12, c14, c15, c24, c25, c34, c35]);
        Matrices { a, b, c, g }
    }
}

/// C of Table A6: the elements that are given by an expression of their own, and those that are half of one of B.
#[inline(always)]
pub(super) fn centrifugal<S: Scalar>(b: &[[S; 15]; 6], [c12, c14, c15, c24, c25, c34, c35]: [S; 7]) -> [[S; 6]; 6] {
    let o = S::zero();
    // Half of the b of a torque and a product of two velocities, all from 1.
    let half = |i: usize, j: usize, k: usize| b[i - 1][column(j - 1, k - 1)].times(0.5);
    let c23 = half(2, 2, 3);
    [
        [o, c12, half(1, 2, 3), c14, c15, o],
        [-half(1, 1, 2), o, c23, c24, c25, o],
        [-half(1, 1, 3), -c23, o, c34, c35, o],
        [-half(1, 1, 4), -half(2, 2, 4), -half(3, 2, 4), o, o, o],
        [-half(1, 1, 5), -half(2, 2, 5), -half(3, 2, 5), -half(4, 4, 5), o, o],
        [o; 6],
    ]
}
