//! A motion as G-code.
//!
//! The dialect is RS-274/NGC as LinuxCNC reads it: millimetres (G21), absolute positions (G90) of the platform centre or the tool, and
//! inverse-time feed (G93): `F` is one over the minutes of that line, so the moves keep the motion's timing. Straight lines
//! join the states at equal times. A controller that has its own limits or blends (G64) follows them.

use super::Motion;
use dalembert_core::Vec3;
use std::fmt::Write as _;

/// The motion of a point, say the `platform centre`, from state to state, `every` seconds apart, under a comment.
pub fn to_gcode(motion: &impl Motion<Point = Vec3<f64>>, every: f64, comment: &str, point: &str) -> String {
    let steps = (motion.duration() / every).ceil().max(1.0) as usize;
    let step = motion.duration() / steps as f64;
    // Parentheses would end the comment.
    let comment = comment.replace(['(', ')', '\n'], " ");
    let mm = |position: Vec3<f64>| {
        let [x, y, z] = position.0.map(|v| v * 1e3 + 0.0);
        format!("X{x:.6} Y{y:.6} Z{z:.6}")
    };
    let mut text = format!("({comment})\n({point}, mm; {steps} lines of {step:.9} s each)\nG21 G90 G94\n");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "G0 {}\nG93", mm(motion.at(0.0).position));
    for k in 1..=steps {
        let _ = writeln!(text, "G1 {} F{:.6}", mm(motion.at(k as f64 * step).position), 60.0 / step);
    }
    text.push_str("G94\nM2\n");
    text
}
