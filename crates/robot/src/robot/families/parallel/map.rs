//! Maps of parallel robots: the platform at each position, always turned the same way, or turned in all ways at one position.

use super::{ParallelRobot, ball_angles, branches};
use crate::Vec3;
use crate::delta::Branch;
use crate::parallel::{Parallel, ParallelError, Pose};
use crate::robot::StateError;
use crate::robot::map::{
    Channel, Field, Kind, MapAxis, MapError, MapOptions, Mapped, MappedPose, Mapper, Places, Reason,
};

struct LegMap<'r, const N: usize> {
    robot: &'r Parallel<f64, N>,
    places: Places,
    branches: [Branch; N],
    farthest: f64,
}

impl<const N: usize> ParallelRobot<N> {
    /// Turned as at home unless the options say otherwise.
    pub(super) fn map(&self, kind: Kind, options: &MapOptions) -> Result<Box<dyn Field + '_>, MapError> {
        Self::refuse_pick(&options.pick)?;
        if N == 3 && (options.orientation.is_some() || options.position.is_some()) {
            return Err(StateError::not_offered("an orientation: its platform does not turn", super::KIND.title).into());
        }
        // The margin of six rods is not one of [0, 1] that a robot could be anywhere near 1 of.
        let least_margin = options.least_margin.or((N > 3).then_some(0.0));
        let map = LegMap {
            robot: &self.robot,
            places: Places::of(options, self)?,
            branches: branches(&self.robot, &options.pick),
            farthest: self.farthest(),
        };
        Ok(Box::new(Mapper::new(map, self, kind, &MapOptions { least_margin, ..options.clone() })?))
    }
}

impl<const N: usize> Mapped<N> for LegMap<'_, N> {
    type Pose<'a>
        = Pose<'a, f64, N>
    where
        Self: 'a;

    fn pose(&self, position: Vec3<f64>) -> Result<Pose<'_, f64, N>, (Reason, f64)> {
        self.robot.at_tool_on(self.places.frame(position), self.branches).map_err(|error| match error {
            ParallelError::OutOfReach { distance, too_close: false, .. } => (Reason::ToolTooFar, distance),
            ParallelError::OutOfReach { distance, .. } => (Reason::ToolTooClose, distance),
            ParallelError::PlatformSingular { .. } => (Reason::PlatformSingular, 0.0),
            _ => (Reason::ToolTooClose, 0.0),
        })
    }

    fn bounds(&self) -> [[f64; 2]; 3] {
        self.places.bounds(self.robot.home().origin.0.map(|x| [x - self.farthest, x + self.farthest]))
    }

    fn middle(&self) -> Option<Vec3<f64>> {
        Some(self.places.middle(self.robot.home()))
    }

    fn axes(&self) -> [MapAxis; 3] {
        self.places.axes()
    }

    fn own_channels(&self, kind: &Kind) -> Option<Vec<Channel>> {
        match kind {
            Kind::Transmission => {
                let each = (1..=N).map(|i| Channel::new(format!("transmission{i}"), "", "type-1 margin of a leg"));
                Some(each.chain([Channel::new("transmission", "", "least type-1 margin")]).collect())
            }
            Kind::Determinant => Some(vec![Channel::new("determinant", "", "type-2 margin of the legs")]),
            _ => None,
        }
    }

    fn own_values(&self, kind: &Kind, pose: &Pose<'_, f64, N>, values: &mut [f64]) {
        match kind {
            Kind::Transmission => {
                let margins = pose.transmission_margins();
                values[..N].copy_from_slice(&margins);
                values[N] = margins.iter().fold(f64::INFINITY, |m, x| m.min(x.abs()));
            }
            _ => values[0] = pose.determinant().abs(),
        }
    }
}

impl<const N: usize> MappedPose<N> for Pose<'_, f64, N> {
    fn joints(&self) -> [f64; N] {
        Pose::joints(self)
    }
    fn ball_angles(&self) -> Option<[f64; N]> {
        Some(ball_angles(self))
    }
    fn is_clear_by(&self, margin: f64) -> bool {
        let clear = |of: f64| of.abs() >= margin;
        clear(self.determinant()) && self.transmission_margins().into_iter().all(clear)
    }
    fn jacobian(&self) -> [Vec3<f64>; N] {
        self.columns(&self.factors()).map(|column| Vec3::from_fn(|i| column[i]))
    }
    fn mass_matrix(&self) -> [[f64; N]; N] {
        Pose::mass_matrix(self, &self.factors())
    }
    fn gravity_torque(&self) -> [f64; N] {
        Pose::gravity_torque(self, &self.factors())
    }
    /// τ = τ_g + Kᵀ M (a, 0).
    fn torque_per_acceleration(&self) -> [Vec3<f64>; N] {
        let (columns, mass) = (self.columns(&self.factors()), self.platform_mass_matrix());
        columns.map(|column| Vec3::from_fn(|j| (0..N).map(|k| column[k] * mass[k][j]).sum()))
    }
}
