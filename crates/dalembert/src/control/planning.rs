//! From an order to the motion that a controlled robot follows.

use super::Experiment;
use crate::motion::{
    Dwell, MotionOrder, MotionPace, OrderError, ProfileChoice, RobotMotion, Time, TimedMotion, form_of_path, is_file,
    is_tolerated,
};
use crate::robot::{Form, JointVector, Load, Pick, Robot, State, StateError, Target, Violation, violations};

/// Places of a motion at which a robot is asked whether it can be there.
const PLACES: usize = 500;

impl Experiment {
    /// The part of the limits of torque and speed that a motion without a time is planned with: the rest is for the controller.
    pub const SHARE: f64 = 0.7;

    /// Time of a stroke of a tool, and of joints, where neither an order nor a limit says how long it takes, s.
    pub const STROKES: [f64; 2] = [0.3, 1.0];

    /// A robot that does what is ordered and that its controller knows exactly, with usual drives and sensors.
    pub fn ordered(robot: Robot, order: &MotionOrder) -> Result<Self, OrderError> {
        let mut experiment = Self::resting(robot);
        experiment.follow(order)?;
        Ok(experiment)
    }

    /// A robot that stays where it is at home until it is told what to [`follow`](Experiment::follow).
    pub fn resting(robot: Robot) -> Self {
        let [of_tool, of_joints] = Self::STROKES;
        let rest = match robot.home() {
            Ok(State { tool, .. }) if robot.kind().form == Form::Tool => {
                RobotMotion::translating(Dwell { position: tool.pose.origin, duration: of_tool })
            }
            home => {
                let position = home.map_or(JointVector::zero(robot.joints().len()), |state| state.joints.q);
                RobotMotion::of_joints(Dwell { position, duration: of_joints })
            }
        };
        Self::new(robot, "rest", rest)
    }

    /// Lets the robot do what is ordered.
    ///
    /// The motion is planned for the robot as the controller knows it, within the limits of the robot as it is. Without a time
    /// it is as short as [`Experiment::SHARE`] of those limits allows; a robot without limits takes one of
    /// [`Experiment::STROKES`] for each stroke. What the robot carries is its own affair: [`MotionOrder::payload`] is what
    /// the order says of it. Along a path of the tool [`Experiment::pick`] becomes the solution of the kinematics that was planned.
    ///
    /// A path that is the name of a CSV is the motion in that file: `t` and position, velocity and acceleration, as `trajectory`
    /// writes them, or `t` and position alone, which are smoothed ([`SampledMotion`](crate::motion::SampledMotion) says what is between the
    /// rows). It is taken as it is: each row has to be in reach, and within the limits of position and speed. A CSV without
    /// `t` has points to go through.
    pub fn follow(&mut self, order: &MotionOrder) -> Result<(), OrderError> {
        let order = &order.clone().resolved(&self.known)?;
        let (note, sized);
        if is_file(&order.path) {
            let timed = order.timed_file(&self.known, |table| table.check(|target| self.violations(target)))?;
            (self.motion, note, sized) = (timed.motion, timed.note, order.clone());
        } else {
            sized = self.sized(order);
            (self.motion, self.pick, note) = match self.plan(&sized) {
                Err(error) if error.is_without_limit() && order.time.is_none() => {
                    let [of_tool, of_joints] = Self::STROKES;
                    let stroke = match form_of_path(&order.path, &self.robot) {
                        Form::Tool => of_tool,
                        Form::Joints => of_joints,
                    };
                    self.plan(&MotionOrder { time: Some(Time::Stroke(stroke)), share: None, ..sized.clone() })
                }
                planned => planned,
            }?;
        }
        let note = note.map_or(String::new(), |note| format!(" ({note})"));
        (self.motion_name, self.cycles) = (sized.name() + &note, order.cycles);
        Ok(())
    }

    /// The order with the measures that there is room for.
    fn sized(&self, order: &MotionOrder) -> MotionOrder {
        match order.mover(&self.known, &self.pick) {
            Ok(mover) if self.robot.kind().has_shortest_times => order.clone().sized(&mover),
            _ => order.clone(),
        }
    }

    /// The motion that an order means for the robot as the controller knows it, within the limits of the robot as it is, and
    /// the solution of the kinematics that it is followed on; with [`TimedMotion::note`].
    fn plan(&self, order: &MotionOrder) -> Result<(RobotMotion, Pick, Option<String>), OrderError> {
        let Self { robot, known, pick, .. } = self;
        let shortest = [
            ("a shortest time", matches!(order.pace(1, 0.0), Ok(MotionPace::Shortest))),
            ("the profile time-optimal", matches!(order.profile, ProfileChoice::TimeOptimal(_))),
            ("the profile minimum-torque", order.profile == ProfileChoice::MinimumTorque),
        ];
        if let Some((what, _)) = shortest.into_iter().find(|(_, asked)| *asked && !robot.kind().has_shortest_times) {
            return Err(OrderError::NotOfPair { what });
        }
        let joints = robot.joints();
        let mover = order.mover(known, pick)?;
        let mover = mover.limited(|i, own| joints.get(i).map_or(own, |joint| joint.limits));
        let TimedMotion { motion, note, .. } = order.timed_by(&mover, Self::SHARE)?;
        if !robot.kind().has_shortest_times {
            // No planner has looked at the path.
            for (_, target) in motion.samples(PLACES) {
                known.at(&target, pick).and_then(|_| robot.at(&target, pick)).map_err(OrderError::NoTool)?;
            }
        }
        Ok((motion, mover.pick().clone(), note))
    }

    /// The limits that a target exceeds, as the controller knows the robot; or why the robot cannot be there at all.
    pub(super) fn violations(&self, target: &Target) -> Result<Vec<Violation>, StateError> {
        let Self { robot, known, pick, .. } = self;
        let Load { joints, torque, ball_angles, .. } = known.joint_load(target, pick)?;
        let mut all = violations(&robot.joints(), &joints.q, ball_angles.as_deref(), Some(&joints.qd), Some(&torque));
        all.retain(|violation| !is_tolerated(violation));
        Ok(all)
    }
}
