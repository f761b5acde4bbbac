//! A Delta that swings about its arms at 45°, held by constant torques: once by itself, once as a mechanism.

use dalembert::delta::{Assembly, Branch, Delta};
use dalembert::mechanism::{DeltaParts, Mechanism, add_delta};
use dalembert::simulate::{ExplicitDelta, Variables};
use dalembert::{DeltaRobot, Vec3};
use std::error::Error;

pub struct Swing {
    pub robot: Delta<f64>,
    pub torque: [f64; 3],
    pub position: Vec3<f64>,
    pub mechanism: Mechanism,
    pub parts: DeltaParts,
    pub q: Vec<f64>,
}

pub fn swing(robot: &DeltaRobot) -> Result<Swing, Box<dyn Error>> {
    let robot = robot.delta;
    let torque = robot.at_joints([45_f64.to_radians(); 3], Assembly::Below)?.gravity_torque();
    let pose = robot.at_joints([0.1, -0.05, 0.03].map(|x| 45_f64.to_radians() + x), Assembly::Below)?;
    let mut mechanism = Mechanism::new(robot.gravity());
    let parts = add_delta(&mut mechanism, "delta", &robot)?;
    let q = mechanism.assemble(0.0, &parts.coordinates(&pose), &[0.0; 9])?.q;
    Ok(Swing { robot, torque, position: pose.position, mechanism, parts, q })
}

impl Swing {
    pub fn explicit(&self, variables: Variables) -> Result<(ExplicitDelta, [f64; 6]), Box<dyn Error>> {
        let system = ExplicitDelta::new(&self.robot, Branch::Out, variables, self.torque);
        let state = system.state(self.position, Vec3::zero())?;
        Ok((system, state))
    }

    /// Where the platform is.
    pub fn platform(&self, q: &[f64]) -> Result<Vec3<f64>, Box<dyn Error>> {
        Ok(self.mechanism.point(&q[..9], &self.parts.platform())?)
    }
}
