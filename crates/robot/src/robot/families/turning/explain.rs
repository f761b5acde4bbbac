//! A state of a robot with a fourth axis in full: that of the robot below under the force that the axis asks for, and the axis itself.

use super::{Translating, TurningRobot, of_robot};
use crate::robot::explanation::{Explanation, Quantity, Section, Values};
use crate::robot::own::padded;
use crate::robot::{JointVector, Model, State};
use crate::spatial::Wrench;
use crate::turning::Asked;

const AXIS: &str = "crates/core/src/turning/mod.rs";

impl<F: Translating> TurningRobot<F> {
    pub(super) fn explanation(&self, below: &dyn Model, state: &State, wrench: Wrench<f64>) -> Option<Explanation> {
        let here = self.here(state);
        let [c, cd, cdd] = [&state.joints.q, &state.joints.qd, &state.joints.qdd].map(|all| padded::<4>(all)[3]);
        let Asked { force, torque } = here.axis().asked(state.tool.acceleration.linear, cdd, self.robot.gravity());
        let friction = here.axis().friction();
        let about = torque + friction - wrench.moment[2];
        let mut all = below.explain(&of_robot(state), Wrench::force(wrench.force - force))?;
        let one = |symbol, meaning, formula, equation, unit, value| {
            Quantity::new(symbol, meaning, formula, equation, unit, Values::One(value))
        };
        let mut quantities = vec![
            one("c", "angle of the tool", "", "", "rad", c),
            one("ċ", "its rate", "", "", "rad/s", cd),
            one("c̈", "and acceleration", "", "", "rad/s²", cdd),
        ];
        if let Some([length, cosine, spin]) = here.axis().shaft() {
            let bend = cosine.abs().min(1.0).acos();
            quantities.extend([
                one("L", "length of the shaft", "|P − B|", AXIS, "m", length),
                one("β", "bend of its joints", "angle between u and z", AXIS, "rad", bend),
                one("ω_u", "its spin", "(s (a × u)·u̇ + ċ u_z)/(1 − s²)", "turning (1)", "rad/s", spin),
            ]);
        }
        quantities.extend([
            Quantity::new(
                "F",
                "what axis, tool and payload ask of the platform; above it is a force of the environment",
                "",
                "turning (3)",
                "N",
                Values::Vector(force.0),
            ),
            one("", "and of the motor", "", "turning (3)", "N m", torque),
            one("", "friction", "", "file", "N m", friction),
            one("τ4", "torque of the fourth motor", "", "", "N m", about),
        ]);
        all.sections.push(Section { title: "The fourth axis", quantities });
        let below = all.torque;
        all.torque = JointVector::from_fn(4, |i| if i < 3 { below[i] } else { about });
        Some(all)
    }
}
