//! A robot that is held by springs at its tool, and pushed.

use dalembert::Vec3;
use dalembert::control::{Experiment, Law, Push};
use std::error::Error;

/// A push of 20 N on a tool of 4000 N/m moves it by 5 mm, in the direction of the push. `left` is what the transient leaves
/// at the end, m.
pub fn moves_by_force_over_stiffness(experiment: &mut Experiment, left: f64) -> Result<(), Box<dyn Error>> {
    experiment.stiffness = Some(4000.0);
    for force in [Vec3([20.0, 0.0, 0.0]), Vec3([0.0, -12.0, 16.0])] {
        experiment.pushes = vec![Push { start: 0.1, duration: 10.0, force }];
        let run = experiment.run(&experiment.tuning(Law::Impedance), &mut |_| true)?;
        run.ended?;
        let end = |name: &str| run.recording.column(name).and_then(|values| values.last().copied()).unwrap_or(f64::NAN);
        for (i, name) in ["error_x", "error_y", "error_z"].into_iter().enumerate() {
            assert!((end(name) - force[i] / 4000.0).abs() < left, "{name}: {}", end(name));
        }
    }
    Ok(())
}
