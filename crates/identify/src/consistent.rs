//! Parameters that bodies can have.
//!
//! A body with mass density ρ ≥ 0 has a pseudo-inertia J = ∫ρ (x, 1)(x, 1)ᵀ that is positive definite, and any positive definite
//! J is that of some body (Wensing, Kim, Slotine 2018, RA-L 3(1), (9)–(13)): masses, first moments and inertias enter it
//! linearly. A line has a J of size 2, a positive number one of size 1. Parameters are found where
//!
//! ```text
//! ½ ‖z − R π‖² + w Σ_b [ tr(J_b J_0b⁻¹) − log det(J_b J_0b⁻¹) − k_b ]                                  (1)
//! ```
//!
//! is least: the second term is the divergence of Lee, Wensing and Park 2020 (IEEE T-RO 36(2), (30)) from what was known
//! before, J_0. It is infinite where a body could not be, and both terms are convex in π: Newton's iteration from J_0 finds
//! the one solution, feasible at every step. (A log-Cholesky parametrisation reaches the same set without a barrier, but not
//! by a convex problem.) For w → 0 it is least squares with feasible bodies.

use crate::IdentifyError;
use crate::least_squares::Compressed;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// A symmetric matrix that is linear in the parameters and has to be positive definite.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Rows.
    pub size: usize,
    /// Where a parameter enters: row, column (row ≤ column; the other triangle follows), parameter, factor.
    pub entries: Vec<(usize, usize, usize, f64)>,
}

impl Block {
    /// A positive number.
    pub fn positive(parameter: usize) -> Self {
        Self { size: 1, entries: vec![(0, 0, parameter, 1.0)] }
    }

    /// A body on a line: mass, first moment, second moment about the origin.
    pub fn line([mass, moment, inertia]: [usize; 3]) -> Self {
        Self { size: 2, entries: vec![(0, 0, inertia, 1.0), (0, 1, moment, 1.0), (1, 1, mass, 1.0)] }
    }

    /// A body in space: mass, first moments, tensor about the origin as xx, yy, zz, xy, yz, xz with the signs of a tensor.
    /// Second moments are Σ = ½ tr(I) − I.
    pub fn body(mass: usize, moments: [usize; 3], [xx, yy, zz, xy, yz, xz]: [usize; 6]) -> Self {
        let mut entries = Vec::new();
        for k in 0..3 {
            for (other, parameter) in [xx, yy, zz].into_iter().enumerate() {
                entries.push((k, k, parameter, if other == k { -0.5 } else { 0.5 }));
            }
            entries.push((k, 3, moments[k], 1.0));
        }
        entries.extend([(0, 1, xy, -1.0), (1, 2, yz, -1.0), (0, 2, xz, -1.0), (3, 3, mass, 1.0)]);
        Self { size: 4, entries }
    }

    /// The matrix of some parameters.
    pub fn matrix(&self, parameters: &DVector<f64>) -> DMatrix<f64> {
        let mut j = DMatrix::zeros(self.size, self.size);
        for &(row, column, parameter, factor) in &self.entries {
            j[(row, column)] += factor * parameters[parameter];
            if row != column {
                j[(column, row)] += factor * parameters[parameter];
            }
        }
        j
    }

    /// Its least eigenvalue over its largest, with rows of like size: at most 0 where there is no such body.
    pub fn margin(&self, parameters: &DVector<f64>) -> f64 {
        let j = self.matrix(parameters);
        let scale: Vec<f64> = (0..self.size).map(|k| j[(k, k)].abs().sqrt().max(f64::MIN_POSITIVE)).collect();
        let scaled = DMatrix::from_fn(self.size, self.size, |a, b| j[(a, b)] / (scale[a] * scale[b]));
        let values = scaled.symmetric_eigenvalues();
        values.min() / values.max().max(f64::MIN_POSITIVE)
    }

    /// Parameters near to the given ones at which there is such a body: its mass at least `mass`, its second moments about
    /// its centre of mass at least those of a ball of this radius of gyration, in every direction.
    pub fn make_possible(&self, parameters: &mut DVector<f64>, mass: f64, radius: f64) {
        let last = self.size - 1;
        let mut j = self.matrix(parameters);
        if last == 0 {
            let missing = mass - j[(0, 0)];
            if let Some(&(_, _, first, factor)) = self.entries.first().filter(|_| j[(0, 0)] <= 0.0) {
                parameters[first] += missing / factor;
            }
            return;
        }
        if j[(last, last)] <= 0.0 {
            j[(last, last)] = mass;
        }
        let m = j[(last, last)];
        let h = j.view((0, last), (last, 1)).into_owned();
        let about_center = j.view((0, 0), (last, last)) - &h * h.transpose() / m;
        let eigen = about_center.symmetric_eigen();
        let least = m * radius * radius;
        if eigen.eigenvalues.iter().all(|value| *value > 1e-6 * least)
            && j[(last, last)] == self.matrix(parameters)[(last, last)]
        {
            return;
        }
        let values = DMatrix::from_diagonal(&eigen.eigenvalues.map(|value| value.max(least)));
        let mended = &eigen.eigenvectors * values * eigen.eigenvectors.transpose() + &h * h.transpose() / m;
        j.view_mut((0, 0), (last, last)).copy_from(&mended);
        // As many entries as parameters: the way back from J.
        let mut terms: Vec<usize> = self.entries.iter().map(|entry| entry.2).collect();
        terms.sort_unstable();
        terms.dedup();
        let places: Vec<(usize, usize)> = (0..self.size).flat_map(|a| (a..self.size).map(move |b| (a, b))).collect();
        let mut map = DMatrix::zeros(places.len(), terms.len());
        for &(row, column, parameter, factor) in &self.entries {
            let place = places.iter().position(|place| *place == (row, column));
            let term = terms.iter().position(|term| *term == parameter);
            if let (Some(place), Some(term)) = (place, term) {
                map[(place, term)] += factor;
            }
        }
        let right = DVector::from_iterator(places.len(), places.iter().map(|place| j[*place]));
        if let Some(found) = map.lu().solve(&right) {
            terms.iter().zip(found.iter()).for_each(|(&k, value)| parameters[k] = *value);
        }
    }

    /// The derivative by each parameter that enters.
    fn directions(&self) -> Vec<(usize, DMatrix<f64>)> {
        let mut all: Vec<(usize, DMatrix<f64>)> = Vec::new();
        for &(row, column, parameter, factor) in &self.entries {
            let index = all.iter().position(|(known, _)| *known == parameter).unwrap_or_else(|| {
                all.push((parameter, DMatrix::zeros(self.size, self.size)));
                all.len() - 1
            });
            let matrix = &mut all[index].1;
            matrix[(row, column)] += factor;
            if row != column {
                matrix[(column, row)] += factor;
            }
        }
        all
    }
}

/// What was known before: blocks, and parameters at which all of them are positive definite.
#[derive(Clone, Debug)]
pub struct Prior {
    /// What has to be positive definite, with the share of the weight that its block has.
    pub blocks: Vec<(Block, f64)>,
    /// Parameters that are near.
    pub parameters: DVector<f64>,
    /// Weak springs ½ k (π − π_0)² for parameters in no block; zero: none.
    pub springs: DVector<f64>,
}

/// What is found.
#[derive(Clone, Debug)]
pub struct Consistent {
    /// The parameters.
    pub parameters: DVector<f64>,
    /// Inverse of the second derivative of (1): their covariance given rows of variance 1 and the prior.
    pub covariance: DMatrix<f64>,
    /// Newton steps.
    pub iterations: usize,
}

struct Barrier {
    directions: Vec<(usize, DMatrix<f64>)>,
    known: DMatrix<f64>,
    weight: f64,
}

impl Prior {
    fn barriers(&self, weight: f64) -> Result<Vec<Barrier>, IdentifyError> {
        let of = |(block, share): &(Block, f64)| {
            let inverse = Cholesky::new(block.matrix(&self.parameters)).map(|c| c.inverse());
            let must = "a body that can be";
            let known = inverse.ok_or_else(|| IdentifyError::Value {
                what: "what was known before",
                value: block.margin(&self.parameters),
                must,
            })?;
            Ok(Barrier { directions: block.directions(), known, weight: weight * share })
        };
        self.blocks.iter().map(of).collect()
    }

    fn factors(&self, parameters: &DVector<f64>) -> Option<Vec<Cholesky<f64, Dyn>>> {
        self.blocks.iter().map(|(block, _)| Cholesky::new(block.matrix(parameters))).collect()
    }
}

/// (1) with its barriers, times `strength`.
struct Problem<'a> {
    rows: &'a Compressed,
    prior: &'a Prior,
    barriers: Vec<Barrier>,
    square: DMatrix<f64>,
    right: DVector<f64>,
}

impl Problem<'_> {
    fn value(&self, at: &DVector<f64>, strength: f64) -> Option<f64> {
        let mut sum = 0.5 * (&self.rows.z - &self.rows.r * at).norm_squared();
        for ((factor, barrier), (block, _)) in
            self.prior.factors(at)?.iter().zip(&self.barriers).zip(&self.prior.blocks)
        {
            let trace = block.matrix(at).component_mul(&barrier.known).sum();
            let logarithm: f64 = factor.l_dirty().diagonal().iter().map(|x| x.ln()).sum::<f64>() * 2.0;
            sum += strength * barrier.weight * (trace - logarithm);
        }
        let off = at - &self.prior.parameters;
        Some(sum + 0.5 * off.component_mul(&off).dot(&self.prior.springs)).filter(|sum| sum.is_finite())
    }

    /// Newton's iteration from a feasible start: the least place, its covariance and the iterations; or, where `most` of them
    /// are not enough, how far it came.
    fn newton(
        &self,
        start: &DVector<f64>,
        strength: f64,
        most: usize,
    ) -> Result<Result<Consistent, DVector<f64>>, IdentifyError> {
        let n = start.len();
        let mut at = start.clone();
        let mut now = self.value(&at, strength).ok_or(IdentifyError::Value {
            what: "what was known before",
            value: f64::NAN,
            must: "a body that can be",
        })?;
        for iterations in 1..=most {
            let springs = &self.prior.springs;
            let mut gradient =
                &self.square * &at - &self.right + springs.component_mul(&(&at - &self.prior.parameters));
            let mut hessian = self.square.clone();
            for k in 0..n {
                hessian[(k, k)] += springs[k];
            }
            let factors = self.prior.factors(&at).unwrap_or_default();
            for (factor, barrier) in factors.iter().zip(&self.barriers) {
                let (inverse, weight) = (factor.inverse(), strength * barrier.weight);
                let turned: Vec<(usize, DMatrix<f64>)> =
                    barrier.directions.iter().map(|(k, direction)| (*k, &inverse * direction)).collect();
                for ((k, direction), (_, product)) in barrier.directions.iter().zip(&turned) {
                    gradient[*k] += weight * (direction.component_mul(&barrier.known).sum() - product.trace());
                }
                for (k, a) in &turned {
                    for (l, b) in &turned {
                        hessian[(*k, *l)] += weight * a.component_mul(&b.transpose()).sum();
                    }
                }
            }
            // Parameters of like size: lengths of the diagonal.
            let scale = DVector::from_fn(n, |k, _| 1.0 / hessian[(k, k)].max(f64::MIN_POSITIVE).sqrt());
            let mut scaled = DMatrix::from_fn(n, n, |a, b| hessian[(a, b)] * scale[a] * scale[b]);
            let factor = match Cholesky::new(scaled.clone()) {
                Some(factor) => factor,
                None => {
                    // Directions that neither data nor prior tell stay where they are.
                    for k in 0..n {
                        scaled[(k, k)] += 1e-10;
                    }
                    let rank = scaled.clone().symmetric_eigenvalues().iter().filter(|x| **x > 1e-9).count();
                    Cholesky::new(scaled).ok_or(IdentifyError::Dependent { rank, columns: n })?
                }
            };
            let found = |at: DVector<f64>| {
                let inverse = factor.inverse();
                let covariance = DMatrix::from_fn(n, n, |a, b| inverse[(a, b)] * scale[a] * scale[b]);
                Ok(Ok(Consistent { parameters: at, covariance, iterations }))
            };
            let step = -factor.solve(&gradient.component_mul(&scale)).component_mul(&scale);
            let slope = gradient.dot(&step);
            // Newton's decrement: how far (1) is from its least value.
            if -slope < 1e-10 * (1.0 + now.abs()) {
                return found(at);
            }
            let mut length = 1.0;
            loop {
                let next = &at + &step * length;
                if let Some(value) = self.value(&next, strength)
                    && value <= now + 1e-4 * length * slope
                {
                    (at, now) = (next, value);
                    break;
                }
                length *= 0.5;
                if length < 1e-12 || !slope.is_finite() {
                    // Rounding: no step makes it less. Far from the least value it is the border that stops.
                    return if -slope < 1e-6 * (1.0 + now.abs()) { found(at) } else { Ok(Err(at)) };
                }
            }
        }
        Ok(Err(at))
    }
}

/// The parameters where (1) is least. Rows have been divided by their standard deviation; `weight` is w.
///
/// Where the torques want a body on the border of what can be (a point mass), Newton's steps from J_0 run into the border and
/// become short. Then the way goes along the centre: first with barriers so strong that the data hardly counts, each time
/// with a tenth of that strength from where the last one ended.
pub fn solve(rows: &Compressed, prior: &Prior, weight: f64) -> Result<Consistent, IdentifyError> {
    const DIRECT: usize = 40;
    const STAGE: usize = 60;
    crate::positive("the weight of the prior", weight)?;
    crate::same_length("parameters of the prior", prior.parameters.len(), rows.r.ncols())?;
    let (square, right) = rows.normal();
    let problem = Problem { rows, prior, barriers: prior.barriers(weight)?, square, right };
    if let Ok(found) = problem.newton(&prior.parameters, 1.0, DIRECT)? {
        return Ok(found);
    }
    let sizes: f64 =
        problem.barriers.iter().zip(&prior.blocks).map(|(b, (block, _))| b.weight * block.size as f64).sum();
    let misfit = 0.5 * (&rows.z - &rows.r * &prior.parameters).norm_squared();
    let (mut at, mut strength) = (prior.parameters.clone(), (misfit / sizes).max(1.0));
    let mut iterations = DIRECT;
    loop {
        match problem.newton(&at, strength, STAGE)? {
            Ok(found) if strength <= 1.0 => {
                return Ok(Consistent { iterations: iterations + found.iterations, ..found });
            }
            Ok(found) => at = found.parameters,
            // On the way the centre need not be met exactly.
            Err(near) if strength > 1.0 => at = near,
            Err(_) => {
                return Err(IdentifyError::NoConvergence {
                    what: "the consistent fit",
                    iterations: iterations + STAGE,
                });
            }
        }
        iterations += STAGE;
        strength = (0.1 * strength).max(1.0);
    }
}
