//! Solving the equations of a mechanism step by step: accelerations, constraint forces, projection, momenta, energies.

use super::dense::{backward, cholesky, dot, forward};
use super::equations::Equations;
use super::parts::EnergyOver;
use super::{Mechanism, MechanismError, finite};
use crate::Vec3;

/// Newton's method for the constraints gives up after this many steps: from a close start it needs three.
const MAX_ITERATIONS: usize = 50;
/// A start is closed when no constraint is off by more than this, m or rad.
const CLOSED: f64 = 1e-11;

/// The roots of s² + α₁s + α₀ of Bortoff (23): how fast a violated constraint recovers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poles {
    /// α₁.
    pub velocity: f64,
    /// α₀.
    pub position: f64,
}

impl Poles {
    /// No stabilisation: ḧ = 0.
    pub const NONE: Self = Self { velocity: 0.0, position: 0.0 };

    /// Two real roots, 1/s, both negative.
    pub fn real(first: f64, second: f64) -> Result<Self, MechanismError> {
        for root in [first, second] {
            if !(root < 0.0 && root.is_finite()) {
                return Err(MechanismError::BadValue { what: "Baumgarte pole", value: root, must: "negative" });
            }
        }
        Ok(Self { velocity: -(first + second), position: first * second })
    }
}

/// What a constraint does.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintForce {
    /// Its name.
    pub constraint: String,
    /// Its multipliers; for points along the base frame's axes, on the first place of the constraint.
    pub values: Vec<f64>,
    /// Their unit.
    pub unit: &'static str,
}

/// The equations of a mechanism with room to solve them: allocated once, then used at every step.
pub struct MechanismDynamics<'m> {
    /// The mechanism.
    pub mechanism: &'m Mechanism,
    pub(crate) equations: Equations<f64>,
    factors: MassFactors,
    /// v̇ of the last solution.
    pub acceleration: Vec<f64>,
    /// λ of the last solution.
    pub lambda: Vec<f64>,
    step: Vec<f64>,
    rate: Vec<f64>,
    /// Forces from outside the mechanism (contacts), along the velocities.
    pub(super) external: Vec<f64>,
    /// The constraint equations that do not count.
    pub(super) open_rows: Vec<bool>,
}

impl<'m> MechanismDynamics<'m> {
    /// Room for a mechanism.
    pub fn new(mechanism: &'m Mechanism) -> Self {
        let (nq, nv, m) = (mechanism.coordinates(), mechanism.velocities(), mechanism.constraint_rows());
        let equations = Equations::new(mechanism);
        Self {
            mechanism,
            factors: MassFactors::new(mechanism),
            acceleration: vec![0.0; nv],
            lambda: vec![0.0; m],
            step: vec![0.0; nv],
            rate: vec![0.0; nq],
            external: vec![0.0; nv],
            open_rows: mechanism.ties.iter().flat_map(|tie| tie.rows.clone().map(|_| tie.open)).collect(),
            equations,
        }
    }

    /// q̇ at the last state.
    pub fn coordinate_rate(&self) -> &[f64] {
        &self.equations.coordinate_rate
    }

    /// The constraint forces of the last solution, by name.
    pub fn forces(&self) -> Vec<ConstraintForce> {
        let force = |tie: &super::ConstraintEntry| ConstraintForce {
            constraint: tie.name.clone(),
            values: self.lambda[tie.rows.clone()].to_vec(),
            unit: tie.constraint.unit(),
        };
        self.mechanism.ties.iter().map(force).collect()
    }

    /// Accelerations and multipliers at a state: M v̇ + b = Q + Hᵀλ and ḧ + α₁ḣ + α₀h = 0, (15) and (23).
    ///
    /// λ from H M⁻¹ Hᵀ λ = …, since M is block diagonal and each block small.
    pub fn solve(
        &mut self,
        time: f64,
        q: &[f64],
        v: &[f64],
        input: &[f64],
        poles: Poles,
        momentum: bool,
    ) -> Result<(), MechanismError> {
        self.equations.evaluate(self.mechanism, time, q, v, input, momentum);
        self.switch_rows();
        self.factor()?;
        let (nv, m) = (self.acceleration.len(), self.lambda.len());
        for i in 0..nv {
            self.acceleration[i] = self.equations.applied[i] + self.external[i] - self.equations.bias[i];
        }
        let e = &self.equations;
        for row in 0..m {
            self.lambda[row] =
                -e.residual_bias[row] - poles.velocity * e.residual_rate[row] - poles.position * e.residual[row];
        }
        self.factors.solve(self.mechanism, &mut self.acceleration, &mut self.lambda);
        finite("acceleration", &self.acceleration)
    }

    /// The factors of the equations that were evaluated last.
    pub(super) fn factor(&mut self) -> Result<(), MechanismError> {
        self.factors.factor(self.mechanism, &self.equations.mass, &self.equations.jacobian, &self.open_rows)
    }

    /// λ of H M⁻¹Hᵀ λ = `lambda`, in place, with the last factors.
    pub(crate) fn solve_multipliers(&self, lambda: &mut [f64]) {
        self.factors.solve_multipliers(lambda);
    }

    /// (2) of the equations with Q, but without constraint forces.
    pub(crate) fn free_momentum_rate(&mut self, time: f64, q: &[f64], v: &[f64], input: &[f64], rate: &mut [f64]) {
        self.equations.evaluate(self.mechanism, time, q, v, input, true);
        self.unconstrained_rate(rate);
    }

    /// (2) with Q at the last evaluation.
    fn unconstrained_rate(&self, rate: &mut [f64]) {
        for (i, rate) in rate.iter_mut().enumerate() {
            *rate = self.equations.momentum_rate[i] + self.equations.applied[i] + self.external[i];
        }
    }

    /// p = M v.
    pub fn momentum(&mut self, q: &[f64], v: &[f64], p: &mut [f64]) {
        self.equations.evaluate_mass(self.mechanism, q);
        self.mass_times(v, p);
    }

    pub(crate) fn mass_times(&self, v: &[f64], p: &mut [f64]) {
        for slot in &self.mechanism.slots {
            let n = slot.v.len();
            for i in 0..n {
                let row = &self.equations.mass[slot.mass.start + i * n..slot.mass.start + (i + 1) * n];
                p[slot.v.start + i] = dot(row, &v[slot.v.clone()]);
            }
        }
    }

    /// v = M⁻¹p, into `p` itself.
    pub fn velocity_from_momentum(&mut self, q: &[f64], p: &mut [f64]) -> Result<(), MechanismError> {
        self.equations.evaluate_mass(self.mechanism, q);
        self.factors.factor_mass(self.mechanism, &self.equations.mass)?;
        self.factors.solve_mass(self.mechanism, p);
        Ok(())
    }

    /// Moves a state onto the constraints by the shortest way as the masses measure it: Newton's method for q, one
    /// linear solution for v. Returns the largest residual of q and v that was there.
    pub fn project(&mut self, time: f64, q: &mut [f64], v: &mut [f64]) -> Result<(f64, f64), MechanismError> {
        for slot in &self.mechanism.slots {
            slot.part.normalize(&mut q[slot.q.clone()]);
        }
        if self.lambda.is_empty() {
            return Ok((0.0, 0.0));
        }
        let mut found = None;
        let mut before = f64::INFINITY;
        let mut moved = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            self.evaluate_constraints(time, q, v);
            let off = largest(&self.equations.residual);
            if found.is_none() {
                found = Some((off, largest(&self.equations.residual_rate)));
            }
            if !off.is_finite() {
                break;
            }
            // Rounding is reached when a step no longer helps.
            if off == 0.0 || (off <= CLOSED && off >= 0.5 * before) || off < 1e-15 {
                break;
            }
            before = off;
            self.equations.evaluate_mass(self.mechanism, q);
            self.factor()?;
            negate(&self.equations.residual, &mut self.lambda);
            self.solve_step();
            moved = largest(&self.step);
            self.displace(q);
        }
        let off = largest(&self.equations.residual);
        if off.is_nan() || off > CLOSED {
            let size = |row: usize| self.equations.residual[row].abs();
            let worst = (0..self.lambda.len()).max_by(|&i, &j| size(i).total_cmp(&size(j)));
            let (constraint, _) = self.mechanism.row_name(worst.unwrap_or(0));
            return Err(MechanismError::CannotClose { constraint, residual: off, iterations: MAX_ITERATIONS });
        }
        // The factors of the last step serve where it was short: they are off by as much, of what they correct.
        if moved * largest(&self.equations.residual_rate).max(f64::EPSILON) > f64::EPSILON {
            self.equations.evaluate_mass(self.mechanism, q);
            self.factor()?;
        }
        negate(&self.equations.residual_rate, &mut self.lambda);
        self.solve_step();
        for (v, step) in v.iter_mut().zip(&self.step) {
            *v += step;
        }
        Ok(found.unwrap_or((0.0, 0.0)))
    }

    /// x of M x − Hᵀμ = upper, H x = lower, with the factors of the last solution.
    pub(super) fn solve_saddle(&mut self, upper: &mut [f64], lower: &[f64]) {
        self.lambda.copy_from_slice(lower);
        self.factors.solve(self.mechanism, upper, &mut self.lambda);
    }

    /// The change of the velocities by an impulse along them, the constraints held, in place.
    pub(crate) fn respond(&mut self, impulse: &mut [f64]) {
        self.lambda.fill(0.0); // H Δv = 0: a prescribed motion goes on as it was.
        self.factors.solve(self.mechanism, impulse, &mut self.lambda);
    }

    /// The change of the velocities that the constraints require, ḣ → 0; the impulses are the multipliers then.
    pub(crate) fn catch(&mut self, change: &mut [f64]) {
        change.fill(0.0);
        negate(&self.equations.residual_rate, &mut self.lambda);
        self.factors.solve(self.mechanism, change, &mut self.lambda);
    }

    /// `step` = M⁻¹Hᵀ(HM⁻¹Hᵀ)⁻¹ λ.
    fn solve_step(&mut self) {
        self.step.fill(0.0);
        self.factors.solve(self.mechanism, &mut self.step, &mut self.lambda);
    }

    /// q ← q + N·`step`.
    fn displace(&mut self, q: &mut [f64]) {
        for slot in &self.mechanism.slots {
            let rate = &mut self.rate[slot.q.clone()];
            slot.rate(&q[slot.q.clone()], &self.step[slot.v.clone()], rate);
            for (q, rate) in q[slot.q.clone()].iter_mut().zip(rate.iter()) {
                *q += rate;
            }
            slot.part.normalize(&mut q[slot.q.clone()]);
        }
    }

    /// Largest |h| and |ḣ| at a state.
    pub fn residual(&mut self, time: f64, q: &[f64], v: &[f64]) -> (f64, f64) {
        self.evaluate_constraints(time, q, v);
        (largest(&self.equations.residual), largest(&self.equations.residual_rate))
    }

    /// Kinetic and potential energy (gravity and given forces), J.
    pub fn energies(&mut self, q: &[f64], v: &[f64]) -> (f64, f64) {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for slot in &self.mechanism.slots {
            let rate = &mut self.rate[slot.q.clone()];
            slot.rate(&q[slot.q.clone()], &v[slot.v.clone()], rate);
            let energy: &dyn EnergyOver<f64> = slot.part.as_ref();
            kinetic += energy.kinetic_energy(&q[slot.q.clone()], rate);
            potential += energy.potential_energy(&q[slot.q.clone()], Vec3(self.mechanism.gravity));
        }
        for (place, force) in &self.mechanism.forces {
            potential -= self.mechanism.point_over(q, place).dot(Vec3(*force));
        }
        (kinetic, potential)
    }

    /// −τ·q of motors with constant torque, J.
    pub(crate) fn load(&self, q: &[f64], torque: &[f64]) -> f64 {
        let angle = |velocity: usize| {
            let slot = self.mechanism.slots.iter().find(|slot| slot.v.contains(&velocity));
            slot.map_or(0.0, |slot| q[slot.q.start + velocity - slot.v.start])
        };
        -self.mechanism.motors.iter().zip(torque).map(|(motor, u)| u * angle(motor.velocity)).sum::<f64>()
    }

    /// ṗ = (2) + Q + Hᵀλ of the last solution: Bortoff (18).
    pub(crate) fn momentum_rate(&self, rate: &mut [f64]) {
        self.unconstrained_rate(rate);
        for (row, lambda) in self.equations.jacobian.chunks(rate.len().max(1)).zip(&self.lambda) {
            rate.iter_mut().zip(row).for_each(|(rate, entry)| *rate += entry * lambda);
        }
    }

    /// Restores the inner conditions of the coordinates; `true` if there are any.
    pub(crate) fn normalize(&self, q: &mut [f64]) -> bool {
        let mut any = false;
        for slot in self.mechanism.slots.iter().filter(|slot| slot.q.len() != slot.v.len()) {
            slot.part.normalize(&mut q[slot.q.clone()]);
            any = true;
        }
        any
    }
}

fn largest(values: &[f64]) -> f64 {
    // NaN wins, so that it is seen.
    values.iter().fold(0.0, |m: f64, x| if x.is_nan() || m.is_nan() { f64::NAN } else { m.max(x.abs()) })
}

fn negate(values: &[f64], result: &mut [f64]) {
    result.iter_mut().zip(values).for_each(|(result, value)| *result = -value);
}

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

impl MechanismDynamics<'_> {
    /// Forces from outside the mechanism, along its velocities: they count in every solution from now on.
    pub fn set_external(&mut self, force: &[f64]) {
        self.external.copy_from_slice(force);
    }

    /// The equations of the constraints at a state, those that are open left out.
    pub(crate) fn evaluate_constraints(&mut self, time: f64, q: &[f64], v: &[f64]) {
        self.equations.evaluate_constraints(self.mechanism, time, q, v);
        self.switch_rows();
    }

    /// Leaves out open rows.
    pub(super) fn switch_rows(&mut self) {
        let nv = self.acceleration.len();
        let e = &mut self.equations;
        for row in (0..self.open_rows.len()).filter(|&row| self.open_rows[row]) {
            e.residual[row] = 0.0;
            e.residual_rate[row] = 0.0;
            e.residual_bias[row] = 0.0;
            e.jacobian[row * nv..(row + 1) * nv].fill(0.0);
        }
    }

    /// Closes the constraint number `tie` where it is now, and returns how far it was off, m or rad.
    pub(crate) fn close(&mut self, tie: usize, time: f64, q: &[f64], v: &[f64]) -> f64 {
        let mechanism = self.mechanism;
        self.set_open(tie, false);
        self.equations.fitted[tie] = None;
        self.equations.evaluate_constraints(mechanism, time, q, v);
        let off =
            self.equations.residual[mechanism.ties[tie].rows.clone()].iter().fold(0.0, |m: f64, h| m.max(h.abs()));
        self.equations.fitted[tie] = mechanism.ties[tie].constraint.fitted(mechanism, q);
        off
    }

    /// Opens the constraint number `tie`, or closes it as it is.
    pub(crate) fn set_open(&mut self, tie: usize, open: bool) {
        let rows = self.mechanism.ties[tie].rows.clone();
        self.open_rows[rows].fill(open);
    }

    /// Whether a constraint is open, or fitted to where it was closed.
    pub(crate) fn is_switched(&self) -> bool {
        self.open_rows.contains(&true) || self.equations.fitted.iter().any(Option::is_some)
    }

    pub(crate) fn is_open(&self, tie: usize) -> bool {
        self.open_rows[self.mechanism.ties[tie].rows.clone()].contains(&true)
    }

    /// Factors of the masses and constraints at a state, for [`MechanismDynamics::respond`].
    pub(crate) fn prepare(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<(), MechanismError> {
        self.equations.evaluate_mass(self.mechanism, q);
        self.evaluate_constraints(time, q, v);
        self.factor()
    }

    /// Power that prescribed motions give and power that friction and damping of the motors take, W, at the last
    /// solution.
    pub(crate) fn powers(&self, v: &[f64]) -> (f64, f64) {
        let nv = v.len();
        let given = self.lambda.iter().enumerate().map(|(row, lambda)| {
            let rate: f64 = self.equations.jacobian[row * nv..(row + 1) * nv].iter().zip(v).map(|(h, v)| h * v).sum();
            lambda * rate
        });
        let motors = self.mechanism.motors.iter().map(|motor| {
            let speed = v[motor.velocity];
            motor.friction.map_or(0.0, |friction| friction.torque(speed)) * speed
        });
        let damped = self.mechanism.damping.iter().map(|&(velocity, c)| c * v[velocity] * v[velocity]);
        (given.sum(), motors.sum::<f64>() + damped.sum::<f64>())
    }
}

/// The directions in which a part's velocities move its coordinates: w_k = N e_k into `direction`.
pub(crate) fn direction(slot: &super::PartEntry, q: &[f64], k: usize, unit: &mut [f64], direction: &mut [f64]) {
    let unit = &mut unit[..slot.v.len()];
    unit.fill(0.0);
    unit[k] = 1.0;
    slot.rate(q, unit, direction);
}
