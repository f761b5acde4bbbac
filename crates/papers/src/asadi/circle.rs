//! Asadi & Heydari 2020, Figures 3 and 4: a circle of radius 250 mm at 450 mm depth, one radian per second; torques that
//! the motors gave against those that the model predicts for the motion that was really made.
//!
//! As in the paper: joint PD with a loop of about 120 ms, 0.5 ms of current rise, friction subtracted from the motors'
//! torques, backlash left in. Friction and backlash are assumed, the paper prints neither.

use crate::Anything;
use dalembert::control::{ControlRun, ExperimentFile};
use dalembert::delta::Branch;
use dalembert::{Vec3, robots};

/// The run and its torques.
pub struct Circle {
    /// What happened.
    pub run: ControlRun,
    /// Times of the torques below, s.
    pub times: Vec<f64>,
    /// Motor torques without friction, N m.
    pub measured: Vec<Vec3<f64>>,
    /// What `exact` predicts for the motion that was made, N m.
    pub predicted: Vec<Vec3<f64>>,
    /// Root mean square of the difference, N m.
    pub difference: f64,
    /// Root mean square of the prediction, N m.
    pub size: f64,
    /// Root mean square of the part of it that is not gravity, N m.
    pub dynamic: f64,
}

/// With what is assumed.
const EXPERIMENT: &str = include_str!("../../experiments/circle.toml");

/// The experiment.
pub fn run() -> Result<Circle, Anything> {
    let bare = robots::asadi()?;
    let mut file = ExperimentFile::parse(EXPERIMENT, None)?;
    file.set_up()?;
    let tuning = file.tunings()?.pop().ok_or("a law")?;
    let experiment = file.experiment;
    let run = experiment.run(&tuning, &mut |_| true)?;
    run.ended.clone()?;
    let column = |name: &str| run.recording.column(name).unwrap_or(&[]);
    let vector = |names: [&str; 3], k: usize| Vec3(names.map(|name| column(name)[k]));
    let friction: Vec<_> = experiment.robot.joints().iter().map(|joint| joint.friction).collect();
    let period = experiment.sampling.period;
    let (mut times, mut measured, mut predicted, mut moved) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // Accelerations by central differences over ten samples, as one who has only the encoders would.
    let half = 10;
    for k in half..run.recording.rows() - half {
        let velocity = |k: usize| vector(["vx", "vy", "vz"], k);
        let acceleration = (velocity(k + half) - velocity(k - half)) * (0.5 / (half as f64 * period));
        let pose = bare.delta.at_position(vector(["x", "y", "z"], k), Branch::Out)?;
        let qd = vector(["qd1", "qd2", "qd3"], k);
        times.push(column("t")[k]);
        measured.push(
            vector(["tau1", "tau2", "tau3"], k)
                - Vec3::from_fn(|i| friction[i].map_or(0.0, |friction| friction.torque(qd[i]))),
        );
        let held = Vec3(pose.gravity_torque());
        let torque = Vec3(pose.moving(velocity(k)).torque(acceleration));
        predicted.push(torque);
        moved.push(torque - held);
    }
    let rms = |values: &mut dyn Iterator<Item = Vec3<f64>>| {
        let (count, sum) = values.fold((0, 0.0), |(n, sum), v| (n + 3, sum + v.norm_squared()));
        (sum / f64::from(count)).sqrt()
    };
    let difference = rms(&mut measured.iter().zip(&predicted).map(|(a, b)| *a - *b));
    let size = rms(&mut predicted.iter().copied());
    let dynamic = rms(&mut moved.iter().copied());
    Ok(Circle { run, times, measured, predicted, difference, size, dynamic })
}
