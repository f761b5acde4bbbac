//! Roll, pitch and yaw, as files and tables write the orientation of a tool.

use crate::spatial::roll_pitch_yaw;
use crate::{Angle, Mat3};

/// The rotation Rz(yaw) Ry(pitch) Rx(roll).
pub fn rotation([roll, pitch, yaw]: [f64; 3]) -> Mat3<f64> {
    roll_pitch_yaw([roll, pitch, yaw].map(|angle: f64| Angle { cos: angle.cos(), sin: angle.sin() }))
}

/// Roll, pitch and yaw of a rotation; where pitch is ±90° and only roll ∓ yaw is determined, yaw is zero.
pub fn attitude(r: Mat3<f64>) -> [f64; 3] {
    let cos = r[0][0].hypot(r[1][0]);
    let pitch = (-r[2][0]).atan2(cos);
    if cos < 1e-9 {
        // Yaw zero: R = Ry(±90°) Rx(roll).
        return [(-r[1][2]).atan2(r[1][1]), pitch, 0.0];
    }
    [r[2][1].atan2(r[2][2]), pitch, r[1][0].atan2(r[0][0])]
}
