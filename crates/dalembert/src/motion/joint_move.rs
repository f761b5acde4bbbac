//! Motions of serial arms in their joints, whatever their number.

use super::choice::{ChoiceError, LawChoice, Pace};
use super::machine::{ArmMachine, Machine, PerJoint};
use super::{
    BoxedMotion, Law, Motion, Path, PathError, PlanError, Polyline, Reversed, Sequence, SequenceError, State, Travel,
};
use crate::arm::{ArmVisitor, MOST_JOINTS};
use crate::describe::SerialRobot;
use crate::serial::{Joint, Serial};
use std::sync::Arc;

/// How much slower than the limits allow a move is unless somebody says otherwise: torque is left for the regulator.
const EASY: f64 = 1.5;

/// Where a joint that turns goes from and to in the usual move, rad from the middle of its range; one that slides goes
/// between the same parts of a metre over ten.
const USUAL: [f64; 2] = [0.3, 0.9];

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

/// From pose to pose, each leg straight in the joints.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMove {
    /// Joints of each pose, rad (m).
    pub poses: Vec<Vec<f64>>,
    /// Distance from a pose between others at which the blend begins, rad (m).
    pub blend: f64,
    /// Whether it goes back the same way.
    pub back: bool,
    /// How often.
    pub cycles: usize,
    /// When.
    pub law: LawChoice,
    /// How fast; [`Pace::Duration`] is that of one way.
    pub pace: Pace,
}

/// Why an arm has no such motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum JointMoveError {
    #[error("pose {pose} has {found} numbers, but the arm has {joints} joints")]
    Joints { pose: usize, found: usize, joints: usize },
    #[error("a motion is done at least once")]
    NoCycle,
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    #[error(transparent)]
    Sequence(#[from] SequenceError),
}

impl JointMove {
    /// An ordinary move that every arm can do: all joints by the same, off the middle of their ranges, there and back.
    pub fn usual(robot: &SerialRobot) -> Self {
        let pose = |part: f64| {
            let joint = |(link, limits): (&crate::serial::LinkParameters<f64>, &crate::serial::SerialLimits)| {
                let [least, most] = limits.range;
                let (middle, width) = if (most - least).is_finite() {
                    (0.5 * (least + most), most - least)
                } else {
                    (0.0, f64::INFINITY)
                };
                let away = if link.joint == Joint::Prismatic { 0.1 * part } else { part };
                // Half of the way to the end of a narrow range.
                middle + away.min(0.25 * width * part / USUAL[1])
            };
            robot.arm.links().iter().zip(&robot.limits).map(joint).collect()
        };
        Self {
            poses: USUAL.map(pose).to_vec(),
            blend: 0.05,
            back: true,
            cycles: 1,
            law: LawChoice::SineOnRamp { ratio: 1.0 },
            pace: Pace::Slower(EASY),
        }
    }

    /// In words.
    pub fn name(&self) -> String {
        let legs = self.poses.len().saturating_sub(1);
        let legs = if legs == 1 { String::from("joint move") } else { format!("joint move over {legs} legs") };
        let back = if self.back { ", there and back" } else { "" };
        let often = if self.cycles == 1 { String::new() } else { format!(", {} times", self.cycles) };
        format!("{legs}{back}{often}")
    }

    /// The law of time of one way.
    fn along<P: Path, M: Machine<Point = P::Point>>(&self, path: &P, machine: &M) -> Result<Law, ChoiceError> {
        match self.law.along(path, machine, self.pace) {
            Err(ChoiceError::Plan(PlanError::NoLimit)) => self.law.along(path, machine, Pace::Duration(1.0)),
            other => other,
        }
        .map(|chosen| chosen.law)
    }

    /// The motion of an arm. Where the robot has no limits and no time is asked for, one way takes a second.
    pub fn motion(
        &self,
        robot: &SerialRobot,
    ) -> Result<Arc<dyn Motion<Point = PerJoint> + Send + Sync>, JointMoveError> {
        let joints = robot.arm.joints().min(MOST_JOINTS);
        for (i, pose) in self.poses.iter().enumerate() {
            if pose.len() != joints {
                return Err(JointMoveError::Joints { pose: i + 1, found: pose.len(), joints });
            }
        }
        if self.cycles == 0 {
            return Err(JointMoveError::NoCycle);
        }
        robot.arm.visit(Build { plan: self, robot })
    }
}

struct Build<'a> {
    plan: &'a JointMove,
    robot: &'a SerialRobot,
}

impl ArmVisitor for Build<'_> {
    type Output = Result<Arc<dyn Motion<Point = PerJoint> + Send + Sync>, JointMoveError>;
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
        let Self { plan, robot } = self;
        let poses: Vec<[f64; N]> = plan.poses.iter().map(|q| std::array::from_fn(|i| q[i])).collect();
        let path = Arc::new(Polyline::new(&poses, plan.blend)?);
        let machine = ArmMachine::new(arm, robot);
        let there = plan.along(&path, &machine)?;
        // Gravity helps another way back.
        let back = plan.back.then(|| plan.along(&Reversed(Arc::clone(&path)), &machine)).transpose()?;
        let mut parts: Vec<BoxedMotion<[f64; N]>> = Vec::new();
        for _ in 0..plan.cycles {
            let travel = Travel::new(Arc::clone(&path), |_| Ok(there.clone())).map_err(ChoiceError::from)?;
            parts.push(Box::new(travel));
            if let Some(law) = &back {
                let path = Reversed(Arc::clone(&path));
                parts.push(Box::new(Travel::new(path, |_| Ok(law.clone())).map_err(ChoiceError::from)?));
            }
        }
        Ok(Arc::new(Padded(Sequence::new(parts)?)))
    }
}
