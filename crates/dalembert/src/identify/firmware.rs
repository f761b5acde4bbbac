//! A calibration as the configuration of a Delta's controller.
//!
//! A controller has fewer numbers than a robot: one radius for all arms, platform and base together, no frame but its own. Fitted
//! are therefore the controller's numbers, not the robot's: what it has once moves together ([`Tied`]).
//!
//! | controller | robots | source |
//! | --- | --- | --- |
//! | Klipper | `kinematics: delta` and `rotary_delta` | `klippy/kinematics/delta.py`, `rotary_delta.py`: a `position_endstop` is the height of the tool on the axis at which that arm alone would stand at its switch |
//! | Marlin | `DELTA`, which slides; it knows none that turns | `src/module/delta.cpp`, `M665` and `M666`: towers at 210°, 330° and 90° plus trims; a carriage that has triggered moves down by its adjustment |
//! | LinuxCNC | `lineardeltakins` and `rotarydeltakins` | `src/emc/kinematics`; `HOME_OFFSET` is the joint at its switch |
//!
//! Lengths in mm, angles in degrees, as all three have them. Klipper's steppers a, b, c, Marlin's X, Y, Z and LinuxCNC's joints 0, 1, 2 are
//! the arms 1, 2, 3; where arms have fixed places, the frame is turned about z until arm 1 is at its own.

use super::calibrate::{Calibration, Tied};
use crate::robot::{Number, Robot};
use std::array::from_fn;

/// A controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Firmware {
    /// Klipper's `printer.cfg`.
    Klipper,
    /// Marlin's `M665` and `M666`.
    Marlin,
    /// LinuxCNC's pins and INI entries.
    LinuxCnc,
}

/// Why a robot cannot be written for a controller.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct CannotSay(String);

/// The measures of three arms, m and rad.
struct ControllerGeometry {
    turns: bool,
    /// Between the joints of base and platform, seen from above.
    radius: [f64; 3],
    angle: [f64; 3],
    /// Of base and platform alone.
    radii: [[f64; 3]; 2],
    arm: [f64; 3],
    rod: [f64; 3],
    /// A carriage at zero above the base frame's origin, less the platform's joint above the tool's.
    lift: [f64; 3],
}

fn find(robot: &Robot, key: &str, part: usize, component: Option<usize>) -> Option<Number> {
    let fits = |number: &Number| {
        number.field.key == key && number.place.part == Some(part) && number.place.component == component
    };
    robot.numbers().into_iter().find(fits)
}

/// A number of each arm.
fn three(robot: &Robot, key: &str, component: Option<usize>) -> Option<[f64; 3]> {
    let of = |i| Some(find(robot, key, i, component)?.value);
    Some([of(0)?, of(1)?, of(2)?])
}

impl ControllerGeometry {
    fn of(robot: &Robot) -> Result<Self, CannotSay> {
        let (name, title) = (&robot.name, robot.kind().title);
        let found = Self::turning(robot).or_else(|| Self::sliding(robot)).filter(|_| robot.joints().len() == 3);
        found.ok_or_else(|| {
            CannotSay(format!("controllers know Deltas whose arms turn or slide upright; {name} is a {title}"))
        })
    }

    fn turning(robot: &Robot) -> Option<Self> {
        let number = |key| three(robot, key, None);
        let [base, platform] = [number("base.radius")?, number("platform.radius")?];
        Some(Self {
            turns: true,
            radius: from_fn(|i| base[i] - platform[i]),
            angle: number("base.azimuths")?,
            radii: [base, platform],
            arm: number("upper_arm.length")?,
            rod: number("forearm.length")?,
            lift: [0.0; 3],
        })
    }

    fn sliding(robot: &Robot) -> Option<Self> {
        let number = |key, k| three(robot, key, Some(k));
        let [x, y, z] = [number("base", 0)?, number("base", 1)?, number("base", 2)?];
        let [px, py, pz] = [number("platform", 0)?, number("platform", 1)?, number("platform", 2)?];
        let upright = number("direction", 2)?.iter().all(|up| (up - 1.0).abs() < 1e-9);
        let length = |x: [f64; 3], y: [f64; 3]| from_fn(|i| x[i].hypot(y[i]));
        let [dx, dy]: [[f64; 3]; 2] = [from_fn(|i| x[i] - px[i]), from_fn(|i| y[i] - py[i])];
        upright.then_some(Self {
            turns: false,
            radius: length(dx, dy),
            angle: from_fn(|i| dy[i].atan2(dx[i])),
            radii: [length(x, y), length(px, py)],
            arm: [0.0; 3],
            rod: three(robot, "rod.length", None)?,
            lift: from_fn(|i| z[i] - pz[i]),
        })
    }

    /// The tool's height on the axis at which one arm alone stands at a joint, m.
    fn height(&self, i: usize, q: f64) -> f64 {
        let out = if self.turns { self.radius[i] + self.arm[i] * q.cos() } else { self.radius[i] };
        let up = if self.turns { -self.arm[i] * q.sin() } else { q + self.lift[i] };
        up - (self.rod[i] * self.rod[i] - out * out).sqrt()
    }
}

/// Klipper's names of the arms.
const ARMS: [&str; 3] = ["a", "b", "c"];

fn mean(of: [f64; 3]) -> f64 {
    of.iter().sum::<f64>() / 3.0
}

impl Firmware {
    /// The parameters that it has of a robot, in addition to the zeros of the joints.
    pub fn numbers(self, robot: &Robot) -> Result<Vec<Tied>, CannotSay> {
        let geometry = ControllerGeometry::of(robot)?;
        if geometry.turns && self == Self::Marlin {
            return Err(CannotSay("Marlin knows no Delta whose arms turn; Klipper and LinuxCNC do".into()));
        }
        let missing = |key: &str| CannotSay(format!("{} has no number {key}", robot.name));
        let number = |key: &str, part, component| find(robot, key, part, component).ok_or_else(|| missing(key));
        let mut all = Vec::new();
        let names = match (self, geometry.turns) {
            (Self::Klipper, true) => ["shoulder_radius", "upper_arm_length", "lower_arm_length"],
            (Self::Klipper, false) => ["delta_radius", "", "arm_length"],
            (Self::Marlin, _) => ["delta radius (R)", "", "diagonal rod"],
            (Self::LinuxCnc, true) => ["platformradius", "thighlength", "shinlength"],
            (Self::LinuxCnc, false) => ["R", "", "L"],
        };
        // The base of a carriage moves along x and y.
        let base = |i: usize, x: f64, y: f64| -> Result<Vec<(Number, f64)>, CannotSay> {
            Ok(vec![(number("base", i, Some(0))?, x), (number("base", i, Some(1))?, y)])
        };
        let mut radius = Vec::new();
        for (i, angle) in geometry.angle.into_iter().enumerate() {
            radius.extend(match geometry.turns {
                true => vec![(number("base.radius", i, None)?, 1.0)],
                false => base(i, angle.cos(), angle.sin())?,
            });
        }
        let value = if self == Self::LinuxCnc && geometry.turns { geometry.radii[0] } else { geometry.radius };
        all.push(Tied { name: names[0].into(), unit: "m", value: mean(value), parts: radius });
        let lengths =
            [(names[1], "upper_arm.length"), (names[2], if geometry.turns { "forearm.length" } else { "rod.length" })];
        for (name, key) in lengths.into_iter().filter(|(name, _)| !name.is_empty()) {
            let parts = (0..3).map(|i| number(key, i, None)).collect::<Result<Vec<_>, _>>()?;
            // LinuxCNC has one length for all arms.
            let together = if self == Self::LinuxCnc { 3 } else { 1 };
            all.extend(parts.chunks(together).zip(ARMS).map(|(parts, arm)| Tied {
                name: if together == 3 { name.to_owned() } else { format!("{name} {arm}") },
                unit: "m",
                value: parts.iter().map(|part| part.value).sum::<f64>() / parts.len() as f64,
                parts: parts.iter().map(|part| (*part, 1.0)).collect(),
            }));
        }
        // The first arm's angle is where the frame begins.
        for i in [1, 2].into_iter().filter(|_| self != Self::LinuxCnc) {
            let (angle, radius) = (geometry.angle[i], geometry.radius[i]);
            let parts = match geometry.turns {
                true => vec![(number("base.azimuths", i, None)?, 1.0)],
                false => base(i, -radius * angle.sin(), radius * angle.cos())?,
            };
            all.push(Tied { name: format!("angle {}", ARMS[i]), unit: "rad", value: angle, parts });
        }
        Ok(all)
    }

    /// The lines to put into its configuration. `endstops` are the joints' readings at their switches, rad (m); `bed` is the
    /// height of the bed in the robot's base frame, m.
    pub fn text(self, found: &Calibration, endstops: Option<[f64; 3]>, bed: f64) -> Result<String, CannotSay> {
        let geometry = ControllerGeometry::of(&found.robot)?;
        let offsets: [f64; 3] = from_fn(|i| found.offsets.get(i).copied().unwrap_or(0.0));
        let at_switch: Option<[f64; 3]> = endstops.map(|reading| from_fn(|i| reading[i] + offsets[i]));
        let heights: Option<[f64; 3]> = at_switch.map(|q| from_fn(|i| geometry.height(i, q[i]) - bed));
        if let Some(i) = heights.and_then(|heights| heights.iter().position(|z| !z.is_finite())) {
            return Err(CannotSay(format!("arm {} cannot reach the axis with the reading of its switch", i + 1)));
        }
        let lines = match self {
            Self::Klipper => geometry.klipper(heights, bed),
            Self::Marlin => geometry.marlin(heights),
            Self::LinuxCnc => geometry.linuxcnc(at_switch, offsets, bed),
        };
        let sign = if self == Self::Marlin { ";" } else { "#" };
        let source = found.robot.source.as_deref().unwrap_or("calibrated");
        Ok(format!("{sign} {source}, off by {} mm\n{}\n", mm(found.after), lines.join("\n")))
    }
}

fn mm(x: f64) -> String {
    format!("{:.4}", 1e3 * x + 0.0)
}

impl ControllerGeometry {
    fn klipper(&self, heights: Option<[f64; 3]>, bed: f64) -> Vec<String> {
        let radius = mm(mean(self.radius));
        let mut lines = vec!["[printer]".to_owned()];
        lines.push(match self.turns {
            true => format!("kinematics: rotary_delta\nshoulder_radius: {radius}\nshoulder_height: {}", mm(-bed)),
            false => format!("kinematics: delta\ndelta_radius: {radius}"),
        });
        for (i, stepper) in ARMS.into_iter().enumerate() {
            let [arm, rod] = [mm(self.arm[i]), mm(self.rod[i])];
            lines.push(format!("\n[stepper_{stepper}]"));
            lines.push(match self.turns {
                true => format!("upper_arm_length: {arm}\nlower_arm_length: {rod}"),
                false => format!("arm_length: {rod}"),
            });
            lines.push(format!("angle: {:.5}", self.angle[i].to_degrees().rem_euclid(360.0)));
            lines.push(match heights {
                Some(heights) => format!("position_endstop: {}", mm(heights[i])),
                None => "# position_endstop: follows from the joints' readings at their switches".to_owned(),
            });
        }
        lines
    }

    fn marlin(&self, heights: Option<[f64; 3]>) -> Vec<String> {
        let rod = mean(self.rod);
        let turn = 210.0 - self.angle[0].to_degrees();
        let trim = |i: usize| {
            let off = self.angle[i].to_degrees() + turn - [210.0, 330.0, 90.0][i];
            format!("{:.5}", (off + 180.0).rem_euclid(360.0) - 180.0 + 0.0)
        };
        let [a, b, c] = self.rod.map(|own| mm(own - rod));
        let [x, y, z] = [0, 1, 2].map(trim);
        let (mut height, mut switches) =
            (String::new(), "; H and M666 follow from the joints' readings at their switches".to_owned());
        if let Some(heights) = heights {
            let highest = heights.into_iter().fold(f64::INFINITY, f64::min);
            let [x, y, z] = heights.map(|own| mm(highest - own));
            (height, switches) = (format!(" H{}", mm(highest)), format!("M666 X{x} Y{y} Z{z}"));
        }
        vec![
            format!("; the frame is turned by {turn:.5} deg about z: arm 1 is Marlin's X tower"),
            format!("M665 L{} R{}{height} X{x} Y{y} Z{z} A{a} B{b} C{c}", mm(rod), mm(mean(self.radius))),
            switches,
            "M500".to_owned(),
        ]
    }

    fn linuxcnc(&self, at_switch: Option<[f64; 3]>, offsets: [f64; 3], bed: f64) -> Vec<String> {
        let pins = match self.turns {
            true => vec![
                ("rotarydeltakins.platformradius", self.radii[0]),
                ("rotarydeltakins.footradius", self.radii[1]),
                ("rotarydeltakins.thighlength", self.arm),
                ("rotarydeltakins.shinlength", self.rod),
            ],
            false => vec![("lineardeltakins.R", self.radius), ("lineardeltakins.L", self.rod)],
        };
        let mut lines: Vec<String> =
            pins.into_iter().map(|(pin, value)| format!("setp {pin} {}", mm(mean(value)))).collect();
        lines.push("# in the INI file:".to_owned());
        lines.extend((0..3).map(|i| {
            let value = |x: f64| if self.turns { format!("{:.5}", x.to_degrees() + 0.0) } else { mm(x) };
            // A joint that slides is the height of its carriage above the bed.
            let shift = if self.turns { 0.0 } else { self.lift[i] - bed };
            match at_switch {
                Some(q) => format!("# [JOINT_{i}] HOME_OFFSET = {}", value(q[i] + shift)),
                None => format!("# [JOINT_{i}] HOME_OFFSET: add {}", value(offsets[i])),
            }
        }));
        lines
    }
}
