//! Motions by name: cycles that a robot is judged by, and those of the papers.
//!
//! | name | what |
//! | --- | --- |
//! | `door` | forth and back over 25/305/25 mm, corners blended over 20 mm; a cycle |
//! | `door-0.1kg`, `door-1kg`, `door-3kg` | the same with a payload |
//! | `door-700` | 25/700/25 mm |
//! | `semi-ellipse` | forth and back over 250 mm, 50 mm high (Codourey 1998, section 5.2; the height is ours) |
//! | `circle` | a horizontal circle of 250 mm radius (Asadi & Heydari 2020, section 5) |
//! | `conveyor` | the door, and 50 ms with a belt that moves at 0.3 m/s across it |
//! | `falezza-conveyor` | of the kind of Falezza et al. 2022, Υ₁: 500 mm between two belts, 100 mm up, a pick on the move |
//! | `falezza-center` | of the kind of Υ₂: 50 to 100 mm around the centre, first as fast as it goes, then three times slower |
//! | `falezza-limits` | of the kind of Υ₃: to three points near the workspace limits, 2 s of rest in each |
//!
//! The paper shows Υ₁ to Υ₃ as pictures without numbers; the measures here are ours.

use super::choice::{ChoiceError, LawChoice, Pace};
use super::machine::{DeltaMachine, Machine};
use super::{
    Arc, BoxedMotion, ConveyorPick, Path, PathError, Point, Polyline, Rest, Reversed, SemiEllipse, Sequence,
    SequenceError, State, Travel,
};
use dalembert_core::Vec3;

/// A path of the platform.
pub type PlatformPath = Box<dyn Path<Point = Vec3<f64>> + Send + Sync>;

/// All names.
pub const NAMES: [&str; 11] = [
    "door",
    "door-0.1kg",
    "door-1kg",
    "door-3kg",
    "door-700",
    "semi-ellipse",
    "circle",
    "conveyor",
    "falezza-conveyor",
    "falezza-center",
    "falezza-limits",
];

/// Where and how a named motion is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Middle of the motion on the ground, m.
    pub center: Vec3<f64>,
    /// Direction of a stroke, horizontal.
    pub direction: Vec3<f64>,
}

/// A motion that still lacks its law of time.
pub enum Task {
    /// From stop to stop.
    Strokes(Vec<Stroke>),
    /// There, along with a belt, and back.
    Belt {
        /// From the place to the part.
        there: PlatformPath,
        /// m/s.
        belt: Vec3<f64>,
        /// Time with the belt, s.
        picking: f64,
    },
}

/// From one stop to the next.
pub struct Stroke {
    /// Where.
    pub path: PlatformPath,
    /// So many times as long as it could take.
    pub slower: f64,
    /// Rest at its end, s.
    pub rest: f64,
}

/// Why there is no such motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TaskError {
    /// Not among [`NAMES`].
    #[error("no motion is called `{name}`; there are {}", NAMES.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What may have been meant.
        suggestion: Option<&'static str>,
    },
    /// Its path.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Its law of time.
    #[error("stroke {stroke}: {cause}")]
    Choice {
        /// From 1.
        stroke: usize,
        /// Why.
        cause: ChoiceError,
    },
    /// Its strokes do not fit together.
    #[error(transparent)]
    Sequence(#[from] SequenceError),
}

/// A motion with its laws of time.
pub struct Timed {
    /// The motion.
    pub motion: BoxedMotion<Vec3<f64>>,
    /// Duration of each stroke, s.
    pub strokes: Vec<f64>,
    /// What its time-optimal laws would take without smoothing in all, s, and the share of the time that a limit is active.
    pub optimal: Option<(f64, f64)>,
}

/// The payload that a name stands for, kg.
pub fn payload(name: &str) -> Option<f64> {
    match name {
        "door-0.1kg" => Some(0.1),
        "door-1kg" => Some(1.0),
        "door-3kg" => Some(3.0),
        _ => None,
    }
}

impl Stroke {
    fn plain(path: impl Path<Point = Vec3<f64>> + Send + Sync + 'static) -> Self {
        Self { path: Box::new(path), slower: 1.0, rest: 0.0 }
    }
}

impl Task {
    /// Forth and back.
    pub fn cycle(path: impl Path<Point = Vec3<f64>> + Clone + Send + Sync + 'static) -> Self {
        Self::Strokes(vec![Stroke::plain(path.clone()), Stroke::plain(Reversed(path))])
    }

    /// Once along a path.
    pub fn once(path: impl Path<Point = Vec3<f64>> + Send + Sync + 'static) -> Self {
        Self::Strokes(vec![Stroke::plain(path)])
    }

    /// The motion with this name.
    pub fn named(name: &str, machine: &DeltaMachine, at: Placement) -> Result<Self, TaskError> {
        let Placement { center, direction } = at;
        let door = |width, height, blend| Polyline::door(center, direction, width, height, blend);
        let across = Vec3::new(-direction[1], direction[0], 0.0);
        let across = across.times(1.0 / across.length().max(f64::MIN_POSITIVE));
        Ok(match name {
            "door" | "door-0.1kg" | "door-1kg" | "door-3kg" => Self::cycle(door(0.305, 0.025, 0.02)?),
            "door-700" => Self::cycle(door(0.7, 0.025, 0.02)?),
            "semi-ellipse" => Self::cycle(SemiEllipse::new(center, direction, 0.25, 0.05)?),
            "circle" => Self::once(Arc::circle(center, 0.25)?),
            "conveyor" => {
                Self::Belt { there: Box::new(door(0.305, 0.025, 0.02)?), belt: across.times(0.3), picking: 0.05 }
            }
            "falezza-conveyor" => {
                Self::Belt { there: Box::new(door(0.5, 0.1, 0.05)?), belt: across.times(0.2), picking: 0.1 }
            }
            "falezza-center" => {
                let points = [[0.05, 0.0], [-0.03, 0.08], [-0.02, -0.1], [0.08, -0.04], [0.0, 0.07], [0.05, 0.0]];
                let points = points.map(|[x, y]| center + Vec3::new(x, y, 0.0));
                let strokes = [1.0, 3.0].into_iter().flat_map(|slower| {
                    points.windows(2).map(move |pair| {
                        let path = Polyline::line(pair[0], pair[1])?;
                        Ok(Stroke { path: Box::new(path), slower, rest: 0.0 })
                    })
                });
                Self::Strokes(strokes.collect::<Result<_, PathError>>()?)
            }
            "falezza-limits" => {
                let target = |degrees: f64| {
                    let (sin, cos) = degrees.to_radians().sin_cos();
                    let out = Vec3::new(cos, sin, 0.0);
                    center.plus(0.95 * farthest(machine, center, out), out)
                };
                let targets = [target(60.0), target(180.0), target(300.0)];
                let points = [center, targets[0], targets[1], targets[2], center];
                let strokes = points.windows(2).enumerate().map(|(i, pair)| {
                    let rest = if i < 3 { 2.0 } else { 0.0 };
                    Ok(Stroke { path: Box::new(Polyline::line(pair[0], pair[1])?), slower: 1.0, rest })
                });
                Self::Strokes(strokes.collect::<Result<_, PathError>>()?)
            }
            _ => {
                let suggestion = crate::suggest::closest(name, NAMES);
                return Err(TaskError::Unknown { name: name.to_owned(), suggestion });
            }
        })
    }

    /// How many strokes it has, and how long it rests or rides between them, s.
    pub fn strokes(&self) -> (usize, f64) {
        match self {
            Self::Strokes(strokes) => (strokes.len(), strokes.iter().map(|stroke| stroke.rest).sum()),
            Self::Belt { picking, .. } => (2, *picking),
        }
    }

    /// The motion by a law of time; with [`Pace::Duration`] each stroke takes that long.
    pub fn timed(self, machine: &DeltaMachine, law: &LawChoice, pace: Pace) -> Result<Timed, TaskError> {
        let mut optimal: Option<(f64, f64)> = None;
        let mut durations = Vec::new();
        let mut along = |path: PlatformPath, pace: Pace| {
            let stroke = durations.len() + 1;
            let chosen = law.along(&path, machine, pace).map_err(|cause| TaskError::Choice { stroke, cause })?;
            let duration = chosen.law.duration();
            durations.push(duration);
            if let Some((unsmoothed, active)) = chosen.optimal {
                let sum = optimal.get_or_insert((0.0, 0.0));
                *sum = (sum.0 + unsmoothed, sum.1 + active * duration);
            }
            let law = chosen.law;
            Travel::new(path, |_| Ok(law)).map_err(|cause| TaskError::Choice { stroke, cause: cause.into() })
        };
        let motion: BoxedMotion<Vec3<f64>> = match self {
            Self::Strokes(strokes) => {
                let mut parts: Vec<BoxedMotion<Vec3<f64>>> = Vec::new();
                for Stroke { path, slower, rest } in strokes {
                    let end = path.at(path.length()).position;
                    let pace = if slower > 1.0 && pace == Pace::Shortest { Pace::Slower(slower) } else { pace };
                    parts.push(Box::new(along(path, pace)?));
                    if rest > 0.0 {
                        parts.push(Box::new(Rest { position: end, duration: rest }));
                    }
                }
                Box::new(Sequence::new(parts)?)
            }
            Self::Belt { there, belt, picking } => {
                let there = std::sync::Arc::new(there);
                let back: PlatformPath = Box::new(Reversed(std::sync::Arc::clone(&there)));
                let there = along(Box::new(there), pace)?;
                Box::new(ConveyorPick { there, picking, back: along(back, pace)?, belt })
            }
        };
        let moving: f64 = durations.iter().sum();
        let optimal = optimal.map(|(unsmoothed, active)| (unsmoothed, active / moving));
        Ok(Timed { motion, strokes: durations, optimal })
    }
}

/// How far from a point in a direction the robot gets within its ranges, m.
fn farthest(machine: &DeltaMachine, from: Vec3<f64>, direction: Vec3<f64>) -> f64 {
    let reached = |r: f64| match machine.load(&State::still(from.plus(r, direction))) {
        Ok(load) => machine.passed_range(&load).is_none(),
        Err(_) => false,
    };
    let step = 0.01;
    let mut good = 0.0;
    while reached(good + step) {
        good += step;
    }
    good
}
