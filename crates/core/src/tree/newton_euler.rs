//! Newton and Euler's recursion over a tree: inverse dynamics, gravity, friction, energy. The steps are those of a serial arm.

use super::{LinkScratch, TreeError, TreeLink, TreeMoving, TreePose, fits};
use crate::algebra::Vec3;
use crate::scalar::Scalar;
use crate::serial::{Attached, Inertia, Motion, Part, pass_on};
use crate::spatial::Wrench;

impl<S: Scalar> TreeMoving<'_, S> {
    /// Torques for joint accelerations, friction included, N m (prismatic: N).
    #[inline]
    pub fn torque(&mut self, qdd: &[S], torque: &mut [S]) -> Result<(), TreeError> {
        self.rigid_torque(qdd, torque)?;
        for ((link, &qd), torque) in self.pose.tree.links.iter().zip(self.qd).zip(torque) {
            if let Some(friction) = link.friction {
                *torque = *torque + friction.torque(qd);
            }
        }
        Ok(())
    }

    /// The same without friction.
    #[inline]
    pub fn rigid_torque(&mut self, qdd: &[S], torque: &mut [S]) -> Result<(), TreeError> {
        let base = -self.pose.tree.gravity;
        self.newton_euler(qdd, base, torque)?;
        self.pose.add_springs(torque);
        Ok(())
    }

    /// Friction at the joints, N m.
    pub fn friction(&self, torque: &mut [S]) -> Result<(), TreeError> {
        fits(self.qd.len(), "the torques", torque)?;
        for ((link, &qd), torque) in self.pose.tree.links.iter().zip(self.qd).zip(torque) {
            *torque = link.friction.map_or(S::zero(), |friction| friction.torque(qd));
        }
        Ok(())
    }

    /// Torque that the velocity asks for: C(q, q̇) q̇, N m. `still` are as many zeros as there are links.
    pub fn coriolis(&mut self, still: &[S], torque: &mut [S]) -> Result<(), TreeError> {
        self.newton_euler(still, Vec3::zero(), torque).map(|_| ())
    }

    /// What the base has to supply to hold the moving tree: force and moment about the base's origin, base frame. The torques are
    /// written too, without friction and springs.
    pub fn base_wrench(&mut self, qdd: &[S], torque: &mut [S]) -> Result<Wrench<S>, TreeError> {
        let base = -self.pose.tree.gravity;
        self.newton_euler(qdd, base, torque)
    }

    /// Angular and linear accelerations of all links while the base accelerates; `each` is told them.
    #[inline(always)]
    pub(super) fn accelerate(
        &mut self,
        qdd: &[S],
        base: Vec3<S>,
        mut each: impl FnMut(&TreeLink<S>, &mut LinkScratch<S>),
    ) {
        let TreePose { tree, room } = &mut self.pose;
        let still = Motion { omega: Vec3::zero(), omega_dot: Vec3::zero(), acceleration: base };
        let mut motion = still;
        for (i, ((link, &qd), &qdd)) in tree.links.iter().zip(self.qd).zip(qdd).enumerate() {
            let before = link.before(i, motion, still, |parent| room[parent].motion);
            let here = &mut room[i];
            motion = before.down(&here.frame, link.joint, here.motion.omega, [qd, qdd]);
            here.motion = motion;
            each(link, here);
        }
    }

    /// With joint accelerations, in the tree's gravity.
    pub fn accelerating<'m>(&'m mut self, qdd: &'m [S]) -> Result<TreeAccelerating<'m, S>, TreeError> {
        fits(self.qd.len(), "qdd", qdd)?;
        self.accelerate(qdd, -self.pose.tree.gravity, |_, _| ());
        Ok(TreeAccelerating { links: self.pose.tree.links, room: &mut *self.pose.room, qdd })
    }

    #[inline]
    fn newton_euler(&mut self, qdd: &[S], base: Vec3<S>, torque: &mut [S]) -> Result<Wrench<S>, TreeError> {
        fits(self.qd.len(), "qdd", qdd)?;
        fits(self.qd.len(), "the torques", torque)?;
        self.accelerate(qdd, base, |link, here| (here.force, here.moment) = here.motion.asks_of(&link.inertia));
        let qd = self.qd;
        let TreePose { tree, room } = &mut self.pose;
        let mut wrench = Wrench::zero();
        torque.fill(S::zero());
        // Armatures: s q̈ + ω × s q̇ on what carries them, s·ω̇ at their own joint.
        for (i, link) in tree.links.iter().enumerate() {
            let Some(spin) = link.spin else { continue };
            let change = spin.momentum * qdd[i];
            match spin.carrier {
                Some(k) => {
                    let carrier = &mut room[k];
                    carrier.moment = carrier.moment + change + carrier.motion.omega.cross(spin.momentum * qd[i]);
                    torque[i] = spin.momentum.dot(carrier.motion.omega_dot);
                }
                None => wrench.moment = wrench.moment + change,
            }
        }
        // What the link after leaves to the one before, which mostly is the next one.
        let mut hanging = (Vec3::zero(), Vec3::zero());
        for (i, link) in tree.links.iter().enumerate().rev() {
            let here = &room[i];
            let (force, moment) = (here.force + hanging.0, here.moment + hanging.1);
            torque[i] = torque[i] + link.joint.generalized_force(force, moment) + link.motor * qdd[i];
            let up = here.frame.wrench_up(force, moment);
            hanging = (Vec3::zero(), Vec3::zero());
            match link.parent {
                Some(parent) if parent + 1 == i => hanging = up,
                Some(parent) => {
                    let before = &mut room[parent];
                    (before.force, before.moment) = (before.force + up.0, before.moment + up.1);
                }
                None => wrench = Wrench { force: wrench.force + up.0, moment: wrench.moment + up.1 },
            }
        }
        Ok(wrench)
    }

    /// Kinetic energy of links, payloads, motors and, where they are counted, spinning armatures, J, as of a serial arm.
    pub fn kinetic_energy(&mut self) -> S {
        self.velocities();
        let TreePose { tree, room } = &self.pose;
        let mut twice = S::zero();
        for ((link, here), &qd) in tree.links.iter().zip(room.iter()).zip(self.qd) {
            let (body, omega, velocity) = (&link.inertia, here.motion.omega, here.velocity);
            twice = twice
                + omega.dot(body.inertia * omega)
                + velocity.dot(omega.cross(body.moment)).times(2.0)
                + velocity.norm_squared() * body.mass
                + link.motor * qd.square();
            if let Some((k, spin)) = link.spin.and_then(|spin| spin.carrier.map(|k| (k, spin))) {
                twice = twice + (qd * spin.momentum.dot(room[k].motion.omega)).times(2.0);
            }
        }
        twice.times(0.5)
    }
}

/// The tree with a velocity and an acceleration.
#[derive(Debug)]
pub struct TreeAccelerating<'m, S> {
    links: &'m [TreeLink<S>],
    room: &'m mut [LinkScratch<S>],
    qdd: &'m [S],
}

impl<S: Scalar> TreeAccelerating<'_, S> {
    /// The torques that a part asks for, N m (prismatic: N), as of a serial arm.
    pub fn torque_of(&self, part: &Part<S>, torque: &mut [S]) -> Result<(), TreeError> {
        let (links, room) = (self.links, &*self.room);
        fits(links.len(), "the torques", torque)?;
        torque.fill(S::zero());
        match *part {
            Part::Body(link, inertia) if link < links.len() => {
                let way = core::iter::successors(Some(link), |&i| links[i].parent);
                let joint = |i: usize| (links[i].joint, room[i].frame);
                pass_on(room[link].motion.asks_of(&inertia), way, joint, torque);
            }
            Part::Motor(joint, inertia) if joint < links.len() => torque[joint] = inertia * self.qdd[joint],
            _ => {}
        }
        Ok(())
    }

    /// What a joint feels of bodies on the links, one on each, as of a serial arm.
    pub fn generalized_force_at(&mut self, joint: usize, bodies: &[Inertia<S>]) -> Result<S, TreeError> {
        let links = self.links;
        fits(links.len(), "the bodies", bodies)?;
        let none = Vec3::zero();
        self.room.iter_mut().skip(joint).for_each(|here| (here.force, here.moment) = (none, none));
        for i in (joint + 1..links.len()).rev() {
            // Of another branch.
            let Some(parent) = links[i].parent.filter(|&parent| parent >= joint) else { continue };
            let here = &self.room[i];
            let (force, moment) = here.motion.asks_of(&bodies[i]);
            let (force, moment) = here.frame.wrench_up(here.force + force, here.moment + moment);
            let before = &mut self.room[parent];
            (before.force, before.moment) = (before.force + force, before.moment + moment);
        }
        Ok(links.get(joint).map_or(S::zero(), |link| {
            let here = &self.room[joint];
            let (force, moment) = here.motion.asks_of(&bodies[joint]);
            link.joint.generalized_force(here.force + force, here.moment + moment)
        }))
    }
}

impl<S: Scalar> TreePose<'_, S> {
    /// Adds what springs and counterbalances ask of the motors.
    #[inline(always)]
    fn add_springs(&self, torque: &mut [S]) {
        for ((link, here), torque) in self.tree.links.iter().zip(&*self.room).zip(torque) {
            if let Some(spring) = link.spring {
                *torque = *torque + spring.torque(here.q);
            }
        }
    }

    /// Torques that hold the tree still, springs included, N m (prismatic: N).
    pub fn gravity_torque(&mut self, torque: &mut [S]) -> Result<(), TreeError> {
        fits(self.tree.links.len(), "the torques", torque)?;
        let Self { tree, room } = self;
        for (i, link) in tree.links.iter().enumerate() {
            let before = link.parent.map_or(-tree.gravity, |parent| room[parent].motion.acceleration);
            let here = &mut room[i];
            here.motion.acceleration = here.frame.down(before);
            here.force = here.motion.acceleration * link.inertia.mass;
            here.moment = link.inertia.moment.cross(here.motion.acceleration);
        }
        for (i, link) in tree.links.iter().enumerate().rev() {
            let here = &room[i];
            torque[i] = link.joint.generalized_force(here.force, here.moment);
            if let Some(parent) = link.parent {
                let (force, moment) = here.frame.wrench_up(here.force, here.moment);
                let before = &mut room[parent];
                (before.force, before.moment) = (before.force + force, before.moment + moment);
            }
        }
        self.add_springs(torque);
        Ok(())
    }

    /// Potential energy against the base's origin, and of springs and counterbalances, J.
    pub fn potential_energy(&mut self) -> S {
        let (links, g) = (self.tree.links, self.tree.gravity);
        let mut energy = S::zero();
        for (link, here) in links.iter().zip(&*self.room) {
            energy = link.spring.map_or(energy, |spring| energy + spring.energy(here.q));
        }
        for (frame, link) in self.frames().zip(links) {
            let body = &link.inertia;
            energy = energy - g.dot(frame.origin) * body.mass - g.dot(frame.rotation * body.moment);
        }
        energy
    }
}
