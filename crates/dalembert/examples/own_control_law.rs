//! A control law of one's own in the closed loop of a Delta and of a serial arm: `cargo run --release -p dalembert --example
//! own_control_law`.
//!
//! The law is sliding mode with a boundary layer: with the surface s = ė + λ e the torque is
//!
//! ```text
//! τ = τ̂(q, q̇, q̈_d + λ ė) + Î K sat(s/φ) + friction at the reference
//! ```
//!
//! It knows neither the robot nor its number of joints; the loop gives it what is measured and the controller's model. The
//! controller believes the payload to be 20 % lighter than it is.

use dalembert::control::{Controller, ControllerModel, Experiment, JointFeedback, Law};
use dalembert::motion::MotionOrder;
use dalembert::robot::{JointVector, Robot};
use std::error::Error;

/// Sliding mode.
#[derive(Clone, Debug)]
struct SlidingMode {
    /// λ, 1/s.
    slope: f64,
    /// K, the largest acceleration that it switches, rad/s².
    switched: f64,
    /// φ, the boundary layer, rad/s: within it the law is linear.
    layer: f64,
}

impl Controller for SlidingMode {
    fn name(&self) -> &str {
        "sliding-mode"
    }

    fn torque(&mut self, now: &JointFeedback, model: &dyn ControllerModel) -> JointVector {
        let (joints, reference) = (now.q.len(), &now.reference);
        let steered = JointVector::from_fn(joints, |i| reference.qdd[i] + self.slope * now.rate[i]);
        let torque = model.torque(&now.q, &now.qd, &steered);
        let friction = model.friction(&reference.q, &reference.qd);
        JointVector::from_fn(joints, |i| {
            let surface = now.rate[i] + self.slope * (reference.q[i] - now.q[i]);
            let switched = self.switched * (surface / self.layer).clamp(-1.0, 1.0);
            torque[i] + now.inertia[i] * switched + friction[i]
        })
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("tracking error, mm: largest (RMS)");
    for name in ["d3-1200", "puma560"] {
        let robot = Robot::find(name)?;
        let mut experiment = Experiment::ordered(robot.with_payload(1.0)?, &MotionOrder::usual(&robot.kind()))?;
        experiment.known = robot.with_payload(0.8)?;
        let own = SlidingMode { slope: 75.0, switched: 80.0, layer: 1.0 };
        for tuning in [experiment.tuning(own), experiment.tuning(Law::ComputedTorque)] {
            let run = experiment.run(&tuning, &mut |_| true)?;
            run.ended?;
            let (most, mean) = (1e3 * run.summary.error_max, 1e3 * run.summary.error_rms);
            println!("{name:8} {:16} {most:.3} ({mean:.3}), {}", tuning.label, run.summary.verdict);
        }
    }
    Ok(())
}
