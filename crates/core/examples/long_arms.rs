//! What torques, accelerations and mass matrices of long arms and trees cost: `cargo run --release -p dalembert-core --example long_arms`.
//!
//! One state after the other out of many, with room that is kept; the least of many rounds.

#![allow(clippy::disallowed_methods)] // made once, not in a formula

use dalembert_core::algebra::Angle;
use dalembert_core::chain::{BranchParameters, Chain, ChainParameters, ToolOwner};
use dalembert_core::serial::{Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};
use dalembert_core::spatial::Frame;
use dalembert_core::{Sym3, Vec3};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

/// States to go through, so that nothing is known beforehand.
const STATES: usize = 256;
const ROUNDS: usize = 400;

/// A number between −1 and 1.
fn some(seed: usize) -> f64 {
    ((seed as f64 * 12.9898).sin() * 43_758.545_3).rem_euclid(1.0) * 2.0 - 1.0
}

fn link(i: usize) -> LinkParameters<f64> {
    let seed = 50 * i;
    let body = Body {
        mass: 1.0 + 0.5 * some(seed),
        center_of_mass: Vec3::from_fn(|k| 0.1 * some(seed + 1 + k)),
        inertia: Sym3::new([0.02, 0.03, 0.025, 0.001 * some(seed + 4), 0.001 * some(seed + 5), 0.001 * some(seed + 6)]),
    };
    LinkParameters {
        coupling: None,
        joint: Joint::Revolute,
        dh: DhRow {
            alpha: Angle::from_radians(1.5 * some(seed + 7)),
            a: 0.2 * some(seed + 8),
            d: 0.2 * some(seed + 9),
            theta_offset: Angle::from_radians(some(seed + 10)),
        },
        body,
        motor_inertia: 0.1,
        gear_ratio: 1.0,
        friction: None,
        armature: None,
        spring: None,
    }
}

const WHOLE: SerialParameters<f64, 0> = SerialParameters {
    convention: DhConvention::Modified,
    base: None,
    gravity: Vec3([0.0, 0.0, -9.81]),
    links: [],
    tool: Frame {
        rotation: dalembert_core::Mat3([Vec3([1.0, 0.0, 0.0]), Vec3([0.0, 1.0, 0.0]), Vec3([0.0, 0.0, 1.0])]),
        origin: Vec3([0.0; 3]),
    },
    payload: Body {
        mass: 0.0,
        center_of_mass: Vec3([0.0; 3]),
        inertia: Sym3 { xx: 0.0, yy: 0.0, zz: 0.0, xy: 0.0, yz: 0.0, xz: 0.0 },
    },
};

/// The least time of a call over the states, ns.
fn time(mut call: impl FnMut(usize)) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        (0..STATES).for_each(&mut call);
        least = least.min(start.elapsed().as_secs_f64());
    }
    least / STATES as f64 * 1e9
}

/// `branches` arms side by side on the first link, `joints` in all.
fn measure(joints: usize, branches: usize) -> Result<(), Box<dyn Error>> {
    let hangs_on = |i: usize| if i > 0 && (i - 1).is_multiple_of(joints / branches) { 1 } else { i };
    let all: Vec<BranchParameters<f64>> =
        (0..joints).map(|i| BranchParameters { link: link(i), parent: hangs_on(i), mount: None, tip: None }).collect();
    let chain = Chain::new(ChainParameters { links: all, whole: WHOLE }, ToolOwner::Whole)?;
    let numbers = |of: usize| -> Vec<f64> { (0..STATES * joints).map(|k| some(1000 * of + k)).collect() };
    let [q, qd, qdd] = [1, 2, 3].map(numbers);
    let part = |all: &'_ Vec<f64>, k: usize| all[k * joints..(k + 1) * joints].to_vec();
    let states: Vec<[Vec<f64>; 3]> = (0..STATES).map(|k| [part(&q, k), part(&qd, k), part(&qdd, k)]).collect();
    let mut failed = None;
    let mut note = |result: Result<Vec<f64>, _>| match result {
        Ok(found) => drop(black_box(found)),
        Err(error) => failed = Some(error),
    };
    let torque = time(|k| note(chain.torque(black_box(&states[k]).each_ref().map(|row| &row[..]), None)));
    let acceleration = time(|k| note(chain.acceleration(black_box(&states[k]).each_ref().map(|row| &row[..]), None)));
    let mass = time(|k| note(chain.mass_matrix(&black_box(&states[k])[0])));
    if let Some(error) = failed {
        return Err(Box::new(error));
    }
    let n = joints as f64;
    let each = [torque, acceleration, mass].map(|time| format!("{time:8.0} {:6.1}", time / n)).join(" |");
    println!("{joints:3} joints, {branches} branches |{each}");
    Ok(())
}

/// The formulas of serial arms beside it, whose number of joints is known when they are built.
fn serial<const N: usize>() {
    let SerialParameters { convention, gravity, tool, payload, .. } = WHOLE;
    let arm = Serial::new(SerialParameters {
        convention,
        base: None,
        gravity,
        tool,
        payload,
        links: std::array::from_fn::<_, N, _>(link),
    });
    let numbers = |of: usize, k: usize| -> [f64; N] { std::array::from_fn(|i| some(1000 * of + N * k + i)) };
    let states: Vec<[[f64; N]; 3]> = (0..STATES).map(|k| [1, 2, 3].map(|of| numbers(of, k))).collect();
    let torque = time(|k| {
        let [q, qd, qdd] = *black_box(&states[k]);
        black_box(arm.pose_unchecked(q).moving(qd).torque(qdd));
    });
    let acceleration = time(|k| {
        let [q, qd, tau] = *black_box(&states[k]);
        black_box(arm.pose_unchecked(q).moving(qd).acceleration(tau));
    });
    let mass = time(|k| {
        black_box(arm.pose_unchecked(black_box(&states[k])[0]).mass_matrix());
    });
    let each = [torque, acceleration, mass].map(|time| format!("{time:8.0} {:6.1}", time / N as f64)).join(" |");
    println!("{N:3} joints, serial arm |{each}");
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("ns per call and per joint  |        torque  |   acceleration  |    mass matrix");
    serial::<6>();
    serial::<8>();
    for joints in [8, 16, 32, 64] {
        measure(joints, 1)?;
    }
    for branches in [2, 4, 8] {
        measure(64, branches)?;
    }
    Ok(())
}
