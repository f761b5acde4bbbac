//! Torques of a robot with a fourth axis as a function of its parameters.
//!
//! What the axis asks of the platform is a force on the robot below, in whose torques it is linear. So the robot's own torques of
//! parameters say all: without a further force, and with a unit force in each direction, which are the columns of its Jᵀ.

use super::{Translating, TurningRobot, of_robot};
use crate::robot::own::padded;
use crate::robot::parameters::{Number, add, label, visited};
use crate::robot::{Parameter, ParameterTorque, State, StateError};
use crate::spatial::Wrench;
use crate::turning::{Asked, AxisState, FourthAxis};
use crate::{Dual, Scalar, Vec3};

/// The torques of motions of the platform and of the tool, which are kept while parameters change.
pub(super) struct TurningTorque<'r> {
    /// Of the robot below: four states for each, with the forces (0, x, y, z).
    below: Box<dyn ParameterTorque + 'r>,
    axis: FourthAxis<f64>,
    payload: f64,
    gravity: Vec3<f64>,
    /// With the moment about the axis that the environment turns with.
    states: Vec<(State, f64)>,
    parameters: Vec<Parameter>,
}

/// The robot's own numbers that the axis feels too.
const PAYLOAD: &str = "payload.mass";
const GRAVITY: [&str; 3] = ["gravity x", "gravity y", "gravity z"];

impl<'r> TurningTorque<'r> {
    pub fn new<F: Translating>(
        robot: &'r TurningRobot<F>,
        states: &[(State, Wrench<f64>)],
        per_part: bool,
    ) -> Result<Self, StateError> {
        let unit = |k: usize| Vec3::from_fn(|i| if k == i + 1 { 1.0 } else { 0.0 });
        let pushed: Vec<(State, Wrench<f64>)> = states
            .iter()
            .flat_map(|(state, push)| (0..4).map(|k| (of_robot(state), Wrench::force(push.force + unit(k)))))
            .collect();
        let below = robot.robot.torque_of_parameters(&pushed, per_part)?;
        let own = visited(|visit| { robot.axis }.visit(visit), |_| [0.0; 3]);
        let parameter = |Number { field, place, value }: Number| Parameter {
            name: label(field, place),
            unit: field.unit.si(false), // the axis turns
            tolerance: field.tolerance,
            value,
            half_width: 0.0,
        };
        let parameters = below.parameters().iter().cloned().chain(own.into_iter().map(parameter)).collect();
        let states = states.iter().map(|(state, push)| (state.clone(), push.moment[2])).collect();
        let (payload, gravity) = (robot.robot.payload(), robot.robot.gravity());
        Ok(Self { below, axis: robot.from_tool, payload, gravity, states, parameters })
    }

    /// What the axis asks for in a state, friction included, with every parameter changed by so much.
    fn asked<S: Scalar>(&self, (state, moment): &(State, f64), changes: &[S]) -> Asked<S> {
        let (below, own) = changes.split_at(self.below.parameters().len());
        let by = |name: &str| {
            let of = |(parameter, by): (&Parameter, &S)| (parameter.name == name).then_some(*by);
            self.below.parameters().iter().zip(below).find_map(of).unwrap_or(S::zero())
        };
        let mut axis = self.axis.map(S::from_f64);
        let mut own = own.iter();
        axis.visit(&mut |_, _, slot| {
            if let Some(&by) = own.next() {
                add(slot, by);
            }
        });
        let gravity = Vec3::from_fn(|i| S::from_f64(self.gravity[i]) + by(GRAVITY[i]));
        let lift = |v: Vec3<f64>| v.map(S::from_f64);
        let (tool, joints) = (&state.tool, &state.joints);
        let [c, cd, cdd] = [&joints.q, &joints.qd, &joints.qdd].map(|all| S::from_f64(padded::<4>(all)[3]));
        let moving = [lift(tool.pose.origin), lift(tool.velocity.linear)];
        let here = AxisState::new(&axis, S::from_f64(self.payload) + by(PAYLOAD), moving, [c, cd]);
        let Asked { force, torque } = here.asked(lift(tool.acceleration.linear), cdd, gravity);
        Asked { force, torque: torque + here.friction() - S::from_f64(*moment) }
    }

    /// The torques of all motors, from those of the robot below, four states for each, and what the axis asks for. A push lessens the
    /// torques; what is asked for adds to them.
    fn joined<S: Scalar>(&self, below: &[S], changes: &[S]) -> Vec<S> {
        let mut all = Vec::with_capacity(4 * self.states.len());
        for (state, below) in self.states.iter().zip(below.chunks(12)) {
            let Asked { force, torque } = self.asked(state, changes);
            let lessened = |push: usize, i: usize| force[push] * (below[i] - below[3 * (push + 1) + i]);
            let carried = |i: usize| below[i] + (lessened(0, i) + lessened(1, i) + lessened(2, i));
            all.extend((0..3).map(carried).chain([torque]));
        }
        all
    }
}

impl ParameterTorque for TurningTorque<'_> {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn units(&self) -> Vec<&'static str> {
        self.below.units().into_iter().chain(["N m"]).collect()
    }

    fn torque(&self, changes: &[f64]) -> Vec<f64> {
        self.joined(&self.below.torque(&changes[..self.below.parameters().len()]), changes)
    }

    fn derivative(&self, k: usize) -> Vec<f64> {
        let own = self.below.parameters().len();
        let mut changes = vec![Dual::<f64, 1>::constant(0.0); self.parameters.len()];
        changes[k] = Dual::variable(0.0, 0);
        let below = self.below.torque(&vec![0.0; own]);
        let rates = if k < own { self.below.derivative(k) } else { vec![0.0; below.len()] };
        let below: Vec<_> = below.iter().zip(rates).map(|(&value, rate)| Dual { value, derivative: [rate] }).collect();
        self.joined(&below, &changes).iter().map(|torque| torque.derivative[0]).collect()
    }
}
