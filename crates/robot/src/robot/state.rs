//! What a robot does at an instant, in joints and at the tool.

use super::geometry::Geometry;
use super::{JointVector, Reason, StateError};
use crate::delta::{Assembly, Branch};
use crate::serial::PumaBranch;
use crate::spatial::{Frame, Twist};
use crate::{Mat3, Scalar, Vec3};
use std::borrow::Cow;

/// The form in which a state is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// By the tool (of a Delta the platform): `x, y, z, …`
    Tool,
    /// By the joints: `q1, q2, …`
    Joints,
}

impl Form {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Tool => Self::Joints,
            Self::Joints => Self::Tool,
        }
    }
}

/// Joints with their velocities and accelerations: each list has a number for every joint of the robot. Velocities or accelerations that are
/// left away ([`JointVector::NONE`], the default) are zero for the methods of [`Robot`](super::Robot); any other length is an error.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointState {
    /// Positions, rad (m).
    pub q: JointVector,
    /// Velocities, rad/s (m/s).
    pub qd: JointVector,
    /// Accelerations, rad/s² (m/s²).
    pub qdd: JointVector,
}

impl JointState {
    /// At rest.
    pub fn at_rest(q: impl Into<JointVector>) -> Self {
        let q = q.into();
        Self { qd: JointVector::zero(q.len()), qdd: JointVector::zero(q.len()), q }
    }

    /// Refuses another number of joints than a robot has, and numbers that are not finite.
    pub fn check(&self, joints: usize) -> Result<(), StateError> {
        self.check_count(joints)?;
        for (what, values) in [("q", &self.q), ("qd", &self.qd), ("qdd", &self.qdd)] {
            if let Some(i) = values.iter().position(|value| !value.is_finite()) {
                let text = format!("{what}{} is {}, not a finite number", i + 1, values[i]);
                return Err(StateError::new(Reason::NotFinite, text).at(i + 1));
            }
        }
        Ok(())
    }

    /// Refuses lists with another length than a robot has joints.
    pub fn check_count(&self, joints: usize) -> Result<(), StateError> {
        let lists = [("q", &self.q), ("qd", &self.qd), ("qdd", &self.qdd)];
        lists.into_iter().try_for_each(|(of, list)| StateError::ensure_length(of, joints, list.len()))
    }

    /// The same with zeros for velocities and accelerations that are left away.
    pub(super) fn completed(&self, joints: usize) -> Result<Cow<'_, Self>, StateError> {
        let complete = |list: &JointVector| if list.is_empty() { JointVector::zero(joints) } else { list.clone() };
        let all = match self.qd.is_empty() || self.qdd.is_empty() {
            true => Cow::Owned(Self { q: self.q.clone(), qd: complete(&self.qd), qdd: complete(&self.qdd) }),
            false => Cow::Borrowed(self),
        };
        all.check_count(joints)?;
        Ok(all)
    }
}

/// The tool with its velocity and acceleration, base frame. Of a Delta this is the platform, which does not turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolState {
    /// Where it is and how it is turned.
    pub pose: Frame<f64>,
    /// Velocity, m/s, and angular velocity, rad/s.
    pub velocity: Twist<f64>,
    /// Acceleration, m/s², and angular acceleration, rad/s².
    pub acceleration: Twist<f64>,
    /// Angle of a tool that turns about z ([`ToolTurns::AboutZ`](super::ToolTurns)), rad: its pose, with whole turns counted.
    pub turn: f64,
}

impl ToolState {
    /// A tool that does not turn.
    pub fn translating(position: Vec3<f64>, velocity: Vec3<f64>, acceleration: Vec3<f64>) -> Self {
        Self {
            pose: Frame::at(position),
            velocity: Twist::translation(velocity),
            acceleration: Twist::translation(acceleration),
            turn: 0.0,
        }
    }

    /// The same turned about z by c, with ċ and c̈.
    #[must_use]
    pub fn turned(mut self, [c, cd, cdd]: [f64; 3]) -> Self {
        let about = |rate: f64| Vec3::new(0.0, 0.0, rate);
        let (sin, cos) = Scalar::sin_cos(c);
        self.pose.rotation = Mat3([Vec3::new(cos, -sin, 0.0), Vec3::new(sin, cos, 0.0), Vec3::new(0.0, 0.0, 1.0)]);
        (self.velocity.angular, self.acceleration.angular, self.turn) = (about(cd), about(cdd), c);
        self
    }

    /// c, ċ and c̈ of a tool that is turned about z and nothing else: the angle of its pose that is next to [`ToolState::turn`].
    pub fn turning(&self) -> Option<[f64; 3]> {
        /// Sines of angles; rotations come from angles that people type.
        const STRAIGHT: f64 = 1e-9;
        let r = &self.pose.rotation;
        let tilt = [r[0][2], r[1][2], r[2][0], r[2][1], r[2][2] - 1.0];
        let [w, wd] = [self.velocity.angular, self.acceleration.angular];
        // Negated so that NaN is none too.
        if !(tilt.iter().all(|x| x.abs() < STRAIGHT) && [w[0], w[1], wd[0], wd[1]] == [0.0; 4]) {
            return None;
        }
        let (sin, cos) = Scalar::sin_cos(self.turn);
        // From the angle that it counts to the one that it has.
        let off = (r[1][0] * cos - r[0][0] * sin).atan2(r[0][0] * cos + r[1][0] * sin);
        // What is nothing but rounding of the sines is left away.
        let c = if off.abs() < 4.0 * f64::EPSILON { self.turn } else { self.turn + off };
        Some([c, w[2], wd[2]])
    }
}

/// What a robot is asked to do at an instant, in one of the two forms.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// By the tool.
    Tool(ToolState),
    /// By the joints.
    Joints(JointState),
}

impl Target {
    /// Its form.
    pub fn form(&self) -> Form {
        match self {
            Self::Tool(_) => Form::Tool,
            Self::Joints(_) => Form::Joints,
        }
    }

    /// Position, velocity and acceleration of what moves: of the tool's point, or of the joints.
    pub fn moved(&self) -> [&[f64]; 3] {
        match self {
            Self::Tool(tool) => [&tool.pose.origin.0, &tool.velocity.linear.0, &tool.acceleration.linear.0],
            Self::Joints(joints) => [&joints.q, &joints.qd, &joints.qdd],
        }
    }
}

/// A state that a robot can be in, in both forms. It belongs to the [`Robot`](super::Robot) whose method has made it, and to every robot with the
/// same geometry: one with another payload, friction or gravity, or the same file read again. Other robots refuse it.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The form that formulas start from: of a Delta the one that was given, of a serial arm always the joints.
    pub given: Form,
    /// Which of several solutions it is.
    pub pick: Pick,
    /// The joints.
    pub joints: JointState,
    /// The tool.
    pub tool: ToolState,
    pub(super) geometry: Geometry,
}

impl State {
    /// What the methods of a [`Family`](super::Family) give. It belongs to no robot yet; a [`Robot`](super::Robot) makes it its own.
    pub fn new(given: Form, pick: Pick, joints: JointState, tool: ToolState) -> Self {
        Self { given, pick, joints, tool, geometry: Geometry::default() }
    }

    /// Refuses a state that is not one of a robot with so many joints and this geometry.
    pub(super) fn check(&self, joints: usize, geometry: Geometry) -> Result<(), StateError> {
        if !self.geometry.fits(geometry) {
            let text = "the state is one of another robot: of another kind, or with other geometry";
            return Err(StateError::new(Reason::OtherRobot, text).hint(
                "a state belongs to the robot that has made it: `at_joints` or `at_tool` of this robot make its own",
            ));
        }
        self.joints.check_count(joints)
    }

    /// The solution of the kinematics that it is on, for states beside it.
    pub fn followed(&self) -> Pick {
        let usual = (self.given == Form::Tool).then_some(Branch::Out);
        let elbows = self.pick.elbows.or(usual);
        Pick { near: Some(self.joints.q.clone()), elbows, ..self.pick.clone() }
    }
}

/// Which of several solutions of the kinematics is meant. What is `None` is as the robot usually has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pick {
    /// Elbows of a Delta: out or in.
    pub elbows: Option<Branch>,
    /// Platform of a Delta: below or above its elbows.
    pub assembly: Option<Assembly>,
    /// Shoulder, elbow and wrist of an arm like the PUMA 560.
    pub posture: Option<PumaBranch>,
    /// Joints that the solution is to be near to. A joint that is not known is NaN. Of all solutions that are not excluded by the
    /// choices above (every elbow of a Delta, every leg of a parallel robot, every posture of an arm for itself) the nearest one is given.
    pub near: Option<JointVector>,
}

/// What a state demands of the joints and their motors.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The joints.
    pub joints: JointState,
    /// Torques of the motors by the exact model, friction included, N m (N).
    pub torque: JointVector,
    /// The part of friction and damping in them, N m (N). Beside the friction at the motors it is proportional to the speeds.
    pub friction: JointVector,
    /// Angles of passive ball joints, rad, where there are such joints.
    pub ball_angles: Option<JointVector>,
}

/// The place around which a tool that keeps its orientation has most room.
#[derive(Clone, Debug, PartialEq)]
pub struct ReachableSphere {
    /// The place, m.
    pub center: Vec3<f64>,
    /// How far around it the tool can go, m.
    pub radius: f64,
    /// Lowest and highest place on the vertical axis through the place, m, where that is known.
    pub heights: Option<[f64; 2]>,
    /// The solution of the kinematics that has this room.
    pub pick: Pick,
}
