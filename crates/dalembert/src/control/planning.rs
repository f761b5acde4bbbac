//! From an order to the motion that a controlled robot follows.

use super::Experiment;
use crate::analyze::Reach;
use crate::describe::Robot;
use crate::motion::{DeltaMachine, MotionOrder, OrderError, Rest, Time};
use std::sync::Arc;

impl Experiment {
    /// The part of the limits of torque and speed that a motion without a time is planned with: the rest is for the controller.
    pub const SHARE: f64 = 0.7;

    /// Time of a stroke where neither the order nor a limit of the robot says how long it takes, s.
    pub const STROKE: f64 = 0.3;

    /// A robot that does what is ordered and that its controller knows exactly, with usual drives and sensors.
    pub fn ordered(robot: Robot, order: &MotionOrder) -> Result<Self, OrderError> {
        let mut experiment = Self::resting(robot);
        experiment.follow(order)?;
        Ok(experiment)
    }

    /// A robot that stays in the centre of its workspace until it is told what to [`follow`](Experiment::follow).
    pub fn resting(robot: Robot) -> Self {
        let rest = Rest { position: Reach::of(&robot.delta).center, duration: Self::STROKE };
        Self::new(robot, "rest", Arc::new(rest))
    }

    /// Lets the robot do what is ordered.
    ///
    /// The motion is planned for the robot as the controller knows it, within the limits of the robot as it is. Without a time
    /// it is as short as [`Experiment::SHARE`] of those limits allows; a robot without limits takes [`Experiment::STROKE`] for
    /// each stroke. What the robot carries is its own affair: [`MotionOrder::payload`] tells what the order says of it.
    pub fn follow(&mut self, order: &MotionOrder) -> Result<(), OrderError> {
        let machine = DeltaMachine { delta: self.known.delta, limits: self.robot.limits, branch: self.branch };
        let timed = match order.timed(&machine, Self::SHARE) {
            Err(error) if error.is_without_limit() && order.time.is_none() => {
                let given = MotionOrder { time: Some(Time::Stroke(Self::STROKE)), share: None, ..order.clone() };
                given.timed(&machine, Self::SHARE)
            }
            planned => planned,
        }?;
        (self.motion, self.motion_name) = (Arc::from(timed.motion), order.name());
        self.cycles = order.cycles;
        Ok(())
    }
}
