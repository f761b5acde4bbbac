//! What robots with closed loops derive alike. A pose can be out of reach, so most of their programs refuse with a code.

use super::formulas::{Formulas, RobotFormulas, rows};
use super::friction::{refuse_own_laws, with_friction};
use super::parameters::{self, Column, Parts, by_parameters};
use super::quantities::Joints;
use super::regressor::{self, ColumnTorque, Regressed};
use super::symbols::{self, Make, Symbols};
use super::verify::{STATES, Trial, verified};
use super::{DeriveError, Derived, Of, Request, candidates, finish, first_checked};
use crate::expr::Expr;
use crate::extract::Random;
use crate::graph::Graph;
use crate::program::{Check, Program, Quantity, Value};
use dalembert_core::Scalar;
use dalembert_core::friction::Friction;

/// A robot with closed loops, and what is wanted of it.
pub(super) struct ClosedRobot<'r> {
    pub request: &'r Request,
    /// What one of its legs is called.
    pub leg: &'static str,
    /// Which of the legs' joints slide.
    pub slides: Vec<bool>,
    pub frictions: Vec<Option<Friction<f64>>>,
    /// How many numbers a pose has, where not the platform is given.
    pub pose: usize,
}

impl ClosedRobot<'_> {
    pub fn joints(&self) -> Joints {
        let count = self.slides.len();
        Joints { count, sliding: self.slides.iter().filter(|slides| **slides).count(), tool: count }
    }
}

/// The formulas of such a robot.
pub(super) trait ClosedLoops: RobotFormulas {
    fn about(&self) -> ClosedRobot<'_>;
    fn without_friction(&self) -> Box<dyn ClosedLoops + '_>;
    /// Its numbers as expressions, or what is made of its symbols.
    fn lifted<'g>(&self, make: Option<&mut Make<'_, Expr<'g>>>) -> Vec<Expr<'g>>;
    /// The robot with other values of its symbols.
    fn sampled(&self, make: &mut Make<'_, f64>) -> Box<dyn ClosedLoops + '_>;
    /// Other formulas for the same, for the graph to remember.
    fn remember(&self, _variables: &[Expr<'_>]) {}
    /// The margins without which the programs mean nothing, and their codes.
    fn record_margins(&self) -> (Program, Vec<u32>);
    /// What a code means, and what its margin, or the margin's size where this is not zero, must be above for the library's own limit.
    fn refusal(&self, code: u32) -> (String, f64);
    /// What a pose is made of, where the platform is given and where all other things are derived.
    fn pose(&self) -> [Vec<Quantity>; 2];
    fn conventions(&self) -> Vec<String>;
    /// A random state away from the singularities.
    fn state(&self, random: &mut Random) -> Result<Vec<f64>, DeriveError>;
}

/// Whether a program takes the platform of a robot whose joints are given for all other things.
pub(super) fn given_platform(of: Of) -> bool {
    matches!(of, Of::TorqueCartesian | Of::Ik)
}

/// Inputs and outputs of programs for these things.
fn quantities(robot: &dyn ClosedLoops, all: &[Of]) -> (Vec<Quantity>, Vec<Quantity>) {
    let (joints, [mut platform, pose]) = (robot.about().joints(), robot.pose());
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
fn checks<'g>(robot: &dyn ClosedLoops, lifted: &[Expr<'g>], variables: &[Expr<'g>]) -> Vec<(Expr<'g>, Check)> {
    let (program, codes) = robot.record_margins();
    let check = |(margin, code)| {
        let (meaning, least) = robot.refusal(code);
        (margin, Check { margin: Value::number(0.0), least, sized: least > 0.0, code, meaning })
    };
    program.evaluate_with(lifted, variables).into_iter().zip(codes).map(check).collect()
}

/// What is wanted of a robot; of its torque from the platform's motion the joint velocities too.
fn results<S: Scalar>(
    formulas: &Formulas<'_>,
    of: &ClosedRobot<'_>,
    robot: &[S],
    columns: &[Column],
    inputs: &[S],
) -> Vec<S> {
    let (all, n) = (of.request.all(), of.slides.len());
    let rows = match given_platform(all[0]) {
        true => [inputs.to_vec(), Vec::new(), Vec::new(), Vec::new()],
        false => rows(&all, inputs, of.pose, n),
    };
    all.iter().flat_map(|&of| formulas.results(robot, of, &rows, columns)).collect()
}

/// The program of a robot.
pub(super) fn derived(robot: &dyn ClosedLoops) -> Result<Derived, DeriveError> {
    let about = robot.about();
    let ClosedRobot { request, ref frictions, .. } = about;
    let (of, all) = (request.of, request.all());
    refuse_own_laws(of, frictions)?;
    parameters::refuse_others(&all)?;
    let slides = |leg: usize| about.slides[leg];
    let mut columns = Vec::new();
    if by_parameters(of) {
        let parts = Parts { word: about.leg, count: robot.count(), slides: &slides, shared: true, idle: &|_, _| false };
        columns = parts.columns(of, &request.by, |visit| robot.visit(visit))?;
    }
    let graph = Graph::for_target(request.target);
    let mut random = Random::new(1);
    let mut symbols = Symbols::new(&graph);
    // Friction is joined later; derivatives by parameters have it with the others.
    let without_friction = robot.without_friction();
    let rigid = if columns.is_empty() { &*without_friction } else { robot };
    let lifted = match request.symbolic {
        true => rigid.lifted(Some(&mut |symbol, value| symbols.expr(symbol, value, &mut random))),
        false => rigid.lifted(None),
    };
    // The robot as it is at a sample point of its symbols.
    let variant = |point: Option<usize>| {
        point.map(|point| robot.sampled(&mut |symbol, value| symbols.sample(&symbol.name, value, point)))
    };
    let other = variant(request.symbolic.then_some(0));
    let point = other.as_deref().unwrap_or(robot).without_friction().state(&mut random)?;
    let (inputs, mut outputs) = quantities(robot, &all);
    let variables = symbols::inputs(&graph, &inputs, &point);
    rigid.remember(&variables);
    let checks = checks(rigid, &lifted, &variables);
    let mut results = results(&Formulas::new(rigid), &about, &lifted, &columns, &variables);
    let mut words = robot.conventions();
    let formulas = Formulas::new(robot);
    if by_parameters(of) {
        let mut samples = Vec::new();
        for _ in 0..parameters::SAMPLES {
            let inputs = robot.state(&mut Random::new(7 + samples.len() as u64))?;
            samples.push(self::results(&formulas, &about, &robot.numbers(), &columns, &inputs));
        }
        (columns, results) = parameters::kept(columns, results, &samples);
        parameters::require_columns(of, &columns)?;
        outputs = vec![about.joints().by_parameters(of, columns.len())];
        words.extend(parameters::words(&columns));
    }
    if frictions.iter().all(Option::is_none) && of == Of::TorqueCartesian {
        results.truncate(robot.count());
    }
    let signature = request.signature(&all, [inputs, outputs], symbols.parameters());
    let mut trials = Vec::new();
    for k in 0..STATES {
        let number = if request.symbolic { k % 3 } else { 0 };
        let other = variant(number.checked_sub(1));
        let other = other.as_deref().unwrap_or(robot);
        let inputs = other.state(&mut random)?;
        let expected = self::results(&formulas, &about, &other.numbers(), &columns, &inputs);
        trials.push(Trial { variant: number, inputs, expected, ..Trial::default() });
    }
    let sizes = parameters::sized(&mut trials, columns.len());
    let programs = candidates(&graph, signature, &results, &checks, request.effort);
    first_checked(programs, of, &mut |program| {
        let program = with_friction(program, &all, (frictions, &[]), &slides, request.symbolic);
        let program = finish(program, request, words.clone());
        verified(program, of, &symbols, &trials, &|_, found| parameters::over(found, &sizes))
    })
}

/// Y of τ = Y β, without friction of the motors: the robot's `regressor` as a program. The robots are asked for torques; those of the columns
/// have a name and the column that theirs is to be without.
pub(super) fn regressor<'r, R: ClosedLoops>(
    robot: &dyn ClosedLoops,
    columns: impl Iterator<Item = (R, &'r str, Option<usize>)>,
    request: &Request,
) -> Result<Derived, DeriveError> {
    let graph = Graph::for_target(request.target);
    let mut random = Random::new(1);
    let rigid = robot.without_friction();
    let inputs = quantities(robot, &[Of::Torque]).0;
    let mut states = Vec::new();
    for _ in 0..regressor::ENOUGH {
        states.push(rigid.state(&mut random)?);
    }
    let variables = symbols::inputs(&graph, &inputs, &states[0]);
    let lifted = rigid.lifted(None);
    let checks = checks(&*rigid, &lifted, &variables);
    // The columns are parts of the whole torque: the graph remembers.
    rigid.record(Of::Torque).evaluate_with(&lifted, &variables);
    let columns = columns.map(|(robot, name, less)| ColumnTorque::new(&robot, robot.lifted(None), name, less));
    regressor::program(Regressed {
        graph: &graph,
        request,
        joints: robot.count(),
        inputs,
        rigid: ColumnTorque::new(&*rigid, Vec::new(), "", None),
        columns: columns.collect(),
        states,
        variables,
        checks,
        conventions: robot.conventions(),
    })
}
