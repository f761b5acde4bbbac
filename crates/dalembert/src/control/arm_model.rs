//! The models of the PUMA 560 as a controller uses them.

use super::{Aim, JointModel, JointState, Reference};
use crate::Vec3;
use crate::record::serial_states::SerialModelName;
use crate::robot::families::serial::derived::Puma560;
use crate::serial::puma::{DoesNotApply, Matrices, PumaModel};
use crate::serial::{Moving, Serial, Wrench};

/// A PUMA 560 by one of its models; kinematics and friction are the arm's.
#[derive(Clone, Copy, Debug)]
pub struct PumaControl<'r> {
    arm: &'r Serial<f64, 6>,
    dynamics: Dynamics,
}

#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "a box would be an allocation in the loop")]
enum Dynamics {
    Recursive,
    Tables(PumaModel<f64>),
    Derived(Puma560),
}

/// A PUMA 560 in a state.
#[derive(Clone, Copy, Debug)]
pub struct PumaState<'a> {
    moving: Moving<'a, f64, 6>,
    dynamics: InState,
}

#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "a box would be an allocation in the loop")]
enum InState {
    Recursive,
    Tables(Matrices<f64>),
    Derived(Puma560),
}

impl<'r> PumaControl<'r> {
    /// A model of an arm, if it applies.
    pub fn new(model: SerialModelName, arm: &'r Serial<f64, 6>) -> Result<Self, DoesNotApply> {
        let dynamics = match model {
            SerialModelName::NewtonEuler => Dynamics::Recursive,
            SerialModelName::Puma(name) => Dynamics::Tables(PumaModel::by_name(name, arm)?),
            SerialModelName::Derived => Dynamics::Derived(Puma560::new(arm)?),
        };
        Ok(Self { arm, dynamics })
    }
}

impl JointModel<f64, 6> for PumaControl<'_> {
    type State<'a>
        = PumaState<'a>
    where
        Self: 'a;

    fn at(&self, q: [f64; 6], qd: [f64; 6]) -> PumaState<'_> {
        let dynamics = match self.dynamics {
            Dynamics::Recursive => InState::Recursive,
            Dynamics::Tables(model) => InState::Tables(model.matrices(q)),
            Dynamics::Derived(program) => InState::Derived(program),
        };
        PumaState { moving: self.arm.pose_unchecked(q).moving(qd), dynamics }
    }

    fn friction(&self, q: [f64; 6], qd: [f64; 6]) -> [f64; 6] {
        self.arm.pose_unchecked(q).moving(qd).friction()
    }
}

impl JointState<f64, 6> for PumaState<'_> {
    fn torque(&self, qdd: [f64; 6]) -> [f64; 6] {
        match &self.dynamics {
            InState::Recursive => self.moving.rigid_torque(qdd),
            InState::Tables(matrices) => matrices.torque(self.moving.qd, qdd),
            InState::Derived(program) => program.torque(&self.moving.pose.q, &self.moving.qd, &qdd),
        }
    }
    fn gravity(&self) -> [f64; 6] {
        match &self.dynamics {
            InState::Recursive => self.moving.pose.gravity_torque(),
            InState::Tables(matrices) => matrices.g,
            InState::Derived(program) => program.gravity_torque(&self.moving.pose.q),
        }
    }
    fn friction(&self) -> [f64; 6] {
        self.moving.friction()
    }
    fn aim(&self, wanted: &Reference<f64, 6>) -> Aim<f64> {
        self.moving.aim(wanted)
    }
    fn steer(&self, acceleration: [Vec3<f64>; 2], near: [f64; 6]) -> [f64; 6] {
        self.moving.steer(acceleration, near)
    }
    fn steering_margin(&self) -> f64 {
        self.moving.steering_margin()
    }
    fn follow(&self, wanted: &Reference<f64, 6>) -> [f64; 6] {
        self.moving.follow(wanted)
    }
    fn press(&self, wrench: Wrench<f64>) -> [f64; 6] {
        self.moving.press(wrench)
    }
    fn idle(&self, torque: [f64; 6]) -> [f64; 6] {
        self.moving.idle(torque)
    }
    fn damp(&self, u: [f64; 6]) -> [f64; 6] {
        self.inertia_times(u)
    }
}
