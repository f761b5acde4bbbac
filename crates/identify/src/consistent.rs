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
pub struct DefiniteBlock {
    /// Rows.
    pub size: usize,
    /// Where a parameter enters: row, column (row ≤ column; the other triangle follows), parameter, factor.
    pub entries: Vec<(usize, usize, usize, f64)>,
}

impl DefiniteBlock {
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
        self.matrix_of(|k| parameters[k])
    }

    fn matrix_of(&self, parameter: impl Fn(usize) -> f64) -> DMatrix<f64> {
        let mut j = DMatrix::zeros(self.size, self.size);
        for &(row, column, k, factor) in &self.entries {
            j[(row, column)] += factor * parameter(k);
            if row != column {
                j[(column, row)] += factor * parameter(k);
            }
        }
        j
    }

    /// The derivative by each parameter that enters.
    fn directions(&self) -> Vec<(usize, DMatrix<f64>)> {
        let mut own: Vec<usize> = self.entries.iter().map(|entry| entry.2).collect();
        own.sort_unstable();
        own.dedup();
        own.into_iter().map(|own| (own, self.matrix_of(|k| if k == own { 1.0 } else { 0.0 }))).collect()
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
        let directions = self.directions();
        let places: Vec<(usize, usize)> = (0..self.size).flat_map(|a| (a..self.size).map(move |b| (a, b))).collect();
        let map = DMatrix::from_fn(places.len(), directions.len(), |place, term| directions[term].1[places[place]]);
        let right = DVector::from_iterator(places.len(), places.iter().map(|place| j[*place]));
        if let Some(found) = map.lu().solve(&right) {
            directions.iter().zip(&found).for_each(|((k, _), value)| parameters[*k] = *value);
        }
    }
}

/// What was known before: blocks, and parameters at which all of them are positive definite.
#[derive(Clone, Debug)]
pub struct Prior {
    /// What has to be positive definite, with the share of the weight that its block has.
    pub blocks: Vec<(DefiniteBlock, f64)>,
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
}

/// How a block is scaled in a step: G, G⁻¹, and L⁻¹ G for J = L Lᵀ.
struct Scaling {
    g: DMatrix<f64>,
    inverse: DMatrix<f64>,
    half: DMatrix<f64>,
}

/// The inverse of a lower triangle.
fn inverse_of(l: &DMatrix<f64>) -> DMatrix<f64> {
    l.solve_lower_triangular_unchecked(&DMatrix::identity(l.nrows(), l.nrows()))
}

/// A block that has to be positive definite.
struct Barrier<'a> {
    block: &'a DefiniteBlock,
    directions: Vec<(usize, DMatrix<f64>)>,
    /// J_0⁻¹.
    known: DMatrix<f64>,
    weight: f64,
}

fn impossible(value: f64) -> IdentifyError {
    IdentifyError::Value { what: "the prior", value, must: "physically consistent" }
}

/// (1) with its barriers.
struct ConsistentProblem<'a> {
    rows: &'a Compressed,
    prior: &'a Prior,
    barriers: Vec<Barrier<'a>>,
}

/// How Newton's step is solved for.
#[derive(Clone, Copy, PartialEq)]
enum Factorization {
    /// By the normal equations: fast.
    Fast,
    /// By an orthogonal decomposition: in the normal equations of many rows, what only the prior determines is lost to rounding.
    Orthogonal,
}

/// As a share of its value, (1) is known well enough.
const ENOUGH: f64 = 1e-6;
/// A parameter of which neither data nor prior know as much, in lengths of its column, stays where it is.
const UNDETERMINED: f64 = 1e-12;

/// U with Uᵀ U = (A S)ᵀ (A S), S a diagonal scale; none where rounding does not let it.
fn triangle(mut a: DMatrix<f64>, scale: &DVector<f64>, way: Factorization) -> Option<DMatrix<f64>> {
    a.column_iter_mut().zip(scale).for_each(|(mut column, scale)| column *= *scale);
    match way {
        Factorization::Fast => Cholesky::new(a.tr_mul(&a)).map(|factor| factor.l().transpose()),
        Factorization::Orthogonal => {
            let (rows, n) = a.shape();
            let mut all = a.resize_vertically(rows + n, 0.0);
            (0..n).for_each(|k| all[(rows + k, k)] = UNDETERMINED);
            Some(all.qr().r())
        }
    }
}

impl<'a> ConsistentProblem<'a> {
    fn new(rows: &'a Compressed, prior: &'a Prior, weight: f64) -> Result<Self, IdentifyError> {
        let of = |(block, share): &'a (DefiniteBlock, f64)| {
            let inverse = Cholesky::new(block.matrix(&prior.parameters)).map(|c| c.inverse());
            let known = inverse.ok_or_else(|| impossible(block.margin(&prior.parameters)))?;
            Ok(Barrier { block, directions: block.directions(), known, weight: weight * share })
        };
        Ok(Self { rows, prior, barriers: prior.blocks.iter().map(of).collect::<Result<_, _>>()? })
    }

    fn factors(&self, at: &DVector<f64>) -> Option<Vec<Cholesky<f64, Dyn>>> {
        self.barriers.iter().map(|barrier| Cholesky::new(barrier.block.matrix(at))).collect()
    }

    fn value(&self, at: &DVector<f64>) -> Option<f64> {
        let mut sum = 0.5 * (&self.rows.z - &self.rows.r * at).norm_squared();
        for (factor, barrier) in self.factors(at)?.iter().zip(&self.barriers) {
            let trace = barrier.block.matrix(at).component_mul(&barrier.known).sum();
            let logarithm: f64 = factor.l_dirty().diagonal().iter().map(|x| x.ln()).sum::<f64>() * 2.0;
            sum += barrier.weight * (trace - logarithm);
        }
        let off = at - &self.prior.parameters;
        Some(sum + 0.5 * off.component_mul(&off).dot(&self.prior.springs)).filter(|sum| sum.is_finite())
    }

    /// Newton's step is the least-squares solution of these rows: those of the data, √k for springs, and G⁻¹ ∂J G⁻ᵀ for a block
    /// J with the right side w Gᵀ (t J⁻¹ − J_0⁻¹) G. With t = 1, G = L w^(−1/4) with J = L Lᵀ makes it Newton's step of (1).
    fn linear(&self, at: &DVector<f64>, scalings: &[Scaling], t: f64) -> (DMatrix<f64>, DVector<f64>) {
        let (n, springs) = (at.len(), &self.prior.springs);
        let barriers: usize = self.barriers.iter().map(|b| b.block.size * (b.block.size + 1) / 2).sum();
        let data = self.rows.r.nrows();
        let mut a = DMatrix::zeros(data + barriers + n, n);
        let mut left = DVector::zeros(data + barriers + n);
        a.view_mut((0, 0), (data, n)).copy_from(&self.rows.r);
        left.rows_mut(0, data).copy_from(&(&self.rows.z - &self.rows.r * at));
        let mut first = data;
        for (Scaling { g, inverse, half }, barrier) in scalings.iter().zip(&self.barriers) {
            let size = g.nrows();
            // Of a symmetric matrix one triangle, off the diagonal times √2.
            let places = || (0..size).flat_map(move |i| (0..=i).map(move |j| (i, j)));
            let share = |i: usize, j: usize| if i == j { 1.0 } else { std::f64::consts::SQRT_2 };
            for (k, direction) in &barrier.directions {
                let whole = inverse * direction * inverse.transpose();
                places().enumerate().for_each(|(e, (i, j))| a[(first + e, *k)] = share(i, j) * whole[(i, j)]);
            }
            let off = (half.tr_mul(half) * t - g.tr_mul(&barrier.known) * g) * barrier.weight;
            places().enumerate().for_each(|(e, (i, j))| left[first + e] = share(i, j) * off[(i, j)]);
            first += size * (size + 1) / 2;
        }
        for k in 0..n {
            a[(first + k, k)] = springs[k].sqrt();
            left[first + k] = springs[k].sqrt() * (self.prior.parameters[k] - at[k]);
        }
        (a, left)
    }

    /// What was known before, but no block so small that the torques could not be its own.
    fn ample(&self) -> DVector<f64> {
        let mut at = self.prior.parameters.clone();
        let most = self.rows.z.norm();
        for Barrier { block, .. } in &self.barriers {
            let mut own = DVector::zeros(at.len());
            block.entries.iter().for_each(|entry| own[entry.2] = at[entry.2]);
            let factor = most / (&self.rows.r * &own).norm().max(f64::MIN_POSITIVE);
            if (1.0..1e12).contains(&factor) {
                at += own * (factor - 1.0);
            }
        }
        at
    }

    /// The scalings of Newton's own step.
    fn own_scalings(&self, factors: &[Cholesky<f64, Dyn>]) -> Vec<Scaling> {
        let of = |(factor, barrier): (&Cholesky<f64, Dyn>, &Barrier<'_>)| {
            let l = factor.l();
            let root = barrier.weight.sqrt().sqrt();
            let inverse = inverse_of(&l);
            Scaling { half: DMatrix::identity(l.nrows(), l.nrows()) / root, g: l / root, inverse: inverse * root }
        };
        factors.iter().zip(&self.barriers).map(of).collect()
    }

    /// Newton's iteration from a feasible start: the least place and its covariance; none where `most` iterations are not enough.
    fn newton(
        &self,
        start: &DVector<f64>,
        most: usize,
        way: Factorization,
    ) -> Result<Option<Consistent>, IdentifyError> {
        let n = start.len();
        let mut at = start.clone();
        let mut now = self.value(&at).ok_or_else(|| impossible(f64::NAN))?;
        for iterations in 1..=most {
            let factors = self.factors(&at).unwrap_or_default();
            let (a, left) = self.linear(&at, &self.own_scalings(&factors), 1.0);
            let Some(newton) = NewtonStep::new(a, &left, &[way]) else { return Ok(None) };
            let dependent = || IdentifyError::Dependent { rank: n.saturating_sub(1), columns: n };
            let found = |at: DVector<f64>| {
                let covariance = newton.covariance().ok_or_else(dependent)?;
                Ok(Some(Consistent { parameters: at, covariance }))
            };
            let (step, slope) = newton.step().ok_or_else(dependent)?;
            // Newton's decrement: how far (1) is from its least value.
            // The last step need not be as small: by a millionth no prediction changes.
            if -slope < if iterations == most { ENOUGH } else { 1e-10 } * (1.0 + now.abs()) {
                return found(at);
            }
            // A tenth of the way to the border of what can be is left: who comes too near to it leaves it slowly.
            let share = |(barrier, factor): (&Barrier<'_>, &Cholesky<f64, Dyn>)| {
                share_within(&factor.l(), &barrier.block.matrix(&step), 0.9)
            };
            let mut length = self.barriers.iter().zip(&factors).map(share).fold(1.0, f64::min);
            loop {
                let next = &at + &step * length;
                if let Some(value) = self.value(&next)
                    && value <= now + 1e-4 * length * slope
                {
                    (at, now) = (next, value);
                    // Away from a border a whole step only doubles the distance: as far as it gets better.
                    while length >= 1.0
                        && let further = &at + &step * length
                        && let Some(value) = self.value(&further).filter(|value| *value < now)
                    {
                        (at, now, length) = (further, value, 2.0 * length);
                    }
                    break;
                }
                length *= 0.5;
                if length < 1e-12 || !slope.is_finite() {
                    // Rounding: no step makes it less. Far from the least value it is the border that stops.
                    return if -slope < ENOUGH * (1.0 + now.abs()) { found(at) } else { Ok(None) };
                }
            }
        }
        Ok(None)
    }
}

/// The equations of a step, in parameters of like size: columns of length 1. Directions that neither data nor prior determine stay where they are.
struct NewtonStep {
    triangle: DMatrix<f64>,
    scale: DVector<f64>,
    gradient: DVector<f64>,
}

impl NewtonStep {
    /// By the first factorization that rounding lets.
    fn new(a: DMatrix<f64>, left: &DVector<f64>, ways: &[Factorization]) -> Option<Self> {
        let scale = DVector::from_fn(a.ncols(), |k, _| 1.0 / a.column(k).norm().max(f64::MIN_POSITIVE));
        let gradient = -a.tr_mul(left);
        let triangle = ways.iter().find_map(|way| triangle(a.clone(), &scale, *way))?;
        Some(Self { triangle, scale, gradient })
    }

    /// The step, and the slope along it; none where columns are dependent.
    fn step(&self) -> Option<(DVector<f64>, f64)> {
        let half = self.triangle.tr_solve_upper_triangular(&self.gradient.component_mul(&self.scale))?;
        let step = self.triangle.solve_upper_triangular(&-half)?.component_mul(&self.scale);
        let slope = self.gradient.dot(&step);
        Some((step, slope))
    }

    fn covariance(&self) -> Option<DMatrix<f64>> {
        let n = self.scale.len();
        let inverse = self.triangle.solve_upper_triangular(&DMatrix::identity(n, n))?;
        let covariance = &inverse * inverse.transpose();
        Some(DMatrix::from_fn(n, n, |a, b| covariance[(a, b)] * self.scale[a] * self.scale[b]))
    }
}

/// The share of a step from L Lᵀ, at most 1, that goes at most this part of the way to the border of positive definite matrices.
fn share_within(l: &DMatrix<f64>, step: &DMatrix<f64>, part: f64) -> f64 {
    let half = l.solve_lower_triangular_unchecked(step);
    let whole = l.solve_lower_triangular_unchecked(&half.transpose());
    let least = whole.symmetric_eigenvalues().min();
    if least < -part { -part / least } else { 1.0 }
}

/// The way to the least place of (1) by its other side too: at it, S_b = w_b J_b⁻¹ is what the border pushes back with. S is a
/// second unknown, and S J = t w 1 is made true step by step while t falls to 1; scaled by G with Gᵀ S G = G⁻¹ J G⁻ᵀ (Nesterov and
/// Todd 1998, SIAM J. Optim. 8(2)). Newton's own steps only double what is too near to a border, these go there and back at once.
fn both_sides(problem: &ConsistentProblem<'_>) -> Option<DVector<f64>> {
    const MOST: usize = 100;
    const FALL: f64 = 0.1;
    let (rows, barriers) = (problem.rows, &problem.barriers);
    let sizes: f64 = barriers.iter().map(|barrier| barrier.weight * barrier.block.size as f64).sum();
    let mut at = problem.ample();
    let misfit = 0.5 * (&rows.z - &rows.r * &at).norm_squared();
    let mut t = (misfit / sizes).max(1.0);
    let dual = |(factor, barrier): (&Cholesky<f64, Dyn>, &Barrier<'_>)| factor.inverse() * (t * barrier.weight);
    let mut duals: Vec<DMatrix<f64>> = problem.factors(&at)?.iter().zip(barriers).map(dual).collect();
    let mut fall = FALL;
    for _ in 0..MOST {
        let factors = problem.factors(&at)?;
        let mut scalings = Vec::new();
        let mut lower = Vec::new();
        for (factor, dual) in factors.iter().zip(&duals) {
            let (l, m) = (factor.l(), Cholesky::new(dual.clone())?.l());
            let svd = m.tr_mul(&l).svd(false, true);
            let v = svd.v_t?.transpose();
            let root = svd.singular_values.map(f64::sqrt);
            let half = DMatrix::from_fn(l.nrows(), l.nrows(), |i, j| v[(i, j)] / root[j]);
            let back = DMatrix::from_fn(l.nrows(), l.nrows(), |i, j| root[i] * v[(j, i)]);
            scalings.push(Scaling { g: &l * &half, inverse: back * inverse_of(&l), half });
            lower.push([l, m]);
        }
        let apart: f64 = barriers.iter().zip(&duals).map(|(barrier, s)| barrier.block.matrix(&at).dot(s)).sum();
        t = (fall * apart / sizes).max(1.0);
        let (a, left) = problem.linear(&at, &scalings, t);
        let (step, slope) = NewtonStep::new(a, &left, &[Factorization::Fast, Factorization::Orthogonal])?.step()?;
        let mut length: f64 = 1.0;
        let mut changes = Vec::new();
        for (k, scaling) in scalings.iter().enumerate() {
            let change = barriers[k].block.matrix(&step);
            let inner = &scaling.inverse * &change * scaling.inverse.transpose();
            let towards = scaling.half.tr_mul(&scaling.half) * (t * barriers[k].weight);
            let dual = scaling.inverse.tr_mul(&(towards - inner)) * &scaling.inverse - &duals[k];
            let shares = [(0, &change), (1, &dual)].map(|(side, step)| share_within(&lower[k][side], step, 0.95));
            length = shares.into_iter().fold(length, f64::min);
            changes.push(dual);
        }
        at += &step * length;
        // After a short step first back to the middle between the borders.
        fall = (1.0 - length).powi(2).clamp(FALL, 0.9);
        duals.iter_mut().zip(changes).for_each(|(s, change)| *s += change * length);
        duals.iter_mut().for_each(|s| *s = (&*s + s.transpose()) * 0.5);
        if t <= 1.0 && length >= 1.0 && -slope < ENOUGH * (1.0 + misfit) {
            return Some(at);
        }
    }
    None
}

/// The parameters where (1) is least. Rows have been divided by their standard deviation; `weight` is w.
///
/// Where the torques want a body on the border of what can be (a point mass), Newton's steps from J_0 run into the border and
/// become short; then the way goes by both sides.
pub fn solve(rows: &Compressed, prior: &Prior, weight: f64) -> Result<Consistent, IdentifyError> {
    const DIRECT: usize = 12;
    const LAST: usize = 60;
    crate::positive("the weight of the prior", weight)?;
    crate::same_length("parameters of the prior", prior.parameters.len(), rows.r.ncols())?;
    let problem = ConsistentProblem::new(rows, prior, weight)?;
    if let Some(found) = problem.newton(&prior.parameters, DIRECT, Factorization::Fast)? {
        return Ok(found);
    }
    let near = both_sides(&problem);
    let start = near.as_ref().unwrap_or(&prior.parameters);
    let found = problem.newton(start, LAST, Factorization::Orthogonal)?;
    found.ok_or(IdentifyError::NoConvergence { what: "the consistent fit", iterations: LAST })
}
