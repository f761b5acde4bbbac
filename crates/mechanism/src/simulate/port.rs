//! The port-Hamiltonian view, van der Schaft 2013: ẋ = (J − R)∇H + G u + [0; Hᵀ]λ, y = Gᵀ∇H, x = (q, p).

use crate::mechanism::{Mechanism, MechanismDynamics, MechanismError, Poles};

/// The structure of a mechanism at a state, all matrices row by row. J is skew and R positive semidefinite, hence
/// dH/dt = yᵀu − ∇HᵀR∇H + λᵀ(H v) ≤ yᵀu where the constraints stand still: it is passive.
#[derive(Clone, Debug, PartialEq)]
pub struct PortHamiltonian {
    /// J: how energy moves about inside.
    pub interconnection: Vec<Vec<f64>>,
    /// R: where it is lost.
    pub dissipation: Vec<Vec<f64>>,
    /// G: where the motors act.
    pub input: Vec<Vec<f64>>,
    /// ∇H = (∂H/∂q, ∂H/∂p = v).
    pub gradient: Vec<f64>,
    /// y = Gᵀ∇H: the motors' velocities.
    pub output: Vec<f64>,
    /// ẋ, the constraint forces included.
    pub rate: Vec<f64>,
    /// Stored energy T + V, J.
    pub energy: f64,
}

impl PortHamiltonian {
    /// At a state that meets the constraints. Friction at motors other than damping is not linear and is left out of
    /// R; it takes energy as well. Parts need as many coordinates as velocities.
    pub fn new(mechanism: &Mechanism, time: f64, q: &[f64], v: &[f64], torque: &[f64]) -> Result<Self, MechanismError> {
        let n = mechanism.velocities();
        if let Some(slot) = mechanism.slots.iter().find(|slot| slot.q.len() != slot.v.len()) {
            return Err(MechanismError::UnknownCoordinate { part: slot.name.clone(), index: slot.v.len() });
        }
        let (_, forces) = mechanism.acceleration(time, q, v, torque)?; // checks the lengths
        let lambda: Vec<f64> = forces.into_iter().flat_map(|force| force.values).collect();
        let mut dynamics = MechanismDynamics::new(mechanism);
        dynamics.solve(time, q, v, torque, Poles::NONE, true)?;
        let (kinetic, potential) = dynamics.energies(q, v);
        let square = || vec![vec![0.0; 2 * n]; 2 * n];
        let (mut interconnection, mut dissipation) = (square(), square());
        for i in 0..n {
            interconnection[i][n + i] = 1.0;
            interconnection[n + i][i] = -1.0;
        }
        for &(velocity, coefficient) in &mechanism.damping {
            dissipation[n + velocity][n + velocity] += coefficient;
        }
        let mut input = vec![vec![0.0; mechanism.motors()]; 2 * n];
        for (column, motor) in mechanism.motors.iter().enumerate() {
            input[n + motor.velocity][column] = 1.0;
        }
        // ∂H/∂q at constant p is −∂L/∂q at constant v.
        let given = dynamics.given_forces(v, torque);
        let mut gradient: Vec<f64> = dynamics.equations.momentum_rate.iter().map(|x| -x).collect();
        gradient.iter_mut().zip(&given).for_each(|(g, f)| *g -= f);
        gradient.extend_from_slice(v);
        let output = mechanism.motors.iter().map(|motor| v[motor.velocity]).collect();
        let mut rate = vec![0.0; 2 * n];
        for i in 0..2 * n {
            rate[i] = (0..2 * n).map(|j| (interconnection[i][j] - dissipation[i][j]) * gradient[j]).sum::<f64>()
                + input[i].iter().zip(torque).map(|(g, u)| g * u).sum::<f64>();
        }
        for (row, lambda) in lambda.iter().enumerate() {
            for i in 0..n {
                rate[n + i] += dynamics.equations.jacobian[row * n + i] * lambda;
            }
        }
        Ok(Self { interconnection, dissipation, input, gradient, output, rate, energy: kinetic + potential })
    }
}
