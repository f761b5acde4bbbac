//! A friction law of one's own, at the motors of a Delta and of a serial arm: `cargo run --release -p dalembert --example
//! own_friction`.
//!
//! The law is a measured curve, straight between its points, odd, and level beyond the last one. Inverse and forward dynamics,
//! a linear model and a closed loop have it at once.

use dalembert::control::{Experiment, Law};
use dalembert::friction::{Friction, FrictionLaw};
use dalembert::motion::MotionOrder;
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::robot::{JointState, JointVector, Pick, Robot};
use dalembert::spatial::Wrench;
use std::error::Error;

/// Speeds, rad/s, from zero on, and what was measured at them, N m.
#[derive(Debug)]
struct Measured(&'static [[f64; 2]]);

/// Break-away at 0.01 rad/s, the dip of Stribeck at 0.2 rad/s, then viscous and slowly less.
static MEASURED: Measured = Measured(&[[0.0, 0.0], [0.01, 1.4], [0.2, 0.8], [2.0, 1.3], [10.0, 2.4]]);

impl Measured {
    /// The piece of the curve at a speed: where it starts, its torque there, its slope.
    fn piece(&self, speed: f64) -> [f64; 3] {
        let found = self.0.windows(2).find(|ends| speed < ends[1][0]);
        match found.map(|ends| [ends[0], ends[1]]) {
            Some([[v0, t0], [v1, t1]]) => [v0, t0, (t1 - t0) / (v1 - v0)],
            None => self.0.last().map_or([0.0; 3], |&[v, t]| [v, t, 0.0]),
        }
    }
}

impl FrictionLaw for Measured {
    fn torque(&self, speed: f64) -> f64 {
        let [start, torque, slope] = self.piece(speed.abs());
        (torque + slope * (speed.abs() - start)).copysign(speed)
    }

    fn slope(&self, speed: f64) -> f64 {
        self.piece(speed.abs())[2]
    }

    fn break_away(&self) -> f64 {
        1.4
    }
}

/// Asserts what it says; a test runs it.
pub fn main() -> Result<(), Box<dyn Error>> {
    for name in ["d3-1200", "puma560"] {
        let smooth = Robot::find(name)?.with_friction(None)?;
        let robot = smooth.with_friction(Some(Friction::own(&MEASURED)))?;
        let (n, home) = (robot.joints().len(), robot.home()?);

        // Torques have the law added, joint by joint, and forward dynamics undoes them.
        let joints = JointState { qd: JointVector::from_fn(n, |i| 0.1 - 0.3 * i as f64), ..home.joints.clone() };
        let state = robot.at_joints(&joints, &Pick::default())?;
        let [free, whole] = [smooth.model("exact")?, robot.model("exact")?];
        let (less, torque) = (free.torque(&state, Wrench::zero())?, whole.torque(&state, Wrench::zero())?);
        let back = whole.accelerated(&state, &torque, Wrench::zero())?;
        for i in 0..n {
            // To rounding of torques below 100 N m, and of accelerations that light wrists turn them into.
            assert!((torque[i] - less[i] - MEASURED.torque(joints.qd[i])).abs() < 1e-12);
            assert!((back.joints.qdd[i] - joints.qdd[i]).abs() < 1e-9);
        }

        // At standstill the curve is a damper of 140 N m s/rad, which every motor pays for: the trace of A says it.
        let trace = |robot: &Robot| -> Result<f64, Box<dyn Error>> {
            let holding = robot.model("exact")?.gravity_torque(&home)?;
            let about = robot.linearize(&home, &holding, Wrench::zero(), Coordinates::Joint, &[Output::Position])?;
            Ok(about.system.poles()?.iter().map(|pole| pole.re).sum())
        };
        assert!(trace(&robot)? < trace(&smooth)? - 140.0);

        // Under control, the motors draw what it takes.
        let power = |robot: &Robot| -> Result<f64, Box<dyn Error>> {
            let experiment = Experiment::ordered(robot.clone(), &MotionOrder::usual(&robot.kind()))?;
            let run = experiment.run(&experiment.tuning(Law::ComputedTorque), &mut |_| true)?;
            run.ended?;
            Ok(run.summary.power_mean * run.summary.duration)
        };
        let [without, with] = [power(&smooth)?, power(&robot)?];
        println!("{name:8} draws {with:.1} J for its usual motion; {without:.1} J without friction");
        assert!(with > without);
        assert!(robot.to_toml().is_none(), "no file holds a law of one's own");
    }
    Ok(())
}
