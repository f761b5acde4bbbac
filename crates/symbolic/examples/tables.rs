//! The explicit model of a serial arm as people read it: lumped constants with formula and value, and every element that is
//! not zero. For the PUMA 560 these are Tables A2–A7 of Armstrong, Khatib and Burdick, found by the program.
//!
//! ```sh
//! cargo run --release -p dalembert-symbolic --example tables            # puma560
//! cargo run --release -p dalembert-symbolic --example tables -- arm.toml
//! ```

use dalembert::arm::ArmVisitor;
use dalembert::serial::Serial;
use dalembert_symbolic::explicit::{LumpedConstants, NotDerivable, Polynomials, constants};

struct Derive;

impl ArmVisitor for Derive {
    type Output = Result<LumpedConstants, NotDerivable>;
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
        Ok(constants(&Polynomials::symbolic(arm)?))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let robot = match std::env::args().nth(1) {
        Some(path) => dalembert::SerialRobot::load(path)?,
        None => dalembert::robots::puma560()?,
    };
    let found = robot.arm.visit(Derive)?;
    for constant in [&found.motors, &found.inertial, &found.velocity, &found.gravitational].into_iter().flatten() {
        println!("{:<5} = {:>11.4e} = {}", constant.name, constant.value, constant.formula);
    }
    println!();
    for equation in &found.equations {
        println!("{:<5} = {}", equation.name, equation.text);
    }
    Ok(())
}
