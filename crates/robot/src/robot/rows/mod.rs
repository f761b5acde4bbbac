//! One state per row: which columns a computation reads, and what it adds.
//!
//! | columns | what | unit |
//! | --- | --- | --- |
//! | `x,y,z` | tool form: position of the tool point, of a Delta platform centre + `platform.tool` | m |
//! | `roll,pitch,yaw` | with it, where the tool turns: R = Rz(yaw) Ry(pitch) Rx(roll), base frame | rad |
//! | `qw,qx,qy,qz` | in the place of these: a unit quaternion of the same rotation, the scalar first; read, not written | |
//! | `c`, `cd`, `cdd` | with position, velocity and acceleration of a tool that turns about z: its angle, whole turns counted | rad, s |
//! | `vx,vy,vz` (`wx,wy,wz`) | velocity and, where the tool turns, angular velocity | m/s, rad/s |
//! | `ax,ay,az` (`wdx,wdy,wdz`) | their derivatives in time | m/s², rad/s² |
//! | `q1…qn` `qd1…qdn` `qdd1…qddn` | joint form: positions, velocities, accelerations | rad (prismatic: m), s |
//! | `tau1…taun` | motor torques at the joint side of the gear | N m (N) |
//! | `fx,fy,fz` | force of the environment on the tool, base frame, optional | N |
//! | `mx,my,mz` | where the tool turns, its moment about x,y,z, base frame, optional; `mz` of a tool that turns about z | N m |
//! | `M11,M12,…,Mnn`, `g1…gn` | mass matrix, upper triangle by rows; holding torques (tool space: in v and, where the tool turns, ω or ċ; force and moment) | kg m², N m; kg, N |
//! | `limits` | the columns that exceed a limit of the robot, separated by blanks | |
//!
//! A family adds groups of columns of its own, for a Delta `details` (`transmission1…`, `rod_determinant`, `ball1…`, `gamma1…`, `psi1…`), `breakdown`
//! (`tau1_inertia …`, `tau1_motors …`), `tensions` (`tension1_platform …`) and `lambda` (`lambda1…`); for an arm `breakdown` (`tau1_inertia …`,
//! `tau1_rotors …`, `tau1_link1 …`, `tau1_payload …`).
//!
//! Unknown columns pass through in order with their text unchanged; a computed column replaces one of its name in
//! place and is appended otherwise. If a row of a Delta has both forms, the tool form counts (or the one asked for) and the
//! other must agree with it to 1e-9, relative to the largest component of the same quantity where that is above 1; in
//! inverse and forward kinematics the other form is the result, and what stood there is replaced.

mod errors;
mod together;

pub use errors::{RowError, TableMismatch};

use super::{
    Form, Joint, JointKind, JointState, JointVector, Kind, Model, Pick, Reason, Robot, State, StateError, ToolState,
    ToolTurns, Violation, violations,
};
use crate::Vec3;
use crate::delta::Branch;
use crate::report::table::{Header, Row, TableError};
use crate::robot::orientation::{attitude, of_quaternion, rotation};
use crate::spatial::Wrench;
use std::sync::Mutex;
use together::{Many, RowScratch};

/// How far the two forms of a state may be apart.
pub const AGREEMENT: f64 = 1e-9;

/// The coordinates of a mass matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Space {
    /// Joints: kg m², holding torques in N m.
    #[default]
    Joint,
    /// Position and turning of the tool: kg, kg m and kg m², what holds it in N and N m.
    Tool,
}

/// What to compute in each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Joint form from the tool form, as far as it is given.
    InverseKinematics,
    /// Tool form from the joint form, as far as it is given.
    ForwardKinematics,
    /// Torques of a motion.
    Torque,
    /// Motion under torques.
    Acceleration,
    /// Mass matrix and holding torques.
    Mass(Space),
}

impl Task {
    fn is_kinematics(self) -> bool {
        matches!(self, Self::InverseKinematics | Self::ForwardKinematics)
    }
}

/// A computation with its choices.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// What to compute.
    pub task: Task,
    /// Name of the model; every robot knows `exact`.
    pub model: String,
    /// The form that counts; `None`: what is usual for the robot and complete.
    pub from: Option<Form>,
    /// Which of several solutions.
    pub pick: Pick,
    /// Groups of columns to add.
    pub groups: Vec<&'static str>,
    /// Add the column `limits`.
    pub limits_column: bool,
    /// A limit that is exceeded makes the row bad.
    pub enforce_limits: bool,
}

impl Evaluation {
    /// The computation with all choices left at their defaults.
    pub fn new(task: Task) -> Self {
        Self {
            task,
            model: String::from("exact"),
            from: None,
            pick: Pick::default(),
            groups: Vec::new(),
            limits_column: false,
            enforce_limits: false,
        }
    }
}

/// The columns of a form: position, velocity, acceleration.
pub fn columns(form: Form, robot: &Robot) -> [Vec<String>; 3] {
    let joints = robot.joints().len();
    match form {
        Form::Joints => ["q", "qd", "qdd"].map(|stem| numbered(stem, joints)),
        Form::Tool => {
            let turning: [&[&str]; 3] = match robot.kind().tool_turns {
                ToolTurns::No => [&[]; 3],
                ToolTurns::AboutZ => [&["c"], &["cd"], &["cdd"]],
                ToolTurns::Freely => [&["roll", "pitch", "yaw"], &["wx", "wy", "wz"], &["wdx", "wdy", "wdz"]],
            };
            std::array::from_fn(|order| {
                let prefix = ["", "v", "a"][order];
                let mut names = ["x", "y", "z"].map(|axis| format!("{prefix}{axis}")).to_vec();
                names.extend(turning[order].iter().map(|&name| name.to_owned()));
                names
            })
        }
    }
}

fn numbered(stem: &str, joints: usize) -> Vec<String> {
    (1..=joints).map(|i| format!("{stem}{i}")).collect()
}

/// A unit quaternion, the scalar first.
const QUATERNION: [&str; 4] = ["qw", "qx", "qy", "qz"];

/// The columns of a form as a table has them: an orientation may be a quaternion instead of three angles.
fn written(form: Form, robot: &Robot, header: &Header) -> [Vec<String>; 3] {
    let mut names = columns(form, robot);
    let is_there = |name: &str| header.position(name).is_some();
    let quaternion = QUATERNION.into_iter().any(is_there) && !["roll", "pitch", "yaw"].into_iter().any(is_there);
    if form == Form::Tool && quaternion && robot.kind().tool_turns == ToolTurns::Freely {
        names[0].truncate(3);
        names[0].extend(QUATERNION.map(str::to_owned));
    }
    names
}

/// The columns of what the environment pushes on the tool with: force, and moment as far as the tool turns.
fn pushes(turns: ToolTurns) -> [Vec<String>; 2] {
    let moment: &[&str] = match turns {
        ToolTurns::No => &[],
        ToolTurns::AboutZ => &["mz"],
        ToolTurns::Freely => &["mx", "my", "mz"],
    };
    [&["fx", "fy", "fz"], moment].map(|names| names.iter().map(|&name| name.to_owned()).collect())
}

/// Columns: names and fields.
type Group = Vec<(String, usize)>;

/// The columns, if they are there: all of them, or none.
fn whole(task: Task, names: Vec<String>, header: &Header, robot: &Robot) -> Result<Option<Group>, TableMismatch> {
    let missing: Vec<String> = names.iter().filter(|name| header.position(name).is_none()).cloned().collect();
    if missing.len() == names.len() {
        return Ok(None);
    }
    if !missing.is_empty() {
        return Err(TableMismatch::missing(task, missing, header, robot));
    }
    Ok(names.into_iter().map(|name| header.position(&name).map(|field| (name, field))).collect())
}

impl Evaluation {
    /// Finds the columns of a table that the computation needs.
    pub fn bind<'r>(&self, robot: &'r Robot, header: &Header) -> Result<Evaluator<'r>, TableMismatch> {
        let kind = robot.kind();
        let model = robot.build_model(&self.model)?;
        let exact = robot.models().first().is_some_and(|spec| spec.is_called(&self.model));
        for &name in &self.groups {
            let group = robot.column_groups().iter().find(|group| group.name == name);
            let group = group.ok_or(TableMismatch::NoSuchColumns { group: name, kind: kind.title })?;
            if group.exact_only && !exact {
                return Err(TableMismatch::OnlyExact { model: self.model.clone() });
            }
        }
        let (form, orders) = self.form(robot, header)?;
        let joints = robot.joints().len();
        self.refuse_left_out(form, robot, header)?;
        let whole = |names| whole(self.task, names, header, robot);
        let mut given = Vec::new();
        for names in written(form, robot, header).into_iter().take(orders) {
            given.extend(whole(names)?);
        }
        let dynamic = matches!(self.task, Task::Torque | Task::Acceleration);
        let [force, moment] = pushes(kind.tool_turns);
        let (force, moment) = if dynamic { (whole(force)?, whole(moment)?) } else { (None, None) };
        let torque = if self.task == Task::Acceleration {
            let names = numbered("tau", joints);
            let missing = || TableMismatch::missing(self.task, names.clone(), header, robot);
            Some(whole(names.clone())?.ok_or_else(missing)?)
        } else {
            None
        };
        let reports_other = kind.both_forms || self.task.is_kinematics();
        let others: Vec<Vec<String>> =
            columns(form.other(), robot).into_iter().take(if reports_other { orders } else { 0 }).collect();
        let mut computed = others.concat();
        match self.task {
            Task::InverseKinematics | Task::ForwardKinematics => {}
            Task::Torque => computed.extend(numbered("tau", joints)),
            Task::Acceleration => {
                let [_, _, tool] = columns(Form::Tool, robot);
                let [_, _, qdd] = columns(Form::Joints, robot);
                computed.extend(tool.into_iter().filter(|_| kind.both_forms).chain(qdd));
            }
            Task::Mass(space) => {
                let home = || robot.home().map_err(TableMismatch::NoHome);
                if space == Space::Tool && model.tool_mass(&home()?).is_none() {
                    return Err(TableMismatch::NoToolSpace { kind: kind.title });
                }
                // With two digits M111 would be two entries.
                let between = if joints > 9 { "_" } else { "" };
                let entries = (1..=joints).flat_map(|i| (i..=joints).map(move |j| format!("M{i}{between}{j}")));
                computed.extend(entries.chain(numbered("g", joints)));
            }
        }
        if !self.groups.is_empty() {
            // The names of a group are those of any state.
            let state = robot.home().map_err(TableMismatch::NoHome)?;
            for group in &self.groups {
                let columns = robot.columns(group, &state, Wrench::zero()).map_err(TableMismatch::NoHome)?;
                computed.extend(columns.into_iter().map(|(name, _)| name));
            }
        }
        let others = others
            .into_iter()
            .map(|names| names.into_iter().map(|name| (header.position(&name), name)).collect())
            .collect();
        let near = numbered("q", joints).iter().map(|name| header.position(name)).collect();
        let mut columns: Vec<String> = header.names().to_vec();
        let mut sources: Vec<Source> = (0..columns.len()).map(Source::Field).collect();
        let limits = self.limits_column.then_some(("limits", Source::Limits));
        let names = computed.iter().enumerate().map(|(k, name)| (name.as_str(), Source::Computed(k)));
        for (name, source) in names.chain(limits) {
            match header.position(name) {
                Some(place) => sources[place] = source,
                None => {
                    columns.push(name.to_owned());
                    sources.push(source);
                }
            }
        }
        let mut evaluator = Evaluator {
            evaluation: self.clone(),
            robot,
            kind,
            joints: robot.joints(),
            model,
            form,
            given,
            others,
            force,
            moment,
            torque,
            near,
            computed,
            columns,
            sources,
            exact,
            hangs: std::sync::OnceLock::new(),
            many: Many::default(),
            rooms: Mutex::default(),
        };
        if evaluator.has_columns() {
            evaluator.many = Many::Columns;
        }
        Ok(evaluator)
    }

    /// Refuses columns that somebody wants to be read and that would pass through: `Fx` for `fx`, a joint too many.
    fn refuse_left_out(&self, form: Form, robot: &Robot, header: &Header) -> Result<(), TableMismatch> {
        let dynamic = matches!(self.task, Task::Torque | Task::Acceleration);
        let kinematic = written(form, robot, header).concat().into_iter().filter(|_| self.task.is_kinematics());
        let pushes = pushes(robot.kind().tool_turns).concat();
        for meant in kinematic.chain(pushes.into_iter().filter(|_| dynamic)) {
            let alike = |name: &&String| name.trim().eq_ignore_ascii_case(&meant);
            let found = header.names().iter().find(alike).filter(|_| header.position(&meant).is_none());
            if let Some(found) = found {
                return Err(TableMismatch::Spelling { found: found.trim().to_owned(), meant });
            }
        }
        let joints = robot.joints().len();
        let stems = [("q", form == Form::Joints), ("tau", self.task == Task::Acceleration)];
        let more = stems.into_iter().filter(|(_, read)| *read).map(|(stem, _)| format!("{stem}{}", joints + 1));
        match more.into_iter().find(|column| header.position(column).is_some()) {
            Some(column) => Err(TableMismatch::OtherRobot { column, joints }),
            None => Ok(()),
        }
    }

    /// The form to read and up to which derivative: 1 position, 2 velocity, 3 acceleration.
    fn form(&self, robot: &Robot, header: &Header) -> Result<(Form, usize), TableMismatch> {
        let absent = |name: &String| header.position(name).is_none();
        let needed = |form: Form| -> usize {
            match self.task {
                Task::Mass(_) => 1,
                Task::Acceleration => 2,
                Task::Torque => 3,
                // As far as any column says that more is wanted.
                Task::InverseKinematics | Task::ForwardKinematics => {
                    let last = written(form, robot, header).iter().rposition(|names| !names.iter().all(absent));
                    last.map_or(1, |order| order + 1)
                }
            }
        };
        let missing = |form: Form| -> Vec<String> {
            written(form, robot, header).into_iter().take(needed(form)).flatten().filter(|name| absent(name)).collect()
        };
        let usual = robot.kind().form;
        let fixed = match self.task {
            Task::InverseKinematics => Some(Form::Tool),
            Task::ForwardKinematics => Some(Form::Joints),
            _ => self.from,
        };
        let form = fixed.unwrap_or_else(|| {
            let lacking = |form| missing(form).len();
            // The usual form, unless only the other one is complete or, neither being so, more of it is there.
            if robot.kind().both_forms && lacking(usual) > 0 && lacking(usual.other()) < lacking(usual) {
                usual.other()
            } else {
                usual
            }
        });
        let columns = missing(form);
        if columns.is_empty() {
            Ok((form, needed(form)))
        } else {
            Err(TableMismatch::missing(self.task, columns, header, robot))
        }
    }
}

/// A computation bound to the columns of a table.
#[derive(Debug)]
pub struct Evaluator<'r> {
    evaluation: Evaluation,
    robot: &'r Robot,
    kind: Kind,
    joints: Vec<Joint>,
    model: Box<dyn Model>,
    form: Form,
    given: Vec<Group>,
    /// The columns of the other form, and where they are if they are there.
    others: Vec<Vec<(Option<usize>, String)>>,
    force: Option<Group>,
    moment: Option<Group>,
    torque: Option<Group>,
    /// The row's own joints, which choose among solutions.
    near: Vec<Option<usize>>,
    computed: Vec<String>,
    columns: Vec<String>,
    sources: Vec<Source>,
    /// Whether the model is the robot's first.
    exact: bool,
    /// Whether the robot is below its base wherever it is.
    hangs: std::sync::OnceLock<bool>,
    /// What computes many rows.
    many: Many,
    /// Room to compute them in, of threads that do not need it now.
    rooms: Mutex<Vec<RowScratch>>,
}

/// Where a column of the output comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// This field of the input, with its text.
    Field(usize),
    /// This one of the computed numbers.
    Computed(usize),
    /// The names of the limits that are exceeded.
    Limits,
}

/// What comes of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// One number for each name of [`Evaluator::computed`].
    pub values: Vec<f64>,
    /// The limits that the state exceeds.
    pub violations: Vec<Violation>,
    /// What is probably wrong where it exceeds one: a sign, a unit.
    pub likely_mistake: Option<&'static str>,
}

impl Output {
    /// The columns that exceed a limit, separated by blanks.
    pub fn limits(&self) -> String {
        self.violations.iter().map(Violation::column).collect::<Vec<_>>().join(" ")
    }
}

/// What a row says and what was computed from it.
struct Computed {
    values: Vec<f64>,
    state: State,
    wrench: Wrench<f64>,
    torque: Option<JointVector>,
}

/// The numbers of a group; no group has more than a robot may have joints.
fn read(row: &Row, group: &Group) -> Result<JointVector, TableError> {
    let mut numbers = JointVector::zero(group.len());
    for (number, (name, field)) in numbers.iter_mut().zip(group) {
        *number = row.number(*field, name)?;
    }
    Ok(numbers)
}

fn vector(numbers: &[f64], from: usize) -> Vec3<f64> {
    Vec3::from_fn(|i| numbers.get(from + i).copied().unwrap_or(0.0))
}

impl Evaluator<'_> {
    /// The names of the output columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Where each of these comes from.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The names of the computed columns, in the order in which new ones are appended.
    pub fn computed(&self) -> &[String] {
        &self.computed
    }

    /// The state that a row describes, its acceleration computed where the task is to compute it, and what the environment
    /// pushes on the tool with.
    pub fn describe(&self, row: &Row) -> Result<(State, Wrench<f64>), RowError> {
        let Computed { values, state, wrench, .. } = self.compute(row)?;
        self.refuse_what_is_no_number(row, &values)?;
        Ok((state, wrench))
    }

    /// Computes one row by the formulas of the model.
    pub fn evaluate(&self, row: &Row) -> Result<Output, RowError> {
        let Computed { values, state, torque, .. } = self.compute(row)?;
        self.refuse_what_is_no_number(row, &values)?;
        let speeds = (self.given.len() > 1).then_some(&state.joints.qd[..]);
        let balls = if self.has_balls() { self.robot.ball_angles(&state).ok().flatten() } else { None };
        let violations = violations(&self.joints, &state.joints.q, balls.as_deref(), speeds, torque.as_deref());
        self.output(row, values, violations, || {
            self.likely_mistake(state.given, &state.joints.q, state.tool.pose.origin[2])
        })
    }

    /// Whether ball angles have a limit.
    fn has_balls(&self) -> bool {
        self.joints.iter().any(|joint| joint.limits.max_ball_angle.is_finite())
    }

    fn output(
        &self,
        row: &Row,
        values: Vec<f64>,
        violations: Vec<Violation>,
        likely_mistake: impl FnOnce() -> Option<&'static str>,
    ) -> Result<Output, RowError> {
        if self.evaluation.enforce_limits && !violations.is_empty() {
            return Err(RowError::Limits { line: row.line, violations });
        }
        let likely_mistake = if violations.is_empty() { None } else { likely_mistake() };
        Ok(Output { values, violations, likely_mistake })
    }

    /// A mistake that would explain a state beyond the limits, from what was given of it: joints, or the height of the tool.
    fn likely_mistake(&self, given: Form, q: &[f64], height: f64) -> Option<&'static str> {
        let turns = |(joint, q): (&Joint, &f64)| joint.kind == JointKind::Revolute && q.abs() > std::f64::consts::TAU;
        match given {
            Form::Joints if self.joints.iter().zip(q).any(turns) => {
                Some("are the angles degrees? they are read as rad")
            }
            Form::Tool if height > 0.0 => {
                let hangs = || self.robot.workspace().is_some_and(|space| space.heights[1] <= 0.0);
                self.hangs
                    .get_or_init(hangs)
                    .then_some("z is above the base that the robot hangs from: is its sign right?")
            }
            _ => None,
        }
    }

    fn refuse_what_is_no_number(&self, row: &Row, values: &[f64]) -> Result<(), RowError> {
        /// Beyond this a product of a few numbers overflows, and a difference of infinities is NaN too.
        const LARGE: f64 = 1e60;
        if values.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        // An infinity tells more than a NaN that follows from it.
        let bad = |test: fn(f64) -> bool| values.iter().zip(&self.computed).find(|(value, _)| test(**value));
        let Some((&value, column)) = bad(f64::is_infinite).or(bad(f64::is_nan)) else { return Ok(()) };
        let (line, column) = (row.line, column.clone());
        let groups = self.given.iter().chain(&self.force).chain(&self.moment).chain(&self.torque).flatten();
        let large = groups.into_iter().any(|(name, field)| row.number(*field, name).is_ok_and(|x| x.abs() > LARGE));
        Err(if value.is_infinite() || large {
            RowError::Overflow { line, column, value }
        } else {
            RowError::Undetermined { line, column }
        })
    }

    /// The state of a row, in both forms.
    fn state(&self, row: &Row) -> Result<State, RowError> {
        let refused = |source| RowError::StateError { line: row.line, source };
        let mut given = [const { JointVector::NONE }; 3];
        for (numbers, group) in given.iter_mut().zip(&self.given) {
            *numbers = read(row, group)?;
        }
        let order = |order: usize| &given[order][..];
        let mut pick = self.evaluation.pick.clone();
        match self.form {
            Form::Tool => {
                let near = JointVector::from_fn(self.near.len(), |i| {
                    let field = self.near[i];
                    field.and_then(|field| row.number(field, "q").ok()).unwrap_or(f64::NAN)
                });
                pick.near = Some(near);
                if self.kind.form == Form::Tool {
                    // Where a branch can be chosen by name, joints in a row are checked and choose the turn only.
                    pick.elbows.get_or_insert(Branch::Out);
                }
                let [position, velocity, acceleration] = [0, 1, 2].map(|k| vector(order(k), 0));
                let mut tool = ToolState::translating(position, velocity, acceleration);
                match self.kind.tool_turns {
                    ToolTurns::No => {}
                    ToolTurns::AboutZ => tool = tool.turned([0, 1, 2].map(|k| order(k).get(3).copied().unwrap_or(0.0))),
                    ToolTurns::Freely => {
                        tool.pose.rotation = match order(0).get(3..7) {
                            Some(&[w, x, y, z]) => of_quaternion([w, x, y, z]).ok_or_else(|| {
                                let text = "`qw,qx,qy,qz` is not a unit quaternion: the sum of its squares is not 1";
                                refused(StateError::new(Reason::NoPose, text))
                            })?,
                            _ => rotation(vector(order(0), 3).0),
                        };
                        (tool.velocity.angular, tool.acceleration.angular) = (vector(order(1), 3), vector(order(2), 3));
                    }
                }
                self.robot.at_tool(&tool, &pick).map_err(refused)
            }
            Form::Joints => {
                let of = |given: JointVector| {
                    if given.is_empty() { JointVector::zero(self.joints.len()) } else { given }
                };
                let [q, qd, qdd] = given.map(of);
                let state = JointState { q, qd, qdd };
                self.robot.at_joints(&state, &pick).map_err(refused)
            }
        }
    }

    fn compute(&self, row: &Row) -> Result<Computed, RowError> {
        let state = self.state(row)?;
        let vector = |group: &Group| read(row, group).map(|numbers| vector(&numbers, 0));
        let force = self.force.as_ref().map(vector).transpose()?.unwrap_or(Vec3::zero());
        let moment = self.moment.as_ref().map(vector).transpose()?.unwrap_or(Vec3::zero());
        // A tool that turns about z has that one only.
        let about_z = self.kind.tool_turns == ToolTurns::AboutZ;
        let moment = if about_z { Vec3::new(0.0, 0.0, moment[0]) } else { moment };
        let torque = self.torque.as_ref().map(|group| read(row, group)).transpose()?;
        let wrench = Wrench { force, moment };

        let mut values: Vec<f64> = Vec::with_capacity(self.computed.len());
        for (order, fields) in self.others.iter().enumerate() {
            let computed = self.numbers(self.form.other(), order, &state);
            if !self.evaluation.task.is_kinematics() {
                self.check(row, fields, &computed)?;
            }
            values.extend_from_slice(&computed);
        }
        let refused = |source| RowError::StateError { line: row.line, source };
        let (described, torque) = self.dynamics(&state, wrench, torque, &mut values).map_err(refused)?;
        for group in &self.evaluation.groups {
            let columns = self.robot.columns(group, &state, wrench).map_err(refused)?;
            values.extend(columns.into_iter().map(|(_, value)| value));
        }
        Ok(Computed { values, state: described, wrench, torque })
    }

    /// Adds what the model says of a state, which may be under torques that are given: torques, accelerations or the mass matrix. The state, with
    /// the acceleration that is computed, and its torques.
    fn dynamics(
        &self,
        state: &State,
        wrench: Wrench<f64>,
        given: Option<JointVector>,
        values: &mut Vec<f64>,
    ) -> Result<(State, Option<JointVector>), StateError> {
        match self.evaluation.task {
            Task::InverseKinematics | Task::ForwardKinematics => {}
            Task::Torque => {
                let tau = self.model.torque(state, wrench);
                values.extend_from_slice(&tau);
                return Ok((state.clone(), Some(tau)));
            }
            Task::Acceleration => {
                let described = self.model.accelerated(state, &given.clone().unwrap_or_default(), wrench)?;
                if self.kind.both_forms {
                    values.extend_from_slice(&self.numbers(Form::Tool, 2, &described));
                }
                values.extend_from_slice(&described.joints.qdd);
                return Ok((described, given));
            }
            Task::Mass(Space::Joint) => {
                let mass = self.model.mass_matrix(state);
                mass.iter().enumerate().for_each(|(i, row)| values.extend_from_slice(&row[i..]));
                values.extend_from_slice(&self.model.gravity_torque(state));
            }
            Task::Mass(Space::Tool) => {
                if let Some(tool) = self.model.tool_mass(state) {
                    tool.mass.iter().enumerate().for_each(|(i, row)| values.extend_from_slice(&row[i..]));
                    values.extend_from_slice(&tool.gravity);
                }
            }
        }
        Ok((state.clone(), None))
    }

    /// The numbers of a form: position, velocity or acceleration.
    fn numbers(&self, form: Form, order: usize, state: &State) -> JointVector {
        let State { joints, tool, .. } = state;
        if form == Form::Joints {
            return [&joints.q, &joints.qd, &joints.qdd][order].clone();
        }
        let ToolState { pose, velocity, acceleration, turn } = *tool;
        let linear = [pose.origin, velocity.linear, acceleration.linear][order].0;
        let angular = || [Vec3(attitude(pose.rotation)), velocity.angular, acceleration.angular][order].0;
        match self.kind.tool_turns {
            ToolTurns::No => JointVector::new(&linear),
            ToolTurns::AboutZ => {
                let about = [turn, velocity.angular[2], acceleration.angular[2]][order];
                JointVector::new(&[linear[0], linear[1], linear[2], about])
            }
            ToolTurns::Freely => JointVector::new(&[linear, angular()].concat()),
        }
    }

    fn check(&self, row: &Row, fields: &[(Option<usize>, String)], computed: &[f64]) -> Result<(), RowError> {
        let scale = computed.iter().fold(1.0, |scale: f64, x| scale.max(x.abs()));
        for ((field, column), &computed) in fields.iter().zip(computed) {
            let Some(field) = *field else { continue };
            let given = row.number(field, column)?;
            if (given - computed).abs() > AGREEMENT * scale {
                let (line, column, form) = (row.line, column.clone(), self.form);
                return Err(RowError::Disagreement { line, column, given, computed, form });
            }
        }
        Ok(())
    }
}
