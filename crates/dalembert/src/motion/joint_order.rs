//! Orders that a serial arm carries out: in its joints, whatever their number.

use super::arm_machine::ArmMachine;
use super::machine::PerJoint;
use super::named::{TaskError, points};
use super::order::{MotionOrder, OrderError};
use super::{BoxedMotion, Motion, Path, Polyline, Repeated, Reversed, Sequence, State, Travel};
use crate::arm::{ArmVisitor, SerialArm};
use crate::describe::{Dimension, SerialRobot};
use crate::serial::{Joint, LinkParameters, Serial, SerialLimits};
use std::sync::Arc;

/// The motion by name that every arm has: all joints off the middle of their ranges, by the same, and back.
pub const SWING: &str = "swing";

/// Where a joint that turns goes from and to in [`SWING`], rad from the middle of its range; one that slides by a tenth of
/// that in metres, and in a narrow range none beyond a quarter of it.
const USUAL: [f64; 2] = [0.3, 0.9];

/// The blend of polylines, rad.
const BLEND: f64 = 0.02;

/// A motion of an arm of any number of joints, the rest of the numbers zero.
pub struct Padded<M>(pub M);

fn padded<const N: usize>(values: [f64; N]) -> PerJoint {
    std::array::from_fn(|i| values.get(i).copied().unwrap_or(0.0))
}

impl<const N: usize, M: Motion<Point = [f64; N]>> Motion for Padded<M> {
    type Point = PerJoint;
    fn duration(&self) -> f64 {
        self.0.duration()
    }
    fn at(&self, t: f64) -> State<PerJoint> {
        let State { position, velocity, acceleration } = self.0.at(t);
        State { position: padded(position), velocity: padded(velocity), acceleration: padded(acceleration) }
    }
    fn breaks(&self) -> Vec<f64> {
        self.0.breaks()
    }
}

/// A motion of an arm with its laws of time.
pub struct TimedJoints {
    /// The motion.
    pub motion: BoxedMotion<PerJoint>,
    /// Duration of each stroke, s.
    pub strokes: Vec<f64>,
    /// Of one stroke, rad.
    pub length: f64,
    /// As [`Timed::optimal`](super::named::Timed::optimal).
    pub optimal: Option<(f64, f64)>,
    /// Largest jerk along the path, rad/s³; infinite where the acceleration jumps.
    pub jerk: f64,
}

/// Whether a path leads an arm of so many joints from pose to pose: a swing, or points with a number for each joint. What else
/// there is leads the tool, and so do points with three numbers.
pub fn is_of_joints(path: &str, joints: usize) -> bool {
    match path.split_once(':') {
        Some(("line" | "polyline", points)) => {
            joints == 3 || points.split('/').next().is_some_and(|first| first.split(',').count() != 3)
        }
        Some(_) => false,
        None => path == SWING,
    }
}

/// The poses of an order, rad (m), and whether it goes back.
fn poses(order: &MotionOrder, robot: &SerialRobot) -> Result<(Vec<Vec<f64>>, bool), OrderError> {
    let slides = |link: &LinkParameters<f64>| link.joint == Joint::Prismatic;
    if order.path == SWING {
        let pose = |part: f64| {
            let joint = |(link, limits): (&LinkParameters<f64>, &SerialLimits)| {
                let [least, most] = limits.range;
                let bounded = (most - least).is_finite();
                let (middle, width) = if bounded { (0.5 * (least + most), most - least) } else { (0.0, f64::INFINITY) };
                let away = if slides(link) { 0.1 * part } else { part };
                middle + away.min(0.25 * width * part / USUAL[1])
            };
            robot.arm.links().iter().zip(&robot.limits).map(joint).collect()
        };
        return Ok((USUAL.map(pose).to_vec(), true));
    }
    let dimension = |link| if slides(link) { Dimension::Length } else { Dimension::Angle };
    let dimensions: Vec<Dimension> = robot.arm.links().iter().map(dimension).collect();
    match points(&order.path, &dimensions)? {
        Some(("line" | "polyline", poses)) => Ok((poses, false)),
        _ => Err(OrderError::NotOfArms { path: order.path.clone() }),
    }
}

impl MotionOrder {
    /// What an arm does unless somebody says otherwise.
    pub fn of_arm() -> Self {
        Self { path: String::from(SWING), ..Self::default() }
    }

    /// The motion of a serial arm, as often as it is ordered, within the limits of `robot`, for an arm as its controller
    /// knows it; `usual_share` of the limits is used where the order names no other.
    pub fn timed_joints(
        &self,
        robot: &SerialRobot,
        known: &SerialArm,
        usual_share: f64,
    ) -> Result<TimedJoints, OrderError> {
        for (what, given) in [
            ("center", self.center.is_some()),
            ("direction", self.direction.is_some()),
            ("width", self.measures.width.is_some()),
            ("height", self.measures.height.is_some()),
        ] {
            if given {
                return Err(OrderError::NotOfJoints { what });
            }
        }
        let (poses, back) = poses(self, robot)?;
        if poses.len() < 3 && self.measures.blend.is_some() {
            return Err(OrderError::NotOfJoints { what: "blend" });
        }
        known.visit(Build { order: self, robot, poses, back, share: self.share.unwrap_or(usual_share) })
    }
}

struct Build<'a> {
    order: &'a MotionOrder,
    robot: &'a SerialRobot,
    poses: Vec<Vec<f64>>,
    back: bool,
    share: f64,
}

impl ArmVisitor for Build<'_> {
    type Output = Result<TimedJoints, OrderError>;
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
        let Self { order, robot, poses, back, share } = self;
        let pose = |q: &Vec<f64>| -> [f64; N] { std::array::from_fn(|i| q.get(i).copied().unwrap_or(0.0)) };
        let poses: Vec<[f64; N]> = poses.iter().map(pose).collect();
        let path = Polyline::new(&poses, order.measures.blend.unwrap_or(BLEND)).map_err(TaskError::from)?;
        let path: Arc<dyn Path<Point = [f64; N]> + Send + Sync> = Arc::new(path);
        let machine = ArmMachine::new(arm, robot).spared(share);
        let law = order.law()?;
        let pace = order.pace(if back { 2 } else { 1 }, 0.0)?;
        let mut parts: Vec<BoxedMotion<[f64; N]>> = Vec::new();
        let (mut strokes, mut jerk) = (Vec::new(), 0.0_f64);
        let mut optimal: Option<(f64, f64)> = None;
        let length = path.length();
        let mut add = |path: Arc<dyn Path<Point = [f64; N]> + Send + Sync>| -> Result<(), OrderError> {
            let stroke = strokes.len() + 1;
            let chosen = law.along(&path, &machine, pace).map_err(|cause| TaskError::Choice { stroke, cause })?;
            strokes.push(chosen.law.duration());
            jerk = jerk.max(chosen.law.peak_jerk());
            if let Some((unsmoothed, active)) = chosen.optimal {
                let sum = optimal.get_or_insert((0.0, 0.0));
                *sum = (sum.0 + unsmoothed, sum.1 + active * chosen.law.duration());
            }
            let travel = Travel::new(path, |_| Ok(chosen.law));
            parts.push(Box::new(travel.map_err(|cause| TaskError::Choice { stroke, cause: cause.into() })?));
            Ok(())
        };
        add(Arc::clone(&path))?;
        if back {
            // With a law of its own: gravity helps another way.
            add(Arc::new(Reversed(path)))?;
        }
        let once = Sequence::new(parts).map_err(TaskError::from)?;
        let motion = Padded(Repeated::new(once, order.cycles)?);
        let moving: f64 = strokes.iter().sum();
        let optimal = optimal.map(|(unsmoothed, active)| (unsmoothed, active / moving));
        Ok(TimedJoints { motion: Box::new(motion), strokes, length, optimal, jerk })
    }
}
