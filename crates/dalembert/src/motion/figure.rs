//! What the names of motions stand for: figures with their measures, as large as a robot has room for.

use super::mover::CannotDo;
use super::{BeltError, MotionState, Mover, PathError, PlanError, Point, SequenceError};
use crate::Vec3;
use crate::report::text::human;

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

    /// As large as its name says, or smaller where a robot has less room within its joint ranges. What keeps them nowhere stays
    /// as it is: its refusal tells more.
    pub fn within(self, mover: &Mover, direction: Vec3<f64>) -> Self {
        let [width, height, _] = self.sizes();
        let extent = if self.shape == FigureShape::Center { 0.11 * self.size } else { (0.5 * width).hypot(height) };
        let (center, room) = mover.room();
        let first = scale(extent, room);
        if room <= 0.0 {
            return self.sized(first);
        }
        let [x, y] =
            [direction[0], direction[1]].map(|part| part / direction[0].hypot(direction[1]).max(f64::MIN_POSITIVE));
        let [direction, across] = [Vec3::new(x, y, 0.0), Vec3::new(-y, x, 0.0)];
        let in_range = |[along, aside, up]: [f64; 3]| {
            let place = center.plus(along, &direction).plus(aside, &across) + Vec3::new(0.0, 0.0, up);
            mover.load(&MotionState::still(place)).is_ok_and(|load| mover.out_of_range(&load).is_none())
        };
        let smaller = std::iter::successors(Some(first), |size| Some(scale(1.0, 0.999 * size))).take(10);
        let fitting = smaller.map(|size| self.sized(size)).find(|figure| figure.places().into_iter().all(in_range));
        fitting.unwrap_or_else(|| self.sized(first))
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
            // It gets up to speed and stops beside the belt's way too.
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

/// By how much something that extends so far from its middle is made smaller where there is less room, m: 1, or the largest
/// of a half, a fifth, a tenth and so on that leaves a tenth of the room. Nothing is made smaller where the room is not known.
fn scale(extent: f64, room: f64) -> f64 {
    if extent <= room || !(room > 0.0 && extent.is_finite()) {
        return 1.0;
    }
    let most = 0.9 * room / extent;
    let tens = 10_f64.powf(most.log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|step| step * tens).find(|step| *step <= most).unwrap_or(tens)
}

/// The measures of a name for a robot, with strokes in a direction; `given` ones stay.
pub fn measures_within(path: &str, given: Measures, mover: &Mover, direction: Vec3<f64>) -> Measures {
    let Ok(usual) = NamedFigure::of(path, Measures::default()) else { return given };
    let Measures { width, height, blend } = usual.within(mover, direction).measures;
    if usual.measures == (Measures { width, height, blend }) {
        return given;
    }
    Measures { width: given.width.or(width), height: given.height.or(height), blend: given.blend.or(blend) }
}

/// The part of its usual size that a path by name has for a robot, with strokes in some directions: 1 or smaller.
pub fn size_within(path: &str, mover: &Mover, directions: &[Vec3<f64>]) -> f64 {
    let size = |direction: &Vec3<f64>| {
        let usual = NamedFigure::of(path, Measures::default()).ok()?;
        Some(usual.within(mover, *direction).measures.width? / usual.measures.width?)
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
