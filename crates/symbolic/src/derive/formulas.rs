//! What follows from the formulas of every kind of robot: derivatives and rates, with numbers of any kind.

use super::Of;
use super::combined::{Elimination, of_acceleration, solve};
use super::parameters::{Column, by_rows};
use super::quantities::needs;
use crate::program::Program;
use crate::recorded;
use dalembert_core::parameter::Visit;
use dalembert_core::{Dual, Scalar};
use std::cell::OnceCell;

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

/// A robot whose formulas are recorded as programs of its numbers, its parameters.
pub(super) trait RobotFormulas {
    /// How many joints.
    fn count(&self) -> usize;

    /// Visits its numbers.
    fn visit(&self, visit: &mut Visit<'_, f64>);

    /// Its numbers.
    fn numbers(&self) -> Vec<f64> {
        recorded::numbers(|visit| self.visit(visit))
    }

    /// What is no derivative, of all rows; where the platform is given, of its motion.
    fn record(&self, of: Of) -> Program;

    /// How a pose that is not the joints moves with them.
    fn record_rates(&self) -> Option<Program> {
        None
    }

    /// Whether accelerations are those of M q̈ = τ − h, since the formula divides more often.
    fn solves_mass_matrix(&self) -> bool {
        false
    }
}

/// The formulas of a robot, each recorded where it is used first.
pub(super) struct Formulas<'f> {
    robot: &'f dyn RobotFormulas,
    plain: [OnceCell<Program>; Of::ALL.len()],
    rates: OnceCell<Option<Program>>,
}

impl<'f> Formulas<'f> {
    pub fn new(robot: &'f dyn RobotFormulas) -> Self {
        Self { robot, plain: Default::default(), rates: OnceCell::new() }
    }

    /// What is no derivative.
    pub fn plain<S: Scalar>(&self, robot: &[S], of: Of, rows: &Rows<S>) -> Vec<S> {
        self.plain[of as usize].get_or_init(|| self.robot.record(of)).evaluate_with(robot, &rows.concat())
    }

    fn rates(&self) -> Option<&Program> {
        self.rates.get_or_init(|| self.robot.record_rates()).as_ref()
    }

    /// A pose as it moves with joint velocities.
    fn along<S: Scalar>(&self, robot: &[S], pose: &[S], qd: &[S]) -> Vec<Dual<S, 1>> {
        let rates = self.rates().map_or(qd.to_vec(), |rates| rates.evaluate_with(robot, &[pose, qd].concat()));
        pose.iter().zip(rates).map(|(&value, rate)| Dual { value, derivative: [rate] }).collect()
    }

    /// The pose as it moves while the robot changes and its joints stay where they are: it gives way by what the joints would have to move.
    fn held<S: Scalar>(&self, robot: &[S], changing: &[Dual<S, 1>], pose: &[S]) -> Vec<Dual<S, 1>> {
        if self.rates().is_none() {
            return still(pose);
        }
        let changed = self.plain(changing, Of::Ik, &[still(pose), Vec::new(), Vec::new(), Vec::new()]);
        self.along(robot, pose, &rates(changed).into_iter().map(|q| -q).collect::<Vec<_>>())
    }

    /// The accelerations at which those of parameters are differentiated.
    fn accelerations<S: Scalar>(&self, robot: &[S], rows: &Rows<S>) -> Vec<S> {
        if !self.robot.solves_mass_matrix() {
            return self.plain(robot, Of::Acceleration, rows);
        }
        let (mass, bias) = (self.plain(robot, Of::Mass, rows), self.plain(robot, Of::Bias, rows));
        let left: Vec<S> = rows[3].iter().zip(bias).map(|(&tau, bias)| tau - bias).collect();
        solve(&mass, &left, Elimination::FromLast)
    }

    /// What is wanted, row by row.
    pub fn results<S: Scalar>(&self, robot: &[S], of: Of, rows: &Rows<S>, columns: &[Column]) -> Vec<S> {
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
            // M ∂q̈/∂p = −∂τ/∂p at the accelerations.
            Of::AccelerationParameterDerivatives => {
                let moving = accelerated();
                let mass = self.plain(robot, Of::Mass, rows);
                let solved = |column: Vec<S>| {
                    let right: Vec<S> = column.into_iter().map(|x| -x).collect();
                    solve(&mass, &right, Elimination::FromLast)
                };
                by_rows(&self.by_columns(robot, &moving, columns).into_iter().map(solved).collect::<Vec<_>>())
            }
            Of::JacobianRate => {
                let mut moving = rows.each_ref().map(|row| still(row));
                moving[0] = self.along(robot, &rows[0], &rows[1]);
                rates(self.plain(&still(robot), Of::Jacobian, &moving))
            }
            _ => self.plain(robot, of, rows),
        }
    }

    /// The derivatives of the torques by the joints' positions (row 0), velocities or accelerations.
    pub fn of_torque<S: Scalar>(&self, robot: &[S], rows: &Rows<S>, row: usize) -> Vec<S> {
        let n = self.robot.count();
        let column = |j: usize| {
            let mut moving = rows.each_ref().map(|row| still(row));
            match row {
                0 => {
                    let unit: Vec<S> = (0..n).map(|i| if i == j { S::one() } else { S::zero() }).collect();
                    moving[0] = self.along(robot, &rows[0], &unit);
                }
                _ => moving[row][j].derivative = [S::one()],
            }
            rates(self.plain(&still(robot), Of::Torque, &moving))
        };
        by_rows(&(0..n).map(column).collect::<Vec<_>>())
    }

    /// The torques' derivatives by parameters, one column for each.
    pub fn by_columns<S: Scalar>(&self, robot: &[S], rows: &Rows<S>, columns: &[Column]) -> Vec<Vec<S>> {
        let column = |column: &Column| {
            let mut changing = still(robot);
            column.seed(&mut changing);
            let mut moving = rows.each_ref().map(|row| still(row));
            moving[0] = self.held(robot, &changing, &rows[0]);
            rates(self.plain(&changing, Of::Torque, &moving))
        };
        columns.iter().map(column).collect()
    }
}
