//! The saddle-point system of a mechanism, factored: M x = r + Hᵀλ, H x = g.

use super::dense::{backward, cholesky, dot, forward};
use super::{Mechanism, MechanismError};

/// M is block diagonal, a block for each part, and a row of H meets few parts: what is zero is never touched.
pub(super) struct MassFactors {
    /// M = LLᵀ by blocks.
    mass: Vec<f64>,
    /// Y = L⁻¹Hᵀ, one row per constraint equation.
    spread: Vec<f64>,
    /// H M⁻¹Hᵀ = YᵀY, factored likewise.
    schur: Vec<f64>,
    rows: usize,
    columns: usize,
}

impl MassFactors {
    pub fn new(mechanism: &Mechanism) -> Self {
        let (rows, columns) = (mechanism.constraint_rows(), mechanism.velocities());
        let blocks = mechanism.slots.last().map_or(0, |slot| slot.mass.end);
        Self {
            mass: vec![0.0; blocks],
            spread: vec![0.0; rows * columns],
            schur: vec![0.0; rows * rows],
            rows,
            columns,
        }
    }

    pub fn factor_mass(&mut self, mechanism: &Mechanism, mass: &[f64]) -> Result<(), MechanismError> {
        self.mass.copy_from_slice(mass);
        for slot in &mechanism.slots {
            cholesky(&mut self.mass[slot.mass.clone()], slot.v.len())
                .map_err(|_| MechanismError::SingularMass { part: slot.name.clone() })?;
        }
        Ok(())
    }

    /// `open` rows are zero and do not count: their multipliers are zero too.
    pub fn factor(
        &mut self,
        mechanism: &Mechanism,
        mass: &[f64],
        jacobian: &[f64],
        open: &[bool],
    ) -> Result<(), MechanismError> {
        self.factor_mass(mechanism, mass)?;
        let m = self.rows;
        self.schur.fill(0.0);
        for slot in &mechanism.slots {
            let block = &self.mass[slot.mass.clone()];
            let (at, n) = (slot.v.start, slot.v.len());
            for (count, &row) in slot.rows.iter().enumerate() {
                let place = row * self.columns + at;
                self.spread[place..place + n].copy_from_slice(&jacobian[place..place + n]);
                forward(block, n, &mut self.spread[place..place + n]);
                let spread = &self.spread[place..place + n];
                for &other in &slot.rows[..=count] {
                    // The rows of a part are in ascending order: this is the lower triangle.
                    let place = other * self.columns + at;
                    self.schur[row * m + other] += dot(&self.spread[place..place + n], spread);
                }
            }
        }
        for row in (0..m).filter(|&row| open[row]) {
            self.schur[row * m + row] = 1.0;
        }
        cholesky(&mut self.schur, m).map_err(|row| {
            let (constraint, row) = mechanism.row_name(row);
            MechanismError::SingularPose { constraint, row }
        })
    }

    /// x = M⁻¹x.
    pub fn solve_mass(&self, mechanism: &Mechanism, x: &mut [f64]) {
        for slot in &mechanism.slots {
            let (block, n) = (&self.mass[slot.mass.clone()], slot.v.len());
            forward(block, n, &mut x[slot.v.clone()]);
            backward(block, n, &mut x[slot.v.clone()]);
        }
    }

    /// λ of H M⁻¹Hᵀ λ = `lambda`, in place.
    pub fn solve_multipliers(&self, lambda: &mut [f64]) {
        forward(&self.schur, self.rows, lambda);
        backward(&self.schur, self.rows, lambda);
    }

    /// From r in `x` and g in `lambda` to the solution in both: with z = L⁻¹r it is YᵀYλ = g − Yᵀz, Lᵀx = z + Yλ.
    pub fn solve(&self, mechanism: &Mechanism, x: &mut [f64], lambda: &mut [f64]) {
        for slot in &mechanism.slots {
            let (at, n) = (slot.v.start, slot.v.len());
            let x = &mut x[at..at + n];
            forward(&self.mass[slot.mass.clone()], n, x);
            for &row in &slot.rows {
                let place = row * self.columns + at;
                lambda[row] -= dot(&self.spread[place..place + n], x);
            }
        }
        self.solve_multipliers(lambda);
        for slot in &mechanism.slots {
            let (at, n) = (slot.v.start, slot.v.len());
            let x = &mut x[at..at + n];
            for &row in &slot.rows {
                let place = row * self.columns + at;
                for (x, y) in x.iter_mut().zip(&self.spread[place..place + n]) {
                    *x += y * lambda[row];
                }
            }
            backward(&self.mass[slot.mass.clone()], n, x);
        }
    }
}
