//! Solving the equations of a mechanism: accelerations and constraint forces, starts, projection, torques.

use super::dense::{RowSpace, cholesky, cholesky_solve, dot, norm};
use super::equations::Equations;
use super::part::{D1, Number};
use super::{Mechanism, MechanismError, Place, finite, length};
use crate::{Dual, Scalar, Vec3};

/// A row of which less than this is left beside the others is dependent on them.
const DEPENDENT: f64 = 1e-9;
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

/// A start that meets the constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Largest residual of the given start, m or rad.
    pub repaired_position: f64,
    /// Largest residual of its velocity.
    pub repaired_velocity: f64,
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

/// The torques for a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct RequiredTorque {
    /// One per motor; where there are more motors than freedoms, the shortest of all that do it.
    pub torque: Vec<f64>,
    /// Directions in the motors' space that only strain the mechanism (orthonormal; empty without redundancy).
    pub null_space: Vec<Vec<f64>>,
    /// The constraints' forces with these torques.
    pub forces: Vec<ConstraintForce>,
}

/// A linear model about a state: δẋ = A δx + B δu with x = (q, v).
#[derive(Clone, Debug, PartialEq)]
pub struct Linearization {
    /// Row by row.
    pub a: Vec<Vec<f64>>,
    /// Row by row.
    pub b: Vec<Vec<f64>>,
}

/// The equations of a mechanism with room to solve them: allocated once, then used at every step.
pub struct Dynamics<'m> {
    mechanism: &'m Mechanism,
    pub(crate) equations: Equations<f64>,
    factors: Vec<f64>,
    /// M⁻¹Hᵀ, one row per constraint equation.
    spread: Vec<f64>,
    schur: Vec<f64>,
    pub(crate) acceleration: Vec<f64>,
    pub(crate) lambda: Vec<f64>,
    step: Vec<f64>,
    rate: Vec<f64>,
    /// Forces from outside the mechanism (contacts), along the velocities.
    pub(super) external: Vec<f64>,
    /// The constraint equations that do not count.
    pub(super) open_rows: Vec<bool>,
    /// Zeros, one per constraint equation.
    pub(super) still_rows: Vec<f64>,
}

impl<'m> Dynamics<'m> {
    /// Room for a mechanism.
    pub fn new(mechanism: &'m Mechanism) -> Self {
        let (nq, nv, m) = (mechanism.coordinates(), mechanism.velocities(), mechanism.constraint_rows());
        let equations = Equations::new(mechanism);
        Self {
            mechanism,
            factors: vec![0.0; equations.mass.len()],
            spread: vec![0.0; m * nv],
            schur: vec![0.0; m * m],
            acceleration: vec![0.0; nv],
            lambda: vec![0.0; m],
            step: vec![0.0; nv],
            rate: vec![0.0; nq],
            external: vec![0.0; nv],
            still_rows: vec![0.0; m],
            open_rows: mechanism.ties.iter().flat_map(|tie| tie.rows.clone().map(|_| tie.open)).collect(),
            equations,
        }
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &'m Mechanism {
        self.mechanism
    }

    /// v̇ of the last solution.
    pub fn acceleration(&self) -> &[f64] {
        &self.acceleration
    }

    /// λ of the last solution.
    pub fn multipliers(&self) -> &[f64] {
        &self.lambda
    }

    /// q̇ at the last state.
    pub fn coordinate_rate(&self) -> &[f64] {
        &self.equations.coordinate_rate
    }

    /// The constraint forces of the last solution, by name.
    pub fn forces(&self) -> Vec<ConstraintForce> {
        let force = |tie: &super::Tie| ConstraintForce {
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
        solve_mass(self.mechanism, &self.factors, &mut self.acceleration);
        for row in 0..m {
            let e = &self.equations;
            let wanted =
                e.residual_bias[row] + poles.velocity * e.residual_rate[row] + poles.position * e.residual[row];
            self.lambda[row] = -wanted - dot(&e.jacobian[row * nv..(row + 1) * nv], &self.acceleration);
        }
        cholesky_solve(&self.schur, m, &mut self.lambda);
        for row in 0..m {
            for i in 0..nv {
                self.acceleration[i] += self.spread[row * nv + i] * self.lambda[row];
            }
        }
        finite("acceleration", &self.acceleration)
    }

    /// M = LLᵀ by blocks, M⁻¹Hᵀ, H M⁻¹ Hᵀ = LLᵀ.
    pub(super) fn factor(&mut self) -> Result<(), MechanismError> {
        self.factor_mass()?;
        let (nv, m) = (self.acceleration.len(), self.lambda.len());
        let jacobian = &self.equations.jacobian;
        self.spread.copy_from_slice(jacobian);
        for row in 0..m {
            solve_mass(self.mechanism, &self.factors, &mut self.spread[row * nv..(row + 1) * nv]);
        }
        for i in 0..m {
            for j in 0..=i {
                let entry = dot(&jacobian[i * nv..(i + 1) * nv], &self.spread[j * nv..(j + 1) * nv]);
                self.schur[i * m + j] = entry;
                self.schur[j * m + i] = entry;
            }
            if self.open_rows[i] {
                self.schur[i * m + i] = 1.0; // its row is zero and its multiplier too
            }
        }
        cholesky(&mut self.schur, m).map_err(|row| {
            let (constraint, row) = self.mechanism.row_name(row);
            MechanismError::SingularPose { constraint, row }
        })
    }

    fn factor_mass(&mut self) -> Result<(), MechanismError> {
        self.factors.copy_from_slice(&self.equations.mass);
        for slot in &self.mechanism.slots {
            cholesky(&mut self.factors[slot.mass.clone()], slot.v.len())
                .map_err(|_| MechanismError::SingularMass { part: slot.name.clone() })?;
        }
        Ok(())
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
        self.factor_mass()?;
        solve_mass(self.mechanism, &self.factors, p);
        Ok(())
    }

    /// Moves a state onto the constraints by the shortest way as the masses measure it: Newton's method for q, one
    /// linear solution for v. Returns the largest residual of q and v that was there.
    pub fn project(&mut self, time: f64, q: &mut [f64], v: &mut [f64]) -> Result<(f64, f64), MechanismError> {
        for slot in &self.mechanism.slots {
            slot.part.normalize(&mut q[slot.q.clone()]);
        }
        let (nv, m) = (v.len(), self.lambda.len());
        if m == 0 {
            return Ok((0.0, 0.0));
        }
        let mut found = None;
        let mut before = f64::INFINITY;
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
            self.evaluate_constraints(time, q, v);
            self.factor()?;
            for row in 0..m {
                self.lambda[row] = -self.equations.residual[row];
            }
            self.spread_lambda(nv);
            self.displace(q);
        }
        let off = largest(&self.equations.residual);
        if off.is_nan() || off > CLOSED {
            let row = worst(&self.equations.residual);
            let (constraint, _) = self.mechanism.row_name(row);
            return Err(MechanismError::CannotClose { constraint, residual: off, iterations: MAX_ITERATIONS });
        }
        self.equations.evaluate_mass(self.mechanism, q);
        self.evaluate_constraints(time, q, v);
        self.factor()?;
        for row in 0..m {
            self.lambda[row] = -self.equations.residual_rate[row];
        }
        self.spread_lambda(nv);
        for (v, step) in v.iter_mut().zip(&self.step) {
            *v += step;
        }
        Ok(found.unwrap_or((0.0, 0.0)))
    }

    /// `step` = M⁻¹Hᵀ(HM⁻¹Hᵀ)⁻¹ λ.
    fn spread_lambda(&mut self, nv: usize) {
        let m = self.lambda.len();
        cholesky_solve(&self.schur, m, &mut self.lambda);
        self.step.fill(0.0);
        for row in 0..m {
            for i in 0..nv {
                self.step[i] += self.spread[row * nv + i] * self.lambda[row];
            }
        }
    }

    /// q ← q + N·`step`.
    fn displace(&mut self, q: &mut [f64]) {
        for slot in &self.mechanism.slots {
            let rate = &mut self.rate[slot.q.clone()];
            if slot.q.len() == slot.v.len() {
                rate.copy_from_slice(&self.step[slot.v.clone()]);
            } else {
                f64::part(slot.part.as_ref()).rate(&q[slot.q.clone()], &self.step[slot.v.clone()], rate);
            }
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
            let part = f64::part(slot.part.as_ref());
            let rate = &mut self.rate[slot.q.clone()];
            if slot.q.len() == slot.v.len() {
                rate.copy_from_slice(&v[slot.v.clone()]);
            } else {
                part.rate(&q[slot.q.clone()], &v[slot.v.clone()], rate);
            }
            kinetic += part.kinetic_energy(&q[slot.q.clone()], rate);
            potential += part.potential_energy(&q[slot.q.clone()], Vec3(self.mechanism.gravity));
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
        let nv = rate.len();
        for i in 0..nv {
            rate[i] = self.equations.momentum_rate[i] + self.equations.applied[i] + self.external[i];
        }
        for (row, lambda) in self.lambda.iter().enumerate() {
            for i in 0..nv {
                rate[i] += self.equations.jacobian[row * nv + i] * lambda;
            }
        }
    }

    /// The applied forces of the last evaluation without motors, friction and damping: those with a potential.
    pub(crate) fn given_forces(&self, v: &[f64], torque: &[f64]) -> Vec<f64> {
        let mut forces = self.equations.applied.clone();
        for (motor, u) in self.mechanism.motors.iter().zip(torque) {
            let lost = motor.friction.map_or(0.0, |friction| friction.torque(v[motor.velocity]));
            forces[motor.velocity] -= u - lost;
        }
        for &(velocity, coefficient) in &self.mechanism.damping {
            forces[velocity] += coefficient * v[velocity];
        }
        forces
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

    /// Velocity of a place, m/s.
    pub fn point_velocity(&mut self, q: &[f64], v: &[f64], place: &Place) -> Result<Vec3<f64>, MechanismError> {
        length("q", q, self.mechanism.coordinates())?;
        length("v", v, self.mechanism.velocities())?;
        self.mechanism.check_place(place)?;
        self.equations.evaluate_constraints(self.mechanism, 0.0, q, v);
        let lifted: Vec<D1> =
            q.iter().zip(&self.equations.coordinate_rate).map(|(&value, &d)| Dual { value, derivative: [d] }).collect();
        Ok(self.mechanism.point_over(&lifted, place).map(|x| x.derivative[0]))
    }
}

/// M x = b by blocks, in place.
fn solve_mass(mechanism: &Mechanism, factors: &[f64], b: &mut [f64]) {
    for slot in &mechanism.slots {
        cholesky_solve(&factors[slot.mass.clone()], slot.v.len(), &mut b[slot.v.clone()]);
    }
}

fn largest(values: &[f64]) -> f64 {
    // NaN wins, so that it is seen.
    values.iter().fold(0.0, |m: f64, x| if x.is_nan() || m.is_nan() { f64::NAN } else { m.max(x.abs()) })
}

fn worst(values: &[f64]) -> usize {
    (0..values.len()).max_by(|&i, &j| values[i].abs().total_cmp(&values[j].abs())).unwrap_or(0)
}

impl Mechanism {
    /// A start that meets all constraints: the nearest to the given one, as the masses measure it. Constraints that
    /// are inactive, redundant or impossible are refused by name.
    pub fn assemble(&self, time: f64, q: &[f64], v: &[f64]) -> Result<Assembled, MechanismError> {
        length("q", q, self.coordinates())?;
        length("v", v, self.velocities())?;
        let mut dynamics = Dynamics::new(self);
        let (mut q, mut v) = (q.to_vec(), v.to_vec());
        self.check_rank(&mut dynamics, time, &q)?;
        let (repaired_position, repaired_velocity) = dynamics.project(time, &mut q, &mut v)?;
        self.check_rank(&mut dynamics, time, &q)?;
        Ok(Assembled { q, v, repaired_position, repaired_velocity })
    }

    /// Refuses a start that misses a constraint by more than `tolerance`, instead of repairing it.
    pub fn check(&self, time: f64, q: &[f64], v: &[f64], tolerance: f64) -> Result<(), MechanismError> {
        length("q", q, self.coordinates())?;
        length("v", v, self.velocities())?;
        let mut dynamics = Dynamics::new(self);
        self.check_rank(&mut dynamics, time, q)?;
        let (position, velocity) = dynamics.residual(time, q, v);
        if position <= tolerance && velocity <= tolerance {
            return Ok(());
        }
        let e = &dynamics.equations;
        let row = if position > tolerance { worst(&e.residual) } else { worst(&e.residual_rate) };
        Err(MechanismError::Violated {
            constraint: self.row_name(row).0,
            position: e.residual[row],
            velocity: e.residual_rate[row],
        })
    }

    fn jacobian_rows(&self, dynamics: &mut Dynamics<'_>, time: f64, q: &[f64]) -> Vec<Vec<f64>> {
        let nv = self.velocities();
        let still = vec![0.0; nv];
        dynamics.evaluate_constraints(time, q, &still);
        dynamics.equations.jacobian.chunks(nv.max(1)).map(<[f64]>::to_vec).collect()
    }

    fn check_rank(&self, dynamics: &mut Dynamics<'_>, time: f64, q: &[f64]) -> Result<(), MechanismError> {
        let rows = self.jacobian_rows(dynamics, time, q);
        let scale = rows.iter().map(|row| norm(row)).fold(0.0, f64::max);
        let space = RowSpace::new(&rows, DEPENDENT);
        let closed = |row: usize| !dynamics.open_rows[row];
        let inactive = (0..rows.len()).find(|&row| closed(row) && norm(&rows[row]) <= 1e-12 * scale.max(1.0));
        let dependent = space.dependent.iter().copied().find(|&row| closed(row));
        let Some(dependent) = inactive.or(dependent) else { return Ok(()) };
        // Elsewhere the rows may be independent: then the pose is singular, not the set of constraints.
        let mut elsewhere = q.to_vec();
        for (i, x) in elsewhere.iter_mut().enumerate() {
            *x += 1e-2 * ((i as f64 + 1.0) * 2.399_963).sin();
        }
        for slot in &self.slots {
            slot.part.normalize(&mut elsewhere[slot.q.clone()]);
        }
        let nearby = self.jacobian_rows(dynamics, time, &elsewhere);
        let (constraint, row) = self.row_name(dependent);
        if norm(&nearby[dependent]) <= 1e-12 * scale.max(1.0) {
            return Err(MechanismError::Inactive { constraint, row });
        }
        if RowSpace::new(&nearby, DEPENDENT).dependent.len() < space.dependent.len().max(1) {
            return Err(MechanismError::SingularPose { constraint, row });
        }
        Err(MechanismError::Redundant { constraint, row, follows_from: self.explain(&rows, dependent) })
    }

    /// The names of the constraints whose rows a dependent row is made of: those without which it is independent.
    fn explain(&self, rows: &[Vec<f64>], dependent: usize) -> Vec<String> {
        let mut names = Vec::new();
        for tie in &self.ties {
            if tie.rows.contains(&dependent) {
                continue;
            }
            let kept: Vec<Vec<f64>> =
                (0..rows.len()).filter(|i| !tie.rows.contains(i)).map(|i| rows[i].clone()).collect();
            let before = RowSpace::new(rows, DEPENDENT).dependent.len();
            if RowSpace::new(&kept, DEPENDENT).dependent.len() < before {
                names.push(format!("`{}`", tie.name));
            }
        }
        if names.is_empty() {
            names.push(String::from("the other equations"));
        }
        names
    }

    /// Accelerations at a state that meets the constraints, with the constraint forces (forward dynamics).
    pub fn acceleration(
        &self,
        time: f64,
        q: &[f64],
        v: &[f64],
        torque: &[f64],
    ) -> Result<(Vec<f64>, Vec<ConstraintForce>), MechanismError> {
        length("q", q, self.coordinates())?;
        length("v", v, self.velocities())?;
        length("torque", torque, self.motors())?;
        let mut dynamics = Dynamics::new(self);
        dynamics.solve(time, q, v, torque, Poles::NONE, false)?;
        Ok((dynamics.acceleration.clone(), dynamics.forces()))
    }

    /// Torques for accelerations (inverse dynamics): [B Hᵀ][u; λ] = M v̇ + b − Q, Bortoff (32) in motion. The part of
    /// `acceleration` that the constraints forbid does not count.
    pub fn inverse_dynamics(
        &self,
        time: f64,
        q: &[f64],
        v: &[f64],
        acceleration: &[f64],
    ) -> Result<RequiredTorque, MechanismError> {
        let (nv, m, nu) = (self.velocities(), self.constraint_rows(), self.motors());
        length("q", q, self.coordinates())?;
        length("v", v, nv)?;
        length("acceleration", acceleration, nv)?;
        let mut dynamics = Dynamics::new(self);
        let idle = vec![0.0; nu];
        dynamics.solve(time, q, v, &idle, Poles::NONE, false)?;
        let rows = self.jacobian_rows(&mut dynamics, time, q);
        let space = RowSpace::new(&rows, DEPENDENT);
        let free = space.complement(nv);
        // Freedoms along z: zᵀB u = zᵀ M (v̇ − v̇ without torque).
        let mut right = vec![0.0; nv];
        let difference: Vec<f64> = acceleration.iter().zip(&dynamics.acceleration).map(|(a, b)| a - b).collect();
        dynamics.mass_times(&difference, &mut right);
        let drive: Vec<Vec<f64>> = free.iter().map(|z| self.motors.iter().map(|d| z[d.velocity]).collect()).collect();
        let wanted: Vec<f64> = free.iter().map(|z| dot(z, &right)).collect();
        let (torque, null_space) =
            shortest(&drive, &wanted, nu).ok_or(MechanismError::Underactuated { motors: nu, freedoms: free.len() })?;
        debug_assert_eq!(rows.len(), m);
        dynamics.solve(time, q, v, &torque, Poles::NONE, false)?;
        Ok(RequiredTorque { torque, null_space, forces: dynamics.forces() })
    }

    /// The linear model of (14), (15), (23) about a state, exact derivatives: the solution is differentiated
    /// implicitly, its equations with dual numbers.
    pub fn linearize(
        &self,
        time: f64,
        q: &[f64],
        v: &[f64],
        torque: &[f64],
        poles: Poles,
    ) -> Result<Linearization, MechanismError> {
        let (nq, nv, m) = (self.coordinates(), self.velocities(), self.constraint_rows());
        length("q", q, nq)?;
        length("v", v, nv)?;
        length("torque", torque, self.motors())?;
        let mut dynamics = Dynamics::new(self);
        dynamics.solve(time, q, v, torque, poles, false)?;
        let (acceleration, lambda) = (dynamics.acceleration.clone(), dynamics.lambda.clone());
        let mut equations = Equations::<D1>::new(self);
        let n = nq + nv;
        let mut a = vec![vec![0.0; n]; n];
        let lift = |values: &[f64], seed: Option<usize>| -> Vec<D1> {
            let one = |i| if Some(i) == seed { 1.0 } else { 0.0 };
            values.iter().enumerate().map(|(i, &value)| Dual { value, derivative: [one(i)] }).collect()
        };
        for column in 0..n {
            let q = lift(q, Some(column).filter(|&c| c < nq));
            let v = lift(v, column.checked_sub(nq));
            equations.evaluate(self, D1::from_f64(time), &q, &v, torque, false);
            // δ(Q − b) − δM v̇ + δHᵀλ on the upper rows, −δ(ḧ + α₁ḣ + α₀h) on the lower ones.
            let mut upper: Vec<f64> =
                (0..nv).map(|i| (equations.applied[i] - equations.bias[i]).derivative[0]).collect();
            for slot in &self.slots {
                let n = slot.v.len();
                for i in 0..n {
                    for j in 0..n {
                        let entry = equations.mass[slot.mass.start + i * n + j].derivative[0];
                        upper[slot.v.start + i] -= entry * acceleration[slot.v.start + j];
                    }
                }
            }
            let mut lower = vec![0.0; m];
            for row in 0..m {
                let stabilised = equations.residual_bias[row]
                    + equations.residual_rate[row].times(poles.velocity)
                    + equations.residual[row].times(poles.position);
                lower[row] = -stabilised.derivative[0];
                for i in 0..nv {
                    let entry = equations.jacobian[row * nv + i].derivative[0];
                    upper[i] += entry * lambda[row];
                    lower[row] -= entry * acceleration[i];
                }
            }
            dynamics.solve_saddle(&mut upper, &lower);
            for i in 0..nq {
                a[i][column] = equations.coordinate_rate[i].derivative[0];
            }
            for i in 0..nv {
                a[nq + i][column] = upper[i];
            }
        }
        let mut b = vec![vec![0.0; self.motors()]; n];
        for (column, motor) in self.motors.iter().enumerate() {
            let mut upper = vec![0.0; nv];
            upper[motor.velocity] = 1.0;
            dynamics.solve_saddle(&mut upper, &vec![0.0; m]);
            for i in 0..nv {
                b[nq + i][column] = upper[i];
            }
        }
        Ok(Linearization { a, b })
    }
}

impl Dynamics<'_> {
    /// x of M x − Hᵀμ = upper, H x = lower, with the factors of the last solution.
    pub(super) fn solve_saddle(&mut self, upper: &mut [f64], lower: &[f64]) {
        let (nv, m) = (upper.len(), lower.len());
        solve_mass(self.mechanism, &self.factors, upper);
        for row in 0..m {
            self.lambda[row] = lower[row] - dot(&self.equations.jacobian[row * nv..(row + 1) * nv], upper);
        }
        cholesky_solve(&self.schur, m, &mut self.lambda);
        for row in 0..m {
            for i in 0..nv {
                upper[i] += self.spread[row * nv + i] * self.lambda[row];
            }
        }
    }
}

/// A shortest vector and the directions that it may be changed by.
type Shortest = (Vec<f64>, Vec<Vec<f64>>);

/// The shortest u with A u = b, and the directions that change nothing; none where A's rows are dependent.
fn shortest(a: &[Vec<f64>], b: &[f64], columns: usize) -> Option<Shortest> {
    let space = RowSpace::new(a, DEPENDENT);
    if !space.dependent.is_empty() {
        return None;
    }
    let n = b.len();
    // u = Σ y_j basis_j with (A basisᵀ) y = b.
    let mut matrix: Vec<f64> = a.iter().flat_map(|row| space.basis.iter().map(|e| dot(row, e))).collect();
    let mut y = b.to_vec();
    let mut exchanges = vec![0; n];
    if super::dense::lu(&mut matrix, n, &mut exchanges) == 0.0 {
        return None;
    }
    super::dense::lu_solve(&matrix, n, &exchanges, &mut y);
    let u = (0..columns).map(|i| space.basis.iter().zip(&y).map(|(e, y)| e[i] * y).sum()).collect();
    Some((u, space.complement(columns)))
}
