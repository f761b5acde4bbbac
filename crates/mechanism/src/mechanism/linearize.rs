//! Linear models of a mechanism: the solution of its equations is differentiated implicitly, the equations themselves with
//! dual numbers.

use super::dynamics::{MechanismDynamics, Poles};
use super::equations::Equations;
use super::part::D1;
use super::{Mechanism, MechanismError, length};
use crate::linear::Matrix;
use crate::{Dual, Scalar};

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
        let mechanism = dynamics.mechanism();
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
