//! Constraints that are closed and opened while a mechanism moves, forces from outside it, and impulses.

use super::{MechanismDynamics, MechanismError};

impl MechanismDynamics<'_> {
    /// Forces from outside the mechanism, along its velocities: they count in every solution from now on.
    pub fn set_external(&mut self, force: &[f64]) {
        self.external.copy_from_slice(force);
    }

    /// The equations of the constraints at a state, those that are open left out.
    pub(crate) fn evaluate_constraints(&mut self, time: f64, q: &[f64], v: &[f64]) {
        self.equations.evaluate_constraints(self.mechanism(), time, q, v);
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
        let mechanism = self.mechanism();
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
        let rows = self.mechanism().ties[tie].rows.clone();
        self.open_rows[rows].fill(open);
    }

    /// Whether a constraint is open, or fitted to where it was closed.
    pub(crate) fn is_switched(&self) -> bool {
        self.open_rows.contains(&true) || self.equations.fitted.iter().any(Option::is_some)
    }

    pub(crate) fn is_open(&self, tie: usize) -> bool {
        self.open_rows[self.mechanism().ties[tie].rows.clone()].contains(&true)
    }

    /// Factors of the masses and constraints at a state, for [`MechanismDynamics::respond`].
    pub(crate) fn prepare(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<(), MechanismError> {
        self.equations.evaluate_mass(self.mechanism(), q);
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
        let motors = self.mechanism().motors.iter().map(|motor| {
            let speed = v[motor.velocity];
            motor.friction.map_or(0.0, |friction| friction.torque(speed)) * speed
        });
        let damped = self.mechanism().damping.iter().map(|&(velocity, c)| c * v[velocity] * v[velocity]);
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
