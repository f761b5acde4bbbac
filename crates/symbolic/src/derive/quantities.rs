//! Inputs and outputs of programs whose robot is given by its joints.

use super::Of;
use crate::program::Quantity;

/// Which of the rows these things depend on.
pub(super) fn needs(all: &[Of]) -> [bool; 4] {
    let any = |which: &[Of]| all.iter().any(|of| which.contains(of));
    let free = [Of::Acceleration, Of::AccelerationDerivatives, Of::AccelerationParameterDerivatives];
    let accelerated = [Of::Torque, Of::TorqueDerivatives, Of::TorqueParameterDerivatives, Of::Regressor];
    let moving = [Of::Bias, Of::Coriolis, Of::JacobianRate];
    [true, any(&moving) || any(&accelerated) || any(&free), any(&accelerated), any(&free)]
}

/// The inputs of a program for these things.
pub(super) fn inputs_of<S: Copy, R: AsRef<[S]>>(all: &[Of], rows: &[R; 4]) -> Vec<S> {
    let needed = needs(all);
    (0..4).filter(|&k| needed[k]).flat_map(|k| rows[k].as_ref().iter().copied()).collect()
}

/// The joints of a robot, as far as units go.
pub(super) struct Joints {
    pub count: usize,
    /// How many of them slide.
    pub sliding: usize,
    /// Freedoms of the tool.
    pub tool: usize,
}

impl Joints {
    fn unit(&self, turning: &str, other: &str) -> String {
        match self.sliding {
            0 => turning.to_owned(),
            n if n == self.count => other.to_owned(),
            _ => format!("{turning} ({other} where a joint slides)"),
        }
    }

    fn row(&self, name: &str, meaning: &str, turning: &str, other: &str) -> Quantity {
        Quantity::new(name, self.count, meaning, &self.unit(turning, other))
    }

    /// q.
    pub fn positions(&self) -> Quantity {
        self.row("q", "joint positions", "rad", "m")
    }

    /// What these things depend on beside `pose`.
    pub fn inputs(&self, all: &[Of], pose: Vec<Quantity>) -> Vec<Quantity> {
        let needed = needs(all);
        let rows = [
            self.row("qd", "joint velocities", "rad/s", "m/s"),
            self.row("qdd", "joint accelerations", "rad/s^2", "m/s^2"),
            self.row("tau", "joint torques", "N m", "N"),
        ];
        pose.into_iter()
            .chain(rows.into_iter().zip(&needed[1..]).filter(|(_, need)| **need).map(|(row, _)| row))
            .collect()
    }

    /// What a program of derivatives by so many parameters gives.
    pub fn by_parameters(&self, of: Of, columns: usize) -> Quantity {
        let (name, what, unit) = match of {
            Of::TorqueParameterDerivatives => ("dtau_dp", "torques", self.unit("N m", "N")),
            _ => ("dqdd_dp", "accelerations", self.unit("rad/s^2", "m/s^2")),
        };
        let meaning = format!("derivatives of the {what} by parameters; the columns are above");
        Quantity::matrix(name, self.count, columns, &meaning, &format!("{unit} per unit of the parameter"))
    }

    /// What a program for this gives.
    pub fn outputs(&self, of: Of) -> Vec<Quantity> {
        let n = self.count;
        let square = |name: &str, meaning: &str, turning: &str, other: &str| {
            Quantity::matrix(name, n, n, meaning, &self.unit(turning, other))
        };
        // Of what by what, each with its name in the program.
        let derivative = |[of, what]: [&str; 2], [by, meaning]: [&str; 2], turning: &str, other: &str| {
            square(&format!("d{of}_d{by}"), &format!("derivatives of the {what} by {meaning}"), turning, other)
        };
        let (tau, qdd, q, qd) =
            (["tau", "torques"], ["qdd", "accelerations"], ["q", "positions"], ["qd", "velocities"]);
        let of_tool = |name: &str, meaning: &str, unit: &str| {
            let (meaning, unit) = match self.tool {
                3 => (format!("velocity of the platform{meaning}"), unit.split(',').next().unwrap_or(unit)),
                _ => (format!("velocity of the tool point, then its angular velocity,{meaning}"), unit),
            };
            Quantity::matrix(name, self.tool, n, &meaning, unit)
        };
        match of {
            Of::Acceleration => vec![self.row("qdd", "joint accelerations", "rad/s^2", "m/s^2")],
            Of::Bias => vec![self.row("h", "torques without acceleration", "N m", "N")],
            Of::Coriolis => vec![self.row("c", "velocity torques", "N m", "N")],
            Of::Mass => vec![square("m", "mass matrix", "kg m^2", "kg")],
            Of::Gravity => vec![self.row("g", "holding torques", "N m", "N")],
            Of::TorqueDerivatives => vec![
                derivative(tau, q, "N m/rad", "N/m"),
                derivative(tau, qd, "N m s/rad", "N s/m"),
                derivative(tau, qdd, "kg m^2", "kg"),
            ],
            Of::AccelerationDerivatives => vec![
                derivative(qdd, q, "1/s^2", "1/s^2"),
                derivative(qdd, qd, "1/s", "1/s"),
                derivative(qdd, tau, "1/(kg m^2)", "1/kg"),
            ],
            Of::Jacobian => vec![of_tool("j", " per joint velocity", "m/rad, 1")],
            Of::JacobianRate => vec![of_tool("jd", " per joint velocity: how fast that changes", "m/(rad s), 1/s")],
            _ => vec![self.row("tau", "joint torques", "N m", "N")],
        }
    }
}
