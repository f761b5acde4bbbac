//! `convert`: states into another convention, or out of it.

use super::rows::{Computation, each_row};
use crate::arguments::ConvertPlan;
use crate::failure::Failure;
use dalembert::Vec3;
use dalembert::convert::{ConventionState, Converter};
use dalembert::report::table::{Header, Row};
use dalembert::robot::rows::{Output, RowError, Source};

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

pub fn run(plan: ConvertPlan) -> Result<(), Failure> {
    let ConvertPlan { robot, table, convention, to, height } = plan;
    let converter = Converter::new(convention, &robot.delta)
        .map_err(|error| Failure::new(format!("{}: {error}", robot.name)))?
        .with_height(height);
    let counts = each_row(&table, |header| Conversion::bind(converter, to, header))?;
    counts.tell(false);
    Ok(())
}

/// The groups of a table, with the fields of their columns.
struct Conversion {
    converter: Converter,
    to: bool,
    groups: Vec<(Group, [usize; 3])>,
    columns: Vec<String>,
    sources: Vec<Source>,
}

impl Conversion {
    fn bind(converter: Converter, to: bool, header: &Header) -> Result<Self, Failure> {
        let mut groups = Vec::new();
        for group in GROUPS {
            match group.0.map(|name| header.position(name)) {
                [Some(a), Some(b), Some(c)] => groups.push((group, [a, b, c])),
                [None, None, None] => {
                    let alike = |name: &&String| group.0.iter().any(|meant| name.trim().eq_ignore_ascii_case(meant));
                    if let Some(found) = header.names().iter().find(alike) {
                        let (found, meant) = (found.trim(), found.trim().to_ascii_lowercase());
                        let problem = format!("there is a column `{found}` but none `{meant}`");
                        return Err(Failure::new(problem).hint("capital and small letters differ"));
                    }
                }
                _ => return Err(Failure::new(format!("only some of the columns {} are there", group.0.join(",")))),
            }
        }
        if groups.is_empty() {
            let names = GROUPS.map(|(names, _)| names.join(",")).join(" ");
            return Err(Failure::new("no column of a state is there").hint(format!("convert reads any of {names}")));
        }
        let columns = header.names().to_vec();
        let mut sources: Vec<Source> = (0..columns.len()).map(Source::Field).collect();
        for (k, field) in groups.iter().flat_map(|(_, fields)| *fields).enumerate() {
            sources[field] = Source::Computed(k);
        }
        Ok(Self { converter, to, groups, columns, sources })
    }
}

impl Conversion {
    fn converted(&self, row: &Row) -> Result<Output, RowError> {
        let mut state = ConventionState::default();
        for ((names, part), fields) in &self.groups {
            for k in 0..3 {
                part(&mut state)[k] = row.number(fields[k], names[k])?;
            }
        }
        let mut state =
            if self.to { self.converter.to_convention(&state) } else { self.converter.to_canonical(&state) };
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
