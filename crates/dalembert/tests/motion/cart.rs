//! A mass on a line as a robot of its own: with a limited force, and friction where asked, all of its motions are known.

use dalembert::Vec3;
use dalembert::friction::Friction;
use dalembert::limits::JointLimits;
use dalembert::motion::Mover;
use dalembert::robot::{
    DoesNotApply, Family, Joint, JointKind, JointState, JointVector, Kind, Load, Model, ModelSpec, Pick, Reason, Robot,
    State, StateError, Target,
};
use dalembert::spatial::Wrench;
use std::any::Any;

/// A cart.
#[derive(Clone, Debug)]
pub struct Cart {
    pub limits: JointLimits,
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
}

fn refused<T>() -> Result<T, StateError> {
    Err(StateError::new(Reason::NotOffered, "a cart is only planned for"))
}

impl Family for Cart {
    fn kind(&self) -> Kind {
        Kind::of_joints("cart", "cart")
    }
    fn joints(&self) -> Vec<Joint> {
        let Self { limits, friction, .. } = *self;
        vec![Joint { kind: JointKind::Prismatic, limits, friction, rotor_inertia: 0.0 }]
    }
    fn load(&self, target: &Target, _: &Pick) -> Result<Load, StateError> {
        let Target::Joints(joints) = target else { return refused() };
        let speed = joints.qd[0];
        let friction = self.friction.map_or(0.0, |friction| friction.torque(speed)) + self.damping * speed;
        let torque = [self.mass * joints.qdd[0] + friction].into();
        Ok(Load { joints: joints.clone(), torque, friction: [friction].into(), ball_angles: None })
    }
    fn gravity(&self) -> Vec3<f64> {
        Vec3::zero()
    }
    fn payload(&self) -> f64 {
        0.0
    }
    fn at_joints(&self, _: &JointState, _: &Pick) -> Result<State, StateError> {
        refused()
    }
    fn home(&self) -> Result<State, StateError> {
        refused()
    }
    fn models(&self) -> &'static [ModelSpec] {
        &[]
    }
    fn build_model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        let message = String::from("a cart has no model");
        Err(DoesNotApply { model: name.to_owned(), message, hint: None })
    }
    fn torque_of_wrench(&self, _: &State, _: Wrench<f64>) -> JointVector {
        JointVector::zero(1)
    }
    fn clone_box(&self) -> Box<dyn Family> {
        Box::new(self.clone())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
