//! Control laws in the loop: the built-in ones with all types known, one's own behind one interface.

use crate::robot::{JointMatrix, JointState, JointVector};
use dalembert_core::control::{self, ControlLaw, Gains, Impedance, Law};
use dalembert_core::dynamics::{Dynamics, Reference, State};
use dalembert_core::spatial::{Frame, Twist, Wrench};
use std::cell::{Cell, RefCell};
use std::fmt::Debug;

/// A control law that runs in the closed loop of any robot. Implement it to bring a law of your own; the built-in ones are
/// [`Law`], and a law of one's own may use them: `Law::Pd.torque(now, model)`.
///
/// Each run begins with a fresh copy, so a law may keep what it likes from sample to sample.
pub trait Controller: Debug + Send + Sync {
    /// Its name in tables.
    fn name(&self) -> &str;

    /// Motor torques, N m (N), one per joint; not yet limited. NaN where the law has no answer.
    fn torque(&mut self, now: &JointFeedback, model: &dyn ControllerModel) -> JointVector;

    /// Whether its gains have an integral.
    fn integrates(&self) -> bool {
        false
    }

    /// Whether it asks the model about the reference, so that [`JointFeedback::ahead`] is looked up.
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Whether it has no answer where the tool cannot go in every direction.
    fn controls_tool(&self) -> bool {
        false
    }

    /// The built-in law that it is: the loop then runs it with all types known.
    fn built_in(&self) -> Option<Law> {
        None
    }

    /// A copy.
    fn clone_box(&self) -> Box<dyn Controller>;
}

impl Clone for Box<dyn Controller> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

impl Controller for Law {
    fn name(&self) -> &str {
        self.as_str()
    }
    fn torque(&mut self, _now: &JointFeedback, model: &dyn ControllerModel) -> JointVector {
        model.under(*self)
    }
    fn integrates(&self) -> bool {
        Law::integrates(*self)
    }
    fn looks_ahead(&self) -> bool {
        Law::looks_ahead(*self)
    }
    fn controls_tool(&self) -> bool {
        *self == Self::Cartesian
    }
    fn built_in(&self) -> Option<Law> {
        Some(*self)
    }
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(*self)
    }
}

/// What a law sees at a sample; e = reference − measured.
#[derive(Clone, Debug)]
pub struct JointFeedback {
    /// s.
    pub time: f64,
    /// From sample to sample, s.
    pub period: f64,
    /// Measured joints.
    pub q: JointVector,
    /// Measured joint velocities.
    pub qd: JointVector,
    /// The joints to ask the model at: the measured ones, or those of an earlier sample
    /// ([`Sampling::configuration_every`](super::Sampling::configuration_every)).
    pub configuration: JointVector,
    /// ė, both velocities made in the same way: a lag of the measurement is no error.
    pub rate: JointVector,
    /// ∫e, with anti-windup.
    pub integral: JointVector,
    /// What the joints should do now.
    pub reference: JointState,
    /// What they should do a look-ahead from now; the same as `reference` for laws that do not look ahead.
    pub ahead: JointState,
    /// Î, one constant per joint: the diagonal of the model's mass matrix at the start, kg m² (kg).
    pub inertia: JointVector,
    /// Of the regulator.
    pub gains: Gains<f64>,
    /// Of the law `impedance`.
    pub impedance: Impedance<f64>,
}

impl JointFeedback {
    /// u = k_p e + k_d ė + k_i ∫e of each joint, rad/s² (m/s²).
    pub fn regulator(&self) -> JointVector {
        let error = |i: usize| self.reference.q[i] - self.q[i];
        JointVector::from_fn(self.q.len(), |i| self.gains.acceleration(error(i), self.rate[i], self.integral[i]))
    }
}

/// The robot as the controller knows it. Joint vectors have as many numbers as the robot has joints.
pub trait ControllerModel {
    /// Torques for joint accelerations, without friction, N m (N).
    fn torque(&self, q: &JointVector, qd: &JointVector, qdd: &JointVector) -> JointVector;
    /// Friction that the motors have to supply, N m (N).
    fn friction(&self, q: &JointVector, qd: &JointVector) -> JointVector;
    /// Torques that hold the robot, N m (N).
    fn gravity(&self, q: &JointVector) -> JointVector;
    /// Mass matrix, kg m² (kg).
    fn mass_matrix(&self, q: &JointVector) -> JointMatrix;
    /// Pose and velocity of platform or tool.
    fn tool(&self, q: &JointVector, qd: &JointVector) -> (Frame<f64>, Twist<f64>);
    /// Torques of motors that press with a wrench at platform or tool, N m (N).
    fn torque_of_wrench(&self, q: &JointVector, wrench: Wrench<f64>) -> JointVector;
    /// The torques of a built-in law at this sample.
    fn under(&self, law: Law) -> JointVector;
}

/// A model with its number of joints known, at a sample.
struct AtSample<'a, M, const N: usize> {
    model: &'a M,
    now: &'a control::Feedback<'a, f64, N>,
    /// How many joints the robot has; the others are only in its formulas.
    count: usize,
}

/// As many numbers as the formulas have joints; what is missing of the robot's is NaN.
fn array<const N: usize>(joints: &JointVector, count: usize) -> [f64; N] {
    crate::array::from_fn(|i| joints.get(i).copied().unwrap_or(if i < count { f64::NAN } else { 0.0 }))
}

impl<M: Dynamics<f64, N>, const N: usize> AtSample<'_, M, N> {
    fn at(&self, q: &JointVector, qd: Option<&JointVector>) -> M::At<'_> {
        self.model.at_joints(array(q, self.count), qd.map_or([0.0; N], |qd| array(qd, self.count)))
    }

    fn own(&self, all: [f64; N]) -> JointVector {
        JointVector::new(&all[..self.count])
    }

    fn feedback(&self, time: f64, period: f64) -> JointFeedback {
        let (now, own) = (self.now, |all| self.own(all));
        let joints = |r: &Reference<f64, N>| JointState { q: own(r.q), qd: own(r.qd), qdd: own(r.qdd) };
        JointFeedback {
            time,
            period,
            q: own(now.q),
            qd: own(now.qd),
            configuration: own(now.configuration),
            rate: own(now.rate),
            integral: own(now.integral),
            reference: joints(now.reference),
            ahead: joints(now.ahead),
            inertia: own(now.inertia),
            gains: now.gains,
            impedance: now.impedance,
        }
    }
}

impl<const N: usize, M: Dynamics<f64, N>> ControllerModel for AtSample<'_, M, N> {
    fn torque(&self, q: &JointVector, qd: &JointVector, qdd: &JointVector) -> JointVector {
        self.own(self.at(q, Some(qd)).rigid_torque(array(qdd, self.count)))
    }
    fn friction(&self, q: &JointVector, qd: &JointVector) -> JointVector {
        self.own(self.model.friction(array(q, self.count), array(qd, self.count)))
    }
    fn gravity(&self, q: &JointVector) -> JointVector {
        self.own(self.at(q, None).gravity())
    }
    fn mass_matrix(&self, q: &JointVector) -> JointMatrix {
        let all = self.at(q, None).mass_matrix();
        JointMatrix::from_rows(self.count, |i| &all[i][..self.count])
    }
    fn tool(&self, q: &JointVector, qd: &JointVector) -> (Frame<f64>, Twist<f64>) {
        let state = self.at(q, Some(qd));
        (state.tool(), state.tool_velocity())
    }
    fn torque_of_wrench(&self, q: &JointVector, wrench: Wrench<f64>) -> JointVector {
        self.own(self.at(q, None).torque_of_wrench(wrench))
    }
    fn under(&self, law: Law) -> JointVector {
        self.own(built_in(law, self.now, self.model))
    }
}

/// The torques of a built-in law: built once for each kind of robot, whoever asks.
#[inline(never)]
fn built_in<const N: usize, M: Dynamics<f64, N>>(law: Law, now: &control::Feedback<'_, f64, N>, model: &M) -> [f64; N] {
    law.torque(now, model)
}

/// A law as a loop runs it.
#[derive(Debug)]
pub(crate) struct RunningLaw {
    law: RefCell<Box<dyn Controller>>,
    built_in: Option<Law>,
    looks_ahead: bool,
    controls_tool: bool,
    /// How many joints the robot has.
    count: usize,
    period: f64,
    samples: Cell<u64>,
}

impl RunningLaw {
    pub fn new(law: &dyn Controller, count: usize, period: f64) -> Self {
        let (built_in, looks_ahead, controls_tool) = (law.built_in(), law.looks_ahead(), law.controls_tool());
        let law = RefCell::new(law.clone_box());
        Self { law, built_in, looks_ahead, controls_tool, count, period, samples: Cell::new(0) }
    }
}

impl<const N: usize, M: Dynamics<f64, N>> ControlLaw<f64, N, M> for RunningLaw {
    #[inline(always)]
    fn torque(&self, now: &control::Feedback<'_, f64, N>, model: &M) -> [f64; N] {
        if let Some(law) = self.built_in {
            return built_in(law, now, model);
        }
        let (sample, at) = (self.samples.get(), AtSample { model, now, count: self.count });
        self.samples.set(sample + 1);
        let torque = self.law.borrow_mut().torque(&at.feedback(sample as f64 * self.period, self.period), &at);
        // What is not one number per joint is no answer.
        if torque.len() == self.count { array(&torque, self.count) } else { [f64::NAN; N] }
    }
    fn looks_ahead(&self) -> bool {
        self.looks_ahead
    }
    fn controls_tool(&self) -> bool {
        self.controls_tool
    }
}
