//! Two Deltas that carry one object, in closed loop: the law is [`carry_together`], and what moves is a mechanism of both
//! robots and the object, which shares no formula with the law.
//!
//! Platforms do not turn, and what both hold firmly does not either: the object moves along x, y and z. Six motors move
//! three freedoms, so the force between the two is free. Of the forces f₁, f₂ of the platforms on the object it is
//!
//! ```text
//! s = f₁ − σ(f₁ + f₂)                                                                                        (1)
//! ```
//!
//! with σ the first robot's share; s is what the law is asked for as [`Carried::squeeze`].

use super::encoder::Encoders;
use super::experiment::PlatformMotion;
use super::{
    Carried, ControlError, DeltaModel, DeltaWish, Drive, Encoder, Gains, JointModel, Limiter, MOST_DELAY, Reference,
    Sampling, Wish, carry_together, quantize,
};
use crate::Vec3;
use crate::delta::models::Exact;
use crate::delta::{Assembly, Branch};
use crate::describe::Robot;
use crate::mechanism::{Coincident, DeltaParts, Mechanism, MechanismError, PartId, PointMass, add_delta_at};
use crate::motion::{Motion, State};
use crate::record::{Recording, RecordingError};
use crate::simulate::{Constrained, Integrator, Rk4, SimulationError, Stabilization, Variables};
use std::f64::consts::TAU;

/// More samples than this are not recorded.
const MOST_SAMPLES: f64 = 1e6;

/// A Delta that helps to carry.
#[derive(Clone, Debug)]
pub struct Carrier {
    /// As it is.
    pub robot: Robot,
    /// As the controller knows it, by the exact model.
    pub known: Robot,
    /// Where its base stands, m.
    pub base: Vec3<f64>,
    /// From the object to its platform, m.
    pub grip: Vec3<f64>,
}

/// Two Deltas, one object, one motion.
///
/// ```
/// use dalembert::control::Carrying;
/// use dalembert::motion::Rest;
/// use dalembert::{Vec3, robots};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let robot = robots::d3_1200()?;
/// let side = |x: f64| (robot.clone(), Vec3::new(x, 0.0, 0.0), Vec3::new(0.6 * x, 0.0, 0.0)); // robot, its base, its grip
/// let motion = std::sync::Arc::new(Rest { position: Vec3::new(0.0, 0.0, -0.85), duration: 0.1 });
/// let mut both = Carrying::new([side(-0.7), side(0.7)], 1.5, motion);
/// both.squeeze = Vec3::new(15.0, 0.0, 0.0);
/// let run = both.run(&mut |_| true)?;
/// assert!(run.ended.is_ok() && run.error_max < 1e-4);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Carrying {
    /// The robots.
    pub carriers: [Carrier; 2],
    /// Of the object, kg.
    pub mass: f64,
    /// What the controller believes, kg.
    pub known_mass: f64,
    /// σ of the first robot, 0…1.
    pub share: f64,
    /// The force of the first platform on the object beyond its share, N.
    pub squeeze: Vec3<f64>,
    /// Of the object.
    pub motion: PlatformMotion,
    /// How long the object is then held, s.
    pub hold: f64,
    /// Of the elbows.
    pub branch: Branch,
    /// When the controller looks and acts.
    pub sampling: Sampling,
    /// The drives; without backlash.
    pub drive: Drive,
    /// The sensors.
    pub encoder: Encoder,
    /// Of the regulator, rad/s.
    pub bandwidth: f64,
    /// Of the regulator.
    pub damping_ratio: f64,
    /// A joint that is farther off than this ends the run, rad.
    pub following_error: f64,
}

/// Why two robots could not begin, or why they ended.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CarryError {
    /// The loop.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The robots and the object do not fit together.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// They cannot go on.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// The table of the run.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

/// What came out.
#[derive(Clone, Debug)]
pub struct CarryOutcome {
    /// Largest distance of the object from where it should be, m.
    pub error_max: f64,
    /// Root mean square of it, m.
    pub error_rms: f64,
    /// At the end of the hold, m.
    pub error_end: f64,
    /// Largest distance of the squeeze (1) from what was asked for, N.
    pub squeeze_error_max: f64,
    /// Root mean square of it, N.
    pub squeeze_error_rms: f64,
    /// Largest torque of each motor, N m.
    pub torque_peak: [[f64; 3]; 2],
    /// A row per sample.
    pub recording: Recording,
    /// Why it ended before its time.
    pub ended: Result<(), CarryError>,
}

impl Carrying {
    /// Robots that their controller knows exactly, with usual drives and sensors; both carry half.
    pub fn new(carriers: [(Robot, Vec3<f64>, Vec3<f64>); 2], mass: f64, motion: PlatformMotion) -> Self {
        Self {
            carriers: carriers.map(|(robot, base, grip)| Carrier { known: robot.clone(), robot, base, grip }),
            mass,
            known_mass: mass,
            share: 0.5,
            squeeze: Vec3::zero(),
            motion,
            hold: 0.1,
            branch: Branch::Out,
            sampling: Sampling::USUAL,
            drive: Drive::USUAL,
            encoder: Encoder::USUAL,
            bandwidth: TAU * 12.0,
            damping_ratio: 1.0,
            following_error: 0.5,
        }
    }

    fn check(&self) -> Result<(), ControlError> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let not_negative = |x: f64| x >= 0.0 && x.is_finite();
        for (what, value, good, must) in [
            ("mass of the object", self.mass, positive(self.mass), "positive and finite"),
            ("known mass", self.known_mass, not_negative(self.known_mass), "zero or positive, and finite"),
            ("share", self.share, (0.0..=1.0).contains(&self.share), "0 to 1"),
            ("time to hold", self.hold, not_negative(self.hold), "zero or positive, and finite"),
            ("bandwidth", self.bandwidth, positive(self.bandwidth), "positive and finite"),
            ("damping ratio", self.damping_ratio, positive(self.damping_ratio), "positive and finite"),
            ("sampling period", self.sampling.period, positive(self.sampling.period), "positive and finite"),
            ("delay in samples", self.sampling.delay as f64, self.sampling.delay <= MOST_DELAY, "at most 15"),
            ("following error", self.following_error, self.following_error > 0.0, "positive"),
        ] {
            if !good {
                return Err(ControlError::Setting { what, value, must });
            }
        }
        if let Some(gear) = self.drive.backlash {
            let must = "absent: two robots on one object have stiff gears here";
            return Err(ControlError::Setting { what: "backlash", value: gear.gap, must });
        }
        self.drive.check()?;
        self.encoder.check()
    }

    /// Runs it. `go_on` is told the time and may end the run.
    pub fn run(&self, go_on: &mut dyn FnMut(f64) -> bool) -> Result<CarryOutcome, CarryError> {
        self.check()?;
        let samples = ((self.motion.duration() + self.hold) / self.sampling.period).round();
        if !(1.0..=MOST_SAMPLES).contains(&samples) {
            let must = "1 to 1,000,000";
            return Err(ControlError::Setting { what: "number of samples", value: samples, must }.into());
        }
        let plant = Plant::new(self)?;
        let mut pair = Pair::new(self, &plant)?;
        let mut notes = Notes::new(self)?;
        let mut ended = Ok(());
        for _ in 0..=samples as u64 {
            let time = pair.samples as f64 * self.sampling.period;
            let done = if go_on(time) { pair.step(&mut notes) } else { Err(ControlError::Interrupted { time }.into()) };
            if let Err(error) = done {
                ended = Err(error);
                break;
            }
        }
        Ok(notes.finish(ended))
    }
}

/// Both robots and the object as one mechanism.
struct Plant {
    mechanism: Mechanism,
    robots: [DeltaParts; 2],
    object: PartId,
}

impl Plant {
    fn new(run: &Carrying) -> Result<Self, MechanismError> {
        let [one, other] = &run.carriers;
        let mut mechanism = Mechanism::new(one.robot.delta.gravity());
        let robots = [
            add_delta_at(&mut mechanism, "one", &one.robot.delta, one.base)?,
            add_delta_at(&mut mechanism, "other", &other.robot.delta, other.base)?,
        ];
        let object = mechanism.add("object", PointMass { mass: run.mass });
        for (i, carrier) in run.carriers.iter().enumerate() {
            let grip = Coincident::new(robots[i].platform(), object.at(carrier.grip.0));
            mechanism.constrain(format!("grip {}", i + 1), grip)?;
        }
        Ok(Self { mechanism, robots, object })
    }
}

/// The motion of a platform that holds the object.
struct Held<'a> {
    object: &'a PlatformMotion,
    /// From the object to the platform, in the robot's frame, m.
    offset: Vec3<f64>,
}

impl Motion for Held<'_> {
    type Point = Vec3<f64>;
    fn duration(&self) -> f64 {
        self.object.duration()
    }
    fn at(&self, t: f64) -> State<Vec3<f64>> {
        let state = self.object.at(t);
        State { position: state.position + self.offset, ..state }
    }
}

/// The loop.
struct Pair<'a> {
    run: &'a Carrying,
    plant: &'a Plant,
    system: Constrained<'a>,
    integrator: Rk4,
    state: Vec<f64>,
    offsets: [Vec3<f64>; 2],
    assembly: [Assembly; 2],
    encoders: [Encoders<3>; 2],
    limiters: [Limiter<3>; 2],
    waiting: [[[f64; 3]; 2]; MOST_DELAY + 1],
    torque: [[f64; 3]; 2],
    samples: u64,
}

impl<'a> Pair<'a> {
    fn new(run: &'a Carrying, plant: &'a Plant) -> Result<Self, CarryError> {
        let start = run.motion.at(0.0);
        let offsets = run.carriers.each_ref().map(|carrier| carrier.grip - carrier.base);
        let reached = |i: usize| {
            let robot = &run.carriers[i].robot.delta;
            let pose = robot.at_position(start.position + offsets[i], run.branch);
            pose.map_err(|cause| ControlError::OutOfReach { time: 0.0, cause })
        };
        let poses = [reached(0)?, reached(1)?];
        let mut q = [plant.robots[0].coordinates(&poses[0]), plant.robots[1].coordinates(&poses[1])].concat();
        q.extend(start.position.0);
        let still = plant.mechanism.assemble(0.0, &q, &vec![0.0; plant.mechanism.velocities()])?;
        // Each holds its own robot and its share, and they squeeze.
        let weight = run.carriers[0].known.delta.gravity() * -run.known_mass;
        let forces = [weight * run.share + run.squeeze, weight * (1.0 - run.share) - run.squeeze];
        let torque = [0, 1].map(|i| (poses[i].gravity_torque() + poses[i].carry(forces[i])).0);
        let mut system =
            Constrained::new(&plant.mechanism, Variables::Velocity, Stabilization::Projection, torque.as_flattened())?;
        let state = system.state(&still.q, &still.v)?;
        let substeps = run.sampling.substeps.max(1) as f64;
        let limits = |i: usize| {
            let most = run.carriers[i].robot.limits.map(|limits| limits.max_torque);
            let most = if run.drive.limited { most } else { [f64::INFINITY; 3] };
            Limiter::new(most, [run.drive.max_torque_rate; 3], torque[i])
        };
        let encoder = |i: u64| {
            Encoders::new(Encoder { seed: run.encoder.seed.wrapping_add(i), ..run.encoder }, run.sampling.period)
        };
        Ok(Self {
            run,
            plant,
            integrator: Rk4::new(state.len(), run.sampling.period / substeps)?,
            system,
            state,
            offsets,
            assembly: poses.map(|pose| pose.assembly()),
            encoders: [encoder(0), encoder(1)],
            limiters: [limits(0), limits(1)],
            waiting: [torque; MOST_DELAY + 1],
            torque,
            samples: 0,
        })
    }

    /// True joints of a robot and their velocities.
    fn joints(&self, i: usize) -> Result<[[f64; 3]; 2], CarryError> {
        let mut both = [[0.0; 3]; 2];
        let coordinates = self.plant.mechanism.coordinates();
        for (k, arm) in self.plant.robots[i].arms.iter().enumerate() {
            let (q, v) = self.plant.mechanism.ranges(*arm)?;
            both[0][k] = self.state[q.start];
            both[1][k] = self.state[coordinates + v.start];
        }
        Ok(both)
    }

    /// What the law asks for.
    fn asked(&mut self, time: f64) -> Result<[[f64; 3]; 2], CarryError> {
        let run = self.run;
        let known = run.carriers.each_ref().map(|carrier| &carrier.known.delta);
        let mut measured = [[[0.0; 3]; 2]; 2];
        let mut wishes: [Option<Reference<f64, 3>>; 2] = [None; 2];
        for i in 0..2 {
            let motion = Held { object: &run.motion, offset: self.offsets[i] };
            let wanted = DeltaWish { robot: known[i], branch: run.branch, motion: &motion }.at(time)?;
            let [q, qd] = self.joints(i)?;
            for k in 0..3 {
                let (error, limit) = ((wanted.q[k] - q[k]).abs(), run.following_error);
                if error.is_nan() || error > limit {
                    return Err(ControlError::FollowingError { time, joint: 3 * i + k + 1, error, limit }.into());
                }
            }
            let read = self.encoders[i].read(q, qd, [&wanted.q, &wanted.qd, &wanted.qdd]);
            // Compared as it is measured: a lag of the difference quotient is no error.
            measured[i] = [read.q, std::array::from_fn(|k| wanted.qd[k] - read.rate[k])];
            wishes[i] = Some(wanted);
        }
        let models = [0, 1].map(|i| DeltaModel {
            robot: known[i],
            model: &Exact,
            assembly: self.assembly[i],
            branch: run.branch,
        });
        let goal = run.motion.at(time);
        let object = Carried {
            mass: run.known_mass,
            gravity: run.carriers[0].known.delta.gravity(),
            offsets: self.offsets,
            share: run.share,
            squeeze: run.squeeze,
            wanted: [goal.position, goal.velocity, goal.acceleration],
        };
        let gains = Gains::pd(run.bandwidth, run.damping_ratio);
        let mut torque = carry_together(&object, gains, models.each_ref(), measured);
        for (i, wanted) in wishes.iter().enumerate() {
            let Some(wanted) = wanted else { continue };
            let friction = models[i].friction(wanted.q, wanted.qd);
            for k in 0..3 {
                torque[i][k] += friction[k];
            }
        }
        match torque.as_flattened().iter().position(|torque| !torque.is_finite()) {
            Some(motor) => Err(ControlError::NoAnswer { time, joint: motor + 1 }.into()),
            None => Ok(torque),
        }
    }

    fn step(&mut self, notes: &mut Notes<'_>) -> Result<(), CarryError> {
        let run = self.run;
        let Sampling { period, delay, substeps } = run.sampling;
        let time = self.samples as f64 * period;
        let asked = self.asked(time)?;
        let given = [0, 1].map(|i| {
            let limited = self.limiters[i].limit(asked[i], period);
            std::array::from_fn(|k| {
                let most = run.carriers[i].robot.limits[k].max_torque;
                let steps = run.drive.torque_steps;
                if steps > 0.0 && most.is_finite() { quantize(limited[k], most / steps) } else { limited[k] }
            })
        });
        let ring = MOST_DELAY + 1;
        let now = (self.samples % ring as u64) as usize;
        self.waiting[now] = given;
        let command = self.waiting[(now + ring - delay) % ring];
        let rise = run.drive.current_rise;
        if rise == 0.0 {
            self.torque = command;
        }
        self.system.set_torque(self.torque.as_flattened())?;
        notes.add(time, &self.observe(time)?, self.torque)?;
        let h = period / substeps.max(1) as f64;
        for k in 0..substeps.max(1) {
            if rise > 0.0 {
                // Over a step the mean of the rising torque, so that its impulse is right.
                let (decay, before) = ((-h / rise).exp(), self.torque);
                let mix = |share: f64| -> [[f64; 3]; 2] {
                    [0, 1].map(|i| std::array::from_fn(|k| command[i][k] + (before[i][k] - command[i][k]) * share))
                };
                self.system.set_torque(mix(rise / h * (1.0 - decay)).as_flattened())?;
                self.torque = mix(decay);
            }
            let from = time + k as f64 * h;
            self.integrator.advance(&mut self.system, from, from + h, &mut self.state)?;
        }
        self.samples += 1;
        Ok(())
    }

    /// The object's position and the forces of both platforms on it.
    fn observe(&mut self, time: f64) -> Result<[Vec3<f64>; 3], CarryError> {
        let place = self.plant.object.origin();
        let position = self.plant.mechanism.point(&self.state[..self.plant.mechanism.coordinates()], &place)?;
        let mut forces = [Vec3::zero(); 2];
        for force in self.system.forces(time, &self.state)? {
            for (i, name) in ["grip 1", "grip 2"].into_iter().enumerate() {
                if force.constraint == name {
                    // The force is given on the platform.
                    forces[i] = -Vec3::from_fn(|k| force.values[k]);
                }
            }
        }
        Ok([position, forces[0], forces[1]])
    }
}

/// What is noted while they carry.
struct Notes<'a> {
    run: &'a Carrying,
    recording: Recording,
    error: [f64; 3],
    squeeze: [f64; 2],
    torque_peak: [[f64; 3]; 2],
    count: usize,
}

impl<'a> Notes<'a> {
    fn new(run: &'a Carrying) -> Result<Self, CarryError> {
        let mut columns = vec![
            (String::from("t"), "s", String::from("time")),
            (String::from("error"), "m", String::from("distance of the object from where it should be")),
        ];
        for (before, after, unit, meaning) in [
            ("", "", "m", "object"),
            ("", "_wanted", "m", "wanted"),
            ("squeeze_", "", "N", "force of the first platform on the object beyond its share"),
        ] {
            let axes = ["x", "y", "z"];
            columns.extend(axes.map(|axis| (format!("{before}{axis}{after}"), unit, format!("{meaning}, {axis}"))));
        }
        for robot in ["one", "other"] {
            let torque = |i: usize| (format!("{robot}.tau{i}"), "N m", format!("motor torque {i} of {robot}"));
            columns.extend([1, 2, 3].map(torque));
        }
        let recording = Recording::new(columns)?;
        Ok(Self { run, recording, error: [0.0; 3], squeeze: [0.0; 2], torque_peak: [[0.0; 3]; 2], count: 0 })
    }

    fn add(&mut self, time: f64, seen: &[Vec3<f64>; 3], torque: [[f64; 3]; 2]) -> Result<(), CarryError> {
        let [position, first, second] = *seen;
        let wanted = self.run.motion.at(time).position;
        let error = (position - wanted).norm_squared().sqrt();
        let squeeze = first - (first + second) * self.run.share; // (1)
        let off = (squeeze - self.run.squeeze).norm_squared().sqrt();
        self.error = [self.error[0].max(error), self.error[1] + error * error, error];
        self.squeeze = [self.squeeze[0].max(off), self.squeeze[1] + off * off];
        for i in 0..2 {
            for k in 0..3 {
                self.torque_peak[i][k] = self.torque_peak[i][k].max(torque[i][k].abs());
            }
        }
        self.count += 1;
        let parts: [&[f64]; 5] = [&[time, error], &position.0, &wanted.0, &squeeze.0, torque.as_flattened()];
        Ok(self.recording.push(&parts.concat())?)
    }

    fn finish(self, ended: Result<(), CarryError>) -> CarryOutcome {
        let count = self.count.max(1) as f64;
        let [error_max, errors, error_end] = self.error;
        let [squeeze_error_max, squeezes] = self.squeeze;
        CarryOutcome {
            error_max,
            error_rms: (errors / count).sqrt(),
            error_end,
            squeeze_error_max,
            squeeze_error_rms: (squeezes / count).sqrt(),
            torque_peak: self.torque_peak,
            recording: self.recording,
            ended,
        }
    }
}
