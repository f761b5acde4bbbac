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
//! (2) is Bortoff (18), (3) his (15) with b = C + G. Every derivative is an evaluation of T, V, a point or h with dual
//! numbers that are seeded along directions, [`WIDTH`] of them at once; no symbol of Christoffel or Boltzmann–Hamel is
//! ever written. For the constraints one evaluation with time in two nested levels gives h, ḣ and ḧ at v̇ = 0 at once.
//! A point depends on its own part alone, so each is evaluated once, however many constraints and forces meet there.

use super::Mechanism;
use super::constraint::{AnyConstraint, MechanismConfiguration, MechanismScalar};
use super::parts::{AnyPart, ClosedOver, EnergyOver, WIDTH};
use crate::{Dual, Scalar, Vec3};

type Once<S> = Dual<S, 1>;
type Twice<S> = Dual<Dual<S, 1>, 1>;
type Wide<S> = Dual<S, WIDTH>;
/// A rate of change, and [`WIDTH`] derivatives of both.
type WideRate<S> = Dual<Dual<S, 1>, WIDTH>;

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
    /// w_k and ẇ_k of the parts with fewer velocities than coordinates; elsewhere they are unit vectors.
    directions: Vec<S>,
    direction_rates: Vec<S>,
    still: Vec<S>,
    once_q: Vec<Once<S>>,
    once_rate: Vec<Once<S>>,
    once_v: Vec<Once<S>>,
    twice_q: Vec<Twice<S>>,
    twice_h: Vec<Twice<S>>,
    twice_points: Vec<Vec3<Twice<S>>>,
    /// Between two uses all derivatives are zero.
    wide_q: Vec<Wide<S>>,
    wide_rate: Vec<Wide<S>>,
    wide_h: Vec<Wide<S>>,
    wide_points: Vec<Vec3<Wide<S>>>,
    drifting_q: Vec<WideRate<S>>,
    drifting_rate: Vec<WideRate<S>>,
}

fn moving<S: Copy>(value: S, rate: S) -> Once<S> {
    Dual { value, derivative: [rate] }
}

impl<S> Equations<S>
where
    S: MechanismScalar,
    Once<S>: MechanismScalar,
    Twice<S>: MechanismScalar,
    Wide<S>: MechanismScalar,
    dyn AnyPart: ClosedOver<S> + EnergyOver<Wide<S>> + EnergyOver<WideRate<S>>,
{
    /// Room for the equations of a mechanism.
    pub fn new(mechanism: &Mechanism) -> Self {
        fn zeros<T: Scalar>(n: usize) -> Vec<T> {
            vec![T::zero(); n]
        }
        let (nq, nv, m) = (mechanism.coordinates(), mechanism.velocities(), mechanism.constraint_rows());
        let blocks = mechanism.slots.last().map_or(0, |slot| slot.mass.end);
        let directions = mechanism.slots.last().map_or(0, |slot| slot.directions.end);
        let places = mechanism.places.len();
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
            directions: zeros(directions),
            direction_rates: zeros(directions),
            still: zeros(nv),
            once_q: zeros(nq),
            once_rate: zeros(nq),
            once_v: zeros(nv),
            twice_q: zeros(nq),
            twice_h: zeros(m),
            twice_points: vec![Vec3::zero(); places],
            wide_q: zeros(nq),
            wide_rate: zeros(nq),
            wide_h: zeros(m),
            wide_points: vec![Vec3::zero(); places],
            drifting_q: zeros(nq),
            drifting_rate: zeros(nq),
        }
    }

    /// Everything at a state; `momentum_rate` only where asked for.
    pub fn evaluate(&mut self, mechanism: &Mechanism, time: S, q: &[S], v: &[S], input: &[f64], momentum: bool) {
        self.directions(mechanism, q, v);
        for index in 0..mechanism.slots.len() {
            self.part(mechanism, index, q, v, momentum);
        }
        self.applied(mechanism, v, input);
        self.places_and_constraints(mechanism, time, true);
    }

    /// The mass matrices alone; h, ḣ, ḧ and H stay what they are.
    pub fn evaluate_mass(&mut self, mechanism: &Mechanism, q: &[S]) {
        let still = std::mem::take(&mut self.still);
        self.directions(mechanism, q, &still);
        for index in 0..mechanism.slots.len() {
            if !self.closed_form(mechanism, index, q, &still) {
                self.mass_from_energy(mechanism, index);
            }
        }
        self.still = still;
    }

    /// h, ḣ, ḧ and H alone, at a state: for Newton's method.
    pub fn evaluate_constraints(&mut self, mechanism: &Mechanism, time: S, q: &[S], v: &[S]) {
        self.directions(mechanism, q, v);
        self.places_and_constraints(mechanism, time, false);
    }

    /// q̇, its rate at v̇ = 0, and w_k with its rate; sets the lifted coordinates.
    fn directions(&mut self, mechanism: &Mechanism, q: &[S], v: &[S]) {
        for slot in &mechanism.slots {
            let (nq, nv) = (slot.q.len(), slot.v.len());
            if nq == nv {
                self.coordinate_rate[slot.q.clone()].copy_from_slice(&v[slot.v.clone()]);
                continue; // second_rate stays zero
            }
            let (w, w_rate) =
                (&mut self.directions[slot.directions.clone()], &mut self.direction_rates[slot.directions.clone()]);
            let part = S::part(slot.part.as_ref());
            let once = Once::<S>::part(slot.part.as_ref());
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
            self.wide_q[i] = Dual::constant(q[i]);
            self.twice_q[i] = Dual {
                value: moving(q[i], self.coordinate_rate[i]),
                derivative: [moving(self.coordinate_rate[i], self.second_rate[i])],
            };
        }
    }

    /// Component `i` of w_k and of ẇ_k of a part.
    #[inline(always)]
    fn direction(&self, slot: &super::PartEntry, k: usize, i: usize) -> (S, S) {
        if slot.directions.is_empty() {
            return (if i == k { S::one() } else { S::zero() }, S::zero());
        }
        let at = slot.directions.start + k * slot.q.len() + i;
        (self.directions[at], self.direction_rates[at])
    }

    /// The closed form of a part into mass and bias, if it has one.
    fn closed_form(&mut self, mechanism: &Mechanism, index: usize, q: &[S], v: &[S]) -> bool {
        let slot = &mechanism.slots[index];
        ClosedOver::<S>::closed_form(
            slot.part.as_ref(),
            &q[slot.q.clone()],
            &v[slot.v.clone()],
            Vec3::from_f64(mechanism.gravity),
            &mut self.mass[slot.mass.clone()],
            &mut self.bias[slot.v.clone()],
        )
    }

    /// Mass matrix and bias of a part, (3), and (2).
    fn part(&mut self, mechanism: &Mechanism, index: usize, q: &[S], v: &[S], momentum: bool) {
        let derived = self.closed_form(mechanism, index, q, v);
        if derived && !momentum {
            return;
        }
        let slot = &mechanism.slots[index];
        let part: &dyn AnyPart = slot.part.as_ref();
        let gravity = Vec3::from_f64(mechanism.gravity);
        for chunk in slot.chunks() {
            self.seed(slot, chunk.clone());
            for (i, at) in slot.q.clone().enumerate() {
                let mut rate = Dual::constant(self.coordinate_rate[at]);
                for (slope, k) in rate.derivative.iter_mut().zip(chunk.clone()) {
                    *slope = self.direction(slot, k, i).1;
                }
                self.wide_rate[at] = rate;
            }
            let (place, rate) = (&self.wide_q[slot.q.clone()], &self.wide_rate[slot.q.clone()]);
            let lagrangian = part.kinetic_energy(place, rate) - part.potential_energy(place, gravity);
            for (slope, k) in lagrangian.derivative.iter().zip(chunk) {
                self.momentum_rate[slot.v.start + k] = *slope; // (2)
            }
        }
        self.unseed(slot);
        if derived {
            return;
        }
        self.mass_from_energy(mechanism, index);
        for at in slot.q.clone() {
            self.drifting_q[at] = Dual::constant(moving(q[at], self.coordinate_rate[at]));
        }
        for chunk in slot.chunks() {
            for (i, at) in slot.q.clone().enumerate() {
                let mut rate = Dual::constant(moving(self.coordinate_rate[at], self.second_rate[at]));
                for (slope, k) in rate.derivative.iter_mut().zip(chunk.clone()) {
                    let (w, w_rate) = self.direction(slot, k, i);
                    *slope = moving(w, w_rate);
                }
                self.drifting_rate[at] = rate;
            }
            let place = &self.drifting_q[slot.q.clone()];
            let energy = part.kinetic_energy(place, &self.drifting_rate[slot.q.clone()]);
            for (momentum, k) in energy.derivative.iter().zip(chunk) {
                let at = slot.v.start + k;
                self.bias[at] = momentum.derivative[0] - self.momentum_rate[at]; // (3)
            }
        }
    }

    /// M_jk of (3): T is quadratic, so its slopes at w_j along the w_k are a row.
    fn mass_from_energy(&mut self, mechanism: &Mechanism, index: usize) {
        let slot = &mechanism.slots[index];
        let nv = slot.v.len();
        let part: &dyn AnyPart = slot.part.as_ref();
        for j in 0..nv {
            for chunk in slot.chunks().take_while(|chunk| chunk.start <= j) {
                for (i, at) in slot.q.clone().enumerate() {
                    let mut rate = Dual::constant(self.direction(slot, j, i).0);
                    for (slope, k) in rate.derivative.iter_mut().zip(chunk.clone()) {
                        *slope = self.direction(slot, k, i).0;
                    }
                    self.wide_rate[at] = rate;
                }
                let energy = part.kinetic_energy(&self.wide_q[slot.q.clone()], &self.wide_rate[slot.q.clone()]);
                for (entry, k) in energy.derivative.iter().zip(chunk.start..chunk.end.min(j + 1)) {
                    self.mass[slot.mass.start + j * nv + k] = *entry;
                    self.mass[slot.mass.start + k * nv + j] = *entry;
                }
            }
        }
    }

    /// Displaces the coordinates of a part along some of its w_k.
    #[inline(always)]
    fn seed(&mut self, slot: &super::PartEntry, chunk: std::ops::Range<usize>) {
        for (i, at) in slot.q.clone().enumerate() {
            self.wide_q[at].derivative = [S::zero(); WIDTH];
            for (column, k) in chunk.clone().enumerate() {
                self.wide_q[at].derivative[column] = self.direction(slot, k, i).0;
            }
        }
    }

    #[inline(always)]
    fn unseed(&mut self, slot: &super::PartEntry) {
        for at in slot.q.clone() {
            self.wide_q[at].derivative = [S::zero(); WIDTH];
        }
    }

    /// Motors, friction and damping.
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
    }

    /// The places, then what depends on them: h, ḣ, ḧ, H, and where asked for the work of given forces.
    fn places_and_constraints(&mut self, mechanism: &Mechanism, time: S, with_forces: bool) {
        for (index, place) in mechanism.places.iter().enumerate() {
            let point = mechanism.point_over(&self.twice_q, place);
            self.twice_points[index] = point;
            self.wide_points[index] = point.map(|x| Dual::constant(x.value.value));
        }
        let one = S::one();
        let clock = Dual { value: moving(time, one), derivative: [moving(one, S::zero())] };
        for (number, tie) in mechanism.ties.iter().enumerate() {
            let at = MechanismConfiguration {
                mechanism,
                q: &self.twice_q,
                known: &tie.places,
                points: &self.twice_points,
                time: clock,
            };
            let h = &mut self.twice_h[tie.rows.clone()];
            let constraint = self.fitted[number].as_ref().unwrap_or(&tie.constraint);
            Twice::<S>::constraint(constraint.as_ref()).residual(&at, h);
            for (row, h) in tie.rows.clone().zip(h.iter()) {
                self.residual[row] = h.value.value;
                self.residual_rate[row] = h.value.derivative[0];
                self.residual_bias[row] = h.derivative[0].derivative[0];
            }
        }
        let nv = self.bias.len();
        for slot in mechanism.slots.iter().filter(|slot| slot.is_met()) {
            for chunk in slot.chunks() {
                self.seed(slot, chunk.clone());
                for &place in &slot.places {
                    self.wide_points[place] = mechanism.point_over(&self.wide_q, &mechanism.places[place]);
                }
                for &number in &slot.ties {
                    let tie = &mechanism.ties[number];
                    let at = MechanismConfiguration {
                        mechanism,
                        q: &self.wide_q,
                        known: &tie.places,
                        points: &self.wide_points,
                        time: Dual::constant(time),
                    };
                    let h = &mut self.wide_h[tie.rows.clone()];
                    let constraint = self.fitted[number].as_ref().unwrap_or(&tie.constraint);
                    Wide::<S>::constraint(constraint.as_ref()).residual(&at, h);
                    for (row, h) in tie.rows.clone().zip(h.iter()) {
                        let columns = slot.v.start + chunk.start..slot.v.start + chunk.end;
                        let row = &mut self.jacobian[row * nv..(row + 1) * nv][columns];
                        row.copy_from_slice(&h.derivative[..chunk.len()]);
                    }
                }
                for &(place, force) in slot.forces.iter().filter(|_| with_forces) {
                    let work = self.wide_points[place].dot(Vec3::from_f64(force));
                    for (slope, k) in work.derivative.iter().zip(chunk.clone()) {
                        let at = slot.v.start + k;
                        self.applied[at] = self.applied[at] + *slope;
                    }
                }
            }
            self.unseed(slot);
            for &place in &slot.places {
                self.wide_points[place] = self.wide_points[place].map(|x| Dual::constant(x.value));
            }
        }
    }
}
