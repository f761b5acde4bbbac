//! Motions of serial arms, in their joints.

use super::motion::MotionArguments;
use super::source::times;
use super::trajectory::{About, Done, Outputs};
use crate::failure::Failure;
use dalembert::SerialRobot;
use dalembert::analyze::sensitivity::ArmState;
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

    /// The motion in words and as states.
    pub fn states(&self, every: f64) -> Result<(String, Vec<(f64, ArmState)>), Failure> {
        self.robot.arm.visit(Sample { plan: self, every })
    }

    fn what(&self, length: f64) -> String {
        format!("{} points, {length:.4} rad in the joints, {}", self.points.len(), self.order.law.as_str())
    }

    fn travel<'a, const N: usize>(&self, arm: &'a Serial<f64, N>) -> Result<ArmTravel<'a, N>, Failure> {
        let failed =
            |error: &dyn std::fmt::Display| Failure::new(format!("{}, {}: {error}", self.robot.name, self.order.path));
        let points: Vec<[f64; N]> = self.points.iter().map(|q| std::array::from_fn(|i| q[i])).collect();
        let path =
            Polyline::new(&points, self.order.measures.blend.unwrap_or(BLEND)).map_err(|error| failed(&error))?;
        let machine = ArmMachine::new(arm, &self.robot);
        let spared = machine.clone().spared(self.order.share.unwrap_or(1.0));
        let chosen = self.law.along(&path, &spared, self.pace).map_err(|error| failed(&error))?;
        let (duration, optimal, length) = (chosen.law.duration(), chosen.optimal, path.length());
        let travel = Travel::new(path, |_| Ok(chosen.law)).map_err(|error| failed(&error))?;
        Ok(ArmTravel { machine, travel, duration, optimal, length })
    }
}

/// A motion of an arm with a known number of joints.
struct ArmTravel<'a, const N: usize> {
    machine: ArmMachine<'a, N>,
    travel: Travel<Polyline<[f64; N]>>,
    duration: f64,
    optimal: Option<(f64, f64)>,
    length: f64,
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
        let ArmTravel { machine, travel, duration, optimal, length } = plan.travel(arm)?;
        outputs.check_rows(duration)?;
        let head =
            json!({ "robot": name, "path": plan.order.path, "profile": plan.order.law.as_str(), "length": length });
        let about = About {
            head: head.as_object().cloned().unwrap_or_default(),
            robot: name.clone(),
            path: plan.order.path.clone(),
            what: plan.what(length),
            strokes: vec![duration],
            optimal,
        };
        outputs.make(&machine, &travel, about, "rad")
    }
}

struct Sample<'a> {
    plan: &'a ArmPlan,
    every: f64,
}

impl ArmVisitor for Sample<'_> {
    type Output = Result<(String, Vec<(f64, ArmState)>), Failure>;

    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
        let ArmTravel { travel, length, .. } = self.plan.travel(arm)?;
        let times = times(travel.duration(), self.every)?;
        let states = times.into_iter().map(|t| {
            let state = travel.at(t);
            (t, ArmState::new(&state.position, &state.velocity, &state.acceleration))
        });
        Ok((self.plan.what(length), states.collect()))
    }
}
