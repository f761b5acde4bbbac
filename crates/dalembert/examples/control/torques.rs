//! Falezza et al. 2022, Figures 7–9 and Tables 3–5: torque profiles of models against a "real" robot.
//!
//! The real robot is `d3-1200` with what no model of the paper has: friction, rotors behind gears that give way, masses that are
//! a few per cent off the drawing, and a constant offset of the current sensors. All of it is assumed, seen from no model's side.
//! Three motions of the kinds of the paper: between two conveyors, in the middle with high and low accelerations, and near
//! the limits of the workspace.

use dalembert::control::{Backlash, Experiment, Law, Outcome};
use dalembert::delta::{Branch, Delta, ModelName};
use dalembert::friction::Friction;
use dalembert::motion::MotionOrder;
use dalembert::{DeltaRobot, Vec3, robots};
use std::error::Error;

/// The models that are compared: the paper's two, corrected, and ours.
pub const MODELS: [ModelName; 3] = [ModelName::FalezzaSimplified, ModelName::FalezzaComplete, ModelName::Exact];

/// What the current sensors add, N m. Assumed.
const OFFSET: [f64; 3] = [0.6, -0.4, 0.5];

/// Gears without play that give way: 6 N m per minute of arc. Assumed.
const GEAR: Backlash = Backlash { gap: 0.0, stiffness: 2e4, damping: 10.0 };

/// One motion.
pub struct Profiles {
    /// What it stands for.
    pub name: &'static str,
    /// s.
    pub times: Vec<f64>,
    /// As measured: motor torques and offset.
    pub measured: Vec<Vec3<f64>>,
    /// By the [`MODELS`].
    pub predicted: [Vec<Vec3<f64>>; 3],
    /// Mean and standard deviation of measured minus predicted over all motors, N m, by model.
    pub errors: [(f64, f64); 3],
}

/// As the models know it, with rotors behind gears of 1:25: of an AKM44G, assumed as for `size`.
fn known() -> Result<DeltaRobot, Box<dyn Error>> {
    Ok(robots::d3_1200()?.changed(|parameters| {
        for arm in &mut parameters.arms {
            (arm.motor.rotor_inertia, arm.motor.gear_ratio) = (2.9e-4, 25.0);
        }
    })?)
}

fn real() -> Result<DeltaRobot, Box<dyn Error>> {
    let friction = Friction {
        viscous: 0.4,
        coulomb: 1.2,
        static_friction: 1.6,
        stribeck_velocity: 0.2,
        smoothing_velocity: 0.02,
        own: None,
    };
    Ok(known()?.changed(|parameters| {
        for (arm, scale) in parameters.arms.iter_mut().zip([1.03, 0.98, 1.05]) {
            arm.motor.friction = Some(friction);
            arm.motor.rotor_inertia *= scale;
            arm.upper_arm.mass *= scale;
            arm.forearm.mass *= 1.02;
            arm.forearm.inertia *= 1.02;
        }
        parameters.platform_mass *= 1.04;
    })?)
}

/// The three motions.
pub fn run() -> Result<Vec<Profiles>, Box<dyn Error>> {
    let (known, real) = (known()?, real()?);
    let motions = [
        ("between two conveyors", "falezza-conveyor", 6),
        ("in the middle", "falezza-center", 3),
        ("near the limits", "falezza-limits", 1),
    ];
    let mut all = Vec::new();
    for (name, path, cycles) in motions {
        let order = MotionOrder { path: path.into(), cycles, ..MotionOrder::default() };
        let mut experiment = Experiment::ordered(known.clone().into(), &order)?;
        experiment.robot = real.clone().into();
        experiment.drive.backlash = Some(GEAR);
        let run = experiment.run(&experiment.tuning(Law::Feedforward), &mut |_| true)?;
        run.ended.clone()?;
        all.push(compare(name, &experiment, &known.delta, &run)?);
    }
    Ok(all)
}

fn compare(
    name: &'static str,
    experiment: &Experiment,
    known: &Delta<f64>,
    run: &Outcome,
) -> Result<Profiles, Box<dyn Error>> {
    let column = |name: &str| run.recording.column(name).unwrap_or(&[]);
    let vector = |names: [&str; 3], k: usize| Vec3(names.map(|name| column(name)[k]));
    let models = MODELS.map(|model| model.build(known.parameters()));
    let (mut times, mut measured, mut predicted) = (Vec::new(), Vec::new(), [const { Vec::new() }; 3]);
    for k in 1..run.recording.rows() - 1 {
        let velocity = |k: usize| vector(["vx", "vy", "vz"], k);
        let acceleration = (velocity(k + 1) - velocity(k - 1)) * (0.5 / experiment.sampling.period);
        let pose = known.at_position(vector(["x", "y", "z"], k), Branch::Out)?;
        let moving = pose.moving(velocity(k));
        times.push(column("t")[k]);
        measured.push(vector(["tau1", "tau2", "tau3"], k) + Vec3(OFFSET));
        for (torques, model) in predicted.iter_mut().zip(&models) {
            torques.push(Vec3(model.as_model().torque(&moving, acceleration, Vec3::zero())));
        }
    }
    let errors = [0, 1, 2].map(|model: usize| {
        let off: Vec<f64> =
            measured.iter().zip(&predicted[model]).flat_map(|(a, b)| (*a - *b).0).map(f64::abs).collect();
        let count = off.len() as f64;
        let mean = off.iter().sum::<f64>() / count;
        (mean, (off.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count).sqrt())
    });
    Ok(Profiles { name, times, measured, predicted, errors })
}
