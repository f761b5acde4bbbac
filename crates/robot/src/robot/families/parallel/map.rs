//! Maps of parallel robots: the platform at each position, always turned the same way, or turned in all ways at one position.

use super::{ParallelRobot, branches, moving};
use crate::Vec3;
use crate::parallel::{Parallel, ParallelError};
use crate::robot::map::{self as maps, Channel, Field, Kind, MapError, MapOptions, Mapped, Places, Reason};
use crate::robot::{Pick, State, StateError};
use crate::spatial::Frame;

struct LegMap<'r, const N: usize> {
    robot: &'r Parallel<f64, N>,
    pick: Pick,
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
        let map = LegMap { robot: &self.robot, pick: options.pick.clone(), farthest: self.farthest() };
        Field::new(map, self, kind, &MapOptions { least_margin, ..options.clone() })
    }
}

impl<const N: usize> Mapped for LegMap<'_, N> {
    fn at(&self, tool: Frame<f64>) -> Result<State, (Reason, f64)> {
        let pose = self.robot.at_tool_on(tool, branches(self.robot, &self.pick)).map_err(|error| match error {
            ParallelError::OutOfReach { distance, too_close: false, .. } => (Reason::ToolTooFar, distance),
            ParallelError::OutOfReach { distance, .. } => (Reason::ToolTooClose, distance),
            ParallelError::PlatformSingular { .. } => (Reason::PlatformSingular, 0.0),
            _ => (Reason::ToolTooClose, 0.0),
        })?;
        Ok(maps::at_rest(&self.pick, pose.joints(), tool))
    }

    fn is_clear_by(&self, state: &State, margin: f64) -> bool {
        let pose = moving(self.robot, state).pose;
        maps::are_clear(margin, pose.determinant(), &pose.transmission_margins())
    }

    fn bounds(&self) -> [[f64; 2]; 3] {
        self.robot.home().origin.0.map(|x| [x - self.farthest, x + self.farthest])
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

    fn own_values(&self, kind: &Kind, state: &State, values: &mut [f64]) {
        let pose = moving(self.robot, state).pose;
        match kind {
            Kind::Transmission => maps::put_transmission(&pose.transmission_margins(), values),
            _ => values[0] = pose.determinant().abs(),
        }
    }
}
