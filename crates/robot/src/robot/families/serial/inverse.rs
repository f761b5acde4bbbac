//! From the tool to the joints: which of several solutions is meant, and what is said where there is none.
//!
//! Arms like the PUMA have formulas of their own with named postures; all others have [`serial::Inverse`].

use super::{LEAST_PIVOT, SerialArm, array};
use crate::mechanism::dense;
use crate::robot::{Family, JointVector, Pick, Reason, StateError, ToolState, violations};
use crate::serial::{self, MAX_JOINTS, NEARLY_REACHED, PumaGeometry, Rates, Solution};
use crate::spatial::{Frame, Twist};
use std::f64::consts::TAU;

/// Values of a held joint that are tried until the others are within their ranges; with two of them this many together.
const HELD_PLACES: usize = 65;

/// The joints as the formulas for any number of them have them.
fn padded<const N: usize>(q: &[f64; N]) -> [f64; MAX_JOINTS] {
    std::array::from_fn(|i| q.get(i).copied().unwrap_or(0.0))
}

fn cut<const N: usize>(q: &[f64; MAX_JOINTS]) -> [f64; N] {
    std::array::from_fn(|i| q.get(i).copied().unwrap_or(0.0))
}

fn size(v: crate::Vec3<f64>) -> f64 {
    v.norm_squared().sqrt()
}

impl<const N: usize> SerialArm<N> {
    /// The formulas of arms like the PUMA.
    pub(super) fn geometry(&self) -> Result<&PumaGeometry, StateError> {
        self.geometry.as_ref().map_err(|error| {
            StateError::new(Reason::NotOffered, error.to_string())
                .hint("docs/conventions.md says which arms have postures with names")
        })
    }

    /// The formulas of all others.
    pub(super) fn general(&self) -> Result<&serial::Inverse, StateError> {
        let none = || StateError::new(Reason::NotOffered, format!("no inverse kinematics of {N} joints"));
        self.inverse.as_ref().ok_or_else(none)
    }

    fn turns(&self, joint: usize) -> bool {
        self.arm.links()[joint].joint == serial::Joint::Revolute
    }

    pub(super) fn middle_of_ranges(&self) -> [f64; N] {
        std::array::from_fn(|i| {
            let [least, most] = self.limits[i].range;
            if (most - least).is_finite() { 0.5 * (least + most) } else { 0.0 }
        })
    }

    /// Each joint that turns on the turn that is within its range, where there is one.
    pub(super) fn within_range(&self, q: [f64; N]) -> [f64; N] {
        std::array::from_fn(|i| {
            let [low, high] = self.limits[i].range;
            let turns = [q[i], q[i] - TAU, q[i] + TAU];
            let turn = turns.into_iter().find(|q| (low..=high).contains(q)).filter(|_| self.turns(i));
            turn.unwrap_or(q[i])
        })
    }

    fn exceeded(&self, q: &[f64; N]) -> usize {
        violations(&self.joints(), q, None, None, None).len()
    }

    /// Of several solutions the one that is picked: in the posture asked for; or the one nearest to given joints, each on the
    /// same turn; or the first one within the joint ranges; or else the first.
    pub(super) fn inverse(&self, target: &Frame<f64>, pick: &Pick) -> Result<[f64; N], StateError> {
        let near = pick.near.as_ref().filter(|near| near.len() == N && near.iter().all(|q| q.is_finite()));
        let geometry = match (&self.geometry, pick.posture) {
            (Err(_), None) => return self.general_inverse(target, near.map(array)),
            _ => self.geometry()?,
        };
        let shifted = |solution: [f64; 6]| -> [f64; N] {
            let solution = array(&JointVector::from(solution));
            near.map_or_else(|| self.within_range(solution), |near| self.next_to(&array(near), solution))
        };
        if let Some(posture) = pick.posture {
            return Ok(shifted(geometry.solve_branch(target, posture)?.q));
        }
        let distance = |q: &[f64; N]| match near {
            Some(near) => q.iter().zip(near.iter()).map(|(a, b)| (a - b) * (a - b)).sum::<f64>(),
            None => self.exceeded(q) as f64,
        };
        let candidates = geometry.solve(target)?.into_iter().flatten().map(|solution| shifted(solution.q));
        let best = candidates.min_by(|a, b| distance(a).total_cmp(&distance(b)));
        best.ok_or_else(|| StateError::new(Reason::NoPose, "no joints reach this pose of the tool"))
    }

    /// Each joint that turns on the turn next to given joints.
    fn next_to(&self, near: &[f64; N], q: [f64; N]) -> [f64; N] {
        std::array::from_fn(|i| if self.turns(i) { q[i] + TAU * ((near[i] - q[i]) / TAU).round() } else { q[i] })
    }

    /// The solution nearest to given joints, or of an arm that is searched the one that they lead to; else, of those within the ranges, the one nearest to their middle. Held joints of an
    /// arm with more than six stay as they are given, or in the middle of their ranges, unless nothing is found there.
    fn general_inverse(&self, target: &Frame<f64>, near: Option<[f64; N]>) -> Result<[f64; N], StateError> {
        let inverse = self.general()?;
        if let (Some(near), serial::Method::Search) = (&near, inverse.method()) {
            // Where all solutions are not known at once, the one that the tool's way leads to.
            if let Some(led) = inverse.follow(target, &padded(near))? {
                return Ok(cut(&led.q));
            }
        }
        let seed = near.unwrap_or_else(|| self.middle_of_ranges());
        let pick = |seed: &[f64; N]| -> Result<Option<[f64; N]>, StateError> {
            let found = inverse.solve(target, &padded(seed))?;
            Ok(self.best(found.as_slice(), near.as_ref()))
        };
        let first = pick(&seed)?;
        let good = |q: &[f64; N]| near.is_some() || self.exceeded(q) == 0;
        if let Some(q) = first.filter(good) {
            return Ok(q);
        }
        for other in self.other_places(&seed) {
            if let Some(q) = pick(&other)?.filter(|q| self.exceeded(q) == 0) {
                return Ok(q);
            }
        }
        if let Some(q) = first {
            return Ok(q);
        }
        let nearest = inverse.nearest(target, &padded(&seed))?;
        match inverse.reaches(&nearest) {
            true => Ok(self.within_range(cut(&nearest.q))),
            false => Err(unreached::<N>(&nearest)),
        }
    }

    /// Of some solutions the one that is nearest to given joints, or with the fewest joints out of range and nearest to
    /// the middle.
    fn best(&self, solutions: &[Solution], near: Option<&[f64; N]>) -> Option<[f64; N]> {
        let middle = self.middle_of_ranges();
        let shifted = solutions.iter().map(|solution| match near {
            Some(near) => self.next_to(near, cut(&solution.q)),
            None => self.within_range(cut(&solution.q)),
        });
        let rank = |q: &[f64; N]| {
            let (beyond, to) = near.map_or_else(|| (self.exceeded(q), &middle), |near| (0, near));
            (beyond, q.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>())
        };
        shifted.min_by(|a, b| {
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
    }

    /// Joints with the held ones elsewhere in their ranges, the nearest first.
    fn other_places(&self, seed: &[f64; N]) -> Vec<[f64; N]> {
        let held: Vec<usize> =
            self.inverse.map_or(Vec::new(), |inverse| (0..N).filter(|i| inverse.held()[*i]).collect());
        if held.is_empty() {
            return Vec::new();
        }
        let range = |i: usize| {
            let [low, high] = self.limits[i].range;
            let usual = if self.turns(i) { 0.5 * TAU } else { self.inverse.map_or(1.0, |inverse| inverse.length()) };
            if (high - low).is_finite() { [low, high] } else { [-usual, usual] }
        };
        // With two of them, places that fill the square evenly: steps of the plastic number (Roberts 2018).
        let steps = [0.754_877_666_246_692_8, 0.569_840_290_998_053_3];
        let mut places: Vec<[f64; N]> = (0..HELD_PLACES)
            .map(|k| {
                let mut q = *seed;
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
        let distance = |q: &[f64; N]| q.iter().zip(seed).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        places.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        places
    }

    /// The joints of the general formulas that the tool's way from given joints leads to.
    pub(super) fn led(&self, target: &Frame<f64>, near: &JointVector) -> Result<[f64; N], StateError> {
        let led = self.general()?.follow(target, &padded(&array::<N>(near)))?;
        led.map(|solution| cut(&solution.q)).ok_or_else(|| {
            let text = "the tool cannot go straight there from the place in which the arm starts: out of reach, or beyond a \
                        singular pose";
            StateError::new(Reason::NoPose, text)
        })
    }

    /// A solution of the general formulas within the ranges that is found without a long search.
    pub(super) fn at_once(&self, target: &Frame<f64>) -> Option<[f64; N]> {
        let found = self.inverse?.solve_from(target, &padded(&self.middle_of_ranges()), 8).ok()?;
        self.best(found.as_slice(), None).filter(|q| self.exceeded(q) == 0)
    }

    /// The way back from the tool's rates: J q̇ = (v, ω), J q̈ = (a, ω̇) − J̇ q̇.
    pub(super) fn joint_rates(&self, q: [f64; N], tool: &ToolState) -> Result<[[f64; N]; 2], StateError> {
        if [tool.velocity, tool.acceleration] == [Twist::zero(); 2] {
            return Ok([[0.0; N]; 2]);
        }
        if N != 6 {
            return self.general_rates(q, tool, LEAST_PIVOT);
        }
        let pose = self.arm.pose_unchecked(q);
        let jacobian = pose.jacobian();
        let mut matrix = vec![0.0; N * N];
        for j in 0..N {
            let column = jacobian.linear[j].0.into_iter().chain(jacobian.angular[j].0);
            column.enumerate().for_each(|(i, x)| matrix[i * N + j] = x);
        }
        let mut exchanges = vec![0; N];
        let ratio = dense::lu(&mut matrix, N, &mut exchanges);
        if ratio < LEAST_PIVOT {
            let text =
                format!("the Jacobian is singular: least over largest pivot {ratio:.1e}, below {LEAST_PIVOT:.0e}");
            return Err(StateError::new(Reason::Singular(ratio), text));
        }
        let solve = |right: Twist<f64>| -> [f64; N] {
            let mut right: Vec<f64> = right.components().to_vec();
            dense::lu_solve(&matrix, N, &exchanges, &mut right);
            std::array::from_fn(|i| right[i])
        };
        let qd = solve(tool.velocity);
        let drift = pose.moving(qd).jacobian_rate().times(qd);
        let qdd = solve(tool.acceleration - drift);
        Ok([qd, qdd])
    }

    /// The same with fewer joints than six, where some motions are not possible, or with more, where held joints rest.
    pub(super) fn general_rates(&self, q: [f64; N], tool: &ToolState, least: f64) -> Result<[[f64; N]; 2], StateError> {
        let inverse = self.general()?;
        let judged = |(rates, missing, margin): Rates, what: &str, scale: f64| {
            if margin.is_nan() || margin < least {
                let text = format!(
                    "the arm is stretched, folded or has two axes in line: the tool cannot go in every direction (margin \
                     {margin:.1e})"
                );
                return Err(StateError::new(Reason::Singular(margin), text));
            }
            let [way, angle] = [size(missing.linear), size(missing.angular)];
            if way.max(inverse.length() * angle) > NEARLY_REACHED * scale {
                let text = format!(
                    "with {N} joints the tool cannot move like this: of its {what}, {way:.3e} m and {angle:.3e} rad per second \
                     are missing"
                );
                return Err(StateError::new(Reason::NoPose, text));
            }
            Ok(cut::<N>(&rates))
        };
        let scale = |twist: &Twist<f64>| size(twist.linear) + inverse.length() * size(twist.angular);
        let qd = judged(inverse.rates(&padded(&q), &tool.velocity), "velocity", scale(&tool.velocity))?;
        let drift = self.arm.pose_unchecked(q).moving(qd).jacobian_rate().times(qd);
        let rates = inverse.accelerations(&padded(&q), &padded(&qd), &(tool.acceleration - drift));
        let qdd = judged(rates, "acceleration", scale(&tool.acceleration) + scale(&drift))?;
        Ok([qd, qdd])
    }
}

/// Why no joints lead to a target, by the nearest pose that was found.
fn unreached<const N: usize>(nearest: &Solution) -> StateError {
    let [way, angle] = [size(nearest.missing.linear), size(nearest.missing.angular)];
    let missing = format!("the nearest pose that was found is {way:.3e} m and {angle:.3e} rad away");
    if N < 6 {
        let text = format!("with {N} joints the tool cannot be there turned like this: {missing}");
        return StateError::new(Reason::NoPose, text).hint(
            "an arm with fewer than six joints cannot turn its tool at will; forward kinematics show how it is turned",
        );
    }
    StateError::new(Reason::NoPose, format!("out of reach: {missing}"))
}
