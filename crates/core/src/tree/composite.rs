//! The mass matrix of a tree by composite rigid bodies (Featherstone). Joints on different branches have no common entry but where an armature couples them.

use super::{TreeError, TreePose, fits};
use crate::scalar::Scalar;
use crate::serial::{Attached, Joint};

impl<S: Scalar> TreePose<'_, S> {
    /// The mass matrix in joint coordinates, row by row, kg m² (prismatic: kg): as many numbers as the square of the number of links.
    pub fn mass_matrix(&mut self, matrix: &mut [S]) -> Result<(), TreeError> {
        let n = self.tree.links.len();
        fits(n * n, "the mass matrix", matrix)?;
        self.composites();
        matrix.fill(S::zero());
        let Self { tree, room } = self;
        for (j, link) in tree.links.iter().enumerate() {
            let (mut force, mut moment) = room[j].composite.asks_for(link.joint);
            matrix[j * n + j] = link.joint.generalized_force(force, moment) + link.motor;
            let mut below = j;
            for i in tree.way(link.parent) {
                (force, moment) = room[below].frame.wrench_up(force, moment);
                let entry = tree.links[i].joint.generalized_force(force, moment);
                (matrix[i * n + j], matrix[j * n + i]) = (entry, entry);
                below = i;
            }
        }
        // An armature of joint i in link k couples it with every joint that turns link k: s·∂ω_k/∂q̇_j.
        for (i, link) in tree.links.iter().enumerate() {
            let Some(spin) = link.spin else { continue };
            let mut momentum = spin.momentum;
            for j in tree.way(spin.carrier) {
                if tree.links[j].joint == Joint::Revolute {
                    matrix[i * n + j] = matrix[i * n + j] + momentum[2];
                    matrix[j * n + i] = matrix[j * n + i] + momentum[2];
                }
                momentum = room[j].frame.up(momentum);
            }
        }
        Ok(())
    }

    /// What a joint moves while all others are held: an entry of the diagonal, without what armatures couple. For composites that are known.
    pub(super) fn inertia(&self, i: usize) -> S {
        let link = &self.tree.links[i];
        let (force, moment) = self.room[i].composite.asks_for(link.joint);
        link.joint.generalized_force(force, moment) + link.motor
    }

    /// Each link with all that hangs on it.
    pub(super) fn composites(&mut self) {
        let Self { tree, room } = self;
        for (link, here) in tree.links.iter().zip(&mut **room) {
            here.composite = link.inertia;
        }
        for (i, link) in tree.links.iter().enumerate().rev() {
            if let Some(parent) = link.parent {
                let up = room[i].composite.up(&room[i].frame);
                room[parent].composite = room[parent].composite.plus(up);
            }
        }
    }
}
