//! A motion as it is requested and planned: what `trajectory`, `size`, `cycle` and `simulate` have in common.

use super::prelude::*;
use crate::motion::named::{self, TaskError};
use crate::motion::{
    CannotDo, MotionOrder, Mover, OrderError, PlanError, TimedMotion, form_of_path, is_file, is_tolerated,
};
use crate::robot::Violation;
use crate::robot::orientation::attitude;
use crate::serial::{Elbow, PumaBranch, Shoulder, Wrist};

/// Which motion a robot is to do, how and when.
#[derive(Clone, Debug)]
pub struct MotionRequest {
    /// The robot.
    pub robot: Robot,
    /// Path or file, profile, limits, time, payload, cycles.
    pub order: MotionOrder,
    /// Which solution of the inverse kinematics the motion stays on.
    pub pick: Pick,
}

impl MotionRequest {
    /// The usual motion of a robot, as fast as its limits allow.
    pub fn new(robot: Robot) -> Self {
        let order = MotionOrder::usual(&robot.kind());
        Self { robot, order, pick: Pick::default() }
    }

    /// The robot with its payload and as the motion needs it, before anything is planned.
    pub fn setup(&self) -> Result<MotionSetup, VerbError> {
        let order = self.order.clone().resolved(&self.robot);
        let hint = |error: &OrderError| self.order.hint(error, &self.robot, &self.pick);
        let order = order.map_err(|error| motion_error(&self.robot.name, &self.order, &error, hint(&error)))?;
        let payload = order.payload().unwrap_or(self.robot.payload());
        let robot = self.robot.with_payload(payload).map_err(|error| VerbError::new("payload", error))?;
        let mover = if is_file(&order.path) {
            Mover::of_joints(&robot, &self.pick)
        } else {
            let hint = |error: &OrderError| order.hint(error, &robot, &self.pick);
            let mover = order.mover(&robot, &self.pick);
            mover.map_err(|error| motion_error(&robot.name, &order, &error, hint(&error)))?
        };
        let asked = order;
        let order = asked.clone().sized(&mover);
        let resized = order.resized(&asked).map(|captions| resized(&robot, captions));
        let held = mover.pick.posture.map(|posture| {
            let angles = attitude(mover.orientation).map(|angle| (1e9 * angle.to_degrees()).round() / 1e9);
            let word = |angle: f64| if angle == 0.0 { String::from("0") } else { format!("{} deg", human(angle, 6)) };
            format!("tool at {}, {}", angles.map(word).join(","), posture_words(posture).join(","))
        });
        Ok(MotionSetup { robot, order, mover, payload, held, resized })
    }
}

/// What is said while a motion is planned.
pub(super) const PLANNING: &str = "planning the motion";

/// Plans a motion: its path, its profile, its time.
pub fn plan(request: &MotionRequest, observer: &mut dyn Observer) -> Result<PlannedMotion, VerbError> {
    let setup = request.setup()?;
    let timed = setup.timed(observer)?;
    Ok(PlannedMotion { setup, timed })
}

/// A motion with its robot.
#[derive(Clone, Debug)]
pub struct PlannedMotion {
    /// Robot and request.
    pub setup: MotionSetup,
    /// The motion in time.
    pub timed: TimedMotion,
}

/// A robot and a motion, ready to be planned.
#[derive(Clone, Debug)]
pub struct MotionSetup {
    /// With its payload.
    pub robot: Robot,
    /// With the measures that the robot has room for.
    pub order: MotionOrder,
    /// The robot as the motion needs it, with all of its limits.
    pub mover: Mover,
    /// kg.
    pub payload: f64,
    /// Orientation and posture of a tool that could turn, in words.
    pub held: Option<String>,
    /// What is said where the motion is smaller than its name says.
    pub resized: Option<Finding>,
}

impl MotionSetup {
    /// The motion itself.
    pub fn timed(&self, observer: &mut dyn Observer) -> Result<TimedMotion, VerbError> {
        stage(observer, 0.0, PLANNING)?;
        let mut tick = |share: f64| observer.progress(share, PLANNING);
        let timed = self.order.watched(&self.mover, 1.0, &mut tick).map_err(|error| self.error(&error))?;
        require_finite(&self.robot.name, "the duration of the motion", [timed.motion.duration()])?;
        Ok(timed)
    }

    /// Why the motion is not possible, and what may help.
    pub fn error(&self, error: &OrderError) -> VerbError {
        let hint = self.order.hint(error, &self.robot, &self.mover.pick);
        motion_error(&self.robot.name, &self.order, error, hint)
    }

    /// Why the robot cannot follow the motion.
    pub fn cannot(&self, error: impl std::fmt::Display) -> VerbError {
        VerbError::new("motion-impossible", format!("{}, {}: {error}", self.robot.name, self.order.path_name()))
    }

    /// Whether the tool moves or the joints do.
    pub fn form(&self) -> Form {
        form_of_path(&self.order.path, &self.robot)
    }

    /// Middle of a named motion.
    pub fn center(&self) -> Option<Vec3<f64>> {
        let named = self.form() == Form::Tool && !self.order.path.contains(':');
        named.then(|| self.order.placement(&self.mover).center)
    }

    /// The motion in one line.
    pub fn caption(&self) -> String {
        let MotionOrder { path, measures, profile, .. } = &self.order;
        if is_file(path) {
            return format!("{path}, payload {} kg", self.payload);
        }
        let place = self.center().map_or(String::new(), |center| {
            let [x, y, z] = center.0.map(|x| x + 0.0);
            format!(" about ({}, {}, {}) m", human(x, 4), human(y, 4), human(z, 4))
        });
        let moved = if self.form() == Form::Joints { " in the joints" } else { "" };
        let held = self.held.as_ref().map_or(String::new(), |held| format!(", {held}"));
        let caption = named::caption(path, *measures);
        format!("{caption}{moved}{place}, {}, payload {} kg{held}", profile.as_str(), self.payload)
    }

    /// A target of the motion; a tool that could turn has joints that say on which turn they are.
    pub fn on_its_turn(&self, t: f64, target: Target) -> Result<Target, VerbError> {
        if target.form() == Form::Joints || self.robot.kind().tool_turns != ToolTurns::Freely {
            return Ok(target);
        }
        let load = self.mover.load_of(&target);
        let load = load.map_err(|cause| self.cannot(CannotDo::new(t, target.moved()[0], cause)))?;
        Ok(Target::Joints(load.joints))
    }
}

/// That a motion by name is smaller than its name says, because a robot has no room for it.
pub(super) fn resized(robot: &Robot, [size, usual]: [String; 2]) -> Finding {
    let message = format!("{}: {size} instead of {usual}, for which its joint ranges leave no room", robot.name);
    Finding::new("motion-resized", Severity::Note, message).with("size", size.as_str()).with("usual", usual.as_str())
}

/// Why a motion is not possible: with the robot and the path in front.
pub fn motion_error(robot: &str, order: &MotionOrder, error: &OrderError, hint: Option<String>) -> VerbError {
    let code = match error.task() {
        Some(TaskError::Plan { cause: PlanError::NoDuration, .. }) => "no-duration",
        _ => "motion-impossible",
    };
    let message = match error {
        // It names the file itself.
        OrderError::File(_) => format!("{robot}: {error}"),
        _ => format!("{robot}, {}: {error}", order.path_name()),
    };
    VerbError { hint, ..VerbError::new(code, message) }
}

/// Shoulder, elbow, wrist.
pub fn posture_words(branch: PumaBranch) -> [&'static str; 3] {
    let sign = |positive: bool| if positive { "positive" } else { "negative" };
    let shoulder = if branch.shoulder == Shoulder::Front { "front" } else { "back" };
    [shoulder, sign(branch.elbow == Elbow::Positive), sign(branch.wrist == Wrist::Positive)]
}

/// A limit of the robot that a motion exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LimitViolation {
    /// What exceeds which limit, with the largest value.
    #[serde(flatten)]
    pub violation: Violation,
    /// When, s.
    pub time: f64,
}

impl LimitViolation {
    /// A violation at a time, s.
    pub fn new(&(time, violation): &(f64, Violation)) -> Self {
        Self { violation, time }
    }

    /// Whether it is within the tolerance of a planned motion.
    pub fn is_tolerated(&self) -> bool {
        is_tolerated(&self.violation)
    }

    /// Whether no more time and no other motor helps: a position or a ball angle.
    pub fn is_out_of_range(&self) -> bool {
        !self.violation.quantity.is_driven()
    }

    /// The finding: `position-out-of-range`, or `limit-exceeded` for a speed or torque.
    pub fn finding(&self) -> Finding {
        let code = if self.is_out_of_range() { "position-out-of-range" } else { "limit-exceeded" };
        Finding::new(code, Severity::Warning, format!("at t = {:.4} s: {}", self.time, self.violation))
            .with("quantity", self.violation.quantity.as_str())
            .with("joint", self.violation.joint)
            .with("value", self.violation.value)
            .with("limit", self.violation.limit)
            .with("time", self.time)
    }
}
