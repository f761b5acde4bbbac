//! Maps of a Delta: its platform anywhere, with the quantities that only it has.

use super::reach::{Reach, stretched};
use super::{DeltaRobot, elbows, stability};
use crate::algebra::{difference, three};
use crate::delta::{AnyModel, Branch, Delta, KinematicsError, Pose};
use crate::robot::StateError;
use crate::robot::map::{self as maps, Channel, Field, Kind, MapError, MapOptions, Mapped, MappedPose, Mapper, Reason};
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
    pub(super) fn map(&self, kind: Kind, options: &MapOptions) -> Result<Box<dyn Field + '_>, MapError> {
        Self::refuse_posture(&options.pick)?;
        if options.orientation.is_some() || options.position.is_some() {
            return Err(StateError::not_offered("an orientation: its platform does not turn", super::KIND.title).into());
        }
        let models = match kind {
            Kind::TorqueError { model, reference, .. } => Some([self.applying(model)?, self.applying(reference)?]),
            _ => None,
        };
        let (robot, branch) = (&self.delta, elbows(&options.pick));
        let map = DeltaMap { robot, branch, lifted: robot.lift(), models };
        Ok(Box::new(Mapper::new(map, self, kind, options)?))
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
        = Pose<'a, f64>
    where
        Self: 'a;

    const OUT_OF_RANGE: fn(usize) -> Reason = Reason::JointRange;

    fn pose(&self, position: Vec3<f64>) -> Result<Pose<'_, f64>, (Reason, f64)> {
        self.robot.at_position(position, self.branch).map_err(|error| match error {
            KinematicsError::OutOfReach { distance, .. } => (reason(&error), distance),
            // In reach, but singular.
            _ => (reason(&error), 0.0),
        })
    }

    /// Below the base; no arm reaches the platform beyond its stretched length: the least over the arms.
    fn bounds(&self) -> [[f64; 2]; 3] {
        let side = stretched(self.robot).into_iter().fold(f64::INFINITY, f64::min);
        [[-side, side], [-side, side], [-side, 0.0]]
    }

    fn middle(&self) -> Option<Vec3<f64>> {
        Some(Reach::of(self.robot).center)
    }

    fn own_channels(&self, kind: &Kind) -> Option<Vec<Channel>> {
        let arms = |name: &str, unit, meaning, last_meaning| {
            let mut all: Vec<Channel> = (1..=3).map(|i| Channel::new(format!("{name}{i}"), unit, meaning)).collect();
            all.push(Channel::new(name, unit, last_meaning));
            all
        };
        match kind {
            Kind::Transmission => Some(arms("transmission", "", "type-1 margin of an arm", "least type-1 margin")),
            Kind::Determinant => Some(vec![Channel::new("rod_determinant", "", "type-2 margin, |det[s1 s2 s3]|/L^3")]),
            Kind::Stability => maps::channels(kind, &[]),
            Kind::TorqueError { .. } => Some(arms("error", "N m", "largest torque error", "largest over the motors")),
            _ => None,
        }
    }

    fn own_values(&self, kind: &Kind, pose: &Pose<'_, f64>, values: &mut [f64]) {
        match *kind {
            Kind::Transmission => {
                let margins = pose.transmission_margins();
                values[..3].copy_from_slice(&margins);
                values[3] = margins.iter().fold(f64::INFINITY, |m, x| m.min(x.abs()));
            }
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

impl MappedPose<3> for Pose<'_, f64> {
    fn joints(&self) -> [f64; 3] {
        Pose::joints(self)
    }
    fn ball_angles(&self) -> Option<[f64; 3]> {
        Some(Pose::ball_angles(self))
    }
    fn is_clear_by(&self, margin: f64) -> bool {
        let clear = |of: f64| of.abs() >= margin;
        clear(self.rod_determinant()) && self.transmission_margins().into_iter().all(clear)
    }
    fn jacobian(&self) -> [Vec3<f64>; 3] {
        self.inverse_jacobian().transpose().0
    }
    fn mass_matrix(&self) -> [[f64; 3]; 3] {
        Pose::mass_matrix(self).0.map(|row| row.0)
    }
    fn gravity_torque(&self) -> [f64; 3] {
        Pose::gravity_torque(self)
    }
    /// τ = τ_g + Kᵀ M a.
    fn torque_per_acceleration(&self) -> [Vec3<f64>; 3] {
        self.inverse_jacobian().transpose().product(self.cartesian_mass_matrix()).0
    }
}
