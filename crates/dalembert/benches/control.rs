//! Speed of the closed loop, in one run: `cargo bench -p dalembert --bench control`.
//!
//! `d3-1200` on a fast pick-and-place under computed torque at 1 kHz: the motion, its inverse kinematics, the encoders, the
//! law with forward kinematics and the exact model, the limits, and the Runge–Kutta steps of the robot are all inside.
//! Other work on a machine only makes a run slower, so the best of many short runs is printed, and the median beside it.
#![allow(missing_docs)]

use dalembert::control::{Drive, Encoder, Experiment, Law, LoopScratch, Sampling};
use dalembert::delta::Branch;
use dalembert::motion::{Direction, Motion, PickAndPlace, PlatformState, RobotMotion};
use dalembert::robot::Robot;
use dalembert::{Vec3, robots};
use std::hint::black_box;
use std::time::Instant;

const RUNS: usize = 200;
const SAMPLES: usize = 2000;

/// Best and median seconds per call.
fn measure(calls: usize, mut run: impl FnMut()) -> (f64, f64) {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let begun = Instant::now();
            run();
            begun.elapsed().as_secs_f64() / calls as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[RUNS / 2])
}

/// One stroke after the other.
struct Endless(PickAndPlace);

impl Motion for Endless {
    type Point = Vec3<f64>;
    fn duration(&self) -> f64 {
        1e6
    }
    fn at(&self, t: f64) -> PlatformState {
        self.0.at(t)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let robot = robots::d3_1200()?;
    let delta = robot.delta;
    let stroke = PickAndPlace {
        center: Vec3::new(0.0, 0.0, -0.85),
        width: 0.3,
        height: 0.025,
        stroke: 1.0 / 6.0,
        direction: Direction::Y,
    };
    let mut experiment = Experiment::new(Robot::from(robot), "300 × 25 mm", RobotMotion::translating(Endless(stroke)));
    println!("closed loop of d3-1200 at 1 kHz, one core: times real time, best (median)");
    for (name, drive, encoder, delay) in [
        ("ideal drive and sensor", Drive::IDEAL, Encoder::IDEAL, 0),
        ("usual drive and sensor", Drive::USUAL, Encoder::USUAL, 1),
    ] {
        (experiment.drive, experiment.encoder) = (drive, encoder);
        for law in [Law::Pd, Law::Feedforward, Law::ComputedTorque] {
            for substeps in [1, 4] {
                experiment.sampling = Sampling { delay, substeps, ..Sampling::USUAL };
                let tuning = experiment.tuning(law);
                let room = LoopScratch::default();
                let mut closed = experiment.closed_loop(&tuning, &room)?;
                let mut ended = Ok(());
                let (best, median) = measure(SAMPLES, || {
                    for _ in 0..SAMPLES {
                        if let Err(error) = black_box(closed.step()) {
                            ended = Err(error);
                        }
                    }
                });
                ended?;
                println!(
                    "{name}, {:15} {substeps} step(s) per sample: {:6.0} ({:.0})   {:.0} ns per sample",
                    law.as_str(),
                    1e-3 / best,
                    1e-3 / median,
                    1e9 * best
                );
            }
        }
    }
    let fast = delta.symmetric().ok_or("d3-1200 is symmetric")?;
    let state = stroke.at(0.05);
    let torque = Vec3::new(10.0, -5.0, 3.0);
    // Through a pointer, so that nothing is inlined into the loop: what a caller elsewhere gets.
    let forward: &dyn Fn(Vec3<f64>) -> Vec3<f64> = &|position| fast.acceleration(position, state.velocity, torque.0);
    let forward = black_box(forward);
    let (best, median) = measure(SAMPLES, || {
        for _ in 0..SAMPLES {
            black_box(forward(black_box(state.position)));
        }
    });
    println!("forward dynamics, one evaluation: {:.1} ns ({:.1})", 1e9 * best, 1e9 * median);
    let inverse: &dyn Fn(Vec3<f64>) -> [f64; 3] =
        &|position| delta.pose_unchecked(position, Branch::Out).moving(state.velocity).torque(state.acceleration);
    let inverse = black_box(inverse);
    let (best, median) = measure(SAMPLES, || {
        for _ in 0..SAMPLES {
            black_box(inverse(black_box(state.position)));
        }
    });
    println!("inverse dynamics, one evaluation: {:.1} ns ({:.1})", 1e9 * best, 1e9 * median);
    Ok(())
}
