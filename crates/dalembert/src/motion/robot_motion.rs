//! The motion of a robot, whatever moves: its tool, or its joints.

use super::{Differenced, Local, Motion, MotionState, Path, Point, RepeatError, Repeated};
use crate::report::escape;
use crate::robot::{Form, JointVector, Target, ToolState};
use crate::{Mat3, Vec3};
use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

/// A motion of any kind that several may share.
pub type SharedMotion<P> = Arc<dyn Motion<Point = P> + Send + Sync>;

/// A motion of a robot in time, from 0 to its duration. Before and after it rests.
#[derive(Clone)]
pub enum RobotMotion {
    /// The point of the tool moves, and the tool keeps its orientation (base frame).
    Tool {
        /// Where the point is.
        motion: SharedMotion<Vec3<f64>>,
        /// How the tool is turned.
        orientation: Mat3<f64>,
    },
    /// The point of the tool moves, and the tool turns about z.
    Turning(SharedMotion<Turned>),
    /// The joints move.
    Joints(SharedMotion<JointVector>),
}

impl fmt::Debug for RobotMotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RobotMotion").field("form", &self.form()).field("duration", &self.duration()).finish()
    }
}

impl RobotMotion {
    /// A motion of a tool that does not turn, as the platform of a Delta.
    pub fn translating(motion: impl Motion<Point = Vec3<f64>> + Send + Sync + 'static) -> Self {
        Self::Tool { motion: Arc::new(motion), orientation: Mat3::diagonal(1.0) }
    }

    /// A motion of a tool that turns about z.
    pub fn turning(motion: impl Motion<Point = Turned> + Send + Sync + 'static) -> Self {
        Self::Turning(Arc::new(motion))
    }

    /// A motion of joints.
    pub fn of_joints(motion: impl Motion<Point = JointVector> + Send + Sync + 'static) -> Self {
        Self::Joints(Arc::new(motion))
    }

    /// Whether the tool moves or the joints do.
    pub fn form(&self) -> Form {
        match self {
            Self::Tool { .. } | Self::Turning(_) => Form::Tool,
            Self::Joints(_) => Form::Joints,
        }
    }

    /// s.
    pub fn duration(&self) -> f64 {
        match self {
            Self::Tool { motion, .. } => motion.duration(),
            Self::Turning(motion) => motion.duration(),
            Self::Joints(motion) => motion.duration(),
        }
    }

    /// What the robot is to do at time `t`, s. Where the acceleration jumps, it is the one that follows.
    pub fn at(&self, t: f64) -> Target {
        match self {
            Self::Tool { motion, orientation } => motion.at(t).target(*orientation),
            Self::Turning(motion) => motion.at(t).target(Mat3::diagonal(1.0)),
            Self::Joints(motion) => motion.at(t).target(Mat3::diagonal(1.0)),
        }
    }

    /// The same of a tool that does not turn: its position, velocity and acceleration.
    pub fn point(&self, t: f64) -> Option<[Vec3<f64>; 3]> {
        match self {
            Self::Tool { motion, orientation } if *orientation == Mat3::diagonal(1.0) => {
                let MotionState { position, velocity, acceleration } = motion.at(t);
                Some([position, velocity, acceleration])
            }
            _ => None,
        }
    }

    /// Times strictly between 0 and the duration at which the acceleration or its derivative jumps, in order.
    pub fn breaks(&self) -> Vec<f64> {
        match self {
            Self::Tool { motion, .. } => motion.breaks(),
            Self::Turning(motion) => motion.breaks(),
            Self::Joints(motion) => motion.breaks(),
        }
    }

    /// The largest jerk of what moves, the length of the vector, m/s³ (rad/s³); infinite where the acceleration jumps, at the
    /// ends too.
    pub fn peak_jerk(&self) -> f64 {
        match self {
            Self::Tool { motion, .. } => peak_jerk(&**motion),
            Self::Turning(motion) => peak_jerk(&**motion),
            Self::Joints(motion) => peak_jerk(&**motion),
        }
    }

    /// The same several times, one after the other.
    pub fn repeated(self, times: usize) -> Result<Self, RepeatError> {
        Ok(match self {
            Self::Tool { motion, orientation } => {
                Self::Tool { motion: Arc::new(Repeated::new(motion, times)?), orientation }
            }
            Self::Turning(motion) => Self::Turning(Arc::new(Repeated::new(motion, times)?)),
            Self::Joints(motion) => Self::Joints(Arc::new(Repeated::new(motion, times)?)),
        })
    }

    /// The same with accelerations that are found by differencing positions over `step`, s, in single precision.
    #[must_use]
    pub fn differenced(self, step: f64) -> Self {
        match self {
            Self::Tool { motion, orientation } => {
                Self::Tool { motion: Arc::new(Differenced::new(motion, step)), orientation }
            }
            Self::Turning(motion) => Self::Turning(Arc::new(Differenced::new(motion, step))),
            Self::Joints(motion) => Self::Joints(Arc::new(Differenced::new(motion, step))),
        }
    }

    /// `samples` + 1 states at equal distances in time.
    pub fn samples(&self, samples: usize) -> Vec<(f64, Target)> {
        let samples = samples.max(1);
        let time = |k: usize| self.duration() * k as f64 / samples as f64;
        (0..=samples).map(|k| (time(k), self.at(time(k)))).collect()
    }
}

/// By differences of the acceleration, which is known by formulas, between the times at which it may jump.
fn peak_jerk<P: Point>(motion: &dyn Motion<Point = P>) -> f64 {
    /// Stretches of time at least.
    const STRETCHES: u32 = 4000;
    let duration = motion.duration();
    let apart = |from: f64, to: f64| motion.at(to).acceleration.plus(-1.0, &motion.at(from).acceleration).length();
    let mut breaks = motion.breaks();
    breaks.insert(0, 0.0);
    breaks.push(duration);
    let mut times = breaks.clone();
    times.extend((1..STRETCHES).map(|k| duration * f64::from(k) / f64::from(STRETCHES)));
    times.sort_by(f64::total_cmp);
    let (mut jerk, mut acceleration) = (0.0_f64, 0.0_f64);
    for pair in times.windows(2) {
        let width = pair[1] - pair[0];
        // Rounding would show in shorter ones; the jerk is that of their neighbours.
        if width > 1e-8 * duration {
            let h = 0.01 * width;
            for part in [0.02, 0.5, 0.98] {
                let t = pair[0] + part * width;
                jerk = jerk.max(apart(t - h, t + h) / (2.0 * h));
                acceleration = acceleration.max(motion.at(t).acceleration.length());
            }
        }
    }
    let moment = 1e-12 * duration;
    let jumps = |t: &f64| apart(t - moment, t + moment) > 1e-5 * acceleration;
    if breaks.iter().any(jumps) { f64::INFINITY } else { jerk }
}

/// Position of a tool, m, and its angle c about z, rad, whole turns counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turned(pub [f64; 4]);

impl Turned {
    /// A position and an angle.
    pub fn new(position: Vec3<f64>, angle: f64) -> Self {
        let [x, y, z] = position.0;
        Self([x, y, z, angle])
    }

    /// Without the angle.
    pub fn position(&self) -> Vec3<f64> {
        let [x, y, z, _] = self.0;
        Vec3::new(x, y, z)
    }

    /// The angle alone.
    pub fn angle(&self) -> f64 {
        self.0[3]
    }
}

impl Point for Turned {
    const UNITS: [&'static str; 3] = ["m"; 3];
    fn from_components(_: usize, component: impl FnMut(usize) -> f64) -> Self {
        Self(std::array::from_fn(component))
    }
    fn components(&self) -> &[f64] {
        &self.0
    }
    /// Of the positions: an angle is no length.
    fn dot(&self, other: &Self) -> f64 {
        self.position().dot(other.position())
    }
    fn length(&self) -> f64 {
        self.position().length()
    }
    /// The angle says how the tool is turned.
    fn target(state: &MotionState<Self>, _: Mat3<f64>) -> Target {
        let all = [state.position, state.velocity, state.acceleration];
        let [position, velocity, acceleration] = all.map(|point| point.position());
        let tool = ToolState::translating(position, velocity, acceleration);
        Target::Tool(tool.turned(all.map(|point| point.angle())))
    }
    fn of_robot(motion: SharedMotion<Self>) -> RobotMotion {
        RobotMotion::Turning(motion)
    }
}

/// A path along which the tool turns from one angle to another, in proportion to the way. Its length is that of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnedPath<P> {
    /// Where it goes.
    pub path: P,
    /// At its beginning and at its end, rad.
    pub angles: [f64; 2],
}

impl<P: Path<Point = Vec3<f64>>> Path for TurnedPath<P> {
    type Point = Turned;
    fn length(&self) -> f64 {
        self.path.length()
    }
    fn at(&self, s: f64) -> Local<Turned> {
        let ([from, to], length) = (self.angles, self.length());
        let per_length = (to - from) / length;
        let Local { position, first, second, third } = self.path.at(s);
        Local {
            position: Turned::new(position, from + per_length * s.clamp(0.0, length)),
            first: Turned::new(first, per_length),
            second: Turned::new(second, 0.0),
            third: Turned::new(third, 0.0),
        }
    }
    fn breaks(&self) -> Vec<f64> {
        self.path.breaks()
    }
}

/// The motion of a tool as G-code, from state to state, `every` seconds apart, under a comment; `point` says what moves.
///
/// The dialect is RS-274/NGC as LinuxCNC reads it: millimetres (G21), absolute positions (G90), and inverse-time feed (G93): `F` is
/// one over the minutes of that line, so the moves keep the motion's timing. A tool that turns about z has its angle as `C`, in
/// degrees. A controller that has its own limits or blends (G64) follows them.
pub fn to_gcode(motion: &RobotMotion, every: f64, comment: &str, point: &str) -> String {
    let steps = (motion.duration() / every).ceil().max(1.0) as usize;
    let step = motion.duration() / steps as f64;
    let (comment, point) = (escape::gcode(comment), escape::gcode(point));
    let mm = |time: f64| {
        let target = motion.at(time);
        let [position, ..] = target.moved().map(|v| v.iter().map(|x| x * 1e3 + 0.0).collect::<Vec<_>>());
        let words = ["X", "Y", "Z"].iter().zip(position).map(|(axis, mm)| format!("{axis}{mm:.6}"));
        let turn = match (motion, target) {
            (RobotMotion::Turning(_), Target::Tool(tool)) => Some(format!("C{:.6}", tool.turn.to_degrees() + 0.0)),
            _ => None,
        };
        words.chain(turn).collect::<Vec<_>>().join(" ")
    };
    let mut text = format!("(motion of {comment})\n({point}, mm; {steps} lines of {step:.9} s each)\nG21 G90 G94\n");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "G0 {}\nG93", mm(0.0));
    for k in 1..=steps {
        let _ = writeln!(text, "G1 {} F{:.6}", mm(k as f64 * step), 60.0 / step);
    }
    text.push_str("G94\nM2\n");
    text
}
