//! The sampled loop, from sample to sample without allocation.
//!
//! At each sample the encoders are read, the control law computes, limits and resolution are applied, and the command waits its
//! delay; it is then constant until the next sample. Between the samples the robot moves by Runge–Kutta steps of fourth
//! order while the current rises, τ(t) = c + (τ₀ − c) exp(−t/T), in closed form.

use super::error::{MOST_SUBSTEPS, NOT_NEGATIVE, check};
use super::{Columns, ControlError, Encoders, Motors, Plant, Reading, Sample, SampledLoop, Sampling, Settings};
use crate::Vec3;
use crate::array::map;
use crate::friction::FrictionLaw;
use crate::robot::JointVector;
use crate::serial::TOOL_SINGULAR;
use dalembert_core::control::{ControlLaw, Feedback, Integral, Limiter, quantize};
use dalembert_core::dynamics::{Dynamics, Reference, State};

/// Most samples that a command can be late.
pub const MOST_DELAY: usize = 15;

/// From this share of its top speed on a motor gives less and less torque that drives it faster, and none at the top.
const DROOP: f64 = 0.95;

/// From a sample to the next a reference does not leave by more than this what its rates say, rad (m): accelerations make a
/// hundredth of it with the fewest samples that a motion may have.
const JUMP: f64 = 0.05;

/// Whether a tool moves, and from one sample to the next where its velocities lead.
#[cold]
fn goes_on(last: &[Vec3<f64>; 3], now: &[Vec3<f64>; 3], period: f64) -> bool {
    let way = (last[1] + now[1]) * (0.5 * period);
    let (moved, off) = (way.norm_squared().sqrt(), (now[0] - last[0] - way).norm_squared().sqrt());
    moved > 0.0 && off < moved
}

/// Everything that a loop is made of, but the robot, its model, its law and its reference.
#[derive(Clone, Copy, Debug)]
pub struct Setup<const N: usize> {
    /// What does not depend on the robot.
    pub settings: Settings,
    /// Î of each joint, kg m².
    pub inertia: [f64; N],
    /// The motors.
    pub motors: Motors<N>,
}

/// A robot under control.
#[derive(Debug)]
pub struct ClosedLoop<const N: usize, P, M, R, L> {
    plant: P,
    model: M,
    reference: R,
    law: L,
    setup: Setup<N>,
    encoders: Encoders<N>,
    integral: Integral<N>,
    limiter: Limiter<N>,
    /// Commands that wait, a ring.
    waiting: [[f64; N]; MOST_DELAY + 1],
    samples: u64,
    /// The last reference.
    last: Option<Reference<f64, N>>,
    /// The joints that the law's model was last asked at.
    configuration: [f64; N],
    /// Coordinates and their rates; with backlash also the motors' angles and rates, else zero.
    state: [[f64; N]; 4],
    torque: [f64; N],
    /// True joint accelerations at the last sample, under the torque that was given there.
    qdd: [f64; N],
    /// What the encoders read too much: behind a gear with play they are homed where the run starts.
    home: [f64; N],
    substeps: usize,
    /// exp(−h/2T), exp(−h/T) for a substep h.
    decay: [f64; 2],
    /// On the platform or tool from now on, N.
    force: Vec3<f64>,
}

impl<const N: usize, P, M, R, L> ClosedLoop<N, P, M, R, L>
where
    P: Plant<N>,
    M: Dynamics<f64, N>,
    R: FnMut(&M, f64) -> Result<Reference<f64, N>, ControlError>,
    L: ControlLaw<f64, N, M>,
{
    /// The loop at time zero with the plant at coordinates `start` and rates `rate`; the motors give `torque`. `reference`
    /// is told the controller's model and a time.
    ///
    /// With [`Drive::backlash`](super::Drive::backlash) the plant must have neither rotors nor friction at the motors: these
    /// are the motors'.
    pub fn new(
        mut plant: P,
        model: M,
        reference: R,
        law: L,
        setup: Setup<N>,
        [start, rate]: [[f64; N]; 2],
        torque: [f64; N],
    ) -> Result<Self, ControlError> {
        setup.check()?;
        let Settings { sampling, drive, encoder, .. } = setup.settings;
        if let Some(motor) = setup.motors.rotor.iter().position(|&rotor| rotor <= 0.0)
            && drive.backlash.is_some()
        {
            return Err(ControlError::NoRotor { motor: motor + 1 });
        }
        let [q, qd] = plant.joints(0.0, start, rate).map_err(|cause| ControlError::CannotGoOn { time: 0.0, cause })?;
        let substeps = setup.substeps()?;
        let h = sampling.period / substeps as f64;
        let rise = drive.current_rise;
        let decay = map([0.5 * h, h], |time| if rise > 0.0 { (-time / rise).exp() } else { 0.0 });
        let max_torque = setup.max_torque();
        let torque: [f64; N] = crate::array::from_fn(|i| torque[i].max(-max_torque[i]).min(max_torque[i]));
        // The teeth are in contact and hold what they have to.
        let home = drive.backlash.map_or([0.0; N], |gear| map(torque, |torque| gear.twist(torque)));
        let mut begun = Self {
            plant,
            model,
            reference,
            law,
            encoders: Encoders::new(encoder, sampling.period),
            integral: Integral([0.0; N]),
            limiter: Limiter::new(max_torque, [drive.max_torque_rate; N], torque),
            waiting: [torque; MOST_DELAY + 1],
            samples: 0,
            last: None,
            configuration: q,
            state: [start, rate, crate::array::from_fn(|i| q[i] + home[i]), qd],
            torque,
            qdd: [0.0; N],
            home,
            substeps,
            decay,
            force: Vec3::zero(),
            setup,
        };
        begun.encoders.count = begun.setup.motors.count;
        Ok(begun)
    }

    /// What the law asks for.
    #[inline]
    fn asked(
        &self,
        time: f64,
        read: &Reading<N>,
        reference: &Reference<f64, N>,
        ahead: &Reference<f64, N>,
    ) -> Result<[f64; N], ControlError> {
        let feedback = Feedback {
            q: read.q,
            qd: read.qd,
            configuration: self.configuration,
            rate: read.rate,
            integral: self.integral.0,
            reference,
            ahead,
            inertia: self.setup.inertia,
            gains: self.setup.settings.gains,
            impedance: self.setup.settings.impedance,
        };
        let asked = self.law.torque(&feedback, &self.model);
        match asked.iter().position(|torque| !torque.is_finite()) {
            Some(i) => Err(self.no_answer(time, read, i + 1)),
            None => Ok(asked),
        }
    }

    /// Why the law gives no torque.
    #[cold]
    fn no_answer(&self, time: f64, read: &Reading<N>, joint: usize) -> ControlError {
        // What is no number is no margin.
        let margin = self.model.at_joints(read.q, read.qd).margin().max(0.0);
        if self.law.controls_tool() && margin < TOOL_SINGULAR {
            ControlError::Singular { time, margin }
        } else {
            ControlError::NoAnswer { time, joint }
        }
    }

    /// Refuses a reference whose tool goes on as its rates say while its joints do not: from a sample to the next it has gone
    /// through a singular pose, and over to another solution of the kinematics. A step of both is a step, and allowed.
    #[inline]
    fn check_reference(&mut self, time: f64, reference: &Reference<f64, N>) -> Result<(), ControlError> {
        let period = self.setup.settings.sampling.period;
        let Some(last) = self.last.replace(*reference) else { return Ok(()) };
        for i in 0..N {
            let way = 0.5 * period * (last.qd[i] + reference.qd[i]);
            let jump = (reference.q[i] - last.q[i] - way).abs();
            if jump > JUMP + way.abs() && goes_on(&last.point, &reference.point, period) {
                let (joint, unit) = (i + 1, self.setup.motors.units[i]);
                return Err(ControlError::ReferenceJumps { time, period, joint, jump, unit });
            }
        }
        Ok(())
    }

    /// Moves on by one period under a command. Tells the second derivative of the coordinates at its start.
    #[inline]
    fn advance(&mut self, command: [f64; N]) -> [f64; N] {
        let mut first = None;
        let h = self.setup.settings.sampling.period / self.substeps as f64;
        let [half, whole] = self.decay;
        for _ in 0..self.substeps {
            let start = self.torque;
            let after =
                |decay: f64| -> [f64; N] { crate::array::from_fn(|i| command[i] + (start[i] - command[i]) * decay) };
            let torques =
                [if self.setup.settings.drive.current_rise > 0.0 { start } else { command }, after(half), after(whole)];
            match self.setup.settings.drive.backlash {
                None => {
                    let [x, v, ..] = self.state;
                    let ([x, v], rate) = runge_kutta([x, v], h, |stage, [x, v]: &[[f64; N]; 2]| {
                        [*v, self.plant.acceleration(*x, *v, torques[stage], self.force)]
                    });
                    (self.state[0], self.state[1]) = (x, v);
                    first.get_or_insert(rate[1]);
                }
                Some(gear) => {
                    let motors = &self.setup.motors;
                    let (state, rates) = runge_kutta(self.state, h, |stage, [x, v, motor, rate]: &[[f64; N]; 4]| {
                        let [q, qd] = self.plant.joints_unchecked(*x, *v);
                        let passed: [f64; N] = crate::array::from_fn(|i| gear.torque(motor[i] - q[i], rate[i] - qd[i]));
                        let turning = crate::array::from_fn(|i| {
                            let friction = motors.friction[i].map_or(0.0, |friction| friction.torque(rate[i]));
                            (torques[stage][i] - friction - passed[i]) / motors.rotor[i]
                        });
                        [*v, self.plant.acceleration(*x, *v, passed, self.force), *rate, turning]
                    });
                    self.state = state;
                    first.get_or_insert(rates[1]);
                }
            }
            self.torque = torques[2];
        }
        first.unwrap_or([0.0; N])
    }
}

impl<const N: usize, P, M, R, L> SampledLoop for ClosedLoop<N, P, M, R, L>
where
    P: Plant<N>,
    M: Dynamics<f64, N>,
    R: FnMut(&M, f64) -> Result<Reference<f64, N>, ControlError>,
    L: ControlLaw<f64, N, M>,
{
    fn time(&self) -> f64 {
        self.samples as f64 * self.setup.settings.sampling.period
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn push(&mut self, force: Vec3<f64>) {
        self.force = force;
    }

    fn step(&mut self) -> Result<Sample, ControlError> {
        let Settings { look_ahead, following_error, .. } = self.setup.settings;
        let Sampling { period, delay, configuration_every, .. } = self.setup.settings.sampling;
        let time = self.samples as f64 * period;
        let [x, v, motor, motor_rate] = self.state;
        // The reference first: it does not wait for the state, so a processor begins it while the last step still ends.
        let reference = (self.reference)(&self.model, time)?;
        self.check_reference(time, &reference)?;
        let looks = self.law.looks_ahead() && look_ahead > 0.0;
        let ahead = if looks { Some((self.reference)(&self.model, time + look_ahead)?) } else { None };
        let [q, qd] = self.plant.joints(time, x, v).map_err(|cause| ControlError::CannotGoOn { time, cause })?;
        let (seen, turning) = match self.setup.settings.drive.backlash {
            Some(_) => (crate::array::from_fn(|i| motor[i] - self.home[i]), motor_rate),
            None => (q, qd),
        };
        let reading = self.encoders.read(seen, turning, [&reference.q, &reference.qd, &reference.qdd]);
        for i in 0..N {
            let error = (reference.q[i] - reading.q[i]).abs();
            if error > following_error {
                let (joint, limit, unit) = (i + 1, following_error, self.setup.motors.units[i]);
                return Err(ControlError::FollowingError { time, joint, error, limit, unit });
            }
        }
        if self.samples.is_multiple_of(configuration_every as u64) {
            self.configuration = reading.q;
        }
        let asked = self.asked(time, &reading, &reference, ahead.as_ref().unwrap_or(&reference))?;
        let setup = &self.setup;
        let limited = setup.driven(self.limiter.limit(asked, period), turning);
        let error = crate::array::from_fn(|i| reference.q[i] - reading.q[i]);
        self.integral.advance(error, asked, limited, period);
        let cut = (0..N).any(|i| is_cut(asked[i], limited[i]));
        let ring = MOST_DELAY + 1;
        let now = (self.samples % ring as u64) as usize;
        self.waiting[now] = setup.resolved(limited);
        // Before the first command is due the motors give what they gave at the start.
        let command = setup.driven(self.waiting[(now + ring - delay) % ring], turning);
        let point = self.plant.point(x, v);
        let torque = if setup.settings.drive.current_rise > 0.0 { self.torque } else { command };
        let acceleration = self.advance(command);
        self.qdd = self.plant.joint_acceleration(x, v, acceleration);
        if let Some(place) = self.state[0].iter().chain(&self.state[1]).position(|x| !x.is_finite()) {
            return Err(ControlError::Diverged { time, period, coordinate: place % N + 1 });
        }
        self.samples += 1;
        let own = |all: &[f64; N]| JointVector::new(&all[..self.setup.motors.count]);
        Ok(Sample {
            time,
            q: own(&q),
            qd: own(&qd),
            point,
            reference: own(&reference.q),
            reference_point: reference.point,
            torque: own(&torque),
            asked: own(&asked),
            cut,
        })
    }

    fn columns(&self) -> Columns {
        let column = |i: usize| {
            let unit = if self.setup.motors.units[i] == "m" { "m/s^2" } else { "rad/s^2" };
            (format!("qdd{}", i + 1), unit, format!("joint acceleration {}", i + 1))
        };
        (0..self.setup.motors.count).map(column).collect()
    }

    fn values(&self) -> &[f64] {
        &self.qdd[..self.setup.motors.count]
    }
}

impl<const N: usize> Setup<N> {
    /// Settings for motors; Î is the diagonal of the model's mass matrix at `still`.
    pub fn new(settings: Settings, motors: Motors<N>, still: &impl State<f64, N>) -> Self {
        let inertia = crate::array::from_fn(|i| {
            let unit = crate::array::from_fn(|k| if k == i { 1.0 } else { 0.0 });
            still.mass_times(unit)[i]
        });
        Self { settings, inertia, motors }
    }

    /// Refuses what no loop can have.
    pub(crate) fn check(&self) -> Result<(), ControlError> {
        let Settings { sampling, drive, encoder, look_ahead: ahead, following_error, .. } = &self.settings;
        let Sampling { period, delay, substeps, configuration_every: every } = *sampling;
        check("sampling period", period, period > 0.0 && period.is_finite(), "positive and finite")?;
        check("delay in samples", delay as f64, delay <= MOST_DELAY, "at most 15")?;
        check("steps per sample", substeps as f64, (1..=MOST_SUBSTEPS).contains(&substeps), "1 to 1000")?;
        check("samples between looks at the configuration", every as f64, (1..=1000).contains(&every), "1 to 1000")?;
        check("look-ahead", *ahead, *ahead >= 0.0 && ahead.is_finite(), NOT_NEGATIVE)?;
        check("following error", *following_error, *following_error > 0.0, "positive")?;
        drive.check()?;
        encoder.check()
    }

    /// Steps per sample: at least what was asked for, and more where dry friction around standstill or a gear in contact
    /// would be too stiff for the step. Runge–Kutta of fourth order is stable to 2.8 over the fastest rate; 1 is taken,
    /// because coupled joints are lighter than Î says.
    pub(crate) fn substeps(&self) -> Result<usize, ControlError> {
        let mut fastest = 0.0_f64;
        for i in 0..N {
            if let Some(friction) = self.motors.friction[i] {
                let turned =
                    if self.settings.drive.backlash.is_some() { self.motors.rotor[i] } else { self.inertia[i] };
                fastest = fastest.max(friction.steepest() / turned);
            }
            if let Some(gear) = self.settings.drive.backlash.filter(|_| self.motors.rotor[i].is_finite()) {
                // The gear lies between the rotor and the rest, which may be much lighter; Î has both.
                let rotor = self.motors.rotor[i];
                let rest = (self.inertia[i] - rotor).max(1e-6 * self.inertia[i]);
                let mobility = 1.0 / rotor + 1.0 / rest;
                fastest = fastest.max((gear.stiffness * mobility).sqrt() + gear.damping * mobility);
            }
        }
        let needed = (self.settings.sampling.period * fastest).ceil();
        if needed.is_nan() || needed > MOST_SUBSTEPS as f64 {
            return Err(ControlError::TooStiff { needed });
        }
        Ok(self.settings.sampling.substeps.max(needed as usize))
    }

    /// The limits of torque that hold, N m.
    pub(crate) fn max_torque(&self) -> [f64; N] {
        if self.settings.drive.limited { self.motors.max_torque } else { [f64::INFINITY; N] }
    }

    /// A torque in the steps of the drive.
    #[inline]
    pub(crate) fn resolved(&self, torque: [f64; N]) -> [f64; N] {
        let steps = self.settings.drive.torque_steps;
        crate::array::from_fn(|i| {
            let most = self.motors.max_torque[i];
            if steps > 0.0 && most.is_finite() { quantize(torque[i], most / steps) } else { torque[i] }
        })
    }

    /// What the motors can give of a torque at their speed: back electromotive force leaves ever less voltage for a torque
    /// that drives a motor faster, here none at its top speed and all of the maximum up to [`DROOP`] of it.
    #[inline]
    pub(crate) fn driven(&self, torque: [f64; N], speed: [f64; N]) -> [f64; N] {
        if !self.settings.drive.limited {
            return torque;
        }
        let Motors { max_torque, max_speed, .. } = &self.motors;
        crate::array::from_fn(|i| {
            let left = (max_speed[i] - speed[i].abs()) / ((1.0 - DROOP) * max_speed[i]);
            let drives = torque[i] * speed[i] > 0.0;
            // Without a limit of speed `left` is NaN, and the comparison false.
            if drives && left < 1.0 {
                let most = max_torque[i].min(f64::MAX) * left.max(0.0);
                torque[i].max(-most).min(most)
            } else {
                torque[i]
            }
        })
    }
}

/// Whether a limit took more away than rounding does.
#[inline]
pub(crate) fn is_cut(asked: f64, limited: f64) -> bool {
    (asked - limited).abs() > 1e-9 * (1.0 + asked.abs())
}

/// One step, and the rates at its start; `rate` is told the stage in time: 0 the start, 1 the middle, 2 the end.
#[inline(always)]
fn runge_kutta<const N: usize, const K: usize>(
    x: [[f64; N]; K],
    h: f64,
    rate: impl Fn(usize, &[[f64; N]; K]) -> [[f64; N]; K],
) -> ([[f64; N]; K], [[f64; N]; K]) {
    let plus = |k: &[[f64; N]; K], h: f64| -> [[f64; N]; K] {
        crate::array::from_fn(|a| crate::array::from_fn(|i| x[a][i] + h * k[a][i]))
    };
    let k1 = rate(0, &x);
    let k2 = rate(1, &plus(&k1, 0.5 * h));
    let k3 = rate(1, &plus(&k2, 0.5 * h));
    let k4 = rate(2, &plus(&k3, h));
    let next = crate::array::from_fn(|a| {
        crate::array::from_fn(|i| x[a][i] + h / 6.0 * (k1[a][i] + 2.0 * (k2[a][i] + k3[a][i]) + k4[a][i]))
    });
    (next, k1)
}
