//! Compiled programs from C.

use super::{
    CallError, Failed, Opened, Status, call, changed, handle, missing, numbers, required, slice, succeeded, text,
    write_to,
};
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

    /// One state the usual way: nothing is NULL, and all numbers are finite. It never panics, so nobody has to catch anything, which is
    /// what a call would otherwise spend most of its time with.
    #[inline]
    fn one_at_once(&mut self, inputs: *const T, outputs: *mut T) -> bool {
        let Some(scratch) = self.scratches.first_mut() else { return false };
        if inputs.is_null() || outputs.is_null() {
            return false;
        }
        // SAFETY: the header says how many numbers each array has, and this is not NULL.
        let given = unsafe { std::slice::from_raw_parts(inputs, self.compiled.inputs()) };
        let done = all_finite(given) && self.compiled.one_at_once(given, &mut self.results, scratch);
        if done && all_finite(&self.results) {
            // SAFETY: as above; a copy, because C may give the same array twice.
            unsafe { std::ptr::copy(self.results.as_ptr(), outputs, self.results.len()) };
            return true;
        }
        false
    }

    /// One state, whatever is given.
    fn one(&mut self, inputs: *const T, outputs: *mut T) -> Result<(), CallError> {
        let Self { compiled, scratches, results } = self;
        let given = slice(inputs, compiled.inputs(), "inputs")?;
        let refused = |what: &str, numbers: &[T], why: &str| {
            let k = numbers.iter().position(|x| !x.double().is_finite())?;
            let text = format!("{what}[{k}] is {}, not a finite number{why}", numbers[k].double());
            Some(CallError::new(Status::NotFinite, text))
        };
        if let Some(error) = refused("inputs", given, "") {
            return Err(error);
        }
        compiled.one(given, results, &mut scratches[0]).map_err(fits)?;
        match refused("outputs", results, ": the state is out of reach, singular or too fast") {
            Some(error) => Err(error),
            None => write_to(results, outputs, "outputs"),
        }
    }

    fn rows(&mut self, states: usize, inputs: *const T, outputs: *mut T) -> Result<(), CallError> {
        let Self { compiled, scratches, results } = self;
        // An empty array may be NULL.
        if states == 0 {
            return Ok(());
        }
        let inputs = slice(inputs, numbers::<T>(states, compiled.inputs())?, "inputs")?;
        let count = numbers::<T>(states, compiled.outputs())?;
        let (from, to) = (inputs.as_ptr_range(), outputs.cast_const()..outputs.cast_const().wrapping_add(count));
        if from.start < to.end && to.start < from.end {
            return Err(CallError::new(Status::Columns, "the outputs overlap the inputs"));
        }
        let outputs = output(outputs, count, "outputs")?;
        compiled.rows(inputs, outputs, scratches).map_err(fits)?;
        let mut failed = Failed::default();
        let states = outputs.chunks(results.len().max(1)).enumerate();
        states.filter(|(_, outputs)| !all_finite(outputs)).for_each(|(state, _)| failed.note(state));
        failed.none()
    }

    fn columns(&mut self, states: usize, inputs: *const *const T, outputs: *const *mut T) -> Result<(), CallError> {
        let inputs = slice(inputs, self.compiled.inputs(), "inputs")?.iter().map(|&column| (column, 1));
        let outputs = slice(outputs, self.compiled.outputs(), "outputs")?.iter().map(|&column| (column, 1));
        self.addresses(states, &inputs.collect::<Vec<_>>(), &outputs.collect::<Vec<_>>())
    }

    fn strided(
        &mut self,
        states: usize,
        (inputs, input_strides): (*const *const T, *const isize),
        (outputs, output_strides): (*const *mut T, *const isize),
    ) -> Result<(), CallError> {
        let inputs = strided(inputs, input_strides, self.compiled.inputs(), "inputs")?;
        let outputs = strided(outputs, output_strides, self.compiled.outputs(), "outputs")?;
        self.addresses(states, &inputs, &outputs)
    }

    fn addresses(
        &mut self,
        states: usize,
        inputs: &[(*const T, isize)],
        outputs: &[(*mut T, isize)],
    ) -> Result<(), CallError> {
        let Self { compiled, scratches, .. } = self;
        // Empty arrays may be NULL.
        if states == 0 {
            return Ok(());
        }
        let results: Vec<_> = outputs.iter().map(|&(first, stride)| (first.cast_const(), stride)).collect();
        for (views, what) in [(inputs, "inputs"), (&results, "outputs")] {
            for (k, (first, stride)) in views.iter().enumerate() {
                numbers::<T>(states, stride.unsigned_abs().max(1))?;
                if first.is_null() {
                    return Err(missing(&format!("{what}[{k}]")));
                }
            }
        }
        // SAFETY: the header asks for that; they are not NULL.
        unsafe { compiled.addresses(states, inputs, outputs, scratches) }.map_err(fits)?;
        let mut failed = Failed::default();
        for state in 0..states {
            // SAFETY: as above: they have just been written.
            let number = |&(first, stride): &(*mut T, isize)| unsafe { first.offset(state as isize * stride).read() };
            if !outputs.iter().all(|view| number(view).double().is_finite()) {
                failed.note(state);
            }
        }
        failed.none()
    }
}

/// Whether all are finite. All are looked at, which is faster than to stop.
#[inline]
fn all_finite<T: Float>(numbers: &[T]) -> bool {
    numbers.iter().fold(true, |all, x| all & x.double().is_finite())
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
        let to = handle(program, "program")?;
        let (opened, name) = (required(robot, "robot")?, text(quantity, "quantity")?);
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
        let to = handle(copy, "copy")?;
        *to = Box::into_raw(Box::new(required(program, "program")?.clone()));
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
                return succeeded();
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
