//! `simulate`: a robot or a scene moves; recording, report, summary.

mod arguments;
mod control;
mod outputs;

pub use arguments::{Plan, SimulateArguments, SimulatePlan};

use crate::failure::Failure;
use crate::output::{Screen, Table, human, require_finite};
use crate::progress::Progress;
use crate::signals::stop_flag;
use dalembert::cell::{CellError, CellRun, CellSummary};
use dalembert::mechanism::MechanismError;
use dalembert::simulate::{ContactLaw, SimulationError};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

pub fn run(plan: &Plan, screen: &mut Screen) -> Result<(), Failure> {
    match plan {
        Plan::Cell(plan) => run_cell(plan, screen),
        Plan::Robot(plan) => control::run(plan, screen),
    }
}

fn run_cell(plan: &SimulatePlan, screen: &mut Screen) -> Result<(), Failure> {
    let sinks = plan.outputs.open()?;
    let stop = stop_flag();
    let progress = Progress::of("simulated", plan.settings.duration);
    let outcome = plan.cell.run(&plan.settings, &mut |time| {
        progress.reached(time);
        !stop.load(Ordering::Relaxed)
    });
    progress.end();
    let outcome = outcome.map_err(|error| cannot_begin(&plan.cell.name, &error))?;
    // A run that broke down says so itself.
    if outcome.ended.is_ok() {
        for column in outcome.recording.columns() {
            require_finite(&plan.cell.name, &format!("column `{}`", column.name), column.values.iter().copied())?;
        }
    }
    let written = plan.outputs.out.is_some() || plan.outputs.report.is_some();
    let is_interrupted = matches!(outcome.ended, Err(SimulationError::Interrupted { .. }));
    let page = || outcome.report(&plan.cell, &plan.settings).to_html();
    let names = sinks.write(&outcome.recording, page, is_interrupted)?;
    let text = |screen: &mut Screen| as_text(plan, &outcome, screen);
    plan.outputs.tell(screen, is_interrupted, || as_json(plan, &outcome), text);
    match outcome.ended {
        Ok(()) => Ok(()),
        Err(error) => {
            std::mem::replace(screen, Screen::stdout()).finish()?;
            Err(ended_early(plan, &outcome.summary, &error, written, &names))
        }
    }
}

fn cannot_begin(name: &str, error: &CellError) -> Failure {
    let failure = Failure::new(format!("{name} cannot begin: {error}"));
    match error {
        CellError::NotExplicit => failure.hint("use --formulation projected or baumgarte for a scene"),
        CellError::NotForRattle { .. } => failure.hint(
            "rattle goes with --formulation hamiltonian, without free bodies, contacts, friction and prescribed motions; \
             dormand-prince goes with everything",
        ),
        CellError::TooLong { .. } => failure.hint("give a larger --every, or a shorter --duration"),
        CellError::Simulation(SimulationError::NotPlain { .. }) => {
            failure.hint("--formulation minimal does not go with free bodies: use projected or baumgarte")
        }
        CellError::Simulation(SimulationError::Inside { .. }) => failure.hint("start farther out, so that the two just touch"),
        CellError::Simulation(SimulationError::CannotTouch { .. }) => {
            failure.hint("points touch spheres, boxes and planes; give one of the two a shape")
        }
        CellError::Mechanism(MechanismError::SingularPose { .. }) => {
            failure.hint("start a little beside this pose: where everything moves along one line, the constraints cannot be told apart")
        }
        CellError::Mechanism(MechanismError::CannotClose { .. }) => {
            failure.hint("start nearer to a place where all constraints hold, if there is one")
        }
        _ => failure,
    }
}

fn ended_early(
    plan: &SimulatePlan,
    summary: &CellSummary,
    error: &SimulationError,
    written: bool,
    names: &str,
) -> Failure {
    let so_far = format!(
        "{} {} of {} s",
        if written { "wrote" } else { "simulated" },
        human(summary.reached, 6),
        human(plan.settings.duration, 6),
    );
    if let SimulationError::Interrupted { .. } = error {
        return Failure::Interrupted(format!("interrupted: {so_far}{names}"));
    }
    let failure = Failure::new(format!("{}: the run ended early, {error}", plan.cell.name));
    let hint = match error {
        SimulationError::StateError { .. } => {
            format!("{so_far}; the closed form ends at a singular pose, --formulation projected goes on")
        }
        SimulationError::StepTooSmall { .. } => format!(
            "{so_far}; no step leads on from here: a singular pose, a motion that leaves the reach, or a tolerance below rounding"
        ),
        SimulationError::Diverged { .. } | SimulationError::NoConvergence { .. } => {
            format!("{so_far}; a smaller --step, or --integrator dormand-prince, may help")
        }
        SimulationError::Mechanism { cause: MechanismError::CannotClose { .. }, .. } => {
            format!("{so_far}; a motion that leaves the reach, or too long a --step")
        }
        _ => so_far,
    };
    failure.hint(hint)
}

fn as_text(plan: &SimulatePlan, outcome: &CellRun, screen: &mut Screen) {
    screen.heading(format!("{}: simulated {} s", plan.cell.name, human(outcome.summary.reached, 6)));
    let mut table = Table::new("ll");
    for (name, value) in outcome.lines(&plan.cell, &plan.settings) {
        table.row([name, value]);
    }
    screen.table(&table);
}

fn as_json(plan: &SimulatePlan, outcome: &CellRun) -> Value {
    let s = &outcome.summary;
    json!({
        "name": plan.cell.name,
        "formulation": s.formulation.as_str(),
        "integrator": s.method.describe(),
        "duration": plan.settings.duration,
        "reached": s.reached,
        "ended": outcome.ended.as_ref().err().map(ToString::to_string),
        "rows": s.rows,
        "steps": { "accepted": s.steps, "rejected": s.rejected },
        "energy_drift": s.energy_drift,
        "kinetic_range": s.kinetic_range,
        "relative_energy_drift": s.relative_energy_drift(),
        "energy_exchanges": s.exchanges,
        "constraint_drift": s.constraint_drift,
        "constraint_rate": s.constraint_rate,
        "start_moved_by": s.repaired,
        "seconds_per_simulated_second": s.time_per_second(),
        "contacts": plan.cell.contacts.iter().map(|contact| {
            let ContactLaw { response, stiffness, exponent, restitution, friction, resting_speed, creep_speed } = contact.law;
            json!({
                "name": contact.name,
                "response": response.as_str(),
                "restitution": restitution,
                "friction": friction,
                "stiffness": stiffness,
                "exponent": exponent,
                "resting_speed": resting_speed,
                "creep_speed": creep_speed,
            })
        }).collect::<Vec<_>>(),
        "impacts": outcome.impacts.iter().map(|impact| {
            json!({
                "time": impact.time,
                "contact": plan.cell.contacts[impact.contact].name,
                "speed": impact.speed,
                "impulse": impact.impulse.0,
                "at": impact.at.0,
            })
        }).collect::<Vec<_>>(),
        "columns": outcome.recording.columns().iter().map(|column| {
            json!({ "name": column.name, "unit": column.unit, "meaning": column.meaning })
        }).collect::<Vec<_>>(),
    })
}
