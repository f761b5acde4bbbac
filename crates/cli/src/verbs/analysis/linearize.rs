//! `linearize`: the linear model about a state, for other tools and for state feedback.

use super::{Point, PointArguments, list};
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, human};
use clap::{Args, ValueEnum};
use dalembert::Vec3;
use dalembert::analyze::linear::{
    self, Complex, Coordinates, ExportFormat, Linearized, Matrix, Observed, Output, Signal, decades, lqr, magnitude,
    place,
};
use dalembert::describe::Dimension;
use dalembert::mechanism::{Mechanism, Poles, add_delta};
use dalembert::record::plot::{COLORS, Chart, Line, Panel, Series, range_of};
use serde_json::{Value, json};

#[derive(Args)]
#[command(after_help = "\
The model is dx' = A dx + B dtau, dy = C dx + D dtau about a state and the torques that belong to it, with exact \
derivatives. States are (q, qd), or with --coordinates cartesian (x, v); all SI.

--out writes A, B, C, D, Ts, names and the point: .mat for MATLAB, .npz for NumPy, .json.

Examples:
  dalembert linearize d3-1200 --joints '45 deg' --damping 0.3 --out model.mat
  dalembert linearize d3-1200 --position 0.1,0,-0.85 --coordinates cartesian --outputs position --json
  dalembert linearize d3-1200 --joints '45 deg' --damping 0.3 --formulation baumgarte --order 6
  dalembert linearize asadi --joints 0 --step 1ms --out model.npz        discrete, inputs held
  dalembert linearize asadi --joints 0 --lqr 100,1,0.01
  dalembert linearize asadi --joints 0 --place=-5,-5,-5,-8,-8,-8
  dalembert linearize puma560 --joints 0,-0.8,0.5,0,0.7,0 --out puma.mat")]
pub struct LinearizeArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Sample time: the discrete model with inputs held, s
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    step: Option<String>,
    /// Write the model: .mat, .npz or .json
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Gain that minimises the integral of Qp |dq|² + Qv |dqd|² + R |dtau|²
    #[arg(long, value_name = "QP,QV,R", allow_hyphen_values = true)]
    lqr: Option<String>,
    /// Gain that puts the poles there; complex ones as -4+3j,-4-3j
    #[arg(long, value_name = "P1,P2,..", allow_hyphen_values = true, conflicts_with = "lqr")]
    place: Option<String>,
    /// Write the frequency response as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A state and the linear model about it.
#[derive(Args)]
pub struct ModelArguments {
    #[command(flatten)]
    point: PointArguments,
    /// What the state is (Delta)
    #[arg(long, default_value = "joint")]
    coordinates: CoordinatesChoice,
    /// What is measured: joints, joint-rates, position, velocity, acceleration; several with commas
    #[arg(long, value_name = "OUTPUTS", default_value = "joints")]
    outputs: String,
    /// Equations of motion (Delta)
    #[arg(long, default_value = "explicit")]
    formulation: FormulationChoice,
    /// Poles of the constraints of baumgarte, 1/s
    #[arg(long, value_name = "P1,P2", default_value = "-5,-5", allow_hyphen_values = true)]
    constraint_poles: String,
    /// Keep this many states, by balanced truncation
    #[arg(long, value_name = "N")]
    order: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CoordinatesChoice {
    /// Joint angles and rates
    Joint,
    /// Platform position and velocity
    Cartesian,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormulationChoice {
    /// Six states
    Explicit,
    /// Bortoff's nine coordinates with stabilised constraints: 18 states
    Baumgarte,
}

impl ModelArguments {
    /// The model, the robot's name, and the Hankel singular values where it was reduced.
    pub fn linearized(&self) -> Result<(Linearized, String, Vec<f64>), Failure> {
        let point = self.point.plan(0.0)?;
        let outputs = self.outputs()?;
        let bad = |error: linear::LinearError| Failure::new(format!("{}: {error}", point.name()));
        let mut model = match (&point, point.moving()?) {
            (Point::Serial { robot, q, qd, qdd }, _) => {
                if self.formulation == FormulationChoice::Baumgarte || self.coordinates == CoordinatesChoice::Cartesian
                {
                    return Err(Failure::new("a serial arm is linearised in its joints, explicitly"));
                }
                let mut torque = vec![0.0; q.len()];
                robot.arm.torque(q, qd, qdd, &mut torque).map_err(|error| Failure::new(error.to_string()))?;
                linear::arm(&robot.arm, q, qd, &torque, &outputs).map_err(bad)?
            }
            (_, Some((moving, acceleration))) => {
                let torque = moving.torque(acceleration);
                match self.formulation {
                    FormulationChoice::Explicit => {
                        let coordinates = match self.coordinates {
                            CoordinatesChoice::Joint => Coordinates::Joint,
                            CoordinatesChoice::Cartesian => Coordinates::Cartesian,
                        };
                        linear::delta(&moving, torque, Vec3::zero(), coordinates, &outputs).map_err(bad)?
                    }
                    FormulationChoice::Baumgarte => self.baumgarte(&moving, torque, &outputs)?,
                }
            }
            (_, None) => return Err(Failure::new("no state")),
        };
        let mut hankel = Vec::new();
        if let Some(order) = self.order {
            let cut = model.system.balanced(Some(order)).map_err(|error| {
                bad(error)
                    .hint("damp the motors with --damping, or choose a pose that is stable (`dalembert stability`)")
            })?;
            hankel = cut.hankel;
            model = Linearized {
                system: cut.system,
                // The states of a reduced model are deviations without a meaning of their own.
                state: vec![0.0; order],
                rate: vec![0.0; order],
                ..model
            };
        }
        Ok((model, point.name().to_owned(), hankel))
    }

    fn outputs(&self) -> Result<Vec<Output>, Failure> {
        let parse = |name: &str| Output::ALL.into_iter().find(|output| output.as_str() == name.trim());
        let known = || Output::ALL.map(Output::as_str).join(", ");
        let of = |name| {
            parse(name).ok_or_else(|| {
                Failure::new(format!("--outputs: `{name}` is none")).hint(format!("known are {}", known()))
            })
        };
        self.outputs.split(',').map(of).collect()
    }

    fn baumgarte(
        &self,
        moving: &dalembert::delta::Moving<'_, f64>,
        torque: Vec3<f64>,
        outputs: &[Output],
    ) -> Result<Linearized, Failure> {
        let bad = |error: dalembert::mechanism::MechanismError| Failure::new(error.to_string());
        let roots = list("constraint-poles", &self.constraint_poles, Dimension::Ratio, 2)?;
        let poles = Poles::real(roots[0], roots[1]).map_err(bad)?;
        let delta = moving.pose.robot;
        let mut mechanism = Mechanism::new(delta.gravity());
        let parts = add_delta(&mut mechanism, "delta", delta).map_err(bad)?;
        if moving.velocity != Vec3::zero() {
            return Err(Failure::new("baumgarte is linearised at rest here").hint("leave the velocity out"));
        }
        let start = mechanism.assemble(0.0, &parts.coordinates(&moving.pose), &[0.0; 9]).map_err(bad)?;
        let mut observed = Vec::new();
        let mut names = Vec::new();
        for output in outputs {
            match output {
                Output::Joints => {
                    observed.extend(parts.arms.map(|arm| Observed::Coordinate(arm, 0)));
                    names.extend((1..=3).map(|i| (format!("q{i}"), "rad")));
                }
                Output::JointRates => {
                    observed.extend(parts.arms.map(|arm| Observed::Velocity(arm, 0)));
                    names.extend((1..=3).map(|i| (format!("qd{i}"), "rad/s")));
                }
                Output::Position => {
                    observed.push(Observed::Point(parts.platform()));
                    names.extend(["x", "y", "z"].map(|axis| (axis.to_owned(), "m")));
                }
                other => {
                    return Err(Failure::new(format!("baumgarte does not measure {}", other.as_str()))
                        .hint("joints, joint-rates and position it does"));
                }
            }
        }
        let state = (0.0, start.q.as_slice(), start.v.as_slice());
        let mut model = linear::mechanism(&mechanism, state, &torque.0, poles, &observed)
            .map_err(|error| Failure::new(error.to_string()))?;
        model.system.outputs = names.into_iter().map(|(name, unit)| Signal { name, unit }).collect();
        Ok(model)
    }
}

pub fn run(arguments: &LinearizeArguments, screen: &mut Screen) -> Result<(), Failure> {
    let format = arguments.out.as_deref().map(|name| {
        ExportFormat::of_name(name).map(|format| (name, format)).ok_or_else(|| {
            Failure::new(format!("cannot export to {name}: unknown ending")).hint("use .mat, .npz or .json")
        })
    });
    let out = format.transpose()?.map(|(name, format)| Sink::new(name).map(|sink| (sink, format))).transpose()?;
    let plot = arguments.plot.as_deref().map(Sink::new).transpose()?;
    let (mut model, name, hankel) = arguments.model.linearized()?;
    let bad = |error: linear::LinearError| Failure::new(format!("{name}: {error}"));
    let regulator = regulator(arguments, &model, &name)?;
    if let Some(mut sink) = plot {
        sink.text(&bode(&model, &name)?.to_svg())?;
        sink.finish()?;
    }
    if let Some(text) = &arguments.step {
        model.system = model.system.discrete(list("step", text, Dimension::Time, 1)?[0]).map_err(bad)?;
    }
    if let Some((mut sink, format)) = out {
        std::io::Write::write_all(&mut sink, &model.export(format))
            .map_err(|error| Failure::io("cannot write the model", error))?;
        sink.finish()?;
    }
    let poles = model.system.poles().map_err(bad)?;
    if arguments.json {
        let mut json = model.to_json();
        json["robot"] = json!(name);
        json["poles"] = poles_json(&poles);
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
    let time = s.step.map_or(String::from("continuous"), |step| format!("discrete, {} s", human(step, 4)));
    screen.heading(format!("{name}: linear model, {} states, {time}", s.order()));
    let moving = model.rate.iter().fold(0.0_f64, |m, r| m.max(r.abs())) > 1e-9;
    screen.line(if moving { "  about a point of a motion" } else { "  about an equilibrium" });
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
    screen.line(format!("  {}", poles.iter().map(|s| show(*s)).collect::<Vec<_>>().join("  ")));
    if let Some(regulator) = &regulator {
        screen.line("");
        screen.heading("Gain K of dtau = -K dx");
        screen.table(&matrix_table(&regulator.gain, &s.inputs, &s.states));
        screen.line(format!(
            "  poles with it: {}",
            regulator.poles.iter().map(|s| show(*s)).collect::<Vec<_>>().join("  ")
        ));
    }
    for (name, what) in [(&arguments.out, "model"), (&arguments.plot, "frequency response")] {
        if let Some(name) = name {
            screen.line("");
            screen.line(format!("{what}: {name}"));
        }
    }
    Ok(())
}

fn regulator(
    arguments: &LinearizeArguments,
    model: &Linearized,
    name: &str,
) -> Result<Option<linear::Regulator>, Failure> {
    let system = &model.system;
    let (n, m) = system.b.shape();
    let bad = |error: linear::LinearError| Failure::new(format!("{name}: {error}"));
    if let Some(text) = &arguments.lqr {
        let weights = list("lqr", text, Dimension::Ratio, 3)?;
        let q = Matrix::from_fn(n, n, |i, j| if i != j { 0.0 } else { weights[usize::from(i >= n / 2)] });
        return lqr(system, &q, &(Matrix::identity(m, m) * weights[2])).map(Some).map_err(bad);
    }
    if let Some(text) = &arguments.place {
        let wanted: Result<Vec<_>, Failure> = text.split(',').map(complex).collect();
        return place(system, &wanted?).map(Some).map_err(bad);
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

/// Gains from each input to the output of the same number, and the largest over all directions.
fn bode(model: &Linearized, name: &str) -> Result<Chart, Failure> {
    let system = &model.system;
    let frequencies = decades(0.01, 1000.0, 400);
    let count = system.inputs.len().min(system.outputs.len()).min(6);
    let mut lines: Vec<Vec<(f64, f64)>> = vec![Vec::new(); count + 1];
    for f in frequencies {
        // A pole on the axis is a gap in the line.
        let Ok(response) = system.at_frequency(f * std::f64::consts::TAU) else { continue };
        let db = |gain: f64| 20.0 * gain.log10();
        for (k, line) in lines.iter_mut().take(count).enumerate() {
            line.push((f.log10(), db(response[(k, k)].norm())));
        }
        lines[count].push((f.log10(), db(magnitude(&response))));
    }
    let mut series: Vec<Series> = (0..count)
        .map(|k| Series {
            name: format!("{} to {}", system.inputs[k].name, system.outputs[k].name),
            color: COLORS[k % COLORS.len()],
            width: 1.5,
            dash: ["", "7 3", "2 3"][k % 3],
        })
        .collect();
    series.push(Series { name: String::from("largest over all directions"), color: "#000", width: 1.8, dash: "" });
    let y_range = range_of(lines.iter().flatten().map(|point| point.1));
    let lines = lines.into_iter().enumerate().map(|(series, points)| Line { series, points }).collect();
    Ok(Chart {
        title: format!("{name}: frequency response"),
        subtitle: format!("{} states, about the point given; gain in SI units", system.order()),
        x_label: String::from("log10 of the frequency in Hz"),
        x_range: (-2.0, 3.0),
        columns: 1,
        panels: vec![Panel { title: String::from("Gain"), y_label: String::from("gain, dB"), y_range, lines }],
        series,
        marks: Vec::new(),
        notes: Vec::new(),
    })
}
