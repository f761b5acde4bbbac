//! Linear models of a serial arm, in its joints.

use super::{SerialArm, array};
use crate::linear::Linearized;
use crate::robot::linear_model::{Coordinates, Evaluated, LinearizeError, Output, linear_model};
use crate::robot::{Family, JointVector, Reason, Refused, State};
use crate::serial::{Serial, Wrench};
use crate::{Dual, Vec3};

impl<const N: usize> SerialArm<N> {
    pub(super) fn linear_model(
        &self,
        state: &State,
        torque: &JointVector,
        force: Vec3<f64>,
        coordinates: Coordinates,
        outputs: &[Output],
    ) -> Result<Linearized, LinearizeError> {
        if coordinates != Coordinates::Joint {
            let text = "a serial arm has a linear model in joint coordinates only";
            return Err(Refused::new(Reason::NotOffered, text).into());
        }
        let [q, qd, tau] = [&state.joints.q, &state.joints.qd, torque].map(array::<N>);
        self.arm.at_joints(q).and_then(|pose| pose.try_moving(qd)?.try_acceleration(tau)).map_err(Refused::from)?;
        let lifted: Serial<Dual<f64, N>, N> = self.arm.lift();
        let wrench = Wrench { force: force.map(Dual::constant), moment: Vec3::zero() };
        linear_model(&self.joints(), [Output::Joints, Output::JointRates], [q, qd, tau], outputs, |q, qd, tau| {
            let moving = lifted.pose_unchecked(q).moving(qd);
            let mut driving = tau;
            if force != Vec3::zero() {
                let pushed = moving.pose.jacobian().transpose_times(wrench);
                driving = std::array::from_fn(|i| tau[i] + pushed[i]);
            }
            let qdd = moving.acceleration(driving);
            let [[velocity, _], [acceleration, _]] = [moving.tool_velocity(), moving.tool_acceleration(qdd)];
            Evaluated { q, qd, tool: [moving.pose.tool().origin, velocity, acceleration], rate: qdd }
        })
    }
}
