//! The columns of the regressor: one for each fitted parameter.

mod rows;

use crate::friction::Friction;
use crate::robot::regressor::{Matter, Owner, Regressor, Term};
use crate::robot::{Joint, JointKind, JointUnits, Robot, StateError};
use dalembert_identify::consistent::DefiniteBlock;
use nalgebra::DVector;

/// Which parameters of a robot are fitted.
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

/// Which parameters are fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameterization {
    /// Of the robot.
    pub mode: FitMode,
    /// In addition to viscous and Coulomb friction, Stribeck's part: positive where friction falls as a joint begins to move, negative where
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
    /// Logs, from 0, with a payload that is to be identified, which the others do not have; empty: all have the file's payload.
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
    /// As in the literature.
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
    /// What has to be positive definite for physical consistency: its name, its terms, whether the file has such a body.
    pub blocks: Vec<(String, DefiniteBlock, bool)>,
    /// Blocks with a tolerance in the file, and the weights that hold them to the file.
    pub tolerances: Vec<(DefiniteBlock, f64)>,
    /// Where the search starts: the file's parameters, made physically consistent where they are not.
    pub start: DVector<f64>,
    pub(crate) regressor: Regressor,
    /// Values of the regressor's terms that are not fitted.
    held: Vec<f64>,
    /// Friction that is not fitted: the file's, of each joint.
    friction: Vec<Option<Friction<f64>>>,
    drives: Vec<Joint>,
    pub(crate) parameterization: Parameterization,
    pub(crate) joints: usize,
}

/// A body that the file leaves empty starts as this: kg, and m of its radius.
const UNKNOWN: [f64; 2] = [1.0, 0.1];
/// Where a number has to be positive and the file says nothing of it, SI.
const LEAST_NUMBER: f64 = 0.01;
/// No body is a point: its second moments are at least those of this radius, m.
const LEAST_RADIUS: f64 = 0.02;

impl ColumnLayout {
    /// The columns for a robot.
    pub fn new(robot: &Robot, parameterization: &Parameterization) -> Result<Self, StateError> {
        let regressor = robot.regressor()?;
        let joints = robot.joints();
        if joints.iter().any(|joint| joint.coupling.is_some()) && (parameterization.stribeck || parameterization.tanh) {
            let what = "friction laws but the linear one (viscous and Coulomb friction)";
            return Err(StateError::not_offered(what, "robot with motors that turn with several joints"));
        }
        let held = |joint: &Joint| joint.friction.filter(|_| parameterization.mode == FitMode::Payload);
        let terms = regressor.terms().to_vec();
        let mut all = Self {
            columns: Vec::new(),
            blocks: Vec::new(),
            tolerances: Vec::new(),
            start: DVector::zeros(0),
            held: terms.iter().map(|term| term.value).collect(),
            friction: joints.iter().map(held).collect(),
            drives: joints.clone(),
            parameterization: parameterization.clone(),
            joints: joints.len(),
            regressor,
        };
        let place = all.add_terms(&terms);
        all.add_matter(&place);
        joints.iter().enumerate().for_each(|(i, joint)| all.add_joint(i, joint));
        let own = |motor: &CoupledMotor| joints.get(motor.number - 1).map_or(JointKind::Revolute, |joint| joint.kind);
        let motors = parameterization.motors.iter().enumerate();
        motors.for_each(|(k, motor)| all.add_motor(k, motor, own(motor).units()));
        for &i in &parameterization.counterbalances {
            let what = |function: &str| format!("joint {}, counterbalance with {function} q", i + 1);
            all.add(format!("cs{}", i + 1), "N m", what("sin"), None, ColumnQuantity::Sine(i));
            all.add(format!("cc{}", i + 1), "N m", what("cos"), None, ColumnQuantity::Cosine(i));
        }
        for &i in &parameterization.springs {
            let meaning = format!("joint {}, spring", i + 1);
            let unit = joints[i].kind.units().stiffness;
            all.add(format!("k{}", i + 1), unit, meaning, None, ColumnQuantity::Spring(i));
        }
        // A start at which every block is positive definite.
        all.start = all.prior();
        for (_, block, there) in &all.blocks {
            let [mass, radius] = if *there { [UNKNOWN[0], LEAST_RADIUS] } else { UNKNOWN };
            block.make_possible(&mut all.start, if block.size == 1 { LEAST_NUMBER } else { mass }, radius);
        }
        Ok(all)
    }

    /// The share of a column's value that the file states as its tolerance, where it does.
    pub(crate) fn tolerance(&self, column: &RegressorColumn) -> Option<f64> {
        let ColumnQuantity::Terms(parts) = &column.quantity else { return None };
        let terms = self.regressor.terms();
        parts.iter().map(|(term, _)| terms[*term].tolerance).reduce(f64::max).filter(|share| *share > 0.0)
    }

    fn add(&mut self, name: String, unit: &'static str, meaning: String, prior: Option<f64>, quantity: ColumnQuantity) {
        self.columns.push(RegressorColumn { name, unit, meaning, prior, quantity });
    }

    /// Columns of the robot's own regressor, or factors of its bodies and its payload. Gives the column of each term that has one.
    fn add_terms(&mut self, terms: &[Term]) -> Vec<Option<usize>> {
        let mode = self.parameterization.mode;
        let is_loaded = terms.iter().any(|term| term.owner == Owner::Payload && term.unit == "kg" && term.value > 0.0);
        // A payload of which the file knows nothing has a centre and an inertia of its own.
        let compared = !self.parameterization.loaded.is_empty();
        let is_free = |owner: Owner| match (mode, owner) {
            (FitMode::Payload, owner) => owner == Owner::Payload,
            // Springs of the file are kept; more of them is a column of its own.
            (_, Owner::Spring) | (FitMode::Friction, _) => false,
            (FitMode::Full, Owner::Payload) => compared,
            (FitMode::Full, _) | (FitMode::Gray | FitMode::Factors, Owner::Rotor(_)) => true,
            (FitMode::Gray, Owner::Payload) => compared || !is_loaded,
            (FitMode::Factors, Owner::Payload) => compared,
            (FitMode::Gray | FitMode::Factors, _) => false,
        };
        let mut place = vec![None; terms.len()];
        for (k, term) in terms.iter().enumerate().filter(|(_, term)| is_free(term.owner)) {
            place[k] = Some(self.columns.len());
            self.held[k] = 0.0;
            let quantity = ColumnQuantity::Terms(vec![(k, 1.0)]);
            self.add(term.name.clone(), term.unit, term.meaning.clone(), Some(term.value), quantity);
        }
        if mode == FitMode::Factors {
            self.add_body_factors(terms);
        }
        if matches!(mode, FitMode::Gray | FitMode::Factors) && is_loaded && !compared {
            self.add_payload_factor(terms);
        }
        place
    }

    /// Friction and constant torque of a joint.
    fn add_joint(&mut self, i: usize, joint: &Joint) {
        let (n, units, friction) = (i + 1, joint.kind.units(), joint.friction);
        let meaning = |what: &str| format!("joint {n}, {what}");
        if self.parameterization.mode != FitMode::Payload {
            let first = self.columns.len();
            let [viscous, coulomb] = [friction.map(|f| f.viscous), friction.map(|f| f.coulomb)];
            self.add(format!("fv{n}"), units.damping, meaning("viscous friction"), viscous, ColumnQuantity::Viscous(i));
            self.add(format!("fc{n}"), units.torque, meaning("Coulomb friction"), coulomb, ColumnQuantity::Coulomb(i));
            self.blocks.push((format!("viscous friction {n}"), DefiniteBlock::positive(first), false));
            self.blocks.push((format!("Coulomb friction {n}"), DefiniteBlock::positive(first + 1), false));
            if self.parameterization.stribeck {
                let prior = friction.map(|f| f.static_friction - f.coulomb);
                let what = meaning("static minus Coulomb friction");
                self.add(format!("fs{n}"), units.torque, what, prior, ColumnQuantity::Stribeck(i));
                let entries = vec![(0, 0, first + 1, 1.0), (0, 0, first + 2, 1.0)];
                self.blocks.push((format!("static friction {n}"), DefiniteBlock { size: 1, entries }, false));
            }
        }
        self.add(format!("off{n}"), units.torque, meaning("constant torque"), None, ColumnQuantity::Offset(i));
    }

    /// Rotor and friction of a motor that turns with several joints.
    fn add_motor(&mut self, k: usize, motor: &CoupledMotor, units: JointUnits) {
        let n = motor.number;
        let turns: Vec<String> = motor.turns.iter().map(|(j, f)| format!("{f} q{}", j + 1)).collect();
        let about = |what: &str| format!("motor {n}, which turns with {}: {what}", turns.join(" + "));
        let first = self.columns.len();
        self.add(format!("Iam{n}"), units.inertia, about("inertia"), None, ColumnQuantity::MotorInertia(k));
        self.add(format!("fvm{n}"), units.damping, about("viscous friction"), None, ColumnQuantity::MotorViscous(k));
        self.add(format!("fcm{n}"), units.torque, about("Coulomb friction"), None, ColumnQuantity::MotorCoulomb(k));
        let blocks = (0..3).map(|j| (format!("motor {n}"), DefiniteBlock::positive(first + j), false));
        self.blocks.extend(blocks);
    }

    /// One factor for all that is carried, where the file says what that is.
    fn add_payload_factor(&mut self, terms: &[Term]) {
        let carried = || terms.iter().enumerate().filter(|(_, term)| term.owner == Owner::Payload);
        let Some(value) = carried().find(|(_, term)| term.unit == "kg").map(|(_, term)| term.value) else { return };
        carried().for_each(|(k, _)| self.held[k] = 0.0);
        let parts: Vec<(usize, f64)> = carried().map(|(k, term)| (k, term.value / value)).collect();
        let meaning = "payload, mass; its centre and inertia are those of the file".to_owned();
        let index = self.columns.len();
        self.add("m_payload".into(), "kg", meaning, Some(value), ColumnQuantity::Terms(parts));
        self.blocks.push(("payload".into(), DefiniteBlock::positive(index), false));
    }

    /// One factor for each body as the file has it: all its masses, moments and inertias go with it.
    fn add_body_factors(&mut self, terms: &[Term]) {
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
            self.add(format!("x_{}", name.replace(' ', "_")), "1", meaning, Some(1.0), ColumnQuantity::Terms(parts));
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
                (Matter::Body { mass: own, inertia, .. }, Some(&[mass, hx, hy, hz, xx, yy, zz, xy, yz, xz])) => {
                    let block = DefiniteBlock::body(mass, [hx, hy, hz], [xx, yy, zz, xy, yz, xz]);
                    let known: Vec<f64> = inertia.iter().map(|&k| tolerance[k]).filter(|share| *share > 0.0).collect();
                    self.hold(block.clone(), known.iter().sum::<f64>() / known.len().max(1) as f64);
                    self.hold(DefiniteBlock::positive(mass), tolerance[own]);
                    vec![block]
                }
                (Matter::Line(_), Some(&[mass, moment, inertia])) => vec![DefiniteBlock::line([mass, moment, inertia])],
                // Of its inertia about the axis nobody knows how much is along x: each direction has at most all.
                (Matter::Planar(_), Some(&[mass, x, y, inertia])) => {
                    vec![DefiniteBlock::line([mass, x, inertia]), DefiniteBlock::line([mass, y, inertia])]
                }
                (Matter::Positive(own), Some(&[term])) => {
                    self.hold(DefiniteBlock::positive(term), tolerance[own]);
                    vec![DefiniteBlock::positive(term)]
                }
                _ => continue,
            };
            for block in blocks {
                let there =
                    block.entries.iter().any(|(_, _, k, _)| self.columns[*k].prior.is_some_and(|value| value != 0.0));
                self.blocks.push((name.clone(), block, there));
            }
        }
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

    /// The robot file's values, 0 where it has none.
    pub(crate) fn prior(&self) -> DVector<f64> {
        DVector::from_fn(self.columns.len(), |k, _| self.columns[k].prior.unwrap_or(0.0))
    }
}
