//! What is fitted: the columns of the regressor, and what they are multiplied by.

use super::prepare::PreparedLog;
use crate::Vec3;
use crate::friction::Friction;
use crate::robot::regressor::{Matter, Owner, Regressor};
use crate::robot::{JointState, JointVector, Pick, Robot, State, ToolState, ToolTurns};
use crate::threads;
use dalembert_core::random::Xorshift;
use dalembert_identify::butterworth::LowPass;
use dalembert_identify::consistent::DefiniteBlock;
use dalembert_identify::friction::{sign, stribeck};
use nalgebra::DMatrix;

/// What of a robot is fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FitMode {
    /// Bodies, rotors, friction, offsets.
    #[default]
    Full,
    /// The bodies are those of the file; fitted are rotors, friction, offsets, and the payload: by one factor
    /// where the file has one, else whole.
    Gray,
    /// The bodies are those of the file, each times a factor; fitted are these, rotors, friction, offsets, and the payload's mass where
    /// the file has one.
    Factors,
    /// Friction and offsets alone.
    Friction,
    /// The payload alone, with its centre and inertia; and offsets.
    Payload,
}

/// A motor that turns with several joints: Σ factor · q̇.
#[derive(Clone, Debug, PartialEq)]
pub struct CoupledMotor {
    /// Its name, from 1.
    pub number: usize,
    /// Joints, from 0, and how fast it turns with each.
    pub turns: Vec<(usize, f64)>,
}

/// What is fitted beside the bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameterization {
    /// What of the robot.
    pub mode: FitMode,
    /// Beside viscous and Coulomb friction Stribeck's part: positive where friction falls as a joint begins to move, negative where
    /// it rises with the speed.
    pub stribeck: bool,
    /// The speed v_0 of Coulomb friction's tanh(q̇/v_0), where friction rises with the speed.
    pub tanh: bool,
    /// Motors that turn with several joints: their rotors and their friction.
    pub motors: Vec<CoupledMotor>,
    /// Joints, from 0, with a counterbalance: a torque a sin q + b cos q.
    pub counterbalances: Vec<usize>,
    /// Joints, from 0, with a spring: a torque k q.
    pub springs: Vec<usize>,
    /// Logs, from 0, in which the robot carries a payload that is to be found, while it carries none in the others; empty: it
    /// carries the file's in all.
    pub loaded: Vec<usize>,
}

impl Parameterization {
    /// Whether the robot carries a payload in a log.
    pub(crate) fn carries(&self, log: usize) -> bool {
        self.loaded.is_empty() || self.loaded.contains(&log)
    }
}

impl Default for Parameterization {
    fn default() -> Self {
        let (motors, counterbalances, springs, loaded) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { mode: FitMode::Full, stribeck: true, tanh: true, motors, counterbalances, springs, loaded }
    }
}

/// What a column multiplies.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnQuantity {
    /// Terms of the robot's own regressor, with factors.
    Terms(Vec<(usize, f64)>),
    /// q̇ of a joint.
    Viscous(usize),
    /// The sign of q̇.
    Coulomb(usize),
    /// Stribeck's part: static minus Coulomb friction.
    Stribeck(usize),
    /// A constant torque: a wrong zero of the sensor, an unbalanced amplifier.
    Offset(usize),
    /// Inertia of a coupled motor.
    MotorInertia(usize),
    /// Its viscous friction.
    MotorViscous(usize),
    /// Its Coulomb friction.
    MotorCoulomb(usize),
    /// q of a joint.
    Spring(usize),
    /// sin q of a joint.
    Sine(usize),
    /// cos q of a joint.
    Cosine(usize),
}

/// A part of a joint's friction whose column changes with a speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrictionTerm {
    /// e^(−(q̇/v_s)²) times the sign.
    Stribeck,
    /// The sign, as tanh(q̇/v_0).
    Sign,
}

/// A column with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct RegressorColumn {
    /// As papers call it.
    pub name: String,
    /// SI.
    pub unit: &'static str,
    /// In words.
    pub meaning: String,
    /// What the robot file says, where it says something.
    pub prior: Option<f64>,
    /// What it multiplies.
    pub quantity: ColumnQuantity,
}

/// All columns of a fit.
#[derive(Debug)]
pub struct ColumnLayout {
    /// In order.
    pub columns: Vec<RegressorColumn>,
    /// What has to be the parameters of a body that can be: its name, its terms, whether the file has such a body.
    pub blocks: Vec<(String, DefiniteBlock, bool)>,
    /// What the file's tolerances say of bodies and numbers: blocks, and the weights that hold them to the file.
    pub tolerances: Vec<(DefiniteBlock, f64)>,
    /// Where the search starts: the file's parameters, made possible where they are not.
    pub start: Vec<f64>,
    pub(crate) regressor: Box<dyn Regressor>,
    /// Values of the regressor's terms that are not fitted.
    held: Vec<f64>,
    /// Friction that is not fitted: the file's, of each joint.
    friction: Vec<Option<Friction<f64>>>,
    pub(crate) parameterization: Parameterization,
    joints: usize,
}

/// A body that the file leaves empty starts as this: kg, and m of its radius.
const UNKNOWN: [f64; 2] = [1.0, 0.1];
/// Where a number has to be positive and the file says nothing of it, SI.
const LEAST_NUMBER: f64 = 0.01;
/// No body is a point: its second moments are at least those of this radius, m.
const LEAST_RADIUS: f64 = 0.02;

impl ColumnLayout {
    /// The columns for a robot.
    pub fn new(robot: &Robot, parameterization: &Parameterization) -> Result<Self, crate::robot::StateError> {
        let regressor = robot.regressor()?;
        let joints = robot.joints();
        let terms = regressor.terms();
        let held: Vec<f64> = terms.iter().map(|term| term.value).collect();
        let mut all = Self {
            columns: Vec::new(),
            blocks: Vec::new(),
            tolerances: Vec::new(),
            start: Vec::new(),
            held,
            friction: joints
                .iter()
                .map(|joint| joint.friction.filter(|_| parameterization.mode == FitMode::Payload))
                .collect(),
            parameterization: parameterization.clone(),
            joints: joints.len(),
            regressor,
        };
        let terms = all.regressor.terms().to_vec();
        let is_loaded = terms.iter().any(|term| term.owner == Owner::Payload && term.unit == "kg" && term.value > 0.0);
        // A payload of which the file knows nothing has a centre and an inertia of its own.
        let compared = !parameterization.loaded.is_empty();
        let is_free = |owner: Owner| match (parameterization.mode, owner) {
            (FitMode::Payload, owner) => owner == Owner::Payload,
            // What the file says of springs stands; more of them is a column of its own.
            (_, Owner::Spring) | (FitMode::Friction, _) => false,
            (FitMode::Full, Owner::Payload) => compared,
            (FitMode::Full, _) | (FitMode::Gray | FitMode::Factors, Owner::Rotor(_)) => true,
            (FitMode::Gray, Owner::Payload) => compared || !is_loaded,
            (FitMode::Factors, Owner::Payload) => compared,
            (FitMode::Gray | FitMode::Factors, _) => false,
        };
        // Terms whose column is always zero would be free to be anything.
        let mut place = vec![None; terms.len()];
        for (k, term) in terms.iter().enumerate().filter(|(_, term)| is_free(term.owner)) {
            place[k] = Some(all.columns.len());
            all.held[k] = 0.0;
            all.add(
                &term.name,
                term.unit,
                term.meaning.clone(),
                Some(term.value),
                ColumnQuantity::Terms(vec![(k, 1.0)]),
            );
            all.start.push(term.value);
        }
        if parameterization.mode == FitMode::Factors {
            all.add_body_factors(&terms);
        }
        if matches!(parameterization.mode, FitMode::Gray | FitMode::Factors) && is_loaded && !compared {
            all.add_payload_factor(&terms);
        }
        all.add_matter(&place);
        for (i, joint) in joints.iter().enumerate() {
            let units = joint.kind.units();
            let (n, friction) = (i + 1, joint.friction);
            let slow = if units.torque == "N" { "N s/m" } else { "N m s/rad" };
            if parameterization.mode != FitMode::Payload {
                all.add(
                    &format!("fv{n}"),
                    slow,
                    format!("joint {n}, viscous friction"),
                    friction.map(|f| f.viscous),
                    ColumnQuantity::Viscous(i),
                );
                all.add(
                    &format!("fc{n}"),
                    units.torque,
                    format!("joint {n}, Coulomb friction"),
                    friction.map(|f| f.coulomb),
                    ColumnQuantity::Coulomb(i),
                );
                let first = all.columns.len() - 2;
                all.blocks.push((format!("viscous friction {n}"), DefiniteBlock::positive(first), false));
                all.blocks.push((format!("Coulomb friction {n}"), DefiniteBlock::positive(first + 1), false));
                if parameterization.stribeck {
                    let prior = friction.map(|f| f.static_friction - f.coulomb);
                    all.add(
                        &format!("fs{n}"),
                        units.torque,
                        format!("joint {n}, static minus Coulomb friction"),
                        prior,
                        ColumnQuantity::Stribeck(i),
                    );
                    let entries = vec![(0, 0, first + 1, 1.0), (0, 0, first + 2, 1.0)];
                    all.blocks.push((format!("static friction {n}"), DefiniteBlock { size: 1, entries }, false));
                }
            }
            all.add(
                &format!("off{n}"),
                units.torque,
                format!("joint {n}, constant torque"),
                None,
                ColumnQuantity::Offset(i),
            );
        }
        for (k, motor) in parameterization.motors.iter().enumerate() {
            let n = motor.number;
            let turns: Vec<String> = motor.turns.iter().map(|(j, f)| format!("{f} q{}", j + 1)).collect();
            let about = format!("motor {n}, which turns with {}", turns.join(" + "));
            let first = all.columns.len();
            all.add(&format!("Iam{n}"), "kg m^2", format!("{about}: inertia"), None, ColumnQuantity::MotorInertia(k));
            all.add(
                &format!("fvm{n}"),
                "N m s/rad",
                format!("{about}: viscous friction"),
                None,
                ColumnQuantity::MotorViscous(k),
            );
            all.add(
                &format!("fcm{n}"),
                "N m",
                format!("{about}: Coulomb friction"),
                None,
                ColumnQuantity::MotorCoulomb(k),
            );
            for j in 0..3 {
                all.blocks.push((format!("motor {n}"), DefiniteBlock::positive(first + j), false));
            }
        }
        for &i in &parameterization.counterbalances {
            let n = i + 1;
            all.add(
                &format!("cs{n}"),
                "N m",
                format!("joint {n}, counterbalance with sin q"),
                None,
                ColumnQuantity::Sine(i),
            );
            all.add(
                &format!("cc{n}"),
                "N m",
                format!("joint {n}, counterbalance with cos q"),
                None,
                ColumnQuantity::Cosine(i),
            );
        }
        for &i in &parameterization.springs {
            let n = i + 1;
            all.add(&format!("k{n}"), "N m/rad", format!("joint {n}, spring"), None, ColumnQuantity::Spring(i));
        }
        all.make_start();
        Ok(all)
    }

    fn add(&mut self, name: &str, unit: &'static str, meaning: String, prior: Option<f64>, quantity: ColumnQuantity) {
        self.columns.push(RegressorColumn { name: name.to_owned(), unit, meaning, prior, quantity });
    }

    /// One factor for all that is carried, where the file says what that is.
    fn add_payload_factor(&mut self, terms: &[crate::robot::regressor::Term]) {
        let carried: Vec<(usize, f64)> =
            (0..terms.len()).filter(|&k| terms[k].owner == Owner::Payload).map(|k| (k, terms[k].value)).collect();
        let Some((_, value)) = carried.iter().copied().find(|(k, _)| terms[*k].unit == "kg") else { return };
        for (k, _) in &carried {
            self.held[*k] = 0.0;
        }
        let parts: Vec<(usize, f64)> = carried.iter().map(|(k, term)| (*k, term / value)).collect();
        let meaning = "payload, mass; its centre and inertia are those of the file".to_owned();
        let index = self.columns.len();
        self.add("m_payload", "kg", meaning, Some(value), ColumnQuantity::Terms(parts));
        self.start.push(value);
        self.blocks.push(("payload".into(), DefiniteBlock::positive(index), false));
    }

    /// One factor for each body as the file has it: all its masses, moments and inertias go with it.
    fn add_body_factors(&mut self, terms: &[crate::robot::regressor::Term]) {
        for (name, matter) in self.regressor.matter().to_vec() {
            let own = matter.terms();
            let is_body = own.iter().all(|&k| terms[k].owner == Owner::Body);
            if !is_body || own.iter().all(|&k| terms[k].value == 0.0) {
                continue;
            }
            own.iter().for_each(|&k| self.held[k] = 0.0);
            let parts = own.iter().map(|&k| (k, terms[k].value)).collect();
            let index = self.columns.len();
            let meaning = format!("{name}: a factor of its mass, moments and inertias");
            self.add(&format!("x_{}", name.replace(' ', "_")), "1", meaning, Some(1.0), ColumnQuantity::Terms(parts));
            self.start.push(1.0);
            if let Matter::Body { mass, .. } = matter {
                self.hold(DefiniteBlock::positive(index), terms[mass].tolerance);
            }
            self.blocks.push((name, DefiniteBlock::positive(index), true));
        }
    }

    /// A body, or a number, that its file knows to this share, if to any. The divergence of a body that is as a whole larger by ε is
    /// k ε²/2, k its rows: with a weight of 1/(k ε²) a change by ε costs what one deviation costs.
    fn hold(&mut self, block: DefiniteBlock, tolerance: f64) {
        /// Nothing is known better than this; more weight would only stop the iteration.
        const BEST: f64 = 0.01;
        if tolerance > 0.0 {
            let weight = 1.0 / (block.size as f64 * tolerance.max(BEST).powi(2));
            self.tolerances.push((block, weight));
        }
    }

    /// Blocks of bodies that are fitted whole.
    fn add_matter(&mut self, place: &[Option<usize>]) {
        let matter = self.regressor.matter().to_vec();
        let tolerance: Vec<f64> = self.regressor.terms().iter().map(|term| term.tolerance).collect();
        for (name, matter) in matter {
            let whole = |terms: &[usize]| terms.iter().map(|&k| place[k]).collect::<Option<Vec<usize>>>();
            let blocks = match (matter, whole(&matter.terms()).as_deref()) {
                (Matter::Body { .. }, Some(&[mass, hx, hy, hz, xx, yy, zz, xy, yz, xz])) => {
                    vec![DefiniteBlock::body(mass, [hx, hy, hz], [xx, yy, zz, xy, yz, xz])]
                }
                (Matter::Line(_), Some(&[mass, moment, inertia])) => vec![DefiniteBlock::line([mass, moment, inertia])],
                // Of its inertia about the axis nobody knows how much is along x: each direction has at most all.
                (Matter::Planar(_), Some(&[mass, x, y, inertia])) => {
                    vec![DefiniteBlock::line([mass, x, inertia]), DefiniteBlock::line([mass, y, inertia])]
                }
                (Matter::Positive(_), Some(&[term])) => vec![DefiniteBlock::positive(term)],
                _ => continue,
            };
            match matter {
                Matter::Body { mass, inertia, .. } => {
                    let known: Vec<f64> = inertia.iter().map(|&k| tolerance[k]).filter(|share| *share > 0.0).collect();
                    let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
                    blocks.iter().for_each(|block| self.hold(block.clone(), mean));
                    place[mass].into_iter().for_each(|k| self.hold(DefiniteBlock::positive(k), tolerance[mass]));
                }
                Matter::Positive(term) => blocks.iter().for_each(|block| self.hold(block.clone(), tolerance[term])),
                Matter::Line(_) | Matter::Planar(_) => {}
            }
            for block in blocks {
                let there = block.entries.iter().any(|(_, _, k, _)| self.start[*k] != 0.0);
                self.blocks.push((name.clone(), block, there));
            }
        }
    }

    /// A start at which every block is positive definite.
    fn make_start(&mut self) {
        let given = self.start.len();
        self.start.extend(self.columns[given..].iter().map(|column| column.prior.unwrap_or(0.0)));
        let mut start = nalgebra::DVector::from_column_slice(&self.start);
        for (_, block, there) in &self.blocks {
            let [mass, radius] = if *there { [UNKNOWN[0], LEAST_RADIUS] } else { UNKNOWN };
            block.make_possible(&mut start, if block.size == 1 { LEAST_NUMBER } else { mass }, radius);
        }
        self.start = start.iter().copied().collect();
    }

    /// What the columns that are not fitted add, and all that are: one state. `y` has joints × (columns + 1) numbers, the
    /// last of each row is what is known. Without what it carries where it carries nothing.
    fn fill(&self, full: &mut [f64], state: &State, smoothing: &[f64], carries: bool, y: &mut [f64]) {
        let (n, p) = (self.joints, self.columns.len());
        let width = self.held.len();
        self.regressor.fill(state, full);
        if !carries {
            let terms = self.regressor.terms();
            (0..full.len()).filter(|k| terms[k % width].owner == Owner::Payload).for_each(|k| full[k] = 0.0);
        }
        let qd = &state.joints.qd;
        y.fill(0.0);
        for i in 0..n {
            let row = &full[i * width..(i + 1) * width];
            let bodies: f64 = row.iter().zip(&self.held).map(|(a, b)| a * b).sum();
            y[i * (p + 1) + p] = bodies + self.friction[i].map_or(0.0, |friction| friction.torque(qd[i]));
        }
        for (k, column) in self.columns.iter().enumerate() {
            if let ColumnQuantity::Terms(parts) = &column.quantity {
                for i in 0..n {
                    y[i * (p + 1) + k] = parts.iter().map(|(term, factor)| full[i * width + term] * factor).sum();
                }
            }
        }
        self.each_other(state, smoothing, |i, k, value| y[i * (p + 1) + k] = value);
    }

    /// Tells the numbers of columns that are no terms of the robot's own regressor, without Stribeck's parts: joint, column, value.
    fn each_other(&self, state: &State, smoothing: &[f64], mut tell: impl FnMut(usize, usize, f64)) {
        let (q, qd, qdd) = (&state.joints.q, &state.joints.qd, &state.joints.qdd);
        for (k, column) in self.columns.iter().enumerate() {
            let mut set = |i: usize, value: f64| tell(i, k, value);
            match &column.quantity {
                ColumnQuantity::Terms(_) | ColumnQuantity::Stribeck(_) => {}
                ColumnQuantity::Viscous(i) => set(*i, qd[*i]),
                ColumnQuantity::Coulomb(i) => set(*i, sign(qd[*i], smoothing[*i])),
                ColumnQuantity::Offset(i) => set(*i, 1.0),
                ColumnQuantity::Spring(i) => set(*i, q[*i]),
                ColumnQuantity::Sine(i) => set(*i, q[*i].sin()),
                ColumnQuantity::Cosine(i) => set(*i, q[*i].cos()),
                ColumnQuantity::MotorInertia(m) | ColumnQuantity::MotorViscous(m) | ColumnQuantity::MotorCoulomb(m) => {
                    let motor = &self.parameterization.motors[*m];
                    let turns = |of: &JointVector| motor.turns.iter().map(|(j, f)| of[*j] * f).sum::<f64>();
                    let smooth = motor.turns.iter().map(|(j, _)| smoothing[*j]).fold(0.0, f64::max);
                    let value = match column.quantity {
                        ColumnQuantity::MotorInertia(_) => turns(qdd),
                        ColumnQuantity::MotorViscous(_) => turns(qd),
                        _ => sign(turns(qd), smooth),
                    };
                    for (j, factor) in &motor.turns {
                        set(*j, factor * value);
                    }
                }
            }
        }
    }

    /// Σ counts · Y as a function of the state, with a number for every number of [`ColumnLayout::row`].
    pub(crate) fn weighed<'l>(&'l self, counts: &'l [f64], smoothing: &'l [f64]) -> impl Fn(&State) -> f64 + 'l {
        let (width, all) = (self.held.len(), self.columns.len() + 1);
        let mut weights = vec![0.0; self.joints * width];
        for (k, column) in self.columns.iter().enumerate() {
            let ColumnQuantity::Terms(parts) = &column.quantity else { continue };
            for (i, (term, factor)) in (0..self.joints).flat_map(|i| parts.iter().map(move |part| (i, part))) {
                weights[i * width + term] += counts[i * all + k] * factor;
            }
        }
        let bodies = self.regressor.weighed(weights);
        move |state| {
            let mut sum = bodies(state);
            self.each_other(state, smoothing, |i, k, value| sum += counts[i * all + k] * value);
            sum
        }
    }

    /// The rows of a state without filter and without Stribeck's parts: for each joint its columns and, last, what is known.
    pub(crate) fn row(&self, state: &State, smoothing: &[f64], carries: bool) -> Vec<f64> {
        let mut full = vec![0.0; self.joints * self.held.len()];
        let mut y = vec![0.0; self.joints * (self.columns.len() + 1)];
        self.fill(&mut full, state, smoothing, carries, &mut y);
        y
    }

    /// Rows at random states that excite everything.
    pub fn random_rows(&self, robot: &Robot) -> DMatrix<f64> {
        let (n, p) = (self.joints, self.columns.len());
        let wanted = (2 * p).div_ceil(n) + 40;
        let joints = robot.joints();
        let mut random = Xorshift(0x9E37_79B9_7F4A_7C15);
        let mut rows = Vec::new();
        let mut full = vec![0.0; n * self.held.len()];
        let mut y = vec![0.0; n * (p + 1)];
        let smoothing = vec![1e-3; n];
        let mut found = 0;
        let room = robot.workspace();
        for _ in 0..50 * wanted {
            if found == wanted {
                break;
            }
            let state = match (robot.kind().tool_turns, &room) {
                (ToolTurns::No | ToolTurns::AboutZ, Some(room)) => {
                    let place = Vec3::from_fn(|_| room.radius * 0.55 * random.signed()) + room.center;
                    let velocity = Vec3::from_fn(|_| 2.0 * random.signed());
                    let mut tool = ToolState::translating(place, velocity, Vec3::from_fn(|_| 20.0 * random.signed()));
                    if robot.kind().tool_turns == ToolTurns::AboutZ {
                        tool = tool.turned([3.0, 3.0, 20.0].map(|size| size * random.signed()));
                    }
                    robot.at_tool(&tool, &Pick::default())
                }
                _ => {
                    let q = JointVector::from_fn(n, |i| {
                        let [low, high] = joints[i].limits.range;
                        let (low, high) = if low.is_finite() && high.is_finite() { (low, high) } else { (-3.0, 3.0) };
                        0.5 * (low + high) + 0.5 * ((high - low) * random.signed())
                    });
                    let qd = JointVector::from_fn(n, |_| 3.0 * random.signed());
                    let qdd = JointVector::from_fn(n, |_| 20.0 * random.signed());
                    robot.at_joints(&JointState { q, qd, qdd }, &Pick::default())
                }
            };
            let Ok(state) = state else { continue };
            // What is carried in some logs only is told by the others, which are without it.
            for carries in if self.parameterization.loaded.is_empty() { &[true][..] } else { &[false, true] } {
                self.fill(&mut full, &state, &smoothing, *carries, &mut y);
                self.fill_stribeck(&state, &mut y);
                (0..n).for_each(|i| rows.extend_from_slice(&y[i * (p + 1)..i * (p + 1) + p]));
            }
            found += 1;
        }
        DMatrix::from_row_slice(rows.len() / p.max(1), p, &rows)
    }

    /// Rows of some states, those of each joint times its weight.
    pub fn state_rows(&self, states: &[&State], weights: &[f64]) -> DMatrix<f64> {
        let (n, p) = (self.joints, self.columns.len());
        let mut full = vec![0.0; n * self.held.len()];
        let mut y = vec![0.0; n * (p + 1)];
        let smoothing = vec![1e-3; n];
        let mut rows = DMatrix::zeros(states.len() * n, p);
        for (s, state) in states.iter().enumerate() {
            self.fill(&mut full, state, &smoothing, true, &mut y);
            self.fill_stribeck(state, &mut y);
            for i in 0..n {
                for k in 0..p {
                    rows[(s * n + i, k)] = y[i * (p + 1) + k] * weights[i];
                }
            }
        }
        rows
    }

    /// Stribeck's columns for some speed: any tells that they are columns of their own.
    fn fill_stribeck(&self, state: &State, y: &mut [f64]) {
        let p = self.columns.len();
        for (k, column) in self.columns.iter().enumerate() {
            if let ColumnQuantity::Stribeck(i) = column.quantity {
                y[i * (p + 1) + k] = stribeck(state.joints.qd[i], 1e-3, 1.0);
            }
        }
    }

    /// The filtered rows of a run at the samples that count, for each joint: columns and, last, what is known. Also how many
    /// samples the robot cannot be in.
    pub fn rows(
        &self,
        robot: &Robot,
        run: &PreparedLog,
        carries: bool,
    ) -> Result<(Vec<DMatrix<f64>>, usize), dalembert_identify::IdentifyError> {
        const BLOCK: usize = 4096;
        let (n, p) = (self.joints, self.columns.len());
        let filter = run.filter()?;
        // The filter forgets by 1e-16 within this.
        let margin = ((16.0 / run.cutoff) / run.step).ceil() as usize;
        let samples = run.q[0].len();
        let smoothing = self.smoothing(run, robot);
        let mut all = vec![DMatrix::zeros(run.used.len(), p + 1); n];
        let (mut done, mut refused) = (0, 0);
        let mut row = 0;
        while done < samples {
            let until = (done + BLOCK).min(samples);
            let (from, to) = (done.saturating_sub(margin), (until + margin).min(samples));
            let end = run.used.partition_point(|&k| k < until);
            if end > row {
                let states = threads::each(to - from, |k| {
                    let mut y = vec![0.0; n * (p + 1)];
                    let of = |from_run: &[Vec<f64>]| JointVector::from_fn(n, |i| from_run[i][from + k]);
                    let state = JointState { q: of(&run.q), qd: of(&run.qd), qdd: of(&run.qdd) };
                    let there = robot.at_joints(&state, &Pick::default()).map(|state| {
                        let mut full = vec![0.0; n * self.held.len()];
                        self.fill(&mut full, &state, &smoothing, carries, &mut y);
                    });
                    (y, there.is_err())
                });
                refused += states[done - from..until - from].iter().filter(|(_, bad)| *bad).count();
                let filtered = threads::each(n * (p + 1), |place| {
                    let series: Vec<f64> = states.iter().map(|(y, _)| y[place]).collect();
                    if series.iter().all(|x| *x == 0.0) { Vec::new() } else { filter.filter(&series) }
                });
                for (place, series) in filtered.iter().enumerate().filter(|(_, series)| !series.is_empty()) {
                    for (r, &sample) in run.used[row..end].iter().enumerate() {
                        all[place / (p + 1)][(row + r, place % (p + 1))] = series[sample - from];
                    }
                }
            }
            (row, done) = (end, until);
        }
        Ok((all, refused))
    }

    /// Speeds below which the sign of a joint's speed is smoothed.
    fn smoothing(&self, run: &PreparedLog, robot: &Robot) -> Vec<f64> {
        let joints = robot.joints();
        let of = |i: usize| joints[i].friction.map_or(0.5 * run.resting[i], |friction| friction.smoothing_velocity);
        (0..self.joints).map(of).collect()
    }

    /// The filtered column of a part of a joint's friction with a speed.
    pub(crate) fn friction_column(
        &self,
        robot: &Robot,
        run: &PreparedLog,
        filter: &LowPass,
        joint: usize,
        part: FrictionTerm,
        speed: f64,
    ) -> Vec<f64> {
        let smoothing = self.smoothing(run, robot)[joint];
        let of = |v: f64| match part {
            FrictionTerm::Stribeck => stribeck(v, smoothing, speed),
            FrictionTerm::Sign => sign(v, speed),
        };
        let series: Vec<f64> = run.qd[joint].iter().map(|&v| of(v)).collect();
        let filtered = filter.filter(&series);
        run.used.iter().map(|&k| filtered[k]).collect()
    }

    /// Which column is that of a part of a joint's friction.
    pub(crate) fn friction_of(&self, part: FrictionTerm, joint: usize) -> Option<usize> {
        let quantity = match part {
            FrictionTerm::Stribeck => ColumnQuantity::Stribeck(joint),
            FrictionTerm::Sign => ColumnQuantity::Coulomb(joint),
        };
        self.columns.iter().position(|column| column.quantity == quantity)
    }

    /// The regressor's terms with fitted parameters.
    pub fn terms(&self, parameters: &[f64]) -> Vec<f64> {
        let mut all = self.held.clone();
        for (column, value) in self.columns.iter().zip(parameters) {
            if let ColumnQuantity::Terms(parts) = &column.quantity {
                parts.iter().for_each(|(term, factor)| all[*term] += factor * value);
            }
        }
        all
    }

    /// How many joints.
    pub fn joints(&self) -> usize {
        self.joints
    }
}
