//! What robots with closed loops derive alike. A pose can be out of reach, so most of their programs refuse with a code.

use super::formulas::RobotFormulas;
use super::friction::{refuse_own_laws, with_friction};
use super::parameters::{self, Column, Parts, by_parameters};
use super::quantities::Joints;
use super::regressor::{self, Regressed};
use super::symbols::{self, Make, Symbols};
use super::verify::{STATES, Trial, verified};
use super::{DeriveError, Derived, Of, ParameterColumn, Request, candidates, finish, first_checked, program_name};
use crate::expr::Expr;
use crate::extract::Random;
use crate::graph::Graph;
use crate::program::{Check, Program, Quantity, Value};
use dalembert_core::Scalar;
use dalembert_core::friction::Friction;
use dalembert_core::parameter::Visit;

/// A robot with closed loops, and what is wanted of it.
pub(super) struct ClosedRobot<'r, R> {
    pub robot: &'r R,
    pub request: &'r Request,
    /// What one of its legs is called.
    pub leg: &'static str,
    /// Which of the legs' joints slide.
    pub slides: Vec<bool>,
    pub frictions: Vec<Option<Friction<f64>>>,
}

impl<R> ClosedRobot<'_, R> {
    pub fn joints(&self) -> Joints {
        let count = self.slides.len();
        Joints { count, sliding: self.slides.iter().filter(|slides| **slides).count(), tool: count }
    }
}

/// The formulas of such a robot.
pub(super) trait ClosedLoops: RobotFormulas {
    fn about(&self) -> ClosedRobot<'_, Self::Robot<f64>>;
    fn without_friction(&self, robot: &Self::Robot<f64>) -> Self::Robot<f64>;
    fn visit(&self, visit: &mut Visit<'_, f64>);
    /// The robot as expressions: its numbers, or what is made of its symbols.
    fn lifted<'g>(&self, robot: &Self::Robot<f64>, make: Option<&mut Make<'_, Expr<'g>>>) -> Self::Robot<Expr<'g>>;
    /// The robot with other values of its symbols.
    fn sampled(&self, make: &mut Make<'_, f64>) -> Self::Robot<f64>;
    /// Other formulas for the same, for the graph to remember.
    fn remember(&self, _rigid: &Self::Robot<f64>, _variables: &[Expr<'_>]) {}
    /// The formula itself, with numbers of any kind, and the margins without which it means nothing, with their codes.
    fn formula<S: Scalar>(&self, robot: &Self::Robot<S>, columns: &[Column], inputs: &[S]) -> (Vec<S>, Vec<(S, u32)>);
    /// The joint velocities of a motion of the platform.
    fn velocities<S: Scalar>(&self, robot: &Self::Robot<S>, inputs: &[S]) -> Vec<S>;
    /// What a code means, and what its margin, or the margin's size where this is not zero, must be above for the library's own limit.
    fn refusal(&self, code: u32) -> (String, f64);
    /// What a pose is made of, where the platform is given and where all other things are derived.
    fn pose(&self) -> [Vec<Quantity>; 2];
    fn conventions(&self) -> Vec<String>;
    /// A random state away from the singularities.
    fn state(&self, robot: &Self::Robot<f64>, random: &mut Random) -> Result<Vec<f64>, DeriveError>;
}

/// Inputs and outputs of programs for these things.
fn quantities(family: &impl ClosedLoops, all: &[Of]) -> (Vec<Quantity>, Vec<Quantity>) {
    let (joints, [mut platform, pose]) = (family.about().joints(), family.pose());
    match all {
        [Of::Ik] => (platform, vec![joints.positions()]),
        [Of::TorqueCartesian] => {
            let (velocity, acceleration) = match joints.count {
                3 => ([" of the platform", "m/s"], [" of the platform", "m/s^2"]),
                _ => (
                    [" and angular velocity of the platform", "m/s, rad/s"],
                    [" and angular acceleration of the platform", "m/s^2, rad/s^2"],
                ),
            };
            for (name, what, [meaning, unit]) in [("v", "velocity", velocity), ("a", "acceleration", acceleration)] {
                platform.push(Quantity::new(name, joints.count, &format!("{what}{meaning}"), unit));
            }
            (platform, joints.outputs(Of::Torque))
        }
        _ => {
            let outputs = |&of: &Of| if of == Of::Fk { platform.clone() } else { joints.outputs(of) };
            (joints.inputs(all, pose), all.iter().flat_map(outputs).collect())
        }
    }
}

/// The checks of a program, with their margins.
fn checks<'g>(family: &impl ClosedLoops, margins: Vec<(Expr<'g>, u32)>) -> Vec<(Expr<'g>, Check)> {
    let check = |(margin, code)| {
        let (meaning, least) = family.refusal(code);
        (margin, Check { margin: Value::number(0.0), least, sized: least > 0.0, code, meaning })
    };
    margins.into_iter().map(check).collect()
}

/// The program of a robot.
pub(super) fn derived<F: ClosedLoops>(family: &F) -> Result<Derived, DeriveError> {
    let about = family.about();
    let ClosedRobot { robot, request, ref frictions, .. } = about;
    let (of, all) = (request.of, request.all());
    refuse_own_laws(of, frictions)?;
    parameters::refuse_others(&all)?;
    let slides = |leg: usize| about.slides[leg];
    let mut columns = Vec::new();
    if by_parameters(of) {
        let parts =
            Parts { word: about.leg, count: family.count(), slides: &slides, shared: true, idle: &|_, _| false };
        columns = parts.columns(of, &request.by, |visit| family.visit(visit))?;
    }
    let graph = Graph::for_target(request.target);
    let mut random = Random::new(1);
    let mut symbols = Symbols::new(&graph);
    // Friction is joined later; derivatives by parameters have it with the others.
    let rigid = if columns.is_empty() { family.without_friction(robot) } else { robot.clone() };
    let lifted = match request.symbolic {
        true => family.lifted(&rigid, Some(&mut |symbol, value| symbols.expr(symbol, value, &mut random))),
        false => family.lifted(&rigid, None),
    };
    // The robot itself, or as it is at a sample point of its symbols.
    let variant = |point: Option<usize>| match point {
        Some(point) => family.sampled(&mut |symbol, value| symbols.sample(&symbol.name, value, point)),
        None => robot.clone(),
    };
    let point = family.state(&family.without_friction(&variant(request.symbolic.then_some(0))), &mut random)?;
    let (inputs, mut outputs) = quantities(family, &all);
    let variables = symbols::inputs(&graph, &inputs, &point);
    family.remember(&rigid, &variables);
    let (mut results, margins) = family.formula(&lifted, &columns, &variables);
    let mut words = family.conventions();
    if by_parameters(of) {
        let mut samples = Vec::new();
        for _ in 0..parameters::SAMPLES {
            let inputs = family.state(robot, &mut Random::new(7 + samples.len() as u64))?;
            samples.push(family.formula(robot, &columns, &inputs).0);
        }
        (columns, results) = parameters::kept(columns, results, &samples);
        parameters::require_columns(of, &columns)?;
        outputs = vec![about.joints().by_parameters(of, columns.len())];
        words.extend(parameters::words(&columns));
    }
    if frictions.iter().any(Option::is_some) && of == Of::TorqueCartesian {
        results.extend(family.velocities(&lifted, &variables));
    }
    let checks = checks(family, margins);
    let signature = Program {
        name: program_name(request),
        title: symbols::titles(&all),
        inputs,
        outputs,
        parameters: symbols.parameters(),
        ..Program::default()
    };
    let variants: &[Option<usize>] = if request.symbolic { &[None, Some(0), Some(1)] } else { &[None] };
    let mut trials: Vec<(Option<usize>, Vec<f64>, Vec<f64>)> = Vec::new();
    for k in 0..STATES {
        let point = variants[k % variants.len()];
        let other = variant(point);
        let inputs = family.state(&other, &mut random)?;
        let expected = family.formula(&other, &columns, &inputs).0;
        trials.push((point, inputs, expected));
    }
    let programs = candidates(&graph, signature, &results, &checks, request.effort);
    first_checked(programs, of, |program| {
        let program = with_friction(program, &all, frictions, &slides, request.symbolic);
        let program = finish(program, request, words.clone());
        let mut trials: Vec<Trial> = trials
            .iter()
            .map(|(point, inputs, expected)| {
                let parameters = symbols.values(&program, *point);
                Trial { variant: 0, parameters, inputs: inputs.clone(), expected: expected.clone(), sizes: Vec::new() }
            })
            .collect();
        let sizes = parameters::sized(&mut trials, columns.len());
        verified(program, of, &trials, &|_, found| parameters::over(found, &sizes))
    })
}

/// Y of τ = Y β, without friction of the motors: the robot's `regressor` as a program. The family is asked for torques.
pub(super) fn regressor<F: ClosedLoops>(
    family: &F,
    columns: &[ParameterColumn<F::Robot<f64>>],
    request: &Request,
) -> Result<Derived, DeriveError> {
    let graph = Graph::for_target(request.target);
    let mut random = Random::new(1);
    let rigid = family.without_friction(family.about().robot);
    let inputs = quantities(family, &[Of::Torque]).0;
    let mut states = Vec::new();
    for _ in 0..regressor::ENOUGH {
        states.push(family.state(&rigid, &mut random)?);
    }
    let variables = symbols::inputs(&graph, &inputs, &states[0]);
    let margins = family.formula(&family.lifted(&rigid, None), &[], &variables).1;
    regressor::program(Regressed {
        graph: &graph,
        request,
        joints: family.count(),
        inputs,
        rigid: &rigid,
        columns,
        states,
        torque: &|robot, state| family.formula(robot, &[], state).0,
        expression: &|robot| family.formula(&family.lifted(robot, None), &[], &variables).0,
        checks: checks(family, margins),
        conventions: family.conventions(),
    })
}
