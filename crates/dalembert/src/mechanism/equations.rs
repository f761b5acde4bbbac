//! The equations of motion of a mechanism at one state, for values and for derivatives of values.
//!
//! With coordinates q, velocities v and q̇ = N(q)v (N = 1 but for quaternions) each part has
//!
//! ```text
//! L = T(q, q̇) − V(q),   p_k = ∂T/∂q̇·w_k,   w_k = N e_k                                                  (1)
//! ṗ_k = ∂L/∂q·w_k + ∂L/∂q̇·ẇ_k + Q_k        Hamilton's principle for δq = w_k                            (2)
//! M v̇ + b = Q + Hᵀλ,   M_jk = w_kᵀ(∂²T/∂q̇²) w_j,   b_k = (ṗ_k at v̇ = 0) − ∂L/∂q·w_k − ∂L/∂q̇·ẇ_k      (3)
//! ```
//!
//! (2) is Bortoff (18), (3) his (15) with b = C + G. Every derivative is one evaluation of T, V or h with a dual
//! number that is seeded along a direction; no symbol of Christoffel or Boltzmann–Hamel is ever written. For the
//! constraints one evaluation with time in two nested levels gives h, ḣ and ḧ at v̇ = 0 at once.

use super::Mechanism;
use super::constraint::{AnyConstraint, Configuration};
use super::part::Number;
use crate::{Dual, Vec3};

/// The numbers of (14)–(16), Bortoff, at one state.
pub struct Equations<S> {
    /// q̇ = N v.
    pub coordinate_rate: Vec<S>,
    /// The parts' mass matrices, one after the other, each row by row.
    pub mass: Vec<S>,
    /// Velocity terms and gravity, as they stand beside M v̇.
    pub bias: Vec<S>,
    /// Motors, friction, damping and given forces.
    pub applied: Vec<S>,
    /// (2) without Q; only after `evaluate` with `momentum`.
    pub momentum_rate: Vec<S>,
    /// h.
    pub residual: Vec<S>,
    /// ḣ.
    pub residual_rate: Vec<S>,
    /// ḧ at v̇ = 0.
    pub residual_bias: Vec<S>,
    /// H = ∂h/∂(displacements along v), row by row.
    pub jacobian: Vec<S>,
    /// Constraints that were fitted to where they were closed, by their number.
    pub(super) fitted: Vec<Option<Box<dyn AnyConstraint>>>,
    // Work space.
    second_rate: Vec<S>,
    directions: Vec<S>,
    direction_rates: Vec<S>,
    unit: Vec<S>,
    once_q: Vec<Dual<S, 1>>,
    once_rate: Vec<Dual<S, 1>>,
    once_v: Vec<Dual<S, 1>>,
    once_h: Vec<Dual<S, 1>>,
    twice_q: Vec<Dual<Dual<S, 1>, 1>>,
    twice_rate: Vec<Dual<Dual<S, 1>, 1>>,
    twice_h: Vec<Dual<Dual<S, 1>, 1>>,
}

fn moving<S: Copy>(value: S, rate: S) -> Dual<S, 1> {
    Dual { value, derivative: [rate] }
}

impl<S> Equations<S>
where
    S: Number,
    Dual<S, 1>: Number,
    Dual<Dual<S, 1>, 1>: Number,
{
    /// Room for the equations of a mechanism.
    pub fn new(mechanism: &Mechanism) -> Self {
        let (nq, nv, m) = (mechanism.coordinates(), mechanism.velocities(), mechanism.constraint_rows());
        let blocks = mechanism.slots.iter().map(|slot| slot.v.len() * slot.v.len()).sum();
        let directions = mechanism.slots.iter().map(|slot| slot.v.len() * slot.q.len()).max().unwrap_or(0);
        let zeros = |n| vec![S::zero(); n];
        let once = |n| vec![Dual::<S, 1>::from_f64(0.0); n];
        let twice = |n| vec![Dual::<Dual<S, 1>, 1>::from_f64(0.0); n];
        use crate::Scalar;
        Self {
            coordinate_rate: zeros(nq),
            mass: zeros(blocks),
            bias: zeros(nv),
            applied: zeros(nv),
            momentum_rate: zeros(nv),
            residual: zeros(m),
            residual_rate: zeros(m),
            residual_bias: zeros(m),
            jacobian: zeros(m * nv),
            fitted: mechanism.ties.iter().map(|_| None).collect(),
            second_rate: zeros(nq),
            directions: zeros(directions * mechanism.slots.len()),
            direction_rates: zeros(directions * mechanism.slots.len()),
            unit: zeros(nv),
            once_q: once(nq),
            once_rate: once(nq),
            once_v: once(nv),
            once_h: once(m),
            twice_q: twice(nq),
            twice_rate: twice(nq),
            twice_h: twice(m),
        }
    }

    /// Everything at a state; `momentum_rate` only where asked for.
    pub fn evaluate(&mut self, mechanism: &Mechanism, time: S, q: &[S], v: &[S], input: &[f64], momentum: bool) {
        self.directions(mechanism, q, v);
        for index in 0..mechanism.slots.len() {
            self.part(mechanism, index, q, v, momentum);
        }
        self.applied(mechanism, v, input);
        self.constraints(mechanism, time, q);
    }

    /// The mass matrices alone.
    pub fn evaluate_mass(&mut self, mechanism: &Mechanism, q: &[S]) {
        self.unit.fill(S::zero());
        let still = std::mem::take(&mut self.unit);
        self.directions(mechanism, q, &still);
        for index in 0..mechanism.slots.len() {
            let slot = &mechanism.slots[index];
            let gravity = Vec3::from_f64(mechanism.gravity);
            let mass = &mut self.mass[slot.mass.clone()];
            let part = S::part(slot.part.as_ref());
            if !part.closed_form(
                &q[slot.q.clone()],
                &still[slot.v.clone()],
                gravity,
                mass,
                &mut self.bias[slot.v.clone()],
            ) {
                self.mass_from_energy(mechanism, index);
            }
        }
        self.unit = still;
    }

    /// H and h alone, at a configuration: for Newton's method.
    pub fn evaluate_constraints(&mut self, mechanism: &Mechanism, time: S, q: &[S], v: &[S]) {
        self.directions(mechanism, q, v);
        self.constraints(mechanism, time, q);
    }

    /// q̇, its rate at v̇ = 0, and w_k with its rate; sets the lifted coordinates.
    fn directions(&mut self, mechanism: &Mechanism, q: &[S], v: &[S]) {
        for (index, slot) in mechanism.slots.iter().enumerate() {
            let (nq, nv) = (slot.q.len(), slot.v.len());
            let offset = index * self.directions.len() / mechanism.slots.len();
            let (w, w_rate) = (&mut self.directions[offset..], &mut self.direction_rates[offset..]);
            if nq == nv {
                self.coordinate_rate[slot.q.clone()].copy_from_slice(&v[slot.v.clone()]);
                self.second_rate[slot.q.clone()].fill(S::zero());
                for k in 0..nv {
                    for i in 0..nq {
                        w[k * nq + i] = if i == k { S::one() } else { S::zero() };
                        w_rate[k * nq + i] = S::zero();
                    }
                }
                continue;
            }
            let part = S::part(slot.part.as_ref());
            let once = Dual::<S, 1>::part(slot.part.as_ref());
            part.rate(&q[slot.q.clone()], &v[slot.v.clone()], &mut self.coordinate_rate[slot.q.clone()]);
            for i in slot.q.clone() {
                self.once_q[i] = moving(q[i], self.coordinate_rate[i]);
            }
            let (place, rate) = (&self.once_q[slot.q.clone()], &mut self.once_rate[slot.q.clone()]);
            let velocity = &mut self.once_v[slot.v.clone()];
            for (lifted, &value) in velocity.iter_mut().zip(&v[slot.v.clone()]) {
                *lifted = Dual::constant(value);
            }
            once.rate(place, velocity, rate);
            for (i, rate) in slot.q.clone().zip(rate.iter()) {
                self.second_rate[i] = rate.derivative[0];
            }
            for k in 0..nv {
                velocity.fill(Dual::constant(S::zero()));
                velocity[k] = Dual::constant(S::one());
                once.rate(place, velocity, rate);
                for i in 0..nq {
                    w[k * nq + i] = rate[i].value;
                    w_rate[k * nq + i] = rate[i].derivative[0];
                }
            }
        }
        for i in 0..q.len() {
            self.once_q[i] = Dual::constant(q[i]);
            self.once_rate[i] = Dual::constant(self.coordinate_rate[i]);
        }
    }

    /// Mass matrix and bias of a part, (3), and (2).
    fn part(&mut self, mechanism: &Mechanism, index: usize, q: &[S], v: &[S], momentum: bool) {
        let slot = &mechanism.slots[index];
        let gravity = Vec3::from_f64(mechanism.gravity);
        let derived = S::part(slot.part.as_ref()).closed_form(
            &q[slot.q.clone()],
            &v[slot.v.clone()],
            gravity,
            &mut self.mass[slot.mass.clone()],
            &mut self.bias[slot.v.clone()],
        );
        if derived && !momentum {
            return;
        }
        let (nq, nv) = (slot.q.len(), slot.v.len());
        let offset = index * self.directions.len() / mechanism.slots.len();
        let once = Dual::<S, 1>::part(slot.part.as_ref());
        let gravity = Vec3::from_f64(mechanism.gravity);
        for k in 0..nv {
            for (i, at) in slot.q.clone().enumerate() {
                self.once_q[at].derivative = [self.directions[offset + k * nq + i]];
                self.once_rate[at] = moving(self.coordinate_rate[at], self.direction_rates[offset + k * nq + i]);
            }
            let (place, rate) = (&self.once_q[slot.q.clone()], &self.once_rate[slot.q.clone()]);
            let lagrangian = once.kinetic_energy(place, rate) - once.potential_energy(place, gravity);
            self.momentum_rate[slot.v.start + k] = lagrangian.derivative[0]; // (2)
        }
        for at in slot.q.clone() {
            self.once_q[at] = Dual::constant(q[at]);
            self.once_rate[at] = Dual::constant(self.coordinate_rate[at]);
        }
        if derived {
            return;
        }
        self.mass_from_energy(mechanism, index);
        let twice = Dual::<Dual<S, 1>, 1>::part(slot.part.as_ref());
        for at in slot.q.clone() {
            self.twice_q[at] = Dual::constant(moving(q[at], self.coordinate_rate[at]));
        }
        for k in 0..nv {
            for (i, at) in slot.q.clone().enumerate() {
                let direction = offset + k * nq + i;
                self.twice_rate[at] = Dual {
                    value: moving(self.coordinate_rate[at], self.second_rate[at]),
                    derivative: [moving(self.directions[direction], self.direction_rates[direction])],
                };
            }
            let energy = twice.kinetic_energy(&self.twice_q[slot.q.clone()], &self.twice_rate[slot.q.clone()]);
            let momentum_drift = energy.derivative[0].derivative[0];
            self.bias[slot.v.start + k] = momentum_drift - self.momentum_rate[slot.v.start + k]; // (3)
        }
    }

    /// M_jk of (3): T is quadratic, so its slope at w_j along w_k is the entry.
    fn mass_from_energy(&mut self, mechanism: &Mechanism, index: usize) {
        let slot = &mechanism.slots[index];
        let (nq, nv) = (slot.q.len(), slot.v.len());
        let offset = index * self.directions.len() / mechanism.slots.len();
        let once = Dual::<S, 1>::part(slot.part.as_ref());
        for j in 0..nv {
            for k in 0..=j {
                for (i, at) in slot.q.clone().enumerate() {
                    self.once_rate[at] =
                        moving(self.directions[offset + j * nq + i], self.directions[offset + k * nq + i]);
                }
                let energy = once.kinetic_energy(&self.once_q[slot.q.clone()], &self.once_rate[slot.q.clone()]);
                self.mass[slot.mass.start + j * nv + k] = energy.derivative[0];
                self.mass[slot.mass.start + k * nv + j] = energy.derivative[0];
            }
        }
        for at in slot.q.clone() {
            self.once_rate[at] = Dual::constant(self.coordinate_rate[at]);
        }
    }

    /// Runs `visit` with the coordinates displaced along each w_k of a part.
    fn along_each(
        &mut self,
        mechanism: &Mechanism,
        index: usize,
        mut visit: impl FnMut(&mut Self, usize, &[Dual<S, 1>]),
    ) {
        let slot = &mechanism.slots[index];
        let nq = slot.q.len();
        let offset = index * self.directions.len() / mechanism.slots.len();
        let mut place = std::mem::take(&mut self.once_q);
        for (k, column) in slot.v.clone().enumerate() {
            for (i, at) in slot.q.clone().enumerate() {
                place[at].derivative = [self.directions[offset + k * nq + i]];
            }
            visit(self, column, &place);
        }
        for at in slot.q.clone() {
            place[at].derivative = [S::zero()];
        }
        self.once_q = place;
    }

    fn applied(&mut self, mechanism: &Mechanism, v: &[S], input: &[f64]) {
        self.applied.fill(S::zero());
        for (motor, &torque) in mechanism.motors.iter().zip(input) {
            let speed = v[motor.velocity];
            let lost = motor.friction.map_or(S::zero(), |friction| friction.map(S::from_f64).torque(speed));
            self.applied[motor.velocity] = self.applied[motor.velocity] + S::from_f64(torque) - lost;
        }
        for &(velocity, coefficient) in &mechanism.damping {
            self.applied[velocity] = self.applied[velocity] - v[velocity].times(coefficient);
        }
        for (place, force) in &mechanism.forces {
            let Some(part) = place.part() else { continue };
            self.along_each(mechanism, part.0, |this, column, q| {
                let point = mechanism.point_over(q, place);
                let work = point.dot(Vec3::from_f64(*force)).derivative[0];
                this.applied[column] = this.applied[column] + work;
            });
        }
    }

    fn constraints(&mut self, mechanism: &Mechanism, time: S, q: &[S]) {
        if mechanism.ties.is_empty() {
            return;
        }
        for i in 0..q.len() {
            let rate = self.coordinate_rate[i];
            self.twice_q[i] = Dual { value: moving(q[i], rate), derivative: [moving(rate, self.second_rate[i])] };
        }
        let one = S::one();
        let clock = Dual { value: moving(time, one), derivative: [moving(one, S::zero())] };
        for (number, tie) in mechanism.ties.iter().enumerate() {
            let at = Configuration { mechanism, q: &self.twice_q, time: clock };
            let h = &mut self.twice_h[tie.rows.clone()];
            let constraint = self.fitted[number].as_ref().unwrap_or(&tie.constraint);
            Dual::<Dual<S, 1>, 1>::constraint(constraint.as_ref()).residual(&at, h);
            for (row, h) in tie.rows.clone().zip(h.iter()) {
                self.residual[row] = h.value.value;
                self.residual_rate[row] = h.value.derivative[0];
                self.residual_bias[row] = h.derivative[0].derivative[0];
            }
        }
        let nv = self.bias.len();
        self.jacobian.fill(S::zero());
        for (number, tie) in mechanism.ties.iter().enumerate() {
            for part in &tie.parts {
                self.along_each(mechanism, part.0, |this, column, q| {
                    let at = Configuration { mechanism, q, time: Dual::constant(time) };
                    let h = &mut this.once_h[tie.rows.clone()];
                    let constraint = this.fitted[number].as_ref().unwrap_or(&tie.constraint);
                    Dual::<S, 1>::constraint(constraint.as_ref()).residual(&at, h);
                    for (row, h) in tie.rows.clone().zip(h.iter()) {
                        this.jacobian[row * nv + column] = h.derivative[0];
                    }
                });
            }
        }
    }
}
