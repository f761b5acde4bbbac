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
//! τ_i = z·n_i (prismatic: z·f_i) + I_m q̈ + spring + friction           (a motor of several joints: coupling.rs) (5)
//! ```
//!
//! Gravity is an upward acceleration of the base. An armature that spins with momentum s q̇ in link k adds
//! s q̈ + ω_k × s q̇ to n_k and s·ω̇_k to its own joint's torque.

use super::kinematics::{Attached, Links, Moving, MovingOf, PoseOf, cross_z, z};
use super::{Inertia, Joint, add_friction};
use crate::algebra::{Vec3, difference};
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

/// What the recursion keeps of a link: its angular and linear acceleration, and the force and the moment that it asks for.
pub(crate) type LinkLoad<S> = [Vec3<S>; 4];

impl<S: Scalar, R: Links<S>, Q: AsRef<[S]>> PoseOf<'_, S, R, Q> {
    /// Torques that hold the links still, springs included, N m (prismatic: N): of the weight and the first moment of what hangs at each joint,
    /// τ_i = −z·(h × g) or −z·m g.
    #[inline(always)]
    pub fn gravity_torque(&self) -> R::PerJoint<S> {
        let robot = self.robot;
        // Mass, first moment and gravity in the frame of each joint.
        let mut hanging = robot.list((S::zero(), Vec3::zero(), Vec3::zero()));
        let mut torques = robot.list(S::zero());
        let (hanging, torque) = (hanging.as_mut(), torques.as_mut());
        let (links, n) = (robot.links(), hanging.len());
        let mut down = robot.base_gravity();
        for i in 0..n {
            down = self.step(i).down(robot.before(i, down, robot.base_gravity(), |parent| hanging[parent].2));
            hanging[i] = (links[i].inertia.mass, links[i].inertia.moment, down);
        }
        for i in (0..n).rev() {
            let (mass, moment, gravity) = hanging[i];
            torque[i] = match links[i].joint {
                Joint::Revolute => moment[1] * gravity[0] - moment[0] * gravity[1],
                Joint::Prismatic => -(mass * gravity[2]),
            };
            if let Some(parent) = robot.parent(i) {
                let step = self.step(i);
                let (before, about, _) = &mut hanging[parent];
                *about = *about + (step.up(moment) + step.p() * mass);
                *before = *before + mass;
            }
        }
        self.add_springs(torque);
        torques
    }

    /// Adds what springs and counterbalances ask of the motors.
    #[inline(always)]
    fn add_springs(&self, torque: &mut [S]) {
        for i in 0..torque.len() {
            if let Some(spring) = self.robot.links()[i].spring {
                torque[i] = torque[i] + spring.torque(self.q.as_ref()[i]);
            }
        }
    }
}

impl<S: Scalar, R: Links<S>, Q: AsRef<[S]>> MovingOf<'_, S, R, Q> {
    /// (1)–(5) without friction and springs, with the base accelerating: the torques and the wrench at the base.
    #[inline(always)]
    pub(crate) fn newton_euler(&self, qdd: &[S], base: Vec3<S>) -> (R::PerJoint<S>, Wrench<S>) {
        let (pose, robot) = (&self.pose, self.pose.robot);
        let (qd, omega) = (self.qd.as_ref(), self.omega.as_ref());
        let (mut loads, mut torques) = (robot.list([Vec3::zero(); 4]), robot.list(S::zero()));
        let (loads, torque): (&mut [LinkLoad<S>], _) = (loads.as_mut(), torques.as_mut());
        let (links, n) = (robot.links(), loads.len());
        let still = Motion { omega: Vec3::zero(), omega_dot: Vec3::zero(), acceleration: base };
        let mut motion = still;
        for i in 0..n {
            let before = robot.before(i, motion, still, |parent| {
                let [omega_dot, acceleration, ..] = loads[parent];
                Motion { omega: omega[parent], omega_dot, acceleration }
            });
            motion = before.down(pose.step(i), links[i].joint, omega[i], [qd[i], qdd[i]]);
            let (force, moment) = motion.asks_of(&links[i].inertia);
            loads[i] = [motion.omega_dot, motion.acceleration, force, moment];
        }
        let mut wrench = Wrench::zero();
        for i in 0..n {
            let Some(spin) = links[i].spin else { continue };
            let change = spin.momentum * qdd[i];
            match spin.carrier {
                Some(k) => {
                    let [omega_dot, .., moment] = &mut loads[k];
                    *moment = *moment + change + omega[k].cross(spin.momentum * qd[i]);
                    torque[i] = spin.momentum.dot(*omega_dot);
                }
                None => wrench.moment = wrench.moment + change,
            }
        }
        for i in (0..n).rev() {
            let [.., force, moment] = loads[i];
            let rotor = links[i].motor * links[i].motor_rate(i, qdd);
            torque[i] = torque[i] + links[i].joint.generalized_force(force, moment) + rotor; // (5)
            links[i].couple(rotor, torque);
            let (force, moment) = pose.step(i).wrench_up(force, moment);
            match robot.parent(i) {
                Some(parent) => {
                    let [.., before, about] = &mut loads[parent];
                    (*before, *about) = (*before + force, *about + moment);
                }
                None => wrench = Wrench { force: wrench.force + force, moment: wrench.moment + moment },
            }
        }
        (torques, wrench)
    }

    /// (1)–(5) without friction.
    #[inline(always)]
    pub(crate) fn rigid_torque_at(&self, qdd: &[S]) -> R::PerJoint<S> {
        let (mut torque, _) = self.newton_euler(qdd, -self.pose.robot.base_gravity());
        self.pose.add_springs(torque.as_mut());
        torque
    }

    /// The same with friction, which the motors have to supply.
    #[inline(always)]
    pub(crate) fn torque_at(&self, qdd: &[S]) -> R::PerJoint<S> {
        let mut torque = self.rigid_torque_at(qdd);
        self.add_friction(torque.as_mut());
        torque
    }

    #[inline(always)]
    pub(crate) fn add_friction(&self, torque: &mut [S]) {
        add_friction(self.pose.robot.links(), self.qd.as_ref(), torque);
    }

    /// Torque that the velocity asks for: C(q, q̇) q̇, N m.
    #[inline(always)]
    pub fn coriolis(&self) -> R::PerJoint<S> {
        self.newton_euler(self.pose.robot.list(S::zero()).as_ref(), Vec3::zero()).0
    }
}

impl<S: Scalar, const N: usize> Moving<'_, S, N> {
    /// Torques for joint accelerations, friction included, N m (prismatic: N).
    #[inline(always)]
    pub fn torque(&self, qdd: [S; N]) -> [S; N] {
        self.torque_at(&qdd)
    }

    /// Torques while the environment pushes with `wrench` on the tool, friction included, N m.
    #[inline(always)]
    pub fn torque_under(&self, qdd: [S; N], wrench: Wrench<S>) -> [S; N] {
        let carried = self.pose.torque_of_wrench(wrench);
        difference(self.torque(qdd), carried)
    }

    /// What the base has to supply to hold the moving arm: force and moment about the base's origin, base frame.
    #[inline(always)]
    pub fn base_wrench(&self, qdd: [S; N]) -> Wrench<S> {
        self.newton_euler(&qdd, -self.pose.robot.base_gravity()).1
    }
}
