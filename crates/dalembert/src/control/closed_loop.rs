//! The sampled loop, from sample to sample without allocation.
//!
//! At each sample the encoders are read, the law computes, limits and resolution are applied, and the command waits its
//! delay; it is then constant until the next sample. Between the samples the robot moves by Runge–Kutta steps of fourth
//! order while the current rises, τ(t) = c + (τ₀ − c) exp(−t/T), in closed form.

use super::collector::Sampled;
use super::encoder::{Encoders, Reading};
use super::{
    ControlLaw, Drive, Dynamics, Encoder, Gains, Impedance, Integral, Law, Limiter, Mechanics, Motors, Reference,
};
use super::{Feedback, Wish, quantize};
use crate::Vec3;
use crate::delta::{KinematicsError, ModelDoesNotApply};
use crate::dynamics::State;
use crate::mechanism::MechanismError;
use crate::serial::puma::DoesNotApply;
use crate::serial::{SerialError, TOOL_SINGULAR};
use crate::simulate::SimulationError;

/// Most samples that a command can be late.
pub const MOST_DELAY: usize = 15;

/// More substeps than this are refused: the run would take for ever, and a stiffness that needs them is a slip.
const MOST_SUBSTEPS: usize = 1000;

/// From this share of its top speed on a motor gives less and less torque that drives it faster, and none at the top.
const DROOP: f64 = 0.95;

/// Why a loop could not begin, or why it ended.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum ControlError {
    #[error("at {time:.4} s the robot cannot go on: {cause}")]
    Kinematics { time: f64, cause: KinematicsError },
    #[error("at {time:.4} s the arm cannot go on: {cause}")]
    Arm { time: f64, cause: SerialError },
    #[error("the motion leaves the workspace at {time:.4} s: {cause}")]
    OutOfReach { time: f64, cause: KinematicsError },
    #[error(
        "at {time:.4} s joint {joint} is {error:.3} rad off what is wanted, more than the drive allows ({limit} rad): the loop has lost the motion"
    )]
    FollowingError { time: f64, joint: usize, error: f64, limit: f64 },
    #[error(
        "at {time:.4} s the law has no answer for joint {joint}: the measured joints belong to no pose that it knows"
    )]
    NoAnswer { time: f64, joint: usize },
    #[error(
        "at {time:.4} s the tool cannot go in every direction, so the law `{}` has no answer: margin {margin:.1e}, least {TOOL_SINGULAR:.0e}",
        Law::Cartesian.as_str()
    )]
    Singular { time: f64, margin: f64 },
    #[error(
        "within {period} s after {time:.4} s coordinate {coordinate} leaves what the robot can reach, or what numbers can tell"
    )]
    Diverged { time: f64, period: f64, coordinate: usize },
    #[error("{what} is {value}, but must be {must}")]
    Setting { what: &'static str, value: f64, must: &'static str },
    #[error(
        "friction or gear are so stiff that a sample would need {needed:.0} steps, and at most {MOST_SUBSTEPS} are taken"
    )]
    TooStiff { needed: f64 },
    #[error("backlash needs a rotor that turns in it, but motor {motor} has no rotor inertia")]
    NoRotor { motor: usize },
    #[error("the law `{law}` does not apply: {why}")]
    LawDoesNotApply { law: &'static str, why: &'static str },
    #[error(transparent)]
    Model(#[from] ModelDoesNotApply),
    #[error(transparent)]
    ArmModel(#[from] DoesNotApply),
    #[error("the arm has {robot} joints, but its controller knows one with {known}")]
    Joints { robot: usize, known: usize },
    #[error("{}", grip_out_of_reach(*carrier, *time, cause))]
    GripOutOfReach { carrier: usize, time: f64, cause: KinematicsError },
    #[error("both carriers stand at the same place, and their platforms hold the object at the same place")]
    SamePlace,
    #[error("two robots and their object do not fit together: {0}")]
    Mechanism(Box<MechanismError>),
    #[error("two robots and their object cannot go on: {0}")]
    Simulation(Box<SimulationError>),
    #[error("interrupted at {time:.4} s")]
    Interrupted { time: f64 },
}

/// The words for it, the same when it is planned and when it runs.
pub(crate) fn grip_out_of_reach(carrier: usize, time: f64, cause: &KinematicsError) -> String {
    format!("carrier {carrier} cannot reach its grip at {time:.4} s of the motion: {cause}")
}

impl From<MechanismError> for ControlError {
    fn from(error: MechanismError) -> Self {
        Self::Mechanism(Box::new(error))
    }
}

impl From<SimulationError> for ControlError {
    fn from(error: SimulationError) -> Self {
        Self::Simulation(Box::new(error))
    }
}

/// When the controller looks and acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// s.
    pub period: f64,
    /// Samples from reading to acting; 0: the command acts at the instant of its reading.
    pub delay: usize,
    /// Runge–Kutta steps per sample, at least; friction and gears that are stiff get more.
    pub substeps: usize,
}

impl Sampling {
    /// 1 kHz, one sample of delay, four steps.
    pub const USUAL: Self = Self { period: 1e-3, delay: 1, substeps: 4 };
}

/// Everything that a loop is made of, but the robot, its model and its task.
#[derive(Clone, Copy, Debug)]
pub struct Setup<const N: usize, L = Law> {
    /// The control law: one of the built-in ones, or one's own.
    pub law: L,
    /// Of the regulator.
    pub gains: Gains<f64>,
    /// Of the law `impedance`.
    pub impedance: Impedance<f64>,
    /// T_m of the laws that look ahead, s.
    pub look_ahead: f64,
    /// Î of each joint, kg m².
    pub inertia: [f64; N],
    /// When.
    pub sampling: Sampling,
    /// The drives.
    pub drive: Drive,
    /// The motors.
    pub motors: Motors<N>,
    /// The sensors.
    pub encoder: Encoder,
    /// A joint that is farther off than this ends the run, as a drive does, rad.
    pub following_error: f64,
}

/// What there is at a sample.
#[derive(Clone, Copy, Debug)]
pub struct Sample<const N: usize> {
    /// s.
    pub time: f64,
    /// True joints.
    pub q: [f64; N],
    /// True joint velocities.
    pub qd: [f64; N],
    /// True position and velocity of platform or tool.
    pub point: [Vec3<f64>; 2],
    /// What is wanted.
    pub wanted: Reference<f64, N>,
    /// Motor torque, N m.
    pub torque: [f64; N],
    /// What the law wants, N m.
    pub asked: [f64; N],
    /// Whether a limit cut it, joint by joint.
    pub cut: [bool; N],
}

impl<const N: usize> Sample<N> {
    /// How far platform or tool is off, m.
    pub fn error(&self) -> Vec3<f64> {
        self.point[0] - self.wanted.point[0]
    }
}

/// A robot under control.
#[derive(Debug)]
pub struct ClosedLoop<const N: usize, P, M, W, L = Law> {
    mechanics: P,
    model: M,
    wish: W,
    setup: Setup<N, L>,
    encoders: Encoders<N>,
    integral: Integral<N>,
    limiter: Limiter<N>,
    /// Commands that wait, a ring.
    waiting: [[f64; N]; MOST_DELAY + 1],
    samples: u64,
    /// Coordinates and their rates; with backlash also the motors' angles and rates, else zero.
    state: [[f64; N]; 4],
    torque: [f64; N],
    /// What the encoders read too much: behind a gear with play they are homed where the run starts.
    home: [f64; N],
    substeps: usize,
    /// exp(−h/2T), exp(−h/T) for a substep h.
    decay: [f64; 2],
    /// On the platform or tool from now on, N.
    pub force: Vec3<f64>,
}

impl<const N: usize, P, M, W, L> ClosedLoop<N, P, M, W, L>
where
    P: Mechanics<N>,
    M: Dynamics<f64, N>,
    W: Wish<N>,
    L: ControlLaw<f64, N, M>,
{
    /// The loop at time zero with the mechanics at coordinates `start` and rates `rate`; the motors give `torque`.
    ///
    /// With [`Drive::backlash`] the mechanics must have neither rotors nor friction at the motors: these are the motors'.
    pub fn new(
        mut mechanics: P,
        model: M,
        wish: W,
        setup: Setup<N, L>,
        [start, rate]: [[f64; N]; 2],
        torque: [f64; N],
    ) -> Result<Self, ControlError> {
        setup.check()?;
        let period = setup.sampling.period;
        if let Some(motor) = setup.motors.rotor.iter().position(|&rotor| rotor <= 0.0)
            && setup.drive.backlash.is_some()
        {
            return Err(ControlError::NoRotor { motor: motor + 1 });
        }
        let [q, qd] = mechanics.joints(0.0, start, rate)?;
        let substeps = setup.substeps()?;
        let h = period / substeps as f64;
        let rise = setup.drive.current_rise;
        let decay = [0.5 * h, h].map(|time| if rise > 0.0 { (-time / rise).exp() } else { 0.0 });
        let max_torque = setup.max_torque();
        let torque: [f64; N] = std::array::from_fn(|i| torque[i].max(-max_torque[i]).min(max_torque[i]));
        // The teeth are in contact and hold what they have to.
        let home = setup.drive.backlash.map_or([0.0; N], |gear| torque.map(|torque| gear.twist(torque)));
        Ok(Self {
            mechanics,
            model,
            wish,
            encoders: Encoders::new(setup.encoder, period),
            integral: Integral::default(),
            limiter: Limiter::new(max_torque, [setup.drive.max_torque_rate; N], torque),
            waiting: [torque; MOST_DELAY + 1],
            samples: 0,
            state: [start, rate, std::array::from_fn(|i| q[i] + home[i]), qd],
            torque,
            home,
            substeps,
            decay,
            force: Vec3::zero(),
            setup,
        })
    }

    /// Time of the next sample, s.
    pub fn time(&self) -> f64 {
        self.samples as f64 * self.setup.sampling.period
    }

    /// Runge–Kutta steps per sample.
    pub fn substeps(&self) -> usize {
        self.substeps
    }

    /// Coordinates and rates of the mechanics.
    pub fn coordinates(&self) -> [[f64; N]; 2] {
        [self.state[0], self.state[1]]
    }

    /// One sample: reads, computes, acts, and moves on to the next. What is returned is what there was when it was read.
    pub fn step(&mut self) -> Result<Sample<N>, ControlError> {
        let setup = &self.setup;
        let Sampling { period, delay, .. } = setup.sampling;
        let time = self.samples as f64 * period;
        let [x, v, motor, motor_rate] = self.state;
        // What is wanted first: it does not wait for the state, so a processor begins it while the last step still ends.
        let wanted = self.wish.at(time)?;
        let looks = setup.law.looks_ahead() && setup.look_ahead > 0.0;
        let ahead = if looks { Some(self.wish.at(time + setup.look_ahead)?) } else { None };
        let [q, qd] = self.mechanics.joints(time, x, v)?;
        let (seen, turning) = match setup.drive.backlash {
            Some(_) => (std::array::from_fn(|i| motor[i] - self.home[i]), motor_rate),
            None => (q, qd),
        };
        let reading = self.encoders.read(seen, turning, [&wanted.q, &wanted.qd, &wanted.qdd]);
        for i in 0..N {
            let error = (wanted.q[i] - reading.q[i]).abs();
            if error > setup.following_error {
                return Err(ControlError::FollowingError { time, joint: i + 1, error, limit: setup.following_error });
            }
        }
        let asked = self.asked(time, &reading, &wanted, ahead.as_ref().unwrap_or(&wanted))?;
        let setup = &self.setup;
        let limited = setup.driven(self.limiter.limit(asked, period), turning);
        let error = std::array::from_fn(|i| wanted.q[i] - reading.q[i]);
        self.integral.advance(error, asked, limited, period);
        let cut = std::array::from_fn(|i| is_cut(asked[i], limited[i]));
        let ring = MOST_DELAY + 1;
        let now = (self.samples % ring as u64) as usize;
        self.waiting[now] = setup.resolved(limited);
        // Before the first command is due the motors give what they gave at the start.
        let command = setup.driven(self.waiting[(now + ring - delay) % ring], turning);
        let point = self.mechanics.point(x, v);
        let torque = if setup.drive.current_rise > 0.0 { self.torque } else { command };
        self.advance(command);
        if let Some(place) = self.state[0].iter().chain(&self.state[1]).position(|x| !x.is_finite()) {
            return Err(ControlError::Diverged { time, period, coordinate: place % N + 1 });
        }
        self.samples += 1;
        Ok(Sample { time, q, qd, point, wanted, torque, asked, cut })
    }

    /// What the law asks for.
    #[inline]
    fn asked(
        &self,
        time: f64,
        read: &Reading<N>,
        wanted: &Reference<f64, N>,
        ahead: &Reference<f64, N>,
    ) -> Result<[f64; N], ControlError> {
        let setup = &self.setup;
        let feedback = Feedback {
            q: read.q,
            qd: read.qd,
            rate: read.rate,
            integral: self.integral.value(),
            reference: wanted,
            ahead,
            inertia: setup.inertia,
            gains: setup.gains,
            impedance: setup.impedance,
        };
        let asked = setup.law.torque(&feedback, &self.model);
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
        if self.setup.law.controls_tool() && margin < TOOL_SINGULAR {
            ControlError::Singular { time, margin }
        } else {
            ControlError::NoAnswer { time, joint }
        }
    }

    /// Moves on by one period under a command.
    #[inline]
    fn advance(&mut self, command: [f64; N]) {
        let h = self.setup.sampling.period / self.substeps as f64;
        let [half, whole] = self.decay;
        for _ in 0..self.substeps {
            let start = self.torque;
            let after =
                |decay: f64| -> [f64; N] { std::array::from_fn(|i| command[i] + (start[i] - command[i]) * decay) };
            let torques =
                [if self.setup.drive.current_rise > 0.0 { start } else { command }, after(half), after(whole)];
            match self.setup.drive.backlash {
                None => {
                    let [x, v, ..] = self.state;
                    let [x, v] = runge_kutta([x, v], h, |stage, [x, v]: &[[f64; N]; 2]| {
                        [*v, self.mechanics.acceleration(*x, *v, torques[stage], self.force)]
                    });
                    (self.state[0], self.state[1]) = (x, v);
                }
                Some(gear) => {
                    let motors = &self.setup.motors;
                    self.state = runge_kutta(self.state, h, |stage, [x, v, motor, rate]: &[[f64; N]; 4]| {
                        let [q, qd] = self.mechanics.joints_unchecked(*x, *v);
                        let passed: [f64; N] = std::array::from_fn(|i| gear.torque(motor[i] - q[i], rate[i] - qd[i]));
                        let turning = std::array::from_fn(|i| {
                            let friction = motors.friction[i].map_or(0.0, |friction| friction.torque(rate[i]));
                            (torques[stage][i] - friction - passed[i]) / motors.rotor[i]
                        });
                        [*v, self.mechanics.acceleration(*x, *v, passed, self.force), *rate, turning]
                    });
                }
            }
            self.torque = torques[2];
        }
    }
}

impl<const N: usize, P, M, W, L> Sampled<N> for ClosedLoop<N, P, M, W, L>
where
    P: Mechanics<N>,
    M: Dynamics<f64, N>,
    W: Wish<N>,
    L: ControlLaw<f64, N, M>,
{
    fn time(&self) -> f64 {
        ClosedLoop::time(self)
    }
    fn substeps(&self) -> usize {
        self.substeps
    }
    fn push(&mut self, force: Vec3<f64>) {
        self.force = force;
    }
    fn step(&mut self) -> Result<Sample<N>, ControlError> {
        ClosedLoop::step(self)
    }
}

impl<const N: usize, L> Setup<N, L> {
    /// Refuses what no loop can have.
    pub(super) fn check(&self) -> Result<(), ControlError> {
        let Sampling { period, delay, substeps } = self.sampling;
        check("sampling period", period, period > 0.0 && period.is_finite(), "positive and finite")?;
        check("delay in samples", delay as f64, delay <= MOST_DELAY, "at most 15")?;
        check("steps per sample", substeps as f64, (1..=MOST_SUBSTEPS).contains(&substeps), "1 to 1000")?;
        let ahead = self.look_ahead;
        check("look-ahead", ahead, ahead >= 0.0 && ahead.is_finite(), "zero or positive, and finite")?;
        check("following error", self.following_error, self.following_error > 0.0, "positive")?;
        self.drive.check()?;
        self.encoder.check()
    }

    /// Steps per sample: at least what was asked for, and more where dry friction around standstill or a gear in contact
    /// would be too stiff for the step. Runge–Kutta of fourth order is stable to 2.8 over the fastest rate; 1 is taken,
    /// because coupled joints are lighter than Î says.
    pub(super) fn substeps(&self) -> Result<usize, ControlError> {
        let mut fastest = 0.0_f64;
        for i in 0..N {
            if let Some(friction) = self.motors.friction[i] {
                let turned = if self.drive.backlash.is_some() { self.motors.rotor[i] } else { self.inertia[i] };
                let dry = friction.static_friction.max(friction.coulomb) / friction.smoothing_velocity;
                fastest = fastest.max((dry + friction.viscous) / turned);
            }
            if let Some(gear) = self.drive.backlash {
                // The gear lies between the rotor and the rest, which may be much lighter; Î has both.
                let rotor = self.motors.rotor[i];
                let rest = (self.inertia[i] - rotor).max(1e-6 * self.inertia[i]);
                let mobility = 1.0 / rotor + 1.0 / rest;
                fastest = fastest.max((gear.stiffness * mobility).sqrt() + gear.damping * mobility);
            }
        }
        let needed = (self.sampling.period * fastest).ceil();
        if needed.is_nan() || needed > MOST_SUBSTEPS as f64 {
            return Err(ControlError::TooStiff { needed });
        }
        Ok(self.sampling.substeps.max(needed as usize))
    }

    /// The limits of torque that hold, N m.
    pub(super) fn max_torque(&self) -> [f64; N] {
        if self.drive.limited { self.motors.max_torque } else { [f64::INFINITY; N] }
    }

    /// A torque in the steps of the drive.
    #[inline]
    pub(super) fn resolved(&self, torque: [f64; N]) -> [f64; N] {
        let steps = self.drive.torque_steps;
        std::array::from_fn(|i| {
            let most = self.motors.max_torque[i];
            if steps > 0.0 && most.is_finite() { quantize(torque[i], most / steps) } else { torque[i] }
        })
    }

    /// What the motors can give of a torque at their speed: back electromotive force leaves ever less voltage for a torque
    /// that drives a motor faster, here none at its top speed and all of the maximum up to [`DROOP`] of it.
    #[inline]
    pub(super) fn driven(&self, torque: [f64; N], speed: [f64; N]) -> [f64; N] {
        if !self.drive.limited {
            return torque;
        }
        let Motors { max_torque, max_speed, .. } = &self.motors;
        std::array::from_fn(|i| {
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
pub(super) fn is_cut(asked: f64, limited: f64) -> bool {
    (asked - limited).abs() > 1e-9 * (1.0 + asked.abs())
}

pub(super) fn check(what: &'static str, value: f64, ok: bool, must: &'static str) -> Result<(), ControlError> {
    if ok { Ok(()) } else { Err(ControlError::Setting { what, value, must }) }
}

/// One step; `rate` is told the stage in time: 0 the start, 1 the middle, 2 the end.
#[inline(always)]
fn runge_kutta<const N: usize, const K: usize>(
    x: [[f64; N]; K],
    h: f64,
    rate: impl Fn(usize, &[[f64; N]; K]) -> [[f64; N]; K],
) -> [[f64; N]; K] {
    let plus = |k: &[[f64; N]; K], h: f64| -> [[f64; N]; K] {
        std::array::from_fn(|a| std::array::from_fn(|i| x[a][i] + h * k[a][i]))
    };
    let k1 = rate(0, &x);
    let k2 = rate(1, &plus(&k1, 0.5 * h));
    let k3 = rate(1, &plus(&k2, 0.5 * h));
    let k4 = rate(2, &plus(&k3, h));
    std::array::from_fn(|a| {
        std::array::from_fn(|i| x[a][i] + h / 6.0 * (k1[a][i] + 2.0 * (k2[a][i] + k3[a][i]) + k4[a][i]))
    })
}
