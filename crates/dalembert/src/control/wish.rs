//! What the robot should do: motions as joint references, by the kinematics that the controller knows.

use super::{ControlError, Reference};
use crate::Vec3;
use crate::delta::{Branch, Delta};
use crate::motion::{Motion, PlatformState};
use crate::serial::Serial;

/// References as a function of time.
pub trait Wish<const N: usize> {
    /// What is wanted at a time, s.
    fn at(&self, time: f64) -> Result<Reference<f64, N>, ControlError>;
}

/// A motion of a Delta's platform, which rests when it has ended.
#[derive(Clone, Copy)]
pub struct DeltaWish<'m> {
    /// As the controller knows it.
    pub robot: &'m Delta<f64>,
    /// Of its elbows.
    pub branch: Branch,
    /// The motion.
    pub motion: &'m (dyn Motion<Point = Vec3<f64>> + Send + Sync),
}

impl Wish<3> for DeltaWish<'_> {
    #[inline]
    fn at(&self, time: f64) -> Result<Reference<f64, 3>, ControlError> {
        let PlatformState { position, velocity, acceleration } = self.motion.at(time);
        let mut pose = self.robot.pose_unchecked(position, self.branch);
        // Negated so that NaN is refused too; the checked way then says why.
        if !(pose.transmission_margins().0.iter().all(|margin| margin.abs() > 1e-6)) {
            pose = self
                .robot
                .at_position(position, self.branch)
                .map_err(|cause| ControlError::OutOfReach { time, cause })?;
        }
        let moving = pose.moving(velocity);
        Ok(Reference {
            q: moving.pose.joints().0,
            qd: moving.joint_velocity().0,
            qdd: moving.joint_acceleration(acceleration).0,
            point: [position, velocity, acceleration],
        })
    }
}

/// A serial arm that goes from pose to pose and back, each joint by the quintic 10 s³ − 15 s⁴ + 6 s⁵.
#[derive(Clone, Copy, Debug)]
pub struct ArmWish<'a, const N: usize> {
    /// As the controller knows it.
    pub arm: &'a Serial<f64, N>,
    /// Joints at the start.
    pub from: [f64; N],
    /// Joints half a cycle later.
    pub to: [f64; N],
    /// Time from the one to the other, s.
    pub stroke: f64,
    /// When the motion ends, s.
    pub duration: f64,
}

impl<const N: usize> Wish<N> for ArmWish<'_, N> {
    fn at(&self, time: f64) -> Result<Reference<f64, N>, ControlError> {
        let strokes = time.clamp(0.0, self.duration) / self.stroke;
        let (number, s) = (strokes.floor(), strokes - strokes.floor());
        let (rest, rate) = (1.0 - s, 1.0 / self.stroke);
        let u = s * s * s * (10.0 + s * (6.0 * s - 15.0));
        let ud = 30.0 * s * s * rest * rest * rate;
        let udd = 60.0 * s * rest * (1.0 - 2.0 * s) * rate * rate;
        let moves = (0.0..self.duration).contains(&time);
        let (from, to) = if number % 2.0 == 0.0 { (self.from, self.to) } else { (self.to, self.from) };
        let along = |scale: f64| -> [f64; N] { std::array::from_fn(|i| (to[i] - from[i]) * scale) };
        let q = std::array::from_fn(|i| from[i] + (to[i] - from[i]) * u);
        let (qd, qdd) = if moves { (along(ud), along(udd)) } else { ([0.0; N], [0.0; N]) };
        let moving = self.arm.pose_unchecked(q).moving(qd);
        let point = [moving.pose.tool().origin, moving.tool_velocity()[0], moving.tool_acceleration(qdd)[0]];
        Ok(Reference { q, qd, qdd, point })
    }
}
