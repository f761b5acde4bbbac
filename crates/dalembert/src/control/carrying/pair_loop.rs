//! The sampled loop of two Deltas on one object, from sample to sample without allocation.

use super::super::closed_loop::is_cut;
use super::super::collector::{Columns, Sampled};
use super::super::encoder::Encoders;
use super::super::wish::reference;
use super::super::{
    Carried, ControlError, DeltaModel, Dynamics, Encoder, Experiment, Gains, Limiter, MOST_DELAY, Motors, Reference,
    Sample, Sampling, Setup, Tuning, carry_together,
};
use super::Pair;
use crate::Vec3;
use crate::algebra::sum;
use crate::control::Subject;
use crate::delta::{AnyModel, Branch, Delta};
use crate::mechanism::{Coincident, DeltaParts, Mechanism, PartId, PointMass, add_delta_at};
use crate::motion::Motion;
use crate::simulate::{Constrained, Integrator, Rk4, Stabilization, System, Touchable, Variables};
use std::ops::Range;

const GRIPS: [&str; 2] = ["grip 1", "grip 2"];

/// What a loop over two Deltas and their object borrows.
pub struct CarryParts {
    mechanism: Mechanism,
    robots: [DeltaParts; 2],
    object: PartId,
    known: [Delta<f64>; 2],
    models: [AnyModel<f64>; 2],
    motors: [Motors<3>; 2],
}

impl CarryParts {
    /// Both robots and the object of an experiment as one mechanism, ready to run.
    pub fn new(experiment: &Experiment<Pair>) -> Result<Self, ControlError> {
        experiment.check()?;
        let Experiment { robot, known, .. } = experiment;
        robot.check()?;
        // An object may be unknown to the controller, but not lighter than nothing.
        Pair { mass: if known.mass == 0.0 { robot.mass } else { known.mass }, ..known.clone() }.check()?;
        if let Some(gear) = experiment.drive.backlash {
            let must = "absent: two robots on one object have stiff gears here";
            return Err(ControlError::Setting { what: "backlash", value: gear.gap, must });
        }
        for carrier in &known.carriers {
            experiment.model.applies_to(carrier.robot.delta.parameters())?;
        }
        let [one, other] = &robot.carriers;
        let mut mechanism = Mechanism::new(one.robot.delta.gravity());
        let robots = [
            add_delta_at(&mut mechanism, "one", &one.robot.delta, one.frame())?,
            add_delta_at(&mut mechanism, "other", &other.robot.delta, other.frame())?,
        ];
        let object = mechanism.add("object", PointMass { mass: robot.mass });
        for (i, carrier) in robot.carriers.iter().enumerate() {
            mechanism.constrain(GRIPS[i], Coincident::new(robots[i].platform(), object.at(carrier.grip.0)))?;
        }
        Ok(Self {
            mechanism,
            robots,
            object,
            known: known.carriers.each_ref().map(|carrier| carrier.robot.delta),
            models: known.carriers.each_ref().map(|carrier| experiment.model.build(carrier.robot.delta.parameters())),
            motors: robot.carriers.each_ref().map(|carrier| {
                let arms = carrier.robot.delta.parameters().arms;
                Motors {
                    max_torque: carrier.robot.limits.map(|limits| limits.max_torque),
                    max_speed: carrier.robot.limits.map(|limits| limits.max_speed),
                    rotor: arms.map(|arm| arm.reflected_rotor_inertia()),
                    friction: arms.map(|arm| arm.motor.friction),
                }
            }),
        })
    }

    /// The loop at the start of the motion, at rest: each robot holds itself and its share, and they squeeze.
    pub fn closed_loop<'p>(
        &'p self,
        experiment: &'p Experiment<Pair>,
        tuning: &Tuning,
    ) -> Result<CarryLoop<'p>, ControlError> {
        if let Some(why) = Pair::refuses(tuning.law) {
            return Err(ControlError::LawDoesNotApply { law: tuning.law.as_str(), why });
        }
        let Experiment { robot, known, motion, branch, sampling, .. } = experiment;
        let start = motion.at(0.0);
        let reached = |i: usize| {
            let held = robot.carriers[i].held(start);
            let pose = robot.carriers[i].robot.delta.at_position(held.position, *branch);
            pose.map_err(|cause| ControlError::GripOutOfReach { carrier: i + 1, time: 0.0, cause })
        };
        let poses = [reached(0)?, reached(1)?];
        let mut q = [self.robots[0].coordinates(&poses[0]), self.robots[1].coordinates(&poses[1])].concat();
        q.extend(start.position.0);
        let velocities = self.mechanism.velocities();
        let still = self.mechanism.assemble(0.0, &q, &vec![0.0; velocities])?;
        let weight = known.carriers[0].robot.delta.gravity() * -known.mass;
        let forces = [weight * known.share + known.squeeze, weight * (1.0 - known.share) - known.squeeze];
        let torque = [0, 1].map(|i| sum(poses[i].gravity_torque(), poses[i].carry(forces[i])));
        let models = [0, 1].map(|i| DeltaModel {
            robot: &self.known[i],
            model: &self.models[i],
            assembly: poses[i].assembly(),
            branch: *branch,
        });
        let setups = [0, 1].map(|i| {
            let held = models[i].at_joints(poses[i].joints(), [0.0; 3]);
            experiment.setup(tuning, self.motors[i], &held)
        });
        setups[0].check()?;
        let substeps = setups[0].substeps()?.max(setups[1].substeps()?);
        let mut system =
            Constrained::new(&self.mechanism, Variables::Velocity, Stabilization::Projection, torque.as_flattened())?;
        let state = system.state(&still.q, &still.v)?;
        let encoder = |i: u64| {
            let seed = experiment.encoder.seed.wrapping_add(i);
            Encoders::new(Encoder { seed, ..experiment.encoder }, sampling.period)
        };
        let place = |part: PartId| -> Result<[usize; 2], ControlError> {
            let (q, v) = self.mechanism.ranges(part)?;
            Ok([q.start, self.mechanism.coordinates() + v.start])
        };
        let mut joints = [[[0; 2]; 3]; 2];
        for (i, robot) in self.robots.iter().enumerate() {
            for (k, arm) in robot.arms.iter().enumerate() {
                joints[i][k] = place(*arm)?;
            }
        }
        Ok(CarryLoop {
            pair: known,
            motion: &**motion,
            branch: *branch,
            gains: tuning.gains.without_integral(),
            grips: [system.rows(GRIPS[0])?, system.rows(GRIPS[1])?],
            integrator: Rk4::new(state.len(), sampling.period / substeps as f64)?,
            limiters: [0, 1]
                .map(|i| Limiter::new(setups[i].max_torque(), [experiment.drive.max_torque_rate; 3], torque[i])),
            encoders: [encoder(0), encoder(1)],
            object: place(self.object)?,
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
}

/// Two Deltas on one object under control.
pub struct CarryLoop<'p> {
    /// As the controller knows it.
    pair: &'p Pair,
    motion: &'p (dyn Motion<Point = Vec3<f64>> + Send + Sync),
    branch: Branch,
    models: [DeltaModel<'p, f64, AnyModel<f64>>; 2],
    gains: Gains<f64>,
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
    /// (1) at the last sample, and its distance from what is wanted.
    squeeze: [f64; 4],
}

/// One list of both robots' numbers.
fn six(both: [[f64; 3]; 2]) -> [f64; 6] {
    std::array::from_fn(|i| both[i / 3][i % 3])
}

impl CarryLoop<'_> {
    /// True joints of both robots, and their velocities.
    fn joints(&self) -> [[[f64; 3]; 2]; 2] {
        [0, 1].map(|which| self.joints.map(|robot| robot.map(|place| self.state[place[which]])))
    }

    fn vector(&self, start: usize) -> Vec3<f64> {
        Vec3::from_fn(|k| self.state[start + k])
    }

    /// One sample: reads, computes, acts, and moves on to the next. What is returned is what there was when it was read.
    pub fn step(&mut self) -> Result<Sample<6>, ControlError> {
        let Sampling { period, delay, .. } = self.setups[0].sampling;
        let time = self.samples as f64 * period;
        let goal = self.motion.at(time);
        let wish = |i: usize| -> Result<Reference<f64, 3>, ControlError> {
            reference(self.models[i].robot, self.branch, self.pair.carriers[i].held(goal))
                .map_err(|cause| ControlError::GripOutOfReach { carrier: i + 1, time, cause })
        };
        let wanted = [wish(0)?, wish(1)?];
        let [q, qd] = self.joints();
        let asked = self.asked(time, &wanted, [q, qd], [goal.position, goal.velocity, goal.acceleration])?;
        let limited = [0, 1].map(|i| self.setups[i].driven(self.limiters[i].limit(asked[i], period), qd[i]));
        let ring = MOST_DELAY + 1;
        let now = (self.samples % ring as u64) as usize;
        self.waiting[now] = [0, 1].map(|i| self.setups[i].resolved(limited[i]));
        let due = self.waiting[(now + ring - delay) % ring];
        let command = [0, 1].map(|i| self.setups[i].driven(due[i], qd[i]));
        if self.setups[0].drive.current_rise == 0.0 {
            self.torque = command;
        }
        let sample = Sample {
            time,
            q: six(q),
            qd: six(qd),
            point: self.object.map(|start| self.vector(start)),
            wanted: Reference {
                q: six(wanted.map(|wanted| wanted.q)),
                qd: six(wanted.map(|wanted| wanted.qd)),
                qdd: six(wanted.map(|wanted| wanted.qdd)),
                point: [goal.position, goal.velocity, goal.acceleration],
            },
            torque: six(self.torque),
            asked: six(asked),
            cut: std::array::from_fn(|i| is_cut(asked[i / 3][i % 3], limited[i / 3][i % 3])),
        };
        self.system.push(&self.push);
        self.observe(time)?;
        self.advance(time, command)?;
        self.samples += 1;
        Ok(sample)
    }

    /// What the law asks for.
    fn asked(
        &mut self,
        time: f64,
        wanted: &[Reference<f64, 3>; 2],
        [q, qd]: [[[f64; 3]; 2]; 2],
        goal: [Vec3<f64>; 3],
    ) -> Result<[[f64; 3]; 2], ControlError> {
        let mut measured = [[[0.0; 3]; 2]; 2];
        for i in 0..2 {
            let read = self.encoders[i].read(q[i], qd[i], [&wanted[i].q, &wanted[i].qd, &wanted[i].qdd]);
            let limit = self.setups[i].following_error;
            for k in 0..3 {
                let error = (wanted[i].q[k] - read.q[k]).abs();
                if error.is_nan() || error > limit {
                    return Err(ControlError::FollowingError { time, joint: 3 * i + k + 1, error, limit });
                }
            }
            // Compared as it is measured: a lag of the difference quotient is no error.
            measured[i] = [read.q, std::array::from_fn(|k| wanted[i].qd[k] - read.rate[k])];
        }
        let object = Carried {
            mass: self.pair.mass,
            gravity: self.models[0].robot.gravity(),
            offsets: self.pair.carriers.each_ref().map(super::Carrier::offset),
            share: self.pair.share,
            squeeze: self.pair.squeeze,
            reference: goal,
        };
        let mut torque = carry_together(&object, self.gains, self.models.each_ref(), measured);
        for i in 0..2 {
            let friction = self.models[i].friction(wanted[i].q, wanted[i].qd);
            torque[i] = std::array::from_fn(|k| torque[i][k] + friction[k]);
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
        let squeeze = first - (first + second) * self.pair.share;
        let off = (squeeze - self.pair.squeeze).norm_squared().sqrt();
        self.squeeze = [squeeze[0], squeeze[1], squeeze[2], off];
        Ok(())
    }

    /// Moves on by one period under a command.
    fn advance(&mut self, time: f64, command: [[f64; 3]; 2]) -> Result<(), ControlError> {
        let Setup { sampling, drive, .. } = self.setups[0];
        let (rise, h) = (drive.current_rise, sampling.period / self.substeps as f64);
        for step in 0..self.substeps {
            if rise > 0.0 {
                // Over a step the mean of the rising torque, so that its impulse is right.
                let (decay, before) = ((-h / rise).exp(), self.torque);
                let mix = |share: f64| -> [[f64; 3]; 2] {
                    [0, 1].map(|i| std::array::from_fn(|k| command[i][k] + (before[i][k] - command[i][k]) * share))
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

impl Sampled<6> for CarryLoop<'_> {
    fn time(&self) -> f64 {
        self.samples as f64 * self.setups[0].sampling.period
    }
    fn substeps(&self) -> usize {
        self.substeps
    }
    fn push(&mut self, force: Vec3<f64>) {
        // The velocities of the object are its own, and stand behind all coordinates in the state.
        let first = self.object[1] - (self.state.len() - self.push.len());
        self.push[first..first + 3].copy_from_slice(&force.0);
    }
    fn step(&mut self) -> Result<Sample<6>, ControlError> {
        CarryLoop::step(self)
    }
    fn more_columns(&self) -> Columns {
        let meaning = "force of the first platform on the object beyond its share";
        let mut columns =
            ["x", "y", "z"].map(|axis| (format!("squeeze_{axis}"), "N", format!("{meaning}, {axis}"))).to_vec();
        columns.push((String::from("squeeze_error"), "N", String::from("distance of that force from what is wanted")));
        columns
    }
    fn more(&self) -> &[f64] {
        &self.squeeze
    }
}
