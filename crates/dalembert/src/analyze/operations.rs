//! What an evaluation of a robot's models costs: counted operations and measured time, beside what papers say.

use crate::Operations;
use crate::motion::{Direction, PickAndPlace, PlatformState};
use crate::robot::operations::{Bench, Cost, PaperTable, Task};
use crate::robot::{DoesNotApply, Pick, Robot, StateError, ToolState};
use std::hint::black_box;
use std::time::Duration;

/// How many states are measured.
const STATES: u32 = 64;

/// All costs for one robot.
#[derive(Clone, Debug)]
pub struct Report {
    /// Model by model.
    pub costs: Vec<Cost>,
    /// What papers say of them.
    pub published: Vec<PaperTable>,
    /// The models that cannot represent the robot.
    pub inapplicable: Vec<DoesNotApply>,
}

/// Counts and measures everything; `budget` is the time spent on each measurement, zero for none. `quick`: without a search for
/// the fewest operations.
pub fn report(robot: &Robot, budget: Duration, quick: bool) -> Result<Report, StateError> {
    let motion = robot.workspace().map(|workspace| PickAndPlace {
        center: workspace.center,
        width: workspace.radius,
        height: 0.1 * workspace.radius,
        stroke: 0.25,
        direction: Direction::Y,
    });
    let states = match &motion {
        Some(motion) => states(robot, motion),
        None => Vec::new(),
    };
    let bench = Bench { states: if states.is_empty() { vec![robot.home()?] } else { states }, budget, quick };
    let mut costs = robot.operations(&bench);
    let mut t = 0.0;
    let seconds = motion.and_then(|motion| {
        bench.time(&[()], |()| {
            t += 1e-4;
            motion.at(black_box(t))
        })
    });
    costs.extend(seconds.map(|time| Cost {
        program: "pick-and-place",
        task: Task::Motion,
        operations: Operations::default(),
        seconds: Some(time),
    }));
    let published = robot.published_costs(&costs);
    let inapplicable = robot.models().iter().filter_map(|spec| robot.build_model(spec.name).err()).collect();
    Ok(Report { costs, published, inapplicable })
}

/// States of a pick-and-place cycle.
fn states(robot: &Robot, motion: &PickAndPlace) -> Vec<crate::robot::State> {
    let at = |k: u32| {
        let t = motion.stroke * (f64::from(k) + 0.5) / f64::from(STATES);
        let PlatformState { position, velocity, acceleration } = motion.at(t);
        robot.at_tool(&ToolState::translating(position, velocity, acceleration), &Pick::default()).ok()
    };
    (0..STATES).filter_map(at).collect()
}
