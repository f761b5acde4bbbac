//! The models of the PUMA 560 as a controller uses them; kinematics and friction are the arm's.

use super::derived::Puma560;
use super::models::{PumaFormulas, puma_formulas};
use crate::dynamics::{Dynamics, Reference, State, ToolError};
use crate::robot::DoesNotApply;
use crate::serial::puma::Matrices;
use crate::serial::{Moving, Serial};
use crate::spatial::{Frame, Twist, Wrench};

/// A PUMA 560 by one of its models.
#[derive(Clone, Copy, Debug)]
pub(super) struct PumaDynamics {
    arm: Serial<f64, 6>,
    formulas: PumaFormulas,
}

/// A PUMA 560 in a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct PumaState<'a> {
    moving: Moving<'a, f64, 6>,
    formulas: InState,
}

#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "a box would be an allocation in the loop")]
enum InState {
    Tables(Matrices<f64>),
    Derived(Puma560),
}

impl PumaDynamics {
    /// A model of an arm, if it applies.
    pub fn new(name: &str, arm: Serial<f64, 6>) -> Result<Self, DoesNotApply> {
        Ok(Self { formulas: puma_formulas(&arm, name)?, arm })
    }
}

impl Dynamics<f64, 6> for PumaDynamics {
    type At<'a> = PumaState<'a>;

    fn at_joints(&self, q: [f64; 6], qd: [f64; 6]) -> PumaState<'_> {
        let formulas = match self.formulas {
            PumaFormulas::Tables(model) => InState::Tables(model.matrices(q)),
            PumaFormulas::Derived(program) => InState::Derived(program),
        };
        PumaState { moving: self.arm.pose_unchecked(q).moving(qd), formulas }
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
        match &self.formulas {
            InState::Tables(matrices) => matrices.torque(self.moving.qd, qdd),
            InState::Derived(program) => program.torque(&self.moving.pose.q, &self.moving.qd, &qdd),
        }
    }
    fn gravity(&self) -> [f64; 6] {
        match &self.formulas {
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
