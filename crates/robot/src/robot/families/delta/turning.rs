//! A Delta as a fourth axis needs it.

use super::{DeltaRobot, KIND, assembly, elbows, moving, pose};
use crate::delta::models::Exact;
use crate::delta::{self, Delta, DeltaModel};
use crate::robot::families::turning::Translating;
use crate::robot::{Form, JointVector, Kind, State};
use crate::{Scalar, Vec3};

/// With a fourth axis.
static TURNING: Kind = Kind { title: "Delta robot with a fourth axis", ..KIND };

impl Translating for DeltaRobot {
    const KIND: &'static Kind = &TURNING;
    type Formulas<S: Scalar + 'static> = DeltaModel<S, Exact>;
    type Here<'a> = delta::DeltaState<'a, f64, Exact>;

    fn formulas<S: Scalar + 'static>(&self, state: &State) -> DeltaModel<S, Exact> {
        let here = pose(&self.delta, state);
        let assembly = match state.given {
            Form::Tool => here.assembly(),
            Form::Joints => assembly(&state.pick),
        };
        DeltaModel { robot: self.delta.lift(), model: Exact, assembly, branch: elbows(&state.pick) }
    }

    fn here(&self, state: &State) -> delta::DeltaState<'_, f64, Exact> {
        delta::DeltaState::new(moving(&self.delta, state), &Exact)
    }

    fn without_drives(&self) -> Self {
        let mut parameters = *self.delta.parameters();
        for arm in &mut parameters.arms {
            (arm.motor.rotor_inertia, arm.motor.friction) = (0.0, None);
        }
        Self { delta: Delta::new(parameters), ..self.clone() }
    }
    fn payload(&self) -> f64 {
        self.delta.parameters().payload_mass
    }

    fn gravity(&self) -> Vec3<f64> {
        self.delta.gravity()
    }

    fn ball_angles(&self, state: &State) -> JointVector {
        pose(&self.delta, state).ball_angles().into()
    }
}
