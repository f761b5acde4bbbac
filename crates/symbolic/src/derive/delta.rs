//! Programs of Delta robots. A pose can be out of reach, so most of them refuse with a code.

use super::symbols::{self, Symbol, Symbols};
use super::verify::{STATES, Trial, verified};
use super::{
    DeriveError, Derived, Of, Request, Rubbing, candidates, finish, first_checked, join, program_name, with_friction,
};
use crate::expr::Expr;
use crate::extract::{Random, Signature};
use crate::graph::Graph;
use crate::program::Quantity;
use dalembert_core::delta::{ArmParameters, Assembly, Branch, Delta, Motor, Parameters, Pose, SINGULAR};
use dalembert_core::{Scalar, Vec3};

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
    let refuse = |of, reason: &str| Err(DeriveError::DoesNotApply { of, reason: reason.into() });
    for of in request.all() {
        match of {
            Of::TorqueDerivatives | Of::AccelerationDerivatives => {
                return refuse(of, "derivatives are for serial arms so far");
            }
            Of::Jacobian | Of::Regressor => return refuse(of, "it is for serial arms so far"),
            _ if !request.also.is_empty() => {
                return refuse(of, "several outputs in one program are for serial arms so far");
            }
            _ => {}
        }
    }
    let graph = Graph::for_target(request.target);
    let mut random = Random::new(1);
    let mut symbols = Symbols::new(&graph);
    let frictions = robot.parameters().arms.map(|arm| arm.motor.friction);
    let rigid = without_friction(robot);
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
    let (inputs, outputs) = quantities(request.of);
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
    let (mut results, margins) = formula(&lifted, request, &variables);
    let friction = join::friction(&frictions, &|_| false, request.symbolic, false);
    if friction.is_some() && request.of == Of::TorqueCartesian {
        let part = |k: usize| Vec3([variables[k], variables[k + 1], variables[k + 2]]);
        let moving = lifted.pose_unchecked(part(0), request.branch).moving(part(3));
        results.extend(moving.joint_velocity());
    }
    let checks: Vec<_> = margins.iter().map(|(margin, why)| (*margin, why.code(), why.meaning())).collect();
    let signature = Signature {
        name: program_name(request),
        title: symbols::title(request.of),
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
        let expected = formula(&other, request, &inputs).0;
        trials.push((point, inputs, expected));
    }
    let programs = candidates(&graph, signature, &results, &checks, request.effort);
    first_checked(programs, request.of, |mut program| {
        for (check, (_, why)) in program.checks.iter_mut().zip(&margins) {
            check.least = least(robot, request.of, *why);
            check.sized = check.least > 0.0;
        }
        if let Some(loss) = &friction {
            let rubbing = match request.of {
                Of::Torque | Of::Bias => Some(Rubbing { added: vec![0], taken: None, velocities: Some(3) }),
                Of::TorqueCartesian => Some(Rubbing { added: vec![0], taken: None, velocities: None }),
                Of::Acceleration => Some(Rubbing { added: Vec::new(), taken: Some(6), velocities: Some(3) }),
                _ => None,
            };
            if let Some(rubbing) = rubbing {
                program = with_friction(program, loss, &rubbing);
            }
        }
        let program = finish(program, request, conventions(request));
        let trials: Vec<Trial> = trials
            .iter()
            .map(|(point, inputs, expected)| {
                let value = |name: &str, value| point.map_or(value, |point| symbols.sample(name, value, point));
                let parameters = program.parameters.iter().map(|p| value(&p.name, p.value)).collect();
                Trial { variant: 0, parameters, inputs: inputs.clone(), expected: expected.clone(), sizes: Vec::new() }
            })
            .collect();
        verified(program, request.of, &trials, &|_, found| found)
    })
}

fn without_friction(robot: &Delta<f64>) -> Delta<f64> {
    Delta::new(Parameters {
        arms: robot.parameters().arms.map(|arm| ArmParameters { motor: Motor { friction: None, ..arm.motor }, ..arm }),
        ..*robot.parameters()
    })
}

/// The formula itself, with numbers of any kind, and the margins without which it means nothing.
fn formula<S: Scalar>(robot: &Delta<S>, request: &Request, inputs: &[S]) -> (Vec<S>, Vec<(S, Refusal)>) {
    let part = |k: usize| [inputs[3 * k], inputs[3 * k + 1], inputs[3 * k + 2]];
    let given_platform = matches!(request.of, Of::TorqueCartesian | Of::Ik);
    if given_platform {
        let pose = robot.pose_unchecked(Vec3(part(0)), request.branch);
        let mut margins: Vec<_> = (0..3).map(|i| (pose.arms[i].discriminant, Refusal::Arm(i))).collect();
        if request.of == Of::Ik {
            return (pose.joints().to_vec(), margins);
        }
        margins.push((pose.rod_determinant(), Refusal::Platform));
        return (pose.moving(Vec3(part(1))).torque(Vec3(part(2))).to_vec(), margins);
    }
    let (pose, meeting) = robot.pose_from_joints_unchecked(part(0), request.assembly);
    // The same cross product that the formula divides by: shared with it.
    let [a, b, c] = pose.arms.map(|arm| arm.elbow);
    let in_line = (b - a).cross(c - a).norm_squared();
    let mut margins = vec![(in_line, Refusal::ElbowsInLine), (meeting, Refusal::Apart)];
    if request.of == Of::Fk {
        return (pose.position.0.to_vec(), margins);
    }
    margins.extend((0..3).map(|i| (pose.arms[i].transmission, Refusal::Arm(i))));
    margins.push((pose.rod_determinant(), Refusal::Platform));
    let results = match request.of {
        Of::Mass => pose.mass_matrix().0.into_iter().flat_map(|row| row.0).collect(),
        Of::Gravity => pose.gravity_torque().to_vec(),
        Of::Coriolis => pose.moving_joints(part(1)).coriolis().to_vec(),
        Of::Bias => {
            let moving = pose.moving_joints(part(1));
            moving.torque(moving.platform_acceleration([S::zero(); 3])).to_vec()
        }
        Of::Acceleration => {
            let moving = pose.moving_joints(part(1));
            moving.joint_acceleration(moving.acceleration(part(2))).to_vec()
        }
        _ => {
            let moving = pose.moving_joints(part(1));
            moving.torque(moving.platform_acceleration(part(2))).to_vec()
        }
    };
    (results, margins)
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

fn quantities(of: Of) -> (Vec<Quantity>, Vec<Quantity>) {
    let x = Quantity::new("x", 3, "position of the platform, base frame", "m");
    let v = Quantity::new("v", 3, "velocity of the platform", "m/s");
    let a = Quantity::new("a", 3, "acceleration of the platform", "m/s^2");
    let q = Quantity::new("q", 3, "joint angles", "rad");
    let qd = Quantity::new("qd", 3, "joint velocities", "rad/s");
    let qdd = Quantity::new("qdd", 3, "joint accelerations", "rad/s^2");
    let tau = Quantity::new("tau", 3, "joint torques", "N m");
    match of {
        Of::Torque => (vec![q, qd, qdd], vec![tau]),
        Of::TorqueCartesian => (vec![x, v, a], vec![tau]),
        Of::Mass => (vec![q], vec![Quantity::matrix("m", 3, 3, "mass matrix", "kg m^2")]),
        Of::Gravity => (vec![q], vec![Quantity::new("g", 3, "holding torques", "N m")]),
        Of::Coriolis => (vec![q, qd], vec![Quantity::new("c", 3, "velocity torques", "N m")]),
        Of::Bias => (vec![q, qd], vec![Quantity::new("h", 3, "torques without acceleration", "N m")]),
        Of::Acceleration => (vec![q, qd, tau], vec![qdd]),
        Of::TorqueDerivatives | Of::AccelerationDerivatives | Of::Regressor | Of::Jacobian => (Vec::new(), Vec::new()), // refused before
        Of::Fk => (vec![q], vec![x]),
        Of::Ik => (vec![x], vec![q]),
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
        return match request.of {
            Of::Torque => joined(&[q, qd, qdd]),
            Of::Acceleration => joined(&[q, qd, moving.torque(acceleration)]),
            Of::Coriolis | Of::Bias => joined(&[q, qd]),
            _ => joined(&[q]),
        };
    }
    Err(DeriveError::NoPose { of: request.of, tried: TRIES })
}
