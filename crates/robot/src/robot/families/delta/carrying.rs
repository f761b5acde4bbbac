//! The sampled loop of two Deltas on one object, from sample to sample without allocation: the control law is
//! [`carry_together`], and what moves is a mechanism of both robots and the object, which shares no formula with the law.
//!
//! Platforms do not turn, and what both hold firmly does not either: the object moves along x, y and z. Six motors move
//! three freedoms, so the force between the two is free. Of the forces f₁, f₂ of the platforms on the object it is
//!
//! ```text
//! s = f₁ − σ(f₁ + f₂)                                                                                        (1)
//! ```
//!
//! with σ the first robot's share; s is what the law is asked for as [`Pair::squeeze`].

use super::control::reference;
use super::{Carrier, Pair, elbows};
use crate::Vec3;
use crate::algebra::sum;
use crate::delta::{AnyModel, Branch, DeltaModel};
use crate::dynamics::{Dynamics, Reference};
use crate::mechanism::{Coincident, Mechanism, PartId, PointMass, add_delta_at};
use crate::robot::Target;
use crate::robot::closed_loop::{
    Columns, ControlError, Encoder, Encoders, LoopTask, MOST_DELAY, Motors, Sample, SampledLoop, Sampling, Settings,
    Setup, is_cut,
};
use crate::robot::families::DeltaRobot;
use crate::simulate::{Constrained, Integrator, Rk4, Stabilization, System, Touchable, Variables};
use crate::spatial::Frame;
use dalembert_core::control::{CarriedObject, Limiter, carry_together};
use std::ops::Range;

const GRIPS: [&str; 2] = ["grip 1", "grip 2"];

/// What an object and its grips have to be.
fn check(pair: &Pair, mass: f64) -> Result<(), ControlError> {
    let Pair { carriers: [one, other], share, squeeze, .. } = pair;
    let finite = squeeze.0.iter().all(|x| x.is_finite());
    for (what, value, good, must) in [
        ("mass of the object", mass, mass > 0.0 && mass.is_finite(), "positive and finite"),
        ("share", *share, (0.0..=1.0).contains(share), "0 to 1"),
        ("squeeze", squeeze.norm_squared().sqrt(), finite, "finite"),
    ] {
        if !good {
            return Err(ControlError::Setting { what, value, must });
        }
    }
    match (one.base == other.base, one.grip == other.grip) {
        (true, true) => Err(ControlError::SamePlace),
        _ => Ok(()),
    }
}

/// The Deltas that carriers have to be.
fn deltas(pair: &Pair) -> Result<[&DeltaRobot; 2], ControlError> {
    let [one, other] = pair.carriers.each_ref().map(|carrier| {
        let what = "carrying one object with another robot: both have to be Delta robots";
        let other = ControlError::NotOffered { kind: carrier.robot.kind().title, what };
        carrier.robot.of_type().ok_or(other)
    });
    Ok([one?, other?])
}

/// Two Deltas on one object under control.
pub(super) struct CarryLoop<'p> {
    task: LoopTask<'p>,
    known: &'p Pair,
    branch: Branch,
    models: [DeltaModel<f64, AnyModel<f64>>; 2],
    setups: [Setup<3>; 2],
    substeps: usize,
    system: Constrained<'p>,
    integrator: Rk4,
    state: Vec<f64>,
    /// Where angle and rate of each motor are in the state.
    joints: [[[usize; 2]; 3]; 2],
    /// Where position and velocity of the object begin.
    object: [usize; 2],
    grips: [Range<usize>; 2],
    /// From outside, along the velocities of the mechanism.
    push: Vec<f64>,
    encoders: [Encoders<3>; 2],
    limiters: [Limiter<3>; 2],
    waiting: [[[f64; 3]; 2]; MOST_DELAY + 1],
    torque: [[f64; 3]; 2],
    samples: u64,
    /// (1) at the last sample, and its distance from what is asked for.
    squeeze: [f64; 4],
}

/// Position, velocity and acceleration of the object, which does not turn. It has no joints: they are taken for its place.
fn translation(target: &Target) -> [Vec3<f64>; 3] {
    match target {
        Target::Tool(tool) => [tool.pose.origin, tool.velocity.linear, tool.acceleration.linear],
        Target::Joints(joints) => {
            [&joints.q, &joints.qd, &joints.qdd].map(|all| Vec3::from_fn(|i| all.get(i).copied().unwrap_or(f64::NAN)))
        }
    }
}

/// One list of both robots' numbers.
fn six(both: [[f64; 3]; 2]) -> [f64; 6] {
    crate::array::from_fn(|i| both[i / 3][i % 3])
}

impl<'p> CarryLoop<'p> {
    /// The loop at the start of the motion, at rest: each robot holds itself and its share, and they squeeze.
    pub fn new(pair: &Pair, known: &'p Pair, task: &LoopTask<'p>) -> Result<Self, ControlError> {
        let LoopTask { motion, settings, .. } = task;
        check(pair, pair.mass)?;
        // An object may be unknown to the controller, but not lighter than nothing.
        check(known, if known.mass == 0.0 { pair.mass } else { known.mass })?;
        if let Some(gear) = settings.drive.backlash {
            let must = "absent: two robots on one object have stiff gears here";
            return Err(ControlError::Setting { what: "backlash", value: gear.gap, must });
        }
        let (robots, believed) = (deltas(pair)?, deltas(known)?);
        let controllers = [believed[0].applying(task.model)?, believed[1].applying(task.model)?];
        let mut mechanism = Mechanism::new(robots[0].delta.gravity());
        let [one, other] = &pair.carriers;
        let parts = [
            add_delta_at(&mut mechanism, "one", &robots[0].delta, Frame::at(one.base))?,
            add_delta_at(&mut mechanism, "other", &robots[1].delta, Frame::at(other.base))?,
        ];
        let held = mechanism.add("object", PointMass { mass: pair.mass });
        for (i, carrier) in pair.carriers.iter().enumerate() {
            let platform = robots[i].delta.platform_of(carrier.grip);
            mechanism.constrain(GRIPS[i], Coincident::new(parts[i].platform(), held.at(platform.0)))?;
        }
        let mechanism = task.room.keep(mechanism)?;
        let (branch, start) = (elbows(task.pick), translation(&motion.at(0.0))[0]);
        let reached = |i: usize| {
            let delta = &robots[i].delta;
            let pose = delta.at_position(delta.platform_of(start + pair.carriers[i].offset()), branch);
            pose.map_err(|cause| ControlError::GripOutOfReach { carrier: i + 1, time: 0.0, cause: cause.into() })
        };
        let poses = [reached(0)?, reached(1)?];
        let mut q = [parts[0].coordinates(&poses[0]), parts[1].coordinates(&poses[1])].concat();
        q.extend(start.0);
        let velocities = mechanism.velocities();
        let still = mechanism.assemble(0.0, &q, &vec![0.0; velocities])?;
        let weight = believed[0].delta.gravity() * -known.mass;
        let forces = [weight * known.share + known.squeeze, weight * (1.0 - known.share) - known.squeeze];
        let torque = [0, 1].map(|i| sum(poses[i].gravity_torque(), poses[i].torque_of_wrench(forces[i])));
        let models = [0, 1].map(|i| DeltaModel {
            robot: believed[i].delta,
            model: controllers[i],
            assembly: poses[i].assembly(),
            branch,
        });
        let setups = [0, 1].map(|i| {
            let held = models[i].at_joints(poses[i].joints(), [0.0; 3]);
            Setup::new(*settings, Motors::of(&robots[i].joints()), &held)
        });
        setups[0].check()?;
        if settings.sampling.configuration_every > 1 {
            let why = "two robots on one object ask their models at every sample";
            return Err(ControlError::LawDoesNotApply { law: String::from("carry"), why });
        }
        let substeps = setups[0].substeps()?.max(setups[1].substeps()?);
        let mut system =
            Constrained::new(mechanism, Variables::Velocity, Stabilization::Projection, torque.as_flattened())?;
        let state = system.state(&still.q, &still.v)?;
        let Settings { sampling, encoder, drive, .. } = settings;
        let encoders = |i: u64| {
            let seed = encoder.seed.wrapping_add(i);
            Encoders::new(Encoder { seed, ..*encoder }, sampling.period)
        };
        let place = |part: PartId| -> Result<[usize; 2], ControlError> {
            let (q, v) = mechanism.ranges(part)?;
            Ok([q.start, mechanism.coordinates() + v.start])
        };
        let mut joints = [[[0; 2]; 3]; 2];
        for (i, robot) in parts.iter().enumerate() {
            for (k, arm) in robot.arms.iter().enumerate() {
                joints[i][k] = place(*arm)?;
            }
        }
        Ok(Self {
            task: *task,
            known,
            branch,
            grips: [system.rows(GRIPS[0])?, system.rows(GRIPS[1])?],
            integrator: Rk4::new(state.len(), sampling.period / substeps as f64)?,
            limiters: [0, 1].map(|i| Limiter::new(setups[i].max_torque(), [drive.max_torque_rate; 3], torque[i])),
            encoders: [encoders(0), encoders(1)],
            object: place(held)?,
            push: vec![0.0; velocities],
            waiting: [torque; MOST_DELAY + 1],
            samples: 0,
            squeeze: [0.0; 4],
            joints,
            models,
            setups,
            substeps,
            system,
            state,
            torque,
        })
    }

    /// True joints of both robots, and their velocities.
    fn joints(&self) -> [[[f64; 3]; 2]; 2] {
        [0, 1].map(|which| self.joints.map(|robot| robot.map(|place| self.state[place[which]])))
    }

    fn vector(&self, start: usize) -> Vec3<f64> {
        Vec3::from_fn(|k| self.state[start + k])
    }

    /// What the law asks for.
    fn asked(
        &mut self,
        time: f64,
        references: &[Reference<f64, 3>; 2],
        [q, qd]: [[[f64; 3]; 2]; 2],
        goal: [Vec3<f64>; 3],
    ) -> Result<[[f64; 3]; 2], ControlError> {
        let mut measured = [[[0.0; 3]; 2]; 2];
        for i in 0..2 {
            let Reference { q: q_d, qd: qd_d, qdd: qdd_d, .. } = &references[i];
            let read = self.encoders[i].read(q[i], qd[i], [q_d, qd_d, qdd_d]);
            let limit = self.task.settings.following_error;
            for k in 0..3 {
                let error = (q_d[k] - read.q[k]).abs();
                if error.is_nan() || error > limit {
                    return Err(ControlError::FollowingError { time, joint: 3 * i + k + 1, error, limit, unit: "rad" });
                }
            }
            // Compared as it is measured: a lag of the difference quotient is no error.
            measured[i] = [read.q, crate::array::from_fn(|k| qd_d[k] - read.rate[k])];
        }
        let known = self.known;
        let object = CarriedObject {
            mass: known.mass,
            gravity: self.models[0].robot.gravity(),
            offsets: known.carriers.each_ref().map(Carrier::offset),
            share: known.share,
            squeeze: known.squeeze,
            reference: goal,
        };
        let gains = self.task.settings.gains.without_integral();
        let mut torque = carry_together(&object, gains, self.models.each_ref(), measured);
        for i in 0..2 {
            let friction = self.models[i].friction(references[i].q, references[i].qd);
            torque[i] = crate::array::from_fn(|k| torque[i][k] + friction[k]);
        }
        match torque.as_flattened().iter().position(|torque| !torque.is_finite()) {
            Some(motor) => Err(ControlError::NoAnswer { time, joint: motor + 1 }),
            None => Ok(torque),
        }
    }

    /// The squeeze (1) of this moment.
    fn observe(&mut self, time: f64) -> Result<(), ControlError> {
        self.system.set_torques(self.torque.as_flattened())?;
        let lambda = self.system.multipliers_at(time, &self.state)?;
        // The forces are given on the platforms.
        let [first, second] = self.grips.each_ref().map(|rows| -Vec3::from_fn(|k| lambda[rows.start + k]));
        let squeeze = first - (first + second) * self.known.share;
        let off = (squeeze - self.known.squeeze).norm_squared().sqrt();
        self.squeeze = [squeeze[0], squeeze[1], squeeze[2], off];
        Ok(())
    }

    /// Moves on by one period under a command.
    fn advance(&mut self, time: f64, command: [[f64; 3]; 2]) -> Result<(), ControlError> {
        let Settings { sampling, drive, .. } = self.task.settings;
        let (rise, h) = (drive.current_rise, sampling.period / self.substeps as f64);
        for step in 0..self.substeps {
            if rise > 0.0 {
                // Over a step the mean of the rising torque, so that its impulse is right.
                let (decay, before) = ((-h / rise).exp(), self.torque);
                let mix = |share: f64| -> [[f64; 3]; 2] {
                    [0, 1].map(|i| crate::array::from_fn(|k| command[i][k] + (before[i][k] - command[i][k]) * share))
                };
                self.system.set_torques(mix(rise / h * (1.0 - decay)).as_flattened())?;
                self.torque = mix(decay);
            }
            let from = time + step as f64 * h;
            self.integrator.advance(&mut self.system, from, from + h, &mut self.state)?;
        }
        Ok(())
    }
}

impl SampledLoop for CarryLoop<'_> {
    fn time(&self) -> f64 {
        self.samples as f64 * self.task.settings.sampling.period
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn push(&mut self, force: Vec3<f64>) {
        // The velocities of the object are its own, and stand behind all coordinates in the state.
        let first = self.object[1] - (self.state.len() - self.push.len());
        self.push[first..first + 3].copy_from_slice(&force.0);
    }

    fn step(&mut self) -> Result<Sample, ControlError> {
        let Sampling { period, delay, .. } = self.task.settings.sampling;
        let time = self.samples as f64 * period;
        let goal @ [position, velocity, acceleration] = translation(&self.task.motion.at(time));
        let offsets = self.known.carriers.each_ref().map(Carrier::offset);
        let of_robot = |i: usize| -> Result<Reference<f64, 3>, ControlError> {
            reference(&self.models[i].robot, self.branch, [position + offsets[i], velocity, acceleration])
                .map(|found| found.0)
                .map_err(|cause| ControlError::GripOutOfReach { carrier: i + 1, time, cause })
        };
        let references = [of_robot(0)?, of_robot(1)?];
        let [q, qd] = self.joints();
        let asked = self.asked(time, &references, [q, qd], goal)?;
        let limited = [0, 1].map(|i| self.setups[i].driven(self.limiters[i].limit(asked[i], period), qd[i]));
        let ring = MOST_DELAY + 1;
        let now = (self.samples % ring as u64) as usize;
        self.waiting[now] = [0, 1].map(|i| self.setups[i].resolved(limited[i]));
        let due = self.waiting[(now + ring - delay) % ring];
        let command = [0, 1].map(|i| self.setups[i].driven(due[i], qd[i]));
        if self.task.settings.drive.current_rise == 0.0 {
            self.torque = command;
        }
        let sample = Sample {
            time,
            q: six(q).into(),
            qd: six(qd).into(),
            point: self.object.map(|start| self.vector(start)),
            reference: six(references.map(|reference| reference.q)).into(),
            reference_point: goal,
            torque: six(self.torque).into(),
            asked: six(asked).into(),
            cut: (0..6).any(|i| is_cut(asked[i / 3][i % 3], limited[i / 3][i % 3])),
        };
        self.system.push(&self.push);
        self.observe(time)?;
        self.advance(time, command)?;
        self.samples += 1;
        Ok(sample)
    }

    fn columns(&self) -> Columns {
        let meaning = "force of the first platform on the object beyond its share";
        let mut columns =
            ["x", "y", "z"].map(|axis| (format!("squeeze_{axis}"), "N", format!("{meaning}, {axis}"))).to_vec();
        columns.push((String::from("squeeze_error"), "N", String::from("error of that force")));
        columns
    }

    fn values(&self) -> &[f64] {
        &self.squeeze
    }

    fn squeeze(&self) -> Option<Vec3<f64>> {
        Some(self.known.squeeze)
    }
}
