//! What a run was made under, for whoever reads its figures: load, friction, what the controller does not know, drives,
//! sensors, pushes.

use super::{Experiment, VelocityFrom};
use crate::friction::Friction;
use crate::motion::keep_worst;
use crate::report::text::human;
use crate::robot::{InvalidParameters, Robot, Violation};
use std::f64::consts::TAU;

/// Where a motion is looked at.
const PLACES: usize = 1000;

fn line(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

fn ms(seconds: f64) -> String {
    format!("{} ms", human(1e3 * seconds, 3))
}

/// What a robot is made of, but for payload and friction at the motors.
fn numbers(robot: &Robot) -> Result<impl PartialEq + use<>, InvalidParameters> {
    let bare = robot.with_payload(0.0)?.with_friction(None)?;
    Ok((bare.numbers(), bare.choices().to_vec(), bare.joints()))
}

impl Experiment {
    /// Names and values, whatever the law.
    pub fn conditions(&self) -> Vec<(String, String)> {
        let mut lines = Vec::new();
        let [load, believed] = [&self.robot, &self.known].map(|robot| robot.payload());
        if load != believed {
            let told = format!("{} kg, but the controller believes {} kg", human(load, 4), human(believed, 4));
            lines.push(line("payload", told));
        } else if load > 0.0 {
            lines.push(line("payload", format!("{} kg", human(load, 4))));
        }
        let friction = |robot: &Robot| robot.joints().iter().map(|joint| joint.friction).collect();
        let [real, known]: [Vec<Option<Friction<f64>>>; 2] = [&self.robot, &self.known].map(friction);
        let any = |all: &[Option<Friction<f64>>]| all.iter().any(Option::is_some);
        match (any(&real), any(&known)) {
            (false, false) => {}
            (true, false) => lines.push(line("friction", "at the motors, unknown to the controller")),
            (false, true) => lines.push(line("friction", "none, but the controller believes in some")),
            (true, true) if real == known => lines.push(line("friction", "at the motors, known to the controller")),
            (true, true) => lines.push(line("friction", "at the motors, other than the controller believes")),
        }
        if numbers(&self.robot) != numbers(&self.known) {
            let name = &self.known.name;
            let whose = if *name == self.robot.name { "another robot of this name" } else { name };
            lines.push(line("controller's robot", format!("{whose}, with other numbers than the robot has")));
        }
        if let Some([size, usual]) = &self.resized {
            lines.push(line("motion made smaller", format!("{size} instead of {usual}: the joint ranges")));
        }
        for told in self.asked_too_much() {
            lines.push(line("the motion asks for more", told));
        }
        lines.push(line("sampling", self.sampled()));
        lines.push(line("drive", self.driven()));
        lines.push(line("encoder", self.measured()));
        for push in &self.pushes {
            let [x, y, z] = push.force.0.map(|force| human(force, 3));
            let (start, end) = (human(push.start, 4), human(push.start + push.duration, 4));
            lines.push(line("push", format!("({x}, {y}, {z}) N from {start} s to {end} s")));
        }
        lines
    }

    /// The limits that the motion itself exceeds, whatever the law makes of it: the worst place of each kind.
    fn asked_too_much(&self) -> Vec<String> {
        let mut worst: Vec<(f64, Violation)> = Vec::new();
        for (time, target) in self.motion.samples(PLACES) {
            // Where the robot cannot be the run ends, and says so.
            for violation in self.violations(&target).unwrap_or_default() {
                if self.drive.limited || !violation.quantity.is_driven() {
                    keep_worst(&mut worst, time, violation);
                }
            }
        }
        worst.iter().map(|(time, violation)| format!("{violation}, at {} s", human(*time, 4))).collect()
    }

    /// What all laws of a comparison have in common, before its [`Experiment::conditions`]; `peak` is the largest
    /// acceleration that is asked for.
    pub fn task(&self, peak: f64) -> Vec<(String, String)> {
        let (name, duration) = self.duration();
        vec![
            line("motion", self.motion(peak)),
            line(name, duration),
            line("regulators", self.regulator()),
            line("controller's model", self.model_name()),
        ]
    }

    /// The name of the controller's model, whatever it was called.
    pub fn model_name(&self) -> &str {
        let spec = self.known.models().iter().find(|spec| spec.is_called(&self.model));
        spec.map_or(&self.model, |spec| spec.name)
    }

    pub(super) fn motion(&self, peak: f64) -> String {
        format!("{}, up to {} m/s²", self.motion_name, human(peak, 4))
    }

    /// How long the motion takes: one cycle where it comes back, and how many that are in a minute.
    pub(super) fn duration(&self) -> (&'static str, String) {
        let duration = self.motion.duration();
        let cycle = duration / self.cycles.max(1) as f64;
        let [start, end] = [0.0, duration].map(|time| self.motion.at(time));
        let places = start.moved()[0].iter().zip(end.moved()[0]);
        let apart = places.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if apart < 1e-9 {
            ("cycle time", format!("{} s ({} per minute)", human(cycle, 5), human(60.0 / cycle, 4)))
        } else {
            ("duration", format!("{} s, one way", human(duration, 5)))
        }
    }

    /// Of the regulators.
    pub(super) fn regulator(&self) -> String {
        let damping = if self.damping_ratio == 1.0 {
            String::new()
        } else {
            format!(", damping ratio {}", human(self.damping_ratio, 3))
        };
        format!("{} Hz{damping}", human(self.bandwidth / TAU, 4))
    }

    fn sampled(&self) -> String {
        let delay = self.sampling.delay;
        let samples = if delay == 1 { "sample" } else { "samples" };
        let slow = match self.sampling.configuration_every {
            1 => String::new(),
            every => format!(", configuration every {every} samples"),
        };
        format!("{} Hz, delay {delay} {samples}{slow}", human(1.0 / self.sampling.period, 4))
    }

    fn driven(&self) -> String {
        let drive = &self.drive;
        let limited = self.robot.joints().iter().any(|joint| joint.limits.max_torque.is_finite());
        let mut parts = Vec::new();
        if drive.current_rise > 0.0 {
            parts.push(format!("current rise {}", ms(drive.current_rise)));
        }
        if drive.torque_steps > 0.0 && limited {
            parts.push(format!("torque in {} steps", human(drive.torque_steps, 5)));
        }
        if drive.max_torque_rate.is_finite() {
            parts.push(format!("at most {} N m/s", human(drive.max_torque_rate, 4)));
        }
        if let Some(gear) = drive.backlash {
            parts.push(format!("backlash {}°", human(gear.gap.to_degrees(), 3)));
        }
        if !drive.limited {
            parts.push(String::from("without limits"));
        }
        if parts.is_empty() { String::from("ideal") } else { parts.join(", ") }
    }

    fn measured(&self) -> String {
        let encoder = &self.encoder;
        let mut parts = Vec::new();
        if encoder.counts > 0.0 {
            parts.push(format!("{} bits", human(encoder.counts.log2(), 3)));
        }
        if encoder.noise > 0.0 {
            parts.push(format!("noise {} rad", human(encoder.noise, 2)));
        }
        match encoder.velocity {
            VelocityFrom::Tachometer => {}
            VelocityFrom::Difference => parts.push(String::from("velocity by difference")),
            VelocityFrom::Observer { bandwidth } => {
                parts.push(format!("velocity by an observer of {} Hz", human(bandwidth / TAU, 3)));
            }
        }
        if parts.is_empty() { String::from("ideal, with a tachometer") } else { parts.join(", ") }
    }
}
