//! The published models of a Delta along a motion.

use super::{Comparison, Sample};
use crate::Vec3;
use crate::delta::{Branch, Delta, KinematicsError, ModelName};
use crate::motion::{PickAndPlace, PlatformState};
use crate::report::text::human;

/// A state of the platform at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed {
    /// s.
    pub t: f64,
    /// The platform.
    pub state: PlatformState,
    /// Force of the environment on it, N.
    pub force: Vec3<f64>,
}

/// A motion that leaves the workspace.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the motion leaves the workspace at ({}, {}, {}) m, {} s after its start: {source}", human(position[0], 5), human(position[1], 5), human(position[2], 5), human(*t, 4))]
pub struct LeavesWorkspace {
    /// When, s.
    pub t: f64,
    /// Where, m.
    pub position: Vec3<f64>,
    /// Which arm, and by how much.
    pub source: KinematicsError,
}

/// Strokes forth and back, one after the other, with `steps` samples per stroke.
pub fn pick_and_place(motions: &[PickAndPlace], steps: u32) -> Vec<Timed> {
    let steps = steps.max(2);
    let mut start = 0.0;
    let mut all = Vec::new();
    for path in motions {
        for k in 0..2 * steps {
            let t = f64::from(k) / f64::from(steps) * path.duration;
            all.push(Timed { t: start + t, state: path.at(t), force: Vec3::zero() });
        }
        start += 2.0 * path.duration;
    }
    all
}

/// Runs every model over a motion.
pub fn compare(robot: &Delta<f64>, branch: Branch, motion: &[Timed]) -> Result<Comparison, LeavesWorkspace> {
    let parameters = robot.parameters();
    let others = ModelName::ALL.into_iter().filter(|&name| name != ModelName::Exact);
    let built: Vec<_> = others.map(|name| (name, name.applies_to(parameters), name.build(parameters))).collect();
    let mut torques: Vec<Vec<Vec<f64>>> = vec![Vec::new(); built.len()];
    let mut samples = Vec::with_capacity(motion.len());
    let forced = motion.iter().any(|timed| timed.force != Vec3::zero());
    for &Timed { t, state, force } in motion {
        let PlatformState { position, velocity, acceleration } = state;
        let pose = robot.at_position(position, branch).map_err(|source| LeavesWorkspace { t, position, source })?;
        let moving = pose.try_moving(velocity).map_err(|source| LeavesWorkspace { t, position, source })?;
        let k = pose.inverse_jacobian().transpose();
        let mut values = [position, velocity, acceleration].map(|v| v.0).concat();
        if forced {
            values.extend(force.0);
        }
        samples.push(Sample {
            t,
            state: values,
            exact: moving.torque_under(acceleration, force).to_vec(),
            dissipation: moving.dissipation_torque().to_vec(),
            mass: pose.mass_matrix().0.map(|row| row.0).concat(),
            jacobian: k.0.to_vec(),
        });
        for ((_, applies, model), torque) in built.iter().zip(&mut torques) {
            if applies.is_ok() {
                torque.push(model.as_model().torque(&moving, acceleration, force).to_vec());
            }
        }
    }
    let columns = "x,y,z,vx,vy,vz,ax,ay,az,fx,fy,fz".split(',').take(if forced { 12 } else { 9 });
    let torques = built.iter().zip(torques).map(|((name, applies, _), torque)| {
        (name.as_str(), applies.as_ref().map(|()| torque).map_err(ToString::to_string))
    });
    Ok(Comparison::new("exact", columns.map(String::from).collect(), samples, torques.collect()))
}
