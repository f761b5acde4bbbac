//! One state per row: which columns a computation reads, and what it adds.
//!
//! | columns | what | unit |
//! | --- | --- | --- |
//! | `x,y,z` `vx,vy,vz` `ax,ay,az` | Cartesian form: platform (or tool) position, velocity, acceleration | m, s |
//! | `q1…q3` `qd1…qd3` `qdd1…qdd3` | joint form | rad, s |
//! | `tau1…tau3` | motor torques at the joint side | N m |
//! | `fx,fy,fz` | force of the environment on the platform, optional | N |
//! | `M11,M12,M13,M22,M23,M33`, `g1…g3` | mass matrix; holding torques (Cartesian: force) | kg m², N m; kg, N |
//! | `transmission1…3`, `rod_determinant`, `ball1…3` | singularity margins, 0 is singular; ball angles | 1, rad |
//! | `tau1_inertia …` | breakdown by term: inertia, coriolis, gravity, friction, force | N m |
//! | `tau1_motors …` | breakdown by body: motors, arms, forearms, platform, payload | N m |
//! | `tension1_platform …`, `tension1_elbow …` | along the rod pair at its two ends, negative: compression | N |
//! | `limits` | the columns that pass a limit of the robot, separated by blanks | |
//!
//! Unknown columns pass through in order with their text unchanged; a computed column replaces one of its name in
//! place and is appended otherwise. If a row has both forms, the Cartesian one counts (or the one asked for) and the
//! other must agree with it to 1e-9, relative to the largest component of the same quantity where that is above 1; in
//! inverse and forward kinematics the other form is the result, and what stood there is replaced.

pub use super::state_errors::{RowError, StateError, Violation, violations};

use crate::report::table::{Header, Row, TableError};
use dalembert_core::Vec3;
use dalembert_core::delta::{AnyModel, Assembly, Body, Branch, Delta, Limits, ModelName, Moving, Term};

const CARTESIAN: [[&str; 3]; 3] = [["x", "y", "z"], ["vx", "vy", "vz"], ["ax", "ay", "az"]];
const JOINTS: [[&str; 3]; 3] = [["q1", "q2", "q3"], ["qd1", "qd2", "qd3"], ["qdd1", "qdd2", "qdd3"]];
const TORQUE: [&str; 3] = ["tau1", "tau2", "tau3"];
const FORCE: [&str; 3] = ["fx", "fy", "fz"];
const MASS: [&str; 6] = ["M11", "M12", "M13", "M22", "M23", "M33"];
const HOLDING: [&str; 3] = ["g1", "g2", "g3"];
const TRANSMISSION: [&str; 3] = ["transmission1", "transmission2", "transmission3"];
const BALL: [&str; 3] = ["ball1", "ball2", "ball3"];

/// How far the two forms of a state may be apart.
pub const AGREEMENT: f64 = 1e-9;

/// The form that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `x, y, z, …`
    Cartesian,
    /// `q1, q2, q3, …`
    Joints,
}

impl Form {
    fn columns(self) -> &'static [[&'static str; 3]; 3] {
        match self {
            Self::Cartesian => &CARTESIAN,
            Self::Joints => &JOINTS,
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Cartesian => Self::Joints,
            Self::Joints => Self::Cartesian,
        }
    }
}

/// The coordinates of a mass matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Space {
    /// Joint angles: kg m², holding torques in N m.
    #[default]
    Joint,
    /// Platform position: kg, the gravity force in N.
    Cartesian,
}

/// What to compute in each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Joint form from the Cartesian form, as far as it is given.
    InverseKinematics,
    /// Cartesian form from the joint form, as far as it is given.
    ForwardKinematics,
    /// Torques of a motion.
    Torque,
    /// Motion under torques.
    Acceleration,
    /// Mass matrix and holding torques.
    Mass(Space),
}

/// A computation with its choices.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation {
    /// What to compute.
    pub task: Task,
    /// With which model.
    pub model: ModelName,
    /// The form that counts; `None`: the Cartesian one if it is complete, else the joint form.
    pub from: Option<Form>,
    /// Elbow branch for the Cartesian form.
    pub branch: Branch,
    /// Assembly for the joint form.
    pub assembly: Assembly,
    /// The position columns are those of the tool point.
    pub tool: bool,
    /// Add singularity margins and ball angles.
    pub details: bool,
    /// Add the torques by term and by body (`exact` only).
    pub breakdown: bool,
    /// Add the tensions of the forearms (`exact` only).
    pub tensions: bool,
    /// Add the column `limits`.
    pub limits_column: bool,
    /// A passed limit makes the row bad.
    pub enforce_limits: bool,
}

impl Evaluation {
    /// The computation with all choices left at their defaults.
    pub fn new(task: Task) -> Self {
        Self {
            task,
            model: ModelName::Exact,
            from: None,
            branch: Branch::Out,
            assembly: Assembly::Below,
            tool: false,
            details: false,
            breakdown: false,
            tensions: false,
            limits_column: false,
            enforce_limits: false,
        }
    }

    /// Finds the columns of a table that the computation needs.
    pub fn bind<'r>(
        self,
        robot: &'r Delta<f64>,
        limits: [Limits; 3],
        header: &Header,
    ) -> Result<Evaluator<'r>, StateError> {
        self.model.applies_to(robot.parameters())?;
        if (self.breakdown || self.tensions) && self.model != ModelName::Exact {
            return Err(StateError::OnlyExact { model: self.model.as_str() });
        }
        let (form, orders) = self.form(header)?;
        let find = |name: &str| header.position(name);
        let group = |names: &[&'static str; 3]| names.map(|name| (name, find(name)));
        let whole = |names: &[&'static str; 3]| -> Result<Option<Group>, StateError> {
            let found = group(names);
            if found.iter().all(|(_, field)| field.is_none()) {
                return Ok(None);
            }
            let missing: Vec<_> = found.iter().filter(|(_, field)| field.is_none()).map(|(name, _)| *name).collect();
            if missing.is_empty() {
                Ok(Some(found.map(|(name, field)| (name, field.unwrap_or_default()))))
            } else {
                Err(StateError::missing(self.task, missing, header))
            }
        };

        let mut given = Vec::new();
        for names in &form.columns()[..orders] {
            given.extend(whole(names)?);
        }
        let dynamic = matches!(self.task, Task::Torque | Task::Acceleration);
        let force = if dynamic { whole(&FORCE)? } else { None };
        let torque = if self.task == Task::Acceleration {
            Some(whole(&TORQUE)?.ok_or_else(|| StateError::missing(self.task, TORQUE.to_vec(), header))?)
        } else {
            None
        };

        let other = &form.other().columns()[..orders];
        let others = other.iter().map(|names| group(names).map(|(_, field)| field)).collect();
        let mut computed: Vec<String> = other.iter().flatten().map(|&name| name.to_owned()).collect();
        let mut add = |names: &[&str]| computed.extend(names.iter().map(|&name| name.to_owned()));
        match self.task {
            Task::InverseKinematics | Task::ForwardKinematics => {}
            Task::Torque => add(&TORQUE),
            Task::Acceleration => {
                add(&CARTESIAN[2]);
                add(&JOINTS[2]);
            }
            Task::Mass(_) => {
                add(&MASS);
                add(&HOLDING);
            }
        }
        if self.details {
            add(&TRANSMISSION);
            add(&["rod_determinant"]);
            add(&BALL);
        }
        let mut numbered = |stem: &str, suffix: &str| {
            computed.extend((1..=3).map(|arm| format!("{stem}{arm}_{suffix}")));
        };
        if self.breakdown {
            Term::ALL.iter().for_each(|term| numbered("tau", term.as_str()));
            Body::ALL.iter().for_each(|body| numbered("tau", body.as_str()));
        }
        if self.tensions {
            numbered("tension", "platform");
            numbered("tension", "elbow");
        }
        let mut columns: Vec<String> = header.names().to_vec();
        let mut slot = |name: &str| {
            find(name).unwrap_or_else(|| {
                columns.push(name.to_owned());
                columns.len() - 1
            })
        };
        let slots = computed.iter().map(|name| slot(name)).collect();
        let limits_slot = self.limits_column.then(|| slot("limits"));
        Ok(Evaluator {
            model: self.model.build(robot.parameters()),
            evaluation: self,
            robot,
            limits,
            form,
            given,
            others,
            force,
            torque,
            computed,
            slots,
            limits_slot,
            columns,
        })
    }

    /// The form to read and up to which derivative: 1 position, 2 velocity, 3 acceleration.
    fn form(&self, header: &Header) -> Result<(Form, usize), StateError> {
        let absent = |name: &&'static str| header.position(name).is_none();
        let needed = |form: Form| -> usize {
            match self.task {
                Task::Mass(_) => 1,
                Task::Acceleration => 2,
                Task::Torque => 3,
                // As far as any column says that more is wanted.
                Task::InverseKinematics | Task::ForwardKinematics => {
                    let last = form.columns().iter().rposition(|names| !names.iter().all(absent));
                    last.map_or(1, |order| order + 1)
                }
            }
        };
        let missing = |form: Form| -> Vec<&'static str> {
            form.columns()[..needed(form)].iter().flatten().copied().filter(|name| absent(name)).collect()
        };
        let fixed = match self.task {
            Task::InverseKinematics => Some(Form::Cartesian),
            Task::ForwardKinematics => Some(Form::Joints),
            _ => self.from,
        };
        let form = fixed.unwrap_or_else(|| {
            let lacking = |form| missing(form).len();
            // The Cartesian form, unless only the joint form is complete or, neither being so, more of it is there.
            if lacking(Form::Cartesian) > 0 && lacking(Form::Joints) < lacking(Form::Cartesian) {
                Form::Joints
            } else {
                Form::Cartesian
            }
        });
        let columns = missing(form);
        if columns.is_empty() { Ok((form, needed(form))) } else { Err(StateError::missing(self.task, columns, header)) }
    }
}

/// Three columns: names and fields.
type Group = [(&'static str, usize); 3];

/// A computation bound to the columns of a table.
pub struct Evaluator<'r> {
    evaluation: Evaluation,
    model: AnyModel<f64>,
    robot: &'r Delta<f64>,
    limits: [Limits; 3],
    form: Form,
    given: Vec<Group>,
    /// The columns of the other form that are there.
    others: Vec<[Option<usize>; 3]>,
    force: Option<Group>,
    torque: Option<Group>,
    computed: Vec<String>,
    slots: Vec<usize>,
    limits_slot: Option<usize>,
    columns: Vec<String>,
}

/// A field of an output row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'t> {
    /// Passed through, or `limits`.
    Text(std::borrow::Cow<'t, str>),
    /// Computed.
    Number(f64),
}

/// An output row.
pub struct Output<'t> {
    /// One cell per column of [`Evaluator::columns`].
    pub cells: Vec<Cell<'t>>,
    /// The limits that the state passes.
    pub violations: Vec<Violation>,
}

impl<'t> Output<'t> {
    /// The texts of a row, the computed values in their columns, and the names of the limits in theirs.
    pub(super) fn new(
        row: &'t Row,
        columns: usize,
        computed: impl Iterator<Item = (usize, f64)>,
        limits: Option<usize>,
        violations: Vec<Violation>,
    ) -> Self {
        let mut cells: Vec<Cell<'t>> = row.texts().map(|text| Cell::Text(text.into())).collect();
        cells.resize(columns, Cell::Text("".into()));
        for (column, value) in computed {
            cells[column] = Cell::Number(value);
        }
        if let Some(column) = limits {
            let names: Vec<_> = violations.iter().map(Violation::column).collect();
            cells[column] = Cell::Text(names.join(" ").into());
        }
        Self { cells, violations }
    }
}

impl Evaluator<'_> {
    /// The names of the output columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The names of the computed columns, in the order in which new ones are appended.
    pub fn computed(&self) -> &[String] {
        &self.computed
    }

    /// Computes one row.
    pub fn evaluate<'t>(&self, row: &'t Row) -> Result<Output<'t>, RowError> {
        let (values, violations) = self.compute(row)?;
        self.refuse_what_is_no_number(row, &values)?;
        if self.evaluation.enforce_limits && !violations.is_empty() {
            return Err(RowError::Limits { line: row.line, violations });
        }
        let computed = self.slots.iter().copied().zip(values);
        Ok(Output::new(row, self.columns.len(), computed, self.limits_slot, violations))
    }

    fn refuse_what_is_no_number(&self, row: &Row, values: &[f64]) -> Result<(), RowError> {
        /// Beyond this a product of a few numbers overflows, and a difference of infinities is NaN too.
        const LARGE: f64 = 1e60;
        // An infinity tells more than a NaN that follows from it.
        let bad = |test: fn(f64) -> bool| values.iter().zip(&self.computed).find(|(value, _)| test(**value));
        let Some((&value, column)) = bad(f64::is_infinite).or(bad(f64::is_nan)) else { return Ok(()) };
        let (line, column) = (row.line, column.clone());
        let groups = self.given.iter().chain(&self.force).chain(&self.torque).flatten();
        let large = groups.into_iter().any(|(name, field)| row.number(*field, name).is_ok_and(|x| x.abs() > LARGE));
        Err(if value.is_infinite() || large {
            RowError::Overflow { line, column, value }
        } else {
            RowError::Undetermined { line, column }
        })
    }

    fn read(row: &Row, group: &Group) -> Result<Vec3<f64>, TableError> {
        let [a, b, c] = group.map(|(name, field)| row.number(field, name));
        Ok(Vec3::new(a?, b?, c?))
    }

    fn compute(&self, row: &Row) -> Result<(Vec<f64>, Vec<Violation>), RowError> {
        let line = row.line;
        let bad = |source| RowError::Kinematics { line, source };
        let given: Vec<Vec3<f64>> =
            self.given.iter().map(|group| Self::read(row, group)).collect::<Result<_, TableError>>()?;
        let force = self.force.as_ref().map(|group| Self::read(row, group)).transpose()?.unwrap_or(Vec3::zero());
        let torque = self.torque.as_ref().map(|group| Self::read(row, group)).transpose()?;
        let tool = if self.evaluation.tool { self.robot.parameters().tool } else { Vec3::zero() };
        let rate = given.get(1).copied().unwrap_or(Vec3::zero());
        let second = given.get(2).copied();

        // The state in both forms.
        let (moving, q, acceleration) = match self.form {
            Form::Cartesian => {
                let pose = self.robot.at_position(given[0] - tool, self.evaluation.branch).map_err(bad)?;
                let q = self.same_turn(row, pose.joints());
                (pose.try_moving(rate).map_err(bad)?, q, second)
            }
            Form::Joints => {
                let pose = self.robot.at_joints(given[0], self.evaluation.assembly).map_err(bad)?;
                let moving = pose.try_moving_joints(rate).map_err(bad)?;
                (moving, given[0], second.map(|qdd| moving.platform_acceleration(qdd)))
            }
        };
        let qd = if self.form == Form::Joints { rate } else { moving.joint_velocity() };
        let mut values: Vec<f64> = Vec::with_capacity(self.computed.len());
        let other = match self.form {
            Form::Cartesian => [Some(q), Some(qd), acceleration.map(|a| moving.joint_acceleration(a))],
            Form::Joints => [Some(moving.pose.position + tool), Some(moving.velocity), acceleration],
        };
        let is_result = matches!(self.evaluation.task, Task::InverseKinematics | Task::ForwardKinematics);
        for (order, fields) in self.others.iter().enumerate() {
            let computed = other[order].unwrap_or(Vec3::zero());
            if !is_result {
                self.check(row, order, fields, computed)?;
            }
            values.extend(computed.0);
        }
        let torque = self.task(&moving, acceleration, force, torque, &mut values);
        if self.evaluation.details {
            values.extend(moving.pose.transmission_margins().0);
            values.push(moving.pose.rod_determinant());
            values.extend(moving.pose.ball_angles().0);
        }
        let acceleration = acceleration.unwrap_or(Vec3::zero());
        if self.evaluation.breakdown {
            let parts = moving.breakdown(acceleration, force);
            values.extend(Term::ALL.iter().flat_map(|&term| parts.by_term(term).0));
            values.extend(Body::ALL.iter().flat_map(|&body| parts.by_body(body).0));
        }
        if self.evaluation.tensions {
            let forces = moving.forearm_forces(acceleration, force);
            values.extend(forces.map(|force| force.tension_at_platform));
            values.extend(forces.map(|force| force.tension_at_elbow));
        }
        let speeds = (self.given.len() > 1).then_some(qd);
        Ok((values, violations(&self.limits, q, moving.pose.ball_angles(), speeds, torque)))
    }

    /// The columns of the task itself; returns the torque of the state where there is one.
    fn task(
        &self,
        moving: &Moving<'_, f64>,
        acceleration: Option<Vec3<f64>>,
        force: Vec3<f64>,
        torque: Option<Vec3<f64>>,
        values: &mut Vec<f64>,
    ) -> Option<Vec3<f64>> {
        let model = self.model.as_model();
        match self.evaluation.task {
            Task::InverseKinematics | Task::ForwardKinematics => None,
            Task::Torque => {
                let tau = model.torque(moving, acceleration.unwrap_or(Vec3::zero()), force);
                values.extend(tau.0);
                Some(tau)
            }
            Task::Acceleration => {
                let acceleration = model.acceleration(moving, torque.unwrap_or(Vec3::zero()), force);
                values.extend(acceleration.0);
                values.extend(moving.joint_acceleration(acceleration).0);
                torque
            }
            Task::Mass(space) => {
                let pose = &moving.pose;
                let held = model.gravity_torque(pose);
                let (m, g) = match space {
                    Space::Joint => (model.mass_matrix(pose), held),
                    // What the holding torques carry at the platform: Jᵀ g.
                    Space::Cartesian => (model.cartesian_mass_matrix(pose), pose.jacobian().transpose() * held),
                };
                values.extend([m[0][0], m[0][1], m[0][2], m[1][1], m[1][2], m[2][2]]);
                values.extend(g.0);
                None
            }
        }
    }

    /// Joint angles on the turn that the row's own joint columns are on, where these are the same angles: beyond ±180°
    /// they keep their meaning.
    fn same_turn(&self, row: &Row, q: Vec3<f64>) -> Vec3<f64> {
        const TURN: f64 = 2.0 * core::f64::consts::PI;
        /// Apart by more than this, in rad, they are other angles.
        const SAME: f64 = 1e-6;
        Vec3::from_fn(|i| {
            let given = self.others[0][i].and_then(|field| row.number(field, JOINTS[0][i]).ok());
            let turns = given.map_or(0.0, |given| ((given - q[i]) / TURN).round());
            let turned = q[i] + TURN * turns;
            // After many turns nothing is left of the angle.
            let same = turns.abs() < 1e6 && given.is_some_and(|given| (given - turned).abs() < SAME);
            if same { turned } else { q[i] }
        })
    }

    fn check(&self, row: &Row, order: usize, fields: &[Option<usize>; 3], computed: Vec3<f64>) -> Result<(), RowError> {
        let scale = computed.0.iter().fold(1.0, |scale: f64, x| scale.max(x.abs()));
        for (i, field) in fields.iter().enumerate() {
            let Some(field) = *field else { continue };
            let column = self.form.other().columns()[order][i];
            let given = row.number(field, column)?;
            if (given - computed[i]).abs() > AGREEMENT * scale {
                let (line, computed, form) = (row.line, computed[i], self.form);
                return Err(RowError::Disagreement { line, column, given, computed, form });
            }
        }
        Ok(())
    }
}
