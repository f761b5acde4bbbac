//! Motions by name: cycles that a robot is judged by, and those of the papers; and paths through points.
//!
//! `docs/motion.md` has their table: of Codourey 1998 (section 5.2), Asadi & Heydari 2020 (section 5), Falezza et al. 2022 (Υ₁ to Υ₃).
//! The last shows Υ₁ to Υ₃ as pictures without numbers; the measures here are ours. [`Measures`] replace those of a name. Where a
//! robot has no room for those of a name within its joint ranges, those that nobody has given are smaller, all by the same step: a
//! half, a fifth, a tenth and so on.

use super::choice::{MotionPace, ProfileChoice};
use super::mover::CannotDo;
use super::path::{horizontal, positive};
use super::time_optimal::Tick;
use super::{
    Arc, BeltError, BoxedMotion, ConveyorPick, Dwell, Motion, MotionLimits, MotionState, Mover, Path, PathError,
    PlanError, Point, Polyline, Reversed, RobotMotion, SemiEllipse, Sequence, SequenceError, Travel, Turned,
    TurnedPath,
};
use crate::Vec3;
use crate::limits::JointLimits;
use crate::report::text::human;
use crate::robot::file::{Dimension, quantity};
use crate::robot::{Joint, JointKind, JointVector, Pick, by_kind};

/// A path of any kind.
pub type BoxedPath<P> = Box<dyn Path<Point = P> + Send + Sync>;

/// Where a joint that turns goes from and to in [`SWING`], rad from the middle of its range; one that slides by a tenth of
/// that in metres, and in a narrow range none beyond a quarter of it.
const SWINGS: [f64; 2] = [0.3, 0.9];

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

/// A motion that still lacks its motion profile.
pub enum MotionTask {
    /// The tool from stop to stop.
    Strokes(Vec<MotionStroke<Vec3<f64>>>),
    /// The same while the tool turns about z.
    Turning(Vec<MotionStroke<Turned>>),
    /// The joints from stop to stop.
    Joints(Vec<MotionStroke<JointVector>>),
    /// There, along with a belt, and back.
    Belt {
        /// From the place to the part.
        there: BoxedPath<Vec3<f64>>,
        /// m/s.
        belt: Vec3<f64>,
        /// Time with the belt, s.
        picking: f64,
    },
}

/// From one stop to the next.
pub struct MotionStroke<P> {
    /// Where.
    pub path: BoxedPath<P>,
    /// So many times as long as it could take.
    pub slower: f64,
    /// Rest at its end, s.
    pub rest: f64,
    /// How far it passes from the farthest of its points, m (rad).
    pub cut: f64,
}

/// A motion with its profiles.
#[derive(Clone, Debug)]
pub struct TimedMotion {
    /// The motion.
    pub motion: RobotMotion,
    /// The solution of the kinematics on which it is planned.
    pub pick: Pick,
    /// Of the first stroke, m (rad).
    pub length: f64,
    /// Duration of each stroke of one cycle, s.
    pub strokes: Vec<f64>,
    /// What its time-optimal profiles would take without smoothing in all, s, and the share of the time that a limit is active.
    pub optimal: Option<(f64, f64)>,
    /// How far it passes from the points or the rows of a file that it was given, where it does.
    pub note: Option<String>,
}

impl<P: Point> MotionStroke<P> {
    fn plain(path: impl Path<Point = P> + Send + Sync + 'static) -> Self {
        Self { path: Box::new(path), slower: 1.0, rest: 0.0, cut: 0.0 }
    }

    /// Through points that somebody has given.
    fn through(path: Polyline<P>) -> Self
    where
        P: Send + Sync + 'static,
    {
        Self { cut: path.cut(), ..Self::plain(path) }
    }
}

impl MotionTask {
    /// Forth and back.
    pub fn cycle(path: impl Path<Point = Vec3<f64>> + Clone + Send + Sync + 'static) -> Self {
        Self::Strokes(vec![MotionStroke::plain(path.clone()), MotionStroke::plain(Reversed(path))])
    }

    /// Once along a path.
    pub fn once(path: impl Path<Point = Vec3<f64>> + Send + Sync + 'static) -> Self {
        Self::Strokes(vec![MotionStroke::plain(path)])
    }

    /// The motion of the tool with this name, or along a path as it is typed: `line:P/P`, `polyline:P/P/P`, `arc:P/P/P` with
    /// points P = x,y,z.
    pub fn of_tool(path: &str, mover: &Mover, at: Placement) -> Result<Self, TaskError> {
        let Some((kind, points)) = points(path, &[Dimension::Length; 3])? else {
            return Self::named(path, mover, at);
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
            _ => Ok(Self::Strokes(vec![MotionStroke::through(blended(&points, blend)?)])),
        }
    }

    fn named(name: &str, mover: &Mover, at: Placement) -> Result<Self, TaskError> {
        let Placement { center, direction, measures } = at;
        let across = Vec3::new(-direction[1], direction[0], 0.0);
        let across = across.times(1.0 / across.length().max(f64::MIN_POSITIVE));
        // A measure that the name does not have is refused.
        NamedFigure::of(name, measures)?;
        let figure = NamedFigure::of(name, Measures::default())?.within(measures, mover, [center, direction]);
        let ([width, height, blend], size) = (figure.sizes(), figure.size);
        let arch = || Polyline::pick_and_place(center, direction, width, height, blend);
        Ok(match figure.shape {
            FigureShape::Arch => Self::cycle(arch()?),
            FigureShape::SemiEllipse => Self::cycle(SemiEllipse::new(center, direction, width, height)?),
            FigureShape::Line => {
                let half = horizontal(direction)?.times(0.5 * positive("width", width)?);
                Self::cycle(Polyline::line(center - half, center + half)?)
            }
            FigureShape::Circle => Self::once(Arc::circle(center, 0.5 * width)?),
            FigureShape::Belt => {
                Self::Belt { there: Box::new(arch()?), belt: across.times(figure.speed), picking: figure.picking }
            }
            FigureShape::Center => {
                let points = CENTER.map(|[x, y]| center + Vec3::new(size * x, size * y, 0.0));
                let strokes = [1.0, 3.0].into_iter().flat_map(|slower| {
                    points.windows(2).map(move |pair| {
                        let path = Polyline::line(pair[0], pair[1])?;
                        Ok(MotionStroke { slower, ..MotionStroke::plain(path) })
                    })
                });
                Self::Strokes(strokes.collect::<Result<_, PathError>>()?)
            }
            FigureShape::Limits => {
                let target = |degrees: f64| {
                    let (sin, cos) = degrees.to_radians().sin_cos();
                    let out = Vec3::new(cos, sin, 0.0);
                    center.plus(0.95 * farthest(mover, center, out), &out)
                };
                let targets = [target(60.0), target(180.0), target(300.0)];
                let points = [center, targets[0], targets[1], targets[2], center];
                let strokes = points.windows(2).enumerate().map(|(i, pair)| {
                    let rest = if i < 3 { 2.0 } else { 0.0 };
                    Ok(MotionStroke { rest, ..MotionStroke::plain(Polyline::line(pair[0], pair[1])?) })
                });
                Self::Strokes(strokes.collect::<Result<_, PathError>>()?)
            }
        })
    }

    /// The motion of the joints as it is typed: `swing`, or `joints:Q/Q/..` with poses Q = q1,q2,..; `line` and `polyline` mean
    /// the same.
    pub fn of_joints(path: &str, mover: &Mover, blend: Option<f64>) -> Result<Self, TaskError> {
        let slides = |kind| kind == JointKind::Prismatic;
        let joints = &mover.joints;
        let poses: Vec<JointVector> = if path == SWING {
            let pose = |part: f64| {
                let joint = |i: usize| {
                    let JointLimits { range: [least, most], .. } = joints[i].limits;
                    let bounded = (most - least).is_finite();
                    let (middle, width) =
                        if bounded { (0.5 * (least + most), most - least) } else { (0.0, f64::INFINITY) };
                    let away = if slides(joints[i].kind) { 0.1 * part } else { part };
                    middle + away.min(0.25 * width * part / SWINGS[1])
                };
                JointVector::from_fn(joints.len(), joint)
            };
            SWINGS.map(pose).to_vec()
        } else {
            match points(path, &dimensions(joints))? {
                Some((_, poses)) => poses.iter().map(|pose| JointVector::new(pose)).collect(),
                None => return Err(TaskError::unknown(path)),
            }
        };
        if poses.len() < 3 && blend.is_some() {
            return Err(TaskError::NoMeasure { what: "blend", path: path.to_owned() });
        }
        let there = blended(&poses, blend)?;
        let mut strokes = vec![MotionStroke::through(there.clone())];
        if path == SWING {
            // With a profile of its own: gravity helps another way.
            strokes.push(MotionStroke::plain(Reversed(there)));
        }
        Ok(Self::Joints(strokes))
    }

    /// The same with a tool that turns from one angle about z to another on the first stroke, back on the second, and so on. None
    /// for what is no strokes of a tool.
    pub fn turning(self, [from, to]: [f64; 2]) -> Option<Self> {
        let Self::Strokes(strokes) = self else { return None };
        let turned = |(i, MotionStroke { path, slower, rest, cut }): (usize, MotionStroke<Vec3<f64>>)| {
            let angles = if i.is_multiple_of(2) { [from, to] } else { [to, from] };
            MotionStroke { path: Box::new(TurnedPath { path, angles }) as BoxedPath<Turned>, slower, rest, cut }
        };
        Some(Self::Turning(strokes.into_iter().enumerate().map(turned).collect()))
    }

    /// Of each stroke the rest or ride behind it, s, and how far it passes from its points.
    fn rests(&self) -> Vec<[f64; 2]> {
        fn of<P>(strokes: &[MotionStroke<P>]) -> Vec<[f64; 2]> {
            strokes.iter().map(|stroke| [stroke.rest, stroke.cut]).collect()
        }
        match self {
            Self::Strokes(strokes) => of(strokes),
            Self::Turning(strokes) => of(strokes),
            Self::Joints(strokes) => of(strokes),
            Self::Belt { picking, .. } => vec![[*picking, 0.0], [0.0; 2]],
        }
    }

    /// How many strokes it has, and how long it rests or rides between them, s.
    pub fn strokes(&self) -> (usize, f64) {
        let rests = self.rests();
        (rests.len(), rests.iter().map(|[rest, _]| rest).sum())
    }

    /// How far it passes from its points, where it does not go through all of them.
    fn note(&self, joints: &[Joint]) -> Option<String> {
        let of_joints = || (1.0, by_kind(joints, JointVector::UNITS));
        let (factor, unit) = if matches!(self, Self::Joints(_)) { of_joints() } else { (1e3, "mm") };
        let cut = factor * self.rests().iter().map(|[_, cut]| *cut).fold(0.0, f64::max);
        (cut > 0.0).then(|| format!("its corners are blended, at most {} {unit} from its points", human(cut, 2)))
    }

    /// The motion by a profile; with [`MotionPace::Duration`] each stroke takes that long, whatever the limits say.
    pub fn timed(self, mover: &Mover, profile: &ProfileChoice, pace: MotionPace) -> Result<TimedMotion, TaskError> {
        self.watched(mover, profile, pace, &mut |_| {})
    }

    /// The same; `tick` is told the share that is done, stroke by stroke and within each.
    pub(super) fn watched(
        self,
        mover: &Mover,
        profile: &ProfileChoice,
        pace: MotionPace,
        tick: Tick<'_>,
    ) -> Result<TimedMotion, TaskError> {
        let strokes = self.strokes().0;
        let mut times = Times { mover, profile, durations: Vec::new(), length: 0.0, optimal: None, strokes, tick };
        let note = self.note(&mover.joints);
        let of_tool = |motion: BoxedMotion<Vec3<f64>>| -> Result<RobotMotion, TaskError> {
            mover.follow(&*motion)?;
            Ok(RobotMotion::Tool { motion: motion.into(), orientation: mover.orientation })
        };
        let motion = match self {
            Self::Strokes(strokes) => of_tool(Box::new(times.sequence(strokes, pace)?))?,
            Self::Turning(strokes) => RobotMotion::turning(times.sequence(strokes, pace)?),
            Self::Joints(strokes) => RobotMotion::of_joints(times.sequence(strokes, pace)?),
            Self::Belt { there, belt, picking } => {
                let there = std::sync::Arc::new(there);
                let back: BoxedPath<Vec3<f64>> = Box::new(Reversed(std::sync::Arc::clone(&there)));
                let there: BoxedPath<Vec3<f64>> = Box::new(there);
                let (there, back) = (times.along(there, pace)?, times.along(back, pace)?);
                let mut pick = ConveyorPick { there, picking, back, belt };
                if matches!(pace, MotionPace::Duration(_)) {
                    // Limits of the robot are for whoever gives the time to look after, those of the motion are not.
                    if mover.moved != MotionLimits::NONE || mover.each != MotionLimits::NONE {
                        pick.check(mover)?;
                    }
                } else {
                    let active;
                    (pick, active) = pick.within(mover)?;
                    times.durations = vec![pick.there.duration(), pick.back.duration()];
                    // What is active on the path alone says nothing of the path with the belt.
                    let moving = times.durations.iter().sum::<f64>();
                    times.optimal = times.optimal.map(|(unsmoothed, _)| (unsmoothed, active * moving));
                }
                of_tool(Box::new(pick.motion()?))?
            }
        };
        let Times { durations: strokes, length, optimal, .. } = times;
        let moving: f64 = strokes.iter().sum();
        let optimal = optimal.map(|(unsmoothed, active)| (unsmoothed, active / moving));
        Ok(TimedMotion { motion, pick: mover.pick.clone(), length, strokes, optimal, note })
    }
}

/// What is known of the strokes of a motion while they get their profiles.
struct Times<'a> {
    mover: &'a Mover,
    profile: &'a ProfileChoice,
    durations: Vec<f64>,
    length: f64,
    /// Sums of what the strokes take without smoothing and of the time that a limit is active.
    optimal: Option<(f64, f64)>,
    /// How many there are.
    strokes: usize,
    tick: Tick<'a>,
}

impl Times<'_> {
    /// The next stroke.
    fn along<P: Point>(&mut self, path: BoxedPath<P>, pace: MotionPace) -> Result<Travel<BoxedPath<P>>, TaskError> {
        let stroke = self.durations.len() + 1;
        let failed = |cause| TaskError::Plan { stroke, cause };
        let (done, all) = ((stroke - 1) as f64, self.strokes.max(1) as f64);
        let mut tick = |share: f64| (self.tick)((done + share) / all);
        tick(0.0);
        let chosen = self.profile.watched(&path, self.mover, pace, &mut tick).map_err(failed)?;
        let duration = chosen.profile.duration();
        if self.durations.is_empty() {
            self.length = path.length();
        }
        self.durations.push(duration);
        if let Some((unsmoothed, active)) = chosen.optimal {
            let sum = self.optimal.get_or_insert((0.0, 0.0));
            *sum = (sum.0 + unsmoothed, sum.1 + active * duration);
        }
        Travel::new(path, |_| Ok(chosen.profile)).map_err(|cause| failed(cause.into()))
    }

    /// Strokes one after the other.
    fn sequence<P: Point>(
        &mut self,
        strokes: Vec<MotionStroke<P>>,
        pace: MotionPace,
    ) -> Result<Sequence<P>, TaskError> {
        let mut parts: Vec<BoxedMotion<P>> = Vec::new();
        for MotionStroke { path, slower, rest, .. } in strokes {
            let position = path.at(path.length()).position;
            let pace = match pace {
                MotionPace::Shortest if slower > 1.0 => MotionPace::Slower(slower),
                MotionPace::Slower(factor) => MotionPace::Slower(factor * slower),
                other => other,
            };
            parts.push(Box::new(self.along(path, pace)?));
            if rest > 0.0 {
                parts.push(Box::new(Dwell { position, duration: rest }));
            }
        }
        Ok(Sequence::new(parts)?)
    }
}

/// Legs through points. The blend that nobody has given is shorter where a leg has no room for it.
fn blended<P: Point>(points: &[P], blend: Option<f64>) -> Result<Polyline<P>, PathError> {
    match (Polyline::new(points, blend.unwrap_or(BLEND)), blend) {
        (Err(PathError::BlendTooLong { .. }), None) => {
            let legs = points.windows(2).map(|pair| pair[1].plus(-1.0, &pair[0]).length());
            Polyline::new(points, 0.4 * legs.fold(f64::INFINITY, f64::min))
        }
        (path, _) => path,
    }
}

/// What the numbers of a pose measure.
pub(super) fn dimensions(joints: &[Joint]) -> Vec<Dimension> {
    let dimension =
        |joint: &Joint| if joint.kind == JointKind::Prismatic { Dimension::Length } else { Dimension::Angle };
    joints.iter().map(dimension).collect()
}

/// The kind of a path and its points.
pub type Typed<'t> = (&'t str, Vec<Vec<f64>>);

/// The points of a path as it is typed, `kind:P/P/..` with `line`, `polyline`, `arc` or `joints`; none for a name. A number is SI or has
/// its unit, and there is one for each of `dimensions`: a length each for a platform, angles for the joints of an arm.
pub fn points<'t>(path: &'t str, dimensions: &[Dimension]) -> Result<Option<Typed<'t>>, TaskError> {
    let Some((kind, texts)) = path.split_once(':') else { return Ok(None) };
    if !["line", "polyline", "arc", "joints"].contains(&kind) {
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
fn farthest(mover: &Mover, from: Vec3<f64>, direction: Vec3<f64>) -> f64 {
    let reached = |r: f64| match mover.load(&MotionState::still(from.plus(r, &direction))) {
        Ok(load) => mover.out_of_range(&load).is_none(),
        Err(_) => false,
    };
    // 10 mm for a room of 0.1 to 1 m, and so on.
    let step = match mover.room().1 {
        room if room > 0.0 => 0.1 * 10_f64.powf(room.log10().floor()),
        _ => 0.01,
    };
    let mut good = 0.0;
    while reached(good + step) {
        good += step;
    }
    good
}

/// A name and its shape; width, height and blend, m; speed of a belt, m/s, and the time with it, s; payload, kg.
type FigureRow = (&'static str, FigureShape, [Option<f64>; 3], [f64; 2], Option<f64>);

const ARCH: [Option<f64>; 3] = [Some(0.305), Some(0.025), Some(BLEND)];
const FIGURES: [FigureRow; 12] = [
    ("pick-and-place", FigureShape::Arch, ARCH, [0.0; 2], None),
    ("pick-and-place-0.1kg", FigureShape::Arch, ARCH, [0.0; 2], Some(0.1)),
    ("pick-and-place-1kg", FigureShape::Arch, ARCH, [0.0; 2], Some(1.0)),
    ("pick-and-place-3kg", FigureShape::Arch, ARCH, [0.0; 2], Some(3.0)),
    ("pick-and-place-700", FigureShape::Arch, [Some(0.7), ARCH[1], ARCH[2]], [0.0; 2], None),
    ("semi-ellipse", FigureShape::SemiEllipse, [Some(0.25), Some(0.05), None], [0.0; 2], None),
    ("line", FigureShape::Line, [Some(0.305), None, None], [0.0; 2], None),
    ("circle", FigureShape::Circle, [Some(0.5), None, None], [0.0; 2], None),
    ("conveyor", FigureShape::Belt, ARCH, [0.3, 0.05], None),
    ("falezza-conveyor", FigureShape::Belt, [Some(0.5), Some(0.1), Some(0.05)], [0.2, 0.1], None),
    ("falezza-center", FigureShape::Center, [None; 3], [0.0; 2], None),
    ("falezza-limits", FigureShape::Limits, [None; 3], [0.0; 2], None),
];

/// The names of motions of the tool.
pub fn names() -> [&'static str; 12] {
    FIGURES.map(|row| row.0)
}

fn row(name: &str) -> Option<&'static FigureRow> {
    FIGURES.iter().find(|(known, ..)| *known == name)
}

/// The payload that a name stands for, kg.
pub fn payload(name: &str) -> Option<f64> {
    row(name)?.4
}

/// The motion of joints that every robot has: all of them off the middle of their ranges, by the same, and back.
pub const SWING: &str = "swing";

/// The blend of polylines, m, in joints rad.
pub(super) const BLEND: f64 = 0.02;

/// Points of `falezza-center`, m from its middle.
pub(super) const CENTER: [[f64; 2]; 6] =
    [[0.05, 0.0], [-0.03, 0.08], [-0.02, -0.1], [0.08, -0.04], [0.0, 0.07], [0.05, 0.0]];

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

/// Why there is no such motion; points and strokes are counted from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum TaskError {
    #[error("no motion is called `{name}`; there are {}, {SWING}", names().join(", "))]
    Unknown { name: String, suggestion: Option<&'static str> },
    /// A measure, a direction or a center of something that has none.
    #[error("`{path}` has no {what} that could be given")]
    NoMeasure { what: &'static str, path: String },
    /// Points of something that is none of `line:`, `polyline:`, `arc:` and `joints:`.
    #[error("there is no kind `{kind}` of paths")]
    Kind { kind: String },
    #[error("{kind} has {needed} points, here are {found}")]
    Points { kind: &'static str, needed: usize, found: usize },
    #[error("point {point}, `{text}`, has {found} numbers, but needs {needed}")]
    Coordinates { point: usize, text: String, needed: usize, found: usize },
    #[error("point {point}: {problem}")]
    Number { point: usize, problem: String, hint: String },
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Belt(#[from] BeltError),
    #[error("stroke {stroke}: {cause}")]
    Plan { stroke: usize, cause: PlanError },
    /// No robot like this gets from its beginning to its end.
    #[error(transparent)]
    Follow(#[from] CannotDo),
    #[error(transparent)]
    Sequence(#[from] SequenceError),
}

impl TaskError {
    pub(super) fn unknown(name: &str) -> Self {
        // The cycle of 25/305/25 mm is also known as a door.
        let known = name.replacen("door", "pick-and-place", 1);
        let suggestion = crate::suggest::closest(&known, names().into_iter().chain([SWING]));
        Self::Unknown { name: name.to_owned(), suggestion }
    }
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum FigureShape {
    Arch,
    SemiEllipse,
    Line,
    Circle,
    Belt,
    Center,
    Limits,
}

/// A shape with its measures.
#[derive(Clone, Copy)]
pub(super) struct NamedFigure {
    pub shape: FigureShape,
    /// Those that it has.
    pub measures: Measures,
    /// Of a belt, m/s, and the time with it, s.
    pub speed: f64,
    pub picking: f64,
    /// Part of its usual size.
    pub size: f64,
}

impl NamedFigure {
    pub fn of(name: &str, given: Measures) -> Result<Self, TaskError> {
        let Some(&(_, shape, [width, height, blend], [speed, picking], _)) = row(name) else {
            return Err(TaskError::unknown(name));
        };
        let measure = |what, given: Option<f64>, own| match (given, own) {
            (Some(_), None) => Err(TaskError::NoMeasure { what, path: name.to_owned() }),
            _ => Ok(given.or(own)),
        };
        let measures = Measures {
            width: measure("width", given.width, width)?,
            height: measure("height", given.height, height)?,
            blend: measure("blend", given.blend, blend)?,
        };
        Ok(Self { shape, measures, speed, picking, size: 1.0 })
    }

    /// Width, height and blend; zero where it has none.
    pub fn sizes(&self) -> [f64; 3] {
        let Measures { width, height, blend } = self.measures;
        [width, height, blend].map(Option::unwrap_or_default)
    }

    /// As large as its name says, or smaller where a robot has less room within its joint ranges, here and where it has most: the largest of
    /// the steps of [`SIZES`] that it has room for. Measures of `given` stay. What keeps it nowhere stays as it is: its refusal
    /// tells more.
    fn within(self, given: Measures, mover: &Mover, [center, direction]: [Vec3<f64>; 2]) -> Self {
        let [x, y] =
            [direction[0], direction[1]].map(|part| part / direction[0].hypot(direction[1]).max(f64::MIN_POSITIVE));
        let [direction, across] = [Vec3::new(x, y, 0.0), Vec3::new(-y, x, 0.0)];
        let in_range = |center: Vec3<f64>, [along, aside, up]: [f64; 3]| {
            let place = center.plus(along, &direction).plus(aside, &across) + Vec3::new(0.0, 0.0, up);
            mover.load(&MotionState::still(place)).is_ok_and(|load| mover.out_of_range(&load).is_none())
        };
        let given = |figure: Self| {
            let Measures { width, height, blend } = figure.measures;
            let of = |given: Option<f64>, own: Option<f64>| given.or(own);
            let measures = Measures {
                width: of(given.width, width),
                height: of(given.height, height),
                blend: of(given.blend, blend),
            };
            Self { measures, ..figure }
        };
        let (whole, room) = (given(self), mover.room().0);
        let fits = |figure: &Self, center| figure.places().into_iter().all(|place| in_range(center, place));
        if fits(&whole, center) {
            return whole;
        }
        SIZES.map(|size| given(self.sized(size))).into_iter().find(|figure| fits(figure, room)).unwrap_or(whole)
    }

    fn sized(self, size: f64) -> Self {
        let Measures { width, height, blend } = self.measures;
        let [width, height, blend] = [width, height, blend].map(|measure| measure.map(|own| own * size));
        Self { measures: Measures { width, height, blend }, speed: self.speed * size, size: self.size * size, ..self }
    }

    /// Places that it goes through, from its middle: along its direction, across and up, m.
    fn places(&self) -> Vec<[f64; 3]> {
        const PARTS: i32 = 16;
        let parts = (-PARTS..=PARTS).map(|k| f64::from(k) / f64::from(PARTS));
        let [width, height, _] = self.sizes();
        let arch = |aside: f64| {
            let ends = [-1.0, 1.0].map(|end| [0.5 * width * end, aside, 0.0]);
            parts.clone().map(move |x| [0.5 * width * x, aside, height]).chain(ends)
        };
        match self.shape {
            FigureShape::Arch => arch(0.0).collect(),
            // It also accelerates and stops, in addition to the belt's path.
            FigureShape::Belt => [0.0, 2.0 * self.speed * self.picking].into_iter().flat_map(arch).collect(),
            FigureShape::SemiEllipse => parts.map(|x| [0.5 * width * x, 0.0, height * (1.0 - x * x).sqrt()]).collect(),
            FigureShape::Line => parts.map(|x| [0.5 * width * x, 0.0, 0.0]).collect(),
            FigureShape::Circle => parts
                .map(|x| (x * std::f64::consts::PI).sin_cos())
                .map(|(sin, cos)| [0.5 * width * cos, 0.5 * width * sin, 0.0])
                .collect(),
            FigureShape::Center => CENTER.map(|[x, y]| [self.size * x, self.size * y, 0.0]).to_vec(),
            FigureShape::Limits => Vec::new(),
        }
    }
}

/// The parts of its usual size that a motion by name may have.
const SIZES: [f64; 10] = [1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];

/// The measures of a name for a robot, at a center with strokes in a direction; `given` ones stay, and all others too where there is room.
pub fn measures_within(path: &str, given: Measures, mover: &Mover, place: [Vec3<f64>; 2]) -> Measures {
    let Ok(usual) = NamedFigure::of(path, Measures::default()) else { return given };
    let within = usual.within(given, mover, place);
    if within.size == 1.0 { given } else { within.measures }
}

/// The part of its usual size that a path by name has for a robot, with strokes in some directions: 1 or smaller.
pub fn size_within(path: &str, mover: &Mover, directions: &[Vec3<f64>]) -> f64 {
    let size = |direction: &Vec3<f64>| {
        let usual = NamedFigure::of(path, Measures::default()).ok()?;
        Some(usual.within(Measures::default(), mover, [mover.room().0, *direction]).size)
    };
    directions.iter().filter_map(size).fold(1.0, f64::min)
}

/// Whether a path has a center and a direction.
pub fn has_place(path: &str) -> [bool; 2] {
    match NamedFigure::of(path, Measures::default()).map(|figure| figure.shape) {
        Ok(FigureShape::Circle | FigureShape::Center | FigureShape::Limits) => [true, false],
        Ok(_) => [true, true],
        Err(_) => [false, false],
    }
}

/// A name with its measures, as in `pick-and-place 25/305/25 mm`; a path through points by its kind.
pub fn caption(path: &str, measures: Measures) -> String {
    if let Some((kind, points)) = path.split_once(':') {
        return format!("{kind} through {} points", points.split('/').count());
    }
    let Ok(figure) = NamedFigure::of(path, measures) else { return path.to_owned() };
    let [width, height, _] = figure.sizes().map(|metres| human(1e3 * metres, 4));
    match figure.shape {
        FigureShape::Arch | FigureShape::Belt => format!("{path} {height}/{width}/{height} mm"),
        FigureShape::SemiEllipse => format!("{path} {width} × {height} mm"),
        FigureShape::Line | FigureShape::Circle => format!("{path} {width} mm"),
        FigureShape::Center | FigureShape::Limits => path.to_owned(),
    }
}
