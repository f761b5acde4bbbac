//! What planners ask of a serial arm.
//!
//! For arms with a closed inverse kinematics the tool's point goes along a path and the tool stays turned as it is. The joints
//! follow on one branch; with the Jacobian J and the tool's velocity v and acceleration a
//!
//! ```text
//! q̇ = J⁻¹ (v, 0),   q̈ = J⁻¹ ((a, 0) − J̇ q̇)                                                                  (1)
//! ```
//!
//! so along a path of the tool the torques are affine in s̈ and ṡ² as they are along one of the joints.

use super::{SerialArm, array};
use crate::robot::{JointState, Load, Pick, Reason, Refused, Target, ToolRoom};
use crate::serial::{PumaBranch, TOOL_SINGULAR};
use crate::spatial::Frame;
use crate::{Mat3, Vec3};
use std::f64::consts::TAU;

impl<const N: usize> SerialArm<N> {
    pub(super) fn planned_load(&self, target: &Target, pick: &Pick) -> Result<Load, Refused> {
        let (moving, qdd) = match target {
            Target::Joints(JointState { q, qd, qdd }) => {
                (self.arm.at_joints(array(q))?.try_moving(array(qd))?, array(qdd))
            }
            Target::Tool(tool) => {
                let pose = self.arm.at_joints(self.followed(&tool.pose, pick)?)?;
                let margin = pose.tool_margin();
                if margin.is_nan() || margin < TOOL_SINGULAR {
                    let text = format!(
                        "the arm is stretched, folded or has two axes in line: the tool cannot go in every direction (margin \
                         {margin:.1e})"
                    );
                    return Err(Refused::new(Reason::Singular(margin), text));
                }
                let qd = pose.moving([0.0; N]).joint_acceleration(tool.velocity, [0.0; N]); // (1), J̇ q̇ = 0
                let moving = pose.try_moving(qd)?;
                let qdd = moving.joint_acceleration(tool.acceleration, [0.0; N]); // (1)
                (moving, qdd)
            }
        };
        Ok(Load {
            joints: JointState { q: moving.pose.q.into(), qd: moving.qd.into(), qdd: qdd.into() },
            torque: moving.try_torque(qdd)?.into(),
            friction: moving.friction().into(),
            ball_angles: None,
        })
    }

    /// The joints of a tool that goes on in one posture, each on the turn that is within its range and nearest to `pick.near`.
    fn followed(&self, pose: &Frame<f64>, pick: &Pick) -> Result<[f64; N], Refused> {
        let Some(posture) = pick.posture else { return Ok(array(&self.inverse(pose, pick)?.into())) };
        let q: [f64; N] = array(&self.geometry()?.solve_branch(pose, posture)?.q.into());
        let near: [f64; N] = pick.near.map_or_else(|| self.middle_of_ranges(), |near| array(&near));
        Ok(std::array::from_fn(|i| {
            let [least, most] = self.limits[i].range;
            let turns = [q[i] - TAU, q[i], q[i] + TAU].into_iter().filter(|q| (least..=most).contains(q));
            turns.min_by(|a, b| (a - near[i]).abs().total_cmp(&(b - near[i]).abs())).unwrap_or(q[i])
        }))
    }

    fn middle_of_ranges(&self) -> [f64; N] {
        std::array::from_fn(|i| {
            let [least, most] = self.limits[i].range;
            if (most - least).is_finite() { 0.5 * (least + most) } else { 0.0 }
        })
    }

    /// The room of the tool in the posture that is picked, or else in the one with the most room.
    pub(super) fn roomiest(&self, orientation: &Mat3<f64>, pick: &Pick) -> Result<ToolRoom, Refused> {
        Self::refuse_elbows(pick)?;
        if let Err(error) = &self.geometry {
            let text = format!("paths of the tool need an inverse kinematics in closed form: {error}");
            return Err(Refused::new(Reason::NotOffered, text));
        }
        let middle = self.middle_of_ranges().into();
        let of = |posture| {
            let pick = Pick { posture: Some(posture), near: Some(middle), ..*pick };
            let (center, radius) = self.room(orientation, &pick);
            let near = self.followed(&Frame { rotation: *orientation, origin: center }, &pick);
            ToolRoom { center, radius, pick: Pick { near: Some(near.map_or(middle, Into::into)), ..pick } }
        };
        let all = pick.posture.map_or(PumaBranch::ALL.to_vec(), |posture| vec![posture]);
        let best = all.into_iter().map(of).reduce(|best, next| if next.radius > best.radius { next } else { best });
        best.filter(|best| best.radius > 0.0).ok_or_else(|| {
            let text = "turned like this, the tool reaches no place in front of the arm within the joint ranges";
            Refused::new(Reason::NoPose, text)
        })
    }

    /// Whether the tool can be there within the joint ranges, well away from where it cannot go in every direction.
    fn is_usable(&self, pose: &Frame<f64>, pick: &Pick) -> bool {
        // A thousandth of TOOL_SINGULAR's distance squared: joints no more than about 30 times as fast as the tool.
        self.followed(pose, pick).is_ok_and(|q| {
            let within = (0..N).all(|i| (self.limits[i].range[0]..=self.limits[i].range[1]).contains(&q[i]));
            within && self.arm.pose_unchecked(q).tool_margin() > 1e3 * TOOL_SINGULAR
        })
    }

    /// In the plane y = 0 in front of the arm, on a grid of a thirtieth of its length: the place that is farthest from where
    /// the tool cannot be, and that distance, m.
    fn room(&self, orientation: &Mat3<f64>, pick: &Pick) -> (Vec3<f64>, f64) {
        const STEPS: i32 = 30;
        let parameters = self.arm.parameters();
        let links = parameters.links.iter().map(|link| link.dh.a.hypot(link.dh.d)).sum::<f64>();
        let step = (links + parameters.tool.origin.norm_squared().sqrt()) / f64::from(STEPS);
        let place = |x: i32, z: i32| Vec3::new(f64::from(x) * step, 0.0, f64::from(z) * step);
        let usable = |x, z| self.is_usable(&Frame { rotation: *orientation, origin: place(x, z) }, pick);
        let grid = (0..=STEPS).flat_map(|x| (-STEPS..=STEPS).map(move |z| (x, z)));
        let (inside, outside): (Vec<_>, Vec<_>) = grid.partition(|&(x, z)| usable(x, z));
        let room = |&(x, z): &(i32, i32)| {
            let beyond = (STEPS + 1 - x).min(x + 1).min(STEPS + 1 - z.abs()).pow(2);
            outside.iter().map(|(a, b)| (a - x).pow(2) + (b - z).pow(2)).fold(beyond, i32::min)
        };
        let best = inside.iter().map(|cell| (cell, room(cell))).reduce(|a, b| if b.1 > a.1 { b } else { a });
        best.map_or((Vec3::zero(), 0.0), |(&(x, z), room)| (place(x, z), f64::from(room).sqrt() * step))
    }
}
