//! The summary of a run in words, and its report.

use super::{Cell, CellRun, CellSettings, ImpactRecord, MemberKind};
use crate::report::page::Page;
use crate::report::text::human;

/// Impacts that are told one by one; the recording has them all.
const MOST_IMPACTS: usize = 8;
/// The line of the computing time.
const TIME: &str = "time per simulated second";

impl CellRun {
    /// Names and values, the most important first.
    pub fn lines(&self, cell: &Cell, settings: &CellSettings) -> Vec<(String, String)> {
        let s = &self.summary;
        let steps = match s.rejected {
            Some(rejected) => format!("{} accepted, {rejected} rejected", s.steps),
            None => s.steps.to_string(),
        };
        let relative = s.relative_energy_drift().map(|x| format!(", {} of the range of T", figure(x)));
        let mut energy = format!("{} J{}", figure(s.energy_drift), relative.unwrap_or_default());
        if !s.exchanges.is_empty() {
            energy = format!("{energy}; not conserved here: {}", s.exchanges.join(", "));
        }
        let mut lines = vec![
            (if cell.robot_alone().is_some() { "robot" } else { "scene" }, cell.name.clone()),
            ("formulation", s.formulation.as_str().to_owned()),
            ("integrator", s.method.describe()),
            ("simulated", format!("{} of {} s", human(s.reached, 6), human(settings.duration, 6))),
            ("steps", steps),
            ("energy drift", energy),
            ("constraint drift", format!("{} m, {} m/s", figure(s.constraint_drift), figure(s.constraint_rate))),
        ];
        if let Some(time) = s.time_per_second() {
            lines.push((TIME, format!("{} ms", human(time * 1e3, 3))));
        }
        if s.was_repaired() {
            lines.push(("start", format!("moved onto the constraints by up to {} m", figure(s.repaired))));
        }
        if cell.members.len() > 1 {
            let names: Vec<String> =
                cell.members.iter().map(|member| format!("{} ({})", member.name, kind(&member.item))).collect();
            lines.insert(1, ("members", names.join(", ")));
        }
        let mut lines: Vec<(String, String)> =
            lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let laws = cell.contacts.iter().map(|contact| (format!("contact {}", contact.name), contact.law.to_string()));
        lines.extend(laws);
        if !self.impacts.is_empty() {
            let few = self.impacts.len() <= MOST_IMPACTS;
            let rest = if few { String::new() } else { format!(", the first {MOST_IMPACTS} here") };
            lines.push((String::from("impacts"), format!("{}{rest}", self.impacts.len())));
        }
        for impact in self.impacts.iter().take(MOST_IMPACTS) {
            let name = format!("at {} s", human(impact.time, 6));
            let ImpactRecord { contact, speed, impulse, .. } = impact;
            let (speed, impulse) = (human(*speed, 4), human(impulse.norm_squared().sqrt(), 4));
            lines.push((name, format!("{}: {speed} m/s, {impulse} N s", cell.contacts[*contact].name)));
        }
        let ended = self.ended.as_ref().map_or_else(ToString::to_string, |()| String::from("as planned"));
        lines.push((String::from("ended"), ended));
        lines
    }

    /// The run to look at.
    pub fn report(&self, cell: &Cell, settings: &CellSettings) -> Page<'_> {
        Page {
            title: cell.name.clone(),
            // The same run gives the same page, whatever the machine does meanwhile.
            summary: self.lines(cell, settings).into_iter().filter(|(name, _)| name != TIME).collect(),
            outcome: match &self.ended {
                Ok(()) => format!("simulated {} s", human(self.summary.reached, 6)),
                Err(error) => format!("ended early: {error}"),
            },
            early: self.ended.is_err(),
            recording: &self.recording,
            drawing: &self.drawing,
        }
    }
}

fn kind(item: &MemberKind) -> &'static str {
    match item {
        MemberKind::Robot(robot) => robot.robot.kind().title,
        MemberKind::Body(_) => "body",
    }
}

/// An error: its size counts, not its digits.
fn figure(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") }
}
