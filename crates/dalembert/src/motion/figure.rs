//! What the names of motions stand for: figures with their measures, as large as a robot has room for.

use super::choice::ChoiceError;
use super::mover::CannotDo;
use super::{BeltError, MotionState, Mover, PathError, Point, SequenceError};
use crate::Vec3;
use crate::report::text::human;

/// The names of motions of the tool.
pub const NAMES: [&str; 12] = [
    "pick-and-place",
    "pick-and-place-0.1kg",
    "pick-and-place-1kg",
    "pick-and-place-3kg",
    "pick-and-place-700",
    "semi-ellipse",
    "line",
    "circle",
    "conveyor",
    "falezza-conveyor",
    "falezza-center",
    "falezza-limits",
];

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

/// Why there is no such motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TaskError {
    /// Not among [`NAMES`].
    #[error("no motion is called `{name}`; there are {}, {SWING}", NAMES.join(", "))]
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
    /// Points of something that is none of `line:`, `polyline:`, `arc:` and `joints:`.
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
    /// Its motion profile.
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

impl TaskError {
    pub(super) fn unknown(name: &str) -> Self {
        // The cycle of 25/305/25 mm is also known as a door.
        let known = name.replacen("door", "pick-and-place", 1);
        let suggestion = crate::suggest::closest(&known, NAMES.into_iter().chain([SWING]));
        Self::Unknown { name: name.to_owned(), suggestion }
    }
}

/// What a name stands for, with its measures.
#[derive(Clone, Copy)]
pub(super) enum NamedFigure {
    Arch(Arch),
    SemiEllipse { width: f64, height: f64 },
    Line { width: f64 },
    Circle { width: f64 },
    Belt { arch: Arch, speed: f64, picking: f64 },
    Center { size: f64 },
    Limits,
}

#[derive(Clone, Copy)]
pub(super) struct Arch {
    pub width: f64,
    pub height: f64,
    pub blend: f64,
}

impl NamedFigure {
    pub fn of(name: &str, measures: Measures) -> Result<Self, TaskError> {
        let arch = Arch { width: 0.305, height: 0.025, blend: BLEND };
        let mut figure = match name {
            "pick-and-place" | "pick-and-place-0.1kg" | "pick-and-place-1kg" | "pick-and-place-3kg" => Self::Arch(arch),
            "pick-and-place-700" => Self::Arch(Arch { width: 0.7, ..arch }),
            "semi-ellipse" => Self::SemiEllipse { width: 0.25, height: 0.05 },
            "line" => Self::Line { width: 0.305 },
            "circle" => Self::Circle { width: 0.5 },
            "conveyor" => Self::Belt { arch, speed: 0.3, picking: 0.05 },
            "falezza-conveyor" => {
                Self::Belt { arch: Arch { width: 0.5, height: 0.1, blend: 0.05 }, speed: 0.2, picking: 0.1 }
            }
            "falezza-center" => Self::Center { size: 1.0 },
            "falezza-limits" => Self::Limits,
            _ => return Err(TaskError::unknown(name)),
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
            Self::Arch(Arch { width, height, blend }) | Self::Belt { arch: Arch { width, height, blend }, .. } => {
                [Some(width), Some(height), Some(blend)]
            }
            Self::SemiEllipse { width, height } => [Some(width), Some(height), None],
            Self::Line { width } | Self::Circle { width } => [Some(width), None, None],
            Self::Center { .. } | Self::Limits => [None, None, None],
        }
    }

    /// As large as its name says, or smaller where a robot has less room within its joint ranges. What keeps them nowhere stays
    /// as it is: its refusal tells more.
    pub fn within(self, mover: &Mover, direction: Vec3<f64>) -> Self {
        let extent = match self {
            Self::Arch(Arch { width, height, .. })
            | Self::Belt { arch: Arch { width, height, .. }, .. }
            | Self::SemiEllipse { width, height } => (0.5 * width).hypot(height),
            Self::Line { width } | Self::Circle { width } => 0.5 * width,
            Self::Center { size } => 0.11 * size,
            Self::Limits => 0.0,
        };
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

    fn sized(mut self, size: f64) -> Self {
        self.measures().into_iter().flatten().for_each(|measure| *measure *= size);
        match &mut self {
            Self::Belt { speed, .. } => *speed *= size,
            Self::Center { size: own } => *own *= size,
            _ => {}
        }
        self
    }

    /// Places that it goes through, from its middle: along its direction, across and up, m.
    fn places(&self) -> Vec<[f64; 3]> {
        const PARTS: i32 = 16;
        let parts = (-PARTS..=PARTS).map(|k| f64::from(k) / f64::from(PARTS));
        let arch = |Arch { width, height, .. }: Arch, aside: f64| {
            let ends = [-1.0, 1.0].map(|end| [0.5 * width * end, aside, 0.0]);
            parts.clone().map(move |x| [0.5 * width * x, aside, height]).chain(ends)
        };
        match *self {
            Self::Arch(measures) => arch(measures, 0.0).collect(),
            // It gets up to speed and stops beside the belt's way too.
            Self::Belt { arch: measures, speed, picking } => {
                [0.0, 2.0 * speed * picking].into_iter().flat_map(|aside| arch(measures, aside)).collect()
            }
            Self::SemiEllipse { width, height } => {
                parts.map(|x| [0.5 * width * x, 0.0, height * (1.0 - x * x).sqrt()]).collect()
            }
            Self::Line { width } => parts.map(|x| [0.5 * width * x, 0.0, 0.0]).collect(),
            Self::Circle { width } => parts
                .map(|x| (x * std::f64::consts::PI).sin_cos())
                .map(|(sin, cos)| [0.5 * width * cos, 0.5 * width * sin, 0.0])
                .collect(),
            Self::Center { size } => CENTER.map(|[x, y]| [size * x, size * y, 0.0]).to_vec(),
            Self::Limits => Vec::new(),
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
    let Ok(mut usual) = NamedFigure::of(path, Measures::default()) else { return given };
    let mut fitted = usual.within(mover, direction);
    let [own, less] = [&mut usual, &mut fitted].map(|figure| figure.measures().map(|measure| measure.copied()));
    if own == less {
        return given;
    }
    let [width, height, blend] = less;
    Measures { width: given.width.or(width), height: given.height.or(height), blend: given.blend.or(blend) }
}

/// The part of its usual size that a path by name has for a robot, with strokes in some directions: 1 or smaller.
pub fn size_within(path: &str, mover: &Mover, directions: &[Vec3<f64>]) -> f64 {
    let width = |mut figure: NamedFigure| figure.measures().map(|measure| measure.copied())[0];
    let size = |direction: &Vec3<f64>| {
        let usual = NamedFigure::of(path, Measures::default()).ok()?;
        Some(width(usual.within(mover, *direction))? / width(usual)?)
    };
    directions.iter().filter_map(size).fold(1.0, f64::min)
}

/// Whether a path has a center and a direction.
pub fn has_place(path: &str) -> [bool; 2] {
    match NamedFigure::of(path, Measures::default()) {
        Ok(NamedFigure::Circle { .. } | NamedFigure::Center { .. } | NamedFigure::Limits) => [true, false],
        Ok(_) => [true, true],
        Err(_) => [false, false],
    }
}

/// A name with its measures, as in `pick-and-place 25/305/25 mm`; a path through points by its kind.
pub fn caption(path: &str, measures: Measures) -> String {
    let mm = |metres: f64| human(1e3 * metres, 4);
    let size = match NamedFigure::of(path, measures) {
        Ok(NamedFigure::Arch(arch) | NamedFigure::Belt { arch, .. }) => {
            format!(" {}/{}/{} mm", mm(arch.height), mm(arch.width), mm(arch.height))
        }
        Ok(NamedFigure::SemiEllipse { width, height }) => format!(" {} × {} mm", mm(width), mm(height)),
        Ok(NamedFigure::Line { width } | NamedFigure::Circle { width }) => format!(" {} mm", mm(width)),
        Ok(NamedFigure::Center { .. } | NamedFigure::Limits) | Err(_) => String::new(),
    };
    match path.split_once(':') {
        Some((kind, points)) => format!("{kind} through {} points", points.split('/').count()),
        None => format!("{path}{size}"),
    }
}
