//! How well a number is known: `"0.01 kg + 1 %"`, `"3 mm"`, `"50 %"`, or a number in SI units.

use super::FileError;
use super::document::Document;
use super::serial::dimensions;
use super::units::{self, Dimension};
use crate::serial::Joint;

/// The keys of a link's table `tolerance`.
pub(super) const KEYS: &[&str] = &["mass", "center_of_mass", "inertia", "motor_inertia"];

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

pub(super) fn of_link(file: &Document<'_>, path: &str, joint: Joint) -> Result<LinkTolerances, FileError> {
    let at = |key: &str| format!("{path}.tolerance.{key}");
    let inertia = entries::<3>(file, &at("inertia"), Dimension::Inertia)?;
    // One value or three are those of the diagonal; six are those of the tensor.
    let tensor = match file.words(&at("inertia")).len() {
        6 => entries::<6>(file, &at("inertia"), Dimension::Inertia)?,
        _ => {
            let [xx, yy, zz] = inertia;
            [xx, yy, zz, Tolerance::default(), Tolerance::default(), Tolerance::default()]
        }
    };
    let [mass] = entries(file, &at("mass"), Dimension::Mass)?;
    let [motor_inertia] = entries(file, &at("motor_inertia"), dimensions(joint).0)?;
    let center_of_mass = entries(file, &at("center_of_mass"), Dimension::Length)?;
    Ok(LinkTolerances { mass, center_of_mass, inertia: tensor, motor_inertia })
}

/// One tolerance for all entries, or one for each; none where the key is missing.
fn entries<const N: usize>(file: &Document<'_>, path: &str, dimension: Dimension) -> Result<[Tolerance; N], FileError> {
    let words = file.words(path);
    let mut read = Vec::new();
    for (span, word) in &words {
        read.push(parse(word, dimension).map_err(|problem| {
            let hint = format!("write it as in \"0.01 {} + 1 %\", \"3 %\" or a number", dimension.si());
            file.error(span.clone(), format!("`{path}`: {problem}"), hint)
        })?);
    }
    match read[..] {
        [] => Ok([Tolerance::default(); N]),
        [one] => Ok([one; N]),
        _ => {
            let count = read.len();
            // Six of a tensor's are read by a second call.
            let read: [Tolerance; N] = match (read.try_into(), count) {
                (Ok(read), _) => read,
                (Err(_), 6) if N == 3 => return Ok([Tolerance::default(); N]),
                (Err(_), _) => {
                    let problem = format!("`{path}` has {count} entries, but {N} are needed");
                    return Err(file.error(file.span(path, None), problem, "or one value for all"));
                }
            };
            Ok(read)
        }
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
