//! Recursive Newton–Euler: inverse dynamics, gravity, base wrench.
//!
//! Luh, Walker and Paul's recursion (1980) about the joint frames' origins instead of the centres of mass, so that a link
//! is its mass m, first moment h = m c and inertia I about the origin. With p the next origin in the frame before,
//!
//! ```text
//! ω̇_i = down(ω̇_(i−1)) + down(ω_(i−1)) × z q̇ + z q̈           prismatic: only the first term                  (1)
//! a_i = down(a_(i−1) + ω̇ × p + ω × (ω × p))                  prismatic: + 2 ω_i × z q̇ + z q̈                 (2)
//! f_i = m a + ω̇ × h + ω × (ω × h) + up(f_(i+1))                                                              (3)
//! n_i = I ω̇ + ω × I ω + h × a + up(n_(i+1)) + p × up(f_(i+1))                                                (4)
//! τ_i = z·n_i (prismatic: z·f_i) + I_m q̈ + spring + friction                                                (5)
//! ```
//!
//! Gravity is an upward acceleration of the base. An armature that spins with momentum s q̇ in link k adds
//! s q̈ + ω_k × s q̇ to n_k and s·ω̇_k to its own joint's torque.

use super::kinematics::{Attached, Moving, Pose, cross_z, z};
use super::{Inertia, Joint, Link};
use crate::algebra::Vec3;
use crate::scalar::Scalar;
use crate::spatial::Wrench;

impl Joint {
    /// What the joint feels of a force and a moment.
    #[inline(always)]
    pub(crate) fn generalized_force<S: Scalar>(self, force: Vec3<S>, moment: Vec3<S>) -> S {
        match self {
            Self::Revolute => moment[2],
            Self::Prismatic => force[2],
        }
    }
}

impl<S: Scalar> Link<S> {
    /// What the joint feels of a force and a moment.
    #[inline(always)]
    pub(crate) fn generalized_force(&self, force: Vec3<S>, moment: Vec3<S>) -> S {
        self.joint.generalized_force(force, moment)
    }
}

/// How a link moves, in the frame of its joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion<S> {
    pub omega: Vec3<S>,
    pub omega_dot: Vec3<S>,
    /// Of the joint frame's origin.
    pub acceleration: Vec3<S>,
}

impl<S: Scalar> Motion<S> {
    /// (1) and (2): how the next link moves.
    #[inline(always)]
    pub fn down(&self, pose: &impl Attached<S>, joint: Joint, omega: Vec3<S>, [qd, qdd]: [S; 2]) -> Self {
        S::step(|| {
            let p = pose.p();
            let shifted = self.acceleration + self.omega_dot.cross(p) + self.omega.cross(self.omega.cross(p));
            let mut acceleration = pose.down(shifted);
            let mut omega_dot = pose.down(self.omega_dot);
            match joint {
                // ω × z q̇ is the same before and after z q̇ is added to ω.
                Joint::Revolute => omega_dot = omega_dot + cross_z(omega, qd) + z(qdd),
                Joint::Prismatic => acceleration = acceleration + cross_z(omega, qd.times(2.0)) + z(qdd),
            }
            Self { omega, omega_dot, acceleration }
        })
    }

    /// (3) and (4) without what hangs on the link: the force and the moment that its body asks for.
    #[inline(always)]
    pub fn asks_of(&self, body: &Inertia<S>) -> (Vec3<S>, Vec3<S>) {
        S::step(|| {
            let (m, h) = (body.mass, body.moment);
            let Self { omega, omega_dot, acceleration } = *self;
            let force = acceleration * m + omega_dot.cross(h) + omega.cross(omega.cross(h));
            let moment = body.inertia * omega_dot + omega.cross(body.inertia * omega) + h.cross(acceleration);
            (force, moment)
        })
    }
}

impl<S: Scalar, const N: usize> Moving<'_, S, N> {
    /// Torques for joint accelerations, friction included, N m (prismatic: N).
    #[inline(always)]
    pub fn torque(&self, qdd: [S; N]) -> [S; N] {
        self.with_friction(self.rigid_torque(qdd))
    }

    /// Torques while the environment pushes with `wrench` on the tool, friction included, N m.
    #[inline(always)]
    pub fn torque_under(&self, qdd: [S; N], wrench: Wrench<S>) -> [S; N] {
        let carried = self.pose.jacobian().transpose_times(wrench);
        let torque = self.torque(qdd);
        core::array::from_fn(|i| torque[i] - carried[i])
    }

    /// (1)–(5) without friction.
    #[inline(always)]
    pub fn rigid_torque(&self, qdd: [S; N]) -> [S; N] {
        self.pose.with_springs(self.newton_euler(qdd, -self.pose.robot.gravity()).0)
    }

    /// Friction at the joints, N m.
    #[inline(always)]
    pub fn friction(&self) -> [S; N] {
        core::array::from_fn(|i| self.pose.robot.links[i].friction.map_or(S::zero(), |f| f.torque(self.qd[i])))
    }

    #[inline(always)]
    fn with_friction(&self, torque: [S; N]) -> [S; N] {
        core::array::from_fn(|i| match self.pose.robot.links[i].friction {
            Some(friction) => torque[i] + friction.torque(self.qd[i]),
            None => torque[i],
        })
    }

    /// Torque that the velocity asks for: C(q, q̇) q̇, N m.
    #[inline(always)]
    pub fn coriolis(&self) -> [S; N] {
        self.newton_euler([S::zero(); N], Vec3::zero()).0
    }

    /// What the base has to supply to hold the moving arm: force and moment about the base's origin, base frame.
    #[inline(always)]
    pub fn base_wrench(&self, qdd: [S; N]) -> Wrench<S> {
        self.newton_euler(qdd, -self.pose.robot.gravity()).1
    }

    /// (1)–(5) with the base accelerating, and the wrench at the base.
    #[inline(always)]
    fn newton_euler(&self, qdd: [S; N], base: Vec3<S>) -> ([S; N], Wrench<S>) {
        let (pose, qd) = (&self.pose, &self.qd);
        let links = &pose.robot.links;
        let (mut force, mut moment) = ([Vec3::zero(); N], [Vec3::zero(); N]);
        let mut turning = [Vec3::zero(); N];
        let mut motion = Motion { omega: Vec3::zero(), omega_dot: Vec3::zero(), acceleration: base };
        for i in 0..N {
            motion = motion.down(&pose.joints[i], links[i].joint, self.omega[i], [qd[i], qdd[i]]);
            turning[i] = motion.omega_dot;
            (force[i], moment[i]) = motion.asks_of(&links[i].inertia);
        }
        let mut torque = [S::zero(); N];
        let mut wrench = Wrench::zero();
        for i in 0..N {
            let Some(spin) = links[i].spin else { continue };
            let change = spin.momentum * qdd[i];
            match spin.carrier {
                Some(k) => {
                    moment[k] = moment[k] + change + self.omega[k].cross(spin.momentum * qd[i]);
                    torque[i] = spin.momentum.dot(turning[k]);
                }
                None => wrench.moment = wrench.moment + change,
            }
        }
        for i in (0..N).rev() {
            let (joint, link) = (&pose.joints[i], &links[i]);
            torque[i] = torque[i] + link.generalized_force(force[i], moment[i]) + link.motor * qdd[i]; // (5)
            let (f, n) = joint.wrench_up(force[i], moment[i]);
            if i == 0 {
                wrench = Wrench { force: f, moment: wrench.moment + n };
            } else {
                force[i - 1] = force[i - 1] + f;
                moment[i - 1] = moment[i - 1] + n;
            }
        }
        (torque, wrench)
    }
}

impl<S: Scalar, const N: usize> Pose<'_, S, N> {
    /// Springs and counterbalances of the joints added to torques.
    #[inline(always)]
    fn with_springs(&self, torque: [S; N]) -> [S; N] {
        core::array::from_fn(|i| match self.robot.links[i].spring {
            Some(spring) => torque[i] + spring.torque(self.q[i]),
            None => torque[i],
        })
    }

    /// Torques that hold the arm still, springs included, N m.
    ///
    /// The weight and first moment of what hangs at each joint: τ_i = −z·(h × g) or −z·m g.
    #[inline(always)]
    pub fn gravity_torque(&self) -> [S; N] {
        let links = &self.robot.links;
        let mut gravity = [Vec3::zero(); N];
        let mut down = self.robot.gravity();
        for i in 0..N {
            down = self.joints[i].down(down);
            gravity[i] = down;
        }
        let mut torque = [S::zero(); N];
        let (mut mass, mut moment) = (S::zero(), Vec3::zero());
        for i in (0..N).rev() {
            mass = mass + links[i].inertia.mass;
            moment = moment + links[i].inertia.moment;
            torque[i] = match links[i].joint {
                Joint::Revolute => moment[1] * gravity[i][0] - moment[0] * gravity[i][1],
                Joint::Prismatic => -(mass * gravity[i][2]),
            };
            moment = self.joints[i].up(moment) + self.joints[i].p * mass;
        }
        self.with_springs(torque)
    }
}
