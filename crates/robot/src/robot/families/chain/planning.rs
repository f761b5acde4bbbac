//! What planners ask of a serial arm.
//!
//! The tool's point goes along a path and the tool stays turned as it is. The joints follow on one branch: that of a posture, or
//! without jumps from given joints. With the Jacobian J and the tool's velocity v and acceleration a
//!
//! ```text
//! q̇ = J⁻¹ (v, 0),   q̈ = J⁻¹ ((a, 0) − J̇ q̇)                                                                  (1)
//! ```
//!
//! so along a path of the tool the torques are affine in s̈ and ṡ² as they are along one of the joints.

use super::inverse::stretched;
use super::kernel::{array, joint_rates};
use super::{ChainRobot, reach, refuse_elbows, three};
use crate::robot::{JointState, JointVector, Load, Pick, ReachableSphere, Reason, StateError, Target};
use crate::serial::{PumaBranch, TOOL_SINGULAR};
use crate::spatial::{Frame, Wrench};
use crate::{Mat3, Vec3};
use std::f64::consts::TAU;

/// Cells from the base to the end of the arm.
const STEPS: i32 = 30;

impl ChainRobot {
    pub(super) fn planned_load(&self, target: &Target, pick: &Pick) -> Result<Load, StateError> {
        // Planners know a motor for each joint.
        let is_bound = |&k: &usize| {
            let limits = &self.file.limits[k];
            limits.max_torque.min(limits.max_speed).is_finite() || self.chain.links()[k].friction.is_some()
        };
        if let Some(k) = self.coupled().find(is_bound) {
            let text =
                format!("limits and friction of joint {}, which motors turn together, in planned motions", k + 1);
            return Err(StateError::not_offered(&text, "serial arm with coupled motors")
                .hint("leave out its `max_torque`, `max_speed` and `friction`; `torque` reports what motors exceed"));
        }
        let joints = match target {
            Target::Joints(joints) => joints.clone(),
            Target::Tool(tool) => {
                let q = self.with_path(&self.others(pick), &self.followed(&tool.pose, pick)?);
                let [qd, qdd] = if self.path_length() != 6 {
                    self.general_rates(&q, tool, TOOL_SINGULAR.sqrt())?
                } else {
                    let margin = self.chain.at_joints(&q)?.tool_margin();
                    if margin.is_nan() || margin < TOOL_SINGULAR {
                        return Err(stretched(margin));
                    }
                    joint_rates(&self.chain, &q, [tool.velocity, tool.acceleration])? // (1)
                };
                JointState { q, qd, qdd }
            }
        };
        joints.check(self.chain.joints())?;
        let torque = self.kernel.torque(three(&joints), Wrench::zero());
        let friction = self.kernel.friction(&joints.qd);
        Ok(Load { joints, torque, friction, ball_angles: None })
    }

    /// The joints of a tool that goes on in one posture, each on the turn that is within its range and nearest to `pick.near`; of an arm
    /// without postures those that the tool's way from `pick.near` leads to.
    fn followed(&self, pose: &Frame<f64>, pick: &Pick) -> Result<JointVector, StateError> {
        let Some(posture) = pick.posture else {
            return match (&self.geometry, &pick.near) {
                (Err(_), Some(near)) => self.led(pose, &self.on_path(near)),
                _ => self.inverse(pose, pick),
            };
        };
        let q = self.geometry()?.solve_branch(pose, posture)?.q;
        let near = pick.near.as_ref().map_or_else(|| self.middle_of_ranges(), |near| self.on_path(near));
        Ok(JointVector::from_fn(q.len(), |i| {
            let [least, most] = self.range(i);
            let turns = [q[i] - TAU, q[i], q[i] + TAU].into_iter().filter(|q| (least..=most).contains(q));
            turns.min_by(|a, b| (a - near[i]).abs().total_cmp(&(b - near[i]).abs())).unwrap_or(q[i])
        }))
    }

    /// The room of the tool in the posture that is picked, or else in the one with the most room.
    pub(super) fn roomiest(&self, orientation: &Mat3<f64>, pick: &Pick) -> Result<ReachableSphere, StateError> {
        refuse_elbows(pick)?;
        if self.geometry.is_err() && pick.posture.is_none() {
            return self.general_room(orientation, pick);
        }
        self.geometry()?;
        let middle = self.with_path(&self.others(pick), &self.middle_of_ranges());
        let of = |posture| {
            let pick = Pick { posture: Some(posture), near: Some(middle.clone()), ..*pick };
            let usable = |place: Vec3<f64>| self.is_usable(&Frame { rotation: *orientation, origin: place }, &pick);
            let (center, radius) = self.room(0.0, 0, &usable);
            let near = self.followed(&Frame { rotation: *orientation, origin: center }, &pick);
            ReachableSphere {
                center,
                radius,
                heights: None,
                pick: Pick {
                    near: Some(near.map_or_else(|_| middle.clone(), |near| self.with_path(&middle, &near))),
                    ..pick
                },
            }
        };
        let all = pick.posture.map_or(PumaBranch::ALL.to_vec(), |posture| vec![posture]);
        let best = all.into_iter().map(of).reduce(|best, next| if next.radius > best.radius { next } else { best });
        best.filter(|best| best.radius > 0.0).ok_or_else(no_room)
    }

    /// The room of the tool of an arm without postures: in front of it, or in the plane of its joints' middle. Its pick is the
    /// solution in the centre, from which the tool goes wherever it goes.
    fn general_room(&self, orientation: &Mat3<f64>, pick: &Pick) -> Result<ReachableSphere, StateError> {
        let at = |place: Vec3<f64>| Frame { rotation: *orientation, origin: place };
        let others = self.others(pick);
        let middle = self.with_path(&others, &self.middle_of_ranges());
        let from_base = self.chain.parameters().whole.base_frame().inverse();
        let middle = from_base.point(self.chain.at_joints(&middle)?.tool().origin);
        for (y, back) in [(0.0, 0), (middle[1], STEPS)] {
            let reached = |place: Vec3<f64>| self.at_once(&at(place)).is_some_and(|q| self.is_roomy(&q));
            let (center, radius) = self.room(y, back, &reached);
            // From an isolated place the tool cannot go anywhere without turning.
            let (.., step) = self.cells(y, back);
            let ways =
                [Vec3::new(step, 0.0, 0.0), Vec3::new(0.0, 0.0, step)].map(|way| from_base.rotation.transpose() * way);
            let has_room = radius > 0.0 && ways.iter().any(|&way| reached(center + way) || reached(center - way));
            let Some(q) = self.at_once(&at(center)).filter(|_| has_room) else { continue };
            let pick = Pick { near: Some(self.with_path(&others, &q)), ..*pick };
            let led = |place: Vec3<f64>| {
                let away = place - center;
                away.norm_squared() > 1.001 * radius * radius || self.is_usable(&at(place), &pick)
            };
            let radius = self.room_about(center, y, back, &led).min(radius);
            if radius > 0.0 {
                return Ok(ReachableSphere { center, radius, heights: None, pick });
            }
        }
        Err(no_room())
    }

    /// Whether the tool can be there within the joint ranges, well away from where it cannot go in every direction.
    fn is_usable(&self, pose: &Frame<f64>, pick: &Pick) -> bool {
        self.followed(pose, pick).is_ok_and(|q| {
            let within = (0..q.len()).all(|i| (self.range(i)[0]..=self.range(i)[1]).contains(&q[i]));
            within && self.is_roomy(&q)
        })
    }

    /// A thousandth of TOOL_SINGULAR's distance squared: joints no more than about 30 times as fast as the tool.
    fn is_roomy(&self, q: &JointVector) -> bool {
        let margin = match self.general() {
            Ok(inverse) if q.len() != 6 => inverse.margin(&array(q)).powi(2),
            _ => {
                let all = self.with_path(&JointVector::zero(self.chain.joints()), q);
                self.chain.at_joints(&all).map_or(f64::NAN, |pose| pose.tool_margin())
            }
        };
        margin > 1e3 * TOOL_SINGULAR
    }

    /// The cells of a plane of constant y of the base frame, a thirtieth of the arm's length wide; behind the base only `back` of them.
    fn cells(&self, y: f64, back: i32) -> (impl Iterator<Item = (i32, i32)>, impl Fn(i32, i32) -> Vec3<f64>, f64) {
        let step = self.extent() / f64::from(STEPS);
        let base = self.chain.parameters().whole.base_frame();
        let place = move |x: i32, z: i32| base.point(Vec3::new(f64::from(x) * step, y, f64::from(z) * step));
        ((-back..=STEPS).flat_map(|x| (-STEPS..=STEPS).map(move |z| (x, z))), place, step)
    }

    /// In the plane: the place that is farthest from where the tool cannot be, and that distance, m.
    fn room(&self, y: f64, back: i32, usable: &dyn Fn(Vec3<f64>) -> bool) -> (Vec3<f64>, f64) {
        let (grid, place, step) = self.cells(y, back);
        let (inside, outside): (Vec<_>, Vec<_>) = grid.partition(|&(x, z)| usable(place(x, z)));
        let room = |&(x, z): &(i32, i32)| {
            let beyond = (STEPS + 1 - x).min(x + 1 + back).min(STEPS + 1 - z.abs()).pow(2);
            outside.iter().map(|(a, b)| (a - x).pow(2) + (b - z).pow(2)).fold(beyond, i32::min)
        };
        let best = inside.iter().map(|cell| (cell, room(cell))).reduce(|a, b| if b.1 > a.1 { b } else { a });
        best.map_or((Vec3::zero(), 0.0), |(&(x, z), room)| (place(x, z), f64::from(room).sqrt() * step))
    }

    /// How far it is from a place to the next cell of the plane where the tool cannot be, m.
    fn room_about(&self, center: Vec3<f64>, y: f64, back: i32, usable: &dyn Fn(Vec3<f64>) -> bool) -> f64 {
        let (grid, place, _) = self.cells(y, back);
        let outside = grid.map(|(x, z)| place(x, z)).filter(|place| !usable(*place));
        outside.map(|place| (place - center).norm_squared().sqrt()).fold(f64::INFINITY, f64::min)
    }

    /// What the tool can be away from the base at most, about: all links in a row, slides at their farther end, m.
    pub(super) fn extent(&self) -> f64 {
        let slides = (0..self.path_length()).filter(|&k| !self.turns(k)).map(|k| self.range(k));
        let slides = slides.map(|[low, high]| low.abs().max(high.abs()));
        reach(&self.chain) + slides.filter(|far| far.is_finite()).sum::<f64>()
    }
}

fn no_room() -> StateError {
    let text = "turned like this, the tool reaches no place in front of the arm within the joint ranges";
    StateError::new(Reason::NoPose, text)
}
