//! The explicit model: A, B, C and g of Armstrong, Khatib and Burdick (1), entry by entry as sums of terms.

use super::derivation::{NotDerivable, Polynomials, entry};
use super::polynomial::JointAngles;
use super::words::{Sum, Vocabulary, write};
use dalembert_core::Scalar;
use dalembert_core::chain::Chain;

/// Γ = A q̈ + B [q̇q̇] + C [q̇²] + g, written out.
#[derive(Clone, Debug)]
pub struct Explicit {
    /// The joints.
    pub joints: JointAngles,
    /// What varies with the joints.
    pub vocabulary: Vocabulary,
    /// a_ij, kg m², the upper triangle by rows.
    pub mass: Vec<Sum>,
    /// b_ijk (j < k) and c_ij (j = k), kg m²: for each joint i the pairs j ≤ k by rows.
    pub velocity: Vec<Vec<Sum>>,
    /// g_i, N m.
    pub gravity: Vec<Sum>,
}

impl Explicit {
    /// The full model of an arm; friction is no part of it.
    pub fn of(arm: impl Into<Chain<f64>>) -> Result<Self, NotDerivable> {
        Ok(Self::from_polynomials(&Polynomials::numeric(arm)?))
    }

    /// The same from mass matrix and gravity.
    pub fn from_polynomials(polynomials: &Polynomials) -> Self {
        Self::written(polynomials, Vocabulary::default())
    }

    /// The same with words that are known already.
    pub(crate) fn written(polynomials: &Polynomials, mut vocabulary: Vocabulary) -> Self {
        let n = polynomials.count();
        let joints = polynomials.joints.clone();
        let mass = polynomials.mass.iter().map(|p| write(p, &joints, &mut vocabulary)).collect();
        let gravity = polynomials.gravity.iter().map(|p| write(p, &joints, &mut vocabulary)).collect();
        let velocity = (0..n)
            .map(|i| pairs(n).map(|(j, k)| write(&polynomials.velocity(i, j, k), &joints, &mut vocabulary)).collect())
            .collect();
        Self { joints, vocabulary, mass, velocity, gravity }
    }

    /// How many joints.
    pub fn count(&self) -> usize {
        self.joints.count()
    }

    /// a_ij; indices from 0.
    pub fn mass(&self, i: usize, j: usize) -> &Sum {
        &self.mass[entry(self.count(), i, j)]
    }

    /// b_ijk, or c_ij for j = k; indices from 0.
    pub fn velocity(&self, i: usize, j: usize, k: usize) -> &Sum {
        &self.velocity[i][entry(self.count(), j, k)]
    }

    /// All terms.
    pub fn terms(&self) -> usize {
        let all = self.mass.iter().chain(self.velocity.iter().flatten()).chain(&self.gravity);
        all.map(|sum| sum.terms.len()).sum()
    }
}

/// The values of A, B, C and g at a configuration: computed at the slow rate, used for many velocities and accelerations
/// (the paper's Table 2).
#[derive(Clone, Debug, PartialEq)]
pub struct ElementValues<S> {
    /// a_ij, the upper triangle by rows.
    pub mass: Vec<S>,
    /// b_ijk and c_ij as [`Explicit::velocity`].
    pub velocity: Vec<Vec<S>>,
    /// g_i.
    pub gravity: Vec<S>,
}

impl Explicit {
    /// Every element at a configuration, term by term; programs come from the factored form.
    pub fn at<S: Scalar>(&self, q: &[S]) -> ElementValues<S> {
        let values = self.vocabulary.evaluate(&self.joints, q, |_| true);
        let all = |sums: &[Sum]| sums.iter().map(|sum| sum.evaluate(&values)).collect::<Vec<S>>();
        ElementValues {
            mass: all(&self.mass),
            velocity: self.velocity.iter().map(|row| all(row)).collect(),
            gravity: all(&self.gravity),
        }
    }
}

impl<S: Scalar> ElementValues<S> {
    /// (1) without friction: A q̈ + B [q̇q̇] + C [q̇²] + g.
    pub fn torque(&self, qd: &[S], qdd: &[S]) -> Vec<S> {
        let n = self.gravity.len();
        (0..n)
            .map(|i| {
                let inertia = (0..n).fold(self.gravity[i], |sum, j| sum + self.mass[entry(n, i, j)] * qdd[j]);
                pairs(n).zip(&self.velocity[i]).fold(inertia, |sum, ((j, k), &b)| sum + b * (qd[j] * qd[k]))
            })
            .collect()
    }
}

/// The pairs j ≤ k in the order of an upper triangle.
pub(crate) fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |j| (j..n).map(move |k| (j, k)))
}
