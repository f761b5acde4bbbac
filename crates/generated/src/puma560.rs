//! puma560_torque: joint torques for joint positions, velocities and accelerations
//! Derived by dalembert 0.1.0; not to be edited by hand.
//! Robot: puma560 (Armstrong, Khatib & Burdick 1986, Tables 4–7 and A1)
//! SI units and radians; torques at the joint side of the gear.
//! Denavit-Hartenberg rows, modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d); q as in the robot file.
//! Cost: 259 operations: 143 ×, 116 +; 4 sine/cosine pairs.
//!
//!   symbol    meaning                                                           unit
//!   q         in: joint positions (6)                                           rad
//!   qd        in: joint velocities (6)                                          rad/s
//!   qdd       in: joint accelerations (6)                                       rad/s^2
//!   tau       out: joint torques (6)                                            N m
//!   s.., c..  sine and cosine of a joint angle or of a sum: s23 = sin(q2 + q3)  1
//!   t..       intermediate result                                               SI
//!
//! puma560_mass: mass matrix in joint coordinates
//! Derived by dalembert 0.1.0; not to be edited by hand.
//! Robot: puma560 (Armstrong, Khatib & Burdick 1986, Tables 4–7 and A1)
//! SI units and radians; torques at the joint side of the gear.
//! Denavit-Hartenberg rows, modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d); q as in the robot file.
//! Cost: 110 operations: 59 ×, 51 +; 5 sine/cosine pairs.
//!
//!   symbol    meaning                                                           unit
//!   q         in: joint positions (6)                                           rad
//!   m         out: mass matrix (6x6, row by row)                                kg m^2
//!   s.., c..  sine and cosine of a joint angle or of a sum: s23 = sin(q2 + q3)  1
//!   t..       intermediate result                                               SI
//!
//! puma560_gravity: torques that hold the robot still
//! Derived by dalembert 0.1.0; not to be edited by hand.
//! Robot: puma560 (Armstrong, Khatib & Burdick 1986, Tables 4–7 and A1)
//! SI units and radians; torques at the joint side of the gear.
//! Denavit-Hartenberg rows, modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d); q as in the robot file.
//! Cost: 19 operations: 12 ×, 7 +; 4 sine/cosine pairs.
//!
//!   symbol    meaning                                                           unit
//!   q         in: joint positions (6)                                           rad
//!   g         out: holding torques (6)                                          N m
//!   s.., c..  sine and cosine of a joint angle or of a sum: s23 = sin(q2 + q3)  1
//!   t..       intermediate result                                               SI

use core::ops::{Add, Div, Mul, Neg, Sub};

/// What is computed with: a number, and the functions that `core` lacks.
pub trait Math {
    /// The number.
    type Number: Copy
        + Add<Output = Self::Number>
        + Sub<Output = Self::Number>
        + Mul<Output = Self::Number>
        + Div<Output = Self::Number>
        + Neg<Output = Self::Number>;
    /// A constant.
    fn number(value: f64) -> Self::Number;
    /// Sine and cosine.
    fn sin_cos(x: Self::Number) -> (Self::Number, Self::Number);
    /// Sines and cosines of 4 angles.
    #[inline(always)]
    fn sin_cos_4([x0, x1, x2, x3]: [Self::Number; 4]) -> [(Self::Number, Self::Number); 4] {
        [Self::sin_cos(x0), Self::sin_cos(x1), Self::sin_cos(x2), Self::sin_cos(x3)]
    }
    /// Sines and cosines of 5 angles.
    #[inline(always)]
    fn sin_cos_5([x0, x1, x2, x3, x4]: [Self::Number; 5]) -> [(Self::Number, Self::Number); 5] {
        [Self::sin_cos(x0), Self::sin_cos(x1), Self::sin_cos(x2), Self::sin_cos(x3), Self::sin_cos(x4)]
    }
}

/// Joint torques for joint positions, velocities and accelerations: 259 operations: 143 ×, 116 +; 4 sine/cosine pairs.
#[inline(always)]
#[allow(clippy::all)]
#[rustfmt::skip]
pub fn puma560_torque<M: Math>(q: &[M::Number; 6], qd: &[M::Number; 6], qdd: &[M::Number; 6]) -> [M::Number; 6] {
    let t2 = q[1] + q[2];
    let [(s5, c5), (s23, c23), (s4, c4), (s2, c2)] = M::sin_cos_4([q[4], t2, q[3], q[1]]);
    let t4 = qdd[0] * c23;
    let t6 = qd[0] * s23;
    let t7 = qd[1] + qd[2];
    let t8 = t6 * t7;
    let t9 = t4 - t8;
    let t10 = qdd[3] + t9;
    let t11 = c5 * t10;
    let t14 = qdd[1] + qdd[2];
    let t15 = s4 * t14;
    let t17 = qdd[0] * s23;
    let t18 = qd[0] * c23;
    let t19 = t18 * t7;
    let t20 = t17 + t19;
    let t21 = c4 * t20;
    let t22 = s4 * t6;
    let t23 = c4 * t7;
    let t24 = t22 + t23;
    let t25 = qd[3] * t24;
    let t26 = t21 - t25;
    let t27 = t15 - t26;
    let t28 = s5 * t27;
    let t29 = c4 * t6;
    let t30 = s4 * t7;
    let t31 = t29 - t30;
    let t32 = c5 * t31;
    let t33 = qd[3] + t18;
    let t34 = s5 * t33;
    let t35 = t32 + t34;
    let t36 = qd[4] * t35;
    let t37 = t36 - t28;
    let t38 = t11 - t37;
    let t39 = M::number(0.00044000000000000007) * t38;
    let t40 = M::number(0.09090909090909088) * t39;
    let t41 = M::number(3.999999999999998e-5) * qdd[5];
    let t42 = M::number(4826.000000000001) * t41;
    let t43 = t40 + t42;
    let t44 = M::number(3.9999999999999996e-5) * qd[5];
    let t45 = s5 * t31;
    let t46 = c5 * t33;
    let t47 = t45 - t46;
    let t48 = M::number(0.00020216000000000006) * t47;
    let t49 = t44 + t48;
    let t50 = t35 * t49;
    let t52 = M::number(21.270935960591135) * s2;
    let t53 = qdd[1] * t52;
    let t55 = M::number(0.609298224) * c2;
    let t56 = M::number(34.910549748444915) * t55;
    let t57 = qd[0] * qd[0];
    let t58 = qd[1] * qd[1];
    let t59 = t57 + t58;
    let t60 = t56 * t59;
    let t61 = M::number(7.39408866995074) * qdd[0];
    let t62 = t60 + t61;
    let t63 = t53 + t62;
    let t64 = c23 * t63;
    let t65 = t52 * t58;
    let t66 = qdd[1] * t56;
    let t67 = M::number(483.2512315270937) - t66;
    let t68 = t65 + t67;
    let t69 = s23 * t68;
    let t70 = t64 + t69;
    let t71 = t18 * t18;
    let t72 = t7 * t7;
    let t73 = t71 + t72;
    let t74 = t6 * t18;
    let t75 = t14 - t74;
    let t76 = M::number(21.334975369458128) * t75;
    let t77 = t73 + t76;
    let t78 = t70 - t77;
    let t79 = c4 * t78;
    let t80 = t9 - t8;
    let t81 = qd[0] * qd[1];
    let t82 = t81 + t81;
    let t83 = t52 * t82;
    let t84 = qdd[0] * t56;
    let t85 = M::number(7.39408866995074) * t57;
    let t86 = t84 - t85;
    let t87 = t83 - t86;
    let t88 = t20 + t19;
    let t89 = M::number(0.006504526) * t88;
    let t90 = M::number(3280.0199998367484) * t89;
    let t91 = t90 - t87;
    let t92 = t80 - t91;
    let t93 = s4 * t92;
    let t94 = t79 + t93;
    let t95 = M::number(5.846399999999999e-5) * c5;
    let t96 = t94 * t95;
    let t97 = s4 * t88;
    let t98 = c4 * t75;
    let t99 = t31 * t33;
    let t100 = t98 + t99;
    let t101 = t97 + t100;
    let t102 = qdd[4] + t101;
    let t103 = M::number(0.0006421600000000001) * t102;
    let t104 = s23 * t63;
    let t105 = c23 * t68;
    let t106 = t104 - t105;
    let t107 = t14 + t74;
    let t108 = t71 - t72;
    let t109 = t57 - t108;
    let t110 = M::number(21.334975369458128) * t109;
    let t111 = t107 - t110;
    let t112 = t106 - t111;
    let t113 = M::number(5.846399999999999e-5) * s5;
    let t114 = t112 * t113;
    let t115 = t103 + t114;
    let t116 = t96 - t115;
    let t117 = t50 - t116;
    let t118 = M::number(0.179) * qdd[4];
    let t119 = t117 + t118;
    let t120 = M::number(0.0012) * t10;
    let t121 = qd[4] + t24;
    let t122 = t121 * t49;
    let t123 = s4 * t78;
    let t124 = c4 * t92;
    let t125 = t123 - t124;
    let t126 = M::number(5.846399999999999e-5) * t125;
    let t127 = c5 * t27;
    let t128 = s5 * t10;
    let t129 = qd[4] * t47;
    let t130 = t128 - t129;
    let t131 = t130 - t127;
    let t132 = M::number(0.0006421600000000002) * t131;
    let t133 = t126 + t132;
    let t134 = t122 - t133;
    let t135 = s5 * t134;
    let t136 = t41 + t39;
    let t137 = c5 * t136;
    let t138 = t137 - t135;
    let t139 = t31 * t24;
    let t140 = M::number(0.00010000000000000005) * t139;
    let t141 = t138 - t140;
    let t142 = t120 + t141;
    let t143 = M::number(0.2) * qdd[3];
    let t144 = t142 + t143;
    let t145 = t35 * t35;
    let t146 = t121 * t121;
    let t147 = t145 + t146;
    let t148 = t147 * t95;
    let t149 = t35 * t47;
    let t150 = t102 + t149;
    let t151 = t150 * t113;
    let t152 = M::number(0.0005151124999999999) * t112;
    let t153 = t151 + t152;
    let t154 = t148 + t153;
    let t155 = t150 * t95;
    let t156 = t147 * t113;
    let t157 = M::number(0.0005151124999999999) * t94;
    let t158 = t156 + t157;
    let t159 = t155 - t158;
    let t160 = c4 * t159;
    let t161 = t47 * t121;
    let t162 = t131 - t161;
    let t163 = M::number(5.846399999999999e-5) * t162;
    let t164 = M::number(8.81076388888889) * t126;
    let t165 = t163 + t164;
    let t166 = s4 * t165;
    let t167 = t160 - t166;
    let t168 = M::number(21.334975369458128) * t167;
    let t169 = t24 * t33;
    let t170 = M::number(0.080670624) * t169;
    let t171 = s5 * t136;
    let t172 = c5 * t134;
    let t173 = M::number(0.081770624) * t27;
    let t174 = t172 + t173;
    let t175 = t171 + t174;
    let t176 = t170 - t175;
    let t177 = s4 * t176;
    let t178 = M::number(0.08057062400000001) * t99;
    let t179 = M::number(0.081870624) * t101;
    let t180 = t117 + t179;
    let t181 = t178 - t180;
    let t182 = c4 * t181;
    let t183 = t177 + t182;
    let t184 = M::number(0.004704000000000001) * t4;
    let t185 = t73 - t109;
    let t186 = M::number(0.00031627399999999996) * t185;
    let t187 = M::number(0.006504526) * t70;
    let t188 = M::number(0.016249999999999987) * t107;
    let t189 = t187 - t188;
    let t190 = t186 + t189;
    let t191 = t184 + t190;
    let t192 = t183 + t191;
    let t193 = t168 - t192;
    let t194 = t154 - t193;
    let t195 = M::number(0.83) * qdd[2];
    let t196 = t194 - t195;
    let t197 = M::number(0.038980911258983085) * t55;
    let t198 = M::number(57.63113772051703) * t197;
    let t199 = M::number(0.0011165940250115792) * t52;
    let t200 = M::number(0.5978021978021978) * t199;
    let t201 = t198 - t200;
    let t202 = s2 * t201;
    let t203 = M::number(0.0070992) + t202;
    let t204 = t57 * t203;
    let t205 = M::number(0.006504526) * t75;
    let t206 = t167 + t205;
    let t207 = c23 * t206;
    let t208 = M::number(0.006504526) * t109;
    let t209 = t154 + t208;
    let t210 = s23 * t209;
    let t211 = t207 - t210;
    let t212 = M::number(0.04814851597962019) - t211;
    let t213 = t52 * t212;
    let t214 = t204 + t213;
    let t215 = M::number(25.653581912340538) * t199;
    let t216 = t215 + t197;
    let t217 = qdd[0] * t216;
    let t218 = t194 - t217;
    let t219 = M::number(6.225049952) * qdd[1];
    let t220 = c23 * t209;
    let t221 = s23 * t206;
    let t222 = M::number(1.5015695811023624) - t221;
    let t223 = t220 - t222;
    let t224 = t56 * t223;
    let t225 = t219 + t224;
    let t226 = t218 - t225;
    let t227 = t214 - t226;
    let t228 = qdd[1] * t216;
    let t229 = t82 * t203;
    let t230 = c2 * t201;
    let t231 = M::number(2.646693438) + t230;
    let t232 = qdd[0] * t231;
    let t233 = t229 - t232;
    let t234 = t228 - t233;
    let t235 = s4 * t159;
    let t236 = c4 * t165;
    let t237 = t235 + t236;
    let t238 = t237 + t89;
    let t239 = t56 * t238;
    let t240 = c4 * t176;
    let t241 = M::number(21.334975369458128) * t237;
    let t242 = M::number(0.00031627399999999996) * t80;
    let t243 = t241 + t242;
    let t244 = t240 + t243;
    let t245 = s4 * t181;
    let t246 = M::number(0.006504526) * t87;
    let t247 = M::number(0.004704000000000001) * t108;
    let t248 = t246 + t247;
    let t249 = t245 + t248;
    let t250 = t244 - t249;
    let t251 = s23 * t250;
    let t252 = M::number(0.004704000000000001) * t75;
    let t253 = t142 - t252;
    let t254 = M::number(51.37950005375083) * t242;
    let t255 = M::number(0.048623681418138685) * t89;
    let t256 = t254 + t255;
    let t257 = t237 - t256;
    let t258 = t253 - t257;
    let t259 = c23 * t258;
    let t260 = t251 + t259;
    let t261 = M::number(7.39408866995074) * t211;
    let t262 = t260 - t261;
    let t263 = t239 + t262;
    let t264 = t55 - t199;
    let t265 = t58 * t264;
    let t266 = t263 + t265;
    let t267 = t234 + t266;
    [t267, t227, -t196, t144, t119, t43]
}

/// Mass matrix in joint coordinates: 110 operations: 59 ×, 51 +; 5 sine/cosine pairs.
#[inline(always)]
#[allow(clippy::all)]
#[rustfmt::skip]
pub fn puma560_mass<M: Math>(q: &[M::Number; 6]) -> [M::Number; 36] {
    let t7 = q[1] + q[2];
    let [(s5, c5), (s4, c4), (s23, c23), (s2, c2), (s3, c3)] = M::sin_cos_5([q[4], q[3], t7, q[1], q[2]]);
    let t2 = s5 * s5;
    let t3 = M::number(0.00020215999999999998) * t2;
    let t5 = s5 * s4;
    let t6 = M::number(0.0008645759999999998) * t5;
    let t11 = s5 * c4;
    let t13 = M::number(0.0024871679999999997) * c5;
    let t14 = M::number(0.016082548504966297) * t13;
    let t15 = M::number(31.183199999999992) * t14;
    let t16 = M::number(0.1620744503450576) * t15;
    let t17 = M::number(0.0012473279999999998) + t16;
    let t18 = t11 * t17;
    let t19 = M::number(0.010673638499999999) - t18;
    let t20 = M::number(1.9999999999999998) * t19;
    let t21 = c23 * t20;
    let t22 = M::number(0.0024946559999999996) * c5;
    let t23 = M::number(0.298577184) - t3;
    let t24 = M::number(0.00010000000000000018) + t3;
    let t25 = c4 * t24;
    let t26 = c4 * t25;
    let t27 = t23 - t26;
    let t28 = t22 + t27;
    let t29 = s23 * t28;
    let t30 = s23 * t11;
    let t31 = M::number(4e-5) * t30;
    let t32 = c23 * t14;
    let t33 = t31 - t32;
    let t34 = M::number(2.923199999999999) * t33;
    let t35 = t29 + t34;
    let t36 = t21 - t35;
    let t38 = M::number(0.7442461619999999) + t13;
    let t39 = c2 * t38;
    let t40 = t39 - t36;
    let t41 = s23 * t40;
    let t42 = t6 + t41;
    let t43 = M::number(1.601861202) * c2;
    let t44 = M::number(0.0024871679999999997) * t11;
    let t45 = M::number(0.02191385) - t44;
    let t46 = c23 * t45;
    let t48 = M::number(0.0141984) * s2;
    let t49 = t46 + t48;
    let t50 = t43 - t49;
    let t51 = c2 * t50;
    let t52 = M::number(0.04701250578971746) * t44;
    let t53 = M::number(2.6932610629999996) - t52;
    let t54 = t51 + t53;
    let t55 = t42 + t54;
    let t56 = t3 + t55;
    let t57 = t17 * t5;
    let t58 = M::number(3.697044334975369) * t34;
    let t59 = M::number(0.1340594295) + t57;
    let t60 = c23 * t59;
    let t61 = M::number(5.846399999999999e-5) * s5;
    let t62 = t25 - t61;
    let t63 = s4 * t62;
    let t64 = M::number(0.0038087875) - t63;
    let t65 = s23 * t64;
    let t66 = t60 + t65;
    let t67 = t58 - t66;
    let t68 = M::number(0.01482712732560458) * t43;
    let t69 = M::number(0.0012435839999999998) * t5;
    let t70 = M::number(0.6903146989999999) + t69;
    let t71 = s2 * t70;
    let t72 = t68 + t71;
    let t73 = t72 + t67;
    let t74 = M::number(0.05235922697991663) * t68;
    let t75 = M::number(5.846399999999999e-5) * c23;
    let t76 = t74 - t75;
    let t77 = t11 * t76;
    let t78 = M::number(3.7937671182174855) + t5;
    let t79 = M::number(0.0004322879999999999) * t78;
    let t80 = t3 + t79;
    let t81 = c23 * t80;
    let t82 = s23 * t18;
    let t83 = t81 + t82;
    let t84 = t77 + t83;
    let t85 = s23 * s5;
    let t86 = c5 * c4;
    let t87 = c23 * t86;
    let t88 = t85 - t87;
    let t89 = M::number(0.0004322879999999999) * t88;
    let t90 = M::number(0.00064216) + t15;
    let t91 = s23 * t90;
    let t92 = c5 * t76;
    let t93 = t91 + t92;
    let t94 = s4 * t93;
    let t95 = t89 + t94;
    let t97 = c3 * t45;
    let t99 = s3 * t38;
    let t100 = t97 - t99;
    let t101 = t22 - t52;
    let t102 = t26 + t101;
    let t103 = t24 - t102;
    let t104 = M::number(6.791861411) - t103;
    let t105 = t100 - t104;
    let t106 = M::number(0.5) * t100;
    let t107 = M::number(0.33374740899999994) - t103;
    let t108 = t106 - t107;
    let t109 = s3 * t69;
    let t110 = t57 + t109;
    let t111 = c4 * t90;
    let t112 = t61 - t111;
    let t113 = s3 * t86;
    let t114 = s5 * c3;
    let t115 = t113 + t114;
    let t116 = M::number(0.0012435839999999998) * t115;
    let t117 = t116 - t112;
    let t118 = M::number(4e-5) * t5;
    let t119 = M::number(1.163747409) - t103;
    let t120 = M::number(0.20164) + t3;
    [t56, t73, t67, t84, t95, -t33, t73, -t105, -t108, -t110, t117, t118, t67, -t108, t119, -t57, -t112, t118, t84, -t110, -t57, t120, M::number(0.0), t14, t95, t117, -t112, M::number(0.0), M::number(0.17964216), M::number(0.0), -t33, t118, t118, t14, M::number(0.0), M::number(0.19304000000000002)]
}

/// Torques that hold the robot still: 19 operations: 12 ×, 7 +; 4 sine/cosine pairs.
#[inline(always)]
#[allow(clippy::all)]
#[rustfmt::skip]
pub fn puma560_gravity<M: Math>(q: &[M::Number; 6]) -> [M::Number; 6] {
    let t1 = q[1] + q[2];
    let [(s23, c23), (s5, c5), (s4, c4), (s2, c2)] = M::sin_cos_4([t1, q[4], q[3], q[1]]);
    let t4 = M::number(0.028252799999999998) * s5;
    let t5 = c23 * t4;
    let t9 = s23 * c5;
    let t10 = M::number(0.028252799999999998) * t9;
    let t11 = c4 * t10;
    let t12 = t5 + t11;
    let t14 = s4 * t4;
    let t15 = s23 * t14;
    let t16 = c4 * t5;
    let t17 = M::number(8.45420895) * s23;
    let t18 = t10 + t17;
    let t19 = M::number(0.24892874999999998) * c23;
    let t20 = t18 - t19;
    let t21 = t16 + t20;
    let t23 = M::number(1.024164) * s2;
    let t25 = M::number(37.2347379) * c2;
    let t26 = t21 + t25;
    let t27 = t23 - t26;
    [M::number(0.0), t27, -t21, t15, -t12, M::number(0.0)]
}
