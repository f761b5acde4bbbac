//! One state of a serial arm per row: which columns a computation reads, and what it adds.
//!
//! | columns | what | unit |
//! | --- | --- | --- |
//! | `q1…qn` `qd1…qdn` `qdd1…qddn` | joint positions, velocities, accelerations | rad (prismatic: m), s |
//! | `tau1…taun` | joint torques | N m (N) |
//! | `fx,fy,fz` | force of the environment on the tool point, base frame, optional | N |
//! | `M11,M12,…,Mnn`, `g1…gn` | mass matrix, upper triangle by rows; holding torques | kg m², N m |
//! | `x,y,z`, `roll,pitch,yaw` | tool frame: R = Rz(yaw) Ry(pitch) Rx(roll), as the tool of a robot file | m, rad |
//! | `vx,vy,vz`, `wx,wy,wz` | velocity of the tool point and angular velocity of the tool, base frame | m/s, rad/s |
//! | `ax,ay,az`, `wdx,wdy,wdz` | their derivatives in time | m/s², rad/s² |
//! | `limits` | the columns that pass a limit of the robot, separated by blanks | |
//!
//! Unknown columns pass through in order; a computed column replaces one of its name in place and is appended otherwise.

use super::states::{Output, RowError, Task, Violation};
use super::table::{Header, Row};
use crate::arm::{ArmError, ArmVisitor};
use crate::derived::Puma560;
use crate::describe::SerialRobot;
use crate::mechanism::dense;
use crate::serial::puma::{DoesNotApply, PumaModel, PumaModelName};
use crate::serial::{GeometryDoesNotApply, InverseError, PumaGeometry, Serial, SerialLimits};
use crate::spatial::{Frame, Wrench, roll_pitch_yaw};
use crate::{Angle, Mat3, Vec3};

const POSITION: [&str; 3] = ["x", "y", "z"];
const ATTITUDE: [&str; 3] = ["roll", "pitch", "yaw"];
const FORCE: [&str; 3] = ["fx", "fy", "fz"];
const VELOCITY: [&str; 6] = ["vx", "vy", "vz", "wx", "wy", "wz"];
const ACCELERATION: [&str; 6] = ["ax", "ay", "az", "wdx", "wdy", "wdz"];

/// Inverse kinematics of velocities is refused where the least pivot of the Jacobian (lengths in metres) is below this
/// share of the largest: eight of sixteen digits would be gone.
const LEAST_PIVOT: f64 = 1e-8;

/// The model of a serial arm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SerialModelName {
    /// Recursive Newton–Euler: exact.
    #[default]
    NewtonEuler,
    /// One of Armstrong, Khatib and Burdick's.
    Puma(PumaModelName),
    /// The program that `derive` has found for the built-in PUMA 560: exact.
    Derived,
}

impl SerialModelName {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::NewtonEuler,
        Self::Puma(PumaModelName::Explicit),
        Self::Puma(PumaModelName::ExplicitA3),
        Self::Puma(PumaModelName::Abbreviated),
        Self::Derived,
    ];

    /// As the command knows it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NewtonEuler => "newton-euler",
            Self::Puma(name) => name.as_str(),
            Self::Derived => "derived",
        }
    }

    /// The model with this name; `exact` is Newton–Euler.
    pub fn parse(name: &str) -> Option<Self> {
        if name == "exact" {
            return Some(Self::NewtonEuler);
        }
        Self::ALL.into_iter().find(|model| model.as_str() == name)
    }
}

/// A computation with its choices.
#[derive(Clone, Copy, Debug)]
pub struct SerialEvaluation {
    /// What to compute.
    pub task: Task,
    /// With which model.
    pub model: SerialModelName,
    /// Add the column `limits`.
    pub limits_column: bool,
    /// A passed limit makes the row bad.
    pub enforce_limits: bool,
}

/// A table that cannot be computed with, whatever its rows.
#[derive(Debug, thiserror::Error)]
pub enum SerialStateError {
    /// Columns that are not there.
    #[error("missing: {}", columns.join(", "))]
    Missing {
        /// What they are needed for.
        task: Task,
        /// Their names.
        columns: Vec<String>,
    },
    /// The model is not for this arm.
    #[error(transparent)]
    Model(#[from] DoesNotApply),
    /// The closed inverse kinematics is not for this arm.
    #[error(transparent)]
    Geometry(#[from] GeometryDoesNotApply),
    /// Inverse kinematics of an arm with other than six joints.
    #[error("inverse kinematics is for arms with six joints and a spherical wrist, and this one has {0}")]
    NotSix(usize),
}

impl SerialStateError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { task, .. } => match task {
                Task::InverseKinematics => {
                    "ik of a serial arm reads x,y,z,roll,pitch,yaw of the tool; for rates also vx,vy,vz,wx,wy,wz, and ax,ay,az,wdx,wdy,wdz"
                }
                Task::ForwardKinematics => "fk of a serial arm reads q1..qn; for rates also qd1..qdn, and qdd1..qddn",
                Task::Torque => "torque of a serial arm reads q1..qn,qd1..qdn,qdd1..qddn, and optionally fx,fy,fz",
                Task::Acceleration => "accel of a serial arm reads q1..qn,qd1..qdn,tau1..taun, and optionally fx,fy,fz",
                Task::Mass(_) => "mass of a serial arm reads q1..qn",
            },
            Self::Model(_) => "`newton-euler` always applies",
            Self::Geometry(_) | Self::NotSix(_) => "docs/conventions.md says which arms have a closed form",
        }
    }
}

/// Why a row of a serial arm cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SerialRowError {
    /// The state.
    #[error(transparent)]
    State(#[from] ArmError),
    /// The tool frame.
    #[error(transparent)]
    Inverse(#[from] InverseError),
    /// No joint velocities give this velocity of the tool.
    #[error("the Jacobian is singular: least over largest pivot {ratio:.1e}, below {LEAST_PIVOT:.0e}")]
    Singular {
        /// How singular.
        ratio: f64,
    },
}

/// A computation bound to the columns of a table.
pub struct SerialEvaluator<'r> {
    evaluation: SerialEvaluation,
    robot: &'r SerialRobot,
    model: Option<PumaModel<f64>>,
    derived: Option<Puma560>,
    geometry: Option<PumaGeometry>,
    /// q, qd, qdd or tau as far as they are needed; or the tool frame.
    given: Vec<Vec<(String, usize)>>,
    /// Kinematics: velocities, then accelerations, as far as they are there.
    rates: Vec<Vec<(String, usize)>>,
    force: Option<Vec<(String, usize)>>,
    /// Where the row's own q1…q6 choose among the solutions of the inverse kinematics.
    near: Option<Vec<(String, usize)>>,
    computed: Vec<String>,
    slots: Vec<usize>,
    limits_slot: Option<usize>,
    columns: Vec<String>,
}

impl SerialEvaluation {
    /// Finds the columns of a table that the computation needs.
    pub fn bind<'r>(self, robot: &'r SerialRobot, header: &Header) -> Result<SerialEvaluator<'r>, SerialStateError> {
        let n = robot.arm.joints();
        let numbered = |stem: &str| -> Vec<String> { (1..=n).map(|i| format!("{stem}{i}")).collect() };
        let named = |names: [&str; 3]| -> Vec<String> { names.map(str::to_owned).to_vec() };
        let needed = match self.task {
            Task::InverseKinematics => vec![named(POSITION), named(ATTITUDE)],
            Task::ForwardKinematics | Task::Mass(_) => vec![numbered("q")],
            Task::Torque => ["q", "qd", "qdd"].map(numbered).to_vec(),
            Task::Acceleration => ["q", "qd", "tau"].map(numbered).to_vec(),
        };
        let absent: Vec<String> =
            needed.iter().flatten().filter(|name| header.position(name).is_none()).cloned().collect();
        if !absent.is_empty() {
            return Err(SerialStateError::Missing { task: self.task, columns: absent });
        }
        let place = |names: Vec<String>| -> Option<Vec<(String, usize)>> {
            names.into_iter().map(|name| header.position(&name).map(|field| (name, field))).collect()
        };
        let given = needed.into_iter().filter_map(place).collect();
        // Rates are computed where they are given: velocities, and accelerations only with them.
        let optional: [Vec<String>; 2] = match self.task {
            Task::InverseKinematics => [VELOCITY, ACCELERATION].map(|names| names.map(str::to_owned).to_vec()),
            Task::ForwardKinematics => ["qd", "qdd"].map(numbered),
            _ => Default::default(),
        };
        let mut rates = Vec::new();
        for names in optional.into_iter().filter(|names| !names.is_empty()) {
            let missing: Vec<String> = names.iter().filter(|name| header.position(name).is_none()).cloned().collect();
            if missing.len() == names.len() {
                break;
            }
            if !missing.is_empty() {
                return Err(SerialStateError::Missing { task: self.task, columns: missing });
            }
            rates.extend(place(names));
        }
        let dynamic = matches!(self.task, Task::Torque | Task::Acceleration);
        let force = if dynamic { place(named(FORCE)) } else { None };
        let any_force = FORCE.iter().any(|name| header.position(name).is_some());
        if dynamic && force.is_none() && any_force {
            let columns = FORCE.iter().filter(|name| header.position(name).is_none()).map(|&name| name.to_owned());
            return Err(SerialStateError::Missing { task: self.task, columns: columns.collect() });
        }
        let model = match (self.model, robot.arm.six()) {
            (SerialModelName::NewtonEuler, _) | (SerialModelName::Derived, Some(_)) => None,
            (SerialModelName::Puma(name), Some(arm)) => Some(PumaModel::by_name(name, arm)?),
            (SerialModelName::Puma(_) | SerialModelName::Derived, None) => {
                return Err(DoesNotApply { field: "link", link: None, assumed: "six links" }.into());
            }
        };
        let derived = match (self.model, robot.arm.six()) {
            (SerialModelName::Derived, Some(arm)) => Some(Puma560::new(arm)?),
            _ => None,
        };
        let geometry = match (self.task, robot.arm.six()) {
            (Task::InverseKinematics, Some(arm)) => Some(PumaGeometry::new(arm)?),
            (Task::InverseKinematics, None) => return Err(SerialStateError::NotSix(n)),
            _ => None,
        };
        let near = if geometry.is_some() { place(numbered("q")) } else { None };
        let computed: Vec<String> = match self.task {
            Task::InverseKinematics => {
                ["q", "qd", "qdd"].into_iter().take(1 + rates.len()).flat_map(numbered).collect()
            }
            Task::ForwardKinematics => {
                let rates = [VELOCITY, ACCELERATION].into_iter().take(rates.len()).flatten().map(str::to_owned);
                [named(POSITION), named(ATTITUDE)].concat().into_iter().chain(rates).collect()
            }
            Task::Torque => numbered("tau"),
            Task::Acceleration => numbered("qdd"),
            Task::Mass(_) => {
                let entries = (1..=n).flat_map(|i| (i..=n).map(move |j| format!("M{i}{j}")));
                entries.chain(numbered("g")).collect()
            }
        };
        let mut columns: Vec<String> = header.names().to_vec();
        let mut slot = |name: &str| {
            header.position(name).unwrap_or_else(|| {
                columns.push(name.to_owned());
                columns.len() - 1
            })
        };
        let slots = computed.iter().map(|name| slot(name)).collect();
        let limits_slot = self.limits_column.then(|| slot("limits"));
        Ok(SerialEvaluator {
            evaluation: self,
            robot,
            model,
            derived,
            geometry,
            given,
            rates,
            force,
            near,
            computed,
            slots,
            limits_slot,
            columns,
        })
    }
}

impl SerialEvaluator<'_> {
    /// The names of the output columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Computes one row.
    pub fn evaluate<'t>(&self, row: &'t Row) -> Result<Output<'t>, RowError> {
        let read = |group: &Vec<(String, usize)>| -> Result<Vec<f64>, RowError> {
            Ok(group.iter().map(|(name, field)| row.number(*field, name)).collect::<Result<_, _>>()?)
        };
        let given: Vec<Vec<f64>> = self.given.iter().map(read).collect::<Result<_, _>>()?;
        let force = self.force.as_ref().map(read).transpose()?.map(|f| Vec3([f[0], f[1], f[2]]));
        let rates: Vec<Vec<f64>> = self.rates.iter().map(read).collect::<Result<_, _>>()?;
        let near = self.near.as_ref().map(read).transpose()?;
        let bad = |source: SerialRowError| RowError::Serial { line: row.line, source };
        let (values, state) = self.compute(&given, &rates, force, near.as_deref()).map_err(bad)?;
        for (&value, column) in values.iter().zip(&self.computed) {
            if !value.is_finite() {
                return Err(RowError::Overflow { line: row.line, column: column.clone(), value });
            }
        }
        let violations = state.violations(&self.robot.limits);
        if self.evaluation.enforce_limits && !violations.is_empty() {
            return Err(RowError::Limits { line: row.line, violations });
        }
        let computed = self.slots.iter().copied().zip(values);
        Ok(Output::new(row, self.columns.len(), computed, self.limits_slot, violations))
    }

    fn compute(
        &self,
        given: &[Vec<f64>],
        rates: &[Vec<f64>],
        force: Option<Vec3<f64>>,
        near: Option<&[f64]>,
    ) -> Result<(Vec<f64>, State), SerialRowError> {
        let arm = &self.robot.arm;
        let n = arm.joints();
        let q = given[0].clone();
        match self.evaluation.task {
            Task::InverseKinematics => {
                let q = self.inverse(&given[0], &given[1], near)?;
                let rates = self.robot.arm.visit(JointRates { q: &q, tool: rates })?;
                let qd = rates.first().cloned();
                Ok(([vec![q.clone()], rates].concat().concat(), State { q, qd, tau: None }))
            }
            Task::ForwardKinematics => {
                let tool = arm.tool(&q).map_err(SerialRowError::State)?;
                let mut values = [tool.origin.0, attitude(tool.rotation)].concat();
                values.extend(arm.visit(ToolRates { q: &q, joints: rates }));
                Ok((values, State { q, qd: rates.first().cloned(), tau: None }))
            }
            Task::Mass(_) => {
                let (mut mass, mut gravity) = (vec![0.0; n * n], vec![0.0; n]);
                arm.mass_and_gravity(&q, &mut mass, &mut gravity)?;
                if let (Some(model), Ok(q)) = (self.model, <[f64; 6]>::try_from(q.as_slice())) {
                    let matrices = model.matrices(q);
                    mass.copy_from_slice(matrices.a.as_flattened());
                    gravity.copy_from_slice(&matrices.g);
                }
                if let (Some(fast), Ok(q)) = (self.derived, <[f64; 6]>::try_from(q.as_slice())) {
                    mass.copy_from_slice(fast.mass_matrix(&q).as_flattened());
                    gravity.copy_from_slice(&fast.gravity_torque(&q));
                }
                let upper = (0..n).flat_map(|i| (i..n).map(move |j| (i, j))).map(|(i, j)| mass[i * n + j]);
                Ok((upper.chain(gravity).collect(), State { q, ..State::default() }))
            }
            Task::Torque => {
                let mut tau = vec![0.0; n];
                arm.torque(&q, &given[1], &given[2], &mut tau)?;
                self.correct(&given[0], &given[1], &given[2], &mut tau);
                self.carry(&q, force, -1.0, &mut tau);
                Ok((tau.clone(), State { q, qd: Some(given[1].clone()), tau: Some(tau) }))
            }
            Task::Acceleration => {
                let mut effective = given[2].clone();
                self.carry(&q, force, 1.0, &mut effective);
                let mut qdd = vec![0.0; n];
                arm.acceleration(&q, &given[1], &effective, &mut qdd)?;
                if let Some(model) = self.model {
                    self.solve(model, &given[0], &given[1], &effective, &mut qdd);
                }
                let state = (six(&given[0]), six(&given[1]), six(&effective));
                if let (Some(fast), (Some(q), Some(qd), Some(tau))) = (self.derived, state) {
                    qdd.copy_from_slice(&fast.acceleration(q, qd, tau));
                }
                Ok((qdd, State { q, qd: Some(given[1].clone()), tau: Some(given[2].clone()) }))
            }
        }
    }

    /// The torque of another model in place of the exact one.
    fn correct(&self, q: &[f64], qd: &[f64], qdd: &[f64], tau: &mut [f64]) {
        if let (Some(fast), (Some(q), Some(qd), Some(qdd))) = (self.derived, (six(q), six(qd), six(qdd))) {
            tau.copy_from_slice(&fast.torque(q, qd, qdd));
        }
        let (Some(model), Some(arm)) = (self.model, self.robot.arm.six()) else { return };
        if let (Ok(q), Ok(qd), Ok(qdd)) = (q.try_into(), qd.try_into(), qdd.try_into()) {
            tau.copy_from_slice(&model.torque(&arm.pose_unchecked(q).moving(qd), qdd));
        }
    }

    /// A q̈ = τ − torque at rest of the acceleration, with the A of another model.
    fn solve(&self, model: PumaModel<f64>, q: &[f64], qd: &[f64], tau: &[f64], qdd: &mut [f64]) {
        let Some(arm) = self.robot.arm.six() else { return };
        let (Ok(q), Ok(qd), Ok(tau)) = (q.try_into(), qd.try_into(), <[f64; 6]>::try_from(tau)) else { return };
        let moving = arm.pose_unchecked(q).moving(qd);
        let bias = model.torque(&moving, [0.0; 6]);
        let rest = std::array::from_fn(|i| tau[i] - bias[i]);
        qdd.copy_from_slice(&model.matrices(q).solve(rest));
    }

    /// Adds what a force at the tool does at the joints.
    fn carry(&self, q: &[f64], force: Option<Vec3<f64>>, sign: f64, tau: &mut [f64]) {
        struct Carry<'a>(&'a [f64], Vec3<f64>, f64, &'a mut [f64]);
        impl ArmVisitor for Carry<'_> {
            type Output = ();
            fn visit<const N: usize>(self, arm: &Serial<f64, N>) {
                let Ok(q) = <[f64; N]>::try_from(self.0) else { return };
                let wrench = Wrench { force: self.1, moment: Vec3::zero() };
                let carried = arm.pose_unchecked(q).jacobian().transpose_times(wrench);
                for (tau, carried) in self.3.iter_mut().zip(carried) {
                    *tau += self.2 * carried;
                }
            }
        }
        if let Some(force) = force {
            self.robot.arm.visit(Carry(q, force, sign, tau));
        }
    }

    /// The solution nearest to the row's own q1…q6, each on the same turn; without them, the first one within the joint
    /// ranges; else the first.
    fn inverse(&self, position: &[f64], attitude: &[f64], near: Option<&[f64]>) -> Result<Vec<f64>, SerialRowError> {
        let Some(geometry) = &self.geometry else { return Ok(Vec::new()) };
        let rotation = rotation([attitude[0], attitude[1], attitude[2]]);
        let target = Frame { rotation, origin: Vec3([position[0], position[1], position[2]]) };
        let solutions = geometry.solve(&target)?;
        let turn = std::f64::consts::TAU;
        let ranges = &self.robot.limits;
        let candidates: Vec<Vec<f64>> = solutions
            .iter()
            .flatten()
            .map(|solution| {
                let shifted = solution.q.iter().enumerate().map(|(i, &q)| match near {
                    Some(near) => q + turn * ((near[i] - q) / turn).round(),
                    // Onto the turn that is within the range, where there is one.
                    None => [q, q - turn, q + turn]
                        .into_iter()
                        .find(|q| (ranges[i].range[0]..=ranges[i].range[1]).contains(q))
                        .unwrap_or(q),
                });
                shifted.collect()
            })
            .collect();
        let distance = |q: &Vec<f64>| match near {
            Some(near) => q.iter().zip(near).map(|(a, b)| (a - b) * (a - b)).sum::<f64>(),
            None => State { q: q.clone(), ..State::default() }.violations(ranges).len() as f64,
        };
        Ok(candidates.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or_default())
    }
}

/// Velocity and angular velocity of the tool, and their derivatives, of joint velocities and accelerations.
struct ToolRates<'a> {
    q: &'a [f64],
    joints: &'a [Vec<f64>],
}

impl ArmVisitor for ToolRates<'_> {
    type Output = Vec<f64>;
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Vec<f64> {
        let row = |row: &[f64]| <[f64; N]>::try_from(row).ok();
        let (Some(q), Some(qd)) = (row(self.q), self.joints.first().and_then(|qd| row(qd))) else { return Vec::new() };
        let moving = arm.pose_unchecked(q).moving(qd);
        let mut rates = moving.tool_velocity().components().to_vec();
        if let Some(qdd) = self.joints.get(1).and_then(|qdd| row(qdd)) {
            rates.extend(moving.tool_acceleration(qdd).components());
        }
        rates
    }
}

/// The way back, for six joints: J q̇ = (v, ω), J q̈ = (a, ω̇) − J̇ q̇.
struct JointRates<'a> {
    q: &'a [f64],
    tool: &'a [Vec<f64>],
}

impl ArmVisitor for JointRates<'_> {
    type Output = Result<Vec<Vec<f64>>, SerialRowError>;
    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Self::Output {
        let (Ok(q), Some(velocity)) = (<[f64; N]>::try_from(self.q), self.tool.first()) else { return Ok(Vec::new()) };
        let pose = arm.pose_unchecked(q);
        let jacobian = pose.jacobian();
        let mut matrix = vec![0.0; N * N];
        for j in 0..N {
            let column = jacobian.linear[j].0.into_iter().chain(jacobian.angular[j].0);
            column.enumerate().take(N).for_each(|(i, x)| matrix[i * N + j] = x);
        }
        let mut exchanges = vec![0; N];
        let ratio = dense::lu(&mut matrix, N, &mut exchanges);
        if ratio < LEAST_PIVOT {
            return Err(SerialRowError::Singular { ratio });
        }
        let solve = |mut right: Vec<f64>| {
            dense::lu_solve(&matrix, N, &exchanges, &mut right);
            right
        };
        let qd = solve(velocity.clone());
        let mut rates = vec![qd.clone()];
        if let (Some(acceleration), Ok(qd)) = (self.tool.get(1), <[f64; N]>::try_from(qd)) {
            let drift = pose.moving(qd).jacobian_rate().times(qd).components();
            rates.push(solve(acceleration.iter().zip(drift).map(|(a, b)| a - b).collect()));
        }
        Ok(rates)
    }
}

fn six(values: &[f64]) -> Option<&[f64; 6]> {
    values.try_into().ok()
}

/// What the limits are checked against.
#[derive(Default)]
struct State {
    q: Vec<f64>,
    qd: Option<Vec<f64>>,
    tau: Option<Vec<f64>>,
}

impl State {
    fn violations(&self, limits: &[SerialLimits]) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut note = |quantity, i: usize, value: f64, [low, high]: [f64; 2]| {
            if value < low || value > high {
                let limit = if value < low { low } else { high };
                found.push(Violation { quantity, arm: i + 1, value, limit });
            }
        };
        for (i, limit) in limits.iter().enumerate() {
            note("q", i, self.q[i], limit.range);
            if let Some(qd) = &self.qd {
                note("qd", i, qd[i], [-limit.max_speed, limit.max_speed]);
            }
            if let Some(tau) = &self.tau {
                note("tau", i, tau[i], [-limit.max_torque, limit.max_torque]);
            }
        }
        found
    }
}

/// Rz(yaw) Ry(pitch) Rx(roll).
pub fn rotation([roll, pitch, yaw]: [f64; 3]) -> Mat3<f64> {
    roll_pitch_yaw([roll, pitch, yaw].map(|angle: f64| Angle { cos: angle.cos(), sin: angle.sin() }))
}

/// Roll, pitch and yaw of a rotation; where pitch is ±90° and only roll ∓ yaw is determined, yaw is zero.
pub fn attitude(r: Mat3<f64>) -> [f64; 3] {
    let cos = r[0][0].hypot(r[1][0]);
    let pitch = (-r[2][0]).atan2(cos);
    if cos < 1e-9 {
        // Yaw zero: R = Ry(±90°) Rx(roll).
        return [(-r[1][2]).atan2(r[1][1]), pitch, 0.0];
    }
    [r[2][1].atan2(r[2][2]), pitch, r[1][0].atan2(r[0][0])]
}
