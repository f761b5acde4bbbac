//! Cycle times over the workspace.

use super::{Anything, metric};
use dalembert::robot::Robot;
use dalembert::verbs::Observer;
use dalembert::verbs::cycle::{CycleRequest, cycle};
use dalembert::verbs::motion::MotionRequest;

/// Stops after some places.
struct Impatient(usize);

impl Observer for Impatient {
    fn progress(&mut self, _: f64, _: &str) {
        self.0 = self.0.saturating_sub(1);
    }
    fn cancelled(&self) -> bool {
        self.0 == 0
    }
}

#[test]
fn the_fastest_place_is_among_the_cells_and_an_observer_stops_the_map() -> Result<(), Anything> {
    let mut request = CycleRequest { count: 3, ..CycleRequest::new(MotionRequest::new(Robot::find("d3-1200")?)) };
    let outcome = cycle(&request, &mut ())?;
    let least = outcome.cells.iter().filter_map(|cell| cell.duration).fold(f64::INFINITY, f64::min);
    assert_eq!(metric(&outcome, "fastest.duration"), least);
    assert!(outcome.picture().is_ok());
    assert_eq!(cycle(&request, &mut Impatient(2)).expect_err("stopped").code, "cancelled");
    request.motion.order.path = "line:0,0,-0.9/0.1,0,-0.9".into();
    assert_eq!(cycle(&request, &mut ()).expect_err("it has no place to move").code, "path");
    Ok(())
}
