//! How long a compiled program of a six-joint arm takes for a state, beside the recursion. `cargo run --release -p
//! dalembert-compiled --example speed`.

use dalembert_compiled::{Compiled, Float, Machine};
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
        coupling: None,
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
    Serial::new(SerialParameters {
        convention: DhConvention::Modified,
        base: None,
        gravity,
        links,
        tool,
        payload: Body::zero(),
    })
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
    println!(
        "| quantity | machine | one | columns | rows | columns, `f32` | rows, `f32` |\n| --- | --- | --- | --- | --- | --- | --- |"
    );
    for of in [Of::Torque, Of::Mass, Of::Acceleration, Of::TorqueDerivatives] {
        let request = Request { effort: Effort::QUICK, ..Request::new("arm", of) };
        let start = Instant::now();
        let program = serial(&arm, &request, &mut |_| {})?.program;
        let derived = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let compiled = Compiled::new(program)?;
        let made = start.elapsed().as_secs_f64();
        eprintln!(
            "{}: {} in {} instructions, derived in {derived:.2} s, made ready in {made:.3} s",
            of.as_str(),
            compiled.program().operations(),
            compiled.instructions()
        );
        for machine in Machine::ALL {
            let Some(compiled) = compiled.on(machine) else { continue };
            let [one, columns, rows] = times(&compiled, |x| x);
            let single = compiled.single()?.on(machine).ok_or("it was here before")?;
            let [_, short_columns, short_rows] = times(&single, |x| x as f32);
            println!(
                "| {} | {} | {one:.1} | {columns:.1} | {rows:.1} | {short_columns:.1} | {short_rows:.1} |",
                of.as_str(),
                machine.as_str()
            );
        }
    }
    let recursion = {
        let inputs = states(18 * STATES, |x| x);
        time(|| {
            for state in inputs.chunks(18) {
                let part = |j: usize| -> [f64; 6] { std::array::from_fn(|i| state[6 * j + i]) };
                black_box(black_box(&arm).pose_unchecked(part(0)).moving(part(1)).torque(part(2)));
            }
        })
    };
    println!("\nthe recursion's torque: {recursion:.0} ns\n");
    layouts(&arm)
}

/// Numbers of states from −1 to 1.
fn states<T>(count: usize, of: impl Fn(f64) -> T) -> Vec<T> {
    (0..count).map(|k| of(((k * 7919) % 2003) as f64 / 1000.0 - 1.0)).collect()
}

/// ns for a state: one by one, in columns, in rows.
fn times<T: Float>(compiled: &Compiled<T>, of: impl Fn(f64) -> T) -> [f64; 3] {
    let (width, results) = (compiled.inputs(), compiled.outputs());
    let mut scratch = compiled.scratch();
    let inputs = states(width * STATES, of);
    let mut outputs = vec![T::default(); results * STATES];
    let columns: Vec<&[T]> = inputs.chunks(STATES).collect();
    let mut views: Vec<&mut [T]> = outputs.chunks_mut(STATES).collect();
    let by_columns = time(|| compiled.columns(&columns, &mut views, &mut scratch).expect("they fit"));
    let by_rows = time(|| compiled.rows(&inputs, &mut outputs, &mut scratch).expect("they fit"));
    let one = time(|| {
        for (state, result) in inputs.chunks(width).zip(outputs.chunks_mut(results)) {
            compiled.one(state, result, &mut scratch).expect("they fit");
        }
    });
    [one, by_columns, by_rows]
}

/// The torque of few states and of many, by layout. With an argument: up to so many states.
fn layouts(arm: &Serial<f64, 6>) -> Result<(), Box<dyn Error>> {
    const WIDTH: usize = 18;
    let most = std::env::args().nth(1).map_or(Ok(10_000_000), |text| text.parse())?;
    let request = Request { effort: Effort::QUICK, ..Request::new("arm", Of::Torque) };
    let compiled = Compiled::new(serial(arm, &request, &mut |_| {})?.program)?;
    let single = compiled.single()?;
    println!(
        "| states | columns | rows | every second row, backwards | columns, two threads | rows, two threads | rows, `f32` |\n\
         | --- | --- | --- | --- | --- | --- | --- |"
    );
    for states in (1..=8).map(|k| 10_usize.pow(k)).take_while(|&states| states <= most) {
        let inputs: Vec<f64> = (0..WIDTH * states).map(|k| ((k * 7919) % 2003) as f64 / 1000.0 - 1.0).collect();
        let mut outputs = vec![0.0; 6 * states];
        let rounds = (10_000_000 / states).clamp(3, 20_000);
        let least = |work: &mut dyn FnMut(), states: usize| {
            let round = |work: &mut dyn FnMut()| {
                let start = Instant::now();
                work();
                start.elapsed().as_secs_f64() * 1e9 / states as f64
            };
            (0..rounds).map(|_| round(work)).fold(f64::INFINITY, f64::min)
        };
        let (mut scratch, mut two) = (compiled.scratch(), compiled.scratches(2));
        let columns: Vec<&[f64]> = inputs.chunks(states).collect();
        let mut views: Vec<&mut [f64]> = outputs.chunks_mut(states).collect();
        let by_columns = least(&mut || compiled.columns(&columns, &mut views, &mut scratch).expect("they fit"), states);
        let by_threads = least(&mut || compiled.columns(&columns, &mut views, &mut two).expect("they fit"), states);
        let by_rows = least(&mut || compiled.rows(&inputs, &mut outputs, &mut scratch).expect("they fit"), states);
        let rows_by_threads = least(&mut || compiled.rows(&inputs, &mut outputs, &mut two).expect("they fit"), states);
        let half = states / 2;
        let back = |width: usize, i: usize| ((2 * half - 1) * width + i, -2 * width as isize);
        let every: Vec<(*const f64, isize)> = (0..WIDTH)
            .map(|i| back(WIDTH, i))
            .map(|(first, stride)| (inputs.as_ptr().wrapping_add(first), stride))
            .collect();
        let to = outputs.as_mut_ptr();
        let places: Vec<(*mut f64, isize)> =
            (0..6).map(|i| back(6, i)).map(|(first, stride)| (to.wrapping_add(first), stride)).collect();
        // SAFETY: every second of the states, backwards, is in the arrays.
        #[allow(unsafe_code)]
        let by_views =
            least(&mut || unsafe { compiled.addresses(half, &every, &places, &mut scratch) }.expect("they fit"), half);
        // A hundred million states leave no room for both.
        drop(outputs);
        let short_inputs: Vec<f32> = inputs.iter().map(|&x| x as f32).collect();
        drop(inputs);
        let mut outputs = vec![0.0_f32; 6 * states];
        let mut scratch = single.scratch();
        let short = least(&mut || single.rows(&short_inputs, &mut outputs, &mut scratch).expect("they fit"), states);
        println!(
            "| {states} | {by_columns:.1} | {by_rows:.1} | {by_views:.1} | {by_threads:.1} | {rows_by_threads:.1} | {short:.1} |"
        );
    }
    Ok(())
}
