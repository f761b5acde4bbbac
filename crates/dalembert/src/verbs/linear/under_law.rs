//! `poles` of a robot under its control law: of the map from one sample of the controller to the next, at rest.
//!
//! The plant is the linear model (1) with torques that follow the command within `current_rise`, sampled exactly; the law is (2), which every
//! built-in one is at rest, where friction and references are constants:
//!
//! ```text
//! δẋ = A δx + B δτ,   δτ̇ = (δw − δτ)/current_rise,   x = (q, q̇)                                              (1)
//! δu = ∂g/∂q δq − I (k_p δq + k_d v) + k_i I ∫e,   e = −δq,   v = q̇ or (q_k − q_(k−1))/T                      (2)
//! ```
//!
//! with I the mass matrix of laws that have one and its diagonal of the others, and ∂g/∂q of those that carry the weight at the measured
//! joints. A command acts `delay` samples after its reading; the eigenvalues z of all that is remembered are the poles.

use super::{ComplexPair, DryFriction, of_model};
use crate::control::{Gains, Law, Sampling, VelocityFrom};
use crate::linear::{Matrix, Signal, StateSpace, eigenvalues};
use crate::robot::linear_model::{Coordinates, LinearizeError, Output};
use crate::verbs::prelude::*;
use std::f64::consts::TAU;

/// Poles of a robot that rests in a state under a control law.
#[derive(Clone, Debug)]
pub struct LawPolesRequest {
    /// The robot, which its controller knows exactly.
    pub robot: Robot,
    /// Where it rests.
    pub state: State,
    /// The law.
    pub law: Law,
    /// Of the regulator, rad/s.
    pub bandwidth: f64,
    /// Of the regulator; 1: no overshoot.
    pub damping_ratio: f64,
    /// The third pole of the laws with integral, over the bandwidth.
    pub slow_pole: f64,
    /// Period and delay.
    pub sampling: Sampling,
    /// Time constant of the motor current, s.
    pub current_rise: f64,
    /// How velocities are made.
    pub velocity: VelocityFrom,
}

impl LawPolesRequest {
    /// Regulator, drives and sensors as [`Experiment::new`](crate::control::Experiment::new) has them.
    pub fn new(robot: Robot, state: State, law: Law) -> Self {
        Self {
            robot,
            state,
            law,
            bandwidth: TAU * 12.0,
            damping_ratio: 1.0,
            slow_pole: 0.2,
            sampling: Sampling::USUAL,
            current_rise: crate::control::Drive::USUAL.current_rise,
            velocity: VelocityFrom::Difference,
        }
    }
}

/// Poles of a sampled closed loop.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LawPoles {
    /// Name of the robot.
    pub robot: String,
    /// The law.
    pub law: String,
    /// From sample to sample, s.
    pub period: f64,
    /// Whether every deviation decays.
    pub stable: bool,
    /// The poles, the slowest first.
    pub poles: Vec<LawPole>,
    /// Joints that dry friction holds.
    pub dry_friction: Option<DryFriction>,
    #[serde(skip)]
    findings: Vec<Finding>,
}

/// A pole of a sampled loop.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct LawPole {
    /// By what a deviation is multiplied from sample to sample.
    pub z: ComplexPair,
    /// |z|; below 1 the deviation decays.
    pub magnitude: f64,
    /// The pole of a continuous system that decays alike, ln z/T, 1/s; none where the deviation is gone at once.
    pub pole: Option<ComplexPair>,
    /// Of that pole.
    pub damping_ratio: Option<f64>,
}

impl LawPole {
    fn new(z: ComplexPair, period: f64) -> Self {
        /// Rounding of what is gone after a few samples.
        const GONE: f64 = 1e-6;
        let magnitude = z[0].hypot(z[1]);
        let pole = (magnitude > GONE).then(|| [magnitude.ln() / period, z[1].atan2(z[0]) / period]);
        let damping_ratio = pole.map(|[re, im]| -re / re.hypot(im));
        Self { z, magnitude, pole, damping_ratio }
    }
}

/// What the law adds to the torques for δq, v and ∫e, (2).
fn law(request: &LawPolesRequest, mass: &Matrix, weight: &Matrix) -> Result<[Matrix; 3], VerbError> {
    let LawPolesRequest { law, bandwidth, damping_ratio, slow_pole, .. } = request;
    let gains = match law.integrates() {
        true => Gains::pid(*bandwidth, *damping_ratio, *slow_pole),
        false => Gains::pd(*bandwidth, *damping_ratio),
    };
    let diagonal = || Matrix::from_diagonal(&mass.diagonal());
    let none = || weight * 0.0;
    let (inertia, weight) = match law {
        Law::Pd | Law::Pid | Law::PdAcceleration | Law::Feedforward => (diagonal(), none()),
        Law::FeedforwardMass => (mass.clone(), none()),
        Law::GravityPd | Law::GravityPid => (diagonal(), weight.clone()),
        Law::ComputedTorque | Law::Cartesian => (mass.clone(), weight.clone()),
        Law::Impedance => {
            let text = "the law `impedance` has springs at the tool, whose linear model is not offered";
            return Err(VerbError::new("law", text).hint("`simulate` shows how it behaves"));
        }
    };
    Ok([weight - &inertia * gains.proportional, &inertia * -gains.derivative, inertia * gains.integral])
}

/// The map from sample to sample of (x, τ, q before, ∫e, the commands that wait).
fn loop_matrix(request: &LawPolesRequest, plant: &StateSpace, [by_q, by_rate, by_integral]: [Matrix; 3]) -> Matrix {
    let LawPolesRequest { law, sampling: Sampling { period, delay, .. }, velocity, .. } = request;
    let (held, n) = (plant.order(), by_q.nrows());
    let differenced = *velocity == VelocityFrom::Difference;
    let before = held;
    let integral = before + if differenced { n } else { 0 };
    let waiting = integral + if law.integrates() { n } else { 0 };
    let size = waiting + delay * n;
    let unit = || Matrix::identity(n, n);
    let mut command = Matrix::zeros(n, size);
    command.view_mut((0, 0), (n, n)).copy_from(&by_q);
    if differenced {
        let rate = by_rate / *period;
        let both = by_q + &rate;
        command.view_mut((0, 0), (n, n)).copy_from(&both);
        command.view_mut((0, before), (n, n)).copy_from(&-rate);
    } else {
        command.view_mut((0, n), (n, n)).copy_from(&by_rate);
    }
    if law.integrates() {
        command.view_mut((0, integral), (n, n)).copy_from(&by_integral);
    }
    let mut next = Matrix::zeros(size, size);
    next.view_mut((0, 0), (held, held)).copy_from(&plant.a);
    match *delay {
        0 => {
            let driven = &plant.b * &command;
            let sum = next.view((0, 0), (held, size)) + driven;
            next.view_mut((0, 0), (held, size)).copy_from(&sum);
        }
        delay => {
            next.view_mut((0, waiting + (delay - 1) * n), (held, n)).copy_from(&plant.b);
            next.view_mut((waiting, 0), (n, size)).copy_from(&command);
            for k in 1..delay {
                next.view_mut((waiting + k * n, waiting + (k - 1) * n), (n, n)).copy_from(&unit());
            }
        }
    }
    if differenced {
        next.view_mut((before, 0), (n, n)).copy_from(&unit());
    }
    if law.integrates() {
        next.view_mut((integral, integral), (n, n)).copy_from(&unit());
        next.view_mut((integral, 0), (n, n)).copy_from(&(unit() * -period));
    }
    next
}

/// (1), sampled.
fn sampled_plant(request: &LawPolesRequest, plant: StateSpace) -> Result<StateSpace, VerbError> {
    let LawPolesRequest { robot, sampling, current_rise: rise, .. } = request;
    let (n, m) = plant.b.shape();
    let bad = &of_model(robot);
    if *rise == 0.0 {
        return plant.discrete(sampling.period).map_err(bad);
    }
    let mut a = Matrix::zeros(n + m, n + m);
    a.view_mut((0, 0), (n, n)).copy_from(&plant.a);
    a.view_mut((0, n), (n, m)).copy_from(&plant.b);
    a.view_mut((n, n), (m, m)).copy_from(&(Matrix::identity(m, m) / -rise));
    let mut b = Matrix::zeros(n + m, m);
    b.view_mut((n, 0), (m, m)).copy_from(&(Matrix::identity(m, m) / *rise));
    let states = [plant.states, plant.inputs.clone()].concat();
    let (c, d) = (Matrix::zeros(0, n + m), Matrix::zeros(0, m));
    let with_drives = StateSpace::new([a, b, c, d], states, plant.inputs, Vec::<Signal>::new());
    with_drives.and_then(|model| model.discrete(sampling.period)).map_err(bad)
}

/// Refuses what no loop can have, and a robot that moves.
fn check(request: &LawPolesRequest) -> Result<(), VerbError> {
    let LawPolesRequest { state, bandwidth, damping_ratio, slow_pole, sampling, current_rise, velocity, .. } = request;
    let positive = |value: f64| value > 0.0 && value.is_finite();
    for (what, value, ok) in [
        ("bandwidth", *bandwidth, positive(*bandwidth)),
        ("damping ratio", *damping_ratio, positive(*damping_ratio)),
        ("slow pole", *slow_pole, positive(*slow_pole)),
        ("sampling period", sampling.period, positive(sampling.period)),
        ("current rise", *current_rise, *current_rise >= 0.0 && current_rise.is_finite()),
        ("delay in samples", sampling.delay as f64, sampling.delay <= crate::control::MOST_DELAY),
    ] {
        if !ok {
            return Err(VerbError::new("setting", format!("{what} is {value}, which no loop can have")));
        }
    }
    if matches!(velocity, VelocityFrom::Observer { .. }) {
        return Err(VerbError::new(
            "setting",
            "a loop whose velocities come from an observer has no linear model here",
        ));
    }
    match state.joints.qd.iter().all(|speed| *speed == 0.0) {
        true => Ok(()),
        false => Err(VerbError::new("moving", "a law holds a robot at rest; this state moves")
            .hint("leave the velocity out: poles along a motion are those without a law")),
    }
}

/// Poles of a robot at rest under its control law, sample by sample. Limits, encoder steps and stiction are not in a linear model.
pub fn law_poles(request: &LawPolesRequest, _: &mut dyn Observer) -> Result<LawPoles, VerbError> {
    let LawPolesRequest { robot, state, law: of, sampling, .. } = request;
    check(request)?;
    let bad = |error: LinearizeError| match error {
        LinearizeError::StateError(error) => refused(robot, error),
        error => failed("linear-model", &robot.name)(error),
    };
    let mut rest = state.joints.clone();
    rest.qdd = JointVector::zero(rest.q.len());
    let still = robot.at_joints(&rest, &state.pick).map_err(|error| refused(robot, error))?;
    let slopes = robot.torque_derivatives(&still).map_err(bad)?;
    let held = robot.build_model("exact")?.gravity_torque(&still);
    let plant = robot.linearize(&still, &held, Wrench::zero(), Coordinates::Joint, &[Output::Joints]).map_err(bad)?;
    let n = held.len();
    let matrix = |rows: &crate::robot::JointMatrix| Matrix::from_fn(n, n, |i, j| rows[i][j]);
    let gains = law(request, &matrix(&slopes.dqdd), &matrix(&slopes.dq))?;
    let whole = loop_matrix(request, &sampled_plant(request, plant.system)?, gains);
    let mut values = eigenvalues(&whole).map_err(of_model(robot))?;
    values.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
    let poles: Vec<LawPole> = values.iter().map(|z| LawPole::new([z.re, z.im], sampling.period)).collect();
    let dry_friction = DryFriction::new(&robot.joints(), &still.joints.qd);
    Ok(LawPoles {
        robot: robot.name.clone(),
        law: of.as_str().to_owned(),
        period: sampling.period,
        stable: poles.iter().all(|pole| pole.magnitude < 1.0),
        findings: dry_friction.iter().map(|friction| friction.finding(true)).collect(),
        dry_friction,
        poles,
    })
}

impl Outcome for LawPoles {
    fn metrics(&self) -> Vec<Metric> {
        let slowest = self.poles.first();
        let decay = slowest.and_then(|pole| pole.pole).map_or(f64::NEG_INFINITY, |[re, _]| re);
        let magnitude = slowest.map_or(0.0, |pole| pole.magnitude);
        metrics("", [("largest_magnitude", magnitude, ""), ("largest_real_part", decay, "1/s")]).collect()
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}
