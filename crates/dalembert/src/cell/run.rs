//! A run of a cell: formulation, integrator, recording, and the errors that were measured on the way.

use super::build::{Built, build, start};
use super::observe::{self, Observer};
use super::{Cell, CellError, Item, Switch, draw};
use crate::delta::Delta;
use crate::mechanism::{MechanismError, Poles};
use crate::record::Recording;
use crate::record::drawing::Drawing;
use crate::simulate::{
    Constrained, DormandPrince, Energies, ExplicitArm, ExplicitDelta, ImplicitMidpoint, Integrator, Minimal, Residual,
    Rk4, SimulationError, Stabilization, System, Variables,
};
use std::time::Instant;

/// Rows that are kept at most: a run of that length belongs into a program of its own.
const MOST_ROWS: usize = 5_000_000;
/// A start that was moved by more than this to meet the constraints is told, m or rad.
const MOVED: f64 = 1e-9;

/// How the equations of motion are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulation {
    /// Minimal coordinates in closed form: one robot alone.
    Explicit,
    /// All coordinates; violated constraints decay with the poles.
    Baumgarte,
    /// All coordinates; projected onto the constraints after each step.
    Projected,
    /// As `Projected`, with momenta instead of velocities.
    Hamiltonian,
    /// Independent coordinates that are chosen and exchanged as the mechanism moves.
    Minimal,
}

impl Formulation {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Explicit, Self::Baumgarte, Self::Projected, Self::Hamiltonian, Self::Minimal];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Baumgarte => "baumgarte",
            Self::Projected => "projected",
            Self::Hamiltonian => "hamiltonian",
            Self::Minimal => "minimal",
        }
    }
}

/// How time goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Runge–Kutta of fourth order with this step, s.
    Rk4(f64),
    /// The implicit midpoint rule with this step, s.
    Midpoint(f64),
    /// Dormand and Prince with this tolerance.
    DormandPrince(f64),
}

impl Method {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rk4(_) => "rk4",
            Self::Midpoint(_) => "midpoint",
            Self::DormandPrince(_) => "dormand-prince",
        }
    }

    /// Name and step or tolerance.
    pub fn describe(self) -> String {
        match self {
            Self::Rk4(step) | Self::Midpoint(step) => format!("{}, step {} s", self.as_str(), step),
            Self::DormandPrince(tolerance) => format!("{}, tolerance {tolerance:.0e}", self.as_str()),
        }
    }
}

/// How to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// `None`: explicit for one robot alone, else projected.
    pub formulation: Option<Formulation>,
    /// How time goes on.
    pub method: Method,
    /// s.
    pub duration: f64,
    /// From row to row, s.
    pub every: f64,
    /// For [`Formulation::Baumgarte`].
    pub poles: Poles,
}

impl Default for Settings {
    /// Two seconds, a row every millisecond, adaptive; the poles are both at −20/s.
    fn default() -> Self {
        Self {
            formulation: None,
            method: Method::DormandPrince(DormandPrince::TOLERANCE),
            duration: 2.0,
            every: 1e-3,
            poles: Poles { velocity: 40.0, position: 400.0 },
        }
    }
}

/// What was measured in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// As it was chosen.
    pub formulation: Formulation,
    /// As it was asked for.
    pub method: Method,
    /// Time that was reached, s.
    pub reached: f64,
    /// Rows of the recording.
    pub rows: usize,
    /// Steps taken.
    pub steps: usize,
    /// Steps tried in vain, of an adaptive method.
    pub rejected: Option<usize>,
    /// Largest change of kinetic + potential + load, J.
    pub energy_drift: f64,
    /// Largest minus least kinetic energy, J.
    pub kinetic_range: f64,
    /// Why the energy need not be conserved; empty: it must be.
    pub exchanges: Vec<String>,
    /// Largest violation of a constraint, m or rad.
    pub constraint_drift: f64,
    /// Largest rate of one.
    pub constraint_rate: f64,
    /// How far the given start was off the constraints before it was moved onto them, m or rad.
    pub repaired: f64,
    /// Computing time, s.
    pub computed: f64,
}

impl Summary {
    /// Energy drift in parts of the range of the kinetic energy; `None` where nothing moved.
    pub fn relative_energy_drift(&self) -> Option<f64> {
        (self.kinetic_range > 0.0).then(|| self.energy_drift / self.kinetic_range)
    }

    /// Computing time per simulated second; `None` where no time has passed.
    pub fn time_per_second(&self) -> Option<f64> {
        (self.reached > 0.0).then(|| self.computed / self.reached)
    }

    /// The start was moved so far that one should know.
    pub fn was_repaired(&self) -> bool {
        self.repaired > MOVED
    }
}

/// What came out, also of a run that ended early.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The table.
    pub recording: Recording,
    /// The picture.
    pub drawing: Drawing,
    /// What was measured.
    pub summary: Summary,
    /// Why it ended early.
    pub ended: Result<(), SimulationError>,
}

/// The formulation of a phase, ready to integrate.
enum Model<'m> {
    Delta(Box<ExplicitDelta>),
    Arm(ExplicitArm),
    Constrained(Box<Constrained<'m>>, Variables),
    Minimal(Box<Minimal<'m>>),
}

impl Model<'_> {
    fn system(&mut self) -> &mut dyn System {
        match self {
            Self::Delta(system) => system.as_mut(),
            Self::Arm(system) => system,
            Self::Constrained(system, _) => system.as_mut(),
            Self::Minimal(system) => system.as_mut(),
        }
    }
}

/// Calls the watcher after each step, and counts.
struct Watched<'a> {
    system: &'a mut dyn System,
    keep_going: &'a mut dyn FnMut(f64) -> bool,
    steps: usize,
}

impl System for Watched<'_> {
    fn size(&self) -> usize {
        self.system.size()
    }
    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> Result<(), SimulationError> {
        self.system.rate(time, state, rate)
    }
    fn project(&mut self, time: f64, state: &mut [f64]) -> Result<bool, SimulationError> {
        self.steps += 1;
        if !(self.keep_going)(time) {
            return Err(SimulationError::Interrupted { time });
        }
        self.system.project(time, state)
    }
    fn interpolates(&self) -> bool {
        self.system.interpolates()
    }
    fn energies(&mut self, time: f64, state: &[f64]) -> Result<Energies, SimulationError> {
        self.system.energies(time, state)
    }
    fn residual(&mut self, time: f64, state: &[f64]) -> Result<Residual, SimulationError> {
        self.system.residual(time, state)
    }
}

enum Stepper {
    Rk4(Rk4),
    Midpoint(ImplicitMidpoint),
    DormandPrince(Box<DormandPrince>),
}

impl Stepper {
    fn new(method: Method, size: usize) -> Result<Self, SimulationError> {
        Ok(match method {
            Method::Rk4(step) => Self::Rk4(Rk4::new(size, step)?),
            Method::Midpoint(step) => Self::Midpoint(ImplicitMidpoint::new(size, step)?),
            Method::DormandPrince(tolerance) => Self::DormandPrince(Box::new(DormandPrince::new(size, tolerance)?)),
        })
    }

    fn integrator(&mut self) -> &mut dyn Integrator {
        match self {
            Self::Rk4(integrator) => integrator,
            Self::Midpoint(integrator) => integrator,
            Self::DormandPrince(integrator) => integrator.as_mut(),
        }
    }
}

/// A run on its way.
struct Progress<'c> {
    cell: &'c Cell,
    settings: Settings,
    formulation: Formulation,
    recording: Recording,
    drawing: Drawing,
    steps: usize,
    rejected: usize,
    repaired: f64,
    row: Vec<f64>,
}

impl Cell {
    /// Simulates from time zero. `keep_going` is told the time after each step and ends the run with `false`. What
    /// cannot begin is an error; what ends early is in the outcome, with the data so far.
    pub fn run(
        &self,
        settings: &Settings,
        keep_going: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Outcome, CellError> {
        let settings = *settings;
        for (what, value) in [("a duration", settings.duration), ("a time from row to row", settings.every)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(CellError::BadTime { what, value });
            }
        }
        let rows = settings.duration / settings.every;
        if rows > MOST_ROWS as f64 {
            let Settings { duration, every, .. } = settings;
            return Err(CellError::TooLong { duration, every, rows, most: MOST_ROWS });
        }
        if self.members.is_empty() {
            return Err(CellError::Empty);
        }
        let alone = self.robot_alone();
        let formulation = match settings.formulation {
            Some(formulation) => formulation,
            None if alone.is_some() => Formulation::Explicit,
            None => Formulation::Projected,
        };
        let multipliers = formulation != Formulation::Explicit;
        let clock = Instant::now();
        let mut progress = Progress {
            cell: self,
            settings,
            formulation,
            recording: Recording::new(observe::columns(self, multipliers))?,
            drawing: draw::drawing(self),
            steps: 0,
            rejected: 0,
            repaired: 0.0,
            row: Vec::new(),
        };
        let ended = match (formulation, alone) {
            (Formulation::Explicit, None) => return Err(CellError::NotExplicit),
            (Formulation::Explicit, Some(member)) => {
                let (mut model, state) = match &member.item {
                    Item::Delta(delta) => {
                        let system = ExplicitDelta::new(&delta.delta, delta.branch, Variables::Velocity, delta.torque);
                        let state = system
                            .state(delta.position, delta.velocity)
                            .map_err(|cause| SimulationError::Kinematics { time: 0.0, cause })?;
                        (Model::Delta(Box::new(system)), state.to_vec())
                    }
                    Item::Arm(arm) => {
                        let system = ExplicitArm::new(&arm.arm, &arm.torque)?;
                        (Model::Arm(system), [arm.q.as_slice(), &arm.qd].concat())
                    }
                    Item::Body(_) => return Err(CellError::NotExplicit),
                };
                progress.follow(&mut model, None, state, 0.0, settings.duration, keep_going).map(drop)
            }
            _ => progress.phases(keep_going)?,
        };
        Ok(progress.finish(ended, clock.elapsed().as_secs_f64()))
    }

    /// What adds or takes energy, so that it is not conserved.
    fn energy_exchanges(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut add = |what: &str| {
            if !all.iter().any(|known| known == what) {
                all.push(what.to_owned());
            }
        };
        for member in &self.members {
            match &member.item {
                Item::Delta(delta) if has_losses(&delta.delta) => add("friction"),
                Item::Arm(arm) if arm.arm.links().iter().any(|link| link.friction.is_some()) => add("friction"),
                _ => {}
            }
        }
        if self.ties.iter().any(|tie| matches!(tie.kind, super::TieKind::Prescribed { .. })) {
            add("a prescribed motion");
        }
        if !self.switches.is_empty() {
            add("grips and releases");
        }
        all
    }
}

fn has_losses(delta: &Delta<f64>) -> bool {
    delta.parameters().arms.iter().any(|arm| arm.motor.friction.is_some() || arm.passive_damping.is_some())
}

impl<'c> Progress<'c> {
    /// From switch to switch, each phase with the ties that hold in it. An error before anything has moved is an
    /// error; a later one ends the run.
    fn phases(&mut self, keep_going: &mut dyn FnMut(f64) -> bool) -> Result<Result<(), SimulationError>, CellError> {
        let cell = self.cell;
        let mut holds: Vec<bool> = cell.ties.iter().map(|tie| tie.closed).collect();
        let mut from = 0.0;
        let mut given: Option<(Vec<f64>, Vec<f64>)> = None;
        let duration = self.settings.duration;
        let mut switches = cell.switches.iter().filter(|switch| switch.time < duration).peekable();
        loop {
            let mut closing = Vec::new();
            while let Some(switch) = switches.next_if(|switch| switch.time <= from) {
                holds[switch.tie] = switch.closed;
                closing.extend(Some(switch).filter(|switch| switch.closed));
            }
            let until = switches.peek().map_or(duration, |switch| switch.time);
            let built = build(cell, &holds)?;
            let first = given.is_none();
            let (q, v) = match given.take() {
                Some(state) => state,
                None => start(cell, &built)?,
            };
            let begun = self.begin(&built, from, &q, &v, &closing);
            let (mut model, state) = match begun {
                Ok(begun) => begun,
                Err(error) if first => return Err(error),
                Err(CellError::Simulation(error)) => return Ok(Err(error)),
                Err(CellError::Mechanism(cause)) => return Ok(Err(SimulationError::Mechanism { time: from, cause })),
                Err(error) => return Err(error),
            };
            let mut observer = Observer::new(&built);
            let state = match self.follow(&mut model, Some(&mut observer), state, from, until, keep_going) {
                Ok(state) => state,
                Err(error) => return Ok(Err(error)),
            };
            if until >= duration {
                return Ok(Ok(()));
            }
            given = Some(coordinates(&mut model, &mut observer, until, &state)?);
            from = until;
        }
    }

    /// The model of a phase and its state. Ties that close do so by the shortest way, as the masses measure it: for
    /// the velocities this is a plastic impact.
    fn begin<'m>(
        &mut self,
        built: &'m Built,
        time: f64,
        q: &[f64],
        v: &[f64],
        closing: &[&Switch],
    ) -> Result<(Model<'m>, Vec<f64>), CellError> {
        let m = &built.mechanism;
        let assembled = m.assemble(time, q, v)?;
        if time == 0.0 {
            self.repaired = assembled.repaired_position;
        } else if let Some(within) = closing.iter().map(|switch| switch.within).reduce(f64::max)
            && assembled.repaired_position > within
        {
            let names: Vec<&str> = closing.iter().map(|switch| self.cell.ties[switch.tie].name.as_str()).collect();
            return Err(CellError::Mechanism(MechanismError::Violated {
                constraint: names.join("`, `"),
                position: assembled.repaired_position,
                velocity: assembled.repaired_velocity,
            }));
        }
        let constrained = |variables, stabilization| -> Result<_, SimulationError> {
            let mut system = Constrained::new(m, variables, stabilization, &built.torque)?;
            let state = system.state(&assembled.q, &assembled.v)?;
            Ok((Model::Constrained(Box::new(system), variables), state))
        };
        Ok(match self.formulation {
            Formulation::Baumgarte => constrained(Variables::Velocity, Stabilization::Baumgarte(self.settings.poles))?,
            Formulation::Hamiltonian => constrained(Variables::Momentum, Stabilization::Projection)?,
            Formulation::Projected | Formulation::Explicit => {
                constrained(Variables::Velocity, Stabilization::Projection)?
            }
            Formulation::Minimal => {
                let (system, state) = Minimal::new(m, time, &assembled.q, &assembled.v, &built.torque)?;
                (Model::Minimal(Box::new(system)), state)
            }
        })
    }

    /// From `from` to `until`, with a row at every multiple of `every`. What is at the end of a phase belongs to the
    /// next one, so that each time has one row; the end of the run has its own.
    fn follow(
        &mut self,
        model: &mut Model<'_>,
        mut observer: Option<&mut Observer<'_>>,
        mut state: Vec<f64>,
        from: f64,
        until: f64,
        keep_going: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Vec<f64>, SimulationError> {
        let Settings { method, every, duration, .. } = self.settings;
        let mut stepper = Stepper::new(method, state.len())?;
        // A multiple of `every` up to rounding is that multiple.
        let mut number = (from / every - 1e-6).ceil().max(0.0);
        let (mut time, mut steps) = (from, 0);
        let result = loop {
            let is_row = number * every < until - 1e-6 * every;
            let next = if is_row { (number * every).max(from) } else { until };
            let mut watched = Watched { system: model.system(), keep_going, steps: 0 };
            let advanced = match next > time {
                true => stepper.integrator().advance(&mut watched, time, next, &mut state),
                false => Ok(()),
            };
            steps += watched.steps;
            time = next;
            let done = match advanced {
                Ok(()) if is_row || until >= duration => {
                    self.observe(model, observer.as_deref_mut(), time, &state)
                }
                other => other,
            };
            if done.is_err() || !is_row {
                break done;
            }
            number += 1.0;
        };
        match stepper {
            Stepper::DormandPrince(integrator) => {
                self.steps += integrator.steps;
                self.rejected += integrator.rejected;
            }
            _ => self.steps += steps,
        }
        result.map(|()| state)
    }

    fn observe(
        &mut self,
        model: &mut Model<'_>,
        observer: Option<&mut Observer<'_>>,
        time: f64,
        state: &[f64],
    ) -> Result<(), SimulationError> {
        let energies = model.system().energies(time, state)?;
        let residual = model.system().residual(time, state)?;
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        let tracks = &mut self.drawing.tracks;
        match (model, observer, self.cell.members.first().map(|member| &member.item)) {
            (Model::Delta(system), _, _) => {
                let moving = system.moving(time, state)?;
                row.push(time);
                row.extend(moving.pose.joints().0.into_iter().chain(moving.joint_velocity().0));
                row.extend(moving.pose.position.0.into_iter().chain(moving.velocity.0).chain(system.torque.0));
                let elbows = moving.pose.arms.map(|arm| arm.elbow);
                for (track, point) in tracks.iter_mut().zip([moving.pose.position].into_iter().chain(elbows)) {
                    track.position.push(point.0);
                }
            }
            (Model::Arm(_), _, Some(Item::Arm(arm))) => observe::arm_row(arm, time, state, &mut row, tracks)?,
            (model, Some(observer), _) => {
                let (q, v) = coordinates(model, observer, time, state)?;
                observer.row(self.cell, time, &q, &v, &mut row, tracks)?;
            }
            _ => {}
        }
        observe::finish(&mut row, energies, residual);
        let pushed = self.recording.push(&row);
        self.row = row;
        debug_assert!(pushed.is_ok(), "{pushed:?}");
        Ok(())
    }

    fn finish(self, ended: Result<(), SimulationError>, computed: f64) -> Outcome {
        let column = |name: &str| self.recording.column(name).unwrap_or(&[]);
        let largest = |values: &[f64]| values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let (total, kinetic) = (column("total"), column("kinetic"));
        let first = total.first().copied().unwrap_or(0.0);
        let energy_drift = total.iter().fold(0.0, |m: f64, e| m.max((e - first).abs()));
        let most = kinetic.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = kinetic.iter().copied().fold(f64::INFINITY, f64::min);
        let summary = Summary {
            formulation: self.formulation,
            method: self.settings.method,
            reached: column("t").last().copied().unwrap_or(0.0),
            rows: self.recording.rows(),
            steps: self.steps,
            rejected: matches!(self.settings.method, Method::DormandPrince(_)).then_some(self.rejected),
            energy_drift,
            kinetic_range: (most - least).max(0.0),
            exchanges: self.cell.energy_exchanges(),
            constraint_drift: largest(column("drift")),
            constraint_rate: largest(column("drift_rate")),
            repaired: self.repaired,
            computed,
        };
        Outcome { recording: self.recording, drawing: self.drawing, summary, ended }
    }
}

/// All coordinates and velocities of a state.
fn coordinates(
    model: &mut Model<'_>,
    observer: &mut Observer<'_>,
    time: f64,
    state: &[f64],
) -> Result<(Vec<f64>, Vec<f64>), SimulationError> {
    match model {
        Model::Minimal(system) => system.full(time, state).map(|(q, v)| (q.to_vec(), v.to_vec())),
        Model::Constrained(_, variables) => {
            let (q, second) = state.split_at(observer.dynamics.mechanism().coordinates());
            let mut v = second.to_vec();
            if *variables == Variables::Momentum {
                let located = |cause| SimulationError::Mechanism { time, cause };
                observer.dynamics.velocity_from_momentum(q, &mut v).map_err(located)?;
            }
            Ok((q.to_vec(), v))
        }
        Model::Delta(_) | Model::Arm(_) => Ok((state.to_vec(), Vec::new())),
    }
}
