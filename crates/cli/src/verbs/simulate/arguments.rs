//! What `simulate` understands, and how it becomes a plan.

use super::control::ControlArguments;
use crate::prelude::*;
use crate::verbs::motion::OrderArguments;
use dalembert::cell::{Cell, CellSettings, Formulation, IntegrationMethod, Scene, StartPose, StartTorque};
use dalembert::control::{ExperimentFile, SimulationFile};
use dalembert::mechanism::Poles;
use dalembert::report::page::is_page;
use dalembert::robot::Reason;
use dalembert::robot::orientation::rotation;
use dalembert::spatial::{Frame, Twist};
use dalembert::verbs::simulate::SimulateRequest;
use std::fs::File;
use std::io::Read;

/// Where the report goes unless said otherwise.
const REPORT: &str = "report.html";

#[derive(Args)]
#[command(after_help = "\
A Delta ROBOT performs a 25/305/25 mm pick-and-place cycle under computed torque at 1 kHz, with realistic drives and encoders; \
report.html shows it. The motion is a sine on ramp, stretched until it keeps 0.7 of the torque and speed limits (0.3 s a stroke \
without limits): the rest is reserved for the controller, and --profile time-optimal is faster. Options choose other motions, control laws and faults; an EXPERIMENT file can set all of them: docs/control.md.

A serial arm swings all its joints from 0.3 to 0.9 rad off the middle of their ranges and back (1 s a stroke without \
limits). Other motions of joints: --path joints:Q/Q/.. with poses Q = q1,q2,..

Motions of a platform or tool by name: pick-and-place, pick-and-place-0.1kg, -1kg, -3kg, pick-and-place-700, semi-ellipse, line, circle, conveyor, \
falezza-conveyor, falezza-center, falezza-limits.

A motion from a file: --motion m.csv, with the columns that `trajectory --out` writes (t, x,y,z, vx,vy,vz, ax,ay,az; of an \
arm t, q1.., qd1.., qdd1..). Between its rows it is interpolated by polynomials of fifth degree.

An EXPERIMENT with two [[carrier]] tables and an [object] lets two Deltas carry one object; --payload and --known-payload \
are then the object's mass and the mass that the controller assumes.

With --free ROBOT swings under constant torques. By default a Delta starts near q = 45 deg under the holding torques \
of that pose, a serial arm at rest at zero without torque. With a given start, the torques are its holding torques. A SCENE file combines several robots and bodies: docs/scenes.md.

Numbers are SI and radians, or have their unit: \"45 deg\", 500ms. Columns of --out: docs/recording.md.

Ctrl-C ends the run with exit code 130; the data so far are saved, next to an existing file. A run that ends early by itself \
(a singular pose, a constraint that cannot be met) saves its data, prints the reason and has exit code 1.

Examples:
  dalembert simulate d3-1200
  dalembert simulate d3-1200 --compare pd,pd+acc,feedforward,computed-torque
  dalembert simulate d3-1200 --payload 1kg --known-payload 0.8kg --encoder-bits 12 --delay 2
  dalembert simulate d3-1200 --path semi-ellipse --profile time-optimal --smoothing 5ms --law feedforward
  dalembert simulate puma560 --compare pd,feedforward,computed-torque --payload 2kg --known-payload 1.6kg
  dalembert simulate puma560 --path line:0,-1,1,0,0.5,0/0.5,-0.6,1.4,0.5,0.9,0.5 --law impedance
  dalembert trajectory d3-1200 --share 0.7 -o m.csv && dalembert simulate d3-1200 --motion m.csv
  dalembert simulate experiments/two-deltas-carry.toml --known-payload 1.2kg
  dalembert simulate d3-1200 --free --report run.html
  dalembert simulate d3-1200 --free --torque zero --out run.csv        it reaches a singularity
  dalembert simulate asadi --free --from 0.7,0.9,0.8 --torque 'hold: 45 deg,45 deg,45 deg'
  dalembert simulate puma560 --free --duration 5 --out run.parquet
  dalembert simulate scenes/two-deltas-carry-a-bar.toml --report run.html
  dalembert simulate d3-1200 --free --out - | head")]
pub struct SimulateArguments {
    /// Built-in robot, or file of a robot, a scene or an experiment
    #[arg(value_name = "ROBOT|FILE")]
    subject: String,
    #[command(flatten)]
    changes: FileChanges,
    /// Swing freely under constant torques
    #[arg(long)]
    free: bool,
    /// Write the recording: .csv, .parquet; `-` is CSV on standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,
    /// Write a report with plots and a playback: .html
    ///
    /// The default is report.html for a robot under control, unless --out or --json is given. There it replaces an older report, but no
    /// other file.
    #[arg(long, value_name = "FILE")]
    report: Option<String>,
    /// Whether nobody named the report, and it replaces one.
    #[arg(skip)]
    pub replaces_report: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
    // Groups come last: the heading of one is for everything that follows.
    #[command(flatten)]
    motion: OrderArguments,
    #[command(flatten)]
    control: ControlArguments,
    #[command(flatten)]
    swing: SwingArguments,
}

#[derive(Args)]
#[command(next_help_heading = "Free swings and scenes (docs/simulation.md)")]
struct SwingArguments {
    /// Joint angles at the start, rad or with units
    #[arg(short = 'q', long, visible_alias = "joints", value_name = "Q1,Q2,..", allow_hyphen_values = true)]
    from: Option<String>,
    /// Platform position at the start, m
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with = "from")]
    position: Option<String>,
    /// Roll, pitch, yaw of the platform or tool at --position, rad or with unit: for robots whose tool turns
    #[arg(long, value_name = "R,P,Y", allow_hyphen_values = true, requires = "position")]
    rpy: Option<String>,
    /// Velocity at the start: of the joints with --from, of the platform with --position
    #[arg(long, value_name = "V1,V2,..", allow_hyphen_values = true)]
    velocity: Option<String>,
    /// Constant motor torques: hold (the start), `hold: q1,q2,..`, zero, or numbers in N m
    #[arg(long, value_name = "TORQUE", allow_hyphen_values = true)]
    torque: Option<String>,
    /// Duration, s  [default: 2, or as in the scene]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Time between rows, s  [default: 1 ms, or as in the scene]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    every: Option<String>,
    /// Equations of motion  [default: explicit for one robot, projected for a scene; hamiltonian for rattle]
    #[arg(long, value_parser = formulation_parser())]
    formulation: Option<Formulation>,
    /// Integrator  [default: dormand-prince, or as in the scene]
    #[arg(long, value_parser = method_parser())]
    integrator: Option<IntegrationMethod>,
    /// Step of rk4, midpoint and rattle, s  [default: 1 ms]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    step: Option<String>,
    /// Tolerance of dormand-prince and radau, absolute and relative  [default: 1e-13, radau 1e-8]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    tolerance: Option<String>,
    /// Poles of baumgarte, 1/s  [default: -20,-20]
    #[arg(long, value_name = "P1,P2", allow_hyphen_values = true)]
    poles: Option<String>,
}

fn formulation_parser() -> impl TypedValueParser<Value = Formulation> {
    let help = |it| match it {
        Formulation::Explicit => "Closed form, for one robot",
        Formulation::Baumgarte => "All coordinates; violations decay with the poles",
        Formulation::Projected => "All coordinates; projected onto the constraints after each step",
        Formulation::Hamiltonian => "As projected, with momenta",
        Formulation::HamiltonianBaumgarte => "As baumgarte, with momenta",
        Formulation::Minimal => "Independent coordinates, exchanged as the mechanism moves",
    };
    one_of(Formulation::ALL.map(|it| (it, it.as_str(), help(it))))
}

/// Each with its own step or tolerance.
fn method_parser() -> impl TypedValueParser<Value = IntegrationMethod> {
    let help = [
        "Fixed step, fourth order",
        "Fixed step, second order, implicit; symplectic on momenta without constraints",
        "Fixed step, second order, symplectic with constraints; for --formulation hamiltonian",
        "Adaptive, fifth order",
        "Adaptive, fifth order, implicit: for stiff contacts and fast poles",
    ];
    let all = IntegrationMethod::ALL;
    one_of(std::array::from_fn::<_, 5, _>(|k| (all[k], all[k].as_str(), help[k])))
}

/// Whether there is an older report of this name, which a new one may replace though nobody named it; any other file is kept.
fn replaceable(name: &str) -> Result<bool, Failure> {
    let Ok(file) = File::open(name) else { return Ok(false) };
    let mut beginning = Vec::new();
    match file.take(1000).read_to_end(&mut beginning) {
        Ok(_) if is_page(&beginning) => Ok(true),
        _ => Err(Failure::new(format!("{name} is there, and is not a report of `simulate`: it is kept"))
            .hint("--report FILE writes the report elsewhere")),
    }
}

/// An option that was given is for something else.
fn refuse(given: Option<String>, of: &str, hint: &str) -> Result<(), Failure> {
    given.map_or(Ok(()), |option| Err(Failure::new(format!("--{option} is for {of}")).hint(hint)))
}

impl SimulateArguments {
    /// What is asked of the library; a robot under control gets a report where no output is asked for.
    pub fn request(&mut self) -> Result<SimulateRequest, Failure> {
        let (cell, defaults) = match SimulationFile::find_with(&self.subject, &self.changes.set)? {
            SimulationFile::Experiment(_) if self.free => {
                return Err(Failure::new("--free is for one robot, but this is an experiment"));
            }
            SimulationFile::Experiment(file) => return self.controlled(*file),
            SimulationFile::Robot(robot) => {
                say_warnings(&self.subject, &robot.warnings);
                dalembert::verbs::require_computable(&robot)?;
                if !self.free {
                    return self.controlled(ExperimentFile::unplanned(*robot));
                }
                self.refuse_control_options()?;
                (self.robot(&robot)?, CellSettings::default())
            }
            SimulationFile::Scene(scene) => {
                let Scene { cell, settings } = *scene;
                self.refuse_robot_options("starts and torques of a scene are in its file: docs/scenes.md")?;
                self.refuse_control_options()?;
                (cell, settings)
            }
        };
        Ok(SimulateRequest::Cell { cell: Box::new(cell), settings: self.settings(defaults)? })
    }

    /// What a file says, with the options on top.
    fn controlled(&mut self, mut file: ExperimentFile) -> Result<SimulateRequest, Failure> {
        self.refuse_free_options()?;
        self.motion.read_points(&file.experiment.robot)?;
        let control = &self.control;
        control.task(&self.motion, &mut file)?;
        control.faults(&mut file.experiment)?;
        if let Some(law) = &control.law {
            file.laws = vec![law.clone()];
        } else if let Some(laws) = &control.compare {
            file.laws = laws.split(',').map(str::to_owned).collect();
        }
        if self.out.is_none() && self.report.is_none() && !self.json {
            self.replaces_report = replaceable(REPORT)?;
            self.report = Some(String::from(REPORT));
        }
        Ok(SimulateRequest::Control(Box::new(file)))
    }

    /// The files that are asked for; each name says by its ending what it is for.
    pub fn files(&self) -> Result<Files, Failure> {
        let known = if cfg!(feature = "parquet") { "`.csv` or `.parquet`" } else { "`.csv`" };
        let is_known = |name: &&String| match ending(name).as_str() {
            "csv" => true,
            "parquet" => cfg!(feature = "parquet"),
            _ => *name == "-",
        };
        if let Some(name) = self.out.as_ref().filter(|name| !is_known(name)) {
            return Err(Failure::new(format!("cannot record to {name}: its ending says no known format"))
                .hint(format!("give a name that ends in {known}, or - for CSV on standard output")));
        }
        let is_page = |name: &&String| *name == "-" || ["html", "htm"].contains(&ending(name).as_str());
        if let Some(name) = self.report.as_ref().filter(|name| !is_page(name)) {
            return Err(Failure::new(format!("cannot report to {name}: the report is HTML"))
                .hint("give a name that ends in `.html`"));
        }
        let files = Files::open("recording", &self.out)?.and("report", &self.report)?;
        files.refuse_json(self.json)?;
        Ok(files)
    }

    /// The cell of one robot under constant torques.
    fn robot(&self, robot: &Robot) -> Result<Cell, Failure> {
        let joints = robot.joints();
        let SwingArguments { from, position, rpy, velocity, .. } = &self.swing;
        let start = match (from, position) {
            (Some(q), _) => {
                let q = numbers("from", q, of_joints(&joints, POSITION))?;
                say_ranges(robot, &q);
                let qd = velocity.as_ref().map(|text| numbers("velocity", text, of_joints(&joints, VELOCITY)));
                let qd = qd.transpose()?.unwrap_or_else(|| vec![0.0; q.len()]);
                Some(StartPose::Joints(q, qd))
            }
            (None, Some(position)) => {
                let what = "a vector has three numbers x,y,z";
                let velocity = velocity.as_deref().map(|text| three("velocity", text, Dimension::Speed, what));
                let velocity = velocity.transpose()?.unwrap_or(Vec3::zero());
                let origin = three("position", position, Dimension::Length, what)?;
                Some(match rpy {
                    None => StartPose::Position(origin, velocity),
                    Some(text) => {
                        let rpy = three("rpy", text, Dimension::Angle, "roll, pitch and yaw are three angles")?;
                        let pose = Frame { rotation: rotation(rpy.0), origin };
                        StartPose::Pose(pose, Twist { linear: velocity, angular: Vec3::zero() })
                    }
                })
            }
            (None, None) if velocity.is_some() => {
                return Err(Failure::new("--velocity needs a start").hint("give --from or --position with it"));
            }
            (None, None) => None,
        };
        let torque = self.swing.torque.as_deref().map(|text| match text.trim() {
            "hold" => Ok(StartTorque::Hold),
            "zero" => Ok(StartTorque::Zero),
            other => match other.strip_prefix("hold:") {
                Some(pose) => numbers("torque", pose, of_joints(&joints, POSITION)).map(StartTorque::HoldAt),
                None => numbers("torque", other, of_joints(&joints, EFFORT)).map(StartTorque::Constant),
            },
        });
        Cell::of_robot(robot, start.as_ref(), torque.transpose()?.as_ref()).map_err(|error| {
            let hint = match error.reason {
                Reason::NotOffered => "give --from q1,q2,.., or --rpy with --position",
                _ => "`dalembert check` shows the joints and the reach of a robot; positions are in m, angles in rad",
            };
            Failure::new(format!("the start of `{}`: {error}", robot.name)).hint(hint)
        })
    }

    fn refuse_control_options(&self) -> Result<(), Failure> {
        refuse(
            self.motion.given().or(self.control.given()),
            "a robot under control",
            "leave out --free; docs/control.md describes control laws and drives",
        )
    }

    fn refuse_robot_options(&self, hint: &str) -> Result<(), Failure> {
        let given = given!(self.swing; from, position, rpy, velocity, torque).next();
        refuse(given, "one robot that swings freely", hint)
    }

    /// Options of a free swing or a scene that a controlled robot has no use for.
    fn refuse_free_options(&self) -> Result<(), Failure> {
        self.refuse_robot_options("add --free, or leave it out: a controlled robot follows its motion")?;
        let given = given!(self.swing; duration, every, formulation, integrator, step, tolerance, poles).next();
        let hint = "a controlled robot runs as long as its motion, a row per sample: --cycle, --cycles, --period";
        refuse(given, "free swings and scenes", hint)
    }

    fn settings(&self, defaults: CellSettings) -> Result<CellSettings, Failure> {
        let mut settings = defaults;
        let time = |option, text| optional(positive, option, text, Dimension::Time);
        settings.duration = time("duration", &self.swing.duration)?.unwrap_or(settings.duration);
        settings.every = time("every", &self.swing.every)?.unwrap_or(settings.every);
        settings.formulation = self.swing.formulation.or(settings.formulation);
        let step = time("step", &self.swing.step)?;
        let tolerance = optional(positive, "tolerance", &self.swing.tolerance, Dimension::Ratio)?;
        let old = settings.method;
        let method = match self.swing.integrator {
            // A step is a step, whatever the method; tolerances mean different errors.
            Some(new) if new.as_str() == old.as_str() => old,
            Some(new) if old.is_adaptive() || new.is_adaptive() => new,
            Some(new) => new.with_fineness(old.fineness()),
            None => old,
        };
        settings.method = match (method.is_adaptive(), step, tolerance) {
            (true, Some(_), _) => {
                let name = method.as_str();
                let problem = format!("--step is for methods with a fixed step, but {name} chooses its own");
                let hint = "add --integrator rk4, or give --tolerance instead; --every is the time from row to row";
                return Err(Failure::new(problem).hint(hint));
            }
            (false, _, Some(_)) => {
                let problem = format!("--tolerance is for dormand-prince and radau; {} has a --step", method.as_str());
                return Err(Failure::new(problem));
            }
            (_, step, tolerance) => step.or(tolerance).map_or(method, |fineness| method.with_fineness(fineness)),
        };
        if let Some(text) = &self.swing.poles {
            if !settings.formulation.is_some_and(Formulation::has_poles) {
                return Err(Failure::new("--poles is for --formulation baumgarte and hamiltonian-baumgarte"));
            }
            let poles = numbers("poles", text, |_| Dimension::Ratio)?;
            let &[first, second] = poles.as_slice() else {
                return Err(Failure::new(format!("--poles: two numbers are needed, here are {}", poles.len())));
            };
            settings.poles = Poles::real(first, second).map_err(|error| Failure::new(format!("--poles: {error}")))?;
        }
        Ok(settings)
    }
}
