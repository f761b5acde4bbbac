//! puma560_torque: joint torques for joint positions, velocities and accelerations
//! Derived by dalembert 0.1.0; not to be edited by hand.
//! Robot: puma560 (Armstrong, Khatib & Burdick 1986, Tables 4–7 and A1)
//! SI units and radians; torques at the joint side of the gear.
//! Denavit-Hartenberg rows, modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d); q as in the robot file.
//! Cost: 258 operations: 143 ×, 115 +; 4 sine/cosine pairs.
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
//! Cost: 109 operations: 58 ×, 51 +; 5 sine/cosine pairs.
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

/// Joint torques for joint positions, velocities and accelerations: 258 operations: 143 ×, 115 +; 4 sine/cosine pairs.
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
    let t14 = qdd[0] * s23;
    let t15 = qd[0] * c23;
    let t16 = M::number(2.0) * t7;
    let t17 = t15 * t16;
    let t18 = t14 + t17;
    let t19 = c4 * t18;
    let t21 = qdd[1] + qdd[2];
    let t22 = t6 * t15;
    let t23 = t21 - t22;
    let t24 = s4 * t23;
    let t25 = s4 * t6;
    let t26 = c4 * t7;
    let t27 = t25 + t26;
    let t28 = qd[3] + t15;
    let t29 = t27 * t28;
    let t30 = t24 + t29;
    let t31 = t19 - t30;
    let t32 = s5 * t31;
    let t33 = c4 * t6;
    let t34 = s4 * t7;
    let t35 = t33 - t34;
    let t36 = c5 * t35;
    let t37 = s5 * t28;
    let t38 = t36 + t37;
    let t39 = qd[4] * t38;
    let t40 = t32 + t39;
    let t41 = t11 - t40;
    let t42 = qdd[5] + t41;
    let t43 = M::number(4e-5) * t42;
    let t44 = M::number(0.193) * qdd[5];
    let t45 = t43 + t44;
    let t47 = M::number(0.609298224) * c2;
    let t48 = M::number(1.636306072254518) * t47;
    let t49 = qd[0] * qd[0];
    let t50 = qd[1] * qd[1];
    let t51 = t49 + t50;
    let t52 = t48 * t51;
    let t54 = M::number(0.023751) * s2;
    let t55 = M::number(41.977111858241486) * t54;
    let t56 = qdd[1] * t55;
    let t57 = t52 + t56;
    let t58 = M::number(0.3465712306626645) * qdd[0];
    let t59 = t57 + t58;
    let t60 = c23 * t59;
    let t61 = t55 * t50;
    let t62 = qdd[1] * t48;
    let t63 = M::number(22.650658046640498) - t62;
    let t64 = t61 + t63;
    let t65 = s23 * t64;
    let t66 = t60 + t65;
    let t67 = t15 * t15;
    let t68 = t7 * t7;
    let t69 = t67 + t68;
    let t70 = M::number(0.04687139228815516) * t69;
    let t71 = t66 - t70;
    let t72 = t23 - t71;
    let t73 = c4 * t72;
    let t74 = qd[0] * qd[1];
    let t75 = M::number(2.0) * t74;
    let t76 = t55 * t75;
    let t77 = qdd[0] * t48;
    let t78 = M::number(0.3465712306626645) * t49;
    let t79 = t77 - t78;
    let t80 = t76 - t79;
    let t81 = t9 - t8;
    let t82 = M::number(0.04687139228815516) * t81;
    let t83 = t18 - t82;
    let t84 = t83 - t80;
    let t85 = s4 * t84;
    let t86 = t73 + t85;
    let t87 = M::number(0.001247328) * c5;
    let t88 = t86 * t87;
    let t89 = t21 + t22;
    let t90 = M::number(0.04687139228815516) * t89;
    let t91 = c23 * t64;
    let t92 = s23 * t59;
    let t93 = t67 - t68;
    let t94 = t49 - t93;
    let t95 = t92 + t94;
    let t96 = t91 - t95;
    let t97 = t90 + t96;
    let t98 = M::number(0.001247328) * s5;
    let t99 = t97 * t98;
    let t100 = t99 - t88;
    let t101 = c4 * t23;
    let t102 = s4 * t18;
    let t103 = t101 + t102;
    let t104 = t35 * t28;
    let t105 = t103 + t104;
    let t106 = qdd[4] + t105;
    let t107 = M::number(0.00064216) * t106;
    let t108 = M::number(4e-5) * qd[5];
    let t109 = s5 * t35;
    let t110 = c5 * t28;
    let t111 = t109 - t110;
    let t112 = M::number(0.00020216) * t111;
    let t113 = t108 + t112;
    let t114 = t38 * t113;
    let t115 = t107 + t114;
    let t116 = t100 - t115;
    let t117 = M::number(0.179) * qdd[4];
    let t118 = t116 - t117;
    let t119 = qd[4] + t27;
    let t120 = t119 * t113;
    let t121 = s4 * t72;
    let t122 = c4 * t84;
    let t123 = t122 - t121;
    let t124 = M::number(0.001247328) * t123;
    let t125 = s5 * t10;
    let t126 = c5 * t31;
    let t127 = qd[4] * t111;
    let t128 = t126 - t127;
    let t129 = t125 + t128;
    let t130 = M::number(0.00064216) * t129;
    let t131 = t124 + t130;
    let t132 = t120 - t131;
    let t133 = s5 * t132;
    let t134 = M::number(0.0012) * t10;
    let t135 = t134 - t133;
    let t136 = M::number(0.0004) * t41;
    let t137 = t43 + t136;
    let t138 = c5 * t137;
    let t139 = M::number(0.0001) * t35;
    let t140 = t27 * t139;
    let t141 = t138 - t140;
    let t142 = t135 + t141;
    let t143 = M::number(0.2) * qdd[3];
    let t144 = t142 + t143;
    let t145 = M::number(0.138773902) * t66;
    let t146 = t69 - t94;
    let t147 = M::number(0.000316274) * t146;
    let t148 = t145 + t147;
    let t149 = t38 * t38;
    let t150 = t119 * t119;
    let t151 = t149 + t150;
    let t152 = t151 * t87;
    let t153 = t38 * t111;
    let t154 = t106 + t153;
    let t155 = t154 * t98;
    let t156 = M::number(0.2344695125) * t97;
    let t157 = t155 - t156;
    let t158 = t152 + t157;
    let t159 = M::number(0.04687139228815516) * t158;
    let t160 = t154 * t87;
    let t161 = t151 * t98;
    let t162 = t160 - t161;
    let t163 = M::number(0.2344695125) * t86;
    let t164 = t162 + t163;
    let t165 = c4 * t164;
    let t166 = t111 * t119;
    let t167 = t129 - t166;
    let t168 = M::number(0.001247328) * t167;
    let t169 = M::number(0.2344695125) * t123;
    let t170 = t168 + t169;
    let t171 = s4 * t170;
    let t172 = t165 - t171;
    let t173 = M::number(0.081770624) * t31;
    let t174 = s5 * t137;
    let t175 = c5 * t132;
    let t176 = M::number(0.080670624) * t29;
    let t177 = t176 - t175;
    let t178 = t174 - t177;
    let t179 = t173 - t178;
    let t180 = s4 * t179;
    let t181 = M::number(0.081870624) * t105;
    let t182 = M::number(0.080570624) * t104;
    let t183 = t116 + t182;
    let t184 = t181 - t183;
    let t185 = c4 * t184;
    let t186 = t180 - t185;
    let t187 = M::number(0.3466933497536946) * t90;
    let t188 = M::number(0.004704) * t4;
    let t189 = t187 - t188;
    let t190 = t186 - t189;
    let t191 = t172 - t190;
    let t192 = t159 - t191;
    let t193 = t148 + t192;
    let t194 = M::number(0.83) * qdd[2];
    let t195 = t193 - t194;
    let t196 = M::number(0.138773902) * t94;
    let t197 = t158 + t196;
    let t198 = c23 * t197;
    let t199 = M::number(0.004704) * t23;
    let t200 = M::number(29.501254676870747) * t199;
    let t201 = t172 + t200;
    let t202 = s23 * t201;
    let t203 = M::number(32.035950028346456) - t202;
    let t204 = t198 - t203;
    let t205 = t48 * t204;
    let t206 = M::number(6.225049952) * qdd[1];
    let t207 = M::number(2.2465142652377073) * t47;
    let t208 = M::number(0.014241146456692914) * t55;
    let t209 = t207 - t208;
    let t210 = s2 * t209;
    let t211 = M::number(0.0070992) + t210;
    let t212 = t49 * t211;
    let t213 = c23 * t201;
    let t214 = s23 * t197;
    let t215 = t213 - t214;
    let t216 = M::number(1.027247402501158) - t215;
    let t217 = t55 * t216;
    let t218 = t212 + t217;
    let t219 = M::number(0.6111326095748032) * t55;
    let t220 = M::number(0.03898091125898309) * t47;
    let t221 = t219 + t220;
    let t222 = qdd[0] * t221;
    let t223 = t193 - t222;
    let t224 = t218 - t223;
    let t225 = t206 + t224;
    let t226 = t205 + t225;
    let t227 = s4 * t164;
    let t228 = c4 * t170;
    let t229 = t227 + t228;
    let t230 = M::number(0.000316274) * t18;
    let t231 = M::number(438.7774587857364) * t230;
    let t232 = t229 + t231;
    let t233 = t48 * t232;
    let t234 = M::number(0.3465712306626645) * t215;
    let t235 = qdd[1] * t221;
    let t236 = t234 - t235;
    let t237 = M::number(0.04687139228815516) * t229;
    let t238 = M::number(0.006747698) * t82;
    let t239 = M::number(51.37950005375086) * t238;
    let t240 = t237 - t239;
    let t241 = t199 + t240;
    let t242 = t230 - t241;
    let t243 = t142 + t242;
    let t244 = c23 * t243;
    let t245 = t75 * t211;
    let t246 = t47 - t54;
    let t247 = t50 * t246;
    let t248 = t245 - t247;
    let t249 = M::number(0.138773902) * t80;
    let t250 = t238 - t249;
    let t251 = c4 * t179;
    let t252 = s4 * t184;
    let t253 = t251 + t252;
    let t254 = M::number(0.004704) * t93;
    let t255 = t229 - t254;
    let t256 = t253 + t255;
    let t257 = t250 + t256;
    let t258 = s23 * t257;
    let t259 = c2 * t209;
    let t260 = M::number(2.646693438) + t259;
    let t261 = qdd[0] * t260;
    let t262 = t258 + t261;
    let t263 = t248 - t262;
    let t264 = t244 - t263;
    let t265 = t236 - t264;
    let t266 = t233 - t265;
    [t266, t226, -t195, t144, -t118, t45]
}

/// Mass matrix in joint coordinates: 109 operations: 58 ×, 51 +; 5 sine/cosine pairs.
#[inline(always)]
#[allow(clippy::all)]
#[rustfmt::skip]
pub fn puma560_mass<M: Math>(q: &[M::Number; 6]) -> [M::Number; 36] {
    let t10 = q[1] + q[2];
    let [(s5, c5), (s4, c4), (s23, c23), (s2, c2), (s3, c3)] = M::sin_cos_5([q[4], q[3], t10, q[1], q[2]]);
    let t3 = s5 * s4;
    let t4 = M::number(0.0012435839999999998) * t3;
    let t5 = M::number(0.34761463640574336) * t4;
    let t6 = M::number(0.00020215999999999998) * s5;
    let t7 = s5 * t6;
    let t8 = t7 + t5;
    let t9 = t5 + t8;
    let t13 = M::number(5.846399999999999e-5) * c23;
    let t15 = s5 * c4;
    let t17 = M::number(0.00020215999999999998) * c5;
    let t18 = M::number(0.0012473279999999998) + t17;
    let t19 = t15 * t18;
    let t20 = M::number(34209.08593322387) * t19;
    let t21 = M::number(365.1354166666667) - t20;
    let t22 = t13 * t21;
    let t23 = M::number(0.00010000000000000018) + t7;
    let t24 = c4 * t23;
    let t25 = c4 * t24;
    let t26 = M::number(0.19786307874950537) * t17;
    let t27 = M::number(62.36639999999999) * t26;
    let t28 = M::number(0.298577184) + t27;
    let t29 = t25 - t28;
    let t30 = t7 + t29;
    let t31 = s23 * t30;
    let t32 = s23 * s5;
    let t33 = c4 * t32;
    let t34 = c23 * c5;
    let t35 = t33 - t34;
    let t36 = M::number(0.0004322879999999999) * t35;
    let t37 = M::number(0.09253090532237769) * t36;
    let t38 = M::number(2.9231999999999996) * t37;
    let t39 = t38 - t31;
    let t40 = t22 - t39;
    let t41 = s23 * t40;
    let t44 = M::number(0.0141984) * s2;
    let t45 = M::number(62.179199999999994) * t26;
    let t46 = M::number(0.7442461619999999) + t45;
    let t47 = s23 * t46;
    let t48 = M::number(0.0024871679999999997) * t15;
    let t49 = M::number(0.02191385) - t48;
    let t50 = c23 * t49;
    let t51 = M::number(0.0012435839999999998) * c2;
    let t52 = M::number(1288.1005239694302) * t51;
    let t53 = t50 - t52;
    let t54 = t47 - t53;
    let t55 = t44 - t54;
    let t56 = c2 * t55;
    let t57 = M::number(0.04701250578971746) * t48;
    let t58 = t56 + t57;
    let t59 = t41 + t58;
    let t60 = M::number(2.6932610629999996) - t59;
    let t61 = t9 + t60;
    let t62 = t18 * t3;
    let t63 = M::number(0.1340594295) + t62;
    let t64 = c23 * t63;
    let t65 = M::number(5.846399999999999e-5) * s5;
    let t66 = t24 - t65;
    let t67 = s4 * t66;
    let t68 = M::number(0.0038087875) - t67;
    let t69 = s23 * t68;
    let t70 = t36 - t69;
    let t71 = t64 - t70;
    let t72 = M::number(0.6903146989999999) + t4;
    let t73 = s2 * t72;
    let t74 = M::number(0.014827127325604582) * t52;
    let t75 = t74 - t71;
    let t76 = t73 + t75;
    let t77 = M::number(0.00164) + t8;
    let t78 = c23 * t77;
    let t79 = s23 * t18;
    let t80 = t51 - t13;
    let t81 = t79 + t80;
    let t82 = t15 * t81;
    let t83 = t78 + t82;
    let t84 = c5 * c4;
    let t85 = c23 * t84;
    let t86 = t32 - t85;
    let t87 = M::number(0.0004322879999999999) * t86;
    let t88 = M::number(0.5) * t27;
    let t89 = M::number(0.00064216) + t88;
    let t90 = s23 * t89;
    let t91 = c5 * t80;
    let t92 = t90 + t91;
    let t93 = s4 * t92;
    let t94 = t87 + t93;
    let t95 = t27 - t23;
    let t96 = t57 - t95;
    let t97 = t25 - t96;
    let t99 = c3 * t49;
    let t101 = s3 * t46;
    let t102 = t99 - t101;
    let t103 = M::number(6.791861411) - t102;
    let t104 = t97 + t103;
    let t105 = M::number(0.5) * t102;
    let t106 = M::number(0.33374740899999994) - t105;
    let t107 = t97 + t106;
    let t108 = s3 * t4;
    let t109 = t62 + t108;
    let t110 = c4 * t89;
    let t111 = t65 - t110;
    let t112 = s3 * t84;
    let t113 = s5 * c3;
    let t114 = t112 + t113;
    let t115 = M::number(0.0012435839999999998) * t114;
    let t116 = t115 - t111;
    let t117 = M::number(4e-5) * t3;
    let t118 = M::number(1.163747409) + t97;
    let t119 = M::number(0.20164) + t7;
    [t61, t76, -t71, t83, t94, -t37, t76, t104, t107, -t109, t116, t117, -t71, t107, t118, -t62, -t111, t117, t83, -t109, -t62, t119, M::number(0.0), t26, t94, t116, -t111, M::number(0.0), M::number(0.17964216), M::number(0.0), -t37, t117, t117, t26, M::number(0.0), M::number(0.19304000000000002)]
}

/// Torques that hold the robot still: 19 operations: 12 ×, 7 +; 4 sine/cosine pairs.
#[inline(always)]
#[allow(clippy::all)]
#[rustfmt::skip]
pub fn puma560_gravity<M: Math>(q: &[M::Number; 6]) -> [M::Number; 6] {
    let t1 = q[1] + q[2];
    let [(s23, c23), (s5, c5), (s4, c4), (s2, c2)] = M::sin_cos_4([t1, q[4], q[3], q[1]]);
    let t4 = M::number(0.0282528) * s5;
    let t5 = c23 * t4;
    let t9 = M::number(0.0282528) * c5;
    let t10 = s23 * t9;
    let t11 = c4 * t10;
    let t12 = t5 + t11;
    let t14 = s4 * t4;
    let t15 = s23 * t14;
    let t16 = M::number(0.24892875) * c23;
    let t17 = c4 * t5;
    let t18 = M::number(8.45420895) * s23;
    let t19 = t17 + t18;
    let t20 = t10 + t19;
    let t21 = t16 - t20;
    let t23 = M::number(37.2347379) * c2;
    let t25 = M::number(1.024164) * s2;
    let t26 = t21 + t25;
    let t27 = t23 - t26;
    [M::number(0.0), -t27, t21, t15, -t12, M::number(0.0)]
}
