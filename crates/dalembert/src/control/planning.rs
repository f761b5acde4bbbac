//! From an order to the motion that a controlled robot follows.

use super::{Experiment, Subject};
use crate::motion::{MotionOrder, OrderError, Rest, RobotMotion, Time, is_file};
use crate::robot::{Form, Target};

impl<R: Subject> Experiment<R> {
    /// The part of the limits of torque and speed that a motion without a time is planned with: the rest is for the controller.
    pub const SHARE: f64 = 0.7;

    /// Time of a stroke of a tool, and of joints, where neither an order nor a limit says how long it takes, s.
    pub const STROKES: [f64; 2] = [0.3, 1.0];

    /// A robot that does what is ordered and that its controller knows exactly, with usual drives and sensors.
    pub fn ordered(robot: R, order: &MotionOrder) -> Result<Self, OrderError> {
        let mut experiment = Self::resting(robot);
        experiment.follow(order)?;
        Ok(experiment)
    }

    /// A robot that stays where it is at home until it is told what to [`follow`](Experiment::follow).
    pub fn resting(robot: R) -> Self {
        let [of_tool, of_joints] = Self::STROKES;
        let rest = match robot.home() {
            Target::Tool(tool) => RobotMotion::translating(Rest { position: tool.pose.origin, duration: of_tool }),
            Target::Joints(joints) => RobotMotion::of_joints(Rest { position: joints.q, duration: of_joints }),
        };
        Self::new(robot, "rest", rest)
    }

    /// Lets the robot do what is ordered.
    ///
    /// The motion is planned for the robot as the controller knows it, within the limits of the robot as it is. Without a time
    /// it is as short as [`Experiment::SHARE`] of those limits allows; a robot without limits takes one of
    /// [`Experiment::STROKES`] for each stroke. What the robot carries is its own affair: [`MotionOrder::payload`] tells what
    /// the order says of it. Along a path of the tool [`Experiment::pick`] becomes the solution of the kinematics that was planned.
    ///
    /// A path that is the name of a CSV is the motion in that file: `t` and position, velocity and acceleration, as `trajectory`
    /// writes them, or `t` and position alone, which are smoothed ([`Sampled`](crate::motion::Sampled) says what is between the rows). It is taken as it is: each row has to be
    /// in reach, and within the limits of position and speed.
    pub fn follow(&mut self, order: &MotionOrder) -> Result<(), OrderError> {
        let (mut note, mut sized) = (None, order.clone());
        if is_file(&order.path) {
            if let Some(what) = order.beside_file() {
                return Err(OrderError::NotOfFile { what });
            }
            let table = self.known.table(&order.path)?;
            table.check(|target| R::violations(self, target))?;
            self.motion = table.motion()?.repeated(order.cycles)?;
            note = table.note();
        } else {
            sized = R::sized(self, order);
            (self.motion, self.pick) = match R::plan(self, &sized) {
                Err(error) if error.is_without_limit() && order.time.is_none() => {
                    let [of_tool, of_joints] = Self::STROKES;
                    let stroke = match self.robot.form_of_path(&order.path) {
                        Form::Tool => of_tool,
                        Form::Joints => of_joints,
                    };
                    R::plan(self, &MotionOrder { time: Some(Time::Stroke(stroke)), share: None, ..sized.clone() })
                }
                planned => planned,
            }?;
        }
        let note = note.map_or(String::new(), |note| format!(" ({note})"));
        (self.motion_name, self.cycles) = (sized.name() + &note, order.cycles);
        Ok(())
    }
}
