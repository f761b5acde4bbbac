//! The formulas of a chain as hot loops call them: with the number of joints known at compile time where they are few and in a row.

use crate::batch::{ColumnsError, Groups, ManyOf, one_by_one};
use crate::chain::{Chain, ChainError};
use crate::dynamics::State as _;
use crate::robot::{JointMatrix, JointVector};
use crate::serial::{Link, Serial, ToolMotion, add_friction};
use crate::spatial::{Twist, Wrench};
use std::fmt::Debug;
use std::sync::Arc;

/// Dynamics of one chain by one model, on lists that have as many numbers as the chain has joints. None but that of a [`Chain`] allocates.
pub(super) trait Kernel: Debug + Send + Sync {
    /// What the formulas need of the links.
    fn links(&self) -> &[Link<f64>];

    /// Torques for accelerations without friction and external wrench.
    fn rigid_torque(&self, state: [&[f64]; 3]) -> JointVector;

    /// Accelerations under torques while nothing pushes.
    fn acceleration(&self, state: [&[f64]; 3]) -> JointVector;

    /// The same, unless a joint has nothing to move, and the acceleration of the tool.
    fn accelerated(&self, state: [&[f64]; 3]) -> Result<(JointVector, Twist<f64>), ChainError>;

    /// Torques that hold the chain.
    fn gravity_torque(&self, q: &[f64]) -> JointVector;

    /// The mass matrix.
    fn mass_matrix(&self, q: &[f64]) -> JointMatrix;

    /// Frame, velocity and acceleration of the tool.
    fn tool_motion(&self, state: [&[f64]; 3]) -> Result<ToolMotion<f64>, ChainError>;

    /// Torques that press with a wrench at the tool, Jᵀ w.
    fn torque_of_wrench(&self, q: &[f64], wrench: Wrench<f64>) -> JointVector;

    /// Torques or accelerations of many states.
    fn many(&self, of: ManyOf, states: Groups<'_, 3>, results: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        let _ = (of, states, results);
        Err(ColumnsError::NotOffered)
    }

    /// Friction at the joints.
    fn friction(&self, qd: &[f64]) -> JointVector {
        let mut torque = JointVector::zero(self.links().len());
        if qd.len() >= torque.len() {
            add_friction(self.links(), qd, &mut torque);
        }
        torque
    }

    /// Torques for accelerations, friction included, while the environment pushes.
    fn torque(&self, state: [&[f64]; 3], wrench: Wrench<f64>) -> JointVector {
        let [q, qd, _] = state;
        let mut torque = self.rigid_torque(state);
        if qd.len() >= torque.len() {
            add_friction(self.links(), qd, &mut torque);
        }
        if wrench != Wrench::zero() {
            let carried = self.torque_of_wrench(q, wrench);
            torque.iter_mut().zip(&carried[..]).for_each(|(torque, carried)| *torque -= carried);
        }
        torque
    }

    /// What moves the chain under torques while the environment pushes: τ + Jᵀ w.
    fn pushed(&self, q: &[f64], torque: &[f64], wrench: Wrench<f64>) -> JointVector {
        let mut torque = JointVector::new(torque);
        if wrench != Wrench::zero() {
            let carried = self.torque_of_wrench(q, wrench);
            torque.iter_mut().zip(&carried[..]).for_each(|(torque, carried)| *torque += carried);
        }
        torque
    }
}

/// The fastest formulas that a chain has.
pub(super) fn of(chain: &Chain<f64>) -> Arc<dyn Kernel> {
    fn sized<const N: usize>(chain: &Chain<f64>) -> Option<Arc<dyn Kernel>> {
        chain.serial::<N>().map(|arm| Arc::new(arm) as Arc<dyn Kernel>)
    }
    let all = [sized::<1>, sized::<2>, sized::<3>, sized::<4>, sized::<5>, sized::<6>, sized::<7>, sized::<8>];
    all.into_iter().find_map(|sized| sized(chain)).unwrap_or_else(|| Arc::new(chain.clone()))
}

/// The first `N` numbers; where there are fewer, zeros follow.
#[inline]
pub(super) fn array<const N: usize>(values: &[f64]) -> [f64; N] {
    match values.try_into() {
        Ok(values) => values,
        Err(_) => crate::array::from_fn(|i| values.get(i).copied().unwrap_or(0.0)),
    }
}

/// Many states one by one, each a call.
pub(super) fn each<const N: usize>(
    kernel: &impl Kernel,
    of: ManyOf,
    states: Groups<'_, 3>,
    results: &mut [&mut [f64]],
) -> Result<(), ColumnsError> {
    one_by_one(states, results, |[q, qd, third]: [[f64; N]; 3]| {
        array::<N>(&match of {
            ManyOf::Torques => kernel.torque([&q, &qd, &third], Wrench::zero()),
            ManyOf::Accelerations => kernel.acceleration([&q, &qd, &third]),
        })
    })
}

impl<const N: usize> Kernel for Serial<f64, N> {
    fn links(&self) -> &[Link<f64>] {
        Self::links(self)
    }
    fn rigid_torque(&self, [q, qd, qdd]: [&[f64]; 3]) -> JointVector {
        self.pose_unchecked(array(q)).moving(array(qd)).rigid_torque(array(qdd)).into()
    }
    fn acceleration(&self, [q, qd, tau]: [&[f64]; 3]) -> JointVector {
        self.pose_unchecked(array(q)).moving(array(qd)).acceleration(array(tau)).into()
    }
    fn accelerated(&self, [q, qd, tau]: [&[f64]; 3]) -> Result<(JointVector, Twist<f64>), ChainError> {
        let moving = self.pose_unchecked(array(q)).moving(array(qd));
        let qdd = moving.try_acceleration(array(tau))?;
        Ok((qdd.into(), moving.tool_motion(qdd).2))
    }
    fn gravity_torque(&self, q: &[f64]) -> JointVector {
        self.pose_unchecked(array(q)).gravity_torque().into()
    }
    fn mass_matrix(&self, q: &[f64]) -> JointMatrix {
        JointMatrix::new(&self.pose_unchecked(array(q)).mass_matrix())
    }
    fn tool_motion(&self, [q, qd, qdd]: [&[f64]; 3]) -> Result<ToolMotion<f64>, ChainError> {
        Ok(self.at_joints(array(q))?.try_moving(array(qd))?.try_tool_motion(array(qdd))?)
    }
    fn torque_of_wrench(&self, q: &[f64], wrench: Wrench<f64>) -> JointVector {
        self.pose_unchecked(array(q)).moving([0.0; N]).torque_of_wrench(wrench).into()
    }
    fn many(&self, of: ManyOf, states: Groups<'_, 3>, results: &mut [&mut [f64]]) -> Result<(), ColumnsError> {
        each::<N>(self, of, states, results)
    }
}

/// Numbers of a state that fits, which every state of a chain's own kinematics does; else NaN.
fn vector(joints: usize, values: Result<Vec<f64>, ChainError>) -> JointVector {
    values.map_or_else(|_| JointVector::from_fn(joints, |_| f64::NAN), |values| JointVector::new(&values))
}

impl Kernel for Chain<f64> {
    fn links(&self) -> &[Link<f64>] {
        Self::links(self)
    }
    fn rigid_torque(&self, [q, qd, qdd]: [&[f64]; 3]) -> JointVector {
        let moving = self.at_joints(q).and_then(|pose| pose.moving(qd));
        vector(self.joints(), moving.and_then(|moving| moving.rigid_torque(qdd)))
    }
    fn acceleration(&self, state: [&[f64]; 3]) -> JointVector {
        vector(self.joints(), Self::acceleration(self, state, None))
    }
    fn accelerated(&self, [q, qd, tau]: [&[f64]; 3]) -> Result<(JointVector, Twist<f64>), ChainError> {
        let moving = self.try_moving(q, qd)?;
        let qdd = moving.try_acceleration(tau)?;
        Ok((JointVector::new(&qdd), moving.tool_motion(&qdd)?.2))
    }
    fn gravity_torque(&self, q: &[f64]) -> JointVector {
        vector(self.joints(), Self::gravity_torque(self, q))
    }
    fn mass_matrix(&self, q: &[f64]) -> JointMatrix {
        let n = self.joints();
        JointMatrix::of_rows(n, &Self::mass_matrix(self, q).unwrap_or_else(|_| vec![f64::NAN; n * n]))
    }
    fn tool_motion(&self, state: [&[f64]; 3]) -> Result<ToolMotion<f64>, ChainError> {
        Self::tool_motion(self, state)
    }
    fn torque_of_wrench(&self, q: &[f64], wrench: Wrench<f64>) -> JointVector {
        vector(self.joints(), self.at_joints(q).map(|pose| pose.torque_of_wrench(wrench)))
    }
}

/// Velocities and accelerations of the joints for those of the tool, of all the smallest ones.
pub(super) fn joint_rates(
    chain: &Chain<f64>,
    q: &[f64],
    [velocity, acceleration]: [Twist<f64>; 2],
) -> Result<[JointVector; 2], ChainError> {
    let (pose, still) = (chain.at_joints(q)?, JointVector::zero(q.len()));
    let qd = JointVector::new(&pose.clone().moving(&still)?.joint_acceleration(velocity, &still)?); // J̇ q̇ = 0
    let qdd = JointVector::new(&pose.moving(&qd)?.joint_acceleration(acceleration, &still)?);
    Ok([qd, qdd])
}
