//! A motion as G-code.
//!
//! The dialect is RS-274/NGC as LinuxCNC reads it: millimetres (G21), absolute positions (G90) of the tool, of a Delta its platform, and
//! inverse-time feed (G93): `F` is one over the minutes of that line, so the moves keep the motion's timing. Straight lines
//! join the states at equal times. A tool that turns about z has its angle as `C`, in degrees. A controller that has its own limits or blends (G64) follows them.

use super::RobotMotion;
use crate::report::escape;
use crate::robot::Target;
use std::fmt::Write as _;

/// The motion of a tool from state to state, `every` seconds apart, under a comment; `point` says what moves.
pub fn to_gcode(motion: &RobotMotion, every: f64, comment: &str, point: &str) -> String {
    let steps = (motion.duration() / every).ceil().max(1.0) as usize;
    let step = motion.duration() / steps as f64;
    let (comment, point) = (escape::gcode(comment), escape::gcode(point));
    let mm = |time: f64| {
        let target = motion.at(time);
        let [position, ..] = target.moved().map(|v| v.iter().map(|x| x * 1e3 + 0.0).collect::<Vec<_>>());
        let words = ["X", "Y", "Z"].iter().zip(position).map(|(axis, mm)| format!("{axis}{mm:.6}"));
        let turn = match (motion, target) {
            (RobotMotion::Turning(_), Target::Tool(tool)) => Some(format!("C{:.6}", tool.turn.to_degrees() + 0.0)),
            _ => None,
        };
        words.chain(turn).collect::<Vec<_>>().join(" ")
    };
    let mut text = format!("(motion of {comment})\n({point}, mm; {steps} lines of {step:.9} s each)\nG21 G90 G94\n");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "G0 {}\nG93", mm(0.0));
    for k in 1..=steps {
        let _ = writeln!(text, "G1 {} F{:.6}", mm(k as f64 * step), 60.0 / step);
    }
    text.push_str("G94\nM2\n");
    text
}
