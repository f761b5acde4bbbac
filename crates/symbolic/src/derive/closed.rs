//! What robots with closed loops have like arms: derivatives and rates of what their formulas give, with numbers of any kind.

use super::Of;
use super::combined::{Elimination, of_acceleration};
use super::parameters::{by_rows, of_accelerations};
use super::quantities::needs;
use dalembert_core::{Dual, Scalar};

/// Pose (the joints, or the platform where that is what is given), q̇, q̈ and τ.
pub(super) type Rows<S> = [Vec<S>; 4];

/// The rows that the inputs of a program for these things have, `pose` of them a pose; zero where they have none.
pub(super) fn rows<S: Scalar>(all: &[Of], inputs: &[S], pose: usize, joints: usize) -> Rows<S> {
    let mut rest = inputs;
    let needed = needs(all);
    [0, 1, 2, 3].map(|k| {
        let length = if k == 0 { pose } else { joints };
        if !needed[k] {
            return vec![S::zero(); length];
        }
        let (row, others) = rest.split_at(length);
        rest = others;
        row.to_vec()
    })
}

/// One of the formulas at a state.
type Formula<'f, S> = &'f dyn Fn(Of, &Rows<S>) -> Vec<S>;

/// The torques' derivatives by parameters, one column for each.
type Changed<'f, S> = &'f dyn Fn(&Rows<S>) -> Vec<Vec<S>>;

/// A pose as it moves with joint velocities.
type Along<'f, S> = &'f dyn Fn(&[S], &[S]) -> Vec<Dual<S, 1>>;

/// The formulas of a robot with n joints.
pub(super) struct RobotFormulas<'f, S: Scalar> {
    pub joints: usize,
    pub plain: Formula<'f, S>,
    /// The same where the state moves.
    pub dual: Formula<'f, Dual<S, 1>>,
    pub along: Along<'f, S>,
    pub changed: Changed<'f, S>,
}

pub(super) fn still<S: Scalar>(row: &[S]) -> Vec<Dual<S, 1>> {
    row.iter().map(|&x| Dual::constant(x)).collect()
}

/// The state as it does not change.
pub(super) fn at_rest<S: Scalar>(rows: &Rows<S>) -> Rows<Dual<S, 1>> {
    rows.each_ref().map(|row| still(row))
}

impl<S: Scalar> RobotFormulas<'_, S> {
    /// What is wanted, row by row.
    pub fn results(&self, of: Of, rows: &Rows<S>) -> Vec<S> {
        match of {
            Of::TorqueDerivatives => {
                [self.of_torque(rows, 0), self.of_torque(rows, 1), (self.plain)(Of::Mass, rows)].concat()
            }
            Of::AccelerationDerivatives => {
                let mut moving = rows.clone();
                moving[2] = (self.plain)(Of::Acceleration, rows);
                let mass = (self.plain)(Of::Mass, rows);
                let [by_q, by_qd] = [0, 1].map(|row| self.of_torque(&moving, row));
                of_acceleration(&mass, &by_q, &by_qd, Elimination::FromLast)
            }
            Of::TorqueParameterDerivatives => by_rows(&(self.changed)(rows)),
            Of::AccelerationParameterDerivatives => {
                let mut moving = rows.clone();
                moving[2] = (self.plain)(Of::Acceleration, rows);
                by_rows(&of_accelerations(&(self.plain)(Of::Mass, rows), (self.changed)(&moving)))
            }
            Of::JacobianRate => {
                let mut moving = rows.each_ref().map(|row| still(row));
                moving[0] = (self.along)(&rows[0], &rows[1]);
                (self.dual)(Of::Jacobian, &moving).iter().map(|x| x.derivative[0]).collect()
            }
            _ => (self.plain)(of, rows),
        }
    }

    /// The derivatives of the torques by the joints' positions (row 0) or velocities (row 1).
    fn of_torque(&self, rows: &Rows<S>, row: usize) -> Vec<S> {
        let n = self.joints;
        let columns: Vec<Vec<S>> = (0..n)
            .map(|j| {
                let unit: Vec<S> = (0..n).map(|i| if i == j { S::one() } else { S::zero() }).collect();
                let mut moving = rows.each_ref().map(|row| still(row));
                match row {
                    0 => moving[0] = (self.along)(&rows[0], &unit),
                    _ => moving[row][j].derivative = [S::one()],
                }
                (self.dual)(Of::Torque, &moving).iter().map(|x| x.derivative[0]).collect()
            })
            .collect();
        (0..n * n).map(|k| columns[k % n][k / n]).collect()
    }
}
