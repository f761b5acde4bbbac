//! Serial arms moved by their tool: its point goes along a path, and it stays turned as it is.
//!
//! For arms with a closed inverse kinematics. The joints follow the tool on one branch; with the Jacobian J and the tool's
//! velocity v and acceleration a
//!
//! ```text
//! q̇ = J⁻¹ (v, 0),   q̈ = J⁻¹ ((a, 0) − J̇ q̇)                                                                  (1)
//! ```
//!
//! so along a path of the tool the torques are affine in s̈ and ṡ² as they are along one of the joints.

use super::machine::{CannotDo, Impossible, Load, Machine, Workspace, per_joint, spared};
use super::{Motion, Point, State};
use crate::arm::MOST_JOINTS;
use crate::delta::Limits;
use crate::describe::SerialRobot;
use crate::serial::{GeometryDoesNotApply, PumaBranch, PumaGeometry, Serial, TOOL_SINGULAR};
use crate::spatial::{Frame, Twist};
use dalembert_core::friction::Friction;
use dalembert_core::{Mat3, Vec3};
use std::f64::consts::{PI, TAU};

/// Why an arm cannot be moved by its tool.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NoTool {
    /// It has no closed inverse kinematics.
    #[error(
        "paths of the tool need an inverse kinematics in closed form, which needs six joints; this arm has {joints}"
    )]
    Joints {
        /// How many it has.
        joints: usize,
    },
    /// The same, though it has six joints.
    #[error("paths of the tool need an inverse kinematics in closed form; {0}")]
    Geometry(GeometryDoesNotApply),
    /// With the tool turned like this.
    #[error("turned like this, the tool reaches no place in front of the arm within the joint ranges")]
    Nowhere,
}

/// A serial arm with its limits, moved by the point of its tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolMachine {
    arm: Serial<f64, 6>,
    geometry: PumaGeometry,
    limits: [Limits; 6],
    orientation: Mat3<f64>,
    branch: PumaBranch,
    /// Turns of the joints are chosen near to these, rad.
    near: [f64; 6],
    /// The place with the most room, and how far it is from there to where the tool cannot be, m.
    middle: (Vec3<f64>, f64),
}

impl ToolMachine {
    /// The tool turned by `orientation` (base frame), on the branch that is given, or else on that with the most room.
    pub fn new(robot: &SerialRobot, orientation: Mat3<f64>, branch: Option<PumaBranch>) -> Result<Self, NoTool> {
        let Some(arm) = robot.arm.six() else { return Err(NoTool::Joints { joints: robot.arm.joints() }) };
        let geometry = PumaGeometry::new(arm).map_err(NoTool::Geometry)?;
        let given = robot.motion_limits();
        let limits: [Limits; 6] = std::array::from_fn(|i| given.get(i).copied().unwrap_or(Limits::NONE));
        let near = limits.map(
            |Limits { range: [least, most], .. }| {
                if (most - least).is_finite() { 0.5 * (least + most) } else { 0.0 }
            },
        );
        let on = |branch| {
            let machine = Self { arm: *arm, geometry, limits, orientation, branch, near, middle: (Vec3::zero(), 0.0) };
            let middle = machine.roomiest();
            Self { middle, near: machine.joints(middle.0).unwrap_or(near), ..machine }
        };
        let all = branch.map_or(PumaBranch::ALL.to_vec(), |branch| vec![branch]);
        let best = all.into_iter().map(on).reduce(|best, next| if next.middle.1 > best.middle.1 { next } else { best });
        best.filter(|best| best.middle.1 > 0.0).ok_or(NoTool::Nowhere)
    }

    /// The branch it moves on.
    pub fn branch(&self) -> PumaBranch {
        self.branch
    }

    /// The joint angles there, each on the turn that is within its range and nearest to where the arm has most room, or to where
    /// it is [near](Workspace::near).
    pub fn joints(&self, position: Vec3<f64>) -> Result<[f64; 6], Impossible> {
        let target = Frame { rotation: self.orientation, origin: position };
        let q = self.geometry.solve_branch(&target, self.branch)?.q;
        Ok(std::array::from_fn(|i| {
            let [least, most] = self.limits[i].range;
            let turns = [q[i] - TAU, q[i], q[i] + TAU].into_iter().filter(|q| (least..=most).contains(q));
            turns.min_by(|a, b| (a - self.near[i]).abs().total_cmp(&(b - self.near[i]).abs())).unwrap_or(q[i])
        }))
    }

    /// Whether the tool can be there within the joint ranges, well away from where it cannot go in every direction.
    fn usable(&self, position: Vec3<f64>) -> bool {
        // A thousandth of TOOL_SINGULAR's distance squared: joints no more than about 30 times as fast as the tool.
        self.joints(position).is_ok_and(|q| {
            let within = (0..6).all(|i| (self.limits[i].range[0]..=self.limits[i].range[1]).contains(&q[i]));
            within && self.arm.pose_unchecked(q).tool_margin() > 1e3 * TOOL_SINGULAR
        })
    }

    /// In the plane y = 0 in front of the arm, on a grid of a thirtieth of its length.
    fn roomiest(&self) -> (Vec3<f64>, f64) {
        const STEPS: i32 = 30;
        let parameters = self.arm.parameters();
        let links = parameters.links.iter().map(|link| link.dh.a.hypot(link.dh.d)).sum::<f64>();
        let step = (links + parameters.tool.origin.length()) / f64::from(STEPS);
        let place = |x: i32, z: i32| Vec3::new(f64::from(x) * step, 0.0, f64::from(z) * step);
        let grid = (0..=STEPS).flat_map(|x| (-STEPS..=STEPS).map(move |z| (x, z)));
        let (inside, outside): (Vec<_>, Vec<_>) = grid.partition(|&(x, z)| self.usable(place(x, z)));
        let room = |&(x, z): &(i32, i32)| {
            let beyond = (STEPS + 1 - x).min(x + 1).min(STEPS + 1 - z.abs()).pow(2);
            outside.iter().map(|(a, b)| (a - x).pow(2) + (b - z).pow(2)).fold(beyond, i32::min)
        };
        let best = inside.iter().map(|cell| (cell, room(cell))).reduce(|a, b| if b.1 > a.1 { b } else { a });
        best.map_or((Vec3::zero(), 0.0), |(&(x, z), room)| (place(x, z), f64::from(room).sqrt() * step))
    }
}

impl Machine for ToolMachine {
    type Point = Vec3<f64>;
    fn limits(&self) -> &[Limits] {
        &self.limits
    }
    fn load(&self, state: &State<Vec3<f64>>) -> Result<Load, Impossible> {
        let q = self.joints(state.position)?;
        let pose = self.arm.at_joints(q)?;
        let margin = pose.tool_margin();
        if margin.is_nan() || margin < TOOL_SINGULAR {
            return Err(Impossible::Singular { margin });
        }
        let qd = pose.moving([0.0; 6]).joint_acceleration(Twist::translation(state.velocity), [0.0; 6]); // (1), J̇ q̇ = 0
        let moving = pose.try_moving(qd)?;
        let qdd = moving.joint_acceleration(Twist::translation(state.acceleration), [0.0; 6]); // (1)
        Ok(Load {
            q: per_joint(&q),
            qd: per_joint(&qd),
            qdd: per_joint(&qdd),
            torque: per_joint(&moving.try_torque(qdd)?),
            friction: per_joint(&moving.friction()),
            ball: [0.0; MOST_JOINTS],
        })
    }
    fn friction(&self, joint: usize) -> Option<Friction<f64>> {
        self.arm.links().get(joint)?.friction
    }
}

impl Workspace for ToolMachine {
    fn middle(&self) -> (Vec3<f64>, f64) {
        self.middle
    }
    fn spared(&self, share: f64) -> Self {
        Self { limits: self.limits.map(|own| spared(own, share)), ..*self }
    }
    /// With the turns of the joints that they have there.
    fn near(&self, place: Vec3<f64>) -> Self {
        Self { near: self.joints(place).unwrap_or(self.near), ..*self }
    }
    /// A joint does not go on with another turn than where it comes from.
    fn follow(&self, motion: &dyn Motion<Point = Vec3<f64>>) -> Result<(), CannotDo> {
        const SAMPLES: u32 = 2000;
        let mut before: Option<[f64; 6]> = None;
        for k in 0..=SAMPLES {
            let time = motion.duration() * f64::from(k) / f64::from(SAMPLES);
            let position = motion.at(time).position;
            let cannot = |cause| CannotDo { time, position: position.components().to_vec(), cause };
            let q = self.joints(position).map_err(cannot)?;
            if let Some(before) = before
                && let Some(i) = (0..6).find(|&i| (q[i] - before[i]).abs() > PI)
            {
                return Err(cannot(Impossible::TurnsOver { joint: i + 1 }));
            }
            before = Some(q);
        }
        Ok(())
    }
}
