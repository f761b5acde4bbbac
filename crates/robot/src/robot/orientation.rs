//! Roll, pitch and yaw, as files and tables write the orientation of a tool.

use crate::spatial::roll_pitch_yaw;
use crate::{Angle, Mat3, Vec3};

/// The rotation Rz(yaw) Ry(pitch) Rx(roll).
pub fn rotation([roll, pitch, yaw]: [f64; 3]) -> Mat3<f64> {
    roll_pitch_yaw([roll, pitch, yaw].map(|angle: f64| Angle { cos: angle.cos(), sin: angle.sin() }))
}

/// Roll, pitch and yaw of a rotation; where pitch is ±90° and only roll ∓ yaw is determined, yaw is zero.
pub fn attitude(r: Mat3<f64>) -> [f64; 3] {
    let cos = r[0][0].hypot(r[1][0]);
    // Not −r: of a zero that would be −0.
    let pitch = (0.0 - r[2][0]).atan2(cos);
    if cos < 1e-9 {
        // Yaw zero: R = Ry(±90°) Rx(roll).
        return [(-r[1][2]).atan2(r[1][1]), pitch, 0.0];
    }
    [r[2][1].atan2(r[2][2]), pitch, r[1][0].atan2(r[0][0])]
}

/// The rotation of a unit quaternion (w, x, y, z), made as long as 1; none where it is not that long within 1e-6.
pub fn of_quaternion(four: [f64; 4]) -> Option<Mat3<f64>> {
    let square: f64 = four.iter().map(|x| x * x).sum();
    if (square - 1.0).abs() > 1e-6 || square.is_nan() {
        return None;
    }
    let [w, x, y, z] = four;
    let two = 2.0 / square;
    Some(Mat3([
        Vec3([1.0 - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)]),
        Vec3([two * (x * y + w * z), 1.0 - two * (x * x + z * z), two * (y * z - w * x)]),
        Vec3([two * (x * z - w * y), two * (y * z + w * x), 1.0 - two * (x * x + y * y)]),
    ]))
}

/// A rotation as a unit quaternion: of the two that mean the same the one that a viewer can go to from the last sample.
pub(crate) fn quaternion_near(rotation: Mat3<f64>, last: Option<&[f64; 4]>) -> [f64; 4] {
    let turned = quaternion(rotation);
    let away = last.is_some_and(|last| turned.iter().zip(last).map(|(a, b)| a * b).sum::<f64>() < 0.0);
    if away { turned.map(|x| -x) } else { turned }
}

/// A rotation as a unit quaternion (w, x, y, z), from the largest of its four numbers: none of the others is divided by
/// something small.
fn quaternion(rotation: Mat3<f64>) -> [f64; 4] {
    let m = |i: usize, j: usize| rotation[i][j];
    let squares = [
        1.0 + m(0, 0) + m(1, 1) + m(2, 2),
        1.0 + m(0, 0) - m(1, 1) - m(2, 2),
        1.0 - m(0, 0) + m(1, 1) - m(2, 2),
        1.0 - m(0, 0) - m(1, 1) + m(2, 2),
    ];
    let largest = (1..4).fold(0, |best, k| if squares[k] > squares[best] { k } else { best });
    let [wx, wy, wz] = [m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)];
    let [xy, xz, yz] = [m(0, 1) + m(1, 0), m(0, 2) + m(2, 0), m(1, 2) + m(2, 1)];
    let square = squares[largest];
    let four = [[square, wx, wy, wz], [wx, square, xy, xz], [wy, xy, square, yz], [wz, xz, yz, square]][largest];
    four.map(|x| 0.5 * x / square.sqrt())
}
