//! States and parameters into the convention of another software or paper, or out of it.

use super::prelude::*;
use super::rows::{Computation, each_row};
use super::{RowsOutcome, TableRequest};
use crate::DeltaRobot;
use crate::convert::{Convention, ConventionParameters, ConventionState, Converter};
use crate::report::table::{Header, Row};
use crate::report::text::number;
use crate::robot::file::Warning;
use crate::robot::rows::{Output, RowError, Source};
use crate::suggest::closest;
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
    /// From the platform, which the conventions mean, to the tool point, which the tables have.
    tool: Vec3<f64>,
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
        let tool = request.robot.delta.parameters().tool;
        Ok(Self { converter, tool, direction: request.direction, groups, columns, sources })
    }

    fn converted(&self, row: &Row) -> Result<Output, RowError> {
        let mut state = ConventionState::default();
        for ((names, part), fields) in &self.groups {
            for k in 0..3 {
                part(&mut state)[k] = row.number(fields[k], names[k])?;
            }
        }
        let mut state = match self.direction {
            ConvertDirection::To => {
                state.position = state.position - self.tool;
                self.converter.to_convention(&state)
            }
            ConvertDirection::From => {
                let canonical = self.converter.to_canonical(&state);
                ConventionState { position: canonical.position + self.tool, ..canonical }
            }
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

/// Which parameters to convert.
#[derive(Clone, Debug)]
pub struct ConvertParametersRequest {
    /// Whose they are; out of a convention, the robot that has what the convention does not say.
    pub robot: DeltaRobot,
    /// The other convention.
    pub convention: Convention,
    /// Out of the convention: the name and the text of a table of all its numbers. None: into it.
    pub table: Option<(String, String)>,
}

/// Parameters in a convention, or the robot that has them.
#[derive(Clone, Debug, Serialize)]
pub struct ConvertParametersOutcome {
    /// The numbers of the convention by its names and in its units, one for each arm.
    pub parameters: Vec<(&'static str, [f64; 3])>,
    /// Their table, or the file of the robot.
    pub text: String,
    /// What is odd about the robot.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

impl Outcome for ConvertParametersOutcome {
    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// Converts a robot's parameters: into a table of a convention, or from such a table to a robot's file.
pub fn convert_parameters(
    request: &ConvertParametersRequest,
    _: &mut dyn Observer,
) -> Result<ConvertParametersOutcome, VerbError> {
    let ConvertParametersRequest { robot, convention, table } = request;
    let Some((name, text)) = table else {
        let parameters = ConventionParameters::of(*convention, robot.delta.parameters());
        let parameters = parameters.map_err(failed("cannot-convert", &robot.name))?;
        let text = parameters_table(*convention, &parameters);
        let findings = Vec::new();
        return Ok(ConvertParametersOutcome { parameters: listed(*convention, &parameters), text, findings });
    };
    let parameters = read_parameters(*convention, name, text)?;
    let source = format!("{name}, in the convention of {}; everything else of {}", convention.name(), robot.name);
    let lengths = format!("lengths of `{}` are in {}", convention.name(), convention.length_unit());
    let changed = robot.changed(|p| *p = parameters.onto(*p)).map_err(failed("impossible-robot", name));
    let changed = changed.map_err(|error| error.hint(lengths.as_str()))?;
    let text = DeltaRobot { source: Some(source), ..changed }.to_toml();
    let odd = Robot::parse(&text).map_or(Vec::new(), |robot| robot.warnings);
    let odd = odd.into_iter().filter(|warning| !robot.warnings.iter().any(|own| own.problem == warning.problem));
    let finding =
        |Warning { problem, .. }| Finding::new("robot-file", Severity::Warning, format!("{problem} ({lengths})"));
    let findings = odd.map(finding).collect();
    Ok(ConvertParametersOutcome { parameters: listed(*convention, &parameters), text, findings })
}

fn listed(convention: Convention, parameters: &ConventionParameters) -> Vec<(&'static str, [f64; 3])> {
    let named = |(name, _)| Some((name, parameters.get(name)?));
    ConventionParameters::names(convention).filter_map(named).collect()
}

/// Of a number that all arms share one column is filled.
fn parameters_table(convention: Convention, parameters: &ConventionParameters) -> String {
    let row = |(name, per_arm): (&str, bool)| {
        let values = parameters.get(name).unwrap_or([f64::NAN; 3]).map(number);
        format!("{name},{}\n", if per_arm { values.join(",") } else { format!("{},,", values[0]) })
    };
    let rows: String = ConventionParameters::names(convention).map(row).collect();
    format!("parameter,arm1,arm2,arm3\n{rows}")
}

fn read_parameters(convention: Convention, name: &str, text: &str) -> Result<ConventionParameters, VerbError> {
    let wrong = |line: usize, problem: String| {
        VerbError::new("bad-table", format!("{name}, line {line}: {problem}"))
            .hint("a line is a parameter and its number, or three where each arm has its own: `angle,30,150,270`")
    };
    let known: Vec<(&str, bool)> = ConventionParameters::names(convention).collect();
    let mut given: Vec<(&str, [f64; 3])> = Vec::new();
    for (i, row) in text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
        let mut cells: Vec<&str> = row.split(',').map(str::trim).collect();
        while cells.len() > 1 && cells.last().is_some_and(|cell| cell.is_empty()) {
            cells.pop();
        }
        let (parameter, values) = (cells[0], &cells[1..]);
        if parameter == "parameter" {
            continue;
        }
        let Some(&(parameter, per_arm)) = known.iter().find(|(known, _)| *known == parameter) else {
            let names = known.iter().map(|(name, _)| *name);
            let hint = match closest(parameter, names.clone()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("`{}` has {}", convention.name(), names.collect::<Vec<_>>().join(", ")),
            };
            return Err(wrong(i + 1, format!("unknown parameter `{parameter}`")).hint(hint));
        };
        if given.iter().any(|(other, _)| *other == parameter) {
            return Err(wrong(i + 1, format!("`{parameter}` is given twice")));
        }
        let numbers: Result<Vec<f64>, _> = values.iter().map(|value| value.parse::<f64>()).collect();
        let numbers = numbers.ok().filter(|all| all.iter().all(|value| value.is_finite()));
        let numbers = numbers.ok_or_else(|| wrong(i + 1, format!("`{parameter}` must be a finite number")))?;
        match numbers[..] {
            [one] => given.push((parameter, [one; 3])),
            [a, b, c] if per_arm || (a == b && b == c) => given.push((parameter, [a, b, c])),
            [_, _, _] => {
                return Err(wrong(i + 1, format!("`{parameter}` is one number for all arms, but three differ")));
            }
            _ => return Err(wrong(i + 1, format!("`{parameter}` has {} numbers", numbers.len()))),
        }
    }
    ConventionParameters::new(convention, &given).ok_or_else(|| {
        let missing = known.iter().map(|(name, _)| *name).filter(|name| !given.iter().any(|(other, _)| other == name));
        let missing: Vec<String> = missing.map(|name| format!("`{name}`")).collect();
        VerbError::new("bad-table", format!("{name}: there is no {}", missing.join(", ")))
    })
}
