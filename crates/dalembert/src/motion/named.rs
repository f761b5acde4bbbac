//! Motions by name: cycles that a robot is judged by, and those of the papers; and paths through points.
//!
//! | name | what |
//! | --- | --- |
//! | `door` | forth and back over 25/305/25 mm, corners blended over 20 mm; a cycle |
//! | `door-0.1kg`, `door-1kg`, `door-3kg` | the same with a payload |
//! | `door-700` | 25/700/25 mm |
//! | `semi-ellipse` | forth and back over 250 mm, 50 mm high (Codourey 1998, section 5.2; the height is ours) |
//! | `line` | forth and back over 305 mm, straight |
//! | `circle` | a horizontal circle of 500 mm diameter, round once (Asadi & Heydari 2020, section 5) |
//! | `conveyor` | the door, and 50 ms with a belt that moves at 0.3 m/s across it |
//! | `falezza-conveyor` | of the kind of Falezza et al. 2022, Υ₁: 500 mm between two belts, 100 mm up, a pick on the move |
//! | `falezza-center` | of the kind of Υ₂: 50 to 100 mm around the centre, first as fast as it goes, then three times slower |
//! | `falezza-limits` | of the kind of Υ₃: to three points near the workspace limits, 2 s of rest in each |
//!
//! The paper shows Υ₁ to Υ₃ as pictures without numbers; the measures here are ours. [`Measures`] replace those of a name.

use super::choice::{ChoiceError, LawChoice, Pace};
use super::machine::{CannotDo, Machine, Workspace};
use super::path::{horizontal, positive};
use super::{
    Arc, BeltError, BoxedMotion, ConveyorPick, Motion, Path, PathError, Point, Polyline, Rest, Reversed, SemiEllipse,
    Sequence, SequenceError, State, Travel,
};
use crate::describe::{Dimension, quantity};
use crate::report::text::human;
use dalembert_core::Vec3;

/// A path of the platform.
pub type PlatformPath = Box<dyn Path<Point = Vec3<f64>> + Send + Sync>;

/// All names.
pub const NAMES: [&str; 12] = [
    "door",
    "door-0.1kg",
    "door-1kg",
    "door-3kg",
    "door-700",
    "semi-ellipse",
    "line",
    "circle",
    "conveyor",
    "falezza-conveyor",
    "falezza-center",
    "falezza-limits",
];

/// Measures in the place of a name's own, m; what is not given stays as the name has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Of the stroke; of a circle the diameter.
    pub width: Option<f64>,
    /// Of the lift.
    pub height: Option<f64>,
    /// What a corner takes of each leg.
    pub blend: Option<f64>,
}

/// Where and how a named motion is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Middle of the motion on the ground, m.
    pub center: Vec3<f64>,
    /// Direction of a stroke, horizontal.
    pub direction: Vec3<f64>,
    /// How large, where it is not as large as its name says.
    pub measures: Measures,
}

/// The blend of polylines, m.
const BLEND: f64 = 0.02;

/// What a name stands for, with its measures.
#[derive(Clone, Copy)]
enum Figure {
    Door(Door),
    SemiEllipse { width: f64, height: f64 },
    Line { width: f64 },
    Circle { width: f64 },
    Belt { door: Door, speed: f64, picking: f64 },
    Center,
    Limits,
}

#[derive(Clone, Copy)]
struct Door {
    width: f64,
    height: f64,
    blend: f64,
}

impl Figure {
    fn of(name: &str, measures: Measures) -> Result<Self, TaskError> {
        let door = Door { width: 0.305, height: 0.025, blend: BLEND };
        let mut figure = match name {
            "door" | "door-0.1kg" | "door-1kg" | "door-3kg" => Self::Door(door),
            "door-700" => Self::Door(Door { width: 0.7, ..door }),
            "semi-ellipse" => Self::SemiEllipse { width: 0.25, height: 0.05 },
            "line" => Self::Line { width: 0.305 },
            "circle" => Self::Circle { width: 0.5 },
            "conveyor" => Self::Belt { door, speed: 0.3, picking: 0.05 },
            "falezza-conveyor" => {
                Self::Belt { door: Door { width: 0.5, height: 0.1, blend: 0.05 }, speed: 0.2, picking: 0.1 }
            }
            "falezza-center" => Self::Center,
            "falezza-limits" => Self::Limits,
            _ => {
                let suggestion = crate::suggest::closest(name, NAMES);
                return Err(TaskError::Unknown { name: name.to_owned(), suggestion });
            }
        };
        let Measures { width, height, blend } = measures;
        let [w, h, b] = figure.measures();
        for (what, given, own) in [("width", width, w), ("height", height, h), ("blend", blend, b)] {
            match (given, own) {
                (Some(given), Some(own)) => *own = given,
                (Some(_), None) => return Err(TaskError::NoMeasure { what, path: name.to_owned() }),
                (None, _) => {}
            }
        }
        Ok(figure)
    }

    /// Width, height and blend, where it has them.
    fn measures(&mut self) -> [Option<&mut f64>; 3] {
        match self {
            Self::Door(Door { width, height, blend }) | Self::Belt { door: Door { width, height, blend }, .. } => {
                [Some(width), Some(height), Some(blend)]
            }
            Self::SemiEllipse { width, height } => [Some(width), Some(height), None],
            Self::Line { width } | Self::Circle { width } => [Some(width), None, None],
            Self::Center | Self::Limits => [None, None, None],
        }
    }
}

/// Whether a path has a center and a direction.
pub fn has_place(path: &str) -> [bool; 2] {
    match Figure::of(path, Measures::default()) {
        Ok(Figure::Circle { .. } | Figure::Center | Figure::Limits) => [true, false],
        Ok(_) => [true, true],
        Err(_) => [false, false],
    }
}

/// A name with its measures, as in `door 25/305/25 mm`; a path through points by its kind.
pub fn caption(path: &str, measures: Measures) -> String {
    let mm = |metres: f64| human(1e3 * metres, 4);
    let size = match Figure::of(path, measures) {
        Ok(Figure::Door(door) | Figure::Belt { door, .. }) => {
            format!(" {}/{}/{} mm", mm(door.height), mm(door.width), mm(door.height))
        }
        Ok(Figure::SemiEllipse { width, height }) => format!(" {} × {} mm", mm(width), mm(height)),
        Ok(Figure::Line { width } | Figure::Circle { width }) => format!(" {} mm", mm(width)),
        Ok(Figure::Center | Figure::Limits) | Err(_) => String::new(),
    };
    match path.split_once(':') {
        Some((kind, points)) => format!("{kind} through {} points", points.split('/').count()),
        None => format!("{path}{size}"),
    }
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
    /// A measure, a direction or a center of something that has none.
    #[error("`{path}` has no {what} that could be given")]
    NoMeasure {
        /// Which.
        what: &'static str,
        /// Of what.
        path: String,
    },
    /// Points of something that is none of `line:`, `polyline:` and `arc:`.
    #[error("there is no kind `{kind}` of paths")]
    Kind {
        /// What was asked for.
        kind: String,
    },
    /// A path through another number of points.
    #[error("{kind} has {needed} points, here are {found}")]
    Points {
        /// With its article.
        kind: &'static str,
        /// How many there must be.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// A point with another number of coordinates.
    #[error("point {point}, `{text}`, has {found} numbers, but needs {needed}")]
    Coordinates {
        /// From 1.
        point: usize,
        /// As it is written.
        text: String,
        /// How many there must be.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// A coordinate that is no number.
    #[error("point {point}: {problem}")]
    Number {
        /// From 1.
        point: usize,
        /// What is wrong.
        problem: String,
        /// How it might be mended.
        hint: String,
    },
    /// Its path.
    #[error(transparent)]
    Path(#[from] PathError),
    /// With the belt it cannot be done.
    #[error(transparent)]
    Belt(#[from] BeltError),
    /// Its law of time.
    #[error("stroke {stroke}: {cause}")]
    Choice {
        /// From 1.
        stroke: usize,
        /// Why.
        cause: ChoiceError,
    },
    /// No robot like this gets from its beginning to its end.
    #[error(transparent)]
    Follow(#[from] CannotDo),
    /// Its strokes do not fit together.
    #[error(transparent)]
    Sequence(#[from] SequenceError),
}

/// A motion with its laws of time.
pub struct Timed {
    /// The motion.
    pub motion: BoxedMotion<Vec3<f64>>,
    /// Duration of each stroke of one cycle, s.
    pub strokes: Vec<f64>,
    /// What its time-optimal laws would take without smoothing in all, s, and the share of the time that a limit is active.
    pub optimal: Option<(f64, f64)>,
    /// Largest jerk along the paths, m/s³; infinite where the acceleration jumps.
    pub jerk: f64,
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

    /// The motion with this name, or along a path as it is typed: `line:P/P`, `polyline:P/P/P`, `arc:P/P/P` with points
    /// P = x,y,z.
    pub fn new<M: Machine<Point = Vec3<f64>>>(path: &str, machine: &M, at: Placement) -> Result<Self, TaskError> {
        let Some((kind, points)) = points(path, &[Dimension::Length; 3])? else {
            return Self::named(path, machine, at);
        };
        let Measures { width, height, blend } = at.measures;
        for (what, given) in [("width", width), ("height", height), ("blend", blend)] {
            if given.is_some() && !(what == "blend" && kind == "polyline") {
                return Err(TaskError::NoMeasure { what, path: kind.to_owned() });
            }
        }
        let points: Vec<Vec3<f64>> = points.iter().map(|point| Vec3(std::array::from_fn(|i| point[i]))).collect();
        match (kind, &points[..]) {
            ("line", &[from, to]) => Ok(Self::once(Polyline::line(from, to)?)),
            ("line", many) => Err(TaskError::Points { kind: "a line", needed: 2, found: many.len() }),
            ("arc", &[from, via, to]) => Ok(Self::once(Arc::through(from, via, to)?)),
            ("arc", many) => Err(TaskError::Points { kind: "an arc", needed: 3, found: many.len() }),
            _ => Ok(Self::once(Polyline::new(&points, blend.unwrap_or(BLEND))?)),
        }
    }

    fn named<M: Machine<Point = Vec3<f64>>>(name: &str, machine: &M, at: Placement) -> Result<Self, TaskError> {
        let Placement { center, direction, measures } = at;
        let door = |Door { width, height, blend }| Polyline::door(center, direction, width, height, blend);
        let across = Vec3::new(-direction[1], direction[0], 0.0);
        let across = across.times(1.0 / across.length().max(f64::MIN_POSITIVE));
        Ok(match Figure::of(name, measures)? {
            Figure::Door(measures) => Self::cycle(door(measures)?),
            Figure::SemiEllipse { width, height } => Self::cycle(SemiEllipse::new(center, direction, width, height)?),
            Figure::Line { width } => {
                let half = horizontal(direction)?.times(0.5 * positive("width", width)?);
                Self::cycle(Polyline::line(center - half, center + half)?)
            }
            Figure::Circle { width } => Self::once(Arc::circle(center, 0.5 * width)?),
            Figure::Belt { door: measures, speed, picking } => {
                Self::Belt { there: Box::new(door(measures)?), belt: across.times(speed), picking }
            }
            Figure::Center => {
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
            Figure::Limits => {
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
        })
    }

    /// How many strokes it has, and how long it rests or rides between them, s.
    pub fn strokes(&self) -> (usize, f64) {
        match self {
            Self::Strokes(strokes) => (strokes.len(), strokes.iter().map(|stroke| stroke.rest).sum()),
            Self::Belt { picking, .. } => (2, *picking),
        }
    }

    /// The motion by a law of time; with [`Pace::Duration`] each stroke takes that long, whatever the limits say.
    pub fn timed(self, machine: &impl Workspace, law: &LawChoice, pace: Pace) -> Result<Timed, TaskError> {
        let mut optimal: Option<(f64, f64)> = None;
        let mut durations = Vec::new();
        let mut jerk = 0.0_f64;
        let mut along = |path: PlatformPath, pace: Pace| {
            let stroke = durations.len() + 1;
            let chosen = law.along(&path, machine, pace).map_err(|cause| TaskError::Choice { stroke, cause })?;
            let duration = chosen.law.duration();
            durations.push(duration);
            jerk = jerk.max(chosen.law.peak_jerk());
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
                    let pace = match pace {
                        Pace::Shortest if slower > 1.0 => Pace::Slower(slower),
                        Pace::Slower(factor) => Pace::Slower(factor * slower),
                        other => other,
                    };
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
                let (there, back) = (along(Box::new(there), pace)?, along(back, pace)?);
                let mut pick = ConveyorPick { there, picking, back, belt };
                if !matches!(pace, Pace::Duration(_)) {
                    let active;
                    (pick, active) = pick.within(machine)?;
                    durations = vec![pick.there.duration(), pick.back.duration()];
                    jerk = pick.there.law().peak_jerk().max(pick.back.law().peak_jerk());
                    // What is active on the path alone says nothing of the path with the belt.
                    optimal = optimal.map(|(unsmoothed, _)| (unsmoothed, active * durations.iter().sum::<f64>()));
                }
                Box::new(pick)
            }
        };
        machine.follow(&*motion)?;
        let moving: f64 = durations.iter().sum();
        let optimal = optimal.map(|(unsmoothed, active)| (unsmoothed, active / moving));
        Ok(Timed { motion, strokes: durations, optimal, jerk })
    }
}

/// The kind of a path and its points.
pub type Typed<'t> = (&'t str, Vec<Vec<f64>>);

/// The points of a path as it is typed, `kind:P/P/..` with `line`, `polyline` or `arc`; none for a name. A number is SI or has
/// its unit, and there is one for each of `dimensions`: a length each for a platform, angles for the joints of an arm.
pub fn points<'t>(path: &'t str, dimensions: &[Dimension]) -> Result<Option<Typed<'t>>, TaskError> {
    let Some((kind, texts)) = path.split_once(':') else { return Ok(None) };
    if !["line", "polyline", "arc"].contains(&kind) {
        return Err(TaskError::Kind { kind: kind.to_owned() });
    }
    let point = |(i, text): (usize, &str)| {
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() != dimensions.len() {
            let (text, needed) = (text.to_owned(), dimensions.len());
            return Err(TaskError::Coordinates { point: i + 1, text, needed, found: parts.len() });
        }
        let numbers = parts.iter().zip(dimensions).map(|(part, dimension)| {
            quantity(part, *dimension).map_err(|error| TaskError::Number {
                point: i + 1,
                problem: error.problem,
                hint: error.hint,
            })
        });
        numbers.collect()
    };
    Ok(Some((kind, texts.split('/').enumerate().map(point).collect::<Result<_, _>>()?)))
}

/// How far from a point in a direction the robot gets within its ranges, m.
fn farthest<M: Machine<Point = Vec3<f64>>>(machine: &M, from: Vec3<f64>, direction: Vec3<f64>) -> f64 {
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
