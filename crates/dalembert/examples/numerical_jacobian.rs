//! Codourey's numerical Jacobian and twice-differentiated position, against the closed forms.
//!
//! A. Codourey, IJRR 17(12), 1998: the Jacobian by forward differences of the forward kinematics f(q), (26) and (27),
//! with a step Δ small enough for the truncation and large enough for the rounding; and, for (58), the platform
//! acceleration as d²f(q)/dt², which he calls cheaper than (37) and noisy for small accelerations. How small is small
//! enough, how noisy is noisy?
//!
//! `cargo run -p dalembert --example numerical_jacobian` prints the tables of `docs/experiments/numerical-jacobian.md`.

use dalembert::delta::{Assembly, Branch, Delta};
use dalembert::{Mat3, Scalar, Vec3, robots};
use std::error::Error;
use std::f64::consts::PI;
use std::fmt::Write;

/// Sampling interval of the second part, s: Codourey's controller ran at 1 kHz.
const SAMPLE: f64 = 1e-3;

/// Where the Jacobian is compared: centre, half-way out, near the edge of the d3-1200's workspace.
const POSES: [(&str, [f64; 3]); 3] =
    [("centre", [0.0, 0.0, -0.85]), ("half-way", [0.2, 0.1, -0.8]), ("edge", [-0.35, 0.25, -1.0])];

/// Steps Δ of the difference quotients, rad. Literals, because a power may round differently on another platform.
const STEPS: [f64; 12] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12];

/// Rates of the pick-and-place, cycles per second.
const RATES: [f64; 3] = [3.0, 0.3, 0.03];

#[allow(dead_code)] // the test that includes this file only wants the report
fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report()?);
    Ok(())
}

/// All tables, as Markdown.
pub fn report() -> Result<String, Box<dyn Error>> {
    let robot = robots::d3_1200()?.delta;
    let mut out = String::new();
    jacobian_table(&robot, &mut out)?;
    acceleration_table(&robot, &mut out)?;
    Ok(out)
}

// The Jacobian.

/// (27), or its central counterpart with twice as many evaluations: Ẋ = K q̇ by differences of the forward kinematics.
fn difference_jacobian<S: Scalar>(robot: &Delta<S>, q: Vec3<S>, step: S, central: bool) -> Mat3<S> {
    let f = |q: Vec3<S>| robot.pose_from_joints_unchecked(q.0, Assembly::Below).0.position;
    let here = f(q);
    Mat3::from_columns([0, 1, 2].map(|i| {
        let moved = |by: S| Vec3::from_fn(|k| if k == i { q[k] + by } else { q[k] });
        let (change, distance) =
            if central { (f(moved(step)) - f(moved(-step)), step + step) } else { (f(moved(step)) - here, step) };
        change.map(|x| x / distance)
    }))
}

/// Frobenius norm of the difference over that of the exact Jacobian.
fn relative_error<S: Scalar + Into<f64>>(got: Mat3<S>, exact: Mat3<f64>) -> f64 {
    let norm = |m: Mat3<f64>| m.0.iter().map(|row| row.norm_squared()).sum::<f64>().sqrt();
    norm(got.map(S::into) - exact) / norm(exact)
}

/// Error of a difference quotient in the number type `S` at one pose.
fn jacobian_error<S: Scalar + Into<f64>>(robot: &Delta<f64>, q: Vec3<f64>, step: f64, central: bool) -> f64 {
    // The joint angles are rounded first, so that all number types differentiate at the same place.
    let q = q.map(|x| f64::from(x as f32));
    let exact = robot.pose_from_joints_unchecked(q.0, Assembly::Below).0.inverse_jacobian();
    let got = difference_jacobian::<S>(&robot.lift(), q.map(S::from_f64), S::from_f64(step), central);
    relative_error(got, exact)
}

fn jacobian_table(robot: &Delta<f64>, out: &mut String) -> Result<(), Box<dyn Error>> {
    let mut joints = Vec::new();
    for (name, position) in POSES {
        let pose = robot.at_position(Vec3(position), Branch::Out)?;
        let [q1, q2, q3] = pose.joints().map(f64::to_degrees);
        joints.push((name, pose.joints(), [q1, q2, q3]));
    }
    writeln!(out, "Poses of the d3-1200:\n")?;
    writeln!(out, "| pose | x, y, z (m) | q (deg) |\n| --- | --- | --- |")?;
    for ((name, [x, y, z]), (_, _, [q1, q2, q3])) in POSES.iter().zip(&joints) {
        writeln!(out, "| {name} | {x}, {y}, {z} | {q1:.1}, {q2:.1}, {q3:.1} |")?;
    }

    writeln!(out, "\nRelative error of the Jacobian, largest of the three poses:\n")?;
    writeln!(out, "| Δ (rad) | forward, `f64` | central, `f64` | forward, `f32` | central, `f32` |")?;
    writeln!(out, "| --- | --- | --- | --- | --- |")?;
    let worst = |error: &dyn Fn(Vec3<f64>) -> f64| joints.iter().map(|&(_, q, _)| error(Vec3(q))).fold(0.0, f64::max);
    let mut best = [(0.0, f64::INFINITY); 4];
    for step in STEPS {
        let errors = [
            worst(&|q| jacobian_error::<f64>(robot, q, step, false)),
            worst(&|q| jacobian_error::<f64>(robot, q, step, true)),
            worst(&|q| jacobian_error::<f32>(robot, q, step, false)),
            worst(&|q| jacobian_error::<f32>(robot, q, step, true)),
        ];
        write!(out, "| {step:.0e} |")?;
        for (best, error) in best.iter_mut().zip(errors) {
            if error < best.1 {
                *best = (step, error);
            }
            write!(out, " {error:.1e} |")?;
        }
        writeln!(out)?;
    }
    write!(out, "| best of these |")?;
    for (step, error) in best {
        write!(out, " {error:.1e} at {step:.0e} |")?;
    }
    writeln!(out)?;

    writeln!(out, "\nThe best Δ of each pose on a grid four times as fine, forward differences:\n")?;
    writeln!(out, "| pose | `f64` | `f32` |\n| --- | --- | --- |")?;
    for (name, q, _) in &joints {
        let finest = |error: &dyn Fn(f64) -> f64| {
            STEPS
                .iter()
                .flat_map(|step| [1.0, 0.56, 0.32, 0.18].map(|part| step * part))
                .map(|step| (step, error(step)))
                .fold((0.0, f64::INFINITY), |best, now| if now.1 < best.1 { now } else { best })
        };
        let double = finest(&|step| jacobian_error::<f64>(robot, Vec3(*q), step, false));
        let single = finest(&|step| jacobian_error::<f32>(robot, Vec3(*q), step, false));
        writeln!(out, "| {name} | {:.1e} at {:.1e} | {:.1e} at {:.1e} |", double.1, double.0, single.1, single.0)?;
    }
    writeln!(out)?;
    Ok(())
}

// The acceleration.

/// Position, velocity and acceleration of the platform at time `t`: 300 × 25 mm there and back along y. With the quintic
/// u(s) = 10s³ − 15s⁴ + 6s⁵ of s = t/T: across 0.3 (u − ½), up 0.025 · 16u²(1 − u)².
fn pick_and_place(t: f64, rate: f64) -> [Vec3<f64>; 3] {
    let half = 0.5 / rate;
    let phase = (t / half).rem_euclid(2.0);
    let (s, sign) = if phase < 1.0 { (phase, 1.0) } else { (phase - 1.0, -1.0) };
    let u = s * s * s * (10.0 + s * (6.0 * s - 15.0));
    let ud = 30.0 * (s * (1.0 - s)).square() / half;
    let udd = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (half * half);
    let (up, up_1, up_2) =
        (16.0 * (u * (1.0 - u)).square(), 32.0 * u * (1.0 - u) * (1.0 - 2.0 * u), 32.0 * (1.0 - 6.0 * u * (1.0 - u)));
    let place = |across: f64, up: f64| Vec3::new(0.0, sign * 0.3 * across, 0.025 * up);
    [Vec3::new(0.0, 0.0, -0.85) + place(u - 0.5, up), place(ud, up_1 * ud), place(udd, up_1 * udd + up_2 * ud * ud)]
}

/// The desired motion and what a controller could know of it, one entry per sample.
struct Samples {
    positions: Vec<Vec3<f64>>,
    velocities: Vec<Vec3<f64>>,
    accelerations: Vec<Vec3<f64>>,
    joints: Vec<Vec3<f64>>,
}

impl Samples {
    /// One cycle and one sample more at either end.
    fn new(robot: &Delta<f64>, rate: f64) -> Result<Self, Box<dyn Error>> {
        let count = (1.0 / (rate * SAMPLE)).round() as i32;
        let mut samples =
            Self { positions: Vec::new(), velocities: Vec::new(), accelerations: Vec::new(), joints: Vec::new() };
        for k in -1..=count {
            let [position, velocity, acceleration] = pick_and_place(f64::from(k) * SAMPLE, rate);
            samples.positions.push(position);
            samples.velocities.push(velocity);
            samples.accelerations.push(acceleration);
            samples.joints.push(Vec3(robot.at_position(position, Branch::Out)?.joints()));
        }
        Ok(samples)
    }

    /// Root mean square over the cycle of an error that each inner sample has.
    fn rms(&self, error: impl Fn(usize) -> Vec3<f64>) -> f64 {
        let inner = 1..self.positions.len() - 1;
        let count = inner.len() as f64;
        (inner.map(|k| error(k).norm_squared()).sum::<f64>() / count).sqrt()
    }
}

/// (x₊ − 2x + x₋)/T².
fn second_difference<S: Scalar>([before, now, after]: [Vec3<S>; 3]) -> Vec3<S> {
    (after - now.map(|x| x.times(2.0)) + before).map(|x| x.times(1.0 / (SAMPLE * SAMPLE)))
}

/// The values around sample `k`.
fn around<T: Copy>(values: &[T], k: usize) -> [T; 3] {
    [values[k - 1], values[k], values[k + 1]]
}

fn acceleration_table(robot: &Delta<f64>, out: &mut String) -> Result<(), Box<dyn Error>> {
    let motions = RATES.into_iter().map(|rate| Samples::new(robot, rate)).collect::<Result<Vec<_>, _>>()?;
    let forward = |q: Vec3<f64>| robot.pose_from_joints_unchecked(q.0, Assembly::Below).0.position;
    let single = robot.lift::<f32>();
    let forward_single = |q: Vec3<f64>| single.pose_from_joints_unchecked(q.map(|x| x as f32).0, Assembly::Below).0;

    writeln!(out, "Platform acceleration, RMS error in m/s² over one cycle sampled at 1 kHz:\n")?;
    writeln!(out, "| how | 3 cycles/s | 0.3 cycles/s | 0.03 cycles/s |\n| --- | --- | --- | --- |")?;
    let mut row = |name: &str, error: &dyn Fn(&Samples) -> f64| -> std::fmt::Result {
        write!(out, "| {name} |")?;
        for motion in &motions {
            write!(out, " {:.2e} |", error(motion))?;
        }
        writeln!(out)
    };
    row("the acceleration itself", &|motion| motion.rms(|k| motion.accelerations[k]))?;
    row("(37), exact q, q̇, q̈", &|motion| {
        motion.rms(|k| {
            let pose = robot.pose_from_joints_unchecked(motion.joints[k].0, Assembly::Below).0;
            let moving = pose.moving(motion.velocities[k]);
            let (qd, qdd) = (moving.joint_velocity(), moving.joint_acceleration(motion.accelerations[k]));
            pose.moving_joints(qd).platform_acceleration(qdd) - motion.accelerations[k]
        })
    })?;
    row("d²f/dt², exact q, `f64`", &|motion| {
        let path: Vec<_> = motion.joints.iter().map(|&q| forward(q)).collect();
        motion.rms(|k| second_difference(around(&path, k)) - motion.accelerations[k])
    })?;
    row("d²f/dt², exact q, `f32`", &|motion| {
        let path: Vec<_> = motion.joints.iter().map(|&q| forward_single(q).position).collect();
        motion.rms(|k| second_difference(around(&path, k)).map(f64::from) - motion.accelerations[k])
    })?;
    for bits in [20, 16, 12] {
        let quantum = 2.0 * PI / f64::from(1 << bits);
        let read = |motion: &Samples| -> Vec<Vec3<f64>> {
            motion.joints.iter().map(|q| q.map(|x| (x / quantum).round() * quantum)).collect()
        };
        row(&format!("d²f/dt², encoder of 2^{bits} steps"), &|motion| {
            let path: Vec<_> = read(motion).into_iter().map(forward).collect();
            motion.rms(|k| second_difference(around(&path, k)) - motion.accelerations[k])
        })?;
        row(&format!("(37), q̇ and q̈ differenced from 2^{bits} steps"), &|motion| {
            let q = read(motion);
            motion.rms(|k| {
                let [before, now, after] = around(&q, k);
                let qd = (after - before).map(|x| x / (2.0 * SAMPLE));
                let qdd = second_difference([before, now, after]);
                let pose = robot.pose_from_joints_unchecked(now.0, Assembly::Below).0;
                pose.moving_joints(qd.0).platform_acceleration(qdd.0) - motion.accelerations[k]
            })
        })?;
        row(&format!("(37), q from 2^{bits} steps, desired q̇, q̈"), &|motion| {
            let q = read(motion);
            motion.rms(|k| {
                let desired = robot.pose_from_joints_unchecked(motion.joints[k].0, Assembly::Below).0;
                let desired = desired.moving(motion.velocities[k]);
                let qdd = desired.joint_acceleration(motion.accelerations[k]);
                let pose = robot.pose_from_joints_unchecked(q[k].0, Assembly::Below).0;
                pose.moving_joints(desired.joint_velocity()).platform_acceleration(qdd) - motion.accelerations[k]
            })
        })?;
    }
    Ok(())
}
