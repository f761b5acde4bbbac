//! Where the states of `sensitivity` and `compare` come from: a table as `torque` reads it, or a motion as `trajectory`
//! makes it.

use super::motion::{LawName, MotionArguments, positive};
use super::motion_arm::ArmPlan;
use super::rows::Rows;
use crate::arguments::BranchChoice;
use crate::failure::Failure;
use clap::Args;
use dalembert::analyze::sensitivity::ArmState;
use dalembert::delta::Branch;
use dalembert::describe::Dimension;
use dalembert::motion::{Motion, PlatformState};
use dalembert::record::serial_states::{SerialEvaluation, SerialModelName};
use dalembert::record::states::{Cell, Evaluation, RowError};
use dalembert::record::{Header, Reader, TableError, Task};
use dalembert::{Robot, SerialRobot, Vec3};
use std::fs::File;
use std::io::{self, Read};

#[derive(Args)]
pub struct SourceArguments {
    /// Over the states of a CSV file as `torque` reads them, - for standard input
    #[arg(short, long, value_name = "FILE", conflicts_with = "motion")]
    pub input: Option<String>,
    /// Over a motion as `trajectory` knows it: a name, line:P/P, polyline:P/P/P, arc:P/P/P
    #[arg(long, value_name = "PATH", allow_hyphen_values = true)]
    pub motion: Option<String>,
    /// Law of time of the motion  [default: sine-on-ramp]
    #[arg(long, value_name = "LAW", requires = "motion")]
    pub law: Option<LawName>,
    /// Time from state to state of the motion  [default: 1 ms]
    #[arg(long, value_name = "TIME", requires = "motion", allow_hyphen_values = true)]
    pub every: Option<String>,
}

/// States of a platform.
pub struct DeltaMotion {
    /// In words.
    pub what: String,
    pub rows: Vec<DeltaRow>,
}

pub struct DeltaRow {
    /// Not every table has it.
    pub t: Option<f64>,
    pub state: PlatformState,
    pub force: Vec3<f64>,
    pub branches: [Branch; 3],
    /// Where it comes from, for messages.
    pub line: Option<u64>,
}

/// States of the joints of an arm.
pub struct ArmMotion {
    /// In words.
    pub what: String,
    pub rows: Vec<(Option<f64>, ArmState)>,
}

/// More states than a comparison needs.
const MOST: usize = 1_000_000;

/// The times of a motion.
pub fn times(duration: f64, every: f64) -> Result<Vec<f64>, Failure> {
    let steps = (duration / every - 1e-9).ceil().max(1.0);
    if steps >= MOST as f64 {
        return Err(Failure::new(format!("{steps:.0} states are too many")).hint("give a larger --every"));
    }
    Ok((0..=steps as usize).map(|k| (k as f64 * every).min(duration)).collect())
}

impl SourceArguments {
    /// Whether states come from here at all.
    pub fn any(&self) -> bool {
        self.input.is_some() || self.motion.is_some()
    }

    fn every(&self) -> Result<f64, Failure> {
        self.every.as_deref().map_or(Ok(1e-3), |text| positive("every", text, Dimension::Time))
    }

    fn motion(&self, path: &str, robot: &str, duration: Option<&str>) -> MotionArguments {
        let mut arguments = MotionArguments::of(robot, path);
        (arguments.law, arguments.duration) = (self.law, duration.map(str::to_owned));
        arguments
    }

    /// The states for a Delta, which takes the payload that the name of a motion says; none if nothing is said.
    pub fn delta(
        &self,
        robot: &mut Robot,
        duration: Option<&str>,
        payload: Option<&str>,
        branch: BranchChoice,
    ) -> Result<Option<DeltaMotion>, Failure> {
        if let Some(path) = &self.motion {
            let mut arguments = self.motion(path, &robot.name, duration);
            (arguments.payload, arguments.branch) = (payload.map(str::to_owned), branch);
            let plan = arguments.plan_for(robot.clone(), LawName::SineOnRamp)?;
            let motion = plan.timed()?.motion;
            let row = |t| DeltaRow {
                t: Some(t),
                state: motion.at(t),
                force: Vec3::zero(),
                branches: [branch.into(); 3],
                line: None,
            };
            let rows = times(motion.duration(), self.every()?)?.into_iter().map(row).collect();
            robot.delta = plan.machine.delta;
            return Ok(Some(DeltaMotion { what: plan.what(), rows }));
        }
        let Some(input) = &self.input else { return Ok(None) };
        const STATE: [&str; 12] = ["x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az", "q1", "q2", "q3"];
        let evaluation = Evaluation { branch: branch.into(), ..Evaluation::new(Task::Torque) };
        let delta = robot.delta;
        let read = read_states(input, &STATE.map(String::from), |header| {
            let bound = evaluation.bind(&delta, robot.limits, header);
            bound.map_err(|error| Failure::new(error.to_string()).hint(error.hint()))
        })?;
        let rows = read.into_iter().map(|StateRow { line, t, values, force }| {
            let v = |k: usize| Vec3::new(values[k], values[k + 1], values[k + 2]);
            let state = PlatformState { position: v(0), velocity: v(3), acceleration: v(6) };
            let branches = branches(&delta, state.position, v(9));
            DeltaRow { t, state, force, branches, line: Some(line) }
        });
        Ok(Some(DeltaMotion { what: format!("states of {}", name_of(input)), rows: rows.collect() }))
    }

    /// The states for a serial arm; none if nothing is said.
    pub fn arm(&self, robot: &SerialRobot, duration: Option<&str>) -> Result<Option<ArmMotion>, Failure> {
        if let Some(path) = &self.motion {
            // A length would be no blend of joint angles.
            let mut arguments = self.motion(path, &robot.name, duration);
            arguments.blend = "0.1 rad".to_owned();
            let (what, states) = ArmPlan::new(&arguments, robot.clone())?.states(self.every()?)?;
            return Ok(Some(ArmMotion { what, rows: states.into_iter().map(|(t, state)| (Some(t), state)).collect() }));
        }
        let Some(input) = &self.input else { return Ok(None) };
        let n = robot.arm.joints();
        let columns: Vec<String> =
            ["q", "qd", "qdd"].into_iter().flat_map(|stem| (1..=n).map(move |i| format!("{stem}{i}"))).collect();
        let evaluation = SerialEvaluation {
            task: Task::Torque,
            model: SerialModelName::NewtonEuler,
            limits_column: false,
            enforce_limits: false,
        };
        let read = read_states(input, &columns, |header| {
            let bound = evaluation.bind(robot, header);
            bound.map_err(|error| Failure::new(error.to_string()).hint(error.hint()))
        })?;
        let rows = read.into_iter().map(|StateRow { t, values, force, .. }| {
            let part = |k: usize| values[k * n..(k + 1) * n].to_vec();
            (t, ArmState { q: part(0), qd: part(1), qdd: part(2), force })
        });
        Ok(Some(ArmMotion { what: format!("states of {}", name_of(input)), rows: rows.collect() }))
    }
}

/// Of each arm, the branch that has this joint angle.
fn branches(robot: &dalembert::delta::Delta<f64>, position: Vec3<f64>, q: Vec3<f64>) -> [Branch; 3] {
    let of = |branch| robot.pose_unchecked(position, branch).joints();
    let (out, inward) = (of(Branch::Out), of(Branch::In));
    // Angles are the same a turn apart.
    let far = |a: f64, b: f64| 1.0 - (a - b).cos();
    std::array::from_fn(|i| if far(inward[i], q[i]) < far(out[i], q[i]) { Branch::In } else { Branch::Out })
}

fn name_of(input: &str) -> &str {
    if input == "-" { "standard input" } else { input }
}

struct StateRow {
    line: u64,
    t: Option<f64>,
    values: Vec<f64>,
    force: Vec3<f64>,
}

/// Reads a table as `torque` does, with its rules and its errors, and keeps the states.
fn read_states<R: Rows>(
    input: &str,
    wanted: &[String],
    bind: impl FnOnce(&Header) -> Result<R, Failure>,
) -> Result<Vec<StateRow>, Failure> {
    let name = name_of(input);
    let cannot_read = |error: io::Error| Failure::io(&format!("cannot read {name}"), error);
    let source: Box<dyn Read> =
        if input == "-" { Box::new(io::stdin().lock()) } else { Box::new(File::open(input).map_err(cannot_read)?) };
    let of_table = |error: TableError| {
        let hint = error.hint();
        match error {
            TableError::Read(error) => cannot_read(error),
            error => Failure::new(format!("{name}: {error}")).maybe_hint(hint),
        }
    };
    let of_row = |error: RowError| {
        let hint = error.hint();
        Failure::new(format!("{name}, {error}")).maybe_hint(hint)
    };
    let mut reader = Reader::new(source).map_err(of_table)?;
    let rows = bind(reader.header()).map_err(|failure| failure.at(name))?;
    let time = reader.header().position("t");
    let force: Option<Vec<usize>> = ["fx", "fy", "fz"].iter().map(|name| reader.header().position(name)).collect();
    let place = |column: &String| rows.columns().iter().position(|name| name.trim() == column);
    let places: Vec<usize> = wanted.iter().filter_map(place).collect();
    let mut states = Vec::new();
    while let Some(row) = reader.next_row().map_err(of_table)? {
        let number = |field: usize, column: &str| row.number(field, column).map_err(|error| of_row(error.into()));
        let cells = rows.evaluate(&row).map_err(of_row)?.cells;
        let value = |(&place, column): (&usize, &String)| match &cells[place] {
            Cell::Number(value) => Ok(*value),
            Cell::Text(_) => number(place, column),
        };
        let values = places.iter().zip(wanted).map(value).collect::<Result<Vec<f64>, Failure>>()?;
        let force = match force.as_deref() {
            Some(&[x, y, z]) => Vec3::new(number(x, "fx")?, number(y, "fy")?, number(z, "fz")?),
            _ => Vec3::zero(),
        };
        let t = time.map(|field| number(field, "t")).transpose()?;
        states.push(StateRow { line: row.line, t, values, force });
        if states.len() > MOST {
            return Err(Failure::new(format!("{name} has more than {MOST} rows")).hint("take every tenth, say"));
        }
    }
    if states.is_empty() {
        return Err(of_table(TableError::NoRows));
    }
    Ok(states)
}
