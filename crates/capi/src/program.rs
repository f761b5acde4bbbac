//! Compiled programs from C.

use super::{CallError, Opened, Status, call, columns, missing, required, slice, text, write_to};
use dalembert::compiled::{Compiled, Float, LayoutError, Machine, Scratch};
use dalembert::symbolic::derive::Of;
use dalembert::symbolic::{self, Effort};
use std::ffi::{CString, c_char, c_int};

/// `dalembert_program`.
#[derive(Clone, Debug)]
pub struct ProgramHandle {
    double: Ready<f64>,
    /// Made by the first call that asks for it.
    single: Option<Ready<f32>>,
    threads: usize,
    signature: CString,
    machine: CString,
}

/// A program and where it runs.
#[derive(Clone, Debug)]
struct Ready<T> {
    compiled: Compiled<T>,
    scratches: Vec<Scratch<T>>,
    /// Of one state: C may give one array as input and output.
    results: Vec<T>,
}

impl<T: Float> Ready<T> {
    fn new(compiled: Compiled<T>, threads: usize) -> Self {
        let (scratches, results) = (compiled.scratches(threads), vec![T::default(); compiled.outputs()]);
        Self { compiled, scratches, results }
    }

    /// One state the usual way: no NULL, no array that is input and output. It never panics, so nobody has to catch anything, which is
    /// what a call would otherwise spend most of its time with.
    #[inline]
    fn one_at_once(&mut self, inputs: *const T, outputs: *mut T) -> bool {
        let (width, results) = (self.compiled.inputs(), self.results.len());
        let (from, to) = (inputs as usize, outputs as usize);
        let apart =
            from.wrapping_add(width * size_of::<T>()) <= to || to.wrapping_add(results * size_of::<T>()) <= from;
        let Some(scratch) = self.scratches.first_mut().filter(|_| apart && from != 0 && to != 0) else { return false };
        // SAFETY: the header says how many numbers each array has; these are not NULL and apart.
        let (given, written) =
            unsafe { (std::slice::from_raw_parts(inputs, width), std::slice::from_raw_parts_mut(outputs, results)) };
        self.compiled.one_at_once(given, written, scratch)
    }

    /// One state, whatever is given.
    fn one(&mut self, inputs: *const T, outputs: *mut T) -> Result<(), CallError> {
        let Self { compiled, scratches, results } = self;
        let given = slice(inputs, compiled.inputs(), "inputs")?;
        compiled.one(given, results, &mut scratches[0]).map_err(fits)?;
        write_to(results, outputs, "outputs")
    }

    fn rows(&mut self, states: usize, inputs: *const T, outputs: *mut T) -> Result<(), CallError> {
        let Self { compiled, scratches, .. } = self;
        // An empty array may be NULL.
        if states == 0 {
            return Ok(());
        }
        let inputs = slice(inputs, numbers(states, compiled.inputs())?, "inputs")?;
        let outputs = output(outputs, numbers(states, compiled.outputs())?, "outputs")?;
        compiled.rows(inputs, outputs, scratches).map_err(fits)
    }

    fn columns(&mut self, states: usize, inputs: *const *const T, outputs: *const *mut T) -> Result<(), CallError> {
        let Self { compiled, scratches, .. } = self;
        numbers(states, compiled.inputs().max(compiled.outputs()))?;
        let inputs = columns(inputs, compiled.inputs(), states, "inputs")?;
        let pointers = slice(outputs, compiled.outputs(), "outputs")?;
        let mut outputs: Vec<&mut [T]> =
            pointers.iter().map(|&column| output(column, states, "outputs")).collect::<Result<_, _>>()?;
        compiled.columns(&inputs, &mut outputs, scratches).map_err(fits)
    }

    fn strided(
        &mut self,
        states: usize,
        (inputs, input_strides): (*const *const T, *const isize),
        (outputs, output_strides): (*const *mut T, *const isize),
    ) -> Result<(), CallError> {
        let Self { compiled, scratches, .. } = self;
        let inputs = strided(inputs, input_strides, compiled.inputs(), "inputs")?;
        let outputs = strided(outputs, output_strides, compiled.outputs(), "outputs")?;
        // SAFETY: the header asks for that.
        unsafe { compiled.addresses(states, &inputs, &outputs, scratches) }.map_err(fits)
    }
}

/// Addresses of the first state's components, and their strides.
fn strided<P: Copy>(
    first: *const P,
    strides: *const isize,
    count: usize,
    what: &str,
) -> Result<Vec<(P, isize)>, CallError> {
    let (first, strides) = (slice(first, count, what)?, slice(strides, count, "strides")?);
    Ok(first.iter().copied().zip(strides.iter().copied()).collect())
}

/// `q[6] qd[6] qdd[6] -> tau[6]`.
fn signature(program: &symbolic::Program) -> CString {
    let names = |all: &[symbolic::Quantity]| {
        all.iter().map(|quantity| format!("{}[{}]", quantity.name, quantity.length)).collect::<Vec<_>>().join(" ")
    };
    CString::new(format!("{} -> {}", names(&program.inputs), names(&program.outputs))).unwrap_or_default()
}

fn fits(error: LayoutError) -> CallError {
    CallError::new(Status::Columns, error.to_string())
}

/// How many numbers an array has.
fn numbers(states: usize, width: usize) -> Result<usize, CallError> {
    let all = states.checked_mul(width).filter(|all| *all <= isize::MAX as usize / size_of::<f64>());
    all.ok_or_else(|| CallError::new(Status::Columns, format!("{states} states are more than fit the memory")))
}

/// What a pointer points to, to be changed.
fn changed<'a, T>(pointer: *mut T, what: &str) -> Result<&'a mut T, CallError> {
    // SAFETY: the header asks for a valid object behind every pointer that is not NULL, of one thread.
    unsafe { pointer.as_mut() }.ok_or_else(|| missing(what))
}

/// So many numbers behind a pointer, to be written.
fn output<'a, T>(pointer: *mut T, len: usize, what: &str) -> Result<&'a mut [T], CallError> {
    if pointer.is_null() {
        return Err(missing(what));
    }
    // SAFETY: the header says how many numbers each array has, and that outputs are no inputs.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, len) })
}

impl ProgramHandle {
    fn new(compiled: Compiled) -> Self {
        let signature = signature(compiled.program());
        let machine = CString::new(compiled.machine().as_str()).unwrap_or_default();
        Self { double: Ready::new(compiled, 1), single: None, threads: 1, signature, machine }
    }

    fn single(&mut self) -> Result<&mut Ready<f32>, CallError> {
        let made = match self.single.take() {
            Some(made) => made,
            None => {
                let single = self.double.compiled.single();
                let single = single.map_err(|error| CallError::new(Status::NotOffered, error.to_string()))?;
                let machine = self.double.compiled.machine();
                Ready::new(single.on(machine).unwrap_or(single), self.threads)
            }
        };
        Ok(self.single.insert(made))
    }
}

/// `dalembert_compile`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_compile(
    robot: *const Opened,
    quantity: *const c_char,
    search: c_int,
    program: *mut *mut ProgramHandle,
) -> Status {
    call(|| {
        let (opened, name) = (required(robot, "robot")?, text(quantity, "quantity")?);
        let to = changed(program, "program")?;
        let not_offered = |text: String| CallError::new(Status::NotOffered, text);
        let of = Of::parse(name).ok_or_else(|| not_offered(format!("there is no quantity `{name}`")))?;
        let effort = if search == 0 { Effort::QUICK } else { Effort::default() };
        let compiled = opened.robot.compile_with(of, effort).map_err(|error| not_offered(error.to_string()))?;
        *to = Box::into_raw(Box::new(ProgramHandle::new(compiled)));
        Ok(())
    })
}

/// `dalembert_program_copy`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_program_copy(program: *const ProgramHandle, copy: *mut *mut ProgramHandle) -> Status {
    call(|| {
        let copied = required(program, "program")?.clone();
        *changed(copy, "copy")? = Box::into_raw(Box::new(copied));
        Ok(())
    })
}

/// `dalembert_program_close`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_program_close(program: *mut ProgramHandle) {
    if !program.is_null() {
        // SAFETY: it came from a box and is closed once.
        drop(unsafe { Box::from_raw(program) });
    }
}

/// `dalembert_program_signature`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_program_signature(program: *const ProgramHandle) -> *const c_char {
    required(program, "program").map_or(c"".as_ptr(), |program| program.signature.as_ptr())
}

/// `dalembert_program_inputs`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_program_inputs(program: *const ProgramHandle) -> usize {
    required(program, "program").map_or(0, |program| program.double.compiled.inputs())
}

/// `dalembert_program_outputs`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_program_outputs(program: *const ProgramHandle) -> usize {
    required(program, "program").map_or(0, |program| program.double.compiled.outputs())
}

/// `dalembert_program_machine`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_program_machine(program: *const ProgramHandle) -> *const c_char {
    required(program, "program").map_or(c"".as_ptr(), |program| program.machine.as_ptr())
}

/// `dalembert_program_use`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_program_use(program: *mut ProgramHandle, machine: *const c_char) -> Status {
    call(|| {
        let (program, name) = (changed(program, "program")?, text(machine, "machine")?);
        let found = Machine::ALL.into_iter().find(|machine| machine.as_str() == name);
        let other = found.and_then(|machine| program.double.compiled.on(machine));
        let refused = || {
            let here = Machine::ALL.into_iter().filter(|machine| machine.is_available()).map(Machine::as_str);
            let here = here.collect::<Vec<_>>().join(", ");
            CallError::new(Status::NotOffered, format!("this processor has no `{name}`, but {here}"))
        };
        let threads = program.threads;
        *program = ProgramHandle::new(other.ok_or_else(refused)?);
        program.threads = threads;
        program.double.scratches = program.double.compiled.scratches(threads);
        Ok(())
    })
}

/// `dalembert_program_threads`.
#[unsafe(no_mangle)]
pub extern "C" fn dalembert_program_threads(program: *mut ProgramHandle, threads: usize) -> Status {
    call(|| {
        /// Each thread needs a work area of its own.
        const MAX_THREADS: usize = 1024;
        let program = changed(program, "program")?;
        let here = || std::thread::available_parallelism().map_or(1, |threads| threads.get());
        if threads > MAX_THREADS {
            return Err(CallError::new(Status::NotOffered, format!("at most {MAX_THREADS} threads, not {threads}")));
        }
        program.threads = if threads == 0 { here().min(MAX_THREADS) } else { threads };
        program.double.scratches = program.double.compiled.scratches(program.threads);
        program.single = None;
        Ok(())
    })
}

macro_rules! run {
    ($real:ty, $one:ident, $rows:ident, $columns:ident, $strided:ident, |$program:ident| $at_once:expr, $ready:expr) => {
        /// One state.
        #[unsafe(no_mangle)]
        pub extern "C" fn $one(program: *mut ProgramHandle, inputs: *const $real, outputs: *mut $real) -> Status {
            // SAFETY: as of every pointer.
            let there = unsafe { program.as_mut() };
            if there.is_some_and(|$program| $at_once.is_some_and(|ready| ready.one_at_once(inputs, outputs))) {
                return Status::Ok;
            }
            call(|| {
                let $program = changed(program, "program")?;
                $ready.one(inputs, outputs)
            })
        }

        /// Rows.
        #[unsafe(no_mangle)]
        pub extern "C" fn $rows(
            program: *mut ProgramHandle,
            states: usize,
            inputs: *const $real,
            outputs: *mut $real,
        ) -> Status {
            call(|| {
                let $program = changed(program, "program")?;
                $ready.rows(states, inputs, outputs)
            })
        }

        /// Columns.
        #[unsafe(no_mangle)]
        pub extern "C" fn $columns(
            program: *mut ProgramHandle,
            states: usize,
            inputs: *const *const $real,
            outputs: *const *mut $real,
        ) -> Status {
            call(|| {
                let $program = changed(program, "program")?;
                $ready.columns(states, inputs, outputs)
            })
        }

        /// Views.
        #[unsafe(no_mangle)]
        pub extern "C" fn $strided(
            program: *mut ProgramHandle,
            states: usize,
            inputs: *const *const $real,
            input_strides: *const isize,
            outputs: *const *mut $real,
            output_strides: *const isize,
        ) -> Status {
            call(|| {
                let $program = changed(program, "program")?;
                $ready.strided(states, (inputs, input_strides), (outputs, output_strides))
            })
        }
    };
}

run!(
    f64,
    dalembert_run,
    dalembert_run_rows,
    dalembert_run_columns,
    dalembert_run_strided,
    |program| Some(&mut program.double),
    program.double
);
run!(
    f32,
    dalembert_run_f32,
    dalembert_run_rows_f32,
    dalembert_run_columns_f32,
    dalembert_run_strided_f32,
    |program| program.single.as_mut(),
    program.single()?
);
