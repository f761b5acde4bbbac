//! Other people's conventions, by name, there and back. Pictures are in `docs/converters.md`.
//!
//! A convention differs from ours in its axes, its units, the sense and zero of its joint angles, the place of its
//! first arm, and in what it calls its parameters. [`Converter`] converts states, [`ConventionParameters`] parameters. The
//! sources, and what they do not say and is therefore assumed, are in the head of `parameters.rs`.
//!
//! ```
//! use dalembert::convert::{Convention, Converter, ConventionState};
//! use dalembert::{Vec3, delta::Branch, robots};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = robots::d3_1200()?.delta;
//! let position = Vec3::new(0.1, 0.0, -0.85);
//! let q = Vec3(robot.at_position(position, Branch::Out)?.joints());
//!
//! // The D3-1200's first arm is along +x, LinuxCNC's along −y: the converter turns the frame.
//! let linuxcnc = Converter::new(Convention::LinuxCnc, &robot)?;
//! let state = linuxcnc.to_convention(&ConventionState { position, q, ..ConventionState::default() });
//! assert!((state.position[1] + 100.0).abs() < 1e-9); // mm
//! assert!((state.q[0] - q[0].to_degrees()).abs() < 1e-9);
//! # Ok(()) }
//! ```

mod parameters;

pub use parameters::ConventionParameters;

use crate::Vec3;
use crate::delta::{Azimuth, Delta};
use parameters::ConventionRow;
use std::array::from_fn;

/// A convention that robots are described in elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// LinuxCNC's `rotarydeltakins`.
    LinuxCnc,
    /// Klipper's `rotary_delta`.
    Klipper,
    /// The tutorial code of the Trossen forum.
    Trossen,
    /// Beckhoff TwinCAT's `P_3C`.
    TwinCat,
    /// Asadi & Heydari 2020.
    Asadi,
    /// Bortoff 2018.
    Bortoff,
    /// Falezza et al. 2022.
    Falezza,
}

/// What distinguishes a convention's states from ours.
#[derive(Clone, Copy, Debug)]
struct Axes {
    /// Its units of length in a metre.
    per_metre: f64,
    /// Its angles are in degrees.
    degrees: bool,
    /// +1: z up. −1: z down; a mirror image, which point masses and thin rods do not notice.
    up: f64,
    /// +1: a joint angle grows as the elbow goes down. −1: as it goes up.
    sense: f64,
    /// Where its arms are, seen from above in our frame, degrees; `None`: wherever its parameters say.
    azimuths: Option<[f64; 3]>,
}

impl Convention {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::LinuxCnc, Self::Klipper, Self::Trossen, Self::TwinCat, Self::Asadi, Self::Bortoff, Self::Falezza];

    /// Its name, as people type it.
    pub fn name(self) -> &'static str {
        self.described().0
    }

    /// The unit of its lengths.
    pub fn length_unit(self) -> &'static str {
        if self.axes().per_metre == 1.0 { "m" } else { "mm" }
    }

    /// The convention with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|convention| convention.name() == name)
    }

    fn axes(self) -> Axes {
        self.described().1
    }

    /// Name, axes, and what it calls the numbers of a robot.
    fn described(self) -> (&'static str, Axes, &'static [ConventionRow]) {
        let si = Axes { per_metre: 1.0, degrees: false, up: 1.0, sense: 1.0, azimuths: None };
        let (down, mm) = (Axes { up: -1.0, ..si }, Axes { per_metre: 1000.0, degrees: true, ..si });
        let at = |azimuths, axes| Axes { azimuths: Some(azimuths), ..axes };
        match self {
            Self::LinuxCnc => ("linuxcnc", at([270.0, 30.0, 150.0], mm), parameters::LINUXCNC),
            Self::Klipper => ("klipper", Axes { degrees: false, sense: -1.0, ..mm }, parameters::KLIPPER),
            Self::Trossen => ("trossen", at([270.0, 30.0, 150.0], mm), parameters::TROSSEN),
            Self::TwinCat => ("twincat", at([0.0, 120.0, 240.0], mm), parameters::TWINCAT),
            Self::Asadi => ("asadi", down, parameters::ASADI),
            Self::Bortoff => ("bortoff", at([90.0, 210.0, 330.0], down), parameters::BORTOFF),
            Self::Falezza => ("falezza", down, parameters::FALEZZA),
        }
    }
}

/// A state, ours or in a convention. What is not of interest may stay zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConventionState {
    /// Of the platform.
    pub position: Vec3<f64>,
    /// Of the platform.
    pub velocity: Vec3<f64>,
    /// Of the platform.
    pub acceleration: Vec3<f64>,
    /// Of the environment on the platform, N in every convention.
    pub force: Vec3<f64>,
    /// Joint angles.
    pub q: Vec3<f64>,
    /// Joint velocities.
    pub qd: Vec3<f64>,
    /// Joint accelerations.
    pub qdd: Vec3<f64>,
    /// Joint torques, positive as the convention's angle is, N m in every convention.
    pub tau: Vec3<f64>,
}

impl Default for ConventionState {
    fn default() -> Self {
        let o = Vec3::zero();
        Self { position: o, velocity: o, acceleration: o, force: o, q: o, qd: o, qdd: o, tau: o }
    }
}

impl ConventionState {
    /// With lengths, forces, angles and torques through these; derivatives go as what they are of.
    fn map(&self, [length, force, angle, torque]: [&dyn Fn(Vec3<f64>) -> Vec3<f64>; 4]) -> Self {
        Self {
            position: length(self.position),
            velocity: length(self.velocity),
            acceleration: length(self.acceleration),
            force: force(self.force),
            q: angle(self.q),
            qd: angle(self.qd),
            qdd: angle(self.qdd),
            tau: torque(self.tau),
        }
    }
}

/// Turns states of one robot into a convention and back.
#[derive(Clone, Copy, Debug)]
pub struct Converter {
    axes: Axes,
    /// By which our frame is turned about z, so that arm 1 is where the convention has it.
    turn: Azimuth<f64>,
    /// Of our base plane above the convention's origin, m.
    height: f64,
}

impl Converter {
    /// For a robot. Where the convention fixes its arms, the frame is turned about z until the first arm fits; the
    /// others must fit then.
    pub fn new(convention: Convention, robot: &Delta<f64>) -> Result<Self, ConvertError> {
        let axes = convention.axes();
        let turn = turn(convention, robot.parameters().arms.map(|arm| arm.azimuth))?;
        Ok(Self { axes, turn, height: 0.0 })
    }

    /// The same with the convention's origin this far below our base plane, m: Klipper's `shoulder_height`.
    pub fn with_height(self, height: f64) -> Self {
        Self { height, ..self }
    }

    /// Our state in the convention.
    pub fn to_convention(&self, state: &ConventionState) -> ConventionState {
        let lifted = ConventionState { position: state.position + Vec3::new(0.0, 0.0, self.height), ..*state };
        let length = |v| self.axes_of(v) * self.axes.per_metre;
        lifted.map([&length, &|v| self.axes_of(v), &|v| self.angles_of(v), &|v| v * self.axes.sense])
    }

    /// A state of the convention in ours.
    pub fn to_canonical(&self, state: &ConventionState) -> ConventionState {
        // Division, so that 375 mm is 0.375 m.
        let length = |v: Vec3<f64>| self.ours_of(v.map(|x| x / self.axes.per_metre));
        let ours = state.map([&length, &|v| self.ours_of(v), &|v| self.radians_of(v), &|v| v * self.axes.sense]);
        ConventionState { position: ours.position - Vec3::new(0.0, 0.0, self.height), ..ours }
    }

    fn axes_of(self, v: Vec3<f64>) -> Vec3<f64> {
        let Azimuth { cos, sin } = self.turn;
        Vec3::new(v[0] * cos - v[1] * sin, v[0] * sin + v[1] * cos, v[2] * self.axes.up)
    }

    fn ours_of(self, v: Vec3<f64>) -> Vec3<f64> {
        let Azimuth { cos, sin } = self.turn;
        Vec3::new(v[0] * cos + v[1] * sin, v[1] * cos - v[0] * sin, v[2] * self.axes.up)
    }

    fn angles_of(self, v: Vec3<f64>) -> Vec3<f64> {
        let v = v * self.axes.sense;
        if self.axes.degrees { v.map(f64::to_degrees) } else { v }
    }

    fn radians_of(self, v: Vec3<f64>) -> Vec3<f64> {
        let v = v * self.axes.sense;
        if self.axes.degrees { v.map(f64::to_radians) } else { v }
    }
}

/// Why a robot cannot be said in a convention; fields are keys of robot files, angles in degrees.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum ConvertError {
    #[error(
        "`{convention}` has its arms at {:?} deg: with arm 1 turned there, arm {arm} is {off:.6} deg away from its place",
        places
    )]
    Azimuths { convention: &'static str, places: [f64; 3], arm: usize, off: f64 },
    /// The convention has one number for all arms.
    #[error("`{convention}` has one value for all arms, but their {field} differ: {values:?}")]
    ArmsDiffer { convention: &'static str, field: &'static str, values: [f64; 3] },
    /// The convention has no word for something that the robot has.
    #[error("`{convention}` cannot say {field}: {reason}")]
    CannotSay { convention: &'static str, field: &'static str, reason: &'static str },
}

/// By how much the frame has to be turned about z for the arms to be where the convention has them.
fn turn(convention: Convention, arms: [Azimuth<f64>; 3]) -> Result<Azimuth<f64>, ConvertError> {
    /// An arm that is off by more than this is elsewhere, rad.
    const NEAR: f64 = 1e-9;
    let Some(places) = convention.axes().azimuths else { return Ok(Azimuth { cos: 1.0, sin: 0.0 }) };
    let place = places.map(|degrees| Azimuth::from_radians(degrees.to_radians()));
    let turns: [f64; 3] = from_fn(|i| difference(place[i], arms[i]));
    for i in [1, 2] {
        let off = difference(Azimuth::from_radians(turns[i]), Azimuth::from_radians(turns[0]));
        if off.abs() > NEAR {
            let convention = convention.name();
            return Err(ConvertError::Azimuths { convention, places, arm: i + 1, off: off.to_degrees() });
        }
    }
    Ok(Azimuth::from_radians(turns[0]))
}

/// The angle from `b` to `a`, in (−π, π].
fn difference(a: Azimuth<f64>, b: Azimuth<f64>) -> f64 {
    (a.sin * b.cos - a.cos * b.sin).atan2(a.cos * b.cos + a.sin * b.sin)
}
