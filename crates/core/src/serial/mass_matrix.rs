//! The mass matrix, two ways: composite rigid bodies, and columns of Newton–Euler as Walker and Orin.

use super::kinematics::{Attached, Links, Pose, PoseOf, crossed, z};
use super::newton_euler::LinkLoad;
use super::{Inertia, Joint};
use crate::algebra::{Sym3, Vec3};
use crate::scalar::Scalar;

impl<S: Scalar> Inertia<S> {
    /// The same body in the frame before, about the origin there:
    /// h' = R h + m p,  I' = R I Rᵀ + (2 p·R h + m p²) 1 − (R h pᵀ + p R hᵀ) − m p pᵀ.
    #[inline(always)]
    pub(crate) fn up(self, joint: &impl Attached<S>) -> Self {
        S::step(|| {
            let (m, p) = (self.mass, joint.p());
            let h = joint.up(self.moment);
            let turned = joint.tensor_up(self.inertia);
            // With k = h + m p/2 the last three terms are 2 (p·k) 1 − (k pᵀ + p kᵀ).
            let k = h + p * m.times(0.5);
            let steiner = Sym3::diagonal(p.dot(k).times(2.0)) - Sym3::symmetric_outer(k, p);
            Self { mass: m, moment: h + p * m, inertia: turned + steiner }
        })
    }
}

impl<S: Scalar, R: Links<S>, Q: AsRef<[S]>> PoseOf<'_, S, R, Q> {
    /// The mass matrix by composite rigid bodies (Featherstone; Walker and Orin's third method), row by row into zeros.
    #[inline(always)]
    pub(crate) fn composite_rigid_bodies(&self, matrix: &mut [S]) {
        let mut composites = self.robot.list(Inertia::zero());
        let (links, composites): (_, &mut [Inertia<S>]) = (self.robot.links(), composites.as_mut());
        let n = composites.len();
        for i in 0..n {
            composites[i] = links[i].inertia;
        }
        for j in (0..n).rev() {
            // Force and moment that a unit acceleration of joint j asks for.
            let (mut force, mut moment) = composites[j].asks_for(links[j].joint);
            matrix[j * n + j] = links[j].joint.generalized_force(force, moment) + links[j].motor;
            let mut below = j;
            while let Some(i) = self.robot.parent(below) {
                (force, moment) = self.step(below).wrench_up(force, moment);
                let entry = links[i].joint.generalized_force(force, moment);
                matrix[i * n + j] = entry;
                matrix[j * n + i] = entry;
                below = i;
            }
            if let Some(parent) = self.robot.parent(j) {
                composites[parent] = composites[parent].plus(composites[j].up(self.step(j)));
            }
        }
        self.add_armatures(n, matrix);
    }

    /// A motor of joint i couples the joints that it turns with; an armature of joint i in link k couples it with every joint that turns link k: s·∂ω_k/∂q̇_j.
    #[inline(always)]
    fn add_armatures(&self, n: usize, matrix: &mut [S]) {
        let links = self.robot.links();
        for i in 0..n {
            links[i].couple_inertia(i, n, matrix);
            let Some(spin) = links[i].spin else { continue };
            let mut momentum = spin.momentum;
            for j in self.robot.to_base(spin.carrier) {
                if links[j].joint == Joint::Revolute {
                    matrix[i * n + j] = matrix[i * n + j] + momentum[2];
                    matrix[j * n + i] = matrix[j * n + i] + momentum[2];
                }
                momentum = self.step(j).up(momentum);
            }
        }
    }

    /// The mass matrix by Newton–Euler with one unit acceleration after the other, row by row into zeros.
    #[inline(always)]
    pub(crate) fn walker_orin(&self, matrix: &mut [S]) {
        let robot = self.robot;
        let mut loads = robot.list(None);
        let (links, loads): (_, &mut [Option<LinkLoad<S>>]) = (robot.links(), loads.as_mut());
        let n = loads.len();
        for j in 0..n {
            // What moves is what hangs on joint j.
            loads.fill(None);
            for i in j..n {
                let (turning, acceleration) = match (i == j, links[j].joint) {
                    (true, Joint::Revolute) => (z(S::one()), Vec3::zero()),
                    (true, Joint::Prismatic) => (Vec3::zero(), z(S::one())),
                    _ => {
                        let Some([turning, acceleration, ..]) = robot.parent(i).and_then(|p| loads[p]) else {
                            continue;
                        };
                        let step = self.step(i);
                        (step.down(turning), step.down(acceleration + crossed(turning, step.p())))
                    }
                };
                let (force, moment) = links[i].inertia.asks_from_rest(turning, acceleration);
                loads[i] = Some([turning, acceleration, force, moment]);
            }
            for i in (j..n).rev() {
                let Some([.., force, moment]) = loads[i] else { continue };
                let entry = links[i].joint.generalized_force(force, moment);
                matrix[i * n + j] = entry;
                matrix[j * n + i] = entry;
                if i > j
                    && let Some([.., before, about]) = robot.parent(i).and_then(|parent| loads[parent].as_mut())
                {
                    let step = self.step(i);
                    let f = step.up(force);
                    (*before, *about) = (*before + f, *about + step.up(moment) + crossed(step.p(), f));
                }
            }
            matrix[j * n + j] = matrix[j * n + j] + links[j].motor;
        }
        self.add_armatures(n, matrix);
    }
}

impl<S: Scalar, const N: usize> Pose<'_, S, N> {
    /// The mass matrix in joint coordinates, kg m² (prismatic: kg): composite rigid bodies.
    #[inline(always)]
    pub fn mass_matrix(&self) -> [[S; N]; N] {
        let mut matrix = [[S::zero(); N]; N];
        self.composite_rigid_bodies(matrix.as_flattened_mut());
        matrix
    }

    /// The same matrix by Newton–Euler with one unit acceleration after the other (Walker and Orin 1982, method 2: the
    /// links before the moving joint rest, and symmetry gives the other half).
    #[inline(always)]
    pub fn mass_matrix_walker_orin(&self) -> [[S; N]; N] {
        let mut matrix = [[S::zero(); N]; N];
        self.walker_orin(matrix.as_flattened_mut());
        matrix
    }
}

impl<S: Scalar> Inertia<S> {
    /// The force and the moment that a unit acceleration of a joint asks for.
    #[inline(always)]
    pub(crate) fn asks_for(&self, joint: Joint) -> (Vec3<S>, Vec3<S>) {
        let (h, inertia) = (self.moment, self.inertia);
        match joint {
            Joint::Revolute => (Vec3([-h[1], h[0], S::zero()]), Vec3([inertia.xz, inertia.yz, inertia.zz])),
            Joint::Prismatic => (z(self.mass), Vec3([h[1], -h[0], S::zero()])),
        }
    }

    /// The force and the moment that the body asks for where nothing moves yet.
    #[inline(always)]
    fn asks_from_rest(&self, turning: Vec3<S>, acceleration: Vec3<S>) -> (Vec3<S>, Vec3<S>) {
        S::step(|| {
            let force = acceleration * self.mass + turning.cross(self.moment);
            (force, self.inertia * turning + self.moment.cross(acceleration))
        })
    }

    /// Nothing.
    pub fn zero() -> Self {
        Self { mass: S::zero(), moment: Vec3::zero(), inertia: Sym3::zero() }
    }
}
