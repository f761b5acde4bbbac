//! Whether a robot stays where constant torques hold it.
//!
//! Every pose is an equilibrium under its own holding torque τ_g(q). Held with that torque and moved by δq, the robot feels
//!
//! ```text
//! A δq̈ + D δq̇ + K δq = 0,   K = ∂τ_g/∂q,   D = ∂τ_f/∂q̇                                                     (1)
//! ```
//!
//! with the mass matrix A > 0, the damping D ≥ 0 of viscous friction and passive joints, and the stiffness K, which is symmetric
//! (the Hessian of the potential energy in joint coordinates). Kelvin, Tait and Chetaev: as many poles are unstable as K
//! has negative eigenvalues, whatever A and D are, and they are real. So stability is a question of statics; damping
//! makes a fall slower, never prevents it. Dry friction has no part in (1): a joint that stands [`Sticking`]s until its torque is
//! off by more than its static friction, and only what then moves obeys (1). (A linear model has the slope of the smoothing of
//! dry friction instead, static friction over smoothing velocity, which is no physics.)
//!
//! [`Sticking`]: super::Sticking

use super::linear_model::{Coordinates, LinearTask, LinearizeError, Output};
use super::{Change, Family, InvalidParameters, JointState, JointVector, Model, Pick, State, StateError, ToolState};
use crate::Vec3;
use crate::linear::{Matrix, symmetric_eigenvalues};
use crate::spatial::{Frame, Wrench};

/// Any robot, as (1) sees it: without dry friction.
#[derive(Debug)]
pub struct Held<'r> {
    robot: &'r dyn Family,
    /// The same without dry friction, where it has any.
    smooth: Option<Box<dyn Family>>,
    model: Box<dyn Model>,
}

impl<'r> Held<'r> {
    /// Of a robot that has linear models.
    pub fn of(robot: &'r dyn Family) -> Result<Self, InvalidParameters> {
        let joints = robot.joints();
        let smooth = match joints.iter().any(|joint| joint.friction.is_some()) {
            true => Some(robot.changed(&Change::Friction(&|i| Some(joints.get(i)?.friction?.without_dry())))?),
            false => None,
        };
        let exact = robot.description().exact();
        let model = smooth.as_deref().unwrap_or(robot).build_model(exact);
        let model = model.map_err(|error| InvalidParameters(error.message))?;
        Ok(Self { robot, smooth, model })
    }

    fn robot(&self) -> &dyn Family {
        self.smooth.as_deref().unwrap_or(self.robot)
    }

    /// (1) where the robot rests in a state: K = −A A₂₁ and D = −A A₂₂ of its linear model.
    pub fn at(&self, state: &State) -> Result<AtRest, LinearizeError> {
        let torque = self.model.gravity_torque(state);
        let (coordinates, outputs) = (Coordinates::Joint, &[Output::Joints]);
        let task = LinearTask { state, torque: &torque, wrench: Wrench::zero(), coordinates, outputs };
        let a = self.robot().linearize(&task)?.system.a;
        let rows = self.model.mass_matrix(state);
        let n = rows.len();
        let mass = Matrix::from_fn(n, n, |i, j| rows[i][j]);
        let block = |from: usize| {
            let m = &mass * a.view((n, from), (n, n)) * -1.0;
            (&m + m.transpose()) * 0.5
        };
        // What the product with the mass matrix loses.
        Ok(AtRest { damping: block(n), stiffness: block(0), mass, rounding: 1e-12 })
    }

    /// (1) where it rests with its tool at a frame, if it can.
    pub fn with_tool_at(&self, pose: Frame<f64>, pick: &Pick) -> Option<AtRest> {
        let tool = ToolState { pose, ..ToolState::translating(pose.origin, Vec3::zero(), Vec3::zero()) };
        self.at(&self.robot().at_tool(&tool, pick).ok()?).ok()
    }

    /// The poses that these torques hold which Newton's method finds from `starts`, the lowest first; joint ranges are not looked
    /// at.
    pub fn equilibria(&self, torque: &JointVector, starts: &[State]) -> Vec<Equilibrium> {
        let mut found: Vec<Equilibrium> = Vec::new();
        for start in starts {
            let Some((state, rest)) = self.newton(torque, start) else { continue };
            let apart = |other: &Equilibrium| {
                other.joints.iter().zip(state.joints.q.iter()).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
            };
            if found.iter().all(|other| apart(other) >= 1e-12) {
                found.push(Equilibrium::of(state.joints.q, state.tool.pose.origin, &rest));
            }
        }
        found.sort_by(|a, b| a.position[2].total_cmp(&b.position[2]));
        found
    }

    fn newton(&self, torque: &JointVector, start: &State) -> Option<(State, AtRest)> {
        const STEPS: usize = 50;
        // Not farther at once than this, rad (m): the region is small and its rim singular.
        const FARTHEST: f64 = 0.3;
        let mut q = start.joints.q.clone();
        for _ in 0..STEPS {
            let still = JointState { q: q.clone(), qd: JointVector::zero(q.len()), qdd: JointVector::zero(q.len()) };
            let state = self.robot().at_joints(&still, &Pick::default()).ok()?;
            let rest = self.at(&state).ok()?;
            let held = self.model.gravity_torque(&state);
            let unbalanced = Matrix::from_fn(q.len(), 1, |i, _| held[i] - torque[i]);
            let step = rest.stiffness.clone().lu().solve(&unbalanced)?;
            let size = step.norm();
            if size < 1e-12 * (1.0 + q.iter().fold(0.0, |most: f64, x| most.max(x.abs()))) {
                return Some((state, rest));
            }
            let scale = (FARTHEST / size).min(1.0);
            q = JointVector::from_fn(q.len(), |i| q[i] - scale * step[i]);
        }
        None
    }
}

/// A robot with three alike arms, which can say more of how stable it is under constant torques.
pub trait Stability {
    /// At rest with all arms at one angle, rad; none where there is no such pose with the elbows out.
    fn with_arms_at(&self, angle: f64) -> Option<AtRest>;

    /// Where the heave mode, all arms together, changes between falling and oscillating; or why there is no symmetric pose.
    fn crossings(&self) -> Result<Crossings, StateError>;

    /// The poses that these torques hold, the lowest first.
    fn equilibria(&self, torque: &JointVector) -> Vec<Equilibrium>;
}

/// Where the heave mode changes, from arms straight down to arms straight up, in two independent ways.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossings {
    /// From the closed form.
    pub closed_form: Vec<Crossing>,
    /// From the derivatives of the whole robot.
    pub numerical: Vec<Crossing>,
}

/// Where the heave mode changes between falling and oscillating.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Crossing {
    /// Joint angle, rad.
    #[serde(rename = "angle_rad")]
    pub angle: f64,
    /// Whether it is stable at larger angles (arms lower), as usual robots are.
    pub stable_above: bool,
}

/// A pose at rest under a given torque.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// Joints, rad (m).
    pub joints: JointVector,
    /// Platform or tool, m.
    pub position: Vec3<f64>,
    /// Least stiffness, N m/rad (N/m).
    pub stiffness: f64,
    /// Fastest growth, 1/s; zero where it is stable.
    pub growth: f64,
    /// Stable or not.
    pub verdict: Verdict,
}

impl Equilibrium {
    /// Where a robot is at rest.
    pub fn of(joints: JointVector, position: Vec3<f64>, rest: &AtRest) -> Self {
        let (stiffness, growth, verdict) = (rest.stiffnesses()[0], rest.growth(), rest.verdict());
        Self { joints, position, stiffness, growth, verdict }
    }
}

/// (1) at a pose, in joint coordinates; where a joint slides with N for N m and m for rad.
#[derive(Clone, Debug)]
pub struct AtRest {
    /// Mass matrix A, kg m².
    pub mass: Matrix,
    /// Damping D without dry friction, N m s/rad.
    pub damping: Matrix,
    /// Stiffness K under a constant torque, N m/rad.
    pub stiffness: Matrix,
    /// What of the largest stiffness counts as zero.
    pub rounding: f64,
}

/// A verdict over all directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Some direction falls away.
    Unstable,
    /// None does, but in some direction nothing pulls back either: without weight, or with gravity compensated.
    Neutral,
    /// All directions pull back; with damping at every joint the robot comes back.
    Stable,
}

impl Verdict {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unstable => "unstable",
            Self::Neutral => "neutral",
            Self::Stable => "stable",
        }
    }
}

impl AtRest {
    /// With a torque −gain·δq at every joint: K + gain·1.
    pub fn with_gain(&self, gain: f64) -> Self {
        let n = self.stiffness.nrows();
        Self { stiffness: &self.stiffness + Matrix::from_diagonal_element(n, n, gain), ..self.clone() }
    }

    /// With the gravity compensated at every position: K = 0. Nothing falls, but nothing comes back either.
    pub fn gravity_compensated(&self) -> Self {
        Self { stiffness: &self.stiffness * 0.0, ..self.clone() }
    }

    /// Eigenvalues of K, N m/rad, least first.
    pub fn stiffnesses(&self) -> Vec<f64> {
        symmetric_eigenvalues(self.stiffness.clone())
    }

    /// What maps tell: the least stiffness, the fastest growth, the least gain.
    pub fn told(&self) -> [f64; 3] {
        [self.stiffnesses()[0], self.growth(), self.least_gain()]
    }

    /// Stiffness of the heave mode, all arms together, N m/rad per arm: an eigenvalue of K where the robot is symmetric.
    pub fn heave(&self) -> f64 {
        self.stiffness.sum() / self.stiffness.nrows() as f64
    }

    /// By the sign of the least stiffness; zero is what is below the rounding of the others.
    pub fn verdict(&self) -> Verdict {
        let all = self.stiffnesses();
        let (least, most) = (all[0], all[all.len() - 1]);
        let rounding = self.rounding * most.abs().max(least.abs());
        if least > rounding {
            Verdict::Stable
        } else if least < -rounding {
            Verdict::Unstable
        } else {
            Verdict::Neutral
        }
    }

    /// Least gain −gain·δq, the same at every joint, that takes the instability away, N m/rad; zero where there is none.
    /// (With damping, any larger one makes the equilibrium asymptotically stable.)
    pub fn least_gain(&self) -> f64 {
        if self.verdict() == Verdict::Unstable { -self.stiffnesses()[0] } else { 0.0 }
    }

    /// The fastest growth, 1/s: the largest real pole; zero where nothing falls.
    ///
    /// Unstable poles are real, and s² A + s D + K is positive definite for every s beyond the largest of them and for
    /// none below it, so Cholesky's method decides each step of a bisection.
    pub fn growth(&self) -> f64 {
        if positive(self.stiffness.clone()) || self.verdict() != Verdict::Unstable {
            return 0.0;
        }
        let at = |s: f64| positive(&self.mass * (s * s) + &self.damping * s + &self.stiffness);
        let mut high = 1.0;
        while !at(high) {
            high *= 2.0;
            if high > 1e12 {
                return f64::NAN; // no mass matrix
            }
        }
        let mut low = 0.0;
        // To the last bit: no floating-point number lies between at the end.
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if at(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        0.5 * (low + high)
    }

    /// How many of its poles, two for each joint, are zero: rank defects of K and, where K vanishes, of D.
    ///
    /// With gravity compensated K = 0 and A δq̈ + D δq̇ = 0: half of the poles are zero with damping at every joint (the robot
    /// stays where it is pushed), all without (it drifts away). Bortoff's IV-E, *renders all equilibria exponentially
    /// stable*, holds with neither.
    pub fn zero_poles(&self) -> usize {
        let defect = |m: &Matrix| {
            symmetric_eigenvalues(m.clone()).iter().filter(|x| x.abs() <= self.rounding.max(1e-12) * m.amax()).count()
        };
        let (all, scale) = (self.stiffness.nrows(), self.stiffness.amax());
        let null = if scale == 0.0 { all } else { defect(&self.stiffness) };
        match null {
            0 => 0,
            // δq in the kernel of K: s (s A + D) δq = 0 has a second zero pole for every direction without damping. The two
            // are distinguished exactly only where the kernel is everything or there is no damping at all.
            _ if self.damping.amax() == 0.0 => 2 * null,
            _ if null == all => all + defect(&self.damping),
            null => null,
        }
    }
}

/// Cholesky's method, as far as it goes.
fn positive(m: Matrix) -> bool {
    m.cholesky().is_some()
}
