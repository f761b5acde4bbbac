//! `simulate`: a robot or a scene moves; recording, report, summary.

mod arguments;
mod control;
mod outputs;

pub use arguments::{Plan, SimulateArguments};

use crate::failure::Failure;
use crate::output::{Screen, human};
use crate::progress::Progress;
use crate::verbs::motion::flagged;
use dalembert::verbs::VerbError;
use dalembert::verbs::simulate::{SimulateOutcome, simulate};

pub fn run(plan: &Plan, screen: &mut Screen) -> Result<(), Failure> {
    let sinks = plan.outputs.open()?;
    let mut progress = Progress::stoppable("simulating");
    let outcome = simulate(&plan.request, &mut progress).map_err(with_flags)?;
    progress.end();
    let is_interrupted = outcome.is_interrupted();
    let (Some(recording), Some(page)) = (outcome.recording(), outcome.page()) else { return Ok(()) };
    let names = sinks.write(recording, || page.to_html(), is_interrupted)?;
    plan.outputs.tell(screen, is_interrupted, &outcome)?;
    let [reached, total] = outcome.times().map(|time| human(time, 6));
    let so_far = format!("{} {reached} of {total} s", if plan.outputs.is_any() { "wrote" } else { "simulated" });
    match outcome.failure() {
        _ if is_interrupted => {
            std::mem::replace(screen, Screen::stdout()).finish()?;
            Err(Failure::Interrupted(format!("interrupted: {so_far}{names}")))
        }
        Some(error) => {
            std::mem::replace(screen, Screen::stdout()).finish()?;
            let hint = ended_hint(&outcome, &error).map_or(so_far.clone(), |hint| format!("{so_far}; {hint}"));
            Err(Failure::from(error).hint(hint))
        }
        None => Ok(()),
    }
}

/// The options that let a run begin.
fn with_flags(error: VerbError) -> Failure {
    let hint = match &*error.code {
        "known-robot" => return Failure::from(error).at("--known, --known-payload"),
        "explicit-formulation" => "use --formulation projected or baumgarte for a scene",
        "rattle" => {
            "rattle goes with --formulation hamiltonian, without free bodies, contacts, friction and prescribed motions; \
             dormand-prince goes with everything"
        }
        "too-many-rows" => "give a larger --every, or a shorter --duration",
        "minimal-formulation" => "--formulation minimal does not go with free bodies: use projected or baumgarte",
        "out-of-reach" => OTHER_PLACE,
        "singular-reference" => OTHER_PATH,
        "model-does-not-apply" => "another --model, or none for the exact one",
        _ => return flagged(error),
    };
    Failure::from(error).hint(hint)
}

const OTHER_PLACE: &str = "give another --center, or a smaller --width; `check` shows the reach";
const OTHER_PATH: &str = "give another --path or --center: no motor helps there; `map` shows where a robot is singular";

/// The options that let a run come to its end.
fn ended_hint(outcome: &SimulateOutcome, error: &VerbError) -> Option<&'static str> {
    Some(match (&*error.code, outcome) {
        ("out-of-reach", _) => OTHER_PLACE,
        ("singular-reference", _) => OTHER_PATH,
        ("singular-pose", _) => "the joint laws and impedance go through such poses; or give another --path",
        ("closed-form-ends", _) => "the closed form ends at a singular pose, --formulation projected goes on",
        ("step-too-small", _) => {
            "no step leads on from here: a singular pose, a motion that leaves the reach, or a tolerance below rounding"
        }
        ("diverged", _) => "a smaller --step, or --integrator dormand-prince, may help",
        ("constraints-open", _) => "a motion that leaves the reach, or too long a --step",
        (_, SimulateOutcome::Control(_)) => "a lower --bandwidth, a longer --cycle or a better model may help",
        (_, SimulateOutcome::Cell(_)) => return None,
    })
}
