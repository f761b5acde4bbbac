//! Motions of serial arms, in their joints.

use super::motion::MotionArguments;
use super::trajectory::{About, Done, Outputs};
use crate::failure::Failure;
use dalembert::SerialRobot;
use dalembert::arm::ArmVisitor;
use dalembert::describe::{Described, Dimension};
use dalembert::motion::named::{TaskError, points};
use dalembert::motion::{ArmMachine, LawChoice, LawName, Motion, MotionOrder, Pace, Path, Polyline, Travel};
use dalembert::serial::Serial;
use serde_json::json;

/// The blend of polylines, rad.
const BLEND: f64 = 0.02;

/// A motion of an arm, ready to be timed.
pub struct ArmPlan {
    robot: SerialRobot,
    order: MotionOrder,
    /// Joint angles of each point.
    points: Vec<Vec<f64>>,
    law: LawChoice,
    pace: Pace,
}

impl ArmPlan {
    pub fn new(arguments: &MotionArguments, robot: SerialRobot) -> Result<Self, Failure> {
        let joints = robot.arm.joints();
        let example = format!("line:{0}/{0} with {joints} joint angles each", "q1,q2,..");
        let wrong =
            |problem: String| Failure::new(problem).hint(format!("a serial arm moves in its joints: {example}"));
        const KNOWN: [&str; 11] = [
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
        ];
        if let Some(option) = arguments.order.given_beside(&KNOWN) {
            return Err(wrong(format!("--{option} is for Delta robots")));
        }
        // The blend of a polyline is an angle here.
        let order = arguments.order(LawName::SineOnRamp, SerialRobot::ALONG)?;
        let failed = |error: &dyn std::fmt::Display| wrong(format!("{}, {}: {error}", robot.name, order.path));
        let points = match points(&order.path, &vec![Dimension::Angle; joints]) {
            Ok(Some(("line" | "polyline", points))) => points,
            Ok(_) => return Err(wrong(format!("`{}` is no motion of a serial arm", order.path))),
            Err(TaskError::Coordinates { text, found, .. }) => {
                return Err(wrong(format!("--path: `{text}` has {found} numbers, but the arm has {joints} joints")));
            }
            Err(error) => return Err(failed(&error)),
        };
        if points.len() == 2 && order.measures.blend.is_some() {
            return Err(wrong(format!("--blend is for corners, and {} has none", order.path)));
        }
        let law = order.law().map_err(|error| failed(&error))?;
        let pace = order.pace(1, 0.0).map_err(|error| failed(&error))?;
        Ok(Self { points, law, pace, robot, order })
    }

    /// The motion, surveyed.
    pub fn done(&self, outputs: &Outputs) -> Result<Done, Failure> {
        self.robot.arm.visit(Visit { plan: self, outputs })
    }
}

struct Visit<'a> {
    plan: &'a ArmPlan,
    outputs: &'a Outputs,
}

impl ArmVisitor for Visit<'_> {
    type Output = Result<Done, Failure>;

    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
        let Self { plan, outputs } = self;
        let name = &plan.robot.name;
        let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{name}, {}: {error}", plan.order.path));
        let points: Vec<[f64; N]> = plan.points.iter().map(|q| std::array::from_fn(|i| q[i])).collect();
        let path =
            Polyline::new(&points, plan.order.measures.blend.unwrap_or(BLEND)).map_err(|error| failed(&error))?;
        let machine = ArmMachine::new(arm, &plan.robot);
        let spared = machine.clone().spared(plan.order.share.unwrap_or(1.0));
        let chosen = plan.law.along(&path, &spared, plan.pace).map_err(|error| failed(&error))?;
        let (strokes, optimal) = (vec![chosen.law.duration()], chosen.optimal);
        let length = path.length();
        let travel = Travel::new(path, |_| Ok(chosen.law)).map_err(|error| failed(&error))?;
        outputs.check_rows(travel.duration())?;
        let head =
            json!({ "robot": name, "path": plan.order.path, "profile": plan.order.law.as_str(), "length": length });
        let about = About {
            head: head.as_object().cloned().unwrap_or_default(),
            robot: name.clone(),
            path: plan.order.path.clone(),
            what: format!("{} points, {length:.4} rad in the joints, {}", points.len(), plan.order.law.as_str()),
            strokes,
            optimal,
        };
        outputs.make(&machine, &travel, about, "rad")
    }
}
