//! Inverse kinematics in closed form for arms like the PUMA: axis 2 square to axis 1, axis 3 parallel to axis 2, and a
//! spherical wrist; any offsets d_2, d_3, a_1, a_3 and any tool.
//!
//! Ordinary `f64` code: it chooses among eight branches. Twists may have either sign: Rx(180°) Rz(θ) = Rz(−θ) Rx(180°), so
//! an arm with other signs is the PUMA with some joints turning the other way. With the wrist centre at (x, y, z) in the
//! base frame, D = d_2 + d_3 and L = √(a_3² + d_4²) at the angle φ in frame 3:
//!
//! ```text
//! ρ = ±√(x² + y² − D²),  q_1 = atan2(y, x) − atan2(D, ρ)                    shoulder                        (1)
//! a_2 e(q_2) + L e(q_2 + q_3 + φ) = (ρ − a_1, −z)                           elbow: two circles              (2)
//! Rx(−90°) R_3ᵀ R = Rz(q_4) Ry(q_5) Rz(q_6)                                 wrist: Euler angles             (3)
//! ```

use crate::algebra::{Mat3, Vec3};
use crate::serial::{Joint, Serial};
use crate::spatial::Frame;
use core::f64::consts::PI;
use thiserror::Error;

/// On which side the shoulder stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shoulder {
    /// ρ > 0: the arm reaches forward.
    Front,
    /// ρ < 0: the arm reaches over its back.
    Back,
}

/// How the elbow bends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elbow {
    /// The angle from the upper arm to the line elbow–wrist is positive.
    Positive,
    /// It is negative.
    Negative,
}

/// How the wrist bends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrist {
    /// sin q_5 > 0 in the PUMA's own sense.
    Positive,
    /// sin q_5 < 0: joint 4 turned by half a turn.
    Negative,
}

/// One of the eight ways to reach a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PumaBranch {
    /// Front or back.
    pub shoulder: Shoulder,
    /// Bend of the elbow.
    pub elbow: Elbow,
    /// Bend of the wrist.
    pub wrist: Wrist,
}

impl PumaBranch {
    /// All eight.
    pub const ALL: [Self; 8] =
        [Self::of(0), Self::of(1), Self::of(2), Self::of(3), Self::of(4), Self::of(5), Self::of(6), Self::of(7)];

    const fn of(bits: usize) -> Self {
        Self {
            shoulder: if bits & 4 == 0 { Shoulder::Front } else { Shoulder::Back },
            elbow: if bits & 2 == 0 { Elbow::Positive } else { Elbow::Negative },
            wrist: if bits & 1 == 0 { Wrist::Positive } else { Wrist::Negative },
        }
    }
}

/// A solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PumaSolution {
    /// Joint angles in (−π, π], rad.
    pub q: [f64; 6],
    /// The branch it belongs to.
    pub branch: PumaBranch,
    /// Whether two branches meet, and a joint may be undetermined. Shoulder: the wrist centre is as near to axis 1 as the offset lets it; on the
    /// axis itself, q_1 is undetermined. Elbow: the arm is stretched or folded. Wrist: axes 4 and 6 line up, or nearly, and only q_4 ± q_6 is
    /// well determined; where they do to rounding, q_4 is taken to be zero.
    pub singular: [bool; 3],
}

/// Why an arm is not like the PUMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the arm is not like the PUMA: `{field}` before joint {link} must be {must}")]
pub struct GeometryDoesNotApply {
    /// The field, as robot files name it.
    pub field: &'static str,
    /// The link, from 1, in the modified convention.
    pub link: usize,
    /// What it has to be.
    pub must: &'static str,
}

/// Why a frame cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[allow(missing_docs)] // of the fields: the texts name them
pub enum InverseError {
    /// The wrist centre is nearer to axis 1 than the offset d_2 + d_3, by so many metres.
    #[error("out of reach: the wrist is {distance:.6} m too near to the axis of joint 1")]
    TooNearToAxis { distance: f64 },
    /// The wrist centre is farther from the shoulder than the stretched arm, or nearer than the folded one: by how many metres the arm would have to
    /// be longer; negative: shorter.
    #[error("out of reach: the wrist is {:.6} m too {} the shoulder", distance.abs(), if *distance < 0.0 { "near to" } else { "far from" })]
    OutOfReach { distance: f64 },
    /// An input is NaN or infinite.
    #[error("the tool frame is not finite")]
    NotFinite,
    /// The rotation is none: the largest deviation of Rᵀ R from the identity.
    #[error("the tool's rotation is no rotation matrix (off by {deviation:.1e})")]
    NotARotation { deviation: f64 },
}

/// Below this a sine or a relative distance counts as singular: the two branches differ by less than 1e-8 rad.
const SINGULAR: f64 = 1e-8;

/// Below this sin q_5 is rounding, and q_4 undetermined.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The arm as a PUMA: its lengths, and which joints turn the other way.
#[derive(Clone, Copy, Debug)]
pub struct PumaGeometry {
    a0: f64,
    d1: f64,
    a1: f64,
    offset: f64,
    a2: f64,
    a3: f64,
    d4: f64,
    /// Frame 6 (of the PUMA's signs) to the tool.
    tool: Frame<f64>,
    /// The world in the base frame, where that is another.
    world: Option<Frame<f64>>,
    /// From q to the PUMA's θ: θ = sign · (q + θ_0).
    sign: [f64; 6],
    theta: [f64; 6],
}

impl PumaGeometry {
    /// The lengths of an arm, if it is like the PUMA.
    pub fn new(robot: &Serial<f64, 6>) -> Result<Self, GeometryDoesNotApply> {
        // Twists of the PUMA in quarter turns.
        const TWISTS: [i32; 6] = [0, -1, 0, 1, -1, 1];
        let mut sign = [1.0; 6];
        let mut flipped = false;
        for (i, link) in robot.links.iter().enumerate() {
            let fail = |field, must| Err(GeometryDoesNotApply { field, link: i + 1, must });
            if link.joint != Joint::Revolute {
                return fail("joint", "revolute");
            }
            let quarter = match [link.alpha.cos, link.alpha.sin] {
                [1.0, 0.0] => 0,
                [0.0, 1.0] => 1,
                [-1.0, 0.0] => 2,
                [0.0, -1.0] => 3,
                _ => return fail("alpha", "a multiple of 90°"),
            };
            // What is left after the PUMA's own twist: nothing, or half a turn.
            let rest = (quarter + if flipped { 2 } else { 0 } - TWISTS[i]).rem_euclid(4);
            flipped = match rest {
                0 => false,
                2 => true,
                _ => return fail("alpha", if i == 0 || i == 2 { "0 or 180°" } else { "±90°" }),
            };
            sign[i] = if flipped { -1.0 } else { 1.0 };
            let zero =
                |ok: bool, field| if ok { Ok(()) } else { fail(field, "zero (spherical wrist)").map(|_: Self| ()) };
            zero(i < 4 || link.a == 0.0, "a")?;
            zero(i != 4 || link.d == 0.0, "d")?;
        }
        let d = |i: usize| sign[i] * robot.links[i].d;
        let half_turn = Mat3([Vec3([1.0, 0.0, 0.0]), Vec3([0.0, -1.0, 0.0]), Vec3([0.0, 0.0, -1.0])]);
        let last =
            Frame { rotation: if flipped { half_turn } else { Mat3::diagonal(1.0) }, origin: Vec3([0.0, 0.0, d(5)]) };
        let (a2, a3, d4) = (robot.links[2].a, robot.links[3].a, d(3));
        if a2 == 0.0 || (a3 == 0.0 && d4 == 0.0) {
            let link = if a2 == 0.0 { 3 } else { 4 };
            return Err(GeometryDoesNotApply { field: "a", link, must: "not zero: an arm without length" });
        }
        Ok(Self {
            a0: robot.links[0].a,
            d1: d(0),
            a1: robot.links[1].a,
            offset: d(1) + d(2),
            a2,
            a3,
            d4,
            tool: last.then(&robot.tool),
            world: robot.parameters().base.map(|base| base.inverse()),
            sign,
            theta: crate::array::from_fn(|i| robot.links[i].theta.radians()),
        })
    }

    /// All branches that reach the tool frame `target`, world frame: in the order of [`PumaBranch::ALL`], `None` where a
    /// branch does not reach it. An error, if none does.
    pub fn solve(&self, target: &Frame<f64>) -> Result<[Option<PumaSolution>; 8], InverseError> {
        let mut solutions = [None; 8];
        let mut refused = None;
        for (slot, branch) in solutions.iter_mut().zip(PumaBranch::ALL) {
            match self.solve_branch(target, branch) {
                Ok(solution) => *slot = Some(solution),
                Err(error) => refused = Some(refused.unwrap_or(error)),
            }
        }
        match refused {
            Some(error) if solutions.iter().all(Option::is_none) => Err(error),
            _ => Ok(solutions),
        }
    }

    /// The solution on one branch.
    pub fn solve_branch(&self, target: &Frame<f64>, branch: PumaBranch) -> Result<PumaSolution, InverseError> {
        check(target)?;
        let target = self.world.map_or(*target, |world| world.then(target));
        let six = target.then(&self.tool.inverse());
        let base = Vec3([self.a0, 0.0, self.d1]);
        let [x, y, z] = (six.origin - base).0;
        let mut singular = [false; 3];

        // (1)
        let far = libm::hypot(x, y);
        let square = (far - self.offset.abs()) * (far + self.offset.abs());
        let scale = self.a2.abs() + libm::hypot(self.a3, self.d4);
        if square < -SINGULAR * SINGULAR * scale * scale {
            return Err(InverseError::TooNearToAxis { distance: self.offset.abs() - far });
        }
        let mut rho = libm::sqrt(square.max(0.0));
        if rho <= SINGULAR * scale {
            singular[0] = true;
        }
        if branch.shoulder == Shoulder::Back {
            rho = -rho;
        }
        let q1 = libm::atan2(y, x) - libm::atan2(self.offset, rho);

        // (2)
        let (across, down) = (rho - self.a1, -z);
        let forearm = libm::hypot(self.a3, self.d4);
        let distance = libm::hypot(across, down);
        let (longest, shortest) = (self.a2.abs() + forearm, (self.a2.abs() - forearm).abs());
        let rounding = SINGULAR * SINGULAR * scale;
        if distance > longest + rounding {
            return Err(InverseError::OutOfReach { distance: distance - longest });
        }
        if distance < shortest - rounding {
            return Err(InverseError::OutOfReach { distance: distance - shortest });
        }
        // 16 (area)² by Heron, whose factors keep their digits where the arm is stretched.
        let four_area = libm::sqrt(
            ((longest - distance) * (longest + distance) * (distance - shortest) * (distance + shortest)).max(0.0),
        );
        let cosine = distance * distance - self.a2 * self.a2 - forearm * forearm;
        let mut gamma = libm::atan2(four_area, if self.a2 < 0.0 { -cosine } else { cosine });
        if four_area <= SINGULAR * 2.0 * self.a2.abs() * forearm {
            singular[1] = true;
        }
        if branch.elbow == Elbow::Negative {
            gamma = -gamma;
        }
        let bend = libm::atan2(-self.d4, self.a3);
        let q3 = gamma - bend;
        let (sg, cg) = (libm::sin(gamma), libm::cos(gamma));
        let q2 = libm::atan2(down, across) - libm::atan2(forearm * sg, self.a2 + forearm * cg);

        // (3)
        let (s1, c1) = (libm::sin(q1), libm::cos(q1));
        let (s23, c23) = (libm::sin(q2 + q3), libm::cos(q2 + q3));
        // Frame 3: x, y in the arm's plane, z across; then Rx(90°).
        let arm = Mat3::from_columns([
            Vec3([c1 * c23, s1 * c23, -s23]),
            Vec3([-s1, c1, 0.0]),
            Vec3([c1 * s23, s1 * s23, c23]),
        ]);
        let w = arm.transpose().product(six.rotation);
        let sine = libm::hypot(w[0][2], w[1][2]);
        let flip = if branch.wrist == Wrist::Negative { -1.0 } else { 1.0 };
        let q5 = libm::atan2(flip * sine, w[2][2]);
        if sine <= SINGULAR {
            singular[2] = true;
        }
        // Near a singular wrist q_4 is known to rounding over sin q_5 only, but q_4 + q_6 (q_5 near 0) or q_4 − q_6 (near a
        // half turn) to rounding: what q_4 is off by, q_6 takes back.
        let q4 = if sine <= ROUNDING { 0.0 } else { libm::atan2(flip * w[1][2], flip * w[0][2]) };
        let q6 = if w[2][2] >= 0.0 {
            libm::atan2(w[1][0] - w[0][1], w[0][0] + w[1][1]) - q4
        } else {
            q4 - libm::atan2(-(w[1][0] + w[0][1]), w[1][1] - w[0][0])
        };
        let theta = [q1, q2, q3, q4, q5, q6];
        let q = crate::array::from_fn(|i| wrapped(self.sign[i] * theta[i] - self.theta[i]));
        Ok(PumaSolution { q, branch, singular })
    }
}

pub(super) fn check(target: &Frame<f64>) -> Result<(), InverseError> {
    let numbers = target.rotation.0.iter().flat_map(|row| row.0).chain(target.origin.0);
    if numbers.into_iter().any(|x| !x.is_finite()) {
        return Err(InverseError::NotFinite);
    }
    let deviation = (target.rotation.determinant() - 1.0).abs().max(target.rotation.off_orthonormal());
    if deviation > 1e-6 { Err(InverseError::NotARotation { deviation }) } else { Ok(()) }
}

/// The angle in (−π, π].
pub(super) fn wrapped(angle: f64) -> f64 {
    let rest = libm::remainder(angle, 2.0 * PI);
    if rest <= -PI { rest + 2.0 * PI } else { rest }
}
