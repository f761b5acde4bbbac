//! Maps of robots with a fourth axis: the platform at each position, with the tool turned one way.

use super::{Translating, TurningRobot, four};
use crate::dynamics::State as _;
use crate::robot::map::{
    Channel, Field, Kind, MapError, MapOptions, Mapped, MappedPose, Mapper, Places, Reason as Unreached,
};
use crate::robot::{Family, JointVector, Pick, Reason, StateError, ToolState};
use crate::turning::{Asked, TurningState};
use crate::{Mat3, Vec3};

struct AxisMap<'r, F> {
    robot: &'r TurningRobot<F>,
    /// The same quantity of the robot without its axis, where it has it.
    own: Box<dyn Field + 'r>,
    places: Places,
    pick: Pick,
}

/// The robot at a position, at rest.
struct AxisPose<'a, T> {
    here: TurningState<'a, T, f64>,
    /// Torques of the platform's own robot per acceleration of the platform.
    of_robot: [[f64; 3]; 3],
    balls: Option<JointVector>,
    place: Vec3<f64>,
}

impl<F: Translating> TurningRobot<F> {
    pub(super) fn map(&self, kind: Kind, options: &MapOptions) -> Result<Box<dyn Field + '_>, MapError> {
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
        let places = Places::of(options, self)?;
        let map = AxisMap { robot: self, own: self.robot.field(of_below, &below)?, places, pick: options.pick.clone() };
        Ok(Box::new(Mapper::new(map, self, kind, options)?))
    }
}

impl<F: Translating> Mapped<4> for AxisMap<'_, F> {
    type Pose<'a>
        = AxisPose<'a, F::Here<'a>>
    where
        Self: 'a;

    fn pose(&self, position: Vec3<f64>) -> Result<AxisPose<'_, F::Here<'_>>, (Unreached, f64)> {
        let mut tool = ToolState::translating(position, Vec3::zero(), Vec3::zero());
        tool.pose = self.places.frame(position);
        let state = self.robot.at_tool(&tool, &self.pick).map_err(|refused| match refused.reason {
            Reason::TooFar(by) => (Unreached::ToolTooFar, by),
            Reason::TooClose(by) => (Unreached::ToolTooClose, by),
            Reason::Singular(_) => (Unreached::PlatformSingular, 0.0),
            _ => (Unreached::ToolTooClose, 0.0),
        })?;
        let here = self.robot.here(&state);
        let mass = here.robot().mass_matrix();
        let rows = [0, 1, 2].map(|k| {
            let unit = Vec3::from_fn(|i| if i == k { 1.0 } else { 0.0 });
            let joints = here.robot().joint_acceleration(crate::spatial::Twist::translation(unit), [0.0; 3]);
            mass.map(|row| row.iter().zip(joints).map(|(m, qdd)| m * qdd).sum::<f64>())
        });
        let of_robot = [0, 1, 2].map(|i| rows.map(|row| row[i]));
        Ok(AxisPose { balls: Some(self.robot.ball_angles(&state)), here, of_robot, place: position })
    }

    fn bounds(&self) -> [[f64; 2]; 3] {
        self.own.bounds()
    }

    fn middle(&self) -> Option<Vec3<f64>> {
        let robot: &dyn Family = self.robot;
        Some(robot.workspace()?.center)
    }

    fn own_channels(&self, kind: &Kind) -> Option<Vec<Channel>> {
        matches!(kind, Kind::Transmission | Kind::Determinant).then(|| self.own.channels().to_vec())
    }

    fn own_values(&self, _: &Kind, pose: &AxisPose<'_, F::Here<'_>>, values: &mut [f64]) {
        self.own.evaluate(pose.place, values);
    }
}

impl<T: crate::dynamics::State<f64, 3>> MappedPose<4> for AxisPose<'_, T> {
    fn joints(&self) -> [f64; 4] {
        self.here.joints().0
    }
    fn ball_angles(&self) -> Option<[f64; 4]> {
        self.balls.as_ref().map(four)
    }
    fn is_clear_by(&self, margin: f64) -> bool {
        self.here.margin() >= margin
    }
    /// The axis moves the tool nowhere.
    fn jacobian(&self) -> [Vec3<f64>; 4] {
        let unit = |k: usize| Vec3::from_fn(|i| if i == k { 1.0 } else { 0.0 });
        let rows = [0, 1, 2].map(|k| self.here.robot().torque_of_wrench(crate::spatial::Wrench::force(unit(k))));
        std::array::from_fn(|i| if i < 3 { Vec3::from_fn(|k| rows[k][i]) } else { Vec3::zero() })
    }
    fn mass_matrix(&self) -> [[f64; 4]; 4] {
        self.here.mass_matrix()
    }
    fn gravity_torque(&self) -> [f64; 4] {
        crate::dynamics::State::gravity(&self.here)
    }
    fn torque_per_acceleration(&self) -> [Vec3<f64>; 4] {
        let asked: [Asked<f64>; 3] =
            [0, 1, 2].map(|k| self.here.axis().mass_times(Vec3::from_fn(|i| if i == k { 1.0 } else { 0.0 }), 0.0));
        let columns = self.jacobian();
        let force = Mat3::from_fn(|i, j| asked[j].force[i]);
        std::array::from_fn(|i| match i {
            0..=2 => Vec3::from_fn(|j| self.of_robot[i][j] + (0..3).map(|k| columns[i][k] * force[k][j]).sum::<f64>()),
            _ => Vec3::from_fn(|j| asked[j].torque),
        })
    }
}
