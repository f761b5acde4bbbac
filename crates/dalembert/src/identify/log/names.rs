//! What the names of columns say: the quantity, the joint, the unit.

use super::{LogError, wrong_columns};
use crate::report::table::Columns;
use crate::robot::file::{Dimension, quantity};
use crate::suggest::closest;

/// What a name says of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Position,
    Velocity,
    Acceleration,
    Torque,
    Current,
    Other,
}

pub(super) struct Named {
    pub column: usize,
    /// The name without its number: columns of one quantity have the same.
    stem: String,
    index: usize,
    kind: ColumnKind,
    pub unit: Option<String>,
}

/// The unit in a name: `q1 [deg]`, `tau1 (Nm)`, `q1_deg`.
pub(crate) fn unit_in(name: &str) -> (String, Option<String>) {
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
pub(super) fn odd_unit(name: &str) -> Option<&str> {
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
pub(super) fn find(table: &Columns, kind: ColumnKind, joints: usize) -> Result<Option<Vec<Named>>, String> {
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
pub(super) fn given(table: &Columns, names: &[String], joints: usize, what: &str) -> Result<Vec<usize>, LogError> {
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
        return Err(wrong_columns(
            format!("{} columns are given for {what}, but the robot has {joints} joints", all.len()),
            "name one column for each joint, or one with `{}` in place of the joint's number, from 0 or from 1, as in `q_{}`",
        ));
    }
    let find = |name: &String| {
        table.names.iter().position(|other| other == name).ok_or_else(|| {
            let near = closest(name, table.names.iter().map(String::as_str));
            let hint = near.map_or(format!("it has: {}", table.names.join(", ")), |n| format!("did you mean `{n}`?"));
            wrong_columns(format!("there is no column `{name}` for {what}"), hint)
        })
    };
    all.iter().map(find).collect()
}

/// What a unit is worth in SI.
pub(crate) fn factor(unit: &str, dimension: Dimension) -> Result<f64, LogError> {
    let plain = match unit.trim().to_ascii_lowercase().replace(['·', '*', ' '], "").as_str() {
        "nm" => "N m",
        "mnm" => "mN m",
        "ncm" => "N cm",
        "knm" => "kN m",
        "rev" | "turn" | "turns" if dimension == Dimension::Angle => return Ok(std::f64::consts::TAU),
        "sec" | "seconds" => "s",
        "degree" | "degrees" | "°" => "deg",
        _ => unit.trim(),
    };
    match plain {
        "ns" if dimension == Dimension::Time => return Ok(1e-9),
        "us" | "µs" if dimension == Dimension::Time => return Ok(1e-6),
        _ => {}
    }
    quantity(&format!("1 {plain}"), dimension)
        .map_err(|error| wrong_columns(format!("the unit `{unit}`: {}", error.problem), error.hint))
}
