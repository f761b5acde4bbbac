//! The linear model of a Delta in Bortoff's nine coordinates, constraints held as [`Poles`] say.

use super::mechanism::{Observed, mechanism};
use super::models::Output;
use super::{LinearError, Linearized, Signal};
use crate::delta::Moving;
use crate::mechanism::{Mechanism, Poles, add_delta};

/// The linear model with 18 states about a state of a motion and the motor torques there; of an equilibrium where the
/// robot rests and is held. The nine coordinates and their rates are exactly those of the pose, so that the constraints
/// hold at the point.
pub fn delta_baumgarte(
    moving: &Moving<'_, f64>,
    torque: [f64; 3],
    poles: Poles,
    outputs: &[Output],
) -> Result<Linearized, LinearError> {
    let delta = moving.pose.robot;
    let mut whole = Mechanism::new(delta.gravity());
    let parts = add_delta(&mut whole, "delta", delta)?;
    let (q, v) = (parts.coordinates(&moving.pose), parts.velocities(moving));
    let (mut observed, mut names) = (Vec::new(), Vec::new());
    let (joints, rates) = (Signal::numbered("q", 3, "rad"), Signal::numbered("qd", 3, "rad/s"));
    for output in outputs {
        match output {
            Output::Joints => observed.extend(parts.arms.map(|arm| Observed::Coordinate(arm, 0))),
            Output::JointRates => observed.extend(parts.arms.map(|arm| Observed::Velocity(arm, 0))),
            Output::Position => observed.push(Observed::Point(parts.platform())),
            Output::Velocity => observed.push(Observed::PointVelocity(parts.platform())),
            Output::Acceleration => observed.push(Observed::PointAcceleration(parts.platform())),
        }
        names.extend(output.signals(&joints, &rates));
    }
    let mut model = mechanism(&whole, (0.0, &q, &v), &torque, poles, &observed)?;
    model.system.outputs = names;
    model.system.states = nine("", "rad").chain(nine("d", "rad/s")).collect();
    Ok(model)
}

/// Motor angle q_i and forearm angles φ₂, φ₃ of each arm, as `q1, phi12, phi13, q2 …`; rates with a `d`.
fn nine(rate: &'static str, unit: &'static str) -> impl Iterator<Item = Signal> {
    (1..=3).flat_map(move |arm| {
        let forearm = |k: usize| format!("phi{rate}{arm}{k}");
        [format!("q{rate}{arm}"), forearm(2), forearm(3)].map(|name| Signal::new(name, unit))
    })
}
