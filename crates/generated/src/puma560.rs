//! puma560_torque: joint torques for joint positions, velocities and accelerations of puma560
//! Derived by dalembert 0.1.0; not to be edited by hand.
//! Robot: puma560 (Armstrong, Khatib & Burdick 1986, Tables 4–7 and A1)
//! SI units and radians; torques at the joint side of the gear.
//! Denavit-Hartenberg rows, modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d); each joint position is the number
//!   of the robot file's joint.
//! Cost: 259 operations: 145 ×, 114 +; 4 sine/cosine pairs.
//!
//!   symbol    meaning                                                           unit
//!   q         in: joint positions (6)                                           rad
//!   qd        in: joint velocities (6)                                          rad/s
//!   qdd       in: joint accelerations (6)                                       rad/s^2
//!   tau       out: joint torques (6)                                            N m
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
    #[inline(always)] fn sin_cos_4([a, b, c, d]: [Self::Number; 4]) -> [(Self::Number, Self::Number); 4] { [Self::sin_cos(a), Self::sin_cos(b), Self::sin_cos(c), Self::sin_cos(d)] }
}

/// Joint torques for joint positions, velocities and accelerations of puma560: 259 operations: 145 ×, 114 +; 4 sine/cosine pairs.
#[inline(always)]
#[allow(clippy::all)]
#[rustfmt::skip]
pub fn puma560_torque<M: Math>(q: &[M::Number; 6], qd: &[M::Number; 6], qdd: &[M::Number; 6]) -> [M::Number; 6] {
    let t4 = q[1] + q[2];
    let [(s5, c5), (s4, c4), (s23, c23), (s2, c2)] = M::sin_cos_4([q[4], q[3], t4, q[1]]);
    let t3 = qdd[1] + qdd[2];
    let t6 = qd[0] * s23;
    let t8 = qd[0] * c23;
    let t9 = t6 * t8;
    let t10 = t3 - t9;
    let t11 = s4 * t10;
    let t13 = qdd[0] * s23;
    let t14 = qd[1] + qd[2];
    let t15 = M::number(2.0) * t8;
    let t16 = t14 * t15;
    let t17 = t13 + t16;
    let t18 = c4 * t17;
    let t19 = t11 - t18;
    let t20 = s4 * t6;
    let t21 = c4 * t14;
    let t22 = t20 + t21;
    let t23 = qd[3] + t8;
    let t24 = t22 * t23;
    let t25 = t19 + t24;
    let t26 = s5 * t25;
    let t28 = qdd[0] * c23;
    let t29 = t6 * t14;
    let t30 = t28 - t29;
    let t31 = qdd[3] + t30;
    let t32 = c5 * t31;
    let t33 = t26 + t32;
    let t34 = c4 * t6;
    let t35 = s4 * t14;
    let t36 = t34 - t35;
    let t37 = c5 * t36;
    let t38 = s5 * t23;
    let t39 = t37 + t38;
    let t40 = qd[4] * t39;
    let t41 = t40 - t33;
    let t42 = M::number(3.9999999999999996e-5) * t41;
    let t43 = M::number(0.19304000000000002) * qdd[5];
    let t44 = t42 - t43;
    let t45 = M::number(3.9999999999999996e-5) * qd[5];
    let t46 = s5 * t36;
    let t47 = c5 * t23;
    let t48 = t46 - t47;
    let t49 = M::number(0.00020216000000000006) * t48;
    let t50 = t45 + t49;
    let t51 = t39 * t50;
    let t53 = M::number(0.6092982240000001) * s2;
    let t54 = M::number(34.910549748444915) * t53;
    let t55 = qdd[1] * t54;
    let t57 = M::number(21.270935960591135) * c2;
    let t58 = qd[0] * qd[0];
    let t59 = qd[1] * qd[1];
    let t60 = t58 + t59;
    let t61 = t57 * t60;
    let t62 = M::number(7.39408866995074) * qdd[0];
    let t63 = t61 + t62;
    let t64 = t55 + t63;
    let t65 = c23 * t64;
    let t66 = t8 * t8;
    let t67 = t14 * t14;
    let t68 = t66 + t67;
    let t69 = t65 - t68;
    let t70 = qdd[1] * t57;
    let t71 = t54 * t59;
    let t72 = M::number(483.2512315270937) + t71;
    let t73 = t70 - t72;
    let t74 = s23 * t73;
    let t75 = M::number(33.9623645320197) * t10;
    let t76 = t74 + t75;
    let t77 = t69 - t76;
    let t78 = c4 * t77;
    let t79 = M::number(7.39408866995074) * t58;
    let t80 = M::number(33.962364532019706) * t17;
    let t81 = t79 - t80;
    let t82 = qdd[0] * t57;
    let t83 = qd[0] * qd[1];
    let t84 = M::number(2.0) * t83;
    let t85 = t54 * t84;
    let t86 = t30 - t29;
    let t87 = t85 + t86;
    let t88 = t82 - t87;
    let t89 = t81 - t88;
    let t90 = s4 * t89;
    let t91 = t78 + t90;
    let t92 = c4 * t10;
    let t93 = s4 * t17;
    let t94 = t92 + t93;
    let t95 = M::number(12.627389162561578) * t94;
    let t96 = t91 + t95;
    let t97 = c5 * t96;
    let t98 = t3 + t9;
    let t99 = c23 * t73;
    let t100 = s23 * t64;
    let t101 = t66 - t67;
    let t102 = t58 - t101;
    let t103 = M::number(12.627389162561578) * t102;
    let t104 = M::number(2.689579302165907) * t103;
    let t105 = t100 + t104;
    let t106 = t99 + t105;
    let t107 = t98 - t106;
    let t108 = t107 + t103;
    let t109 = s5 * t108;
    let t110 = t97 + t109;
    let t111 = M::number(5.846399999999999e-5) * t110;
    let t112 = t36 * t23;
    let t113 = t94 + t112;
    let t114 = qdd[4] + t113;
    let t115 = M::number(0.0006421600000000001) * t114;
    let t116 = t111 - t115;
    let t117 = t51 - t116;
    let t118 = M::number(0.179) * qdd[4];
    let t119 = t117 + t118;
    let t120 = c5 * t25;
    let t121 = s5 * t31;
    let t122 = t121 - t120;
    let t123 = qd[4] * t48;
    let t124 = t122 - t123;
    let t125 = M::number(0.0006421600000000002) * t124;
    let t126 = M::number(0.0007382476799999999) * t19;
    let t127 = t125 + t126;
    let t128 = qd[4] + t22;
    let t129 = t128 * t50;
    let t130 = s4 * t77;
    let t131 = c4 * t89;
    let t132 = t130 - t131;
    let t133 = M::number(5.846399999999999e-5) * t132;
    let t134 = t129 - t133;
    let t135 = t127 - t134;
    let t136 = s5 * t135;
    let t137 = M::number(3.9999999999999996e-5) * qdd[5];
    let t138 = M::number(0.00044000000000000007) * t41;
    let t139 = t137 - t138;
    let t140 = c5 * t139;
    let t141 = M::number(0.0012) * t31;
    let t142 = M::number(0.00010000000000000005) * t36;
    let t143 = t22 * t142;
    let t144 = t141 - t143;
    let t145 = t140 + t144;
    let t146 = t136 + t145;
    let t147 = M::number(0.2) * qdd[3];
    let t148 = t146 + t147;
    let t149 = M::number(0.004704000000000001) * t28;
    let t150 = t68 - t102;
    let t151 = M::number(0.0068208) * t150;
    let t152 = t149 + t151;
    let t153 = M::number(0.27911236112000004) * t112;
    let t154 = t117 + t153;
    let t155 = t39 * t48;
    let t156 = t114 + t155;
    let t157 = M::number(5.846399999999998e-5) * c5;
    let t158 = t156 * t157;
    let t159 = t39 * t39;
    let t160 = t128 * t128;
    let t161 = t159 + t160;
    let t162 = M::number(5.846399999999999e-5) * s5;
    let t163 = t161 * t162;
    let t164 = t158 - t163;
    let t165 = M::number(12.627389162561578) * t164;
    let t166 = M::number(0.2778123611200001) * t113;
    let t167 = t165 + t166;
    let t168 = t167 - t154;
    let t169 = c4 * t168;
    let t170 = t161 * t157;
    let t171 = t156 * t162;
    let t172 = M::number(0.0005151124999999999) * t107;
    let t173 = t171 - t172;
    let t174 = t170 + t173;
    let t175 = c5 * t135;
    let t176 = M::number(0.27901236112000005) * t24;
    let t177 = s5 * t139;
    let t178 = t48 * t128;
    let t179 = t124 - t178;
    let t180 = M::number(5.846399999999999e-5) * t179;
    let t181 = M::number(12.627389162561578) * t180;
    let t182 = M::number(0.27791236112000006) * t25;
    let t183 = t181 - t182;
    let t184 = t177 + t183;
    let t185 = t176 + t184;
    let t186 = t175 - t185;
    let t187 = s4 * t186;
    let t188 = M::number(0.0005151124999999999) * t91;
    let t189 = t164 - t188;
    let t190 = c4 * t189;
    let t191 = M::number(0.0005151124999999999) * t132;
    let t192 = t180 + t191;
    let t193 = s4 * t192;
    let t194 = t190 - t193;
    let t195 = M::number(33.962364532019706) * t194;
    let t196 = M::number(0.016249999999999987) * t98;
    let t197 = t195 + t196;
    let t198 = t187 - t197;
    let t199 = t174 + t198;
    let t200 = t169 + t199;
    let t201 = t152 + t200;
    let t202 = M::number(0.83) * qdd[2];
    let t203 = t201 - t202;
    let t204 = c23 * t194;
    let t205 = s23 * t174;
    let t206 = t204 - t205;
    let t207 = t54 * t206;
    let t208 = M::number(1.6808911624203258) * t53;
    let t209 = t207 - t208;
    let t210 = M::number(6.225049952) * qdd[1];
    let t211 = M::number(0.06435058403334877) * t57;
    let t212 = M::number(0.01735173101821299) * t211;
    let t213 = t53 + t212;
    let t214 = qdd[0] * t213;
    let t215 = t201 - t214;
    let t216 = t210 - t215;
    let t217 = M::number(0.023302874422952525) * t53;
    let t218 = t211 - t217;
    let t219 = s2 * t218;
    let t220 = M::number(0.0070992) + t219;
    let t221 = t58 * t220;
    let t222 = c23 * t174;
    let t223 = s23 * t194;
    let t224 = M::number(1.5015695811023624) - t223;
    let t225 = t222 - t224;
    let t226 = t57 * t225;
    let t227 = t221 + t226;
    let t228 = t216 + t227;
    let t229 = t228 - t209;
    let t230 = s4 * t168;
    let t231 = c4 * t186;
    let t232 = M::number(0.0068208) * t86;
    let t233 = t231 + t232;
    let t234 = s4 * t189;
    let t235 = c4 * t192;
    let t236 = t234 + t235;
    let t237 = M::number(33.962364532019706) * t236;
    let t238 = M::number(0.004704000000000001) * t101;
    let t239 = t237 - t238;
    let t240 = t233 + t239;
    let t241 = t230 - t240;
    let t242 = s23 * t241;
    let t243 = qdd[1] * t213;
    let t244 = M::number(0.028644636283464565) * t59;
    let t245 = t236 + t244;
    let t246 = t57 * t245;
    let t247 = M::number(7.39408866995074) * t206;
    let t248 = t84 * t220;
    let t249 = t247 + t248;
    let t250 = t246 - t249;
    let t251 = t243 + t250;
    let t252 = t251 - t242;
    let t253 = M::number(0.0011165940250115792) * t71;
    let t254 = M::number(2.3824184846352314) * t86;
    let t255 = t17 + t254;
    let t256 = M::number(0.0068208) * t255;
    let t257 = M::number(0.004704000000000002) * t10;
    let t258 = t146 - t257;
    let t259 = t236 - t258;
    let t260 = t256 - t259;
    let t261 = c23 * t260;
    let t262 = c2 * t218;
    let t263 = M::number(2.646693438) + t262;
    let t264 = qdd[0] * t263;
    let t265 = t261 + t264;
    let t266 = t253 - t265;
    let t267 = t252 - t266;
    [t267, t229, -t203, t148, t119, -t44]
}

/// Mass matrix in joint coordinates of puma560: 113 operations: 60 ×, 53 +; 4 sine/cosine pairs.
#[inline(always)]
#[allow(clippy::all)]
#[rustfmt::skip]
pub fn puma560_mass<M: Math>(q: &[M::Number; 6]) -> [M::Number; 36] {
    let (s5, c5) = M::sin_cos(q[4]);
    let t2 = M::number(3.9999999999999996e-5) * c5;
    let (s4, c4) = M::sin_cos(q[3]);
    let t5 = M::number(5.846399999999999e-5) * s5;
    let t6 = s4 * t5;
    let t7 = M::number(0.6841817186644774) * t6;
    let t8 = q[1] + q[2];
    let (s23, c23) = M::sin_cos(t8);
    let t10 = M::number(5.8463999999999995e-5) * c5;
    let t11 = c23 * t10;
    let t14 = c4 * t5;
    let t15 = s23 * t14;
    let t16 = t11 - t15;
    let t17 = M::number(0.6841817186644774) * t16;
    let t18 = M::number(0.001247328) * c5;
    let t19 = M::number(0.00064216) + t18;
    let t20 = c4 * t19;
    let t21 = t5 - t20;
    let t22 = c4 * t11;
    let t23 = s23 * t5;
    let t24 = t22 - t23;
    let t25 = M::number(7.39408866995074) * t24;
    let (s2, c2) = M::sin_cos(q[1]);
    let t27 = M::number(21.27093596059113) * c2;
    let t28 = t27 * t10;
    let t29 = s23 * t19;
    let t30 = t29 - t11;
    let t31 = t28 + t30;
    let t32 = s4 * t31;
    let t33 = t25 - t32;
    let t34 = t27 * t5;
    let t35 = c23 * t34;
    let t37 = M::number(21.27093596059113) * s2;
    let t38 = t37 * t24;
    let t39 = s23 * c4;
    let t40 = t39 * t28;
    let t41 = t38 - t40;
    let t42 = t21 + t41;
    let t43 = t35 - t42;
    let t44 = M::number(0.00020215999999999995) * c5;
    let t45 = c5 * t44;
    let t46 = M::number(0.20184216000000002) - t45;
    let t47 = M::number(0.0012473279999999998) + t44;
    let t48 = s5 * t47;
    let t49 = s4 * t48;
    let t50 = c4 * t34;
    let t51 = t48 * t39;
    let t52 = t45 + t14;
    let t53 = M::number(7.39408866995074) * t6;
    let t54 = M::number(0.00184216) + t53;
    let t55 = t52 - t54;
    let t56 = c23 * t55;
    let t57 = t51 - t56;
    let t58 = t50 + t57;
    let t59 = s23 * s4;
    let t60 = t59 * t34;
    let t61 = c23 * t6;
    let t62 = t37 * t61;
    let t63 = t60 - t62;
    let t64 = t49 + t63;
    let t65 = M::number(0.0003021599999999999) - t45;
    let t66 = c4 * t65;
    let t67 = c4 * t66;
    let t68 = M::number(2.0) * t14;
    let t69 = M::number(0.017535112499999988) - t68;
    let t70 = t67 + t69;
    let t71 = M::number(62.3664) * t2;
    let t72 = M::number(0.3159101365) + t71;
    let t73 = t45 + t72;
    let t74 = t70 + t73;
    let t75 = M::number(0.83) + t74;
    let t76 = t5 - t66;
    let t77 = t59 * t76;
    let t78 = M::number(0.004704000000000001) + t49;
    let t79 = c23 * t78;
    let t80 = t77 + t79;
    let t81 = M::number(0.017494438499999997) + t10;
    let t82 = c23 * t81;
    let t83 = M::number(0.0005151124999999999) - t14;
    let t84 = s23 * t83;
    let t85 = t82 + t84;
    let t86 = M::number(7.39408866995074) * t85;
    let t87 = t80 + t86;
    let t88 = s23 * t81;
    let t89 = c23 * t83;
    let t90 = t88 - t89;
    let t91 = t27 * t90;
    let t92 = t37 * t85;
    let t93 = t91 - t92;
    let t94 = t74 + t93;
    let t95 = M::number(0.03245342378346456) + t6;
    let t96 = t37 * t95;
    let t97 = M::number(0.023751000000000005) * c2;
    let t98 = t87 - t97;
    let t99 = t96 - t98;
    let t100 = M::number(2.0) * t93;
    let t101 = M::number(6.458114002) + t74;
    let t102 = t100 + t101;
    let t103 = t70 - t73;
    let t104 = c23 * t103;
    let t105 = M::number(0.010673638499999997) + t10;
    let t106 = s23 * t105;
    let t107 = t51 - t106;
    let t108 = M::number(2.0) * t107;
    let t109 = t104 + t108;
    let t110 = c23 * t109;
    let t111 = M::number(67.44394770746496) * t97;
    let t112 = M::number(0.0141984) * s2;
    let t113 = t111 - t112;
    let t114 = c2 * t113;
    let t115 = t91 + t53;
    let t116 = M::number(2.0) * t115;
    let t117 = t67 - t116;
    let t118 = M::number(2.6759281105) - t117;
    let t119 = t114 + t118;
    let t120 = t110 + t119;
    let t121 = t72 + t120;
    [t121, t99, -t87, t58, -t33, t17, t99, t102, t94, -t64, t43, t7, -t87, t94, t75, -t49, -t21, t7, t58, -t64, -t49, t46, M::number(0.0), t2, -t33, t43, -t21, M::number(0.0), M::number(0.17964216), M::number(0.0), t17, t7, t7, t2, M::number(0.0), M::number(0.19304000000000002)]
}

/// Torques that hold the robot still of puma560: 19 operations: 12 ×, 7 +; 4 sine/cosine pairs.
#[inline(always)]
#[allow(clippy::all)]
#[rustfmt::skip]
pub fn puma560_gravity<M: Math>(q: &[M::Number; 6]) -> [M::Number; 6] {
    let t1 = q[1] + q[2];
    let (s23, c23) = M::sin_cos(t1);
    let (s5, c5) = M::sin_cos(q[4]);
    let t4 = M::number(0.02825280000000001) * s5;
    let t5 = c23 * t4;
    let (s4, c4) = M::sin_cos(q[3]);
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
    let (s2, c2) = M::sin_cos(q[1]);
    let t23 = M::number(37.2347379) * c2;
    let t25 = M::number(1.024164) * s2;
    let t26 = t23 - t25;
    let t27 = t21 + t26;
    [M::number(0.0), -t27, -t21, t15, -t12, M::number(0.0)]
}
