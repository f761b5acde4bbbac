//! Inverse kinematics of serial arms: from the frame of the tool to the joints, all solutions.
//!
//! Arms like the PUMA have formulas of their own with named branches ([`PumaGeometry`]). [`Inverse`] is for every arm of one to
//! eight joints that turn or slide:
//!
//! - The closed form of `closed.rs`, where three axes at an end meet or three in a row are parallel; arms with fewer than six joints
//!   too.
//! - More than six joints: those too many are held where a seed has them, chosen so that the others have a closed form; or a
//!   shoulder and a wrist that are spherical, and the arm angle of the seed (`arm_angle.rs`).
//! - Else a search with the exact Jacobian from many starts.
//!
//! Every candidate is refined with the arm itself, as exactly as its frames are computed, and is a solution only if it
//! reaches its target.

mod arm_angle;
mod chain;
mod closed;
mod equations;
mod numerical;
mod puma;

pub use chain::MAX_JOINTS;
pub use closed::ClosedForm;
pub use puma::{Elbow, GeometryDoesNotApply, InverseError, PumaBranch, PumaGeometry, PumaSolution, Shoulder, Wrist};

use crate::algebra::{Mat3, Vec3};
use crate::array::map;
use crate::serial::{Joint, Serial};
use crate::spatial::{Frame, Twist};
use arm_angle::ArmAngle;
use chain::{ScrewChain, apart};
use closed::Plan;
use equations::List;
use numerical::{Task, error, halton, refined};

/// A target is reached if the tool is this near: rad, and over the length of the arm.
pub const REACHED: f64 = 1e-12;

/// Of arms with fewer than six joints a target is accepted that is this near to what they can reach: rad, and over the length of
/// the arm. Nobody can give such a target with all digits.
pub const NEARLY_REACHED: f64 = 1e-6;

/// Solutions whose joints differ by less, rad or over the length of the arm, are one.
const ONE_SOLUTION: f64 = 1e-6;

/// Steps of refinement of a candidate, and of a search from anywhere.
const STEPS: [usize; 2] = [12, 60];

/// Starts of a search for all solutions, and for the nearest pose where there is none.
const STARTS: [usize; 2] = [400, 24];

/// A solution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solution {
    /// The joints, those that turn in (−π, π]; what the arm does not have is zero.
    pub q: [f64; MAX_JOINTS],
    /// From the tool to the target: way in m, rotation vector in rad.
    pub missing: Twist<f64>,
    /// Least sine of the angle between the motion of the tool that one joint gives and those of the joints before it; 0 where the
    /// solution is singular: there joints are not determined, or two solutions meet.
    pub margin: f64,
}

/// All solutions that were found, at most sixteen (a general arm with six joints that turn has no more: Primrose 1986).
pub type Solutions = List<Solution, 16>;

/// Rates of joints, what of the tool's is missing, and the margin.
pub type Rates = ([f64; MAX_JOINTS], Twist<f64>, f64);

/// How an arm is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// In closed form: every solution is found.
    Closed(ClosedForm),
    /// By a search from many starts: what is found is right, but there may be more.
    Search,
}

/// The inverse kinematics of an arm.
#[derive(Clone, Copy, Debug)]
pub struct Inverse {
    chain: ScrewChain,
    held: [bool; MAX_JOINTS],
    /// Instead of held joints, wherever it is determined.
    angle: Option<ArmAngle>,
    method: Method,
}

impl Inverse {
    /// Of an arm with one to eight joints; else `None`.
    pub fn new<const N: usize>(robot: &Serial<f64, N>) -> Option<Self> {
        let pose = robot.pose_unchecked([0.0; N]);
        let frames = pose.joint_frames();
        let path: [(Joint, Frame<f64>); N] = crate::array::from_fn(|i| (robot.links[i].joint, frames[i]));
        Self::of_path(&path, pose.tool())
    }

    /// Of joints with their frames at q = 0 and of the tool there, base frame: one to eight joints; else `None`.
    pub fn of_path(path: &[(Joint, Frame<f64>)], tool: Frame<f64>) -> Option<Self> {
        let (chain, n) = (ScrewChain::new(path, tool)?, path.len());
        let closed = |held: &[bool; MAX_JOINTS]| {
            // No special places: what holds there, holds in general.
            const PLACES: [[f64; MAX_JOINTS]; 2] =
                [[0.3, -0.7, 0.5, 1.1, -0.4, 0.8, -1.2, 0.6], [-0.9, 0.4, 1.3, -0.2, 0.7, -0.5, 0.1, -1.4]];
            let [one, other] = map(PLACES, |q| Plan::new(&chain.with_held(held, &q), held).map(|plan| plan.form));
            let form = one.filter(|_| one == other)?;
            let inverse = Self { chain, held: *held, angle: None, method: Method::Closed(form) };
            // It has to lead back there, whatever the seed of the other joints: some arms have no position that is free.
            PLACES.iter().all(|q| inverse.leads_back(q)).then_some(inverse)
        };
        let none = [false; MAX_JOINTS];
        if n <= 6 {
            return closed(&none).or(Some(Self { chain, held: none, angle: None, method: Method::Search }));
        }
        // Which joints to hold: the middle ones first, the ends last.
        const ORDER: [usize; MAX_JOINTS] = [2, 6, 4, 3, 1, 5, 0, 7];
        let sets = ORDER.iter().enumerate().flat_map(|(k, &a)| {
            let second = if n == 7 { &ORDER[k..=k] } else { &ORDER[k + 1..] };
            second.iter().map(move |&b| [a, b])
        });
        let holding = |set: [usize; 2]| crate::array::from_fn(|i| set.contains(&i));
        let mut sets = sets.filter(|set| set.iter().all(|&i| i < n)).map(holding);
        let found = sets.clone().find_map(|held| closed(&held));
        let searched = sets.next().map(|held| Self { chain, held, angle: None, method: Method::Search });
        let mut inverse = found.or(searched)?;
        if let (Some(angle), Method::Closed(_)) = (ArmAngle::new(&chain), inverse.method) {
            (inverse.angle, inverse.method) = (Some(angle), Method::Closed(ClosedForm::ShoulderAndWrist));
        }
        Some(inverse)
    }

    /// Whether joints are among the solutions for the tool where they have it, without their help.
    fn leads_back(&self, q: &[f64; MAX_JOINTS]) -> bool {
        let q = crate::array::from_fn(|i| if i < self.chain.joints { q[i] } else { 0.0 });
        let seed = crate::array::from_fn(|i| if self.held[i] { q[i] } else { 0.0 });
        let there = self.wrapped(&Solution { q, ..Solution::default() });
        let found = self.solve(&self.chain.tool(&q), &seed);
        found.is_ok_and(|found| found.as_slice().iter().any(|solution| self.same(solution, &there)))
    }

    /// How it is solved.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The arm angle of an arm with spherical shoulder and wrist, rad, where it is determined: of the plane through shoulder,
    /// elbow and wrist about the line from shoulder to wrist, from the plane through that line and the first axis.
    pub fn arm_angle(&self, q: &[f64; MAX_JOINTS]) -> Option<f64> {
        self.angle.and_then(|angle| angle.at(&self.chain, q))
    }

    /// Which joints of an arm with more than six stay where the seed has them; with an arm angle, where that is undetermined.
    pub fn held(&self) -> [bool; MAX_JOINTS] {
        self.held
    }

    /// The unit of lengths: errors of this length count as those of one radian, m.
    pub fn length(&self) -> f64 {
        self.chain.length
    }

    /// How near a tool has to be to its target.
    fn tolerance(&self) -> f64 {
        if self.chain.joints < 6 { NEARLY_REACHED } else { REACHED }
    }

    /// What stays as in the seed: the arm angle where there is one, or else the held joints.
    fn task(&self, seed: &[f64; MAX_JOINTS]) -> Task<'_> {
        let angle = self.angle.as_ref().and_then(|angle| Some((angle, angle.at(&self.chain, seed)?)));
        let moving = crate::array::from_fn(|i| i < self.chain.joints && (angle.is_some() || !self.held[i]));
        Task { chain: &self.chain, moving, angle }
    }

    fn held_task(&self) -> Task<'_> {
        let moving = crate::array::from_fn(|i| i < self.chain.joints && !self.held[i]);
        Task { chain: &self.chain, moving, angle: None }
    }

    /// All solutions that have the held joints where `seed` has them, or its arm angle; the other joints of the seed matter only where they are
    /// undetermined. There may be none.
    pub fn solve(&self, target: &Frame<f64>, seed: &[f64; MAX_JOINTS]) -> Result<Solutions, InverseError> {
        self.solve_from(target, seed, STARTS[0])
    }

    /// The same with so many starts of a search, where it is one.
    pub fn solve_from(
        &self,
        target: &Frame<f64>,
        seed: &[f64; MAX_JOINTS],
        starts: usize,
    ) -> Result<Solutions, InverseError> {
        let target = &proper(target)?;
        let mut found = Solutions::new();
        let task = self.task(seed);
        match self.method {
            Method::Closed(_) => {
                let of_angle = task.angle.and_then(|(angle, goal)| angle.candidates(&self.chain, target, goal, seed));
                // Where the target has no arm angle, the joint that is held otherwise is.
                let task = if of_angle.is_some() { task } else { self.held_task() };
                let of_held = || {
                    let chain = self.chain.with_held(&self.held, seed);
                    Plan::new(&chain, &self.held).map(|plan| plan.candidates(&chain, target, seed))
                };
                for start in of_angle.or_else(of_held).iter().flat_map(|candidates| candidates.as_slice()) {
                    self.keep(&mut found, refined(&task, target, start, STEPS[0]));
                }
            }
            Method::Search => self.search(target, seed, starts, &mut |ended| self.keep(&mut found, ended)),
        }
        Ok(found)
    }

    /// The solution that joints lead to when the tool goes from where they have it straight to the target, without a jump; `None` where
    /// it cannot go there so.
    pub fn follow(&self, target: &Frame<f64>, from: &[f64; MAX_JOINTS]) -> Result<Option<Solution>, InverseError> {
        const SHORTEST: f64 = 1.0 / 512.0;
        let target = &proper(target)?;
        let task = self.task(from);
        let start = self.chain.tool(from);
        let way = apart(&start, target);
        let angle = chain::size(way.angular);
        let axis = if angle > 0.0 { way.angular * (1.0 / angle) } else { Vec3([0.0, 0.0, 1.0]) };
        let place = |s: f64| Frame {
            rotation: chain::turned(axis, s * angle).product(start.rotation),
            origin: start.origin + way.linear * s,
        };
        let (mut at, mut step, mut q) = (0.0, 0.25_f64.max(SHORTEST), *from);
        loop {
            let next = (at + step).min(1.0);
            let goal = if next == 1.0 { *target } else { place(next) };
            let ended = refined(&task, &goal, &q, STEPS[0]);
            let most = (0..self.chain.joints).fold(0.0_f64, |m, i| m.max(self.scaled(i, ended.q[i] - q[i]).abs()));
            let reached = self.reaches(&ended);
            if reached && most < 0.25 {
                (at, q) = (next, ended.q);
                if at == 1.0 {
                    return Ok(Some(ended));
                }
                step *= 2.0;
            } else {
                step *= 0.5;
                if step < SHORTEST {
                    return Ok(None);
                }
            }
        }
    }

    /// The pose that is nearest to the target, of what a few starts lead to: what to say where there is no solution.
    pub fn nearest(&self, target: &Frame<f64>, seed: &[f64; MAX_JOINTS]) -> Result<Solution, InverseError> {
        let target = &proper(target)?;
        let mut best = refined(&self.held_task(), target, seed, STEPS[1]);
        self.search(target, seed, STARTS[1], &mut |ended| {
            if error(&ended.missing, self.chain.length) < error(&best.missing, self.chain.length) {
                best = ended;
            }
        });
        Ok(self.wrapped(&best))
    }

    /// Whether a solution reaches its target.
    pub fn reaches(&self, solution: &Solution) -> bool {
        error(&solution.missing, self.chain.length) <= self.tolerance()
    }

    /// Joint velocities that give the tool a twist at `q`, with held joints at rest or the arm angle as it is; what of the twist is
    /// missing; and the margin of [`Solution::margin`].
    pub fn rates(&self, q: &[f64; MAX_JOINTS], twist: &Twist<f64>) -> Rates {
        self.rates_of(q, twist, 0.0)
    }

    /// Joint accelerations in the same way, where joints move at `qd`: `twist` is the tool's acceleration without J̇ q̇.
    pub fn accelerations(&self, q: &[f64; MAX_JOINTS], qd: &[f64; MAX_JOINTS], twist: &Twist<f64>) -> Rates {
        let drift = self.task(q).angle.map_or(0.0, |(angle, _)| angle.drift(&self.chain, q, qd));
        self.rates_of(q, twist, -drift)
    }

    fn rates_of(&self, q: &[f64; MAX_JOINTS], twist: &Twist<f64>, angle: f64) -> Rates {
        let (rates, margin) = self.task(q).rates(q, twist, angle);
        let (_, columns) = self.chain.linearised(q);
        let given = columns.iter().zip(rates).fold(Twist::zero(), |sum, (column, rate)| {
            sum + Twist { linear: column.linear * rate, angular: column.angular * rate }
        });
        (rates, *twist - given, margin)
    }

    /// The margin of [`Solution::margin`] at `q`.
    pub fn margin(&self, q: &[f64; MAX_JOINTS]) -> f64 {
        self.rates(q, &Twist::zero()).2
    }

    /// From many starts: the seed, and places spread over a turn and the length of the arm.
    fn search(&self, target: &Frame<f64>, seed: &[f64; MAX_JOINTS], starts: usize, ended: &mut dyn FnMut(Solution)) {
        let task = self.held_task();
        for index in 0..starts {
            let place = halton(index);
            let start = crate::array::from_fn(|i| match (index > 0 && task.moving[i], self.chain.screws[i].turns) {
                (false, _) => seed[i],
                (true, true) => seed[i] + core::f64::consts::PI * (2.0 * place[i] - 1.0),
                (true, false) => seed[i] + self.chain.length * (2.0 * place[i] - 1.0),
            });
            ended(refined(&task, target, &start, STEPS[1]));
        }
    }

    fn scaled(&self, joint: usize, difference: f64) -> f64 {
        if self.chain.screws[joint].turns { difference } else { difference / self.chain.length }
    }

    /// The same with the joints that turn in (−π, π].
    fn wrapped(&self, found: &Solution) -> Solution {
        let wrap = |i: usize| if self.chain.screws[i].turns { puma::wrapped(found.q[i]) } else { found.q[i] };
        Solution { q: crate::array::from_fn(wrap), ..*found }
    }

    /// Whether two solutions are one.
    fn same(&self, one: &Solution, other: &Solution) -> bool {
        (0..self.chain.joints).all(|i| {
            let apart = one.q[i] - other.q[i];
            let turns = self.chain.screws[i].turns;
            let apart = if turns { libm::remainder(apart, 2.0 * core::f64::consts::PI) } else { apart };
            self.scaled(i, apart).abs() < ONE_SOLUTION
        })
    }

    /// If it reaches the target and is not there yet.
    fn keep(&self, found: &mut Solutions, ended: Solution) {
        let solution = self.wrapped(&ended);
        if self.reaches(&solution) && !found.as_slice().iter().any(|other| self.same(other, &solution)) {
            found.push(solution);
        }
    }
}

/// The target with a rotation that is one to the last digits, or why it has none.
fn proper(target: &Frame<f64>) -> Result<Frame<f64>, InverseError> {
    puma::check(target)?;
    let mut rotation = target.rotation;
    for _ in 0..2 {
        // R (3 − RᵀR)/2: each step doubles the digits (Higham 1986).
        let square = rotation.transpose().product(rotation);
        let half = Mat3(crate::array::from_fn(|i| {
            Vec3::from_fn(|k| if i == k { 1.5 - 0.5 * square[i][k] } else { -0.5 * square[i][k] })
        }));
        rotation = rotation.product(half);
    }
    Ok(Frame { rotation, origin: target.origin })
}
