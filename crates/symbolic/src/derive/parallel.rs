//! Programs of parallel robots, from the state of the platform: inverse kinematics and inverse dynamics. A pose can be out of reach,
//! so they refuse with a code: the number of the leg, or one more than there are legs where these do not hold the platform.

use super::closed::{self, ClosedLoops, ClosedRobot};
use super::formulas::RobotFormulas;
use super::quantities::needs;
use super::symbols::Make;
use super::{DeriveError, Derived, Of, ParameterColumn, Request};
use crate::expr::Expr;
use crate::extract::Random;
use crate::program::{Program, Quantity};
use crate::recorded::{FormulaTape, RecordedRow, RecordedScalar};
use dalembert_core::delta::Branch;
use dalembert_core::parallel::{Parallel, Pose, SINGULAR};
use dalembert_core::parameter::Visit;
use dalembert_core::spatial::{Frame, Twist, Wrench, roll_pitch_yaw};
use dalembert_core::{Angle, Mat3, Scalar, Vec3};

/// The program of a parallel robot.
pub fn parallel<const N: usize>(robot: &Parallel<f64, N>, request: &Request) -> Result<Derived, DeriveError> {
    let all = request.all();
    let alone = |of: &Of| matches!(of, Of::Ik | Of::TorqueCartesian);
    let reason = match request.of {
        Of::Regressor => "its columns are the parameters of the robot's `regressor`: derive it through the robot",
        _ if all.contains(&Of::Fk) => "forward kinematics is solved by iteration and has no closed form",
        _ if all.len() > 1 && all.iter().any(alone) => {
            "`torque-cartesian` and `ik` cannot be combined with other quantities"
        }
        _ if all.contains(&Of::Regressor) => "`regressor` stands alone",
        _ if request.symbolic => "its parameters cannot stay symbolic",
        _ if request.abbreviation.is_some() => "significance is for the explicit models of serial arms",
        _ => return closed::derived(&ParallelFormulas { robot: *robot, request }),
    };
    Err(DeriveError::refused(request.of, reason))
}

/// Y of τ = Y β, without friction of the motors: the robot's `regressor` as a program.
pub fn parallel_regressor<const N: usize>(
    robot: &Parallel<f64, N>,
    columns: &[ParameterColumn<Parallel<f64, N>>],
    request: &Request,
) -> Result<Derived, DeriveError> {
    let moving = Request { of: Of::Torque, also: Vec::new(), ..request.clone() };
    let of = |robot: &Parallel<f64, N>| ParallelFormulas { robot: *robot, request: &moving };
    let columns = columns.iter().map(|column| (of(&column.robot), column.name.as_str(), column.less));
    closed::regressor(&of(robot), columns, request)
}

#[derive(Clone, Copy)]
struct ParallelFormulas<'r, const N: usize> {
    robot: Parallel<f64, N>,
    request: &'r Request,
}

/// The platform of the inputs: position and, where it turns, the rows of its rotation.
fn frame<S: Scalar, const N: usize>(inputs: &[S]) -> Frame<S> {
    let origin = Vec3::from_fn(|k| inputs[k]);
    match N {
        3 => Frame::at(origin),
        _ => Frame { rotation: Mat3::from_fn(|i, j| inputs[3 + 3 * i + j]), origin },
    }
}

/// A twist of the inputs, first velocities, then accelerations.
fn twist<S: Scalar, const N: usize>(inputs: &[S], order: usize) -> Twist<S> {
    let start = pose_length::<N>() + (order - 1) * N;
    let part = |k: usize| Vec3::from_fn(|i| inputs[start + 3 * k + i]);
    Twist { linear: part(0), angular: if N == 3 { Vec3::zero() } else { part(1) } }
}

/// Numbers that the pose of a platform has.
const fn pose_length<const N: usize>() -> usize {
    if N == 3 { 3 } else { 12 }
}

impl<const N: usize> ParallelFormulas<'_, N> {
    fn branches(&self) -> [Branch; N] {
        let usual = self.robot.branches();
        match self.request.branch {
            Branch::Out => usual,
            Branch::In => usual.map(|branch| if branch == Branch::Out { Branch::In } else { Branch::Out }),
        }
    }

    /// Records a formula in a pose, with all inputs.
    fn recorded(
        &self,
        formula: &dyn for<'t> Fn(Pose<'_, RecordedScalar<'t>, N>, &[RecordedScalar<'t>]) -> RecordedRow<'t>,
    ) -> Program {
        let tape = FormulaTape::default();
        let mut parameters = self.robot.parameters().lift();
        tape.parameters(|visit| parameters.visit(visit));
        let inputs = tape.inputs(pose_length::<N>() + 3 * N);
        let robot = Parallel::new(parameters);
        let results = formula(robot.pose_unchecked(frame::<_, N>(&inputs), self.branches()), &inputs);
        tape.program(&results)
    }

    fn with(&self, robot: Parallel<f64, N>) -> Box<dyn ClosedLoops + '_> {
        Box::new(Self { robot, ..*self })
    }
}

impl<const N: usize> RobotFormulas for ParallelFormulas<'_, N> {
    fn count(&self) -> usize {
        N
    }

    fn visit(&self, visit: &mut Visit<'_, f64>) {
        { *self.robot.parameters() }.visit(visit);
    }

    fn record(&self, of: Of) -> Program {
        self.recorded(&|pose, inputs| {
            match of {
                Of::Ik => return pose.joints().to_vec(),
                Of::TorqueCartesian => {
                    let moving = pose.moving(twist::<_, N>(inputs, 1));
                    return [moving.torque(twist::<_, N>(inputs, 2), Wrench::zero()), moving.joint_velocity()].concat();
                }
                _ => {}
            }
            let row = |k: usize| std::array::from_fn(|i| inputs[pose_length::<N>() + k * N + i]);
            let [qd, qdd, tau]: [[_; N]; 3] = [0, 1, 2].map(row);
            let factors = pose.factors();
            let rigid = |qd: [_; N], qdd: [_; N]| {
                let moving = pose.moving_joints(&factors, qd);
                moving.rigid_torque(&factors, moving.platform_acceleration(&factors, qdd), Wrench::zero())
            };
            let torque = |qd: [_; N], qdd: [_; N]| -> Vec<_> {
                let friction = pose.moving_joints(&factors, qd).friction_torque();
                rigid(qd, qdd).into_iter().zip(friction).map(|(torque, friction)| torque + friction).collect()
            };
            let still = [RecordedScalar::zero(); N];
            match of {
                // A column for each joint: the platform as that joint alone moves it.
                Of::Jacobian => {
                    let columns: [[_; N]; N] = std::array::from_fn(|j| {
                        let one = |i| if i == j { RecordedScalar::one() } else { RecordedScalar::zero() };
                        let twist = pose.moving_joints(&factors, std::array::from_fn(one)).velocity.twist;
                        std::array::from_fn(|k| if k < 3 { twist.linear[k] } else { twist.angular[k - 3] })
                    });
                    (0..N * N).map(|k| columns[k % N][k / N]).collect()
                }
                Of::Mass => pose.mass_matrix(&factors).concat(),
                Of::Gravity => pose.gravity_torque(&factors).to_vec(),
                Of::Coriolis => {
                    let (bias, held) = (rigid(qd, still), rigid(still, still));
                    (0..N).map(|i| bias[i] - held[i]).collect()
                }
                Of::Bias => torque(qd, still),
                Of::Acceleration => {
                    let moving = pose.moving_joints(&factors, qd);
                    moving.joint_acceleration(moving.acceleration(tau, Wrench::zero())).to_vec()
                }
                _ => torque(qd, qdd),
            }
        })
    }

    fn record_rates(&self) -> Option<Program> {
        Some(self.recorded(&|pose, inputs| {
            let factors = pose.factors();
            let qd = std::array::from_fn(|i| inputs[pose_length::<N>() + i]);
            let twist = pose.moving_joints(&factors, qd).velocity.twist;
            let turned = Mat3::skew(twist.angular).product(frame::<_, N>(inputs).rotation);
            twist.linear.0.into_iter().chain(turned.0.into_iter().flat_map(|row| row.0)).collect()
        }))
    }
}

impl<const N: usize> ClosedLoops for ParallelFormulas<'_, N> {
    fn about(&self) -> ClosedRobot<'_> {
        let (&Self { request, .. }, legs) = (self, &self.robot.parameters().legs);
        let frictions = legs.map(|leg| leg.motor.friction).to_vec();
        ClosedRobot {
            request,
            leg: "leg",
            slides: legs.iter().map(|leg| leg.slides()).collect(),
            frictions,
            pose: pose_length::<N>(),
        }
    }

    fn without_friction(&self) -> Box<dyn ClosedLoops + '_> {
        let mut parameters = *self.robot.parameters();
        parameters.legs.iter_mut().for_each(|leg| leg.motor.friction = None);
        self.with(Parallel::new(parameters))
    }

    /// Its parameters cannot stay symbolic.
    fn lifted<'g>(&self, _: Option<&mut Make<'_, Expr<'g>>>) -> Vec<Expr<'g>> {
        self.numbers().into_iter().map(Expr::from_f64).collect()
    }

    fn sampled(&self, _: &mut Make<'_, f64>) -> Box<dyn ClosedLoops + '_> {
        self.with(self.robot)
    }

    fn record_margins(&self) -> (Program, Vec<u32>) {
        let determinant = self.request.of != Of::Ik;
        let program = self.recorded(&|pose, _| {
            let legs = pose.legs.iter().map(|leg| leg.discriminant);
            legs.chain(determinant.then(|| pose.determinant())).collect()
        });
        (program, (1..=N as u32 + u32::from(determinant)).collect())
    }

    /// The determinant must be above the library's own limit; the legs' margins are squares of their levers already.
    fn refusal(&self, code: u32) -> (String, f64) {
        match code as usize {
            leg @ 1.. if leg <= N => (format!("leg {leg}: out of reach, or stretched"), 0.0),
            _ => ("singular: the legs do not hold the platform".to_owned(), SINGULAR),
        }
    }

    fn pose(&self) -> [Vec<Quantity>; 2] {
        let mut pose = vec![Quantity::new("x", 3, "position of the platform, base frame", "m")];
        if N > 3 {
            pose.push(Quantity::matrix("rotation", 3, 3, "axes of the platform as columns, base frame", ""));
        }
        [pose.clone(), pose]
    }

    fn conventions(&self) -> Vec<String> {
        let mut lines = vec!["SI units and radians; torques at the joint side of the gear.".to_owned()];
        if N > 3 {
            lines
                .push("The rotation is given by rows; angular velocities are about the axes of the base frame.".into());
        }
        if self.request.branch == Branch::In {
            lines.push("Every leg on the other of its two branches.".into());
        }
        lines
    }

    fn state(&self, random: &mut Random) -> Result<Vec<f64>, DeriveError> {
        const TRIES: usize = 100_000;
        let (robot, branches) = (&self.robot, self.branches());
        let home = robot.home();
        let at_home = robot.pose_unchecked(home, branches);
        let size = at_home.legs.iter().map(|leg| leg.rod.norm_squared().sqrt()).fold(f64::INFINITY, f64::min);
        let clear = 0.2 * at_home.determinant().abs();
        let rubs = robot.parameters().legs.iter().any(|leg| leg.motor.friction.is_some());
        for attempt in 0..TRIES {
            let reach = if attempt % 2 == 0 { 0.15 } else { 0.03 };
            let mut triple = |by: f64| [0; 3].map(|_| by * random.signed());
            let origin = home.origin + Vec3(triple(reach * size));
            let turn = roll_pitch_yaw(triple(3.0 * reach).map(Angle::from_radians));
            let rotation = if N > 3 { turn.product(home.rotation) } else { home.rotation };
            let slow = if rubs && attempt % 4 == 3 { 1e-3 } else { 1.0 };
            let motion: [[f64; 3]; 4] = [size, 5.0, 10.0 * size, 50.0].map(&mut triple);
            let tool = Frame { rotation, origin };
            let Ok(pose) = robot.at_tool_on(tool, branches) else { continue };
            let levers = pose.transmission_margins();
            if pose.determinant().abs() < clear || levers.iter().any(|lever| lever.abs() < 0.1) {
                continue;
            }
            let mut inputs = origin.0.to_vec();
            if N > 3 {
                inputs.extend(rotation.0.iter().flat_map(|row| row.0));
            }
            let [v, w, a, alpha] = motion;
            match self.request.of {
                Of::Ik => {}
                Of::TorqueCartesian => {
                    inputs.extend(v.map(|x| slow * x));
                    inputs.extend(w.iter().filter(|_| N > 3).map(|x| slow * x));
                    inputs.extend(a);
                    inputs.extend(alpha.iter().filter(|_| N > 3));
                }
                _ => {
                    let turning = |w: [f64; 3]| if N > 3 { Vec3(w) } else { Vec3::zero() };
                    let moving = pose.moving(Twist { linear: Vec3(v) * slow, angular: turning(w) * slow });
                    let acceleration = Twist { linear: Vec3(a), angular: turning(alpha) };
                    let torque = moving.torque(acceleration, Wrench::zero());
                    let rows = [moving.joint_velocity(), moving.joint_acceleration(acceleration), torque];
                    let needed = needs(&self.request.all());
                    inputs.extend(rows.iter().zip(&needed[1..]).filter(|(_, need)| **need).flat_map(|(row, _)| row));
                }
            }
            return Ok(inputs);
        }
        Err(DeriveError::NoPose { of: self.request.of, tried: TRIES })
    }
}
