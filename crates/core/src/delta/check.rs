//! The `f64` edge: margins become errors.

use super::{Assembly, Branch, Delta, Moving, Parameters, Pose};
use crate::algebra::{Vec3, three};
use crate::array::map;
use crate::parameter::{ParameterError, PartKind};
use crate::spatial::{Metres, shorter};
use thiserror::Error;

/// Below this the rods' determinant ([`Pose::rod_determinant`]) or a transmission margin counts as singular: forces
/// would grow past 1e9 times the load, and nine of the sixteen digits would be gone.
pub const SINGULAR: f64 = 1e-9;

/// Below this transmission margin m the rates of the joints that a moving platform asks for are not answered: w is the root of a
/// difference, so that its relative error is that of rounding over m², and of their digits fewer than four would be right.
pub const NEARLY_SINGULAR: f64 = 1e-6;

/// w²/(`L_A` `L_B`)² above this is in reach beyond any doubt of rounding.
const NEAR_THE_EDGE: f64 = 1e-9;

/// Why a pose or a motion was refused. Arms are numbered from 1, as the columns `q1`, `q2`, `q3` are.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[allow(missing_docs)] // of the fields: the texts name them
pub enum KinematicsError {
    /// The platform is too far from (or, `too_close`, the platform joint too close to the motor axis for) what the arm can reach: by how many
    /// metres the forearm would have to be longer (or shorter).
    #[error("out of reach of arm {arm}: the forearm would have to be {} m {}", Metres(*distance), shorter(*too_close))]
    OutOfReach { arm: usize, distance: f64, too_close: bool },
    /// The platform joint lies on the motor axis: the joint angle is undetermined.
    #[error("the platform joint lies on the motor axis of arm {arm}: its angle is undetermined")]
    OnMotorAxis { arm: usize },
    /// Upper arm and rod line up: the motor has no lever (type 1). The margin is w/(`L_A` `L_B`).
    #[error(
        "singular (type 1): upper arm and forearm of arm {arm} line up (margin {margin:.2e}, least {SINGULAR:.0e})"
    )]
    ArmSingular { arm: usize, margin: f64 },
    /// They nearly do, and the platform moves: too few digits of the joints' rates would be right.
    #[error(
        "too near to a singular pose (type 1) to move: upper arm and forearm of arm {arm} nearly line up (margin {margin:.2e}, least {NEARLY_SINGULAR:.0e}), and fewer than four digits of its rates would be right"
    )]
    ArmNearlySingular { arm: usize, margin: f64 },
    /// The three rods do not span the space: the platform is not held (type 2). The margin is the determinant of their directions.
    #[error("singular (type 2): the forearms do not hold the platform (margin {margin:.2e}, least {SINGULAR:.0e})")]
    PlatformSingular { margin: f64 },
    /// The rods cannot meet at these joint angles: how far the nearest point is from being reached by all rods, squared, m² (negative).
    #[error("the forearms cannot meet at these joint angles (margin {margin:.3e} m²)")]
    NoAssembly { margin: f64 },
    /// The elbows lie on one line: the three spheres have no isolated intersection.
    #[error("the three elbows lie on one line: the platform is undetermined")]
    ElbowsInLine,
    /// An iterative solver (Bortoff's) did not converge.
    #[error("Newton's method did not converge in {iterations} steps (last correction {correction:.2e} rad)")]
    NoConvergence { iterations: usize, correction: f64 },
    /// An input is NaN or infinite; components from 1.
    #[error("{what}[{component}] is {value}, not a finite number")]
    NotFinite { what: &'static str, component: usize, value: f64 },
}

/// Refuses NaN and infinity.
pub(crate) fn finite(what: &'static str, v: [f64; 3]) -> Result<(), KinematicsError> {
    match v.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(KinematicsError::NotFinite { what, component: i + 1, value: v[i] }),
        None => Ok(()),
    }
}

impl Delta<f64> {
    /// The robot with these parameters, if there can be such a robot.
    pub fn try_new(parameters: Parameters<f64>) -> Result<Self, ParameterError> {
        check_parameters(&parameters)?;
        Ok(Self::new(parameters))
    }

    /// The pose with the platform at `position`: inverse kinematics.
    #[inline]
    pub fn at_position(&self, position: Vec3<f64>, branch: Branch) -> Result<Pose<'_, f64>, KinematicsError> {
        let pose = self.pose_unchecked(position, branch);
        pose.check_reach()?;
        Ok(pose)
    }

    /// The pose with the joints at `q`: forward kinematics.
    pub fn at_joints(&self, q: [f64; 3], assembly: Assembly) -> Result<Pose<'_, f64>, KinematicsError> {
        finite("q", q)?;
        let (pose, margin) = self.pose_from_joints_unchecked(q, assembly);
        if margin < 0.0 {
            return Err(KinematicsError::NoAssembly { margin });
        }
        if pose.position.0.iter().any(|x| !x.is_finite()) {
            return Err(KinematicsError::ElbowsInLine);
        }
        pose.check_regular()?;
        Ok(pose)
    }

    /// One of [`Pose::ball_angles`], by how far the platform's joint is out of the plane of its arm.
    #[inline]
    pub fn ball_angle(&self, arm: usize, lateral: f64) -> f64 {
        let lb = self.arms[arm].lb;
        libm::atan2(lateral, libm::sqrt((lb * lb - lateral * lateral).max(0.0)))
    }
}

impl<'r> Pose<'r, f64> {
    /// Refuses a pose of [`Delta::pose_unchecked`] that [`Delta::at_position`] would refuse. By reference: a loop that
    /// evaluates one pose after the other need not move them about.
    #[inline]
    pub fn check_reach(&self) -> Result<(), KinematicsError> {
        finite("position", self.position.0)?;
        for (i, (arm, robot)) in self.arms.iter().zip(&self.robot.arms).enumerate() {
            // In reach is w² > 0; the distances say by how much it is missed, and decide where rounding could.
            if arm.discriminant > NEAR_THE_EDGE * robot.la_squared * (robot.lb * robot.lb) {
                continue;
            }
            let r = libm::hypot(arm.radial, self.position[2]);
            // Distances from the platform joint to the nearest and farthest point of the elbow's circle.
            let nearest = libm::hypot(r - robot.la, arm.lateral);
            let farthest = libm::hypot(r + robot.la, arm.lateral);
            let out = |distance, too_close| Err(KinematicsError::OutOfReach { arm: i + 1, distance, too_close });
            if robot.lb < nearest {
                return out(nearest - robot.lb, false);
            }
            if robot.lb > farthest {
                return out(robot.lb - farthest, true);
            }
            if r <= 1e-12 * robot.la {
                return Err(KinematicsError::OnMotorAxis { arm: i + 1 });
            }
        }
        self.check_regular()
    }

    /// Refuses a singular pose.
    #[inline]
    fn check_regular(&self) -> Result<(), KinematicsError> {
        let margins = self.transmission_margins();
        for (i, &margin) in margins.iter().enumerate() {
            // NaN counts as singular: it cannot be compared.
            if margin.is_nan() || margin.abs() < SINGULAR {
                return Err(KinematicsError::ArmSingular { arm: i + 1, margin });
            }
        }
        let margin = self.rod_determinant();
        if margin.is_nan() || margin.abs() < SINGULAR {
            return Err(KinematicsError::PlatformSingular { margin });
        }
        Ok(())
    }

    /// The elbow branch of each arm.
    pub fn branches(&self) -> [Branch; 3] {
        map(self.arms, |arm| if arm.transmission < 0.0 { Branch::In } else { Branch::Out })
    }

    /// Whether the platform hangs below or stands above the plane through the elbows.
    pub fn assembly(&self) -> Assembly {
        if self.is_below() { Assembly::Below } else { Assembly::Above }
    }

    /// Whether it hangs below; without a branch.
    #[inline(always)]
    pub fn is_below(&self) -> bool {
        let [a, b, c] = map(self.arms, |arm| arm.elbow);
        let n = (b - a).cross(c - a);
        (self.position - a).dot(n) * n[2] < 0.0
    }

    /// Angle by which each forearm leans out of the vertical plane of its arm, rad: what a ball joint whose stud is
    /// parallel to the motor axis has to swing.
    pub fn ball_angles(&self) -> [f64; 3] {
        three(|i| self.robot.ball_angle(i, self.arms[i].lateral))
    }

    /// Whether no check would refuse the pose, or a motion in it; without a branch. Where it is not so one may still not.
    #[inline(always)]
    pub fn is_regular(&self) -> bool {
        let margins = self.transmission_margins();
        let mut regular = self.rod_determinant().abs() >= SINGULAR;
        for i in 0..3 {
            let robot = &self.robot.arms[i];
            regular &= self.arms[i].discriminant > NEAR_THE_EDGE * robot.la_squared * (robot.lb * robot.lb);
            regular &= margins[i].abs() >= NEARLY_SINGULAR;
        }
        regular
    }

    /// Kinematics with a velocity that is checked to be finite.
    pub fn try_moving(self, velocity: Vec3<f64>) -> Result<Moving<'r, f64>, KinematicsError> {
        finite("velocity", velocity.0)?;
        if velocity != Vec3::zero() {
            self.check_rates()?;
        }
        Ok(self.moving(velocity))
    }

    /// Refuses a pose in which too few digits would be right of what a moving or accelerated platform asks of the joints.
    pub fn check_rates(&self) -> Result<(), KinematicsError> {
        let margins = self.transmission_margins();
        match (0..3).find(|&i| margins[i].abs() < NEARLY_SINGULAR) {
            Some(i) => Err(KinematicsError::ArmNearlySingular { arm: i + 1, margin: margins[i] }),
            None => Ok(()),
        }
    }

    /// The same from joint velocities.
    pub fn try_moving_joints(self, qd: [f64; 3]) -> Result<Moving<'r, f64>, KinematicsError> {
        finite("qd", qd)?;
        Ok(self.moving_joints(qd))
    }
}

/// Signs, finiteness and whether the forearm can reach anything at all.
fn check_parameters(p: &Parameters<f64>) -> Result<(), ParameterError> {
    let check = |ok, field, arm, value, must| PartKind::Arm.ensure(ok, field, arm, value, must);
    PartKind::Arm.ensure_each(|visit| { *p }.visit(visit))?;
    for (i, arm) in p.arms.iter().enumerate() {
        let rod = &arm.forearm;
        let inside = (0.0..=rod.length).contains(&rod.center_of_mass);
        let must = "between 0 and the forearm's length";
        check(inside, "forearm.center_of_mass", Some(i + 1), rod.center_of_mass, must)?;
    }
    // Something has to be moved: without mass at the platform its acceleration is undetermined.
    let moved: f64 = p.platform_mass + p.payload_mass + p.arms.iter().map(|a| a.forearm.mass).sum::<f64>();
    check(moved > 0.0, "platform.mass", None, p.platform_mass, "positive where forearms and payload have no mass")?;
    check_reach(p)
}

/// At least one pose on the vertical axis must exist. Arm i reaches heights z with
/// |L_A − L_B| ≤ √(R² + z²) ≤ L_A + L_B, so R < L_A + L_B has to hold for all arms, and the intervals must overlap.
fn check_reach(p: &Parameters<f64>) -> Result<(), ParameterError> {
    let (mut low, mut high) = (0.0_f64, f64::INFINITY);
    for (i, arm) in p.arms.iter().enumerate() {
        let radius = arm.base_radius - arm.platform_radius;
        let (la, lb) = (arm.upper_arm.length, arm.forearm.length);
        let depth_squared = |reach: f64| reach * reach - radius * radius;
        high = high.min(depth_squared(la + lb));
        low = low.max(depth_squared(la - lb));
        let must = "such that all three arms reach a common pose below the base centre";
        PartKind::Arm.ensure(high > low, "forearm.length", Some(i + 1), lb, must)?;
    }
    Ok(())
}
