//! Robots as parts of larger mechanisms.

use super::{Coincident, DeltaArm, Mechanism, MechanismError, PartId, Place};
use crate::delta::{Delta, Pose};

/// A Delta inside a mechanism.
#[derive(Clone, Debug)]
pub struct DeltaParts {
    /// Its arms.
    pub arms: [PartId; 3],
    models: [DeltaArm; 3],
}

impl DeltaParts {
    /// The platform's centre.
    pub fn platform(&self) -> Place {
        self.arms[0].origin()
    }

    /// The nine coordinates at a pose.
    pub fn coordinates(&self, pose: &Pose<'_, f64>) -> [f64; 9] {
        let q = pose.joints();
        let angles: [[f64; 3]; 3] = std::array::from_fn(|i| self.models[i].angles(pose.position, q[i]));
        std::array::from_fn(|i| angles[i / 3][i % 3])
    }
}

/// Adds a Delta as Bortoff composes it: three arms, their tips joined (10), a motor on each; friction, damping, rotor
/// and payload as the robot has them.
pub fn add_delta(mechanism: &mut Mechanism, name: &str, robot: &Delta<f64>) -> Result<DeltaParts, MechanismError> {
    let p = robot.parameters();
    let share = (p.platform_mass + p.payload_mass) / 3.0;
    let models = p.arms.map(|arm| DeltaArm::new(&arm, share));
    let mut number = 0;
    let arms = models.map(|arm| {
        number += 1;
        mechanism.add(format!("{name} arm {number}"), arm)
    });
    for (part, arm) in arms.iter().zip(&p.arms) {
        mechanism.drive_with(*part, 0, arm.motor.friction)?;
        if let Some(damping) = arm.passive_damping {
            mechanism.damp(*part, 1, damping)?;
            mechanism.damp(*part, 2, damping)?;
        }
    }
    for other in [1, 2] {
        let joint = Coincident::new(arms[0].origin(), arms[other].origin());
        mechanism.constrain(format!("{name} tips 1 and {}", other + 1), joint)?;
    }
    Ok(DeltaParts { arms, models })
}
