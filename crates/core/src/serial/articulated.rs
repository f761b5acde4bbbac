//! Forward dynamics.
//!
//! Featherstone's articulated bodies (1983), in the joint frames and with ordinary accelerations of their origins: the
//! arm from link i on, with its joints free, feels to link i like
//!
//! ```text
//! n = I ω̇ + H a + n₀,   f = Hᵀ ω̇ + M a + f₀                                                                  (1)
//! U = column of (1) along the joint,  D = its entry there + I_m,  u = τ − bias there                         (2)
//! (1) without what the free joint takes: minus U Uᵀ/D, plus U u/D                                            (3)
//! in the frame before: M' = M, H' = H + [p]× M, I' = I − H [p]× + [p]× Hᵀ − [p]× M [p]×, all turned          (4)
//! q̈ = (u − U·acceleration)/D                                                                                (5)
//! ```

use super::kinematics::{Attached, Links, Moving, MovingOf, cross_z, crossed, z};
use super::{Inertia, Joint};
use crate::algebra::{Mat3, Sym3, Vec3, solve_in_place, sum, three};
use crate::scalar::Scalar;
use crate::spatial::Wrench;

/// An articulated body, (1).
#[derive(Clone, Copy, Debug)]
struct Articulated<S> {
    inertia: Sym3<S>,
    coupling: Mat3<S>,
    mass: Sym3<S>,
    moment: Vec3<S>,
    force: Vec3<S>,
}

/// What a joint leaves of the body that hangs on it, (2).
#[derive(Clone, Copy, Debug)]
struct Freed<S> {
    /// U: its moment and its force.
    pub column: (Vec3<S>, Vec3<S>),
    /// D.
    pub pivot: S,
    /// u.
    pub rest: S,
}

impl<S: Scalar> Articulated<S> {
    /// (3), then (4), for a body whose bias already holds what comes from `c`.
    #[inline(always)]
    pub fn up(self, joint: &impl Attached<S>) -> Self {
        S::step(|| {
            let (inertia, mass) = (joint.tensor_up(self.inertia), joint.tensor_up(self.mass));
            // R H Rᵀ: columns up, then rows up.
            let half = Mat3(three(|i| joint.up(self.coupling[i]))).transpose();
            let coupling = Mat3(three(|i| joint.up(half[i]))).transpose();
            let p = Mat3::skew(joint.p());
            let shifted = coupling + p.product(mass.full());
            // [p]× Hᵀ − H [p]× − [p]× M [p]× = X + Xᵀ-like: with S = H' = H + [p]×M it is [p]× Hᵀ − S [p]×.
            let full = inertia.full() + p.product(coupling.transpose()) - shifted.product(p);
            let (force, moment) = joint.wrench_up(self.force, self.moment);
            Self {
                inertia: Sym3::new([full[0][0], full[1][1], full[2][2], full[0][1], full[1][2], full[0][2]]),
                coupling: shifted,
                mass,
                moment,
                force,
            }
        })
    }

    /// A link that turns with ω, alone.
    #[inline(always)]
    pub fn of_link(body: &Inertia<S>, w: Vec3<S>) -> Self {
        S::step(|| Self {
            inertia: body.inertia,
            coupling: Mat3::skew(body.moment),
            mass: Sym3::diagonal(body.mass),
            moment: w.cross(body.inertia * w),
            force: w.cross(w.cross(body.moment)),
        })
    }

    /// (2) under a motor's torque and with its inertia.
    #[inline(always)]
    pub fn at_joint(&self, joint: Joint, torque: S, motor: S) -> Freed<S> {
        let (n, f) = match joint {
            Joint::Revolute => (Vec3([self.inertia.xz, self.inertia.yz, self.inertia.zz]), self.coupling[2]),
            Joint::Prismatic => {
                (Vec3::from_fn(|k| self.coupling[k][2]), Vec3([self.mass.xz, self.mass.yz, self.mass.zz]))
            }
        };
        let rest = torque - joint.generalized_force(self.force, self.moment);
        Freed { column: (n, f), pivot: joint.generalized_force(f, n) + motor, rest }
    }

    /// (3), and what is added of the accelerations `[turn_bias, bias]`.
    #[inline(always)]
    pub fn freed(self, joint: &Freed<S>, [tb, b]: [Vec3<S>; 2]) -> Self {
        S::step(|| {
            let &Freed { column: (n, f), pivot, rest } = joint;
            let mut whole = self;
            let inverse = S::one() / pivot;
            let (ns, fs) = (n * inverse, f * inverse);
            whole.inertia = whole.inertia - half_outer(n, ns);
            whole.mass = whole.mass - half_outer(f, fs);
            whole.coupling = whole.coupling - Mat3::outer(n, fs);
            let moment = whole.moment + whole.inertia * tb + whole.coupling * b + ns * rest;
            whole.force = whole.force + whole.coupling.transpose() * tb + whole.mass * b + fs * rest;
            whole.moment = moment;
            whole
        })
    }

    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        S::step(|| Self {
            inertia: self.inertia + other.inertia,
            coupling: self.coupling + other.coupling,
            mass: self.mass + other.mass,
            moment: self.moment + other.moment,
            force: self.force + other.force,
        })
    }
}

impl<S: Scalar, const N: usize> Moving<'_, S, N> {
    /// Joint accelerations under joint torques, friction included, rad/s² (prismatic: m/s²).
    #[inline(always)]
    pub fn acceleration(&self, torque: [S; N]) -> [S; N] {
        self.acceleration_and_pivots(torque).0
    }

    /// Joint accelerations while the environment pushes with `wrench` on the tool as well.
    #[inline(always)]
    pub fn acceleration_under(&self, torque: [S; N], wrench: Wrench<S>) -> [S; N] {
        let carried = self.pose.torque_of_wrench(wrench);
        self.acceleration(sum(torque, carried))
    }
}

/// What forward dynamics keeps of one joint.
#[derive(Clone, Copy, Debug)]
struct Hinge<S> {
    free: Option<Freed<S>>,
    /// The articulated bodies that hang on its link.
    hanging: Option<Articulated<S>>,
    /// What an angular and a linear acceleration is beyond those of the frame before and of the joint.
    bias: [Vec3<S>; 2],
    /// Angular and linear acceleration of the link.
    motion: [Vec3<S>; 2],
}

impl<S: Scalar, R: Links<S>, Q: AsRef<[S]>> MovingOf<'_, S, R, Q> {
    /// Joint accelerations under joint torques, friction included, with the margins: a pivot that is not positive says that the joint before it
    /// has nothing to move.
    #[inline(always)]
    pub(crate) fn acceleration_and_pivots(&self, mut torque: R::PerJoint<S>) -> (R::PerJoint<S>, R::PerJoint<S>) {
        let (pose, robot) = (&self.pose, self.pose.robot);
        let (links, free) = (robot.links(), torque.as_mut());
        for (i, link) in links.iter().enumerate() {
            if let Some(friction) = link.friction {
                let loss = friction.torque(link.motor_rate(i, self.qd.as_ref()));
                free[i] = free[i] - loss;
                link.couple(-loss, free);
            }
        }
        // Armatures and motors of several joints couple joints that articulated bodies keep apart.
        if links.iter().any(|link| link.spin.is_some() || link.coupling.is_some()) {
            let bias = self.rigid_torque_at(robot.list(S::zero()).as_ref());
            free.iter_mut().zip(bias.as_ref()).for_each(|(free, bias)| *free = *free - *bias);
            let mut pivots = robot.list(S::zero());
            robot.with_matrix(|matrix| {
                pose.composite_rigid_bodies(matrix);
                solve_in_place(matrix, free);
                let diagonal = matrix.iter().step_by(free.len() + 1);
                pivots.as_mut().iter_mut().zip(diagonal).for_each(|(pivot, entry)| *pivot = *entry);
            });
            return (torque, pivots);
        }
        // The bias of above has the springs in it; articulated bodies have not.
        for (i, link) in links.iter().enumerate() {
            if let Some(spring) = link.spring {
                free[i] = free[i] - spring.torque(pose.q.as_ref()[i]);
            }
        }
        self.articulated(free)
    }

    /// Accelerations under torques that are free of friction and springs, by articulated bodies, and the pivots.
    #[inline(always)]
    fn articulated(&self, torque: &[S]) -> (R::PerJoint<S>, R::PerJoint<S>) {
        let (pose, robot) = (&self.pose, self.pose.robot);
        let (qd, omega) = (self.qd.as_ref(), self.omega.as_ref());
        let still = [Vec3::zero(); 2];
        let mut hinges = robot.list(Hinge { free: None, hanging: None, bias: still, motion: still });
        let (mut accelerations, mut pivots) = (robot.list(S::zero()), robot.list(S::one()));
        let (hinges, qdd): (&mut [Hinge<S>], _) = (hinges.as_mut(), accelerations.as_mut());
        let (links, n) = (robot.links(), hinges.len());
        let mut last = Vec3::zero();
        for i in 0..n {
            let step = pose.step(i);
            let before = robot.before(i, last, Vec3::zero(), |parent| omega[parent]);
            let curved = step.down(crossed(before, crossed(before, step.p())));
            last = omega[i];
            hinges[i].bias = match links[i].joint {
                Joint::Revolute => [cross_z(last, qd[i]), curved],
                Joint::Prismatic => [Vec3::zero(), curved + cross_z(last, qd[i].times(2.0))],
            };
        }
        for i in (0..n).rev() {
            let own = Articulated::of_link(&links[i].inertia, omega[i]);
            let whole = hinges[i].hanging.map_or(own, |hanging| own.plus(hanging));
            let free = whole.at_joint(links[i].joint, torque[i], links[i].motor); // (2)
            hinges[i].free = Some(free);
            pivots.as_mut()[i] = free.pivot;
            if let Some(parent) = robot.parent(i) {
                let up = whole.freed(&free, hinges[i].bias).up(pose.step(i)); // (3), (4)
                let before = &mut hinges[parent].hanging;
                *before = Some(before.map_or(up, |others| others.plus(up)));
            }
        }
        // (5)
        let still = [Vec3::zero(), -robot.base_gravity()];
        let mut last = still;
        for i in 0..n {
            let (step, bias) = (pose.step(i), hinges[i].bias);
            let [turning, acceleration] = robot.before(i, last, still, |parent| hinges[parent].motion);
            let mut acceleration = step.down(acceleration + crossed(turning, step.p())) + bias[1];
            let mut turning = step.down(turning) + bias[0];
            qdd[i] = hinges[i].free.map_or(S::zero(), |free| free.acceleration(turning, acceleration));
            match links[i].joint {
                Joint::Revolute => turning = turning + z(qdd[i]),
                Joint::Prismatic => acceleration = acceleration + z(qdd[i]),
            }
            last = [turning, acceleration];
            hinges[i].motion = last;
        }
        (accelerations, pivots)
    }
}

impl<S: Scalar> Freed<S> {
    /// (5) where the frame before gives the joint these accelerations.
    #[inline(always)]
    pub fn acceleration(&self, turning: Vec3<S>, acceleration: Vec3<S>) -> S {
        let (moment, force) = self.column;
        (self.rest - (moment.dot(turning) + force.dot(acceleration))) / self.pivot
    }
}

/// `a bᵀ` where b is a multiple of a.
#[inline(always)]
fn half_outer<S: Scalar>(a: Vec3<S>, b: Vec3<S>) -> Sym3<S> {
    Sym3::new([a[0] * b[0], a[1] * b[1], a[2] * b[2], a[0] * b[1], a[1] * b[2], a[0] * b[2]])
}
