//! The other way round: the cheapest model for a wanted error.
//!
//! What can be dropped is known with the torque error that it can cause at most. The least harmful is dropped first, as long
//! as the sum of these, joint by joint, is within the wanted error times a factor of trust in that joint; the error of the
//! whole is then bounded as for any model ([`Explicit::torque_range`]), and the factors are halved until the bound holds. The model with
//! the fewest terms for which it does is taken. This is done for both ways to treat velocity terms
//! ([`Velocities`]), and the model that takes fewer operations is chosen.

use super::bound::{Budget, Limits, range};
use super::derivation::{Polynomials, entry};
use super::formulas::FormulaOutput;
use super::model::{Explicit, pairs};
use super::significance::{Abbreviated, ElementIndex, Velocities};
use super::symbols::SymbolTable;
use super::words::Sum;
use std::collections::HashSet;

/// A wanted error that means nothing.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the error bound of joint {joint} is {value}; it must be a positive number of N m (N)")]
pub struct NoSuchError {
    /// From 1.
    pub joint: usize,
    /// What was given.
    pub value: f64,
}

/// What is dropped or kept as one: a term with the torque error that dropping it can cause at each joint.
struct DroppableTerm {
    place: ElementIndex,
    /// Which term of its sum.
    index: usize,
    harm: Vec<f64>,
}

/// Above this many terms of the mass matrix their velocity terms are not looked at one by one.
const MAX_FROM_MASS: usize = 2000;

/// How often the factors of trust are halved, and the largest one.
const TRIALS: usize = 7;

/// Above this many terms the sum of all harms is the only proof that is tried.
const MAX_SEARCHED: usize = 8_000;

const MAX_TRUST: f64 = 16.0;

impl Explicit {
    /// The cheapest model found whose torque error is proved to be at most `wanted`, one number for each joint, N m (N).
    /// `progress` receives the completed fraction.
    pub fn cheapest_within(
        &self,
        wanted: &[f64],
        limits: &Limits,
        budget: Budget,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Abbreviated, NoSuchError> {
        for joint in 0..self.count() {
            let value = wanted.get(joint).copied().unwrap_or(f64::NAN);
            if !(value > 0.0 && value.is_finite()) {
                return Err(NoSuchError { joint: joint + 1, value });
            }
        }
        let mut found = self.search(Velocities::ByElement, wanted, limits, budget, &mut |share| progress(0.5 * share));
        let terms: usize = self.mass.iter().map(|sum| sum.terms.len()).sum();
        if terms <= MAX_FROM_MASS {
            let part = &mut |share: f64| progress(0.5 + 0.5 * share);
            let other = self.search(Velocities::FromMass, wanted, limits, budget, part);
            let cost = |model: &Abbreviated| model.kept.formulas(FormulaOutput::Torque, 2).cost();
            if cost(&other) <= cost(&found) {
                found = other;
            }
        }
        Ok(found)
    }

    fn search(
        &self,
        velocities: Velocities,
        wanted: &[f64],
        limits: &Limits,
        budget: Budget,
        progress: &mut dyn FnMut(f64),
    ) -> Abbreviated {
        let mut units = self.units(velocities, limits);
        let relative = |unit: &DroppableTerm| unit.harm.iter().zip(wanted).fold(0.0f64, |most, (h, w)| most.max(h / w));
        units.sort_by(|a, b| relative(a).total_cmp(&relative(b)));
        let abbreviate = |trust: &[f64]| {
            let mut sums = vec![0.0; self.count()];
            let mut gone: HashSet<(ElementIndex, usize)> = HashSet::new();
            for unit in &units {
                let fits = (0..sums.len()).all(|i| sums[i] + unit.harm[i] <= trust[i] * wanted[i]);
                if fits {
                    (0..sums.len()).for_each(|i| sums[i] += unit.harm[i]);
                    gone.insert((unit.place, unit.index));
                }
            }
            let split = self.split(|place, _, index| !gone.contains(&(place, index)));
            match velocities {
                Velocities::ByElement => split,
                Velocities::FromMass => split.with_velocities_from_mass(),
            }
        };
        // Factors of 1 need no search: the sum of all harms is a proof by itself.
        let (mut least, mut most) = (vec![1.0; self.count()], vec![MAX_TRUST; self.count()]);
        let mut model = abbreviate(&least);
        let trials = if self.terms() > MAX_SEARCHED { 0 } else { TRIALS };
        for trial in 0..trials {
            progress(trial as f64 / (2 * trials) as f64);
            let trust: Vec<f64> = least.iter().zip(&most).map(|(a, b): (&f64, &f64)| (a * b).sqrt()).collect();
            let candidate = abbreviate(&trust);
            let mut good = true;
            for i in 0..self.count() {
                let holds = candidate.dropped.stays_within(i, limits, wanted[i], budget.boxes);
                if holds {
                    least[i] = trust[i]
                } else {
                    most[i] = trust[i]
                }
                good &= holds;
            }
            if good && candidate.kept.terms() < model.kept.terms() {
                model = candidate;
            }
        }
        // Each joint held at its own factor; whether all do together is another question.
        for trial in 0..trials {
            progress(0.5 + trial as f64 / (2 * trials) as f64);
            let candidate = abbreviate(&least);
            if candidate.kept.terms() >= model.kept.terms() {
                break;
            }
            let mut good = true;
            for i in 0..self.count() {
                if !candidate.dropped.stays_within(i, limits, wanted[i], budget.boxes) {
                    good = false;
                    least[i] = f64::max(1.0, 0.8 * least[i]);
                }
            }
            if good {
                model = candidate;
                break;
            }
        }
        model
    }

    fn units(&self, velocities: Velocities, limits: &Limits) -> Vec<DroppableTerm> {
        let n = self.count();
        let most = self.largest_words(limits);
        let size = |sum: &Sum, index: usize| sum.terms[index].size(&most);
        let at = |joint: usize, harm: f64| (0..n).map(|i| if i == joint { harm } else { 0.0 }).collect::<Vec<f64>>();
        let mut units = Vec::new();
        for (i, j) in pairs(n) {
            let sum = self.mass(i, j);
            for index in 0..sum.terms.len() {
                let place = ElementIndex::Mass(i, j);
                let harm = match velocities {
                    Velocities::ByElement => {
                        let mut harm = at(i, size(sum, index) * limits.acceleration[j]);
                        if i != j {
                            harm[j] = size(sum, index) * limits.acceleration[i];
                        }
                        harm
                    }
                    Velocities::FromMass => self.alone(i, j, index).harm(limits),
                };
                units.push(DroppableTerm { place, index, harm });
            }
        }
        for i in 0..n {
            if velocities == Velocities::ByElement {
                for (j, k) in pairs(n) {
                    let (sum, factor) = (self.velocity(i, j, k), limits.velocity[j] * limits.velocity[k]);
                    units.extend((0..sum.terms.len()).map(|index| DroppableTerm {
                        place: ElementIndex::Velocity(i, j, k),
                        index,
                        harm: at(i, size(sum, index) * factor),
                    }));
                }
            }
            let sum = &self.gravity[i];
            units.extend((0..sum.terms.len()).map(|index| DroppableTerm {
                place: ElementIndex::Gravity(i),
                index,
                harm: at(i, size(sum, index)),
            }));
        }
        units
    }

    /// The model that has one term of its mass matrix only, with the velocity terms that follow.
    fn alone(&self, i: usize, j: usize, index: usize) -> Self {
        let n = self.count();
        let mut mass = vec![Default::default(); self.mass.len()];
        let one = Sum { terms: vec![self.mass(i, j).terms[index]] };
        mass[entry(n, i, j)] = one.polynomial(&self.joints, &self.vocabulary);
        let gravity = vec![Default::default(); n];
        let polynomials = Polynomials { joints: self.joints.clone(), mass, gravity, symbols: SymbolTable::default() };
        Self::written(&polynomials, self.vocabulary.clone())
    }

    /// The largest size of each word within the limits.
    fn largest_words(&self, limits: &Limits) -> Vec<f64> {
        let of = |[least, most]: [f64; 2]| least.abs().max(most.abs());
        self.vocabulary.words().iter().map(|word| of(range(word, &self.joints, &limits.position))).collect()
    }

    /// The sum of what all terms can contribute to each torque.
    fn harm(&self, limits: &Limits) -> Vec<f64> {
        let n = self.count();
        let most = self.largest_words(limits);
        let size = |sum: &Sum| sum.terms.iter().map(|term| term.size(&most)).sum::<f64>();
        let of = |i: usize| {
            let inertia: f64 = (0..n).map(|j| size(self.mass(i, j)) * limits.acceleration[j]).sum();
            let velocity = pairs(n).zip(&self.velocity[i]);
            let velocity: f64 = velocity.map(|((j, k), sum)| size(sum) * limits.velocity[j] * limits.velocity[k]).sum();
            inertia + velocity + size(&self.gravity[i])
        };
        (0..n).map(of).collect()
    }
}
