//! Maps of serial arms with a closed inverse kinematics: the tool at each position, always turned the same way and on one
//! branch, so that a map is a function of the position.

use super::quantity::{Channel, Kind, MapError, Reason, break_away};
use super::{Axis, Field, Grid, Plane};
use crate::analyze::stability::eigenvalues;
use crate::describe::SerialRobot;
use crate::serial::{InverseError, PumaBranch, PumaGeometry, Serial, SerialLimits};
use crate::spatial::Frame;
use crate::{Mat3, Vec3};
use nalgebra::{Matrix6, Matrix6x3};

/// A serial arm and a quantity, ready to be evaluated anywhere.
pub struct ArmMapper<'r> {
    arm: &'r Serial<f64, 6>,
    limits: &'r [SerialLimits],
    geometry: PumaGeometry,
    kind: Kind,
    orientation: Mat3<f64>,
    branch: PumaBranch,
    channels: Vec<Channel>,
    /// Positions beyond the joint ranges count as not reached.
    pub within_limits: bool,
}

impl<'r> ArmMapper<'r> {
    /// The tool turned by `orientation` (base frame), on one branch; joint limits not enforced. Refuses arms without a
    /// closed inverse kinematics, and quantities that only a Delta has.
    pub fn new(
        robot: &'r SerialRobot,
        kind: Kind,
        orientation: Mat3<f64>,
        branch: PumaBranch,
    ) -> Result<Self, MapError> {
        let Some(arm) = robot.arm.six() else { return Err(MapError::NotSix { joints: robot.arm.joints() }) };
        let geometry = PumaGeometry::new(arm).map_err(MapError::NoClosedForm)?;
        let limited = robot.limits.iter().all(|limit| limit.max_torque.is_finite());
        match kind {
            Kind::Transmission | Kind::Stability | Kind::TorqueError { .. } => {
                return Err(MapError::NotOfArms { kind: kind.as_str() });
            }
            Kind::Acceleration if !limited => return Err(MapError::NoTorqueLimit { what: "acceleration" }),
            Kind::Force if !limited => return Err(MapError::NoTorqueLimit { what: "force" }),
            Kind::Resolution { step } if !(step > 0.0 && step.is_finite()) => {
                return Err(MapError::BadValue { what: "encoder step", value: step, must: "positive and finite" });
            }
            _ => {}
        }
        let channels = channels(&kind);
        let limits = robot.limits.as_slice();
        Ok(Self { arm, limits, geometry, kind, orientation, branch, channels, within_limits: false })
    }

    /// The quantity.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// A slice with `count` × `count` positions over all that the tool reaches, at a given value across (default: the
    /// axis of the first joint, or the middle of the heights).
    pub fn slice(&self, plane: Plane, across: Option<f64>, count: usize) -> Grid {
        let mut grid = self.volume(count);
        let axis = plane.axes()[2];
        let z = grid.axes[2];
        let middle = [0.0, 0.0, 0.5 * (z.from + z.to)];
        grid.axes[axis] = Axis::at(across.unwrap_or(middle[axis]));
        grid
    }

    /// `count`³ positions over all that the tool reaches.
    pub fn volume(&self, count: usize) -> Grid {
        let links = self.arm.parameters().links.iter().map(|link| link.dh.a.hypot(link.dh.d)).sum::<f64>();
        let side = links + self.arm.parameters().tool.origin.norm_squared().sqrt();
        let coarse = [[-side, side]; 3];
        Grid::reached(coarse, count, |position| self.joints(position).is_ok())
    }

    /// The joint angles there, each on the turn that is within its range where there is one.
    pub fn joints(&self, position: Vec3<f64>) -> Result<[f64; 6], InverseError> {
        let target = Frame { rotation: self.orientation, origin: position };
        let q = self.geometry.solve_branch(&target, self.branch)?.q;
        Ok(std::array::from_fn(|i| {
            let [low, high] = self.limits[i].range;
            let turn = std::f64::consts::TAU;
            [q[i], q[i] - turn, q[i] + turn].into_iter().find(|q| (low..=high).contains(q)).unwrap_or(q[i])
        }))
    }

    /// The first joint out of its range, from 1.
    fn limited(&self, q: &[f64; 6]) -> Option<usize> {
        (0..6).find(|&i| !(self.limits[i].range[0]..=self.limits[i].range[1]).contains(&q[i])).map(|i| i + 1)
    }

    fn at_joints(&self, q: [f64; 6], values: &mut [f64]) {
        let pose = self.arm.pose_unchecked(q);
        let jacobian = pose.jacobian();
        let linear = |i: usize| jacobian.linear[i];
        let whole = Matrix6::from_fn(|i, j| if i < 3 { jacobian.linear[j][i] } else { jacobian.angular[j][i - 3] });
        match self.kind {
            Kind::Determinant => values[0] = whole.determinant().abs(),
            Kind::Condition => {
                let square = (0..6).fold(Mat3::zero(), |sum, k| {
                    sum + Mat3::from_fn(|i, j| jacobian.linear[k][i] * jacobian.linear[k][j])
                });
                let squares = eigenvalues(square);
                values[0] = (squares[2] / squares[0].max(0.0)).sqrt();
            }
            Kind::Mass => {
                let mass = pose.mass_matrix();
                let upper = (0..6).flat_map(|i| (i..6).map(move |j| (i, j)));
                values.iter_mut().zip(upper).for_each(|(value, (i, j))| *value = mass[i][j]);
            }
            Kind::Gravity => {
                let torque = pose.gravity_torque();
                values[..6].copy_from_slice(&torque);
                values[6] = torque.iter().fold(0.0_f64, |m, t| m.max(t.abs()));
            }
            Kind::Acceleration => {
                // τ = g + M J⁻¹ (a, 0): the tool does not turn. Row i, turned in all directions, adds ± |row| |a|.
                let only_moved = Matrix6x3::from_fn(|i, j| if i == j { 1.0 } else { 0.0 });
                let mass = pose.mass_matrix();
                let rows = whole
                    .lu()
                    .solve(&only_moved)
                    .map(|moved| Matrix6::from_fn(|i, j| mass[i][j]) * moved)
                    .map_or([f64::INFINITY; 6], |rows| std::array::from_fn(|i| rows.row(i).norm()));
                values[0] = self.spare(pose.gravity_torque(), rows, true);
            }
            Kind::Force => {
                let rows = std::array::from_fn(|i| linear(i).norm_squared().sqrt());
                values[0] = self.spare(pose.gravity_torque(), rows, false);
            }
            Kind::Resolution { step } => {
                // The sign of all steps together does not matter: joint 1 keeps its own.
                let moved = |signs: u32| {
                    let all = (0..6).fold(Vec3::zero(), |sum: Vec3<f64>, i| {
                        if i > 0 && signs >> (i - 1) & 1 == 1 { sum - linear(i) } else { sum + linear(i) }
                    });
                    all.norm_squared().sqrt()
                };
                values[0] = step * (0..32).map(moved).fold(0.0, f64::max);
            }
            Kind::Reach | Kind::Transmission | Kind::Stability | Kind::TorqueError { .. } => values.fill(f64::NAN),
        }
    }

    /// How long a vector may be in every direction, so that no motor needs more than it has. A motor that `sets_off` has
    /// to overcome its friction too.
    fn spare(&self, held: [f64; 6], rows: [f64; 6], sets_off: bool) -> f64 {
        let links = &self.arm.parameters().links;
        let friction = |i: usize| if sets_off { break_away(links[i].friction) } else { 0.0 };
        let of = |i: usize| match self.limits[i].max_torque - held[i].abs() - friction(i) {
            // A joint that has no part in it sets no limit, if it can hold the arm.
            left if rows[i] == 0.0 => {
                if left >= 0.0 {
                    f64::INFINITY
                } else {
                    0.0
                }
            }
            left => left / rows[i],
        };
        (0..6).map(of).fold(f64::INFINITY, f64::min).max(0.0)
    }
}

impl Field for ArmMapper<'_> {
    fn channels(&self) -> &[Channel] {
        &self.channels
    }

    fn evaluate(&self, position: Vec3<f64>, values: &mut [f64]) {
        let joints = self.joints(position);
        if self.kind == Kind::Reach {
            let reason = match &joints {
                Ok(q) => self.limited(q).map_or(Reason::Usable, Reason::SerialRange),
                Err(InverseError::OutOfReach { distance }) if *distance > 0.0 => Reason::ToolTooFar,
                Err(_) => Reason::ToolTooClose,
            };
            values[0] = reason.code() as f64;
            values[1] = match joints {
                Ok(_) => 0.0,
                Err(InverseError::OutOfReach { distance } | InverseError::TooNearToAxis { distance }) => distance.abs(),
                Err(_) => f64::NAN,
            };
            return;
        }
        match joints {
            Ok(q) if !self.within_limits || self.limited(&q).is_none() => self.at_joints(q, values),
            _ => values.fill(f64::NAN),
        }
    }
}

fn channels(kind: &Kind) -> Vec<Channel> {
    let one = |name: &str, unit, meaning| vec![Channel::new(name, unit, meaning)];
    match kind {
        Kind::Reach => Channel::reach("by how much the wrist is too far or too close"),
        Kind::Determinant => one("manipulability", "", "|det J|, lengths in metres"),
        Kind::Condition => one("condition", "", "condition number of the Jacobian of the tool's position"),
        Kind::Mass => (1..=6)
            .flat_map(|i| (i..=6).map(move |j| format!("M{i}{j}")))
            .map(|name| Channel::new(name, "kg m^2", "entry of the mass matrix"))
            .collect(),
        Kind::Gravity => {
            let mut all: Vec<Channel> =
                (1..=6).map(|i| Channel::new(format!("g{i}"), "N m", "holding torque")).collect();
            all.push(Channel::new("g", "N m", "largest holding torque"));
            all
        }
        Kind::Acceleration => one("acceleration", "m/s^2", "largest acceleration in every direction, tool not turning"),
        Kind::Force => one("force", "N", "largest force in every direction"),
        Kind::Resolution { .. } => one("resolution", "m", "largest move of the tool per encoder step"),
        Kind::Transmission | Kind::Stability | Kind::TorqueError { .. } => Vec::new(),
    }
}
