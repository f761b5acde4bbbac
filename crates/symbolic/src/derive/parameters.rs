//! What torques and accelerations are differentiated by: numbers of the robot file, chosen by their symbols, keys or kinds.

use super::symbols::Symbol;
use super::verify::Trial;
use super::{DeriveError, Of};
use crate::expr::Expr;
use dalembert_core::parameter::{Field, Place, Slot, Tolerance, Unit, Visit};
use dalembert_core::{Dual, Scalar};

/// Numbers that change together: one column of the derivatives.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub symbol: Symbol,
    /// The first of them, in the order of the visit.
    first: usize,
    /// Where they are among the robot's numbers: an angle is its cosine, then its sine.
    places: Vec<usize>,
    is_angle: bool,
    /// Requested by name: it stays even without effect on the torques.
    pub named: bool,
    /// It may matter near standstill only.
    friction: bool,
}

/// What `--by` may say beside symbols and keys, and what is meant.
const KINDS: [&str; 5] = ["all", "bodies", "geometry", "friction", "gravity"];

/// A number of a robot.
struct RobotNumber {
    field: &'static Field,
    place: Place,
    value: f64,
    /// Where it is among the robot's numbers.
    at: usize,
    is_angle: bool,
}

impl RobotNumber {
    /// Whether a derivative by it means something: directions, rotations and what has no part in torques do not count.
    fn counts(&self) -> bool {
        let direction = self.field.unit == Unit::Ratio && !self.field.components.is_empty();
        !self.value.is_nan() && !self.field.symbol.is_empty() && !direction && self.field.tolerance != Tolerance::None
    }

    fn kind(&self) -> &'static str {
        let key = self.field.key;
        match self.field.unit {
            Unit::Damping | Unit::Torque | Unit::Speed => "friction",
            Unit::Acceleration => "gravity",
            Unit::Mass | Unit::Inertia | Unit::MotorInertia | Unit::RotorInertia | Unit::Ratio | Unit::GearRatio => {
                "bodies"
            }
            _ if key.contains("center_of_mass") => "bodies",
            _ => "geometry",
        }
    }
}

/// The parts of a robot and how they are distinguished.
pub(super) struct Parts<'p> {
    /// What one is called: `link`.
    pub word: &'static str,
    pub count: usize,
    pub slides: &'p dyn Fn(usize) -> bool,
    /// Whether what all parts share is one column, as it is one symbol.
    pub shared: bool,
    /// What has no part in the torques of this robot.
    pub idle: &'p dyn Fn(&Field, Place) -> bool,
}

impl Parts<'_> {
    /// All numbers that count, each by itself.
    fn each(&self, numbers: &[RobotNumber]) -> Vec<Column> {
        let own = |(first, number): (usize, &RobotNumber)| {
            let &RobotNumber { field, place, at, is_angle, .. } = number;
            let symbol = match place.part {
                Some(part) => {
                    let mark = (part + 1).to_string();
                    Symbol::of(field, place, &mark, &format!("{} {mark}", self.word), (self.slides)(part))
                }
                None => Symbol::of(field, place, if self.of_payload(field) { "p" } else { "" }, "", false),
            };
            let friction = number.kind() == "friction";
            Column { symbol, first, places: vec![at], is_angle, named: false, friction }
        };
        numbers.iter().enumerate().filter(|(_, number)| self.counts(number)).map(own).collect()
    }

    fn of_payload(&self, field: &Field) -> bool {
        self.word == "link" && field.key.starts_with("payload.")
    }

    fn counts(&self, number: &RobotNumber) -> bool {
        number.counts() && !(self.idle)(number.field, number.place)
    }

    /// The same with one column for what all parts share.
    fn together(&self, numbers: &[RobotNumber]) -> Vec<Column> {
        let mut all: Vec<Column> = Vec::new();
        for column in self.each(numbers) {
            let number = &numbers[column.first];
            let alike = |other: &RobotNumber| {
                other.field.key == number.field.key
                    && other.place.component == number.place.component
                    && other.place.part.is_some()
                    && other.value == number.value
            };
            let same: Vec<usize> = numbers.iter().filter(|other| alike(other)).map(|other| other.at).collect();
            if !self.shared || number.kind() == "friction" || number.place.part.is_none() || same.len() < self.count {
                all.push(column);
            } else if same[0] == number.at {
                let slides = number.place.part.is_some_and(|part| (self.slides)(part));
                let symbol = Symbol::of(number.field, number.place, "", &format!("every {}", self.word), slides);
                all.push(Column { symbol, places: same, ..column });
            }
        }
        all
    }

    /// The requested columns, in the order of the robot's numbers; by default all.
    pub fn columns(
        &self,
        of: Of,
        by: &[String],
        visit_all: impl FnOnce(&mut Visit<'_, f64>),
    ) -> Result<Vec<Column>, DeriveError> {
        let (mut numbers, mut at): (Vec<RobotNumber>, usize) = (Vec::new(), 0);
        visit_all(&mut |field, place, slot| {
            let (value, width) = match slot {
                Slot::Number(value) => (*value, 1),
                Slot::Angle(angle) => (angle.radians(), 2),
                Slot::Rotation(_) => (f64::NAN, 9),
            };
            numbers.push(RobotNumber { field, place, value, at, is_angle: width == 2 });
            at += width;
        });
        let (each, mut columns) = (self.each(&numbers), self.together(&numbers));
        let mut chosen = vec![by.is_empty(); columns.len()];
        for word in by {
            let mut found = false;
            for k in 0..columns.len() {
                let number = &numbers[columns[k].first];
                let component = number.place.component.and_then(|k| number.field.components.get(k)).unwrap_or(&"");
                let part = number.place.part.map(|part| format!("{}{}.{}", self.word, part + 1, number.field.key));
                let name = columns[k].symbol.name == *word;
                if name
                    || word == "all"
                    || number.kind() == word
                    || number.field.key == word
                    || part.as_ref() == Some(word)
                    || number.field.symbol == word
                    || format!("{}{component}", number.field.symbol) == *word
                {
                    (chosen[k], found) = (true, true);
                    columns[k].named |= name;
                }
            }
            // One part's own of what all share.
            if let Some(own) = each.iter().find(|column| !found && column.symbol.name == *word) {
                columns.push(Column { named: true, ..own.clone() });
                chosen.push(true);
                found = true;
            }
            if !found {
                let mut known: Vec<&str> = Vec::new();
                for column in &columns {
                    let key = numbers[column.first].field.key;
                    if !known.contains(&key) {
                        known.push(key);
                    }
                }
                let example = columns.first().map_or("", |column| column.symbol.name.as_str());
                let reason = format!(
                    "it has no parameter `{word}`; there are the kinds {}, the keys {}, and symbols like {example}",
                    KINDS.join(", "),
                    known.join(", ")
                );
                return Err(DeriveError::refused(of, reason));
            }
        }
        let mut chosen = chosen.into_iter();
        columns.retain(|_| chosen.next() == Some(true));
        Ok(columns)
    }
}

impl Column {
    /// Marks its numbers among those of the robot as those that change.
    pub fn seed<S: Scalar>(&self, numbers: &mut [Dual<S, 1>]) {
        for &at in &self.places {
            if self.is_angle {
                let [cos, sin] = [numbers[at].value, numbers[at + 1].value];
                (numbers[at].derivative, numbers[at + 1].derivative) = ([-sin], [cos]);
            } else {
                numbers[at].derivative = [S::one()];
            }
        }
    }
}

/// The columns that have a part in what is differentiated, or were requested by name, and their entries, row by row. `samples` are the
/// entries in some states: what is rounding in all of them is nothing (all legs of a robot lifted alike).
pub(super) fn kept<'g>(
    columns: Vec<Column>,
    results: Vec<Expr<'g>>,
    samples: &[Vec<f64>],
) -> (Vec<Column>, Vec<Expr<'g>>) {
    /// Of the largest entry.
    const NOTHING: f64 = 1e-10;
    let width = columns.len().max(1);
    let largest = |from: usize, step: usize| {
        let of = |sample: &Vec<f64>| sample.iter().skip(from).step_by(step).fold(0.0_f64, |most, x| most.max(x.abs()));
        samples.iter().map(of).fold(0.0, f64::max)
    };
    let least = NOTHING * largest(0, 1);
    let lives = |k: usize| {
        let part = results.iter().skip(k).step_by(width).any(|x| !x.is_zero());
        columns[k].named || (part && (columns[k].friction || largest(k, width) > least))
    };
    let keep: Vec<bool> = (0..columns.len()).map(lives).collect();
    let results = results.iter().enumerate().filter(|(k, _)| keep[k % width]).map(|(_, x)| *x).collect();
    (columns.into_iter().zip(&keep).filter(|(_, keep)| **keep).map(|(column, _)| column).collect(), results)
}

/// What the columns are, for a heading.
pub(super) fn words(columns: &[Column]) -> Vec<String> {
    let mut words = vec!["The joints keep their motion; parameters without effect have no column.".to_owned()];
    for (k, Column { symbol, .. }) in columns.iter().enumerate() {
        words.push(format!("Column {}: {} ({}), per {}", k + 1, symbol.name, symbol.meaning, symbol.unit));
    }
    words
}

/// Divides what is expected by how large its column is over all trials, so that every column is judged by its own size, and returns
/// the sizes, entry by entry; none without columns. What is some roundings of the largest entry is rounding in a small column too.
pub(super) fn sized(trials: &mut [Trial], width: usize) -> Vec<f64> {
    if width == 0 {
        return Vec::new();
    }
    let mut sizes = vec![0.0_f64; width];
    for trial in trials.iter() {
        trial.expected.iter().enumerate().for_each(|(k, x)| sizes[k % width] = sizes[k % width].max(x.abs()));
    }
    let overall = sizes.iter().fold(f64::MIN_POSITIVE, |most, size| most.max(*size));
    let of = |k: usize| if sizes[k % width] > 1e-10 * overall { sizes[k % width] } else { overall };
    for trial in trials.iter_mut() {
        trial.expected.iter_mut().enumerate().for_each(|(k, x)| *x /= of(k));
        trial.sizes = (0..trial.expected.len()).map(|k| overall / of(k)).collect();
    }
    let entries = trials.first().map_or(0, |trial| trial.expected.len());
    (0..entries).map(of).collect()
}

/// What a program gives, over these sizes; as it is where there are none.
pub(super) fn over(found: Vec<f64>, sizes: &[f64]) -> Vec<f64> {
    if sizes.is_empty() { found } else { found.iter().zip(sizes).map(|(x, size)| x / size).collect() }
}

/// Whether this is a derivative by parameters.
pub(super) fn by_parameters(of: Of) -> bool {
    matches!(of, Of::TorqueParameterDerivatives | Of::AccelerationParameterDerivatives)
}

/// States that reveal zero columns.
pub(super) const SAMPLES: usize = 3;

/// Refuses to differentiate by nothing.
pub(super) fn require_columns(of: Of, columns: &[Column]) -> Result<(), DeriveError> {
    match columns {
        [] => Err(DeriveError::refused(of, "these parameters have no effect")),
        _ => Ok(()),
    }
}

/// Refuses other things in the same program.
pub(super) fn refuse_others(all: &[Of]) -> Result<(), DeriveError> {
    match all.iter().find(|of| by_parameters(**of)) {
        Some(&of) if all.len() > 1 => {
            let reason = "derivatives with respect to parameters cannot be combined with other quantities";
            Err(DeriveError::refused(of, reason))
        }
        _ => Ok(()),
    }
}

/// Columns as a matrix, row by row.
pub(super) fn by_rows<S: Copy>(columns: &[Vec<S>]) -> Vec<S> {
    let rows = columns.first().map_or(0, Vec::len);
    (0..rows).flat_map(|i| columns.iter().map(move |column| column[i])).collect()
}
