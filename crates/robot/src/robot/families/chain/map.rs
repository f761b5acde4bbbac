//! Maps of serial arms with a closed inverse kinematics: the tool at each position, always turned the same way, or turned in all
//! ways at one position, and on one branch, so that a map is a function of the place.

use super::ChainRobot;
use super::kernel::array;
use crate::Vec3;
use crate::robot::StateError;
use crate::robot::map::{
    Channel, Field, Kind, MapAxis, MapError, MapOptions, Mapped, MappedPose, Mapper, Places, Reason,
};
use crate::serial::{InverseError, Pose, PumaBranch, PumaGeometry, PumaSolution, Serial};
use crate::spatial::Frame;
use nalgebra::{Matrix6, Matrix6x3};

struct ArmMap<'r> {
    robot: &'r ChainRobot,
    arm: Serial<f64, 6>,
    geometry: &'r PumaGeometry,
    places: Places,
    branch: PumaBranch,
}

impl ChainRobot {
    /// The tool points down and the posture is front, positive, positive unless the options say otherwise.
    pub(super) fn map(&self, kind: Kind, options: &MapOptions) -> Result<Box<dyn Field + '_>, MapError> {
        super::refuse_elbows(&options.pick)?;
        if options.least_margin.is_some_and(|margin| margin > 0.0) {
            return Err(StateError::not_offered("margins from singularities", self.kind().title)
                .hint("its maps show all that is reached")
                .into());
        }
        let geometry = self.geometry()?;
        // Only arms with six joints have such a geometry.
        let Some(arm) = self.chain.serial::<6>() else {
            return Err(StateError::not_offered("maps", self.kind().title).into());
        };
        let places = Places::of(options, self)?;
        let branch = options.pick.posture.unwrap_or(PumaBranch::ALL[0]);
        Ok(Box::new(Mapper::new(ArmMap { robot: self, arm, geometry, places, branch }, self, kind, options)?))
    }
}

impl ArmMap<'_> {
    fn joints(&self, position: Vec3<f64>) -> Result<PumaSolution, InverseError> {
        self.geometry.solve_branch(&self.places.frame(position), self.branch)
    }
}

impl Mapped<6> for ArmMap<'_> {
    type Pose<'a>
        = Pose<'a, f64, 6>
    where
        Self: 'a;

    fn pose(&self, position: Vec3<f64>) -> Result<Pose<'_, f64, 6>, (Reason, f64)> {
        match self.joints(position) {
            Ok(solution) => Ok(self.arm.pose_unchecked(array(&self.robot.within_range(&solution.q.into())))),
            Err(InverseError::OutOfReach { distance }) if distance > 0.0 => Err((Reason::ToolTooFar, distance)),
            Err(InverseError::OutOfReach { distance } | InverseError::TooNearToAxis { distance }) => {
                Err((Reason::ToolTooClose, distance.abs()))
            }
            Err(_) => Err((Reason::ToolTooClose, 0.0)),
        }
    }

    fn is_reached(&self, position: Vec3<f64>) -> bool {
        self.joints(position).is_ok()
    }

    fn bounds(&self) -> [[f64; 2]; 3] {
        let side = self.robot.extent();
        self.places.bounds([[-side, side]; 3])
    }

    /// Of orientations the usual one; positions have none that could be said.
    fn middle(&self) -> Option<Vec3<f64>> {
        let usual = || Frame { rotation: super::pointing_down(), origin: Vec3::zero() };
        matches!(self.places, Places::Orientations(_)).then(|| self.places.middle(usual()))
    }

    fn axes(&self) -> [MapAxis; 3] {
        self.places.axes()
    }

    fn own_channels(&self, kind: &Kind) -> Option<Vec<Channel>> {
        (*kind == Kind::Determinant).then(|| vec![Channel::new("manipulability", "", "|det J|, lengths in metres")])
    }

    fn own_values(&self, _: &Kind, pose: &Pose<'_, f64, 6>, values: &mut [f64]) {
        values[0] = whole_jacobian(pose).determinant().abs();
    }
}

/// Velocity and angular velocity of the tool per velocity of each joint.
fn whole_jacobian(pose: &Pose<'_, f64, 6>) -> Matrix6<f64> {
    let jacobian = pose.jacobian();
    Matrix6::from_fn(|i, j| if i < 3 { jacobian.linear[j][i] } else { jacobian.angular[j][i - 3] })
}

impl MappedPose<6> for Pose<'_, f64, 6> {
    fn joints(&self) -> [f64; 6] {
        self.q
    }
    fn jacobian(&self) -> [Vec3<f64>; 6] {
        Pose::jacobian(self).linear
    }
    fn mass_matrix(&self) -> [[f64; 6]; 6] {
        Pose::mass_matrix(self)
    }
    fn gravity_torque(&self) -> [f64; 6] {
        Pose::gravity_torque(self)
    }
    /// τ = τ_g + M J⁻¹ (a, 0).
    fn torque_per_acceleration(&self) -> [Vec3<f64>; 6] {
        let only_moved = Matrix6x3::from_fn(|i, j| if i == j { 1.0 } else { 0.0 });
        let mass = Pose::mass_matrix(self);
        let solved = whole_jacobian(self).lu().solve(&only_moved);
        let rows = solved.map(|moved| Matrix6::from_fn(|i, j| mass[i][j]) * moved);
        std::array::from_fn(|i| match &rows {
            Some(rows) => Vec3::from_fn(|j| rows[(i, j)]),
            None => Vec3::from_fn(|_| f64::INFINITY),
        })
    }
}
