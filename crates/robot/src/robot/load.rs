//! What planners ask of a robot: what a state demands of its joints, and where its tool has room.

use super::{JointState, JointVector, Pick};
use crate::Vec3;

/// What a state demands of the joints and their motors.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The joints.
    pub joints: JointState,
    /// Torques of the motors by the exact model, friction included, N m (N).
    pub torque: JointVector,
    /// The part of friction and damping in them, N m (N). Beside the friction at the motors it is proportional to the speeds.
    pub friction: JointVector,
    /// Angles of passive ball joints, rad, where there are such joints.
    pub ball_angles: Option<JointVector>,
}

/// The place around which a tool that keeps its orientation has most room.
#[derive(Clone, Debug, PartialEq)]
pub struct ReachableSphere {
    /// The place, m.
    pub center: Vec3<f64>,
    /// How far around it the tool can go, m.
    pub radius: f64,
    /// Lowest and highest place on the vertical axis through the place, m, where that is known.
    pub heights: Option<[f64; 2]>,
    /// The solution of the kinematics that has this room.
    pub pick: Pick,
}
