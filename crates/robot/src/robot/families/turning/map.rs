//! Maps of robots with a fourth axis: the platform at each position, with the tool turned one way.

use super::{Translating, TurningRobot};
use crate::Vec3;
use crate::dynamics::State as _;
use crate::robot::map::{Channel, Field, Kind, MapError, MapOptions, Mapped, Places, Reason as Unreached};
use crate::robot::own::padded;
use crate::robot::{Family, Pick, Reason, State, StateError, ToolState};
use crate::spatial::Frame;
use crate::turning::TurningState;

struct AxisMap<'r, F> {
    robot: &'r TurningRobot<F>,
    /// The same quantity of the robot without its axis, where it has it.
    own: Field<'r>,
    pick: Pick,
}

impl<F: Translating> TurningRobot<F> {
    pub(super) fn map(&self, kind: Kind, options: &MapOptions) -> Result<Field<'_>, MapError> {
        if options.position.is_some() {
            let text = "a fourth axis turns the tool about z only: there is no map over orientations";
            return Err(StateError::new(Reason::NotOffered, text).into());
        }
        let below = MapOptions { orientation: None, pick: super::of_robot_pick(&options.pick), ..*options };
        // What only the robot below has is as without the axis, where the shaft allows it.
        let of_below = match kind {
            Kind::Transmission | Kind::Determinant => kind,
            _ => Kind::Reach,
        };
        let own = self.robot.field(of_below, &below)?;
        Field::new(AxisMap { robot: self, own, pick: options.pick.clone() }, self, kind, options)
    }
}

impl<F: Translating> AxisMap<'_, F> {
    fn state(&self, tool: Frame<f64>) -> Result<State, StateError> {
        let still = ToolState { pose: tool, ..ToolState::translating(tool.origin, Vec3::zero(), Vec3::zero()) };
        self.robot.at_tool(&still, &self.pick)
    }
}

impl<F: Translating> Mapped<4> for AxisMap<'_, F> {
    type Pose<'a>
        = TurningState<'a, F::Here<'a>, f64>
    where
        Self: 'a;

    fn at(&self, tool: Frame<f64>) -> Result<TurningState<'_, F::Here<'_>, f64>, (Unreached, f64)> {
        let state = self.state(tool).map_err(|refused| match refused.reason {
            Reason::TooFar(by) => (Unreached::ToolTooFar, by),
            Reason::TooClose(by) => (Unreached::ToolTooClose, by),
            Reason::Singular(_) => (Unreached::PlatformSingular, 0.0),
            _ => (Unreached::ToolTooClose, 0.0),
        })?;
        Ok(self.robot.here(&state))
    }

    fn ball_angles(&self, tool: Frame<f64>, _: &TurningState<'_, F::Here<'_>, f64>) -> Option<[f64; 4]> {
        self.state(tool).ok().map(|state| padded(&self.robot.ball_angles(&state)))
    }

    fn is_clear_by(&self, pose: &TurningState<'_, F::Here<'_>, f64>, margin: f64) -> bool {
        pose.margin() >= margin
    }

    fn bounds(&self) -> [[f64; 2]; 3] {
        self.own.bounds()
    }

    fn middle(&self, _: &Places) -> Option<Vec3<f64>> {
        let robot: &dyn Family = self.robot;
        Some(robot.workspace()?.center)
    }

    fn own_channels(&self, kind: &Kind) -> Option<Vec<Channel>> {
        matches!(kind, Kind::Transmission | Kind::Determinant).then(|| self.own.channels().to_vec())
    }

    fn own_values(&self, _: &Kind, pose: &TurningState<'_, F::Here<'_>, f64>, values: &mut [f64]) {
        self.own.evaluate(pose.tool().origin, values);
    }
}
