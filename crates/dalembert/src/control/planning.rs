//! From an order to the motion that a controlled robot follows.

use super::{Experiment, Subject};
use crate::motion::{MotionOrder, OrderError, Rest, Time, is_file};
use std::sync::Arc;

impl<R: Subject> Experiment<R> {
    /// The part of the limits of torque and speed that a motion without a time is planned with: the rest is for the controller.
    pub const SHARE: f64 = 0.7;

    /// A robot that does what is ordered and that its controller knows exactly, with usual drives and sensors.
    pub fn ordered(robot: R, order: &MotionOrder) -> Result<Self, OrderError> {
        let mut experiment = Self::resting(robot);
        experiment.follow(order)?;
        Ok(experiment)
    }

    /// A robot that stays where it is at home until it is told what to [`follow`](Experiment::follow).
    pub fn resting(robot: R) -> Self {
        let rest = Rest { position: robot.home(), duration: R::STROKE };
        Self::new(robot, "rest", Arc::new(rest))
    }

    /// Lets the robot do what is ordered.
    ///
    /// The motion is planned for the robot as the controller knows it, within the limits of the robot as it is. Without a time
    /// it is as short as [`Experiment::SHARE`] of those limits allows; a robot without limits takes [`Subject::STROKE`] for
    /// each stroke. What the robot carries is its own affair: [`MotionOrder::payload`] tells what the order says of it.
    ///
    /// A path that is the name of a CSV is the motion in that file: `t` and position, velocity and acceleration, as `trajectory`
    /// writes them ([`Sampled`](crate::motion::Sampled) says what is between the rows). It is taken as it is.
    pub fn follow(&mut self, order: &MotionOrder) -> Result<(), OrderError> {
        if is_file(&order.path) {
            return self.follow_file(order);
        }
        let motion = match R::plan(self, order) {
            Err(error) if error.is_without_limit() && order.time.is_none() => {
                R::plan(self, &MotionOrder { time: Some(Time::Stroke(R::STROKE)), share: None, ..order.clone() })
            }
            planned => planned,
        }?;
        let motion = R::own_motion(motion).ok_or(OrderError::NotInJoints { path: order.path.clone() })?;
        (self.motion, self.motion_name, self.cycles) = (motion, order.name(), order.cycles);
        Ok(())
    }

    /// Lets the robot follow the motion in a file, as often as it is ordered. Each row has to be in reach of the robot as
    /// the controller knows it, and within the limits of angle and speed of the robot as it is.
    fn follow_file(&mut self, order: &MotionOrder) -> Result<(), OrderError> {
        if let Some(what) = order.beside_file() {
            return Err(OrderError::NotOfFile { what });
        }
        let table = self.known.table(&order.path)?;
        table.check(|target| R::own_state(target).map_or(Ok(Vec::new()), |state| R::strains(self, &state)))?;
        let motion = table.motion()?.repeated(order.cycles)?;
        self.motion = R::own_motion(motion).ok_or(OrderError::NotInJoints { path: order.path.clone() })?;
        (self.motion_name, self.cycles) = (order.name(), order.cycles);
        Ok(())
    }
}
