//! A run of a cell: formulation, integrator, recording, and the errors that were measured on the way.

use super::build::{Built, build, contacts, start};
use super::{
    BodyMotion, Cell, CellError, CellSettings, Formulation, IntegrationMethod, Member, MemberKind, SceneBody, TieKind,
    observe,
};
use crate::mechanism::{Mechanism, Poles};
use crate::report::drawing::Drawing;
use crate::report::page::Page;
use crate::report::recording::Recording;
use crate::report::text::human;
use crate::robot::EquationsOfMotion;
use crate::simulate::{
    Constrained, ContactForce, DormandPrince, Energies, Events, Happening, ImplicitMidpoint, Integrator, Minimal,
    Radau, Rattle, Response, Rk4, ScheduledAction, Simulation, SimulationError, SimulationResult, Stabilization,
    System, Touchable, Variables, WithContacts, WithMomenta,
};
use crate::{Vec3, robot};
use std::ops::Range;
use std::time::Instant;

/// Rows that are kept at most: a run of that length belongs into a program of its own.
const MOST_ROWS: usize = 2_000_000;
/// An energy that drifts by this part of the range of the kinetic energy is an error of the integration as large as the motion.
const MOST_DRIFT: f64 = 0.1;
/// Where hardly anything moves, the range of the kinetic energy is no scale: less than this part of all energies is no drift.
const NO_DRIFT: f64 = 1e-6;
/// A start that was moved by more than this to meet the constraints is told, m or rad.
const MOVED: f64 = 1e-9;

/// What was measured in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct CellSummary {
    /// As it was chosen.
    pub formulation: Formulation,
    /// As it was asked for.
    pub method: IntegrationMethod,
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

impl CellSummary {
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
pub struct CellRun {
    /// The table.
    pub recording: Recording,
    /// The picture.
    pub drawing: Drawing,
    /// The impacts of contacts that answer with impulses, in time.
    pub impacts: Vec<ImpactRecord>,
    /// What was measured.
    pub summary: CellSummary,
    /// Why it ended early.
    pub ended: SimulationResult<()>,
}

/// A run on its way.
struct RunningCell<'c> {
    cell: &'c Cell,
    settings: CellSettings,
    formulation: Formulation,
    recording: Recording,
    drawing: Drawing,
    /// The tracks of each member.
    tracks: Vec<Range<usize>>,
    steps: usize,
    rejected: Option<usize>,
    repaired: f64,
    /// All that takes or gives energy is counted in it.
    accounted: bool,
    impacts: Impacts,
    row: Vec<f64>,
    /// Of a robot alone, for its accelerations.
    exact: Option<Box<dyn robot::Model>>,
}

impl Cell {
    /// Simulates from time zero. `keep_going` is told the time after each step and ends the run with `false`. What
    /// cannot begin is an error; what ends early is in the outcome, with the data so far.
    pub fn run(&self, settings: &CellSettings, keep_going: &mut dyn FnMut(f64) -> bool) -> Result<CellRun, CellError> {
        let settings = *settings;
        for (what, value) in [("a duration", settings.duration), ("a time from row to row", settings.every)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(CellError::BadTime { what, value });
            }
        }
        let rows = settings.duration / settings.every;
        if rows > MOST_ROWS as f64 {
            let CellSettings { duration, every, .. } = settings;
            return Err(CellError::TooLong { duration, every, rows, most: MOST_ROWS });
        }
        if self.members.is_empty() {
            return Err(CellError::Empty);
        }
        let equations_of_motion = self.robot_alone();
        let formulation = match settings.formulation {
            Some(formulation) => formulation,
            None if matches!(settings.method, IntegrationMethod::Rattle(_)) => Formulation::Hamiltonian,
            None if equations_of_motion.is_some() => Formulation::Explicit,
            None => Formulation::Projected,
        };
        if matches!(settings.method, IntegrationMethod::Rattle(_)) {
            self.suits_rattle(formulation)?;
        }
        let clock = Instant::now();
        let built = if formulation == Formulation::Explicit { None } else { Some(build(self)?) };
        let (drawing, tracks) = observe::drawing(self);
        let mut progress = RunningCell {
            cell: self,
            settings,
            formulation,
            recording: Recording::new(observe::columns(self, built.as_ref()))?,
            drawing,
            tracks,
            steps: 0,
            rejected: None,
            repaired: 0.0,
            accounted: false,
            impacts: Impacts::default(),
            row: Vec::new(),
            exact: equations_of_motion
                .filter(|_| built.is_none())
                .and_then(|member| member.robot.build_model("exact").ok()),
        };
        let ended = match (&built, equations_of_motion) {
            (Some(built), _) => progress.mechanism(built, keep_going)?,
            (None, Some(member)) => {
                let (mut system, state) = member.robot.equations_of_motion(&member.start)?;
                system.set_torques(&member.torque)?;
                progress.follow(&mut CellModel::Robot(system), None, state, keep_going)
            }
            (None, None) => return Err(CellError::NotExplicit),
        };
        Ok(progress.finish(ended, clock.elapsed().as_secs_f64()))
    }

    /// What adds or takes energy, so that it is not conserved.
    fn energy_exchanges(&self) -> Vec<String> {
        let mut all = Vec::new();
        let loses = |member: &Member| matches!(&member.item, MemberKind::Robot(robot) if !robot.robot.is_lossless());
        if self.members.iter().any(loses) {
            all.push(String::from("friction"));
        }
        if self.ties.iter().any(|tie| matches!(tie.kind, TieKind::Prescribed { .. } | TieKind::Path(..))) {
            all.push(String::from("a prescribed motion"));
        }
        all
    }

    /// RATTLE is for momenta, in a mechanism that keeps its energy.
    fn suits_rattle(&self, formulation: Formulation) -> Result<(), CellError> {
        let refuse = |why: &str| Err(CellError::NotForRattle { why: why.to_owned() });
        if formulation != Formulation::Hamiltonian {
            return refuse(&format!("needs momenta, the formulation hamiltonian, not {}", formulation.as_str()));
        }
        if self.has_events() {
            return refuse("does not go with contacts, grips and releases");
        }
        if let Some(what) = self.energy_exchanges().first() {
            return refuse(&format!("is for what keeps its energy, and here is {what}"));
        }
        let turning =
            |member: &&Member| matches!(member.item, MemberKind::Body(SceneBody { motion: BodyMotion::Free, .. }));
        match self.members.iter().find(turning) {
            Some(member) => refuse(&format!(
                "needs as many velocities as coordinates: the free body `{}` has a quaternion",
                member.name
            )),
            None => Ok(()),
        }
    }

    /// Whether something happens at instants.
    fn has_events(&self) -> bool {
        !self.contacts.is_empty() || !self.switches.is_empty()
    }
}

impl RunningCell<'_> {
    /// From a start of all members, moved onto the constraints.
    fn mechanism(
        &mut self,
        built: &Built,
        keep_going: &mut dyn FnMut(f64) -> bool,
    ) -> Result<SimulationResult<()>, CellError> {
        let m = &built.mechanism;
        let [q, v] = start(self.cell, built);
        let assembled = m.assemble(0.0, &q, &v)?;
        self.repaired = assembled.repaired_position;
        let variables = match self.formulation {
            Formulation::Hamiltonian | Formulation::HamiltonianBaumgarte => Variables::Momentum,
            _ => Variables::Velocity,
        };
        let stabilization = match self.settings.method {
            _ if self.formulation.has_poles() => Stabilization::Baumgarte(self.settings.poles),
            IntegrationMethod::Rattle(_) => Stabilization::Baumgarte(Poles::NONE), // it keeps the constraints by itself
            _ => Stabilization::Projection,
        };
        let (mut model, state) = if self.formulation == Formulation::Minimal {
            if self.cell.has_events() {
                return Err(CellError::MinimalTouches);
            }
            let (system, state) = Minimal::new(m, 0.0, &assembled.q, &assembled.v, &built.torque)?;
            (CellModel::Minimal(Box::new(system)), state)
        } else {
            let mut system = Constrained::new(m, variables, stabilization, &built.torque)?;
            let state = system.state(&assembled.q, &assembled.v)?;
            if self.cell.has_events() || !self.cell.energy_exchanges().is_empty() {
                let mut touching = WithContacts::new(system, contacts(self.cell, built)?)?;
                for ScheduledAction { when, what } in &self.cell.switches {
                    touching.act(*when, what.clone())?;
                }
                let state = touching.start(0.0, &state)?;
                self.accounted = true;
                (CellModel::Touching(Box::new(touching)), state)
            } else {
                (CellModel::Constrained(Box::new(system)), state)
            }
        };
        Ok(self.follow(&mut model, Some(built), state, keep_going))
    }

    /// A row at every multiple of `every`, and at the end.
    fn follow(
        &mut self,
        model: &mut CellModel<'_>,
        built: Option<&Built>,
        mut state: Vec<f64>,
        keep_going: &mut dyn FnMut(f64) -> bool,
    ) -> SimulationResult<()> {
        let CellSettings { method, every, duration, most_steps, .. } = self.settings;
        let mut stepper = integrator(method, model.system())?;
        let (mut number, mut time, mut steps, mut mark) = (0.0, 0.0, 0, (0.0, 0));
        let result = loop {
            // A multiple of `every` up to rounding is that multiple.
            let inside = number * every < duration - 1e-6 * every;
            let next = if inside { multiple(number, every) } else { duration };
            let limit = [duration, most_steps as f64];
            let mut watched = Watched { system: model.system(), keep_going, limit, steps, mark };
            let advanced = Simulation::new(&mut watched, &mut *stepper, time, &state).and_then(|mut simulation| {
                simulation.advance(next)?;
                state.copy_from_slice(simulation.state());
                Ok(())
            });
            (steps, mark) = (watched.steps, watched.mark);
            time = next;
            let done = advanced.and_then(|()| self.observe(model, built, time, &state));
            if done.is_err() || !inside {
                break done;
            }
            number += 1.0;
        };
        self.steps = stepper.pace().map_or(steps, |pace| pace.taken);
        self.rejected = stepper.pace().map(|pace| pace.rejected);
        result
    }

    fn observe(
        &mut self,
        model: &mut CellModel<'_>,
        built: Option<&Built>,
        time: f64,
        state: &[f64],
    ) -> SimulationResult<()> {
        let energies = model.system().energies(time, state)?;
        let residual = model.system().residual(time, state)?;
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        row.push(time);
        let tracks = &mut self.drawing.tracks;
        match (model, built, self.cell.robot_alone()) {
            (CellModel::Robot(system), _, Some(robot)) => {
                let seen = system.robot_state(time, state)?;
                observe::robot_row(robot, &seen, &mut row, tracks);
                observe::acceleration_row(robot, self.exact.as_deref(), &seen, &mut row);
            }
            (model, Some(built), _) => {
                let seen = see(model, &built.mechanism, time, state)?;
                built
                    .row(self.cell, [&seen.q, &seen.v], &mut row, tracks, &self.tracks)
                    .map_err(SimulationError::located(time))?;
                row.extend(seen.multipliers);
                if let CellModel::Touching(system) = model {
                    self.impacts.take(&system.happenings);
                }
                self.impacts.row(self.cell, &seen.contacts, &mut row);
            }
            _ => {}
        }
        observe::finish(&mut row, energies, residual);
        let pushed = self.recording.push(&row);
        self.row = row;
        debug_assert!(pushed.is_ok(), "{pushed:?}");
        Ok(())
    }

    fn finish(self, ended: SimulationResult<()>, computed: f64) -> CellRun {
        let column = |name: &str| self.recording.column(name).unwrap_or(&[]);
        let largest = |values: &[f64]| values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let (total, kinetic) = (column("total"), column("kinetic"));
        let first = total.first().copied().unwrap_or(0.0);
        let energy_drift = total.iter().fold(0.0, |m: f64, e| m.max((e - first).abs()));
        let most = kinetic.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = kinetic.iter().copied().fold(f64::INFINITY, f64::min);
        let kinetic_range = (most - least).max(0.0);
        let exchanges = if self.accounted { Vec::new() } else { self.cell.energy_exchanges() };
        let parts = ["kinetic", "potential", "load", "dissipated"];
        let scale: f64 = parts.into_iter().map(|name| largest(column(name))).sum();
        let drifts = exchanges.is_empty() && energy_drift > (MOST_DRIFT * kinetic_range).max(NO_DRIFT * scale);
        let ended = match ended {
            Ok(()) if drifts => Err(SimulationError::EnergyDrift { drift: energy_drift, range: kinetic_range }),
            ended => ended,
        };
        let summary = CellSummary {
            formulation: self.formulation,
            method: self.settings.method,
            reached: column("t").last().copied().unwrap_or(0.0),
            rows: self.recording.rows(),
            steps: self.steps,
            rejected: self.rejected,
            energy_drift,
            kinetic_range,
            exchanges,
            constraint_drift: largest(column("drift")),
            constraint_rate: largest(column("drift_rate")),
            repaired: self.repaired,
            computed,
        };
        CellRun { recording: self.recording, drawing: self.drawing, impacts: self.impacts.all, summary, ended }
    }
}

/// n·`every`; where that is a simple fraction of a second, the double nearest to the true value.
fn multiple(number: f64, every: f64) -> f64 {
    let rate = (1.0 / every).round();
    if (rate * every - 1.0).abs() < 1e-12 { number / rate } else { number * every }
}

/// What a state of a mechanism is.
struct MechanismState {
    q: Vec<f64>,
    v: Vec<f64>,
    multipliers: Vec<f64>,
    contacts: Vec<ContactForce>,
}

fn see(model: &mut CellModel<'_>, mechanism: &Mechanism, time: f64, state: &[f64]) -> SimulationResult<MechanismState> {
    let mut seen = MechanismState {
        q: vec![0.0; mechanism.coordinates()],
        v: vec![0.0; mechanism.velocities()],
        multipliers: Vec::new(),
        contacts: Vec::new(),
    };
    match model {
        CellModel::Robot(_) => {}
        CellModel::Constrained(system) => {
            system.read(time, state, &mut seen.q, &mut seen.v)?;
            seen.multipliers = system.multipliers_at(time, state)?.to_vec();
        }
        CellModel::Touching(system) => {
            // The contacts' forces count in the constraints' from the last rate.
            system.rate(time, state, &mut vec![0.0; state.len()])?;
            seen.contacts = system.contact_forces(time, state)?;
            let inner = &state[..state.len() - 2];
            system.inner().read(time, inner, &mut seen.q, &mut seen.v)?;
            seen.multipliers = system.inner().multipliers_at(time, inner)?.to_vec();
        }
        CellModel::Minimal(system) => {
            [seen.q, seen.v, seen.multipliers] = system.full(time, state)?.map(<[f64]>::to_vec);
        }
    }
    Ok(seen)
}

/// A formulation, ready to integrate.
pub(super) enum CellModel<'m> {
    Robot(Box<dyn EquationsOfMotion>),
    Constrained(Box<Constrained<'m>>),
    Touching(Box<WithContacts<'m, Constrained<'m>>>),
    Minimal(Box<Minimal<'m>>),
}

impl CellModel<'_> {
    pub fn system(&mut self) -> &mut dyn System {
        match self {
            Self::Robot(system) => system.as_mut(),
            Self::Constrained(system) => system.as_mut(),
            Self::Touching(system) => system.as_mut(),
            Self::Minimal(system) => system.as_mut(),
        }
    }
}

/// More steps than this within [`STALL_TIME`] are no progress: the motion runs into an edge that no step gets over.
const STALL_STEPS: usize = 5000;
const STALL_TIME: f64 = 1e-8;

/// Calls the watcher after each step, counts the steps, and ends a run that makes no progress.
pub(super) struct Watched<'a> {
    pub system: &'a mut dyn System,
    pub keep_going: &'a mut dyn FnMut(f64) -> bool,
    /// End of the run, s, and its steps at most.
    pub limit: [f64; 2],
    pub steps: usize,
    /// A time, and the steps up to it.
    pub mark: (f64, usize),
}

impl Watched<'_> {
    /// Why there is no progress here.
    fn stalled(&mut self, time: f64, state: &[f64]) -> SimulationError {
        let too_small = SimulationError::StepTooSmall { time, step: STALL_TIME / STALL_STEPS as f64 };
        self.system.edge(time, state).unwrap_or(too_small)
    }
}

impl System for Watched<'_> {
    fn size(&self) -> usize {
        self.system.size()
    }
    fn edge(&mut self, time: f64, state: &[f64]) -> Option<SimulationError> {
        self.system.edge(time, state)
    }
    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> SimulationResult<()> {
        self.system.rate(time, state, rate)
    }
    fn project(&mut self, time: f64, state: &mut [f64]) -> SimulationResult<bool> {
        self.steps += 1;
        if !(self.keep_going)(time) {
            return Err(SimulationError::Interrupted { time });
        }
        if (time - self.mark.0).abs() > STALL_TIME {
            self.mark = (time, self.steps);
        } else if self.steps - self.mark.1 > STALL_STEPS {
            return Err(self.stalled(time, state));
        }
        let [end, most] = self.limit;
        if self.steps as f64 > most * (0.1 + 0.9 * time / end) {
            return Err(SimulationError::TooManySteps { time, end, steps: self.steps });
        }
        self.system.project(time, state)
    }
    fn interpolates(&self) -> bool {
        self.system.interpolates()
    }
    fn jacobian(&mut self, time: f64, state: &[f64], jacobian: &mut [f64]) -> SimulationResult<bool> {
        self.system.jacobian(time, state, jacobian)
    }
    fn with_momenta(&mut self, run: &mut WithMomenta<'_>) -> SimulationResult<()> {
        self.system.with_momenta(run)
    }
    fn events(&mut self) -> Option<&mut dyn Events> {
        self.system.events()
    }
    fn energies(&mut self, time: f64, state: &[f64]) -> SimulationResult<Energies> {
        self.system.energies(time, state)
    }
}

/// The integrator of a method.
pub(super) fn integrator(method: IntegrationMethod, system: &mut dyn System) -> SimulationResult<Box<dyn Integrator>> {
    let size = system.size();
    Ok(match method {
        IntegrationMethod::Rk4(step) => Box::new(Rk4::new(size, step)?),
        IntegrationMethod::Midpoint(step) => Box::new(ImplicitMidpoint::new(size, step)?),
        IntegrationMethod::Rattle(step) => Box::new(Rattle::new(system, step)?),
        IntegrationMethod::DormandPrince(tolerance) => Box::new(DormandPrince::new(size, tolerance)?),
        IntegrationMethod::Radau(tolerance) => Box::new(Radau::new(size, tolerance)?),
    })
}

/// An impact of one contact: all its points that took part at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactRecord {
    /// s.
    pub time: f64,
    /// Number of the contact in the cell.
    pub contact: usize,
    /// Of the approach, at the fastest of its points, m/s.
    pub speed: f64,
    /// On what touches, scene frame, N s.
    pub impulse: Vec3<f64>,
    /// Where: the point at which the impulses of its points act together, scene frame, m.
    pub at: Vec3<f64>,
}

/// The impacts of a run so far.
#[derive(Default)]
pub(super) struct Impacts {
    pub all: Vec<ImpactRecord>,
    /// Of each contact: its impulses since the start, and the time of the last.
    sums: Vec<(Vec3<f64>, f64)>,
    /// Sizes of the impulses of the last one.
    weight: f64,
    /// Happenings that were looked at.
    seen: usize,
}

impl Impacts {
    /// Takes what has happened since.
    pub fn take(&mut self, happenings: &[Happening]) {
        for happening in &happenings[self.seen..] {
            let Happening::Impact { time, contact, speed, impulse, at } = *happening else { continue };
            let weight = impulse.norm_squared().sqrt();
            self.sums.resize(self.sums.len().max(contact.0 + 1), (Vec3::zero(), 0.0));
            let (sum, last) = &mut self.sums[contact.0];
            (*sum, *last) = (*sum + impulse, time);
            match self.all.last_mut() {
                Some(last) if last.time == time && last.contact == contact.0 => {
                    last.speed = last.speed.max(speed);
                    last.impulse = last.impulse + impulse;
                    self.weight += weight;
                    if self.weight > 0.0 {
                        last.at = last.at + (at - last.at) * (weight / self.weight);
                    }
                }
                _ => {
                    self.all.push(ImpactRecord { time, contact: contact.0, speed, impulse, at });
                    self.weight = weight;
                }
            }
        }
        self.seen = happenings.len();
    }

    /// What a row says of the contacts.
    pub fn row(&self, cell: &Cell, forces: &[ContactForce], row: &mut Vec<f64>) {
        for (number, (contact, force)) in cell.contacts.iter().zip(forces).enumerate() {
            row.extend([force.force[0], force.force[1], force.force[2], force.normal]);
            if contact.law.response == Response::Impulsive {
                let (sum, last) = self.sums.get(number).copied().unwrap_or((Vec3::zero(), 0.0));
                row.extend(sum.0);
                row.push(last);
            }
        }
    }
}

/// Impacts that are told one by one; the recording has them all.
const MOST_IMPACTS: usize = 8;
/// The line of the computing time.
const TIME: &str = "time per simulated second";

impl CellRun {
    /// Names and values, the most important first.
    pub fn lines(&self, cell: &Cell, settings: &CellSettings) -> Vec<(String, String)> {
        let s = &self.summary;
        let steps = match s.rejected {
            Some(rejected) => format!("{} accepted, {rejected} rejected", s.steps),
            None => s.steps.to_string(),
        };
        let relative = s.relative_energy_drift().map(|x| format!(", {} of the range of T", figure(x)));
        let mut energy = format!("{} J{}", figure(s.energy_drift), relative.unwrap_or_default());
        if !s.exchanges.is_empty() {
            energy = format!("{energy}; not conserved here: {}", s.exchanges.join(", "));
        }
        let mut lines = vec![
            (if cell.robot_alone().is_some() { "robot" } else { "scene" }, cell.name.clone()),
            ("formulation", s.formulation.as_str().to_owned()),
            ("integrator", s.method.describe()),
            ("simulated", format!("{} of {} s", human(s.reached, 6), human(settings.duration, 6))),
            ("steps", steps),
            ("energy drift", energy),
            ("constraint drift", format!("{} m, {} m/s", figure(s.constraint_drift), figure(s.constraint_rate))),
        ];
        if let Some(time) = s.time_per_second() {
            lines.push((TIME, format!("{} ms", human(time * 1e3, 3))));
        }
        if s.was_repaired() {
            lines.push(("start", format!("moved onto the constraints by up to {} m", figure(s.repaired))));
        }
        if cell.members.len() > 1 {
            let names: Vec<String> =
                cell.members.iter().map(|member| format!("{} ({})", member.name, kind(&member.item))).collect();
            lines.insert(1, ("members", names.join(", ")));
        }
        let mut lines: Vec<(String, String)> =
            lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let laws = cell.contacts.iter().map(|contact| (format!("contact {}", contact.name), contact.law.to_string()));
        lines.extend(laws);
        if !self.impacts.is_empty() {
            let few = self.impacts.len() <= MOST_IMPACTS;
            let rest = if few { String::new() } else { format!(", the first {MOST_IMPACTS} here") };
            lines.push((String::from("impacts"), format!("{}{rest}", self.impacts.len())));
        }
        for impact in self.impacts.iter().take(MOST_IMPACTS) {
            let name = format!("at {} s", human(impact.time, 6));
            let ImpactRecord { contact, speed, impulse, .. } = impact;
            let (speed, impulse) = (human(*speed, 4), human(impulse.norm_squared().sqrt(), 4));
            lines.push((name, format!("{}: {speed} m/s, {impulse} N s", cell.contacts[*contact].name)));
        }
        let ended = self.ended.as_ref().map_or_else(ToString::to_string, |()| String::from("as planned"));
        lines.push((String::from("ended"), ended));
        lines
    }

    /// The run to look at.
    pub fn report(&self, cell: &Cell, settings: &CellSettings) -> Page<'_> {
        Page {
            title: cell.name.clone(),
            // The same run gives the same page, whatever the machine does meanwhile.
            summary: self.lines(cell, settings).into_iter().filter(|(name, _)| name != TIME).collect(),
            outcome: match &self.ended {
                Ok(()) => format!("simulated {} s", human(self.summary.reached, 6)),
                Err(error @ SimulationError::EnergyDrift { .. }) => error.to_string(),
                Err(error) => format!("ended early: {error}"),
            },
            early: self.ended.is_err(),
            recording: &self.recording,
            drawing: &self.drawing,
        }
    }
}

fn kind(item: &MemberKind) -> &'static str {
    match item {
        MemberKind::Robot(robot) => robot.robot.kind().title,
        MemberKind::Body(_) => "body",
    }
}

/// An error: its size counts, not its digits.
fn figure(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") }
}
