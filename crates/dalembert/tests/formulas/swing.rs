//! Conservation of energy over ten seconds of free motion.
//!
//! A constant torque that holds q = 45° on all arms, no friction, start at rest at q = 45° + (0.1, −0.05, 0.03) rad.
//! The torque has the potential −τ·q, so T + V − τ·q is conserved: any error in the mass matrix, the velocity terms or
//! gravity that does not come from one energy makes it drift by a part of T within the first swing.

use dalembert::robots;

use crate::common::swing::swing;

#[test]
fn energy_is_conserved_for_ten_seconds() -> Result<(), Box<dyn std::error::Error>> {
    for robot in [robots::asadi()?, robots::d3_1200()?] {
        let energy = swing(&robot.delta)?;
        println!("{}: {energy:?}, ratio {:.2e}", robot.name, energy.drift / energy.range);
        assert!(energy.range > 0.01, "the robot swings");
        assert!(energy.drift <= 1e-9 * energy.range, "{}: {energy:?}", robot.name);
    }
    Ok(())
}
