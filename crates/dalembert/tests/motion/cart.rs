//! A mass on a line as a robot of its own: with a limited force, and friction where asked, all of its motions are known.

use dalembert::Vec3;
use dalembert::delta::Limits;
use dalembert::friction::Friction;
use dalembert::motion::Mover;
use dalembert::robot::{
    DoesNotApply, Family, Form, Impossible, Joint, JointKind, JointState, JointVector, Kind, Load, Model, ModelSpec,
    Number, ParameterTorque, Pick, Reason, Refused, Robot, State, Target, ToolState, Workspace,
};
use dalembert::spatial::Wrench;
use std::any::Any;

/// A cart.
#[derive(Clone, Debug)]
pub struct Cart {
    pub limits: Limits,
    /// kg.
    pub mass: f64,
    /// At its motor.
    pub friction: Option<Friction<f64>>,
    /// Beside it, N s/m.
    pub damping: f64,
}

impl Cart {
    pub fn mover(self) -> Mover {
        Mover::of_joints(&Robot::new("cart", self), &Pick::default())
    }

    fn refused<T>() -> Result<T, Refused> {
        Err(Refused::new(Reason::NotOffered, "a cart is only planned for"))
    }

    fn impossible<T>() -> Result<T, Impossible> {
        Err(Impossible(String::from("a cart stays as it is")))
    }
}

impl Family for Cart {
    fn kind(&self) -> Kind {
        Kind {
            name: "cart",
            title: "cart",
            moved: "cart",
            part: "part",
            part_table: None,
            form: Form::Joints,
            both_forms: false,
            tool_turns: false,
            tool_offset: Vec3::zero(),
            usual_motion: "swing",
            same_motors: true,
        }
    }
    fn joints(&self) -> Vec<Joint> {
        let Self { limits, friction, .. } = *self;
        vec![Joint { kind: JointKind::Prismatic, limits, friction, rotor_inertia: 0.0 }]
    }
    fn load(&self, target: &Target, _: &Pick) -> Result<Load, Refused> {
        let Target::Joints(joints) = target else { return Self::refused() };
        let speed = joints.qd[0];
        let friction = self.friction.map_or(0.0, |friction| friction.torque(speed)) + self.damping * speed;
        let torque = [self.mass * joints.qdd[0] + friction].into();
        Ok(Load { joints: *joints, torque, friction: [friction].into(), ball_angles: None })
    }
    fn numbers(&self) -> Vec<Number> {
        Vec::new()
    }
    fn torque_of_parameters(&self, _: &[(State, Vec3<f64>)], _: bool) -> Result<Box<dyn ParameterTorque>, Refused> {
        Self::refused()
    }
    fn gravity(&self) -> Vec3<f64> {
        Vec3::zero()
    }
    fn payload(&self) -> f64 {
        0.0
    }
    fn with_payload(&self, _: f64) -> Result<Box<dyn Family>, Impossible> {
        Self::impossible()
    }
    fn with_friction(&self, _: Option<Friction<f64>>) -> Result<Box<dyn Family>, Impossible> {
        Self::impossible()
    }
    fn with_gravity(&self, _: Vec3<f64>) -> Result<Box<dyn Family>, Impossible> {
        Self::impossible()
    }
    fn at_joints(&self, _: &JointState, _: &Pick) -> Result<State, Refused> {
        Self::refused()
    }
    fn at_tool(&self, _: &ToolState, _: &Pick) -> Result<State, Refused> {
        Self::refused()
    }
    fn home(&self) -> Result<State, Refused> {
        Self::refused()
    }
    fn workspace(&self) -> Option<Workspace> {
        None
    }
    fn models(&self) -> &'static [ModelSpec] {
        &[]
    }
    fn build_model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        let message = String::from("a cart has no model");
        Err(DoesNotApply { model: name.to_owned(), message, hint: None })
    }
    fn carry(&self, _: &State, _: Wrench<f64>) -> JointVector {
        JointVector::zero(1)
    }
    fn clone_box(&self) -> Box<dyn Family> {
        Box::new(self.clone())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
