//! Tables of states: streams and columns in memory give the same bits, bad rows are findings, and the work can be stopped.

use dalembert::report::table::{Columns, Reader};
use dalembert::robot::Robot;
use dalembert::robot::rows::{Space, Task};
use dalembert::verbs::{
    Finding, Observer, Outcome, RowsMethod, RowsOutcome, RowsRequest, TableFormat, VerbError, rows, rows_in_memory,
};
use std::error::Error;
use std::io::Cursor;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// What a watcher is told.
#[derive(Default)]
struct Watch {
    codes: Vec<String>,
    stop: bool,
}

impl Observer for Watch {
    fn found(&mut self, finding: &Finding) {
        self.codes.push(finding.code.to_string());
    }
    fn cancelled(&self) -> bool {
        self.stop
    }
}

fn over(request: &RowsRequest, text: &str, watch: &mut Watch) -> std::result::Result<(String, RowsOutcome), VerbError> {
    let mut output = Vec::new();
    let outcome = rows(request, Box::new(Cursor::new(text.to_owned())), &mut output, watch)?;
    Ok((String::from_utf8_lossy(&output).into_owned(), outcome))
}

/// States within the ranges of every joint.
fn states(robot: &Robot, count: usize) -> Columns {
    let joints = robot.joints().len();
    let stems = ["q", "qd", "qdd"].into_iter();
    let names = stems.flat_map(|stem| (1..=joints).map(move |i| format!("{stem}{i}"))).collect();
    let of = |column: usize| (0..count).map(|k| 0.4 + 0.3 * ((k * (column + 3)) as f64 * 0.37).sin()).collect();
    Columns { names, values: (0..3 * joints).map(of).collect(), notes: Vec::new() }
}

fn as_csv(table: &Columns) -> String {
    let rows = table.values.first().map_or(0, Vec::len);
    let line = |k: usize| table.values.iter().map(|column| format!("{:?}", column[k])).collect::<Vec<_>>().join(",");
    let lines: Vec<String> = std::iter::once(table.names.join(",")).chain((0..rows).map(line)).collect();
    lines.join("\n") + "\n"
}

#[test]
fn streams_and_memory_agree_to_the_bit() -> Result {
    for (name, task, count) in [
        ("d3-1200", Task::Torque, 9000),
        ("puma560", Task::Torque, 9000),
        ("puma560", Task::Mass(Space::Joint), 300),
        ("d3-1200", Task::ForwardKinematics, 300),
        ("hexa", Task::Torque, 100),
    ] {
        let robot = Robot::find(name)?;
        let table = states(&robot, count);
        let mut request = RowsRequest::new(robot, task);
        request.table.skip_bad = true;
        let (text, outcome) = over(&request, &as_csv(&table), &mut Watch::default())?;
        let (columns, in_memory) = rows_in_memory(&request, &table, &mut ())?;
        assert_eq!(outcome.metrics(), in_memory.metrics(), "{name}");
        let mut reader = Reader::new(Cursor::new(text))?;
        assert_eq!(reader.header().names(), columns.names);
        let mut read = 0;
        while let Some(row) = reader.next_row()? {
            for (field, (name, column)) in columns.names.iter().zip(&columns.values).enumerate() {
                assert_eq!(row.number(field, name)?.to_bits(), column[read].to_bits(), "{name}, row {read}");
            }
            read += 1;
        }
        assert_eq!((read as u64, outcome.rows), (in_memory.rows, in_memory.rows));
    }
    Ok(())
}

#[test]
fn bad_rows_stop_the_work_or_are_findings() -> Result {
    let mut request = RowsRequest::new(Robot::find("d3-1200")?, Task::InverseKinematics);
    let table = "x,y,z\n0,0,-0.85\n0,0,9\n0.1,x,-0.85\n";
    let error = over(&request, table, &mut Watch::default()).err().ok_or("accepted")?;
    assert_eq!((error.code.as_ref(), error.message.starts_with("table, line 3: ")), ("state-refused", true), "{error}");
    request.table.skip_bad = true;
    let mut watch = Watch::default();
    let (text, outcome) = over(&request, table, &mut watch)?;
    assert_eq!((text.lines().count(), outcome.rows, outcome.skipped), (2, 1, 2));
    assert_eq!(watch.codes, ["rows-method", "row-skipped", "row-skipped"]);
    assert_eq!(outcome.findings()[0].code, "rows-skipped");
    let stopped = over(&request, table, &mut Watch { stop: true, ..Watch::default() }).err().ok_or("went on")?;
    assert_eq!(stopped.code, "cancelled");
    Ok(())
}

#[test]
fn what_does_not_fit_is_named_by_its_code() -> Result {
    let state = "q1,q2,q3,qd1,qd2,qd3,qdd1,qdd2,qdd3\n0.3,0.3,0.3,0,0,0,0,0,0\n";
    let refused = |change: &dyn Fn(&mut RowsRequest)| -> Result<String> {
        let mut request = RowsRequest::new(Robot::find("d3-1200")?, Task::Torque);
        change(&mut request);
        let error = over(&request, state, &mut Watch::default()).err().ok_or("accepted")?;
        assert!(!error.message.contains("--"), "{error}");
        Ok(error.code.into_owned())
    };
    assert_eq!(refused(&|request| request.table.columns = vec!["tau9".into()])?, "bad-columns");
    assert_eq!(refused(&|request| request.by = RowsMethod::Programs)?, "no-programs");
    assert_eq!(refused(&|request| request.evaluation.model = "explicit".into())?, "model-does-not-apply");
    assert_eq!(refused(&|request| request.evaluation.task = Task::Acceleration)?, "missing-columns");
    let in_parquet = |request: &mut RowsRequest| {
        (request.table.format, request.evaluation.limits_column) = (TableFormat::Parquet, true);
    };
    assert_eq!(refused(&in_parquet)?, "text-in-parquet");
    Ok(())
}
