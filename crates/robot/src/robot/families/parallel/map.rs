//! Maps of parallel robots: the platform at each position, always turned the same way, or turned in all ways at one position.

use super::{ParallelRobot, ball_angles, branches};
use crate::Vec3;
use crate::array::map;
use crate::delta::Branch;
use crate::parallel::{Parallel, ParallelError, ParallelState};
use crate::robot::StateError;
use crate::robot::map::{self as maps, Channel, Field, Kind, MapError, MapOptions, Mapped, Places, Reason};
use crate::spatial::{Frame, Twist};

struct LegMap<'r, const N: usize> {
    robot: &'r Parallel<f64, N>,
    branches: [Branch; N],
    farthest: f64,
}

impl<const N: usize> ParallelRobot<N> {
    /// Turned as at home unless the options say otherwise.
    pub(super) fn map(&self, kind: Kind, options: &MapOptions) -> Result<Field<'_>, MapError> {
        Self::refuse_pick(&options.pick)?;
        if N == 3 && (options.orientation.is_some() || options.position.is_some()) {
            return Err(StateError::not_offered("an orientation: its platform does not turn", super::KIND.title).into());
        }
        // The margin of six rods is not one of [0, 1] that a robot could be anywhere near 1 of.
        let least_margin = options.least_margin.or((N > 3).then_some(0.0));
        let branches = branches(&self.robot, &options.pick);
        let map = LegMap { robot: &self.robot, branches, farthest: self.farthest() };
        Field::new(map, self, kind, &MapOptions { least_margin, ..options.clone() })
    }
}

impl<const N: usize> Mapped<N> for LegMap<'_, N> {
    type Pose<'a>
        = ParallelState<'a, f64, N>
    where
        Self: 'a;

    fn at(&self, tool: Frame<f64>) -> Result<ParallelState<'_, f64, N>, (Reason, f64)> {
        let pose = self.robot.at_tool_on(tool, self.branches).map_err(|error| match error {
            ParallelError::OutOfReach { distance, too_close: false, .. } => (Reason::ToolTooFar, distance),
            ParallelError::OutOfReach { distance, .. } => (Reason::ToolTooClose, distance),
            ParallelError::PlatformSingular { .. } | ParallelError::OtherSide { .. } => (Reason::PlatformSingular, 0.0),
            _ => (Reason::ToolTooClose, 0.0),
        })?;
        Ok(ParallelState::new(pose.moving(Twist::zero())))
    }

    fn ball_angles(&self, _: Frame<f64>, at: &ParallelState<'_, f64, N>) -> Option<[f64; N]> {
        Some(ball_angles(&at.moving.pose))
    }

    fn is_clear_by(&self, at: &ParallelState<'_, f64, N>, margin: f64) -> bool {
        let pose = &at.moving.pose;
        maps::are_clear(margin, pose.determinant(), &pose.transmission_margins())
    }

    fn bounds(&self) -> [[f64; 2]; 3] {
        map(self.robot.home().origin.0, |x| [x - self.farthest, x + self.farthest])
    }

    fn middle(&self, places: &Places) -> Option<Vec3<f64>> {
        Some(places.middle(self.robot.home()))
    }

    fn own_channels(&self, kind: &Kind) -> Option<Vec<Channel>> {
        match kind {
            Kind::Transmission => Some(maps::transmission_channels(N, "type-1 margin of a leg")),
            Kind::Determinant => Some(vec![Channel::new("determinant", "", "type-2 margin of the legs")]),
            _ => None,
        }
    }

    fn own_values(&self, kind: &Kind, at: &ParallelState<'_, f64, N>, values: &mut [f64]) {
        let pose = &at.moving.pose;
        match kind {
            Kind::Transmission => maps::put_transmission(&pose.transmission_margins(), values),
            _ => values[0] = pose.determinant().abs(),
        }
    }
}
