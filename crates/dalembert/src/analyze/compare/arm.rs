//! The published models of a serial arm along a motion: Armstrong's of the PUMA 560, and the derived program.

use super::{Comparison, Sample};
use crate::Vec3;
use crate::analyze::sensitivity::ArmState;
use crate::arm::{ArmError, ArmVisitor};
use crate::describe::SerialRobot;
use crate::record::serial_states::SerialModelName;
use crate::robot::families::serial::derived::Puma560;
use crate::serial::puma::{DoesNotApply, PumaModel};
use crate::serial::{Serial, Wrench};

/// A state that cannot be computed, at a time.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("at t = {t} s: {source}")]
pub struct NotInTime {
    /// s.
    pub t: f64,
    /// Why.
    pub source: ArmError,
}

/// A model other than Newton–Euler, of an arm with six joints.
enum Other {
    Puma(Box<PumaModel<f64>>),
    Derived(Puma560),
}

impl Other {
    fn new(name: SerialModelName, robot: &SerialRobot) -> Result<Option<Self>, DoesNotApply> {
        let six = || robot.arm.six().ok_or(DoesNotApply { field: "link", link: None, assumed: "six links" });
        Ok(match name {
            SerialModelName::NewtonEuler => None,
            SerialModelName::Puma(name) => Some(Self::Puma(Box::new(PumaModel::by_name(name, six()?)?))),
            SerialModelName::Derived => Some(Self::Derived(Puma560::new(six()?)?)),
        })
    }

    fn torque(&self, arm: &Serial<f64, 6>, q: [f64; 6], qd: [f64; 6], qdd: [f64; 6]) -> [f64; 6] {
        match self {
            Self::Puma(model) => model.torque(&arm.pose_unchecked(q).moving(qd), qdd),
            Self::Derived(program) => program.torque(&q, &qd, &qdd),
        }
    }
}

/// Runs every model over a motion. Newton–Euler is the exact one.
pub fn compare_arm(robot: &SerialRobot, motion: &[(f64, ArmState)]) -> Result<Comparison, NotInTime> {
    let mut samples = Vec::with_capacity(motion.len());
    for (t, state) in motion {
        let mut torque = vec![0.0; robot.arm.joints()];
        let checked = robot.arm.torque(&state.q, &state.qd, &state.qdd, &mut torque);
        checked.map_err(|source| NotInTime { t: *t, source })?;
        samples.push(robot.arm.visit(OneSample(*t, state)));
    }
    let names = SerialModelName::ALL.into_iter().filter(|&name| name != SerialModelName::NewtonEuler);
    let torques = names.map(|name| {
        let torque = match (Other::new(name, robot), robot.arm.six()) {
            (Ok(Some(model)), Some(arm)) => Ok(motion
                .iter()
                .zip(&samples)
                .map(|((_, state), sample)| {
                    let six = |values: &[f64]| -> [f64; 6] { std::array::from_fn(|i| values[i]) };
                    let torque = model.torque(arm, six(&state.q), six(&state.qd), six(&state.qdd));
                    torque.iter().zip(carried(sample, state.force)).map(|(tau, carried)| tau - carried).collect()
                })
                .collect()),
            (Err(reason), _) => Err(format!("model `{}`: {reason}", name.as_str())),
            _ => Err(format!("model `{}` is for arms with six joints", name.as_str())),
        };
        (name.as_str(), torque)
    });
    let torques = torques.collect();
    let forced = motion.iter().any(|(_, state)| state.force != Vec3::zero());
    let joints = 1..=robot.arm.joints();
    let mut columns: Vec<String> =
        ["q", "qd", "qdd"].into_iter().flat_map(|stem| joints.clone().map(move |i| format!("{stem}{i}"))).collect();
    if forced {
        columns.extend(["fx", "fy", "fz"].map(String::from));
        for (sample, (_, state)) in samples.iter_mut().zip(motion) {
            sample.state.extend(state.force.0);
        }
    }
    Ok(Comparison::new(SerialModelName::NewtonEuler.as_str(), columns, samples, torques))
}

/// What a force at the tool does at the joints, N m.
fn carried(sample: &Sample, force: Vec3<f64>) -> impl Iterator<Item = f64> + '_ {
    sample.jacobian.iter().map(move |column| column.dot(force))
}

struct OneSample<'a>(f64, &'a ArmState);

impl ArmVisitor for OneSample<'_> {
    type Output = Sample;

    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Sample {
        let Self(t, state) = self;
        let array = |values: &[f64]| -> [f64; N] { std::array::from_fn(|i| values[i]) };
        let moving = arm.pose_unchecked(array(&state.q)).moving(array(&state.qd));
        let jacobian = moving.pose.jacobian();
        let carried = jacobian.transpose_times(Wrench { force: state.force, moment: Vec3::zero() });
        let torque = moving.torque(array(&state.qdd));
        Sample {
            t,
            state: [&state.q[..], &state.qd, &state.qdd].concat(),
            exact: torque.iter().zip(carried).map(|(tau, carried)| tau - carried).collect(),
            dissipation: moving.friction().to_vec(),
            mass: moving.pose.mass_matrix().concat(),
            jacobian: jacobian.linear.to_vec(),
        }
    }
}
