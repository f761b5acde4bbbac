//! Robots under control and free swings, with their figures, without a file being written.

use dalembert::cell::{Cell, CellSettings};
use dalembert::motion::Time;
use dalembert::robot::Robot;
use dalembert::verbs::motion::MotionRequest;
use dalembert::verbs::simulate::{SimulateOutcome, SimulateRequest, simulate};
use dalembert::verbs::{Observer, Outcome};
use std::error::Error;

/// Stops at a share of the work.
struct Until(f64, f64);

impl Observer for Until {
    fn progress(&mut self, share: f64, _: &str) {
        self.1 = share;
    }

    fn cancelled(&self) -> bool {
        self.1 >= self.0
    }
}

fn half_a_second() -> Result<MotionRequest, Box<dyn Error>> {
    let mut request = MotionRequest::new(Robot::find("d3-1200")?);
    request.order.time = Some(Time::Cycle(0.5));
    Ok(request)
}

#[test]
fn laws_are_compared() -> Result<(), Box<dyn Error>> {
    let mut request = SimulateRequest::from(half_a_second()?);
    let SimulateRequest::Control(file) = &mut request else { return Err("a robot under control".into()) };
    file.laws = vec![String::from("pd"), String::from("computed-torque")];
    let outcome = simulate(&request, &mut ())?;
    let metric = |name: &str| outcome.metrics().into_iter().find(|metric| metric.name == name).map(|it| it.value);
    assert!(metric("pd.error.max") > metric("computed-torque.error.max"));
    assert!(metric("pd.torque.3.rms").is_some());
    assert!(outcome.failure().is_none() && !outcome.is_interrupted());
    let columns = outcome.recording().ok_or("a recording")?.columns().iter().map(|column| column.name.as_str());
    assert!(columns.take(3).eq(["t", "error.pd", "error.computed-torque"]));
    let json = serde_json::to_value(&outcome)?;
    assert_eq!((&json["runs"][0]["law"], &json["runs"][0]["ended"]), (&"pd".into(), &serde_json::Value::Null));
    assert_eq!(json["runs"][1]["torque_peak"].as_array().map(Vec::len), Some(3));
    assert!(json["runs"][1]["samples_cut"].is_number() && json["runs"][1]["rest"].is_string());
    assert_eq!(outcome.tables().1.len(), 2);
    Ok(())
}

#[test]
fn a_stopped_run_keeps_its_data() -> Result<(), Box<dyn Error>> {
    let outcome = simulate(&half_a_second()?.into(), &mut Until(0.5, 0.0))?;
    assert!(outcome.is_interrupted());
    let [reached, total] = outcome.times();
    assert!((reached / total - 0.5).abs() < 0.01 && total > 0.5, "{reached} of {total}");
    assert!(outcome.recording().is_some_and(|recording| recording.rows() > 100));
    assert_eq!(outcome.findings()[0].code, "ended-early");
    Ok(())
}

#[test]
fn a_free_swing_keeps_its_energy() -> Result<(), Box<dyn Error>> {
    let robot = Robot::find("d3-1200")?;
    let cell = Box::new(Cell::of_robot(&robot, None, None)?);
    let settings = CellSettings { duration: 0.1, ..CellSettings::default() };
    let outcome = simulate(&SimulateRequest::Cell { cell: cell.clone(), settings }, &mut ())?;
    let SimulateOutcome::Cell(swing) = &outcome else { return Err("a cell".into()) };
    assert!(swing.energy_drift < 1e-9 && swing.rows == 101);
    let json = serde_json::to_value(&outcome)?;
    assert_eq!((&json["formulation"], &json["ended"]), (&"explicit".into(), &serde_json::Value::Null));
    assert_eq!(json["columns"][1]["name"], "q1");
    let refused = CellSettings { every: 1e-9, ..settings };
    let refused = simulate(&SimulateRequest::Cell { cell, settings: refused }, &mut ()).err();
    assert_eq!(refused.map(|error| error.code), Some("too-many-rows".into()));
    Ok(())
}

/// Arrived is who stays near the target: a law without integral stops beside it, an unstable loop stops nowhere. The power of all
/// motors together hides that one draws more while another brakes.
#[test]
fn arrival_is_at_the_target_and_power_is_that_of_each_motor() -> Result<(), Box<dyn Error>> {
    let mut request = SimulateRequest::from(half_a_second()?);
    let SimulateRequest::Control(file) = &mut request else { return Err("a robot under control".into()) };
    file.laws = vec![String::from("pd"), String::from("computed-torque")];
    let SimulateOutcome::Control(outcome) = simulate(&request, &mut ())? else { return Err("a cell".into()) };
    let [pd, computed] = [0, 1].map(|i| &outcome.runs[i].summary);
    assert!(pd.error_end > 1e-3 && pd.settling.is_none() && pd.overshoot.is_some(), "{} m", pd.error_end);
    assert!(computed.error_end < 1e-4 && computed.settling.is_some_and(|after| after < 0.1));
    let lines = outcome.runs[0].lines(&outcome.experiment);
    let line = |name: &str| lines.iter().find(|line| line.0 == name).map_or("", |line| line.1.as_str());
    assert!(line("arrival").contains("not within 0.1 mm of the target"), "{}", line("arrival"));
    for run in &outcome.runs {
        let columns = (1..=3).map(|i| run.recording.column(&format!("power{i}")).ok_or("no power"));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        for (peak, column) in run.summary.motor_power_peak.iter().zip(&columns) {
            assert_eq!(*peak, column.iter().copied().fold(0.0, f64::max));
        }
        let together: f64 = run.summary.motor_power_peak.iter().sum();
        assert!(together >= run.summary.power_peak);
    }
    let SimulateRequest::Control(file) = &mut request else { return Err("a robot under control".into()) };
    file.laws = vec![String::from("computed-torque")];
    file.experiment.bandwidth *= 25.0;
    let SimulateOutcome::Control(outcome) = simulate(&request, &mut ())? else { return Err("a cell".into()) };
    assert!(outcome.runs[0].summary.settling.is_none(), "{}", outcome.runs[0].verdict());
    Ok(())
}
