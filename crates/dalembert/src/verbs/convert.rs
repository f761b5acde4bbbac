//! Tables of states into the convention of another software or paper, or out of it.

use super::prelude::*;
use super::rows::{Computation, each_row};
use super::{RowsOutcome, TableRequest};
use crate::DeltaRobot;
use crate::convert::{Convention, ConventionState, Converter};
use crate::report::table::{Header, Row};
use crate::robot::rows::{Output, RowError, Source};
use std::io::{Read, Write};

/// Which way a table is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvertDirection {
    /// From ours into the convention.
    To,
    /// From the convention into ours.
    From,
}

/// What to convert.
#[derive(Clone, Debug)]
pub struct ConvertRequest {
    /// Whose states they are.
    pub robot: DeltaRobot,
    /// The other convention.
    pub convention: Convention,
    /// Into it or out of it.
    pub direction: ConvertDirection,
    /// Height of our base plane above the origin of the convention, m.
    pub height: f64,
    /// The table.
    pub table: TableRequest,
}

/// Converts every row of a table and writes the result. Columns that are not of a state pass through.
pub fn convert(
    request: &ConvertRequest,
    input: Box<dyn Read + Send>,
    output: &mut (dyn Write + Send),
    observer: &mut dyn Observer,
) -> Result<RowsOutcome, VerbError> {
    let ConvertRequest { robot, convention, height, table, .. } = request;
    let converter = Converter::new(*convention, &robot.delta).map_err(failed("no-such-convention", &robot.name))?;
    let converter = converter.with_height(*height);
    each_row(table, input, output, observer, |header| Conversion::bind(request, converter, header))
}

/// Three columns and what they are of a state.
type Group = ([&'static str; 3], fn(&mut ConventionState) -> &mut Vec3<f64>);

const GROUPS: [Group; 8] = [
    (["x", "y", "z"], |state| &mut state.position),
    (["vx", "vy", "vz"], |state| &mut state.velocity),
    (["ax", "ay", "az"], |state| &mut state.acceleration),
    (["fx", "fy", "fz"], |state| &mut state.force),
    (["q1", "q2", "q3"], |state| &mut state.q),
    (["qd1", "qd2", "qd3"], |state| &mut state.qd),
    (["qdd1", "qdd2", "qdd3"], |state| &mut state.qdd),
    (["tau1", "tau2", "tau3"], |state| &mut state.tau),
];

/// The groups of a table, with the fields of their columns.
struct Conversion {
    converter: Converter,
    direction: ConvertDirection,
    groups: Vec<(Group, [usize; 3])>,
    columns: Vec<String>,
    sources: Vec<Source>,
}

impl Conversion {
    fn bind(request: &ConvertRequest, converter: Converter, header: &Header) -> Result<Self, VerbError> {
        let name = &request.table.name;
        let bad = |problem: String| VerbError::new("bad-table", format!("{name}: {problem}"));
        let mut groups = Vec::new();
        for group in GROUPS {
            match group.0.map(|name| header.position(name)) {
                [Some(a), Some(b), Some(c)] => groups.push((group, [a, b, c])),
                [None, None, None] => {
                    let alike = |name: &&String| group.0.iter().any(|meant| name.trim().eq_ignore_ascii_case(meant));
                    if let Some(found) = header.names().iter().find(alike) {
                        let (found, meant) = (found.trim(), found.trim().to_ascii_lowercase());
                        let problem = format!("there is a column `{found}` but none `{meant}`");
                        return Err(bad(problem).hint("capital and small letters differ"));
                    }
                }
                _ => return Err(bad(format!("only some of the columns {} are there", group.0.join(",")))),
            }
        }
        if groups.is_empty() {
            let names = GROUPS.map(|(names, _)| names.join(",")).join(" ");
            return Err(bad("no column of a state is there".into()).hint(format!("any of {names} can be converted")));
        }
        let columns = header.names().to_vec();
        let mut sources: Vec<Source> = (0..columns.len()).map(Source::Field).collect();
        for (k, field) in groups.iter().flat_map(|(_, fields)| *fields).enumerate() {
            sources[field] = Source::Computed(k);
        }
        Ok(Self { converter, direction: request.direction, groups, columns, sources })
    }

    fn converted(&self, row: &Row) -> Result<Output, RowError> {
        let mut state = ConventionState::default();
        for ((names, part), fields) in &self.groups {
            for k in 0..3 {
                part(&mut state)[k] = row.number(fields[k], names[k])?;
            }
        }
        let mut state = match self.direction {
            ConvertDirection::To => self.converter.to_convention(&state),
            ConvertDirection::From => self.converter.to_canonical(&state),
        };
        let mut values = Vec::with_capacity(3 * self.groups.len());
        for ((names, part), _) in &self.groups {
            for k in 0..3 {
                let value = part(&mut state)[k];
                if !value.is_finite() {
                    return Err(RowError::Overflow { line: row.line, column: names[k].to_owned(), value });
                }
                values.push(value);
            }
        }
        Ok(Output { values, violations: Vec::new(), likely_mistake: None })
    }
}

impl Computation for Conversion {
    fn columns(&self) -> (&[String], &[Source]) {
        (&self.columns, &self.sources)
    }

    fn evaluate(&self, rows: &[Row], each: &mut dyn FnMut(&Row, Result<Output, RowError>)) {
        rows.iter().for_each(|row| each(row, self.converted(row)));
    }
}
