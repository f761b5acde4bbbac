//! The explicit model of a serial arm as people read it: lumped constants with formula and value, and every element that is
//! not zero. For the PUMA 560 these are Tables A2–A7 of Armstrong, Khatib and Burdick, found by the program.
//!
//! ```sh
//! cargo run --release -p dalembert-symbolic --example tables            # puma560
//! cargo run --release -p dalembert-symbolic --example tables -- arm.toml
//! ```

use dalembert::robot::families::SerialLinks;
use dalembert_symbolic::explicit::{LumpedConstants, Polynomials, constants};
use std::error::Error;

fn derived<const N: usize>(links: &SerialLinks) -> Result<LumpedConstants, Box<dyn Error>> {
    let arm = links.arm::<N>().ok_or("another number of joints")?;
    Ok(constants(&Polynomials::symbolic(&arm)?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let robot = match std::env::args().nth(1) {
        Some(path) => dalembert::SerialRobot::load(path)?,
        None => dalembert::robots::puma560()?,
    };
    let derived = match robot.arm.links().len() {
        1 => derived::<1>,
        2 => derived::<2>,
        3 => derived::<3>,
        4 => derived::<4>,
        5 => derived::<5>,
        6 => derived::<6>,
        7 => derived::<7>,
        _ => derived::<8>,
    };
    let found = derived(&robot.arm)?;
    for constant in [&found.motors, &found.inertial, &found.velocity, &found.gravitational].into_iter().flatten() {
        println!("{:<5} = {:>11.4e} = {}", constant.name, constant.value, constant.formula);
    }
    println!();
    for equation in &found.equations {
        println!("{:<5} = {}", equation.name, equation.text);
    }
    Ok(())
}
