//! The fast path of `exact` for symmetric robots: three equal arms 120° apart, gravity along the z axis, the arms' centres of
//! mass on the line motor axis–elbow.
//!
//! The same model as [`super::exact`], with the symmetry multiplied out; tests tie the two together to rounding. What
//! makes it cheap:
//!
//! * No angle is ever formed: the root of the inverse kinematics is the transmission w (see [`super::kinematics`]).
//! * Horizontal vectors are written in the skew basis of the directions f₂, f₃ of arms 2 and 3 (f₁ = −f₂ − f₃):
//!   X = α f₂ + β f₃ with α = y/√3 − x, β = −y/√3 − x. There the rods are pure additions,
//!   s₁ = (α + a₁, β + a₁), s₂ = (α − a₂, β), s₃ = (α, β − a₃), a = R + d; Cramer's rule does not care that the basis
//!   is skew.
//! * With d = L_A cos q, b = L_A sin q all rates need only projections: s·V = X·V − a (V·f) + b V_z.
//! * Sums are written in the order in which their terms become known, which shortens the chain of dependent operations.
//! * F/m_t is solved for, and m_t returns in the numerator of the one division by the determinant.
//!
//! | symbol | what |
//! | --- | --- |
//! | `p1, p2, p3` | `L_A`·(X·f_i − R) |
//! | `d`, `b` | elbow: radial `R + d`, height `−b` |
//! | `w` | transmission s·e′ |
//! | `rad`, `ver` | −elbow acceleration outward, elbow acceleration upward |

use super::{Arm, Azimuth, Delta, Parameters};
use crate::algebra::{Mat3, Vec3, three};
use crate::array::map;
use crate::scalar::Scalar;

/// How many numbers a [`SymmetricPose`] is.
pub const POSE_LEN: usize = 23;

const ROOT_3: f64 = 1.732_050_807_568_877_2;

/// A symmetric Delta robot, its constants folded.
#[derive(Clone, Copy, Debug)]
pub struct Symmetric<S> {
    /// Direction of arm 1, unless it is the x axis.
    rotation: Option<Azimuth<S>>,
    radius: S,
    la: S,
    /// `L_A` R.
    la_radius: S,
    /// 1.5 `L_A`.
    la_skew: S,
    /// R/`L_A`.
    radius_ratio: S,
    /// (`L_A`² − `L_B`² − R²)/2, with R p′ taken from `p_i`.
    h_offset: S,
    /// I of (2).
    inertia: S,
    /// m_ca of (1).
    m_ca: S,
    /// m_t of (3), and m_ca/m_t.
    m_t: S,
    coupling: S,
    /// Upward acceleration that replaces the weight of what moves like the platform, m_g g/m_t.
    lift: S,
    /// Weight of that, m_g g, N.
    weight: S,
    /// Holding torque of a horizontal arm over `L_A`, N.
    arm_weight: S,
    divided: Divided<S>,
    /// Of the joint-space mass matrix: √(m_t/2), and m_ca divided by it.
    half_mass: S,
    rooted_m_ca: Multiple<S>,
}

/// Constants of the forward dynamics, all divided by I/2.
#[derive(Clone, Copy, Debug)]
struct Divided<S> {
    m_ca: Multiple<S>,
    m_t: S,
    weight: S,
    arm_weight: S,
    per_half_inertia: S,
}

/// A number m, m/2 and m √3/2: what stands before the components of e′.
#[derive(Clone, Copy, Debug)]
struct Multiple<S> {
    whole: S,
    half: S,
    across: S,
}

impl<S: Scalar> Multiple<S> {
    fn new(m: S) -> Self {
        Self { whole: m, half: m.times(0.5), across: m.times(ROOT_3 / 2.0) }
    }
}

/// What the position alone determines: the first stage. A batch keeps the two stages in separate loops, because two
/// short chains of dependent operations fill a processor better than one long one.
#[derive(Clone, Copy, Debug)]
pub struct SymmetricPose<S> {
    /// Platform, in the frame turned to arm 1.
    position: Vec3<S>,
    alpha: S,
    beta: S,
    h: [S; 3],
    w: [S; 3],
    d: [S; 3],
    b: [S; 3],
    a: [S; 3],
    /// Height of the platform above each elbow: s_z.
    rise: [S; 3],
}

/// What the velocity adds.
struct VelocityTerms<S> {
    qd: [S; 3],
    /// 1/w.
    inverse: [S; 3],
    /// |Ẋ|² and the rest of κ, so that w q̈ = s·Ẍ + |Ẋ|² + turning.
    square: S,
    turning: [S; 3],
}

impl<S: Scalar> Symmetric<S> {
    /// The fast path for these parameters; the first arm stands for all. Unchecked: see [`Delta::symmetric`].
    pub fn new(parameters: &Parameters<S>, rotated: bool) -> Self {
        let robot = Delta::new(*parameters);
        let arm: &Arm<S> = &robot.arms[0];
        let g = -parameters.gravity[2];
        let (m_t, weight, arm_weight) = (robot.platform_inertia, robot.platform_weight * g, arm.moment * g / arm.la);
        let per_half_inertia = S::from_f64(2.0) / arm.inertia;
        let half_mass = m_t.times(0.5).sqrt();
        Self {
            rotation: if rotated { Some(parameters.arms[0].azimuth) } else { None },
            radius: arm.radius,
            la: arm.la,
            la_radius: arm.la * arm.radius,
            la_skew: arm.la.times(1.5),
            radius_ratio: arm.radius / arm.la,
            h_offset: arm.h_offset - arm.radius * arm.radius,
            inertia: arm.inertia,
            m_ca: arm.m_ca,
            m_t,
            coupling: arm.m_ca / m_t,
            lift: weight / m_t,
            weight,
            arm_weight,
            divided: Divided {
                m_ca: Multiple::new(arm.m_ca * per_half_inertia),
                m_t: m_t * per_half_inertia,
                weight: weight * per_half_inertia,
                arm_weight: arm_weight * per_half_inertia,
                per_half_inertia,
            },
            half_mass,
            rooted_m_ca: Multiple::new(arm.m_ca / half_mass),
        }
    }

    /// Into the frame whose x axis is arm 1.
    #[inline(always)]
    fn turn(&self, v: Vec3<S>) -> Vec3<S> {
        match self.rotation {
            None => v,
            Some(Azimuth { cos, sin }) => Vec3::new(v[0] * cos + v[1] * sin, v[1] * cos - v[0] * sin, v[2]),
        }
    }

    /// And back.
    #[inline(always)]
    fn turn_back(&self, v: Vec3<S>) -> Vec3<S> {
        match self.rotation {
            None => v,
            Some(Azimuth { cos, sin }) => Vec3::new(v[0] * cos - v[1] * sin, v[1] * cos + v[0] * sin, v[2]),
        }
    }

    /// α and β: horizontal components in the skew basis.
    #[inline(always)]
    fn skew(v: Vec3<S>) -> (S, S) {
        let y = v[1].times(1.0 / ROOT_3);
        (y - v[0], -(v[0] + y))
    }

    /// The first stage: inverse kinematics without angles.
    #[inline(always)]
    pub fn pose(&self, position: Vec3<S>) -> SymmetricPose<S> {
        let position = self.turn(position);
        let [x, y, z] = position.0;
        let (alpha, beta) = Self::skew(position);
        let p1 = x * self.la - self.la_radius;
        let p = [p1, alpha * self.la_skew + p1, beta * self.la_skew + p1];
        let level = z * self.la;
        let level_squared = level * level;
        let half = (x * x + y * y + z * z).times(0.5) + self.h_offset;
        let h: [S; 3] = three(|i| half - p[i] * self.radius_ratio);
        let r_squared: [S; 3] = three(|i| p[i] * p[i] + level_squared); // L_A² r²
        let w: [S; 3] = three(|i| (r_squared[i] - h[i] * h[i]).sqrt());
        let scale: [S; 3] = three(|i| self.la / r_squared[i]);
        let d: [S; 3] = three(|i| (p[i] * h[i] - level * w[i]) * scale[i]);
        let b: [S; 3] = three(|i| -((level * h[i] + p[i] * w[i]) * scale[i]));
        SymmetricPose { position, alpha, beta, h, w, d, b, a: three(|i| d[i] + self.radius), rise: three(|i| z + b[i]) }
    }

    /// The rods in the skew basis.
    #[inline(always)]
    fn rods(at: &SymmetricPose<S>) -> [Vec3<S>; 3] {
        let (alpha, beta, a) = (at.alpha, at.beta, &at.a);
        [
            Vec3::new(alpha + a[0], beta + a[0], at.rise[0]),
            Vec3::new(alpha - a[1], beta, at.rise[1]),
            Vec3::new(alpha, beta - a[2], at.rise[2]),
        ]
    }

    /// V·f_i for the three arms.
    #[inline(always)]
    fn projections(v: Vec3<S>) -> [S; 3] {
        let (half, across) = (v[0].times(0.5), v[1].times(ROOT_3 / 2.0));
        [v[0], across - half, -(across + half)]
    }

    /// q̇, 1/w and the two parts of κ = |Ẋ|² + q̇(h q̇ + 2(b ṗ + d ż)).
    #[inline(always)]
    fn velocity(at: &SymmetricPose<S>, velocity: Vec3<S>) -> VelocityTerms<S> {
        let speed = Self::projections(velocity);
        let vz = velocity[2];
        let common = at.position.dot(velocity);
        let inverse: [S; 3] = three(|i| S::one() / at.w[i]);
        let qd: [S; 3] = three(|i| (common + at.b[i] * vz - at.a[i] * speed[i]) * inverse[i]);
        let turning = three(|i| {
            let along = (at.b[i] * speed[i] + at.d[i] * vz).times(2.0);
            qd[i] * (at.h[i] * qd[i] + along)
        });
        VelocityTerms { qd, inverse, square: velocity.norm_squared(), turning }
    }

    /// w_i λ_i with Σ λ_i s_i = m · (α, β, z), m in the numerator.
    #[inline(always)]
    fn torque_of_wrench(rods: &[Vec3<S>; 3], w: &[S; 3], force: Vec3<S>, numerator: S) -> [S; 3] {
        let [s1, s2, s3] = *rods;
        let s23 = s2.cross(s3);
        let scale = numerator / s1.dot(s23);
        let s1f = s1.cross(force);
        [s23.dot(force) * (scale * w[0]), s3.dot(s1f) * (scale * w[1]), -(s2.dot(s1f) * (scale * w[2]))]
    }

    /// (2)–(4) from everything known: `pull` is m_ca (Ẍ·f_i), `skew` the platform's horizontal acceleration.
    #[inline(always)]
    fn torque_from(
        &self,
        at: &SymmetricPose<S>,
        qd: &[S; 3],
        qdd: &[S; 3],
        pull: [S; 3],
        skew: (S, S),
        az: S,
    ) -> [S; 3] {
        let fall = az * self.m_ca + self.arm_weight;
        let qd_squared: [S; 3] = three(|i| qd[i] * qd[i]);
        let rad: [S; 3] = three(|i| at.b[i] * qdd[i] + at.d[i] * qd_squared[i]);
        let ver: [S; 3] = three(|i| at.b[i] * qd_squared[i] - at.d[i] * qdd[i]);
        let force = Vec3::new(
            skew.0 + (rad[0] - rad[1]) * self.coupling,
            skew.1 + (rad[0] - rad[2]) * self.coupling,
            az + self.lift + (ver[0] + ver[1] + ver[2]) * self.coupling,
        );
        let carried = Self::torque_of_wrench(&Self::rods(at), &at.w, force, self.m_t);
        three(|i| self.inertia * qdd[i] - (at.b[i] * pull[i] + at.d[i] * fall) + carried[i])
    }

    /// Torques from the Cartesian state, without friction: the inverse kinematics are inside.
    #[inline(always)]
    pub fn torque(&self, position: Vec3<S>, velocity: Vec3<S>, acceleration: Vec3<S>) -> [S; 3] {
        self.torque_at(&self.pose(position), velocity, acceleration)
    }

    /// The second stage of [`Symmetric::torque`].
    #[inline(always)]
    pub fn torque_at(&self, at: &SymmetricPose<S>, velocity: Vec3<S>, acceleration: Vec3<S>) -> [S; 3] {
        let [velocity, acceleration] = map([velocity, acceleration], |v| self.turn(v));
        let VelocityTerms { qd, inverse, square, turning } = Self::velocity(at, velocity);
        let (ax, az) = (acceleration[0], acceleration[2]);
        let skew = Self::skew(acceleration);
        let p2 = skew.0.times(1.5) + ax;
        let projected = [ax, p2, -(ax + p2)];
        let common = at.position.dot(acceleration) + square;
        let qdd = three(|i| (common + at.b[i] * az - at.a[i] * projected[i] + turning[i]) * inverse[i]);
        let (m1, m2) = (ax * self.m_ca, p2 * self.m_ca);
        self.torque_from(at, &qd, &qdd, [m1, m2, -(m1 + m2)], skew, az)
    }

    /// Torques when position, joints and all rates and accelerations are known already, as Falezza's Table 6 assumes;
    /// `sin_cos` are those of the joints.
    #[inline(always)]
    pub fn torque_given(
        &self,
        position: Vec3<S>,
        acceleration: Vec3<S>,
        sin_cos: [(S, S); 3],
        qd: [S; 3],
        qdd: [S; 3],
    ) -> [S; 3] {
        let [position, acceleration] = map([position, acceleration], |v| self.turn(v));
        let (alpha, beta) = Self::skew(position);
        let [x, _, z] = position.0;
        let p1 = x - self.radius;
        let p = [p1, alpha.times(1.5) + p1, beta.times(1.5) + p1];
        let d: [S; 3] = three(|i| sin_cos[i].1 * self.la);
        let b: [S; 3] = three(|i| sin_cos[i].0 * self.la);
        let at = SymmetricPose {
            position,
            alpha,
            beta,
            h: [S::zero(); 3],
            w: three(|i| -(p[i] * b[i] + z * d[i])),
            d,
            b,
            a: three(|i| d[i] + self.radius),
            rise: three(|i| z + b[i]),
        };
        let skew = Self::skew(acceleration);
        let m1 = acceleration[0] * self.m_ca;
        let m2 = skew.0 * self.m_ca.times(1.5) + m1;
        self.torque_from(&at, &qd, &qdd, [m1, m2, -(m1 + m2)], skew, acceleration[2])
    }

    /// Torques that hold the robot still.
    #[inline(always)]
    pub fn gravity_torque(&self, position: Vec3<S>) -> [S; 3] {
        let at = self.pose(position);
        let [s1, s2, s3] = Self::rods(&at);
        // Only the vertical components of the cross products meet the weight.
        let area = |a: Vec3<S>, b: Vec3<S>| a[0] * b[1] - a[1] * b[0];
        let c = [area(s2, s3), area(s3, s1), area(s1, s2)];
        let scale = self.weight / (s1[2] * c[0] + s2[2] * c[1] + s3[2] * c[2]);
        three(|i| c[i] * scale * at.w[i] - at.d[i] * self.arm_weight)
    }

    /// Rods and e′ in the base frame turned to arm 1.
    #[inline(always)]
    fn orthogonal(at: &SymmetricPose<S>) -> [Vec3<S>; 3] {
        let [x, y, _] = at.position.0;
        let (h2, h3) = (at.a[1].times(0.5), at.a[2].times(0.5));
        let (g2, g3) = (at.a[1].times(ROOT_3 / 2.0), at.a[2].times(ROOT_3 / 2.0));
        [
            Vec3::new(x - at.a[0], y, at.rise[0]),
            Vec3::new(x + h2, y - g2, at.rise[1]),
            Vec3::new(x + h3, y + g3, at.rise[2]),
        ]
    }

    /// A multiple m of e′ in the same frame.
    #[inline(always)]
    fn driven(at: &SymmetricPose<S>, Multiple { whole: m, half, across }: Multiple<S>) -> [Vec3<S>; 3] {
        let down: [S; 3] = three(|i| -(at.d[i] * m));
        [
            Vec3::new(-(at.b[0] * m), S::zero(), down[0]),
            Vec3::new(at.b[1] * half, -(at.b[1] * across), down[1]),
            Vec3::new(at.b[2] * half, at.b[2] * across, down[2]),
        ]
    }

    /// v + e′-term of arm i; arm 1 has none across its plane.
    #[inline(always)]
    fn plus_driven(v: Vec3<S>, driven: Vec3<S>, i: usize) -> Vec3<S> {
        if i == 0 { Vec3::new(v[0] + driven[0], v[1], v[2] + driven[2]) } else { v + driven }
    }

    /// Platform acceleration under motor torques (friction already taken off): forward dynamics.
    #[inline(always)]
    pub fn acceleration(&self, position: Vec3<S>, velocity: Vec3<S>, torque: [S; 3]) -> Vec3<S> {
        self.acceleration_at(&self.pose(position), velocity, torque)
    }

    /// The second stage of [`Symmetric::acceleration`].
    #[inline(always)]
    pub fn acceleration_at(&self, at: &SymmetricPose<S>, velocity: Vec3<S>, torque: [S; 3]) -> Vec3<S> {
        let velocity = self.turn(velocity);
        let VelocityTerms { qd, inverse, square, turning } = Self::velocity(at, velocity);
        let rods = Self::orthogonal(at);
        // Everything is divided by I/2, so that M = m_t 1 + Σ (j cᵀ + c jᵀ) with c = j + m_ca e′.
        let Divided { m_ca, m_t, weight, arm_weight, per_half_inertia } = self.divided;
        let driven = Self::driven(at, m_ca);
        let j: [Vec3<S>; 3] = three(|i| rods[i] * inverse[i]);
        let c: [Vec3<S>; 3] = three(|i| Self::plus_driven(j[i], driven[i], i));
        let sum = |f: &dyn Fn(usize) -> S| f(0) + f(1) + f(2);
        let on = |k: usize| {
            let half = sum(&|i| j[i][k] * c[i][k]);
            half + half + m_t
        };
        // Arm 1 has c = j across its plane, which leaves one product of two.
        let off = |k: usize, l: usize| sum(&|i| j[i][k] * c[i][l] + c[i][k] * j[i][l]);
        let off_y = |k: usize| {
            let rest = |i: usize| j[i][1] * c[i][k] + c[i][1] * j[i][k];
            j[0][1] * (c[0][k] + j[0][k]) + rest(1) + rest(2)
        };
        // Right side: Σ j (τ − I κ/w + holding) − m_ca Σ (e′ κ/w + e″ q̇²) − weight.
        let drift: [S; 3] = three(|i| (square + turning[i]) * inverse[i]);
        let drive: [S; 3] = three(|i| torque[i] * per_half_inertia - (drift[i] + drift[i]) + at.d[i] * arm_weight);
        let qd_squared: [S; 3] = three(|i| qd[i] * qd[i]);
        let rad: [S; 3] = three(|i| at.b[i] * drift[i] + at.d[i] * qd_squared[i]);
        let ver: [S; 3] = three(|i| at.b[i] * qd_squared[i] - at.d[i] * drift[i]);
        let pushed = |k: usize| sum(&|i| j[i][k] * drive[i]);
        let right = Vec3::new(
            pushed(0) + (rad[0] * m_ca.whole - (rad[1] + rad[2]) * m_ca.half),
            pushed(1) + (rad[1] - rad[2]) * m_ca.across,
            pushed(2) - (ver[0] + ver[1] + ver[2]) * m_ca.whole - weight,
        );
        let solution = solve_symmetric([on(0), on(1), on(2)], [off_y(0), off(0, 2), off_y(2)], right);
        self.turn_back(solution)
    }

    /// Joint-space mass matrix.
    #[inline(always)]
    pub fn mass_matrix(&self, position: Vec3<S>) -> Mat3<S> {
        let at = self.pose(position);
        let [s1, s2, s3] = Self::orthogonal(&at);
        let (c1, c2, c3) = (s2.cross(s3), s3.cross(s1), s1.cross(s2));
        // K scaled by √(m_t/2): A = I 1 + K̂ᵀĤ + ĤᵀK̂ with Ĥ = K̂ + m_ca/√(m_t/2) e′.
        let scale = self.half_mass / s1.dot(c1);
        let k = [c1 * (scale * at.w[0]), c2 * (scale * at.w[1]), c3 * (scale * at.w[2])];
        let driven = Self::driven(&at, self.rooted_m_ca);
        let half: [Vec3<S>; 3] = three(|i| Self::plus_driven(k[i], driven[i], i));
        let on = |i: usize| {
            let product = k[i].dot(half[i]);
            product + product + self.inertia
        };
        let off = |i: usize, l: usize| k[i].dot(half[l]) + k[l].dot(half[i]);
        let (a12, a13, a23) = (off(0, 1), off(0, 2), off(1, 2));
        Mat3([Vec3::new(on(0), a12, a13), Vec3::new(a12, on(1), a23), Vec3::new(a13, a23, on(2))])
    }
}

impl<S: Scalar> SymmetricPose<S> {
    /// Its numbers, one after the other, for structures of arrays.
    #[inline(always)]
    pub fn store(&self, mut put: impl FnMut(usize, S)) {
        put(0, self.alpha);
        put(1, self.beta);
        let groups = [self.position.0, self.h, self.w, self.d, self.b, self.a, self.rise];
        for k in 0..7 {
            for i in 0..3 {
                put(2 + 3 * k + i, groups[k][i]);
            }
        }
    }

    /// The pose from the numbers of [`SymmetricPose::store`].
    #[inline(always)]
    pub fn load(mut get: impl FnMut(usize) -> S) -> Self {
        let (alpha, beta) = (get(0), get(1));
        let mut group = |k: usize| three(|i| get(2 + 3 * k + i));
        let position = Vec3(group(0));
        Self { alpha, beta, position, h: group(1), w: group(2), d: group(3), b: group(4), a: group(5), rise: group(6) }
    }
}

/// A symmetric positive definite 3 × 3 system: diagonal (11, 22, 33), upper triangle (12, 13, 23).
///
/// The third unknown by its Schur complement, times the determinant p of the leading block; then the first two. LDLᵀ would
/// take five operations less but three divisions that wait for each other; here two run side by side, and in a
/// simulation, where each evaluation waits for the last one, that is what counts.
#[inline(always)]
fn solve_symmetric<S: Scalar>(diagonal: [S; 3], upper: [S; 3], right: Vec3<S>) -> Vec3<S> {
    let [m11, m22, m33] = diagonal;
    let [m12, m13, m23] = upper;
    let [b1, b2, b3] = right.0;
    let p = m11 * m22 - m12 * m12;
    // The leading block's adjugate times the third column, and times the right side.
    let (u1, u2) = (m22 * m13 - m12 * m23, m11 * m23 - m12 * m13);
    let (w1, w2) = (m22 * b1 - m12 * b2, m11 * b2 - m12 * b1);
    let x3 = (p * b3 - (u1 * b1 + u2 * b2)) / (p * m33 - (u1 * m13 + u2 * m23));
    let inverse = S::one() / p;
    Vec3::new((w1 - u1 * x3) * inverse, (w2 - u2 * x3) * inverse, x3)
}

impl Delta<f64> {
    /// The fast path, if the robot is symmetric: equal arms with their centres of mass on the line motor axis–elbow,
    /// azimuths φ, φ + 120°, φ + 240°, gravity along the z axis.
    pub fn symmetric(&self) -> Option<Symmetric<f64>> {
        self.symmetric_lifted()
    }

    /// The same for another scalar.
    pub fn symmetric_lifted<S: Scalar>(&self) -> Option<Symmetric<S>> {
        let parameters = self.parameters();
        // There has to be inertia to divide by at the joints and at the platform.
        let fast = is_symmetric(parameters) && self.arms[0].inertia > 0.0 && self.platform_inertia > 0.0;
        fast.then(|| Symmetric::new(&parameters.lift(), parameters.arms[0].azimuth != Azimuth::ZERO))
    }
}

fn is_symmetric(parameters: &Parameters<f64>) -> bool {
    let [first, ..] = parameters.arms;
    let equal = parameters.arms.iter().all(|arm| super::ArmParameters { azimuth: first.azimuth, ..*arm } == first);
    let Azimuth { cos, sin } = first.azimuth;
    // Rounding of two sines and cosines, no more.
    let turned = |i: usize, across: f64| {
        let azimuth = parameters.arms[i].azimuth;
        let (c, s) = (-0.5 * cos - across * sin, across * cos - 0.5 * sin);
        (azimuth.cos - c).abs() < 1e-15 && (azimuth.sin - s).abs() < 1e-15
    };
    let upright = parameters.gravity[0] == 0.0 && parameters.gravity[1] == 0.0;
    equal && upright && !first.upper_arm.is_off_line() && turned(1, ROOT_3 / 2.0) && turned(2, -ROOT_3 / 2.0)
}
