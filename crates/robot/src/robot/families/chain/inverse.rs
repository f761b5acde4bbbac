//! From the tool to the joints: which of several solutions is meant, and what is said where there is none.
//!
//! Arms like the PUMA have formulas of their own with named postures; all others have [`serial::Inverse`] for the joints between the base and the
//! tool (the path), and more than eight of them the search of `long.rs`. Joints on other branches stay as they are given, or at home.

use super::kernel::{array, joint_rates};
use super::{ChainRobot, LEAST_PIVOT, long, size};
use crate::chain::times;
use crate::mechanism::dense;
use crate::robot::{Joint, JointVector, Pick, Reason, StateError, ToolState, violations};
use crate::serial::{self, InverseError, MAX_JOINTS, NEARLY_REACHED, PumaGeometry, Rates, Solution};
use crate::spatial::{Frame, Twist};
use std::f64::consts::TAU;

/// Values of a held joint that are tried until the others are within their ranges; with two of them this many together.
const HELD_PLACES: usize = 65;

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The joints of the path, of all that a chain has.
impl ChainRobot {
    /// How many joints move the tool.
    pub(super) fn path_length(&self) -> usize {
        self.chain.path().len()
    }

    pub(super) fn on_path(&self, all: &[f64]) -> JointVector {
        let path = self.chain.path();
        JointVector::from_fn(path.len(), |k| all.get(path[k]).copied().unwrap_or(0.0))
    }

    /// All joints, those of the path as given.
    pub(super) fn with_path(&self, all: &JointVector, path: &[f64]) -> JointVector {
        let mut all = all.clone();
        for (&i, &q) in self.chain.path().iter().zip(path) {
            all[i] = q;
        }
        all
    }

    pub(super) fn range(&self, k: usize) -> [f64; 2] {
        self.file.limits[self.chain.path()[k]].range
    }

    pub(super) fn turns(&self, k: usize) -> bool {
        self.chain.links()[self.chain.path()[k]].joint == serial::Joint::Revolute
    }

    fn cut(&self, q: &[f64; MAX_JOINTS]) -> JointVector {
        JointVector::new(&q[..self.path_length().min(MAX_JOINTS)])
    }

    /// Where the joints are that do not move the tool: as given, or at home.
    pub(super) fn others(&self, pick: &Pick) -> JointVector {
        self.near(pick).cloned().unwrap_or_else(|| self.home_joints())
    }

    pub(super) fn home_joints(&self) -> JointVector {
        JointVector::from_fn(self.file.limits.len(), |i| super::home_of(self.file.limits[i].range))
    }

    fn near<'p>(&self, pick: &'p Pick) -> Option<&'p JointVector> {
        pick.near.as_ref().filter(|near| near.len() == self.chain.joints() && near.iter().all(|q| q.is_finite()))
    }
}

impl ChainRobot {
    /// The formulas of arms like the PUMA.
    pub(super) fn geometry(&self) -> Result<&PumaGeometry, StateError> {
        self.geometry.as_ref().map_err(|error| {
            StateError::new(Reason::NotOffered, error.clone())
                .hint("docs/conventions.md says which arms have postures with names")
        })
    }

    /// The formulas of all others.
    pub(super) fn general(&self) -> Result<&serial::Inverse, StateError> {
        let none = || {
            let text = format!("no inverse kinematics of {} joints", self.path_length());
            StateError::new(Reason::NotOffered, text)
        };
        self.inverse.as_ref().ok_or_else(none)
    }

    pub(super) fn middle_of_ranges(&self) -> JointVector {
        JointVector::from_fn(self.path_length(), |k| {
            let [least, most] = self.range(k);
            if (most - least).is_finite() { 0.5 * (least + most) } else { 0.0 }
        })
    }

    /// Each joint that turns on the turn that is within its range, where there is one.
    pub(super) fn within_range(&self, q: &JointVector) -> JointVector {
        JointVector::from_fn(q.len(), |k| {
            let [low, high] = self.range(k);
            let turns = [q[k], q[k] - TAU, q[k] + TAU];
            let turn = turns.into_iter().find(|q| (low..=high).contains(q)).filter(|_| self.turns(k));
            turn.unwrap_or(q[k])
        })
    }

    fn exceeded(&self, q: &[f64]) -> usize {
        let all = self.joints();
        let joints: Vec<Joint> = self.chain.path().iter().map(|&i| all[i]).collect();
        violations(&joints, q, None, None, None).len()
    }

    /// Of several solutions the one that is picked: in the posture asked for; or the one nearest to given joints, each on the
    /// same turn; or the first one within the joint ranges; or else the first.
    pub(super) fn inverse(&self, target: &Frame<f64>, pick: &Pick) -> Result<JointVector, StateError> {
        let near = self.near(pick).map(|near| self.on_path(near));
        let geometry = match (&self.geometry, pick.posture) {
            (Err(_), None) => return self.general_inverse(target, near.as_ref()),
            _ => self.geometry()?,
        };
        let shifted = |solution: [f64; 6]| -> JointVector {
            let solution = solution.into();
            near.as_ref().map_or_else(|| self.within_range(&solution), |near| self.next_to(near, &solution))
        };
        if let Some(posture) = pick.posture {
            return Ok(shifted(geometry.solve_branch(target, posture)?.q));
        }
        let rank = |q: &JointVector| near.as_ref().map_or_else(|| self.exceeded(q) as f64, |near| distance(q, near));
        let candidates = geometry.solve(target)?.into_iter().flatten().map(|solution| shifted(solution.q));
        let best = candidates.min_by(|a, b| rank(a).total_cmp(&rank(b)));
        best.ok_or_else(|| StateError::new(Reason::NoPose, "no joints reach this pose of the tool"))
    }

    /// Each joint that turns on the turn next to given joints.
    fn next_to(&self, near: &[f64], q: &JointVector) -> JointVector {
        let next = |k: usize| if self.turns(k) { q[k] + TAU * ((near[k] - q[k]) / TAU).round() } else { q[k] };
        JointVector::from_fn(q.len(), next)
    }

    /// The solution nearest to given joints, or of an arm that is searched the one that they lead to; else, of those within the ranges, the one nearest to their middle. Held joints of an
    /// arm with more than six stay as they are given, or in the middle of their ranges, unless nothing is found there.
    fn general_inverse(&self, target: &Frame<f64>, near: Option<&JointVector>) -> Result<JointVector, StateError> {
        if self.path_length() > MAX_JOINTS {
            return self.long_inverse(target, near);
        }
        let inverse = self.general()?;
        if let Some(q) = self.solution(inverse, target, near)? {
            return Ok(q);
        }
        let seed = near.cloned().unwrap_or_else(|| self.middle_of_ranges());
        let nearest = inverse.nearest(target, &array(&seed))?;
        match inverse.reaches(&nearest) {
            true => Ok(self.within_range(&self.cut(&nearest.q))),
            false => Err(self.unreached(&nearest.missing)),
        }
    }

    /// The joints on the path for a map of places: the solution that is picked, of arms without named postures.
    pub(super) fn reached(&self, target: &Frame<f64>, pick: &Pick) -> Option<JointVector> {
        let near = self.near(pick).map(|near| self.on_path(near));
        self.solution(self.general().ok()?, target, near.as_ref()).ok()?
    }

    fn solution(
        &self,
        inverse: &serial::Inverse,
        target: &Frame<f64>,
        near: Option<&JointVector>,
    ) -> Result<Option<JointVector>, InverseError> {
        if let (Some(near), serial::Method::Search) = (near, inverse.method()) {
            // Where all solutions are not known at once, the one that the tool's way leads to.
            if let Some(led) = inverse.follow(target, &array(near))? {
                return Ok(Some(self.cut(&led.q)));
            }
        }
        let seed = near.cloned().unwrap_or_else(|| self.middle_of_ranges());
        let pick = |seed: &JointVector| -> Result<Option<JointVector>, InverseError> {
            let found = inverse.solve(target, &array(seed))?;
            Ok(self.best(found.as_slice(), near))
        };
        let first = pick(&seed)?;
        let good = |q: &JointVector| near.is_some() || self.exceeded(q) == 0;
        if first.as_ref().is_some_and(good) {
            return Ok(first);
        }
        for other in self.other_places(inverse, &seed) {
            if let Some(q) = pick(&other)?.filter(|q| self.exceeded(q) == 0) {
                return Ok(Some(q));
            }
        }
        Ok(first)
    }

    /// The joints of a path with more than eight, by a search from given joints, and from others where that ends elsewhere.
    fn long_inverse(&self, target: &Frame<f64>, near: Option<&JointVector>) -> Result<JointVector, StateError> {
        let seed = near.cloned().unwrap_or_else(|| self.middle_of_ranges());
        match long::search(self, target, &seed) {
            Ok(q) if near.is_some() => Ok(self.next_to(&seed, &q)),
            Ok(q) => Ok(self.within_range(&q)),
            Err(missing) => Err(self.unreached(&missing)),
        }
    }

    /// Of some solutions the one that is nearest to given joints, or with the fewest joints out of range and nearest to
    /// the middle.
    fn best(&self, solutions: &[Solution], near: Option<&JointVector>) -> Option<JointVector> {
        let middle = self.middle_of_ranges();
        let shifted = solutions.iter().map(|solution| match near {
            Some(near) => self.next_to(near, &self.cut(&solution.q)),
            None => self.within_range(&self.cut(&solution.q)),
        });
        let rank = |q: &JointVector| {
            let (beyond, to) = near.map_or_else(|| (self.exceeded(q), &middle), |near| (0, near));
            (beyond, distance(q, to))
        };
        shifted.min_by(|a, b| {
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
    }

    /// Joints with the held ones elsewhere in their ranges, the nearest first.
    fn other_places(&self, inverse: &serial::Inverse, seed: &JointVector) -> Vec<JointVector> {
        let held: Vec<usize> = (0..seed.len()).filter(|i| inverse.held()[*i]).collect();
        if held.is_empty() {
            return Vec::new();
        }
        let range = |i: usize| {
            let [low, high] = self.range(i);
            let usual = if self.turns(i) { 0.5 * TAU } else { inverse.length() };
            if (high - low).is_finite() { [low, high] } else { [-usual, usual] }
        };
        // With two of them, places that fill the square evenly: steps of the plastic number (Roberts 2018).
        let steps = [0.754_877_666_246_692_8, 0.569_840_290_998_053_3];
        let mut places: Vec<JointVector> = (0..HELD_PLACES)
            .map(|k| {
                let mut q = seed.clone();
                for (n, &i) in held.iter().enumerate() {
                    let [low, high] = range(i);
                    let share = match held.len() {
                        1 => k as f64 / (HELD_PLACES - 1) as f64,
                        _ => (0.5 + steps[n % 2] * k as f64).fract(),
                    };
                    q[i] = low + (high - low) * share;
                }
                q
            })
            .collect();
        let distance = |q: &JointVector| q.iter().zip(seed.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        places.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        places
    }

    /// The joints of the general formulas that the tool's way from given joints leads to.
    pub(super) fn led(&self, target: &Frame<f64>, near: &[f64]) -> Result<JointVector, StateError> {
        if self.path_length() > MAX_JOINTS {
            return self.long_inverse(target, Some(&JointVector::new(near)));
        }
        let led = self.general()?.follow(target, &array(near))?;
        led.map(|solution| self.cut(&solution.q)).ok_or_else(|| {
            let text = "the tool cannot go straight there from the place in which the arm starts: out of reach, or beyond a \
                        singular pose";
            StateError::new(Reason::NoPose, text)
        })
    }

    /// A solution of the general formulas within the ranges that is found without a long search.
    pub(super) fn at_once(&self, target: &Frame<f64>) -> Option<JointVector> {
        let seed = self.middle_of_ranges();
        let found = match &self.inverse {
            Some(inverse) => self.best(inverse.solve_from(target, &array(&seed), 8).ok()?.as_slice(), None),
            None => long::search(self, target, &seed).ok().map(|q| self.within_range(&q)),
        };
        found.filter(|q| self.exceeded(q) == 0)
    }

    /// The way back from the tool's rates: J q̇ = (v, ω), J q̈ = (a, ω̇) − J̇ q̇. Joints that do not move the tool rest.
    pub(super) fn joint_rates(&self, q: &JointVector, tool: &ToolState) -> Result<[JointVector; 2], StateError> {
        let n = self.chain.joints();
        if [tool.velocity, tool.acceleration] == [Twist::zero(); 2] {
            return Ok([JointVector::zero(n), JointVector::zero(n)]);
        }
        const M: usize = 6;
        if self.path_length() != M {
            return self.general_rates(q, tool, LEAST_PIVOT);
        }
        let (pose, path) = (self.chain.at_joints(q)?, self.chain.path());
        let jacobian = pose.jacobian();
        let mut matrix = vec![0.0; M * M];
        for (j, &joint) in path.iter().enumerate() {
            jacobian[joint].components().into_iter().enumerate().for_each(|(i, x)| matrix[i * M + j] = x);
        }
        let mut exchanges = vec![0; M];
        let ratio = dense::lu(&mut matrix, M, &mut exchanges);
        if ratio < LEAST_PIVOT {
            let text =
                format!("the Jacobian is singular: least over largest pivot {ratio:.1e}, below {LEAST_PIVOT:.0e}");
            return Err(StateError::new(Reason::Singular(ratio), text));
        }
        let solve = |right: Twist<f64>| -> JointVector {
            let mut right: Vec<f64> = right.components().to_vec();
            dense::lu_solve(&matrix, M, &exchanges, &mut right);
            self.with_path(&JointVector::zero(n), &right)
        };
        let qd = solve(tool.velocity);
        let drift = times(&pose.moving(&qd)?.jacobian_rate(), &qd);
        let qdd = solve(tool.acceleration - drift);
        Ok([qd, qdd])
    }

    /// The same with fewer joints than six, where some motions are not possible, or with more, where held joints rest.
    pub(super) fn general_rates(
        &self,
        q: &JointVector,
        tool: &ToolState,
        least: f64,
    ) -> Result<[JointVector; 2], StateError> {
        let (pose, m) = (self.chain.at_joints(q)?, self.path_length());
        let still = JointVector::zero(self.chain.joints());
        if m > MAX_JOINTS {
            let margin = pose.tool_margin();
            if margin.is_nan() || margin < least * least {
                return Err(stretched(margin));
            }
            return Ok(joint_rates(&self.chain, q, [tool.velocity, tool.acceleration])?);
        }
        let (inverse, path) = (self.general()?, array(&self.on_path(q)));
        let judged = |(rates, missing, margin): Rates, what: &str, scale: f64| {
            if margin.is_nan() || margin < least {
                return Err(stretched(margin));
            }
            let [way, angle] = [size(missing.linear), size(missing.angular)];
            if way.max(inverse.length() * angle) > NEARLY_REACHED * scale {
                let text = format!(
                    "with {m} joints the tool cannot move like this: of its {what}, {way:.3e} m and {angle:.3e} rad per second \
                     are missing"
                );
                return Err(StateError::new(Reason::NoPose, text));
            }
            Ok(rates)
        };
        let scale = |twist: &Twist<f64>| size(twist.linear) + inverse.length() * size(twist.angular);
        let on_path = judged(inverse.rates(&path, &tool.velocity), "velocity", scale(&tool.velocity))?;
        let qd = self.with_path(&still, &on_path);
        let drift = times(&pose.moving(&qd)?.jacobian_rate(), &qd);
        let rates = inverse.accelerations(&path, &on_path, &(tool.acceleration - drift));
        let qdd = judged(rates, "acceleration", scale(&tool.acceleration) + scale(&drift))?;
        Ok([qd, self.with_path(&still, &qdd)])
    }

    /// Why no joints lead to a target, by what is missing at the nearest pose that was found.
    fn unreached(&self, missing: &Twist<f64>) -> StateError {
        let [way, angle] = [size(missing.linear), size(missing.angular)];
        let missing = format!("the nearest pose that was found is {way:.3e} m and {angle:.3e} rad away");
        if self.path_length() < 6 {
            let text =
                format!("with {} joints the tool cannot be there turned like this: {missing}", self.path_length());
            return StateError::new(Reason::NoPose, text)
                .hint("an arm with fewer than six joints cannot turn its tool at will; `fk` shows how it is turned");
        }
        StateError::new(Reason::NoPose, format!("out of reach: {missing}"))
    }
}

pub(super) fn stretched(margin: f64) -> StateError {
    let text = format!(
        "the arm is stretched, folded or has two axes in line: the tool cannot go in every direction (margin \
         {margin:.1e})"
    );
    StateError::new(Reason::Singular(margin), text)
}
