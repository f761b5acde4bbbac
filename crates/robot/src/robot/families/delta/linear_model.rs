//! Linear models of a Delta: in its joints, by its platform, and in Bortoff's nine coordinates with constraints.

use super::DeltaRobot;
use crate::delta::models::Exact;
use crate::delta::{Branch, Delta, DeltaModel, Moving, Pose};
use crate::linear::{Linearized, Signal};
use crate::mechanism::{self, Mechanism, Observed, Poles, add_delta};
use crate::robot::linear_model::{Coordinates, Evaluated, LinearizeError, Output, array, in_joints, linear_model};
use crate::robot::{Reason, StateError};
use crate::spatial::Wrench;
use crate::{Dual, Vec3};

impl DeltaRobot {
    /// About a state with motor torques and a force on the platform: of a motion where the torques are those of
    /// [`Moving::torque_under`], of an equilibrium where it rests.
    pub(super) fn linear_model(
        &self,
        moving: &Moving<'_, f64>,
        torque: [f64; 3],
        force: Vec3<f64>,
        coordinates: Coordinates,
        outputs: &[Output],
    ) -> Result<Linearized, LinearizeError> {
        let (pose, joints) = (&moving.pose, self.joints());
        let lifted: Delta<Dual<f64, 3>> = self.delta.lift();
        match coordinates {
            Coordinates::Joint => {
                let (assembly, branch) = (pose.assembly(), pose.branches()[0]);
                let robot = DeltaModel { robot: lifted, model: Exact, assembly, branch };
                let point = [pose.joints(), moving.joint_velocity(), torque];
                in_joints(&robot, &joints, point, Wrench::force(force), outputs)
            }
            Coordinates::Cartesian => {
                let branch = one_branch(pose)?;
                let point = [&pose.position.0[..], &moving.velocity.0, &torque];
                linear_model(&joints, [Output::Position, Output::Velocity], point, outputs, |x, v, torque| {
                    let along = lifted.pose_unchecked(Vec3(array(x)), branch).moving(Vec3(array(v)));
                    let acceleration = along.acceleration_under(array(torque), force.map(Dual::constant));
                    Evaluated {
                        q: along.pose.joints().to_vec(),
                        qd: along.joint_velocity().to_vec(),
                        tool: [along.pose.position, along.velocity, acceleration],
                        rate: acceleration.0.to_vec(),
                    }
                })
            }
            Coordinates::Constrained(_) if force != Vec3::zero() => {
                let text = "the model with constraints takes no force on the platform";
                Err(StateError::new(Reason::NotOffered, text).hint("use joint or Cartesian coordinates").into())
            }
            Coordinates::Constrained(poles) => self.constrained(moving, torque, poles, outputs),
        }
    }

    /// The linear model with 18 states. The nine coordinates and their rates are exactly those of the pose, so that the
    /// constraints hold at the point.
    fn constrained(
        &self,
        moving: &Moving<'_, f64>,
        torque: [f64; 3],
        poles: Poles,
        outputs: &[Output],
    ) -> Result<Linearized, LinearizeError> {
        let mechanical = mechanism::LinearModelError::from;
        let mut whole = Mechanism::new(self.delta.gravity());
        let parts = add_delta(&mut whole, "delta", &self.delta).map_err(mechanical)?;
        let (q, v) = (parts.coordinates(&moving.pose), parts.velocities(moving));
        let mut observed = Vec::new();
        for output in outputs {
            match output {
                Output::Joints => observed.extend(parts.arms.map(|arm| Observed::Coordinate(arm, 0))),
                Output::JointRates => observed.extend(parts.arms.map(|arm| Observed::Velocity(arm, 0))),
                Output::Position => observed.push(Observed::Point(parts.platform())),
                Output::Velocity => observed.push(Observed::PointVelocity(parts.platform())),
                Output::Acceleration => observed.push(Observed::PointAcceleration(parts.platform())),
            }
        }
        let mut model = mechanism::linear_model(&whole, (0.0, &q, &v), &torque, poles, &observed)?;
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
