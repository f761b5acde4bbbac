//! A state in full.

use dalembert::delta::Branch;
use dalembert::robot::{Pick, ToolState};
use dalembert::spatial::Wrench;
use dalembert::{Robot, Vec3, robots};

/// The pieces shown add up to the library's torque; a forgotten term would be off by newton metres.
#[test]
fn what_is_explained_is_what_is_computed() -> Result<(), Box<dyn std::error::Error>> {
    for robot in [robots::asadi()?, robots::d3_1200()?] {
        let pose = robot.delta.at_position(Vec3::new(0.1, -0.05, -0.55), Branch::Out)?;
        let moving = pose.moving(Vec3::new(1.0, -2.0, 0.5));
        let (acceleration, force) = (Vec3::new(10.0, 20.0, -30.0), Vec3::new(1.0, 2.0, 3.0));
        let tool = ToolState::translating(moving.pose.position, moving.velocity, acceleration);
        let whole = Robot::new("a Delta", robot.clone());
        let explained = whole.explain(&whole.at_tool(&tool, &Pick::default())?, Wrench::force(force))?.torque;
        let computed = moving.torque_under(acceleration, force);
        for i in 0..3 {
            assert!((explained[i] - computed[i]).abs() < 1e-12, "{explained:?} {computed:?}");
        }
    }
    Ok(())
}
