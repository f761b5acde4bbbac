//! Dynamics of chains by the recursions of [`serial`](crate::serial).

use super::{Chain, ChainError, ChainMoving, ChainPose, fits};
use crate::algebra::Vec3;
use crate::scalar::Scalar;
use crate::serial::articulated::acceleration_and_pivots;
use crate::serial::check::{check_pivots, finite};
use crate::serial::coriolis::christoffel;
use crate::serial::energy::{kinetic_energy, potential_energy};
use crate::serial::kinematics::Posed;
use crate::serial::mass_matrix::{mass_matrix, mass_matrix_walker_orin};
use crate::serial::newton_euler::{add_friction, gravity_torque, newton_euler, rigid_torque};
use crate::spatial::Wrench;
use std::{vec, vec::Vec};

impl<S: Scalar> ChainPose<'_, S> {
    /// Torques that hold the chain still, springs included, N m (prismatic: N).
    pub fn gravity_torque(&self) -> Vec<S> {
        gravity_torque(self)
    }

    /// The mass matrix in joint coordinates, row by row, kg m² (prismatic: kg). Joints on different branches have no common entry but where an
    /// armature couples them.
    pub fn mass_matrix(&self) -> Vec<S> {
        let n = self.q.len();
        let mut matrix = vec![S::zero(); n * n];
        mass_matrix(self, &mut matrix);
        matrix
    }

    /// The same matrix by Newton–Euler with one unit acceleration after the other (Walker and Orin 1982, method 2).
    pub fn mass_matrix_walker_orin(&self) -> Vec<S> {
        let n = self.q.len();
        let mut matrix = vec![S::zero(); n * n];
        mass_matrix_walker_orin(self, &mut matrix);
        matrix
    }

    /// The Christoffel symbols of the first kind: β^(i,jk) at `[i][j * n + k]`, kg m².
    pub fn christoffel(&self) -> Vec<Vec<S>> {
        let n = self.q.len();
        let mut symbols = vec![vec![S::zero(); n * n]; n];
        christoffel(self, |i, j, k, symbol| (symbols[i][j * n + k], symbols[i][k * n + j]) = (symbol, symbol));
        symbols
    }

    /// Potential energy against the base's origin, and of springs and counterbalances, J.
    pub fn potential_energy(&self) -> S {
        potential_energy(self)
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
        fits(self.qd.len(), "qdd", qdd)?;
        Ok(rigid_torque(&self.pose, [self.qd, qdd], &self.omega))
    }

    /// Torque that the velocity asks for: C(q, q̇) q̇, N m.
    pub fn coriolis(&self) -> Result<Vec<S>, ChainError> {
        Ok(newton_euler(&self.pose, [self.qd, &self.pose.list(S::zero())], &self.omega, Vec3::zero()).0)
    }

    /// What the base has to supply to hold the moving chain: force and moment about the base's origin, base frame.
    pub fn base_wrench(&self, qdd: &[S]) -> Result<Wrench<S>, ChainError> {
        fits(self.qd.len(), "qdd", qdd)?;
        Ok(newton_euler(&self.pose, [self.qd, qdd], &self.omega, -self.pose.gravity()).1)
    }

    /// Kinetic energy of links, payloads, motors and, where they are counted, spinning armatures, J.
    pub fn kinetic_energy(&self) -> S {
        kinetic_energy(&self.pose, self.qd, &self.omega)
    }

    /// Joint accelerations under joint torques, friction included, rad/s² (prismatic: m/s²).
    pub fn acceleration(&self, torque: &[S]) -> Result<Vec<S>, ChainError> {
        Ok(self.acceleration_and_pivots(torque)?.0)
    }

    /// The same with its margins.
    fn acceleration_and_pivots(&self, torque: &[S]) -> Result<(Vec<S>, Vec<S>), ChainError> {
        fits(self.qd.len(), "the torques", torque)?;
        Ok(acceleration_and_pivots(&self.pose, self.qd, &self.omega, torque.to_vec()))
    }
}

impl ChainMoving<'_, f64> {
    /// Forward dynamics, unless a joint has nothing to move.
    pub fn try_acceleration(&self, torque: &[f64]) -> Result<Vec<f64>, ChainError> {
        finite("tau", torque)?;
        let (qdd, pivots) = self.acceleration_and_pivots(torque)?;
        let (mass, n) = (self.pose.mass_matrix(), qdd.len());
        check_pivots(&pivots, |i| mass[i * n + i])?;
        Ok(qdd)
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
