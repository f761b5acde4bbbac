//! Tables A4–A7 in full.
//!
//! Corrected against the print: a12 and a13 have I13 S23 (not I15 S23); b112 and b113 close the brace before I10; b114 has
//! I20 SS23 (not S23); b314 has CC5 CC4 (not C5 C4); c12 has I20 S4 C23 C4 CC5 (not C5).

use super::{Constants, Matrices, column};
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

        let [(s2, c2), (s3, c3), (s4, c4), (s5, c5)] = [q[1], q[2], q[3], q[4]].map(S::sin_cos);
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

        let elements = Elements {
            b112,
            b113,
            b114,
            b115,
            b123,
            b124,
            b125,
            b126,
            b145,
            b146,
            b156,
            b214,
            b215,
            b223,
            b224,
            b225,
            b245,
            b246,
            b256,
            b314,
            b315,
            b324,
            b325,
            b345,
            b415,
            b425,
            b445,
            b456,
            c12,
            c14,
            c15,
            c24,
            c25,
            c34,
            c35,
        };
        let (b, c) = elements.matrices();
        Matrices { a, b, c, g }
    }
}

/// The elements of Tables A5 and A6 that are given by an expression; all others are zero or one of these.
#[derive(Clone, Copy)]
pub(super) struct Elements<S> {
    pub b112: S,
    pub b113: S,
    pub b114: S,
    pub b115: S,
    pub b123: S,
    pub b124: S,
    pub b125: S,
    pub b126: S,
    pub b145: S,
    pub b146: S,
    pub b156: S,
    pub b214: S,
    pub b215: S,
    pub b223: S,
    pub b224: S,
    pub b225: S,
    pub b245: S,
    pub b246: S,
    pub b256: S,
    pub b314: S,
    pub b315: S,
    pub b324: S,
    pub b325: S,
    pub b345: S,
    pub b415: S,
    pub b425: S,
    pub b445: S,
    pub b456: S,
    pub c12: S,
    pub c14: S,
    pub c15: S,
    pub c24: S,
    pub c25: S,
    pub c34: S,
    pub c35: S,
}

impl<S: Scalar> Elements<S> {
    /// B and C with all aliases of Tables A5 and A6.
    #[inline(always)]
    pub fn matrices(self) -> ([[S; 15]; 6], [[S; 6]; 6]) {
        let e = self;
        let o = S::zero();
        let half = |x: S| x.times(0.5);
        let mut b = [[o; 15]; 6];
        let entries = [
            // torque 1
            (1, 1, 2, e.b112),
            (1, 1, 3, e.b113),
            (1, 1, 4, e.b114),
            (1, 1, 5, e.b115),
            (1, 2, 3, e.b123),
            (1, 2, 4, e.b124),
            (1, 2, 5, e.b125),
            (1, 2, 6, e.b126),
            (1, 3, 4, e.b124),
            (1, 3, 5, e.b125),
            (1, 3, 6, e.b126),
            (1, 4, 5, e.b145),
            (1, 4, 6, e.b146),
            (1, 5, 6, e.b156),
            // torque 2
            (2, 1, 4, e.b214),
            (2, 1, 5, e.b215),
            (2, 1, 6, -e.b126),
            (2, 2, 3, e.b223),
            (2, 2, 4, e.b224),
            (2, 2, 5, e.b225),
            (2, 3, 4, e.b224),
            (2, 3, 5, e.b225),
            (2, 4, 5, e.b245),
            (2, 4, 6, e.b246),
            (2, 5, 6, e.b256),
            // torque 3
            (3, 1, 4, e.b314),
            (3, 1, 5, e.b315),
            (3, 1, 6, -e.b126),
            (3, 2, 4, e.b324),
            (3, 2, 5, e.b325),
            (3, 3, 4, e.b324),
            (3, 3, 5, e.b325),
            (3, 4, 5, e.b345),
            (3, 4, 6, e.b246),
            (3, 5, 6, e.b256),
            // torque 4
            (4, 1, 2, -e.b214),
            (4, 1, 3, -e.b314),
            (4, 1, 5, e.b415),
            (4, 1, 6, -e.b146),
            (4, 2, 3, -e.b324),
            (4, 2, 5, e.b425),
            (4, 2, 6, -e.b246),
            (4, 3, 5, e.b425),
            (4, 3, 6, -e.b246),
            (4, 4, 5, e.b445),
            (4, 5, 6, e.b456),
            // torque 5
            (5, 1, 2, -e.b215),
            (5, 1, 3, -e.b315),
            (5, 1, 4, -e.b415),
            (5, 1, 6, -e.b156),
            (5, 2, 3, -e.b325),
            (5, 2, 4, -e.b425),
            (5, 2, 6, -e.b256),
            (5, 3, 4, -e.b425),
            (5, 3, 6, -e.b256),
            (5, 4, 6, -e.b456),
            // torque 6
            (6, 1, 2, e.b126),
            (6, 1, 3, e.b126),
            (6, 1, 4, e.b146),
            (6, 1, 5, e.b156),
            (6, 2, 4, e.b246),
            (6, 2, 5, e.b256),
            (6, 3, 4, e.b246),
            (6, 3, 5, e.b256),
            (6, 4, 5, e.b456),
        ];
        for (i, j, k, value) in entries {
            b[i - 1][column(j - 1, k - 1)] = value;
        }
        let c23 = half(e.b223);
        let c = [
            [o, e.c12, half(e.b123), e.c14, e.c15, o],
            [-half(e.b112), o, c23, e.c24, e.c25, o],
            [-half(e.b113), -c23, o, e.c34, e.c35, o],
            [-half(e.b114), -half(e.b224), -half(e.b324), o, o, o],
            [-half(e.b115), -half(e.b225), -half(e.b325), -half(e.b445), o, o],
            [o; 6],
        ];
        (b, c)
    }
}
