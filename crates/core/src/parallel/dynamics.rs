//! Rigid-body dynamics by virtual work, without approximation: Codourey 1998, (1)–(5) and (14)–(23).
//!
//! A leg's bodies are known by how its two ends move: the near end by the motor, q, and the far one, P, by the platform. What
//! they resist with is a moment n at the motor and a force F at the platform joint,
//!
//! ```text
//! rod     n = I q̈ + m_ca C′·P̈ − m C′·g                      F = m_ca (C′ q̈ + C″ q̇²) + [m_aa P̈ − m_g g]          (1)
//! strut   n = I q̈ − u·y                                       F = y − m c ü + [m P̈ − m g]                          (2)
//!         y = ((A + m c²) ü − m c P̈ − (μ − m c) g)/q
//! ```
//!
//! with I the inertia at the motor of arm or carriage, rotor and near end; for a strut u = s/q its direction, A the inertia that
//! turns with it, μ the cylinder's first moment, m and c mass and centre of the piston. What stands in brackets is a mass at a joint of the
//! platform and is counted with it, once for all motions. Forces f_i along the rods,
//! f_i = λ_i s_i, carry what the platform and the far ends need to the motors:
//!
//! ```text
//! Σ λ_i (s_i, r_i × s_i) = Σ (F_i, r_i × F_i) + (m ẍ + T h − m_g g, I α + ω × I ω + h × ẍ − h_g × g) − wrench       (3)
//! τ_i = n_i + w_i λ_i                                                                                           (4)
//! ```
//!
//! with mass m, first moment h and inertia I about the platform's origin and T r = α × r + ω × (ω × r).
//! (3) and (4) are Codourey's (16)–(23), with q̇ = J (v, ω) written out as J = W⁻¹ B. In the platform's coordinates, with
//! j_i = (s, r × s)/w and c_i = (C′, r × C′),
//!
//! ```text
//! M = M_platform + Σ [I j jᵀ + m_ca (j cᵀ + c jᵀ) + m_aa P′ᵀP′]          (of a strut I and m_aa depend on q)         (5)
//! ```
//!
//! Every term of (1)–(3) that comes from a velocity is bilinear: once the velocity that turns the Jacobians, once the one that
//! they are applied to. With unit twists for the second it is the matrix C for which Ṁ − 2C is skew.

use super::kinematics::{at_lever, freedoms, twist};
use super::{Guide, Moving, Pose, QrFactors, TwistAtLegs};
use crate::algebra::{Mat3, Sym3, Vec3, difference, dot, solve, sum};
use crate::array::{from_fn, map};
use crate::scalar::Scalar;
use crate::spatial::{Twist, Wrench};

/// Generalized inertial and gravity loads of the bodies.
#[derive(Clone, Copy, Debug)]
pub struct LegLoads<S, const N: usize> {
    /// n of (1) and (2), N m (N).
    pub moments: [S; N],
    /// F of (1) and (2) without what stands in brackets there, N.
    pub far: [Vec3<S>; N],
    /// The right-hand side of (3).
    pub platform: Wrench<S>,
}

/// What a leg weighs in the platform's coordinates: I, m_ca and m_aa of (5), but for what is counted with the platform.
#[derive(Clone, Copy)]
struct Share<S> {
    inertia: S,
    m_ca: Option<S>,
    m_aa: Option<S>,
}

impl<S: Scalar, const N: usize> Pose<'_, S, N> {
    #[inline(always)]
    fn share(&self, i: usize) -> Share<S> {
        let leg = &self.robot.legs[i];
        match leg.guide {
            // T = ½ m (q̇ u + (q − c) u̇)² + ½ A u̇² with q u̇ = Ṗ − u q̇.
            Guide::Strut { turning, piston, center, .. } => {
                let [q, inverse] = self.legs[i].joint;
                let across = (turning + piston * (q - center).square()) * inverse.square();
                let less = piston - across;
                Share { inertia: leg.inertia + less, m_ca: None, m_aa: Some(-less) }
            }
            _ => Share { inertia: leg.inertia, m_ca: Some(leg.m_ca), m_aa: None },
        }
    }

    /// Mass matrix in the platform's coordinates (v, ω), (5).
    #[inline(always)]
    pub fn platform_mass_matrix(&self) -> [[S; N]; N] {
        let body = &self.robot.carried;
        // What moves like the platform: mass, first moment, inertia about its origin.
        let mut mass = body.mass;
        let (mut moment, mut inertia) = (Vec3::zero(), Sym3::zero());
        if N > 3 {
            moment = self.tool.rotation * body.moment;
            inertia = body.inertia.turned(self.tool.rotation);
        }
        let mut m = [[S::zero(); N]; N];
        for i in 0..N {
            let (leg, Share { inertia: own, m_ca, m_aa }) = (&self.legs[i], self.share(i));
            let j = map(self.row(i), |x| x * leg.inverse);
            let mut a: [S; N] = from_fn(|k| j[k] * own);
            if let Some(m_ca) = m_ca {
                let c: [S; N] = freedoms(leg.tangent * m_ca, || leg.lever.cross(leg.tangent * m_ca));
                a = sum(a, c);
                for (k, row) in m.iter_mut().enumerate() {
                    for (l, entry) in row.iter_mut().enumerate().take(k + 1) {
                        *entry = *entry + j[k] * c[l];
                    }
                }
            }
            for (k, row) in m.iter_mut().enumerate() {
                for (l, entry) in row.iter_mut().enumerate().take(k + 1) {
                    *entry = *entry + a[k] * j[l];
                }
            }
            if let Some(m_aa) = m_aa {
                mass = mass + m_aa;
                if N > 3 {
                    moment = moment + leg.lever * m_aa;
                    inertia = inertia + Sym3::point_mass(leg.lever) * m_aa;
                }
            }
        }
        for (k, row) in m.iter_mut().enumerate().take(3) {
            row[k] = row[k] + mass;
        }
        if N > 3 {
            // Momentum m v + ω × h and h × v + I ω with the first moment h.
            let cross = Mat3::skew(moment);
            let full = inertia.full();
            for k in 0..3 {
                for l in 0..3 {
                    m[3 + k][l] = m[3 + k][l] + cross[k][l];
                    if l <= k {
                        m[3 + k][3 + l] = m[3 + k][3 + l] + full[k][l];
                    }
                }
            }
        }
        from_fn(|k| from_fn(|l| if l <= k { m[k][l] } else { m[l][k] }))
    }

    /// The columns of K: the platform's twist for a unit speed of each joint.
    #[inline(always)]
    pub fn columns(&self, factors: &QrFactors<S, N>) -> [[S; N]; N] {
        from_fn(|i| {
            let mut unit = [S::zero(); N];
            unit[i] = self.legs[i].transmission;
            factors.solve(unit)
        })
    }

    /// Mass matrix in joint coordinates, A = Kᵀ M K.
    #[inline(always)]
    pub fn mass_matrix(&self, factors: &QrFactors<S, N>) -> [[S; N]; N] {
        let columns = self.columns(factors);
        let mass = self.platform_mass_matrix();
        let moved: [[S; N]; N] = map(columns, |column| map(mass, |row| dot(row, column)));
        let mut matrix = [[S::zero(); N]; N];
        for i in 0..N {
            for j in 0..=i {
                matrix[i][j] = dot(columns[i], moved[j]);
                matrix[j][i] = matrix[i][j];
            }
        }
        matrix
    }

    /// Torques that carry a wrench at the platform, Kᵀ (f, m).
    #[inline(always)]
    pub fn torque_of_wrench(&self, factors: &QrFactors<S, N>, wrench: Wrench<S>) -> [S; N] {
        let lambda = factors.solve_transposed(freedoms(wrench.force, || wrench.moment));
        from_fn(|i| lambda[i] * self.legs[i].transmission)
    }

    /// Torques that hold the robot still, N m (N).
    #[inline(always)]
    pub fn gravity_torque(&self, factors: &QrFactors<S, N>) -> [S; N] {
        let g = self.robot.gravity();
        let mut moments = [S::zero(); N];
        let mut total = self.platform_weight();
        for i in 0..N {
            let (n, far) = self.leg_weight(i, g);
            moments[i] = -n;
            if let Some(far) = far {
                total.force = total.force + far;
                if N > 3 {
                    total.moment = total.moment + self.legs[i].lever.cross(far);
                }
            }
        }
        let held = Wrench { force: -total.force, moment: -total.moment };
        sum(moments, self.torque_of_wrench(factors, held))
    }

    /// What gravity pulls the platform with.
    #[inline(always)]
    fn platform_weight(&self) -> Wrench<S> {
        let (body, g) = (&self.robot.carried, self.robot.gravity());
        let moment = if N > 3 { (self.tool.rotation * body.weight_moment).cross(g) } else { Vec3::zero() };
        Wrench { force: g * body.weight, moment }
    }

    /// What gravity pulls a leg with: at the motor, and at the platform joint beside what is counted with the platform.
    #[inline(always)]
    fn leg_weight(&self, i: usize, g: Vec3<S>) -> (S, Option<Vec3<S>>) {
        let (leg, pose) = (&self.robot.legs[i], &self.legs[i]);
        match leg.guide {
            Guide::Strut { moment, .. } => {
                let turning = g * (moment * pose.inverse);
                (-(pose.rod.dot(turning) * pose.inverse), Some(turning))
            }
            _ => (leg.weight * pose.tangent.dot(g), None),
        }
    }

    /// Kinetic energy while the platform moves with `twist` and the motors with `qd`, which fit together where it means anything, J:
    /// Codourey (6)–(13) for the rods, T = ½ (m + rotor) q̇² + ½ (A + m (q − c)²) |u̇|² for a strut.
    pub fn kinetic_energy_of(&self, twist: Twist<S>, qd: [S; N]) -> S {
        let body = &self.robot.carried;
        let v = twist.linear;
        let mut twice = v.norm_squared() * body.mass;
        if N > 3 {
            let spin = self.tool.rotation.transpose() * twist.angular;
            let turning = twist.angular.cross(self.tool.rotation * body.moment);
            twice = twice + (body.inertia * spin).dot(spin) + v.dot(turning).times(2.0);
        }
        for i in 0..N {
            let (leg, pose) = (&self.robot.legs[i], &self.legs[i]);
            let velocity = at_lever::<S, N>(&twist, pose.lever);
            twice = twice
                + match leg.guide {
                    Guide::Strut { turning, piston, center, .. } => {
                        let [q, inverse] = pose.joint;
                        let along = velocity.dot(pose.rod) * inverse;
                        let across = (velocity.norm_squared() - along.square()) * inverse.square();
                        // The piston's mass is counted at its joint.
                        let turned =
                            (turning + piston * (q - center).square()) * across - velocity.norm_squared() * piston;
                        (leg.inertia + piston) * qd[i].square() + turned
                    }
                    _ => (leg.inertia * qd[i] + (pose.tangent.dot(velocity) * leg.m_ca).times(2.0)) * qd[i],
                };
        }
        twice.times(0.5)
    }

    /// Potential energy but for a constant, J.
    pub fn potential_energy(&self) -> S {
        let g = self.robot.gravity();
        let body = &self.robot.carried;
        let center = if N > 3 { self.tool.rotation * body.weight_moment } else { body.weight_moment };
        let mut energy = -(g.dot(self.tool.origin * body.weight + center));
        for i in 0..N {
            let (leg, pose, base) = (&self.robot.legs[i], &self.legs[i], self.robot.parameters().legs[i].base);
            energy = energy
                - match leg.guide {
                    Guide::Strut { moment, .. } => g.dot(pose.rod) * pose.joint[1] * moment,
                    _ => g.dot(self.near(i) - base) * leg.weight,
                };
        }
        energy
    }
}

impl<S: Scalar, const N: usize> Moving<'_, S, N> {
    /// (1)–(3) in accelerations `rate`, with the velocity terms of `along`, which is the velocity itself unless the columns of
    /// C are asked for. `gravity` is that of the robot, or none.
    #[inline(always)]
    pub fn loads(
        &self,
        rate: Twist<S>,
        along: &TwistAtLegs<S, N>,
        gravity: Vec3<S>,
        wrench: Wrench<S>,
    ) -> LegLoads<S, N> {
        let (pose, body) = (&self.pose, &self.pose.robot.carried);
        let (mut moments, mut far) = ([S::zero(); N], [Vec3::zero(); N]);
        let mut platform = Wrench { force: -wrench.force, moment: -wrench.moment };
        platform.force = platform.force + rate.linear * body.mass - gravity * body.weight;
        let rates = self.rates(&rate, along);
        if N > 3 {
            // In the platform's own axes its inertia is constant.
            let rotation = pose.tool.rotation;
            let back = rotation.transpose();
            let [turn, spin, other] =
                map([rate.angular, self.velocity.twist.angular, along.twist.angular], |vector| back * vector);
            let inertial = body.inertia * turn + spin.cross(body.inertia * other);
            let (h, weight) = (rotation * body.moment, rotation * body.weight_moment);
            platform.force = platform.force + rates.turn * h;
            platform.moment = platform.moment + rotation * inertial + h.cross(rate.linear) - weight.cross(gravity);
        }
        for i in 0..N {
            let (leg, at, other) = (&pose.robot.legs[i], &pose.legs[i], &along.legs[i]);
            let (own, (point_rate, qdd)) = (&self.velocity.legs[i], self.leg_rate(i, &rates, along));
            let force;
            match leg.guide {
                Guide::Strut { whole, moment, coupling, .. } => {
                    let inverse = at.inverse;
                    let u = at.rod * inverse;
                    // q u̇_U + u q̇_U = U_P, and its rate.
                    let turn = (own.point - u * own.joint) * inverse;
                    let others = (other.point - u * other.joint) * inverse;
                    let turn_rate = (point_rate - u * qdd - turn * other.joint - others * own.joint) * inverse;
                    let y = (turn_rate * whole - point_rate * coupling - gravity * moment) * inverse;
                    moments[i] = leg.inertia * qdd - u.dot(y);
                    force = y - turn_rate * coupling;
                }
                _ => {
                    moments[i] = leg.inertia * qdd + at.tangent.dot(point_rate * leg.m_ca - gravity * leg.weight);
                    force = at.tangent * (qdd * leg.m_ca) + at.curvature * (own.joint * other.joint * leg.m_ca);
                }
            }
            far[i] = force;
            platform.force = platform.force + force;
            if N > 3 {
                platform.moment = platform.moment + at.lever.cross(force);
            }
        }
        LegLoads { moments, far, platform }
    }

    /// (4): torques for loads.
    #[inline(always)]
    fn carried(&self, factors: &QrFactors<S, N>, loads: &LegLoads<S, N>) -> [S; N] {
        sum(loads.moments, self.pose.torque_of_wrench(factors, loads.platform))
    }

    /// Loads in the platform's coordinates: Jᵀ n + (F, M).
    #[inline(always)]
    fn collected(&self, loads: &LegLoads<S, N>) -> [S; N] {
        let mut all: [S; N] = freedoms(loads.platform.force, || loads.platform.moment);
        for i in 0..N {
            let share = loads.moments[i] * self.pose.legs[i].inverse;
            for (sum, x) in all.iter_mut().zip(self.pose.row(i)) {
                *sum = *sum + x * share;
            }
        }
        all
    }

    /// Torques for an acceleration of the platform while the environment pushes with `wrench` on it, without friction.
    #[inline(always)]
    pub fn rigid_torque(&self, factors: &QrFactors<S, N>, acceleration: Twist<S>, wrench: Wrench<S>) -> [S; N] {
        let loads = self.loads(acceleration, &self.velocity, self.pose.robot.gravity(), wrench);
        self.carried(factors, &loads)
    }

    /// The same with friction: inverse dynamics.
    #[inline(always)]
    pub fn torque(&self, acceleration: Twist<S>, wrench: Wrench<S>) -> [S; N] {
        sum(self.rigid_torque(&self.pose.factors(), acceleration, wrench), self.friction_torque())
    }

    /// Friction at the motors, N m (N).
    #[inline(always)]
    pub fn friction_torque(&self) -> [S; N] {
        let mut torque = [S::zero(); N];
        for i in 0..N {
            if let Some(friction) = &self.pose.robot.parameters().legs[i].motor.friction {
                torque[i] = friction.torque(self.velocity.legs[i].joint);
            }
        }
        torque
    }

    /// The platform's acceleration under motor torques while the environment pushes with `wrench` on it: forward dynamics.
    #[inline(always)]
    pub fn acceleration(&self, torque: [S; N], wrench: Wrench<S>) -> Twist<S> {
        let driving = difference(torque, self.friction_torque());
        let mut loads = self.loads(Twist::zero(), &self.velocity, self.pose.robot.gravity(), wrench);
        loads.moments = difference(loads.moments, driving);
        let missing = map(self.collected(&loads), |x| -x);
        twist(solve(self.pose.platform_mass_matrix(), missing).0)
    }

    /// C of M (v̇, ω̇) + C (v, ω) + G = Jᵀ τ: the factorisation with Ṁ − 2C skew.
    pub fn platform_coriolis_matrix(&self) -> [[S; N]; N] {
        let columns: [[S; N]; N] = from_fn(|k| {
            let unit = twist::<S, N>(from_fn(|l| if l == k { S::one() } else { S::zero() }));
            let along = self.pose.along(unit);
            self.collected(&self.loads(Twist::zero(), &along, Vec3::zero(), Wrench::zero()))
        });
        from_fn(|i| from_fn(|j| columns[j][i]))
    }

    /// G: the gravity load in the platform's coordinates.
    pub fn platform_gravity(&self) -> [S; N] {
        let still = self.pose.moving(Twist::zero());
        still.collected(&still.loads(Twist::zero(), &still.velocity, self.pose.robot.gravity(), Wrench::zero()))
    }

    /// The forces of the legs on the platform at its joints, N.
    pub fn leg_forces(&self, acceleration: Twist<S>, wrench: Wrench<S>) -> [Vec3<S>; N] {
        let loads = self.loads(acceleration, &self.velocity, self.pose.robot.gravity(), wrench);
        let lambda = self.pose.factors().solve_transposed(freedoms(loads.platform.force, || loads.platform.moment));
        let (rates, gravity) = (self.rates(&acceleration, &self.velocity), self.pose.robot.gravity());
        from_fn(|i| {
            let leg = &self.pose.robot.legs[i];
            let own = self.leg_rate(i, &rates, &self.velocity).0 * leg.m_aa - gravity * leg.far_weight;
            self.pose.legs[i].rod * lambda[i] - loads.far[i] - own
        })
    }

    /// Kinetic energy, J.
    pub fn kinetic_energy(&self) -> S {
        self.pose.kinetic_energy_of(self.velocity.twist, self.joint_velocity())
    }
}
