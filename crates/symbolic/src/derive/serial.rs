//! Programs of serial arms.

use super::symbols::{self, Symbol, Symbols};
use super::verify::{STATES, Trial, verified};
use super::{
    DeriveError, Derived, Friction, Of, Request, abbreviated, candidates, finish, first_checked, join, program_name,
    with_friction, with_seeds,
};
use crate::explicit::{ATTEMPTS, Explicit};
use crate::expr::Expr;
use crate::extract::{Random, Signature};
use crate::graph::Graph;
use crate::program::{Program, Quantity};
use crate::search::{SerialQuantity, cheapest_serial};
use dalembert_core::Scalar;
use dalembert_core::serial::{DhConvention, Joint, LinkParameters, Serial, SerialParameters};
use std::f64::consts::PI;

/// The program of a serial arm. `progress` is told the share that is done, from 0 to 1.
pub fn serial<const N: usize>(
    arm: &Serial<f64, N>,
    request: &Request,
    progress: &mut dyn FnMut(f64),
) -> Result<Derived, DeriveError> {
    let searched = match request.of {
        Of::TorqueCartesian => {
            return Err(DeriveError::DoesNotApply {
                of: request.of,
                reason: "it is for robots whose platform is given; a serial arm has `torque`".into(),
            });
        }
        Of::Ik => {
            return Err(DeriveError::DoesNotApply {
                of: request.of,
                reason: "the inverse kinematics of a serial arm chooses among its solutions, it is no formula without \
                         branches; the verb `ik` has it"
                    .into(),
            });
        }
        Of::Torque => Some(SerialQuantity::Torque),
        Of::Mass => Some(SerialQuantity::Mass),
        Of::Gravity => Some(SerialQuantity::Gravity),
        Of::Coriolis | Of::Acceleration | Of::Fk => None,
    };
    join::refuse_own_laws(request.of, &arm.parameters().links.map(|link| link.friction))?;
    let rigid = rigid_part(arm);
    let graph = Graph::new();
    let signature = signature(arm, request, &lifted(&rigid, request.symbolic, &graph).1);
    let mut programs = Vec::new();
    if let Some(quantity) = searched {
        programs = cheapest_serial(
            &|graph| lifted(&rigid, request.symbolic, graph).0,
            quantity,
            &signature,
            request.effort,
            progress,
        );
    }
    programs.extend(explicit_program(&rigid, request, &signature));
    programs.sort_by_key(|program| (program.operations().arithmetic(), program.operations().sin_cos));
    let found = first_checked(programs, request.of, |program| checked(arm, request, program, 1)).ok();
    if let (Some(_), Some(found)) = (searched, &found) {
        return Ok(found.clone());
    }
    let plain = with_seeds(|seed| {
        let graph = Graph::new();
        let (lifted, _) = lifted(&rigid, request.symbolic, &graph);
        let mut random = Random::new(seed);
        let points = [state(&rigid, request.of, &mut random), state(&rigid, request.of, &mut random)];
        let variables = symbols::inputs(&graph, &signature.inputs, &points);
        let results = formula(&lifted, request.of, &variables);
        let programs = candidates(&graph, signature.clone(), &results, &[], request.effort);
        first_checked(programs, request.of, |program| checked(arm, request, program, seed))
    });
    let cost = |derived: &Derived| derived.program.operations().arithmetic();
    match (found, plain) {
        (Some(found), Ok(plain)) => Ok(if cost(&found) <= cost(&plain) { found } else { plain }),
        (Some(found), Err(_)) => Ok(found),
        (None, plain) => plain,
    }
}

/// The program of the explicit model, where there is one and it may be a rival of the recursion.
fn explicit_program<const N: usize>(
    rigid: &Serial<f64, N>,
    request: &Request,
    signature: &Signature,
) -> Option<Program> {
    /// Above these the recursion is far cheaper, and the explicit model takes long.
    const MOST_JOINTS: usize = 6;
    const MOST_TERMS: usize = 3000;
    let output = abbreviated::output(request.of)?;
    if request.symbolic || request.effort.plans == 0 || N > MOST_JOINTS {
        return None;
    }
    let model = Explicit::of(rigid).ok().filter(|model| model.terms() <= MOST_TERMS)?;
    Some(model.program(output, signature.clone(), ATTEMPTS, request.effort.rounds))
}

/// The arm without friction.
pub(super) fn rigid_part<const N: usize>(arm: &Serial<f64, N>) -> Serial<f64, N> {
    Serial::new(SerialParameters {
        links: arm.parameters().links.map(|link| LinkParameters { friction: None, ..link }),
        ..*arm.parameters()
    })
}

/// The arm in a graph, always the same, and its symbols.
fn lifted<'g, const N: usize>(
    arm: &Serial<f64, N>,
    symbolic: bool,
    graph: &'g Graph,
) -> (Serial<Expr<'g>, N>, Symbols<'g>) {
    let mut symbols = Symbols::new(graph);
    if !symbolic {
        return (arm.lift(), symbols);
    }
    let mut random = Random::new(11);
    let mut make = |symbol: Symbol, value: f64| symbols.expr(symbol, value, &mut random);
    let parameters = symbols::serial(arm.parameters(), &mut make);
    (Serial::new(parameters), symbols)
}

pub(super) fn signature<const N: usize>(arm: &Serial<f64, N>, request: &Request, symbols: &Symbols<'_>) -> Signature {
    let (inputs, outputs) = quantities(arm, request.of);
    Signature {
        name: program_name(request),
        title: symbols::title(request.of),
        inputs,
        outputs,
        parameters: symbols.parameters(),
    }
}

/// The rigid program with friction, if it does what the formula does.
fn checked<const N: usize>(
    arm: &Serial<f64, N>,
    request: &Request,
    mut program: Program,
    seed: u64,
) -> Result<Derived, DeriveError> {
    let frictions = arm.parameters().links.map(|link| link.friction);
    if let Some(loss) =
        join::friction(&frictions, |i| arm.parameters().links[i].joint == Joint::Prismatic, request.symbolic, seed)
    {
        program = match request.of {
            Of::Torque => with_friction(program, &loss, Friction::AddedToTorque),
            Of::Acceleration => with_friction(program, &loss, Friction::TakenFromTorque),
            _ => program,
        };
    }
    let program = finish(program, request, conventions(arm));

    // At the robot's own parameters, and at others where they are symbols.
    let graph = Graph::new();
    let (_, symbols) = lifted(arm, request.symbolic, &graph);
    let points: &[Option<usize>] = if request.symbolic { &[None, Some(0), Some(1)] } else { &[None] };
    let value = |point: Option<usize>, name: &str, value| point.map_or(value, |k| symbols.sample(name, value, k));
    let variants: Vec<Serial<f64, N>> = points
        .iter()
        .map(|&point| match point {
            Some(_) => Serial::new(symbols::serial(arm.parameters(), &mut |s, x| value(point, &s.name, x))),
            None => *arm,
        })
        .collect();
    let mut random = Random::new(100 + seed);
    let mut trials = Vec::new();
    for k in 0..STATES {
        let variant = k % variants.len();
        let other = &variants[variant];
        let inputs = state(other, request.of, &mut random);
        let mut expected = formula(other, request.of, &inputs);
        if request.of == Of::Acceleration {
            let [q, qd, tau] = [0, 1, 2].map(|part| row::<f64, N>(&inputs, part));
            let moving = other.pose_unchecked(q).moving(qd);
            moving.try_acceleration(tau).map_err(|cause| DeriveError::Undetermined { of: request.of, cause })?;
            expected = tau.to_vec();
        }
        let parameters = program.parameters.iter().map(|p| value(points[variant], &p.name, p.value)).collect();
        trials.push(Trial { variant, parameters, expected, inputs });
    }
    verified(program, request.of, &trials, |trial, found| match request.of {
        // Accelerations are judged by the torques that they ask for: how well the mass matrix is conditioned is the
        // robot's affair, not the program's.
        Of::Acceleration => {
            let inputs = [&trial.inputs[..2 * N], &found].concat();
            formula(&variants[trial.variant], Of::Torque, &inputs)
        }
        _ => found,
    })
}

/// The `part`-th row of N inputs.
fn row<S: Scalar, const N: usize>(inputs: &[S], part: usize) -> [S; N] {
    std::array::from_fn(|i| inputs[part * N + i])
}

/// The formula itself, with numbers of any kind.
fn formula<S: Scalar, const N: usize>(arm: &Serial<S, N>, of: Of, inputs: &[S]) -> Vec<S> {
    let part = |k: usize| row::<S, N>(inputs, k);
    let pose = arm.pose_unchecked(part(0));
    match of {
        Of::Torque => pose.moving(part(1)).torque(part(2)).to_vec(),
        Of::Acceleration => pose.moving(part(1)).acceleration(part(2)).to_vec(),
        Of::Coriolis => pose.moving(part(1)).coriolis().to_vec(),
        Of::Mass => pose.mass_matrix().as_flattened().to_vec(),
        Of::Gravity => pose.gravity_torque().to_vec(),
        Of::Fk => {
            let tool = pose.tool();
            tool.origin.0.into_iter().chain(tool.rotation.0.into_iter().flat_map(|row| row.0)).collect()
        }
        Of::TorqueCartesian | Of::Ik => Vec::new(), // refused before
    }
}

fn quantities<const N: usize>(arm: &Serial<f64, N>, of: Of) -> (Vec<Quantity>, Vec<Quantity>) {
    let sliding = arm.parameters().links.iter().filter(|link| link.joint == Joint::Prismatic).count();
    let unit = |turning: &str, other: &str| match sliding {
        0 => turning.to_owned(),
        n if n == N => other.to_owned(),
        _ => format!("{turning} ({other} where a joint slides)"),
    };
    let q = Quantity::new("q", N, "joint positions", &unit("rad", "m"));
    let qd = Quantity::new("qd", N, "joint velocities", &unit("rad/s", "m/s"));
    let qdd = Quantity::new("qdd", N, "joint accelerations", &unit("rad/s^2", "m/s^2"));
    let tau = Quantity::new("tau", N, "joint torques", &unit("N m", "N"));
    match of {
        Of::Acceleration => (vec![q, qd, tau], vec![qdd]),
        Of::Coriolis => (vec![q, qd], vec![Quantity::new("c", N, "velocity torques", &unit("N m", "N"))]),
        Of::Mass => (vec![q], vec![Quantity::matrix("m", N, N, "mass matrix", &unit("kg m^2", "kg"))]),
        Of::Gravity => (vec![q], vec![Quantity::new("g", N, "holding torques", &unit("N m", "N"))]),
        Of::Fk => (
            vec![q],
            vec![
                Quantity::new("position", 3, "tool point, base frame", "m"),
                Quantity::matrix("rotation", 3, 3, "tool axes as columns, base frame", "1"),
            ],
        ),
        Of::Torque | Of::TorqueCartesian | Of::Ik => (vec![q, qd, qdd], vec![tau]),
    }
}

pub(super) fn conventions<const N: usize>(arm: &Serial<f64, N>) -> Vec<String> {
    let rows = match arm.parameters().convention {
        DhConvention::Modified => "modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d)",
        DhConvention::Standard => "standard: Rz(theta) Tz(d) Tx(a) Rx(alpha)",
    };
    vec![
        "SI units and radians; torques at the joint side of the gear.".into(),
        format!("Denavit-Hartenberg rows, {rows}; q as in the robot file."),
    ]
}

/// A random state: torques are those of some accelerations.
pub(super) fn state<const N: usize>(arm: &Serial<f64, N>, of: Of, random: &mut Random) -> Vec<f64> {
    let links = &arm.parameters().links;
    let q: [f64; N] =
        std::array::from_fn(|i| random.signed() * if links[i].joint == Joint::Revolute { PI } else { 1.0 });
    // Now and then near standstill, where friction changes its sign.
    let slow = random.signed() > 0.5;
    let qd: [f64; N] = std::array::from_fn(|i| {
        random.signed() * links[i].friction.filter(|_| slow).map_or(2.0, |friction| 3.0 * friction.smoothing_velocity)
    });
    let mut third: [f64; N] = std::array::from_fn(|_| 5.0 * random.signed());
    if of == Of::Acceleration {
        third = arm.pose_unchecked(q).moving(qd).torque(third);
    }
    let rows: &[[f64; N]] = match of {
        Of::Torque | Of::Acceleration | Of::TorqueCartesian | Of::Ik => &[q, qd, third],
        Of::Coriolis => &[q, qd],
        Of::Mass | Of::Gravity | Of::Fk => &[q],
    };
    rows.concat()
}
