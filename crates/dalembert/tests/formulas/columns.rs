//! Rows of a table that are computed together have the bits of rows that are computed alone, and the same limits and refusals.

use dalembert::Robot;
use dalembert::delta::{Assembly, Branch};
use dalembert::report::table::Reader;
use dalembert::robot::rows::{Evaluation, Task};
use dalembert::robot::{Form, Pick};
use std::error::Error;

/// Numbers in (−1, 1) in no order.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Motions of the platform or of the joints about the middle of the workspace: most of them possible, some out of reach, and rows with mistakes.
fn table(robot: &Robot, form: Form, rows: usize) -> Result<String, Box<dyn Error>> {
    let center = robot.workspace().ok_or("no workspace")?.center.0;
    let home = robot.home()?.joints.q;
    let mut seed = 3;
    let mut text = String::from(match form {
        Form::Tool => "note,x,y,z,vx,vy,vz,ax,ay,az\n",
        Form::Joints => "note,q1,q2,q3,qd1,qd2,qd3,qdd1,qdd2,qdd3\n",
    });
    for k in 0..rows {
        let wide = if k % 10 == 0 { 3.0 } else { 0.3 };
        text += &format!("row {k}");
        for c in 0..9 {
            let value = match (form, c) {
                (Form::Tool, 0..3) => {
                    center[c] * (1.0 + 0.3 * wide * random(&mut seed)) + 0.3 * wide * random(&mut seed)
                }
                (Form::Joints, 0..3) => home[c] + wide * random(&mut seed),
                _ => 3.0 * random(&mut seed),
            };
            text += &format!(",{value:e}");
        }
        text.push('\n');
        match k % 97 {
            5 => text += "bad,,0,-0.8,0,0,0,0,0,0\n",
            6 => text += "large,1e200,0,-0.8,0,0,0,0,0,0\n",
            7 => text += "fast,0,0,-0.8,1e200,0,0,0,0,0\n",
            8 => text += "zero,0,0,0,0,0,0,0,0,0\n",
            _ => {}
        }
    }
    Ok(text)
}

#[test]
fn rows_together_have_the_bits_of_rows_alone() -> Result<(), Box<dyn Error>> {
    let golden = |name: &str| format!("{}/../../golden/robots/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let elbows_in = Pick { elbows: Some(Branch::In), ..Pick::default() };
    let above = Pick { assembly: Some(Assembly::Above), ..Pick::default() };
    for name in [String::from("d3-1200"), golden("generic"), golden("friction"), golden("mini")] {
        let robot = Robot::find(&name)?.with_payload(0.7)?;
        for (form, pick) in [
            (Form::Tool, Pick::default()),
            (Form::Tool, elbows_in.clone()),
            (Form::Joints, Pick::default()),
            (Form::Joints, above.clone()),
        ] {
            let text = table(&robot, form, 500)?;
            for enforce_limits in [false, true] {
                let mut reader = Reader::new(text.as_bytes())?;
                let evaluation = Evaluation { pick: pick.clone(), enforce_limits, ..Evaluation::new(Task::Torque) };
                let evaluator = evaluation.bind(&robot, reader.header())?;
                assert!(evaluator.takes_columns(), "{name}");
                let rows: Vec<_> = std::iter::from_fn(|| reader.next_row().transpose()).collect::<Result<_, _>>()?;
                let mut found = Vec::new();
                // In pieces of any size.
                for some in rows.chunks(77) {
                    evaluator.evaluate_rows(some, &mut |row, output| found.push((row.line, output)));
                }
                assert_eq!(found.len(), rows.len());
                let mut good = 0;
                for (row, (line, found)) in rows.iter().zip(found) {
                    assert_eq!(line, row.line);
                    match (found, evaluator.evaluate(row)) {
                        (Ok(found), Ok(alone)) => {
                            good += 1;
                            let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                            assert_eq!(bits(&found.values), bits(&alone.values), "{name}, line {line}");
                            assert_eq!(
                                (found.violations, found.likely_mistake),
                                (alone.violations, alone.likely_mistake)
                            );
                        }
                        (Err(found), Err(alone)) => assert_eq!(found.to_string(), alone.to_string()),
                        (found, alone) => return Err(format!("{name}, line {line}: {found:?} and {alone:?}").into()),
                    }
                }
                assert!(good > 100 || enforce_limits, "{name}, {form:?}: {good}");
            }
        }
    }
    Ok(())
}

/// Where a row has more than the columns tell, rows are computed alone.
#[test]
fn what_columns_do_not_give_is_computed_alone() -> Result<(), Box<dyn Error>> {
    let robot = Robot::find("d3-1200")?;
    let asks = |header: &str, evaluation: &Evaluation| -> Result<bool, Box<dyn Error>> {
        let reader = Reader::new(header.as_bytes())?;
        Ok(evaluation.bind(&robot, reader.header())?.takes_columns())
    };
    let torque = Evaluation::new(Task::Torque);
    let state = "x,y,z,vx,vy,vz,ax,ay,az";
    assert!(asks(state, &torque)?);
    for more in ["fx,fy,fz", "q1,q2,q3"] {
        assert!(!asks(&format!("{state},{more}"), &torque)?, "{more}");
    }
    assert!(!asks(state, &Evaluation { groups: vec!["details"], ..torque.clone() })?);
    assert!(!asks(state, &Evaluation { model: String::from("codourey"), ..torque })?);
    Ok(())
}
