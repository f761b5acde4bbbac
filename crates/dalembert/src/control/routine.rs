//! Motions by a few numbers: what an experiment file or a command line says.

use super::PlatformMotion;
use crate::Vec3;
use crate::delta::{Assembly, Delta, KinematicsError};
use crate::motion::{self, Arc as CircleArc, BoxedMotion, LawError, Path, PathError, Polyline, Reversed, SemiEllipse};
use crate::motion::{Sequence, SequenceError, Travel};

/// The joint angle of all arms above the middle of a motion that does not say where it is, rad.
const MIDDLE: f64 = 0.4;

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Up, across, down, with blended corners; and back.
    Door,
    /// Half an ellipse; and back.
    SemiEllipse,
    /// Straight; and back.
    Line,
    /// A horizontal circle of diameter `width`, round once.
    Circle,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Door, Self::SemiEllipse, Self::Line, Self::Circle];

    /// As it is typed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Door => "door",
            Self::SemiEllipse => "semi-ellipse",
            Self::Line => "line",
            Self::Circle => "circle",
        }
    }
}

/// When to be where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Sine on ramp, with the [`Routine::ratio`] of acceleration to deceleration.
    SineOnRamp,
    /// Constant acceleration, then constant deceleration.
    Parabolic,
    /// 3-4-5 polynomial.
    Polynomial345,
    /// 4-5-6-7 polynomial.
    Polynomial4567,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::SineOnRamp, Self::Parabolic, Self::Polynomial345, Self::Polynomial4567];

    /// As it is typed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SineOnRamp => "sine-on-ramp",
            Self::Parabolic => "parabolic",
            Self::Polynomial345 => "3-4-5",
            Self::Polynomial4567 => "4-5-6-7",
        }
    }
}

/// A motion to be repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Routine {
    /// Where to go.
    pub shape: Shape,
    /// Middle of the stroke, on the ground; `None`: below the base centre, where all arms stand at 0.4 rad.
    pub center: Option<Vec3<f64>>,
    /// Horizontal direction of the stroke.
    pub direction: Vec3<f64>,
    /// m.
    pub width: f64,
    /// m.
    pub height: f64,
    /// How much of each leg a corner of the door takes, m.
    pub blend: f64,
    /// When.
    pub profile: Profile,
    /// Peak of the acceleration over peak of the deceleration, for [`Profile::SineOnRamp`].
    pub ratio: f64,
    /// Time there and back, or round, s.
    pub cycle: f64,
    /// How often.
    pub cycles: usize,
}

impl Default for Routine {
    /// The 25/305/25 mm door, 120 cycles per minute.
    fn default() -> Self {
        Self {
            shape: Shape::Door,
            center: None,
            direction: Vec3([0.0, 1.0, 0.0]),
            width: 0.305,
            height: 0.025,
            blend: 0.020,
            profile: Profile::SineOnRamp,
            ratio: 1.0,
            cycle: 0.5,
            cycles: 1,
        }
    }
}

/// Why there is no such motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum RoutineError {
    #[error("path: {0}")]
    Path(#[from] PathError),
    #[error("profile: {0}")]
    Law(#[from] LawError),
    #[error("cycles: {0}")]
    Sequence(#[from] SequenceError),
    #[error("there is no middle for the motion, since the arms cannot stand at {MIDDLE} rad ({0}): say where")]
    NoMiddle(#[from] KinematicsError),
    #[error("{cycles} cycles: there can be 1 to {most}")]
    Cycles { cycles: usize, most: usize },
}

impl Routine {
    /// As few words as tell it.
    pub fn name(&self) -> String {
        let mm = |metres: f64| crate::record::human(1e3 * metres, 4);
        let size = match self.shape {
            Shape::Door => format!("{}/{}/{} mm", mm(self.height), mm(self.width), mm(self.height)),
            Shape::SemiEllipse => format!("{} × {} mm", mm(self.width), mm(self.height)),
            Shape::Line | Shape::Circle => format!("{} mm", mm(self.width)),
        };
        let times = if self.cycles == 1 { String::new() } else { format!(", {} times", self.cycles) };
        format!("{} {size}, {}{times}", self.shape.as_str(), self.profile.as_str())
    }

    /// The motion of a robot's platform.
    pub fn motion(&self, robot: &Delta<f64>) -> Result<PlatformMotion, RoutineError> {
        const MOST: usize = 100_000;
        if !(1..=MOST).contains(&self.cycles) {
            return Err(RoutineError::Cycles { cycles: self.cycles, most: MOST });
        }
        let center = match self.center {
            Some(center) => center,
            None => robot.at_joints(Vec3([MIDDLE; 3]), Assembly::Below)?.position,
        };
        let Self { direction, width, height, blend, .. } = *self;
        match self.shape {
            Shape::Door => self.there_and_back(&Polyline::door(center, direction, width, height, blend)?),
            Shape::SemiEllipse => self.there_and_back(&SemiEllipse::new(center, direction, width, height)?),
            Shape::Line => {
                let long = direction.norm_squared().sqrt();
                let half = direction * (0.5 * width / long);
                self.there_and_back(&Polyline::line(center - half, center + half)?)
            }
            Shape::Circle => {
                let circle = CircleArc::circle(center, 0.5 * width)?;
                let round = (0..self.cycles).map(|_| -> Result<BoxedMotion<Vec3<f64>>, LawError> {
                    Ok(Box::new(Travel::new(circle, |length| self.law(length, self.cycle))?))
                });
                Ok(std::sync::Arc::new(Sequence::new(round.collect::<Result<_, _>>()?)?))
            }
        }
    }

    fn there_and_back<P>(&self, path: &P) -> Result<PlatformMotion, RoutineError>
    where
        P: Path<Point = Vec3<f64>> + Clone + Send + Sync + 'static,
    {
        let mut parts: Vec<BoxedMotion<Vec3<f64>>> = Vec::new();
        for _ in 0..self.cycles {
            parts.push(Box::new(Travel::new(path.clone(), |length| self.law(length, 0.5 * self.cycle))?));
            parts.push(Box::new(Travel::new(Reversed(path.clone()), |length| self.law(length, 0.5 * self.cycle))?));
        }
        Ok(std::sync::Arc::new(Sequence::new(parts)?))
    }

    fn law(&self, length: f64, duration: f64) -> Result<motion::Law, LawError> {
        match self.profile {
            Profile::SineOnRamp => motion::Law::sine_on_ramp(length, duration, self.ratio),
            Profile::Parabolic => motion::Law::parabolic(length, duration),
            Profile::Polynomial345 => motion::Law::polynomial345(length, duration),
            Profile::Polynomial4567 => motion::Law::polynomial4567(length, duration),
        }
    }
}
