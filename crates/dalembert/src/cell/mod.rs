//! A cell: robots and bodies that stand somewhere, what joins them, and a run of all of it with its recording.
//!
//! ```
//! use dalembert::cell::{Cell, CellSettings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = dalembert::robot::Robot::find("d3-1200")?;
//! let cell = Cell::of_robot(&robot, None, None)?; // a free swing
//! let outcome = cell.run(&CellSettings { duration: 0.1, ..CellSettings::default() }, &mut |_| true)?;
//! outcome.ended?;
//! assert!(outcome.summary.energy_drift < 1e-9);
//! assert_eq!(outcome.recording.column("q1").map(<[f64]>::len), Some(101));
//! # Ok(()) }
//! ```

mod build;
mod members;
mod observe;
mod run;
mod scene;
mod settings;

pub use members::{BodyMotion, BodyShape, Member, MemberKind, RobotMember, SceneBody, StartPose, StartTorque};
pub use run::{CellRun, CellSummary, ImpactRecord};
pub use scene::Scene;
pub use settings::{CellSettings, Formulation, IntegrationMethod};

use crate::Vec3;
use crate::mechanism::{MechanismError, Swing};
use crate::robot::StateError;
use crate::simulate::{ContactLaw, ScheduledAction, SimulationError, SurfaceShape};

/// A point that moves with a member, or stands still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spot {
    /// Scene frame, m.
    Fixed([f64; 3]),
    /// On a member: from the centre of a Delta's platform (scene axes), in the tool frame of a serial arm, in a body's own
    /// frame.
    On {
        /// Its number.
        member: usize,
        /// m.
        offset: [f64; 3],
    },
}

/// How members are joined.
#[derive(Clone, Debug)]
pub enum TieKind {
    /// Two spots are one.
    Coincident(Spot, Spot),
    /// Two spots keep their distance, m.
    Distance(Spot, Spot, f64),
    /// A spot stays on a plane: through a point, with a unit normal.
    Plane(Spot, [f64; 3], [f64; 3]),
    /// Two members keep the orientation to each other that they have at the start.
    Aligned(usize, usize),
    /// A coordinate of a member follows a motion.
    Prescribed {
        /// The member's number.
        member: usize,
        /// Its coordinate, from 0: of a robot its joint.
        coordinate: usize,
        /// What it does.
        motion: Swing,
    },
    /// A spot is led through points (s, m), at rest in each of them.
    Path(Spot, Vec<(f64, [f64; 3])>),
}

/// A constraint with its name.
#[derive(Clone, Debug)]
pub struct Tie {
    /// Name.
    pub name: String,
    /// What it does.
    pub kind: TieKind,
    /// It does not hold before one of the cell's switches closes it.
    pub open: bool,
}

/// A constant force, scene frame, N.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstantForce {
    /// Where.
    pub at: Spot,
    /// How hard.
    pub force: [f64; 3],
}

/// What a member may touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Against {
    /// Something that stands still.
    Surface(SurfaceShape),
    /// A member: a body with its shape, a robot with its platform's centre or its tool.
    Member(usize),
}

/// A contact with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Name.
    pub name: String,
    /// What touches: a body with its shape, or a point of a robot's platform or tool.
    pub spot: Spot,
    /// What it touches.
    pub against: Against,
    /// How.
    pub law: ContactLaw,
}

/// Robots and bodies that stand somewhere and what joins them.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Name.
    pub name: String,
    /// m/s².
    pub gravity: Vec3<f64>,
    /// Robots and bodies; their names, and those of ties and contacts, are distinct.
    pub members: Vec<Member>,
    /// Constraints.
    pub ties: Vec<Tie>,
    /// Constant forces.
    pub pushes: Vec<ConstantForce>,
    /// What may touch.
    pub contacts: Vec<Contact>,
    /// Constraints that begin (where the bodies are then, with an impact that takes their relative velocity) or end.
    pub switches: Vec<ScheduledAction>,
}

/// Why a cell cannot run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum CellError {
    #[error("it has neither a robot nor a body")]
    Empty,
    #[error("the explicit formulation is for one robot alone")]
    NotExplicit,
    #[error("rattle {why}")]
    NotForRattle { why: String },
    #[error("contacts, grips and releases do not go with the minimal formulation")]
    MinimalTouches,
    #[error("{what} of {value} s: it must be positive and finite")]
    BadTime { what: &'static str, value: f64 },
    #[error("{duration} s with a row every {every} s would be {rows:.0} rows; at most {most} are kept")]
    TooLong { duration: f64, every: f64, rows: f64, most: usize },
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    #[error(transparent)]
    StateError(#[from] StateError),
    #[error(transparent)]
    Recording(#[from] crate::report::recording::RecordingError),
}

impl Cell {
    /// A cell with nothing in it.
    pub fn new(name: impl Into<String>, gravity: Vec3<f64>) -> Self {
        Self {
            name: name.into(),
            gravity,
            members: Vec::new(),
            ties: Vec::new(),
            pushes: Vec::new(),
            contacts: Vec::new(),
            switches: Vec::new(),
        }
    }

    /// The one robot that the explicit formulation can run.
    pub(crate) fn robot_alone(&self) -> Option<&RobotMember> {
        match self.members.as_slice() {
            [Member { item: MemberKind::Robot(robot), .. }]
                if self.ties.is_empty() && self.pushes.is_empty() && self.contacts.is_empty() =>
            {
                Some(robot)
            }
            _ => None,
        }
    }
}
