//! Serial arms in the closed loop. Their coordinates are their joints.

use super::SerialArm;
use super::models::MODELS;
use super::puma::PumaDynamics;
use crate::robot::Family;
use crate::robot::closed_loop::{ControlError, LoopTask, SampledLoop, in_joints};
use crate::robot::families::known_as;
use crate::serial::Serial;
use std::any::Any;

impl<const N: usize> SerialArm<N> {
    /// The arm as it moves: behind a gear with play motor and friction are not the link's; the gyroscopic torques of a
    /// motor, which the joint's speed would say, are left out.
    fn plant(&self, task: &LoopTask<'_>) -> Serial<f64, N> {
        let mut parameters = *self.arm.parameters();
        if task.settings.drive.backlash.is_some() {
            for link in &mut parameters.links {
                (link.motor_inertia, link.friction, link.armature) = (0.0, None, None);
            }
        }
        Serial::new(parameters)
    }

    pub(super) fn sampled_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        let known: &Self = known_as(self, task.known)?;
        if task.model == MODELS[0].name {
            return in_joints(self, self.plant(task), known.arm, task);
        }
        // The other models are those of the PUMA 560.
        known.build_model(task.model)?;
        let arms = [self.plant(task), known.arm];
        match (&arms as &dyn Any).downcast_ref::<[Serial<f64, 6>; 2]>() {
            Some(&[plant, known]) => in_joints(self, plant, PumaDynamics::new(task.model, known)?, task),
            None => Err(ControlError::Joints { robot: N, known: 6 }),
        }
    }
}
