//! Dalembert from C. The functions are described in `include/dalembert.h`; this is their other side.
//!
//! Pointers become references here and in [`program`] and nowhere else: [`required`], [`changed`] and [`slice`], and there `output`, are the
//! only places that trust what C says about lengths.

mod program;

use dalembert::robot::{
    Form, JointState, JointVector, MAX_JOINTS, Model, Pick, Reason, Robot, State, StateError, ToolState,
};
use dalembert::spatial::{Frame, Twist, Wrench};
use dalembert::{Mat3, Vec3};
pub use program::*;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// `dalembert_status`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Status {
    Ok = 0,
    NullPointer = 1,
    NotLoaded = 2,
    NoModel = 3,
    OutOfReach = 4,
    Singular = 5,
    NoPose = 6,
    NotFinite = 7,
    NoInertia = 8,
    NotOffered = 9,
    Columns = 10,
    Bug = 11,
}

/// `dalembert_robot`.
#[derive(Debug)]
pub struct Opened {
    robot: Robot,
    model: Box<dyn Model>,
    joints: usize,
}

/// `dalembert_tool`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Tool {
    pub position: [f64; 3],
    pub rotation: [f64; 9],
    pub velocity: [f64; 3],
    pub angular_velocity: [f64; 3],
    pub acceleration: [f64; 3],
    pub angular_acceleration: [f64; 3],
    pub turn: f64,
}

/// `dalembert_wrench`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct CWrench {
    pub force: [f64; 3],
    pub moment: [f64; 3],
}

/// Why a call failed.
struct CallError {
    status: Status,
    message: String,
}

impl CallError {
    fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

impl From<StateError> for CallError {
    fn from(refused: StateError) -> Self {
        let status = match refused.reason {
            Reason::TooFar(_) | Reason::TooClose(_) => Status::OutOfReach,
            Reason::Singular(_) => Status::Singular,
            Reason::NoPose | Reason::Length { .. } | Reason::OtherRobot => Status::NoPose,
            Reason::NotFinite => Status::NotFinite,
            Reason::NoInertia => Status::NoInertia,
            Reason::NotOffered => Status::NotOffered,
        };
        Self::new(status, refused.to_string())
    }
}

thread_local! {
    /// Why the last call failed; nothing after one that did not.
    static MESSAGE: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// The last call of this thread has succeeded.
fn succeeded() -> Status {
    MESSAGE.with_borrow_mut(|message| *message = None);
    Status::Ok
}

/// Runs a call: what it refuses, and what is a bug, becomes a status and a message.
fn call(work: impl FnOnce() -> Result<(), CallError>) -> Status {
    let failure = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return succeeded(),
        Ok(Err(failure)) => failure,
        Err(_) => CallError::new(Status::Bug, "a bug of the library; please report it"),
    };
    let text: Vec<u8> = failure.message.bytes().filter(|&byte| byte != 0).collect();
    MESSAGE.with_borrow_mut(|message| *message = CString::new(text).ok());
    failure.status
}

/// Runs a call on a robot.
fn on(robot: *const Opened, work: impl FnOnce(&Opened) -> Result<(), CallError>) -> Status {
    call(|| work(required(robot, "robot")?))
}

/// What a pointer points to.
fn required<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, CallError> {
    // SAFETY: the header asks for a valid object behind every pointer that is not NULL.
    unsafe { pointer.as_ref() }.ok_or_else(|| missing(what))
}

fn missing(what: &str) -> CallError {
    CallError::new(Status::NullPointer, format!("`{what}` is NULL"))
}

/// Bytes that no array has: no process of a 64-bit system addresses more, and none of a 32-bit system half of its addresses.
const TOO_LARGE: usize = if usize::BITS == 64 { 1 << 47 } else { isize::MAX as usize };

/// How many numbers an array of so many states has, where there can be such an array.
fn numbers<T>(states: usize, width: usize) -> Result<usize, CallError> {
    let all = states.checked_mul(width);
    let fits = |all: &usize| all.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes < TOO_LARGE);
    all.filter(fits).ok_or_else(|| {
        CallError::new(Status::Columns, format!("{states} states of {width} numbers are more than fit the memory"))
    })
}

/// So many numbers behind a pointer.
fn slice<'a, T>(pointer: *const T, len: usize, what: &str) -> Result<&'a [T], CallError> {
    if pointer.is_null() {
        return Err(missing(what));
    }
    numbers::<T>(len, 1)?;
    // SAFETY: the header says how many numbers each array has.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
}

/// Refuses what is not finite: a number that C gave, or one that would go to a drive.
fn finite(values: &[f64], what: &str) -> Result<(), CallError> {
    let Some(k) = values.iter().position(|value| !value.is_finite()) else { return Ok(()) };
    Err(CallError::new(Status::NotFinite, format!("{what}[{k}] is {}, not a finite number", values[k])))
}

/// The numbers of an array per joint.
fn per_joint(pointer: *const f64, joints: usize, what: &str) -> Result<JointVector, CallError> {
    let values = slice(pointer, joints, what)?;
    finite(values, what)?;
    Ok(JointVector::new(values))
}

/// The same; zero where it is NULL and may be.
fn optional(pointer: *const f64, joints: usize, what: &str) -> Result<JointVector, CallError> {
    if pointer.is_null() { Ok(JointVector::zero(joints)) } else { per_joint(pointer, joints, what) }
}

/// What a pointer points to, to be changed.
fn changed<'a, T>(pointer: *mut T, what: &str) -> Result<&'a mut T, CallError> {
    // SAFETY: the header asks for a valid object behind every pointer that is not NULL, of one thread.
    unsafe { pointer.as_mut() }.ok_or_else(|| missing(what))
}

/// Where a handle goes; NULL until there is one, so that closing it after a failure does nothing.
fn handle<'a, T>(pointer: *mut *mut T, what: &str) -> Result<&'a mut *mut T, CallError> {
    if pointer.is_null() {
        return Err(missing(what));
    }
    // SAFETY: not NULL, and the header asks for a place for a pointer, which need not be set.
    unsafe { pointer.write(std::ptr::null_mut()) };
    changed(pointer, what)
}

/// Writes a result, where there is room for one.
fn write<T>(values: &[T], to: *mut T) {
    if !to.is_null() {
        // SAFETY: the header says how many numbers each array has; a copy, because C may give the same array twice.
        unsafe { std::ptr::copy(values.as_ptr(), to, values.len()) };
    }
}

/// Writes a result, for which there must be room.
fn write_to<T>(values: &[T], to: *mut T, what: &str) -> Result<(), CallError> {
    slice(to, values.len(), what)?;
    write(values, to);
    Ok(())
}

/// The same of numbers, which have to be finite.
fn write_finite(values: &[f64], to: *mut f64, what: &str) -> Result<(), CallError> {
    finite(values, what)?;
    write_to(values, to, what)
}

fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, CallError> {
    if pointer.is_null() {
        return Err(missing(what));
    }
    // SAFETY: the header asks for a string that ends with a zero.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| CallError::new(Status::NotLoaded, format!("`{what}` is not UTF-8")))
}

fn wrench(pointer: *const CWrench) -> Result<Wrench<f64>, CallError> {
    let Ok(&CWrench { force, moment }) = required(pointer, "wrench") else { return Ok(Wrench::zero()) };
    finite(&force, "wrench.force")?;
    finite(&moment, "wrench.moment")?;
    Ok(Wrench { force: Vec3(force), moment: Vec3(moment) })
}

impl Tool {
    /// Refuses what is not finite.
    fn finite(&self) -> Result<(), CallError> {
        finite(&self.position, "tool.position")?;
        finite(&self.rotation, "tool.rotation")?;
        finite(&self.velocity, "tool.velocity")?;
        finite(&self.angular_velocity, "tool.angular_velocity")?;
        finite(&self.acceleration, "tool.acceleration")?;
        finite(&self.angular_acceleration, "tool.angular_acceleration")?;
        finite(&[self.turn], "tool.turn")
    }
}

/// The tool that C gave.
fn tool_state(pointer: *const Tool) -> Result<ToolState, CallError> {
    let tool = required(pointer, "tool")?;
    tool.finite()?;
    Ok(ToolState::from(tool))
}

impl From<&Tool> for ToolState {
    fn from(tool: &Tool) -> Self {
        let row = |k: usize| Vec3::new(tool.rotation[3 * k], tool.rotation[3 * k + 1], tool.rotation[3 * k + 2]);
        let twist = |linear, angular| Twist { linear: Vec3(linear), angular: Vec3(angular) };
        Self {
            pose: Frame { rotation: Mat3([row(0), row(1), row(2)]), origin: Vec3(tool.position) },
            velocity: twist(tool.velocity, tool.angular_velocity),
            acceleration: twist(tool.acceleration, tool.angular_acceleration),
            turn: tool.turn,
        }
    }
}

impl From<&ToolState> for Tool {
    fn from(tool: &ToolState) -> Self {
        Self {
            position: tool.pose.origin.0,
            rotation: std::array::from_fn(|k| tool.pose.rotation[k / 3][k % 3]),
            velocity: tool.velocity.linear.0,
            angular_velocity: tool.velocity.angular.0,
            acceleration: tool.acceleration.linear.0,
            angular_acceleration: tool.acceleration.angular.0,
            turn: tool.turn,
        }
    }
}

impl Opened {
    fn at_joints(&self, q: *const f64, qd: *const f64, qdd: *const f64) -> Result<State, CallError> {
        let q = per_joint(q, self.joints, "q")?;
        let joints = JointState { q, qd: optional(qd, self.joints, "qd")?, qdd: optional(qdd, self.joints, "qdd")? };
        Ok(self.robot.at_joints(&joints, &Pick::default())?)
    }
}

/// `dalembert_message`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_message() -> *const c_char {
    MESSAGE.with_borrow(|message| message.as_ref().map_or(c"".as_ptr(), |message| message.as_ptr()))
}

/// `dalembert_version`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// `dalembert_open`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_open(name_or_path: *const c_char, model: *const c_char, robot: *mut *mut Opened) -> Status {
    call(|| {
        let to = handle(robot, "robot")?;
        let found = Robot::find(text(name_or_path, "name_or_path")?);
        let found = found.map_err(|error| CallError::new(Status::NotLoaded, error.to_string()))?;
        let name = if model.is_null() { "exact" } else { text(model, "model")? };
        let model = found.model_name(name).and_then(|name| found.build_model(name));
        let model = model.map_err(|error| CallError::new(Status::NoModel, error.to_string()))?;
        let opened = Opened { joints: found.joints().len(), robot: found, model };
        *to = Box::into_raw(Box::new(opened));
        Ok(())
    })
}

/// `dalembert_close`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_close(robot: *mut Opened) {
    if !robot.is_null() {
        // SAFETY: it comes from `dalembert_open`, and is closed once.
        drop(unsafe { Box::from_raw(robot) });
    }
}

/// `dalembert_joints`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_joints(robot: *const Opened) -> usize {
    required(robot, "robot").map_or(0, |opened| opened.joints)
}

/// `dalembert_tool_at`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_tool_at(x: f64, y: f64, z: f64) -> Tool {
    Tool::from(&ToolState::translating(Vec3::new(x, y, z), Vec3::zero(), Vec3::zero()))
}

/// `dalembert_by_tool`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_by_tool(robot: *const Opened) -> c_int {
    required(robot, "robot").map_or(0, |opened| c_int::from(opened.robot.kind().form == Form::Tool))
}

/// `dalembert_forward_kinematics`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_forward_kinematics(
    robot: *const Opened,
    q: *const f64,
    qd: *const f64,
    qdd: *const f64,
    tool: *mut Tool,
) -> Status {
    on(robot, |opened| {
        let found = Tool::from(&opened.at_joints(q, qd, qdd)?.tool);
        found.finite()?;
        write_to(&[found], tool, "tool")
    })
}

/// `dalembert_inverse_kinematics`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_inverse_kinematics(
    robot: *const Opened,
    tool: *const Tool,
    near_q: *const f64,
    q: *mut f64,
    qd: *mut f64,
    qdd: *mut f64,
) -> Status {
    on(robot, |opened| {
        let near = if near_q.is_null() { None } else { Some(per_joint(near_q, opened.joints, "near_q")?) };
        let joints = opened.robot.at_tool(&tool_state(tool)?, &Pick { near, ..Pick::default() })?.joints;
        finite(&joints.qd, "qd")?;
        finite(&joints.qdd, "qdd")?;
        write_finite(&joints.q, q, "q")?;
        write(&joints.qd, qd);
        write(&joints.qdd, qdd);
        Ok(())
    })
}

/// `dalembert_torque`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_torque(
    robot: *const Opened,
    q: *const f64,
    qd: *const f64,
    qdd: *const f64,
    external: *const CWrench,
    tau: *mut f64,
) -> Status {
    on(robot, |opened| {
        let state = opened.at_joints(q, qd, qdd)?;
        write_finite(&opened.model.torque(&state, wrench(external)?), tau, "tau")
    })
}

/// `dalembert_torque_of_tool`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_torque_of_tool(
    robot: *const Opened,
    tool: *const Tool,
    external: *const CWrench,
    tau: *mut f64,
) -> Status {
    on(robot, |opened| {
        let state = opened.robot.at_tool(&tool_state(tool)?, &Pick::default())?;
        write_finite(&opened.model.torque(&state, wrench(external)?), tau, "tau")
    })
}

/// `dalembert_acceleration`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_acceleration(
    robot: *const Opened,
    q: *const f64,
    qd: *const f64,
    tau: *const f64,
    external: *const CWrench,
    qdd: *mut f64,
) -> Status {
    on(robot, |opened| {
        let torque = per_joint(tau, opened.joints, "tau")?;
        let state = opened.at_joints(q, qd, std::ptr::null())?;
        write_finite(&opened.model.accelerated(&state, &torque, wrench(external)?)?.joints.qdd, qdd, "qdd")
    })
}

/// `dalembert_gravity`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_gravity(robot: *const Opened, q: *const f64, tau: *mut f64) -> Status {
    on(robot, |opened| {
        let state = opened.at_joints(q, std::ptr::null(), std::ptr::null())?;
        write_finite(&opened.model.gravity_torque(&state), tau, "tau")
    })
}

/// `dalembert_mass_matrix`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_mass_matrix(robot: *const Opened, q: *const f64, mass: *mut f64) -> Status {
    on(robot, |opened| {
        let state = opened.at_joints(q, std::ptr::null(), std::ptr::null())?;
        let matrix = opened.model.mass_matrix(&state);
        matrix.iter().try_for_each(|row| finite(row, "mass"))?;
        slice(mass, numbers::<f64>(opened.joints, opened.joints)?, "mass")?;
        for (k, row) in matrix.iter().enumerate() {
            write(row, mass.wrapping_add(k * opened.joints));
        }
        Ok(())
    })
}

/// Refuses NULL among addresses.
fn address<T>(pointers: &[*const T], what: &str) -> Result<(), CallError> {
    let null = pointers.iter().position(|pointer| pointer.is_null());
    null.map_or(Ok(()), |k| Err(missing(&format!("{what}[{k}]"))))
}

/// Columns of so many numbers.
fn columns<'a, T>(pointers: *const *const T, count: usize, rows: usize, what: &str) -> Result<Vec<&'a [T]>, CallError> {
    let pointers = slice(pointers, count, what)?;
    address(pointers, what)?;
    pointers.iter().map(|&column| slice(column, rows, what)).collect()
}

/// Refuses columns of torques that overlap one another, or a column of the states unless they are the same column.
fn apart(states: &[&[f64]], torques: &[&[f64]]) -> Result<(), CallError> {
    let meet = |a: &[f64], b: &[f64]| {
        let (a, b) = (a.as_ptr_range(), b.as_ptr_range());
        a.start < b.end && b.start < a.end
    };
    for (k, torque) in torques.iter().enumerate() {
        let earlier = torques[..k].iter().position(|other| meet(torque, other)).map(|other| ("tau", other));
        let partly = |state: &&[f64]| state.as_ptr() != torque.as_ptr() && meet(torque, state);
        if let Some((what, other)) = earlier.or_else(|| Some(("states", states.iter().position(partly)?))) {
            return Err(CallError::new(Status::Columns, format!("tau[{k}] overlaps {what}[{other}] in memory")));
        }
    }
    Ok(())
}

/// Counts states without a finite result, and notes the first.
#[derive(Default)]
struct Failed {
    count: usize,
    first: usize,
}

impl Failed {
    fn note(&mut self, state: usize) {
        if self.count == 0 {
            self.first = state;
        }
        self.count += 1;
    }

    fn none(&self) -> Result<(), CallError> {
        let Self { count, first } = self;
        let have = if *count == 1 { "1 state has" } else { &format!("{count} states have") };
        let message = || format!("{have} no finite result; the first is number {first}, counted from 0");
        if *count == 0 { Ok(()) } else { Err(CallError::new(Status::NotFinite, message())) }
    }
}

/// `dalembert_torques`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_torques(
    robot: *const Opened,
    rows: usize,
    components: usize,
    states: *const *const f64,
    tau: *const *mut f64,
) -> Status {
    /// Rows at a time: computed beside and copied, because C may give a column as input and output.
    const BLOCK: usize = 4096;
    on(robot, |opened| {
        if components > MAX_JOINTS {
            return Err(CallError::new(Status::Columns, format!("no robot has {components} components")));
        }
        let given = columns(states, 3 * components, rows, "states")?;
        apart(&given, &columns(tau.cast(), opened.joints, rows, "tau")?)?;
        let mut torques = vec![vec![0.0; rows.min(BLOCK)]; opened.joints];
        let mut failed = Failed::default();
        for start in (0..rows).step_by(BLOCK) {
            let count = BLOCK.min(rows - start);
            // SAFETY: so many columns of so many rows, checked above.
            let column = |k: usize| unsafe { std::slice::from_raw_parts((*states.add(k)).add(start), count) };
            let given: Vec<&[f64]> = (0..3 * components).map(column).collect();
            let mut outputs: Vec<&mut [f64]> = torques.iter_mut().map(|torque| &mut torque[..count]).collect();
            let group = |k: usize| &given[k * components..(k + 1) * components];
            opened
                .model
                .torques([group(0), group(1), group(2)], &mut outputs)
                .map_err(|error| CallError::new(Status::Columns, error.to_string()))?;
            let bad = |i: &usize| !torques.iter().all(|torque| torque[*i].is_finite());
            (0..count).filter(bad).for_each(|i| failed.note(start + i));
            for (k, torque) in torques.iter().enumerate() {
                // SAFETY: as many columns as joints, checked above.
                write(&torque[..count], unsafe { (*tau.add(k)).add(start) });
            }
        }
        failed.none()
    })
}
