//! The models of the PUMA 560 as a controller uses them.

use crate::dynamics::{Dynamics, Reference, State, ToolError};
use crate::record::serial_states::SerialModelName;
use crate::robot::families::serial::derived::Puma560;
use crate::serial::puma::{DoesNotApply, Matrices, PumaModel};
use crate::serial::{Moving, Serial};
use crate::spatial::{Frame, Twist, Wrench};

/// A PUMA 560 by one of its models; kinematics and friction are the arm's.
#[derive(Clone, Copy, Debug)]
pub struct PumaControl<'r> {
    arm: &'r Serial<f64, 6>,
    model: Choice,
}

#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "a box would be an allocation in the loop")]
enum Choice {
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
        let model = match model {
            SerialModelName::NewtonEuler => Choice::Recursive,
            SerialModelName::Puma(name) => Choice::Tables(PumaModel::by_name(name, arm)?),
            SerialModelName::Derived => Choice::Derived(Puma560::new(arm)?),
        };
        Ok(Self { arm, model })
    }
}

impl Dynamics<f64, 6> for PumaControl<'_> {
    type At<'a>
        = PumaState<'a>
    where
        Self: 'a;

    fn at_joints(&self, q: [f64; 6], qd: [f64; 6]) -> PumaState<'_> {
        let dynamics = match self.model {
            Choice::Recursive => InState::Recursive,
            Choice::Tables(model) => InState::Tables(model.matrices(q)),
            Choice::Derived(program) => InState::Derived(program),
        };
        PumaState { moving: self.arm.pose_unchecked(q).moving(qd), dynamics }
    }

    fn friction(&self, q: [f64; 6], qd: [f64; 6]) -> [f64; 6] {
        self.arm.pose_unchecked(q).moving(qd).friction()
    }
}

impl State<f64, 6> for PumaState<'_> {
    fn joints(&self) -> ([f64; 6], [f64; 6]) {
        self.moving.joints()
    }
    fn rigid_torque(&self, qdd: [f64; 6]) -> [f64; 6] {
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
    fn tool(&self) -> Frame<f64> {
        self.moving.pose.tool()
    }
    fn tool_velocity(&self) -> Twist<f64> {
        self.moving.tool_velocity()
    }
    fn tool_acceleration(&self, qdd: [f64; 6]) -> Twist<f64> {
        self.moving.tool_acceleration(qdd)
    }
    fn torque_of_wrench(&self, wrench: Wrench<f64>) -> [f64; 6] {
        self.moving.torque_of_wrench(wrench)
    }
    fn friction(&self) -> [f64; 6] {
        self.moving.friction()
    }
    fn joint_acceleration(&self, tool: Twist<f64>, near: [f64; 6]) -> [f64; 6] {
        self.moving.joint_acceleration(tool, near)
    }
    fn margin(&self) -> f64 {
        self.moving.margin()
    }
    fn null_space_torque(&self, torque: [f64; 6]) -> [f64; 6] {
        self.moving.pose.null_space_torque(torque)
    }
    fn tool_error(&self, reference: &Reference<f64, 6>) -> ToolError<f64> {
        self.moving.tool_error(reference)
    }
}
