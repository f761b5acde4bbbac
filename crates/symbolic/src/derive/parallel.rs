//! Programs of parallel robots, from the state of the platform: inverse kinematics and inverse dynamics. A pose can be out of reach,
//! so they refuse with a code: the number of the leg, or one more than there are legs where these do not hold the platform.

use super::closed::{self, RobotFormulas, Rows};
use super::parameters::{self, Parts, by_parameters};
use super::quantities::{Joints, needs};
use super::regressor::Regressed;
use super::symbols;
use super::verify::{STATES, Trial, verified};
use super::with_friction::with_friction;
use super::{
    DeriveError, Derived, Of, ParameterColumn, Request, candidates, finish, first_checked, join, program_name,
    regressor,
};
use crate::expr::Expr;
use crate::extract::{Random, Signature};
use crate::graph::Graph;
use crate::program::{Program, Quantity};
use dalembert_core::delta::Branch;
use dalembert_core::parallel::{Parallel, ParallelParameters, SINGULAR};
use dalembert_core::spatial::{Frame, Twist, Wrench, roll_pitch_yaw};
use dalembert_core::{Angle, Dual, Mat3, Scalar, Vec3};

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
        _ => {
            join::refuse_own_laws(request.of, &frictions(robot))?;
            return derived(robot, request);
        }
    };
    Err(DeriveError::DoesNotApply { of: request.of, reason: reason.into() })
}

fn frictions<const N: usize>(robot: &Parallel<f64, N>) -> [Option<dalembert_core::friction::Friction<f64>>; N] {
    robot.parameters().legs.map(|leg| leg.motor.friction)
}

fn derived<const N: usize>(robot: &Parallel<f64, N>, request: &Request) -> Result<Derived, DeriveError> {
    let all = request.all();
    let slides = |leg: usize| robot.parameters().legs[leg].slides();
    parameters::refuse_others(&all)?;
    let mut columns = match by_parameters(request.of) {
        true => {
            let parts = Parts { word: "leg", count: N, slides: &slides, shared: true, idle: &|_, _| false };
            parts.columns(request.of, &request.by, |visit| { *robot.parameters() }.visit(visit))?
        }
        false => Vec::new(),
    };
    let graph = Graph::for_target(request.target);
    let mut random = Random::new(1);
    // Friction is joined later; derivatives by parameters have it with the others.
    let rigid = if columns.is_empty() { without_friction(robot) } else { *robot };
    let lifted: Parallel<Expr<'_>, N> = rigid.lift();
    let point = state(&rigid, request, &mut random)?;
    let (inputs, mut outputs) = quantities::<N>(robot, &all);
    let variables = symbols::inputs(&graph, &inputs, &point);
    let (mut results, margins) = formula(&lifted, request, &columns, &variables);
    let mut words = conventions::<N>(request);
    if by_parameters(request.of) {
        let mut samples = Vec::new();
        for _ in 0..parameters::SAMPLES {
            let inputs = state(robot, request, &mut Random::new(7 + samples.len() as u64))?;
            samples.push(formula(robot, request, &columns, &inputs).0);
        }
        (columns, results) = parameters::kept(columns, results, &samples);
        parameters::require_columns(request.of, &columns)?;
        outputs = vec![joints(robot).by_parameters(request.of, columns.len())];
        words.extend(parameters::words(&columns));
    }
    if frictions(robot).iter().any(Option::is_some) && request.of == Of::TorqueCartesian {
        results.extend(moving(&lifted, request, &variables).joint_velocity());
    }
    let meanings = meanings::<N>();
    let checks: Vec<_> =
        (1..).zip(margins.iter().zip(&meanings)).map(|(code, (margin, why))| (*margin, code, why.as_str())).collect();
    let signature = Signature {
        name: program_name(request),
        title: all.iter().map(|&of| symbols::title(of)).collect::<Vec<_>>().join("; "),
        inputs,
        outputs,
        parameters: Vec::new(),
    };
    let mut trials = Vec::new();
    for _ in 0..STATES {
        let inputs = state(robot, request, &mut random)?;
        let expected = formula(robot, request, &columns, &inputs).0;
        trials.push(Trial { variant: 0, parameters: Vec::new(), inputs, expected, sizes: Vec::new() });
    }
    let sizes = match columns.len() {
        0 => Vec::new(),
        width => parameters::sized(&mut trials, width),
    };
    let programs = candidates(&graph, signature, &results, &checks, request.effort);
    first_checked(programs, request.of, |mut program| {
        set_limits::<N>(&mut program);
        program = with_friction(program, &all, &frictions(robot), &slides, false);
        let through = |_: &Trial, found| parameters::over(found, &sizes);
        verified(finish(program, request, words.clone()), request.of, &trials, &through)
    })
}

fn meanings<const N: usize>() -> Vec<String> {
    (1..=N)
        .map(|leg| format!("leg {leg}: out of reach, or stretched"))
        .chain(["singular: the legs do not hold the platform".to_owned()])
        .collect()
}

/// The determinant must be above the library's own limit; the legs' margins are squares of their levers already.
fn set_limits<const N: usize>(program: &mut Program) {
    if let Some(check) = program.checks.get_mut(N) {
        (check.least, check.sized) = (SINGULAR, true);
    }
}

fn without_friction<const N: usize>(robot: &Parallel<f64, N>) -> Parallel<f64, N> {
    let mut parameters: ParallelParameters<f64, N> = *robot.parameters();
    parameters.legs.iter_mut().for_each(|leg| leg.motor.friction = None);
    Parallel::new(parameters)
}

fn branches<S: Scalar, const N: usize>(robot: &Parallel<S, N>, request: &Request) -> [Branch; N] {
    let usual = robot.branches();
    match request.branch {
        Branch::Out => usual,
        Branch::In => usual.map(|branch| if branch == Branch::Out { Branch::In } else { Branch::Out }),
    }
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
    let start = if N == 3 { 3 } else { 12 } + (order - 1) * N;
    let part = |k: usize| Vec3::from_fn(|i| inputs[start + 3 * k + i]);
    Twist { linear: part(0), angular: if N == 3 { Vec3::zero() } else { part(1) } }
}

fn moving<'r, S: Scalar, const N: usize>(
    robot: &'r Parallel<S, N>,
    request: &Request,
    inputs: &[S],
) -> dalembert_core::parallel::Moving<'r, S, N> {
    robot.pose_unchecked(frame::<S, N>(inputs), branches(robot, request)).moving(twist::<S, N>(inputs, 1))
}

/// The formula itself, with numbers of any kind, and what must be positive for it to mean something.
fn formula<S: Scalar, const N: usize>(
    robot: &Parallel<S, N>,
    request: &Request,
    columns: &[parameters::Column],
    inputs: &[S],
) -> (Vec<S>, Vec<S>) {
    let pose = robot.pose_unchecked(frame::<S, N>(inputs), branches(robot, request));
    let mut margins: Vec<S> = pose.legs.iter().map(|leg| leg.discriminant).collect();
    if request.of == Of::Ik {
        return (pose.joints().to_vec(), margins);
    }
    margins.push(pose.determinant());
    if request.of == Of::TorqueCartesian {
        let torque = moving(robot, request, inputs).torque(twist::<S, N>(inputs, 2), Wrench::zero());
        return (torque.to_vec(), margins);
    }
    let all = request.all();
    let rows = closed::rows(&all, inputs, pose_length::<N>(), N);
    let dual = Parallel::new(robot.parameters().map(Dual::<S, 1>::constant));
    let along = |pose: &[S], qd: &[S]| -> Vec<Dual<S, 1>> {
        let at = frame::<S, N>(pose);
        let still = robot.pose_unchecked(at, branches(robot, request));
        let factors = still.factors();
        let twist = still.moving_joints(&factors, std::array::from_fn(|i| qd[i])).velocity.twist;
        let turned = Mat3::skew(twist.angular).product(at.rotation);
        let rates = twist.linear.0.into_iter().chain(turned.0.into_iter().flat_map(|row| row.0));
        pose.iter().zip(rates).map(|(&value, rate)| Dual { value, derivative: [rate] }).collect()
    };
    let formulas = RobotFormulas {
        joints: N,
        plain: &|of, rows| at_platform(robot, request, of, rows),
        dual: &|of, rows| at_platform(&dual, request, of, rows),
        along: &along,
        changed: &|rows| {
            let column = |column: &parameters::Column| {
                let mut changing = robot.parameters().map(Dual::<S, 1>::constant);
                column.seed(|visit| changing.visit(visit));
                let changing = Parallel::new(changing);
                let mut moving = closed::at_rest(rows);
                // The joints stay where they are: the platform gives way by what they would have to move.
                let pose = changing.pose_unchecked(frame::<_, N>(&moving[0]), branches(&changing, request));
                moving[0] = along(&rows[0], &pose.joints().map(|q| -q.derivative[0]));
                at_platform(&changing, request, Of::Torque, &moving).iter().map(|x| x.derivative[0]).collect()
            };
            columns.iter().map(column).collect()
        },
    };
    (all.iter().flat_map(|&of| formulas.results(of, &rows)).collect(), margins)
}

/// What is no derivative, in joint coordinates at a pose of the platform.
fn at_platform<S: Scalar, const N: usize>(robot: &Parallel<S, N>, request: &Request, of: Of, rows: &Rows<S>) -> Vec<S> {
    let pose = robot.pose_unchecked(frame::<S, N>(&rows[0]), branches(robot, request));
    let [qd, qdd, tau] = [1, 2, 3].map(|k| std::array::from_fn(|i| rows[k][i]));
    let factors = pose.factors();
    let rigid = |qd: [S; N], qdd: [S; N]| {
        let moving = pose.moving_joints(&factors, qd);
        moving.rigid_torque(&factors, moving.platform_acceleration(&factors, qdd), Wrench::zero())
    };
    let torque = |qd: [S; N], qdd: [S; N]| -> Vec<S> {
        let friction = pose.moving_joints(&factors, qd).friction_torque();
        rigid(qd, qdd).into_iter().zip(friction).map(|(torque, friction)| torque + friction).collect()
    };
    let still = [S::zero(); N];
    match of {
        // A column for each joint: the platform as that joint alone moves it.
        Of::Jacobian => {
            let columns: [[S; N]; N] = std::array::from_fn(|j| {
                let unit = std::array::from_fn(|i| if i == j { S::one() } else { S::zero() });
                let twist = pose.moving_joints(&factors, unit).velocity.twist;
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
}

/// Y of τ = Y β, without friction of the motors: the robot's `regressor` as a program.
pub fn parallel_regressor<const N: usize>(
    robot: &Parallel<f64, N>,
    columns: &[ParameterColumn<Parallel<f64, N>>],
    request: &Request,
) -> Result<Derived, DeriveError> {
    let graph = Graph::for_target(request.target);
    let mut random = Random::new(1);
    let rigid = without_friction(robot);
    let moving = Request { of: Of::Torque, also: Vec::new(), ..request.clone() };
    let inputs = quantities::<N>(robot, &[Of::Torque]).0;
    let mut states = Vec::new();
    for _ in 0..regressor::ENOUGH {
        states.push(state(&rigid, &moving, &mut random)?);
    }
    let variables = symbols::inputs(&graph, &inputs, &states[0]);
    let margins = formula(&rigid.lift(), &moving, &[], &variables).1;
    let meanings = meanings::<N>();
    regressor::program(Regressed {
        graph: &graph,
        request,
        joints: N,
        inputs,
        names: columns.iter().map(|column| column.name.clone()).collect(),
        less: columns.iter().map(|column| column.less).collect(),
        states,
        torque: &|column, state| formula(column.map_or(&rigid, |k| &columns[k].robot), &moving, &[], state).0,
        expression: &|column| formula(&columns[column].robot.lift(), &moving, &[], &variables).0,
        checks: (1..).zip(margins.iter().zip(&meanings)).map(|(code, (&m, why))| (m, code, why.as_str())).collect(),
        limit: &set_limits::<N>,
        conventions: conventions::<N>(&moving),
    })
}

/// Numbers that the pose of a platform has.
const fn pose_length<const N: usize>() -> usize {
    if N == 3 { 3 } else { 12 }
}

fn joints<const N: usize>(robot: &Parallel<f64, N>) -> Joints {
    Joints { count: N, sliding: robot.parameters().legs.iter().filter(|leg| leg.slides()).count(), tool: N }
}

fn quantities<const N: usize>(robot: &Parallel<f64, N>, all: &[Of]) -> (Vec<Quantity>, Vec<Quantity>) {
    let turning = N > 3;
    let joints = joints(robot);
    let mut pose = vec![Quantity::new("x", 3, "position of the platform, base frame", "m")];
    if turning {
        pose.push(Quantity::matrix("rotation", 3, 3, "axes of the platform as columns, base frame", ""));
    }
    match all {
        [Of::Ik] => (pose, vec![joints.positions()]),
        [Of::TorqueCartesian] => {
            let (rates, seconds) = if turning {
                (
                    "velocity and angular velocity of the platform",
                    "acceleration and angular acceleration of the platform",
                )
            } else {
                ("velocity of the platform", "acceleration of the platform")
            };
            let (v, a) = if turning { ("m/s, rad/s", "m/s^2, rad/s^2") } else { ("m/s", "m/s^2") };
            pose.push(Quantity::new("v", N, rates, v));
            pose.push(Quantity::new("a", N, seconds, a));
            (pose, joints.outputs(Of::Torque))
        }
        _ => (joints.inputs(all, pose), all.iter().flat_map(|&of| joints.outputs(of)).collect()),
    }
}

fn conventions<const N: usize>(request: &Request) -> Vec<String> {
    let mut lines = vec!["SI units and radians; torques at the joint side of the gear.".to_owned()];
    if N > 3 {
        lines.push("The rotation is given by rows; angular velocities are about the axes of the base frame.".into());
    }
    if request.branch == Branch::In {
        lines.push("Every leg on the other of its two branches.".into());
    }
    lines
}

/// A random state about home, away from the singularities.
fn state<const N: usize>(
    robot: &Parallel<f64, N>,
    request: &Request,
    random: &mut Random,
) -> Result<Vec<f64>, DeriveError> {
    const TRIES: usize = 100_000;
    let home = robot.home();
    let at_home = robot.pose_unchecked(home, branches(robot, request));
    let size = at_home.legs.iter().map(|leg| leg.rod.norm_squared().sqrt()).fold(f64::INFINITY, f64::min);
    let clear = 0.2 * at_home.determinant().abs();
    let rubs = frictions(robot).iter().any(Option::is_some);
    for attempt in 0..TRIES {
        let reach = if attempt % 2 == 0 { 0.15 } else { 0.03 };
        let mut triple = |by: f64| [0; 3].map(|_| by * random.signed());
        let origin = home.origin + Vec3(triple(reach * size));
        let turn = roll_pitch_yaw(triple(3.0 * reach).map(Angle::from_radians));
        let rotation = if N > 3 { turn.product(home.rotation) } else { home.rotation };
        let slow = if rubs && attempt % 4 == 3 { 1e-3 } else { 1.0 };
        let motion: [[f64; 3]; 4] = [size, 5.0, 10.0 * size, 50.0].map(&mut triple);
        let tool = Frame { rotation, origin };
        let Ok(pose) = robot.at_tool_on(tool, branches(robot, request)) else { continue };
        let levers = pose.transmission_margins();
        if pose.determinant().abs() < clear || levers.iter().any(|lever| lever.abs() < 0.1) {
            continue;
        }
        let mut inputs = origin.0.to_vec();
        if N > 3 {
            inputs.extend(rotation.0.iter().flat_map(|row| row.0));
        }
        let [v, w, a, alpha] = motion;
        match request.of {
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
                let needed = needs(&request.all());
                inputs.extend(rows.iter().zip(&needed[1..]).filter(|(_, need)| **need).flat_map(|(row, _)| row));
            }
        }
        return Ok(inputs);
    }
    Err(DeriveError::NoPose { of: request.of, tried: TRIES })
}
