//! What a run looks like: lines and solids that hang on points which move. Joints and poses, not meshes; a viewer
//! needs to know nothing about robots.

/// Something that moves, sampled at the rows of the recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Scene frame, m.
    pub position: Vec<[f64; 3]>,
    /// Unit quaternions (w, x, y, z); empty for what does not turn.
    pub rotation: Vec<[f64; 4]>,
}

/// A point of a drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// What it moves with; `None`: it stands still.
    pub track: Option<usize>,
    /// From the track's position, turned with it, m.
    pub offset: [f64; 3],
}

impl Anchor {
    /// A point that stands still.
    pub fn fixed(point: [f64; 3]) -> Self {
        Self { track: None, offset: point }
    }

    /// A point that moves with a track.
    pub fn on(track: usize, offset: [f64; 3]) -> Self {
        Self { track: Some(track), offset }
    }
}

/// What a shape belongs to: the viewer chooses its colour and weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What stands still.
    Base,
    /// A driven link.
    Arm,
    /// A light rod.
    Rod,
    /// What carries the tool.
    Platform,
    /// A body that is no robot.
    Body,
    /// A surface that is touched.
    Surface,
}

impl Role {
    /// Its name in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Arm => "arm",
            Self::Rod => "rod",
            Self::Platform => "platform",
            Self::Body => "body",
            Self::Surface => "surface",
        }
    }
}

/// One element of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// From point to point.
    Line(Role, Vec<Anchor>),
    /// A filled outline.
    Polygon(Role, Vec<Anchor>),
    /// A box about a point.
    Box(Role, Anchor, [f64; 3]),
    /// A ball about a point.
    Sphere(Role, Anchor, f64),
    /// A cylinder between two points.
    Cylinder(Role, [Anchor; 2], f64),
    /// The ground at this height, m; without one it is a little below everything.
    Floor(f64),
    /// The path of a track.
    Trace(usize),
}

/// A run to look at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// What moves.
    pub tracks: Vec<Track>,
    /// What is drawn.
    pub shapes: Vec<Shape>,
    /// Where gravity points to, of any size: a viewer turns the scene so that this is down. All zero: −z.
    pub down: [f64; 3],
}

impl Drawing {
    /// The turn, a unit quaternion (w, x, y, z), after which what is up in the scene is z; none where it is.
    pub fn turn(&self) -> Option<[f64; 4]> {
        let size = self.down.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [x, y, z] = self.down.map(|x| -x / size);
        // Half of the shortest turn from (x, y, z) to z; of half a turn the axis is free.
        match 2.0 * (1.0 + z) {
            square if square.is_nan() || square > 4.0 - 1e-12 => None,
            square if square < 1e-12 => Some([0.0, 1.0, 0.0, 0.0]),
            square => Some([0.5 * square.sqrt(), y / square.sqrt(), -x / square.sqrt(), 0.0]),
        }
    }

    /// Adds another drawing to this one.
    pub fn append(&mut self, mut other: Self) {
        let first = self.tracks.len();
        for shape in &mut other.shapes {
            let anchors: &mut [Anchor] = match shape {
                Shape::Line(_, anchors) | Shape::Polygon(_, anchors) => anchors,
                Shape::Box(_, anchor, _) | Shape::Sphere(_, anchor, _) => std::slice::from_mut(anchor),
                Shape::Cylinder(_, ends, _) => ends,
                Shape::Floor(_) => &mut [],
                Shape::Trace(track) => {
                    *track += first;
                    &mut []
                }
            };
            anchors.iter_mut().filter_map(|anchor| anchor.track.as_mut()).for_each(|track| *track += first);
        }
        self.tracks.append(&mut other.tracks);
        self.shapes.append(&mut other.shapes);
    }
}
