//! `linearize`: the linear model about a state, for other tools and for state feedback.

use super::model::ModelArguments;
use super::{list, say_sticking};
use crate::prelude::*;
use dalembert::linear::{Complex, ExportFormat, Signal};
use dalembert::verbs::linear::linearize::{
    FeedbackRequest, LinearPoint, LinearTrajectory, LinearizeOutcome, LinearizeRequest, linearize, time_of,
};
use dalembert::verbs::linear::{ComplexPair, complex_text, poles_table};

#[derive(Args)]
#[command(after_help = "\
The model is dx' = A dx + B dtau, dy = C dx + D dtau about a state and the corresponding torques, with exact \
derivatives. States are (q, qd), or with --coordinates cartesian (x, v); all SI. The state may move: --velocity with \
--acceleration or --torque, or in joints.

TABLE: a model at each row of a CSV file as `trajectory` writes it (x..az, or q1..qdd, or states with tau1..), time \
in column t.

--out writes A, B, C, D, Ts (0: continuous), the names states, inputs, outputs and the point x0, u0, y0, dx0: .mat for \
MATLAB, .npz for NumPy, .json (with units). Along a motion they have one \
more index, the last one in MATLAB (A(:,:,k)), the first one in NumPy and JSON (A[k]).

With a TABLE, --lqr is the time-varying regulator along the motion: gains K(t), with the cost of holding the last state at the end. \
The files contain K and P; --gains writes a table for a controller. With --step the rows must be one step apart.

With --step (also --period) the regulators are discrete: --lqr minimises the sum over the samples, --place takes \
poles z inside the unit circle.

Examples:
  dalembert linearize d3-1200 --joints '45 deg' --damping 0.3 --out model.mat
  dalembert linearize d3-1200 --position 0.1,0,-0.85 --coordinates cartesian --outputs position --json
  dalembert linearize d3-1200 --joints '45 deg' --damping 0.3 --formulation baumgarte --order 6
  dalembert linearize asadi --joints 0 --step 1ms --out model.npz        discrete, inputs held
  dalembert linearize asadi --joints 0 --lqr 100,1,0.01
  dalembert linearize asadi --joints 0 --place=-5,-5,-5,-8,-8,-8
  dalembert linearize asadi --joints 0 --period 1ms --lqr 100,1,0.01
  dalembert linearize d3-1200 --position 0.1,0,-0.85 --velocity 1,0,0 --acceleration 0,0,20 --formulation baumgarte
  dalembert trajectory d3-1200 --out - | dalembert linearize d3-1200 - --out motion.mat
  dalembert linearize d3-1200 motion.csv --lqr 1e4,10,0.01 --gains gains.csv
  dalembert linearize puma560 --joints 0,-0.8,0.5,0,0.7,0 --out puma.mat")]
pub struct LinearizeArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Sample time: the discrete model with inputs held, s
    #[arg(long, visible_alias = "period", value_name = "TIME", allow_hyphen_values = true)]
    step: Option<String>,
    /// Write the model: .mat, .npz or .json; may be given several times
    #[arg(short, long, value_name = "FILE")]
    out: Vec<String>,
    /// Gain that minimises the integral (with --step: the sum) of Qp |dq|² + Qv |dqd|² + R |dtau|²
    #[arg(long, value_name = "QP,QV,R", allow_hyphen_values = true)]
    lqr: Option<String>,
    /// Gain by pole placement, 1/s (with --step: z)
    ///
    /// Complex poles as -4+3j,-4-3j
    #[arg(long, value_name = "P1,P2,..", allow_hyphen_values = true, conflicts_with = "lqr")]
    place: Option<String>,
    /// Write the regulator of a motion as CSV: t, the state and torques of the motion, gains k_tau1_q1 ...
    #[arg(long, value_name = "FILE")]
    gains: Option<String>,
    /// Draw the frequency response: .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Write the frequency response as CSV: gain and phase of every input and output
    #[arg(long, value_name = "FILE")]
    response: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What poles are worth away from an equilibrium.
pub const FROZEN: &str =
    "frozen at a point of a motion: the poles depend on the coordinates and do not decide stability";

/// The heading of a table of these poles.
pub const OVER_TIME: &str = "Poles at each state, as if it stayed there";

impl LinearizeArguments {
    /// Refuses options that do not go together, before anything is read.
    fn check(&self) -> Result<(), Failure> {
        let is_motion = self.model.point.file().is_some();
        if is_motion && given!(self; place, plot, response).next().is_some() {
            let message = "--place, --plot and --response are for a model about one state, not for a motion";
            return Err(Failure::new(message).hint("give the state itself instead of a table"));
        }
        if self.gains.is_some() && !(is_motion && self.lqr.is_some()) {
            let hint = "give a table of states and --lqr with it";
            return Err(Failure::new("--gains writes the regulator of a motion").hint(hint));
        }
        match self.out.iter().find(|name| ExportFormat::of_name(name).is_none()) {
            Some(name) => {
                Err(Failure::new(format!("cannot export to {name}: unknown ending")).hint("use .mat, .npz or .json"))
            }
            None => Ok(()),
        }
    }

    fn request(&self) -> Result<LinearizeRequest, Failure> {
        let feedback = match (&self.lqr, &self.place) {
            (Some(text), _) => {
                let weights = list("lqr", text, Dimension::Ratio, 3)?;
                Some(FeedbackRequest::Lqr([weights[0], weights[1], weights[2]]))
            }
            (None, Some(text)) => {
                Some(FeedbackRequest::Place(text.split(',').map(complex).collect::<Result<_, Failure>>()?))
            }
            (None, None) => None,
        };
        let step = optional(number, "step", &self.step, Dimension::Time)?;
        Ok(LinearizeRequest { model: self.model.request()?, step, feedback })
    }
}

pub fn run(arguments: &LinearizeArguments, screen: &mut Screen) -> Result<(), Failure> {
    arguments.check()?;
    let models = if arguments.model.point.file().is_some() { "models" } else { "model" };
    let files = Files::open(models, &arguments.out)?.and("plot", &arguments.plot)?;
    let mut files = files.and("frequency response", &arguments.response)?.and("gains", &arguments.gains)?;
    let outcome = linearize(&arguments.request()?, &mut arguments.model.progress())?;
    for (sink, format) in files.sinks(models).zip(arguments.out.iter().filter_map(|name| ExportFormat::of_name(name))) {
        sink.bytes(&outcome.export(format)?)?;
    }
    match &outcome {
        LinearizeOutcome::Point(point) => {
            files.write("plot", |sink| sink.picture(&point.chart().draw()))?;
            files.write("frequency response", |sink| sink.text(&point.response_csv()))?;
        }
        LinearizeOutcome::Motion(LinearTrajectory { models: (motion, regulator), .. }) => {
            files.write("gains", |sink| regulator.iter().try_for_each(|it| sink.text(&it.to_csv(motion))))?;
        }
    }
    files.show(screen, &outcome, arguments.json, Names::Apart, |screen| match &outcome {
        LinearizeOutcome::Point(point) => about_point(point, screen),
        LinearizeOutcome::Motion(motion) => along_motion(motion, screen),
    })
}

fn along_motion(outcome: &LinearTrajectory, screen: &mut Screen) {
    let (motion, regulator) = &outcome.models;
    let s = &motion.points()[0].system;
    let (n, inputs, outputs) = (s.order(), s.inputs.len(), s.outputs.len());
    screen.heading(format!("{}: linear models along a motion, {} states of it", outcome.robot, outcome.poles.len()));
    let sizes = format!("A {n} × {n}, B {n} × {inputs}, C {outputs} × {n}, D {outputs} × {inputs}");
    screen.line(format!("  {sizes} at each; {}", time_of(s)));
    screen.section(OVER_TIME, &poles_table(motion.times(), &outcome.poles, s.step.is_some()));
    if let Some(regulator) = regulator {
        screen.title("Gains K(t) of dtau = -K dx, best along the motion and for holding its end");
        for (i, input) in s.inputs.iter().enumerate() {
            let most = regulator.gains.iter().map(|gain| gain.row(i).amax()).fold(0.0, f64::max);
            screen.line(format!("  {}: at most {}", input.name, human(most, 4)));
        }
    }
}

pub fn texts(poles: &[ComplexPair]) -> String {
    poles.iter().map(|pole| complex_text(*pole)).collect::<Vec<_>>().join("  ")
}

fn about_point(point: &LinearPoint, screen: &mut Screen) {
    let s = &point.model.system;
    screen.heading(format!("{}: linear model, {} states, {}", point.robot, s.order(), time_of(s)));
    let frozen = point.frozen_in_motion;
    screen.line(if frozen { format!("  {FROZEN}") } else { String::from("  about an equilibrium") });
    say_sticking(screen, point.dry_friction.as_ref(), true);
    for (label, matrix, rows, columns) in [
        ("A", &s.a, &s.states, &s.states),
        ("B", &s.b, &s.states, &s.inputs),
        ("C", &s.c, &s.outputs, &s.states),
        ("D", &s.d, &s.outputs, &s.inputs),
    ] {
        let numbers = matrix.row_iter().map(|row| row.iter().copied().collect());
        screen.section(label, &matrix_table(numbers, rows, columns));
    }
    let hankel = &point.hankel_singular_values;
    if !hankel.is_empty() {
        screen.title("Hankel singular values");
        screen.line(format!("  {}", hankel.iter().map(|x| human(*x, 4)).collect::<Vec<_>>().join("  ")));
    }
    screen.title("Poles");
    screen.line(format!("  {}", texts(&point.poles)));
    if let Some(poles) = &point.poles_without_dry_friction {
        screen.line(format!("  without dry friction: {}", texts(poles)));
    }
    if let (Some(gain), Some(poles)) = (&point.gain, &point.closed_loop_poles) {
        screen.section("Gain K of dtau = -K dx", &matrix_table(gain.iter().cloned(), &s.inputs, &s.states));
        screen.line(format!("  poles with it: {}", texts(poles)));
    }
}

/// `-4`, `-4+3j`, `-4-3i`.
fn complex(text: &str) -> Result<Complex<f64>, Failure> {
    let text = text.trim();
    let wrong = || Failure::new(format!("--place: `{text}` is no pole")).hint("write it as -4 or -4+3j");
    let Some(body) = text.strip_suffix(['j', 'i']) else {
        return text.parse().map(|re| Complex::new(re, 0.0)).map_err(|_| wrong());
    };
    // The sign between the parts is the last one that does not belong to an exponent.
    let bytes = body.as_bytes();
    let split =
        (1..bytes.len()).rev().find(|&i| matches!(bytes[i], b'+' | b'-') && !matches!(bytes[i - 1], b'e' | b'E'));
    let (re, im) = split.map_or(("0", body), |i| body.split_at(i));
    match (re.parse(), im.parse()) {
        (Ok(re), Ok(im)) => Ok(Complex::new(re, im)),
        _ => Err(wrong()),
    }
}

fn matrix_table(matrix: impl Iterator<Item = Vec<f64>>, rows: &[Signal], columns: &[Signal]) -> Table {
    let head = [""].into_iter().chain(columns.iter().map(|signal| signal.name.as_str()));
    let rows = matrix
        .zip(rows)
        .map(|(row, signal)| [signal.name.clone()].into_iter().chain(row.into_iter().map(|value| human(value, 5))));
    Table::of(&format!("l{}", "r".repeat(columns.len())), head, rows)
}
