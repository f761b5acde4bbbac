//! Linear models of a Delta: in its joints, by its platform, and in Bortoff's nine coordinates with constraints.

use super::{DeltaRobot, moving};
use crate::delta::models::Exact;
use crate::delta::{Branch, Delta, DeltaModel, DeltaState, Moving, Pose};
use crate::linear::{Linearized, Signal};
use crate::mechanism::{self, Mechanism, Observed, Poles, add_delta};
use crate::robot::linear_model::{Coordinates, LinearTask, LinearizeError, Output, in_joints, in_tool};
use crate::robot::{JointVector, Reason, StateError};
use crate::{Dual, Vec3};

impl DeltaRobot {
    pub(super) fn linear_model(&self, task: &LinearTask<'_>) -> Result<Linearized, LinearizeError> {
        let moving = moving(&self.delta, task.state);
        let (pose, joints, force) = (&moving.pose, self.joints(), task.wrench.force);
        let lifted: Delta<Dual<f64, 3>> = self.delta.lift();
        match task.coordinates {
            Coordinates::Joint => {
                let (assembly, branch) = (pose.assembly(), pose.branches()[0]);
                let robot = DeltaModel { robot: lifted, model: Exact, assembly, branch };
                in_joints(&robot, &joints, task)
            }
            Coordinates::Cartesian => {
                let branch = one_branch(pose)?;
                in_tool(&joints, task, |x, v| {
                    DeltaState::new(lifted.pose_unchecked(lifted.platform_of(x), branch).moving(v), &Exact)
                })
            }
            Coordinates::Constrained(_) if force != Vec3::zero() => {
                let text = "the model with constraints takes no force on the platform";
                Err(StateError::new(Reason::NotOffered, text).hint("use joint or Cartesian coordinates").into())
            }
            Coordinates::Constrained(poles) => self.constrained(&moving, task.torque, poles, task.outputs),
        }
    }

    /// The linear model with 18 states. The nine coordinates and their rates are exactly those of the pose, so that the
    /// constraints hold at the point.
    fn constrained(
        &self,
        moving: &Moving<'_, f64>,
        torque: &JointVector,
        poles: Poles,
        outputs: &[Output],
    ) -> Result<Linearized, LinearizeError> {
        let mechanical = mechanism::LinearModelError::from;
        let mut whole = Mechanism::new(self.delta.gravity());
        let parts = add_delta(&mut whole, "delta", &self.delta).map_err(mechanical)?;
        let (q, v) = (parts.coordinates(&moving.pose), parts.velocities(moving));
        let tool = parts.arms[0].at(self.delta.parameters().tool.0);
        let mut observed = Vec::new();
        for output in outputs {
            match output {
                Output::Joints => observed.extend(parts.arms.map(|arm| Observed::Coordinate(arm, 0))),
                Output::JointRates => observed.extend(parts.arms.map(|arm| Observed::Velocity(arm, 0))),
                Output::Position => observed.push(Observed::Point(tool)),
                Output::Velocity => observed.push(Observed::PointVelocity(tool)),
                Output::Acceleration => observed.push(Observed::PointAcceleration(tool)),
            }
        }
        let mut model = mechanism::linear_model(&whole, (0.0, &q, &v), torque, poles, &observed)?;
        let joints = self.joints();
        model.system.outputs = outputs.iter().flat_map(|output| output.signals(&joints)).collect();
        model.system.states = nine("", "rad").chain(nine("d", "rad/s")).collect();
        Ok(model)
    }
}

fn one_branch(pose: &Pose<'_, f64>) -> Result<Branch, StateError> {
    let [a, b, c] = pose.branches();
    if a == b && b == c {
        return Ok(a);
    }
    let text =
        "the elbows are on different branches here: platform coordinates need one branch, joint coordinates do not";
    Err(StateError::new(Reason::NotOffered, text))
}

/// Motor angle q_i and forearm angles φ₂, φ₃ of each arm, as `q1, phi12, phi13, q2 …`; rates with a `d`.
fn nine(rate: &'static str, unit: &'static str) -> impl Iterator<Item = Signal> {
    (1..=3).flat_map(move |arm| {
        let forearm = |k: usize| format!("phi{rate}{arm}{k}");
        [format!("q{rate}{arm}"), forearm(2), forearm(3)].map(|name| Signal::new(name, unit))
    })
}
