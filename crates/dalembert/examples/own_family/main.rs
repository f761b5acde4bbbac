//! A robot family of one's own.
mod five_bar;
use dalembert::dynamics::{Dynamics, State};
use dalembert::spatial::Wrench;
use dalembert::{Dual, Vec3};
use five_bar::FiveBar;

fn main() {
    let robot = FiveBar {
        half_base: 0.1,
        link: 0.25,
        rod: 0.35,
        inertia: 0.01,
        moment: 0.02,
        rod_mass: 0.2,
        tool_mass: 0.5,
        viscous: 0.0,
    };
    let (q, qd, qdd) = ([2.0, 1.0], [0.7, -0.4], [3.0, 5.0]);
    let at = robot.at_joints(q, qd);
    // tool velocity against dual numbers
    let lifted: FiveBar<Dual<f64, 1>> = robot.lift();
    let along = lifted.at_joints(
        [0, 1].map(|i| Dual { value: q[i], derivative: [qd[i]] }),
        [0, 1].map(|i| Dual { value: qd[i], derivative: [qdd[i]] }),
    );
    println!("{:?} {:?}", at.tool_velocity().linear, along.tool().origin);
    println!("{:?} {:?}", at.tool_acceleration(qdd).linear, along.tool_velocity().linear);
    println!("{:?}", at.mass_matrix());
    let tau = at.torque(qdd, Wrench::force(Vec3::new(1.0, 0.0, 2.0)));
    println!("{:?}", at.acceleration(tau, Wrench::force(Vec3::new(1.0, 0.0, 2.0))));
}
