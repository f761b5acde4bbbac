//! Falezza et al. 2022, Figures 7–9 and Tables 3–5: torque profiles of models against a "real" robot.
//!
//! The real robot is `d3-1200` with what no model of the paper has: friction, rotors behind gears, masses that are a few per
//! cent off the drawing, and a constant offset of the current sensors. All of it is assumed, seen from no model's side.
//! Three motions as in the paper: between two conveyors, in the middle with high and low accelerations, and near the
//! limits of the workspace.

use dalembert::control::{Experiment, Law, Outcome};
use dalembert::delta::{Branch, ModelName};
use dalembert::friction::Friction;
use dalembert::motion::named::Measures;
use dalembert::motion::{MotionOrder, Time};
use dalembert::{Robot, Vec3, robots};
use std::error::Error;

/// The models that are compared: the paper's two, corrected, and ours.
pub const MODELS: [ModelName; 3] = [ModelName::FalezzaSimplified, ModelName::FalezzaComplete, ModelName::Exact];

/// What the current sensors add, N m. Assumed.
const OFFSET: [f64; 3] = [0.6, -0.4, 0.5];

/// One motion.
pub struct Profiles {
    /// What it stands for.
    pub name: &'static str,
    /// What happened.
    pub run: Outcome,
    /// s.
    pub times: Vec<f64>,
    /// As measured: motor torques and offset.
    pub measured: Vec<Vec3<f64>>,
    /// By the [`MODELS`].
    pub predicted: [Vec<Vec3<f64>>; 3],
    /// Mean and standard deviation of measured minus predicted over all motors, N m, by model.
    pub errors: [(f64, f64); 3],
}

fn real() -> Result<Robot, Box<dyn Error>> {
    let friction =
        Friction { viscous: 0.4, coulomb: 1.2, static_friction: 1.6, stribeck_velocity: 0.2, smoothing_velocity: 0.02 };
    Ok(robots::d3_1200()?.changed(|parameters| {
        for (arm, scale) in parameters.arms.iter_mut().zip([1.03, 0.98, 1.05]) {
            arm.motor.friction = Some(friction);
            arm.motor.rotor_inertia = 0.008;
            arm.upper_arm.mass *= scale;
            arm.forearm.mass *= 1.02;
            arm.forearm.inertia *= 1.02;
        }
        parameters.platform_mass *= 1.04;
    })?)
}

/// The three motions.
pub fn run() -> Result<Vec<Profiles>, Box<dyn Error>> {
    let (known, real) = (robots::d3_1200()?, real()?);
    // Along y by a sine on ramp: centre, width, height, time of a cycle, cycles.
    let door = |center: [f64; 3], width: f64, height: f64, cycle: f64, cycles: usize| MotionOrder {
        center: Some(Vec3(center)),
        direction: Some(Vec3::new(0.0, 1.0, 0.0)),
        measures: Measures { width: Some(width), height: Some(height), blend: None },
        time: Some(Time::Cycle(cycle)),
        cycles,
        ..MotionOrder::default()
    };
    let motions = [
        ("between two conveyors", door([0.0, 0.0, -0.95], 0.6, 0.06, 0.8, 2)),
        ("in the middle", door([0.0, 0.0, -0.85], 0.1, 0.04, 0.36, 4)),
        ("near the limits", door([0.30, 0.0, -1.0], 0.5, 0.04, 0.9, 2)),
    ];
    let mut all = Vec::new();
    for (name, order) in motions {
        let mut experiment = Experiment::ordered(real.clone(), &order)?;
        experiment.known = known.clone();
        let run = experiment.run(&experiment.tuning(Law::Feedforward), &mut |_| true)?;
        run.ended?;
        all.push(compare(name, &experiment, run)?);
    }
    Ok(all)
}

fn compare(name: &'static str, experiment: &Experiment, run: Outcome) -> Result<Profiles, Box<dyn Error>> {
    let column = |name: &str| run.recording.column(name).unwrap_or(&[]);
    let vector = |names: [&str; 3], k: usize| Vec3(names.map(|name| column(name)[k]));
    let models = MODELS.map(|model| model.build(experiment.known.delta.parameters()));
    let (mut times, mut measured, mut predicted) = (Vec::new(), Vec::new(), [const { Vec::new() }; 3]);
    for k in 1..run.recording.rows() - 1 {
        let velocity = |k: usize| vector(["vx", "vy", "vz"], k);
        let acceleration = (velocity(k + 1) - velocity(k - 1)) * (0.5 / experiment.sampling.period);
        let pose = experiment.known.delta.at_position(vector(["x", "y", "z"], k), Branch::Out)?;
        let moving = pose.moving(velocity(k));
        times.push(column("t")[k]);
        measured.push(vector(["tau1", "tau2", "tau3"], k) + Vec3(OFFSET));
        for (torques, model) in predicted.iter_mut().zip(&models) {
            torques.push(model.as_model().torque(&moving, acceleration, Vec3::zero()));
        }
    }
    let errors = [0, 1, 2].map(|model: usize| {
        let off: Vec<f64> =
            measured.iter().zip(&predicted[model]).flat_map(|(a, b)| (*a - *b).0).map(f64::abs).collect();
        let count = off.len() as f64;
        let mean = off.iter().sum::<f64>() / count;
        (mean, (off.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count).sqrt())
    });
    Ok(Profiles { name, run, times, measured, predicted, errors })
}
