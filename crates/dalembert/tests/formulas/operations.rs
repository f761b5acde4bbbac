//! What models cost, as the command tells it.

use dalembert::Robot;
use dalembert::friction::Friction;
use dalembert::robot::operations::{Bench, Task, cost};

/// Programs of a Delta: of one with equal arms, and of many states at once.
const SYMMETRIC: &str = "exact, symmetric";
const BATCH: &str = "exact, batched";

/// With friction a batch takes the general formula, and that is what is counted.
#[test]
fn friction_takes_the_general_formula() {
    let frictionless = Robot::find("d3-1200").unwrap();
    let robot = frictionless.with_friction(Some(Friction { viscous: 0.1, ..Friction::NONE })).unwrap();
    let costs = |robot: &Robot| {
        let states = vec![robot.home().unwrap()];
        robot.operations(&Bench { states, budget: std::time::Duration::ZERO, quick: true })
    };
    let (without, with) = (costs(&frictionless), costs(&robot));
    assert!(cost(&without, SYMMETRIC, Task::Torque).is_some());
    assert!(cost(&with, SYMMETRIC, Task::Torque).is_none());
    for task in [Task::Torque, Task::Acceleration] {
        let exact = cost(&with, "exact", task).unwrap().operations;
        assert_eq!(cost(&with, BATCH, task).unwrap().operations, exact);
    }
}

#[test]
fn the_puma_has_all_programs_and_others_the_general_ones() {
    let puma = Robot::find("puma560").expect("built in");
    let bench = Bench { states: Vec::new(), budget: std::time::Duration::ZERO, quick: true };
    let costs = puma.operations(&bench);
    let torque = |program| cost(&costs, program, Task::Torque).map(|cost| cost.operations.arithmetic());
    // The same figures as the pinned ones in `serial_kernels`.
    assert_eq!([torque("Newton–Euler"), torque("explicit"), torque("abbreviated")], [Some(545), Some(880), Some(285)]);
}
