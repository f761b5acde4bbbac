//! A mass on a line as a robot of its own: with a limited force, and friction where asked, all of its motions are known.

use dalembert::Vec3;
use dalembert::friction::Friction;
use dalembert::limits::JointLimits;
use dalembert::motion::Mover;
use dalembert::robot::{
    Description, DoesNotApply, Family, Joint, JointKind, JointState, Kind, Load, Model, Pick, Reason, Robot, State,
    StateError, Target,
};

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
    fn description(&self) -> Description {
        let Self { limits, friction, .. } = *self;
        let joints = vec![Joint { kind: JointKind::Prismatic, limits, friction, rotor_inertia: 0.0, coupling: None }];
        let mut own = Description::new(Kind::of_joints("cart", "cart"), joints, &[]);
        own.gravity = Vec3::zero();
        own
    }
    fn load(&self, target: &Target, _: &Pick) -> Result<Load, StateError> {
        let Target::Joints(joints) = target else { return refused() };
        let speed = joints.qd[0];
        let friction = self.friction.map_or(0.0, |friction| friction.torque(speed)) + self.damping * speed;
        let torque = [self.mass * joints.qdd[0] + friction].into();
        Ok(Load { joints: joints.clone(), torque, friction: [friction].into(), ball_angles: None })
    }
    fn at_joints(&self, _: &JointState, _: &Pick) -> Result<State, StateError> {
        refused()
    }
    fn home(&self) -> Result<State, StateError> {
        refused()
    }
    fn build_model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        let message = String::from("a cart has no model");
        Err(DoesNotApply { model: name.to_owned(), message, hint: None })
    }
}
