//! Programs of parallel robots, from the state of the platform: inverse kinematics and inverse dynamics. A pose can be out of reach,
//! so they refuse with a code: the number of the leg, or one more than there are legs where these do not hold the platform.

use super::symbols;
use super::verify::{STATES, Trial, verified};
use super::{
    DeriveError, Derived, Of, Request, Rubbing, candidates, finish, first_checked, join, program_name, with_friction,
};
use crate::expr::Expr;
use crate::extract::{Random, Signature};
use crate::graph::Graph;
use crate::program::Quantity;
use dalembert_core::delta::Branch;
use dalembert_core::parallel::{Parallel, ParallelParameters, SINGULAR};
use dalembert_core::spatial::{Frame, Twist, Wrench, roll_pitch_yaw};
use dalembert_core::{Angle, Mat3, Scalar, Vec3};

/// The program of a parallel robot.
pub fn parallel<const N: usize>(robot: &Parallel<f64, N>, request: &Request) -> Result<Derived, DeriveError> {
    let reason = match request.of {
        _ if !request.also.is_empty() => "several outputs in one program are for serial arms so far",
        Of::Ik | Of::TorqueCartesian if request.symbolic => "its parameters cannot stay symbols",
        Of::Ik | Of::TorqueCartesian if request.abbreviation.is_some() => {
            "significance is for the explicit models of serial arms"
        }
        Of::Ik | Of::TorqueCartesian => {
            join::refuse_own_laws(request.of, &frictions(robot))?;
            return derived(robot, request);
        }
        _ => "the platform of given joints is found by iteration; derive `ik` or `torque-cartesian`",
    };
    Err(DeriveError::DoesNotApply { of: request.of, reason: reason.into() })
}

fn frictions<const N: usize>(robot: &Parallel<f64, N>) -> [Option<dalembert_core::friction::Friction<f64>>; N] {
    robot.parameters().legs.map(|leg| leg.motor.friction)
}

fn derived<const N: usize>(robot: &Parallel<f64, N>, request: &Request) -> Result<Derived, DeriveError> {
    let graph = Graph::for_target(request.target);
    let mut random = Random::new(1);
    let rigid = without_friction(robot);
    let lifted: Parallel<Expr<'_>, N> = rigid.lift();
    let point = state(&rigid, request, &mut random)?;
    let (inputs, outputs) = quantities::<N>(robot, request.of);
    let variables = symbols::inputs(&graph, &inputs, &point);
    let (mut results, margins) = formula(&lifted, request, &variables);
    let slides = |leg: usize| robot.parameters().legs[leg].slides();
    let friction = join::friction(&frictions(robot), &slides, false, false);
    if friction.is_some() && request.of == Of::TorqueCartesian {
        results.extend(moving(&lifted, request, &variables).joint_velocity());
    }
    let meanings: Vec<String> = (1..=N)
        .map(|leg| format!("leg {leg}: out of reach, or stretched"))
        .chain(["singular: the legs do not hold the platform".to_owned()])
        .collect();
    let checks: Vec<_> =
        (1..).zip(margins.iter().zip(&meanings)).map(|(code, (margin, why))| (*margin, code, why.as_str())).collect();
    let signature = Signature {
        name: program_name(request),
        title: symbols::title(request.of),
        inputs,
        outputs,
        parameters: Vec::new(),
    };
    let mut trials = Vec::new();
    for _ in 0..STATES {
        let inputs = state(robot, request, &mut random)?;
        let expected = formula(robot, request, &inputs).0;
        trials.push(Trial { variant: 0, parameters: Vec::new(), inputs, expected, sizes: Vec::new() });
    }
    let programs = candidates(&graph, signature, &results, &checks, request.effort);
    first_checked(programs, request.of, |mut program| {
        // The determinant must be above the library's own limit; the legs' margins are squares of their levers already.
        if let Some(check) = program.checks.get_mut(N) {
            (check.least, check.sized) = (SINGULAR, true);
        }
        if let (Some(loss), Of::TorqueCartesian) = (&friction, request.of) {
            program = with_friction(program, loss, &Rubbing { added: vec![0], taken: None, velocities: None });
        }
        verified(finish(program, request, conventions::<N>(request)), request.of, &trials, &|_, found| found)
    })
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
fn formula<S: Scalar, const N: usize>(robot: &Parallel<S, N>, request: &Request, inputs: &[S]) -> (Vec<S>, Vec<S>) {
    let pose = robot.pose_unchecked(frame::<S, N>(inputs), branches(robot, request));
    let mut margins: Vec<S> = pose.legs.iter().map(|leg| leg.discriminant).collect();
    if request.of == Of::Ik {
        return (pose.joints().to_vec(), margins);
    }
    margins.push(pose.determinant());
    let torque = moving(robot, request, inputs).torque(twist::<S, N>(inputs, 2), Wrench::zero());
    (torque.to_vec(), margins)
}

fn quantities<const N: usize>(robot: &Parallel<f64, N>, of: Of) -> (Vec<Quantity>, Vec<Quantity>) {
    let turning = N > 3;
    let legs = &robot.parameters().legs;
    let unit = |turn: &'static str, slide: &'static str| match (
        legs.iter().any(|l| !l.slides()),
        legs.iter().any(|l| l.slides()),
    ) {
        (true, false) => turn,
        (false, true) => slide,
        _ => "per joint",
    };
    let mut pose = vec![Quantity::new("x", 3, "position of the platform, base frame", "m")];
    if turning {
        pose.push(Quantity::matrix("rotation", 3, 3, "axes of the platform as columns, base frame", ""));
    }
    let (rates, seconds) = if turning {
        ("velocity and angular velocity of the platform", "acceleration and angular acceleration of the platform")
    } else {
        ("velocity of the platform", "acceleration of the platform")
    };
    let (v, a) = if turning { ("m/s, rad/s", "m/s^2, rad/s^2") } else { ("m/s", "m/s^2") };
    match of {
        Of::Ik => (pose, vec![Quantity::new("q", N, "joints", unit("rad", "m"))]),
        _ => {
            pose.push(Quantity::new("v", N, rates, v));
            pose.push(Quantity::new("a", N, seconds, a));
            (pose, vec![Quantity::new("tau", N, "torques or forces of the motors", unit("N m", "N"))])
        }
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
        if request.of != Of::Ik {
            let [v, w, a, alpha] = motion;
            inputs.extend(v.map(|x| slow * x));
            inputs.extend(w.iter().filter(|_| N > 3).map(|x| slow * x));
            inputs.extend(a);
            inputs.extend(alpha.iter().filter(|_| N > 3));
        }
        return Ok(inputs);
    }
    Err(DeriveError::NoPose { of: request.of, tried: TRIES })
}
