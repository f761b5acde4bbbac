//! Dynamics of chains by the recursions of [`serial`](crate::serial).

use super::{Chain, ChainError, ChainMoving, ChainPose, fits};
use crate::algebra::{Vec3, solve_in_place};
use crate::scalar::Scalar;
use crate::serial::recursions::{
    Hinge, Posed, add_friction, add_springs, angular_velocities, articulated, finite, gravity_torque, kinetic_energy,
    mass_matrix, mass_matrix_walker_orin, newton_euler, potential_energy, velocity_products,
};
use crate::serial::{Inertia, SerialError};
use crate::spatial::Wrench;
use std::{vec, vec::Vec};

impl<S: Scalar> ChainPose<'_, S> {
    /// Torques that hold the chain still, springs included, N m (prismatic: N).
    pub fn gravity_torque(&self) -> Vec<S> {
        let mut torque = vec![S::zero(); self.q.len()];
        let mut hanging = vec![(S::zero(), Vec3::zero(), Vec3::zero()); self.q.len()];
        gravity_torque(self, &mut hanging, &mut torque);
        add_springs(self, &mut torque);
        torque
    }

    /// The mass matrix in joint coordinates, row by row, kg m² (prismatic: kg). Joints on different branches have no common entry but where an
    /// armature couples them.
    pub fn mass_matrix(&self) -> Vec<S> {
        let n = self.q.len();
        let mut matrix = vec![S::zero(); n * n];
        mass_matrix(self, &mut vec![Inertia::zero(); n], &mut matrix);
        matrix
    }

    /// The same matrix by Newton–Euler with one unit acceleration after the other (Walker and Orin 1982, method 2).
    pub fn mass_matrix_walker_orin(&self) -> Vec<S> {
        let n = self.q.len();
        let mut matrix = vec![S::zero(); n * n];
        mass_matrix_walker_orin(self, &mut vec![None; n], &mut matrix);
        matrix
    }

    /// The Christoffel symbols of the first kind: β^(i,jk) at `[i][j * n + k]`, kg m².
    pub fn christoffel(&self) -> Vec<Vec<S>> {
        let n = self.q.len();
        let unit = |j: usize| -> (Vec<S>, Vec<Vec3<S>>) {
            let u: Vec<S> = (0..n).map(|i| if i == j { S::one() } else { S::zero() }).collect();
            let mut omega = vec![Vec3::zero(); n];
            angular_velocities(self, &u, &mut omega);
            (u, omega)
        };
        let mut symbols = vec![vec![S::zero(); n * n]; n];
        let (mut loads, mut column) = (vec![[Vec3::zero(); 4]; n], vec![S::zero(); n]);
        for j in 0..n {
            let (u, wu) = unit(j);
            for k in j..n {
                let (v, wv) = unit(k);
                velocity_products(self, (&u, &wu), (&v, &wv), &mut loads, &mut column);
                for (rows, &symbol) in symbols.iter_mut().zip(&column) {
                    (rows[j * n + k], rows[k * n + j]) = (symbol, symbol);
                }
            }
        }
        symbols
    }

    /// Potential energy against the base's origin, and of springs and counterbalances, J.
    pub fn potential_energy(&self) -> S {
        potential_energy(self, &self.joint_frames())
    }
}

impl<S: Scalar> ChainMoving<'_, S> {
    /// Torques for joint accelerations, friction included, N m (prismatic: N).
    pub fn torque(&self, qdd: &[S]) -> Result<Vec<S>, ChainError> {
        let mut torque = self.rigid_torque(qdd)?;
        add_friction(&self.pose.chain.links, self.qd, &mut torque);
        Ok(torque)
    }

    /// The same without friction.
    pub fn rigid_torque(&self, qdd: &[S]) -> Result<Vec<S>, ChainError> {
        let (mut torque, _) = self.newton_euler(qdd, -self.pose.gravity())?;
        add_springs(&self.pose, &mut torque);
        Ok(torque)
    }

    /// Torque that the velocity asks for: C(q, q̇) q̇, N m.
    pub fn coriolis(&self) -> Result<Vec<S>, ChainError> {
        Ok(self.newton_euler(&vec![S::zero(); self.qd.len()], Vec3::zero())?.0)
    }

    /// What the base has to supply to hold the moving chain: force and moment about the base's origin, base frame.
    pub fn base_wrench(&self, qdd: &[S]) -> Result<Wrench<S>, ChainError> {
        Ok(self.newton_euler(qdd, -self.pose.gravity())?.1)
    }

    fn newton_euler(&self, qdd: &[S], base: Vec3<S>) -> Result<(Vec<S>, Wrench<S>), ChainError> {
        let n = self.qd.len();
        fits(n, "qdd", qdd)?;
        let (mut loads, mut torque) = (vec![[Vec3::zero(); 4]; n], vec![S::zero(); n]);
        let wrench = newton_euler(&self.pose, [self.qd, qdd], &self.omega, base, &mut loads, &mut torque);
        Ok((torque, wrench))
    }

    /// Kinetic energy of links, payloads, motors and, where they are counted, spinning armatures, J.
    pub fn kinetic_energy(&self) -> S {
        kinetic_energy(&self.pose, self.qd, &self.omega, &mut vec![Vec3::zero(); self.qd.len()])
    }

    /// Joint accelerations under joint torques, friction included, rad/s² (prismatic: m/s²).
    pub fn acceleration(&self, torque: &[S]) -> Result<Vec<S>, ChainError> {
        Ok(self.acceleration_and_pivots(torque)?.0)
    }

    /// The same with its margins: a pivot that is not positive says that the joint before it has nothing to move.
    fn acceleration_and_pivots(&self, torque: &[S]) -> Result<(Vec<S>, Vec<S>), ChainError> {
        let (n, links) = (self.qd.len(), &self.pose.chain.links);
        fits(n, "the torques", torque)?;
        let mut free = torque.to_vec();
        for (i, link) in links.iter().enumerate() {
            if let Some(friction) = link.friction {
                free[i] = free[i] - friction.torque(self.qd[i]);
            }
        }
        // Armatures couple joints that articulated bodies keep apart.
        if links.iter().any(|link| link.spin.is_some()) {
            let bias = self.rigid_torque(&vec![S::zero(); n])?;
            free.iter_mut().zip(bias).for_each(|(free, bias)| *free = *free - bias);
            let mut matrix = self.pose.mass_matrix();
            solve_in_place(&mut matrix, &mut free);
            return Ok((free, (0..n).map(|k| matrix[k * n + k]).collect()));
        }
        for (i, link) in links.iter().enumerate() {
            if let Some(spring) = link.spring {
                free[i] = free[i] - spring.torque(self.pose.q[i]);
            }
        }
        let (mut hinges, mut qdd) = (vec![Hinge::new(); n], vec![S::zero(); n]);
        articulated(&self.pose, [self.qd, &free], &self.omega, &mut hinges, &mut qdd);
        Ok((qdd, hinges.iter().map(Hinge::pivot).collect()))
    }
}

impl ChainMoving<'_, f64> {
    /// Forward dynamics, unless a joint has nothing to move.
    pub fn try_acceleration(&self, torque: &[f64]) -> Result<Vec<f64>, ChainError> {
        finite("tau", torque)?;
        let (qdd, pivots) = self.acceleration_and_pivots(torque)?;
        // Against rounding of the inertias that a pivot is the difference of.
        let (mass, n) = (self.pose.mass_matrix(), qdd.len());
        let nothing = |i: &usize| pivots[*i] <= 1e-14 * mass[*i * n + *i].abs();
        // A pivot of zero makes others NaN: the zero is to blame.
        match (0..n).rev().find(nothing).or((0..n).find(|&i| pivots[i].is_nan())) {
            Some(i) => Err(SerialError::NoInertia { joint: i + 1, pivot: pivots[i] }.into()),
            None => Ok(qdd),
        }
    }
}

impl<S: Scalar> Chain<S> {
    /// Torques that hold the chain still, springs included, N m (prismatic: N).
    pub fn gravity_torque(&self, q: &[S]) -> Result<Vec<S>, ChainError> {
        Ok(self.at_joints(q)?.gravity_torque())
    }

    /// The mass matrix, row by row.
    pub fn mass_matrix(&self, q: &[S]) -> Result<Vec<S>, ChainError> {
        Ok(self.at_joints(q)?.mass_matrix())
    }
}
