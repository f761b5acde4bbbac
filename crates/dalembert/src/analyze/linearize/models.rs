//! A, B, C, D of Deltas and serial arms, by dual numbers.

use super::LinearizeError;
use crate::algebra::three;
use crate::arm::{ArmError, ArmVisitor, SerialArm};
use crate::delta::{Branch, Delta, Moving, Pose};
use crate::linear::{Linearized, Matrix, Signal, StateSpace};
use crate::serial::Serial;
use crate::{Dual, Vec3};

/// What the state of a Delta is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coordinates {
    /// (q, q̇).
    #[default]
    Joint,
    /// (X, Ẋ) of the platform.
    Cartesian,
}

/// What is measured of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Joint angles, `q1 …`.
    Joints,
    /// Joint velocities, `qd1 …`.
    JointRates,
    /// Position of platform or tool, `x, y, z`.
    Position,
    /// Its velocity, `vx, vy, vz`.
    Velocity,
    /// Its acceleration, `ax, ay, az`: an accelerometer (without gravity). The only output with a D.
    Acceleration,
}

impl Output {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Joints, Self::JointRates, Self::Position, Self::Velocity, Self::Acceleration];

    /// Its name on a command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Joints => "joints",
            Self::JointRates => "joint-rates",
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Acceleration => "acceleration",
        }
    }

    pub(super) fn signals(self, joints: &[Signal], rates: &[Signal]) -> Vec<Signal> {
        let axes =
            |prefix: &str, unit| ["x", "y", "z"].map(|axis| Signal::new(format!("{prefix}{axis}"), unit)).to_vec();
        match self {
            Self::Joints => joints.to_vec(),
            Self::JointRates => rates.to_vec(),
            Self::Position => axes("", "m"),
            Self::Velocity => axes("v", "m/s"),
            Self::Acceleration => axes("a", "m/s^2"),
        }
    }
}

/// The linear model of a Delta at rest, held by its motors.
pub fn delta_at_rest(
    pose: &Pose<'_, f64>,
    coordinates: Coordinates,
    outputs: &[Output],
) -> Result<Linearized, LinearizeError> {
    delta(&pose.moving(Vec3::zero()), pose.gravity_torque(), Vec3::zero(), coordinates, outputs)
}

/// The linear model of a Delta about a state with motor torques and a force on the platform: of a motion where the
/// torques are those of [`Moving::torque_under`], of an equilibrium where it rests.
pub fn delta(
    moving: &Moving<'_, f64>,
    torque: [f64; 3],
    force: Vec3<f64>,
    coordinates: Coordinates,
    outputs: &[Output],
) -> Result<Linearized, LinearizeError> {
    type D = Dual<f64, 9>;
    let pose = &moving.pose;
    let lifted: Delta<D> = pose.robot.lift();
    let first = match coordinates {
        Coordinates::Joint => pose.joints(),
        Coordinates::Cartesian => pose.position.0,
    };
    let second = match coordinates {
        Coordinates::Joint => moving.joint_velocity(),
        Coordinates::Cartesian => moving.velocity.0,
    };
    let seeded = |values: [f64; 3], from: usize| three(|i| D::variable(values[i], from + i));
    let (x, v, tau) = (seeded(first, 0), seeded(second, 3), seeded(torque, 6));
    let along = match coordinates {
        Coordinates::Joint => lifted.pose_from_joints_unchecked(x, pose.assembly()).0.moving_joints(v),
        Coordinates::Cartesian => lifted.pose_unchecked(Vec3(x), one_branch(pose)?).moving(Vec3(v)),
    };
    let acceleration = along.acceleration_under(tau, force.map(D::constant));
    let rate = match coordinates {
        Coordinates::Joint => along.joint_acceleration(acceleration),
        Coordinates::Cartesian => acceleration.0,
    };
    let (q, qd) = (Signal::numbered("q", 3, "rad"), Signal::numbered("qd", 3, "rad/s"));
    let mut rows: Vec<D> = Vec::new();
    let mut names = Vec::new();
    for output in outputs {
        names.extend(output.signals(&q, &qd));
        rows.extend(match output {
            Output::Joints => along.pose.joints(),
            Output::JointRates => along.joint_velocity(),
            Output::Position => along.pose.position.0,
            Output::Velocity => along.velocity.0,
            Output::Acceleration => acceleration.0,
        });
    }
    let derivative =
        |of: &[D], from: usize, to: usize| Matrix::from_fn(of.len(), to - from, |i, j| of[i].derivative[from + j]);
    let rates: Vec<D> = v.into_iter().chain(rate).collect();
    let states = match coordinates {
        Coordinates::Joint => [q, qd].concat(),
        Coordinates::Cartesian => [Output::Position.signals(&[], &[]), Output::Velocity.signals(&[], &[])].concat(),
    };
    let matrices =
        [derivative(&rates, 0, 6), derivative(&rates, 6, 9), derivative(&rows, 0, 6), derivative(&rows, 6, 9)];
    let values = |of: &[D]| of.iter().map(|x| x.value).collect();
    Ok(Linearized {
        system: StateSpace::new(matrices, states, Signal::numbered("tau", 3, "N m"), names)?,
        state: first.into_iter().chain(second).collect(),
        input: torque.to_vec(),
        output: values(&rows),
        rate: values(&rates),
    })
}

fn one_branch(pose: &Pose<'_, f64>) -> Result<Branch, LinearizeError> {
    let [a, b, c] = pose.branches();
    if a == b && b == c { Ok(a) } else { Err(LinearizeError::MixedBranches) }
}

/// The linear model of a serial arm about a state with joint torques: of a motion, or of an equilibrium.
pub fn arm(
    arm: &SerialArm,
    q: &[f64],
    qd: &[f64],
    torque: &[f64],
    outputs: &[Output],
) -> Result<Linearized, LinearizeError> {
    arm.visit(Arm { q, qd, torque, outputs })
}

struct Arm<'a> {
    q: &'a [f64],
    qd: &'a [f64],
    torque: &'a [f64],
    outputs: &'a [Output],
}

/// Rates of the state and outputs, with their derivatives by N variables.
type Pass<const N: usize> = (Vec<Dual<f64, N>>, Vec<Dual<f64, N>>);

impl ArmVisitor for Arm<'_> {
    type Output = Result<Linearized, LinearizeError>;

    /// N variables at a time: first the angles, then the rates, then the torques.
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
        let array = |what, values: &[f64]| -> Result<[f64; N], ArmError> {
            values.try_into().map_err(|_| ArmError::Length { what, found: values.len(), joints: N })
        };
        let [q, qd, tau] = [array("q", self.q)?, array("qd", self.qd)?, array("tau", self.torque)?];
        arm.at_joints(q).and_then(|pose| pose.try_moving(qd)?.try_acceleration(tau)).map_err(ArmError::from)?;
        let lifted: Serial<Dual<f64, N>, N> = arm.lift();
        let passes: [Pass<N>; 3] = std::array::from_fn(|pass| {
            let seed = |values: [f64; N], number: usize| {
                if pass == number { Dual::variables(values) } else { values.map(Dual::constant) }
            };
            let (q, qd) = (seed(q, 0), seed(qd, 1));
            let moving = lifted.pose_unchecked(q).moving(qd);
            let qdd = moving.acceleration(seed(tau, 2));
            let outputs = self.outputs.iter().flat_map(|output| match output {
                Output::Joints => q.to_vec(),
                Output::JointRates => qd.to_vec(),
                Output::Position => moving.pose.tool().origin.0.to_vec(),
                Output::Velocity => moving.tool_velocity().linear.0.to_vec(),
                Output::Acceleration => moving.tool_acceleration(qdd).linear.0.to_vec(),
            });
            (qd.into_iter().chain(qdd).collect(), outputs.collect())
        });
        let block = |passes: [&Vec<Dual<f64, N>>; 3], from: usize, count: usize| {
            Matrix::from_fn(passes[0].len(), count * N, |i, j| passes[from + j / N][i].derivative[j % N])
        };
        let (rates, outputs) = (passes.each_ref().map(|p| &p.0), passes.each_ref().map(|p| &p.1));
        let links = &arm.parameters().links;
        let unit = |turning: &'static str, sliding: &'static str, name: &str| -> Vec<Signal> {
            let units = links.iter().map(|link| match link.joint {
                crate::serial::Joint::Revolute => turning,
                crate::serial::Joint::Prismatic => sliding,
            });
            units.enumerate().map(|(i, unit)| Signal::new(format!("{name}{}", i + 1), unit)).collect()
        };
        let (names_q, names_qd) = (unit("rad", "m", "q"), unit("rad/s", "m/s", "qd"));
        let names = self.outputs.iter().flat_map(|output| output.signals(&names_q, &names_qd)).collect();
        let matrices = [block(rates, 0, 2), block(rates, 2, 1), block(outputs, 0, 2), block(outputs, 2, 1)];
        let values = |of: &Vec<Dual<f64, N>>| of.iter().map(|x| x.value).collect();
        Ok(Linearized {
            system: StateSpace::new(matrices, [names_q, names_qd].concat(), unit("N m", "N", "tau"), names)?,
            state: [q, qd].concat(),
            input: tau.to_vec(),
            output: values(outputs[0]),
            rate: values(rates[0]),
        })
    }
}
