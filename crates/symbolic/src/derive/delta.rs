//! Programs of Delta robots. A pose can be out of reach, so most of them refuse with a code.

use super::closed::{self, RobotFormulas, Rows};
use super::parameters::{self, Parts, by_parameters};
use super::quantities::{Joints, inputs_of};
use super::regressor::Regressed;
use super::symbols::{self, Symbol, Symbols};
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
use dalembert_core::delta::{ArmParameters, Assembly, Branch, Delta, Motor, Parameters, Pose, SINGULAR};
use dalembert_core::{Dual, Mat3, Scalar, Vec3};

/// Why a program of a Delta robot refuses a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The platform is out of reach of an arm (0, 1, 2), or the arm is stretched so that its motor has no lever.
    Arm(usize),
    /// The forearms do not hold the platform.
    Platform,
    /// The forearms cannot meet at these joint angles.
    Apart,
    /// The elbows lie on one line.
    ElbowsInLine,
}

impl Refusal {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Arm(0), Self::Arm(1), Self::Arm(2), Self::Platform, Self::Apart, Self::ElbowsInLine];

    /// What the program answers.
    pub fn code(self) -> u32 {
        match self {
            Self::Arm(arm) => 1 + arm as u32,
            Self::Platform => 4,
            Self::Apart => 5,
            Self::ElbowsInLine => 6,
        }
    }

    /// In words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Arm(0) => "arm 1: out of reach, or stretched",
            Self::Arm(1) => "arm 2: out of reach, or stretched",
            Self::Arm(_) => "arm 3: out of reach, or stretched",
            Self::Platform => "singular: the forearms do not hold the platform",
            Self::Apart => "the forearms cannot meet at these joint angles",
            Self::ElbowsInLine => "the elbows lie on one line",
        }
    }
}

/// The program of a Delta robot.
pub fn delta(robot: &Delta<f64>, request: &Request) -> Result<Derived, DeriveError> {
    join::refuse_own_laws(request.of, &robot.parameters().arms.map(|arm| arm.motor.friction))?;
    let all = request.all();
    if all.len() > 1 && all.iter().any(|of| given_platform(*of)) {
        let reason =
            "`torque-cartesian` and `ik` take the platform pose and cannot be combined with other quantities".into();
        return Err(DeriveError::DoesNotApply { of: request.of, reason });
    }
    if all.contains(&Of::Regressor) {
        let reason = "its columns are the parameters of the robot's `regressor`: derive it through the robot".into();
        return Err(DeriveError::DoesNotApply { of: Of::Regressor, reason });
    }
    parameters::refuse_others(&all)?;
    let mut columns = match by_parameters(request.of) {
        true => {
            let parts = Parts { word: "arm", count: 3, slides: &|_| false, shared: true, idle: &|_, _| false };
            parts.columns(request.of, &request.by, |visit| { *robot.parameters() }.visit(visit))?
        }
        false => Vec::new(),
    };
    let graph = Graph::for_target(request.target);
    let mut random = Random::new(1);
    let mut symbols = Symbols::new(&graph);
    let frictions = robot.parameters().arms.map(|arm| arm.motor.friction);
    // Friction is joined later; derivatives by parameters have it with the others.
    let rigid = if columns.is_empty() { without_friction(robot) } else { *robot };
    let mut parameters: Parameters<Expr<'_>> = match request.symbolic {
        true => {
            symbols::delta(rigid.parameters(), &mut |symbol: Symbol, value| symbols.expr(symbol, value, &mut random))
        }
        false => rigid.parameters().lift(),
    };
    symbols::on_circle(|visit| parameters.visit(visit));
    let lifted = Delta::new(parameters);
    // The robot itself, or as it is at a sample point of its symbols.
    let variant = |point: Option<usize>| match point {
        Some(point) => Delta::new(symbols::delta(robot.parameters(), &mut |symbol, value| {
            symbols.sample(&symbol.name, value, point)
        })),
        None => *robot,
    };
    let point = state(&without_friction(&variant(request.symbolic.then_some(0))), request, &mut random)?;
    let (inputs, mut outputs) = quantities(&all);
    let variables = symbols::inputs(&graph, &inputs, &point);
    // Of symmetric robots the library has a shorter formula: the graph remembers it.
    if request.of == Of::TorqueCartesian
        && !request.symbolic
        && request.branch == Branch::Out
        && let Some(fast) = rigid.symmetric_lifted::<Expr<'_>>()
    {
        let part = |k: usize| Vec3([variables[k], variables[k + 1], variables[k + 2]]);
        fast.torque(part(0), part(3), part(6));
    }
    let (mut results, margins) = formula(&lifted, request, &columns, &variables);
    if by_parameters(request.of) {
        let mut samples = Vec::new();
        for _ in 0..parameters::SAMPLES {
            let inputs = state(robot, request, &mut Random::new(7 + samples.len() as u64))?;
            samples.push(formula(robot, request, &columns, &inputs).0);
        }
        (columns, results) = parameters::kept(columns, results, &samples);
        parameters::require_columns(request.of, &columns)?;
        outputs = vec![JOINTS.by_parameters(request.of, columns.len())];
    }
    if frictions.iter().any(Option::is_some) && request.of == Of::TorqueCartesian {
        let part = |k: usize| Vec3([variables[k], variables[k + 1], variables[k + 2]]);
        let moving = lifted.pose_unchecked(part(0), request.branch).moving(part(3));
        results.extend(moving.joint_velocity());
    }
    let checks: Vec<_> = margins.iter().map(|(margin, why)| (*margin, why.code(), why.meaning())).collect();
    let signature = Signature {
        name: program_name(request),
        title: all.iter().map(|&of| symbols::title(of)).collect::<Vec<_>>().join("; "),
        inputs,
        outputs,
        parameters: symbols.parameters(),
    };
    let variants: &[Option<usize>] = if request.symbolic { &[None, Some(0), Some(1)] } else { &[None] };
    let mut trials: Vec<(Option<usize>, Vec<f64>, Vec<f64>)> = Vec::new();
    for k in 0..STATES {
        let point = variants[k % variants.len()];
        let other = variant(point);
        let inputs = state(&other, request, &mut random)?;
        let expected = formula(&other, request, &columns, &inputs).0;
        trials.push((point, inputs, expected));
    }
    let mut words = conventions(request);
    if by_parameters(request.of) {
        words.extend(parameters::words(&columns));
    }
    let programs = candidates(&graph, signature, &results, &checks, request.effort);
    first_checked(programs, request.of, |mut program| {
        set_limits(&mut program, robot, request.of, margins.iter().map(|(_, why)| *why));
        program = with_friction(program, &all, &frictions, &|_| false, request.symbolic);
        let program = finish(program, request, words.clone());
        let mut trials: Vec<Trial> = trials
            .iter()
            .map(|(point, inputs, expected)| {
                let value = |name: &str, value| point.map_or(value, |point| symbols.sample(name, value, point));
                let parameters = program.parameters.iter().map(|p| value(&p.name, p.value)).collect();
                Trial { variant: 0, parameters, inputs: inputs.clone(), expected: expected.clone(), sizes: Vec::new() }
            })
            .collect();
        let sizes = match columns.len() {
            0 => Vec::new(),
            width => parameters::sized(&mut trials, width),
        };
        verified(program, request.of, &trials, &|_, found| parameters::over(found, &sizes))
    })
}

fn without_friction(robot: &Delta<f64>) -> Delta<f64> {
    Delta::new(Parameters {
        arms: robot.parameters().arms.map(|arm| ArmParameters { motor: Motor { friction: None, ..arm.motor }, ..arm }),
        ..*robot.parameters()
    })
}

fn given_platform(of: Of) -> bool {
    matches!(of, Of::TorqueCartesian | Of::Ik)
}

/// The formula itself, with numbers of any kind, and the margins without which it means nothing.
fn formula<S: Scalar>(
    robot: &Delta<S>,
    request: &Request,
    columns: &[parameters::Column],
    inputs: &[S],
) -> (Vec<S>, Vec<(S, Refusal)>) {
    let part = |k: usize| [inputs[3 * k], inputs[3 * k + 1], inputs[3 * k + 2]];
    if given_platform(request.of) {
        let pose = robot.pose_unchecked(Vec3(part(0)), request.branch);
        let mut margins: Vec<_> = (0..3).map(|i| (pose.arms[i].discriminant, Refusal::Arm(i))).collect();
        if request.of == Of::Ik {
            return (pose.joints().to_vec(), margins);
        }
        margins.push((pose.rod_determinant(), Refusal::Platform));
        return (pose.moving(Vec3(part(1))).torque(Vec3(part(2))).to_vec(), margins);
    }
    let all = request.all();
    let (pose, meeting) = robot.pose_from_joints_unchecked(part(0), request.assembly);
    // The same cross product that the formula divides by: shared with it.
    let [a, b, c] = pose.arms.map(|arm| arm.elbow);
    let in_line = (b - a).cross(c - a).norm_squared();
    let mut margins = vec![(in_line, Refusal::ElbowsInLine), (meeting, Refusal::Apart)];
    if all[..] != [Of::Fk] {
        margins.extend((0..3).map(|i| (pose.arms[i].transmission, Refusal::Arm(i))));
        margins.push((pose.rod_determinant(), Refusal::Platform));
    }
    let moving = Delta::new(robot.parameters().map(Dual::<S, 1>::constant));
    let formulas = RobotFormulas {
        joints: 3,
        plain: &|of, rows| at_joints(robot, request.assembly, of, rows),
        dual: &|of, rows| at_joints(&moving, request.assembly, of, rows),
        along: &|q, qd| q.iter().zip(qd).map(|(&value, &rate)| Dual { value, derivative: [rate] }).collect(),
        changed: &|rows| {
            let column = |column: &parameters::Column| {
                let mut changing = robot.parameters().map(Dual::<S, 1>::constant);
                column.seed(|visit| changing.visit(visit));
                let torque = at_joints(&Delta::new(changing), request.assembly, Of::Torque, &closed::at_rest(rows));
                torque.iter().map(|x| x.derivative[0]).collect()
            };
            columns.iter().map(column).collect()
        },
    };
    let rows = closed::rows(&all, inputs, 3, 3);
    (all.iter().flat_map(|&of| formulas.results(of, &rows)).collect(), margins)
}

/// What is no derivative.
fn at_joints<S: Scalar>(robot: &Delta<S>, assembly: Assembly, of: Of, rows: &Rows<S>) -> Vec<S> {
    let [q, qd, qdd, tau] = rows.each_ref().map(|row| [row[0], row[1], row[2]]);
    let (pose, _) = robot.pose_from_joints_unchecked(q, assembly);
    let flat = |matrix: Mat3<S>| matrix.0.into_iter().flat_map(|row| row.0).collect();
    match of {
        Of::Fk => pose.position.0.to_vec(),
        Of::Jacobian => flat(pose.inverse_jacobian()),
        Of::Mass => flat(pose.mass_matrix()),
        Of::Gravity => pose.gravity_torque().to_vec(),
        Of::Coriolis => pose.moving_joints(qd).coriolis().to_vec(),
        Of::Acceleration => {
            let moving = pose.moving_joints(qd);
            moving.joint_acceleration(moving.acceleration(tau)).to_vec()
        }
        _ => {
            let qdd = if of == Of::Bias { [S::zero(); 3] } else { qdd };
            let moving = pose.moving_joints(qd);
            moving.torque(moving.platform_acceleration(qdd)).to_vec()
        }
    }
}

/// The limits of the library for the margins of a program.
fn set_limits(program: &mut Program, robot: &Delta<f64>, of: Of, margins: impl Iterator<Item = Refusal>) {
    for (check, why) in program.checks.iter_mut().zip(margins) {
        check.least = least(robot, of, why);
        check.sized = check.least > 0.0;
    }
}

/// Y of τ = Y β, without friction of the motors: the robot's `regressor` as a program.
pub fn delta_regressor(
    robot: &Delta<f64>,
    columns: &[ParameterColumn<Delta<f64>>],
    request: &Request,
) -> Result<Derived, DeriveError> {
    let graph = Graph::for_target(request.target);
    let mut random = Random::new(1);
    let rigid = without_friction(robot);
    let moving = Request { of: Of::Torque, also: Vec::new(), ..request.clone() };
    let inputs = quantities(&[Of::Torque]).0;
    let mut states = Vec::new();
    for _ in 0..regressor::ENOUGH {
        states.push(state(&rigid, &moving, &mut random)?);
    }
    let variables = symbols::inputs(&graph, &inputs, &states[0]);
    let lift = |robot: &Delta<f64>| {
        let mut parameters = robot.parameters().lift();
        symbols::on_circle(|visit| parameters.visit(visit));
        Delta::new(parameters)
    };
    let margins = formula(&lift(&rigid), &moving, &[], &variables).1;
    regressor::program(Regressed {
        graph: &graph,
        request,
        joints: 3,
        inputs,
        names: columns.iter().map(|column| column.name.clone()).collect(),
        less: columns.iter().map(|column| column.less).collect(),
        states,
        torque: &|column, state| formula(column.map_or(&rigid, |k| &columns[k].robot), &moving, &[], state).0,
        expression: &|column| formula(&lift(&columns[column].robot), &moving, &[], &variables).0,
        checks: margins.iter().map(|(margin, why)| (*margin, why.code(), why.meaning())).collect(),
        limit: &|program| set_limits(program, robot, Of::Torque, margins.iter().map(|(_, why)| *why)),
        conventions: conventions(&moving),
    })
}

/// What a margin, or its size where this is not zero, must be above for the library's own limit [`SINGULAR`].
fn least(robot: &Delta<f64>, of: Of, why: Refusal) -> f64 {
    match why {
        // Given the platform, the margin is the square of the lever already.
        Refusal::Arm(_) if matches!(of, Of::TorqueCartesian | Of::Ik) => 0.0,
        Refusal::Arm(i) => robot.lumped_arms()[i].la * robot.lumped_arms()[i].lb * SINGULAR,
        Refusal::Platform => SINGULAR,
        Refusal::Apart | Refusal::ElbowsInLine => 0.0,
    }
}

const JOINTS: Joints = Joints { count: 3, sliding: 0, tool: 3 };

fn quantities(all: &[Of]) -> (Vec<Quantity>, Vec<Quantity>) {
    let joints = JOINTS;
    let x = || Quantity::new("x", 3, "position of the platform, base frame", "m");
    match all {
        [Of::Ik] => (vec![x()], vec![joints.positions()]),
        [Of::TorqueCartesian] => {
            let v = Quantity::new("v", 3, "velocity of the platform", "m/s");
            let a = Quantity::new("a", 3, "acceleration of the platform", "m/s^2");
            (vec![x(), v, a], joints.outputs(Of::Torque))
        }
        _ => {
            let outputs = all.iter().flat_map(|&of| if of == Of::Fk { vec![x()] } else { joints.outputs(of) });
            (joints.inputs(all, vec![joints.positions()]), outputs.collect())
        }
    }
}

fn conventions(request: &Request) -> Vec<String> {
    let elbows = match request.branch {
        Branch::Out => "out",
        Branch::In => "in",
    };
    let platform = match request.assembly {
        Assembly::Below => "below",
        Assembly::Above => "above",
    };
    let choice = match request.of {
        Of::TorqueCartesian | Of::Ik => format!("Elbows {elbows}."),
        _ => format!("The platform is {platform} the plane of the elbows."),
    };
    vec![
        "SI units and radians; torques at the joint side of the gear.".into(),
        "Base frame with z up, the platform at negative z; a joint angle is 0 horizontally outward, positive downward."
            .into(),
        choice,
    ]
}

/// A random state away from the singularities.
fn state(robot: &Delta<f64>, request: &Request, random: &mut Random) -> Result<Vec<f64>, DeriveError> {
    const TRIES: usize = 100_000;
    /// Least sine of the angles at which arms and rods meet, so that the formula loses one digit at most.
    const CLEAR: f64 = 0.1;
    let arms = robot.lumped_arms();
    let size = arms.iter().fold(f64::INFINITY, |least, arm| least.min(arm.la));
    let longest = arms.iter().fold(0.0_f64, |most, arm| most.max(arm.la + arm.lb));
    for attempt in 0..TRIES {
        // Nearer to the axis, if it does not reach far; now and then above the base, where a robot can get there.
        let above = if attempt % 7 == 6 { -1.0 } else { 1.0 };
        let reach = size * if attempt % 2 == 0 { 0.6 } else { 0.1 };
        let position = Vec3::new(
            reach * random.signed(),
            reach * random.signed(),
            -0.5 * longest * above * (1.0 + random.signed()),
        );
        let Ok(pose) = robot.at_position(position, request.branch) else { continue };
        let clear = |pose: &Pose<'_, f64>| {
            let levers = pose.transmission_margins();
            (0..3).all(|i| levers[i].abs() > CLEAR) && pose.rod_determinant().abs() > CLEAR
        };
        if !clear(&pose) {
            continue;
        }
        // Now and then near standstill, where friction changes its sign.
        let rubs = robot.parameters().arms.iter().any(|arm| arm.motor.friction.is_some());
        let slow = if rubs && random.signed() > 0.5 { 1e-3 } else { 1.0 };
        let motion: [f64; 6] = std::array::from_fn(|k| random.signed() * size * if k < 3 { 5.0 * slow } else { 50.0 });
        let [velocity, acceleration] = [0, 3].map(|k| Vec3([motion[k], motion[k + 1], motion[k + 2]]));
        let moving = pose.moving(velocity);
        let joined = |rows: &[[f64; 3]]| Ok(rows.concat());
        match request.of {
            Of::Ik => return joined(&[position.0]),
            Of::TorqueCartesian => return joined(&[position.0, velocity.0, acceleration.0]),
            _ => {}
        }
        let q = pose.joints();
        // The joints must lead back to a pose on the asked side.
        let Ok(again) = robot.at_joints(q, request.assembly) else { continue };
        if !clear(&again) {
            continue;
        }
        let (qd, qdd) = (moving.joint_velocity(), moving.joint_acceleration(acceleration));
        return Ok(inputs_of(&request.all(), &[q, qd, qdd, moving.torque(acceleration)]));
    }
    Err(DeriveError::NoPose { of: request.of, tried: TRIES })
}
