//! Maps of a Delta: its platform anywhere, with the quantities that only it has.

use super::reach::{Reach, stretched};
use super::{DeltaRobot, elbows, stability};
use crate::algebra::{difference, three};
use crate::delta::models::Exact;
use crate::delta::{AnyModel, Branch, Delta, DeltaState, KinematicsError};
use crate::robot::StateError;
use crate::robot::map::{self as maps, Channel, Field, Kind, MapError, MapOptions, Mapped, Places, Reason};
use crate::spatial::Frame;
use crate::{Dual, Vec3};

struct DeltaMap<'r> {
    robot: &'r Delta<f64>,
    branch: Branch,
    /// For the stiffness.
    lifted: Delta<Dual<f64, 3>>,
    /// Of torque errors.
    models: Option<[AnyModel<f64>; 2]>,
}

impl DeltaRobot {
    pub(super) fn map(&self, kind: Kind, options: &MapOptions) -> Result<Field<'_>, MapError> {
        Self::refuse_posture(&options.pick)?;
        if options.orientation.is_some() || options.position.is_some() {
            return Err(StateError::not_offered("an orientation: its platform does not turn", super::KIND.title).into());
        }
        let models = match kind {
            Kind::TorqueError { model, reference, .. } => Some([self.applying(model)?, self.applying(reference)?]),
            _ => None,
        };
        let (robot, branch) = (&self.delta, elbows(&options.pick));
        Field::new(DeltaMap { robot, branch, lifted: robot.lift(), models }, self, kind, options)
    }
}

/// Why a position is not reached.
pub(super) fn reason(error: &KinematicsError) -> Reason {
    match *error {
        KinematicsError::OutOfReach { arm, too_close: false, .. } => Reason::TooFar(arm),
        KinematicsError::OutOfReach { arm, .. } | KinematicsError::OnMotorAxis { arm } => Reason::TooClose(arm),
        KinematicsError::ArmSingular { arm, .. } | KinematicsError::ArmNearlySingular { arm, .. } => {
            Reason::ArmSingular(arm)
        }
        _ => Reason::PlatformSingular,
    }
}

impl Mapped<3> for DeltaMap<'_> {
    type Pose<'a>
        = DeltaState<'a, f64, Exact>
    where
        Self: 'a;

    const OUT_OF_RANGE: fn(usize) -> Reason = Reason::JointRange;

    fn at(&self, tool: Frame<f64>) -> Result<DeltaState<'_, f64, Exact>, (Reason, f64)> {
        let pose =
            self.robot.at_position(self.robot.platform_of(tool.origin), self.branch).map_err(|error| match error {
                KinematicsError::OutOfReach { distance, .. } => (reason(&error), distance),
                // In reach, but singular.
                _ => (reason(&error), 0.0),
            })?;
        Ok(DeltaState::new(pose.moving(Vec3::zero()), &Exact))
    }

    fn ball_angles(&self, _: Frame<f64>, at: &DeltaState<'_, f64, Exact>) -> Option<[f64; 3]> {
        Some(at.moving.pose.ball_angles())
    }

    fn is_clear_by(&self, at: &DeltaState<'_, f64, Exact>, margin: f64) -> bool {
        let pose = &at.moving.pose;
        maps::are_clear(margin, pose.rod_determinant(), &pose.transmission_margins())
    }

    /// Below the base; no arm reaches the platform beyond its stretched length: the least over the arms.
    fn bounds(&self) -> [[f64; 2]; 3] {
        let side = stretched(self.robot).into_iter().fold(f64::INFINITY, f64::min);
        let [x, y, z] = self.robot.parameters().tool.0;
        [[x - side, x + side], [y - side, y + side], [z - side, z]]
    }

    fn middle(&self, _: &Places) -> Option<Vec3<f64>> {
        Some(Reach::of(self.robot).of_tool(self.robot).center)
    }

    fn own_channels(&self, kind: &Kind) -> Option<Vec<Channel>> {
        match kind {
            Kind::Transmission => Some(maps::transmission_channels(3, "type-1 margin of an arm")),
            Kind::Determinant => Some(vec![Channel::new("rod_determinant", "", "type-2 margin, |det[s1 s2 s3]|/L^3")]),
            Kind::Stability => maps::channels(kind, &[]),
            Kind::TorqueError { .. } => {
                let each = (1..=3).map(|i| Channel::new(format!("error{i}"), "N m", "largest torque error"));
                Some(each.chain([Channel::new("error", "N m", "largest over the motors")]).collect())
            }
            _ => None,
        }
    }

    fn own_values(&self, kind: &Kind, at: &DeltaState<'_, f64, Exact>, values: &mut [f64]) {
        let pose = &at.moving.pose;
        match *kind {
            Kind::Transmission => maps::put_transmission(&pose.transmission_margins(), values),
            Kind::Determinant => values[0] = pose.rod_determinant().abs(),
            Kind::Stability => {
                values.copy_from_slice(&stability::at_rest_of(&self.lifted, pose).told());
            }
            Kind::TorqueError { acceleration, .. } => {
                let Some([model, reference]) = &self.models else { return };
                let (model, reference) = (model.as_model(), reference.as_model());
                let held = difference(model.gravity_torque(pose), reference.gravity_torque(pose));
                let mass = model.mass_matrix(pose) - reference.mass_matrix(pose);
                let rows = mass.product(pose.jacobian());
                let error = three(|i| held[i].abs() + acceleration * rows[i].norm_squared().sqrt());
                values[..3].copy_from_slice(&error);
                values[3] = error.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            }
            _ => {}
        }
    }
}
