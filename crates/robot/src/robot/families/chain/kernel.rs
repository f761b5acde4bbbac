//! The formulas of a chain as hot loops call them: with the number of joints known at compile time where they are few and in a row.

use crate::batch::{ColumnsError, Groups, ManyOf, one_by_one};
use crate::chain::{Chain, ChainError};
use crate::dynamics::State as _;
use crate::robot::{JointMatrix, JointVector};
use crate::serial::{Serial, ToolMotion};
use crate::spatial::{Twist, Wrench};
use std::fmt::Debug;
use std::sync::Arc;

/// Dynamics and kinematics of one chain by one model, on lists that have as many numbers as the chain has joints.
pub(super) trait Kernel: Debug + Send + Sync {
    /// Torques for accelerations without friction and external wrench.
    fn rigid_torque(&self, state: [&[f64]; 3]) -> JointVector;

    /// Friction at the joints.
    fn friction(&self, qd: &[f64]) -> JointVector;

    /// Torques for accelerations, friction included, while the environment pushes.
    fn torque(&self, state: [&[f64]; 3], wrench: Option<Wrench<f64>>) -> JointVector;

    /// Accelerations under torques while the environment pushes.
    fn acceleration(&self, state: [&[f64]; 3], wrench: Option<Wrench<f64>>) -> JointVector;

    /// The same, unless a joint has nothing to move, and the acceleration of the tool.
    fn accelerated(
        &self,
        state: [&[f64]; 3],
        wrench: Option<Wrench<f64>>,
    ) -> Result<(JointVector, Twist<f64>), ChainError>;

    /// Torques that hold the chain.
    fn gravity_torque(&self, q: &[f64]) -> JointVector;

    /// The mass matrix.
    fn mass_matrix(&self, q: &[f64]) -> JointMatrix;

    /// Torques that press with a wrench at the tool, Jᵀ w.
    fn torque_of_wrench(&self, q: &[f64], wrench: Wrench<f64>) -> JointVector;

    /// Frame, velocity and acceleration of the tool.
    fn tool_motion(&self, state: [&[f64]; 3]) -> Result<ToolMotion<f64>, ChainError>;

    /// How far a pose is from one in which the tool cannot go in every direction.
    fn tool_margin(&self, q: &[f64]) -> f64;

    /// Velocities and accelerations of the joints for those of the tool, of all the smallest ones.
    fn joint_rates(&self, q: &[f64], tool: [Twist<f64>; 2]) -> Result<[JointVector; 2], ChainError>;

    /// Torques or accelerations of many states.
    fn many(&self, of: ManyOf, states: Groups<'_, 3>, results: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        let _ = (of, states, results);
        Err(ColumnsError::NotOffered)
    }
}

/// The fastest formulas that a chain has.
pub(super) fn of(chain: &Chain<f64>) -> Arc<dyn Kernel> {
    fn fixed<const N: usize>(chain: &Chain<f64>) -> Option<Arc<dyn Kernel>> {
        chain.serial::<N>().map(|arm| Arc::new(arm) as Arc<dyn Kernel>)
    }
    let short = match chain.joints() {
        1 => fixed::<1>(chain),
        2 => fixed::<2>(chain),
        3 => fixed::<3>(chain),
        4 => fixed::<4>(chain),
        5 => fixed::<5>(chain),
        6 => fixed::<6>(chain),
        7 => fixed::<7>(chain),
        8 => fixed::<8>(chain),
        _ => None,
    };
    short.unwrap_or_else(|| Arc::new(chain.clone()))
}

/// The first `N` numbers; where there are fewer, zeros follow.
#[inline]
pub(super) fn array<const N: usize>(values: &[f64]) -> [f64; N] {
    match values.try_into() {
        Ok(values) => values,
        Err(_) => crate::array::from_fn(|i| values.get(i).copied().unwrap_or(0.0)),
    }
}

impl<const N: usize> Kernel for Serial<f64, N> {
    fn rigid_torque(&self, [q, qd, qdd]: [&[f64]; 3]) -> JointVector {
        self.pose_unchecked(array(q)).moving(array(qd)).rigid_torque(array(qdd)).into()
    }
    fn friction(&self, qd: &[f64]) -> JointVector {
        let links = self.links();
        JointVector::from_fn(N, |i| links[i].friction.map_or(0.0, |own| own.torque(qd.get(i).copied().unwrap_or(0.0))))
    }
    fn torque(&self, [q, qd, qdd]: [&[f64]; 3], wrench: Option<Wrench<f64>>) -> JointVector {
        let moving = self.pose_unchecked(array(q)).moving(array(qd));
        match wrench {
            Some(wrench) => moving.torque_under(array(qdd), wrench).into(),
            None => moving.torque(array(qdd)).into(),
        }
    }
    fn acceleration(&self, [q, qd, tau]: [&[f64]; 3], wrench: Option<Wrench<f64>>) -> JointVector {
        let moving = self.pose_unchecked(array(q)).moving(array(qd));
        match wrench {
            Some(wrench) => moving.acceleration_under(array(tau), wrench).into(),
            None => moving.acceleration(array(tau)).into(),
        }
    }
    fn accelerated(
        &self,
        [q, qd, tau]: [&[f64]; 3],
        wrench: Option<Wrench<f64>>,
    ) -> Result<(JointVector, Twist<f64>), ChainError> {
        let moving = self.pose_unchecked(array(q)).moving(array(qd));
        let mut tau: [f64; N] = array(tau);
        if let Some(wrench) = wrench {
            let carried = moving.pose.torque_of_wrench(wrench);
            tau.iter_mut().zip(carried).for_each(|(tau, carried)| *tau += carried);
        }
        let qdd = moving.try_acceleration(tau)?;
        Ok((qdd.into(), moving.tool_acceleration(qdd)))
    }
    fn gravity_torque(&self, q: &[f64]) -> JointVector {
        self.pose_unchecked(array(q)).gravity_torque().into()
    }
    fn mass_matrix(&self, q: &[f64]) -> JointMatrix {
        JointMatrix::new(&self.pose_unchecked(array(q)).mass_matrix())
    }
    fn torque_of_wrench(&self, q: &[f64], wrench: Wrench<f64>) -> JointVector {
        self.pose_unchecked(array(q)).torque_of_wrench(wrench).into()
    }
    fn tool_motion(&self, [q, qd, qdd]: [&[f64]; 3]) -> Result<ToolMotion<f64>, ChainError> {
        Ok(self.at_joints(array(q))?.try_moving(array(qd))?.try_tool_motion(array(qdd))?)
    }
    fn tool_margin(&self, q: &[f64]) -> f64 {
        self.pose_unchecked(array(q)).tool_margin()
    }
    fn joint_rates(
        &self,
        q: &[f64],
        [velocity, acceleration]: [Twist<f64>; 2],
    ) -> Result<[JointVector; 2], ChainError> {
        let pose = self.at_joints(array(q))?;
        let qd = pose.moving([0.0; N]).joint_acceleration(velocity, [0.0; N]); // J̇ q̇ = 0
        let qdd = pose.try_moving(qd)?.joint_acceleration(acceleration, [0.0; N]);
        Ok([qd.into(), qdd.into()])
    }
    fn many(&self, of: ManyOf, states: Groups<'_, 3>, results: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        let moving = |q, qd| self.pose_unchecked(q).moving(qd);
        match of {
            ManyOf::Torques => one_by_one(states, results, |[q, qd, qdd]| moving(q, qd).torque(qdd)),
            ManyOf::Accelerations => one_by_one(states, results, |[q, qd, tau]| moving(q, qd).acceleration(tau)),
        }
    }
}

/// Numbers of a state that fits, which every state of a chain's own kinematics does; else NaN.
fn vector(joints: usize, values: Result<Vec<f64>, ChainError>) -> JointVector {
    values.map_or_else(|_| JointVector::from_fn(joints, |_| f64::NAN), |values| JointVector::new(&values))
}

impl Kernel for Chain<f64> {
    fn rigid_torque(&self, [q, qd, qdd]: [&[f64]; 3]) -> JointVector {
        let moving = self.at_joints(q).and_then(|pose| pose.moving(qd));
        vector(self.joints(), moving.and_then(|moving| moving.rigid_torque(qdd)))
    }
    fn friction(&self, qd: &[f64]) -> JointVector {
        JointVector::new(&Self::friction(self, qd))
    }
    fn torque(&self, state: [&[f64]; 3], wrench: Option<Wrench<f64>>) -> JointVector {
        vector(self.joints(), Self::torque(self, state, wrench))
    }
    fn acceleration(&self, state: [&[f64]; 3], wrench: Option<Wrench<f64>>) -> JointVector {
        vector(self.joints(), Self::acceleration(self, state, wrench))
    }
    fn accelerated(
        &self,
        [q, qd, tau]: [&[f64]; 3],
        wrench: Option<Wrench<f64>>,
    ) -> Result<(JointVector, Twist<f64>), ChainError> {
        let moving = self.try_moving(q, qd)?;
        let mut tau = JointVector::new(tau);
        if let Some(wrench) = wrench {
            let carried = moving.pose.torque_of_wrench(wrench);
            tau.iter_mut().zip(carried).for_each(|(tau, carried)| *tau += carried);
        }
        let qdd = moving.try_acceleration(&tau)?;
        let (.., acceleration) = moving.tool_motion(&qdd)?;
        Ok((JointVector::new(&qdd), acceleration))
    }
    fn gravity_torque(&self, q: &[f64]) -> JointVector {
        vector(self.joints(), Self::gravity_torque(self, q))
    }
    fn mass_matrix(&self, q: &[f64]) -> JointMatrix {
        let n = self.joints();
        JointMatrix::of_rows(n, &Self::mass_matrix(self, q).unwrap_or_else(|_| vec![f64::NAN; n * n]))
    }
    fn torque_of_wrench(&self, q: &[f64], wrench: Wrench<f64>) -> JointVector {
        vector(self.joints(), self.at_joints(q).map(|pose| pose.torque_of_wrench(wrench)))
    }
    fn tool_motion(&self, state: [&[f64]; 3]) -> Result<ToolMotion<f64>, ChainError> {
        Self::tool_motion(self, state)
    }
    fn tool_margin(&self, q: &[f64]) -> f64 {
        self.at_joints(q).map_or(f64::NAN, |pose| pose.tool_margin())
    }
    fn joint_rates(
        &self,
        q: &[f64],
        [velocity, acceleration]: [Twist<f64>; 2],
    ) -> Result<[JointVector; 2], ChainError> {
        let (pose, still) = (self.at_joints(q)?, JointVector::zero(q.len()));
        let resting = pose.clone().moving(&still)?;
        let qd = JointVector::new(&resting.joint_acceleration(velocity, &still)?); // J̇ q̇ = 0
        let qdd = JointVector::new(&pose.moving(&qd)?.joint_acceleration(acceleration, &still)?);
        Ok([qd, qdd])
    }
}
