//! puma560_torque: joint torques for joint positions, velocities and accelerations
//! Derived by dalembert 0.1.0; not to be edited by hand.
//! Robot: puma560 (Armstrong, Khatib & Burdick 1986, Tables 4–7 and A1)
//! SI units and radians; torques at the joint side of the gear.
//! Denavit-Hartenberg rows, modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d); q as in the robot file.
//! Cost: 260 operations: 145 ×, 115 +; 4 sine/cosine pairs.
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

/// Joint torques for joint positions, velocities and accelerations: 260 operations: 145 ×, 115 +; 4 sine/cosine pairs.
#[inline(always)]
#[allow(clippy::all)]
#[rustfmt::skip]
pub fn puma560_torque<M: Math>(q: &[M::Number; 6], qd: &[M::Number; 6], qdd: &[M::Number; 6]) -> [M::Number; 6] {
    let t6 = q[1] + q[2];
    let [(s5, c5), (s4, c4), (s23, c23), (s2, c2)] = M::sin_cos_4([q[4], q[3], t6, q[1]]);
    let t3 = qdd[1] + qdd[2];
    let t4 = s4 * t3;
    let t8 = qdd[0] * s23;
    let t10 = qd[0] * c23;
    let t11 = qd[1] + qd[2];
    let t12 = t10 * t11;
    let t13 = t8 + t12;
    let t14 = c4 * t13;
    let t15 = qd[0] * s23;
    let t16 = s4 * t15;
    let t17 = c4 * t11;
    let t18 = t16 + t17;
    let t19 = qd[3] * t18;
    let t20 = t14 - t19;
    let t21 = t4 - t20;
    let t22 = s5 * t21;
    let t24 = qdd[0] * c23;
    let t25 = t15 * t11;
    let t26 = t24 - t25;
    let t27 = qdd[3] + t26;
    let t28 = c5 * t27;
    let t29 = c4 * t15;
    let t30 = s4 * t11;
    let t31 = t29 - t30;
    let t32 = c5 * t31;
    let t33 = qd[3] + t10;
    let t34 = s5 * t33;
    let t35 = t32 + t34;
    let t36 = qd[4] * t35;
    let t37 = t28 - t36;
    let t38 = t22 + t37;
    let t39 = M::number(3.999999999999999e-5) * t38;
    let t40 = M::number(0.19304000000000004) * qdd[5];
    let t41 = t39 + t40;
    let t42 = t13 + t12;
    let t43 = s4 * t42;
    let t44 = t15 * t10;
    let t45 = t3 - t44;
    let t46 = c4 * t45;
    let t47 = t31 * t33;
    let t48 = t46 + t47;
    let t49 = t43 + t48;
    let t50 = qdd[4] + t49;
    let t51 = M::number(0.0006421600000000001) * t50;
    let t53 = M::number(21.270935960591135) * s2;
    let t54 = qdd[1] * t53;
    let t56 = M::number(21.270935960591135) * c2;
    let t57 = qd[0] * qd[0];
    let t58 = qd[1] * qd[1];
    let t59 = t57 + t58;
    let t60 = t56 * t59;
    let t61 = M::number(7.39408866995074) * qdd[0];
    let t62 = t60 + t61;
    let t63 = t54 + t62;
    let t64 = s23 * t63;
    let t65 = t10 * t10;
    let t66 = t11 * t11;
    let t67 = t65 - t66;
    let t68 = t57 - t67;
    let t69 = M::number(21.334975369458128) * t68;
    let t70 = t64 + t69;
    let t71 = qdd[1] * t56;
    let t72 = t53 * t58;
    let t73 = M::number(483.2512315270937) + t72;
    let t74 = t71 - t73;
    let t75 = c23 * t74;
    let t76 = t3 + t44;
    let t77 = t76 - t75;
    let t78 = t70 - t77;
    let t79 = M::number(5.8463999999999974e-5) * s5;
    let t80 = t78 * t79;
    let t81 = t51 + t80;
    let t82 = M::number(3.9999999999999996e-5) * qd[5];
    let t83 = s5 * t31;
    let t84 = c5 * t33;
    let t85 = t83 - t84;
    let t86 = M::number(0.00020216000000000006) * t85;
    let t87 = t82 + t86;
    let t88 = t35 * t87;
    let t89 = t65 + t66;
    let t90 = c23 * t63;
    let t91 = s23 * t74;
    let t92 = t90 - t91;
    let t93 = M::number(21.334975369458128) * t45;
    let t94 = t92 - t93;
    let t95 = t89 - t94;
    let t96 = c4 * t95;
    let t97 = t26 - t25;
    let t98 = qd[0] * qd[1];
    let t99 = M::number(2.0) * t98;
    let t100 = t53 * t99;
    let t101 = qdd[0] * t56;
    let t102 = M::number(7.39408866995074) * t57;
    let t103 = t101 - t102;
    let t104 = t100 - t103;
    let t105 = M::number(21.334975369458128) * t42;
    let t106 = t105 - t104;
    let t107 = t97 - t106;
    let t108 = s4 * t107;
    let t109 = t108 - t96;
    let t110 = M::number(5.8463999999999974e-5) * c5;
    let t111 = t109 * t110;
    let t112 = t88 - t111;
    let t113 = t81 + t112;
    let t114 = M::number(0.179) * qdd[4];
    let t115 = t113 + t114;
    let t116 = M::number(0.00010000000000000005) * t31;
    let t117 = t18 * t116;
    let t118 = M::number(0.00020721094073767088) * t40;
    let t119 = M::number(0.00044000000000000007) * t38;
    let t120 = t118 + t119;
    let t121 = c5 * t120;
    let t122 = c5 * t21;
    let t123 = s5 * t27;
    let t124 = t123 - t122;
    let t125 = qd[4] * t85;
    let t126 = t124 - t125;
    let t127 = M::number(0.0006421600000000002) * t126;
    let t128 = s4 * t95;
    let t129 = c4 * t107;
    let t130 = t128 + t129;
    let t131 = M::number(5.846399999999999e-5) * t130;
    let t132 = qd[4] + t18;
    let t133 = t132 * t87;
    let t134 = t131 + t133;
    let t135 = t127 - t134;
    let t136 = s5 * t135;
    let t137 = M::number(0.0012) * t27;
    let t138 = t136 + t137;
    let t139 = t121 + t138;
    let t140 = t117 - t139;
    let t141 = M::number(0.2) * qdd[3];
    let t142 = t141 - t140;
    let t143 = M::number(0.006504526) * t92;
    let t144 = t89 - t68;
    let t145 = M::number(0.00031627399999999996) * t144;
    let t146 = t35 * t85;
    let t147 = t50 + t146;
    let t148 = t147 * t110;
    let t149 = t35 * t35;
    let t150 = t132 * t132;
    let t151 = t149 + t150;
    let t152 = t151 * t79;
    let t153 = M::number(0.0005151124999999999) * t109;
    let t154 = t152 + t153;
    let t155 = t148 - t154;
    let t156 = c4 * t155;
    let t157 = t85 * t132;
    let t158 = M::number(8.81076388888889) * t130;
    let t159 = t126 - t158;
    let t160 = t157 - t159;
    let t161 = M::number(5.8463999999999974e-5) * t160;
    let t162 = s4 * t161;
    let t163 = t156 + t162;
    let t164 = M::number(21.334975369458128) * t163;
    let t165 = t151 * t110;
    let t166 = t147 * t79;
    let t167 = M::number(0.0005151124999999999) * t78;
    let t168 = t166 + t167;
    let t169 = t165 + t168;
    let t170 = M::number(0.081870624) * t49;
    let t171 = M::number(0.08057062400000001) * t47;
    let t172 = t171 - t113;
    let t173 = t170 - t172;
    let t174 = c4 * t173;
    let t175 = M::number(0.08067062400000001) * t18;
    let t176 = t33 * t175;
    let t177 = s5 * t120;
    let t178 = c5 * t135;
    let t179 = M::number(0.081770624) * t21;
    let t180 = t178 - t179;
    let t181 = t177 - t180;
    let t182 = t176 - t181;
    let t183 = s4 * t182;
    let t184 = M::number(0.016249999999999987) * t76;
    let t185 = M::number(0.004704000000000001) * t24;
    let t186 = t184 - t185;
    let t187 = t183 - t186;
    let t188 = t187 - t174;
    let t189 = t169 + t188;
    let t190 = t164 - t189;
    let t191 = t145 - t190;
    let t192 = t143 + t191;
    let t193 = M::number(0.83) * qdd[2];
    let t194 = t192 - t193;
    let t195 = M::number(0.006504526) * t45;
    let t196 = t163 + t195;
    let t197 = c23 * t196;
    let t198 = M::number(0.00030487618979450475) * t69;
    let t199 = t169 + t198;
    let t200 = s23 * t199;
    let t201 = t197 - t200;
    let t202 = M::number(0.04814851597962019) - t201;
    let t203 = t53 * t202;
    let t204 = t192 - t203;
    let t205 = M::number(0.0018325903162514047) * t56;
    let t206 = M::number(35.11454986021044) * t205;
    let t207 = M::number(0.0006675023622047243) * t53;
    let t208 = t206 - t207;
    let t209 = s2 * t208;
    let t210 = M::number(0.0070992) + t209;
    let t211 = t57 * t210;
    let t212 = s23 * t196;
    let t213 = c23 * t199;
    let t214 = t212 + t213;
    let t215 = t56 * t214;
    let t216 = M::number(6.225049952) * qdd[1];
    let t217 = s2 + t205;
    let t218 = M::number(0.609298224) * t217;
    let t219 = qdd[0] * t218;
    let t220 = M::number(23.334202846149704) * t206;
    let t221 = t219 - t220;
    let t222 = t216 + t221;
    let t223 = t215 + t222;
    let t224 = t211 + t223;
    let t225 = t204 - t224;
    let t226 = c2 * t208;
    let t227 = M::number(2.646693438) + t226;
    let t228 = qdd[0] * t227;
    let t229 = M::number(0.0011165940250115792) * t72;
    let t230 = qdd[1] * t218;
    let t231 = c4 * t182;
    let t232 = s4 * t173;
    let t233 = M::number(0.0003162739999999999) * t97;
    let t234 = M::number(0.004704000000000001) * t67;
    let t235 = t233 - t234;
    let t236 = t232 + t235;
    let t237 = t231 + t236;
    let t238 = s4 * t155;
    let t239 = c4 * t161;
    let t240 = t238 - t239;
    let t241 = M::number(21.334975369458128) * t240;
    let t242 = M::number(0.006504526) * t104;
    let t243 = t241 - t242;
    let t244 = t237 + t243;
    let t245 = s23 * t244;
    let t246 = M::number(51.37950005375083) * t233;
    let t247 = M::number(0.006485001909027939) * t105;
    let t248 = M::number(0.0022859211041876223) * t247;
    let t249 = M::number(0.723188745805613) * t195;
    let t250 = t240 + t249;
    let t251 = t140 + t250;
    let t252 = t248 - t251;
    let t253 = t246 + t252;
    let t254 = c23 * t253;
    let t255 = M::number(7.394088669950744) * t201;
    let t256 = M::number(0.6092982240000001) * t58;
    let t257 = t256 + t247;
    let t258 = c2 * t257;
    let t259 = t255 - t258;
    let t260 = t254 - t259;
    let t261 = t245 + t260;
    let t262 = t230 + t261;
    let t263 = t229 - t262;
    let t264 = t228 - t263;
    let t265 = t99 * t210;
    let t266 = t56 * t240;
    let t267 = t265 - t266;
    let t268 = t264 - t267;
    [t268, -t225, -t194, t142, t115, t41]
}

/// Mass matrix in joint coordinates: 110 operations: 59 ×, 51 +; 5 sine/cosine pairs.
#[inline(always)]
#[allow(clippy::all)]
#[rustfmt::skip]
pub fn puma560_mass<M: Math>(q: &[M::Number; 6]) -> [M::Number; 36] {
    let t2 = q[1] + q[2];
    let [(s2, c2), (s23, c23), (s5, c5), (s4, c4), (s3, c3)] = M::sin_cos_5([q[1], t2, q[4], q[3], q[2]]);
    let t5 = M::number(0.0024871679999999997) * c5;
    let t6 = M::number(0.7442461619999999) + t5;
    let t7 = s23 * t6;
    let t11 = s5 * c4;
    let t12 = M::number(0.0024871679999999997) * t11;
    let t13 = M::number(0.02191385) - t12;
    let t14 = c23 * t13;
    let t15 = M::number(1.6018612019999998) * c2;
    let t17 = M::number(0.0141984) * s2;
    let t18 = t15 - t17;
    let t19 = t14 - t18;
    let t20 = t7 - t19;
    let t21 = c2 * t20;
    let t22 = M::number(0.0012473279999999996) * c5;
    let t23 = M::number(0.1620744503450576) * t22;
    let t24 = M::number(0.0012473279999999998) + t23;
    let t25 = t11 * t24;
    let t26 = M::number(0.010673638499999999) - t25;
    let t27 = M::number(1.9999999999999998) * t26;
    let t28 = c23 * t27;
    let t29 = M::number(5.846399999999999e-5) * s5;
    let t30 = t29 * t29;
    let t31 = M::number(59145.01926194357) * t30;
    let t32 = M::number(0.0024946559999999996) * c5;
    let t33 = t31 - t32;
    let t34 = M::number(0.00010000000000000018) + t31;
    let t35 = c4 * t34;
    let t36 = c4 * t35;
    let t37 = M::number(0.298577184) - t36;
    let t38 = t33 - t37;
    let t39 = s23 * t38;
    let t40 = s23 * s5;
    let t41 = c4 * t40;
    let t42 = c23 * c5;
    let t43 = t41 - t42;
    let t44 = M::number(0.00011692799999999998) * t43;
    let t45 = t44 - t39;
    let t46 = t28 - t45;
    let t47 = s23 * t46;
    let t48 = t47 - t21;
    let t49 = M::number(0.04701250578971746) * t12;
    let t50 = t48 + t49;
    let t52 = s5 * s4;
    let t53 = M::number(0.0004322879999999999) * t52;
    let t54 = M::number(2.0) * t53;
    let t55 = t50 - t54;
    let t56 = M::number(2.6932610629999996) + t31;
    let t57 = t55 - t56;
    let t58 = t24 * t52;
    let t59 = M::number(0.1340594295) + t58;
    let t60 = c23 * t59;
    let t61 = M::number(4e-5) * t43;
    let t62 = M::number(10.807199999999996) * t61;
    let t63 = t35 - t29;
    let t64 = s4 * t63;
    let t65 = M::number(0.0038087875) - t64;
    let t66 = s23 * t65;
    let t67 = t62 - t66;
    let t68 = t60 - t67;
    let t69 = M::number(0.023750999999999994) * c2;
    let t70 = M::number(4.000000000000001e-5) * t52;
    let t71 = M::number(31.08959999999999) * t70;
    let t72 = M::number(0.6903146989999999) + t71;
    let t73 = s2 * t72;
    let t74 = t69 + t73;
    let t75 = t74 - t68;
    let t76 = M::number(0.00164) + t53;
    let t77 = t31 + t76;
    let t78 = c23 * t77;
    let t79 = s23 * t25;
    let t80 = M::number(0.0012435839999999996) * c2;
    let t81 = M::number(5.846399999999999e-5) * c23;
    let t82 = t80 - t81;
    let t83 = t11 * t82;
    let t84 = t79 + t83;
    let t85 = t78 + t84;
    let t86 = c4 * t42;
    let t87 = t40 - t86;
    let t88 = M::number(0.0004322879999999999) * t87;
    let t89 = M::number(0.00064216) + t22;
    let t90 = s23 * t89;
    let t91 = c5 * t82;
    let t92 = t90 + t91;
    let t93 = s4 * t92;
    let t94 = t88 + t93;
    let t95 = t34 - t36;
    let t96 = t32 - t49;
    let t97 = t95 - t96;
    let t99 = c3 * t13;
    let t101 = s3 * t6;
    let t102 = t99 - t101;
    let t103 = M::number(6.791861411) - t102;
    let t104 = t103 - t97;
    let t105 = M::number(0.5) * t102;
    let t106 = M::number(0.33374740899999994) - t105;
    let t107 = t106 - t97;
    let t108 = s3 * t71;
    let t109 = t58 + t108;
    let t110 = c4 * t89;
    let t111 = t29 - t110;
    let t112 = c4 * s3;
    let t113 = c5 * t112;
    let t114 = s5 * c3;
    let t115 = t113 + t114;
    let t116 = M::number(0.0012435839999999998) * t115;
    let t117 = t116 - t111;
    let t118 = M::number(1.163747409) - t97;
    let t119 = M::number(0.20164) + t31;
    let t120 = M::number(0.1978630787495054) * t23;
    [-t57, t75, -t68, t85, t94, -t61, t75, t104, t107, -t109, t117, t70, -t68, t107, t118, -t58, -t111, t70, t85, -t109, -t58, t119, M::number(0.0), t120, t94, t117, -t111, M::number(0.0), M::number(0.17964216), M::number(0.0), -t61, t70, t70, t120, M::number(0.0), M::number(0.19304000000000002)]
}

/// Torques that hold the robot still: 19 operations: 12 ×, 7 +; 4 sine/cosine pairs.
#[inline(always)]
#[allow(clippy::all)]
#[rustfmt::skip]
pub fn puma560_gravity<M: Math>(q: &[M::Number; 6]) -> [M::Number; 6] {
    let t1 = q[1] + q[2];
    let [(s23, c23), (s5, c5), (s4, c4), (s2, c2)] = M::sin_cos_4([t1, q[4], q[3], q[1]]);
    let t4 = M::number(0.02825280000000001) * s5;
    let t5 = c23 * t4;
    let t9 = s23 * c5;
    let t10 = M::number(0.028252799999999995) * t9;
    let t11 = c4 * t10;
    let t12 = t5 + t11;
    let t14 = s23 * s4;
    let t15 = t14 * t4;
    let t16 = M::number(0.24892874999999995) * c23;
    let t17 = t10 - t16;
    let t18 = c4 * t5;
    let t19 = M::number(8.45420895) * s23;
    let t20 = t18 + t19;
    let t21 = t17 + t20;
    let t23 = M::number(37.2347379) * c2;
    let t25 = M::number(1.024164) * s2;
    let t26 = t23 - t25;
    let t27 = t21 + t26;
    [M::number(0.0), -t27, -t21, t15, -t12, M::number(0.0)]
}
