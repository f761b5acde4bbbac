//! Falezza et al. 2022, Figures 7–9 and Tables 3–5: torque profiles of models against a "real" robot.
//!
//! The real robot is `d3-1200` with what no model of the paper has: friction, rotors behind gears that give way, masses that are
//! a few per cent off the drawing, and a constant offset of the current sensors. All of it is assumed, seen from no model's side.
//! Three motions of the kinds of the paper: between two conveyors, in the middle with high and low accelerations, and near
//! the limits of the workspace.

use crate::Anything;
use crate::plot::torque_panel;
use dalembert::control::{Backlash, ControlRun, Experiment, Law, quantize};
use dalembert::delta::{Assembly, Delta, ModelName};
use dalembert::friction::Friction;
use dalembert::identify::numerics::smoother;
use dalembert::motion::MotionOrder;
use dalembert::report::chart::Panel;
use dalembert::{DeltaRobot, Vec3, robots};
use std::f64::consts::TAU;

/// The models that are compared: the paper's two, corrected, and ours.
pub const MODELS: [ModelName; 3] = [ModelName::FalezzaSimplified, ModelName::FalezzaComplete, ModelName::Exact];

/// What the current sensors add, N m. Assumed.
const OFFSET: [f64; 3] = [0.6, -0.4, 0.5];

/// Gears without play that give way: 6 N m per minute of arc. Assumed.
const GEAR: Backlash = Backlash { gap: 0.0, stiffness: 2e4, damping: 10.0 };

/// Samples per second of the log; the paper's has twice as many.
const RATE: f64 = 1000.0;

/// Standard deviation of the current sensors' noise, N m. Assumed.
const NOISE: f64 = 0.3;

/// Mean and standard deviation of measured minus predicted torque, N m: of each joint, and of all together.
#[derive(Clone, Copy, Debug)]
pub struct TorqueErrors {
    /// Joint by joint.
    pub joints: [(f64, f64); 3],
    /// Pooled.
    pub all: (f64, f64),
}

/// One motion.
pub struct TorqueProfiles {
    /// What it stands for.
    pub name: &'static str,
    /// s.
    pub times: Vec<f64>,
    /// Where the platform was, m.
    pub positions: Vec<Vec3<f64>>,
    /// As measured: motor torques, offset and noise.
    pub measured: Vec<Vec3<f64>>,
    /// By the [`MODELS`], from joint angles that were measured and smoothed.
    pub predicted: [Vec<Vec3<f64>>; 3],
    /// Measured minus predicted, by model.
    pub errors: [TorqueErrors; 3],
}

impl TorqueProfiles {
    /// A motor's torques: measured, and by the paper's two models.
    pub fn panel(&self, title: &str, motor: usize) -> Panel {
        torque_panel(title, &self.times, &[&self.measured, &self.predicted[0], &self.predicted[1]], motor)
    }
}

/// As the models know it, with rotors behind gears of 1:25: of an AKM44G, assumed as for `size`.
fn known() -> Result<DeltaRobot, Anything> {
    Ok(robots::d3_1200()?.changed(|parameters| {
        for arm in &mut parameters.arms {
            (arm.motor.rotor_inertia, arm.motor.gear_ratio) = (2.9e-4, 25.0);
        }
    })?)
}

fn real() -> Result<DeltaRobot, Anything> {
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
pub fn run() -> Result<Vec<TorqueProfiles>, Anything> {
    let (known, real) = (known()?, real()?);
    let motions = [
        ("between two conveyors", "falezza-conveyor", 2),
        ("in the middle", "falezza-center", 1),
        ("near the limits", "falezza-limits", 1),
    ];
    let mut all = Vec::new();
    for (name, path, cycles) in motions {
        let order = MotionOrder { path: path.into(), cycles, ..MotionOrder::default() };
        let mut experiment = Experiment::ordered(known.clone().into(), &order)?;
        experiment.robot = real.clone().into();
        experiment.drive.backlash = Some(GEAR);
        experiment.sampling.period = 1.0 / RATE;
        let run = experiment.run(&experiment.tuning(Law::Feedforward), &mut |_| true)?;
        run.ended.clone()?;
        all.push(compare(name, &experiment, &known.delta, &run)?);
    }
    Ok(all)
}

/// Noise of unit variance that is the same everywhere: the sum of twelve even numbers from −½ to ½.
fn noise(seed: &mut u64) -> f64 {
    let mut even = || {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..12).map(|_| even()).sum()
}

fn mean_and_deviation(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    (mean, (values.map(|x| (x - mean) * (x - mean)).sum::<f64>() / count).sqrt())
}

/// As the paper does it: joint angles as the encoders have them, rates and accelerations by a Kalman smoother, the platform's from these.
fn compare(
    name: &'static str,
    experiment: &Experiment,
    known: &Delta<f64>,
    run: &ControlRun,
) -> Result<TorqueProfiles, Anything> {
    let column = |name: &str| run.recording.column(name).unwrap_or(&[]);
    let times = column("t").to_vec();
    let counts = experiment.encoder.counts;
    let step = if counts > 0.0 { TAU / counts } else { 0.0 };
    let read = ["q1", "q2", "q3"].map(|name| column(name).iter().map(|&q| quantize(q, step)).collect::<Vec<f64>>());
    // The smoother is tuned once: the joints are alike.
    let variances = smoother::variances(&times, &read[0])?;
    let joints = read.iter().map(|read| smoother::smooth(&times, read, variances)).collect::<Result<Vec<_>, _>>()?;
    let models = MODELS.map(|model| model.build(known.parameters()));
    let mut seed = 1;
    let (mut positions, mut measured, mut predicted) = (Vec::new(), Vec::new(), [const { Vec::new() }; 3]);
    for k in 0..times.len() {
        let [q, qd, qdd] = [0, 1, 2].map(|rate| {
            let of = |i: usize| [&joints[i].q, &joints[i].qd, &joints[i].qdd][rate][k];
            [of(0), of(1), of(2)]
        });
        let pose = known.at_joints(q, Assembly::Below)?;
        let position = pose.position;
        let moving = pose.moving_joints(qd);
        let acceleration = moving.platform_acceleration(qdd);
        positions.push(position);
        measured.push(Vec3::from_fn(|i| column(["tau1", "tau2", "tau3"][i])[k] + OFFSET[i] + NOISE * noise(&mut seed)));
        for (torques, model) in predicted.iter_mut().zip(&models) {
            torques.push(Vec3(model.as_model().torque(&moving, acceleration, Vec3::zero())));
        }
    }
    let errors = [0, 1, 2].map(|model: usize| {
        let left = || measured.iter().zip(&predicted[model]).map(|(a, b)| *a - *b);
        TorqueErrors {
            joints: [0, 1, 2].map(|joint| mean_and_deviation(left().map(|off| off[joint]))),
            all: mean_and_deviation(left().flat_map(|off| off.0)),
        }
    });
    Ok(TorqueProfiles { name, times, positions, measured, predicted, errors })
}
