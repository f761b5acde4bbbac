//! What a mechanism answers at one state: starts, accelerations, torques. Allocates; steps do not come here.

use super::dense::{RowSpace, dot, norm};
use super::dynamics::{ConstraintForce, MechanismDynamics, Poles};
use super::{Mechanism, MechanismError, length};

/// A row of which less than this is left beside the others is dependent on them.
const DEPENDENT: f64 = 1e-9;

/// A start that meets the constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct AssembledState {
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Largest residual of the given start, m or rad.
    pub repaired_position: f64,
    /// Largest residual of its velocity.
    pub repaired_velocity: f64,
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

impl Mechanism {
    /// A start that meets all constraints: the nearest to the given one, as the masses measure it. Constraints that
    /// are inactive, redundant or impossible are refused by name.
    pub fn assemble(&self, time: f64, q: &[f64], v: &[f64]) -> Result<AssembledState, MechanismError> {
        self.check_state(q, v)?;
        let mut dynamics = MechanismDynamics::new(self);
        let (mut q, mut v) = (q.to_vec(), v.to_vec());
        self.check_rank(&mut dynamics, time, &q)?;
        let (repaired_position, repaired_velocity) = dynamics.project(time, &mut q, &mut v)?;
        self.check_rank(&mut dynamics, time, &q)?;
        Ok(AssembledState { q, v, repaired_position, repaired_velocity })
    }

    fn jacobian_rows(&self, dynamics: &mut MechanismDynamics<'_>, time: f64, q: &[f64]) -> Vec<Vec<f64>> {
        let nv = self.velocities();
        let still = vec![0.0; nv];
        dynamics.evaluate_constraints(time, q, &still);
        dynamics.equations.jacobian.chunks(nv.max(1)).map(<[f64]>::to_vec).collect()
    }

    fn check_rank(&self, dynamics: &mut MechanismDynamics<'_>, time: f64, q: &[f64]) -> Result<(), MechanismError> {
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
        self.check_state(q, v)?;
        length("torque", torque, self.motors())?;
        let mut dynamics = MechanismDynamics::new(self);
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
        let (nv, nu) = (self.velocities(), self.motors());
        self.check_state(q, v)?;
        length("acceleration", acceleration, nv)?;
        let mut dynamics = MechanismDynamics::new(self);
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
        dynamics.solve(time, q, v, &torque, Poles::NONE, false)?;
        Ok(RequiredTorque { torque, null_space, forces: dynamics.forces() })
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
    let mut u = vec![0.0; columns];
    // A row has nothing along the directions of later ones: a step along its own meets its equation for good.
    for (&row, direction) in space.taken.iter().zip(&space.basis) {
        let step = (b[row] - dot(&a[row], &u)) / dot(&a[row], direction);
        u.iter_mut().zip(direction).for_each(|(u, d)| *u += step * d);
    }
    Some((u, space.complement(columns)))
}
