//! puma560_torque: joint torques for joint positions, velocities and accelerations
//! Derived by dalembert 0.1.0; not to be edited by hand.
//! Robot: puma560 (Armstrong, Khatib & Burdick 1986, Tables 4–7 and A1)
//! SI units and radians; torques at the joint side of the gear.
//! Denavit-Hartenberg rows, modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d); q as in the robot file.
//! Cost: 256 operations: 140 ×, 116 +; 4 sine/cosine pairs.
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

/// Joint torques for joint positions, velocities and accelerations: 256 operations: 140 ×, 116 +; 4 sine/cosine pairs.
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
    let t15 = t8 * t14;
    let t16 = t13 + t15;
    let t17 = t16 + t15;
    let t18 = c4 * t17;
    let t19 = s4 * t6;
    let t20 = c4 * t14;
    let t21 = t19 + t20;
    let t22 = qd[3] + t8;
    let t23 = t21 * t22;
    let t24 = t18 - t23;
    let t25 = t11 - t24;
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
    let t38 = s5 * t22;
    let t39 = t37 + t38;
    let t40 = qd[4] * t39;
    let t41 = t40 - t33;
    let t42 = qdd[5] - t41;
    let t43 = M::number(4e-5) * t42;
    let t44 = M::number(0.193) * qdd[5];
    let t45 = t43 + t44;
    let t47 = M::number(1.368797152) * c2;
    let t48 = M::number(0.10107951773412223) * t47;
    let t49 = qd[0] * qd[0];
    let t50 = qd[1] * qd[1];
    let t51 = t49 + t50;
    let t52 = t48 * t51;
    let t54 = M::number(0.138357356) * s2;
    let t55 = qdd[1] * t54;
    let t56 = M::number(4.403800720216133) * qdd[0];
    let t57 = M::number(0.010921257580801601) * t56;
    let t58 = t55 + t57;
    let t59 = t52 + t58;
    let t60 = c23 * t59;
    let t61 = qdd[1] * t48;
    let t62 = t54 * t50;
    let t63 = t61 - t62;
    let t64 = M::number(3.1433202) - t63;
    let t65 = s23 * t64;
    let t66 = t60 + t65;
    let t67 = t8 * t8;
    let t68 = t14 * t14;
    let t69 = t67 + t68;
    let t70 = M::number(0.006504526) * t69;
    let t71 = M::number(0.004704) * t10;
    let t72 = M::number(29.501254676870747) * t71;
    let t73 = t70 + t72;
    let t74 = t66 - t73;
    let t75 = c4 * t74;
    let t76 = qd[0] * qd[1];
    let t77 = M::number(2.0) * t76;
    let t78 = t54 * t77;
    let t79 = qdd[0] * t48;
    let t80 = M::number(0.048095042) * t49;
    let t81 = t79 - t80;
    let t82 = t78 - t81;
    let t83 = t30 - t29;
    let t84 = M::number(0.006504526) * t83;
    let t85 = M::number(0.138773902) * t17;
    let t86 = t84 - t85;
    let t87 = t82 + t86;
    let t88 = s4 * t87;
    let t89 = t75 + t88;
    let t90 = M::number(0.008988202983584046) * c5;
    let t91 = t89 * t90;
    let t92 = s4 * t17;
    let t93 = c4 * t10;
    let t94 = t36 * t22;
    let t95 = t93 + t94;
    let t96 = t92 + t95;
    let t97 = qdd[4] + t96;
    let t98 = M::number(0.00064216) * t97;
    let t99 = M::number(4e-5) * qd[5];
    let t100 = s5 * t36;
    let t101 = c5 * t22;
    let t102 = t100 - t101;
    let t103 = M::number(0.00020216) * t102;
    let t104 = t99 + t103;
    let t105 = t39 * t104;
    let t106 = t98 + t105;
    let t107 = c23 * t64;
    let t108 = t67 - t68;
    let t109 = t49 - t108;
    let t110 = M::number(0.138773902) * t109;
    let t111 = t107 - t110;
    let t112 = s23 * t59;
    let t113 = t3 + t9;
    let t114 = M::number(0.01625) * t113;
    let t115 = M::number(0.4002785230769231) * t114;
    let t116 = t112 - t115;
    let t117 = t111 - t116;
    let t118 = M::number(0.008988202983584046) * s5;
    let t119 = t117 * t118;
    let t120 = t106 - t119;
    let t121 = t91 - t120;
    let t122 = M::number(0.179) * qdd[4];
    let t123 = t121 - t122;
    let t124 = M::number(0.0004) * t41;
    let t125 = t43 - t124;
    let t126 = c5 * t125;
    let t127 = c5 * t25;
    let t128 = s5 * t31;
    let t129 = t128 - t127;
    let t130 = qd[4] * t102;
    let t131 = t129 - t130;
    let t132 = M::number(0.00064216) * t131;
    let t133 = s4 * t74;
    let t134 = c4 * t87;
    let t135 = t133 - t134;
    let t136 = M::number(0.008988202983584046) * t135;
    let t137 = qd[4] + t21;
    let t138 = t137 * t104;
    let t139 = t136 - t138;
    let t140 = t132 + t139;
    let t141 = s5 * t140;
    let t142 = M::number(0.0012) * t31;
    let t143 = M::number(0.0001) * t36;
    let t144 = t21 * t143;
    let t145 = t142 - t144;
    let t146 = t141 + t145;
    let t147 = t126 + t146;
    let t148 = M::number(0.2) * qdd[3];
    let t149 = t147 + t148;
    let t150 = M::number(0.080570624) * t94;
    let t151 = M::number(0.081870624) * t96;
    let t152 = t121 - t151;
    let t153 = t150 + t152;
    let t154 = c4 * t153;
    let t155 = t39 * t39;
    let t156 = t137 * t137;
    let t157 = t155 + t156;
    let t158 = t157 * t90;
    let t159 = t39 * t102;
    let t160 = t97 + t159;
    let t161 = t160 * t118;
    let t162 = M::number(12.175050768305898) * t117;
    let t163 = t161 - t162;
    let t164 = t158 + t163;
    let t165 = M::number(0.006504526) * t164;
    let t166 = t160 * t90;
    let t167 = t157 * t118;
    let t168 = M::number(12.175050768305898) * t89;
    let t169 = t167 + t168;
    let t170 = t166 - t169;
    let t171 = c4 * t170;
    let t172 = t102 * t137;
    let t173 = t131 - t172;
    let t174 = M::number(0.008988202983584046) * t173;
    let t175 = M::number(12.175050768305898) * t135;
    let t176 = t174 + t175;
    let t177 = s4 * t176;
    let t178 = t171 - t177;
    let t179 = M::number(0.138773902) * t178;
    let t180 = t165 - t179;
    let t181 = t66 + t180;
    let t182 = t154 + t181;
    let t183 = M::number(0.004704) * t28;
    let t184 = t69 - t109;
    let t185 = M::number(0.000316274) * t184;
    let t186 = c5 * t140;
    let t187 = M::number(0.080670624) * t23;
    let t188 = t186 + t187;
    let t189 = s5 * t125;
    let t190 = M::number(0.081770624) * t25;
    let t191 = t189 + t190;
    let t192 = t188 - t191;
    let t193 = s4 * t192;
    let t194 = t193 - t114;
    let t195 = t185 + t194;
    let t196 = t183 + t195;
    let t197 = t182 + t196;
    let t198 = M::number(0.83) * qdd[2];
    let t199 = t197 - t198;
    let t200 = M::number(0.03898091125898309) * t56;
    let t201 = t10 + t178;
    let t202 = s23 * t201;
    let t203 = t109 + t164;
    let t204 = c23 * t203;
    let t205 = M::number(230.84996218054354) - t204;
    let t206 = t202 - t205;
    let t207 = t200 + t206;
    let t208 = t48 * t207;
    let t209 = t197 - t208;
    let t210 = c23 * t201;
    let t211 = s23 * t203;
    let t212 = t211 + t56;
    let t213 = t210 - t212;
    let t214 = M::number(7.402309711671564) - t213;
    let t215 = t54 * t214;
    let t216 = M::number(0.10262121516690446) * t54;
    let t217 = t47 - t216;
    let t218 = s2 * t217;
    let t219 = M::number(0.0070992) + t218;
    let t220 = t49 * t219;
    let t221 = M::number(6.225049952) * qdd[1];
    let t222 = t220 + t221;
    let t223 = t215 + t222;
    let t224 = t209 - t223;
    let t225 = t77 * t219;
    let t226 = M::number(2.498260442036822) * t84;
    let t227 = M::number(0.019463015384615385) * t226;
    let t228 = c4 * t192;
    let t229 = s4 * t153;
    let t230 = t228 - t229;
    let t231 = t230 - t82;
    let t232 = t227 + t231;
    let t233 = s4 * t170;
    let t234 = c4 * t176;
    let t235 = t233 + t234;
    let t236 = M::number(0.138773902) * t235;
    let t237 = M::number(0.004704) * t108;
    let t238 = t236 - t237;
    let t239 = t232 + t238;
    let t240 = s23 * t239;
    let t241 = M::number(0.000316274) * t17;
    let t242 = M::number(0.04687139228815516) * t236;
    let t243 = t147 + t226;
    let t244 = t242 - t243;
    let t245 = t241 - t244;
    let t246 = t71 - t245;
    let t247 = c23 * t246;
    let t248 = M::number(0.17166416507699092) * t63;
    let t249 = M::number(4.403800720216133) * t59;
    let t250 = M::number(0.048095042) * t213;
    let t251 = M::number(91.5645467201408) * t80;
    let t252 = t17 - t251;
    let t253 = t235 + t252;
    let t254 = t48 * t253;
    let t255 = t250 - t254;
    let t256 = t249 - t255;
    let t257 = t248 + t256;
    let t258 = t257 - t247;
    let t259 = t240 + t258;
    let t260 = c2 * t217;
    let t261 = M::number(2.2230914768031496) + t260;
    let t262 = qdd[0] * t261;
    let t263 = t259 + t262;
    let t264 = t225 - t263;
    [-t264, -t224, -t199, t149, -t123, t45]
}

/// Mass matrix in joint coordinates: 109 operations: 58 ×, 51 +; 5 sine/cosine pairs.
#[inline(always)]
#[allow(clippy::all)]
#[rustfmt::skip]
pub fn puma560_mass<M: Math>(q: &[M::Number; 6]) -> [M::Number; 36] {
    let t2 = q[1] + q[2];
    let [(s2, c2), (s23, c23), (s5, c5), (s4, c4), (s3, c3)] = M::sin_cos_5([q[1], t2, q[4], q[3], q[2]]);
    let t5 = M::number(4e-5) * c5;
    let t6 = M::number(62.36639999999999) * t5;
    let t7 = M::number(0.9969983837450935) * t6;
    let t8 = M::number(0.7442461619999999) + t7;
    let t9 = s23 * t8;
    let t10 = M::number(1.6018612019999998) * c2;
    let t11 = t9 + t10;
    let t15 = s5 * c4;
    let t16 = M::number(0.0024871679999999997) * t15;
    let t17 = M::number(0.02191385) - t16;
    let t18 = c23 * t17;
    let t20 = M::number(0.0141984) * s2;
    let t21 = t18 + t20;
    let t22 = t11 - t21;
    let t23 = c2 * t22;
    let t24 = M::number(5.053999999999999) * t5;
    let t25 = M::number(0.0012473279999999998) + t24;
    let t26 = t15 * t25;
    let t27 = M::number(0.010673638499999999) - t26;
    let t28 = M::number(1.9999999999999998) * c23;
    let t29 = t27 * t28;
    let t30 = M::number(0.0004322879999999999) * s5;
    let t31 = M::number(0.13524317121918722) * t30;
    let t32 = M::number(3.4578544061302683) * s5;
    let t33 = t31 * t32;
    let t34 = M::number(0.00010000000000000018) + t33;
    let t35 = c4 * t34;
    let t36 = c4 * t35;
    let t37 = M::number(0.298577184) - t36;
    let t38 = t33 - t37;
    let t39 = t6 - t38;
    let t40 = s23 * t39;
    let t41 = s23 * t30;
    let t42 = c4 * t41;
    let t43 = M::number(0.0004322879999999999) * c5;
    let t44 = c23 * t43;
    let t45 = t42 - t44;
    let t46 = M::number(0.27048634243837444) * t45;
    let t47 = t40 + t46;
    let t48 = t29 - t47;
    let t49 = s23 * t48;
    let t50 = t49 - t23;
    let t51 = M::number(0.00011692799999999998) * t15;
    let t52 = t50 + t51;
    let t54 = s5 * s4;
    let t55 = M::number(0.0012435839999999998) * t54;
    let t56 = M::number(0.34761463640574336) * t55;
    let t57 = t33 + t56;
    let t58 = t56 + t57;
    let t59 = M::number(2.6932610629999996) + t58;
    let t60 = t52 - t59;
    let t61 = t25 * t54;
    let t62 = t35 - t31;
    let t63 = s4 * t62;
    let t64 = M::number(0.0038087875) - t63;
    let t65 = s23 * t64;
    let t66 = M::number(0.1340594295) + t61;
    let t67 = c23 * t66;
    let t68 = t45 - t67;
    let t69 = t65 - t68;
    let t70 = M::number(0.6903146989999999) + t55;
    let t71 = s2 * t70;
    let t72 = M::number(0.023750999999999998) * c2;
    let t73 = t72 - t69;
    let t74 = t71 + t73;
    let t75 = M::number(0.00164) + t57;
    let t76 = c23 * t75;
    let t77 = s23 * t25;
    let t78 = M::number(0.052359226979916636) * t72;
    let t79 = M::number(2.9231999999999997e-5) * t28;
    let t80 = t78 - t79;
    let t81 = t77 + t80;
    let t82 = t15 * t81;
    let t83 = t76 + t82;
    let t84 = c4 * t44;
    let t85 = t41 - t84;
    let t86 = M::number(0.5015053265400649) * t7;
    let t87 = M::number(0.00064216) + t86;
    let t88 = s23 * t87;
    let t89 = c5 * t80;
    let t90 = t88 + t89;
    let t91 = s4 * t90;
    let t92 = t85 + t91;
    let t93 = M::number(0.09253090532237769) * t45;
    let t95 = c3 * t17;
    let t97 = s3 * t8;
    let t98 = t95 - t97;
    let t99 = t6 - t34;
    let t100 = t51 - t99;
    let t101 = t36 - t100;
    let t102 = M::number(6.791861411) + t101;
    let t103 = t98 - t102;
    let t104 = M::number(0.5) * t98;
    let t105 = M::number(0.33374740899999994) + t101;
    let t106 = t104 - t105;
    let t107 = s3 * t55;
    let t108 = t61 + t107;
    let t109 = c4 * t87;
    let t110 = t31 - t109;
    let t111 = c5 * s3;
    let t112 = c4 * t111;
    let t113 = s5 * c3;
    let t114 = t112 + t113;
    let t115 = M::number(0.0012435839999999998) * t114;
    let t116 = t115 - t110;
    let t117 = M::number(4e-5) * t54;
    let t118 = M::number(1.163747409) + t101;
    let t119 = M::number(0.20164) + t33;
    [-t60, t74, -t69, t83, t92, -t93, t74, -t103, -t106, -t108, t116, t117, -t69, -t106, t118, -t61, -t110, t117, t83, -t108, -t61, t119, M::number(0.0), t5, t92, t116, -t110, M::number(0.0), M::number(0.17964216), M::number(0.0), -t93, t117, t117, t5, M::number(0.0), M::number(0.19304000000000002)]
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
    let t9 = s23 * c5;
    let t10 = M::number(0.0282528) * t9;
    let t11 = c4 * t10;
    let t12 = t5 + t11;
    let t14 = s23 * t4;
    let t15 = s4 * t14;
    let t16 = c4 * t4;
    let t17 = M::number(0.24892875) - t16;
    let t18 = c23 * t17;
    let t19 = M::number(8.45420895) * s23;
    let t20 = t18 - t19;
    let t21 = t10 - t20;
    let t23 = M::number(37.2347379) * c2;
    let t25 = M::number(1.024164) * s2;
    let t26 = t25 - t21;
    let t27 = t23 - t26;
    [M::number(0.0), -t27, -t21, t15, -t12, M::number(0.0)]
}
