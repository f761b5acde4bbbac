//! What follows from the formulas of every kind of robot: derivatives and rates, with numbers of any kind.

use super::Of;
use super::combined::{Elimination, of_acceleration};
use super::parameters::{Column, by_rows, of_accelerations};
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

fn still<S: Scalar>(row: &[S]) -> Vec<Dual<S, 1>> {
    row.iter().map(|&x| Dual::constant(x)).collect()
}

fn rates<S: Scalar>(moving: Vec<Dual<S, 1>>) -> Vec<S> {
    moving.into_iter().map(|x| x.derivative[0]).collect()
}

/// A kind of robot, whose formulas run with numbers of any kind.
pub(super) trait RobotFormulas {
    /// The robot with such numbers.
    type Robot<S: Scalar>: Clone;

    /// How many joints.
    fn count(&self) -> usize;

    /// What is no derivative, in joint coordinates.
    fn plain<S: Scalar>(&self, robot: &Self::Robot<S>, of: Of, rows: &Rows<S>) -> Vec<S>;

    /// The robot with numbers that may change, as those of a column do.
    fn changing<S: Scalar>(&self, robot: &Self::Robot<S>, column: Option<&Column>) -> Self::Robot<Dual<S, 1>>;

    /// A pose as it moves with joint velocities.
    fn along<S: Scalar>(&self, _: &Self::Robot<S>, pose: &[S], qd: &[S]) -> Vec<Dual<S, 1>> {
        pose.iter().zip(qd).map(|(&value, &rate)| Dual { value, derivative: [rate] }).collect()
    }

    /// The pose as it moves while the robot changes and its joints stay where they are.
    fn held<S: Scalar>(&self, _: &Self::Robot<S>, _: &Self::Robot<Dual<S, 1>>, pose: &[S]) -> Vec<Dual<S, 1>> {
        still(pose)
    }

    /// The accelerations at which those of parameters are differentiated.
    fn accelerations<S: Scalar>(&self, robot: &Self::Robot<S>, rows: &Rows<S>) -> Vec<S> {
        self.plain(robot, Of::Acceleration, rows)
    }

    /// What is wanted, row by row.
    fn results<S: Scalar>(&self, robot: &Self::Robot<S>, of: Of, rows: &Rows<S>, columns: &[Column]) -> Vec<S> {
        let accelerated = || {
            let [pose, qd, _, tau] = rows.clone();
            [pose, qd, self.accelerations(robot, rows), tau]
        };
        match of {
            Of::TorqueDerivatives => {
                [self.of_torque(robot, rows, 0), self.of_torque(robot, rows, 1), self.plain(robot, Of::Mass, rows)]
                    .concat()
            }
            Of::AccelerationDerivatives => {
                let moving = accelerated();
                let mass = self.plain(robot, Of::Mass, rows);
                let [by_q, by_qd] = [0, 1].map(|row| self.of_torque(robot, &moving, row));
                of_acceleration(&mass, &by_q, &by_qd, Elimination::FromLast)
            }
            Of::TorqueParameterDerivatives => by_rows(&self.by_columns(robot, rows, columns)),
            Of::AccelerationParameterDerivatives => {
                let moving = accelerated();
                let mass = self.plain(robot, Of::Mass, rows);
                by_rows(&of_accelerations(&mass, self.by_columns(robot, &moving, columns)))
            }
            Of::JacobianRate => {
                let mut moving = rows.each_ref().map(|row| still(row));
                moving[0] = self.along(robot, &rows[0], &rows[1]);
                rates(self.plain(&self.changing(robot, None), Of::Jacobian, &moving))
            }
            _ => self.plain(robot, of, rows),
        }
    }

    /// The derivatives of the torques by the joints' positions (row 0), velocities or accelerations.
    fn of_torque<S: Scalar>(&self, robot: &Self::Robot<S>, rows: &Rows<S>, row: usize) -> Vec<S> {
        let (n, changing) = (self.count(), self.changing(robot, None));
        let column = |j: usize| {
            let mut moving = rows.each_ref().map(|row| still(row));
            match row {
                0 => {
                    let unit: Vec<S> = (0..n).map(|i| if i == j { S::one() } else { S::zero() }).collect();
                    moving[0] = self.along(robot, &rows[0], &unit);
                }
                _ => moving[row][j].derivative = [S::one()],
            }
            rates(self.plain(&changing, Of::Torque, &moving))
        };
        by_rows(&(0..n).map(column).collect::<Vec<_>>())
    }

    /// The torques' derivatives by parameters, one column for each.
    fn by_columns<S: Scalar>(&self, robot: &Self::Robot<S>, rows: &Rows<S>, columns: &[Column]) -> Vec<Vec<S>> {
        let column = |column: &Column| {
            let changing = self.changing(robot, Some(column));
            let mut moving = rows.each_ref().map(|row| still(row));
            moving[0] = self.held(robot, &changing, &rows[0]);
            rates(self.plain(&changing, Of::Torque, &moving))
        };
        columns.iter().map(column).collect()
    }
}
