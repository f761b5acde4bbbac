//! Motions of serial arms, in their joints.

use super::motion::{LawName, MotionArguments, number};
use super::trajectory::{About, Done, Outputs};
use crate::failure::Failure;
use dalembert::SerialRobot;
use dalembert::arm::ArmVisitor;
use dalembert::describe::Dimension;
use dalembert::motion::{ArmMachine, LawChoice, Pace, Path, Polyline, Travel};
use dalembert::serial::Serial;
use serde_json::json;

/// A motion of an arm, ready to be timed.
pub struct ArmPlan {
    robot: SerialRobot,
    path: String,
    /// Joint angles of each point.
    points: Vec<Vec<f64>>,
    blend: f64,
    law_name: LawName,
    law: LawChoice,
    pace: Pace,
}

impl ArmPlan {
    pub fn new(arguments: &MotionArguments, robot: SerialRobot) -> Result<Self, Failure> {
        let joints = robot.arm.joints();
        let example = format!("line:{0}/{0} with {joints} joint angles each", "q1,q2,..");
        let wrong =
            |problem: String| Failure::new(problem).hint(format!("a serial arm moves in its joints: {example}"));
        let points = match arguments.path.split_once(':') {
            Some(("line" | "polyline", points)) => points,
            _ => return Err(wrong(format!("`{}` is no motion of a serial arm", arguments.path))),
        };
        let point = |text: &str| -> Result<Vec<f64>, Failure> {
            let numbers: Vec<f64> =
                text.split(',').map(|part| number("path", part, Dimension::Angle)).collect::<Result<_, _>>()?;
            if numbers.len() == joints {
                Ok(numbers)
            } else {
                Err(wrong(format!("--path: `{text}` has {} numbers, but the arm has {joints} joints", numbers.len())))
            }
        };
        let points = points.split('/').map(point).collect::<Result<Vec<_>, _>>()?;
        let (law_name, law) = arguments.law(LawName::SineOnRamp)?;
        // The blend of a polyline is a length unless it is said in radians.
        let blend = if points.len() > 2 { arguments.blend(Dimension::Angle)? } else { 0.0 };
        Ok(Self { robot, path: arguments.path.clone(), points, blend, law_name, law, pace: arguments.pace()? })
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
        let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{name}, {}: {error}", plan.path));
        let points: Vec<[f64; N]> = plan.points.iter().map(|q| std::array::from_fn(|i| q[i])).collect();
        let path = Polyline::new(&points, plan.blend).map_err(|error| failed(&error))?;
        let machine = ArmMachine::new(arm, &plan.robot);
        let chosen = plan.law.along(&path, &machine, plan.pace).map_err(|error| failed(&error))?;
        let (strokes, optimal) = (vec![chosen.law.duration()], chosen.optimal);
        let length = path.length();
        let travel = Travel::new(path, |_| Ok(chosen.law)).map_err(|error| failed(&error))?;
        let head = json!({ "robot": name, "path": plan.path, "law": plan.law_name.as_str(), "length": length });
        let about = About {
            head: head.as_object().cloned().unwrap_or_default(),
            robot: name.clone(),
            path: plan.path.clone(),
            what: format!("{} points, {length:.4} rad in the joints, {}", points.len(), plan.law_name.as_str()),
            strokes,
            optimal,
        };
        outputs.make(&machine, &travel, about, "rad")
    }
}
