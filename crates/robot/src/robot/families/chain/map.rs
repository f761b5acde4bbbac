//! Maps of chains: the tool at each position, always turned the same way, or turned in all ways at one position. Each place has the joints that
//! inverse kinematics finds for it alone, so that a map is a function of the place.

use super::control::{Filled, FilledState};
use super::kernel::array;
use super::{ChainRobot, size};
use crate::Vec3;
use crate::dynamics::Dynamics as _;
use crate::linear::Matrix;
use crate::robot::map::{Channel, Field, Kind, MapError, MapOptions, Mapped, Places, Reason};
use crate::robot::{JointVector, Pick, StateError, ToolState};
use crate::serial::{InverseError, MAX_JOINTS, Method, PumaBranch};
use crate::spatial::{Frame, Twist};
use std::ops::Range;

/// Joints without a meaning, at which a chain shows what it can do almost everywhere.
const ANYWHERE: [f64; MAX_JOINTS] = [0.3, -0.7, 0.5, 1.1, -0.4, 0.8, -1.2, 0.6];

/// Rows of the Jacobian with smaller singular values count as dependent.
const DEPENDENT: f64 = 1e-9;

struct ArmMap<'r, const N: usize> {
    robot: &'r ChainRobot,
    formulas: Filled<N>,
    pick: Pick,
}

impl ChainRobot {
    /// Of arms with named postures in the first of them unless the options say otherwise.
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
        let mut options = options.clone();
        if self.geometry.is_ok() {
            options.pick.posture.get_or_insert(PumaBranch::ALL[0]);
        } else if options.pick.posture.is_some() {
            self.geometry()?;
        }
        self.check_freedom(options.position.is_some())?;
        if self.path_length() > 6 && self.is_searched() {
            let what = format!("maps with {} joints and no inverse kinematics in closed form", self.path_length());
            return Err(StateError::not_offered(&what, self.kind().title)
                .hint("where nothing is found, each position takes about a second: `ik` of a table of positions takes that time")
                .into());
        }
        fn sized<'r, const N: usize>(
            robot: &'r ChainRobot,
            kind: Kind,
            options: &MapOptions,
        ) -> Option<Result<Field<'r>, MapError>> {
            let map = ArmMap { robot, formulas: Filled::<N>::exactly(robot)?, pick: options.pick.clone() };
            Some(Field::new(map, robot, kind, options))
        }
        let all = [sized::<1>, sized::<2>, sized::<3>, sized::<4>, sized::<5>, sized::<6>, sized::<7>, sized::<8>];
        all.into_iter().find_map(|sized| sized(self, kind, &options)).unwrap_or_else(|| {
            let what = format!("maps with {} joints, more than {MAX_JOINTS},", self.chain.joints());
            Err(StateError::not_offered(&what, self.kind().title)
                .hint("map the arm alone: a file of the links that carry the tool")
                .into())
        })
    }

    /// Whether joints are searched for the tool, and not computed.
    fn is_searched(&self) -> bool {
        self.general().is_ok_and(|inverse| inverse.method() == Method::Search)
    }

    /// Of some rows of the Jacobian, what their rank is nearly everywhere.
    pub(super) fn rank(&self, rows: Range<usize>) -> usize {
        let at = self.with_path(&self.home_joints(), &ANYWHERE[..self.path_length().min(MAX_JOINTS)]);
        let jacobian = self.whole_jacobian(&at);
        jacobian.map_or(0, |all| all.rows(rows.start, rows.len()).into_owned().rank(DEPENDENT))
    }

    /// Velocity and angular velocity of the tool per velocity of each joint that moves it.
    fn whole_jacobian(&self, q: &[f64]) -> Option<Matrix> {
        let (path, columns) = (self.chain.path(), self.chain.at_joints(q).ok()?.jacobian());
        Some(Matrix::from_fn(6, path.len(), |i, k| columns[path[k]].components()[i]))
    }

    /// Refuses an arm whose joints are too few for its tool to keep its orientation, or its position, along two directions at least.
    fn check_freedom(&self, turning: bool) -> Result<(), StateError> {
        let joints = self.path_length();
        let (kept, what, other) = if turning { (0..3, "position", "turns") } else { (3..6, "orientation", "moves") };
        let free = self.rank(0..6) - self.rank(kept);
        if joints >= 6 || free >= 2 {
            return Ok(());
        }
        let text = format!(
            "with {joints} joints the tool {other} in {free} of 3 directions while it keeps its {what}: nearly every place of a map would be empty"
        );
        Err(StateError::new(crate::robot::Reason::NotOffered, text)
            .hint("`fk` of a table of joint positions shows where the tool goes and how it is turned"))
    }
}

impl<const N: usize> ArmMap<'_, N> {
    /// The joints that have the tool there.
    fn solved(&self, tool: &Frame<f64>) -> Result<JointVector, (Reason, f64)> {
        let Some(posture) = self.pick.posture else {
            return self.robot.reached(tool, &self.pick).ok_or((Reason::NoJoints, f64::NAN));
        };
        let geometry = self.robot.geometry.as_ref().map_err(|_| (Reason::NoJoints, f64::NAN))?;
        let solution = geometry.solve_branch(tool, posture).map_err(|error| match error {
            InverseError::OutOfReach { distance } if distance > 0.0 => (Reason::ToolTooFar, distance),
            InverseError::OutOfReach { distance } | InverseError::TooNearToAxis { distance } => {
                (Reason::ToolTooClose, distance.abs())
            }
            _ => (Reason::ToolTooClose, 0.0),
        })?;
        Ok(self.robot.within_range(&solution.q.into()))
    }
}

impl<const N: usize> Mapped<N> for ArmMap<'_, N> {
    type Pose<'a>
        = FilledState<'a, N>
    where
        Self: 'a;

    fn at(&self, tool: Frame<f64>) -> Result<FilledState<'_, N>, (Reason, f64)> {
        let q = self.robot.with_path(&self.robot.others(&self.pick), &self.solved(&tool)?);
        Ok(self.formulas.at_joints(array(&q), [0.0; N]))
    }

    /// Where an answer takes long, all within the length of the arm.
    fn may_reach(&self, tool: Frame<f64>) -> bool {
        if self.robot.path_length() <= 6 && !self.robot.is_searched() {
            return self.solved(&tool).is_ok();
        }
        let base = self.robot.chain.parameters().whole.base_frame().origin;
        size(tool.origin - base) <= self.robot.extent()
    }

    fn bounds(&self) -> [[f64; 2]; 3] {
        let side = self.robot.extent();
        self.robot.chain.parameters().whole.base_frame().origin.0.map(|middle| [middle - side, middle + side])
    }

    /// Of orientations the usual one; positions have none that could be said.
    fn middle(&self, places: &Places) -> Option<Vec3<f64>> {
        let usual = || Frame { rotation: self.robot.orientation, origin: Vec3::zero() };
        matches!(places, Places::Orientations(_)).then(|| places.middle(usual()))
    }

    fn own_channels(&self, kind: &Kind) -> Option<Vec<Channel>> {
        let meaning = match self.robot.path_length() {
            6 => "|det J|, lengths in metres",
            _ => "product of the singular values of J, lengths in metres",
        };
        (*kind == Kind::Determinant).then(|| vec![Channel::new("manipulability", "", meaning)])
    }

    fn own_values(&self, _: &Kind, at: &FilledState<'_, N>, values: &mut [f64]) {
        values[0] = match self.robot.whole_jacobian(&at.q) {
            Some(jacobian) if jacobian.is_square() => jacobian.determinant().abs(),
            Some(jacobian) => jacobian.singular_values().product(),
            None => f64::NAN,
        };
    }

    /// Infinite where the tool cannot accelerate in every direction without turning.
    fn torque_per_acceleration(&self, at: &FilledState<'_, N>) -> [Vec3<f64>; N] {
        let mass = self.robot.kernel.mass_matrix(&at.q);
        let rates = [0, 1, 2].map(|k| {
            let acceleration = Twist::translation(Vec3::from_fn(|i| f64::from(u8::from(i == k))));
            let still = ToolState::translating(Vec3::zero(), Vec3::zero(), Vec3::zero());
            self.robot.joint_rates(&JointVector::new(&at.q), &ToolState { acceleration, ..still })
        });
        match rates {
            [Ok([_, x]), Ok([_, y]), Ok([_, z])] => crate::array::from_fn(|i| {
                Vec3([&x, &y, &z].map(|qdd| mass[i].iter().zip(qdd.iter()).map(|(mass, qdd)| mass * qdd).sum()))
            }),
            _ => [Vec3([f64::INFINITY; 3]); N],
        }
    }
}
