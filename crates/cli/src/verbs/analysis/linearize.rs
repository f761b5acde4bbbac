//! `linearize`: the linear model about a state, for other tools and for state feedback.

use super::model::{Model, ModelArguments, PointModel};
use super::{list, sticking_json, tell_sticking};
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, human};
use clap::Args;
use dalembert::linear::{
    Complex, ExportFormat, LinearError, LinearMotion, Linearized, Matrix, Regulator, Signal, StateSpace, decades, lqr,
    lqr_along, magnitude, place,
};
use dalembert::report::chart::{COLORS, Chart, Line, Panel, Series, range_of};
use dalembert::report::text::number;
use dalembert::robot::file::Dimension;
use serde_json::{Value, json};

#[derive(Args)]
#[command(after_help = "\
The model is dx' = A dx + B dtau, dy = C dx + D dtau about a state and the torques that belong to it, with exact \
derivatives. States are (q, qd), or with --coordinates cartesian (x, v); all SI. The state may move: --velocity with \
--acceleration or --torque, or in joints.

--states: a model at each row of a CSV file as `trajectory` writes it (x..az, or q1..qdd, or states with tau1..), time \
in column t.

--out writes A, B, C, D, Ts (0: continuous), the names states, inputs, outputs and the point x0, u0, y0, dx0: .mat for \
MATLAB, .npz for NumPy, .json (with units). Along a motion they have one \
more index, the last one in MATLAB (A(:,:,k)), the first one in NumPy and JSON (A[k]).

With --states, --lqr is the regulator along the motion: gains K(t) for the least cost from each time on, at the end that \
of holding the last state; in the files K and P, with --gains a table for a controller. With --step the rows must be that \
far apart.

With --step (also --period) the regulators are those of the sampled loop: --lqr the least sum over the samples, --place \
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
  dalembert trajectory d3-1200 --out - | dalembert linearize d3-1200 --states - --out motion.mat
  dalembert linearize d3-1200 --states motion.csv --lqr 1e4,10,0.01 --gains gains.csv
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
    /// Gain that puts the poles there, 1/s (with --step: z); complex ones as -4+3j,-4-3j
    #[arg(long, value_name = "P1,P2,..", allow_hyphen_values = true, conflicts_with = "lqr")]
    place: Option<String>,
    /// Write the regulator of a motion as CSV: t, the state and torques of the motion, gains k_tau1_q1 ...
    #[arg(long, value_name = "FILE")]
    gains: Option<String>,
    /// Draw the frequency response, SVG or PNG by its ending
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Write the frequency response as CSV: gain and phase of every input and output
    #[arg(long, value_name = "FILE")]
    response: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Files that are wanted; opened before anything is computed.
struct Files {
    out: Vec<(Sink, ExportFormat)>,
    plot: Option<Sink>,
    response: Option<Sink>,
    gains: Option<Sink>,
}

impl Files {
    fn open(arguments: &LinearizeArguments) -> Result<Self, Failure> {
        let mut out: Vec<(Sink, ExportFormat)> = Vec::new();
        for name in &arguments.out {
            let Some(format) = ExportFormat::of_name(name) else {
                return Err(
                    Failure::new(format!("cannot export to {name}: unknown ending")).hint("use .mat, .npz or .json")
                );
            };
            out.push((Sink::new(name)?, format));
        }
        let plot = arguments.plot.as_deref().map(Sink::for_picture).transpose()?;
        let response = arguments.response.as_deref().map(Sink::new).transpose()?;
        let gains = arguments.gains.as_deref().map(Sink::new).transpose()?;
        Ok(Self { out, plot, response, gains })
    }
}

/// What poles are worth away from an equilibrium.
pub const FROZEN: &str =
    "frozen at a point of a motion: the poles depend on the coordinates and do not decide stability";

/// Whether the point moves, beyond rounding.
pub fn is_moving(model: &Linearized) -> bool {
    model.rate.iter().fold(0.0_f64, |m, r| m.max(r.abs())) > 1e-9
}

pub fn run(arguments: &LinearizeArguments, screen: &mut Screen) -> Result<(), Failure> {
    let step = arguments.step.as_deref().map(|text| list("step", text, Dimension::Time, 1)).transpose()?;
    let step = step.map(|step| step[0]);
    let of_a_point = arguments.place.is_some() || arguments.plot.is_some() || arguments.response.is_some();
    if arguments.model.point.is_motion() && of_a_point {
        let message = "--place, --plot and --response are for a model about one state, not for a motion";
        return Err(Failure::new(message).hint("give the state itself instead of --states"));
    }
    if arguments.gains.is_some() && !(arguments.model.point.is_motion() && arguments.lqr.is_some()) {
        return Err(Failure::new("--gains writes the regulator of a motion").hint("give --states and --lqr with it"));
    }
    if arguments.lqr.is_some() && (arguments.model.order.is_some() || arguments.model.part.is_some()) {
        return Err(Failure::new("--lqr weighs angles and rates, which the states of --order and --part are not")
            .hint("regulate the full model, or export the reduced one and weigh its outputs in your own tool"));
    }
    let files = Files::open(arguments)?;
    let (name, model) = arguments.model.linearized()?;
    match model {
        Model::Point(point) => about_point(arguments, screen, files, (&name, *point), step),
        Model::Motion(motion) => along_motion(arguments, screen, files, (&name, motion), step),
    }
}

fn write(
    out: Vec<(Sink, ExportFormat)>,
    bytes: impl Fn(ExportFormat) -> Result<Vec<u8>, Failure>,
) -> Result<(), Failure> {
    for (mut sink, format) in out {
        std::io::Write::write_all(&mut sink, &bytes(format)?)
            .map_err(|error| Failure::io("cannot write the model", error))?;
        sink.finish()?;
    }
    Ok(())
}

/// The models of a motion: to a file as they are, a summary to the screen.
fn along_motion(
    arguments: &LinearizeArguments,
    screen: &mut Screen,
    files: Files,
    (name, mut motion): (&str, LinearMotion),
    step: Option<f64>,
) -> Result<(), Failure> {
    let bad = |error: LinearError| Failure::new(format!("{name}: {error}"));
    if let Some(step) = step {
        motion = motion.discrete(step).map_err(bad)?;
    }
    let regulator = match &arguments.lqr {
        None => None,
        Some(text) => {
            let [q, r] = weights(text, &motion.points()[0].system)?;
            let found = lqr_along(&motion, &q, &r, None).map_err(|error| match error {
                LinearError::Steps { .. } => {
                    bad(error).hint("--step is the time from row to row of the file, to the last row too")
                }
                error => bad(error),
            })?;
            Some(found)
        }
    };
    let regulator = regulator.as_ref();
    write(files.out, |format| motion.export(regulator, format).map_err(bad))?;
    if let (Some(mut sink), Some(regulator)) = (files.gains, regulator) {
        sink.text(&regulator.to_csv(&motion))?;
        sink.finish()?;
    }
    let poles: Vec<Vec<Complex<f64>>> =
        motion.points().iter().map(|point| point.system.poles()).collect::<Result<_, _>>().map_err(bad)?;
    if arguments.json {
        let mut json = motion.to_json(regulator);
        json["robot"] = json!(name);
        json["poles"] = poles.iter().map(|poles| poles_json(poles)).collect();
        screen.json(&json);
        return Ok(());
    }
    let s = &motion.points()[0].system;
    let (inputs, outputs) = (s.inputs.len(), s.outputs.len());
    screen.heading(format!("{name}: linear models along a motion, {} states of it", poles.len()));
    screen.line(format!(
        "  A {n} × {n}, B {n} × {inputs}, C {outputs} × {n}, D {outputs} × {inputs} at each; {}",
        time_of(s),
        n = s.order()
    ));
    screen.line("");
    poles_over_time(screen, motion.times(), &poles, s.step.is_some());
    if let Some(regulator) = regulator {
        let largest = |i: usize| regulator.gains.iter().flat_map(move |k| k.row(i).iter().copied().collect::<Vec<_>>());
        screen.line("");
        screen.heading("Gains K(t) of dtau = -K dx, best along the motion and for holding its end");
        for (i, input) in s.inputs.iter().enumerate() {
            let most = largest(i).fold(0.0_f64, |m, k| m.max(k.abs()));
            screen.line(format!("  {}: at most {}", input.name, human(most, 4)));
        }
    }
    tell_files(screen, arguments, "models");
    Ok(())
}

fn time_of(s: &StateSpace) -> String {
    s.step.map_or(String::from("continuous"), |step| format!("discrete, {} s", human(step, 4)))
}

/// About twenty rows: the frozen poles of a motion.
pub fn poles_over_time(screen: &mut Screen, times: &[f64], poles: &[Vec<Complex<f64>>], discrete: bool) {
    const SHOWN: usize = 20;
    let growth = |s: &Complex<f64>| if discrete { s.norm() } else { s.re };
    let mut table = Table::new("rrrr");
    let head = if discrete { ["t, s", "largest |z|", "outside"] } else { ["t, s", "largest Re, 1/s", "to the right"] };
    table.head(head);
    let last = times.len() - 1;
    let mut shown: Vec<usize> = (0..=SHOWN.min(last)).map(|k| k * last / SHOWN.min(last).max(1)).collect();
    shown.dedup();
    for k in shown {
        let largest = poles[k].iter().map(growth).fold(f64::NEG_INFINITY, f64::max);
        let loose = poles[k].iter().filter(|s| growth(s) > if discrete { 1.0 + 1e-9 } else { 1e-6 }).count();
        table.row([human(times[k], 4), human(largest, 4), loose.to_string()]);
    }
    screen.heading("Poles at each state, as if it stayed there");
    screen.table(&table);
}

fn about_point(
    arguments: &LinearizeArguments,
    screen: &mut Screen,
    files: Files,
    (name, point): (&str, PointModel),
    step: Option<f64>,
) -> Result<(), Failure> {
    let PointModel { mut model, hankel, robot, sticking, mut smooth } = point;
    let bad = |error: LinearError| Failure::new(format!("{name}: {error}"));
    if let Some(step) = step {
        model = model.discrete(step).map_err(bad)?;
        smooth = smooth.map(|smooth| smooth.discrete(step)).transpose().map_err(bad)?;
    }
    let smooth = smooth.map(|smooth| smooth.system.poles()).transpose().map_err(bad)?;
    if let Some(mut sink) = files.plot {
        sink.picture(&bode(&model, name).draw())?;
        sink.finish()?;
    }
    if let Some(mut sink) = files.response {
        sink.text(&response_csv(&model.system))?;
        sink.finish()?;
    }
    let regulator = regulator(arguments, &model, name)?;
    write(files.out, |format| Ok(model.export(format)))?;
    let poles = model.system.poles().map_err(bad)?;
    if arguments.json {
        let mut json = model.to_json();
        json["robot"] = json!(name);
        json["poles"] = poles_json(&poles);
        json["dry_friction"] = sticking_json(&sticking);
        json["poles_without_dry_friction"] = json!(smooth.as_deref().map(poles_json));
        if !hankel.is_empty() {
            json["hankel_singular_values"] = json!(hankel);
        }
        if let Some(regulator) = &regulator {
            let rows: Vec<Vec<f64>> = regulator.gain.row_iter().map(|row| row.iter().copied().collect()).collect();
            json["gain"] = json!(rows);
            json["closed_loop_poles"] = poles_json(&regulator.poles);
        }
        screen.json(&json);
        return Ok(());
    }
    let s = &model.system;
    screen.heading(format!("{name}: linear model, {} states, {}", s.order(), time_of(s)));
    let moving = is_moving(&model);
    screen.line(if moving { format!("  {FROZEN}") } else { String::from("  about an equilibrium") });
    tell_sticking(screen, &robot, &sticking, true);
    for (label, matrix, rows, columns) in [
        ("A", &s.a, &s.states, &s.states),
        ("B", &s.b, &s.states, &s.inputs),
        ("C", &s.c, &s.outputs, &s.states),
        ("D", &s.d, &s.outputs, &s.inputs),
    ] {
        screen.line("");
        screen.heading(label);
        screen.table(&matrix_table(matrix, rows, columns));
    }
    if !hankel.is_empty() {
        screen.line("");
        screen.heading("Hankel singular values");
        screen.line(format!("  {}", hankel.iter().map(|x| human(*x, 4)).collect::<Vec<_>>().join("  ")));
    }
    screen.line("");
    screen.heading("Poles");
    let list = |poles: &[Complex<f64>]| poles.iter().map(|s| show(*s)).collect::<Vec<_>>().join("  ");
    screen.line(format!("  {}", list(&poles)));
    if let Some(poles) = &smooth {
        screen.line(format!("  without dry friction: {}", list(poles)));
    }
    if let Some(regulator) = &regulator {
        screen.line("");
        screen.heading("Gain K of dtau = -K dx");
        screen.table(&matrix_table(&regulator.gain, &s.inputs, &s.states));
        screen.line(format!(
            "  poles with it: {}",
            regulator.poles.iter().map(|s| show(*s)).collect::<Vec<_>>().join("  ")
        ));
    }
    tell_files(screen, arguments, "model");
    Ok(())
}

/// What was written.
fn tell_files(screen: &mut Screen, arguments: &LinearizeArguments, models: &str) {
    let others = [(&arguments.plot, "plot"), (&arguments.response, "frequency response"), (&arguments.gains, "gains")];
    let others = others.into_iter().flat_map(|(name, what)| name.iter().map(move |name| (name, what)));
    for (name, what) in arguments.out.iter().map(|name| (name, models)).chain(others) {
        screen.line("");
        screen.line(format!("{what}: {name}"));
    }
}

/// Q and R of --lqr.
fn weights(text: &str, system: &StateSpace) -> Result<[Matrix; 2], Failure> {
    let (n, m) = system.b.shape();
    let weights = list("lqr", text, Dimension::Ratio, 3)?;
    let q = Matrix::from_fn(n, n, |i, j| if i != j { 0.0 } else { weights[usize::from(i >= n / 2)] });
    Ok([q, Matrix::identity(m, m) * weights[2]])
}

fn regulator(arguments: &LinearizeArguments, model: &Linearized, name: &str) -> Result<Option<Regulator>, Failure> {
    let system = &model.system;
    let bad = |error: LinearError| Failure::new(format!("{name}: {error}"));
    if let Some(text) = &arguments.lqr {
        let [q, r] = weights(text, system)?;
        return lqr(system, &q, &r).map(Some).map_err(bad);
    }
    if let Some(text) = &arguments.place {
        let wanted: Result<Vec<_>, Failure> = text.split(',').map(complex).collect();
        let wanted = wanted?;
        if let Some(step) = system.step
            && let Some(z) = wanted.iter().find(|z| z.norm() >= 1.0)
        {
            return Err(Failure::new(format!("--place: {} is not inside the unit circle", show(*z))).hint(format!(
                "with --step poles are those of the samples, exp(s step): -5 1/s is {}",
                human((-5.0 * step).exp(), 6)
            )));
        }
        if let Some(s) = wanted.iter().find(|s| system.step.is_none() && s.re >= 0.0) {
            return Err(Failure::new(format!(
                "--place: {} 1/s is no pole of a stable loop: deviations would not decay",
                show(*s)
            ))
            .hint("poles of a continuous loop are left of zero, as in --place=-5,-5,-5,-8,-8,-8"));
        }
        return place(system, &wanted).map(Some).map_err(bad);
    }
    Ok(None)
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

pub fn show(s: Complex<f64>) -> String {
    match s.im {
        0.0 => human(s.re, 5),
        im => format!("{}{}{}j", human(s.re, 5), if im < 0.0 { "-" } else { "+" }, human(im.abs(), 5)),
    }
}

pub fn poles_json(poles: &[Complex<f64>]) -> Value {
    json!(poles.iter().map(|s| [s.re, s.im]).collect::<Vec<_>>())
}

fn matrix_table(matrix: &Matrix, rows: &[Signal], columns: &[Signal]) -> Table {
    let mut table = Table::new(&format!("l{}", "r".repeat(columns.len())));
    table.head(std::iter::once("").chain(columns.iter().map(|signal| signal.name.as_str())));
    for (row, signal) in matrix.row_iter().zip(rows) {
        let cells = row.iter().map(|value| human(*value, 5));
        table.row(std::iter::once(signal.name.clone()).chain(cells));
    }
    table
}

/// From 0.01 Hz to 1 kHz, or to half the sample rate.
fn frequencies(system: &StateSpace) -> Vec<f64> {
    decades(0.01, system.step.map_or(1000.0, |step| (0.5 / step).min(1000.0)), 400)
}

/// `f` in Hz, then `gain_y_u` in SI units and `phase_y_u` in rad for each output y and input u.
fn response_csv(system: &StateSpace) -> String {
    let pairs: Vec<(usize, usize)> =
        (0..system.outputs.len()).flat_map(|i| (0..system.inputs.len()).map(move |j| (i, j))).collect();
    let mut text = String::from("f");
    for (i, j) in &pairs {
        let name = format!("{}_{}", system.outputs[*i].name, system.inputs[*j].name);
        text += &format!(",gain_{name},phase_{name}");
    }
    text.push('\n');
    for f in frequencies(system) {
        // On a pole there is no response.
        let Ok(response) = system.at_frequency(f * std::f64::consts::TAU) else { continue };
        text += &number(f);
        for (i, j) in &pairs {
            let g = response[(*i, *j)];
            text += &format!(",{},{}", number(g.norm()), number(g.arg()));
        }
        text.push('\n');
    }
    text
}

/// Gain and phase from each input to the output of the same number, and the largest gain over all directions.
fn bode(model: &Linearized, name: &str) -> Chart {
    let system = &model.system;
    let frequencies = frequencies(system);
    let count = system.inputs.len().min(system.outputs.len()).min(6);
    let mut gains: Vec<Vec<(f64, f64)>> = vec![Vec::new(); count + 1];
    let mut phases: Vec<Vec<(f64, f64)>> = vec![Vec::new(); count];
    for f in &frequencies {
        let response = system.at_frequency(f * std::f64::consts::TAU).ok();
        // A pole on the axis is a gap in the line.
        let at = |value: Option<f64>| (f.log10(), value.unwrap_or(f64::NAN));
        let db = |gain: f64| 20.0 * gain.log10();
        for k in 0..count {
            gains[k].push(at(response.as_ref().map(|g| db(g[(k, k)].norm()))));
            phases[k].push(at(response.as_ref().map(|g| g[(k, k)].arg().to_degrees())));
        }
        gains[count].push(at(response.as_ref().map(|g| db(magnitude(g)))));
    }
    phases.iter_mut().for_each(|line| unwrap_phase(line));
    let mut series: Vec<Series> = (0..count)
        .map(|k| Series {
            name: format!("{} to {}", system.inputs[k].name, system.outputs[k].name),
            color: COLORS[k % COLORS.len()],
            width: 1.5,
            dash: ["", "7 3", "2 3"][k % 3],
        })
        .collect();
    series.push(Series { name: String::from("largest over all directions"), color: "#000", width: 1.8, dash: "" });
    let panel = |title: &str, y_label: &str, lines: Vec<Vec<(f64, f64)>>| {
        let known = lines.iter().flatten().map(|point| point.1).filter(|y| y.is_finite());
        let y_range = range_of(known);
        let lines = lines.into_iter().enumerate().map(|(series, points)| Line { series, points }).collect();
        Panel { title: title.into(), y_label: y_label.into(), y_range, lines }
    };
    let last = frequencies.last().copied().unwrap_or(1000.0);
    Chart {
        title: format!("{name}: frequency response"),
        subtitle: format!("{} states, about the point given, {}; gain in SI units", system.order(), time_of(system)),
        x_label: String::from("frequency, Hz"),
        x_decades: true,
        x_range: (-2.0, last.log10()),
        columns: 1,
        panels: vec![panel("Gain", "dB", gains), panel("Phase", "deg", phases)],
        series,
        marks: Vec::new(),
        notes: Vec::new(),
    }
}

/// No jumps by a turn, and from −180° rather than 180°.
fn unwrap_phase(line: &mut [(f64, f64)]) {
    let mut last: Option<f64> = None;
    for (_, phase) in line.iter_mut().filter(|point| point.1.is_finite()) {
        let near = last.unwrap_or(-90.0);
        *phase += 360.0 * ((near - *phase) / 360.0).round();
        last = Some(*phase);
    }
}
