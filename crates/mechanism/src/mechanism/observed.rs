//! Linear models of mechanisms with constraints: A, B, C, D.

use super::equations::Equations;
use super::{BodyPoint, D1, D2, D3, Mechanism, MechanismDynamics, MechanismError, PartId, Poles, length};
use crate::linear::{LinearError, Linearized, Matrix, Signal, StateSpace};
use crate::{Dual, Scalar, Vec3};

/// Why a mechanism has no linear model about a state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum LinearModelError {
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    #[error(transparent)]
    Linear(#[from] LinearError),
    #[error("part `{part}` has coordinates that are not the integrals of its velocities: observe one of its points")]
    NotPlain { part: String },
}

/// What is measured of a mechanism.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observed {
    /// A coordinate of a part.
    Coordinate(PartId, usize),
    /// A velocity of a part.
    Velocity(PartId, usize),
    /// The position of a place, base frame.
    Point(BodyPoint),
    /// Its velocity.
    PointVelocity(BodyPoint),
    /// Its acceleration (without gravity): with a D.
    PointAcceleration(BodyPoint),
}

/// Position, velocity and acceleration of a place at coordinates, velocities and accelerations, and what δq, δv, δv̇ add to
/// each: the coordinates are q + v (s₁ + s₂) + v̇ s₁ s₂ + ε (δ…), so the coefficient of s₁ s₂ is a second derivative in time,
/// that of ε s₁ s₂ its change.
fn moved(mechanism: &Mechanism, place: &BodyPoint, at: [&[f64]; 3], change: [&[f64]; 3]) -> [[Vec3<f64>; 2]; 3] {
    fn time([q, v, a]: [&[f64]; 3], k: usize) -> D2 {
        Dual { value: D1 { value: q[k], derivative: [v[k]] }, derivative: [D1 { value: v[k], derivative: [a[k]] }] }
    }
    let lift = |k: usize| -> D3 { Dual { value: time(at, k), derivative: [time(change, k)] } };
    let lifted: Vec<D3> = (0..at[0].len()).map(lift).collect();
    let point = mechanism.point_over(&lifted, place);
    let both = |part: fn(D2) -> f64| [point.map(|x| part(x.value)), point.map(|x| part(x.derivative[0]))];
    [both(|x| x.value.value), both(|x| x.value.derivative[0]), both(|x| x.derivative[0].derivative[0])]
}

/// The linear model of a mechanism with its constraints held as [`Poles`] say (Bortoff's (14), (15), (23)).
pub fn linear_model(
    mechanism: &Mechanism,
    (time, q, v): (f64, &[f64], &[f64]),
    torque: &[f64],
    poles: Poles,
    outputs: &[Observed],
) -> Result<Linearized, LinearModelError> {
    let Linearization { a, b } = mechanism.linearize(time, q, v, torque, poles)?;
    let (nq, nv, nu) = (q.len(), v.len(), torque.len());
    let n = nq + nv;
    let mut dynamics = MechanismDynamics::new(mechanism);
    dynamics.solve(time, q, v, torque, poles, false)?;
    let rate = [dynamics.coordinate_rate(), &dynamics.acceleration[..]].concat();
    // Rows of [C D].
    let (mut rows, mut names, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for output in outputs {
        let unit_row = |k: usize| (0..n + nu).map(|j| if j == k { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
        match *output {
            Observed::Coordinate(part, index) => {
                let k = mechanism.coordinate(part, index)?;
                rows.push(unit_row(k));
                names.push(Signal::new(format!("coordinate{}", k + 1), ""));
                values.push(q[k]);
            }
            Observed::Velocity(part, index) => {
                let k = mechanism.velocity(part, index)?;
                rows.push(unit_row(nq + k));
                names.push(Signal::new(format!("velocity{}", k + 1), ""));
                values.push(v[k]);
            }
            Observed::Point(place) | Observed::PointVelocity(place) | Observed::PointAcceleration(place) => {
                // Velocities are the rates of the coordinates only where q̇ = v.
                if let Some(slot) = mechanism.not_plain() {
                    return Err(LinearModelError::NotPlain { part: slot.name.clone() });
                }
                mechanism.check_place(&place)?;
                let (which, signals) = match output {
                    Observed::PointVelocity(_) => (1, Signal::axes("v", "m/s")),
                    Observed::PointAcceleration(_) => (2, Signal::axes("a", "m/s^2")),
                    _ => (0, Signal::axes("", "m")),
                };
                let mut block = vec![vec![0.0; n + nu]; 3];
                let mut value = Vec3::zero();
                for j in 0..n + nu {
                    let unit = unit_row(j);
                    let changed: Vec<f64> =
                        (0..nv).map(|i| if j < n { a[(nq + i, j)] } else { b[(nq + i, j - n)] }).collect();
                    let along = [&unit[..nq], &unit[nq..n], &changed];
                    let [point, change] = moved(mechanism, &place, [q, v, &rate[nq..]], along)[which];
                    value = point;
                    (0..3).for_each(|i| block[i][j] = change[i]);
                }
                rows.extend(block);
                names.extend(signals);
                values.extend(value.0);
            }
        }
    }
    // Coordinates may be angles, lengths or parts of quaternions: what they are, only the part knows.
    let mut states = Vec::with_capacity(n);
    for (kind, velocity) in [("q", false), ("v", true)] {
        for slot in &mechanism.slots {
            let count = if velocity { slot.v.len() } else { slot.q.len() };
            states.extend((1..=count).map(|i| Signal::new(format!("{} {kind}{i}", slot.name), "")));
        }
    }
    let [c, d] = [(0, n), (n, nu)].map(|(first, count)| Matrix::from_fn(rows.len(), count, |i, j| rows[i][first + j]));
    Ok(Linearized {
        system: StateSpace::new([a, b, c, d], states, Signal::numbered("tau", nu, "N m"), names)?,
        state: [q, v].concat(),
        input: torque.to_vec(),
        output: values,
        rate,
    })
}

/// A linear model about a state: δẋ = A δx + B δu with x = (q, v).
#[derive(Clone, Debug, PartialEq)]
pub struct Linearization {
    /// A.
    pub a: Matrix,
    /// B.
    pub b: Matrix,
}

/// Room for the state matrix of a mechanism: allocated once.
pub(crate) struct Linearizer {
    equations: Equations<D1>,
    q: Vec<D1>,
    v: Vec<D1>,
    acceleration: Vec<f64>,
    lambda: Vec<f64>,
    upper: Vec<f64>,
    lower: Vec<f64>,
}

impl Linearizer {
    pub fn new(mechanism: &Mechanism) -> Self {
        let (nv, m) = (mechanism.velocities(), mechanism.constraint_rows());
        Self {
            equations: Equations::new(mechanism),
            q: vec![D1::zero(); mechanism.coordinates()],
            v: vec![D1::zero(); nv],
            acceleration: vec![0.0; nv],
            lambda: vec![0.0; m],
            upper: vec![0.0; nv],
            lower: vec![0.0; m],
        }
    }

    /// A of δẋ = A δx with x = (q, v), row by row, for (14), (15), (23). `dynamics` has the factors there afterwards.
    #[allow(clippy::too_many_arguments)] // the state, the inputs and the result
    pub fn state_matrix(
        &mut self,
        dynamics: &mut MechanismDynamics<'_>,
        time: f64,
        q: &[f64],
        v: &[f64],
        torque: &[f64],
        poles: Poles,
        a: &mut [f64],
    ) -> Result<(), MechanismError> {
        let mechanism = dynamics.mechanism;
        let (nq, nv) = (q.len(), v.len());
        let n = nq + nv;
        dynamics.solve(time, q, v, torque, poles, false)?;
        self.acceleration.copy_from_slice(&dynamics.acceleration);
        self.lambda.copy_from_slice(&dynamics.lambda);
        lift(q, &mut self.q);
        lift(v, &mut self.v);
        for column in 0..n {
            let seeded = if column < nq { &mut self.q[column] } else { &mut self.v[column - nq] };
            seeded.derivative = [1.0];
            self.equations.evaluate(mechanism, D1::from_f64(time), &self.q, &self.v, torque, false);
            let seeded = if column < nq { &mut self.q[column] } else { &mut self.v[column - nq] };
            seeded.derivative = [0.0];
            self.right_sides(mechanism, poles);
            dynamics.solve_saddle(&mut self.upper, &self.lower);
            for i in 0..nq {
                a[i * n + column] = self.equations.coordinate_rate[i].derivative[0];
            }
            for i in 0..nv {
                a[(nq + i) * n + column] = self.upper[i];
            }
        }
        Ok(())
    }

    /// δ(Q − b) − δM v̇ + δHᵀλ on the upper rows, −δ(ḧ + α₁ḣ + α₀h) − δH v̇ on the lower ones.
    fn right_sides(&mut self, mechanism: &Mechanism, poles: Poles) {
        let e = &self.equations;
        let nv = self.upper.len();
        for i in 0..nv {
            self.upper[i] = (e.applied[i] - e.bias[i]).derivative[0];
        }
        for slot in &mechanism.slots {
            let n = slot.v.len();
            for i in 0..n {
                for j in 0..n {
                    let entry = e.mass[slot.mass.start + i * n + j].derivative[0];
                    self.upper[slot.v.start + i] -= entry * self.acceleration[slot.v.start + j];
                }
            }
        }
        for row in 0..self.lower.len() {
            let stabilised = e.residual_bias[row]
                + e.residual_rate[row].times(poles.velocity)
                + e.residual[row].times(poles.position);
            self.lower[row] = -stabilised.derivative[0];
            for i in 0..nv {
                let entry = e.jacobian[row * nv + i].derivative[0];
                self.upper[i] += entry * self.lambda[row];
                self.lower[row] -= entry * self.acceleration[i];
            }
        }
    }
}

fn lift(values: &[f64], lifted: &mut [D1]) {
    for (lifted, &value) in lifted.iter_mut().zip(values) {
        *lifted = Dual::constant(value);
    }
}

impl Mechanism {
    /// The linear model of (14), (15), (23) about a state, exact derivatives.
    pub fn linearize(
        &self,
        time: f64,
        q: &[f64],
        v: &[f64],
        torque: &[f64],
        poles: Poles,
    ) -> Result<Linearization, MechanismError> {
        let (nq, nv) = (self.coordinates(), self.velocities());
        self.check_state(q, v)?;
        length("torque", torque, self.motors())?;
        let n = nq + nv;
        let mut dynamics = MechanismDynamics::new(self);
        let mut a = vec![0.0; n * n];
        Linearizer::new(self).state_matrix(&mut dynamics, time, q, v, torque, poles, &mut a)?;
        let mut b = Matrix::zeros(n, self.motors());
        for (column, motor) in self.motors.iter().enumerate() {
            let mut upper = vec![0.0; nv];
            upper[motor.velocity] = 1.0;
            dynamics.respond(&mut upper);
            b.view_mut((nq, column), (nv, 1)).copy_from_slice(&upper);
        }
        Ok(Linearization { a: Matrix::from_row_slice(n, n, &a), b })
    }
}
