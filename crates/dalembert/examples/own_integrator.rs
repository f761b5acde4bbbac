//! An integrator of one's own on the equations of a serial arm: `cargo run --release -p dalembert --example own_integrator`.

use dalembert::robot::Robot;
use dalembert::simulate::{self, Integrator, SimulationError, System};

/// Heun's method with steps of equal length, s.
struct Heun(f64);

impl Integrator for Heun {
    fn step(
        &mut self,
        system: &mut dyn System,
        time: f64,
        until: f64,
        state: &mut [f64],
    ) -> Result<f64, SimulationError> {
        // A remainder that is too short for a step belongs to the last one.
        let end = if until - time > 1.001 * self.0 { time + self.0 } else { until };
        let h = end - time;
        let (mut first, mut second) = (vec![0.0; state.len()], vec![0.0; state.len()]);
        system.rate(time, state, &mut first)?;
        let guess: Vec<f64> = state.iter().zip(&first).map(|(x, rate)| x + h * rate).collect();
        system.rate(end, &guess, &mut second)?;
        for (i, x) in state.iter_mut().enumerate() {
            *x += 0.5 * h * (first[i] + second[i]);
        }
        system.project(end, state)?; // after every step
        Ok(end)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let puma = Robot::find("puma560")?;
    let (mut system, start) = puma.equations_of_motion(&puma.home()?)?;
    let run = simulate::run(&mut *system, &mut Heun(1e-4), &start, [0.0, 0.1]);
    run.ended.clone()?;
    println!("energy drift {:.1e} J of {:.3} J", run.energy_drift(), run.kinetic_range());
    assert!(run.energy_drift() < 1e-5 * run.kinetic_range());
    Ok(())
}
