//! Maps of serial arms with a closed inverse kinematics: the tool at each position, always turned the same way, or turned in all
//! ways at one position, and on one branch, so that a map is a function of the place.

use super::ChainRobot;
use super::kernel::array;
use crate::Vec3;
use crate::robot::StateError;
use crate::robot::map::{Channel, Field, Kind, MapError, MapOptions, Mapped, Places, Reason};
use crate::serial::{InverseError, Moving, Pose, PumaBranch, PumaGeometry, Serial};
use crate::spatial::Frame;
use nalgebra::{Matrix6, Matrix6x3};

struct ArmMap<'r> {
    robot: &'r ChainRobot,
    arm: Serial<f64, 6>,
    geometry: &'r PumaGeometry,
    branch: PumaBranch,
}

impl ChainRobot {
    /// The tool points down and the posture is front, positive, positive unless the options say otherwise.
    pub(super) fn map(&self, kind: Kind, options: &MapOptions) -> Result<Field<'_>, MapError> {
        super::refuse_elbows(&options.pick)?;
        if options.least_margin.is_some_and(|margin| margin > 0.0) {
            return Err(StateError::not_offered("margins from singularities", self.kind().title)
                .hint("its maps show all that is reached")
                .into());
        }
        if self.coupled().next().is_some() {
            return Err(StateError::not_offered("maps", "serial arm with motors that turn with several joints").into());
        }
        let geometry = self.geometry()?;
        // Only arms with six joints have such a geometry.
        let Some(arm) = self.chain.serial::<6>() else {
            return Err(StateError::not_offered("maps", self.kind().title).into());
        };
        let branch = options.pick.posture.unwrap_or(PumaBranch::ALL[0]);
        Field::new(ArmMap { robot: self, arm, geometry, branch }, self, kind, options)
    }
}

impl Mapped<6> for ArmMap<'_> {
    type Pose<'a>
        = Moving<'a, f64, 6>
    where
        Self: 'a;

    fn at(&self, tool: Frame<f64>) -> Result<Moving<'_, f64, 6>, (Reason, f64)> {
        let solution = self.geometry.solve_branch(&tool, self.branch).map_err(|error| match error {
            InverseError::OutOfReach { distance } if distance > 0.0 => (Reason::ToolTooFar, distance),
            InverseError::OutOfReach { distance } | InverseError::TooNearToAxis { distance } => {
                (Reason::ToolTooClose, distance.abs())
            }
            _ => (Reason::ToolTooClose, 0.0),
        })?;
        Ok(self.arm.pose_unchecked(array(&self.robot.within_range(&solution.q.into()))).moving([0.0; 6]))
    }

    fn is_reached(&self, tool: Frame<f64>) -> bool {
        self.geometry.solve_branch(&tool, self.branch).is_ok()
    }

    fn bounds(&self) -> [[f64; 2]; 3] {
        let side = self.robot.extent();
        self.robot.chain.parameters().whole.base_frame().origin.0.map(|middle| [middle - side, middle + side])
    }

    /// Of orientations the usual one; positions have none that could be said.
    fn middle(&self, places: &Places) -> Option<Vec3<f64>> {
        let usual = || Frame { rotation: super::pointing_down(), origin: Vec3::zero() };
        matches!(places, Places::Orientations(_)).then(|| places.middle(usual()))
    }

    fn own_channels(&self, kind: &Kind) -> Option<Vec<Channel>> {
        (*kind == Kind::Determinant).then(|| vec![Channel::new("manipulability", "", "|det J|, lengths in metres")])
    }

    fn own_values(&self, _: &Kind, at: &Moving<'_, f64, 6>, values: &mut [f64]) {
        values[0] = whole_jacobian(&at.pose).determinant().abs();
    }

    fn jacobian(&self, at: &Moving<'_, f64, 6>) -> [Vec3<f64>; 6] {
        at.pose.jacobian().map(|column| column.linear)
    }

    fn torque_per_acceleration(&self, at: &Moving<'_, f64, 6>) -> [Vec3<f64>; 6] {
        let only_moved = Matrix6x3::from_fn(|i, j| if i == j { 1.0 } else { 0.0 });
        let mass = at.pose.mass_matrix();
        let solved = whole_jacobian(&at.pose).lu().solve(&only_moved);
        match solved.map(|moved| Matrix6::from_fn(|i, j| mass[i][j]) * moved) {
            Some(rows) => crate::array::from_fn(|i| Vec3::from_fn(|j| rows[(i, j)])),
            None => [Vec3([f64::INFINITY; 3]); 6],
        }
    }
}

/// Velocity and angular velocity of the tool per velocity of each joint.
fn whole_jacobian(pose: &Pose<'_, f64, 6>) -> Matrix6<f64> {
    let jacobian = pose.jacobian();
    Matrix6::from_fn(|i, j| jacobian[j].components()[i])
}
