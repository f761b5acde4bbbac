//! How long a compiled program of a six-joint arm takes for a state, beside the recursion. `cargo run --release -p
//! dalembert-compiled --example speed`.

use dalembert_compiled::Compiled;
use dalembert_core::serial::{Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};
use dalembert_core::spatial::Frame;
use dalembert_core::{Angle, Mat3, Sym3, Vec3};
use dalembert_symbolic::Effort;
use dalembert_symbolic::derive::{Of, Request, serial};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

const STATES: usize = 4096;

/// The PUMA 560's geometry with full inertias.
fn arm() -> Serial<f64, 6> {
    let rows = [
        [0.0, 0.0, 0.0],
        [-90.0, 0.0, 0.2435],
        [0.0, 0.4318, -0.0934],
        [90.0, -0.0203, 0.4331],
        [-90.0, 0.0, 0.0],
        [90.0, 0.0, 0.0],
    ];
    let links = rows.map(|[alpha, a, d]: [f64; 3]| LinkParameters {
        joint: Joint::Revolute,
        dh: DhRow { alpha: Angle::from_radians(alpha.to_radians()), a, d, theta_offset: Angle::from_radians(0.0) },
        body: Body {
            mass: 5.0,
            center_of_mass: Vec3([0.02, 0.03, 0.04]),
            inertia: Sym3::new([0.02, 0.03, 0.04, 0.001, 0.002, 0.003]),
        },
        motor_inertia: 0.5,
        gear_ratio: 50.0,
        friction: None,
        armature: None,
        spring: None,
    });
    let tool = Frame { rotation: Mat3::diagonal(1.0), origin: Vec3::zero() };
    let gravity = Vec3([0.0, 0.0, -9.81]);
    Serial::new(SerialParameters { convention: DhConvention::Modified, gravity, links, tool, payload: Body::zero() })
}

/// The least time of many rounds, ns for a state.
fn time(mut work: impl FnMut()) -> f64 {
    let round = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e9 / STATES as f64
    };
    (0..200).map(|_| round(&mut work)).fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arm = arm();
    for (of, width) in [(Of::Torque, 18), (Of::Mass, 6), (Of::Acceleration, 18)] {
        let request = Request { effort: Effort::QUICK, ..Request::new("arm", of) };
        let start = Instant::now();
        let program = serial(&arm, &request, &mut |_| {})?.program;
        let derived = start.elapsed().as_secs_f64();
        let compiled = Compiled::new(program)?;
        let mut scratch = compiled.scratch();
        let results = compiled.outputs();
        let inputs: Vec<f64> = (0..width * STATES).map(|k| ((k * 7919) % 2003) as f64 / 1000.0 - 1.0).collect();
        let mut outputs = vec![0.0; results * STATES];
        let columns: Vec<&[f64]> = inputs.chunks(STATES).collect();
        let mut views: Vec<&mut [f64]> = outputs.chunks_mut(STATES).collect();
        let batch = time(|| compiled.columns(&columns, &mut views, &mut scratch).expect("they fit"));
        let rows = time(|| compiled.rows(&inputs, &mut outputs, &mut scratch).expect("they fit"));
        let one = time(|| {
            for (state, result) in inputs.chunks(width).zip(outputs.chunks_mut(results)) {
                compiled.one(state, result, &mut scratch).expect("they fit");
            }
        });
        let recursion = time(|| {
            for state in inputs.chunks(width) {
                let part =
                    |j: usize| -> [f64; 6] { std::array::from_fn(|i| state.get(6 * j + i).copied().unwrap_or(0.0)) };
                let moving = black_box(&arm).pose_unchecked(part(0)).moving(part(1));
                match of {
                    Of::Torque => drop(black_box(moving.torque(part(2)))),
                    _ => drop(black_box(moving.pose.mass_matrix())),
                }
            }
        });
        println!(
            "{}: {} in {} instructions with {} slots, derived in {derived:.2} s; ns for a state: columns {batch:.1}, rows {rows:.1}, one {one:.0}, recursion {recursion:.0}",
            of.as_str(),
            compiled.program().operations(),
            compiled.instructions(),
            compiled.slots()
        );
    }
    layouts(&arm)
}

/// The torque of few states and of many, by layout.
fn layouts(arm: &Serial<f64, 6>) -> Result<(), Box<dyn Error>> {
    const WIDTH: usize = 18;
    let request = Request { effort: Effort::QUICK, ..Request::new("arm", Of::Torque) };
    let compiled = Compiled::new(serial(arm, &request, &mut |_| {})?.program)?;
    println!("| states | columns | rows | rows, two threads |\n| --- | --- | --- | --- |");
    for states in [10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000] {
        let inputs: Vec<f64> = (0..WIDTH * states).map(|k| ((k * 7919) % 2003) as f64 / 1000.0 - 1.0).collect();
        let mut outputs = vec![0.0; 6 * states];
        let rounds = (20_000_000 / states).clamp(3, 20_000);
        let least = |work: &mut dyn FnMut()| {
            let round = |work: &mut dyn FnMut()| {
                let start = Instant::now();
                work();
                start.elapsed().as_secs_f64() * 1e9 / states as f64
            };
            (0..rounds).map(|_| round(work)).fold(f64::INFINITY, f64::min)
        };
        let mut scratch = compiled.scratch();
        let mut views: Vec<&mut [f64]> = outputs.chunks_mut(states).collect();
        let columns: Vec<&[f64]> = inputs.chunks(states).collect();
        let by_columns = least(&mut || compiled.columns(&columns, &mut views, &mut scratch).expect("they fit"));
        let by_rows = least(&mut || compiled.rows(&inputs, &mut outputs, &mut scratch).expect("they fit"));
        let mut scratches = [compiled.scratch(), compiled.scratch()];
        let by_threads = least(&mut || {
            let half = states / 2;
            std::thread::scope(|scope| {
                let parts = inputs.chunks(WIDTH * half).zip(outputs.chunks_mut(6 * half)).zip(&mut scratches);
                for ((inputs, outputs), scratch) in parts {
                    let compiled = &compiled;
                    scope.spawn(move || compiled.rows(inputs, outputs, scratch).expect("they fit"));
                }
            });
        });
        println!("| {states} | {by_columns:.1} | {by_rows:.1} | {by_threads:.1} |");
    }
    Ok(())
}
