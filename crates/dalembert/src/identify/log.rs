//! Logs: from the columns of a table to time, joint positions and joint torques in SI.

use super::table::LogTable;
use crate::report::table::TableError;
use crate::robot::file::{Dimension, quantity};
use crate::robot::{Joint, JointKind, MAX_JOINTS};
use crate::suggest::closest;
use dalembert_identify::signal;

/// How the columns of a log are to be read. What is not said is found by the names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapping {
    /// The column of time.
    pub time: Option<String>,
    /// Its unit: `s`, `ms`, `us`, `ns`.
    pub time_unit: Option<String>,
    /// Samples per second, of a log without times.
    pub rate: Option<f64>,
    /// The columns of positions, in the order of joints; one with `{}` stands for all, numbered from 0 or 1; so does the name of
    /// an array, whose columns are numbered from 1.
    pub position: Vec<String>,
    /// Their unit: `rad`, `deg`, `m`, `mm`.
    pub position_unit: Option<String>,
    /// The columns of torques, or of currents with [`Mapping::torque_constant`].
    pub torque: Vec<String>,
    /// Their unit: `N m`, `N`.
    pub torque_unit: Option<String>,
    /// Torque per unit of the torque column, N m/A: one for each joint, or one for all.
    pub torque_constant: Vec<f64>,
    /// Motor speed over joint speed, one for each joint; or the rows of the matrix R with q_motor = R q. Positions and
    /// torques are then those of the motors: q = R⁻¹ q_motor, τ = Rᵀ τ_motor.
    pub gear: Vec<f64>,
    /// Added to the joint positions, rad (m): one for each joint.
    pub offset: Vec<f64>,
}

/// The keys of a mapping file: the same as the fields of [`Mapping`].
const KEYS: [&str; 11] = [
    "time",
    "time_unit",
    "rate",
    "position",
    "position_unit",
    "torque",
    "torque_unit",
    "torque_constant",
    "gear",
    "offset",
    "torque_file",
];

/// What is wrong with a log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The table itself.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Columns that are not there.
    #[error("{problem}")]
    Columns {
        /// What is missing or unclear.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// A mapping that cannot be.
    #[error("{problem}")]
    Mapping {
        /// What is wrong.
        problem: String,
        /// What to do.
        hint: String,
    },
}

impl LogError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Table(error) => error.hint().map(str::to_owned),
            Self::Columns { hint, .. } | Self::Mapping { hint, .. } => Some(hint.clone()),
        }
    }
}

fn mapping_error(problem: impl Into<String>, hint: impl Into<String>) -> LogError {
    LogError::Mapping { problem: problem.into(), hint: hint.into() }
}

/// A run as it was measured: SI, at the joint side.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// Where it comes from.
    pub name: String,
    /// s.
    pub times: Vec<f64>,
    /// Positions of each joint, rad (m); NaN where there is none.
    pub positions: Vec<Vec<f64>>,
    /// Torques of each joint, N m (N).
    pub torques: Vec<Vec<f64>>,
    /// Velocities and accelerations of each joint, where the log has both.
    pub rates: Option<[Vec<Vec<f64>>; 2]>,
    /// How it was read: which columns, which units.
    pub notes: Vec<String>,
    /// What looks odd.
    pub warnings: Vec<String>,
}

impl Log {
    /// A log from arrays in memory, in SI at the joint side: times, then for each joint its positions and its torques.
    pub fn from_columns(
        name: &str,
        times: Vec<f64>,
        positions: Vec<Vec<f64>>,
        torques: Vec<Vec<f64>>,
    ) -> Result<Self, LogError> {
        let rows = times.len();
        for (what, columns) in [("positions", &positions), ("torques", &torques)] {
            if let Some(column) = columns.iter().find(|column| column.len() != rows) {
                let problem = format!("{what}: a joint has {} rows, but there are {rows} times", column.len());
                return Err(LogError::Columns {
                    problem,
                    hint: "give every column as many rows as there are times".into(),
                });
            }
        }
        if positions.len() != torques.len() {
            let problem = format!("positions of {} joints, but torques of {}", positions.len(), torques.len());
            return Err(LogError::Columns { problem, hint: "give both for every joint".into() });
        }
        let (notes, warnings) = (Vec::new(), Vec::new());
        Ok(Self { name: name.to_owned(), times, positions, torques, rates: None, notes, warnings })
    }
}

/// What a name says of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnKind {
    Position,
    Velocity,
    Acceleration,
    Torque,
    Current,
    Other,
}

struct Named {
    column: usize,
    /// The name without its number: columns of one quantity have the same.
    stem: String,
    index: usize,
    kind: ColumnKind,
    unit: Option<String>,
}

/// The unit in a name: `q1 [deg]`, `tau1 (Nm)`, `q1_deg`.
pub(super) fn unit_in(name: &str) -> (String, Option<String>) {
    const WORDS: [&str; 28] = [
        "deg", "rad", "mm", "m", "nm", "s", "ms", "us", "ns", "a", "ma", "mnm", "sec", "seconds", "degree", "degrees",
        "°", "mrad", "rev", "turn", "turns", "cm", "um", "µm", "n", "kn", "ncm", "knm",
    ];
    let known = |text: &str| {
        let plain = text.to_ascii_lowercase().replace(['·', '*', ' ', '.'], "");
        WORDS.contains(&plain.split('/').next().unwrap_or_default())
    };
    for (open, close) in [('[', ']'), ('(', ')')] {
        if let (Some(from), Some(to)) = (name.rfind(open), name.rfind(close))
            && from < to
            && known(&name[from + 1..to])
        {
            let rest = format!("{}{}", &name[..from], &name[to + close.len_utf8()..]);
            return (rest.trim().to_owned(), Some(name[from + 1..to].trim().to_owned()));
        }
    }
    if let Some((rest, last)) = name.rsplit_once('_')
        && known(last)
        && last.len() > 1
    {
        return (rest.to_owned(), Some(last.to_owned()));
    }
    (name.to_owned(), None)
}

/// What stands in brackets at the end of a name and is neither a known unit nor a number.
fn odd_unit(name: &str) -> Option<&str> {
    let text = name.trim().strip_suffix([']', ')'])?;
    let inside = text[text.rfind(['[', '('])? + 1..].trim();
    let is_unit = unit_in(name).1.is_some() || inside.parse::<usize>().is_ok();
    (!is_unit && !inside.is_empty()).then_some(inside)
}

fn named(column: usize, name: &str) -> Option<Named> {
    let (bare, unit) = unit_in(name);
    // The last number in the name counts joints.
    let end = bare.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = bare[..end]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |k| k + bare[k..].chars().next().map_or(1, char::len_utf8));
    let index = bare[start..end].parse().ok()?;
    let stem = format!("{}#{}", &bare[..start], &bare[end..]).to_ascii_lowercase();
    let words: Vec<&str> = stem.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()).collect();
    let any = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let part = |list: &[&str]| words.iter().any(|word| list.iter().any(|l| word.contains(l)));
    const NOT_MEASURED: [&str; 13] = [
        "target",
        "cmd",
        "command",
        "commanded",
        "ref",
        "reference",
        "desired",
        "des",
        "setpoint",
        "asked",
        "error",
        "err",
        "power",
    ];
    let kind = if any(&NOT_MEASURED) || part(&["temp", "jerk"]) {
        ColumnKind::Other
    } else if any(&["qdd", "ddq", "qddot", "a"]) || part(&["acc"]) {
        ColumnKind::Acceleration
    } else if any(&["qd", "dq", "qdot", "v"]) || part(&["vel", "speed"]) {
        ColumnKind::Velocity
    } else if any(&["tau", "trq", "tq"]) || part(&["torque", "effort", "moment"]) {
        ColumnKind::Torque
    } else if any(&["i", "cur"]) || part(&["curr"]) {
        ColumnKind::Current
    } else if any(&["q", "j", "joint", "theta", "th", "axis", "act", "meas"]) || part(&["pos", "angle"]) {
        ColumnKind::Position
    } else {
        ColumnKind::Other
    };
    Some(Named { column, stem, index, kind, unit })
}

/// The columns of a kind, in the order of joints.
fn find(table: &LogTable, kind: ColumnKind, joints: usize) -> Result<Option<Vec<Named>>, String> {
    let mut groups: Vec<Vec<Named>> = Vec::new();
    for (column, name) in table.names.iter().enumerate() {
        let Some(named) = named(column, name).filter(|named| named.kind == kind) else { continue };
        match groups.iter_mut().find(|group| group[0].stem == named.stem) {
            Some(group) => group.push(named),
            None => groups.push(vec![named]),
        }
    }
    for group in &mut groups {
        group.sort_by_key(|named| named.index);
    }
    // Numbered from 0 or from 1 without a hole.
    let whole = |group: &Vec<Named>| {
        let first = group[0].index;
        group.len() == joints && first <= 1 && group.iter().enumerate().all(|(k, named)| named.index == first + k)
    };
    let mut fitting: Vec<Vec<Named>> = groups.into_iter().filter(whole).collect();
    if fitting.len() > 1 {
        let best = |group: &Vec<Named>| {
            let stem = group[0].stem.as_str();
            stem == "q#" || stem == "tau#" || ["act", "meas", "read"].iter().any(|word| stem.contains(word))
        };
        if fitting.iter().filter(|group| best(group)).count() == 1 {
            fitting.retain(best);
        } else {
            let names: Vec<String> = fitting.iter().map(|group| table.names[group[0].column].clone()).collect();
            return Err(names.join(", "));
        }
    }
    Ok(fitting.pop())
}

/// The columns with given names; one with `{}` stands for all.
fn given(table: &LogTable, names: &[String], joints: usize, what: &str) -> Result<Vec<usize>, LogError> {
    let all: Vec<String> = match names {
        [one] if one.contains("{}") => {
            let has = |k: usize| table.names.contains(&one.replace("{}", &k.to_string()));
            // Counted from 0 or from 1.
            let first = usize::from(!has(0) || has(joints));
            (first..first + joints).map(|k| one.replace("{}", &k.to_string())).collect()
        }
        // An array of all joints, whose columns have its name and their number.
        [one] if joints > 1 && table.names.contains(&format!("{one}{joints}")) => {
            (1..=joints).map(|k| format!("{one}{k}")).collect()
        }
        names => names.to_vec(),
    };
    if all.len() != joints {
        return Err(mapping_error(
            format!("{} columns are given for {what}, but the robot has {joints} joints", all.len()),
            "name one column for each joint, or one with `{}` in place of the joint's number, from 0 or from 1, as in `q_{}`",
        ));
    }
    let find = |name: &String| {
        table.names.iter().position(|other| other == name).ok_or_else(|| {
            let near = closest(name, table.names.iter().map(String::as_str));
            let hint = near.map_or(format!("it has: {}", table.names.join(", ")), |n| format!("did you mean `{n}`?"));
            LogError::Columns { problem: format!("there is no column `{name}` for {what}"), hint }
        })
    };
    all.iter().map(find).collect()
}

/// What a unit is worth in SI.
pub(super) fn factor(unit: &str, dimension: Dimension) -> Result<f64, LogError> {
    let plain = match unit.trim().to_ascii_lowercase().replace(['·', '*', ' '], "").as_str() {
        "nm" => "N m".to_owned(),
        "mnm" => "mN m".to_owned(),
        "ncm" => "N cm".to_owned(),
        "knm" => "kN m".to_owned(),
        "rev" | "turn" | "turns" if dimension == Dimension::Angle => return Ok(std::f64::consts::TAU),
        "sec" | "seconds" => "s".to_owned(),
        "degree" | "degrees" | "°" => "deg".to_owned(),
        _ => unit.trim().to_owned(),
    };
    let small = [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6)];
    if dimension == Dimension::Time
        && let Some((_, factor)) = small.iter().find(|(name, _)| *name == plain)
    {
        return Ok(*factor);
    }
    quantity(&format!("1 {plain}"), dimension)
        .map_err(|error| mapping_error(format!("the unit `{unit}`: {}", error.problem), error.hint))
}

impl Mapping {
    /// The mapping of a small TOML file whose keys are the fields of this struct, and the name of a second file that has
    /// the torques, where it names one.
    pub fn parse(text: &str) -> Result<(Self, Option<String>), LogError> {
        let table: toml::Table =
            text.parse().map_err(|error: toml::de::Error| mapping_error(error.message().to_owned(), "it is TOML"))?;
        let mut all = Self::default();
        let mut torque_file = None;
        for (key, value) in &table {
            let wrong =
                |must: &str| mapping_error(format!("`{key}` must be {must}"), "docs/identification.md has all keys");
            let string = || value.as_str().map(str::to_owned).ok_or_else(|| wrong("a text"));
            let strings = || match value {
                toml::Value::String(one) => Ok(vec![one.clone()]),
                toml::Value::Array(many) => many
                    .iter()
                    .map(|one| one.as_str().map(str::to_owned).ok_or_else(|| wrong("a list of texts")))
                    .collect(),
                _ => Err(wrong("a text or a list of texts")),
            };
            let number = |value: &toml::Value, dimension: Dimension| match value {
                toml::Value::Float(x) if x.is_finite() => Ok(*x),
                toml::Value::Integer(x) => Ok(*x as f64),
                toml::Value::String(text) => quantity(text, dimension)
                    .map_err(|error| mapping_error(format!("`{key}`: {}", error.problem), error.hint)),
                _ => Err(wrong("a number")),
            };
            let numbers = |dimension: Dimension| -> Result<Vec<f64>, LogError> {
                let list = value.as_array().ok_or_else(|| wrong("a list of numbers"))?;
                let rows = list.iter().map(|one| match one {
                    toml::Value::Array(row) => row.iter().map(|one| number(one, dimension)).collect(),
                    one => number(one, dimension).map(|one| vec![one]),
                });
                Ok(rows.collect::<Result<Vec<Vec<f64>>, _>>()?.concat())
            };
            match key.as_str() {
                "time" => all.time = Some(string()?),
                "time_unit" => all.time_unit = Some(string()?),
                "rate" => all.rate = Some(number(value, Dimension::Frequency)?),
                "position" => all.position = strings()?,
                "position_unit" => all.position_unit = Some(string()?),
                "torque" => all.torque = strings()?,
                "torque_unit" => all.torque_unit = Some(string()?),
                "torque_constant" => all.torque_constant = numbers(Dimension::Ratio)?,
                "gear" => all.gear = numbers(Dimension::Ratio)?,
                "offset" => all.offset = numbers(Dimension::Angle)?,
                "torque_file" => torque_file = Some(string()?),
                other => {
                    let near = closest(other, KEYS);
                    let hint =
                        near.map_or(format!("known keys: {}", KEYS.join(", ")), |k| format!("did you mean `{k}`?"));
                    return Err(mapping_error(format!("unknown key `{other}`"), hint));
                }
            }
        }
        Ok((all, torque_file))
    }

    /// How many joints a table has, by the names of its columns.
    pub fn joints(&self, table: &LogTable) -> Option<usize> {
        match self.position.as_slice() {
            [one] if one.contains("{}") => {
                let has = |k: &usize| table.names.contains(&one.replace("{}", &k.to_string()));
                let first = usize::from(!has(&0));
                Some((first..first + MAX_JOINTS).take_while(has).count()).filter(|count| *count > 0)
            }
            [] => (1..=MAX_JOINTS)
                .rev()
                .find(|&n| find(table, ColumnKind::Position, n).is_ok_and(|found| found.is_some())),
            names => Some(names.len()),
        }
    }

    /// The run that a table describes, of a robot with these joints. `torques` is a second table that has the torques.
    pub fn read(
        &self,
        name: &str,
        table: &LogTable,
        torques: Option<&LogTable>,
        joints: &[Joint],
    ) -> Result<Log, LogError> {
        let mut notes = table.notes.clone();
        let mut warnings = Vec::new();
        let n = joints.len();
        let second = torques.unwrap_or(table);
        if second.rows() != table.rows() {
            let problem = format!("{} rows of torques for {} rows of positions", second.rows(), table.rows());
            return Err(LogError::Columns { problem, hint: "both files need the same rows".into() });
        }
        let times = self.times(table, &mut notes, &mut warnings)?;
        let (q, unit) = self.columns(table, ColumnKind::Position, &self.position, n)?;
        let (tau, torque_unit) = self.columns(second, ColumnKind::Torque, &self.torque, n)?;
        let mut look = |table: &LogTable, of: &[usize], known: &Option<String>, option: &str| {
            if let Some(odd) = odd_unit(&table.names[of[0]]).filter(|_| known.is_none()) {
                let name = &table.names[of[0]];
                warnings.push(format!(
                    "{name}: the unit `{odd}` is not known and was taken for SI: say which it is, {option}"
                ));
            }
        };
        look(table, &q, &self.position_unit, "--position-unit");
        look(second, &tau, &self.torque_unit, "--torque-unit");
        let list =
            |table: &LogTable, of: &[usize]| of.iter().map(|&k| table.names[k].clone()).collect::<Vec<_>>().join(", ");
        notes.push(format!("positions from {}", list(table, &q)));
        notes.push(format!("torques from {}", list(second, &tau)));
        let at_motor = !self.gear.is_empty();
        let each = |values: &[f64], what: &str| -> Result<Vec<f64>, LogError> {
            match values {
                [one] => Ok(vec![*one; n]),
                many if many.len() == n => Ok(many.to_vec()),
                many => Err(mapping_error(
                    format!("{} numbers are given for {what}, but the robot has {n} joints", many.len()),
                    "give one for each joint, or one for all",
                )),
            }
        };
        let constants = if self.torque_constant.is_empty() {
            vec![1.0; n]
        } else {
            each(&self.torque_constant, "the torque constant")?
        };
        let offsets = if self.offset.is_empty() { vec![0.0; n] } else { each(&self.offset, "the zero offset")? };
        let unit = self.position_unit.clone().or(unit);
        let torque_unit = self.torque_unit.clone().or(torque_unit);
        let mut positions = Vec::new();
        let mut torques = Vec::new();
        for (i, joint) in joints.iter().enumerate() {
            let slides = joint.kind == JointKind::Prismatic && !at_motor;
            let dimension = if slides { Dimension::Length } else { Dimension::Angle };
            let scale = unit.as_deref().map_or(Ok(1.0), |unit| factor(unit, dimension))?;
            let mut position: Vec<f64> = table.values[q[i]].iter().map(|x| x * scale).collect();
            // Behind a gear a turn of the motor is no turn of the joint: these jumps have to go before.
            let wrapped = if at_motor { signal::unwrap(&times, &mut position) } else { 0 };
            if wrapped > 0 {
                let name = &table.names[q[i]];
                warnings.push(format!("{name} jumps by whole turns {wrapped} times: it was unwrapped"));
            }
            positions.push(position);
            let dimension = if slides { Dimension::Force } else { Dimension::Torque };
            let amperes =
                torque_unit.as_deref().is_some_and(|u| ["a", "ma"].contains(&u.trim().to_ascii_lowercase().as_str()));
            if amperes && self.torque_constant.is_empty() {
                return Err(LogError::Columns {
                    problem: "the torques are currents".into(),
                    hint: "say how much torque an ampere makes: --torque-constant, one for each joint".into(),
                });
            }
            let milli = torque_unit.as_deref().is_some_and(|u| u.trim().eq_ignore_ascii_case("mA"));
            let scale = match torque_unit.as_deref() {
                Some(_) if amperes && milli => 1e-3,
                Some(_) if amperes => 1.0,
                Some(unit) => factor(unit, dimension)?,
                None => 1.0,
            };
            torques.push(second.values[tau[i]].iter().map(|x| x * scale * constants[i]).collect::<Vec<f64>>());
        }
        let mut rates = self.rates(table, joints, unit.as_deref(), at_motor);
        if at_motor {
            if let Some([velocities, accelerations]) = &mut rates {
                [*velocities, _] = self.to_joints(velocities, &torques, n)?;
                [*accelerations, _] = self.to_joints(accelerations, &torques, n)?;
            }
            [positions, torques] = self.to_joints(&positions, &torques, n)?;
        }
        for (position, offset) in positions.iter_mut().zip(&offsets) {
            position.iter_mut().for_each(|q| *q += offset);
        }
        let most = |position: &Vec<f64>| position.iter().filter(|q| !q.is_nan()).fold(0.0_f64, |m, q| m.max(q.abs()));
        let turns = joints.iter().zip(&positions).map(|(joint, position)| (joint, most(position)));
        let far: Vec<(usize, f64)> = turns
            .enumerate()
            .filter(|(_, (joint, most))| joint.kind == JointKind::Revolute && *most > 12.0)
            .map(|(i, (_, most))| (i + 1, most))
            .collect();
        if let Some((joint, most)) = far.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a }) {
            let others = if far.len() > 1 { format!(" (and {} others far too)", far.len() - 1) } else { String::new() };
            warnings.push(format!(
                "joint {joint} goes to {most:.4} rad, almost {:.0} turns{others}: are the positions degrees (--position-unit deg), or \
                 those of a motor (--gear)?",
                (most / std::f64::consts::TAU).ceil()
            ));
        }
        Ok(Log { name: name.to_owned(), times, positions, torques, rates, notes, warnings })
    }

    /// Velocities and accelerations, where the names tell both; in the unit of the positions unless their names have one.
    fn rates(
        &self,
        table: &LogTable,
        joints: &[Joint],
        unit: Option<&str>,
        at_motor: bool,
    ) -> Option<[Vec<Vec<f64>>; 2]> {
        let of = |kind: ColumnKind| -> Option<Vec<Vec<f64>>> {
            let found = find(table, kind, joints.len()).ok()??;
            let one = |(named, joint): (&Named, &Joint)| {
                let slides = joint.kind == JointKind::Prismatic && !at_motor;
                let dimension = if slides { Dimension::Length } else { Dimension::Angle };
                let own = named.unit.as_deref().and_then(|unit| unit.split('/').next()).or(unit);
                let scale = own.map_or(Some(1.0), |unit| factor(unit, dimension).ok())?;
                Some(table.values[named.column].iter().map(|x| x * scale).collect())
            };
            found.iter().zip(joints).map(one).collect()
        };
        Some([of(ColumnKind::Velocity)?, of(ColumnKind::Acceleration)?])
    }

    fn times(
        &self,
        table: &LogTable,
        notes: &mut Vec<String>,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<f64>, LogError> {
        let rows = table.rows();
        if let Some(rate) = self.rate {
            if !(rate > 0.0 && rate.is_finite()) {
                return Err(mapping_error(format!("the rate is {rate} Hz"), "a positive number is needed"));
            }
            notes.push(format!("times from the rate, {rate} Hz"));
            return Ok((0..rows).map(|k| k as f64 / rate).collect());
        }
        const NAMES: [&str; 11] =
            ["t", "time", "timestamp", "stamp", "seconds", "sec", "zeit", "time_s", "t_s", "header_stamp", "__time"];
        let found = match &self.time {
            Some(name) => Some(given(table, std::slice::from_ref(name), 1, "time")?[0]),
            None => table.names.iter().position(|name| NAMES.contains(&unit_in(name).0.to_ascii_lowercase().as_str())),
        };
        let Some(column) = found else {
            return Err(LogError::Columns {
                problem: "no column of times is found".into(),
                hint: format!(
                    "name it (--time), or give the rate (--rate 1000); the table has: {}",
                    table.names.join(", ")
                ),
            });
        };
        let name = &table.names[column];
        let unit = self.time_unit.clone().or(unit_in(name).1);
        let scale = unit.as_deref().map_or(Ok(1.0), |unit| factor(unit, Dimension::Time))?;
        notes.push(format!("times from {name}, in {}", unit.as_deref().unwrap_or("s")));
        let raw = &table.values[column];
        let first = raw.iter().copied().find(|t| !t.is_nan()).unwrap_or(0.0);
        let times: Vec<f64> =
            raw.iter().map(|t| (t - first) * scale + if first.abs() < 1e6 { first * scale } else { 0.0 }).collect();
        let last = times.iter().copied().filter(|t| !t.is_nan()).fold(f64::NEG_INFINITY, f64::max);
        let span = last - times.iter().copied().find(|t| !t.is_nan()).unwrap_or(last);
        let step = span / rows.max(1) as f64;
        if unit.is_none() && step > 0.2 {
            let guess = if step > 1e4 { ("nanoseconds", "ns") } else { ("milliseconds", "ms") };
            warnings.push(format!(
                "{rows} rows over {span:.4} s are {step:.3} s apart: are the times {} (--time-unit {})?",
                guess.0, guess.1
            ));
        }
        Ok(times)
    }

    fn columns(
        &self,
        table: &LogTable,
        kind: ColumnKind,
        names: &[String],
        joints: usize,
    ) -> Result<(Vec<usize>, Option<String>), LogError> {
        let (what, option) =
            if kind == ColumnKind::Position { ("positions", "--position") } else { ("torques", "--torque") };
        if !names.is_empty() {
            let columns = given(table, names, joints, what)?;
            let unit = unit_in(&table.names[columns[0]]).1;
            return Ok((columns, unit));
        }
        let unclear = |names: String| LogError::Columns {
            problem: format!("several columns could be the {what}: {names} …"),
            hint: format!("name them: {option} q1,q2,… or {option} \"q_{{}}\""),
        };
        let mut found = find(table, kind, joints).map_err(unclear)?;
        if found.is_none() && kind == ColumnKind::Torque && !self.torque_constant.is_empty() {
            found = find(table, ColumnKind::Current, joints).map_err(unclear)?;
        }
        let Some(found) = found else {
            let currents = kind == ColumnKind::Torque
                && find(table, ColumnKind::Current, joints).is_ok_and(|found| found.is_some());
            let hint = if currents {
                "it has currents: say how much torque an ampere makes, --torque-constant with one number for each joint"
                    .into()
            } else {
                format!(
                    "name {joints} columns: {option} q1,q2,… or {option} \"q_{{}}\"; the table has: {}",
                    table.names.join(", ")
                )
            };
            return Err(LogError::Columns { problem: format!("no {what} of {joints} joints are found by name"), hint });
        };
        Ok((found.iter().map(|named| named.column).collect(), found[0].unit.clone()))
    }

    /// q = R⁻¹ q_motor and τ = Rᵀ τ_motor.
    fn to_joints(&self, q: &[Vec<f64>], tau: &[Vec<f64>], n: usize) -> Result<[Vec<Vec<f64>>; 2], LogError> {
        use nalgebra::{DMatrix, DVector};
        let r = match self.gear.len() {
            len if len == n => DMatrix::from_diagonal(&DVector::from_column_slice(&self.gear)),
            len if len == n * n => DMatrix::from_row_slice(n, n, &self.gear),
            len => {
                return Err(mapping_error(
                    format!("{len} gear ratios are given, but the robot has {n} joints"),
                    "give one for each joint, or the rows of the matrix R with motor = R joint",
                ));
            }
        };
        let inverse = r.clone().try_inverse().ok_or_else(|| {
            mapping_error("the gear matrix has no inverse", "a ratio is motor speed over joint speed, and is not zero")
        })?;
        let apply = |m: &DMatrix<f64>, of: &[Vec<f64>]| -> Vec<Vec<f64>> {
            let rows = of.first().map_or(0, Vec::len);
            let sum = |i: usize, k: usize| -> f64 {
                (0..n).filter(|&j| m[(i, j)] != 0.0).map(|j| m[(i, j)] * of[j][k]).sum()
            };
            (0..n).map(|i| (0..rows).map(|k| sum(i, k)).collect()).collect()
        };
        Ok([apply(&inverse, q), apply(&r.transpose(), tau)])
    }
}
