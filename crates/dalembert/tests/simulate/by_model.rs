//! A family that offers nothing but what it must moves all the same.

use dalembert::Robot;
use dalembert::robot::{Description, DoesNotApply, Family, JointState, Model, Pick, State, StateError};
use dalembert::simulate::{DormandPrince, run};

/// A robot without its own equations of motion.
#[derive(Clone, Debug)]
struct Plain(Robot);

impl Family for Plain {
    fn description(&self) -> Description {
        self.0.description().clone()
    }
    fn at_joints(&self, joints: &JointState, pick: &Pick) -> Result<State, StateError> {
        self.0.at_joints(joints, pick)
    }
    fn home(&self) -> Result<State, StateError> {
        self.0.home()
    }
    fn build_model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        self.0.build_model(name)
    }
}

/// The equations that a family has of its own, and those that follow from its model: one motion.
#[test]
fn a_model_moves_as_the_familys_own_equations() -> Result<(), Box<dyn std::error::Error>> {
    for name in ["puma560", "d3-1200"] {
        let robot = Robot::find(name)?;
        let start = robot.free_swing()?.start;
        let (mut own, own_start) = robot.equations_of_motion(&start)?;
        let (mut general, general_start) = Robot::new("plain", Plain(robot.clone()))
            .equations_of_motion(&State::new(start.given, start.pick.clone(), start.joints.clone(), start.tool))?;
        // Not quite what holds it at home, so that every robot moves.
        let mut hold = robot.build_model("exact")?.gravity_torque(&robot.home()?);
        hold.iter_mut().for_each(|torque| *torque *= 0.9);
        own.set_torques(&hold)?;
        general.set_torques(&hold)?;
        let times = [0.0, 0.05, 0.1];
        let a = run(&mut *own, &mut DormandPrince::new(own_start.len(), 1e-11)?, &own_start, times);
        let b = run(&mut *general, &mut DormandPrince::new(general_start.len(), 1e-11)?, &general_start, times);
        assert!(a.ended.is_ok() && b.ended.is_ok(), "{name}: {:?} {:?}", a.ended, b.ended);
        for k in 0..times.len() {
            let [a, b] = [own.robot_state(times[k], &a.states[k])?, general.robot_state(times[k], &b.states[k])?];
            for i in 0..hold.len() {
                assert!((a.joints.q[i] - b.joints.q[i]).abs() < 1e-8, "{name}: {a:?} {b:?}");
            }
        }
        assert!(b.energy_drift() < 1e-8 * b.kinetic_range(), "{name}: {}", b.energy_drift());
    }
    Ok(())
}
