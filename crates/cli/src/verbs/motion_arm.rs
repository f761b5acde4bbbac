//! Motions of serial arms: in their joints, or by the point of their tool.

use super::analysis::map::{posture, posture_words};
use super::motion::{MotionArguments, MotionPlan, explain, three};
use super::source::times;
use crate::failure::Failure;
use dalembert::analyze::sensitivity::ArmState;
use dalembert::control::Subject as _;
use dalembert::describe::{Described, Dimension};
use dalembert::motion::named::{TaskError, Timed};
use dalembert::motion::sizing::JointSample;
use dalembert::motion::{
    JointsMachine, LawName, Machine, Motion, MotionOrder, OrderError, SWING, State, TimedJoints, ToolMachine,
    Workspace, is_of_joints,
};
use dalembert::record::serial_states::rotation;
use dalembert::{Robot, SerialRobot};

/// A motion of an arm, ready to be timed.
pub enum ArmPlan {
    Joints(Box<JointsPlan>),
    Tool(Box<MotionPlan<SerialRobot, ToolMachine>>),
}

/// From pose to pose.
pub struct JointsPlan {
    pub robot: SerialRobot,
    pub machine: JointsMachine,
    pub order: MotionOrder,
    pub payload: f64,
}

impl ArmPlan {
    pub fn new(arguments: &MotionArguments, robot: SerialRobot, law: LawName) -> Result<Self, Failure> {
        if arguments.order.branch.is_some() {
            return Err(Failure::new("--branch is for Delta robots").hint("--posture is for arms"));
        }
        let joints = robot.arm.joints();
        let in_joints = is_of_joints(arguments.order.path.as_deref().unwrap_or(SWING), joints);
        let along = if in_joints { SerialRobot::ALONG } else { Robot::ALONG };
        let order = arguments.order(law, SerialRobot::usual_order(), along)?;
        let payload = order.payload().unwrap_or(robot.payload());
        let robot = robot.carrying(payload).map_err(|error| Failure::new(format!("--payload: {error}")))?;
        if !in_joints {
            let turned = arguments.orientation.as_deref().unwrap_or("180 deg,0,0");
            let angles = three("orientation", turned, Dimension::Angle, "there are three angles roll, pitch, yaw")?;
            let branch = arguments.posture.as_deref().map(posture).transpose()?;
            let machine = ToolMachine::new(&robot, rotation(angles), branch).map_err(|error| {
                Failure::new(format!("{}, {}: {error}", robot.name, order.path)).hint(poses(joints))
            })?;
            let machine = machine.near(order.placement(&machine).center);
            let held = Some(format!("tool at {turned}, {}", posture_words(machine.branch()).join(",")));
            return Ok(Self::Tool(Box::new(MotionPlan { robot, machine, order, payload, held })));
        }
        let of_tool = arguments.order.given_beside(&IN_JOINTS).or_else(|| {
            let given = [("orientation", &arguments.orientation), ("posture", &arguments.posture)];
            given.into_iter().find_map(|(option, given)| given.is_some().then_some(option))
        });
        if let Some(option) = of_tool {
            return Err(Failure::new(format!(
                "--{option} is for paths of the tool, and {} is one of joints",
                order.path
            )));
        }
        let machine = JointsMachine::new(&robot);
        Ok(Self::Joints(Box::new(JointsPlan { robot, machine, order, payload })))
    }

    pub fn robot(&self) -> &SerialRobot {
        match self {
            Self::Joints(plan) => &plan.robot,
            Self::Tool(plan) => &plan.robot,
        }
    }

    pub fn order(&self) -> &MotionOrder {
        match self {
            Self::Joints(plan) => &plan.order,
            Self::Tool(plan) => &plan.order,
        }
    }

    pub fn payload(&self) -> f64 {
        match self {
            Self::Joints(plan) => plan.payload,
            Self::Tool(plan) => plan.payload,
        }
    }

    /// The motion in words and as states of the joints, at times that follow from its duration.
    pub fn joint_states(
        &self,
        times: impl FnOnce(f64) -> Result<Vec<f64>, Failure>,
    ) -> Result<(String, Vec<JointSample>), Failure> {
        match self {
            Self::Joints(plan) => {
                let timed = plan.timed()?;
                let states = times(timed.motion.duration())?.into_iter().map(|t| (t, timed.motion.at(t))).collect();
                Ok((plan.what(&timed), states))
            }
            Self::Tool(plan) => {
                let Timed { motion, .. } = plan.timed()?;
                let state = |t: f64| {
                    let load = plan.machine.load(&motion.at(t));
                    let load = load.map_err(|error| {
                        Failure::new(format!("{}, {}, at t = {t:.4} s: {error}", plan.robot.name, plan.order.path))
                    })?;
                    Ok((t, State { position: load.q, velocity: load.qd, acceleration: load.qdd }))
                };
                let states = times(motion.duration())?.into_iter().map(state).collect::<Result<_, Failure>>()?;
                Ok((plan.what(), states))
            }
        }
    }

    /// The same for a comparison or a sensitivity.
    pub fn states(&self, every: f64) -> Result<(String, Vec<(f64, ArmState)>), Failure> {
        let joints = self.robot().arm.joints();
        let (what, states) = self.joint_states(|duration| times(duration, every))?;
        let state = |(t, state): JointSample| {
            let State { position, velocity, acceleration } = state;
            (t, ArmState::new(&position[..joints], &velocity[..joints], &acceleration[..joints]))
        };
        Ok((what, states.into_iter().map(state).collect()))
    }
}

/// What goes with a motion from pose to pose.
const IN_JOINTS: [&str; 12] = [
    "path",
    "profile",
    "cycle",
    "cycles-per-minute",
    "share",
    "blend",
    "ratio",
    "speed",
    "acceleration",
    "jerk",
    "smoothing",
    "payload",
];

fn poses(joints: usize) -> String {
    format!("every arm moves in its joints: swing, line:Q/Q or polyline:Q/Q/Q with {joints} joint angles Q = q1,q2,..")
}

impl JointsPlan {
    /// The motion itself.
    pub fn timed(&self) -> Result<TimedJoints, Failure> {
        let joints = self.robot.arm.joints();
        self.order.timed_joints(&self.robot, &self.robot.arm, 1.0).map_err(|error| match error {
            OrderError::Task(TaskError::Coordinates { text, found, .. }) => {
                Failure::new(format!("--path: `{text}` has {found} numbers, but the arm has {joints} joints"))
                    .hint(poses(joints))
            }
            OrderError::NotOfJoints { what: "blend" } => {
                Failure::new(format!("--blend is for corners, and {} has none", self.order.path))
            }
            error => explain(&self.robot, &self.order, &error),
        })
    }

    /// One line on what is done.
    pub fn what(&self, timed: &TimedJoints) -> String {
        let path = match self.order.path.split_once(':') {
            Some((_, points)) => format!("{} points", points.split('/').count()),
            None => self.order.path.clone(),
        };
        let law = self.order.law.as_str();
        let payload = if self.payload > 0.0 { format!(", payload {} kg", self.payload) } else { String::new() };
        format!("{path}, {:.4} rad in the joints, {law}{payload}", timed.length)
    }
}
