//! Every published model against `exact` along a motion: the Tables 3–5 of Falezza et al. 2022, without the measurement
//! noise.

use crate::motion::{PickAndPlace, PlatformState};
use dalembert_core::Vec3;
use dalembert_core::delta::{Branch, Delta, KinematicsError, ModelDoesNotApply, ModelName};

/// A sample of the motion.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Time from the start of the first motion, s.
    pub t: f64,
    /// Which motion, from 0.
    pub motion: usize,
    /// The platform.
    pub state: PlatformState,
    /// Torques of `exact`, N m.
    pub exact: Vec3<f64>,
}

/// Difference of a model to `exact`, model − exact, N m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// Mean.
    pub mean: f64,
    /// Standard deviation about the mean.
    pub standard_deviation: f64,
    /// Largest magnitude.
    pub maximum: f64,
    /// Root mean square.
    pub rms: f64,
}

impl Difference {
    /// The statistics of some values.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let count = values.clone().count().max(1) as f64;
        let mean = values.clone().sum::<f64>() / count;
        let square = |x: f64| x * x;
        Self {
            mean,
            standard_deviation: (values.clone().map(|x| square(x - mean)).sum::<f64>() / count).sqrt(),
            maximum: values.clone().map(f64::abs).fold(0.0, f64::max),
            rms: (values.map(square).sum::<f64>() / count).sqrt(),
        }
    }
}

/// One model along the motion.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Torques, one per sample, N m.
    pub torque: Vec<Vec3<f64>>,
    /// Per joint.
    pub joints: [Difference; 3],
    /// Over all joints.
    pub all: Difference,
}

/// All models along the motion.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The samples, with the torques of `exact`.
    pub samples: Vec<Sample>,
    /// The torques of `exact` themselves, per joint and over all.
    pub exact: ([Difference; 3], Difference),
    /// The other models, or why they do not apply.
    pub models: Vec<(ModelName, Result<Compared, ModelDoesNotApply>)>,
}

/// A motion that leaves the workspace.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the motion leaves the workspace at ({:.4}, {:.4}, {:.4}) m, {t:.4} s after its start: {source}", position[0], position[1], position[2])]
pub struct LeavesWorkspace {
    /// Which motion, from 0.
    pub motion: usize,
    /// When, s.
    pub t: f64,
    /// Where, m.
    pub position: Vec3<f64>,
    /// Which arm, and by how much.
    pub source: KinematicsError,
}

/// Runs every model over the motions, one after the other, with `steps` samples per stroke.
pub fn compare(
    robot: &Delta<f64>,
    branch: Branch,
    motions: &[PickAndPlace],
    steps: u32,
) -> Result<Comparison, LeavesWorkspace> {
    let steps = steps.max(2);
    let others = || ModelName::ALL.into_iter().filter(|&name| name != ModelName::Exact);
    let built: Vec<_> =
        others().map(|name| (name, name.applies_to(robot.parameters()), name.build(robot.parameters()))).collect();
    let mut torques: Vec<Vec<Vec3<f64>>> = vec![Vec::new(); built.len()];
    let mut samples = Vec::new();
    let mut start = 0.0;
    for (motion, path) in motions.iter().enumerate() {
        for k in 0..2 * steps {
            let t = f64::from(k) / f64::from(steps) * path.duration;
            let state = path.at(t);
            let leaves = |source| LeavesWorkspace { motion, t, position: state.position, source };
            let moving = robot
                .at_position(state.position, branch)
                .and_then(|pose| pose.try_moving(state.velocity))
                .map_err(leaves)?;
            samples.push(Sample { t: start + t, motion, state, exact: moving.torque(state.acceleration) });
            for ((_, applies, model), torque) in built.iter().zip(&mut torques) {
                if applies.is_ok() {
                    torque.push(model.as_model().torque(&moving, state.acceleration, Vec3::zero()));
                }
            }
        }
        start += 2.0 * path.duration;
    }
    let joint = |i: usize| Difference::of(samples.iter().map(|sample| sample.exact[i]));
    let exact = ([0, 1, 2].map(joint), Difference::of(samples.iter().flat_map(|sample| sample.exact.0)));
    let models = built
        .into_iter()
        .zip(torques)
        .map(|((name, applies, _), torque)| {
            let compared = applies.map(|()| {
                let differences: Vec<_> =
                    torque.iter().zip(&samples).map(|(tau, sample)| *tau - sample.exact).collect();
                Compared {
                    joints: [0, 1, 2].map(|i| Difference::of(differences.iter().map(|d| d[i]))),
                    all: Difference::of(differences.iter().flat_map(|d| d.0)),
                    torque,
                }
            });
            (name, compared)
        })
        .collect();
    Ok(Comparison { samples, exact, models })
}
