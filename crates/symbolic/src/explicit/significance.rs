//! Significance: what may be left out of an explicit model, and what that costs in torque.
//!
//! The rule of Armstrong, Khatib and Burdick (§3): a term is dropped if it is below 1 % of the greatest term of the same
//! equation (one element of A, B, C or g), or below 0.1 % of the largest constant of the same joint. Read here as: the
//! constants of joint i are those of row i of A, B and C, and for gravity those of g_i, which has another unit; a_ij with
//! i ≤ j is an element of joint i, as the paper's Table A4 has it, and stays symmetric.
//!
//! The paper applies the rule to each element of B and C by itself. The abbreviated model then is no mechanical system any
//! more: its velocity torques do work. [`Velocities::FromMass`] takes them from the abbreviated A instead, so that
//! Ṁ − 2C stays skew and the energy balance exact.

use super::derivation::{Polynomials, entry};
use super::model::{Explicit, pairs};
use super::symbols::SymbolTable;
use super::words::Sum;

/// What becomes of B and C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Velocities {
    /// They follow from the abbreviated A.
    FromMass,
    /// The rule is applied to each element, as in the paper.
    ByElement,
}

/// The rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Significance {
    /// Against the greatest term of the same element.
    pub in_element: f64,
    /// Against the largest constant of the same joint.
    pub of_joint: f64,
    /// For A and g the rule is always the same.
    pub velocities: Velocities,
}

impl Default for Significance {
    /// The paper's thresholds.
    fn default() -> Self {
        Self::at(0.01)
    }
}

impl Significance {
    /// The first threshold, and a tenth of it for the second, as in the paper.
    pub fn at(threshold: f64) -> Self {
        Self { in_element: threshold, of_joint: 0.1 * threshold, velocities: Velocities::FromMass }
    }
}

/// Where a term stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementIndex {
    /// a_ij, i ≤ j.
    Mass(usize, usize),
    /// b_ijk or c_ij: the coefficient of q̇_j q̇_k, j ≤ k, in torque i.
    Velocity(usize, usize, usize),
    /// g_i.
    Gravity(usize),
}

/// A model and what was left out of it.
#[derive(Clone, Debug)]
pub struct Abbreviated {
    /// What is evaluated.
    pub kept: Explicit,
    /// The rest: the error of the abbreviated model is the torque of this one.
    pub dropped: Explicit,
}

impl Abbreviated {
    /// B and C anew from A. Christoffel symbols are linear in A, so those of the dropped terms are what is dropped.
    pub(crate) fn with_velocities_from_mass(self) -> Self {
        let new = |old: Explicit| {
            let normal = |sums: &[Sum]| sums.iter().map(|s| s.polynomial(&old.joints, &old.vocabulary)).collect();
            let (mass, gravity) = (normal(&old.mass), normal(&old.gravity));
            let polynomials =
                Polynomials { joints: old.joints.clone(), mass, gravity, symbols: SymbolTable::default() };
            let Explicit { velocity, vocabulary, .. } = Explicit::written(&polynomials, old.vocabulary.clone());
            Explicit { velocity, vocabulary, ..old }
        };
        Self { kept: new(self.kept), dropped: new(self.dropped) }
    }
}

impl Explicit {
    /// The model without the terms that are insignificant by the paper's rule.
    pub fn abbreviated(&self, significance: Significance) -> Abbreviated {
        let n = self.count();
        let largest: Vec<f64> = (0..n)
            .map(|i| {
                let mass = (0..n).map(|j| self.mass(i, j));
                mass.chain(&self.velocity[i]).fold(0.0, |most, sum| sum.largest().max(most))
            })
            .collect();
        let by_element = self.split(|place, sum, index| {
            let size = sum.terms[index].coefficient.abs();
            let of_joint = match place {
                ElementIndex::Mass(i, _) | ElementIndex::Velocity(i, _, _) => largest[i],
                ElementIndex::Gravity(i) => self.gravity[i].largest(),
            };
            size >= significance.in_element * sum.largest() && size >= significance.of_joint * of_joint
        });
        match significance.velocities {
            Velocities::ByElement => by_element,
            Velocities::FromMass => by_element.with_velocities_from_mass(),
        }
    }

    /// The terms for which `keep` says so, by their element and number, and the others.
    pub fn split(&self, keep: impl Fn(ElementIndex, &Sum, usize) -> bool) -> Abbreviated {
        let n = self.count();
        let empty = |sums: &[Sum]| vec![Sum::default(); sums.len()];
        let mut kept = Self {
            mass: empty(&self.mass),
            velocity: self.velocity.iter().map(|row| empty(row)).collect(),
            gravity: empty(&self.gravity),
            joints: self.joints.clone(),
            vocabulary: self.vocabulary.clone(),
        };
        let mut dropped = kept.clone();
        let sort = |place, from: &Sum, kept: &mut Sum, dropped: &mut Sum| {
            for (index, term) in from.terms.iter().enumerate() {
                if keep(place, from, index) { &mut *kept } else { &mut *dropped }.terms.push(*term);
            }
        };
        for (i, j) in pairs(n) {
            let at = entry(n, i, j);
            sort(ElementIndex::Mass(i, j), &self.mass[at], &mut kept.mass[at], &mut dropped.mass[at]);
        }
        for i in 0..n {
            for (at, (j, k)) in pairs(n).enumerate() {
                let (kept, dropped) = (&mut kept.velocity[i][at], &mut dropped.velocity[i][at]);
                sort(ElementIndex::Velocity(i, j, k), &self.velocity[i][at], kept, dropped);
            }
            sort(ElementIndex::Gravity(i), &self.gravity[i], &mut kept.gravity[i], &mut dropped.gravity[i]);
        }
        Abbreviated { kept, dropped }
    }
}
