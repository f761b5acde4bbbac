//! Motions of closed loops that other libraries have simulated (`tools/oracle/motions.py`), simulated here from the same
//! start under the same torques: for the test and for the validation page.
#![allow(dead_code)] // each program uses its part

use super::linkages;
use dalembert::delta::Branch;
use dalembert::mechanism::{BodyPoint, Coincident, FreeBody, Mechanism, add_delta, add_delta_at};
use dalembert::simulate::{Constrained, Rk4, Stabilization, Variables, run};
use dalembert::spatial::Frame;
use dalembert::{Scalar, Vec3, robots};
use std::error::Error;

pub const MOTIONS: [&str; 3] = ["swing", "slider-crank", "cell"];
pub const LIBRARIES: [&str; 2] = ["pinocchio", "mujoco"];

/// A quarter of the libraries' step: what is seen is theirs.
const STEP: f64 = 2.5e-4;

/// How far two motions are apart, and how well our loops close.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    /// Largest difference of a stored number (m, rad, component of a quaternion).
    pub largest: f64,
    /// Largest constraint residual of ours, m.
    pub closure: f64,
}

/// Rows of a file, torques split off.
struct Stored {
    times: Vec<f64>,
    rows: Vec<Vec<f64>>,
    torque: Vec<f64>,
}

fn stored(motion: &str, library: &str) -> Result<Stored, Box<dyn Error>> {
    let path = format!("{}/../../golden/motion-{motion}-{library}.csv", env!("CARGO_MANIFEST_DIR"));
    let mut reader = csv::Reader::from_path(path)?;
    let motors = reader.headers()?.iter().filter(|name| name.starts_with("tau")).count();
    let (mut times, mut rows, mut torque) = (Vec::new(), Vec::new(), Vec::new());
    for row in reader.deserialize() {
        let mut row: Vec<f64> = row?;
        torque = row.split_off(row.len() - motors);
        times.push(row.remove(0));
        rows.push(row);
    }
    Ok(Stored { times, rows, torque })
}

/// The mechanism, its start, and what of its coordinates is stored.
type Case = (Mechanism, Vec<f64>, Box<dyn Fn(&Mechanism, &[f64]) -> Result<Vec<f64>, Box<dyn Error>>>);

fn place(place: BodyPoint) -> impl Fn(&Mechanism, &[f64]) -> Result<Vec<f64>, Box<dyn Error>> {
    move |mechanism, q| Ok(mechanism.point(q, &place)?.0.to_vec())
}

fn case(motion: &str, start: &[f64]) -> Result<Case, Box<dyn Error>> {
    let robot = robots::d3_1200()?.delta;
    let mut m = Mechanism::new(linkages::GRAVITY);
    match motion {
        "swing" => {
            let parts = add_delta(&mut m, "delta", &robot)?;
            let pose = robot.at_position(Vec3([start[0], start[1], start[2]]), Branch::Out)?;
            Ok((m, parts.coordinates(&pose).to_vec(), Box::new(place(parts.platform()))))
        }
        "slider-crank" => {
            let crank = linkages::SLIDER_CRANK.crank;
            linkages::SLIDER_CRANK.add(&mut m)?;
            let (u, x) = (start[0], start[1]);
            let (sin, cos) = Scalar::sin_cos(u);
            let (pin_x, pin_z) = (crank.length * cos, crank.length * sin);
            let angle = Scalar::atan2(-pin_z, x - pin_x);
            let q = vec![u, (pin_x + x) / 2.0, pin_z / 2.0, angle, x, 0.0, 0.0];
            Ok((m, q, Box::new(|_, q| Ok(vec![q[0], q[4]]))))
        }
        _ => {
            let apart = Vec3([1.0, 0.0, 0.0]);
            let base = Frame { origin: apart, ..Frame::identity() };
            let (one, other) = (add_delta(&mut m, "one", &robot)?, add_delta_at(&mut m, "other", &robot, base)?);
            let bar = FreeBody { mass: 1.5, inertia: [0.002, 0.05, 0.05] };
            let body = m.add("bar", bar);
            m.constrain("bar grip 1", Coincident::new(one.platform(), body.at([-0.1, 0.0, 0.0])))?;
            m.constrain("bar grip 2", Coincident::new(other.platform(), body.at([0.1, 0.0, 0.0])))?;
            // Where the ends of the bar are: by the bar alone.
            let mut alone = Mechanism::new(linkages::GRAVITY);
            let end = alone.add("bar", bar);
            let at = |x: f64| alone.point(start, &end.at([x, 0.0, 0.0]));
            let (a, b) =
                (robot.at_position(at(-0.1)?, Branch::Out)?, robot.at_position(at(0.1)? - apart, Branch::Out)?);
            let q = [&one.coordinates(&a)[..], &other.coordinates(&b), start].concat();
            let (range, _) = m.ranges(body)?;
            Ok((m, q, Box::new(move |_, q| Ok(q[range.clone()].to_vec()))))
        }
    }
}

/// Simulates a stored motion here and compares.
pub fn compare(motion: &str, library: &str) -> Result<Apart, Box<dyn Error>> {
    let stored = stored(motion, library)?;
    let (mechanism, q, observe) = case(motion, &stored.rows[0])?;
    let start = mechanism.assemble(0.0, &q, &vec![0.0; mechanism.velocities()])?;
    let mut system = Constrained::new(&mechanism, Variables::Velocity, Stabilization::Projection, &stored.torque)?;
    let state = system.state(&start.q, &start.v)?;
    let mut integrator = Rk4::new(state.len(), STEP)?;
    let run = run(&mut system, &mut integrator, &state, stored.times.iter().copied());
    run.ended.clone()?;
    let mut largest = 0.0_f64;
    for (state, row) in run.states.iter().zip(&stored.rows) {
        let seen = observe(&mechanism, &state[..mechanism.coordinates()])?;
        largest = seen.iter().zip(row).fold(largest, |m, (a, b)| m.max((a - b).abs()));
    }
    Ok(Apart { largest, closure: run.constraint_drift() })
}
