//! Regressors and identification.

mod calibration;
mod controllers;
mod excitation;
mod logs;
mod regressors;
mod spoiled;
mod springs;
mod strangers;
mod truth;

use dalembert::identify::PreparedLog;
use dalembert::identify::numerics::butterworth::LowPass;
use dalembert::identify::prepare::Health;
use dalembert::robot::{JointState, JointVector, Pick, Robot};
use dalembert::spatial::Wrench;

/// A motion of every joint as a sum of five sines, with its exact derivatives: about a middle, with this reach.
struct Fourier {
    middle: Vec<f64>,
    terms: Vec<[(f64, f64, f64); 5]>,
}

impl Fourier {
    fn new(middle: &[f64], reach: f64, base: f64, seed: u64) -> Self {
        let mut random = dalembert_proptest::Random(seed);
        let term = |k: usize, random: &mut dalembert_proptest::Random| {
            let w = base * (k + 1) as f64 * std::f64::consts::TAU;
            (reach / (k + 1) as f64 * random.within(0.4, 1.0), w, random.within(0.0, 6.0))
        };
        let terms = middle.iter().map(|_| std::array::from_fn(|k| term(k, &mut random))).collect();
        Self { middle: middle.to_vec(), terms }
    }

    fn at(&self, t: f64) -> JointState {
        let sum = |i: usize, order: i32| -> f64 {
            let shift = f64::from(order) * std::f64::consts::FRAC_PI_2;
            self.terms[i].iter().map(|(a, w, p)| a * w.powi(order) * (w * t + p + shift).sin()).sum()
        };
        let n = self.middle.len();
        JointState {
            q: JointVector::from_fn(n, |i| self.middle[i] + sum(i, 0)),
            qd: JointVector::from_fn(n, |i| sum(i, 1)),
            qdd: JointVector::from_fn(n, |i| sum(i, 2)),
        }
    }
}

/// The torques of the exact model along a motion.
fn torques(robot: &Robot, motion: &Fourier, times: &[f64]) -> Vec<Vec<f64>> {
    let exact = robot.build_model("exact").unwrap();
    let n = robot.joints().len();
    let mut all = vec![Vec::new(); n];
    for &t in times {
        let state = robot.at_joints(&motion.at(t), &Pick::default()).unwrap();
        let tau = exact.torque(&state, Wrench::zero());
        (0..n).for_each(|i| all[i].push(tau[i]));
    }
    all
}

/// A run without any measuring: exact states and torques.
fn exact_run(robot: &Robot, motion: &Fourier, seconds: f64, step: f64) -> PreparedLog {
    let times: Vec<f64> = (0..(seconds / step) as usize).map(|k| k as f64 * step).collect();
    let n = robot.joints().len();
    let measured = torques(robot, motion, &times);
    let cutoff = 50.0;
    let filter = LowPass::new(4, cutoff, step).unwrap();
    let of = |pick: fn(&JointState) -> &JointVector| -> Vec<Vec<f64>> {
        (0..n).map(|i| times.iter().map(|&t| pick(&motion.at(t))[i]).collect()).collect()
    };
    let speeds: Vec<Vec<f64>> = of(|state| &state.qd);
    let every = (0.5 / (cutoff * step)) as usize;
    PreparedLog {
        name: "exact".into(),
        step,
        start: 0.0,
        q: of(|state| &state.q),
        qdd: of(|state| &state.qdd),
        tau: measured.iter().map(|tau| filter.filter(tau)).collect(),
        measured,
        cutoff,
        sound: vec![true; times.len()],
        used: (0..times.len()).step_by(every).collect(),
        resting: vec![1e-3; n],
        health: Health {
            speeds: speeds.iter().map(|v| v.iter().fold(0.0, |m: f64, v| m.max(v.abs()))).collect(),
            ..Health::default()
        },
        qd: speeds,
        ..PreparedLog::default()
    }
}
