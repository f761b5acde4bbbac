//! How well a number is known: `"0.01 kg + 1 %"`, `"3 mm"`, `"50 %"`, or a number in SI units.

use crate::robot::file::units::{self, Dimension};
use crate::robot::file::write::{list, number};
use crate::robot::file::{Document, FileError};
use crate::serial::LinkParameters;

/// ± (absolute + relative · |value|).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// In the unit of the value, SI.
    pub absolute: f64,
    /// As a fraction.
    pub relative: f64,
}

impl Tolerance {
    /// The half width for a value.
    pub fn of(self, value: f64) -> f64 {
        self.absolute + self.relative * value.abs()
    }
}

/// The tolerances of one link; zero where none is given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkTolerances {
    /// Of the mass.
    pub mass: Tolerance,
    /// Of x, y, z of the centre of mass.
    pub center_of_mass: [Tolerance; 3],
    /// Of the tensor's entries xx, yy, zz, xy, yz, xz.
    pub inertia: [Tolerance; 6],
    /// Of the reflected inertia of motor and drive.
    pub motor_inertia: Tolerance,
}

impl LinkTolerances {
    /// By the keys of a link's table, each with its components.
    pub(super) fn by_key(&mut self) -> [(&'static str, &mut [Tolerance]); 4] {
        let Self { mass, center_of_mass, inertia, motor_inertia } = self;
        [
            ("mass", std::slice::from_mut(mass)),
            ("center_of_mass", center_of_mass),
            ("inertia", inertia),
            ("motor_inertia", std::slice::from_mut(motor_inertia)),
        ]
    }

    /// Half widths of a link's mass, of its inertias xx, yy and zz, and of its rotor.
    pub(super) fn half_widths(&self, link: &LinkParameters<f64>) -> [f64; 5] {
        let [xx, yy, zz, ..] = link.body.inertia.entries();
        let [of_xx, of_yy, of_zz, ..] = self.inertia;
        let (mass, rotor) = (self.mass.of(link.body.mass), self.motor_inertia.of(link.motor_inertia));
        [mass, of_xx.of(xx), of_yy.of(yy), of_zz.of(zz), rotor]
    }

    /// That of a component of a key; none where the key has no tolerance.
    pub(in crate::robot::families) fn of(mut self, key: &str, component: usize) -> Option<Tolerance> {
        self.by_key().into_iter().find(|(known, _)| *known == key).and_then(|(_, all)| all.get(component).copied())
    }
}

/// Sets the tolerances at a path: one value stands for all components. Of a tensor one value or three are those of the
/// diagonal.
pub(super) fn read(
    file: &Document<'_>,
    path: &str,
    dimension: Dimension,
    all: &mut [Tolerance],
) -> Result<(), FileError> {
    let mut read = Vec::new();
    for (span, word) in file.words(path) {
        read.push(parse(&word, dimension).map_err(|problem| {
            let hint = format!("write it as in \"0.01 {} + 1 %\", \"3 %\" or a number", dimension.si());
            file.error(span, format!("`{path}`: {problem}"), hint)
        })?);
    }
    let count = if all.len() == 6 && read.len() != 6 { 3 } else { all.len() };
    match read[..] {
        [] => {}
        [one] => all[..count].fill(one),
        _ if read.len() == count => all[..count].copy_from_slice(&read),
        _ => {
            let problem = format!("`{path}` has {} entries, but {count} are needed", read.len());
            return Err(file.error(file.span(path, None), problem, "or one value for all"));
        }
    }
    Ok(())
}

/// One value, or a list of components.
pub(super) fn written(all: &[Tolerance]) -> String {
    match all {
        [only] => sum(*only),
        several => list(&several.iter().map(|&tolerance| sum(tolerance)).collect::<Vec<_>>()),
    }
}

/// Two plain numbers, as a sum of an absolute part in SI and a percentage.
fn sum(tolerance: Tolerance) -> String {
    // The percentage that reads back as the same fraction.
    let percent = (0..=17)
        .map(|digits| format!("{:.digits$}", tolerance.relative * 100.0))
        .find(|text| text.parse::<f64>().is_ok_and(|percent| percent / 100.0 == tolerance.relative))
        .unwrap_or_else(|| number(tolerance.relative * 100.0));
    match (tolerance.absolute == 0.0, tolerance.relative == 0.0) {
        (_, true) => number(tolerance.absolute),
        (true, false) => format!("\"{percent} %\""),
        (false, false) => format!("\"{:?} + {percent} %\"", tolerance.absolute),
    }
}

/// A sum of parts, each a percentage, a quantity with its unit, or a number in SI.
fn parse(text: &str, dimension: Dimension) -> Result<Tolerance, String> {
    let mut tolerance = Tolerance::default();
    for part in text.split(" + ") {
        let part = part.trim();
        let (value, target) = if let Some(percent) = part.strip_suffix('%') {
            (percent.trim().parse::<f64>().ok().map(|value| value / 100.0), &mut tolerance.relative)
        } else if let Ok(value) = part.parse::<f64>() {
            (Some(value), &mut tolerance.absolute)
        } else {
            (Some(units::parse(part, dimension).map_err(|error| error.problem)?), &mut tolerance.absolute)
        };
        match value {
            Some(value) if value >= 0.0 && value.is_finite() => *target += value,
            _ => return Err(format!("\"{part}\" is no tolerance")),
        }
    }
    Ok(tolerance)
}
